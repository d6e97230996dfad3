"""Texts that look like a key: they are neither shown nor kept where keys do not belong."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

SHORTEST_PART = 8
"""Characters that a part of an address has at least to be taken for a key."""
_SECRET = re.compile(
    r"(?i:bearer|basic)\s+\S{8,}|(sk|pk|rk|gsk|csk|xai|hf|r8|nvapi|pplx|fw|tgp|ghp|glpat)[-_][A-Za-z0-9_-]{12,}|"
    r"AIza[0-9A-Za-z_-]{20,}|(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9]{32,}"
)


def looks_secret(text: str) -> bool:
    """Return whether a text looks like a key: it is not shown then, and not kept where keys do not belong."""
    return bool(_SECRET.fullmatch(text.strip()))


_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<rest>.*)", re.DOTALL)
_REGIONS = "us|eu|europe|asia|ap|ca|sa|me|af|il|mx|cn|northamerica|southamerica|australia|africa"
_OPEN = re.compile(
    r"(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?:-preview)?|"  # a date, as versions of interfaces are called
    r"v\d+(?:\.\d+)*(?:(?:alpha|beta|preview|rc)\d*)?|"
    rf"(?:{_REGIONS})(?:-gov)?-(?:north|south|east|west|central)+-?\d{{1,2}}",
    re.IGNORECASE,
)
"""Parts of addresses that everybody may know though they have a digit: dates, versions, regions of data centres."""


def secret_parts(address: str, open_words: Collection[str] = ()) -> Iterator[str]:
    """Yield the hidden parts of an address in a variable: each segment of its path and each value of its query that has a digit
    and 8 characters or more, whole and, where it has colons or the like, the parts between; anywhere, what looks like a key.

    `open_words`: what everybody may know, in small letters: names of models, words of providers' paths.
    """
    match = _ADDRESS.fullmatch(address)
    assert match is not None, "every text is matched"
    yield from (part for part in re.split(r"[/?&=:@#]", address) if looks_secret(part))
    pairs = (pair.partition("=") for pair in re.split(r"[?&#]", match["rest"]))
    values = [value if equals else name for name, equals, value in pairs if name.casefold() != "api-version"]
    for part in (*match["path"].split("/"), *values):
        for spelling in dict.fromkeys((part, unquote(part))):
            for piece in dict.fromkeys((spelling, *re.split(r"[/:;,=@!$|]", spelling))):
                if _may_be_secret(piece, open_words):
                    yield piece


def _may_be_secret(part: str, open_words: Collection[str]) -> bool:
    is_known = part.casefold() in open_words or _OPEN.fullmatch(part)
    return len(part) >= SHORTEST_PART and part.isascii() and any(sign.isdigit() for sign in part) and not is_known
