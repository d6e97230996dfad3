"""Text of a web page: headings, paragraphs, list items and rows of tables on lines of their own. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from tui_eval.datasets.document_text.hidden_text import UNSEEN

_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "hr", "html", "main", "nav", "ol", "option", "p", "pre", "section",
    "select", "summary", "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
})  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS = frozenset({"td", "th"})
_BETWEEN_CELLS = " | "
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_MANY_LINES = re.compile(r"\n{3,}")


def text_of_page(html: str, hidden: Sequence[tuple[int, int]] = ()) -> str:
    """Return a web page's text without scripts and styles: headings as in Markdown, a table's row as a line, cells by ` | `.

    `hidden`: the parse events that are left out, as `hidden_text` finds them.
    """
    reader = _HtmlTextParser(hidden)
    reader.feed(html)
    reader.close()
    return reader.text()


class _HtmlTextParser(HTMLParser):
    """Collects the lines of a page. It keeps counts of what is open, no stack: tags that are never closed cost nothing."""

    def __init__(self, hidden: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__(convert_charrefs=True)
        self._hidden = iter(hidden)
        self._next = next(self._hidden, None)
        self._event = -1
        self._lines: list[str] = []
        self._line: list[str] = []
        self._unseen = ""
        """The tag whose content is left out, while it is open, and how often it is."""
        self._depth = 0
        self._in_pre = False
        self._in_row = False
        self._in_title = False

    def text(self) -> str:
        """Return the text that was read so far."""
        self._end_line()
        return _MANY_LINES.sub("\n\n", "\n".join(self._lines)).strip("\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A line ends before a block; what is never shown is left out until its tag is closed."""
        if not self._is_hidden():
            self._opened(tag)

    def _is_hidden(self) -> bool:
        """Count the next event, which this is, and return whether it is left out."""
        self._event += 1
        while self._next is not None and self._event >= self._next[1]:
            self._next = next(self._hidden, None)
        return self._next is not None and self._event >= self._next[0]

    def _opened(self, tag: str) -> None:
        if tag == "title" and self._unseen in ("", "head"):
            self._in_title = True
        elif self._unseen:
            self._depth += tag == self._unseen
            if tag == "body" and self._unseen == "head":  # a head that was never closed ends here
                self._unseen, self._depth = "", 0
        elif tag in UNSEEN:
            self._unseen, self._depth = tag, 1
        else:
            self._start(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself has no content to leave out."""
        if not self._is_hidden() and tag not in UNSEEN:
            self._opened(tag)

    def handle_endtag(self, tag: str) -> None:
        """A line ends behind a block."""
        if self._is_hidden():
            return
        if tag == "title" and self._in_title:
            self._in_title = False
            self._end_line()
        elif self._unseen:
            self._depth -= tag == self._unseen
            if not self._depth:
                self._unseen = ""
        elif tag in _HEADINGS or tag in ("p", "table", "ul", "ol", "pre"):
            self._end_block()
            self._in_pre = self._in_pre and tag != "pre"
        elif tag == "tr":
            self._in_row = False
            self._end_line()
        elif tag in _BLOCKS or tag == "li":
            self._end_block_line()

    def handle_data(self, data: str) -> None:
        """Text, its blanks as a reader sees them."""
        if self._is_hidden() or (self._unseen and not self._in_title):
            return
        if self._in_pre:
            first, *following_lines = data.split("\n")
            self._line.append(first)
            for line in following_lines:
                self._end_line(keep=True)
                self._line.append(line)
        else:
            self._line.append(_BLANKS.sub(" ", data))

    def _start(self, tag: str) -> None:
        if tag in _CELLS:
            if self._in_row and "".join(self._line).strip():
                self._line.append(_BETWEEN_CELLS)
            self._in_row = True
        elif tag == "br":
            self._end_block_line(keep=True)
        elif tag in _HEADINGS:
            self._end_block()
            self._line.append("#" * int(tag[1]) + " ")
        elif tag == "li":
            self._end_block_line()
            self._line.append("- ")
        elif tag == "tr":
            self._in_row = False
            self._end_line()
        elif tag in _BLOCKS:
            self._end_block_line()
            self._in_pre = tag == "pre" or self._in_pre

    def _end_block(self) -> None:
        """End the line and leave an empty one; within a row of a table, a blank."""
        self._end_block_line()
        if not self._in_row:
            self._lines.append("")

    def _end_block_line(self, keep: bool = False) -> None:
        if self._in_row:
            self._line.append(" ")
        else:
            self._end_line(keep)

    def _end_line(self, keep: bool = False) -> None:
        """`keep`: an empty line is one, too, and blanks at the start of a line stay."""
        whole = "".join(self._line)
        line = whole.rstrip() if self._in_pre else _BLANKS.sub(" ", whole).strip()
        self._line = []
        if keep or (line and line.strip("# -|")):
            self._lines.append(line)
