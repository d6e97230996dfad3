"""Answer sheets: what each model of each run answered to a benchmark."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase

from tui_eval.core.calls import NOTHING_PAID, Json, Paid, Reply
from tui_eval.core.plaintext import markdown_text, one_line
from tui_eval.core.record_class import record
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.asked_questions import AskedQuestions

LETTERS = tuple(ascii_uppercase)
WIDEST_NAME = 36
"""Characters of a model's name that stand before its run's: what tells runs apart must fit into a terminal."""
RAW_CHARACTERS = 500
"""How much of each reply the reports keep; the whole text stands in the run's results.json and log."""
LONGEST_ALIKE, MOST_ALIKE = 40, 20_000
"""Characters of a reply that may be like others, and how many that are not alike are compared with it."""
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


@record
class SheetAnswer:
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
    repeat: int = 0
    """Which time the question was asked, counted from 0."""

    @property
    def value(self) -> float | None:
        """1 or 0; None where there was no reply."""
        return float(self.correct) if self.replied else None

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
class SheetCosts:
    """The costs of a sheet's answers to the run, and when they were first asked, whichever run did that."""

    paid: Paid = NOTHING_PAID
    """All attempts of the run, also those that failed."""
    retried_usd: float = 0.0
    """So much of it for attempts that failed and were made again."""
    asked_usd: float = 0.0
    """The last attempts when first asked: by this models compare, whatever was on file."""
    n_known: int = 0
    n_on_file: int = 0
    """Replies whose cost that is, and how many of them cost the run itself nothing."""

    def add(self, reply: Reply, replied: bool) -> None:
        """Count a call. `replied`: whether it is among the answers."""
        self.paid = self.paid.plus(reply.paid)
        self.retried_usd += reply.retried.usd
        if (usd := reply.usage.total_usd) is not None:
            self.asked_usd += usd
            self.n_known += replied
            self.n_on_file += replied and reply.cached

    @property
    def cells(self) -> dict[str, Json]:
        """By the names that files have; what nobody knows is None."""
        usd, n_priced, unknown = self.paid
        return {
            "cost_usd": round(usd, 9) if n_priced else None,
            "n_cost_known": n_priced,
            "n_cost_unknown": unknown,
            "final_cost_usd": round(usd - self.retried_usd, 9) if n_priced else None,
            "n_on_file": self.n_on_file,
        }

    def each(self, right: float, replies: int, final: bool = False) -> float | None:
        """USD of a right answer when first asked; None unless known of all replies. `final`: by the last attempts alone."""
        usd = self.asked_usd if final else self.asked_usd + self.retried_usd
        return round(usd / right, 9) if right and self.n_known >= replies else None


Answers = tuple[SheetAnswer, ...]
"""Those to one question: several where it was asked several times."""


class AlikeAnswers:
    """Answers to a question that are the same as those to another, held once: most models reply in a few forms."""

    def __init__(self) -> None:
        self.held: list[Answers] = []
        """By their numbers."""
        self._numbers: dict[Answers, int] = {}

    def number(self, answers: Answers) -> int | None:
        """Return the number of the same answers as they are held; None where they are not held."""
        if any(len(answer.raw) > LONGEST_ALIKE for answer in answers):
            return None
        number = self._numbers.get(answers)
        if number is None and len(self.held) < MOST_ALIKE:
            number = self._numbers[answers] = len(self.held)
            self.held.append(answers)
        return number


class PlacedAnswers(Mapping[int, Answers]):
    """Answers by the places of their questions, in the order in which they came; some 8 bytes a question where they are like
    others."""

    def __init__(self, answers: Mapping[int, Answers] | None = None, alike: AlikeAnswers | None = None) -> None:
        """`alike`: the answers of several sheets, so that what they have in common is held once."""
        self._alike = alike or AlikeAnswers()
        self._places, self._slots = array("I"), array("i")
        """The places in their order; by place one more than the number of alike answers, or less than 0: one of its own."""
        self._own: list[Answers] = []
        for place, each in (answers or {}).items():
            self[place] = each

    def __setitem__(self, place: int, answers: Answers) -> None:
        """Put answers in a place, instead of those that stand there."""
        if place >= len(self._slots):
            self._slots.extend([0] * (place + 1 - len(self._slots)))
        before, number = self._slots[place], self._alike.number(answers)
        if not before:
            self._places.append(place)
        if number is None and before < 0:
            self._own[-before - 1] = answers
        elif number is None:
            self._own.append(answers)
            self._slots[place] = -len(self._own)
        else:
            self._slots[place] = number + 1

    def _answers_in(self, slot: int) -> Answers:
        return self._alike.held[slot - 1] if slot > 0 else self._own[-slot - 1]

    def at(self, place: int) -> Answers:
        """Return the answers to the question at a place; none where it has none."""
        slot = self._slots[place] if place < len(self._slots) else 0
        return self._answers_in(slot) if slot else ()

    def __getitem__(self, place: int) -> Answers:
        if not 0 <= place < len(self._slots) or not self._slots[place]:
            raise KeyError(place)
        return self._answers_in(self._slots[place])

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def tally(self) -> list[tuple[Answers, int]]:
        """Return the answers that differ, as they first came, each with the number of questions that have the same."""
        numbers = Counter(map(self._slots.__getitem__, self._places))
        return [(self._answers_in(slot), n) for slot, n in numbers.items()]

    def moved(self, places: Mapping[int, int] | Sequence[int]) -> PlacedAnswers:
        """Return the same at other places. `places`: the new one of each."""
        moved = PlacedAnswers(alike=self._alike)
        for place in self._places:
            moved[places[place]] = self._answers_in(self._slots[place])
        return moved


def orders_of(info: Mapping[str, Json]) -> int:
    """In how many orders of its options a sheet's questions were asked each time, by what is said of it."""
    permutations = info.get("permutations")
    return permutations if isinstance(permutations, int) and permutations > 0 else 1


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
    answers: PlacedAnswers = field(default_factory=PlacedAnswers)
    """By the places of the questions."""
    costs: SheetCosts = field(default_factory=SheetCosts)
    simulated: bool = False
    label: str = ""
    """Its name in reports: the model's, with the run's four hex digits where two runs have one of that name."""

    @property
    def key(self) -> tuple[str, str, str]:
        """The key that tells it from any other sheet; several folders may have one name."""
        return self.run_id, self.run_uid, self.model

    def tally(self) -> Iterator[tuple[SheetAnswer, int]]:
        """Of all answers those that differ, each with how often it was given; some come several times."""
        return ((answer, n) for answers, n in self.answers.tally() for answer in answers)

    def counts(self, reasons: Callable[[SheetAnswer], str | None]) -> Counter[str]:
        """Return how many answers have each reason, as they first came; those with none are left out."""
        counts = Counter[str]()
        for answer, n in self.tally():
            if (reason := reasons(answer)) is not None:
                counts[reason] += n
        return counts

    @property
    def name(self) -> str:
        """Its label in Markdown."""
        return markdown_text(self.label)

    @property
    def without_letter(self) -> Counter[str]:
        """Replies without a letter, by reason."""
        return self.counts(lambda answer: answer.why if answer.replied and answer.option is None else None)

    @property
    def options(self) -> str:
        """The order in which options were shown, in words."""
        order = "shuffled" if self.info.get("shuffle") else "as in the benchmark"
        return order if self.orders == 1 else f"{order}, {self.orders} orders"

    @property
    def orders(self) -> int:
        """In how many orders of its options each question was asked each time."""
        return orders_of(self.info)

    @property
    def missing(self) -> Counter[str]:
        """Calls without a reply, by reason."""
        return self.counts(lambda answer: None if answer.replied else answer.why.removeprefix(NO_REPLY))

    @property
    def same_option(self) -> int:
        """Questions with several replies that all chose the same option, by its content."""
        replies = (([answer.option for answer in answers if answer.replied], n) for answers, n in self.answers.tally())
        return sum(n for options, n in replies if len(options) > 1 and len(set(options)) == 1 and options[0] is not None)


@dataclass
class AnswerSheets:
    """Answer sheets side by side over one benchmark."""

    benchmark: str
    size: int
    """Questions in the whole benchmark."""
    questions: Sequence[Sample]
    sheets: list[Sheet]

    def __post_init__(self) -> None:
        for sheet, label in zip(self.sheets, _labels(self.sheets), strict=True):
            sheet.label = label

    @cached_property
    def asked(self) -> AskedQuestions:
        """Facts of the questions that reports look at, put together when first asked for."""
        return AskedQuestions(self.questions)


def _labels(sheets: Sequence[Sheet]) -> list[str]:
    """A name for each sheet, all different: the model's, else with its run, else with its number as well."""
    models = Counter(sheet.model for sheet in sheets)
    labels = [sheet.model if models[sheet.model] == 1 else _with_run(sheet) for sheet in sheets]
    often = Counter(labels)
    return [label if often[label] == 1 else f"{label} #{n}" for n, label in enumerate(labels, start=1)]


def _with_run(sheet: Sheet) -> str:
    """A model with the four hex digits of its run's id (YYYYMMDD_HHMMSS_abcd_name), or another name of a run as it is."""
    parts = sheet.run_id.split("_")
    short = parts[2] if len(parts) > 2 and parts[0].isdigit() and len(parts[2]) == 4 else sheet.run_id
    return f"{one_line(sheet.model, WIDEST_NAME)} ({short})"
