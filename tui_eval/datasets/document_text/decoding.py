"""The bytes of a text file to characters: UTF-8, UTF-16 by its mark or its NULs, others where the file itself declares them."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.file_sorts import HTML, XML

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
"""The longer mark first: UTF-32's begins with UTF-16's."""
_LATIN = {"iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1", "l1", "windows-1252", "cp1252", "x-cp1252"}
"""As web browsers do, ISO 8859-1 is read as Windows-1252, which has characters where the former has control codes."""
_DECLARABLE = re.compile(
    r"iso-?8859-(?:[2-9]|1[0-6])|(?:windows-|cp)125[013-8]|cp866|koi8-[ru]|mac-?roman|shift[-_]jis|cp932|euc-(?:jp|kr|cn)"
    r"|iso-2022-jp|gb2312|gbk|gb18030|big5|big5-hkscs|cp949|tis-620"
)
_HTML_CHARSET = re.compile(rb"<meta\b[^>]{0,300}?\bcharset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s{0,20}<\?xml\b[^>]{0,200}?\bencoding\s*=\s*[\"']([A-Za-z0-9_.:-]{1,40})[\"']")
_DECLARED_WITHIN = 4096
_SAMPLE = 4096
_MANY, _FEW = 0.7, 0.02
"""Shares of NULs among the odd and among the even bytes that only UTF-16 of a Western text has."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The characters of a file, and what to say of how they were read; empty for plain UTF-8."""

    text: str
    note: str = ""


def decoded(key: str, name: str, mime: str, data: bytes) -> Decoded:
    """The characters of a text file, without a byte-order mark.

    `mime`: by its name; only HTML and XML declare a charset. ConfigError, with the offset of the first byte that cannot be
    read and its line, where no encoding is certain: a guess would put wrong letters into questions and answers.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Decoded(
                _strict(key, name, data, encoding, len(mark)), "" if encoding == "utf-8" else _said(encoding, "its mark")
            )
    wide = _utf_16_by_nuls(data)
    if wide:
        return Decoded(_strict(key, name, data, wide, 0), _said(wide, "its NUL bytes"))
    if b"\0" in data:
        raise ConfigError(f"{key}: {name}: {_at(data, data.index(0))}: no text file has a NUL. {_NEXT}")
    declared = _declared(mime, data)
    if declared in _LATIN and not _is_utf_8(data):
        return Decoded(_strict(key, name, data, "cp1252", 0), _said("Windows-1252", f"its charset {declared!r}"))
    if _DECLARABLE.fullmatch(declared):
        return Decoded(_strict(key, name, data, declared, 0), _said(declared, "its declaration"))
    text = _strict(key, name, data, "utf-8", 0)
    odd = declared in _LATIN and not text.isascii()
    return Decoded(text, f"declares the charset {declared!r} and is UTF-8: it was read as UTF-8" if odd else "")


_NEXT = "Save it as UTF-8, and name that"


def _strict(key: str, name: str, data: bytes, encoding: str, start: int) -> str:
    try:
        return data[start:].decode(encoding)
    except UnicodeDecodeError as error:
        where = _at(data, start + error.start)
        raise ConfigError(f"{key}: {name}: {where}: not {_shown(encoding)}{_hint(encoding)}. {_NEXT}") from None


def _at(data: bytes, offset: int) -> str:
    return f"byte 0x{data[offset]:02X} at offset {offset:,} (line {data.count(10, 0, offset) + 1:,})"


def _hint(encoding: str) -> str:
    return ", and the file does not say what else it is (Latin-1, Windows-1252, …)" if encoding == "utf-8" else ""


def _said(encoding: str, why: str) -> str:
    return f"read as {_shown(encoding)}, by {why}"


def _shown(encoding: str) -> str:
    return {"utf-8": "UTF-8", "cp1252": "Windows-1252"}.get(
        encoding, encoding.upper() if encoding.startswith("utf") else encoding
    )


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf_16_by_nuls(data: bytes) -> str:
    """UTF-16 without its mark, where nearly every other byte is NUL and nearly none of the rest; empty where that is not so."""
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if len(data) % 2 or half < 2:
        return ""
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd >= _MANY and even <= _FEW:
        return "utf-16-le"
    return "utf-16-be" if even >= _MANY and odd <= _FEW else ""


def _declared(mime: str, data: bytes) -> str:
    """The charset a web page or XML file says it has, in small letters; empty where it says none, or is neither."""
    if mime not in (HTML, XML):
        return ""
    head = data[:_DECLARED_WITHIN]
    found = _XML_ENCODING.search(head) or (_HTML_CHARSET.search(head) if mime == HTML else None)
    return found[1].decode("ascii").lower() if found else ""
