"""``sessfzf copy``: what resumes a session, or its id, goes to the clipboard."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from binascii import b2a_base64

from sessfzf import plan
from sessfzf.errors import SessfzfError
from sessfzf.streams import write
from sessfzf.text import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE = 3.0  # s: a display that does not answer
_ESC = b"\x1b"


def run(key: str, *, id: bool = False) -> int:  # noqa: A002 - the option's own name
    """Copy the safe line for sh, or with ``id`` the id; say so on stdout; return the exit code.

    Raises SessfzfError: as `plan.make`; 3 where nothing takes it.
    """
    if id:
        _, _, session = plan.resolve(plan.given(key))
        text = session.id
    else:
        chosen = plan.make(plan.given(key))
        plan.settle(chosen, "yes")  # the line is not run: what it would ask is only told
        text = chosen.line("sh")
    by = _put(text)
    told = [f"copied by {by}:", "", text]
    columns = os.environ.get("FZF_PREVIEW_COLUMNS", "")
    if columns.isdecimal() and int(columns):
        told = [line for part in told for line in wrap(part, int(columns))]
    write("".join(f"{line}\n" for line in told))
    return 0


def _put(text: str) -> str:
    """Put the text on the clipboard; return by what."""
    for command in _tools():
        if shutil.which(command[0]) and _fed(command, text):
            return command[0]
    try:
        _by_terminal(text)
    except OSError:
        raise SessfzfError(
            "nothing takes it: wl-copy, xclip, xsel, pbcopy and clip.exe are not there or have no "
            "display, and there is no terminal",
            plan.REFUSED,
        ) from None
    return "the terminal, if it lets programs do that (OSC 52)"


def _tools() -> Iterator[list[str]]:
    """Yield what may reach the person's own clipboard from here, the best first."""
    if os.environ.get("WAYLAND_DISPLAY"):
        yield ["wl-copy"]
    if os.environ.get("DISPLAY"):
        yield ["xclip", "-selection", "clipboard"]
        yield ["xsel", "--clipboard", "--input"]
    # From afar these two would fill the clipboard of a screen that nobody looks at.
    if not os.environ.get("SSH_CONNECTION"):
        if sys.platform == "darwin":
            yield ["pbcopy"]
        if os.environ.get("WSL_DISTRO_NAME"):
            yield ["clip.exe"]
    if os.environ.get("TMUX"):
        yield ["tmux", "load-buffer", "-w", "-"]  # since tmux 3.2


def _fed(command: list[str], text: str) -> bool:
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
            # xclip and wl-copy stay behind to serve it, and fzf ends the group of its preview.
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _by_terminal(text: str) -> None:
    """Ask the terminal to take it: OSC 52, in tmux by its passthrough. Raises OSError."""
    sequence = _ESC + b"]52;c;" + b2a_base64(text.encode(), newline=False) + b"\a"
    if os.environ.get("TMUX"):
        sequence = _ESC + b"Ptmux;" + sequence.replace(_ESC, _ESC * 2) + _ESC + b"\\"
    # Under fzf this is no process of the foreground: `stty tostop` would stop it.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    terminal = os.open("/dev/tty", os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        os.write(terminal, sequence)  # at once: fzf writes there, too
    finally:
        os.close(terminal)
