"""What searching conversations costs, beside what only counts lines, on the same warm files."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Final

from checks import Row
from corpus import GB, MB
from measure import Command, Cost, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checks import Bench, Place

# By how much sizes like real ones are too small for 2 GB in 500 sessions.
_SCALE: Final = 14
RARE: Final = "since the token moved"  # each word of it is in many prompts
_MEMORY: Final = 60  # MiB, of all processes
_WITHOUT: Final = "without rg"


def rows(bench: Bench) -> Iterator[Row]:
    """Measure line by line."""
    count = max(bench.sizes.small // 2, 2)
    place = bench.place("search")
    place.store.claude(count * 4 // 5, dense=GB, scale=_SCALE)
    place.store.codex(count // 5)
    paths = [session.path for session in place.store.sessions]
    size = sum(os.stat(path).st_size for path in paths) / MB
    bench.settle(place)
    what = f"grep, {len(paths)} sessions, {size:,.0f} MB"
    repeats = max(bench.repeats // 3, 1)
    rg, wc = shutil.which("rg"), shutil.which("wc")
    for name, program, limit in (("rg", rg, 2), (_WITHOUT, wc, 3)):
        if not program:
            yield Row(f"{what}, {name}", f"{limit} x", "skipped: not installed")
            continue
        count_them = [program, "-l"] if program == wc else [program, "--count", RARE]
        plain = Command([*count_them, *paths], place.env)
        env = place.env if program == rg else place.env | {"PATH": _without_rg(bench, place)}
        ours = [
            Command([bench.command, "grep", *words], env)
            for words in ([RARE], ["0: why does the", "--word"])
        ]
        theirs, rare, newest = measure([plain, *ours], repeats)
        yield _ratio(
            f"{what}, {name}", limit, rare, theirs, "rg --count" if program == rg else "wc -l"
        )
        share = newest.first / newest.wall
        yield Row(
            f"{what}, {name}: the newest session's match is out",
            "20% of the wall time",
            f"{share:.1%}",
            share <= 0.2,
        )
        mib = max(map(_family, ours))
        yield Row(
            f"peak memory of all processes, {what}, {name}",
            f"{_MEMORY} MiB",
            f"{mib:.1f} MiB",
            mib <= _MEMORY,
        )
    place.store.close()


def _ratio(what: str, limit: float, ours: Cost, theirs: Cost, name: str) -> Row:
    found = ours.wall / theirs.wall
    measured = f"{found:.2f} x ({ours.wall * 1000:.0f} ms)"
    return Row(what, f"{limit} x {name}, wall", measured, found <= limit)


def _without_rg(bench: Bench, place: Place) -> str:
    folders = [os.path.dirname(bench.command), *place.env["PATH"].split(os.pathsep)]
    return os.pathsep.join(one for one in folders if not os.path.exists(f"{one}/rg"))


def _family(command: Command) -> float:
    """Return the most memory that the command and its processes have at once, in MiB.

    What they share is counted once: the sum of their proportional set sizes.
    """
    most = 0
    with subprocess.Popen(command.argv, env=command.env, stdout=subprocess.DEVNULL) as child:
        while child.poll() is None:
            most = max(most, sum(map(_share, _descendants(child.pid))))
            time.sleep(0.002)
    return most / 1024


def _descendants(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(one) for one in file.read().split()]
    except OSError:
        children = []
    return [pid, *(one for child in children for one in _descendants(child))]


def _share(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0
