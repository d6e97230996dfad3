"""Meaning of an error reply: whether it can pass by itself, how far it reaches, and what a person has to look at."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tui_eval.core.calls import ApiError, Cause, ErrorKind, Json, Repair, Scope
from tui_eval.core.plaintext import one_line
from tui_eval.providers.body import table, text_or_none
from tui_eval.providers.web_page import is_page, page_words

MOST_WORDS = 4000
"""Characters of each field of an error that are looked through."""
CODES_BY_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The HTTP status of each type of Anthropic's errors: what one inside HTTP 200, or in a line of a batch, stands for."""
QUOTA_GONE = (
    "insufficient_quota",
    "billing_hard_limit",
    "billing_not_active",
    "billing_error",
    "quota_exceeded",
    "budget_exceeded",
    "credit balance is too low",
    "credits are depleted",
    "used all available credits",
    "specified api usage limits",
    "key limit exceeded",
)
QUOTA_GONE_WORDS = "exceeded your current quota"
"""Completion by OpenAI when the account is empty, and by Google when a minute's share is used up: only the first is final."""
QUOTA_SOURCES = ("openrouter_credits", "openrouter_key_limit")
IN_FLIGHT = "openrouter_in_flight_budget"
"""Completion in a 402 where the account is not empty, but the requests in flight have reserved what is left."""
KEY_REFUSED = (
    "invalid_api_key",
    "api_key_invalid",
    "auth_error",
    "authentication_error",
    "incorrect api key",
    "invalid api key",
    "invalid x-api-key",
    "api key not valid",
    "api key expired",
    "api key was reported as leaked",
    "unregistered callers",
)
NOT_ALLOWED = (
    "insufficient permission",
    "missing scopes",
    "member of an organization",
    "mismatched_organization",
    "no such organization",
    "organization has been disabled",
)
"""Completion of a key that is known."""
UNKNOWN_MODEL = (
    "model_not_found",
    "model not found",
    "model not exist",
    "unknown model",
    "unknown_model",
    "invalid model",
    "invalid_model",
    "not a valid model",
    "no models loaded",
    "no endpoints found",
)
NO_DEPLOYMENT = ("deploymentnotfound", "deployment for this resource does not exist", "deployment could not be found")
FILTERED = (
    "content_filter",
    "content_policy_violation",
    "contentpolicyviolation",
    "responsibleaipolicyviolation",
    "content management policy",
    "content filtering policy",
    "moderation_blocked",
    "flagged as potentially violating",
    "content exists risk",
    "data_inspection_failed",
)
TOO_LONG = (
    "context_length_exceeded",
    "exceed_context_size_error",
    "token_limit_exceeded",
    "string_above_max_length",
    "prompt is too long",
    "prompt too long",
    "request_too_large",
    "maximum context length",
    "maximum number of tokens allowed",
    "exceed context limit",
    "loaded with context length",
)
NO_ATTACHMENT = re.compile(
    r"image_url|input_image|input_file|image input|image_parse|support image|unsupported image|invalid[ _]image|process image"
    r"|support vision|\bvision is not|not a multimodal|image exceeds|image dimensions|process pdf|pdf specified|file_data"
)
NOT_HERE = frozenset({"not found", "resource not found", "file not found", "method not allowed"})
"""The whole of what a server says, in JSON, where nothing stands behind an address; a model that it misses it would name."""
NOT_HERE_STARTS = ("invalid url (", "unknown request url", "unexpected endpoint")
PLAIN_TO_TLS = ("http request was sent to https port", "http request to an https server")
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
CALL_PATHS = re.compile(r"/(?:chat/completions|responses|messages|completions)\b")
"""A 404 that repeats the path speaks of the path, not of the model."""
LIMITS = frozenset({"max_tokens", "max_completion_tokens", "max_output_tokens"})
"""Never left out: without a limit a reply costs what it likes."""
RENAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

Meaning = tuple[ErrorKind, Scope, bool]
"""Kind, how far it reaches, whether the same request may succeed later."""
DECLINED: Meaning = ("refused", "call", False)
SLOW_DOWN: Meaning = ("rate_limit", "call", True)
TRY_AGAIN: Meaning = ("transient", "call", True)
STOP_CALL: Meaning = ("permanent", "call", False)
STOP_MODEL: Meaning = ("permanent", "model", False)
STOP_ENDPOINT: Meaning = ("permanent", "endpoint", False)


def read_error(status: int, headers: Mapping[str, str], body: bytes, parsed: Json, repairable: frozenset[str]) -> ApiError:
    """The fault that an error status, or an error object inside HTTP 200, stands for."""
    error = error_object(parsed)
    message = _message(error, parsed, body)
    code = _code_of(status, error)
    cause, (kind, scope, retry) = _meaning(_ErrorWords(code, error, message))
    if headers.get("x-should-retry") == "false":
        retry = False
    status_text = f"HTTP {status}" if status == code else f"HTTP {status}, error {code}"
    if 300 <= status < 400:
        message = f"a redirect to {one_line(headers.get('location', 'nowhere'))}, which is not followed"
    return ApiError(
        kind,
        f"{status_text}: {message}",
        scope=scope,
        retry=retry,
        repair=_repair(code, error, message, repairable),
        body=parsed,
        cause=cause,
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


def _message(error: Mapping[str, Any], parsed: Json, body: bytes) -> str:
    """Return the reply's message on one line: its own, with that of the provider behind a router, or what a page shows."""
    own_message = text_or_none(error.get("message")) or text_or_none(table(parsed).get("message"))
    message = _readable(own_message or body[: 4 * MOST_WORDS].decode("utf-8", "replace"), 500 if own_message else 200)
    upstream = table(error.get("metadata")).get("raw")
    if own_message and upstream:
        message = one_line(f"{message}: {_readable(_text(upstream), 300)}", 500)
    return message or "no message"


def _readable(text: str, limit: int) -> str:
    return one_line(page_words(text) or "a page that shows no words", limit) if is_page(text) else one_line(text, limit)


def _text(value: Any) -> str:
    return value[:MOST_WORDS] if isinstance(value, str) else json.dumps(value)[:MOST_WORDS]


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


class _ErrorWords:
    """Words of an error, in lower case, to be asked for those that matter."""

    def __init__(self, code: int, error: Mapping[str, Any], message: str) -> None:
        self.code = code
        self.metadata = table(error.get("metadata"))
        self.source = self.metadata.get("limit_source")
        self.message = message.lower()
        self.is_the_apis = bool(error)
        fields = [error.get(name) for name in ("code", "type", "status", "message", "innererror")]
        texts = [str(value)[:MOST_WORDS] for value in (*fields, self.metadata.get("error_type"))]
        self.words = " ".join(texts if error else [*texts, message]).lower()
        """Of the server itself."""
        self.all_words = f"{self.words} {_text(self.metadata.get('raw', '')).lower()}"
        """Those of a provider behind it, too: of the request they tell something, of our key and account nothing."""

    def says(self, words: tuple[str, ...]) -> bool:
        """Return whether one of these stands in it."""
        return any(word in self.words for word in words)

    def says_of_request(self, words: tuple[str, ...]) -> bool:
        """The same, with what a provider behind the server said."""
        return any(word in self.all_words for word in words)


def _meaning(error: _ErrorWords) -> tuple[Cause | None, Meaning]:
    """Return the cause for a person, and what follows for the run: by the account, then by the words, then by the status."""
    if error.code == 402 and error.source == IN_FLIGHT:
        return "rate", SLOW_DOWN
    if _is_quota_gone(error):
        return "quota", STOP_ENDPOINT
    meaning = _of_request(error) if 400 <= error.code < 500 and error.code != 429 else None
    return meaning or _of_status(error)


def _is_quota_gone(error: _ErrorWords) -> bool:
    google = "resource_exhausted" in error.words
    if error.code == 402 or error.source in QUOTA_SOURCES or error.says(QUOTA_GONE):
        return True
    return QUOTA_GONE_WORDS in error.words and not google


def _of_request(error: _ErrorWords) -> tuple[Cause, Meaning] | None:
    """Return what the words tell of a request that was refused; None where the status says as much."""
    code = error.code
    if code in (400, 403) and (error.says_of_request(FILTERED) or _is_moderated(error.metadata)):
        return "filter", DECLINED
    if code in (400, 403) and error.says(KEY_REFUSED):
        return "key", STOP_ENDPOINT
    if code in (400, 401) and error.says(NOT_ALLOWED):
        return "permission", STOP_ENDPOINT
    if code in (400, 404, 415, 422) and NO_ATTACHMENT.search(error.all_words):
        return "attachment", STOP_CALL
    if code in (400, 404) and error.says(NO_DEPLOYMENT):
        return "deployment", STOP_MODEL
    if code in (400, 404) and error.says(UNKNOWN_MODEL):
        return "model", STOP_MODEL
    if code == 413 or (code in (400, 422) and error.says_of_request(TOO_LONG)):
        return "length", STOP_CALL
    if code == 400 and error.says(PLAIN_TO_TLS):
        return "tls", STOP_MODEL
    return None


def _of_status(error: _ErrorWords) -> tuple[Cause | None, Meaning]:
    code = error.code
    if error.message.startswith(NOT_HERE_STARTS) or code == 405 or 300 <= code < 400:
        return "path", STOP_MODEL
    if code == 404:
        nothing_here = not error.is_the_apis or error.message.rstrip(". ") in NOT_HERE or CALL_PATHS.search(error.message)
        return ("path" if nothing_here else "model"), STOP_MODEL
    if code == 401:
        return "key", STOP_ENDPOINT
    if code == 403:
        return "permission", STOP_MODEL
    if code == 429:
        return "rate", SLOW_DOWN
    if code in (408, 409, 425) or code >= 500:
        return None, TRY_AGAIN
    return None, STOP_CALL


def _is_moderated(metadata: Mapping[str, Any]) -> bool:
    return "reasons" in metadata or "flagged_input" in metadata


_LARGEST = (
    re.compile(r"supports at most (?P<most>[1-9][0-9]{0,8}) (?:completion|output) tokens"),
    re.compile(r"Expected a value <= (?P<most>[1-9][0-9]{0,8})"),
    re.compile(r"must be less than or equal to [`'\"]?(?P<most>[1-9][0-9]{0,8})"),
    re.compile(r"valid range of \w+ is \[[0-9]+, ?(?P<most>[1-9][0-9]{0,8})\]"),
    re.compile(r"supported range is from [0-9]+ \(inclusive\) to (?P<beyond>[1-9][0-9]{0,8}) \(exclusive\)"),
    re.compile(r"\([0-9]+ > (?P<window>[1-9][0-9]{0,8}) - (?P<prompt>[0-9]{1,9})\)"),
)
"""How servers name the largest token limit that they take: OpenAI and Azure (both interfaces), Groq, DeepSeek, Gemini, vLLM."""
_LIMIT_NAME = re.compile(r"max_(?:completion_|output_)?tokens|maxOutputTokens")


def _lowered_limit(error: Mapping[str, Any], message: str) -> Repair | None:
    """Return the token limit at which a server that calls ours too large takes the request; None where it names none."""
    name = _LIMIT_NAME.search(message)
    param = error.get("param")
    parameter = param if param in LIMITS else name[0] if name else None
    largest = next((match for pattern in _LARGEST if (match := pattern.search(message))), None)
    if parameter is None or largest is None:
        return None
    numbers = largest.groupdict()
    if "window" in numbers:
        most = int(numbers["window"]) - int(numbers["prompt"])
    else:
        most = int(numbers["beyond"]) - 1 if "beyond" in numbers else int(numbers["most"])
    return Repair(parameter if parameter in LIMITS else "max_tokens", lower_to=most) if most > 0 else None


def _repair(code: int, error: Mapping[str, Any], message: str, repairable: frozenset[str]) -> Repair | None:
    if code in (400, 422) and (lowered := _lowered_limit(error, message)):
        return lowered
    if code not in (400, 422) or not _REFUSES_PARAMETER.search(f"{error.get('code')} {message}"):
        return None
    param = error.get("param")
    words = re.findall(r"[a-z_]+", message)
    refused = param if param in repairable else next((word for word in words if word in repairable), None)
    if not isinstance(refused, str) or (refused in LIMITS and refused not in RENAMES):
        return None
    return Repair(refused, RENAMES.get(refused))
