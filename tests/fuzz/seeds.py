"""Files to begin with: what each release writes, and what of it the readers look at."""

from __future__ import annotations

import os
import tempfile

from stores import Home, answer, event, meta, say, system, tool_result, turn, typed
from targets import CLAUDE_ID, CODEX_ID


def seeds(target: str) -> list[bytes]:
    """Whole files for `transcript` or `rollout`."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder)
        made = _transcripts(home) if target == "transcript" else _rollouts(home)
        files = []
        for path in made:
            with open(path, "rb") as file:
                files.append(file.read())
        return files


def _transcripts(home: Home) -> list[str]:
    named = [
        meta("summary", summary="Cache growth", leafUuid="00000000-0000-0000-0000-000000000001"),
        say([tool_result(), {"type": "text", "text": "<command-name>/init</command-name>"}]),
        say("<system-reminder>x</system-reminder>why?"),
        answer(requestedModel="opus[1m]"),
        meta("custom-title", customTitle="Cache"),
        meta("ai-title", aiTitle="About the cache"),
        meta("relocated", relocatedCwd="/home/kim/moved"),
        meta("worktree-state", worktreeSession={"originalCwd": "/home/kim"}),
        system(),
    ]
    made = [home.claude(version=version).path for version in ("2.0.77", "2.1.150", "2.1.332")]
    made.append(home.claude(named, id=CLAUDE_ID).path)
    made.append(home.claude(entrypoint="sdk-cli", effort=None, branch=None).path)
    return [path for path in made if os.path.exists(path)]


def _rollouts(home: Home) -> list[str]:
    changed = event(
        "thread_settings_applied",
        thread_settings={"approval_policy": "never", "reasoning_effort": "low", "model": "gpt-y"},
    )
    fields = {"cwd": "/home/kim/other", "approval_policy": {"granular": {}}, "model": "gpt-z"}
    more = [*typed("and now?", images=1), turn(**fields, sandbox_policy={"mode": "read-only"})]
    made = [
        home.codex(id=CODEX_ID, dialect="legacy", client="0.63.0").path,
        home.codex(id=CODEX_ID, dialect="legacy", bulk=False, source="exec", time=1.8e9).path,
        home.codex(id=CODEX_ID, bulk=False, time=1.81e9, meta={"base_instructions": {}}).path,
    ]
    made.append(home.codex(id=CODEX_ID, bulk=False, time=1.82e9, more=[*more, changed]).path)
    return made
