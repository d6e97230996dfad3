"""What a chat run comes to: each model by each metric, by turn number, with degraded turns, claims, times, and the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import PersonMarks
from tui_eval.core.results import About, SampleResult, Score, Table
from tui_eval.kinds.chat.chat_flow import METRICS
from tui_eval.kinds.chat.dialogues import ChatTask, dialogues_of
from tui_eval.kinds.shared.claim_judging import CLAIMS, claim_rows, reason_of
from tui_eval.kinds.shared.dialogue_turns import Dialogue, degraded
from tui_eval.kinds.shared.judge_report import JudgeReport
from tui_eval.kinds.shared.pair_choices import PREFERENCE, PairReport
from tui_eval.kinds.shared.score_report import ScoreReport
from tui_eval.kinds.shared.turn_report import TurnReport
from tui_eval.results.sums.answer_ends import AnswerEnds
from tui_eval.results.sums.answer_times import AnswerTimes, CachingSums

UPPER_BOUND = "The models were shown the pages that hold the answers: an upper bound of what a search would bring."


class ChatReport(ScoreReport):
    """Scores of conversations: means of the conversations' means. Beside it the same by turn, and without degraded turns."""

    def __init__(self, task: ChatTask) -> None:
        judge, models = task.config.judge, [model.name for model in task.asked["answer"]]
        wanted = {*judge.metrics, CLAIMS.name, "abstention", *([PREFERENCE.name] if judge.pairs else [])}
        metrics = [replace(m, threshold=judge.threshold) if m.high > 1 else m for m in METRICS if m.name in wanted]
        super().__init__(task, metrics, note="Here a question is a conversation: the marks of its turns are averaged first. ")
        self._task = task
        self._turns, self._ends = TurnReport(task, metrics), AnswerEnds(models)
        self._judges = JudgeReport(task, [metric for metric in metrics if metric != PREFERENCE])
        self._choices = PairReport(self._judges.judges, models)
        self._times, self._caching = AnswerTimes(task.max_concurrency), CachingSums(task.prices)
        self._entries: list[dict[str, Json]] = []
        self._claims: list[dict[str, Json]] = []

    def add(self, row: SampleResult) -> None:
        """Take in one model's dialogue, or those of all models."""
        super().add(row)
        self._choices.add(row)
        for reply in row.replies:
            self._caching.add(reply)
        for dialogue in dialogues_of(row.sample):
            place = (dialogue.model.stage, dialogue.model.name)
            replies = tuple(reply for reply in row.replies if (reply.call.stage, reply.call.model) == place)
            scores = tuple(score for score in row.scores if score.model == dialogue.model.name)
            self._add(replace(row, replies=replies, scores=scores), dialogue)

    def _add(self, row: SampleResult, dialogue: Dialogue) -> None:
        answers = {reply.call.call_index: reply for reply in row.replies}
        lost = degraded(answers) if self._task.config.history == "own" else []
        self._judges.add(row, row.replies, dialogue.twice)
        self._turns.add(row, answers, lost)
        for n, reply in answers.items():
            self._times.add(reply)
            self._ends.add(reply, n in lost)
            scores = [score for score in row.scores if score.call_index == n]
            entry = _entry(row.sample.repeat, dialogue, reply, scores, n in lost)
            self._entries.append(entry)
            where = {name: entry[name] for name in ("model", "conversation", "turn", "repeat")}
            self._claims += [{**where, **claim} for score in scores for claim in claim_rows(score)]

    def check(self, marks: PersonMarks) -> None:
        """Take a person's marks into account."""
        self._judges.check(marks)

    def verdicts(self) -> Sequence[Mapping[str, Json]]:
        """Whether each judge is usable, where its ladder is climbed."""
        judge = self._task.config.judge
        return self._judges.ladder(judge.metrics[0]) if judge.ladder else ()

    def tables(self) -> Mapping[str, Table]:
        """metrics, turns by their number, how answers ended and when, and the judges, beside what every kind has."""
        made = {name: table for name, table in super().tables().items() if name != "consistency"} | self._turns.tables()
        notes = [*(f"{warning}." for warning in self._task.warnings), *self._judges.sentences()]
        notes = [UPPER_BOUND, *notes] if self._task.config.context == "passages" else notes
        made["metrics"] = self._turns.metrics(made.get("scores"), self._ends.degraded, notes)
        made |= {name: self._judges.beside(table) for name, table in made.items() if name in _MARKED}
        made["metrics"] = self._judges.corrected(made["metrics"])
        made |= {"answers": self._ends.table(), "latency": self._times.table(), "caching": self._caching.table()}
        made |= {**self._judges.tables(), **self._choices.tables()}
        return {name: table for name, table in made.items() if table.rows}

    def headline(self) -> Sequence[Table]:
        """The scores in short, with what is known of the judges; how the turns of each model ended, how long they took."""
        told = [*self._judges.sentences(), *self._choices.sentences(), self._caching.in_words()]
        short = [self._judges.beside(found, "noise", as_text=True) for found in super().headline()]
        short += [self._ends.in_short(), *([self._times.in_short()] if self._times.known else [])]
        marks = next((n for n, table in enumerate(short) if "noise" in table.columns), 0)
        short[marks] = replace(short[marks], note="\n".join((short[marks].note, *filter(None, told))))
        return short

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


_MARKED = ("metrics", "scores", "turn_scores", "group_scores")


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
        "latency_ms": reply.latency_ms,
        "metrics": {score.name: {"score": score.value, "reason": reason_of(score)} for score in scores},
        "degraded": is_degraded,
        "error": None if reply.ok else f"{reply.why}{': ' * bool(reply.error_message)}{reply.error_message or ''}",
    }


def _flat(entry: Mapping[str, Json]) -> dict[str, Json]:
    """A turn as a row of a table: each metric a column."""
    told = {name: value for name, value in entry.items() if name != "metrics"}
    return {**told, **{name: found["score"] for name, found in entry["metrics"].items()}}
