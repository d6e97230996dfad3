"""Labels that are declared in other languages than English, by the words on either side of them."""

from __future__ import annotations

import re
from itertools import islice

from tui_eval.reading.letters.cues import LIST_OPENS
from tui_eval.reading.letters.denials import supposed
from tui_eval.reading.letters.found import Found, is_word, letter_of
from tui_eval.reading.letters.languages import JOINS, declares_after, declares_before, denied_behind, ends_at, says_is
from tui_eval.reading.letters.outcome import Question

_LABEL = re.compile(
    r"(?<!\d °)(?<![0-9A-Za-z_\u00c0-\u024f\u0370-\u052f'’°&+/.-])([A-Z])"
    r"(?![0-9A-Za-z_\u00c0-\u024f\u0370-\u052f#^°%@])(?!['’][aeiouhéèêàâîôœ])()"
)
_PARTNER = re.compile(rf"(?<![\w'’])[A-Z][)\]\"'”’]?(?: ?[/&,] ?|,? (?:{JOINS}) |\s?[或和与與及、とか]\s?)[(\[\"'“‘]?\Z")
_OTHER_ITEM = re.compile(r"\A[(\[]?[A-Z][)\].:] ?\S(?!.*[.!?。] )")
"""The beginning of a line that speaks of another option, and has not ended its sentence."""
_MOST = 400
"""Labels looked at in one reply: what is declared stands among the last, but a list of so many is none."""


def by_words_of_languages(text: str, question: Question) -> list[Found]:
    """Each label that words of other languages declare to be the answer; several that are only called options are a list."""
    found = []
    for label in islice(_LABEL.finditer(text), _MOST):
        if (pattern := _pattern_at(text, label)) and not is_word(text, label, question):
            if pattern == "option" and LIST_OPENS.search(text, max(0, label.start() - 60), label.start()):
                continue
            partner = _PARTNER.search(text, max(0, label.start() - 12), label.start())
            found.append(Found(label.end(), None if partner else letter_of(text, label), pattern))
    named = {each.letter for each in found if each.pattern == "option"}
    return [each for each in found if len(named) < 2 or each.pattern != "option"]


def _pattern_at(text: str, label: re.Match[str]) -> str:
    if denied_behind(text, label.end()) or supposed(text, label.start(), label.end()):
        return ""
    if _OTHER_ITEM.search(text[: label.start()].rpartition("\n")[2]):
        return ""
    suffixed, ends = says_is(text, label.end()), ends_at(text, label.end())
    pattern = declares_before(text, label.start(), ends or suffixed, suffixed)
    return pattern or ("correct_answer" if declares_after(text, label.start(), label.end()) else "")
