"""Matrix of the headline: a row for each model, a column for each version of what is asked, and who leads under each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Cell, Table
from tui_eval.core.units import Units
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, mean_cells, table_of
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.in_words import short
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.sentences import say
from tui_eval.results.sums.verdict import headline_sides, leaders

WIDTH = 79
"""Columns that a table of it has at most as text; versions that do not fit stand in a further one."""
LONGEST = 20
"""Characters of a name in it."""
LEADS = "*"
"""Behind the estimate of who leads."""


@dataclass(frozen=True, slots=True)
class VariantMatrix:
    """Results of each model under each version of what is asked, by the metric that the verdict speaks of."""

    metric: Metric
    units: Units
    models: Sequence[str]
    variants: Sequence[str]
    estimates: Mapping[tuple[str, str], Estimate]
    """By model and version."""
    leaders: Mapping[str, str]
    """By version the model that leads; without those of which none is shown to."""
    rests_on: Mapping[str, Json]
    """What all of its scores have in common."""

    @classmethod
    def of(cls, board: Board) -> VariantMatrix | None:
        """Return the matrix of a board; None where it has no two versions, or where nothing was asked."""
        sides = headline_sides(board)
        side_variants = {side.variant for side in sides}
        variants = [name for name in board.variants if name in side_variants]
        if len(variants) < 2:
            return None
        models = list(dict.fromkeys(side.model for side in board.series if side in sides))
        estimates = {(side.model, side.variant): board.estimate(side) for side in sides}
        rests_on = {"stage": sides[0].stage, **({"name": sides[0].metric} if len(board.metrics) > 1 else {})}
        return cls(board.metric(sides[0]), board.units, models, variants, estimates, leaders(board), rests_on)

    def leads(self, model: str, variant: str) -> bool:
        """Return whether a model is shown to be better than every other one under a version."""
        return self.leaders.get(variant) == model

    def table(self, ids: Mapping[str, str]) -> Table:
        """With every figure, as report.json has it; `ids`: what APIs call the models."""
        name = "accuracy" if is_binary(self.metric) else "mean"
        rows: list[Cells] = []
        for model in self.models:
            row: Cells = {RESTS_ON: {**self.rests_on, "model": model}, "stage": self.rests_on["stage"], "model": model}
            row["model_id"] = ids.get(model, model)
            for variant in self.variants:
                figure = row[f"{name}_{variant}"] = self._cell(model, variant)
                row[f"leads_{variant}"] = ("yes" if self.leads(model, variant) else "no") if figure.n else None
            rows.append(row)
        figures = (f"{prefix}_{variant}" for variant in self.variants for prefix in (name, "leads"))
        return table_of(self._title, rows, ("stage", "model", "model_id", *figures), " ".join(self._notes("leads")))

    def short(self) -> list[Table]:
        """As text: estimate and interval, n where it differs; in several tables where one would be too wide."""
        heads = [short(variant, LONGEST) for variant in self.variants]
        names = [Cell(short(model, LONGEST)) for model in self.models]
        cells = [[self._text(model, variant) for variant in self.variants] for model in self.models]
        widths = [max(len(head), *(len(str(row[place].value)) for row in cells)) for place, head in enumerate(heads)]
        rests_on = tuple({**self.rests_on, "model": model} for model in self.models)
        most = WIDTH - max(len("model"), *(len(str(name.value)) for name in names))
        parts: list[list[int]] = [[]]
        for place, width in enumerate(widths):
            if parts[-1] and sum(widths[column] + 2 for column in parts[-1]) + width + 2 > most:
                parts.append([])
            parts[-1].append(place)
        tables = [
            Table(
                self._title + (f" ({number} of {len(parts)})" if len(parts) > 1 else ""),
                ("model", *(heads[place] for place in part)),
                tuple((name, *(row[place] for place in part)) for name, row in zip(names, cells, strict=True)),
                rests_on=rests_on,
            )
            for number, part in enumerate(parts, 1)
        ]
        return [*tables[:-1], replace(tables[-1], note=" ".join(self._notes(LEADS)))]

    @property
    def _title(self) -> str:
        return f"{self.metric.name}{' in %' if is_binary(self.metric) else ''} by model and {self.units.variant or 'version'}"

    @property
    def _common(self) -> int | None:
        """On how many items each mean rests, where that is one number."""
        numbers = {estimate.n for estimate in self.estimates.values() if estimate.n}
        return numbers.pop() if len(numbers) == 1 else None

    def _notes(self, mark: str) -> Iterator[str]:
        noun = self.units.variant or "version"
        if len(self.models) > 1 and self.leaders:
            yield f"{mark}: significantly better than every other model under this {noun}."
        elif len(self.models) > 1:
            sentence = say("none_under", where=f"any {noun}")
            yield f"{sentence[0].upper()}{sentence[1:]}."
        n = f"over {self.units.counted(self._common)} each" if self._common is not None else f"n: {self.units.item}s"
        yield f"Means, 95 % intervals; {n}."

    def _cell(self, model: str, variant: str) -> Cell:
        estimate = self.estimates.get((model, variant))
        return Cell(None) if estimate is None else mean_cells(estimate, self.units.item)["mean"]

    def _text(self, model: str, variant: str) -> Cell:
        """A cell as text, which can still be opened."""
        cell = self._cell(model, variant)
        if not isinstance(cell.value, float):
            return cell._replace(value="-")
        scale, digits = (100, 1) if is_binary(self.metric) else (1, 2)
        has_interval = cell.low is not None and cell.high is not None
        ends = f" [{scale * (cell.low or 0):.{digits}f}, {scale * (cell.high or 0):.{digits}f}]" if has_interval else ""
        n = "" if self._common is not None else f" n {cell.n:,}"
        return cell._replace(
            value=f"{scale * cell.value:.{digits}f}{ends}{n}{f' {LEADS}' if self.leads(model, variant) else ''}"
        )
