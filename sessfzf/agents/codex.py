"""Codex: rollouts on disk united with its SQLite index, and how a thread is resumed.

Format: reference A1 to A8, observed c, e, f, h (0.171.0), older-clients (0.125.0 to 0.171.0).
The files decide which sessions exist; the index adds names, the archive flag and the folder.
"""

from __future__ import annotations

import os
import re

from sessfzf import sqlite
from sessfzf.agents import Launch, Recorded, Source, is_model, is_uuid
from sessfzf.jsonl import File, is_regular, milliseconds, newest_first, records, string, table
from sessfzf.session import Session
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from sessfzf.agents import Problems
    from sessfzf.index import Index
    from sessfzf.jsonl import Loads, Record

APP = "codex"

# What releases that need the effort named take: 0.125.0 refuses "max" and "ultra" (seen, exit 1).
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
# approval shown for a thread whose approvals a model reviews (--approve-for-me, observed h)
AUTO_REVIEW = "approve-for-me"
SANDBOXES = ("read-only", "workspace-write")
FULL_ACCESS = "danger-full-access"

# Ranks of a title (A5), higher wins; "name" beats the newest line of session_index.jsonl.
_BY_PROMPT, _BY_ROW, _BY_INDEX_FILE, _BY_NAME = range(1, 5)
_LOCKS = "thread-writer-locks"
_NAMES_BYTES = 4 * 1024 * 1024
_TITLE_CHARACTERS = 400  # titles of 928 KB were seen (D30)
_STAMP = re.compile(rb'\{"timestamp"\s*:\s*"([^"\\]{19,40})"')
_TALK_BYTES = (b'"user_message"', b'"UserMessage"', b'"agent_message"', b'"AgentMessage"')
_MARKER = "## My request for Codex:"  # what follows it is the prompt (A5)
_SQLITE_HOME = re.compile(r"""^\s*sqlite_home\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')""")


def discover(root: str, index: Index, problems: Problems) -> Iterator[Source]:
    """Yield a Source for each rollout, and for each row of the index whose rollout is elsewhere."""
    rows = _rows(root, index, problems)
    names = _names(root, index)
    found: dict[str, Source] = {}
    for entry in _walk(os.path.join(root, "sessions"), problems, depth=3):
        _add(entry, root, found, problems)
    for entry in _walk(os.path.join(root, "archived_sessions"), problems, depth=0):
        _add(entry, root, found, problems)
    for thread, row in rows.items():
        if thread not in found:
            source = _elsewhere(row, root)
            if source is not None:
                found[thread] = source
    for thread, source in found.items():
        source.store = (rows.get(thread), names.get(thread, ""))
        yield source


def read(source: Source, loads: Loads) -> Session | None:
    """Read one rollout: its Session, None for a sub-agent's.

    Raises OSError when the file cannot be read.
    """
    session = Session(APP, source.id)
    if source.path.endswith(".jsonl"):
        with File(source.path) as file:
            settings = _read_tail(file, session, loads)
            if not _read_head(file, session, loads, settings):
                return None
    if f"{os.sep}archived_sessions{os.sep}" in source.path:
        session.hidden = "archived"
    return session


def complete(session: Session, source: Source) -> bool:
    """Add what the SQLite index and session_index.jsonl say; False when it is no session to list."""
    row, name = source.store if isinstance(source.store, tuple) else (None, "")
    if row is not None:
        if row[_KIND] == "nested":
            return False
        if row[_ARCHIVED]:
            session.hidden = "archived"
        elif row[_KIND] == "print" and not session.hidden:
            session.hidden = "print"
        session.cwd = row[_CWD] or session.cwd
        session.branch = row[_BRANCH] or session.branch
        _complete_settings(session, row)
        session.spoken = session.spoken or bool(row[_TITLE])
        if row[_TITLE] and session.titled < _BY_ROW:
            session.title, session.titled = row[_TITLE], _BY_ROW
    if name and session.titled < _BY_INDEX_FILE:
        session.title, session.titled = name, _BY_INDEX_FILE
    if row is not None and row[_NAME]:
        session.title, session.titled = row[_NAME], _BY_NAME
    if not source.size and not session.hidden:
        session.hidden = "missing"
    if not session.time:
        session.time = int(row[_TIME] or 0) if row is not None else 0
        session.time = session.time or source.mtime_ns // 1_000_000
    session.title = session.title or session.id
    return session.spoken


def live(root: str, index: Index) -> dict[str, str]:  # noqa: ARG001 - a folder of names needs no index
    """Return the threads whose writer lock stands (made by 0.147 and later), as open."""
    try:
        names = os.listdir(os.path.join(root, _LOCKS))
    except OSError:
        return {}
    return {name[:-5]: "open" for name in names if name.endswith(".lock") and is_uuid(name[:-5])}


def launch(session: Session, *, recorded: bool, fork: bool) -> Launch:
    """Return how ``codex`` resumes the thread (DESIGN 2.6 and 2.6a, older-clients).

    ``-a`` and ``-s`` always: a bare resume of a full-access thread comes back with full access since
    0.163. Model and effort only for releases that do not restore them (before 0.147, which has no
    writer locks): since 0.144 naming either throws the other away for good.
    """
    launch = Launch("codex", "fork" if fork else "resume", session.id)
    locks = os.path.isdir(os.path.join(session.root, _LOCKS))
    if not locks and is_model(session.model) and session.effort in EFFORTS:
        effort = Recorded(f'model_reasoning_effort="{session.effort}"')
        launch.argv += ["-m", Recorded(session.model), "-c", effort]
    launch.argv += ["-a", _approval(session, launch, recorded=recorded, locks=locks)]
    launch.argv += ["-s", _sandbox(session, launch, recorded=recorded)]
    if session.approval == AUTO_REVIEW and not recorded:
        if session.live and not fork:
            # -c would leave the background server that holds the thread (observed h).
            launch.questions.append(
                "a model answers this thread's approval questions (approve-for-me), and that stays so "
                "while Codex's background server holds the thread"
            )
        else:
            launch.argv += ["-c", Recorded('approvals_reviewer="user"')]
            launch.hold_back("approval", AUTO_REVIEW, "on-request", "which asks you, not a model")
    if session.hidden == "archived" and not fork:
        launch.notes.append("the thread is archived: Codex will offer to unarchive it")
    return launch


def _approval(session: Session, launch: Launch, *, recorded: bool, locks: bool) -> str:
    approval = session.approval
    if approval in {"on-request", AUTO_REVIEW}:
        return "on-request"
    if approval == "untrusted" and not locks:
        return approval
    if approval == "untrusted":
        why = "the nearest that releases since 0.149 accept"
        launch.hold_back("approval", approval, "on-request", why)
    elif approval == "never" and recorded:
        return approval
    else:
        launch.hold_back("approval", approval, "on-request", "which asks before it acts")
    return "on-request"


def _sandbox(session: Session, launch: Launch, *, recorded: bool) -> str:
    sandbox = session.sandbox
    if sandbox in SANDBOXES or (sandbox == FULL_ACCESS and recorded):
        return sandbox
    launch.hold_back("sandbox", sandbox, "workspace-write", "which writes in the folder only")
    return "workspace-write"


# -- rollouts ---------------------------------------------------------------------------------


def _walk(folder: str, problems: Problems, depth: int) -> Iterator[os.DirEntry[str]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        problems.add(folder, error)
        return
    for entry in entries:
        try:
            nested = depth > 0 and entry.is_dir()
        except OSError as error:
            problems.add(entry.path, error)
            continue
        if nested:
            yield from _walk(entry.path, problems, depth - 1)
        else:
            yield entry


def _thread_id(name: str) -> str:
    """Return the id in a rollout's file name, ``""`` when it is none."""
    stem = name.removesuffix(".zst").removesuffix(".jsonl")
    thread = stem[-36:]
    return thread if stem != name and stem.startswith("rollout-") and is_uuid(thread) else ""


def _add(entry: os.DirEntry[str], root: str, found: dict[str, Source], problems: Problems) -> None:
    thread = _thread_id(entry.name)
    if not thread:
        return
    try:
        status = entry.stat()
        if not is_regular(status.st_mode):
            raise OSError(0, "not a regular file")  # noqa: TRY301 - counted like any other
    except OSError as error:
        problems.add(entry.path, error)
        return
    known = found.get(thread)
    # The plain file wins over the compressed one (A7), and the newest over an older copy.
    if known is None or (not known.path.endswith(".jsonl"), status.st_mtime_ns) > (
        entry.name.endswith(".zst"),
        known.mtime_ns,
    ):
        found[thread] = Source(APP, root, thread, entry.path, status)


def _elsewhere(row: list[str], root: str) -> Source | None:
    """Return the Source of a thread whose rollout was not met in the walk."""
    thread = row[_ID]
    if not is_uuid(thread):
        return None
    path = row[_PATH]
    try:
        status = os.stat(path) if _thread_id(os.path.basename(path)) == thread else None
    except (OSError, ValueError):
        status = None
    if status is not None and is_regular(status.st_mode):
        return Source(APP, root, thread, path, status)
    # Known to the index alone: its rollout was deleted by hand. Named by its id, with no bytes.
    time = int(row[_TIME] or 0)
    source = Source(APP, root, thread, f"{root}/{thread}", os.stat_result((0,) * 10))
    source.mtime_ns = time * 1_000_000
    source.stamp = "row"
    return source


def _read_tail(file: File, session: Session, loads: Loads) -> bool:
    """Take the newest settings and time; return whether settings were found."""
    session.spoken = False
    settings = False
    for number, block in enumerate(file.tail()):
        session.spoken = session.spoken or any(talk in block for talk in _TALK_BYTES)
        if number == 0 or not session.time:
            for line in newest_first(block):
                stamp = _STAMP.match(line)
                moments = (
                    [stamp[1].decode("ascii", "replace")]
                    if stamp
                    else [record.get("timestamp") for record in records(line, loads)]
                )
                session.time = max([session.time, *map(milliseconds, moments)])
        for line in newest_first(block) if b'"turn_context"' in block else ():
            for record in records(line, loads) if b'"turn_context"' in line else ():
                if record.get("type") == "turn_context" and not settings:
                    settings = True
                    _take_settings(table(record.get("payload")), session)
        if settings and session.spoken:
            break
    return settings


def _read_head(file: File, session: Session, loads: Loads, settings: bool) -> bool:  # noqa: FBT001
    """Take the meta record and the first prompt; False for a sub-agent's rollout."""
    met = False
    for line in file.head():
        if b'"session_meta"' in line and not met:
            for record in records(line, loads):
                meta = table(record.get("payload"))
                if record.get("type") != "session_meta" or meta.get("id") != session.id:
                    continue  # a fork holds its parent's too
                met = True
                kind = _kind(meta.get("source"), string(meta.get("thread_source")))
                if kind == "nested":
                    return False
                session.hidden = kind
                session.cwd = session.cwd or string(meta.get("cwd"))
                session.branch = clean(string(table(meta.get("git")).get("branch")))
                session.spoken = session.spoken or bool(string(meta.get("forked_from_id")))
        elif b'"turn_context"' in line and not settings:
            for record in records(line, loads):
                if record.get("type") == "turn_context":
                    settings = True
                    _take_settings(table(record.get("payload")), session)
        elif b'"user_message"' in line or b'"UserMessage"' in line:
            for record in records(line, loads):
                prompt = _prompt(record)
                if prompt and not session.title:
                    session.title, session.titled = prompt, _BY_PROMPT
        if met and session.title and settings:
            break
    session.spoken = session.spoken or bool(session.title)
    return True


def _take_settings(context: Record, session: Session) -> None:
    session.cwd = string(context.get("cwd")) or session.cwd
    session.model = string(context.get("model"))
    session.effort = string(context.get("effort"))
    session.approval = _approval_name(context.get("approval_policy"))
    if string(context.get("approvals_reviewer")) not in {"", "user"}:
        session.approval = AUTO_REVIEW
    session.sandbox = _sandbox_name(context.get("sandbox_policy"))


def _complete_settings(session: Session, row: list[str]) -> None:
    if not session.approval:  # no turn_context was found
        session.approval = row[_APPROVAL]
        session.sandbox = row[_SANDBOX]
        session.model = row[_MODEL]
        session.effort = row[_EFFORT]


def _prompt(record: Record) -> str:
    """Return the typed text of a user's event, in either dialect (A6), ``""`` for other records."""
    payload = table(record.get("payload"))
    if record.get("type") != "event_msg":
        return ""
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
    text = _title(text)
    return text or ("[Image]" if images else "")


def _title(text: str) -> str:
    _, marker, request = text.partition(_MARKER)
    return clean(request if marker and request.strip() else text)


# -- what the client's values mean ------------------------------------------------------------


def _kind(source: object, thread_source: str) -> str:
    """Return ``nested`` for a sub-agent's thread, ``print`` for codex exec's, else ``""`` (A3)."""
    if isinstance(source, str) and source.startswith("{"):
        import json

        try:
            source = json.loads(source)
        except (ValueError, RecursionError):
            source = ""
    if thread_source in {"subagent", "memory_consolidation"} or (
        isinstance(source, dict) and ("subagent" in source or "internal" in source)
    ):
        return "nested"
    return "print" if source == "exec" else ""


def _approval_name(value: object) -> str:
    """Return an approval policy in the command line's words; ``granular`` for the object form."""
    if isinstance(value, str) and not value.startswith("{"):
        return clean(value)
    return "granular" if value else ""


def _sandbox_name(value: object) -> str:
    """Return read-only, workspace-write or danger-full-access for every recorded form (A3).

    ``""`` for what cannot be understood, which is treated like the loosest one.
    """
    if isinstance(value, str):
        if not value.startswith("{"):
            return clean(value)
        import json

        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ""
    policy = table(value)
    kind = string(policy.get("type"))
    if kind == "disabled":
        return FULL_ACCESS
    if kind != "managed":
        return clean(kind)
    files = table(policy.get("file_system"))
    entries = files.get("entries")
    if files.get("type") != "restricted" or not isinstance(entries, list):
        return ""
    writable = any(table(entry).get("access") not in {"read", "deny", "none"} for entry in entries)
    if any(
        table(entry).get("access") == "write"
        and table(table(table(entry).get("path")).get("value")).get("kind") == "root"
        for entry in entries
    ):
        return FULL_ACCESS
    return "workspace-write" if writable else "read-only"


# -- the SQLite index -------------------------------------------------------------------------

_ID, _KIND, _ARCHIVED, _CWD, _BRANCH, _NAME, _TITLE, _MODEL, _EFFORT, _APPROVAL, _SANDBOX = range(
    11
)
_TIME, _UPDATED, _PATH = 11, 12, 13

# Every column may be missing (older-clients h: 27 in 0.125.0, 43 in 0.171.0) but these.
_NEEDED = {"id"}
_COLUMNS = (
    "id",
    "source",
    "thread_source",
    "attached_thread_parent_id",
    "archived",
    "cwd",
    "git_branch",
    "name",
    "preview",
    "first_user_message",
    "title",
    "model",
    "reasoning_effort",
    "approval_mode",
    "sandbox_policy",
    "recency_at_ms",
    "updated_at_ms",
    "updated_at",
    "rollout_path",
)


def _rows(root: str, index: Index, problems: Problems) -> dict[str, list[str]]:
    """Return the threads of every index there is, by id; of two rows the newer (A1)."""
    found: dict[str, list[str]] = {}
    for path in _databases(root, index):
        try:
            rows = index.rows(
                path,
                sqlite.stamp(path),
                lambda path=path: sqlite.read(path, _query),  # type: ignore[misc]
            )
        except OSError as error:
            problems.add(path, error)
            continue
        for row in rows:
            known = found.get(row[_ID])
            if known is None or int(row[_UPDATED] or 0) > int(known[_UPDATED] or 0):
                found[row[_ID]] = row
    return found


def _databases(root: str, index: Index) -> list[str]:
    folders = [root, os.path.join(root, "sqlite")]  # the desktop app moves it there (A1)
    configured = _sqlite_home(root, index) or os.environ.get("CODEX_SQLITE_HOME", "")
    if configured:
        folders.insert(0, os.path.abspath(configured))
    found: dict[str, None] = {}
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in sorted(names, reverse=True):
            if name.startswith("state_") and name.endswith(".sqlite") and name[6:-7].isdecimal():
                found[os.path.join(folder, name)] = None
    return list(found)


def _sqlite_home(root: str, index: Index) -> str:
    """Return ``sqlite_home`` of config.toml, ``""`` when it is not set."""
    path = os.path.join(root, "config.toml")

    def read_config() -> list[list[str]]:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.lstrip().startswith("["):
                    break  # a table begins: the key stands at the top level
                if match := _SQLITE_HOME.match(line):
                    value = match[2] if match[1] is None else re.sub(r"\\(.)", r"\1", match[1])
                    return [[os.path.expanduser(value)]]
        return []

    try:
        status = os.stat(path)
        if not is_regular(status.st_mode):
            return ""
        rows = index.rows(path, f"{status.st_mtime_ns}.{status.st_size}", read_config)
    except OSError:
        return ""
    return rows[0][0] if rows else ""


def _query(connection: sqlite3.Connection) -> list[list[str]]:
    present = sqlite.columns(connection, "threads")
    if not present >= _NEEDED:
        raise OSError(0, "no table of threads")
    wanted = [
        f"substr({name}, 1, {_TITLE_CHARACTERS * 10})" if name in present else "NULL"
        for name in _COLUMNS
    ]
    children = set()
    if sqlite.columns(connection, "thread_spawn_edges") >= {"child_thread_id"}:
        edges = connection.execute("SELECT child_thread_id FROM thread_spawn_edges")
        children = {row[0] for row in edges}
    cursor = connection.execute(f"SELECT {', '.join(wanted)} FROM threads")  # noqa: S608 - our names
    return [_row(dict(zip(_COLUMNS, values, strict=True)), children) for values in cursor]


def _row(values: dict[str, object], children: set[object]) -> list[str]:
    text = {name: value if isinstance(value, str) else "" for name, value in values.items()}
    kind = _kind(text["source"], text["thread_source"])
    if text["attached_thread_parent_id"] or text["id"] in children:
        kind = "nested"
    updated = _integer(values["updated_at_ms"]) or _integer(values["updated_at"]) * 1000
    return [
        text["id"],
        kind,
        "1" if _integer(values["archived"]) else "",
        text["cwd"].removeprefix("\\\\?\\"),
        clean(text["git_branch"]),
        clean(text["name"]),
        _title(text["preview"]) or _title(text["first_user_message"]) or _title(text["title"]),
        text["model"],
        text["reasoning_effort"],
        _approval_name(text["approval_mode"]),
        _sandbox_name(text["sandbox_policy"]),
        str(_integer(values["recency_at_ms"]) or updated),
        str(updated),
        text["rollout_path"],
    ]


def _integer(value: object) -> int:
    # substr() makes a text of a number
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and value > 0 else 0


def _names(root: str, index: Index) -> dict[str, str]:
    """Return the newest name of each thread in session_index.jsonl (append only, A5)."""
    path = os.path.join(root, "session_index.jsonl")

    def read_names() -> list[list[str]]:
        import json

        names: dict[str, str] = {}
        with File(path) as file:
            for block in file.tail(_NAMES_BYTES):
                for line in newest_first(block):
                    for record in records(line, json.loads):
                        thread = string(record.get("id"))
                        name = clean(string(record.get("thread_name")))
                        if name and is_uuid(thread):
                            names.setdefault(thread, name)
        return [[thread, name] for thread, name in names.items()]

    try:
        status = os.stat(path)
        return dict(
            (row[0], row[1])
            for row in index.rows(path, f"{status.st_mtime_ns}.{status.st_size}", read_names)
        )
    except OSError:
        return {}
