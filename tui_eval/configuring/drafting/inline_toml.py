"""Values as TOML: one of them on a line, and back; or a whole config, the way a person would write it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from datetime import date, time

from tui_eval.core.calls import Json
from tui_eval.workspace.toml_files import toml_of

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ENDS_A_LINE = re.compile(r"[\x7f-\x9f\u2028\u2029]")
"""What JSON leaves as it is, and TOML or an editor does not take for text in a line."""
WIDE = 100
"""Characters in a line, from which on a list takes a line for each entry."""
HEADED = 2
"""Tables down to this depth stand under a header of their own, deeper ones on a line."""


def whole(content: dict[str, Json]) -> str:
    """A config as TOML: tables under headers, lists of tables under [[headers]], long texts over several lines."""
    return "\n".join(_table((), content)).strip("\n") + "\n"


def _table(place: tuple[str, ...], table: dict[str, Json]) -> Iterator[str]:
    """The lines of a table: first what stands on lines of its own, then the tables in it."""
    headed = {key: value for key, value in table.items() if _is_headed(value, len(place) + 1)}
    yield from (f"{key_text(key)} = {_value(value)}" for key, value in table.items() if key not in headed)
    for key, value in headed.items():
        inner = (*place, key)
        name = ".".join(map(key_text, inner))
        entries = [value] if isinstance(value, dict) else value
        for entry in entries:
            yield ""
            yield f"[{name}]" if isinstance(value, dict) else f"[[{name}]]"
            yield from (
                _table(inner, entry) if isinstance(value, dict) else (f"{key_text(k)} = {_value(v)}" for k, v in entry.items())
            )


def _is_headed(value: Json, depth: int) -> bool:
    if isinstance(value, list):
        return depth <= HEADED and bool(value) and all(isinstance(entry, dict) for entry in value)
    return depth <= HEADED and isinstance(value, dict)


def _value(value: Json) -> str:
    if isinstance(value, str) and "\n" in value:  # the line end behind the first three quotation marks is no part of it
        return '"""\n' + "\n".join(map(_long_line, value.split("\n"))) + '"""'
    if isinstance(value, list):
        line = inline(value)
        entries = "".join(f"    {inline(entry)},\n" for entry in value)
        return line if len(line) <= WIDE else f"[\n{entries}]"
    return inline(value)


def _long_line(line: str) -> str:
    """A line of a text over several lines; quotation marks stand bare where they cannot be taken for the three."""
    coded = _quoted(line)[1:-1]
    return coded if '""' in line or line.endswith('"') else coded.replace('\\"', '"')


def inline(value: Json) -> str:
    """A value as it may stand behind `key = ` on one line. ValueError for what TOML cannot hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        pairs = ", ".join(f"{key_text(key)} = {inline(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    raise ValueError(f"cannot be written as TOML: {type(value).__name__}")


def read_inline(text: str) -> Json:
    """The value that stands on a line. ValueError, in words, where it is not TOML."""
    try:
        table = toml_of(f"value = {text}")
    except ValueError as error:
        if str(error).startswith("nested"):
            raise ValueError("is nested too deeply") from None
        raise ValueError(f"is not valid TOML: {_without_place(str(error))}") from None
    if len(table) != 1:
        raise ValueError("must be one value")
    return table["value"]


def _without_place(message: str) -> str:
    """The parser's message without line and column: these count from a line that the person never saw."""
    return re.sub(r" \(at (line [0-9]+, column [0-9]+|end of document)\)", "", message)


def _quoted(text: str) -> str:
    coded = json.dumps(text, ensure_ascii=False)
    return _ENDS_A_LINE.sub(lambda match: f"\\u{ord(match.group()):04x}", coded)


def key_text(key: str) -> str:
    """A key as it stands before its `=`."""
    return key if _BARE_KEY.fullmatch(key) else _quoted(key)
