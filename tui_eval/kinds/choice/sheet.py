"""Answer sheets: what each model of each run answered to a benchmark, and its form in all_results.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.imported_answers import ImportedAnswer
from tui_eval.results.sums.series import Series

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
RAW_CHARACTERS = 500
"""How much of each reply the reports keep; the whole text stands in the run's results.json and log."""


def key_of(question: Sample) -> int:
    """The right option, counted from 0; every question of a benchmark has one."""
    assert question.answer is not None
    return question.answer


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run asked: everything its report knows before the first reply."""

    benchmark: str
    benchmark_size: int
    """Questions in the whole benchmark, before any filter."""
    questions: Sequence[Sample]
    models: Sequence[str]
    extraction: str
    permutations: int
    shuffle: bool
    prompt: str
    """A short hash of the prompts: runs with another one asked something else."""
    unmoved: int
    """Questions that keep their order because an option names letters."""
    order: Callable[[Sample, int], Sequence[int]]
    """(sample, number of the prompt) -> which option stood at each place."""
    imported: Mapping[tuple[str, str], ImportedAnswer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply to one question as it was read; options are numbered from 0 in the benchmark's own order."""

    replied: bool
    """False where there was no reply at all: then it is missing, neither right nor wrong."""
    option: int | None
    """What was chosen; None where no letter could be read."""
    correct: bool
    place: int | None
    """Where the chosen option stood in the prompt, from 0."""
    key_place: int
    pattern: str
    why: str
    """Why there is no letter, or no reply."""
    raw: str
    """The first 500 characters of the reply."""
    cut: bool
    """Whether the reply was longer."""

    @property
    def letter(self) -> str | None:
        """The chosen option by its letter in the benchmark's own order."""
        return None if self.option is None else LETTERS[self.option]


@dataclass(slots=True)
class Sheet:
    """Everything one model answered in one run."""

    model: str
    run_id: str = ""
    run_timestamp: str = ""
    run_uid: str = ""
    extraction: str = ""
    info: Mapping[str, Json] = field(default_factory=dict)
    """Where it came from: wire, model ids, versions, times, parameters."""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    """By question id; several where it was asked several times."""
    cost_usd: float = 0.0
    n_cost_known: int = 0
    simulated: bool = False
    label: str = ""
    """Its name in reports: the model's, with the run's where two runs have one of that name."""
    short_label: str = ""
    """The same for a terminal: with the run's four hex digits, where they tell the runs apart."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from any other sheet; several folders may have one name."""
        return self.run_id, self.run_uid, self.model

    def all_answers(self) -> Iterator[tuple[str, Answer]]:
        """(question id, answer) of everything that was asked."""
        for question, answers in self.answers.items():
            for answer in answers:
                yield question, answer


def series_of(sheet: Sheet, questions: Sequence[Sample]) -> Series:
    """A sheet as scores by the place of their question; a reply without a letter is wrong, a call without a reply missing."""
    found = Series()
    found.grow(len(questions))
    for place, question in enumerate(questions):
        for answer in sheet.answers.get(question.id, ()):
            found.add(place, float(answer.correct) if answer.replied else None, answer.why)
    return found


@dataclass(slots=True)
class Board:
    """Answer sheets side by side over one benchmark."""

    benchmark: str
    size: int
    """Questions in the whole benchmark."""
    questions: Sequence[Sample]
    sheets: list[Sheet]

    def __post_init__(self) -> None:
        for sheet, label, short in zip(
            self.sheets, _labels(self.sheets, short=False), _labels(self.sheets, short=True), strict=True
        ):
            sheet.label, sheet.short_label = label, short

    @property
    def simulated(self) -> bool:
        """Whether any of it is simulated."""
        return any(sheet.simulated for sheet in self.sheets)


def _labels(sheets: Sequence[Sheet], short: bool) -> list[str]:
    """A name for each sheet, all different: the model's, else with its run, else with its number as well."""
    models = Counter(sheet.model for sheet in sheets)
    runs = [_short(sheet.run_id) if short else sheet.run_id for sheet in sheets]
    found = [
        sheet.model if models[sheet.model] == 1 else f"{sheet.model} ({run})" for sheet, run in zip(sheets, runs, strict=True)
    ]
    often = Counter(found)
    return [label if often[label] == 1 else f"{label} #{n}" for n, label in enumerate(found, start=1)]


def _short(run_id: str) -> str:
    """The four hex digits of a run id (YYYYMMDD_HHMMSS_abcd_name); another name as it is."""
    parts = run_id.split("_")
    return parts[2] if len(parts) > 2 and parts[0].isdigit() and len(parts[2]) == 4 else run_id


def answers_json(sheet: Sheet) -> dict[str, Json]:
    """The `answers` of a run in all_results.json (spec 004): by question, its first answer, and all where there are more."""
    found: dict[str, Json] = {}
    for question, answers in sheet.answers.items():
        entries = [_answer_json(answer) for answer in answers]
        found[question] = entries[0] if len(entries) == 1 else {**entries[0], "asked": entries}
    return found


def _answer_json(answer: Answer) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "predicted": answer.letter,
        "correct": answer.correct if answer.replied else None,
        "raw_response": answer.raw,
        "extraction_pattern": answer.pattern,
    }
    if answer.why:
        entry["why"] = answer.why
    if answer.cut:
        entry["raw_cut"] = True
    if answer.place != answer.option:
        entry["place"] = answer.place
    entry["key_place"] = answer.key_place
    return entry


def answers_of(entries: Mapping[str, Any]) -> dict[str, list[Answer]]:
    """The answers of an entry of all_results.json. KeyError, TypeError or ValueError where it has another shape."""
    return {question: [_answer_of(e) for e in entry.get("asked", [entry])] for question, entry in entries.items()}


def _answer_of(entry: Mapping[str, Any]) -> Answer:
    option = None if entry["predicted"] is None else LETTERS.index(entry["predicted"])
    return Answer(
        replied=entry["correct"] is not None,
        option=option,
        correct=entry["correct"] is True,
        place=entry.get("place", option),
        key_place=int(entry["key_place"]),
        pattern=str(entry["extraction_pattern"]),
        why=str(entry.get("why", "")),
        raw=str(entry["raw_response"]),
        cut=entry.get("raw_cut") is True,
    )
