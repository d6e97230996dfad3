"""Options named by where they stand: `the second option`, or `option 2`, is option B."""

from __future__ import annotations

import re

from tui_eval.reading.letters.outcome import Question

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(
    rf"\b(?:(?:the )?(?P<place>{'|'.join(_ORDINALS)}|last) (?:(?:answer|listed|given) )?(?:option|alternative)(?![\w-])"
    r"|option (?:no\. ?|number |#)?(?P<number>[1-9][0-9]?)(?![\w.,-]?[0-9a-z%]))",
    re.IGNORECASE,
)


def by_letter(text: str, question: Question) -> str:
    """The text with the label in place of an option's position; as it is where an option's own text speaks of positions."""
    if "option" not in (lower := text.lower()) and "alternative" not in lower:
        return text
    if any(word in option.split() for option in question.texts for word in (*_ORDINALS, "last", "option", "options")):
        return text

    def labelled(found: re.Match[str]) -> str:
        place = (found["place"] or "").lower()
        at = int(found["number"]) - 1 if not place else len(question.labels) - 1 if place == "last" else _ORDINALS.index(place)
        return f"option {question.labels[at]}" if at < len(question.labels) else found[0]

    return _PLACE.sub(labelled, text)
