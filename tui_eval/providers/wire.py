"""The interface of a wire format: from a call to a request, from a response to a reply. Pure: no network, no clock, no key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tui_eval.core.calls import ApiError, Call, Completion, Json, ModelSpec, Repair, Request
from tui_eval.providers.batches import Batches

Encode = Callable[[Call, ModelSpec, Mapping[str, Repair]], Request]
"""(call, model, what was learnt about the parameters it refuses) -> the request."""

Decode = Callable[[int, Mapping[str, str], bytes], Completion | ApiError]
"""(HTTP status, headers with lower-case names, decompressed body) -> what it says."""

Shows = Callable[[Json], Literal["", "reasoning", "text"]]
"""(one event of a stream, as JSON) -> whether it brings words of the answer, thoughts before it, or neither."""

Words = Callable[[Json], str]
"""(one event of a stream, as JSON) -> the words of the answer that it brings; empty where it brings none."""

IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
PDF = "application/pdf"


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as a server's list has it."""

    id: str
    shutdown_date: str | None = None
    """When it will be switched off, YYYY-MM-DD, where the provider tells."""
    context_tokens: int | None = None
    """How long prompt and completion may be together, where the server tells."""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire format and where it is spoken by default."""

    base_url: str | None
    """None = the config must name one, or (simulated) the run starts its own."""
    key_env: str | None
    """The environment variable that usually holds the key; None = no key by default."""
    encode: Encode
    decode: Decode
    shows: Shows | None = None
    """What the events of its streams bring; None where it does not stream."""
    words: Words | None = None
    """The words that the events of its streams bring; None where it does not stream."""
    accepts: frozenset[str] = frozenset()
    """MIME types of the attachments it can carry."""
    list_models: Callable[[ModelSpec], Request] | None = None
    """The request for the list of models; None where there is none."""
    read_models: Callable[[bytes], list[Listed]] | None = None
    """The models in such a list; ValueError where it is none."""
    batches: Batches | None = None
    """How it takes batches; None where it does not."""
    prefixes: tuple[str, ...] = ()
    """How the ids of its models begin, where that tells the provider."""
    default_limit: int | None = None
    """Output tokens it asks for where nobody set a limit, since its API wants one; None where it does without."""
    keeps_prefix: Callable[[ModelSpec], bool] = lambda model: False
    """Whether the server of a model keeps the beginning of a long prompt for later calls that begin alike, at a lower price."""
    cuts_prompts: bool = False
    """Whether its servers cut prompts that are too long, and say nothing."""
    simulated: bool = False
    hosts: tuple[str, ...] = ()
    """How the names of its provider's hosts end, where each customer has one of their own; with the dot they begin with."""
    recorded: bool = False
    """Answers made elsewhere and imported: nothing can be sent."""


def api_version_of(model: ModelSpec, wire: Wire) -> str | None:
    """The version of the API that is really sent: as the address says, else as the path of a call does; None where none is."""
    path = "" if wire.recorded else wire.encode(Call("", "", model.name, ()), model, {}).path
    address = f"{model.base_url or ''} {path}"
    match = re.search(r"[?&]api-version=([^&#$\s]+)", address)
    return match.group(1) if match else None
