"""Calls to judges about the answers in dialogues: marks by rubrics, claims, and choices between two models' answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from tui_eval.core.calls import Call, Message, Reply
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import Part
from tui_eval.evaluation.inputs import Inputs
from tui_eval.evaluation.judging.judge_attacks import Attack, Attacks, all_of
from tui_eval.evaluation.judging.judge_frames import JudgeFrames, marks_held, prompt_version
from tui_eval.evaluation.judging.judge_panel import (
    CLAIMS,
    Rubric,
    ToJudge,
    claims_example,
    claims_in,
    judged,
    own_rubric_of,
    rubric_of,
)
from tui_eval.evaluation.judging.judge_table import JudgeTable
from tui_eval.evaluation.judging.own_rubrics import RubricForm
from tui_eval.evaluation.judging.pairwise_preference import PREFERENCE, ToCompare, compared
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.chat.dialogue_turns import Answers, Dialogue
from tui_eval.reading.claims import MOST_CLAIMS
from tui_eval.reading.front_matter.rubrics import OwnRubric

MARKS = ("groundedness", "relevance", "coherence", "fluency", "correctness")
METRICS = (*(Metric(name, 1, 5, threshold=3) for name in MARKS), CLAIMS, Metric("abstention", threshold=1), PREFERENCE)
"""abstention: whether an unanswerable question is left unanswered."""
ASKED: Mapping[str, str] = {
    "groundedness": "How far does the document bear the answer out?",
    "relevance": "How well does the answer answer the question?",
    "coherence": "How well does what the answer says hang together?",
    "fluency": "How well is the answer written?",
    "correctness": "How far does the answer agree with the ground truth?",
    CLAIMS.name: "Does the document bear this claim out?",
    "abstention": "Does the answer say that the document does not tell?",
}
"""What persons are asked, by the metric that they rate."""
RUBRICS = {
    frames: {metric.name: rubric_of(metric, prompt_version("chat", frames)) for metric in METRICS} for frames in (False, True)
}
"""By whether texts stand in frames."""
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "judge_system": (),
    "groundedness": ("context", "question", "answer"),
    "relevance": ("history", "question", "flag", "answer"),
    "coherence": ("question", "answer"),
    "fluency": ("answer",),
    "correctness": ("question", "truth", "answer"),
    "abstention": ("question", "answer"),
    "claims": ("context", "answer", "most"),
    "pair": ("history", "question", "truth", "flag", "first", "second"),
    "reminder": (),
}
"""What judges are told, and the slots of each."""
UNANSWERABLE = "The document does not hold the answer to this question: an answer that says so is a full answer."
NOTHING_SAID = "(nothing)"


class ChatJudge(JudgeTable):
    """Who judges the answers, and by what."""

    metrics: Annotated[list[str], Field(min_length=1)] = [  # type: ignore[assignment]  # rubrics besides
        "groundedness", "relevance", "coherence", "fluency",
    ]  # fmt: skip
    """The metrics of the answers. Shipped, 1 to 5: groundedness, relevance, coherence, fluency, and correctness against the
    ground truth. Your own: the name of a rubric, prompts/chat/NAME.md with `metric: true` in its front matter."""


COLUMNS = frozenset({
    "conversation", "turn", "question", "ground_truth", "answerable", "known_without_document", "response", "latency_ms",
    "metrics", "degraded",
})  # fmt: skip
"""Columns of turns, among which metrics are others."""
OWN = RubricForm(("judge", "metrics"), MARKS, columns=COLUMNS)


def metrics_of(table: ChatJudge) -> list[str]:
    """Return the names of the metrics that are judged by such a table, whatever a dialogue has of them."""
    return [*table.metrics, CLAIMS.name, "abstention", *([PREFERENCE.name] if table.pairs else [])]


@dataclass(frozen=True, slots=True)
class DialogueJudging:
    """Judges of a sample's dialogues."""

    sample: Sample
    table: ChatJudge
    judges: Sequence[AskedModel]
    prompts: Mapping[str, str]
    own: Mapping[str, OwnRubric]
    """A person's own rubrics among the metrics."""
    times: int = 1
    """Of how many models and repeats a turn's answers are judged."""
    seed: int = 0
    """The run's, of which the frames' marks are made."""

    def marks(self, dialogue: Dialogue, answers: Answers) -> Part[list[Score]]:
        """A score of every answer of a dialogue by every rubric, all at once."""
        rubrics = [rubric for n, reply in answers.items() for rubric in self._rubrics(dialogue, n, reply)]
        return judged(rubrics, self.judges, self.prompts["reminder"])

    def choices(self, dialogues: Sequence[Dialogue], answers: Sequence[Answers]) -> Part[list[Score]]:
        """Between the models' answers to each turn. `answers`: of each dialogue."""
        pairs = [self._to_compare(dialogues, n, [replies[n] for replies in answers]) for n in dialogues[0].places]
        version = prompt_version("chat", self.table.frames)
        return compared(pairs, self.judges, self.prompts["reminder"], version)

    def _rubrics(self, dialogue: Dialogue, n: int, reply: Reply) -> list[ToJudge]:
        """All that the answer to a turn is judged by: what rests on the document only where something was shown of it."""
        context, turn = dialogue.contexts[n], dialogue.turn(n)
        rubrics = rubrics_with(self.own, self.table.frames)
        names = [name for name in dict.fromkeys(self.table.metrics) if context or "context" not in self._slots(name)]
        if not turn.answerable:
            names.append("abstention")

        def to_judge(name: str) -> ToJudge:
            ask = partial(self._call, dialogue, reply, rubrics[name])
            read = claims_in(self._frames(dialogue, n).shown(context)) if name == CLAIMS.name else None
            return ToJudge(rubrics[name], reply, ask, n in dialogue.twice and name in self.table.metrics, read)

        return [to_judge(name) for name in (*names, *([CLAIMS.name] if self.table.claims and context else []))]

    def _call(self, dialogue: Dialogue, reply: Reply, rubric: Rubric, judge: AskedModel) -> Call:
        """The call that has a judge look at an answer; it is shown what METHOD.md 5.1 gives to the rubric, and no more."""
        n, prompts = reply.call.call_index, self.prompts
        slots = {
            **_question_slots(dialogue, reply),
            "context": dialogue.contexts[n],
            "answer": reply.text or "",
            "most": str(MOST_CLAIMS),
        }
        slots = {name: slots[name] for name in self._slots(rubric.name)}
        begins = "context" if "context" in slots and self._is_read_again(dialogue, n) else ""
        frames = self._frames(dialogue, n)
        own = self.own.get(rubric.name)
        judged = frames.prompt(own.text if own else prompts[rubric.name], slots, begins, own=("flag", "most"))
        about = f"{rubric.name} {reply.call.model}#{n}"
        score = own.best if own else 1 if rubric.name == "abstention" else 5
        best = json.dumps({"reason": "It says what it should, and says it well.", "score": score})
        example = claims_example(dialogue.contexts[n]) if rubric.name == CLAIMS.name else best
        return judge.ask(
            self.sample, frames.system(prompts["judge_system"]), judged.text, n, begins=judged.begins, about=about,
            follows=(reply,), example=example, holds_marks=marks_held(judged.held, slots, {"answer": _of(reply)}),
        )  # fmt: skip

    def _slots(self, name: str) -> tuple[str, ...]:
        """Return what a judge is shown of a metric."""
        return self.own[name].slots if name in self.own else PROMPTS[name]

    def _frames(self, dialogue: Dialogue, n: int) -> JudgeFrames:
        """Around what is judged of a turn: with marks made of what is shown of the document to it."""
        return JudgeFrames.of(self.table.frames, self.seed, dialogue.contexts[n])

    def _is_read_again(self, dialogue: Dialogue, n: int) -> bool:
        """Return whether a judge is shown the same of the document more than once."""
        rubrics = self.table.claims + sum("context" in self._slots(name) for name in dict.fromkeys(self.table.metrics))
        return dialogue.times[n] * self.times * rubrics > 1

    def _to_compare(self, dialogues: Sequence[Dialogue], n: int, answers: Sequence[Reply]) -> ToCompare:
        """Choices between the models' answers to the turn at a place. They are shown what was said to it in truth, since each
        model has a history of its own."""
        prompts, dialogue = self.prompts, dialogues[0]
        history = [Message("user", turn.question) for turn in dialogue.conversation.turns[:n]]

        def ask(judge: AskedModel, first: Reply, second: Reply) -> Call:
            slots = {
                **_question_slots(dialogue, first),
                "history": _history_text(history),
                "first": first.text or "",
                "second": second.text or "",
            }
            slots = {name: slots[name] for name in PROMPTS["pair"]}
            frames = self._frames(dialogue, n)
            judged = frames.prompt(prompts["pair"], slots, own=("flag",))
            marks = marks_held(judged.held, slots, {"first": _of(first), "second": _of(second)})
            about = f"{PREFERENCE.name} {first.call.model} {second.call.model}#{n}"
            example = json.dumps({"reason": "Both say what the reference says.", "better": "tie"})
            return judge.ask(
                self.sample, frames.system(prompts["judge_system"]), judged.text, n, about=about, follows=(first, second),
                example=example, holds_marks=marks,
            )  # fmt: skip

        return ToCompare(answers, ask)


def _question_slots(dialogue: Dialogue, reply: Reply) -> dict[str, str]:
    """Return the slots that a judge may be shown of the question to an answer."""
    turn = dialogue.turn(reply.call.call_index)
    return {
        "question": turn.question,
        "truth": turn.ground_truth or NOTHING_SAID,
        "history": _history_text(reply.call.messages[1:-1]),
        "flag": "" if turn.answerable else UNANSWERABLE,
    }


def rubrics_with(own: Mapping[str, OwnRubric], frames: bool | None) -> dict[str, Rubric]:
    """The rubrics by name: the shipped ones, and a person's own."""
    return {**RUBRICS[bool(frames)], **{name: own_rubric_of(rubric, frames) for name, rubric in own.items()}}


def attacks_on(
    inputs: Inputs,
    table: ChatJudge,
    judges: Sequence[AskedModel],
    prompts: Mapping[str, str],
    own: Mapping[str, OwnRubric],
) -> Attacks | None:
    """Attacks on the judges of such a table: by groundedness where they mark that and each attack has a document, by each of a
    person's own rubrics, else by correctness. None where it names none."""
    attacks, seed = inputs.attacks(), inputs.run.seed
    grounded = "groundedness" in table.metrics and all(attack.document for attack in attacks)
    usual = "groundedness" if grounded else "correctness"

    def ask(name: str, sample: Sample, judge: AskedModel, attack: Attack, text: str, about: str) -> Call:
        frames, rubric = JudgeFrames.of(table.frames, seed, attack.document), own.get(name)
        slots = {
            "context": attack.document,
            "history": NOTHING_SAID,
            "question": attack.question,
            "truth": attack.truth,
            "answer": text,
        }
        shown = {slot: slots[slot] for slot in (rubric.slots if rubric else PROMPTS[name])}
        judged = frames.prompt(rubric.text if rubric else prompts[name], shown)
        example = json.dumps({"reason": "The document says otherwise.", "score": rubric.worst if rubric else 1})
        return judge.ask(sample, frames.system(prompts["judge_system"]), judged.text, about=about, example=example)

    rubrics = rubrics_with(own, table.frames)
    names = [*([usual] if not own or usual in table.metrics else []), *own]
    every = [Attacks(attacks, judges, rubrics[name], prompts["reminder"], partial(ask, name)) for name in names]
    return all_of(every) if attacks else None


def _of(answer: Reply) -> tuple[str, str]:
    """Whose an answer is, and what tells it from that model's others in the sample."""
    return answer.call.model, str(answer.call.call_index)


def _history_text(history: Sequence[Message]) -> str:
    speakers = {"user": "User", "assistant": "Assistant"}
    return "\n".join(f"{speakers[message.role]}: {message.content}" for message in history) or NOTHING_SAID
