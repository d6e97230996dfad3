"""A corpus of PDFs made by script, each with the words it was made of: forms, tables, columns, running lines, odd letters."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pdf_files import HEIGHT, Line, pdf_of
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject

TOP = HEIGHT - 100
GOODS = ("Rope 12 mm", "Anchor", "Lantern", "Tar bucket", "Sail cloth", "Chain 8 mm", "Hook")
PROSE = (
    "The quay of Skerrow is lit from dusk to dawn and its lamps are trimmed by the watchman of berth {n}.",
    "Whoever throws a rope to a ship of more than {n} metres stands back until it has been made fast.",
    "In the winter of 18{n} the ice reached the lighthouse and carried away its lower stair.",
    "Swans have the right of way at all times, and {n} of them were counted last spring.",
)


@dataclass(frozen=True, slots=True)
class Made:
    """A document and what it was made of."""

    name: str
    pdf: bytes
    source: str
    """Every word and figure of it, in the order in which it is read."""
    in_order: bool = True
    """Whether it has one column, so that the text has the words in this order."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Cells that belong on one line."""
    bounded: bool = True
    """Whether every word must be found; of what runs from right to left it is told how many are."""


def invoices() -> Made:
    """Twelve of one page: a template whose figures differ."""
    chance = random.Random(1)
    pages = []
    for n in range(1, 13):
        goods = [
            f"{i}    {name}   {chance.randint(10, 900)}.{chance.randint(0, 99):02d} EUR"
            for i, name in enumerate(chance.sample(GOODS, 3), 1)
        ]
        pages.append(
            ["Nordwind Trading AS", f"Invoice number {40000 + n * 37}", f"Date: {n:02d}.03.2024",
             f"Customer number {chance.randint(1000, 9999)}", "", "Pos  Article            Amount", *goods, "",
             f"Net amount: {chance.randint(100, 2000)}.00 EUR", f"VAT 25 %: {chance.randint(20, 500)}.00 EUR",
             f"Total due: {chance.randint(200, 3000)}.00 EUR"]
        )  # fmt: skip
    return Made("invoices", pdf_of(pages), "\n".join(line for page in pages for line in page))


def fields(n: int = 40) -> list[tuple[str, str]]:
    """Labels and what was filled in."""
    chance = random.Random(7)
    return [
        (f"Field {i} of the harbour's list:", f"{chance.choice(GOODS)} {chance.randint(1000, 99999)}") for i in range(1, n + 1)
    ]


def form(n: int = 40) -> Made:
    """Labels in two columns, and what was filled in drawn afterwards, a little higher."""
    rows = fields(n)
    place = [(250 * (i % 2), TOP - 24 * (i // 2)) for i in range(n)]
    labels = [Line(label, 8, indent=x, height=y) for (label, _), (x, y) in zip(rows, place, strict=True)]
    values = [Line(value, 9, indent=x + 130, height=y + 1) for (_, value), (x, y) in zip(rows, place, strict=True)]
    read = " ".join(f"{label} {value}" for label, value in rows)
    return Made("form", pdf_of([[*labels, *values]]), read, rows=tuple((*rows[i], *rows[i + 1]) for i in range(0, n, 2)))


def filled_form(n: int = 40) -> Made:
    """The same, its values in the fields of the form, where no drawing of the page has them."""
    rows = fields(n)
    labels = [Line(label, 8, indent=60 - 56, height=TOP + 40 - 16 * i) for i, (label, _) in enumerate(rows)]
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of([labels]))))
    page, found = writer.pages[0], ArrayObject()
    for i, (_, value) in enumerate(rows):
        y = TOP + 40 - 16 * i
        rectangle = ArrayObject(FloatObject(side) for side in (250, y - 4, 500, y + 10))
        field = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject("/Widget"),
                NameObject("/FT"): NameObject("/Tx"), NameObject("/T"): TextStringObject(f"f{i}"),
                NameObject("/F"): NumberObject(4),
                NameObject("/V"): TextStringObject(value), NameObject("/Rect"): rectangle,
                NameObject("/DA"): TextStringObject("/Helv 9 Tf"),
            }
        )  # fmt: skip
        found.append(writer._add_object(field))
    page[NameObject("/Annots")] = found
    writer._root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/Fields"): found})
    out = io.BytesIO()
    writer.write(out)
    return Made("filled form", out.getvalue(), " ".join(f"{label} {value}" for label, value in rows), rows=tuple(rows))


def table(n: int = 30, by: str = "rows") -> Made:
    """A heading, a sentence, and rows of four cells, drawn row by row or column by column."""
    chance = random.Random(3)
    head = ("Pos", "Article", "Pieces", "Price in EUR")
    body = [
        (str(i), chance.choice(GOODS), str(chance.randint(1, 400)), f"{chance.randint(1, 900)}.{chance.randint(0, 99):02d}")
        for i in range(1, n + 1)
    ]
    told = "What lay in the store of Skerrow when it was counted at the end of the year stands below, in its order."
    cells = [[Line(cell, 10, indent=x, height=TOP - 20 * i) for x, cell in zip((0, 60, 260, 360), row, strict=True)]
             for i, row in enumerate([head, *body])]  # fmt: skip
    drawn = [cell for row in cells for cell in row] if by == "rows" else [row[c] for c in range(4) for row in cells]
    source = "\n".join([told, *(" ".join(row) for row in [head, *body])])
    return Made(f"table by {by}", pdf_of([[Line(told, 10, height=TOP + 24), *drawn]]), source, rows=(head, *body))


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def columns() -> Made:
    """Prose in two columns below a title."""
    said = " ".join(sentence.format(n=n) for n in range(31, 38) for sentence in PROSE)
    lines = _wrapped(said, 44)
    half = -(-len(lines) // 2)
    drawn = [Line("Of ships and swans", 16, bold=True, height=TOP + 30)]
    drawn += [Line(line, 10, indent=0, height=TOP - 14 * i) for i, line in enumerate(lines[:half])]
    drawn += [Line(line, 10, indent=260, height=TOP - 14 * i) for i, line in enumerate(lines[half:])]
    return Made("two columns", pdf_of([drawn]), f"Of ships and swans {said}", in_order=False)


def report(pages: int = 6) -> Made:
    """Prose with a head, a foot and a number on each page."""
    made, source = [], []
    for n in range(1, pages + 1):
        body = [line for k, sentence in enumerate(PROSE) for line in _wrapped(sentence.format(n=40 + 7 * n + k), 80)]
        page: list[str] = ["Report of the harbour", "", *body, "", f"Page {n} of {pages}"]
        made.append(page)
        source += page
    return Made("report", pdf_of(made), "\n".join(source))


def letters() -> Made:
    """Ligatures, hyphens at line ends, dashes and quotation marks, and scripts of other letters."""
    lines = [
        "The o\ufb03cer of the harbour o\ufb00ers \ufb01sh in \ufb02at baskets, and so on for ever and ever.",
        "Whoever has lost a life-", "boat asks at the har-", "bour o\ufb03ce, between 8 and 12.",
        "\u201cNever\u201d, said the watchman \u2013 and went. Größe der Schiffe: 12 \u20ac für jedes.",
        "Привет, мир: 25 кораблей.", "港湾の手引き 2024。", "Ευχαριστώ πολύ 7.",
    ]  # fmt: skip
    source = (
        "The officer of the harbour offers fish in flat baskets, and so on for ever and ever. Whoever has lost a lifeboat asks "
        'at the harbour office, between 8 and 12. "Never", said the watchman - and went. Größe der Schiffe: 12 € für jedes. '
        "Привет, мир: 25 кораблей. 港湾の手引き 2024。 Ευχαριστώ πολύ 7."
    )
    return Made("letters", pdf_of([lines]), source)


def right_to_left() -> Made:
    """Hebrew and Arabic, drawn from left to right as they stand on the page, the first word last."""
    read = ["שלום עולם 12", "מדריך הנמל", "مرحبا بالعالم 7"]
    drawn = [" ".join(word if word.isdigit() else word[::-1] for word in line.split()[::-1]) for line in read]
    last = "The harbour of Haifa has 12 berths."
    return Made("right to left", pdf_of([[*drawn, last]]), "\n".join([*read, last]), in_order=False, bounded=False)


MADE: Sequence[Callable[[], Made]] = (
    invoices, form, filled_form, table, lambda: table(by="columns"), columns, report, letters, right_to_left
)  # fmt: skip
"""All of them."""
