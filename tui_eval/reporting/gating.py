"""A run's results held against the gates of its config, by its files, as report.json has the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.gate_checks import Gates
from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.core.money import MadeUp, four_decimals, told_apart
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.providers import WIRES
from tui_eval.results.attempts import costs_apart
from tui_eval.results.comparison import sides
from tui_eval.results.comparison.text import estimate
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.sums import gates as rules
from tui_eval.results.sums.board import Side
from tui_eval.results.sums.gates import Change, Ruling
from tui_eval.results.sums.in_words import listed, points
from tui_eval.results.sums.means import Estimate, IndependentUnits, units_of_side
from tui_eval.results.sums.metrics import is_binary, passes, upwards
from tui_eval.results.sums.series import Series
from tui_eval.runs.folder import RESULTS

SHOWN_IDS = 10
"""Questions that are named in a sentence."""
NOTHING = Estimate(0, None)


def judged_gates(path: Path, out: Path, evaluation: Evaluation, report: Mapping[str, Json], not_asked: int = 0) -> list[Json]:
    """Every gate of a run with its outcome; none where its config demands nothing.

    `out`: the folder that holds its results, which is another where it was re-scored. `report`: what report.json holds besides;
    `not_asked`: samples that were not come to, whose answers are all missing.
    """
    if evaluation.gates is None:
        return []
    run = sides.read_run(path, results=out / RESULTS)
    run.board.units, run.stated = evaluation.kind.units, True  # its lines were written just now
    gating = _Gating(evaluation, evaluation.gates, run, out / RESULTS)
    entries = [*gating.values(), *gating.missing(not_asked), *gating.critical(), *gating.against(report), *gating.cost(report)]
    inconclusive = evaluation.gates.settings.inconclusive
    for entry in entries:
        stops = entry.pop("stops") if inconclusive is None else inconclusive == "fail"
        entry["passed"] = entry["verdict"] == "PASS" or (entry["verdict"] == "INCONCLUSIVE" and not stops)
    return entries


class _Gating:
    """Gates of a run, one sort after the other."""

    def __init__(self, evaluation: Evaluation, gates: Gates, run: sides.Run, results: Path) -> None:
        self.evaluation, self.gates, self.settings, self.run, self.results = evaluation, gates, gates.settings, run, results
        self.models = list(dict.fromkeys(model.name for model in evaluation.task.asked[gates.stage]))
        metrics = self.settings.metrics(evaluation.kind, {side.metric for side in run.sides if side.stage == gates.stage})
        self.rows = [(side, metric) for metric in metrics for model in self.models for side in self._sides(model, metric)]

    def _sides(self, model: str, metric: Metric) -> list[Side]:
        """Every variant of a model by a metric; one where it has no score at all."""
        bare = Side(self.gates.stage, model, metric.name)
        return [side for side in self.run.sides if side._replace(variant="") == bare] or [bare]

    def _estimate(self, side: Side) -> Estimate:
        return self.run.board.estimate(side) if side in self.run.sides else NOTHING

    def _units(self, side: Side, metric: Metric) -> IndependentUnits | None:
        series = self.run.board.series.get(side)
        return None if series is None else units_of_side(series, self.run.board.items, metric)

    def values(self) -> Iterator[dict[str, Json]]:
        """Thresholds: every side's mean, by the threshold of its model where that has one."""
        for side, metric in self.rows:
            text = self.settings.models.get(side.model, {}).get(metric.name) or self.settings.thresholds.get(metric.name)
            if text is not None:
                threshold, score = rules.threshold_of(text), self._estimate(side)
                units = partial(self._units, side, metric)
                ruling = rules.rule_on_value(score, threshold, self.settings.bound, self.run.board.units.item, units)
                value = f"{100 * threshold.value:g} %" if is_binary(metric) else f"{threshold.value:g}"
                demand = f"{threshold.sign} {value}"
                yield self._entry(metric.name, ruling, estimate(score, metric), demand, score, threshold.value, side)

    def missing(self, not_asked: int) -> Iterator[dict[str, Json]]:
        """Answers without a score, as a share of each side's answers; how many others were to come is not known."""
        most = self.settings.max_missing
        for side, _ in () if most is None else self.rows:
            score = self._estimate(side)
            ruling = rules.rule_on_missing(score.missing, score.asked, most or 0.0)
            if not_asked and ruling.outcome == "PASS":
                ruling = Ruling("INCONCLUSIVE", f"{not_asked:,} samples were not asked yet")
            share = score.missing / score.asked if score.asked else None
            result = "-" if share is None else f"{100 * share:.1f} % ({score.missing} of {score.asked})"
            demand = f"<= {100 * (most or 0.0):g} %"
            yield self._entry("max_missing", ruling, result, demand, Estimate(score.asked, share), most or 0.0, side)

    def critical(self) -> Iterator[dict[str, Json]]:
        """Questions of which no answer may be wrong, and none may be missing."""
        ids = self.settings.critical
        answers = self._critical_answers() if ids else {}
        for model in self.models if ids else ():
            right = {name: answers.get(name, {}).get(model, {None}) for name in ids}
            asked_ids = [name for name in ids if name not in answers or model in answers[name]]  # not what is another model's
            wrong = [name for name in asked_ids if False in right[name]]
            missing = [name for name in asked_ids if None in right[name] and name not in wrong]
            if asked_ids:
                lists = [listed([one_line(name, 60) for name in names], SHOWN_IDS) for names in (wrong, missing)]
                ruling = rules.rule_on_critical(*lists)
                result = f"{len(wrong) or 'none'} wrong" + (f", {len(missing)} missing" if missing else "")
                score, side = Estimate(len(asked_ids), len(wrong)), Side(self.gates.stage, model, "")
                entry = self._entry("critical", ruling, result, "none wrong", score, 0.0, side)
                yield {**entry, "missing": len(missing)}

    def _critical_answers(self) -> dict[str, dict[str, set[bool | None]]]:
        """By question and model: whether answers were right, None where that is not known."""
        answers: dict[str, dict[str, set[bool | None]]] = {}
        measured = self.settings.measured
        judging = [metric for metric in self.evaluation.kind.metrics if metric.threshold is not None]
        metrics = {metric.name: metric for metric in judging if not measured or metric.name in measured}
        for sample in StoredRun(self.results).scores():
            own = sample.item_id.removesuffix(f"#{sample.repeat + 1}") if sample.repeat else sample.item_id
            for name in [name for name in self.settings.critical if name in (own, sample.doc_id)]:
                of = answers.setdefault(name, {})
                scores = [score for score in sample.scores if score.stage == self.gates.stage and score.name in metrics]
                for score in scores:
                    right = None if score.value is None else passes(metrics[score.name], score.value)
                    of.setdefault(score.model, set()).add(right)
                for model in () if scores else self.models:  # its flow broke off
                    of.setdefault(model, set()).add(None)
        return answers

    @cached_property
    def _baseline(self) -> sides.Run | None:
        """The run that none may be worse than; None where it is gone, though it was there when the run began."""
        try:
            return None if self.gates.other is None else sides.read_run(self.gates.other)
        except FolderError:
            return None

    def against(self, report: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
        """Each side held against the baseline's, by its scores, and by which answers have none where that has changed."""
        rows = [row for row in report["calls_by_stage_and_model"] if row["stage"] == self.gates.stage]
        on_file = {row["model"]: (row["calls_cached"], row["attempts_total"]) for row in rows}
        settings, pairs = self.settings, list[_GatedPair]()
        for side, metric in self.rows if settings.against else ():
            pairs += self._pairs(side, metric)
        rule = settings.against_rule
        rulings = iter(rules.rule_on_changes([pair.change for pair in pairs if pair.change is not None], rule))
        for pair in pairs:
            change = pair.change
            ruling = Ruling("INCONCLUSIVE") if change is None else next(rulings)
            if pair.name != "against" and change is not None and not change.difference.b_higher:
                continue  # it lost no answer
            demand = "no worse" if rule == "shown_not_worse" else "not shown worse"
            demand += f" by > {rules.drop_words(change.margin, change.metric)}" if change is not None and change.margin else ""
            ruling, cache_note = _as_asked(ruling, *on_file.get(pair.side.model, (0, 0)))
            reasons = [f"beside {one_line(Path(settings.against).name, 80)}", ruling.why, *pair.notes, cache_note]
            ruling = replace(ruling, why="; ".join(filter(None, reasons)))
            gain, margin = (NOTHING, 0.0) if change is None else (_gain(change), change.margin)
            yield self._entry(pair.name, ruling, pair.shown, demand, gain, -margin, pair.side)

    def _pairs(self, side: Side, metric: Metric) -> Iterator[_GatedPair]:
        """A side's scores less the baseline's, and its answers that have any less those there where that has changed."""
        match, notes = self._match(side, metric)
        if match is None:
            yield _GatedPair("against", side, None, "-", notes)
            return
        notes += self._caveats(side, match)
        ours, board = self.run.board.series.get(side, Series()), self.run.board
        margin = self.settings.at_most_worse
        changes = rules.changes_of(ours, match.series, metric, board.items, self._common[0], board.units.item, margin)
        yield _GatedPair("against", side, changes[0], _points(changes[0]), notes)
        for answered in changes[1:]:
            lost, n = answered.difference.b_higher, changes[0].baseline
            yield _GatedPair("against_missing", side, answered, f"{lost:,} of {n:,} without a score now", notes)

    @cached_property
    def _common(self) -> tuple[dict[int, int], int]:
        """By number of an item what the baseline calls it, and how many are others there."""
        return ({}, 0) if self._baseline is None else sides.common_items(self.run, self._baseline)

    def _match(self, side: Side, metric: Metric) -> tuple[sides.RunSide | None, list[str]]:
        """The side of the baseline that one is held against: by its model's name, else by its id, else the only one there.

        Of these the one of its own version of the prompt, else the only one. With it what must be known of the two; without
        one why there is none.
        """
        if self._baseline is None:
            return None, ["that run is gone, or unreadable; name another: --set gate.against=RUN"]
        ids, own = self._baseline.model_ids, one_line(self.evaluation.models[side.model].model)
        there = _comparable(self._baseline, side, metric)
        same_name = [each for each in there if each.key.model == side.model]
        same = [each for each in there if ids.get(one_line(each.key.model)) == own]
        models = same_name or same or there
        candidates = [each for each in models if each.key.variant == side.variant] or models
        if len({each.key.model for each in models}) != 1:
            return None, ["that run has no scores of such a model"]
        if len(candidates) > 1:
            return None, [
                f"that run has it with {self._versions(candidates)}, not with {one_line(side.variant, 60) or 'one alone'}"
            ]
        name = one_line(candidates[0].key.model, 60)
        was = ids.get(one_line(candidates[0].key.model), own)
        if same_name:
            return candidates[0], [f"there it is {was}"] if was != own else []
        return candidates[0], [f"there it is called {name}" if same else f"held against {name}, the only one there"]

    def _versions(self, candidates: Sequence[sides.RunSide]) -> str:
        """The prompts draft_v1 and draft_v3."""
        word = self.run.board.units.variant + "s" * (len(candidates) > 1)
        return f"the {word} {listed([one_line(each.key.variant, 60) for each in candidates])}"

    def _caveats(self, side: Side, match: sides.RunSide) -> list[str]:
        """Say what makes the two differ besides the model."""
        changed, mine = self._common[1], self.run.sides.get(side)
        made_up = WIRES[self.evaluation.models[side.model].wire].simulated
        notes = [f"{count_of(changed, self.run.board.units.item)} are others there"] if changed else []
        if made_up != match.simulated:
            notes.append(f"{'this one' if made_up else 'that one'} is simulated, the other is not")
        if mine is not None and mine.versions != match.versions:
            notes.append("scored by different rules")
        if match.key.variant != side.variant:
            notes.append(f"it is another prompt's: there {self._versions([match])}, here {one_line(side.variant, 60) or '-'}")
        elif _prompts_differ(side.variant, self.run, match.run):
            notes.append("the text of a prompt is another there")
        return [*notes, *([f"that run is {match.run.state}"] if match.run.state != "done" else [])]

    def cost(self, report: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
        """Yield the gate on the run's cost, calls in flight at their most; of real and simulated models, on that of the real.

        What was taken from a cache cost it nothing; what imported answers cost, nobody knows.
        """
        most = self.settings.max_cost_usd
        if most is None:
            return
        calls, rows = report["calls"], report["calls_by_stage_and_model"]
        simulated = report.get("simulated_models", ())
        made_up: MadeUp = "some" if simulated else "all" if report["simulated"] else "nothing"
        (usd, uncounted), pretended = costs_apart(rows, simulated)
        imported = all(WIRES[spec.wire].recorded for spec in self.evaluation.models.values())
        spent = (usd or 0.0) + (report.get("in_doubt_usd") or 0.0)
        unknown = uncounted + report.get("n_in_doubt_unknown", 0) + (calls["calls_cached"] if imported else 0)
        ruling, result = rules.rule_on_cost(spent, unknown, most), _spent(spent, unknown)
        result = told_apart(result, result, _spent(pretended.usd or 0.0, pretended.unknown), made_up)
        notes = ["real money alone is held against it"] if made_up == "some" else []
        if calls["calls_cached"] and not imported:
            notes.append(f"{calls['calls_cached']:,} replies came from the cache and cost this run nothing")
        ruling = replace(ruling, why="; ".join(filter(None, [ruling.why, *notes])))
        n = sum(row["n_cost_known"] for row in rows if row["model"] not in simulated) + uncounted
        cost_estimate = Estimate(n, None if unknown and not spent else spent)
        yield {**self._entry("max_cost_usd", ruling, result, f"<= ${most:g}", cost_estimate, most), "missing": unknown}

    def _entry(
        self, name: str, ruling: Ruling, result: str, demand: str, score: Estimate, threshold: float, side: Side | None = None
    ) -> dict[str, Json]:
        """A gate as report.json has it. Texts are as foreign as the names in them."""
        about = side or Side("", "", "")
        return {
            "name": name,
            **about._asdict(),
            "verdict": ruling.outcome,
            "text": ruling.why,
            "found": result,
            "wanted": demand,
            **{name: getattr(score, name) for name in ("value", "low", "high", "n")},
            "missing": self._estimate(about).missing,
            "threshold": threshold,
            **{name: getattr(ruling, name) for name in ("p", "caught", "needed", "stops")},
        }


class _GatedPair(NamedTuple):
    """A side beside the baseline's, by its scores or by which answers have any."""

    name: str
    side: Side
    change: Change | None
    """None where there is no side to hold it against; a note then says why."""
    shown: str
    notes: list[str]


def _comparable(run: sides.Run, side: Side, metric: Metric) -> list[sides.RunSide]:
    """A run's sides of the same stage and metric, on the same scale."""
    same = [each for each in run.sides.values() if each.key[0::2] == side[0::2]]
    return [each for each in same if _scale(each.metric) == _scale(metric)]


def _prompts_differ(variant: str, run: sides.Run, baseline: sides.Run) -> bool:
    """Return whether a prompt that both have is another text there; of versions that are sides of their own, but this one's."""
    versions = {side.variant for each in (run, baseline) for side in each.sides} - {variant}
    both = [name for name in run.prompts.keys() & baseline.prompts.keys() if not versions & {Path(name).name, Path(name).stem}]
    return any(run.prompts[name] != baseline.prompts[name] for name in both)


def _as_asked(ruling: Ruling, cached: int, attempts: int) -> tuple[Ruling, str]:
    """A ruling where so many attempts were answered from the cache, and that in words; where all were, a pass tells nothing."""
    if not cached:
        return ruling, ""
    if cached == attempts and ruling.outcome == "PASS":
        ruling = replace(ruling, caught=None, why="nothing was asked anew, so no change of the model can show")
    return ruling, f"{cached:,} of {count_of(attempts, 'attempt')} brought a reply on file (run.cache = false asks anew)"


def _scale(metric: Metric) -> tuple[float, float, str]:
    return metric.low, metric.high, metric.better


def _gain(change: Change) -> Estimate:
    """A change as far as it is for the better."""
    difference, metric = change.difference, change.metric
    ends = [None if end is None else upwards(metric, end) for end in (difference.value, difference.low, difference.high)]
    value, low, high = ends if metric.better == "higher" else (ends[0], ends[2], ends[1])
    return Estimate(difference.n, value, low, high)


def _points(change: Change) -> str:
    """The same in points of a hundred, or in the unit of the scores."""
    gain, share = _gain(change), is_binary(change.metric)
    ends = f" [{points(gain.low, share)}, {points(gain.high, share)}]" if gain.low is not None else ""
    return points(gain.value, share) + " points" * (share and gain.value is not None) + ends


def _spent(known_usd: float, unknown: int) -> str:
    """An amount of which nobody knows what so many calls add to it."""
    amount = four_decimals(known_usd) if known_usd or not unknown else "unknown"
    return amount + (f" + {unknown} unknown" if unknown and known_usd else "")
