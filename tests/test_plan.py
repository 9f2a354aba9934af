from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import answer, aside, git, message, meta, repository, say, text_of, turn

from sessfzf.text import is_hidden

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Result, Run
    from stores import Home

ONE = "0b0e0d0c-1111-4222-8333-444455556666"
TWO = "0b0e1f1e-1111-4222-8333-444455556666"
THREAD = "01a0c0de-0001-7000-8000-0000000000aa"


def planned(run: Run, key: str, *args: str, code: int = 0) -> dict[str, Any]:
    """What `plan --json` says; `--confirm print`, for nobody is there to ask."""
    result = run("plan", key, "--json", "--confirm", "print", *args)
    assert result.code == code, result.err
    (plan,) = result.objects
    return dict(plan)


def options(argv: list[str]) -> dict[str, str]:
    """The options after `claude --resume ID` or `codex resume ID`, each with its value."""
    rest = [word for word in argv[3:] if word != "--fork-session"]
    assert len(rest) % 2 == 0, rest
    return dict(zip(rest[::2], rest[1::2], strict=True))


def refused(result: Result, code: int) -> str:
    """A refusal says why on stderr, and nothing on stdout."""
    assert (result.code, result.out) == (code, b"")
    assert result.err.startswith("sessfzf: ")
    assert "Traceback" not in result.err
    return result.err


# Keys


def test_a_line_for_a_key(home: Home, run: Run) -> None:
    home.claude(id=ONE, cwd=home.folder("shop api"), branch=None)
    result = run("plan", ONE)
    rest = "--model 'opus-x' --effort 'high' --permission-mode default"
    line = f"cd '{home.path}/shop api' && claude --resume {ONE} {rest}\n"
    assert (result.code, result.text) == (0, line)


def test_the_line_as_json(home: Home, run: Run) -> None:
    home.claude(id=ONE, cwd=home.folder("api"), branch=None)
    line = run("plan", ONE).text.rstrip("\n")
    assert planned(run, ONE) == {
        "argv": [
            *["claude", "--resume", ONE],
            *["--model", "opus-x", "--effort", "high", "--permission-mode", "default"],
        ],
        "cwd": home.path + "/api",
        "env": {},
        "notes": [],
        "questions": [],
        "held_back": [],
        "line": line,
    }


def keys_of(run: Run, form: str) -> str:
    rows = {"row": ("list",), "fzf": ("list", "--fzf"), "json": ("list", "--json")}
    if form in rows:
        return run(*rows[form]).text.splitlines()[0]
    return {
        "id": ONE,
        "prefix": ONE[:5],
        "shortest": ONE[:4],
        "with-app": "claude-code:" + ONE,
        "spaces": f" {ONE} \n",
    }[form]


FORMS = ["id", "prefix", "shortest", "with-app", "row", "fzf", "json", "spaces"]


@pytest.mark.parametrize("form", FORMS)
def test_a_key_names_its_session(home: Home, run: Run, form: str) -> None:
    home.codex(id=THREAD, cwd=home.folder("web"), branch=None)
    home.claude(id=ONE, cwd=home.folder("api"), branch=None)
    assert planned(run, keys_of(run, form))["cwd"] == home.path + "/api"


@pytest.mark.parametrize("form", FORMS)
def test_a_key_may_come_on_stdin(home: Home, run: Run, form: str) -> None:
    home.codex(id=THREAD, cwd=home.folder("web"), branch=None)
    home.claude(id=ONE, cwd=home.folder("api"), branch=None)
    result = run.apart("plan", "-", stdin=keys_of(run, form).encode() + b"\n")
    assert result.code == 0, result.err
    assert f"claude --resume {ONE}" in result.text


def test_a_hidden_session_can_be_named(home: Home, run: Run) -> None:
    printed = home.claude(cwd=home.folder("api"), branch=None, entrypoint="sdk-cli")
    stored = home.codex(cwd=home.folder("api"), branch=None, archived=True)
    assert planned(run, printed.id)["argv"][2] == printed.id
    assert planned(run, stored.id)["argv"][2] == stored.id


def test_an_app_tells_two_sessions_of_one_id_apart(home: Home, run: Run) -> None:
    home.claude(id=THREAD, cwd=home.folder("api"), branch=None)
    home.codex(id=THREAD, cwd=home.folder("web"), branch=None)
    text = refused(run("plan", THREAD), 1)
    assert f"claude-code:{THREAD}" in text or ("claude-code" in text and "codex" in text)
    assert planned(run, "claude-code:" + THREAD)["argv"][0] == "claude"
    assert planned(run, "codex:" + THREAD)["argv"][0] == "codex"


def test_a_row_tells_them_apart_too(home: Home, run: Run) -> None:
    home.claude(id=THREAD, cwd=home.folder("api"), branch=None)
    home.codex(id=THREAD, cwd=home.folder("web"), branch=None)
    for row in run("list").text.splitlines():
        assert planned(run, row)["argv"][0] == ("codex" if "\tcodex\t" in row else "claude")


@pytest.mark.parametrize("form", [" {json}\r", "  {row}\r\n", "{id} \r", "claude-code: {id}"])
def test_a_key_may_have_gone_through_other_tools(home: Home, run: Run, form: str) -> None:
    home.claude(id=ONE, cwd=home.folder("api"))
    row, record = run("list").text.rstrip(), run("list", "--json").text.rstrip()
    assert planned(run, form.format(id=ONE, row=row, json=record))["argv"][2] == ONE


def test_a_row_of_the_pickers_tells_them_apart(home: Home, run: Run) -> None:
    home.claude(id=THREAD, cwd=home.folder("one"), branch=None)
    home.codex(id=THREAD, cwd=home.folder("two"), branch=None)
    for row in run("list", "--fzf").text.splitlines():
        assert planned(run, row)["argv"][0] == ("codex" if "codex" in row else "claude")


def test_an_ambiguous_key_names_the_candidates(home: Home, run: Run) -> None:
    for own in (ONE, TWO):
        home.claude(id=own, cwd=home.folder("api"), branch=None)
    text = refused(run("plan", ONE[:4]), 1)
    assert ONE in text
    assert TWO in text


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("ffffffff-1111-4222-8333-444455556666", id="unknown"),
        pytest.param("0b0", id="too-short"),
        pytest.param("", id="empty"),
        pytest.param("emacs:" + ONE, id="unknown-app"),
        pytest.param("codex:" + ONE, id="other-app"),
        pytest.param("../../etc/passwd", id="path"),
        pytest.param("*", id="star"),
        pytest.param("$(touch x)", id="command"),
        pytest.param("\x1b[2J\x1b]0;evil\x07" + ONE, id="escape"),
        pytest.param("0b0e0d0c-1111-4222-8333-444455556666x", id="longer"),
        pytest.param("{", id="half-json"),
        pytest.param('{"id":7}', id="json-of-no-row"),
        pytest.param("\ud800", id="surrogate"),
    ],
)
def test_a_key_of_nothing_is_unknown(home: Home, run: Run, key: str) -> None:
    home.claude(id=ONE, cwd=home.folder("api"), branch=None)
    text = refused(run("plan", key), 1)
    assert all(char.isprintable() or char == "\n" for char in text)


def test_an_empty_stdin_is_a_cancel(home: Home, run: Run) -> None:
    home.claude(cwd=home.folder("api"))  # what is left of `list | fzf | plan -` after Esc
    result = run.apart("plan", "-", stdin=b"")
    assert (result.code, result.out) == (130, b"")


@pytest.mark.parametrize(
    "args",
    [
        (),
        (ONE, "--shell", "powershell"),
        (ONE, "--approvals", "loose"),
        (ONE, "--confirm", "no"),
        (ONE, TWO),
        (ONE, "--x"),
    ],
)
def test_wrong_usage_ends_with_2(home: Home, run: Run, args: tuple[str, ...]) -> None:
    home.claude(id=ONE, cwd=home.folder("api"))
    result = run("plan", *args)
    assert (result.code, result.out) == (2, b"")
    assert result.err


def test_a_sub_agent_cannot_be_named(home: Home, run: Run) -> None:
    parent = home.codex(cwd=home.folder("api"))
    home.codex(
        id=THREAD,
        source={"subagent": "review"},
        cwd=home.folder("api"),
        meta={"session_id": parent.id},
    )
    home.claude(name=f"agent-{ONE}.jsonl", id=ONE)
    refused(run("plan", THREAD), 1)
    refused(run("plan", ONE), 1)


def test_a_session_that_vanished_since_it_was_listed_is_unknown(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"))
    row = run("list").text
    os.unlink(made.path)
    refused(run("plan", row), 1)


# Approvals of Claude Code (DESIGN 2.6)


MODES = [
    ("default", "default", "default"),
    ("plan", "plan", "plan"),
    ("acceptEdits", "default", "acceptEdits"),
    ("auto", "default", "auto"),
    ("dontAsk", "default", "dontAsk"),
    ("bypassPermissions", "default", "bypassPermissions"),
    ("delegate", "default", "default"),
    ("$(touch x)", "default", "default"),
    ("--x", "default", "default"),
]


@pytest.mark.parametrize(
    ("recorded", "safe", "as_recorded"), MODES, ids=[mode[0] for mode in MODES]
)
def test_a_mode_is_given_back_only_when_it_is_strict_or_asked_for(
    home: Home, run: Run, recorded: str, safe: str, as_recorded: str
) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, mode=recorded)
    plan = planned(run, made.id)
    assert options(plan["argv"]) == {
        "--model": "opus-x",
        "--effort": "high",
        "--permission-mode": safe,
    }
    loosened = planned(run, made.id, "--approvals", "recorded")
    assert options(loosened["argv"])["--permission-mode"] == as_recorded
    if safe != as_recorded:
        (held,) = plan["held_back"]
        assert (held["recorded"], held["given"]) == (recorded, safe)
        assert set(held) == {"what", "recorded", "given", "why"}
        assert recorded in run("plan", made.id).err
        assert loosened["held_back"] == []


def test_a_sub_agents_mode_is_not_the_sessions(home: Home, run: Run) -> None:
    told = aside("look", isSidechain=True, permissionMode="bypassPermissions")
    records = [say("hi"), answer(), told]
    home.claude(records, id=ONE, cwd=home.folder("api"), branch=None, mode="plan")
    assert options(planned(run, ONE)["argv"])["--permission-mode"] == "plan"


def test_a_session_without_a_mode_gets_the_strict_one(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, version="2.0.77")
    for approvals in ("safe", "recorded"):
        plan = planned(run, made.id, "--approvals", approvals)
        assert options(plan["argv"]) == {"--model": "opus-x", "--permission-mode": "default"}
        assert plan["held_back"] == []


# Approvals of Codex


POLICIES = [
    # recorded, with the lock folder (0.147 and later), without it, as recorded
    ("on-request", "on-request", "on-request", "on-request"),
    ("never", "on-request", "on-request", "never"),
    ("on-failure", "on-request", "on-request", "on-request"),
    ({"granular": {"rules": True}}, "on-request", "on-request", "on-request"),
    ("whatever", "on-request", "on-request", "on-request"),
    ("$(touch x)", "on-request", "on-request", "on-request"),
]


@pytest.mark.parametrize(
    ("recorded", "new", "old", "as_recorded"), POLICIES, ids=[str(p[0])[:12] for p in POLICIES]
)
@pytest.mark.parametrize("locks", [True, False], ids=["locks", "no-locks"])
def test_an_approval_policy_is_given_back_only_when_it_is_strict_or_asked_for(  # noqa: PLR0913
    home: Home, run: Run, recorded: Any, new: str, old: str, as_recorded: str, *, locks: bool
) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None, approval=recorded)
    if locks:
        home.codex_locks()
    plan = planned(run, made.id)
    assert options(plan["argv"])["-a"] == (new if locks else old)
    assert options(planned(run, made.id, "--approvals", "recorded")["argv"])["-a"] == as_recorded
    assert bool(plan["held_back"]) is (recorded != "on-request")


def test_untrusted_is_given_back_where_the_client_still_takes_it(home: Home, run: Run) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None, approval="untrusted", dialect="legacy")
    for approvals in ("safe", "recorded"):
        assert options(planned(run, made.id, "--approvals", approvals)["argv"])["-a"] == "untrusted"
    home.codex_locks()
    for approvals in ("safe", "recorded"):
        plan = planned(run, made.id, "--approvals", approvals)
        assert options(plan["argv"])["-a"] == "on-request"
        assert [(held["recorded"], held["given"]) for held in plan["held_back"]] == [
            ("untrusted", "on-request")
        ]


@pytest.mark.parametrize(
    ("recorded", "safe", "as_recorded"),
    [
        ("read-only", "read-only", "read-only"),
        ("workspace-write", "workspace-write", "workspace-write"),
        ("danger-full-access", "workspace-write", "danger-full-access"),
        ("sealed", "workspace-write", "workspace-write"),
    ],
)
def test_a_sandbox_is_given_back_only_when_it_is_strict_or_asked_for(
    home: Home, run: Run, recorded: str, safe: str, as_recorded: str
) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None, sandbox=recorded, dialect="legacy")
    plan = planned(run, made.id)
    assert options(plan["argv"])["-s"] == safe
    assert options(planned(run, made.id, "--approvals", "recorded")["argv"])["-s"] == as_recorded
    assert bool(plan["held_back"]) is (recorded != safe)


def test_a_full_access_thread_comes_back_without(home: Home, run: Run) -> None:
    made = home.codex(
        cwd=home.folder("api"), branch=None, approval="never", sandbox="danger-full-access"
    )
    home.codex_locks()
    plan = planned(run, made.id)
    assert plan["argv"][:3] == ["codex", "resume", made.id]
    assert options(plan["argv"]) == {"-a": "on-request", "-s": "workspace-write"}
    assert {(held["recorded"], held["given"]) for held in plan["held_back"]} == {
        ("never", "on-request"),
        ("danger-full-access", "workspace-write"),
    }
    stderr = run("plan", made.id).err
    assert "never" in stderr
    assert "danger-full-access" in stderr
    loose = planned(run, made.id, "--approvals", "recorded")
    assert options(loose["argv"]) == {"-a": "never", "-s": "danger-full-access"}


# Model and effort of Codex (DESIGN 2.6a)


def test_a_client_with_locks_restores_model_and_effort_by_itself(home: Home, run: Run) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None)
    home.codex_locks()
    assert options(planned(run, made.id)["argv"]) == {"-a": "on-request", "-s": "workspace-write"}


def test_a_client_without_locks_gets_both(home: Home, run: Run) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None, dialect="legacy")
    assert options(planned(run, made.id)["argv"]) == {
        "-m": "gpt-x",
        "-c": 'model_reasoning_effort="high"',
        "-a": "on-request",
        "-s": "workspace-write",
    }


@pytest.mark.parametrize(
    ("model", "effort"),
    [
        ("gpt-x", None),
        (None, "high"),
        ("gpt-x", "frantic"),
        ("gpt-x", 'high"\nx="'),
        ("-x", "high"),
        ("", "high"),
    ],
)
def test_or_neither(home: Home, run: Run, model: str | None, effort: str | None) -> None:
    made = home.codex(
        cwd=home.folder("api"), branch=None, dialect="legacy", model=model, effort=effort
    )
    assert options(planned(run, made.id)["argv"]) == {"-a": "on-request", "-s": "workspace-write"}


# Automatic review


def reviewed(home: Home) -> str:
    return home.codex(cwd=home.folder("api"), branch=None, reviewer="auto_review").id


def test_automatic_review_is_switched_off_when_nobody_holds_the_thread(
    home: Home, run: Run
) -> None:
    own = reviewed(home)
    home.codex_locks()
    plan = planned(run, own)
    assert options(plan["argv"]) == {
        "-a": "on-request",
        "-s": "workspace-write",
        "-c": 'approvals_reviewer="user"',
    }
    assert plan["held_back"]


def test_settings_far_before_the_end_of_a_long_turn_are_found(home: Home, run: Run) -> None:
    cwd = home.folder("api")
    later = turn(
        cwd="/elsewhere",
        approval_policy="on-request",
        approvals_reviewer="auto_review",
        sandbox_policy={"type": "read-only"},
    )
    work = [message("assistant", text_of(60_000))] * 12
    home.codex(id=THREAD, cwd=cwd, branch=None, more=[*work, later, *work])
    plan = planned(run, THREAD)
    assert plan["cwd"] == cwd
    assert options(plan["argv"])["-s"] == "read-only"
    assert plan["argv"][-2:] == ["-c", 'approvals_reviewer="user"']


def test_automatic_review_of_a_held_thread_is_asked_about(home: Home, run: Run) -> None:
    own = reviewed(home)
    home.codex_locks(own)
    plan = planned(run, own, code=4)
    assert options(plan["argv"]) == {"-a": "on-request", "-s": "workspace-write"}
    assert len(plan["questions"]) == 1
    assert "approve-for-me" in plan["questions"][0]


def test_automatic_review_stays_when_asked_for(home: Home, run: Run) -> None:
    own = reviewed(home)
    home.codex_locks(own)
    plan = planned(run, own, "--approvals", "recorded")
    assert options(plan["argv"]) == {"-a": "on-request", "-s": "workspace-write"}


def test_a_lock_alone_asks_nothing(home: Home, run: Run) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None)
    home.codex_locks(made.id)
    assert planned(run, made.id)["questions"] == []


# Model and effort of Claude Code


@pytest.mark.parametrize(
    "model",
    ["opus-x", "opus[1m]", "gpt-6.2-sol", "us.vendor.opus-x-v1:0", "vertex/opus@2026", "a" * 60],
)
def test_a_well_formed_model_is_carried(home: Home, run: Run, model: str) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, model=model)
    assert options(planned(run, made.id)["argv"])["--model"] == model


@pytest.mark.parametrize(
    "model",
    [
        "",
        "-x",
        "--dangerously-skip-permissions",
        "a\nb",
        "a\x1b[2Jb",
        "a b",
        "<synthetic>",
        "a" * 999,
        "\u202ex",
    ],
)
def test_a_malformed_model_is_not(home: Home, run: Run, model: str) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, model=model)
    assert "--model" not in planned(run, made.id)["argv"]


@pytest.mark.parametrize("effort", ["low", "medium", "high", "xhigh", "max"])
def test_an_effort_that_the_client_knows_is_carried(home: Home, run: Run, effort: str) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, effort=effort)
    assert options(planned(run, made.id)["argv"])["--effort"] == effort


@pytest.mark.parametrize("effort", ["", "frantic", "-x", "$(touch x)", "HIGH", "a\nb"])
def test_an_effort_that_it_does_not_know_is_not(home: Home, run: Run, effort: str) -> None:
    made = home.claude([say("hi"), answer(effort=effort)], cwd=home.folder("api"), branch=None)
    assert "--effort" not in planned(run, made.id)["argv"]


# Folder


def test_a_folder_that_is_gone_is_refused(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.path + "/gone")
    assert "gone" in refused(run("plan", made.id), 3)


def test_of_a_worktree_that_is_gone_the_repository_is_named(home: Home, run: Run) -> None:
    main = home.folder("api")
    made = home.claude(cwd=main + "/.claude/worktrees/fix")
    text = refused(run("plan", made.id), 3)
    assert main in text.replace(main + "/.claude", "") or "~/api" in text.replace(
        "~/api/.claude", ""
    )


def test_of_another_worktree_that_is_gone_the_folder_it_was_entered_from_is_named(
    home: Home, run: Run
) -> None:
    main, tree = home.folder("api"), home.path + "/trees/fix"
    state = meta("worktree-state", worktreeSession={"originalCwd": main, "worktreePath": tree})
    made = home.claude([state, say("hi"), answer(), state], cwd=tree)
    text = refused(run("plan", made.id), 3)
    assert main in text or "~/api" in text


def test_a_folder_that_is_a_file_is_refused(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"))
    os.rmdir(home.path + "/api")
    with open(home.path + "/api", "w"):
        pass
    refused(run("plan", made.id), 3)


@pytest.mark.parametrize("char", ["\n", "\r", "\t", "\x1b", "\x07", "\x7f", "\x85", "\x9b"])
def test_a_folder_with_a_control_character_is_refused(home: Home, run: Run, char: str) -> None:
    made = home.claude(cwd=home.folder(f"a{char}b"))
    text = refused(run("plan", made.id), 3)
    assert all(found.isprintable() or found == "\n" for found in text)


@pytest.mark.parametrize("folder", ["api", "./api", "~/api", "C:\\api", ""])
def test_a_folder_that_is_not_absolute_is_refused(home: Home, run: Run, folder: str) -> None:
    home.folder("api")
    made = home.codex(cwd=folder, branch=None)
    refused(run("plan", made.id), 3)


def test_a_session_without_a_folder_is_refused(home: Home, run: Run) -> None:
    made = home.claude(cwd=None)
    refused(run("plan", made.id), 3)


def test_a_link_stays_as_recorded(home: Home, run: Run) -> None:
    link = home.path + "/link"
    os.symlink(home.folder("real"), link)
    made = home.claude(cwd=link, branch=None)
    assert planned(run, made.id)["cwd"] == link


def test_a_folder_that_may_not_be_entered_is_refused(foreign: Home, run: Run) -> None:
    made = foreign.claude(cwd=foreign.folder("closed"))
    os.chmod(foreign.path + "/closed", 0o700)
    refused(run.as_nobody(foreign, "plan", made.id), 3)


# Branch


def moved(home: Home) -> str:
    return home.claude(cwd=repository(home.path + "/api", "main"), branch="fix/loop").id


def test_the_same_branch_asks_nothing(home: Home, run: Run) -> None:
    made = home.claude(cwd=repository(home.path + "/api", "fix/loop"), branch="fix/loop")
    assert planned(run, made.id)["questions"] == []


def test_another_branch_needs_a_yes(home: Home, run: Run) -> None:
    own = moved(home)
    text = refused(run.apart("plan", own), 4)
    assert "main" in text
    assert "fix/loop" in text


def test_another_branch_may_be_left_to_the_reader_of_the_line(home: Home, run: Run) -> None:
    result = run("plan", moved(home), "--confirm", "print")
    assert result.code == 4
    assert result.text.startswith("cd '")
    assert "fix/loop" in result.err


def test_another_branch_may_be_agreed_to_beforehand(home: Home, run: Run) -> None:
    result = run("plan", moved(home), "--confirm", "yes")
    assert result.code == 0
    assert result.text.startswith("cd '")


def test_nothing_is_ever_checked_out(home: Home, run: Run) -> None:
    own = moved(home)
    git(home.path + "/api", "branch", "fix/loop")
    before = git(home.path + "/api", "rev-parse", "--abbrev-ref", "HEAD")
    assert "checkout" not in planned(run, own, code=4)["line"]
    assert git(home.path + "/api", "rev-parse", "--abbrev-ref", "HEAD") == before


@pytest.mark.parametrize(
    "state", ["no-repository", "detached", "unknown-branch", "no-commit", "bare-git-file"]
)
def test_what_cannot_be_compared_asks_nothing(home: Home, run: Run, state: str) -> None:
    folder, branch = home.folder("api"), None if state == "unknown-branch" else "main"
    if state in ("detached", "unknown-branch"):
        repository(folder)
        git(folder, "checkout", "-q", "--detach")
    elif state == "no-commit":
        git(folder, "init", "-q", "-b", "main")
    elif state == "bare-git-file":
        with open(folder + "/.git", "w") as file:
            file.write("gitdir: /nowhere\n")
    made = home.claude(cwd=folder, branch=branch)
    assert planned(run, made.id)["questions"] == []


def test_the_callers_git_variables_change_nothing(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(home.path + "/other", "elsewhere")
    made = home.claude(cwd=repository(home.path + "/api", "main"), branch="main")
    monkeypatch.setenv("GIT_DIR", other + "/.git")
    assert planned(run, made.id)["questions"] == []


def test_git_runs_nothing_of_the_repositorys(home: Home, run: Run) -> None:
    folder, mark = repository(home.path + "/api", "main"), home.path + "/ran"
    git(folder, "config", "core.fsmonitor", f"touch '{mark}'; false")
    git(folder, "config", "core.pager", f"touch '{mark}'")
    made = home.claude(cwd=folder, branch="fix/loop")
    planned(run, made.id, code=4)
    assert not os.path.exists(mark)


# Open elsewhere


def test_a_session_that_is_open_elsewhere_needs_a_yes(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id, status="busy")
    refused(run.apart("plan", made.id), 4)
    assert len(planned(run, made.id, code=4)["questions"]) == 1
    assert run("plan", made.id, "--confirm", "yes").code == 0


def test_a_fork_of_it_does_not(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id)
    assert planned(run, made.id, "--fork")["questions"] == []


JOB: Final = "0b0e0d0c"


@pytest.mark.parametrize("approvals", ["safe", "recorded"])
@pytest.mark.parametrize("status", ["idle", "busy", "waiting"])
def test_a_session_in_the_background_is_attached_to(
    home: Home, run: Run, approvals: str, status: str
) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, mode="bypassPermissions")
    home.claude_live(made.id, status=status, job=JOB)
    plan = planned(run, made.id, "--approvals", approvals)
    assert plan["argv"] == ["claude", "attach", JOB]
    assert plan["line"] == f"cd '{home.path}/api' && claude attach '{JOB}'"
    assert (plan["questions"], plan["held_back"]) == ([], [])
    (note,) = plan["notes"]
    assert "background" in note
    assert "bypassPermissions" in note
    assert note in run("plan", made.id).err


def test_the_branch_is_no_question_where_nothing_starts(home: Home, run: Run) -> None:
    own = moved(home)
    home.claude_live(own, job=JOB)
    assert planned(run, own)["argv"] == ["claude", "attach", JOB]


def test_a_fork_of_one_in_the_background_is_a_resume(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id, job=JOB)
    plan = planned(run, made.id, "--fork")
    assert plan["argv"][:4] == ["claude", "--resume", made.id, "--fork-session"]
    assert "--permission-mode" in plan["argv"]


def test_one_that_ended_in_the_background_is_resumed(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id, start="1", job=JOB)
    assert planned(run, made.id)["argv"][:3] == ["claude", "--resume", made.id]


@pytest.mark.parametrize(
    ("job", "kind"),
    [
        *[(job, "bg") for job in ("", 7, [JOB], JOB.upper(), JOB + "0", "a; reboo", "-0e0d0c0")],
        *[(JOB, "interactive"), (JOB, "daemon")],
    ],
    ids=repr,
)
def test_what_names_no_job_is_not_attached_to(home: Home, run: Run, job: Any, kind: str) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id, job=job, kind=kind)
    plan = planned(run, made.id, code=4)
    assert plan["argv"][:3] == ["claude", "--resume", made.id]
    assert len(plan["questions"]) == 1


def test_a_terminal_on_one_in_the_background_changes_nothing(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id)
    home.claude_live(made.id, job=JOB)
    home.claude_live(made.id)
    home.claude_live(home.claude().id, job="ffffffff")
    assert planned(run, made.id)["argv"] == ["claude", "attach", JOB]


def test_attaching_goes_to_the_store_the_session_runs_under(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    home.claude_live(made.id, job=JOB)
    monkeypatch.setenv("SESSFZF_HOME", home.path)
    monkeypatch.setenv("HOME", home.folder("elsewhere"))
    line = planned(run, made.id)["line"]
    assert line.endswith(f"&& CLAUDE_CONFIG_DIR='{home.claude_dir}' claude attach '{JOB}'")


def test_only_the_folder(home: Home, run: Run) -> None:
    """Whatever would be asked or refused about resuming it is nothing that matters then."""
    folder = repository(home.folder("it's"))
    made = home.claude(cwd=folder, branch="feature", mode="bypassPermissions")
    home.claude_live(made.id)
    for shell in ("sh", "bash", "zsh", "fish"):
        result = run("plan", made.id, "--folder", "--shell", shell)
        assert (result.code, result.err) == (0, "")
        assert result.text == f"""cd '{home.path}/it'"'"'s'\n"""
    plan = planned(run, made.id, "--folder")
    assert (plan["cwd"], plan["argv"], plan["questions"], plan["notes"]) == (folder, [], [], [])
    gone = home.claude(cwd=f"{home.path}/gone")
    assert "is gone" in refused(run("plan", gone.id, "--folder"), 3)


def test_two_reasons_are_both_told(home: Home, run: Run) -> None:
    own = moved(home)
    home.claude_live(own)
    plan = planned(run, own, code=4)
    assert len(plan["questions"]) == 2
    text = run("plan", own, "--confirm", "print").err
    assert all(question in text for question in plan["questions"])


def asked(key: str, reply: bytes) -> Result:
    """Run `plan KEY` on a terminal of its own, stdout in a pipe, and type `reply`."""
    from conftest import Result

    master, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sessfzf", "plan", key],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - one thread
    )
    os.close(slave)
    seen = b""
    while b"?" not in seen and b"fix/loop" not in seen:
        seen += os.read(master, 4096)
    os.write(master, reply)
    out, _ = process.communicate(timeout=30)
    os.close(master)
    return Result(process.returncode, out, seen.decode())


@pytest.mark.parametrize("reply", [b"y\n", b"yes\n", b"Y\n"])
def test_a_yes_on_the_terminal_prints_the_line(home: Home, reply: bytes) -> None:
    result = asked(moved(home), reply)
    assert result.code == 0
    assert result.text.startswith("cd '")
    assert "fix/loop" in result.err


@pytest.mark.parametrize("reply", [b"n\n", b"\n", b"what\n", b"\x04"])
def test_anything_else_prints_nothing(home: Home, reply: bytes) -> None:
    result = asked(moved(home), reply)
    assert result.out == b""
    assert result.code in (4, 130)


def test_an_interrupt_is_a_cancel(home: Home) -> None:
    result = asked(moved(home), b"\x03")
    assert (result.code, result.out) == (130, b"")


# Forks


def test_a_fork_of_a_claude_session(home: Home, run: Run) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, mode="bypassPermissions")
    plan = planned(run, made.id, "--fork")
    assert plan["argv"][:3] == ["claude", "--resume", made.id]
    assert "--fork-session" in plan["argv"]
    assert options(plan["argv"])["--permission-mode"] == "default"


def test_a_fork_of_a_codex_thread(home: Home, run: Run) -> None:
    made = home.codex(cwd=home.folder("api"), branch=None, sandbox="danger-full-access")
    home.codex_locks()
    plan = planned(run, made.id, "--fork")
    assert plan["argv"][:3] == ["codex", "fork", made.id]
    assert options(plan["argv"]) == {"-a": "on-request", "-s": "workspace-write"}


# Other homes


def test_a_session_of_another_home_takes_its_home_along(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = home.folder("other home")
    one = home.claude(cwd=home.folder("api"), branch=None, config=other + "/.claude")
    two = home.codex(cwd=home.folder("api"), branch=None, root=other + "/.codex")
    monkeypatch.setenv("SESSFZF_HOME", other)
    assert planned(run, one.id)["env"] == {"CLAUDE_CONFIG_DIR": other + "/.claude"}
    assert planned(run, two.id)["env"] == {"CODEX_HOME": other + "/.codex"}
    assert f"CLAUDE_CONFIG_DIR='{other}/.claude' claude " in planned(run, one.id)["line"]


def test_a_home_of_a_relative_name_is_named_in_full(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.claude(id=ONE, cwd=home.folder("api"), branch=None, config=home.path + "/other")
    monkeypatch.chdir(home.path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "other")
    assert planned(run, ONE)["env"] == {"CLAUDE_CONFIG_DIR": home.path + "/other"}


def test_a_home_that_is_this_home_is_not_mentioned(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None)
    monkeypatch.setenv("SESSFZF_HOME", home.path)
    assert planned(run, made.id)["env"] == {}


def test_a_home_that_the_environment_names_anyway_is_not_mentioned(
    home: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = home.claude(cwd=home.folder("api"), branch=None, config=home.folder("c"))
    two = home.codex(cwd=home.folder("api"), branch=None, root=home.folder("x"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", home.path + "/c")
    monkeypatch.setenv("CODEX_HOME", home.path + "/x")
    assert (planned(run, one.id)["env"], planned(run, two.id)["env"]) == ({}, {})


# The line


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
def test_a_line_is_one_line_and_belongs_in_the_history(home: Home, run: Run, shell: str) -> None:
    made = home.claude(cwd=home.folder("it's a \\ test"), branch=None)
    text = run("plan", made.id, "--shell", shell).text
    assert text.startswith("cd '/")
    assert text.count("\n") == 1
    assert text.endswith("\n")


def test_the_message_comes_before_the_line(home: Home) -> None:
    made = home.claude(cwd=home.folder("api"), branch=None, mode="bypassPermissions")
    command = [sys.executable, "-m", "sessfzf", "plan", made.id]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=True
    )
    *before, line = done.stdout.decode().splitlines()
    assert line.startswith("cd '")
    assert before
    assert all(text.startswith("sessfzf: ") for text in before)


@pytest.mark.parametrize("app", ["claude-code", "codex"])
def test_the_index_is_never_trusted(home: Home, run: Run, app: str) -> None:
    home.folder("bad")
    folder = home.folder("api")
    if app == "codex":
        made = home.codex(cwd=folder, branch=None, approval="never")
        home.codex_db([home.thread(made, cwd=folder, git_branch=None)])
    else:
        made = home.claude(cwd=folder, branch=None)
    line = run("plan", made.id).text
    run("list")
    cache = os.path.join(os.environ["XDG_CACHE_HOME"], "sessfzf")
    changed = 0
    for name in os.listdir(cache):
        with open(os.path.join(cache, name), "rb") as file:
            data = file.read()
        tampered = data.replace(b"/api", b"/bad").replace(b"opus-x", b"evil-x")
        changed += tampered != data
        with open(os.path.join(cache, name), "wb") as file:
            file.write(tampered)
    assert changed
    assert "~/bad" in run("list").text  # so the index was believed where that harms nobody
    assert run("plan", made.id).text == line


def test_planning_changes_nothing(home: Home, run: Run) -> None:
    from stores import snapshot

    made = home.codex(cwd=repository(home.path + "/api"), branch="main")
    home.codex_db([home.thread(made, cwd=home.path + "/api")], state="wal")
    before = snapshot(home.path)
    assert run("plan", made.id).code == 0
    assert snapshot(home.path) == before


def test_of_two_equal_copies_the_listed_one_is_planned(home: Home, run: Run) -> None:
    for name, changed in (("c", 3), ("a", 2), ("d", 1), ("b", 4)):
        folder = home.folder(name)
        home.claude(id=ONE, cwd=folder, branch=None, time=1.7e9, mtime=1.7e9 + changed)
    for option in ("--no-cache", "--all", "--all"):  # without, then making, then with the index
        (row,) = run("list", "--json", option).objects
        assert planned(run, ONE)["cwd"] == row["cwd"]


def test_a_relocated_session_is_resumed_where_it_belongs(home: Home, run: Run) -> None:
    move = meta("relocated", relocatedCwd=home.folder("moved"))
    made = home.claude([say("hi"), answer(), move], cwd=home.folder("api"), branch=None)
    assert planned(run, made.id)["cwd"] == home.path + "/moved"


# Real shells


NASTY = "'\"\\$`!*?[]{}()<>|&;#~= -%^@:,+.aé日🎉\u0301"
NAMES = st.one_of(
    st.text(st.sampled_from(NASTY), min_size=1, max_size=24),
    st.text(
        st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="/"),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(
        [
            "$(touch PWNED)",
            "`touch PWNED`",
            "\\'\"; touch PWNED; #",
            "a'; touch PWNED; '",
            "-dash",
            "--",
            "back\\",
            "~",
            "!!",
            "x" * 250,
            "=ls",
            "*",
            "two  spaces ",
            " lead",
        ]
    ),
).filter(lambda name: name not in (".", "..") and len(name.encode()) <= 250)
MODELS = st.one_of(
    st.text(st.sampled_from(NASTY), max_size=12),
    st.sampled_from(
        [
            "opus-x",
            "opus[1m]",
            "=ls",
            "~",
            "a:b",
            "{a,b}",
            "-x",
            "!!",
            "a'b",
            "a\\",
            "%self",
            "^a^b",
        ]
    ),
)
EFFORTS = st.one_of(
    st.sampled_from(["low", "high", "xhigh", "max", "-h"]),
    st.text(st.sampled_from(NASTY), max_size=6),
)

RECORDER = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$(pwd -P; echo .)" "$#" "$@"; } >>"$RECORD"
"""
# Each with options that change what a word means (SHELL.md's own lists), as a person may have them.
SHELLS = {
    "sh": ("sh",),
    "bash": (
        "bash",
        "--norc",
        "-O",
        "extglob",
        "-O",
        "failglob",
        "-O",
        "autocd",
        "-O",
        "cdable_vars",
        "-H",
    ),
    "zsh": (
        *(
            "zsh",
            "-f",
            "-o",
            "extendedglob",
            "-o",
            "globsubst",
            "-o",
            "rcquotes",
            "-o",
            "magicequalsubst",
        ),
        *(
            "-o",
            "shwordsplit",
            "-o",
            "ksharrays",
            "-o",
            "cshjunkiequotes",
            "-o",
            "cdablevars",
            "-o",
            "banghist",
        ),
    ),
    "fish": ("fish", "--no-config"),
}


def recorded(shell: str, lines: list[str], home: Home, folder: Path) -> list[tuple[str, list[str]]]:
    """Let a real shell evaluate the lines; the folder and argv of each command that it started."""
    bin_folder, record = folder / "bin", folder / "record"
    bin_folder.mkdir(exist_ok=True)
    for name in ("claude", "codex"):
        (bin_folder / name).write_text(RECORDER)
        (bin_folder / name).chmod(0o755)
    record.write_bytes(b"")
    script = folder / "script"
    script.write_text("".join(line + "\n" for line in lines))
    subprocess.run(
        [*SHELLS[shell], str(script)],
        check=True,
        timeout=60,
        cwd=home.path,
        env={
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "HOME": home.path,
            "RECORD": str(record),
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    words = record.read_text().split("\0")
    started = []
    while len(words) > 1:
        name, place, count = words[0], words[1].removesuffix("\n."), int(words[2])
        started.append((place, [name, *words[3 : 3 + count]]))
        words = words[3 + count :]
    return started


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(NAMES, MODELS, EFFORTS), min_size=8, max_size=12))
def test_every_shell_makes_exactly_the_planned_command_of_a_line(
    home: Home, run: Run, tmp_path: Path, cases: list[tuple[str, str, str]]
) -> None:
    shutil.rmtree(home.claude_dir, ignore_errors=True)
    shutil.rmtree(home.codex_dir, ignore_errors=True)
    keys = []
    for number, (name, model, effort) in enumerate(cases):
        records = [say("hi"), answer(model=model, effort=effort)]
        folder = home.folder("w", name)
        if number % 2:
            made = home.claude(records, cwd=folder, branch=None, project="-w")
        else:
            made = home.codex(cwd=folder, branch=None, dialect="legacy", model=model, effort=effort)
        keys.append((made.id, folder, model))
    for shell in SHELLS:
        if shutil.which(shell) is None:
            continue
        # sh has no way to write what cannot be seen.
        able = [one for one in keys if shell != "sh" or not any(is_hidden(one[1]))]
        plans = [planned(run, key, "--shell", shell) for key, _, _ in able]
        for plan, (key, folder, model) in zip(plans, able, strict=True):
            assert plan["cwd"] == folder
            assert plan["argv"][2] == key
            given_model = options(plan["argv"]).get("--model") or options(plan["argv"]).get("-m")
            assert given_model in (None, model)
            assert not any(is_hidden(plan["line"]))
        lines = [plan["line"] for plan in plans]
        wanted = [(plan["cwd"], plan["argv"]) for plan in plans]
        assert recorded(shell, lines, home, tmp_path) == wanted
    assert "PWNED" not in json.dumps([files for _, _, files in os.walk(home.path)])
