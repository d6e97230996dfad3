"""Requests as the official SDKs of OpenAI and Anthropic type them, and replies as those SDKs write them."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import any_text, call, few, model, strict_json
from typing_extensions import get_type_hints, is_typeddict

from tui_eval.core.calls import Attachment, Call, Completion, Message, ModelSpec, Repair, Request, Usage
from tui_eval.providers import WIRES


@pytest.fixture(autouse=True, scope="module")
def _sdks() -> None:
    """They take seconds to load: only where these tests are run, not in every worker that collects them."""
    pytest.importorskip("openai")
    pytest.importorskip("anthropic")


@cache
def shapes() -> dict[str, tuple[Any, Any]]:
    """What the SDKs take for a request that is answered at once, and for one that is streamed, by the end of its path."""
    from anthropic.types import message_create_params as messages
    from openai.types.chat import completion_create_params as chat
    from openai.types.responses import response_create_params as responses

    return {
        "/chat/completions": (chat.CompletionCreateParamsNonStreaming, chat.CompletionCreateParamsStreaming),
        "/responses": (responses.ResponseCreateParamsNonStreaming, responses.ResponseCreateParamsStreaming),
        "/messages": (messages.MessageCreateParamsNonStreaming, messages.MessageCreateParamsStreaming),
    }


HERE = "tests/unit/providers/test_request_shapes.py"
EXTRAS: dict[str, dict[str, str]] = {
    "anthropic": {
        "temperature": "its SDK has dropped it; models before Claude 4.7 take it, and that others do not is learnt",
    },
    "openrouter": {
        "usage": "asks for the cost of the reply in the reply",
        "provider": "which providers may answer: the model's routing",
        "reasoning": "OpenRouter's own place for the effort",
    },
}
"""What a wire sends beyond what its SDK knows, and why."""

SENDS = sorted(name for name, wire in WIRES.items() if not wire.recorded)


# ------------------------------------------------------------------------------------------------------------ the check


def problems(value: Any, kind: Any, where: str = "body") -> list[str]:
    """Why a JSON value is not of a type of an SDK; unlike a validator it lets no unknown field of a typed table pass."""
    kind, origin = _plain(kind)
    if kind in (Any, object):
        return []
    if is_typeddict(kind):
        return _table_problems(value, kind, where)
    if origin in (Union, types.UnionType):
        return _union_problems(value, get_args(kind), where)
    if origin is Literal:
        return [] if value in get_args(kind) else [f"{where}: {value!r} is none of {get_args(kind)}"]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        fields = value.items() if isinstance(value, dict) else ()
        inner = get_args(kind)[1]
        return [] if isinstance(value, dict) and not _all(fields, inner, where) else [f"{where}: {value!r} is no such table"]
    if isinstance(origin, type) and issubclass(origin, Iterable) and isinstance(value, list):
        return _all(enumerate(value), get_args(kind)[0], where)
    allowed = (int, float) if kind is float else kind
    if kind in (str, int, float, bool, type(None)) and isinstance(value, allowed) and isinstance(value, bool) == (kind is bool):
        return []
    return [f"{where}: {value!r} is no {kind}"]


def _plain(kind: Any) -> tuple[Any, Any]:
    """A type without what only annotates it, and what it is made by."""
    while get_origin(kind) in (Annotated, Required, NotRequired):
        kind = get_args(kind)[0]
    return kind, get_origin(kind)


def _all(fields: Iterable[tuple[Any, Any]], kind: Any, where: str) -> list[str]:
    return [problem for name, value in fields for problem in problems(value, kind, f"{where}.{name}")]


def _union_problems(value: Any, kinds: tuple[Any, ...], where: str) -> list[str]:
    """Nothing where one of them fits, else what is wrong by the nearest one."""
    found = [problems(value, kind, where) for kind in kinds]
    return [] if [] in found else max(found, key=lambda told: max(line.count(".") for line in told))


def _table_problems(value: Any, kind: Any, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no {kind.__name__}"]
    fields = _fields(kind)
    unknown = [f"{where}.{name}: unknown to {kind.__name__}" for name in value if name not in fields]
    missing = [f"{where}.{name}: missing" for name, (_, required) in fields.items() if required and name not in value]
    known = [(name, inner) for name, inner in value.items() if name in fields]
    return [
        *unknown,
        *missing,
        *(line for name, inner in known for line in problems(inner, fields[name][0], f"{where}.{name}")),
    ]


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a table: type, and whether it has to be there. All that the SDKs type is optional unless said otherwise."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: (hint, _is_required(hint)) for name, hint in hints.items()}


def _is_required(hint: Any) -> bool:
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_origin(hint) is Required


def shape_of(path: str, body: Mapping[str, Any]) -> Any:
    """What the SDK takes at a path for a body."""
    plain, streamed = next(pair for end, pair in shapes().items() if path.partition("?")[0].endswith(end))
    return streamed if body.get("stream") else plain


def wrong(asked: Call, spec: ModelSpec, repairs: Mapping[str, Repair]) -> list[str]:
    """Return what is wrong with the request of a call by the SDK of its interface, and what to do about it."""
    request = WIRES[spec.wire].encode(asked, spec, repairs)
    body = strict_json(request.body)
    ours = {name: value for name, value in body.items() if name not in EXTRAS.get(spec.wire, {})}
    path = request.path.partition("?")[0]
    if not path.endswith(tuple(shapes())):
        return [f"add {path!r}, where {spec.wire!r} sends its calls, to `shapes` in {HERE}, with its SDK's types of a request"]
    found = problems(ours, shape_of(request.path, body))
    return [f"{problem}: correct what {spec.wire!r} sends, or add the field to EXTRAS in {HERE}" for problem in found]


TURN = {"role": "user", "content": "two?"}
PART = {"type": "text", "text": "two?"}


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/chat/completions", {"model": "m", "messages": [TURN]}, None),
        ("/chat/completions", {"model": "m", "messages": [{**TURN, "content": [PART]}]}, None),
        ("/chat/completions", {"model": "m"}, "body.messages"),
        ("/chat/completions", {"model": "m", "messages": [TURN], "news": 1}, "body.news"),
        ("/chat/completions", {"model": "m", "messages": [TURN], "temperature": True}, "body.temperature"),
        ("/chat/completions", {"model": "m", "messages": [TURN], "seed": 1.5}, "body.seed"),
        ("/chat/completions", {"model": "m", "messages": [TURN], "stream": "yes"}, "body.stream"),
        ("/chat/completions", {"model": "m", "messages": TURN}, "body.messages"),
        ("/chat/completions", {"model": "m", "messages": [{**TURN, "content": [{**PART, "news": 1}]}]}, "body.messages.0"),
        ("/chat/completions", {"model": "m", "messages": [{**TURN, "role": "nobody"}]}, "body.messages.0"),
        ("/responses", {"model": "m", "input": [TURN], "text": {"format": {"type": "json_schema"}}}, "body.text.format"),
        ("/responses", {"model": "m", "input": [{**TURN, "content": [PART]}]}, "body.input"),
        ("/messages", {"model": "m", "messages": [TURN]}, "body.max_tokens"),
        ("/messages", {"model": "m", "messages": [{**TURN, "role": "tool"}], "max_tokens": 9}, "body.messages.0.role"),
        (
            "/messages",
            {"model": "m", "messages": [TURN], "max_tokens": 9, "output_config": {"effort": "odd"}},
            "body.output_config",
        ),
    ],
)
def test_the_check_can_fail(path: str, body: dict[str, Any], place: str | None) -> None:
    """Missing, unknown and ill-typed fields are found where they are, at the top and deep inside."""
    found = problems(body, shape_of(path, body))

    assert found == [] if place is None else any(line.startswith(place) for line in found), found


# ------------------------------------------------------------------------------------------------------------ requests

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": False}
ATTACHABLE = {
    mime: Attachment(f"inputs/documents/a.{mime[-3:]}", mime, "a" * 64, PIXEL)
    for mime in ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")
}
"""One pixel, whatever it is called: no wire looks inside."""
LEARNT = [
    *(Repair(name) for name in ("temperature", "reasoning_effort", "reasoning", "seed", "stream", "stream_options", "store")),
    *(Repair(name) for name in ("response_format", "text", "output_config", "output_config.effort", "output_config.format")),
    Repair("max_output_tokens"),
    Repair("max_tokens", lower_to=64),
    Repair("max_completion_tokens", lower_to=64),
]
RENAMED = [Repair("max_tokens", "max_completion_tokens"), Repair("max_completion_tokens", "max_tokens")]
"""Learnt of chat completions only: the other interfaces know one name."""


def _shared(role: Literal["system", "user"], more: str, attached: tuple[Attachment, ...]) -> Message:
    """A message that begins as those of other calls do, with so much that servers keep it."""
    return Message(role, "y" * 5000 + more, attached if role == "user" else (), shared=5000)


@st.composite
def asked(draw: st.DrawFn) -> tuple[Call, ModelSpec, dict[str, Repair]]:
    """Any call to any wire, with anything that can be set, and anything that was learnt."""
    name = draw(st.sampled_from(SENDS))
    wire = WIRES[name]
    taken = [attachment for mime, attachment in ATTACHABLE.items() if mime in wire.accepts]
    attached = st.lists(st.sampled_from(taken), max_size=2).map(tuple) if taken else st.just(())
    turns = draw(
        st.lists(
            st.builds(Message, st.just("system"), any_text)
            | st.builds(Message, st.just("user"), any_text, attached)
            | st.builds(Message, st.just("assistant"), any_text)
            | st.builds(_shared, st.sampled_from(["system", "user"]), any_text, attached),
            min_size=1,
            max_size=4,
        )
    )
    found = call(
        messages=(*turns, Message("user", "two?", draw(attached))),
        temperature=draw(st.sampled_from([None, 0.0, 1.0])),
        max_output_tokens=draw(st.sampled_from([None, 1, 200, 64_000])),
        json_schema=draw(st.sampled_from([None, SCHEMA])),
    )
    spec = model(
        wire=name,
        base_url=draw(st.sampled_from([None, "http://127.0.0.1:9/v1"])),
        reasoning_effort=draw(st.sampled_from([None, "low", "high"])),
        seed=draw(st.sampled_from([None, 7])),
        stream=draw(st.booleans()),
        routing=draw(st.sampled_from([None, {"order": ["x"], "allow_fallbacks": False}])),
    )
    is_chat = name not in ("anthropic", "openai-responses")
    learnt = draw(st.lists(st.sampled_from([*LEARNT, *(RENAMED if is_chat else [])]), max_size=4))
    return found, spec, {repair.parameter: repair for repair in learnt}


@settings(few, max_examples=300)
@given(asked())
def test_every_request_is_one_that_the_official_sdk_could_send(found: tuple[Call, ModelSpec, dict[str, Repair]]) -> None:
    """Whatever is asked, set and learnt, each field is known, each value is of its type, and what has to be there is."""
    assert wrong(*found) == []


def test_a_field_that_no_sdk_knows_is_told_with_where_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new wire that sends more than its SDK knows, or to another path, fails by a sentence that says what to add where."""
    openrouter = WIRES["openrouter"]
    monkeypatch.setitem(WIRES, "a-new-wire", openrouter)
    (told,) = wrong(call(), model(wire="a-new-wire"), {})
    assert told.startswith("body.usage: unknown") and told.endswith(f"'a-new-wire' sends, or add the field to EXTRAS in {HERE}")

    def encode(call: Call, model: ModelSpec, repairs: Mapping[str, Repair]) -> Request:
        return replace(openrouter.encode(call, model, repairs), path="/generate")

    monkeypatch.setitem(WIRES, "a-new-wire", replace(openrouter, encode=encode))
    (told,) = wrong(call(), model(wire="a-new-wire"), {})
    assert f"add '/generate', where 'a-new-wire' sends its calls, to `shapes` in {HERE}" in told


@pytest.mark.parametrize("name", SENDS)
def test_a_request_with_everything_is_well_formed(name: str) -> None:
    """All that can be set at once, and every attachment the wire takes."""
    taken = tuple(attachment for mime, attachment in ATTACHABLE.items() if mime in WIRES[name].accepts)
    turns = (
        Message("system", "Be brief."),
        Message("user", "a", taken),
        Message("assistant", "b"),
        Message("user", "c", taken),
    )
    everything = call(messages=turns, temperature=0.5, json_schema=SCHEMA)
    spec = model(wire=name, reasoning_effort="low", seed=7, stream=True, routing={"order": ["x"]})

    request = WIRES[name].encode(everything, spec, {})
    body = strict_json(request.body)

    assert wrong(everything, spec, {}) == []
    assert body["stream"] is True
    extras = {f"body.{extra}" for extra in EXTRAS.get(name, {})}
    assert str(body).count(PIXEL) == 2 * len(taken) and (taken or name == "simulator")
    assert "additionalProperties" in str(body)
    assert {line.split(":")[0] for line in problems(body, shape_of(request.path, body))} == extras


# ------------------------------------------------------------------------------------------------------------ replies


def said(wire: str, written: Any) -> Completion:
    """What a wire reads of a reply that an SDK's own type has written."""
    found = WIRES[wire].decode(200, {"content-type": "application/json"}, written.model_dump_json().encode())
    assert isinstance(found, Completion), found
    return found


counts = st.integers(0, 10**6)


@few
@given(
    any_text.filter(lambda text: text.isprintable() and "<" not in text), counts, counts, st.sampled_from(["stop", "length"])
)
def test_a_chat_completion_of_the_sdk_is_read_as_it_was_meant(text: str, went_in: int, came_out: int, finish: str) -> None:
    """Text, finish and tokens, with all the fields that the SDK writes as null."""
    from openai.types.chat import ChatCompletion

    written = ChatCompletion.model_validate(
        {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5-mini",
            "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
            "usage": {
                "prompt_tokens": went_in,
                "completion_tokens": came_out,
                "total_tokens": went_in + came_out,
                "prompt_tokens_details": {"cached_tokens": went_in // 2},
                "completion_tokens_details": {"reasoning_tokens": came_out // 2},
            },
        }
    )

    found = said("openai", written)

    assert (found.text, found.finish_reason, found.refusal, found.served_model) == (text, finish, None, "gpt-5-mini")
    assert found.usage == Usage(went_in, came_out, went_in + came_out, went_in // 2, None, came_out // 2)


@few
@given(any_text.filter(str.isprintable), counts, counts, st.booleans())
def test_a_response_of_the_sdk_is_read_as_it_was_meant(text: str, went_in: int, came_out: int, cut: bool) -> None:
    """Text, thoughts, finish and tokens, with all the fields that the SDK writes as null."""
    part = {"type": "output_text", "text": text, "annotations": []}
    from openai.types.responses import Response

    written = Response.model_validate(
        {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5-mini",
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "output": [
                {"id": "a", "type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"id": "b", "type": "message", "role": "assistant", "status": "completed", "content": [part]},
            ],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": went_in,
                "input_tokens_details": {"cached_tokens": went_in // 2, "cache_write_tokens": 0},
                "output_tokens": came_out,
                "output_tokens_details": {"reasoning_tokens": came_out // 2},
                "total_tokens": went_in + came_out,
            },
        }
    )

    found = said("openai-responses", written)

    assert (found.text, found.reasoning, found.refusal) == (text, "hm", None)
    assert found.finish_reason == ("length" if cut else "completed")
    assert found.usage == Usage(went_in, came_out, went_in + came_out, went_in // 2, 0, came_out // 2)


@few
@given(any_text.filter(str.isprintable), counts, counts, st.sampled_from(["end_turn", "max_tokens", "refusal"]))
def test_a_message_of_the_sdk_is_read_as_it_was_meant(text: str, went_in: int, came_out: int, reason: str) -> None:
    """Text, thoughts, finish and tokens, with all the fields that the SDK writes as null."""
    from anthropic.types import Message

    written = Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}],
            "stop_reason": reason,
            "usage": {
                "input_tokens": went_in,
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 7,
                "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
                "output_tokens": came_out,
                "output_tokens_details": {"thinking_tokens": came_out // 2},
            },
        }
    )

    found = said("anthropic", written)

    assert (found.text, found.reasoning, found.served_model) == (text, "hm", "claude-x")
    assert found.finish_reason == {"end_turn": "stop", "max_tokens": "length"}.get(reason, reason)
    assert (found.refusal is not None) == (reason == "refusal")
    assert found.usage == Usage(went_in + 27, came_out, went_in + 27 + came_out, 20, 7, came_out // 2)


PASSES = ("server_error", "rate_limit_exceeded", "vector_store_timeout")
"""Codes of a failed response that may pass by themselves."""


def test_every_code_of_a_failed_response_is_known() -> None:
    """What cannot pass by itself is not asked again, and an image that is not taken is said to be one."""
    from openai.types.responses import ResponseError

    for code in get_args(ResponseError.model_fields["code"].annotation):
        body = {"status": "failed", "output": [], "error": {"code": code, "message": "no"}}
        found = WIRES["openai-responses"].decode(200, {}, str(body).replace("'", '"').encode())

        assert not isinstance(found, Completion), code
        assert found.retry == (code in PASSES), code
        assert (found.cause in ("attachment", "filter")) == ("image" in code or "policy" in code), code
