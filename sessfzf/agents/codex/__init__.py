"""Codex: rollouts on disk united with its SQLite index, and how a thread is resumed.

Format: reference A1 to A8, observed c, e, f, h (0.171.0), older-clients (0.125.0 to 0.171.0).
The files decide which sessions exist; the index adds names, the archive flag and the folder.
"""

from __future__ import annotations

import os

from sessfzf.agents import Launch, Recorded, Source, is_model, is_uuid
from sessfzf.agents.codex import threads
from sessfzf.agents.codex.words import BY_INDEX_FILE, BY_NAME, BY_ROW, FULL_ACCESS
from sessfzf.jsonl import is_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Problems
    from sessfzf.index import Index
    from sessfzf.jsonl import Loads
    from sessfzf.session import Session

APP = "codex"

# What releases that need the effort named take: 0.125.0 refuses "max" and "ultra" (seen, exit 1).
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
# approval shown for a thread whose approvals a model reviews (--approve-for-me, observed h)
AUTO_REVIEW = "approve-for-me"
SANDBOXES = ("read-only", "workspace-write")
_LOCKS = "thread-writer-locks"


def discover(root: str, index: Index, problems: Problems) -> Iterator[Source]:
    """Yield a Source for each rollout, and for each row of the index whose rollout is elsewhere."""
    rows = threads.rows(root, index, problems)
    names = threads.names(root, index)
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
    """Read one rollout; see ``rollout.read``."""
    from sessfzf.agents.codex import rollout

    return rollout.read(source, loads)


def complete(session: Session, source: Source) -> bool:
    """Add what the SQLite index and session_index.jsonl say; False when it is not to be listed."""
    row, name = source.store if isinstance(source.store, tuple) else (None, "")
    if row is not None:
        if row[threads.KIND] == "nested":
            return False
        if row[threads.ARCHIVED]:
            session.hidden = "archived"
        elif row[threads.KIND] == "print" and not session.hidden:
            session.hidden = "print"
        session.cwd = row[threads.CWD] or session.cwd
        session.branch = row[threads.BRANCH] or session.branch
        _complete_settings(session, row)
        session.spoken = session.spoken or bool(row[threads.TITLE])
        if row[threads.TITLE] and session.titled < BY_ROW:
            session.title, session.titled = row[threads.TITLE], BY_ROW
    if name and session.titled < BY_INDEX_FILE:
        session.title, session.titled = name, BY_INDEX_FILE
    if row is not None and row[threads.NAME]:
        session.title, session.titled = row[threads.NAME], BY_NAME
    if not source.size and not session.hidden:
        session.hidden = "missing"
    if not session.time:
        session.time = int(row[threads.TIME] or 0) if row is not None else 0
        session.time = session.time or source.mtime_ns // 1_000_000
    session.title = session.title or session.id
    return session.spoken


def live(root: str, index: Index) -> dict[str, str]:  # noqa: ARG001 - names need no index
    """Return the threads whose writer lock stands (made by 0.147 and later), as open."""
    try:
        names = os.listdir(os.path.join(root, _LOCKS))
    except OSError:
        return {}
    return {name[:-5]: "open" for name in names if name.endswith(".lock") and is_uuid(name[:-5])}


def launch(session: Session, *, recorded: bool, fork: bool) -> Launch:
    """Return how ``codex`` resumes the thread (DESIGN 2.6 and 2.6a, older-clients).

    ``-a`` and ``-s`` always: since 0.163 a bare resume of a full-access thread comes back with full
    access. Model and effort only where there are no writer locks (made by 0.147 and later): since
    0.144 a resume restores both, and naming one throws the other away for good.
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
                "a model answers this thread's approval questions (approve-for-me), and that stays "
                "so while Codex's background server holds the thread"
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
    thread = row[threads.ID]
    if not is_uuid(thread):
        return None
    path = row[threads.PATH]
    try:
        status = os.stat(path) if _thread_id(os.path.basename(path)) == thread else None
    except (OSError, ValueError):
        status = None
    if status is not None and is_regular(status.st_mode):
        return Source(APP, root, thread, path, status)
    # Known to the index alone: its rollout was deleted by hand. Named by its id, with no bytes.
    time = int(row[threads.TIME] or 0)
    source = Source(APP, root, thread, f"{root}/{thread}", os.stat_result((0,) * 10))
    source.mtime_ns = time * 1_000_000
    source.stamp = "row"
    return source


def _complete_settings(session: Session, row: list[str]) -> None:
    if not session.approval:  # no turn_context was found
        session.approval = row[threads.APPROVAL]
        session.sandbox = row[threads.SANDBOX]
        session.model = row[threads.MODEL]
        session.effort = row[threads.EFFORT]
