"""EvalQuestions of spec 000 (questions by the picture or text they are about), read as questions that stand alone."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.conversations import Conversation, Turn
from tui_eval.core.eval_questions_file import MARKS
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.field_values import FieldError, is_blank, shown, sort_of, yes_or_no
from tui_eval.datasets.parsing import Gathered, Record
from tui_eval.datasets.shapes.shaped_records import as_conversations, exact_text

KEY = "images"
_KNOWN = ("id", "category", "question", "reference_answer", "answerable", "quote", "page", *MARKS)
READ_AS = "EvalQuestions: answer: reference_answer, type: category, document: filename"


def is_eval_questions(value: object) -> bool:
    """Whether a JSON value has the form."""
    return isinstance(value, dict) and isinstance(value.get(KEY), dict)


def eval_questions(value: Mapping[str, object], name: str) -> AnsweredQuestions:
    """A conversation of one turn for each question. ConfigError naming document and question for what is not usable."""
    records: list[Record] = []
    documents: list[tuple[str, str]] = []
    images = value[KEY]
    for key, entry in images.items() if isinstance(images, dict) else ():
        place = f"{name}: {one_line(key, 60)}"
        listed = entry.get("questions") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(listed, list):
            records.append(
                Record(place, 0, {}, "questions: " + ("missing" if listed is None else sort_of(listed) + ", not a list"))
            )
            documents.append((key, key))
            continue
        filename = entry.get("filename", key)
        for number, question in enumerate(listed, start=1):
            wrong = "" if isinstance(question, dict) else f"{sort_of(question)}, not an object"
            wrong = wrong or ("" if isinstance(filename, str) else f"filename: {sort_of(filename)}, not text")
            records.append(Record(f"{place}, question ", number, question if isinstance(question, dict) else {}, wrong))
            documents.append((key, str(filename)))
    gathered = Gathered(records)
    pairs = zip(records, documents, strict=True)
    found = [gathered.read(n, _conversation, record, *named) for n, (record, named) in enumerate(pairs)]
    gathered.refuse_twice([(n, (one.id,)) for n, one in enumerate(found) if one is not None], "id")
    gathered.refuse()
    unread = dict.fromkeys(field for record in records for field in record.fields if field not in _KNOWN)
    return as_conversations([one for one in found if one is not None], name, READ_AS, tuple(unread))


def _conversation(record: Record, key: str, document: str) -> Conversation:
    fields = record.fields
    page = fields.get("page")
    if page is not None and (isinstance(page, bool) or not isinstance(page, int) or page < 0):
        raise FieldError(f"page: {shown(page)}, not a whole number")
    called = exact_text(fields.get("id"), "id", needed=False) or str(record.row)
    called = f"{key}/{called}" if key else called
    turn = Turn(
        id=called,
        question=exact_text(fields.get("question"), "question"),
        ground_truth=exact_text(fields.get("reference_answer"), "reference_answer", needed=False),
        quote=exact_text(fields.get("quote"), "quote", needed=False),
        page=page,
        type=exact_text(fields.get("category"), "category", needed=False),
        answerable=_flag(fields, "answerable", usual=True),
        quote_repaired=_flag(fields, "quote_repaired"),
        known_without_document=_flag(fields, "known_without_document"),
    )
    return Conversation(id=called, turns=(turn,), document=document)


def _flag(fields: Mapping[str, object], name: str, usual: bool = False) -> bool:
    value = fields.get(name)
    return usual if is_blank(value) else yes_or_no(str(value).lower(), name)
