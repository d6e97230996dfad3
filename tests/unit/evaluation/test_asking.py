"""Laws of parts of a flow that go on side by side: in whatever order they are told, they come to the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import call

from tui_eval.core.calls import Call, Reply
from tui_eval.evaluation.calls import Part, RepliesOf, SideBySide, together
from tui_eval.kinds.pipeline.answers_by_id import asked_by_id

SIZES = st.lists(st.lists(st.integers(1, 3), max_size=4), min_size=2, max_size=4)
"""By part: how many calls each of its steps wants."""


def part(place: int, sizes: Sequence[int]) -> Part[list[str]]:
    """Asks so many calls at each step, and returns what it was told."""
    told: list[str] = []
    for step, size in enumerate(sizes):
        replies = yield [replace(call(), about=f"{place} {step} {n}") for n in range(size)]
        told += [reply.call.about for reply in replies]
    return told


def summed(places: set[int], wanted: int) -> Part[list[str]] | None:
    """A part that rests on the others: there once all have begun their last step."""
    return part(9, [2, 1]) if len(places) == wanted else None


def answered(calls: Sequence[Call]) -> list[Reply]:
    """A reply to each."""
    return [Reply(one, "ok", text="") for one in calls]


def in_step(parts: Sequence[Sequence[int]], late: bool) -> tuple[list[list[str]], list[str]]:
    """What parts return that are told all at once, and what was asked, in order."""
    asked: list[str] = []
    flow = flow_of(parts, late)
    try:
        calls = next(flow)
        while True:
            asked += [one.about for one in calls]
            calls = flow.send(answered(calls))
    except StopIteration as end:
        return end.value, asked


def flow_of(parts: Sequence[Sequence[int]], late: bool) -> Part[list[list[str]]]:
    """The parts together; with `late` one more that rests on all of them."""
    over: set[int] = set()

    def noted(place: int, sizes: Sequence[int]) -> Part[list[str]]:
        found = yield from part(place, sizes)
        over.add(place)
        return found

    return together(
        [noted(place, sizes) for place, sizes in enumerate(parts)], (lambda: summed(over, len(parts))) if late else None
    )


@given(SIZES, st.booleans(), st.randoms(use_true_random=False))
def test_in_any_order_the_same_is_asked_and_returned(parts: list[list[int]], late: bool, chance: object) -> None:
    """Each part is told when its own replies are there, one part at a time, the quickest first by chance."""
    asked: list[str] = []
    waiting: dict[int, Sequence[Call]] = {}
    flow = flow_of(parts, late)
    try:
        calls = next(flow)
        while True:
            assert isinstance(calls, SideBySide)
            assert not calls.parts.keys() & waiting.keys(), "who waits for replies wants nothing else"
            waiting |= calls.parts
            asked += [one.about for one in calls]
            place = chance.choice(sorted(waiting))  # type: ignore[attr-defined]
            calls = flow.send(RepliesOf(place, answered(waiting.pop(place))))
    except StopIteration as end:
        found = end.value
    assert not waiting
    expected, in_order = in_step(parts, late)
    assert found == expected and sorted(asked) == sorted(in_order)


CUT_BEHIND_ONE = '{"answers": [{"id": 1, "answer": "rye"}]} and then'
CUT_AT_ONCE = '{"answers": [{"id'


@pytest.mark.parametrize(
    ("texts", "limits", "answers"),
    [
        ([CUT_AT_ONCE, '{"1": "rye", "2": "oats"}'], [100, 400], {"1": "rye", "2": "oats"}),
        ([CUT_BEHIND_ONE, '{"2": "oats"}'], [100, 100], {"1": "rye", "2": "oats"}),
        ([CUT_AT_ONCE, CUT_AT_ONCE], [100, 400], {}),
        ([CUT_BEHIND_ONE, CUT_AT_ONCE], [100, 100], {"1": "rye"}),
    ],
)
def test_answers_that_were_cut_are_asked_for_with_room_and_the_rest_of_them_alone(
    texts: Sequence[str], limits: Sequence[int], answers: Mapping[str, str]
) -> None:
    """What is missing in the end says at which limit its reply was cut."""
    asked = replace(call(), max_output_tokens=100, longest=400)
    flow, calls, told = asked_by_id([asked], [["1", "2"]], "Missing: {ids}"), [], iter(texts)
    wanted = next(flow)
    try:
        while True:
            calls += wanted
            wanted = flow.send([Reply(one, "ok", text=next(told), finish_reason="length") for one in wanted])
    except StopIteration as end:
        (found,) = end.value

    assert [one.max_output_tokens for one in calls] == list(limits)
    assert found.answers == dict(answers)
    said = {f"truncated: cut at {limits[-1]} tokens; raise run.max_output_tokens"}
    assert set(found.why) == {"1", "2"} - set(answers) and set(found.why.values()) <= said
