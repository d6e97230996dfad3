"""The second opinion on written questions: each answered from memory, then from the document, and held against its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tui_eval.core.calls import Attachment, Call, Json, Reply
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import AGAIN, Part, Value, ask_twice, beyond_plan
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.judging.judge_frames import FramesKey, JudgeFrames, marks_held
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.question_writing.filtering import Sifted, without_dropped
from tui_eval.kinds.question_writing.material import MaterialPiece
from tui_eval.kinds.question_writing.question_replies import Opinion, read_answers, read_opinions
from tui_eval.workspace.validation import Strict

NOT_CHECKED = "not checked: the second opinion could not be had"


class Check(Strict):
    """The second opinion on every question. `check = false` in its place: there is none; `check = true`: there is one."""

    on: bool = True
    """Get a second opinion on every question."""
    model: Annotated[str | None, names("model"), Field(examples=["mini"])] = None
    """The model that checks. It should not be the model that writes. Empty = the model that writes."""
    closed_book: Literal["mark", "drop", "off"] = "mark"
    """The treatment of a question that is answered rightly without the document: mark it, drop it, or do not try (off)."""
    frames: FramesKey = None

    @property
    def unused(self) -> tuple[str, ...]:
        """Without a second opinion nobody gives it."""
        return () if self.on else ("model",)

    @model_validator(mode="before")
    @classmethod
    def _in_short(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(
                f'give a table that names the model, such as {{ model = "{value}" }}, or false for no second opinion'
            )
        return {"on": value} if isinstance(value, bool) else value


@dataclass(frozen=True, slots=True)
class Round:
    """One try at a place: questions are asked for about a piece, and looked at."""

    sample: Sample
    piece: MaterialPiece
    index: int
    """Counted from 0."""
    prompts: Mapping[str, str]
    tries: int
    """How many there may be at this place."""
    seed: int = 0
    """The run's, of which the marks of frames are made."""

    @property
    def shown(self) -> tuple[Attachment, ...]:
        """The attachments that go with its calls."""
        return (self.piece.attachment,) if self.piece.attachment else ()

    def was_asked_twice(self, reply: Reply) -> bool:
        """Return whether a reply is the one to a reminder, or came with more room."""
        return reply.call.about.count(AGAIN) > bool(self.index)

    def asked(self, call: Call, read: Callable[[str | None], Value | None]) -> Part[tuple[Value | None, Reply]]:
        """A call, read; with it a reminder and its likes of later rounds are planned for, if they become necessary."""
        more = 0 if self.index else 2 * (self.tries - 1)
        calls = [beyond_plan(call) if self.index else call]
        (result,) = yield from ask_twice(calls, [read], self.prompts["reminder"], more)
        return result


def second_opinion(
    check: Check, checker: AskedModel, round_: Round, sifted: Sequence[Sifted], reply: Reply
) -> Part[list[Sifted]]:
    """The same questions; what is contradicted is dropped, and so is what nobody could be asked of.

    `reply`: the one that they were read of. Of a conversation what builds on a dropped question is dropped, too. Where an
    opinion leaves out some, these are asked of once more, alone, in place of a reminder.
    """
    remaining = [entry for entry in sifted if not entry.why]
    if not remaining:
        return list(sifted)
    frames = JudgeFrames.of(check.frames, round_.seed, round_.piece.text)

    def call_of(prompt: str, slots: Mapping[str, str], with_attachment: bool, example: Json) -> Call:
        judged = frames.prompt(round_.prompts[prompt], slots)
        more: dict[str, Any] = {"about": prompt, "follows": (reply,), "example": json.dumps(example)}
        more["holds_marks"] = marks_held(judged.held, slots, {})
        system = frames.system(round_.prompts[f"{prompt}_system"])
        return checker.ask(round_.sample, system, judged.text, round_.index, round_.shown if with_attachment else (), **more)

    questions = [entry.draft.question for entry in remaining]
    recalled: Mapping[int, str] = {}
    if check.closed_book != "off":
        listed = "\n".join(f"{n}. {question}" for n, question in enumerate(questions, start=1))
        unknown = [{"number": n, "answer": "unknown"} for n in range(1, len(remaining) + 1)]
        call = call_of("closed_book", {"questions": listed}, False, {"answers": unknown})
        answers, _ = yield from round_.asked(call, partial(read_answers, n=len(remaining)))
        recalled = answers or {}

    def agreement(places: Sequence[int]) -> Call:
        listed = "\n\n".join(_listed(n, remaining[place], recalled.get(place)) for n, place in enumerate(places))
        slots = {"passage": round_.piece.text, "questions": listed}
        return call_of("agreement", slots, True, _example_opinions(len(places)))

    every = range(len(remaining))
    first_opinions, counting = yield from round_.asked(agreement(every), partial(read_opinions, n=len(remaining)))
    opinions = dict(first_opinions or {})
    missing = [place for place in every if place not in opinions]
    if opinions and missing and not round_.was_asked_twice(counting):
        (again,) = yield [beyond_plan(agreement(missing))]
        more_said = read_opinions(again.text, len(missing)) if again.ok else None
        opinions |= {missing[n]: opinion for n, opinion in (more_said or {}).items()}
    judged = {
        id(entry): _judged(entry, opinions.get(n), n in recalled, check.closed_book == "drop")
        for n, entry in enumerate(remaining)
    }
    return without_dropped([judged.get(id(entry), entry) for entry in sifted], bool(round_.piece.turns))


def _judged(question: Sifted, opinion: Opinion | None, was_answered: bool, drop: bool) -> Sifted:
    """A question by what was said of it. `was_answered`: whether it was, from memory."""
    if opinion is None:
        return replace(question, why=NOT_CHECKED)
    is_known = opinion.known_without and was_answered and question.draft.answerable
    if not opinion.agrees and question.draft.answer:
        return replace(question, why=f"contradicted by the second opinion{': ' * bool(opinion.reason)}{opinion.reason}")
    if question.first and not opinion.stands_alone:
        return replace(question, why="does not stand alone, says the second opinion")
    if is_known and drop:
        return replace(question, why="answered without the document")
    return replace(question, known_without=is_known)


def _listed(place: int, question: Sifted, recalled: str | None) -> str:
    answers = {"proposed answer": question.draft.answer, "answer from memory": recalled}
    return "\n".join(
        [f"{place + 1}. {question.draft.question}", *(f"   {label}: {text}" for label, text in answers.items() if text)]
    )


def _example_opinions(n: int) -> Json:
    opinion = {"own_answer": "An answer.", "agrees": True, "stands_alone": True, "known_without": False, "reason": ""}
    return {"checks": [{"number": place, **opinion} for place in range(1, n + 1)]}
