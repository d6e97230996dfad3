"""Tables begun from the columns of a set: target, prompt, group, files; and scorers that fit the targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.datasets.column_roles import FILES, IMAGES, ColumnRoles
from tui_eval.datasets.field_values import (
    FieldError,
    enumerated,
    file_names,
    files_in_words,
    is_blank,
    names_a_file,
    plain_name,
)
from tui_eval.datasets.parsing import Record
from tui_eval.datasets.selected import SelectedRows
from tui_eval.datasets.set_list import MAX_DOCUMENTS
from tui_eval.datasets.shapes.any_columns import DOCUMENTS
from tui_eval.datasets.shapes.sample_records import has_own_rules
from tui_eval.datasets.shapes.target_columns import SUMMARIES, TARGET
from tui_eval.datasets.shapes.target_values import targets_at
from tui_eval.evaluation.kind import ColumnKeys
from tui_eval.evaluation.scoring.fitting_scorers import Fitting, fitting_scorers
from tui_eval.workspace.validation import nearest

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_MOST_KEYS = 40
_SHORT = "Answer in as few words as possible, without a sentence around them."
_NONE = 'If the text does not tell, reply with "" alone.'


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """A person's choices where the columns might be taken otherwise."""

    target: str = ""
    prompts: tuple[str, ...] = ()
    scorers: tuple[Json, ...] = ()
    """Names or tables, as a config has them."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Choices made by the columns."""

    table: dict[str, Json] = field(default_factory=dict)
    """Keys of the kind's table."""
    scorers: tuple[Json, ...] = ()
    words: str = ""
    """What was chosen and why, in a line."""


def begun_by_columns(columns: ColumnKeys, rows: SelectedRows, hints: ColumnChoices) -> Begun:
    """Choose target, prompts and scorers by the columns of a set's samples. ConfigError, with the columns and how to name one,
    for what is not certain.
    """
    records = [record for record in rows.records if not record.problem]
    names = [*dict.fromkeys(name for record in records for name in record.fields)]
    judged = bool(hints.scorers) or has_own_rules(records)
    target = _target(hints, rows.roles, records, names, judged)
    targets = _targets(records, target, names)
    fit = fitting_scorers(targets)
    if fit is None and not judged:
        raise ConfigError(f"no sample has a right answer in {one_line(target, 60)}: name another column; {_listed(names)}")
    scorers: tuple[Json, ...] = hints.scorers or (fit.scorers if fit else ())
    table: dict[str, Json] = {columns.target: target} if target else {}
    files, files_words = _files(columns, rows, records, names)
    document = str(files[columns.files[0]]) if columns.files and columns.files[0] in files else ""
    prompts: list[dict[str, Json]] = [{"text": text} for text in hints.prompts]
    prompts = prompts or [_prompt(rows.roles, fit, target, targets, names, document)]
    table[columns.prompts] = [{"name": "plain" if n == 1 else f"prompt{n}", **each} for n, each in enumerate(prompts, start=1)]
    if columns.group and rows.roles.group:
        table[columns.group] = rows.roles.group
    words = _words(target, fit, prompts, scorers, table.get(columns.group))
    return Begun({**table, **files}, scorers, words + files_words)


def _target(hints: ColumnChoices, roles: ColumnRoles, records: Sequence[Record], names: Sequence[str], judged: bool) -> str:
    """The column or path with the right answers; empty where none is certain, and none is needed."""
    if hints.target and hints.target not in names and not _is_path(hints.target, names):
        raise ConfigError(f"--target {one_line(hints.target, 60)}: no column{nearest(hints.target, names)}; {_listed(names)}")
    target = hints.target or roles.target
    if not target and not judged:
        filled_columns = [name for name in names if any(not is_blank(record.fields.get(name)) for record in records)]
        empty = [name for name in names if name not in filled_columns and plain_name(name) in TARGET]
        if empty:
            raise ConfigError(
                f"no sample has a right answer: {enumerated(empty)} is empty throughout; fill it in, or name another column "
                f"by --target COLUMN; {_listed(names)}"
            )
        assigned = {roles.question, roles.context, roles.id, roles.group, roles.system, roles.messages}
        able = [name for name in filled_columns if name not in assigned]
        may = "" if able == [*names] else f"{enumerated(able)} may be; " if able else "none is left for it; "
        doubt = f"{roles.target_doubt}; " if roles.target_doubt else ""
        message = f"it is not certain which column has the right answers: {doubt}name it by --target COLUMN"
        raise ConfigError(f"{message}; {may}{_listed(names)}")
    return target


def _listed(names: Sequence[str]) -> str:
    return f"the columns are {enumerated(names)}"


def _is_path(word: str, names: Sequence[str]) -> bool:
    return any(word.startswith((f"{name}.", f"{name}[")) for name in names)


def _targets(records: Sequence[Record], target: str, columns: Sequence[str]) -> list[tuple[str, ...] | None]:
    try:
        return [targets_at(record.fields, target or None, record.cells, columns) for record in records]
    except FieldError as error:
        raise ConfigError(str(error)) from None


def _prompt(
    roles: ColumnRoles,
    fit: Fitting | None,
    target: str,
    targets: Sequence[Sequence[str] | None],
    names: Sequence[str],
    document: str,
) -> dict[str, Json]:
    """Build the prompt that asks about each sample, as its keys. ConfigError where the columns do not say."""
    system: dict[str, Json] = {"system": f"{{{roles.system}}}"} if roles.system else {}
    if roles.messages:
        return {"column": roles.messages, **system}
    context_columns = [column for column in (document, roles.context) if column][:1]
    if roles.question:
        wants = _form_instructions(fit, roles, any(each is not None and not each for each in targets))
        return {"text": "\n\n".join([*(f"{{{column}}}" for column in (*context_columns, roles.question)), *wants]), **system}
    if context_columns and plain_name(target) in SUMMARIES:
        about = max(round((fit.words if fit else 0) / 10) * 10, 10)
        return {"text": f"{{{context_columns[0]}}}\n\nSummarize this text in about {about} words.", **system}
    if context_columns and (roles.schema if fit is None else fit.why == "JSON"):
        return {"text": f"{{{context_columns[0]}}}\n\n{_json_wanted(fit, roles)}", **system}
    raise ConfigError(
        f"it is not clear what to ask: write it as --prompt 'TEXT', with columns in braces, as {{{names[0]}}}; {_listed(names)}"
    )


def _form_instructions(fit: Fitting | None, roles: ColumnRoles, may_be_none: bool) -> list[str]:
    """Return the instructions on the form of a reply, where it is compared whole."""
    if fit is not None and fit.why == "JSON":
        return [_json_wanted(fit, roles)]
    return [" ".join([_SHORT, *([_NONE] if may_be_none else [])])] if fit is not None and fit.short else []


def _json_wanted(fit: Fitting | None, roles: ColumnRoles) -> str:
    if roles.schema:
        return f"Reply with JSON alone, as this schema says:\n{{{roles.schema}}}"
    if fit is None or not fit.keys or len(fit.keys) > _MOST_KEYS:
        return "Reply with JSON alone."
    keys = ", ".join(one_line(key, 60).replace("{", "\\{").replace("}", "\\}") for key in fit.keys)
    return f"Reply with one JSON object alone. Its keys: {keys}."


def _files(
    columns: ColumnKeys, rows: SelectedRows, records: Sequence[Record], names: Sequence[str]
) -> tuple[dict[str, Json], str]:
    """The columns of files that samples are shown with, and which files these are, in words."""
    files = _folder_columns(columns, rows) if rows.selected.folder else _file_columns(columns, records, names)
    return files, _shown_documents(rows) if files and _asks_of_all(rows) else _shown_files(files, records)


def _file_columns(columns: ColumnKeys, records: Sequence[Record], names: Sequence[str]) -> dict[str, Json]:
    """The columns whose values name files; where they do, one that does not lie beside the set is an error of the run."""
    file_columns: dict[str, Json] = {}
    for name in names:
        column_names = FILES if plain_name(name) in FILES else IMAGES
        if plain_name(name) not in column_names or not columns.files:
            continue
        try:
            values = [each for record in records for each in file_names(record.fields.get(name), name)]
        except FieldError:
            continue
        if values and all(map(names_a_file, values)):
            are_images = all(each.lower().endswith(_PICTURES) for each in values)
            file_columns.setdefault(columns.files[-1 if are_images else 0], name)
    return file_columns


def _shown_files(files: Mapping[str, Json], records: Sequence[Record]) -> str:
    """The files that the columns of files name, in words; empty where there are none."""
    columns = [*map(str, files.values())]
    paths = [each for column in columns for record in records for each in file_names(record.fields.get(column), column)]
    return f", with {files_in_words(paths)} in {enumerated(columns)}" if paths else ""


def _folder_columns(columns: ColumnKeys, rows: SelectedRows) -> dict[str, Json]:
    """The column of a folder's documents; not where a question that names none would be shown more than are usual."""
    n = len(rows.selected.documents)
    return {columns.files[0]: DOCUMENTS} if columns.files and n and (n <= MAX_DOCUMENTS or not _asks_of_all(rows)) else {}


def _asks_of_all(rows: SelectedRows) -> bool:
    """Return whether a question of a folder names no documents, and so is asked of all."""
    return rows.selected.folder and not all(record.fields.get(DOCUMENTS) for record in rows.records)


def _shown_documents(rows: SelectedRows) -> str:
    """A folder's documents in words, all of which a question is shown that names none."""
    names = [each.rpartition("/")[2] for each in rows.selected.documents]
    return f", with {files_in_words(names, 'document', ' of the folder')}"


def _words(target: str, fit: Fitting | None, prompts: Sequence[Mapping[str, Json]], scorers: Sequence[Json], group: Any) -> str:
    """Describe the choices on a line."""
    rules = [str(each["use"]) if isinstance(each, Mapping) else str(each) for each in scorers] or ["the rules of each sample"]
    column = one_line(target, 60) if target else "none"
    parts = [f"target {column}{f' ({fit.why})' if fit and target else ''}"]
    parts += [f"grouped by {one_line(group, 60)}"] if group else []
    first = prompts[0]
    prompt_words = (
        repr(one_line(str(first["text"]), 70)) if "text" in first else f"the messages in {one_line(str(first['column']), 60)}"
    )
    parts += [f"prompt {prompt_words}" if len(prompts) == 1 else count_of(len(prompts), "prompt")]
    return f"{', '.join(parts)}, scored by {' and '.join(rules)}"
