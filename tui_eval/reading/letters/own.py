"""A person's own rule for reading a letter: regular expressions tried in order, of which none may take unbounded work."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import warnings
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.cues import AROUND
from tui_eval.reading.letters.outcome import LetterReading, no_letter
from tui_eval.reading.letters.plain import plain_text
from tui_eval.reading.pattern_effort import effort, has_comments
from tui_eval.reading.thinking import without_thinking

MOST_PATTERNS = 50
LONGEST_PATTERN = 500
HEAD, TAIL = 1_000, 3_000
"""Characters at the beginning and at the end of a plain reply that are searched: a pattern's work grows with the text, for
some with its square, and a reply says its answer at either end."""
MOST_WAYS = 1e9
"""Ways in which a pattern may be tried on one reply: some seconds' work at the worst."""

_ONE_AT_A_TIME = threading.Lock()
"""What is done about warnings holds for all threads."""


def read_by_patterns(text: str, n_options: int, patterns: Sequence[str]) -> LetterReading:
    """Read a letter by the first pattern that finds one at all; of several places the last one counts.

    Each pattern is searched in the reply without its thinking and its mark-up, of which a long one keeps the first 1,000
    and the last 3,000 characters; white space is collapsed to a blank or a line end, and case is kept. Its one group must
    hold an option's letter and nothing else than signs around it: a capital, or a small letter where the group matched
    that letter alone. What holds anything else did not match. `Reading.pattern` is `patterns[0]` for the first, and so on.
    """
    searched = searched_text(text)
    if not searched:
        return no_letter("truncated_reasoning" if searched is None else "empty")
    for number, pattern in enumerate(patterns):
        place = _last_place(pattern, searched, ascii_uppercase[:n_options])
        if place is not None:
            return LetterReading(searched[place[0] : place[1]].strip(AROUND).upper(), f"patterns[{number}]", "")
    return no_letter("no_letter")


def place_of(text: str, letter: str, pattern: str) -> tuple[int, int] | None:
    """From where to where in the searched text of a reply a pattern finds the letter it reads there; None where nowhere."""
    searched = searched_text(text)
    return _last_place(pattern, searched, letter) if searched else None


def searched_text(text: str) -> str | None:
    """Return the part of a reply in which the patterns are searched; None where its thinking never ends."""
    proper = without_thinking(text)
    if proper is None:
        return None
    plain = plain_text(proper)
    return plain if len(plain) <= HEAD + TAIL else f"{plain[:HEAD]}\n…\n{plain[-TAIL:]}"


def version_of(patterns: Sequence[str], fallback: str) -> str:
    """Eight hex digits by which one list of patterns is told from another."""
    return hashlib.sha256(json.dumps([list(patterns), fallback]).encode()).hexdigest()[:8]


def problem_of(pattern: str) -> str:
    """Return the problem of a pattern, and where in it; empty where there is none."""
    if not pattern.strip():
        return "is empty; leave it out"
    if len(pattern) > LONGEST_PATTERN:
        return f"has {len(pattern)} characters; {LONGEST_PATTERN} are the most"
    try:
        groups = _compiled(pattern).groups
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        return f"is not a regular expression{where}: {error.msg}"
    except (FutureWarning, ValueError, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    if groups != 1:
        has = "has no group" if not groups else f"has {groups} groups"
        return (
            f"{has}; write (...) around the letter alone, as in 'answer is ([A-Z])', and (?:...) where else you need brackets"
        )
    if has_comments(pattern):
        return "has the flag x; write it without white space and comments"
    if effort(pattern, HEAD + TAIL) > MOST_WAYS:
        return (
            "could take for ever on some replies: too much of it repeats; make what repeats possessive, as in \\w++ or "
            "(?:...)*+, or limit it, as in .{0,30}"
        )
    return ""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # "[[a]" means something else in a coming Python
        return re.compile(pattern)


def _last_place(pattern: str, searched: str, labels: str) -> tuple[int, int] | None:
    last = None
    for match in _compiled(pattern).finditer(searched):
        group = match[1]
        core = (group or "").strip(AROUND)
        if len(core) == 1 and (core in labels or (core == group and core.isascii() and core.upper() in labels)):
            last = match.span(1)
    return last
