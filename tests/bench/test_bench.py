"""The benchmark runs and prints every line; what it measures is no test's business."""

from __future__ import annotations

import os
import subprocess
import sys

LINES = (
    "list, 20 sessions, nothing new",
    "list --picker, 20 sessions, nothing new",
    "list, nothing new: files opened",
    "list, 20 sessions, 3 new",
    "list --picker, 20 sessions, 3 new",
    "list, 3 new: files opened",
    "list, 20 sessions, no index",
    "init, the dearest of zsh, bash, fish",
    "plan, Claude Code, 20 sessions, no repository",
    "preview, Claude Code",
    "first row, 30 sessions, no index",
    "list | head -1, 30 sessions, no index",
    "list, 30 sessions, nothing new",
    "list --picker, 30 sessions, nothing new",
    "growth: nothing new",
    "growth: no index",
    "peak memory, 30 sessions",
    "peak memory, 40 sessions",
    "index, a session",
    "list, 25 Codex threads, nothing new",
    "list, Codex, nothing new: files opened",
    "plan, Codex, 25 sessions, no repository",
    "peak memory, 25 Codex threads",
    "list, 25 Codex threads, no index",
    "files of 3 GB, no index",
    "files of 3 GB, nothing new",
    "peak memory, a file of 3 GB",
    "peak memory, lines of 4 MB",
    "key press to first row",
    "grep, 10 sessions, ",
    "peak memory of all processes, grep, 10 sessions, ",
    "a plain reader",
)


def test_every_line_is_printed() -> None:
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
    done = subprocess.run(
        [sys.executable, script, "--quick", "--repeats", "1", "--sizes", "20,30,40,25"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    printed = [line.strip() for line in done.stdout.splitlines()]
    for start in LINES:
        assert [line for line in printed if line.startswith(start)], start
