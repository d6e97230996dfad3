"""What numbers are about: what is the same item, what items share, and which metrics are tested."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.samples import Sample
from tui_eval.core.units import LEAST_CLUSTERS, QUESTIONS, Unit, Units, clusters_of, digest, unit_of, units_of

texts = st.text(max_size=6)


@few
@given(st.lists(texts | st.lists(texts, max_size=3), max_size=4), st.lists(texts | st.lists(texts, max_size=3), max_size=4))
def test_parts_of_a_digest_are_kept_apart(one: list[str | list[str]], other: list[str | list[str]]) -> None:
    """The same parts have the same digest, others another: ("a", "bc") is not ("ab", "c"), nor one list of both."""
    assert (digest(*one) == digest(*other)) == (one == other)
    assert len(digest(*one)) == 32


def test_an_item_is_what_the_data_bring() -> None:
    """Whatever a sample is called, whichever time and place it is asked at: not by options, truth or document, which tell."""
    first = Sample("one", "What?", ("a", "b"), 1, doc_id="d", q_index=3)
    again = Sample("other", "What?", ("a", "b"), 1, doc_id="e", q_index=7, repeat=2, queue="m")
    assert unit_of(None, first).item == unit_of(None, again).item
    for changed in (
        Sample("one", "Who?", ("a", "b"), 1),
        Sample("one", "What?", ("b", "a"), 1),
        Sample("one", "What?", ("a", "b"), 0),
        Sample("one", "What?", truth="b"),
        Sample("one", "What?", ("a", "b"), 1, groups={"document": ("x",)}),
    ):
        assert unit_of(None, changed).item != unit_of(None, first).item
    assert unit_of(None, first).clusters == ("d", "d/3") and unit_of(None, first).variant == ""


def of(*names: str) -> list[Unit]:
    """Items of these documents."""
    return [Unit(f"i{n}", (*name.split("/"), f"own {n}")) for n, name in enumerate(names)]


@pytest.mark.parametrize(
    ("names", "clusters", "level"),
    [
        ("a b c d e", None, -1),
        ("a a b b c c d d", list("aabbccdd"), 0),
        ("a a b b c c", None, 0),  # three documents are too few to speak of others
        ("a a a", None, 0),
        ("a/1 a/2 a/3 a/4 b/1 b/2 b/3 b/4", list("12341234"), 1),  # of two documents: by question
        ("a/1 a/2 b/1 b/2", None, 0),
        ("a/1 b/1 c/1 d/1", None, -1),  # one question of each: documents are all there is
        ("a/1 a/2 b/1 b/2 c/1 c/2 d/1 d/2", list("aabbccdd"), 0),
        ("a", None, -1),
        ("", None, -1),
    ],
)
def test_the_coarsest_level_with_four_values_counts(names: str, clusters: list[str] | None, level: int) -> None:
    """With fewer the next finer one; where that is each item by itself, the level that items share all the same is named."""
    assert clusters_of(of(*names.split())) == (clusters, level)
    assert LEAST_CLUSTERS == 4


def test_units_are_read_as_they_are_written() -> None:
    """What a file has in place of words or lists is left out, and so are words nobody knows."""
    units = Units("brief", "graph", ("document", "brief"), "prompt", ("overall", "valid"))
    assert units_of(units.words) == units
    assert units_of(None) == units_of({"item": 3, "levels": "document", "of": "all", "headline": None}) == QUESTIONS
    assert units_of({**units.words, "levels": ["a", 4], "new": 1}).levels == ("a",)


def test_items_are_counted_first_and_answers_in_brackets() -> None:
    """Where there are as many answers as items, they are not said twice."""
    units = Units("conversation")
    assert units.counted(6, 23) == "6 conversations (23 answers)"
    assert units.counted(1, 1) == units.counted(1) == "1 conversation"
    assert (units.tests("any"), Units(headline=("a",)).tests("a"), Units(headline=("a",)).tests("b")) == (True, True, False)
