"""What a command costs: CPU, wall time, time to its first output, peak memory.

Runs as a process of its own, because a child's ru_maxrss begins at its parent's size: this one
imports next to nothing, so that what is measured is the command's.
"""

from __future__ import annotations

import json
import os
import sys
from time import perf_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final


class Command:
    """What is run: argv (its first word an absolute path), environment, folder.

    ``before`` are command lines run before each time, outside the measurement. ``stop`` closes the
    pipe as soon as something was read from it, like ``| head -1``.
    """

    def __init__(
        self,
        argv: Sequence[str],
        env: dict[str, str],
        cwd: str = "/",
        before: Sequence[list[str]] = (),
        *,
        stop: bool = False,
    ) -> None:
        self.argv = list(argv)
        self.env = env
        self.cwd = cwd
        self.before = before
        self.stop = stop


class Cost:
    """Medians over the runs of a command: seconds of user+system CPU and of wall time, seconds to
    its first output; and the most memory any run took, in MiB.
    """

    def __init__(self, runs: Sequence[Sequence[float]]) -> None:
        self.cpu, self.wall, self.first = (
            sorted(column)[len(runs) // 2] for column in list(zip(*runs, strict=True))[:3]
        )
        self.mib = max(run[3] for run in runs) / 1024


def measure(commands: Sequence[Command], repeats: int, prefix: Sequence[str] = ()) -> list[Cost]:
    """Run the commands turn about, ``repeats`` times each, and return what each costs.

    ``prefix`` starts the measuring process, such as ``unshare``. Raises RuntimeError when a command
    fails.
    """
    import subprocess

    request = {"repeats": repeats, "commands": [vars(command) for command in commands]}
    argv = [*prefix, sys.executable, "-I", "-S", os.path.abspath(__file__)]
    done = subprocess.run(
        argv, input=json.dumps(request), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [Cost(runs) for runs in json.loads(done.stdout)]


_READ: Final = 1 << 16


def _run(command: Command) -> list[float]:
    for words in command.before:
        _, status = os.waitpid(os.posix_spawnp(words[0], words, command.env), 0)
        if status:
            sys.exit(f"{words}: wait status {status}")
    os.chdir(command.cwd)
    reading, writing = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
    ]
    start = perf_counter()
    pid = os.posix_spawn(command.argv[0], command.argv, command.env, file_actions=actions)
    os.close(writing)
    data = os.read(reading, _READ)
    first = perf_counter() - start
    while data and not command.stop:
        data = os.read(reading, _READ)
    os.close(reading)
    _, status, usage = os.wait4(pid, 0)
    wall = perf_counter() - start
    if status:
        sys.exit(f"{command.argv}: wait status {status}")
    return [usage.ru_utime + usage.ru_stime, wall, first, usage.ru_maxrss]


def _main() -> None:
    request = json.load(sys.stdin)
    commands = [Command(**fields) for fields in request["commands"]]
    runs: list[list[list[float]]] = [[] for _ in commands]
    for _ in range(request["repeats"]):
        for number, command in enumerate(commands):
            runs[number].append(_run(command))
    json.dump(runs, sys.stdout)


if __name__ == "__main__":
    _main()
