"""The end of a Claude Code transcript, as the person and the agent would tell it.

Format: reference B3 and B5, observed f (2.1.332), older-clients 6 (2.0.77 to 2.1.332).
"""

from __future__ import annotations

import os

from sessfzf.agents import ANSWER, NOTE, PROMPT
from sessfzf.agents.claude_code import SUFFIX
from sessfzf.agents.claude_code.transcript import NO_PROMPT, command_of, typed
from sessfzf.agents.turns import IMAGE, call, newest_records, with_images
from sessfzf.jsonl import File, parse, string, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Turn
    from sessfzf.jsonl import Record
    from sessfzf.session import Session

NEEDLES = (b'"user"', b'"assistant"', b'"local_command"', b'"compact_boundary"')
# What the client writes beside the conversation, and what a sub-agent said in old releases (B5).
_ASIDE = ("isMeta", "isVisibleInTranscriptOnly", "isSidechain")
_SHELL = "<bash-input>"
_INTERRUPTED = "[Request interrupted by user"
_KEPT_DAYS = 30
_MOST_DAYS = 1_000_000
_DAY = 86_400_000  # ms


def turns(session: Session, limit: int) -> Iterator[Turn]:
    """Yield the turns of the last ``limit`` bytes, the newest first. Raises OSError."""
    for record in newest_records(session.path, NEEDLES, limit):
        yield from reversed(said(record))


def sub_agents(session: Session) -> list[tuple[str, int]]:
    """Return the files of ``<id>/subagents/`` with their sizes (reference B6)."""
    try:
        with os.scandir(f"{session.path.removesuffix(SUFFIX)}/subagents") as entries:
            return sorted(
                (entry.path, entry.stat().st_size)
                for entry in entries
                if entry.name.endswith(SUFFIX) and entry.is_file()
            )
    except OSError:
        return []  # as for most


def kept_until(session: Session) -> int:
    """Return from when on the client deletes the transcript, in epoch ms, 0 when nobody can say.

    Each start of it deletes the files that were last changed more than ``cleanupPeriodDays`` ago,
    30 when the settings do not say (reference B7; code.claude.com/docs/en/settings). Other
    settings than the person's own, an organisation's say, are not looked at.
    """
    days: object = _KEPT_DAYS
    try:
        with File(os.path.join(session.root, "settings.json")) as file:
            days = table(parse(file.beginning())).get("cleanupPeriodDays", days)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, RecursionError):
        return 0
    # 0 is refused since 2.1.89, and before that it meant that nothing is written.
    known = isinstance(days, (int, float)) and not isinstance(days, bool) and 0 < days < _MOST_DAYS
    return session.mtime + int(days * _DAY) if session.stamp and known else 0  # type: ignore[operator]


def parent(session: Session) -> str:
    """Return where the transcript lies that a fork was made from, if it was not moved since.

    ``/branch`` writes the copy beside it.
    """
    return os.path.join(os.path.dirname(session.path), f"{session.forked}.jsonl")


def said(record: Record) -> list[Turn]:
    """Return the turns of one record, in their order."""
    if any(record.get(flag) is True for flag in _ASIDE):
        return []
    kind = record.get("type")
    if kind == "system" and record.get("subtype") == "local_command":
        return _said(string(record.get("content")), 0)
    if record.get("isCompactSummary") is True or (
        kind == "system" and record.get("subtype") == "compact_boundary"
    ):
        return [(NOTE, "compacted")]
    content = table(record.get("message")).get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if kind == "user":
        return _prompt(blocks)
    return _answer(blocks) if kind == "assistant" else []


def _prompt(blocks: list[object]) -> list[Turn]:
    texts, images = [], 0
    for block in map(table, blocks):
        if block.get("type") == "text":
            texts.append(typed(string(block.get("text"))).strip("\n"))
        images += block.get("type") == "image"
    return _said("\n".join(text for text in texts if text), images)


def _answer(blocks: list[object]) -> list[Turn]:
    found: list[Turn] = []
    for block in map(table, blocks):
        kind = block.get("type")
        if kind == "text":
            found.append((ANSWER, string(block.get("text"))))
        elif kind in ("tool_use", "server_tool_use"):
            found.append(call(block.get("name"), block.get("input")))
        elif kind == "image":
            found.append((ANSWER, IMAGE))
    return found


def _said(text: str, images: int) -> list[Turn]:
    """Return what the person said or did: a prompt, a command of the client's or of the shell's."""
    start = text.lstrip()
    if start.startswith(_INTERRUPTED):
        return [(NOTE, "interrupted")]
    if start.startswith(NO_PROMPT):
        if start.startswith(_SHELL):
            text = f"! {start.removeprefix(_SHELL).partition('</bash-input>')[0]}"
        else:
            command = command_of(text)
            words = text.partition("<command-args>")[2].partition("<")[0].strip()
            text = f"{command} {words}" if command else ""
    text = with_images(text, images)
    return [(PROMPT, text)] if text else []
