"""What every wire format is: how a call becomes a request, and a response a reply. Pure: no network, no clock, no key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tui_eval.types import Call, Fault, ModelSpec, Repair, Request, Said

Encode = Callable[[Call, ModelSpec, Mapping[str, Repair]], Request]
"""(call, model, what was learnt about the parameters it refuses) -> the request."""

Decode = Callable[[int, Mapping[str, str], bytes], Said | Fault]
"""(HTTP status, headers with lower-case names, decompressed body) -> what it says."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire format and where it is spoken by default."""

    base_url: str | None
    """None = the config must name one, or (simulated) the run starts its own."""
    key_env: str | None
    """The environment variable that usually holds the key; None = no key by default."""
    encode: Encode
    decode: Decode
    simulated: bool = False
    recorded: bool = False
    """Answers made elsewhere and imported: nothing can be sent."""
