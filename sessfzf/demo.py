"""``sessfzf --demo``: the whole tool on made-up sessions, on a machine that need not have any.

They stand in a private folder that is the home folder meanwhile and is removed at the end. Nothing
of the person's own is read or written, and no agent is started.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from contextlib import closing, suppress
from time import gmtime, localtime, strftime, time
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from sessfzf.errors import SessfzfError
from sessfzf.streams import tell
from sessfzf.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Record = dict[str, Any]

COMMANDS: Final = ("list", "grep", "plan", "preview")
"""What may stand behind --demo; alone it picks."""

_PREFIX = "sessfzf-demo-"
_VERSION = "2.1.332"
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Where the sessions took place, below the home folder: repositories and the branch each is on now,
# a worktree with its branch and the repository it belongs to, and folders without git.
_REPOSITORIES = {
    "code/shop-api": "main",
    "code/weather-map": "feat/wind-arrows",
    "code/recipes": "main",
    "code/bird-counter": "main",
    "dotfiles": "main",
}
_WORKTREE = ("code/shop-api/.claude/worktrees/faster-search", "faster-search", "code/shop-api")
_FOLDERS = ("notes", "code/scratch")
# What would lead to the person's own stores.
_FOREIGN = ("SESSFZF_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CODEX_SQLITE_HOME")


class Turn(NamedTuple):
    """A prompt, the commands that were run for it, and the answer."""

    prompt: str
    commands: list[str]
    answer: str


class Made(NamedTuple):
    """One made-up session, as demo_sessions.txt describes it."""

    app: str
    age: int
    folder: str
    branch: str
    model: str
    approvals: str
    state: str
    title: str
    turns: list[Turn]


def run(arguments: list[str], dispatch: Callable[[list[str]], int]) -> int:
    """Pick one of the made-up sessions, print the line that would resume it; return the exit code.

    With ``arguments``, a command and its own, ``dispatch`` runs that on these sessions. Raises
    SessfzfError for a command that is not one of COMMANDS.
    """
    if arguments and arguments[0] not in COMMANDS:
        known = ", ".join(COMMANDS)
        raise SessfzfError(f"behind --demo stands one of {known}, not {clean(arguments[0])!r}", 2)
    _sweep()
    place = ""
    for ending in _ENDINGS:
        signal.signal(ending, _end)
    try:
        place = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
        home = os.path.join(os.path.realpath(place), "home")
        write_stores(home)
        for name in _FOREIGN:
            os.environ.pop(name, None)
        os.environ.update(HOME=home, XDG_CACHE_HOME=os.path.join(place, "cache"))
        if arguments:
            return dispatch(arguments)
        from sessfzf import resume

        tell("all of this is made up: what you pick is not started, but its line is shown")
        return resume.run(None, start=False)
    finally:
        _ignore_endings()
        shutil.rmtree(place, ignore_errors=True)


def _end(number: int, _frame: FrameType | None) -> None:
    _ignore_endings()
    sys.exit(128 + number)  # which removes the folder on its way


def _ignore_endings() -> None:
    # A terminal that is closed says so more than once, and what is being removed has to go.
    for ending in _ENDINGS:
        signal.signal(ending, signal.SIG_IGN)


def _sweep() -> None:
    """Remove what runs that were killed have left: the folder's name says whose it was."""
    for entry in list(os.scandir(tempfile.gettempdir())):
        owner = entry.name.removeprefix(_PREFIX).partition("-")[0]
        if not (entry.name.startswith(_PREFIX) and owner.isdecimal()):
            continue
        with suppress(OSError, OverflowError):
            if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                try:
                    os.kill(int(owner), 0)
                except ProcessLookupError:
                    shutil.rmtree(entry.path, ignore_errors=True)


def sessions() -> list[Made]:
    """Return the made-up sessions, the newest first."""
    with open(f"{os.path.splitext(__file__)[0]}_sessions.txt", encoding="utf-8") as file:
        _, *texts = file.read().split("\n---\n")
    return [_session(text) for text in texts]


def _session(text: str) -> Made:
    head, title, talk = text.rstrip("\n").split("\n", 2)
    app, age, folder, branch, model, approvals, state = head.split(" ")
    turns = []
    for part in f"\n{talk}".split("\n> ")[1:]:
        prompt, *rest = part.split("\n")
        commands = [line[2:] for line in rest if line.startswith("$ ")]
        turns.append(Turn(prompt, commands, "\n".join(rest[len(commands) :])))
    return Made(app, int(age), folder, branch.strip("-"), model, approvals, state, title, turns)


def write_stores(home: str) -> None:
    """Write the made-up sessions of both agents, and their folders, into a new home folder."""
    _write_folders(home)
    now = time()
    threads: list[tuple[object, ...]] = []
    # Processes that live as long as this one does: each can have one session open.
    open_by = [os.getpid(), os.getppid(), 1]
    for number, made in enumerate(sessions()):
        when = now - 60 * made.age - 20
        if made.app == "claude-code":
            session = _write_claude(home, made, number, when)
            if made.state in {"idle", "busy", "waiting"}:
                _write_open(home, session, made.state, open_by.pop(0))
        else:
            session, path = _write_codex(home, made, number, when)
            title, archived = made.title, made.state == "archived"
            threads.append((session, path, int(when), int(archived), title, made.turns[0].prompt))
            if made.state == "open":
                _write(os.path.join(home, ".codex/thread-writer-locks", f"{session}.lock"), "")
    with closing(sqlite3.connect(os.path.join(home, ".codex/state_5.sqlite"))) as database:
        columns = "id, rollout_path, updated_at, archived, name, first_user_message"
        database.execute(f"CREATE TABLE threads ({columns})")
        database.executemany(f"INSERT INTO threads ({columns}) VALUES (?, ?, ?, ?, ?, ?)", threads)  # noqa: S608 - our names
        database.commit()


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _write_folders(home: str) -> None:
    """Make the folders; of the repositories what git has to find to name the branch."""
    for name in _FOLDERS:
        os.makedirs(os.path.join(home, name))
    for name, branch in _REPOSITORIES.items():
        git = os.path.join(home, name, ".git")
        for part in ("objects", "refs/heads"):
            os.makedirs(os.path.join(git, part))
        _write(os.path.join(git, "HEAD"), f"ref: refs/heads/{branch}\n")
    name, branch, repository = _WORKTREE
    folder = os.path.join(home, name)
    own = os.path.join(home, repository, ".git/worktrees", os.path.basename(name))
    _write(os.path.join(folder, ".git"), f"gitdir: {own}\n")
    _write(os.path.join(own, "HEAD"), f"ref: refs/heads/{branch}\n")
    _write(os.path.join(own, "commondir"), "../..\n")
    _write(os.path.join(own, "gitdir"), os.path.join(folder, ".git") + "\n")


def _write_records(path: str, records: list[Record], when: float) -> None:
    _write(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    os.utime(path, (when, when))


def _stamp(when: float) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S.000Z", gmtime(when))


def _id(number: int, version: int) -> str:
    # Spread by a multiplication, so that four characters name one.
    digits = f"{(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128):032x}"
    return str(UUID(f"{digits[:12]}{version}{digits[13:16]}8{digits[17:]}"))


def _write_claude(home: str, made: Made, number: int, when: float) -> str:
    """Write a transcript as Claude Code 2.1.332 does (reference B3); return the session's id."""
    session = _id(number, 4)
    folder = os.path.join(home, made.folder)
    common: Record = {
        "isSidechain": False,
        "userType": "external",
        "entrypoint": "sdk-cli" if made.state == "print" else "cli",
        "cwd": folder,
        "sessionId": session,
        "version": _VERSION,
        "gitBranch": made.branch or "HEAD",
    }
    if made.state.startswith("fork-"):
        parent = _id(number + int(made.state[4:]), 4)
        common["forkedFrom"] = {"sessionId": parent, "messageUuid": parent}
    talk: list[tuple[str, Record]] = []
    for prompt, commands, answer in made.turns:
        talk.append(("user", {"role": "user", "content": prompt}))
        uses = [
            {"type": "tool_use", "id": f"t{place}", "name": "Bash", "input": {"command": command}}
            for place, command in enumerate(commands)
        ]
        said = {"role": "assistant", "model": f"claude-{made.model}", "type": "message"}
        talk += [("assistant", said | {"content": [use]}) for use in uses]
        talk.append(("assistant", said | {"content": [{"type": "text", "text": answer}]}))
    records: list[Record] = []
    before = None
    for place, (kind, message) in enumerate(talk):
        own = str(UUID(int=(number << 64) + place + 1))
        stamp = _stamp(when - 8 * (len(talk) - 1 - place))
        record = {"parentUuid": before} | common | {"type": kind, "message": message}
        if kind == "user":
            record |= {"permissionMode": made.approvals, "origin": {"kind": "human"}}
            record |= {"promptSource": "typed"}
        else:
            record |= {"effort": "high"}
        records.append(record | {"uuid": own, "timestamp": stamp})
        before = own
    mode = {"type": "permission-mode", "permissionMode": made.approvals, "sessionId": session}
    title = {"type": "ai-title", "aiTitle": made.title, "sessionId": session}
    slug = "".join(char if char.isalnum() and char.isascii() else "-" for char in folder)
    path = os.path.join(home, ".claude/projects", slug, f"{session}.jsonl")
    _write_records(path, [*records, mode, title], when)
    return session


def _write_open(home: str, session: str, state: str, pid: int) -> None:
    """Say as Claude Code does that a process has the session open (reference B1)."""
    started = ""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        started = file.read().rpartition(b")")[2].split()[19].decode()  # field 22: starttime
    told = {"pid": pid, "sessionId": session, "procStart": started, "status": state}
    told |= {"kind": "interactive", "entrypoint": "cli", "version": _VERSION}
    _write(os.path.join(home, ".claude/sessions", f"{pid}.json"), json.dumps(told))


def _write_codex(home: str, made: Made, number: int, when: float) -> tuple[str, str]:
    """Write a rollout as Codex 0.171 does (reference A6); return the thread's id and the path."""
    thread = _id(number, 7)
    folder = os.path.join(home, made.folder)
    approval, _, sandbox = made.approvals.partition(",")
    reviewer = "user"
    if approval == "approve":
        approval, reviewer = "on-request", "auto_review"
    meta: Record = {
        "id": thread,
        "cwd": folder,
        "cli_version": "0.171.0",
        "timestamp": _stamp(when),
    }
    meta |= {"source": "exec" if made.state == "print" else "vscode", "thread_source": "user"}
    if made.branch:
        meta["git"] = {"branch": made.branch}
    if made.state.startswith("fork-"):
        meta["forked_from_id"] = _id(number + int(made.state[4:]), 7)
    context: Record = {"cwd": folder, "model": made.model, "effort": "high"}
    context |= {"approval_policy": approval, "approvals_reviewer": reviewer}
    context |= {"sandbox_policy": {"type": sandbox}}
    records: list[Record] = [{"type": "session_meta", "payload": meta}]
    for prompt, commands, answer in made.turns:
        records.append({"type": "turn_context", "payload": context})
        records.append(_item("UserMessage", {"type": "text", "text": prompt}))
        for command in commands:
            words = json.dumps({"cmd": command})
            call = {"type": "function_call", "name": "exec_command", "arguments": words}
            records.append({"type": "response_item", "payload": call})
        records.append(_item("AgentMessage", {"type": "Text", "text": answer}))
    stamped = [
        {"timestamp": _stamp(when - (len(records) - 1 - place)), "ordinal": place} | record
        for place, record in enumerate(records)
    ]
    local = strftime("%Y-%m-%dT%H-%M-%S", localtime(when))
    place = "archived_sessions" if made.state == "archived" else f"sessions/{local[:10]}"
    path = os.path.join(home, ".codex", place.replace("-", "/"), f"rollout-{local}-{thread}.jsonl")
    _write_records(path, stamped, when)
    return thread, path


def _item(kind: str, content: Record) -> Record:
    item = {"type": kind, "id": "i", "content": [content]}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
