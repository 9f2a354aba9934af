from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from stores import answer, git, meta, repository, say, snapshot, write_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Run
    from stores import Home

ONE = "0b0e0d0c-1111-4222-8333-444455556666"
KEYS = [
    *["app", "id", "title", "cwd", "branch", "time", "mtime", "bytes", "model", "effort"],
    *["approval", "sandbox", "live", "hidden", "path"],
]


# Rows


def test_a_row_has_six_fields(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"))
    assert run("list").rows == [
        [made.id, "claude-code", "3d", "~/api", "main", "why does the cache grow?"]
    ]


def test_an_unknown_field_is_empty(home: Home, run: Run) -> None:
    made = home.claude([say("hi"), answer()], cwd=None, branch=None)
    assert run("list").rows == [[made.id, "claude-code", "3d", "", "", "hi"]]


def test_both_agents_are_in_one_list_newest_first(home: Home, run: Run) -> None:
    first, second, third = home.codex(), home.claude(), home.codex()
    rows = run("list").rows
    assert [(row[0], row[1]) for row in rows] == [
        (third.id, "codex"),
        (second.id, "claude-code"),
        (first.id, "codex"),
    ]


@pytest.mark.parametrize(
    ("ago", "age"),
    [
        pytest.param(10, "now", id="now"),
        pytest.param(5 * 60 + 20, "5m", id="minutes"),
        pytest.param(3 * 3600 + 900, "3h", id="hours"),
        pytest.param(2 * 86400 + 3600, "2d", id="days"),
        pytest.param(44 * 86400, "6w", id="weeks"),
        pytest.param(400 * 86400, "1y", id="a-year"),
        pytest.param(5 * 366 * 86400, "5y", id="years"),
        pytest.param(-86400 * 30, "now", id="future"),
    ],
)
def test_the_age_is_short(home: Home, run: Run, ago: float, age: str) -> None:
    home.claude(time=time.time() - ago)
    assert run("list").rows[0][2] == age


def test_only_the_home_itself_is_abbreviated(home: Home, run: Run) -> None:
    beside = home.path + "berley"
    for folder in (home.path, home.folder("api"), beside):
        home.claude(cwd=folder)
    assert [row[3] for row in run("list").rows] == [beside, "~/api", "~"]


HOSTILE = (
    "a\tb\nc\r\x1b[31md\x1b]0;evil\x07e\x9b2Jf\u202eg\u2028h\u2066i\x00j\x7fk\ud800l"
    "\x1bPq\x1b\\m\ufeffn\u061c"
)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        pytest.param("a\tb", {"a b"}, id="tab"),
        pytest.param("a\nb", {"a b"}, id="newline"),
        pytest.param("a \r\n\n b", {"a b"}, id="many"),
        pytest.param("a\x1b[31;1mb\x1b[0m", {"ab"}, id="colour"),
        pytest.param("a\x1b]0;evil\x07b", {"ab"}, id="osc"),
        pytest.param("a\x1b]8;;http://x\x1b\\b", {"ab"}, id="link"),
        pytest.param("a\x1bPq1\x1b\\b", {"ab"}, id="dcs"),
        pytest.param("a\x1b", {"a"}, id="bare-escape"),
        pytest.param("a\x7fb\x00c", {"abc"}, id="control"),
        pytest.param("a\x85b", {"ab", "a b"}, id="c1"),
        pytest.param("a\u202eb\u2066c\u200fd\u061c", {"abcd"}, id="bidi"),
        pytest.param("a\u2028b", {"ab", "a b"}, id="line-separator"),
        pytest.param("a\ufeffb", {"ab"}, id="bom"),
        pytest.param("a\u00a0b", {"a b"}, id="nbsp"),
        pytest.param("a\ud83db", {"ab", "a\ufffdb", "a?b"}, id="half-an-emoji"),
        pytest.param("日本 🎉 ünï e\u0301", {"日本 🎉 ünï e\u0301"}, id="text-stays"),
    ],
)
def test_a_title_is_one_line_of_printable_text(
    home: Home, run: Run, text: str, clean: set[str]
) -> None:
    home.claude([say(text), answer()])
    assert run("list").rows[0][5] in clean


@pytest.mark.parametrize("form", [(), ("--fzf",), ("--json",)], ids=["plain", "fzf", "json"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HOSTILE, id="all"),
        pytest.param(HOSTILE.replace("\ud800", ""), id="no-surrogate"),
        pytest.param(HOSTILE.replace("\ud800", "").replace("\0", ""), id="no-nul"),
    ],
)
def test_nothing_of_a_store_can_break_a_row(
    home: Home, run: Run, text: str, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    records = [say(text, permissionMode=text), answer(model=text, effort=text)]
    home.claude(records, cwd="/srv/" + text, branch=text, project="-srv")
    home.codex(
        prompt=text, cwd="/srv/" + text, branch=text, model=text, approval=text, sandbox=text
    )
    for _ in range(2):  # as read, and from the index
        rows = run("list", *form).text
        assert rows.count("\n") == 2
        assert rows.count("\t") == (0 if form == ("--json",) else 10)
        assert all(char.isprintable() or char in "\t\n" for char in rows)


def test_json_has_these_keys(home: Home, run: Run) -> None:
    home.claude()
    home.codex()
    for row in run("list", "--json").objects:
        assert list(row) == KEYS


def test_json_values_have_these_types(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), time=1_790_000_000, mtime=1_790_000_007)
    assert run("list", "--json").objects == [
        {
            "app": "claude-code",
            "id": made.id,
            "title": "why does the cache grow?",
            "cwd": home.path + "/api",
            "branch": "main",
            "time": 1_790_000_000_000,
            "mtime": 1_790_000_007_000,
            "bytes": os.path.getsize(made.path),
            "model": "opus-x",
            "effort": "high",
            "approval": "default",
            "sandbox": None,
            "live": None,
            "hidden": None,
            "path": made.path,
        }
    ]


def test_the_form_for_fzf_has_the_same_fields(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    home.claude(cwd=home.folder("api"))
    home.codex(cwd=home.folder("a/longer/name"))
    plain, made = run("list").rows, run("list", "--fzf").rows
    assert [row[0] for row in made] == [row[0] for row in plain]
    assert all(len(row) == 6 for row in made)
    for padded, bare in zip(made, plain, strict=True):
        assert all(field in cell for field, cell in zip(bare[1:], padded[1:], strict=True))


def test_no_color_means_none(home: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    home.claude()
    assert b"\x1b[" in run("list", "--fzf").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert b"\x1b" not in run("list", "--fzf").out


# Order


def test_the_order_is_by_last_activity_whatever_the_files_times(home: Home, run: Run) -> None:
    now = time.time()
    made = [
        home.claude(time=now - minutes * 60, mtime=now - touched * 60)
        for minutes, touched in [(50, 5), (10, 9), (40, 1), (20, 20), (30, 0), (60, 60)]
    ]
    made += [home.codex(time=now - minutes * 60, mtime=now - 2 * 60) for minutes in (15, 45)]
    wanted = [made[index].id for index in (1, 6, 3, 4, 2, 7, 0, 5)]
    assert run.shown() == wanted
    assert run.shown() == wanted  # from the index
    assert [row["id"] for row in run("list", "--json").objects] == wanted


# Options


def test_limit_keeps_the_newest(home: Home, run: Run) -> None:
    made = [home.claude() for _ in range(5)]
    assert run.shown("--limit", "2") == [made[4].id, made[3].id]


@pytest.mark.parametrize(
    "query",
    [
        "RETRY loop",
        "~/API",
        "fix/Loop",
        "Codex",
        "01a0c0de-0001-7000-8000-0000000000aa",
        "8000-0000000000AA",
    ],
    ids=["title", "folder", "branch", "app", "id", "part-of-id"],
)
def test_a_query_is_sought_in_what_is_shown(home: Home, run: Run, query: str) -> None:
    own = "01a0c0de-0001-7000-8000-0000000000aa"
    made = home.codex(id=own, cwd=home.folder("api"), branch="fix/loop")
    home.claude(cwd=home.folder("other"))
    assert run.shown(query) == [made.id]


def test_a_query_that_fits_nothing_lists_nothing(home: Home, run: Run) -> None:
    home.claude()
    result = run("list", "no such words")
    assert (result.code, result.out) == (0, b"")


def test_an_app_can_be_chosen(home: Home, run: Run) -> None:
    one, two = home.claude(), home.codex()
    assert run.shown("--app", "codex") == [two.id]
    assert run.shown("--app", "claude-code") == [one.id]
    assert run.shown("--app", "claude-code", "--app", "codex") == [two.id, one.id]


@pytest.mark.parametrize(
    "args",
    [
        ("--app", "emacs"),
        ("--limit", "x"),
        ("--limit", "-1"),
        ("--nonsense",),
        ("a", "b"),
        ("--app",),
    ],
)
def test_wrong_usage_ends_with_2(home: Home, run: Run, args: tuple[str, ...]) -> None:
    home.claude()
    result = run("list", *args)
    assert (result.code, result.out) == (2, b"")
    assert result.err


@pytest.mark.parametrize(
    "args", [["--here"], ["--scope", "folder"], ["--scope", "repository"]], ids=" ".join
)
def test_here_in_a_folder_that_is_gone_says_so(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    home.claude()
    gone = home.folder("gone")
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    result = run("list", *args)
    assert (result.code, result.out) == (1, b"")
    assert f"{args[0]}: the folder you are in is gone" in result.err
    assert len(run("list", "--picker").rows) == 2
    if "--scope" in args:
        assert [row[0] for row in run("list", "--picker", *args).rows] == ["", ""]


def test_here_is_this_folder_and_below(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, below = home.claude(cwd=home.folder("api")), home.codex(cwd=home.folder("api", "sub"))
    for other in ("api-v2", "apix", "web"):
        home.claude(cwd=home.folder(other))
    home.claude(cwd=home.path)
    monkeypatch.chdir(os.path.join(home.path, "api"))
    assert run.shown("--here") == [below.id, here.id]


def test_here_knows_a_link_to_this_folder(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.path.join(home.path, "link")
    os.symlink(home.folder("api"), link)
    made = home.claude(cwd=link)
    monkeypatch.chdir(os.path.join(home.path, "api"))
    assert run.shown("--here") == [made.id]


def test_here_is_also_the_repositorys_other_worktrees(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = repository(os.path.join(home.path, "api"))
    tree = os.path.join(home.path, "trees", "fix")
    git(main, "worktree", "add", "-q", "-b", "fix", tree)
    repository(os.path.join(home.path, "web"))
    in_main = home.claude(cwd=main)
    in_tree = home.claude(cwd=os.path.join(tree, "sub"))
    home.claude(cwd=os.path.join(home.path, "web"))
    home.claude(cwd=os.path.join(home.path, "trees", "fix-2"))
    for folder in (main, tree):
        monkeypatch.chdir(folder)
        assert run.shown("--here") == [in_tree.id, in_main.id]


def test_each_scope_from_each_place(home: Home, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    main = repository(os.path.join(home.path, "api"))
    tree = os.path.join(home.path, "trees", "fix")
    git(main, "worktree", "add", "-q", "-b", "fix", tree)
    ids = {}
    for name in ("api", "api/sub", "api/sub/deep", "trees/fix", "trees/fix/sub", "web", "api-v2"):
        ids[home.claude(cwd=home.folder(name)).id] = name
    ids[home.claude([say("hi"), *answers_in(home.folder("web"), main)]).id] = "came by"

    def shown(folder: str, *args: str) -> set[str]:
        monkeypatch.chdir(os.path.join(home.path, folder))
        return {ids[one] for one in run.shown(*args)}

    whole = {"api", "api/sub", "api/sub/deep", "trees/fix", "trees/fix/sub", "came by"}
    for folder in ("api", "api/sub", "trees/fix", "trees/fix/sub"):
        assert shown(folder, "--scope", "repository") == whole
        assert shown(folder, "--scope", "all") == set(ids.values())
    assert shown("api", "--scope", "folder") == {"api", "api/sub", "api/sub/deep", "came by"}
    assert shown("api/sub", "--scope", "folder") == {"api/sub", "api/sub/deep"}
    assert shown("api/sub", "--scope", "folder", "--scope", "all") == set(ids.values())
    assert shown("trees/fix", "--scope", "folder") == {"trees/fix", "trees/fix/sub"}
    for scope in ("folder", "repository"):
        assert shown("web", "--scope", scope) == {"web", "came by"}
    assert shown("api/sub", "--here", "--scope", "repository") == {
        *("api/sub", "api/sub/deep", "trees/fix", "trees/fix/sub")
    }


def answers_in(*folders: str) -> list[dict[str, object]]:
    return [answer() | {"cwd": folder} for folder in folders]


def test_an_unknown_scope_is_wrong_usage(run: Run) -> None:
    result = run("list", "--scope", "al\x1bl")
    assert (result.code, result.out) == (2, b"")
    assert "--scope is one of all, repository, folder, not 'al" in result.err
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    ("own", "marked"),
    [("", "[all]"), ("repository", "[repository]"), ("folder", "[folder]"), ("no", "[all]")],
)
def test_the_picker_opens_in_the_scope_of_the_persons_choice(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, own: str, marked: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("SESSFZF_SCOPE", own)
    here, there = home.folder("here"), home.folder("there")
    ids = [home.claude(cwd=folder).id for folder in (here, there)]
    monkeypatch.chdir(here)
    header, *rows = run("list", "--picker").rows
    assert header[0] == ""
    assert marked in header[1]
    assert {row[0] for row in rows} == set(ids if marked == "[all]" else ids[:1])
    assert all(len(row) == 11 for row in rows)
    assert set(run.shown()) == set(ids), "what is no picker does not heed it"


@pytest.mark.parametrize("cache", [[], ["--no-cache"]], ids=["index", "no-index"])
def test_the_picker_says_what_an_empty_scope_could_widen_to(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, cache: list[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    made = home.claude(entrypoint="sdk-cli")
    monkeypatch.chdir(home.folder("empty"))
    for scope in ("folder", "repository", "all"):
        (_, (own, text)) = run("list", "--picker", "--scope", scope, *cache).rows
        assert own == ""
        assert "Alt-" in text
    (header, row) = run("list", "--picker", "--all", *cache).rows
    assert "[hidden]" in header[1]
    assert row[0] == made.id
    # Where there is nothing at all, the shell says where it was looked for.
    os.unlink(made.path)
    assert len(run("list", "--picker").rows) == 1


def test_here_with_nothing_here_is_empty(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude()
    monkeypatch.chdir(home.folder("empty"))
    assert run.shown("--here") == []


def test_all_shows_the_hidden_ones_with_their_reason(home: Home, run: Run) -> None:
    shown = home.claude()
    printed = home.claude(entrypoint="sdk-cli")
    executed = home.codex(source="exec")
    stored = home.codex(archived=True)
    assert run.shown() == [shown.id]
    assert run.shown("--all") == [stored.id, executed.id, printed.id, shown.id]
    assert {key: row["hidden"] for key, row in run.listed().items()} == {
        shown.id: None,
        printed.id: "print",
        executed.id: "print",
        stored.id: "archived",
    }


# Little or nothing there


def test_an_empty_machine_says_where_it_looked(home: Home, run: Run) -> None:
    result = run("list")
    assert (result.code, result.out) == (0, b"")
    assert home.claude_dir in result.err or "~/.claude" in result.err
    assert home.codex_dir in result.err or "~/.codex" in result.err


def test_a_person_with_one_agent_hears_nothing_of_the_other(home: Home, run: Run) -> None:
    made = home.claude()
    result = run("list")
    assert ([row[0] for row in result.rows], result.err) == ([made.id], "")


def test_a_person_with_the_other_agent_neither(home: Home, run: Run) -> None:
    made = home.codex()
    result = run("list")
    assert ([row[0] for row in result.rows], result.err) == ([made.id], "")


@pytest.mark.parametrize("place", [".claude", ".claude/projects", ".codex", ".codex/sessions"])
def test_a_store_that_is_a_file_costs_only_itself(home: Home, run: Run, place: str) -> None:
    made = home.codex() if "claude" in place else home.claude()
    path = os.path.join(home.path, place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_lines(path, [b"x"])
    result = run("list")
    assert (result.code, [row[0] for row in result.rows]) == (0, [made.id])
    assert "Traceback" not in result.err


# Damaged neighbours


def fifo(path: str) -> None:
    os.mkfifo(path)


def bound_socket(path: str) -> None:
    os.chdir(os.path.dirname(path))  # a socket's name may be no longer than 107 bytes
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.basename(path))
    server.close()


def dangling(path: str) -> None:
    os.symlink("/nowhere/at/all", path)


def loop(path: str) -> None:
    os.symlink(path, path)


def binary(path: str) -> None:
    write_lines(path, [bytes(range(256)) * 300])


def empty(path: str) -> None:
    write_lines(path, [])


def truncated(path: str) -> None:
    write_lines(path, [b'{"type":"user","message":{"role":"user","content":"cut'])


@pytest.mark.parametrize(
    "make", [fifo, bound_socket, os.mkdir, dangling, loop, binary, empty, truncated]
)
def test_a_damaged_neighbour_costs_only_itself(
    home: Home, run: Run, make: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.path)
    one, two = home.claude(), home.codex()
    make(os.path.join(os.path.dirname(one.path), ONE + ".jsonl"))
    rollout = "rollout-2026-11-01T08-00-00-01a0c0de-0001-7000-8000-0000000000aa.jsonl"
    make(os.path.join(os.path.dirname(two.path), rollout))
    assert run.shown() == [two.id, one.id]


@pytest.mark.parametrize("kind", ["project", "transcript", "store"])
def test_what_may_not_be_read_costs_only_itself(foreign: Home, run: Run, kind: str) -> None:
    made, closed = foreign.codex(), foreign.claude().path
    for _ in range(["transcript", "project", "store"].index(kind)):
        closed = os.path.dirname(closed)
    os.chmod(closed, 0o700 if os.path.isdir(closed) else 0o600)
    result = run.as_nobody(foreign, "list")
    assert (result.code, [row[0] for row in result.rows]) == (0, [made.id])
    assert result.err.count("\n") == 1
    assert result.err.startswith("sessfzf: ")


def test_what_a_limit_leaves_out_is_not_read(foreign: Home, run: Run) -> None:
    older, newer = foreign.claude(), foreign.claude()
    os.chmod(older.path, 0o600)  # reading it would be told on stderr
    result = run.as_nobody(foreign, "list", "--limit", "1")
    assert ([row[0] for row in result.rows], result.err) == ([newer.id], "")


def test_a_reader_that_leaves_early_ends_it_quietly(home: Home, run: Run) -> None:
    for _ in range(30):
        home.claude(version="2.0.77")
    for _ in range(2):  # without an index, and from one
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [sys.executable, "-m", "sessfzf", "list"],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
        os.close(writing)
        assert (done.returncode, done.stderr) == (0, b"")
        run("list")


def test_head_gets_its_row(home: Home) -> None:
    made = [home.claude(version="2.0.77") for _ in range(5)]
    script = f'"{sys.executable}" -m sessfzf list | head -1'
    done = subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, check=False)
    assert done.stdout.split(b"\t")[0].decode() == made[-1].id
    assert done.stderr == b""


# The index


def cache_of(run: Run) -> str:
    assert run("list").code == 0
    return os.path.join(os.environ["XDG_CACHE_HOME"], "sessfzf")


def files_of(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in os.listdir(folder)]


def test_the_index_is_private(home: Home, run: Run) -> None:
    home.claude()
    folder = cache_of(run)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert files_of(folder)
    assert all(stat.S_IMODE(os.stat(path).st_mode) == 0o600 for path in files_of(folder))


@pytest.mark.parametrize(
    "form", [(), ("--fzf",), ("--json", "--all")], ids=["plain", "fzf", "json"]
)
def test_a_second_run_writes_the_same_bytes(home: Home, run: Run, form: tuple[str, ...]) -> None:
    made = home.codex(prompt="a\tb")
    home.codex_db([home.thread(made, name="named")])
    home.claude(sidecar="titled")
    home.claude(entrypoint="sdk-cli")
    first = run("list", *form)
    assert first.out
    assert run("list", *form) == first
    assert run("list", "--no-cache", *form) == first


def test_no_cache_writes_nothing(home: Home, run: Run) -> None:
    home.claude()
    before = snapshot(os.environ["XDG_CACHE_HOME"])
    run("list", "--no-cache")
    assert snapshot(os.environ["XDG_CACHE_HOME"]) == before


def test_only_the_cache_is_written(home: Home, run: Run, tmp_path: object) -> None:
    home.claude()
    home.codex_db([home.thread(home.codex())], state="wal")
    cache = os.environ["XDG_CACHE_HOME"]
    before = {
        path: seen for path, seen in snapshot(str(tmp_path)).items() if not path.startswith(cache)
    }
    run("list")
    run("list")
    assert {
        path: seen for path, seen in snapshot(str(tmp_path)).items() if not path.startswith(cache)
    } == before


def test_a_session_that_went_on_is_seen(home: Home, run: Run) -> None:
    older, newer = home.claude(prompt="one"), home.claude()
    assert run.shown() == [newer.id, older.id]
    home.claude(id=older.id, prompt="and two")
    first = run("list").rows[0]
    assert (first[0], first[5]) == (older.id, "and two")


def test_a_session_that_was_renamed_beside_its_file_is_seen(home: Home, run: Run) -> None:
    when = time.time() - 90_000
    made = home.claude(time=when)
    run("list")
    home.claude(id=made.id, time=when, sidecar="renamed")
    assert run("list").rows[0][5] == "renamed"


def test_a_session_that_is_gone_is_gone(home: Home, run: Run) -> None:
    made, other = home.claude(), home.codex()
    run("list")
    os.unlink(made.path)
    assert run.shown() == [other.id]


def test_a_thread_that_was_renamed_in_the_index_is_seen(home: Home, run: Run) -> None:
    made = home.codex()
    home.codex_db([home.thread(made, name="old")])
    run("list")
    home.codex_db([home.thread(made, name="new name")])
    assert run("list").rows[0][5] == "new name"


def test_a_thread_that_was_renamed_in_the_wal_is_seen(home: Home, run: Run) -> None:
    made = home.codex()
    home.codex_db([home.thread(made, name="old")], state="wal")
    run("list")
    home.codex_db([home.thread(made, name="new name")], state="wal")
    assert run("list").rows[0][5] == "new name"


def test_a_thread_that_was_renamed_in_the_name_index_is_seen(home: Home, run: Run) -> None:
    made = home.codex()
    run("list")
    home.codex_names((made.id, "new name"))
    assert run("list").rows[0][5] == "new name"


def garbage(_: bytes) -> bytes:
    return b"\xff\0garbage\n" * 50


def halved(data: bytes) -> bytes:
    return data[: len(data) // 2]


def nothing(_: bytes) -> bytes:
    return b""


def flipped(data: bytes) -> bytes:
    return bytes(byte ^ 0x20 for byte in data)


def doubled(data: bytes) -> bytes:
    return data + data


def first_line_changed(data: bytes) -> bytes:
    return b"sessfzf 999\n" + data.partition(b"\n")[2]


@pytest.mark.parametrize("damage", [garbage, halved, nothing, flipped, doubled, first_line_changed])
def test_a_damaged_index_changes_no_output(
    home: Home, run: Run, damage: Callable[[bytes], bytes]
) -> None:
    for _ in range(3):
        home.claude()
        home.codex()
    first = run("list")
    for path in files_of(cache_of(run)):
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(damage(data))
    assert run("list") == first
    assert run("list") == first


def test_the_index_of_another_home_changes_no_output(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude(prompt="mine")
    mine = run("list")
    monkeypatch.setenv("SESSFZF_HOME", home.folder("other"))
    home.claude(config=home.folder("other", ".claude"), prompt="of the other")
    other = run("list")
    assert [row[5] for row in other.rows] == ["of the other"]
    monkeypatch.delenv("SESSFZF_HOME")
    assert run("list") == mine


def test_a_cache_that_is_a_file_changes_no_output(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude()
    first = run("list", "--no-cache")
    path = os.path.join(home.path, "file")
    write_lines(path, [b"x"])
    monkeypatch.setenv("XDG_CACHE_HOME", path)
    assert run("list") == first


def test_an_index_that_is_a_folder_changes_no_output(home: Home, run: Run) -> None:
    home.claude()
    first = run("list")
    for path in files_of(cache_of(run)):
        os.unlink(path)
        os.mkdir(path)
    assert run("list") == first


def test_a_cache_that_cannot_be_written_changes_no_output(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude()
    first = run("list", "--no-cache")
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/self/nowhere")
    assert run("list") == first


def test_a_relative_cache_is_not_used(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude()
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    run("list")
    assert not os.path.exists("relative")
    shutil.rmtree(os.path.join(home.path, ".cache"), ignore_errors=True)


def test_a_limit_leaves_the_index_right(home: Home, run: Run) -> None:
    made = [home.claude() for _ in range(4)]
    run("list", "--limit", "1")
    assert run.shown() == [one.id for one in reversed(made)]


def test_a_filter_leaves_the_index_right(home: Home, run: Run) -> None:
    one, two = home.claude(), home.codex()
    (index,) = files_of(cache_of(run))
    home.codex(id=two.id, prompt="on", time=time.time())
    run("list", "--app", "codex")
    with open(index, "rb") as file:
        assert one.path.encode() in file.read()
    assert run.shown() == [two.id, one.id]
    run("list", "no such words")
    assert run.shown() == [two.id, one.id]


def test_a_mode_record_alone_is_no_row_from_the_index_either(home: Home, run: Run) -> None:
    home.claude([meta("permission-mode", permissionMode="auto")])
    assert run.shown() == []
    assert run.shown() == []
