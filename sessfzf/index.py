"""The cache of what was read: the only thing sessfzf ever writes.

A text file, because that is read quickest without an import: two lines a file of a store, its
path and stamp (what changes when the file does), and the fields of what was found in it. It is a
cache: missing, torn, foreign, unwritable or of another version, it is ignored or made anew,
silently.
"""

from __future__ import annotations

import os

from sessfzf import __version__
from sessfzf.session import FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sessfzf.agents import Source

# The header names the version: after an upgrade everything is read anew.
_HEADER = f"sessfzf {__version__} index 7"
_FOOTER = "end"
_LEFT_OVER = 60  # s: no write takes that long
_TEMPORARY_LENGTH = len("index.") + 16
_LINES = 1000
_BLOCK = 256 * 1024
_BIGGEST = 64 * 1024 * 1024  # some 100,000 sessions: a bigger file is none of ours


class Index:
    """What earlier runs found, by path. ``enabled=False`` neither reads nor writes the file."""

    def __init__(self, *, enabled: bool = True) -> None:
        place = folder() if enabled else ""
        self._file = os.path.join(place, "index") if place else ""
        # By key (path, tab, stamp): the rows, as they stand in the file. What is asked for goes
        # from the one to the other, so that of thousands of keys there are not two in memory.
        self._known: dict[str, str] = _load(self._file) if place else {}
        self._seen: dict[str, str] = {}
        self._taken: list[tuple[list[Source], list[str | None]]] = []
        self._put: set[str] = set()  # paths
        self._stamps: dict[str, str] | None = None  # by path, of what earlier runs knew
        self._changed = False

    def texts(self, sources: list[Source]) -> list[str | None]:
        """Return the rows kept for each file as they stand there, None when new or changed."""
        take = self._known.pop
        texts = [take(key, None) for _, key, _ in sources]
        if self._seen and None in texts:
            seen = self._seen.get  # asked for before, one by one
            texts = [
                seen(key) if text is None else text
                for (_, key, _), text in zip(sources, texts, strict=True)
            ]
        self._taken.append((sources, texts))
        return texts

    def text(self, key: str) -> str | None:
        """Return what ``texts`` does of one file."""
        text = self._known.pop(key, None)
        if text is None:
            return self._all_seen().get(key)
        self._seen[key] = text
        return text

    def _all_seen(self) -> dict[str, str]:
        # What was taken is looked through only when somebody has to know: mostly nobody has.
        for sources, texts in self._taken:
            for (_, key, _), text in zip(sources, texts, strict=True):
                if text is not None:
                    self._seen.setdefault(key, text)
        self._taken.clear()
        return self._seen

    def get(self, path: str, stamp: str) -> list[list[str]] | None:
        """Return the rows kept for the file, or None when it is new or has changed since."""
        text = self.text(f"{path}\t{stamp}")
        return None if text is None else _unpack_rows(text)

    def before(self, path: str) -> tuple[str, list[list[str]]] | None:
        """Return the stamp and rows kept of the past of a file, which ``text`` knew nothing of."""
        if self._stamps is None:
            parts = (key.rpartition("\t") for key in self._known)
            self._stamps = {known: stamp for known, _, stamp in parts}
        stamp = self._stamps.get(path)
        text = None if stamp is None else self._known.get(f"{path}\t{stamp}")
        return None if stamp is None or text is None else (stamp, _unpack_rows(text))

    def put(self, path: str, stamp: str, rows: list[list[str]]) -> None:
        """Keep ``rows`` for the file."""
        self._changed = True
        self._put.add(path)
        self._seen[f"{path}\t{stamp}"] = _ROW.join([_pack(row) for row in rows])

    def rows(
        self, path: str, stamp: str, fields: int, read: Callable[[str], list[list[str]]]
    ) -> list[list[str]]:
        """Return the rows kept for the file, from ``read(path)`` when it is new or has changed.

        Each has ``fields`` fields; if one has not, it is not of our making, and all are read anew.
        """
        rows = self.get(path, stamp)
        if rows is None or any(len(row) != fields for row in rows):
            rows = read(path)
            self.put(path, stamp, rows)
        return rows

    def forget(self) -> None:
        """Take nothing more from the file: it holds what this release did not write."""
        self._known, self._seen, self._stamps = {}, {}, None
        self._taken.clear()
        self._changed = True

    def save(self, *, complete: bool) -> None:
        """Write the index if anything changed.

        ``complete`` says that every store was walked to its end, so that what was not seen is gone.
        """
        if not self._file:
            return
        if complete:
            self._changed = self._changed or bool(self._known)
            self._known = {}
        if not self._changed:
            return
        entries = self._all_seen()
        if self._known:
            kept = self._known.items()
            entries = {key: text for key, text in kept if key.rpartition("\t")[0] not in self._put}
            entries |= self._seen
        try:
            _write(self._file, entries)
        except OSError:
            return  # a full disk or a read-only home costs speed, nothing else
        self._changed = False


def folder() -> str:
    """Return the cache folder: ``$XDG_CACHE_HOME/sessfzf``, else ``~/.cache/sessfzf``.

    ``""`` when nobody says where the home folder is: a file in the present one would surprise.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):  # relative ones are to be ignored (XDG base directories 0.8)
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "sessfzf") if base.startswith("/") else ""


def unpack(text: str, fields: int = -1) -> list[str]:
    """Return the fields of a row as it stands in the file.

    With ``fields``, all behind that many may come as one, still joined by FIELD.
    """
    if "\\" in text:
        return [_unescape(field) for field in text.split(FIELD)]
    return text.split(FIELD, fields)


def _load(file: str) -> dict[str, str]:
    try:
        # A FIFO in its place must not wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as stream:
            if os.fstat(descriptor).st_size > _BIGGEST:
                return {}
            lines: list[str] = []
            rest = b""
            # Not at once: memory that is used again costs less than new, and much less is needed.
            while block := stream.read(_BLOCK):
                whole, newline, rest = (rest + block).rpartition(b"\n")
                if newline:
                    lines += whole.decode("utf-8", "surrogatepass").split("\n")
        if rest.decode() != _FOOTER or lines.pop(0) != _HEADER:
            return {}
        return dict(zip(lines[::2], lines[1::2], strict=True))
    except (OSError, ValueError, IndexError):
        return {}


def _write(file: str, entries: dict[str, str]) -> None:
    from sessfzf.interrupts import Uninterrupted

    directory = os.path.dirname(file)
    # A first ~/.cache too: makedirs gives its mode to the last folder only.
    for one in (os.path.dirname(directory), directory):
        os.makedirs(one, mode=0o700, exist_ok=True)
    _sweep(directory)
    temporary = f"{file}.{os.urandom(8).hex()}"
    with Uninterrupted():
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb", buffering=0) as out:
                for data in _blocks(entries):
                    while data:
                        data = data[out.write(data) :]  # noqa: PLW2901 - what is left of it
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise


def _blocks(entries: dict[str, str]) -> Iterator[bytes]:
    """Yield the file in parts: as a whole it would double what thousands of sessions take."""
    lines = [_HEADER]
    for key, text in entries.items():
        if "\n" not in key:
            lines += (key, text)
        if len(lines) > _LINES:
            yield ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
            lines.clear()
    yield "\n".join([*lines, _FOOTER]).encode("utf-8", "surrogatepass")


def _sweep(directory: str) -> None:
    # fzf ends its producer with SIGKILL: a temporary file may be left from a run that was writing.
    from time import time

    for entry in list(os.scandir(directory)):
        try:
            ours = entry.name.startswith("index.") and len(entry.name) == _TEMPORARY_LENGTH
            if ours and time() - entry.stat().st_mtime > _LEFT_OVER:
                os.unlink(entry.path)
        except OSError:
            continue  # another run has renamed or removed it, or it is not ours


# Between rows, as FIELD is between fields. What separates is escaped should a store hold it.
_ROW = "\x1e"
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), (_ROW, "\\r"), (FIELD, "\\f"))
_UNESCAPE = {"\\": "\\", "n": "\n", "r": _ROW, "f": FIELD}


def _unpack_rows(text: str) -> list[list[str]]:
    return [unpack(row) for row in text.split(_ROW)] if text else []


def _pack(row: list[str]) -> str:
    text = FIELD.join(row)
    if "\\" in text or "\n" in text or _ROW in text or text.count(FIELD) >= len(row):
        return FIELD.join([_escape(field) for field in row])
    return text


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
