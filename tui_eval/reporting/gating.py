"""Whether a run's results are good enough: each gate of its config judged by what its files say, as report.json has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.gate_checks import Gates
from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.core.money import MadeUp, four_decimals, told_apart
from tui_eval.core.plaintext import one_line
from tui_eval.providers import WIRES
from tui_eval.results.attempts import costs_apart
from tui_eval.results.comparison.pairs import Pair, Standing, compared, estimate
from tui_eval.results.comparison.read_lines import entry_of, regular_lines, scores_of, text_of
from tui_eval.results.comparison.sides import Run, Side, read_run
from tui_eval.results.sums.gates import (
    Judged,
    Threshold,
    judged,
    judged_cost,
    judged_critical,
    judged_missing,
    threshold_of,
)
from tui_eval.results.sums.in_words import in_unit
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary, passes, upwards, within
from tui_eval.results.sums.series import NO_TRUTH
from tui_eval.runs.folder import RESULTS

SHOWN_IDS = 10
"""Questions that are named in a sentence."""
NOTHING = Estimate(0, None)


@dataclass(slots=True)
class _Answers:
    """What became of a model's answers by one metric."""

    answers: int = 0
    missing: int = 0


@dataclass(slots=True)
class _Lines:
    """What is taken from the lines of results.jsonl, of the stage that is held against the gates."""

    by_model: dict[tuple[str, str], _Answers] = field(default_factory=lambda: defaultdict(_Answers))
    """By model and metric."""
    critical: dict[str, dict[str, set[bool | None]]] = field(default_factory=dict)
    """By question and model: whether answers were right, None where that is not known."""


def judged_gates(
    path: Path,
    out: Path,
    evaluation: Evaluation,
    report: Mapping[str, Json],
    not_asked: int = 0,
) -> list[Json]:
    """Every gate of a run with its verdict; none where its config demands nothing.

    `out`: the folder that holds its results, which is another where it was re-scored. `report`: what report.json holds besides;
    `not_asked`: samples that were not come to, whose answers are all missing.
    """
    gates = evaluation.gates
    if gates is None:
        return []
    run, other = _read(path, out / RESULTS, gates)
    found = _Gating(evaluation, gates, run, other, _lines(out / RESULTS, evaluation, gates))
    entries = [*found.values(), *found.missing(not_asked), *found.critical(), *found.against()]
    if gates.settings.max_cost_usd is not None:
        entries.append(found.cost(report, gates.settings.max_cost_usd))
    lenient = gates.settings.inconclusive == "pass"
    return [{**entry, "passed": entry["verdict"] == "PASS" or (lenient and entry["verdict"] != "FAIL")} for entry in entries]


def _read(path: Path, results: Path, gates: Gates) -> tuple[Run, Run | None]:
    """The run and the one that it must not be worse than; questions told by their place where one notes no texts."""

    def both(by_text: bool) -> tuple[Run, Run | None]:
        other = None if gates.other is None else read_run(gates.other, by_text)
        return read_run(path, by_text, results=results), other

    try:
        run, other = both(by_text=True)
        return (run, other) if other is None or (run.texts and other.texts) else both(by_text=False)
    except FolderError:  # the other one: it was there when the run began
        return read_run(path, results=results), None


def _lines(results: Path, evaluation: Evaluation, gates: Gates) -> _Lines:
    """Counted line by line: a question without a truth is none that an answer is missing to."""
    found, critical = _Lines(), gates.settings.critical
    metrics = {metric.name: metric for metric in _measured(evaluation, gates)}
    models = [model.name for model in evaluation.task.asked[gates.stage]]
    for _, line in regular_lines(results):
        entry = entry_of(line)
        if entry is None:
            continue
        scores = [score for score in scores_of(entry) if score.stage == gates.stage and score.measure in metrics]
        for score in scores:
            if score.value is not None or score.why != NO_TRUTH:
                counted = found.by_model[score.model, score.measure]
                counted.answers += 1
                counted.missing += score.value is None
        own = entry["item_id"].removesuffix(f"#{entry['repeat'] + 1}") if entry["repeat"] else entry["item_id"]
        for name in [name for name in critical if name in (own, text_of(entry, "doc_id"))]:
            of = found.critical.setdefault(name, {})
            for score in scores:
                right = None if score.value is None else passes(metrics[score.measure], score.value)
                of.setdefault(score.model, set()).add(right)
            for model in () if scores else models:  # its flow broke off
                of.setdefault(model, set()).add(None)
    return found


def _measured(evaluation: Evaluation, gates: Gates) -> list[Metric]:
    """The metrics that the gates speak of: those with a threshold there, else all."""
    named = gates.settings.measured
    return [metric for metric in evaluation.kind.metrics if not named or metric.name in named]


class _Gating:
    """A run held against its gates, one sort after the other."""

    def __init__(self, evaluation: Evaluation, gates: Gates, run: Run, other: Run | None, lines: _Lines) -> None:
        self.evaluation, self.gates, self.settings = evaluation, gates, gates.settings
        self.run, self.other, self.lines = run, other, lines
        self.models = list(dict.fromkeys(model.name for model in evaluation.task.asked[gates.stage]))
        self.metrics = _measured(evaluation, gates)
        self.sides = {(side.model, side.measure): side for side in run.sides if side.stage == gates.stage}

    def values(self) -> Iterator[dict[str, Json]]:
        """Thresholds: every model's mean, by the threshold of its own where there is one."""
        for metric in self.metrics:
            for model in self.models:
                text = self.settings.models.get(model, {}).get(metric.name) or self.settings.thresholds.get(metric.name)
                if text is None:
                    continue
                wanted, side = threshold_of(text), self.sides.get((model, metric.name))
                found = NOTHING if side is None else estimate(side, list(side.scores))
                told = judged(found, wanted, self.settings.bound)
                shown = in_unit(found.value, metric) + _interval(metric, found)
                yield self._entry(
                    metric.name,
                    told,
                    shown,
                    f"{wanted.sign} {_wanted(metric, wanted.value)}",
                    found,
                    wanted.value,
                    model,
                    metric,
                )

    def missing(self, not_asked: int) -> Iterator[dict[str, Json]]:
        """Answers without a score, as a share of each model's answers; how many others were to come is not known."""
        most = self.settings.max_missing
        if most is None:
            return
        for metric in self.metrics:
            for model in self.models:
                n = self.lines.by_model[model, metric.name]
                value = n.missing / n.answers if n.answers else None
                found = Estimate(n.answers, value)
                shown = "-" if value is None else f"{100 * value:.1f} % ({n.missing} of {n.answers})"
                told = judged_missing(n.missing, n.answers, most)
                if not_asked and told.outcome == "PASS":
                    told = Judged("INCONCLUSIVE", f"{not_asked:,} samples were not asked yet")
                yield self._entry("max_missing", told, shown, f"<= {100 * most:g} %", found, most, model, metric)

    def critical(self) -> Iterator[dict[str, Json]]:
        """Questions of which no answer may be wrong, and none may be missing."""
        if not self.settings.critical:
            return
        for model in self.models:
            wrong, missing, asked = [], [], 0
            for name in self.settings.critical:
                of = self.lines.critical.get(name, {})
                if of and model not in of:  # an item that is another model's
                    continue
                said = of.get(model, {None})
                asked += 1
                wrong += [name] if False in said else []
                missing += [name] if said & {None} and False not in said else []
            if not asked:
                continue
            told = judged_critical(_named(wrong), _named(missing))
            shown = f"{len(wrong) or 'none'} wrong" + (f", {len(missing)} missing" if missing else "")
            found = Estimate(asked, len(wrong))
            entry = self._entry("critical", told, shown, "none wrong", found, 0, model)
            yield {**entry, "missing": len(missing), "text": told.why or ", ".join(_named(wrong))}

    def against(self) -> Iterator[dict[str, Json]]:
        """Each model beside the same one of another run, on the questions that both have a score for."""
        if not self.settings.against:
            return
        margin = self.settings.at_most_worse
        for metric in self.metrics:
            for model in self.models:
                found, told, notes = self._beside(model, metric)
                shown = _difference(metric, found)
                wanted = f">= {_points(metric, -margin)}"
                entry = self._entry("against", told, shown, wanted, found, -margin, model, metric)
                beside = f"beside {one_line(Path(self.settings.against).name, 80)}"
                yield {**entry, "text": "; ".join([beside, *filter(None, [told.why]), *notes])}

    def _beside(self, model: str, metric: Metric) -> tuple[Estimate, Judged, list[str]]:
        """How much better the model is than the other run's, whether that is enough, and what must be known besides."""
        side = self.sides.get((model, metric.name))
        if self.other is None:
            return (
                NOTHING,
                Judged("INCONCLUSIVE", "that run is gone, or unreadable; name another: --set gate.against=RUN"),
                [],
            )
        if side is None:
            return NOTHING, Judged("INCONCLUSIVE", "no question has a score"), []
        there = [s for s in self.other.sides if (s.stage, s.measure, s.metric) == (side.stage, side.measure, side.metric)]
        match, notes = self._match(model, there)
        if match is None:
            return NOTHING, Judged("INCONCLUSIVE", "that run has no scores of such a model"), []
        pair = compared(*(Standing(each, each.model, estimate(each, list(each.scores))) for each in (side, match)))
        if not pair.n:
            return NOTHING, Judged("INCONCLUSIVE", "no question has a score in both"), notes
        ends = [None if end is None else upwards(metric, end) for end in (pair.low, pair.high)]
        low, high = ends if metric.better == "higher" else reversed(ends)
        found = Estimate(pair.n, upwards(metric, pair.difference or 0.0), low, high)
        told = judged(found, Threshold(">=", -self.settings.at_most_worse), self.settings.bound)
        return found, told, [*notes, *self._caveats(pair)]

    def _match(self, model: str, there: list[Side]) -> tuple[Side | None, list[str]]:
        """The side of the other run that a model is held against: by its name, else by its id, else the only one there is."""
        assert self.other is not None
        ids, own = self.other.model_ids, self.evaluation.models[model].model
        for side in there:
            if side.model == model:
                was = ids.get(one_line(model), own)
                return side, [] if was == one_line(own) else [f"there it is {was}"]
        same = [side for side in there if ids.get(one_line(side.model)) == one_line(own)]
        if len(same) == 1:
            return same[0], [f"there it is called {one_line(same[0].model, 60)}"]
        return (
            (there[0], [f"held against {one_line(there[0].model, 60)}, the only one there"]) if len(there) == 1 else (None, [])
        )

    def _caveats(self, pair: Pair) -> list[str]:
        """What makes the two differ besides the model."""
        run, model = pair.b.side.run, pair.a.side.model
        made_up = WIRES[self.evaluation.models[model].wire].simulated
        notes = [f"{pair.changed} questions are others there"] if pair.changed else []
        if pair.missing_a or pair.missing_b:
            notes.append(f"without a score: {pair.missing_a} here, {pair.missing_b} there")
        if made_up != pair.b.side.simulated:
            notes.append(f"{'this one' if made_up else 'that one'} is simulated, the other is not")
        if pair.a.side.versions != pair.b.side.versions:
            notes.append("scored by different rules")
        return [*notes, *([f"that run is {run.state}"] if run.state != "done" else [])]

    def cost(self, report: Mapping[str, Json], most: float) -> dict[str, Json]:
        """What the run cost; of a run of real and simulated models, what the real ones did.

        What was taken from a cache cost it nothing; what imported answers cost, nobody knows.
        """
        calls, rows = report["calls"], report["calls_by_stage_and_model"]
        simulated = report.get("simulated_models", ())
        made_up: MadeUp = "some" if simulated else "all" if report["simulated"] else "nothing"
        kept = [row for row in rows if row["model"] not in simulated]
        (usd, uncounted), pretended = costs_apart(rows, simulated)
        paid = (report["charged_usd"] or 0.0) - report.get("charged_simulated_usd", 0.0)
        imported = all(WIRES[spec.wire].recorded for spec in self.evaluation.models.values())
        spent = max(usd or 0.0, paid)
        unknown = uncounted + (calls["calls_cached"] if imported else 0)
        found = Estimate(sum(row["n_cost_known"] for row in kept) + uncounted, None if unknown and not spent else spent)
        told = judged_cost(spent, unknown, most)
        shown = _spent(spent, unknown)
        shown = told_apart(shown, shown, _spent(pretended.usd or 0.0, pretended.unknown), made_up)
        notes = ["real money alone is held against it"] if made_up == "some" else []
        if calls["calls_cached"] and not imported:
            notes.append(f"{calls['calls_cached']:,} replies came from the cache and cost this run nothing")
        told = replace(told, why="; ".join(filter(None, [told.why, *notes])))
        entry = self._entry("max_cost_usd", told, shown, f"<= ${most:g}", found, most)
        return {**entry, "missing": unknown}

    def _entry(
        self,
        name: str,
        told: Judged,
        found: str,
        wanted: str,
        of: Estimate,
        threshold: float,
        model: str = "",
        metric: Metric | None = None,
    ) -> dict[str, Json]:
        """A gate as report.json has it. Texts are as foreign as the names in them."""
        measure = "" if metric is None else metric.name
        lacking = self.lines.by_model[model, measure].missing if metric is not None else 0
        return {
            "name": name,
            "metric": measure,
            "stage": self.gates.stage if model else "",
            "model": model,
            "verdict": told.outcome,
            "text": told.why,
            "found": found,
            "wanted": wanted,
            "value": of.value,
            "low": of.low,
            "high": of.high,
            "n": of.n,
            "missing": lacking,
            "threshold": threshold,
            "needed": told.needed,
        }


def _spent(known: float, unknown: int) -> str:
    """An amount of which nobody knows what so many calls add to it."""
    shown = four_decimals(known) if known or not unknown else "unknown"
    return shown + (f" + {unknown} unknown" if unknown and known else "")


def _named(ids: list[str]) -> list[str]:
    """The first of some ids, and how many more there are."""
    more = len(ids) - SHOWN_IDS
    return [*(one_line(name, 60) for name in ids[:SHOWN_IDS]), *([f"{more} more"] if more > 0 else [])]


def _wanted(metric: Metric, value: float) -> str:
    """A threshold in the same, as a person writes it."""
    return f"{100 * value:g} %" if is_binary(metric) else f"{value:g}"


def _interval(metric: Metric, found: Estimate) -> str:
    if found.low is None or found.high is None:
        return ""
    scale, digits = (100, 1) if is_binary(metric) else (1, 2)
    low, high = (scale * within(metric, end) for end in (found.low, found.high))
    return f" [{low:.{digits}f}, {high:.{digits}f}]"


def _points(metric: Metric, value: float) -> str:
    """A difference in points of a hundred, or in the unit of the marks."""
    return f"{100 * value + 0:g} points" if is_binary(metric) else f"{value + 0:g}"


def _difference(metric: Metric, found: Estimate) -> str:
    if found.value is None:
        return "-"
    scale, unit, digits = (100, " points", 1) if is_binary(metric) else (1, "", 2)
    ends = (
        ""
        if found.low is None or found.high is None
        else f" [{scale * found.low:+.{digits}f}, {scale * found.high:+.{digits}f}]"
    )
    return f"{scale * found.value:+.{digits}f}{unit}{ends}"
