"""A reply as plain text: without the thinking in front of it, without mark-up, and of a length that can be searched."""

from __future__ import annotations

import re
import unicodedata

from tui_eval.reading.letters.cues import AROUND

_LONGEST = 12_000
_TAIL = 8_000
_INVISIBLE = dict.fromkeys(
    [0, 0xAD, 0x180E, 0xFEFF, 0xFE0E, 0xFE0F, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)]
)
_DRESS = re.compile(
    r"[*`$]|(?<!_)_++(?![A-Za-z0-9])|(?<![A-Za-z0-9_])_++|</?(?i:b|i|u|em|strong|code|span|mark|kbd|font|ins|sup|sub)>"
)
_TAG = re.compile(r"""</?(?![A-Z]>)[A-Za-z][\w.-]{0,30}(?:\s+[\w:-]+=(?:"[^"<>]*"|'[^'<>]*'))*\s*/?>""")
"""A tag of a mark-up language; a single capital in angle brackets is a label."""
_STRUCK = re.compile(r"~~[^~\n]{1,400}~~")
_FULL_STOP = re.compile(r"(?<![A-Za-z])([A-Za-z][)\]\"'”»]?)[。．]")
_LINE_START = re.compile(r"(?m)^(?:[>•▪●‣◦·✅☑✔👉➡] ?|#++ |[-+] )++(?=\S)")
_TEXT_COMMAND = re.compile(r"\\(?:text|math|bf|it|rm|em|under|over)\w{0,9} ?\{([^{}\n]{0,200})\}|\\[!,;:]")
_QUOTED = re.compile(
    r"(?<![A-Za-z0-9])['‘’‚‹«「『“”„【〔《] ?([A-Z]) ?['‘’›»」』“”】〕》](?![A-Za-z0-9])|(?<!\w)\" ([A-Z]) \"(?!\w)"
)
"""A label in whichever quotation marks."""
_ANSWER_TAG = re.compile(r"<(/?)(?i:(?:(?:final|correct|my)?[ _-]?(?:answer|choice)|final))>")
_TOKEN = re.compile(r"[^\W\u0e00-\uffff]+(?:[.,]\d+)*|\w+|[%°+\-−/^=<>≤≥~€£]")


def _collapsed(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _clipped(text: str) -> str:
    """Head and tail of a very long reply: answers stand at either end of it, and mostly at the last."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - _TAIL]}\n…\n{text[-_TAIL:]}"


def plain_text(text: str) -> str:
    """A bounded text of one space or line end between words, in compatible characters and without mark-up."""
    if not text.isascii():
        text = _clipped(_collapsed(text.translate(_INVISIBLE)))
        text = unicodedata.normalize("NFKC", _FULL_STOP.sub(r"\1. ", text))
    text = _clipped(_collapsed(text))
    if "\\" in text:
        text = _TEXT_COMMAND.sub(lambda match: match[1] or " ", text)
    if "<" in text:
        text = _ANSWER_TAG.sub(lambda match: "\n" if match[1] else "\nAnswer:\n", text)
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if any(mark in text for mark in "*_`$<"):
        text = _DRESS.sub("", text)
    if "<" in text:
        text = _TAG.sub("\n", text)
    text = text if text.isascii() else _FULL_STOP.sub(r"\1. ", text)
    return _collapsed(_LINE_START.sub("", _QUOTED.sub(lambda match: f'"{match[1] or match[2]}"', text)))


_EMPHASIZED = re.compile(r"(?m)(?<=\S) ([*_`$]{1,6})(?:\\[a-z]+\{)?[\"']?([A-Z])[.)]?[\"']?\}?[*_`$]{1,6}(?=[.!]?[ \t]*$)")
_HEADED = re.compile(r"(?<=[\w.!?:;)\]\"'”’»]) (?=#{2,6} ?[A-Z]\b)")
_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'"}


def _simple_marks() -> dict[int, str]:
    """ASCII marks in place of all brackets and quotation marks of other writing systems, by their class in Unicode."""
    marks = {}
    for sign in map(chr, (0xAB, 0xBB, *range(0x2018, 0x3020), *range(0xFE17, 0xFE49))):
        kind = unicodedata.category(sign)
        if kind in ("Pi", "Pf") or sign in "„‟〈〉《》「」『』〝〞〟﹁﹂﹃﹄":
            marks[ord(sign)] = "'" if sign in "‘’‛‹›" else '"'
        elif kind in ("Ps", "Pe"):
            marks[ord(sign)] = "'" if sign == "‚" else "[" if kind == "Ps" else "]"
    return marks


_SIMPLE_MARKS = _simple_marks()
_MATH = re.compile(r"\\[()\[\]]")
_DOUBLED = re.compile(r"\[\[ ?([A-Z]) ?\]\]|<([A-Z])>")
_HIGHLIGHTED = re.compile(r"(?<![=A-Za-z0-9])==(?=[^\s=])([^=\n]{1,200})(?<=\S)==(?![=A-Za-z0-9])")


_TABLE = re.compile(
    r"(?m)^[ \t]*\|(?P<head>[^\n]{1,300})\|[ \t]*\n[ \t]*\|[ \t:|-]{1,200}\|[ \t]*\n"
    r"[ \t]*\|(?P<row>[^\n]{1,300})\|[ \t]*(?=\n(?![ \t]*\|)|\Z)"
)
_ANSWER_COLUMN = re.compile(r"(?i)\W*(?:(?:final|correct|best|right|my|your) )?(?:answer|choice|option|letter)\W*")


def _row_as_lines(table: re.Match[str]) -> str:
    """The cells of a table's only row, that below a heading such as `Answer` behind a cue."""
    heads, cells = table["head"].split("|"), table["row"].split("|")
    if len(heads) != len(cells) or sum(map(bool, map(_ANSWER_COLUMN.fullmatch, heads))) != 1:
        return table[0]
    lines = [f"Answer: {cell}" if _ANSWER_COLUMN.fullmatch(head) else cell for head, cell in zip(heads, cells, strict=True)]
    return "\n".join(lines)


def with_simple_marks(text: str) -> str:
    """Return the text with ASCII brackets and quotes alone, `$` around formulas, and a lone label that ends a line in emphasis
    put into brackets, or below a heading's sign on a new line: the mark-up that sets it off is lost otherwise.
    """
    text = text if text.isascii() else text.translate(_SIMPLE_MARKS)
    text = _MATH.sub("$", text) if "\\" in text else text
    text = _HEADED.sub("\n", text) if "##" in text else text
    text = _TABLE.sub(_row_as_lines, text) if "|\n" in text else text
    text = _HIGHLIGHTED.sub(r"**\1**", text) if "==" in text else text
    text = _DOUBLED.sub(lambda label: f"[{label[1] or label[2]}]", text) if "[[" in text or "<" in text else text
    return _EMPHASIZED.sub(r" (\2)", text) if any(mark in text for mark in "*_`$") else text


def without_enclosure(text: str) -> str:
    """Return the text without one pair of brackets or quotes that stands around the whole of it."""
    close = _PAIRS.get(text[:1])
    end = len(text.rstrip(".!")) - 1
    if len(text) < 3 or close is None or text[end] != close:
        return text
    inner = text[1:end]
    return text if text[0] in inner or close in inner else inner.strip()


_TWICE = re.compile(
    r"""(?<![\w&+/.-])(?<!\w['’])([A-Z])(?:["'”’)\]}]{0,3}(?:\s?[.,:;/–—-]|\s)\s?["'“‘([{]{0,3}\1(?!\w)){1,9}"""
    r"""(?=["'”’)\]}]{0,3}[.!]?["'”’)\]}]{0,2}(?:[,;]|:(?! ?[~<>]?\d)|\n|\Z))"""
)
_GLUED = re.compile(r"""(?:(?<=[a-z][a-z])|(?<=[\])”"]))[.!?]["'”’)]{0,2}([A-Z])[.]?\Z|(?<=[a-z][a-z])["”]([A-Z])\Z""")
ABBREVIATED = re.compile(r"(?i)(?:^|[^a-z])(?:fig|figs|sect?|no|vs|approx|ca|cf|eq|chap|vol|dr|mr|mrs|prof|vit|hep|st)\Z")
"""The end of a text whose full stop belongs to an abbreviation."""
_DOUBLE = re.compile(r"""(\A|[:=] ?|\b(?i:answer|is|option|choice) )([A-Z])\2(?=[.!]?(?:\n|\Z))""")


_ITEM = re.compile(r"[).:] ")
_ITEM_LINE = re.compile(r"(?m)^[(\[]?([A-Z])[)\].:]{1,2} ")


def _once(twice: re.Match[str]) -> str:
    """Return the label alone, unless it ends a sentence of other words and begins the next."""
    before = twice.string[: twice.start()].rpartition("\n")[2]
    item = _ITEM.search(twice[0]) and not before.strip(AROUND)
    if item and any(each[1] != twice[1] for each in _ITEM_LINE.finditer(twice.string)):
        return twice[0]
    apart = any(stop in twice[0] for stop in (". ", "\n"))
    return twice[0] if apart and before.strip(AROUND) else twice[1]


def said_once(text: str) -> str:
    """The text with a label that is said twice in a row said once, and one that is glued to the end on a line of its own."""
    text = _DOUBLE.sub(r"\1\2", _TWICE.sub(_once, text))
    glued = _GLUED.search(text, max(0, len(text) - 12))
    if not glued or ABBREVIATED.search(text, max(0, glued.start() - 12), glued.start()):
        return text
    return f"{text[: glued.start() + 1]}\n{glued[1] or glued[2]}"


def words_of(text: str) -> str:
    """Only the words, numbers and signs of calculation, in small letters, with a space between them."""
    return " ".join(_TOKEN.findall(text.casefold()))


def first_word(text: str, at: int) -> str:
    """The first of the words from a place on; nothing where there is none near by."""
    token = _TOKEN.search(text, at, at + 600)
    return words_of(token[0]).partition(" ")[0] if token else ""
