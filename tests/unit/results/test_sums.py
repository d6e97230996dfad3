"""Sums of scores: the quick ways come to what the plain ones do, order matters nowhere, and what is missing stays missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from frozen import PLACE, RUNS
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from rescored import laid_out

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.samples import DOCUMENT, Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.kinds.choice.figures import agreement
from tui_eval.reporting import rescoring
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.sums import in_words
from tui_eval.results.sums.differences import Pair, corrected, difference_of, every_pair, paired, power_of
from tui_eval.results.sums.means import clusterings, mean_of, rate
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG, all_alike
from tui_eval.results.sums.ranks import by_intervals, by_pairs, won_by
from tui_eval.results.sums.series import NO_TRUTH, Series, grouped
from tui_eval.statistics.estimates import clustered_wilson
from tui_eval.statistics.paired import clustered_mean
from tui_eval.workspace.places import Workspace

MARK = Metric("mark", 1, 5)
right_or_wrong = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=40)
several = st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), max_size=3), min_size=1, max_size=20)


def series(values: Any) -> Series:
    """Scores by question: one each, or a list of several."""
    found = Series()
    for place, inside in enumerate(values):
        found.grow(place + 1)
        for value in inside if isinstance(inside, list) else [inside]:
            found.add(place, value, "" if value is not None else "no reply: timeout")
    return found


@few
@given(several)
def test_a_rate_counts_every_answer_once(values: list[list[float | None]]) -> None:
    """Asked = scored + missing; the share is between its bounds, and the interval that of METHOD.md 1.3."""
    found = rate(series(values))
    flat = [value for inside in values for value in inside]

    assert (found.asked, found.missing) == (len(flat), flat.count(None))
    assert (found.scored, found.right) == (len(flat) - flat.count(None), flat.count(1.0))
    expected = clustered_wilson([inside.count(1.0) for inside in values], [len(v) - v.count(None) for v in values])
    assert (found.low, found.high, found.effective) == ((None, None, None) if expected is None else pytest.approx(expected))
    if found.share is not None and found.strict is not None and found.best_case is not None:
        assert found.strict <= found.share <= found.best_case


@few
@given(st.lists(several, min_size=1, max_size=4))
def test_agreement_is_over_questions_that_all_have_a_score_for(models: list[list[list[float | None]]]) -> None:
    """All right, all wrong and mixed are those that every model has a score for; the others are left out, and counted."""
    n = min(map(len, models))
    scores = [[[v for v in inside if v is not None] for inside in values[:n]] for values in models]
    found = agreement([series(values[:n]) for values in models], n)
    common = [[v for one in scores for v in one[i]] for i in range(n) if all(one[i] for one in scores)]

    assert (found.questions, found.left_out) == (len(common), n - len(common))
    assert found.all_right == sum(set(values) == {1.0} for values in common)
    assert found.all_wrong == sum(set(values) == {0.0} for values in common)
    assert found.mixed == sum(len(set(values)) == 2 for values in common)


def test_what_is_not_known_is_a_dash_and_never_a_zero() -> None:
    """In every word for a number; where it is known, it is there to the digit."""
    unknown = (in_words.percent(None), in_words.span(None, 0.5), in_words.points(None), in_words.decimal(None, 2))
    assert set(unknown) == {in_words.rank(None), in_words.p_value(None), in_words.in_unit(None, MARK), "-"}
    assert (in_words.percent(0.0), in_words.span(0.0, 1.0), in_words.points(0.0)) == ("0.0 %", "[0.0, 100.0]", "+0.0")
    assert (in_words.in_unit(0.5, RIGHT_OR_WRONG), in_words.in_unit(4.5, MARK)) == ("50.0 %", "4.50")
    assert (in_words.rank((2, 2)), in_words.rank((2, 5))) == ("2", "2-5")
    assert (in_words.p_value(0.00004), in_words.p_value(0.0001)) == ("< 0.0001", "0.0001")


@few
@given(right_or_wrong, st.sets(st.integers(0, 39)))
def test_a_group_is_what_its_questions_are_alone(values: list[float | None], chosen: set[int]) -> None:
    """The rate within a group is the rate of a run that asked nothing else."""
    groups = grouped([{"set": ("in" if place in chosen else "out",)} for place in range(len(values))])
    for group in groups:
        assert rate(series(values), group) == rate(series([values[i] for i in group.indexes]))
        assert group.bits == sum(1 << i for i in group.indexes)
    assert sorted(i for group in groups for i in group.indexes) == list(range(len(values)))


def test_what_a_question_names_twice_counts_once() -> None:
    """A domain that a question has twice holds it once."""
    assert [group.indexes for group in grouped([{"domain": ("log", "log", "core")}, {"domain": ("core",)}])] == [(0,), (0, 1)]


@few
@given(right_or_wrong, right_or_wrong)
def test_counting_bits_comes_to_what_the_differences_do(a: list[float | None], b: list[float | None]) -> None:
    """Two models by their sets of right answers, and by the difference of each question."""
    found = paired(series(a), series(b), RIGHT_OR_WRONG)
    both = [(x, y) for x, y in zip(a, b, strict=False) if x is not None and y is not None]
    plain = difference_of([x - y for x, y in both], [range(len(both))], whole=True)

    assert (found is None) == (not both)
    if found is None or len(both) < 2:
        return
    assert (found.n, found.a_higher, found.b_higher, found.p, found.needed) == (
        plain.n, plain.a_higher, plain.b_higher, plain.p, plain.needed,
    )  # fmt: skip
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high))


@few
@given(several, several, st.booleans())
def test_two_models_swapped_only_turn_the_sign(a: Any, b: Any, by_document: bool) -> None:
    """The difference lies in its interval; one question tells no models apart."""
    documents = [f"document {place // 2}" for place in range(20)] if by_document else []
    one = paired(series(a), series(b), RIGHT_OR_WRONG, [documents] if documents else ())
    other = paired(series(b), series(a), RIGHT_OR_WRONG, [documents] if documents else ())
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert (one.n, one.a_higher, one.b_higher, one.p) == (other.n, other.b_higher, other.a_higher, pytest.approx(other.p))
    assert one.value == pytest.approx(-(other.value or 0)) and one.low is not None and one.high is not None
    assert (one.low, one.high) == pytest.approx((-(other.high or 0), -(other.low or 0)))
    assert one.low <= one.value + 1e-9 and one.value - 1e-9 <= one.high
    assert one.n > 1 or (one.p == 1 and one.low < 0 < one.high)


@few
@given(st.lists(st.lists(st.sampled_from([1.0, 2.0, 5.0, None]), min_size=4, max_size=4), min_size=1, max_size=5))
def test_ranks_leave_open_what_no_pair_tells(rows: list[list[float | None]]) -> None:
    """Best and worst rank lie in order within the number of models; who is told apart from all others has one rank."""
    models = [(f"m{i}", series(row * 8)) for i, row in enumerate(rows)]
    pairs: list[Pair[str]] = corrected(list(every_pair(models, MARK)))
    ranks = by_pairs([name for name, _ in models], won_by(pairs))

    assert all(1 <= best <= worst <= len(models) for best, worst in ranks)
    for pair in pairs:
        assert pair.p_holm is not None and pair.found.p is not None and pair.found.p <= pair.p_holm <= 1
    for (name, _), (best, worst) in zip(models, ranks, strict=True):
        apart = [pair for pair in pairs if name in (pair.a, pair.b) and pair.significant]
        assert (best == worst) == (len(apart) == len(models) - 1)
    power = power_of(pairs, single=False)
    assert (power is None) == (not pairs)


@pytest.mark.parametrize("better", [1, -1])
@pytest.mark.parametrize("metric", [RIGHT_OR_WRONG, MARK], ids=lambda metric: metric.name)
def test_who_is_better_in_every_document_alike_is_told_apart(metric: Metric, better: int) -> None:
    """All right beside all wrong, over so many documents that no pattern of signs is tried: a p of 0 and not of 1."""
    ends = [metric.high] * 60, [metric.low] * 60
    best, worst = map(series, ends[::better])
    for size in (1, 3):
        documents = [f"document {place // size}" for place in range(60)]
        found = paired(best, worst, metric, [documents, list(range(60))])
        assert found is not None and found.p is not None and found.p < 1e-9 and (found.value or 0) * better > 0
        same = paired(best, best, metric, [documents, list(range(60))])
        assert same is not None and (same.p, same.value) == (1.0, 0.0)


@few
@given(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=3), min_size=2, max_size=20), st.booleans())
def test_a_share_of_repeats_has_one_interval_wherever_it_stands(values: list[list[float]], by_document: bool) -> None:
    """A mean of questions' shares is the rate of their answers, with its interval; neither end lies beyond 0 or 1."""
    found, documents = series(values), [place // 2 for place in range(len(values))]
    sources = [documents] if by_document else []
    told = mean_of(list(found.means().values()), clusterings(*sources, range(len(values))), RIGHT_OR_WRONG, 3 * len(values))
    whole = rate(found, sources=[*sources, range(len(values))])

    assert (told.n, told.value) == (whole.questions, pytest.approx(whole.share))
    assert (told.low, told.high) == (pytest.approx(whole.low), pytest.approx(whole.high))
    assert told.share and told.low is not None and told.high is not None and 0 <= told.low <= told.high <= 1


of_two_minds = st.lists(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0, None]), max_size=3), min_size=1, max_size=20)
"""What is right or wrong, as the mean of several judges' marks."""


@few
@given(of_two_minds, st.sets(st.integers(0, 19), min_size=1), st.booleans())
def test_an_answer_that_judges_are_of_two_minds_about_counts_in_part(
    values: list[list[float | None]], chosen: set[int], by_document: bool
) -> None:
    """One judge of three is a third of right, never all of it and never nothing; of any group of questions."""
    documents = [[place // 4 for place in range(20)]] if by_document else []
    (group,) = grouped([{"by": ("it",)} if place in chosen else {} for place in range(20)])
    for found, inside in (
        (rate(series(values), sources=documents), values),
        (rate(series(values), group, documents), [one for place, one in enumerate(values) if place in chosen]),
    ):
        known = [value for one in inside for value in one if value is not None]
        assert found.scored == len(known) and found.right == pytest.approx(sum(known), abs=1e-5)
        if known:
            assert found.low is not None and found.high is not None and 0 <= found.low <= found.high <= 1
            assert found.strict is not None and found.best_case is not None and found.share is not None
            assert 0 <= found.strict <= found.share <= found.best_case <= 1


@few
@given(of_two_minds, of_two_minds, st.booleans())
def test_no_two_models_differ_by_more_than_everything(a: Any, b: Any, by_document: bool) -> None:
    """The difference is that of the questions' means; its interval, and what would show, end where two scores can differ."""
    sources = [[place // 4 for place in range(20)]] if by_document else []
    found = paired(series(a), series(b), RIGHT_OR_WRONG, sources)
    means, others = series(a).means(), series(b).means()
    common = [means[place] - others[place] for place in means if place in others]
    if found is None:
        assert not common
        return
    assert found.value == pytest.approx(sum(common) / len(common))
    assert found.low is not None and found.high is not None and -1 <= found.low <= found.high <= 1
    assert all(seen is None or 0 < seen <= 1 for seen in (found.detectable(tests) for tests in (1, 50)))


@few
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=12))
def test_no_interval_of_a_mean_ends_beyond_its_scale(values: list[float]) -> None:
    """However few the questions, and though each is neither right nor wrong."""
    found = mean_of(values, [range(len(values))], RIGHT_OR_WRONG)
    assert found.value is not None and found.low is not None and found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_conversations_about_one_document_are_one_observation() -> None:
    """Twenty conversations about four documents are four observations, in the mean, in a difference, and turn by turn."""
    bases = {"a.pdf": 5.0, "b.pdf": 4.0, "c.pdf": 2.0, "d.pdf": 1.0}
    lower = {"c.pdf", "d.pdf"}
    report, documents, differences = ScoreReport(Task(config=None, asked={}), [MARK]), [], []
    for n, (document, base) in enumerate((one for one in bases.items() for _ in range(5)), start=1):
        sample = Sample(f"talk {n}", doc_id=f"talk {n}", q_index=n, groups={DOCUMENT: (document,)})
        given_marks = {"high": base, "low": base - 0.5 * (document in lower)}
        scores = [Score("answer", model, 0, "mark", mark) for model, mark in given_marks.items()]
        report.count(sample.cluster, sample.groups, scores)
        documents.append(document)
        differences.append(given_marks["high"] - given_marks["low"])
    told = report.tables()
    scores_of = dict(zip(told["scores"].columns, told["scores"].rows[0], strict=True))
    pair = dict(zip(told["pairs"].columns, told["pairs"].rows[0], strict=True))

    by_document = clustered_mean([base for base in bases.values() for _ in range(5)], documents)
    assert (by_document.low or 0) < 1 and (scores_of["ci_low"].value, scores_of["ci_high"].value) == (1, 5)
    assert pair["p"].value == difference_of(differences, [documents], whole=False).p == 0.5
    assert pair["told_apart"].value == "no"


def test_ranks_by_intervals_leave_out_who_has_none() -> None:
    """Without an interval there is no rank, and the others are ranked among themselves."""
    assert by_intervals([(0.1, 0.2), None, (0.3, 0.4)]) == [(2, 2), None, (1, 1)]


@few
@given(several)
def test_what_has_no_truth_is_not_asked_for(values: list[list[float | None]]) -> None:
    """It is counted under its reason, and changes no rate."""
    found = series(values)
    before = rate(found)
    found.add(0, None, NO_TRUTH)

    assert rate(found) == before and found.why[NO_TRUTH] == 1


def test_a_mean_of_marks_is_by_document_where_questions_share_one() -> None:
    """Eight questions of four documents are four observations: a wider interval."""
    values = [2.0, 2.0, 4.0, 4.0, 3.0, 3.0, 2.0, 2.0]
    alone, together = mean_of(values, [range(8)], MARK), mean_of(values, [list("aabbccdd")], MARK)

    assert alone.value == together.value and alone.low is not None and together.low is not None
    assert together.low < alone.low


@pytest.mark.parametrize("name", ["2/panel_done", "2/choice_done"])
def test_a_report_and_a_comparison_say_the_same_of_a_pair(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairs of a run's own report are those that comparing its models finds."""
    path = laid_out(RUNS / name, tmp_path)
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    rescoring.rescore(path, Workspace(tmp_path))
    table = json.loads((path / "report.json").read_text())["tables"]["pairs"]
    rows = [dict(zip(table["columns"], (cell["value"] for cell in row), strict=True)) for row in table["rows"]]
    compared = {frozenset((p.a.side.model, p.b.side.model)): p for p in compare_runs([path]).pairs}

    assert len(rows) == len(compared) > 0
    for row in rows:
        pair = compared[frozenset((row["model_a"], row["model_b"]))]
        turned = pair.a.side.model != row["model_a"]
        low, high = (pair.high, pair.low) if turned else (pair.low, pair.high)
        sign = -1 if turned else 1
        assert (row["n"], row["p"], row["p_holm"]) == (pair.n, pytest.approx(pair.p, 1e-5), pytest.approx(pair.p_holm, 1e-5))
        ends = tuple(None if end is None else sign * end for end in (pair.difference, low, high))
        assert (row["difference"], row["low"], row["high"]) == pytest.approx(ends, abs=2e-6)


@pytest.mark.parametrize(
    ("metric", "marks", "said"),
    [
        (MARK, {5: 160}, "mark: all 160 marks are 5: it tells nothing apart."),
        (MARK, {5: 159, 1: 1}, "mark: 99 % of 160 marks are 5: it tells nothing apart."),
        (MARK, {4: 9, 5: 1}, "mark: 90 % of 10 marks are 4: it tells nothing apart."),
        (MARK, {2.5: 20, 3: 2}, "mark: 90 % of 22 marks are 2.5: it tells nothing apart."),
        (MARK, {1: 20}, "mark: all 20 marks are 1: it tells nothing apart."),
        (MARK, {4: 8, 5: 2}, ""),
        (MARK, {5: 4}, ""),
        (MARK, {}, ""),
        (RIGHT_OR_WRONG, {1: 160}, ""),
        (Metric("error", 0, 100, "lower"), {0: 20}, "error: all 20 marks are 0: it tells nothing apart."),
    ],
)
def test_marks_that_are_all_alike_are_told_from_enough_on(metric: Metric, marks: dict[float, int], said: str) -> None:
    """Nearly all one and the same, best or not, never rounded up to all; not of what is right or wrong."""
    assert all_alike(metric, marks) == said
