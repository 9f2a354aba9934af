"""The lines of the table: what is measured of the command, and what it must not exceed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from corpus import GB, KB, MB, Session, Store
from measure import Command, Cost, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY: Final = 40  # MiB
OLD: Final = 0.2  # the share of sessions without a title of their own
_INDEX_BYTES: Final = 300  # a session, in a home folder of a usual length
_MANY: Final = 10_000
_NOISE: Final = 1.15  # by which two medians of the same may differ
_PLAN: Final = ("plan", "--shell", "zsh", "--confirm", "print", "--approvals", "safe", "--")
# The store of 10,000 and more: enough of each end to hold what `list` seeks.
_SMALL: Final = 12 * KB
# A call with a path that did not fail: its name, the path, what follows.
_CALL: Final = re.compile(r'(open|\w*stat\w*?)(?:at2?|at64|x)?\([^"]*"([^"]+)"(.*)= \d')
_PLAIN: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain.py")


class Row(NamedTuple):
    """A line of the table; ``passed`` is None where there is no limit or nothing was measured."""

    what: str
    limit: str
    measured: str
    passed: bool | None = None


class Sizes(NamedTuple):
    """How many sessions the stores have, and how long their longest line is."""

    small: int = 1_000
    middle: int = 10_000
    large: int = 50_000
    codex: int = 20_000
    line: int = 100 * MB  # bytes of the longest line


class Place(NamedTuple):
    """A store, and the environment in which the command sees it and no other."""

    store: Store
    env: dict[str, str]
    index_file: str


class Bench:
    """The command under test, the bare interpreter it is compared with, and where stores are."""

    def __init__(self, command: str, folder: str, repeats: int, sizes: Sizes) -> None:
        self.command = command
        self.python = _interpreter(command)
        self.repeats = repeats
        self.sizes = sizes
        self._folder = folder
        self._places: dict[str, Place] = {}

    def place(self, name: str) -> Place:
        """Return the store of this name, an empty one the first time."""
        if name not in self._places:
            home = f"{self._folder}/{name}"
            env = environment(home, os.path.dirname(self.command))
            self._places[name] = Place(Store(home), env, f"{env['XDG_CACHE_HOME']}/sessfzf/index")
        return self._places[name]

    def run(self, place: Place, *words: str, saved: str = "", stop: bool = False) -> Command:
        """Return the command in a place; each time with the index ``saved``, none if it is "-"."""
        before = [["rm", "-f", place.index_file]] if saved else []
        if saved not in {"", "-"}:
            before.append(["cp", saved, place.index_file])
        return Command([self.command, *words], place.env, before=before, stop=stop)

    def bare(self, place: Place) -> Command:
        """Return what everything is compared with."""
        return Command([self.python, "-c", "pass"], place.env)

    def settle(self, place: Place, *words: str) -> Cost:
        """List until nothing is left to be learned; return what the first time cost."""
        first = measure([self.run(place, "list", *words, saved="-")], 1)[0]
        before = -1
        for _ in range(50):  # each looks for titles far from the end for a while
            now = os.stat(place.index_file).st_mtime_ns
            if now == before:
                break
            before = now
            measure([self.run(place, "list")], 1)
        return first

    def ratio(self, place: Place, what: str, limit: float, *commands: Command) -> Row:
        """Compare the dearest of the commands with the bare interpreter."""
        bare, *costs = measure([self.bare(place), *commands], self.repeats)
        found = max(cost.cpu for cost in costs) / bare.cpu
        return Row(what, f"{limit:.1f} x", f"{found:.2f} x", found <= limit)


def environment(home: str, *programs: str) -> dict[str, str]:
    """Return an environment in which nothing of the person's own is seen."""
    path = os.pathsep.join([*programs, os.environ.get("PATH", os.defpath)])
    env = {"HOME": home, "PATH": path, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    for name in ("CACHE", "CONFIG", "DATA"):
        env[f"XDG_{name}_HOME"] = f"{home}/xdg-{name.lower()}"
    return env


def rows(bench: Bench) -> Iterator[Row]:
    """Measure line by line."""
    for part in (_small, _middle_and_large, _codex, _file_sizes, _memory):
        yield from part(bench)


def _small(bench: Bench) -> Iterator[Row]:
    count = bench.sizes.small
    place = bench.place("small")
    place.store.claude(count, old=OLD)
    forms = (("list",), ("list", "--picker"))
    bench.settle(place)
    for form in forms:
        what = f"{' '.join(form)}, {count:,} sessions, nothing new"
        yield bench.ratio(place, what, _limit(count), bench.run(place, *form))
    yield from _opened(bench, place, "list, nothing new", "")
    saved = _without(bench, place, 3)
    for form in forms:
        what = f"{' '.join(form)}, {count:,} sessions, 3 new"
        limit = _limit(count) + 0.5
        yield bench.ratio(place, what, limit, bench.run(place, *form, saved=saved))
    yield from _opened(bench, place, "list, 3 new", saved, 3)
    yield _against_plain(bench, place, f"list, {count:,} sessions, no index")
    bench.settle(place)
    scripts = [bench.run(place, "init", shell) for shell in ("zsh", "bash", "fish")]
    yield bench.ratio(place, "init, the dearest of zsh, bash, fish", 2, *scripts)
    yield from _chosen(bench, place, place.store.sessions[-1], "Claude Code")


def _chosen(bench: Bench, place: Place, session: Session, name: str) -> Iterator[Row]:
    """Measure what is done with one session: the oldest, which is found last."""
    os.makedirs(session.cwd, exist_ok=True)
    count = len(place.store.sessions)
    plan = bench.run(place, *_PLAN, session.id)
    yield bench.ratio(place, f"plan, {name}, {count:,} sessions, no repository", 4.5, plan)
    preview = bench.run(place, "preview", session.id)
    if subprocess.run(preview.argv, env=place.env, capture_output=True, check=False).returncode:
        yield Row(f"preview, {name}", "3.5 x", "skipped: no such command")
    else:
        yield bench.ratio(place, f"preview, {name}, {count:,} sessions", 3.5, preview)


def _middle_and_large(bench: Bench) -> Iterator[Row]:
    sizes = bench.sizes
    middle, large = bench.place("middle"), bench.place("large")
    middle.store.claude(sizes.middle, _SMALL)
    large.store.claude(sizes.large, _SMALL)
    what = f"{sizes.middle:,} sessions, no index"
    repeats = max(bench.repeats // 5, 1)
    whole, stopped = measure(
        [
            bench.run(middle, "list", "--picker", saved="-"),
            bench.run(middle, "list", "--picker", saved="-", stop=True),
        ],
        repeats,
    )
    yield _share(f"first row, {what}", 0.1, whole.first, whole.wall, "of the wall time")
    yield _share(f"list | head -1, {what}", 0.1, stopped.cpu, whole.cpu, "of the whole CPU")
    bench.settle(middle)
    # The first reading of files that were only just written costs the system twice as much.
    bench.settle(large)
    cold = bench.settle(large)
    for form in (("list",), ("list", "--picker")):
        what = f"{' '.join(form)}, {sizes.middle:,} sessions, nothing new"
        yield bench.ratio(middle, what, _limit(sizes.middle), bench.run(middle, *form))
    small = bench.place("small")
    bare, *costs = measure(
        [
            bench.bare(small),
            *(bench.run(one, "list", "--picker") for one in (small, middle, large)),
        ],
        bench.repeats,
    )
    of_middle, of_large = (
        (costs[at].cpu - costs[at - 1].cpu) / (sizes[at] - sizes[at - 1]) for at in (1, 2)
    )
    yield _growth("nothing new, a session more", of_middle, of_large)
    of_middle, of_large = whole.cpu / sizes.middle, (cold.cpu - bare.cpu) / sizes.large
    yield _growth("no index, a session", of_middle, of_large)
    for count, runs in ((sizes.middle, (whole, costs[1])), (sizes.large, (cold, costs[2]))):
        yield _peak(f"{count:,} sessions", *runs)
    size = os.stat(middle.index_file).st_size / sizes.middle
    # The home folder stands in each path, again in the name of its project, and in the folder.
    limit = _INDEX_BYTES + 3 * (len(middle.store.home) - len("/home/kim"))
    yield Row("index, a session", f"{limit} bytes", f"{size:.0f} bytes", size <= limit)


def _codex(bench: Bench) -> Iterator[Row]:
    count = bench.sizes.codex
    place = bench.place("codex")
    place.store.codex(count)
    cold = bench.settle(place)
    what = f"{count:,} Codex threads"
    runs = [cold]
    for form in (("list",), ("list", "--picker")):
        command = bench.run(place, *form)
        yield bench.ratio(place, f"{' '.join(form)}, {what}, nothing new", _limit(count), command)
        runs += measure([command], 1)
    yield from _opened(bench, place, "list, Codex, nothing new", "")
    yield from _chosen(bench, place, place.store.sessions[-1], "Codex")
    place.store.touch_index()
    bare, once = measure([bench.bare(place), bench.run(place, "list", "--picker")], 1)
    changed = f"{once.cpu / bare.cpu:.1f} x"
    yield Row(f"list --picker, {what}, one written to in the SQLite index", "", changed)
    yield _peak(what, *runs, once)
    yield _against_plain(bench, place, f"list, {what}, no index")
    place.store.close()


def _file_sizes(bench: Bench) -> Iterator[Row]:
    costs: list[list[Cost]] = []
    for name, size in (("megabytes", MB), ("gigabytes", 3 * GB)):
        place = bench.place(name)
        place.store.claude(min(bench.sizes.small, 100), 512 * KB, size)
        saved = ("-", "")
        costs.append(measure([bench.run(place, "list", saved=s) for s in saved], bench.repeats))
    for what, small, big in zip(("no index", "nothing new"), *costs, strict=True):
        yield _share(f"files of 3 GB, {what}", _NOISE, big.cpu, small.cpu, "of that at 1 MB")


def _memory(bench: Bench) -> Iterator[Row]:
    huge, long = bench.place("huge"), bench.place("long")
    huge.store.claude(1, size=3 * GB, old=1)
    long.store.long_lines(bench.sizes.line)
    for place, what in ((huge, "a file of 3 GB"), (long, f"lines of {bench.sizes.line // MB} MB")):
        session = place.store.sessions[-1]
        os.makedirs(session.cwd, exist_ok=True)
        commands = [
            bench.run(place, "list", saved="-"),
            bench.run(place, "list", "--picker"),
            bench.run(place, *_PLAN, session.id),
        ]
        yield _peak(f"{what}: list and plan", *measure(commands, 1))


def _against_plain(bench: Bench, place: Place, what: str) -> Row:
    plain = Command([bench.python, _PLAIN, place.store.home], place.env)
    repeats = max(bench.repeats // 5, 1)
    theirs, ours = measure([plain, bench.run(place, "list", "--picker", saved="-")], repeats)
    return _share(what, 0.25, ours.cpu, theirs.cpu, "of the plain reader")


def _without(bench: Bench, place: Place, count: int) -> str:
    """Return the path of an index that does not know ``count`` of the transcripts."""
    middle = sorted(place.store.sessions, key=lambda session: session.size)
    middle = middle[len(middle) // 2 :][:count]
    for session in middle:
        os.rename(session.path, session.path + ".away")
    bench.settle(place)
    for session in middle:
        os.rename(session.path + ".away", session.path)
    return shutil.copy(place.index_file, place.index_file + ".saved")


def _opened(bench: Bench, place: Place, what: str, saved: str, new: int = 0) -> Iterator[Row]:
    """Count by strace how often files of the store are opened and looked at."""
    if not shutil.which("strace"):
        yield Row(f"{what}: files opened", str(new), "skipped: no strace")
        return
    if saved:
        shutil.copy(saved, place.index_file)
    log = f"{place.store.home}/strace.log"
    argv = [
        "strace",
        "-f",
        "-qq",
        "-e",
        "trace=%file",
        "-o",
        log,
        bench.command,
        "list",
        "--picker",
    ]
    subprocess.run(argv, env=place.env, capture_output=True, check=True)
    with open(log, encoding="utf-8", errors="replace") as file:
        calls = [match.groups() for match in map(_CALL.search, file) if match]
    known = {os.path.basename(session.path) for session in place.store.sessions}
    inside = f"{place.store.home}/."
    opened = [
        path
        for call, path, flags in calls
        if call == "open" and path.startswith(inside) and "O_DIRECTORY" not in flags
    ]
    looked = [path for call, path, _ in calls if call != "open" and os.path.basename(path) in known]
    yield Row(f"{what}: files opened", str(new), str(len(opened)), len(opened) == new)
    a_file = len(looked) / len(known)
    yield Row(f"{what}: stat calls a transcript", "1", f"{a_file:.3f}", a_file == 1)


def _limit(count: int) -> float:
    """Return the limit for a list with nothing new: 2.5 at 1,000 sessions, 9 for each 10,000."""
    if count >= _MANY:
        return 9 * count / _MANY
    return 2.5 + max(count - 1_000, 0) * 6.5 / 9_000


def _share(what: str, limit: float, part: float, whole: float, of: str) -> Row:
    found = part / whole
    return Row(what, f"{limit:.0%} {of}", f"{found:.1%}", found <= limit)


def _growth(what: str, fewer: float, more: float) -> Row:
    measured = f"{more * 1e6:.1f} after {fewer * 1e6:.1f} us"
    return Row(f"growth: {what}", f"x {_NOISE}", measured, more <= fewer * _NOISE)


def _peak(what: str, *runs: Cost) -> Row:
    mib = max(run.mib for run in runs)
    return Row(f"peak memory, {what}", f"{MEMORY} MiB", f"{mib:.1f} MiB", mib <= MEMORY)


def _interpreter(command: str) -> str:
    with open(command, "rb") as file:
        first = file.readline()
    python = os.fsdecode(first[2:].strip())
    return python if first.startswith(b"#!") and os.access(python, os.X_OK) else sys.executable
