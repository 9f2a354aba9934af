"""What Codex's recorded values mean, in the words of its command line (reference A3)."""

from __future__ import annotations

from sessfzf.jsonl import parse, string, table
from sessfzf.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sessfzf.jsonl import Record

FULL_ACCESS = "danger-full-access"
# How good each of a thread's titles is (A5), higher wins: a name given to the thread beats the
# newest line of session_index.jsonl.
BY_PROMPT, BY_ROW, BY_INDEX_FILE, BY_NAME = range(1, 5)
_MARKER = "## My request for Codex:"  # what follows it is the prompt (A5)


def kind_of(source: object, thread_source: str) -> str:
    """Return ``nested`` for a sub-agent's thread, ``print`` for codex exec's, else ``""`` (A3)."""
    if isinstance(source, str) and source.startswith("{"):
        try:
            source = parse(source.encode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            source = ""
    if thread_source in {"subagent", "memory_consolidation"} or (
        isinstance(source, dict) and ("subagent" in source or "internal" in source)
    ):
        return "nested"
    return "print" if source == "exec" else ""


def approval_name(value: object) -> str:
    """Return an approval policy in the command line's words; ``granular`` for the object form."""
    if isinstance(value, str) and not value.startswith("{"):
        return clean(value)
    return "granular" if value else ""


def sandbox_name(value: object) -> str:
    """Return read-only, workspace-write or danger-full-access for every recorded form (A3).

    ``""`` for what cannot be understood, which is treated like the loosest one.
    """
    if isinstance(value, str):
        if not value.startswith("{"):
            return clean(value)
        try:
            value = parse(value.encode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            return ""
    policy = table(value)
    # Releases of 2025 wrote {"mode":"read-only"}.
    kind = string(policy.get("type")) or string(policy.get("mode"))
    if kind == "disabled":
        return FULL_ACCESS
    return _profile_name(table(policy.get("file_system"))) if kind == "managed" else clean(kind)


def _profile_name(files: Record) -> str:
    """Return the name for a permission profile's file system, as 0.171 records it."""
    listed = files.get("entries")
    if files.get("type") != "restricted" or not isinstance(listed, list):
        return ""
    entries = [table(entry) for entry in listed]
    strict = {"read", "deny", "none"}
    writable = [entry for entry in entries if string(entry.get("access")) not in strict]
    if any(
        table(table(entry.get("path")).get("value")).get("kind") == "root" for entry in writable
    ):
        return FULL_ACCESS
    return "workspace-write" if writable else "read-only"


def request(text: str) -> str:
    """Return what of a prompt is the person's own words, made printable."""
    return clean(own_words(text))


def own_words(text: str) -> str:
    """Return a prompt without what a client puts before the person's own words (A5)."""
    _, marker, words = text.partition(_MARKER)
    return words if marker and words.strip() else text
