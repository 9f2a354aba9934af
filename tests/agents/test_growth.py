"""A file that only grew, and titles that stand where no quick reading reaches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from stores import answer, dump, meta, say

from sessfzf import jsonl

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home

PADDING = "x" * 3000


def talk(count: int) -> list[dict[str, Any]]:
    """Enough of a conversation to push what came before it from the end: some 4 KB each."""
    return [answer(PADDING) for _ in range(count)]


def grow(path: str, *records: dict[str, Any]) -> None:
    with open(path, "ab") as file:
        file.writelines(dump(record) + b"\n" for record in records)


def conversational(**fields: Any) -> dict[str, Any]:
    shared = {
        "cwd": "/home/kim/api",
        "gitBranch": "main",
        "entrypoint": "cli",
        "timestamp": "2026-11-30T10:00:00.000Z",
    }
    return shared | fields


def test_a_title_given_long_ago_stays_when_the_file_grows(home: Home, run: Run) -> None:
    old = home.claude([say("first"), meta("custom-title", customTitle="Cache growth"), *talk(2)])
    assert run.listed()[old.id]["title"] == "Cache growth"
    grow(old.path, *(conversational(**record) for record in talk(300)))
    assert os.path.getsize(old.path) > jsonl.HEAD_BYTES + jsonl.TAIL_BYTES
    assert run.listed()[old.id]["title"] == "Cache growth"


def test_what_the_new_part_says_wins(home: Home, run: Run) -> None:
    old = home.claude(
        [
            say("first"),
            answer(),
            meta("custom-title", customTitle="Old"),
            meta("ai-title", aiTitle="A"),
        ]
    )
    run.listed()
    grow(
        old.path,
        conversational(**say("go on"), permissionMode="plan", gitBranch="feat")
        | {"gitBranch": "feat"},
        conversational(**answer())
        | {"effort": "low", "gitBranch": "feat", "message": {"role": "assistant", "model": "y"}},
        {"type": "custom-title", "customTitle": "New"},
    )
    row = run.listed()[old.id]
    assert (row["title"], row["branch"], row["approval"], row["effort"]) == (
        "New",
        "feat",
        "plan",
        "low",
    )


def test_what_the_new_part_does_not_say_stays(home: Home, run: Run) -> None:
    old = home.claude(effort="high", mode="plan", model="opus-x", branch="feat")
    before = run.listed()[old.id]
    grow(old.path, *({"type": "atis-latch", "n": number} for number in range(2000)))
    after = run.listed()[old.id]
    for field in ("title", "cwd", "branch", "model", "effort", "approval", "time", "hidden"):
        assert after[field] == before[field]
    assert after["bytes"] > before["bytes"]


def test_a_print_session_continued_by_hand_is_shown(home: Home, run: Run) -> None:
    old = home.claude(entrypoint="sdk-cli")
    assert old.id not in run.shown()
    grow(old.path, conversational(**say("by hand")))
    assert old.id in run.shown()


def test_a_file_replaced_by_a_longer_one_is_read_from_scratch(home: Home, run: Run) -> None:
    old = home.claude([say("first"), meta("custom-title", customTitle="Gone")])
    run.listed()
    other = old.path + ".new"
    with open(other, "wb") as file:
        file.writelines(dump(conversational(**say("other prompt"))) + b"\n" for _ in range(50))
    os.replace(other, old.path)
    assert run.listed()[old.id]["title"] == "other prompt"


def test_a_growing_file_says_the_same_as_one_read_at_once(home: Home, run: Run) -> None:
    old = home.claude([say("first"), answer()])
    parts = [
        [conversational(**say("second"), permissionMode="acceptEdits")],
        [conversational(**record) for record in talk(40)],
        [{"type": "ai-title", "aiTitle": "Named"}],
        [conversational(**say("third"), permissionMode="plan")],
    ]
    for part in parts:
        grow(old.path, *part)
        assert run.listed()[old.id] == run.listed("--no-cache")[old.id]


def test_a_rollout_that_grew_keeps_its_name_and_takes_the_new_settings(
    home: Home, run: Run
) -> None:
    old = home.codex(prompt="make the retry loop stop")
    before = run.listed()[old.id]
    grow(
        old.path,
        {
            "timestamp": "2026-11-30T12:00:00.000Z",
            "type": "turn_context",
            "payload": {
                "cwd": before["cwd"],
                "model": "gpt-y",
                "effort": "low",
                "approval_policy": "never",
                "sandbox_policy": {"type": "danger-full-access"},
            },
        },
    )
    after = run.listed()[old.id]
    assert after["title"] == before["title"]
    assert (after["model"], after["approval"], after["sandbox"]) == (
        "gpt-y",
        "never",
        "danger-full-access",
    )
    assert after == run.listed("--no-cache")[old.id]


@pytest.mark.parametrize("kind", ["custom-title", "ai-title"])
def test_a_title_in_the_middle_of_a_big_file_is_found_after_the_first_list(
    home: Home, run: Run, kind: str
) -> None:
    field = {"custom-title": "customTitle", "ai-title": "aiTitle"}[kind]
    record = meta(kind, **{field: "Far from both ends"})
    old = home.claude([say("first"), *talk(120), record, *talk(300)])
    first = run.listed()[old.id]["title"]
    assert first in {"first", "Far from both ends"}
    assert run.listed()[old.id]["title"] == "Far from both ends"


def test_a_name_given_by_the_person_is_sought_beyond_a_made_one(home: Home, run: Run) -> None:
    old = home.claude(
        [
            say("first"),
            *talk(120),
            meta("custom-title", customTitle="Mine"),
            *talk(40),
            meta("ai-title", aiTitle="Made"),
            *talk(300),
        ]
    )
    run.listed()
    assert run.listed()[old.id]["title"] == "Mine"


def test_a_search_goes_on_where_the_last_one_stopped(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "SEARCH_BLOCK", 64 * 1024)
    monkeypatch.setattr("sessfzf.listing._SEARCH_BUDGET", 0.0)  # one block a run
    old = home.claude([say("first"), *talk(100), meta("ai-title", aiTitle="Far"), *talk(300)])
    titles = [run.listed()[old.id]["title"] for _ in range(25)]
    assert titles[0] == "first"
    assert titles[-1] == "Far"
    assert titles == sorted(titles, key=["first", "Far"].index)
