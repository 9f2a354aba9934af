"""What differs between the shells: how a word is quoted, and which widget script is theirs."""

from __future__ import annotations

import os

from sessfzf import fzf

SHELLS: tuple[str, ...] = ("sh", "bash", "zsh", "fish")
"""The shells that a plan line can be written for."""

WIDGETS: tuple[str, ...] = ("bash", "zsh", "fish")
"""The shells that have a widget."""


def quote(text: str, shell: str) -> str:
    """Return `text` as one literal word of `shell`, always in quotes.

    What a terminal would not show (bidi controls, zero-width, piles of combining marks) stands in
    it as an escape of its bytes. Raises ValueError for a shell that is not in SHELLS, for such text
    in sh, which has no escapes, and for text with control characters or lone surrogates: neither
    can stand in a line that goes through an edit buffer and a history.
    """
    if shell not in SHELLS:
        raise ValueError(f"unknown shell: {shell}")
    if any(_is_unfit(ord(character)) for character in text):
        raise ValueError("control characters and lone surrogates cannot be quoted")
    if text.isascii():
        return "'" + text.translate(_QUOTED) + "'"
    from sessfzf.text import is_hidden

    hidden = is_hidden(text)
    if shell == "sh" and any(hidden):
        raise ValueError("sh cannot name invisible characters")
    words = [
        _escape(character, shell) if hide else character.translate(_QUOTED)
        for character, hide in zip(text, hidden, strict=True)
    ]
    return "'" + "".join(words) + "'"


# A line meant for sh may well be evaluated by fish, where a backslash counts inside single quotes
# (https://fishshell.com/docs/current/language.html#quotes) and the usual '\\'' ends elsewhere: that
# would be code. Both characters stand in double quotes, which all of the shells read alike.
_QUOTED = {ord("'"): """'"'"'""", ord("\\"): """'"\\\\"'"""}


def _escape(character: str, shell: str) -> str:
    """Return a character between two runs of quotes, as its bytes."""
    data = character.encode()
    if shell == "fish":
        return "'" + "".join(f"\\X{byte:02x}" for byte in data) + "'"
    return "'$'" + "".join(f"\\{byte:03o}" for byte in data) + "''"


def init_script(shell: str) -> str:
    """Return the widget script of `shell`, to be sourced or evaluated by it.

    Raises ValueError for a shell that is not in WIDGETS.
    """
    if shell not in WIDGETS:
        raise ValueError(f"no widget for: {shell}")
    text = script(f"sessfzf.{shell}")
    for placeholder, words in (
        ("@FZF_LOOK@", (fzf.LOOK,)),
        ("@FZF_PREVIEW@", (fzf.PREVIEW,)),
        ("@FZF_CONTRACT@", fzf.CONTRACT),
        ("@FZF_BESIDE@", (fzf.beside(),)),
    ):
        text = text.replace(placeholder, " ".join(quote(word, shell) for word in words))
    return text


def script(name: str) -> str:
    """Return a file of ``shell/``."""
    with open(_script_path(name), encoding="utf-8") as file:
        return file.read()


def _is_unfit(code: int) -> bool:
    """C0, DEL, C1, surrogates."""
    return code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000  # noqa: PLR2004


def _script_path(name: str) -> str:
    """Find a widget file: inside the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(package, "_shell", name)
    return installed if os.path.exists(installed) else os.path.join(package, "..", "shell", name)
