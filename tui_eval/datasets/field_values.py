"""Names and values of a file's fields: strict JSON, texts, lists in a cell, yes and no; and how messages show them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from sys import intern
from typing import Any, NoReturn

from tui_eval.core.plaintext import count_of, one_line

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character that takes two: JSON can write it, no file can hold it."""

MOST_FILES_TOLD = 5
_FILE_NAME = re.compile(r"[^\n\0]{0,200}\.[A-Za-z][A-Za-z0-9]{0,4}")


class DecimalText(str):
    """A number with a decimal point, as its file writes it: 1.10 stays 1.10. Wherever a text is wanted, it is one."""

    __slots__ = ()


def with_numbers(value: Any) -> Any:
    """A value of JSON with its decimal numbers as numbers, as schemas, targets and options of scorers need them."""
    if isinstance(value, dict):
        return {key: with_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [with_numbers(each) for each in value]
    return float(value) if isinstance(value, DecimalText) else value


class FieldError(Exception):
    """A problem of one record, told as `field: what is wrong`; the place is put before it where problems are gathered."""


def strict_json(text: str) -> object:
    """JSON, strictly: no key twice, no NaN; numbers with a decimal point stay as they are written. FieldError otherwise."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        raise FieldError(f"not JSON: {error.msg} ({line}column {error.colno})") from None
    except ValueError as error:
        reason = "a number of thousands of digits" if "integer string conversion" in str(error) else str(error)
        raise FieldError(f"not usable JSON: {reason}") from None
    except RecursionError:
        raise FieldError("not usable JSON: nested too deeply") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON value")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = {intern(key): value for key, value in pairs}
    if len(fields) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {short_value(twice)} appears twice in one object; remove one")
    return fields


_DECODER = json.JSONDecoder(parse_float=DecimalText, parse_constant=_no_constant, object_pairs_hook=_unique)


def text_of(value: object, column: str) -> str:
    """Text without the white space around it; numbers, true and false as JSON writes them. FieldError for anything else."""
    if isinstance(value, str):
        text = value.strip()
    elif isinstance(value, (bool, int)):
        text = json.dumps(value)
    else:
        raise FieldError(f"{one_line(column)}: {sort_of(value)}, not text")
    if not text:
        raise FieldError(f"{one_line(column)}: empty")
    if not text.isascii() and LONE_SURROGATE.search(text):
        raise FieldError(f"{one_line(column)}: {short_value(text)} holds half a character (a lone surrogate)")
    return text


def list_in_cell(cell: str, column: str) -> object:
    """Parse several values in one cell: JSON, or texts with commas between them. FieldError where that is unclear."""
    if cell.startswith(("[", "{")):
        try:
            return strict_json(cell)
        except FieldError as error:
            raise FieldError(f'{one_line(column)}: {error}; write options in one cell as ["one", "two"]') from None
    parts = cell.split(",")
    spaced = [part.startswith(" ") for part in parts[1:]]
    if any(spaced) and not all(spaced):
        raise FieldError(
            f"{one_line(column)}: some commas are followed by a space and some are not, so it is not clear which of them "
            'divide options; write ["one", "two"]'
        )
    return parts


def file_names(value: object, column: str) -> list[str]:
    """The files that a value of a column names: one, or several in a list. FieldError where a list cannot be read."""
    value = list_in_cell(value, column) if isinstance(value, str) and value.startswith("[") else value
    return [str(each) for each in (value if isinstance(value, list) else [value]) if not is_blank(each)]


def names_a_file(value: str) -> bool:
    """Return whether a text reads like the name of a file or the path to one: one short line that ends in a suffix."""
    return _FILE_NAME.fullmatch(value.strip()) is not None


def files_in_words(names: Iterable[str], noun: str = "file", which: str = " that samples name") -> str:
    """Return how many files samples name, and the first of them; or how many of another noun there are."""
    file_names = [one_line(name, 80) for name in dict.fromkeys(names)]
    more = f" and {len(file_names) - MOST_FILES_TOLD} more" if len(file_names) > MOST_FILES_TOLD else ""
    return f"{count_of(len(file_names), noun)}{which} ({', '.join(file_names[:MOST_FILES_TOLD])}{more})"


def yes_or_no(value: object, column: str) -> bool:
    """True or false, as people write it (true, 1, yes; false, 0, no). FieldError for anything else."""
    token = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    if token in ("true", "1", "yes"):
        return True
    if token in ("false", "0", "no"):
        return False
    raise FieldError(f"{one_line(column)}: {short_value(value)} is neither true nor false (or 1 and 0, or yes and no)")


def comparable(value: object) -> object:
    """A value as another one is compared with it: a number like its text."""
    return str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else value


def is_blank(value: object) -> bool:
    """Return whether a value says nothing: null, or a text of white space."""
    return value is None or (isinstance(value, str) and not value.strip())


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """A column's name as the aliases are written; each record has the same few."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def enumerated(names: Iterable[str]) -> str:
    """Names from a file, in one line of a message."""
    return one_line(", ".join(names), 160)


def short_value(value: object) -> str:
    """A value short enough for a message; lists and objects only by what they are, however large or deep."""
    if isinstance(value, str):
        return repr(one_line(value, 60))
    return one_line(json.dumps(value), 60) if isinstance(value, int) else sort_of(value)


def sort_of(value: object) -> str:
    """Return the kind of a JSON value, in words."""
    if value is None:
        return "null"
    if isinstance(value, (float, DecimalText)):
        return "a number"
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return kinds[type(value)]
