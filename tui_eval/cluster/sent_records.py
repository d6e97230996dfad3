"""Records on a worker that came from the coordinator: what the log holds of its samples, and replies kept over runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Call, ModelSpec, Paid, Reply
from tui_eval.runs.cache import ReplyCache
from tui_eval.runs.reader import Mentioned, Recorded
from tui_eval.runs.record import record_of, reply_of

PATIENCE_S = 5.0
"""So long a worker waits to be told whether a reply was kept; then it asks the model."""


class SentRecords(Recorded):
    """The records that count for the calls of samples on their way, by call key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.samples = Mentioned()
        self._records: dict[str, dict[str, Any]] = {}
        self._paid: dict[str, Paid] = {}
        self._keys: dict[str, list[str]] = {}

    def take(self, sample_id: str, lines: Sequence[Sequence[Any]]) -> None:
        """Take the records of a sample: each line, and what its call's other attempts were charged."""
        for line, *paid in lines:
            record = record_of(str(line).encode("utf-8", "surrogatepass"))
            self._records[record["call_key"]] = record
            if paid:
                self._paid[record["call_key"]] = Paid(*paid)
            self._keys.setdefault(sample_id, []).append(record["call_key"])

    def forget(self, sample_id: str) -> None:
        """A sample went its way."""
        for key in self._keys.pop(sample_id, ()):
            self._records.pop(key, None)
            self._paid.pop(key, None)

    def record(self, key: str) -> dict[str, Any] | None:
        """The record that counts for a call, or None."""
        return self._records.get(key)

    def reply_of(self, record: dict[str, Any], call: Call) -> Reply:
        """Return the reply that a record tells, with what the call's other attempts cost."""
        reply, paid = reply_of(record, call), self._paid.get(record["call_key"])
        return reply if paid is None else replace(reply, retried=paid)

    def close(self) -> None:
        """Nothing is open."""


class KeptReplies(ReplyCache):
    """The coordinator's cache of replies, as a worker has it: looked into by a message, for one call at a time."""

    def __init__(self, ask: Callable[..., None], keep: Callable[..., None]) -> None:
        """`ask`: asks for the reply to a call, by key and model; `keep`: has a good reply kept, by key and model."""
        self._ask, self._keep = ask, keep
        self._waiting: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        self._found: dict[str, dict[str, Any]] = {}
        self._models: dict[str, str] = {}

    async def fetch(self, key: str, model: ModelSpec) -> None:
        """Have the reply to a call here, if there is one."""
        self._models[key] = model.name
        waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
        self._ask(key, model.name)
        try:
            async with asyncio.timeout(PATIENCE_S):
                record = await waiting
        except TimeoutError:
            return
        finally:
            self._waiting.pop(key, None)
        if record is not None:
            self._found[key] = record

    def answer(self, key: str, line: str | None) -> None:
        """Take the answer to a question: the record's line, or that there is none."""
        waiting = self._waiting.get(key)
        if waiting is not None and not waiting.done():
            waiting.set_result(None if line is None else record_of(line.encode("ascii")))

    def get(self, key: str, place: str = "") -> dict[str, Any] | None:
        """The record that was brought for a call."""
        return self._found.pop(key, None)

    def put(self, key: str, line: bytes, place: str = "") -> None:
        """Have a good reply kept."""
        self._keep(key, self._models.pop(key, ""), line.decode("ascii"))
