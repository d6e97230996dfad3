"""Laws of scoring that hold for every rule of the registry: the target itself is best, order and wrapping change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorer_cases import expected_of, failed, reply_of, scored

from tui_eval.core.results import Score
from tui_eval.evaluation.scoring import registry
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.passing import passes
from tui_eval.evaluation.scoring.rule import Rule
from tui_eval.evaluation.scoring.scorer_table import row_of
from tui_eval.evaluation.scoring.scoring import score
from tui_eval.results.sums.metrics import NO_END, is_binary
from tui_eval.results.sums.metrics import passes as metric_passes
from tui_eval.results.sums.series import NO_TRUTH

RULES = {name: rule for name, rule in registry.RULES.items() if not rule.row.model_fields.keys() & {"model", "python"}}
"""Those that judge by themselves; one that asks a model has laws of its own (test_llm_scorer)."""
EXTRAS = {"bleu": "sacrebleu", "chrf": "sacrebleu", "math": "math_verify"}
TARGETS: Mapping[str, list[str]] = {
    "number": ["7", "1,688", "-3.5", "3/4", "Work.\n#### 12", "1 1/2", "$5"],
    "json": ['{"a": 1, "b": [1, 2]}', '[{"x": null}]', '{"ä": "ö"}'],
    "choice": ["A", "B", "C", "D"],
    "lmeval_gsm8k_strict": ["#### 7", "#### 1688"],
    "lmeval_gsm8k_flexible": ["7", "1688", "-12"],
    "math": ["$x^2$", "\\frac{1}{2}", "7"],
    "regex": ["cat", "a b", "Oda"],
}
"""Targets of rules that want some form; of all others, any words."""
WORDS = ["cat", "Oda Finch", "the well", "a b c d e", "Zürich", "北京", "7", "well-known", "Straße 5", "x" * 300]
OPTIONS: Mapping[str, dict[str, Any]] = {
    "json": {"equal": True},
    "choice": {"n_options": 4},
    "promptfoo": {"assert": [{"type": "contains", "value": "cat"}]},
}
"""Options without which a rule compares nothing."""
ANY_TARGETS = {"contains_all"}
"""Rules that want all of the targets: another one can lower the value."""
TEXTS = st.text(max_size=60) | st.sampled_from(WORDS).flatmap(
    lambda word: st.tuples(st.text(max_size=15), st.text(max_size=15)).map(lambda around: f"{around[0]} {word} {around[1]}")
)


def able(name: str) -> Rule:
    """A rule; the test is skipped where its extra is not installed."""
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name], reason=f"{name} needs the extra with {EXTRAS[name]}")
    return RULES[name]


def judged(name: str, reply: Any, targets: Any, fence: Fence, **keys: Any) -> Score:
    """The score by a rule with the options that it needs."""
    return scored(name, reply, targets, fence, **{**OPTIONS.get(name, {}), **keys})


def targets_of(name: str) -> list[str]:
    """Good targets of a rule."""
    return TARGETS.get(name, WORDS)


def is_better(rule: Rule, one: float, other: float) -> bool:
    """Whether a value is better than another by more than rounding."""
    return (one - other) * (1 if rule.better == "higher" else -1) > 1e-9


COMPARING = [name for name in RULES if name not in ("is_refusal", "length", "latency_s", "cost_usd", "promptfoo")]
"""Rules that compare with a target."""


@pytest.mark.parametrize("name", COMPARING)
def test_the_target_itself_has_the_best_value(name: str, fence: Fence) -> None:
    """Whatever the rule; alone, and among others."""
    rule = able(name)

    for target in targets_of(name):
        if name == "rouge_l_en" and target == "北京":
            continue
        for targets in (target, [target], [target, *targets_of(name)[:2]]):
            if name in ANY_TARGETS and len(targets) > 1 and not isinstance(targets, str):
                continue
            result = judged(name, target, targets, fence)
            assert result.value == pytest.approx(rule.best, abs=1e-9), (target, targets, result)


@pytest.mark.parametrize("name", RULES)
def test_untrusted_text_never_raises_and_always_has_a_value_or_a_reason(name: str, fence: Fence) -> None:
    """Random Unicode, half characters, long runs, against good targets and any others: within the scale, or None and why; the
    same again."""
    rule = able(name)
    low, high = rule.scale

    @given(TEXTS, st.lists(TEXTS | st.sampled_from(targets_of(name)), max_size=3))
    def law(text: str, targets: list[str]) -> None:
        result = judged(name, text, targets, fence)
        assert result.value is not None or result.why
        assert result.value is None or low <= result.value <= high
        assert not rule.is_rate or result.value in (0, 1, None)
        assert result == judged(name, text, targets, fence)

    law()
    for text in HOSTILE:
        result = judged(name, text, targets_of(name)[0], fence)
        assert (result.value is None and result.why) or low <= (result.value or 0) <= high


HOSTILE = ["\ud800", "\x00" * 50, "a" * 100_000, "1" * 100_000, "[" * 100_000, "{" * 100_000,
           "\u0301" * 1_000, "<think>", "\\boxed{" * 999,
           "9^9^9^9", "1e999999", "((((" * 999, "\u202e" * 99, "-" * 100_000, "\n" * 100_000, "👩‍👩‍👧" * 999]  # fmt: skip


@pytest.mark.parametrize("name", COMPARING)
def test_the_order_of_targets_changes_nothing_and_another_never_lowers(name: str, fence: Fence) -> None:
    """The best counts. Only contains_all wants every one of them."""
    rule = able(name)
    known = targets_of(name)

    @given(TEXTS | st.sampled_from(known), st.lists(st.sampled_from(known), min_size=1, max_size=4), st.sampled_from(known))
    def law(text: str, targets: list[str], another: str) -> None:
        value = judged(name, text, targets, fence).value
        assert judged(name, text, targets[::-1], fence).value == value
        more = judged(name, text, [*targets, another], fence).value
        if name not in ANY_TARGETS and value is not None:
            assert more is not None and not is_better(rule, value, more)

    law()


@pytest.mark.parametrize("name", RULES)
def test_no_reply_is_missing_and_no_target_is_missing(name: str, fence: Fence) -> None:
    """Under `not` as well. A reply that the model ended without text is wrong, under `not` missing. A reason stands beside."""
    rule = able(name)
    negated = {"not": True} if rule.is_rate else {"not": True, "threshold": rule.scale[0]}
    for keys in ({}, negated):
        for kind in ("timeout", "transient", "not_sent", "cancelled"):
            missing = judged(name, failed(kind), "7", fence, **keys)
            assert missing.value is None and missing.why == f"no reply: {kind}"
        if name in COMPARING:
            assert judged(name, "7", None, fence, **keys).why == NO_TRUTH
            assert judged(name, "7", None, fence, **keys).value is None
    if name in COMPARING:
        for kind in ("refused", "truncated"):
            wrong = judged(name, failed(kind), targets_of(name)[0], fence)
            assert wrong.value == rule.worst and wrong.why
            assert judged(name, failed(kind), targets_of(name)[0], fence, **negated).value is None
        assert judged(name, failed("empty"), targets_of(name)[0], fence, **negated).value is None
    if name in ("json", "regex", "contains_any"):
        own = {"regex": {"pattern": "a"}, "contains_any": {"values": ["a"]}}.get(name, {})
        assert scored(name, failed("refused"), None, fence, **own).value == 0


@pytest.mark.parametrize("name", COMPARING)
def test_an_empty_list_of_targets_wants_no_answer(name: str, fence: Fence) -> None:
    """Right is an empty reply, or one of which normalization leaves nothing, and nothing else."""
    rule = able(name)

    assert judged(name, "", [], fence).value == rule.best and judged(name, " . ", [], fence).value == rule.best
    assert judged(name, failed("empty"), [], fence).value == rule.best
    assert judged(name, "cat 7", [], fence).value == rule.worst


@pytest.mark.parametrize("name", [name for name in RULES if not RULES[name].measures_reply])
def test_thinking_is_never_scored(name: str, fence: Fence) -> None:
    """A reply with thoughts before it has the value of the reply without them; thoughts alone are wrong."""
    rule = able(name)
    for target in targets_of(name)[:3]:
        for text in (target, "no idea"):
            plain, thought = (
                judged(name, text, target, fence),
                judged(name, f"<think>{target} or 12?</think>\n{text}", target, fence),
            )
            assert plain.value == thought.value
    endless = judged(name, f"<think>{targets_of(name)[0]}", targets_of(name)[0], fence)
    assert endless.value == (rule.worst if rule.may_lead else None) and endless.why


SCORES = [name for name, rule in RULES.items() if not rule.is_rate and not rule.measures_reply]


@pytest.mark.parametrize("name", SCORES)
def test_not_turns_the_pass_of_a_score_round(name: str, fence: Fence) -> None:
    """Its metric is a rate, 1 where the reply does not pass, so that more is better; its version has the threshold."""
    rule = able(name)
    low, high = rule.scale
    threshold = 3 if high > 1_000 else (low + high) / 2
    keys = {"threshold": threshold, "not": True}
    row = row_of({"use": name, **keys})
    assert is_binary(rule.metric(row)) and rule.version_of(row) != rule.version_of(
        row_of({"use": name, **keys, "threshold": 1})
    )
    for target in targets_of(name)[:3]:
        for text in (target, "no idea", "one two three four five"):
            plain, turned = judged(name, text, target, fence), judged(name, text, target, fence, **keys)
            if plain.value is None:
                assert turned.value is None
            else:
                reaches = plain.value >= threshold if rule.better == "higher" else plain.value <= threshold
                assert turned.value == (0 if reaches else 1) and passes(row, turned.value) != reaches


@pytest.mark.parametrize("name", [name for name in SCORES if RULES[name].scale == (0.0, 1.0)])
def test_a_score_that_passes_at_its_top_is_no_rate(name: str, fence: Fence) -> None:
    """Its mean is not a share of right answers, though it passes at 1 alone."""
    rule = able(name)
    row = row_of({"use": name, "threshold": 1.0})

    assert not is_binary(rule.metric(row)) and [metric_passes(rule.metric(row), value) for value in (1.0, 0.999)] == [
        True,
        False,
    ]


def test_an_empty_answer_passes_nothing_under_not(fence: Fence) -> None:
    """Whatever is empty: the reply, what stands behind its thinking, what is extracted; a measure of it is missing."""
    for text, keys in (("", {}), ("<think>x</think>", {}), ("Answer:", {"extract": {"after": "Answer:"}})):
        for use in ("contains", "exact"):
            assert scored(use, text, "cat", fence, **{"not": True}, **keys).value in (None, 0.0), (use, text)
        assert scored("length", text, None, fence, **keys).value is None
    assert scored("length", "hi there", None, fence, extract="boxed").value is None


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.is_rate])
def test_not_turns_a_rate_round(name: str, fence: Fence) -> None:
    """1 is 0 and 0 is 1, but where nothing was found: that is wrong either way."""
    able(name)
    for target in targets_of(name)[:3]:
        for text in (target, "no idea", "#### 99999", '{"q": 1}', "Answer: D", "I cannot help with that."):
            plain, turned = (judged(name, text, target, fence, **keys) for keys in ({}, {"not": True}))
            assert plain.value is not None and turned.value in (1 - plain.value, 0), (text, target)
            assert turned.value == 1 - plain.value or plain.why


def test_what_holds_nothing_is_wrong_under_not_as_well(fence: Fence) -> None:
    """No number, no JSON, no letter, nothing extracted: 0 either way; a text that differs is a pass under `not`."""
    turned = {"not": True}

    assert scored("number", "no idea", "7", fence, **turned).value == 0
    assert scored("number", "1.688,50", "7", fence, **turned).value == 0
    assert scored("json", "no idea", None, fence, **turned).value == 0
    assert scored("choice", "no idea", "A", fence, n_options=4, **turned).value == 0
    assert scored("exact", "no idea", "a", fence, extract="boxed", **turned).value == 0
    assert scored("exact", "no idea", "a", fence, **turned).value == 1
    assert scored("number", "8", "7", fence, **turned).value == 1


@given(TEXTS, st.sampled_from(WORDS))
def test_the_rules_for_text_are_ordered(text: str, target: str) -> None:
    """exact -> contains -> a common word; starts_with -> contains; em -> f1 = 1; of one target contains_any is contains."""
    with Fence() as unused:
        value = {name: scored(name, text, target, unused).value or 0.0 for name in RULES if name not in (*EXTRAS, "regex")}
        if scored("exact", text, target, unused).value:
            assert value["contains"] == value["starts_with"] == value["em"] == 1
        if value["contains"] or value["starts_with"]:
            assert value["contains"] and value["f1"] > 0
        if value["em"]:
            assert value["f1"] == 1
        assert value["contains"] == value["contains_any"] == value["contains_all"]
        assert unused.starts == 0


@given(TEXTS, st.sampled_from(WORDS), st.sampled_from(["  ", "\n", "\t \n", "\u200b ", "\u00a0"]))
def test_what_is_ignored_changes_nothing(text: str, target: str, space: str) -> None:
    """White space in and around, case, punctuation, articles, accents: where they are named."""
    with Fence() as unused:
        for name in ("exact", "contains", "starts_with", "similarity", "em", "f1"):
            spaced = space + text.replace(" ", space) + space
            assert scored(name, spaced, target, unused).value == scored(name, text, target, unused).value
        for name in ("contains", "em", "f1"):
            swapped = text if any(sign.casefold() != sign.lower() for sign in text.swapcase() + text) else text.swapcase()
            assert scored(name, swapped, target, unused).value == scored(name, text, target, unused).value
        loose = {"ignore": ["case", "punctuation", "articles", "accents"]}
        assert scored("exact", f"\u00a1THE {target}!", target, unused, **loose).value == 1
        assert scored("exact", "Zurich, caf\u00e9", "z\u00fcrich cafe", unused, **loose).value == 1


@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "**{}**",
        "The answer is {}.",
        "\n\n{}\n",
        "Step 1: think of 3.\nStep 2: so\n{}",
        "#### {}",
        "\\boxed{{{}}}",
        "<b>{}</b>",
        "= {} km",
    ],
)
def test_a_number_is_the_same_however_it_is_wrapped(wrap: str, fence: Fence) -> None:
    """In bold, in a sentence, in a box, behind hashes."""
    for target in ("7", "1,688", "-3.5", "0.25"):
        assert scored("number", wrap.format(target), target, fence).value == 1


def test_scores_name_their_reply_and_rule(fence: Fence) -> None:
    """Stage, model and index of the call; the row's name; version; what was read and by what."""
    result = score(row_of({"use": "number", "name": "sum"}), reply_of("So \\boxed{7}."), expected_of("7"), fence)

    assert result == Score("answer", "one", 0, "sum", 1.0, "", "number/1", "7", "boxed")


def test_replies_are_measured(fence: Fence) -> None:
    """Words or characters without thinking, seconds, USD; stored replies have neither time nor cost."""
    reply = reply_of("<think>a b c</think>Two words.")

    assert scored("length", reply, None, fence).value == 2
    assert scored("length", "北京 a1", None, fence, unit="characters").value == 5
    assert scored("latency_s", reply, None, fence).value == 0.25
    assert scored("cost_usd", reply, None, fence).value == 0.001
    for name in ("latency_s", "cost_usd"):
        stored = scored(name, reply_of("a", cached=True), None, fence)
        assert stored.value is None and stored.why.endswith("stored reply")
    assert scored("latency_s", reply_of("a", latency_ms=None), None, fence).value is None
    assert RULES["length"].scale[1] == NO_END
