"""Proof that it only reads: every file system call of every command, by strace.

Nothing is opened for writing, made, renamed, removed or touched outside the cache and the temporary
folder, and no file of a store is opened that the formats do not name as needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from stores import Home

STRACE: Final = shutil.which("strace")


def _strace_works() -> bool:
    if STRACE is None:
        return False
    probe = [STRACE, "-f", "-o", "/dev/null", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    not _strace_works(), reason="strace is not here, or may not trace on this machine"
)

# What a store's own files may be opened for (reference A1, A5, B1, B4; B7: the settings say when
# a session will be deleted).
NEEDED: Final = re.compile(
    r"""/\.claude/projects/[^/]+/[0-9a-f-]{36}\.jsonl
    | /\.claude/projects/[^/]+/[0-9a-f-]{36}/custom-title\.json
    | /\.claude/sessions/\d+\.json
    | /\.claude/history\.jsonl
    | /\.claude/settings\.json
    | /\.codex/sessions/\d{4}/\d\d/\d\d/rollout-[^/]+\.jsonl
    | /\.codex/archived_sessions/rollout-[^/]+\.jsonl
    | /\.codex/(?:sqlite/)?state_\d+\.sqlite(?:-wal|-journal)?
    | /\.codex/session_index\.jsonl
    | /\.codex/config\.toml""",
    re.VERBOSE,
)
SECRETS: Final = (
    ".claude.json",
    ".claude/.credentials.json",
    ".claude/config.json",
    ".claude/sessions/4242.key",
    ".claude/projects/-x/secrets.jsonl",
    ".claude/projects/-x/memory/MEMORY.md",
    ".codex/auth.json",
    ".codex/history.jsonl",
    ".codex/config.json",
    ".codex/logs_2.sqlite",
    ".codex/state_5.sqlite.key",
)
OPTIONS: Final = ("-f", "-y", "-s", "4096", "-e", "trace=%file,%desc")
CALL: Final = re.compile(
    r'^\d+ +(\w+)\((?:AT_FDCWD[^,]*, |\d+<([^>]*)>, )?"((?:[^"\\]|\\.)*)"(.*)$'
)
CHANGING: Final = re.compile(
    r"^(?:rename|unlink|rmdir|mkdir|mknod|link|symlink|chmod|fchmod|chown|fchown|lchown|utime|"
    r"truncate|ftruncate|creat|setxattr|fsetxattr|removexattr|fallocate)"
)
WRITING: Final = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)")


def trace(tmp_path: Path, *args: str) -> list[tuple[str, str, str]]:
    """Every call on a path that the command made: its name, the path, the rest of the line."""
    log = tmp_path / "trace"
    done = subprocess.run(
        [str(STRACE), *OPTIONS, "-o", str(log), sys.executable, "-m", "sessfzf", *args],
        input=b"",
        capture_output=True,
        check=False,
        timeout=120,
        env=os.environ
        | {
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(tmp_path / "tmp"),
            # doctor asks every program that it knows: what those write is theirs.
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH'] if 'doctor' not in args else ''}",
        },
        start_new_session=True,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    calls = []
    for line in log.read_text(errors="replace").splitlines():
        if match := CALL.match(line):
            name, folder, path, rest = match.groups()
            if not path.startswith("/"):
                path = os.path.join(folder or os.getcwd(), path)
            calls.append((name, path, rest))
    assert calls
    return calls


@pytest.fixture
def store(home: Home, tmp_path: Path) -> list[str]:
    """A home with everything that is read, and everything that never may be; ids to plan."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("claude", "codex"):  # the agents that `resume` becomes
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 0\n")
        (tmp_path / "bin" / name).chmod(0o755)
    folder = home.folder("work")
    claude = home.claude(cwd=folder, branch=None, sidecar="Named")
    home.claude(cwd=folder, branch=None, entrypoint="sdk-cli")
    home.claude_live(claude.id)
    codex = home.codex(cwd=folder)
    home.codex_db([home.thread(codex)], state="wal")
    home.codex_names((codex.id, "A name"))
    home.codex_locks(codex.id)
    for name in SECRETS:
        path = os.path.join(home.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"token": "secret"}\n')
    return [claude.id, codex.id]


COMMANDS: Final = (
    ["list"],
    ["list"],  # with an index
    ["list", "--picker", "--all"],
    ["list", "--json", "--all", "--no-cache"],
    ["list", "--here", "work"],
    ["plan", "CLAUDE", "--confirm", "yes"],
    ["plan", "CODEX", "--confirm", "print", "--json"],
    ["plan", "CODEX", "--approvals", "recorded", "--fork"],
    ["plan", "nobody-has-this"],
    ["grep", "cache"],
    ["grep", "--regex", "(stop|cache)", "--fzf"],
    ["grep", "", "--json", "--everything", "--all", "--no-cache"],
    ["preview", "CLAUDE", "--find", "cache"],
    ["preview", "CLAUDE"],
    ["preview", "CODEX"],
    ["preview", "nobody-has-this"],
    ["resume", "nobody-has-this"],
    ["resume", "CLAUDE", "--confirm", "yes"],
    ["resume", "CODEX", "--confirm", "yes", "--approvals", "recorded"],
    ["init", "zsh"],
    ["init", "bash"],
    ["init", "fish"],
    ["completion", "zsh"],
    ["completion", "bash", "plan", ""],
    ["doctor"],
    ["--help"],
)


def test_nothing_is_written_but_the_index_and_nothing_is_opened_but_what_is_needed(
    home: Home, store: list[str], tmp_path: Path
) -> None:
    ids = dict(zip(("CLAUDE", "CODEX"), store, strict=True))
    ours = (str(tmp_path / "cache"), str(tmp_path / "tmp"), "/dev/")
    opened, changed = set(), set()
    for words in COMMANDS:
        for name, path, rest in trace(tmp_path, *(ids.get(word, word) for word in words)):
            writes = name.startswith("open") and WRITING.search(rest)
            if writes or CHANGING.match(name):
                assert path.startswith(ours), f"{words}: {name} {path} {rest}"
                changed.add(name)
            if name.startswith("open") and path.startswith(home.path) and "O_DIRECTORY" not in rest:
                relative = path.removeprefix(home.path)
                assert NEEDED.fullmatch(relative), f"{words}: {path}"
                opened.add(relative)
    # The check sees what it looks for: all that has to be read was met, and the index's making.
    assert len(opened) >= 7
    assert changed >= {"openat", "mkdir", "rename", "unlink", "rmdir"}
    assert not os.listdir(tmp_path / "tmp")
    assert os.listdir(tmp_path / "cache" / "sessfzf") == ["index"]


def test_access_times_stay_as_they_were(home: Home, store: list[str], tmp_path: Path) -> None:
    files = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(home.path)
        for name in names
        if name.endswith((".jsonl", ".json", ".toml", "-wal"))
    ]
    for path in files:
        os.utime(path, ns=(1_000_000_000, os.stat(path).st_mtime_ns))
    trace(tmp_path, "list", "--all")
    trace(tmp_path, "plan", store[0], "--confirm", "yes")
    for own in store:
        trace(tmp_path, "preview", own)
    assert {os.stat(path).st_atime_ns for path in files} == {1_000_000_000}
