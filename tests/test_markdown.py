"""What was said, as a preview shows it: nothing lost but signs, nothing wider than the window."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
from checker import harm
from hypothesis import given, settings
from hypothesis import strategies as st

from sessfzf.markdown import BOLD, CODE, open_fence, render
from sessfzf.text import clean_lines, width

if TYPE_CHECKING:
    from sessfzf.markdown import Line


def plain(lines: list[Line]) -> list[str]:
    return ["".join(text for _, text in line) for line in lines]


def shown(text: str, columns: int = 40, *, signs: bool = True) -> list[str]:
    return plain(render(clean_lines(text), columns, signs=signs))


def painted(text: str, paint: str) -> list[str]:
    return [part for line in render([text], 80, signs=True) for kind, part in line if kind == paint]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("# Heading **x** #", ["Heading x"], id="heading"),
        pytest.param("####### seven", ["####### seven"], id="no-heading"),
        pytest.param("#!/bin/sh", ["#!/bin/sh"], id="no-heading-either"),
        pytest.param("a **b c** d", ["a b c d"], id="bold"),
        pytest.param("- a\n  * b\n+ c", ["• a", "  • b", "• c"], id="bullets"),
        pytest.param("1. a\n12) b", ["1. a", "12) b"], id="numbers"),
        pytest.param("- [ ] **a**", ["• [ ] a"], id="task"),
        pytest.param("-x -- y", ["-x -- y"], id="no-bullet"),
        pytest.param(
            "```\n**a**\n# b\n- c\n```", ["┌─", "│ **a**", "│ # b", "│ - c", "└─"], id="code"
        ),
        pytest.param(
            "~~~~ sh\n~~~\n```\n~~~~~\nx", ["┌─ sh", "│ ~~~", "│ ```", "└─", "x"], id="fences"
        ),
        pytest.param(
            "- x:\n  ```c\n  y\n    z\n  ```",
            ["• x:", "  ┌─ c", "  │ y", "  │   z", "  └─"],
            id="in-a-list",
        ),
        pytest.param("```x``` is code", ["```x``` is code"], id="no-fence"),
        pytest.param("```py\nunended", ["┌─ py", "│ unended"], id="unended"),
    ],
)
def test_what_is_simple_reads_without_its_signs(text: str, lines: list[str]) -> None:
    assert shown(text) == lines


def test_a_list_hangs() -> None:
    assert shown("- one two three four\n  10. five six seven", 12) == [
        *("• one two", "  three four", "  10. five", "      six", "      seven"),
    ]


def test_what_a_person_typed_stays_but_for_code() -> None:
    text = "# not a heading\n- **a**\n```\nb\n```"
    assert shown(text, signs=False) == ["# not a heading", "- **a**", "┌─", "│ b", "└─"]


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**a** and **b c**", ["a", "b c"]),
        ("**粗体**文字", ["粗体"]),
        ("2**3 and 4**5", []),
        ("**options and **more", []),
        ("** a **", []),
        ("****", []),
        ("**", []),
        ("`**a**`", []),
        ("**`a`**", ["`a`"]),
    ],
)
def test_bold(text: str, bold: list[str]) -> None:
    assert painted(text, BOLD) == bold


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a `b` c `d e`", ["`b`", "`d e`"]),
        ("``a ` b``", ["``a ` b``"]),
        ("it`s one", []),
        ("``", []),
        ("`", []),
    ],
)
def test_code(text: str, code: list[str]) -> None:
    assert painted(text, CODE) == code


def test_code_is_known_as_code_in_its_midst() -> None:
    text = "x\n```sh\na\nb\n```\ny\n"
    for cut in range(len(text)):
        fence = open_fence(text[:cut])
        assert bool(fence) == (5 <= cut < 15), cut
    assert plain(render(["- b", "```", "- y"], 20, signs=True, fence="```sh")) == [
        "│ - b",
        "└─",
        "• y",
    ]


SIGNS: Final = st.text(alphabet=st.sampled_from("`~*#-1. \nab日\u0301"), max_size=120)


@settings(deadline=None, max_examples=500)
@given(SIGNS | st.text(max_size=200), st.integers(min_value=14, max_value=40), st.booleans())
def test_nothing_is_wider_or_lost(text: str, columns: int, signs: bool) -> None:  # noqa: FBT001
    lines = clean_lines(text)
    found = shown(text, columns, signs=signs)
    assert harm("".join(f"{line}\n" for line in found).encode(), tabs=False) == []
    assert max(map(width, found), default=0) <= columns
    frame = re.compile(r"[\s`~*#+•│┌└─-]")
    told = "".join(found)
    if "…" not in told:
        assert frame.sub("", told) == frame.sub("", "".join(lines))
