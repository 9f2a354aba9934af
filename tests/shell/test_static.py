"""The widget files before anybody presses a key: syntax, style, and what loading them does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from terminal import MARKS, REQUIRED, SHELLS

from sessfzf.shells import init_script

pytestmark = MARKS
every_shell = pytest.mark.parametrize("shell", SHELLS)
every_text = pytest.mark.parametrize("text", ["as it is kept", "as it is printed"])


def read(shell: str, text: str) -> str:
    if text == "as it is printed":
        return init_script(shell)
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shell")
    with open(os.path.join(folder, f"sessfzf.{shell}"), encoding="utf-8") as file:
        return file.read()


def check(argv: list[str], script: str) -> subprocess.CompletedProcess[str]:
    """Give a script to a program that must find nothing to say about it."""
    beside = os.path.join(os.path.dirname(sys.executable), argv[0])
    program = beside if os.access(beside, os.X_OK) else shutil.which(argv[0])
    if program is None and not REQUIRED:
        pytest.skip(f"not installed: {argv[0]}")
    assert program, f"not installed: {argv[0]}"
    done = subprocess.run(
        [program, *argv[1:]], input=script, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done


@every_text
@pytest.mark.parametrize(
    ("shell", "argv"),
    [
        ("zsh", ["zsh", "-n"]),
        ("bash", ["bash", "-n"]),
        ("fish", ["fish", "--no-execute"]),
        ("bash", ["shellcheck", "--shell=bash", "--exclude=SC2016", "-"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_no_tool_finds_a_fault(shell: str, argv: list[str], text: str) -> None:
    assert check(argv, read(shell, text)).stdout == ""


@pytest.mark.parametrize(
    ("shell", "argv"),
    [
        ("zsh", ["shfmt", "-i", "2", "-ci", "-ln", "zsh"]),
        ("bash", ["shfmt", "-i", "2", "-ci", "-ln", "bash"]),
        ("fish", ["fish_indent"]),
    ],
)
def test_formatted(shell: str, argv: list[str]) -> None:
    script = read(shell, "as it is kept")
    assert check(argv, script).stdout == script


def test_zsh_has_no_quotes_over_the_end_of_a_line() -> None:
    """`setopt csh_junkie_quotes` refuses them while the text is read."""
    check(["zsh", "-f", "-o", "csh_junkie_quotes", "-n"], init_script("zsh"))


@pytest.mark.parametrize(
    ("shell", "argv"),
    [
        ("bash", ["bash", "--norc", "-e", "-u", "-o", "pipefail", "-c"]),
        ("bash", ["bash", "--norc", "--posix", "-e", "-u", "-c"]),
        ("zsh", ["zsh", "-f", "-e", "-u", "-o", "pipefail", "-c"]),
        ("fish", ["fish", "--no-config", "-c"]),
    ],
)
def test_loading_in_a_script_says_and_leaves_nothing(shell: str, argv: list[str]) -> None:
    names = {
        "bash": "compgen -A function",
        "zsh": "print -rl -- ${(k)functions}",
        "fish": "functions -a",
    }
    script = f"{init_script(shell)}\n{names[shell]} | grep sessfzf || true"
    assert check([*argv, script], "").stdout == ""


@pytest.mark.parametrize(
    ("shell", "argv"),
    [("zsh", ["zsh", "-f", "-i", "-c"]), ("fish", ["fish", "--no-config", "-i", "-c"])],
)
def test_loading_in_an_interactive_shell_says_nothing(shell: str, argv: list[str]) -> None:
    assert check([*argv, init_script(shell)], "").stdout == ""


@every_shell
def test_loading_starts_no_command(shell: str) -> None:
    """Each start of a shell would pay for it."""
    argv = {
        "bash": ["bash", "--norc", "--noprofile", "-i"],
        "zsh": ["zsh", "-f", "-i"],
        "fish": ["fish", "--no-config", "-i"],
    }[shell]
    script = "PATH=/nowhere; " if shell != "fish" else "set -x PATH /nowhere; "
    done = subprocess.run(
        [str(shutil.which(argv[0])), *argv[1:], "-c", script + init_script(shell)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = [line for line in done.stderr.split("\n") if line and "terminal process" not in line]
    assert [line for line in said if "job control" not in line and "line editing" not in line] == []
