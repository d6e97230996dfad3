"""Folding of names: what several names begin with alike gives way to an ellipsis, so that what tells them apart has room."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache

SIGN = "…"
"""Stands for what is folded."""
LEAST_HEAD = 4
"""Signs of a beginning that is worth folding."""
_HEAD = re.compile(r".*[/\-_:. ]")
_PATH = re.compile(r"\S+(?=/[^\s/])")


def folded(names: Collection[str], width: int, length: Callable[[str], int] = len) -> Mapping[str, str]:
    """Return each name as short as `width` asks for: as it is where all fit, else without what it has in common with others.

    First goes the beginning that all share, then the owner before a `/`; what is still too long is cut where it differs from
    all others. No two are ever called alike: where nothing shorter tells names apart, they stay whole. One alone is not folded.
    `length`: of a name on the screen.
    """
    return _folded(tuple(dict.fromkeys(names)), width, length)


@lru_cache(maxsize=64)
def _folded(names: tuple[str, ...], width: int, length: Callable[[str], int]) -> Mapping[str, str]:
    whole = {name: name for name in names}
    steps: tuple[Callable[[Mapping[str, str]], dict[str, str]], ...] = (_without_common_head, _without_owners)
    shown = whole
    for step in steps:
        if len(whole) < 2 or all(length(name) <= width for name in shown.values()):
            return shown
        shown = _distinct(shown, step(shown))
    return _cut(shown, width, length)


def _without_common_head(shown: Mapping[str, str]) -> dict[str, str]:
    """Fold the beginning that all names share, up to the last sign that separates words; that sign stays."""
    first, last = min(shown.values()), max(shown.values())
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    head = _HEAD.match(first[:same])
    at = head.end() - 1 if head else 0
    return {name: f"{SIGN}{text[at:].lstrip()}" if at >= LEAST_HEAD else text for name, text in shown.items()}


def _without_owners(shown: Mapping[str, str]) -> dict[str, str]:
    """Fold what stands before the last `/` of each word."""
    return {name: _PATH.sub(SIGN, text) for name, text in shown.items()}


def _distinct(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return what names are called after a step; those that it makes alike are called as before it."""
    alike = Counter(after.values())
    chosen = {name: text if alike[text] == 1 else before[name] for name, text in after.items()}
    return chosen if len({*chosen.values()}) == len(chosen) else dict(before)


def _cut(shown: Mapping[str, str], width: int, length: Callable[[str], int]) -> dict[str, str]:
    """Cut names that are too long, each so that it can be no other one; what cannot be told so briefly stays whole."""
    texts = [*shown.values()]

    def brief(text: str) -> str:
        cuts = (_cuts(text, width) if length(text) > width else ()) if width > 1 else ()
        return next((cut for cut in cuts if length(cut) <= width and sum(_may_be(cut, each) for each in texts) == 1), text)

    return {name: brief(text) for name, text in shown.items()}


def _cuts(text: str, width: int) -> Iterator[str]:
    """Yield a text cut in its middle, its end the longer part; then with more of its beginning, or less; then twice."""
    room = width - 1
    places = range(room * 2 // 5, room)
    for head in (*places, *reversed(range(places.start))):
        yield f"{text[:head].removesuffix(SIGN)}{SIGN}{text[len(text) - room + head :]}"
    for end in (max(room // 4, 1), 0):
        inside = room - 1 - 2 * end
        for start in range(end + 1, len(text) - end - inside) if inside > 0 else ():
            yield f"{text[:end]}{SIGN}{text[start : start + inside]}{SIGN}{text[len(text) - end :]}"


def _may_be(cut: str, text: str) -> bool:
    """Return whether a text that was cut so may be this one."""
    head, *inside, tail = cut.split(SIGN)
    rest = text.removeprefix(head) if text.startswith(head) else ""
    for part in inside:
        at = rest.find(part)
        rest = rest[at + len(part) :] if at >= 0 else ""
    return bool(rest) and rest.endswith(tail)
