"""The preview: what it tells of a session, how it fits, and what it never does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import pytest
from checker import harm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import (
    answer,
    aside,
    event,
    image,
    message,
    meta,
    repository,
    say,
    snapshot,
    system,
    tool_result,
    typed,
)

from sessfzf import preview
from sessfzf.text import clean_lines, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Run
    from stores import Home, Record, Written

COMPACTED: Final = "  — compacted"
MB: Final = 1024 * 1024


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def shown(run: Run, key: str) -> tuple[dict[str, str], list[str]]:
    """The facts by their labels, the title's being "", and the lines of the conversation."""
    result = run("preview", key)
    assert (result.code, result.err) == (0, "")
    assert harm(result.out, tabs=False) == []
    head, _, talk = result.text.partition("\n" + "─" * 80 + "\n")
    facts: dict[str, str] = {}
    label = ""
    for line in head.split("\n"):
        if facts:
            label = line[:10].strip() or label
            line = line[10:]  # noqa: PLW2901
        facts[label] = f"{facts[label]} {line}" if label in facts else line
    assert talk.endswith("\n")
    return facts, talk[:-1].split("\n")


def talk(run: Run, made: Written) -> list[str]:
    return shown(run, made.id)[1]


def said(*blocks: Record | str) -> Record:
    """A record of the model's with these blocks."""
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
    content_of = {"id": "m", "role": "assistant", "model": "opus-x", "content": content}
    return answer(message=content_of)


def tool(name: str, **arguments: Any) -> Record:
    return {"type": "tool_use", "id": "t1", "name": name, "input": arguments}


def item(payload_type: str, **fields: Any) -> Record:
    return {"type": "response_item", "payload": {"type": payload_type} | fields}


def completed(kind: str, **fields: Any) -> Record:
    return event("item_completed", item={"type": kind} | fields)


# The facts


def test_the_facts_of_a_claude_session(run: Run, home: Home) -> None:
    folder = home.folder("shop api")
    made = home.claude(cwd=folder, branch="main", model="opus[1m]", mode="bypassPermissions")
    facts, _ = shown(run, made.id)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d · 3d ago", facts.pop("active"))
    assert facts.pop("size") == f"{os.path.getsize(made.path) / 1024:.1f} KiB"
    assert re.fullmatch(r"until \d{4}-\d\d-\d\d, then deleted", facts.pop("kept"))
    assert facts == {
        "": "why does the cache grow?",
        "app": "claude-code",
        "folder": "~/shop api",
        "branch": "main",
        "model": "opus[1m], high",
        "approvals": "bypassPermissions",
        "Enter": "permission mode default, which asks before it acts",
        "id": made.id,
    }


def test_the_facts_of_a_codex_thread(run: Run, home: Home) -> None:
    folder = home.folder("api")
    made = home.codex(cwd=folder, approval="never", sandbox="danger-full-access", archived=True)
    home.codex_db([home.thread(made, cwd=folder, name="Retry loop", archived=1)])
    facts, _ = shown(run, made.id)
    assert facts[""] == "Retry loop"
    assert facts["app"] == "codex · archived"
    assert facts["approvals"] == "never, danger-full-access"
    assert facts["Enter"] == (
        "approval on-request, which asks before it acts; sandbox "
        "workspace-write, which writes in the folder only"
    )


def test_what_is_kept_is_told(run: Run, home: Home) -> None:
    made = home.claude(cwd=home.folder("api"), mode="plan")
    assert shown(run, made.id)[0]["Enter"] == "resumes with these approvals"


def test_approvals_that_are_not_recorded_are_not_said_to_be_kept(run: Run, home: Home) -> None:
    made = home.claude(cwd=home.folder("api"), version="2.0.77")
    facts, _ = shown(run, made.id)
    assert facts["approvals"] == "not recorded"
    assert facts["Enter"] == "resumes with the agent's strict default"
    home.claude_live(made.id, job="0b0e0d0c")
    assert shown(run, made.id)[0]["Enter"] == "attaches to it"


def test_what_enter_does_is_what_plan_does(run: Run, home: Home) -> None:
    folder = home.folder("api")
    for mode in ("default", "plan", "acceptEdits", "bypassPermissions", "made-up"):
        made = home.claude(cwd=folder, mode=mode, branch=None)
        (planned,) = run("plan", made.id, "--json").objects
        enter = shown(run, made.id)[0]["Enter"]
        for held in planned["held_back"]:
            assert f"{held['what']} {held['given']}, {held['why']}" in enter
        assert planned["held_back"] or enter == "resumes with these approvals"


def test_a_gone_folder_is_shown_not_refused(run: Run, home: Home) -> None:
    made = home.claude(cwd="/home/kim/gone")
    facts, _ = shown(run, made.id)
    assert facts["folder"] == "/home/kim/gone ✗"
    assert facts["Enter"] == "refuses: the session's folder is gone"


def test_a_thread_without_a_transcript(run: Run, home: Home) -> None:
    own = "01a0c0de-0001-7000-8000-000000000009"
    home.codex_db([home.thread(own)])
    facts, lines = shown(run, own)
    assert facts["Enter"] == "refuses: its transcript is gone"
    assert "size" not in facts
    assert lines == ["  — its transcript is gone"]


def test_a_compressed_rollout(run: Run, home: Home) -> None:
    made = home.codex(suffix=".jsonl.zst")
    home.codex_db([home.thread(made)])
    assert talk(run, made) == ["  — compressed: what was said cannot be shown"]


def test_both_branches_are_told_when_they_differ(run: Run, home: Home) -> None:
    folder = repository(home.folder("api"), "feat")
    for recorded, told in (
        ("main", "main, the folder is on feat"),
        ("feat", "feat"),
    ):
        made = home.claude(cwd=folder, branch=recorded)
        facts, _ = shown(run, made.id)
        assert facts["branch"] == told
        asked = "asks first: the branch moved" in facts["Enter"]
        assert asked == bool(run("plan", made.id, "--json", "--confirm", "print").code)
    made = home.claude(cwd=folder, branch=None)
    facts, _ = shown(run, made.id)
    assert facts["branch"] == "not recorded, the folder is on feat"
    assert "asks" not in facts["Enter"]
    made = home.claude(cwd=home.folder("plain"), branch=None)
    assert "branch" not in shown(run, made.id)[0]


def test_no_program_runs_for_a_folder_without_a_repository(home: Home, tmp_path: Any) -> None:
    made = home.claude(cwd=home.folder("api"), branch="main")
    code = (
        "import sys; sys.addaudithook(lambda name, _: name in {'subprocess.Popen', 'os.exec', "
        "'os.posix_spawn', 'os.fork', 'os.system', 'socket.connect'} and sys.exit(9)); "
        "from sessfzf.__main__ import main; sys.exit(main(['preview', sys.argv[1]]))"
    )
    argv = [sys.executable, "-c", code, made.id]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_live_session(run: Run, home: Home) -> None:
    made = home.claude(cwd=home.folder("api"))
    home.claude_live(made.id, status="busy")
    facts, _ = shown(run, made.id)
    assert facts["app"] == "claude-code · ● busy"
    assert "asks first: the session is open elsewhere (busy)" in facts["Enter"]


@pytest.mark.parametrize(
    ("status", "mark"), [("busy", "●"), ("waiting", "◆"), ("idle", "○"), ("odd", "○")]
)
def test_a_session_in_the_background(run: Run, home: Home, status: str, mark: str) -> None:
    made = home.claude(cwd=home.folder("api"), mode="acceptEdits")
    home.claude_live(made.id, status=status, job="0b0e0d0c")
    facts, _ = shown(run, made.id)
    state = "open" if status == "odd" else status
    assert facts["app"] == f"claude-code · {mark} {state} in the background"
    assert facts["approvals"] == "acceptEdits"
    assert facts["Enter"] == "attaches to it with these approvals"


DAY: Final = 86_400


def day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def settle(home: Home, content: bytes) -> None:
    os.makedirs(home.claude_dir, exist_ok=True)
    with open(os.path.join(home.claude_dir, "settings.json"), "wb") as file:
        file.write(content)


@pytest.mark.parametrize(
    ("content", "days"),
    [
        (None, 30),
        (b"{}", 30),
        (b'{"model": "opus"}\n', 30),
        (b'{\n  "cleanupPeriodDays": 90\n}\n', 90),
        (b'{"cleanupPeriodDays": 1}', 1),
        (b'{"cleanupPeriodDays": 1.5}', 1.5),
        (b'{"cleanupPeriodDays": 99999}', 99_999),
    ],
    ids=repr,
)
def test_the_day_claude_code_will_delete_it(
    run: Run, home: Home, content: bytes | None, days: float
) -> None:
    # Opening a session moves the file's time, and with it that day: not the newest record's.
    changed = time.time() - DAY / 2
    made = home.claude(cwd=home.folder("api"), time=changed - 400 * DAY, mtime=changed)
    if content is not None:
        settle(home, content)
    told = shown(run, made.id)[0]["kept"]
    assert told == f"until {day(changed + days * DAY)}, then deleted"


def test_a_day_that_has_passed(run: Run, home: Home) -> None:
    made = home.claude(cwd=home.folder("api"), mtime=time.time() - 31 * DAY)
    told = shown(run, made.id)[0]["kept"]
    gone = day(time.time() - DAY)
    assert told == f"until {gone}: deleted when claude-code is next started"


@pytest.mark.parametrize(
    "value",
    [
        *(b"0", b"-1", b'"30"', b"null", b"true", b"[]", b"NaN", b"Infinity", b"1e400", b"9" * 400),
        *(b"30}garbage", b"\xff", b"[" * 100_000, b"30, " + b" " * MB),
    ],
    ids=lambda value: repr(value[:9]),
)
def test_a_setting_that_says_nothing_is_not_guessed_at(run: Run, home: Home, value: bytes) -> None:
    settle(home, b'{"cleanupPeriodDays": %s}' % value)
    assert "kept" not in shown(run, home.claude(cwd=home.folder("api")).id)[0]


def test_settings_that_cannot_be_read(run: Run, home: Home) -> None:
    os.makedirs(home.claude_dir)
    os.mkfifo(os.path.join(home.claude_dir, "settings.json"))
    assert "kept" not in shown(run, home.claude(cwd=home.folder("api")).id)[0]


def test_codex_deletes_nothing(run: Run, home: Home) -> None:
    assert "kept" not in shown(run, home.codex(cwd=home.folder("api")).id)[0]


OTHER: Final = "0c0ffee0-1111-4222-8333-444455556666"


def test_a_fork_names_the_session_it_was_made_from(run: Run, home: Home) -> None:
    branched = {"sessionId": OTHER, "messageUuid": OTHER}
    records = [say("first", forkedFrom=branched), answer(forkedFrom=branched), say("otherwise")]
    made = home.claude(records, cwd=home.folder("api"))
    assert shown(run, made.id)[0]["fork of"] == OTHER
    home.claude(id=OTHER, cwd=home.folder("api"), sidecar="The first\x1b[2J\nway")
    assert shown(run, made.id)[0]["fork of"] == f"The first way · {OTHER}"
    thread = home.codex(cwd=home.folder("api"), meta={"forked_from_id": OTHER})
    assert shown(run, thread.id)[0]["fork of"] == OTHER
    assert "fork of" not in shown(run, OTHER)[0]


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (200 * MB, "200.0 MiB"),
        (37 * 1024 * MB, "37.0 GiB"),
        (1 << 50, "1024.0 TiB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert preview._size(size) == text


# The conversation


def test_a_conversation_with_claude(run: Run, home: Home) -> None:
    code = "Try:\n\n```python\nif x:\n\treturn  1\n```"
    made = home.claude(
        [
            say("why does it\n  grow?"),
            said({"type": "thinking", "thinking": "secret thought"}, "I look.", tool("Bash", b=1)),
            said(tool("Bash", description="list", command="ls -l\nwc x")),
            said(tool("Read", file_path="/home/kim/a.py", limit=3)),
            aside([tool_result("a long output")]),
            said(code),
            system("turn_duration"),
            say([{"type": "text", "text": "and this?"}, image(), image()]),
        ]
    )
    assert talk(run, made) == [
        "you",
        "  why does it",
        "    grow?",
        "",
        "claude-code",
        "  I look.",
        "  → Bash",
        "  → Bash: ls -l wc x",
        "  → Read: /home/kim/a.py",
        "",
        "  Try:",
        "",
        "  ┌─ python",
        "  │ if x:",
        "  │     return  1",
        "  └─",
        "",
        "you",
        "  and this?",
        "  [image]",
        "  [image]",
    ]


ODD: Final[tuple[Any, ...]] = (
    *(None, 7, {}, [], [None, 7, "x", []]),
    *([{"type": []}], [{"type": "text", "text": 1}]),
)


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        pytest.param(
            say("<command-message>init</command-message>\n<command-name>/init</command-name>"),
            ["you", "  /init"],
            id="command",
        ),
        pytest.param(
            say("<command-name>/review</command-name>\n<command-args>42 -v</command-args>"),
            ["you", "  /review 42 -v"],
            id="arguments",
        ),
        pytest.param(
            system("local_command", content="<command-name>/model</command-name>"),
            ["you", "  /model"],
            id="local",
        ),
        pytest.param(say("<bash-input>make</bash-input>"), ["you", "  ! make"], id="shell"),
        pytest.param(say("<bash-stdout>made</bash-stdout>"), [], id="output"),
        pytest.param(
            say("<ide_opened_file>x</ide_opened_file>\nfix it"), ["you", "  fix it"], id="ide"
        ),
        pytest.param(say("<div> is not centred"), ["you", "  <div> is not centred"], id="tag"),
        pytest.param(
            say("[Request interrupted by user for tool use]"), ["  — interrupted"], id="interrupted"
        ),
        pytest.param(aside("hidden", isMeta=True), [], id="meta"),
        pytest.param(aside("of a sub-agent", isSidechain=True), [], id="sidechain"),
        pytest.param(answer("of a sub-agent", isSidechain=True), [], id="sidechain-answer"),
        pytest.param(say([image()]), ["you", "  [image]"], id="image-alone"),
        pytest.param(say([image()] * 500), ["you", *["  [image]"] * 9], id="images"),
        pytest.param(say("  \n \t\n"), [], id="blank"),
        pytest.param(
            meta("attachment", attachment={"type": "user", "content": "no prompt"}), [], id="other"
        ),
        *[pytest.param(say(content), [], id=f"odd-{number}") for number, content in enumerate(ODD)],
    ],
)
def test_what_stands_in_a_claude_record(
    run: Run, home: Home, record: Record, lines: list[str]
) -> None:
    made = home.claude([say("first"), answer("Second."), record])
    assert talk(run, made) == [
        *["you", "  first", "", "claude-code", "  Second."],
        *([""] if lines else []),
        *lines,
    ]


def test_a_compaction_is_one_line(run: Run, home: Home) -> None:
    made = home.claude(
        [
            say("before"),
            system("compact_boundary", content="Conversation compacted"),
            aside("This session is being continued from a previous one", isCompactSummary=True),
            answer("After."),
        ]
    )
    assert talk(run, made) == [
        *["you", "  before", "", COMPACTED, "", "claude-code", "  After."],
    ]


@pytest.mark.parametrize("dialect", ["legacy", "paginated"])
def test_a_conversation_with_codex(run: Run, home: Home, dialect: str) -> None:
    reply = (
        event("agent_message", message="Done.\n\n    indented")
        if dialect == "legacy"
        else completed("AgentMessage", content=[{"type": "Text", "text": "Done.\n\n    indented"}])
    )
    made = home.codex(
        [
            message("user", "<environment_context>not said</environment_context>"),
            *typed("earlier", dialect),
            *([{"type": "compacted", "payload": {"message": "x"}}, event("context_compacted")]),
            *typed("# Files\n## My request for Codex:\nfix\nit", dialect, images=1),
            item("function_call", name="shell", arguments='{"command":["bash","-lc","ls | wc"]}'),
            item("function_call", name="exec_command", arguments='{"cmd":"make"}'),
            item("function_call", name="broken", arguments='{"cmd'),
            item("function_call_output", output="not shown"),
            item("custom_tool_call", name="apply_patch", input="*** Begin Patch\n*** End"),
            item("local_shell_call", action={"type": "exec", "command": ["git", "status"]}),
            item("web_search_call", action={"type": "search", "query": "what for"}),
            item("custom_tool_call", name="exec", input='const r = await tools.x({cmd:"ls"});'),
            item("custom_tool_call", name="exec", input="text('none')"),
            event("agent_reasoning", text="not shown"),
            reply,
            message("assistant", "Done.\n\n    indented"),
            event("turn_aborted", reason="interrupted"),
        ],
        dialect=dialect,
    )
    assert talk(run, made) == [
        *["you", "  earlier", "", COMPACTED, ""],
        *["  fix", "  it", "  [image]", ""],
        "codex",
        "  → shell: ls | wc",
        "  → exec_command: make",
        '  → broken: {"cmd',
        "  → apply_patch: *** Begin Patch *** End",
        "  → shell: git status",
        "  → web_search: what for",
        '  → x({cmd:"ls"});',
        "  → exec: text('none')",
        *["", "  Done.", "", "      indented", "", "  — interrupted"],
    ]


def test_a_command_the_person_ran(run: Run, home: Home) -> None:
    command = ["/bin/bash", "-lc", "make test"]
    made = home.codex(
        [
            *typed("go"),
            completed("CommandExecution", command=command, source="user_shell"),
            completed("CommandExecution", command=command, source="unified_exec_startup"),
        ]
    )
    assert talk(run, made) == ["you", "  go", "", "  ! make test"]


NOTHING: Final = ["nothing was said, or not near enough to its end"]


def test_nothing_near_the_end(run: Run, home: Home) -> None:
    made = home.claude([say("x"), answer("y"), *[meta("cost-state", x="z" * 4000)] * 140])
    assert talk(run, made) == NOTHING


def test_a_line_too_long_is_left_out(run: Run, home: Home) -> None:
    made = home.claude([say("short"), answer("z" * 300_000), answer("End.")])
    assert talk(run, made) == ["you", "  short", "", "claude-code", "  End."]
    end = home.claude([say("short"), answer("z" * (2 * MB))])
    assert talk(run, end) == NOTHING


def test_damaged_lines_cost_themselves(run: Run, home: Home) -> None:
    made = home.claude([say("one"), b'{"type":"user"\n', b"\0\0\n", answer("Two."), b'{"type":"us'])
    assert talk(run, made) == ["you", "  one", "", "claude-code", "  Two."]


# The window


def test_it_fits_the_window_with_the_newest_at_the_bottom(
    run: Run, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [one for number in range(50) for one in (say(f"p{number}"), answer(f"a{number}"))]
    made = home.claude([*records, answer("The last line.")], cwd=home.folder("api"))
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", "60")
    for height in range(1, 60):
        monkeypatch.setenv("FZF_PREVIEW_LINES", str(height))
        lines = run("preview", made.id).text.split("\n")[:-1]
        assert len(lines) == height
        assert lines[0] == "p0"
        assert height == 1 or lines[-1] == "  The last line."
        assert max(map(width, lines)) <= 60
        if height > 3:
            assert "…" in lines


@pytest.mark.parametrize("height", range(4, 30))
def test_in_a_low_window_what_enter_does_comes_before_what_the_row_says(
    run: Run, home: Home, monkeypatch: pytest.MonkeyPatch, height: int
) -> None:
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", "80")
    monkeypatch.setenv("FZF_PREVIEW_LINES", str(height))
    made = home.claude([say("hello")], cwd="/home/kim/gone")
    told = run("preview", made.id).text.split("\n")
    assert told[0] == "hello"
    assert "Enter     refuses: the session's folder is gone" in told
    assert told[1].startswith("Enter" if height < 14 else "app ")
    if 6 <= height < 14:
        assert told[2].startswith("approvals"), "of which the line above may say 'these'"


WIDE: Final = (
    "日本語の長い文は空白なしで折り返される" * 9,
    "mixed 日本 and e\u0301 " * 30,
    "🎉👩‍👩‍👧 emoji" * 20,
    "    indented " * 40,
    " " * 300 + "deep",
    "x" * 500,
    "\t\ttabs\tand more",
)


@pytest.mark.parametrize("columns", [*range(1, 40), 79, 80, 200, 5000, 10**12])
def test_no_line_is_wider_than_the_window(
    run: Run, home: Home, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    text = "\n".join(WIDE)
    made = home.claude(
        [say(text), answer(text), said(*[tool(one, command=one) for one in WIDE])],
        cwd="/home/kim/" + "日本" * 60,
        branch="日本" * 60,
    )
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", str(columns))
    result = run("preview", made.id)
    assert harm(result.out, tabs=False) == []
    most = 80 if columns > 10**9 else min(max(columns, 16), 500)
    assert max(map(width, result.text.split("\n"))) <= most


@pytest.mark.parametrize("value", ["", "0", "-5", "x", "٣", "1e3", "9" * 5000, "007"])
def test_an_odd_window_is_no_error(run: Run, home: Home, value: str) -> None:
    made = home.claude(cwd="/home/kim/api")
    result = run.apart("preview", made.id, FZF_PREVIEW_COLUMNS=value, FZF_PREVIEW_LINES=value)
    assert (result.code, result.err) == (0, "")
    assert result.out


def test_colours_unless_no_color(run: Run, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    made = home.claude([say("x"), said("y", tool("Bash", command="z"))], cwd="/home/kim/gone")
    plain = run("preview", made.id).out
    assert b"\x1b" not in plain
    monkeypatch.delenv("NO_COLOR")
    coloured = run("preview", made.id).out
    assert harm(coloured, colours=True, tabs=False) == []
    assert re.sub(rb"\x1b\[[\d;]+m", b"", coloured) == plain
    assert coloured.count(b"\x1b[1;36myou\x1b[0m") == 1
    for line in coloured.split(b"\n"):
        assert not line.count(b"\x1b") % 2  # every colour ends where it began


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=st.characters() | st.sampled_from(" \t\n\r\x1b[m"), max_size=200))
def test_clean_lines_are_clean(text: str) -> None:
    lines = clean_lines(text)
    joined = "".join(f"{line}\n" for line in lines)
    assert harm(joined.encode(), tabs=False) == []
    assert clean_lines(joined) == lines
    assert not lines or (lines[0] and lines[-1])


@settings(deadline=None, max_examples=300)
@given(
    st.text(alphabet=st.sampled_from(" ab日🎉\u0301-"), max_size=120),
    st.integers(min_value=4, max_value=30),
)
def test_wrapped_lines_fit_and_lose_nothing(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert lines
    assert max(map(width, lines)) <= columns
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


# What a store may hold

ATTACKS: Final = (
    "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b]52;c;Y2xpcA==\x1b\\\x1b[2J\x1bc",
    "\x9b31mc1\x9d0;x\x9c\x90q\x9c\x85nel\x7f",
    "bell\x07 back\x08\x08 cr\rover lf\n vt\x0b ff\x0c tab\t nul\0",
    "\u2028line\u2029 \u202eevil\u202c \u2066a\u2069 \u200f\u061c",
    "zero\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e",
    "half \ud83d\ud83d \udcff\udc80",
    "e" + "\u0301" * 500,
    "\u115f\u1160\u3164\uffa0\U000e0041",
    "\x1b]unended\nnext",
    "\x1b[",
    "\n" * 5000 + "x",
    "\t" * 5000 + "x",
)


def fill(home: Home, text: str) -> list[Written]:
    """Both agents' sessions with this text wherever the preview shows some."""
    records: list[Record | bytes] = [
        say(text),
        say([{"type": "text", "text": text}, image()]),
        said(text, tool(text, command=text), tool("x", **{text: text})),
        system("local_command", content=f"<command-name>{text}</command-name>"),
        say(f"<command-name>/x</command-name><command-args>{text}</command-args>"),
        say(f"<bash-input>{text}"),
    ]
    calls = [
        item("function_call", name=text, arguments=text),
        item("custom_tool_call", name="x", input=text),
        item("local_shell_call", action={"command": [text, text]}),
        completed("CommandExecution", command=[text], source="user_shell"),
    ]
    more: dict[str, Any] = {"cwd": "/w/" + text, "branch": text, "model": text, "effort": text}
    return [
        home.claude(records, mode=text, project="-w", sidecar=text, **more),
        *[
            home.codex(
                [*typed(text, dialect), *calls, event("agent_message", message=text)],
                dialect=dialect,
                approval=text,
                sandbox=text,
                **more,
            )
            for dialect in ("legacy", "paginated")
        ],
    ]


@pytest.mark.parametrize("text", [*ATTACKS, "".join(ATTACKS)], ids=range(len(ATTACKS) + 1))
@pytest.mark.parametrize("height", ["", "12"], ids=["whole", "window"])
def test_no_text_harms(
    run: Run, home: Home, monkeypatch: pytest.MonkeyPatch, text: str, height: str
) -> None:
    monkeypatch.setenv("FZF_PREVIEW_LINES", height)
    for made in fill(home, text):
        result = run("preview", made.id)
        assert (result.code, result.err) == (0, "")
        assert harm(result.out, tabs=False) == []


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "text", "content", "message", "payload", "item", "name", "input"),
                    *("arguments", "command", "action", "images", "source", "subtype", "x"),
                ]
            ),
            inner
            | st.sampled_from(
                [
                    *("text", "image", "tool_use", "UserMessage", "AgentMessage", "user_message"),
                    *(
                        "CommandExecution",
                        "function_call",
                        "local_command",
                        "user_shell",
                        '{"a":1}',
                    ),
                ]
            ),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(["user", "assistant", "system"]),
    JSON,
    st.sampled_from(["event_msg", "response_item", "compacted"]),
    JSON,
)
def test_no_shape_is_an_error(  # noqa: PLR0913 - two records
    run: Run, home: Home, kind: str, content: Any, outer: str, payload: Any
) -> None:
    claude = home.claude([say("x"), {"type": kind, "message": content, "content": content}])
    user = home.claude([say(content)] * 2 + [answer("x")])
    codex = home.codex(
        [
            *typed("x"),
            event("agent_message", message="UserMessage function_call"),
            {"type": outer, "payload": payload},
        ],
        bulk=False,
    )
    for made in (claude, user, codex):
        result = run("preview", made.id)
        assert (result.code, result.err) in {(0, ""), (1, result.err)}
        assert harm(result.out, tabs=False) == []


# Keys, exit codes, and what it costs


@pytest.mark.parametrize(
    ("key", "code"), [("ffff", 1), ("", 1), ("0a", 1), ("../x", 1), ("-", 130)], ids=repr
)
def test_a_key_that_means_nothing(run: Run, home: Home, key: str, code: int) -> None:
    home.claude()
    result = run.apart("preview", key)
    assert (result.code, result.out) == (code, b"")
    assert result.err.startswith("sessfzf: ")


def test_keys_are_those_of_plan(run: Run, home: Home) -> None:
    made = home.claude(cwd=home.folder("api"))
    home.codex()
    whole = run("preview", made.id)
    row = run("list", "--app", "claude-code").text
    for key in (made.id[:6], f"claude-code:{made.id}", row.rstrip("\n")):
        assert run("preview", key) == whole
    assert run.apart("preview", "-", stdin=row.encode()).out == whole.out


def test_an_ambiguous_key_names_the_sessions(run: Run, home: Home) -> None:
    ids = [f"0de1a7e5-0000-4000-8000-00000000000{number}" for number in range(2)]
    for own in ids:
        home.claude(id=own)
    result = run("preview", "0de1a7e5")
    assert (result.code, result.out) == (1, b"")
    assert all(own in result.err for own in ids)


def test_wrong_usage(run: Run) -> None:
    for words in ([], ["a", "b"], ["--nonsense", "x"]):
        result = run("preview", *words)
        assert (result.code, result.out) == (2, b"")


def test_it_writes_nothing(run: Run, home: Home, tmp_path: Any) -> None:
    made = home.claude(cwd=home.folder("api"))
    thread = home.codex(cwd=home.folder("api"))
    home.codex_db([home.thread(thread)], state="wal")
    before = snapshot(str(tmp_path))
    for key in (made.id, thread.id):
        assert run("preview", key).code == 0
    assert snapshot(str(tmp_path)) == before


def test_a_reader_that_goes_away_ends_it(home: Home) -> None:
    made = home.claude(cwd=home.folder("api"))
    reading, writing = os.pipe()
    os.close(reading)
    argv = [sys.executable, "-m", "sessfzf", "preview", made.id]
    done = subprocess.run(argv, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def grow(path: str, size: int, records: Sequence[bytes]) -> None:
    """A hole up to ``size``, then these lines."""
    os.truncate(path, size)
    with open(path, "ab") as file:
        file.write(b"\n" + b"\n".join(records) + b"\n")


PEAK: Final = """\
import resource, sys
from sessfzf.__main__ import main
code = main(["preview", sys.argv[1]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("app", ["claude-code", "codex"])
@pytest.mark.parametrize("filled", [True, False], ids=["dense", "hole"])
def test_a_file_of_2_gb(home: Home, app: str, filled: bool) -> None:  # noqa: FBT001
    folder = home.folder("api")
    if app == "codex":
        made = home.codex(cwd=folder, dialect="legacy")
        line = b'{"type":"event_msg","payload":{"type":"agent_message","message":"%s"}}'
    else:
        made = home.claude(cwd=folder)
        line = b'{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}'
    ending = [line % (b"word " * 400)] * 300 if filled else []
    grow(made.path, 2 << 30, [*ending, line % b"The very end."])
    # /bin/sh between: a child's peak begins at the size of the process that started it.
    argv = ["/bin/sh", "-c", '"$0" "$@"; exit $?', sys.executable, "-c", PEAK, made.id]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(b"  The very end.\n")
    assert int(done.stderr) < 40 * 1024
