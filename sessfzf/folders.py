"""Folders named by a store: looked at without ever raising for what they hold."""

from __future__ import annotations

import os


def is_folder(path: str) -> bool:
    """Whether the path is a folder that exists now."""
    try:
        return os.path.isdir(path)
    except ValueError:  # a NUL or a lone surrogate in it
        return False


def real(path: str) -> str:
    """Return the path with its links resolved, as it is where that cannot be done."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
