"""The panel: doers answer, judges compare the answers, final judges write the one that is kept; then all are graded."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Discriminator, Field, PrivateAttr, Tag, model_validator

from tui_eval.asking import ask_twice
from tui_eval.attachments import attachment_of
from tui_eval.config import RunSettings, Strict
from tui_eval.datasets import AskedQuestion, questions_markdown
from tui_eval.errors import ConfigError
from tui_eval.prompts import fill
from tui_eval.reading import lines_of, same_text, zero_or_one
from tui_eval.stats import clustered_wilson
from tui_eval.types import (
    NO_DOCUMENT,
    About,
    Attachment,
    Call,
    Cell,
    Flow,
    InputFile,
    Item,
    Json,
    Kind,
    Message,
    ModelSpec,
    Reply,
    Row,
    RunDefaults,
    Score,
    Shown,
    Source,
    StageCount,
    Table,
)

# ---------------------------------------------------------------------------------------------------- config


class Question(Strict):
    """A question with its own truth and scope, as a dataset gives it."""

    question: Annotated[str, Field(min_length=1)]
    """The question, as the models are asked it."""
    truth: str | None = None
    """The right answer. Empty = none is known, and answers to it are not graded."""
    documents: list[str] = Field(default_factory=list)
    """Ids of the documents it is asked of (file names without suffix); empty = all."""
    document_truths: dict[str, str] = Field(default_factory=dict)
    """Right answers that hold for one document only: { "id of the document" = "answer" }. Empty = the truth holds for all."""


class ModelRow(Strict):
    """A model in a stage, asked `calls` times about each item."""

    model: Annotated[str, Field(json_schema_extra={"names": "model"})]
    """The model that is asked, by the name it has in this config or on file."""
    calls: Annotated[int, Field(ge=1, le=10_000)] = 1
    """How many times the model is asked about each item."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """The most one attempt may take, seconds. Empty = the model's own limit, else that of the run."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """How freely the model chooses its words: 0 is the steadiest. Empty = the model's own; without one, none is sent."""
    max_output_tokens: Annotated[int, Field(ge=0)] | None = None
    """The most tokens a reply may have, thinking included; 0 = no limit. Empty = the model's own limit, else that of the
    run."""
    model_id: str | None = None
    """The API's id of the model; filled in from [[models]], so leave it empty."""


class Scorer(ModelRow):
    """The model that compares an answer with the truth; its temperature is 0 unless switched off."""

    calls: Literal[1] = 1
    """Always 1: every answer is graded once."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely the scorer chooses its words; 0, unless set otherwise, so that it grades alike each time."""
    use_temperature: bool = True
    """Whether a temperature is sent to the scorer; switch it off for models that take none."""


class Benchmark(Strict):
    """How answers are compared with the truths."""

    mode: Literal["exact", "llm"]
    """exact: an answer is right where it equals the truth letter by letter, and it costs nothing. llm: a scorer model compares
    them, with one more call for each answer."""
    strip_whitespace: bool = True
    """Whether white space at the ends is left out of an exact comparison."""
    scorer: Scorer | None = None
    """The model that compares answers with the truths. Needed with mode = "llm"; else leave it out."""
    include_question: bool = False
    """Show the scorer the question, too."""


def _form(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<table>"


QuestionEntry = Annotated[Annotated[str, Tag("<text>")] | Annotated[Question, Tag("<table>")], Discriminator(_form)]
"""A question as text, or as a table with its own truth and scope."""


class Config(Strict):
    """The `[panel]` table."""

    questions: list[QuestionEntry] = []
    """What is asked, one question a line. A line such as { question = "...", truth = "..." } brings its own right answer.
    Empty = they are in questions_file or in the dataset."""
    questions_file: Annotated[str | None, Field(json_schema_extra={"names": "file"})] = None
    """A text file with one question a line, instead of questions. Empty = none."""
    documents: Annotated[list[str], Field(json_schema_extra={"names": "files"})] = []
    """The files that every question is asked of, one path or pattern (such as texts/*.md) a line. Empty = the questions are
    asked without a document."""
    truths: list[str] | None = None
    """The right answers, one a line, in the order of the questions. Empty = none, or they stand elsewhere."""
    truths_file: Annotated[str | None, Field(json_schema_extra={"names": "file"})] = None
    """A text file with one right answer a line, instead of truths. Empty = none."""
    dataset: Annotated[str | None, Field(json_schema_extra={"names": "folder"})] = None
    """A folder of documents with a Questions.md; stands for questions, truths and documents. Empty = none."""
    attach: bool = True
    """Show images and PDFs to the models as such; false: as base64 text in the prompt, like any other binary file."""
    send_doc_to_judges: bool = False
    """Whether judges see the document, too."""
    send_doc_to_final_judges: bool = False
    """Whether final judges see the document, too."""
    send_doer_responses_to_judges: bool = True
    """Whether judges see the doers' answers."""
    send_doer_outputs_to_final_judges: bool = True
    """Whether final judges see the doers' answers."""
    send_judge_outputs_to_final_judges: bool = True
    """Whether final judges see what the judges wrote."""
    doers: Annotated[list[ModelRow], Field(min_length=1)]
    """The models that answer each question; at least one."""
    judges: list[ModelRow] = []
    """The models that compare the doers' answers. Empty = nobody does."""
    finals: list[ModelRow] = []
    """The models that write the answer that is kept, from what doers and judges wrote. Empty = the doers' answers are kept."""
    benchmark: Benchmark | None = None
    """How answers are graded against the truths. Empty = nothing is graded."""
    prompts: dict[str, str] = {}
    """Prompts of this run's own, by name. Those that are left out are the ones in prompts/, else the shipped ones."""
    max_documents: Annotated[int, Field(ge=0, le=100_000)] = 10
    """How many documents there may be, so that a pattern does not match more than was meant."""
    max_document_bytes: Annotated[int, Field(ge=1, le=1024**3)] = 200 * 1024
    """How large a document may be, bytes."""
    max_rows: Annotated[int, Field(ge=1, le=10_000)] = 10
    """How many models a stage may have."""
    _scoped: Mapping[int, Sequence[str]] | None = PrivateAttr(None)

    @property
    def scoped(self) -> Mapping[int, Sequence[str]]:
        """The questions that are asked of some documents only, as settling found them: position, and ids of documents."""
        assert self._scoped is not None
        return self._scoped

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Config:
        given = [name for name in ("questions", "questions_file", "dataset") if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"give exactly one of questions, questions_file and dataset; found {found}")
        if self.dataset and (self.documents or self.truths is not None or self.truths_file):
            raise ValueError("dataset already brings documents and truths; leave out documents, truths, truths_file")
        if self.truths is not None and self.truths_file:
            raise ValueError("give truths or truths_file, not both")
        for stage in ("doers", "judges", "finals"):
            if len(getattr(self, stage)) > self.max_rows:
                raise ValueError(f"{len(getattr(self, stage))} {stage}; at most {self.max_rows} (max_rows raises it)")
        if self.benchmark and self.benchmark.mode == "llm" and self.benchmark.scorer is None:
            raise ValueError('benchmark.mode = "llm" needs benchmark.scorer = { model = "..." }')
        return self


PROMPTS: Mapping[str, tuple[str, ...]] = {
    "doer_system": (),
    "doer_user": ("question", "document"),
    "judge_system": (),
    "judge_user": ("question", "document", "doer_responses"),
    "final_system": (),
    "final_user": ("question", "document", "doer_responses", "judge_responses"),
    "scorer_system": (),
    "scorer_user": ("question", "truth", "answer"),
    "scorer_reminder": (),
}
MAX_LIST_BYTES = 16 * 1024 * 1024


def sources(config: Config) -> list[Source]:
    """The files that the config names."""
    limit = config.max_document_bytes
    found = [Source("document", pattern, f"panel.documents[{i}]", limit) for i, pattern in enumerate(config.documents)]
    if config.questions_file:
        found.append(Source("questions", config.questions_file, "panel.questions_file", MAX_LIST_BYTES))
    if config.truths_file:
        found.append(Source("truths", config.truths_file, "panel.truths_file", MAX_LIST_BYTES))
    if config.dataset:
        found.append(Source("dataset", config.dataset, "panel.dataset", limit, folder=True))
    return found


def settle(config: Config, files: Sequence[InputFile], models: Mapping[str, ModelSpec], run: RunSettings) -> Config:
    """Questions, truths and documents read from their files; rows with every default filled in."""
    questions, documents = _questions_and_documents(config, files)
    if len(documents) > config.max_documents:
        raise ConfigError(
            f"panel.documents: {len(documents)} files; at most {config.max_documents} (panel.max_documents raises it)"
        )
    may_be_scoped = bool(config.dataset) or any(isinstance(question, Question) for question in config.questions)
    scoped = _checked_scopes(questions, documents) if may_be_scoped else {}
    benchmark = config.benchmark
    if benchmark and not any(isinstance(q, Question) and (q.truth is not None or q.document_truths) for q in questions):
        raise ConfigError("panel.benchmark: needs truths; give panel.truths, panel.truths_file, or answers in the dataset")
    if benchmark and benchmark.scorer and benchmark.mode == "llm":
        scorer = _settled(benchmark.scorer, models, run)
        if not scorer.use_temperature:
            scorer = scorer.model_copy(update={"temperature": None})
        benchmark = benchmark.model_copy(update={"scorer": scorer})
    settled = config.model_copy(
        update={
            "questions": questions,
            "documents": [file.path for file in documents],
            "questions_file": None,
            "truths_file": None,
            "truths": None,
            "dataset": None,
            "doers": [_settled(row, models, run) for row in config.doers],
            "judges": [_settled(row, models, run) for row in config.judges],
            "finals": [_settled(row, models, run) for row in config.finals],
            "benchmark": benchmark,
        }
    )
    settled._scoped = scoped
    return settled


def _questions_and_documents(config: Config, files: Sequence[InputFile]) -> tuple[list[str | Question], list[InputFile]]:
    documents = [file for file in files if file.role == "document"]
    if config.dataset:
        lists = [file for file in files if file.role == "dataset" and file.name.lower() == "questions.md"]
        if not lists:
            raise ConfigError(f"panel.dataset: {config.dataset!r} has no Questions.md")
        documents = [file for file in files if file.role == "dataset" and file is not lists[0]]
        return [*_of_dataset(_text_of(lists[0]), lists[0].name)], documents
    questions = list(config.questions)
    for file in files:
        if file.role == "questions":
            questions = [*_lines(_text_of(file))]
    questions = [q.strip() if isinstance(q, str) else q for q in questions]
    questions = [q for q in questions if q]
    if not questions:
        raise ConfigError("panel.questions: no questions; write one per line")
    truths = config.truths
    for file in files:
        if file.role == "truths":
            truths = [*_lines(_text_of(file))]
    return _with_truths(questions, truths), documents


def _with_truths(questions: list[str | Question], truths: list[str] | None) -> list[str | Question]:
    if truths is None:
        return questions
    if len(truths) != len(questions):
        raise ConfigError(
            f"panel.truths: {len(truths)} truths for {len(questions)} questions; there must be one for each. "
            f"First questions: {_first(questions)}; first truths: {_first(truths)}"
        )
    bare = [question for question in questions if isinstance(question, str)]
    if len(bare) == len(questions):
        return [*_tables(tuple(bare), tuple(truths))]
    tables = [Question(question=q) if isinstance(q, str) else q for q in questions]
    return [table.model_copy(update={"truth": truth}) for table, truth in zip(tables, truths, strict=True)]


# A config that is being put together is settled again at every change: what rests on the same texts is made once.


@lru_cache(maxsize=4)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(lines_of(text))


@lru_cache(maxsize=2)
def _tables(questions: tuple[str, ...], truths: tuple[str, ...]) -> tuple[Question, ...]:
    return tuple(Question(question=question, truth=truth) for question, truth in zip(questions, truths, strict=True))


@lru_cache(maxsize=2)
def _of_dataset(text: str, name: str) -> tuple[Question, ...]:
    return tuple(_from_dataset(question) for question in questions_markdown(text, name))


def _first(entries: Sequence[str | Question]) -> str:
    return ", ".join(repr((e if isinstance(e, str) else e.question)[:40]) for e in entries[:5])


def _from_dataset(asked: AskedQuestion) -> Question:
    return Question(
        question=asked.question,
        truth=asked.truth,
        documents=asked.documents,
        document_truths=asked.document_truths,
    )


def _checked_scopes(questions: Sequence[str | Question], documents: Sequence[InputFile]) -> Mapping[int, Sequence[str]]:
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


def _text_of(file: InputFile) -> str:
    if file.encoding != "utf-8":
        raise ConfigError(f"{file.name}: not UTF-8; save it as UTF-8 text")
    return file.content.removeprefix("\ufeff")


AnyRow = TypeVar("AnyRow", bound=ModelRow)


def _settled(row: AnyRow, models: Mapping[str, ModelSpec], run: RunSettings) -> AnyRow:
    spec = models[row.model]
    limit = row.max_output_tokens
    if limit is None:
        limit = run.max_output_tokens if spec.max_output_tokens is None else spec.max_output_tokens
    return row.model_copy(
        update={
            "model_id": spec.model,
            "timeout_s": row.timeout_s or spec.timeout_s or run.timeout_s,
            "temperature": spec.temperature if row.temperature is None else row.temperature,
            "max_output_tokens": limit,
        }
    )


def stages(config: Config) -> dict[str, list[ModelRow]]:
    """The answering stages that have models, in the order they are asked."""
    found = {"doer": config.doers, "judge": config.judges, "final": config.finals}
    return {stage: rows for stage, rows in found.items() if rows}


def models(config: Config) -> list[str]:
    """Names of the models it uses, each once."""
    rows = [row for rows in stages(config).values() for row in rows]
    if config.benchmark and config.benchmark.scorer and config.benchmark.mode == "llm":
        rows.append(config.benchmark.scorer)
    return list(dict.fromkeys(row.model for row in rows))


def only_models(config: Config, names: Sequence[str]) -> Config:
    """The config with the rows of these models only; the scorer stays."""
    named = {row.model for rows in stages(config).values() for row in rows}
    unknown = [name for name in names if name not in named]
    if unknown:
        raise ConfigError(f"--models: no row has a model {unknown[0]!r}; there are {', '.join(sorted(named))}")
    kept = {stage: [row for row in getattr(config, stage) if row.model in names] for stage in ("doers", "judges", "finals")}
    if not kept["doers"]:
        raise ConfigError(f"--models {','.join(names)}: no doer is left")
    return config.model_copy(update=kept)


# ---------------------------------------------------------------------------------------------------- items


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


def items(config: Config, files: Sequence[InputFile], lane: str | None = None, step: int = 1) -> Iterator[Item]:
    """Every pair of document and question within the question's scope, all in one lane; without documents, every question."""
    before = 0
    by_path = {file.path: file for file in files}
    documents: list[InputFile] = [by_path[path] for path in config.documents]
    named: list[tuple[str, InputFile | None]] = [*zip(document_ids(documents), documents, strict=True)] or [(NO_DOCUMENT, None)]
    for doc_id, file in named:
        attachment = attachment_of(file) if file is not None and config.attach else None
        shown = () if attachment is None else (attachment,)
        if file is not None and attachment is not None:
            file = replace(file, mime=attachment.mime)  # what it is, not what its name says
        block = "" if file is None else document_block(doc_id, file, attached=attachment is not None)
        positions = _positions(config, doc_id)
        for index in positions[-before % step :: step]:
            question = config.questions[index]
            asked = Question(question=question) if isinstance(question, str) else question
            truth = asked.document_truths.get(doc_id, asked.truth)
            yield Item(f"{doc_id}/q{index}", doc_id=doc_id, q_index=index, payload=(asked.question, truth, block, shown))
        before += len(positions)


def _positions(config: Config, doc_id: str) -> Sequence[int]:
    """Which questions are asked of a document."""
    every, scoped = range(len(config.questions)), config.scoped
    return [n for n in every if n not in scoped or doc_id in scoped[n]] if scoped else every


def sizes(config: Config, files: Sequence[InputFile]) -> Mapping[str, int]:
    """How many items there are, all in one lane."""
    by_path = {file.path: file for file in files}
    named = document_ids([by_path[path] for path in config.documents]) or [NO_DOCUMENT]
    every = sum(len(_positions(config, doc_id)) for doc_id in named)
    return {"": every} if every else {}


def document_block(doc_id: str, file: InputFile, attached: bool = False) -> str:
    """The document as it stands in a prompt (spec 003 §7). What is attached to the message is only named in it."""
    encoding, content = ("attached", "(attached to this message)") if attached else (file.encoding, file.content)
    return (
        f"[DOCUMENT]\ndoc_id: {doc_id}\nfilename: {file.name}\nmime: {file.mime}\nencoding: {encoding}\n"
        f"content:\n{content}\n[/DOCUMENT]\n\n"
    )


def count(config: Config, n_items: Mapping[str, int]) -> list[StageCount]:
    """Planned calls by stage and model: items x calls of each row, and as many again to score them (spec 003 §11)."""
    every = sum(n_items.values())
    counts: Counter[tuple[str, str]] = Counter()
    for stage, rows in stages(config).items():
        for row in rows:
            counts[stage, row.model] += every * row.calls
    found = [StageCount(stage, model, calls) for (stage, model), calls in counts.items()]
    if config.benchmark and config.benchmark.mode == "llm" and config.benchmark.scorer:
        total = sum(counts.values())
        found.append(StageCount("scorer", config.benchmark.scorer.model, total, up_to=total))
    return found


def labels(config: Config) -> Mapping[str, Json]:
    """The factors of the call formula (spec 003 §11)."""
    rows = stages(config)
    per_stage = {f"{stage}_n": sum(row.calls for row in rows.get(stage, [])) for stage in ("doer", "judge", "final")}
    return {"documents": max(1, len(config.documents)), "questions": len(config.questions), **per_stage}


# ---------------------------------------------------------------------------------------------------- flow


def flow(config: Config, item: Item) -> Flow:
    """Doers, judges, final judges, one after the other; within a stage all at once. Then every answer is graded."""
    answers = yield [_doer(config, item, row, n) for row, n in _numbered(config.doers)]
    verdicts: Sequence[Reply] = []
    if config.judges:
        verdicts = yield [_judge(config, item, row, n, answers) for row, n in _numbered(config.judges)]
    finals: Sequence[Reply] = []
    if config.finals:
        finals = yield [_final(config, item, row, n, answers, verdicts) for row, n in _numbered(config.finals)]
    return (yield from _graded(config, item, [*answers, *verdicts, *finals]))


def _numbered(rows: Sequence[ModelRow]) -> Iterator[tuple[ModelRow, int]]:
    """Each row once per call, with the index of the call among those of the same API model in this stage."""
    used: Counter[str] = Counter()
    for row in rows:
        for _ in range(row.calls):
            yield row, used[row.model_id or row.model]
            used[row.model_id or row.model] += 1


# ---------------------------------------------------------------------------------------------------- calls


def _doer(config: Config, item: Item, row: ModelRow, index: int) -> Call:
    question, _, block, shown = item.payload
    user = fill(config.prompts["doer_user"], {"question": question, "document": block})
    example = "A short answer to the question, in one or two sentences."
    return _call(config, "doer", item, row, index, user, example, shown=shown)


def _judge(config: Config, item: Item, row: ModelRow, index: int, answers: Sequence[Reply]) -> Call:
    question, _, block, shown = item.payload
    slots = {
        "question": question,
        "document": block if config.send_doc_to_judges else "",
        "doer_responses": _responses("DOER", answers, config) if config.send_doer_responses_to_judges else "",
    }
    follows = tuple(answers) if config.send_doer_responses_to_judges else ()
    user = fill(config.prompts["judge_user"], slots)
    example = "The best answer is the first: it is correct and complete. The second leaves out half of what was asked."
    return _call(config, "judge", item, row, index, user, example, follows, shown=shown if config.send_doc_to_judges else ())


def _final(config: Config, item: Item, row: ModelRow, index: int, answers: Sequence[Reply], verdicts: Sequence[Reply]) -> Call:
    question, _, block, shown = item.payload
    sends_answers = config.send_doer_outputs_to_final_judges
    sends_verdicts = bool(verdicts) and config.send_judge_outputs_to_final_judges
    slots = {
        "question": question,
        "document": block if config.send_doc_to_final_judges else "",
        "doer_responses": _responses("DOER", answers, config) if sends_answers else "",
        "judge_responses": _responses("JUDGE", verdicts, config) if sends_verdicts else "",
    }
    follows = (*(answers if sends_answers else ()), *(verdicts if sends_verdicts else ()))
    user = fill(config.prompts["final_user"], slots)
    example = "The final answer, in one or two sentences."
    sees_document = config.send_doc_to_final_judges
    return _call(config, "final", item, row, index, user, example, follows, shown=shown if sees_document else ())


def _responses(heading: str, replies: Sequence[Reply], config: Config) -> str:
    """The valid texts of a stage, each behind a label that names stage, model id and call index."""
    ids = _model_ids(config)
    stage = heading.lower()
    entries = [f"- [{stage}:{ids[r.call.model]}#{r.call.call_index}] {r.text}" for r in replies if r.ok]
    return f"{heading} RESPONSES:\n" + "\n\n".join(entries) + "\n\n" if entries else ""


def _model_ids(config: Config) -> dict[str, str]:
    return {row.model: row.model_id or row.model for rows in stages(config).values() for row in rows}


def _call(
    config: Config,
    stage: str,
    item: Item,
    row: ModelRow,
    index: int,
    user: str,
    example: str,
    follows: tuple[Reply, ...] = (),
    about: str = "",
    shown: tuple[Attachment, ...] = (),
) -> Call:
    return Call(
        stage,
        item.id,
        row.model,
        (Message("system", config.prompts[f"{stage}_system"]), Message("user", user.strip(), shown)),
        call_index=index,
        about=about,
        temperature=row.temperature,
        max_output_tokens=row.max_output_tokens or None,
        timeout_s=row.timeout_s or 60.0,
        follows=follows,
        example=example,
    )


# ---------------------------------------------------------------------------------------------------- scores

EXACT = "exact/1"
LLM = "llm/1"
NO_TRUTH = "no truth for this question"


def _graded(config: Config, item: Item, replies: Sequence[Reply]) -> Flow:
    """One score per answer, whatever happened to it: 1, 0, or None with the reason."""
    benchmark = config.benchmark
    if benchmark is None:
        return []
    truth = item.payload[1]
    if truth is None:
        return [_score(reply, None, NO_TRUTH, benchmark) for reply in replies]
    if benchmark.mode == "exact":
        return [_exact(reply, truth, benchmark) for reply in replies]
    valid = [reply for reply in replies if reply.ok]
    calls = [_scorer(config, item, reply, truth, n) for n, reply in enumerate(valid)]
    graded = yield from ask_twice(calls, zero_or_one, config.prompts["scorer_reminder"])
    verdicts = {id(reply): verdict for reply, verdict in zip(valid, graded, strict=True)}
    scores = []
    for reply in replies:
        value, grade = verdicts.get(id(reply), (None, reply))
        why = "" if value is not None else f"no reply: {reply.why}" if not reply.ok else _why_ungraded(grade)
        scores.append(_score(reply, value, why, benchmark))
    return scores


def _why_ungraded(grade: Reply) -> str:
    if grade.ok:
        return "scorer unparsed"
    unsent = grade.status == "skipped_budget" or grade.error_kind in ("not_sent", "cancelled")
    return f"not scored: {grade.why}" if unsent else f"scorer failed: {grade.why}"


def _exact(reply: Reply, truth: str, benchmark: Benchmark) -> Score:
    if not reply.ok or reply.text is None:
        return _score(reply, None, f"no reply: {reply.why}", benchmark)
    return _score(reply, int(same_text(reply.text, truth, benchmark.strip_whitespace)), "", benchmark)


def _score(reply: Reply, value: float | None, why: str, benchmark: Benchmark) -> Score:
    version = LLM if benchmark.mode == "llm" else EXACT
    return Score(reply.call.stage, reply.call.model, reply.call.call_index, "correct", value, why, version)


def _scorer(config: Config, item: Item, reply: Reply, truth: str, index: int) -> Call:
    assert config.benchmark is not None
    assert config.benchmark.scorer is not None
    question = f"QUESTION: {item.payload[0]}\n\n" if config.benchmark.include_question else ""
    user = fill(config.prompts["scorer_user"], {"question": question, "truth": truth, "answer": reply.text or ""})
    about = f"{reply.call.stage}:{reply.call.model}#{reply.call.call_index}"
    return _call(config, "scorer", item, config.benchmark.scorer, index, user, "1", (reply,), about)


# ---------------------------------------------------------------------------------------------------- report


def result(config: Config, row: Row) -> Json:
    """An item of results.json (spec 003 §12.4), with its scores."""
    ids = _model_ids(config)
    scored = {(s.stage, s.model, s.call_index): s for s in row.scores}

    def shown(reply: Reply) -> Json:
        call = reply.call
        entry = {
            "model_id": ids.get(call.model, call.model),
            "model": call.model,
            "call_index": call.call_index,
            "text": reply.text,
            "status": reply.status,
            "why": reply.why,
            "finish_reason": reply.finish_reason,
        }
        score = scored.get((call.stage, call.model, call.call_index))
        return entry if score is None else {**entry, "correct": score.value, "correct_why": score.why}

    by_stage = {stage: [shown(r) for r in row.replies if r.call.stage == stage] for stage in ("doer", "judge", "final")}
    return {
        "item_id": row.item.id,
        "doc_id": row.item.doc_id,
        "q_index": row.item.q_index,
        "repeat": row.item.repeat,
        "question": row.item.payload[0],
        "truth": row.item.payload[1],
        "finished": row.finished,
        "doers": by_stage["doer"],
        "judges": by_stage["judge"],
        "finals": by_stage["final"],
        "primary_outputs": by_stage["final"] if config.finals else by_stage["doer"],
    }


def shown(config: Config, row: Row) -> Shown:
    """The question, its truth, and the answers that are kept: the final judges', else the doers'."""
    item, stage = row.item, "final" if config.finals else "doer"
    return Shown(
        question=item.payload[0],
        truth=item.payload[1],
        primary=tuple(n for n, reply in enumerate(row.replies) if reply.call.stage == stage),
        groups={} if item.doc_id == NO_DOCUMENT else {"document": (item.doc_id,)},
    )


JUDGES = "\nA judge's row: how often its text agrees with the truth, not how well it judges."
MEANING = {"doer": "answer agrees with truth", "judge": "text agrees with truth", "final": "answer agrees with truth"}


class _Answers:
    """Counts of one stage and model, and of each question what was scored: several answers to it are one cluster."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.correct = array("I")
        self.scored = array("I")

    def add(self, score: Score, position: int) -> None:
        while len(self.scored) <= position:
            self.scored.append(0)
            self.correct.append(0)
        self.counts["total"] += score.why != NO_TRUTH
        if score.value is None:
            self.counts[score.why.split(":")[0]] += 1
            return
        self.counts["scored"] += 1
        self.counts["correct"] += int(score.value)
        self.scored[position] += 1
        self.correct[position] += int(score.value)


class AccuracyReport:
    """Accuracy per stage and model: over the answers that were scored, with everything that was not counted beside it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.answers = {(stage, row.model): _Answers() for stage, rows in stages(config).items() for row in rows}
        self._repeat = 0
        self._position = -1

    def add(self, row: Row) -> None:
        """Count one item's scores. Items come in the same order in every repeat."""
        self._position = self._position + 1 if row.item.repeat == self._repeat else 0
        self._repeat = row.item.repeat
        for score in row.scores:
            self.answers[score.stage, score.model].add(score, self._position)

    def tables(self) -> Mapping[str, Table]:
        """accuracy: one row per stage and model. Nothing without a benchmark."""
        if self.config.benchmark is None:
            return {}
        ids = _model_ids(self.config)
        rows = tuple(_accuracy_row(stage, model, ids[model], a) for (stage, model), a in self.answers.items())
        by = {"exact": "Exact match.", "llm": "Compared by the scorer model."}[self.config.benchmark.mode]
        note = f"{by} n = answers scored; interval: Wilson." + (JUDGES if self.config.judges else "")
        if any(sum(a.scored) > sum(1 for n in a.scored if n) for a in self.answers.values()):
            note += "\nSeveral answers to one question count as one cluster in the interval."
        keys, rests_on = (
            ("stage", "model", "model_id"),
            tuple({"stage": stage, "model": model} for stage, model in self.answers),
        )
        return {"accuracy": Table("Accuracy by stage and model", ACCURACY_COLUMNS, rows, note, keys, rests_on)}

    def headline(self) -> Sequence[Table]:
        """The accuracy table in short: estimate, interval, n, and what was not counted."""
        return [_short(table) for table in self.tables().values()]

    def files(self, about: About) -> Mapping[str, Json]:
        """The panel has no files but its tables."""
        return {}


def _accuracy_row(stage: str, model: str, model_id: str, answers: _Answers) -> tuple[Cell, ...]:
    n = answers.counts
    scored, correct, total = n["scored"], n["correct"], n["total"]
    low, high, effective = clustered_wilson(answers.correct, answers.scored) or (None, None, None)
    return (
        Cell(stage),
        Cell(model),
        Cell(model_id),
        Cell(MEANING[stage]),
        Cell(total),
        Cell(total - n["no reply"]),
        Cell(scored),
        Cell(correct),
        Cell(correct / scored if scored else None, scored, low, high, "correct / scored"),
        Cell(low),
        Cell(high),
        Cell(sum(1 for size in answers.scored if size)),
        Cell(None if effective is None else round(effective, 3)),
        Cell(n["scorer unparsed"]),
        Cell(n["scorer failed"]),
        Cell(n["not scored"]),
        Cell(n["no reply"]),
        Cell(n[NO_TRUTH]),
        Cell(correct / total if total else None, total, formula="correct / total"),
        Cell((correct + total - scored) / total if total else None, total, formula="(correct + missing) / total"),
    )


MISSING = {
    "n_scorer_unparsed": "unparsed",
    "n_scorer_failed": "scorer failed",
    "n_not_scored": "unscored",
    "n_no_reply": "no reply",
    "n_no_truth": "no truth",
}


def _short(table: Table) -> Table:
    """Names, the estimate with its interval and n, and what was not counted, as text."""
    at = {name: i for i, name in enumerate(table.columns)}
    clustered = any(row[at["n_questions"]].value != row[at["n_scored"]].value for row in table.rows)
    rows = []
    for row in table.rows:
        counts = [f"{row[at[name]].value} {word}" for name, word in MISSING.items() if row[at[name]].value]
        names = [str(row[at[name]].value) for name in ("stage", "model")]
        questions = [str(row[at["n_questions"]].value)] if clustered else []
        rows.append((*map(Cell, names), *_estimate(row[at["accuracy"]]), *map(Cell, (*questions, ", ".join(counts) or "-"))))
    columns = ("stage", "model", "accuracy", "95 % interval", "n", *(["questions"] if clustered else []), "not counted")
    return Table(table.title, columns, tuple(rows), table.note, rests_on=table.rests_on)


def _estimate(cell: Cell) -> list[Cell]:
    """Estimate, interval and n as text; the estimate can still be opened."""
    if not isinstance(cell.value, float) or cell.low is None or cell.high is None:
        return [replace(cell, value="-"), Cell("-"), Cell(str(cell.n))]
    interval = f"[{100 * cell.low:.1f}, {100 * cell.high:.1f}]"
    return [replace(cell, value=f"{100 * cell.value:.1f} %"), Cell(interval), Cell(str(cell.n))]


ACCURACY_COLUMNS = (
    "stage",
    "model",
    "model_id",
    "meaning",
    "n_total",
    "n_replies",
    "n_scored",
    "n_correct",
    "accuracy",
    "ci_low",
    "ci_high",
    "n_questions",
    "n_effective",
    "n_scorer_unparsed",
    "n_scorer_failed",
    "n_not_scored",
    "n_no_reply",
    "n_no_truth",
    "accuracy_strict",
    "accuracy_best_case",
)


PANEL = Kind(
    name="panel",
    Config=Config,
    defaults=RunDefaults(max_calls=100, retries=0, timeout_s=60.0, max_output_tokens=200, backoff="linear"),
    stages=("doer", "judge", "final", "scorer"),
    prompts=PROMPTS,
    sources=sources,
    settle=settle,
    items=items,
    sizes=sizes,
    flow=flow,
    models=models,
    only_models=only_models,
    labels=labels,
    count=count,
    result=result,
    shown=shown,
    report=AccuracyReport,
)
