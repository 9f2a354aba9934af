"""``sessfzf keys``: the page of the picker's keys, marks and query words."""

from __future__ import annotations

import os

from sessfzf.rows import MARKS
from sessfzf.streams import write

KEYS = (
    ("Enter", "resume the session"),
    ("Alt-Enter", "with approvals as recorded"),
    ("Ctrl-E", "only type the line"),
    ("Alt-N", "resume a copy (fork)"),
    ("Alt-O", "only go to its folder"),
    ("Alt-Y", "copy the line"),
    ("Alt-I", "copy the id"),
    ("Esc", "back"),
    ("Alt-A", "all sessions"),
    ("Alt-G", "this repository's"),
    ("Alt-H", "this folder's"),
    ("Alt-U", "all, the hidden ones too"),
    ("Ctrl-R", "read the list again"),
    ("Alt-P", "preview on and off"),
    ("Shift-Up", "and Down: move in it"),
    ("?", "this page"),
)
"""Each key and what it does, by ``fzf.LOOK``, ``fzf.ANSWERS`` or fzf itself."""

MARKED = (
    ("busy", "busy"),
    ("waiting", "waits for you"),
    ("idle", "open"),
    ("gone", "gone"),
    ("worktree", "in a worktree"),
    ("fork", "a fork"),
    ("archived", "archived"),
    ("print", "from a script"),
)
"""Each mark by its name in ``rows.MARKS``, and what it says."""

WORDS = (
    ("fix", "letters in this order"),
    ("'fix", "this very text"),
    ("!fix", "not this text"),
    ("app:codex", "one agent's"),
    ("'branch:fe", "how its branch begins"),
    ("'folder:/", "its folder in full"),
    ("'opus", "model, effort, id"),
    ("'is:live", "busy waiting idle fork gone"),
    ("", "worktree archived print"),
)
"""What can be typed, and what it finds."""

_RESET, _CYAN = "\x1b[0m", "\x1b[36m"
_LABEL, _WIDTH = 11, 38  # columns of what is explained, and of both
_DEFAULT_COLUMNS = 80


def run() -> int:
    """Write the page to stdout, in two parts where there is room; return the exit code."""
    given = os.environ.get("FZF_PREVIEW_COLUMNS", "")
    columns = int(given) if given.isdecimal() and len(given) < 10 else _DEFAULT_COLUMNS  # noqa: PLR2004
    parts = 2 if columns >= 2 * _WIDTH else 1
    keys = [(label.ljust(_LABEL), _CYAN, text) for label, text in KEYS]
    marks = [(f"{MARKS[name][0]} ", MARKS[name][1], text) for name, text in MARKED]
    words = [(label.ljust(_LABEL), _CYAN, text) for label, text in WORDS]
    page = [
        *_beside(keys, parts, _WIDTH),
        "",
        *_beside(marks, 2 * parts, _WIDTH // 2),
        "",
        *_beside(words, parts, _WIDTH),
        "",
    ]
    write("\n".join(page))
    return 0


def _beside(entries: list[tuple[str, str, str]], parts: int, width: int) -> list[str]:
    """Return the entries in so many columns, one below the other in each."""
    colour = not os.environ.get("NO_COLOR")
    height = -(-len(entries) // parts)
    lines = [""] * height
    for number, (label, paint, text) in enumerate(entries):
        shown = f"{paint}{label}{_RESET}" if colour else label
        lines[number % height] += shown + text.ljust(width - len(label))
    return [line.rstrip() for line in lines]
