"""Reading Codex's index files: state_<n>.sqlite, session_index.jsonl, config.toml.

Each returns rows of texts, as sessfzf's own index keeps them. Format: reference A1 to A5,
observed e (0.171.0), older-clients h (27 to 43 columns).
"""

from __future__ import annotations

import json
import os
import re

from sessfzf import sqlite
from sessfzf.agents import is_uuid
from sessfzf.agents.codex.words import approval_name, kind_of, request, sandbox_name
from sessfzf.jsonl import File, newest_first, records, string
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_NAMES_BYTES = 4 * 1024 * 1024
_TEXT_CHARACTERS = 4000  # titles of 928 KB were seen (D30)
_SQLITE_HOME = re.compile(r"""^\s*sqlite_home\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')""")

# Every column may be missing (older-clients h: 27 in 0.125.0, 43 in 0.171.0) but these.
_NEEDED = {"id"}
_COLUMNS = (
    "id",
    "source",
    "thread_source",
    "attached_thread_parent_id",
    "archived",
    "cwd",
    "git_branch",
    "name",
    "preview",
    "first_user_message",
    "title",
    "model",
    "reasoning_effort",
    "approval_mode",
    "sandbox_policy",
    "recency_at_ms",
    "updated_at_ms",
    "updated_at",
    "rollout_path",
)


def threads(path: str) -> list[list[str]]:
    """Return a row for each thread of the database, in the order of the constants of threads.py.

    Raises OSError when it cannot be read or holds no threads.
    """
    return sqlite.read(path, _query)


def thread_names(path: str) -> list[list[str]]:
    """Return id and newest name of each thread named in session_index.jsonl. Raises OSError."""
    names: dict[str, str] = {}
    with File(path) as file:
        for block in file.tail(_NAMES_BYTES):
            for line in newest_first(block):
                for record in records(line, json.loads):
                    thread = string(record.get("id"))
                    name = clean(string(record.get("thread_name")))
                    if name and is_uuid(thread):
                        names.setdefault(thread, name)
    return [[thread, name] for thread, name in names.items()]


def sqlite_home(path: str) -> list[list[str]]:
    """Return ``sqlite_home`` as config.toml sets it, in one row; none when it does not.

    Raises OSError. Looked for in the first 256 KiB.

    Not by tomllib: Python 3.10 has none, and only this one key of the top level is wanted.
    """
    with File(path) as file:
        text = file.beginning().decode("utf-8", "replace")
    for line in text.split("\n"):
        if line.lstrip().startswith("["):
            break  # a table begins
        if match := _SQLITE_HOME.match(line):
            value = match[2] if match[1] is None else re.sub(r"\\(.)", r"\1", match[1])
            return [[os.path.expanduser(value)]]
    return []


def _query(connection: sqlite3.Connection) -> list[list[str]]:
    present = sqlite.columns(connection, "threads")
    if not present >= _NEEDED:
        raise OSError(0, "no table of threads")
    wanted = [
        f"substr({name}, 1, {_TEXT_CHARACTERS})" if name in present else "NULL" for name in _COLUMNS
    ]
    children = set()
    if sqlite.columns(connection, "thread_spawn_edges") >= {"child_thread_id"}:
        edges = connection.execute("SELECT child_thread_id FROM thread_spawn_edges")
        children = {row[0] for row in edges}
    found = sqlite.select(connection, ", ".join(wanted), "threads")
    return [_row(dict(zip(_COLUMNS, values, strict=True)), children) for values in found]


def _row(values: dict[str, object], children: set[object]) -> list[str]:
    text = {name: value if isinstance(value, str) else "" for name, value in values.items()}
    kind = kind_of(text["source"], text["thread_source"])
    if text["attached_thread_parent_id"] or text["id"] in children:
        kind = "nested"
    updated = _integer(values["updated_at_ms"]) or _integer(values["updated_at"]) * 1000
    return [
        text["id"],
        kind,
        "1" if _integer(values["archived"]) else "",
        text["cwd"].removeprefix("\\\\?\\"),
        clean(text["git_branch"]),
        clean(text["name"]),
        request(text["preview"]) or request(text["first_user_message"]) or request(text["title"]),
        text["model"],
        text["reasoning_effort"],
        approval_name(text["approval_mode"]),
        sandbox_name(text["sandbox_policy"]),
        str(_integer(values["recency_at_ms"]) or updated),
        str(updated),
        text["rollout_path"],
    ]


def _integer(value: object) -> int:
    # substr() makes a text of a number; one of more digits is none that Codex wrote
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 16:  # noqa: PLR2004
        return int(value)
    return 0
