"""Reading somebody else's SQLite file without leaving a trace.

What each way of opening does to the five states a Codex index is found in was measured with the
real client (observed e): ``mode=ro`` creates or touches ``-shm`` beside the file, ``immutable=1``
does not see a ``-wal``. So: no ``-wal``, immutable; else a private copy of the file and its
``-wal``.
"""

from __future__ import annotations

import os
import sys

from sessfzf.files import is_regular, open_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import TypeVar

    Result = TypeVar("Result")

# A -wal holds what is not in the file yet; a -journal says that the file is in mid-change.
_BESIDE = ("-wal", "-journal")
_COPY_BLOCK = 256 * 1024
_TRIES = 3
_PREFIX = "sessfzf-copy-"
_NAME = "copy.sqlite"
_LEFT_OVER = 60  # s: no read takes that long
_BIGGEST_COPY = 512 * 1024 * 1024  # a temporary folder may lie in memory
# Titles of 1 MB were seen (D30); SQLite loads a text of any size to give its beginning.
_LONGEST = 4 * 1024 * 1024


def _driver() -> ModuleType:
    """Return the part of ``sqlite3`` that is written in C.

    ``sqlite3`` adds to it what turns dates into texts, and imports datetime and collections for
    that: a fifth of an interpreter start, at each plan and preview.
    """
    try:
        import _sqlite3
    except ImportError:  # a Python that has it otherwise
        import sqlite3

        return sqlite3
    return _sqlite3


def stamp(path: str) -> str:
    """Return what changes when the database does: times, sizes, inode of the file and its -wal.

    Raises OSError when the file itself is not there.
    """
    path = os.path.realpath(path)  # a database may be a link away from its -wal (D33)
    status = os.stat(path)
    if not is_regular(status.st_mode):
        raise OSError(0, "not a regular file", path)
    text = f"{status.st_mtime_ns}.{status.st_size}.{status.st_ino}"
    for end in _BESIDE:
        try:
            status = os.stat(path + end)
        except OSError:
            continue
        text += f"{end}.{status.st_mtime_ns}.{status.st_size}"
    return text


def read(
    path: str, query: Callable[[sqlite3.Connection], Result], *, alone: bool = False
) -> Result:
    """Run ``query`` on the database at ``path`` and return what it returns.

    ``alone``: on the file as it is without its log, which may be old and lack all. Creates, changes
    and touches nothing beside ``path``. Raises OSError for whatever goes wrong.
    """
    import sqlite3

    path = os.path.realpath(path)
    try:
        if alone or not any(_size(path + end) for end in _BESIDE):
            return _query(f"file:{_quote(path)}?mode=ro&immutable=1", query)
        from sessfzf.interrupts import Uninterrupted

        with Uninterrupted():
            return _read_copy(path, query)
    except (sqlite3.Error, MemoryError) as error:
        raise OSError(0, str(error) or "too big a value", path) from None


def select(
    connection: sqlite3.Connection, columns: str, table: str
) -> Iterator[tuple[object, ...]]:
    """Yield what of the columns of each row can be read; a row of which nothing can is left out.

    Raises sqlite3.Error or MemoryError when that is true of all.
    """
    sqlite3 = _driver()

    done: set[int] = set()
    try:
        for number, *values in connection.execute(f"SELECT rowid, {columns} FROM {table}"):  # noqa: S608 - our names
            done.add(number)
            yield tuple(values)
    except (sqlite3.Error, MemoryError) as error:
        failure = error
    else:
        return
    # A damaged page or a value too big for the heap: the others one by one. Their numbers stand
    # apart from the values.
    one = f"SELECT {columns} FROM {table} WHERE rowid = ?"  # noqa: S608
    try:
        numbers = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}")]  # noqa: S608
    except sqlite3.Error:
        numbers = []
    for number in numbers:
        if number in done:
            continue
        try:
            values = connection.execute(one, (number,)).fetchone()
        except (sqlite3.Error, MemoryError):
            continue
        if values is not None:
            done.add(number)
            yield values
    if not done:
        raise failure


def columns(connection: sqlite3.Connection, name: str) -> set[str]:
    """Return the column names of a table, none when there is no such table.

    A view is none: it is a program, and one that never ends is made in a line.
    """
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    if (name,) not in tables:
        return set()
    return {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}


def _query(uri: str, query: Callable[[sqlite3.Connection], Result]) -> Result:
    sqlite3 = _driver()
    connection = sqlite3.connect(uri, uri=True, timeout=0.25)
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only=1")
        if sys.version_info >= (3, 11):
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        else:
            connection.execute(f"PRAGMA hard_heap_limit={4 * _LONGEST}")
        return query(connection)
    finally:
        connection.close()


def _read_copy(path: str, query: Callable[[sqlite3.Connection], Result]) -> Result:
    if sum(_size(path + end) for end in ("", *_BESIDE)) > _BIGGEST_COPY:
        raise OSError(0, "too big to be copied", path)
    folder = _private_folder()
    copy = os.path.join(folder, _NAME)
    try:
        for _ in range(_TRIES):
            _empty(folder)  # a log of the last try that is gone by now must not be replayed
            before = stamp(path)
            for end in ("", *_BESIDE):
                _copy(path + end, copy + end)
            if stamp(path) == before:  # else the writer was at work between the two files
                break
        # Not read-only: SQLite has to recover the log, which it may do in this folder of ours.
        return _query(f"file:{_quote(copy)}?mode=rw", query)
    finally:
        _remove(folder)


def _private_folder() -> str:
    parent = os.environ.get("TMPDIR", "")
    if not os.path.isdir(parent):
        parent = "/tmp"  # noqa: S108 - the name is random and mkdir is exclusive
    _sweep(parent)
    folder = os.path.join(parent, f"{_PREFIX}{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def _sweep(parent: str) -> None:
    # fzf ends its producer with SIGKILL: a copy may be left from a run that was reading it.
    from time import time

    try:
        entries = list(os.scandir(parent))
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(_PREFIX) or not entry.is_dir(follow_symlinks=False):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
            if status.st_uid == os.geteuid() and time() - status.st_mtime > _LEFT_OVER:
                _remove(entry.path)
        except OSError:
            continue  # another run was quicker, or somebody put a file of theirs into it


def _remove(folder: str) -> None:
    _empty(folder)
    os.rmdir(folder)


def _empty(folder: str) -> None:
    for name in os.listdir(folder):
        if name.startswith(_NAME):
            os.unlink(os.path.join(folder, name))


def _copy(source: str, target: str) -> None:
    try:
        reading = open_quietly(source)
    except FileNotFoundError:
        return
    try:
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            while data := os.read(reading, _COPY_BLOCK):
                while data:
                    data = data[os.write(writing, data) :]
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _quote(path: str) -> str:
    # Unquoted, a "?" or "#" in the path would name another file (A4).
    return "".join(
        char if (char.isalnum() and char.isascii()) or char in "/._-" else f"%{byte:02X}"
        for byte in os.fsencode(path)
        for char in (chr(byte),)
    )
