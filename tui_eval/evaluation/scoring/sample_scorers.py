"""Scores of one sample: by the config's rules and its own, against its right answers; and whether it passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tui_eval.core.calls import Call
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.datasets.field_values import FieldError, is_blank, list_in_cell, with_numbers
from tui_eval.datasets.shapes.target_values import OWN, OWN_ONLY, as_text
from tui_eval.evaluation.scorers import Scorers
from tui_eval.evaluation.scoring.by_model.llm_rule import LLM
from tui_eval.evaluation.scoring.own_code.python_rule import PYTHON, is_place
from tui_eval.evaluation.scoring.passing import passed, takes_part
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.evaluation.scoring.scorer_table import headline_of, row_of, rule_of
from tui_eval.evaluation.scoring.scoring import score
from tui_eval.evaluation.targets import TargetedAnswer

_CONFIGS_ALONE = ("name", "weight", "threshold", "headline")
"""Keys of a scorer that a config alone may set: they say what results are called and what counts."""


Marks = Mapping[tuple[int, str], Score]
"""By the place of an answer among those of its sample, and the name of a metric: what a model gave it."""
NO_MARKS: Marks = {}


def scorers_of(fields: Mapping[str, Any], config: Sequence[ScorerRow]) -> tuple[ScorerRow, ...]:
    """Return the scorers of a sample; a rule of its own replaces the config's of that name. FieldError for anything in its
    columns but rules and their options."""
    own, alone = ([*_sample_rows(fields.get(column), column)] for column in (OWN, OWN_ONLY))
    if not (own or alone):
        return tuple(config)
    names = {row.metric_name for row in own}
    return tuple(alone or (*(row for row in config if row.metric_name not in names), *own))


def own_rules(fields: Mapping[str, Any]) -> list[str]:
    """Return the texts that tell a sample with rules of its own from the same one with others; none where it brings none."""
    return [as_text(fields[column]) for column in (OWN, OWN_ONLY) if not is_blank(fields.get(column))]


def _sample_rows(value: Any, column: str) -> Iterator[ScorerRow]:
    listed = list_in_cell(value, column) if isinstance(value, str) and not is_blank(value) else value
    for each in listed if isinstance(listed, list) else [] if is_blank(listed) else [listed]:
        entry = {"use": each.strip()} if isinstance(each, str) else each
        if isinstance(entry, dict) and (refused := _refused(entry)):
            raise FieldError(f"{column}: {refused}; set it in the config's scorers")
        try:
            yield row_of(entry if isinstance(each, str) else with_numbers(each))
        except ValueError as error:
            raise FieldError(f"{column}: {error}") from None


def _refused(entry: Mapping[str, Any]) -> str:
    """Name the part of an entry that a config alone may have: a data set decides on no model and no code. Empty = none."""
    name = entry.get("use")
    if keys := [key for key in _CONFIGS_ALONE if key in entry]:
        return f"{keys[0]}: a sample gives rules and their options"
    if name == LLM.name:
        return f"{name}: a sample names no model"
    if name == PYTHON.name or PYTHON.name in entry or (isinstance(name, str) and is_place(name)):
        return f"{PYTHON.name}: a sample names no code"
    return f"{name}: a sample names no scorer of a package" if name not in [*RULES] and name in RULES.names() else ""


def all_scorers(config: Sequence[ScorerRow], samples: Iterable[Sequence[ScorerRow]], key: str) -> list[ScorerRow]:
    """Those of any sample, one for each metric, the headline first. `key`: of the set, for errors."""
    scorers: dict[str, ScorerRow] = {}
    for row in (*config, *(each for rows in samples for each in rows)):
        scorer = scorers.setdefault(row.metric_name, row)
        if scorer is not row and (scorer.use, rule_of(scorer).metric(scorer)) != (row.use, rule_of(row).metric(row)):
            problem = f"{row.metric_name!r} is a different rule in the config's scorers; give that one another name"
            raise ConfigError(f"{key}: {problem}")
    first = headline_of([*scorers.values()])
    return sorted(scorers.values(), key=lambda row: row is not first)


def tells_passing(rows: Iterable[ScorerRow]) -> bool:
    """Return whether several scorers decide together on passing."""
    return sum(map(takes_part, rows)) > 1


def waits(rows: Iterable[ScorerRow]) -> bool:
    """Return whether scoring by these may wait for the fenced child."""
    return any(rule_of(row).is_fenced or rule_of(row).may_wait or row.extract.how == "regex" for row in rows)


def metrics_by(rows: Sequence[ScorerRow], passed: str) -> tuple[Metric, ...]:
    """One for each scorer, and whether all is passed."""
    metrics = [rule_of(row).metric(row) for row in rows]
    return (*metrics, Metric(passed, threshold=1.0)) if tells_passing(rows) else tuple(metrics)


def scorers_by(
    rows: Sequence[ScorerRow],
    threshold: float | None,
    passed: str,
    samples: Iterable[Sequence[ScorerRow]] = (),
    key: str = "scorers",
) -> Scorers:
    """The scorers of a run, by those of its config and of its samples. ConfigError, naming `key`, where these disagree."""
    every = tuple(all_scorers(rows, samples, key))
    return Scorers(
        rows=tuple(rows),
        every=every,
        metrics=metrics_by(every, passed),
        passed=passed,
        tells_passing=tells_passing(every),
        threshold=threshold,
        leads=any(row.headline for row in every),
        may_wait=waits(every),
    )


def with_samples(scorers: Scorers, samples: Iterable[Sequence[ScorerRow]], key: str) -> Scorers:
    """The same with the rules that samples bring. ConfigError, naming the `key` of their set, where these disagree."""
    combined = scorers_by(scorers.rows, scorers.threshold, scorers.passed, samples, key)
    carried = {name: getattr(scorers, name) for name in ("prompts", "answers", "seed", "code_refused", "code_scores")}
    return replace(combined, **carried)


def scores_of(scorers: Scorers, answers: Iterable[TargetedAnswer], marks: Marks = NO_MARKS) -> list[Score]:
    """Every score of a sample's answers, each under its call and wherever else it stands. `marks`: those that models gave."""
    scores: list[Score] = []
    for place, answer in enumerate(answers):
        own = _scores(scorers, answer, place, marks)
        scores += own
        for stage, model, index in answer.also:
            scores += [replace(each, stage=stage, model=model, call_index=index) for each in own]
    return scores


def _scores(scorers: Scorers, answer: TargetedAnswer, place: int, marks: Marks) -> list[Score]:
    rows, call = scorers.rows if answer.scorers is None else answer.scorers, answer.reply.call
    if answer.why:
        at = (call.stage, call.model, call.call_index)
        scores = [Score(*at, row.metric_name, None, answer.why, version_in(scorers, row)) for row in rows]
    else:
        scores = [
            marks.get((place, row.metric_name)) or score(row, answer.reply, answer.expected, scorers.fence) for row in rows
        ]
        if answer.scorers is not None and answer.scorers is not scorers.rows:
            scores = [
                each if row.runs_code else replace(each, version=version_in(scorers, row))
                for row, each in zip(rows, scores, strict=True)
            ]
    return [*scores, _passing(scorers, rows, scores, call)] if scorers.tells_passing else scores


def version_in(scorers: Scorers, row: ScorerRow) -> str:
    """The version of scores by a row, which the config or a sample brings."""
    return rule_of(row).version_of(row, is_of_sample=all(row is not each for each in scorers.rows))


def _passing(scorers: Scorers, rows: Sequence[ScorerRow], scores: Sequence[Score], call: Call) -> Score:
    """Score whether an answer passes: None with the reason of the first score that takes part and has no value."""
    has_passed = passed(rows, {each.name: each.value for each in scores}, scorers.threshold)
    without = (each.why for row, each in zip(rows, scores, strict=True) if takes_part(row) and each.value is None)
    value, why = (None, next(without, "no scorer passes or fails")) if has_passed is None else (float(has_passed), "")
    return Score(call.stage, call.model, call.call_index, scorers.passed, value, why, f"{scorers.passed}/1")
