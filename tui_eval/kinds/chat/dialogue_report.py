"""Reports on dialogues: means over conversations and by turn, without degraded turns, entries of spec 001, judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json, Price, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.lazy_sequence import LazySequence, PackedRows
from tui_eval.core.results import About, Cell, SampleResult, Score, Table
from tui_eval.core.units import Unit, digest
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_panel import claim_rows, reason_of
from tui_eval.evaluation.judging.judged_report import JudgedReport
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, by_column, rounded, table_of
from tui_eval.kinds.chat.dialogue_turns import Dialogue, degraded, dialogues_of

_METRICS = (
    "model",
    "metric",
    "mean",
    "ci_low",
    "ci_high",
    "n_items",
    "n_scored",
    "n_total",
    "coverage",
    "n_degraded",
    "mean_without_degraded",
)
_NOTE = (
    "mean: of n_items conversations' means, interval by conversations, or by documents where several conversations share one; "
    "coverage: answers that have a score."
)


class TurnReport:
    """Adds up the rows of dialogues turn by turn."""

    def __init__(self, task: Task, metrics: Sequence[Metric]) -> None:
        self._task, units = task, task.units
        by_turn = replace(units, item="turn", levels=(*units.levels, units.item))
        self._by_turn, self._intact = ScoreReport(replace(task, units=by_turn), metrics), ScoreReport(task, metrics)

    def add(self, row: SampleResult, turns: Collection[int], degraded: Collection[int]) -> None:
        """Take in one model's dialogue: the places of its turns, and of those that were asked without an earlier one."""
        self._intact.add(replace(row, scores=tuple(score for score in row.scores if score.call_index not in degraded)))
        whole = self._task.units.unit(self._task, row.sample)
        for n in turns:
            unit = Unit(digest(whole.item, n), (*whole.clusters, f"{whole.clusters[-1]}#{n}"))
            scores = [score for score in row.scores if score.call_index == n]
            self._by_turn.count(unit, {"turn": (str(n + 1),)}, scores, row.sample.repeat)

    def tables(self) -> dict[str, Table]:
        """turn_scores and turn_accuracy, and consistency, whose questions are turns."""
        tables = self._by_turn.tables()
        names = {"turn_scores": "group_scores", "turn_accuracy": "groups"}
        renamed = {name: _turn_table(tables[source]) for name, source in names.items() if source in tables}
        return {**renamed, **({"consistency": tables["consistency"]} if "consistency" in tables else {})}

    def metrics(self, scores: Table | None, degraded: Callable[[str], int], notes: Sequence[str]) -> Table:
        """A row for each model and metric of a table of scores; beside the mean, that of the turns that are not degraded."""
        intact = self._intact.tables().get("scores")
        means = {_key(row, intact.columns): row[intact.columns.index("mean")].value for row in intact.rows} if intact else {}
        rows: list[Cells] = []
        for row, rests_on in zip(scores.rows, scores.rests_on, strict=True) if scores else ():
            cells: Mapping[str, Cell] = dict(zip(scores.columns, row, strict=True)) if scores else {}
            model, metric = str(cells["model"].value), str(cells["metric"].value)
            scored, total = int(cells["n_scored"].value or 0), int(cells["n_total"].value or 0)
            rows.append({
                RESTS_ON: rests_on, **{name: cells[name] for name in _METRICS[:6]},
                "n_scored": scored, "n_total": total, "coverage": rounded(scored / total) if total else None,
                "n_degraded": degraded(model), "mean_without_degraded": means.get((model, metric)),
            })  # fmt: skip
        return table_of("Metrics by model", rows, _METRICS, "\n".join((_NOTE, *notes)), _METRICS[:2])


def _turn_table(table: Table) -> Table:
    """A table by groups as one by the turns' numbers; each row rests on the answers to that turn."""
    return by_column(table, "turn", lambda turn: {"call_index": _number(turn) - 1}, lambda turn: Cell(_number(turn)))


def _number(turn: Cell) -> int:
    return int(str(turn.value))


def _key(row: Sequence[Cell], columns: Sequence[str]) -> tuple[str, str]:
    return str(row[columns.index("model")].value), str(row[columns.index("metric")].value)


def _entry(repeat: int, dialogue: Dialogue, reply: Reply, scores: Sequence[Score], is_degraded: bool) -> dict[str, Json]:
    """A turn as evaluation.json has it."""
    n = reply.call.call_index
    turn = dialogue.turn(n)
    return {
        "model": dialogue.model.name,
        "conversation": dialogue.conversation.id,
        "turn": n + 1,
        "repeat": repeat,
        "id": turn.id,
        "question": turn.question,
        "ground_truth": turn.ground_truth,
        "answerable": turn.answerable,
        "known_without_document": turn.known_without_document,
        "response": reply.text,
        "latency_ms": reply.waited_ms,
        "metrics": {score.name: {"score": score.value, "reason": reason_of(score)} for score in scores},
        "degraded": is_degraded,
        "error": None if reply.ok else f"{reply.why}{': ' * bool(reply.error_message)}{reply.error_message or ''}",
    }


def _flat(entry: Mapping[str, Json]) -> dict[str, Json]:
    """A turn as a row of a table: each metric a column."""
    row = {name: value for name, value in entry.items() if name != "metrics"}
    return {**row, **{name: metric["score"] for name, metric in entry["metrics"].items()}}


TURNS = "The scores of a conversation's turns are averaged first. "
ABSTENTION = {"abstention": "said that the document does not tell"}
TITLES = ("Questions that the document does not answer: rightly said so", "Scores by model and metric")


class DialogueReport(JudgedReport):
    """Adds up samples of dialogues (`dialogue_samples`) with the scores of `dialogue_judging`."""

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        prices: Mapping[str, Price | None],
        max_concurrency: int | None,
        dataset: str,
        own: bool,
        ladder: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        """As JudgedReport; `dataset`: what the set is called; `own`: whether turns follow the model's own answers, so that one
        that fails degrades those behind it; `notes`: what stands below the table of metrics."""
        super().__init__(task, metrics, prices, max_concurrency, TURNS, ladder, ABSTENTION, TITLES)
        self._task, self._dataset, self._own, self._notes = task, dataset, own, notes
        self._turns = TurnReport(task, metrics)
        self._entries = PackedRows()
        """One for each turn."""
        self._claims = PackedRows()
        """A row for each claim."""

    def add(self, row: SampleResult) -> None:
        """Take in one model's dialogue, or those of all models."""
        super().add(row)
        if row.sample.checks_judge:
            return
        for dialogue in dialogues_of(row.sample):
            place = (dialogue.model.stage, dialogue.model.name)
            replies = tuple(reply for reply in row.replies if (reply.call.stage, reply.call.model) == place)
            scores = tuple(score for score in row.scores if score.model == dialogue.model.name)
            self._add(replace(row, replies=replies, scores=scores), dialogue)

    def _add(self, row: SampleResult, dialogue: Dialogue) -> None:
        answers = {reply.call.call_index: reply for reply in row.replies}
        lost = degraded(answers) if self._own else []
        self.add_answers(row, row.replies, dialogue.twice, lost)
        self._turns.add(row, answers, lost)
        for n, reply in answers.items():
            scores = [score for score in row.scores if score.call_index == n]
            entry = _entry(row.sample.repeat, dialogue, reply, scores, n in lost)
            self._entries.append(entry)
            where = {name: entry[name] for name in ("model", "conversation", "turn", "repeat")}
            for claim in (claim for score in scores for claim in claim_rows(score)):
                self._claims.append({**where, **claim})

    def tables(self) -> Mapping[str, Table]:
        """metrics, turns by their number, how answers ended and when, and the judges, beside what every kind has."""
        scores = ScoreReport.tables(self)
        tables = {name: table for name, table in scores.items() if name != "consistency"} | self._turns.tables()
        warned = filter(None, [self.low_coverage(binary=False)])
        notes = [*self._notes, *warned, *self.judge_sentences(), *self.judges.sentences()]
        return self.with_judges({**tables, "metrics": self._turns.metrics(tables.get("scores"), self.ends.degraded, notes)})

    def files(self, about: About) -> Mapping[str, Json]:
        """evaluation.json (spec 001, FR-016c); every turn and, where there are any, every claim, as rows."""
        evaluation = {
            "run_id": about.run_id,
            "timestamp": about.started_at,
            "status": "unfinished" if about.unfinished else "complete",
            "models": [{"name": model.name, "model": model.model_id} for model in self._task.asked["answer"]],
            "dataset": self._dataset,
            "results": self._entries,
        }
        turns = LazySequence(len(self._entries), lambda place: _flat(self._entries[place]))
        contents = {"evaluation.json": evaluation, "turns.json": turns, "turns.csv": turns}
        return {**contents, "claims.json": self._claims, "claims.csv": self._claims} if self._claims else contents
