"""Filling the slots of a prompt: only declared names are slots, every other brace stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from tui_eval.core.errors import ConfigError

_ANY_SLOT = re.compile(r"\{[a-z_]+\}")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with each `{name}` of `slots` replaced, in one pass: what is filled in is never filled again."""
    return _pattern(tuple(slots)).sub(lambda match: slots[match.group()[1:-1]], template) if slots else template


def filled_to(template: str, slot: str, text: str) -> str:
    """The beginning of a filled template, to the end of what is filled in at `{slot}`; "" where another slot comes before it.

    Any word in braces counts as a slot there, so that what is told to be the same in many prompts is so.
    """
    before, found, _ = template.partition("{" + slot + "}")
    return before + text if found and not _ANY_SLOT.search(before) else ""


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape("{" + name + "}") for name in names))


def missing_slots(template: str, slots: Iterable[str]) -> list[str]:
    """The slots that a prompt must have and lacks."""
    return [slot for slot in slots if "{" + slot + "}" not in template]


def check_slots(name: str, template: str, slots: Iterable[str]) -> None:
    """Raise ConfigError when a prompt lacks a slot that it must have."""
    missing = missing_slots(template, slots)
    if missing:
        wanted = ", ".join("{" + slot + "}" for slot in missing)
        raise ConfigError(f"prompt {name!r} has no {wanted}; put it where that text should stand")
