"""From the `[qa]` table to what is asked: the set's rows read and checked, prompts with their slots, solved samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from pydantic import ValidationError

from tui_eval.core.calls import Attachment, Json, Message, Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.plaintext import one_line
from tui_eval.core.record_class import record
from tui_eval.core.units import digest
from tui_eval.datasets.column_roles import ColumnRoles, column_roles
from tui_eval.datasets.document_blocks import Document, document_ids, document_of
from tui_eval.datasets.field_values import FieldError, enumerated, file_names, is_blank, list_in_cell, short_value, with_numbers
from tui_eval.datasets.parsing import Gathered, Record
from tui_eval.datasets.questions import is_set_list
from tui_eval.datasets.shapes.any_columns import sample_records
from tui_eval.datasets.shapes.target_values import as_text, targets_at
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.judge_attacks import all_of
from tui_eval.evaluation.judging.judge_panel import drawn_twice, own_family
from tui_eval.evaluation.judging.own_rubrics import NO_RUBRICS, RubricForm
from tui_eval.evaluation.judging.rubric_judging import RubricJudging
from tui_eval.evaluation.sample_queues import sample_id
from tui_eval.evaluation.scorers import Scorers
from tui_eval.evaluation.scoring.rule import ScorerRow
from tui_eval.evaluation.scoring.sample_scorers import own_rules, scorers_of, with_samples
from tui_eval.kinds.qa.table import STAGE, Prompt, PromptMessage, QaConfig, Speaker
from tui_eval.reading.json_paths import path_problem
from tui_eval.reading.prompts import Template, template_of
from tui_eval.statistics.estimates import shuffled
from tui_eval.workspace.validation import nearest

_QUESTION = "{question}"
_OF_JUDGES = {name: name for name in ("judge_system", "reminder")}
RUBRICS = RubricForm(("judge", "metrics"), (), frozenset({"document", "target"}), beside=_OF_JUDGES)
"""Rubrics of a person's own, by which the key judge has answers scored."""
Turns = tuple[tuple[Speaker, Template], ...]
"""Role and text of the messages of a prompt."""


@record
class Row:
    """A sample of the set."""

    id: str
    values: Mapping[str, str]
    """What stands in the columns that prompts have slots for."""
    turns: Mapping[str, Turns]
    """The messages that its own columns hold, by column."""
    expected: Expected
    group: str = ""
    scorers: tuple[ScorerRow, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    item: str = ""
    """A digest of what it brings, whatever prompts show of it."""
    question: str = ""
    """What its column of questions says; empty where there is none."""
    context: str = ""
    """What its prompts show of documents, for judges."""

    @property
    def truth(self) -> str | None:
        """The expected answer, for people."""
        targets = self.expected.targets
        return None if targets is None else "; ".join(targets) or "no answer is the right one"


@dataclass(frozen=True, slots=True)
class Asking:
    """A prompt, its slots found."""

    name: str
    turns: Turns
    column: str | None

    def messages(self, row: Row) -> tuple[Message, ...]:
        """Its messages about a row, what is attached with the last."""
        turns = (*self.turns, *(row.turns[self.column] if self.column else ()))
        *before, (role, template) = turns
        last = Message(role, template.filled(row.values).strip(), row.attachments)
        return (*(Message(role, template.filled(row.values).strip()) for role, template in before), last)


@dataclass(frozen=True, slots=True, kw_only=True)
class QaTask(Task):
    """Rows and prompts, read."""

    config: QaConfig
    rows: Sequence[Row]
    askings: Sequence[Asking]
    pool: Sequence[Row]
    """Solved samples to show, in the order in which they are taken."""
    judging: RubricJudging | None = None
    """The judges of the answers; judged twice are those of (model, id of the sample)."""
    prices: Mapping[str, Price | None] = field(default_factory=dict)
    """Of the models, where judges are asked."""
    max_concurrency: int | None = None


def resolve(config: QaConfig, inputs: Inputs) -> QaTask:
    """Everything read and checked."""
    records = _records(inputs, "dataset")
    columns = dict.fromkeys(chain.from_iterable(record.fields for record in records))
    roles = column_roles(records)
    warnings, config = _found_by_name(config, roles), _settled(config, roles)
    for name in ("id", "group", "documents", "images", "target"):
        _check_column(f"qa.{name}", getattr(config, name) or None, columns, is_path=name == "target")
    askings = [_asking(n, prompt, columns) for n, prompt in enumerate(config.prompts)]
    by_id = dict(zip(document_ids(documents := inputs.of("document"), "qa.files"), documents, strict=True))
    files = {**by_id, **{file.name: file for file in documents}}
    own_id = "id" if config.id is None and "id" in columns else config.id
    of_all = [file.name for file in documents] if is_set_list(inputs.one("dataset").name) else []
    scored = (own_id, config.target or None, inputs.scorers.rows)
    reader = _RowReader(config, askings, files, of_all, columns, roles.question, *scored)
    rows = reader.rows(_numbered(records, [*map(int, config.rows)]))
    scorers = with_samples(inputs.scorers, (row.scorers for row in rows), inputs.keys["dataset"])
    wants = _wants_target(scorers, config, roles, columns)
    judging = _judging(config, inputs, askings, rows)
    judges, rubrics = (judging.judges, judging.rubrics) if judging else ((), NO_RUBRICS)
    warnings += own_family(judges, inputs.asked[STAGE])
    compares = bool(wants) or bool(inputs.scorers.by_code) or any("truth" in rubric.slots for rubric in rubrics.values())
    return QaTask(
        config=config,
        asked={**inputs.asked, "judge": judges} if judges else inputs.asked,
        rows=rows,
        askings=askings,
        pool=_pool(config, reader, rows, inputs),
        scorers=scorers,
        warnings=(*warnings, *_notes(config, askings, compares)),
        rubrics=rubrics,
        attacks=all_of(judging.attacks(inputs.attacks())) if judging else None,
        judging=judging,
        prices={name: spec.price for name, spec in inputs.models.items()},
        max_concurrency=inputs.run.max_concurrency,
    )


def _wants_target(scorers: Scorers, config: QaConfig, roles: ColumnRoles, columns: Collection[str]) -> str | None:
    """Return the first scorer that compares with a target. ConfigError where there is one, and no target is named."""
    wants = next((row.use for row in scorers.every if row.wants_target), None)
    if wants and not config.target:
        doubt = f"{roles.target_doubt}; " if roles.target_doubt else ""
        remedy = f'{doubt}name the column with the right answer, as in target = "answer" (there are {enumerated(columns)})'
        raise ConfigError(f"qa.target: is missing; {remedy}; {wants} compares with it")
    return wants


def _judging(
    config: QaConfig, inputs: Inputs, askings: Sequence[Asking], rows: Sequence[Row]
) -> RubricJudging | None:  # fmt: skip
    """The judges of the answers, with their limits; None where the config names none."""
    table = config.judge
    if table is None:
        return None
    answers = [
        (model.name, sample_id(model.name, asking.name, row.id))
        for model in inputs.asked[STAGE]
        for row in rows
        for asking in askings
    ]
    twice = drawn_twice(answers, table.duplicates, inputs.run.seed)
    rubrics, judges = RUBRICS.rubrics(table.metrics, table.prompts, "qa"), table.asked(inputs.asked["judge"])
    return RubricJudging.of(RUBRICS, rubrics, judges, table.prompts, table.frames, inputs.run.seed, twice)


def _notes(config: QaConfig, askings: Sequence[Asking], compares: bool) -> Iterator[str]:
    """Yield what a person may not have meant. `compares`: whether a scorer compares with a target."""
    if config.target and not compares:
        yield "qa.target: targets are given, but nothing compares replies with them; name scorers"
    names = [each.name for each in askings if any(config.target in template.columns for _, template in each.turns)]
    if names:
        column = one_line(str(config.target), 60)
        yield f"qa.prompts: {', '.join(names)}: shows {column}, the target, so models see the right answer"
    if config.fewshot and config.fewshot_from == config.dataset:
        yield "qa.fewshot_from: is the set itself, so the right answer of one question is shown with others"


def _settled(config: QaConfig, roles: ColumnRoles) -> QaConfig:
    """The table as a run keeps it: with what the columns' names tell, so that no later version finds anything else."""
    usual = {"text": roles.prompt or _QUESTION}
    prompts = [each if each.text or each.messages or each.column else each.model_copy(update=usual) for each in config.prompts]
    return config.model_copy(update={"prompts": prompts, "target": roles.target if config.target is None else config.target})


def _found_by_name(config: QaConfig, roles: ColumnRoles) -> list[str]:
    """Return the notes on what was taken of the set's columns where the config names none, and how to say otherwise."""
    is_default = any(not (each.text or each.messages or each.column) for each in config.prompts)
    parts = [f"the prompt is {roles.prompt!r} (qa.prompts)"] if is_default and roles.context and roles.prompt else []
    parts += [f"the target is {roles.target} (qa.target)"] if roles.target and config.target is None else []
    notes = [f"by the names of the set's columns {' and '.join(parts)}"] if parts else []
    if roles.group and not config.group:
        notes.append(f"samples with one {roles.group} are not independent evidence: qa.group = {roles.group!r} allows for it")
    return notes


def _pool(config: QaConfig, reader: _RowReader, rows: Sequence[Row], inputs: Inputs) -> list[Row]:
    """The solved samples to choose from, in the order that the run's seed decides."""
    if not config.fewshot:
        return []
    every = rows if config.fewshot_from == config.dataset else reader.rows(_numbered(_records(inputs, "fewshot_from")))
    solved = [row for row in every if row.expected.targets]
    if len(solved) < config.fewshot:
        problem = f"{config.fewshot} examples are needed, and the file has {len(solved)} with a target"
        raise ConfigError(f"qa.fewshot: {problem}; lower it, or name a longer file in fewshot_from")
    return [solved[n] for n in shuffled(len(solved), "fewshot", inputs.run.seed)]


def _records(inputs: Inputs, role: str) -> list[Record]:
    """The rows of a file, whatever their columns are."""
    key, file = inputs.keys[role], inputs.one(role)
    return sample_records(inputs.text(role), file.name, f"{key}: {file.name}")


def _numbered(records: Sequence[Record], rows: Sequence[int] = ()) -> list[tuple[int, Record]]:
    """The records that are asked, each with its number in the file. ConfigError for a number that none has."""
    if beyond := next((n for n in rows if n > len(records)), 0):
        raise ConfigError(f"qa.rows: there is no row {beyond:,}: the set has {len(records):,}")
    return [(n, records[n - 1]) for n in rows or range(1, len(records) + 1)]


def _check_column(key: str, name: str | None, columns: Collection[str], is_path: bool = False) -> None:
    if name is None or name in columns:
        return
    if not is_path or path_problem(name) or not any(name.startswith((f"{each}.", f"{each}[")) for each in columns):
        raise ConfigError(f"{key}: the set has no column {name!r}{nearest(name, columns)}")


def _asking(n: int, prompt: Prompt, columns: Collection[str]) -> Asking:
    """A prompt, its slots held against the columns."""
    key = f"qa.prompts[{n}]"
    _check_column(f"{key}.column", prompt.column, columns)
    texts: list[tuple[Speaker, str, str]] = [("system", prompt.system, "system")] if prompt.system else []
    texts += [("user", prompt.text, "text")] if prompt.text else []
    texts += [(each.role, each.content, f"messages[{i}].content") for i, each in enumerate(prompt.messages or ())]
    turns: list[tuple[Speaker, Template]] = []
    for role, text, place in texts:
        try:
            turns.append((role, template_of(text, columns)))
        except ValueError as error:
            raise ConfigError(f"{key}.{place}: {error}") from None
    return Asking(prompt.name, tuple(turns), prompt.column)


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Reads rows for the prompts that show them."""

    config: QaConfig
    askings: Sequence[Asking]
    files: Mapping[str, InputFile]
    of_all: Sequence[str]
    """The documents of a row that names none."""
    columns: Collection[str]
    """All of the set."""
    question: str
    """The column of questions; empty where none is certain."""
    id: str | None
    target: str | None
    scorers: Sequence[ScorerRow]

    def rows(self, numbered: Sequence[tuple[int, Record]]) -> list[Row]:
        """All rows. ConfigError with the first that are not usable."""
        gathered = Gathered([record for _, record in numbered])
        results = [gathered.read(place, self._row, record, n) for place, (n, record) in enumerate(numbered)]
        gathered.refuse_twice(
            ((n, (row.id,)) for n, row in enumerate(results) if row is not None), f"{self.id} (qa.id names another)"
        )
        gathered.refuse()
        rows, counts = [row for row in results if row is not None], Counter[str]()
        for n, row in enumerate(rows):  # equal ones are told apart by their order
            counts[row.item] += 1
            if counts[row.item] > 1:
                rows[n] = replace(row, item=digest(row.item, counts[row.item]))
        return rows

    def _row(self, record: Record, n: int) -> Row:
        fields, config = record.fields, self.config
        values = self._values(fields)
        texts, pictures = ([*self._files_named_by(record, column)] for column in (config.documents, config.images))
        shown_files = [*texts, *pictures]
        documents = {file.name: document_of(file.name, file, attach=True) for file in shown_files}
        in_slot, context = self._show(values, [documents[file.name] for file in texts])
        for file in pictures if in_slot else shown_files:
            if not documents[file.name].attachments:
                problem = "neither an image nor a PDF; put a slot of the qa.documents column into the prompt to show its text"
                raise FieldError(f"{file.name}: {problem}")
        turns = {each.column: _turns(fields.get(each.column), each.column) for each in self.askings if each.column}
        contents = [*values.values(), *(text for each in turns.values() for _, template in each for text in template.pieces)]
        targets = targets_at(fields, self.target, record.cells, self.columns)
        return Row(
            id=_id(fields.get(self.id), self.id) if self.id else str(n),
            values=values,
            turns=turns,
            expected=Expected(targets),
            group=_text(fields.get(config.group)) if config.group else "",
            scorers=scorers_of(fields, self.scorers),
            attachments=tuple(attached for each in documents.values() for attached in each.attachments),
            question=_text(fields.get(self.question)),
            context=context,
            item=digest(sorted(contents), targets or (), sorted(file.sha256 for file in shown_files), *own_rules(fields)),
        )

    def _show(self, values: dict[str, str], documents: Sequence[Document]) -> tuple[bool, str]:
        """Put documents into the slot of their column. Return whether there is one, and what judges are shown of them."""
        column = self.config.documents
        if column is None or column not in values:
            return False, ""
        values[column] = "".join(document.block for document in documents).strip()
        return True, "\n\n".join(document.text for document in documents if document.text) if self.config.judge else ""

    def _values(self, fields: Mapping[str, Json]) -> dict[str, str]:
        """Return the texts in the columns that prompts have slots for."""
        values = {}
        for name in (name for each in self.askings for _, template in each.turns for name in template.columns):
            if name not in fields:
                raise FieldError(f"{one_line(name)}: is missing, but a prompt shows it; give it a value, or null for none")
            values[name] = _text(fields[name])
        return values

    def _files_named_by(self, record: Record, column: str | None) -> Iterator[InputFile]:
        """The files that a row names in a column."""
        names = file_names(record.fields.get(column), column) if column else []
        for name in names or (self.of_all if column and column == self.config.documents else ()):
            file = self.files.get(name.replace("\\", "/").rpartition("/")[2])
            if file is None:
                raise FieldError(
                    f"{column}: {short_value(name)} is not among the files in qa.files{nearest(name, self.files)}; add it there"
                )
            yield file


def _id(value: Json, column: str) -> str:
    if is_blank(value) or not isinstance(value, str | int):
        raise FieldError(f"{column}: {short_value(value)} is not an id; give each sample one of its own")
    return one_line(_text(value))


def _text(value: Json) -> str:
    """A value as prompts show it; nothing of null."""
    return "" if value is None else as_text(with_numbers(value) if isinstance(value, (dict, list)) else value)


def _turns(value: Json, column: str) -> Turns:
    """The messages that a column holds; what they say has no slots."""
    value = list_in_cell(value, column) if isinstance(value, str) else value
    try:
        messages = [PromptMessage.model_validate(each) for each in value]
    except (TypeError, ValidationError):
        messages = []
    if not messages or messages[-1].role != "user":
        raise FieldError(
            f"{column}: {short_value(value)} is not a list of messages {{ role, content }} that ends with one of the user"
        )
    return tuple((each.role, Template((each.content,), ())) for each in messages)


def messages_of(task: QaTask, asking: Asking, row: Row) -> tuple[Message, ...]:
    """Ask about a row by a prompt, solved samples before it: those that others begin with, and none of equal text."""
    own = asking.messages(row)
    if not task.pool:
        return own
    head, own_text = own[:1] if own[0].role == "system" else (), _folded(own)
    solved = ((each, asking.messages(each)) for each in task.pool)
    unlike = ((each, turns) for each, turns in solved if _folded(turns) != own_text)
    shots: list[Message] = []
    for each, turns in islice(unlike, task.config.fewshot):
        answer = (each.expected.targets or ("",))[0]
        shots += [*(turn for turn in turns if turn.role != "system"), Message("assistant", answer, shared=len(answer))]
    return (*head, *shots, *own[len(head) :])


def _folded(turns: Sequence[Message]) -> str:
    """Return the text that is asked, capitals and blanks aside."""
    return " ".join(turns[-1].content.casefold().split())
