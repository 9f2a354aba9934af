"""What no bytes in a transcript or a rollout may bring about, as functions of those bytes."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Final

import orjson
from checker import harm

from sessfzf import preview, shells
from sessfzf.agents import claude_code, codex, source, stores
from sessfzf.agents.codex.words import FULL_ACCESS
from sessfzf.plan import Plan
from sessfzf.rows import formatter
from sessfzf.text import width

if TYPE_CHECKING:
    from types import ModuleType

    from sessfzf.jsonl import Loads
    from sessfzf.session import Session

CLAUDE_ID: Final = "11111111-2222-4333-8444-555555555555"
CODEX_ID: Final = "01a0c0de-0001-7000-8000-000000000001"
NOW: Final = 1_800_000_000_000
# Beyond what a datetime can hold.
LAST: Final = 253_402_300_800_000
LOOSE: Final = {"never", FULL_ACCESS, "acceptEdits", "auto", "dontAsk", "bypassPermissions"}

_scratch: list[str] = []


def _folder() -> str:
    if not _scratch:
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        _scratch.append(tempfile.mkdtemp(prefix="fuzz-", dir=memory))
        atexit.register(shutil.rmtree, _scratch[0], ignore_errors=True)
    return _scratch[0]


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def transcript(data: bytes) -> None:
    """The bytes as a transcript of Claude Code's; AssertionError or any other when they harm."""
    path = os.path.join(_folder(), ".claude", "projects", "-home-kim-api", CLAUDE_ID + ".jsonl")
    _check(claude_code, path, CLAUDE_ID, data)


def rollout(data: bytes) -> None:
    """The same as a rollout of Codex's."""
    name = f"rollout-2026-11-02T08-00-00-{CODEX_ID}.jsonl"
    _check(codex, os.path.join(_folder(), ".codex", "sessions", "2026", name), CODEX_ID, data)


def _check(agent: ModuleType, path: str, own: str, data: bytes) -> None:
    root = path.partition("/projects/")[0].partition("/sessions/")[0]
    _write(path, data[: len(data) // 2])
    before = _read(agent, root, path, own, json.loads)
    _write(path, data)
    found = [
        _read(agent, root, path, own, json.loads),
        _read(agent, root, path, own, orjson.loads),
        _read(agent, root, path, own, json.loads, before),
    ]
    for session in found:
        if session is not None:
            agent.search_title(session, json.loads, float("inf"))
            check(agent, session)
    if session is not None:
        show(agent, session)


def _read(  # noqa: PLR0913 - the reader's own arguments
    agent: ModuleType,
    root: str,
    path: str,
    own: str,
    loads: Loads,
    before: Session | None = None,
) -> Session | None:
    try:
        session: Session | None = agent.read(root, source(path, own), loads, before)
    except OSError:  # nothing in it is a record: that is told
        return None
    return session


def show(agent: ModuleType, session: Session) -> None:
    """The preview of the session, in a window of each kind, is harmless and fits."""
    (store,) = (one for one in stores() if one.app == session.app)
    launch = agent.launch(session, recorded=False, fork=False)
    for columns, room in ((80, 0), (31, 9)):
        told = store.conversation()
        facts = [*preview._told(session, launch), *preview._past(session, agent, told)]
        lines = preview._facts(session, facts, columns)
        end = preview._end(told, session, columns, room)
        assert not room or len(end) <= room
        texts = ["".join(text for _, text in line) for line in [*lines, *end]]
        text = "".join(f"{one}\n" for one in texts)
        assert harm(text.encode("utf-8", "surrogatepass"), tabs=False) == []
        assert all(width(one) <= columns for one in texts)


def check(agent: ModuleType, session: Session) -> None:
    """Nothing of the session can harm a terminal, a shell, the index or who resumes it."""
    row = session.row()
    assert all(isinstance(field, str) for field in row)
    assert type(session)(session.app, session.root, session.id, session.path, "1.2.3", *row)
    assert 0 <= session.time < LAST
    for form, tabs in (("", 5), ("fzf", 5), ("picker", 10), ("json", 0)):
        line = formatter(form, NOW).row(session).encode("utf-8", "surrogatepass")
        assert harm(line + b"\n", colours=form in {"fzf", "picker"}) == []
        assert line.count(b"\t") == tabs
    for recorded in (False, True):
        launch = agent.launch(session, recorded=recorded, fork=False)
        options = dict(zip(launch.argv, launch.argv[1:], strict=False))
        given = {options.get(name) for name in ("-a", "-s", "--permission-mode")}
        assert recorded or not LOOSE & given
        plan = Plan("/", launch.argv)
        for shell in shells.SHELLS:
            assert harm(plan.line(shell).encode() + b"\n", tabs=False) == []
