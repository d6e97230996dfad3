"""From the `[generate]` table to requests for questions: passages, whole texts, images, and a lack of room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from tui_eval.core.document_text import RUNNING, Lean, without_running
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.datasets.document_blocks import document_ids
from tui_eval.datasets.document_text.running_heads import notes_of
from tui_eval.evaluation.inputs import Inputs
from tui_eval.evaluation.sample_queues import Samples, listed, sample_id
from tui_eval.kinds.generate.generate_table import Config
from tui_eval.kinds.question_writing.material import ROUNDS, Piece, Place, Places, QuestionTask, pages_in
from tui_eval.kinds.question_writing.question_schema import schemas_of
from tui_eval.kinds.question_writing.whole_documents import questions_template, whole_documents
from tui_eval.reading.passages import Passage
from tui_eval.reading.slots import default_conversations, page_count, shares, slots

AnyTask = TypeVar("AnyTask", bound=QuestionTask)


def with_room_told(task: AnyTask, wanted: int | None, turns: int) -> AnyTask:
    """The task with what it has no room for, and a note of that. `wanted`: conversations; None = as many as it has places."""
    if wanted is None:
        return replace(task, config=task.config.model_copy(update={"conversations": len(task.places)}))
    task = replace(task, no_room=_no_room(task, wanted, turns))
    return replace(task, warnings=(*task.warnings, f"generate.conversations: {task.room}")) if task.room else task


def _no_room(task: QuestionTask, wanted: int, turns: int) -> Mapping[str, int]:
    """By document how many questions are wanted for which it has no place; nothing where all that is wanted has one.

    `wanted`: conversations, over all documents; what has no place is shared as if each document had room.
    """
    left, there = wanted - len(task.places), Counter(name for name, _ in task.places)
    found = {}
    if left > 0:
        pages = [page_count(file.text or "") for file in task.documents.values()]
        for name, number in zip(task.documents, shares(pages, [wanted] * len(pages), wanted), strict=True):
            lacking = min(max(number - there[name], 0), left)
            left -= lacking
            found[name] = lacking * turns
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateTask(QuestionTask):
    """The documents, and the places of them that questions are asked about."""

    config: Config


def resolve(config: Config, inputs: Inputs) -> GenerateTask:
    """Every document cut to pieces. ConfigError for one that the form cannot be asked of."""
    files = inputs.of("document")
    if len(files) > config.max_documents:
        many = f"{len(files)} files; at most {config.max_documents} (generate.max_documents raises it)"
        raise ConfigError(f"generate.documents: {many}")
    documents = dict(zip(document_ids(files, "generate.documents"), files, strict=True))
    if config.form == "questions":
        wholes = _wholes(config, documents, inputs)
        return GenerateTask(config=config, asked=inputs.asked, documents=documents, places=wholes)
    places = _slots(config, documents, inputs.run.seed)
    told = tuple(f"{file.name}: {note}" for file in files for note in notes_of(file.text or "", file.left_out or ()))
    task = GenerateTask(config=config, asked=inputs.asked, documents=documents, places=places, warnings=told)
    return with_room_told(task, config.conversations, config.turns)


def _slots(config: Config, documents: Mapping[str, InputFile], seed: int) -> Places:
    """A place for each conversation; where it is dropped, another passage of the same pages is tried."""
    texts: dict[str, Lean] = {}
    for name, file in documents.items():
        if file.text is None:
            how = 'conversations need text; ask single questions of it: form = "questions"'
            raise ConfigError(f"generate.documents: {file.name}: an image; {how}")
        texts[name] = without_running(file.text, file.left_out or ())
    usual = default_conversations(sum(page_count(one.text) for one in texts.values()))
    found = []
    wanted = config.conversations or max(usual, len(texts))
    others = [_other(texts[name], file) for name, file in documents.items()]
    for slot in slots([one.text for one in texts.values()], wanted, seed, others):
        name = [*texts][slot.document]
        found.append((name, tuple(_piece(one, texts[name], documents[name], config) for one in slot.passages[:ROUNDS])))
    if not found:
        why = "no passage that questions could be asked about; is it more than contents or tables?"
        raise ConfigError(f"generate.documents: {why}")
    return found


def _other(lean: Lean, file: InputFile) -> list[tuple[int, int]] | None:
    """Where in a text without its running heads contents and their like lie; None where nobody wrote that down."""
    if file.left_out is None:
        return None
    return [(lean.inside(one.start), lean.inside(one.end)) for one in file.left_out if one.what != RUNNING]


def _piece(passage: Passage, lean: Lean, file: InputFile, config: Config) -> Piece:
    """A passage of a text without its running heads, and where it stands in the whole."""
    start, end = lean.span(passage.start, passage.end)
    paged = pages_in(file) is not None
    return Piece(passage.text, start, file.text or "", paged, turns=config.turns, end=end, left_out=file.left_out or ())


def _wholes(config: Config, documents: Mapping[str, InputFile], inputs: Inputs) -> Places:
    """Each document whole, or the image."""
    texts, images = schemas_of(inputs, "generate", own=bool(config.schema_file))
    return whole_documents(documents, texts, images, config.max_text_tokens, "generate")


def samples(task: GenerateTask) -> Samples:
    """One for each place, in the order of the documents; its question is the first line of what is asked about."""
    numbers: Counter[str] = Counter()
    found = []
    for n, (name, pieces) in enumerate(task.places):
        numbers[name] += 1
        first = pieces[0]
        about = (first.text or questions_template(first, task.config.prompts)).strip().partition("\n")[0]
        found.append(
            Sample(
                sample_id(name, f"c{numbers[name]}" if first.turns else "questions"),
                about, groups={DOCUMENT: (name,)}, doc_id=name, q_index=n, data=Place(pieces),
                shape=(first.attachment is not None, len(pieces)),
            )
        )  # fmt: skip
    return listed(found)


def factors(task: GenerateTask) -> Mapping[str, int]:
    """What a plan shows."""
    return {"documents": len(task.documents), "places": len(task.places), **task.counts}
