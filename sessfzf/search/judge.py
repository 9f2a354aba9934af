"""Whether a line matches in what was said, and how that is shown."""

from __future__ import annotations

import os

from sessfzf.agents import ANSWER, PROMPT
from sessfzf.agents.turns import IMAGE
from sessfzf.files import is_regular, open_quietly
from sessfzf.jsonl import loader, parse, records
from sessfzf.search.finder import compressed_lines, lines_at, lines_with, zstd
from sessfzf.search.pattern import TooLongError, normal
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sessfzf.agents import Turn
    from sessfzf.jsonl import Loads, Record
    from sessfzf.search.pattern import Pattern

    # Who said it, the line it stands in, cut and made printable, and where in that the match is.
    Match = tuple[str, str, int, int]

ANYTHING = "other"  # the role of what nobody said
_BEFORE, _LENGTH = 50, 160  # characters that are shown
_AROUND = 400  # that are looked at for that: some are not printable
_EVERY_LINE = (b'":',)
_MOST_TOO_LONG = 3
_MANY = 300  # lines, from which on loading a faster parser is worth it
_COMPRESSED = ".zst"


def is_plain(path: str) -> bool:
    """Whether the file is lines of JSON as it is, not compressed."""
    return not path.endswith(_COMPRESSED)


def can_search(path: str) -> bool:
    """Whether the file can be read here: if it is compressed, that takes a zstd (``zstd``)."""
    return is_plain(path) or zstd() is not None


class Judge:
    """Finds the newest match in a part of a file.

    ``said`` makes a record's turns, ``marks`` are bytes one of which is in every record that has
    any. ``prompts``: only what the person typed counts; ``everything``: every text of every record.
    """

    def __init__(
        self,
        pattern: Pattern,
        said: Callable[[Record], list[Turn]],
        marks: tuple[bytes, ...],
        *,
        prompts: bool = False,
        everything: bool = False,
    ) -> None:
        self._pattern = pattern
        self._said = _every_text if everything else said
        self._roles = {PROMPT} if prompts else {PROMPT, ANSWER, ANYTHING}
        self._marks = _EVERY_LINE if everything else marks
        self._needles = pattern.needles or self._marks
        self._fold = pattern.fold and bool(pattern.needles)
        self._loads: Loads = parse
        self._parsed = 0
        self.too_long = 0  # texts that the pattern took too long on

    def newest(
        self, path: str, floor: int, end: int, begins: Sequence[int] = ()
    ) -> tuple[int, Match] | None:
        """Return the newest match that begins from ``floor`` to ``end``, and where its line begins.

        With ``begins`` only the lines that begin there are looked at. Raises OSError when the file
        cannot be read, TooLongError when that happens again and again.
        """
        newest = None
        descriptor = open_quietly(path)
        try:
            if not is_regular(os.fstat(descriptor).st_mode):
                raise OSError(0, "not a regular file", path)
            if not is_plain(path):
                for line in compressed_lines(descriptor):
                    if match := self.match(line):
                        newest = 0, match
                return newest
            if begins:
                lines = lines_at(descriptor, begins)
            else:
                lines = lines_with(descriptor, self._needles, floor, end, fold=self._fold)
            for begin, line in lines:
                if match := self.match(line):
                    return begin, match
        finally:
            os.close(descriptor)
        return newest

    def match(self, line: bytes) -> Match | None:
        """Return the last match in a line of the file."""
        if not any(mark in line for mark in self._marks):
            return None
        self._parsed += 1
        if self._parsed == _MANY:
            self._loads = loader(_MANY)
        for record in reversed(records(line, self._loads)):
            for turn in reversed(self._said(record)):
                if match := self.matches(*turn):
                    return match
        return None

    def matches(self, role: str, text: str) -> Match | None:
        """Return the first match in a turn, if it is one that counts."""
        if role not in self._roles:
            return None
        text = normal(_without_images(text))
        try:
            place = self._pattern.search(text)
            return (role, *_shown(self._pattern, text, *place)) if place else None
        except TooLongError:
            self.too_long += 1
            if self.too_long >= _MOST_TOO_LONG:
                raise
            return None


def _shown(pattern: Pattern, text: str, start: int, end: int) -> tuple[str, int, int]:
    """Return the line that a match stands in, cut around it, and where in that it is.

    Both places are 0 when nothing of it can be shown.
    """
    begin = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
    end = min(end, start + _AROUND)
    stop = text.find("\n", end, end + _AROUND)
    stop = stop if stop >= 0 else end + _AROUND
    line = clean(text[begin:stop], 3 * _AROUND)
    # Sought again in what is shown: what was made printable may be shorter.
    near = len(clean(text[begin:start], _AROUND + 1))
    place = pattern.search(line[max(near - 1, 0) :]) if near else pattern.search(line)
    shift = max(near - 1, 0)
    first, last = (place[0] + shift, place[1] + shift) if place else (near, near)
    cut = max(min(first - _BEFORE, len(line) - _LENGTH), 0)
    shown = line[cut : cut + _LENGTH]
    if cut:
        shown = "…" + shown[1:]
    if cut + _LENGTH < len(line):
        shown = shown[:-1] + "…"
    first, last = max(first - cut, 0), min(last - cut, len(shown))
    return (shown, first, last) if place and first < last else (shown, 0, 0)


def _without_images(text: str) -> str:
    """Return the text without the words that stand for its images: nobody said them."""
    while text.endswith(IMAGE):
        text = text[: -len(IMAGE)].removesuffix("\n")
    return text


def _every_text(value: object) -> list[Turn]:
    return [(ANYTHING, text) for text in _texts(value)]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
