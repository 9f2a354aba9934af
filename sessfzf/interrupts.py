"""Work that must not be cut short, because it would leave a file behind."""

from __future__ import annotations

# The part of `signal` that is written in C: the rest wraps constants in enums, and to import that
# costs more than all that is done here.
import _signal as signal  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_POLITE = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class Uninterrupted:
    """Hold back SIGINT, SIGTERM and SIGHUP while something short is made and cleared away."""

    def __enter__(self) -> None:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, _POLITE)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
