"""The only label that a short reply names, where it stands as labels do, and options whose text is itself a letter."""

from __future__ import annotations

import re

from tui_eval.reading.letters.closing import is_symbol
from tui_eval.reading.letters.cues import AROUND, CLOSE, DISMISSED, LIST_OPENS, NAMED, OPEN, SECOND, STANDALONE, TITLE
from tui_eval.reading.letters.denials import denied, supposed
from tui_eval.reading.letters.leading import called_wrong
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import words_of
from tui_eval.reading.letters.set_aside import sets_aside

_PAIR = re.compile(
    r"(?<![\w'’&/])(?:[(\[{\"']{1,2}(?=[A-Z][)\]}\"']))?(?P<label>[A-Z])(?:[\"'”’](?=:))?"
    r"(?:[)\]}.:\"']{0,3} ?[-–—=:]|[)\]}.:]{1,2}|,| ?(?=[(\[])|"
    r" is) ?[(\[\"'“‘]?(?P<text>\w)[)\]\"'”’]?(?![\w'’])"
)


def without_own_letters(text: str, question: LetteredOptions) -> str:
    """Return the text with `C` in place of `C) D`, `C: D` or `C (D)` where D is the whole text of option C."""
    if not any(len(option) == 1 and option.isascii() for option in question.texts):
        return text
    return _PAIR.sub(lambda pair: pair["label"] if _is_own(pair, question) else pair[0], text)


def is_shared(text: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether a label that stands in a text without its own text behind it is the text of another option."""
    other_texts = (option for label, option in zip(question.labels, question.texts, strict=False) if label != letter)
    if letter.casefold() not in other_texts:
        return False
    return not any(pair["label"] == letter and _is_own(pair, question) for pair in _PAIR.finditer(text))


def _is_own(pair: re.Match[str], question: LetteredOptions) -> bool:
    at = question.labels.find(pair["label"])
    return 0 <= at < len(question.texts) and question.texts[at] == pair["text"].casefold()


_SHORT = 300
TERSE = 60
"""Characters up to which replies often end without a full stop."""
_INTRODUCED = re.compile(
    rf"(?i:(?:^|[^\w])(?:only|is|be|say|think|believe|probably|likely|maybe|definitely|clearly|it['’]s)[:,]? )"
    rf"{OPEN}\Z"
)
_BEHIND_INTRODUCED = re.compile(
    rf"{CLOSE} (?:(?:best )?(?:describes|fits|matches|captures|explains|answers|works|holds)|is left|remains)\b"
)
_OPENS = re.compile(rf"(?:^|[\n:;,—–…]|[.!?] | - ) ?(?i:(?:so|thus|therefore|hence),? )?{NAMED}{OPEN}\Z")
_GOES_ON = re.compile(
    rf"{CLOSE}(?:[.,;!](?!\w)|\n|\Z| (?:because|since|as|due|given|based|fits|matches|for (?:sure|certain)|definitely|"
    rf"obviously|[-–—])(?!\w))"
)
REFUSAL = re.compile(
    r"(?i)\b(?:can(?:not|['’]t| not)|unable to|not able to|won['’]t|will not)(?: \w+){0,2} "
    r"(?:answer|assist|help|provide|determine|choose|comply)\b"
    r"|\bas an ai\b|\bI(?:['’]m| am) sorry\b|\bI (?:do not|don['’]t) know\b|\b(?:lo siento|es tut mir leid|je suis désolé)"
)
"""Words by which a reply declines to answer."""


def names_option(before: str) -> bool:
    """Return whether the words in front of a label call it an option."""
    return before.lower().rstrip("([\"'“ ").endswith("option")


def only_letter(text: str, question: LetteredOptions) -> LetterReading | None:
    """The only label that a reply of some sentences names, if it stands where a label would and is not dismissed."""
    if len(text) > 2 * _SHORT:
        return None
    labels = [each for each in STANDALONE.finditer(text) if each[1] in question.labels]
    if len({each[1] for each in labels}) > 1 or any(SECOND.match(text, each.end()) for each in labels):
        return no_letter("ambiguous")
    if REFUSAL.search(text) or any(_dismissed(text, each, question) for each in labels):
        return None
    for each in reversed(labels):
        before = text[max(0, each.start() - 30) : each.start()]
        ends = not text[each.end() :].strip(AROUND)
        if _in_place(text, each, before, ends, question) and not (
            "(" in before[-1:] and is_symbol(text[: each.start() - 1], each[1], question)
        ):
            return LetterReading(each[1], _place_name(before, ends), "")
    return None


_STOP = re.compile(r"[.;!?\n]")
_ASKS = re.compile(r"(?:\A|[.!?\n] ?)(?:Is|Ist|Are|Est|Does|Could) (?i:it |option |answer )?[(\[\"']?\Z")
"""The beginning of a question, whether or not its mark is there."""
_INITIALS = re.compile(r"\. ?[A-Z]\. ?[A-Z]")


def _dismissed(text: str, label: re.Match[str], question: LetteredOptions) -> bool:
    is_question = text.startswith("?", label.end())
    titled = TITLE.search(text, max(0, label.start() - 12), label.start())
    asks = _ASKS.search(text, max(0, label.start() - 12), label.start())
    return (
        is_question
        or asks is not None
        or titled is not None
        or LIST_OPENS.search(text, max(0, label.start() - 60), label.start()) is not None
        or _INITIALS.match(text, label.end()) is not None
        or denied(text, label.start())
        or supposed(text, max(0, label.start() - 40), label.end())
        or DISMISSED.match(text, label.end()) is not None
        or _called_wrong(text, label, question)
    )


def _called_wrong(text: str, label: re.Match[str], question: LetteredOptions) -> bool:
    """Return whether the words behind a label call it wrong; those of a next sentence only if it begins with its text."""
    rest = text[label.end() : label.end() + 600].lstrip(")]:")
    own = question.texts[question.labels.index(label[1])] if question.texts else ""
    if rest.startswith(".") and own and f"{words_of(rest)} ".startswith(f"{own} "):
        rest = rest[1:]
    return called_wrong(_STOP.split(rest)[0])


def _in_place(text: str, label: re.Match[str], before: str, ends: bool, question: LetteredOptions) -> bool:
    """Return whether a letter stands where labels do: after a word that leads to one, alone, or in brackets at the end."""
    introduced = _INTRODUCED.search(before) and (ends or _BEHIND_INTRODUCED.match(text, label.end()))
    if introduced or _is_subject(text, label, question) or (ends and "(" in before[-2:] and label.end() < len(text)):
        return True
    # The last character of a longer text may be the first of a sentence that was cut off.
    cut_off = not text[label.end() :].strip(")]:") and len(text) > TERSE
    return bool(not cut_off and _OPENS.search(before) and _GOES_ON.match(text, label.end()))


_SUBJECT = re.compile(
    rf"{OPEN}[A-Z]{CLOSE} (?:is what|(?!(?:says|states|indicates|suggests|claims|mentions|implies|refers|describes|means|talks|"
    r"concerns|involves|includes|looks|sounds|seems|appears|reads|was|is|has|does|as|this|its|class|plus|versus)\b)"
    r"[a-z]{2,}(?:[^s\W]s|[sxz]es)(?! (?:are|were|is|was|have|has|do|can|will|in|of)\b))\b[^.!?\n]{0,200}[.!]?\Z"
)


def _is_subject(text: str, label: re.Match[str], question: LetteredOptions) -> bool:
    """Return whether a reply is one sentence about what its first label does and no more, as in `C protects the steel.`."""
    if text[: label.start()].strip("([{\"'“‘«<") or not _SUBJECT.fullmatch(text):
        return False
    words = words_of(text[label.end() :])
    return _speaks_of_own(words, label[1], question) and not sets_aside(f" {words} ")


_SAME, _WORD = 5, 4
"""By how many letters words begin alike that are one word, and of how many letters a word must be to tell anything."""


def _speaks_of_own(words: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether half of what is said are words of the option's text; where no texts are known, anything may be."""
    if not question.texts:
        return True
    begins = [word[:_SAME] for word in words.split() if len(word) >= _WORD]
    own = {word[:_SAME] for word in question.texts[question.labels.index(letter)].split()}
    return 2 * sum(begin in own for begin in begins) >= len(begins) > 0


def _place_name(before: str, ends: bool) -> str:
    if names_option(before):
        return "option"
    return "end_of_string" if ends else "standalone"
