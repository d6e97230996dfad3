"""A page of Markdown as text for a terminal: lines of its width, tables as entries, links as what is typed to follow them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tui_eval.cli.manual.doc_pages import FENCED, folder

WIDEST = 100
"""Columns of a line of prose at most, however wide the terminal is."""
_LINK = re.compile(r"(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)")
_BEGINS = re.compile(r"(?P<marker>\s*(?:[-*]|\d+\.) )|#|\||!\[")
"""What begins a line that does not go on with the one before it."""
_CELLS = re.compile(r"(?<!\\)\|")
_wrapped = partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False)


def page_text(markdown: str, columns: int) -> str:
    """The text of a page, or of a part of one."""
    width, parts, at = min(columns, WIDEST), list[str](), 0
    for code in FENCED.finditer(markdown):
        parts += [_prose(markdown[at : code.start()], width), _code(code[0])]
        at = code.end()
    return "\n\n".join(filter(None, [*parts, _prose(markdown[at:], width)])) + "\n"


def _code(block: str) -> str:
    """A block of code as it would be copied."""
    return textwrap.indent("\n".join(textwrap.dedent(block).splitlines()[1:-1]), "    ")


def _prose(text: str, width: int) -> str:
    """Paragraphs, entries of lists, headings and tables, as far apart as they were."""
    pieces: list[str] = []
    for part in filter(str.strip, re.split(r"\n\s*\n", text)):
        lines = part.strip("\n").splitlines()
        begins = [n for n, line in enumerate(lines) if n == 0 or _BEGINS.match(line)]
        blocks = [lines[a:b] for a, b in zip(begins, [*begins[1:], len(lines)], strict=True)]
        is_table = all(block[0].startswith("|") for block in blocks)
        rendered = _table([block[0] for block in blocks], width) if is_table else (_paragraph(block, width) for block in blocks)
        pieces.append("\n".join(rendered))
    return "\n\n".join(pieces)


def _paragraph(lines: Sequence[str], width: int) -> str:
    """A paragraph, a heading, or an entry of a list, which hangs below its marker."""
    text = _linked(" ".join([lines[0].rstrip(), *(line.strip() for line in lines[1:])]))
    match = _BEGINS.match(text)
    marker = (match and match["marker"]) or text[: len(text) - len(text.lstrip())]
    hanging = " " * len(marker)
    return "\n".join(_wrapped(text[len(marker) :], width, initial_indent=marker, subsequent_indent=hanging))


def _table(lines: Sequence[str], width: int) -> Iterator[str]:
    """Each row as an entry: its first cell, and below it the others, by the heads of their columns where there are several."""
    rows = [[_linked(cell.strip().replace("\\|", "|")) for cell in _CELLS.split(line.strip())[1:-1]] for line in lines]
    (first, *rest), _, *entries = rows
    heads = [f"{head}: " if len(rest) > 1 and head else "" for head in rest]
    yield from _wrapped(", ".join(filter(None, [first, *rest])).upper(), width)
    for name, *cells in entries:
        yield from _wrapped(name, width)
        for head, cell in zip(heads, cells, strict=True):
            if cell:
                yield from _wrapped(head + cell, width, initial_indent=" " * 4, subsequent_indent=" " * 6)


def _linked(text: str) -> str:
    return _LINK.sub(_as_command, text)


def _as_command(link: re.Match[str]) -> str:
    """A link in words: behind its own, what shows the page, the path of a file that came along, or the address."""
    is_picture, words, target = link[1], link[2], link[3]
    if is_picture:
        return f"(a picture: {words})"
    name, _, heading = target.partition("#")
    if not name:
        return words
    if target.startswith(("https://", "http://")):
        return f"{words} ({target})"
    path = Path(folder() / name).resolve()
    if path.parent == folder().resolve() and path.suffix == ".md":
        return f"{words} (`tui-eval docs {path.stem}{'#' * bool(heading)}{heading}`)"
    return f"{words} ({path})" if path.exists() else f"{words} (in the project's repository)"
