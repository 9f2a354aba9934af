"""Foreign text made safe for a terminal, and how many columns it takes there."""

from __future__ import annotations

# CSI, then OSC/DCS/SOS/PM/APC with their text, then any other escape; each also in its C1 form.
# A string command without an end goes to the end of the text, as in a terminal.
_ESCAPES = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_MARK = "\N{REPLACEMENT CHARACTER}"
# More marks on one letter than any writing needs draw over the rows around.
_MARKS_PER_LETTER = 4
_TAB = 4
_FILLERS = "\u115f\u1160\u3164\uffa0"  # letters of Hangul that show nothing


def clean(text: str, limit: int = 300) -> str:
    """One line of printable text: what of ``text`` may stand in a row.

    Escape sequences and invisible characters (C0, C1, DEL, bidi controls, zero-width, reference
    0.4) go, lone surrogates become U+FFFD, white space is folded to single spaces. At most
    ``limit`` characters, the last then an ellipsis. The result always satisfies
    ``str.isprintable`` but for emoji newer than Python's own tables.
    """
    text = " ".join(text[: limit * 8].split())
    if not (text.isascii() and text.isprintable()):
        text = _clean_foreign(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def is_hidden(text: str) -> list[bool]:
    """Say of each character whether a terminal would not show it, or let it show something else.

    Bidi controls, zero-width, line separators, and of a pile of combining marks the upper ones.
    """
    from unicodedata import category

    hidden, marks = [], 0
    for char in text:
        kind = category(char)
        marks = marks + 1 if kind[0] == "M" else 0
        hidden.append(kind in {"Cf", "Zl", "Zp"} or char in _FILLERS or marks > _MARKS_PER_LETTER)
    return hidden


def width(text: str) -> int:
    """How many columns a terminal uses for ``text`` (clean text)."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    columns = 0
    for char in text:
        # Vowels and finals of Hangul in parts, as in macOS file names, join the letter before them.
        if category(char) not in {"Mn", "Me"} and not "\u1160" <= char <= "\u11ff":
            columns += 2 if east_asian_width(char) in "WF" else 1
    return columns


def fit(text: str, columns: int, *, keep_end: bool = False) -> str:
    """Clean text cut (with an ellipsis) or padded with spaces to exactly ``columns`` columns.

    ``keep_end`` cuts at the front: of a folder the end tells more.
    """
    if width(text) > columns:
        room = columns - 1
        count = 0
        for char in reversed(text) if keep_end else text:
            room -= width(char)
            if room < 0:
                break
            count += 1
        text = "…" + text[len(text) - count :] if keep_end else text[:count] + "…"
    return text + " " * (columns - width(text))


def clean_lines(text: str) -> list[str]:
    """Return the lines of ``text``, each made printable as by ``clean``, but with its indentation.

    Tabs become spaces. Of several blank lines one stays, of those at both ends none.
    """
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        shown = line.expandtabs(_TAB).rstrip()
        if not (shown.isascii() and shown.isprintable()):
            shown = _printable(shown).rstrip()
        if shown or (lines and lines[-1]):
            lines.append(shown)
    return lines if not lines or lines[-1] else lines[:-1]


def wrap(line: str, columns: int) -> list[str]:
    """Clean text as lines of at most ``columns`` columns, broken at spaces where there are any.

    All are indented as the first one is, half of the columns at most.
    """
    text = line.lstrip(" ")
    indent = line[: min(len(line) - len(text), columns // 2)]
    room = columns - len(indent)
    lines: list[str] = []
    start = 0
    while start < len(text):
        end = max(_reach(text, start, room), start + 1)
        if end < len(text):
            space = text.rfind(" ", start + 1, end + 1)
            end = space if space > 0 else end
        lines.append(indent + text[start:end].rstrip(" "))
        while end < len(text) and text[end] == " ":
            end += 1
        start = end
    return lines or [""]


def _reach(text: str, start: int, room: int) -> int:
    """Return where what fits into ``room`` columns ends, of ``text`` from ``start`` on."""
    if text[start : start + room + 1].isascii():
        return min(start + room, len(text))
    for end in range(start, len(text)):
        room -= width(text[end])
        if room < 0:
            return end
    return len(text)


def _clean_foreign(text: str) -> str:
    return " ".join(_printable(text).split())


def _printable(text: str) -> str:
    """Return ``text``, which is one line, without what a terminal must not get."""
    from unicodedata import category

    if not text.isprintable():  # else there is no escape in it
        import re

        text = re.sub(_ESCAPES, "", text, flags=re.DOTALL)
    kept: list[str] = []
    marks = 0
    for char in text:
        kind = category(char)
        if kind in {"Cc", "Cf"} or char in _FILLERS:
            continue
        marks = marks + 1 if kind[0] == "M" else 0
        if marks > _MARKS_PER_LETTER:
            continue
        if kind[0] == "Z":
            kept.append(" ")
        elif kind in {"Cs", "Co"} or (kind == "Cn" and not "\U0001f000" <= char <= "\U0001faff"):
            kept.append(_MARK)
        else:
            kept.append(char)
    return "".join(kept)
