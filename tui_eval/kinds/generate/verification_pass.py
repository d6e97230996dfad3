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
from tui_eval.kinds.question_writing.material import Piece
from tui_eval.kinds.question_writing.question_replies import Opinion, read_answers, read_opinions
from tui_eval.workspace.validation import Strict

NOT_CHECKED = "not checked: the second opinion could not be had"


class Check(Strict):
    """The second opinion on every question. `check = false` in its place: there is none; `check = true`: there is one."""

    on: bool = True
    """Whether there is one."""
    model: Annotated[str | None, names("model"), Field(examples=["mini"])] = None
    """The model that checks; better another than the one that writes. Empty = the one that writes."""
    closed_book: Literal["mark", "drop", "off"] = "mark"
    """What becomes of a question that is answered rightly without the document: mark it, drop it, or do not try (off)."""
    frames: FramesKey = None

    @property
    def unused(self) -> tuple[str, ...]:
        """Without a second opinion nobody gives it."""
        return () if self.on else ("model",)

    @model_validator(mode="before")
    @classmethod
    def _in_short(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(f'a table such as {{ model = "{value}" }} says who gives it; false: there is none')
        return {"on": value} if isinstance(value, bool) else value


@dataclass(frozen=True, slots=True)
class Round:
    """One try at a place: questions are asked for about a piece, and looked at."""

    sample: Sample
    piece: Piece
    index: int
    """Counted from 0."""
    prompts: Mapping[str, str]
    tries: int
    """How many there may be at this place."""
    seed: int = 0
    """The run's, of which the marks of frames are made."""

    @property
    def shown(self) -> tuple[Attachment, ...]:
        """What goes with its calls."""
        return (self.piece.attachment,) if self.piece.attachment else ()

    def was_asked_twice(self, reply: Reply) -> bool:
        """Whether a reply is the one to a reminder, or came with more room."""
        return reply.call.about.count(AGAIN) > bool(self.index)

    def asked(self, call: Call, read: Callable[[str | None], Value | None]) -> Part[tuple[Value | None, Reply]]:
        """A call, read; with it a reminder and its likes of later rounds are planned for, if they become necessary."""
        more = 0 if self.index else 2 * (self.tries - 1)
        calls = [beyond_plan(call) if self.index else call]
        (found,) = yield from ask_twice(calls, [read], self.prompts["reminder"], more)
        return found


def second_opinion(
    check: Check, checker: AskedModel, round_: Round, found: Sequence[Sifted], reply: Reply
) -> Part[list[Sifted]]:
    """The same questions; what is contradicted is dropped, and so is what nobody could be asked of.

    `reply`: the one that they were read of. Of a conversation what builds on a dropped question is dropped, too. Where an
    opinion leaves out some, these are asked of once more, alone, in place of a reminder.
    """
    left = [one for one in found if not one.why]
    if not left:
        return list(found)
    frames = JudgeFrames.of(check.frames, round_.seed, round_.piece.text)

    def call_of(prompt: str, slots: Mapping[str, str], shown: bool, example: Json) -> Call:
        judged = frames.prompt(round_.prompts[prompt], slots)
        more: dict[str, Any] = {"about": prompt, "follows": (reply,), "example": json.dumps(example)}
        more["holds_marks"] = marks_held(judged.held, slots, {})
        system = frames.system(round_.prompts[f"{prompt}_system"])
        return checker.ask(round_.sample, system, judged.text, round_.index, round_.shown if shown else (), **more)

    questions = [one.draft.question for one in left]
    known: Mapping[int, str] = {}
    if check.closed_book != "off":
        listed = "\n".join(f"{n}. {question}" for n, question in enumerate(questions, start=1))
        unknown = [{"number": n, "answer": "unknown"} for n in range(1, len(left) + 1)]
        call = call_of("closed_book", {"questions": listed}, False, {"answers": unknown})
        answers, _ = yield from round_.asked(call, partial(read_answers, n=len(left)))
        known = answers or {}

    def agreement(places: Sequence[int]) -> Call:
        listed = "\n\n".join(_listed(n, left[place], known.get(place)) for n, place in enumerate(places))
        slots = {"passage": round_.piece.text, "questions": listed}
        return call_of("agreement", slots, True, _example_opinions(len(places)))

    every = range(len(left))
    said, counting = yield from round_.asked(agreement(every), partial(read_opinions, n=len(left)))
    opinions = dict(said or {})
    missing = [place for place in every if place not in opinions]
    if opinions and missing and not round_.was_asked_twice(counting):
        (again,) = yield [beyond_plan(agreement(missing))]
        more_said = read_opinions(again.text, len(missing)) if again.ok else None
        opinions |= {missing[n]: opinion for n, opinion in (more_said or {}).items()}
    judged = {id(one): _judged(one, opinions.get(n), n in known, check.closed_book == "drop") for n, one in enumerate(left)}
    return without_dropped([judged.get(id(one), one) for one in found], bool(round_.piece.turns))


def _judged(one: Sifted, opinion: Opinion | None, was_answered: bool, drop: bool) -> Sifted:
    """A question by what was said of it. `was_answered`: whether it was, from memory."""
    if opinion is None:
        return replace(one, why=NOT_CHECKED)
    known = opinion.known_without and was_answered and one.draft.answerable
    if not opinion.agrees and one.draft.answer:
        return replace(one, why=f"contradicted by the second opinion{': ' * bool(opinion.reason)}{opinion.reason}")
    if one.first and not opinion.stands_alone:
        return replace(one, why="does not stand alone, says the second opinion")
    if known and drop:
        return replace(one, why="answered without the document")
    return replace(one, known_without=known)


def _listed(place: int, one: Sifted, known: str | None) -> str:
    said = {"proposed answer": one.draft.answer, "answer from memory": known}
    return "\n".join([f"{place + 1}. {one.draft.question}", *(f"   {what}: {text}" for what, text in said.items() if text)])


def _example_opinions(n: int) -> Json:
    one = {"own_answer": "An answer.", "agrees": True, "stands_alone": True, "known_without": False, "reason": ""}
    return {"checks": [{"number": place, **one} for place in range(1, n + 1)]}
