"""Reading Codex's index files: state_<n>.sqlite, session_index.jsonl, config.toml.

Each returns rows of texts, as sessfzf's own index keeps them. Format: reference A1 to A5,
observed e (0.171.0), older-clients h (27 to 43 columns).
"""

from __future__ import annotations

import os
from zlib import crc32

from sessfzf import sqlite
from sessfzf.agents import is_uuid
from sessfzf.agents.codex.words import approval_name, kind_of, request, sandbox_name
from sessfzf.jsonl import File, newest_first, parse, records, string
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container

_NAMES_BYTES = 4 * 1024 * 1024
_TOO_LATE = 10**15  # ms
_TEXT_BYTES = 16 * 1024  # titles of 928 KB were seen (D30)
_SQLITE_HOME = r"""\s*sqlite_home\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')"""

_KEPT = 256

_HEX = frozenset("0123456789abcdef-")
# Every column may be missing (older-clients h: 27 in 0.125.0, 43 in 0.171.0) but these.
_NEEDED = {"id"}
_NUMBERS = ("recency_at_ms", "updated_at_ms", "updated_at", "archived")
_TEXTS = (
    "source",
    "thread_source",
    "attached_thread_parent_id",
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
)
_COLUMNS = ("id", "rollout_path", *_NUMBERS, *_TEXTS)


def threads(
    path: str, wanted: str, is_new: Callable[[str, str], bool], found: Container[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """Return what threads.py keeps of each thread of the database, and the rows of the new ones.

    The first is the id, a mark that changes when what the row says of the session does, and when it
    was updated, in one text. ``is_new(id, mark)`` says whether the row is needed, whose fields are
    in the order of the constants of threads.py, without the path for threads that were ``found``.
    Ids that do not begin with ``wanted`` are left out.
    Raises OSError when the file cannot be read or holds no threads.
    """
    return sqlite.read(path, lambda connection: _query(connection, wanted, is_new, found))


def thread_names(path: str) -> list[list[str]]:
    """Return id and newest name of each thread named in session_index.jsonl. Raises OSError."""
    names: dict[str, str] = {}
    with File(path) as file:
        for block in file.tail(_NAMES_BYTES):
            for line in newest_first(block):
                for record in records(line, parse):
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
        if "sqlite_home" not in line:
            continue
        import re  # not above: it costs half of what starting the interpreter does

        if match := re.match(_SQLITE_HOME, line):
            value = match[2] if match[1] is None else re.sub(r"\\(.)", r"\1", match[1])
            return [[os.path.expanduser(value)]]
    return []


def mark_of(said: bytes, kind: int = 0) -> str:
    """Return eight digits that change when what is ``said`` does, or its ``kind``."""
    return f"{crc32(said, kind):08x}"


def _query(
    connection: sqlite3.Connection,
    wanted: str,
    is_new: Callable[[str, str], bool],
    found: Container[str],
) -> tuple[list[str], dict[str, list[str]]]:
    present = sqlite.columns(connection, "threads")
    if not present >= _NEEDED:
        raise OSError(0, "no table of threads")
    edges = sqlite.columns(connection, "thread_spawn_edges") >= {"child_thread_id"}
    connection.text_factory = bytes  # of most rows no more than the mark is needed
    children: set[object] = set()
    if edges:
        children = {
            row[0] for row in connection.execute("SELECT child_thread_id FROM thread_spawn_edges")
        }
    names = [f"ifnull({name}, '')" if name in present else "''" for name in _COLUMNS]
    make = _Rows()
    marks: list[str] = []
    rows: dict[str, list[str]] = {}
    table = "threads"
    if wanted and _HEX.issuperset(wanted):
        table = f"(SELECT rowid, * FROM threads WHERE id >= '{wanted}' AND id < '{wanted}~')"  # noqa: S608
    for thread_id, path, *values in sqlite.select(connection, ", ".join(names), table):
        thread = _text(thread_id)
        if not (is_uuid(thread) and thread.startswith(wanted)):
            continue
        recency, updated_ms, updated_s, archived = map(_integer, values[: len(_NUMBERS)])
        updated = updated_ms or updated_s * 1000
        texts = values[len(_NUMBERS) :]
        child = thread_id in children
        kind = 2 * (archived > 0) + child
        try:
            mark = mark_of(b"\x1f".join(texts), kind)  # type: ignore[arg-type]
        except TypeError:  # a number where a text should be
            mark = mark_of(repr(texts).encode(), kind)
        marks.append(f"{thread}{mark}{updated}")
        if is_new(thread, mark):
            said = make.row(texts, archived=archived > 0, child=child)
            place = "" if thread in found else _text(path)
            rows[thread] = [*said, str(recency or updated), str(updated), place]
    return marks, rows


class _Rows:
    """Makes the rows of threads; what repeats from row to row is made once."""

    def __init__(self) -> None:
        # Not functools.lru_cache: a plan makes one row, and would pay for that import.
        self._made: dict[tuple[object, ...], list[str]] = {}

    def row(self, texts: list[object], *, archived: bool, child: bool) -> list[str]:
        source, origin, parent, cwd, branch, name, *titles, model, effort, approval, sandbox = texts
        repeated = (source, origin, parent, cwd, branch, model, effort, approval, sandbox)
        made = self._made.get(repeated)
        if made is None:
            if len(self._made) > _KEPT:
                self._made.clear()
            made = self._made[repeated] = [
                "nested" if _text(parent) else kind_of(_text(source), _text(origin)),
                _text(cwd).removeprefix("\\\\?\\"),
                clean(_text(branch)),
                _text(model),
                _text(effort),
                approval_name(_text(approval)),
                sandbox_name(_text(sandbox)),
            ]
        kind, folder, shown_branch, *settings = made
        named = _text(name)
        return [
            "nested" if child else kind,
            "1" if archived else "",
            folder,
            shown_branch,
            clean(named) if named else "",
            next(filter(None, map(request, map(_text, titles))), ""),
            *settings,
        ]


def _text(value: object) -> str:
    return value[:_TEXT_BYTES].decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _integer(value: object) -> int:
    # One of more digits is none that Codex wrote.
    return value if isinstance(value, int) and 0 < value < _TOO_LATE else 0
