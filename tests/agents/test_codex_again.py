"""A second list: what Codex's indexes say by now counts at once, and as without sessfzf's own."""

from __future__ import annotations

import os
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from stores import dump, turn

from sessfzf.files import open_quietly

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Run
    from stores import Home, Written


class Indexed:
    """A home with two threads and their index, that was listed once."""

    def __init__(self, home: Home, run: Run) -> None:
        self.home = home
        self.one, self.two = home.codex(), home.codex()
        rows = [home.thread(self.one), home.thread(self.two), home.thread(GONE)]
        self.database = home.codex_db(rows)
        self.run = run
        self.listed()

    def set(self, thread: Written | str, database: str = "", **fields: Any) -> None:
        """Change the row of a thread as a client does."""
        connection = sqlite3.connect(database or self.database)
        names = ", ".join(f"{name} = ?" for name in fields)
        own = thread if isinstance(thread, str) else thread.id
        connection.execute(f"UPDATE threads SET {names} WHERE id = ?", (*fields.values(), own))  # noqa: S608
        connection.commit()
        connection.close()

    def listed(self) -> dict[str, dict[str, Any]]:
        """Return what is listed, the same with the cache, without it and once more."""
        with_cache = self.run.listed()
        assert self.run("list", "--json", "--all") == self.run(
            "list", "--json", "--all", "--no-cache"
        )
        return with_cache


GONE = "01a0c0de-0009-7000-8000-0000000000ff"


@pytest.fixture
def indexed(home: Home, run: Run) -> Indexed:
    return Indexed(home, run)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        pytest.param({"name": "new"}, {"title": "new"}, id="renamed"),
        pytest.param({"archived": 1}, {"hidden": "archived"}, id="archived"),
        pytest.param({"cwd": "/home/kim/else"}, {"cwd": "/home/kim/else"}, id="moved"),
        pytest.param({"git_branch": "fix"}, {"branch": "fix"}, id="branch"),
        pytest.param({"source": "exec"}, {"hidden": "print"}, id="print"),
        pytest.param({"updated_at_ms": 1_800_000_000_000}, {}, id="updated"),
    ],
)
def test_a_row_that_changed_counts_and_so_does_its_changing_back(
    indexed: Indexed, fields: dict[str, Any], shown: dict[str, str]
) -> None:
    before = indexed.listed()
    with sqlite3.connect(indexed.database) as connection:
        names = ", ".join(fields)
        old = connection.execute(
            f"SELECT {names} FROM threads WHERE id = ?",  # noqa: S608
            (indexed.one.id,),
        ).fetchone()
    connection.close()
    indexed.set(indexed.one, **fields)
    assert indexed.listed() == before | {indexed.one.id: before[indexed.one.id] | shown}
    indexed.set(indexed.one, **dict(zip(fields, old, strict=True)))
    assert indexed.listed() == before


def test_what_a_row_does_not_say_of_a_session_opens_no_rollout(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client at work writes to its index at every turn: the rollouts need not be read for it."""
    indexed.set(indexed.one, tokens_used=7)
    opened: list[str] = []

    def watched(path: str) -> int:
        opened.append(path)
        return open_quietly(path)

    monkeypatch.setattr("sessfzf.jsonl.open_quietly", watched)
    assert indexed.run("list").code == 0
    assert opened == []
    indexed.set(indexed.two, name="new")
    assert indexed.run("list").code == 0
    assert opened == [indexed.two.path]


def test_a_thread_that_became_a_sub_agents_is_no_session(indexed: Indexed) -> None:
    indexed.set(indexed.one, thread_source="subagent")
    assert set(indexed.listed()) == {indexed.two.id, GONE}


def test_a_missing_threads_row_counts_too(indexed: Indexed) -> None:
    indexed.set(GONE, name="new", recency_at_ms=1_790_000_500_000)
    row = indexed.listed()[GONE]
    assert (row["title"], row["time"], row["hidden"]) == ("new", 1_790_000_500_000, "missing")


def test_a_rollout_that_was_deleted_is_missing(indexed: Indexed) -> None:
    os.unlink(indexed.one.path)
    assert indexed.listed()[indexed.one.id]["hidden"] == "missing"


def test_a_rollout_that_was_moved_is_found_by_its_row(indexed: Indexed) -> None:
    path = os.path.join(indexed.home.folder("other"), os.path.basename(indexed.one.path))
    os.rename(indexed.one.path, path)
    indexed.set(indexed.one, rollout_path=path)
    assert indexed.listed()[indexed.one.id]["path"] == path


def test_a_rollout_that_grew_keeps_what_its_row_says(indexed: Indexed) -> None:
    indexed.set(indexed.one, name="named")
    indexed.listed()
    with open(indexed.one.path, "ab") as file:
        late = turn(model="new", approval_policy="never")
        file.write(dump({"timestamp": "2026-12-01T00:00:00.000Z"} | late) + b"\n")
    row = indexed.listed()[indexed.one.id]
    assert (row["title"], row["model"]) == ("named", "new")


def test_a_new_rollouts_row_is_read_from_an_index_that_has_not_changed(
    indexed: Indexed, run: Run
) -> None:
    away = indexed.one.path + ".away"
    indexed.set(indexed.one, name="named")
    os.rename(indexed.one.path, away)
    run("list")
    os.rename(away, indexed.one.path)
    assert indexed.listed()[indexed.one.id]["title"] == "named"


def test_the_newer_row_of_two_indexes_counts(indexed: Indexed) -> None:
    second = os.path.join(indexed.home.folder(".codex", "sqlite"), "state_5.sqlite")
    shutil.copy(indexed.database, second)
    indexed.set(indexed.one, second, name="second", updated_at_ms=1_800_000_000_000)
    assert indexed.listed()[indexed.one.id]["title"] == "second"
    indexed.set(indexed.one, name="first", updated_at_ms=1_800_000_000_001)
    assert indexed.listed()[indexed.one.id]["title"] == "first"
    os.unlink(indexed.database)
    assert indexed.listed()[indexed.one.id]["title"] == "second"


def _locked(database: str) -> None:
    os.chmod(database, 0)


def _damaged(database: str) -> None:
    status = os.stat(database)
    with open(database, "r+b") as file:
        file.write(bytes(status.st_size))
    os.utime(database, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("harm", [_locked, _damaged])
def test_an_index_that_cannot_be_read_any_more_costs_only_what_it_would_add(
    indexed: Indexed, run: Run, harm: Callable[[str], None]
) -> None:
    if harm is _locked and os.geteuid() == 0:
        pytest.skip("root may read everything")
    indexed.set(indexed.one, name="named")
    with open(indexed.database, "rb") as file:
        whole = file.read()
    status = os.stat(indexed.database)
    run("list")
    os.utime(indexed.one.path, (1_800_000_000, 1_800_000_000))
    harm(indexed.database)
    assert indexed.one.id in run.listed()
    os.chmod(indexed.database, 0o600)
    with open(indexed.database, "r+b") as file:
        file.write(whole)
    os.utime(indexed.database, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert indexed.listed()[indexed.one.id]["title"] == "named"
