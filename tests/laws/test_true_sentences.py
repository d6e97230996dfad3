"""Every printed sentence true: of each in the table draws with a planted truth, through the functions that print it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest
import truth_gates
from trials import Trial
from truth_gates import Design

from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.core.units import QUESTIONS, Unit, Units
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.differences import Pair, difference_of, difference_of_counts
from tui_eval.results.sums.leading.contenders import WHOLE
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.pair_words import more_words, pair_verdict, pairs_words
from tui_eval.results.sums.sentences import SENTENCES, Sentence
from tui_eval.results.sums.verdict import VerdictSubject, verdict_across, verdict_of

RIGHT, MARK = Metric("correct", threshold=1.0), Metric("mark", 1, 5)
MARKS, CHANCES = (1.0, 2.0, 3.0, 4.0, 5.0), (0.1, 0.2, 0.3, 0.3, 0.1)
SEED = 20261126


def board(columns: Sequence[Sequence[float | None]], metric: Metric) -> Board:
    """Models m0, m1, ... with a score for each question; None where one was not asked."""
    found = Board.empty(QUESTIONS, [metric])
    for model, values in enumerate(columns):
        for place, value in enumerate(values):
            if value is None:
                continue
            unit = Unit(f"q{place}", (f"q{place}",))
            found.add(unit, {}, 0, [Score("answer", f"m{model}", 0, metric.name, value)])
    return found


def right(random: Random, n: int, share: float, hard: list[float]) -> list[float]:
    """Answers to questions of which some are harder for every model."""
    return [float(random.random() < min(max(share + one, 0.02), 0.98)) for one in hard[:n]]


def hardness(random: Random, n: int) -> list[float]:
    """How much easier each question is than the mean one, adding up to about nothing."""
    return [random.uniform(-0.25, 0.25) for _ in range(n)]


def equals(random: Random, models: int, n: int, metric: Metric) -> Board:
    """Equal models."""
    if is_binary(metric):
        hard = hardness(random, n)
        return board([right(random, n, 0.7, hard) for _ in range(models)], metric)
    return board([random.choices(MARKS, CHANCES, k=n) for _ in range(models)], metric)


def said(pair: Pair[object], metric: Metric) -> str:
    """What is printed of a pair."""
    return pair_verdict(pair.found, pair.p_holm, pair.tests, metric, ("a", "b"), QUESTIONS)


def null_boards(draws: int) -> Iterator[tuple[Board, Metric]]:
    """Boards of equal models, of few and of many questions."""
    random = Random(SEED)
    for place in range(draws):
        metric = (RIGHT, MARK)[place % 2]
        yield equals(random, 4, (4, 8, 20, 60)[place // 2 % 4], metric), metric


def shown_by_chance(phrase: str) -> Callable[[int], Trial]:
    """Of equal models in at most one board of twenty."""

    def trial(draws: int) -> Trial:
        held = sum(any(phrase in said(pair, metric) for pair in found.pairs) for found, metric in null_boards(draws))
        return Trial(held, draws, 0.0, 0.05)

    return trial


def alone(draws: int) -> Trial:
    """Of pairs of equal models at most one of twenty is significant alone, whether or not the family lets it."""
    pairs = [pair for found, _ in null_boards(draws) for pair in found.pairs if pair.found.p is not None]
    return Trial(sum((pair.found.p or 1.0) < 0.05 for pair in pairs), len(pairs), 0.0, 0.06)


def cannot(draws: int) -> Trial:
    """The most extreme data of fewer units show nothing, and those of as many as are said show something."""
    held = tried = 0
    for tests in (1, 3, 18, 300):
        for metric, span in ((RIGHT, 1.0), (MARK, 4.0)):
            fewest = difference_of([span] * 3, None, metric, span).fewest(tests)
            for n, shows in ((fewest - 1, False), (fewest, True)):
                tried += 1
                p = difference_of([span] * n, None, metric, span).p if n > 1 else 1.0
                held += ((p or 0.0) < 0.05 / tests) == shows
    return Trial(held, tried, 1.0, 1.0)


def cannot_by_documents(draws: int) -> Trial:
    """The same of documents that have unequal numbers of questions: said just where not even the most extreme data show."""
    random, held = Random(SEED), 0
    for _ in range(draws):
        sizes = [random.choice((1, 2, 3, 5, 12)) for _ in range(random.randint(4, 12))]
        clusters = [f"d{document}" for document, size in enumerate(sizes) for _ in range(size)]
        tests, (metric, span) = random.choice((1, 3, 18, 100)), random.choice(((RIGHT, 1.0), (MARK, 4.0)))
        best = difference_of([span] * len(clusters), clusters, metric, span)
        some = difference_of([span * random.choice((-1, 0, 0.5, 1)) for _ in clusters], clusters, metric, span)
        words = pair_verdict(some, min((some.p or 1.0) * tests, 1.0), tests, metric, ("a", "b"), QUESTIONS)
        shows = (best.p or 1.0) < 0.05 / tests
        held += (best.fewest(tests) <= len(sizes)) == shows and not (shows and "cannot show any" in words)
        assert "cannot show any" not in words or words.startswith(f"no difference shown: {len(sizes)} documents cannot")
        assert not shows or "no difference would show" not in words or some.detectable(tests) is None
    return Trial(held, draws, 1.0, 1.0)


def none_reliable(draws: int) -> Trial:
    """Where that is said, not even a difference of the whole scale would be found in four of five runs that vary as much."""
    random, held, tried = Random(SEED), 0, 0
    while tried < draws:
        n, tests, sd = random.choice((6, 8, 12)), random.choice((6, 18)), random.uniform(1.5, 4)
        values = [random.choice((-4.0, 4.0)) if random.random() < sd / 4 else 0.0 for _ in range(n)]
        found = difference_of(values, None, MARK, 4.0)
        p = min((found.p or 1.0) * tests, 1.0)
        if "no difference would show" not in pair_verdict(found, p, tests, MARK, ("a", "b"), QUESTIONS):
            continue
        tried += 1
        error = (found.scores.error if found.scores else 0.0) * math.sqrt(n)
        again = difference_of([random.gauss(4, error) for _ in range(n)], None, MARK, 4.0)
        held += (again.p or 1.0) < 0.05 / tests
    return Trial(held, tried, 0.0, 0.8)


def few_differ(draws: int) -> Trial:
    """Where so few differ, all of them on one side show nothing."""
    held = tried = 0
    for tests in (1, 6, 40):
        for apart in range(1, 14):
            found = difference_of_counts(200, apart - apart // 2, apart // 2)
            if not found.could_show(tests):
                tried += 1
                held += (difference_of_counts(200, apart, 0).p or 0.0) >= 0.05 / tests
    return Trial(held, tried, 1.0, 1.0)


def detectable(draws: int) -> Trial:
    """A difference as large as is said shows in four of five runs of as many questions that disagree as often."""
    random, held = Random(SEED), 0
    for place in range(draws):
        n, tests, binary = (12, 30, 100)[place % 3], (1, 6)[place // 3 % 2], place // 6 % 2
        if binary:
            n = max(n, 30)
            share = 0.4
            first = difference_of_counts(n, round(n * share / 2), round(n * share) - round(n * share / 2))
            seen = first.detectable(tests) or 0.0
            apart = [random.random() < share for _ in range(n)]
            more = sum(random.random() < (1 + seen / share) / 2 for one in apart if one)
            again = difference_of_counts(n, more, sum(apart) - more)
        else:
            sd = 1.0
            first = difference_of([random.gauss(0, sd) for _ in range(400)], None, MARK, 4.0)
            seen = difference_of(_spread(n, sd), None, MARK, 4.0).detectable(tests) or 0.0
            again = difference_of([random.gauss(seen, sd) for _ in range(n)], None, MARK, 4.0)
            assert first.p is not None
        held += (again.p or 1.0) < 0.05 / tests
    return Trial(held, draws, 0.72, 0.92)


def _spread(n: int, sd: float) -> list[float]:
    """Differences of mean 0 with just this standard deviation."""
    values = [(-1.0) ** place for place in range(n)]
    size = math.sqrt(sum(value * value for value in values) / (n - 1))
    return [value * sd / size for value in values]


def differ_at_n(draws: int) -> Trial:
    """Just where the interval leaves out 0 and the test finds nothing, or the other way round."""
    held = tried = 0
    for b in range(9):
        for c in range(9):
            found = difference_of_counts(40, b, c)
            assert found.low is not None and found.high is not None and found.p is not None
            tried += 1
            held += found.disagrees == ((found.low > 0 or found.high < 0) != (found.p < 0.05))
    return Trial(held, tried, 1.0, 1.0)


def bounds(draws: int) -> Trial:
    """The difference that all answers would have made lies between them."""
    random, held, tried = Random(SEED), 0, 0
    for _ in range(draws):
        hard = hardness(random, 40)
        columns = [right(random, 40, 0.7, hard) for _ in range(2)]
        whole = board(columns, RIGHT).pairs[0].found.value or 0.0
        hidden = Board.empty(QUESTIONS, [RIGHT])
        for model, values in enumerate(columns):
            for place, value in enumerate(values):
                lost = model == 0 and random.random() < (0.5 if value else 0.1)
                score = Score("answer", f"m{model}", 0, "correct", None if lost else value, "no reply: timeout" * lost)
                hidden.add(Unit(f"q{place}", (f"q{place}",)), {}, 0, [score])
        found = hidden.pairs[0].found
        if found.bounds:
            tried += 1
            held += found.bounds[0] - 1e-9 <= whole <= found.bounds[1] + 1e-9
    assert tried > draws / 2
    return Trial(held, tried, 1.0, 1.0)


def forecast(which: int, least: float, most: float) -> Callable[[int], Trial]:
    """With as many more as are said, old and new pooled, it is significant in so many of 100 futures.

    The true difference is drawn so widely that what was found is all that is known of it.
    """

    def trial(draws: int) -> Trial:
        random, held, tried = Random(SEED), 0, 0
        while tried < draws:
            n = random.choice((20, 40, 100))
            truth = random.uniform(-1, 1)
            values = [random.gauss(truth, 1.0) for _ in range(n)]
            found = difference_of(values, None, MARK, 4.0)
            more = found.more(1)
            if (found.p or 0.0) < 0.05 or more is None or more[which] is None or not more_words(found, 1, QUESTIONS):
                continue
            tried += 1
            new = [random.gauss(truth, 1.0) for _ in range(more[which] or 0)]
            held += (difference_of([*values, *new], None, MARK, 4.0).p or 1.0) < 0.05
        return Trial(held, tried, least, most)

    return trial


def forecast_by_documents(which: int, tests: int, least: float, most: float) -> Callable[[int], Trial]:
    """The same where the questions are those of documents, some of many: old and new ones pooled, as one of so many tests."""

    def questions(random: Random, truth: float, first: int, most: int) -> tuple[list[float], list[str]]:
        values, clusters = list[float](), list[str]()
        while len(values) < most:
            mean, first = random.gauss(truth, 0.6), first + 1
            for _ in range(min(random.choice((1, 1, 2, 3, 5, 12)), most - len(values))):
                values.append(random.gauss(mean, 0.6))
                clusters.append(f"d{first}")
        return values, clusters

    def trial(draws: int) -> Trial:
        random, held, tried = Random(SEED), 0, 0
        while tried < draws:
            truth = random.uniform(-1.2, 1.2)
            values, clusters = questions(random, truth, 0, random.choice((16, 34, 80)))
            found = difference_of(values, clusters, MARK, 4.0)
            more = found.more(tests)
            assert (more is None) == ((found.p or 0.0) < 0.05 / tests) and "about 0" not in more_words(found, tests, QUESTIONS)
            if more is None or more[which] is None:
                continue
            tried += 1
            new, others = questions(random, truth, 1_000, more[which] or 0)
            held += (difference_of([*values, *new], [*clusters, *others], MARK, 4.0).p or 1.0) < 0.05 / tests
        return Trial(held, tried, least, most)

    return trial


def far_more(draws: int) -> Trial:
    """Where that is said, twenty times as many do not tell in four of five futures."""
    random, held, tried = Random(SEED), 0, 0
    while tried < min(draws, 150):
        n = random.choice((20, 40))
        truth = random.uniform(-0.5, 0.5)
        values = [random.gauss(truth, 1.0) for _ in range(n)]
        found = difference_of(values, None, MARK, 4.0)
        more = found.more(1)
        if more is None or more[1] is not None or (found.p or 0.0) < 0.05:
            continue
        tried += 1
        new = [random.gauss(truth, 1.0) for _ in range(20 * n)]
        held += (difference_of([*values, *new], None, MARK, 4.0).p or 1.0) < 0.05
    return Trial(held, tried, 0.0, 0.85)


def leads(phrase: str, models: int) -> Callable[[int], Trial]:
    """Of equal models one is named as the leader in at most one board of twenty."""

    def trial(draws: int) -> Trial:
        random, held = Random(SEED), 0
        for place in range(draws):
            metric = (RIGHT, MARK)[place % 2]
            held += phrase in verdict_of(equals(random, models, (8, 20, 60)[place // 2 % 3], metric))
        return Trial(held, draws, 0.0, 0.05)

    return trial


def leads_alone(draws: int) -> Trial:
    """The same of the verdict in few words."""
    random, brief = Random(SEED), WHOLE._replace(is_brief=True)
    boards = (equals(random, (2, 4)[place % 2], (4, 8, 20, 60)[place // 2 % 4], RIGHT) for place in range(draws))
    held = sum(" leads over " in " ".join(VerdictSubject(found).sentences(brief)) for found in boards)
    return Trial(held, draws, 0.0, 0.05)


def worse_than(draws: int) -> Trial:
    """Of equal models, two of which were not asked the hardest questions, one is said to be worse once in twenty."""
    random, held = Random(SEED), 0
    for place in range(draws):
        if place % 2:
            n, metric = (8, 20, 60)[place // 2 % 3], (RIGHT, MARK)[place // 2 % 2]
            held += "significantly worse" in verdict_of(equals(random, 4, n, metric))
            continue
        hard = sorted(hardness(random, 60))
        columns = [right(random, 60, 0.7, hard) for _ in range(4)]
        asked = [column if place % 2 else [None] * 15 + column[15:] for place, column in enumerate(columns)]
        held += "significantly worse" in verdict_of(board(asked, RIGHT))
    return Trial(held, draws, 0.0, 0.05)


def worse(draws: int) -> Trial:
    """The same of the verdict in few words, at 4 questions too."""
    random, brief = Random(SEED), WHOLE._replace(worse="counted")
    boards = (equals(random, 4, (4, 8, 20, 60)[place % 4], (RIGHT, MARK)[place // 4 % 2]) for place in range(draws))
    held = sum("significantly worse" in " ".join(VerdictSubject(found).sentences(brief)) for found in boards)
    return Trial(held, draws, 0.0, 0.05)


def by_prompt(shares: Sequence[Sequence[float]], n: int, random: Random) -> Board:
    """Models m0, m1, ... under prompts p0, p1, ...; `shares`: by prompt how often each model is right. Questions are common."""
    units, hard = (
        Units("question", variant="prompt", variants=tuple(f"p{at}" for at in range(len(shares)))),
        hardness(random, n),
    )
    found = Board.empty(units, [RIGHT])
    for at, of_models in enumerate(shares):
        for model, share in enumerate(of_models):
            for place, value in enumerate(right(random, n, share, hard)):
                unit = Unit(f"q{place}", (f"q{place}",), f"p{at}")
                found.add(unit, {}, 0, [Score("answer", f"m{model}", 0, "correct", value)])
    return found


def leads_under(draws: int) -> Trial:
    """Of models that are equal under all but the first prompt, one is called its leader in at most one board of twenty."""
    random, held = Random(SEED), 0
    for place in range(draws):
        first = (0.9, 0.5, 0.2) if place % 2 else (0.7, 0.7, 0.7)
        said = verdict_of(by_prompt([first, (0.7, 0.7, 0.7), (0.6, 0.6, 0.6)], (8, 30, 60)[place // 2 % 3], random))
        held += re.search(r"nder prompts? `p[12]`[^.;]*, m\d leads over", said) is not None
    return Trial(held, draws, 0.0, 0.05)


def none_under(draws: int) -> Trial:
    """Said of a prompt just where the first one has a leader, and not every pair with the best model is told apart there."""
    random, held = Random(SEED), 0
    for _ in range(draws):
        found = by_prompt([(0.97, 0.4), random.choice([(0.97, 0.4), (0.8, 0.65)])], 40, random)
        apart = {pair.a.variant: pair.significant for pair in found.pairs if pair.a.variant == pair.b.variant}
        said = "no leader is shown under prompt `p1`" in verdict_of(found).lower()
        held += said == (apart["p0"] and not apart["p1"])
    return Trial(held, draws, 1.0, 1.0)


def mean_apart(draws: int) -> Trial:
    """Said of a model that is better on what both were asked, beside one whose own questions are easier; not of equal ones."""
    random, held = Random(SEED), 0
    for place in range(draws):
        planted = place % 2 == 1
        shares = (0.02, 0.6) if planted else (0.7, 0.7)
        both = [right(random, 20, share, [0.0] * 20) for share in shares]
        said = verdict_of(board([[*both[0], *right(random, 80, 0.99, [0.0] * 80)], [*both[1], *[None] * 80]], RIGHT))
        held += ("has the best own mean" in said) == planted
    return Trial(held, draws, 0.95, 1.0)


def untested(draws: int) -> Trial:
    """Which of three reasons two are not tested for: none in common, too little, or another metric is what is tested."""
    random, held, whys = Random(SEED), 0, ("no question in common", "too little in common (1 question)", "is a part of", "")
    for place in range(draws):
        why, (a, b) = whys[place % 4], (right(random, 20, 0.7, [0.0] * 20) for _ in range(2))
        after = [None] * {whys[0]: 20, whys[1]: 19}.get(why, 0)
        found = board([[*a, *after], [*after, *b]], RIGHT)
        if why == "is a part of":
            found.units = replace(QUESTIONS, headline=("another",))
        said = verdict_of(found)
        told = [one for one in whys[:3] if f"not tested against each other: {one}" in said.replace("correct is", "is")]
        held += told == [why] * bool(why)
    return Trial(held, draws, 1.0, 1.0)


def circle(draws: int) -> Trial:
    """Of three of which each is better than the next on what both have; of equal ones that share as little, never."""
    random, held, none = Random(SEED), 0, [None] * 40
    for place in range(draws):
        most, least = (0.98, 0.05) if place % 2 else (0.5, 0.5)
        one, two, three = ([right(random, 40, share, [0.0] * 40) for share in (most, least)] for _ in range(3))
        columns = [[*one[0], *none, *three[1]], [*one[1], *two[0], *none], [*none, *two[1], *three[0]]]
        held += ("each is significantly worse than another" in verdict_of(board(columns, RIGHT))) == bool(place % 2)
    return Trial(held, draws, 0.99, 1.0)


def no_leader(draws: int) -> Trial:
    """A leader is named just where every pair with it is told apart."""
    random, held = Random(SEED), 0
    for _ in range(draws):
        hard = hardness(random, 60)
        found = board([right(random, 60, share, hard) for share in (0.9, 0.6, 0.4)], RIGHT)
        best = max(found.series, key=lambda side: found.estimate(side).value or 0.0)
        mine = [pair for pair in found.pairs if best in (pair.a, pair.b)]
        held += ("No leader" in verdict_of(found)) == any(not pair.significant for pair in mine)
    return Trial(held, draws, 1.0, 1.0)


def same(draws: int) -> Trial:
    """Said where it is so, and only there."""
    random, held = Random(SEED), 0
    for place in range(draws):
        values = right(random, 12, 0.7, [0.0] * 12)
        other = list(values) if place % 2 else [1 - values[0], *values[1:]]
        held += ("the same scores" in verdict_of(board([values, other], RIGHT))) == (values == other)
    return Trial(held, draws, 1.0, 1.0)


def across(phrase: str, most: float) -> Callable[[int], Trial]:
    """Of one and the same model asked twice a difference is shown in at most one comparison of twenty."""

    def trial(draws: int) -> Trial:
        random, held = Random(SEED), 0
        for _ in range(draws):
            found = equals(random, 2, 40, RIGHT)
            words = verdict_across(RIGHT, QUESTIONS, [("then", "now", pair) for pair in found.pairs])
            held += phrase in words
        return Trial(held, draws, 1 - most if phrase.startswith("No") else 0.0, 1.0 if phrase.startswith("No") else most)

    return trial


def gate(trial: Callable[..., truth_gates.Cell], *design: object) -> Callable[[int], Trial]:
    """Builds that are held against an earlier one, by their gates (`benchmarks/truth_gates.py`)."""

    def tried(draws: int) -> Trial:
        found = trial(*design, draws, Random(SEED))
        return Trial(found.held, found.draws, found.least, found.most)

    return tried


TRIALS: dict[Sentence, Callable[[int], Trial]] = {
    "better": shown_by_chance(" is better by "),
    "alone": alone,
    "cannot": cannot,
    "few_differ": few_differ,
    "detectable": detectable,
    "none_reliable": none_reliable,
    "p_alone": alone,
    "differ_at_n": differ_at_n,
    "bounds": bounds,
    "more": forecast(1, 0.72, 0.88),
    "far_more": far_more,
    "same": same,
    "leads": leads(" leads over ", 4),
    "leads_alone": leads_alone,
    "leads_one": leads(" leads over ", 2),
    "no_leader": no_leader,
    "worse": worse,
    "worse_than": worse_than,
    "leads_under": leads_under,
    "none_under": none_under,
    "mean_apart": mean_apart,
    "untested": untested,
    "circle": circle,
    "typical_power": detectable,
    "no_power": cannot,
    "across_none": across("No difference", 0.05),
    "across_shown": across(" than then by ", 0.05),
    "shown_worse": gate(truth_gates.red, Design(100), 2),
    "shown_no_worse": gate(truth_gates.strict_wrong, Design(100, margin=0.05)),
    "caught": gate(truth_gates.caught, Design(100), 1),
    "caught_none": gate(truth_gates.none_caught, Design(12), 5),
    "passes": gate(truth_gates.passed_worse, Design(100)),
    "half_of_builds": gate(truth_gates.on_threshold, 100),
    "unchanged_fails": gate(truth_gates.strict_red, Design(100, margin=0.05)),
}
"""What is drawn for each sentence."""


def test_every_sentence_has_a_trial() -> None:
    """None is printed that nobody has tried."""
    assert TRIALS.keys() == SENTENCES.keys()


@pytest.mark.parametrize("name", sorted(TRIALS))
def test_sentence_is_true(name: Sentence) -> None:
    """The short form."""
    found = TRIALS[name](240)
    assert found.true, (name, found)


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(TRIALS))
def test_sentence_is_true_in_the_long_run(name: Sentence) -> None:
    """The same with many draws."""
    found = TRIALS[name](3_000)
    assert found.true, (name, found)


def test_half_of_futures_with_the_smaller_number() -> None:
    """The smaller number of a forecast tells in half of them."""
    found = forecast(0, 0.42, 0.6)(240)
    assert found.true, found


@pytest.mark.parametrize("tests", [1, 3])
def test_forecasts_go_by_documents_of_any_size(tests: int) -> None:
    """Degrees of freedom are the test's own; what is not told is never told by 0 more."""
    for which, least, most in ((0, 0.42, 0.65), (1, 0.68, 0.9)):
        found = forecast_by_documents(which, tests, least, most)(240)
        assert found.true, (which, found)


def test_documents_that_can_show_nothing_are_said_to() -> None:
    """Fewer documents than any data could show something with, though they have questions enough."""
    found = cannot_by_documents(400)
    assert found.true, found
    few = difference_of([1.0, 0.0, -1.0, *[1.0, 0.0, 0.0] * 10], ["a", "b", "c", *["d"] * 30], RIGHT, 1.0)
    words = pair_verdict(few, 1.0, 18, RIGHT, ("a", "b"), QUESTIONS)
    assert words.startswith("no difference shown: 4 documents cannot show any difference at p < 0.05 / 18; it takes "), words
    (pair,) = [Pair("a", "b", few, 1.0, 18)]
    assert "4 documents cannot show any difference" in pairs_words([pair], QUESTIONS)[1]
    assert pairs_words([pair], QUESTIONS)[0].startswith("The one pair shows no difference (")


@pytest.mark.soak
@pytest.mark.parametrize("futures", [0, 1])
def test_forecasts_of_gates_go_by_the_test_that_rules(futures: int) -> None:
    """Thresholds of marks by Gaffke's interval; the strict form by exact McNemar, Tango, or t with its degrees of freedom."""
    for trial, design in (
        (truth_gates.more_decide_marks, (futures, 1)),
        (truth_gates.more_decide_marks, (futures, 3)),
        (truth_gates.more_decide_strict, (Design(40), futures)),
        (truth_gates.more_decide_strict, (Design(60, metric=truth_gates.MARK, margin=0.2, cluster=5), futures)),
    ):
        found = gate(trial, *design)(100)
        assert found.true, (trial, design, found)


def test_a_named_drop_is_caught_of_marks_that_fall_one_by_one() -> None:
    """And where all fall a little, and where documents share what changes."""
    found = gate(truth_gates.caught_steps, Design(40, metric=truth_gates.MARK))(240)
    assert found.true, found


@pytest.mark.parametrize("design", [Design(200, cluster=5), Design(60, cluster=6)])
def test_the_dry_run_knows_of_documents(design: Design) -> None:
    """What it lets through is what the t test by document lets through."""
    found = gate(truth_gates.passed_worse, design)(240)
    assert found.true, found


def test_a_false_sentence_is_caught() -> None:
    """Were p halved, equal models would be told apart in a tenth of boards, and the trial says no."""
    random, held, draws = Random(SEED), 0, 1_000
    for _ in range(draws):
        pair = equals(random, 2, 60, MARK).pairs[0]
        held += (pair.found.p or 1.0) / 2 < 0.05
    assert not Trial(held, draws, 0.0, 0.05).true
