"""The main job in a real terminal: key, query, Enter: the right agent in the right folder."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from stores import repository
from terminal import FZF_NEW, FZFS, MARKS, PROMPT, SHELLS, Launch, Machine, machine_with, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = MARKS
every_shell = pytest.mark.parametrize("shell", SHELLS)

# Each was a break-out, a wrong folder or an error in some shell for some tool.
FOLDERS = (
    "plain",
    "two  spaces",
    " leading and trailing ",
    "it's",
    "''",
    'double "quoted"',
    "$(touch OOPS)",
    "`touch OOPS`",
    "${HOME}",
    "semi; touch OOPS; colon",
    "and && touch OOPS",
    "pipe | touch OOPS",
    "bang!wow!!",
    "star * ? [a-z]",
    "{brace,expansion}",
    "backslash at the end\\",
    "\\'; touch OOPS; #",
    "\\\\' and \\n",
    "-leading dash",
    "~tilde",
    "=ls",
    "#hash",
    "%percent",
    "ünï 日本 🎉",
    "x" * 250,
)


@pytest.fixture
def machine() -> Iterator[Machine]:
    with machine_with() as made:
        yield made


def expected(machine: Machine, key: str, *options: str) -> Launch:
    """What the plan says in its form without any shell."""
    result = machine.run("sessfzf", "plan", "--json", *options, key)
    plan = json.loads(result.stdout)
    return Launch(plan["cwd"], has_terminal=True, argv=plan["argv"])


@every_shell
@pytest.mark.parametrize(
    ("fzf", "size"),
    [
        pytest.param(*FZFS[0].values, (80, 24), id="oldest-80x24", marks=FZFS[0].marks),
        pytest.param(FZF_NEW, (200, 50), id="newest-200x50"),
    ],
)
def test_every_folder_name_arrives(shell: str, fzf: str, size: tuple[int, int]) -> None:
    with machine_with(fzf) as machine:
        ids = [
            machine.home.claude(
                cwd=machine.home.folder("work", name), prompt=f"pick{number:02d}"
            ).id
            for number, name in enumerate(FOLDERS)
        ]
        with terminal(machine, shell, size=size) as screen:
            for number, name in enumerate(FOLDERS):
                screen.pick(f"'pick{number:02d}")
                launch = screen.launched()
                assert launch.folder == os.path.join(machine.path, "work", name)
                assert launch.has_terminal
                assert launch.argv[:3] == ["claude", "--resume", ids[number]]
                screen.wait_prompt()
            assert launch == expected(machine, ids[-1])
            screen.wait_alive()
        assert not [
            name
            for _, folders, files in os.walk(machine.root)
            for name in folders + files
            if name == "OOPS"
        ]


@every_shell
@pytest.mark.parametrize("fzf", FZFS)
@pytest.mark.parametrize("mode", ["insert", "command"])
def test_vi_modes(shell: str, fzf: str, mode: str) -> None:
    vi = {
        "zsh": "bindkey -v; KEYTIMEOUT=5",
        "bash": "set -o vi; bind 'set keyseq-timeout 50'",
        "fish": "fish_vi_key_bindings",
    }
    with machine_with(fzf) as machine:
        folder = machine.home.folder("work", "it's \\")
        session = machine.home.claude(cwd=folder, prompt="alpha")
        machine.home.claude(prompt="omega")
        with terminal(machine, shell, before=vi[shell]) as screen:
            for _ in range(2):
                if mode == "command":
                    screen.type("draft")
                    screen.wait(f"{PROMPT}draft$")
                    screen.keys("Escape")
                    # Left of its end: the shell has taken the Escape for itself.
                    screen.wait_for(lambda: screen.cursor()[0] == len(PROMPT) + 4, "command mode")
                    screen.keys("M-r")
                    screen.wait("session> draft .*0/2")
                    screen.keys("C-u")
                    screen.type("alpha")
                    screen.wait("session> alpha .*1/2")
                    screen.keys("Enter")
                else:
                    screen.pick("alpha")
                assert screen.launched() == expected(machine, session.id)
                screen.wait_prompt()


@every_shell
def test_codex_sessions_are_resumed_too(machine: Machine, shell: str) -> None:
    session = machine.home.codex(cwd=machine.home.folder("work", "a b"), prompt="alpha")
    machine.home.claude(prompt="omega")
    with terminal(machine, shell) as screen:
        screen.pick("alpha")
        launch = screen.launched()
        assert launch.argv[:3] == ["codex", "resume", session.id]
        assert launch == expected(machine, session.id)


@every_shell
@pytest.mark.parametrize("fzf", FZFS)
def test_alt_enter_takes_the_recorded_approvals_for_this_launch_only(shell: str, fzf: str) -> None:
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha", mode="acceptEdits")
        with terminal(machine, shell) as screen:
            for answer, mode in (
                ("Enter", "default"),
                ("M-Enter", "acceptEdits"),
                ("Enter", "default"),
            ):
                screen.pick("alpha", answer=answer)
                argv = screen.launched().argv
                assert argv[argv.index("--permission-mode") + 1] == mode
                screen.wait_prompt()
                if answer == "Enter":
                    # Told above the line that ran.
                    screen.wait(rf"^sessfzf: .*acceptEdits[^\0]*\n{PROMPT}cd ")


@every_shell
@pytest.mark.parametrize("fzf", FZFS)
def test_ctrl_e_puts_the_line_there_to_be_edited(shell: str, fzf: str) -> None:
    with machine_with(fzf) as machine:
        session = machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(machine, shell, size=(200, 50)) as screen:
            screen.pick("alpha", answer="C-e")
            screen.wait(rf"{PROMPT}cd '.*' && claude --resume {session.id} .*$")
            screen.type(" --verbose")
            screen.wait(" --verbose$")
            assert machine.launched() is None
            screen.keys("Enter")
            assert screen.launched().argv == [*expected(machine, session.id).argv, "--verbose"]


@every_shell
@pytest.mark.parametrize("upper", ["", "the upper line of two"])
def test_a_moved_branch_waits_for_enter(machine: Machine, shell: str, upper: str) -> None:
    folder = repository(machine.home.folder("work"))
    session = machine.home.claude(cwd=folder, prompt="alpha", branch="feature")
    with terminal(machine, shell, upper=upper) as screen:
        for yes in (False, True):
            screen.pick("alpha")
            line = rf"{PROMPT}cd '.*' && claude --resume {session.id} .*"
            screen.wait(rf"^sessfzf: .*feature[^\0]*\n(?:{upper}\n)?{line}\Z")
            assert machine.launched() is None
            screen.keys("Enter" if yes else "C-c")
            if yes:
                assert screen.launched() == expected(machine, session.id, "--confirm", "yes")
            screen.wait_prompt()
            screen.wait_alive()
            assert machine.launched() is None


@every_shell
@pytest.mark.parametrize("upper", ["", "the upper line of two"])
def test_a_folder_that_is_gone_is_told_and_the_draft_stays(
    machine: Machine, shell: str, upper: str
) -> None:
    machine.home.claude(cwd=f"{machine.path}/gone", prompt="alpha")
    with terminal(machine, shell, upper=upper) as screen:
        screen.type("alpha")
        screen.keys("Left", "Left")
        screen.wait_for(lambda: screen.cursor()[0] == len(PROMPT) + 3, "moved cursor")
        screen.keys("M-r")
        screen.wait(r"session> alpha .*\b1/1")
        screen.keys("Enter")
        screen.wait(rf"^sessfzf: .*gone[^\0]*\n(?:{upper}\n)?{PROMPT}alpha\Z")
        assert screen.cursor()[0] == len(PROMPT) + 3
        assert machine.launched() is None


@every_shell
def test_a_session_that_vanished_while_it_was_shown_is_told(machine: Machine, shell: str) -> None:
    session = machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
    with terminal(machine, shell) as screen:
        screen.open("alpha", 1)
        os.unlink(session.path)
        screen.keys("Enter")
        screen.wait(rf"^sessfzf: [^\0]*\n{PROMPT.rstrip()}\Z")
        assert machine.launched() is None


@pytest.mark.parametrize("shell", ["sh", *SHELLS])
@pytest.mark.parametrize("fzf", FZFS)
def test_the_pipe_of_the_readme(shell: str, fzf: str) -> None:
    name = 'it\'s "a" $(touch OOPS) \\'
    with machine_with(fzf) as machine:
        folder = machine.home.folder("work", name)
        session = machine.home.claude(cwd=folder, prompt="alpha")
        machine.home.claude(prompt="omega")
        pipe = f"sessfzf list | fzf -f alpha | head -1 | sessfzf plan --shell {shell} -"
        script = f"eval ({pipe})" if shell == "fish" else f'eval "$({pipe})"'
        done = machine.run(str(shutil.which(shell)), "-c", script)
        launch = machine.launched()
        assert launch, done.stderr
        assert launch.folder == folder
        assert launch.argv == expected(machine, session.id).argv
        assert not os.path.exists(os.path.join(machine.path, "OOPS"))


@every_shell
def test_the_list_is_on_the_screen_before_a_slow_producer_has_ended(
    machine: Machine, shell: str
) -> None:
    """And Enter does not wait for it."""
    session = machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
    launcher = os.path.join(machine.bin, "sessfzf")
    os.rename(launcher, launcher + "-real")
    machine.write(launcher, '#!/bin/sh\nsessfzf-real "$@"\n[ "$1" != list ] || exec sleep 30\n')
    with terminal(machine, shell) as screen:
        screen.keys("M-r")
        screen.wait(r"session> .*1/1")
        screen.keys("Enter")
        assert screen.launched().argv[2] == session.id


@pytest.mark.parametrize("fzf", FZFS)
def test_a_preview_of_the_persons_own_runs_no_title(fzf: str) -> None:
    """fzf before 0.45 quotes `{}` wrongly for fish: a row that was merely looked at ran code."""
    with machine_with(fzf) as machine:
        title = "\\'; touch OOPS; #"
        machine.home.claude(cwd=machine.home.folder("work"), prompt=title)
        env = {"SHELL": str(shutil.which("fish")), "SESSFZF_FZF_OPTS": "--preview='echo seen {}'"}
        with terminal(machine, "fish", size=(200, 50), **env) as screen:
            screen.open("", 1)
            screen.wait("seen .*claude ")
            screen.keys("Escape")
            screen.wait_prompt()
        assert "OOPS" not in os.listdir(machine.path)
