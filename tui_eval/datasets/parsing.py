"""A text in a format people have (JSON, JSONL, or a table with commas, semicolons or tabs), brought to records.

A record is a place in the file and its named fields, whatever the fields are about: what they mean is for the caller to
know, who says in a Subject what to look for. What the text holds decides the format, not the file's name.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TypeVar, cast

from tui_eval.core.errors import ConfigError
from tui_eval.core.gathering import gathered
from tui_eval.core.plaintext import one_line, visible
from tui_eval.datasets.field_values import (
    FieldError,
    comparable,
    enumerated,
    is_blank,
    plain_name,
    short_value,
    sort_of,
    strict_json,
    text_of,
)

_MOST_PROBLEMS = 5
_POINTER = "version https://git-lfs.github.com/spec/"
_JSON_START = re.compile(r'\s*(?:\[\s*[\[\]{"]|\{\s*["}])')

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of the records of a text, as far as it helps to find them."""

    noun: str
    """What one record is, for messages."""
    lists: tuple[str, ...]
    """Where a JSON object may keep the list of them."""
    ids: tuple[str, ...]
    """The names an id may have; a message names a record in a JSON list by it."""
    needed: tuple[tuple[str, ...], ...]
    """The fields that a record cannot do without, each by all names it may have."""
    is_known: Callable[[str], bool]
    """Whether the plain name of a column means anything: with two that do, a row is a header."""
    headless: Callable[[Sequence[str]], list[str]] = lambda row: []
    """The names of the columns, where the first row of a table is a record already; none where it is not."""
    headless_shape: str = ""
    """What such a row holds, for messages; nothing where a table needs a header."""


@dataclass(slots=True)
class Record:
    """One row, line or object: where it stands, and its fields under the names the file gives them."""

    before: str
    """What its place begins with, up to its number."""
    row: int
    """Counted from 1; 0 = it has no number."""
    fields: dict[str, object]
    problem: str = ""
    told: str = ""
    """What else is said of its place."""
    cells: bool = False
    """It is a row of a table, in which an empty text and no value look the same."""

    @property
    def place(self) -> str:
        """Place of the record, for messages."""
        return f"{self.before}{self.row or ''}{self.told}"


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Meaning of a record's names: the names in the file under the plain ones."""

    by_alias: dict[str, list[str]]
    found: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def given(self, fields: Mapping[str, object], aliases: tuple[str, ...]) -> list[tuple[str, object]]:
        """Names and values that say something, of all columns that are known by one of these aliases."""
        names = self.found.get(aliases)
        if names is None:  # large tables ask the same few questions of every row
            names = self.found[aliases] = [name for alias in aliases for name in self.by_alias.get(alias, ())]
        return [(name, value) for name in names if not is_blank(value := fields[name])] if names else []

    def one(self, fields: Mapping[str, object], aliases: tuple[str, ...]) -> tuple[str, object]:
        """The one name and value among the aliases, ("", None) where none says anything; two that differ are unusable."""
        candidates = self.given(fields, aliases)
        if len(candidates) == 1:
            return candidates[0]
        for name, value in candidates[1:]:
            if comparable(value) != comparable(candidates[0][1]):
                conflict = (
                    f"{one_line(candidates[0][0])}: {short_value(candidates[0][1])} and {one_line(name)} {short_value(value)}"
                )
                raise FieldError(f"{conflict} contradict each other; remove or rename one of the two")
        return candidates[0] if candidates else ("", None)

    def name(self, fields: Mapping[str, object], aliases: tuple[str, ...], field_name: str) -> str:
        """An id or a model's name: on one line, with nothing in it that cannot be seen."""
        column, value = self.one(fields, aliases)
        if not column:
            raise FieldError(f"{field_name}: {self.lacking(aliases)}")
        if isinstance(value, bool):
            raise FieldError(f"{one_line(column)}: true or false, not text or a number")
        text = text_of(value, column)
        if text.isascii() and text.isprintable():
            return text
        if visible(text) != text or "\n" in text or "\t" in text:
            raise FieldError(f"{one_line(column)}: {short_value(text)} holds control characters or line breaks")
        return text

    def lacking(self, aliases: Sequence[str]) -> str:
        """Why nothing was given under these aliases, in words."""
        present = [name for alias in aliases for name in self.by_alias.get(alias, ())]
        if present:
            return f"{enumerated(present)} is empty"
        return f"no such field (nor {', '.join(aliases[1:])})" if len(aliases) > 1 else "no such field"


def columns_of(names: Iterable[str]) -> FieldNames:
    """These names under their plain ones."""
    return FieldNames(gathered((plain_name(name), name) for name in names))


def per_layout(records: Sequence[Record], reader: Callable[[tuple[str, ...]], _T]) -> list[_T]:
    """Return what the reader makes of each record's names; records with the same names share it."""
    read = cache(reader)
    return [read(tuple(record.fields)) for record in records]


@dataclass(slots=True)
class Gathered:
    """Records as they are read; problems by the number of their record, so that they are told in the file's order."""

    records: Sequence[Record]
    problems: dict[int, str] = field(default_factory=dict)

    def read(self, number: int, reader: Callable[..., _T], *arguments: object) -> _T | None:
        """Return the reader's result; None, and a problem on file, where it or the record is not usable."""
        if number in self.problems:
            return None
        try:
            if self.records[number].problem:
                raise FieldError(self.records[number].problem)
            return reader(*arguments)
        except FieldError as error:
            self.problems[number] = f"{self.records[number].place}: {error}"
            return None

    def refuse_twice(self, keys: Iterable[tuple[int, tuple[str, ...]]], key_name: str) -> None:
        """Problems on file for the records, by number, whose key an earlier one has."""
        places: dict[tuple[str, ...], str] = {}
        for number, key in keys:
            place = self.records[number].place
            if key in places:
                key_text = ", ".join(short_value(part) for part in key)
                self.problems.setdefault(number, f"{place}: {key_name}: {key_text} already appears at {places[key]}")
            places.setdefault(key, place)

    def refuse(self) -> None:
        """ConfigError with the first problems, one a line, and how many more there are."""
        if self.problems:
            problems = [self.problems[number] for number in sorted(self.problems)]
            more = len(problems) - _MOST_PROBLEMS
            raise ConfigError("\n".join(problems[:_MOST_PROBLEMS] + ([f"and {more} more"] if more > 0 else [])))


def read_records(text: str, name: str, subject: Subject) -> list[Record]:
    """The records of a text, at least one; ConfigError that names file and place where the text as a whole is not usable.

    What is wrong with one record alone is kept in its `problem`, so that it can be told together with the others'.
    """
    text = text.removeprefix("\ufeff")
    if text.startswith(_POINTER):
        raise ConfigError(f"{name}:1: a Git LFS pointer, not the data itself; run `git lfs pull` where it was cloned")
    if not text.strip():
        raise ConfigError(f"{name}: is empty; expected {subject.noun}s as JSON, JSONL or CSV")
    records = _json_records(text, name, subject) if _JSON_START.match(text) else _table_records(text, name, subject)
    if not records:
        raise ConfigError(f"{name}: holds no {subject.noun}s")
    return records


# JSON


def _json_records(text: str, name: str, subject: Subject) -> list[Record]:
    first = list(islice(_filled_lines(text), 2))
    try:
        document = strict_json(text)
    except FieldError as error:
        if len(first) > 1 and all(line.lstrip().startswith("{") for _, line in first):
            before = f"{name}:"
            return [_json_line(line, before, number) for number, line in _filled_lines(text)]
        if "Extra data" in str(error) and text.lstrip().startswith("{"):
            raise ConfigError(
                f"{name}: several objects, each over several lines; write one a line (jq -c . {name}), or all in a list"
            ) from None
        raise ConfigError(f"{name}: {error}") from None
    alone = isinstance(document, dict) and len(first) == 1 and _is_record(document, subject)
    if isinstance(document, dict) and alone and (subject.needed or not _lists_in(document, subject)):
        return [Record(f"{name}:", first[0][0], document)]
    items, before = _listed(document, name, subject), f"{name}: {subject.noun} "
    return [_json_item(item, before, number, subject) for number, item in enumerate(items, start=1)]


def _filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers from 1; a large text is not in memory a second time in its lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    begin, number = 0, 0
    while begin <= len(text):
        end = text.find("\n", begin)
        line, number = text[begin : None if end < 0 else end], number + 1
        if line.strip():
            yield number, line
        begin = len(text) + 1 if end < 0 else end + 1


def _json_line(line: str, before: str, row: int) -> Record:
    try:
        item = strict_json(line)
    except FieldError as error:
        return Record(before, row, {}, str(error))
    if not isinstance(item, dict):
        return Record(before, row, {}, f"{sort_of(item)}, not an object")
    return Record(before, row, item)


def _json_item(item: object, before: str, number: int, subject: Subject) -> Record:
    if not isinstance(item, dict):
        return Record(before, number, {}, f"{sort_of(item)}, not an object")
    ids = [value for key, value in item.items() if plain_name(key) in subject.ids and isinstance(value, (str, int))]
    id_note = f" (id {one_line(str(ids[0]), 80)})" if ids else ""
    return Record(before, number, item, told=id_note)


def _is_record(document: Mapping[str, object], subject: Subject) -> bool:
    return all(any(plain_name(key) in aliases for key in document) for aliases in subject.needed)


def _lists_in(document: Mapping[str, object], subject: Subject) -> list[str]:
    """The keys that may hold the list of records."""
    return [key for key, value in document.items() if plain_name(key) in subject.lists and isinstance(value, list)]


def _listed(document: object, name: str, subject: Subject) -> list[object]:
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        raise ConfigError(f"{name}: {sort_of(document)}; expected a list of {subject.noun}s")
    list_keys = _lists_in(document, subject)
    if len(list_keys) == 1:
        return cast(list[object], document[list_keys[0]])
    if list_keys:
        raise ConfigError(f"{name}: {enumerated(list_keys)} are both lists; which holds the {subject.noun}s? Leave one")
    if _is_record(document, subject):
        return [document]
    raise ConfigError(
        f"{name}: an object with the keys {enumerated(document)}; expected a list of {subject.noun}s, or an object that "
        f"has it under {' or '.join(map(repr, subject.lists))}"
    )


def json_value(text: str, name: str) -> object:
    """Return the value of a JSON file, read strictly. ConfigError that names it, with line and column, where it is no JSON."""
    try:
        return strict_json(text.removeprefix("\ufeff"))
    except FieldError as error:
        raise ConfigError(f"{name}: {error}") from None


# Tables


def _table_records(text: str, name: str, subject: Subject) -> list[Record]:
    separator = _separator(text, subject)
    rows = _rows(text, name, separator)
    if not rows:
        return []
    line, first = rows[0]
    rank = _header_rank(first, subject)
    if rank == 0:
        shape = f"; without a header each row is {subject.headless_shape}" if subject.headless_shape else ""
        needed = ", ".join(repr(aliases[0]) for aliases in subject.needed)
        raise ConfigError(
            f"{name}:{line}: not recognised: the first line is neither JSON nor a header of a table with {needed}{shape}; "
            f"it reads {short_value(' '.join(first))}"
        )
    if rank == 2:
        header = subject.headless(first)
        return [_table_row(header, row, f"{name}:", line) for line, row in rows]
    _check_header(first, subject, f"{name}:{line}")
    return [_table_row(first, row, f"{name}:", number) for number, row in rows[1:]]


def _table_row(header: list[str], row: list[str], before: str, line: int) -> Record:
    excess = any(cell.strip() for cell in row[len(header) :])
    if len(row) < len(header) or excess:
        problem = f"{len(row)} cells, but {len(header)} columns; is a text with a separator or a line break in it not quoted?"
        return Record(before, line, {}, problem)
    return Record(before, line, dict(zip(header, row, strict=False)), cells=True)


def _check_header(header: list[str], subject: Subject, place: str) -> None:
    plain = [plain_name(column) for column in header]
    for aliases in subject.needed:
        if not set(aliases) & set(plain):
            raise ConfigError(f"{place}: no column {' or '.join(map(repr, aliases))}; the columns are {enumerated(header)}")
    counts = Counter(header)
    for column in header:
        if counts[column] > 1 and subject.is_known(plain_name(column)):
            raise ConfigError(f"{place}: column {short_value(column)} appears twice; remove or rename one")


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


def _separator(text: str, subject: Subject) -> str:
    """The separator under which the first row looks most like the header or the headless row that is expected."""
    best, best_separator = (0, 0), ","
    for separator in ",;\t":
        try:
            first = next((row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)), [])
        except csv.Error:
            continue
        score = (_header_rank(first, subject), len(first))
        if score[0] and score > best:
            best, best_separator = score, separator
    return best_separator


def _header_rank(row: list[str], subject: Subject) -> int:
    """3: a header with all needed columns, 2: a row of a table without a header, 1: a header that lacks some, 0: neither."""
    known_count = sum(subject.is_known(plain_name(cell)) for cell in row)
    if known_count >= 2 and all(any(plain_name(cell) in aliases for cell in row) for aliases in subject.needed):
        return 3
    if subject.headless(row):
        return 2
    return 1 if known_count >= 2 else 0
