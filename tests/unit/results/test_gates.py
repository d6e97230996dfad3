"""Laws of gates: what a higher demand, a stricter bound and fewer scores can do to a ruling, and what they never do."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Unit
from tui_eval.results.sums.gate_forecast import CHURN, Forecast
from tui_eval.results.sums.gates import (
    Bound,
    Change,
    Estimate,
    Rule,
    Ruling,
    Threshold,
    changes_of,
    drop_words,
    rule_on_changes,
    rule_on_cost,
    rule_on_critical,
    rule_on_missing,
    rule_on_value,
    threshold_of,
)
from tui_eval.results.sums.means import independent_units
from tui_eval.results.sums.metrics import NO_END, RIGHT_OR_WRONG
from tui_eval.results.sums.series import Items, Series
from tui_eval.statistics.estimates import wilson

ORDER = {"FAIL": 0, "INCONCLUSIVE": 1, "PASS": 2}
MARK, ERRORS = Metric("mark", 1, 5, threshold=3), Metric("errors", 0, NO_END, better="lower")
bounds: st.SearchStrategy[Bound] = st.sampled_from(["value", "low", "high"])
rules: st.SearchStrategy[Rule] = st.sampled_from(["not_shown_worse", "shown_not_worse"])
signs = st.sampled_from([">=", ">", "<=", "<"])
shares = st.floats(0, 1)


def share_of(right: int, n: int) -> Estimate:
    """So many right of n."""
    low, high = wilson(right, n) or (None, None)
    return Estimate(n, right / n if n else None, low, high, share=True)


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    """Shares and means of few and of many questions, without an interval where there can be none."""
    n = draw(st.integers(0, 400))
    if draw(st.booleans()):
        return share_of(draw(st.integers(0, n)), n)
    value, arm = draw(st.floats(0, 1)), draw(st.floats(0, 1))
    if n < 2:
        return Estimate(n, value if n else None)
    return Estimate(n, value, value - arm, value + arm)


# ---------------------------------------------------------------------------------------------------------------- thresholds


@few
@given(found=estimates(), sign=signs, bound=bounds, one=shares, other=shares)
def test_asking_more_never_helps(found: Estimate, sign: str, bound: Bound, one: float, other: float) -> None:
    """The harder threshold passes only where the easier one does, and fails wherever that one fails."""
    easy, hard = sorted((one, other), reverse=sign.startswith("<"))

    outcomes = [ORDER[rule_on_value(found, Threshold(sign, value), bound).outcome] for value in (easy, hard)]

    assert outcomes[1] <= outcomes[0]


@few
@given(found=estimates(), sign=signs, threshold=shares)
def test_a_stricter_bound_passes_no_more(found: Estimate, sign: str, threshold: float) -> None:
    """What "low" passes the value does, and what the value passes "high" does; only "low" is undecided with an interval."""
    wanted = Threshold(sign, threshold)
    low, value, high = (ORDER[rule_on_value(found, wanted, bound).outcome] for bound in ("low", "value", "high"))

    if found.n > 1:
        assert low <= value <= high or low == ORDER["INCONCLUSIVE"]
        assert ORDER["INCONCLUSIVE"] not in (value, high)
        assert (low == ORDER["PASS"]) <= (value == ORDER["PASS"]) <= (high == ORDER["PASS"])


@few
@given(sign=signs, bound=bounds, threshold=shares, most=shares, rule=rules)
def test_nothing_passes_without_a_score(sign: str, bound: Bound, threshold: float, most: float, rule: Rule) -> None:
    """No answer is no evidence, whatever is demanded, be it that none is missing."""
    assert rule_on_value(Estimate(0, None), Threshold(sign, threshold), bound).outcome == "INCONCLUSIVE"
    assert rule_on_missing(0, 0, most).outcome == "INCONCLUSIVE"
    assert ruled([], [], rule=rule)[0].outcome == "INCONCLUSIVE"


@few
@given(n=st.integers(1, 400), right=shares, sign=signs, threshold=shares)
def test_what_cannot_be_told_says_what_is_missing(n: int, right: float, sign: str, threshold: float) -> None:
    """An interval across the threshold says how many more questions would tell, as a range, and never that none would."""
    told = rule_on_value(share_of(round(n * right), n), Threshold(sign, threshold), "low")

    if told.outcome == "INCONCLUSIVE":
        assert told.why and told.needed is not None
        few_, many = told.needed
        assert (few_ or 1) >= 1 and (many is None or many >= (few_ or 1))
        assert ("far more" in told.why) == (many is None)
    else:
        assert (told.why, told.needed) == ("", None)


@few
@given(
    values=st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0, 4.5, 5.0]), min_size=2, max_size=40),
    document=st.sampled_from([1, 1, 3]),
    threshold=st.floats(1, 5),
)
def test_marks_need_what_their_own_interval_says(values: list[float], document: int, threshold: float) -> None:
    """With the smaller number more, each mark as often as it came, the interval leaves out the threshold or nearly does."""
    clusters = [f"d{place // document}" for place in range(len(values))] if document > 1 else None
    units = independent_units(values, clusters, MARK)
    low, high = units.interval()
    found = Estimate(len(values), sum(values) / len(values), low, high)
    told = rule_on_value(found, Threshold(">=", threshold), "low", units=lambda: units)

    assert (told.outcome == "INCONCLUSIVE") == (low < threshold <= high) or min(
        abs(end - threshold) for end in (low, high)
    ) < 1e-6
    if told.outcome == "INCONCLUSIVE" and len(units.means) > 1:
        assert told.needed is not None and told.needed[0] != 0
        assert ("far more" in told.why) == (told.needed[1] is None)
        if (more := told.needed[0]) is not None:
            times = math.ceil((len(values) + more) / len(values))
            again = replace(units, means=units.means * times, sizes=units.sizes * times).interval()
            assert again[0] > threshold - 0.1 if found.value > threshold else again[1] < threshold + 0.1
        elif abs(found.value - threshold) > 1e-6:
            again = replace(units, means=units.means * 15, sizes=units.sizes * 15).interval()
            assert again[0] <= threshold <= again[1]


@pytest.mark.parametrize(
    ("value", "wanted", "outcome"),
    [
        (0.8, ">= 0.8", "PASS"),
        (0.1 + 0.7, ">= 0.8", "PASS"),
        (0.78 - 0.8, ">= -0.02", "PASS"),
        (0.1 + 0.7, "< 0.8", "FAIL"),
        (0.8, "> 0.8", "FAIL"),
        (2.0, "<= 2", "PASS"),
        (2.1, "<=2.0", "FAIL"),
        (0.8, ">= 80 %", "PASS"),
        (0.795, ">= 80%", "FAIL"),
    ],
)
def test_a_value_on_the_threshold_is_on_it(value: float, wanted: str, outcome: str) -> None:
    """However it was reckoned; only > and < ask for more."""
    assert rule_on_value(Estimate(9, value), threshold_of(wanted)).outcome == outcome


@pytest.mark.parametrize(
    "text", ["", "0.8", "= 0.8", "=> 0.8", ">= nan", ">= inf", ">= 1e9", ">= 0,8", ">= .", "about 0.8", ">"]
)
def test_what_is_no_threshold_is_refused(text: str) -> None:
    """In words that show how one is written."""
    with pytest.raises(ValueError, match="such as"):
        threshold_of(text)


def test_missing_answers_costs_and_critical_questions() -> None:
    """What is known to be too much fails at once; what is not known is told by nobody, and never taken for nothing."""
    assert [rule_on_missing(n, 20, 0.05).outcome for n in (0, 1, 2, 20)] == ["PASS", "PASS", "FAIL", "FAIL"]
    assert rule_on_cost(0.5, 0, 0.5).outcome == "PASS"
    assert rule_on_cost(0.5, 3, 1).outcome == "INCONCLUSIVE" and "3 calls" in rule_on_cost(0.5, 3, 1).why
    assert rule_on_cost(0.0, 1, 0).outcome == "INCONCLUSIVE"
    assert rule_on_cost(1.1, 3, 1).outcome == "FAIL"
    assert rule_on_critical("", "").outcome == "PASS"
    assert rule_on_critical("a", "b").outcome == "FAIL"
    assert rule_on_critical("", "b").outcome == "INCONCLUSIVE"


# ---------------------------------------------------------------------------------------------------------------- a baseline

Scores = list[float | None]


def series(scores: Scores) -> Series:
    found = Series()
    for place, value in enumerate(scores):
        found.add(place, value, "no reply: timeout" if value is None else "")
    return found


def changed(now: Scores, then: Scores, metric: Metric = RIGHT_OR_WRONG, margin: float = 0.0) -> list[Change]:
    """What became of scores, question by question."""
    items = Items()
    for place in range(max(len(now), len(then))):
        items.place(Unit(f"q{place}", (f"q{place}",)), {})
    places = {place: place for place in range(min(len(now), len(then)))}
    return changes_of(series(now), series(then), metric, items, places, "question", margin)


def ruled(
    now: Scores, then: Scores, metric: Metric = RIGHT_OR_WRONG, margin: float = 0.0, rule: Rule = "not_shown_worse"
) -> list[Ruling]:
    return rule_on_changes(changed(now, then, metric, margin), rule)


def right(n: int, wrong: int = 0) -> Scores:
    """So many answers, of which the first are wrong."""
    return [float(place >= wrong) for place in range(n)]


marks = st.lists(st.none() | st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0]), min_size=1, max_size=40)


@few
@given(scores=marks.filter(lambda found: any(found)), margin=st.sampled_from([0.0, 0.5]), rule=rules)
def test_the_same_scores_pass_at_any_n(scores: Scores, margin: float, rule: Rule) -> None:
    """First of all, by both rules and with any margin, be it one question."""
    (ruling,) = ruled(scores, scores, MARK, margin, rule)

    assert ruling.outcome == "PASS" and "the same scores on all of" in ruling.why


@few
@given(n=st.integers(1, 60), won=st.integers(0, 60), lost=st.integers(0, 60), margin=st.sampled_from([0.0, 0.1]), rule=rules)
def test_one_more_lost_never_helps(n: int, won: int, lost: int, margin: float, rule: Rule) -> None:
    """Of right and wrong: where one question more is lost the ruling is no better."""
    won, lost = min(won, n - 1), min(lost, n - 1 - min(won, n - 1))
    then: Scores = [0.0] * won + [1.0] * (n - won)
    now: Scores = [1.0] * won + [0.0] * lost + [1.0] * (n - won - lost)
    worse: Scores = [1.0] * won + [0.0] * (lost + 1) + [1.0] * (n - won - lost - 1)

    before, after = (ORDER[ruled(scores, then, margin=margin, rule=rule)[0].outcome] for scores in (now, worse))

    assert after <= before


def test_only_what_is_shown_to_be_worse_fails() -> None:
    """Five of forty lost and none won is the least that exact McNemar shows at 0.05; four are chance."""
    outcomes = [ruled(right(40, lost), right(40))[0] for lost in (0, 4, 5, 6)]

    assert [ruling.outcome for ruling in outcomes] == ["PASS", "PASS", "FAIL", "FAIL"]
    assert outcomes[1].caught is not None and "would have caught a drop of " in outcomes[1].why
    assert outcomes[2].p == pytest.approx(1 / 32) and "shown to be worse, p 0.031" in outcomes[2].why


def test_more_models_ask_for_more_evidence() -> None:
    """Holm over all changes; those in which nothing differs have no place in the family."""
    lost, noisy, same = (changed(right(40, n), right(40))[0] for n in (5, 1, 0))

    assert rule_on_changes([lost, same, same])[0].outcome == "FAIL"
    assert [ruling.outcome for ruling in rule_on_changes([lost, noisy])] == ["PASS", "PASS"]
    two, three = (rule_on_changes([lost, *[noisy] * n])[0] for n in (1, 2))
    assert (two.p, three.p) == (pytest.approx(2 / 32), pytest.approx(3 / 32))
    assert (two.caught or 0) < (three.caught or 0)


def test_a_margin_is_subtracted_by_the_score_test() -> None:
    """Worse by more than it fails, worse by less passes; of marks and of what is better lower as of rates."""
    for metric, scale in ((RIGHT_OR_WRONG, 1.0), (MARK, 4.0), (ERRORS, 1.0)):
        sign = -1 if metric.better == "lower" else 1
        then = [(3.0 if metric is MARK else 1.0) + 0.001 * (place % 7) * (metric is not RIGHT_OR_WRONG) for place in range(200)]
        for lost, outcome in ((10, "PASS"), (90, "FAIL")):
            now = [value - sign * scale / 4 * 4 * (place < lost) for place, value in enumerate(then)]
            now = [min(max(value, metric.low), 5.0) for value in now]
            assert ruled(now, then, metric, 0.15 * scale)[0].outcome == outcome, (metric.name, lost)


def test_missing_answers_are_a_metric_of_their_own() -> None:
    """Answers that are lost fail where more are lost than won by chance, in the same family as the scores."""
    then: Scores = right(100)
    for lost, outcome in ((3, "PASS"), (12, "FAIL")):
        scores, answered = ruled([None] * lost + right(100 - lost), then)
        assert (scores.outcome, answered.outcome) == ("PASS", outcome)
    both = changed([None] * 12 + right(88, 1), then)
    assert [change.differs for change in both] == [True, True]
    assert rule_on_changes(both)[1].p == pytest.approx(2 * both[1].p_worse)


@pytest.mark.parametrize(("common", "outcome"), [(7, "INCONCLUSIVE"), (8, "INCONCLUSIVE"), (10, "PASS")])
def test_too_few_common_questions_are_no_evidence(common: int, outcome: str) -> None:
    """Under 80 % of the baseline's, or under ten: said, and no failed build by itself in the default form alone."""
    then = [0.0, *right(max(common, 10) - 1)]
    now: Scores = [1.0, *right(common - 1)]

    lenient, strict = (ruled(now, then, rule=rule)[0] for rule in ("not_shown_worse", "shown_not_worse"))

    assert lenient.outcome == outcome
    assert outcome == "PASS" or (lenient.stops, strict.stops) == (False, True)
    few_ = ruled([1.0, *right(7)], [0.0, *right(7)])[0]
    assert few_.outcome == "INCONCLUSIVE" and few_.why == "only 8 common questions, where it takes 10"


def test_shown_worse_fails_though_few_are_common() -> None:
    """Six lost of six."""
    assert ruled(right(6, 6), right(40))[0].outcome == "FAIL"


def test_the_strict_form_wants_proof() -> None:
    """Nothing lost of forty shows no margin of two points; of three hundred it does, and in between it says how many more."""
    rule: Rule = "shown_not_worse"
    then = [0.0, *right(299)]
    now: Scores = [1.0, *right(299)]
    short = ruled(now[:40], then[:40], margin=0.02, rule=rule)[0]
    enough = ruled(now, then, margin=0.02, rule=rule)[0]
    worse = ruled(right(300, 40), right(300), margin=0.02, rule=rule)[0]

    assert (short.outcome, enough.outcome, worse.outcome) == ("INCONCLUSIVE", "PASS", "FAIL")
    assert short.needed is not None and short.stops and "more questions would tell whether it is worse" in short.why
    assert "shown to be no worse by 2 points" in enough.why


def test_the_strict_form_says_what_is_worse_alone() -> None:
    """What is worse by its own p, and not as one of several, with how many questions more would show it as one of several."""
    lost, noisy = changed(right(40, 5), right(40))[0], changed(right(40, 2), right(40))[0]

    ruling, _ = rule_on_changes([lost, noisy], "shown_not_worse")

    assert ruling.outcome == "INCONCLUSIVE" and ruling.needed is not None and min(more or 1 for more in ruling.needed) > 0
    assert ruling.why.startswith("this pair alone would be significant; not as one of 2; about ")


@few
@given(
    n=st.integers(10, 80), won=st.integers(0, 12), lost=st.integers(0, 12), margin=st.sampled_from([0.0, 0.05]),
    others=st.integers(0, 3),
)  # fmt: skip
def test_the_strict_form_speaks_of_the_test_that_rules(n: int, won: int, lost: int, margin: float, others: int) -> None:
    """Worse alone is said where the p that rules is below 0.05 and Holm's is not, of several; and no forecast is 0."""
    won, lost = min(won, n // 2), min(lost, n // 2)
    then: Scores = [0.0] * won + [1.0] * (n - won)
    now: Scores = [1.0] * won + [0.0] * lost + [1.0] * (n - won - lost)
    noisy = changed([0.0, *right(n - 1)], right(n))[0]
    change = changed(now, then, margin=margin)[0]

    ruling = rule_on_changes([change, *[noisy] * others], "shown_not_worse")[0]

    alone = ruling.p is not None and change.p_worse < 0.05 <= ruling.p
    assert ("alone" in ruling.why) == (ruling.outcome == "INCONCLUSIVE" and alone)
    assert others or "alone" not in ruling.why
    assert ruling.needed is None or 0 not in ruling.needed


@few
@given(
    sizes=st.lists(st.sampled_from([1, 1, 2, 3, 5, 12]), min_size=4, max_size=9).filter(lambda found: sum(found) >= 10),
    seed=st.integers(0, 10_000),
    others=st.integers(0, 2),
    metric=st.sampled_from([MARK, RIGHT_OR_WRONG]),
)
def test_the_strict_form_speaks_of_the_test_that_rules_of_unequal_documents(
    sizes: list[int], seed: int, others: int, metric: Metric
) -> None:
    """The same of marks, and of right and wrong, about documents of which some have many questions."""
    random, items = Random(seed), Items()
    now, then = Series(), Series()
    for document, size in enumerate(sizes):
        tilt = random.gauss(0, 0.4)
        for _ in range(size):
            place = items.place(Unit(f"q{len(items)}", (f"d{document}", f"q{len(items)}")), {})
            before, after = (random.gauss(0.7, 0.2) + of for of in (0.0, tilt))
            for series, level in ((then, before), (now, after)):
                mark = float(round(min(max(1 + 4 * level, 1), 5)))
                series.add(place, mark if metric is MARK else float(mark > 3))
    change = changes_of(now, then, metric, items, {place: place for place in range(len(items))}, "question")[0]

    ruling = rule_on_changes([change, *[changed([0.0, *right(39)], right(40))[0]] * others], "shown_not_worse")[0]

    alone = ruling.p is not None and change.p_worse < 0.05 <= ruling.p
    assert ("alone" in ruling.why) == (ruling.outcome == "INCONCLUSIVE" and alone)
    assert ruling.needed is None or 0 not in ruling.needed


def test_a_margin_beyond_what_was_seen_is_no_error() -> None:
    """Of rates without an end answers may be missing as well."""
    rulings = ruled([None, *[0.5] * 39], [0.4] * 40, ERRORS, margin=3.0)

    assert [ruling.outcome for ruling in rulings] == ["PASS", "PASS"]


def test_drops_are_rounded_up() -> None:
    """To two digits: no smaller drop is promised than what was reckoned."""
    assert [drop_words(value, RIGHT_OR_WRONG) for value in (0.0701, 0.163, 0.02)] == ["7.1 points", "17 points", "2 points"]
    assert drop_words(0.2049, MARK) == "0.21 on 1 to 5"


@few
@given(
    metric=st.sampled_from([RIGHT_OR_WRONG, MARK, ERRORS]),
    margin=shares,
    n=st.integers(2, 400),
    clusters=st.sampled_from([0, 4, 20]),
)
def test_a_forecast_stays_on_the_scale(metric: Metric, margin: float, n: int, clusters: int) -> None:
    """It speaks of no drop that there cannot be beside what changes anyway, and what it says is a share."""
    room = 1 - CHURN if metric is RIGHT_OR_WRONG else 4.0
    margin *= 4.5 if metric is MARK else 0.999
    forecast = Forecast(n, 2, metric, margin=margin, clusters=clusters, degrees=clusters - 1.5 if clusters else 0)
    drop = margin + 0.05 * forecast.span

    if metric is not ERRORS:
        assert bool(forecast.words()) == (drop <= room + 1e-9)
    assert all(0 <= share <= 1 for share in (forecast.fails(drop), forecast.unchanged_fails()))
    assert (f" about {clusters} documents this gate" in forecast.words()) == bool(clusters and forecast.words())


def test_a_forecast_knows_more_questions_show_more() -> None:
    """A worse model fails more often, an unchanged one passes the strict form more often; of marks as of rates."""
    for metric, drop in ((RIGHT_OR_WRONG, 0.05), (MARK, 0.2)):
        few_, many = (Forecast(n, 1, metric, margin=drop) for n in (50, 500))
        assert Forecast(50, 1, metric).fails(drop) < Forecast(500, 1, metric).fails(drop) < 1
        assert Forecast(500, 6, metric).fails(drop) < Forecast(500, 1, metric).fails(drop)
        assert many.unchanged_fails() < few_.unchanged_fails() < Forecast(50, 3, metric, margin=drop).unchanged_fails()
        assert Forecast(500, 1, metric).unchanged_fails() > 0.9  # without a margin nothing shows that a model is no worse
    on_it = Forecast(200, 1, RIGHT_OR_WRONG).misses(threshold_of(">= 80 %"), 0.8)
    assert on_it == pytest.approx(0.5) and Forecast(200, 1, RIGHT_OR_WRONG).misses(threshold_of(">= 80 %"), 0.9) < 0.01
