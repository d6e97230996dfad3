"""Laws of sums: what may change in a run, and which figures then change, and which way."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from boards import ERRORS, MARK, RIGHT, Value, add, board_of
from compared import item, items, of_two, only, write_run
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.units import Units
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.comparison.text import left_out, verdict
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.differences import FEW_MISSING, Difference
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.pair_words import over_words

SLACK = 1e-6
"""Of the scale: to which digit an end of an interval is looked for."""
METRICS = {"right": RIGHT, "marks": MARK, "errors": ERRORS}
VALUES: dict[str, Sequence[float]] = {"right": (0.0, 1.0), "marks": (1.0, 2.0, 4.0, 4.5, 5.0), "errors": (0.0, 0.07, 0.5, 1.4)}
Columns = dict[str, list[Value]]


@st.composite
def runs(draw: st.DrawFn, gaps: bool = True) -> tuple[str, Columns, list[int]]:
    """A metric, the scores of two or three models, and what the items are about: each its own, or several one document."""
    name = draw(st.sampled_from(sorted(METRICS)))
    n = draw(st.integers(1, 16))
    value = st.sampled_from([*VALUES[name], *([None] if gaps else [])])
    columns: Columns = {model: draw(st.lists(value, min_size=n, max_size=n)) for model in "abc"[: draw(st.integers(2, 3))]}
    size = draw(st.sampled_from([0, 0, 2, 3, n]))
    return name, columns, [place // size for place in range(n)] if size else []


def ends(found: Difference) -> tuple[float, float]:
    """The ends of an interval, which are always there."""
    assert found.low is not None and found.high is not None
    return found.low, found.high


@settings(few, max_examples=120)
@given(runs(), st.integers(2, 4), st.sets(st.integers(0, 15)))
def test_a_repeat_that_equals_the_first_answer_adds_no_doubt(
    run: tuple[str, Columns, list[int]], times: int, chosen: set[int]
) -> None:
    """Of all items or of some: no mean changes, no interval gets wider, and no p changes."""
    name, columns, documents = run
    for places in (range(99), chosen):
        more: Columns = {
            model: [[value] * times if place in places else value for place, value in enumerate(values)]  # type: ignore[list-item]
            for model, values in columns.items()
        }
        once, again = (board_of(found, METRICS[name], documents) for found in (columns, more))
        for side in once.series:
            one, other = once.estimate(side), again.estimate(side)
            assert (other.n, other.value) == (one.n, pytest.approx(one.value))
            if one.low is not None and one.high is not None and other.low is not None and other.high is not None:
                assert one.low - SLACK <= other.low and other.high <= one.high + SLACK
        for pair, same in zip(once.pairs, again.pairs, strict=True):
            assert (same.found.p, same.p_holm) == (pytest.approx(pair.found.p), pytest.approx(pair.p_holm))
            assert ends(same.found) == pytest.approx(ends(pair.found)) and same.found.method == pair.found.method


@settings(few, max_examples=80)
@given(runs(), st.randoms(use_true_random=False))
def test_order_changes_nothing_but_order(run: tuple[str, Columns, list[int]], chance: random.Random) -> None:
    """Items and models in any order: the same means and pairs of the same names, with their signs turned where they turn."""
    name, columns, documents = run
    places, models = list(range(len(columns["a"]))), list(columns)
    chance.shuffle(places)
    chance.shuffle(models)
    mixed = {model: [columns[model][place] for place in places] for model in models}
    one = board_of(columns, METRICS[name], documents)
    other = board_of(mixed, METRICS[name], [documents[place] for place in places] if documents else [])

    assert set(one.series) == set(other.series) and one.ranks == other.ranks
    for side in one.series:
        assert flat(one.estimate(side)) == pytest.approx(flat(other.estimate(side)), abs=SLACK)
    pairs = {(pair.a, pair.b): pair for pair in other.pairs}
    for pair in one.pairs:
        turned = (pair.b, pair.a) in pairs
        same = pairs[pair.b, pair.a] if turned else pairs[pair.a, pair.b]
        low, high = ends(same.found)
        expected = (same.found.value, low, high) if not turned else (-(same.found.value or 0.0), -high, -low)
        assert (pair.found.value, *ends(pair.found)) == pytest.approx(expected)
        assert (pair.found.n, pair.found.a_higher) == (same.found.n, same.found.b_higher if turned else same.found.a_higher)
        assert (pair.found.p, pair.p_holm) == (pytest.approx(same.found.p), pytest.approx(same.p_holm))


def flat(found: Any) -> tuple[Any, ...]:
    """The figures of a mean; what is not known is -1."""
    figures = (found.n, found.value, found.low, found.high, found.scored, found.asked, found.effective)
    return tuple(-1 if figure is None else figure for figure in figures)


@settings(few, max_examples=80)
@given(runs())
def test_who_stands_first_turns_every_sign_and_nothing_else(run: tuple[str, Columns, list[int]]) -> None:
    """Values to the last bit, what is reckoned from them to the twelfth digit."""
    name, columns, documents = run
    forward = board_of(columns, METRICS[name], documents)
    backward = board_of(dict(reversed(columns.items())), METRICS[name], documents)
    turned = {(pair.b, pair.a): pair for pair in backward.pairs}
    assert len(forward.pairs) == len(turned)
    for pair in forward.pairs:
        one, other = pair.found, turned[pair.a, pair.b].found
        assert one.value == 0.0 - (other.value or 0.0) and one.p == (other.p and pytest.approx(other.p, rel=1e-12))
        assert ends(one) == pytest.approx(tuple(-end for end in reversed(ends(other))), rel=1e-12, abs=1e-12)
        assert (one.n, one.a_higher, one.of_a, one.mean_a, one.method) == (
            other.n, other.b_higher, other.of_b, other.mean_b, other.method,
        )  # fmt: skip
        mirrored = None if other.bounds is None else tuple(0.0 - end for end in reversed(other.bounds))
        assert one.bounds == (None if mirrored is None else pytest.approx(mirrored))


@settings(few, max_examples=120)
@given(runs(gaps=False), st.integers(0, 15), st.integers(0, 9))
def test_raising_a_value_lowers_neither_end(run: tuple[str, Columns, list[int]], place: int, up: int) -> None:
    """Of a mean's interval, on scales with and without an end: of marks with repeats and in clusters, of shares of one answer
    each. Of shares in clusters it cannot be so: where clusters come to differ more, Wilson's effective n is smaller."""
    name, columns, documents = run
    values, others = columns["a"], columns["b"]
    place %= len(values)
    higher = [value for value in VALUES[name] if value >= (values[place] or 0.0)]  # type: ignore[operator]
    raised = [*values[:place], higher[up % len(higher)], *values[place + 1 :]]
    found = []
    for column in (values, raised):
        several: list[Value] = [[one, other] for one, other in zip(column, others, strict=True)]  # type: ignore[list-item]
        shapes = [(column, [])] if name == "right" else [(column, []), (column, documents), (several, documents)]
        found.append([next(iter(estimates(board_of({"a": shape}, METRICS[name], about)))) for shape, about in shapes])
    for before, after in zip(*found, strict=True):
        assert before.low is not None and before.high is not None and after.low is not None and after.high is not None
        assert before.low <= after.low + SLACK and before.high <= after.high + SLACK


def estimates(board: Board) -> list[Estimate]:
    """The means of all sides."""
    return [board.estimate(side) for side in board.series]


@settings(few, max_examples=120)
@given(runs(), st.integers(1, 3))
def test_no_interval_has_width_0(run: tuple[str, Columns, list[int]], repeats: int) -> None:
    """Of means and pairs, however few items there are and however alike: others might be unlike these."""
    name, columns, documents = run
    several: Columns = {model: [[value] * repeats for value in values] for model, values in columns.items()}  # type: ignore[list-item]
    found = board_of(several, METRICS[name], documents)
    for side in found.series:
        one = found.estimate(side)
        assert (one.value is None) == (one.low is None) == (one.high is None) == (one.n == 0)
        if one.value is not None and one.low is not None and one.high is not None:
            assert one.low <= one.value <= one.high and one.high - one.low > 1e-3
    for pair in found.pairs:
        low, high = ends(pair.found)
        assert high - low > 1e-3 and low <= (pair.found.value or 0.0) + 1e-9 and (pair.found.value or 0.0) - 1e-9 <= high


@settings(few, max_examples=60)
@given(runs(), runs())
def test_versions_of_what_is_asked_are_never_pooled(
    one: tuple[str, Columns, list[int]], other: tuple[str, Columns, list[int]]
) -> None:
    """Each side is what a run with that version alone would make of it; no pair differs in model and version at once."""
    metric, units = METRICS[one[0]], Units("brief", "graph", (), "prompt")
    both = Board.empty(units, [metric])
    alone = {}
    for variant, columns in (("v1", one[1]), ("v2", other[1])):
        alone[variant] = Board.empty(units, [metric])
        for model, values in columns.items():
            found = values if variant == "v1" else [None if value is None else metric.low for value in values]
            for board in (both, alone[variant]):
                add(board, model, found, metric, variant=variant)
    assert len(both.series) == len(one[1]) + len(other[1]) and both.variants == ["v1", "v2"]
    for side in both.series:
        assert both.estimate(side) == alone[side.variant].estimate(side)
        assert both.named(side) == f"{side.model} {side.variant}" and alone[side.variant].named(side) == side.model
    for pair in both.pairs:
        assert (pair.a.model == pair.b.model) != (pair.a.variant == pair.b.variant)
        if pair.a.variant == pair.b.variant:
            (same,) = [p for p in alone[pair.a.variant].pairs if (p.a, p.b) == (pair.a, pair.b)]
            assert same.found == pair.found


@pytest.mark.parametrize("stated", [True, False])
def test_of_equal_items_the_first_stands_beside_the_first(stated: bool, tmp_path: Path) -> None:
    """Three times the same question in one run, twice in the other, asked in other places: first with first, second with
    second; the third is one that only one run has."""
    question = {"question": "What is empty?", "truth": "the pores", "unit": None}

    def line(place: int, value: float, text: str = "") -> dict[str, Any]:
        asked = question if not text else {**question, "question": text}
        unit = {"item": asked["question"], "clusters": [f"q{place}", f"q{place}/{place}"], "variant": ""}
        return item("a", place, value, **{**asked, "unit": unit})

    first = [line(0, 1.0), line(1, 0.0, "Who?"), line(2, 1.0), line(3, 0.0)]
    second = [line(5, 0.0, "Who?"), line(6, 0.0), line(9, 1.0)]
    units = Units() if stated else None
    runs = [write_run(tmp_path / str(n), found, units=units) for n, found in enumerate((first, second))]
    pair = only(compare_runs(runs))
    both = {(one, other) for one, other in pair.differing()}

    if stated:
        assert (pair.n, pair.only_a, pair.only_b) == (3, 1, 0)
        assert both == {(0, 1)}  # 1 and 0; the second ones are both right


def test_a_pair_rests_on_what_both_have() -> None:
    """Over 18 common of 20 and 23, as words and as figures: the others change nothing of it."""
    a: list[Value] = [1.0] * 20 + [None] * 5
    b: list[Value] = [None, None, *[0.0, 1.0] * 9, *[1.0] * 5]
    found = board_of({"a": a, "b": b})
    (pair,) = found.pairs
    without = board_of({"a": a[2:20], "b": b[2:20]}).pairs[0].found

    assert (pair.found.n, pair.found.of_a, pair.found.of_b) == (18, 20, 23)
    assert over_words(pair.found, Units()) == "over 18 common questions of 20 and 23"
    assert (pair.found.value, pair.found.low, pair.found.high, pair.found.p) == (
        without.value, without.low, without.high, without.p,
    )  # fmt: skip
    assert over_words(without, Units()) == ""
    assert (pair.found.mean_a, pair.found.mean_b) == (1.0, 0.5)


def test_a_pair_rests_on_the_repeats_that_both_have(tmp_path: Path) -> None:
    """An answer of one side that the other lacks is in its mean, and in no difference."""
    pair = of_two(tmp_path / "run", [[1.0, 0.0, 0.0]] * 6, [[1.0, None, None]] * 6)

    assert (pair.a.score.value, pair.b.score.value) == (pytest.approx(1 / 3), 1.0)
    assert (pair.found.value, pair.found.answers, pair.found.n) == (0.0, 6, 6)
    assert left_out(pair) == "over 6 common questions (6 common answers of 18 and 6)"
    assert pair.found.bounds == pytest.approx((1 / 3 - 1, 1 / 3 - 1 / 3))


answer = st.tuples(st.sampled_from([0.0, 1.0, None]), st.sampled_from([0.0, 1.0, None]))
turns = st.lists(st.lists(answer, min_size=1, max_size=4), min_size=1, max_size=4)


@settings(few, max_examples=150)
@given(turns, st.integers(0, 40))
def test_worst_cases_count_the_answers_inside_an_item(rows: list[list[tuple[float | None, float | None]]], more: int) -> None:
    """Of conversations of unequal length: any answers of one side that the other lacks, filled in, end within the bounds, and
    some at both; they stand where more than 5 % of the answers that both were asked for are such."""
    every = [*rows, *[[(1.0, 1.0)]] * more]
    found = board_of({side: [[both[place] for both in row] for row in every] for place, side in enumerate("ab")}, RIGHT)
    flat = [both for row in every for both in row]
    common = [both for both in flat if None not in both]
    assert bool(found.pairs) == bool(common)
    if not found.pairs:
        return
    pair = found.pairs[0].found
    alone = [sum(both[place] is not None and both[1 - place] is None for both in flat) for place in (0, 1)]

    assert (pair.answers, pair.answers_a, pair.answers_b) == (len(common), len(common) + alone[0], len(common) + alone[1])
    assert (pair.bounds is not None) == (max(alone) > FEW_MISSING * len(flat))
    if pair.bounds is not None:
        least, most = (mean_difference(every, wrong) for wrong in ((0.0, 1.0), (1.0, 0.0)))
        assert pair.bounds == pytest.approx((least, most))


def mean_difference(rows: list[list[tuple[float | None, float | None]]], missing: tuple[float, float]) -> float:
    """Over items, the mean of their answers that one of the two has, with this in place of what a lacks, and b."""
    known = [[both for both in row if both != (None, None)] for row in rows]
    filled = [[(missing[0] if a is None else a) - (missing[1] if b is None else b) for a, b in row] for row in known if row]
    return sum(sum(row) / len(row) for row in filled) / len(filled)


def test_turns_that_one_side_lacks_everywhere_are_said(tmp_path: Path) -> None:
    """Six conversations of four turns, of which b lacks three each: the difference rests on 6 of 24 answers, and says so."""
    pair = of_two(tmp_path / "run", [[1.0, 0.0, 1.0, 1.0]] * 6, [[1.0, None, None, None]] * 6)

    assert (pair.found.n, pair.found.answers, pair.found.answers_a, pair.found.answers_b) == (6, 6, 24, 6)
    assert pair.found.bounds == pytest.approx((-1 / 4, 2 / 4))
    assert left_out(pair) == "over 6 common questions (6 common answers of 24 and 6)"
    assert "with the missing answers of one side between -25.0 and +50.0" in verdict(pair)


@settings(few, max_examples=100)
@given(turns)
def test_sides_without_a_common_answer_are_said_not_to_be_compared(rows: list[list[tuple[float | None, float | None]]]) -> None:
    """Every two sides that have scores are a pair, or named as none."""
    found = board_of({side: [[both[place] for both in row] for row in rows] for place, side in enumerate("ab")}, RIGHT)
    scored = [found.estimate(side).n > 0 for side in found.series]
    assert len(found.pairs) + len(found.without_pair) == all(scored)
    assert ("a and b have no answer in common" in found.apart_words()) == bool(found.without_pair)


gaps = st.lists(st.tuples(st.sampled_from([0.0, 1.0, None]), st.sampled_from([0.0, 1.0, None])), min_size=1, max_size=9)


@settings(few, max_examples=150)
@given(gaps, st.integers(0, 60), st.booleans())
def test_worst_cases_stand_only_where_one_side_lacks_more_than_a_few(
    rows: list[tuple[float | None, float | None]], more: int, by_document: bool
) -> None:
    """More than 5 % of what both were asked, and what the other has; they are the ends of what any answers would make."""
    rows = [*rows, *[(1.0, 1.0)] * more]
    found = board_of({"a": [a for a, _ in rows], "b": [b for _, b in rows]}, RIGHT, [0] * len(rows) if by_document else [])
    if not found.pairs:
        return
    pair = found.pairs[0].found
    alone = [sum(one is not None and other is None for one, other in which) for which in (rows, [r[::-1] for r in rows])]

    assert (pair.bounds is not None) == (max(alone) > FEW_MISSING * len(rows))
    if pair.bounds is not None:
        known = [row for row in rows if row != (None, None)]
        open_ = sum(None in row for row in known)
        totals = []
        for values in product((0.0, 1.0), repeat=open_):
            left = iter(values)
            filled = [(next(left) if a is None else a, next(left) if b is None else b) for a, b in known]
            totals.append(sum(a - b for a, b in filled) / len(filled))
        assert pair.bounds == pytest.approx((min(totals), max(totals)))


def test_worst_cases_of_marks_go_to_the_ends_of_their_scale() -> None:
    """By hand: three of ten lack a mark of b, where a has 5, 4 and 1; what has no end has no worst case."""
    a: list[Value] = [3.0] * 7 + [5.0, 4.0, 1.0]
    b: list[Value] = [3.0] * 7 + [None] * 3
    (pair,) = board_of({"a": a, "b": b}, MARK).pairs
    assert pair.found.bounds == pytest.approx(((0 - 1 - 4) / 10, (4 + 3 + 0) / 10))
    (pair,) = board_of({"a": a, "b": b}, ERRORS).pairs
    assert pair.found.bounds is None


# planted truths


def test_files_that_are_each_seven_points_apart_are_told(tmp_path: Path) -> None:
    """22 files, of which 20 are pictures that are asked the same: the difference is theirs, not that of what is asked."""
    chance = random.Random(3)
    rates = [chance.uniform(0, 0.3) for _ in range(22)]
    scale = {"low": 0, "high": 99_999, "better": "lower", "threshold": None}
    lines = items({"a": rates, "b": [rate + 0.07 for rate in rates]}, metrics={"correct": scale}, question="Transcribe it.")
    for line in lines:
        line["unit"] = {"item": f"file {line['q_index']}", "clusters": [line["doc_id"]], "variant": ""}
    comparison = compare_runs([write_run(tmp_path / "run", lines, units=Units("file", "answer", ()))])
    pair = only(comparison)

    assert (pair.n, pair.found.value, pair.found.a_higher) == (22, pytest.approx(-0.07), 0)
    assert pair.significant and (pair.found.p or 1) < 1e-6 and pair.better is pair.a
    assert comparison.verdict.startswith("a (correct 0.1") and "leads over 22 files" in comparison.verdict


def test_of_equal_models_one_that_breaks_graphs_is_worse_in_just_that(tmp_path: Path) -> None:
    """30 briefs by two prompts: weak graphs by the first, good ones by the second, from both models alike. One breaks half of
    its weak ones: overall is the same, its share of valid graphs is not."""
    chance = random.Random(7)
    lines = []
    for model, brief, (prompt, quality) in product(("scholar", "sprinter"), range(30), (("v1", 0.6), ("v2", 0.9))):
        broken = model == "scholar" and prompt == "v1" and brief % 2 == 0
        line = item(model, brief, None)
        score = {**line["scores"][0], "why": "structure invalid" if broken else ""}
        overall = None if broken else min(max(chance.gauss(quality, 0.05), 0), 1)
        line["scores"] = [
            {**score, "name": "overall", "value": overall},
            {**score, "name": "valid", "value": float(not broken), "why": ""},
        ]
        unit = {"item": f"brief {brief}", "clusters": [f"brief {brief}"], "variant": prompt}
        scale = {"overall": {"low": 0, "high": 1, "better": "higher", "threshold": None}}
        lines.append({**line, "item_id": f"{model}/{brief}{prompt}", "unit": unit, "metrics": scale})
    units = Units("brief", "graph", (), "prompt", ("overall", "valid"))
    found = compare_runs([write_run(tmp_path / "run", lines, units=units)])
    between = {
        (pair.metric.name, pair.a.side.key.variant): pair for pair in found.pairs if pair.a.label[:8] != pair.b.label[:8]
    }

    assert {name: (pair.n, pair.significant) for name, pair in between.items()} == {
        ("overall", "v1"): (15, False),
        ("overall", "v2"): (30, False),
        ("valid", "v1"): (30, True),
        ("valid", "v2"): (30, False),
    }
    assert {pair.tests for pair in found.pairs} == {8}
    worse = between["valid", "v1"]
    assert worse.better is not None and worse.better.side.key.model == "sprinter" and worse.found.value == -0.5
    assert "scholar is better" not in found.verdict and found.verdict.startswith("Under prompt `v1`, no leader is shown: ")
    means = {one.label: one.score.value for one in found.standings if one.metric.name == "overall"}
    assert means["scholar v1"] == pytest.approx(0.6, abs=0.03) and means["scholar v2"] == pytest.approx(0.9, abs=0.03)
