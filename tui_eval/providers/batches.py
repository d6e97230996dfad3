"""Batch interfaces: many calls handed over at once, answered within a day, at half the price. Pure, like the wires."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from tui_eval.core.calls import Json, Request
from tui_eval.core.plaintext import one_line
from tui_eval.providers.body import count, excerpt, parse_json, table, text_or_none
from tui_eval.providers.refusal import CODES_BY_TYPE

BOUNDARY = "tui-eval-batch-7d1c0e5b"
"""Stands between the parts of an upload; a line of JSON never begins with it."""
LONGEST_ID = 500
LATER_CODES = frozenset({"token_limit_exceeded", "rate_limit_exceeded", "server_error", "internal_error"})
LATER_WORDS = re.compile(r"enqueued token|try again|too many|rate limit|quota|temporar", re.IGNORECASE)
"""How a server says that it takes the same batch at another time."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A request whose body is a file between two short texts."""

    request: Request
    before: bytes = b""
    after: bytes = b""


@dataclass(frozen=True, slots=True)
class BatchState:
    """State of a batch, as its server has it."""

    id: str
    ended: bool
    """Whether nothing more will be answered: then the results can be fetched, as far as there are any."""
    refused: str = ""
    """Why the server refused it as a whole; empty where it did not."""
    later: bool = False
    """Whether what it was refused for can pass by itself."""
    total: int | None = None
    done: int | None = None
    results: tuple[Request, ...] = ()
    """What to fetch once it has ended, line by line."""
    name: str | None = None
    """Our own name for it; empty where the server keeps names and it has none of ours, None where it keeps none."""
    created: str | None = None
    """When it was made, as the server says it: a date in UTC (ISO 8601), or seconds since 1970."""


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
    """Batch interface of one provider."""

    most_requests: int
    most_bytes: int
    before: bytes
    between: bytes
    after: bytes
    """What a file of requests begins with, has between two of them, and ends with."""
    line: Callable[[str, Request], bytes]
    """(attempt id, the call's request) -> its place in the file, without a line end."""
    upload: Callable[[str], Upload]
    """(the calls' path) -> how the file is sent."""
    create: Callable[[str, str, str], Request] | None
    """(uploaded file's id, the calls' path, our name) -> the request that makes a batch of it; None = the upload did."""
    poll: Callable[[str], Request]
    recent: Callable[[str], Request]
    """(a batch's id, or nothing) -> the request for the batches made before that one, latest first; for the latest of all."""
    read: Callable[[Json], BatchState]
    """A batch as the server describes it; ValueError where it is none."""
    read_line: Callable[[bytes], BatchReply]
    """One line of results; ValueError where it is none."""


def get(path: str, headers: Mapping[str, str], key_header: str, key_prefix: str) -> Request:
    """A request that only reads."""
    return Request(path, b"", headers, key_header, key_prefix, "GET")


def read_file_id(body: bytes) -> str:
    """The id of an uploaded file; ValueError where the reply has none."""
    file_id = text_or_none(table(parse_json(body)).get("id"))
    if not file_id:
        raise ValueError(f"no file id in {excerpt(body)}")
    return file_id


def read_recent(body: bytes, read: Callable[[Json], BatchState]) -> tuple[list[BatchState], bool]:
    """The batches on a page of a list, and whether there are more behind it; ValueError where it is none."""
    page = table(parse_json(body))
    rows = page.get("data")
    if not isinstance(rows, list):
        raise ValueError(f"not a list of batches: {excerpt(body)}")
    return [read(row) for row in rows], page.get("has_more") is True and bool(rows)


# ---------------------------------------------------------------------------------------------------- OpenAI

JSON_HEADERS = {"content-type": "application/json", "accept": "application/json"}
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


def _openai_line(attempt_id: str, request: Request) -> bytes:
    head = json.dumps({"custom_id": attempt_id, "method": "POST", "url": f"/v1{request.path}"})
    return head[:-1].encode("ascii") + b', "body": ' + request.body + b"}"


def _openai_upload(path: str) -> Upload:
    purpose = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
    file = (
        f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="requests.jsonl"\r\n'
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
    identity, status = _id_of(batch), text_or_none(batch.get("status"))
    if not status:
        raise ValueError("it has no status")
    counts = table(batch.get("request_counts"))
    done_counts = (count(counts.get("completed")), count(counts.get("failed")))
    files = [file for file in (batch.get("output_file_id"), batch.get("error_file_id")) if file]
    why, later = _openai_problems(batch) if status == "failed" else ("", False)
    metadata = batch.get("metadata")
    return BatchState(
        identity,
        status in _ENDED,
        refused=why,
        later=later,
        total=count(counts.get("total")),
        done=None if None in done_counts else sum(n for n in done_counts if n is not None),
        results=tuple(_openai_get(f"/files/{in_path(file)}/content") for file in files),
        name=(text_or_none(metadata.get("tui_eval")) or "") if isinstance(metadata, dict) else None,
        created=_openai_moment(batch.get("created_at")),
    )


def _openai_problems(batch: Mapping[str, Json]) -> tuple[str, bool]:
    """Why a batch failed, and whether that can pass by itself."""
    errors = table(batch.get("errors")).get("data")
    problems = [table(problem) for problem in errors] if isinstance(errors, list) else []
    texts = [text for problem in problems[:3] if (text := text_or_none(problem.get("message")))]
    codes = [text_or_none(problem.get("code")) for problem in problems]
    later = bool(problems) and all(
        code in LATER_CODES or LATER_WORDS.search(text_or_none(problem.get("message")) or "") is not None
        for code, problem in zip(codes, problems, strict=True)
    )
    return "; ".join(one_line(text, 200) for text in texts) or "without a reason", later


def _openai_moment(value: Json) -> str | None:
    return str(value) if isinstance(value, int | float | str) and value else None


def _openai_read_line(line: bytes) -> BatchReply:
    row = table(parse_json(line))
    response, error = table(row.get("response")), table(row.get("error"))
    attempt_id = _custom_id(row)
    status = count(response.get("status_code"))
    if status is not None and response.get("body") is not None:
        return BatchReply(attempt_id, status, json.dumps(response["body"]).encode("ascii"))
    if response or not error:
        raise ValueError("a line with neither a reply nor an error")
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
    poll=lambda identity: _openai_get(f"/batches/{in_path(identity)}"),
    recent=lambda before: _openai_get("/batches?limit=100" + (f"&after={in_path(before)}" if before else "")),
    read=_openai_read,
    read_line=_openai_read_line,
)


# ---------------------------------------------------------------------------------------------------- Anthropic

VERSION = {"anthropic-version": "2023-06-01"}


def _anthropic_line(attempt_id: str, request: Request) -> bytes:
    return b'{"custom_id": ' + json.dumps(attempt_id).encode("ascii") + b', "params": ' + request.body + b"}"


def _anthropic_upload(path: str) -> Upload:
    return Upload(Request(f"{path}/batches", b"", {**JSON_HEADERS, **VERSION}, "x-api-key", ""))


def _anthropic_get(path: str) -> Request:
    return get(path, {"accept": "application/json", **VERSION}, "x-api-key", "")


def _anthropic_read(value: Json) -> BatchState:
    batch = table(value)
    identity, status = _id_of(batch), text_or_none(batch.get("processing_status"))
    if not status:
        raise ValueError("it has no processing_status")
    ended = status == "ended"
    counts = {name: count(n) for name, n in table(batch.get("request_counts")).items()}
    known_counts = [n for n in counts.values() if n is not None]
    return BatchState(
        identity,
        ended,
        total=sum(known_counts) if known_counts else None,
        done=sum(known_counts) - (counts.get("processing") or 0) if ended and known_counts else None,
        results=(_anthropic_get(f"/messages/batches/{in_path(identity)}/results"),) if ended else (),
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
            status = CODES_BY_TYPE.get(str(inner.get("type")), 500)
            return BatchReply(attempt_id, status, json.dumps({"type": "error", "error": inner}).encode("ascii"))
        case "expired" | "canceled" as said:
            return BatchReply(attempt_id, 0, b"", f"{said}: the batch ended before it was answered")
        case other:
            raise ValueError(f"a result of an unknown type: {one_line(str(other), 40)}")


ANTHROPIC = Batches(
    most_requests=100_000,
    most_bytes=256_000_000,
    before=b'{"requests": [',
    between=b",\n",
    after=b"]}",
    line=_anthropic_line,
    upload=_anthropic_upload,
    create=None,
    poll=lambda identity: _anthropic_get(f"/messages/batches/{in_path(identity)}"),
    recent=lambda before: _anthropic_get("/messages/batches?limit=100" + (f"&after_id={in_path(before)}" if before else "")),
    read=_anthropic_read,
    read_line=_anthropic_read_line,
)


def _custom_id(row: Mapping[str, Json]) -> str:
    custom_id = text_or_none(row.get("custom_id"))
    if not custom_id:
        raise ValueError("a line without custom_id")
    return custom_id


def _id_of(batch: Mapping[str, Json]) -> str:
    batch_id = batch.get("id")
    in_path(batch_id)
    return str(batch_id)


def in_path(identity: Json) -> str:
    """A server's id as it may stand in a path: it is what a stranger says. ValueError for what can be none."""
    if not isinstance(identity, str) or not identity.strip(".") or len(identity) > LONGEST_ID or not identity.isprintable():
        raise ValueError(f"no id: {one_line(str(identity), 40)}")
    return quote(identity, safe="")
