"""The plain reader to compare with: 80 head lines and 512 KiB of tail of each file, by json.

Usage: plain.py HOME. One row a transcript: its name, its title or first words, its newest time.
"""

from __future__ import annotations

import glob
import json
import os
import sys

HEAD_LINES, LINE_BYTES, TAIL_BYTES = 80, 1 << 20, 512 << 10


def parse(lines: list[bytes]) -> list[dict[str, object]]:
    """Return the records of the lines that are JSON objects."""
    found = []
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def row(path: str) -> str:
    """Return the row of a transcript."""
    with open(path, "rb") as file:
        records = parse([file.readline(LINE_BYTES) for _ in range(HEAD_LINES)])
        file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
        records += parse(file.read().split(b"\n"))
    titles = [str(record["aiTitle"]) for record in records if "aiTitle" in record]
    prompts = [str(record["message"]) for record in records if record.get("type") == "user"]
    title = (titles or prompts or [""])[-1][:80]
    time = max((str(record.get("timestamp", "")) for record in records), default="")
    return f"{os.path.basename(path)}\t{time}\t{title}"


if __name__ == "__main__":
    for pattern in (".claude/projects/*/*.jsonl", ".codex/sessions/*/*/*/*.jsonl"):
        for path in glob.iglob(os.path.join(sys.argv[1], pattern)):
            print(row(path))
