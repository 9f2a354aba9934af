"""Writers of synthetic Claude Code and Codex stores, in the shapes the real clients leave behind.

Everything in them is invented. A test says what differs from an ordinary session, the rest is
filled in.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time as clock
import unicodedata
import uuid
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Record = dict[str, Any]

ABSENT: Final = "\0absent"  # as a field's value: the client did not write this field
KB: Final = 1024


class Written(NamedTuple):
    """A session as written: its id and the absolute path of its transcript."""

    id: str
    path: str


def dump(record: Any) -> bytes:
    """One record as the clients write it: compact, UTF-8, escapes only where UTF-8 has no form."""
    try:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half an emoji: JavaScript writes it as an escape
        return json.dumps(record, separators=(",", ":")).encode()


def iso(seconds: float) -> str:
    moment = dt.datetime.fromtimestamp(seconds, dt.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def milliseconds(seconds: float) -> int:
    """The number a reader of `iso(seconds)` gets."""
    moment = dt.datetime.fromtimestamp(seconds, dt.timezone.utc)
    return int(moment.replace(microsecond=0).timestamp()) * 1000 + moment.microsecond // 1000


def write_lines(path: str, records: Iterable[Record | bytes]) -> None:
    """Append-only JSONL; `bytes` go in as they are, without a newline of their own."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.writelines(
            record if isinstance(record, bytes) else dump(record) + b"\n" for record in records
        )


def text_of(size: int) -> str:
    """`size` characters that no compressor and no reader takes for something else."""
    words = "filler of the vendor's own words, \\ \" quoted. "
    return (words * (size // len(words) + 1))[:size]


def snapshot(root: str) -> dict[str, tuple[int, int, int, int]]:
    """Every name below `root` with its mode, size, mtime_ns and inode: equal = nothing written."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def git(folder: str, *args: str) -> str:
    """Run git in `folder` as an invented person; the output without its last newline."""
    person = (
        "-c",
        "user.name=kim",
        "-c",
        "user.email=kim@example.org",
        "-c",
        "commit.gpgsign=false",
    )
    done = subprocess.run(
        ["git", "-C", folder, *person, *args], check=True, capture_output=True, text=True
    )
    return done.stdout.rstrip("\n")


def repository(folder: str, branch: str = "main") -> str:
    """A git repository with one commit on `branch` in `folder`; returns the folder."""
    os.makedirs(folder, exist_ok=True)
    git(folder, "init", "-q", "-b", branch)
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


# Claude Code


def slug(folder: str) -> str:
    """The project folder's name for a working folder (reference B2), not by the tool's own rule."""
    path = unicodedata.normalize("NFC", os.path.realpath(folder))
    data = path.encode("utf-16-le", "surrogatepass")
    units = struct.unpack(f"<{len(data) // 2}H", data)
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= 200:
        return name
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >> 31 else value)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{name[:200]}-{digits or '0'}"


def say(content: Any, **fields: Any) -> Record:
    """A prompt the person typed."""
    return {
        "type": "user",
        "message": {"role": "user", "content": content},
        "origin": {"kind": "human"},
        "promptSource": "typed",
        "turnOrigin": "human",
    } | fields


def aside(content: Any, **fields: Any) -> Record:
    """A user record that the client wrote by itself: tool results, command output, reminders."""
    return {"type": "user", "message": {"role": "user", "content": content}} | fields


def answer(text: str = "Because of the cache.", **fields: Any) -> Record:
    """What the model said; `model` is the message's, `requestedModel` and `effort` the record's."""
    return {"type": "assistant", "text": text} | fields


def system(subtype: str = "turn_duration", **fields: Any) -> Record:
    return {"type": "system", "subtype": subtype, "isMeta": False} | fields


def meta(kind: str, **fields: Any) -> Record:
    """A metadata record: a type, its fields and the session's id, no folder and no time."""
    return {"type": kind} | fields


def attachment(size: int = 6 * KB) -> Record:
    snapshot_of = {"type": "prompt_snapshot", "systemPrompt": [text_of(size)]}
    return {"type": "attachment", "attachment": snapshot_of}


def request_shape(size: int = 40 * KB) -> Record:
    tools = [{"name": "Agent", "description": text_of(size)}]
    return {"type": "api-request-shape", "shapeHash": "00", "shape": {"tools": tools}}


CONVERSATION: Final = frozenset({"user", "assistant", "system", "attachment"})


class Claude(NamedTuple):
    """What the records of one Claude Code session have in common."""

    id: str
    cwd: str | None
    version: str
    branch: str | None
    entrypoint: str
    model: str
    effort: str | None
    mode: str

    def usual(self, prompt: str, filler: int) -> list[Record]:
        """The records of one ordinary turn, in the order of the client."""
        snap = meta("file-history-snapshot", messageId="m", snapshot={}, isSnapshotUpdate=False)
        if self.version.startswith("2.0"):
            return [snap, say(prompt), answer()]
        mode = meta("permission-mode", permissionMode=self.mode)
        last = meta("last-prompt", lastPrompt=prompt, leafUuid="")
        if self.version.startswith("2.1.1"):
            return [mode, snap, say(prompt), attachment(3 * KB), answer(), system(), last, mode]
        head = [meta("mode", mode="normal"), mode, meta("atis-latch", atis=""), snap]
        shape = [attachment(filler), request_shape(filler)] if filler else [attachment(KB)]
        tail = [
            system(),
            last,
            meta("mode", mode="normal"),
            mode,
            meta("cost-state", totalCostUSD=0),
        ]
        return [*head, say(prompt), *shape, answer(), *tail]

    def complete(self, record: Record, seconds: float, parent: str | None, number: int) -> Record:
        """`record` with everything the client would have put beside it."""
        kind = record["type"]
        if kind not in CONVERSATION:
            named = (
                {"sessionId": self.id} if kind not in {"summary", "file-history-snapshot"} else {}
            )
            whole = {"type": kind} | record | named | record
            return {key: value for key, value in whole.items() if value != ABSENT}
        old = self.version.startswith("2.0")
        common: Record = {"userType": "external"}
        if not old:
            common["entrypoint"] = self.entrypoint
        common |= {"cwd": self.cwd, "sessionId": self.id, "version": self.version}
        common["gitBranch"] = self.branch if self.branch is not None else "HEAD"
        links: Record = {"parentUuid": parent, "isSidechain": False}
        own: Record = {"uuid": str(uuid.UUID(int=number + (int(self.id[:8], 16) << 64)))}
        own["timestamp"] = iso(seconds)
        fields = dict(record)
        if kind == "user" and not old:
            own["permissionMode"] = self.mode
        if kind == "user" and self.version != "2.1.332":
            for late in ("origin", "promptSource", "turnOrigin"):
                fields.pop(late, None)
        if kind == "assistant":
            text = [{"type": "text", "text": fields.pop("text", "")}]
            model = fields.pop("model", self.model)
            said = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
            fields = {"message": said | {"content": text, "stop_reason": "end_turn"}} | fields
            if self.version == "2.1.332" and self.effort:
                own |= {"effort": self.effort, "perTurnEffort": self.effort}
        whole = links | (common if old else {}) | fields | own | common
        whole |= {
            key: record[key] for key in record if key in whole and key not in {"text", "model"}
        }
        return {
            key: value
            for key, value in whole.items()
            if value not in (ABSENT, None) or key == "parentUuid"
        }


# Codex

ROOT_READ: Final = {"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"}


def profile(sandbox: str, cwd: str = "/home/kim/api") -> str:
    """The permission profile of 0.171 that stands for an older sandbox name (reference A3)."""
    if sandbox == "danger-full-access":
        return '{"type":"disabled"}'
    entries: list[Record] = [ROOT_READ]
    if sandbox == "workspace-write":
        entries += [
            {"path": {"type": "path", "path": cwd}, "access": "write"},
            {"path": {"type": "special", "value": {"kind": "slash_tmp"}}, "access": "write"},
            {"path": {"type": "path", "path": cwd + "/.git"}, "access": "read"},
        ]
    files = {"type": "restricted", "entries": entries}
    return dump({"type": "managed", "file_system": files, "network": "restricted"}).decode()


def message(role: str, text: str) -> Record:
    """A response_item message; the client's own words stand under the roles user and developer."""
    kind = "output_text" if role == "assistant" else "input_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"type": "response_item", "payload": payload}


def event(kind: str, **fields: Any) -> Record:
    return {"type": "event_msg", "payload": {"type": kind} | fields}


def typed(text: str | None, dialect: str = "paginated", images: int = 0) -> list[Record]:
    """The records of one prompt: both dialects write it twice, only the event is the person's."""
    said = message("user", text or "")
    if dialect == "legacy":
        fields = {"message": text or "", "images": ["data:image/png;base64,AA"] * images}
        return [said, event("user_message", **fields)]
    content: list[Record] = [{"type": "image", "image_url": "data:"}] * images
    if text is not None:
        content.append({"type": "text", "text": text, "text_elements": []})
    item = {"type": "UserMessage", "id": "i", "content": content}
    return [said, event("item_completed", thread_id="t", turn_id="u", item=item)]


def turn(**fields: Any) -> Record:
    """A turn_context of which only `fields` are known."""
    return {"type": "turn_context", "payload": {"turn_id": "u"} | fields}


def environment(cwd: str) -> Record:
    words = (
        f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
    )
    return message("user", words)


class Codex(NamedTuple):
    """What the records of one Codex thread have in common."""

    id: str
    cwd: str
    client: str
    dialect: str
    model: str | None
    effort: str | None
    approval: Any
    sandbox: str
    reviewer: str

    def meta(self, seconds: float, branch: str | None, fields: Mapping[str, Any]) -> Record:
        """The first line; 22 KB of it are instructions, since 2026."""
        payload: Record = {"id": self.id, "timestamp": iso(seconds), "cwd": self.cwd}
        if self.client != "0.63.0":
            payload["base_instructions"] = {"text": text_of(21_500)}
        if self.dialect == "paginated":
            payload = {"account_scoped": True, "session_id": self.id} | payload
            payload |= {"thread_source": "user", "history_mode": "paginated"}
        payload |= {"cli_version": self.client, "model_provider": "openai"}
        if branch is not None:
            payload["git"] = {"commit_hash": "0" * 40, "branch": branch}
        payload |= fields
        payload = {key: value for key, value in payload.items() if value != ABSENT}
        return {"type": "session_meta", "payload": payload}

    def context(self) -> Record:
        fields: Record = {"cwd": self.cwd, "approval_policy": self.approval}
        if self.dialect == "paginated":
            fields |= {
                "approvals_reviewer": self.reviewer,
                "permission_profile": json.loads(profile(self.sandbox, self.cwd)),
            }
        fields["sandbox_policy"] = {"type": self.sandbox}
        fields |= {"model": self.model, "summary": "auto"}
        if self.effort is not None:
            fields["effort"] = self.effort
        return turn(**{key: value for key, value in fields.items() if value != ABSENT})

    def usual(self, prompt: str, *, bulk: bool) -> list[Record]:
        """One ordinary turn; with `bulk` the prompt stands about 100,000 bytes into the file."""
        reply = message("assistant", "Stopped.")
        if self.dialect == "legacy":
            before = [environment(self.cwd)]
            if self.client != "0.63.0":
                before = [event("task_started"), message("developer", text_of(9_900)), *before]
            ending = [
                event("agent_message", message="Stopped."),
                event("token_count", info=None),
                reply,
            ]
            return [*before, *typed(prompt, "legacy"), self.context(), *ending]
        before = [event("task_started", turn_id="u")]
        if bulk:
            tools = {"type": "additional_tools", "role": "developer", "tools": [text_of(36_000)]}
            before.append({"type": "response_item", "payload": tools})
            before += [message("developer", text_of(size)) for size in (26_000, 8_000, 3_000)]
        before += [
            environment(self.cwd),
            {"type": "world_state", "payload": {"full": True, "state": {}}},
        ]
        before += [
            self.context(),
            event("thread_settings_applied", thread_settings={"model": self.model}),
        ]
        said = {
            "type": "AgentMessage",
            "id": "m",
            "content": [{"type": "Text", "text": "Stopped."}],
        }
        ending = [event("item_completed", item=said), reply, event("task_complete", turn_id="u")]
        return [*before, *typed(prompt), *ending]


# The columns of `threads` in the order the client's migrations added them (reference A2, A3):
# 27 at 0.125, 38 at 0.150, 43 at 0.171.
COLUMNS: Final = (
    ("id", "TEXT PRIMARY KEY"),
    ("rollout_path", "TEXT NOT NULL"),
    ("created_at", "INTEGER NOT NULL"),
    ("updated_at", "INTEGER NOT NULL"),
    ("source", "TEXT NOT NULL"),
    ("model_provider", "TEXT NOT NULL"),
    ("cwd", "TEXT NOT NULL"),
    ("title", "TEXT NOT NULL"),
    ("sandbox_policy", "TEXT NOT NULL"),
    ("approval_mode", "TEXT NOT NULL"),
    ("tokens_used", "INTEGER NOT NULL DEFAULT 0"),
    ("has_user_event", "INTEGER NOT NULL DEFAULT 0"),
    ("archived", "INTEGER NOT NULL DEFAULT 0"),
    ("archived_at", "INTEGER"),
    ("git_sha", "TEXT"),
    ("git_branch", "TEXT"),
    ("git_origin_url", "TEXT"),
    ("cli_version", "TEXT NOT NULL DEFAULT ''"),
    ("first_user_message", "TEXT NOT NULL DEFAULT ''"),
    ("agent_nickname", "TEXT"),
    ("agent_role", "TEXT"),
    ("memory_mode", "TEXT NOT NULL DEFAULT 'enabled'"),
    ("model", "TEXT"),
    ("reasoning_effort", "TEXT"),
    ("agent_path", "TEXT"),
    ("created_at_ms", "INTEGER"),
    ("updated_at_ms", "INTEGER"),
    ("thread_source", "TEXT"),
    ("preview", "TEXT NOT NULL DEFAULT ''"),
    ("recency_at", "INTEGER NOT NULL DEFAULT 0"),
    ("recency_at_ms", "INTEGER NOT NULL DEFAULT 0"),
    ("history_mode", "TEXT NOT NULL DEFAULT 'legacy'"),
    ("name", "TEXT"),
    ("is_pinned", "INTEGER NOT NULL DEFAULT 0"),
    ("thread_section_id", "TEXT"),
    ("section_position", "INTEGER"),
    ("section_entered_at_ms", "INTEGER"),
    ("project_id", "TEXT"),
    ("originator", "TEXT"),
    ("daybreak_enabled", "BOOLEAN"),
    ("creator_user_id", "TEXT"),
    ("creator_account_id", "TEXT"),
    ("attached_thread_parent_id", "TEXT"),
)

# Keeps an index open like the client's server does, until its stdin is closed.
WRITER: Final = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA wal_autocheckpoint=0")
if sys.argv[2] == "locked":
    db.execute("PRAGMA locking_mode=EXCLUSIVE")
db.execute("UPDATE threads SET tokens_used = tokens_used + 1")
print("ready", flush=True)
sys.stdin.read()
"""


class Home:
    """A home folder and what the agents left in it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.claude_dir = os.path.join(path, ".claude")
        self.codex_dir = os.path.join(path, ".codex")
        self._count = 0
        # Three days ago and a bit, so that no age changes its number while a test runs.
        self._start = clock.time() - 3 * 86_400 - 1_800
        self._children: list[subprocess.Popen[bytes]] = []
        os.makedirs(path, exist_ok=True)

    def close(self) -> None:
        """End what was started."""
        for child in self._children:
            if child.stdin is not None:
                child.stdin.close()
            child.kill()
            child.wait()
            if child.stdout is not None:
                child.stdout.close()

    def folder(self, *parts: str) -> str:
        """Make a folder below this home; returns its absolute path."""
        path = os.path.join(self.path, *parts)
        os.makedirs(path, exist_ok=True)
        return path

    def next_time(self) -> float:
        """A minute after the session written before."""
        self._count += 1
        return self._start + 60 * self._count

    def claude(  # noqa: PLR0913 - each an option of a test
        self,
        records: Sequence[Record | bytes] | None = None,
        *,
        id: str | None = None,  # noqa: A002
        cwd: str | None = "/home/kim/api",
        prompt: str = "why does the cache grow?",
        version: str = "2.1.332",
        project: str | None = None,
        branch: str | None = "main",
        entrypoint: str = "cli",
        model: str = "opus-x",
        effort: str | None = "high",
        mode: str = "default",
        time: float | None = None,
        mtime: float | None = None,
        config: str | None = None,
        filler: int = 0,
        sidecar: str | None = None,
        name: str | None = None,
    ) -> Written:
        """Write a transcript of Claude Code `version` (2.0.77, 2.1.150 or 2.1.332).

        `records` stand for the usual ones and are completed from the other arguments; `time` is
        the newest record's, `mtime` the file's (seconds); `project` overrides the project folder's
        name, `name` the file's.
        """
        later = self.next_time()
        seconds = later if time is None else time
        own = id or str(
            uuid.UUID(
                bytes=hashlib.md5(b"kim%d" % self._count, usedforsecurity=False).digest(), version=4
            )
        )
        session = Claude(own, cwd, version, branch, entrypoint, model, effort, mode)
        plain = session.usual(prompt, filler) if records is None else records
        told = [r for r in plain if not isinstance(r, bytes) and r["type"] in CONVERSATION]
        whole: list[Record | bytes] = []
        parent, number = None, 0
        for record in plain:
            if isinstance(record, bytes):
                whole.append(record)
                continue
            number += record["type"] in CONVERSATION
            done = session.complete(record, seconds - (len(told) - number), parent, number)
            parent = done.get("uuid", parent)
            if done.get("leafUuid") == "":
                done["leafUuid"] = parent
            whole.append(done)
        folder = slug(cwd or "/home/kim/api") if project is None else project
        directory = os.path.join(config or self.claude_dir, "projects", folder)
        path = os.path.join(directory, name or own + ".jsonl")
        write_lines(path, whole)
        if sidecar is not None:
            title = {"customTitle": sidecar, "by": "user", "at": iso(seconds)}
            write_lines(os.path.join(directory, own, "custom-title.json"), [dump(title)])
        stamp = seconds + 5 if mtime is None else mtime
        os.utime(path, (stamp, stamp))
        return Written(own, path)

    def claude_live(  # noqa: PLR0913 - each an option of a test
        self,
        id: str,  # noqa: A002
        *,
        status: str = "idle",
        pid: int | None = None,
        start: str | None = None,
        job: object = None,
        kind: str | None = None,
    ) -> int:
        """Write `sessions/<pid>.json` for session `id`, by default of a real child: its pid.

        With a `job` the session is one in the background.
        """
        if pid is None:
            pid = self.child().pid
        if start is None:
            with open(f"/proc/{pid}/stat") as file:
                start = file.read().rpartition(")")[2].split()[19]  # field 22: starttime
        record = {
            "pid": pid,
            "sessionId": id,
            "cwd": "/home/kim/api",
            "startedAt": 0,
            "procStart": start,
        }
        record |= {
            "version": "2.1.332",
            "kind": kind or ("interactive" if job is None else "bg"),
            "entrypoint": "cli",
            "status": status,
        }
        if job is not None:
            record["jobId"] = job
        write_lines(os.path.join(self.claude_dir, "sessions", f"{pid}.json"), [dump(record)])
        write_lines(os.path.join(self.claude_dir, "sessions", f"{pid}.x.key"), [b"secret"])
        return pid

    def child(self) -> subprocess.Popen[bytes]:
        """A process that lives until the test ends."""
        child = subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE)
        self._children.append(child)
        return child

    def codex(  # noqa: PLR0913 - each an option of a test
        self,
        records: Sequence[Record | bytes] | None = None,
        *,
        id: str | None = None,  # noqa: A002
        cwd: str = "/home/kim/api",
        prompt: str = "make the retry loop stop",
        dialect: str = "paginated",
        client: str | None = None,
        source: Any = None,
        originator: str = "codex-tui",
        branch: str | None = "main",
        model: str | None = "gpt-x",
        effort: str | None = "high",
        approval: Any = "on-request",
        sandbox: str = "workspace-write",
        reviewer: str = "user",
        time: float | None = None,
        mtime: float | None = None,
        archived: bool = False,
        root: str | None = None,
        bulk: bool = True,
        meta: Mapping[str, Any] | None = None,
        first: Sequence[Record | bytes] | None = None,
        more: Sequence[Record] = (),
        suffix: str = ".jsonl",
    ) -> Written:
        """Write a rollout: `legacy` as 0.63 or 0.125 did, `paginated` as 0.171 does.

        `records` stand for all but the session_meta, `first` for that one, `more` come after the
        usual ones, `meta` are fields of the session_meta's payload.
        """
        later = self.next_time()
        seconds = later if time is None else time
        own = id or f"01a0c0de-{self._count:04x}-7000-8000-{self._count:012x}"
        client = client or ("0.171.0" if dialect == "paginated" else "0.125.0")
        source = source or ("vscode" if dialect == "paginated" else "cli")
        thread = Codex(own, cwd, client, dialect, model, effort, approval, sandbox, reviewer)
        fields = {"originator": originator, "source": source} | dict(meta or {})
        head = [thread.meta(seconds, branch, fields)] if first is None else first
        body = thread.usual(prompt, bulk=bulk) if records is None else records
        plain: list[Record | bytes] = [*head, *body, *more]
        whole: list[Record | bytes] = []
        for number, record in enumerate(plain):
            if isinstance(record, bytes):
                whole.append(record)
                continue
            stamped: Record = {"timestamp": iso(seconds - (len(plain) - 1 - number) / 1000)}
            if dialect == "paginated":
                stamped["ordinal"] = number
            whole.append(stamped | record)
        stamp = clock.strftime("%Y-%m-%dT%H-%M-%S", clock.localtime(seconds))
        name = f"rollout-{stamp}-{own}{suffix}"
        dated = os.path.join("sessions", *stamp[:10].split("-"))
        path = os.path.join(
            root or self.codex_dir, "archived_sessions" if archived else dated, name
        )
        write_lines(path, whole)
        changed = seconds + 5 if mtime is None else mtime
        os.utime(path, (changed, changed))
        return Written(own, path)

    def thread(self, session: Written | str, **fields: Any) -> Record:
        """An index row as 0.171 writes it, for a rollout or, from a bare id, for none."""
        own, path = session if isinstance(session, Written) else (session, "/home/kim/gone.jsonl")
        seconds = fields.pop("time", None) or self._start + 60 * self._count
        row: Record = {
            "id": own,
            "rollout_path": path,
            "created_at": int(seconds),
            "updated_at": int(seconds),
            "source": "vscode",
            "model_provider": "openai",
            "cwd": "/home/kim/api",
            "title": "make the retry loop stop",
            "sandbox_policy": profile("workspace-write"),
            "approval_mode": "on-request",
            "git_branch": "main",
            "cli_version": "0.171.0",
            "first_user_message": "make the retry loop stop",
            "model": "gpt-x",
            "reasoning_effort": "high",
            "created_at_ms": milliseconds(seconds),
            "updated_at_ms": milliseconds(seconds),
            "thread_source": "user",
            "preview": "make the retry loop stop",
            "recency_at": int(seconds),
            "recency_at_ms": milliseconds(seconds),
            "history_mode": "paginated",
            "originator": "codex-tui",
        }
        return row | fields

    def codex_db(  # noqa: PLR0913 - each an option of a test
        self,
        rows: Sequence[Record],
        *,
        columns: int = 43,
        state: str = "checkpointed",
        folder: str | None = None,
        name: str = "state_5.sqlite",
        edges: Sequence[tuple[str, str]] = (),
    ) -> str:
        """Write a real index in one of the states the clients leave it in; returns its path.

        `checkpointed`: the database alone. `wal`: all of it, the schema too, still in the -wal.
        `noshm`: the same without the -shm. `nowal`: the same without both, which loses everything.
        `stale`: the main file holds the first row under the title "stale" and nothing of the rest.
        `live`: open in another process. `locked`: exclusively so. `nothreads`: no such table.
        `truncated`, `garbage`: damaged.
        """
        target = folder or self.codex_dir
        os.makedirs(target, exist_ok=True)
        path = os.path.join(target, name)
        with tempfile.TemporaryDirectory() as scratch:
            made = os.path.join(scratch, name)
            build = sqlite3.connect(made, isolation_level=None)
            build.execute("PRAGMA journal_mode=WAL")
            build.execute("PRAGMA wal_autocheckpoint=0")
            self._fill(build, rows, columns, state, edges)
            if state in {"wal", "noshm", "nowal", "stale"}:
                for ending in {"wal": ("", "-wal", "-shm"), "nowal": ("",)}.get(
                    state, ("", "-wal")
                ):
                    shutil.copyfile(made + ending, path + ending)
                build.close()
            else:
                build.close()
                shutil.copyfile(made, path)
        if state == "truncated":
            os.truncate(path, 6_000)
        elif state == "garbage":
            write_lines(path, [b"\0\xff not a database " * 500])
        elif state in {"live", "locked"}:
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, path, state],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._children.append(writer)
            if writer.stdout is None or writer.stdout.readline() != b"ready\n":
                raise AssertionError("the writer of the index did not start")
        return path

    @staticmethod
    def _fill(
        build: sqlite3.Connection,
        rows: Sequence[Record],
        columns: int,
        state: str,
        edges: Sequence[tuple[str, str]],
    ) -> None:
        known = COLUMNS[:columns]
        build.execute(
            "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT)"
        )
        if state == "nothreads":
            return
        build.execute(f"CREATE TABLE threads ({', '.join(' '.join(column) for column in known)})")
        build.execute(
            "CREATE TABLE thread_spawn_edges (parent_thread_id TEXT NOT NULL, "
            "child_thread_id TEXT PRIMARY KEY, status TEXT NOT NULL)"
        )
        names = {column[0] for column in known}
        for number, row in enumerate(rows):
            kept = {key: value for key, value in row.items() if key in names}
            marks = ", ".join("?" * len(kept))
            statement = f"INSERT INTO threads ({', '.join(kept)}) VALUES ({marks})"  # noqa: S608 - our own names
            build.execute(statement, tuple(kept.values()))
            if state == "stale" and number == 0:
                late = {
                    key: row[key]
                    for key in ("title", "preview", "first_user_message")
                    if key in names
                }
                fields = ", ".join(f"{key} = ?" for key in late)
                build.execute(f"UPDATE threads SET {fields}", ["stale"] * len(late))  # noqa: S608
                build.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                build.execute(f"UPDATE threads SET {fields}", tuple(late.values()))  # noqa: S608
        for parent, child in edges:
            build.execute("INSERT INTO thread_spawn_edges VALUES (?, ?, 'done')", (parent, child))

    def codex_names(self, *names: tuple[str, str]) -> None:
        """Write session_index.jsonl: ids and names, oldest first."""
        lines = [
            {"id": own, "thread_name": name, "updated_at": iso(self.next_time())}
            for own, name in names
        ]
        write_lines(os.path.join(self.codex_dir, "session_index.jsonl"), lines)

    def codex_locks(self, *ids: str, root: str | None = None) -> None:
        """Make thread-writer-locks/ as 0.147 and later do, with a lock for each id that is open."""
        folder = os.path.join(root or self.codex_dir, "thread-writer-locks")
        for name in (".coordination", *ids):
            write_lines(os.path.join(folder, name + ".lock"), [])


PIXEL: Final = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(60)).decode()


def image() -> Record:
    """A picture in a prompt, as Claude Code stores it."""
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    return {"type": "image", "source": source}


def tool_result(text: str = "ok") -> Record:
    return {"type": "tool_result", "tool_use_id": "t1", "content": text}
