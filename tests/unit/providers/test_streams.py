"""Laws of streams: they add up to what was said, however they are cut; half of one, or a broken one, is no reply."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, attempt, few, recorded_replies, spoken, strict_json

from tui_eval.core.calls import ApiError, Completion, Repair, Usage
from tui_eval.providers import WIRES
from tui_eval.providers.stream import EventReader, events
from tui_eval.runs.record import line_of

SSE = {"content-type": "text/event-stream; charset=utf-8"}
RECORDED = [entry for entry in recorded_replies("chat") if entry["wire"] == "sse"]
CHAT = [name for name, wire in WIRES.items() if wire.decode is WIRES["openai"].decode] + ["gemini", "llama.cpp"]
"""The wires that read streams of chat completions."""


def said(body: bytes, headers: dict[str, str] | None = None) -> Completion:
    """What a stream says."""
    found = WIRES["openai"].decode(200, SSE if headers is None else headers, body)
    assert isinstance(found, Completion), found
    return found


def broken(body: bytes) -> ApiError:
    """The fault that a stream is."""
    found = WIRES["openai"].decode(200, SSE, body)
    assert isinstance(found, ApiError), found
    return found


def chunk(content: Any = None, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a streamed completion."""
    delta = {} if content is None else {"content": content}
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **fields}


def stream(*events: Any, end: str = "\n\n", done: bool = True) -> bytes:
    """Events as they go over the wire; text stands for itself, anything else is sent as data."""
    lines = [event if isinstance(event, str) else "data: " + json.dumps(event) for event in events]
    return end.join([*lines, *(["data: [DONE]"] if done else []), ""]).encode("utf-8", "surrogatepass")


COUNTED = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}


def test_a_stream_adds_up_to_its_completion() -> None:
    """Deltas are joined, the finish reason and the usage are taken from wherever they stand."""
    found = said(stream(chunk(""), chunk("tw"), chunk("o"), chunk(None, "stop"), COUNTED))

    assert (found.text, found.finish_reason, found.served_model) == ("two", "stop", "m")
    assert found.usage == Usage(prompt_tokens=3, completion_tokens=2)


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r"])
def test_events_end_as_the_standard_lets_them_end(end: str) -> None:
    """The three line ends are one."""
    assert said(stream(chunk("two"), chunk(None, "stop"), end=end)).text == "two"


@pytest.mark.parametrize("content_type", ["text/event-stream", "text/event-stream;charset=utf-8", "Text/Event-Stream"])
def test_a_stream_is_known_by_its_media_type(content_type: str) -> None:
    """With or without a charset, and in capitals, too: media types have no case."""
    assert said(stream(chunk("two", "stop")), {"content-type": content_type}).text == "two"


def test_comments_and_other_fields_are_left_out() -> None:
    """Keep-alive comments, event names, ids and empty lines carry no text."""
    noise = [": OPENROUTER PROCESSING", "event: ping\nid: 7\nretry: 3", ":", "", 'event: x\ndata: {"choices": []}']

    found = said(stream(*noise, chunk("tw"), *noise, chunk("o", "stop")))

    assert found.text == "two"


def test_an_event_over_several_lines_is_one_event() -> None:
    """The data lines of an event belong together."""
    split = json.dumps(chunk("two", "stop"), indent=1).replace("\n", "\ndata: ")

    assert said(stream("data: " + split)).text == "two"


def test_rare_separators_do_not_end_a_line() -> None:
    """U+2028, U+0085 and their like inside a delta are text."""
    words = "a\u2028b\u2029c\x85d\x0ce"
    raw = json.dumps(chunk(words, "stop"), ensure_ascii=False)

    assert said(stream("data: " + raw)).text == words


def test_a_stream_may_end_without_done() -> None:
    """Some servers leave it out: the finish reason is what tells that nothing is missing."""
    assert said(stream(chunk("two"), chunk("!", "stop"), done=False)).text == "two!"


@pytest.mark.parametrize(
    "body",
    [
        stream(chunk("tw"), done=False),
        stream(chunk("tw")),
        stream(chunk("tw", ""), chunk("o", "")),
        stream(chunk("two"), COUNTED),
        stream(),
        stream(done=False),
        stream(": OPENROUTER PROCESSING", ": OPENROUTER PROCESSING", done=False),
        b"",
        stream(chunk("tw"), "data: {bad", done=False),
        stream(chunk("tw"), "data: 3", chunk("o", "stop")),
        stream(chunk("tw"), "data: [1]", chunk("o", "stop")),
        stream(chunk("tw"), 'data: {"choices": NaN}', chunk("o", "stop")),
        stream(chunk("two", "stop"), "data: <html>bad gateway</html>"),
        b"data: \xff\n\n",
        b"<html>bad gateway</html>",
    ],
)
def test_half_a_stream_is_no_reply(body: bytes) -> None:
    """Broken off, empty, kept alive only, without a finish reason or with garbage: a fault to try again, no half answer."""
    found = broken(body)

    assert (found.kind, found.scope, found.retry) == ("protocol", "call", True)
    assert found.message.isprintable()


@pytest.mark.parametrize(
    ("event", "kind", "retry"),
    [
        ({"error": {"code": 429, "message": "slow down"}}, "rate_limit", True),
        ({"error": {"code": "server_error", "message": "slow down"}, **chunk("", "error")}, "transient", True),
        ({"error": "slow down"}, "transient", True),
        ({"object": "error", "message": "slow down", "type": "BadRequestError", "code": 400}, "permanent", False),
        ([{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}], "rate_limit", True),
        ({"error": {"code": "429", "message": "slow down", "type": "None"}}, "rate_limit", True),
        ({"choices": [{"error": {"code": 401, "message": "slow down"}, "finish_reason": "error"}]}, "permanent", False),
    ],
)
def test_an_error_midway_ends_the_stream(event: dict[str, Any], kind: str, retry: bool) -> None:
    """An error event is the outcome, in its own words, however much text came before it."""
    for rest in ((), (chunk("o", "stop"),)):
        found = broken(stream(chunk("tw"), event, *rest))

        assert (found.kind, found.retry) == (kind, retry)
        assert "slow down" in found.message


@pytest.mark.parametrize("finish", ["error", "network_error", "insufficient_system_resource"])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_reply_that_ended_because_something_failed_is_no_reply(finish: str, streamed: bool) -> None:
    """A finish reason that names a failure makes a fault of it, to try again, even where no error stands beside it."""
    body = stream(chunk("tw"), chunk(None, finish)) if streamed else spoken("tw", finish)

    found = WIRES["openai"].decode(200, SSE if streamed else {}, body)

    assert isinstance(found, ApiError)
    assert (found.kind, found.retry, found.finish_reason) == ("transient", True, finish)


def test_what_a_broken_stream_cost_is_kept() -> None:
    """Usage that came before an error is what was billed."""
    found = broken(stream(chunk("tw"), COUNTED, {"error": {"code": 502, "message": "gone"}}))

    assert found.usage == Usage(prompt_tokens=3, completion_tokens=2)


@pytest.mark.parametrize(("done", "known"), [(True, Usage(prompt_tokens=3, completion_tokens=2)), (False, Usage())])
def test_counts_of_a_part_are_not_taken_for_the_whole(done: bool, known: Usage) -> None:
    """Servers that count as they go would make a broken stream look cheap: only counts before [DONE] are what was billed."""
    assert broken(stream(chunk("tw"), COUNTED, done=done)).usage == known


def test_a_character_split_over_two_deltas_is_whole_again() -> None:
    """Halves of a surrogate pair in two deltas are one character; a half that is left over is U+FFFD, and no crash."""
    found = said(stream(chunk("a\ud83d"), chunk("\ude00b"), chunk("\ud83d", "stop")))

    assert found.text == "a\U0001f600b\ufffd"
    assert line_of(attempt(response_text=found.text, response_json=found.body), None).encode("utf-8")


def test_a_refusal_is_streamed_like_a_text() -> None:
    """Deltas of a refusal add up to it."""
    parts = [{"choices": [{"delta": {"refusal": part}}]} for part in ("I ", "will not")]

    found = said(stream(*parts, chunk(None, "stop")))

    assert (found.refusal, found.text) == ("I will not", None)


def test_an_error_status_wins_over_the_content_type() -> None:
    """A 500 with the type of a stream is a 500."""
    found = WIRES["openai"].decode(500, SSE, b"data: [DONE]\n\n")

    assert isinstance(found, ApiError)
    assert found.kind == "transient"


def test_an_error_status_may_come_as_a_stream() -> None:
    """Its first event tells what is wrong, and what to leave out of the next request."""
    error = {"error": {"message": "Unsupported parameter: 'temperature'", "param": "temperature", "code": "unsupported"}}

    found = WIRES["openai"].decode(400, SSE, stream(": hello", error))

    assert isinstance(found, ApiError)
    assert (found.kind, found.repair) == ("permanent", Repair("temperature"))
    assert "Unsupported parameter" in found.message and "data:" not in found.message


@few
@given(st.text(max_size=40), st.lists(st.integers(0, 40), max_size=5))
def test_where_a_stream_is_split_does_not_matter(text: str, cuts: list[int]) -> None:
    """However a text is cut into deltas, it is the same text."""
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    deltas = [chunk(text[begin:end]) for begin, end in pairwise(edges)]

    found = said(stream(*deltas, chunk(None, "stop")))

    assert (found.text or "") == text


def thought(**delta: Any) -> dict[str, Any]:
    """A chunk with this delta."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


@pytest.mark.parametrize(
    "deltas",
    [
        [{"reasoning": "h"}, {"reasoning": "m"}],
        [{"content": None, "reasoning_content": "h"}, {"content": "", "reasoning_content": "m"}],
        [{"reasoning": "h", "reasoning_content": "h"}, {"reasoning": "m", "reasoning_details": [{"text": "m"}]}],
        [{"reasoning_details": [{"type": "reasoning.text", "text": "h"}]}, {"reasoning_details": [{"summary": "m"}]}],
        [{"content": [{"type": "thinking", "thinking": [{"type": "text", "text": part}]}]} for part in "hm"],
        [{"reasoning": "hm"}, {"reasoning": None, "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}],
        [{"content": "<think>"}, {"content": "hm</th"}, {"content": "ink>\n\n"}],
        [{"content": "hm"}, {"content": "</think>"}],
    ],
)
def test_reasoning_is_streamed_beside_the_text(deltas: list[dict[str, Any]]) -> None:
    """In whatever field its deltas come, it adds up, is told apart from the answer, and stands there once."""
    found = said(stream(*(thought(**delta) for delta in deltas), chunk("two", "stop")))

    assert (found.text, found.reasoning) == ("two", "hm")


def test_the_whole_that_is_kept_has_what_the_chunks_had() -> None:
    """The body is a completion as an unstreamed one would be, with the reasoning, and the mark of a simulator."""
    first = {**thought(reasoning="hm"), "id": "a", "object": "chat.completion.chunk", "service_tier": "flex", "model": "m"}
    found = said(stream({**first, "simulated": True}, chunk("two", "stop"), {**COUNTED, "timings": {"prompt_n": 3}}))

    assert found.body == {
        "id": "a",
        "model": "m",
        "service_tier": "flex",
        "simulated": True,
        "timings": {"prompt_n": 3},
        "usage": COUNTED["usage"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "two", "refusal": None, "reasoning": "hm"},
                "finish_reason": "stop",
            }
        ],
    }
    again = WIRES["openai"].decode(200, {}, json.dumps(found.body).encode())
    assert again == found


def test_usage_may_ride_on_the_finish() -> None:
    """Asked for or not, on the finish chunk or behind it."""
    counted = {**chunk("two", "stop"), "usage": COUNTED["usage"]}

    assert said(stream(counted, done=False)).usage == Usage(prompt_tokens=3, completion_tokens=2)


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream", "text/event-stream; charset=utf-8"])
@pytest.mark.parametrize("space", [b"", b"\n \n"])
def test_a_stream_that_was_not_given_is_read_as_what_it_is(content_type: str, space: bytes) -> None:
    """A server that knows no streams answers with plain JSON, under whatever type; so does an error."""
    headers = {"content-type": content_type}

    assert said(space + spoken("two"), headers).text == "two"
    found = WIRES["openai"].decode(200, headers, space + b'[{"error": {"code": 429, "message": "slow down"}}]')
    assert isinstance(found, ApiError)
    assert found.kind == "rate_limit"


@pytest.mark.parametrize("headers", [{}, {"content-type": "text/plain"}, {"content-type": "application/json"}])
@pytest.mark.parametrize("first", [[], [": hello"], ["event: x\nid: 1"]])
def test_a_stream_without_its_media_type_is_a_stream(headers: dict[str, str], first: list[str]) -> None:
    """Some proxies lose the type; what begins like events is read as events."""
    assert said(stream(*first, chunk("two", "stop")), headers).text == "two"
    assert isinstance(WIRES["openai"].decode(200, headers, stream(*first, chunk("tw"))), ApiError)


@pytest.mark.parametrize("wire", CHAT)
def test_every_chat_wire_reads_streams(wire: str) -> None:
    """The same rules hold for all of them."""
    whole = WIRES[wire].decode(200, SSE, stream(chunk("two"), chunk(None, "stop"), COUNTED))
    half = WIRES[wire].decode(200, SSE, stream(chunk("two")))

    assert isinstance(whole, Completion) and (whole.text, whole.usage.prompt_tokens) == ("two", 3)
    assert isinstance(half, ApiError) and half.kind == "protocol"


@pytest.mark.skipif(not RECORDED, reason="the recorded replies are not on this machine")
@few
@given(st.data())
def test_a_broken_stream_is_a_fault_that_can_be_logged(data: st.DataObject) -> None:
    """With bytes lost, doubled or turned to others anywhere, what comes of it can be written down and read again."""
    body = bytearray((RESPONSES / data.draw(st.sampled_from(RECORDED))["file"]).read_bytes())
    place = data.draw(st.integers(0, len(body)))
    body[place : place + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=20))

    found = WIRES["openai"].decode(200, SSE, bytes(body))

    assert strict_json(line_of(attempt(response_json=found.body), None))
    if isinstance(found, ApiError):
        assert found.message.isprintable()
    else:
        assert found.finish_reason


# ----------------------------------------------------------------------------------------- what an event of it brings


@pytest.mark.parametrize(
    ("event", "brings"),
    [
        (chunk("a"), "text"),
        (chunk(" "), "text"),
        (chunk(""), ""),
        (chunk(None, "stop"), ""),
        (COUNTED, ""),
        (thought(content=None, role="assistant"), ""),
        (thought(content="", reasoning="h"), "reasoning"),
        (thought(reasoning_content="h"), "reasoning"),
        (thought(reasoning_content="", reasoning=None, reasoning_details=[]), ""),
        (thought(reasoning_details=[{"type": "reasoning.text", "text": "", "signature": "x"}]), ""),
        (thought(reasoning_details=[{"type": "reasoning.summary", "summary": "h"}]), "reasoning"),
        (thought(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "h"}]}]), "reasoning"),
        (thought(content=[{"type": "text", "text": "a"}]), "text"),
        (thought(content="a", reasoning="h"), "text"),
        ({"choices": [{"delta": {}}, {"index": 1, "delta": {"content": "a"}}]}, "text"),
        ({"error": {"message": "no"}}, ""),
    ],
)
def test_what_an_event_brings(event: dict[str, Any], brings: str) -> None:
    """The first token is the first that says something: of the answer, or of the thoughts before it."""
    assert [WIRES[wire].shows(event) for wire in CHAT if (WIRES[wire].shows)] == [brings] * len(CHAT)  # type: ignore[misc]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "delta", "content", "reasoning", "reasoning_details"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@few
@given(anything)
def test_any_event_can_be_looked_at(event: Any) -> None:
    """Whatever JSON a server sends."""
    shows = WIRES["openai"].shows
    assert shows is not None
    assert shows(event) in ("", "reasoning", "text")


# --------------------------------------------------------------------------------------------- split while it arrives


def fed(body: bytes, cuts: list[int]) -> list[str]:
    """The events that a reader finds in a body that arrives in pieces."""
    reader = EventReader()
    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    return [event for begin, end in pairwise(edges) for event in reader.feed(body[begin:end])]


LINES = st.sampled_from(
    [
        "data: a",
        "data:b",
        "data:  c",
        "data",
        "data:",
        ": note",
        "event: x",
        "dat",
        "\ufeff",
        "data: \ufeffé\U0001f600\u2028\x85\x0c",
        " data: d",
        "",
    ]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", ""])), max_size=12)


@few
@given(STREAMS, st.booleans(), st.lists(st.integers(0, 300), max_size=20))
def test_a_stream_has_the_same_events_however_it_arrives(lines: list[tuple[str, str]], mark: bool, cuts: list[int]) -> None:
    """Cut anywhere, inside characters and line ends too; the empty line that ends the last event may be missing at first."""
    body = ("\ufeff" * mark + "".join(line + end for line, end in lines)).encode()
    whole = events(body.decode("utf-8-sig"))

    assert fed(body + b"\n\n", cuts) == whole
    assert fed(body + b"\n\n", list(range(len(body) + 2))) == whole
    early = fed(body, cuts)
    assert early == whole[: len(early)] and len(whole) - len(early) <= 1


@pytest.mark.parametrize("entry", RECORDED, ids=[entry["id"] for entry in RECORDED])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_recorded_stream_has_the_same_events_in_pieces(entry: dict[str, Any], size: int) -> None:
    """What real servers sent, byte by byte and in bigger pieces."""
    body = (RESPONSES / entry["file"]).read_bytes()

    assert fed(body + b"\n\n", list(range(0, len(body), size))) == events(body.decode("utf-8-sig"))


def test_an_event_is_told_as_soon_as_it_is_whole() -> None:
    """With the chunk that ends it, not with the next one."""
    reader = EventReader()

    assert [reader.feed(piece) for piece in (b"data: a\n", b"", b"\ndata: b", b"\r", b"\n", b"\r", b"\n: x\n\n")] == [
        [],
        [],
        ["a"],
        [],
        [],
        ["b"],
        [],
    ]


def test_bytes_that_are_no_text_do_not_stop_the_clock() -> None:
    """What cannot be read is found out when the whole is; until then events go on."""
    assert EventReader().feed(b"data: \xff\n\ndata: a\n\n") == ["\ufffd", "a"]


@pytest.mark.parametrize("body", [b"data: " + b"x" * 2_000_000, b"data:\n" * 300_000, b"\r" * 2_000_000, b": " * 1_000_000])
def test_a_hostile_stream_takes_no_more_time_than_its_length_asks_for(body: bytes) -> None:
    """Megabytes without the end of a line or of an event, in small pieces: work per byte stays the same."""
    reader = EventReader()
    began = time.process_time()

    for place in range(0, len(body), 64):
        reader.feed(body[place : place + 64])
    reader.feed(b"\n\n")

    assert time.process_time() - began < 20


STREAMS: dict[str, list[Any]] = {
    "openai": [chunk(""), chunk("tw"), {"choices": [{"index": 0, "delta": {"reasoning": "hm"}}]}, chunk("o"), COUNTED],
    "openai-responses": [
        {"type": "response.reasoning_text.delta", "item_id": "r", "output_index": 0, "content_index": 0, "delta": "hm"},
        {"type": "response.output_text.delta", "item_id": "m", "output_index": 1, "content_index": 0, "delta": "tw"},
        {"type": "response.output_text.delta", "item_id": "m", "output_index": 1, "content_index": 0, "delta": "o"},
        {"type": "response.completed"},
    ],
    "anthropic": [
        {"type": "message_start"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "t"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "wo"}},
        {"type": "message_stop"},
    ],
}
"""Events of a reply "two", by the wires that have a form of their own."""


@pytest.mark.parametrize("name", [name for name, wire in WIRES.items() if wire.shows is not None])
def test_a_stream_is_heard_word_by_word(name: str) -> None:
    """Every wire that streams tells the words of an event: those of the answer, no thought, and just where it shows some."""
    wire = WIRES[name]
    events = STREAMS.get(name, STREAMS["openai"])
    assert wire.words is not None and wire.shows is not None

    assert "".join(wire.words(event) for event in events) == "two"
    assert all((wire.shows(event) == "text") == bool(wire.words(event)) for event in [*events, None, [], "", {"choices": 3}])
