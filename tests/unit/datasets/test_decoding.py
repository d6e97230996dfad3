"""The bytes of texts become characters where the encoding is certain; else the first bad byte is named."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.document_reader import decoded

TEXT = "Größe: 12 €\nПривет, мир\nこんにちは 😀\n"
WESTERN = "Größe: 12 cm – naïve\n"
MARKS = {
    "utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE, "utf-32-be": codecs.BOM_UTF32_BE,
}  # fmt: skip


def read(data: bytes, mime: str = "text/plain") -> tuple[str, str]:
    """The characters, and what is said of them."""
    found = decoded("generate.documents", "a.txt", mime, data)
    return found.text, found.note


@few
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_in_utf_8_comes_back(text: str) -> None:
    """Whatever its letters are, without a note, with or without a mark."""
    if not text.startswith("\ufeff"):
        assert read(text.encode()) == read(codecs.BOM_UTF8 + text.encode()) == (text, "")


@pytest.mark.parametrize("encoding", MARKS)
def test_a_mark_says_the_encoding(encoding: str) -> None:
    """And is no part of the text."""
    assert read(MARKS[encoding] + TEXT.encode(encoding))[0] == TEXT


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_nuls(encoding: str) -> None:
    """Without a mark, where the text is a Western one; it is said."""
    assert read(WESTERN.encode(encoding)) == (WESTERN, f"read as {encoding.upper()}, by its NUL bytes")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (WESTERN.encode("latin-1", "ignore"), r"byte 0xF6 at offset 2 \(line 1\): not UTF-8"),
        (b"one\ntwo\n\xff", r"byte 0xFF at offset 8 \(line 3\): not UTF-8"),
        (TEXT.encode() + b"\xe3\x81", rf"at offset {len(TEXT.encode())} \(line 4\): not UTF-8"),
        (b"a\0b", r"byte 0x00 at offset 1 \(line 1\): no text file has a NUL"),
        ("Привет, мир".encode("utf-16-le"), "NUL"),
        (codecs.BOM_UTF16_LE + b"a\0b", r"byte 0x62 at offset 4 .*not UTF-16-LE"),
    ],
)
def test_what_is_not_certain_is_refused(data: bytes, said: str) -> None:
    """With the file's name, the first bad byte, its offset and line, and the next step."""
    with pytest.raises(ConfigError, match=rf"^generate\.documents: a\.txt: .*{said}.* Save it as UTF-8, and name that$"):
        read(data)


@pytest.mark.parametrize("charset", ["ISO-8859-1", "latin1", "windows-1252"])
@pytest.mark.parametrize(
    ("mime", "form"),
    [
        ("text/html", "<html><head><meta charset={}></head>{}"),
        ("text/html", '<META http-equiv="Content-Type" content="text/html; charset={}">{}'),
        ("application/xml", '<?xml version="1.0" encoding="{}"?><a>{}</a>'),
    ],
)
def test_latin_1_where_it_is_declared(charset: str, mime: str, form: str) -> None:
    """A page or XML file may say so itself, and it is said; the same bytes in a text are refused."""
    text = form.format(charset, WESTERN)

    assert read(text.encode("cp1252"), mime) == (text, f"read as Windows-1252, by its charset {charset.lower()!r}")
    assert read(text.encode(), mime) == (text, f"declares the charset {charset.lower()!r} and is UTF-8: it was read as UTF-8")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read(text.encode("cp1252"))


@pytest.mark.parametrize(
    ("charset", "words"), [("shift_jis", "こんにちは"), ("windows-1251", "Привет"), ("iso-8859-2", "Łódź")]
)
def test_other_charsets_where_they_are_declared(charset: str, words: str) -> None:
    """Pages in Japanese, Russian and Polish are read as they say."""
    text = f"<meta charset='{charset}'><p>{words}"

    assert read(text.encode(charset), "text/html")[0] == text


@pytest.mark.parametrize("charset", ["unicode_escape", "rot13", "zlib", "utf-7", "idna", "nonsense"])
def test_a_declared_charset_that_is_none_is_not_used(charset: str) -> None:
    """What Python calls a codec and no document is written in is read as UTF-8, or refused."""
    text = f"<meta charset={charset}>\\x41 +AGE-"

    assert read(text.encode(), "text/html")[0] == text
