"""What the programs around sessfzf say of themselves: asked for ``doctor``, with a time limit.

None of them gets a terminal, so that none can take this one over, ask something on it or start a
terminal multiplexer in it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from typing import NamedTuple

from sessfzf import fzf
from sessfzf.errors import SessfzfError
from sessfzf.text import clean

PATIENCE = 5.0  # s: agents start in one, shells with many plugins in two
_LONGEST_ANSWER = 256 * 1024
_OLDEST_FZF = (0, 38)
_NUMBER = re.compile(r"\d+\.\d[\w.-]{0,40}")


class Program(NamedTuple):
    """A command as it is found on PATH; ``problem`` is why it is of no use, ``""`` if it is."""

    path: str
    version: str = ""
    problem: str = ""


class Shell(NamedTuple):
    """A shell and what of the widget is in it when it has read its start-up files.

    ``keys`` open the list; ``key`` is the one that should, and ``taken`` what it does instead.
    ``unknown`` is why nothing is known, ``""`` if it is.
    """

    name: str
    path: str
    version: str = ""
    loaded: bool = False
    keys: tuple[str, ...] = ()
    key: str = ""
    taken: str = ""
    unknown: str = ""


def ask(argv: list[str], **settings: str) -> tuple[int | None, str]:
    """Run a command, return its exit code (None: it did not end in time) and what it wrote.

    ``settings`` are added to the environment. Raises OSError when it cannot be started.
    """
    # A file: in a pipe one would wait for whatever the command leaves running in the background.
    with tempfile.TemporaryFile() as answer:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=answer,
            stderr=subprocess.STDOUT,
            env=os.environ | settings,
            start_new_session=True,
        )
        try:
            code = child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if child.poll() is None:
                with suppress(OSError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        answer.seek(0)
        return code, answer.read(_LONGEST_ANSWER).decode("utf-8", "replace")


def program(name: str) -> Program:
    """Look for a command on PATH and ask for its version."""
    path = shutil.which(name) or ""
    return _version(path) if path else Program("")


def picker() -> Program:
    """Look for fzf as the widgets do, and try all that they ask of it on an empty list."""
    path = shutil.which("fzf") or fzf.beside()
    if not path:
        return Program("", problem="not installed")
    found = _version(path)
    number = tuple(int(part) for part in re.findall(r"\d+", found.version)[:2])
    if found.problem or number < _OLDEST_FZF:
        return found._replace(problem=found.problem or "older than 0.38")
    try:
        environment = fzf.environment("true")
        code, told = ask([path, *fzf.CONTRACT, "--filter="], **environment)
    except (OSError, SessfzfError) as error:
        return found._replace(problem=clean(str(error)))
    if code in {0, 1}:  # 1: nothing matches
        return found
    return found._replace(problem=clean(told) or f"exit code {code}")


def _version(path: str) -> Program:
    try:
        code, told = ask([path, "--version"])
    except OSError as error:
        return Program(path, problem=f"cannot be started: {error.strerror}")
    if code is None:
        return Program(path, problem=f"no answer in {PATIENCE:.0f} s")
    number = _NUMBER.search(told)
    if code or not number:
        return Program(path, problem=f"does not tell its version (exit code {code})")
    return Program(path, number[0])


# What each shell is asked once its start-up files have been read. An answer has a marked line
# before each part: the start-up files may print what they like. The history file is let go of.
_MARK = "@sessfzf-doctor@"
_QUESTIONS = {
    "zsh": r"""
\builtin 'emulate' zsh
HISTFILE=
__sessfzf_key=${SESSFZF_KEY-\\er}
\builtin 'print' -rl -- '@version' "$ZSH_VERSION" '@loaded' "${widgets[sessfzf-widget]-}" \
  "${(M)zvm_after_init_commands:#*sessfzf init*}" '@key' "$__sessfzf_key" \
  '@bound'
\builtin 'bindkey' -M main
\builtin 'print' -r -- '@taken'
[[ -n $__sessfzf_key ]] && \builtin 'bindkey' -M main -- "$__sessfzf_key"
\builtin 'print' -r -- '@end'
""",
    "bash": r"""
HISTFILE=
\builtin printf '%s\n' '@version' "$BASH_VERSION" '@loaded'
\builtin declare -F __sessfzf_pick || :
\builtin printf '%s\n' '@key' "${SESSFZF_KEY-\\er}" '@bound'
\builtin bind -s || :
\builtin printf '%s\n' '@taken'
\builtin bind -s || :
\builtin bind -X || :
\builtin bind -p || :
\builtin printf '%s\n' '@end'
""",
    # The person's own function is what fish runs at its first prompt.
    "fish": r"""
builtin functions -q fish_user_key_bindings; and fish_user_key_bindings
set -l key \er
builtin set -q SESSFZF_KEY; and set key (string unescape -- $SESSFZF_KEY)
set -l mode default
if builtin contains -- "$fish_key_bindings" fish_vi_key_bindings fish_hybrid_key_bindings
    set mode insert
end
builtin printf '%s\n' '@version' $version '@loaded'
builtin functions -q __sessfzf_widget; and builtin printf '%s\n' yes
builtin printf '%s\n' '@key'
builtin test -n "$key"; and builtin string escape -- $key
builtin printf '%s\n' '@bound'
builtin bind -M $mode
builtin printf '%s\n' '@taken'
builtin test -n "$key"; and builtin bind -M $mode $key 2>/dev/null
builtin printf '%s\n' '@end'
""",
}
_BOUND = {
    "zsh": re.compile(r'"(.+)" sessfzf-widget'),
    "bash": re.compile(r'"(.+)": ".*(?:\\C-xW|__sessfzf).*"'),
    "fish": re.compile(r"bind (?:-M \w+ )?(?:-m \w+ )?(\S+) .*__sessfzf.*"),
}


def shell(name: str) -> Shell:
    """Start the shell as for a new terminal and ask what became of the widget."""
    path = shutil.which(name) or ""
    if not path:
        return Shell(name, "")
    if name == "fish" and not os.path.isdir(_fish_folder()):
        # It would make the folder, and what it starts up with cannot hold the widget.
        return Shell(name, path, _version(path).version)
    question = _QUESTIONS[name].replace("'@", f"'{_MARK}")
    try:
        code, told = ask([path, "-i", "-c", question])
    except OSError as error:
        return Shell(name, path, unknown=f"cannot be started: {error.strerror}")
    answer = _parts(told)
    if "end" not in answer:
        slow = f"its start-up files take more than {PATIENCE:.0f} s"
        return Shell(name, path, unknown=slow if code is None else f"ended with exit code {code}")
    key = "".join(answer["key"])
    found = [_BOUND[name].fullmatch(line.strip()) for line in answer["bound"]]
    keys = tuple(dict.fromkeys(readable(match[1]) for match in found if match))
    loaded, *later = [*answer["loaded"], ""]
    if any(later):  # zsh-vi-mode will load it at the first prompt, behind its own bindings
        keys = tuple(filter(None, [readable(key)]))
    taken = _taken(name, key, answer["taken"]) if loaded and key and not keys else ""
    version = _NUMBER.search("".join(answer["version"]))
    number = version[0] if version else ""
    return Shell(name, path, number, bool(loaded or any(later)), keys, readable(key), taken)


def _fish_folder() -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "fish")


def _parts(told: str) -> dict[str, list[str]]:
    """Return the lines of each part of an answer."""
    parts: dict[str, list[str]] = {}
    part: list[str] = []
    for line in told.split("\n"):
        _, mark, name = line.partition(_MARK)
        if mark:
            part = parts[name.strip()] = []
        else:
            part.append(line)
    return parts


def _taken(name: str, key: str, lines: list[str]) -> str:
    """Return what a key does that should open the list."""
    if name == "bash":
        lines = [line for line in lines if line.startswith(f'"{key}": ')]
    told = [clean(line, 60) for line in lines if line.strip()]
    return told[0] if told else "something else"


_KEYS = (
    ("Alt", re.compile(r"(?:\^\[|\\e|\\M-|alt-)(\w)")),
    ("Ctrl", re.compile(r"(?:\^|\\C-|\\c|ctrl-)(\w)")),
)


def readable(key: str) -> str:
    """Return a key of a shell's notation in words: Alt-R, Ctrl-O; else as the shell has it."""
    for word, pattern in _KEYS:
        if match := pattern.fullmatch(key):
            return f"{word}-{match[1].upper()}"
    return clean(key, 40)
