"""``sessfzf preview``: facts of a chosen session, and below them the end of its conversation."""

from __future__ import annotations

import os
from time import localtime, strftime, time

from sessfzf.agents import NOTE, PROMPT, TOOL
from sessfzf.errors import SessfzfError
from sessfzf.jsonl import TAIL_BYTES
from sessfzf.plan import check_folder, given, resolve
from sessfzf.rows import GONE_MARK, LIVE_MARK, Ages, Folders
from sessfzf.streams import write
from sessfzf.text import clean, clean_lines, fit, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Launch, Store, Turn
    from sessfzf.session import Session

    # A label, a colour, and what is shown in it behind the label: one line of clean text.
    Line = tuple[str, str, str]

OPTIONS: dict[str, int] = {}
POSITIONAL = "key"

_RESET, _PLAIN = "\x1b[0m", ""
_DIM, _RED, _GREEN, _CYAN, _MAGENTA = (f"\x1b[{code}m" for code in ("2", "31", "32", "36", "35"))
_LABEL_WIDTH = 11
_INDENT = "  "
_MARKS = {TOOL: "  → ", NOTE: "  — "}  # of turns that are one line each
_DEFAULT_COLUMNS = 80
_COLUMNS = (16, 500)
_LINES = (1, 1000)
_TITLE_LINES = 2
_LOST = "its transcript is gone"
_SILENT = "nothing was said, or not near enough to its end"
_KILO = 1024


def run(key: str = "") -> int:
    """Write the preview of the session to stdout; return the exit code.

    Raises SessfzfError like ``plan``, but not for what keeps a session from being resumed: that is
    one of the facts.
    """
    store, agent, session = resolve(given(key))
    columns, height = _screen()
    # First: for a long thread it looks further for the settings than the list does.
    launch = agent.launch(session, recorded=False, fork=False)
    head = [*_facts(session, launch, columns), ("", _DIM, "─" * columns)]
    if height:
        head = head[: max(height // 2, 1)]
    _show(head)  # at once: when nobody reads any more, this is where it ends
    if not height or height > len(head):
        _show(_end(store, session, columns, height and height - len(head)))
    return 0


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
        f"{_paint(label, _DIM, colour=colour)}{_paint(text, paint, colour=colour)}\n"
        for label, paint, text in lines
    ]
    write("".join(painted))


def _paint(text: str, paint: str, *, colour: bool) -> str:
    return f"{paint}{text}{_RESET}" if colour and paint and text else text


# The facts, what matters most first: a low window shows only the first of them.


def _facts(session: Session, launch: Launch, columns: int) -> list[Line]:
    title = wrap(clean(session.title), columns)
    if len(title) > _TITLE_LINES:
        title[_TITLE_LINES - 1 :] = [fit(" ".join(title[_TITLE_LINES - 1 :]), columns).rstrip()]
    lines = [("", _PLAIN, line) for line in title]
    for colour, label, value in _told(session, launch):
        room = max(columns - _LABEL_WIDTH, columns // 2)
        margin = columns - room
        for number, line in enumerate(wrap(clean(value, 1000), room)):
            lines.append((fit("" if number else label, margin), colour, line))
    return lines


def _told(session: Session, launch: Launch) -> Iterator[tuple[str, str, str]]:
    """Yield the colour, label and text of each fact."""
    state = f"{LIVE_MARK} {session.live}" if session.live else ""
    yield (
        _GREEN if state else _PLAIN,
        "app",
        " · ".join(filter(None, (session.app, session.hidden, state))),
    )
    refusal = _refusal(session)
    folder = Folders()[session.cwd] or "not recorded"
    yield (_RED, "folder", f"{GONE_MARK} {folder}") if refusal else (_CYAN, "folder", folder)
    if session.branch:
        yield from _branch(session, there=not refusal)
    used = ", ".join(filter(None, (session.model, session.effort)))
    yield _PLAIN, "model", used or "not recorded"
    yield _PLAIN, "approvals", _approvals(session)
    yield from _enter(launch, refusal)
    yield _PLAIN, "active", _when(session.time)
    if session.stamp:
        yield _PLAIN, "size", _size(session.bytes)
    yield _DIM, "id", session.id


def _refusal(session: Session) -> str:
    if session.hidden == "missing":
        return _LOST
    try:
        check_folder(session)
    except SessfzfError as error:
        return error.message.partition(":")[0]
    return ""


def _branch(session: Session, *, there: bool) -> Iterator[tuple[str, str, str]]:
    from sessfzf.repository import branch

    present = branch(session.cwd) if there else ""
    if present and present != session.branch:
        yield _RED, "branch", f"{session.branch}, the folder is on {present}"
    else:
        yield _MAGENTA, "branch", session.branch


def _approvals(session: Session) -> str:
    told = ", ".join(filter(None, (session.approval, session.sandbox)))
    return told or "not recorded"


def _enter(launch: Launch, refusal: str) -> Iterator[tuple[str, str, str]]:
    """Yield what the key in the picker will do, which is what ``plan`` does without options."""
    if refusal:
        yield _RED, "Enter", f"refuses: {refusal}"
        return
    held = [f"{one['what']} {one['given']}, {one['why']}" for one in launch.held_back]
    yield _PLAIN, "Enter", "; ".join(held) or "resumes with these approvals"
    for question in launch.questions:
        yield _RED, "", f"asks first: {question}"


def _when(moment: int) -> str:
    try:
        date = strftime("%Y-%m-%d %H:%M", localtime(moment // 1000))
    except (ValueError, OverflowError, OSError):  # a number that is no time
        date = ""
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


def _end(store: Store, session: Session, columns: int, room: int) -> list[Line]:
    """Return the last ``room`` lines of the conversation, all of the tail's when that is 0."""
    shown: list[tuple[str, list[str]]] = []
    count = 0
    for role, text in _turns(store, session):
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
            lines[0] = ("", _DIM, "…")
    return lines or [("", _DIM, fit(_SILENT, columns).rstrip())]


def _turns(store: Store, session: Session) -> Iterator[Turn]:
    if not session.stamp:
        yield NOTE, _LOST
        return
    try:
        yield from store.turns(session, TAIL_BYTES)
    except OSError as error:
        yield NOTE, error.strerror or "cannot be read"


def _body(role: str, text: str, columns: int, room: int) -> list[str]:
    """Return the lines of one turn; at least the last ``room`` of them."""
    if role in _MARKS:
        text = clean(text)
        return [fit(_MARKS[role] + text, columns).rstrip()] if text else []
    if room:
        text = text[-room * columns :]
    inside = columns - len(_INDENT)
    lines = [line for long in clean_lines(text) for line in wrap(long, inside)]
    return [_INDENT + line if line else "" for line in lines]


def _laid_out(shown: list[tuple[str, list[str]]], app: str) -> list[Line]:
    """Return the lines of the turns, under the name of who acts where that changes."""
    lines: list[Line] = []
    speaker = before = ""
    for role, body in shown:
        acting = {PROMPT: "you", NOTE: speaker}.get(role, app)
        if lines and not (role == before == TOOL):
            lines.append(("", _PLAIN, ""))
        if acting != speaker:
            lines.append(("", _CYAN if role == PROMPT else _MAGENTA, acting))
            speaker = acting
        lines += [("", _DIM if role in _MARKS else _PLAIN, line) for line in body]
        before = role
    return lines
