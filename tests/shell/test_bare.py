"""The command alone, the demo and the progress of a long reading, on a real terminal."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

import pytest
from terminal import FZFS, MARKS, PROMPT, machine_with, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from terminal import Machine

pytestmark = MARKS


@pytest.fixture(params=FZFS)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    with machine_with(request.param) as made:
        yield made


def test_the_command_alone_opens_the_picker(machine: Machine) -> None:
    folder = machine.home.folder("work")
    session = machine.home.claude(cwd=folder, branch=None, prompt="the retry loop").id
    with terminal(machine, "bash", load="") as screen:
        screen.type("sessfzf")
        screen.keys("Enter")
        screen.wait(r"\b1/1\b")
        time.sleep(0.1)
        screen.keys("Enter")
        launch = screen.launched()
        assert (launch.folder, launch.argv[:3]) == (folder, ["claude", "--resume", session])
        screen.wait_prompt()
        screen.type("sessfzf | cat")
        screen.keys("Enter")
        screen.wait("^Commands:")
        screen.type("sessfzf </dev/null")
        screen.keys("C-l", "Enter")
        screen.wait("^Commands:")


def test_the_demo_shows_a_line_and_goes(machine: Machine) -> None:
    temporary = os.path.join(machine.root, "temporary")
    os.mkdir(temporary)
    with terminal(machine, "bash", load="", size=(120, 30), TMPDIR=temporary) as screen:
        screen.type("sessfzf --demo")
        screen.keys("Enter")
        screen.wait(r"\b25/25\b")
        assert len(os.listdir(temporary)) == 1
        screen.type("sundials")
        screen.wait(r"\b1/25\b")
        time.sleep(0.1)
        screen.keys("Enter")
        shown = screen.wait(r"^cd '.*/home/notes' && claude --resume .*$")
        assert "made up" in shown
        screen.wait_prompt()
        assert machine.launched() is None
        assert os.listdir(temporary) == []
        screen.keys("C-l")
        screen.wait(rf"\A{PROMPT.rstrip()}\Z")
        screen.type("sessfzf --demo")
        screen.keys("Enter")
        screen.wait(r"\b25/25\b")
        screen.keys("Escape")
        screen.wait_prompt()
        assert os.listdir(temporary) == []


# Makes each reading of a file slow, as a network folder would.
SLOW = """\
import sys, time
from sessfzf import listing
from sessfzf.__main__ import main
read = listing.Walk._read
def slow(*words):
    time.sleep(0.02)
    return read(*words)
listing.Walk._read = slow
sys.exit(main())
"""


@pytest.fixture
def slow_machine() -> Iterator[Machine]:
    with machine_with() as made:
        for number in range(200):
            made.home.claude(prompt=f"session {number:03}")
        script = os.path.join(made.bin, "sessfzf")
        with open(script, encoding="utf-8") as file:
            shebang = file.readline()
        made.write(script, shebang + SLOW)
        yield made


def test_a_first_reading_shows_how_far_it_is(slow_machine: Machine) -> None:
    with terminal(slow_machine, "bash", load="", size=(100, 30)) as screen:
        screen.type("sessfzf list --here; echo do''ne")
        screen.keys("Enter")
        shown = screen.wait(r"reading sessions: \d+ of 200$")
        assert shown.count("reading") == 1
        screen.wait("^done$")
        assert "reading" not in screen.screen()
        # Nothing is new now.
        screen.keys("C-l")
        screen.type("sessfzf list --limit 1; echo do''ne")
        screen.keys("Enter")
        assert "reading" not in screen.wait("^done$")


def test_rows_and_progress_do_not_mix(slow_machine: Machine) -> None:
    with terminal(slow_machine, "bash", load="", size=(120, 30)) as screen:
        screen.type("sessfzf list; echo do''ne")
        screen.keys("Enter")
        screen.wait(r"reading sessions: \d+ of 200$")
        shown = screen.wait("^done$")
        rows = [line for line in shown.split("\n") if "session 0" in line]
        assert len(rows) > 20
        assert all(re.fullmatch(r"\S+ +claude-code +\S+ .*session \d+", row) for row in rows)
        assert "reading" not in shown


@pytest.mark.parametrize("form", ["| cat", "2>messages", "--fzf | cat", ">rows"])
def test_nothing_of_it_goes_into_a_pipe_or_a_file(slow_machine: Machine, form: str) -> None:
    with terminal(slow_machine, "bash", load="", size=(100, 30)) as screen:
        screen.type(f"sessfzf list --here {form}; echo do''ne; cat messages rows")
        screen.keys("Enter")
        end = time.monotonic() + 20
        while not re.search("^done$", shown := screen.screen(), re.MULTILINE):
            assert "reading" not in shown
            assert time.monotonic() < end
        time.sleep(0.2)
        assert "reading" not in screen.screen()
