"""Key of a call, which says what it is; and the seed that it sends."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from tui_eval.core.calls import Call, Json, Message, ModelSpec
from tui_eval.core.json_encoding import json_encoder

_encode = json_encoder(sort_keys=True, compact=True, strict=False)


def call_key(call: Call, spec: ModelSpec) -> str:
    """Return the key of a call, in 32 hex digits: equal for equal intentions, different for different ones.

    It covers stage, item (with its repeat), model, endpoint, wire, messages and parameters; not the time limit, not a
    repaired body, not the port a local server happens to listen on.
    """
    intention = (
        call.stage,
        call.item_id,
        call.call_index,
        call.about,
        spec.name,
        spec.wire,
        spec.model,
        spec.base_url,
        spec.reasoning_effort,
        spec.routing,
        spec.extra_body,
        call.temperature,
        call.max_output_tokens,
        spec.seed,
        *_rarities(call, spec),
    )
    head = _encode(intention)
    text = f"{head[:-1]},{_messages_json(call.messages)}]"
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def _rarities(call: Call, spec: ModelSpec) -> list[Json]:
    """Return the fields that few calls have; a call without them has the key it had before there were such things."""
    rare = {"api_version": spec.api_version, "json_schema": call.json_schema}
    present = {name: value for name, value in rare.items() if value is not None}
    return [present] if present else []


@lru_cache(maxsize=8)
def _messages_json(messages: tuple[Message, ...]) -> str:
    """A conversation as JSON; several models are often sent the same one."""
    turns = [(m.role, m.content, *(f"{a.mime} {a.sha256}" for a in m.attachments)) for m in messages]
    return _encode(turns)


def call_seed(call: Call, seed: int) -> int:
    """The seed a call sends, 31 bits: the same for the same call of the same run seed, another for every other."""
    words = f"{seed}\0{call.stage}\0{call.item_id}\0{call.model}\0{call.call_index}\0{call.about}"
    return int.from_bytes(hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big") >> 1
