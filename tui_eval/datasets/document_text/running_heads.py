"""Lines that a document repeats at the top or the foot of its pages: its title, a chapter, the page's number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tui_eval.core.document_text import RUNNING, LeftOut, page_spans
from tui_eval.core.lazy_pattern import lazy_pattern
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.datasets.document_text.page_lines import AT_EACH_END

FEWEST_PAGES = 3
"""Of a document, and of its odd or its even pages where these are looked at alone."""
MOST_WORDS = 3
"""Of a line with the page's number: one with more says something."""
NEAR = 2.0
"""Points by which lines at the same place may stand apart."""
Ends = Sequence[tuple[int, float]]
"""Of a page its highest and its lowest lines: which of its lines they are, and how far down they stand."""
_DIGITS = lazy_pattern(r"\d+")
_WORDS = lazy_pattern(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]{1,2}|[^\W\d_]+")
_SENTENCE_END = lazy_pattern(r"[.!?…。！？][\"'”’»)\]]*$")
_WORDS_OF_A_SENTENCE = 4
_NOT_LISTED = 20
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _EndLine:
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
    """Return the lines, as (page, line) from 0, that are running heads and feet: METHOD.md 6, step 1.

    They stand at the same place on more than half of the pages, odd and even ones apart, among the three highest or lowest,
    and say the same there; or, in at most three words, numbers of which those that change count up with the page. What
    also stands in the body is none: a sentence that a page repeats there once, another line twice. None in a document of
    fewer than three pages. `ends`: of each page, where lines stand; the order of the text where it is empty.
    """
    if len(pages) < FEWEST_PAGES:
        return []
    lines = [page.split("\n") for page in pages]
    end_lines = [line for number, page in enumerate(lines) for line in _ends(number, page, ends[number])]
    outer = {(line.page, line.at) for line in end_lines}
    in_body = Counter(
        _same(text) for page, texts in enumerate(lines) for at, text in enumerate(texts) if (page, at) not in outer
    )
    going: set[tuple[int, int]] = set()
    for together in _by(end_lines, lambda line: _same(line.text)).values():
        line_text = _same(together[0].text)
        if line_text.strip(" -–—/|·.") and in_body[line_text] < (1 if _is_sentence(line_text) else 2):
            going |= _at_one_place(together, len(pages))
    for together in _by(end_lines, lambda line: _DIGITS.sub("#", _same(line.text))).values():
        if together[0].numbers and len(_WORDS.findall(together[0].text)) <= MOST_WORDS:
            for counting in _counting(together):
                going |= _at_one_place(counting, len(pages))
    return sorted(going)


def running_of(text: str, pages: Sequence[str], ends: Sequence[Ends]) -> tuple[LeftOut, ...]:
    """The same as stretches of the text that the pages make up."""
    going = _by(running_lines(pages, ends), lambda place: place[0])
    left_out = []
    for number, (start, _) in enumerate(page_spans(text)):
        running = {at for _, at in going.get(number, ())}
        for at, line in enumerate(pages[number].split("\n") if running else ()):
            if at in running:
                left_out.append(LeftOut(number + 1, start, start + len(line)))
            start += len(line) + 1
    return tuple(left_out)


def notes_of(text: str, left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Describe running heads and feet that are left out: one note for each, digits aside, with the pages it stands on."""
    pages = len(page_spans(text))
    entries = [(line.page, text[line.start : line.end].strip()) for line in left_out if line.what == RUNNING]
    groups = _by(entries, lambda entry: _DIGITS.sub("#", _same(entry[1])))
    notes = [
        f"no passage has the running head or foot {one_line(lines[0][1], 80)!r}{_varying(lines[0][1], lines[-1][1])}, which "
        f"is on {len({page for page, _ in lines}):,} of {pages:,} pages"
        for lines in list(groups.values())[:_NOT_LISTED]
    ]
    rest = len(groups) - len(notes)
    more = f"no passage has {count_of(rest, 'other running head or foot', 'other running heads and feet')} either"
    return (*notes, more) if rest else tuple(notes)


def _varying(first: str, last: str) -> str:
    return f" … {one_line(last, 80)!r}" if last != first else ""


def _by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_sentence(text: str) -> bool:
    match = _SENTENCE_END.search(text)
    return match is not None and (match.group()[0] in "。！？" or len(text.split()) >= _WORDS_OF_A_SENTENCE)


def _ends(number: int, page: Sequence[str], placed: Ends) -> Iterator[_EndLine]:
    """The highest and the lowest lines of a page, each once; where they stand, or else the first and the last."""
    valid_ends = [(at, depth) for at, depth in placed if 0 <= at < len(page) and page[at].strip()]
    depths: Mapping[int, float] = dict(valid_ends)
    order = [at for at, _ in sorted(valid_ends, key=lambda end: end[1])] or [at for at, text in enumerate(page) if text.strip()]
    ranks: dict[int, list[tuple[str, int]]] = {}
    for name, outermost in (("top", order[:AT_EACH_END]), ("foot", order[::-1][:AT_EACH_END])):
        for rank, at in enumerate(outermost):
            ranks.setdefault(at, []).append((name, rank))
    for at in sorted(ranks):
        yield _EndLine(number, at, page[at], depths.get(at), tuple(ranks[at]))


def _counting(lines: Sequence[_EndLine]) -> Iterator[list[_EndLine]]:
    """Of lines that are the same but for their numbers, those of which one counts up with the page, all others too or not at
    all: once for each number that may be the page's."""
    values = [(line, line.numbers) for line in lines]
    for which in range(len(values[0][1])):
        (away, n), *_ = Counter(numbers[which] - line.page for line, numbers in values).most_common(1)
        matching_lines = [(line, numbers) for line, numbers in values if numbers[which] - line.page == away] if n > 1 else []
        for index in range(len(values[0][1])):
            steady = Counter((True, numbers[index]) for _, numbers in matching_lines)
            steady.update((False, numbers[index] - line.page) for line, numbers in matching_lines)
            (still, value), _ = max(steady.items(), key=lambda pair: pair[1], default=((True, 0), 0))
            matching_lines = [
                (line, numbers) for line, numbers in matching_lines if numbers[index] - (0 if still else line.page) == value
            ]
        yield [line for line, _ in matching_lines]


def _at_one_place(lines: Sequence[_EndLine], pages: int) -> set[tuple[int, int]]:
    """Those of these lines that stand at one place on enough pages: as far down, or the same line from the top or the foot."""
    places = [*_by(((line, rank) for line in lines for rank in line.ranks), lambda pair: pair[1]).values()]
    groups = [[line for line, _ in group] for group in places] + _as_far_down(lines)
    return {
        (line.page, line.at) for group in groups for line in group if line.page in _enough({line.page for line in group}, pages)
    }


def _as_far_down(lines: Sequence[_EndLine]) -> list[list[_EndLine]]:
    groups: list[list[_EndLine]] = []
    last = float("-inf")
    for depth, line in sorted(((line.depth, line) for line in lines if line.depth is not None), key=lambda pair: pair[0]):
        if depth - last > NEAR:
            groups.append([])
        groups[-1].append(line)
        last = depth
    return groups


def _enough(on: set[int], pages: int) -> set[int]:
    """These pages, if they are more than half of all, or odd or even ones alone and more than half of those."""
    if 2 * len(on) > pages:
        return on
    sides = {page % 2 for page in on}
    of = len(range(min(sides), pages, 2))
    return on if len(sides) == 1 and of >= FEWEST_PAGES and 2 * len(on) > of else set()
