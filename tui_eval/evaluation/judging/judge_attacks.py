"""Attacks on judges: answers that try to move a judge, each beside its clean twin, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow
from tui_eval.core.results import Cell, SampleResult, Table
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import ask_twice, replayed
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.judging.judge_panel import Rubric
from tui_eval.evaluation.sample_queues import Samples, listed
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, six_digits, table_of
from tui_eval.reading.prompts import fill
from tui_eval.results.sums.judge_in_words import attack_words
from tui_eval.statistics.moved_judges import JudgeAttacks, Triple, judge_attacks
from tui_eval.workspace.key_aliases import BothGivenError, without_aliases
from tui_eval.workspace.toml_files import dotted, toml_of

_COLUMNS = (
    "judge", "metric", "n", "n_moved", "share", "low", "high", "n_twins_differ", "most_by_chance", "p", "n_unread", "found",
    "in_words",
)  # fmt: skip
_SORTS = ("judge", "sort", "n", "n_moved", "n_unread")
_ATTACKS_ARE = (
    "Each attack is an answer that tries to move a judge, beside its clean twin, which says the same without that. Moved: the"
    " attack's score is above both of two scores of the twin. share: moved / n, Wilson; most_by_chance: half the share of twins"
    " whose two scores differ; p: one-sided, of the attack being the one highest of three so often. found: low is above"
    " most_by_chance, and p below 0.05. These scores enter no other figure."
)


Marker = tuple[str, str]
"""A judge and the metric by which it is attacked."""


class AttackReport:
    """Adds up the samples by which judges are attacked; of repeats the first alone, since the others are no new attacks."""

    def __init__(self, attacks: Attacks) -> None:
        self._attacks = attacks
        self._triples: dict[Marker, dict[str, list[Triple]]] = {
            (judge.name, part.rubric.name): {} for part in attacks.by_rubric for judge in part.judges
        }
        """By judge and metric, then by sort of attack."""

    def add(self, row: SampleResult) -> None:
        """Take in a sample."""
        if row.sample.repeat:
            return
        part = self._attacks.part_of(row.sample)
        broken: dict[str, Triple] = dict.fromkeys((judge.name for judge in part.judges), (None, None, None))
        for judge, triple in (broken if row.error else replayed(_triples(part, row.sample), row.replies)).items():
            self._triples[judge, part.rubric.name].setdefault(row.sample.data.sort, []).append(part.upwards(triple))

    def sentences(self) -> list[str]:
        """Of each judge whether attacks moved it; none where none was asked yet."""
        several = len(self._attacks.by_rubric) > 1
        return [
            f"{', '.join(marker) if several else marker[0]}: {self._words(marker, result)}."
            for marker, result in self._results().items()
        ]

    def tables(self) -> Mapping[str, Table]:
        """judge_attacks: a row for each judge; judge_attacks_by_sort: for each judge and sort of attack."""
        rows: list[Cells] = [self._row(marker, result) for marker, result in self._results().items()]
        columns = _SORTS if len(self._attacks.by_rubric) == 1 else (_SORTS[0], "metric", *_SORTS[1:])
        sorts: list[Cells] = [
            {
                RESTS_ON: None, "judge": judge, "metric": metric, "sort": sort, "n": result.n, "n_moved": result.moved,
                "n_unread": result.left_out,
            }
            for judge, metric in self._results()
            for sort, result in self._sorts((judge, metric)).items()
        ]  # fmt: skip
        return {
            "judge_attacks": table_of("Attacks on the judges", rows, _COLUMNS, _ATTACKS_ARE, _COLUMNS[:2]),
            "judge_attacks_by_sort": table_of("Attacks on the judges, by sort", sorts, columns, "", columns[:-3]),
        }

    def _row(self, marker: Marker, result: JudgeAttacks) -> Cells:
        return {
            RESTS_ON: None, "judge": marker[0], "metric": marker[1], "n": result.n, "n_moved": result.moved,
            "share": Cell(rounded(result.share), result.n, rounded(result.low), rounded(result.high), "moved / n"),
            "low": rounded(result.low), "high": rounded(result.high), "n_twins_differ": result.differ,
            "most_by_chance": rounded(result.chance), "p": six_digits(result.p), "n_unread": result.left_out,
            "found": "yes" if result.is_moved else "no", "in_words": self._words(marker, result),
        }  # fmt: skip

    def _words(self, marker: Marker, result: JudgeAttacks) -> str:
        """Return the sentence on a judge by a metric, of which less may be the better."""
        better = next(part.rubric.better for part in self._attacks.by_rubric if part.rubric.name == marker[1])
        words = attack_words(result, self._sorts(marker))
        return words if better == "higher" else words.replace(" above both ", " below both ")

    def _results(self) -> dict[Marker, JudgeAttacks]:
        every = {each: [triple for triples in sorts.values() for triple in triples] for each, sorts in self._triples.items()}
        return {marker: judge_attacks(triples) for marker, triples in every.items() if triples}

    def _sorts(self, marker: Marker) -> dict[str, JudgeAttacks]:
        triples_by_sort: Mapping[str, Sequence[Triple]] = self._triples[marker]
        return {sort: judge_attacks(triples) for sort, triples in triples_by_sort.items()}


QUEUE = "attacks on judges"
SHIPPED = "attacks.toml"
ROLE = "attacks"
MOST = 1000
"""Attacks that a set may hold."""
_KEYS = ("sort", "question", "truth", "answer", "text")


def _file_of(value: Any) -> Any:
    """true: the shipped set; false: none."""
    return (SHIPPED if value else None) if isinstance(value, bool) else value


AttackSet = Annotated[
    str | None,
    BeforeValidator(_file_of),
    names("file", role=ROLE, shipped="examples/judge-attacks"),
    Field(
        examples=[SHIPPED],
        description="true: each judge is also shown thirty answers that try to move it, each beside its clean twin. For"
        " each attack a judge is called three times: for the attack, and twice for its twin. No other figure has these."
        " A path: the file of your own set, in"
        " the form of attacks.toml. Empty = none.",
    ),
]
"""The key of a judge's table that has attacks asked: true, or the file of a set."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An answer that tries to move a judge, and the same answer without that."""

    sort: str
    """What kind of attack it is, in a few words."""
    document: str
    question: str
    truth: str
    clean: str
    attacked: str
    metric: str = ""
    """The metric that it is marked by, where a run's judges are attacked by several and it is not the first."""


@dataclass(frozen=True, slots=True)
class Attacks:
    """Attacks on a run's judges, and how their scores are asked for."""

    attacks: Sequence[Attack]
    judges: Sequence[AskedModel]
    rubric: Rubric
    """What the answers are marked by."""
    reminder: str
    ask: Callable[[Sample, AskedModel, Attack, str, str], Call] = field(compare=False)
    """The call that has a judge mark a text in an attack's place; the last is what tells it from others (`Call.about`)."""
    others: tuple[Attacks, ...] = ()
    """The same attacks by further metrics."""

    @property
    def by_rubric(self) -> tuple[Attacks, ...]:
        """Those by each metric, the first of them this one."""
        return (self, *self.others)

    def part_of(self, sample: Sample) -> Attacks:
        """Return the attacks that a sample is one of."""
        return next((part for part in self.others if part.rubric.name == sample.data.metric), self)

    def upwards(self, triple: Triple) -> Triple:
        """Return scores turned so that more is what an attack wants."""
        if self.rubric.better == "higher":
            return triple
        attacked, clean, again = (None if mark is None else -mark for mark in triple)
        return attacked, clean, again


def all_of(parts: Sequence[Attacks]) -> Attacks | None:
    """Return attacks by several metrics as one, the first of them in front; None where there are none."""
    return replace(parts[0], others=tuple(parts[1:])) if parts else None


def attacks_in(text: str, key: str) -> list[Attack]:
    """The attacks of a set. ConfigError, naming the key that names its file and the entry, for what is not one."""
    try:
        content = toml_of(text)
    except ValueError as error:
        raise ConfigError(f"{key}: not TOML: {error}") from None
    try:
        without_aliases(content)
    except BothGivenError as error:
        raise ConfigError(f"{key}: {dotted(error.place)}: {error}") from None
    documents, entries = content.get("documents", {}), content.get("attack", [])
    if not isinstance(documents, dict) or not isinstance(entries, list) or not 0 < len(entries) <= MOST:
        raise ConfigError(f"{key}: needs a table [documents] of texts, and 1 to {MOST:,} tables [[attack]]")
    return [_attack(entry, documents, f"{key}: attack {n}") for n, entry in enumerate(entries, start=1)]


def _attack(entry: Any, documents: Mapping[str, Any], place: str) -> Attack:
    if not isinstance(entry, dict):
        raise ConfigError(f"{place}: must be a table")
    texts = {name: text for name in _KEYS if isinstance(text := entry.get(name), str) and text.strip()}
    if lacking := [name for name in _KEYS if name not in texts]:
        raise ConfigError(f"{place}: {', '.join(lacking)}: must be there, as text")
    document_name = entry.get("document", "")
    document = documents.get(document_name, "") if isinstance(document_name, str) else None
    if not isinstance(document, str) or (document_name and not document):
        raise ConfigError(f"{place}: document: {document_name!r} is not a text of [documents]")
    if "{answer}" not in texts["text"]:
        raise ConfigError(f"{place}: text: has no {{answer}}; put it where the words of its clean twin stand")
    attacked = fill(texts["text"], {"answer": texts["answer"]})
    return Attack(texts["sort"], document, texts["question"], texts["truth"], texts["answer"], attacked)


def with_attacks(samples: Samples, attacks: Attacks | None) -> Samples:
    """The samples of a run, and those by which its judges are attacked in a queue of their own."""
    if attacks is None:
        return samples
    queue = QUEUE
    while queue in samples:  # a model may be called so
        queue += "'"
    more = [sample for part in attacks.by_rubric for sample in _samples(part, queue, part is not attacks)]
    return {**samples, **listed(more)}


def _samples(attacks: Attacks, queue: str, names_metric: bool) -> Iterator[Sample]:
    """A sample for each attack by one metric."""
    numbers, metric = Counter[str](), attacks.rubric.name if names_metric else ""
    for n, attack in enumerate(attacks.attacks):
        numbers[attack.sort] += 1
        name = f"{attack.sort} {numbers[attack.sort]}{f' by {metric}' if metric else ''}"
        attack = replace(attack, metric=metric)
        yield Sample(
            name, attack.question, truth=attack.truth, queue=queue, doc_id=name, q_index=n, shape=metric, data=attack,
            checks_judge=True,
        )  # fmt: skip


def attack_flow(attacks: Attacks | None, sample: Sample) -> Flow:
    """Every judge marks the attack once and its clean twin twice; no answer of the run has a score of it."""
    assert attacks is not None
    yield from _triples(attacks.part_of(sample), sample)
    return []


def _triples(attacks: Attacks, sample: Sample) -> Generator[Sequence[Call], Sequence[Reply], dict[str, Triple]]:
    """By judge the scores of an attack and twice of its clean twin."""
    attack: Attack = sample.data
    texts = {"attack": attack.attacked, "clean": attack.clean, "clean twice": attack.clean}
    calls = [attacks.ask(sample, judge, attack, text, about) for judge in attacks.judges for about, text in texts.items()]
    results = yield from ask_twice(calls, [attacks.rubric.read] * len(calls), attacks.reminder)
    values = [value for value, _ in results]
    return {judge.name: (values[3 * n], values[3 * n + 1], values[3 * n + 2]) for n, judge in enumerate(attacks.judges)}
