"""Lines that a document repeats at the top or the foot of its pages, taken out: its title, a chapter, the page's number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui_eval.core.document_text import DroppedLine
from tui_eval.core.plaintext import counted, one_line

AT_EACH_END = 3
"""How many lines, empty ones not counted, at the top and at the foot of a page may be a head or a foot."""
FEWEST_PAGES = 3
_DIGITS = re.compile(r"\d+")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_WORDS_OF_A_SENTENCE = 4
_NOT_LISTED = 20


@dataclass(frozen=True, slots=True)
class WithoutHeads:
    """Pages without their running heads and feet, and each line that was left out."""

    pages: list[str]
    dropped: tuple[DroppedLine, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line at an end of a page: where it stands among the page's lines, and what it says, digits aside."""

    page: int
    at: int
    text: str
    folded: str


def without_running_heads(pages: Sequence[str]) -> WithoutHeads:
    """Leave out the lines that stand among the first or last three of more than half of the pages, digits aside (METHOD 6.1).

    Nothing is left out of fewer than three pages, nor what also stands in the body of the document: a sentence that a page
    repeats there once, other lines twice. Numbers of pages are known by counting up with the pages, so that the same figure
    in a table stays.
    """
    lines = [page.split("\n") for page in pages]
    ends = [_ends(number, page) for number, page in enumerate(lines)]
    going = _numbered(ends, len(pages)) | _repeated(ends, lines) if len(pages) >= FEWEST_PAGES else set()
    dropped = [line for page in ends for line in page if (line.page, line.at) in going]
    left = ["\n".join(text for at, text in enumerate(page) if (number, at) not in going) for number, page in enumerate(lines)]
    changed = {line.page for line in dropped}
    kept = [page.strip("\n") if number in changed else page for number, page in enumerate(left)]
    return WithoutHeads(kept, tuple(DroppedLine(line.page + 1, line.text) for line in dropped))


def notes_of(dropped: Sequence[DroppedLine], pages: int) -> tuple[str, ...]:
    """What to say of the lines that were left out: one note for each, digits aside, with the pages it stood on."""
    found: dict[str, list[DroppedLine]] = {}
    for line in dropped:
        found.setdefault(_folded(line.text), []).append(line)
    shown = [
        f"a running head or foot was left out on {len({line.page for line in lines}):,} of {pages:,} pages: "
        f"{one_line(lines[0].text.strip(), 80)!r}{_varying(lines)}"
        for lines in list(found.values())[:_NOT_LISTED]
    ]
    rest = len(found) - len(shown)
    return (
        (*shown, f"and {counted(rest, 'other running head or foot', 'other running heads and feet')}") if rest else tuple(shown)
    )


def _varying(lines: Sequence[DroppedLine]) -> str:
    last = lines[-1].text.strip()
    return f" … {one_line(last, 80)!r}" if last != lines[0].text.strip() else ""


def _folded(text: str) -> str:
    return " ".join(_DIGITS.sub("#", text).split()).casefold()


def _ends(number: int, page: Sequence[str]) -> list[_Line]:
    """The first and the last lines of a page, each once."""
    filled = [at for at, text in enumerate(page) if text.strip()]
    chosen = sorted({*filled[:AT_EACH_END], *filled[-AT_EACH_END:]})
    return [_Line(number, at, page[at], _folded(page[at])) for at in chosen]


def _repeated(ends: Sequence[Sequence[_Line]], lines: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
    """Lines that are the same on more than half of the pages, digits aside, and do not stand in the body."""
    on_pages = Counter(folded for page in ends for folded in {line.folded for line in page})
    often = {folded for folded, n in on_pages.items() if 2 * n > len(ends)}
    if not often:
        return set()
    in_body = Counter(_bodies(ends, lines))
    heads = {folded for folded in often if in_body[folded] < (1 if _is_sentence(folded) else 2) and folded.strip("# -–—/|·.")}
    return {(line.page, line.at) for page in ends for line in page if line.folded in heads}


def _bodies(ends: Sequence[Sequence[_Line]], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    for page, texts in zip(ends, lines, strict=True):
        outer = {line.at for line in page}
        yield from (_folded(text) for at, text in enumerate(texts) if at not in outer and text.strip())


def _is_sentence(folded: str) -> bool:
    found = _SENTENCE_END.search(folded)
    return found is not None and (found.group()[0] in "。！？" or len(folded.split()) >= _WORDS_OF_A_SENTENCE)


def _numbered(ends: Sequence[Sequence[_Line]], pages: int) -> set[tuple[int, int]]:
    """Lines that hold a number which is as far from the page's own on more than half of the pages: the page's number."""
    found: dict[tuple[str, int], list[_Line]] = {}
    for page in ends:
        for line in page:
            for number in {int(digits) for digits in _DIGITS.findall(line.text) if len(digits) <= 9}:
                found.setdefault((line.folded, number - line.page), []).append(line)
    return {
        (line.page, line.at) for lines in found.values() if 2 * len({line.page for line in lines}) > pages for line in lines
    }
