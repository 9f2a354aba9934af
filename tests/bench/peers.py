"""What a person would use instead, on the same store in the same run; installed on request."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import search
from checks import OLD, environment
from corpus import MB
from measure import Command, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checks import Bench
    from corpus import Store

# By project: the words that list every session and wait for no key.
PEERS: Final = {
    "session-ls": ("session-ls",),
    "fast-resume": ("fr", "--list", "--all"),
    "fzf-ai": ("fzf-ai-index",),
    "anysession": ("anysession",),
}
# The same, the words that search conversations; on the store of search.py.
SEARCHERS: Final = {
    "session-ls -f": ("session-ls", "session-ls", "-f", search.RARE),
    "fr QUERY": ("fast-resume", "fr", "--list", "--all", search.RARE),
}
_PLAIN: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain.py")
HEADER: Final = ("what", "CPU, first", "CPU, again", "wall, first", "wall, again", "peak")


def rows(bench: Bench, folder: str, *, install: bool) -> Iterator[tuple[str, ...]]:
    """Yield a line of the second table for each tool.

    CPU in bare starts of the interpreter, ``first`` without what the tool has kept from earlier
    runs, ``again`` with it.
    """
    store = bench.place("mixed").store
    # No holes: whoever reads whole files would meet each as one line.
    store.claude(bench.sizes.small * 4 // 5, dense=200 * MB, old=OLD)
    store.codex(bench.sizes.small // 5)
    tools = {
        "sessfzf": [bench.command, "list", "--picker"],
        "a plain reader": [bench.python, _PLAIN, "HOME"],
    }
    for name, words in PEERS.items() if install else ():
        tools[name] = [_install(name, words[0], folder), *words[1:]]
    yield from _measured(bench, folder, store, tools)
    store.close()
    if install:
        tools = {"sessfzf grep": [bench.command, "grep", search.RARE]}
        for name, (project, program, *more) in SEARCHERS.items():
            tools[name] = [f"{folder}/venv-{project}/bin/{program}", *more]
        yield from _measured(bench, folder, bench.place("search").store, tools)


def _measured(
    bench: Bench, folder: str, store: Store, tools: dict[str, list[str]]
) -> Iterator[tuple[str, ...]]:
    # A picker that waits for nobody, for those that only list into fzf.
    stand_in = f"{folder}/stand-in"
    os.makedirs(stand_in, exist_ok=True)
    with open(f"{stand_in}/fzf", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec cat >&2\n")
    os.chmod(f"{stand_in}/fzf", 0o755)  # noqa: S103 - a program
    for name, argv in tools.items():
        home = f"{folder}/home-{name.replace(' ', '-')}"
        env = environment(home, stand_in, os.path.dirname(argv[0]))
        links = f"ln -s '{store.home}/.claude' '{store.home}/.codex' '{home}'"
        fresh = ["sh", "-c", f"rm -rf '{home}'; mkdir '{home}'; {links}"]
        argv_here = [word.replace("HOME", home) for word in argv]
        yield _row(bench, name, Command(argv_here, env, before=[fresh]), Command(argv_here, env))


def _row(bench: Bench, name: str, first: Command, again: Command) -> tuple[str, ...]:
    bare = Command([bench.python, "-c", "pass"], first.env)
    repeats = max(bench.repeats // 5, 1)
    prefix = _offline()
    cold = measure([bare, first], repeats, prefix)
    measure([again], 8, prefix)  # until all is known that is found out bit by bit
    warm = measure([bare, again], repeats, prefix)
    return (
        name,
        *(f"{cost.cpu / one.cpu:.1f} x" for one, cost in (cold, warm)),
        *(f"{cost.wall * 1000:.0f} ms" for _, cost in (cold, warm)),
        f"{max(cold[1].mib, warm[1].mib):.0f} MiB",
    )


def _install(project: str, program: str, folder: str) -> str:
    """Install the project into an environment of its own; return the path of its program."""
    place = f"{folder}/venv-{project}"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    subprocess.run([f"{place}/bin/python", "-m", "pip", "-qq", "install", project], check=True)
    return f"{place}/bin/{program}"


def _offline() -> list[str]:
    """Return the words that start a command without a network, none where that cannot be done."""
    words = ["unshare", "--map-root-user", "--net"]
    if shutil.which(words[0]) and not subprocess.run([*words, "true"], check=False).returncode:
        return words
    return []
