"""``sessfzf list``: discover, look up or read, order by last activity, stream."""

from __future__ import annotations

import os
import sys
from heapq import heappop, heappush
from time import time as seconds_now

from sessfzf.agents import Problems, stores
from sessfzf.errors import SessfzfError
from sessfzf.folders import is_folder, real
from sessfzf.index import Index
from sessfzf.jsonl import loader
from sessfzf.options import FLAG, MANY, NUMBER
from sessfzf.rows import Folders, formatter
from sessfzf.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sessfzf.agents import Agent, Source, Store

OPTIONS = {
    "--json": FLAG,
    "--fzf": FLAG,
    "--app": MANY,
    "--here": FLAG,
    "--all": FLAG,
    "--limit": NUMBER,
    "--no-cache": FLAG,
}
POSITIONAL = "query"
_FIRST_ROWS = 50  # more than a screen holds
_NEVER = -(1 << 63)  # ms: what no session's time is before
_SAVE_EVERY = 0.5  # s: a reader that ends us in mid-build must not cost the whole build


def run(  # noqa: PLR0913 - the command's options
    query: str = "",
    *,
    json: bool = False,
    fzf: bool = False,
    app: list[str] | None = None,
    here: bool = False,
    all: bool = False,  # noqa: A002 - the option's own name
    limit: int | None = None,
    no_cache: bool = False,
) -> int:
    """Write one row a session to stdout, newest first; return the exit code.

    Raises SessfzfError for an unknown agent, OSError when stdout cannot be written.
    """
    chosen = _stores(app)
    problems = Problems()
    index = Index(enabled=not no_cache)
    wanted = _filter(query, here=here, everything=all)
    row = formatter("json" if json else "fzf" if fzf else "", int(seconds_now() * 1000))
    out = _Output()
    count = 0
    walk = Walk(chosen, index, problems, before_read=out.flush_if_waiting)
    try:
        for session in walk.sessions():
            if limit is not None and count >= limit:
                break
            if wanted(session):
                out.write(row(session))
                count += 1
        out.flush()
    finally:
        index.save(complete=walk.complete and not app)
    _tell(problems, chosen, nothing=walk.complete and not walk.found)
    return 0


class Walk:
    """One pass over the stores: every session, by last activity, the newest first."""

    def __init__(
        self,
        chosen: list[Store],
        index: Index,
        problems: Problems,
        before_read: Callable[[], None] = lambda: None,
    ) -> None:
        self.complete = False
        self.found = 0
        self._stores = chosen
        self._index = index
        self._problems = problems
        self._before_read = before_read

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions, one an id.

        Of two transcripts of one id the newer counts, then the one whose folder exists (D16).
        A file's mtime is an upper bound of its newest record, so files are read in that order and a
        session is held back only until no unread file can be newer.
        """
        known, unread, live = self._discover()
        known.sort(key=_rank)
        best: dict[tuple[str, str], Session] = {}
        for session in known:
            _offer(session, best)
        waiting = iter(known)
        following = next(waiting, None)
        read: list[tuple[int, str, str, Session]] = []  # a heap
        for bound in (*self._read_all(unread, best, read), _NEVER):
            while following is not None or read:
                if following is None or (read and read[0][:3] < _rank(following)):
                    session = read[0][3]
                    if session.time <= bound:
                        break
                    heappop(read)
                elif following.time <= bound:
                    break
                else:
                    session, following = following, next(waiting, None)
                if best[session.app, session.id] is session:
                    session.live = live.get((session.app, session.id), "")
                    self.found += 1
                    yield session

    def _read_all(
        self,
        unread: list[tuple[Agent, Source]],
        best: dict[tuple[str, str], Session],
        read: list[tuple[int, str, str, Session]],
    ) -> Iterator[int]:
        """Read the files into the heap; yield before each the ms that no later one can pass."""
        loads = loader(len(unread)) if unread else None
        saved = seconds_now()
        for agent, source in unread:
            yield source.mtime_ns // 1_000_000
            self._before_read()
            if seconds_now() - saved > _SAVE_EVERY:
                self._index.save(complete=False)
                saved = seconds_now()
            session = self._read(agent, source, loads) if loads is not None else None
            if session is not None and _offer(session, best):
                heappush(read, (*_rank(session), session))
        self.complete = True

    def _discover(
        self,
    ) -> tuple[list[Session], list[tuple[Agent, Source]], dict[tuple[str, str], str]]:
        known: list[Session] = []
        unread: list[tuple[Agent, Source]] = []
        live: dict[tuple[str, str], str] = {}
        for store in self._stores:
            try:
                os.stat(store.root)
            except OSError:
                continue  # a person without this agent: its module is not even imported
            agent = store.agent()
            try:
                found = self._look_up(store, agent)
            except (ValueError, IndexError):  # an index that we did not write
                self._index.forget()
                found = self._look_up(store, agent)
            known += found[0]
            unread += found[1]
            live |= {(store.app, session_id): state for session_id, state in found[2].items()}
        unread.sort(key=lambda pair: -pair[1].mtime_ns)
        return known, unread, live

    def _look_up(
        self, store: Store, agent: Agent
    ) -> tuple[list[Session], list[tuple[Agent, Source]], dict[str, str]]:
        known: list[Session] = []
        unread: list[tuple[Agent, Source]] = []
        for source in agent.discover(store.root, self._index, self._problems):
            rows = self._index.get(source.path, source.stamp)
            if rows is None:
                unread.append((agent, source))
            elif rows:
                session = finish(_decode(source, rows[0]), agent, source)
                if session is not None:
                    known.append(session)
        return known, unread, agent.live(store.root, self._index)

    def _read(
        self, agent: Agent, source: Source, loads: Callable[[bytes], object]
    ) -> Session | None:
        try:
            session = agent.read(source, loads)
        except OSError as error:
            self._problems.add(source.path, error)
            return None
        self._index.put(source.path, source.stamp, [] if session is None else [_encode(session)])
        return None if session is None else finish(session, agent, source)


def _rank(session: Session) -> tuple[int, str, str]:
    return -session.time, session.id, session.path


def _offer(session: Session, best: dict[tuple[str, str], Session]) -> bool:
    """Make the session the one of its id unless a better is known; return whether it is."""
    key = session.app, session.id
    rival = best.setdefault(key, session)
    if rival is session:
        return True
    if session.time > rival.time or (
        session.time == rival.time and is_folder(session.cwd) and not is_folder(rival.cwd)
    ):
        best[key] = session
        return True
    return False


def finish(session: Session, agent: Agent, source: Source) -> Session | None:
    """Add to a session what the walk and the rest of the store say; None when it is none."""
    session.path = source.path
    session.root = source.root
    session.mtime = source.mtime_ns // 1_000_000
    session.bytes = source.size
    return session if agent.complete(session, source) else None


def _encode(session: Session) -> list[str]:
    return [
        str(session.time),
        session.title,
        str(session.titled),
        session.cwd,
        session.places,
        session.origin,
        session.branch,
        session.model,
        session.effort,
        session.approval,
        session.sandbox,
        session.hidden,
        "1" if session.spoken else "",
    ]


def _decode(source: Source, row: list[str]) -> Session:
    session = Session(source.app, source.id)
    (
        time,
        session.title,
        titled,
        session.cwd,
        session.places,
        session.origin,
        session.branch,
        session.model,
        session.effort,
        session.approval,
        session.sandbox,
        session.hidden,
        spoken,
    ) = row
    session.time = int(time)
    session.titled = int(titled)
    session.spoken = bool(spoken)
    return session


def _stores(apps: list[str] | None) -> list[Store]:
    every = stores()
    names = [store.app for store in every]
    for app in apps or ():
        if app not in names:
            raise SessfzfError(f"no agent is called {app!r}: there are {', '.join(names)}", 2)
    return [store for store in every if not apps or store.app in apps]


def _filter(query: str, *, here: bool, everything: bool) -> Callable[[Session], bool]:
    sought = query.casefold()
    folders = Folders()
    places = _Here() if here else None

    def wanted(session: Session) -> bool:
        if session.hidden and not everything:
            return False
        if places is not None and not places.holds(session):
            return False
        if not sought:
            return True
        shown = folders.show(session.cwd)
        text = (session.title, session.cwd, shown, session.branch, session.app, session.id)
        return any(sought in field.casefold() for field in text)

    return wanted


class _Here:
    """The present folder and below, and the other worktrees of its repository."""

    def __init__(self) -> None:
        from sessfzf.repository import worktrees

        here = os.getcwd()
        # The folder as it is called here, and as it is: recorded folders may be either (D8).
        self._folders = {here, os.path.realpath(here), *worktrees(here)}
        self._known: dict[str, bool] = {}

    def holds(self, session: Session) -> bool:
        """Whether the session belongs to, or ever worked in, one of the folders (D44)."""
        return any(self._below(place) for place in (session.cwd, *session.places.split("\0")))

    def _below(self, place: str) -> bool:
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = bool(place) and any(
                (spelling + "/").startswith(folder.rstrip("/") + "/")
                for folder in self._folders
                for spelling in (place, real(place))
            )
        return known


class _Output:
    """Rows on their way to stdout, in blocks, but the first screenful at once."""

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._flushed = 0

    def write(self, row: str) -> None:
        self._rows.append(row)
        if self._flushed == 0 and len(self._rows) >= _FIRST_ROWS:
            self.flush()

    def flush_if_waiting(self) -> None:
        """Show what there is before something slow is done."""
        if self._rows and (self._flushed == 0 or len(self._rows) >= _FIRST_ROWS):
            self.flush()

    def flush(self) -> None:
        if not self._rows:
            return
        data = ("\n".join(self._rows) + "\n").encode("utf-8", "replace")
        self._flushed += len(self._rows)
        self._rows = []
        while data:
            data = data[os.write(1, data) :]


def _tell(problems: Problems, chosen: list[Store], *, nothing: bool) -> None:
    from sessfzf.text import clean

    if problems.found:
        path, reason = problems.found[0]
        count = len(problems.found)
        what = "1 file or folder" if count == 1 else f"{count} files or folders"
        first = clean(f"{path}: {reason}", 500)
        print(f"sessfzf: {what} could not be read, the first is {first}", file=sys.stderr)
    if nothing:
        looked = ", ".join(f"{store.app} in {clean(store.root)}" for store in chosen)
        print(f"sessfzf: no sessions found; looked for {looked}", file=sys.stderr)
