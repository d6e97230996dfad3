"""OpenAI's files and batches: requests come as a file of JSON lines, replies go into two more."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

from tui_eval.simulator.apis import batch_store, replies
from tui_eval.simulator.apis.batch_store import WINDOW_S, Batch, Outcome
from tui_eval.simulator.apis.chat import Chat
from tui_eval.simulator.apis.completions import PATH as CHAT_PATH
from tui_eval.simulator.apis.interfaces import INTERFACES, read_object
from tui_eval.simulator.apis.replies import BodyError, Reply
from tui_eval.simulator.apis.responses_api import PATH as RESPONSES_PATH

Table = dict[str, Any]
ENDPOINTS = (CHAT_PATH, RESPONSES_PATH)
LONGEST = 50_000
"""Lines of a file."""
_UNANSWERED = {
    "expired": ("batch_expired", "The request was not answered within the completion window (simulated)."),
    "cancelled": ("batch_cancelled", "The batch was cancelled before the request was answered (simulated)."),
}


@dataclass(frozen=True, slots=True)
class File:
    """A file that was uploaded, or one that a batch has written."""

    id: str
    content: bytes
    name: str
    purpose: str
    created_at: int = field(default_factory=lambda: int(time.time()))

    def as_reply(self) -> Reply:
        """The file as the API describes it."""
        described = {"bytes": len(self.content), "created_at": self.created_at, "filename": self.name}
        return replies.as_json({"id": self.id, "object": "file", **described, "purpose": self.purpose, "status": "processed"})


@dataclass(slots=True)
class Filed:
    """A batch with what OpenAI says about it besides."""

    batch: Batch
    given: Table
    """The fields with which it was made."""
    rejected: list[Table]
    """What is wrong with its file; empty when nothing is."""
    written: dict[str, str | None] = field(default_factory=dict)
    """Ids of its output and error file, once it is over."""

    def status(self) -> str:
        """Return the status of the batch."""
        batch = self.batch
        if self.rejected:
            return "validating" if batch.preparing() else "failed"
        if batch.stopped is not None:
            return "cancelled" if batch.over() else "cancelling"
        if batch.over():
            return "expired" if batch.left() else "completed"
        return "validating" if batch.preparing() else "in_progress" if batch.working() else "finalizing"


class OpenAIBatches:
    """The files and batches of one simulator, kept in memory alone."""

    def __init__(self, chat: Chat, seconds: float) -> None:
        self._chat = chat
        self._seconds = seconds
        self._files: dict[str, File] = {}
        self._filed: dict[str, Filed] = {}

    def counts(self) -> tuple[int, int]:
        """Return the number of batches, and the number of requests they have answered."""
        return len(self._filed), sum(len(filed.batch.reached()) for filed in self._filed.values())

    async def upload(self, request: web.BaseRequest) -> Reply:
        """Keep a file."""
        if request.content_type != "multipart/form-data":
            raise BodyError("A file is uploaded as multipart/form-data.")
        purpose, content, name = "", None, "file"
        try:
            async for part in await request.multipart():
                if isinstance(part, BodyPartReader) and part.name == "purpose":
                    purpose = await part.text()
                elif isinstance(part, BodyPartReader) and part.name == "file":
                    content, name = bytes(await part.read()), part.filename or name
        except (ValueError, LookupError) as error:
            raise BodyError(f"The form cannot be read: {error}") from error
        if purpose != "batch":
            raise BodyError("The simulator takes files with the purpose 'batch' only.", "purpose")
        if content is None:
            raise BodyError("The form has no field 'file'.", "file")
        return self._keep(content, name, "batch").as_reply()

    async def content(self, request: web.BaseRequest, file_id: str) -> Reply:
        """The bytes of a file."""
        if (file := self._files.get(file_id)) is None:
            return _unknown("file", file_id)
        return Reply(200, file.content, content_type="application/octet-stream")

    async def create(self, request: web.BaseRequest) -> Reply:
        """Begin a batch. What is wrong with its file is told later, by its status."""
        given = read_object(await request.read())
        if given is None:
            raise BodyError("The body must be a JSON object.")
        if given.get("endpoint") not in ENDPOINTS:
            raise BodyError(f"'endpoint' must be one of {', '.join(ENDPOINTS)}.", "endpoint")
        if given.get("completion_window") != "24h":
            raise BodyError("'completion_window' must be '24h'.", "completion_window")
        if (file := self._files.get(str(given.get("input_file_id")))) is None:
            return _unknown("file", str(given.get("input_file_id")))
        rows, rejected = read_lines(file.content, given["endpoint"])
        requests = [] if rejected else [(row["custom_id"], row["body"]) for row in rows]
        outcomes = await batch_store.settle(self._chat, INTERFACES[given["endpoint"]], requests)
        filed = Filed(Batch(outcomes, self._seconds, batch_store.new_id("batch_")), given, rejected)
        self._filed[filed.batch.id] = filed
        return replies.as_json({**self._describe(filed, "validating"), "request_counts": _counts(0, 0, 0)})

    async def get(self, request: web.BaseRequest, batch_id: str) -> Reply:
        """A batch as it stands."""
        if (filed := self._filed.get(batch_id)) is None:
            return _unknown("batch", batch_id)
        return replies.as_json(self._describe(filed, filed.status()))

    async def listed(self, request: web.BaseRequest) -> Reply:
        """The batches, newest first."""
        known = {batch_id: filed.batch for batch_id, filed in self._filed.items()}
        ids, more = batch_store.newest(known, request.query.get("limit"), request.query.get("after"))
        rows = [self._describe(self._filed[batch_id], self._filed[batch_id].status()) for batch_id in ids]
        ends = {"first_id": ids[0] if ids else None, "last_id": ids[-1] if ids else None}
        return replies.as_json({"object": "list", "data": rows, **ends, "has_more": more})

    async def cancel(self, request: web.BaseRequest, batch_id: str) -> Reply:
        """Answer no more of a batch; one that is over stays as it is."""
        if (filed := self._filed.get(batch_id)) is None:
            return _unknown("batch", batch_id)
        if (status := filed.status()) in ("completed", "failed", "expired", "cancelled"):
            raise BodyError(f"A batch that is {status} cannot be cancelled.")
        filed.batch.cancel()
        return replies.as_json(self._describe(filed, filed.status()))

    def _keep(self, content: bytes, name: str, purpose: str) -> File:
        file = File(batch_store.new_id("file-"), content, name, purpose)
        self._files[file.id] = file
        return file

    def _describe(self, filed: Filed, status: str) -> Table:
        batch, given = filed.batch, filed.given
        reached = batch.reached()
        failed = sum(one.failed for one in reached)
        if status in ("completed", "expired", "cancelled") and not filed.written:
            self._write(filed, status)
        told = {
            "id": batch.id,
            "object": "batch",
            "endpoint": given["endpoint"],
            "errors": {"object": "list", "data": filed.rejected} if status == "failed" else None,
            "input_file_id": given["input_file_id"],
            "completion_window": given["completion_window"],
            "status": status,
            "created_at": batch.created_at,
            "expires_at": batch.created_at + WINDOW_S,
            "request_counts": _counts(len(batch.outcomes), len(reached) - failed, failed),
            "metadata": given.get("metadata"),
            "output_file_id": filed.written.get("output"),
            "error_file_id": filed.written.get("error"),
        }
        return told if status == "validating" else {**told, f"{status}_at": batch.moment()}

    def _write(self, filed: Filed, status: str) -> None:
        """Write the files of a batch that is over; one that would be empty is not written."""
        reached = filed.batch.reached()
        error = [_line(one) for one in reached if one.failed]
        if status in _UNANSWERED:
            error += [_unanswered(one, *_UNANSWERED[status]) for one in filed.batch.left()]
        for name, rows in (("output", [_line(one) for one in reached if not one.failed]), ("error", error)):
            file = self._keep(batch_store.lines(rows), f"{filed.batch.id}_{name}.jsonl", "batch_output") if rows else None
            filed.written[name] = None if file is None else file.id


def read_lines(content: bytes, endpoint: str) -> tuple[list[Table], list[Table]]:
    """The requests of a file, and what is wrong with it; a file with anything wrong is rejected as a whole."""
    texts = content.splitlines()
    if not texts:
        return [], [_wrong("empty_file", "The file is empty.", None)]
    if len(texts) > LONGEST:
        return [], [_wrong("too_many_tasks", f"A file may have at most {LONGEST} lines.", None)]
    rows: list[Table] = []
    wrong: list[Table] = []
    known: set[str] = set()
    for number, text in enumerate(texts, 1):
        row = read_object(text)
        model = rows[0]["body"]["model"] if rows else None
        if found := _fault_of(row, endpoint, known, model):
            wrong.append(_wrong(*found, number))
        elif row is not None:
            known.add(row["custom_id"])
            rows.append(row)
    return rows, wrong


def _fault_of(row: Table | None, endpoint: str, known: set[str], model: str | None) -> tuple[str, str] | None:
    if row is None:
        return "invalid_json_line", "The line is no JSON object."
    if not isinstance(row.get("custom_id"), str) or row.get("method") != "POST" or not _has_model(row.get("body")):
        return "invalid_request", "The line needs a custom_id, the method POST and a body with a model."
    if row["custom_id"] in known:
        return "duplicate_custom_id", "Another line has the same custom_id."
    if row.get("url") != endpoint:
        return "url_mismatch", f"The url is not that of the batch, {endpoint}."
    if model is not None and row["body"]["model"] != model:
        return "model_mismatch", "All lines of a file must be for the same model."
    return None


def _has_model(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("model"), str)


def _wrong(code: str, message: str, line: int | None) -> Table:
    return {"code": code, "message": f"{message} (simulated)", "param": None, "line": line}


def _counts(total: int, completed: int, failed: int) -> Mapping[str, int]:
    return {"total": total, "completed": completed, "failed": failed}


def _line(one: Outcome) -> Table:
    response = {"status_code": one.status, "request_id": one.request_id, "body": one.body}
    return {"id": f"batch_{one.request_id}", "custom_id": one.custom_id, "response": response, "error": None}


def _unanswered(one: Outcome, code: str, message: str) -> Table:
    error = {"code": code, "message": message}
    return {"id": f"batch_{one.request_id}", "custom_id": one.custom_id, "response": None, "error": error}


def _unknown(what: str, name: str) -> Reply:
    return replies.failure(404, f"No such {what}: {json.dumps(name)}.", "not_found", kind="invalid_request_error")
