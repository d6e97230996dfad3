"""Lines that a document repeats at the top or the foot of its pages: its title, a chapter, the page's number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tui_eval.core.document_text import RUNNING, LeftOut, page_spans
from tui_eval.core.plaintext import counted, one_line
from tui_eval.datasets.document_text.page_lines import AT_EACH_END

FEWEST_PAGES = 3
"""Of a document, and of its odd or its even pages where these are looked at alone."""
MOST_WORDS = 3
"""Of a line with the page's number: one with more says something."""
NEAR = 2.0
"""Points by which lines at the same place may stand apart."""
Ends = Sequence[tuple[int, float]]
"""Of a page its highest and its lowest lines: which of its lines they are, and how far down they stand."""
_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]{1,2}|[^\W\d_]+")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_WORDS_OF_A_SENTENCE = 4
_NOT_LISTED = 20
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line at an end of a page: where it stands among the page's lines, what it says, and its places on the page."""

    page: int
    at: int
    text: str
    depth: float | None
    """How far down it stands; None where that is not known."""
    ranks: tuple[tuple[str, int], ...]
    """Which line it is, from the top and from the foot."""

    @property
    def numbers(self) -> list[int]:
        """The numbers in it."""
        return [int(digits[-18:]) for digits in _DIGITS.findall(self.text)]


def running_lines(pages: Sequence[str], ends: Sequence[Ends]) -> list[tuple[int, int]]:
    """Which lines of which pages, both from 0, are running heads and feet: METHOD.md 6, step 1.

    They stand at the same place on more than half of the pages, odd and even ones apart, among the three highest or lowest,
    and say the same there; or, in at most three words, numbers of which those that change count up with the page. What
    also stands in the body is none: a sentence that a page repeats there once, another line twice. None in a document of
    fewer than three pages. `ends`: of each page, where lines stand; the order of the text where it is empty.
    """
    if len(pages) < FEWEST_PAGES:
        return []
    lines = [page.split("\n") for page in pages]
    found = [line for number, page in enumerate(lines) for line in _ends(number, page, ends[number])]
    outer = {(line.page, line.at) for line in found}
    in_body = Counter(
        _same(text) for page, texts in enumerate(lines) for at, text in enumerate(texts) if (page, at) not in outer
    )
    going: set[tuple[int, int]] = set()
    for together in _by(found, lambda line: _same(line.text)).values():
        said = _same(together[0].text)
        if said.strip(" -–—/|·.") and in_body[said] < (1 if _is_sentence(said) else 2):
            going |= _at_one_place(together, len(pages))
    for together in _by(found, lambda line: _DIGITS.sub("#", _same(line.text))).values():
        if together[0].numbers and len(_WORDS.findall(together[0].text)) <= MOST_WORDS:
            for counting in _counting(together):
                going |= _at_one_place(counting, len(pages))
    return sorted(going)


def running_of(text: str, pages: Sequence[str], ends: Sequence[Ends]) -> tuple[LeftOut, ...]:
    """The same as stretches of the text that the pages make up."""
    going = _by(running_lines(pages, ends), lambda place: place[0])
    found = []
    for number, (start, _) in enumerate(page_spans(text)):
        wanted = {at for _, at in going.get(number, ())}
        for at, line in enumerate(pages[number].split("\n") if wanted else ()):
            if at in wanted:
                found.append(LeftOut(number + 1, start, start + len(line)))
            start += len(line) + 1
    return tuple(found)


def notes_of(text: str, left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """What to say of running heads and feet that are left out: one note for each, digits aside, with the pages it stands on."""
    pages = len(page_spans(text))
    said = [(line.page, text[line.start : line.end].strip()) for line in left_out if line.what == RUNNING]
    found = _by(said, lambda one: _DIGITS.sub("#", _same(one[1])))
    shown = [
        f"no passage has the running head or foot {one_line(lines[0][1], 80)!r}{_varying(lines[0][1], lines[-1][1])}, which "
        f"stands on {len({page for page, _ in lines}):,} of {pages:,} pages"
        for lines in list(found.values())[:_NOT_LISTED]
    ]
    rest = len(found) - len(shown)
    more = f"nor has one {counted(rest, 'other running head or foot', 'other running heads and feet')}"
    return (*shown, more) if rest else tuple(shown)


def _varying(first: str, last: str) -> str:
    return f" … {one_line(last, 80)!r}" if last != first else ""


def _by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_sentence(said: str) -> bool:
    found = _SENTENCE_END.search(said)
    return found is not None and (found.group()[0] in "。！？" or len(said.split()) >= _WORDS_OF_A_SENTENCE)


def _ends(number: int, page: Sequence[str], placed: Ends) -> Iterator[_Line]:
    """The highest and the lowest lines of a page, each once; where they stand, or else the first and the last."""
    known = [(at, depth) for at, depth in placed if 0 <= at < len(page) and page[at].strip()]
    depths: Mapping[int, float] = dict(known)
    order = [at for at, _ in sorted(known, key=lambda one: one[1])] or [at for at, text in enumerate(page) if text.strip()]
    ranks: dict[int, list[tuple[str, int]]] = {}
    for name, these in (("top", order[:AT_EACH_END]), ("foot", order[::-1][:AT_EACH_END])):
        for rank, at in enumerate(these):
            ranks.setdefault(at, []).append((name, rank))
    for at in sorted(ranks):
        yield _Line(number, at, page[at], depths.get(at), tuple(ranks[at]))


def _counting(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Of lines that are the same but for their numbers, those of which one counts up with the page, all others too or not at
    all: once for each number that may be the page's."""
    values = [(line, line.numbers) for line in lines]
    for which in range(len(values[0][1])):
        (away, n), *_ = Counter(numbers[which] - line.page for line, numbers in values).most_common(1)
        chosen = [(line, numbers) for line, numbers in values if numbers[which] - line.page == away] if n > 1 else []
        for other in range(len(values[0][1])):
            steady = Counter((True, numbers[other]) for _, numbers in chosen)
            steady.update((False, numbers[other] - line.page) for line, numbers in chosen)
            (still, value), _ = max(steady.items(), key=lambda one: one[1], default=((True, 0), 0))
            chosen = [(line, numbers) for line, numbers in chosen if numbers[other] - (0 if still else line.page) == value]
        yield [line for line, _ in chosen]


def _at_one_place(lines: Sequence[_Line], pages: int) -> set[tuple[int, int]]:
    """Those of these lines that stand at one place on enough pages: as far down, or the same line from the top or the foot."""
    places = [*_by(((line, rank) for line in lines for rank in line.ranks), lambda one: one[1]).values()]
    found = [[line for line, _ in these] for these in places] + _as_far_down(lines)
    return {
        (line.page, line.at) for these in found for line in these if line.page in _enough({line.page for line in these}, pages)
    }


def _as_far_down(lines: Sequence[_Line]) -> list[list[_Line]]:
    found: list[list[_Line]] = []
    last = float("-inf")
    for depth, line in sorted(((line.depth, line) for line in lines if line.depth is not None), key=lambda one: one[0]):
        if depth - last > NEAR:
            found.append([])
        found[-1].append(line)
        last = depth
    return found


def _enough(on: set[int], pages: int) -> set[int]:
    """These pages, if they are more than half of all, or odd or even ones alone and more than half of those."""
    if 2 * len(on) > pages:
        return on
    sides = {page % 2 for page in on}
    of = len(range(min(sides), pages, 2))
    return on if len(sides) == 1 and of >= FEWEST_PAGES and 2 * len(on) > of else set()
