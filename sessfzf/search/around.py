"""What was said and done around the newest match in a session."""

from __future__ import annotations

import os

from sessfzf.files import open_quietly
from sessfzf.jsonl import LINE_BYTES, parse, records
from sessfzf.search.finder import lines_with
from sessfzf.search.judge import Judge, is_plain
from sessfzf.search.pattern import TooLongError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.agents import Conversation, Turn
    from sessfzf.markdown import Line
    from sessfzf.search.pattern import Pattern
    from sessfzf.session import Session

_MARKED = "\x1b[7m"
_BEFORE = 64 * 1024  # bytes; more than is shown of either
_AFTER = LINE_BYTES + 256 * 1024


def around(told: Conversation, session: Session, pattern: Pattern) -> tuple[list[Turn], int]:
    """Return the turns around the newest match, in order, and which of them it is in.

    None when there is no match, or it takes too long. Raises OSError.
    """
    if not is_plain(session.path):
        return [], 0
    judge = Judge(pattern, told.said, told.NEEDLES)
    try:
        found = judge.newest(session.path, 0, session.bytes)
    except TooLongError:
        found = None
    if not found:
        return [], 0
    descriptor = open_quietly(session.path)
    try:
        begin = found[0]
        earlier = lines_with(descriptor, told.NEEDLES, max(0, begin - _BEFORE), begin)
        before = [turn for _, line in earlier for turn in reversed(_turns(told, line))]
        line, *later = os.pread(descriptor, _AFTER, begin).split(b"\n")
    finally:
        os.close(descriptor)
    here = _turns(told, line)
    at = max((n for n, turn in enumerate(here) if judge.matches(*turn)), default=0)
    after = [turn for line in later for turn in _turns(told, line)]
    return [*reversed(before), *here, *after], len(before) + at


def _turns(told: Conversation, line: bytes) -> list[Turn]:
    if not any(needle in line for needle in told.NEEDLES):
        return []
    return [turn for record in records(line, parse) for turn in told.said(record)]


def mark(lines: list[Line], pattern: Pattern, start: int) -> tuple[list[Line], int]:
    """Return the lines with what matches in them marked, and the first of these from ``start`` on.

    That is ``start`` itself where the match is cut by the end of a line.
    """
    marked: list[Line] = []
    first = -1
    for number, line in enumerate(lines):
        text = "".join(part for _, part in line)
        try:
            found = pattern.search(text)
        except TooLongError:
            marked += lines[number:]
            break
        if found and found[0] < found[1]:
            line = _marked(line, *found)  # noqa: PLW2901
            first = number if first < 0 <= number - start else first
        marked.append(line)
    return marked, first if first >= 0 else start


def _marked(line: Line, start: int, end: int) -> Line:
    parts: list[tuple[str, str]] = []
    at = 0
    for paint, text in line:
        cuts = [max(0, min(place - at, len(text))) for place in (start, end)]
        parts += [(paint, text[: cuts[0]]), (_MARKED, text[cuts[0] : cuts[1]])]
        parts.append((paint, text[cuts[1] :]))
        at += len(text)
    return tuple(part for part in parts if part[1])
