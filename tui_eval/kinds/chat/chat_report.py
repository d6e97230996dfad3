"""What a chat run comes to: each model by each metric, by turn number, with degraded turns, claims, times, and the judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tui_eval.core.calls import Json
from tui_eval.core.results import About, SampleResult, Table
from tui_eval.kinds.chat.chat_flow import METRICS
from tui_eval.kinds.chat.dialogues import ChatTask
from tui_eval.kinds.shared.claim_judging import CLAIMS
from tui_eval.kinds.shared.dialogue_samples import dialogues_of
from tui_eval.kinds.shared.dialogue_turns import Dialogue, degraded
from tui_eval.kinds.shared.judged_report import JudgedReport
from tui_eval.kinds.shared.pair_choices import PREFERENCE
from tui_eval.kinds.shared.score_report import ScoreReport
from tui_eval.kinds.shared.turn_entries import TurnEntries
from tui_eval.kinds.shared.turn_report import TurnReport

CONVERSATIONS = "Here a question is a conversation: the marks of its turns are averaged first. "
UPPER_BOUND = "The models were shown the pages that hold the answers: an upper bound of what a search would bring."


class ChatReport(JudgedReport):
    """Scores of conversations: means of the conversations' means. Beside it the same by turn, and without degraded turns."""

    def __init__(self, task: ChatTask) -> None:
        judge = task.config.judge
        wanted = {*judge.metrics, CLAIMS.name, "abstention", *([PREFERENCE.name] if judge.pairs else [])}
        metrics = [replace(m, threshold=judge.threshold) if m.high > 1 else m for m in METRICS if m.name in wanted]
        ladder = judge.metrics[0] if judge.ladder else ""
        super().__init__(task, metrics, task.prices, task.max_concurrency, CONVERSATIONS, ladder)
        self._task, self._turns, self._entries = task, TurnReport(task, metrics), TurnEntries()

    def add(self, row: SampleResult) -> None:
        """Take in one model's dialogue, or those of all models."""
        super().add(row)
        for dialogue in dialogues_of(row.sample):
            place = (dialogue.model.stage, dialogue.model.name)
            replies = tuple(reply for reply in row.replies if (reply.call.stage, reply.call.model) == place)
            scores = tuple(score for score in row.scores if score.model == dialogue.model.name)
            self._add(replace(row, replies=replies, scores=scores), dialogue)

    def _add(self, row: SampleResult, dialogue: Dialogue) -> None:
        answers = {reply.call.call_index: reply for reply in row.replies}
        lost = degraded(answers) if self._task.config.history == "own" else []
        self.add_answers(row, row.replies, dialogue.twice, lost)
        self._turns.add(row, answers, lost)
        for n, reply in answers.items():
            scores = [score for score in row.scores if score.call_index == n]
            self._entries.add(row.sample.repeat, dialogue, reply, scores, n in lost)

    def tables(self) -> Mapping[str, Table]:
        """metrics, turns by their number, how answers ended and when, and the judges, beside what every kind has."""
        scores = ScoreReport.tables(self)
        made = {name: table for name, table in scores.items() if name != "consistency"} | self._turns.tables()
        notes = [*(f"{warning}." for warning in self._task.warnings), *self.judges.sentences()]
        notes = [UPPER_BOUND, *notes] if self._task.config.context == "passages" else notes
        return self.with_judges({**made, "metrics": self._turns.metrics(made.get("scores"), self.ends.degraded, notes)})

    def files(self, about: About) -> Mapping[str, Json]:
        """evaluation.json (spec 001, FR-016c); every turn and every claim, as rows."""
        return self._entries.files(about, self._task.dataset, self._task.asked["answer"])
