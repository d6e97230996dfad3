"""Laws that every kind of evaluation keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import SAMPLES

from tui_eval.drive import all_items, driven
from tui_eval.kinds import KINDS
from tui_eval.loading import Loaded
from tui_eval.types import Call, Item, Reply, Row, call_key

SLOW_FIXTURE = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
OUTCOMES = st.sampled_from(["ok", "ok", "ok", "unreadable", "error", "timeout", "skipped_budget"])


def items_of(loaded: Loaded) -> list[Item]:
    evaluation = loaded.evaluation
    return list(all_items(evaluation.kind, evaluation.config, evaluation.files, evaluation.repeat))


def drive(loaded: Loaded, item: Item, answer: Callable[[Call], Reply]) -> Row:
    row = driven(loaded.evaluation.kind, loaded.evaluation.config, item, answer)
    assert row.error == ""
    return row


def good(call: Call) -> Reply:
    return Reply(call, "ok", text=call.example)


def ended(call: Call, outcome: str) -> Reply:
    if outcome == "ok":
        return good(call)
    if outcome == "unreadable":
        return Reply(call, "ok", text="no idea what to say")
    if outcome == "error":
        return Reply(call, "error", error_kind="transient", error_message="it failed")
    return Reply(call, outcome, error_message="it failed")  # type: ignore[arg-type]


def test_every_kind_has_a_sample() -> None:
    """A kind without a sample would keep no law."""

    assert {kind for kind, _ in SAMPLES} == set(KINDS)


def test_all_call_keys_differ(loaded: Loaded) -> None:
    """No two calls of a run are the same call: an answer is never mistaken for another's."""
    calls: list[Call] = []
    for item in items_of(loaded):
        calls += [reply.call for reply in drive(loaded, item, lambda call: ended(call, "unreadable")).replies]

    keys = Counter(call_key(call, loaded.evaluation.models[call.model]) for call in calls)

    assert max(keys.values()) == 1
    assert len(keys) == len(calls) > 0


def test_every_example_reads_as_a_good_reply(loaded: Loaded) -> None:
    """Driven by its own examples, a flow scores everything: what the plan assumes can be read."""
    rows = [drive(loaded, item, good) for item in items_of(loaded)]

    assert all(score.value is not None and not score.why for row in rows for score in row.scores)


@SLOW_FIXTURE
@given(data=st.data())
def test_whatever_fails_as_many_scores_come_back(loaded: Loaded, data: st.DataObject) -> None:
    """A failed, unread or unasked call costs its own value, never a row; and each missing value says why."""
    item = items_of(loaded)[0]
    expected = drive(loaded, item, good).scores

    scores = drive(loaded, item, lambda call: ended(call, data.draw(OUTCOMES))).scores

    assert [(s.stage, s.model, s.call_index) for s in scores] == [(s.stage, s.model, s.call_index) for s in expected]
    assert all(score.why for score in scores if score.value is None)
    assert all(score.value in (None, 0, 1) for score in scores)


@SLOW_FIXTURE
@given(data=st.data())
def test_a_call_with_nothing_to_build_on_is_not_asked(loaded: Loaded, data: st.DataObject) -> None:
    """A call is asked only if it follows nothing, or at least one of the replies it follows succeeded."""
    asked: list[Call] = []

    def answer(call: Call) -> Reply:
        asked.append(call)
        return ended(call, data.draw(OUTCOMES))

    row = drive(loaded, items_of(loaded)[0], answer)

    assert all(not call.follows or any(reply.ok for reply in call.follows) for call in asked)
    unasked = [reply for reply in row.replies if reply.call not in asked]
    assert all(reply.error_kind == "not_sent" and not reply.ok for reply in unasked)


def test_lanes_share_out_the_items(loaded: Loaded) -> None:
    """What the lanes ask, each by itself, is what is asked in all: every item once, in its own lane, in the same order."""
    evaluation = loaded.evaluation
    whole = items_of(loaded)

    for lane in dict.fromkeys(item.lane for item in whole):
        own = list(all_items(evaluation.kind, evaluation.config, evaluation.files, evaluation.repeat, lane))

        assert own == [item for item in whole if item.lane == lane]


def test_the_count_equals_the_driven_plan(loaded: Loaded) -> None:
    """The kind's own arithmetic counts what its flow really asks, by stage and model."""
    evaluation = loaded.evaluation
    items = items_of(loaded)
    driven_calls: Counter[tuple[str, str]] = Counter()
    for item in items:
        driven_calls.update((reply.call.stage, reply.call.model) for reply in drive(loaded, item, good).replies)

    counted = {
        (c.stage, c.model): c.calls for c in evaluation.kind.count(evaluation.config, Counter(item.lane for item in items))
    }

    assert counted == dict(driven_calls)


def test_unreadable_replies_cost_at_most_what_the_plan_says(loaded: Loaded) -> None:
    """With every reply unreadable, no stage asks more than its calls and the "up to" of the plan."""
    evaluation = loaded.evaluation
    items = items_of(loaded)
    asked: Counter[tuple[str, str]] = Counter()
    for item in items:
        row = drive(loaded, item, lambda call: ended(call, "unreadable"))
        asked.update((reply.call.stage, reply.call.model) for reply in row.replies)

    most = {
        (c.stage, c.model): c.calls + c.up_to
        for c in evaluation.kind.count(evaluation.config, Counter(item.lane for item in items))
    }

    assert all(asked[key] <= most[key] for key in asked)


def test_a_flow_is_a_function_of_its_replies(loaded: Loaded) -> None:
    """Driven twice by the same replies, a flow makes the same calls and the same scores."""
    item = items_of(loaded)[-1]

    first, second = (drive(loaded, item, lambda call: ended(call, "unreadable")) for _ in range(2))

    assert first == second
