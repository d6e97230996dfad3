"""What a newer version of a rule made of the same replies: scores that were on file before a re-score, beside those after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.results.comparison.read_lines import entry_of
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.reader import lines

Lines = Iterator[tuple[int, bytes]]
Name = tuple[Json, ...]
Scores = dict[Name, Mapping[str, Any]]
"""What one sample's replies were scored, by stage, model, call and name."""
PROBED = 50
"""Lines with scores after which no other version is looked for: one rule makes the scores of a whole run."""


@dataclass(slots=True)
class NewerRules:
    """Scores that were made by another version of a rule, and what became of them."""

    versions: dict[tuple[str, str], None] = field(default_factory=dict)
    """(before, after), in the order in which they are met."""
    compared: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    """By model, scores of another value, or of which something else was read."""
    gained: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """By model, scores whose value is higher now, and lower; not where one has none."""

    def add(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Compare what two versions made of one reply."""
        self.versions[str(before.get("version")), str(after.get("version"))] = None
        self.compared += 1
        old, new, model = before.get("value"), after.get("value"), str(after.get("model"))
        if (old, before.get("read")) != (new, after.get("read")):
            self.changed[model] += 1
        if isinstance(old, int | float) and isinstance(new, int | float) and old != new:
            (self.gained if new > old else self.lost)[model] += 1


def on_file(path: Path) -> Lines:
    """The lines of a run's results as they are now, also when the file has given way to another."""
    found = lines(path / RESULTS)
    first = next(found, None)  # which opens it
    return iter(()) if first is None else chain([first], found)


def newer_rules(before: Lines, after: Lines) -> NewerRules | None:
    """What differs by the version of a rule between two files of samples; None where none does.

    One of them may list samples that the other lacks: what was not asked when it was written.
    """
    found, seen = NewerRules(), 0
    for was, now in _of_the_same_samples(before, after):
        for name, score in now.items():
            told = was.get(name)
            if told is not None and told.get("version") != score.get("version"):
                found.add(told, score)
        seen += bool(now)
        if not found.compared and seen >= PROBED:
            return None
    return found if found.compared else None


def _of_the_same_samples(before: Lines, after: Lines) -> Iterator[tuple[Scores, Scores]]:
    """The scores that both files have of a sample, as soon as both were read; what only one has shown waits for the other."""
    former: dict[Name, Scores] = {}
    later: dict[Name, Scores] = {}
    for old, new in zip_longest(_scores(before), _scores(after)):
        if old is not None:
            former[old[0]] = old[1]
        if new is not None:
            later[new[0]] = new[1]
        for sample, _ in filter(None, (old, new)):
            if sample in former and sample in later:
                yield former.pop(sample), later.pop(sample)
        if old is None:
            later.clear()
        if new is None:
            former.clear()
        if (old is None and not former) or (new is None and not later):
            return


def _scores(found: Lines) -> Iterator[tuple[Name, Scores]]:
    """Each sample of a file with its scores."""
    for _, line in found:
        if (entry := entry_of(line)) is not None:
            yield (entry["item_id"], entry["repeat"]), {_name_of(score): score for score in entry["scores"]}


def _name_of(score: Mapping[str, Any]) -> Name:
    return tuple(score.get(name) for name in ("stage", "model", "call_index", "name"))
