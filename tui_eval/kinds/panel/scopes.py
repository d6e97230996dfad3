"""Which question is asked of which document: the ids of documents, the scopes of questions, and the items that come of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Attachment
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import InputFile, Shape, Shapes
from tui_eval.core.samples import NO_DOCUMENT, Sample
from tui_eval.datasets.attachments import attachment_of
from tui_eval.kinds.panel.panel_table import Config, Question


def document_ids(documents: Sequence[InputFile]) -> list[str]:
    """A document's id is its name without suffix, with suffix where two share the stem."""
    stems = Counter(_stem(file.name).casefold() for file in documents)
    ids = [_stem(file.name) if stems[_stem(file.name).casefold()] == 1 else file.name for file in documents]
    twice = [name for name, n in Counter(name.casefold() for name in ids).items() if n > 1]
    if twice:
        raise ConfigError(f"panel.documents: more than one file named {twice[0]!r}; rename one")
    return ids


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name


def checked_scopes(questions: Sequence[str | Question], documents: Sequence[InputFile]) -> Mapping[int, Sequence[str]]:
    """The questions that are asked of some documents only, by their positions: the ids of these documents."""
    scoped = {}
    known = set(document_ids(documents))
    for index, question in enumerate(questions):
        if isinstance(question, Question) and (question.documents or question.document_truths):
            for name in (*question.documents, *question.document_truths):
                if name not in known:
                    raise ConfigError(
                        f"question {index + 1} ({question.question[:40]!r}): no document {name!r}; "
                        f"there are {', '.join(sorted(known)) or 'none'}"
                    )
            if question.documents:
                scoped[index] = question.documents
    return scoped


@dataclass(frozen=True, slots=True)
class _Document:
    """What is shown of one document in every item about it; without documents, nothing."""

    id: str
    block: str = ""
    shown: tuple[Attachment, ...] = ()


def _named(config: Config, files: Sequence[InputFile]) -> list[tuple[str, InputFile | None]]:
    """The documents by their ids; without any, one place for the questions by themselves."""
    by_path = {file.path: file for file in files}
    documents = [by_path[path] for path in config.documents]
    return [*zip(document_ids(documents), documents, strict=True)] or [(NO_DOCUMENT, None)]


def _document(config: Config, doc_id: str, file: InputFile | None) -> _Document:
    if file is None:
        return _Document(doc_id)
    attachment = attachment_of(file) if config.attach else None
    if attachment is not None:
        file = replace(file, mime=attachment.mime)  # what it is, not what its name says
    block = document_block(doc_id, file, attached=attachment is not None)
    return _Document(doc_id, block, () if attachment is None else (attachment,))


def items(config: Config, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Sample]:
    """Every pair of document and question within the question's scope, all in one lane; without documents, every question."""
    before = 0
    for doc_id, file in _named(config, files):
        document, positions = _document(config, doc_id, file), _positions(config, doc_id)
        yield from (_item(config, document, index) for index in positions[-before % step :: step])
        before += len(positions)


def _item(config: Config, document: _Document, index: int) -> Sample:
    question = config.questions[index]
    asked = question.question if isinstance(question, Question) else question
    payload = (asked, _truth(question, document.id), document.block, document.shown)
    return Sample(f"{document.id}/q{index}", doc_id=document.id, q_index=index, data=payload)


def _truth(question: str | Question, doc_id: str) -> str | None:
    """The right answer to a question about a document, where one is known."""
    return question.document_truths.get(doc_id, question.truth) if isinstance(question, Question) else None


def _positions(config: Config, doc_id: str) -> Sequence[int]:
    """Which questions are asked of a document."""
    every, scoped = range(len(config.questions)), config.scoped
    return [n for n in every if n not in scoped or doc_id in scoped[n]] if scoped else every


def shape(config: Config, item: Sample) -> bool:
    """Whether its answers go to the scorer: they do where a truth is known."""
    return not _asks_scorer(config) or item.data[1] is not None


def shapes(config: Config, files: Sequence[InputFile]) -> Shapes:
    """All in one lane; where a scorer grades, items with a truth are told from those without."""
    found: dict[Hashable, Shape] = {}
    for doc_id, file in _named(config, files):
        for key, positions in _by_shape(config, doc_id).items():
            known = found.get(key)
            first = known.first if known else _item(config, _document(config, doc_id, file), positions[0])
            found[key] = Shape(len(positions) + (known.n if known else 0), first)
    return {"": found} if found else {}


def _by_shape(config: Config, doc_id: str) -> dict[Hashable, Sequence[int]]:
    """Which questions are asked of a document, by their shape."""
    positions = _positions(config, doc_id)
    if not _asks_scorer(config):
        return {True: positions} if positions else {}
    graded = [index for index in positions if _truth(config.questions[index], doc_id) is not None]
    bare = len(positions) - len(graded)
    others = [index for index in positions if _truth(config.questions[index], doc_id) is None] if bare else []
    return {key: found for key, found in ((True, graded), (False, others)) if found}


def _asks_scorer(config: Config) -> bool:
    return config.benchmark is not None and config.benchmark.mode == "llm"


def document_block(doc_id: str, file: InputFile, attached: bool = False) -> str:
    """The document as it stands in a prompt (spec 003 §7). What is attached to the message is only named in it."""
    encoding, content = ("attached", "(attached to this message)") if attached else (file.encoding, file.content)
    return (
        f"[DOCUMENT]\ndoc_id: {doc_id}\nfilename: {file.name}\nmime: {file.mime}\nencoding: {encoding}\n"
        f"content:\n{content}\n[/DOCUMENT]\n\n"
    )
