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
    from sessfzf.search.pattern import Pattern
    from sessfzf.session import Session

_BEFORE = 64 * 1024  # bytes; more than is shown of either
_AFTER = LINE_BYTES + 256 * 1024


def around(
    told: Conversation, session: Session, pattern: Pattern, *, prompts: bool = False
) -> tuple[list[Turn], int]:
    """Return the turns around the newest match, in order, and which of them it is in.

    None when there is no match, or it takes too long. Raises OSError.
    """
    if not is_plain(session.path):
        return [], 0
    judge = Judge(pattern, told.said, told.NEEDLES, prompts=prompts)
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
