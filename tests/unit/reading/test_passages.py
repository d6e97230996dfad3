"""Laws of passages: all of the body is in them, of the right size, on three pages at most; slots lie in their bands."""

from __future__ import annotations

import random
import time
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few
from soaking import quick_first

from tui_eval.core.document_text import PAGE_BREAK, RUNNING, LeftOut, page_at, page_spans, pages_of, without_running
from tui_eval.reading.document_body import (
    _ENTRY,
    _LAST_NUMBER,
    _NUMBERED_ENTRY,
    TextPiece,
    _block_spans,
    _blocks,
    _may_be_entry,
    body_pieces,
    is_heading,
    left_out_of,
    other_than_body,
    tokens_of,
)
from tui_eval.reading.passages import FEWEST_TOKENS, MOST_PAGES, MOST_TOKENS, OVERLAP_TOKENS, Passage, passages_of
from tui_eval.reading.slots import MOST_TIMES, TRIES, Slot, default_conversations, page_count, shares, slots

WORDS = [
    "the",
    "pump",
    "of",
    "a",
    "ship",
    "in",
    "harbour",
    "water",
    "tests",
    "every",
    "valve",
    "before",
    "night",
    "and",
    "nobody",
    "leaves",
    "it",
    "open",
    "when",
    "ice",
    "comes",
]
RUNS = quick_first(range(8), 3)
CONTENTS = "Contents\n" + "".join(f"{i}.1 Of pumps and valves ........ {3 * i}\n" for i in range(1, 30))
INDEX = "Index\n" + "".join(f"{word}, {i}, {i + 7}-{i + 9}\n" for i, word in enumerate(WORDS * 3, 3))
REFERENCES = "References\n" + "".join(
    f"[{i}] A. Miller, B. Jones. On pumps and valves. Journal of Ships, {i}(2):{i}-{i + 9}, {1980 + i}.\n" for i in range(1, 30)
)


def sentence(chance: random.Random) -> str:
    """Some words and a full stop."""
    return " ".join(chance.choices(WORDS, k=chance.randint(6, 20))).capitalize() + "."


def document(chance: random.Random, pages: int, headings: bool = True) -> str:
    """Pages of paragraphs, of very different lengths."""
    made = []
    for page in range(pages):
        parts = []
        for part in range(chance.randint(1, 6)):
            if headings and chance.random() < 0.3:
                parts.append(f"{page + 1}.{part + 1} About the {chance.choice(WORDS)}")
            parts.append("\n".join(sentence(chance) for _ in range(chance.randint(1, 12))))
        made.append("\n\n".join(parts))
    return PAGE_BREAK.join(made)


def left_out(text: str, passages: list[Passage]) -> str:
    """What of a text no passage has."""
    covered = [False] * len(text)
    for passage in passages:
        covered[passage.start : passage.end] = [True] * (passage.end - passage.start)
    return "".join(sign for sign, is_in in zip(text, covered, strict=True) if not is_in)


def check(text: str, passages: list[Passage]) -> None:
    """What holds of the passages of any text."""
    assert [passage.number for passage in passages] == list(range(1, len(passages) + 1))
    for passage in passages:
        assert passage.text == text[passage.start : passage.end] == passage.text.strip() != ""
        assert passage.first_page == page_at(text, passage.start)
        assert passage.last_page == page_at(text, passage.end - 1) < passage.first_page + MOST_PAGES
        assert tokens_of(passage.text) <= MOST_TOKENS + 200
    for one, other in pairwise(passages):
        assert one.start < other.start and one.end < other.end
        assert tokens_of(text[other.start : one.end]) <= 2 * OVERLAP_TOKENS


@pytest.mark.parametrize("seed", RUNS)
@pytest.mark.parametrize("pages", [1, 3, 30])
def test_every_character_of_the_body_is_in_some_passage(seed: int, pages: int) -> None:
    """Nothing but white space is left out of a text that is all body; in a second try the passages are the same."""
    text = document(random.Random(seed), pages)
    passages = passages_of(text)

    check(text, passages)
    assert not left_out(text, passages).strip()
    assert passages_of(text) == passages


@few
@given(any_text, st.lists(any_text, max_size=4), st.integers(1, 30))
def test_any_text_has_passages(first: str, others: list[str], times: int) -> None:
    """Unless it is white space; and short texts lose nothing either."""
    text = PAGE_BREAK.join([first * times, *others])
    passages = passages_of(text)

    check(text, passages)
    assert bool(passages) == bool(text.strip())


def test_long_texts_have_passages_of_the_size_that_was_meant() -> None:
    """Without headings 800 to 1,200 tokens, but for the last one, which has at least a third; about 100 are repeated."""
    text = document(random.Random(1), 1, headings=False).replace("\n", " ") * 60
    passages = passages_of(text)
    sizes = [tokens_of(passage.text) for passage in passages]
    repeated = [tokens_of(text[other.start : one.end]) for one, other in pairwise(passages)]

    assert all(FEWEST_TOKENS - 1 <= size <= MOST_TOKENS for size in sizes[:-1]) and sizes[-1] >= 400
    assert all(50 <= size <= 150 for size in repeated)


def test_characters_of_scripts_without_blanks_are_more_tokens() -> None:
    """A Japanese passage has about 1,200 to 1,800 characters."""
    passages = passages_of("船長は到着の六時間前までに港務局に連絡しなければならない。" * 300)

    assert all(1_190 <= len(passage.text) <= 1_800 for passage in passages[:-1])
    assert tokens_of("船長は") == 2 and tokens_of("abcd") == 1


def test_passages_begin_at_headings() -> None:
    """Where a heading lies between the fewest and the most tokens, the cut is before it, and nothing is repeated."""
    parts = [
        f"## {i} Part\n\n" + "\n".join("A sentence about pumps and valves, of some length." for _ in range(80))
        for i in range(9)
    ]
    passages = passages_of("\n\n".join(parts))

    assert [passage.text[:4] for passage in passages] == [f"## {i}" for i in range(9)]


@pytest.mark.parametrize("other", [CONTENTS, INDEX, REFERENCES])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_contents_references_and_indexes_are_in_no_passage(other: str, seed: int) -> None:
    """On a page of their own, or from their heading to the next; the pages around them are whole."""
    chance = random.Random(seed)
    before, after = document(chance, 4), document(chance, 4)
    text = PAGE_BREAK.join([before, other, other.split("\n", 1)[1], after])
    passages = passages_of(text)

    check(text, passages)
    assert other_than_body(other)
    assert left_out(text, passages).split() == (other + other.split("\n", 1)[1]).split()


def test_where_nothing_else_is_left_everything_is_body() -> None:
    """A document that is an index has passages all the same."""
    assert not left_out(INDEX, passages_of(INDEX)).strip()


def test_a_table_among_sentences_is_body() -> None:
    """Figures alone are none, but a table with words is what questions are asked about."""
    table = "Berths\n\nBerth A1   length 12 m   depth 2.4 m   price 31.50\n" * 6

    assert other_than_body(table) == ""
    assert other_than_body("12.5 13.5 14.5\n" * 9) == "figures"


@pytest.mark.parametrize("line", ["# Pumps", "4.2 Bilge pumps", "Chapter 3", "第3章　係留", "IV. Of oil", "Глава 2. Швартовка"])
def test_headings_are_told(line: str) -> None:
    """By number, by name, by mark."""
    assert is_heading(line, apart=False)


@pytest.mark.parametrize(
    "line", ["the pump.", "4.2 Bilge pumps .......... 12", "12 m deep at 12", "Water, oil,", "It runs dry; then"]
)
def test_other_lines_are_no_headings(line: str) -> None:
    """Nor are lines of contents."""
    assert not is_heading(line, apart=False)


def plain_body(text: str, left_out: list[tuple[int, int]]) -> list[list[TextPiece]]:
    """The pieces of a text's body where contents and their like lie there, each block held against each of these."""
    stretches: list[list[TextPiece]] = [[]]
    for block in _blocks(text):
        if any(start < block[-1].end and block[0].start < end for start, end in left_out):
            stretches.append([])
        else:
            stretches[-1] += block
    return [pieces for pieces in stretches if pieces and text[pieces[0].start : pieces[-1].end].strip()]


LISTED = st.lists(
    st.sampled_from(["1.2 Pumps", "Index", " ....", "…", " 12", ", 3–5", "   ", "xiv", ".", "\n", "\n\n", "\f", "٣", "a"]),
    max_size=40,
).map("".join)


@given(LISTED, st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), max_size=6))
def test_what_is_quickly_told_of_lines_and_blocks_is_so(text: str, left_out: list[tuple[int, int]]) -> None:
    """A line that ends like no entry of contents is none; blocks lie where their pieces do, and stay out where they meet."""
    for line in filter(None, map(str.strip, text.splitlines())):
        is_entry = _ENTRY.search(line[-60:]) or _NUMBERED_ENTRY.match(line) or _LAST_NUMBER.search(line)
        assert _may_be_entry(line) or not is_entry

    assert list(_block_spans(text)) == [(block[0].start, block[-1].end) for block in _blocks(text)]
    assert body_pieces(text, left_out) == plain_body(text, left_out) or not plain_body(text, left_out)


@pytest.mark.parametrize(("pages", "number"), [(1, 4), (16, 4), (50, 12), (100, 25), (1_000, 60)])
def test_pages_ask_for_conversations(pages: int, number: int) -> None:
    """One for four pages, 4 to 60."""
    assert default_conversations(pages) == number


def test_a_text_without_pages_has_one_for_three_thousand_characters() -> None:
    """Form feeds count where there are any."""
    assert [page_count(text) for text in ("", "x", "x" * 3_000, "x" * 3_001, "a\fb\fc")] == [1, 1, 1, 2, 3]


def reach(text: str, passage: Passage) -> tuple[float, float]:
    """From where to where a passage goes, in pages."""
    if PAGE_BREAK not in text:
        return 1 + passage.start / 3_000, 1 + passage.end / 3_000
    return float(passage.first_page), float(passage.last_page + 1)


@pytest.mark.parametrize("seed", RUNS)
def test_every_slots_passages_lie_in_its_band(seed: int) -> None:
    """Bands are equal and cover the document; every document has one; no passage is in more than two slots."""
    chance = random.Random(seed)
    texts = [
        document(chance, chance.choice([3, 9, 40])),
        document(chance, 20),
        document(chance, 12).replace(PAGE_BREAK, "\n\n"),
    ]
    wanted = chance.randint(3, 14)
    made = slots(texts, wanted, seed)
    counted: dict[tuple[int, int], int] = {}

    assert len(made) == wanted and {slot.document for slot in made} == {0, 1, 2}
    for i, text in enumerate(texts):
        mine = [slot for slot in made if slot.document == i]
        assert [slot.number for slot in mine] == list(range(1, len(mine) + 1))
        assert mine[0].first_page == 1 and mine[-1].last_page == pytest.approx(1 + page_count(text))
        assert all(a.last_page == b.first_page for a, b in pairwise(mine))
    for slot in made:
        assert 1 <= len(slot.passages) <= TRIES and len({passage.number for passage in slot.passages}) == len(slot.passages)
        for passage in slot.passages:
            start, end = reach(texts[slot.document], passage)
            assert start < slot.last_page and end > slot.first_page
            counted[slot.document, passage.number] = counted.get((slot.document, passage.number), 0) + 1
    assert max(counted.values()) <= MOST_TIMES


def chosen(made: list[Slot]) -> list[tuple[int, ...]]:
    """The passages of slots by number."""
    return [tuple(passage.number for passage in slot.passages) for slot in made]


def test_the_seed_decides() -> None:
    """The same seed chooses the same, another seed others; the order of documents does not matter to what is chosen in each."""
    texts = [document(random.Random(i), 40) for i in range(2)]
    first = slots(texts, 10, "a")

    assert first == slots(texts, 10, "a")
    assert len({str(chosen(slots(texts, 10, seed))) for seed in range(4)}) > 2
    turned = slots(texts[::-1], 10, "a")
    assert {(1 - slot.document, slot.number, slot.passages) for slot in turned} == {
        (s.document, s.number, s.passages) for s in first
    }


@few
@given(st.lists(st.integers(1, 500), min_size=1, max_size=9), st.integers(1, 80))
def test_documents_share_by_length(lengths: list[int], wanted: int) -> None:
    """All are given, one at least to each; a longer document never has fewer; and rooms are kept to."""
    given = shares(lengths, [80] * len(lengths), wanted)

    assert sum(given) == wanted
    assert min(given) >= 1 or wanted < len(lengths)
    assert all(a >= b for (m, a), (n, b) in permutations(zip(lengths, given, strict=True), 2) if m > n)
    assert all(n <= room for n, room in zip(shares(lengths, lengths, wanted), lengths, strict=True))


def test_a_short_document_has_fewer_slots() -> None:
    """Two conversations about one passage, and none about nothing."""
    assert len(slots(["A sentence.", " ", ""], 12, 1)) == 2
    assert slots([], 4, 1) == slots([""], 4, 1) == []


HOSTILE = ["a", " ", ".", ". ", "\n", "\f", "1 ", "A, 1\n", "....\n", "#\n", "[1] ", "。", "A. B. ", "é", "x\n\n", "1.1 A\n"]


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("size", [40_000, pytest.param(400_000, marks=pytest.mark.soak)])
def test_no_text_takes_long(unit: str, size: int) -> None:
    """Forty thousand characters, and ten times as many where there is time, of what makes a careless search slow."""
    text = (unit * (size // len(unit) + 1))[:size]
    start = time.process_time()
    passages = passages_of(text)

    assert time.process_time() - start < (6 if size < 400_000 else 12)
    assert bool(passages) == bool(text.strip())
    assert len(pages_of(text)) == text.count("\f") + 1 and body_pieces(" ") == []


TABLE = "".join(f"{i}  {word} of iron  {(i * 37) % 400}\n" for i, word in enumerate(WORDS * 2, 1))
LINED_UP = "".join(f"{i} On the {word}   {3 * i}\n" for i, word in enumerate(WORDS * 2, 1))


@pytest.mark.parametrize(
    ("block", "what"),
    [(TABLE, ""), (LINED_UP, "contents or index"), (CONTENTS, "contents or index"), (INDEX, "contents or index")],
)
def test_a_table_that_begins_and_ends_with_numbers_is_no_contents(block: str, what: str) -> None:
    """Pages of contents count up, amounts do not; dots before a number, and an index, are told without that."""
    assert other_than_body(block, tables=True) == what
    assert other_than_body(block) == "contents or index"


@pytest.mark.parametrize("seed", RUNS)
def test_what_is_left_out_is_listed_and_the_list_is_kept_to(seed: int) -> None:
    """By page, in order, and by the list alone: no passage has any of it, and all else stands in one."""
    chance = random.Random(seed)
    pages = document(chance, 6).split(PAGE_BREAK)
    pages[0], pages[5] = CONTENTS, REFERENCES
    gaps = chance.choices(("\n", "\n \n"), k=len(pages))
    pages = [f"Handbook\n{page.rstrip()}{gap}Page {n}" for n, (page, gap) in enumerate(zip(pages, gaps, strict=True), 1)]
    text = PAGE_BREAK.join(pages)
    heads = [LeftOut(n, start, start + 8) for n, (start, _) in enumerate(page_spans(text), 1)]
    feet = [LeftOut(n, end - 6, end) for n, (_, end) in enumerate(page_spans(text), 1)]
    found = left_out_of(text, sorted([*heads, *feet], key=lambda one: one.start))
    lean = without_running(text, found)
    other = [(lean.inside(one.start), lean.inside(one.end)) for one in found if one.what != RUNNING]
    passages = passages_of(lean.text, other)
    covered = {at for one in passages for at in range(one.start, one.end)}
    gone = {at for start, end in other for at in range(start, end)}

    assert all(one.end <= other.start for one, other in pairwise(found))
    assert [(one.page, one.what) for one in found if one.what != RUNNING] == [(1, "contents or index"), (6, "references")]
    assert not covered & gone
    assert not "".join(sign for at, sign in enumerate(lean.text) if at not in covered | gone).strip()
    assert all(lean.inside(lean.place(at)) == at for at in range(len(lean.text)))
