"""What a terminal must never be sent, said a second time and without the tool's own tables."""

from __future__ import annotations

import unicodedata
from typing import Final

# Inclusive ranges, by what they do (reference 0.4; UAX 9 for the bidi controls).
FORBIDDEN: Final = (
    (0x00, 0x1F, "C0"),
    (0x7F, 0x7F, "DEL"),
    (0x80, 0x9F, "C1"),
    (0xAD, 0xAD, "soft hyphen"),
    (0x61C, 0x61C, "bidi"),
    (0x115F, 0x1160, "filler"),
    (0x180E, 0x180E, "zero width"),
    (0x200B, 0x200D, "zero width"),
    (0x200E, 0x200F, "bidi"),
    (0x2028, 0x2029, "line separator"),
    (0x202A, 0x202E, "bidi"),
    (0x2060, 0x2064, "zero width"),
    (0x2066, 0x2069, "bidi"),
    (0x206A, 0x206F, "deprecated format"),
    (0x3164, 0x3164, "filler"),
    (0xD800, 0xDFFF, "surrogate"),
    (0xFEFF, 0xFEFF, "zero width"),
    (0xFFA0, 0xFFA0, "filler"),
    (0xFFF9, 0xFFFB, "annotation"),
    (0xE0000, 0xE007F, "tag"),
)
MARKS_IN_A_ROW: Final = 4
# The colours of README, "Rows" and "The preview", and nothing else that begins with ESC.
COLOURS: Final = tuple(
    f"\x1b[{code}m"
    for code in ("0", "1", "2", "7", "31", "32", "33", "34", "35", "36", "1;33", "1;35", "1;36")
)


def harm(data: bytes, *, colours: bool = False, tabs: bool = True) -> list[str]:
    """Every reason why these bytes must not reach a terminal; none when they may.

    Whole lines of UTF-8, with tabs between fields where a row is expected, and with the colours of
    `list --fzf` only where they are.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8: {error}"]
    if text and not text.endswith("\n"):
        return ["no newline at the end"]
    if colours:
        for colour in COLOURS:
            text = text.replace(colour, "")
    found = []
    marks = 0
    for char in text:
        if char == "\n" or (char == "\t" and tabs):
            marks = 0
            continue
        found += [
            f"{name} U+{ord(char):04X}" for low, high, name in FORBIDDEN if low <= ord(char) <= high
        ]
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks > MARKS_IN_A_ROW:
            found.append("a flood of combining marks")
    return found
