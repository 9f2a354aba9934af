"""The agents sessfzf knows, where each keeps its store, and what their modules share.

One module an agent. It offers, and nothing else is asked of it:

``discover(root, index, problems, wanted="")``
    every file that may be a session whose id begins with ``wanted``, and what else the store says
    of sessions, if anything does. Opens no file that the index knows.
``read(root, source, loads, before)``
    one file's Session, or None when it is no session; ``before`` is what it was when the file was
    shorter, if that is known. Raises OSError.
``search_title(session, loads, until)``
    looks on in what ``read`` did not reach, for a session with ``unsearched`` bytes; True if found.
``live(root, index)``
    the ids of sessions that are open somewhere, and how.
``launch(session, recorded=..., fork=...)``
    the Launch that resumes a session.
``conversation.turns(session, limit)``
    what was said and done, the newest first, from the last ``limit`` bytes. In a module of its own,
    which only the preview and the search import. Raises OSError.
``conversation.said(record)`` and ``conversation.NEEDLES``
    the turns of one record of a transcript, and bytes one of which is in each that has any.
``conversation.sub_agents(session)``
    the transcripts of its sub-agents, each with its size, where the store says which are its.
``conversation.kept_until(session)``
    when the agent itself will delete it, in epoch ms, 0 when it will not or nobody can say.
``conversation.parent(session)``
    the transcript of the session that a fork was made from, "" where finding it is not cheap.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from sessfzf.index import Index
    from sessfzf.jsonl import Loads, Record
    from sessfzf.session import Session

    # One file as a walk of the store saw it: mtime_ns, key, session id. The key is the path and the
    # stamp, with a tab between them, in one text: there may be thousands. The stamp is what changes
    # when the file does: mtime_ns.size.inode, and "" when the file is gone; more may follow that
    # changes with what the store says elsewhere.
    Source = tuple[int, str, str]
    # Adds to a session just read what stands elsewhere in the store. Returns whether it is one to
    # list, and whether that is the whole truth: else it has to be read again the next time.
    Complete = Callable[[Session], tuple[bool, bool]]

    # Who or what (one of ROLES), and the text as it was recorded: nothing of it is safe to show.
    Turn = tuple[str, str]

    class Agent(Protocol):
        """What an agent's module offers: see above."""

        def discover(  # noqa: D102
            self, root: str, index: Index, problems: Problems, wanted: str = ""
        ) -> tuple[list[Source], Complete | None]: ...
        def read(  # noqa: D102
            self, root: str, source: Source, loads: Loads, before: Session | None
        ) -> Session | None: ...
        def search_title(self, session: Session, loads: Loads, until: float) -> bool: ...  # noqa: D102
        def live(self, root: str, index: Index) -> dict[str, str]: ...  # noqa: D102
        def launch(self, session: Session, *, recorded: bool, fork: bool) -> Launch: ...  # noqa: D102

    class Conversation(Protocol):
        """What an agent's module of that name offers: see above."""

        NEEDLES: tuple[bytes, ...]

        def turns(self, session: Session, limit: int) -> Iterator[Turn]: ...  # noqa: D102
        def said(self, record: Record) -> list[Turn]: ...  # noqa: D102
        def sub_agents(self, session: Session) -> list[tuple[str, int]]: ...  # noqa: D102
        def kept_until(self, session: Session) -> int: ...  # noqa: D102
        def parent(self, session: Session) -> str: ...  # noqa: D102


_FILE_TYPE, _REGULAR = 0o170000, 0o100000  # S_IFMT, S_IFREG
_UUID_LENGTH = 36

# The person's prompts, the agent's answers, the tools it called, and what happened besides.
ROLES = (PROMPT, ANSWER, TOOL, NOTE) = ("you", "agent", "tool", "note")


class Store:
    """One agent's place on this machine: its name, its home and what variable moves it."""

    __slots__ = ("agent_home", "app", "module", "root", "variable")

    def __init__(self, app: str, module: str, variable: str, default: str) -> None:
        self.app = app
        self.module = module
        self.variable = variable
        own = os.environ.get(variable, "")
        self.root = absolute(own) if own else os.path.join(home(), default)
        # Where the agent, started in the session's folder, would look by itself: a relative path
        # means another place there, and it does not know SESSFZF_HOME.
        self.agent_home = own or os.path.join(os.path.expanduser("~"), default)

    def exists(self, problems: Problems) -> bool:
        """Whether the person has this agent at all: its home need not be there, but a folder."""
        if os.path.isdir(self.root):
            return True
        if os.path.lexists(self.root):
            problems.add(self.root, OSError(0, "not a folder"))
        return False

    def agent(self) -> Agent:
        """Import the agent's module."""
        # Not importlib.import_module: importing importlib costs more than most of these modules.
        module: Agent = __import__(f"sessfzf.agents.{self.module}", fromlist=("read",))
        return module

    def conversation(self) -> Conversation:
        """Import the agent's module of what was said."""
        name = f"sessfzf.agents.{self.module}.conversation"
        module: Conversation = __import__(name, fromlist=("turns",))
        return module


class Problems:
    """What could not be read, for one line on stderr: a bad file costs that file, no more."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def add(self, path: str, error: OSError) -> None:
        """Count one file or folder that could not be read."""
        self.found.append((path, error.strerror or str(error)))


class Recorded(str):
    """An argument whose text came from a store: always quoted, never trusted."""

    __slots__ = ()


class Launch:
    """How a session is resumed: ``argv``, and what has to be said about it.

    ``notes`` are told, ``questions`` have to be answered with yes first. ``held_back`` names each
    recorded setting that the launch does not carry: what, recorded, given, why. One that
    ``attaches`` starts nothing: it opens what runs already, as it runs.
    """

    __slots__ = ("argv", "attaches", "held_back", "notes", "questions")

    def __init__(self, *argv: str) -> None:
        self.argv = list(argv)
        self.attaches = False
        self.notes: list[str] = []
        self.questions: list[str] = []
        self.held_back: list[dict[str, str]] = []

    def hold_back(self, what: str, recorded: str, given: str, why: str) -> None:
        """Note that ``what`` was ``recorded`` so and is resumed with ``given``."""
        self.held_back.append({"what": what, "recorded": recorded, "given": given, "why": why})
        self.notes.append(f"{what}: {recorded or 'not recorded'}; resumed with {given}, {why}")


def home() -> str:
    """Return the home folder whose stores are read: ``$SESSFZF_HOME``, else the person's own."""
    return os.environ.get("SESSFZF_HOME") or os.path.expanduser("~")


def absolute(path: str) -> str:
    """Return the path from ``/`` on; as it is where the present folder is gone."""
    try:
        return os.path.abspath(path)
    except OSError:
        return path


def stores() -> list[Store]:
    """Return every agent's place, whether anything is there or not."""
    return [
        Store("claude-code", "claude_code", "CLAUDE_CONFIG_DIR", ".claude"),
        Store("codex", "codex", "CODEX_HOME", ".codex"),
    ]


def is_uuid(text: str) -> bool:
    """Whether ``text`` is a UUID as both Claude Code and Codex write it (reference 0.2)."""
    # Asked of every file at each key press; a pattern of re's would take twice as long.
    return (
        text[8:24:5] == "----"
        and len(text) == _UUID_LENGTH
        and text.count("-") == 4  # noqa: PLR2004
        and not text.strip("0123456789abcdef-")
    )


def all_uuids(texts: list[str]) -> bool:
    """Whether texts of 36 characters each are UUIDs: of thousands, in a fifth of the time."""
    count, joined = len(texts), "".join(texts)
    dashes = "-" * count
    return (
        joined.isascii()
        and joined.encode().translate(None, b"0123456789abcdef") == b"----" * count
        and all(joined[at::_UUID_LENGTH] == dashes for at in (8, 13, 18, 23))
    )


def look(
    folder: str, choose: Callable[[list[str]], list[tuple[str, str]]], problems: Problems
) -> tuple[list[str], list[Source]]:
    """Return the names in a folder, and the Sources of those that ``choose`` names with their ids.

    Raises OSError when the folder cannot be read.
    """
    # Looked at from the folder itself, so that the system need not go the whole way for each file.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        names = os.listdir(descriptor)
        found: list[Source] = []
        for name, id in choose(names):  # noqa: A001 - the field's own name
            try:
                status = os.stat(name, dir_fd=descriptor)
            except OSError as error:
                problems.add(f"{folder}/{name}", error)
                continue
            if status.st_mode & _FILE_TYPE != _REGULAR:
                problems.add(f"{folder}/{name}", OSError(0, "not a regular file"))
                continue
            mtime = status.st_mtime_ns
            key = f"{folder}/{name}\t{mtime}.{status.st_size}.{status.st_ino}"
            found.append((mtime, key, id))
        return names, found
    finally:
        os.close(descriptor)


def source(path: str, id: str) -> Source:  # noqa: A002 - the field's own name
    """Return the Source of a file. Raises OSError when it is not there or no regular file."""
    status = os.stat(path)
    if status.st_mode & _FILE_TYPE != _REGULAR:
        raise OSError(0, "not a regular file", path)
    mtime = status.st_mtime_ns
    return mtime, f"{path}\t{mtime}.{status.st_size}.{status.st_ino}", id


def parts(source: Source) -> tuple[str, str]:
    """Return the path and the stamp of a source."""
    path, _, stamp = source[1].rpartition("\t")
    return path, stamp


def stamp(path: str) -> str:
    """Return what changes when the file does. Raises OSError like ``source``."""
    return parts(source(path, ""))[1]


# What model names look like, bedrock's ARNs and "opus[1m]" among them.
_MODEL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/@+[]-")
_MODEL_LENGTH = 128


def is_model(name: str) -> bool:
    """Whether a recorded model name is well formed enough to stand in a command."""
    return 0 < len(name) <= _MODEL_LENGTH and name[0].isalnum() and _MODEL.issuperset(name)
