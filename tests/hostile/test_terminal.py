"""No byte of a store reaches the terminal as more than a character: every form, every message."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

import pytest
from checker import FORBIDDEN, harm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import Home, answer, meta, repository, say, write_lines
from test_preview import fill as conversations

from sessfzf import shells
from sessfzf.agents.codex import index_files

if TYPE_CHECKING:
    from conftest import Result, Run

ATTACKS: Final = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]52;c;Y2xpcA==\x1b\\",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x1b[2J\x1b[H\x1b[?1049h",
    "\x1bc",
    "\x9b31mc1\x9d0;x\x9c",
    "\x1b_apc\x1b\\\x1b^pm\x1b\\",
    "bell\x07 back\x08\x08 cr\r lf\n vt\x0b ff\x0c tab\t nul\0 del\x7f nel\x85",
    "\u2028line\u2029",
    "\u202eevil\u202c \u2066a\u2069 \u200f\u061c",
    "zero\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e" + "\u200b" * 200,
    "half \ud83d\ud83d \udcff\udc80",
    "e" + "\u0301" * 500,
    "\u0301" * 100,
    "\u115f\u1160\u3164\uffa0",
    "\U000e0041\U000e007f\ufff9\ufffb",
    "日本🎉👩‍👩‍👧",
    "\x1b",
    "\x9b",
    "\x1b[",
    "\x1b]unended",
)
EVERY: Final = "".join(f"{chr(low)}x{chr(high)}" for low, high, _ in FORBIDDEN)
TEXTS: Final = (*ATTACKS, "".join(ATTACKS), EVERY)
FORMS: Final = (
    (),
    ("--fzf",),
    ("--json",),
    ("--all",),
    ("--all", "--fzf"),
    ("--picker", "--all"),
    ("--all", "--json"),
    ("--here",),
    ("--no-cache",),
)
# What a terminal would be sent when it shows a name of a file.
NAMES: Final = tuple(
    "".join(char for char in text if char not in "\0/").encode("utf-8", "surrogateescape")
    if not any("\ud800" <= char <= "\udbff" for char in text)
    else b"\xff\xfe\x9b\x1b[31m"
    for text in TEXTS
)


def clean(result: Result, *, colours: bool = False, tabs: bool = True) -> None:
    assert harm(result.out, colours=colours, tabs=tabs) == []
    assert harm(result.err.encode("utf-8", "surrogateescape"), tabs=False) == []
    assert "Traceback" not in result.err


def check(run: Run, *args: str, codes: tuple[int, ...] = (0,)) -> Result:
    result = run(*args)
    assert result.code in codes
    clean(
        result,
        colours=not {"--fzf", "--picker", "preview"}.isdisjoint(args),
        tabs=args[0] in {"list", "grep", "completion"},
    )
    if args[0] == "list" and "--json" not in args:
        assert {len(row) for row in result.rows} <= ({2, 11} if "--picker" in args else {6})
    if args[0] == "grep" and "--json" not in args:
        assert all(len(row) == 7 for row in result.rows)
    return result


def fill(home: Home, text: str) -> list[str]:
    """Sessions that say `text` in every field there is; their ids."""
    records = [
        say(text, permissionMode=text, entrypoint=text, gitBranch=text, cwd="/w/" + text),
        answer(text, model=text, requestedModel=text, effort=text),
        meta("custom-title", customTitle=text),
        meta("permission-mode", permissionMode=text),
        meta("worktree-state", worktreeSession={"originalCwd": "/w/" + text}),
    ]
    made = [
        home.claude(records, cwd="/w/" + text, branch=text, project="-w"),
        home.claude([*records, meta("relocated", relocatedCwd="/w/" + text)], project="-w"),
        home.claude(prompt=text, branch=text, sidecar=text, mode=text, effort=text),
        *(
            home.codex(
                prompt=text,
                cwd="/w/" + text,
                branch=text,
                model=text,
                effort=text,
                approval=text,
                sandbox=text,
                dialect=dialect,
                bulk=False,
                meta={"thread_source": text},
            )
            for dialect in ("legacy", "paginated")
        ),
    ]
    home.claude_live(made[0].id, pid=os.getpid(), status=text)
    home.codex_names((made[3].id, text))
    return [one.id for one in made]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_field_harms_in_any_form(home: Home, run: Run, text: str) -> None:
    ids = fill(home, text)
    for form in (*FORMS, *FORMS[:3]):  # at last from the index
        check(run, "list", *form)
    for number, session_id in enumerate(ids):
        for shell in shells.SHELLS:
            approvals = ("safe", "recorded")[number % 2]
            more = ("--shell", shell, "--approvals", approvals, "--confirm", "print")
            check(run, "plan", session_id, *more, codes=(0, 3, 4))
        check(run, "plan", session_id, "--json", "--confirm", "yes", codes=(0, 3))
        check(run, "resume", session_id, "--confirm", "print", codes=(3, 4))
        check(run, "preview", session_id)
    offered = check(run, "completion", "fish", "plan", "")
    assert offered.rows
    assert {row[0] for row in offered.rows} <= set(ids)
    assert all(len(row) == 2 for row in offered.rows)


def test_the_row_of_a_thread_harms_nothing(home: Home, run: Run) -> None:
    rows = []
    for text in TEXTS:
        plain = text.encode("utf-8", "replace").decode()
        columns = ("source", "title", "preview", "name", "model", "cwd", "git_branch")
        words = dict.fromkeys((*columns, "reasoning_effort", "approval_mode"), plain)
        made = home.codex(bulk=False)
        rows.append(home.thread(made, sandbox_policy=plain, thread_source=plain, **words))
    home.codex_db(rows)
    for form in FORMS:
        check(run, "list", *form)
    for row in rows:
        check(run, "plan", row["id"], "--confirm", "print", codes=(0, 3, 4))
        check(run, "preview", row["id"])


@pytest.mark.parametrize("window", ["", "17"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_conversation_harms(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, text: str, window: str
) -> None:
    monkeypatch.setenv("FZF_PREVIEW_LINES", window)
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", window)
    # Every field that is shown begins with it, holds it, and is cut in the midst of it.
    for shape in (text, f"a{text}b\n{text}\n\n  {text}", ("x" * 35 + text) * 9):
        for made in conversations(home, shape):
            check(run, "preview", made.id)
            check(run, "preview", made.id, "--find", "a")
        if not window:
            for form in ((), ("--fzf",), ("--json",)):
                check(run, "grep", "b\n|x", "--regex", *form, codes=(0, 1))


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_no_name_of_a_file_or_folder_harms(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, name: bytes
) -> None:
    monkeypatch.setenv("PATH", home.path)  # doctor would ask every program it knows
    name = name[:120]
    good = home.claude(), home.codex(bulk=False)
    own = "11111111-2222-4333-8444-555555555555"
    projects = os.fsencode(os.path.join(home.claude_dir, "projects"))
    sessions = os.path.dirname(os.fsencode(good[1].path))
    for folder in (projects, sessions, os.fsencode(home.claude_dir) + b"/sessions"):
        for end in (b"", b".jsonl", b".json"):
            path = os.path.join(folder, name + end)
            os.makedirs(path, exist_ok=True)
    # A folder of that name with something in it that cannot be read, and is named on stderr.
    os.mkfifo(os.path.join(projects, name, own.encode() + b".jsonl"))
    os.makedirs(os.fsencode(home.codex_dir) + b"/sqlite/" + name)
    for form in FORMS:
        result = check(run, "list", *form)
        assert result.err.count("\n") == 1
    assert set(run.shown()) == {one.id for one in good}
    check(run, "doctor", codes=(0, 1))
    for command in ("plan", "preview"):
        refused = check(run, command, own, codes=(1, 3))
        assert refused.err.startswith("sessfzf: ")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_home_and_a_folder_of_any_name(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, name: bytes
) -> None:
    place = os.path.join(os.fsencode(home.path), name[:120])
    folder = os.path.join(place, b"work")
    os.makedirs(folder)
    text = folder.decode("utf-8", "surrogateescape")
    made = home.claude(cwd=text, config=os.fsdecode(place), branch=None)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", os.fsdecode(place))
    monkeypatch.setenv("CODEX_HOME", os.fsdecode(place) + "/nowhere")
    for form in FORMS:
        check(run, "list", *form)
    for shell in shells.SHELLS:
        result = check(run, "plan", made.id, "--shell", shell, codes=(0, 3))
        assert (result.code == 0) == bool(result.out)
    check(run, "preview", made.id)
    with monkeypatch.context() as nowhere:
        nowhere.setenv("PATH", "/nowhere")
        for more in ((), ("--json",)):
            check(run, "doctor", *more, codes=(0, 1))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", os.fsdecode(place) + "/elsewhere")
    check(run, "list")  # it says where it looked


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize(
    "how",
    [
        "key",
        "app",
        "shell",
        "approvals",
        "confirm",
        "init",
        "option",
        "more",
        "command",
        "preview",
        "grep",
        "regex",
    ],
)
def test_a_message_quotes_words_of_the_caller_harmlessly(run: Run, text: str, how: str) -> None:
    word = "x" + text.replace("\0", "").encode("utf-8", "replace").decode()
    args = {
        "key": ("plan", word),
        "app": ("list", "--app", word),
        "shell": ("plan", "abcdef", "--shell", word),
        "approvals": ("plan", "abcdef", "--approvals", word),
        "confirm": ("plan", "abcdef", "--confirm", word),
        "init": ("init", word),
        "option": ("list", "--" + word),
        "more": ("list", "a", word),
        "command": (word,),
        "preview": ("preview", word),
        "grep": ("grep", word),
        "regex": ("grep", "--regex", word + "("),
    }[how]
    check(run, *args, codes=(1, 2))


def test_a_branch_that_moved_is_named_harmlessly(home: Home, run: Run) -> None:
    folder = repository(home.folder("work"), "ma\u202ein\u200b")
    for text in TEXTS:
        made = home.claude([say("a", gitBranch=text), answer()], cwd=folder, branch=text)
        result = check(run, "plan", made.id, "--confirm", "print", codes=(0, 4))
        assert ("the branch moved" in result.err) == (result.code == 4)
        check(run, "preview", made.id)


def test_candidates_of_an_ambiguous_key_are_shown_harmlessly(home: Home, run: Run) -> None:
    for number, text in enumerate(TEXTS):
        own = f"abcdef00-0000-4000-8000-{number:012x}"
        home.claude([say(text), answer()], id=own, cwd="/w/" + text, project="-w", branch=text)
    for command in ("plan", "preview"):
        result = check(run, command, "abcdef00", codes=(1,))
        assert result.err.count("\n") == len(TEXTS) + 1


ANY: Final = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from([chr(code) for low, high, _ in FORBIDDEN for code in {low, high}]),
        st.sampled_from("\x1b[]()0;31mPX^_\\\x07"),
    ),
    max_size=60,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(title=ANY, branch=ANY, folder=ANY, model=ANY)
def test_no_text_at_all_harms(  # noqa: PLR0913 - the fields
    home: Home, run: Run, title: str, branch: str, folder: str, model: str
) -> None:
    records = [say(title, gitBranch=branch), answer(folder, model=model, effort=model)]
    made = home.claude(records, cwd="/w/" + folder, project="-elsewhere", branch=None)
    for form in FORMS[:3]:
        check(run, "list", *form)
    check(run, "preview", made.id)
    (row,) = [one for one in run("list", "--json").objects if one["id"] == made.id]
    assert row["cwd"] == "/w/" + folder or "\ufffd" in json.dumps(row, ensure_ascii=False)
    os.unlink(made.path)


def test_the_words_of_a_name_index_are_clean(tmp_path: Any) -> None:
    path = str(tmp_path / "names")
    own = "01a0c0de-0001-7000-8000-000000000001"
    for text in TEXTS:
        write_lines(path, [json.dumps({"id": own, "thread_name": "a" + text}).encode()])
        ((_, name),) = index_files.thread_names(path)
        assert harm(name.encode() + b"\n", tabs=False) == []
