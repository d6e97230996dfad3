"""Paths into JSON values as people write them: `answer`, `items[0].name`, `$` for the whole."""

from __future__ import annotations

import re
from functools import lru_cache

from tui_eval.core.calls import Json

NOWHERE = object()
"""What stands at a path that leads nowhere."""
_PART = re.compile(r"\.?([^.\[\]]+)|\[(-?\d{1,9})\]|\[\"([^\"]*)\"\]")


def path_problem(path: str) -> str:
    """Return the problem of a path; empty where there is none."""
    try:
        _parts(path)
    except ValueError as error:
        return str(error)
    return ""


@lru_cache(maxsize=256)
def _parts(path: str) -> tuple[str | int, ...]:
    rest = path.strip().removeprefix("$")
    parts: list[str | int] = []
    at = 0
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None:
            raise ValueError(f"{path!r} is not a path; write keys and places as in items[0].name")
        name, place, quoted = part.groups()
        parts.append(int(place) if place is not None else quoted if quoted is not None else name)
        at = part.end()
    return tuple(parts)


def at_path(value: Json, path: str) -> Json:
    """Return the value at a path; `NOWHERE` where it leads nowhere. A negative place counts from the end."""
    for part in _parts(path):
        if not _has(value, part):
            return NOWHERE
        value = value[part]
    return value


def _has(value: Json, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(value, list) and -len(value) <= part < len(value)
    return isinstance(value, dict) and part in value
