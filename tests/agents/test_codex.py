from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from stores import (
    ABSENT,
    KB,
    dump,
    environment,
    event,
    iso,
    message,
    profile,
    snapshot,
    text_of,
    turn,
    typed,
    write_lines,
)

from sessfzf.plan import resolve

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home

ONE = "01a0c0de-0001-7000-8000-0000000000aa"
TWO = "01a0c0de-0002-7000-8000-0000000000bb"


def only(run: Run) -> dict[str, Any]:
    """The one session there is."""
    (row,) = run.listed().values()
    return row


# Rollouts


@pytest.mark.parametrize(
    ("dialect", "client"),
    [("legacy", "0.63.0"), ("legacy", "0.125.0"), ("paginated", "0.171.0")],
    ids=["0.63", "0.125", "0.171"],
)
def test_a_rollout_of_each_release_is_listed_without_an_index(
    home: Home, run: Run, dialect: str, client: str
) -> None:
    made = home.codex(dialect=dialect, client=client, time=1_790_000_000.25)
    row = only(run)
    assert (row["app"], row["id"], row["path"]) == ("codex", made.id, made.path)
    assert (row["title"], row["cwd"], row["branch"]) == (
        "make the retry loop stop",
        "/home/kim/api",
        "main",
    )
    assert (row["model"], row["effort"]) == ("gpt-x", "high")
    assert (row["approval"], row["sandbox"]) == ("on-request", "workspace-write")
    assert (row["time"], row["hidden"], row["live"]) == (1_790_000_000_250, None, None)
    assert row["bytes"] == os.path.getsize(made.path)


def test_a_prompt_at_byte_100_000_is_found(home: Home, run: Run) -> None:
    made = home.codex()
    with open(made.path, "rb") as file:
        assert file.read().index(b"UserMessage") > 100_000
    assert only(run)["title"] == "make the retry loop stop"


def test_agents_md_and_the_clients_own_words_are_no_prompt(home: Home, run: Run) -> None:
    own = [
        environment("/home/kim/api"),
        message("user", "# AGENTS.md instructions for /home/kim/api"),
        message("user", "<user_instructions>be brief</user_instructions>"),
        message("user", "<user_shell_command>ls</user_shell_command>"),
        message("developer", "be good"),
    ]
    home.codex([*own, *typed("the real one"), *typed("a second one")])
    assert only(run)["title"] == "the real one"


@pytest.mark.parametrize("dialect", ["legacy", "paginated"])
@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        pytest.param(
            "# Context\n\n## My request for Codex:\nfix the loop\n", "fix the loop", id="marker"
        ),
        pytest.param("two\n\tlines", "two lines", id="lines"),
        pytest.param("<div> is not centred", "<div> is not centred", id="tag-of-the-person"),
    ],
)
def test_the_first_prompt_is_the_title(
    home: Home, run: Run, dialect: str, prompt: str, title: str
) -> None:
    home.codex(dialect=dialect, prompt=prompt)
    assert only(run)["title"] == title


@pytest.mark.parametrize("dialect", ["legacy", "paginated"])
def test_a_prompt_of_pictures_only_is_an_image(home: Home, run: Run, dialect: str) -> None:
    home.codex(typed(None, dialect, images=2), dialect=dialect)
    assert only(run)["title"] == "[Image]"


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([], id="nothing"),
        pytest.param([environment("/home/kim/api"), message("developer", "x")], id="only-context"),
        pytest.param(
            [message("user", "<user_shell_command>ls</user_shell_command>")],
            id="only-a-shell-command",
        ),
    ],
)
def test_a_thread_without_a_prompt_is_not_shown(home: Home, run: Run, records: list[Any]) -> None:
    home.codex(records)
    assert run.shown() == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(f"rollout-2026-11-01T08-00-00-{ONE}.jsonl.bak", id="backup"),
        pytest.param(f"{ONE}.jsonl", id="no-rollout"),
        pytest.param("rollout-2026-11-01T08-00-00-01a0c0de.jsonl", id="no-uuid"),
        pytest.param("rollout-2026-11-01T08-00-00-$(touch x).jsonl", id="command"),
    ],
)
def test_a_file_of_another_name_is_no_session(home: Home, run: Run, name: str) -> None:
    made = home.codex(id=ONE)
    os.rename(made.path, os.path.join(os.path.dirname(made.path), name))
    assert run.listed() == {}


def test_the_id_is_the_files_not_the_parents_session_id(home: Home, run: Run) -> None:
    home.codex(id=ONE, meta={"session_id": TWO})
    assert list(run.listed()) == [ONE]


def test_a_forks_embedded_parent_is_not_its_own(home: Home, run: Run) -> None:
    made = home.codex(id=TWO, cwd="/home/kim/parent", branch="parent")
    with open(made.path, "rb") as file:
        parent = file.readline()
    os.unlink(made.path)
    own = [turn(model="gpt-x", approval_policy="on-request"), *typed("in the fork")]
    home.codex(
        [parent, *own], id=ONE, cwd="/home/kim/fork", branch="fork", meta={"forked_from_id": TWO}
    )
    row = only(run)
    assert (row["id"], row["cwd"], row["branch"], row["title"]) == (
        ONE,
        "/home/kim/fork",
        "fork",
        "in the fork",
    )
    assert resolve(ONE)[2].forked == TWO


@pytest.mark.parametrize("parent", [None, "", 7, "../x", ONE], ids=repr)
def test_what_names_no_other_thread_is_no_fork(home: Home, parent: Any) -> None:
    home.codex(id=ONE, meta={"forked_from_id": parent})
    assert resolve(ONE)[2].forked == ""


def test_a_fork_that_grew_is_still_one(home: Home, run: Run) -> None:
    made = home.codex(id=ONE, meta={"forked_from_id": TWO})
    for _ in range(3):  # read, read again because it grew, known
        (row,) = run("list", "--picker").text.rstrip("\n").split("\n")[1:]
        assert "is:fork" in row.split()
        with open(made.path, "ab") as file:
            file.write(dump(event("agent_message", message="More.")) + b"\n")


def test_a_spawned_agent_is_no_session(home: Home, run: Run) -> None:
    spawn = {
        "subagent": {"thread_spawn": {"parent_thread_id": TWO, "depth": 1, "agent_nickname": "Ada"}}
    }
    home.codex(id=TWO)
    home.codex(
        id=ONE,
        source=spawn,
        meta={"session_id": TWO, "parent_thread_id": TWO, "thread_source": "subagent"},
    )
    assert list(run.listed()) == [TWO]


SOURCES = [
    pytest.param("cli", True, id="cli"),
    pytest.param("vscode", True, id="vscode"),
    pytest.param("mcp", True, id="mcp"),
    pytest.param({"custom": "atlas"}, True, id="custom"),
    pytest.param({"custom": "chatgpt"}, True, id="custom-2"),
    pytest.param({"internal": "memory_consolidation"}, False, id="internal"),
    pytest.param({"subagent": "review"}, False, id="review"),
    pytest.param({"subagent": "compact"}, False, id="compact"),
    pytest.param({"subagent": {"other": "guardian"}}, False, id="guardian"),
]


@pytest.mark.parametrize(("source", "shown"), SOURCES)
def test_a_rollouts_source_tells_a_sub_agent(
    home: Home, run: Run, source: Any, *, shown: bool
) -> None:
    home.codex(id=ONE, source=source)
    assert list(run.listed()) == ([ONE] if shown else [])


@pytest.mark.parametrize(("source", "shown"), SOURCES)
def test_an_index_rows_source_tells_a_sub_agent(
    home: Home, run: Run, source: Any, *, shown: bool
) -> None:
    made = home.codex(id=ONE, source="vscode")
    text = source if isinstance(source, str) else dump(source).decode()
    home.codex_db([home.thread(made, source=text)])
    assert list(run.listed()) == ([ONE] if shown else [])


def test_the_other_marks_of_a_sub_agent_in_the_index(home: Home, run: Run) -> None:
    by_thread_source, attached, child, plain = (home.codex() for _ in range(4))
    rows = [
        home.thread(by_thread_source, thread_source="subagent"),
        home.thread(attached, attached_thread_parent_id=plain.id),
        home.thread(child),
        home.thread(plain, thread_source="automation"),
    ]
    home.codex_db(rows, edges=[(plain.id, child.id)])
    assert list(run.listed()) == [plain.id]


def test_an_exec_session_is_hidden_by_default(home: Home, run: Run) -> None:
    home.codex(source="exec", originator="codex_exec", approval="never")
    assert run.shown() == []
    assert (only(run)["hidden"], only(run)["approval"]) == ("print", "never")


def test_an_archived_session_is_hidden_by_default(home: Home, run: Run) -> None:
    home.codex(archived=True)
    assert run.shown() == []
    assert only(run)["hidden"] == "archived"


def test_an_archived_session_of_the_index_is_hidden_by_default(home: Home, run: Run) -> None:
    made = home.codex(archived=True)
    home.codex_db([home.thread(made, archived=1, archived_at=1_790_000_000)])
    assert run.shown() == []
    assert only(run)["hidden"] == "archived"


# Settings


def test_the_newest_turn_decides_the_settings(home: Home, run: Run) -> None:
    late = turn(
        cwd="/home/kim/api",
        approval_policy="never",
        sandbox_policy={"type": "read-only"},
        model="gpt-y",
        effort="low",
        approvals_reviewer="user",
    )
    made = home.codex(more=[late])
    home.codex_db([home.thread(made)])
    row = only(run)
    assert (row["model"], row["effort"], row["approval"], row["sandbox"]) == (
        "gpt-y",
        "low",
        "never",
        "read-only",
    )


def applied(**settings: Any) -> Any:
    """What the client writes at once when the person changes a thread's settings."""
    return event("thread_settings_applied", thread_settings=settings)


def test_settings_changed_since_the_newest_turn_count(home: Home, run: Run) -> None:
    changed = applied(
        model="gpt-y",
        reasoning_effort="low",
        approval_policy="on-request",
        approvals_reviewer="auto_review",
        permission_profile=json.loads(profile("read-only")),
    )
    session = home.codex(sandbox="danger-full-access", approval="never", more=[changed])
    row = run.listed()[session.id]
    assert (row["model"], row["effort"]) == ("gpt-y", "low")
    assert (row["approval"], row["sandbox"]) == ("approve-for-me", "read-only")


def test_without_a_turn_the_index_row_decides_the_settings(home: Home, run: Run) -> None:
    made = home.codex(typed("hi"))
    fields = {"model": "gpt-z", "reasoning_effort": "max", "approval_mode": "never"}
    home.codex_db([home.thread(made, sandbox_policy=profile("read-only"), **fields)])
    row = only(run)
    assert (row["model"], row["effort"], row["approval"], row["sandbox"]) == (
        "gpt-z",
        "max",
        "never",
        "read-only",
    )


def test_an_effort_that_was_never_set_is_unknown(home: Home, run: Run) -> None:
    made = home.codex(effort=None)
    home.codex_db([home.thread(made, reasoning_effort=None)])
    assert only(run)["effort"] is None


SANDBOXES = [
    pytest.param("read-only", "read-only", id="old-read-only"),
    pytest.param("workspace-write", "workspace-write", id="old-workspace"),
    pytest.param("danger-full-access", "danger-full-access", id="old-full"),
    pytest.param(
        '{"type":"workspace-write","writable_roots":["/a"]}', "workspace-write", id="old-object"
    ),
    pytest.param('{"type":"read-only"}', "read-only", id="old-object-read-only"),
    pytest.param('{"type":"danger-full-access"}', "danger-full-access", id="old-object-full"),
    pytest.param(profile("read-only"), "read-only", id="profile-read-only"),
    pytest.param(profile("workspace-write"), "workspace-write", id="profile-workspace"),
    pytest.param(profile("danger-full-access"), "danger-full-access", id="profile-disabled"),
]


@pytest.mark.parametrize(("stored", "sandbox"), SANDBOXES)
def test_the_sandbox_of_an_index_row_is_told_in_the_command_lines_words(
    home: Home, run: Run, stored: str, sandbox: str
) -> None:
    home.codex_db([home.thread(home.codex(typed("hi")), sandbox_policy=stored)])
    assert only(run)["sandbox"] == sandbox


@pytest.mark.parametrize("stored", ["", "{", "[]", '{"type":"managed"}', '{"type":7}', "sealed"])
def test_a_sandbox_that_cannot_be_told_is_not_one_of_the_strict_ones(
    home: Home, run: Run, stored: str
) -> None:
    home.codex_db([home.thread(home.codex(typed("hi")), sandbox_policy=stored)])
    assert only(run)["sandbox"] not in ("read-only", "workspace-write", "danger-full-access")


def test_the_sandbox_of_a_rollout_of_2025_is_read(home: Home, run: Run) -> None:
    context = turn(approval_policy="on-request", sandbox_policy={"mode": "read-only"})
    session = home.codex([*typed("hi", "legacy"), context], dialect="legacy")
    assert run.listed()[session.id]["sandbox"] == "read-only"


@pytest.mark.parametrize("reviewer", ["auto_review", "guardian", {"type": "auto_review"}])
def test_automatic_review_is_told_as_the_option_that_starts_it(
    home: Home, run: Run, reviewer: Any
) -> None:
    home.codex(reviewer=reviewer)
    assert only(run)["approval"] == "approve-for-me"


# Folder, branch, time


def test_the_index_rows_folder_counts_before_the_rollouts(home: Home, run: Run) -> None:
    home.codex_db([home.thread(home.codex(), cwd="/home/kim/later")])
    assert only(run)["cwd"] == "/home/kim/later"


def test_else_the_newest_turns_folder_counts(home: Home, run: Run) -> None:
    home.codex(more=[turn(cwd="/home/kim/api/sub", model="gpt-x")])
    assert only(run)["cwd"] == "/home/kim/api/sub"


def test_else_the_first_lines_folder_counts(home: Home, run: Run) -> None:
    home.codex(typed("hi"))
    assert only(run)["cwd"] == "/home/kim/api"


def test_outside_a_repository_there_is_no_branch(home: Home, run: Run) -> None:
    home.codex_db([home.thread(home.codex(branch=None), git_branch=None)])
    assert only(run)["branch"] is None


def test_the_time_is_not_the_files(home: Home, run: Run) -> None:
    home.codex(time=1_790_000_000.5, mtime=1_790_700_000)
    assert (only(run)["time"], only(run)["mtime"]) == (1_790_000_000_500, 1_790_700_000_000)


# Titles with an index (reference A5)


NAMES: dict[str, Any] = {
    "preview": "preview",
    "first_user_message": "first message",
    "title": "title",
}


@pytest.mark.parametrize(
    ("fields", "indexed", "title"),
    [
        pytest.param(NAMES | {"name": "name"}, "indexed", "name", id="name"),
        pytest.param(NAMES, "indexed", "indexed", id="session-index"),
        pytest.param(NAMES, None, "preview", id="preview"),
        pytest.param(NAMES | {"preview": ""}, None, "first message", id="first-message"),
        pytest.param(NAMES | {"preview": "", "first_user_message": ""}, None, "title", id="title"),
        pytest.param(
            {"preview": "", "first_user_message": "", "title": ""},
            None,
            "in the rollout",
            id="rollout",
        ),
        pytest.param(NAMES | {"preview": "a\n## My request for Codex:\nb"}, None, "b", id="marker"),
    ],
)
def test_the_title_is_the_first_of_these(
    home: Home, run: Run, fields: dict[str, Any], indexed: str | None, title: str
) -> None:
    made = home.codex(prompt="in the rollout")
    home.codex_db([home.thread(made, **fields)])
    if indexed is not None:
        home.codex_names((made.id, "older"), (TWO, "of a thread long gone"), (made.id, indexed))
    assert only(run)["title"] == title


def test_a_name_is_found_without_an_index_row(home: Home, run: Run) -> None:
    made = home.codex()
    home.codex_names((made.id, "by hand"))
    assert only(run)["title"] == "by hand"


def test_a_title_of_900_kb_is_cut(home: Home, run: Run) -> None:
    huge = "begin " + "x" * 900 * KB
    home.codex_db([home.thread(home.codex(), title=huge, preview=huge, first_user_message=huge)])
    assert only(run)["title"].startswith("begin xxx")
    assert len(only(run)["title"]) < 2_000


def test_a_damaged_name_index_costs_only_its_damaged_lines(home: Home, run: Run) -> None:
    made = home.codex()
    good = {"id": made.id, "thread_name": "by hand", "updated_at": iso(1_790_000_000)}
    lines: list[dict[str, Any] | bytes] = [b"{\n", b"\0\0\n"]
    lines += [{"id": 7, "thread_name": []}, good, b'{"id":"']
    write_lines(os.path.join(home.codex_dir, "session_index.jsonl"), lines)
    assert only(run)["title"] == "by hand"


# Union of the index and the rollouts


def test_rollouts_and_index_rows_are_one_list(home: Home, run: Run) -> None:
    both, file_only = home.codex(), home.codex()
    home.codex_db([home.thread(both, name="in both"), home.thread(ONE, name="row only")])
    rows = run.listed()
    assert {key: row["title"] for key, row in rows.items()} == {
        both.id: "in both",
        file_only.id: "make the retry loop stop",
        ONE: "row only",
    }


def test_a_row_without_a_rollout_is_hidden(home: Home, run: Run) -> None:
    home.codex_db([home.thread(ONE)])
    assert run.shown() == []
    assert only(run)["hidden"] == "missing"


def test_a_stale_path_in_the_index_is_found_again_by_id(home: Home, run: Run) -> None:
    made = home.codex()
    home.codex_db(
        [home.thread(made, rollout_path="/home/old/.codex/sessions/gone.jsonl", name="named")]
    )
    row = only(run)
    assert (row["path"], row["title"], row["hidden"]) == (made.path, "named", None)


def test_a_compressed_rollout_is_listed_from_its_row(home: Home, run: Run) -> None:
    made = home.codex(archived=True, suffix=".jsonl.zst")
    home.codex_db([home.thread(made, archived=1, name="packed")])
    row = only(run)
    assert (row["title"], row["hidden"], row["cwd"]) == ("packed", "archived", "/home/kim/api")


def test_a_rollout_that_was_packed_by_the_clock_is_still_shown(home: Home, run: Run) -> None:
    made = home.codex(suffix=".jsonl.zst")
    home.codex_db([home.thread(made, name="packed")])
    assert run.shown() == [made.id]


def test_the_plain_rollout_wins_over_the_compressed_one(home: Home, run: Run) -> None:
    made = home.codex()
    shutil.copy(made.path, made.path + ".zst")
    assert only(run)["path"] == made.path


@pytest.mark.parametrize("columns", [27, 32, 38, 43])
def test_an_index_that_lacks_late_columns_is_read(home: Home, run: Run, columns: int) -> None:
    made = home.codex(typed("hi"), model=None)
    home.codex_db(
        [home.thread(made, title="as titled", preview="as titled", first_user_message="as titled")],
        columns=columns,
    )
    row = only(run)
    assert (row["title"], row["model"], row["approval"]) == ("as titled", "gpt-x", "on-request")


@pytest.mark.parametrize("value", [b"\xff\xfe", 7, None, "x\0y", 1e300])
@pytest.mark.parametrize(
    "column", ["name", "preview", "cwd", "source", "approval_mode", "model", "git_branch"]
)
def test_a_value_of_another_type_costs_nothing(
    home: Home, run: Run, column: str, value: Any
) -> None:
    if value is None and column in ("preview", "cwd", "source", "approval_mode"):
        value = ""
    other = home.codex()
    home.codex_db(
        [home.thread(home.codex(id=ONE), **{column: value}), home.thread(other, name="whole")]
    )
    assert run.listed()[other.id]["title"] == "whole"


# Where the index is


def named(home: Home, session: Any, title: str, **where: Any) -> None:
    home.codex_db([home.thread(session, name=title, **where.pop("row", {}))], **where)


def test_an_index_in_the_sqlite_folder_is_read(home: Home, run: Run) -> None:
    named(home, home.codex(), "of the app", folder=home.folder(".codex", "sqlite"))
    assert only(run)["title"] == "of the app"


def test_of_two_indexes_the_newer_row_counts(home: Home, run: Run) -> None:
    made = home.codex()
    old, new = {"updated_at_ms": 1_000, "updated_at": 1}, {"updated_at_ms": 9_000, "updated_at": 9}
    named(home, made, "stale", row=old)
    named(home, made, "fresh", row=new, folder=home.folder(".codex", "sqlite"))
    assert only(run)["title"] == "fresh"


def test_an_index_of_another_generation_is_read(home: Home, run: Run) -> None:
    made = home.codex()
    home.codex_db([], state="nothreads", name="state_9.sqlite")
    named(home, made, "still here", name="state_4.sqlite")
    assert only(run)["title"] == "still here"


def test_the_store_moves_with_codex_home(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.codex()
    root = home.folder("elsewhere")
    made = home.codex(root=root)
    named(home, made, "moved", folder=root)
    monkeypatch.setenv("CODEX_HOME", root)
    assert {key: row["title"] for key, row in run.listed().items()} == {made.id: "moved"}


def test_the_index_moves_with_codex_sqlite_home(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home.folder("db")
    named(home, home.codex(), "moved", folder=folder)
    assert only(run)["title"] == "make the retry loop stop"
    monkeypatch.setenv("CODEX_SQLITE_HOME", folder)
    assert only(run)["title"] == "moved"


def test_the_settings_sqlite_home_counts(home: Home, run: Run) -> None:
    folder = home.folder("db")
    named(home, home.codex(), "moved", folder=folder)
    config = f'model = "gpt-x"\nsqlite_home = "{folder}"\n[tui]\nx = 1\n'
    write_lines(os.path.join(home.codex_dir, "config.toml"), [config.encode()])
    assert only(run)["title"] == "moved"


@pytest.mark.parametrize(
    "config", [b"\xff\0", b"sqlite_home = [", b"sqlite_home = 7\n", b'sqlite_home = "/nowhere"\n']
)
def test_settings_that_make_no_sense_cost_nothing(home: Home, run: Run, config: bytes) -> None:
    named(home, home.codex(), "still here")
    write_lines(os.path.join(home.codex_dir, "config.toml"), [config])
    assert only(run)["title"] == "still here"


def test_a_home_of_hostile_name_is_read(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = home.folder("what? #1 50%41 ünï")
    named(home, home.codex(root=root), "found", folder=root)
    before = snapshot(home.path)
    monkeypatch.setenv("CODEX_HOME", root)
    assert only(run)["title"] == "found"
    assert snapshot(home.path) == before


def test_a_linked_index_is_read_with_the_wal_beside_its_target(home: Home, run: Run) -> None:
    folder = home.folder("db")
    named(home, home.codex(), "linked", folder=folder, state="wal")
    os.symlink(
        os.path.join(folder, "state_5.sqlite"), os.path.join(home.codex_dir, "state_5.sqlite")
    )
    before = snapshot(home.path)
    assert only(run)["title"] == "linked"
    assert snapshot(home.path) == before


# Every state an index can be in (reference A4): the right rows, and nothing left behind

INDEXED = "in the index"
STATES = [
    pytest.param("checkpointed", INDEXED, id="checkpointed"),
    pytest.param("wal", INDEXED, id="all-in-the-wal"),
    pytest.param("noshm", INDEXED, id="no-shm"),
    pytest.param("stale", INDEXED, id="newer-in-the-wal"),
    pytest.param("nowal", "make the retry loop stop", id="wal-lost"),
    pytest.param("nothreads", "make the retry loop stop", id="no-table"),
    pytest.param("truncated", "make the retry loop stop", id="truncated"),
    pytest.param("garbage", "make the retry loop stop", id="no-database"),
]


@pytest.mark.parametrize(("state", "title"), STATES)
def test_an_index_in_any_state_gives_the_right_rows_and_is_not_touched(
    home: Home, run: Run, state: str, title: str
) -> None:
    made = home.codex()
    home.codex_db(
        [home.thread(made, title=INDEXED, preview=INDEXED, first_user_message=INDEXED)], state=state
    )
    before = snapshot(home.path)
    assert only(run)["title"] == title
    assert only(run)["title"] == title
    assert snapshot(home.path) == before


def test_an_empty_wal_is_as_good_as_none(home: Home, run: Run) -> None:
    named(home, home.codex(), INDEXED)
    write_lines(os.path.join(home.codex_dir, "state_5.sqlite-wal"), [])
    before = snapshot(home.path)
    assert only(run)["title"] == INDEXED
    assert snapshot(home.path) == before


def test_a_left_over_shm_without_a_wal_costs_nothing(home: Home, run: Run) -> None:
    named(home, home.codex(), INDEXED)
    write_lines(os.path.join(home.codex_dir, "state_5.sqlite-shm"), [bytes(32 * KB)])
    before = snapshot(home.path)
    assert only(run)["title"] == INDEXED
    assert snapshot(home.path) == before


def test_an_index_that_is_a_folder_costs_nothing(home: Home, run: Run) -> None:
    home.codex()
    home.folder(".codex", "state_5.sqlite")
    assert only(run)["title"] == "make the retry loop stop"


def test_an_empty_index_costs_nothing(home: Home, run: Run) -> None:
    home.codex()
    write_lines(os.path.join(home.codex_dir, "state_5.sqlite"), [])
    assert only(run)["title"] == "make the retry loop stop"


@pytest.mark.parametrize("state", ["live", "locked"])
def test_an_index_that_is_in_use_is_read_without_a_trace(home: Home, run: Run, state: str) -> None:
    named(home, home.codex(), INDEXED, state=state)
    before = snapshot(home.path)
    row = only(run)
    # Nobody gets at a locked one; what its file held before is as right as the rollout.
    assert (
        row["title"] in {"live": [INDEXED], "locked": [INDEXED, "make the retry loop stop"]}[state]
    )
    assert snapshot(home.path) == before


@pytest.mark.parametrize(("state", "title"), [*STATES, pytest.param("live", INDEXED, id="live")])
def test_an_index_in_a_read_only_folder_gives_the_same(
    foreign: Home, run: Run, state: str, title: str
) -> None:
    made = foreign.codex()
    thread = foreign.thread(made, title=INDEXED, preview=INDEXED, first_user_message=INDEXED)
    foreign.codex_db([thread], state=state)
    before = snapshot(foreign.path)
    result = run.as_nobody(foreign, "list")
    assert result.code == 0, result.err
    assert [row[5] for row in result.rows] == [title]
    assert snapshot(foreign.path) == before


# Writers


def test_a_thread_with_a_writer_is_open(home: Home, run: Run) -> None:
    one, two = home.codex(), home.codex()
    home.codex_locks(one.id)
    assert {key: row["live"] for key, row in run.listed().items()} == {one.id: "open", two.id: None}


# Damage


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"\0" * 5_000 + b"\n", id="nul-run"),
        pytest.param(b'{"type":"event_msg","payload":{"type":"user_mes', id="cut-at-the-end"),
        pytest.param(b"\xff\xfe\x1b[2J\n", id="binary"),
        pytest.param(b'{"type":"turn_context","payload":[]}\n', id="wrong-payload"),
        pytest.param(
            b'{"type":"event_msg","payload":{"type":"item_completed","item":"x"}}\n',
            id="wrong-item",
        ),
        pytest.param(b'{"type":"session_meta","payload":null}\n', id="no-meta"),
    ],
)
@pytest.mark.parametrize("dialect", ["legacy", "paginated"])
def test_damage_in_a_rollout_costs_only_the_damaged_line(
    home: Home, run: Run, dialect: str, damage: bytes
) -> None:
    made = home.codex(dialect=dialect)
    with open(made.path, "ab") as file:
        file.write(damage)
    row = only(run)
    assert (row["title"], row["model"], row["cwd"]) == (
        "make the retry loop stop",
        "gpt-x",
        "/home/kim/api",
    )


def test_a_rollout_without_its_first_line_is_still_a_session(home: Home, run: Run) -> None:
    made = home.codex(first=[b"\0\0\0\n"])
    assert list(run.listed()) == [made.id]


def test_a_first_line_of_300_kb_costs_only_itself(home: Home, run: Run) -> None:
    home.codex(meta={"base_instructions": {"text": text_of(300 * KB)}}, bulk=False, model="gpt-y")
    row = only(run)
    assert (row["cwd"], row["model"]) == ("/home/kim/api", "gpt-y")


def test_the_settings_are_found_400_kb_before_the_end(home: Home, run: Run) -> None:
    home.codex(
        more=[
            turn(model="gpt-y", cwd="/home/kim/api"),
            *[event("noise", text=text_of(40 * KB))] * 9,
        ]
    )
    assert only(run)["model"] == "gpt-y"


def test_a_rollout_of_3_gb_is_listed(home: Home, run: Run) -> None:
    made = home.codex()
    os.truncate(made.path, 3 << 30)
    row = only(run)
    assert (row["title"], row["bytes"]) == ("make the retry loop stop", 3 << 30)


def test_a_missing_field_is_unknown(home: Home, run: Run) -> None:
    home.codex([*typed("hi"), turn()], meta={"cwd": ABSENT}, branch=None)
    row = only(run)
    assert (row["title"], row["cwd"], row["branch"]) == ("hi", None, None)


def test_a_configured_home_that_no_folder_can_have_is_ignored(home: Home, run: Run) -> None:
    made = home.codex()
    with open(os.path.join(home.path, ".codex", "config.toml"), "wb") as file:
        file.write(b'sqlite_home = "/srv/a\0b"\n')
    assert only(run)["id"] == made.id
