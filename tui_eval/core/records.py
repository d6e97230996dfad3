"""One attempt, as the log keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tui_eval.core.calls import NO_USAGE, ErrorKind, Json, Status, Usage
from tui_eval.core.record_class import record
from tui_eval.core.samples import NO_DOCUMENT


@record
class Attempt:
    """One HTTP attempt, or the record that a call was never sent: one line of call_logs.jsonl.

    Field order is the order in the file: small fields first, big ones last, so that the head of a line tells what it is.
    Times are ISO 8601 in UTC; durations are milliseconds. Every field but the first three has a default, which stands in for
    it where the record of another version lacks it: a log outlives the program that wrote it.
    """

    attempt_id: str
    call_key: str
    status: Status
    error_kind: ErrorKind | None = None
    final: bool = True
    """Whether it settles its call: a resume asks only what is not settled."""
    attempt: int = 0
    run_id: str = ""
    stage: str = ""
    item_id: str = ""
    repeat: int = 0
    doc_id: str = NO_DOCUMENT
    q_index: int = 0
    model: str = ""
    model_id: str = ""
    call_index: int = 0
    about: str = ""
    started_at: str | None = None
    ended_at: str = ""
    latency_ms: int | None = None
    queue_ms: int | None = None
    ttft_ms: int | None = None
    """From sending to the first token, thinking included; None where the reply was no stream."""
    ttft_visible_ms: int | None = None
    """From sending to the first token of the answer itself."""
    http_status: int | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    usage: Usage = NO_USAGE
    cost_source: Literal["reported", "priced", "unknown"] | None = None
    charged_usd: float | None = None
    """What the budget was charged: the cost, or the reserved worst case where the cost is not known."""
    cached: bool = False
    batch_id: str | None = None
    """The server's id of the batch it was asked in; None = it was asked by itself. Latencies are None in a batch."""
    simulated: bool = False
    error_message: str | None = None
    request: Json = None
    request_headers: Mapping[str, str] | None = None
    """As sent, with dots in place of the key and the organization; None where nothing was sent, and in a batch."""
    response_headers: Mapping[str, str] | None = None
    """As received, names in small letters, without cookies and what speaks of accounts; None where nothing came back."""
    response_text: str | None = None
    """What the model said; of a refusal its own words, where the server tells them (records of older versions have none)."""
    reasoning_text: str | None = None
    """What the model thought, where the server shows it: kept here, and out of the answer."""
    response_json: Json = None
    response_body_b64: str | None = None
