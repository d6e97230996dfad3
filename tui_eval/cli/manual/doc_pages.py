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
    """Where the pages lie."""
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
    called, _, heading = word.partition("#")
    name = called.lower().removeprefix("docs/").removesuffix(".md")
    known = page_names()
    name = name if name in known else PAGES.get(name, name)
    if name not in known:
        near = get_close_matches(name, [*known, *PAGES], n=1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise ConfigError(f"docs: no page {called!r}; {meant}")
    text = _text(name)
    return _part(name, text, heading) if heading else text


def _part(name: str, text: str, heading: str) -> str:
    """A heading with all below it, to the next one that is no part of it. ConfigError where there is no such heading."""
    headings = _headings(text)
    begin = next((found for found in headings if _anchor(found[2]) == _anchor(heading)), None)
    if begin is None:
        known = [_anchor(found[2]) for found in headings]
        near = get_close_matches(_anchor(heading), known, n=1)
        meant = f"did you mean {name}#{near[0]}?" if near else f"there are {', '.join(known)}"
        raise ConfigError(f"docs: {name} has no heading {heading!r}; {meant}")
    ends = (found.start() for found in headings if found.start() > begin.start() and len(found[1]) <= len(begin[1]))
    return text[begin.start() : next(ends, len(text))]


def _headings(text: str) -> list[re.Match[str]]:
    """The headings of a page; a comment in a block of code is none."""
    code = [found.span() for found in FENCED.finditer(text)]
    return [found for found in _HEADING.finditer(text) if not any(a <= found.start() < b for a, b in code)]


def _anchor(heading: str) -> str:
    """What a link to a heading has behind #, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _text(name: str) -> str:
    return read_text_file(folder() / f"{name}.md", MOST_BYTES, folder())
