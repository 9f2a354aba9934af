"""Searching many files on two cores, in processes that end with the one that started them."""

from __future__ import annotations

import marshal
import os
from collections import deque
from contextlib import suppress

from sessfzf.errors import SessfzfError
from sessfzf.search.judge import is_plain
from sessfzf.search.pattern import USAGE, TooLongError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self

    from sessfzf.search.judge import Judge, Match
    from sessfzf.session import Session

    # The agent's name, the file, and from where to where to search it, or where the lines begin
    # that are to be looked at.
    _Job = tuple[str, str, int, int, list[int]]
    # Where the line of the newest match begins, and the match; what went wrong; how many texts the
    # pattern took too long on.
    _Answer = tuple[tuple[int, Match] | None, str, int]

PIECE = 16 * 1024 * 1024  # bytes of a file that are searched as one job
_WORKERS = 2
_AHEAD = 3  # jobs a worker has waiting
_LENGTH = 4  # bytes that say how long a message is
_TOO_LONG = "too long"


class Task:
    """A session to be searched, and how far that is."""

    def __init__(self, session: Session, files: list[tuple[str, int]]) -> None:
        self.session = session
        self.files = files  # each with its size
        self.begins: dict[str, list[int]] = {}  # of the only lines that may match, where known
        self.match: Match | None = None
        self.problem = ""
        self.handed_out = False  # all of it
        self.waiting: deque[list[_Answer]] = deque()  # for the answers, the newest part first

    def is_done(self) -> bool:
        """Take the answers that have come, in their order; whether all is known by now."""
        while self.waiting and self.waiting[0] and not self.match:
            ((found, problem, _),) = self.waiting.popleft()
            self.match = found[1] if found else None
            self.problem = self.problem or problem
        return bool(self.match) or (self.handed_out and not self.waiting)


class Workers:
    """Processes that search; a context that ends them.

    ``judges`` has a Judge for each agent. Forked at once, so that they hold little.
    """

    def __init__(self, judges: dict[str, Judge]) -> None:
        self._workers: list[_Worker] = []
        self.too_long = 0
        for _ in range(min(_WORKERS, os.cpu_count() or 1)):
            self._workers.append(_Worker(judges, self._workers))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.end()

    def search(self, tasks: list[Task]) -> Iterator[Task]:
        """Do the tasks; yield each when it is done, in their order.

        Raises SessfzfError when the pattern takes too long.
        """
        pieces = _pieces(tasks)
        for task in tasks:
            self._hand_out(pieces)
            while not task.is_done():
                self._wait()
                self._hand_out(pieces)
            yield task
        # What is still being searched is no longer of interest, but will be answered.
        for worker in self._workers:
            while worker.asked:
                self.too_long += worker.take()

    def _hand_out(self, pieces: Iterator[tuple[_Job, list[_Answer]]]) -> None:
        for worker in self._workers:
            while len(worker.asked) < _AHEAD and (piece := next(pieces, None)):
                worker.ask(*piece)

    def _wait(self) -> None:
        """Take an answer from each worker that has one; there is one at least."""
        import select

        waiting = {worker.answers: worker for worker in self._workers if worker.asked}
        ready, _, _ = select.select(waiting, (), ())
        for descriptor in ready:
            self.too_long += waiting[descriptor].take()


def _pieces(tasks: list[Task]) -> Iterator[tuple[_Job, list[_Answer]]]:
    """Yield the jobs of the tasks: parts of the files, the end of each first."""
    for task in tasks:
        for path, size in task.files:
            end = size
            begins = task.begins.get(path, [])
            while end and not task.match:
                # What is compressed can only be read from its beginning.
                floor = max(0, end - PIECE) if is_plain(path) and not begins else 0
                answer: list[_Answer] = []
                task.waiting.append(answer)
                yield (task.session.app, path, floor, end, begins), answer
                end = floor
        task.handed_out = True


class _Worker:
    """One process: takes jobs from a pipe, in order, and answers into another."""

    def __init__(self, judges: dict[str, Judge], others: list[_Worker]) -> None:
        jobs, self._jobs = os.pipe()
        self.answers, answers = os.pipe()
        self.asked: deque[list[_Answer]] = deque()
        self.pid = os.fork()
        if not self.pid:
            # It ends when nobody can send a job any more, so it must not be able to itself.
            for descriptor in (self._jobs, self.answers, *(other._jobs for other in others)):  # noqa: SLF001
                os.close(descriptor)
            _serve(jobs, answers, judges)
        os.close(jobs)
        os.close(answers)

    def ask(self, job: _Job, answer: list[_Answer]) -> None:
        """Hand out a job; its answer will be put into ``answer``."""
        self.asked.append(answer)
        _send(self._jobs, job)

    def take(self) -> int:
        """Take one answer; return how many texts the pattern took too long on."""
        answer: _Answer | None = _receive(self.answers)
        if answer is None:
            raise SessfzfError("a process that searches has ended")
        _, problem, too_long = answer
        if problem == _TOO_LONG:
            raise SessfzfError("the expression takes too long: write it in another way", USAGE)
        self.asked.popleft().append(answer)
        return too_long

    def end(self) -> None:
        """End the process, whatever it is doing."""
        import signal

        os.close(self._jobs)
        os.close(self.answers)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # it holds nothing that would have to be cleared away
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _serve(jobs: int, answers: int, judges: dict[str, Judge]) -> None:
    """Do jobs until there are no more, and end the process."""
    import gc
    import signal

    gc.enable()  # it may live longer than the commands that do without
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        while job := _receive(jobs):
            _send(answers, _do(job, judges))
        code = 0
    except BrokenPipeError:
        code = 0  # nobody waits for the answer
    finally:
        os._exit(code)


def _do(job: _Job, judges: dict[str, Judge]) -> _Answer:
    app, path, floor, end, begins = job
    judge = judges[app]
    before = judge.too_long
    try:
        found, problem = judge.newest(path, floor, end, begins), ""
    except OSError as error:
        found, problem = None, error.strerror or str(error)
    except TooLongError:
        found, problem = None, _TOO_LONG
    return found, problem, judge.too_long - before


def _send(descriptor: int, message: _Job | _Answer) -> None:
    data = marshal.dumps(message)
    data = len(data).to_bytes(_LENGTH, "little") + data
    while data:
        data = data[os.write(descriptor, data) :]


def _receive(descriptor: int) -> Any:  # noqa: ANN401 - a job or an answer
    """Return the next message of ours, None when there will be no more."""
    length = _read(descriptor, _LENGTH)
    if len(length) < _LENGTH:
        return None
    data = _read(descriptor, int.from_bytes(length, "little"))
    return marshal.loads(data)  # noqa: S302 - from a process that this one is a copy of


def _read(descriptor: int, count: int) -> bytes:
    data = b""
    while len(data) < count and (part := os.read(descriptor, count - len(data))):
        data += part
    return data
