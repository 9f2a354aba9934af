"""The one exception that carries a sentence for the person and an exit code."""

from __future__ import annotations


class SessfzfError(Exception):
    """A failure to be told in one line; only ``__main__`` catches it.

    ``message`` is shown on stderr behind ``sessfzf: ``, ``code`` is the exit code (README.md).
    """

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
