"""The lines of a file that hold certain bytes, from the last to the first."""

from __future__ import annotations

import os

from sessfzf.jsonl import LINE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# What is read at once: as much as stays near the processor while it is folded and searched.
BLOCK = 256 * 1024
_WINDOW_LOG = 23  # 8 MiB


def lines_with(  # noqa: PLR0913 - where, and what
    descriptor: int,
    needles: tuple[bytes, ...],
    floor: int,
    end: int,
    *,
    fold: bool = False,
    block: int = BLOCK,
) -> Iterator[tuple[int, bytes]]:
    """Yield (start, line) of each line that holds a needle that begins from ``floor`` to ``end``.

    The newest first. ``fold``: in any case of ASCII; the needles are in lower case then. Lines
    longer than LINE_BYTES are passed over. No more is held than one block and one line. Raises
    OSError.
    """
    window = _Window(descriptor, needles, floor, block, fold=fold)
    limit = end
    while (at := window.last_before(limit)) >= 0:
        begin, line = window.line(at)
        if line:
            yield begin, line
        limit = begin


def lines_at(descriptor: int, begins: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield (start, line) of the lines that begin at these places, the last first.

    Lines longer than LINE_BYTES are passed over. Raises OSError.
    """
    for begin in sorted(begins, reverse=True):
        line = os.pread(descriptor, LINE_BYTES + 1, begin).partition(b"\n")[0]
        if 0 < len(line) <= LINE_BYTES:
            yield begin, line


def zstd() -> Any:  # noqa: ANN401 - a module that not every Python has
    """Return Python's own zstd (3.14), else the same for older ones if it is there, else None."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return __import__(name, fromlist=("ZstdFile",))
        except ImportError:
            continue
    return None


def compressed_lines(descriptor: int) -> Iterator[bytes]:
    """Yield each line of a file compressed by zstd, the oldest first.

    Empty lines and those longer than LINE_BYTES are passed over. Raises OSError.
    """
    module = zstd()
    # A file may ask for a window of gigabytes.
    options = {module.DecompressionParameter.window_log_max: _WINDOW_LOG}
    rest = b""
    try:
        with (
            open(descriptor, "rb", closefd=False) as raw,
            module.ZstdFile(raw, options=options) as file,
        ):
            while data := file.read1(BLOCK):
                *lines, rest = (rest + data).split(b"\n")
                yield from (line for line in lines if 0 < len(line) <= LINE_BYTES)
                rest = rest[: LINE_BYTES + 1]  # enough to see that it is too long
    except (module.ZstdError, EOFError) as error:
        raise OSError(0, f"damaged: {error}") from None
    if 0 < len(rest) <= LINE_BYTES:
        yield rest


class _Window:
    """The part of a file that is looked at, which moves towards the file's beginning."""

    def __init__(
        self, descriptor: int, needles: tuple[bytes, ...], floor: int, block: int, *, fold: bool
    ) -> None:
        self._descriptor = descriptor
        self._needles = needles
        self._floor = floor
        self._block = block
        self._fold = fold
        self._overlap = max(map(len, needles)) - 1
        self._data = b""
        self._folded = b""
        self._start = self._stop = 0
        self._places: list[int] = []  # of each needle the last, as far as it was looked for
        self._escapes = any(needle.startswith(b"\\u") for needle in needles)

    def last_before(self, limit: int) -> int:
        """Return where the last needle is that begins before ``limit``, -1 when there is none."""
        while limit > self._floor:
            if not self._start < limit <= self._stop:
                self._load(limit)
            at = self._last(limit - self._start)
            if at >= 0:
                return self._start + at
            limit = self._start
        return -1

    def _load(self, limit: int) -> None:
        self._stop = limit
        self._start = max(self._floor, limit - self._block)
        wanted = limit - self._start + self._overlap
        self._data = os.pread(self._descriptor, wanted, self._start)
        self._folded = self._data.lower() if self._fold else self._data
        self._places = [self._block + 1] * len(self._needles)  # not looked for yet
        if self._escapes and b"\\u" not in self._folded:  # as in nearly every file
            for number, needle in enumerate(self._needles):
                if needle.startswith(b"\\u"):
                    self._places[number] = -1

    def _last(self, limit: int) -> int:
        best = -1
        for number, needle in enumerate(self._needles):
            place = self._places[number]
            if place >= limit:
                place = self._folded.rfind(needle, 0, limit + len(needle) - 1)
                self._places[number] = place
            best = max(best, place)
        return best

    def line(self, at: int) -> tuple[int, bytes]:
        """Return where the line around a place begins, and the line; b"" when it is too long.

        Where it is, what is known of its beginning is that it is no later than that.
        """
        data, base = self._data, self._start
        begin, stop = self._ends(data, at - base)
        if (begin == 0 and base > 0) or stop == len(data):  # it may go on outside
            base = max(0, at - LINE_BYTES)
            data = os.pread(self._descriptor, 2 * LINE_BYTES + 1, base)
            begin, stop = self._ends(data, at - base)
            if begin == 0 and base > 0:
                return base, b""
        line = data[begin:stop]
        return base + begin, line if len(line) <= LINE_BYTES else b""

    @staticmethod
    def _ends(data: bytes, at: int) -> tuple[int, int]:
        begin = data.rfind(b"\n", 0, at) + 1
        stop = data.find(b"\n", at)
        return begin, stop if stop >= 0 else len(data)
