"""Nothing that a store records becomes code, an option or a second command in any shell.

The same attacks stand in every field at once; the real shells, with the options that make them
most dangerous, evaluate what `plan` prints, and an agent of ours writes down how it was started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import answer, meta, say
from test_plan import SHELLS

from sessfzf import plan as plan_
from sessfzf.agents import claude_code, codex
from sessfzf.text import is_hidden

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run
    from stores import Home

ATTACKS: Final = (
    "$(touch PWNED)",
    "`touch PWNED`",
    "; touch PWNED",
    "& touch PWNED &",
    "&& touch PWNED",
    "|| touch PWNED",
    "| touch PWNED",
    "(touch PWNED)",
    "'; touch PWNED; '",
    '"; touch PWNED; "',
    "'\"'\"'; touch PWNED; '",
    "\\'; touch PWNED; \\'",
    "\\\\'; touch PWNED #",
    "'\\''; touch PWNED; '",
    "'$'\\n'touch PWNED'",
    "$'\\x27; touch PWNED'",
    "${IFS}touch${IFS}PWNED",
    "<(touch PWNED)",
    ">PWNED",
    "=(touch PWNED)",
    "=ls",
    "!touch",
    "!!",
    "^a^touch PWNED^",
    "*(e:touch PWNED:)",
    "~+",
    "~root",
    "%self",
    "{a,b}",
    "$PATH",
    "--dangerously-skip-permissions",
    "-c approval_policy=never",
    "--",
    "-",
    "x --permission-mode bypassPermissions",
    'x" approvals_reviewer="model',
    "end\\",
    "# comment",
    "x\u202e; touch PWNED",
    "\u2028touch PWNED",
    "\uff07; touch PWNED; \uff07",
    "\u2019; touch PWNED; \u2018",  # PowerShell's quotes, and fish's of old
    "\u00a0; touch PWNED",
)
RECORDER: Final = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$(pwd -P; echo .)" "$CLAUDE_CONFIG_DIR" "$CODEX_HOME" "$#" "$@"
} >>"$RECORD"
"""
KNOWN: Final = {
    *("claude", "codex", "--resume", "resume", "fork", "--fork-session", "--model", "-m", "-c"),
    *("--effort", "--permission-mode", "-a", "-s", "on-request", "untrusted", "never"),
    *("workspace-write", "read-only", "danger-full-access", *claude_code.EFFORTS),
    *(*claude_code.STRICT_MODES, *claude_code.LOOSE_MODES, 'approvals_reviewer="user"'),
    *(f'model_reasoning_effort="{effort}"' for effort in codex.EFFORTS),
}


def fill(home: Home, text: str, number: int) -> str:
    """A session that says `text` in every field, and stands in a folder of that name; its id."""
    folder = home.folder("w", text.replace("/", "_"))
    if number % 2:
        return home.codex(
            cwd=folder,
            branch=None,
            model=text,
            effort=text,
            approval=text,
            sandbox=text,
            reviewer=text,
            prompt=text,
            dialect=("legacy", "paginated")[number % 4 // 2],
            bulk=False,
            meta={"session_id": text, "thread_source": text, "forked_from_id": text},
        ).id
    records = [
        say(text, sessionId=text, permissionMode=text, cwd="/" + text),
        answer(text, model=text, requestedModel=text, effort=text, sessionId=text),
        meta("permission-mode", permissionMode=text, sessionId=text),
        meta("custom-title", customTitle=text),
        meta("worktree-state", worktreeSession={"originalCwd": "/" + text}),
        meta("relocated", relocatedCwd=folder),
    ]
    return home.claude(records, branch=None).id


def evaluated(shell: str, lines: list[str], home: Home, place: Path) -> list[list[str]]:
    """Let a real shell evaluate the lines; how each agent was started."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    programs, record, script = place / "bin", place / "record", place / "script"
    programs.mkdir(exist_ok=True)
    for name in ("claude", "codex"):
        (programs / name).write_text(RECORDER)
        (programs / name).chmod(0o755)
    record.write_bytes(b"")
    script.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    subprocess.run(
        [*SHELLS[shell], str(script)],
        check=True,
        capture_output=True,
        timeout=60,
        cwd=home.path,
        stdin=subprocess.DEVNULL,
        env={
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": home.path,
            "RECORD": str(record),
            "LC_ALL": "C.UTF-8",
        },
    )
    words = record.read_text(encoding="utf-8").split("\0")[:-1]
    found = []
    while words:
        count = 5 + int(words[4])
        found.append([words[0], words[1].removesuffix("\n."), *words[2:4], *words[5:count]])
        words = words[count:]
    return found


def pwned(*folders: str) -> bool:
    return any(
        "PWNED" in names for folder in folders for _, _, names in os.walk(folder, followlinks=False)
    )


def attack(run: Run, home: Home, place: Path, texts: list[str], shell: str, *more: str) -> None:
    """Plan a session for each text, evaluate all the lines, compare with what was planned."""
    for folder in (home.claude_dir, home.codex_dir):
        shutil.rmtree(folder, ignore_errors=True)
    lines, wanted = [], []
    for number, text in enumerate(texts):
        own = fill(home, text, number)
        result = run("plan", own, "--shell", shell, "--confirm", "yes", *more)
        if shell == "sh" and any(is_hidden(text)):
            assert (result.code, result.out) == (3, b"")
            continue
        assert result.code == 0, result.err
        made = plan_.make(own, approvals="recorded" if "recorded" in more else "safe")
        # Every word is the id, one of ours, or the model, which is well formed.
        strange = [word for word in made.argv if word not in KNOWN and word != own]
        assert strange in ([], [text])
        assert not any(word.startswith("-") for word in strange)
        lines.append(result.text.removesuffix("\n"))
        environment: dict[str, Any] = {"CLAUDE_CONFIG_DIR": "", "CODEX_HOME": ""} | made.env
        wanted.append([made.argv[0], made.cwd, *environment.values(), *made.argv[1:]])
    assert evaluated(shell, lines, home, place) == wanted
    assert not pwned(home.path, str(place))


@pytest.mark.parametrize("approvals", ["safe", "recorded"])
@pytest.mark.parametrize("shell", SHELLS)
def test_no_recorded_text_becomes_code(
    home: Home, run: Run, tmp_path: Path, shell: str, approvals: str
) -> None:
    attack(run, home, tmp_path / "home", list(ATTACKS), shell, "--approvals", approvals)
    # The other agent gets the other half.
    attack(run, home, tmp_path / "home", ["x", *ATTACKS], shell, "--approvals", approvals)


PARTS: Final = st.lists(
    st.one_of(
        st.sampled_from(ATTACKS),
        st.sampled_from("'\"\\$`;&|<>(){}[]!#~*?=^%, \t-+@:"),
        st.sampled_from(["touch PWNED", "\\n", "\\x27", "\u202e", "\u200b", "e" + "\u0301" * 6]),
        st.characters(exclude_categories=["Cs", "Cc"]),
    ),
    min_size=1,
    max_size=6,
).map(lambda parts: "".join(parts).replace("\t", " "))


@pytest.mark.parametrize("shell", SHELLS)
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    texts=st.lists(
        PARTS.filter(lambda text: len(text.encode()) < 200 and text not in {".", ".."}),
        min_size=6,
        max_size=10,
    )
)
def test_no_generated_text_becomes_code(
    home: Home, run: Run, tmp_path: Path, shell: str, texts: list[str]
) -> None:
    attack(run, home, tmp_path / "home", texts, shell)


@pytest.mark.parametrize("shell", SHELLS)
def test_no_name_of_another_home_becomes_code(
    home: Home, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    lines, wanted = [], []
    folder = home.folder("work")
    for text in ATTACKS:
        other = home.folder("h", text.replace("/", "_"))
        one = home.claude(cwd=folder, branch=None, config=other + "/.claude")
        two = home.codex(cwd=folder, branch=None, root=other + "/.codex", bulk=False)
        monkeypatch.setenv("SESSFZF_HOME", other)
        for made, homes in ((one, (other + "/.claude", "")), (two, ("", other + "/.codex"))):
            result = run("plan", made.id, "--shell", shell)
            if shell == "sh" and any(is_hidden(text)):
                assert (result.code, result.out) == (3, b"")
                continue
            lines.append(result.text.removesuffix("\n"))
            wanted.append((made.id, *homes))
    found = evaluated(shell, lines, home, tmp_path / "home")
    assert [(words[5], *words[2:4]) for words in found] == wanted
    assert not pwned(home.path)


@pytest.mark.parametrize("text", ATTACKS)
def test_a_key_of_any_text_names_no_session(home: Home, run: Run, text: str) -> None:
    home.claude()
    for key in (text, f"claude-code:{text}", f"{text}\tclaude-code\t\t\t\t", f'{{"id": "{text}"}}'):
        result = run("plan", "--", key)
        assert result.code in {1, 2, 130}  # "-" is an empty stdin
        assert result.out == b""
