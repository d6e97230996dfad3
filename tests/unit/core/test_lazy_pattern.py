"""A lazy pattern does what the compiled one does, and compiles nothing before."""

from __future__ import annotations

import importlib
import re
import sys

import pytest

from tui_eval.core.lazy_pattern import _LazyPattern, lazy_pattern

LAZY = [
    "tui_eval.datasets.question_drafts",
    "tui_eval.datasets.questions_markdown",
    "tui_eval.datasets.document_text.running_heads",
    "tui_eval.reading.document_body",
    "tui_eval.reading.folding",
    "tui_eval.reading.frames",
]


def test_it_has_the_methods_and_attributes_of_the_pattern() -> None:
    """Each as often as it is asked for."""
    text, flags = r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE
    lazy, plain = lazy_pattern(text, flags), re.compile(text, flags)

    for searched in ("Ab-1 and c-2", "none"):
        for _ in range(2):
            assert [match.groups() for match in lazy.finditer(searched)] == plain.findall(searched) == lazy.findall(searched)
            assert lazy.sub("x", searched) == plain.sub("x", searched) and lazy.split(searched) == plain.split(searched)
            assert bool(lazy.match(searched, 0)) == bool(plain.match(searched, 0))
            assert bool(lazy.search(searched)) == bool(plain.search(searched))
            assert lazy.fullmatch(searched) is None
    assert (lazy.pattern, lazy.flags, lazy.groups, dict(lazy.groupindex)) == (text, plain.flags, 2, {"word": 1})
    with pytest.raises(AttributeError):
        lazy.nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", LAZY)
def test_the_patterns_of_the_program_compile(name: str) -> None:
    """A mistake in one would show in use alone."""
    module = importlib.import_module(name)
    patterns = [value for value in vars(module).values() if isinstance(value, _LazyPattern)]

    assert patterns and name in sys.modules
    for pattern in patterns:
        re.compile(pattern._text, pattern._flags)
