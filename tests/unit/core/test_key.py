"""Laws of the nouns: a call's key is its intention, and what is unknown stays unknown."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, call, few, model, reply

from tui_eval.core.calls import Attachment, Call, Message, ModelSpec, Usage, unasked
from tui_eval.core.key import call_key, call_seed

OTHER_CALLS: dict[str, Any] = {
    "stage": "judge",
    "item_id": "d/q0#2",
    "call_index": 1,
    "about": "doer:mini#0",
    "messages": (Message("system", "Be brief."), Message("user", "What is three?")),
    "temperature": 0.0,
    "max_output_tokens": 201,
    "json_schema": {"type": "object"},
}
OTHER_MODELS: dict[str, Any] = {
    "name": "maxi",
    "wire": "openrouter",
    "model": "gpt-5",
    "base_url": "http://127.0.0.1:10/v1",
    "reasoning_effort": "low",
    "seed": 1,
    "routing": {"order": ["x"]},
    "extra_body": {"top_p": 0.9},
    "api_version": "2025-01-01",
}
SAME_CALLS: dict[str, Any] = {
    "timeout_s": 1.0,
    "follows": (),
    "example": "Something else.",
    "up_to": 2,
    "beyond_plan": True,
    "longest": 8,
    "cut_at": 4,
    "reads": str,
    "holds_marks": True,
}
SAME_MODELS: dict[str, Any] = {
    "api_key_env": "OTHER_KEY",
    "organization_env": "OTHER_ORGANIZATION",
    "max_in_flight": 1,
    "requests_per_minute": 1,
    "tokens_per_minute": 1,
    "stream": True,
    "timeout_s": 1.0,
    "price": None,
    "temperature": 0.7,
    "max_output_tokens": 9,
    "display_name": "Another",
    "target_mode": "normal",
}


def test_every_difference_of_intention_makes_another_key() -> None:
    """Another stage, item, repeat, index, message, parameter, model, place or wire is another call, never paid for as this."""
    changed = [replace(call(), **{name: value}) for name, value in OTHER_CALLS.items()]
    elsewhere = [model(**{name: value}) for name, value in OTHER_MODELS.items()]

    keys = [call_key(call(), model()), *(call_key(c, model()) for c in changed), *(call_key(call(), m) for m in elsewhere)]

    assert len(set(keys)) == 1 + len(OTHER_CALLS) + len(OTHER_MODELS)
    assert all(len(key) == 32 and set(key) <= set("0123456789abcdef") for key in keys)


def test_what_is_attached_is_part_of_the_key() -> None:
    """Another image is another call; the same one under another path is the same."""
    one = Attachment("inputs/a.png", "image/png", "0" * 64, "AAAA")
    shown = [(), (one,), (replace(one, sha256="1" * 64),), (one, one), (replace(one, path="inputs/b.png"),)]

    keys = [call_key(call(messages=(Message("user", "What is it?", found),)), model()) for found in shown]

    assert len(set(keys)) == 4
    assert keys[1] == keys[4]


def test_what_is_no_intention_leaves_the_key_alone() -> None:
    """Time limits, keys, prices, limits on traffic and what came before do not make it another call."""
    same = [replace(call(), **{name: value}) for name, value in SAME_CALLS.items()]
    again = [model(**{name: value}) for name, value in SAME_MODELS.items()]

    keys = {call_key(call(), model()), *(call_key(c, model()) for c in same), *(call_key(call(), m) for m in again)}

    assert len(keys) == 1


def test_no_field_is_forgotten() -> None:
    """Every field of a call and of a model is either part of the key or known not to be."""
    of_call = {*OTHER_CALLS, *SAME_CALLS, "item_id", "model"}
    of_model = {*OTHER_MODELS, *SAME_MODELS}

    assert {field.name for field in fields(Call)} == of_call
    assert {field.name for field in fields(ModelSpec)} == of_model


def test_a_variable_in_the_address_is_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key covers the address as written: a run can be resumed from another machine, or at another port."""
    spec = model(base_url="http://${MODEL_HOST}/v1")
    keys = set()
    for host in ("one:1", "two:2"):
        monkeypatch.setenv("MODEL_HOST", host)
        keys.add(call_key(call(), spec))

    assert len(keys) == 1
    assert keys != {call_key(call(), model(base_url="http://one:1/v1"))}


@pytest.mark.parametrize("field", ["routing", "extra_body"])
def test_the_order_of_a_tables_keys_does_not_matter(field: str) -> None:
    """The same table written in another order is the same intention."""
    table = {"b": 1, "a": {"d": 1, "c": [1, 2]}}

    keys = [call_key(call(), model(**{field: json.loads(json.dumps(table, sort_keys=s))})) for s in (True, False)]

    assert keys[0] == keys[1]


@few
@given(any_text, any_text, st.lists(any_text, min_size=2, max_size=2))
def test_where_one_message_ends_is_part_of_the_key(first: str, second: str, other: list[str]) -> None:
    """Two conversations have one key only if they are the same conversation."""
    one, two = (tuple(Message("user", text) for text in texts) for texts in ((first, second), other))

    keys = [call_key(call(messages=messages), model()) for messages in (one, two, (Message("user", first + second),))]

    assert (keys[0] == keys[1]) == (one == two)
    assert keys[0] != keys[2]


def test_a_seed_is_a_small_number_of_its_own() -> None:
    """Every call of every run seed has its own seed of 31 bits, whatever its text."""
    calls = [call(), call(stage="judge"), call(item_id="d/q1"), call(model="maxi"), call(call_index=1), call(about="\ud83d")]

    seeds = [call_seed(one, run) for one in calls for run in (0, 1)]

    assert len(set(seeds)) == 12
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_a_call_is_asked_if_anything_it_follows_succeeded() -> None:
    """One success, or nothing to follow, is enough."""
    asked = [call(), call(follows=(reply(),)), call(follows=(reply(None), reply(), reply(None)))]

    assert [unasked(one) for one in asked] == [None] * 3


@pytest.mark.parametrize(("last", "final"), [(True, True), (False, False)])
def test_a_call_with_nothing_to_build_on_is_not_asked(last: bool, final: bool) -> None:
    """It fails unasked, with the reasons, and for good only if all it follows have failed for good."""
    failed = (reply(None), reply(None, status="timeout", error_kind=None, final=last))

    found = unasked(call(follows=failed))

    assert found is not None
    assert (found.status, found.error_kind, found.text, found.final) == ("error", "not_sent", None, final)
    assert "permanent" in str(found.error_message) and "timeout" in str(found.error_message)


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        (Usage(), None),
        (Usage(upstream_cost_usd=1.0), None),
        (Usage(cost_usd=0.0), 0.0),
        (Usage(cost_usd=0.25), 0.25),
        (Usage(cost_usd=0.25, upstream_cost_usd=0.5), 0.75),
    ],
)
def test_the_total_of_an_unknown_cost_is_unknown(usage: Usage, total: float | None) -> None:
    """All that was charged, or None: half of a cost is not a cost."""
    assert usage.total_usd == total
