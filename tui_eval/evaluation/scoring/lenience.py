"""Lenience of a scorer: how often it passes replies, and how often with the targets of other samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Reply
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.held_answers import HeldAnswers, Passing
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.passing import passes, takes_part
from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.evaluation.scoring.scorer_table import row_of, rule_of
from tui_eval.evaluation.scoring.scoring import score
from tui_eval.results.sums.in_words import listed
from tui_eval.statistics.estimates import shuffled

TOO_LENIENT = 0.1
"""The share of other samples' targets from which on a scorer accepts too much."""
SUGGESTED = ("exact", "em", "contains", "number", "choice")
"""Rates that are tried beside the config's own: those that cost nothing and need no option."""


@dataclass(frozen=True, slots=True)
class Lenience:
    """Lenience of a scorer: how often it passes the replies of samples that have both."""

    name: str
    n: int
    """Replies that it gave a value to."""
    share: float
    """Of them those that pass; 0..1."""
    shuffled_n: int
    shuffled_share: float | None
    """The same with another sample's targets; None where no two samples differ."""

    @property
    def is_lenient(self) -> bool:
        """Return whether it accepts too many answers to other questions."""
        return self.shuffled_share is not None and self.shuffled_share >= TOO_LENIENT

    def __str__(self) -> str:
        """One clause: `contains` 100 % (shuffled 35 %: too lenient)."""
        if self.shuffled_share is None:
            return f"`{self.name}` {self.share:.0%}".replace("%", " %")
        verdict = ": too lenient" if self.is_lenient else ""
        return f"`{self.name}` {100 * self.share:.0f} % (shuffled {100 * self.shuffled_share:.0f} %{verdict})"


MORE = 0.3
"""By how much of them another one must pass more."""


def too_strict(name: str, passing: Passing, held_answers: HeldAnswers, seed: int, fence: Fence) -> str:
    """Say which other scorers would pass more where the one of this name gives almost nothing; else empty.

    `passing`: whether a reply passes by it; the others are those that are suggested.
    """
    answers, models = held_answers.failing(passing)
    replies, expected = [answer.reply for answer in answers], [answer.expected for answer in answers]
    own = _lenience(name, passing, replies, expected, exchanged([_target_key(each) for each in expected], seed))
    if own is None:
        return ""
    alternatives = leniences([row for row in suggested_rows() if row.use != name], replies, expected, seed, fence)
    tried = [each for each in alternatives if each.share >= own.share + MORE and 2 * each.n >= own.n]
    tried.sort(key=lambda each: (each.is_lenient, -each.share))
    if not tried:
        return ""
    of = f" to {listed([one_line(model, 60) for model in models])}" if models else ""
    shares, command = ", ".join(map(str, tried)), f"rescore --set 'scorers=[\"{tried[0].name}\"]'"
    over = count_of(own.n, "answer")
    return f"{own} gives{of} almost nothing where another scorer would: {shares}; {over}. {command} tries it at no cost."


def passing_by(row: ScorerRow, fence: Fence) -> Passing | None:
    """Return the test of passing by a row; None where it is not to be tried: slow, passing nothing, or without a target."""
    rule = rule_of(row)
    if not (rule.is_cheap and takes_part(row) and row.wants_target):
        return None

    def passing(reply: Reply, expected: Expected) -> bool | None:
        value = score(row, reply, expected, fence).value
        return None if value is None else passes(row, value)

    return passing


def suggested_rows() -> list[ScorerRow]:
    """The rows of the scorers that are tried in any case."""
    return [row_of(name) for name in SUGGESTED]


def leniences(
    rows: Sequence[ScorerRow], replies: Sequence[Reply], expected: Sequence[Expected], seed: int, fence: Fence
) -> list[Lenience]:
    """The lenience of each row that is cheap, passes or fails, and compares with a target; one reply for each sample."""
    partners = exchanged([_target_key(each) for each in expected], seed)
    tried = ((row.metric_name, passing_by(row, fence)) for row in rows)
    results = (_lenience(name, passing, replies, expected, partners) for name, passing in tried if passing is not None)
    return [each for each in results if each is not None]


def _lenience(
    name: str, passing: Passing, replies: Sequence[Reply], expected: Sequence[Expected], partners: Sequence[int | None]
) -> Lenience | None:
    """Return how often replies pass, and how often with the targets of `partners`; None where nothing can be said of any."""
    pairs = zip(replies, expected, strict=True)
    own = [passed for reply, each in pairs if (passed := passing(reply, each)) is not None]
    foreign = [
        passed
        for n, partner in enumerate(partners)
        if partner is not None and (passed := passing(replies[n], _with_targets(expected[n], expected[partner]))) is not None
    ]
    share = sum(foreign) / len(foreign) if foreign else None
    return Lenience(name, len(own), sum(own) / len(own), len(foreign), share) if own else None


def _with_targets(own: Expected, partner: Expected) -> Expected:
    """Return the expectation of another sample, of the options that this one shows."""
    return Expected(partner.targets, own.options, partner.answer if own.options else None)


def exchanged(targets: Sequence[tuple[str, ...] | None], seed: int) -> list[int | None]:
    """For each sample another one, decided by the seed, whose targets differ; None where there is none.

    Samples with equal targets stand together in a ring, which is turned by the size of the largest such group: nobody gets its
    own targets unless they are those of more than half, and then those that would are left out.
    """
    places = [n for n, each in enumerate(targets) if each]
    order = [places[i] for i in shuffled(len(places), "lenience", seed)]
    first: dict[tuple[str, ...], int] = {}
    for rank, n in enumerate(order):
        first.setdefault(_key(targets, n), rank)
    ring = sorted(order, key=lambda n: first[_key(targets, n)])
    turn = max(Counter(_key(targets, n) for n in ring).values(), default=0)
    partners: list[int | None] = [None] * len(targets)
    for rank, n in enumerate(ring):
        partner = ring[(rank + turn) % len(ring)]
        if _key(targets, partner) != _key(targets, n):
            partners[n] = partner
    return partners


def _target_key(expected: Expected) -> tuple[str, ...] | None:
    """Return the part that tells one sample's targets from another's: where it has options, the place of the right one."""
    return expected.targets if expected.answer is None else (str(expected.answer),)


def _key(targets: Sequence[tuple[str, ...] | None], n: int) -> tuple[str, ...]:
    return tuple(sorted(targets[n] or ()))
