"""Text from models and servers, made safe to show: no byte of it can steer a terminal or a spreadsheet."""

from __future__ import annotations

import re
import unicodedata

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_INVISIBLE = frozenset({"Cf", "Zs", "Zl", "Zp", "Cc", "Mn"})
"""Unicode categories that show nothing at the start of a cell."""


def visible(text: str) -> str:
    """Text with every control character but newline and tab shown as a picture or an escape."""
    return _CONTROL.sub(_picture, text)


def one_line(text: str, limit: int = 200) -> str:
    """Visible text on one line, cut at `limit` characters with an ellipsis."""
    line = " ".join(visible(text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def csv_cell(value: object) -> object:
    """A CSV cell that no spreadsheet runs: text that would start a formula gets a leading apostrophe."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    seen = next((i for i, letter in enumerate(text) if unicodedata.category(letter) not in _INVISIBLE), len(text))
    return "'" + text if text.startswith(_FORMULA_STARTS) or text.startswith(_FORMULA_STARTS, seen) else text


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\u{code:04x}"
