"""Rows of tables and forms are lines, whatever order they were drawn in; prose in columns stays as it was drawn."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

import pytest
from made_documents import TOP, Made, columns, filled_form, form, table
from pdf_files import Line, pdf_of
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject
from soaking import quick_first

from tui_eval.core.document_text import plain_page
from tui_eval.datasets.document_text.document_reader import ReadingLimits, read_document

ANY = ReadingLimits(min_letters=1)


def text_of(pdf: bytes) -> str:
    """What a PDF says."""
    return read_document(pdf, "a.pdf", ANY).text


def as_drawn(pdf: bytes) -> str:
    """What pypdf says of it by itself."""
    return "\f".join(plain_page(page.extract_text()) for page in PdfReader(io.BytesIO(pdf)).pages)


def placed(cells: Sequence[tuple[str, float, float]], size: float = 10) -> bytes:
    """A page with these texts at these places, drawn in this order."""
    return pdf_of([[Line(text, size, indent=x, height=y) for text, x, y in cells]])


@pytest.mark.parametrize("made", [form(), filled_form(), table(by="rows"), table(by="columns")], ids=lambda made: made.name)
def test_every_row_is_a_line(made: Made) -> None:
    """Of a form with 40 fields and of a table of 30 rows: its cells, in their order, and nothing else."""
    lines = [" ".join(line.split()) for line in text_of(made.pdf).split("\n")]

    assert [line for line in lines if line in {" ".join(row) for row in made.rows}] == [" ".join(row) for row in made.rows]


def test_rows_that_were_drawn_as_such_stay_byte_for_byte() -> None:
    """Nothing that pypdf has on one line is set otherwise."""
    made = table(by="rows")
    assert text_of(made.pdf) == as_drawn(made.pdf)


def test_columns_of_prose_stay_columns() -> None:
    """Of two columns each sentence stays whole, headings and last lines of paragraphs among them."""
    made = columns()
    assert text_of(made.pdf) == as_drawn(made.pdf)


def test_prose_without_letters_that_are_small_or_large() -> None:
    """Chinese in two columns, which has no blanks either."""
    dice = random.Random(3)
    lines = ["".join(chr(dice.randint(0x4E00, 0x9000)) for _ in range(20)) for _ in range(24)]
    cells = [(line, 260.0 * (n // 12), TOP - 14.0 * (n % 12)) for n, line in enumerate(lines)]

    assert text_of(placed(cells)).split("\n") == lines


@pytest.mark.parametrize("seed", quick_first(range(10), 3))
def test_the_order_of_drawing_does_not_matter_to_a_table(seed: int) -> None:
    """Cells of each row stand on a line from left to right, and every cell stands there once."""
    dice = random.Random(seed)
    rows = [(f"Article {n}", str(dice.randint(1, 999)), f"{dice.randint(1, 99)}.50 EUR") for n in range(8)]
    cells = [
        (cell, 130.0 * c, TOP - 22.0 * r + dice.uniform(-1, 1)) for r, row in enumerate(rows) for c, cell in enumerate(row)
    ]
    dice.shuffle(cells)

    assert sorted(" ".join(line.split()) for line in text_of(placed(cells)).split("\n")) == sorted(map(" ".join, rows))


def test_an_amount_drawn_before_its_article_is_a_word_of_its_own() -> None:
    """What goes back to the left on a line is put before what it stands before, with blanks between."""
    assert text_of(placed([("12.50", 300, TOP), ("Rope", 0, TOP), ("Tar", 0, TOP - 20), ("3.00", 300, TOP - 20)])) == (
        "Rope  12.50\nTar 3.00"
    )


def test_what_is_drawn_over_something_else_stays_apart() -> None:
    """A stamp across a line is no cell of it."""
    assert text_of(placed([("The quay is lit", 0, TOP), ("Below", 0, TOP - 40), ("COPY OF IT", 20, TOP)])).split("\n") == [
        "The quay is lit", "Below", "COPY OF IT",
    ]  # fmt: skip


def test_boxes_and_what_was_typed_over_a_page() -> None:
    """A box is checked or not, a choice is its words, free text is text; what is hidden or a button is nothing."""
    labels = [Line(f"Question {n}?", indent=0, height=TOP - 30 * n) for n in range(6)]
    fields = [
        {"/FT": NameObject("/Btn"), "/AS": NameObject("/Yes")}, {"/FT": NameObject("/Btn"), "/AS": NameObject("/Off")},
        {"/FT": NameObject("/Ch"), "/V": TextStringObject("starboard")}, {"/Subtype": "/FreeText", "/Contents": "typed on"},
        {"/FT": NameObject("/Tx"), "/V": TextStringObject("unseen"), "/F": 2}, {"/FT": NameObject("/Btn"), "/Ff": 1 << 16},
    ]  # fmt: skip
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of([labels]))))
    found = ArrayObject()
    for n, field in enumerate(fields):
        y = TOP - 30 * n
        rectangle = ArrayObject(FloatObject(side) for side in (300, y - 4, 400, y + 10))
        made = DictionaryObject({NameObject("/Subtype"): NameObject("/Widget"), NameObject("/Rect"): rectangle})
        for key, value in field.items():
            text = NameObject(value) if key == "/Subtype" else TextStringObject(value) if isinstance(value, str) else value
            made[NameObject(key)] = FloatObject(text) if isinstance(text, int) else text
        found.append(writer._add_object(made))
    writer.pages[0][NameObject("/Annots")] = found
    out = io.BytesIO()
    writer.write(out)

    assert text_of(out.getvalue()).split("\n") == [
        "Question 0?  [x]", "Question 1?  [ ]", "Question 2?  starboard", "Question 3?  typed on",
        "Question 4?", "Question 5?",
    ]  # fmt: skip


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_page_that_is_turned_has_its_rows(rotation: int) -> None:
    """Tables across a page are drawn upwards on one that is turned when it is looked at."""
    rows = [(f"Article {n}", f"{n}.50") for n in range(5)]
    turned = {90: "0 1 -1 0 {1} {0}", 180: "-1 0 0 -1 {2} {1}", 270: "0 -1 1 0 {1} {2}"}[rotation]
    operators = []
    for c in range(2):
        for r, row in enumerate(rows):
            across, down = 60 + 200 * c, 100 + 30 * r
            matrix = turned.format(across, down, 500 - across)
            operators.append(f"BT /Plain 10 Tf {matrix} Tm <{row[c].encode('cp1252').hex()}> Tj ET")
    base = pdf_of([["x"]])
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(base)))
    writer.pages[0]["/Contents"].get_object().set_data("\n".join(operators).encode())
    writer.pages[0].rotation = rotation
    out = io.BytesIO()
    writer.write(out)

    assert sorted(" ".join(line.split()) for line in text_of(out.getvalue()).split("\n")) == [" ".join(row) for row in rows]
