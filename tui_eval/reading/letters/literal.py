"""The letter that the code of FormationEval v0.1 reads out of a reply, its misreadings included."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.outcome import Reading, no_letter


@lru_cache(maxsize=26)
def _patterns(n_options: int) -> tuple[tuple[str, re.Pattern[str]], ...]:
    label = f"([{ascii_uppercase[:n_options]}])"
    # White space has been collapsed before, so ` ` is every run of it; the benchmark's pattern for a letter at the start
    # never fires, as its test of the first character comes earlier.
    patterns = {
        "correct_answer": rf"CORRECT ANSWER[: ]+{label}",
        "answer_is": rf"ANSWER IS[: ]+{label}",
        "answer_colon": rf"ANSWER[: ]+{label}",
        "choose": rf"CHOOSE {label}",
        "choice_is": rf"CHOICE IS[: ]+{label}",
        "option": rf"OPTION {label}",
        "select": rf"SELECT {label}",
        "go_with": rf"GO WITH {label}",
        "parentheses": rf"\({label}\)",
        "letter_paren": rf"\b{label}\)",
        "letter_period": rf"\b{label}\.",
        "letter_comma": rf"\b{label},",
        "end_of_string": rf"\b{label}\Z",
        "is_x": rf"\bIS {label}\b",
    }
    return tuple((name, re.compile(pattern)) for name, pattern in patterns.items())


@lru_cache(maxsize=26)
def _bold(n_options: int) -> re.Pattern[str]:
    # Only the first asterisk of a run may start a match: a later one fails where the first did, and costs time.
    return re.compile(rf"(?<!\*)\*++([{ascii_uppercase[:n_options]}])\*++")


@lru_cache(maxsize=26)
def _standalone(n_options: int) -> re.Pattern[str]:
    return re.compile(rf"\b([{ascii_uppercase[:n_options]}])\b")


def read_literally(text: str, n_options: int) -> Reading:
    """What the code of FormationEval v0.1 reads: the first of its patterns that occurs in the upper-cased reply."""
    for name in ("thinking", "think"):
        text = _without_pairs(text, f"<{name}>", f"</{name}>")
    text = " ".join(_bold(n_options).sub(r"\1", text.upper()).split())
    if not text:
        return no_letter("empty")
    if text[0] in ascii_uppercase[:n_options]:
        return Reading(text[0], "first_char", "")
    for name, pattern in _patterns(n_options):
        if match := pattern.search(text):
            return Reading(match[1], name, "")
    standalone = _standalone(n_options).findall(text)
    return Reading(standalone[-1], "standalone", "") if standalone else no_letter("no_letter")


def _without_pairs(text: str, opening: str, closing: str) -> str:
    """The text without what stands between each opening and the first closing after it; an open end stays."""
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
    kept.append(text[at:])
    return "".join(kept)
