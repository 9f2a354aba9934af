from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from sessfzf import keys, rows

if TYPE_CHECKING:
    from conftest import Run


def columns(line: str) -> int:
    return sum(not unicodedata.combining(char) for char in line)


@pytest.mark.parametrize("wide", ["", "x", "0", "20", "59", "75", "76", "80", "9" * 12])
def test_the_page_says_every_key_mark_and_word_in_lines_that_fit(
    run: Run, monkeypatch: pytest.MonkeyPatch, wide: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", wide)
    result = run("keys")
    assert (result.code, result.err) == (0, "")
    lines = result.text.splitlines()
    for label, text in (*keys.KEYS, *keys.WORDS):
        assert any(f"{label:<11}{text}".strip() in line for line in lines)
    for name, text in keys.MARKED:
        assert any(f"{rows.MARKS[name][0]} {text}" in line for line in lines)
    assert max(columns(line) for line in lines) <= (
        80 if wide in {"", "x", "76", "80"} or len(wide) > 9 else 38
    )
    assert all(line.isprintable() and line == line.rstrip() for line in lines)


def test_each_mark_is_explained() -> None:
    """What is missing has the mark of what is gone, and open that of idle."""
    told = {name for name, _ in keys.MARKED}
    marks = {rows.MARKS[name][0] for name in told}
    assert marks == {mark for mark, _ in rows.MARKS.values()}


def test_colours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[36mAlt-A" in run("keys").text
    assert "\x1b[32m● \x1b[0mbusy" in run("keys").text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("keys").text


def test_with_more_words_it_is_wrong_usage(run: Run) -> None:
    assert run("keys", "more").code == 2
