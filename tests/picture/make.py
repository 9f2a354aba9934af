"""Makes .github/picker-*.svg from the real thing: zsh, the widget, fzf and made-up sessions.

python tests/picture/make.py [FOLDER]
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Final

TESTS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "shell")]

from rich.console import Console  # noqa: E402 - found by the lines above
from rich.terminal_theme import TerminalTheme  # noqa: E402
from rich.text import Text  # noqa: E402
from terminal import machine_with, terminal  # noqa: E402

from sessfzf.demo import sessions, write_stores  # noqa: E402

PICTURES: Final = os.path.join(os.path.dirname(TESTS), ".github")
THEMES: Final = {
    "dark": TerminalTheme(
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
    ),
    "light": TerminalTheme(
        (252, 252, 251),
        (45, 49, 57),
        [
            (45, 49, 57),
            (192, 44, 56),
            (38, 122, 62),
            (150, 98, 0),
            (28, 92, 186),
            (136, 57, 170),
            (0, 116, 138),
            (120, 124, 132),
        ],
    ),
}
COLUMNS, LINES = 132, 39
# fzf paints by numbers that are made for dark terminals unless it is told.
OPTIONS: Final = {"dark": "--color=dark", "light": "--color=light"}


def main(folder: str = PICTURES) -> None:
    """Write both pictures into ``folder``."""
    os.makedirs(folder, exist_ok=True)
    for name, theme in THEMES.items():
        picture = draw(shown(OPTIONS[name]), theme)
        with open(os.path.join(folder, f"picker-{name}.svg"), "w", encoding="utf-8") as file:
            file.write(picture)


def shown(options: str) -> list[str]:
    """Return the lines of the screen, with their colours."""
    with machine_with() as machine:
        write_stores(machine.path)
        size = COLUMNS, LINES
        with terminal(machine, "zsh", size=size, FZF_DEFAULT_OPTS=options) as screen:
            screen.type("cd ~/code/shop-api; PROMPT='%F{green}%~%f $ '")
            screen.keys("Enter")
            screen.wait(r"^~/code/shop-api \$")
            screen.keys("C-l")
            screen.wait(r"\A~/code/shop-api \$")
            listed = [one for one in sessions() if one.state not in {"print", "archived"}]
            screen.open("", len(listed))
            screen.wait("^.*│ *app ")
            screen.wait(r"│.*the whole suite\?")
            text = screen._tmux("capture-pane", "-p", "-e")
    return text.rstrip("\n").split("\n")


def draw(lines: list[str], theme: TerminalTheme) -> str:
    """Return the lines as an SVG document that needs no font from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, overflow="crop")
    picture = console.export_svg(title="zsh: Alt-R", theme=theme, unique_id="picker")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return re.sub(
        r"font-family: Fira Code, monospace",
        "font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
        picture,
    )


if __name__ == "__main__":
    main(*sys.argv[1:2])
