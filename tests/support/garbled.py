"""Replies that are almost sound: values of JSON exchanged, doubled or left out, numbers changed, texts cut short."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

_JSON = re.compile(r"[\[{].*[\]}]", re.DOTALL)
_HUGE = 10**400
"""An integer that JSON may have, and no float."""
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 99, 3.7, -0.0, 1e308, _HUGE, -_HUGE, "", " ", "5", "NaN", "unknown", "A", "x" * 3000,
    "```json\n{}\n```", [], {}, [None], [1], ["x", 1], [[[[]]]], {"a": 1}, {"id": []}, [{"id": {}}], {"answers": 3},
    {"score": _HUGE}, {"score": 3, "max": _HUGE},
)  # fmt: skip
ODD_TEXTS = (
    "", " ", "\x00", "null", "{}", "[]", "3", "SCORE:", "SCORE: 9", "SCORE: 1e400", f"SCORE: {_HUGE}", "A B C D", "<think>",
    "{" * 300, "\U0001f642" * 500, "| a | b |\n|---|---|", "=1+1", "0", "1", "5", "[[A]]", '"answers"',
)  # fmt: skip
ODD_NUMBERS = ("0", "7", "-3", "1e400", "5/5", "٣", "4.9999999", "10" * 200)


def garbled(text: str, dice: random.Random) -> str:
    """The text with something in it as it should not be."""
    found = _json_in(text)
    if found is None:
        return dice.choice(
            (
                text[: dice.randrange(len(text) + 1)],
                f"{text}\n{text}",
                re.sub(r"\d+", lambda match: dice.choice(ODD_NUMBERS), text),
                dice.choice(ODD_TEXTS),
                text.upper(),
            )
        )
    match, value = found
    for _ in range(dice.choice((1, 1, 2, 4))):
        value = _spoilt(value, dice)
    spoilt = json.dumps(value)
    if dice.random() < 0.1:
        spoilt = dice.choice(
            (spoilt[: dice.randrange(len(spoilt) + 1)], spoilt.replace("1", "NaN", 1), spoilt.replace('"', "'"))
        )
    return f"{text[: match.start()]}{spoilt}{text[match.end() :]}"


def _json_in(text: str) -> tuple[re.Match[str], Any] | None:
    match = _JSON.search(text)
    if match is None:
        return None
    try:
        return match, json.loads(match[0])
    except ValueError:
        return None


def _spoilt(value: Any, dice: random.Random) -> Any:
    """A value in which one part is gone, there several times, under another name, or another value."""
    *way, last = dice.choice(list(_places(value))) or (None,)
    if last is None:
        return dice.choice(ODD_VALUES)
    value = json.loads(json.dumps(value))
    inside = value
    for key in way:
        inside = inside[key]
    chance = dice.random()
    if chance < 0.2:
        del inside[last]
    elif chance < 0.35 and isinstance(inside, list):
        inside += [inside[last]] * 3
    elif chance < 0.35:
        inside[f"{last}_"] = inside.pop(last)
    else:
        inside[last] = dice.choice(ODD_VALUES)
    return value


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from _places(part, (*way, key))
