"""``sessfzf preview``: facts of a chosen session, and below them the end of its conversation."""

from __future__ import annotations

import os
from time import localtime, strftime, time

from sessfzf.agents import ANSWER, NOTE, PROMPT, TOOL, source
from sessfzf.errors import SessfzfError
from sessfzf.jsonl import TAIL_BYTES, parse
from sessfzf.markdown import BOLD, DIM, PLAIN, open_fence, render
from sessfzf.options import FLAG, VALUE
from sessfzf.plan import check_folder, given, resolve
from sessfzf.rows import GONE_MARK, MARKS, Ages, Folders
from sessfzf.streams import write
from sessfzf.text import clean, clean_lines, fit, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Agent, Conversation, Launch, Turn
    from sessfzf.markdown import Line
    from sessfzf.search.pattern import Pattern
    from sessfzf.session import Session

    # What it is painted in, a label, and the text.
    Fact = tuple[str, str, str]

OPTIONS = {"--find": VALUE, "--regex": FLAG, "--word": FLAG}
POSITIONAL = "key"

_RESET = "\x1b[0m"
_RED, _GREEN, _YELLOW, _CYAN, _MAGENTA = (f"\x1b[{code}m" for code in (31, 32, 33, 36, 35))
_YOU, _THEM = "\x1b[1;36m", "\x1b[1;35m"
_LABEL_WIDTH = 10
_ENTER = ("Enter", "")  # labels of what the key does
_INDENT = "  "
_MARKS = {TOOL: "  → ", NOTE: "  — "}  # of turns that are one line each
_DEFAULT_COLUMNS = 80
_COLUMNS = (16, 500)
_LINES = (1, 1000)
_TITLE_LINES = 2
_LOST = "its transcript is gone"
_SILENT = "nothing was said, or not near enough to its end"
_KILO = 1024
_DAY = 86_400_000  # ms
_SOON = 7 * _DAY


def run(key: str = "", *, find: str = "", regex: bool = False, word: bool = False) -> int:
    """Write the preview of the session to stdout; return the exit code.

    With ``find`` the conversation is shown around its newest match, which is marked; ``regex`` and
    ``word`` say what it is, as for ``grep``. Raises SessfzfError like ``plan``, but not for what
    keeps a session from being resumed: that is one of the facts.
    """
    store, agent, session = resolve(given(key))
    sought = _pattern(find, regex=regex, word=word) if find else None
    columns, height = _screen()
    # First: for a long thread it looks further for the settings than the list does.
    launch = agent.launch(session, recorded=False, fork=False)
    told = store.conversation()
    room = max(height // 2, 1) if height else 0
    now = list(_told(session, launch))
    if room and len(_facts(session, now, columns)) > room:
        # The row of the list says the others, too, but not what the key does and asks.
        now.sort(key=lambda fact: (fact[1] not in _ENTER, fact[1] != "approvals"))
    head = _facts(session, [*now, *_past(session, agent, told)], columns)
    head.append(((DIM, "─" * columns),))
    if room:
        head = head[:room]
    _show(head)  # at once: when nobody reads any more, this is where it ends
    if not height or height > len(head):
        room = height and height - len(head)
        found = _found(told, session, sought, columns, room) if sought and session.stamp else []
        _show(found or _end(told, session, columns, room))
    return 0


def _pattern(text: str, *, regex: bool, word: bool) -> Pattern:
    from sessfzf.search.pattern import Pattern  # not above: it needs re

    return Pattern(text, regex=regex, word=word)


def _screen() -> tuple[int, int]:
    """Return the columns, and the lines or 0 for as many as there are, that can be seen."""
    try:
        terminal = os.get_terminal_size(1)
        columns, lines = terminal.columns, terminal.lines - 1  # the prompt comes below
    except OSError:
        columns, lines = _DEFAULT_COLUMNS, 0
    columns = _number("FZF_PREVIEW_COLUMNS") or columns
    lines = _number("FZF_PREVIEW_LINES") or lines
    return _within(columns, _COLUMNS), _within(lines, _LINES) if lines else 0


def _number(variable: str) -> int:
    text = os.environ.get(variable, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0  # noqa: PLR2004


def _within(number: int, bounds: tuple[int, int]) -> int:
    return max(bounds[0], min(number, bounds[1]))


def _show(lines: list[Line]) -> None:
    colour = not os.environ.get("NO_COLOR")
    painted = [
        "".join(_paint(text, paint, colour=colour) for paint, text in line) for line in lines
    ]
    write("".join(f"{line}\n" for line in painted))


def _paint(text: str, paint: str, *, colour: bool) -> str:
    return f"{paint}{text}{_RESET}" if colour and paint and text else text


# The facts, what matters most first: a low window shows only the first of them.


def _facts(session: Session, told: list[Fact], columns: int) -> list[Line]:
    title = wrap(clean(session.title), columns)
    if len(title) > _TITLE_LINES:
        title[_TITLE_LINES - 1 :] = [fit(" ".join(title[_TITLE_LINES - 1 :]), columns).rstrip()]
    lines: list[Line] = [((BOLD, line),) for line in title]
    for colour, label, value in told:
        room = max(columns - _LABEL_WIDTH, columns // 2)
        margin = columns - room
        for number, line in enumerate(wrap(clean(value, 1000), room)):
            lines.append(((DIM, fit("" if number else label, margin)), (colour, line)))
    return lines


def _told(session: Session, launch: Launch) -> Iterator[Fact]:
    """Yield what the session is, and what resuming it would do."""
    from sessfzf.repository import branch

    mark, colour = MARKS.get(session.live, ("", PLAIN))
    place = "in the background" if launch.attaches else ""
    state = f"{mark} {session.live} {place}".strip()
    yield colour, "app", " · ".join(filter(None, (session.app, session.hidden, state)))
    refusal = _refusal(session)
    folder = Folders()[session.cwd] or "not recorded"
    yield (_RED, "folder", f"{folder} {GONE_MARK}") if refusal else (_CYAN, "folder", folder)
    present = "" if refusal else branch(session.cwd)
    yield from _branch(session, present)
    used = ", ".join(filter(None, (session.model, session.effort)))
    yield PLAIN, "model", used or "not recorded"
    yield PLAIN, "approvals", _approvals(session)
    moved = bool(present and session.branch and present != session.branch)
    yield from _enter(session, launch, refusal, moved=moved)


def _past(session: Session, agent: Agent, told: Conversation) -> Iterator[Fact]:
    """Yield where the session comes from, and how long it stays."""
    yield PLAIN, "active", _when(session.time)
    if session.stamp:
        yield PLAIN, "size", _size(session.bytes)
    until = told.kept_until(session)
    day = _date(until, "%Y-%m-%d")
    left = until - int(time() * 1000)
    if day and left > 0:
        yield _YELLOW if left < _SOON else PLAIN, "kept", f"until {day}, then deleted"
    elif day:
        yield _RED, "kept", f"until {day}: deleted when {session.app} is next started"
    if session.forked:
        named = _title(told.parent(session), session, agent)
        yield PLAIN, "fork of", " · ".join(filter(None, (named, session.forked)))
    yield DIM, "id", session.id


def _title(path: str, session: Session, agent: Agent) -> str:
    """Return the title of the session that this one was forked from, ``""`` if it is not there."""
    try:
        parent = path and agent.read(session.root, source(path, session.forked), parse, None)
    except OSError:
        return ""
    return parent.title if parent else ""


def _refusal(session: Session) -> str:
    if session.hidden == "missing":
        return _LOST
    try:
        check_folder(session)
    except SessfzfError as error:
        return error.message.partition(":")[0]
    return ""


def _branch(session: Session, present: str) -> Iterator[Fact]:
    if present and not session.branch:
        yield PLAIN, "branch", f"not recorded, the folder is on {present}"
    elif present and present != session.branch:
        yield _RED, "branch", f"{session.branch}, the folder is on {present}"
    elif session.branch:
        yield _MAGENTA, "branch", session.branch


def _approvals(session: Session) -> str:
    told = ", ".join(filter(None, (session.approval, session.sandbox)))
    return told or "not recorded"


def _enter(session: Session, launch: Launch, refusal: str, *, moved: bool) -> Iterator[Fact]:
    """Yield what the key in the picker will do, which is what ``plan`` does without options."""
    if refusal:
        yield _RED, "Enter", f"refuses: {refusal}"
        return
    held = [f"{one['what']} {one['given']}, {one['why']}" for one in launch.held_back]
    kept = "attaches to it" if launch.attaches else "resumes"
    if session.approval or session.sandbox:
        kept += " with these approvals"
    elif not launch.attaches:
        kept += " with the agent's strict default"
    yield PLAIN, "Enter", "; ".join(held) or kept
    if moved and not launch.attaches:
        yield _RED, "", "asks first: the branch moved"
    for question in launch.questions:
        yield _RED, "", f"asks first: {question}"


def _date(moment: int, form: str) -> str:
    try:
        return strftime(form, localtime(moment // 1000)) if moment else ""
    except (ValueError, OverflowError, OSError):  # a number that is no time
        return ""


def _when(moment: int) -> str:
    date = _date(moment, "%Y-%m-%d %H:%M")
    age = Ages(int(time() * 1000)).show(moment)
    return " · ".join(filter(None, (date, age if age == "now" else f"{age} ago")))


def _size(count: int) -> str:
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < _KILO:
            break
        size, unit = size / _KILO, larger
    return f"{size:.1f} {unit}" if unit != "B" else f"{count} B"


# The conversation.


def _end(told: Conversation, session: Session, columns: int, room: int) -> list[Line]:
    """Return the last ``room`` lines of the conversation, all of the tail's when that is 0."""
    shown: list[tuple[str, list[Line]]] = []
    count = 0
    for role, text in _turns(told, session):
        turn = role, _body(role, text, columns, room)
        if turn[1] and not (role == NOTE and shown and shown[-1] == turn):
            shown.append(turn)
            count += len(turn[1])
        if room and count >= room:
            break
    lines = _laid_out(shown[::-1], session.app)
    if room and len(lines) > room:
        lines = lines[-room:]
        if room > 1:
            lines[0] = ((DIM, "…"),)
    return lines or [((DIM, fit(_SILENT, columns).rstrip()),)]


def _found(
    told: Conversation, session: Session, sought: Pattern, columns: int, room: int
) -> list[Line]:
    """Return ``room`` lines around the newest match, all near it when that is 0; none without."""
    from sessfzf.search.around import around, mark

    try:
        turns, at = around(told, session, sought)
    except OSError:
        return []
    bodies = [(role, _body(role, text, columns, 0)) for role, text in turns]
    before = _laid_out([turn for turn in bodies[:at] if turn[1]], session.app)
    lines = _laid_out([turn for turn in bodies if turn[1]], session.app)
    lines, first = mark(lines, sought, len(before))
    if not room or len(lines) <= room:
        return lines
    start = max(0, min(first - room // 3, len(lines) - room))
    shown = lines[start : start + room]
    if start and room > 2:  # noqa: PLR2004 - one of them is the match's
        shown[0] = ((DIM, "…"),)
    return shown


def _turns(told: Conversation, session: Session) -> Iterator[Turn]:
    if not session.stamp:
        yield NOTE, _LOST
        return
    try:
        yield from told.turns(session, TAIL_BYTES)
    except OSError as error:
        yield NOTE, error.strerror or "cannot be read"


def _body(role: str, text: str, columns: int, room: int) -> list[Line]:
    """Return the lines of one turn; at least the last ``room`` of them."""
    if role in _MARKS:
        text = clean(text)
        return [((DIM, fit(_MARKS[role] + text, columns).rstrip()),)] if text else []
    left_out = max(len(text) - room * columns, 0) if room else 0
    fence = open_fence(text[:left_out])
    lines = clean_lines(text[left_out:])
    shown = render(lines, columns - len(_INDENT), signs=role == ANSWER, fence=fence)
    return [((PLAIN, _INDENT), *line) if any(text for _, text in line) else () for line in shown]


def _laid_out(shown: list[tuple[str, list[Line]]], app: str) -> list[Line]:
    """Return the lines of the turns, under the name of who acts where that changes."""
    lines: list[Line] = []
    speaker = before = ""
    for role, body in shown:
        acting = {PROMPT: "you", NOTE: speaker}.get(role, app)
        if lines and not (role == TOOL and before in {ANSWER, TOOL}):
            lines.append(())
        if acting != speaker:
            lines.append(((_YOU if role == PROMPT else _THEM, acting),))
            speaker = acting
        lines += body
        before = role
    return lines
