"""Bounded reading of big JSONL files from both ends.

Files of tens of GB and lines of hundreds of MB exist (reference D26 to D29), so every read is
bounded by bytes and by line. Lines end at the byte 0x0A only: U+2028 and others are legal
inside JSON strings (D40).
"""

from __future__ import annotations

import os

from sessfzf.files import is_regular, open_quietly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from typing_extensions import Self

    Record = dict[str, object]
    Loads = Callable[[bytes], object]

HEAD_BYTES = 256 * 1024  # Codex 0.171 has the first prompt at byte 117,000 (observed f)
HEAD_RECORDS = 80
TAIL_BYTES = 512 * 1024  # Claude Code's newest answer stands up to 69 KB from the end (B3)
LINE_BYTES = 256 * 1024
BLOCK = 64 * 1024
SEARCH_BLOCK = 1024 * 1024
_FIRST_BLOCK = 8 * 1024  # most of what a head is read for stands in its first 3 KB (B3)
_LAST_BLOCK = 16 * 1024  # most of what a tail is read for stands in its last 19 KB (observed f)


class File:
    """A transcript, open for bounded reading. Raises OSError unless it is a regular file."""

    __slots__ = ("_fd", "size")

    def __init__(self, path: str) -> None:
        self._fd = open_quietly(path)
        status = os.fstat(self._fd)
        if not is_regular(status.st_mode):
            os.close(self._fd)
            raise OSError(0, "not a regular file", path)
        self.size = status.st_size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._fd)

    def beginning(self) -> bytes:
        """Return the first HEAD_BYTES bytes, for a file that is not made of records."""
        return os.pread(self._fd, HEAD_BYTES, 0)

    def head(self) -> Iterator[bytes]:
        """Yield the first lines, in order, within HEAD_BYTES and HEAD_RECORDS."""
        position, count, step = 0, 0, _FIRST_BLOCK
        rest = b""
        while position < HEAD_BYTES and count < HEAD_RECORDS:
            data = os.pread(self._fd, min(step, HEAD_BYTES - position), position)
            if not data:
                break
            position += len(data)
            step = BLOCK
            *lines, rest = (rest + data).split(b"\n")
            for line in lines[: HEAD_RECORDS - count]:
                if line:
                    yield line
            count += len(lines)
        if position >= self.size and rest and count < HEAD_RECORDS:
            yield rest  # an unterminated last line may still be complete (D20)

    def check(self, loads: Loads) -> None:
        """Raise OSError when the file has a beginning, but no record is in it: it is damaged."""
        if self.size and not any(records(line, loads) for line in self.head()):
            raise OSError(0, "no record could be read")

    def backwards(self, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield (start, block) of whole lines from ``end`` back to the beginning of the file.

        A line that is longer than a block is left out.
        """
        while end > 0:
            start = max(0, end - SEARCH_BLOCK)
            # One byte more than a line may have shows that one is too long.
            data = os.pread(self._fd, end - start + LINE_BYTES + 1, start)
            # To the end of the line that `end` lies in; from the first that begins in here.
            stop = data.find(b"\n", end - start)
            first = data.find(b"\n") + 1 if start else 0
            # In the midst of an endless line, or a hole, there is nothing to look through.
            whole = first or not start
            yield start, data[first : stop if stop >= 0 else len(data)] if whole else b""
            end = start

    def tail(self, limit: int = TAIL_BYTES) -> Iterator[bytes]:
        """Yield blocks of whole lines from the end backwards, ``limit`` bytes at most."""
        end, step = self.size, _LAST_BLOCK
        stop = max(0, end - limit)
        rest: list[bytes] = []  # of the line whose beginning is not reached yet, its end first
        while end > stop:
            start = max(stop, end - step)
            step = BLOCK
            data = os.pread(self._fd, end - start, start)
            if len(data) < end - start:
                rest = []  # the file has shrunk, and what followed is gone
            end = start
            cut = data.find(b"\n") if start > 0 else -1
            if start > 0 and cut < 0:
                rest.append(data)
                continue
            block = b"".join([data[cut + 1 :], *reversed(rest)])
            rest = [data[: max(cut, 0)]]
            if block:
                yield block


def newest_first(block: bytes, without: tuple[bytes, ...] = ()) -> Iterator[bytes]:
    """Yield the lines of a block from the last to the first, without the oversized ones.

    Nor are those yielded that begin with one of ``without``: they are passed over without a copy.
    """
    end = len(block)
    while end > 0:
        start = block.rfind(b"\n", 0, end) + 1
        if start < end <= start + LINE_BYTES and not block.startswith(without, start):
            yield block[start:end]
        end = start - 1


def newest_with(block: bytes, needles: tuple[bytes, ...]) -> Iterator[bytes]:
    """Yield of ``newest_first`` those that hold one of ``needles``; others are not looked at."""
    end = len(block)
    while (at := max([block.rfind(needle, 0, end) for needle in needles])) >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        stop = block.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        if stop - start <= LINE_BYTES:
            yield block[start:stop]
        end = start


def loader(files: int) -> Loads:
    """Return the JSON parser that is cheapest for this many files to read.

    Loading orjson costs as much as parsing some dozens of transcripts with ``json``'s own scanner.
    """
    if files > 24:  # noqa: PLR2004 - explained above
        import orjson

        return orjson.loads
    return parse


class _Context:
    """How a scanner reads: as JSONDecoder's defaults have it."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int = float, int
    parse_constant = float  # of "NaN", "Infinity" and "-Infinity"
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner's own


def parse(data: bytes) -> object:
    """Parse a text of JSON as ``json.loads`` does. Raises ValueError or RecursionError.

    By the part of ``json`` that is written in C, alone: ``json`` itself imports ``re``, and that
    costs half of what starting the interpreter does (DESIGN 5).
    """
    text = data.decode("utf-8", "surrogatepass").strip(" \t\r\n")
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if end < len(text):
        raise ValueError("more than one value")
    return value


def _scanner() -> Callable[[str, int], tuple[object, int]]:
    scan: Callable[[str, int], tuple[object, int]]
    try:
        from _json import make_scanner

        scan = make_scanner(_Context)  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError):  # a Python that has it otherwise
        from json import JSONDecoder

        scan = JSONDecoder().scan_once  # type: ignore[attr-defined]
    return scan


_scan = _scanner()


def records(line: bytes, loads: Loads) -> list[Record]:
    """Parse one line; usually one record, none when it is damaged, more when records are glued.

    Strips NUL runs, a BOM and cut UTF-8 (D19 to D22, D41); never raises for bad data.
    """
    if len(line) > LINE_BYTES:
        return []
    try:
        record = loads(line)
    except (ValueError, RecursionError):
        return _salvage(line)
    return [record] if isinstance(record, dict) else []


def _salvage(line: bytes) -> list[Record]:
    from json import JSONDecoder

    # orjson refuses lone surrogates, `json` does not; neither takes NULs or glued records.
    text = line.translate(None, b"\0").decode("utf-8-sig", "replace").strip()
    decoder = JSONDecoder(strict=False)
    found: list[Record] = []
    position = 0
    while position < len(text):
        try:
            record, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        if isinstance(record, dict):
            found.append(record)
        while position < len(text) and text[position].isspace():
            position += 1
    return found


def string(value: object) -> str:
    """Return ``value`` if it is a string, else ``""``: a field may be of any type."""
    return value if isinstance(value, str) else ""


def table(value: object) -> Record:
    """Return ``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTE, _DAY = 60, 86400  # s
_FIRST, _LAST = -62135596800000, 253402300799999  # ms: of the years that have four digits


def milliseconds(stamp: object) -> int:
    """Return an RFC 3339 time (``2026-11-02T08:00:00.100Z``) as epoch ms, 0 if it is none."""
    text = string(stamp)
    try:
        year, month, day, hour, minute, second = (
            int(text[at : at + 2 + 2 * (at == 0)]) for at in (0, 5, 8, 11, 14, 17)
        )
        rest = text[19:]
        fraction = ""
        if rest[:1] == ".":
            digits = len(rest) - len(rest[1:].lstrip("0123456789"))
            fraction, rest = rest[1:digits], rest[digits:]
        offset = 0
        if rest[:1] in {"+", "-"}:
            offset = int(rest[1:3]) * 60 + int(rest[4:6])
            offset = -offset if rest[0] == "-" else offset
        milli = int((fraction + "000")[:3])
    except ValueError:
        return 0
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not (0 < month <= 12 and 0 < day <= _DAYS[month - 1] - (month == 2 and not leap)):  # noqa: PLR2004
        return 0
    if year < 1 or not (0 <= hour < 24 and 0 <= minute < 60 and second >= 0):  # noqa: PLR2004
        return 0
    # Years that begin with March, so that the leap day is their last. `datetime` would do all this,
    # at a tenth of an interpreter start.
    years = year - (month < 3)  # noqa: PLR2004
    days = 365 * years + years // 4 - years // 100 + years // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 719469
    minutes = hour * 60 + minute - offset
    time = (days * _DAY + minutes * _MINUTE + min(second, 59)) * 1000 + milli
    return time if _FIRST <= time <= _LAST else 0
