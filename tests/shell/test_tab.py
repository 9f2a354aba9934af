"""Tab in the real shells: it completes, shows titles where the shell can, and runs none of them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from terminal import MARKS, SHELLS, machine_with, terminal
from test_static import check

from sessfzf.shells import script

if TYPE_CHECKING:
    from collections.abc import Iterator

    from terminal import Machine, Terminal

pytestmark = MARKS
every_shell = pytest.mark.parametrize("shell", SHELLS)

LOADS = {
    "zsh": "autoload -Uz compinit; compinit -u -D; source <(sessfzf completion zsh)",
    "bash": 'eval "$(sessfzf completion bash)"',
    "fish": "sessfzf completion fish | source",
}
SESSION = "0de1a7e5-0000-4000-8000-000000000001"
OTHER = "1de1a7e5-0000-4000-8000-000000000002"
ATTACKS = (
    "$(touch PWNED)",
    "`touch PWNED`",
    '"; touch PWNED; "',
    "'; touch PWNED; '",
    "\\$(touch PWNED)",
    '\\"; touch PWNED; \\"',
    "a:b\\:c",
    ")); touch PWNED; ((",
    "[/bold] [red]",
    "* ? {a,b} ~root =ls %d !!",
    "tab\there; new\nline \x1b]0;x\x07",
)


@pytest.fixture
def machine() -> Iterator[Machine]:
    with machine_with() as made:
        yield made


def tab(screen: Terminal, line: str, pattern: str) -> str:
    """Type a line, press Tab until the screen matches; returns the screen.

    Some shells list at the first Tab, some at the second; none gets the second before its time.
    """
    screen.type(line)
    shown = ""
    for _ in range(3):
        screen.keys("Tab")
        end = time.monotonic() + 5
        while time.monotonic() < end:
            shown = screen.screen()
            if pattern in shown:
                return shown
            time.sleep(0.05)
    raise AssertionError(f"no {pattern!r} on this screen:\n{shown}")


def away(screen: Terminal) -> None:
    screen.keys("C-c")
    screen.wait_prompt()
    screen.keys("C-l")
    screen.wait(r"\AREADY>\Z")


@every_shell
def test_it_completes(machine: Machine, shell: str) -> None:
    machine.home.claude(id=SESSION, prompt='it\'s 100% "done": a $5 `fix`')
    with terminal(machine, shell, load=LOADS[shell], size=(120, 30)) as screen:
        for typed, completed in (
            ("sessfzf pre", "sessfzf preview"),
            ("sessfzf plan --she", "sessfzf plan --shell"),
            ("sessfzf plan --shell f", "sessfzf plan --shell fish"),
            ("sessfzf list --app=cl", "sessfzf list --app=claude-code"),
            ("sessfzf list | sessfzf plan 0d", f"sessfzf list | sessfzf plan {SESSION}"),
        ):
            tab(screen, typed, completed)
            away(screen)


@every_shell
def test_it_shows_the_newest_first(machine: Machine, shell: str) -> None:
    machine.home.claude(id=SESSION, prompt='it\'s 100% "done": a $5 `fix`')
    machine.home.claude(id=OTHER, prompt="something else")
    with terminal(machine, shell, load=LOADS[shell], size=(120, 30)) as screen:
        shown = tab(screen, "sessfzf plan ", SESSION).replace(f"plan {OTHER}", "")
        assert shown.index(OTHER) < shown.index(SESSION)
        if shell != "bash":  # it shows no descriptions
            assert '3d it\'s 100% "done": a $5 `fix`' in shown
            assert "3d something else" in shown


@every_shell
def test_no_title_becomes_code(machine: Machine, shell: str) -> None:
    folder = machine.home.folder("work")
    sessions = [machine.home.claude(prompt=title, cwd=folder).id for title in ATTACKS]
    with terminal(machine, shell, load=LOADS[shell], size=(160, 40)) as screen:
        shown = tab(screen, "sessfzf preview ", sessions[0])
        assert all(session in shown for session in sessions)
        away(screen)
        tab(screen, f"sessfzf preview {sessions[-1][:6]}", f"preview {sessions[-1]}")
    for place, _, names in os.walk(machine.root):
        assert "PWNED" not in names, place


@every_shell
def test_what_is_typed_does_not_become_code(machine: Machine, shell: str) -> None:
    with terminal(machine, shell, load=LOADS[shell], size=(120, 30)) as screen:
        tab(screen, "sessfzf list --app '$(touch PWNED)' --al", "--all")
    assert "PWNED" not in os.listdir(machine.path)


def test_zsh_finds_the_script_in_its_fpath(machine: Machine) -> None:
    functions = machine.home.folder("functions")
    script = machine.run("sessfzf", "completion", "zsh").stdout
    machine.write(os.path.join(functions, "_sessfzf"), script)
    load = "fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u -D"
    with terminal(machine, "zsh", load=load, size=(120, 30)) as screen:
        tab(screen, "sessfzf pre", "sessfzf preview")


@every_shell
def test_loading_says_nothing_twice(machine: Machine, shell: str) -> None:
    load = f"{LOADS[shell]}\n{LOADS[shell]}"
    with terminal(machine, shell, load=load, size=(120, 30)) as screen:
        assert screen.screen() == "READY>"
        tab(screen, "sessfzf pre", "sessfzf preview")


@pytest.mark.parametrize(
    ("shell", "argv"),
    [
        ("zsh", ["zsh", "-n"]),
        ("bash", ["bash", "-n"]),
        ("fish", ["fish", "--no-execute"]),
        ("bash", ["shellcheck", "--shell=bash", "-"]),
    ],
)
def test_no_tool_finds_a_fault(shell: str, argv: list[str]) -> None:
    assert check(argv, script(f"completion.{shell}")).stdout == ""


@pytest.mark.parametrize(
    ("shell", "argv"),
    [
        ("zsh", ["shfmt", "-i", "2", "-ci", "-ln", "zsh"]),
        ("bash", ["shfmt", "-i", "2", "-ci", "-ln", "bash"]),
        ("fish", ["fish_indent"]),
    ],
)
def test_formatted(shell: str, argv: list[str]) -> None:
    text = script(f"completion.{shell}")
    assert check(argv, text).stdout == text


@pytest.mark.parametrize(
    ("shell", "argv"),
    [
        ("bash", ["bash", "--norc", "-e", "-u", "-o", "pipefail", "-c"]),
        ("fish", ["fish", "--no-config", "-c"]),
    ],
)
def test_loading_in_a_script_says_nothing(shell: str, argv: list[str]) -> None:
    assert check([*argv, script(f"completion.{shell}")], "").stdout == ""
