"""The headers of a request and of a reply: what is sent, what came, and what of both may be written down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from tui_eval.core.calls import ModelSpec, Request
from tui_eval.workspace.keys import Redact

MAX_HEADERS, MAX_HEADER = 60, 300
"""Most headers of a reply that are kept, and most characters of each."""
_PRIVATE = re.compile(
    r"authori[sz]|authentic|cookie|key|secret|password|credential|session|signature|organi[sz]ation|account|project"
    r"|(?:^|[-_])(?:auth|token|jwt)$"
)
"""Names of headers that are not written down. Limits of `...-tokens` are."""


def common_headers(request: Request, attempt_id: str) -> dict[str, str]:
    """Return the headers that are sent with every request, but for the keys."""
    return {**request.headers, "accept-encoding": "gzip", "user-agent": "tui-eval", "x-client-request-id": attempt_id}


def shown_headers(request: Request, model: ModelSpec, attempt_id: str) -> dict[str, str]:
    """The headers that a request is sent with, as they may be written down: with dots in place of key and organization.

    What the connection adds by itself is left out: the host may stand behind a variable.
    """
    headers = common_headers(request, attempt_id)
    if request.key_header is not None and model.api_key_env is not None:
        headers[request.key_header] = f"{request.key_prefix}…"
    if request.organization_header is not None and model.organization_env is not None:
        headers[request.organization_header] = "…"
    return headers


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Of the headers of a reply those that may be written down, as many and as much of each as is worth keeping."""
    names = [name for name in headers if not _is_private(name)]
    return {name[:MAX_HEADER]: headers[name][:MAX_HEADER] for name in names[:MAX_HEADERS]}


@lru_cache(maxsize=256)
def _is_private(name: str) -> bool:
    """Return whether a header of this name brings a cookie or a credential, or says whose account it is."""
    return _PRIVATE.search(name) is not None


def headers_of(raw: Iterable[tuple[bytes, bytes]], redact: Redact) -> dict[str, str]:
    """The headers of a reply by their names in small letters, without any key, in a name or a value."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw]
    whole = "\n".join(map("\n".join, pairs))
    if redact(whole) != whole:  # looked for once in all of them: a key is rare, headers are many
        pairs = [(redact(name), redact(value)) for name, value in pairs]
    return {name.lower(): value for name, value in pairs}
