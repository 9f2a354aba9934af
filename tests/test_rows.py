from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import repository

from sessfzf import rows
from sessfzf.rows import Ages, Folders, formatter
from sessfzf.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from sessfzf.rows import Form

NOW = 1_800_000_000_000
ID = "0de1a7e5-0000-4000-8000-000000000001"
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
KEYS = [
    *["app", "id", "title", "cwd", "branch", "time", "mtime", "bytes", "model", "effort"],
    *["approval", "sandbox", "live", "hidden", "path"],
]
MANY = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FOREIGN = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from('\x1b[]m;\x07\x9b\x9d\n\r\t\0\x7f\u2028\u202e\u200b\ud800"\\/~日é🎉\u0301'),
    ),
    max_size=30,
)


def session(**fields: Any) -> Session:
    made = Session("claude-code", "/root", ID, "/store/x.jsonl", "1799999000123456789.4096.7")
    made.time = NOW - 3 * HOUR
    made.cwd, made.branch, made.title = "/home/kim/api", "main", "why?"
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def columns(text: str) -> int:
    """Columns in a terminal, for the characters that these tests use."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "FW" else 1
        for char in text
    )


@pytest.fixture
def no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


# Ages


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        pytest.param(-(10**18), "now", id="far-future"),
        pytest.param(-DAY, "now", id="tomorrow"),
        pytest.param(0, "now", id="now"),
        pytest.param(59 * SECOND + 999, "now", id="almost-a-minute"),
        pytest.param(MINUTE, "1m", id="minute"),
        pytest.param(59 * MINUTE + 59_999, "59m", id="almost-an-hour"),
        pytest.param(HOUR, "1h", id="hour"),
        pytest.param(DAY - 1, "23h", id="almost-a-day"),
        pytest.param(DAY, "1d", id="day"),
        pytest.param(7 * DAY - 1, "6d", id="almost-a-week"),
        pytest.param(7 * DAY, "1w", id="week"),
        pytest.param(44 * DAY, "6w", id="weeks"),
        pytest.param(365 * DAY - 1, "52w", id="almost-a-year"),
        pytest.param(365 * DAY, "1y", id="year"),
        pytest.param(NOW, "57y", id="epoch"),
        pytest.param(NOW + 10**13, "374y", id="before-the-epoch"),
        pytest.param(10**40, "317097919837645865043125317097y", id="no-time-at-all"),
    ],
)
def test_ages(ago: int, shown: str) -> None:
    assert Ages(NOW).show(NOW - ago) == shown


AGO = st.one_of(
    st.integers(-DAY, 5 * 365 * DAY),
    st.integers(0, 60).map(lambda count: count * 7 * DAY),
    st.integers(360, 380).map(lambda count: count * DAY),
    st.integers(0, 70).map(lambda count: count * MINUTE),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(AGO, max_size=30), st.booleans())
def test_an_age_does_not_depend_on_the_rows_before(agos: list[int], ordered: bool) -> None:  # noqa: FBT001
    ages = Ages(NOW)
    for ago in sorted(agos) if ordered else agos:
        assert ages.show(NOW - ago) == Ages(NOW).show(NOW - ago)


# Folders


@pytest.mark.parametrize(
    ("home", "folder", "shown"),
    [
        pytest.param("/home/kim", "/home/kim", "~", id="home"),
        pytest.param("/home/kim", "/home/kim/", "~/", id="home-with-a-slash"),
        pytest.param("/home/kim", "/home/kim/api", "~/api", id="below"),
        pytest.param("/home/kim/", "/home/kim/api", "~/api", id="home-ends-with-a-slash"),
        pytest.param("/home/kim", "/home/kimberly/api", "/home/kimberly/api", id="look-alike"),
        pytest.param("/home/kim", "/home/kim2", "/home/kim2", id="look-alike-2"),
        pytest.param("/home/kim", "/srv/home/kim/api", "/srv/home/kim/api", id="inside"),
        pytest.param("/home/kim", "/home", "/home", id="above"),
        pytest.param("/home/kim", "/", "/", id="root"),
        pytest.param("/home/kim", "", "", id="unknown"),
        pytest.param("/", "/home/kim", "/home/kim", id="home-is-root"),
        pytest.param("/", "/", "/", id="root-is-home"),
        pytest.param("//", "/api", "/api", id="home-is-two-slashes"),
        pytest.param("", "/home/kim", "/home/kim", id="home-is-empty"),
        pytest.param("home/kim", "home/kim/api", "home/kim/api", id="home-is-relative"),
        pytest.param("/home/k\u00fc", "/home/k\u00fc/api", "~/api", id="home-is-not-ascii"),
        pytest.param("/home/kim", "/home/kim/a\x1b[2Jb\n\tc", "~/ab c", id="controls"),
        pytest.param("/home/kim", "/home/kim/日本\u202e", "~/日本", id="bidi"),
        pytest.param("/home/kim", "/home/kim/\udcff", "~/\ufffd", id="not-utf-8"),
        pytest.param("/home/kim", "/home/kim/a\0b", "~/ab", id="nul"),
    ],
)
def test_folders(home: str, folder: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    folders = Folders()
    assert folders[folder] == shown
    assert folders[folder] == shown, "from what was kept"


def test_without_home_the_user_has_one_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    monkeypatch.delenv("HOME")
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert Folders()[f"{home}/api"] == "~/api"


# The plain form


def test_a_plain_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/kim")
    assert formatter("", NOW).row(session()) == f"{ID}\tclaude-code\t3h\t~/api\tmain\twhy?"
    empty = session(cwd="", branch="", title="")
    assert formatter("", NOW).row(empty) == f"{ID}\tclaude-code\t3h\t\t\t"


def assert_six_fields(line: str) -> list[str]:
    assert line.count("\t") == 5
    fields = line.split("\t")
    for char in "".join(fields):
        newer = unicodedata.category(char) == "Cn" and "\U0001f000" <= char <= "\U0001faff"
        assert char.isprintable() or newer, hex(ord(char))
    line.encode()
    return fields


@MANY
@given(FOREIGN, FOREIGN, FOREIGN, FOREIGN)
def test_whatever_an_index_says_a_plain_row_is_six_printable_fields(
    cwd: str, branch: str, title: str, hidden: str
) -> None:
    made = session(cwd=cwd, branch=branch, title=title, hidden=hidden)
    fields = assert_six_fields(formatter("", NOW).row(made))
    assert fields[:3] == [ID, "claude-code", "3h"]


# The form for fzf


@MANY
@given(FOREIGN, FOREIGN, FOREIGN, FOREIGN)
@pytest.mark.usefixtures("no_colour")
def test_whatever_an_index_says_fzf_gets_six_printable_fields(
    cwd: str, branch: str, title: str, hidden: str
) -> None:
    made = session(cwd=cwd, branch=branch, title=title, hidden=hidden)
    assert assert_six_fields(formatter("fzf", NOW).row(made))[0] == ID


@pytest.mark.usefixtures("no_colour")
def test_the_columns_are_aligned_by_what_a_terminal_shows(tmp_path: Path) -> None:
    row = formatter("fzf", NOW).row
    widths = set()
    for number, name in enumerate(
        [
            "a",
            "日本語のとても長いフォルダーの名前です" * 3,
            "é" * 90,
            "e\u0301" * 20,
            "🎉🎉",
            "한글",
        ]
    ):
        folder = tmp_path / f"{number}{name}"
        folder.mkdir()
        for cwd in (str(folder), f"/gone/{name}", name):
            made = session(cwd=cwd, branch=name, live="idle" if number % 2 else "")
            widths.add(tuple(columns(field) for field in row(made).split("\t")[1:5]))
    assert len(widths) == 1


@pytest.mark.usefixtures("no_colour")
def test_every_age_has_the_same_width() -> None:
    row = formatter("fzf", NOW).row
    ages = [row(session(time=NOW - ago)).split("\t")[2] for ago in (0, MINUTE, 44 * DAY, NOW)]
    assert ages == ["now ", " 1m ", " 6w ", "57y "]


@pytest.mark.usefixtures("no_colour")
def test_of_a_long_folder_the_end_is_kept_and_of_a_long_branch_the_beginning() -> None:
    fields = formatter("fzf", NOW).row(session(cwd=f"/{'a' * 60}/end", branch=f"start{'b' * 60}"))
    assert fields.split("\t")[3].endswith("/end")
    assert fields.split("\t")[4].startswith("start")


@pytest.mark.usefixtures("no_colour")
def test_marks_for_a_live_session_and_for_a_folder_that_is_gone(tmp_path: Path) -> None:
    row = formatter("fzf", NOW).row
    here = row(session(cwd=str(tmp_path))).split("\t")
    gone = row(session(cwd=f"{tmp_path}/gone", live="busy")).split("\t")
    assert ("●" in here[2], "✗" in here[3]) == (False, False)
    assert (gone[2], gone[3][:2]) == (" 3h●", "✗ ")


@pytest.mark.usefixtures("no_colour")
@pytest.mark.parametrize("form", ["fzf", "picker"])
def test_the_marks(tmp_path: Path, form: str) -> None:
    row = formatter(form, NOW).row
    main, tree = repository(str(tmp_path / "main")), str(tmp_path / "tree")
    subprocess.run(["git", "-C", main, "worktree", "add", "-q", tree, "-b", "b"], check=True)
    inside = tmp_path / "tree" / "inside"
    inside.mkdir()
    shown = {
        name: row(session(**{"cwd": main} | given)).split("\t")
        for name, given in {
            "plain": {},
            "busy": {"live": "busy"},
            "waiting": {"live": "waiting"},
            "idle": {"live": "idle"},
            "open": {"live": "open"},
            "unheard": {"live": "unheard-of"},
            "worktree": {"cwd": tree},
            "inside": {"cwd": str(inside)},
            "gone": {"cwd": f"{tree}/gone"},
            "archived": {"hidden": "archived"},
            "print": {"hidden": "print"},
            "missing": {"hidden": "missing"},
            "fork": {"forked": ID},
            "both": {"forked": ID, "hidden": "archived"},
        }.items()
    }
    ages = [shown[name][2][-1] for name in ("plain", "busy", "waiting", "idle", "open", "unheard")]
    assert ages == [" ", "●", "◆", "○", "○", "○"]
    folders = [shown[name][3][:2] for name in ("worktree", "inside", "gone")]
    assert folders == ["⎇ ", "⎇ ", "✗ "]
    assert "⎇" not in shown["plain"][3]
    titles = [shown[name][5].strip() for name in ("plain", "archived", "print", "missing")]
    assert titles == ["why?", "▣ why?", "▷ why?", "✗ why?"]
    assert [shown[name][5].strip() for name in ("fork", "both")] == ["↳ why?", "↳ ▣ why?"]


def test_colour_says_what_is_live_gone_and_hidden(tmp_path: Path) -> None:
    row = formatter("fzf", NOW).row
    plain = row(session(cwd=str(tmp_path))).split("\t")
    assert plain[0] == ID, "the first field is bare"
    assert plain[1] == "\x1b[34mclaude-code\x1b[0m"
    assert plain[2] == "\x1b[2m 3h \x1b[0m"
    assert plain[3].startswith("\x1b[36m")
    assert plain[4].startswith("\x1b[35mmain")
    assert plain[5] == "why?"
    marked = row(session(cwd="/gone", live="idle", hidden="archived")).split("\t")
    assert marked[2] == "\x1b[32m 3h○\x1b[0m"
    assert marked[3].startswith("\x1b[31m✗ /gone")
    assert marked[5] == "\x1b[2m▣ why?\x1b[0m"
    for field in (*plain[1:5], *marked[1:]):
        assert field.endswith("\x1b[0m")


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False), ("0", False)])
def test_no_color(value: str, coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    monkeypatch.setenv("NO_COLOR", value)
    assert ("\x1b" in formatter("fzf", NOW).row(session())) == coloured


@pytest.mark.parametrize(
    ("wide", "folder", "branch"),
    [(0, 16, 8), (1, 16, 8), (80, 20, 10), (120, 30, 15), (400, 40, 24)],
)
def test_columns_are_as_wide_as_the_terminal_allows(
    wide: int, folder: int, branch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    script = (
        "from sessfzf.rows import formatter; from sessfzf.session import Session\n"
        "made = Session('codex', '', 'i', '', '', 0, '', '/x', 'b')\n"
        "print([len(field) for field in formatter('fzf', 0).row(made).split('\\t')][3:5])"
    )
    leader, terminal = pty.openpty()
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, wide, 0, 0))
        done = subprocess.run(
            [sys.executable, "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=terminal,
            check=True,
        )
    finally:
        os.close(leader)
        os.close(terminal)
    assert done.stdout.decode() == f"[{folder}, {branch}]\n"


# The form for programs


def test_a_json_row_has_every_key_in_order_and_null_for_the_unknown() -> None:
    line = formatter("json", NOW).row(session())
    assert "\n" not in line
    assert list(json.loads(line)) == KEYS
    made = Session("codex", "/root", ID, "/root/x", "")
    assert json.loads(formatter("json", NOW).row(made)) == dict.fromkeys(KEYS) | {
        "app": "codex",
        "id": ID,
        "title": "",
        "time": 0,
    }


def test_a_json_row_says_everything_that_is_known() -> None:
    made = session(model="m", effort="high", approval="plan", sandbox="read-only", live="idle")
    made.hidden = "print"
    assert json.loads(formatter("json", NOW).row(made)) == {
        "app": "claude-code",
        "id": ID,
        "title": "why?",
        "cwd": "/home/kim/api",
        "branch": "main",
        "time": NOW - 3 * HOUR,
        "mtime": 1_799_999_000_123,
        "bytes": 4096,
        "model": "m",
        "effort": "high",
        "approval": "plan",
        "sandbox": "read-only",
        "live": "idle",
        "hidden": "print",
        "path": "/store/x.jsonl",
    }


@MANY
@given(FOREIGN, FOREIGN, FOREIGN, FOREIGN, st.integers(-(10**30), 10**30))
def test_a_json_row_is_printable_and_says_the_very_folder(
    cwd: str, model: str, title: str, path: str, time: int
) -> None:
    made = session(cwd=cwd, model=model, title=title, path=path, time=time)
    line = formatter("json", NOW).row(made)
    assert line.isprintable()
    record = json.loads(line)
    assert (record["cwd"] or "", record["model"] or "") == (cwd, model)
    assert (record["path"], record["time"]) == (path, time)


def test_the_marks_are_one_column_wide() -> None:
    for mark, _ in rows.MARKS.values():
        assert columns(mark) == len(mark) == 1


# The form for our own picker


def at(columns: int, monkeypatch: pytest.MonkeyPatch) -> Form:
    """The picker's form on a terminal of so many columns."""
    monkeypatch.setattr(rows, "_terminal_columns", lambda: columns)
    return formatter("picker", NOW)


@pytest.mark.usefixtures("no_colour")
@pytest.mark.parametrize("wide", [20, 80, 99, 100, 120, 159, 160, 200, 400])
def test_what_is_only_searched_stands_beyond_the_edge(
    wide: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = at(wide, monkeypatch)
    for title in ("", "why?", "日本語", "e\u0301" * 40, "x" * 300):
        made = session(title=title, model="m1", effort="high")
        fields = form.row(made).split("\t")
        assert [field.strip() for field in fields[5:]] == [
            title,
            ID,
            "m1 high is:gone",
            "folder:/home/kim/api",
            "branch:main",
            "app:claude-code",
        ]
        assert columns(" ".join(fields[1:6])) >= wide
        fast = form.fields((ID, made.app, made.time, made.cwd, made.branch, title, made.words))
        assert fast.decode().split("\t") == fields


@pytest.mark.usefixtures("no_colour")
@pytest.mark.parametrize(
    ("wide", "before"),
    [(80, 44), (99, 50), (100, 32), (120, 35), (160, 42), (200, 50)],
)
def test_beside_the_preview_there_is_room_for_a_title(
    wide: int, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = at(wide, monkeypatch).row(session()).split("\t")
    assert columns(" ".join(fields[1:5])) + 1 == before
    beside = wide - wide // 2 - 1 if wide >= 100 else wide
    assert beside - before >= 14


@pytest.mark.usefixtures("no_colour")
def test_the_words_say_the_marks(tmp_path: Path) -> None:
    def words(**fields: Any) -> list[str]:
        return formatter("picker", NOW).row(session(**fields)).split("\t")[7].split()

    here = str(tmp_path)
    assert words(cwd=here) == []
    assert words(cwd=here, live="busy") == ["is:live", "is:busy"]
    assert words(cwd=here, hidden="archived", model="m") == ["m", "is:archived"]
    assert words(live="idle", forked=ID) == ["is:fork", "is:live", "is:idle", "is:gone"]


@MANY
@given(FOREIGN, FOREIGN, FOREIGN, FOREIGN, FOREIGN)
@pytest.mark.usefixtures("no_colour")
def test_whatever_an_index_says_the_picker_gets_printable_fields(
    cwd: str, branch: str, title: str, hidden: str, model: str
) -> None:
    form = formatter("picker", NOW)
    made = session(cwd=cwd, branch=branch, title=title, hidden=hidden, model=model)
    for line in (
        form.row(made),
        form.fields((ID, made.app, made.time, cwd, branch, title, model)).decode(),
    ):
        assert line.count("\t") == 10
        assert line.startswith(f"{ID}\t")
        for char in line.replace("\t", ""):
            newer = unicodedata.category(char) == "Cn" and "\U0001f000" <= char <= "\U0001faff"
            assert char.isprintable() or newer, hex(ord(char))


def test_the_folder_and_the_repository_one_stands_in_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, tree = repository(str(tmp_path / "main")), str(tmp_path / "tree")
    subprocess.run(["git", "-C", main, "worktree", "add", "-q", tree, "-b", "b"], check=True)
    (tmp_path / "main" / "inside").mkdir()
    (tmp_path / "main2").mkdir()

    def colours() -> list[str]:
        row = formatter("picker", NOW).row
        cells = [
            row(session(cwd=str(tmp_path / name))).split("\t")[3]
            for name in ("main", "main/inside", "tree", "main2", "main/gone")
        ]
        return [cell.partition("m")[0].removeprefix("\x1b[") for cell in cells]

    monkeypatch.chdir(tmp_path / "main" / "inside")
    assert colours() == ["1;36", "1;33", "1;36", "36", "31"]
    monkeypatch.chdir(tree)
    assert colours() == ["1;36", "1;36", "1;33", "36", "31"]
    monkeypatch.chdir(tmp_path)
    assert colours() == ["36", "36", "36", "36", "31"]
    gone = tmp_path / "away"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert colours() == ["36", "36", "36", "36", "31"]


@pytest.mark.parametrize(
    ("wide", "scope", "hidden", "line"),
    [
        (80, "all", False, "Alt-A [all] | Alt-G repository | Alt-H folder | Alt-U hidden"),
        (132, "folder", True, "Alt-A all | Alt-G repository | Alt-H [folder] | Alt-U [hidden]"),
        (120, "all", True, "Alt-A [all] G repository H folder U [hidden]"),
        (100, "repository", False, "Alt-A all G [repository] H folder U hidden"),
    ],
)
@pytest.mark.usefixtures("no_colour")
def test_the_header_names_the_scopes(
    wide: int,
    scope: str,
    hidden: bool,  # noqa: FBT001
    line: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert at(wide, monkeypatch).header(scope, hidden=hidden) == f"\t{line}"
    assert len(line) <= (wide if wide < 100 else wide - wide // 2 - 1) - 3


def test_the_header_shows_the_present_scope_bold() -> None:
    header = formatter("picker", NOW).header("all", hidden=False)
    assert header.startswith("\tAlt-A \x1b[1m[all]\x1b[0m ")
