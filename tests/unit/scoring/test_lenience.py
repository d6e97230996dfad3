"""A scorer's lenience: its share of passes, and the same where targets are exchanged among samples."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scorer_cases import expected_of, failed, reply_of

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.lenience import exchanged, leniences, suggested_rows
from tui_eval.evaluation.scoring.scorer_table import row_of

TARGETS = st.lists(st.none() | st.sampled_from("abcdefgh").map(lambda one: (one,)), max_size=30)


@given(TARGETS, st.integers(0, 9))
def test_nobody_is_given_its_own_targets(targets: list[tuple[str, ...] | None], seed: int) -> None:
    """Each sample with targets gets another's that differ, each is given away at most once; all do unless more than half
    have the same. Decided by the seed."""
    others = exchanged(targets, seed)
    given_away = [other for other in others if other is not None]
    present = [each for each in targets if each]
    most = max((present.count(each) for each in present), default=0)

    assert others == exchanged(targets, seed) and len(given_away) == len({*given_away})
    assert all(targets[other] not in (None, targets[n]) for n, other in enumerate(others) if other is not None)
    assert len(given_away) == len(present) if 2 * most <= len(present) else len(given_away) == 2 * (len(present) - most)


def test_what_accepts_anything_is_told(fence: Fence) -> None:
    """A rule that finds any small number in long replies passes other targets as well; the number rule does not."""
    digits = " ".join(map(str, range(10)))
    replies = [reply_of(f"I weigh {digits} and say {n % 10}") for n in range(40)]
    expected = [expected_of(str(n % 10)) for n in range(40)]
    rows = [
        row_of("contains"),
        row_of("number"),
        row_of("f1"),
        row_of("length"),
        row_of({"use": "f1", "name": "low", "threshold": 0.01}),
    ]

    found = {each.name: each for each in leniences(rows, replies, expected, 7, fence)}

    assert {*found} == {"contains", "number", "low"}
    assert str(found["contains"]) == "`contains` 100 % (shuffled 100 %: too lenient)" and found["contains"].is_lenient
    assert str(found["number"]) == "`number` 100 % (shuffled 0 %)" and not found["number"].is_lenient


def test_missing_replies_and_equal_targets(fence: Fence) -> None:
    """Replies that are missing count in neither share; where all targets are equal there is nothing to exchange."""
    replies = [reply_of("yes"), reply_of("no"), failed("timeout")]

    same = leniences([row_of("exact")], replies, [expected_of("yes")] * 3, 1, fence)
    none = leniences([row_of("exact")], replies, [expected_of(None)] * 3, 1, fence)

    assert [(each.n, each.share, each.shuffled_share) for each in same] == [(2, 0.5, None)] and str(same[0]) == "`exact` 50 %"
    assert none == [] and [row.use for row in suggested_rows()] == ["exact", "em", "contains", "number", "choice"]
