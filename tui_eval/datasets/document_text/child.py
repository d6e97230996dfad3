"""The process that opens PDFs and web pages, within limits that it sets itself before it reads a byte of them.

`python -I -m tui_eval.datasets.document_text.child ORDER`, the file on standard input. ORDER is JSON: "sort" ("pdf" or "html"),
what it may use at most ("characters", "pages", "seconds", "memory"), whether hidden text of a web page stays ("keep_hidden"),
and whether it may be "encrypted". It prints JSON lines: {"pages": n}, then for each page {"text": …, "ends": [[line, how far
down], …]}, of a web page {"text": …, "hidden": [text, …]}, or {"failed": why}; last {"end": true} or
{"fault": which, "detail": …}. It opens no connection, starts no process and writes no file.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import re
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from tui_eval.core.document_text import plain, plain_page
from tui_eval.datasets.document_text.hidden_text import HiddenText, hidden_text
from tui_eval.datasets.document_text.html_text import text_of_page
from tui_eval.datasets.document_text.page_lines import DrawnPiece, DrawnText, PageLine, ends_of, lines_of, turned
from tui_eval.datasets.document_text.page_rows import in_rows

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

CHECKED, UNCHECKED = "[x]", "[ ]"
_HIDDEN = 1 << 1 | 1 << 5
"""Flags of an annotation that nobody sees."""
_BUTTON = 1 << 16
"""Flag of a field that is a button to be pressed, and holds nothing."""
_SIZE = re.compile(r"([\d.]+)\s+Tf")
_USUAL_SIZE = 11.0
_DEEPEST = 20
"""Fields within fields."""
_LEADING = 1.2


def filled_in(page: Any, rotation: int, lines: Sequence[PageLine]) -> list[PageLine]:
    """The values of a page's fields and the words of its free texts, each at its place; on the baseline of a line that stands
    as high as the field does, which then is its label."""
    field_lines: list[PageLine] = []
    for annotation in _annotations(page):
        with suppress(KeyError, TypeError, ValueError, AttributeError, IndexError):  # one that is none has nothing to say
            if text := _value(annotation):
                x, bottom, _, top = turned([float(side) for side in annotation["/Rect"]], rotation)
                field_lines += _placed(text, x, bottom, top, _size(annotation), lines)
    return field_lines


def _annotations(page: Any) -> Iterator[Any]:
    with suppress(KeyError, TypeError, AttributeError):
        for each in page["/Annots"].get_object():
            with suppress(KeyError, TypeError, AttributeError):
                yield each.get_object()


def _value(annotation: Any) -> str:
    if int(annotation.get("/F", 0)) & _HIDDEN:
        return ""
    if annotation["/Subtype"] == "/FreeText":
        return str(annotation["/Contents"])
    if annotation["/Subtype"] != "/Widget":
        return ""
    sort, flags, value = (_inherited(annotation, key) for key in ("/FT", "/Ff", "/V"))
    if sort == "/Btn":
        if int(flags or 0) & _BUTTON:
            return ""
        state = annotation.get("/AS", value)
        return UNCHECKED if state in (None, "/Off") else CHECKED
    if sort not in ("/Tx", "/Ch") or value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _inherited(field: Any, key: str) -> Any:
    for _ in range(_DEEPEST):
        if key in field:
            return field[key].get_object()
        if "/Parent" not in field:
            break
        field = field["/Parent"].get_object()
    return None


def _size(annotation: Any) -> float:
    stated = _SIZE.search(str(_inherited(annotation, "/DA") or ""))
    return (float(stated[1]) if stated else 0.0) or _USUAL_SIZE


def _placed(value: str, x: float, bottom: float, top: float, size: float, lines: Sequence[PageLine]) -> Iterator[PageLine]:
    """The lines of a value; a single one on the baseline of what stands beside it."""
    texts = [text for text in plain_page(value).split("\n") if text.strip()]
    for n, text in enumerate(texts):
        y = top - size * (1 + _LEADING * n) if len(texts) > 1 else (bottom + top) / 2 - 0.35 * size
        beside = [line.first.y for line in lines if line.first is not None and bottom - 1 <= line.first.y <= top]
        if len(texts) == 1 and beside:
            y = min(beside, key=lambda height: abs(height - y))
        yield PageLine([DrawnPiece(text, x, y, size, True)], is_field=True)


FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.system", "os.remove", "os.rename", "ctypes.")
"""What the interpreter is about to do when it tells its audit hooks, and must not."""
_FILES = 64
_CIPHERS = ("cryptography", "Crypto")
"""The packages that pypdf takes its ciphers from."""


class UnreadableError(Exception):
    """The file has no text for us: `fault` is one of those that `document_reader` has a sentence for."""

    def __init__(self, fault: str, detail: str = "") -> None:
        super().__init__(detail)
        self.fault = fault


def main() -> int:
    """Read standard input as the first argument says, and print what it says; always with exit code 0."""
    order = json.loads(sys.argv[1])
    read = _read_web_page if order["sort"] == "html" else _read_pdf
    _load_pypdf(order["encrypted"])
    confine(order["seconds"], order["memory"])
    with suppress(BrokenPipeError):
        try:
            for line in read(sys.stdin.buffer, order):
                _print(line)
            last: dict[str, Any] = {"end": True}
        except UnreadableError as error:
            last = {"fault": error.fault, "detail": _words(error)}
        except MemoryError:
            last = {"fault": "memory"}
        except RecursionError:
            last = {"fault": "nested"}
        except Exception as error:  # a hostile file can bring a reader to raise anything at all
            words = _words(error)
            last = {"fault": "circle" if "cycl" in words.lower() else "damaged", "detail": words}
        gc.collect()
        _print(last)
    return 0


def _load_pypdf(encrypted: bool) -> None:
    """Load it while the interpreter may still keep what it compiles; that it is not there is said later.

    It brings its ciphers, which take as long to load as all the rest and are wanted for few files: for others they are hidden.
    """
    hidden = () if encrypted else [name for name in _CIPHERS if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: not to be found
    with suppress(ImportError):
        import pypdf  # noqa: F401
    for name in hidden:
        del sys.modules[name]


def confine(seconds: int, memory: int) -> None:
    """Give this process at most so much time and memory, and take from it what reading needs not."""
    logging.disable()
    sys.addaudithook(_refuse)
    for limit, most in (
        (resource.RLIMIT_AS, (memory, memory)),
        (resource.RLIMIT_CPU, (seconds, seconds + 1)),
        (resource.RLIMIT_FSIZE, (0, 0)),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_NOFILE, (_FILES, _FILES)),
    ):
        with suppress(ValueError, OSError):  # a system may not know one of them, or allow less already
            resource.setrlimit(limit, most)
    signal.alarm(seconds + 1)  # should the process that watches this one be gone


def _read_web_page(stream: IO[bytes], order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    html = stream.read().decode("utf-8")
    hidden = HiddenText() if order["keep_hidden"] else hidden_text(html)
    text = _within(plain(text_of_page(html, hidden.spans)), order["characters"])
    passages = [plain(passage) for passage in hidden.passages]
    _within("".join(passages), order["characters"] - len(text))
    yield {"text": text, "hidden": passages}


def _read_pdf(stream: IO[bytes], order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The pages of a PDF, one by one as they are printed: one that cannot be read costs the others nothing."""
    reader = _opened(stream)
    pages = len(reader.pages)
    yield {"pages": pages}
    if pages > order["pages"]:
        raise UnreadableError("pages", f"{pages:,}")
    remaining = order["characters"]
    for number in range(pages):
        try:
            text, ends = _page(reader.pages[number])
        except MemoryError:
            raise
        except Exception as error:  # as in main
            yield {"failed": _words(error)}
            continue
        remaining -= len(_within(text, remaining))
        yield {"text": text, "ends": ends}


def _page(page: PageObject) -> tuple[str, Sequence[tuple[int, float]]]:
    """Return the text of a page, each row of a table on a line, and where its highest and its lowest lines stand."""
    rotation = _rotation(page)
    drawing = DrawnText(rotation)
    raw_text = page.extract_text(
        visitor_operand_before=drawing.before, visitor_operand_after=drawing.after, visitor_text=drawing.text
    )
    text, lines = plain_page(raw_text), lines_of(drawing.pieces)
    if "\n".join(line.text for line in lines) != text:  # as where letters of two directions change places
        return "\n".join([text, *(line.text for line in filled_in(page, rotation, ()))]).removeprefix("\n"), ()
    lines = in_rows([*lines, *filled_in(page, rotation, lines)] if text else filled_in(page, rotation, ()))
    return "\n".join(line.text for line in lines), ends_of(lines, _top(page, rotation))


def _rotation(page: PageObject) -> int:
    try:
        return int(page.rotation)
    except (TypeError, ValueError, AttributeError):
        return 0


def _top(page: PageObject, rotation: int) -> float:
    try:
        return turned([float(side) for side in page.mediabox], rotation)[3]
    except (TypeError, ValueError, AttributeError):
        return 0.0


def _opened(stream: IO[bytes]) -> PdfReader:
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError
    except ImportError:
        raise UnreadableError("no_pypdf") from None
    try:
        reader = PdfReader(stream)  # which tries the empty password itself
        opened = not reader.is_encrypted or reader.decrypt("")
    except DependencyError:
        raise UnreadableError("cipher") from None
    if not opened:
        raise UnreadableError("password")
    return reader


def _within(text: str, most: int) -> str:
    if len(text) > most:
        raise UnreadableError("characters")
    return text


def _words(error: BaseException) -> str:
    """Return the message of an error, short; its type's name where it has none."""
    return " ".join(plain(str(error)).split())[:200] or ("" if isinstance(error, UnreadableError) else type(error).__name__)


def _print(line: dict[str, Any]) -> None:
    data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    writing = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writing or event.startswith(FORBIDDEN):
        raise PermissionError(f"reading a document needs no {event}")


if __name__ == "__main__":
    sys.exit(main())
