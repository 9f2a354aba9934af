"""In which state Codex's SQLite index is, for ``doctor``.

Nothing is checkpointed when Codex ends (observed e): for days all rows may stand in the ``-wal``
alone, and whoever copies the database without it has lost them.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from sessfzf import sqlite
from sessfzf.agents.codex.threads import databases
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from sessfzf.index import Index


class Database(NamedTuple):
    """One index: its rows, those of them that only the log holds, and the log's size.

    ``problem`` is why the rows could not be read, ``""`` if they could.
    """

    path: str
    log_bytes: int
    rows: int = 0
    only_in_log: int = 0
    problem: str = ""


def indexes(root: str, index: Index) -> list[Database]:
    """Return the state of each index of this Codex home."""
    return [_examine(path) for path in databases(root, index)]


def _examine(path: str) -> Database:
    try:
        log = os.stat(os.path.realpath(path) + "-wal").st_size
    except OSError:
        log = 0
    try:
        rows = sqlite.read(path, _ids)
    except OSError as error:
        return Database(path, log, problem=clean(error.strerror or str(error)))
    try:
        alone = sqlite.read(path, _ids, alone=True) if log else rows
    except OSError:
        alone = set()  # not even a table
    return Database(path, log, len(rows), len(rows - alone))


def _ids(connection: sqlite3.Connection) -> set[object]:
    return {row[0] for row in connection.execute("SELECT id FROM threads")}
