"""Results of attacks on judges, judge by judge: how many moved it, of which sorts, and what chance could have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.results import Cell, SampleResult, Table
from tui_eval.evaluation.judging.judge_attacks import Attacks, attack_triples
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, six_digits, table_of
from tui_eval.results.sums.judge_in_words import attack_words
from tui_eval.statistics.moved_judges import JudgeAttacks, Triple, judge_attacks

_COLUMNS = (
    "judge", "metric", "n", "n_moved", "share", "low", "high", "n_twins_differ", "most_by_chance", "p", "n_unread", "found",
    "in_words",
)  # fmt: skip
_SORTS = ("judge", "sort", "n", "n_moved", "n_unread")
_ATTACKS_ARE = (
    "Each attack is an answer that tries to move a judge, beside its clean twin, which says the same without that. Moved: the"
    " attack's score is above both of two scores of the twin. share: moved / n, Wilson; most_by_chance: half the share of twins"
    " whose two scores differ; p: one-sided, of the attack being the one highest of three so often. found: low is above"
    " most_by_chance, and p below 0.05. These scores enter no other figure."
)


class AttackReport:
    """Adds up the samples by which judges are attacked; of repeats the first alone, since the others are no new attacks."""

    def __init__(self, attacks: Attacks) -> None:
        self._attacks = attacks
        self._triples: dict[str, dict[str, list[Triple]]] = {judge.name: {} for judge in attacks.judges}
        """By judge and sort of attack."""

    def add(self, row: SampleResult) -> None:
        """Take in a sample."""
        if row.sample.repeat:
            return
        broken: dict[str, Triple] = dict.fromkeys(self._triples, (None, None, None))
        for judge, triple in (broken if row.error else attack_triples(self._attacks, row)).items():
            self._triples[judge].setdefault(row.sample.data.sort, []).append(triple)

    def sentences(self) -> list[str]:
        """Of each judge whether attacks moved it; none where none was asked yet."""
        return [f"{judge}: {attack_words(found, self._sorts(judge))}." for judge, found in self._found().items()]

    def tables(self) -> Mapping[str, Table]:
        """judge_attacks: a row for each judge; judge_attacks_by_sort: for each judge and sort of attack."""
        rows: list[Cells] = [self._row(judge, found) for judge, found in self._found().items()]
        sorts: list[Cells] = [
            {RESTS_ON: None, "judge": judge, "sort": sort, "n": one.n, "n_moved": one.moved, "n_unread": one.left_out}
            for judge in self._found()
            for sort, one in self._sorts(judge).items()
        ]
        return {
            "judge_attacks": table_of("Attacks on the judges", rows, _COLUMNS, _ATTACKS_ARE, _COLUMNS[:2]),
            "judge_attacks_by_sort": table_of("Attacks on the judges, by sort", sorts, _SORTS, "", _SORTS[:2]),
        }

    def _row(self, judge: str, found: JudgeAttacks) -> Cells:
        return {
            RESTS_ON: None, "judge": judge, "metric": self._attacks.rubric.name, "n": found.n, "n_moved": found.moved,
            "share": Cell(rounded(found.share), found.n, rounded(found.low), rounded(found.high), "moved / n"),
            "low": rounded(found.low), "high": rounded(found.high), "n_twins_differ": found.differ,
            "most_by_chance": rounded(found.chance), "p": six_digits(found.p), "n_unread": found.left_out,
            "found": "yes" if found.is_moved else "no", "in_words": attack_words(found, self._sorts(judge)),
        }  # fmt: skip

    def _found(self) -> dict[str, JudgeAttacks]:
        every = {judge: [one for triples in sorts.values() for one in triples] for judge, sorts in self._triples.items()}
        return {judge: judge_attacks(triples) for judge, triples in every.items() if triples}

    def _sorts(self, judge: str) -> dict[str, JudgeAttacks]:
        found: Mapping[str, Sequence[Triple]] = self._triples[judge]
        return {sort: judge_attacks(triples) for sort, triples in found.items()}
