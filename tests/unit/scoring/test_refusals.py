"""Scorer `is_refusal`: its error on the examples by which the list was not mended; they are no blind test."""

from __future__ import annotations

from refusal_examples import ANSWERS, REFUSALS
from scorer_cases import failed, scored

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.scoring.refusal_rule import phrases, refusal_phrase

MOST_WRONG = 1
"""Replies kept aside that are judged wrongly: of 26 refusals and of 26 answers. It may only fall."""


def test_the_half_that_was_seen_is_all_right() -> None:
    """Every refusal found, no answer called one."""
    assert [text for _, text in REFUSALS[::2] if not refusal_phrase(text)] == []
    assert [text for _, text in ANSWERS[::2] if refusal_phrase(text)] == []


def test_the_half_that_was_kept_aside_is_nearly_all_right() -> None:
    """The error that docs/scoring.md states: 0 of 26 refusals missed, 1 of 26 answers called a refusal (it quotes one)."""
    missed = [text for _, text in REFUSALS[1::2] if not refusal_phrase(text)]
    wrong = [text for _, text in ANSWERS[1::2] if refusal_phrase(text)]

    assert len(REFUSALS[1::2]) == len(ANSWERS[1::2]) == 26
    assert len(missed) == 0 and len(wrong) <= MOST_WRONG


def test_languages_can_be_chosen_and_the_server_counts(fence: Fence) -> None:
    """Only phrases of the languages that are named; a reply that the server calls refused is one, under `not` it is none."""
    german = "Ich kann diese Anfrage leider nicht bearbeiten."

    assert {*phrases()} == {"en", "de", "fr", "es", "it", "pt", "zh"} == {language for language, _ in REFUSALS}
    assert scored("is_refusal", german, None, fence).value == 1
    assert scored("is_refusal", german, None, fence, languages=["en"]).value == 0
    assert scored("is_refusal", failed("refused"), None, fence).value == 1
    assert scored("is_refusal", failed("refused"), None, fence, **{"not": True}).value == 0
    assert scored("is_refusal", failed("timeout"), None, fence).value is None
