"""What the agents' conversations share: records from the end, and what a tool call tells."""

from __future__ import annotations

from sessfzf.agents import TOOL
from sessfzf.jsonl import File, newest_first, parse, records, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Turn
    from sessfzf.jsonl import Record

IMAGE = "[image]"
_MOST_IMAGES = 9
_MOST_WORDS = 100
# Which argument of a tool tells most of what it was called for.
_TELLING = (
    *("command", "cmd", "file_path", "notebook_path", "path", "pattern", "query", "url"),
    *("description", "task_name", "prompt", "message", "action"),
)


def newest_records(path: str, needles: tuple[bytes, ...], limit: int) -> Iterator[Record]:
    """Yield the records from the last to the first that hold one of ``needles`` in their bytes.

    Reads backwards, and no more of the last ``limit`` bytes than is asked for. Raises OSError.
    """
    with File(path) as file:
        for block in file.tail(limit):
            for line in newest_first(block):
                if any(needle in line for needle in needles):
                    yield from reversed(records(line, parse))


def call(name: object, arguments: object) -> Turn:
    """Return the turn of a tool call: its name, and of its arguments what tells most."""
    if isinstance(arguments, str) and arguments.startswith("{"):  # as Codex records them
        arguments = next(iter(records(arguments.encode("utf-8", "replace"), parse)), arguments)
    told = tell(arguments)
    return TOOL, f"{string(name)}: {told}" if told else string(name)


def with_images(text: str, count: int) -> str:
    """Return the text of a prompt with a word for each of its images."""
    return "\n".join([text] * bool(text.strip()) + [IMAGE] * min(count, _MOST_IMAGES))


def tell(value: object) -> str:
    """Return of the arguments of a call what tells most, "" when nothing does."""
    if isinstance(value, dict):
        chosen = [value[key] for key in _TELLING if value.get(key)]
        return next((told for told in map(_words, [*chosen, *value.values()]) if told), "")
    return _words(value)


def _words(value: object) -> str:
    if isinstance(value, dict):  # Codex's "action" of a shell or search call
        value = value.get("command") or value.get("query")
    if not isinstance(value, list):
        return string(value)
    words = [string(word) for word in value[:_MOST_WORDS]]
    # ["bash", "-lc", "the command"]
    return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)  # noqa: PLR2004
