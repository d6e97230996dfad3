"""Text that a web page hides on the element itself: found without style sheets, and without losing what is never closed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

MOST_LISTED = 1_000
"""Hidden passages that are listed with their words."""
UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "math", "object", "iframe", "canvas", "head"})
"""Elements whose content is never text of a page."""
_MAY_HIDE = re.compile(r"hidden|display\s*:|visibility|font-size|opacity|overflow|(?:width|height)\s*:", re.IGNORECASE)
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
})  # fmt: skip
_WHOLE = frozenset({"html", "body"})
"""Never hidden: pages hide these until a script shows them."""
_REMAINDER = frozenset({"html", "body", "main"})
"""What is open in one of these when it ends was forgotten to be closed, unless its end tag may be left out."""
_ENDS_P = frozenset({
    "address", "article", "aside", "blockquote", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section",
    "table", "ul",
})  # fmt: skip
_ENDED_BY = {
    "p": _ENDS_P,
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option", "optgroup"}),
    "tr": frozenset({"tr", "tbody", "tfoot", "thead"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot", "thead"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot", "thead"}),
    "tbody": frozenset({"tbody", "tfoot"}),
    "thead": frozenset({"tbody", "tfoot"}),
}
"""By an element whose end tag may be left out, what ends it where it stands within it."""
_ZERO = re.compile(r"[+-]?0*\.?0+(?:%|[a-z]*)")
_LENGTH = re.compile(r"(?:\d*\.)?\d+(?:px|pt|pc|cm|mm|in|q|rem|vw|vh)|(?:xx?-|)(?:small|large)|medium")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Hidden parse events of a page, in their order, and their text."""

    spans: Sequence[tuple[int, int]] = ()
    """From the first event that is hidden to the first behind it."""
    passages: Sequence[str] = ()
    """The words of each that has any."""


def hidden_text(html: str) -> HiddenText:
    """Find the hidden text of a page.

    Hidden is what stands in an element that says so itself: `hidden`, `aria-hidden="true"`, `display:none`,
    `visibility:hidden`, `opacity:0`, a font size of 0, a box of no size. An element that is never closed, be it by its
    own end tag, by that of one around it, or by what ends it in HTML, hides nothing: the remainder of a page is not lost to a
    tag that somebody forgot.
    """
    if not _MAY_HIDE.search(html):
        return HiddenText()
    finder = _HiddenTextParser()
    finder.feed(html)
    finder.close()
    spans = [*_hidden_spans(finder.marks)]
    return HiddenText(spans, [*_passages(spans, finder.texts)])


@dataclass(slots=True)
class _OpenElement:
    """An element that is open: where it begins, and what it says of being seen, by property (True = hidden)."""

    tag: str
    start: int
    says: dict[str, bool] = field(default_factory=dict)


class _HiddenTextParser(HTMLParser):
    """Builds as much of the tree as tells where elements end, and notes those that hide or show what is in them.

    Each event of the parser has a number; `html_text` counts them in the same way.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.marks: list[tuple[int, int, str, bool]] = []
        """Of closed elements: first event, the first behind it, which property, and whether it hides."""
        self.texts: list[tuple[int, str]] = []
        """Texts in elements that may be hidden, each with its event."""
        self._event = -1
        self._open: list[_OpenElement] = []
        self._counts: Counter[str] = Counter()
        self._saying = 0
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """End the elements that this start tag closes, and open it."""
        self._event += 1
        while self._open and tag in _ENDED_BY.get(self._open[-1].tag, ()):
            self._end(self._event)
        if tag in _ENDS_P and self._open and self._counts["p"] and tag != "p":
            self._end_paragraph()
        if tag in _VOID:
            return
        element = _OpenElement(tag, self._event, {} if tag in _WHOLE else said_of(attrs))
        self._open.append(element)
        self._counts[tag] += 1
        self._saying += bool(element.says)
        self._unseen += tag in UNSEEN

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """It holds nothing."""
        self._event += 1

    def handle_endtag(self, tag: str) -> None:
        """It ends the innermost of its name, and what is open in that; a stray one ends nothing."""
        self._event += 1
        if not self._counts[tag]:
            return
        while self._open[-1].tag != tag:
            forgotten = tag in _REMAINDER and self._open[-1].tag not in _ENDED_BY
            self._end(self._event, forgotten)
        self._end(self._event + 1)

    def handle_data(self, data: str) -> None:
        """Text is kept where it may be hidden."""
        self._event += 1
        if self._saying and not self._unseen:
            self.texts.append((self._event, data))

    def _end_paragraph(self) -> None:
        """End a paragraph in which only words are marked up: whatever is a block ends it, too."""
        inline = 0
        for element in reversed(self._open[-8:]):
            if element.tag == "p":
                break
            if element.tag in _ENDS_P or element.tag in _ENDED_BY or element.tag in ("button", "object", "caption"):
                return
            inline += 1
        else:
            return
        for _ in range(inline + 1):
            self._end(self._event)

    def _end(self, end: int, forgotten: bool = False) -> None:
        """End the innermost; one that was `forgotten` to be closed hides nothing."""
        element = self._open.pop()
        self._counts[element.tag] -= 1
        self._saying -= bool(element.says)
        self._unseen -= element.tag in UNSEEN
        if not forgotten:
            self.marks += [(element.start, end, name, hides) for name, hides in element.says.items()]


def said_of(attrs: Sequence[tuple[str, str | None]]) -> dict[str, bool]:
    """Return what an element's attributes say of its being seen: by property, whether they hide it (True), or show it in one
    that is hidden (False)."""
    attributes = {name: value or "" for name, value in reversed(attrs)}
    style = _declared(attributes.get("style", ""))
    display, hides = style.get("display", ""), {}
    gone = (
        display == "none"
        or ("hidden" in attributes and not display)
        or attributes.get("aria-hidden", "").strip().lower() == "true"
    )
    sizes = [style[name] for name in ("width", "height", "max-width", "max-height") if name in style]
    zero = sum(map(_is_zero, sizes))
    boxed = zero > 1 or (zero == 1 and style.get("overflow", "") in ("hidden", "clip"))
    if gone or boxed or _is_zero(style.get("opacity", "")):
        hides["box"] = True
    if "visibility" in style:
        hides["visibility"] = style["visibility"] in ("hidden", "collapse")
    size = style.get("font-size", "")
    if _is_zero(size) or _LENGTH.fullmatch(size):
        hides["font-size"] = _is_zero(size)
    return hides


def _declared(style: str) -> dict[str, str]:
    """The declarations of a style attribute, in small letters; of two of one property the last counts."""
    pairs = (declaration.partition(":") for declaration in re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL).lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, colon, value in pairs if colon}


def _is_zero(value: str) -> bool:
    return bool(_ZERO.fullmatch(value))


def _hidden_spans(marks: Sequence[tuple[int, int, str, bool]]) -> Iterator[tuple[int, int]]:
    """Yield the spans that anything hides: of each property the innermost element that says something of it counts."""
    turns: list[tuple[int, int, int, str, bool]] = []
    for start, end, name, hides in marks:
        turns += [(start, 1, -end, name, hides), (end, 0, -start, name, hides)]
    inside: dict[str, list[bool]] = {}
    boxes, begun = 0, -1
    for at, opens, _, name, hides in sorted(turns):
        if name == "box":
            boxes += 1 if opens else -1
        elif opens:
            inside.setdefault(name, []).append(hides)
        else:
            inside[name].pop()
        hidden = boxes > 0 or any(stack and stack[-1] for stack in inside.values())
        if hidden and begun < 0:
            begun = at
        elif not hidden and begun >= 0:
            if at > begun:
                yield begun, at
            begun = -1


def _passages(spans: Sequence[tuple[int, int]], texts: Sequence[tuple[int, str]]) -> Iterator[str]:
    place, listed = 0, 0
    for start, end in spans:
        while place < len(texts) and texts[place][0] < start:
            place += 1
        words = []
        while place < len(texts) and texts[place][0] < end:
            words.append(texts[place][1])
            place += 1
        passage = _SPACE.sub(" ", " ".join(words)).strip()
        if passage and listed < MOST_LISTED:
            listed += 1
            yield passage
