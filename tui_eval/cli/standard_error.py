"""Standard error of a command: narration, which -q silences, and messages, which it never does."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from tui_eval.core.plaintext import visible

_silenced = [False]
"""The innermost is what holds."""


def narrate(text: str) -> None:
    """Print what goes on, or went as it was meant to; nothing under -q."""
    if not _silenced[-1]:
        tell(text)


def tell(text: str) -> None:
    """Print what a person has to know whatever happens: why something failed or is incomplete, warnings, where keys go."""
    print(visible(text), file=sys.stderr, flush=True)


def is_terminal() -> bool:
    """Return whether a person sees it as it comes."""
    return sys.stderr.isatty()


def is_narrating() -> bool:
    """Return whether narration is printed."""
    return not _silenced[-1]


@contextlib.contextmanager
def narration_off(silenced: bool) -> Iterator[None]:
    """Print no narration meanwhile, if that is wanted."""
    _silenced.append(silenced)
    try:
        yield
    finally:
        _silenced.pop()
