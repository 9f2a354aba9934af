from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessfzf import fzf, shells
from sessfzf.text import is_hidden

if TYPE_CHECKING:
    from pathlib import Path

REQUIRED = os.environ.get("SESSFZF_REQUIRE_SHELLS") == "1"

# What means something to one of the shells, and the letters that make code and escapes of it.
SPICE = "'\"\\`$!;&|<>(){}[]*?~#%=^@:,+-/. \u00a0\u202e\u2019\ufeffanrtx01"
names = st.lists(
    st.one_of(
        st.text(st.sampled_from(SPICE), max_size=12),
        st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12),
        st.sampled_from(
            ["$(touch OOPS)", "`touch OOPS`", "'; touch OOPS; '", "\\'; touch OOPS; #", "!!", "''"]
        ),
    ),
    min_size=1,
    max_size=4,
).map("".join)


def program(shell: str) -> str:
    found = shutil.which(shell)
    if not found and not REQUIRED:
        pytest.skip(f"no {shell} here")
    assert found, f"no {shell} here"
    return found


# `eval "$(sessfzf plan ...)"` without --shell gives any shell what was written for sh.
@pytest.mark.parametrize(
    ("shell", "form"),
    [*((shell, shell) for shell in shells.SHELLS), *((shell, "sh") for shell in shells.WIDGETS)],
)
@settings(max_examples=25, deadline=None)
@example(
    batch=[
        "\\",
        "\\\\",
        "'",
        "''",
        "\\'",
        "'\\",
        "",
        "-n",
        "--",
        "=ls",
        "~",
        "bang!wow!!",
        "\\'\"; touch PWN; #",
    ]
)
@given(batch=st.lists(names, min_size=1, max_size=40))
def test_quoted_text_is_one_word_and_itself(shell: str, form: str, batch: list[str]) -> None:
    if form == "sh":  # it has no way to write what cannot be seen
        batch = [name for name in batch if not any(is_hidden(name))]
    words = " ".join(shells.quote(name, form) for name in batch)
    assert not any(is_hidden(words))
    dump = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    line = f"{shells.quote(sys.executable, form)} -c {shells.quote(dump, form)} {words}\n"
    # As a script, where aliases, history and options of the person are out of the way.
    options = {"zsh": ["-f"], "fish": ["--no-config"], "bash": ["--norc"], "sh": []}[shell]
    done = subprocess.run(
        [program(shell), *options],
        input=line.encode(),
        capture_output=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"], "LC_ALL": "C.UTF-8"},
    )
    assert done.stdout.decode().split("\0") == (batch or [""])
    assert done.stderr == b""


@pytest.mark.parametrize("shell", shells.SHELLS)
@pytest.mark.parametrize("text", ["a\nb", "\0", "\x1b[31m", "\x7f", "\x9b", "\ud83d"])
def test_what_no_line_can_hold_is_refused(shell: str, text: str) -> None:
    with pytest.raises(ValueError, match="cannot be quoted"):
        shells.quote(text, shell)


@pytest.mark.parametrize("text", ["a\u202eb", "\u200b", "\ufeff", "\u2028", "a" + "\u0301" * 5])
def test_what_cannot_be_seen_is_an_escape_and_in_sh_refused(text: str) -> None:
    with pytest.raises(ValueError, match="invisible"):
        shells.quote(text, "sh")
    for shell in shells.WIDGETS:
        assert shells.quote(text, shell).isprintable()


def test_unknown_shells_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown shell"):
        shells.quote("a", "nu")
    with pytest.raises(ValueError, match="no widget"):
        shells.init_script("sh")


@pytest.mark.parametrize("shell", shells.WIDGETS)
def test_the_script_holds_the_options_and_no_placeholder(shell: str) -> None:
    script = shells.init_script(shell)
    assert not [word for word in script.split() if word.startswith("@FZF") or word.endswith("=@")]
    assert shells.quote(fzf.LOOK, shell) in script
    assert shells.quote(fzf.PREVIEW, shell) in script
    assert " ".join(shells.quote(option, shell) for option in fzf.CONTRACT) in script
    assert fzf.MISSING in script


def test_the_three_scripts_give_fzf_and_plan_the_same_words() -> None:
    scripts = [shells.init_script(shell).replace("'", "") for shell in shells.WIDGETS]
    for shell, script in zip(shells.WIDGETS, scripts, strict=True):
        options = "$options" if shell == "fish" else "${options[@]}"
        plan = f"sessfzf plan --shell {shell} --confirm print {options} -- $id"
        assert plan in script.replace('"', "")
        for key, words in fzf.ANSWERS.items():
            assert key in script
            assert " ".join(words) in script
        assert "sessfzf list --picker" in script
        assert "SHELL" in script


def test_an_installed_package_has_its_scripts_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "sessfzf" / "_shell"
    inside.mkdir(parents=True)
    (inside / "sessfzf.zsh").write_text("installed @FZF_BESIDE@")
    monkeypatch.setattr(shells, "__file__", str(tmp_path / "sessfzf" / "shells.py"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert shells.init_script("zsh") == "installed ''"
