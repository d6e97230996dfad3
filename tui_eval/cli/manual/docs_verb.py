"""Verb `docs`: the list of pages, or one of them as text, which a terminal shows screen by screen."""

from __future__ import annotations

import shutil
import sys

from tui_eval.cli.manual import doc_pages
from tui_eval.cli.manual.page_text import page_text
from tui_eval.cli.standard_error import narrate
from tui_eval.cli.verb import Options
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace


def show(options: Options, workspace: Workspace) -> int:
    """Print every page by its name and title, or the one that is named; the exit code. No workspace is looked at."""
    pages = doc_pages.page_names()
    if not pages:
        raise ConfigError(f"docs: there are no pages in {doc_pages.folder()}; reinstall tui-eval")
    if not options.page:
        longest = max(map(len, pages))
        print("\n".join(f"{name:<{longest}}  {doc_pages.title_of(name)}" for name in pages))
        narrate("tui-eval docs PAGE shows one, tui-eval docs PAGE#HEADING a part of it")
        return 0
    size = shutil.get_terminal_size()
    text = page_text(doc_pages.page_named(options.page), size.columns)
    if sys.stdin.isatty() and sys.stdout.isatty() and text.count("\n") >= size.lines:
        import pydoc  # only here: it looks for a pager

        pydoc.pager(text)
    else:
        print(text, end="")
    return 0
