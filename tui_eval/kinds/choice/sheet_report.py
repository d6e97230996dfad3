"""The report on answer sheets: the scores that every kind has, and what only letters have, such as patterns and biases."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import nsmallest
from typing import NamedTuple

from tui_eval.core.calls import Json
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.plaintext import count_of
from tui_eval.core.results import Cell, Table
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC
from tui_eval.evaluation.consistency import Consistency
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.item_table import ChosenOptions, ItemPart
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RATE, RESTS_ON, Cells, mean_cells, rounded, table_of
from tui_eval.kinds.choice.choice_biases import Biases, bias_table, leanings, letters_table, row_of
from tui_eval.kinds.choice.sentences import chance_text, reading_notes
from tui_eval.kinds.choice.sheets import WITHOUT_LETTER, Answers, AnswerSheets, Sheet, SheetCosts
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.in_words import percent
from tui_eval.results.sums.means import Estimate, estimate, of_counts
from tui_eval.results.sums.pair_words import pairs_words
from tui_eval.results.sums.series import ByPlace, Group, Series
from tui_eval.results.sums.verdict import verdict_of

STAGE, CORRECT = "answer", Metric("correct", threshold=1.0)
GROUPINGS = (DIFFICULTY, DOMAIN, CALC_REQUIRED, TOPIC)
DIFFICULTIES = ("easy", "medium", "hard")
REASONS = tuple(why for reasons in WITHOUT_LETTER.values() for why in reasons)
NO_OPTION = -1
NO_RUN = Task(config=None, asked={})
RATES_NOTE = (
    " A reply without a letter is wrong, a call without a reply is missing. cost_usd: all attempts, those that failed, too, of"
    " which n_cost_unknown tell none. final: the last attempts alone. usd_per_correct counts replies on file at what they cost"
    " when first asked."
)
GROUPS_NOTE = "A question may be of several domains: their numbers do not add up to the whole. Topics are in breakdown.csv."


class QuestionFigures(NamedTuple):
    """The results of all sheets together on one question, as the table of questions has them."""

    question_id: str
    key: str
    n_models: int
    """Sheets that replied to it."""
    right: float
    """Sum over them of the share of right replies."""
    share_right: Cell
    n_without_letter: int
    n_missing: int
    """Replies without a letter, and calls without a reply."""
    most_common_wrong: str | None
    n_most_common_wrong: int
    """The wrong option that most models chose, and how many did."""


class SheetReport(ScoreReport):
    """Answer sheets side by side, the best first."""

    own_columns = (*(f"n_{why}" for why in REASONS), *SheetCosts().cells, "usd_per_correct", "usd_per_correct_final")
    repeat_columns = ("n_same", "consistency")
    lacking = "not read, or missing"

    def __init__(self, whole: AnswerSheets, ids: Mapping[str, str] | None = None, of: Task = NO_RUN) -> None:
        """`ids`: the APIs' own ids of the models, by the labels of their sheets; None = those that sheets say
        themselves; `of`: the run that they are of, where they are of one."""
        sides = [(STAGE, sheet.label) for sheet in whole.sheets]
        meaning, titles = {STAGE: "letter is the key's"}, ("Accuracy by model", "")
        task = replace(NO_RUN, config=of.config, units=of.units, scorers=of.scorers)
        super().__init__(task, [CORRECT], "", sides, meaning, also=RATES_NOTE, titles=titles)
        own = {sheet.label: str(sheet.info.get("deployment") or sheet.model) for sheet in whole.sheets}
        self.whole, self.ids = whole, own if ids is None else dict(ids)
        self.by_label = {sheet.label: sheet for sheet in whole.sheets}
        for part in self.parts:
            if isinstance(part, ItemPart):
                part.with_options(self._chosen_options, self.ids)

    @cached_property
    def board(self) -> Board:
        """Every sheet's scores, the best first, by the places of the questions; put together when first asked for."""
        board = super().board
        board.items = self.whole.asked.items
        for side, series in board.series.items():
            series.grow(len(board.items))
            placed = self.by_label[side.model].answers
            for place in range(len(board.items)):
                counts = Counter[int]()
                for answer in placed.at(place):
                    series.add(place, answer.value, answer.why, answer.repeat << 24 | counts[answer.repeat])
                    counts[answer.repeat] += 1
        board.series = {side: board.series[side] for side in board.by_rank([*board.series])}
        return board

    @property
    def sheets(self) -> list[Sheet]:
        """All of them, the best first."""
        return [self.by_label[side.model] for side in self.board.series]

    @property
    def verdict(self) -> str:
        """The sentence that a person can repeat of it, and whose answers are simulated."""
        made_up = {sheet.label for sheet in self.whole.sheets if sheet.simulated}
        return verdict_of(self.board, made_up, every=len(made_up) == len(self.whole.sheets) > 0)

    @property
    def _all(self) -> list[Series]:
        return [*self.board.series.values()]

    def rate(self, sheet: Sheet, group: Group | None = None) -> Estimate:
        """A sheet's accuracy over all that it was asked, or over a group of questions."""
        return self.board.estimate(Side(STAGE, sheet.label, CORRECT.name), group)

    def breakdown(self, groups: Iterable[Group]) -> list[dict[str, Json]]:
        """Accuracies by group and model."""
        return [
            {
                "by": group.by,
                "value": group.value,
                "model": sheet.label,
                "n_asked": estimate.asked,
                "n_replies": estimate.scored,
                "n_correct": estimate.right,
                "accuracy": rounded(estimate.value),
                "ci_low": rounded(estimate.low),
                "ci_high": rounded(estimate.high),
                "n_missing": estimate.missing,
            }
            for group in groups
            for sheet in self.sheets
            for estimate in [self.rate(sheet, group)]
        ]

    @cached_property
    def every_group(self) -> list[Group]:
        """Difficulties, domains, whether calculation is needed, topics; a question may stand in several of them."""
        return sorted(self.board.groups, key=_place)

    def groups_by(self, by: str) -> list[Group]:
        """The groups of one kind."""
        return [group for group in self.every_group if group.by == by]

    @property
    def groups(self) -> list[Group]:
        """All but the topics, of which there are many."""
        return [group for group in self.every_group if group.by != TOPIC]

    @cached_property
    def questions(self) -> Sequence[QuestionFigures]:
        """Of each question, in the benchmark's order; of many, each is made when it is looked at."""
        asked, sheets, every = self.whole.questions, self.sheets, self._all
        figures = LazySequence(len(asked), lambda n: question_figures(asked[n], n, sheets, every))
        return figures if isinstance(asked, LazySequence) else [*figures]

    @cached_property
    def tallies(self) -> tuple[array[float], array[int]]:
        """Of each question the sum over the sheets of the share of right replies, and how many sheets replied to it."""
        shares = ([series.mean(place) for series in self._all] for place in range(len(self.whole.questions)))
        rights, models = array("d"), array("I")
        for own in shares:
            means = [share for share in own if share is not None]
            rights.append(round(sum(means), 6))
            models.append(len(means))
        return rights, models

    def most_wrong(self, n: int) -> list[int]:
        """Places of the first questions by how many models chose one and the same wrong option, then the hardest."""
        sheets, shares = self.sheets, self._shares_right
        wrong = array("I", (most_common_wrong([s.answers.at(place) for s in sheets])[1] for place in range(len(shares))))
        return nsmallest(n, range(len(shares)), key=lambda place: (-wrong[place], shares[place]))

    @cached_property
    def _hardest(self) -> array[int]:
        """Places of the questions, the hardest first; found when the table of them is looked at."""
        shares = self._shares_right
        return array("I", sorted(range(len(shares)), key=shares.__getitem__))

    @property
    def _shares_right(self) -> array[float]:
        """Of each question the share of models that have it right; 2 where none replied."""
        return array("d", (right / n if n else 2 for right, n in zip(*self.tallies, strict=True)))

    @cached_property
    def biases(self) -> dict[str, Biases]:
        """Of each sheet, by its label."""
        sheet_biases = leanings(self.whole, self.usual_size)
        return {sheet.label: biases for sheet, biases in zip(self.whole.sheets, sheet_biases, strict=True)}

    @cached_property
    def usual_size(self) -> int:
        """The number of options that most questions have: position is measured over these."""
        return Counter(self.whole.asked.sizes).most_common(1)[0][0]

    @property
    def single(self) -> bool:
        """Return whether every question was asked of every model at most once."""
        return all(series.single for series in self._all)

    # tables

    def own_tables(self) -> Mapping[str, Table]:
        """Patterns, letters, biases, agreement, questions."""
        return {
            "patterns": self._patterns(),
            "letters": letters_table(self.sheets, self.biases, self.usual_size),
            "bias": bias_table(self.sheets, self.biases),
            "agreement": self._agreement(),
            "questions_by_difficulty": self._questions(),
        }

    def _chosen_options(self) -> ChosenOptions:
        """The option of each sheet's first answer to each question, whatever letter it had in the prompt."""
        asked = self.whole.asked
        keys = (NO_OPTION if (key := asked.shapes[number].key) is None else key for number in asked.numbers)
        options = {
            sheet.label: ByPlace(array("b", _firsts(sheet, len(asked.numbers))), NO_OPTION) for sheet in self.whole.sheets
        }
        return ChosenOptions(asked.ids, ByPlace(array("i", keys), NO_OPTION), options)

    def headline(self, notes: Sequence[str] = ()) -> list[Table]:
        """The leaderboard in short, below it what must be known first; then difficulty, where the benchmark has it."""
        levels, whole = self.groups_by(DIFFICULTY), self.whole
        n = count_of(len(whole.questions), "question")
        title = f"{whole.benchmark}: {n}" + (f" of {whole.size}" if len(whole.questions) < whole.size else "")
        sentences = [*pairs_words(self.board.pairs, self.units), chance_text(whole.asked.sizes)]
        note = "\n".join([*notes, *reading_notes(whole.sheets), *sentences])
        tables = [replace(table, title=title, note=note) for table in super().headline()]
        if levels:
            columns = ("model", *(f"{level.value} ({len(level.indexes)})" for level in levels))
            cells = ([_in_short(self.rate(sheet, level)) for level in levels] for sheet in self.sheets)
            rows = [(Cell(sheet.label), *own) for sheet, own in zip(self.sheets, cells, strict=True)]
            tables.append(replace(tables[0], title="Accuracy by difficulty (number of questions)", columns=columns, rows=rows,
                                 note=""))  # fmt: skip
        return tables

    @property
    def _keys(self) -> tuple[str, ...]:
        """There is one stage."""
        return ("model",)

    @property
    def _reasons(self) -> Mapping[str, str]:
        return {"no reply": "missing"}

    @property
    def _words(self) -> Mapping[str, str]:
        return {**{f"n_{why}": why.replace("_", " ") for why in REASONS}, "n_missing": "MISSING"}

    def _row(self, side: Side, series: Series, reasons: Mapping[str, str]) -> Cells:
        """With replies without a letter, by reason, and costs."""
        sheet, estimate = self.by_label[side.model], self.board.estimate(side)
        unread = sheet.without_letter
        each, final = (sheet.costs.each(estimate.right, estimate.scored, alone) for alone in (False, True))
        return {
            **super()._row(side, series, reasons),
            **{f"n_{why}": unread[why] for why in REASONS},
            **sheet.costs.cells,
            "usd_per_correct": Cell(each, round(estimate.right), formula="cost of all attempts / right"),
            "usd_per_correct_final": Cell(final, round(estimate.right), formula="cost of the last attempts / right"),
        }

    def _by_group(self, series_by_side: Mapping[Side, Series], binary: bool) -> Table:
        return replace(super()._by_group(series_by_side, binary), note=GROUPS_NOTE)

    def _repeats(self, side: Side, consistency: Consistency) -> Cells:
        """With how often all replies chose the same option, by its content."""
        same = self.by_label[side.model].same_option
        share = Cell(same / consistency.questions, consistency.questions, formula="same option in all replies / questions")
        return {**super()._repeats(side, consistency), "n_same": same, "consistency": share}

    def _patterns(self) -> Table:
        """By what each sheet's answers were read, and how often these were right."""
        rows: list[Cells] = []
        metric_name = {"name": CORRECT.name} if self.stands_beside else {}
        for sheet in self.sheets:
            rates = self._rates_by_pattern(sheet)
            total = sum(rate.scored for rate in rates.values())
            for name, rate in sorted(rates.items(), key=lambda each: -each[1].scored):
                n, rests_on = rate.scored, {"model": sheet.model, "pattern": name, **metric_name}
                share = Cell(n / total, total, formula="n / replies")
                own = {"pattern": name, "n": n, "share": share, "n_correct": rate.right}
                rows.append({**row_of(sheet), RESTS_ON: rests_on, **own, **mean_cells(rate, self.units.item)})
        note = "By what the letter was found; a reply without a letter stands under its reason, and is wrong."
        columns = ("model", "pattern", "n", "share", "n_correct", *RATE[:3])
        return table_of("How answers were given", rows, columns, note, columns[:2])

    def _rates_by_pattern(self, sheet: Sheet) -> dict[str, Estimate]:
        """Rates of right answers by what these were read by, in the order in which it first comes."""
        if self.single and self.board.items.independent:
            replies = [(answer, n) for answer, n in sheet.tally() if answer.replied]
            parts = gathered((answer.read_by, (n, n * answer.correct)) for answer, n in replies)
            totals = {name: (sum(n for n, _ in counts), sum(right for _, right in counts)) for name, counts in parts.items()}
            return {name: of_counts(n, n, right) for name, (n, right) in totals.items()}
        series: dict[str, Series] = {}
        for place in range(len(self.whole.questions)):
            for answer in sheet.answers.at(place):
                if answer.replied:
                    series.setdefault(answer.read_by, Series()).add(place, answer.value)
        return {name: estimate(own, self.board.items, CORRECT) for name, own in series.items()}

    def _agreement(self) -> Table:
        """Tabulate how many questions all models, some and none have right."""
        counts = agreement(self._all, len(self.whole.questions))
        n = counts.total() - counts["left_out"]
        rows: list[Cells] = [
            {
                RESTS_ON: None,
                "agreement": name,
                "n": counts[name],
                "share": Cell(counts[name] / n if n else None, n, formula="n / questions"),
            }
            for name in ("all_right", "all_wrong", "mixed")
        ]
        note = f"Over the {n} questions that every model replied to; {counts['left_out']} are left out."
        return table_of("Model agreement", rows, ("agreement", "n", "share"), note, ("agreement",))

    def _questions(self) -> Table:
        """Tabulate the results of all models on each question."""
        figures, ids = self.questions, self.whole.asked.ids

        def row(place: int) -> tuple[Cell, ...]:
            return tuple(value if isinstance(value, Cell) else Cell(value) for value in figures[self._hardest[place]])

        n, note = len(figures), "n_models: models that replied."
        rests_on = LazySequence(n, lambda place: {"doc_id": ids[self._hardest[place]]})
        return Table("Questions, the hardest first", QuestionFigures._fields, LazySequence(n, row), note, (), rests_on)


def _firsts(sheet: Sheet, questions: int) -> Iterator[int]:
    """Of each question, of so many, the option of its first answer."""
    for place in range(questions):
        first = next(iter(sheet.answers.at(place)), None)
        yield NO_OPTION if first is None or first.option is None else first.option


def question_figures(question: Sample, index: int, sheets: Sequence[Sheet], series: Sequence[Series]) -> QuestionFigures:
    """Return the results of these sheets, whose scores these are, on the question at this place."""
    answers = [sheet.answers.at(index) for sheet in sheets]
    letter, times = most_common_wrong(answers)
    means = [share for sheet_series in series if (share := sheet_series.mean(index)) is not None]
    n, right = len(means), sum(means)
    share_right = Cell(right / n if n else None, n, formula="right / models")
    unread = sum(answer.replied and answer.option is None for own in answers for answer in own)
    missing = sum(sheet_series.asked[index] - sheet_series.scored[index] for sheet_series in series)
    return QuestionFigures(question.id, question.letter, n, round(right, 6), share_right, unread, missing, letter, times)


def most_common_wrong(answers: Iterable[Answers]) -> tuple[str | None, int]:
    """Return the letter of the wrong option that most models chose, and how many did. `answers`: each model's to a question."""
    wrong = Counter(letter for own in answers for letter in {answer.letter for answer in own if not answer.correct} if letter)
    return min(wrong.items(), key=lambda pair: (-pair[1], pair[0]), default=(None, 0))


def agreement(series: Sequence[Series], questions: int) -> Counter[str]:
    """Count the questions, of so many, that all models have right, none or some; and those left out, with a score missing."""
    counts = Counter[str]()
    for place in range(questions):
        shares = [share for sheet_series in series if (share := sheet_series.mean(place)) is not None]
        same = "all_right" if min(shares, default=0) == 1 else "mixed" if any(shares) else "all_wrong"
        counts[same if len(shares) == len(series) else "left_out"] += 1
    return counts


def _place(group: Group) -> tuple[int, int, int, str]:
    """Return the sort key of a group: difficulties as they rise, the others by their size."""
    level = DIFFICULTIES.index(group.value) if group.value in DIFFICULTIES else len(DIFFICULTIES)
    return GROUPINGS.index(group.by), level if group.by == DIFFICULTY else 0, -len(group.indexes), group.value


def _in_short(estimate: Estimate) -> Cell:
    return Cell(percent(estimate.value), estimate.n, estimate.low, estimate.high, "mean over the questions")
