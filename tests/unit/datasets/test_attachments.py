"""Images and PDFs are known by their first bytes, whatever the file is called, and nothing odd makes it crash."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import DATA, few

from tui_eval.core.input_sources import InputFile, Source
from tui_eval.datasets.attachments import attachment_of
from tui_eval.datasets.documents import as_is, bytes_of

MARKS = {
    "image/jpeg": b"\xff\xd8\xff\xe0",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/gif": b"GIF89a\x80",
    "image/webp": b"RIFF\x24\x00\x00\xffWEBP",
    "application/pdf": b"%PDF-1.7\n\xe2\xe3",
}
ODD_TEXT_GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00\x00;"
"""A whole GIF all of whose bytes are ASCII."""


def read(folder: Path, data: bytes, name: str = "document.bin") -> InputFile:
    """A file of these bytes, as a run reads it."""
    (folder / name).write_bytes(data)
    return as_is(folder / name, Source("document", name, "panel.documents", 10**7), f"inputs/documents/{name}")


@few
@given(mime=st.sampled_from(list(MARKS)), rest=st.binary(max_size=300), name=st.sampled_from(["a.txt", "b.png", "c.pdf", "d"]))
def test_the_first_bytes_tell(tmp_path_factory: pytest.TempPathFactory, mime: str, rest: bytes, name: str) -> None:
    """The type is the content's, never the name's, and the bytes are the file's."""
    file = read(tmp_path_factory.mktemp("marks"), MARKS[mime] + rest, name)
    found = attachment_of(file)
    assert found is not None
    assert (found.mime, found.sha256, found.path) == (mime, file.sha256, f"inputs/documents/{name}")
    assert base64.b64decode(found.base64, validate=True) == MARKS[mime] + rest == bytes_of(file)


@few
@given(st.binary(max_size=60))
def test_any_other_bytes_are_no_attachment_and_no_crash(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever stands in a file, it is one of the five types or none."""
    found = attachment_of(read(tmp_path_factory.mktemp("bytes"), b"\x00" + data))
    assert found is None


@pytest.mark.parametrize("mime", MARKS)
def test_half_a_mark_is_none(tmp_path: Path, mime: str) -> None:
    """A file that ends within its mark is not shown as an image."""
    mark = {"image/webp": 11, "application/pdf": 4, "image/jpeg": 2, "image/gif": 5}.get(mime, 7)
    for length in range(mark + 1):
        assert attachment_of(read(tmp_path, MARKS[mime][:length])) is None


@pytest.mark.parametrize("text", ["GIF89a was a format of 1989.", "RIFFs that WEBP?", "# %PDF-1.7", "plain", "", "JPEG"])
def test_a_text_about_images_is_a_text(tmp_path: Path, text: str) -> None:
    """Words that begin like a mark are words."""
    assert attachment_of(read(tmp_path, text.encode(), "notes.md")) is None


def test_a_pdf_of_plain_letters_is_a_pdf(tmp_path: Path) -> None:
    """Its bytes may all be ASCII."""
    found = attachment_of(read(tmp_path, b"%PDF-1.4\n1 0 obj\n"))
    assert found is not None
    assert found.mime == "application/pdf"
    assert base64.b64decode(found.base64) == b"%PDF-1.4\n1 0 obj\n"


def test_a_gif_of_ascii_bytes_is_a_gif(tmp_path: Path) -> None:
    """So may those of a small image."""
    found = attachment_of(read(tmp_path, ODD_TEXT_GIF))
    assert found is not None
    assert found.mime == "image/gif"
    assert base64.b64decode(found.base64) == ODD_TEXT_GIF


TRUE_TYPES = {
    "hopper.gif": "image/gif",
    "hopper.jpg": "image/jpeg",
    "hopper.png": "image/png",
    "hopper.webp": "image/webp",
    "truncated_jpeg.jpg": "image/jpeg",
}


def test_real_images_are_known(tmp_path: Path) -> None:
    """Images as they are found in the world, one of them under a wrong name."""
    folder = DATA / "images"
    names = {path.name for path in folder.iterdir() if path.suffix != ".txt"}
    assert names >= {*TRUE_TYPES, "really_jpg_named.png"}
    for name in names:
        found = attachment_of(read(tmp_path, (folder / name).read_bytes(), name))
        assert found is not None, name
        wrong = "image/jpeg" if name == "really_jpg_named.png" else ""
        assert found.mime == (wrong or TRUE_TYPES.get(name, found.mime)), name
