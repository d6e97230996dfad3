"""Regular expressions on untrusted texts: at once where their work is bounded, in the fenced child where it is not."""

from __future__ import annotations

import re
import warnings
from collections import deque
from dataclasses import dataclass
from functools import lru_cache

from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.reading.pattern_effort import effort, has_comments

LONGEST_PATTERN = 2_000
_MOST_STEPS = 3e6
"""Steps that a search may take in this process: less than a tenth of a second."""
_BACK_REFERENCE = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")
"""What goes by what another group found: a number or a name of it, or a condition. What only looks like one is fenced, too."""


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """Last match of a pattern, group 1 where it has one; None where there is none, or where a limit was hit."""

    span: tuple[int, int] | None
    fault: str = ""


def pattern_problem(pattern: str) -> str:
    """Return the problem of a pattern, and its place there; empty where there is none."""
    if not pattern:
        return "is empty"
    if len(pattern) > LONGEST_PATTERN:
        return f"has {len(pattern):,} characters; {LONGEST_PATTERN:,} are the most"
    try:
        _compiled(pattern)
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        return f"is no regular expression{where}: {error.msg}"
    except (FutureWarning, ValueError, OverflowError, RecursionError) as error:
        return f"is no regular expression: {error}"
    return ""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # "[[a]" means something else in a coming Python
        return re.compile(pattern)


@lru_cache(maxsize=1024)
def _is_bounded(pattern: str, length: int) -> bool:
    """Return whether a pattern takes little work on any text of a length, rounded up by the caller."""
    if _BACK_REFERENCE.search(pattern) or has_comments(pattern):
        return False
    try:
        return effort(pattern, length, blanks_run=True) <= _MOST_STEPS
    except (ValueError, IndexError):
        return False


def last_match(pattern: str, text: str, fence: Fence, whole: bool = False) -> PatternMatch:
    """The last match of a pattern that compiles; `whole`: it must match the whole text."""
    if _is_bounded(pattern, 1 << len(text).bit_length()):
        compiled = _compiled(pattern)
        matches = [compiled.fullmatch(text)] if whole else deque(compiled.finditer(text), maxlen=1)
        match = matches[0] if matches else None
        if match is None:
            return PatternMatch(None)
        return PatternMatch(match.span(1 if compiled.groups and match[1] is not None else 0))
    result = fence.run("regex", pattern=pattern, text=text, whole=whole)
    if result.fault:
        return PatternMatch(None, f"pattern {result.fault}")
    match result.value:
        case [int(start), int(end)] if 0 <= start <= end <= len(text):
            return PatternMatch((start, end))
    return PatternMatch(None)
