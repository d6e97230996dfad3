"""Sets of questions, and their form on disk: lettered ones and conversations as JSON, open ones as a Questions.md."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from string import ascii_uppercase
from typing import Any

from tui_eval.core.conversations import Conversation, ConversationSet
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.answered_questions import AnsweredQuestions, NotOpenError, answered_questions
from tui_eval.datasets.column_roles import FILES, IMAGES
from tui_eval.datasets.conversation_files import read_conversations, written_conversations
from tui_eval.datasets.conversation_samples import samples_of, turn_of, with_samples
from tui_eval.datasets.field_mapping import FieldMapping, mapped_records
from tui_eval.datasets.field_values import enumerated, plain_name
from tui_eval.datasets.groups import DOMAIN, TOPIC, calc_required_of, difficulty_of
from tui_eval.datasets.lettered.answer_keys import BARE_LETTER
from tui_eval.datasets.lettered.lettered_questions import ChoiceBenchmark, read_benchmark
from tui_eval.datasets.lettered.right_first import SEED
from tui_eval.datasets.parsing import Record, json_value
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.questions_markdown import questions_markdown
from tui_eval.datasets.shapes.left_open import USUAL, LeftOpen
from tui_eval.datasets.shapes.recognised import recognised
from tui_eval.datasets.shapes.sample_records import entry_of_sample, is_changed
from tui_eval.datasets.shapes.turn_lists import has_turn_lists, turn_lists
from tui_eval.datasets.shapes.turn_rows import turn_rows

LIST = "Questions.md"
"""The file in a folder of documents that holds the questions about them."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one sort, in their order: lettered, open, or turns of conversations."""

    name: str
    """What a benchmark calls itself, its version, or what conversations are called; empty for open questions."""
    questions: tuple[Sample, ...]
    documents: tuple[str, ...] = ()
    """Names of the files that questions are asked about: those beside open ones, those whose text conversations hold."""
    unread: tuple[str, ...] = field(default=(), compare=False)
    """Fields of the file it was read from that questions have no place for."""
    read_as: str = field(default="", compare=False)
    """What was made of which fields, where there was something to choose or to change; else empty."""
    conversations: ConversationSet | None = None
    """What the questions are turns of; None where they are none."""
    columns: tuple[str, ...] = ()
    """All columns of samples that have some of their own, such as a context, for kind qa; none of other questions."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What was done to them when they were read, and what a person should know of them."""

    @property
    def lettered(self) -> bool:
        """Return whether its questions have options."""
        return any(question.options for question in self.questions)

    @property
    def in_one_file(self) -> bool:
        """Return whether it is kept as one JSON file, else as a folder with a Questions.md."""
        return self.lettered or self.conversations is not None or bool(self.columns)

    @property
    def sort(self) -> str:
        """Sort of its questions, in a word."""
        return sort_by(self.has)

    @property
    def has(self) -> frozenset[str]:
        """Parts a run can build on: "options", "truth" (of some question at least), "documents", "turns" of conversations and
        "columns" of samples that have some of their own."""
        truth, turns = any(q.answer_text for q in self.questions), self.conversations is not None
        there = {"options": self.lettered, "truth": truth, "documents": self.documents, "turns": turns}
        there["columns"] = self.columns
        return frozenset(name for name, has in there.items() if has)

    @property
    def words(self) -> str:
        """Size of the set, in words."""
        n, documents = len(self.questions), len(self.documents)
        if self.conversations is not None:
            text = f"{count_of(n, 'question')} in {count_of(len(self.conversations.conversations), 'conversation')}"
        else:
            text = count_of(n, "sample" if self.columns else f"{self.sort} question")
        return f"{text} and {count_of(documents, 'document')}" if documents else text

    def of(self, questions: Iterable[Sample]) -> QuestionSet:
        """The same set with these questions; open ones are numbered anew, for their ids are made of their text.

        ConfigError where a turn of a conversation builds on one that is not among them.
        """
        if self.conversations is not None:
            return of_conversations(with_samples(self.conversations, questions), self.unread, self.read_as)
        keeps_ids = self.lettered or self.columns
        return replace(self, questions=tuple(questions) if keeps_ids else numbered(questions))


def sort_of(lettered: bool) -> str:
    """Return the sort of questions, in a word."""
    return "lettered" if lettered else "open"


def sort_by(has: Collection[str]) -> str:
    """The same of a set, by what it has."""
    return "conversations" if "turns" in has else "samples" if "columns" in has else sort_of("options" in has)


def of_conversations(conversation_set: ConversationSet, unread: tuple[str, ...] = (), read_as: str = "") -> QuestionSet:
    """Conversations as a set of questions, each turn one."""
    documents = tuple(document.filename for document in conversation_set.documents)
    return QuestionSet(conversation_set.name, samples_of(conversation_set), documents, unread, read_as, conversation_set)


def alone(question: Sample) -> QuestionSet:
    """A set of this question alone; a turn as one that builds on no other."""
    turn = turn_of(question)
    if turn is None:
        return QuestionSet("", (question,))
    return of_conversations(
        ConversationSet(name="", conversations=(Conversation(id="1", turns=(replace(turn, depends_on=None),)),))
    )


def unread_words(questions: QuestionSet) -> str:
    """Describe the fields of its file that nothing is made of, as a sentence; empty where there are none."""
    files = [name for name in questions.unread if plain_name(name) in (*FILES, *IMAGES)]
    unused = [name for name in questions.unread if name not in files]
    fields, them = ("1 field is", "it") if len(unused) == 1 else (f"{len(unused)} fields are", "them")
    unused_text = f"{fields} not kept, because no run uses {them}: {enumerated(unused)}" if unused else ""
    files_text = (
        f"the files in {enumerated(files)} are not kept; kind qa shows them if you ask this file itself" if files else ""
    )
    return "; ".join(filter(None, [f"read from {questions.read_as}" if questions.read_as else "", unused_text, files_text]))


# Reading


def lettered(text: str, name: str, seed: int = SEED) -> QuestionSet:
    """A benchmark in any form that a run can read. ConfigError names file, place and field of what is not usable."""
    return _of_benchmark(read_benchmark(text, name, seed=seed))


def _of_benchmark(benchmark: ChoiceBenchmark, read_as: str = "") -> QuestionSet:
    description = read_as or benchmark.read_as
    questions = tuple(benchmark.questions)
    return QuestionSet(benchmark.name, questions, unread=benchmark.unread, read_as=description, notes=benchmark.notes)


def table_of_questions(text: str, name: str, mapping: FieldMapping | None = None, left_open: LeftOpen = USUAL) -> QuestionSet:
    """Lettered questions, open ones with their answers, samples or conversations, from JSON, JSONL or a table. ConfigError
    otherwise.

    `mapping`: which columns are what, where a person said so: with options they are lettered questions, else open ones.
    `left_open`: what a person says of what a file leaves open.
    """
    if mapping is not None:
        return _mapped(text, name, mapping)
    shaped = recognised(text, name, left_open.skip_unscored)
    if shaped is not None:
        return _of_answered(shaped)
    try:
        return lettered(text, name, left_open.seed)
    except ConfigError as error:
        try:
            answered = answered_questions(text, name)
        except NotOpenError:
            raise error from None
        return _of_answered(answered)


def _of_answered(answered: AnsweredQuestions) -> QuestionSet:
    if answered.conversations is not None:
        return of_conversations(answered.conversations, answered.unread, answered.read_as)
    return QuestionSet("", answered.questions, unread=answered.unread, read_as=answered.read_as, columns=answered.columns)


def _mapped(text: str, name: str, mapping: FieldMapping) -> QuestionSet:
    records, mapping = mapped_records(text, name, mapping)
    if mapping.options:
        return _of_benchmark(read_benchmark(text, name, records), mapping.words)
    if mapping.grouped:
        shaped = turn_lists(records, name) if has_turn_lists(records) else turn_rows(records, name)
        assert shaped.conversations is not None
        return of_conversations(shaped.conversations, shaped.unread, mapping.words)
    answered = answered_questions(text, name, records)
    unread = tuple(column for column in answered.unread if not mapping.documents or column != "document")
    questions = answered.questions if not mapping.documents else _about(answered.questions, records)
    return QuestionSet("", questions, unread=unread, read_as=mapping.words)


def _about(questions: Iterable[Sample], records: Iterable[Record]) -> tuple[Sample, ...]:
    """The questions with the documents that their records name."""
    document_names = []
    for record in records:
        value = record.fields.get("document")
        names = value if isinstance(value, list) else str(value or "").split(",")
        document_names.append(tuple(name for name in (str(entry).strip() for entry in names) if name))
    return tuple(replace(question, documents=names) for question, names in zip(questions, document_names, strict=True))


def open_questions(text: str, name: str, documents: Sequence[str] = ()) -> QuestionSet:
    """A Questions.md. ConfigError with the line for anything out of place."""
    return QuestionSet("", questions_markdown(text, name), tuple(documents))


# Writing


def set_text(questions: QuestionSet) -> str:
    """A set as its file holds it. ConfigError, in words, for what the file could not give back exactly."""
    if not questions.questions:
        raise ConfigError("a set needs at least one question")
    for number, question in enumerate(questions.questions, start=1):
        problem = unwritable(question, questions.lettered)
        if problem:
            raise ConfigError(f"question {number} ({one_line(question.question, 40)!r}): {problem}")
    text = _text(questions)
    lost = first_lost(questions, text)
    if lost is not None:
        where = f"question {lost}" if lost else "the set's name"
        raise ConfigError(f"{where}: could not be read back as it is; remove signs that mean something in the file, such as )")
    return text


def first_lost(questions: QuestionSet, text: str) -> int | None:
    """The first question, counted from 1, that the file would not give back as it is; 0 = the name; None where all is kept."""
    try:
        restored = _read_back(questions, text)
    except ConfigError:
        restored = QuestionSet(questions.name, ())
    pairs = zip_longest(questions.questions, restored.questions)
    number = next((n for n, (ours, theirs) in enumerate(pairs, start=1) if ours != theirs), None)
    if number is None and questions.conversations != restored.conversations:
        return 0
    return 0 if number is None and questions.name and restored.name != questions.name else number


def _text(questions: QuestionSet) -> str:
    if questions.conversations is not None:
        return written_conversations(questions.conversations)
    return _json(questions) if questions.in_one_file else _markdown(questions)


def _read_back(questions: QuestionSet, text: str) -> QuestionSet:
    if questions.conversations is not None:
        return of_conversations(read_conversations(json_value(text, LIST), LIST))
    if questions.columns:
        return table_of_questions(text, f"{LIST}.json")
    return lettered(text, LIST) if questions.lettered else open_questions(text, LIST)


def unwritable(question: Sample, lettered: bool) -> str:
    """Why a question cannot be kept in a set of its sort; empty where it can."""
    if not question.question.strip():
        return "the question is empty"
    if isinstance(question.data, Mapping):
        return "it has columns of its own: edit them in the set's file" if is_changed(question) else ""
    if turn_of(question) is not None:
        return ""
    if lettered:
        return _no_choice(question)
    lines = {"question": question.question, "answer": question.truth or ""}
    lines |= {f"answer ({name})": truth for name, truth in question.document_truths.items()}
    for name, text in lines.items():
        if "\n" in text or "\r" in text:
            return f"the {name} has several lines; {LIST} needs it on one line"
        if text != text.strip():
            return f"the {name} begins or ends with blanks; remove them"
    if question.truth == "" or "" in question.document_truths.values():
        return "an answer is empty; remove its line if there is none"
    unusable = [name for name in question.documents if not name.strip() or "," in name or "\n" in name]
    return f"a document cannot be called {one_line(unusable[0], 40)!r} here" if unusable else ""


def _no_choice(question: Sample) -> str:
    if not 2 <= len(question.options) <= len(ascii_uppercase):
        n = len(question.options)
        return f"{count_of(n, 'option')}; a multiple-choice question has 2 to {len(ascii_uppercase)}"
    if any(not option.strip() for option in question.options):
        return "an option is empty"
    if question.answer is None or not 0 <= question.answer < len(question.options):
        return "no option is marked as the right one; write Answer: and its letter"
    return ""


def _json(questions: QuestionSet) -> str:
    entries = ",\n".join(
        json.dumps(entry_of(question, questions.name), ensure_ascii=False, indent=1) for question in questions.questions
    )
    return f"[\n{entries}\n]\n"


def entry_of(question: Sample, name: str) -> dict[str, Any]:
    """A sample with all of its columns, or a lettered question as files have it: its answer is a letter, or its number where an
    option could be taken for a letter."""
    if isinstance(question.data, Mapping):
        return entry_of_sample(question)
    mistakable = any(BARE_LETTER.fullmatch(option.strip()) for option in question.options)
    answer = {"answer_index": question.answer} if mistakable else {"answer": question.letter}
    entry = {
        "id": question.id,
        "version": name,
        "question": question.question,
        "choices": list(question.options),
        **answer,
        "difficulty": difficulty_of(question),
        "domains": list(question.group(DOMAIN)),
        "topics": list(question.group(TOPIC)),
        "calc_required": calc_required_of(question),
    }
    return {key: value for key, value in entry.items() if value not in ("", [], None)}


def _markdown(questions: QuestionSet) -> str:
    return "\n".join(_lines(number, question) for number, question in enumerate(questions.questions, start=1))


def _lines(number: int, question: Sample) -> str:
    lines = [f"{number}. {question.question}"]
    if question.truth is not None:
        lines.append(f"   Answer: {question.truth}")
    lines += [f"   Answer ({name}): {truth}" for name, truth in question.document_truths.items()]
    if question.documents:
        lines.append(f"   Documents: {', '.join(question.documents)}")
    return "\n".join(lines) + "\n"
