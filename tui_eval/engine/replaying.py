"""Samples driven from the log: those that are settled, without a place, a task or a wait; and what others still ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from tui_eval.configuring.evaluation import Evaluation, samples_on_file
from tui_eval.configuring.taken_answers import not_taken
from tui_eval.core.calls import Call, ModelSpec, Reply
from tui_eval.core.key import call_key
from tui_eval.core.money import worst_case
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.engine.ask import KnownReply, known_reply
from tui_eval.engine.calling import Pending, RunContext
from tui_eval.evaluation.drivers import as_example
from tui_eval.runs.reader import Recorded
from tui_eval.runs.record import reply_of

AT_ONCE = 16
"""So many samples are replayed before others get a turn."""


class _OpenError(Exception):
    """A call is still to be asked."""


@dataclass(slots=True)
class ToAsk:
    """Calls that asking failed ones again would send, and those never asked: so long as every reply is a good one."""

    calls: int = 0
    planned: int = 0
    """How many of them are planned, and no attempt was made of them."""
    may_follow: int = 0
    """How many more, where replies cannot be read."""
    most: int | None = 0
    """The most that all of them cost, in micro-dollars; None where that is not known."""
    of_model: Counter[str] = field(default_factory=Counter, compare=False)
    """`calls` by model."""
    most_of_model: dict[str, int | None] = field(default_factory=dict, compare=False)
    """`most` by model, where it was wanted."""

    def add(self, more: ToAsk) -> None:
        """Count more calls; what they cost is no part of this."""
        self.calls += more.calls
        self.planned += more.planned
        self.may_follow += more.may_follow
        self.of_model.update(more.of_model)

    def since(self, before: ToAsk) -> ToAsk:
        """Return what was counted since."""
        return ToAsk(
            self.calls - before.calls,
            self.planned - before.planned,
            self.may_follow - before.may_follow,
            of_model=self.of_model - before.of_model,
        )

    def cost(self, model: str, most: int | None) -> None:
        """Count the most that a call of a model costs with what may follow it; None = not known."""
        before = self.most_of_model.get(model, 0)
        self.most_of_model[model] = None if before is None or most is None else before + most
        self.most = None if self.most is None or most is None else self.most + most


def still_to_ask(
    evaluation: Evaluation, recorded: Recorded, failed: bool = True, limit_again: int | None = None, costs: bool = False
) -> ToAsk:
    """Count the calls that were never asked, those that asking failed ones again would send (if `failed`), and what may follow.

    `limit_again`: the token limit of calls that are asked again, where it was raised. `costs`: whether the most that they
    cost is wanted, for which every sample is driven; else of those that the log does not mention one of each shape.
    """
    to_ask = ToAsk()
    of_shape: dict[tuple[str, Hashable], ToAsk] = {}

    def answer(call: Call) -> Reply:
        record = recorded.record(call_key(call, evaluation.models[call.model]))
        if call.stage in evaluation.task.recorded:
            return not_taken(call) if record is None else reply_of(record, call)
        if record is not None and record["final"]:
            reply = reply_of(record, call)
            if not failed or not reply.can_end_otherwise:
                return reply
        begun = record is not None and (record["cached"] or record["started_at"] is not None or record["attempt"] > 0)
        to_ask.add(ToAsk(1, not call.beyond_plan and not begun, call.up_to, of_model=Counter({call.model: 1})))
        if costs:
            again = limit_again if record is not None or call.beyond_plan else None
            _add_most(to_ask, call, evaluation.models[call.model], again)
        return as_example(call)

    for sample in samples_on_file(evaluation, recorded):
        shape = sample.queue, sample.shape
        untouched = not costs and sample.id not in recorded.samples
        if untouched and (same := of_shape.get(shape)) is not None:
            to_ask.add(same)
            continue
        before = replace(to_ask, of_model=Counter(to_ask.of_model))
        evaluation.driven(sample, answer)
        if untouched:
            of_shape[shape] = to_ask.since(before)
    return to_ask


def _add_most(to_ask: ToAsk, call: Call, model: ModelSpec, limit_again: int | None) -> None:
    """Add what a call costs at most, and what may follow it, which may be allowed more tokens."""
    limit = call.max_output_tokens
    if limit is not None:
        call = replace(call, max_output_tokens=max(limit, limit_again or 0))
    longer = replace(call, max_output_tokens=limit and max(call.longest or limit, limit_again or 0))
    most, follows = worst_case(call, model.price), worst_case(longer, model.price)
    to_ask.cost(model.name, None if most is None or follows is None else most + call.up_to * follows)


def replayed(context: RunContext, evaluation: Evaluation, sample: Sample) -> SampleResult | None:
    """A sample with its replies out of the log, counted as asking would count them; None where there is anything to ask."""
    recorded = context.recorded
    if recorded is None or context.copies or context.reopen_failed or sample.id not in recorded.samples:
        return None
    answered: list[tuple[Pending, KnownReply]] = []

    def answer(call: Call) -> Reply:
        model = evaluation.models[call.model]
        pending = Pending(call, sample, model, call_key(call, model))
        record = recorded.record(pending.key)
        on_file = known_reply(context, pending, record, False) if record is not None and record["final"] else None
        if on_file is None:
            raise _OpenError
        answered.append((pending, on_file))
        return on_file.reply

    row = evaluation.driven(sample, answer)
    if row.error or len(row.replies) != len(answered):
        return None
    for pending, on_file in answered:
        context.progress.call_ended(on_file.reply, replayed=True, cached=on_file.cached, free=on_file.free)
        pending.end(context.budget)
    return row
