"""Rubrics of a person's own in a kind: the key that names them, what they may be called, and what they come to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.reading.front_matter.rubrics import SEES, OwnRubric, RubricError, own_rubric
from tui_eval.workspace.validation import nearest

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_COLUMNS = frozenset({"model", "metric", "stage", "repeat", "id", "name", "value", "passed", "scorers_passed", "error"})
"""What files call something else by, of every kind."""


@dataclass(frozen=True, slots=True)
class RubricForm:
    """Declaration of the key of a kind's table that names metrics, among them rubrics in prompts/<kind>/."""

    key: tuple[str, ...]
    """The way to the list, such as ("judge", "metrics")."""
    shipped: tuple[str, ...] = ()
    """The metrics that this key takes besides."""
    sees: frozenset[str] = frozenset(SEES)
    """What its judges can be shown, of what rubrics may list."""
    columns: frozenset[str] = frozenset()
    """Names of columns in its files, which no metric may have."""
    stage: str = "judge"
    """The stage in which its judges are asked."""
    system: str = "judge_system"
    """The prompt that says what its judges do, by its name beside the texts of rubrics. These stand in the kind's own table, or
    in that of its judges where the kind's key `prompts` is a person's own."""
    reminder: str = "reminder"
    """The one that follows a reply which cannot be parsed."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Of these two those that are prompts of chat: by their names here, their names there. They are read only where a config
    names rubrics."""

    def names_in(self, table: Any) -> list[str]:
        """The rubrics that a table names, each once, in its order; it may hold anything yet."""
        for part in self.key:
            table = table.get(part) if isinstance(table, dict) else None
        listed = [name for name in table if isinstance(name, str)] if isinstance(table, list) else []
        return [name for name in dict.fromkeys(listed) if name not in self.shipped]

    def prompts_of(self, metric: str) -> tuple[str, ...]:
        """Return the names of the prompts that decide what judges say by a rubric."""
        return self.system, metric, self.reminder

    def key_in(self, kind: str) -> str:
        """The key, as errors name it."""
        return ".".join((kind, *self.key))

    def rubrics(self, names: Collection[str], prompts: Mapping[str, str], kind: str) -> dict[str, OwnRubric]:
        """The rubrics among metrics, by name. ConfigError for one that is none."""
        own = [name for name in dict.fromkeys(names) if name not in self.shipped]
        return {name: self.rubric(name, prompts.get(name, ""), f"{kind}.prompts.{name}") for name in own}

    def rubric(self, name: str, text: str, place: str) -> OwnRubric:
        """The rubric of a text. ConfigError, naming its place and line."""
        try:
            rubric = own_rubric(name, text)
        except RubricError as error:
            raise ConfigError(f"{place}:{error.line}: {error}") from None
        for slot in rubric.sees:
            if slot not in self.sees:
                known = ", ".join(sorted(self.sees)) or "nothing"
                raise ConfigError(f"{place}: sees: {slot}: judges are not shown that here; they can be shown {known}")
        return rubric

    def problem_of(self, name: str, taken: Collection[str]) -> str:
        """Say why a metric cannot be called so; "" where it can. `taken`: the names of shipped prompts and metrics."""
        if name in taken:
            return f"{name!r} is the name of a shipped prompt or metric; give the rubric another one"
        if name in _COLUMNS | self.columns:
            return f"{name!r} is the name of a column in files; give the rubric another one"
        return (
            "" if _NAME.fullmatch(name) else f"{name!r}: a rubric is called by small letters, digits and _, such as politeness"
        )

    def unknown(self, name: str, kind: str, existing: Collection[str]) -> str:
        """Say that there is no metric of a name, and where a rubric would lie."""
        shipped = f"shipped are {', '.join(self.shipped)}; " if self.shipped else ""
        return (
            f"{name!r} is not a metric{nearest(name, [*self.shipped, *existing])}; {shipped}a rubric of your own is a file "
            f"prompts/{kind}/{name}.md that begins with ---, metric: true, ---"
        )


NO_RUBRICS: Mapping[str, OwnRubric] = {}


def asked_of_persons(rubrics: Mapping[str, OwnRubric]) -> Iterator[tuple[str, str]]:
    """Of each rubric by which persons can rate, 1 to 5 or yes and no: its name, and what they are asked."""
    for name, rubric in rubrics.items():
        words, metric = name.replace("_", " "), rubric.metric
        if (metric.low, metric.high) == (1, 5):
            yield name, f"How does the answer do by {words}?{' 1 is best.' if metric.better == 'lower' else ''}"
        elif (metric.low, metric.high, metric.better, metric.threshold) == (0, 1, "higher", 1):
            yield name, f"Does the answer pass by {words}?"
