"""What may stand where the cursor is; tests/shell/test_tab.py presses the key."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Final

import pytest

from sessfzf import listing, plan
from sessfzf.shells import SHELLS, WIDGETS

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home

COMMANDS: Final = ["list", "plan", "preview", "resume", "init", "doctor", "completion"]


def complete(run: Run, *words: str) -> dict[str, str]:
    """What may stand for the last word, with what is said of it."""
    result = run("completion", "zsh", "--", *words)
    assert (result.code, result.err) == (0, "")
    return dict(line.split("\t") for line in result.text.splitlines())


def test_every_command_with_what_it_does(run: Run) -> None:
    found = complete(run, "")
    assert set(found) >= set(COMMANDS)
    assert all(found.values())
    assert set(complete(run, "pre")) == {"preview"}
    assert complete(run, "--demo", "lis").keys() == {"list"}


@pytest.mark.parametrize(
    ("command", "known"),
    [("list", listing.OPTIONS), ("plan", plan.OPTIONS)],
    ids=["list", "plan"],
)
def test_every_option_with_what_it_does(run: Run, command: str, known: dict[str, int]) -> None:
    found = complete(run, command, "-")
    assert set(found) == {*known, "--help"}
    assert all(found.values())
    assert set(complete(run, command, "--jso")) == {"--json"}


def test_every_command_has_options_to_complete(run: Run) -> None:
    for command in complete(run, ""):
        assert "--help" in complete(run, command, "--")
    assert set(complete(run, "-")) == {"--version", "--demo", "--help"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["plan", "--shell", ""], list(SHELLS)),
        (["plan", "--shell", "b"], ["bash"]),
        (["plan", "--shell=z"], ["zsh"]),
        (["plan", "--shell", "=", "f"], ["fish"]),  # bash's words
        (["plan", "--approvals", ""], list(plan.APPROVALS)),
        (["resume", "--confirm", ""], list(plan.CONFIRM)),
        (["resume", "--confirm", "p"], ["print"]),
        (["list", "--app", ""], ["claude-code", "codex"]),
        (["list", "--app", "codex", "--app=c"], ["claude-code", "codex"]),
        (["init", ""], list(WIDGETS)),
        (["completion", "f"], ["fish"]),
        (["init", "zsh", ""], []),
        (["list", "--limit", ""], []),
        (["list", ""], []),
        (["nonsense", ""], []),
        (["nonsense", "-"], []),
        (["list", "--nonsense", "--hel"], ["--help"]),
        (["list", "--nonsense=x"], []),
    ],
    ids=" ".join,
)
def test_values(run: Run, words: list[str], expected: list[str]) -> None:
    assert list(complete(run, *words)) == expected


def test_every_choice_in_the_help_can_be_completed(run: Run) -> None:
    for command in COMMANDS:
        for option, choice in re.findall(r"(--[\w-]+) ([\w|-]+\|[\w|-]+)", run(command, "-h").text):
            assert list(complete(run, command, option, "")) == choice.split("|")


@pytest.mark.parametrize("command", ["plan", "preview", "resume"])
def test_keys_are_the_newest_sessions(run: Run, home: Home, command: str) -> None:
    now = time.time()
    sessions = [home.claude(time=now - 9e5 + number).id for number in range(60)]
    hidden = home.claude(entrypoint="sdk-cli").id
    thread = home.codex(prompt="the newest", time=now - 3 * 3600 - 9).id
    found = complete(run, command, "")
    assert list(found) == [thread, *sessions[:-50:-1]]
    assert found[thread] == "3h the newest"
    assert hidden not in found
    oldest = sessions[0]
    assert list(complete(run, command, oldest[:9])) == [oldest]
    assert complete(run, command, oldest, "") == {}


def test_keys_go_through_the_index(run: Run, home: Home) -> None:
    home.claude()
    assert len(complete(run, "plan", "")) == 1
    assert os.listdir(os.path.join(os.environ["XDG_CACHE_HOME"], "sessfzf")) == ["index"]
    assert len(complete(run, "plan", "")) == 1


def test_without_sessions_nothing_is_said(run: Run) -> None:
    assert complete(run, "plan", "") == {}


@pytest.mark.parametrize("shell", WIDGETS)
def test_the_script_is_what_is_printed(run: Run, shell: str) -> None:
    result = run("completion", shell)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(root, "shell", f"completion.{shell}"), encoding="utf-8") as file:
        assert result.text == file.read()


def test_another_shell(run: Run) -> None:
    result = run("completion", "tcsh\x1b[2J")
    assert (result.code, result.text) == (2, "")
    assert result.err == (
        "sessfzf: there is no completion for 'tcsh': name one of bash, zsh, fish\n"
    )
