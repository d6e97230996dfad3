"""Laws of the simulator's three APIs: the same words over each, streamed or whole, in the shapes that their own SDKs take."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import official_sdks as sdks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from soaking import quick_first

from tui_eval.core.calls import ApiError, Completion
from tui_eval.providers import WIRES
from tui_eval.providers.stream import events as sse_events
from tui_eval.simulator import personas
from tui_eval.simulator.answers.open_replies import Seed
from tui_eval.simulator.apis import faults, schemas
from tui_eval.simulator.apis.chat import Asked, Chat
from tui_eval.simulator.apis.interfaces import INTERFACES
from tui_eval.simulator.apis.replies import BodyError
from tui_eval.simulator.apis.streams import pieces
from tui_eval.simulator.server import Simulator

KNOWN = "QUESTION: What do the children call the grey seal?\n"
CHOICE = "Which jar holds the marbles?\nA) the blue jar\nB) the tall jar\nC) no jar"
PATHS = {"openai": "/chat/completions", "openai-responses": "/responses", "anthropic": "/messages"}
TYPES = {"openai": "ChatCompletion", "openai-responses": "Response", "anthropic": "Message"}
EACH = pytest.mark.parametrize("wire", PATHS)
PERSONAS = list(personas.load_personas())
SOUND = ["list-content", "refusal", "content-filter", "length", "empty", "no-usage", "escape", "other-model"]


@dataclass(frozen=True, slots=True)
class Got:
    """One reply as it came."""

    wire: str
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """The reply's JSON."""
        return json.loads(self.raw)

    @property
    def read(self) -> Completion | ApiError:
        """What the project's own wire reads in it."""
        return WIRES[self.wire].decode(self.status, self.headers, self.raw)

    @property
    def said(self) -> Completion:
        """The same, where it is an answer."""
        read = self.read
        assert isinstance(read, Completion), read
        return read


class Client:
    """Asks one simulator the same thing over any of its APIs."""

    def __init__(self, session: aiohttp.ClientSession, url: str, simulator: Simulator) -> None:
        self.session, self.url, self.simulator = session, url, simulator

    async def ask(self, wire: str, model: str, text: str | list[Any] = KNOWN, /, limit: int = 4000, **fields: Any) -> Got:
        """One question to one model."""
        return await self.post(wire, {**request(wire, model, text, limit), **fields})

    async def post(self, wire: str, body: Any, path: str | None = None, **headers: str) -> Got:
        """Any body."""
        raw = io.BytesIO(json.dumps(body).encode())
        sent = {"Authorization": "Bearer sk-simulated-1234", **headers}
        async with self.session.post(self.url + (path or PATHS[wire]), data=raw, headers=sent, allow_redirects=False) as reply:
            return Got(wire, reply.status, {name.lower(): value for name, value in reply.headers.items()}, await reply.read())


def request(wire: str, model: str, content: Any, limit: int) -> dict[str, Any]:
    """The body of a request in an API's own words."""
    messages = [{"role": "user", "content": content}]
    if wire == "openai-responses":
        return {"model": model, "input": messages, "max_output_tokens": limit}
    return {"model": model, "messages": messages, "max_tokens": limit}


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A simulator, and somebody to ask it."""
    simulator = Simulator(latency_scale=0)
    url = await simulator.start()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield Client(session, url, simulator)
    await simulator.stop()


async def test_the_same_words_over_each_api(client: Client) -> None:
    """A question gets the same words, reason to end, usage and cost over each API, whoever is asked."""
    for name in PERSONAS:
        for text in (KNOWN, CHOICE, "QUESTION: Who won?"):
            said = [(await client.ask(wire, name, text)).said for wire in PATHS]

            assert said[0].text
            assert {one.text for one in said} == {said[0].text}
            assert {one.served_model for one in said} == {name}
            assert [one.finish_reason for one in said] == ["stop", "completed", "stop"]
            assert len({(one.usage.prompt_tokens, one.usage.completion_tokens, one.usage.cost_usd) for one in said}) == 1
            assert said[0].usage.cost_usd


@pytest.mark.parametrize("wire", quick_first(PATHS))
async def test_replies_are_what_the_sdk_takes(wire: str, client: Client) -> None:
    """Whole replies, refusals and cut ones too, have the official SDK's types and say that they are simulated."""
    got = [await client.ask(wire, name) for name in (*PERSONAS, "bench", "fault:refusal", "fault:content-filter")]
    got.append(await client.ask(wire, "sim-rambler", limit=5))

    for one in got:
        assert getattr(sdks, TYPES[wire]).model_validate(one.body, strict=True)
        assert (one.body["simulated"], one.body["provider"]) == (True, "simulator")
        assert one.headers["x-simulated"] == "true"


async def test_system_text_stands_where_each_api_has_it(client: Client) -> None:
    """instructions and system are read as a system message is: the same tokens, and the same words."""
    chat = {
        "model": "sim-scholar",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": KNOWN}],
    }
    response = {"model": "sim-scholar", "input": KNOWN, "instructions": "Be brief."}
    message = {**request("anthropic", "sim-scholar", KNOWN, 400), "system": [{"type": "text", "text": "Be brief."}]}
    bodies = {"openai": chat, "openai-responses": response, "anthropic": message}

    said = [(await client.post(wire, body)).said for wire, body in bodies.items()]

    assert len({(one.text, one.usage.prompt_tokens) for one in said}) == 1


async def test_a_limit_cuts_over_each_api(client: Client) -> None:
    """The token limit cuts the same words, and each API has its own name for it."""
    got = {wire: await client.ask(wire, "sim-rambler", limit=5) for wire in PATHS}

    assert {len(one.said.text or "") for one in got.values()} == {20}
    assert {one.said.finish_reason for one in got.values()} == {"length"}
    assert got["openai-responses"].body["status"] == "incomplete"
    assert got["openai-responses"].body["incomplete_details"] == {"reason": "max_output_tokens"}
    assert got["anthropic"].body["stop_reason"] == "max_tokens"


@EACH
async def test_declined(wire: str, client: Client) -> None:
    """A refusal and a content filter stand where each API has them, without any text."""
    refused, filtered = [(await client.ask(wire, f"fault:{what}")).said for what in ("refusal", "content-filter")]

    assert not refused.text and not filtered.text
    assert refused.refusal and "will not help" in refused.refusal
    assert filtered.refusal


@EACH
@pytest.mark.parametrize("what", ["400", "401", "402", "403", "404", "429", "500", "503", "529", "422", "408"])
async def test_errors_have_the_api_s_shape(wire: str, what: str, client: Client) -> None:
    """An error keeps its status, message and meaning, in the shape of the API that was asked."""
    got = await client.ask(wire, f"fault:{what}")
    chat, read = (await client.ask("openai", f"fault:{what}")).read, got.read

    assert got.status == int(what)
    assert isinstance(chat, ApiError) and isinstance(read, ApiError)
    assert (read.kind, read.retry) == (chat.kind, chat.retry)
    assert "simulated" in read.message
    if wire == "anthropic":
        assert set(got.body) == {"type", "error", "request_id", "simulated", "provider"}
        assert (got.body["type"], got.body["request_id"]) == ("error", got.headers["request-id"])
        assert sdks.ErrorResponse.model_validate(got.body)


@EACH
@pytest.mark.parametrize("what", list(faults.FAULTS))
async def test_every_whole_fault_can_be_asked_over_each_api(wire: str, what: str, client: Client) -> None:
    """No fault breaks the simulator itself, streamed or not: the status is that of chat completions."""
    chat = await client.ask("openai", f"fault:{what}", temperature=0.5)
    whole = await client.ask(wire, f"fault:{what}", temperature=0.5)
    streamed = await client.ask(wire, f"fault:{what}", temperature=0.5, stream=True)

    assert {whole.status, streamed.status} == {
        chat.status if what != "reject-max-tokens" or wire != "openai-responses" else 200
    }
    assert whole.read and streamed.read


async def test_a_refused_parameter_is_named(client: Client) -> None:
    """A parameter that is not taken is named so that it can be left out."""
    read = (await client.ask("anthropic", "fault:reject-temperature", temperature=0.5)).read

    assert isinstance(read, ApiError)
    assert read.repair is not None and read.repair.parameter == "temperature"


@EACH
async def test_large_replies_have_the_api_s_shape(wire: str, client: Client) -> None:
    """A sound reply that is large or compressed is one of the API that was asked."""
    big, packed = await client.ask(wire, "fault:big"), await client.ask(wire, "fault:gzip")

    assert len(big.said.text or "") == 10 * 2**20
    assert packed.said.text == faults.NORMAL_TEXT


@EACH
@pytest.mark.parametrize("what", ["cut", "cut-chunk", "reset", "gzip-bomb"])
async def test_broken_connections_break_over_each_api(wire: str, what: str, client: Client) -> None:
    """What breaks the connection breaks it whatever was asked, and a flood is a flood."""
    body = json.dumps(request(wire, f"fault:{what}", "x", 9))
    if what == "gzip-bomb":
        async with client.session.post(client.url + PATHS[wire], data=body) as reply:
            assert len(await reply.content.readexactly(2**20)) == 2**20
        return
    with pytest.raises(aiohttp.ClientError):
        await client.ask(wire, f"fault:{what}")


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(KNOWN),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "type", "text", "format", "schema"]), inner, max_size=4)
    ),
    max_leaves=12,
)
MEANT = st.lists(st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "x"]), "content": ANY_JSON}), max_size=3)
FIELDS = ("messages", "input", "instructions", "system", "max_tokens", "max_output_tokens", "text", "response_format", "seed")


@given(st.dictionaries(st.sampled_from(FIELDS), ANY_JSON | MEANT), st.sampled_from(["sim-scholar", "bench", "fault:500"]))
@few
def test_any_body_brings_a_reply_or_a_reason(fields: dict[str, Any], model: str) -> None:
    """Whatever stands in a request, over any API it is answered or refused as a bad one."""
    body = {**fields, "model": model}
    for interface in INTERFACES.values():
        try:
            reply = Chat(0, 0.0).settle(Asked(interface, b"x", body, interface.to_chat(body), "id"))
        except BodyError as error:
            reply = error.reply()

        assert reply is not None and reply.status in (200, 400, 500)


async def test_bad_requests(client: Client) -> None:
    """What an API does not take is a 400 in its shape, an unknown model a 404; each is counted."""
    wrong: list[tuple[str, Any]] = [
        ("anthropic", {"model": "sim-scholar", "messages": [{"role": "user", "content": "x"}]}),
        ("anthropic", {"model": "sim-scholar", "max_tokens": "9", "messages": [{"role": "user", "content": "x"}]}),
        ("anthropic", {"model": "sim-scholar", "max_tokens": 9, "messages": []}),
        ("anthropic", {"model": "sim-scholar", "max_tokens": 9, "messages": [{"role": "system", "content": "x"}]}),
        ("anthropic", [1]),
        ("openai-responses", {"model": "sim-scholar"}),
        ("openai-responses", {"model": "sim-scholar", "input": [1]}),
    ]

    got = [await client.post(wire, body) for wire, body in wrong]
    unknown = [await client.ask(wire, "gpt-9") for wire in PATHS]

    assert [one.status for one in got] == [400] * len(wrong)
    assert [one.body["error"]["type"] for one in got] == ["invalid_request_error"] * len(wrong)
    assert [one.body.get("type") for one in got[:5]] == ["error"] * 5
    assert [one.status for one in unknown] == [404] * 3
    assert client.simulator.stats()["requests"] == len(wrong) + 3


async def test_every_api_is_counted_alike(client: Client) -> None:
    """Requests over any API are counted by model and by the client's own id; other paths are not."""
    for wire in PATHS:
        await client.post(wire, request(wire, "bench", "x", 9), **{"X-Client-Request-Id": wire})
    await client.post("anthropic", {}, path="/messages/nowhere")

    async with client.session.get(client.url.removesuffix("/v1") + "/stats?ids=1") as reply:
        stats = await reply.json()

    assert (stats["requests"], stats["completed"], stats["elsewhere"], stats["in_flight"]) == (3, 3, 1, 0)
    assert [one["id"] for one in stats["ids"]] == list(PATHS)
    assert (stats["by_model"], stats["batches"], stats["batched"]) == ({"bench": 3}, 0, 0)


# --- streams ---


@EACH
@pytest.mark.parametrize("model", [*PERSONAS, "bench", *(f"fault:{what}" for what in SOUND), "fault:500:0"])
async def test_a_stream_adds_up_to_the_whole_reply(wire: str, model: str, client: Client) -> None:
    """What the wire reads in a stream is what it reads in the reply that is not streamed."""
    options = {"stream_options": {"include_usage": True}} if wire == "openai" else {}
    whole = (await client.ask(wire, model)).said
    streamed = await client.ask(wire, model, stream=True, **options)

    assert streamed.headers["content-type"] == "text/event-stream"
    assert streamed.headers["x-simulated"] == "true"
    assert streamed.said.text == (whole.text if wire != "openai" else whole.text or None)
    for name in ("finish_reason", "usage", "served_model", "refusal"):
        assert getattr(streamed.said, name) == getattr(whole, name)


async def test_usage_in_a_chat_stream_is_asked_for(client: Client) -> None:
    """Without include_usage no chunk speaks of usage; with it one chunk without choices does, just before [DONE]."""
    plain = sse_events((await client.ask("openai", "sim-scholar", stream=True)).raw.decode())
    options = {"include_usage": True}
    counted = sse_events((await client.ask("openai", "sim-scholar", stream=True, stream_options=options)).raw.decode())

    assert not any("usage" in chunk for chunk in plain)
    assert (plain[-1], counted[-1]) == ("[DONE]", "[DONE]")
    assert json.loads(counted[-2])["choices"] == []
    assert [json.loads(chunk)["usage"] is None for chunk in counted[:-2]] == [True] * (len(counted) - 2)


async def test_the_sdks_read_the_streams(client: Client) -> None:
    """The official clients put the streams of each API together to what they get unstreamed."""
    ours: Any = [{"role": "user", "content": KNOWN}]
    async with sdks.openai.AsyncOpenAI(base_url=client.url, api_key="k") as sdk:
        chunks = [chunk async for chunk in await sdk.chat.completions.create(model="sim-rambler", messages=ours, stream=True)]
        told = [one async for one in await sdk.responses.create(model="sim-rambler", input=KNOWN, stream=True)]
        whole = await sdk.responses.create(model="sim-rambler", input=KNOWN)
    async with (
        sdks.anthropic.AsyncAnthropic(base_url=client.url.removesuffix("/v1"), api_key="k") as peer,
        peer.messages.stream(model="sim-rambler", messages=ours, max_tokens=900) as stream,
    ):
        message = await stream.get_final_message()

    deltas = "".join(one.delta for one in told if one.type == "response.output_text.delta")
    last = told[-1]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == whole.output_text == deltas
    assert last.type == "response.completed" and last.response == whole
    assert [one.sequence_number for one in told] == list(range(len(told)))
    assert [block.text for block in message.content if block.type == "text"] == [deltas]
    assert (message.stop_reason, message.usage.output_tokens) == ("end_turn", whole.usage.output_tokens if whole.usage else 0)


@EACH
async def test_a_stream_takes_the_persona_s_time(wire: str) -> None:
    """Nothing is told at first, then bit by bit; in all it takes about as long as the whole reply would."""
    simulator = Simulator(latency_scale=0.2)
    url = await simulator.start()
    moments: list[float] = []
    async with aiohttp.ClientSession() as session:
        body = json.dumps({**request(wire, "sim-rambler", KNOWN, 4000), "stream": True})
        begun = asyncio.get_running_loop().time()
        async with session.post(url + PATHS[wire], data=body) as reply:
            async for _ in reply.content.iter_any():
                moments.append(asyncio.get_running_loop().time() - begun)
    await simulator.stop()

    assert len(moments) > 10
    assert moments[0] > 0.1
    assert moments[-1] - moments[0] > 0.1


@EACH
async def test_a_reader_who_goes_away(wire: str) -> None:
    """A client that hangs up in the middle of a stream frees its place, and the simulator goes on."""
    simulator = Simulator(latency_scale=1.0)
    url = await simulator.start()
    async with aiohttp.ClientSession() as session:
        body = json.dumps({**request(wire, "sim-sprinter", KNOWN, 4000), "stream": True})
        async with session.post(url + PATHS[wire], data=body) as reply:
            await reply.content.readany()
            in_flight = simulator.stats()["in_flight"]
            reply.close()
        async with asyncio.timeout(60):
            while simulator.stats()["in_flight"]:
                await asyncio.sleep(0.01)
        async with session.post(url + PATHS[wire], data=json.dumps(request(wire, "bench", "x", 9))) as reply:
            assert reply.status == 200
    stats = simulator.stats()
    await simulator.stop()

    assert in_flight == 1
    assert (stats["requests"], stats["completed"]) == (2, 1)


@EACH
@pytest.mark.parametrize("what", [what for what, fault in faults.STREAMED.items() if not fault.cuts])
async def test_stream_faults(wire: str, what: str, client: Client) -> None:
    """A stream that goes wrong is told from an answer by the wire; unstreamed the same model answers normally."""
    got = await client.ask(wire, f"fault:{what}", stream=True)
    passing = [await client.ask(wire, f"fault:{what}:1", stream=True) for _ in range(2)]

    assert (got.status, got.headers["content-type"]) == (200, "text/event-stream")
    assert isinstance(got.read, ApiError) and got.read.retry
    assert (await client.ask(wire, f"fault:{what}")).said.text == faults.NORMAL_TEXT
    assert isinstance(passing[0].read, ApiError) and passing[1].said.text == faults.NORMAL_TEXT
    assert (b"pore" in got.raw) == (what != "stream-pings")


@EACH
async def test_a_stream_that_is_cut(wire: str, client: Client) -> None:
    """The connection breaks off after half of the events, and the request does not count as completed."""
    body = json.dumps({**request(wire, "fault:stream-cut", "x", 9), "stream": True})
    async with client.session.post(client.url + PATHS[wire], data=body) as reply:
        received = await reply.content.readuntil(b"pore")
        with pytest.raises(aiohttp.ClientPayloadError):
            await reply.content.read()

    assert b"event: error" not in received
    assert (client.simulator.stats()["completed"], client.simulator.stats()["in_flight"]) == (0, 0)


async def test_a_stream_leaves_the_count_before_its_last_byte(client: Client) -> None:
    """Whoever asks again as soon as the last event is there is never counted twice at the same time."""
    for model in ("bench", "sim-sprinter") * 20:
        body = json.dumps({**request("openai", model, KNOWN, 900), "stream": True})
        async with client.session.post(client.url + PATHS["openai"], data=body) as reply:
            await reply.content.readuntil(b"[DONE]")

    assert client.simulator.stats()["peak_in_flight"] == 1


@given(st.text())
@few
def test_pieces_join_to_the_text(text: str) -> None:
    """Nothing is lost between the pieces, and none is empty."""
    assert "".join(pieces(text)) == text
    assert all(0 < len(piece) <= 4 for piece in pieces(text))


# --- images and files ---

PARTS: dict[str, list[Any]] = {
    "openai": [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"}},
    ],
    "openai-responses": [
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"},
    ],
    "anthropic": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
    ],
}


@EACH
async def test_images_and_files_are_passed_over(wire: str, client: Client) -> None:
    """An image or a file costs 85 tokens and changes no word; a part of an unknown type is nothing at all."""
    text = {"type": "input_text" if wire == "openai-responses" else "text", "text": KNOWN}
    alone = (await client.ask(wire, "sim-scholar")).said
    strange = [{"type": "riddle", "text": "QUESTION: Who won?"}, {}, 5]
    together = (await client.ask(wire, "sim-scholar", [*PARTS[wire], *strange, text])).said

    assert together.text == alone.text
    assert together.usage.prompt_tokens == (alone.usage.prompt_tokens or 0) + 2 * 85


# --- schemas ---

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "maxLength": 12},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "sure": {"type": "boolean"},
        "letter": {"enum": ["A", "B", "C"]},
        "reasons": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "odd": {"$ref": "#/nowhere"},
    },
    "required": ["answer", "score", "share", "sure", "letter", "reasons", "odd"],
}


def formatted(wire: str, schema: Any) -> dict[str, Any]:
    """Where an API is told of a schema."""
    if wire == "openai-responses":
        return {"text": {"format": {"type": "json_schema", "name": "x", "schema": schema}}}
    if wire == "anthropic":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema, "strict": True}}}


async def test_a_schema_is_followed(client: Client) -> None:
    """A persona puts its usual words into the JSON that was asked for, the same over each API."""
    texts = [(await client.ask(wire, "sim-contrarian", CHOICE, **formatted(wire, SCHEMA))).said.text for wire in PATHS]
    value = json.loads(texts[0] or "")
    usual = (await client.ask("openai", "sim-contrarian", CHOICE)).said.text or ""

    assert len(set(texts)) == 1
    assert set(value) == set(SCHEMA["properties"])
    assert value["answer"] == usual[:12]
    assert value["letter"] == usual[-1]
    assert (value["score"] in range(1, 6), 0 <= value["share"] <= 1, value["sure"] in (True, False)) == (True, True, True)
    assert (value["reasons"], value["odd"]) == ([usual[:80]] * 2, {})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "properties", "items", "enum", "minItems", "minimum", "maximum", "maxLength", "x"]),
                inner | st.sampled_from(["object", "array", "string", "integer", "number", "boolean"]),
                max_size=5,
            )
        ),
        max_leaves=20,
    ),
    st.text(max_size=30),
)
@few
def test_any_schema_brings_an_object(schema: Any, words: str) -> None:
    """Whatever stands in the place of a schema, the reply is a JSON object."""
    assert isinstance(json.loads(schemas.follow(schema, words, Seed(0, "null", "x"))), dict)


@given(st.integers(-50, 50), st.integers(0, 30), st.text(max_size=20))
@few
def test_numbers_keep_to_their_bounds(low: int, span: int, words: str) -> None:
    """A number lies within the bounds that its schema sets, whatever the words say."""
    field = {"type": "integer", "minimum": low, "maximum": low + span}
    schema = {"type": "object", "properties": {"n": field}}

    assert low <= json.loads(schemas.follow(schema, words, Seed(0, "null", "x")))["n"] <= low + span


# --- keys ---


@EACH
async def test_a_key_may_be_asked_for(wire: str) -> None:
    """A simulator with a key answers those who show it, in any of the three headers; others get a 401, and are counted."""
    simulator = Simulator(latency_scale=0, key="sk-one")
    url = await simulator.start()
    async with aiohttp.ClientSession() as session:
        client = Client(session, url, simulator)
        body = request(wire, "bench", "x", 9)
        wrong = await client.post(wire, body)
        right = [
            await client.post(wire, body, Authorization="Bearer sk-one"),
            await client.post(wire, body, **{"Authorization": "", "api-key": "sk-one"}),
            await client.post(wire, body, **{"Authorization": "", "x-api-key": "sk-one"}),
        ]
        async with session.get(url + "/models") as reply:
            listed = reply.status
    stats = simulator.stats()
    await simulator.stop()

    assert (wrong.status, listed, [one.status for one in right]) == (401, 401, [200] * 3)
    assert wrong.body["error"]["type"] == ("authentication_error" if wire == "anthropic" else "invalid_request_error")
    assert stats["requests"] == 4
