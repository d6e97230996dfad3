"""A file to its text: checked, decoded or opened in a child process, cleaned; or one sentence on why not, and what to do."""

from __future__ import annotations

import codecs
import errno
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_eval.core.document_text import PAGE_BREAK, DocumentText, joined, letters_in, pages_of, plain
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.datasets.document_text.file_sorts import HTML, XML, Recognised, recognised, refuse_unknown, sort_of_file
from tui_eval.datasets.document_text.reader_process import ChildLimits, ChildReport, report_of
from tui_eval.datasets.document_text.running_heads import running_of
from tui_eval.workspace.plain_files import ANYWHERE, stream_of

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
                _strict(key, name, data, encoding, len(mark)),
                "" if encoding == "utf-8" else _encoding_note(encoding, "its mark"),
            )
    wide = _utf_16_by_nuls(data)
    if wide:
        return Decoded(_strict(key, name, data, wide, 0), _encoding_note(wide, "its NUL bytes"))
    if b"\0" in data:
        raise ConfigError(f"{key}: {name}: {_at(data, data.index(0))}: no text file has a NUL. {_NEXT}")
    declared = _declared(mime, data)
    if declared in _LATIN and not _is_utf_8(data):
        return Decoded(_strict(key, name, data, "cp1252", 0), _encoding_note("Windows-1252", f"its charset {declared!r}"))
    if _DECLARABLE.fullmatch(declared):
        return Decoded(_strict(key, name, data, declared, 0), _encoding_note(declared, "its declaration"))
    text = _strict(key, name, data, "utf-8", 0)
    odd = declared in _LATIN and not text.isascii()
    return Decoded(text, f"declares the charset {declared!r} and is UTF-8: it was read as UTF-8" if odd else "")


_NEXT = "Save it as UTF-8, and name that"


def _strict(key: str, name: str, data: bytes, encoding: str, start: int) -> str:
    try:
        return data[start:].decode(encoding)
    except UnicodeDecodeError as error:
        where = _at(data, start + error.start)
        raise ConfigError(f"{key}: {name}: {where}: not {_encoding_words(encoding)}{_hint(encoding)}. {_NEXT}") from None


def _at(data: bytes, offset: int) -> str:
    return f"byte 0x{data[offset]:02X} at offset {offset:,} (line {data.count(10, 0, offset) + 1:,})"


def _hint(encoding: str) -> str:
    return ", and the file does not say what else it is (Latin-1, Windows-1252, …)" if encoding == "utf-8" else ""


def _encoding_note(encoding: str, why: str) -> str:
    return f"read as {_encoding_words(encoding)}, by {why}"


def _encoding_words(encoding: str) -> str:
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
    match = _XML_ENCODING.search(head) or (_HTML_CHARSET.search(head) if mime == HTML else None)
    return match[1].decode("ascii").lower() if match else ""


_HEAD = 1024
_SHOWN = 3
"""Hidden passages whose beginning a note shows."""
_LISTED = 10
"""Pages that a note names one by one."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of a document, and of the time and memory that reading it may take."""

    key: str = "documents"
    """The key of the config, or the option, that names the files; every error begins with it."""
    max_bytes: int = 50_000_000
    max_characters: int = 5_000_000
    max_pages: int = 5_000
    min_letters: int = 200
    """A PDF with fewer characters than this, white space not counted, is taken for pictures of pages."""
    shown_by: str = ""
    """What a person says so that models are shown it as it is; empty where there is no such thing."""
    seconds: int = 55
    memory: int = 1_000_000_000
    keep_hidden: bool = False
    """Whether what a web page hides on the element itself stays in its text."""


DEFAULTS = ReadingLimits()


def read_document(source: Path | bytes, name: str, limits: ReadingLimits = DEFAULTS) -> DocumentText:
    """Return the text of a text file or a PDF. `source`: its path, or its bytes; `name`: its name, whose suffix gives its type.

    ConfigError, with the key, the name, what is wrong and the next step, for every file that gives no text: unknown, of another
    sort than it is named, too big, empty, not decodable, encrypted, damaged, without text, over-long, or made to exhaust its
    reader. It takes `limits.seconds` and `limits.memory` at most, whatever the file is; `read_ahead` reads several at a time.
    """
    if sort_of_file(name) is None:
        refuse_unknown(limits.key, name)
    data = source if isinstance(source, bytes) else _bytes_of(source, name, limits)
    if len(data) > limits.max_bytes:
        raise _too_big(name, len(data), limits)
    file_type = recognised(limits.key, name, data[:_HEAD])
    if file_type.sort == "image":
        raise ConfigError(f"{limits.key}: {name}: an image has no text to read. Name it where models are shown images")
    return _pdf(data, name, limits) if file_type.sort == "document" else _text(data, name, file_type, limits)


def _bytes_of(path: Path, name: str, limits: ReadingLimits) -> bytes:
    """The whole file, its size known before a byte of it is read, and a pipe never waited for."""
    try:
        with stream_of(path, ANYWHERE) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limits.max_bytes:
                raise _too_big(name, size, limits)
            return stream.read(limits.max_bytes + 1)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise ConfigError(f"{limits.key}: {name}: not a regular file ({path}). Name a file") from None
        raise ConfigError(
            f"{limits.key}: {path}: cannot be read: {error.strerror}. Check the path and who may read it"
        ) from None


def _too_big(name: str, size: int, limits: ReadingLimits) -> ConfigError:
    return ConfigError(
        f"{limits.key}: {name}: {size:,} bytes; at most {limits.max_bytes:,} are read. Split it, or save it without pictures"
    )


def _text(data: bytes, name: str, file_type: Recognised, limits: ReadingLimits) -> DocumentText:
    """A text as it is, but for line ends and control characters; of a web page, what it says."""
    characters = decoded(limits.key, name, file_type.mime, data)
    notes = [characters.note] if characters.note else []
    hidden: tuple[str, ...] = ()
    text = plain(characters.text)
    if file_type.mime == HTML:
        report = _report("html", characters.text.encode("utf-8"), name, limits)
        text, hidden = "".join(report.pages).replace(PAGE_BREAK, "\n"), report.hidden
    elif len(text) > limits.max_characters:
        raise _refused(ChildReport((), (), 0, "characters"), name, limits)
    lost = 0 if file_type.mime == HTML else len(characters.text.replace("\r\n", "\n")) - len(text)
    if lost:
        notes.append(f"{lost:,} control characters were left out")
    if hidden:
        notes.append(_hidden_note(hidden))
    if not text.strip():
        raise ConfigError(
            f"{limits.key}: {name}: has no text except white space. Leave it out, or name the file that was meant"
        )
    return DocumentText(name, text, len(pages_of(text)) if PAGE_BREAK in text else 0, tuple(notes), hidden=hidden)


def _hidden_note(passages: Sequence[str]) -> str:
    """Return a note of how many passages were left out, with the beginning of the first few."""
    examples = ", ".join(repr(one_line(passage, 60)) for passage in passages[:_SHOWN])
    more = f" and {len(passages) - _SHOWN:,} more" if len(passages) > _SHOWN else ""
    words = count_of(len(passages), "hidden passage was", "hidden passages were")
    return f'{words} left out ({examples}{more}); hidden_text = "keep" in [run] keeps them in the text'


def _pdf(data: bytes, name: str, limits: ReadingLimits) -> DocumentText:
    report = _report("pdf", data, name, limits)
    if not report.pages:
        raise _refused(ChildReport((), (), 0, "no_pages"), name, limits)
    if len(report.failed) == len(report.pages):
        raise _refused(ChildReport((), (), 0, "damaged", report.failed[0][1]), name, limits)
    letters = sum(map(letters_in, report.pages))
    if letters < limits.min_letters:
        raise ConfigError(_without_text(letters, report, name, limits))
    return _pages(name, report)


def _pages(name: str, report: ChildReport) -> DocumentText:
    """The pages of a PDF; one that could not be read is empty, and a note says so."""
    notes = [f"page {page:,} could not be read, and is empty here: {why}" for page, why in report.failed[:_LISTED]]
    if len(report.failed) > _LISTED:
        notes.append(f"{count_of(len(report.failed) - _LISTED, 'other page')} could not be read either, and are empty here")
    lost = {page for page, _ in report.failed}
    blank = [page for page, text in enumerate(report.pages, 1) if not text.strip() and page not in lost]
    if blank:
        notes.append(f"no text on {count_of(len(blank), 'page')} ({_numbers(blank)}): pictures, or empty")
    text = joined(report.pages)
    ends = report.ends or ((),) * len(report.pages)
    return DocumentText(name, text, len(report.pages), tuple(notes), running_of(text, report.pages, ends))


def _numbers(pages: Sequence[int]) -> str:
    return ", ".join(str(page) for page in pages[:_LISTED]) + (" …" if len(pages) > _LISTED else "")


def _without_text(letters: int, report: ChildReport, name: str, limits: ReadingLimits) -> str:
    pages = len(report.pages)
    lost = f", {len(report.failed):,} of them not readable ({report.failed[0][1]})" if report.failed else ""
    way = f"{limits.shown_by} shows it to models as it is. Or put it" if limits.shown_by else "Put it"
    return (
        f"{limits.key}: {name}: contains no extractable text ({letters:,} characters on {count_of(pages, 'page')}{lost}; at "
        f"least {limits.min_letters:,} are needed): its pages are pictures, or nearly empty. {way} through text recognition "
        "(OCR) and name the result, or save its pages as images and name those"
    )


def _report(sort: str, data: bytes, name: str, limits: ReadingLimits) -> ChildReport:
    """Return the child process's report of a file. ConfigError where that is a fault."""
    child = ChildLimits(limits.seconds, limits.memory, limits.max_characters, limits.max_pages, limits.keep_hidden)
    try:
        report = report_of("html" if sort == "html" else "pdf", data, child)
    except OSError as error:
        raise ConfigError(
            f"{limits.key}: {name}: the process that reads documents could not be started: {error.strerror}. Free memory, or "
            "room in the folder for temporary files, and try again"
        ) from None
    if report.fault:
        raise _refused(report, name, limits)
    return report


def _refused(report: ChildReport, name: str, limits: ReadingLimits) -> ConfigError:
    """The sentence of a fault, and the next step."""
    return ConfigError(f"{limits.key}: {name}: {_words(report, limits)}")


def _words(report: ChildReport, limits: ReadingLimits) -> str:
    detail = f" ({report.detail})" if report.detail else ""
    at = f" (page {len(report.pages) + 1:,} of {report.expected:,})" if report.expected else ""
    faults = {
        "password": "encrypted, and needs a password. Open it, save a copy without one (print it to a PDF), and name that",
        "cipher": (
            "encrypted, and the package `cryptography`, which opens such files, cannot be loaded. Reinstall tui-eval, or "
            "save a copy without encryption (print it to a PDF) and name that"
        ),
        "pages": f"has {report.detail} pages; at most {limits.max_pages:,} are read. Split it, and name the part that is meant",
        "characters": f"holds more than {limits.max_characters:,} characters. Split it, and name the part that is meant",
        "memory": (
            f"takes more than {limits.memory / 1e9:g} GB of memory to read{at}: built to exhaust its reader, or very "
            "unusual. Save it again (print it to a PDF), or split it"
        ),
        "time": f"was not read within {limits.seconds:,} s{at}. Split it, or save it again (print it to a PDF)",
        "circle": "a PDF with a loop in its page tree: damaged, or hostile. Open it in a viewer and save it again",
        "nested": "nested too deeply to be read. Save it again (print it to a PDF)",
        "no_pages": "a PDF without pages. Open it in a viewer: if it shows pages there, save it again",
        "no_pypdf": "the package pypdf, which opens PDFs, is not installed. Install it (pip install pypdf), or name a text",
        "not_started": f"the process that reads documents ended too early{detail}. Reinstall tui-eval, or name a text",
        "crashed": f"crashed the process that reads it{detail}. Save it again (print it to a PDF)",
    }
    damaged = f"damaged or cut off{detail}. Open it in a viewer and save it again, or download it again"
    return faults.get(report.fault, damaged)
