"""Asking ripgrep, where there is one, which files need not be searched."""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# It holds a whole line in memory, and which files have long ones nobody knows. With less than this
# it does not begin; where it would need more it ends, and the files are read without it.
_MEMORY = 24 * 1024 * 1024
_OPTIONS = (
    "--no-config",
    "--no-messages",
    # Not mapped: a file that shrinks meanwhile would end it.
    *("--no-mmap", "--threads=2", "--encoding=none", "--text"),
    *("--files-with-matches", "--null", "--color=never", "--fixed-strings"),
)
_READ = 1 << 16
_FAILED = 127


def find() -> str:
    """Return the path of rg, "" when there is none on PATH."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, "rg")
        # A relative entry of PATH means another program in each folder.
        if folder.startswith("/") and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return ""


def holding(
    program: str, paths: Sequence[str], needles: Sequence[bytes], *, fold: bool
) -> set[str] | None:
    """Return those of the files that hold one of the needles, None when rg could not say.

    ``paths`` are absolute and not more than a command line takes.
    """
    argv: list[str | bytes] = [program, *_OPTIONS]
    argv.append("--ignore-case" if fold else "--case-sensitive")
    argv += [b"--regexp=" + needle for needle in needles]
    argv += ["--", *paths]
    reading, writing = os.pipe()
    try:
        pid = os.fork()
        if not pid:
            _become(program, argv, writing)
        os.close(writing)
        writing = -1
        parts = []
        try:
            while part := os.read(reading, _READ):
                parts.append(part)
        except BaseException:
            _end(pid)
            raise
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    # 2: something went wrong, but which file it was is not said in a form to rely on.
    if os.waitstatus_to_exitcode(status) not in {0, 1}:
        return None
    return set(map(os.fsdecode, b"".join(parts).split(b"\0")))


def _become(program: str, argv: list[str | bytes], output: int) -> None:
    """Turn this process into rg, with little memory; it ends when that cannot be done."""
    import resource

    try:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor, number in ((null, 0), (output, 1), (null, 2)):
            os.dup2(descriptor, number)
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.execv(program, argv)  # noqa: S606
    finally:
        os._exit(_FAILED)


def _end(pid: int) -> None:
    import signal

    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
