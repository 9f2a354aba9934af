"""`sessfzf grep`: what it finds in conversations, what it does not, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unicodedata
from typing import TYPE_CHECKING, Any, Final

import pytest
from checker import harm
from stores import (
    aside,
    attachment,
    dump,
    event,
    image,
    message,
    meta,
    say,
    snapshot,
    system,
    tool_result,
    typed,
)
from test_preview import completed, item, said, tool

from sessfzf import grep
from sessfzf.jsonl import LINE_BYTES
from sessfzf.search import ripgrep, workers
from sessfzf.search.finder import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Run
    from stores import Home, Record, Written

RG: Final = shutil.which("rg")
MIB: Final = 1024 * 1024
BACKENDS: Final = [
    "own",
    pytest.param("rg", marks=pytest.mark.skipif(RG is None, reason="rg is not installed")),
]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    """Each test once without ripgrep, and once with it for every file."""
    if request.param == "own":
        folders = os.environ["PATH"].split(os.pathsep)
        kept = [folder for folder in folders if not os.path.exists(f"{folder}/rg")]
        git = shutil.which("git")
        if git:
            (tmp_path / "programs").mkdir()
            (tmp_path / "programs" / "git").symlink_to(git)
        monkeypatch.setenv("PATH", os.pathsep.join([*kept, str(tmp_path / "programs")]))
        assert not ripgrep.find()
    else:
        monkeypatch.setattr(grep, "_WORTH_RG", 0)
    yield request.param
    with pytest.raises(ChildProcessError):  # no process is left over
        os.waitpid(-1, os.WNOHANG)


def found(run: Run, *words: str, code: int | None = None) -> list[str]:
    """The ids that match, in the order of the rows."""
    result = run("grep", *words)
    assert result.err == ""
    rows = result.rows
    assert result.code == (code if code is not None else 0 if rows else 1)
    assert all(len(row) == 7 for row in rows)
    return [row[0] for row in rows]


def line(run: Run, *words: str) -> str:
    """The seventh field of the only row."""
    (row,) = run("grep", *words).rows
    return row[6]


def ids(*made: Written) -> list[str]:
    return [one.id for one in made]


def spoken(home: Home, text: str) -> dict[str, Written]:
    """The text as prompt and as answer, of each client and dialect."""
    return {
        "claude prompt": home.claude([say(text), said("ok")]),
        "claude answer": home.claude([say("x"), said("a", text)]),
        "claude blocks": home.claude([say([{"type": "text", "text": text}, image()]), said("y")]),
        "claude old": home.claude([say(text), said("z")], version="2.0.77"),
        "legacy prompt": home.codex(typed(text, "legacy"), dialect="legacy"),
        "legacy answer": home.codex(
            [*typed("x", "legacy"), event("agent_message", message=text)], dialect="legacy"
        ),
        "paginated prompt": home.codex(typed(text)),
        "paginated answer": home.codex(
            [*typed("x"), completed("AgentMessage", content=[{"type": "Text", "text": text}])]
        ),
    }


# What is found


TEXTS: Final = {
    "words": "the flaky retry loop",
    "quotes": "he said \"stop\" and 'go'",
    "lines": "first\n\tsecond line\r\nthird",
    "backslash": r"C:\new\table \u0041 \"",
    "dollar": "$(rm -rf /) `id` ${HOME} && a|b",
    "dash": "--limit=3 -x",
    "accents": "naïve café Ångström",
    "cjk": "日本語のテスト",
    "emoji": "done 🎉 👩\u200d👩\u200d👧 ok",
    "cyrillic": "почему кэш растёт",
    "controls": "a\x00b\x1bc\x7fd",
    "separators": "a\u2028b\u2029c",
    "markup": "<b>&amp;</b> https://example.org/a?b=c",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_was_said_is_found_in_every_store(home: Home, run: Run, text: str) -> None:
    made = spoken(home, f"well, {text}; so")
    home.claude([say("else"), said("other")])
    newest_first = ids(*made.values())[::-1]
    typed_text = text.replace("\x00", "")  # no argument can hold it
    if typed_text == text:
        assert found(run, "--", text) == newest_first
    for part in text.replace("\x00", " ").split():
        assert set(found(run, "--", part)) >= set(newest_first)


def test_only_prompts(home: Home, run: Run) -> None:
    made = spoken(home, "the needle")
    prompts = [one.id for name, one in made.items() if "answer" not in name]
    assert found(run, "needle", "--prompts") == prompts[::-1]
    assert found(run, "image", "--prompts") == []


def asides(text: str) -> list[Record]:
    """What stands in a transcript of Claude Code beside what was said."""
    return [
        attachment(10) | {"attachment": {"type": "prompt_snapshot", "systemPrompt": [text]}},
        aside([tool_result(text)], toolUseResult={"stdout": text}),
        aside(text, isMeta=True),
        say(text, isSidechain=True),
        said(text) | {"isSidechain": True},
        said(tool("Bash", command=text)),
        said({"type": "thinking", "thinking": text, "signature": "s"}),
        aside(f"<system-reminder>{text}</system-reminder>"),
        aside(f"<local-command-stdout>{text}</local-command-stdout>"),
        say(text, isCompactSummary=True),
        system("informational", content=text),
        meta("last-prompt", lastPrompt=text),
        meta("queue-operation", operation="enqueue", content=text),
        say("plain", gitBranch=text, cwd=f"/w/{text}"),
    ]


def codex_asides(text: str) -> list[Record]:
    """What stands in a rollout beside what was said."""
    return [
        message("developer", text),
        message("user", f"<environment_context>{text}</environment_context>"),
        item("function_call", name="shell", arguments=json.dumps({"command": ["bash", text]})),
        item("function_call_output", call_id="c", output=text),
        item("reasoning", summary=[{"type": "summary_text", "text": text}]),
        event("exec_command_end", stdout=text),
        completed("Reasoning", summary_text=[text]),
        completed("CommandExecution", command=text, aggregated_output=text, source="agent"),
        {"type": "compacted", "payload": {"message": text}},
        {"type": "world_state", "payload": {"state": {"a": [text]}}},
    ]


def test_what_nobody_said_is_not_found_unless_asked_for(home: Home, run: Run) -> None:
    for record in asides("needle"):
        home.claude([say("hello"), said("yes"), record])
    for record in codex_asides("needle"):
        home.codex([*typed("hello"), record])
    home.codex(prompt="x", meta={"base_instructions": {"text": "needle"}})
    assert found(run, "needle") == []
    every = found(run, "needle", "--everything")
    assert len(every) == len(asides("")) + len(codex_asides("")) + 1


def test_a_sub_agent_is_searched_when_asked(home: Home, run: Run) -> None:
    made = home.claude()
    folder = os.path.join(made.path[: -len(".jsonl")], "subagents")
    os.makedirs(folder)
    shutil.copy(made.path, os.path.join(folder, "agent-1.jsonl"))
    home.codex(
        prompt="why?", source={"subagent": {"other": "x"}}, meta={"thread_source": "subagent"}
    )
    assert found(run, "why") == [made.id]
    path = os.path.join(folder, "agent-2.jsonl")
    with open(path, "wb") as file:
        file.write(dump(say("the needle", isSidechain=True)) + b"\n")
    os.mkfifo(os.path.join(folder, "agent-3.jsonl"))
    assert found(run, "needle") == []
    assert found(run, "needle", "--everything") == [made.id]


@pytest.mark.parametrize("written", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
@pytest.mark.parametrize("text", ["Ångström café", "é", "한국어", "ạ̈x"])
def test_forms_of_unicode_are_one(
    home: Home, run: Run, written: Any, asked: Any, text: str
) -> None:
    made = home.claude([say(unicodedata.normalize(written, f"a {text} b"))])
    assert found(run, unicodedata.normalize(asked, text)) == [made.id]


@pytest.mark.parametrize("upper", [False, True])
def test_a_client_that_writes_ascii_only(home: Home, run: Run, *, upper: bool) -> None:
    made = home.claude(version="2.0.77")
    with open(made.path, encoding="utf-8") as file:
        records = [json.loads(one) for one in file]
    records[1]["message"]["content"] = "naïve 日本 🎉 Ñandú"
    lines = [json.dumps(one) for one in records]
    if upper:
        lines = [re.sub(r"(?<=\\u)....", lambda found: found[0].upper(), one) for one in lines]
    with open(made.path, "w", encoding="ascii") as file:
        file.write("\n".join(lines))
    for text in ("ïv", "日本", "🎉", "ñ", "naïve 日本 🎉 ñandú", "日本 🎉 Ñ"):
        assert found(run, text) == [made.id]


def test_a_match_is_found_wherever_blocks_and_pieces_are_cut(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PIECE", 300)
    made = home.claude([say("x" * number + " needle") for number in range(0, 500, 7)])
    bulk = [say("y" * 20_000)] * 60
    big = home.claude([say("needle one"), *bulk, said("no")])
    assert found(run, "needle") == [big.id, made.id]
    assert found(run, "y" * 300) == [big.id]


def test_case_and_words_and_expressions(home: Home, run: Run) -> None:
    one = home.claude([say("Reading the Cache twice")])
    two = home.claude([say("uncached reads")])
    assert found(run, "cache") == [two.id, one.id]
    assert found(run, "Cache") == [one.id]
    assert found(run, "cache", "--word") == [one.id]
    assert found(run, "reads?$", "--regex") == [two.id]
    assert found(run, "a.*d.*(twice|reads)", "--regex") == [two.id, one.id]
    assert found(run, "^[a-z]+ [a-z]+$", "--regex") == [two.id]
    assert found(run, "CACHE", "--regex") == []
    assert found(run, "(?i)CACHE", "--regex") == [two.id, one.id]
    assert found(run, "r.*s", "--regex", "--word") == [two.id]
    assert found(run, ".*e") == []


def test_nothing_asked_is_what_was_said_last(home: Home, run: Run) -> None:
    made = home.claude([say("first"), said("then\nlast")])
    assert found(run, "") == [made.id]
    assert line(run, "") == "then"


@pytest.mark.parametrize("count", [1, 18, 19, 20, 21, 90])
def test_what_is_said_once_and_stands_elsewhere_often(home: Home, run: Run, count: int) -> None:
    aside_often = [aside([tool_result("needle")])] * count
    made = [
        home.claude([say("needle one"), *aside_often]),
        home.claude([*aside_often, say("needle one")]),
        home.claude([*aside_often, say("needle one"), *aside_often]),
    ]
    home.claude([say("x"), *aside_often])
    result = run("grep", "needle")
    assert [row[0] for row in result.rows] == ids(*made)[::-1]
    assert {row[6] for row in result.rows} == {"needle one"}


# The row


def test_the_newest_match_is_shown(home: Home, run: Run) -> None:
    home.claude([say("old needle"), said("a needle here"), say("new needle, and"), said("no")])
    assert line(run, "needle") == "new needle, and"
    assert line(run, "NEEDLE".lower(), "--prompts") == "new needle, and"
    assert line(run, "here") == "a needle here"


def test_a_long_line_is_cut_around_the_match(home: Home, run: Run) -> None:
    home.claude([say(f"above\n{'before ' * 100}the needle{' after' * 100}\nbelow")])
    shown = line(run, "needle")
    assert "the needle after" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 160
    assert "above" not in shown
    assert line(run, "above") == "above"
    assert line(run, "after\nbel").endswith("after below")
    assert "…" not in line(run, "below")


def test_rows_are_those_of_list_with_one_field_more(home: Home, run: Run) -> None:
    home.claude([say("a needle"), said("b")])
    home.codex(typed("a needle"))
    for form in ([], ["--json"], ["--fzf"]):
        listed = run("list", *form).text.splitlines()
        matched = run("grep", "needle", *form).text.splitlines()
        if form == ["--json"]:
            objects = [json.loads(one) for one in matched]
            assert [(one.pop("by"), one.pop("match")) for one in objects] == [
                ("you", "a needle")
            ] * 2
            assert objects == [json.loads(one) for one in listed]
        else:
            fields = [one.split("\t") for one in matched]
            assert [one[:5] for one in fields] == [one.split("\t")[:5] for one in listed]
            assert [one[5].strip() for one in fields] == ["a needle"] * 2
            mark = "a \x1b[31mneedle\x1b[0m" if form else "a needle"
            assert {one[6] for one in fields} == {mark}


def test_the_filters_of_list(home: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    here = home.folder("here")
    one = home.claude([say("needle")], cwd=here)
    two = home.codex(typed("needle"))
    hidden = home.claude([say("needle")], entrypoint="sdk-cli")
    assert found(run, "needle") == [two.id, one.id]
    assert found(run, "needle", "--all") == [hidden.id, two.id, one.id]
    assert found(run, "needle", "--app", "codex") == [two.id]
    assert found(run, "needle", "--limit", "1") == [two.id]
    assert found(run, "needle", "--limit", "0") == []
    monkeypatch.chdir(here)
    assert found(run, "needle", "--here") == [one.id]
    assert found(run, "needle", "--no-cache") == [two.id, one.id]


def test_rows_come_in_the_order_of_list_whatever_is_searched_first(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "_FIRST_BYTES", 50_000)
    monkeypatch.setattr(workers, "PIECE", 10_000)
    made = [
        home.claude([say("needle"), *[said("x" * 5_000)] * (number * 7 % 30)])
        for number in range(40)
    ]
    assert found(run, "needle") == ids(*made)[::-1]


# What goes wrong


@pytest.mark.parametrize("expression", ["(", "*", "[", "a{99999999999}"])
def test_an_expression_that_is_none(run: Run, expression: str) -> None:
    result = run("grep", "--regex", expression)
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith("sessfzf: no regular expression: ")


@pytest.mark.parametrize("words", [["--json", "--fzf"], ["--prompts", "--everything"]])
def test_options_that_exclude_each_other(run: Run, words: list[str]) -> None:
    result = run("grep", "x", *words)
    assert result.code == 2
    assert "exclude each other" in result.err


def test_an_expression_that_takes_for_ever(home: Home, run: Run) -> None:
    home.claude([say("a" * 50 + "!")])
    fine = home.claude([say("aaa")])
    start = time.monotonic()
    result = run("grep", "--regex", "(a+)+$")
    assert [row[0] for row in result.rows] == [fine.id]
    assert result.err == "sessfzf: not searched: 1 text on which the expression takes too long\n"
    home.claude([say("a" * 50 + "!")] * 9)
    result = run("grep", "--regex", "(a+)+$")
    assert result.code == 2
    assert result.err == "sessfzf: the expression takes too long: write it in another way\n"
    assert time.monotonic() - start < 30


def test_nothing_there(run: Run) -> None:
    result = run("grep", "x")
    assert (result.code, result.out) == (1, b"")
    assert "no sessions found" in result.err


def test_damage_costs_what_is_damaged(home: Home, run: Run) -> None:
    long = b'{"type":"user","message":{"content":"needle ' + b"x" * LINE_BYTES + b'"}}\n'
    bad = [
        long,
        b'{"type":"user","message":{"content":"needle\n',
        b"\0" * 5_000,
        b"\xff\xfe needle \xc3\n",
        b'{"type":"user","message":"needle"}\n[1]\n"needle"\n7\n',
        dump(say("needle"))[:-9] + b"\n",
    ]
    one = home.claude([say("old needle"), said("x"), *bad, said("y")])
    two = home.claude([say("x"), said("needle, cut"), b'{"type":"user","mess'])
    three = home.claude([say("x"), *bad, said("y")])
    glued = home.claude([say("x"), dump(say("a")) + dump(say("glued needle")) + b"\n", said("y")])
    half = home.claude([say("needle \ud83d half"), said("y")])
    assert found(run, "needle") == ids(half, glued, two, one)
    assert line(run, "old needle") == "old needle"
    assert three.id in run.shown()


def test_a_file_that_cannot_be_read_costs_that_file(home: Home, run: Run) -> None:
    one = home.claude([say("needle")])
    two = home.claude([say("needle")])
    run("list")  # the index knows both
    status = os.stat(two.path)
    folder = f"{two.path}.away"
    os.rename(two.path, folder)
    os.symlink("/dev/full", two.path)  # no regular file
    result = run("grep", "needle")
    assert [row[0] for row in result.rows] == [one.id]
    assert "could not be read" in result.err
    assert status.st_size


def test_files_that_grow_and_shrink_meanwhile(home: Home, run: Run) -> None:
    made = [home.claude([say("needle"), *[said("x" * 20_000)] * 100]) for _ in range(8)]
    grow = (
        "import sys, time\nwhile True:\n for path in sys.argv[1:]:\n  with open(path, 'ab') as f:"
        ' f.write(b\'{"type":"user"}\\n\' * 999)\n  time.sleep(0.001)'
    )
    child = subprocess.Popen([sys.executable, "-c", grow, *(one.path for one in made)])
    try:
        for _ in range(5):
            assert set(found(run, "needle")) == set(ids(*made))
    finally:
        child.kill()
        child.wait()
    for one in made[:4]:
        os.truncate(one.path, 2_000)
    assert set(found(run, "needle")) == set(ids(*made))


def test_a_reader_that_has_enough_ends_it(home: Home, run: Run) -> None:
    for _ in range(30):
        home.claude([say("needle"), *[said("x" * 5_000)] * 30])
    command = [sys.executable, "-m", "sessfzf", "grep", "needle"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.wait(20) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(child.pid, 0)
    assert run("list").code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_no_process_stays_when_it_is_stopped(home: Home, number: signal.Signals) -> None:
    for _ in range(60):
        home.claude([say("(a"), *[said("x" * 100_000)] * 30])
    command = [sys.executable, "-m", "sessfzf", "grep", "--regex", "(.*.*)*y"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as child:
        time.sleep(0.7)
        os.kill(child.pid, number)
        child.wait(20)
        for _ in range(100):
            try:
                os.killpg(child.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.1)
        else:
            os.killpg(child.pid, signal.SIGKILL)
            pytest.fail("a process is left over")


# Compressed rollouts


def compressed(home: Home, text: str) -> Written:
    made = home.codex([*typed(f"{text} first"), *typed(f"{text} last")])
    with open(made.path, "rb") as file:
        data = file.read()
    os.unlink(made.path)
    path = made.path + ".zst"
    with open(path, "wb") as file:
        file.write(zstd().compress(data))
    home.codex_db([home.thread(made, rollout_path=path)])
    return made._replace(path=path)


@pytest.mark.skipif(zstd() is None, reason="this Python has no zstd")
def test_a_compressed_rollout_is_searched(home: Home, run: Run) -> None:
    made = compressed(home, "needle")
    assert found(run, "needle") == [made.id]
    assert line(run, "needle") == "needle last"
    with open(made.path, "r+b") as file:
        file.truncate(200)
    result = run("grep", "needle")
    assert result.code == 1
    assert "damaged" in result.err


def test_without_zstd_it_is_said_what_was_not_searched(home: Home) -> None:
    made = home.codex(suffix=".jsonl.zst")
    home.codex_db([home.thread(made)])
    plain = home.claude([say("needle")])
    # -S: without the site-packages, where zstd may be; the package itself is named by hand.
    script = "import sys; from sessfzf.__main__ import main; sys.exit(main(sys.argv[1:]))"
    package = os.path.dirname(os.path.dirname(os.path.abspath(grep.__file__)))
    if sys.version_info >= (3, 14):
        pytest.skip("this Python has zstd")
    done = subprocess.run(
        [sys.executable, "-S", "-c", script, "grep", "needle"],
        env=os.environ | {"PYTHONPATH": package},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "sessfzf: not searched: 1 compressed rollout\n"
    assert done.stdout.split("\t")[0] == plain.id


# Harmlessness


def test_nothing_is_written(home: Home, run: Run, tmp_path: Path) -> None:
    spoken(home, "a secret phrase")
    home.claude([said("zebra"), say("title")])
    run("list")
    before = snapshot(home.path)
    cache = tmp_path / "cache" / "sessfzf" / "index"
    kept = cache.read_bytes()
    assert run("grep", "zebra").code == 0
    assert snapshot(home.path) == before
    assert cache.read_bytes() == kept
    assert b"zebra" not in kept


@pytest.mark.parametrize("form", [[], ["--fzf"], ["--json"]])
def test_a_match_harms_no_terminal(home: Home, run: Run, form: list[str]) -> None:
    text = "\x1b]0;x\x07\x1b[31mneedle\x1b[0m\u202e\u200b\x9b1m\x7f\t\re" + "\u0301" * 50
    spoken(home, text)
    for words in ("needle", "\u0301", "e", "\x1b[31mn", "31m"):
        result = run("grep", words, *form)
        assert result.code == 0
        assert harm(result.out, colours="--fzf" in form) == []


# ripgrep


def wrapper(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    path = folder / "rg"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(RG is None, reason="rg is not installed")
def test_ripgrep_is_asked_and_a_name_is_no_option(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(grep, "_WORTH_RG", 0)
    log = tmp_path / "log"
    wrapper(tmp_path / "rg", f"printf '%s\\n' \"$@\" >>'{log}'; exec {RG} \"$@\"", monkeypatch)
    (tmp_path / "rc").write_text("--invert-match\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    made = home.claude([say("--pre=needle")], project="-x --pre=id")
    home.claude([say("else")])
    assert found(run, "--", "--pre=needle") == [made.id]
    words = log.read_text().splitlines()
    assert "--regexp=--pre=needle" in words
    assert all(word.startswith("/") for word in words[words.index("--") + 1 :])


@pytest.mark.parametrize(
    "script",
    [
        "exit 2",
        "echo nonsense",
        "kill -9 $$",
        "printf '/nowhere\\0'; exit 1",
        "exec sleep 0 </nonexistent",
    ],
)
def test_a_ripgrep_that_fails_costs_nothing(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    monkeypatch.setattr(grep, "_WORTH_RG", 0)
    wrapper(tmp_path / "rg", script, monkeypatch)
    made = home.claude([say("needle")])
    assert found(run, "needle") == [made.id]


@pytest.mark.skipif(RG is None, reason="rg is not installed")
def test_a_line_that_ripgrep_has_no_memory_for(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "_WORTH_RG", 0)
    one = home.claude([say("needle")])
    huge = b'{"x":"' + b"needle " * (5 * MIB) + b'"}\n'
    two = home.claude([say("a needle"), huge, said("y")])
    assert found(run, "needle") == [two.id, one.id]


def test_a_relative_entry_of_path_is_no_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrapper(tmp_path / "rg", "exit 0", monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "rg:.::")
    assert ripgrep.find() == ""
    monkeypatch.setenv("PATH", f"{tmp_path}:{tmp_path}/rg")
    assert ripgrep.find() == f"{tmp_path}/rg/rg"
