"""What every test stands on: an empty home of its own, and the command to run in it."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from stores import Home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the person's home, cache or settings."""
    for name in list(os.environ):
        if name.startswith(("SESSFZF_", "GIT_", "CLAUDE_", "CODEX_", "FZF_")) or name == "NO_COLOR":
            monkeypatch.delenv(name)
    places = {
        "HOME": "home",
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
    }
    for variable, name in places.items():
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.chdir(tmp_path / "home")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """The home folder of this test, to write stores into."""
    made = Home(str(tmp_path / "home"))
    yield made
    made.close()


NOBODY: Final = 65_534


# Where the package is; somebody else's Python has not got it installed.
PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@functools.cache
def python_for_nobody() -> str | None:
    """A Python that another user may start, with the package; None without the rights to try."""
    probe = ["-c", "import sys, sqlite3, sessfzf.__main__; sys.exit(sys.version_info < (3, 10))"]
    for python in (sys.executable, "/usr/bin/python3") if os.geteuid() == 0 else ():
        try:
            run = {"user": NOBODY, "cwd": "/", "env": {"PYTHONPATH": PACKAGE}}
            subprocess.run([python, "-B", *probe], check=True, capture_output=True, **run)  # type: ignore[call-overload]
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    return None


@pytest.fixture
def foreign() -> Iterator[Home]:
    """A home that `Run.as_nobody` can read but not write; modes mean nothing to root."""
    if python_for_nobody() is None:
        pytest.skip("needs the rights, and a Python, to become another user")
    folder = tempfile.mkdtemp(prefix="foreign-", dir="/tmp")  # pytest's own folders are private
    os.chmod(folder, 0o755)  # noqa: S103 - to be read
    cache = os.path.join(folder, "cache")
    os.mkdir(cache)
    os.chown(cache, NOBODY, NOBODY)
    made = Home(os.path.join(folder, "home"))
    yield made
    made.close()
    shutil.rmtree(folder)


class Result(NamedTuple):
    """What one run of the command left: exit code, stdout, stderr."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def rows(self) -> list[list[str]]:
        """The fields of each row; every line must end with a newline."""
        lines = self.text.split("\n")
        assert lines.pop() == ""
        return [line.split("\t") for line in lines]

    @property
    def objects(self) -> list[dict[str, Any]]:
        lines = self.out.split(b"\n")
        assert lines.pop() == b""
        return [json.loads(line) for line in lines]


class Run:
    """Runs `sessfzf`, in this process when called and as a process of its own by `apart`."""

    def __init__(self, capture: pytest.CaptureFixture[bytes]) -> None:
        self._capture = capture

    def __call__(self, *args: str) -> Result:
        from sessfzf.__main__ import main

        self._capture.readouterr()
        try:
            code = main(list(args))
        except SystemExit as end:  # a usage error inside the option parser
            code = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = self._capture.readouterr()
        return Result(code, out, err.decode())

    @staticmethod
    def apart(*args: str, stdin: bytes = b"", user: int | None = None, **env: str) -> Result:
        """As its own process, without a terminal; `user` needs the rights to become them."""
        become = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        done = subprocess.run(
            [sys.executable if user is None else str(python_for_nobody()), "-m", "sessfzf", *args],
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
            start_new_session=True,
            cwd=None if user is None else "/",
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | env,
            **become,  # type: ignore[call-overload]
        )
        return Result(done.returncode, done.stdout, done.stderr.decode())

    def as_nobody(self, foreign: Home, *args: str) -> Result:
        """As somebody who may only read `foreign`, and write a cache beside it."""
        cache = os.path.join(os.path.dirname(foreign.path), "cache")
        return self.apart(
            *args, user=NOBODY, HOME=foreign.path, XDG_CACHE_HOME=cache, PYTHONPATH=PACKAGE
        )

    def listed(self, *args: str) -> dict[str, dict[str, Any]]:
        """`list --json --all`, by id; no id may come twice."""
        result = self("list", "--json", "--all", *args)
        assert result.code == 0, result.err
        found = {row["id"]: row for row in result.objects}
        assert len(found) == len(result.objects)
        return found

    def shown(self, *args: str) -> list[str]:
        """The ids that a plain `list` shows, in its order."""
        result = self("list", *args)
        assert result.code == 0, result.err
        return [row[0] for row in result.rows]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    return Run(capfdbinary)
