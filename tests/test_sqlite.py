from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from conftest import NOBODY, PACKAGE, python_for_nobody
from stores import snapshot

from sessfzf import sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from stores import Home

PAGE = 4096


def names(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT name FROM threads ORDER BY rowid")]


def failing(connection: sqlite3.Connection) -> list[str]:
    names(connection)
    raise OSError(0, "nothing of use")


def write(path: str, *values: str, mode: str = "wal", checkpoint: int = 0) -> sqlite3.Connection:
    """A database with these names in it, left open by its writer."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute(f"PRAGMA wal_autocheckpoint={checkpoint}")
    connection.execute("CREATE TABLE IF NOT EXISTS threads (name TEXT)")
    connection.executemany("INSERT INTO threads VALUES (?)", [(value,) for value in values])
    return connection


def crash(source: str, target: str, *ends: str) -> str:
    """What is on the disk when the writer of `source` dies now; only the files with these ends."""
    for end in ("", *ends):
        shutil.copyfile(source + end, target + end)
    return target


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where private copies go: empty after each test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert os.listdir(folder) == []


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A folder in which reading must leave no trace."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


def read(path: str) -> list[str]:
    """Read the database; whatever is in its folder stays as it was."""
    folder = os.path.dirname(path)
    before = snapshot(folder)
    try:
        return sqlite.read(path, names)
    finally:
        assert snapshot(folder) == before


# The states Codex leaves its index in (reference A4)


def test_a_cleanly_closed_database_is_read(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    write(path, "one", "two").close()
    assert os.listdir(store) == ["state_5.sqlite"]
    assert read(path) == ["one", "two"]


def test_a_schema_that_is_still_in_the_log_is_read(tmp_path: Path, store: Path) -> None:
    with closing(write(str(tmp_path / "live"), "one", "two")):
        path = crash(str(tmp_path / "live"), str(store / "state_5.sqlite"), "-wal", "-shm")
    assert os.path.getsize(path) == PAGE
    assert read(path) == ["one", "two"]


def test_a_log_without_its_shared_memory_is_read(tmp_path: Path, store: Path) -> None:
    with closing(write(str(tmp_path / "live"), "one")):
        path = crash(str(tmp_path / "live"), str(store / "state_5.sqlite"), "-wal")
    assert read(path) == ["one"]


def test_a_database_whose_log_was_lost_is_an_error(tmp_path: Path, store: Path) -> None:
    with closing(write(str(tmp_path / "live"), "one")):
        path = crash(str(tmp_path / "live"), str(store / "state_5.sqlite"))
    with pytest.raises(OSError, match="no such table: threads"):
        read(path)


def test_shared_memory_alone_is_left_alone(tmp_path: Path, store: Path) -> None:
    with closing(write(str(tmp_path / "live"), "one")) as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        path = crash(str(tmp_path / "live"), str(store / "state_5.sqlite"), "-shm")
    assert read(path) == ["one"]


def test_a_checkpointed_database_with_an_empty_log_is_read(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")) as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert os.path.getsize(path + "-wal") == 0
        assert read(path) == ["one"]


def test_rows_of_a_live_writer_are_seen_at_once(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")) as writer:
        assert read(path) == ["one"]
        writer.execute("INSERT INTO threads VALUES ('two')")
        assert read(path) == ["one", "two"]
        writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        writer.execute("INSERT INTO threads VALUES ('three')")
        assert read(path) == ["one", "two", "three"]


def test_what_a_writer_has_not_committed_is_not_seen(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")) as writer:
        writer.execute("BEGIN")
        writer.execute("INSERT INTO threads VALUES ('two')")
        assert read(path) == ["one"]


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_an_exclusive_lock_keeps_nobody_waiting(store: Path, mode: str) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one", mode=mode)) as writer:
        writer.execute("PRAGMA locking_mode=EXCLUSIVE")
        writer.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        assert read(path) == ["one"]
        assert time.monotonic() - began < 1


def test_a_hot_rollback_journal_is_rolled_back_in_the_copy(tmp_path: Path, store: Path) -> None:
    live = str(tmp_path / "live")
    old = [f"old {'x' * 500}"] * 200
    with closing(write(live, *old, mode="delete")) as writer:
        writer.execute("PRAGMA cache_size=5")  # so that changed pages reach the file early
        writer.execute("BEGIN")
        writer.execute("UPDATE threads SET name = replace(name, 'old', 'new')")
        path = crash(live, str(store / "state_5.sqlite"), "-journal")
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as unaware:
        assert set(names(unaware)) != set(old), "the journal is not hot"
    assert read(path) == old


# Where it lies


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("a?mode=rwc", id="question-mark"),
        pytest.param("a#b", id="hash"),
        pytest.param("100%41", id="percent"),
        pytest.param("with spaces & more", id="spaces"),
        pytest.param("Ünï 日本 🎉", id="unicode"),
        pytest.param("q'uo\"te;", id="quotes"),
        pytest.param("line\nbreak", id="newline"),
        pytest.param(os.fsdecode(b"latin-\xfc"), id="not-utf-8"),
        pytest.param(":memory:", id="memory"),
    ],
)
@pytest.mark.parametrize("state", ["closed", "live"])
def test_any_name_of_a_folder_and_file_is_one(store: Path, name: str, state: str) -> None:
    folder = os.path.join(store, name)
    os.mkdir(folder)
    path = os.path.join(folder, name)
    # Python's own connect() takes no path that is not UTF-8.
    plain = str(store / "plain")
    with closing(write(plain, "one")) as writer:
        if state == "closed":
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        crash(plain, path, "-wal")
    assert read(path) == ["one"]
    assert sqlite.stamp(path)


def test_a_link_is_followed_to_where_the_log_is(store: Path, tmp_path: Path) -> None:
    real = str(store / "state_5.sqlite")
    (tmp_path / "links").mkdir()
    link = str(tmp_path / "links" / "link.sqlite")
    os.symlink(real, link)
    with closing(write(real, "one", "two")) as writer:
        assert read(real) == read(link) == ["one", "two"]
        before = sqlite.stamp(link)
        assert before == sqlite.stamp(real)
        writer.execute("INSERT INTO threads VALUES ('three')")
        assert sqlite.stamp(link) != before


def test_a_read_only_folder_is_read_by_somebody_else(foreign: Home) -> None:
    path = os.path.join(foreign.path, "state_5.sqlite")
    script = (
        "import sys; from sessfzf import sqlite\n"
        "print(sqlite.read(sys.argv[1], lambda c: c.execute('SELECT * FROM threads').fetchall()))"
    )
    mine = os.path.join(os.path.dirname(foreign.path), "cache")  # nobody's own
    for state in ("live", "closed"):
        writer = write(path, state)
        if state == "closed":
            writer.close()
        os.chmod(path, 0o444)
        before = snapshot(foreign.path)
        done = subprocess.run(
            [str(python_for_nobody()), "-B", "-c", script, path],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            env={"PYTHONPATH": PACKAGE, "TMPDIR": mine},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        rows = [("live",), ("closed",)][: 1 + (state == "closed")]
        assert (done.stderr, done.stdout) == ("", f"{rows}\n")
        assert snapshot(foreign.path) == before
        assert os.listdir(mine) == []
        writer.close()


# What is wrong with it


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "no such table", id="empty"),
        pytest.param(
            b"not a database, but long enough to be one" * 100, "not a database", id="text"
        ),
        pytest.param(b"SQLite format 3\0" + b"\xff" * PAGE, ".", id="broken-header"),
    ],
)
@pytest.mark.parametrize(
    "log", [b"", b"\x37\x7f\x06\x82" + b"\0" * 100], ids=["alone", "with-a-log"]
)
def test_what_is_no_database_is_an_error(
    store: Path, content: bytes, reason: str, log: bytes
) -> None:
    path = str(store / "state_5.sqlite")
    (store / "state_5.sqlite").write_bytes(content)
    (store / "state_5.sqlite-wal").write_bytes(log)
    with pytest.raises(OSError, match=reason):
        read(path)


def test_a_database_cut_anywhere_gives_rows_or_an_error(store: Path) -> None:
    whole = str(store / "whole")
    write(whole, *("x" * 900 for _ in range(40))).close()
    data = (store / "whole").read_bytes()
    path = str(store / "state_5.sqlite")
    for cut in [*range(0, 120, 7), *range(120, len(data), 1013)]:
        with open(path, "wb") as file:
            file.write(data[:cut])
        try:
            assert len(read(path)) <= 40
        except OSError:
            continue


def test_a_log_cut_anywhere_gives_some_of_the_rows_or_an_error(tmp_path: Path, store: Path) -> None:
    live = str(tmp_path / "live")
    with closing(write(live, "one", "two")):
        path = crash(live, str(store / "state_5.sqlite"), "-wal")
    data = (store / "state_5.sqlite-wal").read_bytes()
    for cut in range(1, len(data), 611):
        with open(path + "-wal", "wb") as file:
            file.write(data[:cut])
        try:
            assert read(path) in ([], ["one"], ["one", "two"])
        except OSError:
            continue


def test_a_missing_file_is_an_error_and_not_made(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with pytest.raises(OSError, match="unable to open"):
        read(path)
    with pytest.raises(FileNotFoundError):
        sqlite.stamp(path)
    assert os.listdir(store) == []


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "fifo"])
def test_what_is_no_file_has_no_stamp(store: Path, make: object) -> None:
    path = str(store / "state_5.sqlite")
    assert callable(make)
    make(path)
    with pytest.raises(OSError, match="not a regular file"):
        sqlite.stamp(path)


def test_text_that_is_not_utf_8_comes_out_marked(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path)) as writer:
        writer.execute("INSERT INTO threads VALUES (CAST(x'61ff62' AS TEXT))")
    assert read(path) == ["a\ufffdb"]


def test_a_query_cannot_change_anything(store: Path) -> None:
    path = str(store / "state_5.sqlite")

    def change(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM threads")

    for close in (False, True):
        writer = write(path, "one")
        if close:
            writer.close()
        with pytest.raises(OSError, match="readonly"):
            sqlite.read(path, change)
        writer.close()


def test_columns_are_those_of_the_table_or_none(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    write(path).close()
    assert sqlite.read(path, lambda connection: sqlite.columns(connection, "threads")) == {"name"}
    assert sqlite.read(path, lambda connection: sqlite.columns(connection, "edges")) == set()


# The private copy


def test_the_copy_is_private_and_where_tmpdir_says(store: Path, temporary: Path) -> None:
    path = str(store / "state_5.sqlite")
    seen: list[tuple[str, int]] = []

    def look(connection: sqlite3.Connection) -> list[str]:
        for folder, _, files in os.walk(temporary):
            for name in (".", *files):
                mode = stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)
                seen.append((name, mode))
        return names(connection)

    with closing(write(path, "one")):
        assert sqlite.read(path, look) == ["one"]
    inside = dict(seen[1:])
    assert inside["."] == 0o700
    assert (inside["copy.sqlite"], inside["copy.sqlite-wal"]) == (0o600, 0o600)


def test_the_copy_is_removed_when_the_query_fails(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")), pytest.raises(OSError, match="nothing of use"):
        sqlite.read(path, failing)


def test_the_copy_is_removed_when_the_disk_is_full(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(store / "state_5.sqlite")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with closing(write(path, "one")):
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            sqlite.read(path, names)


def test_a_write_that_takes_only_a_part_is_continued(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(store / "state_5.sqlite")
    whole = os.write
    with closing(write(path, *(str(number) for number in range(500)))):
        monkeypatch.setattr(os, "write", lambda to, data: whole(to, data[: len(data) // 2 + 1]))
        assert sqlite.read(path, names) == [str(number) for number in range(500)]


def test_a_tmpdir_that_is_no_folder_is_no_matter(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")):
        monkeypatch.setenv("TMPDIR", str(store / "missing"))
        assert read(path) == ["one"]


def test_a_log_that_goes_while_it_is_copied_does_not_come_back(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(store / "state_5.sqlite")
    writer = write(path, "one", "two")
    copy = sqlite._copy
    copied: list[str] = []

    def meanwhile(source: str, target: str) -> None:
        copy(source, target)
        copied.append(source)
        if len(copied) == 3:  # the file, -wal and -journal: the client ends, and starts once more
            writer.execute("DELETE FROM threads")
            writer.executemany("INSERT INTO threads VALUES (?)", [("x" * 3000,)] * 30)
            writer.execute("VACUUM")
            writer.close()

    monkeypatch.setattr(sqlite, "_copy", meanwhile)
    assert sqlite.read(path, names) == ["x" * 3000] * 30
    assert len(copied) > 3


def test_a_database_that_never_rests_is_read_all_the_same(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(store / "state_5.sqlite")
    copy = sqlite._copy
    with closing(write(path, "one")) as writer:

        def meanwhile(source: str, target: str) -> None:
            copy(source, target)
            writer.execute("UPDATE threads SET name = 'one'")

        monkeypatch.setattr(sqlite, "_copy", meanwhile)
        assert sqlite.read(path, names) == ["one"]


# What a killed run left


def age(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def test_a_copy_that_a_killed_run_left_is_removed_later(store: Path, temporary: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")):
        reader = (
            "import os, signal, sys; from sessfzf import sqlite\n"
            "sqlite.read(sys.argv[1], lambda c: (c.execute('SELECT * FROM threads').fetchall(),"
            " os.kill(os.getpid(), signal.SIGKILL)))"
        )
        subprocess.run([sys.executable, "-c", reader, path], check=False)
        (left,) = temporary.iterdir()
        assert sqlite.read(path, names) == ["one"]
        assert list(temporary.iterdir()) == [left], "it may still be in use"
        age(left, 100)
        assert sqlite.read(path, names) == ["one"]
        assert list(temporary.iterdir()) == []


def test_nothing_else_in_the_temporary_folder_is_touched(store: Path, temporary: Path) -> None:
    kept = temporary / "sessfzf-copy-notes"
    kept.mkdir()
    (kept / "copy.txt").write_text("mine")
    mixed = temporary / f"sessfzf-copy-{'0' * 16}"
    mixed.mkdir()
    (mixed / "thesis.txt").write_text("mine")
    link = temporary / f"sessfzf-copy-{'1' * 16}"
    link.symlink_to(kept)
    file = temporary / f"sessfzf-copy-{'2' * 16}"
    file.write_text("mine")
    for each in (kept, mixed, file):
        age(each, 100_000)
    before = snapshot(str(temporary))
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")):
        assert sqlite.read(path, names) == ["one"]
    after = snapshot(str(temporary))
    here = os.path.join(temporary, ".")
    del before[here], after[here]
    assert after == before
    shutil.rmtree(kept)
    shutil.rmtree(mixed)
    link.unlink()
    file.unlink()


# The stamp


def test_the_stamp_changes_with_the_file_its_log_and_its_journal(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    stamps = []
    writer = write(path, "one")
    stamps.append(sqlite.stamp(path))
    writer.execute("INSERT INTO threads VALUES ('two')")
    stamps.append(sqlite.stamp(path))
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stamps.append(sqlite.stamp(path))
    writer.close()
    stamps.append(sqlite.stamp(path))
    (store / "state_5.sqlite-journal").write_bytes(b"x")
    stamps.append(sqlite.stamp(path))
    os.replace(shutil.copy2(path, str(store / "other")), path)
    stamps.append(sqlite.stamp(path))
    assert len(set(stamps)) == len(stamps)
    assert sqlite.stamp(path) == stamps[-1]


def test_reading_does_not_change_the_stamp(store: Path) -> None:
    path = str(store / "state_5.sqlite")
    with closing(write(path, "one")):
        before = sqlite.stamp(path)
        read(path)
        assert sqlite.stamp(path) == before
