"""Attacks on a run's judges, asked beside the run: answers that try to move a judge, each beside its clean twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

from pydantic import BeforeValidator, Field

from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import ask_twice
from tui_eval.evaluation.config_references import names
from tui_eval.evaluation.judging.rubrics import Rubric
from tui_eval.evaluation.sample_queues import Samples, listed
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.reading.prompts import fill
from tui_eval.statistics.moved_judges import Triple
from tui_eval.workspace.toml_files import toml_of

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
        description="true: each judge is also shown thirty answers that try to move it, each beside its clean twin: three calls"
        " more for each, that enter no other figure. Or the file of a set of your own, in the form of attacks.toml. Empty ="
        " none.",
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


@dataclass(frozen=True, slots=True)
class Attacks:
    """What a run's judges are attacked with, and how their scores are asked for."""

    attacks: Sequence[Attack]
    judges: Sequence[AskedModel]
    rubric: Rubric
    """What the answers are marked by."""
    reminder: str
    ask: Callable[[Sample, AskedModel, Attack, str, str], Call] = field(compare=False)
    """The call that has a judge mark a text in an attack's place; the last is what tells it from others (`Call.about`)."""


class _Given(Protocol):
    """What is given to resolve a config (evaluation.inputs.Inputs)."""

    @property
    def keys(self) -> Mapping[str, str]: ...
    def of(self, role: str) -> Sequence[Any]: ...
    def text(self, role: str) -> str: ...


def read_attacks(inputs: _Given) -> list[Attack]:
    """The attacks of the set that a config names; none where it names none. ConfigError as attacks_in raises it."""
    return attacks_in(inputs.text(ROLE), f"{inputs.keys[ROLE]}: {inputs.of(ROLE)[0].name}") if inputs.of(ROLE) else []


def attacks_in(text: str, key: str) -> list[Attack]:
    """The attacks of a set. ConfigError, naming the key that names its file and the entry, for what is not one."""
    try:
        content = toml_of(text)
    except ValueError as error:
        raise ConfigError(f"{key}: not TOML: {error}") from None
    documents, entries = content.get("documents", {}), content.get("attack", [])
    if not isinstance(documents, dict) or not isinstance(entries, list) or not 0 < len(entries) <= MOST:
        raise ConfigError(f"{key}: needs a table [documents] of texts, and 1 to {MOST:,} tables [[attack]]")
    return [_attack(entry, documents, f"{key}: attack {n}") for n, entry in enumerate(entries, start=1)]


def _attack(entry: Any, documents: Mapping[str, Any], place: str) -> Attack:
    if not isinstance(entry, dict):
        raise ConfigError(f"{place}: must be a table")
    found = {name: text for name in _KEYS if isinstance(text := entry.get(name), str) and text.strip()}
    if lacking := [name for name in _KEYS if name not in found]:
        raise ConfigError(f"{place}: {', '.join(lacking)}: must be there, as text")
    named = entry.get("document", "")
    document = documents.get(named, "") if isinstance(named, str) else None
    if not isinstance(document, str) or (named and not document):
        raise ConfigError(f"{place}: document: {named!r} is no text of [documents]")
    if "{answer}" not in found["text"]:
        raise ConfigError(f"{place}: text: has no {{answer}}; put it where the words of its clean twin stand")
    attacked = fill(found["text"], {"answer": found["answer"]})
    return Attack(found["sort"], document, found["question"], found["truth"], found["answer"], attacked)


def with_attacks(samples: Samples, attacks: Attacks | None) -> Samples:
    """The samples of a run, and those by which its judges are attacked in a queue of their own."""
    if attacks is None:
        return samples
    queue = QUEUE
    while queue in samples:  # a model may be called so
        queue += "'"
    numbers = Counter[str]()
    more = []
    for n, attack in enumerate(attacks.attacks):
        numbers[attack.sort] += 1
        name = f"{attack.sort} {numbers[attack.sort]}"
        more.append(
            Sample(
                name, attack.question, truth=attack.truth, queue=queue, doc_id=name, q_index=n, data=attack, checks_judge=True
            )
        )
    return {**samples, **listed(more)}


def attack_flow(attacks: Attacks | None, sample: Sample) -> Flow:
    """Every judge marks the attack once and its clean twin twice; no answer of the run has a score of it."""
    assert attacks is not None
    yield from _triples(attacks, sample)
    return []


def attack_triples(attacks: Attacks, row: SampleResult) -> dict[str, Triple]:
    """By judge the scores of an attack and twice of its clean twin, from the replies of the sample in their order."""
    flow, replies = _triples(attacks, row.sample), iter(row.replies)
    try:
        calls = next(flow)
        while True:
            calls = flow.send([next(replies) for _ in calls])
    except StopIteration as end:
        found: dict[str, Triple] = end.value
        return found


def _triples(attacks: Attacks, sample: Sample) -> Generator[Sequence[Call], Sequence[Reply], dict[str, Triple]]:
    attack: Attack = sample.data
    texts = {"attack": attack.attacked, "clean": attack.clean, "clean twice": attack.clean}
    calls = [attacks.ask(sample, judge, attack, text, about) for judge in attacks.judges for about, text in texts.items()]
    found = yield from ask_twice(calls, [attacks.rubric.read] * len(calls), attacks.reminder)
    values = [value for value, _ in found]
    return {judge.name: (values[3 * n], values[3 * n + 1], values[3 * n + 2]) for n, judge in enumerate(attacks.judges)}
