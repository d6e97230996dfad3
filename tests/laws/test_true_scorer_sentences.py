"""Law: every sentence about a scorer's error is true, as often as it promises, of planted truths rated in the bench's order."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tui_eval.results.sums.scorers.scorer_bench import CHOSEN_COVERAGE, BenchReply, least_error, rating_order, scorer_errors
from tui_eval.results.sums.scorers.scorer_sentences import SCORER_SENTENCES, chosen_words, error_words, fresh_words
from tui_eval.statistics.estimates import wilson

DRAWS = 150


@dataclass(frozen=True)
class World:
    """Replies with the verdicts of scorers, and what a person would say of each."""

    replies: list[BenchReply]
    truths: dict[object, bool]

    def error(self, scorer: str) -> float:
        """The scorer's error over all replies."""
        return sum(reply.verdicts[scorer] != self.truths[reply.place] for reply in self.replies) / len(self.replies)


def world(rng: random.Random, errors: list[float], alike: float, n: int = 200) -> World:
    """Replies of two models; `alike`: how often all scorers are wrong together, else each by itself."""
    replies, truths = [], {}
    for place in range(n):
        right = rng.random() < 0.6
        together = rng.random() < alike
        verdicts = {f"s{k}": (right != (together or rng.random() < error)) for k, error in enumerate(errors)}
        replies.append(BenchReply(place, "ab"[place % 2], verdicts))  # type: ignore[arg-type]
        truths[place] = right
    return World(replies, truths)  # type: ignore[arg-type]


def rated(one: World, rng: random.Random, n: int) -> dict[object, bool]:
    """So many ratings of a person who says what is true."""
    return {reply.place: one.truths[reply.place] for reply in rating_order(one.replies, rng.randrange(1 << 30))[:n]}


def holds(rng: random.Random) -> bool:
    """The interval of a fixed scorer holds its error."""
    one = world(rng, [0.05, 0.3], 0.03)
    error = scorer_errors(one.replies, rated(one, rng, 20))[0]
    assert "s0 errs on" in error_words(error)[0]
    return error.error.low <= one.error("s0") <= error.error.high


def holds_in_part(rng: random.Random) -> bool:
    """The interval where one stratum has no rating."""
    one = world(rng, [0.05, 0.3], 0.03)
    ratings = {place: right for place, right in rated(one, rng, 20).items() if one.replies[int(str(place))].stratum == "agree"}
    error = scorer_errors(one.replies, ratings)[0]
    assert "of which none is about a part" in error_words(error)[0]
    return error.error.low <= one.error("s0") <= error.error.high


def is_not_called_wrong(rng: random.Random) -> bool:
    """A scorer of an error below 5 % is not called wrong."""
    one = world(rng, [0.02, 0.2], 0.02)
    words = error_words(scorer_errors(one.replies, rated(one, rng, 40))[0])
    return one.error("s0") > 0.05 or not any("wrong too often" in line for line in words)


def is_not_called_partial(rng: random.Random) -> bool:
    """A scorer that errs alike on both models is not said to move their ranks."""
    one = world(rng, [0.2, 0.2], 0.05)
    words = error_words(scorer_errors(one.replies, rated(one, rng, 60))[0])
    return not any("more lenient" in line for line in words)


def holds_when_chosen(rng: random.Random) -> bool:
    """The interval of the best of five holds its error."""
    one = world(rng, [0.3] * 5, 0.05)
    errors = scorer_errors(one.replies, rated(one, rng, 20))
    best = least_error(errors)
    assert best is not None and "chosen among 5" in chosen_words(errors, 20)
    return best.error.low <= one.error(best.scorer) <= best.error.high


def holds_afresh(rng: random.Random) -> bool:
    """The interval of the best of five by the ratings after its choice holds its error."""
    one = world(rng, [0.3] * 5, 0.05, 2_000)
    ratings = list(rated(one, rng, 40).items())
    before, fresh = (scorer_errors(one.replies, dict(part)) for part in (ratings[:20], ratings[20:]))
    best = least_error(before)
    assert best is not None and f"{best.scorer}, chosen by the first 20 ratings" in fresh_words(before, fresh, 20)
    error = next(each.error for each in fresh if each.scorer == best.scorer)
    return error.low <= one.error(best.scorer) <= error.high


TRIALS: dict[str, tuple[Callable[[random.Random], bool], float]] = {
    "error": (holds, 0.93),
    "unknown": (holds_in_part, 0.93),
    "wrong": (is_not_called_wrong, 0.95),
    "gap": (is_not_called_partial, 0.95),
    "fresh": (holds_afresh, 0.93),
    "chosen": (holds_when_chosen, CHOSEN_COVERAGE[5]),
}


def test_every_sentence_is_tried() -> None:
    """The table has no sentence without a trial, and no trial is of a sentence that is gone."""
    assert TRIALS.keys() == SCORER_SENTENCES.keys()


@pytest.mark.parametrize("name", SCORER_SENTENCES)
def test_a_sentence_is_true_as_often_as_it_promises(name: str) -> None:
    """It fails only where a 99 % interval of the simulated rate lies below the promise."""
    trial, least = TRIALS[name]
    held = sum(trial(random.Random(f"{name} {draw}")) for draw in range(DRAWS))
    _, high = wilson(held, DRAWS, 0.99) or (0.0, 1.0)
    assert high >= least, f"{held} of {DRAWS}"
