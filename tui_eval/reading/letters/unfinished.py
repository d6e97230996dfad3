"""Replies that break off: a declared letter stands, one that was only mentioned does not, since the sentence may go on."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import AROUND, CLOSE, NAMED, OPEN, VERDICT
from tui_eval.reading.letters.languages import ANSWERS, OPTIONS, SMALL, word_set
from tui_eval.reading.letters.marked_up import last_match
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import words_of
from tui_eval.reading.letters.texts import without_article

MENTIONED = frozenset({"option", "option_text", "option_by_option", "elimination", "standalone", "end_of_string"})
"""Patterns that say nothing where the text breaks off: the sentence may have gone on otherwise."""
DECLARED = word_set("correct_answer answer_is answer_colon choice_is choose select go_with boxed json")
"""Patterns of letters that words or mark-up of their own declare."""
TRUNCATED = no_letter("truncated")
_STOP = re.compile(r"[.!?…。！？।)\]}`|>✅☑✔]\s*\Z")
_QUOTED_END = re.compile(r"[»”\"'’」』]\s*\Z")
_LEADS_TO_QUOTE = re.compile(
    r"(?i)(?:[:=,]|\b(?:is|be|it['’]s|as|say|choose|pick|answer|option|therefore|thus|so|ist|lautet|es|est|è|é|"
    r"это)) ?[„“«\"'‘「『][^„“«\"'‘「『]*\Z|\A\W*[„“«\"'‘「『]"
)
_VERDICT_ENDS = re.compile(
    r"(?i)\b(?:wrong|incorrect|false|(?:ruled|is|are) out|eliminated|excluded|right|correct|true|best|"
    r"(?:is|be|['’]s) it|(?:is|be|"
    r"seems) (?:the |my )?(?:\w+ )?answer|fits?|works?|holds?|fails?|remains?|"
    r"left|falsch|richtig|faux|juste|falso|correcto|sbagliato|corretto)\Z"
)
_HANGS = re.compile(
    r"(?i)(?:[,(\[{–—:/&-]|\b(?:not|too|meant|nicht|pas|and|or|but|which|that|who|the|an?|of|in|on|at|to|for|with|by|from|is|are|"
    r"was|were|be|because|"
    r"since|as|than|if|when|while|it['’]s|this|these|its|their|und|oder|aber|der|die|das|ein|eine|ist|weil|et|ou|mais|le|la|"
    r"les|"
    r"un|une|est|que|y|o|pero|el|los|es|porque|e|ma|il|che|perché))\Z"
)
_FAR = 300
"""Characters of the end of a text in which an option's words are looked for."""
_NAMED_AND_REST = re.compile(rf"{NAMED}{OPEN}(?P<letter>[A-Z]){CLOSE}(?:[.):\]]+| ?[-–—])? ?(?P<rest>[^\n]*)")
_LABEL_AND_REST = re.compile(rf"{NAMED}{OPEN}(?P<letter>[A-Za-z]){CLOSE}[.):\],]{{0,2}}(?: ?[-–—])? ?(?P<rest>[^\n]*)")
LEADS = frozenset({"first_char", "parentheses", "letter_paren", "letter_period", "letter_comma"})
"""Patterns of labels that begin a reply."""
_SENTENCE_ENDS = re.compile(r"[.!。](?:\s|\Z)")
_REASON = re.compile(
    r"(?i)\W{0,3}(?:because|since|as|due to|given|for (?:sure|certain)|of course|definitely|certainly|clearly|obviously)\b"
)


def _ends_in_verdict(text: str) -> bool:
    """Return whether a text breaks off where it calls a letter the answer, which may go on.

    For example `B is the answer to another question`, `B would be right only if`.
    """
    tail = text[-_NEAR:]
    verdict = last_match(VERDICT, tail)
    if verdict is None:
        return False
    rest = tail[verdict.end() :]
    return (verdict["answer"] is not None and not rest) or ("would be" in verdict[0] and not _SENTENCE_ENDS.search(rest))


_NEAR = 80
"""Characters of the end of a text in which a verdict is looked for."""


_AS_ROW = re.compile(
    r"(?i)[(\[]?[a-z][)\].:]+ [^\n]+\n\s*(?:(?:no|not|wrong|incorrect|false|nicht|falsch|non|pas|falso|"
    r"incorrect[ao])\b|\S{1,3}\Z)"
)


def begins_as_row(text: str) -> bool:
    """Return whether a text begins as the first row of a list does, which goes on with a verdict below the option."""
    return _AS_ROW.match(text) is not None


def begins_as_item(text: str) -> bool:
    """Return whether a text begins as the first of options that are gone through: `Option A: Toyota. This`."""
    return _AS_ITEM.match(text) is not None


def of_cut(reading: LetterReading, text: str, question: LetteredOptions) -> LetterReading:
    """Return the reading as it counts where the reply is known to be cut."""
    if reading.letter is None:
        return reading if reading.reason in ("refusal", "truncated_reasoning") else TRUNCATED
    if (
        (reading.pattern == "option" and begins_as_item(text))
        or _UNVERBED.search(text)
        or _ends_in_verdict(text)
        or _only_named(text, reading.letter)
        or _may_be_half_a_text(text, reading.letter, question)
        or may_be_denied(text)
    ):
        return TRUNCATED
    return TRUNCATED if reading.pattern in LEADS and _may_be_set_aside(text, reading.letter, question) else reading


_AS_ITEM = re.compile(rf"(?:[-•*] )?[^\W\d_]{{3,12}} {OPEN}[A-Z]{CLOSE}[:.)]")
_LAST_ITEM = re.compile(rf"\n(?:[-•*] )?{NAMED}{OPEN}(?P<letter>[A-Z]){CLOSE}[:.)][^\n]*\w\s?(?:\.{{3,}}|…)\Z")


def stops_in_an_item(text: str, letter: str) -> bool:
    """Return whether a text ends within an item of a list, in the dots of who cut it: `Option A: "Iron is a metal that...`."""
    item = _LAST_ITEM.search(text)
    return item is not None and item["letter"] == letter


_UNVERBED = re.compile(r"(?:答え|正解|回答|정답|답)\s?[はが은는]\s?[(\[\"']?[A-Z]\Z")
"""Where Japanese and Korean break off before the verb, which may deny."""
_FRAGMENT = re.compile(r"(?<=\w )[(\[\"'“„«‘「]{0,2}[^\W\dA-Z_]\Z")


def without_fragment(text: str) -> str:
    """Return a cut text without a last small letter, which may be the first of a word."""
    rest = _FRAGMENT.sub("", text).rstrip()
    return rest if len(rest.strip(AROUND)) > 1 and text[-1:].isalpha() and text[-1:].islower() else text


_LAST_SENTENCE = re.compile(
    r"(?s)(?P<whole>.*(?:(?:(?<![A-Z])|(?<=[^\n.!?…] [A-Z])|(?<=[^\x00-\x7f][A-Z])|(?<=[:=][A-Z]))[.!?…]"
    r"(?:[)\]\"'”’»]{0,2}) |(?<=[A-Za-z])[.]\n|[。！？]|\n))"
    r"(?P<last>(?![a-zà-ÿ]).+)"
)
_STOPS = re.compile(r"(?<!\n[A-Z])[.!?。！？][)\]\"'”’»]{0,2}\Z")


def without_last_sentence(text: str) -> tuple[str, str]:
    """Return a cut text up to its last sentence that has no stop, and that sentence; no text where it has but that one."""
    parts = None if _STOPS.search(text) else _LAST_SENTENCE.fullmatch(text)
    return (parts["whole"].rstrip(), parts["last"]) if parts else ("", text)


_HOLDS_SO_FAR = re.compile(
    r"(?i)\b(?:stimmt|passt|zutrifft|fits|works|holds|matches|convient|encaja|serve|va bene|подходит)(?: (?!best\b)\w+)?\W*\Z"
)


def may_be_denied(text: str) -> bool:
    """Return whether a text breaks off behind a verb that a denial may follow, as in `C passt`."""
    return _HOLDS_SO_FAR.search(text) is not None and not _SENTENCE_ENDS.search(text[-2:])


_NAMES = re.compile(rf"(?P<word>\S{{1,30}}) {OPEN}(?P<letter>[A-Z]){CLOSE}[:.,]?\Z")
_NAMING = (
    ANSWERS
    | OPTIONS
    | SMALL
    | word_set("option choice answer letter statement so thus therefore hence then final correct right best clearly probably")
)


def _only_named(text: str, letter: str) -> bool:
    """Return whether a text breaks off in a label that is named, and nothing said of it yet: `Choice C`, `So B`."""
    match = _NAMES.search(text)
    return match is not None and match["letter"] == letter and match["word"].casefold() in _NAMING


_POINT = re.compile(r"(?<=\d)[.,]\Z")
"""A stop that may be a decimal point."""


def _may_be_half_a_text(text: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether a text of several words ends in what may be the beginning of another option: `It is C|opper`."""
    text = _POINT.sub("", text)
    if len(text.strip(AROUND)) == 1 or not text[-1:].isalnum():
        return False
    other_texts = (option for label, option in zip(question.labels, question.texts, strict=False) if label != letter)
    words = f" {words_of(text[-_FAR:])}"
    return any(
        words.endswith(f" {option[:length]}")
        for option in other_texts
        for length in range(1, min(len(option), len(words)))
        if length > 1 or text.endswith(option[0].upper())
    )


def _may_be_set_aside(text: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether a text breaks off in its first sentence, behind a label and more than its text: `B) Copper is`."""
    begin = _LABEL_AND_REST.fullmatch(text)
    if not begin or begin["letter"].upper() != letter or _SENTENCE_ENDS.search(begin["rest"]):
        return False
    own = question.texts[question.labels.index(letter)] if question.texts else ""
    rest = words_of(begin["rest"])
    return rest not in ("", own) and not _REASON.match(begin["rest"])


_LISTED = re.compile(r"(?:(?i:option) )?[(\[]?[A-Z](?:[)\].:]| ?[-=]{1,2}>| [-–—(])")


_WALKS = re.compile(
    r"(?i)[^\n]{0,200}\b(?:analy[sz]e|examine|evaluate|consider|look(?:ing)? at|"
    r"go(?:ing)? (?:through|over)|walk through|review|"
    r"check|break down|assess|discuss)\b[^\n]{0,60}\b(?:options?|choices?|answers?|statements?|"
    r"alternatives?|one by one|each|them)\b"
    r"[^\n]{0,40}(?P<mark>[:.…])\n(?:\d{1,2}[.)] )?(?:Option |Choice )?[(\[]?(?P<letter>[A-Z])(?:[)\].:]{1,2}| [-–—(]|(?= ))"
    r"(?P<rest>[^\n]+)"
)


def begins_a_walk(text: str, question: LetteredOptions) -> bool:
    """Return whether a text that goes through the options breaks off at the first: `Let us check each option: A) Tin is`."""
    walk = _WALKS.fullmatch(text)
    if walk is None or walk["letter"] not in question.labels:
        return False
    own = question.texts[question.labels.index(walk["letter"])] if question.texts else ""
    if words_of(walk["rest"]) in ("", own):
        return walk["mark"] == ":" and bool(own)
    return not _STOP.search(text)


def stops_in_the_middle(text: str) -> bool:
    """Return whether the last of several sentences stops in a word that another must follow, or before what may deny it."""
    whole, last = without_last_sentence(text)
    listed = _LISTED.match(last) or re.search(r"(?<!\w)[A-Z]\Z", last)
    return bool(whole) and not listed and (_HANGS.search(last) is not None or may_be_denied(last))


def breaks_off(text: str, reading: LetterReading, question: LetteredOptions) -> bool:
    """Return whether a text stops in the middle: in no stop, no label, no verdict, and no option's text.

    Short ones do so only in a word that another must follow.
    """
    if _STOP.search(text) or _VERDICT_ENDS.search(text) or re.search(rf"(?<!\w){reading.letter}{CLOSE}\Z", text):
        return False
    if _QUOTED_END.search(text):
        return _LEADS_TO_QUOTE.search(text) is None
    own = without_article(question.texts[question.labels.index(reading.letter or "")]) if question.texts else ""
    match = _NAMED_AND_REST.fullmatch(text)
    if match and match["letter"] == reading.letter:
        rest = without_article(words_of(match["rest"]))
        return not (rest in ("", own) or _REASON.match(match["rest"]))
    if own and (f" {words_of(text)}".endswith(f" {own}") or _begins_with(text, own)):
        return _HANGS.search(text) is not None
    return True


def _begins_with(text: str, own: str) -> bool:
    """Return whether a text begins with an option's and goes on with a mark or a reason."""
    head = re.split(r"[,;:–—(]| because | since | as ", text, maxsplit=1)[0]
    return without_article(words_of(head)) == own
