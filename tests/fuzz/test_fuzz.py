"""A short, repeatable slice of what atheris_run.py does for as long as it is let."""

from __future__ import annotations

import random
from typing import Final

import pytest
import targets
from mutate import mutate
from seeds import seeds

COUNT: Final = 200


@pytest.mark.parametrize("name", ["transcript", "rollout"])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_damage_to_a_file_harms(name: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeatable
    whole = seeds(name)
    for _ in range(COUNT):
        data = mutate(chance.choice(whole), chance)
        getattr(targets, name)(data)


# What the long runs found.
STAMP: Final = '"timestamp":"0001-01-01T00:00:00Z"'
FOUND: Final = {
    "a folder of slashes never ended": (
        "transcript",
        '{"type":"user","cwd":"//","message":{"content":"x"}}\n',
    ),
    "a folder of 100,000 parts took minutes": (
        "transcript",
        '{"type":"user","cwd":"' + "/a" * 100_000 + '","message":{"content":"x"}}\n',
    ),
    "a time before 1970 sorted wrong": (
        "transcript",
        '{"type":"user","message":{"content":"x"},' + STAMP + "}\n",
    ),
    "in a rollout too": (
        "rollout",
        "{" + STAMP + ',"type":"event_msg","payload":{"type":"user_message","message":"x"}}\n',
    ),
    "marks piled up in an effort of --json": (
        "rollout",
        '{"type":"turn_context","payload":{"effort":"a' + "\\u0301" * 300 + '"}}\n'
        '{"type":"event_msg","payload":{"type":"user_message","message":"x"}}\n',
    ),
}


@pytest.mark.parametrize(("name", "text"), FOUND.values(), ids=FOUND)
def test_what_was_found_stays_mended(name: str, text: str) -> None:
    getattr(targets, name)(text.encode())
