"""A file's suffix says what sort it is; its first bytes say what it is, and must be of that sort."""

from __future__ import annotations

import pytest
from makers import DATA

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.file_sorts import mime_of_name, recognised, refuse_unknown, sort_of_file

HEADS = {
    "image/jpeg": b"\xff\xd8\xff\xe0", "image/png": b"\x89PNG\r\n\x1a\n", "image/gif": b"GIF89a\x80",
    "image/webp": b"RIFF\x24\x00\x00\xffWEBP", "application/pdf": b"%PDF-1.7\n\xe2\xe3",
}  # fmt: skip
IMAGES = DATA / "images"


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("image", "a.jpg b.JPEG c.Png d.gif e.webp"),
        ("document", "a.pdf b.PDF c.x.pdf"),
        (
            "text",
            "a.txt A.TXT b.md c.json d.py e.html f.xml g.csv h.htm i.markdown j.rst k.log l.yaml m.toml n.js o.ts p.java q.c",
        ),
        (None, "README a.docx .md .pdf a. a.zip a.pdf.bak a.svg b.exe a.md/b"),
    ],
)
def test_the_suffix_says_the_sort(sort: str | None, names: str) -> None:
    """In any case; a hidden file's name and an unknown suffix say nothing."""
    assert {name: sort_of_file(name) for name in names.split()} == dict.fromkeys(names.split(), sort)


@pytest.mark.parametrize("name", ["a.docx", "README"])
def test_an_unknown_suffix_is_refused_with_all_that_are_taken(name: str) -> None:
    """The sentence names key, file and every suffix of spec 000."""
    with pytest.raises(ConfigError, match=rf"^generate\.documents: {name}: ") as told:
        refuse_unknown("generate.documents", name)

    suffixes = ".jpg .jpeg .png .gif .webp .txt .md .json .py .html .xml .csv .pdf".split()  # noqa: SIM905
    assert not [suffix for suffix in suffixes if suffix not in str(told.value)]


@pytest.mark.parametrize("mime", HEADS)
@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.gif", "a.webp", "a.pdf", "a.md"])
def test_the_first_bytes_must_be_of_that_sort(mime: str, name: str) -> None:
    """Right is silent, another image is noted and sent as what it is, another sort is refused with a better name."""
    named = mime_of_name(name) or ""
    if mime == named:
        assert recognised("k", name, HEADS[mime]).note == ""
    elif mime.startswith("image/") and named.startswith("image/"):
        found = recognised("k", name, HEADS[mime])
        assert (found.sort, found.mime) == ("image", mime) and named in found.note and mime in found.note
    else:
        with pytest.raises(ConfigError, match=rf"k: {name}: named like .*, but is .*\. Give it a name that ends in \.[a-z]+$"):
            recognised("k", name, HEADS[mime])


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.pdf", "**Start** ü".encode(), "is text"),
        ("a.png", "ü".encode()[:1] + b"\xff\xff", "not a known type of file"),
        ("a.txt", b"PK\x03\x04\x14\x00", "ZIP"),
        ("a.pdf", b"PK\x03\x04\x14\x00", "ZIP"),
        ("a.jpg", b"II*\0", "TIFF"),
        ("a.txt", rb"{\rtf1\ansi words}", "RTF"),
        ("a.pdf", b"", r"empty \(0 bytes\)"),
        ("a.md", b"", r"empty \(0 bytes\)"),
        ("a.gif", b"", r"empty \(0 bytes\)"),
    ],
)
def test_what_it_is_instead_is_said(name: str, data: bytes, said: str) -> None:
    """Texts, archives and other images under a wrong name, and files of nothing."""
    with pytest.raises(ConfigError, match=rf"^k: {name}: .*{said}"):
        recognised("k", name, data)


def test_a_mark_of_pdf_may_stand_a_little_later() -> None:
    """As every reader of PDF allows; in a text it is text."""
    assert recognised("k", "a.pdf", b"\n\n" + HEADS["application/pdf"]).mime == "application/pdf"
    assert recognised("k", "a.md", b"The mark is %PDF-1.7").sort == "text"


def test_real_images_are_what_they_are_named_but_for_one() -> None:
    """The JPEG named .png is a note; the others are silent."""
    noted = {}
    for path in sorted(IMAGES.iterdir()):
        if path.suffix != ".txt":
            noted[path.name] = recognised("k", path.name, path.read_bytes()[:1024]).note

    assert {name for name, note in noted.items() if note} == {"really_jpg_named.png"}
