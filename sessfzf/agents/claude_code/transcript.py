"""Reading a Claude Code transcript: its end first, then as much of its beginning as is needed.

Format: reference B3 to B7, observed f (2.1.332), older-clients 6 (2.0.77 to 2.1.332).
"""

from __future__ import annotations

import os
from time import monotonic

from sessfzf.agents import is_uuid, parts
from sessfzf.agents.claude_code import APP, sidecar
from sessfzf.folders import real
from sessfzf.jsonl import (
    BLOCK,
    TAIL_BYTES,
    File,
    milliseconds,
    newest_first,
    records,
    string,
    table,
)
from sessfzf.session import Session
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Source
    from sessfzf.jsonl import Loads, Record

# Ranks of a title (B5), higher wins. A later prompt stands in for a first one that is out of reach.
(
    _BY_COMMAND,
    _BY_LATER_PROMPT,
    _BY_FIRST_PROMPT,
    _BY_LAST_PROMPT,
    _BY_SUMMARY,
    _BY_AGENT,
    _BY_PERSON,
    _BY_SIDECAR,
) = range(1, 9)
_TALK = ("user", "assistant")
_TALK_BYTES = (b'"user"', b'"assistant"', b'"system"')
_TITLE_BYTES = (b'"custom-title"', b'"ai-title"', b'"last-prompt"', b'"summary"')
_PLACE_BYTES = (b'"permission-mode"', b'"relocated"', b'"worktree-state"')
# Sought back to the tail's bound even when all else is known: the client writes them rarely.
_RARE_BYTES = (b'"custom-title"', b'"relocated"')
# How a record of the conversation begins, in every release, and none of the others does: most of a
# transcript, passed over at a glance where only the others are sought.
_MESSAGE = (b'{"parentUuid":',)
_MAX_PLACES = 8
_MAX_PATH = 4096  # PATH_MAX: a longer one names no folder, and costs time at every step
_MAX_CLIMB = 64
# Patterns are compiled where one is needed at last: importing re costs half of what starting the
# interpreter does, and most reads find all they need by plain bytes.
_CWD = rb'"cwd"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")'
_NOT_SDK = rb'"entrypoint"\s*:\s*"(?!sdk-)'
_SLUG_LIMIT = 200
_STAMP_LENGTH = 24  # "2026-11-02T08:00:00.100Z", as the client writes every time

# Texts that stand where a prompt would but that nobody typed (B5).
NO_PROMPT = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<session-start-hook>",
    "<tick>",
    "<goal>",
    "Caveat:",
    "[Request interrupted by user",
    "This session is being continued",
)
# Blocks that a client puts before what was typed: the prompt is what follows.
_PREFIXES = ("<ide_opened_file>", "<ide_selection>", "<system-reminder>")
_COMMAND = r"<command-name>\s*(/?[^<\s]+)"


def read(root: str, source: Source, loads: Loads, before: Session | None) -> Session | None:
    """Read one transcript: its Session, None when nobody said anything in it or it is no session.

    ``before`` is what the file said when it was shorter: then only what has come since is read, and
    what it does not say anew stays as it was. Raises OSError when the file cannot be read.
    """
    mtime_ns, _, session_id = source
    path, stamp = parts(source)
    session = Session(APP, root, session_id, path, stamp)
    facts = _Facts(session, slug=os.path.basename(os.path.dirname(path)))
    if before is not None and (not before.cwd or before.titled <= _BY_LATER_PROMPT):
        before = None  # its beginning may say more by now
    with File(path) as file:
        if before is None:
            blocks = _read_tail(file, facts, loads)
            if not _read_head(file, facts, loads, blocks):
                return None
            if not facts.talked:
                file.check(loads)
                return None
            session.unsearched = max(0, file.size - TAIL_BYTES)
        else:
            # A block more than has come: the line that it begins with may have begun before.
            fresh = file.size - before.bytes + BLOCK
            _read_tail(file, facts, loads, min(TAIL_BYTES, fresh))
            session.unsearched = before.unsearched
            if fresh > TAIL_BYTES:
                session.unsearched = file.size - TAIL_BYTES
    if before is not None:
        _keep(before, facts)
    else:
        session.cwd = facts.folder() or _launch_folder(session, loads)
        session.places = "\0".join(
            [place for place in facts.places if place != session.cwd and "\0" not in place]
        )
    session.time = facts.time or mtime_ns // 1_000_000
    session.branch = "" if facts.branch == "HEAD" else clean(facts.branch)
    session.model = facts.model
    facts.title(_BY_SIDECAR, _sidecar_title(path, loads))
    session.title = session.title or session.id
    if session.titled >= _BY_AGENT:
        session.unsearched = 0
    return session


def _keep(before: Session, facts: _Facts) -> None:
    """Keep what was known of the shorter file unless the new part says otherwise."""
    session = facts.session
    facts.title(before.titled, before.title)
    facts.time = max(facts.time, before.time)
    facts.branch = facts.branch or before.branch
    if facts.model in {"", before.model}:
        facts.model = before.model
        session.effort = session.effort or before.effort
    session.approval = session.approval or before.approval
    session.origin = session.origin or before.origin
    session.forked = before.forked
    session.cwd = facts.relocated or before.cwd
    session.places = before.places
    if facts.newest_entrypoint is None or facts.newest_entrypoint.startswith("sdk-"):
        session.hidden = before.hidden


def search_title(session: Session, loads: Loads, until: float) -> bool:
    """Look backwards for a title in what ``read`` did not reach, by its bytes; True if found.

    Older clients wrote a title once and did not repeat it near the end (reference B5). Stops at
    ``until`` (seconds of time.monotonic); ``session.unsearched`` says how much is left.
    """
    facts = _Facts(session, slug="")
    with File(session.path) as file:
        for start, block in file.backwards(min(session.unsearched, file.size)):
            for line in newest_first(block, _MESSAGE):
                if b'"custom-title"' in line or b'"ai-title"' in line:
                    for record in records(line, loads):
                        facts.take(record)
            session.unsearched = 0 if session.titled >= _BY_PERSON else start
            if not session.unsearched or monotonic() > until:
                break
    return session.titled >= _BY_AGENT


def slug(folder: str) -> str:
    """Return the name Claude Code gives a folder under ``projects/`` (B2, verified in observed d).

    ``folder`` is taken as it is: the client resolves links before, which a reader cannot once the
    folder is gone.
    """
    import unicodedata

    path = folder if folder.isascii() else unicodedata.normalize("NFC", folder)
    name = "".join(
        char if char.isascii() and char.isalnum() else "-" if char <= "\uffff" else "--"
        for char in path
    )
    if len(name) <= _SLUG_LIMIT:
        return name
    units = path.encode("utf-16-le", "surrogatepass")
    number = 0
    for at in range(0, len(units), 2):
        number = (number * 31 + (units[at] | units[at + 1] << 8)) & 0xFFFFFFFF
    if number >= 1 << 31:
        number = (1 << 32) - number
    return f"{name[:_SLUG_LIMIT]}-{_base36(number)}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


class _Facts:
    """What has been found of one transcript so far, reading it from the end."""

    def __init__(self, session: Session, slug: str) -> None:
        self.session = session
        self.slug = slug
        self.talked = False
        self.time = 0
        self.stamp = ""  # as it was written, if in the client's usual form
        self.branch = ""
        self.model = ""
        self.answered_by = ""  # message.model of the newest answer
        self.requested = ""  # its requestedModel
        self.relocated = ""
        self.places: dict[str, None] = {}
        self.owner = ""  # the first of them that the transcript's project folder is named after
        self.newest_entrypoint: str | None = None

    def title(self, rank: int, text: str) -> None:
        """Take the title if it is a better one than known; of one rank the first taken stays."""
        if rank > self.session.titled:
            text = clean(text)
            if text:
                self.session.title = text
                self.session.titled = rank

    def at(self, stamp: str) -> None:
        """Take a time if it is later than known."""
        usual = len(stamp) == _STAMP_LENGTH and stamp[-1] == "Z"
        if usual and stamp <= self.stamp:
            return  # converting every one of them would take longer than parsing the records
        time = milliseconds(stamp)
        if time > self.time:
            self.time = time
            self.stamp = stamp if usual else ""

    def place(self, folder: str) -> None:
        """Take a folder that a record was written in."""
        known = len(self.places) >= _MAX_PLACES or folder in self.places
        if not known and 0 < len(folder) <= _MAX_PATH:
            self.places[folder] = None
            if not self.owner and self.owns(folder):
                self.owner = folder

    def sought(self, block: bytes, number: int) -> Iterator[bytes]:
        """Yield the lines that still matter of a block, the newest being number 0."""
        passed_over: tuple[bytes, ...] = ()
        if number == 0 or not (self.time and self.branch and self.model):
            needles = [*_TALK_BYTES, *_TITLE_BYTES, *_PLACE_BYTES]
        else:
            needles = []
            if not self.session.effort:
                needles.append(b'"effort"')
            if not self.session.approval:
                needles.append(b'"permissionMode"')
            if number == 1 and not self.requested:
                needles.append(b'"requestedModel"')
            if number == 1 and self.session.titled < _BY_LATER_PROMPT:
                needles.append(b'"user"')
            needles = [needle for needle in needles if needle in block]
            if not needles:
                passed_over = _MESSAGE
            needles += _RARE_BYTES
            if self.session.titled < _BY_AGENT:
                needles += _TITLE_BYTES
        for line in newest_first(block, passed_over):
            if any(needle in line for needle in needles):
                yield line

    def take(self, record: Record) -> None:
        """Take what a record of the tail says, unless a newer one has said it."""
        session = self.session
        kind = string(record.get("type"))
        if kind in {"user", "assistant", "system"}:
            self._take_talk(record, kind)
        elif kind == "permission-mode":
            session.approval = session.approval or string(record.get("permissionMode"))
        elif kind == "custom-title":
            self.title(_BY_PERSON, string(record.get("customTitle")))
        elif kind == "ai-title":
            self.title(_BY_AGENT, string(record.get("aiTitle")))
        elif kind == "last-prompt":
            self.title(_BY_LAST_PROMPT, string(record.get("lastPrompt")))
        elif kind == "relocated":
            self.relocated = self.relocated or string(record.get("relocatedCwd"))
        elif kind == "worktree-state" and not session.origin:
            session.origin = string(table(record.get("worktreeSession")).get("originalCwd"))

    def _take_talk(self, record: Record, kind: str) -> None:
        session = self.session
        self.at(string(record.get("timestamp")))
        self.branch = self.branch or string(record.get("gitBranch"))
        if kind == "system":
            return
        self.talked = True
        if self.newest_entrypoint is None:
            self.newest_entrypoint = string(record.get("entrypoint"))
        if kind == "user":
            if record.get("isSidechain") is not True:  # a sub-agent may have a mode of its own
                session.approval = session.approval or string(record.get("permissionMode"))
            if session.titled < _BY_LATER_PROMPT:
                self.title(_BY_LATER_PROMPT, _prompt(record)[0])
            return
        answered_by = string(table(record.get("message")).get("model"))
        if record.get("isSidechain") is True or answered_by in {"", "<synthetic>"}:
            return  # an error of the API, or a sub-agent's answer, in old releases (2.0.77)
        self.answered_by = self.answered_by or answered_by
        if answered_by == self.answered_by:  # another model's effort may be none of this one's
            session.effort = session.effort or string(record.get("effort"))
            # "some assistant records" hold it (older-clients 6f): an older one says as what the
            # model was asked for, as long as it is the model that still answers.
            if not self.requested:
                self.requested = string(record.get("requestedModel"))
                self.model = self.requested or answered_by

    def folder(self) -> str:
        """Return the folder the session belongs to (B4): never the last one it worked in."""
        if self.relocated:
            return self.relocated
        if self.owner:
            return self.owner
        for place in self.places:  # started above every folder it recorded
            parent = os.path.dirname(place)
            for _ in range(_MAX_CLIMB):
                if not parent.strip("/"):
                    break
                if self.owns(parent):
                    return parent
                parent = os.path.dirname(parent)
        return next(iter(self.places), "")

    def owns(self, folder: str) -> bool:
        """Whether the project folder the transcript lies in is that of ``folder``."""
        return self._names(folder) or self._names(real(folder))

    def _names(self, folder: str) -> bool:
        name = slug(folder)
        # Older clients had another hash behind the 200 characters (B2).
        return name == self.slug or (
            len(name) > _SLUG_LIMIT and name[:_SLUG_LIMIT] == self.slug[:_SLUG_LIMIT]
        )


def _read_tail(file: File, facts: _Facts, loads: Loads, limit: int = TAIL_BYTES) -> list[bytes]:
    """Take what the end of the file says; return the blocks read, newest first."""
    blocks: list[bytes] = []
    for number, block in enumerate(file.tail(limit)):
        blocks.append(block)
        for line in facts.sought(block, number):
            for record in records(line, loads):
                facts.take(record)
    return blocks


def _read_head(file: File, facts: _Facts, loads: Loads, blocks: list[bytes]) -> bool:
    """Take what the beginning of the file says; False when it is no session of its own."""
    head = _Head(facts)
    raw_places: set[bytes] = set()
    latest = b""
    for line in file.head():
        # Most lines name the folder of the line before: finding just that is quicker.
        place = b"" if latest and latest in line else _first_place(line)
        fresh = place != b"" and place not in raw_places
        talk = not head.settled() and (b'"user"' in line or b'"assistant"' in line)
        other = not line.startswith(_MESSAGE)
        titled = other and (b'"summary"' in line or b'"custom-title"' in line)
        if not (fresh or talk or titled):
            continue
        if place:
            raw_places.add(place)
            latest = b'"cwd":' + place
        for record in records(line, loads):
            head.take(record)
        if head.nested:
            return False
        if (
            head.settled()
            and facts.owner
            and (file.size <= TAIL_BYTES or facts.session.titled >= _BY_PERSON)
        ):
            break  # else go on: a name given early may be too far from the end to be seen there
    _find_places(facts, blocks, loads, raw_places)
    head.conclude(blocks)
    return True


class _Head:
    """What the beginning of one transcript says that its end does not."""

    def __init__(self, facts: _Facts) -> None:
        self.facts = facts
        self.nested = False  # a sub-agent's or a teammate's transcript (B6)
        self.first_entrypoint: str | None = None
        self.all_sdk = True
        self.prompt = ""
        self.command = ""
        self.renamed = ""
        self.summaries: list[tuple[str, str]] = []
        self.uuids: set[str] = set()

    def settled(self) -> bool:
        """Whether the conversation's own records need not be read any further."""
        titled = self.prompt or self.facts.session.titled > _BY_FIRST_PROMPT
        return self.first_entrypoint is not None and bool(titled)

    def take(self, record: Record) -> None:
        """Take what a record of the head says."""
        kind = string(record.get("type"))
        if kind == "summary":
            self.summaries.append((string(record.get("summary")), string(record.get("leafUuid"))))
        elif kind == "custom-title":
            self.renamed = string(record.get("customTitle")) or self.renamed
        self.facts.place(string(record.get("cwd")))
        if kind not in _TALK:
            return
        self.facts.talked = True
        self.uuids.add(string(record.get("uuid")))
        entrypoint = string(record.get("entrypoint"))
        self.all_sdk = self.all_sdk and entrypoint.startswith("sdk-")
        if self.first_entrypoint is None:
            self.first_entrypoint = entrypoint
            # /branch stamps every record that it copies; a fork by --fork-session leaves no trace.
            parent = string(table(record.get("forkedFrom")).get("sessionId"))
            if is_uuid(parent) and parent != self.facts.session.id:
                self.facts.session.forked = parent
            self.nested = record.get("isSidechain") is True or bool(string(record.get("teamName")))
            self.facts.time = self.facts.time or max(0, milliseconds(record.get("timestamp")))
        if kind == "user" and not self.prompt:
            self.prompt, command = _prompt(record)
            self.command = self.command or command

    def conclude(self, blocks: list[bytes]) -> None:
        """Settle the title, and whether this is a print session, when the head has been read."""
        facts = self.facts
        facts.title(_BY_PERSON, self.renamed)
        for text, leaf in self.summaries:
            # 20 of 21 summaries name a message of another transcript (older-clients 6g, 2.0.77).
            if leaf in self.uuids or (is_uuid(leaf) and _holds_message(blocks, leaf)):
                facts.title(_BY_SUMMARY, text)
        facts.title(_BY_FIRST_PROMPT, self.prompt)
        facts.title(_BY_COMMAND, self.command)
        # A print session that was continued by hand is no print session any more (B6).
        if (
            self.all_sdk
            and (facts.newest_entrypoint or self.first_entrypoint or "").startswith("sdk-")
            and not _holds(blocks, _NOT_SDK)
        ):
            facts.session.hidden = "print"


def _holds_message(blocks: list[bytes], uuid: str) -> bool:
    return _holds(blocks, rb'"uuid"\s*:\s*"' + uuid.encode() + b'"')


def _holds(blocks: list[bytes], pattern: bytes) -> bool:
    import re

    return any(re.search(pattern, block) for block in blocks)


def _first_place(line: bytes) -> bytes:
    """Return the first folder that a line names, as it stands there, ``b""`` when there is none."""
    start = line.find(b'"cwd":"') + len(b'"cwd":')
    end = line.find(b'"', start + 1)
    if start >= len(b'"cwd":') and end > 0 and b"\\" not in line[start:end]:
        return line[start : end + 1]
    if b'"cwd"' not in line:
        return b""
    import re

    found = re.search(_CWD, line)
    return found[1] if found else b""


def _find_places(facts: _Facts, blocks: list[bytes], loads: Loads, known: set[bytes]) -> None:
    """Take the other folders that the tail names, the one the transcript belongs to among them."""
    for block in reversed(blocks):
        if block.count(b'"cwd"') == sum(block.count(b'"cwd":' + raw) for raw in known):
            continue  # as in most: they are all known
        import re

        for raw in re.findall(_CWD, block):
            if raw in known:
                continue
            known.add(raw)
            try:
                place = string(loads(raw))
            except ValueError:
                continue
            facts.place(place)
            if not facts.owner and len(place) <= _MAX_PATH and facts.owns(place):
                facts.owner = place


def _prompt(record: Record) -> tuple[str, str]:
    """Return what the person typed in a user record, and the slash command it is, if one."""
    if any(
        record.get(flag) is True
        for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain")
    ):
        return "", ""
    content = table(record.get("message")).get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    command, image = "", False
    for block in blocks:
        kind = table(block).get("type")
        if kind == "tool_result":
            return "", ""
        image = image or kind == "image"
        text = typed(string(table(block).get("text"))).strip()
        if text.startswith(NO_PROMPT):
            command = command or command_of(text)
        elif text:
            return text, ""
    return ("[Image]" if image and not command else ""), command


def typed(text: str) -> str:
    """Return the text without the blocks that a client puts before what was typed."""
    begin = 0  # a position, for text that is copied at each of thousands takes seconds
    while True:
        start = begin
        while text[start : start + 1].isspace():
            start += 1
        if not text.startswith(_PREFIXES, start):
            return text[begin:]
        end = f"</{text[start + 1 : text.index('>', start)]}>"
        found = text.find(end, start)
        if found < 0:
            return ""
        begin = found + len(end)


def command_of(text: str) -> str:
    """Return the slash command that a text is about, ``""`` when it is about none."""
    import re

    found = re.search(_COMMAND, text)
    return found[1] if found else ""


def _launch_folder(session: Session, loads: Loads) -> str:
    """Return where history.jsonl says the session was started (B4.4), for one without any cwd."""
    try:
        with File(os.path.join(session.root, "history.jsonl")) as file:
            for block in file.tail():
                if session.id.encode() not in block:
                    continue
                for line in newest_first(block):
                    for record in records(line, loads) if session.id.encode() in line else ():
                        if record.get("sessionId") == session.id:
                            return string(record.get("project"))
    except OSError:
        pass
    return ""


def _sidecar_title(path: str, loads: Loads) -> str:
    try:
        with File(sidecar(path)) as file:
            for block in file.tail():
                for record in records(block, loads):
                    return string(record.get("customTitle"))
    except OSError:
        pass
    return ""
