"""Records on a worker that came from the coordinator: what the log holds of its samples, and replies kept over runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Call, ModelSpec, Paid, Reply
from tui_eval.core.samples import Sample
from tui_eval.engine.first_calls import either
from tui_eval.runs.cache import ReplyCache
from tui_eval.runs.reader import Mentioned, Recorded
from tui_eval.runs.record import record_of, reply_of


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
    """The coordinator's cache of replies, as a worker has it: what was brought for one call at a time."""

    def __init__(self, keep: Callable[..., None]) -> None:
        """`keep`: has a good reply kept, by key and model."""
        self._keep = keep
        self._found: dict[str, dict[str, Any]] = {}
        self.models: dict[str, str] = {}
        """The model of each call that is asked about."""

    def bring(self, key: str, record: dict[str, Any]) -> None:
        """Take the record that was kept of a call."""
        self._found[key] = record

    def get(self, key: str, place: str = "") -> dict[str, Any] | None:
        """The record that was brought for a call."""
        return self._found.pop(key, None)

    def put(self, key: str, line: bytes, place: str = "") -> None:
        """Have a good reply kept."""
        self._keep(key, self.models.pop(key, ""), line.decode("ascii"))


class RecordsAtHome:
    """Questions to the coordinator: whether its log, or its cache, knows a call that is about to be asked."""

    def __init__(
        self, ask: Callable[..., None], records: SentRecords, kept: KeptReplies | None, stopping: asyncio.Event
    ) -> None:
        """`ask`: asks for a call, by key and model."""
        self._ask, self._records, self._kept, self._stopping = ask, records, kept, stopping
        self._waiting: dict[str, tuple[asyncio.Event, str, str]] = {}
        """By key: what is set when the answer is here, the model, and the sample."""

    async def fetch(self, key: str, model: ModelSpec, sample: Sample) -> None:
        """Have what is known of a call here: of a sample that the log mentions, or where replies are kept."""
        is_mentioned = sample.id in self._records.samples
        if self._kept is not None:
            self._kept.models[key] = model.name
        if self._records.record(key) is not None or (self._kept is None and not is_mentioned):
            return
        answered = asyncio.Event()
        self._waiting[key] = answered, model.name, sample.id
        self._ask(key, model.name)
        await either(answered, self._stopping)
        self._waiting.pop(key, None)

    def ask_again(self) -> None:
        """Ask all that is waited for: the answers may have been on a connection that was lost."""
        for key, (_, model, _) in self._waiting.items():
            self._ask(key, model)

    def answer(self, key: str, line: str | None, paid: Sequence[Any], of_log: bool) -> None:
        """Take an answer: the record's line, from the log or the cache, or that there is none."""
        answered, _, sample_id = self._waiting.get(key, (None, "", ""))
        if answered is None:
            return
        if line is not None and of_log:
            self._records.take(sample_id, [[line, *paid]])
        elif line is not None and self._kept is not None:
            self._kept.bring(key, record_of(line.encode("utf-8", "surrogatepass")))
        answered.set()
