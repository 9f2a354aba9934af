"""The row format: the only place that knows columns (README.md, "Rows")."""

from __future__ import annotations

import os

from sessfzf.folders import is_folder
from sessfzf.session import IS_FORK
from sessfzf.text import clean, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sessfzf.search.judge import Match
    from sessfzf.session import Session

    # id, app, time (epoch ms), cwd, branch, title, words: of these fields of a session.
    Shown = tuple[str, str, int, str, str, str, str]
    _Cells = tuple[str, str, str]  # the app's, those of folder and branch, what follows the title

_MINUTE, _HOUR, _DAY, _WEEK, _YEAR = 60, 3600, 86400, 7 * 86400, 365 * 86400
_UNITS = (
    (_MINUTE, "", _MINUTE),
    (_MINUTE, "m", _HOUR),
    (_HOUR, "h", _DAY),
    (_DAY, "d", _WEEK),
    (_WEEK, "w", _YEAR),
    (_YEAR, "y", float("inf")),
)


def formatter(form: str, now: int) -> Form:
    """Return what makes the rows of a form.

    ``form`` is ``""`` for the six plain fields, ``fzf`` for the same made for reading in fzf,
    ``picker`` for these with what our own picker searches besides, ``json`` for one object. ``now``
    is epoch ms.
    """
    if form == "json":
        return _Json()
    if form == "picker":
        return _Picker(now)
    return _Fzf(now) if form == "fzf" else _Plain(now)


class Form:
    """A form of rows: a line without its newline for each session."""

    def header(self, scope: str, *, hidden: bool) -> str:
        """Return the line above the rows, of the picker."""
        raise NotImplementedError

    def empty(self, scope: str) -> str:
        """Return the row that says that nothing is in a scope, of the picker."""
        raise NotImplementedError

    def row(self, session: Session) -> str:
        """Return the row of a session."""
        raise NotImplementedError

    def line(self, session: Session) -> bytes:
        """Return the row of a session in UTF-8, made the quicker way where it can be."""
        if session.hidden or session.live:
            return self.row(session).encode()
        return self.fields(_shown(session))

    def fields(self, shown: Shown) -> bytes:
        """Return the row, in UTF-8, of a session that is neither hidden nor live.

        Not as text: a character that is not ASCII would make all text written with it take longer.
        """
        raise NotImplementedError

    def matched(self, session: Session, match: Match) -> str:
        """Return the row of a session with one field more: the line in it that matches."""
        return f"{self.row(session)}\t{match[1]}"


def _shown(session: Session) -> Shown:
    return (
        session.id,
        session.app,
        session.time,
        session.cwd,
        session.branch,
        session.title,
        session.words,
    )


class Ages:
    """How long ago a session was last active, as a row shows it: now, 5m, 3h, 2d, 6w, 1y.

    ``cell`` is what is made of that text.
    """

    def __init__(self, now: int, cell: Callable[[str], str] = str) -> None:
        self._now = now  # epoch ms
        self._cell = cell
        # The last answer and the times it is right for: rows come in the order of time.
        self._after, self._upto, self._text = 0, -1, ""

    def show(self, time: int) -> str:
        """Return the age of ``time`` (epoch ms)."""
        if self._after < time <= self._upto:
            return self._text
        seconds = (self._now - time) // 1000
        unit, letter, limit = next(unit for unit in _UNITS if seconds < unit[2])
        count = max(seconds // unit, 0)
        # A year does not end with a week.
        self._after = self._now - int(min((count + 1) * unit, limit)) * 1000
        self._upto = time
        # A time yet to come is now, too: another machine's clock may have been ahead.
        self._text = self._cell(f"{count}{letter}" if letter else "now")
        return self._text


class Folders(dict[str, str]):
    """Folders as a row shows them, by folder: printable, the home folder as ``~``.

    A dictionary that fills itself: thousands of sessions share some dozens of folders.
    """

    def __init__(self) -> None:
        super().__init__({"": ""})
        home = os.path.expanduser("~").rstrip("/")
        self._home = home if home.startswith("/") else ""

    def __missing__(self, folder: str) -> str:
        shown = folder
        if self._home and f"{folder}/".startswith(f"{self._home}/"):
            shown = "~" + folder[len(self._home) :]
        shown = self[folder] = _visible(shown)
        return shown


class _Plain(Form):
    def __init__(self, now: int) -> None:
        self._age = Ages(now).show
        self._folders = Folders()

    def row(self, session: Session) -> str:
        return self.line(session).decode()

    def line(self, session: Session) -> bytes:
        # Whether it is hidden or live is not said: six fields have no room for it.
        return self.fields(_shown(session))

    def fields(self, shown: Shown) -> bytes:
        id, app, time, cwd, branch, title, _ = shown  # noqa: A001 - the field's own name
        if not (title.isprintable() and branch.isprintable()):  # an index that is not of our making
            branch, title = _visible(branch), _visible(title)
        row = f"{id}\t{app}\t{self._age(time)}\t{self._folders[cwd]}\t{branch}\t{title}"
        return row.encode()


_RESET, _BOLD, _DIM, _RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN, _NEAR, _HERE = (
    f"\x1b[{code}m" for code in ("0", "1", "2", "31", "32", "33", "34", "35", "36", "1;36", "1;33")
)
LIVE_MARK = "●"
GONE_MARK = "✗"
MARKS = {
    # Of a live session, by its state.
    "busy": (LIVE_MARK, _GREEN),
    "waiting": ("◆", _YELLOW),
    "idle": ("○", _GREEN),
    "open": ("○", _GREEN),
    # Of its folder.
    "gone": (GONE_MARK, _RED),
    "worktree": ("⎇", _CYAN),
    # Of itself: the last three by why it is hidden.
    "fork": ("↳", _MAGENTA),
    "archived": ("▣", _DIM),
    "print": ("▷", _DIM),
    "missing": (GONE_MARK, _DIM),
}
"""What stands for what, each one column wide, and its colour."""

_APP_WIDTH = 11
_AGE_WIDTH = 3


class _Fzf(Form):
    """Aligned columns, as wide as the terminal allows; colour unless NO_COLOR is set."""

    def __init__(self, now: int) -> None:
        self._colour = not os.environ.get("NO_COLOR")
        self._age = Ages(now).show
        self._idle = Ages(now, lambda age: self._paint(_DIM, f"{age:>{_AGE_WIDTH}} ")).show
        mark, colour = MARKS["fork"]
        self._fork = self._paint(colour, mark)
        self._folders = Folders()
        self._app_width = _APP_WIDTH
        self._set_widths(_terminal_columns())
        # What repeats, made once: by app, folder and branch; by folder.
        self._cells: dict[tuple[str, str, str], _Cells] = {}
        self._places: dict[str, tuple[str, str]] = {}
        self._linked: dict[str, bool] = {}

    def _set_widths(self, columns: int) -> None:
        self._folder_width = min(max(columns // 4, 16), 40)
        self._branch_width = min(max(columns // 8, 8), 24)
        self._title_width = min(max(columns // 4, 16), 40)

    def row(self, session: Session) -> str:
        app, place, _ = self._made(session.app, session.cwd, session.branch)
        return f"{session.id}\t{app}\t{self._when(session)}\t{place}\t{self._title(session)}"

    def fields(self, shown: Shown) -> bytes:
        id, app, time, cwd, branch, title, words = shown  # noqa: A001
        if not title.isprintable():  # an index that is not of our making
            title = _visible(title)
        if words.endswith(IS_FORK):
            title = f"{self._fork} {title}"
        name, place, _ = self._made(app, cwd, branch)
        return f"{id}\t{name}\t{self._idle(time)}\t{place}\t{title}".encode()

    def matched(self, session: Session, match: Match) -> str:
        # The title as a column, so that the lines stand below each other.
        app, place, _ = self._made(session.app, session.cwd, session.branch)
        title = fit(_visible(session.title), self._title_width)
        front = f"{session.id}\t{app}\t{self._when(session)}\t{place}"
        return f"{front}\t{title}\t{self._line(match)}"

    def _line(self, match: Match) -> str:
        _, line, start, end = match
        if start < end:
            return f"{line[:start]}{self._paint(_RED, line[start:end])}{line[end:]}"
        return line

    def _when(self, session: Session) -> str:
        if not session.live:
            return self._idle(session.time)
        mark, colour = MARKS.get(session.live, MARKS["open"])
        return self._paint(colour, f"{self._age(session.time):>{_AGE_WIDTH}}{mark}")

    def _title(self, session: Session) -> str:
        title = _visible(session.title)
        if session.hidden:
            mark, colour = MARKS.get(session.hidden, ("?", _DIM))
            title = self._paint(colour, f"{mark} {title}")
        return f"{self._fork} {title}" if session.words.endswith(IS_FORK) else title

    def _made(self, app: str, cwd: str, branch: str) -> _Cells:
        cells = self._cells.get((app, cwd, branch))
        if cells is None:
            folder, words = self._places.get(cwd) or self._make_place(cwd)
            shown = _visible(branch)
            place = f"{folder}\t{self._paint(_MAGENTA, fit(shown, self._branch_width))}"
            name = self._paint(_BLUE, fit(self._name(app), self._app_width))
            cells = name, place, self._rest(app, cwd, shown, words)
            self._cells[app, cwd, branch] = cells
        return cells

    def _make_place(self, cwd: str) -> tuple[str, str]:
        """Return the cell of a folder, and the marks that are in it as words."""
        mark, colour, words = "", self._folder_colour(cwd), ""
        if cwd and not is_folder(cwd):
            mark, colour, words = f"{GONE_MARK} ", _RED, " is:gone"
        elif cwd and self._is_linked(cwd):
            mark, words = f"{MARKS['worktree'][0]} ", " is:worktree"
        shown = fit(self._folders[cwd], self._folder_width - len(mark), keep_end=True)
        self._places[cwd] = self._paint(colour, mark + shown), words
        return self._places[cwd]

    def _is_linked(self, cwd: str) -> bool:
        from sessfzf.repository import is_linked

        return is_linked(cwd, self._linked)

    # What the picker does otherwise.

    def _name(self, app: str) -> str:
        return app

    def _folder_colour(self, cwd: str) -> str:
        del cwd
        return _CYAN

    def _rest(self, app: str, cwd: str, branch: str, words: str) -> str:
        del app, cwd, branch, words
        return ""

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour else text


_POINTER, _SCROLLBAR = 2, 1  # columns that fzf takes on both sides of a row
_BESIDE = 100  # columns of a terminal in which fzf.LOOK shows the preview beside the list
_NARROW = 80
_SHORT_APP_WIDTH = 6


class _Picker(_Fzf):
    """The same for our own picker, with more to be searched beyond the edge of the screen.

    Behind the title, each in a field of its own so that no part of a query matches across them:
    id; model, effort and the marks as words; folder in full; branch; app.
    """

    def __init__(self, now: int) -> None:
        super().__init__(now)
        from sessfzf.scopes import Here, Within

        self._sought = self._edge.encode()
        self._ready: dict[tuple[str, str, str], tuple[bytes, bytes, bytes]] = {}
        here = Here()
        self._here, self._near = here.folder, Within(here.repository())

    def header(self, scope: str, *, hidden: bool) -> str:
        """Return the first line: the scopes and their keys, in brackets what is shown."""
        from sessfzf.scopes import header

        line = header(scope, self._room, hidden=hidden)
        if self._colour:
            line = line.replace("[", f"{_BOLD}[").replace("]", f"]{_RESET}")
        return f"\t{line}"

    def empty(self, scope: str) -> str:
        """Return the row that stands where a scope is empty: its id is empty, too."""
        from sessfzf.scopes import EMPTY

        return f"\t{self._paint(_YELLOW, EMPTY[scope])}"

    def _set_widths(self, columns: int) -> None:
        beside = columns >= _BESIDE
        width = columns - columns // 2 - 1 if beside else columns
        self._room = width - _POINTER - _SCROLLBAR
        self._app_width = _SHORT_APP_WIDTH
        super()._set_widths(width)
        if width < _NARROW:
            self._folder_width = min(max(width // 4, 10), 20)
            self._branch_width = max(width // 8, 6)
        before = self._app_width + _AGE_WIDTH + self._folder_width + self._branch_width
        self._edge = " " * (columns - before) + "\t" + (_DIM if self._colour else "")

    def matched(self, session: Session, match: Match) -> str:
        # In the place of the title, for which there is not much room anyway.
        app, place, _ = self._made(session.app, session.cwd, session.branch)
        front = f"{session.id}\t{app}\t{self._when(session)}\t{place}"
        return f"{front}\t{self._line(match)}  {self._paint(_DIM, _visible(session.title))}"

    def row(self, session: Session) -> str:
        _, _, rest = self._made(session.app, session.cwd, session.branch)
        words = [_visible(session.words)]
        if session.live:
            words += ("is:live", f"is:{_visible(session.live)}")
        if session.hidden:
            words.append(f"is:{_visible(session.hidden)}")
        return f"{super().row(session)}{self._edge}{session.id}\t{' '.join(words)}{rest}"

    def fields(self, shown: Shown) -> bytes:
        id, app, time, cwd, branch, title, words = shown  # noqa: A001
        try:
            name, place, rest = self._ready[app, cwd, branch]
        except KeyError:
            cells = self._made(app, cwd, branch)
            name, place, rest = self._ready[app, cwd, branch] = (
                f"\t{cells[0]}\t".encode(),
                f"\t{cells[1]}\t".encode(),
                cells[2].encode(),
            )
        if not (title.isprintable() and words.isprintable()):  # an index that is not of our making
            title, words = _visible(title), _visible(words)
        if words.endswith(IS_FORK):
            title = f"{self._fork} {title}"
        own, age = id.encode(), self._idle(time).encode()
        row = own, name, age, place, title.encode(), self._sought, own, b"\t", words.encode(), rest
        return b"".join(row)

    def _name(self, app: str) -> str:
        return app.partition("-")[0]  # claude; there is not much room for a title

    def _folder_colour(self, cwd: str) -> str:
        if cwd in self._here:
            return _HERE
        return _NEAR if self._near.names(cwd) else _CYAN

    def _rest(self, app: str, cwd: str, branch: str, words: str) -> str:
        folder = cwd and f"folder:{_visible(cwd)}"
        named = branch and f"branch:{branch}"
        return f"{words}\t{folder}\t{named}\tapp:{app}{_RESET if self._colour else ''}"


class _Json(Form):
    def row(self, session: Session) -> str:
        return _json(session)

    def line(self, session: Session) -> bytes:
        return _json(session).encode()

    def matched(self, session: Session, match: Match) -> str:
        return _json(session, by=match[0], match=match[1])


def _json(session: Session, **more: str) -> str:
    record = {
        "app": session.app,
        "id": session.id,
        "title": _visible(session.title),
        "cwd": session.cwd or None,
        "branch": _visible(session.branch) or None,
        "time": session.time,
        "mtime": session.mtime if session.stamp else None,
        "bytes": session.bytes if session.stamp else None,
        "model": session.model or None,
        "effort": session.effort or None,
        "approval": session.approval or None,
        "sandbox": session.sandbox or None,
        "live": session.live or None,
        "hidden": session.hidden or None,
        "path": session.path if session.stamp else None,
        **more,
    }
    import orjson

    try:
        line = orjson.dumps(record).decode()
    except TypeError:  # a path that is not UTF-8, or a lone surrogate in a folder
        import json

        line = json.dumps(record, separators=(",", ":"))
    # JSON may hold DEL, C1, bidi controls and piles of marks as they are; a terminal had better not
    # get them.
    if line.isprintable() and (line.isascii() or clean(line, len(line) + 1) == line):
        return line
    return "".join(map(_escaped, line))


def _escaped(char: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _visible(text: str) -> str:
    return text if text.isascii() and text.isprintable() else clean(text, 4096)


def _terminal_columns() -> int:
    # fzf starts `list` with its output in a pipe: ask the terminal behind the other descriptors.
    for descriptor in (2, 0):
        try:
            return os.get_terminal_size(descriptor).columns
        except OSError:
            continue
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return 100
    try:
        return os.get_terminal_size(terminal).columns
    except OSError:
        return 100
    finally:
        os.close(terminal)
