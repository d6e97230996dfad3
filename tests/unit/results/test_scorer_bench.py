"""Laws of the scorer bench: the order of ratings, and errors of scorers by them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.results.sums.scorers.scorer_bench import (
    AGREE,
    DIFFER,
    BenchReply,
    agreeing_share,
    least_error,
    rating_order,
    scorer_errors,
)
from tui_eval.results.sums.scorers.scorer_sentences import chosen_words, error_words

VERDICTS = st.sampled_from([True, True, False, None])
REPLIES = st.lists(st.tuples(st.sampled_from("abc"), VERDICTS, VERDICTS), max_size=60).map(
    lambda rows: [BenchReply(n, model, {"x": x, "y": y}) for n, (model, x, y) in enumerate(rows)]
)


@given(REPLIES, st.integers(0, 9))
def test_every_reply_comes_once_and_at_least_half_of_each_beginning_agrees(replies: list[BenchReply], seed: int) -> None:
    """While there are any of both; the seed alone decides the order."""
    order = rating_order(replies, seed)
    assert sorted(reply.place for reply in order) == [reply.place for reply in replies]  # type: ignore[type-var]
    assert order == rating_order(replies, seed)
    n_agree = sum(reply.stratum == AGREE for reply in replies)
    n_differ = len(replies) - n_agree
    share = agreeing_share(n_agree, n_differ)
    assert 0.5 <= share <= 0.75
    for n in range(len(order)):
        agreeing = sum(reply.stratum == AGREE for reply in order[:n])
        if agreeing < n_agree and n - agreeing < n_differ:
            assert agreeing == math.ceil(share * n)


@given(REPLIES, st.integers(0, 60), st.data())
def test_errors_are_false_accepts_and_false_rejects(replies: list[BenchReply], n: int, data: st.DataObject) -> None:
    """Of every scorer with a value and of every model; rated whole, they are what the ratings come to."""
    order = rating_order(replies, 0)
    said = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    ratings = {reply.place: right for reply, right in zip(order[:n], said, strict=False)}
    for error in scorer_errors(replies, ratings):
        parts = [error, *error.by_model]
        for part in parts:
            accepts, rejects = part.false_accepts.value, part.false_rejects.value
            if part.error.value is not None and accepts is not None and rejects is not None:
                assert part.error.value == pytest.approx(accepts + rejects)
        valued = [reply for reply in replies if reply.verdicts[error.scorer] is not None]
        assert error.n_rated == sum(part.n_rated for part in error.by_model)
        if all(reply.place in ratings for reply in valued):
            wrong = sum(reply.verdicts[error.scorer] != ratings[reply.place] for reply in valued)
            assert (error.error.low, error.error.high) == pytest.approx((wrong / len(valued),) * 2)


def test_a_scorer_that_is_often_wrong_is_called_so() -> None:
    """Above 5 % with its whole interval; the other is the one of least error, chosen among two."""
    replies = [BenchReply(n, "ab"[n % 2], {"good": n % 3 > 0, "bad": n % 3 == 0}) for n in range(300)]
    ratings = {reply.place: bool(reply.verdicts["good"]) for reply in rating_order(replies, 1)[:20]}
    errors = scorer_errors(replies, ratings)
    assert [each.is_wrong for each in errors] == [False, True]
    best = least_error(errors)
    assert best is not None and best.scorer == "good"
    assert "bad is wrong too often: its error is above 5 %" in error_words(errors[1])
    assert chosen_words(errors, 20).startswith("good has the least error, chosen among 2 by the same ratings")
    assert replies[0].stratum == DIFFER and chosen_words(errors[:1], 20) == ""


def test_a_scorer_that_favours_one_model_moves_ranks() -> None:
    """It accepts whatever `long` says, and is right about `short`."""
    replies = [BenchReply(n, ("long", "short")[n % 2], {"x": n % 2 == 0 or n % 4 == 1, "y": n % 4 < 2}) for n in range(400)]
    ratings = {reply.place: bool(reply.verdicts["y"]) for reply in rating_order(replies, 1)[:60]}
    gap = scorer_errors(replies, ratings)[0].gaps[0]
    assert (gap.lenient_on, gap.than) == ("long", "short") and 0 < gap.low < gap.value < gap.high
    assert "x is more lenient on long than on short" in " ".join(error_words(scorer_errors(replies, ratings)[0]))


def test_without_ratings_nothing_is_known() -> None:
    """The interval is the whole scale, and no scorer is the best."""
    errors = scorer_errors([BenchReply(0, "a", {"x": True, "y": None})], {})
    assert [(each.scorer, each.error.value, each.error.low, each.error.high) for each in errors] == [("x", None, 0.0, 1.0)]
    assert least_error(errors) is None and chosen_words(errors, 20) == ""
    assert error_words(errors[0]) == [
        "x errs on [0.0, 100.0] % of 1 reply by 0 ratings, of which none is about a part of the replies"
    ]
