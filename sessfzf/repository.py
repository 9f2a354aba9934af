"""What git says of a folder, without running anything that the repository brings."""

from __future__ import annotations

import os

from sessfzf.folders import real

# s: a repository on a dead network share must not hang the person's key press
_PATIENCE = 2.0
_HEADS = "refs/heads/"


def worktrees(folder: str) -> list[str]:
    """Return the folders of all worktrees of the repository ``folder`` is in, none outside of one.

    Read from git's own files (gitrepository-layout), which costs no process.
    """
    top = find(folder)
    if not top:
        return []
    common = _git_folder(top)
    shared = _first_line(os.path.join(common, "commondir"))
    if shared:
        common = os.path.normpath(os.path.join(common, shared))
    found = [top]
    if os.path.basename(common) == ".git":
        found.append(os.path.dirname(common))
    try:
        names = os.listdir(os.path.join(common, "worktrees"))
    except (OSError, ValueError):  # a NUL in a pointer
        names = []
    for name in names:
        inside = os.path.join(common, "worktrees", name)
        pointer = _first_line(os.path.join(inside, "gitdir"))
        if pointer:  # relative since git 2.48, where worktree.useRelativePaths is set
            found.append(os.path.dirname(os.path.normpath(os.path.join(inside, pointer))))
    here = real(top)
    # Of the worktree one stands in, only the folder and below count: that is the caller's.
    return [tree for tree in dict.fromkeys(found) if real(tree) != here]


def find(folder: str) -> str:
    """Return the top of the work tree that ``folder`` is in, ``""`` when it is in none."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def is_linked(folder: str, known: dict[str, bool]) -> bool:
    """Whether ``folder`` is in a worktree that belongs to a repository elsewhere.

    ``known`` keeps the answers, those for the folders above it, too: many share them.
    """
    passed = []
    while folder not in known:
        passed.append(folder)
        pointer = os.path.join(folder, ".git")
        parent = os.path.dirname(folder)
        if os.path.lexists(pointer) or parent == folder:
            # A submodule has a file there, too: it points to .git/modules.
            target = "" if os.path.isdir(pointer) else _git_folder(folder)
            known[folder] = os.path.basename(os.path.dirname(target)) == "worktrees"
        else:
            folder = parent
    known.update(dict.fromkeys(passed, known[folder]))
    return known[folder]


def branch(folder: str) -> str:
    """Return the branch checked out in ``folder``; ``""`` when detached, unknown or no repository.

    git runs without hooks, fsmonitor, prompts, optional locks and the caller's ``GIT_*``.
    """
    if not find(folder):
        return ""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(
        GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_LAZY_FETCH="1", LC_ALL="C"
    )
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", folder]
    try:
        done = subprocess.run(
            # Not `rev-parse --abbrev-ref`: beside a tag of the same name it says heads/main.
            [*command, "symbolic-ref", "--quiet", "HEAD"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    name = done.stdout.decode("utf-8", "replace").strip()
    return name.removeprefix(_HEADS) if name.startswith(_HEADS) and not done.returncode else ""


def _git_folder(top: str) -> str:
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    pointer = _first_line(path).removeprefix("gitdir: ")
    return os.path.normpath(os.path.join(top, pointer))


def _first_line(path: str) -> str:
    if not os.path.isfile(path):  # a FIFO would wait for a writer
        return ""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""
