"""The figures of a board of answer sheets: accuracies, comparisons, biases, agreement. Each says its n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC
from tui_eval.evaluation.consistency import Consistency, consistency
from tui_eval.kinds.choice.choice_biases import Biases, leanings
from tui_eval.kinds.choice.sheets import Answer, Board, Sheet, series_of, series_of_answers
from tui_eval.results.sums.differences import Pair, Power, corrected, every_pair, power_of
from tui_eval.results.sums.means import Rate, rate
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.results.sums.ranks import Rank, by_intervals, by_pairs, won_by
from tui_eval.results.sums.series import Group, Series, grouped


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over the questions that every model has a score for, each right or wrong."""

    questions: int
    all_right: int
    all_wrong: int
    left_out: int
    """Questions where some model has no score."""

    @property
    def mixed(self) -> int:
        """Neither."""
        return self.questions - self.all_right - self.all_wrong


def agreement(series: Sequence[Series], questions: int) -> Agreement:
    """Over the questions, of so many, that every model has a score for."""
    complete = [i for i in range(questions) if all(one.scored[i] for one in series)]
    right = sum(all(one.total[i] == one.scored[i] for one in series) for i in complete)
    wrong = sum(not any(one.total[i] for one in series) for i in complete)
    return Agreement(len(complete), right, wrong, questions - len(complete))


GROUPINGS = (DIFFICULTY, DOMAIN, CALC_REQUIRED, TOPIC)
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """What all sheets together made of one question."""

    question: Sample
    models: int
    """Sheets that replied to it."""
    right: float
    """Sum over them of the share of right replies."""
    unread: int
    missing: int
    """Replies without a letter, and calls without a reply."""
    wrong_option: int | None
    wrong_count: int
    """The wrong option that most models chose, and how many did."""

    @property
    def failed(self) -> float:
        """Models that failed it."""
        return self.models - self.right


@dataclass(frozen=True, slots=True)
class Standing:
    """What one sheet comes to among the others."""

    sheet: Sheet
    series: Series
    accuracy: Rate
    """Over everything it was asked."""
    rank: Rank | None
    rank_by_interval: Rank | None
    """Those that the paired comparison leaves open, and those that the intervals do; None without a reply."""
    biases: Biases

    def within(self, group: Group) -> Rate:
        """Its accuracy over a group of questions."""
        return rate(self.series, group)

    def by_pattern(self) -> dict[str, Rate]:
        """Its accuracy over the replies whose letter was found by each pattern; without one, by reason, it is 0."""
        found: dict[str, dict[str, list[Answer]]] = {}
        for question, answer in self.sheet.all_answers():
            if answer.replied:
                found.setdefault(answer.read_by, {}).setdefault(question, []).append(answer)
        return {pattern: rate(series_of_answers(answers.values())) for pattern, answers in found.items()}

    @property
    def consistency(self) -> Consistency | None:
        """How its replies to one and the same question agree; None where no question has several."""
        if not self.series.repeated:
            return None
        scores = self.series.values()
        return consistency(scores, [[value == 1 for value in answers] for answers in scores])

    @property
    def cost_per_right(self) -> float | None:
        """USD of a right answer, by the replies whose cost is known; None unless it is known of all."""
        known = self.accuracy.right and self.sheet.n_cost_known >= self.accuracy.scored
        return self.sheet.cost_usd / self.accuracy.right if known else None


class Figures:
    """All figures of a board, each worked out when it is first asked for."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.series = [series_of(sheet, board.questions) for sheet in board.sheets]

    @cached_property
    def accuracies(self) -> list[Rate]:
        """Of each sheet, over everything it was asked."""
        return list(map(rate, self.series))

    @cached_property
    def ranks(self) -> list[Rank | None]:
        """Of each sheet those that the paired comparison leaves open; None without a reply."""
        sheets = [sheet for sheet, a in zip(self.board.sheets, self.accuracies, strict=True) if a.scored]
        found = iter(by_pairs(sheets, won_by(self.pairs)))
        return [next(found) if accuracy.scored else None for accuracy in self.accuracies]

    @cached_property
    def by_rank(self) -> list[int]:
        """Numbers of the sheets by the lower end of their interval, the highest first; those without a reply last.

        By the rate alone a model with one right reply of one would stand above all others.
        """
        lows = [-1.0 if a.low is None else a.low for a in self.accuracies]
        return sorted(range(len(lows)), key=lambda i: (-lows[i], i))

    @cached_property
    def standings(self) -> list[Standing]:
        """What each sheet comes to, in the board's order."""
        spans = ((a.low, a.high) for a in self.accuracies)
        loose = by_intervals([None if low is None or high is None else (low, high) for low, high in spans])
        columns = (self.board.sheets, self.series, self.accuracies, self.ranks, loose, self.biases)
        return [Standing(*found) for found in zip(*columns, strict=True)]

    @property
    def ranked(self) -> list[Standing]:
        """The same, the best first."""
        return [self.standings[i] for i in self.by_rank]

    @cached_property
    def groups(self) -> list[Group]:
        """Difficulties, domains, whether calculation is needed, topics; a question may stand in several of them."""
        return sorted(grouped(question.groups for question in self.board.questions), key=_place)

    def groups_by(self, by: str) -> list[Group]:
        """The groups of one kind."""
        return [group for group in self.groups if group.by == by]

    @cached_property
    def pairs(self) -> list[Pair[Sheet]]:
        """Every pair of sheets, the better-ranked one first, with Holm's correction over all of them."""
        order = [(self.board.sheets[i], self.series[i]) for i in self.by_rank if self.accuracies[i].scored]
        return corrected(list(every_pair(order, RIGHT_OR_WRONG, means_by_t=True)))

    @cached_property
    def questions(self) -> list[QuestionFigures]:
        """Of each question, in the benchmark's order."""
        return [_question_figures(self.board, self.series, i) for i in range(len(self.board.questions))]

    @cached_property
    def agreement(self) -> Agreement:
        """Over the questions that every model replied to."""
        return agreement(self.series, len(self.board.questions))

    @property
    def hardest(self) -> list[QuestionFigures]:
        """Questions that some model failed, those failed by the largest share first."""
        failed = [q for q in self.questions if q.failed > 0]
        return sorted(failed, key=lambda q: (-q.failed / q.models, -q.failed))

    @property
    def easiest(self) -> list[QuestionFigures]:
        """Questions that some model passed, those passed by the largest share, and by most models, first."""
        passed = [q for q in self.questions if q.right > 0]
        return sorted(passed, key=lambda q: (-q.right / q.models, -q.models))

    @cached_property
    def biases(self) -> list[Biases]:
        """Of each sheet."""
        return leanings(self.board, self.usual_size)

    @cached_property
    def usual_size(self) -> int:
        """The number of options that most questions have: position is measured over these."""
        return Counter(len(q.options) for q in self.board.questions).most_common(1)[0][0]

    @property
    def single(self) -> bool:
        """Whether every question was asked of every model at most once."""
        return all(series.single for series in self.series)

    @property
    def power(self) -> Power | None:
        """What a typical pair shows; None where there is no pair."""
        return power_of(self.pairs, self.single)

    @property
    def chance(self) -> float:
        """What picking at random scores: the mean of 1 / number of options."""
        return fmean(1 / len(question.options) for question in self.board.questions)


def _place(group: Group) -> tuple[int, int, int, str]:
    """Where a group is named: difficulties as they rise, the others by their size."""
    known = DIFFICULTIES.index(group.value) if group.value in DIFFICULTIES else len(DIFFICULTIES)
    return GROUPINGS.index(group.by), known if group.by == DIFFICULTY else 0, -len(group.indexes), group.value


def _question_figures(board: Board, series: Sequence[Series], index: int) -> QuestionFigures:
    """What all sheets made of the question at this place."""
    question = board.questions[index]
    answers = [sheet.answers.get(question.id, ()) for sheet in board.sheets]
    wrong = Counter(
        option for own in answers for option in {answer.option for answer in own if not answer.correct} if option is not None
    )
    option, times = min(wrong.items(), key=lambda pair: (-pair[1], pair[0]), default=(None, 0))
    means = [share for one in series if (share := one.mean(index)) is not None]
    return QuestionFigures(
        question,
        models=len(means),
        right=sum(means),
        unread=sum(answer.replied and answer.option is None for own in answers for answer in own),
        missing=sum(one.asked[index] - one.scored[index] for one in series),
        wrong_option=option,
        wrong_count=times,
    )
