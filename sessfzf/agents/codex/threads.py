"""What Codex's indexes say of its threads: where they are, and what earlier runs read in them.

Format: reference A1 to A5, observed e (0.171.0), older-clients h (27 to 43 columns).
"""

from __future__ import annotations

import os

from sessfzf import sqlite
from sessfzf.agents import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.agents import Problems, Source
    from sessfzf.index import Index

KIND, ARCHIVED, CWD, BRANCH, NAME, TITLE, MODEL, EFFORT, APPROVAL, SANDBOX = range(10)
TIME, UPDATED, PATH = 10, 11, 12
_ID_LENGTH = 36
_MARKED = 44  # an id and its mark
_LONGEST_TIME = 16  # digits


class Threads:
    """What the indexes say of each thread, of two rows the newer (A1).

    Of a thread whose session sessfzf's own index knows, no more is kept than a mark: eight digits
    that change when what its row says of the session does. Rows are read when one is asked for.
    ``found`` are the rollouts that were met, by id; only ids that begin with ``wanted`` count.
    Raises ValueError or IndexError when sessfzf's own index has been tampered with.
    """

    def __init__(
        self, root: str, index: Index, problems: Problems, found: dict[str, Source], wanted: str
    ) -> None:
        self.elsewhere: dict[str, tuple[int, str]] = {}  # not met: when last active, its rollout
        self.failed = False
        self._names = _names(root, index)
        self._marks: dict[str, str] = {}
        self._rows: dict[str, list[str]] = {}
        self._index = index
        self._problems = problems
        self._found = found
        self._wanted = wanted
        self._every = False
        self._paths: list[str] = []
        self._unread: list[str] = []
        self._updated: dict[str, int] = {}
        paths = databases(root, index)
        self._alone = len(paths) == 1
        for path in paths:
            try:
                self._look_up(path)
            except OSError as error:
                problems.add(path, error)
                self._look_back(path)

    def row(self, thread: str) -> list[str] | None:
        """Return the thread's row, in the order of the constants of this module.

        None when it has none, or when it cannot be read any more: then ``failed`` is true, too.
        """
        if thread in self._marks and thread not in self._rows:
            self._read_again(self._unread)
            if thread not in self._rows and not self._every:
                self._every = True  # sessfzf's own index knows it, but not well enough
                self._read_again(self._paths)
        return self._rows.pop(thread, None)  # asked for once: there may be thousands

    def name(self, thread: str) -> str:
        """Return the thread's newest name in session_index.jsonl, ``""`` when it has none."""
        return self._names[thread][0] if thread in self._names else ""

    def marks(self) -> dict[str, str]:
        """Return what changes when anything does that the indexes say of a thread, by its id."""
        named = self._names.items()
        return self._marks | {thread: self._marks.get(thread, "") + one[1] for thread, one in named}

    def _read_again(self, paths: list[str]) -> None:
        while paths and not self.failed:
            path = paths.pop()
            try:
                self._read(path)
            except OSError as error:
                self._problems.add(path, error)
                self.failed = True

    def _look_up(self, path: str) -> None:
        now = sqlite.stamp(path)
        kept = self._index.get(path, now)
        if kept is not None and self._take(kept):
            self._unread.append(path)
        else:
            kept = self._read(path)
            self._index.put(path, now, kept)
            self._take(kept)
        self._paths.append(path)

    def _look_back(self, path: str) -> None:
        """Make do with what is kept of a database from when it could be read."""
        before = self._index.before(path)
        if before is not None and self._take(before[1]):
            self._index.text(f"{path}\t{before[0]}")  # so that it is kept on
            self.failed = True

    def _take(self, kept: list[list[str]]) -> bool:
        """Take what is kept of a database; False when it does not say where a thread is."""
        threads = kept[0] if kept else []
        marks = {one[:_ID_LENGTH]: one[_ID_LENGTH:_MARKED] for one in threads}
        elsewhere = {thread: (_integer(time), path) for thread, time, path in kept[1:]}
        found = self._found.keys()
        if not (marks.keys() <= found or marks.keys() - found <= elsewhere.keys()):
            return False
        if self._alone:
            self._marks, self.elsewhere = marks, elsewhere
            return True
        for one in threads:
            thread, time = one[:_ID_LENGTH], _integer(one[_MARKED:])
            if time > self._updated.get(thread, -1):
                self._updated[thread] = time
                self._marks[thread] = marks[thread]
                if thread in elsewhere:
                    self.elsewhere[thread] = elsewhere[thread]
        return True

    def _read(self, path: str) -> list[list[str]]:
        """Read a database, hold the rows that will be asked for; return what is kept of all."""
        # What reads is imported only when there is something to read: most key presses find
        # nothing new.
        from sessfzf.agents.codex.index_files import threads

        marks, rows = threads(path, self._wanted, self._is_new, self._found)
        kept = [marks]
        for thread, row in rows.items():
            known = self._rows.get(thread)
            if known is None or int(row[UPDATED]) > int(known[UPDATED]):
                self._rows[thread] = row
            if thread not in self._found:
                kept.append([thread, row[TIME], row[PATH]])
        return kept

    def _is_new(self, thread: str, mark: str) -> bool:
        """Whether sessfzf's own index does not know the thread as it is now."""
        one = None if self._every else self._found.get(thread)
        mark += self._names[thread][1] if thread in self._names else ""
        return one is None or self._index.text(f"{one[1]}.{mark}") is None


def _integer(text: str) -> int:
    if not text.isdecimal() or len(text) > _LONGEST_TIME:
        raise ValueError("an index that is not of our making")
    return int(text)


def databases(root: str, index: Index) -> list[str]:
    """Return the path of every ``state_<n>.sqlite``, the newest of each folder first."""
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


def _names(root: str, index: Index) -> dict[str, tuple[str, str]]:
    """Return the newest name of each thread in session_index.jsonl and its mark (A5)."""
    path = os.path.join(root, "session_index.jsonl")
    try:
        rows = index.rows(path, stamp(path), 3, _read_names)
    except OSError:
        return {}
    return {thread: (name, mark) for thread, name, mark in rows}


def _read_config(path: str) -> list[list[str]]:
    from sessfzf.agents.codex.index_files import sqlite_home

    return sqlite_home(path)


def _read_names(path: str) -> list[list[str]]:
    from sessfzf.agents.codex.index_files import mark_of, thread_names

    return [[thread, name, mark_of(name.encode())] for thread, name in thread_names(path)]
