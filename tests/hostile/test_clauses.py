"""What has to hold whatever is on the disk, clause by clause, and where a test states it.

The rows of public threads stand in test_public_threads.
"""

from __future__ import annotations

from typing import Final

import pytest
from test_public_threads import CLAUDE, CODEX, DAMAGE, SHELL, TERMINAL, functions_of

FAULTS: Final = "hostile/test_faults.py"
READ_ONLY: Final = "hostile/test_read_only.py"
THREADS: Final = "hostile/test_public_threads.py"
INDEX: Final = "test_index.py"
JSONL: Final = "test_jsonl.py"
LISTING: Final = "test_listing.py"
GIT: Final = "test_repository.py"
SQLITE: Final = "test_sqlite.py"
TEXT: Final = "test_text.py"

FIELDS: Final = f"{DAMAGE}::test_no_value_of_any_field_harms"  # its values: mutate.NASTY
LINES: Final = f"{CLAUDE}::test_damage_in_a_file_costs_only_the_damaged_line"
SIZES: Final = f"{DAMAGE}::test_no_size_costs_memory_or_a_session"
NEIGHBOUR: Final = f"{LISTING}::test_a_damaged_neighbour_costs_only_itself"
BESIDE: Final = f"{DAMAGE}::test_whatever_stands_beside_the_transcripts_costs_only_itself"
COUNTED: Final = f"{DAMAGE}::test_damage_is_counted_in_one_line"
CHANGING: Final = f"{DAMAGE}::test_files_that_change_under_it"
ANY_FIELD: Final = f"{TERMINAL}::test_no_field_harms_in_any_form"
CLEAN: Final = f"{TEXT}::test_whatever_comes_in_a_harmless_line_comes_out"
SIGNALS: Final = f"{FAULTS}::test_a_polite_signal_at_any_moment_leaves_nothing"
TRACED: Final = (
    f"{READ_ONLY}::test_nothing_is_written_but_the_index_and_nothing_is_opened_but_what_is_needed"
)
GIT_RUNS_NOTHING: Final = f"{GIT}::test_nothing_of_the_repository_is_run"

CLAUSES: Final[dict[str, tuple[str, ...]]] = {
    # Rules for every agent (reference, section 0)
    "1 identity": (
        f"{CLAUDE}::test_the_id_is_the_files_name_not_the_one_inside",
        f"{CODEX}::test_the_id_is_the_files_not_the_parents_session_id",
        "test_plan.py::test_an_app_tells_two_sessions_of_one_id_apart",
    ),
    "2 an id by the agent's pattern": (
        f"{DAMAGE}::test_a_name_that_is_no_id_is_no_session",
        f"{SHELL}::test_a_key_of_any_text_names_no_session",
    ),
    "3 the shell line": (
        f"{SHELL}::test_no_recorded_text_becomes_code",
        "test_shells.py::test_quoted_text_is_one_word_and_itself",
        "test_plan.py::test_a_folder_with_a_control_character_is_refused",
        f"{THREADS}::test_bytes_that_are_not_utf_8",
    ),
    "4 hostile titles": (ANY_FIELD, CLEAN),
    "5 bounded reads": (
        f"{JSONL}::test_head_is_the_first_whole_lines_within_the_limits",
        f"{JSONL}::test_tail_is_whole_lines_from_the_end",
        f"{JSONL}::test_a_sparse_file_of_forty_gigabytes_costs_no_more",
        SIZES,
    ),
    "6 lines end at 0x0A": (
        f"{THREADS}::test_d40_a_line_separator_in_a_text_ends_no_line",
        f"{JSONL}::test_glued_records_are_all_found",
        FIELDS,
    ),
    "7 the order": (f"{LISTING}::test_the_order_is_by_last_activity_whatever_the_files_times",),
    "8 nothing is written": (TRACED, f"{READ_ONLY}::test_access_times_stay_as_they_were"),
    "9 the folder is gone": (
        f"{THREADS}::test_d6_a_moved_project_is_listed_marked_and_refused_with_a_way_on",
    ),
    # Terminal
    "every form of list": (ANY_FIELD, f"{TERMINAL}::test_no_text_at_all_harms"),
    "preview": (
        f"{TERMINAL}::test_no_conversation_harms",
        "test_preview.py::test_no_shape_is_an_error",
        "test_preview.py::test_no_line_is_wider_than_the_window",
    ),
    "plan and resume": (ANY_FIELD, f"{TERMINAL}::test_the_row_of_a_thread_harms_nothing"),
    "messages": (
        f"{TERMINAL}::test_a_message_quotes_words_of_the_caller_harmlessly",
        f"{TERMINAL}::test_candidates_of_an_ambiguous_key_are_shown_harmlessly",
        f"{TERMINAL}::test_a_home_and_a_folder_of_any_name",
    ),
    "names of files and folders": (f"{TERMINAL}::test_no_name_of_a_file_or_folder_harms",),
    "names of branches": (f"{TERMINAL}::test_a_branch_that_moved_is_named_harmlessly",),
    "width": (
        f"{TEXT}::test_width",
        f"{TEXT}::test_a_fitted_text_has_exactly_its_columns",
        "test_rows.py::test_the_columns_are_aligned_by_what_a_terminal_shows",
    ),
    # Shell
    "generated attacks": (f"{SHELL}::test_no_generated_text_becomes_code",),
    "names of homes": (f"{SHELL}::test_no_name_of_another_home_becomes_code",),
    "a name that is code": (f"{DAMAGE}::test_a_name_that_is_no_id_is_no_session",),
    # Damage
    "a last line cut": (
        LINES,
        f"{CODEX}::test_damage_in_a_rollout_costs_only_the_damaged_line",
        NEIGHBOUR,
    ),
    "runs of NUL": (LINES, "test_preview.py::test_damaged_lines_cost_themselves"),
    "records glued together": (f"{JSONL}::test_glued_records_are_all_found",),
    "half a character": (LINES, f"{CLAUDE}::test_half_an_emoji_costs_no_record"),
    "a BOM": (f"{CLAUDE}::test_a_bom_hides_no_record",),
    "CRLF": (f"{THREADS}::test_lines_of_windows_are_lines",),
    "a line of 200 MB, a file of 3 GB": (
        SIZES,
        f"{JSONL}::test_a_line_beyond_the_limit_is_not_parsed",
    ),
    "empty, a folder, a FIFO, a socket, a dangling link, a ring": (NEIGHBOUR, BESIDE, COUNTED),
    "rings of folders": (f"{DAMAGE}::test_links_in_a_ring_end",),
    "it grows, shrinks, is replaced, vanishes": (
        CHANGING,
        f"{JSONL}::test_a_file_that_shrinks_gives_no_line_it_never_held",
        f"{JSONL}::test_a_file_that_is_replaced_or_goes_is_read_as_it_was",
    ),
    "no permission": (f"{LISTING}::test_what_may_not_be_read_costs_only_itself",),
    "SQLite cut": (
        f"{SQLITE}::test_a_database_cut_anywhere_gives_rows_or_an_error",
        f"{SQLITE}::test_a_log_cut_anywhere_gives_some_of_the_rows_or_an_error",
        f"{DAMAGE}::test_a_damaged_page_costs_the_rows_on_it",
    ),
    "SQLite locked": (f"{SQLITE}::test_an_exclusive_lock_keeps_nobody_waiting",),
    "SQLite not a database": (f"{SQLITE}::test_what_is_no_database_is_an_error", BESIDE),
    "SQLite without threads": (
        f"{CODEX}::test_an_empty_index_costs_nothing",
        f"{DAMAGE}::test_a_view_that_never_ends_is_no_table",
    ),
    "SQLite with half the columns": (f"{CODEX}::test_an_index_that_lacks_late_columns_is_read",),
    "SQLite with blobs and huge texts": (f"{DAMAGE}::test_no_value_in_a_thread_row_harms", SIZES),
    "values of every wrong type, deep, NaN, 10^400": (
        FIELDS,
        f"{DAMAGE}::test_no_value_in_a_file_beside_the_transcripts_harms",
        f"{JSONL}::test_a_damaged_record_is_never_an_error",
    ),
    "a key given twice": (
        f"{DAMAGE}::test_of_a_key_given_twice_the_last_counts_whatever_parses_it",
    ),
    "counted in one line": (COUNTED,),
    # Faults of the machine
    "cache missing or unwritable": (
        f"{LISTING}::test_a_cache_that_cannot_be_written_changes_no_output",
        f"{INDEX}::test_an_unwritable_folder_is_no_error",
        f"{FAULTS}::test_a_strange_environment_changes_nothing",
    ),
    "a full disk": (
        f"{FAULTS}::test_a_full_disk_costs_the_index_only",
        f"{FAULTS}::test_a_full_temporary_folder_costs_the_names_only",
        f"{INDEX}::test_a_full_disk_leaves_the_old_index_and_nothing_else",
    ),
    "an index torn, foreign, of another version": (
        f"{INDEX}::test_an_index_torn_anywhere_is_none",
        f"{INDEX}::test_a_foreign_index_is_ignored_and_made_anew",
        f"{INDEX}::test_an_index_of_another_release_is_ignored",
    ),
    "an index tampered with": (
        f"{DAMAGE}::test_a_tampered_index_injects_nothing",
        "test_plan.py::test_the_index_is_never_trusted",
    ),
    "two hundred at once": (f"{FAULTS}::test_two_hundred_processes_build_the_index_at_once",),
    "SIGINT, SIGTERM, SIGHUP": (SIGNALS,),
    "SIGKILL": (f"{FAULTS}::test_a_kill_at_any_moment_does_not_harm_the_next_run",),
    "SIGPIPE": (f"{FAULTS}::test_a_reader_that_leaves_at_any_moment_ends_it_quietly",),
    "no HOME, or /": (f"{FAULTS}::test_any_home_lists_or_says_where_it_looked",),
    "the locale C": (
        f"{FAULTS}::test_a_strange_environment_changes_nothing",
        f"{FAULTS}::test_a_folder_that_is_not_ascii_is_found_in_a_locale_that_is",
    ),
    "closed streams": (f"{FAULTS}::test_closed_streams", f"{FAULTS}::test_a_key_on_any_stdin"),
    "1980 and 2100": (
        f"{FAULTS}::test_a_command_in_another_century",
        f"{FAULTS}::test_a_wrong_clock_only_changes_ages",
    ),
    # Only reading; git
    "no secret is opened": (TRACED,),
    "nothing of a repository's is run": (
        GIT_RUNS_NOTHING,
        "test_plan.py::test_git_runs_nothing_of_the_repositorys",
    ),
    "no optional locks": (f"{GIT}::test_asking_changes_nothing",),
    "GIT_* of the caller": (f"{GIT}::test_the_git_variables_of_the_caller_are_ignored",),
    "git takes its time": (f"{GIT}::test_a_slow_git_is_not_waited_for",),
    "somebody else's repository": (f"{GIT}::test_a_repository_of_somebody_else_is_unknown",),
    "40 MiB": (SIZES, "test_preview.py::test_a_file_of_2_gb"),
    "fuzzed": ("fuzz/test_fuzz.py::test_no_damage_to_a_file_harms",),
}


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.replace(" ", "-"))
def test_every_clause_has_a_test(clause: str) -> None:
    for name in CLAUSES[clause]:
        path, _, function = name.partition("::")
        assert function in functions_of(path), name
