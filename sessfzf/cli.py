"""The Typer application: every command and option, its help, its errors.

The commands call the same functions with the same words as ``__main__`` does without Typer.
"""

from __future__ import annotations

from io import StringIO
from typing import Annotated

import typer

from sessfzf import __version__
from sessfzf.streams import tell
from sessfzf.text import clean

CANCELLED = 130

app = typer.Typer(
    name="sessfzf",
    add_completion=False,  # its installer writes into the person's start-up files
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Query = Annotated[
    str,
    typer.Argument(metavar="QUERY", help="Text to look for in title, folder, branch, app and id."),
]
Key = Annotated[
    str,
    typer.Argument(
        metavar="KEY",
        help="An id, 4 or more of its first characters, APP:ID, a row, or - for stdin.",
    ),
]
Approvals = Annotated[
    str,
    typer.Option(
        metavar="safe|recorded",
        help="safe: as strict as the agent's strict default. recorded: as the session was.",
    ),
]
Confirm = Annotated[
    str,
    typer.Option(
        metavar="ask|print|yes",
        help="Where there is a question: ask it, print the line all the same, or take a yes.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
Fzf = Annotated[bool, typer.Option("--fzf", help="Aligned and coloured, for fzf.")]
Picker = Annotated[
    bool, typer.Option("--picker", help="As --fzf, with what our own picker shows and seeks.")
]
Apps = Annotated[
    list[str] | None,
    typer.Option("--app", metavar="APP", help="Only this agent's: claude-code, codex. Repeatable."),
]
Here = Annotated[
    bool,
    typer.Option(
        "--here", help="Only of this folder and below, and of this repository's other worktrees."
    ),
]
Scope = Annotated[
    str,
    typer.Option(
        metavar="all|repository|folder",
        help="Only of this folder and below, or of this repository and its worktrees.",
    ),
]
All = Annotated[
    bool, typer.Option("--all", help="Also what is hidden: claude -p, codex exec, archived.")
]
Limit = Annotated[int | None, typer.Option(min=0, metavar="N", help="At most so many rows.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the index.")]
Regex = Annotated[bool, typer.Option("--regex", help="PATTERN is a regular expression of Python.")]
Word = Annotated[bool, typer.Option("--word", help="Only whole words.")]
Fork = Annotated[bool, typer.Option("--fork", help="Go on in a copy of the session.")]


def _version(value: bool) -> None:  # noqa: FBT001 - typer's form of a callback
    if value:
        print(f"sessfzf {__version__}")
        raise typer.Exit


@app.callback()
def sessfzf(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Pick from made-up sessions in a folder that is removed afterwards; with a "
            "command behind it, run that on them.",
        ),
    ] = False,
) -> None:
    """Find every coding-agent session on this machine with fzf, and a safe way back into one.

    Without a command, in a terminal: sessfzf resume.

    Example: sessfzf --demo
    """


@app.command("list")
def list_(  # noqa: PLR0913 - the command's options
    query: Query = "",
    json: Json = False,
    fzf: Fzf = False,
    picker: Picker = False,
    apps: Apps = None,
    here: Here = False,
    scope: Scope = "",
    everything: All = False,
    limit: Limit = None,
    no_cache: NoCache = False,
) -> None:
    """Print one row a session, the newest first.

    The fields, with tabs between: id, app, age, folder, branch, title.

    Example: sessfzf list --here 'flaky test'
    """
    from sessfzf import listing

    raise typer.Exit(
        listing.run(
            query,
            json=json,
            fzf=fzf,
            picker=picker,
            app=apps,
            here=here,
            scope=scope,
            all=everything,
            limit=limit,
            no_cache=no_cache,
        )
    )


@app.command()
def grep(  # noqa: PLR0913 - the command's options
    pattern: Annotated[
        str,
        typer.Argument(
            metavar="PATTERN", help="What was said; after -- when it begins with a dash."
        ),
    ],
    regex: Regex = False,
    word: Word = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Only in what the person typed.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also in what tools gave, system prompts and all.")
    ] = False,
    json: Json = False,
    fzf: Fzf = False,
    picker: Picker = False,
    apps: Apps = None,
    here: Here = False,
    scope: Scope = "",
    hidden: All = False,
    limit: Limit = None,
    no_cache: NoCache = False,
) -> None:
    """Print the sessions in which something was said, the newest first.

    The fields of list and one more: the newest line that matches. An upper-case letter in PATTERN
    makes case count. With ripgrep installed it is faster.

    Example: sessfzf grep 'flaky test' --prompts
    """
    from sessfzf import grep as grep_

    raise typer.Exit(
        grep_.run(
            pattern,
            json=json,
            fzf=fzf,
            picker=picker,
            regex=regex,
            word=word,
            prompts=prompts,
            everything=everything,
            app=apps,
            here=here,
            scope=scope,
            all=hidden,
            limit=limit,
            no_cache=no_cache,
        )
    )


@app.command()
def plan(  # noqa: PLR0913 - the command's options
    key: Key,
    shell: Annotated[
        str, typer.Option(metavar="sh|bash|zsh|fish", help="What will evaluate the line.")
    ] = "sh",
    approvals: Approvals = "safe",
    confirm: Confirm = "ask",
    fork: Fork = False,
    folder: Annotated[
        bool, typer.Option("--folder", help="Only to the session's folder, without the agent.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="The plan as one JSON object.")] = False,
) -> None:
    """Print the one line that resumes a session.

    It is checked before, and is for your shell to evaluate.

    Example: eval "$(sessfzf list | fzf | sessfzf plan -)"
    """
    from sessfzf import plan as plan_

    raise typer.Exit(
        plan_.run(
            key,
            shell=shell,
            approvals=approvals,
            confirm=confirm,
            fork=fork,
            folder=folder,
            json=json,
        )
    )


@app.command()
def preview(
    key: Key,
    find: Annotated[
        str,
        typer.Option(metavar="PATTERN", help="Show where this was said last, as grep finds it."),
    ] = "",
    regex: Regex = False,
    word: Word = False,
) -> None:
    """Show a session: its facts, and the end of its conversation.

    As high and wide as fzf's preview window, or the terminal.

    Example: sessfzf list | fzf --preview 'sessfzf preview {1}'
    """
    from sessfzf import preview as preview_

    raise typer.Exit(preview_.run(key, find=find, regex=regex, word=word))


@app.command()
def keys() -> None:
    """Show the keys of the picker, its marks and its search words.

    Example: sessfzf keys
    """
    from sessfzf import keys as keys_

    raise typer.Exit(keys_.run())


@app.command()
def copy(
    key: Key,
    id: Annotated[bool, typer.Option("--id", help="The id instead.")] = False,  # noqa: A002
) -> None:
    """Copy the line that resumes a session to the clipboard.

    By wl-copy, xclip, xsel, pbcopy, clip.exe or tmux where one can, else by the terminal itself.

    Example: sessfzf copy 3f2a
    """
    from sessfzf import copy as copy_

    raise typer.Exit(copy_.run(key, id=id))


@app.command()
def resume(
    key: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="As for plan; without one, pick with fzf."),
    ] = None,
    approvals: Approvals = "safe",
    confirm: Confirm = "ask",
    fork: Fork = False,
) -> None:
    """Resume a session here and now.

    For use without the key in your shell.

    Example: sessfzf resume
    """
    from sessfzf import resume as resume_

    raise typer.Exit(resume_.run(key, approvals=approvals, confirm=confirm, fork=fork))


@app.command()
def init(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="zsh, bash or fish.")],
) -> None:
    """Print the widget of a shell, for its rc file.

    Example: source <(sessfzf init zsh)
    """
    from sessfzf.errors import SessfzfError
    from sessfzf.shells import WIDGETS, init_script
    from sessfzf.streams import write

    if shell not in WIDGETS:
        known = ", ".join(WIDGETS)
        raise SessfzfError(f"there is no widget for {clean(shell)!r}: name one of {known}", 2)
    write(init_script(shell))


@app.command()
def doctor(
    json: Annotated[bool, typer.Option("--json", help="The same as one JSON object.")] = False,
) -> None:
    """Tell what was found where, and what is missing.

    Without titles, prompts and ids, for a bug report too. Exit code 1: something is broken.

    Example: sessfzf doctor
    """
    from sessfzf import doctor as doctor_

    raise typer.Exit(doctor_.run(json=json))


@app.command()
def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="zsh, bash or fish.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORD", help="What the script asks: the words typed so far."),
    ] = None,
) -> None:
    """Print the completion script of a shell, for its rc file.

    Example: source <(sessfzf completion zsh)
    """
    from sessfzf import completion as completion_

    raise typer.Exit(completion_.run(app, shell, words or []))


def run(arguments: list[str]) -> int:
    """Run the command that these words name, return its exit code; tell what is wrong with them."""
    try:
        code = app(arguments, prog_name="sessfzf", standalone_mode=False)
    except typer.Abort:
        return CANCELLED
    except Exception as error:
        # Typer brings its own copy of Click, before it stood on Click: they share no class.
        if not hasattr(error, "show") or not hasattr(error, "exit_code"):
            raise
        message = StringIO()
        error.show(file=message)
        lines = message.getvalue().splitlines()
        # The words of the caller stand in it as they are.
        fit = [line if line.isascii() and line.isprintable() else clean(line) for line in lines]
        tell("\n".join(fit), prefix="")
        code = error.exit_code
    return code if isinstance(code, int) else 0
