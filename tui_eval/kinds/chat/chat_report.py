"""What a chat run comes to: each model by each metric, by turn number, with degraded turns, claims, and the judges' noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import PersonMarks
from tui_eval.core.plaintext import counted
from tui_eval.core.results import About, Cell, SampleResult, Score, Table
from tui_eval.kinds.chat.chat_flow import CLAIMS, METRICS, degraded
from tui_eval.kinds.chat.dialogues import ChatTask, Dialogue, dialogues_of
from tui_eval.kinds.shared.judge_report import NOISE_IS, JudgeReport
from tui_eval.kinds.shared.pair_choices import PREFERENCE, PairReport
from tui_eval.kinds.shared.score_report import ScoreReport
from tui_eval.kinds.shared.several_judges import said_of
from tui_eval.results.sums.answer_times import AnswerTimes, CachingSums
from tui_eval.results.sums.cells import RESTS_ON, Cells, rounded, table_of


@dataclass(slots=True)
class _Turns:
    """Of one model: how its turns ended."""

    asked: int = 0
    answered: int = 0
    degraded: int = 0
    why: Counter[str] = field(default_factory=Counter)


class ChatReport(ScoreReport):
    """Scores of conversations: means of the conversations' means. Beside it the same by turn, and without degraded turns."""

    def __init__(self, task: ChatTask) -> None:
        judge = task.config.judge
        wanted = {*judge.metrics, CLAIMS.name, "abstention", *([PREFERENCE.name] if judge.pairs else [])}
        metrics = [replace(m, threshold=judge.threshold) if m.high > 1 else m for m in METRICS if m.name in wanted]
        super().__init__(task, metrics, note="Here a question is a conversation: the marks of its turns are averaged first. ")
        self._by_turn, self._intact = ScoreReport(task, metrics), ScoreReport(task, metrics)
        self._task = task
        self._turns = {model.name: _Turns() for model in task.asked["answer"]}
        self._entries: list[dict[str, Json]] = []
        self._claims: list[dict[str, Json]] = []
        self._judges = JudgeReport(task, [metric for metric in metrics if metric != PREFERENCE])
        self._choices = PairReport(self._judges.judges, list(self._turns))
        self._times, self._caching = AnswerTimes(task.max_concurrency), CachingSums(task.prices)

    def add(self, row: SampleResult) -> None:
        """Take in one model's dialogue, or those of all models."""
        super().add(row)
        self._choices.add(row)
        for reply in row.replies:
            self._caching.add(reply)
        for dialogue in dialogues_of(row.sample):
            name = dialogue.model.name
            replies = tuple(
                reply for reply in row.replies if (reply.call.stage, reply.call.model) == (dialogue.model.stage, name)
            )
            scores = tuple(score for score in row.scores if score.model == name)
            self._add(replace(row, sample=replace(row.sample, data=dialogue), replies=replies, scores=scores), dialogue)

    def _add(self, row: SampleResult, dialogue: Dialogue) -> None:
        answers = {reply.call.call_index: reply for reply in row.replies}
        lost = degraded(self._task, answers)
        self._judges.add(row, answers.values(), dialogue.twice)
        self._intact.add(replace(row, scores=tuple(score for score in row.scores if score.call_index not in lost)))
        for n, reply in answers.items():
            scores = tuple(score for score in row.scores if score.call_index == n)
            place = replace(row.sample, q_index=n, groups={"turn": (str(n + 1),)})
            self._by_turn.add(replace(row, sample=place, scores=scores))
            self._times.add(reply)
            self._count(dialogue.model.name, reply, n in lost)
            self._entries.append(_entry(row, n, reply, scores, n in lost))
            self._take_details(self._entries[-1], scores)

    def check(self, marks: PersonMarks) -> None:
        """Take a person's marks into account."""
        self._judges.check(marks)

    def _count(self, model: str, reply: Reply, is_degraded: bool) -> None:
        turns = self._turns[model]
        turns.asked += 1
        turns.answered += reply.ok
        turns.degraded += is_degraded
        if not reply.ok:
            turns.why[reply.why] += 1

    def _take_details(self, entry: Mapping[str, Json], scores: Sequence[Score]) -> None:
        """Claims one by one."""
        where = {name: entry[name] for name in ("model", "conversation", "turn", "repeat")}
        for score in scores:
            if score.name == CLAIMS.name:
                for judge, claims in said_of(score).get("details", {}).items():
                    self._claims += [{**where, "judge": judge, **claim} for claim in claims]

    def tables(self) -> Mapping[str, Table]:
        """metrics, turns by their number, how each model's turns ended, and judge_noise, beside what every kind has."""
        made = dict(super().tables())
        made["metrics"] = self._metrics_table(made.get("scores"), self._intact.tables().get("scores"))
        made["answers"] = self._answers()
        by_turn = self._by_turn.tables()
        made.pop("consistency", None)
        made |= {"consistency": by_turn["consistency"]} if "consistency" in by_turn else {}
        named = {"turn_scores": "group_scores", "turn_accuracy": "groups"}
        made |= {name: _turn_table(by_turn[found]) for name, found in named.items() if found in by_turn}
        made |= {name: self._judges.beside(made[name]) for name in ("scores", "turn_scores", "group_scores") if name in made}
        made |= {
            **self._judges.tables(),
            **self._choices.tables(),
            "latency": self._times.table(),
            "caching": self._caching.table(),
        }
        return {name: table for name, table in made.items() if table.rows}

    def headline(self) -> Sequence[Table]:
        """The scores in short, how the turns of each model ended, how long they took, and what is known of the judges."""
        table = self._answers()
        rows = tuple(tuple(Cell(str(cell.value) or "-") for cell in row) for row in table.rows)
        told = "".join(
            f"\n{sentence}"
            for sentence in (*self._judges.sentences(), *self._choices.sentences(), self._caching.in_words())
            if sentence
        )
        *before, marks = [self._judges.beside(found, "noise", as_text=True) for found in super().headline()] or [
            replace(table, rows=rows)
        ]
        short = [*before, replace(marks, note=marks.note + told)]
        return [*short, replace(table, rows=rows), self._times.in_short()]

    def files(self, about: About) -> Mapping[str, Json]:
        """evaluation.json (spec 001, FR-016c); every turn and every claim, as rows."""
        evaluation = {
            "run_id": about.run_id,
            "timestamp": about.started_at,
            "status": "unfinished" if about.unfinished else "complete",
            "models": [{"name": model.name, "model": model.model_id} for model in self._task.asked["answer"]],
            "dataset": self._task.dataset,
            "results": self._entries,
        }
        turns = [_flat(entry) for entry in self._entries]
        found = {"evaluation.json": evaluation, "turns.json": turns, "turns.csv": turns}
        return {**found, "claims.json": self._claims, "claims.csv": self._claims} if self._claims else found

    def _metrics_table(self, every: Table | None, intact: Table | None) -> Table:
        """A row for each model and metric; beside the mean, that of the turns that were not degraded."""
        means = {_key(row, intact.columns): row[intact.columns.index("mean")].value for row in intact.rows} if intact else {}
        rows: list[Cells] = []
        for row, rests_on in zip(every.rows, every.rests_on, strict=True) if every else ():
            named = dict(zip(every.columns, row, strict=True)) if every else {}
            model, metric = str(named["model"].value), str(named["metric"].value)
            scored, total = int(named["n_scored"].value or 0), int(named["n_total"].value or 0)
            rows.append({
                RESTS_ON: rests_on, **{name: named[name] for name in ("model", "metric", "mean", "ci_low", "ci_high")},
                "n_scored": scored, "n_total": total, "coverage": rounded(scored / total) if total else None,
                "n_degraded": self._turns[model].degraded, "mean_without_degraded": means.get((model, metric)),
            })  # fmt: skip
        columns = ("model", "metric", "mean", "ci_low", "ci_high", "n_scored", "n_total", "coverage", "n_degraded",
                   "mean_without_degraded")  # fmt: skip
        note = "mean: of the conversations' means, interval by conversations; coverage: answers that have a mark; " \
               f"judge_{NOISE_IS}."  # fmt: skip
        if self._task.config.context == "passages":
            note += "\nThe models were shown the pages that hold the answers: an upper bound of what a search would bring."
        note += "".join(
            f"\n{said}" for said in (*(f"{warning}." for warning in self._task.warnings), *self._judges.sentences())
        )
        return self._judges.corrected(self._judges.beside(table_of("Metrics by model", rows, columns, note, columns[:2])))

    def _answers(self) -> Table:
        """How the turns of each model ended."""
        rows: list[Cells] = [
            {
                RESTS_ON: None, "model": name, "turns": turns.asked, "answered": turns.answered,
                "failed": turns.asked - turns.answered, "degraded": turns.degraded,
                "why": ", ".join(f"{n} {why}" for why, n in turns.why.most_common()) or "",
            }
            for name, turns in self._turns.items()
        ]  # fmt: skip
        n = sum(turns.degraded for turns in self._turns.values())
        note = f"{counted(n, 'degraded turn')}: asked after a turn had failed, without it."
        return table_of("Turns by model", rows, ("model", "turns", "answered", "failed", "degraded", "why"), note, ("model",))


def _turn_table(found: Table) -> Table:
    """A table by groups as one by the turns' numbers; each row rests on the answers to that turn."""
    turns = [int(str(row[1].value)) for row in found.rows]
    rests_on = tuple(
        {**{name: value for name, value in (said or {}).items() if name not in ("by", "value")}, "call_index": turn - 1}
        for said, turn in zip(found.rests_on, turns, strict=True)
    )
    rows = tuple((Cell(turn), *row[2:]) for row, turn in zip(found.rows, turns, strict=True))
    title = found.title.replace("by group", "by turn")
    return Table(title, ("turn", *found.columns[2:]), rows, found.note, ("turn", *found.keys[2:]), rests_on)


def _key(row: Sequence[Cell], columns: Sequence[str]) -> tuple[str, str]:
    return str(row[columns.index("model")].value), str(row[columns.index("metric")].value)


def _entry(row: SampleResult, n: int, reply: Reply, scores: Sequence[Score], is_degraded: bool) -> dict[str, Json]:
    """A turn as evaluation.json has it."""
    dialogue: Dialogue = row.sample.data
    turn = dialogue.turn(n)
    return {
        "model": dialogue.model.name,
        "conversation": dialogue.conversation.id,
        "turn": n + 1,
        "repeat": row.sample.repeat,
        "id": turn.id,
        "question": turn.question,
        "ground_truth": turn.ground_truth,
        "answerable": turn.answerable,
        "known_without_document": turn.known_without_document,
        "response": reply.text,
        "latency_ms": reply.latency_ms,
        "metrics": {score.name: {"score": score.value, "reason": _reason(score)} for score in scores},
        "degraded": is_degraded,
        "error": None if reply.ok else f"{reply.why}{': ' * bool(reply.error_message)}{reply.error_message or ''}",
    }


def _reason(score: Score) -> str:
    """Why a score is what it is: the judge's reason, of several each by its name; of claims how many hold."""
    details = said_of(score).get("details", {})
    if score.name == CLAIMS.name:
        details = {judge: _tally(claims) for judge, claims in details.items()}
    told: Iterator[str] = (f"{judge}: {text}" if len(details) > 1 else str(text) for judge, text in details.items())
    return "\n".join(told) or score.why


def _tally(claims: Sequence[Mapping[str, Json]]) -> str:
    found = Counter(str(claim["verdict"]) for claim in claims)
    return ", ".join(f"{n} {verdict}" for verdict, n in found.most_common())


def _flat(entry: Mapping[str, Json]) -> dict[str, Json]:
    """A turn as a row of a table: each metric a column."""
    return {
        **{name: value for name, value in entry.items() if name != "metrics"},
        **{name: found["score"] for name, found in entry["metrics"].items()},
    }
