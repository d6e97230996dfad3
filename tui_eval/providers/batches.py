"""Batch interfaces: many calls handed over at once, answered within a day, at half the price. Pure, like the wires."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tui_eval.plaintext import one_line
from tui_eval.providers.body import count, excerpt, parse_json, table, text_or_none
from tui_eval.types import Json, Request

BOUNDARY = "tui-eval-batch-7d1c0e5b"
"""Stands between the parts of an upload; a line of JSON never begins with it."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A request whose body is a file between two short texts."""

    request: Request
    before: bytes = b""
    after: bytes = b""


@dataclass(frozen=True, slots=True)
class BatchState:
    """Where a batch stands, as its server has it."""

    id: str
    ended: bool
    """Whether nothing more will be answered: then the results can be fetched, as far as there are any."""
    refused: str = ""
    """Why the server refused it as a whole; empty where it did not."""
    total: int | None = None
    done: int | None = None
    results: tuple[Request, ...] = ()
    """What to fetch once it has ended, line by line."""
    name: str | None = None
    """Our own name for it, where the server keeps such."""
    created: str | None = None
    """When it was made, as the server says it."""


@dataclass(frozen=True, slots=True)
class BatchReply:
    """One answer out of a batch."""

    attempt_id: str
    status: int
    body: bytes
    """As the server would have sent it by itself; empty where the call was never answered."""
    unanswered: str = ""
    """Why it was never answered: the batch expired or was cancelled; empty where it was."""


@dataclass(frozen=True, slots=True)
class Batches:
    """How one provider takes batches."""

    most_requests: int
    most_bytes: int
    before: bytes
    between: bytes
    after: bytes
    """What a file of requests begins with, has between two of them, and ends with."""
    line: Callable[[str, Request], bytes]
    """(attempt id, the call's request) -> its place in the file, without a line end."""
    upload: Callable[[str, str, str], Upload]
    """(our name, the calls' path, the model's id) -> how the file is sent."""
    create: Callable[[str, str, str], Request] | None
    """(uploaded file's id, the calls' path, our name) -> the request that makes a batch of it; None = the upload did."""
    poll: Callable[[str], Request]
    recent: Request
    """The request for the latest batches, to find one whose making was not heard of."""
    read: Callable[[Json], BatchState]
    """A batch as the server describes it; ValueError where it is none."""
    read_line: Callable[[bytes], BatchReply]
    """One line of results; ValueError where it is none."""


def get(path: str, headers: Mapping[str, str], key_header: str, key_prefix: str) -> Request:
    """A request that only reads."""
    return Request(path, b"", headers, key_header, key_prefix, "GET")


def read_file_id(body: bytes) -> str:
    """The id of an uploaded file; ValueError where the reply has none."""
    found = text_or_none(table(parse_json(body)).get("id"))
    if not found:
        raise ValueError(f"no file id in {excerpt(body)}")
    return found


def read_recent(body: bytes, read: Callable[[Json], BatchState]) -> list[BatchState]:
    """The batches in a list; ValueError where it is none."""
    rows = table(parse_json(body)).get("data")
    if not isinstance(rows, list):
        raise ValueError(f"no list of batches: {excerpt(body)}")
    return [read(row) for row in rows]


# ---------------------------------------------------------------------------------------------------- OpenAI

JSON_HEADERS = {"content-type": "application/json", "accept": "application/json"}
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


def _openai_line(attempt_id: str, request: Request) -> bytes:
    head = json.dumps({"custom_id": attempt_id, "method": "POST", "url": f"/v1{request.path}"})
    return head[:-1].encode("ascii") + b', "body": ' + request.body + b"}"


def _openai_upload(name: str, path: str, model: str) -> Upload:
    purpose = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
    file = (
        f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="{name}.jsonl"\r\n'
        "content-type: application/jsonl\r\n\r\n"
    )
    headers = {"content-type": f"multipart/form-data; boundary={BOUNDARY}", "accept": "application/json"}
    request = Request("/files", b"", headers, "authorization")
    return Upload(request, (purpose + file).encode("ascii"), f"\r\n--{BOUNDARY}--\r\n".encode("ascii"))


def _openai_create(file_id: str, path: str, name: str) -> Request:
    body = {
        "input_file_id": file_id,
        "endpoint": f"/v1{path}",
        "completion_window": "24h",
        "metadata": {"tui_eval": name},
    }
    return Request("/batches", json.dumps(body).encode("ascii"), JSON_HEADERS, "authorization")


def _openai_get(path: str) -> Request:
    return get(path, {"accept": "application/json"}, "authorization", "Bearer ")


def _openai_read(value: Json) -> BatchState:
    batch = table(value)
    identity, status = text_or_none(batch.get("id")), text_or_none(batch.get("status"))
    if not identity or not status or not _is_id(identity):
        raise ValueError("no batch: it has no id or no status")
    counts = table(batch.get("request_counts"))
    done = (count(counts.get("completed")), count(counts.get("failed")))
    files = [batch.get("output_file_id"), batch.get("error_file_id")]
    problems = table(batch.get("errors")).get("data")
    told = [text_or_none(table(problem).get("message")) for problem in problems] if isinstance(problems, list) else []
    why = "; ".join(one_line(text, 200) for text in told[:3] if text)
    return BatchState(
        identity,
        status in _ENDED,
        refused=(why or "without a reason") if status == "failed" else "",
        total=count(counts.get("total")),
        done=None if None in done else sum(n for n in done if n is not None),
        results=tuple(_openai_get(f"/files/{file}/content") for file in files if isinstance(file, str) and _is_id(file)),
        name=text_or_none(table(batch.get("metadata")).get("tui_eval")),
        created=str(batch.get("created_at") or "") or None,
    )


def _openai_read_line(line: bytes) -> BatchReply:
    row = table(parse_json(line))
    response, error = table(row.get("response")), table(row.get("error"))
    attempt_id = _custom_id(row)
    status = count(response.get("status_code"))
    if status is not None and response.get("body") is not None:
        return BatchReply(attempt_id, status, json.dumps(response["body"]).encode("ascii"))
    code, message = text_or_none(error.get("code")) or "no code", text_or_none(error.get("message")) or "no message"
    return BatchReply(attempt_id, 0, b"", f"{one_line(code, 60)}: {one_line(message, 300)}")


OPENAI = Batches(
    most_requests=50_000,
    most_bytes=200_000_000,
    before=b"",
    between=b"\n",
    after=b"\n",
    line=_openai_line,
    upload=_openai_upload,
    create=_openai_create,
    poll=lambda identity: _openai_get(f"/batches/{identity}"),
    recent=_openai_get("/batches?limit=100"),
    read=_openai_read,
    read_line=_openai_read_line,
)


# ---------------------------------------------------------------------------------------------------- Anthropic

VERSION = {"anthropic-version": "2023-06-01"}
_ERROR_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def _anthropic_line(attempt_id: str, request: Request) -> bytes:
    return b'{"custom_id": ' + json.dumps(attempt_id).encode("ascii") + b', "params": ' + request.body + b"}"


def _anthropic_upload(name: str, path: str, model: str) -> Upload:
    return Upload(Request(f"{path}/batches", b"", {**JSON_HEADERS, **VERSION}, "x-api-key", ""))


def _anthropic_get(path: str) -> Request:
    return get(path, {"accept": "application/json", **VERSION}, "x-api-key", "")


def _anthropic_read(value: Json) -> BatchState:
    batch = table(value)
    identity, status = text_or_none(batch.get("id")), text_or_none(batch.get("processing_status"))
    if not identity or not status or not _is_id(identity):
        raise ValueError("no batch: it has no id or no processing_status")
    ended = status == "ended"
    counts = {name: count(n) for name, n in table(batch.get("request_counts")).items()}
    known = [n for n in counts.values() if n is not None]
    return BatchState(
        identity,
        ended,
        total=sum(known) if known else None,
        done=sum(known) - (counts.get("processing") or 0) if ended and known else None,
        results=(_anthropic_get(f"/messages/batches/{identity}/results"),) if ended else (),
        created=text_or_none(batch.get("created_at")),
    )


def _anthropic_read_line(line: bytes) -> BatchReply:
    row = table(parse_json(line))
    result = table(row.get("result"))
    attempt_id = _custom_id(row)
    match result.get("type"):
        case "succeeded":
            return BatchReply(attempt_id, 200, json.dumps(result.get("message")).encode("ascii"))
        case "errored":
            error = table(result.get("error"))
            inner = table(error.get("error")) or error
            status = _ERROR_STATUS.get(str(inner.get("type")), 500)
            return BatchReply(attempt_id, status, json.dumps({"type": "error", "error": inner}).encode("ascii"))
        case other:
            return BatchReply(attempt_id, 0, b"", f"{one_line(str(other), 40)}: the batch ended before it was answered")


ANTHROPIC = Batches(
    most_requests=100_000,
    most_bytes=256_000_000,
    before=b'{"requests": [',
    between=b",\n",
    after=b"]}",
    line=_anthropic_line,
    upload=_anthropic_upload,
    create=None,
    poll=lambda identity: _anthropic_get(f"/messages/batches/{identity}"),
    recent=_anthropic_get("/messages/batches?limit=100"),
    read=_anthropic_read,
    read_line=_anthropic_read_line,
)


def _custom_id(row: Mapping[str, Json]) -> str:
    found = text_or_none(row.get("custom_id"))
    if not found:
        raise ValueError("a line without custom_id")
    return found


def _is_id(value: str) -> bool:
    """Whether a server's id may stand in a path: it is what a stranger says."""
    return 0 < len(value) <= 200 and all(sign.isascii() and (sign.isalnum() or sign in "-_.") for sign in value)
