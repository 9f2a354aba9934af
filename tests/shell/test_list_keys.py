"""Every key and scope of the list, in each shell, size, fzf, with and without colours."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from stores import git, repository
from terminal import FZF_NEW, FZFS, MARKS, PROMPT, SHELLS, Machine, Terminal, machine_with, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = MARKS
every_shell = pytest.mark.parametrize("shell", SHELLS)
every_fzf = pytest.mark.parametrize("fzf", FZFS)
SIZES: Final = ((80, 24), (120, 40), (200, 50))


class Place(NamedTuple):
    """A repository with a worktree, a session in each folder, and one elsewhere."""

    inside: str
    ids: dict[str, str]


@pytest.fixture
def machine() -> Iterator[Machine]:
    with machine_with() as made:
        yield made


def furnish(machine: Machine) -> Place:
    top = repository(machine.home.folder("top"))
    tree = os.path.join(machine.path, "tree")
    git(top, "worktree", "add", "-q", "-b", "b", tree)
    inside = machine.home.folder("top", "inside")
    ids = {
        "hidden": machine.home.codex(cwd=top, prompt="hidden", branch=None, archived=True).id,
        "elsewhere": machine.home.codex(
            cwd=machine.home.folder("other"), prompt="elsewhere", branch=None
        ).id,
        "tree": machine.home.claude(cwd=tree, prompt="tree", branch=None).id,
        "top": machine.home.claude(cwd=top, prompt="top", branch=None).id,
        "inside": machine.home.claude(cwd=inside, prompt="inside", branch=None).id,
    }
    return Place(inside, ids)


def shown(screen: Terminal, place: Place) -> list[str]:
    """The titles in the list, from its top."""
    lines = [line.partition("│")[0] for line in screen.screen().split("\n")]
    rows = [re.match(r"[^a-z]{0,3}(?:claude|codex) +\d+[a-z].* (\w+) *$", line) for line in lines]
    return [row[1] for row in rows if row and row[1] in place.ids]


def wait_for_titles(screen: Terminal, place: Place, titles: list[str]) -> None:
    screen.wait_for(lambda: shown(screen, place) == titles, str(titles))


def listed(screen: Terminal) -> list[str]:
    """What stands above and left of the preview, when fzf has painted all of it."""
    before: list[str] = []
    while True:
        lines = [line.partition("│")[0].rstrip() for line in screen.screen().split("\n")]
        below = [at for at, line in enumerate(lines) if line and not line.strip("─")]
        lines = lines[: below[0] if below else None]
        if lines == before:
            return lines
        before = lines
        time.sleep(0.05)


def press(screen: Terminal, key: str, pattern: str, **rows: int) -> str:
    """Press a key, wait for what it brings and for the number of rows; returns the screen."""
    if len(key) > 1:
        screen.keys(key)
    else:
        screen.type(key)
    return screen.wait(
        rf"\A[^\0]*{pattern}"
        if not rows
        else rf"\A[^\0]*session> .*\b{rows['rows']}/\d+[^\0]*{pattern}"
    )


@every_fzf
@pytest.mark.parametrize(("size", "shell"), list(zip(SIZES, SHELLS, strict=True)), ids=str)
def test_each_key_that_stays_in_the_list(fzf: str, size: tuple[int, int], shell: str) -> None:
    with machine_with(fzf) as machine:
        place = furnish(machine)
        seen = [drive(machine, shell, size, place, **colour) for colour in ({}, {"NO_COLOR": "1"})]
        assert seen[0] == seen[1]


def drive(
    machine: Machine, shell: str, size: tuple[int, int], place: Place, **env: str
) -> list[list[str]]:
    """Press the keys one after the other; returns how the list looked."""
    line = machine.run("sessfzf", "plan", place.ids["inside"]).stdout.rstrip("\n")
    ids = ["inside", "top", "tree", "elsewhere"]
    screens: list[list[str]] = []
    with terminal(machine, shell, size=size, before=f"cd {place.inside}", **env) as screen:
        screen._tmux("set-option", "-s", "set-clipboard", "on")
        screen.keys("M-r")
        press(screen, "C-u", r"Alt-A \[all\].* (Alt-)?G repository .* hidden", rows=4)
        wait_for_titles(screen, place, ids)
        screens.append(listed(screen))
        for key, scope, titles in (
            ("M-g", r"G \[repository\]", ids[:3]),
            ("M-h", r"H \[folder\]", ids[:1]),
            ("M-u", r"Alt-A \[all\].*U \[hidden\]", [*ids, "hidden"]),
            ("M-a", r"Alt-A \[all\](?!.*\[hidden\])", ids),
            ("M-h", r"H \[folder\]", ids[:1]),
            ("C-r", r"Alt-A \[all\]", ids),
        ):
            press(screen, key, scope, rows=len(titles))
            wait_for_titles(screen, place, titles)
            screens.append(listed(screen))
        for words, titles in (
            ("app:codex", ["elsewhere"]),
            ("'is:worktree", ["tree"]),
            ("!app:codex !'is:worktree inside", ["inside"]),
            (f"'folder:{place.inside}", ["inside"]),
            (place.ids["top"][:13], ["top"]),
        ):
            screen.type(words)
            wait_for_titles(screen, place, titles)
            screen.keys("C-u")
            screen.wait(r"session> .*\b4/4")
        beside = size[0] >= 100
        facts = r"Enter +resumes with"
        if not beside:
            assert not re.search(facts, screen.screen())
            press(screen, "M-p", facts)
        screen.wait(facts)
        press(screen, "M-p", "session>")
        screen.wait_gone(facts)
        press(screen, "?", "Alt-Enter +with approvals as recorded")
        press(screen, "M-i", f"copied by the terminal[^\0]*{place.ids['inside']}")
        screen.wait_for(lambda: clipboard(screen) == place.ids["inside"], "id on the clipboard")
        press(screen, "M-y", r"copied by the terminal[^\0]*cd ")
        screen.wait_for(lambda: clipboard(screen) == line, "line on the clipboard")
        press(screen, "Down", facts)
        screens.append(listed(screen))
        screen.keys("Escape")
        screen.wait_gone("session>")
        screen.wait_prompt()
    return screens


def clipboard(screen: Terminal) -> str:
    buffers = screen._tmux("list-buffers", "-F", "#{buffer_name}").split()
    return screen._tmux("show-buffer") if buffers else ""


@every_shell
@every_fzf
def test_each_key_that_leaves_the_list_for_a_session(shell: str, fzf: str) -> None:
    """Enter, Alt-Enter and Ctrl-E have tests of their own."""
    with machine_with(fzf) as machine:
        folder = machine.home.folder("it's")
        session = machine.home.claude(cwd=folder, prompt="alpha", branch=None)
        machine.home.claude(cwd=f"{machine.path}/gone", prompt="omega", branch=None)
        with terminal(machine, shell, size=(120, 40)) as screen:
            screen.pick("alpha", answer="M-n")
            launch = screen.launched()
            assert launch.argv[:3] == ["claude", "--resume", session.id]
            assert "--fork-session" in launch.argv
            screen.wait_prompt()
            screen.pick("alpha", answer="M-o")
            screen.wait(rf"""^{PROMPT}cd '/[^&]*s'$""")
            screen.wait_prompt()
            screen.keys("C-l")
            screen.type("pwd")
            screen.keys("Enter")
            screen.wait(f"^{folder}$")
            screen.pick("omega", answer="M-o")
            screen.wait("^sessfzf: .*gone")
            assert machine.launched() is None


@every_shell
def test_a_scope_that_is_empty_says_so_and_is_no_session(machine: Machine, shell: str) -> None:
    machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
    empty = machine.home.folder("empty")
    with terminal(
        machine, shell, size=(120, 40), before=f"cd {empty}", SESSFZF_SCOPE="folder"
    ) as screen:
        for answer in ("Enter", "M-Enter", "C-e", "M-n", "M-o"):
            screen.keys("M-r")
            screen.wait(r"H \[folder\]")
            screen.wait("no session in this folder: Alt-G")
            if answer == "Enter":
                press(screen, "M-g", r"G \[repository\]")
                screen.wait("no session in this repository")
                screen.keys("M-y", "M-i")
                press(screen, "?", "this page")
            screen.keys(answer)
            screen.wait_gone("session>")
            screen.wait_prompt()
        screen.wait_alive()
        assert "sessfzf:" not in screen.screen()
        assert machine.launched() is None
        screen.keys("M-r")
        screen.wait("no session in this folder")
        press(screen, "M-a", "alpha", rows=1)
        screen.keys("Enter")
        screen.launched()


@every_fzf
def test_a_scope_need_not_be_exported(fzf: str) -> None:
    sets = {
        "zsh": "SESSFZF_SCOPE=folder",
        "bash": "SESSFZF_SCOPE=folder",
        "fish": "set -g SESSFZF_SCOPE folder",
    }
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        for shell, before in sets.items():
            with terminal(machine, shell, before=before) as screen:
                screen.keys("M-r")
                screen.wait(r"H \[folder\]")


@every_fzf
def test_the_persons_own_keys_win(fzf: str) -> None:
    own = "--bind='?:abort,alt-a:accept,alt-p:up' --preview='echo for files'"
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(
            machine,
            "bash",
            size=(120, 40),
            FZF_DEFAULT_OPTS=own,
            SESSFZF_FZF_OPTS="--bind=alt-y:abort",
        ) as screen:
            for key in ("?", "M-y"):
                screen.open("", 1)
                screen.wait("│ *app +claude-code")
                press(screen, key, PROMPT.rstrip())
                screen.wait_gone("session>")
                screen.wait_prompt()
            screen.pick("alpha", answer="M-a")
            screen.launched()
        with terminal(
            machine, "bash", size=(120, 40), SESSFZF_FZF_OPTS="--preview='echo mine {1}'"
        ) as screen:
            screen.open("", 1)
            screen.wait("│ *mine [0-9a-f]{8}-")


@every_fzf
def test_a_preview_that_is_left_behind_leaves_nothing(fzf: str) -> None:
    """fzf kills it as the person moves on; a copy of Codex's index may lie there for a minute."""
    with machine_with(fzf) as machine:
        folder = machine.home.folder("work")
        threads = [machine.home.codex(cwd=folder, prompt=f"n{number}") for number in range(12)]
        machine.home.codex_db(
            [machine.home.thread(one, cwd=folder) for one in threads], state="wal"
        )
        temporary = os.path.join(machine.path, "tmp")
        os.mkdir(temporary)
        with terminal(machine, "zsh", size=(120, 40), TMPDIR=temporary) as screen:
            screen.open("", len(threads))
            for _ in range(3):
                screen.keys(*["Down"] * 11)
                time.sleep(0.05)
                screen.keys(*["Up"] * 11)
                time.sleep(0.02)
            screen.wait("│ *app +codex")
            screen.keys("Escape")
            screen.wait_prompt()
        for left in os.listdir(temporary):
            os.utime(os.path.join(temporary, left), (0, 0))
        assert machine.run("sessfzf", "list", "--no-cache", TMPDIR=temporary).stdout
        assert os.listdir(temporary) == []


@every_fzf
def test_resume_has_the_same_keys(fzf: str) -> None:
    with machine_with(fzf) as machine:
        place = furnish(machine)
        with terminal(
            machine, "bash", load="", before=f"cd {place.inside}", size=(200, 50)
        ) as screen:
            screen.type("sessfzf")
            screen.keys("Enter")
            screen.wait(r"session> .*\b4/4")
            screen.wait("│ *app +claude-code")
            press(screen, "M-g", r"\[repository\]", rows=3)
            press(screen, "M-h", r"\[folder\]", rows=1)
            press(screen, "?", "Alt-Enter +with approvals")
            press(screen, "M-i", f"copied by[^\0]*{place.ids['inside']}")
            screen.keys("M-o")
            screen.wait(rf"^cd '{place.inside}'$")
            screen.wait_prompt()
            screen.type("sessfzf resume")
            screen.keys("Enter")
            screen.wait(r"session> .*\b4/4")
            screen.keys("M-n")
            assert "--fork-session" in screen.launched().argv


def test_ctrl_r_reads_new_sessions_and_keeps_the_query() -> None:
    with machine_with(FZF_NEW) as machine:
        place = furnish(machine)
        with terminal(machine, "zsh", size=(120, 40), before=f"cd {place.inside}") as screen:
            screen.open("inside", 1)
            machine.home.claude(cwd=place.inside, prompt="inside", branch=None)
            press(screen, "C-r", "inside", rows=2)
