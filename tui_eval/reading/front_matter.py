"""The head of a Markdown file: lines `key: value` between two lines of three dashes, as YAML has them.

Only single values are read (texts, with or without quotes, true and false), which every YAML reader reads alike; of lists and
tables within it a person is told the line. So no YAML library is needed, whose other forms would only be other ways to err.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FENCE = "---"
_PAIR = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\["\\])*"|'(?:[^']|'')*')\s*(?:#.*)?$""")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_BOOLEANS = {"true": True, "false": False}
_NOT_SINGLE = ("[", "{", "|", ">", "&", "*", "!", "- ")


class FrontMatterError(ValueError):
    """What is wrong with a head; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file's head and what follows it."""

    values: Mapping[str, str | bool]
    lines: Mapping[str, int]
    """Where each key stands, counted from 1."""
    body: str
    """Without white space at its ends."""


def front_matter(text: str) -> FrontMatter:
    """The head of a text and its body. FrontMatterError where there is no head, or where it holds more than single values."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        raise FrontMatterError(1, f"must begin with a line {_FENCE}, keys such as `complexity: simple`, and another {_FENCE}")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (_FENCE, "...")), None)
    if end is None:
        raise FrontMatterError(1, f"its head is not closed: put a line {_FENCE} before the text")
    values: dict[str, str | bool] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _PAIR.match(line.rstrip())
        if found is None:
            raise FrontMatterError(number, "is not `key: value`")
        if found[1] in values:
            raise FrontMatterError(number, f"{found[1]} stands there twice; the first is in line {places[found[1]]}")
        values[found[1]], places[found[1]] = _value(found[2] or "", number), number
    return FrontMatter(values, places, "\n".join(lines[end + 1 :]).strip())


def _value(text: str, line: int) -> str | bool:
    text = text.strip()
    quoted = _QUOTED.match(text)
    if quoted:
        inner = quoted[1][1:-1]
        return inner.replace("''", "'") if text[0] == "'" else re.sub(r"\\(.)", r"\1", inner)
    plain = _COMMENT.sub("", text).strip()
    if plain.startswith(_NOT_SINGLE) or plain[:1] in ("'", '"'):
        raise FrontMatterError(line, f"{plain[:40]!r}: only single values are read here: a text, true or false")
    return _BOOLEANS.get(plain.lower(), plain)
