"""Makes .github/picker.svg from the real thing: zsh, the widget and fzf in tmux, a made-up store.

python tests/picture/make.py [FILE]
"""

from __future__ import annotations

import io
import os
import re
import sys
import time
from typing import Final, NamedTuple

TESTS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "shell")]

from rich.console import Console  # noqa: E402 - found by the lines above
from rich.terminal_theme import TerminalTheme  # noqa: E402
from rich.text import Text  # noqa: E402
from terminal import Machine, machine_with, terminal  # noqa: E402

PICTURE: Final = os.path.join(os.path.dirname(TESTS), ".github", "picker.svg")
THEME: Final = TerminalTheme(
    (22, 24, 29),
    (214, 216, 220),
    [
        (75, 78, 85),
        (240, 113, 120),
        (152, 195, 121),
        (229, 192, 123),
        (116, 173, 245),
        (198, 146, 233),
        (101, 196, 212),
        (214, 216, 220),
    ],
)
COLUMNS, LINES = 120, 24
MINUTE, HOUR, DAY = 60, 3_600, 86_400


class Shown(NamedTuple):
    """One session of the made-up store: its age is in seconds."""

    app: str
    age: int
    folder: str
    branch: str | None
    title: str


SESSIONS: Final = (
    Shown("claude", 4 * MINUTE, "work/shop-api", "fix/retry-loop", "Stop the retry loop on a 409"),
    Shown("codex", 26 * MINUTE, "work/shop-web", "main", "Make the checkout keyboard friendly"),
    Shown("claude", 2 * HOUR, "work/shop-api", "main", "Why does the price cache grow?"),
    Shown("claude", 5 * HOUR, "notes", None, "Sort the talks of 2026 by topic"),
    Shown("codex", 9 * HOUR, "work/infra", "alerts", "Alert when the disk is filled in a week"),
    Shown("claude", DAY, "work/shop-api-hotfix", "hotfix/tax", "Round taxes like the old invoices"),
    Shown("codex", 2 * DAY, "work/shop-web", "colours", "Übersicht: dunkle Farben für Diagramme"),
    Shown("claude", 4 * DAY, "play/chess", "main", "Teach the engine to castle"),
    Shown("codex", 9 * DAY, "work/infra", "main", "Move the backups to the new region"),
    Shown("claude", 20 * DAY, "dotfiles", "main", "Speed up the zsh start-up"),
    Shown("claude", 50 * DAY, "work/shop-api", "orders-v2", "Plan the move to the v2 order schema"),
)
OPEN, GONE = 0, 5  # which of them is open elsewhere, and whose folder is gone


def main(target: str = PICTURE) -> None:
    """Write the picture to ``target``."""
    with machine_with() as machine:
        furnish(machine)
        with terminal(machine, "zsh", size=(COLUMNS, LINES)) as screen:
            screen.type("cd ~/work/shop-api; PROMPT='%F{green}%~%f $ '")
            screen.keys("Enter")
            screen.wait(r"^~/work/shop-api \$")
            screen.keys("C-l")
            screen.wait(r"\A~/work/shop-api \$")
            screen.open("", len(SESSIONS))
            screen.wait(SESSIONS[-1].title)
            text = screen._tmux("capture-pane", "-p", "-e")
    picture = draw(text.rstrip("\n").split("\n"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(picture)


def furnish(machine: Machine) -> None:
    """Write the store, and the folders that are still there."""
    home, now = machine.home, time.time()
    for number, session in enumerate(SESSIONS):
        folder = os.path.join(machine.path, session.folder)
        if number != GONE:
            os.makedirs(folder, exist_ok=True)
        if session.app == "codex":
            home.codex(
                cwd=folder, prompt=session.title, branch=session.branch, time=now - session.age
            )
        else:
            written = home.claude(
                cwd=folder, prompt=session.title, branch=session.branch, time=now - session.age
            )
            if number == OPEN:
                home.claude_live(written.id, status="busy")


def draw(lines: list[str]) -> str:
    """Return the lines as an SVG document that needs no font from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, overflow="crop")
    picture = console.export_svg(title="zsh: Alt-R", theme=THEME, unique_id="picker")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return re.sub(
        r"font-family: Fira Code, monospace",
        "font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
        picture,
    )


if __name__ == "__main__":
    main(*sys.argv[1:2])
