"""What is sought, and that the bytes it is sought by are in every line that can match."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessfzf.errors import SessfzfError
from sessfzf.search.pattern import TIME_BOX, Pattern, TooLongError, normal

if TYPE_CHECKING:
    from collections.abc import Callable

# What is typed into a conversation: letters of several scripts, marks, emoji, what JSON escapes.
ALPHABET: Final = st.one_of(
    st.sampled_from("abcXYZ 019\"\\/\n\t\r\b\f\x00\x1f\x7f<&'"),
    # Letters that have a case, and some whose other case is ASCII; marks that join them.
    st.sampled_from("éÉñß\u017f\u212aİ\u0131çÅ\u0301\u0308\u0323øşạ"),
    st.sampled_from("приветΠρςΣ日本語한글\u1112\u1161🎉👩\u200d👧\u2028\ufeff"),
    st.characters(exclude_categories=["Cs"]),
)
TEXT: Final = st.text(ALPHABET, max_size=30)
WRITERS: Final[dict[str, Callable[[str], str]]] = {
    "raw": lambda text: json.dumps(text, ensure_ascii=False),
    "ascii": json.dumps,
    "ascii, upper": lambda text: re.sub(
        r"(?<!\\)((?:\\\\)*\\u)([0-9a-f]{4})", lambda m: m[1] + m[2].upper(), json.dumps(text)
    ),
}


def holds(pattern: Pattern, line: bytes) -> bool:
    """Whether the line is one that is looked at."""
    line = line.lower() if pattern.fold else line
    return any(needle in line for needle in pattern.needles)


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("form", ["NFC", "NFD", ""])
@settings(max_examples=100, deadline=None)
@given(before=TEXT, sought=TEXT.filter(bool), after=TEXT)
@example(before="", sought='say "hi"\n\tC:\\dir', after="")
@example(before="x", sought="é", after="")
@example(before="", sought="\u00e9\u4e2d", after="x")
def test_every_text_that_was_written_is_found(
    writer: str, form: str, before: str, sought: str, after: str
) -> None:
    text = before + sought + after
    text = unicodedata.normalize(form, text) if form else text  # type: ignore[arg-type]
    pattern = Pattern(sought)
    place = pattern.search(normal(text))
    assert bool(place) >= (normal(sought) in normal(text))
    if normal(sought) in normal(text):
        assert holds(pattern, WRITERS[writer](text).encode())


@settings(max_examples=100, deadline=None)
@given(
    before=TEXT,
    sought=st.text(st.sampled_from('abz 09éñçøпивтжд日本🎉"\\\n'), min_size=1, max_size=12),
    upper=st.lists(st.booleans(), min_size=12, max_size=12),
    escaped=st.booleans(),
)
def test_lower_case_finds_any_case(
    before: str, sought: str, upper: list[bool], *, escaped: bool
) -> None:
    said = "".join(c.upper() if up else c for c, up in zip(sought, upper, strict=False))
    pattern = Pattern(sought)
    assert pattern.search(normal(f"{before} {said}"))
    assert holds(pattern, json.dumps(f"{before} {said}", ensure_ascii=escaped).encode())


def test_an_upper_case_letter_makes_case_count() -> None:
    assert Pattern("Cache").search("the Cache")
    assert not Pattern("Cache").search("the cache")
    assert Pattern("cache").search("the CACHE")
    assert not Pattern("É").search("é")
    assert Pattern(r"\Sache", regex=True).search("CACHE")
    assert not Pattern(r"\SAche", regex=True).search("cache")


@pytest.mark.parametrize(
    ("text", "found"),
    [("a cat", True), ("cat", True), ("cat's", True), ("concat", False), ("cat_1", False)],
)
@pytest.mark.parametrize("regex", [False, True])
def test_a_word_stands_alone(text: str, *, found: bool, regex: bool) -> None:
    assert bool(Pattern("cat", word=True, regex=regex).search(text)) == found


def test_a_word_that_is_an_expression() -> None:
    assert Pattern("a|cat", regex=True, word=True).search("the cat")
    assert not Pattern("a|cat", regex=True, word=True).search("the cats")
    assert Pattern("(?i)Cat", regex=True, word=True).search("the CAT")
    with pytest.raises(SessfzfError):
        Pattern("a)(b", regex=True, word=True)


@pytest.mark.parametrize(
    ("expression", "needles"),
    [
        ("retry.*loop", [b"retry"]),
        ("^ *the cache$", [b"the cache"]),
        ("(?:the )+queue", [b"queue"]),
        ("(retry|loop)s?", [b"loop", b"retry"]),
        ("retry|", []),
        ("x*", []),
        ("[abc]+", []),
        (r"\bcache\b", [b"cache"]),
        ("(cache)?", []),
        ("(?i:cache)d", [b"d"]),
        ("(?x) ca che # comment", [b"cache"]),
        ("(?=cache)x", [b"x"]),
        ('say "hi there"', [b"hi there"]),
        (r"C:\\dir", [b"dir"]),
        ("", []),
    ],
)
def test_an_expression_is_looked_for_by_what_must_be_in_it(
    expression: str, needles: list[bytes]
) -> None:
    assert list(Pattern(expression, regex=True).needles) == needles


@settings(max_examples=100, deadline=None)
@given(
    parts=st.lists(
        st.sampled_from(
            ["ab", "é", "日", ".", "x*", "(cd|ef)", "[gh]+", "(?:ij){2}", "k?", '"', r"\\", r"\n"]
        ),
        min_size=1,
        max_size=5,
    ),
    text=st.text(st.sampled_from('abéÉ日xcdefghijk"\\\nAB'), max_size=40),
    ascii_only=st.booleans(),
)
def test_what_an_expression_matches_is_looked_at(
    parts: list[str], text: str, *, ascii_only: bool
) -> None:
    pattern = Pattern("".join(parts), regex=True)
    if pattern.needles and pattern.search(normal(text)):
        assert holds(pattern, json.dumps(text, ensure_ascii=ascii_only).encode())


@pytest.mark.parametrize(
    "expression", ["(", "[a", "*a", "a{2,1}", "(?P<n>a)(?P<n>b)", "\\", "a{99999999999}"]
)
def test_an_expression_that_is_none_is_said_to_be_so(expression: str) -> None:
    with pytest.raises(SessfzfError, match="no regular expression: ") as error:
        Pattern(expression, regex=True)
    assert error.value.code == 2


def test_an_expression_too_deep_is_said_to_be_so() -> None:
    with pytest.raises(SessfzfError, match="no regular expression: "):
        Pattern("(" * 20_000 + ")" * 20_000, regex=True)


def test_an_expression_that_takes_for_ever_is_ended() -> None:
    pattern = Pattern("(a+)+$", regex=True)
    start = time.process_time()
    with pytest.raises(TooLongError):
        pattern.search("a" * 60 + "b")
    assert time.process_time() - start < TIME_BOX + 1
    assert pattern.search("aaa") == (0, 3)


def test_few_needles_are_sought() -> None:
    assert Pattern("the cache").needles == (b"the cache",)
    assert Pattern("caf\u00e9").needles == (b"caf",)
    assert Pattern("日本").needles == (b"\\u65e5\\u672c", "日本".encode())
    assert len(Pattern("приветствие").needles) <= 8
