"""Documents of one name in several folders, told apart by the path below the folder that they have in common."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from tui_eval.core.kinds import InputFile

BETWEEN = "+"
"""What stands between a folder and what is in it, in a name."""
LONGEST = 180
"""Bytes of a name; of a longer one the folders are a hash."""
_SAFE = " !#$&'(),-;=@[]^_`{}~"


@dataclass(slots=True)
class ReadDocument:
    """A document where it lies, with the file that was read along with it, if there is one."""

    path: Path
    file: InputFile
    beside: InputFile | None = None
    beside_path: Path | None = None


def apart(documents: Sequence[ReadDocument]) -> list[tuple[InputFile, InputFile | None]]:
    """The documents, each with what was read along with it, by names that differ: those of which two would be called the same
    have the path below the folder that they all are in, `2023+page.png`. One that only another case tells apart stays.
    """
    places = [os.path.normpath(one.path.absolute()) for one in documents]
    clashing: set[int] = set()
    while True:
        common = os.path.commonpath([os.path.dirname(places[n]) for n in clashing]) if clashing else ""
        found = [
            _renamed(one, places[n], common) if n in clashing else (one.file, one.beside) for n, one in enumerate(documents)
        ]
        more = _clashing(documents, places, found) - clashing
        if not more:
            return found
        clashing |= more


def _clashing(
    documents: Sequence[ReadDocument], places: Sequence[str], found: Sequence[tuple[InputFile, InputFile | None]]
) -> set[int]:  # fmt: skip
    """Which documents share a name with another, or what was read along with them does."""
    whose: dict[str, dict[str, list[int]]] = {}
    for n, (file, beside) in enumerate(found):
        whose.setdefault(file.path.casefold(), {}).setdefault(places[n], []).append(n)
        if beside is not None:
            place = os.path.normpath((documents[n].beside_path or documents[n].path).absolute())
            whose.setdefault(beside.path.casefold(), {}).setdefault(place, []).append(n)
    return {n for places_of in whose.values() if len(places_of) > 1 for each in places_of.values() for n in each}


def _renamed(one: ReadDocument, place: str, common: str) -> tuple[InputFile, InputFile | None]:
    folders = Path(os.path.relpath(os.path.dirname(place), common)).parts
    before = "".join(f"{_encoded(folder)}{BETWEEN}" for folder in folders)
    if len(f"{before}{_encoded(one.path.name)}".encode()) > LONGEST:
        before = f"{hashlib.sha256(before.encode()).hexdigest()[:8]}{BETWEEN}"
    return _with_name(one.file, before), None if one.beside is None else _with_name(one.beside, before)


def _with_name(file: InputFile, before: str) -> InputFile:
    name = f"{before}{_encoded(file.name)}"
    notes = tuple(f"{name}{note.removeprefix(file.name)}" if note.startswith(file.name) else note for note in file.notes)
    return replace(file, name=name, path=f"{file.path.removesuffix(file.name)}{name}", notes=notes)


def _encoded(part: str) -> str:
    """A part of a path as names may have it: what divides parts, and a dot in front, are percent-encoded; letters stay."""
    made = "".join(sign if not sign.isascii() else quote(sign, safe=_SAFE) for sign in part)
    return f"%2E{made[1:]}" if made.startswith(".") else made
