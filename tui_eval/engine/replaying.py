"""Samples driven from the log: those that are settled, without a place, a task or a wait; and what others still ask."""

from __future__ import annotations

from tui_eval.core.calls import Call, Reply
from tui_eval.core.key import call_key
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import Known, can_end_otherwise, known_reply
from tui_eval.engine.calling import Pending, RunContext
from tui_eval.kinds.shared.drive import as_example
from tui_eval.runs.reader import Recorded
from tui_eval.runs.record import reply_of
from tui_eval.session.evaluation import Evaluation, samples_on_file

AT_ONCE = 16
"""So many samples are replayed before others get a turn."""


class _OpenError(Exception):
    """A call is still to be asked."""


def calls_to_ask(evaluation: Evaluation, recorded: Recorded) -> int:
    """Count the calls that asking failed ones again would send, what may follow them included, and what was never asked."""
    n = 0

    def answer(call: Call) -> Reply:
        nonlocal n
        record = recorded.record(call_key(call, evaluation.models[call.model]))
        if record is not None and record["final"]:
            known = reply_of(record, call)
            if call.stage in evaluation.task.recorded or not can_end_otherwise(known):
                return known
        n += 1 + call.up_to
        return as_example(call)

    for sample in samples_on_file(evaluation, recorded):
        evaluation.driven(sample, answer)
    return n


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
