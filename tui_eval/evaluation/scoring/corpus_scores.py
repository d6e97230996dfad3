"""BLEU and chrF of all replies of a model together, beside the means of single ones, with a bootstrap over clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import add

from tui_eval.core.calls import Reply
from tui_eval.core.results import Cell, Table
from tui_eval.core.units import Unit, clusters_of
from tui_eval.evaluation.scoring.corpus_metrics import (
    LONGEST,
    BleuRow,
    ChrfRow,
    Counts,
    bootstrap,
    corpus_score,
    segment_counts,
    signature,
)
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.evaluation.scoring.scorer_table import rule_of
from tui_eval.evaluation.scoring.scoring import WITHOUT_TEXT, text_compared
from tui_eval.evaluation.targets import TargetedAnswer

LEAST_DRAWN = 20
"""Clusters from which on there is an interval: percentiles of a bootstrap are too narrow below."""
MOST_DRAWN = 200
"""Sums that resamples draw from; more clusters are added up to so many, each of about as many clusters."""
Key = tuple[tuple[str, ...], str]
"""Stage, model and prompt; and the name of the scorer."""
COLUMNS = ("metric", "corpus", "ci_low", "ci_high", "n_replies", "n_left_out", "n_drawn", "signature")
TITLE = "Scores of the whole corpus"
NOTE = (
    "All replies of a model as one text: n-grams are added up, another number than the mean of the single scores."
    " Interval: 1,000 resamples of independent samples or groups, from 20 on."
)


@dataclass(slots=True)
class CorpusScores:
    """Counts of answers for the scores of their corpus, by side (stage, model and prompt) and row."""

    rows: Sequence[BleuRow | ChrfRow]
    _units: dict[Key, list[Unit]] = field(default_factory=dict)
    _counts: dict[Key, list[Counts]] = field(default_factory=dict)
    _targets: set[int] = field(default_factory=set)
    _left_out: Counter[Key] = field(default_factory=Counter)
    """Replies that are too long, or of which a limit keeps what is compared."""

    @staticmethod
    def of(rows: Sequence[ScorerRow]) -> CorpusScores:
        """Of those of some rows that have a score of the corpus."""
        return CorpusScores([row for row in rows if isinstance(row, BleuRow | ChrfRow) and not row.negated])

    def add(self, answer: TargetedAnswer, unit: Unit, fence: Fence) -> None:
        """Take in an answer that has a single score, too: a refusal or what holds nothing to compare is an empty text."""
        reply, call = answer.reply, answer.reply.call
        targets = [each for each in answer.expected.targets or () if each.strip()]
        if answer.why or not (targets and (reply.ok or reply.why in WITHOUT_TEXT)):
            return
        sides = [(call.stage, call.model), *((stage, model) for stage, model, _ in answer.also)]
        for row in self.rows if answer.scorers is None else [row for row in self.rows if row in answer.scorers]:
            keys = [((stage, model, unit.variant), row.metric_name) for stage, model in sides]
            self._add(row, keys, unit, reply, targets, fence)

    def _add(
        self, row: BleuRow | ChrfRow, keys: Sequence[Key], unit: Unit, reply: Reply, targets: Sequence[str], fence: Fence
    ) -> None:
        extraction = text_compared(rule_of(row), row, (reply.ok and reply.text) or "", fence)
        text = extraction.text or ""
        if extraction.is_fault or max(map(len, (text, *targets))) > LONGEST:
            self._left_out.update(keys)
            return
        self._targets.add(len(targets))
        counts = segment_counts(row, text, targets)
        for key in keys:
            self._units.setdefault(key, []).append(unit)
            self._counts.setdefault(key, []).append(counts)

    def tables(self, side: Sequence[str]) -> Mapping[str, Table]:
        """One row for each side and scorer; nothing where no scorer has a score of the corpus. `side`: the columns that
        name a side, as many as are wanted of it."""
        keyed_rows = [(key, row) for row in self.rows for key, name in self._counts if name == row.metric_name]
        rows = [(*map(Cell, key[: len(side)]), *self._row(key, row)) for key, row in keyed_rows]
        return {"corpus": Table(TITLE, (*side, *COLUMNS), rows, NOTE, (*side, COLUMNS[0]))} if rows else {}

    def short(self, side: Sequence[str]) -> Sequence[Table]:
        """The same as text, for the summary of a run."""
        table, n = self.tables(side).get("corpus"), len(side)
        if table is None:
            return ()
        rows = [(*row[: n + 1], *map(Cell, _in_words(row[n + 1])), Cell(str(row[n + 4].value))) for row in table.rows]
        return [Table(table.title, (*side, "metric", "corpus", "95 % interval", "replies"), rows, table.note)]

    def _row(self, side: tuple[str, ...], row: BleuRow | ChrfRow) -> tuple[Cell, ...]:
        key = (side, row.metric_name)
        counts, sums = self._counts[key], independent_sums(self._units[key], self._counts[key])
        low, high = bootstrap(row, sums) if len(sums) >= LEAST_DRAWN else (None, None)
        value = Cell(corpus_score(row, counts), len(counts), low, high, "of n-grams added up over all replies")
        values = (low, high, len(counts), self._left_out[key], len(sums), signature(row, self._targets))
        return (Cell(row.metric_name), value, *map(Cell, values))


def independent_sums(units: Sequence[Unit], counts: Sequence[Counts]) -> list[Counts]:
    """The sums of what is independent: of each cluster, or item; of many, of about as many together."""
    clusters, _ = clusters_of(units)
    names = [unit.item for unit in units] if clusters is None else clusters
    places: dict[str, int] = {}
    for name in names:
        places.setdefault(name, len(places) % MOST_DRAWN)
    sums: list[list[int | float]] = [[0] * len(counts[0]) for _ in range(min(len(places), MOST_DRAWN))]
    for name, each in zip(names, counts, strict=True):
        sums[places[name]] = list(map(add, sums[places[name]], each))
    return [*sums]


def _in_words(cell: Cell) -> tuple[str, str]:
    assert isinstance(cell.value, float)
    interval = "-" if cell.low is None or cell.high is None else f"[{cell.low:.2f}, {cell.high:.2f}]"
    return f"{cell.value:.2f}", interval
