"""The two ways a command line can go: straight to its function, or through Typer."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessfzf import cli, grep, listing, options, plan, preview

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
    ["grep", "cache"],
    ["grep", ""],
    ["grep", "--", "--cache"],
    ["grep", "no such text"],
    ["grep", "cache", "--json"],
    ["grep", "--fzf", "--word", "cache"],
    ["grep", "--fzf", "--json", "cache"],
    ["grep", "--regex", "c.che", "--prompts", "--limit", "1"],
    ["grep", "--regex", "("],
    ["grep", "--everything", "--all", "--app", "codex", "--no-cache", "stop"],
    ["grep", "--prompts", "--everything", "x"],
    ["grep", "--here", "cache"],
    ["grep", "--picker", "--scope", "folder", "cache"],
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
    ["preview", CLAUDE],
    ["preview", "--", CODEX],
    ["preview", f"codex:{CODEX}"],
    ["preview", CLAUDE, "--find", "cache"],
    ["preview", CLAUDE, "--regex", "--word", "--find", "c.che"],
    ["preview", "ffff"],
    ["preview", ""],
    ["preview", "-"],
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
    ["grep", "--help"],
    ["grep", "one", "two"],
    ["grep", "--cache"],
    ["preview", "--find=-x", CLAUDE],
    ["plan", "--help"],
    ["plan", CLAUDE, CODEX],
    ["plan", CLAUDE, "--shell"],
    ["preview", "--help"],
    ["preview", "--json", CLAUDE],
    ["preview", CLAUDE, CODEX],
]


MODULES = {"list": listing, "grep": grep, "plan": plan, "preview": preview}


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
    module: Any = MODULES[argv[0]]
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
        ["grep"],
        ["grep", "--json"],
        ["grep", "one", "two"],
        ["preview"],
        ["preview", CLAUDE, CODEX],
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


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_the_options_are_the_functions_own(module: Any) -> None:
    names = {option[2:].replace("-", "_") for option in module.OPTIONS}
    assert {*names, module.POSITIONAL} == set(inspect.signature(module.run).parameters)


WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *["--json", "--fzf", "--app", "--here", "--all", "--limit", "--no-cache", "--fork"],
                *["--regex", "--word", "--find", "--prompts", "--everything"],
                *[
                    "--shell",
                    "--approvals",
                    "--confirm",
                    "--",
                    "-",
                    "",
                    "--help",
                    "-h",
                    "--nonsense",
                ],
                *[
                    "codex",
                    "claude-code",
                    "0",
                    "007",
                    "12",
                    "-1",
                    "1_0",
                    "٣",
                    "²",
                    " 1",
                    "+1",
                    "1e3",
                ],
                *["--limit=3", "--app=codex", "--js", "-a", "---", "zsh", "safe", "ask", "\ud800"],
                "9" * 5000,
            ]
        ),
        st.text(max_size=4),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(MODULES)), WORDS)
def test_what_is_taken_as_usual_is_what_typer_makes_of_it(name: str, words: list[str]) -> None:
    module: Any = MODULES[name]
    values = options.parse(words, module.OPTIONS, module.POSITIONAL)
    if values is None or (name != "list" and module.POSITIONAL not in values):
        return
    signature = inspect.signature(module.run)
    direct = signature.bind(**values)
    direct.apply_defaults()
    theirs: list[inspect.BoundArguments] = []

    def record(*args: object, **options: object) -> int:
        bound = signature.bind(*args, **options)
        bound.apply_defaults()
        theirs.append(bound)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "run", record)
        with pytest.raises(SystemExit):
            cli.app([name, *words], prog_name="sessfzf")
    assert theirs == [direct]


@pytest.mark.parametrize("digits", [18, 19, 5000])
def test_a_number_of_any_length_is_no_error(run: Run, digits: int) -> None:
    result = run("list", "--limit", "9" * digits)
    assert result.code == (2 if digits == 5000 else 0)
    assert len(result.rows) == (0 if digits == 5000 else 3)
