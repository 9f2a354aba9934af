"""Opening what lies in a store: quietly, and only if it is a regular file."""

from __future__ import annotations

import os

_FILE_TYPE, _REGULAR = 0o170000, 0o100000  # S_IFMT, S_IFREG


def is_regular(mode: int) -> bool:
    """Whether an ``st_mode`` is that of a regular file."""
    return mode & _FILE_TYPE == _REGULAR


def open_quietly(path: str) -> int:
    """Open a file of a store for reading, return the descriptor. Raises OSError.

    O_NONBLOCK: a FIFO named x.jsonl must not wait for a writer. O_NOATIME, where the system has it
    and the file is ours: even the time of the last access stays as it was.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        return os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        return os.open(path, flags)
