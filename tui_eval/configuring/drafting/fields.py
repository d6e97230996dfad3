"""One field of a form: what it may hold, and how its value reads as a line that a person types, there and back."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from typing import Literal

from tui_eval.configuring.drafting.inline_toml import inline, read_inline
from tui_eval.core.calls import Json

Sort = Literal["text", "integer", "number", "boolean", "choice", "texts", "table", "tables", "free"]
Names = Literal["", "model", "file", "folder", "files", "prompt", "key", "run"]

UNFILLED = ("is missing: fill it in", "has nothing in it yet: add one")
"""What is said of a key that has to be there and is not: of one value, and of a list."""


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a config: what it may hold, and what it means."""

    key: str
    sort: Sort
    """texts: a list of texts (or of texts and tables); tables: a list of tables; free: a table of anything."""
    help: str = ""
    """What it is, its unit, and what an empty value means."""
    default: Json = None
    """What holds where the config is silent; None = nothing."""
    example: Json = dataclasses.field(default=None, compare=False)
    """A value that it might well have; None = the settings give none."""
    required: bool = False
    choices: tuple[str, ...] = ()
    """What it may hold; of a list of texts what its entries usually are."""
    choice_words: tuple[str, ...] = ()
    """Of each of them what it means, on a line; empty where they need no words."""
    least: float | None = None
    most: float | None = None
    above: bool = False
    """Whether it must be more than `least`, not just as much."""
    fields: tuple[Field, ...] = ()
    """Of a table, or of each of the tables."""
    holds: bool = False
    """Of a table: whether its fields' defaults hold where the config has no such table; else there is nothing then."""
    names: Names = ""
    """What a text (or each of the texts) names."""

    @property
    def bounds(self) -> str:
        """The bounds in words, such as "from 1 to 100"; "" where there are none."""
        least = "" if self.least is None else f"{self.least:,.10g}"
        most = "" if self.most is None else f"{self.most:,.10g}"
        if least and least == most:
            return f"exactly {least}"
        if least and most:
            return f"more than {least}, at most {most}" if self.above else f"from {least} to {most}"
        if least:
            return f"more than {least}" if self.above else f"at least {least}"
        return f"at most {most}" if most else ""

    def field(self, key: str) -> Field:
        """The field of this key in a table, or in each of the tables. KeyError where there is none."""
        for inner in self.fields:
            if inner.key == key:
                return inner
        raise KeyError(key)


# ------------------------------------------------------------------------------------------------------- value to text


def typed_text(field: Field, value: Json) -> str:
    """A value as a person would type it: one line, of a list of texts one line each. "" for None, which is no value."""
    if value is None:
        return ""
    if field.sort == "texts" and isinstance(value, list) and value:
        return "\n".join(_line(entry) for entry in value)
    if field.sort in ("text", "choice") and isinstance(value, str):
        return value if _is_bare(value, field) else inline(value)
    return inline(value)


def _line(entry: Json) -> str:
    """An entry of a list of texts."""
    bare = isinstance(entry, str) and _is_bare(entry) and not entry.startswith("{") and entry != NOTHING
    return entry if bare else inline(entry)


_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
NOTHING = "[]"
"""How a list reads that is there, and empty."""


def _is_bare(text: str, field: Field | None = None) -> bool:
    """Return whether a text can stand as it is, without quotation marks."""
    braced = field is not None and field.names == "prompt" and text.startswith("{")
    return bool(text) and text == text.strip() and not _UNSEEN.search(text) and not text.startswith('"') and not braced


# ------------------------------------------------------------------------------------------------------- text to value


def read_text(field: Field, text: str) -> Json:
    """Parse typed text as a value; None where nothing stands there. ValueError, in words for people, where it is wrong."""
    if field.sort == "texts":
        return _texts(text)
    text = text.strip()
    if not text:
        return None
    match field.sort:
        case "integer" | "number":
            return _within(field, _whole(text) if field.sort == "integer" else _number(text))
        case "boolean":
            return _yes_or_no(text)
        case "choice":
            return _choice(field, _text(text))
        case "text":
            return _prompt(text) if field.names == "prompt" else _text(text)
        case _:
            return _table(field, text)


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+(_[0-9]+)*", text):
        raise ValueError(f"must be a whole number, not {text!r}")
    return int(_not_too_long(text))


def _number(text: str) -> float:
    if re.fullmatch(r"[+-]?[0-9]+(_[0-9]+)*", text):
        return int(_not_too_long(text))
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        hint = "; write a point where the decimals begin" if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", text) else ""
        raise ValueError(f"must be a number, not {text!r}{hint}")
    if not math.isfinite(float(text)):
        raise ValueError(f"is too large: {text}")
    return float(text)


def _not_too_long(digits: str) -> str:
    if len(digits.lstrip("+-0_")) > 18:
        raise ValueError("is too large")
    return digits


def _within(field: Field, value: float) -> float:
    low = field.least is not None and (value < field.least or (field.above and value == field.least))
    if low or (field.most is not None and value > field.most):
        raise ValueError(f"must be {field.bounds}, not {value:,}")
    return value


def _yes_or_no(text: str) -> bool:
    if text.lower() in ("true", "yes", "on"):
        return True
    if text.lower() in ("false", "no", "off"):
        return False
    raise ValueError(f"must be true or false, not {text!r}")


def _choice(field: Field, text: str) -> str:
    if text not in field.choices:
        raise ValueError(f"must be one of {', '.join(field.choices)}, not {text!r}")
    return text


def _text(text: str, opening: str = '"', sort: type = str) -> Json:
    """As it stands; what is wholly in quotation marks is read like TOML, so that every text can be typed."""
    if not text.startswith(opening):
        return text
    try:
        value = read_inline(text)
    except ValueError:
        return text
    return value if isinstance(value, sort) else text


def _prompt(text: str) -> Json:
    """A prompt as it stands, or the table that names its file; a brace may also begin a slot."""
    return _text(text, "{", dict) if text.startswith("{") else _text(text)


def _texts(text: str) -> Json:
    if text.strip() == NOTHING:
        return []
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1)]
    return [_entry(line, number) for number, line in lines if line] or None


def _entry(line: str, number: int) -> Json:
    if not line.startswith("{"):
        return _text(line)
    try:
        return read_inline(line)
    except ValueError as error:
        raise ValueError(
            f"line {number} begins with a brace, as a table does, and {error}. "
            "To have it as a text, put the line into quotation marks"
        ) from None


def _table(field: Field, text: str) -> Json:
    value = read_inline(text)
    expected_type = list if field.sort == "tables" else dict
    if not isinstance(value, expected_type):
        shape = "[{ key = value }, ...]" if expected_type is list else "{ key = value, ... }"
        raise ValueError(f"must be {shape}, not {text[:40]!r}")
    return value
