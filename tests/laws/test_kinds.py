"""Laws that every kind of evaluation keeps."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import ALL_SAMPLES, tables_of
from soaking import WIDEST_LOADED

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.core.key import call_key
from tui_eval.core.results import SampleResult, Table
from tui_eval.core.samples import Sample
from tui_eval.evaluation.calls import AGAIN
from tui_eval.kinds import KINDS
from tui_eval.kinds.question_writing.filtering import example_reply
from tui_eval.reporting.result_lines import result_line
from tui_eval.results.answer_search import counts
from tui_eval.results.stored_samples import parse_sample

SLOW_FIXTURE = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
OUTCOMES = st.sampled_from(["ok", "ok", "ok", "unreadable", "error", "timeout", "skipped_budget"])


UNREAD = re.compile("unparsed|unread|can be read")
"""How say that there was a reply, and nothing in it."""


def items_of(loaded: Loaded) -> list[Sample]:
    evaluation = loaded.evaluation
    return list(evaluation.samples())


def drive(loaded: Loaded, item: Sample, answer: Callable[[Call], Reply]) -> SampleResult:
    row = loaded.evaluation.driven(item, answer)
    assert row.error == ""
    return row


def good(call: Call) -> Reply:
    return Reply(call, "ok", text=call.example_text)


def ended(call: Call, outcome: str) -> Reply:
    if outcome == "ok":
        return good(call)
    if outcome == "unreadable":
        return Reply(call, "ok", text="no idea what to say")
    if outcome == "error":
        return Reply(call, "error", error_kind="transient", error_message="it failed")
    return Reply(call, outcome, error_message="it failed")  # type: ignore[arg-type]


def test_every_kind_has_a_sample() -> None:
    """A kind without a sample would keep no law; it is told where one goes."""
    assert all(tables_of(kind) for kind in KINDS) and {kind for kind, _ in ALL_SAMPLES} == set(KINDS)

    with pytest.raises(LookupError, match=r"the kind 'a-new-kind' to TABLES in tests/support/samples\.py"):
        tables_of("a-new-kind")


def test_all_call_keys_differ(loaded: Loaded) -> None:
    """No two calls of a run are the same call: an answer is never mistaken for another's."""
    calls: list[Call] = []
    for item in items_of(loaded):
        calls += [reply.call for reply in drive(loaded, item, lambda call: ended(call, "unreadable")).replies]

    keys = Counter(call_key(call, loaded.evaluation.models[call.model]) for call in calls)

    assert max(keys.values()) == 1
    assert len(keys) == len(calls) > 0


def test_what_a_kind_cannot_read_and_asks_no_more_for_is_told(loaded: Loaded) -> None:
    """The last reply by which a score is missing as unreadable says so, to be asked again on the user's wish; an example can be
    read, no call is told from another by how it is read, and what a reminder follows is settled."""
    for item in items_of(loaded):
        assert not any(reply.unread for reply in drive(loaded, item, good).replies)
        row = drive(loaded, item, lambda call: ended(call, "unreadable"))
        unread = [reply for reply in row.replies if reply.unread]
        assert unread or not any(score.value is None and UNREAD.search(score.why) for score in row.scores)
        later = {reply.call.about for reply in row.replies if reply.call.beyond_plan}
        for call in (reply.call for reply in unread):
            key = call_key(call, loaded.evaluation.models[call.model])
            assert key == call_key(replace(call, reads=None), loaded.evaluation.models[call.model])
            assert call.beyond_plan or call.about + AGAIN not in later


def test_every_example_reads_as_a_good_reply(loaded: Loaded) -> None:
    """Driven by its own examples, a flow scores everything: what the plan assumes can be read."""
    rows = [drive(loaded, item, good) for item in items_of(loaded)]

    unread = [(row.sample.id, s.stage, s.model, s.name, s.why) for row in rows for s in row.scores if s.value is None or s.why]
    assert unread == [], "a call's example must be a reply that the flow reads, by the longest way it can take"


def test_no_example_is_made_where_replies_are_stored(loaded: Loaded) -> None:
    """Examples of written questions are dear, and only the plan needs them: reports drive a flow by its replies alone."""
    for item in items_of(loaded):
        texts = {
            call_key(reply.call, loaded.evaluation.models[reply.call.model]): reply.text
            for reply in drive(loaded, item, good).replies
        }
        before = example_reply.cache_info()

        row = drive(
            loaded,
            item,
            lambda call: Reply(call, "ok", text=texts[call_key(call, loaded.evaluation.models[call.model])]),  # noqa: B023
        )

        assert example_reply.cache_info() == before and {reply.text for reply in row.replies} <= set(texts.values())


def test_every_slot_of_a_prompt_is_filled(loaded: Loaded) -> None:
    """No prompt goes out with the name of a slot in it, as one does that was filled under another name."""
    slots = {f"{{{slot}}}" for slots in loaded.evaluation.kind.prompts.values() for slot in slots}

    for item in items_of(loaded):
        for reply in drive(loaded, item, lambda call: ended(call, "unreadable")).replies:
            for message in reply.call.messages:
                assert not [slot for slot in slots if slot in message.content], reply.call.stage


@WIDEST_LOADED
@SLOW_FIXTURE
@given(data=st.data())
def test_whatever_fails_as_many_scores_come_back(loaded: Loaded, data: st.DataObject) -> None:
    """A failed, unread or unasked call costs its own value, never a row; and each missing value says why.

    Where models write what is scored there may be more, of what was dropped and asked for again.
    """
    item = items_of(loaded)[0]
    expected = drive(loaded, item, good).scores

    scores = drive(loaded, item, lambda call: ended(call, data.draw(OUTCOMES))).scores

    if loaded.evaluation.kind.set_maker.set_name:
        assert Counter((s.stage, s.model) for s in scores) >= Counter((s.stage, s.model) for s in expected)
    else:
        assert [(s.stage, s.model, s.call_index) for s in scores] == [(s.stage, s.model, s.call_index) for s in expected]
    assert all(score.why for score in scores if score.value is None)
    metrics = {metric.name: metric for metric in loaded.evaluation.kind.metrics}
    assert {score.name for score in scores} <= metrics.keys()
    assert all(score.value is None or metrics[score.name].holds(score.value) for score in scores)


@WIDEST_LOADED
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
    """What the queues ask, each by itself, is what is asked in all: every item once, in its own queue, in the same order."""
    evaluation = loaded.evaluation
    whole = items_of(loaded)

    for queue in dict.fromkeys(item.queue for item in whole):
        own = list(evaluation.samples(queue))

        assert own == [item for item in whole if item.queue == queue]


def planned_calls(loaded: Loaded, more: bool = False) -> dict[tuple[str, str], int]:
    """Calls by stage and model, as the plan has them; `more`: with those that may follow."""
    stages = loaded.plan["stages"]
    return {(stage["stage"], stage["model"]): stage["calls"] + more * stage["up_to_more"] for stage in stages}


def test_the_plan_equals_the_driven_calls(loaded: Loaded) -> None:
    """What is planned from one item of each shape is what all items really ask, by stage and model."""
    driven_calls: Counter[tuple[str, str]] = Counter()
    for item in items_of(loaded):
        driven_calls.update((reply.call.stage, reply.call.model) for reply in drive(loaded, item, good).replies)

    assert planned_calls(loaded) == dict(driven_calls)


def test_unreadable_replies_cost_at_most_what_the_plan_says(loaded: Loaded) -> None:
    """With every reply unreadable, no stage asks more than its calls and the "up to" of the plan."""
    asked: Counter[tuple[str, str]] = Counter()
    for item in items_of(loaded):
        row = drive(loaded, item, lambda call: ended(call, "unreadable"))
        asked.update((reply.call.stage, reply.call.model) for reply in row.replies)

    most = planned_calls(loaded, more=True)

    beyond = {key: (n, most.get(key, 0)) for key, n in asked.items() if n > most.get(key, 0)}
    assert beyond == {}, "more asked than planned, with `up_to`; does an example take a shorter way than an unreadable reply?"


def test_what_follows_planned_calls_says_so(loaded: Loaded) -> None:
    """With every reply unreadable, the calls that do not say that they are beyond the plan are no more than the planned ones;
    with every reply read, none says so; and the log tells which do by how `about` ends."""
    ordinary: Counter[tuple[str, str]] = Counter()
    for item in items_of(loaded):
        calls = [reply.call for reply in drive(loaded, item, lambda call: ended(call, "unreadable")).replies]
        ordinary.update((call.stage, call.model) for call in calls if not call.beyond_plan)
        assert all(call.about.endswith(AGAIN) == call.beyond_plan for call in calls)
        assert not any(reply.call.beyond_plan for reply in drive(loaded, item, good).replies)

    assert ordinary <= Counter(planned_calls(loaded)), "more calls than planned: those that follow come from beyond_plan()"


def test_a_flow_is_a_function_of_its_replies(loaded: Loaded) -> None:
    """Driven twice by the same replies, a flow makes the same calls and the same scores."""
    item = items_of(loaded)[-1]

    first, second = (drive(loaded, item, lambda call: ended(call, "unreadable")) for _ in range(2))

    assert first == second


# ------------------------------------------------------------------------------------- what a reader of results.jsonl finds


def mixed(loaded: Loaded) -> list[SampleResult]:
    """Every item driven, with good replies, bad ones and failures among them."""
    outcomes = ("ok", "ok", "ok", "ok", "unreadable", "error", "timeout", "skipped_budget")
    dice = random.Random(5)
    return [drive(loaded, item, lambda call: ended(call, dice.choice(outcomes))) for item in items_of(loaded)]


def told(loaded: Loaded) -> tuple[list[Any], Mapping[str, Table], list[Table]]:
    """The lines of results.jsonl of such a run, its tables, and those that a person reads first."""
    reporter, rows = loaded.evaluation.reporter(), mixed(loaded)
    for row in rows:
        reporter.add(row)
    lines = [json.loads(result_line(loaded.evaluation, row)) for row in rows]
    return lines, reporter.tables(), list(reporter.headline())


WARNED = re.compile("Fewer than 95 % have a score, the others may be of another sort(: [^\n]*)")


def warnings_of(loaded: Loaded, rows: list[SampleResult]) -> tuple[dict[str, list[str]], list[str]]:
    """The warnings of low coverage in the notes of each table that has any, and in what a person reads first."""
    reporter = loaded.evaluation.reporter()
    for row in rows:
        reporter.add(row)
    found = {name: WARNED.findall(table.note) for name, table in reporter.tables().items()}
    return {name: told for name, told in found.items() if told}, WARNED.findall(
        "\n".join(table.note for table in reporter.headline())
    )


def test_means_of_marks_that_are_missing_warn_of_it(loaded: Loaded) -> None:
    """Law (METHOD.md D7): where every judge can be read, nothing warns; where none can, each table of means does so once, and
    what is read first names every model and metric that lost its marks, each once. Where nobody judges, nothing warns of it."""
    evaluation = loaded.evaluation
    judges = [stage.name for stage in evaluation.kind.stages if stage.role == "judge" and stage.name in evaluation.task.asked]
    items = items_of(loaded)
    sound = [drive(loaded, item, good) for item in items]
    blind = [drive(loaded, item, lambda call: ended(call, ["ok", "unreadable"][call.stage in judges])) for item in items]
    lost = {(score.model, score.name) for row in blind for score in row.scores if score.value is None and judges}

    assert warnings_of(loaded, sound) == ({}, [])
    tables, first = warnings_of(loaded, blind)

    assert {len(told) for told in tables.values()} <= {1} and bool(tables) == bool(first) == bool(lost)
    assert all(sentence in (told for (told,) in tables.values()) or len(tables) == 1 for sentence in first)
    for model, metric in lost:
        named = [sentence for sentence in first if re.search(rf" {metric}[:,]", sentence)]
        assert len(named) == 1 and re.search(rf"[ :]{model} 0 of [0-9]+ \(0\.0 %\)", named[0]), (model, metric, first)


def table_rows(table: Table) -> Iterator[tuple[dict[str, Any], Any]]:
    """(cells by column, what the row rests on)."""
    for row, rests_on in zip(table.rows, table.rests_on, strict=True):
        yield dict(zip(table.columns, row, strict=True)), rests_on


def rested(lines: list[Any], rests_on: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """(line, score) of the scores with a value that a row rests on."""
    samples = [(line, parse_sample(json.dumps(line).encode())) for line in lines]
    return [
        (line, score)
        for line, sample in samples
        if sample is not None
        for score, mark in zip(line["scores"], sample.marks, strict=True)
        if counts(mark, sample, rests_on) and score["value"] is not None
    ]


def test_an_item_says_what_was_asked(loaded: Loaded) -> None:
    """Every line has the question as it was asked, and names replies that there are, and answers, as the answers kept. What
    finds out about judges has no line."""
    for row in mixed(loaded):
        if row.sample.checks_judge:
            continue
        line = json.loads(result_line(loaded.evaluation, row))

        assert line["question"].strip()
        first = row.replies[0].call.messages[-1].content
        assert line["question"].split("\n")[0] in first, "Sample.question is what is asked: it stands in the first call"
        assert line["truth"] is None or line["truth"].strip()
        assert line["primary"] and len(set(line["primary"])) == len(line["primary"])
        assert all(0 <= place < len(line["replies"]) for place in line["primary"])
        assert len({line["replies"][place]["stage"] for place in line["primary"]}) == 1
        assert all(values and all(isinstance(value, str) for value in values) for values in line["groups"].values())


def test_every_group_of_a_table_is_a_group_of_its_items(loaded: Loaded) -> None:
    """A row about a group finds its items by the groups that their lines name, and says so in what it rests on."""
    lines, tables, _ = told(loaded)

    for table in tables.values():
        for cells, rests_on in table_rows(table):
            if "by" in cells:
                by, value = cells["by"].value, cells["value"].value
                assert any(value in line["groups"].get(by, []) for line in lines)
                assert (rests_on["by"], rests_on["value"]) == (by, value)


def test_a_rows_scores_are_as_many_as_it_says(loaded: Loaded) -> None:
    """Counted in results.jsonl, the scores with a value that an accuracy rests on are its n, in every table there is."""
    lines, tables, headline = told(loaded)
    counted = 0

    for table in (*tables.values(), *headline):
        for cells, rests_on in table_rows(table):
            if "accuracy" in cells:
                found = rested(lines, rests_on)
                scored = cells.get("n_scored", cells.get("n_replies"))
                assert scored is None or len(found) == scored.value
                counted += len(found)
                if "n_correct" in cells:
                    assert sum(score["value"] for _, score in found) == cells["n_correct"].value

    assert counted or not any("accuracy" in table.columns for table in tables.values())


def test_other_rows_find_their_scores_too(loaded: Loaded) -> None:
    """The same for patterns, questions and pairs, each by what it counts; what rests on all models' answers says nothing."""
    lines, tables, _ = told(loaded)

    for name, table in tables.items():
        for cells, rests_on in table_rows(table):
            if name == "patterns":
                assert len(rested(lines, rests_on)) == cells["n"].value
            elif name == "questions_by_difficulty":
                assert len({score["model"] for _, score in rested(lines, rests_on)}) == cells["n_models"].value
            elif name == "pairs":
                sides = Counter(
                    ((line["unit"]["item"], *line["unit"]["clusters"]), line["repeat"], score["call_index"])
                    for line, score in rested(lines, rests_on)
                )  # answers that both sides have: each of a pair's sides brings one
                assert len({item for (item, *_), n in sides.items() if n >= 2}) == cells["n"].value
            elif name == "agreement":
                assert rests_on is None
            elif name in ("letters", "bias", "consistency"):
                assert rested(lines, rests_on)


def test_every_share_says_its_n(loaded: Loaded) -> None:
    """A cell that is a rate is told with the number it is a rate of, an accuracy of something with its interval as well."""
    _, tables, headline = told(loaded)

    for table in (*tables.values(), *headline):
        for cells, _ in table_rows(table):
            for name, cell in cells.items():
                if "accuracy" in name or "share" in name or name in ("consistency", "recall", "picked", "difference"):
                    assert cell.n is not None and (cell.formula or name in ("picked", "difference"))
                if name == "accuracy" and cell.n:
                    assert cell.low is not None and cell.high is not None and cell.low <= cell.high
