"""``sessfzf grep``: the sessions in which something was said, found in the transcripts themselves.

Nothing of a conversation is kept: no index of it is made, and nothing of it is written to disk.
"""

from __future__ import annotations

import os
from time import time as seconds_now

from sessfzf.agents import Problems
from sessfzf.errors import SessfzfError
from sessfzf.index import Index
from sessfzf.listing import (
    Walk,
    choose,
    form_name,
    narrowed,
    places_of,
    scope_of,
    tell_problems,
    with_state,
)
from sessfzf.options import FLAG, MANY, NUMBER, VALUE
from sessfzf.rows import formatter
from sessfzf.search import ripgrep
from sessfzf.search.judge import Judge, can_search, is_plain
from sessfzf.search.pattern import USAGE, Pattern
from sessfzf.search.workers import Task, Workers
from sessfzf.streams import tell, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sessfzf.search.judge import Match
    from sessfzf.session import Session

    # Gives the files of a session's sub-agents with their sizes.
    _Find = Callable[[Session], list[tuple[str, int]]]

OPTIONS = {
    "--json": FLAG,
    "--fzf": FLAG,
    "--picker": FLAG,
    "--regex": FLAG,
    "--word": FLAG,
    "--prompts": FLAG,
    "--everything": FLAG,
    "--app": MANY,
    "--here": FLAG,
    "--scope": VALUE,
    "--all": FLAG,
    "--limit": NUMBER,
    "--no-cache": FLAG,
}
POSITIONAL = "pattern"
_NOTHING = 1
# Sessions are searched some at a time: few at first, so that the newest are soon on the screen.
_FIRST_BYTES, _MORE, _MOST_BYTES = 8 << 20, 8, 512 << 20
_WORTH_RG = 4 * _FIRST_BYTES  # what is less, is searched as soon as rg has started
_MOST_NAMES = 64 * 1024  # bytes of paths; a command line takes 128 KiB and more


def run(  # noqa: PLR0913 - the command's options
    pattern: str = "",
    *,
    json: bool = False,
    fzf: bool = False,
    picker: bool = False,
    regex: bool = False,
    word: bool = False,
    prompts: bool = False,
    everything: bool = False,
    app: list[str] | None = None,
    here: bool = False,
    scope: str = "",
    all: bool = False,  # noqa: A002 - the option's own name
    limit: int | None = None,
    no_cache: bool = False,
) -> int:
    """Write the row of each session in which the pattern is, newest first; return the exit code.

    Each has one field more than those of ``list``: the newest line that matches. The code is 1 when
    none does. Raises SessfzfError for a pattern that is none or takes too long, and like ``list``.
    """
    form = formatter(form_name(json=json, fzf=fzf, picker=picker), int(seconds_now() * 1000))
    if scope or picker:
        scope = scope_of(scope)
    if prompts and everything:
        raise SessfzfError("--prompts and --everything exclude each other", USAGE)
    chosen = choose(app)
    sought = Pattern(pattern, regex=regex, word=word)
    judges: dict[str, Judge] = {}
    sub_agents: dict[str, _Find] = {}
    for store in chosen:
        if os.path.isdir(store.root):
            talk = store.conversation()
            if everything:
                sub_agents[store.app] = talk.sub_agents
            judges[store.app] = Judge(
                sought, talk.said, talk.NEEDLES, prompts=prompts, everything=everything
            )
    problems = Problems()
    search = _Search(sought, problems, sub_agents)
    index = Index(enabled=not no_cache)
    walk = Walk(chosen, index, problems)
    count = 0
    if picker:
        write(f"{form.header(scope, hidden=all)}\n")
    with Workers(judges) as workers:
        try:
            live = walk.live()
            walk.discover()
            places = places_of(scope, here=here, picker=picker)
            sessions = narrowed(walk.sessions(), "", places, all=all)
            for session, match in search.matches(sessions, workers) if limit != 0 else ():
                write(form.matched(with_state(session, live), match) + "\n")
                count += 1
                if count == limit:
                    break
        finally:
            index.save(complete=walk.complete and not app)
        search.tell(workers.too_long)
    tell_problems(problems, chosen, nothing=walk.complete and not walk.found and limit != 0)
    # To fzf an exit code would say that something went wrong.
    return 0 if count or picker else _NOTHING


class _Search:
    """Finds the sessions that match, and counts what it could not search."""

    def __init__(
        self,
        pattern: Pattern,
        problems: Problems,
        sub_agents: dict[str, _Find],
    ) -> None:
        self._pattern = pattern
        self._problems = problems
        self._sub_agents = sub_agents
        self._rg = ripgrep.find() if pattern.needles else ""
        self._compressed = 0

    def matches(
        self, sessions: Iterable[Session], workers: Workers
    ) -> Iterator[tuple[Session, Match]]:
        """Yield the sessions that match, in their order, each with its newest match."""
        first, ahead = True, _Portion([], None)
        try:
            for some in _portions(sessions):
                tasks = ahead.candidates()
                # From here on ripgrep is at the next files, while these are searched.
                ahead = self._portion(some)
                yield from self._matches(tasks, workers)
                if first:  # nothing is to be waited for before the newest are out
                    yield from self._matches(ahead.candidates(), workers)
                    first, ahead = False, _Portion([], None)
            yield from self._matches(ahead.candidates(), workers)
        finally:
            ahead.end()

    def _matches(self, tasks: list[Task], workers: Workers) -> Iterator[tuple[Session, Match]]:
        for task in workers.search(tasks):
            if task.match:
                yield task.session, task.match
            elif task.problem:
                self._problems.add(task.session.path, OSError(0, task.problem))

    def tell(self, too_long: int) -> None:
        """Say on stderr what was not searched."""
        if self._compressed:
            tell(f"not searched: {_counted(self._compressed, 'compressed rollout')}")
        if too_long:
            texts = _counted(too_long, "text")
            tell(f"not searched: {texts} on which the expression takes too long")

    def _portion(self, sessions: list[Session]) -> _Portion:
        tasks = [Task(session, self._files(session)) for session in sessions if session.stamp]
        paths = [path for task in tasks for path, _ in task.files if is_plain(path)]
        size = sum(task.session.bytes for task in tasks)
        if not (self._rg and paths) or size < _WORTH_RG:
            return _Portion(tasks, None)
        pattern = self._pattern
        run = ripgrep.Run(self._rg, paths, pattern.needles, fold=pattern.fold)
        return _Portion(tasks, run)

    def _files(self, session: Session) -> list[tuple[str, int]]:
        """Return the files to be searched for a session, with their sizes."""
        if not can_search(session.path):
            self._compressed += 1
            return []
        own = session.path, session.bytes
        find = self._sub_agents.get(session.app)
        return [own, *find(session)] if find else [own]


class _Portion:
    """Some tasks, and the ripgrep that looks which of them there is anything to do for."""

    def __init__(self, tasks: list[Task], run: ripgrep.Run | None) -> None:
        self._tasks = tasks
        self._run = run

    def candidates(self) -> list[Task]:
        """Return the tasks of those sessions that may match."""
        found = self._run.found() if self._run else None
        self.end()
        if found is None:
            return self._tasks
        for task in self._tasks:
            task.files = [one for one in task.files if one[0] in found or not is_plain(one[0])]
            task.begins = {
                path: begins
                for path, _ in task.files
                if len(begins := found.get(path, [])) < ripgrep.MOST_LINES
            }
        return [task for task in self._tasks if task.files]

    def end(self) -> None:
        """End what is still at work."""
        if self._run:
            self._run.end()
            self._run = None


def _portions(sessions: Iterable[Session]) -> Iterator[list[Session]]:
    """Yield the sessions in portions: little to read at first, then more and more."""
    room = _FIRST_BYTES
    portion: list[Session] = []
    size = names = 0
    for session in sessions:
        portion.append(session)
        size += session.bytes
        names += len(session.path)
        if size >= room or names >= _MOST_NAMES:
            yield portion
            portion = []
            size = names = 0
            room = min(room * _MORE, _MOST_BYTES)
    yield portion


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count > 1)
