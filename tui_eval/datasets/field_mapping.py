"""Which columns of a file are what of a question, said by a person where the columns' own names do not tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.field_roles import ROLES, SEVERAL
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.lettered.field_names import ANSWER, CHOICES, ID, QUESTION
from tui_eval.datasets.lettered.option_fields import OPTION_COLUMN
from tui_eval.datasets.parsing import Record, Subject, enumerated, is_blank, plain_name, read_records

NAMES: Mapping[str, tuple[str, ...]] = {
    "question": (*QUESTION, "problem", "query"),
    "answer": (*ANSWER, "best_answer", "truth", "ideal", "expected", "expected_answer", "reference", "solution"),
    "options": CHOICES,
    "id": ID,
}
"""The names by which each is known, the usual one first."""
LISTS = ("questions", "data", "examples", "items")
SHOWN = 3
"""Rows of a file from which a person tells what its columns are."""
_ANY = Subject("question", LISTS, ID, needed=(), is_known=lambda name: not is_blank(name))
"""Records with any names."""
NOT_MAPPED = " (not mapped)"
"""Behind the name of a column that would be taken for something it was said not to be."""


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """The columns of a file by what they are; empty where none is."""

    question: str = ""
    answer: str = ""
    options: tuple[str, ...] = ()
    id: str = ""

    def role(self, column: str) -> str:
        """What a column is; empty where it is nothing."""
        return next((role for role in ROLES if column in self.columns(role)), "")

    def columns(self, role: str) -> tuple[str, ...]:
        """The columns that are this."""
        found = getattr(self, role)
        return found if role == SEVERAL else (found,) if found else ()

    def with_role(self, column: str, role: str) -> FieldMapping:
        """The same with a column as this, or as nothing; another that was this, where only one can be, is nothing then."""
        now = {one: tuple(name for name in self.columns(one) if name != column) for one in ROLES}
        if role:
            now[role] = (*now[role], column) if role == SEVERAL else (column,)
        question, answer, called = ("".join(now[one]) for one in ("question", "answer", "id"))
        return FieldMapping(question, answer, now[SEVERAL], called)

    @property
    def words(self) -> str:
        """Which column is what, in a line."""
        told = [(role, enumerated(self.columns(role))) for role in ROLES if self.columns(role)]
        return ", ".join(f"{role}: {columns}" for role, columns in told)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file, its first records, and how many there are."""

    names: tuple[str, ...]
    rows: tuple[Mapping[str, object], ...]
    records: int
    guessed: FieldMapping

    @property
    def known(self) -> bool:
        """Whether the names tell all that is needed."""
        return bool(self.guessed.question and (self.guessed.answer or self.guessed.options))


def mapping_of(words: Iterable[str], option: str) -> FieldMapping:
    """A mapping as it is written on a command line, `role=column` each. ConfigError, naming the option, for anything else."""
    found = FieldMapping()
    for word in words:
        role, equals, column = word.partition("=")
        if not equals or role not in ROLES or not column:
            raise ConfigError(f"{option} {word}: write ROLE=COLUMN; a role is {' or '.join(ROLES)}")
        if role != SEVERAL and found.columns(role):
            raise ConfigError(f"{option} {word}: {role} was said to be {one_line(found.columns(role)[0], 40)} already")
        if found.role(column):
            raise ConfigError(f"{option} {word}: that column was said to be {found.role(column)} already")
        found = found.with_role(column, role)
    if not found.question:
        raise ConfigError(f"{option}: say at least which column has the question: {option} question=COLUMN")
    return found


def columns_in(text: str, name: str) -> Columns:
    """The columns of a text, whatever they are called. ConfigError where it is no table and no JSON of records."""
    records = read_records(text, name, _ANY)
    names = tuple(dict.fromkeys(field for record in records for field in record.fields))
    if not names:
        raise ConfigError(f"{name}: no record has a field")
    return Columns(names, tuple(record.fields for record in records[:SHOWN]), len(records), guess(names, records[:SHOWN]))


def guess(names: Sequence[str], records: Sequence[Record] = ()) -> FieldMapping:
    """What the columns may be, by their names; where none tells of a question, the first whose texts end with "?" is one."""
    found = FieldMapping()
    for role in ROLES:
        free = [name for name in names if not found.role(name)]
        named = _named(role, free)
        found = found.with_role(named, role) if named else found
    free = [name for name in names if not found.role(name)]
    lettered = tuple(name for name in free if OPTION_COLUMN.fullmatch(plain_name(name)))
    if len(lettered) >= 2 and not found.options:
        return replace(found, options=lettered)
    if found.question or not records:
        return found
    asking = (name for name in free if all(_asks(record.fields.get(name)) for record in records))
    return replace(found, question=next(asking, ""))


def _named(role: str, names: Sequence[str]) -> str:
    """The column that is called so, or else has it in its name; empty where none does."""
    whole = [name for alias in NAMES[role] for name in names if plain_name(name) == alias]
    within = [name for name in names if any(f"_{alias}_" in f"_{plain_name(name)}_" for alias in NAMES[role])]
    return next(iter((*whole, *within)), "")


def _asks(value: object) -> bool:
    return isinstance(value, str) and value.rstrip().endswith("?")


def mapped_records(text: str, name: str, mapping: FieldMapping) -> list[Record]:
    """The records of a text, its columns called as the tool calls them. ConfigError as `read_records`, and for no such one."""
    records = read_records(text, name, _ANY)
    there = dict.fromkeys(field for record in records for field in record.fields)
    missing = [column for role in ROLES for column in mapping.columns(role) if column not in there]
    if missing:
        raise ConfigError(f"{name}: no column {enumerated(missing)}; the columns are {enumerated(there)}")
    called = {mapping.question: QUESTION[0], mapping.answer: ANSWER[0], mapping.id: ID[0]}
    lists = len(mapping.options) == 1
    called |= dict(zip(mapping.options, CHOICES[:1] if lists else ascii_uppercase, strict=False))
    for record in records:
        record.fields = {called.get(field) or _own_name(field): value for field, value in record.fields.items()}
    return records


def _own_name(field: str) -> str:
    """The name of a column that is nothing, so that it is taken for nothing."""
    plain = plain_name(field)
    meant = any(plain in names for names in NAMES.values()) or OPTION_COLUMN.fullmatch(plain)
    return field + NOT_MAPPED if meant else field
