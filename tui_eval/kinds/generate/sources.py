"""From the `[generate]` table to where questions are asked for: passages of documents, whole texts, images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile
from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.datasets.document_blocks import document_ids
from tui_eval.kinds.generate.generate_table import Config
from tui_eval.kinds.shared.inputs import Inputs
from tui_eval.kinds.shared.queues import Samples, listed, sample_id
from tui_eval.kinds.shared.written_questions.no_room import with_room_told
from tui_eval.kinds.shared.written_questions.pieces import ROUNDS, Piece, Place, Places, QuestionTask, pages_in
from tui_eval.kinds.shared.written_questions.question_schema import schemas_of
from tui_eval.kinds.shared.written_questions.whole_documents import questions_template, whole_documents
from tui_eval.reading.slots import default_conversations, page_count, slots


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
    whole = config.form == "questions"
    places = _wholes(config, documents, inputs) if whole else _slots(config, documents, inputs.run.seed)
    task = GenerateTask(config=config, asked=inputs.asked, documents=documents, places=places)
    return task if whole else with_room_told(task, config.conversations, config.turns)


def _slots(config: Config, documents: Mapping[str, InputFile], seed: int) -> Places:
    """A place for each conversation; where it is dropped, another passage of the same pages is tried."""
    texts: dict[str, str] = {}
    for name, file in documents.items():
        if file.text is None:
            how = 'conversations need text; ask single questions of it: form = "questions"'
            raise ConfigError(f"generate.documents: {file.name}: an image; {how}")
        texts[name] = file.text
    usual = default_conversations(sum(map(page_count, texts.values())))
    found = []
    for slot in slots([*texts.values()], config.conversations or max(usual, len(texts)), seed):
        name = [*texts][slot.document]
        paged = pages_in(documents[name]) is not None
        pieces = (Piece(one.text, one.start, texts[name], paged, turns=config.turns) for one in slot.passages[:ROUNDS])
        found.append((name, tuple(pieces)))
    if not found:
        why = "no passage that questions could be asked about; is it more than contents or tables?"
        raise ConfigError(f"generate.documents: {why}")
    return found


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
