"""Laws of what a run that makes questions tells while it goes on, and of what is marked in a text."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tui_eval.tui.screens.live.question_progress import KEYS, made_rows
from tui_eval.tui.widgets.inspector import Section, SectionsView, _laid_out


def test_several_documents_are_added_up() -> None:
    """One row for one document; of several the sum stands first, and a missing count is not counted as none."""
    one = {"wanted": 6, "made": 3, "kept": 2, "dropped": 1}
    alone = made_rows({"documents": {"a": one}})
    both = made_rows({"documents": {"a": one, "b": one}})
    unknown = made_rows({"documents": {"a": one, "b": {"wanted": 6}}})

    assert [row[0] for row in alone] == ["a"]
    assert [both[0][place] for place in range(3)] == ["all 2 documents", "12", "6"]
    assert unknown[0][1] == "12" and unknown[0][2] == "-"


@pytest.mark.parametrize("documents", [None, [], {"\x1b[2J": 3}, {"a": dict.fromkeys(KEYS, True)}])
def test_a_folder_may_be_anybodys(documents: Any) -> None:
    """Whatever stands there, rows are plain text."""
    assert "\x1b" not in str(made_rows({"documents": documents}))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_marked_is_what_was_meant(seed: int) -> None:
    """At any width the marked parts of the wrapped lines are the span, but for the white space at which lines end."""
    chance = random.Random(seed)
    text = "".join(
        chance.choice(("pier ", "Öl\n", "a", "\n\n", "深さ", " ", "granite. ")) for _ in range(chance.randint(1, 120))
    )
    start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
    lines = _laid_out(Section("", text, marks=((start, end),)), chance.randint(8, 40))

    said = "".join(line.text[first:last] for line in lines for first, last, _ in SectionsView()._spans(line))
    assert "".join(said.split()) == "".join(text[start:end].split())
