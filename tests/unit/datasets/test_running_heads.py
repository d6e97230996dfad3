"""Running heads and feet are found by place and words; what a document says is none."""

from __future__ import annotations

import random

import pytest

from tui_eval.core.document_text import LeftOut, joined, without_running
from tui_eval.datasets.document_text.running_heads import notes_of, running_lines, running_of

BODY = [
    "Ships of more than forty metres take a pilot.", "The quay is lit from dusk to dawn.", "Waste is handed in at shed nine.",
    "Water costs two crowns a ton.", "Berths are given by the harbour master.", "Ropes are thrown from the ship.",
    "Speed is four knots at most.", "The lock opens at half tide.", "Swans have right of way.",
]  # fmt: skip


def page(number: int, head: str = "", foot: str = "", lines: int = 8) -> str:
    """A page of a body of its own, behind a head and before a foot."""
    body = [f"{line[:-1]}, as rule {chr(97 + number)}{at} says." for at, line in enumerate(BODY[:lines])]
    return "\n".join([*([head.format(number)] if head else []), *body, *([foot.format(number)] if foot else [])])


def running(pages: list[str], places: list[list[tuple[int, float]]] | None = None) -> list[tuple[int, str]]:
    """The page and the words of each running line."""
    lines = running_lines(pages, places or [[] for _ in pages])
    return [(number + 1, pages[number].split("\n")[at]) for number, at in lines]


def test_what_repeats_at_the_ends_is_a_running_line() -> None:
    """The title and the number of every page, and nothing else; without them the body is left as it was."""
    pages = [page(n, "Harbour Handbook", "page {} of 6") for n in range(1, 7)]
    text = joined(pages)
    found = running_of(text, pages, [[]] * 6)

    assert running(pages)[:2] == [(1, "Harbour Handbook"), (1, "page 1 of 6")] and len(found) == 12
    assert found[0] == LeftOut(1, 0, 16)
    assert without_running(text, found).text == joined([page(n) for n in range(1, 7)])


@pytest.mark.parametrize(
    ("pages", "with_head", "goes"), [(2, 2, False), (3, 2, True), (4, 2, False), (5, 3, True), (10, 5, False)]
)
def test_on_more_than_half_of_three_pages_or_more(pages: int, with_head: int, goes: bool) -> None:
    """Half is not enough, nor are two pages."""
    assert bool(running([page(n, "Harbour Handbook" if n <= with_head else "") for n in range(1, pages + 1)])) is goes


def test_odd_and_even_pages_are_looked_at_apart() -> None:
    """A book has its title on the left and its chapter on the right, each on half of the pages; three of a side are needed."""
    heads = ("Harbour Handbook", "Of ships and berths")
    pages = [page(n, heads[n % 2]) for n in range(1, 9)]

    assert running(pages) == [(n, heads[n % 2]) for n in range(1, 9)]
    assert running(pages[:4]) == []


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Invoice number {0}", True), ("page {0} of 12", True), ("{0}", True), ("- {0} -", True), ("Seite {0}/12", True),
        ("Invoice number 4{1}", False), ("Total due: {1}.00 EUR", False), ("Customer {1}", False), ("{1}", False),
        ("Harbour Handbook, edition of 2024, page {0}", False), ("VAT {0} %: {1}.00 EUR", False), ("{1} of {0}", False),
    ],
)  # fmt: skip
def test_only_numbers_that_count_with_the_page_may_change(line: str, goes: bool) -> None:
    """A template's figures are what a page says, though its words stand on every page; so is a line of more words."""
    chance = random.Random(line)
    pages = [page(n, line.format(n, chance.randint(100, 999))) for n in range(1, 13)]

    assert bool(running(pages)) is goes


def test_the_same_place_is_as_far_down_or_the_same_line_from_the_edge() -> None:
    """A foot is known by its height where the body ends elsewhere on each page, and what wanders over the page is no foot."""
    pages = [page(n, foot="Harbour Handbook", lines=9 - n % 3) for n in range(1, 7)]
    last = [len(text.split("\n")) - 1 for text in pages]
    ends = [[*((at, 60.0 + 14 * at) for at in range(3)), (at, 800.4 - n % 2)] for n, at in enumerate(last)]
    assert len(running(pages, ends)) == 6

    wandering = ["\n".join(line for line in BODY[:8]) for _ in range(6)]
    wandering = [text.replace(BODY[n], f"{n} {n}", 1) + f"\nrow {n * n + 40}" for n, text in enumerate(wandering)]
    assert all("row" not in text for _, text in running(wandering))


def test_a_sentence_of_the_body_is_none() -> None:
    """What a page says in its middle is no foot, though it ends most pages."""
    rule = "The harbour master decides in every case of doubt."
    pages = [page(n, foot=rule) for n in range(1, 7)]
    assert len(running(pages)) == 6

    pages[3] = page(4).replace("\nWater", f"\n{rule}\nWater") + f"\n{rule}"
    assert running(pages) == []


def test_a_title_may_stand_on_a_page_of_its_own() -> None:
    """A line that is no sentence may be in the body once, such as on the title page; twice, it is part of the text."""
    pages = [page(n, "Harbour Handbook") for n in range(1, 7)]
    pages[0] = pages[0].replace("\nWater", "\nHarbour Handbook\nWater")
    assert len(running(pages)) == 6

    pages[1] = pages[1].replace("\nWater", "\nHarbour Handbook\nWater")
    assert running(pages) == []


def test_rows_of_figures_are_none() -> None:
    """Only numbers that count up with the pages are the pages' own."""
    chance = random.Random(7)
    pages = ["\n".join(f"{chance.randint(1, 99)} {chance.randint(1, 99)}" for _ in range(20)) for _ in range(9)]
    assert running(pages) == []

    numbered = running([f"{text}\n{number}" for number, text in enumerate(pages, 31)])
    assert numbered == [(n, str(n + 30)) for n in range(1, 10)]


@pytest.mark.parametrize("seed", range(30))
def test_a_text_without_its_running_lines_is_found_in_the_whole(seed: int) -> None:
    """Every character left stands where it is said to, and nothing goes but whole running lines and blank ones."""
    chance = random.Random(seed)
    words = ["Title", "7", "8", "a b.", "One two three four.", "", "page 3", "x"]
    pages = ["\n".join(chance.choices(words, k=chance.randint(0, 12))) for _ in range(chance.randint(1, 8))]
    text = joined(pages)
    found = running_of(text, pages, [[]] * len(pages))
    lean = without_running(text, found)

    assert all(text[lean.place(at)] == sign for at, sign in enumerate(lean.text))
    assert lean.text.count("\f") == text.count("\f")
    lines = [line for line in text.replace("\f", "\n").split("\n") if line]
    kept = [line for line in lean.text.replace("\f", "\n").split("\n") if line]
    assert sorted([*kept, *(text[one.start : one.end] for one in found)]) == sorted(lines)
    assert bool(found) == bool(notes_of(text, found))


def test_notes_say_which_lines_and_on_how_many_pages() -> None:
    """One note for each line, digits aside, the first and the last as they stand."""
    pages = [page(n, "Harbour Handbook", "page {} of 6") for n in range(1, 7)]
    text = joined(pages)

    assert notes_of(text, running_of(text, pages, [[]] * 6)) == (
        "no passage has the running head or foot 'Harbour Handbook', which is on 6 of 6 pages",
        "no passage has the running head or foot 'page 1 of 6' … 'page 6 of 6', which is on 6 of 6 pages",
    )
