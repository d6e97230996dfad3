"""Scorer bench of a stored run: every scorer on every stored reply with a target, beside a person's ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui_eval.results.sums.scorers.scorer_bench import DIFFER, BenchReply, Ratings, ScorerError, rating_order, scorer_errors
from tui_eval.runs.scorer_ratings import ReplyPlace


@dataclass(frozen=True, slots=True)
class BenchAnswer:
    """One reply as a person rates it."""

    question: str
    targets: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ScorerLine:
    """One scorer over all replies."""

    name: str
    version: str
    """Empty for a metric of the evaluation type itself."""
    of_run: bool
    """Whether the run's own scores have it."""
    judges: bool
    """Whether it accepts or rejects; a score without a threshold only has a mean."""
    asks_model: bool | None
    """None for a metric of the evaluation type itself."""
    n: int
    """Replies with a value."""
    accepted: int
    mean: float | None
    """Of the values, for scores without a threshold."""
    unparsed: int
    missing: int
    differs: int
    """Of the replies that both give a verdict on, those where it differs from the run's own scorer."""
    compared: int
    shuffled: float | None
    """The share of replies that pass with the target of another sample; None where that is not tried."""
    n_shuffled: int
    is_lenient: bool
    usd_per_reply: float | None
    """Cost of scoring a reply, by the calls of this run; 0 for a rule, None where nobody knows."""
    unknown_costs: int
    """Calls whose cost is not in that, because nobody knows it."""
    settings: str
    """Setting of a re-score, or of a new run, that scores by it in place of the run's scorers; empty where there is none."""
    why_not: str
    """Why there is none."""


@dataclass(frozen=True)
class ScorerBench:
    """All scorers side by side on the replies of a run."""

    run_id: str
    simulated: tuple[str, ...]
    reference: str
    """The run's own scorer; empty where that only has a mean."""
    lines: Sequence[ScorerLine]
    replies: Sequence[BenchReply]
    """Their verdicts are of the scorers that accept some and not all, each unlike the others."""
    alike: Mapping[str, str]
    """Scorers that say the same of every reply as another one, with that."""
    answers: Mapping[ReplyPlace, BenchAnswer]
    seed: int
    draw: str
    """Digest of the strata: ratings of another draw are of other strata, and their draws say nothing here."""
    left_out: Mapping[str, str]

    @property
    def n_differ(self) -> int:
        """Replies on which the scorers differ."""
        return sum(reply.stratum == DIFFER for reply in self.replies)

    def line(self, name: str) -> ScorerLine:
        """The line of a scorer. StopIteration for a name that is none."""
        return next(line for line in self.lines if line.name == name)

    def order(self) -> list[BenchReply]:
        """The replies in the order in which they are rated."""
        return rating_order(self.replies, self.seed)

    def errors(self, ratings: Ratings) -> list[ScorerError]:
        """The errors by ratings; none without any."""
        return scorer_errors(self.replies, ratings) if ratings else []
