"""Laws of quotes that say something else: none of hundreds that were planted is found; all that are set otherwise are."""

from __future__ import annotations

import json
import re

import pytest
from planted_quotes import ASIDE, SEEN, honest, planted, said

from tui_eval.reading.claims import read_claims
from tui_eval.reading.quotes import find_quote

HALVES = pytest.mark.parametrize("half", [SEEN, ASIDE], ids=["seen", "aside"])
"""The second half was set aside until the rule was done."""


def verdict(quote: str, document: str) -> str:
    """What becomes of a claim that a judge calls supported by a quote."""
    claims = read_claims(json.dumps([{"claim": "It is so.", "quote": quote, "verdict": "supported"}]), document)
    return claims[0].verdict if claims else ""


def test_there_are_enough() -> None:
    assert len(planted(SEEN)) + len(planted(ASIDE)) > 300 and min(len(honest(SEEN)), len(honest(ASIDE))) > 200


@HALVES
def test_no_planted_quote_is_found(half: tuple[str, ...]) -> None:
    """A negation lost or added, an opposite for its opposite, another digit: nowhere, and it bears no claim out."""
    for document, quote, what in planted(half):
        assert find_quote(quote, document) is None, (what, quote)
        assert verdict(quote, document) == "unverified", (what, quote)


@HALVES
def test_every_honest_quote_is_found(half: tuple[str, ...]) -> None:
    """Spacing, line ends, ligatures, marks, one wrong letter: found, at words that are the document's own."""
    for document, quote, printed in honest(half):
        found = find_quote(quote, document)

        assert found is not None, (quote, printed)
        assert document[found.start : found.end] == printed.rstrip(".") or found.end - found.start == len(printed)


@HALVES
def test_a_claim_is_borne_out_by_the_texts_own_letters_alone(half: tuple[str, ...]) -> None:
    """Set otherwise: supported; with a letter that was mended for a question: unverified."""
    for document, quote, _ in honest(half, times=2):
        found = find_quote(quote, document)

        assert found is not None and verdict(quote, document) == ("supported" if found.how == "exact" else "unverified")


@HALVES
def test_no_word_is_added_and_none_is_lost(half: tuple[str, ...]) -> None:
    """Whichever word it is, and wherever within the quote it stood."""
    for sentence in half:
        document = said(sentence)
        words = document.split()
        for at in range(1, len(words) - 1):
            assert find_quote(" ".join(words[:at] + words[at + 1 :]), document) is None, words[at]
            assert find_quote(" ".join([*words[:at], "not", *words[at:]]), document) is None, words[at]


@pytest.mark.parametrize(
    ("document", "quote"),
    [
        ("It is impossible to lift the crate.", "possible to lift the crate"),
        ("The tank is un-\nsafe below 35 degrees.", "safe below 35 degrees"),
        ("The gate can't be opened by hand.", "The gate can"),
        ("The gate cannot be opened by hand.", "The gate can"),
        ("Le quai n'est pas ouvert la nuit.", "est pas ouvert la nuit"),
        ("Non-residents pay the full fee.", "residents pay the full fee"),
    ],
)
def test_no_quote_cuts_a_word(document: str, quote: str) -> None:
    """What is left of a word may say the opposite of it."""
    assert find_quote(quote, document) is None and verdict(quote, document) == "unverified"


@pytest.mark.parametrize(
    ("document", "quote"),
    [
        ("It counts in valid cases alone.", "It counts invalid cases alone"),
        ("It is now here that ships moor.", "It is nowhere that ships moor"),
        ("She is not able to steer it.", "She is notable to steer it"),
        ("It is a typical case of rust.", "It is atypical case of rust"),
        ("The drug is prescribed to all sailors.", "The drug is proscribed to all sailors"),
        ("The employer pays for the helmets.", "The employee pays for the helmets"),
        ("A million litres flow every day.", "A billion litres flow every day"),
        ("Das Tor wurde am Abend geöffnet.", "Das Tor würde am Abend geöffnet"),
        ("It must not – ever – be opened by hand.", "It must now – ever – be opened by hand"),
        ("Water of the harbor and of the harbour.", "Water of the harbour and of the harbour"),
        ("The pump’s valve is on the left.", "The pumps valve is on the left"),
        ("Berth A1 is free in the morning.", "Berth A2 is free in the morning"),
    ],
)
def test_what_may_say_something_else_is_not_mended(document: str, quote: str) -> None:
    """Words joined or parted by a blank; words one letter from another sense; a word that the document has elsewhere."""
    assert find_quote(quote, document) is None


def test_a_word_that_the_document_has_elsewhere_is_not_mended() -> None:
    """Also where the passage that questions are asked about does not have it."""
    passage = "The keeper paints the lantern in May."

    assert find_quote("The keeper paints the lantirn in May", passage) is not None
    assert find_quote("The keeper paints the lantirn in May", passage, document=f"{passage}\fA lantirn is a fish.") is None


@pytest.mark.parametrize(
    ("document", "quote"),
    [
        ("Its depth is 3.5 m (at low tide).", "Its depth is 3.5m ( at low tide )."),
        ("The harb our is closed.", "The harbour is closed."),
        ("It **must not** be `opened`.", "It must not be 'opened'."),
        ("It must not be opened.", "It **must not** be opened."),
    ],
)
def test_blanks_and_mark_up_may_stand_otherwise(document: str, quote: str) -> None:
    """Found, as mended; the text's own words stand for it."""
    found = find_quote(quote, document)

    assert found is not None and found.how == "repaired"
    assert re.sub(r"[\W_]", "", document[found.start : found.end]) == re.sub(r"[\W_]", "", quote)
