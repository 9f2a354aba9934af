"""Lines found from the end, whatever blocks they are read in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessfzf.jsonl import LINE_BYTES
from sessfzf.search.finder import compressed_lines, lines_with, zstd

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines"


def found(path: Path, *needles: bytes, **options: int) -> list[tuple[int, bytes]]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        where = {"floor": 0, "end": path.stat().st_size} | options
        return list(lines_with(descriptor, needles, **where))  # type: ignore[arg-type]
    finally:
        os.close(descriptor)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.lists(st.sampled_from([b"ab", b"AB", b"a", b"b", b"\\u00e9", b"\n", b"-" * 9])),
    needles=st.sets(st.sampled_from([b"ab", b"b-", b"\\u00e9", b"aa"]), min_size=1),
    block=st.integers(1, 12),
    fold=st.booleans(),
    pieces=st.integers(1, 4),
)
def test_blocks_and_pieces_change_nothing(  # noqa: PLR0913 - the cases
    path: Path, *, data: list[bytes], needles: set[bytes], block: int, fold: bool, pieces: int
) -> None:
    whole = b"".join(data)
    path.write_bytes(whole)
    expected = []
    start = 0
    for line in whole.split(b"\n"):
        seen = line.lower() if fold else line
        if any(needle in seen for needle in needles):
            expected.append((start, line))
        start += len(line) + 1
    step = len(whole) // pieces + 1
    got = set()
    for floor in range(0, len(whole), step):
        end = min(floor + step, len(whole))
        part = found(path, *needles, floor=floor, end=end, fold=fold, block=block)
        assert part == sorted(part, reverse=True)
        got |= set(part)
    assert sorted(got) == expected


def test_a_line_that_is_too_long_is_passed_over(path: Path) -> None:
    longest = b"x" * (LINE_BYTES - 1) + b"y"
    for lines in (
        [b"y1", longest + b"z", b"y2"],
        [b"y1", b"y" * 3 * LINE_BYTES, b"y2"],
        [b"y1", b"y" + b"z" * LINE_BYTES, b"y2"],
        [b"y1", b"yz" * LINE_BYTES, b"zzz", b"y2"],
    ):
        path.write_bytes(b"\n".join(lines))
        assert [line for _, line in found(path, b"y")] == [b"y2", b"y1"]
    path.write_bytes(b"y1\n" + longest + b"\ny2\n")
    assert [line for _, line in found(path, b"y")] == [b"y2", longest, b"y1"]


def test_a_file_that_has_shrunk_or_grown_is_read_as_it_is(path: Path) -> None:
    path.write_bytes(b"abc\n" * 10)
    assert len(found(path, b"abc", end=400)) == 10
    assert len(found(path, b"abc", end=20)) == 5


@pytest.mark.skipif(zstd() is None, reason="this Python has no zstd")
def test_compressed_lines_come_as_they_are_written(path: Path) -> None:
    lines = [b"abc" * 10_000, b"", b"y" * (LINE_BYTES + 1), b"z" * LINE_BYTES, b"end"]
    path.write_bytes(zstd().compress(b"\n".join(lines)))
    with path.open("rb") as file:
        got = list(compressed_lines(file.fileno()))
    assert got == [lines[0], lines[3], b"end"]
    path.write_bytes(zstd().compress(os.urandom(100_000))[:50_000])
    with path.open("rb") as file, pytest.raises(OSError, match="damaged"):
        list(compressed_lines(file.fileno()))
    path.write_bytes(b"no zstd")
    with path.open("rb") as file, pytest.raises(OSError, match="damaged"):
        list(compressed_lines(file.fileno()))
