"""The row format: the only place that knows columns (README.md, "Rows")."""

from __future__ import annotations

import os

from sessfzf.folders import is_folder
from sessfzf.text import fit, is_clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sessfzf.session import Session

_MINUTE, _HOUR, _DAY, _WEEK, _YEAR = 60, 3600, 86400, 7 * 86400, 365 * 86400


def formatter(form: str, now: int) -> Callable[[Session], str]:
    """Return what makes the line (without its newline) of a session.

    ``form`` is ``""`` for the six plain fields, ``fzf`` for the same made for reading in fzf,
    ``json`` for one object. ``now`` is epoch ms.
    """
    if form == "json":
        return _json
    if form == "fzf":
        return _Fzf(now).row
    return _Plain(now).row


def age(time: int, now: int) -> str:
    """Return how long ago ``time`` was (both epoch ms): now, 5m, 3h, 2d, 6w, 1y."""
    seconds = (now - time) // 1000
    if seconds < _MINUTE:
        return "now"  # the future too: another machine's clock may have been ahead
    for unit, letter, limit in (
        (_MINUTE, "m", _HOUR),
        (_HOUR, "h", _DAY),
        (_DAY, "d", _WEEK),
        (_WEEK, "w", _YEAR),
    ):
        if seconds < limit:
            return f"{seconds // unit}{letter}"
    return f"{seconds // _YEAR}y"


class Folders:
    """Folders as a row shows them: printable, the home folder as ``~``."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {"": ""}
        home = os.path.expanduser("~").rstrip("/")
        self._home = home if home.startswith("/") else ""

    def show(self, folder: str) -> str:
        """Return the folder as shown."""
        shown = self._shown.get(folder)
        if shown is None:
            shown = folder
            if self._home and (folder + "/").startswith(self._home + "/"):
                shown = "~" + folder[len(self._home) :]
            if not shown.isprintable() or not shown.isascii():
                shown = _visible(shown)
            self._shown[folder] = shown
        return shown


class _Plain:
    def __init__(self, now: int) -> None:
        self._now = now
        self._folders = Folders()

    def row(self, session: Session) -> str:
        branch, title = session.branch, session.title
        if not (is_clean(branch) and is_clean(title)):  # an index that somebody else wrote
            branch, title = _visible(branch), _visible(title)
        return (
            f"{session.id}\t{session.app}\t{age(session.time, self._now)}\t"
            f"{self._folders.show(session.cwd)}\t{branch}\t{title}"
        )


_RESET, _DIM, _RED, _GREEN, _CYAN, _MAGENTA, _BLUE = (
    f"\x1b[{code}m" for code in ("0", "2", "31", "32", "36", "35", "34")
)
LIVE_MARK = "●"
GONE_MARK = "✗"


class _Fzf:
    """Aligned columns, as wide as the terminal allows; colour unless NO_COLOR is set."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._folders = Folders()
        self._gone: dict[str, bool] = {}
        self._colour = not os.environ.get("NO_COLOR")
        columns = _terminal_columns()
        self._folder_width = min(max(columns // 4, 16), 40)
        self._branch_width = min(max(columns // 8, 8), 24)

    def row(self, session: Session) -> str:
        gone = self._gone.get(session.cwd)
        if gone is None:
            gone = self._gone[session.cwd] = not is_folder(session.cwd)
        folder = self._folders.show(session.cwd)
        if gone:
            folder = f"{GONE_MARK} {folder}"
        live = LIVE_MARK if session.live else " "
        fields = (
            (_BLUE, fit(session.app, 11)),
            (_GREEN if session.live else _DIM, f"{age(session.time, self._now):>3}{live}"),
            (_RED if gone else _CYAN, fit(folder, self._folder_width, keep_end=not gone)),
            (_MAGENTA, fit(_visible(session.branch), self._branch_width)),
            (_DIM if session.hidden else "", _visible(session.title) + _why(session)),
        )
        if not self._colour:
            return "\t".join((session.id, *(text for _, text in fields)))
        return "\t".join(
            (
                session.id,
                *(f"{colour}{text}{_RESET}" if colour else text for colour, text in fields),
            )
        )


def _why(session: Session) -> str:
    return f" [{_visible(session.hidden)}]" if session.hidden else ""


def _json(session: Session) -> str:
    record = {
        "app": session.app,
        "id": session.id,
        "title": _visible(session.title),
        "cwd": session.cwd or None,
        "branch": _visible(session.branch) or None,
        "time": session.time,
        "mtime": session.mtime,
        "bytes": session.bytes,
        "model": session.model or None,
        "effort": session.effort or None,
        "approval": session.approval or None,
        "sandbox": session.sandbox or None,
        "live": session.live or None,
        "hidden": session.hidden or None,
        "path": session.path,
    }
    import orjson

    try:
        line = orjson.dumps(record).decode()
    except TypeError:  # a path that is not UTF-8, or a lone surrogate in a folder
        import json

        line = json.dumps(record, separators=(",", ":"))
    # JSON may hold DEL, C1 and bidi controls as they are; a terminal had better not get them.
    return line if line.isprintable() else "".join(map(_escaped, line))


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _visible(text: str) -> str:
    from sessfzf.text import clean

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
