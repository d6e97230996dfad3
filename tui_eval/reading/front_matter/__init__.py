"""Front matter of a text file: keys with single values in a head between two lines `---`, and the text below it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FENCE = "---"
_PAIR = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\["\\])*"|'(?:[^']|'')*')\s*(?:#.*)?$""")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_BOOLEANS = {"true": True, "false": False}
_NOT_SINGLE = ("[", "{", "|", ">", "&", "*", "!", "- ")


class FrontMatterError(ValueError):
    """A problem of a head; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


Head = Mapping[str, tuple[str | bool, int]]
"""By key its value and the line it stands in, counted from 1."""


def front_matter(text: str) -> tuple[Head, str]:
    """The head of a text, and its body without white space at its ends.

    FrontMatterError where there is no head, or where it holds more than single values.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        raise FrontMatterError(1, f"must begin with a line {_FENCE}, keys such as `complexity: simple`, and another {_FENCE}")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (_FENCE, "...")), None)
    if end is None:
        raise FrontMatterError(1, f"its head is not closed: put a line {_FENCE} before the text")
    head: dict[str, tuple[str | bool, int]] = {}
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _PAIR.match(line.rstrip())
        if match is None:
            raise FrontMatterError(number, "is not `key: value`")
        if match[1] in head:
            raise FrontMatterError(number, f"{match[1]} appears twice; the first is in line {head[match[1]][1]}")
        head[match[1]] = _value(match[2] or "", number), number
    return head, "\n".join(lines[end + 1 :]).strip()


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
