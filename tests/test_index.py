from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessfzf import index as module
from sessfzf.index import Index, folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from typing_extensions import Self

ROWS = [["1", "a title", "", "/home/kim/api"], ["2", "tab\tnew\nline\\", "\x1e\x1f", "日本 \ud800"]]
PATH = "/home/kim/.claude/projects/-home-kim/x.jsonl"

TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=()), st.sampled_from("\\\\\\\t\n\r\x1e\x1f\0=ntrf\ud800")
    ),
    max_size=12,
)
# A row without a field, or with one empty field alone, is not kept by anybody.
TABLES = st.lists(st.lists(TEXTS, min_size=2, max_size=5), max_size=4)
PATHS = st.text(st.characters(exclude_categories=(), exclude_characters="\0\n\t"), max_size=12).map(
    lambda name: f"/{name}"
)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "sessfzf"


def kept(path: str = PATH, stamp: str = "1.2.3") -> list[list[str]] | None:
    """What a new run finds."""
    return Index().get(path, stamp)


def save(**entries: list[list[str]]) -> None:
    index = Index()
    for path, rows in (entries or {PATH: ROWS}).items():
        index.put(path, "1.2.3", rows)
    index.save(complete=True)


# What goes in comes out


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(PATHS, TABLES, max_size=4))
def test_what_one_run_keeps_the_next_one_finds(files: dict[str, list[list[str]]]) -> None:
    index = Index()
    for path, rows in files.items():
        index.put(path, f"{len(path)}.{len(rows)}", rows)
    index.save(complete=True)
    after = Index()
    for path, rows in files.items():
        assert after.get(path, "other") is None
        assert after.before(path) == (f"{len(path)}.{len(rows)}", rows)
        assert after.get(path, f"{len(path)}.{len(rows)}") == rows
    assert after.get("/not there", "1") is None
    assert after.before("/not there") is None


@pytest.mark.parametrize("char", ["\n", "\t"], ids=["newline", "tab"])
def test_a_path_with_a_separator_costs_no_other_file(char: str) -> None:
    odd = f"/home/a{char}b.jsonl"
    save(**{"/home/one": ROWS, odd: ROWS, "/home/two": ROWS})
    assert kept("/home/one") == kept("/home/two") == ROWS
    assert kept(odd) in (None, ROWS)
    assert kept("/home/a") is None


def test_rows_are_read_once_and_then_kept() -> None:
    asked: list[str] = []

    def read(path: str) -> list[list[str]]:
        asked.append(path)
        return ROWS

    for stamp in ("1", "1", "2"):
        index = Index()
        assert index.rows(PATH, stamp, len(ROWS[0]), read) == ROWS
        index.save(complete=True)
    assert asked == [PATH, PATH]


def test_a_failing_read_keeps_nothing() -> None:
    def read(path: str) -> list[list[str]]:
        raise OSError(0, "gone", path)

    index = Index()
    with pytest.raises(OSError, match="gone"):
        index.rows(PATH, "1.2.3", len(ROWS[0]), read)
    index.save(complete=True)
    assert kept() is None


# What was not seen


def test_a_complete_walk_drops_what_was_not_seen() -> None:
    save(**{"/a": ROWS, "/b": ROWS})
    index = Index()
    assert index.get("/a", "1.2.3") == ROWS
    index.save(complete=True)
    assert (kept("/a"), kept("/b")) == (ROWS, None)


def test_a_partial_walk_drops_nothing() -> None:
    save(**{"/a": ROWS, "/b": ROWS})
    index = Index()
    index.put("/c", "1.2.3", [])
    index.put("/a", "4", [])
    index.save(complete=False)
    assert (kept("/a"), kept("/b"), kept("/c")) == (None, ROWS, [])
    assert kept("/a", "4") == []


def test_saving_on_the_way_and_at_the_end_is_the_same_as_at_the_end() -> None:
    save(**{"/a": ROWS, "/b": ROWS})
    index = Index()
    index.put("/c", "1.2.3", [])
    index.save(complete=False)
    assert index.get("/a", "1.2.3") == ROWS
    index.put("/d", "1.2.3", ROWS)
    index.save(complete=True)
    assert [kept(path) for path in ("/a", "/b", "/c", "/d")] == [ROWS, None, [], ROWS]


def test_nothing_new_is_not_written(cache: Path) -> None:
    save(**{"/a": ROWS, "/b": ROWS})
    before = os.stat(cache / "index").st_ino
    index = Index()
    index.get("/a", "1.2.3")
    index.save(complete=False)
    assert index.get("/b", "1.2.3") == ROWS
    index.save(complete=True)
    assert os.stat(cache / "index").st_ino == before


def test_what_was_forgotten_is_not_found_and_not_written() -> None:
    save(**{"/a": ROWS, "/b": ROWS})
    index = Index()
    assert index.get("/a", "1.2.3") == ROWS
    index.forget()
    assert index.get("/a", "1.2.3") is None
    assert index.before("/a") is None
    index.put("/b", "1.2.3", [])
    index.save(complete=False)
    assert (kept("/a"), kept("/b")) == (None, [])


def test_without_the_cache_nothing_is_read_or_written(cache: Path) -> None:
    save()
    (cache / "index").rename(cache / "index2")
    index = Index(enabled=False)
    index.put(PATH, "1.2.3", ROWS)
    assert index.before(PATH) is None
    index.save(complete=True)
    assert os.listdir(cache) == ["index2"]
    (cache / "index2").rename(cache / "index")
    assert Index(enabled=False).get(PATH, "1.2.3") is None


# Where it is


def test_the_cache_is_where_xdg_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder() == str(tmp_path / "cache" / "sessfzf")
    for ignored in ("", "relative/cache", "~/cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert folder() == str(tmp_path / "home" / ".cache" / "sessfzf")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert folder() == str(tmp_path / "home" / ".cache" / "sessfzf")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_titles_are_private(cache: Path, mask: int) -> None:
    cache.parent.rmdir()  # a first ~/.cache is ours to make
    before = os.umask(mask)
    try:
        save()
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(cache.parent).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(cache).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(cache / "index").st_mode) == 0o600
    assert os.listdir(cache) == ["index"]


# Torn, foreign, of another version


def test_an_index_torn_anywhere_is_none(cache: Path) -> None:
    save(**{"/a": ROWS, "/b": [["x", "y"]], "/c": []})
    data = (cache / "index").read_bytes()
    for cut in range(len(data)):
        (cache / "index").write_bytes(data[:cut])
        index = Index()
        assert [index.get(path, "1.2.3") for path in ("/a", "/b", "/c")] == [None] * 3
    (cache / "index").write_bytes(data)
    assert kept("/a") == ROWS


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_an_index_damaged_anywhere_is_never_an_error(data: st.DataObject) -> None:
    file = os.path.join(folder(), "index")
    save(**{"/a": ROWS, "/b": [["x", "y"]], "/c": []})
    with open(file, "rb") as opened:
        content = bytearray(opened.read())
    at = data.draw(st.integers(0, len(content)))
    content[at : at + data.draw(st.integers(0, 5))] = data.draw(
        st.one_of(st.binary(max_size=4), st.sampled_from([b"\\", b"\n", b"\x1e", b"\x1f", b"\0"]))
    )
    with open(file, "wb") as opened:
        opened.write(content)
    index = Index()
    for path in ("/a", "/b", "/c"):
        rows = index.get(path, "1.2.3")
        assert rows is None or all(isinstance(field, str) for row in rows for field in row)
    index.put("/a", "2", ROWS)
    index.save(complete=True)
    assert kept("/a", "2") == ROWS


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n", id="newline"),
        pytest.param(b"end", id="footer"),
        pytest.param(b"\0" * 4096, id="nuls"),
        pytest.param(b"\xff" * 4096, id="noise"),
        pytest.param(b"SQLite format 3\0" + b"\0" * 100, id="database"),
        pytest.param(b'{"sessions": []}\n', id="json"),
        pytest.param(b"sessfzf 0.0.1 index 1\n/a\n1.2.3\nx\nend", id="other-version"),
        pytest.param(b"sessfzf\n" + b"/a\n" * 1000 + b"end", id="header-alike"),
    ],
)
def test_a_foreign_index_is_ignored_and_made_anew(cache: Path, content: bytes) -> None:
    cache.mkdir()
    (cache / "index").write_bytes(content)
    assert Index().before("/a") is None
    save()
    assert kept() == ROWS


def test_an_index_of_another_release_is_ignored(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save()
    with monkeypatch.context() as patch:
        patch.setattr(module, "_HEADER", "sessfzf 99.0.0 index 99")
        assert kept() is None
        save()
        assert kept() == ROWS
    assert kept() is None
    assert os.listdir(cache) == ["index"]


# Faults of the machine: they cost speed, nothing else


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").write_text("a file")
    save()
    assert kept() is None


def test_an_index_that_is_a_folder_is_no_error(cache: Path) -> None:
    (cache / "index").mkdir(parents=True)
    save()
    assert kept() is None
    assert os.listdir(cache) == ["index"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the rights to make a folder of another user")
def test_an_unwritable_folder_is_no_error(tmp_path: Path) -> None:
    script = (
        "import os, time; from sessfzf import interrupts; from sessfzf.index import Index\n"
        "os.setegid(65534); os.seteuid(65534)\n"
        "index = Index(); print(index.get('/a', '1.2.3')); index.put('/b', '1', [])\n"
        "index.save(complete=True); print(index.get('/b', '1'))"
    )
    save(**{"/a": [["x", "y"]]})
    before = (tmp_path / "cache" / "sessfzf" / "index").read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert (tmp_path / "cache" / "sessfzf" / "index").read_bytes() == before


def failing(kind: int) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise OSError(kind, os.strerror(kind))

    return fail


class FullDisk:
    """A file on a disk that takes some bytes and no more."""

    def __init__(self, descriptor: int, *_: object, **__: object) -> None:
        self.descriptor = descriptor
        self.room = 10

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room = 0
        return os.write(self.descriptor, data[:10])


@pytest.mark.parametrize(
    ("where", "name", "fault"),
    [
        pytest.param(os, "replace", failing(errno.ENOSPC), id="rename"),
        pytest.param(os, "open", failing(errno.ENOSPC), id="open"),
        pytest.param(os, "open", failing(errno.EROFS), id="read-only"),
        pytest.param(os, "makedirs", failing(errno.EDQUOT), id="folder"),
        pytest.param(os, "scandir", failing(errno.EACCES), id="listing"),
        pytest.param(module, "open", FullDisk, id="write"),
    ],
)
def test_a_full_disk_leaves_the_old_index_and_nothing_else(
    cache: Path, where: object, name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    save()
    before = (cache / "index").read_bytes()
    index = Index()
    index.put("/new", "1", ROWS)
    with monkeypatch.context() as patch:
        patch.setattr(where, name, fault, raising=False)
        index.save(complete=True)
    assert os.listdir(cache) == ["index"]
    assert (cache / "index").read_bytes() == before
    index.save(complete=True)
    assert kept("/new", "1") == ROWS


def test_an_interruption_leaves_no_temporary_file(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    index = Index()
    index.put("/new", "1", ROWS)
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        index.save(complete=True)
    assert os.listdir(cache) == []


def test_what_a_killed_run_left_is_removed_later(cache: Path) -> None:
    index = "import os, signal; from sessfzf.index import Index; index = Index();"
    die = "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL); index.save(complete=True)"
    command = [sys.executable, "-c", f"{index} index.put('/a', '1', []); {die}"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (left,) = os.listdir(cache)
    save()
    assert sorted(os.listdir(cache)) == ["index", left], "it may still be at work"
    long_ago = time.time() - 100
    os.utime(cache / left, (long_ago, long_ago))
    save(**{"/other": ROWS})
    assert os.listdir(cache) == ["index"]


def test_what_cannot_be_removed_stops_nobody(cache: Path) -> None:
    folder, link = cache / f"index.{0:016x}", cache / f"index.{1:016x}"
    folder.mkdir(parents=True)
    link.symlink_to("missing")
    long_ago = time.time() - 100
    os.utime(folder, (long_ago, long_ago))
    save()
    assert kept() == ROWS


def test_nothing_else_in_the_cache_folder_is_removed(cache: Path) -> None:
    cache.mkdir()  # it may be a link to where other things lie
    names = ["index.bak", "index.html", "index", "notes", f"{0:016x}"]
    for name in names:
        (cache / name).write_text("mine")
        os.utime(cache / name, (1, 1))
    save()
    assert sorted(os.listdir(cache)) == sorted(names)


def test_a_rival_that_finishes_first_stops_nobody(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    (cache / "index.0123456789abcdef").touch()
    scandir = os.scandir

    def slowly(path: str) -> list[os.DirEntry[str]]:
        entries = list(scandir(path))
        (cache / "index.0123456789abcdef").unlink()
        return entries

    monkeypatch.setattr(os, "scandir", slowly)
    save()
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    assert kept() == ROWS


def test_twenty_writers_at_once_leave_one_whole_index(cache: Path) -> None:
    script = (
        "import sys; from sessfzf.index import Index\n"
        "name = sys.argv[1]\n"
        "for turn in range(10):\n"
        "    index = Index()\n"
        "    [index.put(f'/{name}/{file}', '1', [[name, 'x' * 999]]) for file in range(50)]\n"
        "    index.save(complete=turn % 2 == 0)\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, str(number)], stderr=subprocess.PIPE)
        for number in range(20)
    ]
    for writer in writers:
        assert writer.communicate()[1] == b""
        assert writer.returncode == 0
    assert os.listdir(cache) == ["index"]
    index = Index()
    found = [
        number
        for number in range(20)
        if [index.get(f"/{number}/{file}", "1") for file in range(50)]
        == [[[str(number), "x" * 999]]] * 50
    ]
    assert found
