"""``sessfzf resume``: what the widgets do, for a person without one. It becomes the agent."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from sessfzf import fzf, plan
from sessfzf.errors import SessfzfError
from sessfzf.listing import tell_if_empty
from sessfzf.shells import SHELLS, quote
from sessfzf.streams import tell, write
from sessfzf.text import clean

# Starts this very sessfzf without PATH. Both -c and -m put the folder the person stands in first
# on Python's path, where a file of any name may lie: it is taken away before anything is imported.
_PRODUCER = (
    "import sys; del sys.path[0]; sys.path.append(sys.argv.pop(1)); "
    "from sessfzf.__main__ import main; sys.exit(main())"
)


def run(
    key: str | None,
    *,
    approvals: str = "safe",
    confirm: str = "ask",
    fork: bool = False,
    start: bool = True,
) -> int:
    """Resume the session that `key` names as for `plan`, or the one picked with fzf.

    Returns an exit code, but not when the agent starts: that takes the place of this process. What
    the keys of fzf mean says `fzf.ANSWERS`; Ctrl-E and Alt-O print the line, as all do without
    `start`.
    Raises SessfzfError: as `plan.make`; 2 without a terminal to pick on; 3 without fzf or agent.
    """
    pressed = ""
    if key is None:
        pressed, key = _pick()
        if not key:
            return plan.CANCELLED
    asked = fzf.ANSWERS[pressed]
    chosen = plan.make(
        plan.given(key),
        approvals="recorded" if "recorded" in asked else approvals,
        fork=fork or "--fork" in asked,
        folder="--folder" in asked,
    )
    code = plan.settle(chosen, "print" if pressed == "ctrl-e" else confirm)
    # A process cannot change the folder of the shell that started it.
    printed = pressed in {"ctrl-e", "alt-o"} or (code == 0 and not start)
    if printed or (code == plan.UNCONFIRMED and confirm == "print"):
        write(chosen.line(_shell()) + "\n")
    elif code == 0:
        _become(chosen, terminal=key == "-")
    return code


def _pick() -> tuple[str, str]:
    """Return the key that was pressed ("" for Enter) and the id, "" when nothing was chosen."""
    program = shutil.which("fzf") or fzf.beside()
    if not program:
        raise SessfzfError(fzf.MISSING, plan.REFUSED)
    # fzf starts the producer itself only when its stdin is a terminal.
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        raise SessfzfError(
            "no terminal to pick on: name a session, see --help", plan.USAGE
        ) from None
    try:
        done = subprocess.run(
            [program, *fzf.CONTRACT],
            stdin=terminal,
            stdout=subprocess.PIPE,
            env=fzf.environment(_producer()),
            check=False,
        )
    finally:
        os.close(terminal)
    if done.returncode in {1, 130}:  # nothing matched; Esc
        tell_if_empty()
        return "", ""
    if done.returncode:
        raise SessfzfError(
            f"fzf failed with exit code {done.returncode}: see sessfzf doctor", plan.REFUSED
        )
    pressed, _, row = done.stdout.decode("utf-8", "replace").partition("\n")
    if pressed not in fzf.ANSWERS:
        raise SessfzfError(
            "fzf gave an unknown answer: is --filter among its options?", plan.REFUSED
        )
    return pressed, row.partition("\t")[0].strip()


def _producer() -> str:
    """Return the line for sh that lists the sessions with this interpreter and this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    words = (sys.executable, "-c", _PRODUCER, package)
    try:
        # The end stands bare, as fzf.py looks for it.
        return " ".join(quote(word, "sh") for word in words) + " list --picker"
    except ValueError as error:
        raise SessfzfError(f"cannot be run from {clean(package)}: {error}", plan.REFUSED) from None


def _shell() -> str:
    """Return the name of the person's shell, to quote for; sh when it is another than ours."""
    name = os.path.basename(os.environ.get("SHELL", ""))
    return name if name in SHELLS else "sh"


def _become(chosen: plan.Plan, *, terminal: bool) -> None:
    """Turn into the agent, in the session's folder; `terminal`: with the terminal as its stdin."""
    # Looked for before the change of folder: a relative entry of PATH means one of here.
    program = shutil.which(chosen.argv[0])
    if program is None:
        raise SessfzfError(
            f"{chosen.argv[0]} is not on PATH: install it, or see sessfzf doctor", plan.REFUSED
        )
    program = os.path.abspath(program)
    if terminal:
        try:
            os.dup2(os.open("/dev/tty", os.O_RDWR), 0)
        except OSError:
            tell("no terminal for the agent to read from")
    try:
        os.chdir(chosen.cwd)
        os.execve(program, chosen.argv, os.environ | chosen.env | {"PWD": chosen.cwd})  # noqa: S606
    except OSError as error:
        reason = f"{clean(error.filename or program)}: {error.strerror}"
        raise SessfzfError(f"the agent could not be started: {reason}", plan.REFUSED) from None
