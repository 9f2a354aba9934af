from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sessfzf import fzf

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


def test_the_id_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows with the id of the other in no field that is shown."""
    del monkeypatch
    if not NEW and not REQUIRED:
        pytest.skip("fzf is not installed")
    done = subprocess.run(
        [NEW, *fzf.CONTRACT, "--filter=secretid"],
        input="secretid\tclaude-code\t3d\t~/a\tmain\ttitle\n",
        capture_output=True,
        text=True,
        check=False,
        env=fzf.environment("false"),
    )
    assert done.stdout == ""


def test_the_own_options_come_after_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FZF_DEFAULT_OPTS", "--exact # comment")
    monkeypatch.setenv("SESSFZF_FZF_OPTS", "--cycle")
    env = fzf.environment("lister --fzf")
    assert env["FZF_DEFAULT_OPTS"].split("\n") == [fzf.LOOK, "--exact # comment", "--cycle"]
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


def test_the_header_fits_eighty_columns() -> None:
    header = fzf.LOOK.split("--header='")[1].split("'")[0]
    assert len(header) <= 80 - 2
