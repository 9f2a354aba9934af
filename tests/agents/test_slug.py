from __future__ import annotations

import unicodedata

import pytest
import stores
from hypothesis import given, settings
from hypothesis import strategies as st

from sessfzf.agents.claude_code.transcript import slug


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        pytest.param("/home/kim/api", "-home-kim-api", id="plain"),
        pytest.param("/", "-", id="root"),
        pytest.param("", "", id="empty"),
        pytest.param("/home/kim/my_app.v2 x", "-home-kim-my-app-v2-x", id="punctuation"),
        pytest.param("/home/kim/Ünï code", "-home-kim--n--code", id="latin"),
        pytest.param("/home/kim/🎉x", "-home-kim---x", id="emoji-is-two-units"),
        pytest.param("/home/kim/日本語", "-home-kim----", id="wide"),
        pytest.param("/home/kim/u\u0308", "-home-kim--", id="decomposed-is-composed-first"),
        pytest.param("/home/kim/q\u0308", "-home-kim-q-", id="what-cannot-be-composed"),
        pytest.param("/home/kim/١٢", "-home-kim---", id="digits-of-another-script"),
        pytest.param("/home/kim/\ud800", "-home-kim--", id="half-an-emoji"),
        pytest.param("C:\\Users\\kim\\my_app", "C--Users-kim-my-app", id="windows"),
        pytest.param("/srv/" + "a" * 220, "-srv-" + "a" * 195 + "-vxcp3b", id="hash"),
        pytest.param(
            "/srv/" + "b/" * 110 + "c",
            ("-srv-" + "b-" * 110)[:200] + "-myu5ui",
            id="hash-of-the-path",
        ),
        pytest.param("/" + "a" * 199, "-" + "a" * 199, id="two-hundred"),
    ],
)
def test_slugs_are_those_of_the_client(folder: str, name: str) -> None:
    assert slug(folder) == name


def test_one_more_than_two_hundred_is_cut_and_hashed() -> None:
    name = slug("/" + "a" * 200)
    assert name[:201] == "-" + "a" * 199 + "-"
    assert 0 < len(name[201:]) <= 7


@settings(deadline=None, max_examples=300)
@given(
    st.text(st.characters(exclude_categories=(), exclude_characters="\0"), min_size=1, max_size=40),
    st.sampled_from([1, 1, 1, 6, 30]),
)
def test_slugs_are_those_of_a_second_reading_of_the_rule(part: str, times: int) -> None:
    folder = "/" + unicodedata.normalize("NFC", part.replace("/", "x").replace(".", "x")) * times
    folder = unicodedata.normalize("NFC", folder)
    try:
        folder.encode()
    except UnicodeEncodeError:
        assert isinstance(slug(folder), str)  # no folder can be called so
        return
    if len(folder.encode()) < 255:
        assert slug(folder) == stores.slug(folder)
    name = slug(folder)
    assert len(name) <= 208
    assert set(name) <= set("-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
