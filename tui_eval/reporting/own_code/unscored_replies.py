"""Replies that an own scorer has given no score: how many, why, and of which samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import plain_id
from tui_eval.evaluation.scorers import Scorers

MOST_REASONS = 20
"""Reasons that are counted apart; what is beyond them stands together."""
MOST_LINES = 5
MOST_NAMED = 3
"""Samples that are named of one reason."""
OTHER = "other reasons"


@dataclass(slots=True)
class _Group:
    """The replies of one function that have no score for one reason."""

    n: int = 0
    samples: dict[str, None] = field(default_factory=dict)
    """The first of their samples."""


@dataclass(slots=True)
class UnscoredReplies:
    """Replies without a score, by function and reason. A reply counts once for a function, whatever metrics that has."""

    functions: Mapping[str, str]
    """By the name of a metric, the function that gives it."""
    groups: dict[tuple[str, str], _Group] = field(default_factory=dict)

    @classmethod
    def of(cls, scorers: Scorers) -> UnscoredReplies:
        """None so far, of the own scorers among these."""
        return cls({row.metric_name: row.python for row in scorers.by_code})

    @property
    def n(self) -> int:
        """Number of all of them."""
        return sum(group.n for group in self.groups.values())

    def add(self, row: SampleResult) -> None:
        """Take in a sample. What has no reply is no fault of a scorer."""
        counted = set[tuple[str, str, str, int]]()
        for score in row.scores if self.functions else ():
            function = self.functions.get(score.name)
            if function is None or score.value is not None or score.why.startswith("no reply"):
                continue
            key = (function, score.stage, score.model, score.call_index)
            if key not in counted:
                counted.add(key)
                self._count(function, score.why, plain_id(row.sample.id))

    def _count(self, function: str, why: str, sample: str) -> None:
        key = (function, why)
        if key not in self.groups and len(self.groups) >= MOST_REASONS:
            key = (function, OTHER)
        group = self.groups.setdefault(key, _Group())
        group.n += 1
        if len(group.samples) < MOST_NAMED:
            group.samples[sample] = None

    def lines(self) -> Iterator[str]:
        """Say for each reason how many there are, and of which samples."""
        groups = sorted(self.groups.items(), key=lambda each: -each[1].n)
        for (function, why), group in groups[:MOST_LINES]:
            names = ", ".join(one_line(name, 60) for name in group.samples)
            more = f" and {group.n - len(group.samples):,} more" if group.n > len(group.samples) else ""
            replies = count_of(group.n, "reply", "replies")
            yield f"own scorer {function}: {replies} without a score ({names}{more}): {one_line(why, 400)}"
        if rest := sum(group.n for _, group in groups[MOST_LINES:]):
            yield f"own scorers: {count_of(rest, 'more reply', 'more replies')} without a score"
        if any(group.n > len(group.samples) for _, group in groups) or len(groups) > MOST_LINES:
            yield "each reply with its reason: tui-eval export RUN --format csv, in the column `why`"
