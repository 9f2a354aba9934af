"""`sessfzf resume KEY` without a terminal; picking stands in shell/test_resume_picker.py."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from stores import repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Run
    from stores import Home

    Agents = Callable[[], dict[str, object] | None]

AGENT = """#!{python}
import json, os, sys
with open(os.environ["HOME"] + "/launch", "w") as file:
    json.dump({{"argv": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}}, file)
sys.exit(7)
"""


@pytest.fixture
def launched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    """Stand-ins for the agents, first on PATH; call it for what they saw."""
    import sys

    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "codex"):
        (folder / name).write_text(AGENT.format(python=sys.executable))
        (folder / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def look() -> dict[str, object] | None:
        path = tmp_path / "home" / "launch"
        return json.loads(path.read_text()) if path.exists() else None

    return look


def test_the_agent_takes_over_in_the_folder(home: Home, run: Run, launched: Agents) -> None:
    folder = home.folder("it's a \\ folder")
    session = home.claude(cwd=folder, mode="bypassPermissions")
    plan = json.loads(run("plan", "--json", session.id).text)
    result = run.apart("resume", session.id)
    assert result.code == 7  # the agent's own
    seen = launched()
    assert seen is not None
    assert seen["argv"] == plan["argv"][1:]
    assert seen["cwd"] == folder
    assert seen["env"]["PWD"] == folder  # type: ignore[index]
    assert "bypassPermissions" in result.err
    assert result.out == b""


def test_recorded_approvals_and_a_fork(home: Home, run: Run, launched: Agents) -> None:
    session = home.claude(cwd=home.folder("a"), mode="acceptEdits")
    run.apart("resume", session.id[:8], "--approvals", "recorded", "--fork")
    seen = launched()
    assert seen is not None
    assert "acceptEdits" in seen["argv"]  # type: ignore[operator]
    assert "--fork-session" in seen["argv"]  # type: ignore[operator]


def test_a_folder_reached_by_a_link_stays_as_it_was_recorded(
    home: Home, run: Run, launched: Agents
) -> None:
    home.folder("real")
    link = os.path.join(home.path, "link")
    os.symlink("real", link)
    session = home.claude(cwd=link)
    run.apart("resume", session.id)
    seen = launched()
    assert seen is not None
    assert seen["env"]["PWD"] == link  # type: ignore[index]


def test_a_moved_branch_needs_a_yes(home: Home, run: Run, launched: Agents) -> None:
    session = home.claude(cwd=repository(home.folder("repo")), branch="feature")
    refused = run.apart("resume", session.id)
    assert refused.code == 4
    assert "feature" in refused.err
    printed = run.apart("resume", session.id, "--confirm", "print")
    assert printed.code == 4
    assert printed.out.startswith(b"cd ")
    assert launched() is None
    assert run.apart("resume", session.id, "--confirm", "yes").code == 7
    assert launched() is not None


def test_a_row_on_stdin(home: Home, run: Run, launched: Agents) -> None:
    session = home.claude(cwd=home.folder("a"))
    row = run("list").out
    result = run.apart("resume", "-", stdin=row)
    assert "no terminal" in result.err
    seen = launched()
    assert seen is not None
    assert session.id in seen["argv"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        pytest.param("gone", 3, "gone", id="folder-gone"),
        pytest.param("unknown", 1, "no session", id="unknown-id"),
        pytest.param("agent", 3, "claude is not on PATH", id="agent-missing"),
    ],
)
def test_what_cannot_be_resumed_is_told_in_one_line(  # noqa: PLR0913 - the fixtures
    change: str,
    code: int,
    words: str,
    home: Home,
    run: Run,
    launched: Agents,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = home.folder("a")
    session = home.claude(cwd=folder)
    if change == "gone":
        os.rmdir(folder)
    if change == "agent":
        (tmp_path / "bin" / "claude").unlink()
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # never the person's own agent
    result = run.apart("resume", "ffffffff" if change == "unknown" else session.id)
    assert result.code == code
    assert result.err.startswith("sessfzf: ")
    assert words in result.err
    assert launched() is None


def test_an_agent_that_cannot_be_started_is_told(
    home: Home, run: Run, launched: Agents, tmp_path: Path
) -> None:
    (tmp_path / "bin" / "claude").write_text("#!/no/such/interpreter\n")
    result = run.apart("resume", home.claude(cwd=home.folder("a")).id)
    assert result.code == 3
    assert "the agent could not be started" in result.err
    assert launched() is None


def test_without_a_terminal_a_session_has_to_be_named(home: Home, run: Run, tmp_path: Path) -> None:
    home.claude(cwd=home.folder("a"))
    fzf = tmp_path / "fzf"
    fzf.write_text("#!/bin/sh\nexit 99\n")
    fzf.chmod(0o700)
    result = run.apart("resume", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert result.code == 2
    assert result.err.startswith("sessfzf: no terminal to pick on")
