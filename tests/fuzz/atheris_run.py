"""The long run: atheris looks for bytes that break a reader, until it is stopped.

    pip install atheris
    python tests/fuzz/atheris_run.py transcript|rollout [CORPUS] [-max_total_time=SECONDS ...]

What stands behind the target goes to libFuzzer. It begins with stores as the clients write them;
what it finds belongs into test_fuzz.py.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.dirname(TESTS), TESTS]

import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: E402 - after the path

with atheris.instrument_imports(include=["sessfzf"]):
    import targets
from mutate import mutate  # noqa: E402
from seeds import seeds  # noqa: E402

BIGGEST = 400_000


def mutated(data: bytes, size: int, seed: int) -> bytes:
    """Half of the time damage that knows the format, else libFuzzer's own."""
    chance = random.Random(seed)  # noqa: S311 - to be repeatable
    if chance.random() < 0.5:
        changed: bytes = atheris.Mutate(data, size)
        return changed
    return mutate(data, chance)[:size]


def main() -> None:
    name, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds(name)):
            with open(os.path.join(folder, str(number)), "wb") as file:
                file.write(seed)
        own = [word for word in rest if not word.startswith("-")]
        options = [word for word in rest if word.startswith("-")]
        arguments = [sys.argv[0], f"-max_len={BIGGEST}", *options, *own, folder]
        atheris.Setup(arguments, getattr(targets, name), custom_mutator=mutated)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
