"""Compares two versions of generated files: says where more than the words of their sentences changed.

usage: scripts/only-words OLD NEW     two folders, two files, or two revisions of git (of tests/golden and tests/frozen)

Equal must be: the files, keys and their order, numbers (also those within a sentence, in order), booleans, ids and closed
values (text without a space), lengths of lists, headers of CSV and its cells that are no sentences. Exit code 1 where
anything else changed, each with its place.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ("tests/golden", "tests/frozen/changed")
"""Folders of the repository that two revisions are compared by."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MOST_SHOWN = 40


SIZES = {"report_bytes"}
"""Keys of sizes of files, which change with their words."""


def main(arguments: Sequence[str]) -> int:
    """Compare what two arguments name. Exit code 2 for wrong arguments."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        old, new = (_files(argument, Path(folder) / str(place)) for place, argument in enumerate(arguments))
    changes = list(compare_files(old, new))
    for change in changes[:MOST_SHOWN]:
        print(change)
    words = sum(old[name] != new[name] for name in old.keys() & new.keys())
    print(f"{len(changes)} changes of more than words; {words} of {len(new)} files changed", file=sys.stderr)
    return int(bool(changes))


def compare_files(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Iterator[str]:
    """Yield each change of more than words between two sets of files, by name."""
    for name in sorted(old.keys() | new.keys()):
        if name not in new or name not in old:
            yield f"{name}: {'is gone' if name not in new else 'is new'}"
        elif old[name] != new[name]:
            yield from (f"{name}: {change}" for change in compare_texts(name, old[name].decode(), new[name].decode()))


def compare_texts(name: str, old: str, new: str) -> Iterator[str]:
    """Yield each change of more than words between two versions of a file; its name says how it is read."""
    if name.endswith(".json"):
        yield from _compare_values("", json.loads(old), json.loads(new))
        return
    if name.endswith(".csv"):
        yield from _compare_rows(*(list(csv.reader(io.StringIO(text))) for text in (old, new)))
        return
    for number, (before, after) in enumerate(zip_longest(old.splitlines(), new.splitlines()), start=1):
        place = f"line {number}"
        if before is None or after is None:
            yield f"{place}: the number of lines changed"
            return
        if name.endswith(".jsonl"):
            yield from _compare_values(place, json.loads(before), json.loads(after))
        elif not _same_but_words(before, after):
            yield f"{place}: {before!r} became {after!r}"


def _compare_values(place: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new):
            yield f"{place or 'top'}: keys changed, or their order: {list(old)} became {list(new)}"
            return
        for key in old.keys() - SIZES if SIZES & old.keys() else old:
            yield from _compare_values(f"{place}.{key}", old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{place}: {len(old)} entries became {len(new)}"
            return
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _compare_values(f"{place}[{number}]", before, after)
    elif isinstance(old, str) and isinstance(new, str):
        if not _same_but_words(old, new):
            yield f"{place}: {old!r} became {new!r}"
    elif type(old) is not type(new) or old != new:
        yield f"{place}: {old!r} became {new!r}"


def _compare_rows(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> Iterator[str]:
    if old[:1] != new[:1]:
        yield f"header changed: {old[:1]} became {new[:1]}"
    elif list(map(len, old)) != list(map(len, new)):
        yield "rows or their cells changed in number"
    else:
        for number, (before, after) in enumerate(zip(old, new, strict=True), start=1):
            changed = ((a, b) for a, b in zip(before, after, strict=True) if not _same_but_words(a, b))
            yield from (f"row {number}: {a!r} became {b!r}" for a, b in changed)


def _same_but_words(old: str, new: str) -> bool:
    """Report whether two texts are equal, or both sentences with the same numbers in the same order."""
    if old == new:
        return True
    return " " in old.strip() and " " in new.strip() and NUMBER.findall(old) == NUMBER.findall(new)


def _files(argument: str, folder: Path) -> dict[str, bytes]:
    """Read the files of a folder, a file, or a revision of the repository."""
    path = Path(argument)
    if path.is_file():
        return {path.suffix: path.read_bytes()}
    if not path.is_dir():
        folder.mkdir()
        archive = subprocess.run(["git", "archive", argument, *GENERATED], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
        path = folder
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
