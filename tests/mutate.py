"""Damage to JSONL files, by somebody who knows the formats: for the fuzzer and its short slice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

DEEP: Final = 5_000


class Raw(str):
    """JSON text that goes in as it stands: what no JSON writer would make of a value."""

    __slots__ = ()


NASTY: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1.5, 2**63, -(2**64), "", " ", "0", [], {}, [[]], [{}], {"": {}}),
    *("\ud83d", "\udcff", "\0", "a\nb", "\x1b[2J\x1b]0;x\x07", "\x9b31m", "\u202e\u2066", "\u2028"),
    *(
        "../..",
        "/",
        "//",
        "/nowhere",
        "~",
        "-rf",
        "--",
        "$(touch x)",
        "'; touch x; '",
        "\\",
        "é日🎉",
    ),
    *("a\u0301" + "\u0301" * 300, "\u200b" * 300, "x" * 5_000, "\ufeff", "\udc80\udcff"),
    *(
        "9" * 400,
        "1e999",
        "NaN",
        "exec",
        "sdk-cli",
        "user",
        "assistant",
        "session_meta",
        "<synthetic>",
    ),
    *("2026-11-02T08:00:00.100Z", "0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999Z"),
    *(
        "1601-01-01T00:00:00Z",
        "2026-11-02T08:00:00+99:99",
        "2026-11-02T24:61:61.Z",
        "T",
        "\u0662\u0660\u0662\u0666-11-02T08:00:00Z",
    ),
    *("<system-reminder>", "<ide_selection>x</ide_selection>", "<command-name>/x", "Caveat:"),
    *("## My request for Codex:", "{", '{"subagent":1}', '{"type":"managed"}', "[" * DEEP),
    *({"type": []}, {"type": {"type": {}}}, ["a", 1, None, {}], [{"type": "text", "text": {}}]),
    *({"subagent": "review"}, {"type": "managed", "file_system": {"entries": [1, None, {}]}}),
    Raw("NaN"),
    Raw("-Infinity"),
    Raw("1e400"),
    Raw("-0.0"),
    Raw("1" + "0" * 400),
    Raw("9" * 5_000),
    Raw("[" * DEEP + "]" * DEEP),
    Raw('{"a":' * DEEP + "1" + "}" * DEEP),
    Raw("[" * 900 + "]" * 900),
    Raw('"\\ud83d"'),
    Raw('"\\udc00\\ud800"'),
    Raw('"\\u0000"'),
    Raw('"\\x"'),
    Raw('"'),
    Raw(""),
)


def to_json(value: Any) -> str:
    """The record as JSON text; a Raw stands for itself."""
    holes: list[str] = []

    def mark(part: Any) -> Any:
        if isinstance(part, Raw):
            holes.append(str(part))
            return f"\0hole {len(holes) - 1}\0"
        if isinstance(part, dict):
            return {key: mark(inner) for key, inner in part.items()}
        return [mark(inner) for inner in part] if isinstance(part, list) else part

    text = json.dumps(mark(value))
    for number, hole in enumerate(holes):
        text = text.replace(json.dumps(f"\0hole {number}\0"), hole)
    return text


def places(value: Any, found: list[tuple[Any, Any]] | None = None) -> list[tuple[Any, Any]]:
    """Every place in a record where a value stands: the object or array, and the key in it."""
    found = [] if found is None else found
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(parts):
        found.append((value, key))
        if isinstance(inner, (dict, list)):
            places(inner, found)
    return found


def _field(line: bytes, random: Random) -> bytes:
    try:
        record = json.loads(line)
        inside = places(record) if isinstance(record, (dict, list)) else []
        return _changed(record, random.choice(inside), inside, random) if inside else line
    except (ValueError, RecursionError):  # it is damaged already
        return _byte(line, random)


def _changed(
    record: Any, place: tuple[Any, Any], all_: list[tuple[Any, Any]], random: Random
) -> bytes:
    holder, key = place
    what = random.randrange(4)
    if what == 0 and isinstance(holder, dict):
        del holder[key]
    elif what == 1 and isinstance(holder, dict):  # the same key twice
        again = f"{json.dumps(key)}:{to_json(random.choice(NASTY))}"
        holder[key] = Raw(f"{to_json(holder[key])},{again}")
    elif what == 2:
        other, name = random.choice(all_)
        holder[key] = json.loads(json.dumps(other[name]))
    else:
        holder[key] = random.choice(NASTY)
    return to_json(record).encode("utf-8", "surrogatepass")


def _byte(line: bytes, random: Random) -> bytes:
    at = random.randrange(len(line) + 1)
    some = bytes(random.randrange(256) for _ in range(random.randrange(1, 4)))
    return line[:at] + some + line[at + random.randrange(2) :]


def _cut(line: bytes, random: Random) -> bytes:
    return line[: random.randrange(len(line) + 1)]


def _nuls(line: bytes, random: Random) -> bytes:
    at = random.randrange(len(line) + 1)
    return line[:at] + bytes(random.choice((1, 7, 4096))) + line[at:]


def _long(line: bytes, random: Random) -> bytes:
    at = line.find(b":") + 1
    return line[:at] + b" " * random.choice((10, 9_000, 66_000, 300_000)) + line[at:]


def _bom(line: bytes, random: Random) -> bytes:
    return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8")) + line + b"\r"


LINE: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    *(_field, _field, _field, _field, _field),
    *(_byte, _cut, _nuls, _long, _bom),
)


def mutate(data: bytes, random: Random) -> bytes:
    """The file with one to four kinds of damage."""
    lines = data.split(b"\n")
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(lines))
        what = random.randrange(12)
        if what == 0:
            lines.insert(at, random.choice(lines))
        elif what == 1 and len(lines) > 1:
            del lines[at]
        elif what == 2 and at:
            lines[at - 1 : at + 1] = [lines[at - 1] + lines[at]]
        elif what == 3:
            random.shuffle(lines)
        else:
            lines[at] = random.choice(LINE)(lines[at], random)
    return b"\n".join(lines)
