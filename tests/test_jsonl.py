from __future__ import annotations

import json
import os
import socket
import stat
import sys
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessfzf import files, jsonl
from sessfzf.jsonl import File, loader, milliseconds, newest_first, parse, records, string, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sessfzf.jsonl import Loads

USUAL = settings(deadline=None)
FILES = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PARSERS = [pytest.param(parse, id="parse"), pytest.param(orjson.loads, id="orjson")]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test can reach from both sides with a few bytes."""
    limits = {
        "HEAD_BYTES": 200,
        "HEAD_RECORDS": 8,
        "TAIL_BYTES": 160,
        "LINE_BYTES": 60,
        "BLOCK": 32,
        "SEARCH_BLOCK": 64,
        "_FIRST_BLOCK": 10,
        "_LAST_BLOCK": 16,
    }
    for name, value in limits.items():
        monkeypatch.setattr(jsonl, name, value)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each read of a file took."""
    taken: list[int] = []
    read = os.pread

    def counted(descriptor: int, size: int, position: int) -> bytes:
        data = read(descriptor, size, position)
        taken.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counted)
    return taken


# Lines of every size around the limits; the last may lack its newline.
LINES = st.lists(
    st.one_of(st.integers(0, 12), st.sampled_from([31, 32, 33, 59, 60, 61, 100, 199, 200, 201])),
    max_size=24,
)
ENDS = st.sampled_from([b"\n", b""])


def content(sizes: list[int], ended: bytes = b"\n") -> bytes:
    """Lines that can be told from one another, and a part of one from the whole."""
    lines = [
        (b"<" + bytes([97 + number % 26]) * (size - 2) + b">")[-size:] if size else b""
        for number, size in enumerate(sizes)
    ]
    return b"\n".join(lines) + (ended if lines else b"")


def first_lines(data: bytes, limit: int, count: int) -> list[bytes]:
    """The whole lines within the first `limit` bytes, `count` at most; empty ones are counted."""
    lines = data[:limit].split(b"\n")
    rest = lines.pop()
    found = lines[:count]
    if len(data) <= limit and len(found) < count:
        found.append(rest)
    return [line for line in found if line]


# head


@FILES
@given(LINES, ENDS)
@pytest.mark.usefixtures("small")
def test_head_is_the_first_whole_lines_within_the_limits(
    tmp_path: Path, reads: list[int], sizes: list[int], ended: bytes
) -> None:
    data = content(sizes, ended)
    (tmp_path / "x.jsonl").write_bytes(data)
    reads.clear()
    with File(str(tmp_path / "x.jsonl")) as file:
        assert list(file.head()) == first_lines(data, 200, 8)
    assert sum(reads) <= 200


def test_head_with_its_own_limits(tmp_path: Path, reads: list[int]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(b"%0999d\n" % number for number in range(2000)))
    with File(str(path)) as file:
        assert [int(line) for line in file.head()] == list(range(80))
    assert sum(reads) <= 256 * 1024
    path.write_bytes(b"".join(b"%09999d\n" % number for number in range(200)))
    with File(str(path)) as file:
        assert [int(line[-9:]) for line in file.head()] == list(range(26))


def test_no_more_of_a_head_is_read_than_is_asked_for(tmp_path: Path, reads: list[int]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"first":1}\n' + b"x" * 300_000)
    with File(str(path)) as file:
        assert next(file.head()) == b'{"first":1}'
    assert sum(reads) <= 8 * 1024


# tail


@FILES
@given(LINES, ENDS)
@pytest.mark.usefixtures("small")
def test_tail_is_whole_lines_from_the_end(
    tmp_path: Path, reads: list[int], sizes: list[int], ended: bytes
) -> None:
    data = content(sizes, ended)
    (tmp_path / "x.jsonl").write_bytes(data)
    reads.clear()
    with File(str(tmp_path / "x.jsonl")) as file:
        blocks = list(file.tail(160))
    assert sum(reads) <= 160
    found = b"\n".join(reversed(blocks)).split(b"\n")
    whole = data.split(b"\n")
    found = [line for line in found if line]
    # Beyond the limit a line cannot be known to be whole, not even when it begins there.
    within = data[-160:].split(b"\n")[0 if len(data) <= 160 else 1 :]
    assert found == [line for line in within if line]
    assert all(line in whole for line in found)


@FILES
@given(LINES, ENDS)
@pytest.mark.usefixtures("small")
def test_newest_first_is_the_lines_backwards_without_the_oversized(
    tmp_path: Path, sizes: list[int], ended: bytes
) -> None:
    data = content(sizes, ended)
    (tmp_path / "x.jsonl").write_bytes(data)
    with File(str(tmp_path / "x.jsonl")) as file:
        lines = [line for block in file.tail(1 << 20) for line in newest_first(block)]
    assert lines == [line for line in reversed(data.split(b"\n")) if 0 < len(line) <= 60]


def test_newest_first_passes_over_what_is_not_wanted() -> None:
    block = b'{"a":1}\n{"b":2}\n\n{"a":3}\n{"c":"{\\"a\\":4}"}'
    assert [*newest_first(block, (b'{"a":',))] == [b'{"c":"{\\"a\\":4}"}', b'{"b":2}']


def test_tail_with_its_own_limits(tmp_path: Path, reads: list[int]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(b"%0999d\n" % number for number in range(2000)))
    with File(str(path)) as file:
        (newest, *older) = list(file.tail())
    assert newest.endswith(b"1999\n")
    assert len(newest) <= 64 * 1024
    assert sum(reads) == 512 * 1024
    found = [int(line) for block in (newest, *older) for line in newest_first(block)]
    assert found == list(range(1999, 1999 - len(found), -1))
    assert len(found) == 524


def test_a_sparse_file_of_forty_gigabytes_costs_no_more(tmp_path: Path, reads: list[int]) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as out:
        out.write(b'{"first":1}\n')
        out.seek(40 * 1024**3)
        out.write(b'\n{"last":1}\n')
    with File(str(path)) as file:
        assert file.size == 40 * 1024**3 + 12
        assert list(file.head()) == [b'{"first":1}']
        assert [*newest_first(next(file.tail()))] == [b'{"last":1}']
        list(file.tail())
    assert sum(reads) <= 256 * 1024 + 64 * 1024 + 512 * 1024


# backwards


@FILES
@given(LINES, ENDS, st.integers(1, 2000))
@pytest.mark.usefixtures("small")
def test_backwards_gives_each_line_that_begins_by_there_once(
    tmp_path: Path, sizes: list[int], ended: bytes, end: int
) -> None:
    data = content(sizes, ended)
    (tmp_path / "x.jsonl").write_bytes(data)
    end = min(end, len(data))
    with File(str(tmp_path / "x.jsonl")) as file:
        lines = [line for _, block in file.backwards(end) for line in newest_first(block)]
        starts = [start for start, _ in file.backwards(end)]
    expected, position = [], 0
    for line in data.split(b"\n"):
        if position <= end and 0 < len(line) <= 60:
            expected.append(line)
        position += len(line) + 1
    assert lines == expected[::-1]
    assert starts == [max(0, end - step) for step in range(64, end + 64, 64)]


# Files that change while they are read


@FILES
@given(LINES, st.integers(0, 400), st.integers(0, 6))
@pytest.mark.usefixtures("small")
def test_a_file_that_shrinks_gives_no_line_it_never_held(
    tmp_path: Path, sizes: list[int], left: int, after: int
) -> None:
    path = tmp_path / "x.jsonl"
    for way in ("head", "tail"):
        data = content(sizes)
        path.write_bytes(data)
        count = 0
        pread = os.pread

        def shrinking(*args: int) -> bytes:
            nonlocal count
            if count == after:
                os.truncate(path, min(left, len(data)))  # noqa: B023
            count += 1
            return pread(*args)  # noqa: B023

        with pytest.MonkeyPatch.context() as patch, File(str(path)) as file:
            patch.setattr(os, "pread", shrinking)
            found = list(file.head()) if way == "head" else list(file.tail(160))
        held = {*data.split(b"\n"), *data[:left].split(b"\n")}
        assert {line for block in found for line in block.split(b"\n")} <= held


@FILES
@given(LINES, LINES, st.integers(0, 6))
@pytest.mark.usefixtures("small")
def test_a_file_that_grows_gives_what_it_held(
    tmp_path: Path, sizes: list[int], more: list[int], after: int
) -> None:
    path = tmp_path / "x.jsonl"
    data, added = content(sizes), content(more).upper()
    for way in ("head", "tail"):
        path.write_bytes(data)
        count = 0
        pread = os.pread

        def growing(*args: int) -> bytes:
            nonlocal count
            if count == after:
                with path.open("ab") as out:
                    out.write(added)
            count += 1
            return pread(*args)  # noqa: B023

        with pytest.MonkeyPatch.context() as patch, File(str(path)) as file:
            patch.setattr(os, "pread", growing)
            found = list(file.head()) if way == "head" else list(file.tail(160))
        lines = [line for block in found for line in block.split(b"\n") if line]
        if way == "head":
            # A line that is being written may come cut: it does not parse.
            assert lines[:-1] == first_lines(data + added, 200, 8)[: len(lines[:-1])]
        else:
            within = data[-160:].split(b"\n")[0 if len(data) <= 160 else 1 :]
            assert sorted(lines) == sorted(line for line in within if line)


def test_a_file_that_is_replaced_or_goes_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"one\n")
    with File(str(path)) as file:
        path.unlink()
        path.write_bytes(b"other\n")
        path.unlink()
        assert list(file.head()) == [b"one"]
        assert list(file.tail()) == [b"one\n"]


# What is no regular file


def make_socket(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="fifo"),
        pytest.param(os.mkdir, id="folder"),
        pytest.param(make_socket, id="socket"),
        pytest.param(lambda path: os.symlink("/dev/zero", path), id="device"),
        pytest.param(lambda path: os.symlink("missing", path), id="dangling-link"),
        pytest.param(lambda path: os.symlink(path, path), id="link-loop"),
        pytest.param(lambda path: None, id="missing"),  # noqa: ARG005
    ],
)
def test_what_is_no_regular_file_is_an_error_at_once(
    make: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    make("x.jsonl")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises(OSError):  # noqa: PT011 - the words are the system's
        File("x.jsonl")
    after = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    assert after == before


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").touch()
    with File(str(tmp_path / "x.jsonl")) as file:
        assert (list(file.head()), list(file.tail())) == ([], [])


def test_reading_leaves_the_times_of_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"one\n" * 100)
    os.utime(path, ns=(10**9, 2 * 10**9))
    with File(str(path)) as file:
        list(file.head())
        list(file.tail())
    status = os.stat(path)
    assert status.st_mtime_ns == 2 * 10**9
    if hasattr(os, "O_NOATIME"):
        assert status.st_atime_ns == 10**9


def test_is_regular() -> None:
    assert files.is_regular(stat.S_IFREG | 0o644)
    for kind in (
        stat.S_IFDIR,
        stat.S_IFIFO,
        stat.S_IFSOCK,
        stat.S_IFLNK,
        stat.S_IFCHR,
        stat.S_IFBLK,
    ):
        assert not files.is_regular(kind | 0o644)


# records: one line


@pytest.mark.parametrize("loads", PARSERS)
@pytest.mark.parametrize(
    ("line", "found"),
    [
        pytest.param(b'{"a":1}', [{"a": 1}], id="plain"),
        pytest.param(b'{"a":1}\r', [{"a": 1}], id="carriage-return"),
        pytest.param(b' \t{"a":1} ', [{"a": 1}], id="blanks"),
        pytest.param(b'\xef\xbb\xbf{"a":1}', [{"a": 1}], id="bom"),
        pytest.param(b'\0\0\0{"a":1}', [{"a": 1}], id="nuls-before"),
        pytest.param(b'{"a":1}\0\0\0', [{"a": 1}], id="nuls-behind"),
        pytest.param(b'{"a":\0\0\0"x"}', [{"a": "x"}], id="nuls-inside"),
        pytest.param(b'\0\xef\xbb\xbf{"a":1}\0\r', [{"a": 1}], id="nuls-and-bom"),
        pytest.param(b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}], id="glued"),
        pytest.param(b'{"a":1} {"b":2}\r', [{"a": 1}, {"b": 2}], id="glued-with-a-blank"),
        pytest.param(b'{"a":1}{"b":', [{"a": 1}], id="glued-and-cut"),
        pytest.param(b'{"a":1}5[6]"x"{"b":2}', [{"a": 1}, {"b": 2}], id="glued-with-others"),
        pytest.param(b'{"a":1}garbage', [{"a": 1}], id="garbage-behind"),
        pytest.param(b'{"a":"x', [], id="cut"),
        pytest.param(b'{"a":"\xf0\x9f\x8e"}', [{"a": "\ufffd"}], id="cut-utf-8"),
        pytest.param(b'{"a":"\xff\xfe"}', [{"a": "\ufffd\ufffd"}], id="no-utf-8"),
        pytest.param(rb'{"a":"\ud83c"}', [{"a": "\ud83c"}], id="lone-surrogate"),
        pytest.param(rb'{"a":"\ud83c\udf89"}', [{"a": "🎉"}], id="surrogate-pair"),
        pytest.param(
            '{"a":"\u2028\u2029\u0085"}'.encode(), [{"a": "\u2028\u2029\u0085"}], id="u2028"
        ),
        pytest.param(b'{"a":"x\ty"}', [{"a": "x\ty"}], id="raw-control"),
        pytest.param(b'{"a":1,"a":2}', [{"a": 2}], id="duplicate-key"),
        pytest.param(b'{"":1}', [{"": 1}], id="empty-key"),
        pytest.param(b"{}", [{}], id="empty-object"),
        pytest.param(b"[1]", [], id="array"),
        pytest.param(b'"text"', [], id="string"),
        pytest.param(b"5", [], id="number"),
        pytest.param(b"null", [], id="null"),
        pytest.param(b"", [], id="empty"),
        pytest.param(b"\0" * 1000, [], id="only-nuls"),
        pytest.param(b"\xff" * 1000, [], id="only-noise"),
        pytest.param(b"[" * 100_000, [], id="deep-and-open"),
        pytest.param(b'{"a":' * 5000 + b"1" + b"}" * 5000, [], id="deep-objects"),
        pytest.param(b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", [], id="deep-arrays"),
        pytest.param(b'{"a":' + b"9" * 5000 + b"}", [], id="5000-digits"),
        pytest.param('{"a":1}'.encode("utf-16"), [], id="utf-16"),
    ],
)
def test_records(loads: Loads, line: bytes, found: list[dict[str, Any]]) -> None:
    got = records(line, loads)
    if b"[[[[" in line or b'{"a":{"a":{' in line or line.count(b"9") == 5000:
        assert len(got) <= 1  # what a parser makes of it is its own affair
    elif line == '{"a":1}'.encode("utf-16"):
        assert got in ([], [{"a": 1}])
    else:
        assert got == found


@pytest.mark.parametrize("loads", PARSERS)
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        ("NaN", float),
        ("Infinity", float),
        ("-Infinity", float),
        ("1e400", float),
        ("1" + "0" * 400, object),
    ],
    ids=["nan", "infinity", "minus-infinity", "1e400", "10^400"],
)
def test_a_number_beyond_all_bounds_costs_no_more_than_itself(
    loads: Loads, number: str, kind: type
) -> None:
    (record,) = records(f'{{"time":{number},"type":"user"}}'.encode(), loads)
    assert record["type"] == "user"
    assert isinstance(record["time"], kind)


@pytest.mark.parametrize("loads", PARSERS)
def test_a_line_beyond_the_limit_is_not_parsed(loads: Loads) -> None:
    line = b'{"a":"' + b"x" * (256 * 1024 - 8) + b'"}'
    assert len(line) == 256 * 1024
    assert len(records(line, loads)) == 1
    assert records(line + b" ", loads) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=6), VALUES, max_size=4)


@USUAL
@given(st.binary(max_size=80))
def test_no_bytes_are_ever_an_error(line: bytes) -> None:
    for loads in (json.loads, orjson.loads):
        assert all(isinstance(record, dict) for record in records(line, loads))


@USUAL
@given(OBJECTS, st.data())
def test_a_damaged_record_is_never_an_error(record: dict[str, Any], data: st.DataObject) -> None:
    line = bytearray(json.dumps(record).encode())
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(line)))
        line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    for loads in (json.loads, orjson.loads):
        assert all(isinstance(found, dict) for found in records(bytes(line), loads))


@USUAL
@given(st.lists(OBJECTS, min_size=1, max_size=3), st.sampled_from(["", " ", "\t", "\0"]))
def test_glued_records_are_all_found(objects: list[dict[str, Any]], glue: str) -> None:
    line = glue.join(json.dumps(each) for each in objects).encode()
    for loads in (parse, orjson.loads):
        found = records(line, loads)
        assert json.dumps(found) == json.dumps(objects)


# loader


def test_few_files_are_read_by_the_standard_library_and_many_by_orjson() -> None:
    assert loader(1) is parse
    assert loader(24) is parse
    assert loader(25) is orjson.loads


# parse: as json.loads does


def outcome(loads: Loads, data: bytes) -> str:
    try:
        return json.dumps(loads(data))
    except RecursionError:
        return "too deep"
    except ValueError:
        return "no JSON"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@USUAL
@given(VALUES, st.sampled_from([" ", "\n", "\t\r", ""]), st.booleans())
def test_parse_reads_what_json_reads(value: object, space: str, ascii_only: bool) -> None:  # noqa: FBT001
    text = space + json.dumps(value, ensure_ascii=ascii_only) + space
    data = text.encode("utf-8", "surrogatepass")
    assert outcome(parse, data) == outcome(json.loads, data) == json.dumps(value)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", "}", "nul", "nan", "NaN", "-Infinity", "1 2", '{"a":1}{"b":2}', "[1,]"),
        *('{"a":1,"a":2}', '"\\ud800"', '"\\x"', '"\t"', "1e400", "1" * 5000, "[" * 5000, "\x0b1"),
        *('{"a" 1}', "{1:2}", "[1 2]", '"a', "01", "+1", "1.", "\u00a0 1", "true", "tru"),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_parse_refuses_what_json_refuses(text: str) -> None:
    data = text.encode()
    assert outcome(parse, data) == outcome(json.loads, data)


@USUAL
@given(st.binary(max_size=30) | st.text('{}[]":,\\0e1.- \ttruefalsn', max_size=20).map(str.encode))
def test_parse_never_says_what_json_does_not(data: bytes) -> None:
    if b"\0" not in data and not data.startswith(b"\xef\xbb\xbf"):  # what salvaging is for
        assert outcome(parse, data) == outcome(json.loads, data)


def test_where_a_python_has_no_such_scanner_json_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    monkeypatch.setattr(jsonl, "_scan", jsonl._scanner())
    assert parse(b' {"a": [1, "x"]}\n') == {"a": [1, "x"]}
    assert outcome(parse, b"{") == "no JSON"


# string, table: a field may be of any type


@pytest.mark.parametrize("value", [None, True, 5, 1.5, [], ["x"], {}, {"a": 1}, b"x"], ids=repr)
def test_what_is_no_string_is_empty(value: object) -> None:
    assert string(value) == ""


@pytest.mark.parametrize("value", [None, True, 5, "x", [], [{}]], ids=repr)
def test_what_is_no_object_is_empty(value: object) -> None:
    assert table(value) == {}


def test_a_string_and_an_object_are_themselves() -> None:
    assert string("x") == "x"
    assert table({"a": 1}) == {"a": 1}


# milliseconds

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def exact(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29))  # noqa: DTZ001
OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timedelta(minutes=minutes))


@USUAL
@given(MOMENTS, OFFSETS)
def test_milliseconds_are_those_of_datetime(naive: datetime, offset: timedelta) -> None:
    moment = naive.replace(tzinfo=timezone(offset))
    whole = moment.replace(microsecond=0)
    micro, milli = (
        moment.isoformat(timespec="microseconds"),
        moment.isoformat(timespec="milliseconds"),
    )
    assert milliseconds(micro) == milliseconds(milli) == exact(moment)
    assert milliseconds(moment.isoformat(timespec="seconds")) == exact(whole)
    zulu = naive.replace(tzinfo=timezone.utc)
    assert milliseconds(naive.isoformat(timespec="milliseconds") + "Z") == exact(zulu)
    assert milliseconds(naive.isoformat(timespec="seconds")) == exact(zulu.replace(microsecond=0))


@pytest.mark.parametrize(
    ("stamp", "found"),
    [
        pytest.param("1970-01-01T00:00:00Z", 0, id="epoch"),
        pytest.param("1970-01-01T00:00:00.001Z", 1, id="one"),
        pytest.param("2026-11-02T08:00:00.100Z", 1793606400100, id="client"),
        pytest.param("2026-11-02T08:00:00.1Z", 1793606400100, id="one-digit"),
        pytest.param("2026-11-02T08:00:00.123456789Z", 1793606400123, id="nanoseconds"),
        pytest.param("2026-11-02T08:00:00.Z", 1793606400000, id="no-digit"),
        pytest.param("2026-11-02 08:00:00+01:00", 1793602800000, id="blank-and-offset"),
        pytest.param("2026-11-02T08:00:00-00:30", 1793608200000, id="minutes-behind"),
        pytest.param("2026-12-31T23:59:60Z", 1798761599000, id="leap-second"),
        pytest.param("1969-12-31T23:59:59.250Z", -750, id="before-the-epoch"),
        pytest.param("1980-01-01T00:00:00Z", 315532800000, id="clock-of-1980"),
        pytest.param("9999-12-31T23:59:59Z", 253402300799000, id="last"),
        pytest.param("9999-12-31T23:59:59-01:00", 0, id="after-the-last"),
        pytest.param("0001-01-01T00:00:00+01:00", 0, id="before-the-first"),
        pytest.param("0000-01-01T00:00:00Z", 0, id="year-0"),
        pytest.param("2026-02-30T00:00:00Z", 0, id="no-such-day"),
        pytest.param("2026-11-02T25:00:00Z", 0, id="no-such-hour"),
        pytest.param("2026-11-02T08:00:00+xx:00", 0, id="bad-offset"),
        pytest.param("2026-11-02T08:00:00+", 0, id="cut-offset"),
        pytest.param("2026-11-02", 0, id="date"),
        pytest.param("2026-11-02T08:00", 0, id="no-seconds"),
        pytest.param("20261102T080000Z", 0, id="basic-format"),
        pytest.param("1793606400100", 0, id="number-as-text"),
        pytest.param("1793606400100000000", 0, id="nanoseconds-as-text"),
        pytest.param("Mon Nov  2 08:00:00 2026", 0, id="ctime"),
        pytest.param("", 0, id="empty"),
        pytest.param("T", 0, id="letter"),
        pytest.param("\ud800" * 30, 0, id="surrogates"),
        pytest.param("9" * 100_000, 0, id="digits"),
        pytest.param(1793606400100, 0, id="number"),
        pytest.param(float("nan"), 0, id="nan"),
        pytest.param(None, 0, id="null"),
        pytest.param(["2026-11-02T08:00:00Z"], 0, id="list"),
        pytest.param({"seconds": 5}, 0, id="object"),
    ],
)
def test_milliseconds(stamp: object, found: int) -> None:
    assert milliseconds(stamp) == found


@USUAL
@given(st.text("0123456789-:T.Z+ ²٣x", max_size=40) | st.text(max_size=40))
def test_no_stamp_is_ever_an_error(stamp: str) -> None:
    assert isinstance(milliseconds(stamp), int)
