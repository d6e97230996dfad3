"""Laws of reading replies: what real servers were recorded saying is read as a careful person would read it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import RESPONSES, attempt, few, recorded_replies, strict_json

from tui_eval.core.calls import ApiError, Completion, Price
from tui_eval.core.money import cost_usd
from tui_eval.core.plaintext import one_line
from tui_eval.providers import WIRES
from tui_eval.runs.record import line_of

RECORDED = recorded_replies("chat")
"""Every recorded reply of a server that speaks chat completions, whoever runs it."""

UNFINISHED = [entry for entry in RECORDED if entry["wire"] == "sse" and not entry["expected"]["finish_reason"]]
"""Streams that end with [DONE] and never say why they end."""
GOOD = [entry for entry in RECORDED if entry["expected"]["error"] is None and entry not in UNFINISHED]
BAD = [entry for entry in RECORDED if entry["expected"]["error"] is not None]
FIGURES = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "total_tokens": "total_tokens",
    "cached_tokens": "cached_tokens",
    "cache_write_tokens": "cache_write_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "cost_usd": "cost_usd",
}
REACH = {
    "azure-chat-007": ("permanent", "endpoint"),
    "deepseek-chat-011": ("permanent", "endpoint"),
    "ollama-chat-005": ("permanent", "call"),
    "openai-chat-012": ("permanent", "model"),
    "openrouter-chat-022": ("permanent", "call"),
    "openrouter-chat-023": ("permanent", "endpoint"),
}
"""What the recorded errors are, and how far each reaches."""


def read(entry: dict[str, Any]) -> Completion | ApiError:
    """A recorded reply as its wire reads it."""
    wire = WIRES.get(entry["provider"], WIRES["openai"])
    headers = {name.lower(): value for name, value in entry["response_headers"].items()}
    return wire.decode(entry["http_status"], headers, (RESPONSES / entry["file"]).read_bytes())


def thoughts(entry: dict[str, Any]) -> str | None:
    """The reasoning of a recorded reply, found without the help of a wire."""
    body = (RESPONSES / entry["file"]).read_text("utf-8")
    if entry["wire"] == "sse":
        chunks = [json.loads(line[5:]) for line in body.splitlines() if line.startswith("data: {")]
        messages = [choice["delta"] for chunk in chunks for choice in chunk.get("choices") or []]
    else:
        messages = [json.loads(body)["choices"][0].get("message", {})]
    found = "".join(message.get("reasoning") or message.get("reasoning_content") or "" for message in messages)
    if "think-tag" in entry["traits"]:
        found = messages[0]["content"].partition("<think>")[2].partition("</think>")[0].strip()
    if "content-is-list" in entry["traits"]:
        found = "".join(part["text"] for block in messages[0]["content"] for part in block.get("thinking", ()))
    if not found and entry["wire"] == "json":
        found = "".join(part.get("summary", "") for part in messages[0].get("reasoning_details", ()))
    return found or None


def ids(entries: list[dict[str, Any]]) -> list[str]:
    """Their names."""
    return [entry["id"] for entry in entries]


@pytest.mark.parametrize("entry", GOOD, ids=ids(GOOD))
def test_a_recorded_reply_is_read_as_it_was_meant(entry: dict[str, Any]) -> None:
    """Text, finish reason, tokens and cost are those of the index: visible text only, and nothing unknown made zero."""
    expected = entry["expected"]

    said = read(entry)

    assert isinstance(said, Completion)
    text = expected["text"]
    if "think-tag" in entry["traits"]:
        text = text.partition("</think>")[2].lstrip()
    assert (said.text, said.finish_reason) == (text, expected["finish_reason"])
    assert said.reasoning == thoughts(entry)
    found = {name: getattr(said.usage, field) for name, field in FIGURES.items() if name in expected}
    assert found == {name: expected[name] for name in found}


@pytest.mark.skipif(not RECORDED, reason="the recorded replies are not on this machine")
def test_reasoning_is_found_in_each_of_its_places() -> None:
    """The law above holds for something: fields of both names, tags in the text, streams, and replies without any."""
    found = {(trait, entry["wire"]) for entry in GOOD for trait in entry["traits"] if thoughts(entry)}

    assert {
        ("reasoning", "json"),
        ("reasoning_content", "json"),
        ("think-tag", "json"),
        ("content-is-list", "json"),
        ("reasoning", "sse"),
    } <= found
    assert any(thoughts(entry) is None for entry in GOOD)


@pytest.mark.parametrize("entry", UNFINISHED, ids=ids(UNFINISHED))
def test_a_stream_that_never_says_why_it_ends_is_no_reply(entry: dict[str, Any]) -> None:
    """It may be a part of an answer: a fault to try again. What the server counted before [DONE] was billed."""
    expected = entry["expected"]

    fault = read(entry)

    assert isinstance(fault, ApiError)
    assert (fault.kind, fault.scope, fault.retry) == ("protocol", "call", True)
    found = {name: getattr(fault.usage, field) for name, field in FIGURES.items() if name in expected}
    assert found == {name: expected[name] for name in found}
    assert found


@pytest.mark.parametrize("entry", GOOD, ids=ids(GOOD))
def test_no_recorded_count_is_priced_below_nothing(entry: dict[str, Any]) -> None:
    """Whatever a server says was cached, a cost is no less than that of its output, and reasoning is in it once."""
    usage = read(entry).usage

    cost = cost_usd(usage, Price(1.0, 1.0, cached_input=0.0, cache_write=1.0))

    if usage.prompt_tokens is None or usage.completion_tokens is None:
        assert cost is None
    else:
        assert cost is not None
        assert usage.completion_tokens <= cost * 1e6 + 1e-6
        most = max(usage.completion_tokens + usage.prompt_tokens, usage.total_tokens or 0)
        assert cost * 1e6 <= most + (usage.cache_write_tokens or 0) + 1e-6


@pytest.mark.parametrize("entry", BAD, ids=ids(BAD))
def test_a_recorded_error_is_told_in_its_own_words(entry: dict[str, Any]) -> None:
    """The server's message is in the fault, behind the HTTP status; it is not asked again, and reaches as far as it must."""
    fault = read(entry)

    assert isinstance(fault, ApiError)
    assert f"HTTP {entry['http_status']}" in fault.message
    assert one_line(entry["expected"]["error"], 200).removesuffix("…") in fault.message
    assert (fault.kind, fault.scope) == REACH[entry["id"]]
    assert not fault.retry


@pytest.mark.parametrize("entry", RECORDED, ids=ids(RECORDED))
def test_a_recorded_reply_can_be_written_down(entry: dict[str, Any]) -> None:
    """What is kept of a reply is strict JSON on one line, and comes back as it was."""
    body = read(entry).body

    line = line_of(attempt(response_json=body), None)

    assert strict_json(line)["response_json"] == body
    assert line.index("\n") == len(line) - 1


@pytest.mark.skipif(not RECORDED, reason="the recorded replies are not on this machine")
@few
@given(st.data())
def test_a_reply_that_breaks_off_is_never_taken_for_a_whole_one(data: st.DataObject) -> None:
    """Cut before its last meaningful byte, a JSON reply is a fault to try again; a stream is whole, or such a fault."""
    entry = data.draw(st.sampled_from(GOOD))
    body = (RESPONSES / entry["file"]).read_bytes().rstrip()
    cut = body[: data.draw(st.integers(0, len(body) - 1))]
    headers = {"content-type": "text/event-stream" if entry["wire"] == "sse" else "application/json"}

    said = WIRES["openai"].decode(200, headers, cut)

    if isinstance(said, ApiError):
        assert (said.kind, said.retry) == ("protocol", True)
    else:
        assert entry["wire"] == "sse"
        assert (said.text, said.reasoning) == (entry["expected"]["text"], thoughts(entry))
