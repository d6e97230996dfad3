"""Samples whose every call is settled in the log: driven at once, without a place, a task or a wait."""

from __future__ import annotations

from tui_eval.core.calls import Call, Reply
from tui_eval.core.key import call_key
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import Known, known_reply
from tui_eval.engine.calling import Pending, RunContext
from tui_eval.session.evaluation import Evaluation

AT_ONCE = 16
"""So many samples are replayed before others get a turn."""


class _OpenError(Exception):
    """A call is still to be asked."""


def replayed(context: RunContext, evaluation: Evaluation, sample: Sample) -> SampleResult | None:
    """A sample with its replies out of the log, counted as asking would count them; None where there is anything to ask."""
    recorded = context.recorded
    if recorded is None or context.copies or context.reopen_failed or sample.id not in recorded.samples:
        return None
    found: list[tuple[Pending, Known]] = []

    def answer(call: Call) -> Reply:
        model = evaluation.models[call.model]
        pending = Pending(call, sample, model, call_key(call, model))
        record = recorded.record(pending.key)
        known = known_reply(context, pending, record, False) if record is not None and record["final"] else None
        if known is None:
            raise _OpenError
        found.append((pending, known))
        return known.reply

    row = evaluation.driven(sample, answer)
    if row.error or len(row.replies) != len(found):
        return None
    for pending, known in found:
        context.progress.call_ended(known.reply, replayed=True, cached=known.cached, free=known.free)
        pending.end(context.budget)
    return row
