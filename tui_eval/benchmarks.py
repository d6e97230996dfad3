"""What a lettered question and an answer given elsewhere are, and how the fields of a record become one.

Which format the file has is over by then (records); what the answer fields of a question mean stands in answer_keys.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from tui_eval.answer_keys import BARE_LETTER, POSITION, AnswerKey, convention_of, refuse_unclear_start, right_option
from tui_eval.errors import ConfigError
from tui_eval.plaintext import one_line
from tui_eval.records import (
    LONE_SURROGATE,
    Columns,
    FieldError,
    Gathered,
    Record,
    Subject,
    columns_of,
    enumerated,
    is_blank,
    list_in_cell,
    per_layout,
    plain_name,
    read_records,
    shown,
    sort_of,
    text_of,
    yes_or_no,
)

_QUESTION = ("question", "input", "prompt", "question_text")
_CHOICES = ("choices", "options")
_ANSWER = ("answer", "target", "answer_key", "answerkey", *POSITION, "correct", "correct_answer", "label", "gold")
_ID = ("id", "question_id", "qid")
_DOMAINS, _DOMAIN = ("domains",), ("domain", "subject", "category")
_TOPICS, _TOPIC = ("topics",), ("topic",)
_MODEL = ("model",)
_RESPONSE = ("raw_response", "response", "output", "completion", "raw")
_LETTER = ("letter", "predicted", "answer", "extracted", "published_letter")
_PATTERN = ("pattern", "extraction_pattern", "published_pattern")

_OPTION_COLUMN = re.compile(r"(?:(?:choice|option)_?)?([a-z])|(?:choice|option)_?(\d{1,2})")
_TRUNCATED = re.compile(r"truncated(?:_at_\d+)?")
_OPTIONS_IN_TEXT = re.compile(r"\n[ \t]*Options:[ \t\r]*\n", re.IGNORECASE)
_LISTED_OPTION = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])[).]|-)\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with its options; `answer` is the index of the right one, counted from 0."""

    id: str
    question: str
    choices: tuple[str, ...]
    answer: int
    difficulty: str = ""
    domains: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    calc_required: bool | None = None
    """Whether a calculation is needed; None where the benchmark does not say."""


@dataclass(frozen=True, slots=True)
class ChoiceBenchmark:
    """Questions in the order of their file, under the version they all name, or else the file's stem."""

    name: str
    questions: tuple[ChoiceQuestion, ...]


@dataclass(frozen=True, slots=True)
class ImportedAnswer:
    """What a model answered elsewhere; `letter` is what the table says was read from it, None where it names none."""

    question_id: str
    model: str
    raw_response: str
    letter: str | None = None
    pattern: str = ""
    truncated: bool = False
    """The response was cut by whoever made the table."""
    row: int = 0
    """Line of a CSV or JSONL file, number in a JSON list; both count from 1."""

    @property
    def stands_as_named(self) -> bool:
        """Whether the table's own letter is all there is to go by: the reply was cut, or is not in the table."""
        return bool(self.truncated and (self.letter or self.pattern)) or bool(self.letter and not self.raw_response.strip())


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the names of a question's fields mean; `lettered` are options in columns of their own, in their order."""

    columns: Columns
    lettered: tuple[str, ...] = ()
    from_one: bool = False
    problem: str = ""


@dataclass(slots=True)
class _Draft:
    """A question whose answer is not settled yet, for how answers are written shows only in all of them together."""

    id: str
    question: str
    key: AnswerKey
    difficulty: str
    domains: tuple[str, ...]
    topics: tuple[str, ...]
    calc_required: bool | None


_KNOWN_IN_QUESTIONS = frozenset(
    (*_QUESTION, *_CHOICES, *_ANSWER, *_ID, *_DOMAINS, *_DOMAIN, *_TOPICS, *_TOPIC, "difficulty", "calc_required")
)
_KNOWN_IN_ANSWERS = frozenset((*_ID, *_MODEL, *_RESPONSE, *_LETTER, *_PATTERN, "truncated"))


def _known_in_questions(name: str) -> bool:
    return name in _KNOWN_IN_QUESTIONS or bool(_TRUNCATED.fullmatch(name) or _OPTION_COLUMN.fullmatch(name))


def _known_in_answers(name: str) -> bool:
    return name in _KNOWN_IN_ANSWERS or bool(_TRUNCATED.fullmatch(name))


def _without_header(row: Sequence[str]) -> list[str]:
    """A row of question, options and the letter of one of them, as in MMLU, names its own columns."""
    letters = ascii_uppercase[: max(0, len(row) - 2)]
    if len(letters) < 2 or row[-1].strip() not in tuple(letters):
        return []
    return ["question", *letters, "answer"]


_QUESTIONS = Subject(
    noun="question",
    lists=("questions", "data", "examples", "items"),
    ids=_ID,
    needed=(_QUESTION,),
    is_known=_known_in_questions,
    headless=_without_header,
    headless_shape="question, options and letter",
)
_ANSWERS = Subject(
    noun="answer",
    lists=("answers", "responses", "results", "data", "examples", "items"),
    ids=_ID,
    needed=(_ID, _MODEL, _RESPONSE),
    is_known=_known_in_answers,
)


def read_benchmark(text: str, name: str) -> ChoiceBenchmark:
    """The questions of a benchmark file; ConfigError that names file, place and field for what is not usable.

    Answers may be letters, numbers counted from 0, labels or an option's whole text. Several answer fields must agree, and what
    can be read in two ways is refused. Questions without ids are numbered q0001, q0002 and so on.
    """
    records = _flattened(read_records(text, name, _QUESTIONS))
    layouts = per_layout(records, _layout)
    _refuse_no_options(records, layouts)
    gathered = Gathered(records)
    rows = list(zip(records, layouts, strict=True))
    numbered = not any(layout.columns.given(record.fields, _ID) for record, layout in rows)
    drafts: dict[int, _Draft] = {}
    for number, (record, layout) in enumerate(rows):
        made_id = f"q{number + 1:04d}" if numbered else ""
        if draft := gathered.read(number, _draft, record.fields, layout, made_id):
            drafts[number] = draft
    keys = [draft.key for draft in drafts.values()]
    convention = convention_of(keys)
    questions = [gathered.read(number, _settled, draft, convention) for number, draft in drafts.items()]
    gathered.refuse_twice([(number, (draft.id,)) for number, draft in drafts.items()], "id")
    gathered.refuse()
    refuse_unclear_start(keys, name)
    return ChoiceBenchmark(_benchmark_name(records, name), tuple(question for question in questions if question))


def read_answers(text: str, name: str) -> tuple[ImportedAnswer, ...]:
    """The answers of a table: question id, model and raw response, which is kept to the letter; ConfigError as for a benchmark.

    Only half a surrogate pair, which no file can hold, becomes U+FFFD.
    """
    records = _flattened(read_records(text, name, _ANSWERS))
    gathered = Gathered(records)
    rows = zip(records, per_layout(records, _answer_columns), strict=True)
    found = [gathered.read(number, _answer, record, columns) for number, (record, columns) in enumerate(rows)]
    pairs = [(number, (answer.question_id, answer.model)) for number, answer in enumerate(found) if answer]
    gathered.refuse_twice(pairs, "question_id and model")
    gathered.refuse()
    return tuple(answer for answer in found if answer)


# What the names mean


def _flattened(records: list[Record]) -> list[Record]:
    """Records in which a question that is an object of its own (`stem` and `choices`, as in OpenBookQA) becomes two fields."""
    for record in records:
        record.fields = _unfolded(record.fields)
    return records


def _unfolded(fields: dict[str, object]) -> dict[str, object]:
    for key, value in fields.items():
        if isinstance(value, dict) and "stem" in value and plain_name(key) == "question":
            others = {other: item for other, item in fields.items() if other != key}
            if not value.keys() & others.keys():
                return {**others, **value, key: value["stem"]}
    return fields


def _answer_columns(names: tuple[str, ...]) -> Columns:
    cut = [name for name in names if _TRUNCATED.fullmatch(plain_name(name))]
    return Columns({**columns_of(names).by_alias, "truncated": cut})


def _layout(names: tuple[str, ...]) -> _Layout:
    """Options in columns of their own: A, B, C or choice_a, option_a, choice0, option1 and the like, without a gap."""
    columns = columns_of(names)
    styles: dict[str, dict[int, str]] = {}
    for name in names:
        plain = plain_name(name)
        match = _OPTION_COLUMN.fullmatch(plain)
        if match is None or plain in _CHOICES:
            continue
        mark = match.group(1) or match.group(2)
        positions = styles.setdefault(plain[: -len(mark)] + ("a" if match.group(1) else "0"), {})
        position = ascii_uppercase.index(mark.upper()) if match.group(1) else int(mark)
        if position in positions:
            return _Layout(columns, problem=f"{one_line(name)}: the same option as {one_line(positions[position])}; remove one")
        positions[position] = name
    if not styles:
        return _Layout(columns)
    if len(styles) > 1:
        both = " and ".join(one_line(next(iter(found.values()))) for found in styles.values())
        return _Layout(columns, problem=f"{both}: options stand under two kinds of names; remove or rename one kind")
    style, found = next(iter(styles.items()))
    start = min(found)
    if start > (1 if style.endswith("0") else 0) or sorted(found) != list(range(start, start + len(found))):
        return _Layout(
            columns,
            problem=f"{enumerated(found.values())}: the columns of the options have a gap, or do not begin at the first",
        )
    return _Layout(columns, tuple(found[position] for position in sorted(found)), from_one=start == 1)


def _refuse_no_options(records: Sequence[Record], layouts: Sequence[_Layout]) -> None:
    """One sentence about the file where no question of it has options, in place of the same problem for each."""
    usable = [(record, layout) for record, layout in zip(records, layouts, strict=True) if not record.problem]
    for record, layout in usable:
        if layout.lettered or layout.problem or any(alias in layout.columns.by_alias for alias in _CHOICES):
            return
        texts = [value for _, value in layout.columns.given(record.fields, _QUESTION)]
        if any(isinstance(text, str) and _OPTIONS_IN_TEXT.search(text) for text in texts):
            return
    if usable:
        first = usable[0][0]
        raise ConfigError(
            f"{first.place}: no options: none of the fields {enumerated(first.fields)} holds them, here or further on; a "
            "question with lettered answers needs 'choices' or 'options', or a field for each (A, B, ... or choice_a, ...)"
        )


def _benchmark_name(records: Sequence[Record], name: str) -> str:
    versions = {value if isinstance(value, str) else "" for value in (record.fields.get("version") for record in records)}
    version = one_line(versions.pop()) if len(versions) == 1 else ""
    base = re.split(r"[/\\]", name)[-1]
    return version or base.rpartition(".")[0] or base


# From a record to a question


def _draft(fields: dict[str, object], layout: _Layout, made_id: str) -> _Draft:
    if layout.problem:
        raise FieldError(layout.problem)
    columns = layout.columns
    column, value = columns.one(fields, _QUESTION)
    if not column:
        raise FieldError(f"question: {columns.lacking(_QUESTION)}")
    question = text_of(value, column)
    choices, labels, question, column = _options(fields, layout, question, column)
    _check_options(choices, labels, column)
    answers = columns.given(fields, _ANSWER)
    if not answers:
        raise FieldError(f"answer: {columns.lacking(_ANSWER)}")
    return _Draft(
        made_id or columns.name(fields, _ID, "id"),
        question,
        AnswerKey(choices, labels, answers, layout.from_one),
        _difficulty(fields, columns),
        _values(fields, columns, _DOMAINS, _DOMAIN),
        _values(fields, columns, _TOPICS, _TOPIC),
        _calc_required(fields, columns),
    )


def _settled(draft: _Draft, convention: str) -> ChoiceQuestion:
    return ChoiceQuestion(
        draft.id,
        draft.question,
        tuple(draft.key.choices),
        right_option(draft.key, convention),
        draft.difficulty,
        draft.domains,
        draft.topics,
        draft.calc_required,
    )


def _options(fields: dict[str, object], layout: _Layout, question: str, column: str) -> tuple[list[str], list[str], str, str]:
    """Options, their labels (none where they have no names of their own), the question without them, and where they stood."""
    listed, cells = layout.columns.given(fields, _CHOICES), _filled(fields, layout.lettered)
    if listed and cells:
        raise FieldError(f"{one_line(listed[0][0])}: options stand here and under {enumerated(cells)}; remove one")
    if cells:
        choices = [text_of(fields[name], name) for name in cells]
        return choices, list(cells), question, enumerated(cells)
    if listed:
        name, value = layout.columns.one(fields, _CHOICES)
        return *_listed_options(value, name), question, name
    if _OPTIONS_IN_TEXT.search(question):
        return *_options_in_text(question, column), column
    raise FieldError(f"choices: {layout.columns.lacking(_CHOICES)}")


def _filled(fields: dict[str, object], lettered: tuple[str, ...]) -> tuple[str, ...]:
    """The option columns up to the last that is not empty: empty ones at the end mean fewer options."""
    filled = tuple([name for name in lettered if not is_blank(fields[name])])
    if filled != lettered[: len(filled)]:
        empty = next(name for name in lettered if name not in filled)
        raise FieldError(f"{one_line(empty)}: an empty option before {one_line(filled[-1])}")
    return filled


def _check_options(choices: list[str], labels: list[str], column: str) -> None:
    count = len(choices)
    if not 2 <= count <= len(ascii_uppercase):
        raise FieldError(f"{one_line(column)}: {count} option{'s' * (count != 1)}; a question has 2 to {len(ascii_uppercase)}")
    if len(set(labels)) < len(labels):
        raise FieldError(f"{one_line(column)}: two options with the same label")


def _listed_options(value: object, column: str) -> tuple[list[str], list[str]]:
    """Options and labels of a field: a list of texts or objects, two lists, an object by letter, or one of them in a cell."""
    if isinstance(value, str):
        value = list_in_cell(value.strip(), column)
    if isinstance(value, dict):
        value = _paired(value, column)
    if not isinstance(value, list):
        raise FieldError(f"{one_line(column)}: {sort_of(value)}, not a list of options")
    if not any(isinstance(item, dict) for item in value):
        return [text_of(item, f"{column}[{number}]") for number, item in enumerate(value)], []
    texts, labels = [], []
    for number, item in enumerate(value):
        if not isinstance(item, dict) or "text" not in item or ("label" in item) != ("label" in value[0]):
            raise FieldError(f"{one_line(column)}[{number}]: not an object with 'text' and 'label' like the others")
        texts.append(text_of(item["text"], f"{column}[{number}]"))
        if "label" in item:
            labels.append(text_of(item["label"], f"{column}[{number}].label"))
    return texts, labels


def _paired(value: dict[str, object], column: str) -> list[dict[str, object]]:
    """Options with their labels, of `{"text": [...], "label": [...]}` or of `{"A": "...", "B": "..."}`."""
    texts, labels = value.get("text"), value.get("label")
    if isinstance(texts, list):
        if labels is None:
            return [{"text": text} for text in texts]
        if not isinstance(labels, list) or len(labels) != len(texts):
            raise FieldError(f"{one_line(column)}: 'text' and 'label' are not lists of the same length")
        return [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    letters = sorted(value)
    if value and all(len(key) == 1 and key.upper() in ascii_uppercase for key in letters):
        if [key.upper() for key in letters] != list(ascii_uppercase[: len(letters)]):
            raise FieldError(f"{one_line(column)}: the letters {enumerated(letters)} have a gap, or do not begin at A")
        return [{"text": value[key], "label": key} for key in letters]
    return [{"text": text, "label": key} for key, text in value.items()]


def _options_in_text(question: str, column: str) -> tuple[list[str], list[str], str]:
    """Options that a question ends with, as in BIG-Bench Hard: `Options:`, then `(A) one` or `- one` on a line each."""
    mark = list(_OPTIONS_IN_TEXT.finditer(question))[-1]
    stem = question[: mark.start()].strip()
    texts, letters = [], []
    for line in question[mark.end() :].strip().split("\n"):
        match = _LISTED_OPTION.fullmatch(line.rstrip())
        if match is None:
            raise FieldError(
                f"{one_line(column)}: below 'Options:' stands {shown(line)}, which is not like '(A) text' or '- text'"
            )
        letters.append((match.group(1) or match.group(2) or "").upper())
        texts.append(match.group(3))
    if any(letters) and letters != list(ascii_uppercase[: len(letters)]):
        raise FieldError(f"{one_line(column)}: the options below 'Options:' are not lettered from A on without a gap")
    if not stem:
        raise FieldError(f"{one_line(column)}: no question stands above 'Options:'")
    return texts, letters if any(letters) else [], stem


def _difficulty(fields: dict[str, object], columns: Columns) -> str:
    column, value = columns.one(fields, ("difficulty",))
    return text_of(value, column) if column else ""


def _values(fields: dict[str, object], columns: Columns, plural: tuple[str, ...], singular: tuple[str, ...]) -> tuple[str, ...]:
    """All values of all these fields, each once: several in a plural one, one in a singular one."""
    found: dict[str, None] = {}
    for column, value in columns.given(fields, (*plural, *singular)):
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = list_in_cell(value.strip(), column)
        elif isinstance(value, str) and plain_name(column) in plural:
            value = value.split(";" if ";" in value else ",")
        parts = value if isinstance(value, list) else [value]
        found.update((text_of(part, column), None) for part in parts if not is_blank(part))
    return tuple(found)


def _calc_required(fields: dict[str, object], columns: Columns) -> bool | None:
    said = [(column, yes_or_no(value, column)) for column, value in columns.given(fields, ("calc_required",))]
    for column, value in columns.given(fields, ("metadata",)):
        if isinstance(value, dict) and not is_blank(value.get("calc_required")):
            said.append((f"{column}.calc_required", yes_or_no(value["calc_required"], f"{column}.calc_required")))
    if len({value for _, value in said}) > 1:
        raise FieldError(f"{enumerated(column for column, _ in said)}: contradict each other; remove one")
    return said[0][1] if said else None


# From a record to an answer


def _answer(record: Record, columns: Columns) -> ImportedAnswer:
    fields = record.fields
    question_id = columns.name(fields, _ID, "question_id")
    model = columns.name(fields, _MODEL, "model")
    pattern = _pattern(fields, columns)
    letter = None if pattern == "failed" else _letter(fields, columns)
    column, cut = columns.one(fields, ("truncated",))
    truncated = bool(column) and yes_or_no(cut, column)
    return ImportedAnswer(question_id, model, _response(fields, columns), letter, pattern, truncated, record.row)


def _response(fields: dict[str, object], columns: Columns) -> str:
    column, value = columns.one(fields, _RESPONSE)
    if not column:
        blank = [(name, fields[name]) for alias in _RESPONSE for name in columns.by_alias.get(alias, ())]
        column, value = next(((name, item) for name, item in blank if item is not None), ("", None))
    if not column:
        told = columns.lacking(_RESPONSE)
        raise FieldError(f'raw_response: {told}; a model that replied with nothing has "", a call that failed has no row')
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value)
    return text_of(value, column)


def _letter(fields: dict[str, object], columns: Columns) -> str | None:
    column, value = columns.one(fields, _LETTER)
    if not column or (isinstance(value, str) and value.strip().lower() in ("none", "failed")):
        return None
    match = BARE_LETTER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise FieldError(f"{one_line(column)}: {shown(value)} is not a letter; leave it empty where none was read")
    return match.group(1).upper()


def _pattern(fields: dict[str, object], columns: Columns) -> str:
    """The pattern's name; "failed" also where the table says "None", and "" where it says nothing."""
    column, value = columns.one(fields, _PATTERN)
    pattern = one_line(text_of(value, column)) if column else ""
    return "failed" if pattern.lower() in ("none", "failed") else pattern
