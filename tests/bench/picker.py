"""Wall time in a real terminal: from the key press to the first row in a real fzf."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from statistics import median
from typing import TYPE_CHECKING, Final

from checks import Bench, Place, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PROMPT: Final = "READY>"
_DEADLINE: Final = 60.0  # s
_ROW: Final = "claude-code"  # stands in every row
_ALONE: Final = f"bind -x '\"\\eq\": echo {_ROW} | fzf --height=60%'"


class Terminal:
    """bash with the widget, in a tmux server of its own."""

    def __init__(self, place: Place) -> None:
        self._tmux = ["tmux", "-S", f"{place.store.home}/tmux", "-f", os.devnull]
        env = [f"{name}={value}" for name, value in place.env.items()]
        shell = ["env", "-i", *env, f"PS1={_PROMPT} ", "bash", "--norc", "--noprofile", "-i"]
        self._call("new-session", "-d", "-x", "160", "-y", "50", *shell)
        self.wait(_PROMPT)

    def close(self) -> None:
        """End the server and all in it."""
        self._call("kill-server")

    def type(self, line: str) -> None:
        """Type a line and wait for the next prompt."""
        self._call("send-keys", "-l", f"{line}; clear")
        self._call("send-keys", "Enter")
        time.sleep(0.5)
        self.wait(_PROMPT)

    def seconds(self, key: str, before: Sequence[str]) -> float:
        """Return how long it is from the key to the first row, and leave the picker."""
        if before:
            subprocess.run(before, check=True)
        start = time.perf_counter()
        self._call("send-keys", key)
        self.wait(_ROW)
        found = time.perf_counter() - start
        self._call("send-keys", "Escape")
        self.wait(_ROW, gone=True)
        time.sleep(0.1)  # a key that comes while the shell takes the terminal back may be lost
        return found

    def wait(self, text: str, *, gone: bool = False) -> None:
        """Wait until the text is on the screen, or no longer. Raises TimeoutError."""
        end = time.monotonic() + _DEADLINE
        while (text in self._call("capture-pane", "-p")) == gone:
            if time.monotonic() > end:
                raise TimeoutError(self._call("capture-pane", "-p"))
            time.sleep(0.001)

    def _call(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True)
        return done.stdout


def rows(bench: Bench) -> Iterator[Row]:
    """Measure on the stores that the other lines have made."""
    missing = [name for name in ("tmux", "bash") if not shutil.which(name)]
    path = bench.place("small").env["PATH"]
    if missing or not shutil.which("fzf", path=path):
        yield Row("key press to first row", "", f"skipped: no {', '.join([*missing, 'fzf'])}")
        return
    sizes = bench.sizes
    for name, count in (("small", sizes.small), ("middle", sizes.middle)):
        place = bench.place(name)
        terminal = Terminal(place)
        try:
            terminal.type(_ALONE)
            terminal.type(f'eval "$({bench.command} init bash)"')
            yield _row(bench, terminal, "fzf alone with one row", "M-q", ())
            what = f"key press to first row, {count:,} sessions"
            yield _row(bench, terminal, f"{what}, nothing new", "M-r", ())
            yield _row(bench, terminal, f"{what}, no index", "M-r", ("rm", "-f", place.index_file))
        finally:
            terminal.close()


def _row(bench: Bench, terminal: Terminal, what: str, key: str, before: Sequence[str]) -> Row:
    times = [terminal.seconds(key, before) for _ in range(bench.repeats)]
    return Row(what, "", f"{median(times) * 1000:.0f} ms")
