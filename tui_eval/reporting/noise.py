"""Noise in repeats of a run: the noise floor of each model and metric, and what the run's gate does with builds of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.gate_checks import Gates, GateSettings
from tui_eval.configuring.repeat_config import uid_of
from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.evaluation.sum_cells import rounded
from tui_eval.results.comparison import sides
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.gate_noise import GatedSide, GateForm, GateNoise, gate_noise, pairs_of
from tui_eval.results.sums.gates import drop_words, threshold_of
from tui_eval.results.sums.in_words import listed, percent, points
from tui_eval.results.sums.metrics import is_binary, scale_of
from tui_eval.results.sums.noise_floor import NoiseFloor, noise_floor
from tui_eval.results.sums.noise_sentences import say_noise
from tui_eval.results.tables import aligned

NAMED = 12
"""Models whose drop is named in a sentence; all are in the file."""
COLUMNS = ("stage", "model", "metric", "changed", "floor [95 %]", "unit", "n")
OF_ITSELF = "none is configured; the default against, with this run as baseline"


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of one side of a run."""

    side: Side
    name: str
    metric: Metric
    found: NoiseFloor
    n: int
    """Items of the run itself, of which some were asked again."""
    answers: int
    """How often the run asks each."""

    @property
    def ends(self) -> tuple[float, float, float]:
        """The floor of builds as the run is one, and its interval."""
        return self.found.floor(self.n, self.answers)

    def entry(self) -> dict[str, Json]:
        """As a file has it."""
        value, low, high = self.ends
        noise = self.found
        return {
            **self.side._asdict(),
            "n_items": noise.items,
            "n_builds": noise.builds,
            "changed": rounded(noise.changed / noise.items),
            "floor": rounded(value) if noise.known else None,
            "floor_low": rounded(low),
            "floor_high": rounded(high),
            "n_of_floor": self.n,
            "answers_of_floor": self.answers,
        }

    def row(self) -> list[str]:
        """As a row of a table."""
        share = is_binary(self.metric)
        value, low, high = (points(end, share, sign=False) for end in self.ends)
        floor = f"{value} [{low}, {high}]" if self.found.known else say_noise("floor_below", high=high)
        changed = percent(self.found.changed / self.found.items)
        return [
            one_line(self.side.stage, 40),
            self.name,
            one_line(self.side.metric, 40),
            changed,
            floor,
            "points" if share else f"on {scale_of(self.metric)}",
            f"{self.n:,}",
        ]


@dataclass(frozen=True, slots=True)
class RunNoise:
    """All that repeats of a run show."""

    run: Path
    repeats_in: Path
    """The run that has them: it itself, or the one that asked it again."""
    board: Board
    floors: Sequence[Floor]
    items: int
    """Items that have repeats, of so many of the run."""
    of: int
    answers: int
    """How often the run asks each item."""
    judged_alone: bool
    """Whether its answers are those of an earlier run, so that its judges alone were asked again."""
    shuffled: bool
    """Whether a repeat has its options in other orders."""
    settings: GateSettings | None
    """Its gate; None where it has none."""
    form: GateForm
    gate: GateNoise | None
    """None where the gate tests no score."""
    seed: str

    def entry(self) -> dict[str, Json]:
        """As aa.json has it."""
        return {
            "run": self.run.name,
            "repeats_in": self.repeats_in.name,
            "items": self.items,
            "items_of_run": self.of,
            "sides": [floor.entry() for floor in self.floors],
            "gate": None if self.gate is None else self._gate_entry(self.gate),
            "notes": [say_noise("no_drift"), *self._notes()],
        }

    def _gate_entry(self, gate: GateNoise) -> dict[str, Json]:
        low, high = gate.interval
        return {
            "configured": self.settings is not None,
            "against": self.form.against,
            "rule": self.form.rule if self.form.against else None,
            "red": rounded(gate.red / gate.draws),
            "red_low": rounded(low),
            "red_high": rounded(high),
            "draws": gate.draws,
            "seed": self.seed,
            "n_items": gate.items,
            "caught": [{**side._asdict(), "drop": rounded(drop)} for side, drop in gate.caught],
        }

    def text(self) -> str:
        """The same for a person."""
        rows = [floor.row() for floor in self.floors]
        sizes = {floor.n for floor in self.floors}
        item = self.board.units.item
        n = f"{count_of(max(sizes), item)} each" if len(sizes) == 1 else f"n {item}s each"
        first = int(len({floor.side.stage for floor in self.floors}) < 2)
        numeric = (False, False, False, True, True, False, True)
        table = aligned(COLUMNS[first:], [row[first:] for row in rows], numeric[first:])
        lines = [say_noise("floor", n=n), "", table, "", *self._gate_lines(), *self._notes(), f"note: {say_noise('no_drift')}"]
        return "\n".join(lines)

    def _notes(self) -> Iterator[str]:
        item = self.board.units.item
        if self.items < self.of:
            yield say_noise("some", items=count_of(self.items, item), all=f"{self.of:,}")
        if self.judged_alone:
            yield say_noise("judges_alone")
        if self.shuffled:
            yield say_noise("upper_bound")

    def _gate_lines(self) -> Iterator[str]:
        """Say what the gate does with builds that differ by nothing but chance, and what it catches."""
        configured = OF_ITSELF if self.settings is None else "as configured"
        if self.gate is None:
            yield say_noise("no_gate")
            return
        limits = self.form.max_missing is not None or any(self._texts())
        builds = f"{100 * self.gate.red / self.gate.draws:.0f}"
        sentence = say_noise("red_at" if limits else "red", builds=builds, interval=f"({self.gate.draws:,} builds drawn)")
        yield f"gate ({configured}): {sentence}"
        if self.form.against and self.form.rule != "not_shown_worse":
            yield say_noise("strict")
        yield from self._drops(self.gate)
        if self.answers > 1:
            yield say_noise("builds_once", item=self.board.units.item)

    def _texts(self) -> Iterator[str]:
        """The thresholds of the gate."""
        if self.settings is not None:
            for side in self.board.series:
                yield _threshold(self.settings, side)

    def _drops(self, gate: GateNoise) -> Iterator[str]:
        """Say which drop it catches of each side, the smallest first, and of whom none."""
        several = len({side.metric for side, _ in gate.caught}) > 1
        falls = {side: "drop" if self.board.metric(side).better == "higher" else "rise" for side, _ in gate.caught}

        def named(side: Side) -> str:
            return one_line(self.board.named(side), 60) + (f" by {one_line(side.metric, 40)}" if several else "")

        caught = sorted([(drop, side) for side, drop in gate.caught if drop is not None])
        if caught:
            drops = [f"{named(side)} a {falls[side]} of {drop_words(drop, self.board.metric(side))}" for drop, side in caught]
            yield say_noise("catches", drops=listed(drops, NAMED))
        none = [side for side, drop in gate.caught if drop is None]
        if none:
            n = count_of(gate.items, self.board.units.item)
            models = listed([named(side) for side in none], NAMED) if caught else "all models"
            yield say_noise("catches_none", models=models, drop=falls[none[0]], n=n)


def noise_of(run: Path, evaluation: Evaluation, repeats_in: Path) -> RunNoise:
    """Return the noise of a run by the repeats in one: in itself, or in the one that asked it again. `evaluation`: of the run.

    FolderError where there is no run, or no results.
    """
    there, again = sides.read_run(run), sides.read_run(repeats_in)
    for each in (there, again):
        each.board.units, each.stated = evaluation.kind.units, True
    floors = list(floors_of(there.board, again.board, evaluation.repeat))
    settings = None if evaluation.gates is None else evaluation.gates.settings
    form, gated = _form(settings), list(_gated(evaluation, evaluation.gates, again.board))
    tests = form.against or form.max_missing is not None or any(side.threshold for side in gated)
    seed, n = f"aa {uid_of(run)}", len(there.board.items)
    return RunNoise(
        run=run,
        repeats_in=repeats_in,
        board=again.board,
        floors=floors,
        items=len(again.board.items),
        of=n,
        answers=evaluation.repeat,
        judged_alone=bool(evaluation.task.recorded),
        shuffled=bool(getattr(evaluation.config, "shuffle", False)),
        settings=settings,
        form=form,
        gate=gate_noise(again.board, gated, form, n, seed) if gated and tests else None,
        seed=seed,
    )


def floors_of(there: Board, again: Board, answers: int) -> Iterator[Floor]:
    for side, series in again.series.items():
        noise = noise_floor(series, again.metric(side)) if series.repeated else None
        if noise is not None:
            own = there.series.get(side)
            n = sum(map(bool, own.asked)) if own is not None else noise.items
            yield Floor(side, one_line(again.named(side), 60), again.metric(side), noise, max(n, 1), answers)


def _form(settings: GateSettings | None) -> GateForm:
    """A gate in plain values; the default `against` where there is none."""
    if settings is None:
        return GateForm()
    return GateForm(
        against=bool(settings.against),
        rule=settings.against_rule,
        margin=settings.at_most_worse,
        bound=settings.bound,
        max_missing=settings.max_missing,
        inconclusive=settings.inconclusive,
    )


def _gated(evaluation: Evaluation, gates: Gates | None, board: Board) -> Iterator[GatedSide]:
    """The sides that the gate speaks of, as `reporting.gating` has them."""
    kind, task = evaluation.kind, evaluation.task
    settings = GateSettings.model_validate({}) if gates is None else gates.settings
    stage = _last_answering(evaluation) if gates is None else gates.stage
    models = {model.name for model in task.asked.get(stage, ())}
    scored = {side.metric for side in board.series if side.stage == stage}
    for metric in settings.metrics(kind, scored):
        for side, series in board.series.items():
            if (side.stage, side.metric) == (stage, metric.name) and side.model in models:
                text = "" if gates is None else _threshold(settings, side)
                yield GatedSide(side, metric, pairs_of(series), threshold_of(text) if text else None)


def _threshold(settings: GateSettings, side: Side) -> str:
    """Return the threshold that a side's mean has to hold; empty where there is none."""
    own: Mapping[str, str] = settings.models.get(side.model, {})
    return own.get(side.metric) or settings.thresholds.get(side.metric) or ""


def _last_answering(evaluation: Evaluation) -> str:
    """The stage that a gate speaks of where it names none: the last one that answers."""
    stage_names = [stage.name for role in ("work", "answer") for stage in evaluation.kind.stages if stage.role == role]
    return next(reversed([name for name in stage_names if name in evaluation.task.asked]), "")
