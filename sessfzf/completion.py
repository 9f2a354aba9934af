"""Completion for the shells: what may stand where the cursor is, and the scripts that ask for it.

Not by Typer's own scripts: that for zsh evaluates the descriptions, and here these are titles out
of a store. What is sent to a shell is lines of a word, a tab and a description. Ours insert the
words, which are ids and words of our own, and show the rest.
"""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from typer.main import get_command

from sessfzf.agents import Problems, stores
from sessfzf.errors import SessfzfError
from sessfzf.index import Index
from sessfzf.listing import Walk
from sessfzf.rows import Ages
from sessfzf.shells import WIDGETS, script
from sessfzf.streams import write
from sessfzf.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import typer

    Candidate = tuple[str, str]  # what may be inserted, and what is said of it
    # A command or a parameter: Typer brings its own Click, or stands on Click itself.
    Click = Any

_MOST_KEYS = 50
_LONGEST_TITLE = 100


def run(app: typer.Typer, shell: str, words: list[str]) -> int:
    """Write the completion script of a shell, or what may stand for the last of ``words``.

    ``words`` are those behind ``sessfzf``, up to the cursor. Raises SessfzfError for a shell that
    there is no script for.
    """
    if shell not in WIDGETS:
        known = ", ".join(WIDGETS)
        raise SessfzfError(f"there is no completion for {clean(shell)!r}: name one of {known}", 2)
    if not words:
        write(script(f"completion.{shell}"))
        return 0
    found = candidates(app, words[:-1], words[-1])
    write("".join(f"{word}\t{clean(told, _LONGEST_TITLE)}\n" for word, told in found))
    return 0


def candidates(app: typer.Typer, before: list[str], current: str) -> list[Candidate]:
    """Return what may stand for the word ``current`` behind those ``before`` it."""
    command, option, operands = _follow(get_command(app), before)
    name, equals, value = current.partition("=")
    if equals and command:
        option, current = option or _option(command, name), value
    offered: Iterator[Candidate] = iter(())
    if option:
        offered = _values(option.metavar, current)
    elif command and current.startswith("-"):
        offered = _options(command)
    elif hasattr(command, "commands"):
        offered = ((name, _brief(one)) for name, one in command.commands.items())
    elif command:
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        if operands < len(arguments):
            offered = _values(arguments[operands].metavar, current)
    return [one for one in offered if one[0].startswith(current)]


def _follow(command: Click, words: list[str]) -> tuple[Click, Click, int]:
    """Return where the words lead to.

    That is the command (None: there is none), its option whose value comes next (None: none does),
    and how many operands it has got.
    """
    option = None
    operands = 0
    for word in words:
        if word == "=":  # bash makes a word of it
            continue
        if option:
            option = None
        elif word.startswith("-") and word != "-":
            option = _option(command, word)
        elif hasattr(command, "commands"):
            command = command.commands.get(word)
            if command is None:
                break
        else:
            operands += 1
    return command, option, operands


def _option(command: Click, word: str) -> Click:
    """Return the option of that name if it takes a value, else None."""
    for one in command.params:
        if word in one.opts and one.param_type_name == "option":
            return None if one.is_flag else one
    return None


def _options(command: Click) -> Iterator[Candidate]:
    for one in command.params:
        if one.param_type_name == "option" and not one.hidden:
            yield from ((name, one.help or "") for name in one.opts if name.startswith("--"))
    yield "--help", "Show this message and exit."


def _values(metavar: str | None, current: str) -> Iterator[Candidate]:
    """Yield what an option or argument takes, which its place in the help says."""
    if metavar == "KEY":
        yield from _keys(current)
    elif metavar == "APP":
        yield from ((store.app, "") for store in stores())
    elif metavar == "SHELL":
        yield from ((name, "") for name in WIDGETS)
    elif metavar and "|" in metavar:
        yield from ((name, "") for name in metavar.split("|"))


def _keys(current: str) -> Iterator[Candidate]:
    """Yield the ids of the newest sessions, with age and title."""
    index = Index()
    walk = Walk(stores(), index, Problems())  # what cannot be read is told by `list`
    walk.discover()
    age = Ages(int(time() * 1000)).show
    count = 0
    try:
        for session in walk.sessions():
            if session.id.startswith(current) and not session.hidden:
                yield session.id, f"{age(session.time)} {session.title}"
                count += 1
                if count == _MOST_KEYS:
                    break
    finally:
        index.save(complete=walk.complete)


def _brief(command: Click) -> str:
    """Return the first line of a command's help."""
    return (command.help or "").strip().partition("\n")[0]
