"""Damaged files: whatever is in a store, every healthy session is listed, in 40 MiB.

What is no record of either agent's stands in the tests of the readers; here are values of every
wrong kind in every field, the files beside the transcripts, and sizes.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest
from checker import harm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutate import NASTY, Raw, to_json
from stores import COLUMNS, Home, answer, dump, event, meta, say, system, turn, typed, write_lines
from test_listing import binary, bound_socket, dangling, empty, fifo, loop

from sessfzf.agents.codex.index_files import thread_names
from sessfzf.index import folder as cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result, Run

OTHER: Final = "11111111-2222-4333-8444-555555555555"
GOOD: Final = "22222222-2222-4333-8444-555555555555"
PEAK: Final = 40 * 1024  # KiB
MB: Final = 1024 * 1024

JSON: Final = st.one_of(
    st.sampled_from(NASTY),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
        ),
        max_leaves=6,
    ),
)


def healthy(result: Result, *ids: str, told: int = 0) -> None:
    """Exit 0, these sessions, nothing harmful, and so many lines on stderr."""
    assert result.code == 0
    assert set(ids) <= {row[0] for row in result.rows}
    assert harm(result.out) == []
    assert harm(result.err.encode(), tabs=False) == []
    assert result.err.count("\n") == told


# Fields


def fields(record: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value of a record."""
    inside = record.items() if isinstance(record, dict) else enumerate(record)
    found: list[tuple[Any, ...]] = []
    for key, value in inside:
        found.append((*path, key))
        if isinstance(value, (dict, list)):
            found += fields(value, (*path, key))
    return found


def with_value(record: Any, path: tuple[Any, ...], value: Any) -> bytes:
    copy = json.loads(json.dumps(record))
    holder = copy
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return to_json(copy).encode() + b"\n"


CLAUDE_RECORDS: Final = (
    say("why?", permissionMode="plan", timestamp="2026-11-02T08:00:00.000Z", cwd="/w", uuid="u"),
    say([{"type": "text", "text": "why?"}], gitBranch="main", entrypoint="cli", teamName="t"),
    {
        "type": "assistant",
        "message": {"role": "assistant", "model": "opus-x", "content": []},
        "requestedModel": "opus-x",
        "effort": "high",
        "timestamp": "2026-11-02T08:00:00.000Z",
    },
    system(timestamp="2026-11-02T08:00:00.000Z", gitBranch="main"),
    meta("permission-mode", permissionMode="plan"),
    meta("custom-title", customTitle="Title"),
    meta("ai-title", aiTitle="Title"),
    meta("last-prompt", lastPrompt="why?", leafUuid="u"),
    meta("summary", summary="Title", leafUuid="u"),
    meta("relocated", relocatedCwd="/w"),
    meta("worktree-state", worktreeSession={"originalCwd": "/w"}),
)
CODEX_RECORDS: Final = (
    {
        "type": "session_meta",
        "timestamp": "2026-11-02T08:00:00.000Z",
        "payload": {
            "id": "01a0c0de-0001-7000-8000-000000000001",
            "cwd": "/w",
            "source": {"subagent": {"other": "guardian"}},
            "thread_source": "user",
            "git": {"branch": "main"},
            "forked_from_id": "x",
        },
    },
    turn(
        cwd="/w",
        model="gpt-x",
        effort="high",
        approval_policy={"granular": {}},
        approvals_reviewer="user",
        sandbox_policy={"type": "read-only"},
        permission_profile={
            "type": "managed",
            "file_system": {
                "type": "restricted",
                "entries": [{"path": {"type": "special", "value": {"kind": "root"}}}],
            },
        },
    ),
    event("thread_settings_applied", thread_settings={"approval_policy": "never", "model": "x"}),
    *typed("why?", "legacy", images=1),
    *typed("why?", images=1),
)


@pytest.mark.parametrize(
    ("record", "path"),
    [
        pytest.param(record, path, id=f"{record['type']}-{'.'.join(map(str, path))}")
        for record in (*CLAUDE_RECORDS, *CODEX_RECORDS)
        for path in fields(record)
    ],
)
def test_no_value_of_any_field_harms(
    home: Home, run: Run, record: dict[str, Any], path: tuple[Any, ...]
) -> None:
    lines = [with_value(record, path, value) for value in NASTY]
    # Each value the only one of its kind in a file, and all of them in one.
    for number, line in enumerate(lines):
        if record in CLAUDE_RECORDS:
            home.claude([line, say("a")] if number % 2 else [say("a"), line], branch=None)
        else:
            home.codex([], first=[line], dialect="legacy", bulk=False)
    good = home.claude(), home.codex(bulk=False)
    every = home.claude([*lines, answer()]), home.codex([], first=lines), *good
    result = run("list", "--all")
    assert result.err.count("\n") <= 1
    healthy(result, *(one.id for one in good), told=result.err.count("\n"))
    for form in ("--fzf", "--picker", "--json"):
        shown = run("list", "--all", form)
        assert shown.code == 0
        assert harm(shown.out, colours=form != "--json") == []
    for one in every:
        preview = run("preview", one.id)
        assert preview.code in {0, 1, 3}  # 3: no record is left in it
        assert harm(preview.out, colours=True, tabs=False) == []
        assert harm(preview.err.encode(), tabs=False) == []


@pytest.mark.parametrize("kind", ["sidecar", "pid", "names", "history"])
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_no_value_in_a_file_beside_the_transcripts_harms(
    home: Home, run: Run, kind: str, data: st.DataObject
) -> None:
    for folder in (home.claude_dir, home.codex_dir):
        shutil.rmtree(folder, ignore_errors=True)
    claude, codex = home.claude(cwd=None if kind == "history" else "/w"), home.codex(bulk=False)
    files: dict[str, tuple[dict[str, Any], str]] = {
        "sidecar": (
            {"customTitle": "Title", "by": "user"},
            claude.path.replace(".jsonl", "/custom-title.json"),
        ),
        "pid": (
            {"sessionId": claude.id, "status": "idle", "pid": 1, "procStart": "1"},
            os.path.join(home.claude_dir, "sessions", "1.json"),
        ),
        "names": (
            {"id": codex.id, "thread_name": "Name"},
            os.path.join(home.codex_dir, "session_index.jsonl"),
        ),
        "history": (
            {"sessionId": claude.id, "project": "/w"},
            os.path.join(home.claude_dir, "history.jsonl"),
        ),
    }
    record, path = files[kind]
    field = data.draw(st.sampled_from(sorted(record)))
    whole = data.draw(st.booleans())
    value = data.draw(JSON)
    line = to_json(value).encode() if whole else with_value(record, (field,), value)
    write_lines(path, [line, b"\n", dump(record), b"\n"])
    healthy(run("list", "--all"), claude.id, codex.id)
    healthy(run("list", "--all"), claude.id, codex.id)


def test_a_live_record_of_deep_lists_is_no_error(home: Home, run: Run) -> None:
    made = home.claude()
    deep = Raw("[" * 900 + "]" * 900)
    for number, field in enumerate(("pid", "procStart", "status", "sessionId")):
        record = {"sessionId": made.id, "pid": 1, "procStart": "1"} | {field: deep}
        path = os.path.join(home.claude_dir, "sessions", f"{number}.json")
        write_lines(path, [to_json(record).encode()])
    healthy(run("list"), made.id)


SQL: Final = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(max_size=30),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.sampled_from([one for one in NASTY if isinstance(one, str) and one.isascii()]),
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.dictionaries(st.sampled_from([name for name, _ in COLUMNS]), SQL, min_size=1))
def test_no_value_in_a_thread_row_harms(home: Home, run: Run, values: dict[str, Any]) -> None:
    shutil.rmtree(home.codex_dir, ignore_errors=True)
    one, two = home.codex(bulk=False), home.codex(bulk=False)
    path = home.codex_db([home.thread(one, name="Healthy")])
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE copy AS SELECT * FROM threads")  # without its constraints
    row = home.thread(two) | values
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO copy ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608 - our names
    database.execute("DROP TABLE threads")
    database.execute("ALTER TABLE copy RENAME TO threads")
    database.commit()
    database.close()
    for _ in range(2):
        result = run("list", "--all")
        healthy(result, one.id)
        assert "Healthy" in result.text


def test_a_damaged_page_costs_the_rows_on_it(home: Home, run: Run) -> None:
    made = [home.codex(bulk=False) for _ in range(60)]
    path = home.codex_db([home.thread(one, name="named " + "x" * 300) for one in made])
    with open(path, "r+b") as file:
        size = int.from_bytes(file.read(18)[16:18], "big")
        for page in range(size, os.path.getsize(path), size):
            file.seek(page)
            head = file.read(1)
            if head == b"\x0d" and b"named" in file.read(size):  # a leaf of the table's own
                file.seek(page)
                file.write(b"\xff" * 100)
                break
    result = run("list", "--all")
    healthy(result, *(one.id for one in made), told=result.err.count("\n"))


ENDLESS: Final = (
    "CREATE VIEW {} AS WITH RECURSIVE number(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM number) "
    "SELECT x AS rowid, x AS id, x AS child_thread_id FROM number WHERE x < {}"
)


@pytest.mark.parametrize("last", ["0", "x + 1"], ids=["no-row", "rows"])
@pytest.mark.parametrize(("view", "told"), [("threads", 1), ("thread_spawn_edges", 0)])
def test_a_view_that_never_ends_is_no_table(
    home: Home, run: Run, view: str, told: int, last: str
) -> None:
    made = home.claude(), home.codex(bulk=False)
    database = sqlite3.connect(home.codex_db([home.thread(made[1], name="Named")]))
    database.execute(f"DROP TABLE {view}")
    database.execute(ENDLESS.format(view, last))
    database.commit()
    database.close()
    result = run.apart("list")
    healthy(result, *(one.id for one in made), told=told)
    assert ("Named" in result.text) == (view != "threads")


def test_thousands_of_the_clients_own_blocks_take_no_time(home: Home, run: Run) -> None:
    block = "<system-reminder></system-reminder>"
    made = home.claude([say(block * 7_000), say(block * 7_000 + "why?")])
    started = time.monotonic()
    assert run("list").rows[0][5] == "why?"
    assert "why?" in run("preview", made.id).text
    assert time.monotonic() - started < 0.7


# Names


def test_a_name_that_is_no_id_is_no_session(home: Home, run: Run) -> None:
    good = home.claude(), home.codex(bulk=False)
    names = ("$(touch x)", "`touch x`", "-rf", "..", "\x1b[2J", OTHER[:-1], OTHER + "0", "a\nb")
    for name in names:
        home.claude(name=name + ".jsonl", id=OTHER)
        path = os.path.join(os.path.dirname(good[1].path), f"rollout-2026-{name}.jsonl")
        shutil.copyfile(good[1].path, path)
    assert run.shown() == [good[1].id, good[0].id]


def test_links_in_a_ring_end(home: Home, run: Run) -> None:
    made = home.codex(bulk=False)
    sessions = os.path.join(home.codex_dir, "sessions")
    for folder in (sessions, os.path.join(home.codex_dir, "archived_sessions")):
        os.makedirs(folder, exist_ok=True)
        for name in ("1", "2", "3"):
            os.symlink(folder, os.path.join(folder, name))
    os.makedirs(os.path.join(home.claude_dir, "projects"))
    for name in ("1", "2"):
        os.symlink(".", os.path.join(home.claude_dir, "projects", name))
    started = time.monotonic()
    assert run.shown() == [made.id]
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("folder", ["//", "//x", "///a/b", "/" * 9_000, "/a" * 100_000, "a", "."])
def test_a_folder_of_any_shape_ends(home: Home, run: Run, folder: str) -> None:
    made = home.claude(cwd=folder, project="-elsewhere")
    started = time.monotonic()
    healthy(run("list"), made.id)
    assert time.monotonic() - started < 2


BESIDE: Final = (
    *(".claude/history.jsonl", ".claude/sessions", ".claude/sessions/1.json"),
    *(f".claude/projects/-w/{GOOD}/custom-title.json", f".claude/projects/-w/{GOOD}"),
    *(".claude/projects/other", ".codex/archived_sessions", ".codex/sessions/2027"),
    *(".codex/config.toml", ".codex/session_index.jsonl", ".codex/thread-writer-locks"),
    *(".codex/state_5.sqlite", ".codex/state_5.sqlite-wal", ".codex/state_5.sqlite-journal"),
    *(".codex/state_6.sqlite", ".codex/sqlite", "../cache/sessfzf", "../cache/sessfzf/index"),
)
NO_FILES: Final = (fifo, bound_socket, os.mkdir, dangling, loop, binary, empty)


@pytest.mark.parametrize("make", NO_FILES)
def test_whatever_stands_beside_the_transcripts_costs_only_itself(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, make: Callable[[str], None]
) -> None:
    monkeypatch.chdir(home.path)
    good = home.claude(cwd=None, id=GOOD, project="-w"), home.codex(bulk=False)
    for place in BESIDE:
        path = os.path.normpath(os.path.join(home.path, place))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if place.endswith(("-wal", "-journal")):
            home.codex_db([home.thread(good[1])])
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        make(path)
        started = time.monotonic()
        for _ in range(2):
            result = run("list", "--all")
            assert result.err.count("\n") <= 1, place
            healthy(result, *(one.id for one in good), told=result.err.count("\n"))
        for one in good:
            assert run("preview", one.id).code == 0, place
            assert run("plan", one.id).code == 3, place  # their folders are not here
        assert time.monotonic() - started < 2, place
        for left in (path, os.path.join(home.codex_dir, "state_5.sqlite")):
            if os.path.isdir(left) and not os.path.islink(left):
                shutil.rmtree(left)
            elif os.path.lexists(left):
                os.unlink(left)


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (fifo, 2),
        (bound_socket, 2),
        (os.mkdir, 2),
        (dangling, 2),
        (loop, 2),
        (binary, 2),
        (empty, 0),
    ],
)
def test_damage_is_counted_in_one_line(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, make: Callable[[str], None], count: int
) -> None:
    monkeypatch.chdir(home.path)
    good = home.claude(), home.codex(bulk=False)
    make(os.path.join(os.path.dirname(good[0].path), OTHER + ".jsonl"))
    make(os.path.join(os.path.dirname(good[1].path), f"rollout-2026-11-01T08-00-00-{OTHER}.jsonl"))
    result = run("list")
    healthy(result, *(one.id for one in good), told=int(count > 0))
    assert result.err.startswith(
        f"sessfzf: {count} files or folders could not be read" * (count > 0)
    )


def test_of_a_key_given_twice_the_last_counts_whatever_parses_it(home: Home, run: Run) -> None:
    twice = (
        b'{"type":"x","type":"user","cwd":"/x","message":{"content":"one"},"cwd":"/home/kim/api",'
    )
    made = home.claude([twice + b'"message":{"content":"no","content":"two"}}\n', answer()])
    for _ in range(2):
        row = run.listed()[made.id]
        assert (row["title"], row["cwd"]) == ("two", "/home/kim/api")
        for _ in range(30):  # many files are worth another parser
            home.claude()
        shutil.rmtree(os.path.dirname(cache_folder()))


# Files that change while they are read


def test_files_that_change_under_it(home: Home, run: Run) -> None:
    good = [home.claude(), home.codex(bulk=False)]
    victims = [home.claude(filler=30_000) for _ in range(6)]
    with open(victims[0].path, "rb") as file:
        whole = file.read()
    done = threading.Event()

    def disturb() -> None:
        number = 0
        while not done.is_set():
            number += 1
            path = victims[number % 6].path
            what = number % 5
            try:
                if what == 0:
                    os.truncate(path, number * 997 % len(whole))
                elif what == 1:
                    with open(path, "ab") as growing:
                        growing.write(whole[: number * 31 % len(whole)])
                elif what == 2:
                    os.unlink(path)
                elif what == 3:
                    with open(path + "~", "wb") as other:
                        other.write(whole)
                    os.replace(path + "~", path)
                else:
                    os.mkdir(path)
                    os.rmdir(path)
            except OSError:
                continue

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for number in range(60):
            result = run("list", *(["--no-cache"] if number % 2 else []))
            healthy(result, *(one.id for one in good), told=min(result.err.count("\n"), 1))
    finally:
        done.set()
        thread.join()
    for victim in victims:
        with open(victim.path, "wb") as again:
            again.write(whole)
    assert set(run.shown()) == {one.id for one in (*good, *victims)}


# Sizes

PROGRAM: Final = """
import sys
from sessfzf.__main__ import main
code = main(sys.argv[1:])  # as a command it would end the process at once
with open("/proc/self/status") as file:
    print(*[line.split()[1] for line in file if line.startswith("VmHWM")], file=sys.stderr)
sys.exit(code)
"""


def peak(*args: str) -> tuple[int, list[str], list[str]]:
    """The most memory that a run took, in KiB, and its lines on stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args], capture_output=True, check=True, timeout=60
    )
    *told, most = done.stderr.decode().splitlines()
    return int(most), done.stdout.decode().splitlines(), told


def sparse(path: str, size: int, head: bytes = b"") -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(size)


def line_of_200_mb(home: Home) -> None:
    with open(os.path.join(os.path.dirname(home.claude().path), OTHER + ".jsonl"), "wb") as file:
        file.write(b'{"type":"user","message":{"content":"')
        file.writelines(b"x" * 1_000_000 for _ in range(200))
        file.write(b'"}}\n' + dump(say("after")) + b"\n")


def transcript_of_3_gb(home: Home) -> None:
    made = home.claude()
    with open(made.path, "rb") as file:
        head = file.read()
    sparse(os.path.join(os.path.dirname(made.path), OTHER + ".jsonl"), 3 << 30, head)


def rollout_of_3_gb(home: Home) -> None:
    made = home.codex()
    os.truncate(made.path, 3 << 30)


def brackets(home: Home) -> None:
    bomb = b'{"type":"user","message":{"content":'
    wide = b'{"type":"user","a":[' + b",".join([b"{}"] * 80_000) + b"]}\n"
    home.claude([bomb + b"[{}," * 50_000 + b"\n", bomb + b"[" * 200_000 + b"\n", say("x"), wide])


def beside(name: str) -> Callable[[Home], None]:
    def make(home: Home) -> None:
        sparse(os.path.join(home.path, name), 3 << 30)

    make.__name__ = name.rpartition("/")[2]
    return make


def a_title(size: int, state: str, *, blob: bool = False) -> Callable[[Home], None]:
    def make(home: Home) -> None:
        title = b"t" * size if blob else "t" * size
        rows = [home.thread(home.codex(bulk=False), title=title)]
        home.codex_db([home.thread(home.codex(bulk=False), name="Healthy"), *rows], state=state)

    make.__name__ = f"title-{state}{'-blob' * blob}"
    return make


def many_rows(home: Home) -> None:
    text = "p" * 4_000
    ids = [f"01a0c0df-{number:04x}-7000-8000-{number:012x}" for number in range(600)]
    home.codex_db([home.thread(one, preview=text, title=text) for one in ids])


def log_of_1_gb(home: Home) -> None:
    path = home.codex_db([home.thread(home.codex(bulk=False))], state="wal")
    os.truncate(path + "-wal", 1 << 30)


def index_of_3_gb(_: Home) -> None:
    sparse(os.path.join(cache_folder(), "index"), 3 << 30, b"sessfzf ")


NO_LIMIT: Final = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="there the limit holds for this process, too"
)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        *((make, 0) for make in (line_of_200_mb, transcript_of_3_gb, rollout_of_3_gb, brackets)),
        *((make, 0) for make in (many_rows, index_of_3_gb)),
        (log_of_1_gb, 1),
        (beside(".codex/state_5.sqlite"), 1),
        *(
            (beside(name), 0)
            for name in (
                ".codex/config.toml",
                ".codex/session_index.jsonl",
                ".claude/history.jsonl",
                ".claude/sessions/1.json",
                ".claude/projects/-w/" + GOOD + "/custom-title.json",
            )
        ),
        *(
            pytest.param(a_title(60 * MB, state, blob=blob), 0, marks=NO_LIMIT)
            for state, blob in (("checkpointed", False), ("wal", False), ("checkpointed", True))
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_no_size_costs_memory_or_a_session(
    home: Home, make: Callable[[Home], None], told: int
) -> None:
    good = home.claude(cwd=None, id=GOOD, project="-w"), home.codex(bulk=False)
    make(home)
    for _ in range(2):
        most, rows, said = peak("list", "--all")
        assert most < PEAK
        assert len(said) == told
        assert {one.id for one in good} <= {row.split("\t")[0] for row in rows}
    for one in {row.split("\t")[0] for row in rows[:6]}:
        most, lines, said = peak("preview", one)
        assert most < PEAK
        assert said == []
        assert any(one in line for line in lines)
    if make.__name__.startswith("title-"):
        assert any("Healthy" in row for row in rows)


# An index that somebody has tampered with


def rewritten(change: Callable[[str], str]) -> None:
    path = os.path.join(cache_folder(), "index")
    with open(path, encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        file.write(change(text))


HARM: Final = ("\x1b]0;x\x07", "\x1b[2J", "\u202e", "\r", "\x9b31m", "\ud83d", "'; touch x; '", "")


def tampered(text: str, data: st.DataObject) -> str:
    lines = text.split("\n")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(2, len(lines) - 2))
        parts = lines[at].split("\x1f")
        part = data.draw(st.integers(0, len(parts) - 1))
        what = data.draw(st.sampled_from(["value", "number", "drop", "double", "rows"]))
        if what == "drop":
            del parts[part]
        elif what == "double":
            parts.insert(part, parts[part])
        elif what == "rows":
            parts[part] += "\x1e" + parts[part]
        elif what == "number":
            parts[part] = data.draw(st.sampled_from(["-1", "9" * 30, "9" * 5_000, "1.5", "x"]))
        else:
            parts[part] += data.draw(st.sampled_from(HARM))
        lines[at] = "\x1f".join(parts).replace("\n", "")
    return "\n".join(lines)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_tampered_index_injects_nothing(home: Home, run: Run, data: st.DataObject) -> None:
    for folder in (home.claude_dir, home.codex_dir):
        shutil.rmtree(folder, ignore_errors=True)
    folder = home.folder("work")
    claude, codex = home.claude(cwd=folder, branch=None), home.codex(cwd=folder, bulk=False)
    home.codex_db([home.thread(codex)])
    home.codex_names((codex.id, "Name"))
    home.claude_live(claude.id, pid=os.getpid())
    want = run("plan", claude.id, "--confirm", "yes").out
    run("list")

    rewritten(lambda text: tampered(text, data))
    if data.draw(st.booleans()):
        home.claude()
    for form in ((), ("--fzf",), ("--picker",), ("--json",), ("--all", "--here")):
        result = run("list", *form)
        assert result.code == 0
        assert harm(result.out, colours=form in {("--fzf",), ("--picker",)}) == []
        assert harm(result.err.encode(), tabs=False) == []
        if not form:  # what it hides is back when the index is made anew
            assert all(len(row) == 6 for row in result.rows)
    assert run("plan", claude.id, "--confirm", "yes").out == want


@pytest.mark.parametrize("text", HARM)
def test_a_tampered_state_of_a_live_session_injects_nothing(
    home: Home, run: Run, text: str
) -> None:
    made = home.claude()
    home.claude_live(made.id, pid=os.getpid())
    run("list")
    rewritten(lambda kept: kept.replace("\x1fidle\x1f", f"\x1fidle{text}\x1f".replace("\n", "")))
    for form in ("--fzf", "--picker", "--json"):
        result = run("list", form)
        assert result.code == 0
        assert harm(result.out, colours=form != "--json") == []


def test_names_are_sought_in_the_last_four_megabytes(tmp_path: Path) -> None:
    path = str(tmp_path / "session_index.jsonl")
    own = "01a0c0de-0001-7000-8000-000000000001"
    old = dump({"id": own, "thread_name": "Old"}) + b"\n"
    write_lines(path, [old, b"x" * 5 * MB, b"\n", dump({"id": own, "thread_name": "New"})])
    assert thread_names(path) == [[own, "New"]]
