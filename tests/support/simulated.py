"""The simulator without a network: what it answers to a call."""

from __future__ import annotations

import json

from tui_eval.core.calls import Call, Completion, ModelSpec, Reply
from tui_eval.providers import WIRES
from tui_eval.simulator.apis.chat import Asked, Chat
from tui_eval.simulator.apis.interfaces import INTERFACES


def simulated(call: Call, model: ModelSpec, chat: Chat) -> Reply:
    """What the simulator answers to a call, without a network."""
    raw = WIRES["simulator"].encode(call, model, {}).body
    interface, body = INTERFACES["/v1/chat/completions"], json.loads(raw)
    reply = chat.settle(Asked(interface, raw, body, interface.to_chat(body), "law"))
    assert reply is not None
    said = WIRES["simulator"].decode(reply.status, {}, reply.body)
    assert isinstance(said, Completion)
    return Reply(call, "ok", text=said.text or "") if said.text else Reply(call, "error", error_kind="refused")
