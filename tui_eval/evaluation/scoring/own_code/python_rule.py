"""Scorer `python`: a function in a file of the config's folder, run by the supervisor alone once the replies are there."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from tui_eval.core.calls import Json
from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow

_PLACE = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]*/)*[A-Za-z_][A-Za-z0-9_]*\.py:[A-Za-z][A-Za-z0-9_]{0,59}")
_METRIC = r"^[A-Za-z][A-Za-z0-9_-]{0,59}$"


class PythonRow(ScorerRow):
    """Row of `python`: where the function is, and the scale of what it returns."""

    python: Annotated[str, Field(examples=["scorers.py:score"])]
    """The function, as FILE.py:NAME. The path begins at the config's folder. It is called with a reply and its sample."""
    metric: Annotated[str, Field(pattern=_METRIC)] | None = None
    """The entry of the dict that the function returns. Empty = it returns one value."""
    returns: Literal["bool", "float"] | None = None
    """What the function returns: bool = a rate; float = a score. Empty = bool if its return annotation is bool, else float."""
    low: float | None = None
    """The lower end of a score's scale. Empty = 0."""
    high: float | None = None
    """The upper end of a score's scale. Empty = 1."""
    better: Literal["higher", "lower"] = "higher"
    """The better end of a score's scale."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 10.0
    """The time limit of one sample, in seconds."""
    folder: str = ""
    """The folder that the path begins at. A run's own config has it filled in. Empty = the config's folder."""

    @property
    def wants_target(self) -> bool:
        """It is told the target where there is one, and needs none."""
        return False

    @property
    def runs_code(self) -> bool:
        """It does."""
        return True

    @property
    def metric_name(self) -> str:
        """The name of its scores: of the entry, else of the function."""
        own = self.metric or self.function
        return self.name or (f"not_{own}" if self.negated else own)

    @property
    def file(self) -> str:
        """The file of the function, as a path from its folder."""
        return self.python.partition(":")[0]

    @property
    def function(self) -> str:
        """The function's name."""
        return self.python.partition(":")[2]

    @property
    def options(self) -> dict[str, Json]:
        """Settings that decide its values; where its folder lies and how long it may take do not."""
        without = ("folder", "timeout_s", "returns")
        return {key: value for key, value in super().options.items() if key not in without}

    @property
    def is_rate(self) -> bool:
        """Return whether its values are 1 or 0. While nobody has looked at the function: where `not` needs that."""
        if self.returns is None:
            return self.negated and self.threshold is None
        return self.returns == "bool"


def is_place(word: str) -> bool:
    """Return whether a word names a function in a file, and no rule."""
    return ".py:" in word


def _looked_up(row: PythonRow, case: Case) -> Outcome:
    """Raise RuntimeError: code is run by the supervisor, and `marks_by_code` looks up what it gave."""
    raise RuntimeError(f"{row.metric_name} runs code, and was taken for a rule")


def _check(row: PythonRow) -> None:
    """Raise ValueError for what names no function in the folder, a scale without an extent, and a scale of a rate."""
    if not _PLACE.fullmatch(row.python):
        raise ValueError("must be FILE.py:NAME, a file in the config's folder and a function in it, such as scorers.py:score")
    low, high = _scale(row)
    if not low < high:
        raise ValueError(f"high: must be more than low, {low:g}")
    if row.returns == "bool" and (row.low, row.high) != (None, None):
        raise ValueError("low: a function that returns bool has no scale; leave low and high out")


def _scale(row: PythonRow) -> tuple[float, float]:
    return (0.0 if row.low is None else row.low, 1.0 if row.high is None else row.high)


@lru_cache(maxsize=256)
def _with_scale(is_rate: bool, scale: tuple[float, float], better: Literal["higher", "lower"]) -> Rule:
    return replace(_PYTHON, is_rate=is_rate, scale=scale, better=better)


def _rule_of(row: PythonRow) -> Rule:
    """The rule with the scale that a row states."""
    return _with_scale(True, (0.0, 1.0), "higher") if row.is_rate else _with_scale(False, _scale(row), row.better)


_PYTHON = Rule("python", 1, "a function of your own", PythonRow, _looked_up, is_cheap=False, check=_check)
PYTHON = replace(_PYTHON, of_row=_rule_of)
