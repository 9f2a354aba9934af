"""The benchmark: makes its own stores, runs the installed command, prints what it costs.

    python tests/bench/run.py [--quick] [--peers] [--sizes 1000,10000,50000,20000]

CPU is user and system time as the kernel counts it for the process and its children, its median
over the runs, compared with ``python -c pass`` of the interpreter that the command runs in, turn
about with it. Both sides of a comparison include the start of their interpreter.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from itertools import chain
from typing import TYPE_CHECKING

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import checks
import peers
import picker
import search

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERDICTS = {True: "pass", False: "FAIL", None: "-"}
_QUICK = checks.Sizes(100, 1_000, 3_000, 1_000, 4 << 20)


def main() -> int:
    """Print the tables; return 1 when a limit is not kept."""
    options = _options()
    print(f"{_machine()}, {time.strftime('%Y-%m-%d')}: {options.command}")
    sizes = _QUICK if options.quick else checks.Sizes()
    if options.sizes:
        sizes = checks.Sizes._make((*map(int, options.sizes.split(",")), sizes.line))
    failed = False
    with tempfile.TemporaryDirectory(prefix="sessfzf-bench-") as folder:
        bench = checks.Bench(options.command, folder, options.repeats, sizes)
        _line(("what", "limit", "measured", ""), (64, 24, 24, 4))
        for row in chain(checks.rows(bench), picker.rows(bench), search.rows(bench)):
            failed |= row.passed is False
            _line((row.what, row.limit, row.measured, _VERDICTS[row.passed]), (64, 24, 24, 4))
        print()
        widths = (16, 11, 11, 12, 12, 8)
        _line(peers.HEADER, widths)
        for line in peers.rows(bench, folder, install=options.peers):
            _line(line, widths)
    return int(failed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    beside = os.path.join(os.path.dirname(sys.executable), "sessfzf")
    parser.add_argument("--command", default=beside, help="the sessfzf to measure")
    parser.add_argument("--quick", action="store_true", help="small stores")
    parser.add_argument("--peers", action="store_true", help="install other tools to compare with")
    parser.add_argument("--repeats", type=int, default=15, help="runs of which each is a median")
    parser.add_argument("--sizes", help="sessions: small,middle,large,codex")
    return parser.parse_args()


def _machine() -> str:
    what = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return f"Python {platform.python_version()}, {what}"


def _line(fields: Sequence[str], widths: Sequence[int]) -> None:
    print("  ".join(map(str.ljust, fields, widths)).rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
