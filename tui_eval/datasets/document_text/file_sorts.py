"""Sorts of files by their names (image, text or document), and checks that their first bytes agree."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal, NoReturn

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.attachments import PDF, mime_of

FileSort = Literal["image", "text", "document"]

_IMAGES = {
    ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip
_TEXTS = {
    ".txt": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown", ".rst": "text/plain",
    ".html": "text/html", ".htm": "text/html", ".xhtml": "text/html", ".xml": "application/xml",
    ".json": "application/json", ".jsonl": "application/json", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
}  # fmt: skip
_CODE = (
    ".py", ".js", ".mjs", ".ts", ".jsx", ".tsx", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".go", ".rs", ".rb",
    ".php", ".pl", ".r", ".jl", ".lua", ".swift", ".scala", ".sql", ".sh", ".bash", ".css", ".toml", ".yaml", ".yml", ".ini",
    ".cfg", ".conf", ".log", ".tex", ".bib", ".diff", ".patch",
)  # fmt: skip
_MIMES = {**_IMAGES, **_TEXTS, **dict.fromkeys(_CODE, "text/plain"), ".pdf": PDF}
SUFFIXES = (*_MIMES,)
"""Of every file that can be read."""
_NAMED = {"document": "a PDF", "image": "an image", "text": "a text"}
HTML = "text/html"
XML = "application/xml"
_PDF_WITHIN = 1024
"""Bytes among which a PDF's mark may stand: readers of PDF forgive what stands before it."""
_OTHERS = {b"PK\x03\x04": "a ZIP archive, as docx, xlsx, odt and epub files are", b"\xd0\xcf\x11\xe0": "an old Office file",
           b"{\\rtf": "an RTF file", b"\x1f\x8b": "a gzip archive", b"\x7fELF": "a program", b"SQLite format 3\0": "a database",
           b"BM": "a BMP image", b"II*\0": "a TIFF image", b"MM\0*": "a TIFF image"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recognised:
    """Type of a file by its name and its first bytes. `note`: about a name that is not quite right; empty if it is."""

    sort: FileSort
    mime: str
    note: str = ""


def suffix_of(name: str) -> str:
    """The end of a file's name from its last dot on, in small letters; empty without one, and of a hidden file's name."""
    stem, dot, suffix = name.replace("\\", "/").rsplit("/", 1)[-1].rpartition(".")
    return f".{suffix.lower()}" if dot and stem.strip(".") else ""


def sort_of_file(name: str) -> FileSort | None:
    """Return whether a name stands for an image, a text or a document (PDF), by its suffix in any case; None where unknown."""
    return _sort_of_mime(_MIMES.get(suffix_of(name)))


def mime_of_name(name: str) -> str | None:
    """The type that a name stands for; None where `sort_of_file` is."""
    return _MIMES.get(suffix_of(name))


def refuse_unknown(key: str, name: str) -> NoReturn:
    """Raise the ConfigError of a file whose suffix says nothing, with all that are taken. `key`: who names the file."""
    problem = f"the suffix {suffix_of(name)!r} is not known" if suffix_of(name) else "a name without a suffix"
    raise ConfigError(
        f"{key}: {name}: {problem}, and the suffix says how a file is read. Rename the file, or convert it. These are read: "
        f"documents (.pdf), images ({' '.join(_IMAGES)}), texts ({' '.join(_TEXTS)}) and code ({' '.join(_CODE)})"
    )


def recognised(key: str, name: str, head: bytes) -> Recognised:
    """Return a file's type. ConfigError where its suffix is unknown, it is empty, or its first bytes are of another sort.

    `head`: its first kilobyte, or all of a shorter file. Another image than it is named is a note: the bytes say what is sent.
    """
    sort, named_mime = sort_of_file(name), mime_of_name(name)
    if sort is None or named_mime is None:
        refuse_unknown(key, name)
    if not head:
        raise ConfigError(f"{key}: {name}: empty (0 bytes). Leave it out, or name the file that was meant")
    actual_mime = mime_of(head) or (PDF if sort == "document" and b"%PDF-" in head[:_PDF_WITHIN] else None)
    if actual_mime == named_mime or (sort == "text" and actual_mime is None and not _is_packed(head)):
        return Recognised(sort, named_mime)
    if sort == "image" and actual_mime is not None and actual_mime != PDF:
        return Recognised(sort, actual_mime, f"named like {named_mime}, but is {actual_mime}: it is sent as {actual_mime}")
    raise ConfigError(
        f"{key}: {name}: named like {_NAMED[sort]}, but is {_looks(head, actual_mime)}. {_way_out(head, actual_mime)}"
    )


def _sort_of_mime(mime: str | None) -> FileSort | None:
    if mime is None:
        return None
    return "document" if mime == PDF else "image" if mime.startswith("image/") else "text"


def _known_format(head: bytes) -> str:
    return next((words for mark, words in _OTHERS.items() if head.startswith(mark)), "")


def _is_packed(head: bytes) -> bool:
    """Return whether it is of a format that is known here and is no text, or, as RTF is, none for people to read."""
    return bool(_known_format(head)) and (b"\0" in head or head.startswith(b"{\\rtf"))


def _is_text(head: bytes) -> bool:
    """Return whether the bytes are UTF-8, the last character perhaps cut, and no NUL."""
    try:
        return "\0" not in codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False


def _looks(head: bytes, actual_mime: str | None) -> str:
    if actual_mime is not None:
        return "a PDF" if actual_mime == PDF else f"an image ({actual_mime})"
    return "text" if _is_text(head) and not _is_packed(head) else _known_format(head) or "not a known type of file"


def _way_out(head: bytes, actual_mime: str | None) -> str:
    if actual_mime is not None:
        return f"Give it a name that ends in {next(suffix for suffix, mime in _MIMES.items() if mime == actual_mime)}"
    if _is_text(head) and not _is_packed(head):
        return "Give it a name that ends in .txt, or as what it is (.md, .html, …)"
    return "Save it as PDF, text, JPEG, PNG, GIF or WebP, and name that"
