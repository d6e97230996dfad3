"""Words of a web page that came where the API should have answered: its title, else its first visible words."""

from __future__ import annotations

import html
import re

LONGEST = 20_000
"""Characters of a page that are looked at."""
_TAG = re.compile(r"<(/?)([a-z!?][^\s<>/]*)[^<>]*>", re.IGNORECASE)
_UNSEEN = ("script", "style", "template", "svg", "noscript")
_MARKUP_STARTS = ("<!", "<?", "<html", "<head", "<body", "<title", "<center", "<h1", "<p", "<pre", "<div", "<error")


def is_page(text: str) -> bool:
    """Return whether a text is a page (HTML or XML) rather than a message."""
    return text[:200].lstrip("\ufeff \t\r\n").lower().startswith(_MARKUP_STARTS)


def page_words(page: str) -> str:
    """The title of a page, else the beginning of its visible text, without any markup; empty where it shows nothing."""
    title: list[str] = []
    visible: list[str] = []
    inside, since = "", 0
    page = _without_comments(page[:LONGEST])
    for tag in _TAG.finditer(page):
        _take(page[since : tag.start()], inside, title, visible)
        since = tag.end()
        closing, name = tag.group(1), tag.group(2).lower()
        if closing:
            inside = "" if name == inside else inside
        elif not inside and name in ("title", *_UNSEEN):
            inside = name
    _take(page[since:].partition("<")[0], inside, title, visible)
    return _plain(title) or _plain(visible)


def _without_comments(page: str) -> str:
    first, *rest = page.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in rest)


def _take(text: str, inside: str, title: list[str], visible: list[str]) -> None:
    if inside == "title":
        title.append(text)
    elif not inside:
        visible.append(text)


def _plain(pieces: list[str]) -> str:
    """The pieces as one text; entities are read first, so that no bracket comes back by them."""
    text = html.unescape(" ".join(pieces))
    return " ".join(re.sub("[<>]", " ", text).split())
