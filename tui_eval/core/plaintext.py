"""Text from models and servers, made safe to show: no byte of it can steer a terminal or a spreadsheet."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile("[\u180e\u200b-\u200d\u2060-\u2064\U000e0000-\U000e007f]")
_LIST_START = re.compile(r"^(\d+(?=[.)])|(?=[-+=]))")
_MARKDOWN = re.compile(r"([\\`*\[\]<>|~&$!#]|(?<![^\W_])_|_(?![^\W_]))")
_LONG = re.compile(r"[^\s/]{256,}|(?<=[\s(:,])'[^'\n]{256,}'(?=[\s,;:.)]|$)", re.MULTILINE)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_INVISIBLE = frozenset({"Cf", "Zs", "Zl", "Zp", "Cc", "Mn"})
"""Unicode categories that show nothing at the start of a cell."""


def visible(text: str) -> str:
    """Text with every control character but newline and tab shown as a picture or an escape."""
    return _CONTROL.sub(_picture, text)


def readable(text: str) -> str:
    """A foreign text as files have it that people open: no sign in it can steer a terminal or turn the reading direction.

    Whatever ends a line, form feeds and the line ends of Unicode among it, becomes a newline. Other control characters but
    tab, those of C1, and what turns the direction are left out. Half a character is U+FFFD. Zero-width signs stay, since some
    scripts and emoji need them (`zero_width_signs` counts them), and so does mark-up of HTML and Markdown. A text without any
    of these is given back as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub(_kept_as, _LINE_ENDS.sub("\n", text))


def _kept_as(match: re.Match[str]) -> str:
    return "\ufffd" if 0xD800 <= ord(match.group()) <= 0xDFFF else ""


def zero_width_signs(text: str) -> int:
    """Count the signs of a text that show nothing and take no room: they may part words, or carry words of their own."""
    return 0 if text.isascii() else len(_UNSEEN.findall(text))


def visible_json(text: str) -> str:
    """JSON text that means the same, with every character that could steer a terminal written as an escape."""
    return _CONTROL.sub(lambda match: match.group() if match.group() == "\n" else f"\\u{ord(match.group()):04x}", text)


def without_long_words(text: str) -> str:
    """A message in which no word is longer than the name of a file can be, and no quoted value longer than that."""
    return _LONG.sub(lambda match: f"{match.group()[:80]}…{match.group()[-1:]}", text)


def one_line(text: str, limit: int = 200) -> str:
    """Visible text on one line, cut at `limit` characters with an ellipsis."""
    start = text[: limit * 8]
    line = " ".join((start if start.isprintable() else visible(start)).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def csv_cell(value: object) -> object:
    """A CSV cell that no spreadsheet runs: text that would start a formula gets a leading apostrophe."""
    if not isinstance(value, str) or (value[:1].isalnum() and value.isascii() and value.isprintable()):
        return value
    text = visible(value)
    first_visible = next((i for i, letter in enumerate(text) if unicodedata.category(letter) not in _INVISIBLE), len(text))
    return "'" + text if text.startswith(_FORMULA_STARTS) or text.startswith(_FORMULA_STARTS, first_visible) else text


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\u{code:04x}"


def json_safe(text: str) -> str:
    """JSON text with what could steer a terminal as escapes, and no half of a character, which strict readers refuse."""
    if text.isascii() and "\x7f" not in text:  # as most of it is; JSON itself writes the first 32 as escapes
        return text
    return _CONTROL.sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"


def count_of(n: int, noun: str, plural: str = "") -> str:
    """1 question, 2 questions."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def markdown_text(text: str, limit: int = 2000) -> str:
    """Foreign text inside Markdown: on one line, cut at `limit`, with every sign that Markdown or HTML would act on escaped."""
    return text if text == "-" else _escaped(one_line(text, limit))


def markdown_lines(text: str, limit: int = 4000) -> str:
    """The same for text of several lines, each of which stays a line of its own."""
    lines = visible(text[:limit]).split("\n")
    escaped_lines = [_escaped(one_line(line, limit)) for line in lines if line.strip()]
    return "\\\n".join(escaped_lines) + ("…" if len(text) > limit else "")


def _escaped(line: str) -> str:
    return _LIST_START.sub(r"\1\\", _MARKDOWN.sub(r"\\\1", line))


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool] = ()) -> str:
    """A Markdown table of cells that are safe already."""
    marks = ["---:" if i < len(numeric) and numeric[i] else "---" for i in range(len(columns))]
    lines = [columns, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def markdown_rows(rows: Sequence[Sequence[tuple[str, str]]], words: Collection[str] = ()) -> str:
    """The same of rows in which each cell stands with its column's name; empty without rows. `words`: columns of no numbers."""
    columns = [name for name, _ in rows[0]] if rows else []
    cells = [[cell for _, cell in row] for row in rows]
    return markdown_table(columns, cells, [name not in words for name in columns]) if rows else ""


# names beside each other

FOLDED = "…"
"""Stands for what is folded."""
LEAST_HEAD = 4
"""Signs of a beginning that is worth folding."""
_HEAD = re.compile(r".*[/\-_:. ]")
_PATH = re.compile(r"\S+(?=/[^\s/])")


def folded(names: Collection[str], width: int, length: Callable[[str], int] = len) -> Mapping[str, str]:
    """Return each name as short as `width` asks for: as it is where all fit, else without what it has in common with others.

    First goes the beginning that all share, then the owner before a `/`; what is still too long is cut where it differs from
    all others. No two are ever called alike: where nothing shorter tells names apart, they stay whole. One alone is not folded.
    `length`: of a name on the screen.
    """
    return _folded(tuple(dict.fromkeys(names)), width, length)


@lru_cache(maxsize=64)
def _folded(names: tuple[str, ...], width: int, length: Callable[[str], int]) -> Mapping[str, str]:
    whole = {name: name for name in names}
    steps: tuple[Callable[[Mapping[str, str]], dict[str, str]], ...] = (_without_common_head, _without_owners)
    shown = whole
    for step in steps:
        if len(whole) < 2 or all(length(name) <= width for name in shown.values()):
            return shown
        shown = _distinct(shown, step(shown))
    return _cut(shown, width, length)


def _without_common_head(shown: Mapping[str, str]) -> dict[str, str]:
    """Fold the beginning that all names share, up to the last sign that separates words; that sign stays."""
    first, last = min(shown.values()), max(shown.values())
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    head = _HEAD.match(first[:same])
    at = head.end() - 1 if head else 0
    return {name: f"{FOLDED}{text[at:].lstrip()}" if at >= LEAST_HEAD else text for name, text in shown.items()}


def _without_owners(shown: Mapping[str, str]) -> dict[str, str]:
    """Fold what stands before the last `/` of each word."""
    return {name: _PATH.sub(FOLDED, text) for name, text in shown.items()}


def _distinct(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return what names are called after a step; those that it makes alike are called as before it."""
    alike = Counter(after.values())
    chosen = {name: text if alike[text] == 1 else before[name] for name, text in after.items()}
    return chosen if len({*chosen.values()}) == len(chosen) else dict(before)


def _cut(shown: Mapping[str, str], width: int, length: Callable[[str], int]) -> dict[str, str]:
    """Cut names that are too long, each so that it can be no other one; what cannot be told so briefly stays whole."""
    texts = [*shown.values()]

    def brief(text: str) -> str:
        cuts = (_cuts(text, width) if length(text) > width else ()) if width > 1 else ()
        return next((cut for cut in cuts if length(cut) <= width and sum(_may_be(cut, each) for each in texts) == 1), text)

    return {name: brief(text) for name, text in shown.items()}


def _cuts(text: str, width: int) -> Iterator[str]:
    """Yield a text cut in its middle, its end the longer part; then with more of its beginning, or less; then twice."""
    room = width - 1
    places = range(room * 2 // 5, room)
    for head in (*places, *reversed(range(places.start))):
        yield f"{text[:head].removesuffix(FOLDED)}{FOLDED}{text[len(text) - room + head :]}"
    for end in (max(room // 4, 1), 0):
        inside = room - 1 - 2 * end
        for start in range(end + 1, len(text) - end - inside) if inside > 0 else ():
            yield f"{text[:end]}{FOLDED}{text[start : start + inside]}{FOLDED}{text[len(text) - end :]}"


def _may_be(cut: str, text: str) -> bool:
    """Return whether a text that was cut so may be this one."""
    head, *inside, tail = cut.split(FOLDED)
    rest = text.removeprefix(head) if text.startswith(head) else ""
    for part in inside:
        at = rest.find(part)
        rest = rest[at + len(part) :] if at >= 0 else ""
    return bool(rest) and rest.endswith(tail)
