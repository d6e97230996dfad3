"""Lettered questions of a large file of lines, each made of its line when it is looked at."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from string import ascii_uppercase
from typing import NamedTuple

from tui_eval.core.input_sources import InputFile
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.samples import NOTHING, Sample
from tui_eval.datasets.field_values import FieldError, strict_json
from tui_eval.datasets.lettered.answer_keys import AnswerKey, convention_of, rests_on_convention, right_option
from tui_eval.datasets.lettered.field_names import CHOICES, ID, QUESTION, unfolded
from tui_eval.datasets.lettered.lettered_questions import (
    GROUP_FIELDS,
    ChoiceBenchmark,
    LetteredDraft,
    benchmark_name,
    draft_of,
    groups_of,
    read_as,
    unread_fields,
)
from tui_eval.datasets.lettered.option_fields import Layout, layout_of
from tui_eval.datasets.lettered.right_first import NOT_MIXED, may_be_right_first
from tui_eval.datasets.parsing import FieldNames, Record
from tui_eval.workspace.lines_by_place import lines_by_place

LEAST_BYTES = 64 * 1024 * 1024
"""Of a smaller file the questions are held: most runs look at each many times."""


RECENT = 1024
"""Questions that are held since they were looked at last: a run looks at each twice or more while it asks it."""


class QuestionsByPlace(LazySequence[Sample]):
    """Questions of a file that was read through: how many each letter is right of is known."""

    def __init__(self, n: int, make: Callable[[int], Sample], letters: Counter[str]) -> None:
        super().__init__(n, make)
        self.letters = letters


class _UnusualError(Exception):
    """The file is to be read as a whole: it is no file of lines, its options are to be mixed, or something is wrong with it."""


def benchmark_by_place(file: InputFile) -> ChoiceBenchmark | None:
    """The same as `read_benchmark` makes of its text; None where that has to read it, or to say what is wrong with it."""
    if file.held is not None or not file.origin or file.encoding != "utf-8" or file.size < LEAST_BYTES:
        return None
    found = _Questions(lines_by_place(file, stripped=False))
    try:
        found.look_through()
    except (FieldError, _UnusualError):
        return None
    name = benchmark_name(found.versions, file.name)
    first = Record(f"{file.name}:", 1, found.fields(0))
    layouts = found.layouts
    unread = unread_fields(layouts, found.inner)
    letters = Counter({ascii_uppercase[answer]: n for answer, n in Counter(found.answers).items()})
    questions = QuestionsByPlace(len(found.lines), lru_cache(RECENT)(found.question), letters)
    return ChoiceBenchmark(name, questions, unread, read_as(first, layouts[0], NOT_MIXED))


class _Questions:
    """Questions of lines, and what all of them together say of the file."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.versions: set[str] = set()
        self.inner: dict[str, None] = {}
        """Names within `metadata`."""
        self.answers = array("B")
        """By place the right option, counted from 0."""
        self._by_names: dict[tuple[str, ...], Layout] = {}
        self._plain: dict[tuple[str, ...], _PlainFields | None] = {}
        self._numbered = self._has_open = False

    @property
    def layouts(self) -> list[Layout]:
        """Layouts of the questions, in the order in which they first come."""
        return [*self._by_names.values()]

    def _layout_of(self, names: tuple[str, ...]) -> Layout:
        if names not in self._by_names:
            if may_be_right_first(names):
                raise _UnusualError
            self._by_names[names] = layout_of(names)
            self._plain[names] = _plain(self._by_names[names])
        return self._by_names[names]

    def fields(self, place: int) -> dict[str, object]:
        """The fields of a line."""
        line = self.lines[place]
        item = strict_json(line)
        if not isinstance(item, dict):
            raise _UnusualError
        return unfolded(item)

    def _draft(self, place: int, fields: dict[str, object]) -> LetteredDraft:
        made_id = f"q{place + 1:04d}" if self._numbered else ""
        return draft_of(fields, self._layout_of(tuple(fields)), made_id)

    def question(self, place: int) -> Sample:
        """The question of a line. It was read through before: where each field has one name, nothing is checked again."""
        fields = self.fields(place)
        if not self._numbered and (plain := self._plain[tuple(fields)]):
            name, question, options = fields[plain.id], fields[plain.question], fields[plain.options]
            if type(name) is str and type(question) is str and type(options) is list and {*map(type, options)} == {str}:
                groups = groups_of(fields, plain.columns) if plain.has_groups else NOTHING
                texts = tuple([option.strip() for option in options])
                return Sample(name.strip(), question.strip(), texts, self.answers[place], groups=groups)
        draft = self._draft(place, fields)
        return Sample(draft.id, draft.question, tuple(draft.key.choices), self.answers[place], groups=draft.groups)

    def look_through(self) -> None:
        """Find out what all lines together say; FieldError or _UnusualError where they are to be read as a whole."""
        if len(self.lines) < 2:
            raise _UnusualError
        ids = array("q")
        convention = convention_of(self._open_keys(ids))
        for one, other in pairwise(sorted(ids)):
            if one == other:
                raise _UnusualError
        for place in range(len(self.lines)) if self._has_open else ():
            key = self._draft(place, self.fields(place)).key
            if rests_on_convention(key):
                self.answers[place] = right_option(key, convention)

    def _open_keys(self, ids: array[int]) -> Iterator[AnswerKey]:
        """Each answer that rests on how others are written. `ids`: gets a number for each id."""
        for place in range(len(self.lines)):
            fields = self.fields(place)
            layout = self._layout_of(tuple(fields))
            if not place:
                self._numbered = not layout.columns.given(fields, ID)
            elif self._numbered and layout.columns.given(fields, ID):
                raise _UnusualError
            draft = self._draft(place, fields)
            if draft.key.from_one:
                raise _UnusualError
            version, inner = fields.get("version"), fields.get("metadata")
            if len(self.versions) < 2:
                self.versions.add(version if isinstance(version, str) else "")
            self.inner |= dict.fromkeys(inner) if isinstance(inner, dict) else {}
            ids.append(hash(draft.id))
            if rests_on_convention(draft.key):
                self._has_open = True
                self.answers.append(0)
                yield draft.key
            else:
                self.answers.append(right_option(draft.key, ""))


class _PlainFields(NamedTuple):
    """Names of the fields of questions, where each has one."""

    id: str
    question: str
    options: str
    columns: FieldNames
    has_groups: bool


def _plain(layout: Layout) -> _PlainFields | None:
    """None where a field has another number of names, or options have columns of their own."""
    known = layout.columns.by_alias
    names = [[name for alias in aliases for name in known.get(alias, ())] for aliases in (ID, QUESTION, CHOICES)]
    if layout.lettered or any(len(own) != 1 for own in names):
        return None
    has_groups = any(alias in known for alias in GROUP_FIELDS)
    return _PlainFields(names[0][0], names[1][0], names[2][0], layout.columns, has_groups)
