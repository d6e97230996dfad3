"""Bounds on memory: what a run's scores take does not go beyond some bytes a score and an item."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from choices import answer_of
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, digest
from tui_eval.kinds.choice.sheets import Sheet
from tui_eval.results.sums.series import Items, Series

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "reports.py"


def bytes_each(make: Callable[[int], object], few: int = 3_000, many: int = 20_000) -> float:
    """Bytes that one more takes, of many."""
    sizes = []
    for n in (few, many):
        gc.collect()
        tracemalloc.start()
        held = make(n)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        del held
    return (sizes[1] - sizes[0]) / (many - few)


def some_items(n: int) -> Items:
    """So many questions, each by itself."""
    items = Items()
    for place in range(n):
        items.place(Unit(digest(place), (f"q{place:06d}/{place}",)), {})
    return items


def some_scores(n: int) -> Series:
    """So many questions, each answered once."""
    series = Series()
    for place in range(n):
        series.add(place, float(place % 2))
    return series


def some_answers(n: int) -> Sheet:
    """So many questions, answered by a letter each."""
    sheet = Sheet("m")
    for question in QUESTIONS[:n]:
        sheet.answers[question.q_index] = (answer_of(question, "AB"[question.q_index % 2], "".join(["B", "."])),)
    return sheet


QUESTIONS = [Sample(f"q{place}", "Which?", ("yes", "no"), place % 2, q_index=place) for place in range(20_000)]


def test_an_item_takes_a_hundred_bytes_and_a_score_fifty() -> None:
    """Digest and name of an item included; an answer that is like others takes its place on the sheet."""
    assert bytes_each(some_items) < 150
    assert bytes_each(some_scores) < 60
    assert bytes_each(some_answers) < 12


NAMES = st.sampled_from(["", "a", "a\0", "\0", "b", '"', "é", "\ud800"])


@given(st.lists(st.tuples(NAMES, st.lists(NAMES, max_size=2).map(tuple), NAMES), max_size=40))
def test_items_are_numbered_as_they_are_first_met(met: list[tuple[str, tuple[str, ...], str]]) -> None:
    """By digest and clusters, whatever these hold; each is kept as it was when it was first met."""
    items, places = Items(), dict[tuple[str, tuple[str, ...]], int]()
    firsts = []
    for item, clusters, variant in met:
        if (item, clusters) not in places:
            firsts.append(Unit(item, clusters, variant))
        expected = places.setdefault((item, clusters), len(places))
        assert items.place(Unit(item, clusters, variant), {"by": (item,)}) == expected

    assert [*items.units] == firsts and len(items) == len(firsts)
    assert [groups["by"] for groups in items.groups] == [(unit.item,) for unit in firsts]


def test_more_items_than_the_table_began_with_are_found() -> None:
    """It grows, and finds every one of them again."""
    items = some_items(3_000)

    again = [items.place(Unit(digest(place), (f"q{place:06d}/{place}",)), {}) for place in range(3_000)]

    assert again == [*range(3_000)] and len(items) == 3_000


@pytest.mark.soak
def test_a_large_benchmark_is_reported_and_taken_up_again_within_its_bounds() -> None:
    """A tenth of 10,000 questions x 100 models, and of 200,000 settled calls, within a tenth of the CPU."""
    command = [sys.executable, str(BENCHMARK), "--large", "--shrunk", "10"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, stdin=subprocess.DEVNULL)

    assert done.returncode == 0, done.stdout + done.stderr
