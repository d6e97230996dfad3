"""PDFs made from lines of text, without a library: pages to read, and the raw objects from which odd files are put together.

It knows nothing of the program, so that a script that makes an example may use it as well.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, MARGIN = 595, 842, 56
"""Points of an A4 page, and how far from its left and upper edge text begins."""
PAPER = f"[0 0 {WIDTH} {HEIGHT}]"
_WIDE_FONT = "Wide"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: its text, how large, whether bold, and how far to the right of the margin it begins, in points."""

    text: str
    size: float = 11
    bold: bool = False
    indent: float = 0
    same_line: bool = False
    """Whether it stands beside the line before it, as the next cell of a table's row does."""
    height: float | None = None
    """How high above the page's lower edge it stands; None: below the line before it."""


PageLines = Sequence[str | Line]


def pdf_of(pages: Sequence[PageLines], compress: bool = True) -> bytes:
    """A PDF with these pages, the same bytes every time. Letters beyond Windows-1252 can be extracted, but not be seen."""
    texts = [[line if isinstance(line, Line) else Line(line) for line in page] for page in pages]
    letters = sorted({letter for page in texts for line in page for letter in line.text if _is_wide(line.text)})
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", **_fonts(letters)}
    kids = []
    for page in texts:
        number = max(objects) + 1
        kids.append(f"{number} 0 R")
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox {PAPER} /Contents {number + 1} 0 R /Resources << /Font "
            f"<< /Plain 3 0 R /Bold 4 0 R /{_WIDE_FONT} 5 0 R >> >> >>"
        ).encode()
        objects[number + 1] = stream(_drawn(page), compress=compress)
    objects[2] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    return assembled(objects)


def assembled(objects: Mapping[int, bytes], trailer: str = "") -> bytes:
    """A file of these objects by number, 1 being the catalogue, with its table of offsets. `trailer`: what else is there."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = {}
    for number in sorted(objects):
        offsets[number] = len(out)
        out += b"%d 0 obj\n" % number + objects[number] + b"\nendobj\n"
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 65535 f \n"
    return bytes(out) + f"trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()


def stream(data: bytes, entries: str = "", compress: bool = True) -> bytes:
    """A stream object: its dictionary, with these entries besides, and its data."""
    if compress:
        data, entries = zlib.compress(data, 9), f"/Filter /FlateDecode {entries}"
    return f"<< /Length {len(data)} {entries} >>\nstream\n".encode() + data + b"\nendstream"


def one_page(content: bytes, resources: str = "", others: Mapping[int, bytes] | None = None) -> bytes:
    """A PDF of one page with this object as its content, and objects besides, from number 5 on."""
    return assembled(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            3: f"<< /Type /Page /Parent 2 0 R /MediaBox {PAPER} /Contents 4 0 R /Resources << {resources} >> >>".encode(),
            4: content,
            **(others or {}),
        }
    )


def _is_wide(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return True
    return False


def _drawn(lines: Sequence[Line]) -> bytes:
    """The operators that draw a page's lines, from its top downwards."""
    out, y = [], float(HEIGHT - MARGIN)
    for line in lines:
        y = y - (0 if line.same_line else line.size * 1.4) if line.height is None else line.height
        if not line.text:
            continue
        font = _WIDE_FONT if _is_wide(line.text) else "Bold" if line.bold else "Plain"
        shown = line.text.encode("utf-16-be") if font == _WIDE_FONT else line.text.encode("cp1252")
        out.append(f"BT /{font} {line.size:g} Tf 1 0 0 1 {MARGIN + line.indent:g} {y:g} Tm <{shown.hex()}> Tj ET")
    return "\n".join(out).encode()


def _fonts(wide: Sequence[str]) -> dict[int, bytes]:
    """Helvetica, its bold, and a font without shapes whose codes are Unicode's, for what these have not."""
    pairs = "\n".join(f"<{ord(letter):04x}> <{ord(letter):04x}>" for letter in wide)
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{len(wide)} beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
    )
    system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    return {
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        4: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        5: b"<< /Type /Font /Subtype /Type0 /BaseFont /Wide /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>",
        6: f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Wide {system} /DW 1000 >>".encode(),
        7: stream(table.encode()),
    }
