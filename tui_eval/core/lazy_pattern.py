"""Regular expressions that are compiled when they are first searched for: a command compiles what it uses."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """A pattern's text, with the methods of the pattern from the first use on."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile it, and keep whatever is asked for as an attribute of its own: from then on it is found at once."""
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns, for its methods and attributes; a mistake in it shows at the first of them.

    For patterns of a module that most commands load and few search with.
    """
    return cast(re.Pattern[str], _LazyPattern(text, flags))
