"""Real shells in a real terminal: each in a tmux of its own, driven by keys, read as a screen."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from stores import Home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Read when the tests are collected, before they get an environment of their own.
FZF_OLD: Final = os.environ.get("SESSFZF_TEST_FZF_OLD", "")
REQUIRED: Final = os.environ.get("SESSFZF_REQUIRE_SHELLS") == "1"
FZF_NEW: Final = next(
    (
        path
        for folder in (os.path.dirname(sys.executable), *os.get_exec_path())
        if os.access(path := os.path.join(folder, "fzf"), os.X_OK)
    ),
    "",
)

SHELLS: Final = ("zsh", "bash", "fish")
_MISSING: Final = [name for name in (*SHELLS, "tmux", "git") if not shutil.which(name)]
# Where everything must be there, a test without it fails by itself.
MARKS: Final = [
    pytest.mark.shell,
    pytest.mark.skipif(
        not REQUIRED and bool(_MISSING or not FZF_NEW), reason=f"needs fzf, {' '.join(_MISSING)}"
    ),
]
FZFS: Final = [
    pytest.param(
        FZF_OLD,
        id="oldest",
        marks=pytest.mark.skipif(
            not REQUIRED and not FZF_OLD,
            reason="SESSFZF_TEST_FZF_OLD does not name the oldest supported fzf, 0.38",
        ),
    ),
    pytest.param(FZF_NEW, id="newest"),
]
PROMPT: Final = "READY> "
DEADLINE: Final = 20.0  # seconds: fish took 1.6 on a loaded machine
POLL: Final = 0.015

# What the shells and the widgets may find; no fzf of the system's among them.
TOOLS: Final = (
    "bash",
    "cat",
    "clear",
    "env",
    "git",
    "grep",
    "head",
    "ls",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sh",
    "sleep",
    "touch",
    "uname",
)

LAUNCHER: Final = """\
#!{python}
import sys
from sessfzf.__main__ import main
sys.exit(main())
"""

# Folder, whether the agent has a terminal, and argv, each ended by a NUL; whole or not at all.
AGENT: Final = """\
#!/bin/sh
tty=no
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty=yes
printf '%s\\0' "$PWD" "$tty" "${0##*/}" "$@" >"$HOME/launch.part"
mv "$HOME/launch.part" "$HOME/launch"
if [ -e "$HOME/agent-reads" ]; then read -r answer; printf 'AGENT READ %s\\n' "$answer"; fi
"""


class Launch(NamedTuple):
    """What a stand-in for an agent saw."""

    folder: str
    has_terminal: bool
    argv: list[str]


class Machine:
    """A home folder, a PATH and the stores in it, all below one short temporary folder."""

    def __init__(self, fzf: str | None = FZF_NEW) -> None:
        assert fzf is None or os.access(fzf, os.X_OK), f"no fzf to test with: {fzf!r}"
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="sfz"))
        self.path = os.path.join(self.root, "home")
        self.bin = os.path.join(self.root, "bin")
        self.home = Home(self.path)
        os.mkdir(self.bin)
        # Else fish spends a minute of CPU on completions for every new home.
        os.makedirs(os.path.join(self.path, ".local/share/fish/generated_completions"))
        os.makedirs(os.path.join(self.path, ".config/fish"))
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            os.symlink(found, os.path.join(self.bin, tool))
        if fzf:
            os.symlink(fzf, os.path.join(self.bin, "fzf"))
        self.write(os.path.join(self.bin, "sessfzf"), LAUNCHER.format(python=sys.executable))
        for agent in ("claude", "codex"):
            self.write(os.path.join(self.bin, agent), AGENT)

    def close(self) -> None:
        self.home.close()
        shutil.rmtree(self.root)

    def write(self, path: str, text: str) -> None:
        """Write an executable file; a relative path is one below the home folder."""
        with open(os.path.join(self.path, path), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(self.path, path), 0o700)

    def without(self, command: str) -> None:
        """Take a command from PATH."""
        os.unlink(os.path.join(self.bin, command))

    @property
    def env(self) -> dict[str, str]:
        return {
            "HOME": self.path,
            "PATH": self.bin,
            "LANG": "C.UTF-8",
            "TERM": "tmux-256color",
            "TZ": "UTC",
            "USER": "kim",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def run(self, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command as a shell without a terminal would."""
        return subprocess.run(
            argv,
            env=self.env | env,
            cwd=self.path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def launched(self) -> Launch | None:
        """What an agent saw since the last call, if one was started."""
        path = os.path.join(self.path, "launch")
        try:
            with open(path, "rb") as file:
                fields = os.fsdecode(file.read()).split("\0")
        except FileNotFoundError:
            return None
        os.unlink(path)
        return Launch(fields[0], fields[1] == "yes", fields[2:-1])


class Terminal:
    """One interactive shell with the widget loaded, on a screen of a given size."""

    def __init__(  # noqa: PLR0913 - what can differ between two terminals
        self,
        machine: Machine,
        shell: str,
        *,
        before: str = "",
        after: str = "",
        size: tuple[int, int] = (80, 24),
        upper: str = "",
        load: str | None = None,
        options: Sequence[str] = (),
        **env: str,
    ) -> None:
        """Start `shell`.

        `before` and `after` stand around the load line in its start-up file, `upper` is a line
        above the prompt, `options` are the shell's own.
        """
        self.machine = machine
        self.socket = os.path.join(machine.root, f"tmux-{time.monotonic_ns()}")
        program, *rest = _start(machine, shell, before, after, upper, load)
        argv = [program, *options, *rest]
        words = [f"{name}={value}" for name, value in (machine.env | env).items()]
        width, height = size
        self._tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(width),
            "-y",
            str(height),
            "-c",
            machine.path,
            "env",
            "-i",
            *words,
            *argv,
        )
        self._tmux("set-option", "-g", "remain-on-exit", "on")

    def _tmux(self, *args: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-S", self.socket, *args],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
            env={
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "HOME": self.machine.path,
                "SHELL": "/bin/sh",
            },
        )
        return done.stdout

    def close(self) -> None:
        """End the server, and wait for the shell: it still writes its history."""
        shell = self._tmux("display-message", "-p", "#{pane_pid}").strip()
        self._tmux("kill-server")
        end = time.monotonic() + DEADLINE
        while _lives(shell) and time.monotonic() < end:
            time.sleep(POLL)

    def keys(self, *names: str) -> None:
        """Press keys by tmux's names for them."""
        self._tmux("send-keys", *names)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", "--", text)

    def paste(self, text: str) -> None:
        """Paste as a terminal does: in brackets when the program has asked for them."""
        self._tmux("set-buffer", "--", text)
        self._tmux("paste-buffer", "-p")

    def screen(self) -> str:
        """The lines of the screen without the empty ones at its end; a wrapped line is one."""
        return "\n".join(
            line.rstrip() for line in self._tmux("capture-pane", "-p", "-J").split("\n")
        ).rstrip("\n")

    def picture(self) -> str:
        """The raw lines and the place of the cursor, to be compared as a whole."""
        return self._tmux(
            "capture-pane", "-p", ";", "display-message", "-p", "#{cursor_x},#{cursor_y}"
        )

    def cursor(self) -> tuple[int, int]:
        """Column and line, from 0."""
        column, line = self._tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(column), int(line)

    def command(self) -> str:
        """The program in the foreground."""
        return self._tmux("display-message", "-p", "#{pane_current_command}").strip()

    def wait_for(self, condition: Callable[[], object], what: str) -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"no {what} on this screen:\n{self.screen()}")
            time.sleep(POLL)

    def wait(self, pattern: str) -> str:
        """Wait until the screen matches; returns the screen."""
        seen = [""]

        def matches() -> object:
            seen[0] = self.screen()
            return re.search(pattern, seen[0], re.MULTILINE)

        self.wait_for(matches, repr(pattern))
        return seen[0]

    def wait_gone(self, pattern: str) -> str:
        self.wait_for(lambda: not re.search(pattern, self.screen()), f"end of {pattern!r}")
        return self.screen()

    def wait_prompt(self) -> None:
        """Wait for an empty prompt with the cursor in it."""

        def is_there() -> bool:
            *lines, place = self.picture().rstrip("\n").split("\n")
            column, line = map(int, place.split(","))
            return column == len(PROMPT) and lines[line].rstrip() == PROMPT.rstrip()

        self.wait_for(is_there, "prompt")

    def wait_alive(self) -> None:
        """Wait until the shell has run a command, and whatever was typed before it."""
        self.type("echo al''ive")
        self.keys("Enter")
        self.wait("^alive$")

    def open(self, query: str, matches: int, key: str = "M-r") -> None:
        """Press the key, wait for the list, narrow it down to so many rows."""
        self.keys(key)
        self.wait(r"session> .*\d+/\d+")
        if query:
            self.type(query)
        self.wait(rf"session> .*{re.escape(query)} .*\b{matches}/\d+")
        time.sleep(0.03)  # fzf shows the number a moment before it takes the row

    def pick(self, query: str, *, answer: str = "Enter", key: str = "M-r") -> None:
        """Choose the one row that the query leaves."""
        self.open(query, 1, key)
        self.keys(answer)

    def launched(self) -> Launch:
        """Wait for the agent to be started."""
        found: list[Launch] = []

        def started() -> bool:
            found.extend(filter(None, [self.machine.launched()]))
            return bool(found)

        self.wait_for(started, "launch")
        return found[0]


def _lives(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _start(  # noqa: PLR0913 - as above
    machine: Machine, shell: str, before: str, after: str, upper: str, load: str | None
) -> list[str]:
    """Write the start-up file of `shell`; returns the command that starts it."""
    lines = [upper, PROMPT] if upper else [PROMPT]
    loads = {
        "zsh": "source <(sessfzf init zsh)",
        "bash": 'eval "$(sessfzf init bash)"',
        "fish": "sessfzf init fish | source",
    }
    if shell == "zsh":
        prompt = "PROMPT=" + "$'\\n'".join(f"'{line}'" for line in lines)
        prompt += "\nHISTFILE=$HOME/.histfile HISTSIZE=100 SAVEHIST=100\nbindkey -e\nsetopt no_beep"
        rc, argv = ".zshrc", ["zsh", "-d", "-i"]
    elif shell == "bash":
        prompt = "PS1=" + "$'\\n'".join(f"'{line}'" for line in lines)
        prompt += "\nHISTFILE=$HOME/.histfile\nbind 'set bell-style none' 2>/dev/null"
        rc, argv = ".bashrc", ["bash", "--noprofile", "--rcfile", f"{machine.path}/.bashrc", "-i"]
    else:
        echo = "; ".join(
            ["printf '%s\\n' " + f"'{line}'" for line in lines[:-1]] + [f"printf '%s' '{PROMPT}'"]
        )
        prompt = f"set -g fish_greeting\nfunction fish_prompt; {echo}; end\n"
        for name in ("title", "right_prompt", "mode_prompt"):
            prompt += f"function fish_{name}; end\n"
        rc, argv = ".config/fish/config.fish", ["fish", "-i"]
    machine.write(
        rc, "\n".join((prompt, before, loads[shell] if load is None else load, after, ""))
    )
    program = shutil.which(argv[0])
    assert program
    return [program, *argv[1:]]


@contextlib.contextmanager
def machine_with(fzf: str | None = FZF_NEW) -> Iterator[Machine]:
    """A Machine that is removed whatever happens."""
    made = Machine(fzf)
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def terminal(machine: Machine, shell: str, **settings: Any) -> Iterator[Terminal]:
    """A Terminal that shows a prompt, and is closed whatever happens."""
    made = Terminal(machine, shell, **settings)
    try:
        made.wait_prompt()
        yield made
    finally:
        made.close()
