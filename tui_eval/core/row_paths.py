"""Names for the files of one item of a run, whatever the names are that they are made of."""

from __future__ import annotations

from urllib.parse import quote

RESERVED = frozenset({"inputs", "repeats", "rescored", "attachments"})
"""Folders of a run folder that are not an item's."""
LONGEST_PART = 200
"""Bytes of a file's or folder's name; most file systems hold 255."""


def path_of(*parts: str) -> str:
    """A path of parts that may be anything, such as a model's name: what no file name can hold is percent-encoded."""
    encoded = [quote(part, safe=" !$&'()+,-;=@[]^_`{}~") for part in parts]
    return "/".join(f"%2E{part[1:]}" if part.startswith(".") else part for part in encoded)


def problem_of(path: str) -> str:
    """Why an item's file cannot be called so; empty where it can."""
    parts = path.split("/")
    if len(parts) < 2 and not path.startswith("_"):
        return "has no folder; a sample's files have folders of their own, or begin with an underscore"
    if any(not part or part.startswith(".") or "\\" in part or not part.isprintable() for part in parts):
        return "has an empty, hidden or unprintable part; put it together with path_of(...)"
    if any(len(part.encode("utf-8", "replace")) > LONGEST_PART for part in parts):
        return f"has a part of more than {LONGEST_PART} bytes"
    return f"begins with {parts[0]!r}, which belongs to the run" if parts[0] in RESERVED else ""
