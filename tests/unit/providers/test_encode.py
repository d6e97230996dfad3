"""Laws of asking: what is not set is not sent, each server gets the names it knows, and the body is plain ASCII JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, call, few, model, strict_json
from next_steps import check_none_missing

from tui_eval.core.calls import Attachment, Call, Message, Repair, Request
from tui_eval.core.key import call_seed
from tui_eval.providers import WIRES
from tui_eval.providers.wire import IMAGES, PDF

ALL = [
    "azure",
    "azure-classic",
    "foundry",
    "foundry-serverless",
    "gemini",
    "llama.cpp",
    "lmstudio",
    "ollama",
    "openai",
    "openrouter",
    "simulator",
    "vllm",
]
"""The wires that speak chat completions; what the others send has tests of its own."""
OTHERS = {"anthropic", "openai-responses", "recorded"}
"""Wires with a form of their own, each with a file of tests; `recorded` sends nothing."""
AT_AZURE = {"azure", "azure-classic", "foundry"}
WITHOUT_KEY = {"simulator"}


def test_every_wire_is_tested_here_or_has_its_own_file() -> None:
    """A wire that is added is held to the laws of its form."""
    step = "add '{name}' to ALL in tests/unit/providers/test_encode.py, or to OTHERS with a file of tests for its requests"
    check_none_missing(WIRES.keys() - {*ALL, *OTHERS}, step)


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


# --------------------------------------------------------------------------------------------- what a model may be sent

PICTURE = Attachment("inputs/documents/a chart.png", "image/png", "0" * 64, "iVBORw0KGgo=")
PAPER = Attachment("inputs/documents/paper.pdf", "application/pdf", "1" * 64, "JVBERi0xLjQ/+w==")
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
WITH_PDF = {"openai", "openrouter"}


def shown(*attachments: Attachment) -> Call:
    """A call whose user message has attachments."""
    return call(messages=(Message("system", "Be brief."), Message("user", "What is this?", attachments)))


@pytest.mark.parametrize("wire", ALL)
def test_what_a_wire_accepts_is_sent_before_the_text(wire: str) -> None:
    """Images go as data URLs, PDFs as files with their names, in order; a message without attachments stays a text."""
    system, user = sent(wire, shown(PAPER, PICTURE))["messages"]

    assert system == {"role": "system", "content": "Be brief."}
    assert user["content"] == [
        {"type": "file", "file": {"filename": "paper.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQ/+w=="}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "text", "text": "What is this?"},
    ]
    assert WIRES[wire].accepts == (IMAGES | {PDF} if wire in WITH_PDF else IMAGES)


@pytest.mark.parametrize("wire", ALL)
def test_the_bytes_of_an_attachment_stand_in_the_body_as_they_are(wire: str) -> None:
    """The log puts the attachment's place where its bytes stand: they must be found there, unescaped."""
    body = WIRES[wire].encode(shown(PAPER), model(wire=wire), {}).body

    assert body.count(PAPER.base64.encode("ascii")) == 1


@pytest.mark.parametrize("wire", ALL)
def test_a_schema_is_sent_as_a_strict_response_format(wire: str) -> None:
    """Where a call has a schema, the server is asked to hold the model to it; where that is refused, it is left out."""
    asked = call(json_schema=SCHEMA)

    assert sent(wire, asked)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }
    assert sent(wire, asked, {"response_format": Repair("response_format")}) == sent(wire)


@pytest.mark.parametrize("wire", ALL)
def test_a_stream_is_asked_for_with_its_usage(wire: str) -> None:
    """Without stream_options many servers count no tokens. A model that does not stream sends neither field."""
    body = sent(wire, stream=True)

    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert {name: body[name] for name in body if name not in ("stream", "stream_options")} == sent(wire)


@pytest.mark.parametrize(
    ("refused", "left"), [("stream", set()), ("stream_options", {"stream"}), ("temperature", {"stream", "stream_options"})]
)
def test_a_stream_can_be_repaired(refused: str, left: set[str]) -> None:
    """Options of a stream that is not asked for are an error elsewhere: they go with it."""
    body = sent("openai", call(temperature=0.5), {refused: Repair(refused)}, stream=True)

    assert {"stream", "stream_options"} & set(body) == left


@pytest.mark.parametrize("wire", ALL)
@pytest.mark.parametrize("stream", [True, False])
def test_extra_fields_do_not_say_whether_a_reply_is_streamed(wire: str, stream: bool) -> None:
    """How a reply is read and timed rests on these two: only `stream` of the model sets them."""
    extra = {"stream": not stream, "stream_options": {"include_usage": False}, "top_p": 0.5}

    assert sent(wire, stream=stream, extra_body=extra) == {**sent(wire, stream=stream), "top_p": 0.5}


@pytest.mark.parametrize(("lower_to", "sent_limit"), [(100, 100), (200, 200), (8192, 200)])
def test_a_limit_that_is_too_high_is_lowered(lower_to: int, sent_limit: int) -> None:
    """A server's own limit caps what is asked for, and raises nothing."""
    learnt = {"max_tokens": Repair("max_tokens", lower_to=lower_to)}

    assert sent("openai", repairs=learnt)["max_tokens"] == sent_limit
    assert "max_tokens" not in sent("openai", call(max_output_tokens=None), learnt)


@pytest.mark.parametrize("turned", [False, True])
def test_a_limit_is_lowered_under_its_new_name(turned: bool) -> None:
    """Learnt in whatever order it is read back: the new name first, then what was learnt about it."""
    learnt = [Repair("max_tokens", "max_completion_tokens"), Repair("max_completion_tokens", lower_to=64)]

    body = sent("openai", repairs={repair.parameter: repair for repair in (learnt[::-1] if turned else learnt)})

    assert {name: body[name] for name in body if name.startswith("max")} == {"max_completion_tokens": 64}
    both = {"max_tokens": Repair("max_tokens", "max_completion_tokens", lower_to=64)}
    assert sent("openai", repairs=both) == body


def test_an_organization_is_billed_where_one_is_named() -> None:
    """The header stands in the request, its value does not; the simulator takes no account at all."""
    named = {wire: WIRES[wire].encode(call(), model(organization_env="ORG"), {}).organization_header for wire in ALL}

    assert named["openai"] == named["openrouter"] == "openai-organization"
    assert named["simulator"] is None
    assert {request(wire).organization_header for wire in ALL} == {None}


def test_ids_tell_the_provider_where_they_can() -> None:
    """The first wire whose prefix an id has; a local model that sounds alike is not taken for OpenAI's."""

    def guessed(name: str) -> list[str]:
        return [wire for wire in ALL if WIRES[wire].prefixes and name.startswith(WIRES[wire].prefixes)]

    assert {name: guessed(name) for name in ("gpt-4o", "o1-mini", "o3", "o4-mini", "chatgpt-4o-latest", "ft:gpt-4o:x")} == {
        name: ["openai"] for name in ("gpt-4o", "o1-mini", "o3", "o4-mini", "chatgpt-4o-latest", "ft:gpt-4o:x")
    }
    assert guessed("gemini-3-pro") == ["gemini"]
    assert not any(guessed(name) for name in ("openchat", "llama3", "openai/gpt-4o", "orca", "claude-sonnet-5", "gemma3"))


@pytest.mark.parametrize("wire", ALL)
@pytest.mark.parametrize("stream", [True, False])
def test_a_request_is_what_openais_own_types_describe(wire: str, stream: bool) -> None:
    """Every field that is sent to OpenAI's interface is one of it, and has a value that its own client would send."""
    chat = pytest.importorskip("openai.types.chat.completion_create_params", reason="the openai package is not installed")
    pydantic = pytest.importorskip("pydantic")
    types = chat.CompletionCreateParamsStreaming if stream else chat.CompletionCreateParamsNonStreaming
    asked = call(messages=shown(PICTURE, PAPER).messages, temperature=0.5, json_schema=SCHEMA)

    body = sent(wire, asked, stream=stream, seed=3, reasoning_effort="low")
    ours = {"usage", "reasoning"} if wire == "openrouter" else set()

    assert set(body) - ours <= set(types.__annotations__) | set(chat.CompletionCreateParamsBase.__annotations__)
    adapter = pydantic.TypeAdapter(types)
    read = adapter.validate_python({name: body[name] for name in body if name not in ours})
    assert read_out(read)["messages"] == body["messages"]


def read_out(value: Any) -> Any:
    """A value with every iterator in it read to its end: only then has all of it been checked."""
    if isinstance(value, dict):
        return {name: read_out(inner) for name, inner in value.items()}
    return [read_out(inner) for inner in value] if isinstance(value, list | Iterator) else value


@few
@given(st.sampled_from(ALL), any_text, any_text)
def test_any_text_is_sent_as_ascii_json(wire: str, system: str, user: str) -> None:
    """Whatever the prompt holds, the body is ASCII, strict JSON, and says the very same when read."""
    asked = call(messages=(Message("system", system), Message("user", user)))

    body = WIRES[wire].encode(asked, model(wire=wire), {}).body

    assert body.isascii()
    assert [message["content"] for message in strict_json(body)["messages"]] == [system, user]
