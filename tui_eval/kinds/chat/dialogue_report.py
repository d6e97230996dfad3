"""What dialogues come to: means of the conversations' means, the same by turn and without degraded turns, and the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json, Price
from tui_eval.core.kinds import Metric
from tui_eval.core.results import About, SampleResult, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judged_report import JudgedReport
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.kinds.chat.dialogue_samples import dialogues_of
from tui_eval.kinds.chat.dialogue_turns import Dialogue, degraded
from tui_eval.kinds.chat.turn_entries import TurnEntries
from tui_eval.kinds.chat.turn_report import TurnReport

CONVERSATIONS = "Here a question is a conversation: the marks of its turns are averaged first. "


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
        super().__init__(task, metrics, prices, max_concurrency, CONVERSATIONS, ladder)
        self._task, self._dataset, self._own, self._notes = task, dataset, own, notes
        self._turns, self._entries = TurnReport(task, metrics), TurnEntries()

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
            self._entries.add(row.sample.repeat, dialogue, reply, scores, n in lost)

    def tables(self) -> Mapping[str, Table]:
        """metrics, turns by their number, how answers ended and when, and the judges, beside what every kind has."""
        scores = ScoreReport.tables(self)
        made = {name: table for name, table in scores.items() if name != "consistency"} | self._turns.tables()
        warned = filter(None, [self.low_coverage(binary=False)])
        notes = [*self._notes, *warned, *self.judge_sentences(), *self.judges.sentences()]
        return self.with_judges({**made, "metrics": self._turns.metrics(made.get("scores"), self.ends.degraded, notes)})

    def files(self, about: About) -> Mapping[str, Json]:
        """evaluation.json (spec 001, FR-016c); every turn and every claim, as rows."""
        return self._entries.files(about, self._dataset, self._task.asked["answer"])
