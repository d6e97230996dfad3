"""Running heads and feet are left out of pages, each of them listed; what a document says is not."""

from __future__ import annotations

import random

import pytest

from tui_eval.core.document_text import DroppedLine
from tui_eval.datasets.document_text.running_heads import notes_of, without_running_heads

BODY = [
    "Ships of more than forty metres take a pilot.", "The quay is lit from dusk to dawn.", "Waste is handed in at shed nine.",
    "Water costs two crowns a ton.", "Berths are given by the harbour master.", "Ropes are thrown from the ship.",
    "Speed is four knots at most.", "The lock opens at half tide.", "Swans have right of way.",
]  # fmt: skip


def page(number: int, head: str = "", foot: str = "", lines: int = 8) -> str:
    """A page of a body of its own, behind a head and before a foot."""
    body = [f"{line[:-1]}, as rule {chr(97 + number)}{at} says." for at, line in enumerate(BODY[:lines])]
    return "\n".join([*([head.format(number)] if head else []), *body, *([foot.format(number)] if foot else [])])


def test_what_repeats_at_the_ends_goes() -> None:
    """The title and the number of the page are left out of every page, and nothing else is."""
    pages = [page(n, "Harbour Handbook", "page {} of 6") for n in range(1, 7)]
    found = without_running_heads(pages)

    assert found.pages == [page(n) for n in range(1, 7)]
    assert found.dropped[:2] == (DroppedLine(1, "Harbour Handbook"), DroppedLine(1, "page 1 of 6"))
    assert len(found.dropped) == 12


@pytest.mark.parametrize(
    ("pages", "with_head", "goes"), [(2, 2, False), (3, 2, True), (4, 2, False), (5, 3, True), (10, 5, False)]
)
def test_on_more_than_half_of_three_pages_or_more(pages: int, with_head: int, goes: bool) -> None:
    """Half is not enough, nor are two pages."""
    texts = [page(n, "Harbour Handbook" if n <= with_head else "") for n in range(1, pages + 1)]

    assert bool(without_running_heads(texts).dropped) is goes


def test_a_sentence_of_the_body_stays() -> None:
    """What a page says in its middle is no head, though it ends most pages."""
    rule = "The harbour master decides in every case of doubt."
    pages = [page(n, foot=rule) for n in range(1, 7)]
    assert without_running_heads(pages).dropped

    pages[3] = page(4).replace("\nWater", f"\n{rule}\nWater") + f"\n{rule}"
    found = without_running_heads(pages)
    assert found.dropped == () and found.pages == pages


def test_a_title_may_stand_on_a_page_of_its_own() -> None:
    """A line that is no sentence may be in the body once, such as on the title page; twice, it is part of the text."""
    pages = [page(n, "Harbour Handbook") for n in range(1, 7)]
    pages[0] = pages[0].replace("\nWater", "\nHarbour Handbook\nWater")
    assert len(without_running_heads(pages).dropped) == 6

    pages[1] = pages[1].replace("\nWater", "\nHarbour Handbook\nWater")
    assert without_running_heads(pages).dropped == ()


def test_rows_of_figures_stay() -> None:
    """Digits aside, rows of a table are alike; only numbers that count up with the pages are the pages' own."""
    chance = random.Random(7)
    pages = ["\n".join(f"{chance.randint(1, 99)} {chance.randint(1, 99)}" for _ in range(20)) for _ in range(9)]
    assert without_running_heads(pages).pages == pages

    numbered = without_running_heads([f"{text}\n{number}" for number, text in enumerate(pages, 31)])
    assert numbered.pages == pages
    assert [line.text for line in numbered.dropped] == [str(number) for number in range(31, 40)]


@pytest.mark.parametrize("seed", range(30))
def test_every_line_that_goes_is_listed(seed: int) -> None:
    """Lines kept and lines listed are together all the lines of a page; a dropped one stood among its first or last three."""
    chance = random.Random(seed)
    words = ["Title", "7", "8", "a b.", "One two three four.", "", "page 3", "x"]
    pages = ["\n".join(chance.choices(words, k=chance.randint(0, 12))) for _ in range(chance.randint(1, 8))]
    found = without_running_heads(pages)

    assert len(found.pages) == len(pages)
    for number, (before, after) in enumerate(zip(pages, found.pages, strict=True), 1):
        dropped = [line.text for line in found.dropped if line.page == number]
        lines = [line for line in before.split("\n") if line.strip()]
        assert sorted([*dropped, *[line for line in after.split("\n") if line.strip()]]) == sorted(lines)
        assert set(dropped) <= {*lines[:3], *lines[-3:]}
    assert bool(found.dropped) == bool(notes_of(found.dropped, len(pages)))


def test_notes_say_what_went_and_from_how_many_pages() -> None:
    """One note for each line, digits aside, the first and the last as they stood."""
    found = without_running_heads([page(n, "Harbour Handbook", "page {} of 6") for n in range(1, 7)])

    assert notes_of(found.dropped, 6) == (
        "a running head or foot was left out on 6 of 6 pages: 'Harbour Handbook'",
        "a running head or foot was left out on 6 of 6 pages: 'page 1 of 6' … 'page 6 of 6'",
    )
