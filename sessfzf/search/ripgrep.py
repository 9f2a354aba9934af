"""Asking ripgrep, where there is one, which lines of which files have to be looked at."""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# It holds a whole line in memory, and which files have long ones nobody knows. With less than this
# it does not begin; where it would need more it ends, and the files are read without it.
_MEMORY = 24 * 1024 * 1024
# What is said more often in a file is soon found from its end.
MOST_LINES = 20
_OPTIONS = (
    "--no-config",
    "--no-messages",
    # Not mapped: a file that shrinks meanwhile would end it.
    *("--no-mmap", "--threads=2", "--encoding=none", "--text"),
    # Of a line that matches, where it begins and no more.
    *("--byte-offset", "--max-columns=1", f"--max-count={MOST_LINES}", "--with-filename", "--null"),
    *("--no-heading", "--no-line-number", "--no-column", "--color=never", "--fixed-strings"),
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


class Run:
    """A ripgrep at work on some files, which are absolute paths and fit on a command line."""

    def __init__(
        self, program: str, paths: Sequence[str], needles: Sequence[bytes], *, fold: bool
    ) -> None:
        argv: list[str | bytes] = [program, *_OPTIONS]
        argv.append("--ignore-case" if fold else "--case-sensitive")
        argv += [b"--regexp=" + needle for needle in needles]
        argv += ["--", *paths]
        self._output, output = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            _become(program, argv, output)
        os.close(output)

    def found(self) -> dict[str, list[int]] | None:
        """Wait; return where lines with a needle begin in each file that has any.

        The first MOST_LINES of a file; None when rg could not say.
        """
        parts = []
        while part := os.read(self._output, _READ):
            parts.append(part)
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        # 2: something went wrong, but which file it was is not said in a form to rely on.
        if os.waitstatus_to_exitcode(status) not in {0, 1}:
            return None
        found: dict[str, list[int]] = {}
        name, *rest = b"".join(parts).split(b"\0")
        for part in rest:
            line, _, following = part.partition(b"\n")
            begin = line.partition(b":")[0]
            if not begin.isdigit():
                return None
            found.setdefault(os.fsdecode(name), []).append(int(begin))
            name = following
        return None if name or bool(found) == bool(status) else found

    def end(self) -> None:
        """End it if it still runs, and let go of it."""
        import signal

        os.close(self._output)
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


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
