from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sessfzf import fzf, keys, scopes, shells

if TYPE_CHECKING:
    from pathlib import Path

# Read before the tests get an environment of their own.
OLD = os.environ.get("SESSFZF_TEST_FZF_OLD", "")
NEW = shutil.which("fzf") or fzf.beside()
REQUIRED = os.environ.get("SESSFZF_REQUIRE_SHELLS") == "1"


@pytest.mark.parametrize(
    "program", [pytest.param(OLD, id="oldest"), pytest.param(NEW, id="newest")]
)
@pytest.mark.parametrize(
    "own", ["", "--print0 --read0 --multi --tac --print-query --header-lines=2 --no-sort"]
)
def test_every_option_is_known_and_the_answer_is_the_row(
    program: str, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not program and not REQUIRED:
        pytest.skip("SESSFZF_TEST_FZF_OLD does not name fzf 0.38, or fzf is not installed")
    monkeypatch.setenv("FZF_DEFAULT_OPTS", own)
    rows = (
        "\tthe scopes\n"
        "id1\tclaude-code\t3d\t~/a\tmain\t\x1b[31mfix the\x1b[m parser\nid2\tcodex\t4d\t~/b\t\tx\n"
    )
    done = subprocess.run(
        [program, *fzf.CONTRACT, "--filter=fix parser"],
        input=rows,
        capture_output=True,
        text=True,
        check=True,
        env=fzf.environment("false"),
    )
    assert done.stdout.split("\t")[0] == "id1"
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


FIRST = (
    "id1 claude 3d ~/api main fix_it__ id1 sonnet_high_is:live folder:/k/api branch:main app:claude"
)
SECOND = (
    "id2 codex 4d ~/web feat/x fixate id2 gpt_low_is:gone folder:/k/web branch:feat/x app:codex"
)
ROWS = "\tthe scopes\n" + "".join(
    row.replace(" ", "\t").replace("_", " ") + "\n" for row in (FIRST, SECOND)
)


@pytest.mark.parametrize(
    "program", [pytest.param(OLD, id="oldest"), pytest.param(NEW, id="newest")]
)
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("fix", ["id1", "id2"]),
        ("'fix !fixate", ["id1"]),
        ("it$", ["id1"]),
        ("app:codex", ["id2"]),
        ("!app:codex", ["id1"]),
        ("'branch:feat", ["id2"]),
        ("'folder:/k/api", ["id1"]),
        ("is:live", ["id1"]),
        ("!is:gone sonnet", ["id1"]),
        ("'high", ["id1"]),
        ("id2", ["id2"]),
        ("app:codex 'is:live", []),
        # Neither over the end of a field, nor in what is shown from one such field to another.
        ("mainfix", ["id1"]),
        ("itid1", []),
        ("highfolder", []),
        ("scopes", []),
    ],
)
def test_what_a_query_finds(program: str, query: str, found: list[str]) -> None:
    if not program and not REQUIRED:
        pytest.skip("SESSFZF_TEST_FZF_OLD does not name fzf 0.38, or fzf is not installed")
    done = subprocess.run(
        [program, *fzf.CONTRACT, f"--filter={query}"],
        input=ROWS,
        capture_output=True,
        text=True,
        check=False,
        env=fzf.environment("false"),
    )
    assert sorted(line.split("\t")[0] for line in done.stdout.splitlines()) == found
    assert done.stderr == ""


def test_the_own_options_come_after_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FZF_DEFAULT_OPTS", "--exact # comment")
    monkeypatch.setenv("SESSFZF_FZF_OPTS", "--cycle")
    env = fzf.environment("lister --fzf")
    options = env["FZF_DEFAULT_OPTS"].split("\n")
    assert options == [fzf.LOOK, "--exact # comment", fzf.PREVIEW, "--cycle"]
    assert env["FZF_DEFAULT_COMMAND"] == "lister --fzf"
    assert env["SHELL"] == "/bin/sh"
    assert env["HOME"] == os.environ["HOME"]


def test_an_fzf_beside_the_interpreter_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert fzf.beside() == ""
    (tmp_path / "fzf").touch(0o755)
    assert fzf.beside() == str(tmp_path / "fzf")


def test_the_header_fits_beside_the_preview() -> None:
    header = fzf.LOOK.split("--header='")[1].split("'")[0]
    assert len(header) <= 100 - 100 // 2 - 1 - 2


def test_each_key_is_on_the_page_of_keys_and_the_reverse() -> None:
    bound = set(re.findall(r"--bind='([^:]+):", fzf.LOOK))
    answers = set(filter(None, fzf.ANSWERS))
    by_itself = {"enter", "esc", "shift-up"}
    assert not bound & answers
    assert {key.lower() for key, _ in keys.KEYS} == bound | answers | by_itself
    assert {key.lower() for key in scopes.KEYS.values()} <= bound
    for scope in scopes.SCOPES:
        key = scopes.KEYS[scope].lower()
        assert f"--bind='{key}:first+" in fzf.LOOK
        assert f" --scope {scope}" in fzf.LOOK.split(f"'{key}:")[1].split("' ")[0]


def test_what_fzf_starts_is_this_very_sessfzf(tmp_path: Path) -> None:
    """Whatever the words before ` list` are; and nothing where a row has no id."""
    program = tmp_path / "a list of 'names'"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o700)
    producer = f"{shells.quote(str(program), 'sh')} 'first list' list --picker"
    actions = [
        *re.findall(r"--preview='(.*)'", fzf.PREVIEW),
        *(text for text in re.findall(r"--bind='[^:]+:(?:first\+)?\w+:(.*?)'(?= --|$)", fzf.LOOK)),
    ]
    said = []
    for action in actions:
        for own in ("'3f2a'", "''"):
            line = action.replace("{1}", own)
            done = subprocess.run(
                ["sh", "-c", line],
                env=os.environ | {"FZF_DEFAULT_COMMAND": producer},
                capture_output=True,
                text=True,
                check=True,
            )
            assert done.stderr == ""
            said.append(done.stdout.removeprefix("first list|"))
    assert said == [
        *("preview|3f2a|", "", "keys|", "keys|"),
        *["list|--picker|"] * 2,
        *["list|--picker|--scope|all|"] * 2,
        *["list|--picker|--scope|repository|"] * 2,
        *["list|--picker|--scope|folder|"] * 2,
        *["list|--picker|--scope|all|--all|"] * 2,
        *("copy|3f2a|", "", "copy|--id|3f2a|", ""),
    ]
