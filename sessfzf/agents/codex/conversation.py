"""The end of a Codex rollout, in both dialects, as the person and the agent would tell it.

Format: reference A6, observed f (0.171.0), older-clients 8 (0.63.0 to 0.171.0).
"""

from __future__ import annotations

from sessfzf.agents import ANSWER, NOTE, PROMPT, TOOL
from sessfzf.agents.codex.words import own_words
from sessfzf.agents.turns import call, newest_records, tell, with_images
from sessfzf.jsonl import string, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessfzf.agents import Turn
    from sessfzf.jsonl import Record
    from sessfzf.session import Session

NEEDLES = (
    *(b'"user_message"', b'"UserMessage"', b'"agent_message"', b'"AgentMessage"'),
    *(b'"function_call"', b'"custom_tool_call"', b'"local_shell_call"', b'"web_search_call"'),
    *(b'"CommandExecution"', b'"compacted"', b'"context_compacted"', b'"turn_aborted"'),
)
# Where each kind of call keeps what it was called with.
_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}
_NAMES = {"local_shell_call": "shell", "web_search_call": "web_search"}


def turns(session: Session, limit: int) -> Iterator[Turn]:
    """Yield the turns of the last ``limit`` bytes, the newest first. Raises OSError."""
    if not session.path.endswith(".jsonl"):
        yield NOTE, "compressed: what was said cannot be shown"
        return
    for record in newest_records(session.path, NEEDLES, limit):
        yield from reversed(said(record))


def said(record: Record) -> list[Turn]:
    """Return the turns of one record, in their order.

    Every prompt and answer is recorded twice: as an event, which is what was said, and as an item
    for the model, which the client's own words are, too. Calls of tools are only among the items.
    """
    payload = table(record.get("payload"))
    kind = record.get("type")
    if kind == "compacted":
        return [(NOTE, "compacted")]
    if kind == "event_msg":
        return _event(payload)
    called = string(payload.get("type"))
    if kind == "response_item" and called in _CALLS:
        name = _NAMES.get(called) or payload.get("name")
        return [_call(name, payload.get(_CALLS[called]))]
    return []


def _call(name: object, arguments: object) -> Turn:
    # Newer clients have one tool, which runs a script that calls the others (observed 0, 0.171.0).
    script = arguments.partition("tools.")[2] if isinstance(arguments, str) else ""
    return (TOOL, script) if name == "exec" and script else call(name, arguments)


def sub_agents(session: Session) -> list[tuple[str, int]]:  # noqa: ARG001
    """Return none: a thread does not say which are its, only they do."""
    return []


def kept_until(session: Session) -> int:  # noqa: ARG001
    """Return 0: no setting is known by which Codex deletes threads."""
    return 0


def parent(session: Session) -> str:  # noqa: ARG001
    """Return "": where a fork's parent lies only a walk of the store could tell."""
    return ""


def _event(payload: Record) -> list[Turn]:
    kind = payload.get("type")
    if kind == "user_message":
        pictures = (payload.get("images"), payload.get("local_images"))
        count = sum(len(some) for some in pictures if isinstance(some, list))
        return _said(string(payload.get("message")), count)
    if kind == "agent_message":
        return [(ANSWER, string(payload.get("message")))]
    if kind == "context_compacted":
        return [(NOTE, "compacted")]
    if kind == "turn_aborted":
        return [(NOTE, "interrupted")]
    return _item(table(payload.get("item"))) if kind == "item_completed" else []


def _item(item: Record) -> list[Turn]:
    kind = item.get("type")
    content = item.get("content")
    parts = [table(part) for part in content] if isinstance(content, list) else []
    text = "\n".join(filter(None, (string(part.get("text")) for part in parts)))
    if kind == "UserMessage":
        return _said(text, sum("image" in string(part.get("type")).lower() for part in parts))
    if kind == "AgentMessage":
        return [(ANSWER, text)]
    if kind == "CommandExecution" and item.get("source") == "user_shell":
        return [(PROMPT, f"! {tell(item.get('command'))}")]
    return []


def _said(text: str, images: int) -> list[Turn]:
    text = with_images(own_words(text), images)
    return [(PROMPT, text)] if text else []
