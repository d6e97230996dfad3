"""Pages of documentation that come with the program: their names, their titles, and the text of one or of a part of it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from tui_eval.cli.verb import PAGES
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import shipped
from tui_eval.workspace.plain_files import read_text_file

MOST_BYTES = 2 * 1024 * 1024
FENCED = re.compile(r"^( *)```\w*\n.*?^\1```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def folder() -> Path:
    """Return the folder of the pages."""
    return shipped("docs")


def page_names() -> list[str]:
    """Every page, by the name that shows it."""
    return sorted(path.stem for path in folder().glob("*.md"))


def title_of(name: str) -> str:
    """The heading of a page: what it is about, in a line."""
    return _text(name).partition("\n")[0].removeprefix("# ")


def page_named(word: str) -> str:
    """The text of a page or, behind #, of the part below one of its headings.

    A page may be called as its file is, in docs/ or not, or as the verb that it is about. ConfigError with the nearest
    where there is none.
    """
    page, _, heading = word.partition("#")
    name = page.lower().removeprefix("docs/").removesuffix(".md")
    names = page_names()
    name = name if name in names else PAGES.get(name, name)
    if name not in names:
        near = get_close_matches(name, [*names, *PAGES], n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise ConfigError(f"docs: no page {page!r}; {hint}")
    text = _text(name)
    return _part(name, text, heading) if heading else text


def _part(name: str, text: str, heading: str) -> str:
    """A heading with all below it, to the next one that is no part of it. ConfigError where there is no such heading."""
    headings = _headings(text)
    begin = next((match for match in headings if _anchor(match[2]) == _anchor(heading)), None)
    if begin is None:
        anchors = [_anchor(match[2]) for match in headings]
        near = get_close_matches(_anchor(heading), anchors, n=1)
        hint = f"did you mean {name}#{near[0]}?" if near else f"there are {', '.join(anchors)}"
        raise ConfigError(f"docs: {name} has no heading {heading!r}; {hint}")
    ends = (match.start() for match in headings if match.start() > begin.start() and len(match[1]) <= len(begin[1]))
    return text[begin.start() : next(ends, len(text))]


def _headings(text: str) -> list[re.Match[str]]:
    """The headings of a page; a comment in a block of code is none."""
    code = [match.span() for match in FENCED.finditer(text)]
    return [match for match in _HEADING.finditer(text) if not any(a <= match.start() < b for a, b in code)]


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, the part of a link behind #, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _text(name: str) -> str:
    return read_text_file(folder() / f"{name}.md", MOST_BYTES, folder())
