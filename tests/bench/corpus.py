"""Stores for the benchmark, made from one seed: many small files, some of 200 MB.

The records are in the clients' own shapes (tests/stores.py). A file that is larger than ``dense``
has a hole between its two ends, which costs no disk: its middle is never parsed, only its size
counts.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
import uuid
from bisect import bisect
from itertools import accumulate
from typing import Final, NamedTuple

import stores
from stores import answer, aside, dump, iso, meta, say, system, text_of, tool_result

KB: Final = 1024
MB: Final = KB * KB
GB: Final = KB * MB
DENSE: Final = 1200 * KB  # more than any reader looks at
_BIG_EVERY: Final = 333
_WITH_AGENTS, _GONE = 0.1, 0.1
_FOLDERS: Final = 60
# What differs between the sessions of a store stands in its records under these names.
_ID: Final = "00000000-0000-4000-8000-000000000000"
_CWD, _BRANCH, _PROMPT, _TIME = "/FOLDER", "BRANCH", "PROMPT", iso(0)
_WORDS: Final = ("cache", "index", "login", "parser", "queue", "retry", "search", "token")


class Session(NamedTuple):
    """One session of a store: its id, its transcript, its size in bytes, the folder it is of."""

    id: str
    path: str
    size: int
    cwd: str


class Store:
    """A home folder and the sessions that agents left in it, the newest first."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.sessions: list[Session] = []
        self._random = random.Random(4)  # noqa: S311 - stores that are the same each time
        self._now = time.time() - 60
        self._database: sqlite3.Connection | None = None
        # Some of the folders are gone; none is in a repository.
        self._folders = [f"{home}/work/project-{number:02}" for number in range(_FOLDERS)]
        for folder in self._folders[int(_FOLDERS * _GONE) :]:
            os.makedirs(folder, exist_ok=True)

    def close(self) -> None:
        """Let go of the database that Codex would have open."""
        if self._database is not None:
            self._database.close()

    def claude(
        self, count: int, dense: int = DENSE, size: int = 0, old: float = 0, scale: float = 0
    ) -> Store:
        """Add transcripts of Claude Code, of ``size`` bytes each or of sizes drawn like real ones.

        ``old`` is the share of a client that gave no titles; one in ten has sub-agents. With
        ``scale`` they are so many times as large, and none is made 200 MB large.
        """
        new, untitled = _Transcript("2.1.332"), _Transcript("2.1.150")
        for number in range(count):
            own, values = self._values(number)
            folder = f"{self.home}/.claude/projects/{stores.slug(values[_CWD])}"
            large = number % _BIG_EVERY == 1 and not scale
            wanted = size or (200 * MB if large else int(self._size() * (scale or 1)))
            kind = untitled if self._random.random() < old else new
            self._write(f"{folder}/{own}.jsonl", values, *kind.parts(wanted, dense), size=wanted)
            if self._random.random() < _WITH_AGENTS:
                os.makedirs(f"{folder}/{own}/subagents")
                for agent in range(3):
                    with open(f"{folder}/{own}/subagents/agent-{agent:08}.jsonl", "wb") as file:
                        file.write(new.head)
        return self

    def codex(self, count: int) -> Store:
        """Add rollouts of Codex and its index, of which the newest part stands in a live -wal."""
        thread = stores.Codex(
            _ID, _CWD, "0.171.0", "paginated", "m", "high", "on-request", "workspace-write", "user"
        )
        head = thread.meta(0, _BRANCH, {"source": "vscode"})
        records = [head, *thread.usual(_PROMPT, bulk=False)]
        body = b"".join(dump({"timestamp": _TIME, "ordinal": 1} | one) + b"\n" for one in records)
        maker, rows = stores.Home(self.home), []
        for number in range(count):
            own, values = self._values(number)
            day, _, hour = values[_TIME][:19].replace(":", "-").partition("T")
            folder = f"{self.home}/.codex/sessions/{day.replace('-', '/')}"
            written = stores.Written(own, f"{folder}/rollout-{day}T{hour}-{own}.jsonl")
            self._write(written.path, values, body)
            texts = dict.fromkeys(("title", "first_user_message", "preview"), values[_PROMPT])
            when = self._now - number * 600
            rows.append(maker.thread(written, time=when, cwd=values[_CWD], **texts))
        self._index(rows)
        return self

    def long_lines(self, size: int) -> Store:
        """Add transcripts with a line of ``size`` bytes: alone, first, unfinished, last, midway."""
        kind = _Transcript("2.1.332")
        line = dump(say(text_of(size)))
        for number, data in enumerate(
            (
                line,
                line + b"\n" + kind.head + kind.end,
                kind.head + kind.end + line[:-2],
                kind.head + kind.end + line + b"\n",
                kind.head + line + b"\n" + kind.end,
            )
        ):
            own, values = self._values(number)
            self._write(f"{self.home}/.claude/projects/-tmp/{own}.jsonl", values, data)
        return self

    def touch_index(self) -> None:
        """Write to one thread of the index, as a client at work does at every turn."""
        if self._database is not None:
            self._database.execute("UPDATE threads SET tokens_used = 1 WHERE rowid = 1")

    def _size(self) -> int:
        # Half of real transcripts are smaller than 100 KB; the mean is four times that.
        return max(2 * KB, min(200 * MB, int(self._random.lognormvariate(11.5, 1.7))))

    def _values(self, number: int) -> tuple[str, dict[str, str]]:
        pick = self._random.choice
        own = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        return own, {
            _ID: own,
            _TIME: iso(self._now - number * 600),
            _CWD: pick(self._folders),
            _BRANCH: pick(("main", "main", f"fix/{pick(_WORDS)}")),
            _PROMPT: f"{number}: why does the {pick(_WORDS)} fail since the {pick(_WORDS)} moved?",
        }

    def _write(
        self, path: str, values: dict[str, str], front: bytes, back: bytes = b"", size: int = 0
    ) -> None:
        for name, value in values.items():
            front = front.replace(name.encode(), value.encode())
            back = back.replace(name.encode(), value.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(front)
            if back:
                file.seek(max(size, len(front) + len(back)) - len(back))
                file.write(back)
        # Opening a session moves its mtime, so some are later than the newest record.
        late = self._random.choice((5, 5, 5, 5, 5, 5, 5, 60, 3600, 86400))
        when = min(self._now, self._now - len(self.sessions) * 600 + late)
        os.utime(path, (when, when))
        self.sessions.append(Session(values[_ID], path, os.stat(path).st_size, values[_CWD]))

    def _index(self, rows: list[stores.Record]) -> None:
        path = f"{self.home}/.codex/state_5.sqlite"
        database = self._database = sqlite3.connect(path, isolation_level=None)
        columns = ", ".join(" ".join(column) for column in stores.COLUMNS)
        for statement in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA wal_autocheckpoint=0",
            f"CREATE TABLE threads ({columns})",
        ):
            database.execute(statement)
        newest = len(rows) // 100 + 1
        for part in (rows[newest:], rows[:newest]):
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.execute("BEGIN")
            for row in part:
                marks = ", ".join("?" * len(row))
                statement = f"INSERT INTO threads ({', '.join(row)}) VALUES ({marks})"  # noqa: S608
                database.execute(statement, tuple(row.values()))
            database.execute("COMMIT")


class _Transcript:
    """What the transcripts of one release of Claude Code are put together from."""

    def __init__(self, version: str) -> None:
        session = stores.Claude(_ID, _CWD, version, _BRANCH, "cli", "opus-x", "high", "default")
        draw = random.Random(5)  # noqa: S311 - the same each time

        def lines(records: list[stores.Record]) -> bytes:
            return b"".join(
                dump(session.complete(record, 0, _ID, number)) + b"\n"
                for number, record in enumerate(records)
            )

        self.head = lines(session.usual(_PROMPT, 0))
        title = [meta("ai-title", aiTitle=f"Title {_PROMPT}")] if version == "2.1.332" else []
        self.end = lines([say("and now?"), answer(), system(), *title])
        turns: list[bytes] = []
        while sum(map(len, turns)) < DENSE:
            said = text_of(int(draw.lognormvariate(6, 1)))
            result = text_of(int(draw.lognormvariate(7.5, 1.2)))
            turns += lines([answer(said), aside([tool_result(result)])]).splitlines(keepends=True)
        self._turns = turns
        self._ends = list(accumulate(map(len, turns)))

    def parts(self, size: int, dense: int) -> tuple[bytes, bytes]:
        """Return both ends of a file; they are the whole of one that is no larger than dense."""
        room = max(0, min(size, dense) - len(self.head) - len(self.end))
        rounds, room = divmod(room, self._ends[-1])
        turns = self._turns * rounds + self._turns[: bisect(self._ends, room)]
        half = len(turns) // 2 if size > dense else len(turns)
        return self.head + b"".join(turns[:half]), b"".join(turns[half:]) + self.end
