from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessfzf.text import clean, fit, width

MARK = "\N{REPLACEMENT CHARACTER}"
ESC = "\x1b"

# What must not come out, said by code points and not by anything the module asks.
FORBIDDEN = (
    {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))}  # C0, DEL, C1
    | {chr(code) for code in range(0xD800, 0xE000)}  # surrogates
    | set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # bidi
    | set("\u00ad\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff")  # no width
    | set("\u115f\u1160\u3164\uffa0")  # letters that show nothing
    | set("\u2028\u2029\ufff9\ufffa\ufffb\U000e0001\U000e0041")
)
MARKS = {chr(code) for code in range(0x300, 0x370)}

# Texts as hostile as a store can hold: whole escape sequences, their parts, and everything else.
PIECES = st.sampled_from(
    [
        *["\x1b[31m", "\x1b[2J", "\x1b[1;1H", "\x1b]0;title\x07", "\x1b]52;c;aGk=\x1b\\", "\x1bc"],
        *[
            "\x1bP+q\x1b\\",
            "\x9b1m",
            "\x9d0;t\x9c",
            "\x90q\x9c",
            "\x1b_G\x1b\\",
            "\x1b^x",
            "\x1bXx",
        ],
        *[ESC, "[", "]", "\\", "\x07", "\x9b", "\x9c", "\x9d", "m", ";", "0", "\x18", "\0", "\x7f"],
        *[
            "\n",
            "\r",
            "\t",
            "\v",
            "\f",
            "\x1c",
            "\x85",
            " ",
            "\u00a0",
            "\u2003",
            "\u2028",
            "\u3000",
        ],
        *["\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u034f", "\ufe0f", "\u0301", "\u20dd"],
        *["a", "Z", "…", "é", "ß", "日本", "한", "\u1112\u1161\u11ab", "🎉", "👩\u200d💻", "🇩🇪"],
        *["\ud800", "\udc80", "\udfff", "\ue000", "\U000f0000", "\U0010ffff", "\ufffe", "\u0378"],
        *["\U0001faef", "\U0001f1e6", "\U0001f3fd", "\u3164", "\u1160", "\u2800", "\ufffd"],
    ]
)
ANY = st.text(st.characters(exclude_categories=()), max_size=60)
HOSTILE = st.lists(st.one_of(PIECES, ANY), max_size=40).map("".join)
USUAL = settings(deadline=None)
MANY = settings(max_examples=300, deadline=None)


def assert_harmless(text: str) -> None:
    assert FORBIDDEN.isdisjoint(text)
    assert text == " ".join(text.split()), "one line, single spaces"
    for char in text:
        newer = unicodedata.category(char) == "Cn" and "\U0001f000" <= char <= "\U0001faff"
        assert char.isprintable() or newer, hex(ord(char))
    run = 0
    for char in text:
        run = run + 1 if unicodedata.combining(char) or char in MARKS else 0
        assert run <= 4
    text.encode()


# clean


@MANY
@given(HOSTILE)
def test_whatever_comes_in_a_harmless_line_comes_out(text: str) -> None:
    assert_harmless(clean(text))


@MANY
@given(HOSTILE, st.integers(1, 12))
def test_a_line_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    made = clean(text, limit)
    assert len(made) <= limit
    assert_harmless(made)


@MANY
@given(HOSTILE)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@USUAL
@given(st.text("abc xyz…é日本한🎉", max_size=80))
def test_harmless_text_only_has_its_space_folded(text: str) -> None:
    assert clean(text) == " ".join(text.split())


@pytest.mark.parametrize(
    "sequence",
    [
        pytest.param(f"{ESC}[31m", id="csi-colour"),
        pytest.param(f"{ESC}[2J", id="csi-erase"),
        pytest.param(f"{ESC}[?1049h", id="csi-private"),
        pytest.param(f"{ESC}[38:2::1:2:3m", id="csi-colons"),
        pytest.param(f"{ESC}[1 q", id="csi-intermediate"),
        pytest.param(f"{ESC}[>4;2m", id="csi-greater"),
        pytest.param(f"{ESC}[200~", id="csi-paste"),
        pytest.param("\x9b31m", id="c1-csi"),
        pytest.param(f"{ESC}]0;evil\x07", id="osc-bel"),
        pytest.param(f"{ESC}]0;evil{ESC}\\", id="osc-st"),
        pytest.param(f"{ESC}]0;evil\x9c", id="osc-c1-st"),
        pytest.param(f"{ESC}]52;c;cm0gLXJm\x07", id="osc-clipboard"),
        pytest.param(f"{ESC}]8;;http://example.org{ESC}\\", id="osc-link"),
        pytest.param("\x9d0;evil\x07", id="c1-osc"),
        pytest.param("\x9d0;evil\x9c", id="c1-osc-c1-st"),
        pytest.param(f"{ESC}P1$r0m{ESC}\\", id="dcs"),
        pytest.param("\x901$r0m\x9c", id="c1-dcs"),
        pytest.param(f"{ESC}_Gf=100;AAAA{ESC}\\", id="apc"),
        pytest.param("\x9fGf=100;AAAA\x9c", id="c1-apc"),
        pytest.param(f"{ESC}^note{ESC}\\", id="pm"),
        pytest.param("\x9enote\x9c", id="c1-pm"),
        pytest.param(f"{ESC}Xstring{ESC}\\", id="sos"),
        pytest.param("\x98string\x9c", id="c1-sos"),
        pytest.param(f"{ESC}c", id="reset"),
        pytest.param(f"{ESC}7", id="save-cursor"),
        pytest.param(f"{ESC}(0", id="line-drawing"),
        pytest.param(f"{ESC}#8", id="alignment"),
        pytest.param(f"{ESC}%G", id="utf-8"),
        pytest.param(f"{ESC}{ESC}[31m", id="two-escapes"),
        pytest.param("\x84", id="c1-index"),
        pytest.param("\x18\x1a\x7f\0\b", id="controls"),
    ],
)
def test_an_escape_sequence_leaves_nothing_behind(sequence: str) -> None:
    assert clean(f"fix{sequence} it") == "fix it"
    assert clean(f"{sequence}fix it") == "fix it"
    assert clean(f"fix it{sequence}") == "fix it"


@pytest.mark.parametrize(
    "start", [f"{ESC}]0;", f"{ESC}P", f"{ESC}_", f"{ESC}^", f"{ESC}X", "\x9d", "\x90", "\x9f"]
)
def test_a_string_command_without_an_end_swallows_the_rest(start: str) -> None:
    assert clean(f"fix {start}rest of the text") == "fix"
    assert clean(f"fix {start}rest{ESC}[31m red") == "fix red"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        pytest.param("a\tb\nc\r\nd", "a b c d", id="white-space"),
        pytest.param("  a  ", "a", id="ends"),
        pytest.param("a\u2028b\u2029c\u0085d", "a b c d", id="line-separators"),
        pytest.param("a\u00a0b\u3000c\u2007d", "a b c d", id="unicode-spaces"),
        pytest.param("\u202egnp.exe\u202c", "gnp.exe", id="bidi-override"),
        pytest.param("\u2067a\u2069\u061c\u200e\u200fb", "ab", id="bidi-isolates"),
        pytest.param("a\u200b\u200c\u2060\ufeff\u00adb", "ab", id="zero-width"),
        pytest.param("\u3164\u115f\u1160\uffa0x", "x", id="fillers"),
        pytest.param("half \ud83c emoji", f"half {MARK} emoji", id="lone-surrogate"),
        pytest.param("\ud83c\udf89", MARK * 2, id="pair-of-surrogates"),
        pytest.param("\ue000\U000f0000", MARK * 2, id="private-use"),
        pytest.param("\ufffe\U0010ffff", MARK * 2, id="no-characters"),
        pytest.param(
            "e\u0301\u0302\u0303\u0304\u0305\u0306", "e\u0301\u0302\u0303\u0304", id="flood"
        ),
        pytest.param(
            "e" + "\u0301\u0302\u200d" * 9, "e" + "\u0301\u0302" * 2, id="flood-with-joiners"
        ),
        pytest.param("e\u0301" * 9, "e\u0301" * 9, id="one-mark-a-letter"),
        pytest.param("हिन्दी ไทย", "हिन्दी ไทย", id="scripts-with-marks"),
        pytest.param("❤\ufe0f", "❤\ufe0f", id="emoji-presentation"),
        pytest.param("👩\u200d💻", "👩💻", id="joined-emoji"),
        pytest.param("", "", id="empty"),
        pytest.param("\x1b\x1b\x9b\0", "", id="nothing-left"),
    ],
)
def test_clean(text: str, made: str) -> None:
    assert clean(text) == made


def test_an_ellipsis_stands_where_text_was_cut() -> None:
    assert clean("a" * 300) == "a" * 300
    assert clean("a" * 301) == "a" * 299 + "…"
    assert clean("one two", 5) == "one…"
    assert clean("日" * 9, 4) == "日日日…"


def test_a_text_of_a_megabyte_costs_no_more_than_its_beginning() -> None:
    assert clean("é" * 1_000_000) == "é" * 299 + "…"
    assert clean("\x1b" * 1_000_000) == ""


# width: columns in a terminal


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param("abc", 3, id="ascii"),
        pytest.param("äöü", 3, id="latin"),
        pytest.param("日本", 4, id="wide"),
        pytest.param("\uff46\uff55\uff4c\uff4c", 8, id="full-width"),
        pytest.param("한글", 4, id="hangul"),
        pytest.param("\u1112\u1161\u11ab", 2, id="hangul-in-parts"),
        pytest.param("e\u0301", 1, id="combining"),
        pytest.param("e\u20dd", 1, id="enclosing"),
        pytest.param("🎉", 2, id="emoji"),
        pytest.param("🇩🇪", 2, id="flag"),
        pytest.param("…", 1, id="ellipsis"),
        pytest.param("●✗", 2, id="marks"),
        pytest.param(MARK, 1, id="replacement"),
    ],
)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@USUAL
@given(HOSTILE.map(clean), HOSTILE.map(clean))
def test_widths_add_up(one: str, two: str) -> None:
    assert width(one + two) == width(one) + width(two)
    assert 0 <= width(one) <= 2 * len(one)


# fit


@MANY
@given(HOSTILE.map(clean), st.integers(1, 50), st.booleans())
def test_a_fitted_text_has_exactly_its_columns(text: str, columns: int, keep_end: bool) -> None:  # noqa: FBT001
    made = fit(text, columns, keep_end=keep_end)
    assert width(made) == columns
    assert "\n" not in made
    if width(text) <= columns:
        assert made == text + " " * (columns - width(text))
    else:
        kept = (
            made.rstrip(" ").replace("…", "", 1)
            if keep_end
            else made.rstrip(" ").rpartition("…")[0]
        )
        assert text.endswith(kept) if keep_end else text.startswith(kept)
        assert columns - width(kept) <= 3, "as much as there is room for"


@pytest.mark.parametrize(
    ("text", "columns", "start", "end"),
    [
        pytest.param("abc", 5, "abc  ", "abc  ", id="padded"),
        pytest.param("abcde", 5, "abcde", "abcde", id="exact"),
        pytest.param("abcdef", 5, "abcd…", "…cdef", id="cut"),
        pytest.param("日本語", 5, "日本…", "…本語", id="wide"),
        pytest.param("日本語", 4, "日… ", "…語 ", id="half-a-wide-one"),
        pytest.param("ae\u0301bc", 3, "ae\u0301…", "…\u0301bc", id="combining"),
        pytest.param("abc", 1, "…", "…", id="one-column"),
        pytest.param("", 3, "   ", "   ", id="empty"),
    ],
)
def test_fit(text: str, columns: int, start: str, end: str) -> None:
    assert fit(text, columns) == start
    assert fit(text, columns, keep_end=True) == end


@pytest.mark.parametrize("keep_end", [False, True], ids=["start", "end"])
@pytest.mark.parametrize("char", ["a", "日"], ids=["ascii", "wide"])
def test_a_very_long_text_is_fitted_at_once(char: str, keep_end: bool) -> None:  # noqa: FBT001
    import time

    began = time.process_time()
    assert width(fit(char * 200_000, 40, keep_end=keep_end)) == 40
    assert time.process_time() - began < 1
