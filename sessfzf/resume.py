"""`sessfzf resume`: what the widgets do, for a person who has not loaded one. It becomes the agent."""

from __future__ import annotations

from sessfzf import plan

# Starts this very sessfzf, wherever it lies, without PATH; `-c` and `-m` would both let modules
# of the folder that the person stands in come before ours.
_PRODUCER = (
    "import sys; del sys.path[0]; sys.path.append(sys.argv.pop(1));"
    " from sessfzf.__main__ import main; sys.exit(main())"
)


def run(key: str | None, approvals: str, confirm: str, *, fork: bool) -> int:
    """Resume the session `key` (DESIGN "Keys"), or the one picked with fzf; return an exit code.

    Does not return when the agent starts: it takes the place of this process, in its folder.
    `approvals`, `confirm` and `fork` are as for `plan`. Alt-Enter in fzf stands for `approvals`
    "recorded", Ctrl-E prints the line instead of running it.
    """
    pressed = ""
    if key is None:
        pressed, key = _pick()
    if not key:
        return 130
    chosen = plan.make(key, "recorded" if pressed == "alt-enter" else approvals, fork=fork)
    if pressed == "ctrl-e":
        confirm = "print"
    code = plan.confirm(chosen, confirm)
    return code or _become(chosen)
