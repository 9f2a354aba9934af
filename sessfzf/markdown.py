"""What was said, as lines for a terminal: code as it is, simple Markdown without its signs."""

from __future__ import annotations

from sessfzf.text import fit, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # The parts of a line, each with what it is painted in (an SGR sequence, "" for nothing).
    Line = tuple[tuple[str, str], ...]

PLAIN, BOLD, DIM, CODE = "", "\x1b[1m", "\x1b[2m", "\x1b[33m"
_FENCES = ("```", "~~~")
_BULLETS = ("- ", "* ", "+ ")
_BULLET = "• "
_DEEPEST_HEADING = 6
_LONGEST_NUMBER = 4  # of a list: what is longer is a year or an amount


def render(text: list[str], columns: int, *, signs: bool, fence: str = "") -> list[Line]:
    """Return lines of clean text (``text.clean_lines``) as lines of at most ``columns`` columns.

    Code between fences gets a frame and stays as it is. With ``signs`` headings, bold and lists are
    shown as what they are; without, as for what a person typed, as they were typed. ``fence`` is
    that of the code in whose midst the text begins (``open_fence``).
    """
    lines: list[Line] = []
    margin = ""
    for line in text:
        mark = _fence(line)
        if fence and not _closes(mark, fence):
            body = line.removeprefix(margin) if margin else line
            room = columns - len(margin) - 2
            lines += [((DIM, f"{margin}│ "), (CODE, part)) for part in wrap(body, room)]
        elif fence:
            lines.append(((DIM, f"{margin}└─"),))
            fence = ""
        elif mark:
            fence = mark
            margin = " " * min(len(line) - len(line.lstrip(" ")), columns // 4)
            named = line.strip(" `~")
            lines.append(((DIM, fit(f"{margin}┌─ {named}".rstrip(), columns).rstrip()),))
        elif signs:
            lines += _styled(line, columns)
        else:
            lines += [((PLAIN, part),) for part in wrap(line, columns)]
    return lines


def open_fence(text: str) -> str:
    """Return the fence of the code in whose midst ``text`` ends, ``""`` when it ends in none."""
    fence = ""
    if any(one in text for one in _FENCES):
        for line in text.split("\n"):
            mark = _fence(line)
            if not fence:
                fence = mark
            elif _closes(mark, fence):
                fence = ""
    return fence


def _fence(line: str) -> str:
    """Return the fence that a line is, and what stands behind it; ``""`` when it is none."""
    line = line.strip()
    if not line.startswith(_FENCES):
        return ""
    named = line.lstrip(line[0])
    return "" if line[0] in named else line


def _closes(mark: str, fence: str) -> bool:
    sign = fence[0]
    length = len(fence) - len(fence.lstrip(sign))
    return len(mark) >= length and not mark.strip(sign)


def _styled(line: str, columns: int) -> Iterator[Line]:
    text = line.lstrip(" ")
    lead = " " * min(len(line) - len(text), columns // 2)
    level = len(text) - len(text.lstrip("#"))
    if 0 < level <= _DEEPEST_HEADING and text[level : level + 1] == " ":
        whole = "".join(part for _, part in _inline(text[level:].strip(" #")))
        yield from (((BOLD, lead + part),) for part in wrap(whole, columns - len(lead)))
        return
    mark = _list_mark(text)
    shown = _BULLET if mark in _BULLETS else mark
    lead, text = lead + shown, text[len(mark) :].lstrip(" ")
    for parts in _wrapped(_inline(text), columns - len(lead)):
        yield ((PLAIN, lead), *parts)
        lead = " " * len(lead)


def _list_mark(text: str) -> str:
    if text.startswith(_BULLETS):
        return text[:2]
    number = text[:_LONGEST_NUMBER].partition(" ")[0]
    is_mark = number[:-1].isdecimal() and number[-1:] in {".", ")"}
    return f"{number} " if is_mark and text[len(number) :].startswith(" ") else ""


def _inline(text: str) -> list[tuple[str, str]]:
    """Return the parts of a line: code with its ticks, bold without its stars, and the rest."""
    parts: list[tuple[str, str]] = []
    start = at = 0
    while at < len(text):
        if text[at] == "`":
            inner = at
            while text[inner : inner + 1] == "`":
                inner += 1
            ticks = text[at:inner]
            end = text.find(ticks, inner) + len(ticks)
            part = (CODE, text[at:end])
            following = end if end >= inner + len(ticks) else inner
        elif text.startswith("**", at):
            end = text.find("**", at + 2) + 2
            part = (BOLD, text[at + 2 : end - 2])
            following = end if end > at + 4 and _is_bold(text, at, end) else at + 2
        else:
            at += 1
            continue
        if following == end:
            parts += [(PLAIN, text[start:at]), part]
            start = end
        at = following
    return [*parts, (PLAIN, text[start:])]


def _is_bold(text: str, start: int, end: int) -> bool:
    # Not two powers in one line, nor two names of the kind **options.
    inside = text[start + 2 : end - 2]
    outside = text[max(start - 1, 0) : start] + text[end : end + 1]
    return inside == inside.strip() and not any(
        char.isascii() and char.isalnum() for char in outside
    )


def _wrapped(parts: list[tuple[str, str]], columns: int) -> Iterator[Line]:
    """Yield the parts as lines of at most ``columns`` columns."""
    whole = "".join(text for _, text in parts)
    left = list(reversed(parts))
    at = 0  # of the whole, where the last of `left` begins
    for line in wrap(whole, columns):
        begin = whole.find(line, at) if line else at
        shown: list[tuple[str, str]] = []
        end = begin + len(line)
        while left and at < end:
            paint, text = left.pop()
            skipped = max(begin - at, 0)
            kept = text[skipped : end - at]
            if kept:
                shown.append((paint, kept))
            if at + len(text) > end:
                left.append((paint, text[end - at :]))
                text = text[: end - at]
            at += len(text)
        yield tuple(shown)
