"""Values filled into a PDF's form or typed over its page: they stand in annotations, which no extraction of the page has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from tui_eval.core.document_text import plain_page
from tui_eval.datasets.document_text.page_lines import Line, Piece, turned

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


def filled_in(page: Any, rotation: int, lines: Sequence[Line]) -> list[Line]:
    """The values of a page's fields and the words of its free texts, each at its place; on the baseline of a line that stands
    as high as the field does, which then is its label."""
    found: list[Line] = []
    for annotation in _annotations(page):
        with suppress(KeyError, TypeError, ValueError, AttributeError, IndexError):  # one that is none has nothing to say
            if said := _value(annotation):
                left, bottom, _, top = turned([float(side) for side in annotation["/Rect"]], rotation)
                found += _placed(said, left, bottom, top, _size(annotation), lines)
    return found


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


def _placed(said: str, left: float, bottom: float, top: float, size: float, lines: Sequence[Line]) -> Iterator[Line]:
    """The lines of a value; a single one on the baseline of what stands beside it."""
    texts = [text for text in plain_page(said).split("\n") if text.strip()]
    for n, text in enumerate(texts):
        y = top - size * (1 + _LEADING * n) if len(texts) > 1 else (bottom + top) / 2 - 0.35 * size
        beside = [line.first.y for line in lines if line.first is not None and bottom - 1 <= line.first.y <= top]
        if len(texts) == 1 and beside:
            y = min(beside, key=lambda height: abs(height - y))
        yield Line([Piece(text, left, y, size, True)], is_field=True)
