from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessfzf.folders import is_folder, real

if TYPE_CHECKING:
    from pathlib import Path

IMPOSSIBLE = ["/a\0b", "\0", "/\ud800", "/" + "x" * 300, "/x" * 5000, "", "relative", "~"]


def test_a_folder_is_one_also_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "fifo")
    found = [name for name in sorted(os.listdir(tmp_path)) if is_folder(str(tmp_path / name))]
    assert found == ["cache", "config", "data", "home", "link"]


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=lambda path: ascii(path)[:12])
def test_what_cannot_be_a_folder_is_none(path: str) -> None:
    assert is_folder(path) is False


def test_a_name_that_is_not_utf_8_is_a_folder_like_any(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"latin-\xfc")
    os.mkdir(path)
    assert is_folder(os.fsdecode(path))
    assert real(os.fsdecode(path)) == os.fsdecode(path)


def test_links_are_resolved_as_far_as_they_can_be(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "home")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert real(f"{tmp_path}/link") == f"{tmp_path}/home"
    assert real(f"{tmp_path}/link/gone/deeper") == f"{tmp_path}/home/gone/deeper"
    assert real(f"{tmp_path}/loop") == f"{tmp_path}/loop"
    assert real("/a\0b") == "/a\0b"
    assert real("/\ud800") == "/\ud800"


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_no_path_is_ever_an_error(path: str) -> None:
    assert is_folder(f"/nonexistent/{path.replace('..', '')}") in (True, False)
    assert isinstance(real(path), str)
