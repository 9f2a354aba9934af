"""What goes out: the answer on stdout, everything else on stderr."""

from __future__ import annotations

import os

from sessfzf.errors import SessfzfError


def check() -> None:
    """Make sure that files opened later do not become one of the three standard streams.

    Raises SessfzfError when stdout is closed; a closed stdin or stderr is replaced by /dev/null.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is this one
            if descriptor == 1:
                raise SessfzfError("stdout is closed") from None


def write(text: str) -> None:
    """Write to stdout, in UTF-8 whatever the locale. Raises OSError."""
    # A lone surrogate is a byte of a path that is not UTF-8 where it can be one, else a mark.
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "replace")
    _put(1, data)


def write_bytes(data: bytes) -> None:
    """Write to stdout what is UTF-8 already. Raises OSError."""
    _put(1, data)


def tell(message: str, prefix: str = "sessfzf: ") -> None:
    """Write one message of ours to stderr (clean text); nobody listening is no error."""
    # Not by print: what its buffer cannot get rid of makes the exit code 120.
    data = f"{prefix}{message}\n".encode("utf-8", "replace")
    try:
        _put(2, data)
    except OSError:
        return


def _put(descriptor: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:  # a pipe that another program (node) has made so, and it is full
            import select

            select.select([], [descriptor], [])
