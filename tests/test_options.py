"""The two ways a command line can go: straight to its function, or through Typer."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

from sessfzf import cli, listing, options, plan

if TYPE_CHECKING:
    from conftest import Run
    from stores import Home

CLAUDE = "0de1a7e5-0000-4000-8000-000000000001"
TWIN = "0de1a7e5-0000-4000-8000-000000000002"
CODEX = "01a0c0de-0001-7000-8000-000000000001"

DIRECT = [
    ["list"],
    ["list", "cache"],
    ["list", "--", "cache"],
    ["list", "--", "--json"],
    ["list", "no such text"],
    ["list", ""],
    ["list", "--json"],
    ["list", "--fzf"],
    ["list", "--fzf", "--json"],
    ["list", "--app", "codex"],
    ["list", "--app", "codex", "--app", "claude-code", "cache"],
    ["list", "--app", "nobody"],
    ["list", "--here"],
    ["list", "--all", "--no-cache"],
    ["list", "--limit", "1"],
    ["list", "--limit", "0"],
    ["list", "--limit", "1", "--limit", "2"],
    ["plan", CLAUDE],
    ["plan", CLAUDE, "--shell", "fish"],
    ["plan", "--shell", "zsh", "--approvals", "safe", "--confirm", "print", "--", CODEX],
    ["plan", "--shell", "tcsh", CLAUDE],
    ["plan", "--approvals", "none", CLAUDE],
    ["plan", "--confirm", "no", CLAUDE],
    ["plan", CODEX, "--approvals", "recorded", "--fork"],
    ["plan", CODEX, "--json"],
    ["plan", f"codex:{CODEX}"],
    ["plan", f"claude-code:{CODEX}"],
    ["plan", "0de1a7e5"],
    ["plan", "0de"],
    ["plan", "ffff"],
    ["plan", ""],
    ["plan", "-"],
    ["plan", "--", "--json"],
    ["init", "zsh"],
    ["init", "bash"],
    ["init", "fish"],
]
LEFT_TO_TYPER = [
    ["list", "--limit=1"],
    ["list", "--limit", "-1"],
    ["list", "--limit", "many"],
    ["list", "--limit"],
    ["list", "--app=codex"],
    ["list", "--app"],
    ["list", "--app", "--json"],
    ["list", "--nonsense"],
    ["list", "-x"],
    ["list", "one", "two"],
    ["list", "--help"],
    ["list", "-h"],
    ["plan", "--shell=fish", CLAUDE],
    ["plan", "--help"],
    ["plan", CLAUDE, CODEX],
    ["plan", CLAUDE, "--shell"],
]


@pytest.fixture(autouse=True)
def sessions(home: Home) -> None:
    folder = home.folder("work", "api")
    home.claude(id=CLAUDE, cwd=folder, branch=None, mode="bypassPermissions")
    home.claude(id=TWIN, cwd=folder, branch=None, prompt="another of nearly the same id")
    home.codex(id=CODEX, cwd=folder, branch=None, approval="never", sandbox="danger-full-access")
    home.codex(cwd=folder, source="exec", originator="codex_exec", prompt="a hidden one")


@pytest.mark.parametrize("argv", DIRECT, ids=" ".join)
def test_both_ways_give_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch, argv: list[str]
) -> None:
    direct = run(*argv)
    monkeypatch.setattr(options, "parse", lambda *_: None)  # now nothing is usual
    assert direct == run(*(["init", "--", *argv[1:]] if argv[0] == "init" else argv))


@pytest.mark.parametrize("argv", DIRECT, ids=" ".join)
def test_what_is_usual_does_without_typer(
    run: Run, monkeypatch: pytest.MonkeyPatch, argv: list[str]
) -> None:
    def unwanted(*_: object, **__: object) -> None:
        raise AssertionError("Typer was asked")

    monkeypatch.setattr(cli, "app", unwanted)
    run(*argv)


@pytest.mark.parametrize("argv", LEFT_TO_TYPER, ids=" ".join)
def test_what_is_unusual_is_left_to_typer(argv: list[str]) -> None:
    module: Any = {"list": listing, "plan": plan}[argv[0]]
    assert options.parse(argv[1:], module.OPTIONS, module.POSITIONAL) is None


@pytest.mark.parametrize(
    ("argv", "usual"),
    [
        (["list", "--limit=1"], ["list", "--limit", "1"]),
        (["list", "--app=codex"], ["list", "--app", "codex"]),
        (["plan", "--shell=fish", CLAUDE], ["plan", "--shell", "fish", CLAUDE]),
    ],
    ids=" ".join,
)
def test_another_spelling_means_the_same(run: Run, argv: list[str], usual: list[str]) -> None:
    assert run(*argv) == run(*usual)


@pytest.mark.parametrize(
    "argv",
    [
        ["list", "--nonsense"],
        ["list", "--limit", "-1"],
        ["list", "one", "two"],
        ["plan"],
        ["plan", "--json"],
        ["init"],
        ["init", "tcsh"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_on_stderr_with_exit_code_2(run: Run, argv: list[str]) -> None:
    result = run(*argv)
    assert (result.code, result.out) == (2, b"")
    assert result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("module", [listing, plan], ids=["list", "plan"])
def test_the_options_are_the_functions_own(module: Any) -> None:
    names = {option[2:].replace("-", "_") for option in module.OPTIONS}
    assert {*names, module.POSITIONAL} == set(inspect.signature(module.run).parameters)
