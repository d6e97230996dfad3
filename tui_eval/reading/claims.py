"""A reply that takes an answer apart into claims, each held against a text: only words that stand there bear one out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from tui_eval.reading.folding import Folded, folded
from tui_eval.reading.json_replies import read_json
from tui_eval.reading.quotes import find_quote

MOST_CLAIMS = 20
"""Claims of one answer that are looked at."""
SUPPORTED = "supported"
"""The verdict on a claim that the text bears out."""
Verdict = Literal["supported", "contradicted", "not found", "unverified", "no verdict"]
"""The judge's own word; unverified where it gives words that the text does not have, no verdict where it says none of them."""
_SAID: dict[str, Verdict] = {"supported": "supported", "contradicted": "contradicted", "not found": "not found"}


def claim_id(text: str) -> str:
    """Return the id of a claim in ratings: 16 hexadecimal digits of its text, whatever its capitals, blanks and signs."""
    return blake2b(folded(text).fold.encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that an answer says, and what the text says of it."""

    claim: str
    verdict: Verdict
    quote: str = ""
    """In the text's own words where they stand there; else as the judge gave them."""


def read_claims(text: str | None, context: str | Folded) -> list[Claim] | None:
    """The claims of a reply {"claims": [{"claim", "quote", "verdict"}]}, none where the answer makes none; None = unreadable.

    Supported and contradicted hold only with a quote that occurs in the context, word for word after folding (METHOD.md 5.3):
    no letter is mended, as a judge's words count against an answer. Else they are unverified.
    """
    value = read_json(text).value
    entries = value.get("claims") if isinstance(value, dict) else value
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    claims = []
    for entry in entries[:MOST_CLAIMS]:
        claim, quote = entry.get("claim"), entry.get("quote")
        if not isinstance(claim, str) or not claim.strip():
            return None
        verdict = str(entry.get("verdict") or "").casefold().replace("_", " ").strip()
        claims.append(
            _checked_claim(claim.strip(), _SAID.get(verdict, "no verdict"), quote if isinstance(quote, str) else "", context)
        )
    return claims


def supported_share(claims: Sequence[Claim]) -> float | None:
    """Supported claims / all claims; None where there are none."""
    return sum(claim.verdict == "supported" for claim in claims) / len(claims) if claims else None


def _checked_claim(claim: str, verdict: Verdict, quote: str, context: str | Folded) -> Claim:
    if verdict not in ("supported", "contradicted"):
        return Claim(claim, verdict, quote)
    where = find_quote(quote, context, mend=False)
    if where is None:
        return Claim(claim, "unverified", quote)
    text = context.original if isinstance(context, Folded) else context
    return Claim(claim, verdict, text[where.start : where.end])
