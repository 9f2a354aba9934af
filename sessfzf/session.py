"""Session, the one record that readers make and everything else uses."""

from __future__ import annotations


class Session:
    """One conversation with an agent, as its store describes it.

    All texts are as recorded (``title`` and ``branch`` made printable), ``""`` where unknown.
    A plain class with slots: dataclasses alone would cost 1.6 bare interpreter starts a key press.
    """

    __slots__ = (
        "app",
        "approval",
        "branch",
        "bytes",
        "cwd",
        "effort",
        "hidden",
        "id",
        "live",
        "model",
        "mtime",
        "origin",
        "path",
        "places",
        "root",
        "sandbox",
        "spoken",
        "time",
        "title",
        "titled",
    )

    def __init__(self, app: str, id: str) -> None:  # noqa: A002 - "id" is the field's own name
        self.app = app
        self.id = id
        self.title = ""
        self.titled = 0  # how good the title is: one of the agent's own ranks, higher wins
        self.cwd = ""  # the folder a resume has to stand in
        self.places = ""  # other folders the session worked in, joined by NUL
        self.origin = ""  # the folder a worktree was made from
        self.branch = ""
        self.time = 0  # ms: newest record
        self.mtime = 0  # ms: the file's
        self.bytes = 0
        self.model = ""
        self.effort = ""
        self.approval = ""  # in the words of the agent's own command line
        self.sandbox = ""
        self.live = ""  # "" or idle, busy, waiting, open
        self.hidden = ""  # "" or why `list` leaves it out: print, archived, missing
        self.spoken = True  # whether anything was said in it
        self.path = ""  # the transcript
        self.root = ""  # the agent's home it was found in
