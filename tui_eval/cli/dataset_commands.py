"""The verbs of `datasets`. Data on stdout, narration on stderr; nothing is sent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tui_eval.cli.standard_error import is_narrating, narrate, tell
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line, visible, visible_json
from tui_eval.core.samples import Sample
from tui_eval.core.units import unit_of
from tui_eval.datasets.conversation_samples import turn_of
from tui_eval.datasets.exported import exported, form_of
from tui_eval.datasets.exported_turns import left_behind
from tui_eval.datasets.field_mapping import mapping_of
from tui_eval.datasets.field_values import enumerated
from tui_eval.datasets.in_full import in_full
from tui_eval.datasets.set_list import (
    FOLDER,
    SetEntry,
    SetList,
    change_selection,
    name_of,
    paths_named,
    paths_of,
    read_set,
    reasons_left_out,
    selection,
    set_named,
    unknown_columns,
)
from tui_eval.datasets.set_store import ImportedQuestions, keep, looked_at, name_problem, plain_name, source_of, write_export
from tui_eval.datasets.sets import QuestionSet, unread_words
from tui_eval.datasets.shapes.left_open import USUAL, LeftOpen
from tui_eval.results.tables import aligned, json_text
from tui_eval.workspace.places import Workspace

NAMED = 5
"""How many of what cannot be found are named, and how many of what can."""
COMPARED = 2000
"""Ids among which the nearest is looked for."""


def execute(options: argparse.Namespace, workspace: Workspace) -> int:
    """Do what was asked; returns the exit code."""
    if not workspace.root.is_dir():
        raise ConfigError(f"--workspace {workspace.root}: there is no such folder")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    VERBS[options.verb.removeprefix("datasets ")](options, workspace)
    return 0


def _print_json(value: Any) -> None:
    print(visible_json(json_text(value)), end="")


def _nearest(word: str, names: Collection[str]) -> str:
    """The nearest of what is known, if any is near."""
    few = [name for name in names if len(names) <= COMPARED or name[:2] == word[:2]][:COMPARED]
    return "".join(f"; did you mean {near!r}?" for near in get_close_matches(word, few, 1))


def _nearest_or_some(word: str, names: Collection[str]) -> str:
    """The same; where none is near, the first few."""
    first_few = [*(one_line(name, 40) for name in sorted(names)[:NAMED]), "..."][: len(names)]
    return _nearest(word, names) or (f"; known: {', '.join(first_few)}" if names else "")


# -------------------------------------------------------------------------------------------------------------------- the list


def _list(options: argparse.Namespace, workspace: Workspace) -> None:
    set_list = SetList(workspace)
    entries = set_list.listed()
    if set_list.trouble:
        tell(f"note: the selection is not known: {set_list.trouble}")
    if options.json:
        _print_json([_set_json(entry) for entry in entries])
    elif entries:
        columns = ("name", "kind", "questions", "selected", "documents", "from")
        print(aligned(columns, [_set_row(entry, entries) for entry in entries], (False, False, True, True, True, False)))
        problems = [f"{one_line(entry.path.name, 60)}: {visible(entry.problem)}" for entry in entries if entry.problem]
        print("\n".join(["", *problems] if problems else []))
    else:
        narrate(f"no datasets in {set_list.folder}; import one: tui-eval datasets import FILE")


def _set_json(entry: SetEntry) -> dict[str, Any]:
    figures = {name: getattr(entry, name) for name in ("questions", "selected", "documents", "bytes")}
    more = {"source": entry.source or None, "problem": entry.problem or None}
    return {"name": entry.name, "file": f"{FOLDER}/{entry.path.name}", "kind": entry.sort, **figures, **more}


def _set_row(entry: SetEntry, entries: Sequence[SetEntry]) -> list[str]:
    """A set by its name, or where several are called so, by its file."""
    alone = sum(candidate.name.casefold() == entry.name.casefold() for candidate in entries) == 1
    figures = ["-" if n is None else f"{n:,}" for n in (entry.questions, entry.selected, entry.documents)]
    return [entry.name if alone else entry.path.name, entry.sort, *figures, entry.source or "-"]


# --------------------------------------------------------------------------------------------------------------------- one set


def _set_named(workspace: Workspace, name: str) -> Path:
    """The file or folder of a set. ConfigError, with the nearest, where none is called so, or several are."""
    plain = name.removeprefix(f"{FOLDER}/").rstrip("/")
    set_path = set_named(workspace, plain)
    if set_path is None:
        near = _nearest_or_some(plain, [name_of(path) for path in paths_of(workspace)])
        raise ConfigError(f"{name}: there is no such dataset{near}; tui-eval datasets list shows them all")
    return set_path


def _show(options: argparse.Namespace, workspace: Workspace) -> None:
    path = _set_named(workspace, options.name)
    dataset = read_set(path)
    selected, reasons = selection(workspace, path, dataset), reasons_left_out(workspace, path)
    if options.question is not None:
        _check_ids([options.question], dataset, options.name)
        question = next(question for question in dataset.questions if question.id == options.question)
        output = _question_json(question, selected, reasons) if options.json else _question_text(question, selected, reasons)
        _print_json(output) if options.json else print(output)
        return
    excerpt = dataset.questions[: options.limit]
    if options.json:
        figures = {"questions": len(dataset.questions), "selected": len(selected), "documents": list(dataset.documents)}
        questions = [_question_json(question, selected, reasons) for question in excerpt]
        _print_json({"file": f"{FOLDER}/{path.name}", "kind": dataset.sort, **figures, "shown": questions})
    else:
        print(_questions_text(excerpt, selected, reasons))
    suffix = f", {len(excerpt):,} shown" if len(excerpt) < len(dataset.questions) else ""
    narrate(f"{path.name}: {dataset.words}, {len(selected):,} selected{suffix}")


def _question_json(question: Sample, selected: Collection[str], reasons: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": question.id,
        "selected": question.id in selected,
        **({"reason": reasons[question.id]} if question.id in reasons else {}),
        "question": question.question,
        "options": list(question.options),
        "answer": question.letter or None,
        "truth": question.answer_text if question.options else question.truth,
        "documents": list(question.documents),
        "document_truths": dict(question.document_truths),
        "groups": {name: list(values) for name, values in question.groups.items()},
        **_turn_json(question),
        **({"columns": question.data} if isinstance(question.data, Mapping) else {}),
    }


def _turn_json(question: Sample) -> dict[str, Any]:
    """Return the further fields of a conversation's turn, under the names of its file."""
    turn = turn_of(question)
    if turn is None:
        return {}
    names = ("quote", "page", "answerable", "depends_on", "quote_repaired", "known_without_document")
    return {"turn": {name: getattr(turn, name) for name in names}}


def _question_text(question: Sample, selected: Collection[str], reasons: Mapping[str, str]) -> str:
    why = f": {reasons[question.id]}" if question.id in reasons else ""
    head = f"{one_line(question.id)}  {'✓ selected' if question.id in selected else f'- left out{why}'}"
    return visible("\n".join([head, "", *(text for text, _ in in_full(question))]))


def _questions_text(questions: Sequence[Sample], selected: Collection[str], reasons: Mapping[str, str]) -> str:
    rows = []
    has_reasons = any(question.id in reasons for question in questions)
    for question in questions:
        groups = [value for values in question.groups.values() for value in values] or question.documents
        answer = one_line(f"{question.letter} {question.answer_text}".strip(), 20)
        mark, n = "✓" if question.id in selected else "-", str(len(question.options) or "-")
        row = (mark, question.id, one_line(question.question, 40), n, answer or "-", one_line("; ".join(groups), 40) or "-")
        rows.append((*row, reasons.get(question.id, "")) if has_reasons else row)
    columns = ("", "id", "question", "options", "answer", "belongs to", *(("left out because",) if has_reasons else ()))
    numeric = [column == "options" for column in columns]
    return aligned(columns, rows, numeric, widest=200)  # an id is there to be copied


# ----------------------------------------------------------------------------------------------------------------- in, and out


def _import(options: argparse.Namespace, workspace: Workspace) -> None:
    if options.name is not None and len(options.file) > 1:
        raise ConfigError("--name: works with one file only; several files keep their own names")
    entries = []
    for name, new in _import_files(options, workspace).items():
        stored_set = keep(workspace, name, new, options.force)
        notes = [*stored_set.notes, *filter(None, [unread_words(new.questions)])]
        narrate(f"{new.source.name}: {new.questions.words}, {stored_set.words}")
        for note in notes:
            tell(f"  {note}" if is_narrating() else f"{new.source.name}: {note}")
        figures = {"questions": len(new.questions.questions), "documents": len(new.questions.documents)}
        place = {"source": str(new.source), "name": name, "file": f"{FOLDER}/{stored_set.path.name}"}
        entries.append({**place, "kind": new.questions.sort, **figures, "notes": notes})
    if options.json:
        _print_json(entries)


def _import_files(options: argparse.Namespace, workspace: Workspace) -> dict[str, ImportedQuestions]:
    """Return the datasets to keep, by name. ConfigError that says all that is in the way, before any of it is kept."""
    by_name: dict[str, ImportedQuestions] = {}
    problems = []
    mapping = mapping_of(options.map, "--map", options.cut_after) if options.map or options.cut_after else None
    left_open = _left_open(options, mapping is not None)
    for file in options.file:
        source = source_of(Path(file))
        name = options.name if options.name is not None else plain_name(source.name)
        problem = name_problem(workspace, name, options.force)
        if problem and not options.force and paths_named(workspace, name):
            problem += " (--name), or replace that one (--force)"
        if name.casefold() in map(str.casefold, by_name):
            problem = f"another of these files would have the name {name}, too; import it by itself, with --name"
        if problem:
            problems.append(f"{file}: {problem}")
        try:
            if not source.exists():
                raise ConfigError(f"{file}: there is no such file or folder")
            by_name[name] = looked_at(source, mapping, left_open)
        except ConfigError as error:
            problems.append(f"{error}{_map_hint(source) if mapping is None else ''}")
    if problems:
        raise ConfigError("\n".join([*problems, "nothing was imported"]))
    return by_name


def _left_open(options: argparse.Namespace, is_mapped: bool) -> LeftOpen:
    """Return a person's choices where files leave some open. ConfigError where mapped columns leave none open."""
    flags = [
        option
        for option, is_said in (("--seed", options.seed is not None), ("--skip-unscored", options.skip_unscored))
        if is_said
    ]
    if is_mapped and flags:
        by = "--map" if options.map else "--cut-after"
        raise ConfigError(
            f"{by} with {flags[0]}: mapped columns are read as they are, so {flags[0]} has no effect; leave one out"
        )
    return LeftOpen(options.skip_unscored, USUAL.seed if options.seed is None else options.seed)


def _map_hint(source: Path) -> str:
    """Return a hint how to map the columns, where a file's own names do not tell which is what."""
    columns = unknown_columns(source) if source.is_file() else None
    if columns is None:
        return ""
    return f"\n  its columns are {enumerated(columns.names)}; say which is what: --map question=COLUMN --map answer=COLUMN"


def _export(options: argparse.Namespace, workspace: Workspace) -> None:
    path = _set_named(workspace, options.name)
    dataset, out = read_set(path), options.out
    if options.selected:
        ids = selection(workspace, path, dataset)
        if not ids:
            raise ConfigError(f"{path.name}: none of its questions is selected; tui-eval datasets select {options.name} --all")
        dataset = dataset.of(question for question in dataset.questions if question.id in ids)
    form = form_of(dataset, options.format, out.suffix if out else "")
    text = exported(dataset, form)
    lacking = left_behind(dataset.conversations, form) if dataset.conversations is not None else ""
    if lacking:
        tell(f"{path.name}: {lacking}")
    documents = {name: path / name for name in dataset.documents} if path.is_dir() else {}
    if out is not None:
        write_export(out, text, documents, options.force)
        narrate(f"{path.name}: {dataset.words} exported to {out}")
        return
    if visible(text) != text:
        raise ConfigError(f"{path.name}: holds characters that could steer a terminal; export it to a file: --out FILE")
    sys.stdout.write(text)
    if documents:
        narrate(f"{path.name}: the {len(documents):,} documents are not in it; --out FOLDER exports them, too")


# ----------------------------------------------------------------------------------------------------------- what is selected


def _select(options: argparse.Namespace, workspace: Workspace) -> None:
    path = _set_named(workspace, options.name)
    dataset = read_set(path)
    on = options.verb.endswith(" select")
    flagged = getattr(options, "flagged", "")
    reasons = _flagged(options, workspace, dataset) if flagged else {}
    if flagged and not reasons:
        return
    ids = [*reasons] if flagged else _ids_meant(options, dataset)
    if text := getattr(options, "reason", ""):
        reasons = dict.fromkeys(ids, text)
    before = selection(workspace, path, dataset)
    alone = on and options.only is not None
    deselected = {question.id: False for question in dataset.questions} if alone else {}
    now = change_selection(workspace, path, dataset, deselected | dict.fromkeys(ids, on), reasons)
    same = "" if now != before else "; as before (--only leaves out all others)" if on and not alone else "; as before"
    narrate(f"{path.name}: {len(now):,} of {len(dataset.questions):,} questions selected{same}")


def _flagged(options: argparse.Namespace, workspace: Workspace, dataset: QuestionSet) -> dict[str, str]:
    """Why questions of a set are to be looked at, by their ids, as the items of a run say it.

    Those of the run are looked for by their ids, where these are the same question, else by what they say. ConfigError where
    the run flags nothing since it has too few models, or flags questions of another set alone.
    """
    from tui_eval.results.run_items import read_items  # only here: other verbs read no runs

    if options.ids or options.all or options.where:
        raise ConfigError(f"{options.verb}: --flagged names the questions; leave out ids, --all and --where")
    items = read_items([workspace.run(options.flagged)])
    if not items.analysis.can_flag:
        raise ConfigError(f"{options.flagged}: {items.analysis.flag_words()}")
    ids_of = {unit_of(None, question).item: question.id for question in reversed(dataset.questions)}
    reasons, elsewhere = {}, []
    for item in items.analysis.doubted:
        question_id = ids_of.get(items.digests[item.place])
        if question_id is None:
            elsewhere.append(items.names[item.place])
        else:
            reasons[question_id] = f"{one_line(Path(options.flagged).name, 60)}: {items.reason(item)}"
    if elsewhere:
        words = f"{enumerated(elsewhere)}: flagged by {one_line(options.flagged, 60)}, but not in {options.name}"
        if not reasons:
            raise ConfigError(f"{words}; name the dataset that the run asked")
        tell(words)
    if not items.analysis.doubted:
        narrate(f"{one_line(options.flagged, 60)}: {items.analysis.flag_words()}; nothing was deselected")
    return reasons


def _ids_meant(options: argparse.Namespace, dataset: QuestionSet) -> Collection[str]:
    """Ids of the questions that are meant. ConfigError where that is not said in one way, or there are no such questions."""
    ids = [*options.ids, *(getattr(options, "only", None) or ())]
    if sum(map(bool, (ids, options.all, options.where))) != 1:
        more = "--flagged RUN, " if hasattr(options, "flagged") else ""
        raise ConfigError(f"{options.verb}: say which questions: their ids, --all, {more}or --where GROUP=VALUE")
    _check_ids(ids, dataset, options.name)
    return ids or [question.id for question in _in_groups(options.where, dataset)]


def _check_ids(requested: Sequence[str], dataset: QuestionSet, name: str) -> None:
    ids = {question.id: None for question in dataset.questions}
    unknown = [question_id for question_id in requested if question_id not in ids]
    if unknown:
        lines = [
            f"{question_id}: {name} has no question with that id{_nearest(question_id, ids)}" for question_id in unknown[:NAMED]
        ]
        more = [f"and {len(unknown) - NAMED} more"] if len(unknown) > NAMED else []
        raise ConfigError("\n".join([*lines, *more, f"tui-eval datasets show {name} lists them all"]))


def _in_groups(filters: Iterable[str], dataset: QuestionSet) -> list[Sample]:
    """Those that are in a group of each name that is given; all where none is."""
    there: dict[str, set[str]] = {}
    for question in dataset.questions:
        for name, values in question.groups.items():
            there.setdefault(name, set()).update(values)
    groups: dict[str, set[str]] = {}
    for text in filters:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--where {text}: write GROUP=VALUE, such as difficulty=hard")
        if name not in there:
            raise ConfigError(
                f"--where {text}: no question of this dataset is in a group {name!r}{_nearest_or_some(name, there)}"
            )
        if value not in there[name]:
            raise ConfigError(f"--where {text}: no question has that {name}{_nearest_or_some(value, there[name])}")
        groups.setdefault(name, set()).add(value)
    return [q for q in dataset.questions if all(values & set(q.group(name)) for name, values in groups.items())]


VERBS = {"list": _list, "show": _show, "import": _import, "export": _export, "select": _select, "deselect": _select}
