"""Lettered questions, made from the fields of records.

Which format the file has is over by then (parsing); what the answer fields of a question mean stands in answer_keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.field_values import FieldError, enumerated, is_blank, list_in_cell, plain_name, text_of, yes_or_no
from tui_eval.datasets.groups import groups_named
from tui_eval.datasets.lettered.answer_keys import (
    AnswerKey,
    convention_of,
    refuse_unclear_start,
    rests_on_convention,
    right_option,
)
from tui_eval.datasets.lettered.field_names import (
    ANSWER,
    CHOICES,
    DOMAIN,
    DOMAINS,
    ID,
    QUESTION,
    TOPIC,
    TOPICS,
    TRUNCATED,
    flattened,
)
from tui_eval.datasets.lettered.fixed_options import same_options
from tui_eval.datasets.lettered.option_fields import (
    OPTION_COLUMN,
    Layout,
    check_options,
    layout_of,
    options_of,
    refuse_no_options,
)
from tui_eval.datasets.lettered.right_first import NOT_MIXED, SEED, Mixing, one_letter, with_mixed_options
from tui_eval.datasets.parsing import FieldNames, Gathered, Record, Subject, per_layout, read_records


@dataclass(frozen=True, slots=True)
class ChoiceBenchmark:
    """Questions in the order of their file, under the version they all name, or else the file's stem."""

    name: str
    questions: Sequence[Sample]
    unread: tuple[str, ...] = ()
    """Fields of the file that say nothing to a run."""
    read_as: str = ""
    """Which fields they were read from, where these have other names than the usual ones."""
    mixing: Mixing = NOT_MIXED
    """What was done to the order of their options."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a person on the order of options, on the right answers, and on options that are the same."""
        same = [*filter(None, (same_options(each.id, each.options) for each in self.questions))]
        more = f", as are those of {count_of(len(same) - 1, 'other question')}" if same[1:] else ""
        refused = f"{same[0]}{more}: no run asks that; fix the file, or deselect it" if same else ""
        return tuple(filter(None, [self.mixing.words, one_letter(self.questions), refused]))


_READ: dict[str, object] = {}
"""The fields of a record of which a question was made."""


@dataclass(slots=True)
class LetteredDraft:
    """A question whose answer is not settled yet, for how answers are written shows only in all of them together."""

    id: str
    question: str
    key: AnswerKey
    groups: Mapping[str, tuple[str, ...]]


GROUP_FIELDS = (*DOMAINS, *DOMAIN, *TOPICS, *TOPIC, "difficulty", "calc_required", "metadata")
"""Fields that may say what a question belongs to."""
_KNOWN_IN_QUESTIONS = frozenset(
    (*QUESTION, *CHOICES, *ANSWER, *ID, *DOMAINS, *DOMAIN, *TOPICS, *TOPIC, "difficulty", "calc_required")
)


def _known_in_questions(name: str) -> bool:
    return name in _KNOWN_IN_QUESTIONS or bool(TRUNCATED.fullmatch(name) or OPTION_COLUMN.fullmatch(name))


def _without_header(row: Sequence[str]) -> list[str]:
    """A row of question, options and the letter of one of them, as in MMLU, names its own columns."""
    letters = ascii_uppercase[: max(0, len(row) - 2)]
    if len(letters) < 2 or row[-1].strip() not in tuple(letters):
        return []
    return ["question", *letters, "answer"]


_QUESTIONS = Subject(
    noun="question",
    lists=("questions", "data", "examples", "items"),
    ids=ID,
    needed=(QUESTION,),
    is_known=_known_in_questions,
    headless=_without_header,
    headless_shape="question, options and letter",
)


_PARTS = {"question": QUESTION, "options": CHOICES, "answer": ANSWER}


def read_benchmark(text: str, name: str, records: list[Record] | None = None, seed: int = SEED) -> ChoiceBenchmark:
    """The questions of a benchmark file; ConfigError that names file, place and field for what is not usable.

    `seed`: by which options are mixed whose right one the file puts first or apart.

    Answers may be letters, numbers counted from 0, labels or an option's whole text. Several answer fields must agree, and what
    can be read in two ways is refused. Questions without ids are numbered q0001, q0002 and so on. `records`: those of the
    text, where they were read before; what is read of them is let go of.
    """
    records = flattened(read_records(text, name, _QUESTIONS) if records is None else records)
    del text  # which may be large, and is in the records now
    mixing = with_mixed_options(records, seed)
    layouts = per_layout(records, layout_of)
    refuse_no_options(records, layouts)
    own_name, unread, fields_read = (
        benchmark_name(map(_version_of, records), name),
        unread_fields(layouts, _inner_names(records)),
        read_as(records[0], layouts[0], mixing),
    )
    gathered = Gathered(records)
    questions = _questions(gathered, layouts, name)
    return ChoiceBenchmark(own_name, tuple(questions), unread, fields_read, mixing)


def _questions(gathered: Gathered, layouts: Sequence[Layout], name: str) -> list[Sample]:
    """The question of each record. What is read is let go of as it is read: of large benchmarks little is there twice."""
    ids: list[str | None] = []
    from_one: list[AnswerKey] = []
    entries: list[Sample | LetteredDraft | None] = []
    rows = zip(gathered.records, layouts, strict=True)
    numbered = not any(layout.columns.given(record.fields, ID) for record, layout in rows)
    for number, (record, layout) in enumerate(zip(gathered.records, layouts, strict=True)):
        made_id = f"q{number + 1:04d}" if numbered else ""
        draft = gathered.read(number, draft_of, record.fields, layout, made_id)
        record.fields = _READ
        ids.append(draft.id if draft else None)
        from_one += [draft.key] if draft and draft.key.from_one else []
        open_yet = draft is None or rests_on_convention(draft.key)
        entries.append(draft if open_yet else gathered.read(number, settled, draft, ""))
    convention = convention_of([entry.key for entry in entries if isinstance(entry, LetteredDraft)])
    for number, entry in enumerate(entries):
        if isinstance(entry, LetteredDraft):
            entries[number] = gathered.read(number, settled, entry, convention)
    if len(set(ids)) < len(ids):
        gathered.refuse_twice(
            ((number, (question_id,)) for number, question_id in enumerate(ids) if question_id is not None), "id"
        )
    gathered.refuse()
    refuse_unclear_start(from_one, name)
    return [question for question in entries if isinstance(question, Sample)]


def read_as(record: Record, layout: Layout, mixing: Mixing) -> str:
    """Of the first record the fields of its question, options and answer; empty where they are called so."""
    names = {part: [name for name, _ in layout.columns.given(record.fields, aliases)] for part, aliases in _PARTS.items()}
    if [plain_name(name) for name in (*names["question"], *names["answer"])] == ["question", "answer"]:
        return ""
    if mixing.columns:
        return f"question: {one_line(' '.join(names['question']), 60)}, options and answer: {enumerated(mixing.columns)}"
    options = [*names["options"], *layout.lettered] or ["the end of its text"]
    names["options"] = [options[0], "to", options[-1]] if len(options) > 2 else options
    return ", ".join(f"{part}: {one_line(' '.join(field_names), 60)}" for part, field_names in names.items())


def unread_fields(layouts: Sequence[Layout], inner: Iterable[str]) -> tuple[str, ...]:
    """Names of fields that nothing is made of, in the order of the file. `inner`: those within `metadata`."""
    columns = {id(layout): layout.columns.by_alias for layout in layouts}.values()
    aliases = {alias: names for by_alias in columns for alias, names in by_alias.items()}
    unknown = [
        name
        for alias, names in aliases.items()
        if alias and alias not in ("version", "metadata") and not _known_in_questions(alias)
        for name in names
    ]
    return (*unknown, *(f"metadata.{name}" for name in dict.fromkeys(inner) if name != "calc_required"))


def _inner_names(records: Iterable[Record]) -> Iterator[str]:
    """The names within `metadata`, record by record."""
    for record in records:
        inner = record.fields.get("metadata")
        yield from inner if isinstance(inner, dict) else ()


def benchmark_name(versions: Iterable[str], name: str) -> str:
    """The version that all questions name, else the stem of their file. `versions`: of each question, or empty."""
    named = set(versions)
    version = one_line(named.pop()) if len(named) == 1 else ""
    base = re.split(r"[/\\]", name)[-1]
    return version or one_line(base.rpartition(".")[0] or base)


def _version_of(record: Record) -> str:
    value = record.fields.get("version")
    return value if isinstance(value, str) else ""


def draft_of(fields: dict[str, object], layout: Layout, made_id: str) -> LetteredDraft:
    """Read a question but for what its answer means. FieldError where that cannot be."""
    if layout.problem:
        raise FieldError(layout.problem)
    columns = layout.columns
    column, value = columns.one(fields, QUESTION)
    if not column:
        raise FieldError(f"question: {columns.lacking(QUESTION)}")
    question = text_of(value, column)
    choices, labels, question, column = options_of(fields, layout, question, column)
    check_options(choices, labels, column)
    answers = columns.given(fields, ANSWER)
    if not answers:
        raise FieldError(f"answer: {columns.lacking(ANSWER)}")
    return LetteredDraft(
        made_id or columns.name(fields, ID, "id"),
        question,
        AnswerKey(tuple(choices), tuple(labels), tuple(answers), layout.from_one),
        groups_of(fields, columns),
    )


def groups_of(fields: dict[str, object], columns: FieldNames) -> Mapping[str, tuple[str, ...]]:
    """Read what a question belongs to. FieldError where that cannot be."""
    return groups_named(
        _difficulty(fields, columns),
        _values(fields, columns, DOMAINS, DOMAIN),
        _values(fields, columns, TOPICS, TOPIC),
        _calc_required(fields, columns),
    )


def settled(draft: LetteredDraft, convention: str) -> Sample:
    """The question, its answer read by how answers of the file are written. FieldError where it cannot be read."""
    options, answer = tuple(draft.key.choices), right_option(draft.key, convention)
    return Sample(draft.id, draft.question, options, answer, groups=draft.groups)


def _difficulty(fields: dict[str, object], columns: FieldNames) -> str:
    column, value = columns.one(fields, ("difficulty",))
    return text_of(value, column) if column else ""


def _values(
    fields: dict[str, object], columns: FieldNames, plural: tuple[str, ...], singular: tuple[str, ...]
) -> tuple[str, ...]:
    """All values of all these fields, each once: several in a plural one, one in a singular one."""
    values: dict[str, None] = {}
    for column, value in columns.given(fields, (*plural, *singular)):
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = list_in_cell(value.strip(), column)
        elif isinstance(value, str) and plain_name(column) in plural:
            value = value.split(";" if ";" in value else ",")
        parts = value if isinstance(value, list) else [value]
        values.update((text_of(part, column), None) for part in parts if not is_blank(part))
    return tuple(values)


def _calc_required(fields: dict[str, object], columns: FieldNames) -> bool | None:
    entries = [(column, yes_or_no(value, column)) for column, value in columns.given(fields, ("calc_required",))]
    for column, value in columns.given(fields, ("metadata",)):
        if isinstance(value, dict) and not is_blank(value.get("calc_required")):
            entries.append((f"{column}.calc_required", yes_or_no(value["calc_required"], f"{column}.calc_required")))
    if len({value for _, value in entries}) > 1:
        raise FieldError(f"{enumerated(column for column, _ in entries)}: contradict each other; remove one")
    return entries[0][1] if entries else None
