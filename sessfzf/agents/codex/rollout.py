"""Reading a Codex rollout, in both dialects, from both ends.

Format: reference A6, observed f (0.171.0), older-clients 8 (0.63.0 to 0.171.0).
"""

from __future__ import annotations

from itertools import repeat

from sessfzf.agents import is_uuid, parts
from sessfzf.agents.codex import APP, AUTO_REVIEW
from sessfzf.agents.codex.words import BY_PROMPT, approval_name, kind_of, request, sandbox_name
from sessfzf.jsonl import (
    BLOCK,
    TAIL_BYTES,
    File,
    milliseconds,
    newest_first,
    newest_with,
    records,
    string,
    table,
)
from sessfzf.session import Session
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.agents import Source
    from sessfzf.jsonl import Loads, Record

_FAR_BYTES = 64 * 1024 * 1024
_STAMP = rb'\{"timestamp"\s*:\s*"([^"\\]{19,40})"'
# How a line begins, and the form of its stamp, in every release: 2026-11-02T08:00:00.100Z.
_BEGINNING = b'{"timestamp":"'
_STAMP_LENGTH = 24
_USUAL = slice(len(_BEGINNING), len(_BEGINNING) + _STAMP_LENGTH)
_AFTER = slice(_USUAL.stop - 1, _USUAL.stop + 1)
_HEAD_BYTES = (b'"session_meta"', b'"user_message"', b'"UserMessage"')
_SETTINGS_BYTES = (b'"turn_context"', b'"thread_settings_applied"')
_TALK_BYTES = (b'"user_message"', b'"UserMessage"', b'"agent_message"', b'"AgentMessage"')


def read(root: str, source: Source, loads: Loads, before: Session | None) -> Session | None:
    """Read one rollout: its Session, None for a sub-agent's.

    ``before`` is what the file said when it was shorter: then only what has come since is read. A
    compressed one is known by its name alone: Python has no zstd before 3.14 (A7). Raises
    OSError when the file cannot be read.
    """
    thread = source[2]
    path, stamp = parts(source)
    session = Session(APP, root, thread, path, stamp)
    session.spoken = ""
    if stamp and path.endswith(".jsonl"):
        with File(path) as file:
            if before is not None and before.titled and before.approval:
                _read_tail(file, session, loads, min(TAIL_BYTES, file.size - before.bytes + BLOCK))
                _keep(before, session)
                return session
            # Those of the first turn say nothing of a long thread's last: then the index decides.
            settings = _read_tail(file, session, loads) or file.size > TAIL_BYTES
            if not _read_head(file, session, loads, settings=settings):
                return None
            if not session.spoken:
                file.check(loads)
    if "/archived_sessions/" in path:
        session.hidden = "archived"
    return session


def _keep(before: Session, session: Session) -> None:
    """Keep what was known of the shorter file unless the new part says otherwise."""
    session.title, session.titled = before.title, before.titled
    session.time = max(session.time, before.time)
    session.hidden, session.branch, session.spoken = before.hidden, before.branch, "1"
    session.cwd = session.cwd or before.cwd
    session.forked = before.forked
    if not session.approval:  # no turn has come since
        session.model, session.effort = before.model, before.effort
        session.approval, session.sandbox = before.approval, before.sandbox


def _read_tail(file: File, session: Session, loads: Loads, limit: int = TAIL_BYTES) -> bool:
    """Take the newest settings and time; return whether settings were found."""
    settings = False
    for number, block in enumerate(file.tail(limit)):
        if _holds(block, _TALK_BYTES):
            session.spoken = "1"
        if number == 0 or not session.time:
            session.time = _newest(block, loads)
        settings = settings or _take_settings(block, session, loads)
        if settings and session.spoken:
            break
    return settings


def _take_settings(block: bytes, session: Session, loads: Loads) -> bool:
    """Take the newest settings of a block; False when it holds none."""
    return any(
        _take_context(record, session)
        for line in newest_with(block, _SETTINGS_BYTES)
        for record in reversed(records(line, loads))
    )


def search_settings(session: Session, loads: Loads) -> None:
    """Take the newest settings from where ``read`` did not reach: a turn may be longer than that.

    For the one thread that is resumed: what was read instead is its first turn's. The folder stays.
    Raises OSError.
    """
    if session.bytes <= TAIL_BYTES or not session.path.endswith(".jsonl"):
        return
    folder = session.cwd
    with File(session.path) as file:
        for start, block in file.backwards(file.size):
            if _take_settings(block, session, loads) or file.size - start > _FAR_BYTES:
                break
    session.cwd = folder


def _holds(text: bytes, needles: tuple[bytes, ...]) -> bool:
    for needle in needles:  # noqa: SIM110 - any() takes three times as long, a line
        if needle in text:
            return True
    return False


def _newest(block: bytes, loads: Loads) -> int:
    """Return when the newest line of a block was written, in ms."""
    # Where all lines begin as usual, none has to be looked at by itself.
    begun = (b"\n" + block).split(b"\n" + _BEGINNING)
    usual = [line[:_STAMP_LENGTH] for line in begun if line[_STAMP_LENGTH - 1 :][:2] == b'Z"']
    if usual and len(usual) == block.count(b"\n") + (block[-1:] != b"\n"):
        newest = milliseconds(max(usual).decode("ascii", "replace"))
        if newest:
            return newest
    latest = b""
    time = 0
    for line in newest_first(block):
        if line.startswith(_BEGINNING) and line[_AFTER] == b'Z"':
            # As texts: converting every one would take longer than all the rest of a reading.
            latest = max(latest, line[_USUAL])
        else:
            time = max(time, _moment(line, loads))
    newest = milliseconds(latest.decode("ascii", "replace"))
    if latest and not newest:  # no time after all
        return max(0, *map(_moment, newest_first(block), repeat(loads)), 0)
    return max(time, newest)


def _moment(line: bytes, loads: Loads) -> int:
    """Return when a line was written, in ms; its stamp is the first thing in it."""
    import re  # not above: most lines begin as _newest expects, and re costs much to import

    if stamp := re.match(_STAMP, line):
        return milliseconds(stamp[1].decode("ascii", "replace"))
    return max(
        (milliseconds(record.get("timestamp")) for record in records(line, loads)), default=0
    )


def _read_head(file: File, session: Session, loads: Loads, *, settings: bool) -> bool:
    """Take the meta record and the first prompt; False for a sub-agent's rollout."""
    met = False
    needles = _HEAD_BYTES if settings else (*_HEAD_BYTES, *_SETTINGS_BYTES[:1])
    for line in file.head():
        if not _holds(line, needles):
            continue
        for record in records(line, loads):
            meta = table(record.get("payload"))
            kind = record.get("type")
            # A fork holds its parent's meta record too.
            if kind == "session_meta" and meta.get("id") == session.id and not met:
                met = True
                if not _take_meta(meta, session):
                    return False
            elif kind == "event_msg" and not session.title:
                session.title, session.titled = _prompt(meta), BY_PROMPT
            elif not settings:
                settings = _take_context(record, session)
        if met and session.title and settings:
            break
    if session.title:
        session.spoken = "1"
    return True


def _take_meta(meta: Record, session: Session) -> bool:
    kind = kind_of(meta.get("source"), string(meta.get("thread_source")))
    session.hidden = kind
    session.cwd = session.cwd or string(meta.get("cwd"))
    session.branch = clean(string(table(meta.get("git")).get("branch")))
    forked_from = string(meta.get("forked_from_id"))
    if forked_from:
        session.spoken = "1"
    if is_uuid(forked_from) and forked_from != session.id:
        session.forked = forked_from
    return kind != "nested"


def _take_context(record: Record, session: Session) -> bool:
    """Take the settings of a turn, or those set since; False when the record is neither."""
    context = table(record.get("payload"))
    if record.get("type") == "event_msg" and context.get("type") == "thread_settings_applied":
        # Written at once when the person changes them, the turn_context only when a turn begins.
        context = table(context.get("thread_settings"))
        if "approval_policy" not in context:
            return False
        context = {"effort": context.get("reasoning_effort")} | context
    elif record.get("type") != "turn_context" or not context:
        return False
    session.cwd = string(context.get("cwd")) or session.cwd
    session.model = string(context.get("model"))
    session.effort = string(context.get("effort"))
    session.approval = approval_name(context.get("approval_policy"))
    # A tuple: in a set, a value of another type could not be looked for.
    if context.get("approvals_reviewer") not in (None, "", "user"):
        session.approval = AUTO_REVIEW
    session.sandbox = sandbox_name(
        context.get("sandbox_policy") or context.get("permission_profile")
    )
    return True


def _prompt(payload: Record) -> str:
    """Return the typed text of a user's event, in either dialect (A6), ``""`` for other events."""
    if payload.get("type") == "user_message":
        text = string(payload.get("message"))
        images = bool(payload.get("images")) or bool(payload.get("local_images"))
    else:
        item = table(payload.get("item"))
        if payload.get("type") != "item_completed" or item.get("type") != "UserMessage":
            return ""
        content = item.get("content")
        parts = [table(part) for part in content] if isinstance(content, list) else []
        text = "\n".join(string(part.get("text")) for part in parts)
        images = any("image" in string(part.get("type")).lower() for part in parts)
    text = request(text)
    return text or ("[Image]" if images else "")
