"""Reading of the option that a reply picked, by the robust rule, that of FormationEval, or a person's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.outcome import CONTRADICTED, SHARED, LetterReading, no_letter


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


def read_literally(text: str, n_options: int) -> LetterReading:
    """Read a letter as the code of FormationEval v0.1 does: by the first of its patterns in the upper-cased reply."""
    for name in ("thinking", "think"):
        text = _without_pairs(text, f"<{name}>", f"</{name}>")
    text = " ".join(_bold(n_options).sub(r"\1", text.upper()).split())
    if not text:
        return no_letter("empty")
    if text[0] in ascii_uppercase[:n_options]:
        return LetterReading(text[0], "first_char", "")
    for name, pattern in _patterns(n_options):
        if match := pattern.search(text):
            return LetterReading(match[1], name, "")
    standalone = _standalone(n_options).findall(text)
    return LetterReading(standalone[-1], "standalone", "") if standalone else no_letter("no_letter")


def _without_pairs(text: str, opening: str, closing: str) -> str:
    """The text without what stands between each opening and the first closing after it; an open end stays."""
    pieces, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        pieces.append(text[at:start])
        at = end + len(closing)
    pieces.append(text[at:])
    return "".join(pieces)


__all__ = ["CONTRADICTED", "EXTRACTIONS", "PATTERNS", "SHARED", "VERSIONS", "LetterReading", "read_letter"]

EXTRACTIONS = ("robust", "formationeval-v0.1")
"""The shipped rules by which a letter can be read: what the reply says, or what the code of FormationEval v0.1 makes of it."""
VERSIONS = {"robust": "3", "formationeval-v0.1": "1"}
"""Of each shipped rule: another version may read another letter from the same reply."""
PATTERNS = "patterns"
"""The rule that a person makes of regular expressions."""


def read_letter(
    text: str | None,
    n_options: int,
    options: Sequence[str] = (),
    rule: str = "robust",
    patterns: Sequence[str] = (),
    fallback: str = "none",
    finished: bool | None = None,
) -> LetterReading:
    """The option that a reply picked among the first `n_options` of A-Z (2 to 26).

    `options` are the option texts in the order in which they were shown, where they are known: a reply may repeat a text
    instead of its letter. `robust` prefers no letter over a wrong one and keeps the case of letters; `formationeval-v0.1`
    gives what that benchmark published, its misreadings included; `patterns` tries these regular expressions, then the rule
    that is named as `fallback`, if any is. `finished`: whether the reply came to its end (None: not known); of a reply that
    was cut, `robust` takes only a letter that is declared. Raises ValueError for another rule.
    """
    if rule == "robust":
        from tui_eval.reading.letters.robust import read_robustly  # compiles some 300 expressions, which no other rule needs

        return read_robustly(text or "", n_options, options, finished)
    if rule == "formationeval-v0.1":
        return read_literally(text or "", n_options)
    if rule != PATTERNS:
        raise ValueError(f"unknown rule {rule!r}; known: {', '.join((*EXTRACTIONS, PATTERNS))}")
    from tui_eval.reading.letters.own import read_by_patterns

    reading = read_by_patterns(text or "", n_options, patterns)
    if reading.letter is None and fallback != "none":
        return read_letter(text, n_options, options, fallback, finished=finished)
    if reading.letter is None and finished is False and reading.reason != "truncated_reasoning":
        return no_letter("truncated")
    return reading
