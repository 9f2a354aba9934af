"""What `doctor` learns from the real shells, and what asking them leaves behind: nothing."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from stores import snapshot
from terminal import MARKS, SHELLS, machine_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from terminal import Machine

pytestmark = MARKS
every_shell = pytest.mark.parametrize("shell", SHELLS)

FILES = {"zsh": ".zshrc", "bash": ".bashrc", "fish": ".config/fish/config.fish"}
LOADS = {
    "zsh": "source <(sessfzf init zsh)",
    "bash": 'eval "$(sessfzf init bash)"',
    "fish": "sessfzf init fish | source",
}


@pytest.fixture
def machine() -> Iterator[Machine]:
    with machine_with() as made:
        for shell in SHELLS:
            target = subprocess.run(
                ["sh", "-c", f"command -v {shell}"], capture_output=True, text=True, check=True
            )
            link = os.path.join(made.bin, shell)
            if not os.path.lexists(link):
                os.symlink(target.stdout.strip(), link)
        for agent in ("claude", "codex"):
            made.write(os.path.join(made.bin, agent), "#!/bin/sh\necho 1.2.3\n")
        yield made


def ask(machine: Machine, shell: str, *lines: str, **env: str) -> dict[str, Any]:
    """What is found of a shell whose start-up file has these lines."""
    machine.write(FILES[shell], "\n".join(lines) + "\n")
    done = machine.run("sessfzf", "doctor", "--json", **env)
    assert done.stderr == ""
    facts = json.loads(done.stdout)
    (found,) = [one for one in facts["shells"] if one["name"] == shell]
    found["problems"] = [
        one["what"] for one in facts["problems"] if one["what"].startswith(f"{shell}: ")
    ]
    assert isinstance(found, dict)
    return found


@every_shell
def test_a_widget_that_is_loaded(machine: Machine, shell: str) -> None:
    found = ask(machine, shell, "echo good morning", LOADS[shell])
    assert (found["loaded"], found["keys"], found["problems"]) == (True, ["Alt-R"], [])
    assert found["version"][0].isdigit()
    assert "good" not in json.dumps(found)


@every_shell
def test_a_widget_that_is_not(machine: Machine, shell: str) -> None:
    found = ask(machine, shell, "true")
    assert (found["loaded"], found["keys"], found["unknown"]) == (False, [], "")
    assert (
        f"widget not loaded; ~/{FILES[shell]}: {LOADS[shell]}\n"
        in machine.run("sessfzf", "doctor").stdout
    )


@every_shell
def test_another_key_and_none(machine: Machine, shell: str) -> None:
    assign = "set -g SESSFZF_KEY {}" if shell == "fish" else "SESSFZF_KEY={}"
    other = {"zsh": r"'\C-o'", "bash": r"'\C-o'", "fish": r"\co"}[shell]
    found = ask(machine, shell, assign.format(other), LOADS[shell])
    assert (found["keys"], found["problems"]) == (["Ctrl-O"], [])
    found = ask(machine, shell, assign.format("''"), LOADS[shell])
    assert (found["loaded"], found["keys"], found["problems"]) == (True, [], [])
    assert "widget loaded, no key\n" in machine.run("sessfzf", "doctor").stdout


@every_shell
def test_a_key_that_another_binding_has_taken(machine: Machine, shell: str) -> None:
    takes = {
        "zsh": r"bindkey '\er' redisplay",
        "bash": r"""bind '"\er": redraw-current-line'""",
        "fish": r"bind \er repaint; bind -M insert \er repaint",
    }
    found = ask(machine, shell, LOADS[shell], takes[shell])
    assert found["loaded"]
    assert found["keys"] == []
    (problem,) = found["problems"]
    assert problem.startswith(f"{shell}: Alt-R should open the list, but does: ")
    assert takes[shell].split()[-1].strip("'") in problem


def test_the_function_that_fish_calls_at_its_first_prompt(machine: Machine) -> None:
    function = r"function fish_user_key_bindings; bind \er repaint; end"
    found = ask(machine, "fish", LOADS["fish"], function)
    assert found["taken"]


def test_vi_mode(machine: Machine) -> None:
    assert ask(machine, "zsh", "bindkey -v", LOADS["zsh"])["keys"] == ["Alt-R"]
    assert ask(machine, "bash", "set -o vi", LOADS["bash"])["keys"] == ["Alt-R"]
    assert ask(machine, "fish", "fish_vi_key_bindings", LOADS["fish"])["keys"] == ["Alt-R"]


def test_zsh_vi_mode_which_loads_it_later(machine: Machine) -> None:
    found = ask(machine, "zsh", "zvm_after_init_commands+=('source <(sessfzf init zsh)')")
    assert found["loaded"]
    assert found["problems"] == []


@every_shell
def test_strict_options_and_aliases_do_no_harm(machine: Machine, shell: str) -> None:
    hostile = {
        "zsh": "setopt ksh_arrays sh_word_split no_unset err_exit\nalias -g '@end'=x print=false",
        "bash": "set -euo pipefail\nalias printf=false",
        "fish": "function printf; end",
    }[shell]
    found = ask(machine, shell, LOADS[shell], hostile)
    assert (found["unknown"], found["loaded"]) == ("", True)


@every_shell
def test_start_up_files_that_never_end(machine: Machine, shell: str) -> None:
    began = time.monotonic()
    found = ask(machine, shell, "sleep 60")
    assert found["unknown"] == "its start-up files take more than 5 s"
    assert time.monotonic() - began < 20
    assert found["problems"] == []


@pytest.mark.parametrize("shell", ["zsh", "bash"])  # fish goes on
def test_start_up_files_that_end_the_shell(machine: Machine, shell: str) -> None:
    assert ask(machine, shell, "exit 7")["unknown"] == "ended with exit code 7"


def test_asking_leaves_nothing_behind(machine: Machine) -> None:
    for shell in SHELLS:
        history = "HISTFILE=~/.history HISTSIZE=9 SAVEHIST=9\n" if shell != "fish" else ""
        machine.write(FILES[shell], history + LOADS[shell] + "\n")
    machine.write(".history", "echo one\n")
    before = snapshot(machine.path)
    assert machine.run("sessfzf", "doctor", XDG_CACHE_HOME=machine.root).returncode == 0
    assert snapshot(machine.path) == before


def test_a_new_home_stays_empty(machine: Machine) -> None:
    new = os.path.join(machine.root, "new")
    os.mkdir(new)
    done = machine.run("sessfzf", "doctor", HOME=new)
    assert done.returncode == 0
    assert "widget not loaded; ~/.config/fish/config.fish: " in done.stdout
    assert os.listdir(new) == []


def test_no_shell_at_all(machine: Machine) -> None:
    for shell in SHELLS:
        machine.without(shell)
    lines = machine.run("sessfzf", "doctor").stdout.split("\n")
    assert {f"{shell:<13}not installed" for shell in SHELLS} <= set(lines)
