from __future__ import annotations

import base64
import os
import pty
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Result, Run
    from stores import Home, Written

TOOL = """\
#!/bin/sh
[ ! -e "$0.fails" ] || exit 1
printf "%s " "${0##*/}" "$@" >"$0.used"
cat >>"$0.used"
"""
OWN_TERMINAL = """\
import fcntl, sys, termios
fcntl.ioctl(int(sys.argv.pop(1)), termios.TIOCSCTTY)
from sessfzf.__main__ import main
sys.exit(main())
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with each tool, the only one on PATH, and nothing that would let them work."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("wl-copy", "xclip", "xsel", "pbcopy", "clip.exe", "tmux"):
        (folder / name).write_text(TOOL)
        (folder / name).chmod(0o700)
    os.symlink(str(shutil.which("cat")), folder / "cat")
    monkeypatch.setenv("PATH", str(folder))
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "SSH_CONNECTION", "WSL_DISTRO_NAME", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def made(home: Home) -> Written:
    return home.claude(cwd=home.folder("it's"), branch=None, mode="acceptEdits")


def used(tools: Path) -> dict[str, str]:
    return {one.name[:-5]: one.read_text() for one in tools.glob("*.used")}


@pytest.mark.parametrize(
    ("there", "tool", "words"),
    [
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "wl-copy", "wl-copy "),
        ({"DISPLAY": ":0", "TMUX": "t"}, "xclip", "xclip -selection clipboard "),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "1"}, "xclip", "xclip -selection clipboard "),
        ({"WSL_DISTRO_NAME": "d", "TMUX": "t"}, "clip.exe", "clip.exe "),
        (
            {"WSL_DISTRO_NAME": "d", "SSH_CONNECTION": "1", "TMUX": "t"},
            "tmux",
            "tmux load-buffer -w - ",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_line_goes_to_the_tool_that_has_a_display(  # noqa: PLR0913
    run: Run,
    made: Written,
    tools: Path,
    monkeypatch: pytest.MonkeyPatch,
    there: dict[str, str],
    tool: str,
    words: str,
) -> None:
    for name, value in there.items():
        monkeypatch.setenv(name, value)
    line = run("plan", made.id).text.rstrip("\n")
    result = run("copy", made.id)
    assert result.code == 0
    assert used(tools) == {tool: words + line}
    assert result.text == f"copied by {tool}:\n\n{line}\n"
    assert "acceptEdits" in result.err, "what is held back is told"
    assert run("copy", "--id", made.id[:8]).text.endswith(f"\n\n{made.id}\n")
    assert used(tools) == {tool: words + made.id}


def test_a_tool_that_fails_or_is_not_there_is_passed_over(
    run: Run, made: Written, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    monkeypatch.setenv("DISPLAY", ":0")
    (tools / "wl-copy").unlink()
    (tools / "xclip.fails").touch()
    assert run("copy", made.id).text.startswith("copied by xsel:")
    assert set(used(tools)) == {"xsel"}


def test_a_display_that_does_not_answer_is_not_waited_for(
    run: Run, made: Written, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sessfzf import copy

    monkeypatch.setattr(copy, "_PATIENCE", 0.1)
    monkeypatch.setenv("DISPLAY", ":0")
    os.symlink(str(shutil.which("sleep", path="/usr/bin:/bin")), tools / "sleep")
    (tools / "xclip").write_text("#!/bin/sh\nexec sleep 20\n")
    assert run("copy", made.id).text.startswith("copied by xsel:")


def by_terminal(*args: str, **env: str) -> tuple[int, bytes, bytes]:
    """The exit code of a copy on a terminal of its own, what that got, and what stdout got."""
    leader, terminal = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            OWN_TERMINAL,
            str(terminal),
            "copy",
            *args,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[terminal],
        start_new_session=True,
        env=os.environ | env,
    )
    os.close(terminal)
    out, _ = process.communicate(timeout=30)
    try:
        seen = os.read(leader, 65536)
    except OSError:  # nobody has it open any more, and nothing was written
        seen = b""
    os.close(leader)
    return process.returncode, seen, out


@pytest.mark.usefixtures("tools")
def test_without_any_tool_the_terminal_is_asked(made: Written) -> None:
    code, seen, out = by_terminal("--id", made.id)
    assert code == 0
    assert seen == b"\x1b]52;c;" + base64.b64encode(made.id.encode()) + b"\a"
    assert b"OSC 52" in out


def test_in_a_tmux_that_cannot_pass_it_on_it_goes_through(tools: Path, made: Written) -> None:
    (tools / "tmux.fails").touch()
    code, seen, _ = by_terminal("--id", made.id, TMUX="t")
    assert code == 0
    inner = b"\x1b\x1b]52;c;" + base64.b64encode(made.id.encode()) + b"\a"
    assert seen == b"\x1bPtmux;" + inner + b"\x1b\\"


@pytest.mark.usefixtures("tools")
def test_where_nothing_takes_it_that_is_said(run: Run, made: Written) -> None:
    result: Result = run.apart("copy", made.id)
    assert (result.code, result.out) == (3, b"")
    assert "nothing takes it" in result.err


@pytest.mark.usefixtures("tools")
def test_what_cannot_be_resumed_is_not_copied(run: Run, home: Home) -> None:
    gone = home.claude(cwd=f"{home.path}/gone")
    assert (run("copy", gone.id).code, run("copy", gone.id).out) == (3, b"")
    assert run("copy", "no-such-id").code == 1


def test_in_fzf_a_long_line_is_broken(
    run: Run, made: Written, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("FZF_PREVIEW_COLUMNS", "40")
    assert max(map(len, run("copy", made.id).text.splitlines())) <= 40
    assert "\n" not in used(tools)["xclip"]


@pytest.mark.usefixtures("tools")
def test_in_fzf_what_took_it_is_told_in_full(made: Written) -> None:
    _, _, out = by_terminal("--id", made.id, FZF_PREVIEW_COLUMNS="40")
    told, _, copied = out.decode().partition("\n\n")
    assert max(map(len, told.split("\n"))) <= 40
    assert told.replace("\n", " ") == (
        "copied by the terminal, if it lets programs do that (OSC 52):"
    )
    assert copied == f"{made.id}\n"
