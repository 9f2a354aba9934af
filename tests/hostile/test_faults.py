"""Faults of the machine: after each only the index is left over, and the next run is right."""

from __future__ import annotations

import functools
import glob
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

import pytest
from checker import harm
from conftest import PACKAGE
from stores import answer, say

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run
    from stores import Home

COMMAND: Final = (sys.executable, "-m", "sessfzf")


def start(*args: str, **env: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | env,
        start_new_session=True,
    )


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def filled(home: Home) -> Home:
    """Sessions of both agents, and an index of Codex's that has to be copied to be read."""
    for number in range(40):
        home.claude(cwd=f"/home/kim/repo{number % 5}", prompt=f"prompt {number}", filler=20_000)
    threads = [home.codex(prompt=f"thread {number}") for number in range(5)]
    home.codex_db([home.thread(thread) for thread in threads], state="wal")
    return home


def leftovers(tmp_path: Path) -> list[str]:
    cache = tmp_path / "cache" / "sessfzf"
    found = (
        [str(path) for path in cache.iterdir() if path.name != "index"] if cache.exists() else []
    )
    return found + [str(path) for path in (tmp_path / "tmp").iterdir()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_polite_signal_at_any_moment_leaves_nothing(
    filled: Home, run: Run, temporary: Path, tmp_path: Path, number: signal.Signals
) -> None:
    want = run.apart("list", "--all", "--no-cache").out
    own = want.decode().split("\t")[0]
    chance = random.Random(number)  # noqa: S311 - to be repeatable
    for turn in range(27):
        for path in (tmp_path / "cache").rglob("index"):
            path.unlink()
        process = start(*(("list", "--all"), ("preview", own), ("plan", own))[turn % 3])
        time.sleep(chance.uniform(0, 0.25))
        process.send_signal(number)
        process.communicate(timeout=30)
        assert not leftovers(tmp_path)
    assert run.apart("list", "--all").out == want
    assert run.apart("list", "--all").out == want
    assert not list(temporary.iterdir())
    assert filled


def test_a_kill_at_any_moment_does_not_harm_the_next_run(
    filled: Home, run: Run, temporary: Path, tmp_path: Path
) -> None:
    want = run.apart("list", "--all", "--no-cache").out
    chance = random.Random(9)  # noqa: S311 - to be repeatable
    for _ in range(25):
        process = start("list", "--all")
        time.sleep(chance.uniform(0, 0.25))
        process.kill()
        process.communicate(timeout=30)
        assert run.apart("list", "--all").out == want
        for path in (tmp_path / "cache").rglob("index"):
            path.unlink()
    # What a kill may leave is swept by a later run.
    old = time.time() - 3600
    for folder in (tmp_path / "cache" / "sessfzf", temporary):
        for path in folder.iterdir():
            os.utime(path, (old, old))
    assert run.apart("list", "--all").out == want
    assert not leftovers(tmp_path)
    assert filled


def test_two_hundred_processes_build_the_index_at_once(
    filled: Home, run: Run, temporary: Path, tmp_path: Path
) -> None:
    want = run.apart("list", "--all", "--no-cache").out
    processes = [start("list", "--all") for _ in range(200)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (0, want, b"")
    assert not leftovers(tmp_path)
    assert run.apart("list", "--all").out == want
    assert filled
    assert temporary


@pytest.mark.parametrize(
    "env",
    [
        pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="locale-C"),
        pytest.param({"LANG": "xx_YY.nonsense", "LC_ALL": ""}, id="locale-unknown"),
        pytest.param({"XDG_CACHE_HOME": "relative/path"}, id="relative-cache"),
        pytest.param({"XDG_CACHE_HOME": "/proc/nowhere"}, id="cache-cannot-be-made"),
        pytest.param({"XDG_CACHE_HOME": "/dev/null"}, id="cache-below-a-file"),
        pytest.param({"TZ": "Nowhere/Land"}, id="time-zone"),
        pytest.param({"COLUMNS": "nonsense", "TERM": "nonsense"}, id="terminal"),
    ],
)
def test_a_strange_environment_changes_nothing(home: Home, run: Run, env: dict[str, str]) -> None:
    home.claude(cwd="/home/kim/Grüße", prompt="日本 naïve 🎉")
    want = run.apart("list")
    done = run.apart("list", **env)  # type: ignore[arg-type]
    assert (done.code, done.out, done.err) == (0, want.out, "")
    assert "日本 naïve 🎉".encode() in done.out


@pytest.mark.parametrize("value", [None, "/", "", "relative", "/nonexistent"])
def test_any_home_lists_or_says_where_it_looked(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both stores are named, so that nothing of the machine's own is ever looked at.
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    env = {name: text for name, text in os.environ.items() if name != "HOME"}
    env |= {} if value is None else {"HOME": value}
    done = subprocess.run([*COMMAND, "list"], env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().startswith("sessfzf: no sessions found; looked for claude-code in ")


@pytest.mark.parametrize("value", ["relative", "~", "."])
def test_a_home_that_is_no_place_leaves_nothing_here(home: Home, run: Run, value: str) -> None:
    made = home.claude()
    place = os.path.join(home.path, "here")
    os.mkdir(place)
    os.chdir(place)
    done = run.apart("list", HOME=value, XDG_CACHE_HOME="", CLAUDE_CONFIG_DIR=home.claude_dir)
    assert (done.code, done.rows[0][0]) == (0, made.id)
    assert os.listdir(place) == []


@pytest.mark.parametrize("name", ["CLAUDE_CONFIG_DIR", "CODEX_HOME"])
def test_in_a_folder_that_is_gone_a_relative_store_costs_only_itself(
    home: Home, tmp_path: Path, name: str
) -> None:
    folder = home.folder("work")
    claude, codex = home.claude(cwd=folder, branch=None), home.codex(cwd=folder, branch=None)
    made = claude if name == "CODEX_HOME" else codex
    line = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" -m sessfzf "$@"'
    for words in (["list"], ["plan", made.id], ["preview", made.id]):
        done = subprocess.run(
            ["sh", "-c", line, sys.executable, *words],
            env=os.environ | {name: "relative", "PYTHONPATH": PACKAGE},
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, made.id.encode() in done.stdout) == (0, True), done.stderr


def test_nobody_listening_on_stderr_changes_no_exit_code(tmp_path: Path) -> None:
    line = '{ sleep 0.2; "$0" -m sessfzf plan nobody; echo $? >code; } 2>&1 | true'
    subprocess.run(["sh", "-c", line, sys.executable], check=True, cwd=tmp_path, timeout=60)
    deadline = time.monotonic() + 20
    while not (tmp_path / "code").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.05)
    assert (tmp_path / "code").read_text() == "1\n"


def test_a_folder_that_is_not_ascii_is_found_in_a_locale_that_is(home: Home, run: Run) -> None:
    folder = home.folder("Gr\u00fc\u00dfe")
    made = home.claude(cwd=folder, branch=None)
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run.apart("plan", made.id, **env)  # type: ignore[arg-type]
    assert (done.code, done.out) == (0, run.apart("plan", made.id).out)
    os.chdir(folder)
    assert run.apart("list", "--here", **env).rows[0][0] == made.id  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("closed", "code"),
    [
        pytest.param("0<&-", 0, id="stdin"),
        pytest.param("1>&-", 1, id="stdout"),
        pytest.param("2>&-", 0, id="stderr"),
        pytest.param("0<&- 2>&-", 0, id="stdin-stderr"),
        pytest.param("0<&- 1>&- 2>&-", 1, id="all"),
        pytest.param("1>/dev/full", 1, id="stdout-full"),
    ],
)
@pytest.mark.parametrize("command", ["list", "plan ID --confirm yes", "preview ID", "init zsh"])
def test_closed_streams(  # noqa: PLR0913 - the fixtures
    filled: Home, tmp_path: Path, temporary: Path, closed: str, code: int, command: str
) -> None:
    session = filled.claude(cwd=filled.folder("work"), branch=None)
    line = f'exec "$0" -m sessfzf {command.replace("ID", session.id)} {closed}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert (b"sessfzf: " in done.stderr) == (code == 1 and "2>" not in closed)
    assert not leftovers(tmp_path)
    assert temporary


@pytest.mark.parametrize(
    "words",
    [("list",), ("list", "--json"), ("plan", "ID"), ("preview", "ID"), ("preview", "THREAD")],
    ids=" ".join,
)
def test_a_reader_that_leaves_at_any_moment_ends_it_quietly(
    filled: Home, tmp_path: Path, temporary: Path, words: tuple[str, ...]
) -> None:
    long = [answer("word " * 20_000)] * 4
    made = filled.claude([say("a"), *long], cwd=filled.folder("work"), branch=None)
    thread = filled.codex(bulk=False)
    filled.codex_db([filled.thread(thread)], state="wal")
    ids = {"ID": made.id, "THREAD": thread.id}
    for taken in (0, 1, 1_000, 70_000):
        process = start(*(ids.get(word, word) for word in words))
        assert process.stdout
        assert process.stderr
        os.read(process.stdout.fileno(), taken)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        assert (process.wait(30), err) == (0, b"")
        assert not leftovers(tmp_path)
    assert temporary


@pytest.mark.parametrize("words", [("list",), ("preview", "ID")], ids=" ".join)
def test_a_stdout_that_does_not_wait_loses_nothing(home: Home, words: tuple[str, ...]) -> None:
    # As node leaves a pipe that it shares. A pipe holds 64 KiB.
    made = home.claude([say("a"), *[answer("word " * 20_000)] * 4])
    for number in range(900):
        home.claude([say(f"prompt {number} " * 20)])
    command = [*COMMAND, *(made.id if word == "ID" else word for word in words)]
    want = subprocess.run(command, capture_output=True, check=True).stdout
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    time.sleep(0.5)
    with open(reading, "rb") as file:
        assert file.read() == want
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 0
    assert len(want) > 64 * 1024


@pytest.mark.parametrize("command", ["plan", "preview"])
@pytest.mark.parametrize(
    ("given", "code"),
    [
        pytest.param("</dev/null", 130, id="nothing"),
        pytest.param("</dev/zero", 1, id="zeros"),
        pytest.param("<&-", 130, id="closed"),
        pytest.param("</dev/urandom", 2, id="noise"),
    ],
)
def test_a_key_on_any_stdin(tmp_path: Path, command: str, given: str, code: int) -> None:
    line = f'exec "$0" -m sessfzf {command} - {given}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable],
        capture_output=True,
        check=False,
        timeout=30,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (code, b"")
    assert harm(done.stderr, tabs=False) == []
    assert done.stderr.startswith(b"sessfzf: ")


# A disk that is full: a small one of its own where that can be had, and files that may not grow,
# which is the same to a program and can be had everywhere.

DISK: Final = (
    'size=$1 place=$2; shift 2; mount -t tmpfs -o size="$size" sessfzf "$place" && '
    '{ "$@"; code=$?; find "$place" -type f >&2; exit "$code"; }'
)
LIMIT: Final = (
    'blocks=$1 place=$2; shift 2; ulimit -f "$blocks"; '
    '"$@"; code=$?; find "$place" -type f >&2; exit "$code"'
)


@functools.cache
def small_disks() -> bool:
    """Whether a file system of one process's own can be mounted here."""
    command = ["unshare", "-rm", "sh", "-c", DISK, "sh", "64k", "/mnt", "true"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def on_a_full_disk(how: str, kilobytes: int, place: Path, *args: str) -> tuple[int, bytes, str]:
    """The command with that much room in `place`; stderr ends with the files that are left."""
    if how == "disk" and not small_disks():
        pytest.skip("no file system may be mounted here, not even in a namespace of its own")
    begin = ["unshare", "-rm", "sh", "-c", DISK, "sh", f"{kilobytes}k"]
    if how == "limit":
        begin = ["sh", "-c", LIMIT, "sh", f"{kilobytes * 2}"]
    command = [*begin, str(place), *COMMAND, *args]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize("how", ["disk", "limit"])
@pytest.mark.parametrize("kilobytes", [8])
def test_a_full_disk_costs_the_index_only(
    home: Home, run: Run, tmp_path: Path, how: str, kilobytes: int
) -> None:
    for number in range(40):
        home.claude(prompt=f"prompt {number} " * 20)
    want = run.apart("list", "--all", "--no-cache").out
    cache = tmp_path / "cache"
    done = on_a_full_disk(how, kilobytes, cache, "list", "--all")
    assert done == (0, want, "")
    run("list", "--all")
    index = cache / "sessfzf" / "index"
    assert index.stat().st_size > kilobytes * 1024
    before = index.read_bytes()
    home.claude(prompt="and one")
    want = run.apart("list", "--all", "--no-cache").out
    if how == "limit":  # the old index stays as it was, and the next run with room mends it
        assert on_a_full_disk(how, kilobytes, cache, "list", "--all") == (0, want, f"{index}\n")
        assert index.read_bytes() == before
    assert run.apart("list", "--all").out == want
    assert index.read_bytes() != before


@pytest.mark.parametrize("how", ["disk", "limit"])
@pytest.mark.parametrize("kilobytes", [64])
def test_a_full_temporary_folder_costs_the_names_only(
    home: Home, temporary: Path, how: str, kilobytes: int
) -> None:
    made = home.claude(), home.codex(cwd=home.folder("work"), branch=None, bulk=False)
    rows = [home.thread(f"01a0c0df-{number:04x}-7000-8000-{number:012x}") for number in range(200)]
    path = home.codex_db([home.thread(made[1], name="Named"), *rows], state="wal")
    assert sum(map(os.path.getsize, (path, path + "-wal"))) > 2 * kilobytes * 1024
    code, out, err = on_a_full_disk(how, kilobytes, temporary, "list", "--no-cache")
    assert code == 0
    assert {row.split(b"\t")[0].decode() for row in out.splitlines()} == {one.id for one in made}
    told = {"disk": "No space left on device", "limit": "File too large"}[how]
    assert err == f"sessfzf: 1 file or folder could not be read, the first is {path}: {told}\n"
    for command in ("plan", "preview"):
        code, out, err = on_a_full_disk(how, kilobytes, temporary, command, made[1].id)
        assert (code, made[1].id.encode() in out) == (0, True)
        assert str(temporary) not in err


# A clock that is wrong: to the real command by libfaketime, where it is installed, and everywhere
# as the time that the list is told.

FAKETIME: Final = next(iter(glob.glob("/usr/lib*/*/faketime/libfaketime.so.1")), "")


@pytest.mark.skipif(not FAKETIME, reason="libfaketime is not here")
@pytest.mark.parametrize("year", [1980, 2100], ids=str)
def test_a_command_in_another_century(
    filled: Home, run: Run, tmp_path: Path, temporary: Path, year: int
) -> None:
    made = filled.claude(cwd=filled.folder("work"), branch=None)
    clock = {
        "LD_PRELOAD": FAKETIME,
        "NO_FAKE_STAT": "1",
        "FAKETIME": f"@{year}-01-01 00:00:00",
    }
    want = [row[:2] + row[3:] for row in run.apart("list", "--all", "--no-cache").rows]
    planned = run.apart("plan", made.id)
    for _ in range(2):  # without an index and with it, which the right clock then meets
        done = run.apart("list", "--all", **clock)  # type: ignore[arg-type]
        assert (done.code, done.err) == (0, "")
        assert [row[:2] + row[3:] for row in done.rows] == want
        assert {row[2] for row in done.rows} == ({"now"} if year < 2000 else {"73y"})
        assert run.apart("plan", made.id, **clock) == planned  # type: ignore[arg-type]
        shown = run.apart("preview", made.id, **clock)  # type: ignore[arg-type]
        assert (shown.code, shown.err) == (0, "")
        assert (" · now\n" if year < 2000 else " · 73y ago\n") in shown.text
    assert [row[:2] + row[3:] for row in run.apart("list", "--all").rows] == want
    assert not leftovers(tmp_path)
    assert temporary


@pytest.mark.parametrize("year", [1980, 2100], ids=str)
def test_a_wrong_clock_only_changes_ages(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    for number in range(3):
        home.claude(prompt=f"prompt {number}")
    before = run("list").rows
    monkeypatch.setattr("sessfzf.listing.seconds_now", lambda: (year - 1970) * 365.25 * 86_400)
    after = run("list").rows
    assert [row[:2] + row[3:] for row in after] == [row[:2] + row[3:] for row in before]
    assert {row[2] for row in after} == ({"now"} if year < 2000 else {"73y"})
