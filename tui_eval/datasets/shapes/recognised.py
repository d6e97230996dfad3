"""Recognition of other programs' formats by the names of their fields, and EvalQuestions of spec 000."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from tui_eval.core.conversations import Conversation, Turn
from tui_eval.core.errors import ConfigError
from tui_eval.core.eval_questions_file import MARKS
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.conversation_files import is_conversations, read_conversations
from tui_eval.datasets.field_values import FieldError, is_blank, short_value, sort_of, yes_or_no
from tui_eval.datasets.lettered.field_names import CHOICES
from tui_eval.datasets.parsing import Gathered, Record, json_value, read_records
from tui_eval.datasets.shapes.message_lists import has_message_lists, message_lists
from tui_eval.datasets.shapes.plain_records import PARAGRAPHS
from tui_eval.datasets.shapes.promptfoo_tests import default_test, has_promptfoo_tests, promptfoo_tests
from tui_eval.datasets.shapes.sample_records import has_samples, sample_records
from tui_eval.datasets.shapes.shaped_records import ANY, as_conversations, exact_text
from tui_eval.datasets.shapes.target_columns import CONTEXT, LISTED
from tui_eval.datasets.shapes.target_values import OWN_RULES
from tui_eval.datasets.shapes.turn_lists import has_turn_lists, turn_lists
from tui_eval.datasets.shapes.turn_rows import CONVERSATION, has_turn_rows, turn_rows

KEY = "images"
_KNOWN = ("id", "category", "question", "reference_answer", "answerable", "quote", "page", *MARKS)
READ_AS = "EvalQuestions: answer: reference_answer, type: category, document: filename"


def is_eval_questions(value: object) -> bool:
    """Return whether a JSON value has the form."""
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
    conversations = [gathered.read(n, _conversation, record, *document) for n, (record, document) in enumerate(pairs)]
    gathered.refuse_twice(
        [(n, (conversation.id,)) for n, conversation in enumerate(conversations) if conversation is not None], "id"
    )
    gathered.refuse()
    unread = dict.fromkeys(field for record in records for field in record.fields if field not in _KNOWN)
    return as_conversations(
        [conversation for conversation in conversations if conversation is not None], name, READ_AS, tuple(unread)
    )


def _conversation(record: Record, key: str, document: str) -> Conversation:
    fields = record.fields
    page = fields.get("page")
    if page is not None and (isinstance(page, bool) or not isinstance(page, int) or page < 0):
        raise FieldError(f"page: {short_value(page)}, not a whole number")
    conversation_id = exact_text(fields.get("id"), "id", needed=False) or str(record.row)
    conversation_id = f"{key}/{conversation_id}" if key else conversation_id
    turn = Turn(
        id=conversation_id,
        question=exact_text(fields.get("question"), "question"),
        ground_truth=exact_text(fields.get("reference_answer"), "reference_answer", needed=False),
        quote=exact_text(fields.get("quote"), "quote", needed=False),
        page=page,
        type=exact_text(fields.get("category"), "category", needed=False),
        answerable=_flag(fields, "answerable", usual=True),
        quote_repaired=_flag(fields, "quote_repaired"),
        known_without_document=_flag(fields, "known_without_document"),
    )
    return Conversation(id=conversation_id, turns=(turn,), document=document)


def _flag(fields: Mapping[str, object], name: str, usual: bool = False) -> bool:
    value = fields.get(name)
    return usual if is_blank(value) else yes_or_no(str(value).lower(), name)


_WHOLE = re.compile(rf'"(?:conversations|{KEY})"\s*:')
_COLUMNS = "|".join((*CONTEXT, *LISTED, *OWN_RULES, PARAGRAPHS)).replace("_", "[_ -]")
"""Names of columns that only samples for kind qa have."""
_OPTIONS = re.compile(rf'"(?:{"|".join(CHOICES)})"\s*:')
_SAMPLES = re.compile(rf'"(?:{_COLUMNS})"\s*:', re.IGNORECASE)
_SAMPLES_HEADER = re.compile(rf'(?:^|[,;\t"])\s*(?:{_COLUMNS})\s*(?:[,;\t"]|$)', re.IGNORECASE)
_BEGINNING = 20_000
_RECORDS = re.compile(rf'"(?:turns|vars|{"|".join(CONVERSATION)})"\s*:|"(?:messages|input|prompt)"\s*:\s*\[', re.IGNORECASE)
_HEADER = re.compile(rf'__expected|(?:^|[,;\t"])\s*(?:{"|".join(CONVERSATION)})\s*(?:[,;\t"]|$)', re.IGNORECASE)
FORMS: Sequence[tuple[Callable[[Sequence[Record]], bool], Callable[[list[Record], str], AnsweredQuestions]]] = (
    (has_turn_lists, turn_lists),
    (has_message_lists, message_lists),
    (has_turn_rows, turn_rows),
    (has_samples, sample_records),
)


def recognised(text: str, name: str, skip_unscored: bool = False) -> AnsweredQuestions | None:
    """Return the questions of a text; None where it has none of these forms. ConfigError with file, place and reason if amiss.

    Most files are told to be none of them by a look for their names, without being taken apart. `skip_unscored`: leave out
    the tests that nothing here could score, instead of an error.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] == "{" and _WHOLE.search(text):
        try:
            value = json_value(text, name)
        except ConfigError:  # several objects, one a line
            value = None
        if isinstance(value, dict) and is_conversations(value):
            return AnsweredQuestions((), "", (), read_conversations(value, name))
        if isinstance(value, dict) and is_eval_questions(value):
            return eval_questions(value, name)
    if not _may_be_one(text):
        return None
    records = read_records(text, name, ANY)
    if has_promptfoo_tests(records):
        return promptfoo_tests(records, name, default_test(text), skip_unscored)
    return next((read(records, name) for has, read in FORMS if has(records)), None)


def _may_be_one(text: str) -> bool:
    """Return whether a text has names of these forms."""
    if text.lstrip()[:1] not in ("{", "["):
        header = text.lstrip().partition("\n")[0].strip()
        return bool(_HEADER.search(header) or _SAMPLES_HEADER.search(header))
    lettered = _OPTIONS.search(text, 0, _BEGINNING)
    return bool(_RECORDS.search(text)) or (lettered is None and bool(_SAMPLES.search(text)))
