"""Codex: rollouts on disk united with its SQLite index, and how a thread is resumed.

Format: reference A1 to A8, observed c, e, f, h (0.171.0), older-clients (0.125.0 to 0.171.0).
The files decide which sessions exist; the index adds names, the archive flag and the folder.
"""

from __future__ import annotations

import os

from sessfzf.agents import Launch, Recorded, all_uuids, is_model, is_uuid, look, parts, source
from sessfzf.agents.codex.threads import (
    APPROVAL,
    ARCHIVED,
    BRANCH,
    CWD,
    EFFORT,
    KIND,
    MODEL,
    NAME,
    SANDBOX,
    TIME,
    TITLE,
    Threads,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.agents import Complete, Problems, Source
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
_SHORTEST_NAME = len("rollout-.jsonl") + 36
_DEPTH = 3  # sessions/YYYY/MM/DD; links to themselves make it any depth


def discover(
    root: str, index: Index, problems: Problems, wanted: str = ""
) -> tuple[list[Source], Complete | None]:
    """Return every rollout, also those that only Codex's indexes lead to, and what these add.

    A stamp changes with what they add, too, so that what was once added need not be again. Only ids
    that begin with ``wanted`` are looked for.
    """
    found: dict[str, Source] = {}
    _walk(os.path.join(root, "sessions"), found, problems, wanted, _DEPTH)
    _walk(os.path.join(root, "archived_sessions"), found, problems, wanted, 0)
    threads = Threads(root, index, problems, found, wanted)
    mark = threads.marks().get
    sources = [
        (mtime, f"{key}.{mark(thread, '')}", thread) for mtime, key, thread in found.values()
    ]
    sources += [
        _elsewhere(thread, path, time, mark(thread, ""))
        for thread, (time, path) in threads.elsewhere.items()
        if thread not in found
    ]

    def complete(session: Session) -> tuple[bool, bool]:
        listed = _complete(session, threads.row(session.id), threads.name(session.id))
        return listed, not threads.failed

    return sources, complete


def read(root: str, file: Source, loads: Loads, before: Session | None) -> Session | None:
    """Read one rollout; see ``rollout.read``."""
    from sessfzf.agents.codex import rollout

    return rollout.read(root, file, loads, before)


def search_title(session: Session, loads: Loads, until: float) -> bool:  # noqa: ARG001
    """Names never stand in a rollout (observed e): there is nothing to look for."""
    return False


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
    _search_settings(session)
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


def _search_settings(session: Session) -> None:
    from sessfzf.agents.codex import rollout
    from sessfzf.jsonl import parse

    try:
        rollout.search_settings(session, parse)
    except OSError:
        return  # gone since it was read: what is known has to do


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
    from sessfzf.agents.codex.words import FULL_ACCESS

    sandbox = session.sandbox
    if sandbox in SANDBOXES or (sandbox == FULL_ACCESS and recorded):
        return sandbox
    launch.hold_back("sandbox", sandbox, "workspace-write", "which writes in the folder only")
    return "workspace-write"


def _walk(
    folder: str, found: dict[str, Source], problems: Problems, wanted: str, depth: int
) -> None:
    """Add every rollout in the folder and ``depth`` folders of numbers below it."""
    try:
        names, sources = look(folder, lambda names: _rollouts(names, wanted), problems)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        problems.add(folder, error)
        return
    for one in sources:
        known = found.setdefault(one[2], one)
        if known is not one and _preference(one) > _preference(known):
            found[one[2]] = one
    if depth:
        for name in names:
            if name.isdecimal():
                _walk(f"{folder}/{name}", found, problems, wanted, depth - 1)


def _rollouts(names: list[str], wanted: str) -> list[tuple[str, str]]:
    """Return those names that are a rollout's, each with its thread's id."""
    if wanted:
        names = [name for name in names if wanted in name]
    names = [name for name in names if name[:8] == "rollout-" and len(name) >= _SHORTEST_NAME]
    chosen = [(name, name[-42:-6]) for name in names if name[-6:] == ".jsonl"]
    chosen += [(name, name[-46:-10]) for name in names if name[-10:] == ".jsonl.zst"]
    if wanted:
        chosen = [one for one in chosen if one[1].startswith(wanted)]
    if not all_uuids([thread for _, thread in chosen]):
        chosen = [one for one in chosen if is_uuid(one[1])]
    return chosen


def _preference(one: Source) -> tuple[bool, int]:
    # The plain file wins over the compressed one (A7), the newest over an older copy.
    return parts(one)[0].endswith(".jsonl"), one[0]


def _thread_id(name: str) -> str:
    """Return the id in a rollout's file name, ``""`` when it is none."""
    if name[:8] != "rollout-":
        return ""
    thread = name[-42:-6] if name[-6:] == ".jsonl" else name[-46:-10]
    return thread if name.endswith((".jsonl", ".jsonl.zst")) and is_uuid(thread) else ""


def _elsewhere(thread: str, path: str, time: int, mark: str) -> Source:
    """Return the Source of a thread whose rollout was not met in the walk.

    One whose rollout is gone has no stamp: deleted by hand, known to the index alone.
    """
    try:
        if _thread_id(os.path.basename(path)) == thread:
            mtime, key, _ = source(path, thread)
            return mtime, f"{key}.{mark}", thread
    except (OSError, ValueError):
        pass
    return time * 1_000_000, f"{thread}.{mark}.{time}\t", thread


def _complete(session: Session, row: list[str] | None, name: str) -> bool:
    """Add what the SQLite index and session_index.jsonl say; False when it is not to be listed."""
    from sessfzf.agents.codex.words import BY_INDEX_FILE, BY_NAME, BY_ROW

    if row is not None:
        if row[KIND] == "nested":
            return False
        if row[ARCHIVED]:
            session.hidden = "archived"
        session.hidden = session.hidden or row[KIND]
        session.cwd = row[CWD] or session.cwd
        session.branch = row[BRANCH] or session.branch
        session.time = session.time or int(row[TIME] or 0)
        session.spoken = session.spoken or row[TITLE]
        if not session.approval:  # no turn_context was found
            session.approval = row[APPROVAL]
            session.sandbox = row[SANDBOX]
            session.model = row[MODEL]
            session.effort = row[EFFORT]
        if row[TITLE] and session.titled < BY_ROW:
            session.title, session.titled = row[TITLE], BY_ROW
    if name and session.titled < BY_INDEX_FILE:
        session.title, session.titled = name, BY_INDEX_FILE
    if row is not None and row[NAME]:
        session.title, session.titled = row[NAME], BY_NAME
    if not session.stamp:
        session.hidden = session.hidden or "missing"
    session.time = session.time or session.mtime
    session.title = session.title or session.id
    return bool(session.spoken)
