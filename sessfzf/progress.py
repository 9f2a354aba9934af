"""How far a long reading is, on a terminal where nobody but the person looks."""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 1.0  # s: what is done by then needs no progress
_PAUSE = 0.1  # s between two looks
_BLANK = "\r\x1b[K"


class Progress:
    """One line on stderr, rewritten in place once reading has taken a second.

    ``left()`` says how many files are still to be read. Nothing is shown unless stdout and stderr
    are both terminals: a pipe gets no progress, and a picker at its other end has its own.
    """

    def __init__(self, left: Callable[[], int]) -> None:
        self._left = left
        self._total = left()
        self._next = monotonic() + _PATIENCE if os.isatty(1) and os.isatty(2) else float("inf")
        self._shown = False

    def show(self) -> None:
        """Say how far the reading is, if it is time to."""
        now = monotonic()
        if now < self._next:
            return
        self._next = now + _PAUSE
        self._shown = True
        _put(f"{_BLANK}reading sessions: {self._total - self._left():,} of {self._total:,}")

    def clear(self) -> None:
        """Take the line away: something else is about to be written, or all is done."""
        if self._shown:
            self._shown = False
            _put(_BLANK)


def _put(text: str) -> None:
    with suppress(OSError):  # nobody listening is no error
        os.write(2, text.encode())
