"""Labels that are all a reply says at its beginning or its end: a sentence of its own, in brackets, or behind an arrow."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import CLOSE, NAMED, OPEN, PARTNER, TITLE
from tui_eval.reading.letters.denials import denied, ruled_out
from tui_eval.reading.letters.judged import SIGN
from tui_eval.reading.letters.leading import called_wrong, goes_on_listing
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import ABBREVIATED, words_of
from tui_eval.reading.letters.set_aside import sets_aside
from tui_eval.reading.letters.unsaid import called_wrong_before

_FAR = 200
"""Characters before the end in which the label and the words that lead to it stand."""
_LEADS = (
    r"(?:(?:so|also|daher|somit|folglich|donc|ainsi|por tanto|quindi|portanto|dus|więc|"
    r"thus|therefore|hence|consequently|finally|overall|ergo|the|my|final|correct|right|best|answer|pick|probably|"
    r"most likely|definitely|certainly|surely|clearly|that['’]s|it['’]s|this is|it is),? )*"
)
_LABEL = rf"(?P<letter>[A-Z]){CLOSE}[.!。]?{CLOSE}\Z"
_OWN_SENTENCE = re.compile(rf"(?:[.!?;:…]{CLOSE} |[。！？；：]{CLOSE} ?|\n)(?i:{_LEADS})(?P<noun>{NAMED}){OPEN}{_LABEL}")
_MARKED = re.compile(rf"(?:[—–=→⇒➡|]|(?<= )-|[-=]{{1,2}}>|#) ?{NAMED}{OPEN}{_LABEL}")
_BRACKETED = re.compile(rf"[(\[{{]{{1,2}}{NAMED}(?P<letter>[A-Z])[)\]}}]{{1,2}}[.!。]?{CLOSE}\Z")
_NAMED = re.compile(rf"(?<= )(?:Option|Choice|Answer|Letter|OPTION|CHOICE|ANSWER|LETTER):? {OPEN}{_LABEL}")
_POINTS = re.compile(
    r"(?i)\b(?:see|in|of|than|with|from|by|at|on|like|unlike|versus|vs\.?|to|over|out|for|about|against|as|an?|the|under|per|"
    r"into|between|and|or|nor|but|either|neither|both|not|never|except|called|named|labell?ed|symbol|denoted|rules?|"
    r"eliminates?|excludes?|contradicts?|describes?|resembles?|confuses?|picks? up)[ ,]*\Z"
)
"""Words after which a label is only spoken of."""
_NOUNS = ("answer", "choice", "letter", "option")
_LAST_WORD = re.compile(r"(\w+)\W*\Z")
_LABEL_BEFORE = re.compile(rf"(?:^|[\n.!?:;,] ?){NAMED}{OPEN}[A-Z]{CLOSE}[.:;,]? ?\Z")
_ANY_LABEL_BEFORE = re.compile(r"(?:^|[\s(\[\"'])[A-Z][)\].:\"']{0,2} ?\Z")
_INITIAL = re.compile(
    r"(?:(?:^|[^\w.!?] ?)(?!(?:Option|Choice|Answer|Letter|Statement)\b)[A-Z]\w+ (?:[A-Z]\. ?){0,3}|^)[A-Z]\Z"
)
"""The end of a name with an initial, before its full stop."""


def closing(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the label in which a reply ends; None where it may be a name or a symbol, or is only spoken of."""
    start = max(0, len(text) - _FAR)
    ending = _MARKED.search(text, start) or _OWN_SENTENCE.search(text, start) or _tied(text, start, question)
    if not ending or ending["letter"] not in question.labels:
        return None
    at, above = ending.start("letter"), text[: ending.start()]
    before = text[max(0, at - 60) : at]
    abbreviated = text[ending.start()] == "." and (ABBREVIATED.search(above[-12:]) or _INITIAL.search(above[-60:]))
    title = ending.re is not _OWN_SENTENCE and TITLE.search(before)
    listed = (_LABEL_BEFORE if ending.re is _OWN_SENTENCE else _ANY_LABEL_BEFORE).search(above)
    if not above.strip() or abbreviated or title or listed:
        return None
    if PARTNER.search(before):
        return no_letter("ambiguous")
    if denied(text, at) or (ending.re is not _MARKED and goes_on_listing(above, ending["letter"])):
        return None
    return LetterReading(ending["letter"], "end_of_string", "")


_ALONE = re.compile(
    rf"(?:(?<=[.!?:;…)] )|(?<=[。！？；：])|(?<![^\n]))(?:(?:[—–=→⇒➡.:]|[-=]{{1,2}}>|#{{1,6}}) ?)?(?i:{_LEADS})"
    rf"{NAMED}{OPEN}(?P<letter>[A-Z]){CLOSE}(?:[.!。]{CLOSE}(?= (?![A-Z]\.)|\n|\Z)|(?=\n|\Z)"
    r"|(?=,? (?:because|since|as the|weil|denn|da die|porque|ya que|car|parce que|perché|ponieważ|потому)\b"
    r"|[,，]?(?:因为|因為)))"
)


_ITEM = re.compile(
    rf"(?:(?<=[.!?:;…)] )|(?<=[。！？；：])|(?<![^\n]))(?i:{_LEADS}){NAMED}{OPEN}(?P<letter>[A-Z])"
    rf"(?:{CLOSE}(?:[):\]]{{1,2}} ?|\. |, | ?[-–—] ?| ?(?=[(\[\"“])))(?P<text>\S[^\n]*)"
)


_ITEM_BEGINS = re.compile(r"[A-Z]\. \S")


def alone(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the only label that is a whole line or sentence of a reply, or that has its option's text behind it there."""
    last = None
    for place in sorted([*_ALONE.finditer(text), *_items(text, question)], key=lambda each: each.start()):
        above = text[max(0, place.start() - 80) : place.start()]
        if called_wrong_before(text, place.start("letter")):
            continue
        if place["letter"] not in question.labels or ABBREVIATED.search(above[-14:].rstrip(". ")):
            continue
        if place.re is _ALONE and _begins_an_item(place, text, question):
            continue
        if _LABEL_BEFORE.search(above.rpartition("\n")[2]) or goes_on_listing(text[: place.start()], place["letter"]):
            return None
        if last is not None and last != place["letter"]:
            return no_letter("ambiguous")
        last = place["letter"]
    return LetterReading(last, "standalone", "") if last else None


def _begins_an_item(place: re.Match[str], text: str, question: LetteredOptions) -> bool:
    """Return whether a label with a full stop has its option's text behind it, or part of it, or begins a line that goes on."""
    rest = text[place.end() : place.end() + 400].partition("\n")[0]
    if not _ITEM_BEGINS.match(place[0] + rest):
        return False
    own, words = question.texts[question.labels.index(place["letter"])] if question.texts else "", words_of(rest)
    begins_line = text[: place.start()].endswith("\n") or not place.start()
    return begins_line or bool(own and words and (own.startswith(words) or f"{words} ".startswith(f"{own} ")))


def _items(text: str, question: LetteredOptions) -> list[re.Match[str]]:
    """Match the ends of lines that are a label and its option's text; of unknown texts a last line that no other is like."""
    items, item = [], _ITEM.search(text)
    while item:
        items += [item] if item["letter"] in question.labels else []
        item = _ITEM.search(text, item.start("text"))
    if question.texts:
        own = [each for each in items if words_of(each["text"]) == question.texts[question.labels.index(each["letter"])]]
        own = [each for each in own if not SIGN.search(each[0])]
        listed = {each["letter"] for each in items if each in own or not called_wrong(each[0])}
        return own if len(listed) == 1 else [each for each in own if each.end() == len(text)]
    last = items if len(items) == 1 and items[0].end() == len(text) and text[items[0].start() - 1] == "\n" else []
    return [each for each in last if not (called_wrong(each[0]) or sets_aside(f" {words_of(each['text'])} "))]


_OPENING = re.compile(
    rf"(?P<mark>(?:[—–=→⇒➡]|[-=]{{1,2}}>|#{{1,6}}) ?)?(?i:(?P<leads>{_LEADS}))(?P<noun>{NAMED}){OPEN}(?P<letter>[A-Z]){CLOSE}"
    rf"(?:[.!。]{CLOSE}(?= |\n|\Z)|(?=\n|\Z))"
)


def opening(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the label that is all the first sentence or line says; `Thus B.` and `=> B` as well as `Letter B`."""
    start = _OPENING.match(text)
    if not start or start["letter"] not in question.labels or not (start["mark"] or start["leads"] or start["noun"]):
        return None
    if ABBREVIATED.search(text[max(0, start.start("letter") - 12) : start.start("letter")]):
        return None
    last = closing(text, question)
    if last and last.letter != start["letter"]:
        return no_letter("ambiguous")
    return LetterReading(start["letter"], "first_char", "")


_CONSIDERS = re.compile(
    r"(?i)\b(?:consider(?:ing)?|look(?:ing)? at|examin(?:e|ing)|evaluat(?:e|ing)|check(?:ing)?|test(?:ing)?|(?:start|"
    r"begin)(?:ing)? with|"
    r"turn(?:ing)? to|betrachte\w*|prüfe\w*|schauen|nehmen wir|veamos|consideremos|vejamos|analisemos|voyons|considérons|"
    r"examinons|"
    r"vediamo|consideriamo|esaminiamo|bekijk\w*|rozważmy|spójrzmy|рассмотрим|рассматривая)\b[^.!?\n]*\Z"
)
"""A sentence that only turns to an option."""


def _tied(text: str, start: int, question: LetteredOptions) -> re.Match[str] | None:
    """Match a label in brackets or after `Option` that a sentence ends in, unless the sentence speaks of it."""
    ending = _BRACKETED.search(text, start) or _NAMED.search(text, start)
    before = text[start : ending.start()] if ending else ""
    if not ending or _POINTS.search(before) or _CONSIDERS.search(before):
        return None
    return None if is_symbol(text[: ending.start()], ending["letter"], question) else ending


def is_symbol(above: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether a letter abbreviates the word before it, as in `carbon (C)`, not its option's text, or ends a text."""
    text = f" {words_of(above)} {letter.casefold()}"
    if any(option.endswith(f" {letter.casefold()}") and text.endswith(f" {option}") for option in question.texts):
        return True
    word = _LAST_WORD.search(above)
    if not word or not word[1].casefold().startswith(letter.casefold()) or word[1].casefold() in _NOUNS:
        return False
    own = question.texts[question.labels.index(letter)] if question.texts and letter in question.labels else ""
    return not own or not words_of(above).endswith(own)


def labels_in_play(text: str, question: LetteredOptions) -> set[str]:
    """Return the labels that a text names and does not rule out."""
    out, groups = ruled_out(text)
    symbols = {word.upper() for option in question.texts for word in option.split() if len(word) == 1}
    labels = {sign for group in groups for sign in re.findall(r"(?<!\w)[A-Z](?!\w)", group[0])}
    return (labels & set(question.labels)) - out - symbols
