"""Session, the one record that readers make and everything else uses."""

from __future__ import annotations

from sessfzf.text import clean

# What separates the fields of a row of the index: it cannot be typed.
FIELD = "\x1f"
IS_FORK = "is:fork"


class Session:
    """One conversation with an agent, as its store describes it.

    Texts are as recorded (``title`` and ``branch`` made printable), ``""`` where unknown; times are
    epoch ms. A plain class with slots: importing dataclasses alone would cost 1.6 bare interpreter
    starts at each key press. What a row does not show is unpacked when it is first asked for: there
    may be thousands of sessions, and a list looks at a few fields of each.
    """

    __slots__ = (
        "_rest",
        "_words",
        "app",
        "approval",
        "branch",
        "cwd",
        "effort",
        "forked",
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

    titled: int  # how good the title is: one of the agent's own ranks
    spoken: str  # "" when nothing was said in it
    model: str
    effort: str
    approval: str  # in the words of the agent's own command line, like sandbox
    sandbox: str
    places: str  # other folders the session worked in, joined by NUL
    origin: str  # the folder a worktree was made from
    forked: str  # the id of the session it was forked from

    def __init__(  # noqa: PLR0913 - one a field
        self,
        app: str,
        root: str,
        id: str,  # noqa: A002 - the field's own name
        path: str,
        stamp: str,
        time: int | str = 0,
        hidden: str = "",
        cwd: str = "",
        branch: str = "",
        title: str = "",
        words: str = "",
        unsearched: int | str = 0,
        *rest: str,
    ) -> None:
        self.app = app
        self.root = root  # the agent's home it was found in
        self.id = id
        self.path = path  # the transcript
        self.stamp = stamp  # the transcript's mtime_ns, size and inode; "" when it is gone
        self.time = int(time)  # of the newest record
        self.hidden = hidden  # why `list` leaves it out: print, archived, missing
        self.cwd = cwd  # the folder a resume has to stand in
        self.branch = branch
        self.title = title
        # Bytes at the transcript's beginning where nobody has looked for a title yet.
        self.unsearched = int(unsearched)
        self._words = words
        self.live = ""  # idle, busy, waiting or open: never from the index
        self._rest = rest

    def __getattr__(self, name: str) -> object:
        """Unpack the fields that have not been asked for yet; called for what has no value."""
        if name not in _REST:
            raise AttributeError(name)
        rest = self._rest[0].split(FIELD) if len(self._rest) == 1 else self._rest
        if len(rest) != len(_REST) or not (rest[0].isdecimal() and len(rest[0]) == 1):
            rest = _UNKNOWN  # a new session, or an index that is not of our making
        for field, value in zip(_REST, (int(rest[0]), *rest[1:]), strict=True):
            try:
                object.__getattribute__(self, field)
            except AttributeError:
                setattr(self, field, value)
        return object.__getattribute__(self, name)

    def row(self) -> list[str]:
        """Return what the file itself says, for the index: the arguments from ``time`` on."""
        return [
            f"{self.time:020}",  # rows sort by time as they are
            self.hidden,
            self.cwd,
            self.branch,
            self.title,
            self.words,
            str(self.unsearched),
            str(self.titled),
            self.spoken,
            self.model,
            self.effort,
            self.approval,
            self.sandbox,
            self.places,
            self.origin,
            self.forked,
        ]

    def __lt__(self, other: Session) -> bool:
        """Older sessions come first; of one moment, in the order of their ids."""
        return (self.time, self.id) < (other.time, other.id)

    @property
    def words(self) -> str:
        """What a picker finds it by besides what it shows of it (clean text).

        In the index it stands ready made, for who makes rows without a Session.
        """
        return self._words or clean(
            " ".join(filter(None, (self.model, self.effort, self.forked and IS_FORK)))
        )

    @property
    def mtime(self) -> int:
        """When the transcript was last changed, in ms: opening a session is enough for that."""
        return int(self.stamp.partition(".")[0] or 0) // 1_000_000

    @property
    def bytes(self) -> int:
        """The transcript's size."""
        return int(self.stamp.split(".")[1]) if self.stamp else 0


# In the order of row(), behind the fields that every session is made with.
_REST = ("titled", "spoken", "model", "effort", "approval", "sandbox", "places", "origin", "forked")
_UNKNOWN = ("0", "1", "", "", "", "", "", "", "")
FIELDS_AT_ONCE = 7
