"""sessfzf: fzf over every coding-agent session on the machine, and a safe way back into one."""

from __future__ import annotations

__version__ = "0.1.0"
