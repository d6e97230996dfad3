"""Laws of replies: only visible text is an answer, thoughts are kept apart, and only plausible figures are figures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import attempt, call, few, spoken

from tui_eval.core.calls import ApiError, Completion, Price, Usage
from tui_eval.core.money import cost_usd
from tui_eval.engine.calling import AttemptEnd
from tui_eval.engine.verdict import verdict_of
from tui_eval.providers import WIRES, responses
from tui_eval.runs.record import line_of


def said(body: bytes, headers: dict[str, str] | None = None) -> Completion:
    """What a reply says."""
    found = WIRES["openai"].decode(200, headers or {"content-type": "application/json"}, body)
    assert isinstance(found, Completion), found
    return found


def usage(**fields: Any) -> Usage:
    """The usage of a reply that reports these fields."""
    return said(spoken(usage=fields)).usage


# ------------------------------------------------------------------------------------------------- text and endings


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "a"}, "a"),
        ({"content": ""}, ""),
        ({"content": None}, None),
        ({}, None),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "a"}]}, "a"),
        ({"content": [{"type": "image_url"}]}, None),
        ({"content": []}, None),
        ({"content": {"text": "a"}}, None),
        ({"content": 3}, None),
        ({"content": "a", "reasoning": "b", "reasoning_content": "c", "reasoning_details": [{"text": "d"}]}, "a"),
        ({"content": "", "reasoning_content": "c"}, ""),
    ],
)
def test_the_visible_text_is_the_answer(message: dict[str, Any], text: str | None) -> None:
    """Text, or the text parts of a list; reasoning in any of its fields is not part of it."""
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}

    assert said(json.dumps(body).encode()).text == text


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "a", "reasoning": "b"}, "a", "b"),
        ({"content": "a", "reasoning_content": "b"}, "a", "b"),
        ({"content": "a", "reasoning": "b", "reasoning_content": "b"}, "a", "b"),
        ({"content": "a", "reasoning": None, "reasoning_content": ""}, "a", None),
        ({"content": "a", "reasoning": {"text": "b"}, "reasoning_details": "b"}, "a", None),
        ({"content": "a", "reasoning_details": [{"text": "b"}, {"summary": "c"}, {"data": "x"}, 3, None]}, "a", "bc"),
        ({"content": "a", "reasoning": "b", "reasoning_details": [{"text": "b"}]}, "a", "b"),
        ({"content": [{"type": "thinking", "thinking": [{"text": "b"}]}, {"type": "text", "text": "a"}]}, "a", "b"),
        ({"content": [{"type": "thinking", "thinking": "b"}, {"type": "text", "text": "a"}]}, "a", "b"),
        ({"content": [{"type": "reasoning", "summary": [{"text": "b"}]}, {"type": "text", "text": "a"}]}, "a", "b"),
        ({"content": "<think>b</think>a"}, "a", "b"),
        ({"content": "b</think>a"}, "a", "b"),
        ({"content": "<think>b"}, None, "b"),
        ({"content": "<think>b</think>a", "reasoning_content": "b"}, "a", "b"),
        ({"content": "<think>c</think>a", "reasoning_content": "b"}, "a", "b"),
        ({"content": [{"type": "thinking", "text": "b"}, {"type": "text", "text": "a"}]}, "a", "b"),
        ({"content": "End with </think> now", "reasoning": "b"}, "End with </think> now", "b"),
        ({"content": None, "reasoning_content": "b"}, None, "b"),
        ({"content": "", "reasoning_content": "b"}, "", "b"),
    ],
)
def test_thoughts_are_kept_apart(message: dict[str, Any], text: str | None, reasoning: str | None) -> None:
    """In whichever place a server shows them; where they have a field, tags inside the answer are part of the answer."""
    found = said(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())

    assert (found.text, found.reasoning) == (text, reasoning)


@pytest.mark.parametrize(("finish", "kind"), [("length", "truncated"), ("stop", "empty")])
def test_a_thought_that_never_ends_is_no_answer(finish: str, kind: str) -> None:
    """Cut while it was thinking, a model has not answered, whatever its thoughts say."""
    verdict = verdict_of(call(), AttemptEnd(WIRES["openai"].decode(200, {}, spoken("<think>It is B", finish)), began=0.0))

    assert isinstance(verdict, ApiError)
    assert verdict.kind == kind


def test_a_lone_surrogate_is_kept() -> None:
    """Text that is no valid Unicode is neither lost nor a crash: it is logged as it came."""
    found = said(spoken("a\ud83d"))

    assert found.text == "a\ud83d"
    assert json.loads(line_of(attempt(response_text=found.text), None))["response_text"] == "a\ud83d"


@pytest.mark.parametrize("choices", [[], None, {}, "x", "missing"])
def test_without_choices_there_is_nothing_to_read(choices: Any) -> None:
    """An empty list of choices, or none, is a server's failure to try again, and no answer of the model, as an empty text is:
    that would be wrong, and settled. What it cost is kept."""
    body: dict[str, Any] = {"choices": choices, "usage": {"prompt_tokens": 5}}
    if choices == "missing":
        del body["choices"]

    found = WIRES["openai"].decode(200, {}, json.dumps(body).encode())

    assert isinstance(found, ApiError)
    assert (found.kind, found.retry, found.usage.prompt_tokens) == ("protocol", True, 5)


@pytest.mark.parametrize(
    ("body", "kind", "retry"),
    [
        (spoken("two"), None, False),
        (spoken("two", "length"), None, False),
        (spoken("two", None), None, False),
        (spoken("two", "something new"), None, False),
        (spoken("", "stop"), "empty", True),
        (spoken(" \n", "stop"), "empty", True),
        (spoken(None, None), "empty", True),
        (spoken("", "length"), "truncated", False),
        (spoken(None, "length"), "truncated", False),
        (spoken(None, "content_filter"), "refused", False),
        (spoken("half a sen", "content_filter"), "refused", False),
        (spoken(None).replace(b'"content": null', b'"content": null, "refusal": "I will not"'), "refused", False),
    ],
)
def test_an_ending_is_told_apart(body: bytes, kind: str | None, retry: bool) -> None:
    """Text cut by the limit is text; no text is empty, truncated or refused, and only the empty one is asked again."""
    verdict = verdict_of(call(), AttemptEnd(WIRES["openai"].decode(200, {}, body), began=0.0))

    assert (verdict.kind if isinstance(verdict, ApiError) else None) == kind
    assert (verdict.retry if isinstance(verdict, ApiError) else False) is retry


def test_the_model_that_answered_is_told() -> None:
    """A router may answer with another model than was asked: its name is kept."""
    assert said(spoken()).served_model == "gpt-5-mini-2026"


# ------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("value", [-1, "12", 1.5, True, None, [], {}, 10**12, "nan", -0.5])
def test_an_impossible_count_is_unknown(value: Any) -> None:
    """Negative, fractional, quoted, huge or absent: not a count, and so None, never zero."""
    found = usage(
        prompt_tokens=value,
        completion_tokens=value,
        total_tokens=value,
        prompt_tokens_details={"cached_tokens": value, "cache_write_tokens": value},
        completion_tokens_details={"reasoning_tokens": value},
    )

    assert found == Usage()


@pytest.mark.parametrize("value", [-0.1, "0.1", True, None, [], {}, {"total_cost": "1"}])
def test_an_impossible_cost_is_unknown(value: Any) -> None:
    """A cost that is no amount of money is None."""
    assert usage(cost=value).cost_usd is None


@pytest.mark.parametrize(
    "value", [None, [], "x", 3, {"prompt_tokens_details": 3, "completion_tokens_details": "x", "cost_details": []}]
)
def test_usage_of_any_other_shape_is_unknown(value: Any) -> None:
    """Usage that is missing, or no object, says nothing."""
    assert said(spoken(usage=value)).usage == Usage()


def test_zero_is_a_figure() -> None:
    """What the server says is zero is zero: a free reply costs nothing, and that is known."""
    found = usage(prompt_tokens=0, completion_tokens=0, cost=0)

    assert (found.prompt_tokens, found.completion_tokens, found.cost_usd) == (0, 0, 0.0)


def test_a_whole_number_written_as_a_float_is_a_count() -> None:
    """12.0 tokens are twelve."""
    assert usage(prompt_tokens=12.0).prompt_tokens == 12


counts = st.none() | st.integers(-5, 50) | st.sampled_from([10**9, 10**12, 1.5, "7", True, float(3)])


@few
@given(counts, counts, counts, counts, counts)
def test_no_figures_make_a_cost_below_nothing(prompt: Any, output: Any, cached: Any, written: Any, reasoning: Any) -> None:
    """More cached than there was, or nonsense: no bucket falls below zero, and reasoning is never added to the output."""
    fields = {"prompt_tokens": prompt, "completion_tokens": output, "prompt_tokens_details": {"cached_tokens": cached}}
    fields["prompt_tokens_details"]["cache_write_tokens"] = written
    without = usage(**fields)
    found = usage(**fields, completion_tokens_details={"reasoning_tokens": reasoning})

    prices = [Price(*[1.0 if place == one else 0.0 for place in range(4)]) for one in range(4)]
    costs = [cost_usd(found, price) for price in prices]

    assert costs == [cost_usd(without, price) for price in prices]
    assert all(cost is None or cost >= 0 for cost in costs)
    assert (costs[1] is None) or costs[1] == pytest.approx((found.completion_tokens or 0) / 1e6)


COST = "x-litellm-response-cost"


@pytest.mark.parametrize(("value", "cost"), [("0.0125", 0.0125), ("5.5e-06", 5.5e-06), ("0", 0.0), (" 1. ", 1.0)])
def test_a_cost_in_the_headers_counts(value: str, cost: float) -> None:
    """LiteLLM's proxy tells what an unstreamed reply cost in a header of its own."""
    found = said(spoken(usage={"prompt_tokens": 3}), {COST: value})

    assert (found.usage.cost_usd, found.usage.prompt_tokens) == (cost, 3)


@pytest.mark.parametrize("value", ["0.0125", "0", "None", "-1"])
def test_the_responses_interface_reads_that_header_as_chat_does(value: str) -> None:
    """LiteLLM serves both; a cost in the body wins at either, and the fault of a reply keeps its cost as well."""
    answer = {"type": "message", "content": [{"type": "output_text", "text": "a"}]}
    body = {"status": "completed", "output": [answer], "usage": {"input_tokens": 3, "output_tokens": 1}}
    nothing = {**body, "output": []}

    found = [responses.decode(200, {COST: value}, json.dumps(each).encode()).usage for each in (body, nothing)]

    assert [usage.cost_usd for usage in found] == [said(spoken(), {COST: value}).usage.cost_usd] * 2
    assert [usage.prompt_tokens for usage in found] == [3, 3]


@pytest.mark.parametrize("value", ["", "None", "nan", "inf", "-1", "1e9", "1e999", "0x1", "1_0", "1,5", "$1", "\u0661", "1 2"])
def test_an_impossible_cost_in_the_headers_is_unknown(value: str) -> None:
    """What is no plausible amount says nothing."""
    assert said(spoken(), {COST: value}).usage == Usage()


def test_the_cost_in_the_body_wins() -> None:
    """The header only fills a gap; a stream's headers are sent before anybody knows what it will cost."""
    stream = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'

    assert said(spoken(usage={"cost": 0.5}), {COST: "0.25"}).usage.cost_usd == 0.5
    assert said(spoken(usage={"cost": 0}), {COST: "0.25"}).usage.cost_usd == 0.0
    assert said(stream, {COST: "0.0", "content-type": "text/event-stream"}).usage.cost_usd is None


@pytest.mark.parametrize(
    ("own_key", "upstream", "total"), [(True, 0.5, 0.75), (False, None, 0.25), (None, None, 0.25), ("x", None, 0.25)]
)
def test_the_upstream_cost_counts_on_ones_own_key_only(own_key: Any, upstream: float | None, total: float) -> None:
    """With a key of one's own at the provider both charges are paid; otherwise the upstream cost is part of the price."""
    found = usage(cost=0.25, cost_details={"upstream_inference_cost": 0.5}, is_byok=own_key)

    assert (found.upstream_cost_usd, found.total_usd) == (upstream, total)
