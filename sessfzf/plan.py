"""``sessfzf plan``: a chosen session, checked, becomes one line for the shell (DESIGN 2).

The rule: folder yes, model and effort yes, looser approvals only when asked for this one launch,
branch never.
"""

from __future__ import annotations

import os
from time import time

from sessfzf.agents import Problems, Recorded, parts, stores
from sessfzf.errors import SessfzfError
from sessfzf.folders import is_folder, real
from sessfzf.index import Index
from sessfzf.listing import offer
from sessfzf.options import FLAG, VALUE
from sessfzf.rows import formatter
from sessfzf.streams import tell, write
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.agents import Agent, Complete, Source, Store
    from sessfzf.listing import Best
    from sessfzf.session import Session

    _Candidate = tuple[Source, Store, Agent, Complete | None]

OPTIONS = {
    "--shell": VALUE,
    "--approvals": VALUE,
    "--confirm": VALUE,
    "--fork": FLAG,
    "--folder": FLAG,
    "--json": FLAG,
}
POSITIONAL = "key"

UNKNOWN, USAGE, REFUSED, UNCONFIRMED, CANCELLED = 1, 2, 3, 4, 130
APPROVALS = ("safe", "recorded")
CONFIRM = ("ask", "print", "yes")
_SHORTEST_PREFIX = 4
_LONGEST_ID = 128
_STDIN_BYTES = 64 * 1024
_LOOK = ": sessfzf list --all shows all there are"
_BY_HAND = ": to resume it, start the agent yourself in the folder you mean, with"
_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class Plan:
    """How a session is resumed: where, with what, and what has to be said or asked about it.

    Without ``argv`` it goes to the folder only.
    """

    __slots__ = ("argv", "cwd", "env", "held_back", "notes", "questions")

    def __init__(self, cwd: str, argv: list[str]) -> None:
        self.cwd = cwd
        self.argv = argv  # a Recorded among them came from a store
        self.env: dict[str, str] = {}
        self.notes: list[str] = []
        self.questions: list[str] = []
        self.held_back: list[dict[str, str]] = []

    def line(self, shell: str) -> str:
        """Return the one line that ``shell`` evaluates.

        Whatever came from a store is quoted, always: what needs no quotes in one shell is code in
        another. No ``--`` after cd: the path is absolute, and an old ``cd`` may not know it.
        Raises SessfzfError for what the shell has no way to write.
        """
        from sessfzf.shells import quote

        try:
            words = [f"{name}={quote(value, shell)}" for name, value in self.env.items()]
            words += [
                quote(word, shell) if isinstance(word, Recorded) else word for word in self.argv
            ]
            return " && ".join(filter(None, (f"cd {quote(self.cwd, shell)}", " ".join(words))))
        except ValueError:
            raise SessfzfError(
                f"{clean(self.cwd, 1000)} has invisible characters in its name, which can be "
                "written for bash, zsh and fish only: see --shell",
                REFUSED,
            ) from None


def run(  # noqa: PLR0913 - the command's options
    key: str = "",
    *,
    shell: str = "sh",
    approvals: str = "safe",
    confirm: str = "ask",
    fork: bool = False,
    folder: bool = False,
    json: bool = False,
) -> int:
    """Print the line that resumes the session; return the exit code (DESIGN 1).

    All that goes to stderr is written before the line, so that with both in one stream the line is
    the last. Raises SessfzfError when there is no line to print.
    """
    from sessfzf.shells import SHELLS

    _choose("--shell", shell, SHELLS)
    _choose("--approvals", approvals, APPROVALS)
    _choose("--confirm", confirm, CONFIRM)
    plan = make(given(key), approvals=approvals, fork=fork, folder=folder)
    text = _json(plan, shell) if json else plan.line(shell)
    code = settle(plan, confirm)
    if code == 0 or (code == UNCONFIRMED and confirm == "print"):
        write(f"{text}\n")
    return code


def make(key: str, *, approvals: str = "safe", fork: bool = False, folder: bool = False) -> Plan:
    """Return the Plan for a key, read anew from the store: the index is never trusted for this.

    With ``folder`` it goes to the session's folder, and that is all. Raises SessfzfError: 1 no such
    session or an ambiguous key, 3 no safe line can be made.
    """
    store, agent, session = resolve(key)
    if folder:
        check_folder(session)
        return Plan(session.cwd, [])
    if session.hidden == "missing":
        raise SessfzfError(
            f"{session.id} stands in the index of {store.app} only: its transcript is gone",
            REFUSED,
        )
    check_folder(session)
    launch = agent.launch(session, recorded=approvals == "recorded", fork=fork)
    plan = Plan(session.cwd, launch.argv)
    plan.notes = launch.notes
    plan.held_back = launch.held_back
    plan.questions = launch.questions
    if not launch.attaches:  # what runs already sees what the folder is on
        plan.questions = [*_branch_question(session), *plan.questions]
    if os.path.realpath(store.root) != real(os.path.join(session.cwd, store.agent_home)):
        _check_quotable(store.root, f"{store.app}'s own")
        plan.env[store.variable] = store.root
    return plan


def settle(plan: Plan, confirm: str) -> int:
    """Tell the notes, settle the questions as ``confirm`` says; return the exit code."""
    for note in plan.notes:
        tell(clean(note, 1000))
    if not plan.questions:
        return 0
    for question in plan.questions:
        tell(clean(question, 1000))
    if confirm == "yes":
        return 0
    if confirm == "print":
        return UNCONFIRMED
    return _ask()


def _ask() -> int:
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:
            terminal.write(b"Resume all the same? [y/N] ")
            answer = terminal.readline(1024)
    except OSError:
        tell("nobody is there to be asked: see --confirm")
        return UNCONFIRMED
    return 0 if answer.strip().lower() in {b"y", b"yes"} else CANCELLED


def given(key: str) -> str:
    """Return the key, from stdin when it is ``-``."""
    if key != "-":
        return key
    data = b""
    while len(data) < _STDIN_BYTES:
        more = os.read(0, _STDIN_BYTES)
        if not more:
            break
        data += more
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]
    if not lines:
        raise SessfzfError("nothing was chosen", CANCELLED)
    if len(lines) > 1:
        raise SessfzfError(f"one session at a time: {len(lines)} lines were given", USAGE)
    return lines[0]


def _parse(key: str) -> tuple[str, str]:
    """Return the agent's name (or ``""``) and the id or prefix that a key of any form means."""
    apps = [store.app for store in stores()]
    if key.lstrip().startswith("{"):
        from json import loads

        try:
            row = loads(key)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            return str(row.get("app") or ""), str(row.get("id", ""))
    fields = key.split("\t")
    word = fields[0].strip()
    if len(fields) > 1:
        app = clean(fields[1])  # without the colours and padding of `list --fzf`
        return app if app in apps else "", word
    app, colon, rest = word.partition(":")
    return (app, rest.lstrip()) if colon and app in apps else ("", word)


def resolve(key: str) -> tuple[Store, Agent, Session]:
    """Return the session that a key means, read anew, its agent and the store it is in.

    Raises SessfzfError: 1 no such session or an ambiguous key, 3 it cannot be read.
    """
    app, wanted = _parse(key)
    shown = clean(wanted, 100)
    if not (0 < len(wanted) <= _LONGEST_ID and wanted[0].isalnum() and _ID.issuperset(wanted)):
        agents = ", ".join(store.app for store in stores())
        hint = f" (before a colon stands an agent: {agents})" if ":" in wanted else ""
        raise SessfzfError(f"no session has the id {shown!r}{hint}{_LOOK}", UNKNOWN)
    candidates: list[_Candidate] = []
    problems = Problems()  # not told here: what cannot be read is no answer to this key
    for store in stores():
        if (app and store.app != app) or not store.exists(problems):
            continue
        agent = store.agent()
        sources, complete = agent.discover(store.root, Index(enabled=False), problems, wanted)
        candidates += [(source, store, agent, complete) for source in sources]
    exact = [candidate for candidate in candidates if candidate[0][2] == wanted]
    if not exact and len(wanted) < _SHORTEST_PREFIX:
        raise SessfzfError(f"{shown!r} is too short: give {_SHORTEST_PREFIX} characters or more")
    found = _read(exact or candidates)
    if not found:
        raise SessfzfError(f"no session has the id {shown!r}{_LOOK}", UNKNOWN)
    if len(found) > 1:
        newest = sorted((session for session, *_ in found.values()), reverse=True)
        row = formatter("", int(time() * 1000)).row
        names = "\n".join("  " + row(session).replace("\t", "  ") for session in newest)
        raise SessfzfError(
            f"{shown!r} means {len(found)} sessions, give more of it:\n{names}", UNKNOWN
        )
    session, store, agent = next(iter(found.values()))
    session.live = agent.live(store.root, Index(enabled=False)).get(session.id, "")
    return store, agent, session


def _read(
    candidates: list[_Candidate],
) -> dict[tuple[str, str], tuple[Session, Store, Agent]]:
    """Read the candidates; of one id in two places the newer, then the one with a folder."""
    from sessfzf.jsonl import parse

    best: Best = {}
    found: dict[tuple[str, str], tuple[Session, Store, Agent]] = {}
    for source, store, agent, complete in candidates:
        try:
            session = agent.read(store.root, source, parse, None)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SessfzfError(f"{clean(parts(source)[0], 1000)}: {reason}", REFUSED) from None
        if session is None or (complete is not None and not complete(session)[0]):
            continue
        if offer(session, best):
            found[session.app, session.id] = session, store, agent
    return found


def check_folder(session: Session) -> None:
    """Raise SessfzfError unless a shell can be sent to the session's folder."""
    folder = session.cwd
    shown = clean(folder, 1000)
    if not folder:
        raise SessfzfError(
            f"the session does not say which folder it belongs to{_BY_HAND} {session.id}", REFUSED
        )
    _check_quotable(folder, "the session's")
    if not folder.startswith("/"):
        raise SessfzfError(
            f"the session's folder is no absolute path here: {shown}{_BY_HAND} {session.id}",
            REFUSED,
        )
    if not is_folder(folder):
        raise SessfzfError(_gone(session, shown), REFUSED)
    if not os.access(folder, os.X_OK):
        raise SessfzfError(f"no permission to enter the session's folder {shown}", REFUSED)


def _check_quotable(folder: str, whose: str) -> None:
    from sessfzf.shells import quote

    try:
        quote(folder, "bash")
    except ValueError:
        message = f"{whose} folder has a control character or is not UTF-8: {clean(folder, 1000)}"
        raise SessfzfError(message, REFUSED) from None


def _gone(session: Session, shown: str) -> str:
    what = "is no folder" if os.path.lexists(session.cwd) else "is gone"
    lines = [f"the session's folder {what}: {shown}"]
    # `claude --worktree` works in <repository>/.claude/worktrees/<name> (B4).
    repository = session.origin or session.cwd.partition("/.claude/worktrees/")[0]
    if repository != session.cwd and is_folder(repository):
        lines.append(f"  it was a worktree of {clean(repository, 1000)}")
    moved = [place for place in session.places.split("\0") if is_folder(place)]
    if moved:
        lines.append(f"  the session also worked in {clean(moved[0], 1000)}")
    lines.append("  to resume it there all the same, make the folder again (mkdir -p) and retry")
    return "\n".join(lines)


def _branch_question(session: Session) -> list[str]:
    if not session.branch:
        return []
    from sessfzf.repository import branch

    present = branch(session.cwd)
    if not present or present == session.branch:
        return []
    return [f"the branch moved: the session was on {session.branch}, the folder is on {present}"]


def _choose(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SessfzfError(f"{option} is one of {', '.join(choices)}, not {clean(value)!r}", USAGE)


def _json(plan: Plan, shell: str) -> str:
    from json import dumps

    return dumps(
        {
            "argv": plan.argv,
            "cwd": plan.cwd,
            "env": plan.env,
            "notes": plan.notes,
            "questions": plan.questions,
            "held_back": plan.held_back,
            "line": plan.line(shell),
        }
    )
