"""Roles of the columns of a file: which hold the question, its context, the targets, options, group and system message.

Only what is certain has a role: a name that people use for one thing, alone among the names for it, with values that fit.
Import, kind qa and the short form of a run all ask here. What a person says with `--map` or in a config goes before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from tui_eval.core.plaintext import one_line
from tui_eval.datasets.field_values import enumerated, is_blank, list_in_cell, names_a_file, plain_name
from tui_eval.datasets.lettered.field_names import CHOICES, ID
from tui_eval.datasets.lettered.option_fields import OPTION_COLUMN
from tui_eval.datasets.parsing import Record
from tui_eval.datasets.shapes.message_lists import MESSAGES
from tui_eval.datasets.shapes.target_columns import CONTEXT, LOOKED_AT, QUESTION, target_column

INSTRUCTION = "instruction"
"""Beside an input it is half of what is asked, so that neither is the question."""
LISTS = ("text", "aliases")
"""Where an object that is a target keeps its list of right answers: SQuAD's `answers.text`, TriviaQA's `answer.aliases`."""
GROUP = ("group", "group_id", "document_id", "passage_id", "article_id", "source_id")
"""What samples share that are no independent evidence. A category is none of it: its samples are."""
TITLE = ("title",)
"""The same where samples have a context: the article that it is taken from, as in SQuAD."""
FILES, IMAGES = frozenset({"document", "documents", "file", "files"}), frozenset({"image", "images", "picture"})
"""Names of columns that name files, where such files are there; a document may be a context itself."""
SYSTEM = ("system", "system_prompt", "system_message")
SCHEMA = ("schema", "json_schema")


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The columns of a file by what they are; empty where none is for certain."""

    question: str = ""
    context: str = ""
    """What the question is about, or what is to be summarized or extracted from."""
    target: str = ""
    """The right answer or the list of them: a column, or a path into one such as answers.text."""
    options: tuple[str, ...] = ()
    """Of multiple-choice questions: a column for each in their order, or one that lists them."""
    id: str = ""
    group: str = ""
    """What samples share that are no independent evidence, such as the article that their contexts are taken from."""
    system: str = ""
    messages: str = ""
    """Whole lists of messages (role, content)."""
    schema: str = ""
    """A JSON Schema that the reply is to meet."""
    target_doubt: str = ""
    """Which columns could be the target where none is for certain, as a sentence."""

    @property
    def prompt(self) -> str:
        """The prompt where nobody writes one: the context, if there is one, and the question. Empty without a question,
        for then the columns do not say what is wanted."""
        if not (self.question and self.context):
            return f"{{{self.question}}}" if self.question else ""
        return f"Context: {{{self.context}}}\n\nQuestion: {{{self.question}}}"

    @property
    def words(self) -> str:
        """The role of each column, in a line."""
        roles = [(name, getattr(self, name)) for name in self.__slots__ if name != "target_doubt"]
        descriptions = [
            (name, enumerated(value) if isinstance(value, tuple) else one_line(value, 60)) for name, value in roles if value
        ]
        return ", ".join(f"{name}: {value}" for name, value in descriptions)


def column_roles(records: Sequence[Record]) -> ColumnRoles:
    """Return what is certain of the columns of these records, which are in plain form (`plain_records`)."""
    return _RoleReader([record for record in records if not record.problem]).roles()


class _RoleReader:
    """The columns of records by their plain names, with their values."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        names = dict.fromkeys(name for record in records for name in record.fields)
        self._by_plain_name: dict[str, list[str]] = {}
        for name in names:
            self._by_plain_name.setdefault(plain_name(name), []).append(name)

    def roles(self) -> ColumnRoles:
        """All that is certain."""
        options = self._options()
        question = self._column((*QUESTION, INSTRUCTION), _is_text)
        right = target_column(self._records)
        target = right.name and right.name + self._list_in(right.name)
        schema = self._column(SCHEMA, _is_schema)
        context = self._column(CONTEXT, _is_text, self._holds_texts) if question or target or schema else ""
        return ColumnRoles(
            question=question,
            context=context,
            target=target,
            options=options,
            id=self._column(ID, _is_id),
            group=self._column(GROUP, _is_id) or (self._column(TITLE, _is_id) if context else ""),
            system=self._column(SYSTEM, _is_text),
            messages=self._column(MESSAGES, _is_messages),
            schema=schema,
            target_doubt=right.doubt,
        )

    def _column(
        self, aliases: Iterable[str], fits: Callable[[object], bool], also: Callable[[str], bool] = lambda name: True
    ) -> str:
        """The column that is called by the first alias, else the only one that is called by any; empty where none is, or where
        a value does not fit."""
        first, *rest = aliases
        fitting = {alias: [name for name in self._by_plain_name.get(alias, ()) if self._fits(name, fits) and also(name)]
                   for alias in (first, *rest)}  # fmt: skip
        every = [name for names in fitting.values() for name in names]
        candidates = fitting[first] or every
        return candidates[0] if len(candidates) == 1 else ""

    def _fits(self, name: str, fits: Callable[[object], bool]) -> bool:
        """Return whether a column says something, and all that it says fits."""
        values = [value for value in self._values(name) if not is_blank(value)]
        return bool(values) and all(map(fits, values))

    def _values(self, name: str) -> Iterable[object]:
        return (record.fields.get(name) for record in islice(self._records, LOOKED_AT))

    def _holds_texts(self, name: str) -> bool:
        """Return whether a column that may name files holds texts instead."""
        if plain_name(name) not in (*FILES, "article"):
            return True
        texts = [value for value in self._values(name) if isinstance(value, str) and value.strip()]
        return not all(map(names_a_file, texts))

    def _options(self) -> tuple[str, ...]:
        listed = self._column(CHOICES, lambda value: isinstance(value, (list, dict, str)))
        if listed:
            return (listed,)
        columns = [name for plain, names in self._by_plain_name.items() if OPTION_COLUMN.fullmatch(plain) for name in names]
        return tuple(columns) if len(columns) >= 2 else ()

    def _list_in(self, name: str) -> str:
        """The rest of the path to the list of right answers within the objects of a column; empty where they are none."""
        values = [value for value in self._values(name) if not is_blank(value)]
        for key in LISTS:
            if all(isinstance(value, dict) and isinstance(value.get(key), list) for value in values):
                return f".{key}"
        return ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _is_id(value: object) -> bool:
    return _is_text(value)


def _is_messages(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and {"role", "content"} <= each.keys() for each in value)


def _is_schema(value: object) -> bool:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = list_in_cell(value.strip(), "schema")
    return isinstance(value, dict) and bool(value.keys() & {"type", "properties", "$schema", "items", "required", "anyOf"})
