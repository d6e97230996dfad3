"""Laws of asking: what is not set is not sent, each server gets the names it knows, and the body is plain ASCII JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, call, few, model, strict_json

from tui_eval.providers import WIRES
from tui_eval.types import Call, Message, Repair, Request, call_seed

ALL = ["azure", "azure-classic", "foundry", "gemini", "ollama", "openai", "openrouter", "simulator"]
"""The wires that speak chat completions; what the others send has tests of its own."""
AT_AZURE = {"azure", "azure-classic", "foundry"}
WITHOUT_KEY = {"simulator"}


def sent(wire: str, asked: Call | None = None, repairs: dict[str, Repair] | None = None, **changes: Any) -> dict[str, Any]:
    """The body that a wire sends for a call."""
    body = WIRES[wire].encode(asked or call(), model(wire=wire, **changes), repairs or {}).body
    found: dict[str, Any] = strict_json(body)
    return found


def request(wire: str) -> Request:
    """The request of a plain call."""
    return WIRES[wire].encode(call(), model(wire=wire), {})


@pytest.mark.parametrize("wire", ALL)
def test_what_is_not_set_is_not_sent(wire: str) -> None:
    """Without a limit, a temperature, an effort or a seed the body has none, not even as null."""
    body = sent(wire, call(max_output_tokens=None))

    assert set(body) - {"usage"} == {"model", "messages"}
    assert body["model"] == "gpt-5-mini"
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is two?"},
    ]


@pytest.mark.parametrize("wire", ALL)
@pytest.mark.parametrize("temperature", [0.0, 1.0, 2.0])
def test_a_temperature_is_sent_when_it_is_set(wire: str, temperature: float) -> None:
    """Zero is a temperature, too."""
    assert sent(wire, call(temperature=temperature))["temperature"] == temperature


@pytest.mark.parametrize(
    ("wire", "base_url", "name"),
    [
        ("openai", None, "max_completion_tokens"),
        ("openai", "http://127.0.0.1:9/v1", "max_tokens"),
        ("openrouter", None, "max_tokens"),
        ("openrouter", "http://127.0.0.1:9/v1", "max_tokens"),
        ("simulator", None, "max_tokens"),
    ],
)
def test_the_token_limit_has_the_name_the_server_knows(wire: str, base_url: str | None, name: str) -> None:
    """OpenAI itself wants max_completion_tokens, everyone else knows max_tokens; never both."""
    body = sent(wire, base_url=base_url)

    assert {key: body[key] for key in body if key.startswith("max")} == {name: 200}


def test_openrouter_is_asked_for_usage_and_told_the_routing() -> None:
    """Usage accounting is always on; routing wishes go as provider, the effort as reasoning."""
    routing = {"order": ["x"], "allow_fallbacks": False}

    plain = sent("openrouter")
    full = sent("openrouter", reasoning_effort="low", routing=routing)

    assert plain["usage"] == {"include": True}
    assert "provider" not in plain and "reasoning" not in plain
    assert (full["provider"], full["reasoning"]) == (routing, {"effort": "low"})
    assert "reasoning_effort" not in full


@pytest.mark.parametrize("wire", ["openai", "simulator"])
def test_other_servers_get_the_effort_by_its_own_name(wire: str) -> None:
    """The effort is reasoning_effort; usage and routing are OpenRouter's alone."""
    body = sent(wire, reasoning_effort="low", routing={"order": ["x"]})

    assert body["reasoning_effort"] == "low"
    assert not {"usage", "provider", "reasoning"} & set(body)


@pytest.mark.parametrize("wire", ALL)
def test_a_seed_is_sent_per_call_where_the_model_takes_one(wire: str) -> None:
    """Each call sends its own number, made from the run's seed: the same each time, and another for another call."""
    seeds = [sent(wire, asked, seed=7)["seed"] for asked in (call(), call(), call(call_index=1), call(item_id="d/q1"))]

    assert seeds[0] == seeds[1] == call_seed(call(), 7)
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert sent(wire, seed=8)["seed"] != seeds[0]
    assert "seed" not in sent(wire)


@pytest.mark.parametrize("wire", ALL)
def test_extra_fields_are_added_and_win(wire: str) -> None:
    """What the user adds to the body is sent as it is, in place of our own field of that name."""
    body = sent(wire, call(temperature=0.5), extra_body={"top_p": 0.9, "temperature": 1, "stop": ["a"], "deep": {"x": None}})

    assert (body["top_p"], body["temperature"], body["stop"], body["deep"]) == (0.9, 1, ["a"], {"x": None})


@pytest.mark.parametrize("wire", ALL)
def test_what_was_learnt_is_applied(wire: str) -> None:
    """A refused parameter is left out or goes under its other name, with its value; others stay."""
    learnt = {
        "temperature": Repair("temperature"),
        "max_tokens": Repair("max_tokens", "max_completion_tokens"),
        "seed": Repair("seed"),
    }

    body = sent(wire, call(temperature=0.5), learnt, seed=7)

    assert not {"temperature", "max_tokens", "seed"} & set(body)
    assert body["max_completion_tokens"] == 200
    assert body["messages"] == sent(wire)["messages"]


def test_what_was_learnt_of_an_absent_parameter_changes_nothing() -> None:
    """A repair of what is not sent does not bring it in."""
    learnt = {"temperature": Repair("temperature", "warmth"), "max_tokens": Repair("max_tokens", "max_completion_tokens")}

    assert sent("openai", call(max_output_tokens=None), learnt) == sent("openai", call(max_output_tokens=None))


def test_where_and_with_what_headers() -> None:
    """Chat completions below the base URL, JSON both ways; a key goes as a bearer, at Azure bare, to the simulator none."""
    found = {wire: request(wire) for wire in ALL}

    assert {r.path for wire, r in found.items() if wire != "azure-classic"} == {"/chat/completions"}
    assert {r.headers["content-type"] for r in found.values()} == {"application/json"}
    assert {wire: (r.key_header, r.key_prefix) for wire, r in found.items() if r.key_header} == {
        wire: ("api-key", "") if wire in AT_AZURE else ("authorization", "Bearer ") for wire in ALL if wire not in WITHOUT_KEY
    }


@few
@given(st.sampled_from(ALL), any_text, any_text)
def test_any_text_is_sent_as_ascii_json(wire: str, system: str, user: str) -> None:
    """Whatever the prompt holds, the body is ASCII, strict JSON, and says the very same when read."""
    asked = call(messages=(Message("system", system), Message("user", user)))

    body = WIRES[wire].encode(asked, model(wire=wire), {}).body

    assert body.isascii()
    assert [message["content"] for message in strict_json(body)["messages"]] == [system, user]
