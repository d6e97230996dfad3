"""The noun of a scorer: its rule, the row of a config that uses it, and what it is given of a reply."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, PlainSerializer, PlainValidator, WithJsonSchema

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import Metric
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.scoring.extraction import WHOLE, Extract, extract_of, extract_written
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.text_folding import squad_words
from tui_eval.results.sums.metrics import is_binary
from tui_eval.workspace.validation import Strict

_NAME = r"^[A-Za-z][A-Za-z0-9_-]{0,59}$"
_WITHOUT_EFFECT = frozenset({"use", "name", "extract", "weight", "threshold", "headline"})
"""Keys of a row that change no value; under `not` the threshold does."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a rule for a reply: a value on its scale, or None and why."""

    value: float | None
    why: str = ""
    """A few words; what varies by reply stands behind a colon."""
    read: str | None = None
    """What was parsed from the reply, where the rule parses something."""
    pattern: str = ""
    """By what it was found."""
    is_found: bool = True
    """False where the reply holds nothing that could be compared: wrong, also under `not`."""
    is_fault: bool = False
    """True where a limit was hit, so that nobody knows the value."""


def nothing_found(why: str, low: float = 0.0) -> Outcome:
    """Return the outcome of a reply that holds nothing to compare."""
    return Outcome(low, why, is_found=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison."""

    text: str
    """What is compared of the reply: without its thinking, extracted."""
    target: str
    """One of the expected answers; empty for rules that need none."""
    expected: Expected
    reply: Reply
    fence: Fence


class ScorerRow(Strict):
    """One entry of `[[scorers]]`: the keys that all rules know."""

    model_config = ConfigDict(serialize_by_alias=True)

    use: str
    """The rule, such as "number"."""
    name: Annotated[str | None, Field(pattern=_NAME)] = None
    """The name of the metric. Empty = the name of the rule, with "not_" before it if `not` is set."""
    extract: Annotated[
        Extract,
        PlainValidator(extract_of),
        PlainSerializer(extract_written),
        WithJsonSchema({"type": "string"}),
        Field(json_schema_extra={"default": "whole"}),
    ] = WHOLE
    """The part of the reply that is scored: "whole", "last_line", "boxed", or a table with one key: `after` (a mark), `regex`,
    `json` (a path). Thinking is never scored."""
    negated: Annotated[bool, Field(alias="not")] = False
    """Invert a pass: 1 where the reply does not pass, else 0."""
    weight: Annotated[float, Field(gt=0)] = 1.0
    """The weight of the scorer in the weighted mean of scoring.threshold."""
    threshold: float | None = None
    """The lowest score that passes, or the highest where lower is better. A rule that gives 1 or 0 takes none, and passes at
    1."""
    headline: bool = False
    """Make this the metric of the verdict. Empty = the first of the scorers."""

    @property
    def wants_target(self) -> bool:
        """Return whether it compares with a target."""
        return True

    @property
    def asks_model(self) -> bool:
        """Return whether a model is asked, so that scores cost calls."""
        return False

    @property
    def runs_code(self) -> bool:
        """Return whether a function of a person's own is run, so that its scores are looked up."""
        return False

    @property
    def metric_name(self) -> str:
        """The name of its scores."""
        return self.name or (f"not_{self.use}" if self.negated else self.use)

    @property
    def options(self) -> dict[str, Json]:
        """Settings of the row, beside `extract`, that decide its values and are not the default."""
        table: dict[str, Json] = self.model_dump(exclude_defaults=True)
        without = _WITHOUT_EFFECT - {"threshold"} if self.negated else _WITHOUT_EFFECT
        return {key: value for key, value in table.items() if key not in without}


Scale = tuple[float, float]
RATE: Scale = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A scorer rule, declared once: everything else about it is derived from here."""

    name: str
    version: int
    """Raised whenever a reply may get another value: what compares scores of two versions says so."""
    says: str
    """One line for people."""
    row: type[ScorerRow]
    judge: Callable[[Any, Case], Outcome]
    """Of its row and a case."""
    is_rate: bool = True
    """Whether a value is 0 or 1; else it is a score."""
    scale: Scale = RATE
    better: Literal["higher", "lower"] = "higher"
    is_fenced: bool = False
    """Whether it runs in the fenced child alone."""
    may_wait: bool = False
    """Whether it may run there, by what its row or a target says, and be waited for."""
    may_lead: bool = True
    """Whether it may be the headline."""
    is_cheap: bool = True
    """Whether it costs microseconds, so that it is tried on shuffled targets as well."""
    takes_all_targets: bool = False
    """Whether it looks at all targets at once, instead of the best of them."""
    measures_reply: bool = False
    """Whether it measures the call and not the text."""
    reads_whole: bool = False
    """Whether it takes the thinking out of the reply itself."""
    counts_refusal: bool = False
    """Whether a reply that its server calls a refusal has the value 1."""
    varies_by_sample: bool = False
    """Whether each sample that brings it has options of its own, as a test has assertions: they tell samples apart."""
    is_empty: Callable[[str], bool] = field(default=lambda text: not squad_words(text))
    """Whether a text counts as no answer, where an empty list of targets asks for none."""
    check: Callable[[Any], None] = field(default=lambda row: None)
    """Checks a row at config time; ValueError with what a person can do."""

    signature: Callable[[Any], str] | None = None
    """What the library behind it says of how a row's scores are made, its version included; None = it is ours."""

    of_row: Callable[[Any], Rule] | None = None
    """Of a row, the rule with the scale that the row states; None = all rows have one scale."""

    def metric(self, row: ScorerRow) -> Metric:
        """The metric that a row's scores belong to. Under `not` it is a rate: whether the reply does not pass."""
        if self.is_rate or row.negated:
            return Metric(row.metric_name, *RATE, threshold=1.0)
        metric = Metric(row.metric_name, *self.scale, self.better, row.threshold)
        # scale and threshold tell what is right or wrong: a score that passes at its top is not to be taken for that
        return replace(metric, threshold=math.nextafter(1.0, 0.0)) if is_binary(metric) else metric

    def reaches(self, row: ScorerRow, value: float) -> bool:
        """Return whether a value, before `not`, passes: of a rate 1, of a score its threshold. ValueError without one."""
        if self.is_rate:
            return value == 1.0
        if row.threshold is None:
            raise ValueError(f"{row.metric_name} has no threshold")
        return value >= row.threshold if self.better == "higher" else value <= row.threshold

    def version_of(self, row: ScorerRow, is_of_sample: bool = False) -> str:
        """The version in each score: the rule's own, with `extract` and a digest of options where they are not the default.

        `is_of_sample`: whether a sample brings the row, and not the config.
        """
        entry = _VERSIONS.get(id(row))
        if entry is not None and entry[0] is row and entry[1] == (self, is_of_sample):
            return entry[2]
        if len(_VERSIONS) >= _MOST_VERSIONS:
            _VERSIONS.clear()
        version = self._version_of(row, is_of_sample)
        _VERSIONS[id(row)] = (row, (self, is_of_sample), version)
        return version

    def _version_of(self, row: ScorerRow, is_of_sample: bool) -> str:
        parts = [f"{self.name}/{self.version}"]
        if row.extract != WHOLE:
            parts.append(str(row.extract))
        options = {} if is_of_sample and self.varies_by_sample else row.options
        if options:
            parts.append(digest_of(options))
        return " ".join(parts)

    @property
    def worst(self) -> float:
        """The value of a reply that holds nothing right."""
        low, high = self.scale
        return low if self.better == "higher" else high

    @property
    def best(self) -> float:
        """The value of a reply with which nothing is wrong."""
        low, high = self.scale
        return high if self.better == "higher" else low

    def best_of(self, outcomes: Sequence[Outcome]) -> Outcome:
        """The best outcome; where a limit was hit for one and no other is as good as can be, nobody knows it."""
        valued = [outcome for outcome in outcomes if outcome.value is not None]
        sign = 1 if self.better == "higher" else -1
        top = max(valued, key=lambda outcome: sign * (outcome.value or 0.0), default=None)
        if top is not None and top.value == self.best:
            return top
        fault = next((outcome for outcome in outcomes if outcome.is_fault), None)
        return fault or top or outcomes[0]


_VERSIONS: dict[int, tuple[ScorerRow, tuple[Rule, bool], str]] = {}
"""Versions by rows, which never change once they are made: to tell one takes longer than a short comparison."""
_MOST_VERSIONS = 4_096


def digest_of(value: Json) -> str:
    """Eight hex digits by which one set of options is told from another."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:8]
