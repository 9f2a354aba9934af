"""The messes of public threads (reference D, 45 rows) and the classes without one, case by case.

COVERED says which test builds each case and states the right answer; what no module's own test
does stands below. Where the reference leaves the answer open:

- 6, a folder that was moved: the session is listed and marked, `plan` names what could be meant
  and how to go on. No table of moved folders is kept: it would be a second truth beside the disk.
- 13, a path of Windows on POSIX: shown as stored, refused by `plan`.
- 32, a provider that is no longer configured: listed and planned all the same, without a note. Of
  what a resume may change the provider is no part, so no line names it; and whether a name is
  configured is known to Codex alone (profiles, a project's own configuration, a managed one, names
  built in), which says "Model provider ... not found". A note from config.toml alone would be wrong
  for all of these.
- 42, a copy made by sending a session to the background: both are kept, for both resume.
- A time yet to come is shown as "now" and sorted by what it says.
- Right-to-left letters stay, the controls that turn the direction go.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import time
from typing import TYPE_CHECKING, Final

import pytest
from stores import answer, dump, meta, milliseconds, say, write_lines

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home

TESTS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLAUDE: Final = "agents/test_claude_code.py"
CODEX: Final = "agents/test_codex.py"
HERE: Final = "hostile/test_public_threads.py"
DAMAGE: Final = "hostile/test_damage.py"
TERMINAL: Final = "hostile/test_terminal.py"
SHELL: Final = "hostile/test_shell_injection.py"

COVERED: Final[dict[int | str, tuple[str, ...]]] = {
    1: (
        f"{CLAUDE}::test_a_cd_in_mid_session_changes_no_folder",
        "test_plan.py::test_a_folder_that_is_gone_is_refused",
    ),
    2: (f"{CLAUDE}::test_a_cd_in_mid_session_changes_no_folder",),
    3: (
        f"{CLAUDE}::test_the_last_relocation_decides_the_folder",
        f"{CLAUDE}::test_the_folder_whose_slug_is_the_project_counts_not_the_first",
    ),
    4: (f"{CLAUDE}::test_the_folder_whose_slug_is_the_project_counts_not_the_first",),
    5: ("test_plan.py::test_of_a_worktree_that_is_gone_the_repository_is_named",),
    6: (f"{HERE}::test_d6_a_moved_project_is_listed_marked_and_refused_with_a_way_on",),
    7: (f"{CLAUDE}::test_a_file_without_a_conversation_of_its_own_is_no_session",),
    8: (
        f"{CLAUDE}::test_a_linked_store_is_read",
        f"{CLAUDE}::test_a_linked_project_is_read_and_listed_once",
        f"{DAMAGE}::test_links_in_a_ring_end",
        "test_listing.py::test_here_knows_a_link_to_this_folder",
    ),
    9: (f"{CLAUDE}::test_the_slug_is_that_of_the_real_path_and_the_folder_stays_as_recorded",),
    10: (f"{HERE}::test_d10_a_slug_is_never_decoded",),
    11: ("agents/test_slug.py::test_one_more_than_two_hundred_is_cut_and_hashed",),
    12: (f"{CODEX}::test_a_stale_path_in_the_index_is_found_again_by_id",),
    13: (f"{HERE}::test_d13_a_path_of_windows_is_shown_and_refused",),
    14: (f"{HERE}::test_d14_a_first_line_without_a_folder_hides_nothing",),
    15: (f"{CLAUDE}::test_the_id_is_the_files_name_not_the_one_inside",),
    16: (
        f"{CLAUDE}::test_one_id_in_two_projects_is_one_session_the_newest",
        "test_plan.py::test_of_two_equal_copies_the_listed_one_is_planned",
    ),
    17: (f"{CLAUDE}::test_a_summary_of_another_conversation_does_not_count",),
    18: (
        f"{CLAUDE}::test_what_the_client_wrote_is_no_prompt",
        f"{CLAUDE}::test_after_a_compaction_the_first_prompt_is_still_found",
    ),
    19: (f"{CLAUDE}::test_damage_in_a_file_costs_only_the_damaged_line",),
    20: (
        f"{CLAUDE}::test_damage_in_a_file_costs_only_the_damaged_line",
        f"{CLAUDE}::test_a_last_line_without_its_newline_counts_when_it_is_whole",
    ),
    21: (f"{CLAUDE}::test_damage_in_a_file_costs_only_the_damaged_line",),
    22: (f"{CLAUDE}::test_half_an_emoji_costs_no_record",),
    23: (
        f"{HERE}::test_d23_a_stale_index_only_adds_names",
        f"{CLAUDE}::test_a_pid_that_was_given_away_again_is_not_live",
    ),
    24: ("test_listing.py::test_the_order_is_by_last_activity_whatever_the_files_times",),
    25: (f"{HERE}::test_d25_a_title_made_later_moves_no_session",),
    26: (
        f"{CLAUDE}::test_a_title_600_kb_before_the_end_is_found_in_the_sidecar",
        f"{CLAUDE}::test_a_long_prompt_is_cut_not_dropped",
        "agents/test_growth.py::test_a_title_in_the_middle_of_a_big_file_is_found_after_the_first_list",
    ),
    27: (
        f"{CLAUDE}::test_a_file_of_another_name_is_no_session",
        f"{CLAUDE}::test_what_lies_below_a_session_is_no_session",
    ),
    28: (
        f"{CODEX}::test_a_rollout_of_3_gb_is_listed",
        f"{DAMAGE}::test_no_size_costs_memory_or_a_session",
    ),
    29: (
        f"{CLAUDE}::test_a_line_that_is_too_long_costs_only_itself",
        f"{DAMAGE}::test_no_size_costs_memory_or_a_session",
    ),
    30: (
        f"{CODEX}::test_a_title_of_900_kb_is_cut",
        f"{CODEX}::test_the_title_is_the_first_of_these",
    ),
    31: (
        f"{CODEX}::test_an_index_rows_source_tells_a_sub_agent",
        f"{CODEX}::test_a_rollouts_source_tells_a_sub_agent",
        f"{CODEX}::test_the_other_marks_of_a_sub_agent_in_the_index",
    ),
    32: (f"{HERE}::test_d32_a_provider_that_is_gone_hides_no_thread",),
    33: (
        f"{CODEX}::test_an_index_in_any_state_gives_the_right_rows_and_is_not_touched",
        f"{CODEX}::test_a_linked_index_is_read_with_the_wal_beside_its_target",
        "test_sqlite.py::test_an_exclusive_lock_keeps_nobody_waiting",
    ),
    34: (f"{TERMINAL}::test_no_field_harms_in_any_form",),
    35: (f"{TERMINAL}::test_no_text_at_all_harms",),
    36: (
        f"{SHELL}::test_no_recorded_text_becomes_code",
        "test_plan.py::test_a_folder_with_a_control_character_is_refused",
    ),
    37: ("test_listing.py::test_a_cache_that_cannot_be_written_changes_no_output",),
    38: (
        f"{CLAUDE}::test_a_print_session_is_hidden_by_default",
        "test_plan.py::test_a_session_that_vanished_since_it_was_listed_is_unknown",
    ),
    39: (
        f"{CODEX}::test_rollouts_and_index_rows_are_one_list",
        f"{CODEX}::test_an_index_in_the_sqlite_folder_is_read",
    ),
    40: (f"{HERE}::test_d40_a_line_separator_in_a_text_ends_no_line",),
    41: (f"{CLAUDE}::test_a_bom_hides_no_record",),
    42: (f"{HERE}::test_d42_a_copy_under_another_id_is_a_session_of_its_own",),
    43: (
        f"{HERE}::test_d43_the_prompt_history_hides_nothing",
        f"{CLAUDE}::test_the_store_moves_with_claude_config_dir",
        "test_plan.py::test_a_session_of_another_home_takes_its_home_along",
    ),
    44: (f"{HERE}::test_d44_here_is_also_where_a_session_worked",),
    45: (f"{DAMAGE}::test_no_size_costs_memory_or_a_session",),
    "crlf": (f"{HERE}::test_lines_of_windows_are_lines",),
    "clock skew": (f"{HERE}::test_a_time_yet_to_come_is_now_and_comes_first",),
    "permission": ("test_listing.py::test_what_may_not_be_read_costs_only_itself",),
    "folder names": (
        f"{SHELL}::test_no_recorded_text_becomes_code",
        f"{HERE}::test_bytes_that_are_not_utf_8",
    ),
    "right to left": (f"{HERE}::test_letters_from_right_to_left_stay",),
    "tabs and newlines": ("test_listing.py::test_a_title_is_one_line_of_printable_text",),
    "wide characters": ("test_rows.py::test_the_columns_are_aligned_by_what_a_terminal_shows",),
    "fifo": ("test_listing.py::test_a_damaged_neighbour_costs_only_itself",),
    "vanishing files": (f"{DAMAGE}::test_files_that_change_under_it",),
}


@functools.cache
def functions_of(path: str) -> set[str]:
    with open(os.path.join(TESTS, path), encoding="utf-8") as file:
        return {
            node.name for node in ast.parse(file.read()).body if isinstance(node, ast.FunctionDef)
        }


@pytest.mark.parametrize("row", COVERED, ids=lambda row: f"D{row}".replace(" ", "-"))
def test_every_case_has_a_test(row: int | str) -> None:
    for name in COVERED[row]:
        path, _, function = name.partition("::")
        assert function in functions_of(path), name


def test_no_row_is_left_out() -> None:
    assert {row for row in COVERED if isinstance(row, int)} == set(range(1, 46))


def test_d6_a_moved_project_is_listed_marked_and_refused_with_a_way_on(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    old = home.folder("old name")
    made = home.claude(cwd=old, branch=None)
    os.rename(old, home.path + "/new name")
    assert run("list").rows[0][3] == "~/old name"
    assert "✗" in run("list", "--fzf").text
    refused = run("plan", made.id)
    assert (refused.code, refused.out) == (3, b"")
    assert "is gone: " + old in refused.err
    assert "mkdir -p" in refused.err


def test_d10_a_slug_is_never_decoded(home: Home, run: Run) -> None:
    folders = [home.folder(name) for name in ("a.b_c-d", "a-b-c-d", "a/b.c/d")]
    for folder in folders:
        home.claude(cwd=folder, branch=None)
    assert {row["cwd"] for row in run("list", "--json").objects} == set(folders)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        pytest.param("\\\\?\\C:\\Users\\kim\\api", "C:\\Users\\kim\\api", id="prefix"),
        pytest.param("C:\\Users\\kim\\api", "C:\\Users\\kim\\api", id="drive"),
        pytest.param("c:/users/kim/api", "c:/users/kim/api", id="lower"),
        pytest.param("\\\\wsl$\\Debian\\home\\kim", "\\\\wsl$\\Debian\\home\\kim", id="wsl"),
    ],
)
def test_d13_a_path_of_windows_is_shown_and_refused(
    home: Home, run: Run, stored: str, shown: str
) -> None:
    made = home.codex(cwd=stored, bulk=False)
    home.codex_db([home.thread(made, cwd=stored)])
    assert run("list").rows[0][3] == shown
    refused = run("plan", made.id)
    assert (refused.code, refused.out) == (3, b"")
    assert shown in refused.err


def test_d14_a_first_line_without_a_folder_hides_nothing(home: Home, run: Run) -> None:
    first = [meta("queue-operation", operation="enqueue"), meta("pr-link", prNumber=1)]
    made = home.claude([*first, say("why?"), answer()])
    (row,) = run("list", "--json").objects
    assert (row["id"], row["cwd"], row["title"]) == (made.id, "/home/kim/api", "why?")


def test_d23_a_stale_index_only_adds_names(home: Home, run: Run) -> None:
    claude, codex = home.claude(), home.codex(bulk=False)
    gone = "01a0c0de-ffff-7000-8000-000000000001"
    home.codex_names((gone, "long gone"), (codex.id, "Old"), (codex.id, "Retry loop"))
    entries = [{"sessionId": "11111111-2222-4333-8444-555555555555", "summary": "long gone"}]
    index = os.path.join(os.path.dirname(claude.path), "sessions-index.json")
    write_lines(index, [dump({"version": 1, "entries": entries})])
    rows = {row[0]: row[5] for row in run("list", "--all").rows}
    assert rows == {claude.id: "why does the cache grow?", codex.id: "Retry loop"}


def test_d25_a_title_made_later_moves_no_session(home: Home, run: Run) -> None:
    old = home.claude()
    new = home.claude()
    with open(old.path, "ab") as file:
        file.write(dump({"type": "ai-title", "aiTitle": "Made later", "sessionId": old.id}) + b"\n")
    assert [(row[0], row[5]) for row in run("list").rows] == [
        (new.id, "why does the cache grow?"),
        (old.id, "Made later"),
    ]


def test_d32_a_provider_that_is_gone_hides_no_thread(home: Home, run: Run) -> None:
    folder = home.folder("api")
    one, two = (
        home.codex(cwd=folder, bulk=False, branch=None, meta={"model_provider": name})
        for name in ("openai", "gone")
    )
    with open(os.path.join(home.codex_dir, "config.toml"), "w", encoding="utf-8") as file:
        file.write('model_provider = "other"\n[model_providers.other]\nname = "Other"\n')
    rows = [
        home.thread(one, cwd=folder, git_branch=""),
        home.thread(two, cwd=folder, git_branch=""),
    ]
    home.codex_db(
        [row | {"model_provider": name} for row, name in zip(rows, ("openai", "gone"), strict=True)]
    )
    assert run.shown() == [two.id, one.id]
    want, planned = run("plan", one.id), run("plan", two.id)
    assert (planned.code, planned.err) == (0, "")
    assert planned.text == want.text.replace(one.id, two.id)
    assert "model_provider" not in planned.text


def test_d40_a_line_separator_in_a_text_ends_no_line(home: Home, run: Run) -> None:
    breaks = "one\u2028two\u2029three\u0085four\x1cfive"
    records = [say(breaks), answer("x" + breaks)]
    claude = home.claude([json.dumps(records[0], ensure_ascii=False).encode() + b"\n", *records])
    codex = home.codex(prompt=breaks, bulk=False)
    titles = {row[0]: row[5] for row in run("list").rows}
    assert titles == dict.fromkeys((claude.id, codex.id), "one two three four five")


def test_d42_a_copy_under_another_id_is_a_session_of_its_own(home: Home, run: Run) -> None:
    made = home.claude()
    other = "11111111-2222-4333-8444-555555555555"
    with open(made.path, "rb") as file:
        copied = file.read() + dump(say("more", timestamp="2099-01-01T00:00:00.000Z")) + b"\n"
    with open(os.path.join(os.path.dirname(made.path), other + ".jsonl"), "wb") as file:
        file.write(copied)
    assert run.shown() == [other, made.id]


def test_d43_the_prompt_history_hides_nothing(home: Home, run: Run) -> None:
    one, two = home.claude(), home.claude()
    line = {"display": "x", "project": "/elsewhere", "sessionId": one.id, "timestamp": 0}
    write_lines(os.path.join(home.claude_dir, "history.jsonl"), [dump(line)])
    assert {row[0]: row[3] for row in run("list").rows} == dict.fromkeys(
        (one.id, two.id), "/home/kim/api"
    )


def test_d44_here_is_also_where_a_session_worked(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, below, beside = (home.folder(name) for name in ("work", "work/repo", "work/other"))
    made = home.claude([say("a"), answer(cwd=below), say("b", cwd=below)], cwd=parent)
    for folder, found in ((parent, [made.id]), (below, [made.id]), (beside, [])):
        monkeypatch.chdir(folder)
        assert run.shown("--here") == found


@pytest.mark.parametrize("app", ["claude", "codex"])
def test_lines_of_windows_are_lines(home: Home, run: Run, app: str) -> None:
    made = home.claude(sidecar="Named\r\n") if app == "claude" else home.codex(bulk=False)
    want = run("list", "--json", "--no-cache").objects[0]
    with open(made.path, "rb") as file:
        data = file.read()
    stamp = os.stat(made.path).st_mtime_ns
    with open(made.path, "wb") as file:
        file.write(data.replace(b"\n", b"\r\n"))
    os.utime(made.path, ns=(stamp, stamp))
    assert run("list", "--json").objects[0] | {"bytes": 0} == want | {"bytes": 0}


@pytest.mark.parametrize("make", ["claude", "codex"])
def test_a_time_yet_to_come_is_now_and_comes_first(home: Home, run: Run, make: str) -> None:
    later = time.time() + 400 * 86_400
    ahead = home.claude(time=later) if make == "claude" else home.codex(time=later, bulk=False)
    behind = home.claude(time=time.time() - 30)
    assert [row[0] for row in run("list").rows] == [ahead.id, behind.id]
    assert [row[2] for row in run("list").rows] == ["now", "now"]
    assert run("list", "--json").objects[0]["time"] == milliseconds(later)


def test_bytes_that_are_not_utf_8(home: Home, run: Run) -> None:
    # The client writes U+FFFD for them, which names no folder that is there: said, not guessed.
    os.makedirs(os.fsencode(home.path) + b"/na\xefve")
    made = home.claude(cwd=home.path + "/na\ufffdve", branch=None)
    other = home.claude(cwd=home.path + "/na\udcefve", branch=None)
    rows = run("list").rows
    assert {row[3] for row in rows} == {"~/na\ufffdve"}
    for session in (made, other):
        refused = run("plan", session.id)
        assert (refused.code, refused.out) == (3, b"")


def test_letters_from_right_to_left_stay(home: Home, run: Run) -> None:
    hebrew, arabic = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"
    home.claude(prompt=f"\u202b{hebrew}\u202c \u2067{arabic}\u2069 abc\u200f")
    assert run("list").rows[0][5] == f"{hebrew} {arabic} abc"
