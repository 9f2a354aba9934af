"""The preview opens at the newest match, and marks it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

import pytest
from stores import aside, say, tool_result, typed
from test_preview import completed, said, tool

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home, Written

MARK: Final = re.compile("\x1b\\[7m(.*?)\x1b\\[0m")


@pytest.fixture(autouse=True)
def window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", "60")
    monkeypatch.setenv("FZF_PREVIEW_LINES", "40")


def talk(run: Run, made: Written, *words: str) -> list[str]:
    """The lines of the conversation that are shown."""
    result = run("preview", made.id, *words)
    assert (result.code, result.err) == (0, "")
    lines = result.text.splitlines()
    assert len(lines) <= 40
    (rule,) = [number for number, line in enumerate(lines) if "───" in line]
    return lines[rule + 1 :]


def long(home: Home) -> Written:
    """A session in which the needle was said thrice, with much before, between and behind."""
    records = []
    for number in range(300):
        text = {100: "an old Needle", 200: "the newest needle, and needle"}.get(number, "nothing")
        records += [say(f"{number}: {text}"), said(tool("Bash", command=f"run {number}"), "done")]
        records.append(aside([tool_result("needle " * 50)]))
    return home.claude(records)


def test_it_opens_at_the_newest_match(home: Home, run: Run) -> None:
    made = long(home)
    lines = talk(run, made, "--find", "needle")
    assert "  200: the newest \x1b[7mneedle\x1b[0m, and needle" in lines
    assert any("199: nothing" in line for line in lines)
    assert any("201: nothing" in line for line in lines)
    assert any("run 200" in line for line in lines)
    assert lines[0] == "\x1b[2m…\x1b[0m"
    assert MARK.findall("\n".join(talk(run, made, "--find", "Needle"))) == ["Needle"]
    assert MARK.findall("\n".join(talk(run, made, "--find", "n.w[a-z]+", "--regex")))[0] == "newest"


def test_without_a_match_it_is_the_end(home: Home, run: Run) -> None:
    made = long(home)
    for words in (["zebra"], ["needl", "--word"], [""]):
        assert talk(run, made, "--find", *words) == talk(run, made)


def test_what_is_near_an_end_of_the_file(home: Home, run: Run) -> None:
    first = home.claude([say("needle"), *[said(f"later {n}") for n in range(90)]])
    assert talk(run, first, "--find", "needle")[1] == "  \x1b[7mneedle\x1b[0m"
    last = home.claude([*[said(f"before {n}") for n in range(90)], say("the needle")])
    assert talk(run, last, "--find", "needle")[-1] == "  the \x1b[7mneedle\x1b[0m"


def test_a_match_that_is_broken_or_not_shown(home: Home, run: Run) -> None:
    made = home.claude([said("x\n" * 90), say(f"{'y' * 50} two words here"), said("z\n" * 90)])
    lines = talk(run, made, "--find", "two words here")
    assert any("y" * 50 in line for line in lines)
    other = home.codex([*typed("x"), completed("AgentMessage", content=[{"text": "**bold** it"}])])
    assert any("bold" in line for line in talk(run, other, "--find", "**bold**"))


def test_in_a_pipe_all_that_is_near_is_shown(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FZF_PREVIEW_LINES")
    made = long(home)
    text = run("preview", made.id, "--find", "needle").text
    assert "199: nothing" in text
    assert "299: nothing" in text


def test_colour_may_be_unwanted(home: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in "".join(talk(run, long(home), "--find", "needle"))


def test_what_cannot_be_searched(home: Home, run: Run) -> None:
    made = home.claude([say("a" * 50 + "!")])
    assert talk(run, made, "--find", "(a+)+$", "--regex")
    assert run("preview", made.id, "--find", "(", "--regex").code == 2
    packed = home.codex(suffix=".jsonl.zst")
    home.codex_db([home.thread(packed)])
    assert "compressed" in run("preview", packed.id, "--find", "needle").text
    gone = home.codex()
    home.codex_db([home.thread(gone)], name="state_6.sqlite")
    os.unlink(gone.path)
    assert run("preview", gone.id, "--find", "needle").code in {0, 1}
