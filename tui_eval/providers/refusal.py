"""What an error reply means: whether it can pass by itself, and how far it reaches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tui_eval.plaintext import one_line
from tui_eval.providers.body import excerpt, table, text_or_none
from tui_eval.types import ErrorKind, Fault, Json, Repair, Scope

QUOTA_GONE = ("insufficient_quota", "billing_hard_limit", "quota_exceeded")
QUOTA_GONE_WORDS = "exceeded your current quota"
"""Said by OpenAI when the account is empty, and by Google when a minute's share is used up: only the first is final."""
UNKNOWN_MODEL = ("model_not_found", "model not found", "unknown model", "invalid model", "no endpoints found")
FILTERED = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
KEY_REFUSED = ("invalid_api_key", "auth_error", "authentication_error", "incorrect api key")
CODES_BY_NAME = {
    "rate_limit_exceeded": 429,
    "provider_overloaded": 503,
    "provider_unavailable": 502,
    "authentication": 401,
    "permission_denied": 403,
    "payment_required": 402,
    "invalid_request": 400,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "not_found": 404,
    "model_not_found": 404,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "content_filter": 400,
    "invalid_request_error": 400,
    "max_tokens_exceeded": 400,
    "token_limit_exceeded": 400,
    "server": 500,
    "server_error": 500,
}
_REFUSES_PARAMETER = re.compile(
    r"unsupported|not supported|does not support|unrecogni[sz]ed|unknown (?:parameter|field|name)|extra inputs|deprecated",
    re.IGNORECASE,
)
RENAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def read_error(status: int, headers: Mapping[str, str], body: bytes, parsed: Json, repairable: frozenset[str]) -> Fault:
    """The fault that an error status, or an error object inside HTTP 200, stands for."""
    error = error_object(parsed)
    message = one_line(text_or_none(error.get("message")) or excerpt(body) or "no message", 500)
    code = _code_of(status, error)
    words = " ".join(str(error.get(name)) for name in ("code", "type", "status", "message", "innererror")).lower()
    kind, scope, retry = _classify(code, words, table(error.get("metadata")))
    if headers.get("x-should-retry") == "false":
        retry = False
    shown = f"HTTP {status}" if status == code else f"HTTP {status}, error {code}"
    if 300 <= status < 400:
        message = f"a redirect to {one_line(headers.get('location', 'nowhere'))}, which is not followed"
    return Fault(
        kind,
        f"{shown}: {message}",
        scope=scope,
        retry=retry,
        repair=_repair(code, error, message, repairable),
        body=parsed,
    )


def error_object(parsed: Json) -> dict[str, Any]:
    """The error of a body, whichever of the known shapes it has: object, text, list of one, flat, or FastAPI's detail."""
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    body = table(parsed)
    error = body.get("error")
    if isinstance(error, str):
        return {"message": error}
    if isinstance(error, dict):
        return error
    if body.get("object") == "error":
        return body
    detail = body.get("detail")
    return {"message": detail if isinstance(detail, str) else str(detail)} if detail else {}


def _code_of(status: int, error: Mapping[str, Any]) -> int:
    """The HTTP status that counts: the reply's own, or the one that an error inside HTTP 200 names."""
    if status >= 300:
        return status
    code = error.get("code")
    if isinstance(code, str) and re.fullmatch("[0-9]{3}", code):
        code = int(code)
    if isinstance(code, int) and 400 <= code <= 599:
        return code
    names = (error.get("code"), table(error.get("metadata")).get("error_type"), error.get("type"))
    return next((CODES_BY_NAME[name] for name in names if isinstance(name, str) and name in CODES_BY_NAME), 502)


def _classify(code: int, words: str, metadata: Mapping[str, Any]) -> tuple[ErrorKind, Scope, bool]:
    google = "resource_exhausted" in words
    if any(word in words for word in QUOTA_GONE) or (QUOTA_GONE_WORDS in words and not google):
        return "permanent", "endpoint", False
    if code in (400, 403) and (any(word in words for word in FILTERED) or _moderated(metadata)):
        return "refused", "call", False
    if code in (400, 404) and any(word in words for word in UNKNOWN_MODEL):
        return "permanent", "model", False
    if code == 429 or (code == 402 and metadata.get("limit_source") == "openrouter_in_flight_budget"):
        return "rate_limit", "call", True
    if code in (408, 409, 425) or code >= 500:
        return "transient", "call", True
    if code in (401, 402) or (code == 400 and any(word in words for word in KEY_REFUSED)):
        return "permanent", "endpoint", False
    if code in (403, 404) or 300 <= code < 400:
        return "permanent", "model", False
    return "permanent", "call", False


def _moderated(metadata: Mapping[str, Any]) -> bool:
    return "reasons" in metadata or "flagged_input" in metadata


def _repair(code: int, error: Mapping[str, Any], message: str, repairable: frozenset[str]) -> Repair | None:
    if code not in (400, 422) or not _REFUSES_PARAMETER.search(f"{error.get('code')} {message}"):
        return None
    named = error.get("param")
    words = re.findall(r"[a-z_]+", message)
    found = named if named in repairable else next((word for word in words if word in repairable), None)
    return Repair(found, RENAMES.get(found)) if isinstance(found, str) else None
