"""Groups of lettered questions: difficulty, domains, whether a calculation is needed, topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_eval.core.samples import NOTHING, Sample

DIFFICULTY, DOMAIN, CALC_REQUIRED, TOPIC = "difficulty", "domain", "calc_required", "topic"
"""The names they have in `Sample.groups`, in this order."""
_SAID = {True: ("yes",), False: ("no",), None: ()}


def groups_named(
    difficulty: str = "", domains: Sequence[str] = (), topics: Sequence[str] = (), calc_required: bool | None = None
) -> Mapping[str, tuple[str, ...]]:
    """A question's groups; of what is empty or not said there is none."""
    if not (difficulty or domains or topics) and calc_required is None:
        return NOTHING
    groups: dict[str, tuple[str, ...]] = {
        DIFFICULTY: (difficulty,) if difficulty else (),
        DOMAIN: tuple(domains),
        CALC_REQUIRED: _SAID[calc_required],
        TOPIC: tuple(topics),
    }
    return {name: values for name, values in groups.items() if values}


def difficulty_of(question: Sample) -> str:
    """Return a question's difficulty; empty where none is given."""
    return next(iter(question.group(DIFFICULTY)), "")


def calculation_of(question: Sample) -> str:
    """Return whether a calculation is needed: yes, no, or empty where nothing is said."""
    return next(iter(question.group(CALC_REQUIRED)), "")


def calc_required_of(question: Sample) -> bool | None:
    """The same as files have it; None where nothing is said."""
    return {"yes": True, "no": False}.get(calculation_of(question))
