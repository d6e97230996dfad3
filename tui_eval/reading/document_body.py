"""A text taken apart where it may be cut, and what of it is no body: contents, lists of references, indexes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from tui_eval.core.document_text import PAGE_BREAK, LeftOut, page_at, without_running
from tui_eval.core.lazy_pattern import lazy_pattern
from tui_eval.core.record_class import record

ANYWHERE, BLANK, SENTENCE, LINE, PARAGRAPH, PAGE, HEADING = range(7)
"""How good a place is for a cut, from worst to best."""
_CLOSE = lazy_pattern("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f]+")
_LONGEST_PIECE = 200
"""Characters after which a sentence is taken apart at blanks, so that every size of passage can be met."""
_LINE = lazy_pattern(r"[^\n\f]*+(?:\n[ \t\r\n]*+|\f)?")
"""A line with the empty ones behind it."""
_SENTENCE = lazy_pattern(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s++|(?<![。！？])[。！？]++[」』）”]*+")
_NUMBERED = lazy_pattern(r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVXLC]{1,6}\.|[A-Z]\.|§ ?\d+)\s+(?=[^\W\d_])")
_NAMED = lazy_pattern(
    r"(?i)(?:chapter|section|part|appendix|kapitel|abschnitt|teil|anhang|chapitre|capítulo|глава|раздел|часть)\s+[\dIVXA-D]"
)
_CJK_NUMBERED = lazy_pattern("第[0-9０-９一二三四五六七八九十百]{1,4}[章節节編编部条條]")
_PAGES = r"\d{1,4}(?:[-–]\d{1,4})?"
_SURE = (
    rf"(?:\.\s?){{4,}}\s*[\divxlc]{{1,5}}\s*\Z|[…·]{{2,}}\s*[\divxlc]{{1,5}}\s*\Z"
    rf"|[^\W\d],\s*{_PAGES}(?:,\s*{_PAGES})*\Z"
)
_ENTRY, _SURE_ENTRY = lazy_pattern(rf"{_SURE}|\S\s{{3,}}\d{{1,4}}\Z"), lazy_pattern(_SURE)
"""How a line of contents, with dots or blanks before the page, or of an index ends; without what may be a table's row, too."""
_ROMAN = "ivxlc"
"""Small letters that may end such a line, as numbers of pages."""
_HASHES = lazy_pattern(r"#{1,6} \S")
_LAST_NUMBER = lazy_pattern(r"(?<=\s)\d{1,4}\Z")
_NUMBERED_ENTRY = lazy_pattern(r"\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+[^\W\d_].*\s\d{1,4}\Z")
_REFERENCE = lazy_pattern(
    r"\b(?:19|20)\d\d[a-z]?\b|\bet al\b|\bpp?\. ?\d|\bdoi\b|https?://|\barXiv\b|\bvol\. ?\d|\b\d{1,3} ?\(\d{1,3}\)"
    r"|\bIn: |\bISBN\b",
    re.IGNORECASE,
)
_REFERENCE_START = lazy_pattern(
    r"\[\d{1,3}\]|\d{1,3}\. [A-Z]|[^\W\d_][^\W\d_'-]+, (?:[A-Z]\.|[A-Z][a-z]+)|[A-Z]\. ?(?:[A-Z]\. ?){0,4}[A-Z][a-z]+"
)
_LISTED = lazy_pattern(
    r"(?i)[#\d. ]*(?:references|bibliography|works cited|literatur|literaturverzeichnis|quellen|bibliographie|références"
    r"|referencias|bibliografía|bibliografia|referências|список литературы|литература|参考文献|引用文献)\s*\Z"
)
_FEWEST_LINES = 4


@record
class TextPiece:
    """A sentence or a part of one with the white space behind it, text[start:end]."""

    start: int
    end: int
    tokens: float
    strength: int
    """How good it is to begin a passage with it: ANYWHERE to HEADING."""


def tokens_of(text: str) -> float:
    """About how many tokens a text has: four characters each, one and a half in Chinese, Japanese and Korean (METHOD.md 6)."""
    if text.isascii():
        return len(text) / 4
    close = sum(map(len, _CLOSE.findall(text)))
    return close / 1.5 + (len(text) - close) / 4


def body_pieces(text: str, left_out: Sequence[tuple[int, int]] | None = None) -> list[list[TextPiece]]:
    """The body of a text, stretch by stretch: between two of them lie contents, references, an index or figures.

    `left_out`: where these lie, as `left_out_of` found them; None = they are looked for as by versions that wrote no such list.
    """
    stretches: list[list[TextPiece]] = []
    joined = False
    excluded = None if left_out is None else _Spans(left_out)
    for block in _blocks(text):
        start, end = block[0].start, block[-1].end
        if other_than_body(text[start:end]) if excluded is None else excluded.meet(start, end):
            joined = False
        elif joined:
            stretches[-1] += block
        else:
            stretches.append(block)
            joined = True
    stretches = [stretch for stretch in stretches if text[stretch[0].start : stretch[-1].end].strip()]
    return stretches or ([list(_pieces(text))] if text.strip() else [])


class _Spans:
    """Spans of a text, in any order, so that one that meets another span is found quickly."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        in_order = sorted(spans)
        self._starts = [start for start, _ in in_order]
        self._last_ends = list(accumulate((end for _, end in in_order), max))

    def meet(self, start: int, end: int) -> bool:
        """Return whether any of them has a place in common with text[start:end]."""
        before = bisect_left(self._starts, end)
        return before > 0 and self._last_ends[before - 1] > start


def left_out_of(text: str, running: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Return what no passage has, in order, none over another: running lines, contents, references, an index, figures."""
    lean = without_running(text, running)
    left_out = [*running]
    blocks = [(start, end, other_than_body(lean.text[start:end], tables=True)) for start, end in _block_spans(lean.text)]
    if any(not kind and lean.text[start:end].strip() for start, end, kind in blocks):
        for start, end, kind in blocks:
            if kind:
                left_out += [LeftOut(page_at(text, first), first, last, kind) for first, last in lean.parts(start, end)]
    return tuple(sorted(left_out, key=lambda part: part.start))


def other_than_body(block: str, tables: bool = False) -> str:
    """Return the kind of a block that is no body: "contents or index", "references", "figures"; else "".

    `tables`: whether rows that begin and end with a number are body where the last numbers go up and down, as no contents do.
    """
    lines = [line for line in map(str.strip, block.splitlines()) if line]
    if len(lines) < _FEWEST_LINES:
        return ""
    if _entries(lines, tables) >= 0.5 * len(lines):
        return "contents or index"
    dense = "".join(block.split())
    has_heading = bool(_LISTED.match(lines[0][:60]))
    if (  # what is quickly told first: most blocks are neither
        sum(map(dense.count, ".,:;()[]0123456789-–/&")) >= 0.1 * len(dense)
        and (has_heading or sum(1 for line in lines if _REFERENCE_START.match(line)) >= 0.2 * len(lines))
        and len(_REFERENCE.findall(block)) >= (0.2 if has_heading else 0.4) * len(lines)
    ):
        return "references"
    has_figures = sum(map(dense.count, "0123456789.")) >= 0.5 * len(dense)
    return "figures" if has_figures and len(_SENTENCE.findall(block)) < 0.1 * len(lines) else ""


def _entries(lines: Sequence[str], tables: bool) -> int:
    """Count the lines that are entries of contents or an index."""
    lines = [line for line in lines if _may_be_entry(line)]
    if tables and not _count_up(lines):
        return sum(1 for line in lines if _SURE_ENTRY.search(line[-60:]))
    return sum(1 for line in lines if _ENTRY.search(line[-60:]) or (len(line) < 120 and _NUMBERED_ENTRY.match(line)))


def _may_be_entry(line: str) -> bool:
    """Return whether a line without blanks at its ends has the last character of an entry: quickly told, and few have it."""
    return line[-1].isdecimal() or line[-1] in _ROMAN


def _count_up(lines: Sequence[str]) -> bool:
    """Return whether the numbers at the ends of lines never fall, as the pages of contents do."""
    ends = [int(match[0]) for line in lines if (match := _LAST_NUMBER.search(line))]
    return all(earlier <= later for earlier, later in pairwise(ends))


def _block_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of each of `_blocks`, without making its pieces."""
    begin = 0
    for start, _, strength in _lines(text):
        if start > begin and strength >= PAGE:
            yield begin, start
            begin = start
    if begin < len(text):
        yield begin, len(text)


def _blocks(text: str) -> Iterator[list[TextPiece]]:
    """The pieces from one heading or page to the next."""
    block: list[TextPiece] = []
    for piece in _pieces(text):
        if block and piece.strength >= PAGE:
            yield block
            block = []
        block.append(piece)
    if block:
        yield block


def is_heading(line: str, apart: bool = True) -> bool:
    """Return whether a line without blanks at its ends looks like a heading.

    `apart`: an empty line or a page's end stands before it.
    """
    if not 2 <= len(line) <= 90 or line[-1] in ".,;:!?。、，；？！-" or (_may_be_entry(line) and _ENTRY.search(line[-60:])):
        return bool(_HASHES.match(line)) and len(line) <= 200
    if _HASHES.match(line) or _NAMED.match(line) or _CJK_NUMBERED.match(line):
        return True
    if _NUMBERED.match(line):
        return not line[-1].isdigit() and line.count(" ") < 12 and line.count(",") < 2
    if not apart or line.count(" ") > 8:
        return False
    if sum(map(str.isalpha, line)) < 0.6 * len(line):
        return False
    first = next(filter(str.isalpha, line))
    return first.isupper() or not first.islower()


def _pieces(text: str) -> Iterator[TextPiece]:
    """A text piece by piece, without gaps, the white space at a line's end with its last one."""
    for start, end, strength in _lines(text):
        yield from _of_line(text, start, end, strength)


def _lines(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, how good it is to begin a passage with it) of each line, with the empty ones behind it."""
    strength = PAGE
    for match in _LINE.finditer(text):
        line = match[0].strip()
        if not line:
            if match[0]:
                yield match.start(), match.end(), ANYWHERE
                strength = PAGE if match[0][-1] == PAGE_BREAK else max(strength, PARAGRAPH)
            continue
        heading = is_heading(line, strength >= PARAGRAPH)
        yield match.start(), match.end(), HEADING if heading else strength
        strength = _strength_after(match[0], line)


def _strength_after(whole: str, line: str) -> int:
    """Return how good the place behind a line is for a cut."""
    if whole[-1] == PAGE_BREAK:
        return PAGE
    if whole.count("\n") > 1:
        return PARAGRAPH
    return LINE if line[-1] in ".!?:。！？" else BLANK


def _of_line(text: str, start: int, end: int, strength: int) -> Iterator[TextPiece]:
    """The sentences of a line, long ones in parts."""
    begins = [(start, strength)]
    begins += [(match.end(), SENTENCE) for match in _SENTENCE.finditer(text, start, end) if match.end() < end]
    for (first, strong), (last, _) in pairwise([*begins, (end, ANYWHERE)]):
        while last - first > _LONGEST_PIECE:
            blank = text.rfind(" ", first + _LONGEST_PIECE // 2, first + _LONGEST_PIECE) + 1
            cut = blank or first + _LONGEST_PIECE
            yield TextPiece(first, cut, tokens_of(text[first:cut]), strong)
            first, strong = cut, BLANK if blank else ANYWHERE
        yield TextPiece(first, last, tokens_of(text[first:last]), strong)
