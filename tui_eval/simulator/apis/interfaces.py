"""The three APIs that the simulator speaks: one persona, one reply, three ways to ask for it and to word it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tui_eval.simulator.apis import completions, messages, responses_api
from tui_eval.simulator.apis.replies import Reply, as_json

Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Interface:
    """One API, as what tells it from chat completions."""

    to_chat: Callable[[Table], Table]
    """The body of a request as that of a chat request. BodyError when it is not one."""
    from_chat: Callable[[Table], Table]
    """A chat completion in this API's words."""
    error: Callable[[int, Table, str], Table]
    """A body for an HTTP status, an error as chat completions word it, and a request id."""
    events: Callable[[Table, Mapping[str, Any]], list[bytes]]
    """The stream of a whole reply, asked for by such a chat request."""
    error_event: Callable[[Table, int, str], bytes]
    """An error in the stream of a reply: its HTTP status had it come sooner, and its message."""
    id_header: str | None
    """The header in which a reply names its request; None = none."""


CHAT = Interface(
    dict, dict, lambda status, told, request_id: {"error": told}, completions.events, completions.error_event, None
)
RESPONSES = Interface(
    responses_api.to_chat,
    responses_api.from_chat,
    responses_api.error,
    responses_api.events,
    responses_api.error_event,
    "x-request-id",
)
MESSAGES = Interface(messages.to_chat, messages.from_chat, messages.error, messages.events, messages.error_event, "request-id")
INTERFACES = {completions.PATH: CHAT, responses_api.PATH: RESPONSES, messages.PATH: MESSAGES}
"""By the path to which requests are posted."""


def interface_for(path: str) -> Interface:
    """Whose errors a path gets, be it one that exists or not."""
    return MESSAGES if path.startswith(messages.PATH) else CHAT


def request_id(raw: bytes, client_id: str) -> str:
    """A name for a request that another one shares only if it is the same, the client's own id included."""
    named = client_id.encode(errors="surrogatepass") + b" " + raw
    return f"req_sim_{hashlib.blake2b(named, digest_size=8).hexdigest()}"


def translate(interface: Interface, reply: Reply, raw: bytes = b"", client_id: str = "") -> Reply:
    """The reply of chat completions to such a request as another API would give it; what is no JSON object stays as it is."""
    if interface.id_header is None:
        return reply
    named = request_id(raw, client_id)
    headers = {**(reply.headers or {}), interface.id_header: named}
    body = read_object(reply.body)
    if body is None:
        return Reply(reply.status, reply.body, headers, reply.content_type)
    told = interface.error(reply.status, body["error"], named) if body.get("error") else interface.from_chat(body)
    return as_json(told, reply.status, headers)


def read_object(raw: bytes) -> Table | None:
    """A JSON object, or None for anything else."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None
