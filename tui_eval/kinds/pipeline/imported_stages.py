"""Imported stages: texts, questions and answers of an earlier run or made elsewhere, and the gaps in them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.core.output_names import NamedFile, read_name
from tui_eval.core.plaintext import one_line
from tui_eval.evaluation.calls import TRUNCATED
from tui_eval.evaluation.inputs import json_of, text_of
from tui_eval.reading.named_answers import NOT_GIVEN, TWICE, UNPARSED

NAMED = 10
"""So many sources are named that lack something."""
WHAT = {"processed": "processed texts", "written": "sets of questions", "answered": "answered texts"}


def wanted_by(config: Mapping[str, Any], role: str) -> Counter[str]:
    """By the file name of each source, how many files (of answers, runs) a run with this `_config__` was to make; nothing where
    it does not say."""
    counts: Counter[str] = Counter()
    for table in config.values():
        if isinstance(table, dict) and isinstance(table.get("inputs"), list):
            each = _of_each(table, role)
            counts.update({str(path).rpartition("/")[2]: each for path in table["inputs"] if each})
    return counts


def _of_each(table: Mapping[str, Any], role: str) -> int:
    """Count the files of a role that are made of each source."""
    runs = _stage(table, "process").get("runs", 1)
    texts = _models(table, "process") * (runs if isinstance(runs, int) else 0)
    if role == "written":
        return bool(_stage(table, "questions").get("model"))
    return texts if role == "processed" else texts * _models(table, "answers")


def _stage(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    stage = table.get(name)
    return stage if isinstance(stage, dict) else {}


def _models(table: Mapping[str, Any], stage: str) -> int:
    models = _stage(table, stage).get("models")
    return len(models) if isinstance(models, list) else 0


IMAGES, NAMES = "images", "names"
"""The keys of spec 000's questions, and of our _config__ file's names."""
WHYS = ("no reply", TRUNCATED, UNPARSED, NOT_GIVEN, TWICE)
"""How what an earlier run says begins of an answer that is not there."""


@dataclass(frozen=True, slots=True)
class FileQuestion:
    """A question about a file, with the answer that counts as right."""

    id: str
    category: str
    question: str
    reference: str
    answerable: bool = True

    def as_json(self) -> dict[str, Any]:
        """As spec 000 has it; an id that is a whole number as such."""
        number: str | int = int(self.id) if self.id.isascii() and self.id.isdecimal() and len(self.id) < 10 else self.id
        return {"id": number, "category": self.category, "question": self.question, "reference_answer": self.reference,
                "answerable": self.answerable}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BroughtText:
    """A processed text."""

    model: str
    run: int
    text: str


@dataclass(frozen=True, slots=True)
class BroughtAnswers:
    """Answers to the questions about a file, from one processed text."""

    process_model: str
    model: str
    run: int
    answers: Mapping[str, str]
    """By the ids of the questions."""
    why: Mapping[str, str]
    """By id, why there is no answer."""


@dataclass(slots=True)
class ImportedStages:
    """All that was brought, by the names of the files it is about."""

    texts: dict[str, list[BroughtText]] = field(default_factory=dict)
    questions: dict[str, list[FileQuestion]] = field(default_factory=dict)
    answers: dict[str, list[BroughtAnswers]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    """Names of files that are none of these."""
    wanted: dict[str, Counter[str]] = field(default_factory=dict)
    """By role and name of a source, how much of it the earlier runs were to make, where they say so."""

    def lacking(self, about: Collection[str], keys: Mapping[str, str]) -> Iterator[str]:
        """Say what earlier runs were to make and have not; a sentence for each key of the config. `about`: the sources and file
        names that count, all where there are none."""
        there = {
            "processed": {name: len(texts) for name, texts in self.texts.items()},
            "written": dict.fromkeys(self.questions, 1),
            "answered": {name: len(entries) for name, entries in self.answers.items()},
        }
        for role, names in self.wanted.items():
            counts = there[role]
            lacks: dict[str, int] = {}
            n = have = 0
            for name, most in names.items():
                source = name if name in counts else name.rpartition(".")[0] or name
                if about and name not in about and source not in about:
                    continue
                n += most
                have += min(counts.get(source, 0), most)
                if counts.get(source, 0) < most:
                    lacks[source] = most - counts.get(source, 0)
            if lacks:
                parts = [f"{one_line(source, 60)} ({less})" for source, less in [*lacks.items()][:NAMED]]
                rest = f" and {len(lacks) - NAMED} more" if len(lacks) > NAMED else ""
                yield f"{keys.get(role, role)}: {have} of {n} {WHAT[role]} are there; missing: {', '.join(parts)}{rest}"


def read_imported(files: Mapping[str, Sequence[InputFile]], keys: Mapping[str, str]) -> ImportedStages:
    """Read the files of the roles processed, written and answered. ConfigError, naming file and key, for what is unsound."""
    imported = ImportedStages()
    for role, listed in files.items():
        configs = [_object(file, keys.get(role, role)) for file in listed if read_name(file.name).what == "config"]
        names = _names(configs)
        imported.wanted[role] = sum((wanted_by(config, role) for config in configs), Counter[str]())
        for file in listed:
            name_parts = read_name(file.name, names)
            if name_parts.what == "processed" and role == "processed":
                text = BroughtText(name_parts.process_model, name_parts.run, text_of(file, keys[role]))
                imported.texts.setdefault(name_parts.source, []).append(text)
            elif role == "written" and name_parts.what in ("", "questions") and file.name.endswith(".json"):
                _take_questions(imported, file, keys[role])
            elif name_parts.what == "answers" and role == "answered":
                _take_answers(imported, file, keys[role], name_parts)
            elif not file.name.startswith("_"):
                imported.unread.append(file.name)
    for texts in imported.texts.values():
        texts.sort(key=lambda text: (text.model, text.run))
    return imported


def _names(configs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the texts that shortened parts of names stand for."""
    names: dict[str, str] = {}
    for config in configs:
        entries = config.get(NAMES)
        names |= {part: text for part, text in entries.items() if isinstance(text, str)} if isinstance(entries, dict) else {}
    return names


def _object(file: InputFile, key: str) -> dict[str, Any]:
    value: Any = json_of(file, key)
    if not isinstance(value, dict):
        raise ConfigError(f"{key}: {file.name}: a JSON object was expected")
    return value


def _text_under(table: Mapping[str, Any], name: str, place: str) -> str:
    """Return the text under a key, a number as JSON writes it; empty where nothing stands. ConfigError for what is no text."""
    value = table.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int | float):
        return json.dumps(value)
    raise ConfigError(f'{place}: "{name}": a text was expected, or null where there is none')


def _answerable(entry: Mapping[str, Any], place: str) -> bool:
    """Return whether a question can be answered, as it can where nothing is said. ConfigError for what is no true or false."""
    value = entry.get("answerable")
    if value is None or isinstance(value, bool):
        return value is not False
    raise ConfigError(f'{place}: "answerable": true or false was expected')


def _take_questions(imported: ImportedStages, file: InputFile, key: str) -> None:
    listed = _object(file, key).get(IMAGES)
    if not isinstance(listed, dict):
        raise ConfigError(f'{key}: {file.name}: has no "{IMAGES}", the table of questions by file (spec 000)')
    for name, entry in listed.items():
        place = f"{key}: {file.name}: {name}"
        if name in imported.questions:
            raise ConfigError(f"{place}: another file has questions about it, too; remove one of the two files")
        imported.questions[name] = _questions(entry.get("questions") if isinstance(entry, dict) else None, place)


def _questions(entries: Any, place: str) -> list[FileQuestion]:
    if not isinstance(entries, list):
        raise ConfigError(f"{place}: has no list of questions")
    questions = list(_each_question(entries, place))
    twice = next(
        (question.id for n, question in enumerate(questions) if question.id in {earlier.id for earlier in questions[:n]}), None
    )
    if twice is not None:
        raise ConfigError(f"{place}: the id {twice} stands twice; answers are matched by it")
    return questions


def _each_question(entries: list[Any], place: str) -> Iterator[FileQuestion]:
    for number, entry in enumerate(entries, start=1):
        here, text = f"{place}: question {number}", entry.get("question") if isinstance(entry, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise ConfigError(f'{here}: has no text under "question"')
        yield FileQuestion(
            _text_under(entry, "id", here).strip() or str(number),
            _text_under(entry, "category", here),
            text,
            _text_under(entry, "reference_answer", here),
            _answerable(entry, here),
        )


def _take_answers(imported: ImportedStages, file: InputFile, key: str, name_parts: NamedFile) -> None:
    value, source = _object(file, key), name_parts.source
    model = _text_under(value, "model_id", f"{key}: {file.name}").strip() or name_parts.answer_model
    if not model:
        raise ConfigError(f'{key}: {file.name}: has no "model_id", which says who answered')
    runs = value.get("runs")
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise ConfigError(f'{key}: {file.name}: has no list of "runs"')
    for number, run in enumerate(runs, start=1):
        entries = run.get("questions_and_answers")
        place = f"{key}: {file.name}: run {number}"
        questions = _questions(entries, place)
        texts = [
            _text_under(entry, "model_answer", f"{place}: question {n}").strip() for n, entry in enumerate(entries, start=1)
        ]
        answers = {question.id: text for question, text in zip(questions, texts, strict=True) if text}
        why = {
            question.id: _why(entry) for question, entry in zip(questions, entries, strict=True) if question.id not in answers
        }
        index = _text_under(run, "run", place)
        run_number = int(index) if index.isdecimal() else number
        imported.answers.setdefault(source, []).append(
            BroughtAnswers(name_parts.process_model, model, run_number, answers, why)
        )
        _add_questions(imported.questions.setdefault(source, []), questions, place)


def _why(entry: Mapping[str, Any]) -> str:
    """Why there is no answer, if an earlier run says so in words of ours: reasons are counted, and columns called by them."""
    reason = entry.get("why_missing")
    return one_line(reason, 200) if isinstance(reason, str) and reason.partition(":")[0] in WHYS else NOT_GIVEN


def _add_questions(questions: list[FileQuestion], more: Sequence[FileQuestion], place: str) -> None:
    """The questions that answers came with, beside those that are known. ConfigError where an id stands for two of them."""
    by_id = {question.id: question.question.split() for question in questions}
    for question in more:
        if by_id.get(question.id, question.question.split()) != question.question.split():
            raise ConfigError(f"{place}: the id {question.id} stands for another question elsewhere; answers are matched by it")
    questions += [question for question in more if question.id not in by_id]
