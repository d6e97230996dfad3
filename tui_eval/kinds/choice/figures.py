"""What a board of answer sheets comes to: accuracies, comparisons, biases, agreement. Every figure says its n."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from statistics import fmean

from tui_eval.kinds.choice.agreement import Agreement, QuestionFigures, agreement, question_figures
from tui_eval.kinds.choice.leanings import Biases, leanings
from tui_eval.kinds.choice.question_groups import groups_of
from tui_eval.kinds.choice.sheet import Board, Sheet, series_of
from tui_eval.results.sums.consistency import Consistency, consistency
from tui_eval.results.sums.differences import Pair, Power, corrected, every_pair, power_of
from tui_eval.results.sums.means import Rate, rate
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.results.sums.ranks import Rank, by_intervals, by_pairs
from tui_eval.results.sums.series import Group


class Figures:
    """All figures of a board, each worked out when it is first asked for."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.series = [series_of(sheet, board.questions) for sheet in board.sheets]

    @cached_property
    def accuracies(self) -> list[Rate]:
        """Of each sheet, over everything it was asked."""
        return list(map(rate, self.series))

    def accuracy(self, i: int, group: Group) -> Rate:
        """Of a sheet, over a group of questions."""
        return rate(self.series[i], group)

    @cached_property
    def ranks(self) -> list[Rank | None]:
        """Of each sheet those that the paired comparison leaves open; None without a reply."""
        sheets = [sheet for sheet, a in zip(self.board.sheets, self.accuracies, strict=True) if a.scored]
        found = iter(by_pairs(sheets, self.pairs))
        return [next(found) if accuracy.scored else None for accuracy in self.accuracies]

    @cached_property
    def ranks_by_interval(self) -> list[Rank | None]:
        """The same by intervals that do not overlap."""
        spans = ((a.low, a.high) for a in self.accuracies)
        return by_intervals([None if low is None or high is None else (low, high) for low, high in spans])

    @cached_property
    def by_rank(self) -> list[int]:
        """Numbers of the sheets by the lower end of their interval, the highest first; those without a reply last.

        By the rate alone a model with one right reply of one would stand above all others.
        """
        lows = [-1.0 if a.low is None else a.low for a in self.accuracies]
        return sorted(range(len(lows)), key=lambda i: (-lows[i], i))

    @cached_property
    def groups(self) -> list[Group]:
        """Difficulties, domains, whether calculation is needed, topics; a question may stand in several of them."""
        return groups_of(self.board.questions)

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
        return [question_figures(self.board, self.series, i) for i in range(len(self.board.questions))]

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

    def patterns(self, sheet: Sheet) -> Counter[str]:
        """How often each way of answering was seen in a sheet's replies; a reply without a letter counts under its reason."""
        return Counter(answer.pattern if answer.letter else answer.why for _, answer in sheet.all_answers() if answer.replied)

    def consistency(self, i: int) -> Consistency | None:
        """How one model's replies to one and the same question agree; None where no question has several."""
        scores = self.series[i].values()
        return consistency(scores, [[value == 1 for value in answers] for answers in scores])

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
