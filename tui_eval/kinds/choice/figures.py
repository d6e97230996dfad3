"""What a board of answer sheets comes to: accuracies, comparisons, biases, agreement. Every figure says its n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, median, variance

from tui_eval.benchmarks import ChoiceQuestion
from tui_eval.bias import (
    LongestBias,
    PositionBias,
    QualifierBias,
    has_absolute_word,
    longest_bias,
    position_bias,
    qualifier_bias,
    significant_level,
)
from tui_eval.comparing import (
    holm,
    mcnemar_exact,
    rank_ranges,
    sign_flip,
    smallest_difference,
    smallest_mean_difference,
    tango,
)
from tui_eval.kinds.choice.sheet import LETTERS, Answer, Board, Sheet
from tui_eval.stats import (
    Repeats,
    clustered_wilson,
    mean,
    missing_bounds,
    paired_difference,
    pass_at_k,
    pass_hat_k,
    repeats,
    wilson,
)

DIFFICULTIES = ("easy", "medium", "hard")
NOT_READ = ("ambiguous", "no_letter")
CUT = ("truncated", "truncated_reasoning", "empty")
"""Reasons for a reply without a letter: those that are no refusal, and those of a reply that was cut or empty."""
SIGNIFICANT = 0.05
EXACT_SIGNS = 16
"""Up to this many differing questions the permutation test runs over every pattern of signs."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Right over replied, with what it rests on. Refusals, cut and unreadable replies are replies, and wrong."""

    asked: int
    replied: int
    right: int
    questions: int
    """Questions with at least one reply."""
    low: float | None
    high: float | None
    effective: float | None
    """Effective n of the interval: several answers to one question are one cluster."""

    @property
    def share(self) -> float | None:
        """right / replied; None of nothing."""
        return self.right / self.replied if self.replied else None

    @property
    def missing(self) -> int:
        """Asked, and no reply."""
        return self.asked - self.replied

    @property
    def strict(self) -> float | None:
        """The lower bound, as if every missing reply were wrong."""
        bounds = missing_bounds(self.right, self.replied, self.asked)
        return bounds[0] if bounds else None

    @property
    def best_case(self) -> float | None:
        """The upper bound, as if every missing reply were right."""
        bounds = missing_bounds(self.right, self.replied, self.asked)
        return bounds[1] if bounds else None


def bits(counts: Sequence[int]) -> int:
    """A number with a bit for each place that is not zero."""
    return sum(1 << i for i, n in enumerate(counts) if n)


class Marks:
    """One sheet as numbers by question: asked, replied, right."""

    def __init__(self, sheet: Sheet, questions: Sequence[ChoiceQuestion]) -> None:
        size = len(questions)
        self.asked, self.replied, self.right = [0] * size, [0] * size, [0] * size
        for i, question in enumerate(questions):
            for answer in sheet.answers.get(question.id, ()):
                self.asked[i] += 1
                self.replied[i] += answer.replied
                self.right[i] += answer.correct
        self.single = max(self.asked, default=0) <= 1
        self.asked_bits, self.replied_bits, self.right_bits = map(bits, (self.asked, self.replied, self.right))

    def accuracy(self, group: Group | None = None) -> Accuracy:
        """Over a group of questions, or over all."""
        if self.single:
            return self._accuracy_of_single(-1 if group is None else group.bits)
        chosen = range(len(self.asked)) if group is None else group.indexes
        replied = [self.replied[i] for i in chosen]
        right = [self.right[i] for i in chosen]
        low, high, effective = clustered_wilson(right, replied) or (None, None, None)
        asked = sum(self.asked[i] for i in chosen)
        return Accuracy(asked, sum(replied), sum(right), sum(map(bool, replied)), low, high, effective)

    def _accuracy_of_single(self, wanted: int) -> Accuracy:
        """The same where every question has at most one reply: by counting bits, since a report has thousands of groups."""
        asked, replied, right = (
            (found & wanted).bit_count() for found in (self.asked_bits, self.replied_bits, self.right_bits)
        )
        low, high = wilson(right, replied) or (None, None)
        return Accuracy(asked, replied, right, replied, low, high, float(replied) if replied else None)

    def mean(self, index: int) -> float | None:
        """Share of right replies to one question."""
        return self.right[index] / self.replied[index] if self.replied[index] else None


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that have something in common."""

    by: str
    """difficulty, domain, topic or calc_required."""
    value: str
    indexes: tuple[int, ...]
    bits: int
    """The same as a number with a bit for each of these questions."""


def groups_of(question: ChoiceQuestion) -> dict[str, tuple[str, ...]]:
    """What a question belongs to, by the name of the grouping; names of which it has nothing are left out."""
    found = {
        "difficulty": (question.difficulty,) if question.difficulty else (),
        "domain": question.domains,
        "calc_required": {True: ("yes",), False: ("no",), None: ()}[question.calc_required],
        "topic": question.topics,
    }
    return {by: tuple(dict.fromkeys(values)) for by, values in found.items() if values}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sheets on the questions that both replied to. Differences are a's accuracy minus b's."""

    a: Sheet
    b: Sheet
    n: int
    a_only: int
    """Questions that a has right and b wrong; with several answers to a question, those where a does better."""
    b_only: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    detectable: float | None
    """The smallest difference that so many questions, disagreed on so often, show in four of five runs."""

    @property
    def told_apart(self) -> bool:
        """Whether the difference survives the correction for the number of pairs."""
        return self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """What all sheets together made of one question."""

    question: ChoiceQuestion
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
class Agreement:
    """How the models agree, over the questions that every one of them replied to."""

    questions: int
    all_right: int
    all_wrong: int
    left_out: int
    """Questions where some model has no reply."""

    @property
    def mixed(self) -> int:
        """Neither."""
        return self.questions - self.all_right - self.all_wrong


@dataclass(frozen=True, slots=True)
class Consistency:
    """What several replies to one question have in common, over the questions that have several."""

    questions: int
    same: int
    """Questions whose replies all chose the same option, by its content."""
    repeats: Repeats
    """Mean and variances by question, over every question with a reply."""
    k: int
    """Replies that every one of these questions has."""
    pass_at: float | None
    """Chance that at least one of k replies is right (pass@k, unbiased; arXiv 2107.03374)."""
    pass_hat: float | None
    """Chance that all k replies are right (pass^k; arXiv 2406.12045)."""


@dataclass(frozen=True, slots=True)
class Biases:
    """What one model's choices lean towards; None where nothing could be measured."""

    position: PositionBias | None
    longest: LongestBias | None
    qualifier: QualifierBias | None


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
        found: dict[tuple[str, str], list[int]] = {}
        for i, question in enumerate(self.board.questions):
            for by, values in groups_of(question).items():
                for value in values:
                    found.setdefault((by, value), []).append(i)
        groups = [Group(by, value, tuple(indexes), sum(1 << i for i in indexes)) for (by, value), indexes in found.items()]
        return sorted(groups, key=_group_place)

    def groups_by(self, by: str) -> list[Group]:
        """The groups of one kind."""
        return [group for group in self.groups if group.by == by]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair of sheets, the better-ranked one first, with Holm's correction over all of them."""
        order = [i for i in self.by_rank if self.accuracies[i].replied]
        raw = [(a, b, self._pair(a, b)) for k, a in enumerate(order) for b in order[k + 1 :]]
        compared = [(a, b, found) for a, b, found in raw if found is not None]
        adjusted = holm([found[-2] for _, _, found in compared])
        return [
            Pair(self.board.sheets[a], self.board.sheets[b], *found[:-1], p_holm, found[-1])
            for (a, b, found), p_holm in zip(compared, adjusted, strict=True)
        ]

    def _pair(self, a: int, b: int) -> _Compared | None:
        """Two sheets on the questions in common; None where there are none."""
        one, other = self.marks[a], self.marks[b]
        common = one.replied_bits & other.replied_bits
        n = common.bit_count()
        if n == 0:
            return None
        if one.single and other.single:
            a_only = (one.right_bits & ~other.right_bits & common).bit_count()
            b_only = (other.right_bits & ~one.right_bits & common).bit_count()
            low, high = tango(a_only, b_only, n)
            seen = smallest_difference(n, (a_only + b_only) / n)
            return n, a_only, b_only, (a_only - b_only) / n, low, high, mcnemar_exact(a_only, b_only), seen
        return _pair_of_means(one, other)

    @cached_property
    def questions(self) -> list[QuestionFigures]:
        """Of each question, in the benchmark's order."""
        return [self._question(i, question) for i, question in enumerate(self.board.questions)]

    def _question(self, index: int, question: ChoiceQuestion) -> QuestionFigures:
        wrong: Counter[int] = Counter()
        unread = 0
        for sheet in self.board.sheets:
            answers = sheet.answers.get(question.id, ())
            unread += sum(answer.replied and answer.option is None for answer in answers)
            wrong.update({answer.option for answer in answers if answer.option is not None and not answer.correct})
        means = [share for marks in self.marks if (share := marks.mean(index)) is not None]
        missing = sum(marks.asked[index] - marks.replied[index] for marks in self.marks)
        option, times = min(wrong.items(), key=lambda pair: (-pair[1], pair[0]), default=(None, 0))
        return QuestionFigures(question, len(means), sum(means), unread, missing, option, times)

    @cached_property
    def agreement(self) -> Agreement:
        """Over the questions that every model replied to."""
        right = wrong = complete = 0
        for i in range(len(self.board.questions)):
            if all(marks.replied[i] for marks in self.marks):
                complete += 1
                right += all(marks.right[i] == marks.replied[i] for marks in self.marks)
                wrong += not any(marks.right[i] for marks in self.marks)
        return Agreement(complete, right, wrong, len(self.board.questions) - complete)

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
        shapes = {question.id: _Shape(question) for question in self.board.questions}
        size = self.usual_size
        return _levelled([_biases(sheet, shapes, size) for sheet in self.board.sheets])

    @cached_property
    def usual_size(self) -> int:
        """The number of options that most questions have: position is measured over these."""
        return Counter(len(q.choices) for q in self.board.questions).most_common(1)[0][0]

    def patterns(self, sheet: Sheet) -> Counter[str]:
        """How often each way of answering was seen in a sheet's replies; a reply without a letter counts under its reason."""
        return Counter(answer.pattern if answer.letter else answer.why for _, answer in sheet.all_answers() if answer.replied)

    def consistency(self, sheet: Sheet) -> Consistency | None:
        """How one model's replies to one and the same question agree; None where no question has several."""
        replies = [[answer for answer in answers if answer.replied] for answers in sheet.answers.values()]
        several = [answers for answers in replies if len(answers) > 1]
        found = repeats([[float(answer.correct) for answer in answers] for answers in replies])
        if not several or found is None:
            return None
        same = sum(len({a.option for a in answers}) == 1 and answers[0].option is not None for answers in several)
        k = min(map(len, several))
        right = [(len(answers), sum(answer.correct for answer in answers)) for answers in several]
        return Consistency(
            questions=len(several),
            same=same,
            repeats=found,
            k=k,
            pass_at=mean([share for n, c in right if (share := pass_at_k(n, c, k)) is not None]),
            pass_hat=mean([share for n, c in right if (share := pass_hat_k(n, c, k)) is not None]),
        )

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
        return fmean(1 / len(question.choices) for question in self.board.questions)


_Compared = tuple[int, int, int, float, float, float, float, float | None]
"""n, questions a does better on, questions b does, difference, its interval, p, the smallest difference seen."""


def _pair_of_means(one: Marks, other: Marks) -> _Compared:
    """A pair where questions were asked several times: each question counts once, by its share of right replies."""
    means = [(a, b) for i in range(len(one.asked)) if (a := one.mean(i)) is not None and (b := other.mean(i)) is not None]
    differences = [a - b for a, b in means]
    found = paired_difference([a for a, _ in means], [b for _, b in means])
    moved = [d for d in differences if d]
    better, worse = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    p = sign_flip(moved) if len(moved) <= EXACT_SIGNS else found.p
    difference = sum(differences) / len(differences)
    low, high = (found.low, found.high) if found.low is not None and found.high is not None else (-1.0, 1.0)
    spread = variance(differences) if len(differences) > 1 else 0.0
    seen = smallest_mean_difference(len(differences), spread) if spread else None
    return len(means), better, worse, difference, low, high, 1.0 if p is None else p, seen


def _group_place(group: Group) -> tuple[int, int, int, str]:
    kinds = ("difficulty", "domain", "calc_required", "topic")
    known = DIFFICULTIES.index(group.value) if group.value in DIFFICULTIES else len(DIFFICULTIES)
    return kinds.index(group.by), known if group.by == "difficulty" else 0, -len(group.indexes), group.value


class _Shape:
    """What of a question's options may tempt: which is the longest, which hold absolute words."""

    def __init__(self, question: ChoiceQuestion) -> None:
        lengths = [len(choice) for choice in question.choices]
        self.size = len(lengths)
        self.key = question.answer
        self.longest = lengths.index(max(lengths)) if lengths.count(max(lengths)) == 1 else None
        self.absolute = frozenset(i for i, choice in enumerate(question.choices) if has_absolute_word(choice))


def _biases(sheet: Sheet, shapes: dict[str, _Shape], size: int) -> Biases:
    """By the first reply to each question: several to one question are no independent evidence."""
    firsts = ((question, answers[0]) for question, answers in sheet.answers.items() if answers)
    read = [(shapes[question], answer) for question, answer in firsts if answer.option is not None]
    placed = [(answer.place, answer.key_place) for shape, answer in read if shape.size == size and answer.place is not None]
    return Biases(
        position=position_bias([place for place, _ in placed], [key for _, key in placed], size),
        longest=longest_bias(
            (answer.option == shape.longest, shape.key == shape.longest, answer.correct, shape.size)
            for shape, answer in read
            if shape.longest is not None
        ),
        qualifier=qualifier_bias(
            (answer.option in shape.absolute, shape.key in shape.absolute, answer.correct, len(shape.absolute), shape.size)
            for shape, answer in read
            if 0 < len(shape.absolute) < shape.size
        ),
    )


def _levelled(found: list[Biases]) -> list[Biases]:
    """Each bias with its level by p after Holm over the models: of many models some lean by chance."""
    position = [
        None if b.position is None or b.position.p_wrong is None else max(b.position.p, b.position.p_wrong) for b in found
    ]
    longest = [None if b.longest is None else b.longest.p for b in found]
    qualifier = [None if b.qualifier is None or b.qualifier.level == "low (noise)" else b.qualifier.p for b in found]
    adjusted = [_holm_of_known(values) for values in (position, longest, qualifier)]
    return [
        Biases(
            b.position and replace(b.position, level=significant_level(b.position.max_deviation, adjusted[0][i])),
            b.longest and replace(b.longest, level=significant_level(b.longest.excess, adjusted[1][i])),
            b.qualifier and replace(b.qualifier, level=significant_level(abs(b.qualifier.excess), adjusted[2][i])),
        )
        for i, b in enumerate(found)
    ]


def _holm_of_known(values: Sequence[float | None]) -> list[float | None]:
    adjusted = iter(holm([p for p in values if p is not None]))
    return [None if p is None else next(adjusted) for p in values]


def verdict(answer: Answer) -> str:
    """An answer as a report says it: `B (right)`, `none (refusal)`, `missing (timeout)`."""
    if not answer.replied:
        return f"missing ({answer.why.removeprefix('no reply: ')})"
    if answer.letter is None:
        return f"none ({answer.why})"
    return f"{answer.letter} ({'right' if answer.correct else 'wrong'})"


def key_letter(question: ChoiceQuestion) -> str:
    """The right option by its letter."""
    return LETTERS[question.answer]
