from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from stores import (
    ABSENT,
    KB,
    answer,
    aside,
    attachment,
    dump,
    image,
    iso,
    meta,
    request_shape,
    say,
    slug,
    snapshot,
    system,
    tool_result,
    write_lines,
)

from sessfzf.plan import resolve

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home

ONE = "0b0e0d0c-1111-4222-8333-444455556666"
TWO = "1c1f1e1d-1111-4222-8333-444455556666"


def only(run: Run) -> dict[str, Any]:
    """The one session there is."""
    (row,) = run.listed().values()
    return row


# What is a session


@pytest.mark.parametrize("version", ["2.0.77", "2.1.150", "2.1.332"])
def test_a_session_of_each_release_is_listed(home: Home, run: Run, version: str) -> None:
    made = home.claude(version=version, time=1_790_000_000.25)
    row = only(run)
    assert (row["app"], row["id"], row["path"]) == ("claude-code", made.id, made.path)
    assert (row["title"], row["cwd"], row["branch"]) == (
        "why does the cache grow?",
        "/home/kim/api",
        "main",
    )
    assert (row["model"], row["time"], row["hidden"], row["live"]) == (
        "opus-x",
        1_790_000_000_250,
        None,
        None,
    )
    assert row["bytes"] == os.path.getsize(made.path)


def test_a_big_session_reads_the_same(home: Home, run: Run) -> None:
    home.claude(filler=57 * KB, time=1_790_000_000.25)
    row = only(run)
    assert (row["title"], row["model"], row["effort"]) == (
        "why does the cache grow?",
        "opus-x",
        "high",
    )
    assert (row["approval"], row["time"]) == ("default", 1_790_000_000_250)


def test_the_id_is_the_files_name_not_the_one_inside(home: Home, run: Run) -> None:
    home.claude([say("hi", sessionId=TWO), answer(sessionId=TWO)], id=ONE)
    assert list(run.listed()) == [ONE]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("agent-a0191e8.jsonl", id="sub-agent-of-2.0"),
        pytest.param("notes.jsonl", id="no-uuid"),
        pytest.param(ONE.upper() + ".jsonl", id="upper-case"),
        pytest.param(ONE + ".jsonl.bak", id="backup"),
        pytest.param(ONE + ".json", id="json"),
        pytest.param(ONE, id="no-ending"),
        pytest.param("x" + ONE + ".jsonl", id="longer"),
        pytest.param("$(touch x).jsonl", id="command"),
    ],
)
def test_a_file_of_another_name_is_no_session(home: Home, run: Run, name: str) -> None:
    home.claude(name=name)
    assert run.listed() == {}


@pytest.mark.parametrize(
    "inner", ["subagents/agent-a1.jsonl", f"subagents/{TWO}.jsonl", f"{TWO}.jsonl"]
)
def test_what_lies_below_a_session_is_no_session(home: Home, run: Run, inner: str) -> None:
    made = home.claude(id=ONE)
    below = home.claude(id=TWO, project=os.path.basename(os.path.dirname(made.path)))
    path = os.path.join(made.path.removesuffix(".jsonl"), inner)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.rename(below.path, path)
    assert list(run.listed()) == [ONE]


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([], id="empty"),
        pytest.param(
            [meta("mode", mode="normal"), meta("permission-mode", permissionMode="auto")],
            id="never-prompted",
        ),
        pytest.param([meta("custom-title", customTitle="named")], id="only-renamed"),
        pytest.param(
            [meta("file-history-snapshot", messageId="m", snapshot={})], id="resumed-by-2.0"
        ),
        pytest.param([meta("summary", summary="of another", leafUuid=TWO)], id="only-a-summary"),
        pytest.param([say("Warmup", isSidechain=True), answer(isSidechain=True)], id="sidechain"),
        pytest.param([say("task", teamName="crew"), answer(teamName="crew")], id="team-mate"),
    ],
)
def test_a_file_without_a_conversation_of_its_own_is_no_session(
    home: Home, run: Run, records: list[Any]
) -> None:
    home.claude(records)
    assert run.listed() == {}


def test_one_id_in_two_projects_is_one_session_the_newest(home: Home, run: Run) -> None:
    home.claude(
        id=ONE, cwd="/home/kim/old", prompt="older", time=1_790_000_000, mtime=1_790_900_000
    )
    home.claude(
        id=ONE, cwd="/home/kim/new", prompt="newer", time=1_790_000_500, mtime=1_790_000_600
    )
    assert (only(run)["title"], only(run)["cwd"]) == ("newer", "/home/kim/new")


# Hidden


@pytest.mark.parametrize("entrypoint", ["sdk-cli", "sdk-py", "sdk-ts"])
def test_a_print_session_is_hidden_by_default(home: Home, run: Run, entrypoint: str) -> None:
    queue = meta("queue-operation", operation="enqueue", timestamp=iso(1_790_000_000), content="x")
    home.claude([queue, aside("a print prompt"), answer(), system()], entrypoint=entrypoint)
    assert run.shown() == []
    assert (only(run)["hidden"], only(run)["title"]) == ("print", "a print prompt")


@pytest.mark.parametrize("entrypoint", ["cli", "claude-vscode", "claude-desktop", ABSENT])
def test_other_front_ends_are_shown(home: Home, run: Run, entrypoint: str) -> None:
    home.claude([say("hi", entrypoint=entrypoint), answer(entrypoint=entrypoint)])
    assert only(run)["hidden"] is None


def test_a_print_session_that_was_continued_by_hand_is_shown(home: Home, run: Run) -> None:
    start = [aside("printed", entrypoint="sdk-cli"), answer(entrypoint="sdk-cli")]
    home.claude([*start, say("by hand"), answer()])
    assert only(run)["hidden"] is None


def test_a_session_by_hand_that_was_continued_by_print_is_shown(home: Home, run: Run) -> None:
    end = [aside("printed", entrypoint="sdk-cli"), answer(entrypoint="sdk-cli")]
    home.claude([say("by hand"), answer(), *end])
    assert only(run)["hidden"] is None


PAPER = [attachment(60 * KB)] * 6  # more than is read from the beginning


@pytest.mark.parametrize(
    ("first", "middle", "last"),
    [("cli", "sdk-cli", "sdk-cli"), ("sdk-cli", "cli", "sdk-cli"), ("sdk-cli", "sdk-cli", "cli")],
)
def test_one_turn_by_hand_anywhere_in_a_long_session_is_enough(
    home: Home, run: Run, first: str, middle: str, last: str
) -> None:
    records: list[Any] = []
    for entrypoint in (first, middle, last):
        records += [aside("hi", entrypoint=entrypoint), answer(entrypoint=entrypoint)]
    printed = [aside("hi"), answer()]
    records = [*records[:2], *printed, *PAPER, *records[2:4], *PAPER, *records[4:]]
    home.claude(records, entrypoint="sdk-cli")
    assert only(run)["hidden"] is None


# Folder (reference B4)


def test_the_last_relocation_decides_the_folder(home: Home, run: Run) -> None:
    moves = [
        meta("relocated", relocatedCwd="/home/kim/b"),
        meta("relocated", relocatedCwd="/home/kim/c"),
    ]
    home.claude([say("hi"), answer(), *moves], project="-home-kim-c")
    assert only(run)["cwd"] == "/home/kim/c"


def test_a_relocation_counts_before_a_folder_that_fits(home: Home, run: Run) -> None:
    home.claude(
        [say("hi"), answer(), meta("relocated", relocatedCwd="/home/kim/moved")],
        cwd="/home/kim/api",
    )
    assert only(run)["cwd"] == "/home/kim/moved"


def test_a_worktree_that_was_left_is_the_repository_again(home: Home, run: Run) -> None:
    tree = "/home/kim/api/.claude/worktrees/wt1"
    state = meta(
        "worktree-state", worktreeSession={"originalCwd": "/home/kim/api", "worktreePath": tree}
    )
    end = [
        meta("relocated", relocatedCwd="/home/kim/api"),
        meta("worktree-state", worktreeSession=None),
    ]
    home.claude(
        [state, say("hi"), answer(), *end], cwd=tree, project="-home-kim-api", branch="worktree-wt1"
    )
    assert (only(run)["cwd"], only(run)["branch"]) == ("/home/kim/api", "worktree-wt1")


def test_the_folder_whose_slug_is_the_project_counts_not_the_first(home: Home, run: Run) -> None:
    home.claude([say("hi", cwd="/elsewhere"), answer(cwd="/home/kim/api")], project="-home-kim-api")
    assert only(run)["cwd"] == "/home/kim/api"


def test_a_cd_in_mid_session_changes_no_folder(home: Home, run: Run) -> None:
    home.claude(
        [say("hi"), answer(), say("on", cwd="/home/kim/api/sub"), answer(cwd="/home/kim/api/sub")]
    )
    assert only(run)["cwd"] == "/home/kim/api"


def test_the_first_folder_that_fits_counts(home: Home, run: Run) -> None:
    home.claude(
        [say("hi", cwd="/home/kim/a_b"), answer(cwd="/home/kim/a.b")], project="-home-kim-a-b"
    )
    assert only(run)["cwd"] == "/home/kim/a_b"


def test_else_the_nearest_parent_that_fits_counts(home: Home, run: Run) -> None:
    home.claude(cwd="/home/kim/api/deep/er", project="-home-kim-api")
    assert only(run)["cwd"] == "/home/kim/api"


def test_else_the_first_folder_counts(home: Home, run: Run) -> None:
    home.claude(
        [say("hi", cwd="/srv/first"), answer(cwd="/srv/second")], project="-named-by-the-host"
    )
    assert only(run)["cwd"] == "/srv/first"


def test_without_a_recorded_folder_the_prompt_history_counts(home: Home, run: Run) -> None:
    made = home.claude([say("hi"), answer()], cwd=None)
    lines = [{"display": "hi", "timestamp": 1, "project": "/home/kim/launch", "sessionId": made.id}]
    write_lines(os.path.join(home.claude_dir, "history.jsonl"), lines)
    assert only(run)["cwd"] == "/home/kim/launch"


def test_without_any_folder_the_session_is_listed_without_one(home: Home, run: Run) -> None:
    home.claude([say("hi"), answer()], cwd=None)
    assert (only(run)["cwd"], only(run)["title"]) == (None, "hi")


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        pytest.param("/home/kim/my_app.v2 x", "-home-kim-my-app-v2-x", id="marks"),
        pytest.param("/home/kim/Ünï code", "-home-kim--n--code", id="umlauts"),
        pytest.param("/home/kim/🎉x", "-home-kim---x", id="two-units"),
        pytest.param("/home/kim/日本", "-home-kim---", id="cjk"),
        pytest.param("/home/kim/cafe\u0301", "-home-kim-caf-", id="decomposed"),
        pytest.param("/srv/" + "a" * 195, "-srv-" + "a" * 195, id="200-whole"),
        pytest.param("/srv/" + "a" * 220, "-srv-" + "a" * 195 + "-vxcp3b", id="hashed"),
        pytest.param(
            "/srv/" + "b/" * 110 + "c",
            ("-srv-" + "b-" * 98)[:200] + "-myu5ui",
            id="hashed-negative",
        ),
    ],
)
def test_the_slug_of_a_folder_is_the_clients(
    home: Home, run: Run, folder: str, project: str
) -> None:
    assert slug(folder) == project  # the tests' own rule agrees with the literal
    home.claude([say("hi", cwd="/elsewhere"), answer(cwd=folder)], project=project)
    assert only(run)["cwd"] == folder


def test_a_hash_of_another_release_still_fits_by_its_200_characters(home: Home, run: Run) -> None:
    folder = "/srv/" + "a" * 220
    home.claude(
        [say("hi", cwd="/elsewhere"), answer(cwd=folder)], project="-srv-" + "a" * 195 + "-other1"
    )
    assert only(run)["cwd"] == folder


def test_the_slug_is_that_of_the_real_path_and_the_folder_stays_as_recorded(
    home: Home, run: Run
) -> None:
    real = home.folder("real")
    link = os.path.join(home.path, "link")
    os.symlink(real, link)
    home.claude([say("hi", cwd="/elsewhere"), answer(cwd=link)], project=slug(real))
    assert only(run)["cwd"] == link


# Title (reference B5)


def titled(home: Home, *tail: Any, sidecar: str | None = None, head: tuple[Any, ...] = ()) -> None:
    home.claude([*head, say("the first prompt"), answer(), *tail], id=ONE, sidecar=sidecar)


CUSTOM, AI = meta("custom-title", customTitle="by hand"), meta("ai-title", aiTitle="by the model")
LAST = meta("last-prompt", lastPrompt="the last prompt")


def test_the_titles_sidecar_counts_first(home: Home, run: Run) -> None:
    titled(home, CUSTOM, AI, LAST, sidecar="from the sidecar")
    assert only(run)["title"] == "from the sidecar"


def test_a_custom_title_counts_before_a_newer_one_of_the_model(home: Home, run: Run) -> None:
    titled(home, CUSTOM, LAST, AI)
    assert only(run)["title"] == "by hand"


def test_the_last_custom_title_counts(home: Home, run: Run) -> None:
    titled(home, CUSTOM, meta("custom-title", customTitle="renamed again"))
    assert only(run)["title"] == "renamed again"


def test_a_custom_title_at_the_start_counts(home: Home, run: Run) -> None:
    titled(home, AI, LAST, head=(CUSTOM,))
    assert only(run)["title"] == "by hand"


def test_a_title_of_the_model_counts_before_the_last_prompt(home: Home, run: Run) -> None:
    titled(home, LAST, meta("ai-title", aiTitle="older"), AI)
    assert only(run)["title"] == "by the model"


def test_a_summary_of_this_conversation_counts_before_the_last_prompt(home: Home, run: Run) -> None:
    leaf = "00000000-0b0e-0d0c-0000-000000000002"
    home.claude(
        [
            meta("summary", summary="what it was about", leafUuid=leaf),
            say("a"),
            answer(uuid=leaf),
            LAST,
        ]
    )
    assert only(run)["title"] == "what it was about"


def test_a_summary_of_another_conversation_does_not_count(home: Home, run: Run) -> None:
    home.claude([meta("summary", summary="of another", leafUuid=TWO), say("mine"), answer()])
    assert only(run)["title"] == "mine"


def test_the_last_prompt_counts_before_the_first(home: Home, run: Run) -> None:
    titled(home, LAST)
    assert only(run)["title"] == "the last prompt"


def test_else_the_first_prompt_counts(home: Home, run: Run) -> None:
    titled(home, say("a second prompt"), answer(), meta("last-prompt", leafUuid=ONE))
    assert only(run)["title"] == "the first prompt"


@pytest.mark.parametrize("empty", ["", " \n ", None, 7, {"a": 1}])
def test_an_empty_title_does_not_count(home: Home, run: Run, empty: Any) -> None:
    titled(home, meta("custom-title", customTitle=empty), meta("ai-title", aiTitle=empty))
    assert only(run)["title"] == "the first prompt"


def test_the_same_bytes_inside_a_tool_result_are_no_title(home: Home, run: Run) -> None:
    quoted = json.dumps({"type": "custom-title", "customTitle": "quoted"}, separators=(",", ":"))
    result = aside(
        [tool_result("x")], toolUseResult={"type": "custom-title", "customTitle": "nested"}
    )
    titled(home, aside([tool_result(quoted)]), result)
    assert only(run)["title"] == "the first prompt"


JUNK = [
    pytest.param(aside([tool_result()]), id="tool-result"),
    pytest.param(aside("of the client", isMeta=True), id="meta"),
    pytest.param(aside("the story so far", isCompactSummary=True), id="compacted"),
    pytest.param(aside("the story so far", isVisibleInTranscriptOnly=True), id="transcript-only"),
    pytest.param(
        aside("This session is being continued from a previous conversation..."), id="continued"
    ),
    pytest.param(aside("<local-command-stdout>Set</local-command-stdout>"), id="command-output"),
    pytest.param(aside("<local-command-stderr>no</local-command-stderr>"), id="command-errors"),
    pytest.param(
        aside("<local-command-caveat>Caveat: ...</local-command-caveat>"), id="caveat-tag"
    ),
    pytest.param(aside("Caveat: The messages below were generated"), id="caveat"),
    pytest.param(aside("<bash-input>ls</bash-input>"), id="bash-input"),
    pytest.param(
        aside("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>"), id="bash-output"
    ),
    pytest.param(aside("<bash-stderr>x</bash-stderr>"), id="bash-errors"),
    pytest.param(aside("<task-notification>done</task-notification>"), id="task"),
    pytest.param(aside("<system-reminder>be kind</system-reminder>"), id="reminder"),
    pytest.param(aside("<session-start-hook>x</session-start-hook>"), id="hook"),
    pytest.param(aside("<tick>1</tick>"), id="tick"),
    pytest.param(aside("<goal>win</goal>"), id="goal"),
    pytest.param(aside("<ide_opened_file>a.py</ide_opened_file>"), id="opened-file"),
    pytest.param(aside("<ide_selection>a</ide_selection>"), id="selection"),
    pytest.param(
        aside([{"type": "text", "text": "[Request interrupted by user]"}]), id="interrupted"
    ),
    pytest.param(aside("[Request interrupted by user for tool use]"), id="interrupted-tool"),
    pytest.param(aside("in a side chain", isSidechain=True), id="sidechain"),
    pytest.param(aside(""), id="nothing"),
    pytest.param(aside([]), id="no-blocks"),
    pytest.param(aside(None), id="null"),
    pytest.param(
        say("<command-message>init</command-message>\n<command-name>/init</command-name>"),
        id="command",
    ),
]


@pytest.mark.parametrize("junk", JUNK)
def test_what_the_client_wrote_is_no_prompt(home: Home, run: Run, junk: dict[str, Any]) -> None:
    # An answer first: a file that begins with a side chain is no session.
    home.claude([answer(), junk, say("the real one"), answer()])
    assert only(run)["title"] == "the real one"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        pytest.param("<div> is not centred", "<div> is not centred", id="a-tag-of-the-person"),
        pytest.param([{"type": "text", "text": "in blocks"}], "in blocks", id="blocks"),
        pytest.param(
            [image(), {"type": "text", "text": "what is this?"}],
            "what is this?",
            id="picture-and-words",
        ),
        pytest.param([image()], "[Image]", id="picture-only"),
        pytest.param(
            "<ide_opened_file>a.py</ide_opened_file>\nfix it", "fix it", id="words-after-a-tag"
        ),
        pytest.param(
            [
                {"type": "text", "text": "<ide_selection>a</ide_selection>"},
                {"type": "text", "text": "fix it"},
            ],
            "fix it",
            id="words-after-a-tag-block",
        ),
        pytest.param("two\n\tlines", "two lines", id="lines"),
    ],
)
def test_what_the_person_wrote_is_a_prompt(home: Home, run: Run, content: Any, title: str) -> None:
    home.claude([say(content), answer()])
    assert only(run)["title"] == title


def test_a_commands_name_is_the_title_where_nothing_else_was_said(home: Home, run: Run) -> None:
    command = "<command-message>init</command-message>\n<command-name>/init</command-name>"
    home.claude([say(command), aside("the command's own text", isMeta=True), answer()])
    assert only(run)["title"] == "/init"


def test_after_a_compaction_the_first_prompt_is_still_found(home: Home, run: Run) -> None:
    border = system("compact_boundary", content="Conversation compacted")
    story = aside(
        "This session is being continued from a previous conversation", isCompactSummary=True
    )
    home.claude([say("before"), answer(), border, story, say("after"), answer()])
    assert only(run)["title"] == "before"


# Model, effort, mode, branch, time (reference B7)


@pytest.mark.parametrize(
    ("records", "model"),
    [
        pytest.param([answer(model="a"), answer(model="b")], "b", id="newest"),
        pytest.param([answer(model="a"), answer(model="<synthetic>")], "a", id="not-synthetic"),
        pytest.param(
            [answer(model="resolved", requestedModel="opus[1m]")], "opus[1m]", id="requested"
        ),
        pytest.param(
            [answer(model="b", requestedModel="asked"), answer(model="b")],
            "asked",
            id="said-by-an-older-answer",
        ),
        pytest.param(
            [answer(model="b", requestedModel="asked"), answer(model="c")], "c", id="switched-since"
        ),
        pytest.param([answer(model="<synthetic>")], None, id="none"),
        pytest.param([answer(model=7)], None, id="no-text"),
    ],
)
def test_the_model_is_the_newest_requested_else_the_newest_that_answered(
    home: Home, run: Run, records: list[Any], model: str | None
) -> None:
    home.claude([say("hi"), *records])
    assert only(run)["model"] == model


def test_another_models_effort_is_not_carried_over(home: Home, run: Run) -> None:
    answers = [answer(model="opus-x", effort="max"), answer(model="haiku-x")]
    home.claude([say("hi"), *answers], effort=None)
    row = only(run)
    assert (row["model"], row["effort"]) == ("haiku-x", None)


def test_the_effort_is_the_newest_answers(home: Home, run: Run) -> None:
    home.claude([say("hi"), answer(effort="low"), answer(effort="max")])
    assert only(run)["effort"] == "max"


def test_an_old_session_has_no_effort_and_no_mode(home: Home, run: Run) -> None:
    home.claude(version="2.0.77")
    assert (only(run)["effort"], only(run)["approval"]) == (None, None)


def test_the_mode_of_a_later_user_record_counts(home: Home, run: Run) -> None:
    home.claude(
        [
            meta("permission-mode", permissionMode="plan"),
            say("hi", permissionMode="acceptEdits"),
            answer(),
        ]
    )
    assert only(run)["approval"] == "acceptEdits"


def test_a_later_mode_record_counts(home: Home, run: Run) -> None:
    home.claude(
        [
            say("hi", permissionMode="plan"),
            answer(),
            meta("permission-mode", permissionMode="default"),
        ]
    )
    assert only(run)["approval"] == "default"


def test_claude_records_no_sandbox(home: Home, run: Run) -> None:
    home.claude()
    assert only(run)["sandbox"] is None


def test_the_branch_is_the_newest(home: Home, run: Run) -> None:
    home.claude([say("hi", gitBranch="main"), answer(gitBranch="fix/loop")])
    assert only(run)["branch"] == "fix/loop"


def test_outside_a_repository_there_is_no_branch(home: Home, run: Run) -> None:
    home.claude(branch=None)
    assert only(run)["branch"] is None


def test_the_time_is_the_newest_records_not_the_files(home: Home, run: Run) -> None:
    home.claude(time=1_790_000_000.5, mtime=1_790_700_000)
    assert (only(run)["time"], only(run)["mtime"]) == (1_790_000_000_500, 1_790_700_000_000)


def test_records_out_of_order_give_the_newest_time(home: Home, run: Run) -> None:
    home.claude(
        [say("hi", timestamp=iso(1_790_000_900)), answer(timestamp=iso(1_790_000_100))],
        mtime=1_790_001_000,
    )
    assert only(run)["time"] == 1_790_000_900_000


@pytest.mark.parametrize(
    ("first", "second", "newest"),
    [
        pytest.param("08:00:00.700Z", "08:00:00Z", 700, id="no-fraction"),
        pytest.param("08:00:00Z", "08:00:00.700Z", 700, id="a-fraction-after-none"),
        pytest.param("10:00:00.100+02:00", "07:59:59.900Z", 100, id="an-offset"),
        pytest.param("07:59:59.900Z", "10:00:00.100+02:00", 100, id="an-offset-last"),
        pytest.param("08:00:00.100Z", "99:99:99.999Z", 100, id="no-time"),
        pytest.param("99:99:99.999Z", "08:00:00.100Z", 100, id="no-time-first"),
    ],
)
def test_times_of_any_form_are_compared_as_times(
    home: Home, run: Run, first: str, second: str, newest: int
) -> None:
    stamps = [f"2026-11-02T{clock}" for clock in (first, second)]
    home.claude([say("hi", timestamp=stamps[0]), answer(timestamp=stamps[1])])
    assert only(run)["time"] == 1_793_606_400_000 + newest


def test_the_model_asked_for_is_found_behind_a_long_result(home: Home, run: Run) -> None:
    result = aside([tool_result("x" * 30 * KB)])
    home.claude(
        [say("hi"), answer(model="b", requestedModel="asked"), result, answer(model="b")],
        filler=300 * KB,
    )
    assert only(run)["model"] == "asked"


# Big files


def test_a_long_prompt_is_cut_not_dropped(home: Home, run: Run) -> None:
    home.claude([say("begin " + "x" * 200 * KB), answer()])
    title = only(run)["title"]
    assert title.startswith("begin xxx")
    assert len(title) < 2_000


def test_a_line_that_is_too_long_costs_only_itself(home: Home, run: Run) -> None:
    home.claude([say("y" * 300 * KB), say("the next one"), answer(), attachment(300 * KB), LAST])
    row = only(run)
    assert (row["title"], row["model"], row["effort"]) == ("the last prompt", "opus-x", "high")


def test_the_model_is_found_300_kb_before_the_end(home: Home, run: Run) -> None:
    home.claude([say("hi"), answer(), *[attachment(50 * KB)] * 6, LAST])
    assert (only(run)["model"], only(run)["title"]) == ("opus-x", "the last prompt")


def test_a_title_600_kb_before_the_end_is_found_in_the_sidecar(home: Home, run: Run) -> None:
    home.claude(
        [say("hi"), answer(), CUSTOM, *[request_shape(60 * KB)] * 10, answer()], sidecar="by hand"
    )
    assert only(run)["title"] == "by hand"


def test_a_title_given_early_in_a_long_session_is_found(home: Home, run: Run) -> None:
    home.claude([say("hi"), answer(), CUSTOM, *PAPER, *PAPER, say("on"), answer(), LAST])
    assert only(run)["title"] == "by hand"


def test_a_file_of_3_gb_is_listed_at_once(home: Home, run: Run) -> None:
    made = home.claude()
    with open(made.path, "ab") as file:
        file.truncate(3 << 30)
        file.seek(0, os.SEEK_END)
        late = [
            say("late", timestamp=iso(1_790_500_000), sessionId=made.id, cwd="/home/kim/api"),
            CUSTOM,
        ]
        file.write(b"\n" + b"".join(dump(record) + b"\n" for record in late))
    started = time.process_time()
    row = only(run)
    assert time.process_time() - started < 2
    assert (row["title"], row["cwd"], row["bytes"]) == (
        "by hand",
        "/home/kim/api",
        os.path.getsize(made.path),
    )


# Damage (reference D19-D22, D40, D41): what is whole is read


@pytest.fixture(params=[0, 14], ids=["alone", "among-many"])
def company(request: pytest.FixtureRequest, home: Home) -> None:
    """Other sessions beside the damaged one: many files are worth another JSON parser."""
    for _ in range(request.param):
        home.claude(version="2.0.77")


@pytest.mark.usefixtures("company")
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"\0" * 5_000 + b"\n", id="nul-run"),
        pytest.param(b'{"type":"user","message":{"content":"cut \xf0\x9f', id="cut-at-the-end"),
        pytest.param(b"\xff\xfe\x00binary\x1b[2J\n", id="binary"),
        pytest.param(b"[" * 5_000 + b"\n", id="deep"),
        pytest.param(
            b'{"type":"assistant","message":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001 + b"\n",
            id="deep-record",
        ),
        pytest.param(b'{"type":["user"],"timestamp":{},"cwd":7}\n', id="wrong-types"),
        pytest.param(
            b'{"type":"assistant","timestamp":"2026-99-99T00:00:00Z","message":[]}\n',
            id="wrong-time",
        ),
        pytest.param(
            b'{"type":"assistant","message":{"model":NaN},"effort":1e400}\n', id="numbers"
        ),
        pytest.param(b"null\n7\n[]\n\n\r\n", id="no-records"),
    ],
)
def test_damage_in_a_file_costs_only_the_damaged_line(home: Home, run: Run, damage: bytes) -> None:
    made = home.claude([say("whole"), answer(), damage], time=1_790_000_000)
    row = run.listed()[made.id]
    assert (row["title"], row["model"], row["time"]) == ("whole", "opus-x", 1_790_000_000_000)


def rewritten(path: str, old: bytes, new: bytes) -> None:
    with open(path, "rb") as file:
        data = file.read()
    assert old in data
    with open(path, "wb") as file:
        file.write(data.replace(old, new))


@pytest.mark.usefixtures("company")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"}\n", b"}\r\n", id="crlf"),
        pytest.param(b'}\n{"parentUuid"', b'}{"parentUuid"', id="glued"),
        pytest.param(b"}\n", b"}\n\0\0\0", id="nul-before-each"),
        pytest.param(b"grow?", "grow?\u2028\u2029\u0085".encode(), id="unicode-line-ends"),
    ],
)
def test_an_odd_but_whole_file_is_read(home: Home, run: Run, old: bytes, new: bytes) -> None:
    made = home.claude(time=1_790_000_000)
    rewritten(made.path, old, new)
    row = run.listed()[made.id]
    assert row["title"].rstrip() == "why does the cache grow?"
    assert (row["model"], row["time"]) == ("opus-x", 1_790_000_000_000)


@pytest.mark.usefixtures("company")
def test_a_bom_hides_no_record(home: Home, run: Run) -> None:
    made = home.claude([say("first line"), answer()])
    with open(made.path, "rb") as file:
        data = file.read()
    with open(made.path, "wb") as file:
        file.write(b"\xef\xbb\xbf" + data)
    assert run.listed()[made.id]["title"] == "first line"


@pytest.mark.usefixtures("company")
def test_a_last_line_without_its_newline_counts_when_it_is_whole(home: Home, run: Run) -> None:
    made = home.claude([say("hi"), answer(), CUSTOM])
    os.truncate(made.path, os.path.getsize(made.path) - 1)
    assert run.listed()[made.id]["title"] == "by hand"


@pytest.mark.usefixtures("company")
def test_half_an_emoji_costs_no_record(home: Home, run: Run) -> None:
    made = home.claude([say("cut \ud83d here"), answer()])
    title = run.listed()[made.id]["title"]
    assert title.startswith("cut ")
    assert title.endswith(" here")
    assert title.isprintable()


# Where the store is


def test_the_store_moves_with_claude_config_dir(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude(prompt="in the usual place")
    made = home.claude(config=home.folder("elsewhere"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", os.path.join(home.path, "elsewhere"))
    assert list(run.listed()) == [made.id]


def test_a_whole_other_home_is_read_by_sessfzf_home(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude(prompt="in the usual place")
    made = home.claude(config=home.folder("other", ".claude"))
    monkeypatch.setenv("SESSFZF_HOME", os.path.join(home.path, "other"))
    assert list(run.listed()) == [made.id]


BRANCHED = {"sessionId": TWO, "messageUuid": ONE}


def is_fork(run: Run, *args: str) -> bool:
    (row,) = run("list", "--picker", *args).text.rstrip("\n").split("\n")[1:]
    return "is:fork" in row.split()


def test_a_branch_of_a_conversation_names_the_one_it_was_made_from(home: Home, run: Run) -> None:
    # As /branch writes it: every record that was copied is stamped, what is said later is not.
    made = home.claude(
        [
            say("hi", forkedFrom=BRANCHED),
            answer(forkedFrom=BRANCHED),
            say("and now otherwise"),
            answer(),
        ]
    )
    assert resolve(made.id)[2].forked == TWO
    assert is_fork(run)
    with open(made.path, "ab") as file:
        file.write(dump(meta("ai-title", aiTitle="Named")) + b"\n")
    assert is_fork(run)  # from a reading of what was added only
    assert is_fork(run)  # from the index


@pytest.mark.parametrize(
    "forked",
    [None, "x", {}, {"sessionId": 7}, {"sessionId": "../x"}, {"sessionId": ONE}, [BRANCHED]],
    ids=repr,
)
def test_what_names_no_other_session_is_no_fork(home: Home, run: Run, forked: Any) -> None:
    home.claude([say("hi", forkedFrom=forked), answer(forkedFrom=forked)], id=ONE)
    assert not is_fork(run)
    assert resolve(ONE)[2].forked == ""


def test_a_fork_named_by_a_tools_result_is_none(home: Home, run: Run) -> None:
    text = dump({"forkedFrom": BRANCHED}).decode()
    home.claude([say("hi"), answer(text), aside([tool_result(text)])])
    assert not is_fork(run)


def test_a_linked_store_is_read(home: Home, run: Run) -> None:
    made = home.claude()
    os.rename(os.path.join(home.claude_dir, "projects"), os.path.join(home.path, "dotfiles"))
    os.symlink(os.path.join(home.path, "dotfiles"), os.path.join(home.claude_dir, "projects"))
    assert list(run.listed()) == [made.id]


def test_a_linked_project_is_read_and_listed_once(home: Home, run: Run) -> None:
    made = home.claude()
    projects = os.path.join(home.claude_dir, "projects")
    os.symlink(os.path.dirname(made.path), os.path.join(projects, "-home-kim-again"))
    os.symlink(projects, os.path.join(projects, "-a-loop"))
    assert list(run.listed()) == [made.id]


def test_reading_changes_nothing(home: Home, run: Run) -> None:
    made = home.claude(sidecar="named")
    home.claude_live(made.id)
    before = snapshot(home.path)
    run.listed()
    run.listed()
    assert snapshot(home.path) == before


# Live sessions


@pytest.mark.parametrize("status", ["idle", "busy", "waiting"])
def test_a_running_session_is_live(home: Home, run: Run, status: str) -> None:
    home.claude_live(home.claude().id, status=status)
    assert only(run)["live"] == status


def test_an_unknown_status_is_just_open(home: Home, run: Run) -> None:
    home.claude_live(home.claude().id, status="pondering\x1b[2J")
    assert only(run)["live"] == "open"


def test_a_process_that_ended_is_not_live(home: Home, run: Run) -> None:
    child = home.child()
    child.kill()
    child.wait()
    home.claude_live(home.claude().id, pid=child.pid, start="1")
    assert only(run)["live"] is None


def test_a_pid_that_was_given_away_again_is_not_live(home: Home, run: Run) -> None:
    home.claude_live(home.claude().id, start="1")
    assert only(run)["live"] is None


def test_a_session_becomes_live_without_a_change_to_its_file(home: Home, run: Run) -> None:
    made = home.claude()
    assert only(run)["live"] is None
    home.claude_live(made.id, status="busy")
    assert only(run)["live"] == "busy"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"pid":"x","sessionId":7}', b'{"pid":1e400}']
)
def test_a_damaged_live_record_costs_nothing(home: Home, run: Run, content: bytes) -> None:
    home.claude()
    write_lines(os.path.join(home.claude_dir, "sessions", "1.json"), [content])
    assert only(run)["live"] is None
