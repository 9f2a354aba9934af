"""README.md says what is so: its tables, lines and numbers are compared with what the tool does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from html import unescape
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from sessfzf import jsonl, keys, plan, rows, scopes
from sessfzf.fzf import ANSWERS, LOOK
from sessfzf.grep import OPTIONS as GREP_OPTIONS
from sessfzf.listing import OPTIONS as LIST_OPTIONS
from sessfzf.shells import SHELLS, WIDGETS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Run
    from stores import Home

ROOT: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Read when the tests are collected, before they get an environment of their own.
REQUIRED: Final = os.environ.get("SESSFZF_REQUIRE_SHELLS") == "1"
FZFS: Final = ("fzf", os.environ.get("SESSFZF_TEST_FZF_OLD", "fzf"))


def read(*parts: str) -> str:
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


README: Final = read("README.md")
CODE: Final = "\n".join(
    read(place, name)
    for folder in ("sessfzf", "shell")
    for place, _, names in os.walk(os.path.join(ROOT, folder))
    for name in names
    if "__pycache__" not in place
)


class Table(NamedTuple):
    """One table of the README, its cells without the marks of Markdown."""

    header: list[str]
    body: list[list[str]]

    def column(self, number: int) -> list[str]:
        return [line[number] for line in self.body]


def tables() -> list[Table]:
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", README, re.MULTILINE):
        lines = [
            [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in block.splitlines()
        ]
        found.append(Table(lines[0], lines[2:]))
    return found


def table(*header: str) -> Table:
    """The one table that begins with these columns."""
    (found,) = [one for one in tables() if one.header[: len(header)] == list(header)]
    return found


def option_tables() -> list[Table]:
    return [one for one in tables() if one.header[0] == "option"]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def block_lines(language: str) -> list[str]:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


LINES: Final = block_lines("sh")
EXAMPLE: Final = block_lines("console")
SESSION: Final = "3f2a9c1e-5b7d-4e8a-9c0f-1d2e3f4a5b6c"  # the README's


# Options, commands, variables


def help_of(run: Run, *command: str) -> str:
    result = run(*command, "--help")
    assert result.code == 0
    return result.text


def options_in(text: str) -> set[str]:
    return set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)) - {"--help"}


@pytest.mark.parametrize(
    ("command", "number", "known"),
    [("list", 0, LIST_OPTIONS), ("grep", 1, GREP_OPTIONS), ("plan", 2, plan.OPTIONS)],
    ids=["list", "grep", "plan"],
)
def test_each_option_is_in_the_readme_and_the_reverse(
    run: Run, command: str, number: int, known: dict[str, int]
) -> None:
    cells = [code(cell)[0].split() for cell in option_tables()[number].column(0)]
    told = {words[0] for words in cells if words[0].startswith("-")}
    assert told == options_in(help_of(run, command)) == set(known)
    for words in cells:
        assert len(words) == 1 + (known.get(words[0], 0) > 0)


def test_the_options_of_resume_and_init(run: Run) -> None:
    (told,) = re.findall(r"^(.*)are options of `sessfzf resume`, too", README, re.MULTILINE)
    assert set(code(told)) == options_in(help_of(run, "resume"))
    assert options_in(help_of(run, "init")) == set()
    assert options_in(help_of(run)) == {"--version", "--demo"}
    assert "`sessfzf --version`" in README
    assert run("--version").text.startswith("sessfzf ")


def test_what_an_option_takes(run: Run) -> None:
    lines = {line[0].strip("`"): line[1] for line in option_tables()[2].body}
    for option, values in (
        ("--shell", SHELLS),
        ("--approvals", plan.APPROVALS),
        ("--confirm", plan.CONFIRM),
    ):
        told = code(lines[f"{option} NAME"])
        assert set(told) == set(values)
        assert told[0] == re.findall(rf"{option}.*?\[default: +(\w+)\]", flat(run))[0]


def flat(run: Run) -> str:
    return " ".join(help_of(run, "plan").split())


def test_each_command_is_in_the_readme_and_the_reverse(run: Run) -> None:
    told = [code(cell)[0].split()[1] for cell in table("command").column(0)]
    commands = help_of(run).partition("Commands:")[2]
    assert told == re.findall(r"^  (\w+) ", commands, re.MULTILINE)


def test_each_variable_of_ours_is_in_the_readme_and_the_reverse() -> None:
    ours = re.compile(r"\bSESSFZF_[A-Z_]+")
    told = [code(cell)[0] for cell in table("variable").column(0)]
    assert set(ours.findall(README)) == set(ours.findall(CODE))
    assert set(ours.findall(README)) <= set(told)
    for name in told:
        assert re.search(rf"\b{name}\b", CODE), name


def test_each_variable_that_is_read_is_in_the_readme() -> None:
    read_ones = set(re.findall(r'environ(?:\.get\(|\[)\s*"([A-Z_]+)"', CODE))
    assert read_ones
    assert read_ones <= {code(cell)[0] for cell in table("variable").column(0)}


# Rows and objects


@pytest.fixture
def example(home: Home) -> str:
    """The session of the README's examples; its folder."""
    folder = home.folder("shop api")
    home.claude(id=SESSION, cwd=folder, branch="main", model="opus[1m]", prompt="retry loop")
    return folder


@pytest.mark.usefixtures("example")
def test_the_fields_of_a_row(run: Run) -> None:
    fields = [code(cell)[0] for cell in table("field").column(0)]
    (row,) = run("list").rows
    shown = dict(zip(fields, row, strict=True))
    assert list(shown) == ["id", "app", "age", "folder", "branch", "title"]
    assert shown["id"] == SESSION
    assert shown["app"] in code(table("field").body[1][1])
    assert shown["age"] == "3d"
    assert shown["folder"] == "~/shop api"
    assert (shown["branch"], shown["title"]) == ("main", "retry loop")


def test_the_ages(run: Run, home: Home) -> None:
    minute, hour, day = 60, 3_600, 86_400
    for age in (0, 5 * minute, 3 * hour, 2 * day, 6 * 7 * day, 365 * day):
        home.claude(time=time.time() - age - 5)
    assert [row[2] for row in run("list").rows] == code(table("field").body[2][1])


@pytest.mark.usefixtures("example")
def test_the_keys_of_an_object(run: Run) -> None:
    (found,) = run("list", "--json").objects
    assert [code(cell)[0] for cell in table("key", "value").column(0)] == list(found)


def test_the_reasons_and_states() -> None:
    for word in ("print", "archived", "missing"):
        assert f"`{word}`" in README
    (states,) = [line[1] for line in table("key", "value").body if line[0] == "`live`"]
    assert code(states) == ["null", "idle", "busy", "waiting", "open"]


def test_the_marks() -> None:
    told = {code(cell)[0] for cell in table("mark").column(0)}
    assert told == {mark for mark, _ in rows.MARKS.values()}


def test_the_scopes_and_their_keys() -> None:
    told = [(code(line[0])[0], line[1]) for line in table("scope", "key").body]
    assert sorted(told) == sorted((one, scopes.KEYS[one]) for one in scopes.SCOPES)


def test_the_words_that_can_be_typed() -> None:
    words = set(re.findall(r"is:[a-z]+", README))
    states = ("live", "busy", "waiting", "idle", "open", "gone", "worktree", "fork")
    assert words == {f"is:{name}" for name in (*states, "archived", "print", "missing")}
    assert words >= {f"is:{name}" for name in rows.MARKS}


def test_the_numbers() -> None:
    kilo = 1024
    assert f"{jsonl.HEAD_BYTES // kilo} KiB and {jsonl.TAIL_BYTES // kilo} KiB" in README
    assert f"a line over {jsonl.LINE_BYTES // kilo} KiB" in README
    assert 'requires-python = ">=3.10"' in read("pyproject.toml")
    assert "Python 3.10 to 3.14" in README


# The plan


def test_the_plan_line_of_the_example(run: Run, home: Home, example: str) -> None:
    assert os.path.isdir(example)
    command, line = EXAMPLE
    result = run(*command.removeprefix("$ sessfzf ").split())
    assert result.text == line.replace("/home/kim", home.path) + "\n"


@pytest.mark.usefixtures("example")
def test_the_keys_of_a_plan(run: Run) -> None:
    (told,) = [line[1] for line in option_tables()[2].body if line[0] == "`--json`"]
    (found,) = run("plan", SESSION, "--json").objects
    assert code(told) == list(found)


def test_the_exit_codes(run: Run, home: Home, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    folder = home.folder("work")
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    person = ["-c", "user.name=kim", "-c", "user.email=kim@example.org"]
    commit = ["commit", "-q", "--allow-empty", "-m", "first"]
    subprocess.run(["git", "-C", folder, *person, *commit], check=True)
    good = home.claude(cwd=folder, branch="main").id
    homeless = home.claude(cwd=gone).id
    moved = home.claude(cwd=folder, branch="other").id
    cases: dict[int, Callable[[], int]] = {
        0: lambda: run("plan", good).code,
        1: lambda: run("plan", "no-such-id").code,
        2: lambda: run("plan", good, "--shell", "tcsh").code,
        3: lambda: run("plan", homeless).code,
        4: lambda: run.apart("plan", moved).code,
        130: lambda: run.apart("plan", "-").code,
    }
    told = [int(cell) for cell in table("exit code").column(0)]
    assert told == [0, plan.UNKNOWN, plan.USAGE, plan.REFUSED, plan.UNCONFIRMED, plan.CANCELLED]
    assert told == [case() for case in cases.values()]
    assert run("plan", moved, "--confirm", "print").out
    assert run("plan", moved, "--confirm", "yes").code == 0


class Approval(NamedTuple):
    """One line of the README's table of approvals."""

    agent: str
    recorded: list[str]
    newer: bool
    safe: str
    loose: str


def approvals() -> list[Approval]:
    found = []
    for agent, recorded, safe, loose in table("agent").body:
        values = code(recorded)
        if "anything else" in recorded:
            values += ["", "made-up"]
        newer = "and later" in recorded
        found.append(Approval(agent, values, newer, code(safe)[0], code(loose)[0]))
    return found


@pytest.mark.parametrize("case", approvals(), ids=lambda case: f"{case.agent}: {case.recorded}")
def test_the_approvals(run: Run, home: Home, case: Approval) -> None:
    folder = home.folder("work")
    if case.newer:
        home.codex_locks()
    for recorded in case.recorded:
        if case.agent == "Claude Code":
            session = home.claude(cwd=folder, branch=None, mode=recorded)
        elif case.agent == "Codex approval":
            session = home.codex(cwd=folder, branch=None, approval=recorded)
        else:
            session = home.codex(cwd=folder, branch=None, sandbox=recorded, dialect="legacy")
        for option, words in (("safe", case.safe), ("recorded", case.loose)):
            result = run("plan", session.id, "--approvals", option)
            assert result.code == 0, result.err
            assert f" {words} " in result.text.replace("\n", " ").replace("'", "")


# The lines to be typed


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH with sessfzf, fzf, and stand-ins for the agents that tell where and how they ran."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for agent in ("claude", "codex"):
        script = folder / agent
        script.write_text('#!/bin/sh\nprintf "%s\\n" "$PWD" "${0##*/}" "$@"\n')
        script.chmod(0o755)
    return f"{folder}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"


def shell(argv: list[str], line: str, path: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*argv, line],
        env=os.environ | {"PATH": path} | env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


OURS: Final = [line for line in LINES if line.startswith("sessfzf ") and line != "sessfzf resume"]


def test_there_are_lines_to_run() -> None:
    assert len(OURS) >= 8
    assert "sessfzf resume" in LINES  # picks in a terminal: tests/shell


@pytest.mark.parametrize("line", OURS)
def test_a_line_of_ours_works(line: str, path: str, home: Home, example: str) -> None:
    home.codex(cwd=example, prompt="a thread of Codex")
    done = shell(["sh", "-c"], line, path)
    assert (done.returncode, done.stderr) == (0, "")
    if line.startswith("sessfzf resume"):
        assert done.stdout.splitlines()[:4] == [example, "claude", "--resume", SESSION]
    elif "codex" not in line:
        assert SESSION in done.stdout


def test_the_parts_put_together(path: str, example: str, home: Home) -> None:
    home.claude(cwd=home.folder("elsewhere"), prompt="something else")
    lines = [line for line in LINES if line.startswith("eval")]
    assert len(lines) == 2
    for line in lines:
        for program in (["bash", "-c"], ["zsh", "-fc"], ["fish", "--no-config", "-c"]):
            if not (REQUIRED or shutil.which(program[0])):
                continue
            done = shell(program, line, path, FZF_DEFAULT_OPTS="--filter='retry loop'")
            assert done.stdout.splitlines()[:4] == [example, "claude", "--resume", SESSION]


def test_the_lines_that_install() -> None:
    extras = set(re.findall(r"^(\w+) = \[", read("pyproject.toml"), re.MULTILINE))
    assert set(re.findall(r"'\.\[(\w+)\]'", README)) == {"fzf", "test"} <= extras
    for script in re.findall(r"python (tests/\S+)", README):
        assert os.path.isfile(os.path.join(ROOT, script))


def test_what_the_readme_points_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert "://" in target or os.path.isfile(os.path.join(ROOT, target)), target
    for name in ("tests/test_package.py", ".ci/run"):
        assert f"`{name}`" in README
        assert os.path.isfile(os.path.join(ROOT, name))


# The shells

INTERACTIVE: Final = {
    "zsh": ["zsh", "-f", "-i", "-c"],
    "bash": ["bash", "--norc", "--noprofile", "-i", "-c"],
    "fish": ["fish", "--no-config", "-i", "-c"],
}
# What tells which keys open the list.
BOUND: Final = {
    "zsh": "bindkey -M emacs | grep sessfzf-widget",
    "bash": "bind -m emacs -s | grep -F '\\C-xW\\C-xS'",
    "fish": "bind | grep __sessfzf_widget",
}
# How each shows Alt-R, Alt-O and Ctrl-O.
SHOWN: Final = {
    "zsh": ['"^[r"', '"^[o"', '"^O"'],
    "bash": [r'"\er":', r'"\eo":', r'"\C-o":'],
    "fish": [r"\er", r"\eo", r"\co"],
}

NEEDS_SHELLS: Final = [
    pytest.mark.shell,
    pytest.mark.skipif(
        not REQUIRED and not all(map(shutil.which, (*WIDGETS, "tmux"))),
        reason="needs zsh, bash, fish, tmux",
    ),
]


def load_line(shell: str) -> str:
    (line,) = [line for line in table("shell").body if line[0] == shell]
    return code(line[2])[0]


def bound(name: str, lines: list[str], path: str) -> list[str]:
    """The keys of the list after these lines in an interactive shell, as that shell shows them."""
    done = shell(INTERACTIVE[name], "\n".join([*lines, BOUND[name]]), path)
    return sorted({line.strip() for line in done.stdout.splitlines()})


def test_the_keys_of_the_list() -> None:
    told = {
        key.lower() for cell in table("key", "what it does").column(0) for key in cell.split(", ")
    }
    bound_keys = set(re.findall(r"--bind='([^:]+):", LOOK))
    assert told == {"enter", "esc", "shift-up", "shift-down", *filter(None, ANSWERS), *bound_keys}
    (header,) = re.findall(r"--header='([^']+)'", LOOK)
    assert {part.split()[0].lower() for part in header.split(" | ")} <= told
    for key, _ in keys.KEYS:
        assert key.lower() in told


def test_the_load_lines_stand_in_the_widgets_too() -> None:
    assert {line[0] for line in table("shell").body} == set(WIDGETS)
    for name in WIDGETS:
        assert f"#   {load_line(name)}\n" in read("shell", f"sessfzf.{name}")


@pytest.fixture
def _no_completions(tmp_path: Path) -> None:
    """Else fish spends a minute of CPU on completions for a new home."""
    (tmp_path / "data" / "fish" / "generated_completions").mkdir(parents=True)


@pytest.mark.usefixtures("_no_completions")
@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS_SHELLS) for name in WIDGETS])
def test_the_load_line_binds_the_key(name: str, path: str) -> None:
    keys = bound(name, [load_line(name)], path)
    assert keys
    assert all(SHOWN[name][0] in key.split() for key in keys)
    assert bound(name, [load_line(name)] * 2, path) == keys


@pytest.mark.usefixtures("_no_completions")
@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS_SHELLS) for name in WIDGETS])
def test_a_script_kept_in_a_file_is_made_anew_when_it_is_older_than_the_command(
    name: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"^```shell\n# (\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    lines = dict(blocks)[name].splitlines()
    cache = tmp_path / "home" / ".cache"
    assert not cache.exists(), "as in the home of someone new"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    keys = bound(name, [load_line(name)], path)
    assert bound(name, lines, path) == keys
    kept = cache / f"sessfzf.{name}"
    script = kept.read_text()
    kept.write_text("# newer than the command\n")
    assert bound(name, lines, path) == []
    os.utime(kept, (0, 0))
    assert bound(name, lines, path) == keys
    assert kept.read_text() == script


@pytest.mark.usefixtures("_no_completions")
@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS_SHELLS) for name in WIDGETS])
def test_the_examples_of_other_keys(name: str, path: str) -> None:
    alt_o, ctrl_o, none = block_lines("fish" if name == "fish" else "bash")
    for line, shown in ((alt_o, SHOWN[name][1]), (ctrl_o, SHOWN[name][2])):
        keys = bound(name, [line, load_line(name)], path)
        assert keys
        assert all(shown in key.split() for key in keys)
    assert bound(name, [none, load_line(name)], path) == []


def test_the_line_for_zsh_vi_mode() -> None:
    assert block_lines("zsh") == [f"zvm_after_init_commands+=('{load_line('zsh')}')"]


@pytest.mark.parametrize("fzf", FZFS, ids=["newest", "oldest"])
def test_the_example_of_fzf_options(fzf: str, path: str) -> None:
    lines = [line for line in LINES if line.startswith("export SESSFZF_FZF_OPTS=")]
    assert lines
    for line in lines:
        run_it = f"{line}; echo one | FZF_DEFAULT_OPTS=\"$SESSFZF_FZF_OPTS\" '{fzf}' --filter one"
        assert shell(["sh", "-c"], run_it, path).stdout == "one\n"


# The picture

PICTURES: Final = ("picker-dark.svg", "picker-light.svg")


def picture_lines(picture: str) -> list[str]:
    """The texts of the picture, line by line."""
    lines: dict[float, str] = {}
    for height, text in re.findall(r'<text [^>]*? y="([\d.]+)"[^>]*>([^<]*)</text>', picture):
        shown = unescape(text).replace("\N{NO-BREAK SPACE}", " ")
        lines[float(height)] = lines.get(float(height), "") + " " + shown
    return [" ".join(line.split()) for line in lines.values()]


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_shows_what_fzf_is_told_to_show(name: str) -> None:
    assert f'".github/{name}"' in README
    shown = "\n".join(picture_lines(read(".github", name)))
    (header,) = re.findall(r"--header='([^']+)'", LOOK)
    assert header in shown
    assert scopes.header("all", 80, hidden=False) in shown.replace("] |", "] |")
    assert {"claude", "codex"} <= set(shown.split())
    for mark in ("busy", "waiting", "idle", "gone", "worktree", "fork"):
        assert rows.MARKS[mark][0] in shown


@pytest.mark.parametrize("names", [pytest.param(PICTURES, marks=NEEDS_SHELLS)], ids=["both"])
def test_the_pictures_are_made_from_the_real_thing(tmp_path: Path, names: tuple[str, ...]) -> None:
    script = os.path.join(ROOT, "tests", "picture", "make.py")
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for name in names:
        # Rows only, and no preview: the frame may look different in another fzf, times differ.
        rows_of = [
            [
                line.partition("│")[0]
                for line in picture_lines(picture)
                if re.search(r"\b(claude|codex) +\d", line)
            ]
            for picture in ((tmp_path / name).read_text(), read(".github", name))
        ]
        assert len(rows_of[0]) > 10
        assert rows_of[0] == rows_of[1]
