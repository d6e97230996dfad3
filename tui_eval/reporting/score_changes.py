"""Score changes: under another rule for the same replies, and after an upgrade of a scorer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation, with_stored_scores
from tui_eval.core.calls import Call, Json, Reply
from tui_eval.core.key import call_key
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample, plain_id
from tui_eval.evaluation.drivers import as_example, recorded_answers
from tui_eval.results.stored_samples import parse_sample
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.reader import Recorded, lines

Lines = Iterator[tuple[int, bytes]]
Name = tuple[str, str, int, str]
"""(stage, model, call_index, name)."""
Scores = dict[Name, Score]
"""What one sample's replies were scored, by stage, model, call and name."""
PROBED_LINES = 50
"""Lines with scores after which no other version is looked for: one rule makes the scores of a whole run."""


@dataclass(slots=True)
class Changes:
    """Changes of scores between two rules, or two versions of one, over the same replies."""

    compared: int = 0
    versions: dict[tuple[str, str], None] = field(default_factory=dict)
    """(before, after), in the order in which they are met."""
    changed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By model, pattern before and pattern after: scores of another value, or of which something else was read."""
    gained: dict[str, float] = field(default_factory=dict)
    """By model: what its sum of values changed by, over the scores that have one under both rules."""
    higher: Counter[str] = field(default_factory=Counter)
    lower: Counter[str] = field(default_factory=Counter)
    """By model, those of them whose value is higher now, and lower."""
    new: Counter[str] = field(default_factory=Counter)
    gone: Counter[str] = field(default_factory=Counter)
    """By model: scores that have a value now and had none, and the other way round."""
    added: Counter[str] = field(default_factory=Counter)
    """By metric: scores that the former rule did not make, as of a scorer that was not there."""

    def add(self, before: Score, after: Score) -> bool:
        """Compare what was made of one reply; whether that differs."""
        self.versions[before.version, after.version] = None
        self.compared += 1
        if (before.value, before.read) == (after.value, after.read):
            return False
        self.changed[after.model, _read_by(before), _read_by(after)] += 1
        if after.value is not None and before.value is not None:
            gain = after.value - before.value
            self.gained[after.model] = self.gained.get(after.model, 0.0) + gain
            self.higher[after.model] += gain > 0
            self.lower[after.model] += gain < 0
        elif after.value is not None:
            self.new[after.model] += 1
        elif before.value is not None:
            self.gone[after.model] += 1
        return True


def on_file(path: Path) -> Lines:
    """The lines of a run's results as they are now, also when the file has given way to another."""
    stored_lines = lines(path / RESULTS)
    first = next(stored_lines, None)  # which opens it
    return iter(()) if first is None else chain([first], stored_lines)


def newer_rules(before: Lines, after: Lines) -> Changes | None:
    """Return the changes by the version of a rule between two files of samples; None where there are none.

    One of them may list samples that the other lacks: what was not asked when it was written.
    """
    changes, n_scored = Changes(), 0
    for was, now in _of_the_same_samples(before, after):
        for name, score in now.items():
            former = was.get(name)
            if former is not None and former.version != score.version:
                changes.add(former, score)
        n_scored += bool(now)
        if not changes.compared and n_scored >= PROBED_LINES:
            return None
    return changes if changes.compared else None


def _of_the_same_samples(before: Lines, after: Lines) -> Iterator[tuple[Scores, Scores]]:
    """The scores that both files have of a sample, as soon as both were read; what only one has shown waits for the other."""
    former: dict[tuple[str, int], Scores] = {}
    later: dict[tuple[str, int], Scores] = {}
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


def _scores(stored_lines: Lines) -> Iterator[tuple[tuple[str, int], Scores]]:
    """Each sample of a file with its scores."""
    for _, line in stored_lines:
        if (sample := parse_sample(line)) is not None:
            yield (sample.item_id, sample.repeat), {name_of(mark): mark for mark in sample.marks}


CHANGES = "changes.csv"
CHANGE_COLUMNS = (
    "item_id", "model", "stage", "call_index", "score", "read_before", "pattern_before", "value_before", "why_before",
    "read_after", "pattern_after", "value_after", "why_after", "raw",
)  # fmt: skip
RAW_CHARACTERS = 500
PROBED = 200
"""Items on which two configs are compared."""


class OtherRule:
    """A former rule on the replies that another rule has scored: every score that differs in value or in what was read."""

    def __init__(self, before: Evaluation, recorded: Recorded) -> None:
        self.before = with_stored_scores(before, recorded.path)
        self._on_file = recorded_answers(before.models, recorded.reply)
        """The former rule may rest on calls that this one does not make, such as a scorer's."""
        self.items = {item.id: item for item in before.samples()}
        self.sums = Changes()
        self.rows: list[dict[str, Json]] = []

    def add(self, row: SampleResult) -> None:
        """Compare one item with what the former rule made of it."""
        for old, new, reply in self.compared(row):
            if old is None:
                self.sums.added[new.name] += 1
            elif self.sums.add(old, new):
                values = (
                    plain_id(row.sample.id), new.model,
                    new.stage, new.call_index, new.name, old.read, old.pattern, old.value, old.why,
                    new.read, new.pattern, new.value, new.why, (reply.text or "" if reply else "")[:RAW_CHARACTERS],
                )  # fmt: skip
                self.rows.append(dict(zip(CHANGE_COLUMNS, values, strict=True)))

    def pairs(self, row: SampleResult) -> Iterator[tuple[Score, Score]]:
        """An item's scores under the former rule and under this one, of those that both make."""
        return ((old, new) for old, new, _ in self.compared(row) if old is not None)

    def compared(self, row: SampleResult) -> Iterator[tuple[Score | None, Score, Reply | None]]:
        """An item's scores under the former rule and under this one, with their reply. A score that is new has no before."""
        item = self.items.get(row.sample.id)
        if item is None:
            return
        replies = {(r.call.stage, r.call.model, r.call.call_index, r.call.about): r for r in row.replies}

        def answer(call: Call) -> Reply:
            return replies.get((call.stage, call.model, call.call_index, call.about)) or self._on_file(call)

        former: dict[Name, list[Score]] = {}
        for score in self.before.driven(item, answer).scores:
            former.setdefault(name_of(score), []).append(score)
        scored = {(r.call.stage, r.call.model, r.call.call_index): r for r in row.replies}
        for score in row.scores:
            same = former.get(name_of(score))  # of one reply in their order, such as those of several questions
            yield same.pop(0) if same else None, score, scored.get((score.stage, score.model, score.call_index))


def asks_otherwise(before: Evaluation, after: Evaluation) -> bool:
    """Return whether a changed config makes calls that the former did not make; looked up on a sample of its items."""

    def keys(evaluation: Evaluation, item: Sample) -> set[str]:
        row = evaluation.driven(item, as_example)
        return {call_key(reply.call, evaluation.models[reply.call.model]) for reply in row.replies}

    items_before = {item.id: item for item in before.samples()}
    items = list(after.samples())
    sample = items[:: max(len(items) // PROBED, 1)]
    return any(item.id not in items_before or not keys(after, item) <= keys(before, items_before[item.id]) for item in sample)


def name_of(score: Score) -> Name:
    """Return the key that tells one score of a sample from another."""
    return score.stage, score.model, score.call_index, score.name


def _read_by(score: Score) -> str:
    """By what a score was read: its pattern, why there is none, or the rule."""
    return score.pattern or score.why or score.version
