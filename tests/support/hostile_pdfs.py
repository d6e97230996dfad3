"""PDFs that are made to hang, to exhaust or to bring down whoever opens them, each in a few kilobytes. Test data, by name."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from pdf_files import assembled, one_page, stream

FONT = "/Font << /F 5 0 R >>"
HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"


def cyclic_pages() -> bytes:
    """A page tree that leads back to its root."""
    below = b"<< /Type /Pages /Count 1 /Kids [2 0 R] >>"
    return assembled({1: CATALOGUE, 2: b"<< /Type /Pages /Count 2 /Kids [3 0 R] >>", 3: below})


def huge_count() -> bytes:
    """One page, and a count of a billion."""
    pages = b"<< /Type /Pages /Count 1000000000 /Kids [3 0 R] >>"
    return assembled({1: CATALOGUE, 2: pages, 3: b"<< /Type /Page /Parent 2 0 R >>"})


def many_pages() -> bytes:
    """One page, named two hundred thousand times."""
    kids = b"3 0 R " * 200_000
    pages = b"<< /Type /Pages /Count 200000 /Kids [" + kids + b"] >>"
    return assembled({1: CATALOGUE, 2: pages, 3: b"<< /Type /Page /Parent 2 0 R >>"})


def deep_pages() -> bytes:
    """A page tree twenty thousand levels deep."""
    deep = 20_000
    nodes = {n: f"<< /Type /Pages /Count 1 /Kids [{n + 1} 0 R] >>".encode() for n in range(2, deep)}
    return assembled({1: CATALOGUE, **nodes, deep: b"<< /Type /Page >>"})


def fans_of_pages() -> bytes:
    """A page tree in which each of thirty levels names the next twice: a billion pages."""
    nodes = {n: f"<< /Type /Pages /Count 1 /Kids [{n + 1} 0 R {n + 1} 0 R] >>".encode() for n in range(2, 32)}
    return assembled({1: CATALOGUE, **nodes, 32: b"<< /Type /Page >>"})


def operators() -> bytes:
    """Two hundred thousand operators in eleven kilobytes, or fewer."""
    content = b"BT /F 9 Tf " + b"1 0 0 1 9 9 Tm (ab) Tj " * 100_000 + b"ET"
    return one_page(stream(content), FONT, {5: HELVETICA})


def ocean_of_operators() -> bytes:
    """Nine million operators in seventy kilobytes."""
    return one_page(stream(b"BT /F 9 Tf " + b"(ab) Tj " * 9_000_000 + b"ET"), FONT, {5: HELVETICA})


def brackets() -> bytes:
    """Seventy megabytes of empty arrays as the operands of one operator."""
    return one_page(stream(b"[" + b"[]" * 36_000_000 + b"] TJ"))


def wide_dictionary() -> bytes:
    """A page with a million and a half fonts."""
    return one_page(stream(b"BT ET"), "/Font << " + "".join(f"/{n} {n} 0 R " for n in range(1_500_000)) + " >>")


def blanks() -> bytes:
    """Seventy megabytes of blanks in a page's content."""
    return one_page(stream(b" " * 70_000_000))


def zipped_twice() -> bytes:
    """Four hundred megabytes of blanks, compressed twice."""
    inner = zlib.compressobj(9)
    once = b"".join([inner.compress(b" " * 20_000_000) for _ in range(20)]) + inner.flush()
    return one_page(stream(zlib.compress(once, 9), "/Filter [/FlateDecode /FlateDecode]", compress=False))


def many_filters() -> bytes:
    """A stream behind a hundred thousand filters."""
    return one_page(stream(b"x", f"/Filter [{'/ASCIIHexDecode ' * 100_000}]", compress=False))


def many_contents() -> bytes:
    """A page whose content is the same two megabytes, ten thousand times."""
    return one_page(b"[" + b"5 0 R " * 10_000 + b"]", "", {5: stream(b"q Q " * 500_000)})


def laughs() -> bytes:
    """Twelve forms, each of which draws the next ten times: a million million."""
    forms = {
        n: stream(
            b"/X Do " * 10, f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {n + 1} 0 R >> >>"
        )
        for n in range(5, 17)
    }
    last = stream(
        b"BT /F 9 Tf (ha) Tj ET", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 18 0 R >> >>"
    )
    return one_page(stream(b"/X Do"), "/XObject << /X 5 0 R >>", {**forms, 17: last, 18: HELVETICA})


def form_in_itself() -> bytes:
    """A form that draws itself."""
    form = stream(b"/X Do /X Do", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>")
    return one_page(stream(b"/X Do /X Do"), "/XObject << /X 5 0 R >>", {5: form})


def nested_arrays() -> bytes:
    """An array in an array, two hundred thousand deep, where a page is expected."""
    pages = b"<< /Type /Pages /Count 1 /Kids " + b"[" * 200_000 + b"]" * 200_000 + b" >>"
    return assembled({1: CATALOGUE, 2: pages})


def nested_operands() -> bytes:
    """The same in a page's content."""
    return one_page(stream(b"[" * 200_000 + b"]" * 200_000 + b" TJ"))


def letters_for_every_code() -> bytes:
    """A font that says of four billion codes which letters they are."""
    table = (
        b"1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange"
    )
    font = b"<< /Type /Font /Subtype /Type0 /BaseFont /W /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>"
    below = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /W >>"
    return one_page(stream(b"BT /F 9 Tf <0041> Tj ET"), FONT, {5: font, 6: below, 7: stream(table)})


def widths_of_every_code() -> bytes:
    """A font that gives a width to two billion codes."""
    font = b"<< /Type /Font /Subtype /Type0 /BaseFont /W /Encoding /Identity-H /DescendantFonts [6 0 R] >>"
    below = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /W /W [0 2000000000 500] >>"
    return one_page(stream(b"BT /F 9 Tf <0041> Tj ET"), FONT, {5: font, 6: below})


def object_stream() -> bytes:
    """A stream that says it holds a billion objects, and unpacks to seventy megabytes."""
    packed = stream(b"5 0 " + b" " * 70_000_000, "/Type /ObjStm /N 1000000000 /First 4")
    return _with_offsets_in_a_stream({1: CATALOGUE, 3: packed}, b"\x02\x00\x00\x03\x00", "[2 1]")


def endless_table() -> bytes:
    """A table of offsets that says it has a thousand million entries."""
    return _with_offsets_in_a_stream({1: CATALOGUE}, b"\x00" * 70_000_000, "[0 1000000000]")


def table_before_itself() -> bytes:
    """A table of offsets whose earlier table is itself."""
    whole = assembled({1: CATALOGUE, 2: b"<< /Type /Pages /Count 0 /Kids [] >>"}, "/Prev 0000000000")
    return whole.replace(b"/Prev 0000000000", b"/Prev %010d" % whole.rindex(b"xref\n0 "))


def long_number() -> bytes:
    """A page whose content is a number of ten million digits."""
    return one_page(stream(b"9" * 10_000_000 + b" 0 Td"))


def long_name() -> bytes:
    """A page tree without an end of file, and forty megabytes of open brackets behind it."""
    return b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages " + b"<< /A " * 6_000_000


def _with_offsets_in_a_stream(objects: dict[int, bytes], table: bytes, index: str) -> bytes:
    """A file whose table of offsets is a stream of entries of five bytes, those given for `index`."""
    out = bytearray(b"%PDF-1.7\n")
    entries = b""
    for number in sorted(objects):
        entries += b"\x01" + len(out).to_bytes(3, "big") + b"\x00"
        out += b"%d 0 obj\n" % number + objects[number] + b"\nendobj\n"
    start = len(out)
    known = " ".join(f"{number} 1" for number in sorted(objects))
    described = f"/Type /XRef /Size 1000000001 /W [1 3 1] /Index [{known} {index.strip('[]')}] /Root 1 0 R"
    out += b"99 0 obj\n" + stream(entries + table, described) + b"\nendobj\n"
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % start


HOSTILE: dict[str, Callable[[], bytes]] = {
    maker.__name__: maker
    for maker in (
        cyclic_pages, huge_count, many_pages, deep_pages, fans_of_pages, operators, ocean_of_operators, brackets,
        wide_dictionary, blanks, zipped_twice, many_filters, many_contents, laughs, form_in_itself, nested_arrays,
        nested_operands, letters_for_every_code, widths_of_every_code, object_stream, endless_table, table_before_itself,
        long_number, long_name,
    )
}  # fmt: skip
