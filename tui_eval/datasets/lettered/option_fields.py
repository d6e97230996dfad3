"""Options of a lettered question: in columns of their own, in a list, or at the end of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.field_values import (
    FieldError,
    enumerated,
    is_blank,
    list_in_cell,
    plain_name,
    short_value,
    sort_of,
    text_of,
)
from tui_eval.datasets.lettered.field_names import CHOICES, QUESTION
from tui_eval.datasets.parsing import FieldNames, Record, columns_of

OPTION_COLUMN = re.compile(r"(?:(?:choice|option)_?)?([a-z])|(?:choice|option)_?(\d{1,2})")
"""A column that holds one option: A, choice_a, option1 and the like."""
_OPTIONS_IN_TEXT = re.compile(r"\n[ \t]*Options:[ \t\r]*\n", re.IGNORECASE)
_LISTED_OPTION = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])[).]|-)\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class Layout:
    """Meaning of the names of a question's fields; `lettered` are options in columns of their own, in their order."""

    columns: FieldNames
    lettered: tuple[str, ...] = ()
    from_one: bool = False
    problem: str = ""


def layout_of(names: tuple[str, ...]) -> Layout:
    """Options in columns of their own: A, B, C or choice_a, option_a, choice0, option1 and the like, without a gap."""
    columns = columns_of(names)
    styles: dict[str, dict[int, str]] = {}
    for name in names:
        plain = plain_name(name)
        match = OPTION_COLUMN.fullmatch(plain)
        if match is None or plain in CHOICES:
            continue
        mark = match.group(1) or match.group(2)
        positions = styles.setdefault(plain[: -len(mark)] + ("a" if match.group(1) else "0"), {})
        position = ascii_uppercase.index(mark.upper()) if match.group(1) else int(mark)
        if position in positions:
            return Layout(columns, problem=f"{one_line(name)}: the same option as {one_line(positions[position])}; remove one")
        positions[position] = name
    if not styles:
        return Layout(columns)
    if len(styles) > 1:
        both = " and ".join(one_line(next(iter(style_names.values()))) for style_names in styles.values())
        return Layout(columns, problem=f"{both}: options have two kinds of names; remove or rename one kind")
    style, style_names = next(iter(styles.items()))
    start = min(style_names)
    if start > (1 if style.endswith("0") else 0) or sorted(style_names) != list(range(start, start + len(style_names))):
        return Layout(
            columns,
            problem=f"{enumerated(style_names.values())}: the columns of the options have a gap, or do not begin at the first",
        )
    return Layout(columns, tuple(style_names[position] for position in sorted(style_names)), from_one=start == 1)


def refuse_no_options(records: Sequence[Record], layouts: Sequence[Layout]) -> None:
    """One sentence about the file where no question of it has options, in place of the same problem for each."""
    usable: Record | None = None
    for record, layout in zip(records, layouts, strict=True):
        if record.problem:
            continue
        usable = usable or record
        if layout.lettered or layout.problem or any(alias in layout.columns.by_alias for alias in CHOICES):
            return
        texts = [value for _, value in layout.columns.given(record.fields, QUESTION)]
        if any(isinstance(text, str) and _OPTIONS_IN_TEXT.search(text) for text in texts):
            return
    if usable:
        raise ConfigError(
            f"{usable.place}: no options: none of the fields {enumerated(usable.fields)} holds them. Multiple-choice questions "
            "need 'choices' or 'options', or a field for each (A, choice_a). tui-eval qa FILE asks open questions; "
            "--map question=FIELD --map truth=FIELD imports them"
        )


def options_of(fields: dict[str, object], layout: Layout, question: str, column: str) -> tuple[list[str], list[str], str, str]:
    """Options, their labels (none where they have no names of their own), the question without them, and where they stood."""
    listed, cells = layout.columns.given(fields, CHOICES), _filled(fields, layout.lettered)
    if listed and cells:
        raise FieldError(f"{one_line(listed[0][0])}: options are here and under {enumerated(cells)}; remove one")
    if cells:
        choices = [text_of(fields[name], name) for name in cells]
        return choices, list(cells), question, enumerated(cells)
    if listed:
        name, value = layout.columns.one(fields, CHOICES)
        return *_listed_options(value, name), question, name
    if _OPTIONS_IN_TEXT.search(question):
        return *_options_in_text(question, column), column
    raise FieldError(f"choices: {layout.columns.lacking(CHOICES)}")


def _filled(fields: dict[str, object], lettered: tuple[str, ...]) -> tuple[str, ...]:
    """The option columns up to the last that is not empty: empty ones at the end mean fewer options."""
    filled = tuple([name for name in lettered if not is_blank(fields[name])])
    if filled != lettered[: len(filled)]:
        empty = next(name for name in lettered if name not in filled)
        raise FieldError(f"{one_line(empty)}: an empty option before {one_line(filled[-1])}")
    return filled


def check_options(choices: list[str], labels: list[str], column: str) -> None:
    """FieldError where there are too few options or too many, or two with one label."""
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
        try:
            return [text_of(item, column) for item in value], []
        except FieldError:  # again, to say which
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
            raise FieldError(f"{one_line(column)}: {short_value(line)} below 'Options:' is not like '(A) text' or '- text'")
        letters.append((match.group(1) or match.group(2) or "").upper())
        texts.append(match.group(3))
    if any(letters) and letters != list(ascii_uppercase[: len(letters)]):
        raise FieldError(f"{one_line(column)}: the options below 'Options:' are not lettered from A on without a gap")
    if not stem:
        raise FieldError(f"{one_line(column)}: there is no question above 'Options:'")
    return texts, letters if any(letters) else [], stem
