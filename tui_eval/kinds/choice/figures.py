"""What a board of answer sheets comes to: accuracies, comparisons, biases, agreement. Every figure says its n."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from statistics import fmean, median

from tui_eval.kinds.choice.accuracy import Accuracy, Marks
from tui_eval.kinds.choice.agreement import Agreement, Consistency, QuestionFigures, agreement, consistency, question_figures
from tui_eval.kinds.choice.head_to_head import Pair, compare_marks
from tui_eval.kinds.choice.leanings import Biases, leanings
from tui_eval.kinds.choice.question_groups import Group, grouped
from tui_eval.kinds.choice.sheet import Board, Sheet
from tui_eval.statistics.paired import holm, rank_ranges, smallest_difference


class Figures:
    """All figures of a board, each worked out when it is first asked for."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.marks = [Marks(sheet, board.questions) for sheet in board.sheets]

    @cached_property
    def accuracies(self) -> list[Accuracy]:
        """Of each sheet, over everything it was asked."""
        return [marks.accuracy() for marks in self.marks]

    @cached_property
    def ranks(self) -> list[tuple[int, int] | None]:
        """Of each sheet the best and the worst rank that the paired comparison leaves open; None without a reply."""
        better = Counter(id(pair.b if pair.difference > 0 else pair.a) for pair in self.pairs if pair.told_apart)
        worse = Counter(id(pair.a if pair.difference > 0 else pair.b) for pair in self.pairs if pair.told_apart)
        ranked = sum(a.replied > 0 for a in self.accuracies)
        return [
            (1 + better[id(sheet)], ranked - worse[id(sheet)]) if accuracy.replied else None
            for sheet, accuracy in zip(self.board.sheets, self.accuracies, strict=True)
        ]

    @cached_property
    def ranks_by_interval(self) -> list[tuple[int, int] | None]:
        """The same by intervals that do not overlap (METHOD.md 2.5), which needs no common questions."""
        found = [(a.low, a.high) for a in self.accuracies if a.low is not None and a.high is not None]
        ranges = iter(rank_ranges(found))
        return [None if a.low is None else next(ranges) for a in self.accuracies]

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
        return grouped(self.board.questions)

    def groups_by(self, by: str) -> list[Group]:
        """The groups of one kind."""
        return [group for group in self.groups if group.by == by]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair of sheets, the better-ranked one first, with Holm's correction over all of them."""
        order = [i for i in self.by_rank if self.accuracies[i].replied]
        raw = [(a, b, compare_marks(self.marks[a], self.marks[b])) for k, a in enumerate(order) for b in order[k + 1 :]]
        compared = [(a, b, found) for a, b, found in raw if found is not None]
        adjusted = holm([found[-2] for _, _, found in compared])
        return [
            Pair(self.board.sheets[a], self.board.sheets[b], *found[:-1], p_holm, found[-1])
            for (a, b, found), p_holm in zip(compared, adjusted, strict=True)
        ]

    @cached_property
    def questions(self) -> list[QuestionFigures]:
        """Of each question, in the benchmark's order."""
        return [question_figures(self.board, self.marks, i) for i in range(len(self.board.questions))]

    @cached_property
    def agreement(self) -> Agreement:
        """Over the questions that every model replied to."""
        return agreement(self.marks, len(self.board.questions))

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

    def consistency(self, sheet: Sheet) -> Consistency | None:
        """How one model's replies to one and the same question agree; None where no question has several."""
        return consistency(sheet)

    @property
    def single(self) -> bool:
        """Whether every question was asked of every model at most once."""
        return all(marks.single for marks in self.marks)

    @property
    def common(self) -> int:
        """The median number of questions that a pair has in common."""
        return round(median(pair.n for pair in self.pairs)) if self.pairs else 0

    @property
    def disagreement(self) -> float | None:
        """The median share of questions on which a pair disagrees."""
        return median((pair.a_only + pair.b_only) / pair.n for pair in self.pairs) if self.pairs else None

    @property
    def detectable(self) -> float | None:
        """The smallest difference that a typical pair shows in four of five runs; None where none does."""
        if self.single:
            return None if self.disagreement is None else smallest_difference(self.common, self.disagreement)
        seen = [pair.detectable for pair in self.pairs if pair.detectable is not None]
        return median(seen) if seen else None

    @property
    def chance(self) -> float:
        """What picking at random scores: the mean of 1 / number of options."""
        return fmean(1 / len(question.options) for question in self.board.questions)
