"""Answer sheets: what each model of each run answered to a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import markdown_text
from tui_eval.core.samples import Sample
from tui_eval.results.sums.series import Series

LETTERS = tuple(ascii_uppercase)
RAW_CHARACTERS = 500
"""How much of each reply the reports keep; the whole text stands in the run's results.json and log."""
WITHOUT_LETTER = {
    "no letter": ("ambiguous", "no_letter"),
    "refused": ("refusal",),
    "cut or empty": ("truncated", "truncated_reasoning", "empty"),
}
"""Reasons for a reply without a letter, as a short table puts them together."""
IMPORTED, UNKNOWN = "recorded", "unknown"
"""The provider of answers that were given elsewhere, and what is said of their prompt."""
NO_REPLY = "no reply: "
"""How the reason of an answer begins that was never given."""


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

    @property
    def read_by(self) -> str:
        """The pattern by which its letter was found, or why there is none."""
        return self.pattern if self.letter else self.why

    @property
    def verdict(self) -> str:
        """As a report says it: `B (right)`, `none (refusal)`, `missing (timeout)`."""
        if not self.replied:
            return f"missing ({self.why.removeprefix(NO_REPLY)})"
        if self.letter is None:
            return f"none ({self.why})"
        return f"{self.letter} ({'right' if self.correct else 'wrong'})"


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
    """When first asked, by whichever run: by this models compare, whatever was on file."""
    n_cost_known: int = 0
    n_on_file: int = 0
    """Of these, how many cost the run itself nothing."""
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

    @property
    def known_cost(self) -> float | None:
        """USD of the calls whose cost is known; None where no cost is."""
        return round(self.cost_usd, 9) if self.n_cost_known else None

    @property
    def name(self) -> str:
        """Its label in Markdown."""
        return markdown_text(self.label)

    @property
    def patterns(self) -> Counter[str]:
        """How often each way of answering was seen in its replies; a reply without a letter counts under its reason."""
        return Counter(answer.read_by for _, answer in self.all_answers() if answer.replied)

    @property
    def without_letter(self) -> Counter[str]:
        """Replies without a letter, by reason."""
        return Counter(answer.why for _, answer in self.all_answers() if answer.replied and answer.option is None)

    @property
    def in_short(self) -> dict[str, int]:
        """The same by what a short table calls the reasons."""
        found = self.without_letter
        return {name: sum(found[why] for why in reasons) for name, reasons in WITHOUT_LETTER.items()}

    @property
    def missing(self) -> Counter[str]:
        """Calls without a reply, by reason."""
        return Counter(answer.why.removeprefix(NO_REPLY) for _, answer in self.all_answers() if not answer.replied)

    @property
    def same_option(self) -> int:
        """Questions with several replies that all chose the same option, by its content."""
        replies = ([answer.option for answer in answers if answer.replied] for answers in self.answers.values())
        return sum(len(options) > 1 and len(set(options)) == 1 and options[0] is not None for options in replies)


def series_of(sheet: Sheet, questions: Sequence[Sample]) -> Series:
    """A sheet as scores by the place of their question; a reply without a letter is wrong, a call without a reply missing."""
    return series_of_answers([sheet.answers.get(question.id, ()) for question in questions])


def series_of_answers(by_question: Collection[Sequence[Answer]]) -> Series:
    """The same of answers by question."""
    found = Series()
    found.grow(len(by_question))
    for place, answers in enumerate(by_question):
        for answer in answers:
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
