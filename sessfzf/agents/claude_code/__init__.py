"""Claude Code: transcripts under ``projects/``, and how one is resumed.

Format: reference B1 to B8, observed a, b, f (2.1.332), older-clients (2.0.77 to 2.1.332).
"""

from __future__ import annotations

import os

from sessfzf.agents import Launch, Recorded, all_uuids, is_model, is_uuid, look, parts, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Problems, Source
    from sessfzf.index import Index
    from sessfzf.jsonl import Loads, Record
    from sessfzf.session import Session

APP = "claude-code"

# --effort takes these since 2.1.112 (older-clients 2c); efforts are recorded since 2.1.220 only.
EFFORTS = ("low", "medium", "high", "xhigh", "max")
# What 2.1.332 writes and --permission-mode takes; "manual" is recorded as "default" (B8).
STRICT_MODES = ("default", "plan")
LOOSE_MODES = ("acceptEdits", "auto", "dontAsk", "bypassPermissions")
SUFFIX = ".jsonl"
_UUID_LENGTH = 36
_JOB_LENGTH = 8


def discover(
    root: str,
    index: Index,  # noqa: ARG001 - a walk finds all there is
    problems: Problems,
    wanted: str = "",
) -> tuple[list[Source], None]:
    """Return every ``projects/<slug>/<uuid>.jsonl``: a transcript says all of a session.

    Only ids that begin with ``wanted`` are looked for.
    """
    projects = os.path.join(root, "projects")
    found: list[Source] = []
    try:
        slugs = os.listdir(projects)
    except FileNotFoundError:
        return found, None
    except OSError as error:
        problems.add(projects, error)
        return found, None

    def transcripts(names: list[str]) -> list[tuple[str, str]]:
        ids = [name[:-6] for name in names if name[_UUID_LENGTH:] == SUFFIX]
        if wanted:
            ids = [one for one in ids if one.startswith(wanted)]
        if not all_uuids(ids):
            ids = [one for one in ids if is_uuid(one)]
        return [(one + SUFFIX, one) for one in ids]

    for slug in slugs:
        folder = f"{projects}/{slug}"
        try:
            names, sources = look(folder, transcripts, problems)
        except NotADirectoryError:
            continue
        except OSError as error:
            problems.add(folder, error)
            continue
        # A folder of the session's own may hold the title the person gave it (B1).
        own = {name for name in names if len(name) == _UUID_LENGTH}
        found += [_with_sidecar(one) if one[2] in own else one for one in sources]
    return found, None


def read(root: str, file: Source, loads: Loads, before: Session | None) -> Session | None:
    """Read one transcript; see ``transcript.read``."""
    from sessfzf.agents.claude_code import transcript

    return transcript.read(root, file, loads, before)


def search_title(session: Session, loads: Loads, until: float) -> bool:
    """Look for a title far from the end; see ``transcript.search_title``."""
    from sessfzf.agents.claude_code import transcript

    return transcript.search_title(session, loads, until)


def live(root: str, index: Index) -> dict[str, str]:
    """Return the sessions that a running client has open: id to idle, busy, waiting or open.

    ``sessions/<pid>.json`` is left behind by a crash and its pid used again, so the process has to
    be alive and to have started when the file says (B1, anthropics/claude-code#37737).
    """
    return {session_id: state for session_id, state, _ in _running(root, index)}


def launch(session: Session, *, recorded: bool, fork: bool) -> Launch:
    """Return how ``claude`` resumes the session (DESIGN 2.5 and 2.6, older-clients).

    The permission mode is never left out, since 2.1.332 restores what was recorded by itself.
    ``recorded`` carries the recorded one even when it is looser than asking. A session that runs in
    the background is not resumed, which the client refuses, but attached to.
    """
    job = _job(session) if session.live and not fork else ""
    if job:
        return _attach(session, job)
    launch = Launch("claude", "--resume", session.id)
    if fork:
        launch.argv.append("--fork-session")
    if is_model(session.model):
        launch.argv += ["--model", Recorded(session.model)]
    if session.effort in EFFORTS:
        launch.argv += ["--effort", Recorded(session.effort)]
    mode = session.approval
    if mode in LOOSE_MODES and not recorded:
        launch.hold_back("permission mode", mode, "default", "which asks before it acts")
        mode = "default"
    elif mode not in STRICT_MODES and mode not in LOOSE_MODES:
        if mode:
            launch.hold_back("permission mode", mode, "default", "which asks before it acts")
        mode = "default"
    launch.argv += ["--permission-mode", mode]
    if mode == "bypassPermissions" and os.geteuid() == 0:
        launch.notes.append("as root Claude Code takes bypassPermissions only with IS_SANDBOX=1")
    if session.live and not fork:
        launch.questions.append(
            f"the session is open elsewhere ({session.live}): two clients would write one file"
        )
    return launch


def sidecar(path: str) -> str:
    """Return the file that holds the title the person gave the session of a transcript (B1)."""
    return os.path.join(path[: -len(SUFFIX)], "custom-title.json")


def _with_sidecar(one: Source) -> Source:
    try:
        return one[0], f"{one[1]}.{stamp(sidecar(parts(one)[0]))}", one[2]
    except OSError:
        return one


def _attach(session: Session, job: str) -> Launch:
    launch = Launch("claude", "attach", Recorded(job))
    launch.attaches = True
    mode = session.approval or "the one it was started with"
    launch.notes.append(
        f"the session runs in the background: attached to it as it runs, permission mode {mode}"
    )
    return launch


def _job(session: Session) -> str:
    """Return the short id that a session which runs in the background is attached by, else ``""``.

    2.1.139 and later have such sessions. ``claude attach`` takes the job's id, the first eight
    digits of the session's as a rule, and not the session's (anthropics/claude-code#61269).
    """
    from sessfzf.index import Index

    running = _running(session.root, Index(enabled=False))
    return next((job for session_id, _, job in running if job and session_id == session.id), "")


def _running(root: str, index: Index) -> Iterator[tuple[str, str, str]]:
    """Yield the session, its state and its job's id, "" for one in a terminal, of each client."""
    folder = os.path.join(root, "sessions")
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if not name.endswith(".json") or not name[:-5].isdecimal():
            continue  # the .key beside it is a secret
        path = os.path.join(folder, name)
        try:
            rows = index.rows(path, stamp(path), 5, _read_pid_file)
        except OSError:
            continue
        for session_id, state, job, pid, started in rows:
            if _is_running(pid, started):
                yield session_id, state, job


def _read_pid_file(path: str) -> list[list[str]]:
    from sessfzf.jsonl import File, parse, records, string

    with File(path) as file:
        for block in file.tail():
            for record in records(block, parse):
                session_id = string(record.get("sessionId"))
                status = string(record.get("status"))
                state = status if status in {"idle", "busy", "waiting"} else "open"
                if is_uuid(session_id):
                    process = _digits(record, "pid"), _digits(record, "procStart")
                    return [[session_id, state, _job_id(record), *process]]
    return []


def _job_id(record: Record) -> str:
    """Return ``jobId`` of a session in the background, which observed f calls bg."""
    job = record.get("jobId")
    usual = isinstance(job, str) and len(job) == _JOB_LENGTH and not job.strip("0123456789abcdef")
    return str(job) if usual and record.get("kind") in ("bg", "background") else ""


def _digits(record: Record, field: str) -> str:
    value = record.get(field)
    return str(value) if isinstance(value, (str, int)) else ""


def _is_running(pid: str, started: str) -> bool:
    """Whether process ``pid`` lives and began ``started`` clock ticks after boot (proc(5), 22)."""
    if not pid.isdecimal() or not pid.isascii():
        return False
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return len(fields) > 19 and fields[19].decode() == started  # noqa: PLR2004
    except OSError:
        return not os.path.exists("/proc/self/stat") and _answers(int(pid))


def _answers(pid: int) -> bool:
    # Without /proc (macOS) a living process of that number has to do: the person is only asked.
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
