"""Scopes: which sessions belong to where the person stands, and the keys of the picker for that."""

from __future__ import annotations

import os

from sessfzf.folders import real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.session import Session

SCOPES = (ALL, REPOSITORY, FOLDER) = ("all", "repository", "folder")
HIDDEN = "hidden"
"""No scope, but a key beside theirs: what is hidden, too."""

KEYS = {ALL: "Alt-A", REPOSITORY: "Alt-G", FOLDER: "Alt-H", HIDDEN: "Alt-U"}
"""What ``fzf.LOOK`` binds."""

EMPTY = {
    ALL: "no session: Alt-U shows also what is hidden",
    REPOSITORY: "no session in this repository: Alt-A shows all, Alt-U also what is hidden",
    FOLDER: "no session in this folder: Alt-G shows this repository, Alt-A all",
}
"""What the picker says where a scope is empty."""


def chosen() -> str:
    """Return the scope the person wants the picker to open in: ``$SESSFZF_SCOPE``, else all."""
    scope = os.environ.get("SESSFZF_SCOPE", "")
    return scope if scope in SCOPES else ALL


def header(scope: str, room: int, *, hidden: bool) -> str:
    """Return the line of the picker that names the scopes, in brackets those that it shows.

    ``room`` is how many columns there are for it.
    """
    names = [f"[{one}]" if one == scope else one for one in SCOPES]
    names.append(f"[{HIDDEN}]" if hidden else HIDDEN)
    words = [f"{key} {name}" for key, name in zip(KEYS.values(), names, strict=True)]
    line = " | ".join(words)
    if len(line) > room:  # the same letters, only once behind Alt
        line = " ".join(words[:1] + [word.removeprefix("Alt-") for word in words[1:]])
    return line


class Here:
    """Where the person stands."""

    def __init__(self) -> None:
        try:
            self.folder = _names(os.getcwd())
        except OSError:
            self.folder = []
        """The present folder as it is called here, and as it is: recorded ones may be either (D8).

        Empty when it is gone.
        """

    def repository(self) -> list[str]:
        """Return the folders of all worktrees of the present repository, none outside of one."""
        from sessfzf.repository import find, worktrees

        top = find(self.folder[0]) if self.folder else ""
        return [*_names(top), *worktrees(top)] if top else []

    def both(self) -> Within:
        """Return the present folder and the other worktrees of its repository, and all below."""
        from sessfzf.repository import worktrees

        return Within([*self.folder, *worktrees(self.folder[0])] if self.folder else [])

    def within(self, scope: str) -> Within:
        """Return what belongs to a scope that is not all; without a repository the folder does."""
        return Within((scope == REPOSITORY and self.repository()) or self.folder)


def _names(folder: str) -> list[str]:
    return [folder, os.path.realpath(folder)]


class Within:
    """Some folders and all below them."""

    def __init__(self, folders: list[str]) -> None:
        self._folders = tuple({folder.rstrip("/") + "/" for folder in folders})
        self._known: dict[str, bool] = {}

    def holds(self, session: Session) -> bool:
        """Whether the session belongs to, or ever worked in, one of the folders (D44)."""
        return any(self._below(place) for place in (session.cwd, *session.places.split("\0")))

    def names(self, place: str) -> bool:
        """Whether the folder, as it is written, is one of them."""
        return (place + "/").startswith(self._folders)

    def _below(self, place: str) -> bool:
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = bool(place) and (
                self.names(place) or self.names(real(place))
            )
        return known
