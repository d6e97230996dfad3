"""Questions that have something in common, such as difficulty or domain, and in which order such groups are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that have something in common."""

    by: str
    """difficulty, domain, topic or calc_required."""
    value: str
    indexes: tuple[int, ...]
    bits: int
    """The same as a number with a bit for each of these questions."""


def groups_of(question: Sample) -> dict[str, tuple[str, ...]]:
    """What a question belongs to, by the name of the grouping; what is named twice counts once."""
    return {by: tuple(dict.fromkeys(values)) for by, values in question.groups.items()}


def grouped(questions: Sequence[Sample]) -> list[Group]:
    """Difficulties, domains, whether calculation is needed, topics; a question may stand in several of them."""
    found: dict[tuple[str, str], list[int]] = {}
    for i, question in enumerate(questions):
        for by, values in groups_of(question).items():
            for value in values:
                found.setdefault((by, value), []).append(i)
    groups = [Group(by, value, tuple(indexes), sum(1 << i for i in indexes)) for (by, value), indexes in found.items()]
    return sorted(groups, key=_group_place)


def _group_place(group: Group) -> tuple[int, int, int, str]:
    names = (DIFFICULTY, DOMAIN, CALC_REQUIRED, TOPIC)
    known = DIFFICULTIES.index(group.value) if group.value in DIFFICULTIES else len(DIFFICULTIES)
    return names.index(group.by), known if group.by == DIFFICULTY else 0, -len(group.indexes), group.value
