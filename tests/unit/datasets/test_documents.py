"""Laws of documents: bytes as they are, nothing read that is no file, nothing that depends on this machine."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.datasets.documents import as_is, bytes_of, matching
from tui_eval.workspace.patterns import Walk


def source(pattern: str = "*", max_bytes: int = 1000, folder: bool = False) -> Source:
    """What a config asks for."""
    return Source("document", pattern, "panel.documents[0]", max_bytes, folder)


def read(folder: Path, data: bytes, name: str = "a.txt", max_bytes: int = 1000) -> InputFile:
    """A file of these bytes, read."""
    (folder / name).write_bytes(data)
    return as_is(folder / name, source(max_bytes=max_bytes), f"inputs/documents/{name}")


@few
@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8")))
def test_a_file_is_kept_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    """Whatever is in it, its bytes come back; it is text where it is strict UTF-8, else base64."""
    file = read(tmp_path, data)
    try:
        expected = ("utf-8", data.decode("utf-8"))
    except UnicodeDecodeError:
        expected = ("base64", base64.b64encode(data).decode())

    assert bytes_of(file) == data
    assert (file.encoding, file.content) == expected
    assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (b"\xef\xbb\xbfmarked", "utf-8"),
        (b"a\r\nb\rc\x00", "utf-8"),
        (b"\xed\xa0\x80", "base64"),
        (b"\xc0\xaf", "base64"),
        ("é".encode("latin-1"), "base64"),
        ("text".encode("utf-16"), "base64"),
    ],
)
def test_utf_8_is_meant_strictly(tmp_path: Path, data: bytes, encoding: str) -> None:
    """Marks, line ends and NULs stay; surrogates, overlong forms and other encodings are no UTF-8."""
    file = read(tmp_path, data)

    assert file.encoding == encoding
    assert bytes_of(file) == data


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.txt", "text/plain"),
        ("a.md", "text/markdown"),
        ("A.MD", "text/markdown"),
        ("a.pdf", "application/pdf"),
        ("a.png", "image/png"),
        ("a.json", "application/json"),
        ("a.unheard-of", "application/octet-stream"),
        ("README", "application/octet-stream"),
    ],
)
def test_a_type_is_told_by_the_name(tmp_path: Path, name: str, mime: str) -> None:
    """The common types are known; what is not known is plain bytes."""
    assert read(tmp_path, b"x", name).mime == mime


def test_a_type_is_the_same_on_every_machine(tmp_path: Path) -> None:
    """The type stands in the prompt, and so in the call's key: it must not come from a table of this machine's system."""
    (tmp_path / "mime.types").write_text("text/x-of-this-machine txt odd\n")
    mimetypes.init([str(tmp_path / "mime.types")])
    try:
        found = [read(tmp_path, b"x", name).mime for name in ("a.txt", "a.odd")]
    finally:
        mimetypes.init()

    assert found == ["text/plain", "application/octet-stream"]


def test_the_limit_is_exact(tmp_path: Path) -> None:
    """A file of just the limit is read, one byte more is refused with both sizes and the key."""
    read(tmp_path, b"x" * 1000)

    with pytest.raises(ConfigError, match=r"panel\.documents\[0\].*1,001 bytes.*1,000"):
        read(tmp_path, b"x" * 1001)


def test_an_endless_file_is_not_read_to_its_end() -> None:
    """A device that never ends is refused by what it is."""
    with pytest.raises(ConfigError, match="is a device, not a regular file"):
        as_is(Path("/dev/zero"), source(), "x")


def names(folder: Path, wanted: Source) -> list[str]:
    """What a pattern stands for."""
    return [
        path.relative_to(folder).as_posix()
        for path in matching(folder, wanted, Walk(os.path.realpath(folder), lambda _: False))
    ]


@pytest.fixture
def set_list(tmp_path: Path) -> Path:
    """A folder with a few files in no order."""
    (tmp_path / "docs" / "inner").mkdir(parents=True)
    for name in ("b.txt", "a.txt", "c.md", ".hidden.txt", "odd[1].txt", "inner/d.txt"):
        (tmp_path / "docs" / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/*.md", ["docs/c.md"]),
        ("docs/[ab].txt", ["docs/a.txt", "docs/b.txt"]),
        ("docs/?.txt", ["docs/a.txt", "docs/b.txt"]),
        ("docs/**/d.txt", ["docs/inner/d.txt"]),
        ("docs/odd[1].txt", ["docs/odd[1].txt"]),
        ("docs/c.md", ["docs/c.md"]),
    ],
)
def test_a_pattern_stands_for_its_files_in_order(set_list: Path, pattern: str, expected: list[str]) -> None:
    """Files by name, also from the root; a file that has the very name of a pattern is that file."""
    assert names(set_list, source(pattern)) == expected
    assert names(set_list, source(str(set_list / pattern))) == expected


def test_hidden_files_are_no_documents_unless_named(set_list: Path) -> None:
    """What an editor or a system leaves behind is not sent by a pattern or a folder that happens to cover it."""
    by_pattern, by_folder = names(set_list, source("docs/*.txt")), names(set_list, source("docs", folder=True))

    assert "docs/.hidden.txt" not in by_folder
    assert "docs/.hidden.txt" not in by_pattern
    assert names(set_list, source("docs/.hidden.txt")) == ["docs/.hidden.txt"]


def test_a_folder_stands_for_the_files_in_it(set_list: Path) -> None:
    """In order of name, without the folders in it."""
    assert names(set_list, source("docs", folder=True)) == ["docs/a.txt", "docs/b.txt", "docs/c.md", "docs/odd[1].txt"]
