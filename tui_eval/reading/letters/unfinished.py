"""Replies that break off: a declared letter stands, one that was only mentioned does not, since the sentence may go on."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import AROUND, CLOSE, NAMED, OPEN
from tui_eval.reading.letters.outcome import Question, Reading, no_letter
from tui_eval.reading.letters.plain import words_of
from tui_eval.reading.letters.texts import without_article

MENTIONED = frozenset({"option", "option_text", "option_by_option", "elimination", "standalone", "end_of_string"})
"""Patterns that say nothing where the text breaks off: the sentence may have gone on otherwise."""
TRUNCATED = no_letter("truncated")
_STOP = re.compile(r"[.!?…。！？।)\]}»”\"'’`|>✅☑✔]\s*\Z")
_VERDICT_ENDS = re.compile(
    r"(?i)\b(?:wrong|incorrect|false|out|eliminated|excluded|right|correct|true|best|it|answer|fits?|works?|holds?|fails?|remains?|"
    r"left|falsch|richtig|faux|juste|falso|correcto|sbagliato|corretto)\Z"
)
_HANGS = re.compile(
    r"(?i)(?:[,(\[{–—:/&-]|\b(?:and|or|but|which|that|who|the|an?|of|in|on|at|to|for|with|by|from|is|are|was|were|be|because|"
    r"since|as|than|if|when|while|it['’]s|this|these|its|their|und|oder|aber|der|die|das|ein|eine|ist|weil|et|ou|mais|le|la|les|"
    r"un|une|est|que|y|o|pero|el|los|es|porque|e|ma|il|che|perché))\Z"
)
_TERSE = 60
"""Characters up to which replies often end without a full stop."""
_NAMED_AND_REST = re.compile(rf"{NAMED}{OPEN}(?P<letter>[A-Z]){CLOSE}(?:[.):\]]+| ?[-–—])? ?(?P<rest>[^\n]*)")
_LABEL_AND_REST = re.compile(rf"{NAMED}{OPEN}(?P<letter>[A-Za-z]){CLOSE}[.):\],]{{0,2}}(?: ?[-–—])? ?(?P<rest>[^\n]*)")
_LEADS = frozenset({"first_char", "parentheses", "letter_paren", "letter_period", "letter_comma"})
_SENTENCE_ENDS = re.compile(r"[.!。](?:\s|\Z)")
_REASON = re.compile(r"(?i)\W{0,3}(?:because|since|as|due to|given|,)\b")


def of_cut(reading: Reading, text: str, question: Question) -> Reading:
    """Return the reading as it counts where the reply is known to be cut."""
    if reading.letter is None:
        return reading if reading.reason in ("refusal", "truncated_reasoning") else TRUNCATED
    if reading.pattern in MENTIONED or _may_be_half_a_word(text, reading.letter, question):
        return TRUNCATED
    return TRUNCATED if reading.pattern in _LEADS and _may_be_set_aside(text, reading.letter, question) else reading


def _may_be_half_a_word(text: str, letter: str, question: Question) -> bool:
    """Whether a text of several words ends in what may be the first letter of another option: `It is C|opper`."""
    if len(text.strip(AROUND)) == 1 or not re.search(rf"(?<!\w){letter}\Z", text):
        return False
    others = (option for label, option in zip(question.labels, question.texts, strict=False) if label != letter)
    return any(option.startswith(letter.casefold()) and len(option) > 1 for option in others)


def _may_be_set_aside(text: str, letter: str, question: Question) -> bool:
    """Whether a text breaks off in its first sentence, behind a label and more than its option's text: `B) Copper is`."""
    begin = _LABEL_AND_REST.fullmatch(text)
    if not begin or begin["letter"].upper() != letter or _SENTENCE_ENDS.search(begin["rest"]):
        return False
    own = question.texts[question.labels.index(letter)] if question.texts else ""
    rest = words_of(begin["rest"])
    return rest not in ("", own) and not _REASON.match(begin["rest"])


def breaks_off(text: str, reading: Reading, question: Question) -> bool:
    """Whether a text stops in the middle: in no stop, no label, no verdict, and no option's text; short ones in a word that
    another must follow.
    """
    if _STOP.search(text) or _VERDICT_ENDS.search(text) or re.search(rf"(?<!\w){reading.letter}{CLOSE}\Z", text):
        return False
    own = without_article(question.texts[question.labels.index(reading.letter or "")]) if question.texts else ""
    named = _NAMED_AND_REST.fullmatch(text)
    if named and named["letter"] == reading.letter and reading.pattern == "option":
        rest = without_article(words_of(named["rest"]))
        return not (rest in ("", own) or _REASON.match(named["rest"]))
    if own and (f" {words_of(text)}".endswith(f" {own}") or _begins_with(text, own)):
        return _HANGS.search(text) is not None
    return reading.pattern == "option_text" or len(text) > _TERSE or _HANGS.search(text) is not None


def _begins_with(text: str, own: str) -> bool:
    """Whether a text begins with an option's and goes on with a mark or a reason."""
    head = re.split(r"[,;:–—(]| because | since | as ", text, maxsplit=1)[0]
    return without_article(words_of(head)) == own
