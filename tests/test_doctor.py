"""What `doctor` says of a machine: what is there, what is broken, and nothing of what was said."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from sessfzf import probes

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run
    from stores import Home

TITLE: Final = "a secret plan"
FZF: Final = next(
    (
        path
        for folder in (os.path.dirname(sys.executable), *os.get_exec_path())
        if os.access(path := os.path.join(folder, "fzf"), os.X_OK)
    ),
    "",
)
needs_fzf = pytest.mark.skipif(not FZF, reason="needs fzf")


class Machine:
    """A PATH with nothing on it but what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def command(self, name: str, script: str = "echo 1.2.3") -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def link(self, name: str, target: str) -> None:
        os.symlink(target, self.folder / name)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Both agents, git and sessfzf are there, and fzf if the machine has one; no shells."""
    made = Machine(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(made.folder))
    # Not the one beside the interpreter, too.
    monkeypatch.setattr("sessfzf.fzf.beside", lambda: "")
    for name in ("claude", "codex", "git", "sessfzf"):
        made.command(name, f"echo {name} 1.2.3")
    if FZF:
        made.link("fzf", FZF)
    return made


def told(run: Run) -> tuple[int, dict[str, Any]]:
    """The exit code and the facts."""
    result = run("doctor", "--json")
    assert result.err == ""
    return result.code, json.loads(result.text)


def problems(run: Run) -> list[str]:
    code, facts = told(run)
    assert code == (1 if facts["problems"] else 0)
    assert all(one["remedy"] for one in facts["problems"])
    return [one["what"] for one in facts["problems"]]


def agent(facts: dict[str, Any], app: str) -> dict[str, Any]:
    (found,) = [one for one in facts["agents"] if one["app"] == app]
    assert isinstance(found, dict)
    return found


@needs_fzf
@pytest.mark.usefixtures("machine")
def test_all_is_well_on_one_screen(run: Run, home: Home) -> None:
    home.claude(prompt=TITLE)
    home.claude(entrypoint="sdk-cli")
    thread = home.codex(prompt=TITLE)
    archived = home.codex(archived=True)
    home.codex_db([home.thread(thread), home.thread(archived, archived=1)], state="wal")
    result = run("doctor")
    lines = result.text.split("\n")
    assert (result.code, result.err, lines[-2]) == (0, "", "problems: none")
    assert len(lines) <= 24
    assert "claude-code  ~/.claude: 1 session; hidden: 1 print; unreadable: 0" in lines
    assert "             claude 1.2.3 at " in result.text
    assert "codex        ~/.codex: 1 session; hidden: 1 archived; unreadable: 0" in lines
    assert "state_5.sqlite: 2 rows, 2 only in its -wal of" in result.text
    assert "zsh          not installed" in lines


@pytest.mark.usefixtures("machine")
def test_nothing_of_a_session_is_told(run: Run, home: Home) -> None:
    sessions = [
        home.claude(prompt=TITLE, cwd="/home/kim/hidden-client"),
        home.codex(prompt=TITLE, cwd="/home/kim/hidden-client"),
    ]
    os.mkdir(sessions[0].path.replace(".jsonl", "x.jsonl"))
    unreadable = home.claude(prompt=TITLE).path
    os.unlink(unreadable)
    os.mkfifo(unreadable)
    for args in (["doctor"], ["doctor", "--json"]):
        text = run(*args).text
        assert "not a regular file" in text
        for word in (TITLE, "hidden-client", home.path, "main", *(one.id for one in sessions)):
            assert word not in text, word


@pytest.mark.usefixtures("machine", "home")
def test_a_machine_without_sessions_is_not_broken(run: Run) -> None:
    code, facts = told(run)
    assert [one["there"] for one in facts["agents"]] == [False, False]
    assert code == (0 if FZF else 1)
    assert "~/.claude is not there" in run("doctor").text
    assert not os.path.exists(os.path.join(os.environ["XDG_CACHE_HOME"], "sessfzf"))


def test_what_is_missing(run: Run, home: Home, machine: Machine) -> None:
    home.claude()
    for name in ("claude", "codex", "sessfzf", "git"):
        (machine.folder / name).unlink()
    (machine.folder / "fzf").unlink(missing_ok=True)
    assert problems(run) == [
        "claude is not on PATH, and there are sessions of it",
        "fzf is not installed",
        "sessfzf is not on PATH, where the key of your shell looks for it",
    ]
    text = run("doctor").text
    assert "problems: 3\n- claude is not on PATH" in text
    assert "git          not on PATH" in text


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("exit 3", "claude: does not tell its version (exit code 3)"),
        ("echo none", "claude: does not tell its version (exit code 0)"),
        ("sleep 60", "claude: no answer in 1 s"),
    ],
)
def test_a_command_that_does_not_answer(
    run: Run, machine: Machine, monkeypatch: pytest.MonkeyPatch, script: str, problem: str
) -> None:
    monkeypatch.setattr(probes, "PATIENCE", 1.0)
    machine.link("sleep", str(shutil.which("sleep", path="/usr/bin:/bin")))
    machine.command("claude", script)
    assert problem in problems(run)


def test_a_command_that_cannot_be_started(run: Run, machine: Machine) -> None:
    (machine.folder / "codex").write_text("#!/no/such/interpreter\n")
    assert "codex: cannot be started: No such file or directory" in problems(run)


def test_what_a_command_leaves_running_is_not_waited_for(run: Run, machine: Machine) -> None:
    machine.link("sleep", str(shutil.which("sleep", path="/usr/bin:/bin")))
    machine.command("codex", "sleep 3 &\necho 9.8.7")
    _, facts = told(run)
    assert agent(facts, "codex")["command"]["version"] == "9.8.7"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("version", ["0.37.0 (brew)", "0.9"])
def test_an_fzf_that_is_too_old(run: Run, machine: Machine, version: str) -> None:
    (machine.folder / "fzf").unlink(missing_ok=True)
    machine.command("fzf", f"echo '{version}'")
    assert "fzf: older than 0.38" in problems(run)


@needs_fzf
@pytest.mark.usefixtures("machine", "home")
def test_options_that_fzf_refuses(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSFZF_FZF_OPTS", "--no-such-option")
    (found,) = problems(run)
    assert found.startswith("fzf: ")
    assert "--no-such-option" in found


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("state", "rows", "problem"),
    [
        ("checkpointed", (2, 0), ""),
        ("wal", (2, 2), ""),
        ("noshm", (2, 2), ""),
        ("stale", (2, 1), ""),
        ("nowal", (0, 0), "no such table: threads"),
        ("nothreads", (0, 0), "no such table: threads"),
        ("garbage", (0, 0), "file is not a database"),
    ],
)
def test_the_state_of_the_index_of_codex(
    run: Run, home: Home, state: str, rows: tuple[int, int], problem: str
) -> None:
    threads = [home.thread(home.codex()) for _ in range(2)]
    home.codex_db(threads, state=state)
    _, facts = told(run)
    codex = agent(facts, "codex")
    (index,) = codex["indexes"]
    assert index["path"] == "state_5.sqlite"
    assert ((index["rows"], index["only_in_log"]), index["problem"]) == (rows, problem)
    assert codex["sessions"] == 2
    broken = [one["what"] for one in facts["problems"] if "state_5" in one["what"]]
    assert broken == ([f"state_5.sqlite cannot be read: {problem}"] if problem else [])
    assert not [one for one in facts["problems"] if "unreadable" in one["what"]]


@pytest.mark.usefixtures("machine")
def test_a_store_that_is_no_folder(run: Run, home: Home) -> None:
    with open(home.claude_dir, "w"):
        pass
    assert "claude-code: 1 unreadable, the first: not a folder" in problems(run)


@pytest.mark.usefixtures("machine")
def test_the_index_is_told_as_it_was_found(run: Run, home: Home) -> None:
    home.claude()
    assert "/sessfzf/index: made just now\n" in run("doctor").text
    text = run("doctor").text
    assert "/sessfzf/index: 1 file, 0 KiB, age now\n" in text
    _, facts = told(run)
    assert facts["index"]["entries"] == 1


@pytest.mark.usefixtures("machine")
def test_an_index_that_cannot_be_written(
    run: Run, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert problems(run)[-1].startswith("the index cannot be written: ")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("^[r", "Alt-R"),
        (r"\er", "Alt-R"),
        (r"\M-o", "Alt-O"),
        ("alt-r", "Alt-R"),
        ("^O", "Ctrl-O"),
        (r"\C-o", "Ctrl-O"),
        (r"\co", "Ctrl-O"),
        ("^X^R", "^X^R"),
        ("\x1b]0;x\x07", ""),
    ],
)
def test_a_key_in_words(key: str, shown: str) -> None:
    assert probes.readable(key) == shown
