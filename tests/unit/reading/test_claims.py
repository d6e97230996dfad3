"""Laws of claims: an answer's share is of all that it claims, and only words that the text has bear a claim out."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tui_eval.reading.claims import MOST_CLAIMS, read_claims, supported_share

TEXT = "The gate opens at six bells. Its keeper is paid ten crowns, and “never” on Sundays."


def said(*claims: tuple[str, str], key: str = "claims") -> str:
    return json.dumps({key: [{"claim": f"Claim {n}.", "quote": q, "verdict": v} for n, (q, v) in enumerate(claims)]})


@pytest.mark.parametrize(
    ("quote", "verdict", "held"),
    [
        ("The gate opens at six bells.", "supported", "supported"),
        ("the GATE opens  at six bells", "Supported", "supported"),
        ('and "never" on Sundays', "contradicted", "contradicted"),
        ("The gate opens at seven bells.", "supported", "unverified"),
        ("", "supported", "unverified"),
        ("The gate opens at six bells.", "not_found", "not found"),
        ("The gate opens at six bells.", "perhaps", "no verdict"),
        ("The gate opens at six bells.", "", "no verdict"),
    ],
)
def test_a_verdict_holds_only_with_words_of_the_text(quote: str, verdict: str, held: str) -> None:
    (claim,) = read_claims(said((quote, verdict)), TEXT) or []

    assert claim.verdict == held


def test_the_share_is_of_all_claims_whatever_their_verdicts() -> None:
    """Never of those alone that have one: one of five that holds is a fifth."""
    dice = random.Random(1)
    for _ in range(50):
        good, bad = dice.randint(0, 8), dice.randint(0, 8)
        claims = [("The gate opens at six bells.", "supported")] * good + [
            ("none", dice.choice(["supported", "", "nil"]))
        ] * bad
        dice.shuffle(claims)

        found = read_claims(said(*claims), TEXT)

        assert found is not None and len(found) == good + bad
        assert supported_share(found) == (good / (good + bad) if good + bad else None)


def test_claims_of_the_vectors(vectors: dict[str, Any]) -> None:
    """Of what was submitted, never of what came back with a verdict; nothing of no claim."""
    words = {"yes": "supported", "no": "not found", "idk": ""}
    for case in vectors["numeric"]["faithfulness"]["cases"]:
        told = [words[verdict] for verdict in case["inputs"]["verdicts"]]
        told += [""] * (case["inputs"]["n_submitted"] - len(told))

        found = read_claims(said(*[("The gate opens at six bells.", verdict) for verdict in told]), TEXT)

        assert found is not None and supported_share(found) == case["expected"]["score"], case["id"]


def test_no_more_than_twenty_are_looked_at() -> None:
    assert len(read_claims(said(*[("", "not found")] * 50), TEXT) or []) == MOST_CLAIMS


@pytest.mark.parametrize("text", [None, "", "It keeps to the text.", '{"score": 4}', '{"claims": "none"}', '{"claims": [4]}',
                                  '{"claims": [{"verdict": "supported"}]}'])  # fmt: skip
def test_what_is_no_list_of_claims_is_unread(text: str | None) -> None:
    assert read_claims(text, TEXT) is None


def test_an_answer_without_claims_has_no_share() -> None:
    """Neither 1 nor 0: nothing is claimed."""
    found = read_claims('{"claims": []}', TEXT)

    assert found == [] and supported_share(found) is None
