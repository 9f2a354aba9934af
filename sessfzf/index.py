"""The cache of what was read: the only thing sessfzf ever writes.

A text file, because that is read quickest without an import: three lines a file of a store:
its path, its stamp (what changes when the file does), the fields of what was found in it. It is a
cache: missing, torn, foreign, unwritable or of another version, it is ignored or made anew,
silently.
"""

from __future__ import annotations

import os

from sessfzf import __version__
from sessfzf.session import FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The header names the version: after an upgrade everything is read anew.
_HEADER = f"sessfzf {__version__} index 4"
_FOOTER = "end"
_LEFT_OVER = 60  # s: no write takes that long


class Index:
    """What earlier runs found, by path. ``enabled=False`` neither reads nor writes the file."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._file = os.path.join(folder(), "index") if enabled else ""
        # By path: the stamp, and the rows as they stand in the file.
        self._known: dict[str, tuple[str, str]] = _load(self._file) if enabled else {}
        self._seen: dict[str, tuple[str, str]] = {}
        self._changed = False

    def get(self, path: str, stamp: str, fields: int = -1) -> list[list[str]] | None:
        """Return the rows kept for the file, or None when it is new or has changed since.

        With ``fields``, all behind that many may come as one, still joined by FIELD.
        """
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            return None
        self._seen[path] = known
        return _decode(known[1], fields)

    def before(self, path: str) -> tuple[str, list[list[str]]] | None:
        """Return the stamp and rows kept for the file, however it has changed since."""
        known = self._known.get(path)
        return None if known is None else (known[0], _decode(known[1]))

    def put(self, path: str, stamp: str, rows: list[list[str]]) -> None:
        """Keep ``rows`` for the file."""
        self._changed = True
        self._seen[path] = stamp, _encode(rows)

    def rows(
        self, path: str, stamp: str, read: Callable[[str], list[list[str]]]
    ) -> list[list[str]]:
        """Return the rows kept for the file, from ``read(path)`` when it is new or has changed."""
        rows = self.get(path, stamp)
        if rows is None:
            rows = read(path)
            self.put(path, stamp, rows)
        return rows

    def forget(self) -> None:
        """Take nothing more from the file: it holds what this release did not write."""
        self._known = {}
        self._seen = {}
        self._changed = True

    def save(self, *, complete: bool) -> None:
        """Write the index if anything changed.

        ``complete`` says that every store was walked to its end, so that what was not seen is gone.
        """
        if not self._file:
            return
        entries = self._seen if complete else {**self._known, **self._seen}
        if not self._changed and len(entries) == len(self._known):
            return
        try:
            _write(self._file, entries)
        except OSError:
            return  # a full disk or a read-only home costs speed, nothing else
        self._known = entries
        self._changed = False


def folder() -> str:
    """Return the cache folder: ``$XDG_CACHE_HOME/sessfzf``, else ``~/.cache/sessfzf``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):  # relative ones are to be ignored (XDG base directories 0.8)
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "sessfzf")


def _load(file: str) -> dict[str, tuple[str, str]]:
    try:
        with open(file, "rb", buffering=0) as stream:
            lines = stream.readall().decode("utf-8", "surrogatepass").split("\n")
        if lines.pop(0) != _HEADER or lines.pop() != _FOOTER:
            return {}
        return dict(zip(lines[::3], zip(lines[1::3], lines[2::3], strict=True), strict=True))
    except (OSError, ValueError, IndexError):
        return {}


def _write(file: str, entries: dict[str, tuple[str, str]]) -> None:
    from sessfzf.interrupts import Uninterrupted

    directory = os.path.dirname(file)
    # A first ~/.cache too: makedirs gives its mode to the last folder only.
    for one in (os.path.dirname(directory), directory):
        os.makedirs(one, mode=0o700, exist_ok=True)
    _sweep(directory)
    lines = [
        f"{path}\n{stamp}\n{rows}" for path, (stamp, rows) in entries.items() if "\n" not in path
    ]
    data = "\n".join([_HEADER, *lines, _FOOTER]).encode("utf-8", "surrogatepass")
    temporary = f"{file}.{os.urandom(8).hex()}"
    with Uninterrupted():
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb", buffering=0) as out:
                while data:
                    data = data[out.write(data) :]
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise


def _sweep(directory: str) -> None:
    # fzf ends its producer with SIGKILL: a temporary file may be left from a run that was writing.
    from time import time

    for entry in list(os.scandir(directory)):
        try:
            if entry.name.startswith("index.") and time() - entry.stat().st_mtime > _LEFT_OVER:
                os.unlink(entry.path)
        except OSError:
            continue  # another run has renamed or removed it, or it is not ours


# What a line of rows begins with: one row follows as it is, or any number, each with its end, where
# what separates is escaped should a store hold it.
_ONE, _MANY = "=", "*"
_ROW = "\x1e"
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), (_ROW, "\\r"), (FIELD, "\\f"))
_UNESCAPE = {"\\": "\\", "n": "\n", "r": _ROW, "f": FIELD}


def _encode(rows: list[list[str]]) -> str:
    escaped = [[_escape(field) for field in row] for row in rows]
    if len(rows) == 1 and escaped == rows:
        return FIELD.join([_ONE, *rows[0]])
    return _MANY + "".join([FIELD.join(row) + _ROW for row in escaped])


def _decode(text: str, fields: int = -1) -> list[list[str]]:
    if text[:1] == _ONE:
        one = text.split(FIELD, fields + 1 if fields > 0 else -1)
        del one[0]
        return [one]
    rows = [row.split(FIELD) for row in text[1:].split(_ROW)[:-1]]
    if "\\" in text:
        return [[_unescape(field) for field in row] for row in rows]
    return rows


def _escape(field: str) -> str:
    for char, code in _ESCAPES:
        if char in field:
            field = field.replace(char, code)
    return field


def _unescape(field: str) -> str:
    first, *rest = field.split("\\")
    out, literal = [first], False
    for part in rest:
        if literal:
            out.append(part)
            literal = False
        elif part:
            out.append(_UNESCAPE.get(part[0], "") + part[1:])
        else:  # two backslashes in a row: the text after the second is literal
            out.append("\\")
            literal = True
    return "".join(out)
