"""``sessfzf list``: discover, look up or read, order by last activity, stream."""

from __future__ import annotations

import os
from itertools import islice
from sys import maxsize
from time import time as seconds_now

from sessfzf.agents import Problems, parts, stores
from sessfzf.errors import SessfzfError
from sessfzf.folders import is_folder
from sessfzf.index import Index, unpack
from sessfzf.options import FLAG, MANY, NUMBER, VALUE
from sessfzf.rows import Folders, formatter
from sessfzf.session import FIELD, FIELDS_AT_ONCE, Session
from sessfzf.streams import tell, write, write_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sessfzf.agents import Agent, Complete, Source, Store
    from sessfzf.progress import Progress
    from sessfzf.rows import Form
    from sessfzf.scopes import Within

    _Origin = tuple[Store, Agent, Complete | None]
    _Known = tuple[str, Source, _Origin]  # a row of the index, as it stands there
    _Unread = tuple[Source, Store, Agent, Complete | None]
    Best = dict[tuple[str, str], Session | None]  # by app and id; None: the best was shown already
    Live = dict[tuple[str, str], str]  # by app and id: idle, busy, waiting or open

OPTIONS = {
    "--json": FLAG,
    "--fzf": FLAG,
    "--picker": FLAG,
    "--app": MANY,
    "--here": FLAG,
    "--scope": VALUE,
    "--all": FLAG,
    "--limit": NUMBER,
    "--no-cache": FLAG,
}
POSITIONAL = "query"
_FIRST_ROWS = 50  # more than a screen holds
_ROWS = 500  # no more at once: what is written makes room for the next
# What a list has made, until the process ends: to free thousands of objects is work for nobody.
_kept: list[object] = []
_SEARCH_BUDGET = 0.3  # s a run, once all rows are out
_SAVE_EVERY = 0.5  # s: a reader that ends us in mid-build must not cost the whole build
_SAVE_SHARE = 20  # each save writes all there is: so many times as long is read before the next


def run(  # noqa: PLR0913 - the command's options
    query: str = "",
    *,
    json: bool = False,
    fzf: bool = False,
    picker: bool = False,
    app: list[str] | None = None,
    here: bool = False,
    scope: str = "",
    all: bool = False,  # noqa: A002 - the option's own name
    limit: int | None = None,
    no_cache: bool = False,
) -> int:
    """Write one row a session to stdout, newest first; return the exit code.

    Raises SessfzfError for an unknown agent, OSError when stdout cannot be written.
    """
    form = formatter(form_name(json=json, fzf=fzf, picker=picker), int(seconds_now() * 1000))
    if scope or picker:
        scope = scope_of(scope)
    chosen = choose(app)
    problems = Problems()
    index = Index(enabled=not no_cache)
    if picker:
        write(f"{form.header(scope, hidden=all)}\n")
    out = _Output()
    walk = Walk(chosen, index, problems, before_read=out.flush_if_waiting)
    _kept[:] = [walk, index]
    live = walk.live()
    stop = None if limit is None else min(limit, maxsize)  # islice takes no more
    try:
        places = places_of(scope, here=here, picker=picker)
        if walk.discover() and not (json or query or places):
            out.write_all(islice(walk.rows(form, live, all=all), stop))
        else:
            if not walk.complete:
                out.watch(walk.left)
            sessions = narrowed(walk.sessions(), query, places, all=all)
            for session in islice(sessions, stop):
                out.write(form.line(with_state(session, live)))
        out.flush()
        if picker and walk.found and not out.any:
            write(f"{form.empty(scope)}\n")
        if walk.complete and walk.unsearched:
            walk.search_titles(_SEARCH_BUDGET)
    finally:
        out.clear()
        index.save(complete=walk.complete and not app)
    tell_problems(problems, chosen, nothing=walk.complete and not walk.found)
    return 0


def form_name(**asked: bool) -> str:
    """Return the form of rows that is asked for. Raises SessfzfError for two at once."""
    forms = [name for name, wanted in asked.items() if wanted]
    if len(forms) > 1:
        raise SessfzfError(f"--{forms[0]} and --{forms[1]} exclude each other: give one of them", 2)
    return forms[0] if forms else ""


def narrowed(
    sessions: Iterator[Session],
    query: str,
    places: list[Within],
    *,
    all: bool,  # noqa: A002
) -> Iterator[Session]:
    """Return those of the sessions that these options of ``list`` leave."""
    if not all:
        sessions = (session for session in sessions if not session.hidden)
    for place in places:
        sessions = filter(place.holds, sessions)
    return filter(_matcher(query), sessions) if query else sessions


def with_state(session: Session, live: Live) -> Session:
    """Return the session with what is known of its being open somewhere."""
    if live:
        session.live = live.get((session.app, session.id), "")
    return session


class Walk:
    """One pass over the stores: every session, by last activity, the newest first.

    ``discover`` comes first, then either ``sessions`` or ``rows``.
    """

    def __init__(
        self,
        chosen: list[Store],
        index: Index,
        problems: Problems,
        before_read: Callable[[], None] = lambda: None,
    ) -> None:
        self.complete = False
        self.found = False
        self.before_read = before_read
        self._known: list[_Known] = []
        self._unread: list[_Unread] = []
        self.unsearched: list[tuple[Agent, Session]] = []
        self._stores = chosen
        self._index = index
        self._problems = problems

    def discover(self) -> bool:
        """Look at every file of the stores; return whether the index knows the session of each."""
        try:
            known, unread = self._look_up_all()
        except (ValueError, IndexError, TypeError):  # an index that we did not write
            self._index.forget()
            self._problems.found.clear()
            known, unread = self._look_up_all()
        self._known, self._unread = known, unread
        self.complete = not unread and len({source[2] for _, source, _ in known}) == len(known)
        if self.complete:
            known.sort(key=_rank, reverse=True)
        return self.complete

    def left(self) -> int:
        """Return how many files have yet to be read."""
        return len(self._unread)

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions, one an id.

        Of two transcripts of one id the newer counts, then the one whose folder exists (D16).
        A file's mtime is an upper bound of its newest record, so files are read in that order and a
        session is held back only until no unread file can be newer.
        """
        if not self.complete:
            yield from self._merge(self._known, self._unread)
            return
        for one in self._known:
            session = self._make(one)
            if session is not None:
                self.found = True
                yield session

    def rows(self, form: Form, live: Live, *, all: bool) -> Iterator[bytes]:  # noqa: A002
        """Yield the row of each session in UTF-8, those that are hidden only with ``all``.

        For when ``discover`` found that all are known: of thousands of sessions a screenful is
        looked at, so rows are made without a Session wherever the index has it as it stands.
        """
        for one in self._known:
            text, (_, _, id), (store, _, _) = one  # noqa: A001 - the field's own name
            try:
                time, hidden, cwd, branch, title, words, unsearched, _ = text.split(
                    FIELD, FIELDS_AT_ONCE
                )
                when = int(time)
            except ValueError:  # an index that we did not write
                hidden = "unknown"
            if hidden or unsearched != "0" or "\\" in text or (live and (store.app, id) in live):
                session = self._make(one)
                if session is not None:
                    self.found = True
                    if all or not session.hidden:
                        yield form.line(with_state(session, live))
                continue
            self.found = True
            yield form.fields((id, store.app, when, cwd, branch, title, words))

    def _merge(self, known: list[_Known], unread: list[_Unread]) -> Iterator[Session]:
        from bisect import insort

        from sessfzf.jsonl import loader

        best: Best = {}
        for one in known:
            session = self._make(one)
            if session is not None:
                offer(session, best)
        known.clear()
        self.found = bool(best)
        # The newest last; by a key, because comparing thousands by their own __lt__ takes longer.
        waiting = sorted(filter(None, best.values()), key=lambda one: (one.time, one.id))
        unread.sort(key=lambda one: one[0][0])
        loads = loader(len(unread))
        saved, pause = seconds_now(), _SAVE_EVERY
        while unread:
            source, store, agent, complete = unread.pop()
            bound = source[0] // 1_000_000
            while waiting and waiting[-1].time > bound:
                session = waiting.pop()
                if best[session.app, session.id] is session:
                    # Nothing unread can be newer: of what was shown no more is kept than that.
                    best[session.app, session.id] = None
                    yield session
            self.before_read()
            if (began := seconds_now()) - saved > pause:
                self._index.save(complete=False)
                saved = seconds_now()
                pause = max(_SAVE_EVERY, _SAVE_SHARE * (saved - began))
            read = self._read(source, store, agent, complete, loads)
            if read is not None and offer(read, best):
                self.found = True
                insort(waiting, read)
        self.complete = True
        for session in reversed(waiting):
            if best[session.app, session.id] is session:
                yield session

    def live(self) -> Live:
        """Return which sessions are open somewhere, and how."""
        return {
            (store.app, session_id): state
            for store in self._stores
            if os.path.isdir(store.root)
            for session_id, state in store.agent().live(store.root, self._index).items()
        }

    def _look_up_all(self) -> tuple[list[_Known], list[_Unread]]:
        known: list[_Known] = []
        unread: list[_Unread] = []
        for store in self._stores:
            if store.exists(self._problems):  # else the agent's module is not even imported
                self._look_up(store, known, unread)
        return known, unread

    def _look_up(self, store: Store, known: list[_Known], unread: list[_Unread]) -> None:
        agent = store.agent()
        sources, complete = agent.discover(store.root, self._index, self._problems)
        origin = store, agent, complete
        for text, source in zip(self._index.texts(sources), sources, strict=True):
            if text is None:
                unread.append((source, *origin))
            elif text:
                known.append((text, source, origin))

    def _make(self, one: _Known) -> Session | None:
        """Make the session of a row of the index; None when the store says that it is none."""
        text, source, (store, agent, complete) = one
        path, stamp = parts(source)
        try:
            fields = unpack(text, FIELDS_AT_ONCE)
            session = Session(store.app, store.root, source[2], path, stamp, *fields)
        except (ValueError, IndexError, TypeError):  # an index that we did not write
            from sessfzf.jsonl import parse

            return self._read(source, store, agent, complete, parse)
        if session.unsearched:
            self.unsearched.append((agent, session))
        return session

    def _before(self, store: Store, source: Source) -> Session | None:
        """Return what is known of the file from when it was shorter, if that is all it was."""
        path, stamp = parts(source)
        try:
            known = self._index.before(path)
            if known is None or not known[1] or not _grew(known[0], stamp):
                return None
            return Session(store.app, store.root, source[2], path, known[0], *known[1][0])
        except (ValueError, IndexError, TypeError):  # an index that we did not write
            return None

    def search_titles(self, budget: float) -> None:
        """Look for titles far from the ends of their files, for ``budget`` seconds.

        What is found is shown from the next list on: this one is out already.
        """
        from time import monotonic

        from sessfzf.jsonl import parse

        until = monotonic() + budget
        for agent, session in self.unsearched:
            try:
                agent.search_title(session, parse, until)
            except OSError:
                continue  # it has been listed; it may have gone since
            self._index.put(session.path, session.stamp, [session.row()])
            if monotonic() > until:
                break

    def _read(
        self,
        source: Source,
        store: Store,
        agent: Agent,
        complete: Complete | None,
        loads: Callable[[bytes], object],
    ) -> Session | None:
        path, stamp = parts(source)
        try:
            session = agent.read(store.root, source, loads, self._before(store, source))
        except OSError as error:
            self._problems.add(path, error)
            return None
        kept = True
        if session is not None and complete is not None:
            listed, kept = complete(session)
            session = session if listed else None
        if kept:
            self._index.put(path, stamp, [] if session is None else [session.row()])
        if session is not None and session.unsearched:
            self.unsearched.append((agent, session))
        return session


def _grew(old: str, new: str) -> bool:
    """Whether of two stamps the newer is that of the same file, only longer."""
    _, size, *same = old.split(".")
    _, new_size, *new_same = new.split(".")
    return same == new_same and int(size) < int(new_size)


def _rank(one: _Known) -> str:
    # A row begins with its time, in digits enough for any.
    return one[0][:20] + one[1][2]


def offer(session: Session, best: Best) -> bool:
    """Make the session the one of its id unless a better is known; return whether it is."""
    key = session.app, session.id
    rival = best.setdefault(key, session)
    if rival is session:
        return True
    if rival is None:
        return False
    if session.time == rival.time:
        # The path last, so that the list and the plan choose alike whatever order they read in.
        better = (is_folder(session.cwd), session.path) > (is_folder(rival.cwd), rival.path)
    else:
        better = session.time > rival.time
    if better:
        best[key] = session
    return better


def choose(apps: list[str] | None) -> list[Store]:
    """Return the stores of these agents, all when none are named. Raises SessfzfError."""
    every = stores()
    names = [store.app for store in every]
    for app in apps or ():
        if app not in names:
            from sessfzf.text import clean

            raise SessfzfError(
                f"no agent is called {clean(app)!r}: there are {', '.join(names)}", 2
            )
    return [store for store in every if not apps or store.app in apps]


def _matcher(query: str) -> Callable[[Session], bool]:
    sought = query.casefold()
    folders = Folders()

    def matches(session: Session) -> bool:
        shown = folders[session.cwd]
        text = (session.title, session.cwd, shown, session.branch, session.app, session.id)
        return any(sought in field.casefold() for field in text)

    return matches


def scope_of(scope: str) -> str:
    """Return the scope that is asked for or chosen. Raises SessfzfError when it is none."""
    from sessfzf.scopes import SCOPES, chosen

    if scope and scope not in SCOPES:
        from sessfzf.text import clean

        raise SessfzfError(f"--scope is one of {', '.join(SCOPES)}, not {clean(scope)!r}", 2)
    return scope or chosen()


def places_of(scope: str, *, here: bool, picker: bool) -> list[Within]:
    """Return what a session has to belong to, each of them."""
    if not here and scope in {"", "all"}:
        return []
    from sessfzf.scopes import Here

    place = Here()
    if not place.folder and not picker:  # which says in its own way that nothing is there
        raise SessfzfError(f"{'--here' if here else '--scope'}: the folder you are in is gone")
    wanted = [place.both()] if here else []
    return wanted if scope in {"", "all"} else [*wanted, place.within(scope)]


class _Output:
    """Rows on their way to stdout, in blocks, but the first screenful at once."""

    def __init__(self) -> None:
        self.any = False  # whether a row was written
        self._rows: list[bytes] = []
        self._flushed = 0
        self._progress: Progress | None = None

    def watch(self, left: Callable[[], int]) -> None:
        """Show how far a long reading is, where nobody but the person looks."""
        if os.isatty(1) and os.isatty(2):
            from sessfzf.progress import Progress

            self._progress = Progress(left)

    def clear(self) -> None:
        """Take what `watch` shows off the terminal."""
        if self._progress:
            self._progress.clear()

    def write(self, row: bytes) -> None:
        self.any = True
        self._rows.append(row)
        if len(self._rows) >= (_ROWS if self._flushed else _FIRST_ROWS):
            self.flush()

    def write_all(self, rows: Iterator[bytes]) -> None:
        """Write rows none of which has to wait for something slow."""
        size = _FIRST_ROWS
        while block := list(islice(rows, size)):
            self.any = True
            write_bytes(b"\n".join(block) + b"\n")
            size = _ROWS

    def flush_if_waiting(self) -> None:
        """Show what there is before something slow is done."""
        if self._rows and (self._flushed == 0 or len(self._rows) >= _FIRST_ROWS):
            self.flush()
        if self._progress:
            self._progress.show()

    def flush(self) -> None:
        if not self._rows:
            return
        self.clear()
        rows, self._rows = self._rows, []
        self._flushed += len(rows)
        write_bytes(b"\n".join(rows) + b"\n")


def tell_if_empty() -> None:
    """Say on stderr where sessions were looked for, if there are none."""
    chosen, problems = stores(), Problems()
    walk = Walk(chosen, Index(), problems)
    walk.discover()
    if next(walk.sessions(), None) is None:
        tell_problems(problems, chosen, nothing=True)


def tell_problems(problems: Problems, chosen: list[Store], *, nothing: bool) -> None:
    """Say on stderr what could not be read, and where was looked if there is ``nothing``."""
    from sessfzf.text import clean

    if problems.found:
        path, reason = problems.found[0]
        count = len(problems.found)
        what = "1 file or folder" if count == 1 else f"{count} files or folders"
        first = clean(f"{path}: {reason}", 500)
        tell(f"{what} could not be read, the first is {first}")
    if nothing:
        looked = ", ".join(f"{store.app} in {clean(store.root)}" for store in chosen)
        tell(f"no sessions found; looked for {looked}\n  on made-up ones: sessfzf --demo")
