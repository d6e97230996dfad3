"""Every sentence that says what ratings show of a scorer: one table, each tried by simulation.

tests/laws/test_true_scorer_sentences.py draws planted truths for each of them; a sentence without a trial fails there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from tui_eval.core.plaintext import count_of, one_line
from tui_eval.results.sums.in_words import percent, points, span
from tui_eval.results.sums.scorers.scorer_bench import CHOSEN_COVERAGE, FRESH, WRONG, ModelGap, ScorerError, least_error

ScorerSentence = Literal["error", "unknown", "wrong", "gap", "chosen", "fresh"]

SCORER_SENTENCES: Final[dict[ScorerSentence, str]] = {
    "error": "{scorer} errs on {value} {span} of {n} by {rated}: {accepts} false accepts, {rejects} false rejects",
    "unknown": "{scorer} errs on {span} % of {n} by {rated}, of which none is about a part of the replies",
    "wrong": "{scorer} is wrong too often: its error is above {bound}",
    "gap": "{scorer} is more lenient on {model} than on {than}, by {points} points {span}: it moves their ranks",
    "chosen": "{scorer} has the least error, chosen among {k} by the same ratings: its interval holds in {share} of 100 such"
    " choices or more; {fresh}, counted alone (--after {n}), give an unbiased figure",
    "fresh": "{scorer}, chosen by the first {n}, errs on {value} {span} of {replies} by {rated} after them: this figure is"
    " unbiased",
}


def error_words(error: ScorerError) -> list[str]:
    """Return the sentences about one scorer: its error, whether it is found wrong, and models whose ranks it moves."""
    name, n, rated = (
        one_line(error.scorer, 60),
        count_of(error.n_replies, "reply", "replies"),
        count_of(error.n_rated, "rating"),
    )
    ends = span(error.error.low, error.error.high)
    if error.error.value is None:
        sentences = [SCORER_SENTENCES["unknown"].format(scorer=name, span=ends, n=n, rated=rated)]
    else:
        accepts, rejects = percent(error.false_accepts.value), percent(error.false_rejects.value)
        value = percent(error.error.value)
        words = SCORER_SENTENCES["error"]
        sentences = [words.format(scorer=name, value=value, span=ends, n=n, rated=rated, accepts=accepts, rejects=rejects)]
    if error.is_wrong:
        sentences.append(SCORER_SENTENCES["wrong"].format(scorer=name, bound=percent(WRONG, 0)))
    return [*sentences, *(_gap_words(name, gap) for gap in error.gaps)]


def _gap_words(name: str, gap: ModelGap) -> str:
    model, than = one_line(gap.lenient_on, 60), one_line(gap.than, 60)
    by, ends = points(gap.value, sign=False), span(gap.low, gap.high)
    return SCORER_SENTENCES["gap"].format(scorer=name, model=model, than=than, points=by, span=ends)


def chosen_words(errors: Sequence[ScorerError], n_rated: int) -> str:
    """Return how far the error of the best scorer may be believed; empty where there is no choice.

    `n_rated`: replies that persons have looked at so far, also those of which nobody could tell.
    """
    k = len(errors)
    best = least_error(errors)
    if best is None or k < 2:
        return ""
    coverage = CHOSEN_COVERAGE[min((size for size in CHOSEN_COVERAGE if size >= k), default=max(CHOSEN_COVERAGE))]
    name, share, fresh = one_line(best.scorer, 60), round(100 * coverage), count_of(FRESH, "fresh rating")
    return SCORER_SENTENCES["chosen"].format(scorer=name, k=k, share=share, fresh=fresh, n=n_rated)


def fresh_words(before: Sequence[ScorerError], fresh: Sequence[ScorerError], n_before: int) -> str:
    """Return the error of the scorer that was chosen `before`, by the ratings after so many; empty where none is known."""
    best = least_error(before)
    error = next((each for each in fresh if best is not None and each.scorer == best.scorer), None)
    if error is None or error.error.value is None:
        return ""
    return SCORER_SENTENCES["fresh"].format(
        scorer=one_line(error.scorer, 60),
        n=count_of(n_before, "rating"),
        value=percent(error.error.value),
        span=span(error.error.low, error.error.high),
        replies=count_of(error.n_replies, "reply", "replies"),
        rated=count_of(error.n_rated, "rating"),
    )
