"""Mapping of a file's columns to the parts of a question, by a person, where the columns' own names do not tell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.field_roles import ALSO, GUESSED, ROLES, SEVERAL
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.field_values import enumerated, plain_name
from tui_eval.datasets.lettered.field_names import ANSWER, CHOICES, ID, QUESTION
from tui_eval.datasets.lettered.option_fields import OPTION_COLUMN
from tui_eval.datasets.parsing import Record, read_records
from tui_eval.datasets.shapes.shaped_records import ANY
from tui_eval.datasets.shapes.turn_rows import CONVERSATION, NUMBER

NAMES: Mapping[str, tuple[str, ...]] = {
    "question": (*QUESTION, "problem", "query"),
    "answer": (*ANSWER, "best_answer", "truth", "ideal", "expected", "expected_answer", "reference", "solution"),
    "options": CHOICES,
    "id": ID,
    "documents": ("documents", "document", "filename"),
    "group": ("group", "type", "category", "domain", "domains"),
    "turns": ("turns", *NUMBER),
    "conversation": CONVERSATION,
}
"""The names by which each is known, the usual one first."""
SHOWN = 3
"""Rows of a file from which a person tells what its columns are."""
NOT_MAPPED = " (not mapped)"
"""Behind the name of a column that would be taken for something it was said not to be."""


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """The columns of a file by what they are; empty where none is."""

    question: str = ""
    answer: str = ""
    options: tuple[str, ...] = ()
    id: str = ""
    documents: str = ""
    group: str = ""
    turns: str = ""
    conversation: str = ""
    cut_after: str = ""
    """What stands before the answer in its column, such as ####; empty = the whole of it is the answer."""

    @property
    def grouped(self) -> bool:
        """Return whether it makes conversations of the records: turns of them, or one each that has a type."""
        return bool(self.turns or self.conversation or self.group) and not self.options

    def role(self, column: str) -> str:
        """Return the role of a column; empty where it has none."""
        return next((role for role in ROLES if column in self.columns(role)), "")

    def columns(self, role: str) -> tuple[str, ...]:
        """The columns that are this."""
        column_names = getattr(self, role)
        return column_names if role == SEVERAL else (column_names,) if column_names else ()

    def with_role(self, column: str, role: str) -> FieldMapping:
        """The same with a column as this, or as nothing; another that was this, where only one can be, is nothing then."""
        now = {key: tuple(name for name in self.columns(key) if name != column) for key in ROLES}
        if role:
            now[role] = (*now[role], column) if role == SEVERAL else (column,)
        return replace(self, **{key: names if key == SEVERAL else "".join(names) for key, names in now.items()})  # type: ignore[arg-type]

    @property
    def words(self) -> str:
        """The role of each column, in a line."""
        assignments = [(role, enumerated(self.columns(role))) for role in ROLES if self.columns(role)]
        description = ", ".join(f"{role}: {columns}" for role, columns in assignments)
        return description + (f", what follows {one_line(self.cut_after, 40)}" if self.cut_after else "")


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns of a file, its first records, and how many there are."""

    names: tuple[str, ...]
    rows: tuple[Mapping[str, object], ...]
    records: int
    guessed: FieldMapping

    @property
    def known(self) -> bool:
        """Return whether the names tell all that is needed."""
        return bool(self.guessed.question and (self.guessed.answer or self.guessed.options))


def mapping_of(words: Iterable[str], option: str, cut_after: str = "") -> FieldMapping:
    """A mapping as it is written on a command line, `role=column` each. ConfigError, naming the option, for anything else.

    `cut_after`: what stands before an answer in its column; without any words it is all that is said.
    """
    mapping = FieldMapping(cut_after=cut_after)
    if cut_after and not (words := list(words)):
        return mapping
    for word in words:
        role, equals, column = word.partition("=")
        role = ALSO.get(role, role)
        if not equals or role not in ROLES or not column:
            raise ConfigError(f"{option} {word}: write ROLE=COLUMN; a role is {' or '.join(ROLES)}")
        if role != SEVERAL and mapping.columns(role):
            raise ConfigError(f"{option} {word}: {role} is already mapped to {one_line(mapping.columns(role)[0], 40)}")
        if mapping.role(column):
            raise ConfigError(f"{option} {word}: that column is already mapped as {mapping.role(column)}")
        mapping = mapping.with_role(column, role)
    if not mapping.question and not mapping.turns:
        raise ConfigError(f"{option}: name at least the column with the question: {option} question=COLUMN")
    if mapping.options and (mapping.turns or mapping.conversation or mapping.documents):
        raise ConfigError(f"{option}: questions with options stand alone; leave out turns, conversation and documents")
    return mapping


def columns_in(text: str, name: str) -> FileColumns:
    """The columns of a text, whatever they are called. ConfigError where it is no table and no JSON of records."""
    records = read_records(text, name, ANY)
    names = tuple(dict.fromkeys(field for record in records for field in record.fields))
    if not names:
        raise ConfigError(f"{name}: no record has a field")
    return FileColumns(names, tuple(record.fields for record in records[:SHOWN]), len(records), guess(names, records[:SHOWN]))


def guess(names: Sequence[str], records: Sequence[Record] = ()) -> FieldMapping:
    """Guess the roles of columns by their names; where none tells of a question, the first whose texts end with "?" is one."""
    mapping = FieldMapping()
    for role in GUESSED:
        free = [name for name in names if not mapping.role(name)]
        column = _name_for_role(role, free)
        mapping = mapping.with_role(column, role) if column else mapping
    free = [name for name in names if not mapping.role(name)]
    lettered = tuple(name for name in free if OPTION_COLUMN.fullmatch(plain_name(name)))
    if len(lettered) >= 2 and not mapping.options:
        return replace(mapping, options=lettered)
    if mapping.question or not records:
        return mapping
    asking = (name for name in free if all(_asks(record.fields.get(name)) for record in records))
    return replace(mapping, question=next(asking, ""))


def _name_for_role(role: str, names: Sequence[str]) -> str:
    """The column that is called so, or else has it in its name; empty where none does."""
    whole = [name for alias in NAMES[role] for name in names if plain_name(name) == alias]
    within = [name for name in names if any(f"_{alias}_" in f"_{plain_name(name)}_" for alias in NAMES[role])]
    return next(iter((*whole, *within)), "")


def _asks(value: object) -> bool:
    return isinstance(value, str) and value.rstrip().endswith("?")


def mapped_records(text: str, name: str, mapping: FieldMapping) -> tuple[list[Record], FieldMapping]:
    """The records of a text, its columns called as the tool calls them, and which they were.

    Where a mapping names no column, it is guessed. ConfigError as `read_records`, and for a column that is not there.
    """
    records = read_records(text, name, ANY)
    there = dict.fromkeys(field for record in records for field in record.fields)
    if not mapping.question and not mapping.turns:
        mapping = replace(guess(tuple(there), records[:SHOWN]), cut_after=mapping.cut_after)
    missing = [column for role in ROLES for column in mapping.columns(role) if column not in there]
    if missing:
        raise ConfigError(f"{name}: no column {enumerated(missing)}; the columns are {enumerated(there)}")
    if not (mapping.options or mapping.turns) and any(
        isinstance(record.fields.get(mapping.answer), list) for record in records
    ):
        column = one_line(mapping.answer, 60)
        hint = f"tui-eval qa {shlex.quote(one_line(name, 200))} --target {shlex.quote(column)} --models A,B takes lists"
        raise ConfigError(f"{name}: {column}: holds lists, and an open question has one answer; {hint}")
    field_names = _names_for(mapping, any(isinstance(record.fields.get(mapping.turns), list) for record in records))
    if mapping.cut_after:
        _cut(records, mapping, name)
    for record in records:
        record.fields = {field_names.get(field) or _own_name(field): value for field, value in record.fields.items()}
    return records, mapping


def _names_for(mapping: FieldMapping, lists: bool) -> dict[str, str]:
    """Return the tool's names of the columns; `lists`: whether that of the turns holds lists of questions."""
    field_names = {mapping.question: QUESTION[0], mapping.answer: "reference" if lists else ANSWER[0], mapping.id: ID[0]}
    several = len(mapping.options) != 1
    field_names |= dict(zip(mapping.options, ascii_uppercase if several else CHOICES[:1], strict=False))
    field_names |= {mapping.documents: "document", mapping.group: "domain" if mapping.options else "type"}
    field_names |= {mapping.turns: "turns" if lists else NUMBER[0], mapping.conversation: ID[0] if lists else CONVERSATION[0]}
    return {column: name for column, name in field_names.items() if column}


def _cut(records: Sequence[Record], mapping: FieldMapping, name: str) -> None:
    """Of each answer what follows the last of the marks. ConfigError where none has any."""
    has_mark = False
    for record in records:
        value = record.fields.get(mapping.answer)
        if isinstance(value, str) and mapping.cut_after in value:
            has_mark = True
            record.fields[mapping.answer] = value.rpartition(mapping.cut_after)[2].strip()
    if not has_mark:
        column = f"in {one_line(mapping.answer, 40)}" if mapping.answer else "anywhere, because no column is the answer"
        raise ConfigError(f"{name}: --cut-after {one_line(mapping.cut_after, 40)}: it does not appear {column}")


def _own_name(field: str) -> str:
    """The name of a column that is nothing, so that it is taken for nothing."""
    plain = plain_name(field)
    has_meaning = any(plain in names for names in NAMES.values()) or OPTION_COLUMN.fullmatch(plain)
    return field + NOT_MAPPED if has_meaning else field
