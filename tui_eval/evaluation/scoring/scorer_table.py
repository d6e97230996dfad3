"""`[[scorers]]` and `[scoring]` of a config: names alone or tables, each checked by the rule that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, SerializeAsAny, ValidationError

from tui_eval.evaluation.scoring.own_code.python_rule import PYTHON, is_place
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.rule import Rule, ScorerRow
from tui_eval.workspace.toml_files import dotted
from tui_eval.workspace.validation import Strict, described, no_such


def rule_of(row: ScorerRow) -> Rule:
    """The rule that a row uses."""
    rule = RULES[row.use]
    return rule if rule.of_row is None else rule.of_row(row)


def row_of(entry: Any) -> ScorerRow:
    """A row as a config has it: a rule's name, or a table with `use`. ValueError lists what is wrong with it."""
    if isinstance(entry, ScorerRow):
        return entry
    if isinstance(entry, str):
        entry = {PYTHON.name: entry} if is_place(entry) else {"use": entry}
    if isinstance(entry, dict):
        entry = _with_code(entry)
    if not isinstance(entry, dict) or not isinstance(entry.get("use"), str):
        raise ValueError('must be the name of a scorer, such as "number", or a table with use = "number"')
    rule = RULES.get(entry["use"])
    if rule is None:
        raise ValueError(no_such(entry["use"], RULES))
    try:
        row = rule.row.model_validate(entry)
    except ValidationError as error:
        problems = [described(rule.row, detail) for detail in error.errors(include_url=False)]
        message = "; ".join(f"{rule.name}: {dotted(place)}: {problem}" for place, problem in problems)
        raise ValueError(f"{message}{_example_of(rule, entry)}") from None
    check_row(row)
    return row


def _example_of(rule: Rule, entry: dict[str, Any]) -> str:
    """The form of a table with the first key that must be there and is not in an entry; empty where none lacks."""
    lacking = [(key, field) for key, field in rule.row.model_fields.items() if field.is_required() and key not in entry]
    if not lacking:
        return ""
    key, field = lacking[0]
    example = (field.examples or ["NAME"])[0]
    return f', as in {{ use = "{rule.name}", {key} = "{example}" }}'


def _with_code(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry that names a function of a person's own by `python` alone, or by use = { python = "..." }, in full."""
    use = entry.get("use")
    if isinstance(use, dict) and use.keys() == {PYTHON.name} and PYTHON.name not in entry:
        return {**entry, "use": PYTHON.name, PYTHON.name: use[PYTHON.name]}
    return {"use": PYTHON.name, **entry} if use is None and PYTHON.name in entry else entry


def check_row(row: ScorerRow) -> None:
    """Raise ValueError where keys of a row do not go together."""
    rule = rule_of(row)
    if row.headline and not rule.may_lead:
        raise ValueError(f"{rule.name}: headline: it measures and does not judge, so it cannot be the headline")
    if rule.is_rate and row.threshold is not None:
        raise ValueError(f"{rule.name}: threshold: it is 1 or 0, and passes at 1; leave the threshold out")
    if not rule.is_rate and row.negated and row.threshold is None:
        raise ValueError(f"{rule.name}: not: it reverses passing, which needs a threshold; set one")
    low, high = rule.scale
    if row.threshold is not None and not low <= row.threshold <= high:
        ends = "; its keys low and high set the scale" if "high" in type(row).model_fields else ""
        raise ValueError(f"{rule.name}: threshold: must be from {low:g} to {high:g}, not {row.threshold:g}{ends}")
    if rule.measures_reply and row.extract.how != "whole":
        raise ValueError(f"{rule.name}: extract: it measures the call and reads no text; leave it out")
    try:
        rule.check(row)
    except ValueError as error:
        raise ValueError(f"{rule.name}: {error}") from None


def _together(rows: list[ScorerRow]) -> list[ScorerRow]:
    """Rows whose metrics have names of their own, and of which one at the most is the headline."""
    names = [row.metric_name for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'two scorers are called {name!r}; give one of them another name, as in name = "{name}_2"')
    if sum(row.headline for row in rows) > 1:
        raise ValueError("two scorers have headline = true; one is the headline")
    return rows


class _OrAName:
    """Tells forms and references that an entry is a text or a table, with the keys that all rules know."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"oneOf": [{"type": "string"}, handler(core)]}


ScorerRows = Annotated[
    list[Annotated[SerializeAsAny[ScorerRow], BeforeValidator(row_of), _OrAName()]],
    AfterValidator(_together),
    Field(examples=[["number", "contains"]]),
]
"""The type of a field `scorers`: names, tables, or both."""


class ScoringTable(Strict):
    """The `[scoring]` table: when a sample passes, whose replies are scored, and prompts."""

    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """The lowest weighted mean with which a sample passes. The mean is over the scorers that take part, each mapped to 0..1.
    Empty = each of these must pass."""
    answers: Annotated[str, Field(examples=["RUN"])] | None = None
    """An earlier run, by its id or folder. Its replies are scored, and no model is asked for answers. Only scorers that ask a
    model then cost calls. Empty = the models are asked."""
    prompts: dict[str, str] = {}
    """This run's own prompts for scorers that ask a model. For a prompt that is left out, the one in prompts/scoring/ is used,
    else the shipped one."""


class ScorerSettings(Strict):
    """The keys of a config, outside of its tables, that say what scores replies."""

    scorers: ScorerRows = []
    """The scorers of replies that have a target: names of scorers, or tables. If the evaluation type has no metrics, one
    scorer is the headline: the one with headline = true, else the first. Scorers that only measure a reply, such as
    latency_s, are never the headline. Empty = only the metrics of the evaluation type are scored."""
    scoring: ScoringTable = ScoringTable()
    """The rule by which several scorers decide if a sample passes. Also the run whose replies are scored, and the prompts of
    scorers that ask a model."""


def headline_of(rows: Sequence[ScorerRow]) -> ScorerRow | None:
    """The row that the verdict speaks of: the one that says so, else the first that may; None where none may."""
    able = [row for row in rows if rule_of(row).may_lead]
    return next((row for row in able if row.headline), able[0] if able else None)
