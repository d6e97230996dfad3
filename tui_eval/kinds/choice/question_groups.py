"""Questions that have something in common, such as difficulty or domain, and in which order such groups are named."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import CALC_REQUIRED, DIFFICULTY, DOMAIN, TOPIC
from tui_eval.results.sums.series import Group, grouped

DIFFICULTIES = ("easy", "medium", "hard")


def groups_of(questions: Sequence[Sample]) -> list[Group]:
    """Difficulties, domains, whether calculation is needed, topics; a question may stand in several of them."""
    return sorted(grouped(question.groups for question in questions), key=_group_place)


def _group_place(group: Group) -> tuple[int, int, int, str]:
    names = (DIFFICULTY, DOMAIN, CALC_REQUIRED, TOPIC)
    known = DIFFICULTIES.index(group.value) if group.value in DIFFICULTIES else len(DIFFICULTIES)
    return names.index(group.by), known if group.by == DIFFICULTY else 0, -len(group.indexes), group.value
