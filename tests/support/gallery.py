"""Every fault the simulator knows, and the record that has to come of it."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Expected:
    """What an attempt that met a fault must say of itself."""

    status: str
    kind: str | None
    http_status: int | None
    says: str
    """What the message must contain; of a reply that is ok, the text."""
    kept: str = "json"
    """How the body is kept: json, raw, or none where no whole body came."""
    passes: bool = False
    """Whether it can pass by itself, so that it is worth another attempt."""
    requests: int = 1
    """Requests it takes with retries = 0: one more where a parameter must be repaired."""


def _ok(says: str = "pore space") -> Expected:
    return Expected("ok", None, 200, says)


def _error(kind: str, http_status: int | None, says: str, kept: str = "json") -> Expected:
    return Expected("error", kind, http_status, says, kept)


def _passing(kind: str, http_status: int | None, says: str, kept: str = "json") -> Expected:
    return replace(_error(kind, http_status, says, kept), passes=True)


_TIMEOUT = Expected("timeout", None, None, "timeout_s", kept="none")

GALLERY: dict[str, Expected] = {
    "429": _passing("rate_limit", 429, "Too many requests"),
    "429-retry-after": _passing("rate_limit", 429, "Too many requests"),
    "429-retry-after-ms": _passing("rate_limit", 429, "Too many requests"),
    "429-date": _passing("rate_limit", 429, "Too many requests"),
    "429-nonsense": _passing("rate_limit", 429, "Too many requests"),
    "429-long": _error("rate_limit", 429, "99999"),
    "500": _passing("transient", 500, "Internal error"),
    "502-html": _passing("transient", 502, "Bad Gateway", "raw"),
    "503": _passing("transient", 503, "Service unavailable"),
    "529": _passing("transient", 529, "Overloaded"),
    "408": _passing("transient", 408, "Request timeout"),
    "400": _error("permanent", 400, "Bad request"),
    "401": _error("permanent", 401, "key was refused"),
    "402": _error("permanent", 402, "Insufficient credits"),
    "403": _error("permanent", 403, "Forbidden"),
    "403-moderation": _error("refused", 403, "flagged by moderation"),
    "404": _error("permanent", 404, "does not exist"),
    "422": _error("permanent", 422, "Unprocessable"),
    "quota": _error("permanent", 429, "exceeded your current quota"),
    "garbage": _passing("protocol", 200, "not JSON", "raw"),
    "html": _passing("protocol", 200, "not JSON", "raw"),
    "nothing": _passing("protocol", 200, "empty body", "none"),
    "204": _passing("protocol", 204, "empty body", "none"),
    "error-in-200": _passing("rate_limit", 200, "429: Provider returned error"),
    "error-in-200-502": _passing("transient", 200, "502: Provider returned error"),
    "empty": _passing("empty", 200, "without text"),
    "null": _passing("empty", 200, "without text"),
    "no-choices": _passing("protocol", 200, "without choices"),
    "list-content": _ok(),
    "refusal": _error("refused", 200, "I will not help with that"),
    "content-filter": _error("refused", 200, "content filter"),
    "content-filter-400": _error("refused", 400, "content filter"),
    "length": _ok("pore spa"),
    "length-empty": _error("truncated", 200, "max_output_tokens"),
    "no-usage": _ok(),
    "bad-usage": _passing("protocol", 200, "NaN", "raw"),
    "nan": _passing("protocol", 200, "NaN", "raw"),
    "deep": _passing("protocol", 200, "nested too deeply", "raw"),
    "surrogate": _ok("pore \ud800 space"),
    "not-utf8": _passing("protocol", 200, "utf-8", "raw"),
    "escape": _ok("\x1b]52;c;c2ltdWxhdGVk\x07"),
    "escape-error": _error("permanent", 400, "[@click=app.quit]"),
    "formula": _ok('=HYPERLINK("http://127.0.0.1/simulated","pore space")'),
    "redirect": _error("permanent", 307, "HTTP 307", "none"),
    "echo-key": _error("permanent", 401, "Incorrect API key provided: [redacted]"),
    "echo-key-200": _ok("Your key is [redacted]"),
    "echo-key-500": _passing("transient", 500, "Incorrect API key provided: [redacted]"),
    "other-model": _ok(),
    "reject-temperature": replace(_ok(), requests=2),
    "reject-max-tokens": replace(_ok(), requests=2),
    "cost-high": _ok(),
    "big": _ok("x" * 1000),
    "huge": _error("protocol", None, "more than 16 MiB", "none"),
    "gzip": _ok(),
    "gzip-bomb": _error("protocol", None, "more than 16 MiB", "none"),
    "brotli-label": _passing("protocol", None, "br", "none"),
    "hang": _TIMEOUT,
    "hang-body": _TIMEOUT,
    "drip": _TIMEOUT,
    "drip-headers": _TIMEOUT,
    "cut": _passing("transient", None, "cut short", "none"),
    "cut-chunk": _passing("transient", None, "cut short", "none"),
    "reset": _passing("transient", None, "reset", "none"),
}

SLOW = ("hang", "hang-body", "drip", "drip-headers")
"""Faults that only a time limit ends."""
