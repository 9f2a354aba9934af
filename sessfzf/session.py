"""Session, the one record that readers make and everything else uses."""

from __future__ import annotations


class Session:
    """One conversation with an agent, as its store describes it.

    Texts are as recorded (``title`` and ``branch`` made printable), ``""`` where unknown; times are
    epoch ms. A plain class with slots, made from one row of the index without a word between:
    at each key press there are thousands, and importing dataclasses alone would cost 1.6 bare
    interpreter starts.
    """

    __slots__ = (
        "app",
        "approval",
        "branch",
        "cwd",
        "effort",
        "hidden",
        "id",
        "live",
        "model",
        "origin",
        "path",
        "places",
        "root",
        "sandbox",
        "spoken",
        "stamp",
        "time",
        "title",
        "titled",
        "unsearched",
    )

    def __init__(  # noqa: PLR0913 - one a field
        self,
        app: str,
        root: str,
        id: str,  # noqa: A002 - the field's own name
        path: str,
        stamp: str,
        time: int | str = 0,
        titled: int | str = 0,
        spoken: str = "1",
        hidden: str = "",
        cwd: str = "",
        branch: str = "",
        model: str = "",
        effort: str = "",
        approval: str = "",
        sandbox: str = "",
        places: str = "",
        origin: str = "",
        title: str = "",
        unsearched: int | str = 0,
    ) -> None:
        self.app = app
        self.root = root  # the agent's home it was found in
        self.id = id
        self.path = path  # the transcript
        self.stamp = stamp  # the transcript's mtime_ns, size and inode; "" when it is gone
        self.time = int(time)  # of the newest record
        self.titled = int(titled)  # how good the title is: one of the agent's own ranks
        self.spoken = spoken  # "" when nothing was said in it
        self.hidden = hidden  # why `list` leaves it out: print, archived, missing
        self.cwd = cwd  # the folder a resume has to stand in
        self.branch = branch
        self.model = model
        self.effort = effort
        self.approval = approval  # in the words of the agent's own command line, like sandbox
        self.sandbox = sandbox
        self.places = places  # other folders the session worked in, joined by NUL
        self.origin = origin  # the folder a worktree was made from
        self.title = title
        # Bytes at the transcript's beginning where nobody has looked for a title yet.
        self.unsearched = int(unsearched)
        self.live = ""  # idle, busy, waiting or open: never from the index

    def row(self) -> list[str]:
        """Return what the file itself says, for the index: the arguments from ``time`` on."""
        return [
            str(self.time),
            str(self.titled),
            self.spoken,
            self.hidden,
            self.cwd,
            self.branch,
            self.model,
            self.effort,
            self.approval,
            self.sandbox,
            self.places,
            self.origin,
            self.title,
            str(self.unsearched),
        ]

    def __lt__(self, other: Session) -> bool:
        """Older sessions come first; of one moment, in the reverse order of their ids."""
        return (self.time, other.id) < (other.time, self.id)

    @property
    def mtime(self) -> int:
        """When the transcript was last changed, in ms: opening a session is enough for that."""
        return int(self.stamp.partition(".")[0] or 0) // 1_000_000

    @property
    def bytes(self) -> int:
        """The transcript's size."""
        return int(self.stamp.split(".")[1]) if self.stamp else 0
