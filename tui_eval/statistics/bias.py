"""Bias of a model's choices towards a position, length or absolute words, against the answer key; Fisher's test."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma
from statistics import fmean, pstdev
from typing import Any, TypeVar

from tui_eval.statistics.estimates import binomial_tail, chi_square_tail

Pick = TypeVar("Pick", bound=tuple[Any, ...])
NEGLIGIBLE = 1e-18
"""Terms of a tail that are smaller than this share of what came before are left out."""


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """The two-sided p of two shares, a of a + b and c of c + d: twice the smaller tail of the hypergeometric distribution, at
    most 1. 1 where either has nothing, or all of both are alike."""
    n, row, column = a + b + c + d, a + b, a + c
    least, most = max(0, column - (c + d)), min(row, column)
    if least == most:
        return 1.0
    here = exp(_log_choose(row, a) + _log_choose(n - row, column - a) - _log_choose(n, column))
    up, down = here, here
    term, x = here, a
    while x < most and term > NEGLIGIBLE * up:
        term *= (row - x) * (column - x) / ((x + 1) * (n - row - column + x + 1))
        up, x = up + term, x + 1
    term, x = here, a
    while x > least and term > NEGLIGIBLE * down:
        term *= x * (n - row - column + x) / ((row - x + 1) * (column - x + 1))
        down, x = down + term, x - 1
    return min(1.0, 2 * min(up, down))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


LOW, MEDIUM = 0.05, 0.10
"""Deviations up to which a bias is low, and medium; above it is high."""
SIGNIFICANT = 0.05
ABSOLUTE_WORD = re.compile(r"(?<![\w-])(?:always|never|only|all|none)(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PositionBias:
    """Difference between the positions chosen and the positions of the key, over n answers (METHOD.md 7.4)."""

    n: int
    chosen_share: tuple[float, ...]
    key_share: tuple[float, ...]
    chi_square: float
    p: float
    """Of the chosen counts against the key's shares, one degree of freedom less than there are positions."""
    p_wrong: float | None
    """Of the wrong answers alone against an even spread over the positions where their key is not; None of none.

    A model that guesses evenly strays from an uneven key without any bias: this tells the two apart."""
    total_variation: float
    """Half the sum of |chosen - key|: the share of choices to move for the two to agree."""
    max_deviation: float
    """The largest |chosen - key|."""
    recalls: tuple[float | None, ...]
    """By position, the share right of the questions whose key is there; None where it never is."""
    recall_sd: float | None
    """Population sd of the recalls (RStd, Zheng et al. 2024); None of fewer than two."""
    level: str
    """low, medium, high by max_deviation; low (noise) where it is above low without both p below .05."""
    max_deviation_uniform: float
    """The largest |chosen - 1/k|: the benchmark authors' measure, which takes an uneven key for a bias."""
    level_uniform: str
    """low, medium, high by max_deviation_uniform, significant or not."""


def position_bias(choices: Sequence[int], key: Sequence[int], n_options: int) -> PositionBias | None:
    """Position bias of n answers with a letter: the positions chosen and those of the key, from 0, by answer.

    chi-square = Σ (chosen - n·key share)² / (n·key share), n_options - 1 degrees of freedom. Where the key never is at
    some position, the expected count there would be 0 and one answer would prove anything: then half a question is added
    to every position's key count, for chi-square only. Of the wrong answers: expected at a position = those whose key is
    elsewhere / (n_options - 1), the same chi-square. A level above low needs both p < .05: few answers lie far from the
    key by chance alone, and even guessing lies far from an uneven one. None of no answer or fewer than two options;
    ValueError where the lengths differ or a position is outside.
    """
    pairs = Counter(zip(choices, key, strict=False))
    if len(choices) != len(key) or not all(0 <= position < n_options for pair in pairs for position in pair):
        raise ValueError(f"{len(choices)} choices and {len(key)} keys are not positions of {n_options} options by answer")
    n = len(choices)
    if n == 0 or n_options < 2:
        return None
    positions = range(n_options)
    picks, keys, hits = _counts(pairs, n_options)
    chi_square = _chi_square(picks, keys, n)
    p = chi_square_tail(chi_square, n_options - 1)
    p_wrong = _p_of_wrong(picks, keys, hits)
    recalls = tuple(hits[i] / keys[i] if keys[i] else None for i in positions)
    defined_recalls = [recall for recall in recalls if recall is not None]
    deviation = max(abs(picks[i] - keys[i]) for i in positions) / n
    uniform = max(abs(picks[i] * n_options - n) for i in positions) / (n * n_options)
    return PositionBias(
        n=n,
        chosen_share=tuple(count / n for count in picks),
        key_share=tuple(count / n for count in keys),
        chi_square=chi_square,
        p=p,
        p_wrong=p_wrong,
        total_variation=sum(abs(picks[i] - keys[i]) for i in positions) / (2 * n),
        max_deviation=deviation,
        recalls=recalls,
        recall_sd=pstdev(defined_recalls) if len(defined_recalls) > 1 else None,
        level=significant_level(deviation, None if p_wrong is None else max(p, p_wrong)),
        max_deviation_uniform=uniform,
        level_uniform=_level(uniform),
    )


def _counts(pairs: Counter[tuple[int, int]], n_options: int) -> tuple[list[int], list[int], list[int]]:
    """By position: how often it was chosen, how often the key is there, and how often both."""
    every = [[pairs[choice, key] for key in range(n_options)] for choice in range(n_options)]
    return [*map(sum, every)], [*map(sum, zip(*every, strict=True))], [own[i] for i, own in enumerate(every)]


def _chi_square(picks: Sequence[int], keys: Sequence[int], n: int) -> float:
    """Of n choices by position, against the key's; with half a question more everywhere where the key never is at one."""
    half = 0.0 if all(keys) else 0.5
    expected = [n * (key + half) / (n + half * len(keys)) for key in keys]
    return math.fsum((o - e) ** 2 / e for o, e in zip(picks, expected, strict=True))


def _p_of_wrong(picks: Sequence[int], keys: Sequence[int], hits: Sequence[int]) -> float | None:
    """Chi-square p of where wrong answers went, against an even spread over the positions where their key is not."""
    wrong = [key - hit for key, hit in zip(keys, hits, strict=True)]
    expected = [(sum(wrong) - own) / (len(wrong) - 1) for own in wrong]
    if not sum(wrong):
        return None
    observed = [pick - hit for pick, hit in zip(picks, hits, strict=True)]
    terms = [(o - e) ** 2 / e for o, e in zip(observed, expected, strict=True) if e > 0]
    return chi_square_tail(math.fsum(terms), len(wrong) - 1)


@dataclass(frozen=True, slots=True)
class LongestBias:
    """Bias towards the longest option, over n answers to questions that have one longest option."""

    n: int
    picked: float
    """Share of answers that are the longest option."""
    key: float
    """Share of them whose key is the longest option."""
    excess: float
    """picked - key."""
    wrong_n: int
    """Wrong answers to questions whose key is not the longest option."""
    wrong_longest: int
    """How many of these are the longest option."""
    expected: float | None
    """Share of these expected without a bias: mean of 1/(k-1) over them, k the number of options. None of none."""
    p: float | None
    """P[as many or more], one-sided binomial with that share. None of none."""
    level: str
    """low, medium, high by the excess; low (noise) where it is above low without p < .05."""
    uniform: float
    """Mean of 1/k: the share of longest options that the benchmark authors expect."""
    level_uniform: str
    """low, medium, high by |picked - uniform|, significant or not: calls a model that is right where the key is long biased."""


def longest_bias(picks: Iterable[tuple[bool, bool, bool, int]]) -> LongestBias | None:
    """Length bias of answers, each (chosen is the longest, key is the longest, right, number of options).

    Only answers with a letter to questions with one longest option belong here. excess = picked - key; the sharper test
    takes wrong answers whose key is not the longest: share on the longest against 1/(k-1), one-sided exact binomial
    (METHOD.md 7.4). Where k differs between questions the binomial takes the mean share, which errs towards a larger p
    (Hoeffding 1956). None of no answer; ValueError for an answer that contradicts itself.
    """
    answers = Counter(picks)
    for chosen_longest, key_longest, right, _ in answers:
        if (chosen_longest and key_longest and not right) or (right and chosen_longest != key_longest):
            raise ValueError(
                "there is one longest option: chosen and key are both it, or neither is, where the answer is right"
            )
    if not answers:
        return None
    n = answers.total()
    picked = sum(times for (is_longest, *_), times in answers.items() if is_longest)
    key = sum(times for (_, key, *_), times in answers.items() if key)
    wrong, hits = _wrong(answers)
    expected = fmean(1 / (k - 1) for *_, k in wrong.elements()) if wrong else None
    p = None if expected is None else binomial_tail(hits, wrong.total(), expected)
    uniform = fmean(1 / k for *_, k in answers.elements())
    return LongestBias(
        n=n,
        picked=picked / n,
        key=key / n,
        excess=(picked - key) / n,
        wrong_n=wrong.total(),
        wrong_longest=hits,
        expected=expected,
        p=p,
        level=significant_level((picked - key) / n, p),
        uniform=uniform,
        level_uniform=_level(abs(picked / n - uniform)),
    )


def _wrong(answers: Counter[Pick]) -> tuple[Counter[Pick], int]:
    """Wrong answers to questions whose key does not tempt, and how many of them are an option that does."""
    wrong = Counter({pick: times for pick, times in answers.items() if not pick[1] and not pick[2]})
    return wrong, sum(times for pick, times in wrong.items() if pick[0])


@dataclass(frozen=True, slots=True)
class QualifierBias:
    """Bias for or against options with absolute words, over n answers to questions that have both kinds of option."""

    n: int
    picked: float
    """Share of answers that are an option with such a word."""
    key: float
    """Share of them whose key is such an option."""
    excess: float
    """picked - key; negative where they are shunned."""
    wrong_n: int
    """Wrong answers to questions whose key has no such word."""
    wrong_with: int
    """How many of these have one."""
    expected: float | None
    """Share of these expected without a bias: mean of wrong options with such a word / wrong options. None of none."""
    p: float | None
    """Two-sided binomial p with that share. None of none."""
    level: str
    """low, medium, high by |excess|; low (noise) where above low without p < .05, or where wrong answers lean the other way."""

    def level_at(self, p: float | None) -> str:
        """The level by another p, such as one that is corrected for several models."""
        lean = 0.0 if self.expected is None else self.wrong_with / self.wrong_n - self.expected
        return significant_level(abs(self.excess), p if self.excess * lean > 0 else None)


def qualifier_bias(picks: Iterable[tuple[bool, bool, bool, int, int]]) -> QualifierBias | None:
    """Bias for or against options with absolute words.

    Of answers, each (chosen has one, key has one, right, number of options with one, number of options); only answers
    with a letter to questions with such an option and one without belong here. The same two numbers as
    `longest_bias`. p = min(1, 2·min(P[X <= seen], P[X >= seen])), exact binomial with the mean expected share, which errs
    towards a larger p where the shares differ (Hoeffding 1956). None of no answer; ValueError for a right answer whose
    option is not the key's.
    """
    answers = Counter(picks)
    if any(right and has_word != key for has_word, key, right, *_ in answers):
        raise ValueError("a right answer is the key: both have an absolute word, or neither has")
    if not answers:
        return None
    n = answers.total()
    picked = sum(times for (has_word, *_), times in answers.items() if has_word)
    key = sum(times for (_, key, *_), times in answers.items() if key)
    wrong, hits = _wrong(answers)
    expected = fmean(n_with / (k - 1) for *_, n_with, k in wrong.elements()) if wrong else None
    p = None if expected is None else _two_sided(hits, wrong.total(), expected)
    result = QualifierBias(
        n=n,
        picked=picked / n,
        key=key / n,
        excess=(picked - key) / n,
        wrong_n=wrong.total(),
        wrong_with=hits,
        expected=expected,
        p=p,
        level="",
    )
    return replace(result, level=result.level_at(p))


def has_absolute_word(text: str) -> bool:
    """Return whether always, never, only, all or none is in the text as its own word, in any case: read-only is another."""
    return ABSOLUTE_WORD.search(text) is not None


def _two_sided(k: int, n: int, p: float) -> float:
    """Twice the smaller of P[X <= k] and P[X >= k], at most 1."""
    return min(1.0, 2 * min(binomial_tail(k, n, p), binomial_tail(n - k, n, 1 - p)))


def _level(deviation: float) -> str:
    """low up to 5 points, medium up to 10, else high; a limit met but for rounding is met."""
    rounded = round(deviation, 12)
    return "low" if rounded <= LOW else "medium" if rounded <= MEDIUM else "high"


def significant_level(deviation: float, p: float | None) -> str:
    """low, medium, high by the deviation; low (noise) where it is above low without p < .05."""
    level = _level(deviation)
    return level if level == "low" or (p is not None and p < SIGNIFICANT) else "low (noise)"
