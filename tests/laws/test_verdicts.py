"""Laws of the verdict: it names no leader unless every pair with it is told apart, says on how much, and can be repeated."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest
from boards import ERRORS, MARK, RIGHT, Value, add, board_of
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Units
from tui_eval.kinds import KINDS
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.differences import corrected
from tui_eval.results.sums.leading.contenders import NAMED, Duel
from tui_eval.results.sums.metrics import upwards
from tui_eval.results.sums.verdict import NOTHING, verdict_across, verdict_of

LONGEST = 1_200
"""Characters of a verdict: what a person reads at a glance."""
LONG = "openrouter/some-provider/a-long-model-name-2026-11-26-preview"
QUESTIONS = Units()
GOLDEN = Path(__file__).parent.parent / "golden"


def field(shares: Sequence[float], n: int, metric: Metric = RIGHT, seed: int = 1) -> Board:
    """Models that are right as often as this, or whose marks are as good."""
    chance = random.Random(seed)

    def value(share: float) -> float:
        right = chance.random() < share
        return float(right) if metric is RIGHT else min(max(round(chance.gauss(1 + 4 * share, 0.8)), 1), 5)

    return board_of({f"m{place}": [value(share) for _ in range(n)] for place, share in enumerate(shares)}, metric)


def beaten(board: Board) -> dict[Side, set[Side]]:
    """By side with a score those that are shown to be better."""
    found: dict[Side, set[Side]] = {side: set() for side in board.series if board.estimate(side).n}
    for pair in board.pairs:
        if pair.significant and pair.found.value:
            a_wins = upwards(board.metric(pair.a), pair.found.value) > 0
            found[pair.b if a_wins else pair.a].add(pair.a if a_wins else pair.b)
    return found


def leader(board: Board) -> Side | None:
    """The side that is shown to be better than every other one, if its mean is the best."""
    found = beaten(board)
    first = next((one for one in found if all(one in better for side, better in found.items() if side != one)), None)
    values = {side: upwards(board.metric(side), board.estimate(side).value or 0.0) for side in found}
    return first if first is None or values[first] == max(values.values()) else None


columns = st.integers(1, 30).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=n, max_size=n), min_size=1, max_size=5)
)


@settings(few, max_examples=150)
@given(columns, st.sampled_from(["right", "marks", "errors"]))
def test_a_leader_is_named_just_where_every_pair_with_it_is_told_apart(rows: list[list[Value]], name: str) -> None:
    """Whatever has a score and whatever lacks one; it says of how many questions, and how many answers lack a score."""
    metric = {"right": RIGHT, "marks": MARK, "errors": ERRORS}[name]
    if metric is MARK:
        rows = [[None if value is None else 1 + 4 * value for value in row] for row in rows]  # type: ignore[operator]
    board = board_of({f"m{place}": row for place, row in enumerate(rows)}, metric)
    said = verdict_of(board)
    known = [side for side in board.series if board.estimate(side).n]
    missing = sum(board.estimate(side).missing for side in board.series)

    assert len(said) <= LONGEST and ("Without a score: " in said) == bool(missing and known)
    if not known:
        assert said.startswith(NOTHING)
        return
    first = leader(board)
    assert (" leads over " in said) == (first is not None and len(known) > 1)
    assert first is None or said.startswith(first.model)
    assert ("there is nothing to compare it with" in said) == (len(known) == 1)
    assert ("No leader is shown" in said) == (len(known) > 1 and first is None)
    numbers = {pair.found.n for pair in board.pairs if first is None or first in (pair.a, pair.b)}
    for told in re.findall(r"(?:differ significantly|leads) over (?:(\d+) to )?(\d+) (?:common )?question", said):
        assert {int(n) for n in told if n} <= numbers
    if "differ significantly" in said:
        assert numbers, "none is called alike without a test"
    if "in common" in said:
        pairs = len(known) * (len(known) - 1) // 2
        assert len(board.pairs) < pairs or min(pair.found.n for pair in board.pairs) < 2
    if len(known) > 1 and first is None and "has the best own mean" not in said:
        before, *behind = said.split(". ")[0].split("; ")
        unbeaten = [side.model for side, better in beaten(board).items() if not better]
        assert all(model in before for model in unbeaten) or len(unbeaten) > NAMED
        for side, better in beaten(board).items():
            told_behind = any(side.model in words and any(other.model in words for other in better) for words in behind)
            assert not better or told_behind or side.model in before, side
    if missing:
        whole = sum(board.estimate(side).asked for side in board.series)
        assert f"Without a score: {missing} of {whole} answers (" in said


@pytest.mark.parametrize("metric", [RIGHT, MARK], ids=["right", "marks"])
def test_a_clear_leader_is_named(metric: Metric) -> None:
    """Nineteen of twenty beside two of five, and beside three others; of those behind it nothing else is said."""
    assert re.match(
        r"m0 \(.+\) leads over 200 questions, significantly better than the other\.$",
        verdict_of(field((0.95, 0.4), 200, metric)),
    )
    said = verdict_of(field((0.3, 0.95, 0.4, 0.5), 200, metric))
    assert said.startswith("m1 (") and "leads over 200 questions, significantly better than all 3 others." in said


def test_of_two_equal_leaders_none_leads_and_the_rest_is_worse() -> None:
    """The first two are not told apart; who is significantly worse than the first is named."""
    said = verdict_of(field((0.95, 0.94, 0.3, 0.2), 200))

    assert said.startswith("No leader is shown: m") and "do not differ significantly over 200 questions" in said
    assert "m2 and m3 are significantly worse than m" in said
    assert "more questions" in said


def test_the_same_scores_are_called_so() -> None:
    """A tie of every answer is no forecast."""
    said = verdict_of(board_of({"a": [1.0, 0.0] * 6, "b": [1.0, 0.0] * 6}))
    assert "have the same scores on all 12 questions" in said and "more questions" not in said


def test_who_is_better_on_what_both_have_is_said() -> None:
    """A mean over fewer, easier questions is the best one, and the pair on common ones says otherwise: no leader."""
    a: list[Value] = [0.0] * 12 + [1.0] * 200
    b: list[Value] = [1.0] * 12 + [None] * 190 + [0.0] * 10
    board = board_of({"a": a, "b": [1.0] * 12 + [None] * 200, "c": b})
    said = verdict_of(board)

    assert max(board.series, key=lambda side: board.estimate(side).value or 0.0).model == "b" and leader(board) is None
    assert "No leader is shown" in said and " leads over " not in said


def test_a_mean_of_one_answer_leads_nothing_and_hides_nothing() -> None:
    """One right answer of one beside 38 and 2 of 40: who is significantly worse is said, and on how much nothing is told."""
    said = verdict_of(
        board_of({"a": [1.0, *[None] * 39], "b": [1.0] * 38 + [0.0] * 2, "c": [1.0] * 2 + [0.0] * 38})  # type: ignore[dict-item]
    )
    first, why = "No leader is shown: b (95.0 % right) and a (100.0 % right)", "too little in common (1 question)"
    assert said.startswith(f"{first} are not tested against each other: {why}; c is significantly worse than b.")


def test_what_has_no_common_question_is_not_called_alike() -> None:
    """No test was made, so none is spoken of."""
    said = verdict_of(board_of({"a": [1.0] * 10 + [None] * 10, "b": [None] * 10 + [0.0] * 10}))  # type: ignore[dict-item]
    assert "each other: no question in common." in said and "differ significantly" not in said and "more questions" not in said


@pytest.mark.parametrize("kind", sorted(path.name for path in GOLDEN.iterdir() if path.name != "stopped"))
def test_of_each_metric_the_verdict_says_why_nothing_is_tested(kind: str) -> None:
    """A comparison of one metric, as the app shows it: what is common and not tested is not called apart, nor alike."""
    comparison = compare_runs([GOLDEN / kind])
    for metric in comparison.metrics:
        alone = comparison.by(metric)
        said, pairs = alone.verdict, alone.pairs
        assert "in common" not in said or any(pair.n < 2 for pair in pairs), said
        assert "differ significantly" not in said or any(pair.tests for pair in pairs)
        assert "is a part of what is tested" not in said or any(pair.found.known and not pair.tests for pair in pairs)


def test_the_verdict_of_some_is_theirs() -> None:
    """Of two of four models the pair alone is spoken of, with the correction that it has."""
    board = field((0.95, 0.3, 0.94, 0.5), 60)
    some = [side for side in board.series if side.model in ("m0", "m1")]
    found = [Duel(a, b, pair) for (a, b, _), pair in zip(*board.found(some)[:1], corrected(*board.found(some)), strict=True)]
    said = verdict_of(board, among=some, duels=found)

    assert said.startswith("m0 (") and "leads over 60 questions, significantly better than the other." in said
    assert "m2" not in said and "m3" not in said


@pytest.mark.parametrize(("simulated", "every", "words"), [((), False, ""), (("m0",), False, "Simulated, not real models: m0."),
                                                          ((), True, "Simulated: no model was asked.")])  # fmt: skip
def test_what_nobody_said_is_called_simulated(simulated: Sequence[str], every: bool, words: str) -> None:
    """First of all, whoever leads; where nothing is simulated, not a word of it."""
    said = verdict_of(field((0.9, 0.4), 100), simulated, every)
    assert said.startswith(words) and ("imulated" in said) == bool(words)


def test_what_is_still_to_be_asked_is_said() -> None:
    """Of a run under way; of one without any score, too."""
    assert verdict_of(field((0.9, 0.4), 100), not_asked=7).endswith("7 samples still to be asked.")
    nothing = Board.empty(QUESTIONS, [RIGHT], [Side("answer", "m", "correct")])
    assert verdict_of(nothing, not_asked=1_200) == f"{NOTHING} 1,200 samples still to be asked."
    assert verdict_of(Board.empty(QUESTIONS, ())) == NOTHING


@pytest.mark.parametrize("variants", [1, 5])
@pytest.mark.parametrize("metric", [RIGHT, MARK], ids=["right", "marks"])
def test_72_models_fit_on_a_screen(metric: Metric, variants: int) -> None:
    """Long names, five versions of the prompt, answers missing everywhere, half of them simulated."""
    chance = random.Random(72)
    board = Board.empty(Units("conversation", "answer", (), "prompt"), [metric])
    for model, variant in product(range(72 if variants == 1 else 24), range(variants)):
        marks: list[Value] = [
            None
            if chance.random() < 0.1
            else chance.choice((metric.low, metric.high))
            if chance.random() < 0.9
            else metric.high
            for _ in range(24)
        ]
        add(board, f"{LONG}-{model:02}", marks, metric, variant=f"a rather long name of a prompt's version {variant}")
    said = verdict_of(board, [side.model for side in board.series][::2], not_asked=12_345)

    assert len(said) <= LONGEST, len(said)
    assert "24 conversations" in said or "conversations" in said
    assert "Without a score: " in said and "12,345 samples" in said and "Simulated, not real models: " in said


PROMPTS = Units("sample", "answer", ("group",), "prompt", variants=("plain", "steps", "terse"))
GOOD: list[Value] = [1.0] * 30
BAD: list[Value] = [0.0] * 30
HALF: list[Value] = [1.0, 0.0] * 15
LOST: list[Value] = [None] * 30


def prompted(sides: Mapping[str, Mapping[str, Sequence[Value]]], metric: Metric = RIGHT, units: Units = PROMPTS) -> Board:
    """By prompt what each model came to; the prompts are met in this order, whatever that of the config is."""
    board = Board.empty(units, [metric])
    for prompt, columns in sides.items():
        for model, values in columns.items():
            add(board, model, values, metric, variant=prompt)
    return board


def under(board: Board, prompt: str) -> tuple[list[Side], Side | None]:
    """The sides of a prompt that have a score, and which of two or more leads: told anew from pairs and means alone."""
    known = [side for side in board.series if side.variant == prompt and board.estimate(side).n]
    won = {
        (pair.a, pair.b) if upwards(board.metric(pair.a), pair.found.value) > 0 else (pair.b, pair.a)
        for pair in board.pairs
        if pair.significant and pair.found.value and pair.a.variant == pair.b.variant == prompt
    }
    means = {side: upwards(board.metric(side), board.estimate(side).value or 0.0) for side in known}
    leads = [one for one in known if all((one, other) in won for other in known if other != one)]
    return known, next((one for one in leads if len(known) > 1 and means[one] == max(means.values())), None)


def told_elsewhere(said: str) -> dict[str, str]:
    """What a verdict says of prompts besides the one that it speaks of: by prompt the leader, "none", or "nothing"."""
    found = {}
    for prompts, leader in re.findall(r"[Uu]nder prompts? ([^.;()]+?), (\w+) leads over", said):
        found |= dict.fromkeys(re.findall(r"`(\w+)`", prompts), leader)
    for prompts in re.findall(r"[Nn]o leader is shown under prompts? ([^.;()]+)[.;]", said):
        found |= dict.fromkeys(re.findall(r"`(\w+)`", prompts), "none")
    for prompts in re.findall(r"[Uu]nder prompts? ([^.;()]+?), nothing has a score", said):
        found |= dict.fromkeys(re.findall(r"`(\w+)`", prompts), "nothing")
    return found


cells = st.sampled_from([GOOD, BAD, HALF, LOST, [1.0] * 28 + [0.0] * 2, [*GOOD[:4], *LOST[4:]], [*BAD[:4], *LOST[4:]]])
by_prompts = st.dictionaries(
    st.sampled_from(PROMPTS.variants), st.dictionaries(st.sampled_from(["m0", "m1", "m2"]), cells, min_size=1), min_size=2
)


@settings(few, max_examples=150)
@given(by_prompts, st.sampled_from(["right", "errors"]))
def test_of_several_prompts_the_first_is_spoken_of(sides: dict[str, dict[str, list[Value]]], name: str) -> None:
    """The first of the config that has a score, by its name, whichever was met first; of the others just those with another
    leader, with one where it has none, or with none where it has one, and those without a score."""
    board = prompted(sides, {"right": RIGHT, "errors": ERRORS}[name])
    said, order = verdict_of(board), [prompt for prompt in PROMPTS.variants if prompt in sides]
    found = {prompt: under(board, prompt) for prompt in order}
    scored = [prompt for prompt in order if found[prompt][0]]
    models = {side.model for known, _ in found.values() for side in known}

    assert len(said) <= LONGEST
    if not scored:
        assert said.startswith(NOTHING)
        return
    if len(models) == 1 and len(scored) > 1:
        assert said.startswith(f"Among the prompts of {models.pop()}, ") and "nder prompt" not in said
        return
    first, (known, leader) = scored[0], found[scored[0]]
    begun = f"Under prompt `{first}`, "
    assert said.count(begun) == 1
    own = said[said.index(begun) + len(begun) :]
    assert own.startswith("no leader is shown: ") == (leader is None and len(known) > 1)
    assert leader is None or re.match(rf"{leader.model} \([^)]*\) leads over ", own)
    assert ("there is nothing to compare it with" in own) == (len(known) == 1)
    expected = {
        prompt: "nothing" if not others else other.model if other else "none"
        for prompt, (others, other) in found.items()
        if prompt != first and (not others or (other and other.model) != (leader and leader.model))
    }
    assert told_elsewhere(said.replace(begun, "", 1)) == expected


def test_one_prompt_is_not_spoken_of() -> None:
    """Nothing else was asked, so that there is nothing to tell it from."""
    said = verdict_of(prompted({"plain": {"m0": GOOD, "m1": BAD}}))
    assert said == "m0 (100.0 % right) leads over 30 samples, significantly better than the other."


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ({"steps": {"m0": GOOD, "m1": BAD}, "plain": {"m0": GOOD, "m1": BAD}},
         "Under prompt `plain`, m0 (100.0 % right) leads over 30 samples, significantly better than the other."),
        ({"plain": {"m0": GOOD, "m1": BAD}, "steps": {"m0": BAD, "m1": GOOD}},
         "Under prompt `plain`, m0 (100.0 % right) leads over 30 samples, significantly better than the other. Under prompt"
         " `steps`, m1"
         " leads over 30 samples."),
        ({"plain": {"m0": GOOD, "m1": BAD}, "steps": {"m0": HALF, "m1": HALF}, "terse": {"m0": GOOD, "m1": GOOD}},
         "Under prompt `plain`, m0 (100.0 % right) leads over 30 samples, significantly better than the other. No leader is"
         " shown under"
         " prompts `steps` and `terse`."),
        ({"plain": {"m0": HALF, "m1": HALF}, "steps": {"m0": BAD, "m1": GOOD}, "terse": {"m0": GOOD, "m1": BAD}},
         "Under prompt `plain`, no leader is shown: m0 (50.0 % right) and m1 (50.0 % right) do not differ significantly over"
         " 30 samples."
         " m0 and m1 have the same scores on all 30 samples. Under prompt `steps`, m1 leads over 30 samples; under prompt"
         " `terse`, m0 leads over 30 samples."),
        ({"plain": {"m0": HALF}, "steps": {"m0": HALF}, "terse": {"m0": GOOD}},
         "Among the prompts of m0, `terse` (100.0 % right) leads over 30 samples, significantly better than all 2 others."),
        ({"plain": {"m0": HALF}, "steps": {"m0": [*HALF[:28], 1.0, 1.0]}},
         "Among the prompts of m0, no leader is shown: `steps` (53.3 % right) and `plain` (50.0 % right) do not differ"
         " significantly"
         " over 30 samples. Far more samples than is practical would be needed to tell `steps` from `plain`."),
        ({"plain": {"m0": LOST, "m1": LOST}, "steps": {"m0": GOOD, "m1": BAD}},
         "Under prompt `plain`, nothing has a score. Under prompt `steps`, m0 (100.0 % right) leads over 30 samples,"
         " significantly better than the other. Without a score: 60 of 120 answers (m0 plain 30 and m1 plain 30)."),
        ({"plain": {"m0": GOOD, "m1": BAD}, "steps": {"m0": LOST, "m1": LOST}},
         "Under prompt `plain`, m0 (100.0 % right) leads over 30 samples, significantly better than the other. Under prompt"
         " `steps`,"
         " nothing has a score. Without a score: 60 of 120 answers (m0 steps 30 and m1 steps 30)."),
        ({"plain": {"m0": LOST}, "steps": {"m0": LOST}},
         NOTHING),
        ({"plain": {"m0": GOOD[:4], "m1": BAD[:4]}, "steps": {"m0": BAD[:4], "m1": GOOD[:4]}},
         "Under prompt `plain`, no leader is shown: m0 (100.0 % right) and m1 (0.0 % right) do not differ significantly over"
         " 4 samples."
         " About 6 to 15 more samples would tell m0 from m1, in 50 to 80 of 100 futures."),
    ],
    ids=[
        "the same leader", "another leader", "none elsewhere", "leaders elsewhere", "one model", "one model, none",
        "nothing under the first", "nothing under another", "nothing", "four samples",
    ],
)  # fmt: skip
def test_what_is_said_of_prompts(sides: dict[str, dict[str, list[Value]]], words: str) -> None:
    """Word for word."""
    assert verdict_of(prompted(sides)) == words


def test_a_headline_without_a_score_is_not_passed_over() -> None:
    """What is measured and not tested has scores: it does not stand in for what was to be tested."""
    length, units = Metric("length", 0, 99_999, "lower"), Units("sample", headline=("correct",))
    board = Board.empty(units, [RIGHT, length])
    for model in ("m0", "m1"):
        add(board, model, LOST, RIGHT)
        add(board, model, HALF, length)
    assert verdict_of(board) == "Nothing has a score by correct. Without a score: 60 of 60 answers (m0 30 and m1 30)."
    alone = [side for side in board.series if side.metric == "length"]
    assert "length is a part of what is tested, or beside it" in verdict_of(board, among=alone)


def test_twelve_prompts_fit_on_a_screen() -> None:
    """Each with a leader of its own: three are named, of the others it is said how many there are."""
    prompts = [f"a_rather_long_name_of_a_prompt_{number:02}" for number in range(12)]
    columns = {prompt: {f"{LONG}-{at:02}": GOOD if at == n else BAD for at in range(12)} for n, prompt in enumerate(prompts)}
    said = verdict_of(prompted(columns, units=Units("sample", variant="prompt", variants=tuple(prompts))))

    assert len(said) <= LONGEST and said.startswith("Under prompt `a_rather_long_name_of_a_prompt_00`, ")
    assert said.count(" leads over 30 samples") == 4
    assert said.endswith("; under 8 more prompts, another model leads or none is shown to.")


@pytest.mark.parametrize("name", sorted(KINDS))
def test_each_kind_is_spoken_of_in_its_own_units(name: str) -> None:
    """Questions, conversations, briefs, files; answers in brackets where there are more of them."""
    kind = KINDS[name]
    if not kind.metrics:
        return
    headline = kind.units.headline[0] if kind.units.headline else kind.metrics[0].name
    metric = next(metric for metric in kind.metrics if metric.name == headline)
    board = Board.empty(kind.units, kind.metrics)
    for model, value in (("m0", metric.low), ("m1", min(metric.high, 100.0))):
        add(board, model, [[value, value]] * 9, metric, variant="v1" if kind.units.variant else "")
    said = verdict_of(board)

    assert f"over {kind.units.counted(9, 18)}" in said and f"9 {kind.units.item}s (18 {kind.units.answer}s)" in said
    assert "leads over" in said and (metric.name in said or metric.name == "correct")


def test_across_runs_it_says_which_sides_differ() -> None:
    """The later side against the earlier one; where nothing is shown, of how many pairs and over how much."""
    clear, near = field((0.9, 0.4), 100), field((0.7, 0.7), 30)
    names = [("m0 @1", "m0 @2", pair) for pair in (*clear.pairs, *near.pairs)]

    words = r"m0 @2 is worse than m0 @1 by \d\d\.\d points over 100 questions; in 1 other pair no difference is shown\.$"
    assert re.match(words, verdict_across(RIGHT, QUESTIONS, names))
    assert verdict_across(RIGHT, QUESTIONS, names[1:]) == "No difference is shown in 1 pair over 30 questions, by correct."
    assert "nothing can be said" in verdict_across(RIGHT, QUESTIONS, [])
    long = [(f"{LONG} @1", f"{LONG} @2", pair) for pair in clear.pairs] * 72
    assert len(verdict_across(RIGHT, QUESTIONS, long)) <= LONGEST
