"""Anthropic's message batches: requests come in one body, results lie at an address of their own."""

import re
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from tui_eval.simulator.apis import batch_store, replies
from tui_eval.simulator.apis.batch_store import WINDOW_S, Batch, Outcome
from tui_eval.simulator.apis.chat import Chat
from tui_eval.simulator.apis.interfaces import MESSAGES, read_object
from tui_eval.simulator.apis.messages import PATH, error
from tui_eval.simulator.apis.replies import BodyError, Reply

Table = dict[str, Any]
MOST = 100_000
"""Requests of a batch."""
_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class MessageBatches:
    """The message batches of one simulator, kept in memory alone."""

    def __init__(self, chat: Chat, seconds: float) -> None:
        self._chat = chat
        self._seconds = seconds
        self._batches: dict[str, Batch] = {}

    def counts(self) -> tuple[int, int]:
        """Return the number of batches, and the number of requests they have answered."""
        return len(self._batches), sum(len(batch.reached()) for batch in self._batches.values())

    async def create(self, request: web.BaseRequest) -> Reply:
        """Begin a batch."""
        given = read_object(await request.read())
        requests = _requests(None if given is None else given.get("requests"))
        outcomes = await batch_store.settle(self._chat, MESSAGES, requests)
        batch = Batch(outcomes, self._seconds, batch_store.new_id("msgbatch_"))
        self._batches[batch.id] = batch
        return replies.as_json(_describe(batch, request, ended=False))

    async def get(self, request: web.BaseRequest, batch_id: str) -> Reply:
        """A batch as it stands."""
        if (batch := self._batches.get(batch_id)) is None:
            return _unknown(batch_id)
        return replies.as_json(_describe(batch, request, batch.over()))

    async def listed(self, request: web.BaseRequest) -> Reply:
        """The batches, newest first."""
        ids, more = batch_store.newest(self._batches, request.query.get("limit"), request.query.get("after_id"))
        rows = [_describe(self._batches[batch_id], request, self._batches[batch_id].over()) for batch_id in ids]
        ends = {"first_id": ids[0] if ids else None, "last_id": ids[-1] if ids else None}
        return replies.as_json({"data": rows, **ends, "has_more": more})

    async def results(self, request: web.BaseRequest, batch_id: str) -> Reply:
        """The results of a batch that has ended, one a line."""
        if (batch := self._batches.get(batch_id)) is None:
            return _unknown(batch_id)
        if not batch.over():
            return replies.failure(404, f"The batch {batch_id!r} has no results yet.")
        left = "expired" if batch.stopped is None else "canceled"
        rows = [{"custom_id": one.custom_id, "result": _result(one)} for one in batch.reached()]
        rows += [{"custom_id": one.custom_id, "result": {"type": left}} for one in batch.left()]
        return Reply(200, batch_store.lines(rows), content_type="application/x-jsonl")

    async def cancel(self, request: web.BaseRequest, batch_id: str) -> Reply:
        """Answer no more of a batch; one that has ended stays as it is."""
        if (batch := self._batches.get(batch_id)) is None:
            return _unknown(batch_id)
        if batch.over():
            raise BodyError("A batch that has ended cannot be canceled.")
        batch.cancel()
        return replies.as_json(_describe(batch, request, ended=False))


def _requests(given: Any) -> list[tuple[str, Table]]:
    """Custom ids and bodies of the requests; BodyError when one is not as it should be."""
    if not isinstance(given, list) or not 0 < len(given) <= MOST:
        raise BodyError(f"requests: a list of 1 to {MOST} requests is required.", "requests")
    found: dict[str, Table] = {}
    for number, row in enumerate(given):
        custom_id = row.get("custom_id") if isinstance(row, dict) else None
        if not isinstance(custom_id, str) or not _CUSTOM_ID.fullmatch(custom_id):
            raise BodyError(f"requests.{number}.custom_id: must match ^[a-zA-Z0-9_-]{{1,64}}$.", "requests")
        if custom_id in found:
            raise BodyError(f"requests.{number}.custom_id: {custom_id!r} stands there twice.", "requests")
        params = row.get("params")
        if not isinstance(params, dict) or not isinstance(params.get("model"), str):
            raise BodyError(f"requests.{number}.params: an object with a model is required.", "requests")
        found[custom_id] = params
    return list(found.items())


def _describe(batch: Batch, request: web.BaseRequest, ended: bool) -> Table:
    """A batch as the API describes it; what became of its requests is counted only once it has ended."""
    url = f"{request.scheme}://{request.host}{PATH}/batches/{batch.id}/results"
    created = _date(batch.created_at)
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "ended" if ended else "in_progress" if batch.stopped is None else "canceling",
        "request_counts": _counts(batch, ended),
        "created_at": created,
        "expires_at": _date(batch.created_at + WINDOW_S),
        "ended_at": _date(batch.moment()) if ended else None,
        "cancel_initiated_at": None if batch.stopped is None else _date(batch.created_at + int(batch.seconds * batch.stopped)),
        "archived_at": None,
        "results_url": url if ended else None,
    }


def _counts(batch: Batch, ended: bool) -> dict[str, int]:
    counts = {"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
    if not ended:
        return {**counts, "processing": len(batch.outcomes)}
    for one in batch.reached():
        counts[_result(one)["type"]] += 1
    counts["expired" if batch.stopped is None else "canceled"] += len(batch.left())
    return counts


def _result(one: Outcome) -> Table:
    """An answered request: its message, or its error in the shape that it would have had alone."""
    if isinstance(one.body, dict) and one.body.get("type") == "message":
        return {"type": "succeeded", "message": one.body}
    if isinstance(one.body, dict):
        return {"type": "errored", "error": one.body}
    said = "The model's reply could not be read (simulated)."
    return {"type": "errored", "error": error(500, {"message": said}, one.request_id)}


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _unknown(batch_id: str) -> Reply:
    return replies.failure(404, f"There is no batch {batch_id!r}.")
