"""What Codex's indexes say of its threads: where they are, and what earlier runs read in them.

Format: reference A1 to A5, observed e (0.171.0), older-clients h (27 to 43 columns).
"""

from __future__ import annotations

import os

from sessfzf import sqlite
from sessfzf.agents import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.agents import Problems
    from sessfzf.index import Index

ID, KIND, ARCHIVED, CWD, BRANCH, NAME, TITLE, MODEL, EFFORT, APPROVAL, SANDBOX = range(11)
TIME, UPDATED, PATH = 11, 12, 13
_LONGEST_TIMES = 40  # digits, of both


def rows(root: str, index: Index, problems: Problems) -> dict[str, list[str]]:
    """Return the threads of every index there is, by id; of two rows the newer (A1).

    Raises ValueError when sessfzf's own index has been tampered with.
    """
    found: dict[str, list[str]] = {}
    for path in _databases(root, index):
        try:
            rows = index.rows(path, sqlite.stamp(path), PATH + 1, _read_database)
        except OSError as error:
            problems.add(path, error)
            continue
        for row in rows:
            times = row[TIME] + row[UPDATED]
            if not times.isdecimal() or len(times) > _LONGEST_TIMES:
                raise ValueError("an index that is not of our making")
            known = found.get(row[ID])
            if known is None or int(row[UPDATED]) > int(known[UPDATED]):
                found[row[ID]] = row
    return found


def _databases(root: str, index: Index) -> list[str]:
    folders = [root, os.path.join(root, "sqlite")]  # the desktop app moves it there (A1)
    configured = _sqlite_home(root, index) or os.environ.get("CODEX_SQLITE_HOME", "")
    if configured:
        folders.insert(0, os.path.abspath(configured))
    found: dict[str, None] = {}
    for folder in folders:
        try:
            names = os.listdir(folder)
        except (OSError, ValueError):  # a NUL in the configured one
            continue
        for name in sorted(names, reverse=True):
            if name.startswith("state_") and name.endswith(".sqlite") and name[6:-7].isdecimal():
                found[os.path.join(folder, name)] = None
    return list(found)


def _sqlite_home(root: str, index: Index) -> str:
    """Return ``sqlite_home`` of config.toml, ``""`` when it is not set."""
    path = os.path.join(root, "config.toml")

    try:
        rows = index.rows(path, stamp(path), 1, _read_config)
    except OSError:
        return ""
    return rows[0][0] if rows else ""


def names(root: str, index: Index) -> dict[str, str]:
    """Return the newest name of each thread in session_index.jsonl (append only, A5)."""
    path = os.path.join(root, "session_index.jsonl")

    try:
        return {row[0]: row[1] for row in index.rows(path, stamp(path), 2, _read_names)}
    except OSError:
        return {}


# What reads is imported only when there is something to read: most key presses find nothing new.


def _read_database(path: str) -> list[list[str]]:
    from sessfzf.agents.codex.index_files import threads

    return threads(path)


def _read_config(path: str) -> list[list[str]]:
    from sessfzf.agents.codex.index_files import sqlite_home

    return sqlite_home(path)


def _read_names(path: str) -> list[list[str]]:
    from sessfzf.agents.codex.index_files import thread_names

    return thread_names(path)
