"""Documents that conversations are about, read from the files beside their set; and folders of documents as conversations."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn
from tui_eval.core.document_text import PAGE_BREAK
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_blocks import ids_of_names
from tui_eval.datasets.document_text.document_reader import ReadingLimits, read_document
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.datasets.document_text.reading_ahead import read_ahead
from tui_eval.datasets.set_list import MAX_BENCHMARK_BYTES, is_table, read_set, records_at
from tui_eval.datasets.sets import QuestionSet
from tui_eval.workspace.plain_files import is_inside, read_file, unreadable

DOCUMENT = "document"
"""The column of a table that names the file which a question is about."""
_HIDDEN = "is hidden beside {}: hidden files are never sent; copy it under another name, or remove the name"
LIMITS = ReadingLimits("document", max_bytes=MAX_BENCHMARK_BYTES, min_letters=1)


def lacking(conversation_set: ConversationSet) -> list[str]:
    """The documents that conversations name and the set does not hold, each once, in order."""
    filenames = {document.filename for document in conversation_set.documents}
    document_names = dict.fromkeys(
        conversation.document for conversation in conversation_set.conversations if conversation.document
    )
    return [name for name in document_names if name not in filenames]


def with_documents(conversation_set: ConversationSet, folder: Path, set_name: str, all_of_them: bool = True) -> ConversationSet:
    """The set with what the files beside it say that it names and does not hold.

    ConfigError where one is not there; without `all_of_them`, what is not there stays named.
    """
    names = [name for name in lacking(conversation_set) if all_of_them or (folder / name).is_file()]
    read = tuple(read_ahead(lambda name: _document(folder, name, set_name), names))
    return replace(conversation_set, documents=(*conversation_set.documents, *read)) if read else conversation_set


def file_beside(folder: Path, name: str, set_name: str) -> Path:
    """A file that a set names, in the set's folder. ConfigError where it is not there, lies elsewhere, or is hidden there."""
    path = folder / name
    if _is_hidden(name):
        raise ConfigError(f"document {one_line(name, 80)!r}: {_HIDDEN.format(one_line(set_name, 80))}")
    if not path.is_file():
        message = f"there is no such file beside {one_line(set_name, 80)}: put it there, or remove the name"
        raise ConfigError(f"document {one_line(name, 80)!r}: {message}")
    if not is_inside(str(path.resolve()), str(folder.resolve())):
        raise ConfigError(
            f"document {one_line(name, 80)!r}: lies outside the folder of {one_line(set_name, 80)}; put it beside it"
        )
    if _is_hidden(os.path.relpath(path.resolve(), folder.resolve())):
        raise ConfigError(f"document {one_line(name, 80)!r}: is a link to a file that {_HIDDEN.format(one_line(set_name, 80))}")
    return path


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part not in (".", "..") for part in name.replace("\\", "/").split("/"))


def _document(folder: Path, name: str, set_name: str) -> GroundingDocument:
    path = file_beside(folder, name, set_name)
    try:
        data = read_file(path, MAX_BENCHMARK_BYTES, folder)
    except OSError as error:
        raise ConfigError(f"document {unreadable(name, error)}") from None
    text = "" if sort_of_file(name) == "image" else read_document(data, name, LIMITS).text
    pages = text.count(PAGE_BREAK) + 1 if PAGE_BREAK in text else None
    return GroundingDocument(filename=name, sha256=hashlib.sha256(data).hexdigest(), pages=pages, uploaded_at="", text=text)


def conversations_at(path: Path) -> ConversationSet | None:
    """The conversations of a file or folder with the documents beside them; None where it is a file that has them all.

    A folder with a Questions.md has a conversation for each question of each document, a table of open questions one for each.
    ConfigError for what can be no such set.
    """
    if path.is_dir():
        return with_documents(_of_folder(read_set(path), path.name), path, path.name)
    question_set = _table_at(path)
    if question_set is None or question_set.lettered:
        return None
    if question_set.conversations is None:
        return with_documents(_of_table(question_set, path), path.parent, path.name)
    whole = with_documents(question_set.conversations, path.parent, path.name)
    return (
        None if path.suffix.lower() == ".json" and not question_set.read_as and whole == question_set.conversations else whole
    )


def documents_at(path: Path) -> list[Path]:
    """The files that a set of conversations takes from beside it; those of a folder. None where it holds them all."""
    if path.is_dir():
        return [child for child in sorted(path.iterdir()) if child.is_file() and not child.name.startswith(".")]
    question_set = _table_at(path)
    if question_set is None or question_set.lettered:
        return []
    return [path.parent / name for name in lacking(question_set.conversations or _of_table(question_set, path))]


def _table_at(path: Path) -> QuestionSet | None:
    """The set of a file with columns; None where there is none that can be read, which whoever reads it says."""
    try:
        return read_set(path) if is_table(path) else None
    except ConfigError:
        return None


def _of_table(question_set: QuestionSet, path: Path) -> ConversationSet:
    """Open questions in a table, each a conversation about the document that its row names."""
    records = records_at(path)
    names = [record.fields.get(DOCUMENT) for record in records] if len(records) == len(question_set.questions) else []
    conversations = []
    for question, name in zip_longest(question_set.questions, names):
        turn = Turn(id=question.id, question=question.question, ground_truth=question.truth or "")
        conversations.append(Conversation(id=question.id, turns=(turn,), document=name if isinstance(name, str) else ""))
    return ConversationSet(name=path.stem, conversations=tuple(conversations))


def _of_folder(question_set: QuestionSet, name: str) -> ConversationSet:
    ids = dict(zip(ids_of_names(question_set.documents), question_set.documents, strict=True)) or {"": ""}
    return ConversationSet(name=name, conversations=tuple(_conversations(question_set.questions, ids)))


def _conversations(questions: tuple[Sample, ...], documents: dict[str, str]) -> Iterator[Conversation]:
    for about, filename in documents.items():
        for question in questions:
            names = question.documents or tuple(documents)
            if about in names or filename in names:
                own = question.id if len(documents) == 1 else f"{about}/{question.id}"
                truth = question.document_truths.get(about, question.truth) or ""
                turn = Turn(id=own, question=question.question, ground_truth=truth)
                yield Conversation(id=own, turns=(turn,), document=filename)
