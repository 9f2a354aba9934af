from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from conftest import NOBODY
from stores import git, repository, snapshot

from sessfzf.repository import branch, find, worktrees

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> str:
    return repository(str(tmp_path / "repo"))


# find


def test_the_top_of_the_work_tree_is_found_from_anywhere_below(tmp_path: Path, repo: str) -> None:
    below = os.path.join(repo, "a", "b")
    os.makedirs(below)
    assert find(repo) == find(below) == repo
    assert find(os.path.join(repo, "gone", "deeper")) == repo
    assert find(str(tmp_path)) == ""


@pytest.mark.parametrize("folder", ["/", "", ".", "relative/path", "/a\0b", "/\ud800"], ids=ascii)
def test_where_no_repository_can_be_there_is_none(folder: str) -> None:
    assert find(folder) == ""
    assert branch(folder) == ""
    assert worktrees(folder) == []


# branch


@pytest.mark.parametrize("name", ["main", "feature/x", "Ünï-日本", "a#b", "x-"], ids=ascii)
def test_the_branch_is_the_one_checked_out(repo: str, name: str) -> None:
    if name != "main":
        git(repo, "checkout", "-q", "-b", name)
    os.mkdir(os.path.join(repo, "below"))
    assert branch(repo) == branch(os.path.join(repo, "below")) == name


def test_a_detached_head_is_no_branch(repo: str) -> None:
    git(repo, "checkout", "-q", "--detach")
    assert branch(repo) == ""


def test_a_branch_without_a_commit_has_its_name(tmp_path: Path) -> None:
    git(str(tmp_path), "init", "-q", "-b", "main", "unborn")
    assert branch(str(tmp_path / "unborn")) == "main"


def test_a_tag_of_the_same_name_changes_nothing(repo: str) -> None:
    name = branch(repo)
    git(repo, "tag", name)
    assert branch(repo) == name


def test_a_bare_repository_has_no_branch(tmp_path: Path, repo: str) -> None:
    git(str(tmp_path), "clone", "-q", "--bare", repo, "bare.git")
    assert branch(str(tmp_path / "bare.git")) == ""
    assert worktrees(str(tmp_path / "bare.git")) == []


def test_a_folder_that_is_gone_has_no_branch(repo: str) -> None:
    assert branch(os.path.join(repo, "gone")) == ""


def test_each_worktree_has_its_own_branch(tmp_path: Path, repo: str) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert (branch(repo), branch(str(tmp_path / "side"))) == ("main", "side")


def submodule(tmp_path: Path, repo: str) -> str:
    outer = repository(str(tmp_path / "outer"), "trunk")
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, *allowed, "submodule", "add", "-q", "-b", "main", repo, "inner")
    return os.path.join(outer, "inner")


def test_a_submodule_has_its_own_branch(tmp_path: Path, repo: str) -> None:
    inner = submodule(tmp_path, repo)
    assert os.path.isfile(os.path.join(inner, ".git"))
    assert (branch(inner), branch(os.path.dirname(inner))) == ("main", "trunk")
    assert find(inner) == inner


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"garbage", id="garbage"),
        pytest.param(b"gitdir: /nowhere/at/all\n", id="nowhere"),
        pytest.param(b"gitdir: a\0b\n", id="nul"),
        pytest.param(b"gitdir: \xff\xfe\n", id="not-utf-8"),
        pytest.param(b"gitdir: .git\n", id="itself"),
        pytest.param(b"x" * 100_000, id="long"),
    ],
)
def test_a_damaged_git_file_makes_no_repository(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").write_bytes(content)
    assert branch(str(tmp_path / "work")) == ""
    assert worktrees(str(tmp_path / "work")) == []


def test_a_fifo_in_the_place_of_git_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert branch(str(tmp_path)) == ""
    assert worktrees(str(tmp_path)) == []


def test_asking_changes_nothing(tmp_path: Path, repo: str) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    before = snapshot(str(tmp_path))
    branch(repo)
    worktrees(repo)
    assert snapshot(str(tmp_path)) == before


# Nothing that the repository brings is run


def test_nothing_of_the_repository_is_run(tmp_path: Path, repo: str) -> None:
    ran = tmp_path / "ran"
    ran.mkdir()

    def trap(name: str) -> str:
        path = os.path.join(tmp_path, f"trap-{name}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n: > '{ran}/{name}'\n")
        os.chmod(path, 0o755)  # noqa: S103 - to be run, if anybody did
        return path

    hooks = os.path.join(repo, "hooks")
    os.makedirs(hooks)
    for hook in (*os.listdir(os.path.join(repo, ".git", "hooks")), "post-index-change"):
        name = hook.removesuffix(".sample")
        for folder in (hooks, os.path.join(repo, ".git", "hooks")):
            shutil.copy(trap(f"hook-{name}"), os.path.join(folder, name))
    with open(os.path.join(repo, ".gitattributes"), "w", encoding="utf-8") as file:
        file.write("* filter=evil diff=evil\n")
    for key, value in {
        "core.fsmonitor": trap("fsmonitor"),
        "core.hooksPath": hooks,
        "core.pager": trap("pager"),
        "pager.rev-parse": trap("pager-of-it"),
        "core.editor": trap("editor"),
        "core.sshCommand": trap("ssh"),
        "core.askPass": trap("askpass"),
        "core.gitProxy": trap("proxy"),
        "core.alternateRefsCommand": trap("alternates"),
        "credential.helper": trap("credential"),
        "alias.rev-parse": f"!{trap('alias')}",
        "alias.branch": f"!{trap('alias-branch')}",
        "filter.evil.clean": trap("clean"),
        "filter.evil.smudge": trap("smudge"),
        "filter.evil.process": trap("process"),
        "diff.evil.textconv": trap("textconv"),
        "diff.external": trap("diff"),
        "uploadpack.packObjectsHook": trap("pack"),
        "trace2.eventTarget": str(ran / "trace2"),
    }.items():
        subprocess.run(["git", "-C", repo, "config", key, value], check=True)
    assert branch(repo) == "main"
    worktrees(repo)
    assert os.listdir(ran) == []


def test_the_git_variables_of_the_caller_are_ignored(
    tmp_path: Path, repo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(str(tmp_path / "other"), "elsewhere")
    touch = tmp_path / "touch"
    touch.write_text(f"#!/bin/sh\n: > '{tmp_path}/ran'\n")
    touch.chmod(0o755)
    for name, value in {
        "GIT_DIR": os.path.join(other, ".git"),
        "GIT_WORK_TREE": other,
        "GIT_COMMON_DIR": os.path.join(other, ".git"),
        "GIT_CEILING_DIRECTORIES": repo,
        "GIT_INDEX_FILE": os.path.join(other, ".git", "index"),
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_EXEC_PATH": str(tmp_path / "nothing"),
        "GIT_EXTERNAL_DIFF": str(touch),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(touch),
    }.items():
        monkeypatch.setenv(name, value)
    assert branch(repo) == "main"
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["cache", "config", "data", "home", "other", "repo", "touch"]
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the rights to give a folder away")
def test_a_repository_of_somebody_else_is_unknown(repo: str) -> None:
    for folder, _, names in os.walk(repo):
        for name in (".", *names):
            os.chown(os.path.join(folder, name), NOBODY, NOBODY)
    assert branch(repo) == ""


# git itself


def fake_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("exec sleep 30", id="sleeps"),
        pytest.param("trap '' TERM; echo main; exec sleep 30", id="answers-and-stays"),
        pytest.param("exec yes", id="never-stops-talking"),
    ],
)
def test_a_slow_git_is_not_waited_for(
    tmp_path: Path, repo: str, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path, monkeypatch, script)
    monkeypatch.setattr("sessfzf.repository._PATIENCE", 0.2)
    began = time.monotonic()
    assert branch(repo) == ""
    assert time.monotonic() - began < 3


def test_the_patience_with_git_is_a_matter_of_seconds() -> None:
    from sessfzf import repository as module

    assert 0 < module._PATIENCE <= 3


@pytest.mark.parametrize(
    ("script", "name"),
    [
        pytest.param("exit 1", "", id="fails"),
        pytest.param("echo refs/heads/main; exit 3", "", id="answers-and-fails"),
        pytest.param("kill -9 $$", "", id="dies"),
        pytest.param(":", "", id="silent"),
        pytest.param("echo HEAD", "", id="no-branch"),
        pytest.param("printf 'refs/heads/\\377\\n'", "\ufffd", id="not-utf-8"),
        pytest.param("echo refs/heads/main; echo noise >&2", "main", id="noise"),
    ],
)
def test_whatever_git_says(
    tmp_path: Path, repo: str, script: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path, monkeypatch, script)
    assert branch(repo) == name


def test_without_git_the_branch_is_unknown(repo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert branch(repo) == ""
    assert worktrees(repo) == []


# worktrees


def test_a_repository_without_worktrees_has_no_others(repo: str) -> None:
    assert worktrees(repo) == []


def test_every_worktree_knows_the_others(tmp_path: Path, repo: str) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "deep" / "zwei ü")
    for folder in (one, two):
        git(repo, "worktree", "add", "-q", "--detach", folder)
    os.mkdir(os.path.join(one, "below"))
    assert sorted(worktrees(repo)) == sorted([one, two])
    assert sorted(worktrees(one)) == sorted([repo, two])
    assert sorted(worktrees(two)) == sorted([repo, one])
    assert sorted(worktrees(os.path.join(one, "below"))) == sorted([repo, two])


def test_they_are_those_that_git_lists(tmp_path: Path, repo: str) -> None:
    for number in range(5):
        git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / f"w{number}"))
    lines = git(repo, "worktree", "list", "--porcelain").splitlines()
    listed = {line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")}
    assert {repo, *worktrees(repo)} == listed
    assert len(worktrees(repo)) == 5


def test_relative_pointers_of_newer_gits_are_followed(tmp_path: Path, repo: str) -> None:
    side = str(tmp_path / "side")
    git(repo, "worktree", "add", "-q", "--detach", side)
    inside = os.path.join(repo, ".git", "worktrees", "side")
    with open(os.path.join(inside, "gitdir"), "w", encoding="utf-8") as file:
        file.write("../../../../side/.git\n")
    with open(os.path.join(side, ".git"), "w", encoding="utf-8") as file:
        file.write("gitdir: ../repo/.git/worktrees/side\n")
    assert worktrees(repo) == [side]
    assert worktrees(side) == [repo]


def test_a_worktree_reached_by_a_link_is_not_its_own_other(tmp_path: Path, repo: str) -> None:
    side = str(tmp_path / "side")
    git(repo, "worktree", "add", "-q", "--detach", side)
    os.symlink(side, tmp_path / "link")
    assert worktrees(str(tmp_path / "link")) == [repo]


def test_worktrees_of_a_bare_repository_know_each_other(tmp_path: Path, repo: str) -> None:
    git(str(tmp_path), "clone", "-q", "--bare", repo, "bare.git")
    bare = str(tmp_path / "bare.git")
    for name in ("one", "two"):
        git(bare, "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    assert worktrees(str(tmp_path / "one")) == [str(tmp_path / "two")]


def test_a_submodule_has_no_others(tmp_path: Path, repo: str) -> None:
    assert worktrees(submodule(tmp_path, repo)) == []


@pytest.mark.parametrize("content", [b"", b"\n", b"a\0b\n", b"\xff\n"], ids=ascii)
def test_a_damaged_pointer_costs_that_worktree(tmp_path: Path, repo: str, content: bytes) -> None:
    for name in ("one", "two"):
        git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / name))
    with open(os.path.join(repo, ".git", "worktrees", "one", "gitdir"), "wb") as file:
        file.write(content)
    assert str(tmp_path / "two") in worktrees(repo)
    assert repo in worktrees(str(tmp_path / "two"))
