"""The row format: the only place that knows columns (README.md, "Rows")."""

from __future__ import annotations

import os

from sessfzf.folders import is_folder
from sessfzf.text import clean, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sessfzf.session import Session

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
    ``json`` for one object. ``now`` is epoch ms.
    """
    if form == "json":
        return _Json()
    return _Fzf(now) if form == "fzf" else _Plain(now)


class Form:
    """A form of rows: a line without its newline for each session."""

    def row(self, session: Session) -> str:
        """Return the row of a session."""
        raise NotImplementedError

    def fields(self, id: str, app: str, time: int, cwd: str, branch: str, title: str) -> str:  # noqa: A002, PLR0913
        """Return the row of a session that is neither hidden nor live."""
        raise NotImplementedError


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
        # Whether it is hidden or live is not said: six fields have no room for it.
        return self.fields(
            session.id, session.app, session.time, session.cwd, session.branch, session.title
        )

    def fields(self, id: str, app: str, time: int, cwd: str, branch: str, title: str) -> str:  # noqa: A002, PLR0913
        if not (title.isprintable() and branch.isprintable()):  # an index that is not of our making
            branch, title = _visible(branch), _visible(title)
        return f"{id}\t{app}\t{self._age(time)}\t{self._folders[cwd]}\t{branch}\t{title}"


_RESET, _DIM, _RED, _GREEN, _CYAN, _MAGENTA, _BLUE = (
    f"\x1b[{code}m" for code in ("0", "2", "31", "32", "36", "35", "34")
)
LIVE_MARK = "●"
GONE_MARK = "✗"
_APP_WIDTH = 11


class _Fzf(Form):
    """Aligned columns, as wide as the terminal allows; colour unless NO_COLOR is set."""

    def __init__(self, now: int) -> None:
        self._colour = not os.environ.get("NO_COLOR")
        self._idle = Ages(now, lambda age: self._paint(_DIM, f"{age:>3} ")).show
        self._live = Ages(now, lambda age: self._paint(_GREEN, f"{age:>3}{LIVE_MARK}")).show
        self._folders = Folders()
        columns = _terminal_columns()
        self._folder_width = min(max(columns // 4, 16), 40)
        self._branch_width = min(max(columns // 8, 8), 24)
        # Cells that repeat, made once.
        self._folder_cells: dict[str, str] = {}
        self._branch_cells: dict[str, str] = {}
        self._app_cells: dict[str, str] = {}

    def row(self, session: Session) -> str:
        title = _visible(session.title)
        if session.hidden:
            title = self._paint(_DIM, f"{title} [{_visible(session.hidden)}]")
        when = self._live(session.time) if session.live else self._idle(session.time)
        self._make_cells(session.app, session.cwd, session.branch)
        return "\t".join(
            (
                session.id,
                self._app_cells[session.app],
                when,
                self._folder_cells[session.cwd],
                self._branch_cells[session.branch],
                title,
            )
        )

    def fields(self, id: str, app: str, time: int, cwd: str, branch: str, title: str) -> str:  # noqa: A002, PLR0913
        if not title.isprintable():  # an index that is not of our making
            title = _visible(title)
        try:
            return (
                f"{id}\t{self._app_cells[app]}\t{self._idle(time)}\t"
                f"{self._folder_cells[cwd]}\t{self._branch_cells[branch]}\t{title}"
            )
        except KeyError:
            self._make_cells(app, cwd, branch)
            return self.fields(id, app, time, cwd, branch, title)

    def _make_cells(self, app: str, cwd: str, branch: str) -> None:
        if app in self._app_cells and cwd in self._folder_cells and branch in self._branch_cells:
            return
        self._app_cells[app] = self._paint(_BLUE, fit(app, _APP_WIDTH))
        shown = fit(_visible(branch), self._branch_width)
        self._branch_cells[branch] = self._paint(_MAGENTA, shown)
        folder = self._folders[cwd]
        if not cwd or is_folder(cwd):
            cell = self._paint(_CYAN, fit(folder, self._folder_width, keep_end=True))
        else:
            folder = fit(folder, self._folder_width - 2, keep_end=True)
            cell = self._paint(_RED, f"{GONE_MARK} {folder}")
        self._folder_cells[cwd] = cell

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour else text


class _Json(Form):
    def row(self, session: Session) -> str:
        return _json(session)


def _json(session: Session) -> str:
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
