"""Samples driven from the log: those that are settled, without a place, a task or a wait; and what others still ask."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from tui_eval.core.calls import Call, ModelSpec, Reply
from tui_eval.core.key import call_key
from tui_eval.core.money import worst_case
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import KnownReply, known_reply
from tui_eval.engine.calling import Pending, RunContext
from tui_eval.kinds.shared.drive import as_example
from tui_eval.runs.reader import Recorded
from tui_eval.runs.record import reply_of
from tui_eval.session.evaluation import Evaluation, samples_on_file
from tui_eval.session.taken_answers import not_taken

AT_ONCE = 16
"""So many samples are replayed before others get a turn."""


class _OpenError(Exception):
    """A call is still to be asked."""


@dataclass(slots=True)
class ToAsk:
    """What asking failed calls again would send, and what was never asked: so long as every reply is a good one."""

    calls: int = 0
    planned: int = 0
    """How many of them are planned, and no attempt was made of them."""
    may_follow: int = 0
    """How many more, where replies cannot be read."""
    most: int | None = 0
    """The most that all of them cost, in micro-dollars; None where that is not known."""

    def add(self, calls: int, planned: int, may_follow: int) -> None:
        """Count more of each."""
        self.calls += calls
        self.planned += planned
        self.may_follow += may_follow


def still_to_ask(
    evaluation: Evaluation, recorded: Recorded, failed: bool = True, limit_again: int | None = None, costs: bool = False
) -> ToAsk:
    """Count the calls that were never asked, those that asking failed ones again would send (if `failed`), and what may follow.

    `limit_again`: the token limit of calls that are asked again, where it was raised. `costs`: whether the most that they
    cost is wanted, for which every sample is driven; else of those that the log does not mention one of each shape.
    """
    found = ToAsk()
    of_shape: dict[tuple[str, Hashable], ToAsk] = {}

    def answer(call: Call) -> Reply:
        record = recorded.record(call_key(call, evaluation.models[call.model]))
        if call.stage in evaluation.task.recorded:
            return not_taken(call) if record is None else reply_of(record, call)
        if record is not None and record["final"]:
            known = reply_of(record, call)
            if not failed or not known.can_end_otherwise:
                return known
        begun = record is not None and (record["cached"] or record["started_at"] is not None or record["attempt"] > 0)
        found.add(1, not call.beyond_plan and not begun, call.up_to)
        if costs:
            again = limit_again if record is not None or call.beyond_plan else None
            _add_most(found, call, evaluation.models[call.model], again)
        return as_example(call)

    for sample in samples_on_file(evaluation, recorded):
        shape = sample.queue, sample.shape
        untouched = not costs and sample.id not in recorded.samples
        if untouched and (same := of_shape.get(shape)) is not None:
            found.add(same.calls, same.planned, same.may_follow)
            continue
        before = replace(found)
        evaluation.driven(sample, answer)
        if untouched:
            of_shape[shape] = ToAsk(
                found.calls - before.calls, found.planned - before.planned, found.may_follow - before.may_follow
            )
    return found


def _add_most(found: ToAsk, call: Call, model: ModelSpec, limit_again: int | None) -> None:
    """Add what a call costs at most, and what may follow it, which may be allowed more tokens."""
    limit = call.max_output_tokens
    if limit is not None:
        call = replace(call, max_output_tokens=max(limit, limit_again or 0))
    longer = replace(call, max_output_tokens=limit and max(call.longest or limit, limit_again or 0))
    most, follows = worst_case(call, model.price), worst_case(longer, model.price)
    found.most = None if found.most is None or most is None or follows is None else found.most + most + call.up_to * follows


def replayed(context: RunContext, evaluation: Evaluation, sample: Sample) -> SampleResult | None:
    """A sample with its replies out of the log, counted as asking would count them; None where there is anything to ask."""
    recorded = context.recorded
    if recorded is None or context.copies or context.reopen_failed or sample.id not in recorded.samples:
        return None
    found: list[tuple[Pending, KnownReply]] = []

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
