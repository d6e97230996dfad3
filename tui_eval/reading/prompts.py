"""Filling the slots of a prompt: declared names, or the columns of a set; every other brace stays as it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.core.errors import ConfigError

_ANY_SLOT = re.compile(r"\{[a-z_]+\}")
_BARE = re.compile(r"[^\W\d][\w-]*")
_TOKEN = re.compile(r"\\[{}]|\\[A-Za-z]+\*?(?=[\[{])|\{\{[^{}\n]*\}\}|\{[^{}\n]*\}")
"""A brace with a backslash, a LaTeX command with groups behind it, or what stands in one or two pairs of braces."""
_WORDS = re.compile(r"[\w-]+(?: [\w-]+)+")
_SHIFTED = re.compile(r"[A-Za-z0-9]{1,2}")
"""What stands in braces where a formula raises or lowers it: x^{n}."""
_BRACES = re.compile(r"\\.|[\[\]{}]", re.DOTALL)
_DEPTH = {"{": 1, "[": 1, "}": -1, "]": -1}
_LISTED = 12
"""Slots that an error lists at most."""


def fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with each `{name}` of `slots` replaced, in one pass: what is filled in is never filled again."""
    return _pattern(tuple(slots)).sub(lambda match: slots[match.group()[1:-1]], template) if slots else template


def filled_to(template: str, slot: str, text: str) -> str:
    """The beginning of a filled template, to the end of what is filled in at `{slot}`; "" where another slot comes before it.

    Any word in braces counts as a slot there, so that what is told to be the same in many prompts is so.
    """
    before, separator, _ = template.partition("{" + slot + "}")
    return before + text if separator and not _ANY_SLOT.search(before) else ""


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
        listing = ", ".join("{" + slot + "}" for slot in missing)
        raise ConfigError(f"prompt {name!r} has no {listing}; put it where that text should stand")


@dataclass(frozen=True, slots=True)
class Braced:
    """Text in braces that may be those of a slot."""

    name: str
    start: int
    end: int
    double: bool
    """Whether two pairs of braces stand around it, as other tools write slots."""
    is_bare: bool
    """Whether it reads like the name of a slot: one word, and not a sign or two that a formula raises or lowers."""


def braced(text: str) -> Iterator[Braced]:
    """Whatever stands in braces, in order: not in the groups behind a LaTeX command nor behind a backslash, where
    braces are text."""
    at = 0
    while token := _TOKEN.search(text, at):
        at, word = token.end(), token[0]
        if word.startswith("\\"):
            at = at if word[1] in "{}" else _behind_groups(text, at)
        elif word.startswith("{{"):
            name = word[2:-2].strip()
            yield Braced(name, token.start(), at, True, _BARE.fullmatch(name) is not None)
        else:
            name, shifted = word[1:-1], text.endswith(("^", "_"), 0, token.start()) and _SHIFTED.fullmatch(word[1:-1])
            yield Braced(name, token.start(), at, False, not shifted and _BARE.fullmatch(name) is not None)


def _behind_groups(text: str, at: int) -> int:
    """Return where the groups end that follow a LaTeX command; what never closes is no group."""
    while at < len(text) and text[at] in "[{":
        depth = 0
        for brace in _BRACES.finditer(text, at):
            depth += _DEPTH.get(brace[0], 0)
            if depth == 0:
                at = brace.end()
                break
        else:
            return at
    return at


def unknown_slot(text: str, slot_names: Collection[str]) -> str:
    """Describe the first name in braces that is no slot, or stands in double braces; "" where there is none.

    `slot_names`: the slots, which match whole, with capitals, digits and blanks. A sentence names the line and the nearest.
    """
    for each in braced(text):
        if not each.double if each.name in slot_names else not (each.is_bare or _is_meant(each, slot_names)):
            continue
        line, name = text.count("\n", 0, each.start) + 1, each.name
        near = (
            name
            if name in slot_names
            else next(iter(difflib.get_close_matches(name.strip(), sorted(slot_names), n=1, cutoff=0.6)), "")
        )
        if each.double:
            return f"line {line} has {{{{{name}}}}}: a slot has single braces here: {{{near or name}}}"
        hint = f"did you mean {{{near}}}?" if near else f"slots are {_listed(slot_names)}" if slot_names else "it has none"
        return f"line {line} has {{{name}}}, which is not a slot; {hint} (braces that are text: \\{{{name}\\}})"
    return ""


def _is_meant(each: Braced, slot_names: Collection[str]) -> bool:
    """Return whether what is in braces is a slot but for blanks or capitals, or is near to one of several words."""
    name, slots = " ".join(each.name.casefold().split()), [slot.casefold() for slot in slot_names]
    several = [slot for slot in slots if " " in slot] if _WORDS.fullmatch(name) else []
    return name in slots or bool(difflib.get_close_matches(name, several, n=1, cutoff=0.8))


def _listed(slot_names: Collection[str]) -> str:
    listing = ", ".join(f"{{{name}}}" for name in sorted(slot_names)[:_LISTED])
    return f"{listing} and {len(slot_names) - _LISTED:,} more" if len(slot_names) > _LISTED else listing


@dataclass(frozen=True, slots=True)
class Template:
    """A text with slots: pieces of it, and the columns that stand between them."""

    pieces: tuple[str, ...]
    columns: tuple[str, ...]

    def filled(self, values: Mapping[str, str]) -> str:
        """The text for the values of one sample. What is filled in is never filled again."""
        parts = [self.pieces[0]]
        for column, piece in zip(self.columns, self.pieces[1:], strict=True):
            parts += values[column], piece
        return "".join(parts)


def template_of(text: str, columns: Collection[str]) -> Template:
    """A text with its slots, columns in braces. ValueError, a sentence, for a bare name in braces that is none."""
    if problem := unknown_slot(text, columns):
        raise ValueError(problem)
    slots = [each for each in braced(text) if each.name in columns]
    begins, ends = [0, *(each.end for each in slots)], [*(each.start for each in slots), len(text)]
    pieces = tuple(text[begin:end] for begin, end in zip(begins, ends, strict=True))
    return Template(pieces, tuple(each.name for each in slots))
