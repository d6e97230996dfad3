"""Labels that begin a reply or stand alone in its last line, as against lists of options that it only repeats."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.cues import AROUND, CLOSE, OPEN, SECOND
from tui_eval.reading.letters.declared_labels import names_another
from tui_eval.reading.letters.denials import dismissed_after
from tui_eval.reading.letters.judged import SIGN, WRONG_WORDS
from tui_eval.reading.letters.marked_up import last_match
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import words_of

_MARKED = re.compile(
    r"(?:^|\n|[;,.] )(?:(?i:option|choice) )?[(\[]?([A-Z])(?:[)\]]|[.:](?= |[A-Z][a-z])| ?[-–—] |[.:]?(?=\n|\Z))"
)
_LINE_LABEL = re.compile(r"(?:(?i:option|choice) )?[(\[]?([A-Z])(?:[)\].:]{1,2}|(?= )|\Z) ?")


@lru_cache(maxsize=26)
def _every_label(n_options: int) -> re.Pattern[str]:
    labels = ascii_uppercase[:n_options]
    between = r"(?: ?[,;/|] ?| )(?:(?:or|and|and/or) )?(?:option )?"
    span = rf"{OPEN}A{CLOSE}(?: ?[-–—] ?| to | through ){OPEN}{labels[-1]}{CLOSE}"
    return re.compile(rf"(?<!\w)(?:{between.join(OPEN + label + CLOSE for label in labels)}|{span})(?!\w)")


def without_lists(text: str, question: LetteredOptions) -> str:
    """The text without the labels all in a row (of two options no list), and without the options repeated in full."""
    if len(question.labels) > 2:
        text = _every_label(len(question.labels)).sub("…", text)
    if not question.texts or text.count("\n") + 1 < len(question.texts) or SIGN.search(text):
        return text
    lines = text.split("\n")
    echoed: dict[str, int] = {}
    for number, line in enumerate(lines):
        start = _LINE_LABEL.match(line)
        at = question.labels.find(start[1]) if start else -1
        if start and 0 <= at < len(question.texts) and words_of(line[start.end() :]) == question.texts[at]:
            echoed.setdefault(question.labels[at], number)
    if len(echoed) < len(question.texts):
        return text
    return "\n".join(line for number, line in enumerate(lines) if number not in echoed.values())


_LEADING = re.compile(
    r"(?:(?i:the )?(?P<name>(?i:option|choice|answer)):? )?(?P<open>[(\[]?)[\"'“‘]?(?P<letter>[A-Z])[\"'”’]?"
    r"(?P<mark>[)\]]|[.:,](?![\w])|\.(?=[A-Z][a-z]{2})|:(?=[A-Z])| ?[-–—:] |(?=\n)|\Z)"
)
_LAST_LINE = re.compile(
    r"(?i)(?:(?:so|thus|therefore|hence|the|my|final|correct|answer|probably|most likely|definitely|certainly|surely|"
    r"clearly),? )*(?:(?P<name>option|choice|answer|letter):? )?"
    rf"{OPEN}(?P<letter>[a-z]){CLOSE}[.!]?{CLOSE}"
)
_TALKS = re.compile(
    r" ?(?:is (?:about|for|a (?:plausible|tempting|distractor)|too|only|partly|true (?:in|for|of|if|only|but))|describes|"
    r"refers|concerns|talks|looks|sounds|would|might|could|may)\b| ?[A-Z]\. [A-Z][a-z]"
)
"""What goes on about an option that a reply names first, and does not pick it; or a name of which it is an initial."""
_SENTENCE = re.compile(r"(?<=[\w)])[.!](?= (?:[A-ZÀ-ÞА-Я\"'(\[=#→]|-[->]))|\n")
_FAR = 80
"""Characters that mark-up may add to an option's text."""
_FEW = 3
"""Words that may be an option's text where the texts are not known."""
_LIST_BEGINS = re.compile(
    r"(?i)\b(?:(?:options|choices)(?: (?:are|again))?:|(?:options|choices|one by one|in turn|step by step)[.:…]*)\s*\Z"
)
PATTERN_OF_NOUN = {"option": "option", "choice": "choice_is", "answer": "answer_colon", "letter": "answer_colon"}
_MARKS = {")": "letter_paren", "]": "letter_paren", ".": "letter_period", ",": "letter_comma"}


def leading(text: str, question: LetteredOptions) -> LetterReading | None:
    """A label that begins the reply as one begins a line of a list, unless it is the first of such a list."""
    start = _LEADING.match(text)
    if not start or start["letter"] not in question.labels or SECOND.match(text, start.end("letter")):
        return None
    if _TALKS.match(text, start.end()) or dismissed_after(text, start.end("letter")):
        return None
    rest = text[start.end() :].strip(AROUND)
    if _begins_a_list(text, start["letter"], question) or (len(rest) == 1 and rest in ascii_uppercase):
        return None
    head = text[: start.end()] + _SENTENCE.split(text[start.end() :])[0]
    if (question.texts or len(head) < len(text)) and _is_set_aside(head, start.end("letter"), start["letter"], question):
        return None
    if names_another(text, start.end("letter"), start["letter"], question) or _is_short_list(text, question):
        return no_letter("ambiguous")
    first, _, other_lines = text.partition("\n")
    last = _LAST_LINE.fullmatch(other_lines.rpartition("\n")[2])
    if last and last["letter"].upper() != start["letter"] and len(first.strip(AROUND)) == 1:
        return no_letter("ambiguous")
    if start["name"]:
        return LetterReading(start["letter"], PATTERN_OF_NOUN[start["name"].lower()], "")
    return LetterReading(start["letter"], "parentheses" if start["open"] else _MARKS.get(start["mark"], "first_char"), "")


_CALLED_WRONG = re.compile(
    rf"(?i)[-–—:=→(,|] ?(?:(?:it is|it['’]s|is|this is|es|est|ist|è|é) )?(?:{WRONG_WORDS})(?![\w-])|[✗✘❌✖☒] ?\Z"
)


def called_wrong(sentence: str) -> bool:
    """Return whether a sentence calls something wrong behind a dash, a colon or a bracket, or crosses it out."""
    return _CALLED_WRONG.search(sentence) is not None or _DOES_NOT_FIT.search(sentence) is not None


_DOES_NOT_FIT = re.compile(
    r"(?i)\b(?:can['’]t be|(?:does|do|did|can|could|would|is)(?: not|n['’]t) (?:fit|apply|work|match|hold|answer|follow|"
    r"make sense|address|"
    r"meant|right|correct|relevant|supported|it)|cannot be|(?:is|are) (?:wrong|incorrect|false|ruled out|out|too|not)|"
    r"goes too far|can be (?:ruled out|excluded|eliminated|discarded)|fails?|contradicts)\b"
)
"""What a sentence says of an option that it sets aside, where the option's text is not known."""


_BEGINS = re.compile(rf"[.:)\]\s]*(?i:option )?{OPEN}([B-HJ-Z]|[AI](?! [a-z]))(?![\w'’])")


def _names_other(words: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether some words begin with another option than that of the letter: its label, or its text behind a comma."""
    begin = _BEGINS.match(words)
    if begin and begin[1] in question.labels and begin[1] != letter:
        return True
    plain_words = f"{words_of(words)} "
    return words.lstrip(")]\"' ").startswith((",", ";", "–", "—", "-")) and any(
        plain_words.startswith(f"{option} ") for option in question.texts if option
    )


def _is_set_aside(sentence: str, start: int, letter: str, question: LetteredOptions) -> bool:
    """Return whether a sentence that begins with a label, which ends at `start`, calls its option wrong in other words."""
    own = question.texts[question.labels.index(letter)] if question.texts else ""
    spaces = (place.start() for place in re.finditer(" ", sentence[: start + len(own) + _FAR]))
    at = next((place for place in spaces if own and words_of(sentence[start:place]) == own), start)
    verdict = _DOES_NOT_FIT.search(sentence, start)
    if verdict and at == start and words_of(sentence[start:]) != own:
        return not _names_other(sentence[start : verdict.start()], letter, question)
    return _CALLED_WRONG.search(sentence, max(at - 1, start)) is not None or dismissed_after(sentence, at)


def _begins_a_list(text: str, letter: str, question: LetteredOptions) -> bool:
    return _is_walk(text, letter) or _lists_all(text, question) or _names_all_in_a_line(text, question)


def _lists_all(text: str, question: LetteredOptions) -> bool:
    """Return whether as many lines as there are options, in whichever order, begin with a label each and go on."""
    starts = map(_LINE_LABEL.match, text.split("\n"))
    return {start[1] for start in starts if start} >= set(question.labels)


def _is_short_list(text: str, question: LetteredOptions) -> bool:
    """Return whether a reply is only lines of a label and its text or a few words: two or more options, and no choice."""
    labels = []
    for line in text.split("\n"):
        start = _LINE_LABEL.match(line)
        if not start or start[1] not in question.labels:
            return False
        words = words_of(line[start.end() :])
        if words not in ("", *question.texts) if question.texts else len(words.split()) > _FEW:
            return False
        labels.append(start[1])
    return len(set(labels)) > 1


_LEADING_SMALL = re.compile(
    r"(?i)[(\[]?([a-z])(?P<mark>[)\].:,]|)(?: -)? ?(?=(?P<because>because|since|as it|obviously|clearly|definitely|"
    r"certainly|of course|"
    r"for sure|final answer|without a doubt|i think|i believe|i guess|is my|it is|probably|most likely)\b|(?P<text>\S))"
)


def leading_small(text: str, question: LetteredOptions) -> LetterReading | None:
    """A small letter that begins a reply, with a reason or the option's own text behind it."""
    start = _LEADING_SMALL.match(text)
    if not start or not text[start.start(1)].islower() or start[1].upper() not in question.labels or "\n" in text:
        return None
    own = question.texts[question.labels.index(start[1].upper())] if question.texts else ""
    has_own_text = own and start["mark"] and words_of(text[start.end() :]).startswith(own)
    spaced = start["mark"] or text[start.end(1) : start.end(1) + 1] == " "
    if not spaced or not (has_own_text or start["because"] or start["mark"] in tuple(")]")):
        return None
    return question.reading(start[1].upper(), _MARKS.get(start["mark"], "first_char"))


def _is_walk(text: str, letter: str) -> bool:
    """Return whether the second label that begins an item is the one after the first; a bare letter may precede a walk."""
    items = _MARKED.finditer(text)
    first, second = next(items, None), next(items, None)
    if not first or not second or first[1] != letter or ord(second[1]) != ord(letter) + 1:
        return False
    bare = text.partition("\n")[0] == letter
    return not bare or second[0].strip() == second[1]


_IN_A_LINE = re.compile(r"(?<![\w'’&+/-])([A-Z])(?=[)\].:]| ?[-–—=|/→:])")


def _names_all_in_a_line(text: str, question: LetteredOptions) -> bool:
    """Return whether the first line goes through all options, of three or more, each label with a mark behind it."""
    labels = _IN_A_LINE.findall(text.partition("\n")[0]) if len(question.labels) > 2 else []
    return "".join(each for each in labels if each in question.labels) == question.labels


def last_line(text: str, question: LetteredOptions) -> LetterReading | None:
    """A label alone in the last line, unless the line above is another label alone."""
    *above, line = text.split("\n")
    last = _LAST_LINE.fullmatch(line)
    if not last:
        return None
    if above and len(previous := above[-1].strip(AROUND)) == 1 and previous.isalnum() and previous != last["letter"]:
        return no_letter("ambiguous")
    if above and goes_on_listing("\n".join(above), last["letter"]):
        return None
    return question.reading(last["letter"].upper(), PATTERN_OF_NOUN[last["name"].lower()] if last["name"] else "end_of_string")


def goes_on_listing(above: str, letter: str) -> bool:
    """Return whether a label alone continues a cut list of options: the next after the last item, or the first of all."""
    item = last_match(_MARKED, above)
    if item is not None and (_CALLED_WRONG.search(above, item.end()) or _DOES_NOT_FIT.search(above, item.end())):
        return False
    return (item is not None and ord(letter) == ord(item[1]) + 1) or (letter == "A" and bool(_LIST_BEGINS.search(above)))
