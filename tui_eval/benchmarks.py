"""Reading lettered-question benchmarks, and answers given to them elsewhere, in the formats people have them in.

Text is brought to records (a place and its named fields), whatever its format: JSON, JSONL or a table with commas,
semicolons or tabs. Everything after that knows no formats, only names of fields. What the text holds decides the format,
not the file's name.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from tui_eval.errors import ConfigError
from tui_eval.plaintext import one_line, visible

_QUESTION = ("question", "input", "prompt", "question_text")
_CHOICES = ("choices", "options")
_POSITION = ("answer_index", "answer_idx")
_ANSWER = ("answer", "target", "answer_key", "answerkey", *_POSITION, "correct", "correct_answer", "label", "gold")
_ID = ("id", "question_id", "qid")
_DOMAINS, _DOMAIN = ("domains",), ("domain", "subject", "category")
_TOPICS, _TOPIC = ("topics",), ("topic",)
_MODEL = ("model",)
_RESPONSE = ("raw_response", "response", "output", "completion", "raw")
_LETTER = ("letter", "predicted", "answer", "extracted", "published_letter")
_PATTERN = ("pattern", "extraction_pattern", "published_pattern")

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_PROBLEMS = 5
_POINTER = "version https://git-lfs.github.com/spec/"
_JSON_START = re.compile(r'\s*(?:\[\s*[\[\]{"]|\{\s*["}])')
_OPTION_COLUMN = re.compile(r"(?:(?:choice|option)_?)?([a-z])|(?:choice|option)_?(\d{1,2})")
_TRUNCATED = re.compile(r"truncated(?:_at_\d+)?")
_BARE_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_SMALL_NUMBER = re.compile(r"[0-9]{1,3}")
_OPTIONS_IN_TEXT = re.compile(r"\n[ \t]*Options:[ \t\r]*\n", re.IGNORECASE)
_LISTED_OPTION = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])[).]|-)\s+(\S.*)")
_SURROGATE = re.compile("[\ud800-\udfff]")

_T = TypeVar("_T")


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


class _FieldError(Exception):
    """A problem of one record, told as `field: what is wrong`; the place is put before it where problems are gathered."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a record stands for, where a JSON object keeps its list of them, and how a table's first row is known."""

    noun: str
    lists: tuple[str, ...]
    known: frozenset[str]
    needed: tuple[tuple[str, ...], ...]
    headless: bool = False


@dataclass(slots=True)
class _Record:
    """One row, line or object: where it stands, and its fields under the names the file gives them."""

    place: str
    row: int
    fields: dict[str, object]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which of a record's names mean what; `lettered` are options in columns of their own, in their order."""

    by_alias: dict[str, list[str]]
    lettered: tuple[str, ...] = ()
    from_one: bool = False
    problem: str = ""
    found: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def given(self, fields: Mapping[str, object], aliases: tuple[str, ...]) -> list[tuple[str, object]]:
        """Names and values that say something, of all columns that are known by one of these aliases."""
        if aliases not in self.found:  # large tables ask the same few questions of every row
            self.found[aliases] = [name for alias in aliases for name in self.by_alias.get(alias, ())]
        return [(name, fields[name]) for name in self.found[aliases] if not _blank(fields[name])]

    def one(self, fields: Mapping[str, object], aliases: tuple[str, ...]) -> tuple[str, object]:
        """The one name and value among the aliases, ("", None) where none says anything; two that differ are unusable."""
        found = self.given(fields, aliases)
        for name, value in found[1:]:
            if _comparable(value) != _comparable(found[0][1]):
                said = f"{one_line(found[0][0])}: {_shown(found[0][1])} and {one_line(name)} {_shown(value)}"
                raise _FieldError(f"{said} contradict each other; remove or rename one of the two")
        return found[0] if found else ("", None)


@dataclass(slots=True)
class _Draft:
    """A question whose answer is not settled yet, for how answers are written shows only in all of them together."""

    id: str
    question: str
    choices: list[str]
    labels: list[str]
    answers: list[tuple[str, object]]
    from_one: bool
    difficulty: str
    domains: tuple[str, ...]
    topics: tuple[str, ...]
    calc_required: bool | None


@dataclass(slots=True)
class _Gathered:
    """Records as they are read; problems by the number of their record, so that they are told in the file's order."""

    records: Sequence[_Record]
    problems: dict[int, str] = field(default_factory=dict)

    def read(self, number: int, reader: Callable[..., _T], *arguments: object) -> _T | None:
        """What the reader returns; None, and a problem on file, where it or the record is not usable."""
        if number in self.problems:
            return None
        try:
            if self.records[number].problem:
                raise _FieldError(self.records[number].problem)
            return reader(*arguments)
        except _FieldError as error:
            self.problems[number] = f"{self.records[number].place}: {error}"
            return None

    def refuse(self) -> None:
        """ConfigError with the first problems, one a line, and how many more there are."""
        if self.problems:
            told = [self.problems[number] for number in sorted(self.problems)]
            more = len(told) - _MOST_PROBLEMS
            raise ConfigError("\n".join(told[:_MOST_PROBLEMS] + ([f"and {more} more"] if more > 0 else [])))


_QUESTIONS = _Kind(
    "question",
    ("questions", "data", "examples", "items"),
    frozenset((*_QUESTION, *_CHOICES, *_ANSWER, *_ID, *_DOMAINS, *_DOMAIN, *_TOPICS, *_TOPIC, "difficulty", "calc_required")),
    (_QUESTION,),
    headless=True,
)
_ANSWERS = _Kind(
    "answer",
    ("answers", "responses", "results", "data", "examples", "items"),
    frozenset((*_ID, *_MODEL, *_RESPONSE, *_LETTER, *_PATTERN, "truncated")),
    (_ID, _MODEL, _RESPONSE),
)


def read_benchmark(text: str, name: str) -> ChoiceBenchmark:
    """The questions of a benchmark file; ConfigError that names file, place and field for what is not usable.

    Answers may be letters, numbers counted from 0, labels or an option's whole text. Several answer fields must agree, and what
    can be read in two ways is refused. Questions without ids are numbered q0001, q0002 and so on.
    """
    records = _records(text, name, _QUESTIONS)
    layouts = _layouts(records, _QUESTIONS)
    _refuse_no_options(records, layouts, name)
    gathered = _Gathered(records)
    numbered = not any(layouts[tuple(record.fields)].given(record.fields, _ID) for record in records)
    drafts: dict[int, _Draft] = {}
    for number, record in enumerate(records):
        made_id = f"q{number + 1:04d}" if numbered else ""
        if draft := gathered.read(number, _draft, record.fields, layouts[tuple(record.fields)], made_id):
            drafts[number] = draft
    convention = _convention(drafts.values())
    questions = [gathered.read(number, _settled, draft, convention) for number, draft in drafts.items()]
    _refuse_twice(gathered, [(number, draft.id) for number, draft in drafts.items()], "id")
    gathered.refuse()
    _refuse_unclear_start(drafts.values(), name)
    return ChoiceBenchmark(_benchmark_name(records, name), tuple(question for question in questions if question))


def read_answers(text: str, name: str) -> tuple[ImportedAnswer, ...]:
    """The answers of a table: question id, model and raw response, which is kept to the letter; ConfigError as for a benchmark.

    Only half a surrogate pair, which no file can hold, becomes U+FFFD.
    """
    records = _records(text, name, _ANSWERS)
    layouts = _layouts(records, _ANSWERS)
    gathered = _Gathered(records)
    found = [gathered.read(number, _answer, record, layouts[tuple(record.fields)]) for number, record in enumerate(records)]
    pairs = [(number, (answer.question_id, answer.model)) for number, answer in enumerate(found) if answer]
    _refuse_twice(gathered, pairs, "question_id and model")
    gathered.refuse()
    return tuple(answer for answer in found if answer)


# From text to records


def _records(text: str, name: str, kind: _Kind) -> list[_Record]:
    text = text.removeprefix("\ufeff")
    if text.startswith(_POINTER):
        raise ConfigError(f"{name}:1: a Git LFS pointer, not the data itself; run `git lfs pull` where it was cloned")
    if not text.strip():
        raise ConfigError(f"{name}: is empty; expected {kind.noun}s as JSON, JSONL or CSV")
    found = _json_records(text, name, kind) if _JSON_START.match(text) else _table_records(text, name, kind)
    if not found:
        raise ConfigError(f"{name}: holds no {kind.noun}s")
    return found


def _json_records(text: str, name: str, kind: _Kind) -> list[_Record]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    try:
        document = _loads(text)
    except _FieldError as error:
        if len(filled) > 1 and all(line.lstrip().startswith("{") for _, line in filled[:2]):
            return [_json_line(line, f"{name}:{number}", number) for number, line in filled]
        raise ConfigError(f"{name}: {error}") from None
    if isinstance(document, dict) and len(filled) == 1 and _is_record(document, kind):
        return [_Record(f"{name}:{filled[0][0]}", filled[0][0], _flattened(document))]
    return [_json_item(item, name, number, kind) for number, item in enumerate(_listed(document, name, kind), start=1)]


def _json_line(line: str, place: str, row: int) -> _Record:
    try:
        item = _loads(line)
    except _FieldError as error:
        return _Record(place, row, {}, str(error))
    if not isinstance(item, dict):
        return _Record(place, row, {}, f"{_sort(item)}, not an object")
    return _Record(place, row, _flattened(item))


def _json_item(item: object, name: str, number: int, kind: _Kind) -> _Record:
    place = f"{name}: {kind.noun} {number}"
    if not isinstance(item, dict):
        return _Record(place, number, {}, f"{_sort(item)}, not an object")
    ids = [value for key, value in item.items() if _plain(key) in _ID and isinstance(value, (str, int))]
    told = f" (id {one_line(str(ids[0]), 80)})" if ids else ""
    return _Record(place + told, number, _flattened(item))


def _is_record(document: Mapping[str, object], kind: _Kind) -> bool:
    return all(any(_plain(key) in aliases for key in document) for aliases in kind.needed)


def _listed(document: object, name: str, kind: _Kind) -> list[Any]:
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        raise ConfigError(f"{name}: {_sort(document)}; expected a list of {kind.noun}s")
    found = [key for key in document if _plain(key) in kind.lists and isinstance(document[key], list)]
    if len(found) == 1:
        values: list[Any] = document[found[0]]
        return values
    if found:
        raise ConfigError(f"{name}: {_names(found)} are both lists; which holds the {kind.noun}s? Leave one")
    if _is_record(document, kind):
        return [document]
    raise ConfigError(
        f"{name}: an object with the keys {_names(document)}; expected a list of {kind.noun}s, or an object that keeps it "
        f"under {' or '.join(map(repr, kind.lists))}"
    )


def _flattened(fields: dict[str, object]) -> dict[str, object]:
    """A question that is an object of its own (`stem` and `choices`, as in OpenBookQA) becomes two fields."""
    for key, value in fields.items():
        if _plain(key) == "question" and isinstance(value, dict) and "stem" in value and not set(value) & (set(fields) - {key}):
            return {**{other: item for other, item in fields.items() if other != key}, **value, key: value["stem"]}
    return fields


def _loads(text: str) -> object:
    """JSON, strictly: no key twice, no NaN; numbers with a decimal point stay as they are written. _FieldError otherwise."""
    try:
        return json.loads(text, parse_float=str, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        raise _FieldError(f"not JSON: {error.msg} ({line}column {error.colno})") from None
    except ValueError as error:
        told = "a number of thousands of digits" if "integer string conversion" in str(error) else str(error)
        raise _FieldError(f"not usable JSON: {told}") from None
    except RecursionError:
        raise _FieldError("not usable JSON: nested too deeply") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON value")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {_shown(twice)} stands twice in one object; remove one")
    return fields


def _table_records(text: str, name: str, kind: _Kind) -> list[_Record]:
    separator = _separator(text, kind)
    rows = _rows(text, name, separator)
    if not rows:
        return []
    line, first = rows[0]
    rank = _header_rank(first, kind)
    if rank == 0:
        shape = "; without a header each row is question, options and letter" if kind.headless else ""
        wanted = ", ".join(repr(aliases[0]) for aliases in kind.needed)
        raise ConfigError(
            f"{name}:{line}: not recognised: the first line is neither JSON nor a header of a table with {wanted}{shape}; "
            f"it reads {_shown(' '.join(first))}"
        )
    if rank == 2:
        header = ["question", *_LETTERS[: len(first) - 2], "answer"]
        return [_table_row(header, row, f"{name}:{line}", line) for line, row in rows]
    _check_header(first, kind, f"{name}:{line}")
    return [_table_row(first, row, f"{name}:{number}", number) for number, row in rows[1:]]


def _table_row(header: list[str], row: list[str], place: str, line: int) -> _Record:
    excess = any(cell.strip() for cell in row[len(header) :])
    if len(row) < len(header) or excess:
        told = f"{len(row)} cells, but {len(header)} columns; is a text with a separator or a line break in it not quoted?"
        return _Record(place, line, {}, told)
    return _Record(place, line, dict(zip(header, row, strict=False)))


def _check_header(header: list[str], kind: _Kind, place: str) -> None:
    plain = [_plain(column) for column in header]
    for aliases in kind.needed:
        if not set(aliases) & set(plain):
            raise ConfigError(f"{place}: no column {' or '.join(map(repr, aliases))}; the columns are {_names(header)}")
    counts = Counter(header)
    for column in header:
        if counts[column] > 1 and _is_known(column, kind):
            raise ConfigError(f"{place}: column {_shown(column)} stands twice; remove or rename one")


def _rows(text: str, name: str, separator: str) -> list[tuple[int, list[str]]]:
    """The rows that hold anything, each with the physical line it begins on."""
    before = csv.field_size_limit(len(text) + 1)  # a model's whole reasoning may stand in one cell
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConfigError(
            f"{name}:{line}: not a table: {error}; a text in quotes ends with one, and quotes inside it are doubled"
        ) from None
    finally:
        csv.field_size_limit(before)
    return rows


def _separator(text: str, kind: _Kind) -> str:
    """The separator under which the first row looks most like the header or the headless row that is expected."""
    best, found = (0, 0), ","
    for separator in ",;\t":
        try:
            first = next((row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)), [])
        except csv.Error:
            continue
        score = (_header_rank(first, kind), len(first))
        if score > best and score[0]:
            best, found = score, separator
    return found


def _header_rank(row: list[str], kind: _Kind) -> int:
    """3: a header with all needed columns, 2: a row of a table without a header, 1: a header that lacks some, 0: neither."""
    known = sum(_is_known(cell, kind) for cell in row)
    if known >= 2 and all(any(_plain(cell) in aliases for cell in row) for aliases in kind.needed):
        return 3
    if kind.headless and len(row) >= 4 and len(row[-1].strip()) == 1 and row[-1].strip() in _LETTERS[: len(row) - 2]:
        return 2
    return 1 if known >= 2 else 0


def _is_known(name: str, kind: _Kind) -> bool:
    plain = _plain(name)
    return plain in kind.known or bool(_TRUNCATED.fullmatch(plain)) or (kind.headless and bool(_OPTION_COLUMN.fullmatch(plain)))


# From names to meanings


def _layouts(records: Sequence[_Record], kind: _Kind) -> dict[tuple[str, ...], _Columns]:
    """What the names mean, once for each set of them that occurs."""
    return {names: _columns(names, kind) for names in {tuple(record.fields): None for record in records}}


def _columns(names: tuple[str, ...], kind: _Kind) -> _Columns:
    by_alias: dict[str, list[str]] = {}
    for name in names:
        by_alias.setdefault(_plain(name), []).append(name)
    if not kind.headless:
        cut = [name for name in names if _TRUNCATED.fullmatch(_plain(name))]
        return _Columns({**by_alias, "truncated": cut})
    return _lettered_columns(names, by_alias)


def _lettered_columns(names: tuple[str, ...], by_alias: dict[str, list[str]]) -> _Columns:
    """Options in columns of their own: A, B, C or choice_a, option_a, choice0, option1 and the like, without a gap."""
    styles: dict[str, dict[int, str]] = {}
    for name in names:
        plain = _plain(name)
        match = _OPTION_COLUMN.fullmatch(plain)
        if match is None or plain in _CHOICES:
            continue
        mark = match.group(1) or match.group(2)
        positions = styles.setdefault(plain[: -len(mark)] + ("a" if match.group(1) else "0"), {})
        position = _LETTERS.index(mark.upper()) if match.group(1) else int(mark)
        if position in positions:
            return _Columns(
                by_alias, problem=f"{one_line(name)}: the same option as {one_line(positions[position])}; remove one"
            )
        positions[position] = name
    if not styles:
        return _Columns(by_alias)
    if len(styles) > 1:
        both = " and ".join(one_line(next(iter(found.values()))) for found in styles.values())
        return _Columns(by_alias, problem=f"{both}: options stand under two kinds of names; remove or rename one kind")
    style, found = next(iter(styles.items()))
    start = min(found)
    if start > (1 if style.endswith("0") else 0) or sorted(found) != list(range(start, start + len(found))):
        return _Columns(
            by_alias, problem=f"{_names(found.values())}: the columns of the options have a gap, or do not begin at the first"
        )
    return _Columns(by_alias, tuple(found[position] for position in sorted(found)), from_one=start == 1)


def _refuse_no_options(records: Sequence[_Record], layouts: Mapping[tuple[str, ...], _Columns], name: str) -> None:
    """One sentence about the file where no question of it has options, in place of the same problem for each."""
    usable = [record for record in records if not record.problem]
    for record in usable:
        columns = layouts[tuple(record.fields)]
        texts = [value for _, value in columns.given(record.fields, _QUESTION)]
        if columns.lettered or columns.problem or any(columns.by_alias.get(alias) for alias in _CHOICES):
            return
        if any(isinstance(text, str) and _OPTIONS_IN_TEXT.search(text) for text in texts):
            return
    if usable:
        raise ConfigError(
            f"{usable[0].place}: no options: none of the fields {_names(usable[0].fields)} holds them, here or further on; a "
            "question with lettered answers needs 'choices' or 'options', or a field for each (A, B, ... or choice_a, ...)"
        )


def _refuse_twice(gathered: _Gathered, keys: Iterable[tuple[int, object]], what: str) -> None:
    places: dict[object, str] = {}
    for number, key in keys:
        place = gathered.records[number].place
        if key in places:
            told = ", ".join(_shown(part) for part in (key if isinstance(key, tuple) else (key,)))
            gathered.problems.setdefault(number, f"{place}: {what}: {told} stands at {places[key]} already")
        places.setdefault(key, place)


def _benchmark_name(records: Sequence[_Record], name: str) -> str:
    versions = {value if isinstance(value, str) else "" for value in (record.fields.get("version") for record in records)}
    version = one_line(versions.pop()) if len(versions) == 1 else ""
    base = re.split(r"[/\\]", name)[-1]
    return version or base.rpartition(".")[0] or base


# From a record to a question


def _draft(fields: dict[str, object], columns: _Columns, made_id: str) -> _Draft:
    if columns.problem:
        raise _FieldError(columns.problem)
    column, value = columns.one(fields, _QUESTION)
    if not column:
        raise _FieldError(f"question: {_lacking(columns, _QUESTION)}")
    question = _text(value, column)
    choices, labels, question, column = _options(fields, columns, question, column)
    _check_options(choices, labels, column)
    answers = columns.given(fields, _ANSWER)
    if not answers:
        raise _FieldError(f"answer: {_lacking(columns, _ANSWER)}")
    return _Draft(
        made_id or _name_of(fields, columns, _ID, "id"),
        question,
        choices,
        labels,
        answers,
        columns.from_one,
        _difficulty(fields, columns),
        _values(fields, columns, _DOMAINS, _DOMAIN),
        _values(fields, columns, _TOPICS, _TOPIC),
        _calc_required(fields, columns),
    )


def _options(fields: dict[str, object], columns: _Columns, question: str, column: str) -> tuple[list[str], list[str], str, str]:
    """Options, their labels (none where they have no names of their own), the question without them, and where they stood."""
    listed, cells = columns.given(fields, _CHOICES), _filled(fields, columns.lettered)
    if listed and cells:
        raise _FieldError(f"{one_line(listed[0][0])}: options stand here and under {_names(cells)}; remove one")
    if cells:
        choices = [_text(fields[name], name) for name in cells]
        return choices, list(cells), question, _names(cells)
    if listed:
        name, value = columns.one(fields, _CHOICES)
        return *_listed_options(value, name), question, name
    if _OPTIONS_IN_TEXT.search(question):
        return *_options_in_text(question, column), column
    raise _FieldError(f"choices: {_lacking(columns, _CHOICES)}")


def _filled(fields: dict[str, object], lettered: tuple[str, ...]) -> tuple[str, ...]:
    """The option columns up to the last that is not empty: empty ones at the end mean fewer options."""
    last = max((number for number, name in enumerate(lettered, start=1) if not _blank(fields[name])), default=0)
    for name in lettered[:last]:
        if _blank(fields[name]):
            raise _FieldError(f"{one_line(name)}: an empty option before {one_line(lettered[last - 1])}")
    return lettered[:last]


def _check_options(choices: list[str], labels: list[str], column: str) -> None:
    count = len(choices)
    if not 2 <= count <= len(_LETTERS):
        raise _FieldError(f"{one_line(column)}: {count} option{'s' * (count != 1)}; a question has 2 to {len(_LETTERS)}")
    if len(set(labels)) < len(labels):
        raise _FieldError(f"{one_line(column)}: two options with the same label")


def _listed_options(value: object, column: str) -> tuple[list[str], list[str]]:
    """Options and labels of a field: a list of texts or objects, two lists, an object by letter, or one of them in a cell."""
    if isinstance(value, str):
        value = _cell_value(value.strip(), column)
    if isinstance(value, dict):
        value = _paired(value, column)
    if not isinstance(value, list):
        raise _FieldError(f"{one_line(column)}: {_sort(value)}, not a list of options")
    if not any(isinstance(item, dict) for item in value):
        return [_text(item, f"{column}[{number}]") for number, item in enumerate(value)], []
    texts, labels = [], []
    for number, item in enumerate(value):
        if not isinstance(item, dict) or "text" not in item or ("label" in item) != ("label" in value[0]):
            raise _FieldError(f"{one_line(column)}[{number}]: not an object with 'text' and 'label' like the others")
        texts.append(_text(item["text"], f"{column}[{number}]"))
        labels += [_text(item["label"], f"{column}[{number}].label")] if "label" in item else []
    return texts, labels


def _cell_value(cell: str, column: str) -> object:
    if cell.startswith(("[", "{")):
        try:
            return _loads(cell)
        except _FieldError as error:
            raise _FieldError(f'{one_line(column)}: {error}; write options in one cell as ["one", "two"]') from None
    parts = cell.split(",")
    spaced = [part.startswith(" ") for part in parts[1:]]
    if any(spaced) and not all(spaced):
        raise _FieldError(
            f"{one_line(column)}: some commas are followed by a space and some are not, so it is not clear which of them "
            'divide options; write ["one", "two"]'
        )
    return parts


def _paired(value: dict[str, object], column: str) -> list[dict[str, object]]:
    """Options with their labels, of `{"text": [...], "label": [...]}` or of `{"A": "...", "B": "..."}`."""
    texts, labels = value.get("text"), value.get("label")
    if isinstance(texts, list):
        if labels is None:
            return [{"text": text} for text in texts]
        if not isinstance(labels, list) or len(labels) != len(texts):
            raise _FieldError(f"{one_line(column)}: 'text' and 'label' are not lists of the same length")
        return [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    letters = sorted(value)
    if value and all(len(key) == 1 and key.upper() in _LETTERS for key in letters):
        if [key.upper() for key in letters] != list(_LETTERS[: len(letters)]):
            raise _FieldError(f"{one_line(column)}: the letters {_names(letters)} have a gap, or do not begin at A")
        return [{"text": value[key], "label": key} for key in letters]
    return [{"text": text, "label": key} for key, text in value.items()]


def _options_in_text(question: str, column: str) -> tuple[list[str], list[str], str]:
    """Options that a question ends with, as in BIG-Bench Hard: `Options:`, then `(A) one` or `- one` on a line each."""
    mark = list(_OPTIONS_IN_TEXT.finditer(question))[-1]
    stem, texts, letters = question[: mark.start()].strip(), [], []
    for line in question[mark.end() :].strip().split("\n"):
        match = _LISTED_OPTION.fullmatch(line.rstrip())
        if match is None:
            raise _FieldError(
                f"{one_line(column)}: below 'Options:' stands {_shown(line)}, which is not like '(A) text' or '- text'"
            )
        letters.append((match.group(1) or match.group(2) or "").upper())
        texts.append(match.group(3))
    if any(letters) and letters != list(_LETTERS[: len(letters)]):
        raise _FieldError(f"{one_line(column)}: the options below 'Options:' are not lettered from A on without a gap")
    if not stem:
        raise _FieldError(f"{one_line(column)}: no question stands above 'Options:'")
    return texts, letters if any(letters) else [], stem


def _difficulty(fields: dict[str, object], columns: _Columns) -> str:
    column, value = columns.one(fields, ("difficulty",))
    return _text(value, column) if column else ""


def _values(
    fields: dict[str, object], columns: _Columns, plural: tuple[str, ...], singular: tuple[str, ...]
) -> tuple[str, ...]:
    """All values of all these fields, each once: several in a plural one, one in a singular one."""
    found: dict[str, None] = {}
    for column, value in columns.given(fields, (*plural, *singular)):
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _cell_value(value.strip(), column)
        elif isinstance(value, str) and _plain(column) in plural:
            value = value.split(";" if ";" in value else ",")
        parts = value if isinstance(value, list) else [value]
        found.update((_text(part, column), None) for part in parts if not _blank(part))
    return tuple(found)


def _calc_required(fields: dict[str, object], columns: _Columns) -> bool | None:
    said = [(column, _yes_or_no(value, column)) for column, value in columns.given(fields, ("calc_required",))]
    for column, value in columns.given(fields, ("metadata",)):
        if isinstance(value, dict) and not _blank(value.get("calc_required")):
            said.append((f"{column}.calc_required", _yes_or_no(value["calc_required"], f"{column}.calc_required")))
    if len({value for _, value in said}) > 1:
        raise _FieldError(f"{_names(column for column, _ in said)}: contradict each other; remove one")
    return said[0][1] if said else None


# From what is written as the answer to the option that is meant


def _convention(drafts: Collection[_Draft]) -> str:
    """What digits in text fields mean in this file: "position", "text" of an option, or "" where all of them could be either.

    A CSV file has no numbers, only digits, and options may be digits, too. People write one file one way, so a meaning that
    fits every question wins over one that fits only some.
    """
    pairs = [
        (draft, value.strip())
        for draft in drafts
        for _, value in draft.answers
        if isinstance(value, str) and _SMALL_NUMBER.fullmatch(value.strip()) and value.strip() not in draft.labels
    ]
    as_position = all(int(token) < len(draft.choices) for draft, token in pairs)
    as_text = all(token in draft.choices for draft, token in pairs)
    if as_position == as_text:
        return ""
    return "position" if as_position else "text"


def _settled(draft: _Draft, convention: str) -> ChoiceQuestion:
    return ChoiceQuestion(
        draft.id,
        draft.question,
        tuple(draft.choices),
        _right_option(draft, convention),
        draft.difficulty,
        draft.domains,
        draft.topics,
        draft.calc_required,
    )


def _right_option(draft: _Draft, convention: str) -> int:
    """The option that all answer fields can mean; one field may settle what another leaves open."""
    found = set(range(len(draft.choices)))
    for column, value in draft.answers:
        meant = _meanings(draft, column, value, convention)
        if not meant:
            raise _FieldError(f"{one_line(column)}: {_why_nothing(draft, value)}")
        if not found & meant:
            before = " and ".join(f"{one_line(name)} {_shown(said)}" for name, said in draft.answers if name != column)
            raise _FieldError(f"{one_line(column)}: {_shown(value)} contradicts {before}")
        found &= meant
    if len(found) > 1:
        column, value = draft.answers[0]
        options = " or ".join(f"option {_LETTERS[option]} ({_shown(draft.choices[option])})" for option in sorted(found))
        raise _FieldError(
            f"{one_line(column)}: {_shown(value)} is ambiguous, it may mean {options}; "
            "add 'answer_index', counted from 0, to settle it"
        )
    return found.pop()


def _meanings(draft: _Draft, column: str, value: object, convention: str) -> set[int]:
    """Every option that a written answer could mean: a number is a position, a text a label, a letter, digits or an option."""
    count = len(draft.choices)
    if isinstance(value, int) and not isinstance(value, bool):
        named = {draft.labels.index(str(value))} if _plain(column) not in _POSITION and str(value) in draft.labels else set()
        return named | ({value} if 0 <= value < count else set())
    if not isinstance(value, (str, bool)):
        return set()
    token = _text(value, column)
    letter = _BARE_LETTER.fullmatch(token)
    if _SMALL_NUMBER.fullmatch(token):
        position = {int(token)} if int(token) < count else set()
        if _plain(column) in _POSITION or (convention == "position" and token not in draft.labels):
            return position
        named = {draft.labels.index(token)} if token in draft.labels else position if convention != "text" else set()
    elif token in draft.labels or token.strip("()") in draft.labels:
        named = {draft.labels.index(token if token in draft.labels else token.strip("()"))}
    elif letter and _LETTERS.index(letter.group(1).upper()) < count:
        named = {_LETTERS.index(letter.group(1).upper())}
    else:
        named = set()
    return named | {option for option, text in enumerate(draft.choices) if text == token}


def _why_nothing(draft: _Draft, value: object) -> str:
    count = len(draft.choices)
    last = _LETTERS[count - 1]
    token = str(value).strip() if isinstance(value, (str, int)) else ""
    if token.lstrip("-").isdecimal():
        wrong = "is one too many" if token == str(count) else "is no option"
        return f"{_shown(token)} {wrong}: numbers count from 0, here to {count - 1}; letters (A to {last}) are safer"
    return (
        f"{_shown(value)} is neither a letter from A to {last}, nor a number from 0 to {count - 1}, nor the text of an option"
    )


def _refuse_unclear_start(drafts: Collection[_Draft], name: str) -> None:
    """Columns numbered from 1 and answers that are numbers: unless one of them is 0, they may count from 1 as well."""
    numbers = [
        str(value).strip()
        for draft in drafts
        if draft.from_one and len(draft.answers) == 1
        for _, value in draft.answers
        if isinstance(value, (str, int)) and str(value).strip().isdecimal()
    ]
    if numbers and "0" not in numbers:
        raise ConfigError(
            f"{name}: the columns of the options are numbered from 1, and the answers are numbers without a 0, so it is not "
            "clear which option is meant; write letters (A for the first)"
        )


# From a record to an answer


def _answer(record: _Record, columns: _Columns) -> ImportedAnswer:
    fields = record.fields
    question_id = _name_of(fields, columns, _ID, "question_id")
    model = _name_of(fields, columns, _MODEL, "model")
    pattern = _pattern(fields, columns)
    letter = None if pattern == "failed" else _letter(fields, columns)
    column, cut = columns.one(fields, ("truncated",))
    truncated = bool(column) and _yes_or_no(cut, column)
    return ImportedAnswer(question_id, model, _response(fields, columns), letter, pattern, truncated, record.row)


def _response(fields: dict[str, object], columns: _Columns) -> str:
    column, value = columns.one(fields, _RESPONSE)
    if not column:
        blank = [(name, fields[name]) for alias in _RESPONSE for name in columns.by_alias.get(alias, ())]
        column, value = next(((name, item) for name, item in blank if item is not None), ("", None))
    if not column:
        told = _lacking(columns, _RESPONSE)
        raise _FieldError(f'raw_response: {told}; a model that replied with nothing has "", a call that failed has no row')
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    return _text(value, column)


def _letter(fields: dict[str, object], columns: _Columns) -> str | None:
    column, value = columns.one(fields, _LETTER)
    if not column or (isinstance(value, str) and value.strip().lower() in ("none", "failed")):
        return None
    match = _BARE_LETTER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise _FieldError(f"{one_line(column)}: {_shown(value)} is not a letter; leave it empty where none was read")
    return match.group(1).upper()


def _pattern(fields: dict[str, object], columns: _Columns) -> str:
    """The pattern's name; "failed" also where the table says "None", and "" where it says nothing."""
    column, value = columns.one(fields, _PATTERN)
    pattern = one_line(_text(value, column)) if column else ""
    return "failed" if pattern.lower() in ("none", "failed") else pattern


# Values


def _text(value: object, column: str) -> str:
    """Text without the white space around it; numbers, true and false as JSON writes them. _FieldError for anything else."""
    if isinstance(value, str):
        text = value.strip()
    elif isinstance(value, (bool, int)):
        text = _number(value)
    else:
        raise _FieldError(f"{one_line(column)}: {_sort(value)}, not text")
    if not text:
        raise _FieldError(f"{one_line(column)}: empty")
    if not text.isascii() and _SURROGATE.search(text):
        raise _FieldError(f"{one_line(column)}: {_shown(text)} holds half a character (a lone surrogate)")
    return text


def _number(value: int) -> str:
    return json.dumps(value)


def _name_of(fields: dict[str, object], columns: _Columns, aliases: tuple[str, ...], what: str) -> str:
    """An id or a model's name: on one line, with nothing in it that cannot be seen."""
    column, value = columns.one(fields, aliases)
    if not column:
        raise _FieldError(f"{what}: {_lacking(columns, aliases)}")
    if isinstance(value, bool):
        raise _FieldError(f"{one_line(column)}: true or false, not text or a number")
    text = _text(value, column)
    if visible(text) != text or "\n" in text or "\t" in text:
        raise _FieldError(f"{one_line(column)}: {_shown(text)} holds control characters or line breaks")
    return text


def _yes_or_no(value: object, column: str) -> bool:
    token = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    if token in ("true", "1", "yes"):
        return True
    if token in ("false", "0", "no"):
        return False
    raise _FieldError(f"{one_line(column)}: {_shown(value)} is neither true nor false (or 1 and 0, or yes and no)")


def _lacking(columns: _Columns, aliases: Sequence[str]) -> str:
    present = [name for alias in aliases for name in columns.by_alias.get(alias, ())]
    if present:
        return f"{_names(present)} says nothing"
    return f"no such field (nor {', '.join(aliases[1:])})" if len(aliases) > 1 else "no such field"


def _comparable(value: object) -> object:
    return str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else value


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _plain(name: str) -> str:
    """A column's name as the aliases are written."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _names(names: Iterable[str]) -> str:
    return one_line(", ".join(names), 160)


def _shown(value: object) -> str:
    """A value short enough for a message; lists and objects only by what they are, however large or deep."""
    if isinstance(value, str):
        return repr(one_line(value, 60))
    return one_line(_number(value), 60) if isinstance(value, int) else _sort(value)


def _sort(value: object) -> str:
    """What kind of JSON value this is, in words."""
    if value is None:
        return "null"
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return kinds[type(value)]
