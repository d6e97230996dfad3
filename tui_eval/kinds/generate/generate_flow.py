"""What is asked for one slot of a conversation, or about one document: questions, then a second opinion on each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Attachment, Call, Json, Reply
from tui_eval.core.kinds import Flow
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.kinds.generate.drafts import Draft, Opinion, read_answers, read_opinions, read_questions, read_turns
from tui_eval.kinds.generate.sifting import Sifted, sift_questions, sift_turns, without_dropped
from tui_eval.kinds.generate.sources import GenerateTask, Piece
from tui_eval.kinds.shared.asking import ask_twice, beyond_plan
from tui_eval.reading.prompts import fill

ROUNDS = 3
"""How often questions are asked for at one place at most."""
VERSION = "generate/1"
"""Of the rules by which a question is kept or dropped."""
KEPT = "kept"
TOO_FEW = "too few questions of its conversation hold"
Checked = Generator[Sequence[Call], Sequence[Reply], list[Sifted]]


def flow(task: GenerateTask, sample: Sample) -> Flow:
    """One score for each question that was made: 1 it is kept, 0 it is not and why. What was kept stands in `read`."""
    made: list[Sifted] = []
    scores: list[Score] = []
    places = sample.data[:ROUNDS]
    for index, piece in enumerate(places):
        kept = [one for one in made if not one.why]
        call = _maker_call(task, sample, piece, index, kept)
        ((drafts, reply),) = yield from ask_twice([call], [_reader(task)], task.config.prompts["reminder"], _more(index))
        found = _sifted(task, piece, drafts or [], made)
        if task.config.check.on:
            found = yield from _checked(task, sample, piece, index, found, reply)
        over = not reply.ok or index + 1 == len(places) or _enough(task, piece, [*kept, *(one for one in found if not one.why)])
        if not over and piece.turns:
            found = [replace(one, why=one.why or TOO_FEW) for one in found]
        made += found
        scores += [_score(task, reply, index, one) for one in found]
        if over:
            break
    return scores


def _more(index: int) -> int:
    """How many calls may follow a planned one besides its own reminder: in each later round one, and its reminder."""
    return 0 if index else 2 * (ROUNDS - 1)


def _reader(task: GenerateTask) -> Callable[[str | None], list[Draft] | None]:
    return read_turns if task.config.form == "conversations" else read_questions


def _enough(task: GenerateTask, piece: Piece, kept: Sequence[Sifted]) -> bool:
    """Whether nothing more is asked for: of a conversation most turns are there; of each category all."""
    if task.config.form == "conversations":
        return 2 * len(kept) > task.config.turns
    return not piece.lacking([one.draft.type for one in kept])


def _maker_call(task: GenerateTask, sample: Sample, piece: Piece, index: int, kept: Sequence[Sifted]) -> Call:
    """What asks for questions; after the first round for those that are missing."""
    (maker,), prompts = task.asked["maker"], task.config.prompts
    if task.config.form == "conversations":
        user = fill(prompts["conversation"], {"passage": piece.text, "turns": str(task.config.turns)})
    else:
        wanted = piece.lacking([one.draft.type for one in kept])
        slots = {"text": piece.text, "categories_json": json.dumps(wanted, ensure_ascii=False, indent=1)}
        template = piece.template or prompts["questions_image" if piece.attachment else "questions_text"]
        also = "" if piece.attachment or "{text}" in template else f"\n\n[TEXT]\n{piece.text}\n[/TEXT]"
        user = fill(template, slots) + also
    call = maker.ask(sample, prompts["maker_system"], user, index, _shown(piece), example=piece.example)
    return beyond_plan(call) if index else call


def _shown(piece: Piece) -> tuple[Attachment, ...]:
    return (piece.attachment,) if piece.attachment else ()


def _sifted(task: GenerateTask, piece: Piece, drafts: Sequence[Draft], made: Sequence[Sifted]) -> list[Sifted]:
    """Each question, with why it is dropped where a rule tells without asking anybody."""
    if task.config.form == "conversations":
        return sift_turns(drafts[: task.config.turns], piece)
    return sift_questions(drafts, piece, made)


def _checked(task: GenerateTask, sample: Sample, piece: Piece, index: int, found: Sequence[Sifted], reply: Reply) -> Checked:
    """The same after the second opinion: what it contradicts is dropped, and what it could not be asked of, too."""
    left = [one for one in found if not one.why]
    if not left:
        return list(found)
    asked = [one.draft.question for one in left]
    known: Mapping[int, str] = {}
    if task.config.check.closed_book != "off":
        slots, example = {"questions": _numbered(asked)}, _example_answers(asked)
        known = (yield from _asked(task, sample, index, "closed_book", slots, reply, example, read_answers)) or {}
    listed = "\n\n".join(_listed(n, one, known.get(n)) for n, one in enumerate(left))
    slots = {"passage": piece.text, "questions": listed}
    opinions = yield from _asked(task, sample, index, "agreement", slots, reply, _example_opinions(asked), read_opinions, piece)
    judged = {id(one): _judged(task, one, (opinions or {}).get(n), n in known) for n, one in enumerate(left)}
    return without_dropped([judged.get(id(one), one) for one in found], task.config.form == "conversations")


def _asked(
    task: GenerateTask,
    sample: Sample,
    index: int,
    prompt: str,
    slots: Mapping[str, str],
    reply: Reply,
    example: Json,
    read: Callable[[str | None, int], Mapping[int, Json] | None],
    piece: Piece | None = None,
) -> Generator[Sequence[Call], Sequence[Reply], Mapping[int, Json] | None]:
    """One call to whoever checks, read; None where it failed, or stayed unreadable."""
    (checker,), prompts = task.asked["check"], task.config.prompts
    n = len(next(iter(example.values())))
    call = checker.ask(
        sample, prompts[f"{prompt}_system"], fill(prompts[prompt], slots), index, _shown(piece) if piece else (), about=prompt,
        follows=(reply,), example=json.dumps(example),
    )  # fmt: skip
    ((found, _),) = yield from ask_twice(
        [beyond_plan(call) if index else call], [lambda text: read(text, n)], prompts["reminder"], _more(index)
    )
    return found


def _judged(task: GenerateTask, one: Sifted, opinion: Opinion | None, was_answered: bool) -> Sifted:
    if opinion is None:
        return replace(one, why="not checked: the second opinion could not be had")
    known = opinion.known_without and was_answered and one.draft.answerable
    if not opinion.agrees:
        return replace(one, why=f"contradicted by the second opinion{': ' * bool(opinion.reason)}{opinion.reason}")
    if one.first and not opinion.stands_alone:
        return replace(one, why="does not stand alone, says the second opinion")
    if known and task.config.check.closed_book == "drop":
        return replace(one, why="answered without the document")
    return replace(one, known_without=known)


def _numbered(questions: Iterable[str]) -> str:
    return "\n".join(f"{n}. {question}" for n, question in enumerate(questions, start=1))


def _listed(place: int, one: Sifted, known: str | None) -> str:
    lines = [f"{place + 1}. {one.draft.question}", f"   proposed answer: {one.draft.answer}"]
    return "\n".join([*lines, *([f"   answer from memory: {known}"] if known else [])])


def _example_answers(asked: Sequence[str]) -> Json:
    return {"answers": [{"number": n, "answer": "unknown"} for n in range(1, len(asked) + 1)]}


def _example_opinions(asked: Sequence[str]) -> Json:
    one = {"own_answer": "An answer.", "agrees": True, "stands_alone": True, "known_without": False, "reason": ""}
    return {"checks": [{"number": n, **one} for n in range(1, len(asked) + 1)]}


def _score(task: GenerateTask, reply: Reply, index: int, one: Sifted) -> Score:
    """A question's score; `read` holds the question as it is kept."""
    maker = task.asked["maker"][0]
    read = json.dumps(one.turn, ensure_ascii=False)
    return Score(maker.stage, maker.name, index, KEPT, float(not one.why), one.why, VERSION, read)
