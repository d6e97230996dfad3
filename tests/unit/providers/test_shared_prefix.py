"""Laws of prompts that begin alike: marked where a server keeps only what is marked, and a mark changes no call's key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, call, model, strict_json

from tui_eval.core.calls import Attachment, Call, Message, Repair
from tui_eval.core.key import call_key
from tui_eval.providers import WIRES
from tui_eval.providers.shared_prefix import LEAST_BYTES, end_of_prefix, prefix_digest

LONG = "The lock keeper is paid in crowns. " * 200
MARK = {"type": "ephemeral"}
SENDING = [name for name, wire in WIRES.items() if not wire.recorded]
MARKED = {"anthropic": "claude-x", "openrouter": "anthropic/claude-x"}
"""The wires whose servers want a mark, with a model's id."""


def asking(*messages: Message) -> Call:
    """A call of these messages."""
    return replace(call(), messages=messages)


def shared(role: Any = "system", text: str = LONG, more: str = "", attachments: tuple[Attachment, ...] = ()) -> Message:
    """A message of which the text is common to several calls, and what comes behind it is not."""
    return Message(role, text + more, attachments, shared=len(text))


def body(wire: str, asked: Call, repairs: dict[str, Repair] | None = None, api_model: str = "") -> Any:
    """The body of a request."""
    spec = model(wire=wire, model=api_model or MARKED.get(wire, "any"), base_url="http://127.0.0.1:1/v1")
    return strict_json(WIRES[wire].encode(asked, spec, repairs or {}).body)


def without_marks(asked: Call) -> Call:
    """The call as one that shares nothing."""
    return replace(asked, messages=tuple(replace(message, shared=0) for message in asked.messages))


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), any_text, st.integers(0, 30)), max_size=4))
def test_what_is_shared_changes_no_key(told: list[tuple[Any, str, int]]) -> None:
    """A call that was completed before there were marks is not asked again; an answer in the cache is found."""
    asked = asking(*(Message(role, text, shared=min(n, len(text))) for role, text, n in told))

    assert call_key(asked, model()) == call_key(without_marks(asked), model())


@pytest.mark.parametrize("wire", [name for name in SENDING if name not in MARKED])
def test_other_wires_send_what_they_sent(wire: str) -> None:
    """They keep what is long by themselves, or not at all."""
    asked = asking(shared(), Message("user", "Q?"))

    assert body(wire, asked) == body(wire, without_marks(asked))


def test_a_document_in_the_system_message_is_marked() -> None:
    """As Anthropic's documentation has it: the system text as a block with the mark, the turns as they were."""
    sent = body("anthropic", asking(shared(), Message("user", "Q?")))

    assert sent["system"] == [{"type": "text", "text": LONG, "cache_control": MARK}]
    assert sent["messages"] == [{"role": "user", "content": "Q?"}]


def test_a_document_that_begins_a_question_is_a_block_of_its_own() -> None:
    """What differs comes behind it; nothing is added and nothing lost."""
    sent = body("anthropic", asking(Message("system", "Judge."), shared("user", more="\nAnswer: A.")))

    assert sent["system"] == "Judge."
    assert sent["messages"][0]["content"] == [
        {"type": "text", "text": LONG, "cache_control": MARK},
        {"type": "text", "text": "\nAnswer: A."},
    ]


def test_through_a_router_the_same_is_marked_for_its_models_alone() -> None:
    """OpenRouter passes the mark on; other models' providers need none."""
    asked = asking(shared(), Message("user", "Q?"))

    assert body("openrouter", asked)["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": LONG, "cache_control": MARK}]},
        {"role": "user", "content": "Q?"},
    ]
    assert body("openrouter", asked, api_model="google/any")["messages"][0]["content"] == LONG


@pytest.mark.parametrize("wire", MARKED)
@pytest.mark.parametrize("text", ["x" * (LEAST_BYTES - 1), ""])
def test_what_is_short_is_not_marked(wire: str, text: str) -> None:
    """No server keeps it, and to write it would cost more than to read it."""
    asked = asking(shared(text=text), Message("user", LONG))

    assert body(wire, asked) == body(wire, without_marks(asked))
    assert end_of_prefix(asked.messages) is None


@pytest.mark.parametrize("wire", MARKED)
def test_one_mark_stands_where_the_common_beginning_ends(wire: str) -> None:
    """A server looks for the longest beginning that it knows."""
    sent = str(body(wire, asking(shared(), shared("user", more="Q?"))))

    assert sent.count("cache_control") == 1


def test_where_something_is_attached_the_mark_comes_behind_it() -> None:
    """What is shown stands before the text, and is kept with it."""
    picture = Attachment("inputs/documents/chart.png", "image/png", "a" * 64, "iVBORw0=")
    blocks = body("anthropic", asking(shared("user", attachments=(picture,)), Message("user", "Q?")))["messages"][0]["content"]

    assert [block["type"] for block in blocks] == ["image", "text", "text"]
    assert [block["text"] for block in blocks[1:]] == [LONG, "Q?"]
    assert [("cache_control" in block) for block in blocks] == [False, True, False]


@pytest.mark.parametrize("wire", MARKED)
def test_a_server_that_does_not_know_the_mark_is_asked_without_it(wire: str) -> None:
    """One that only speaks the same interface: its refusal names the field, and from then on it is left out."""
    asked = asking(shared(), Message("user", "Q?"))
    error = {"type": "invalid_request_error", "message": "system.0.cache_control: Extra inputs are not permitted"}
    fault: Any = WIRES[wire].decode(400, {}, repr({"type": "error", "error": error}).replace("'", '"').encode())

    assert fault.repair == Repair("cache_control")
    assert body(wire, asked, {"cache_control": fault.repair}) == body(wire, without_marks(asked))


def test_beginnings_are_told_apart_by_all_that_stands_before_their_end() -> None:
    """And by nothing that stands behind it."""
    first = [Message("system", "Judge."), shared("user", more="A.")]
    pictured = [first[0], shared("user", attachments=(Attachment("a.png", "image/png", "a" * 64, "iVBORw0="),))]
    same = [first[0], shared("user", more="Another answer.")]
    others = [
        [Message("system", "Mark."), first[1]],
        [shared("user")],
        [first[0], shared()],
        pictured,
        [first[0], shared("user", LONG + "!")],
    ]

    assert prefix_digest(first) == prefix_digest(same) is not None
    assert len({prefix_digest(first), *map(prefix_digest, others)}) == 6
