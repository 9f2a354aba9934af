"""`--demo` and the bare command: made-up sessions that show everything and leave nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Final

import pytest
from stores import snapshot

from sessfzf import demo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Result, Run
    from stores import Home

PREFIX: Final = "sessfzf-demo-"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the demo's folder is made; nothing of it may stay."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def show(run: Run, *words: str) -> Result:
    """Run it as a process of its own, because it changes its environment."""
    result = run.apart("--demo", *words)
    assert (result.code, result.err) == (0, "")
    return result


def test_the_sessions_are_varied(run: Run) -> None:
    rows = show(run, "list", "--json", "--all").objects
    assert 25 <= len(rows) <= 40
    assert {row["app"] for row in rows} == {"claude-code", "codex"}
    assert {row["hidden"] for row in rows} == {None, "print", "archived"}
    assert {row["live"] for row in rows} == {None, "idle", "busy", "waiting", "open"}
    assert len({row["cwd"] for row in rows}) >= 8
    assert len({row["branch"] for row in rows}) >= 8
    assert len({row["model"] for row in rows}) >= 4
    assert len({row["id"][:4] for row in rows}) == len(rows)
    assert {row["approval"] for row in rows} >= {"never", "bypassPermissions", "approve-for-me"}
    assert [row["title"] for row in rows] == [made.title for made in demo.sessions()]
    assert any(not row["title"].isascii() for row in rows)
    assert all(row["effort"] and row["time"] <= row["mtime"] + 1000 for row in rows)


def test_some_folders_are_gone_and_one_is_a_worktree(run: Run) -> None:
    shown = show(run, "list", "--fzf").text
    assert "✗" in shown
    assert ".claude/worktrees/" in show(run, "list").text


def test_forks_have_their_parents_beside_them() -> None:
    made = demo.sessions()
    forks = [number for number, one in enumerate(made) if one.state.startswith("fork-")]
    assert len(forks) == 2
    for number in forks:
        parent = made[number + int(made[number].state[4:])]
        assert (parent.app, parent.folder) == (made[number].app, made[number].folder)


def test_the_same_sessions_each_time(run: Run) -> None:
    assert show(run, "list", "--all").out == show(run, "list", "--all").out


def test_every_session_has_a_preview_of_its_conversation(run: Run) -> None:
    for made, row in zip(demo.sessions(), show(run, "list", "--all").rows, strict=True):
        text = " ".join(show(run, "preview", row[0]).text.split())
        assert " ".join(made.turns[-1].prompt.split()) in text
        assert made.turns[-1].answer.split()[-1] in text
        if made.turns[-1].commands:
            assert made.turns[-1].commands[-1][:20] in text


def test_a_plan_names_no_variable(run: Run) -> None:
    session = show(run, "list", "--app", "claude-code").rows[3][0]
    result = run.apart("--demo", "plan", session, "--confirm", "yes")
    assert re.fullmatch(r"cd '/.*/home/\S+' && claude --resume .*\n", result.text)


@pytest.mark.parametrize("command", ["resume", "init", "doctor", "--version", "nonsense\x1b[2J"])
def test_other_commands_have_no_business_there(run: Run, command: str) -> None:
    result = run.apart("--demo", command)
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith(
        "sessfzf: behind --demo stands one of list, grep, plan, preview, not "
    )
    assert "\x1b" not in result.err


def test_nothing_of_the_persons_is_touched(
    run: Run, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = home.claude(prompt="my own").id
    home.codex(prompt="my own")
    before = [snapshot(str(tmp_path / name)) for name in ("home", "cache", "config", "data")]
    places = {"CLAUDE_CONFIG_DIR": home.claude_dir, "CODEX_HOME": home.codex_dir}
    places |= {"SESSFZF_HOME": home.path, "CODEX_SQLITE_HOME": home.codex_dir}
    for name, value in places.items():
        monkeypatch.setenv(name, value)
    result = show(run, "list", "--all")
    assert own not in result.text
    assert "my own" not in result.text
    assert before == [
        snapshot(str(tmp_path / name)) for name in ("home", "cache", "config", "data")
    ]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_folder_goes_when_it_is_ended(place: Path, ending: signal.Signals) -> None:
    # `plan -` waits for stdin.
    child = subprocess.Popen(
        [sys.executable, "-m", "sessfzf", "--demo", "plan", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdin
    until = time.monotonic() + 20
    while not list(place.glob(f"{PREFIX}*/home/.codex/state_5.sqlite")):
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(0.2)
    child.send_signal(ending)
    child.send_signal(ending)  # a terminal that is closed says so twice
    assert child.wait(20) in {128 + ending, 130}
    child.stdin.close()
    assert list(place.iterdir()) == []


def test_what_a_killed_run_has_left_goes_with_the_next(run: Run, place: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    (place / f"{PREFIX}{dead.pid}-x" / "home").mkdir(parents=True)
    alive = place / f"{PREFIX}{os.getpid()}-x"
    others = [alive, place / f"{PREFIX}x", place / "something else"]
    for folder in others:
        folder.mkdir()
    show(run, "list", "--limit", "1")
    assert sorted(place.iterdir()) == sorted(others)
    for folder in others:
        folder.rmdir()


def test_the_folder_is_private(place: Path) -> None:
    code = (
        "import os, stat, sys\n"
        "from sessfzf.__main__ import main\n"
        "from sessfzf import listing\n"
        "def look(*_, **__):\n"
        "    home = os.environ['HOME']\n"
        "    print(oct(stat.S_IMODE(os.stat(os.path.dirname(home)).st_mode)))\n"
        "    return 0\n"
        "listing.run = look\n"
        "sys.exit(main(['--demo', 'list']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0o700\n"
    assert tempfile.gettempdir()
    assert place.exists()


# The bare command: the picker itself is driven in tests/shell.


def test_without_a_terminal_the_bare_command_prints_help(run: Run) -> None:
    result = run.apart()
    assert (result.code, result.err) == (0, "")
    assert result.text == run.apart("--help").text
    assert result.text.startswith("Usage: sessfzf ")


def test_every_help_has_an_example_that_is_right(run: Run) -> None:
    commands = re.findall(
        r"^  ([a-z]+) ", run("--help").text.partition("Commands:")[2], re.MULTILINE
    )
    assert len(commands) >= 7
    for command in ["", *commands]:
        text = run(*filter(None, [command]), "--help").text
        (example,) = re.findall(r"^ +Example: (.*)$", text, re.MULTILINE)
        assert f"sessfzf {command or '--demo'}" in example
