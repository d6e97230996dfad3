"""Answers judged claim by claim: the share that a text bears out, and each claim with its verdict."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache, partial

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.results import Score
from tui_eval.evaluation.judging.judge_panel import Read, Verdict, said_of
from tui_eval.reading.claims import read_claims, supported_share
from tui_eval.reading.folding import folded
from tui_eval.results.sums.series import NO_CLAIMS

CLAIMS = Metric("claims")
"""The share of an answer's claims that the context bears out."""
_folded = lru_cache(maxsize=4)(folded)


def claims_in(context: str) -> Read:
    """What reads a judge's reply: its claims, each held against the context."""
    return partial(_claims, context=context)


def _claims(text: str | None, context: str) -> Verdict | None:
    found = read_claims(text, _folded(context))
    if found is None:
        return None
    share = supported_share(found)
    return Verdict(share, [asdict(claim) for claim in found], NO_CLAIMS if share is None else "")


def claims_example(context: str) -> str:
    """A reply such as a good judge would give."""
    claim = {"claim": "The answer's claim.", "quote": context[:80].strip(), "verdict": "supported"}
    return json.dumps({"claims": [claim] * 3}, ensure_ascii=False)


def claim_rows(score: Score) -> Iterator[dict[str, Json]]:
    """The claims of a score one by one, each with the judge that found it; none of another metric."""
    if score.name == CLAIMS.name:
        for judge, claims in said_of(score).get("details", {}).items():
            yield from ({"judge": judge, **claim} for claim in claims)


def reason_of(score: Score) -> str:
    """Why a score is what it is: the judge's reason, of several each by its name; of claims how many hold."""
    details = said_of(score).get("details", {})
    if score.name == CLAIMS.name:
        counts = {judge: Counter(str(claim["verdict"]) for claim in claims) for judge, claims in details.items()}
        details = {judge: ", ".join(f"{n} {said}" for said, n in found.most_common()) for judge, found in counts.items()}
    told = (f"{judge}: {text}" if len(details) > 1 else str(text) for judge, text in details.items())
    return "\n".join(told) or score.why
