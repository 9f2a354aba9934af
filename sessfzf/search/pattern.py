"""What is sought: a text or an expression, and the bytes that a match of it has in JSON."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from itertools import product

from sessfzf.errors import SessfzfError
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    # Of an expression as `re` parses it: what to do, and with what.
    _Step = tuple[object, object]

USAGE = 2
TIME_BOX = 0.5  # s of CPU for one text: an expression may take for ever
_STABLE = re.compile(r"[ !#-\[\]-~]+")  # ASCII that every writer of JSON writes as it is
_SELECTIVE = 3  # bytes: less is found in every other line
_WINDOW = 8  # characters
_MOST_VARIANTS = 4
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SHORT |= {"\b": "\\b", "\f": "\\f"}
_ESCAPED = 0x20, 0x7F  # the first that may stand in JSON as it is, the last of ASCII
_SIGMA, _FINAL_SIGMA = "\u03c3", "\u03c2"
_OTHER_SIGMA = {_SIGMA: _FINAL_SIGMA, _FINAL_SIGMA: _SIGMA}


class TooLongError(Exception):
    """An expression took longer on one text than it may."""


class Pattern:
    """What is sought.

    Its case counts only when it has an upper-case letter. ``regex``: it is an expression of
    Python's ``re``, whose ``^`` and ``$`` are those of a line. ``word``: only where no letter,
    digit or underscore is beside it. Composed and decomposed letters (NFC, NFD) are the same.

    ``needles`` are bytes one of which is in every line of JSON that can match, when it is in lower
    case if ``fold``; there are none when nothing is known. Raises SessfzfError for an expression
    that is none.
    """

    def __init__(self, text: str, *, regex: bool = False, word: bool = False) -> None:
        self._timed = regex
        source = normal(text)
        letters = re.sub(r"\\.", "", source) if regex else source
        flags = re.MULTILINE | (0 if any(map(str.isupper, letters)) else re.IGNORECASE)
        whole = source if regex else re.escape(source)
        self._compiled = _compile(whole, flags)
        if word:
            # Flags of the whole expression may stand at its beginning only.
            flagged = re.match(r"\(\?[aimsux]+\)" if regex else "", whole)
            start = flagged.end() if flagged else 0
            whole = rf"{whole[:start]}(?<!\w)(?:{whole[start:]})(?!\w)"
            self._compiled = _compile(whole, flags)
        self.fold = bool(self._compiled.flags & re.IGNORECASE)
        literals = (_required(_parse(source, flags)) if regex else [text]) if text else []
        self.needles = _smallest(
            needle for literal in literals for needle in _needles(literal, fold=self.fold)
        )

    def search(self, text: str) -> tuple[int, int] | None:
        """Return where the first match is in ``text``, which must be ``normal``.

        Raises TooLongError when an expression takes longer than TIME_BOX.
        """
        if self._timed:
            with _TimeBox():
                found = self._compiled.search(text)
        else:
            found = self._compiled.search(text)
        return found.span() if found else None


def normal(text: str) -> str:
    """Return the text with its letters composed (NFC), as ``Pattern.search`` wants it."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


class _TimeBox:
    """Ends what is done in it by TooLongError after TIME_BOX seconds of this process's CPU.

    The engine of ``re`` looks for signals while it matches. Only for a main thread.
    """

    def __enter__(self) -> None:
        import signal

        self._before = signal.signal(signal.SIGPROF, _over)
        signal.setitimer(signal.ITIMER_PROF, TIME_BOX)

    def __exit__(self, *_: object) -> None:
        import signal

        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._before)


def _over(*_: object) -> None:
    raise TooLongError


def _compile(source: str, flags: int) -> re.Pattern[str]:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of expressions that a later Python reads otherwise
            return re.compile(source, flags)
    except re.error as error:
        reason = str(error)
    except (OverflowError, RecursionError, MemoryError):
        reason = "it is too large"
    raise SessfzfError(f"no regular expression: {clean(reason)}", USAGE)


# Of an expression: the texts one of which is in each match.


def _parse(source: str, flags: int) -> Iterable[_Step]:
    import warnings

    try:
        from re import _parser as parser  # type: ignore[attr-defined]
    except ImportError:  # before Python 3.11
        import sre_parse as parser
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps: Iterable[_Step] = parser.parse(source, flags)
    return steps


def _required(steps: Iterable[_Step]) -> list[str]:
    """Return the best texts one of which is in each match; none when none is known."""
    best: list[str] = []
    run = ""
    for step, value in [*steps, (None, None)]:
        name = str(step)
        if name == "LITERAL" and isinstance(value, int):
            run += chr(value)
            continue
        best = _better(best, [run] if run else [])
        run = ""
        best = _better(best, _inside(name, value))
    return best


def _inside(name: str, value: object) -> list[str]:
    if not isinstance(value, tuple):
        return []
    if name == "SUBPATTERN" and not (value[1] or value[2]):  # no flags of its own
        return _required(value[3])
    if name in {"MAX_REPEAT", "MIN_REPEAT"} and value[0] > 0:
        return _required(value[2])
    if name == "BRANCH":
        branches = [_required(branch) for branch in value[1]]
        return [text for texts in branches for text in texts] if all(branches) else []
    return []


def _better(one: list[str], other: list[str]) -> list[str]:
    return other if min(map(len, other), default=0) > min(map(len, one), default=0) else one


# Of a text: its bytes in JSON.


def _needles(text: str, *, fold: bool) -> Iterator[bytes]:
    """Yield the forms of the most telling part of ``text``, as typed, composed and decomposed."""
    for form in dict.fromkeys((text, normal(text), unicodedata.normalize("NFD", text))):
        stable = max(_STABLE.findall(form), key=len, default="")
        if len(stable) >= min(_SELECTIVE, len(form)):
            yield (stable.lower() if fold else stable).encode()
            continue
        variants: list[list[str]] = []
        count = 1
        for char in form[:_WINDOW]:
            same = _same(char) if fold else [char]
            count *= len(same)
            if variants and count > _MOST_VARIANTS:
                break
            variants.append(same)
        for chars in product(*variants):
            yield from filter(None, _written("".join(chars), fold=fold))


def _same(char: str) -> list[str]:
    """Return the characters that a search without case takes for this one; ASCII in lower case."""
    if char.isascii():
        return [char.lower()]
    forms = (char, char.lower(), char.upper(), char.upper().lower(), _OTHER_SIGMA.get(char, char))
    return list(dict.fromkeys(form for form in forms if len(form) == 1))


def _written(text: str, *, fold: bool) -> set[bytes]:
    """Return ``text`` as writers of JSON write it: as little escaped as can be, or to ASCII."""
    lower = "".join(_escape(char, long=True) for char in text)
    upper = "".join(_escape(char, long=True, upper=True) for char in text)
    forms = {lower.encode()} if fold else {lower.encode(), upper.encode()}
    with suppress(UnicodeEncodeError):  # half of a character has no other form
        forms.add("".join(map(_escape, text)).encode())
    return forms


def _escape(char: str, *, long: bool = False, upper: bool = False) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if _ESCAPED[0] <= ord(char) and not (long and ord(char) >= _ESCAPED[1]):
        return char
    digits = char.encode("utf-16-be", "surrogatepass").hex()
    digits = digits.upper() if upper else digits
    return "".join(f"\\u{digits[at : at + 4]}" for at in range(0, len(digits), 4))


def _smallest(needles: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return the needles without those that hold another one."""
    every = set(needles)
    return tuple(sorted(one for one in every if not any(o in one for o in every - {one})))
