"""A kind is a page around a pure generator: all that only it needs stays within the size that it was brought to."""

from __future__ import annotations

from pathlib import Path

import measure
import pytest

from tui_eval.kinds import KINDS

MODULES = measure.read_modules(Path(__file__).resolve().parents[2])
CLOSURES = measure.closures(MODULES)
MOST = {"call": 161, "chat": 1180, "choice": 3915, "generate": 1450, "graph": 2150, "panel": 1380, "pipeline": 4790, "qa": 1290}
"""Lines of a kind's closure: the modules in its folder, and those anywhere that no other kind reaches, docstrings and
empty lines included; the scorers are no kind's, since a panel tries them, too. Of qa's 500 are its own; the others read
sets with any columns, for imports as well, and the scorers of a sample. Judges by rubrics of one's own are no kind's: qa,
panel and pipeline have each some 150 lines that say who is judged, twice, and shown what. Of choice's 270 hold a million
questions and answers by their places. Code does not leave it by moving next
door, only where another kind uses it for real, or where it goes. A bound may be lowered when it is undercut; what would
raise it is looked at first: names that say what they hold wrap a few lines."""


@pytest.mark.parametrize("kind", CLOSURES)
def test_a_kind_is_small_with_all_that_only_it_needs(kind: str) -> None:
    """No kind grows back what was taken out of it."""
    size = sum(MODULES[name].lines for name in CLOSURES[kind])

    assert 0 < size <= MOST.get(kind, 0), (
        f"what only {kind!r} reaches has {size} lines, and MOST in {__file__} allows {MOST.get(kind, 'a new kind none')}: "
        "cut them (thousands: it imports tui_eval.plugin, take each name from its own module); a new kind gets an entry"
    )


def test_every_kind_of_the_registry_is_measured_and_has_a_size() -> None:
    """A kind that is gone or renamed leaves none behind."""
    assert CLOSURES.keys() == MOST.keys() <= KINDS.keys(), "add the kind to MOST in tests/laws/test_kind_sizes.py, or remove it"
