"""Labels that are declared by what they are set against, or by what is made of them: `not A but B`, `this makes B right`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_eval.reading.letters.cues import CLOSE, NAMED, OPEN, PARTNER
from tui_eval.reading.letters.denials import denied
from tui_eval.reading.letters.found import Found
from tui_eval.reading.letters.outcome import Question, Reading, no_letter
from tui_eval.reading.letters.small import small

_ARTICLES = r"(?:(?:the|la|el|le|il|lo|a|o|die|der|das|option|opción|opção|opzione|answer|letra|alternativa|bei) ){0,4}"
_NOT_BUT = re.compile(
    rf"(?i:\b(?:not|nicht|no|pas|non|não|niet|nie|не)(?: (?:is|es|é|è|est|ist|sería|seria))? {_ARTICLES}){OPEN}[A-Z]{CLOSE},? "
    rf"(?i:but(?: rather)?|rather|sondern|sino(?: que)?|mais(?: plutôt)?|ma|bensì|mas(?: sim)?|e sim|maar|lecz|ale|а) "
    rf"(?i:(?:it is|it['’]s|es|é|è|est) )?(?i:{_ARTICLES}){OPEN}(?P<letter>[A-Z])(?!\w)"
)
_HAN_NOT_BUT = re.compile(
    r"(?:不是|并非|並非|非)\s?(?:选项|選項)?[\"'(]?[A-Z][\"')]?\s?[,，、]?\s?而是\s?(?:选项|選項)?[\"'(]?(?P<letter>[A-Z])(?![A-Za-z])"
    r"|[A-Z][\"')]?\s?(?:では|でも|じゃ|で)なく(?:て)?[,，、]?\s?[\"'(]?(?P<ja>[A-Z])(?![A-Za-z])(?!\s?(?:で(?:も|は)な|じゃな))"
    r"|[A-Z][\"')]?(?:이|가)?\s?아니(?:라|고)[,，、]?\s?[\"'(]?(?P<ko>[A-Z])(?![A-Za-z])"
)
_MAKES = ("makes", "leaves", "would make", "renders")
_MADE = re.compile(
    rf"(?i:\b(?:this|that|which|it|the \w+)(?: \w+ly| also)? (?:{'|'.join(_MAKES)}) {NAMED})"
    rf"{OPEN}(?P<letter>[A-Z]){CLOSE}"
    rf"(?i:,? (?:as )?(?:the |our |my )?(?:only |single |most )?(?:remaining |possible |plausible )?"
    r"(?:correct|right|best|likely|answer|better|appropriate|plausible)(?: (?:answer|choice|option|one|possibility))?)"
    r"(?! (?:if|when|only|unless|but|in)\b)"
)
_SEVERAL = re.compile(
    r"(?i)(?:(?:correct|right|true) (?:answers|options|choices|statements|ones)(?: (?:are|would be|include))?"
    r"(?: (?:as follows|the following))?"
    r"|(?:richtigen?|korrekten?) (?:Antworten|Optionen|Aussagen)(?: (?:sind|lauten))?|respuestas correctas(?: son)?|"
    r"(?:bonnes )?réponses (?:correctes )?(?:sont)?|risposte corrette(?: sono)?|respostas corretas(?: são)?|"
    r"правильные (?:ответы|варианты)|(?P<han>正确(?:的)?(?:答案|选项)(?:是|为|有)?|正解は?)) ?:\n"
    r"(?P<items>(?:(?:\d{1,2}[.)] )?[(\[]?[A-Z](?:[)\].:]{1,2}[^\n]*|)(?:\n|\Z)){2,26})"
)
_ITEM = re.compile(r"(?m)^(?:\d{1,2}[.)] )?[(\[]?([A-Z])(?:[)\].:]|$)")
_GLUED = re.compile(
    r"(?:(?:故|应|應|所以|因此|本题|本題)?[选選]|答案(?:是|为|為)?|(?i:answers?))\s?[:]?\s?(?P<labels>[A-Z]{2,10})(?![A-Za-z])"
)


def by_relation(text: str) -> Iterator[Found]:
    """Each label that stands behind `not A but`, or of which something makes the right one."""
    for contrast in _NOT_BUT.finditer(text):
        yield Found(contrast.end("letter"), contrast["letter"], "answer_is")
    if not text.isascii():
        for contrast in _HAN_NOT_BUT.finditer(text):
            letter = contrast["letter"] or contrast["ja"] or contrast["ko"]
            yield Found(contrast.end(), letter, "answer_is")
    makes = any(verb in small(text) for verb in _MAKES)
    for made in _MADE.finditer(text) if makes else ():
        partner = PARTNER.search(text[max(0, made.start("letter") - 12) : made.start("letter")])
        if not denied(text, made.start()) and not partner:
            yield Found(made.end(), made["letter"], "correct_answer")


def listed_as_right(text: str, question: Question) -> Reading | None:
    """None of several options that stand in a list below words such as `The correct answers are:`."""
    for several in _SEVERAL.finditer(text) if ":\n" in text else ():
        labels = set(_ITEM.findall(several["items"])) & set(question.labels)
        if len(labels) > 1 and (not several["han"] or several.end() == len(text)):
            return no_letter("ambiguous")
    return None


def glued_labels(text: str, question: Question) -> bool:
    """Whether a text declares several labels written as one word: `故选BC`."""
    return any(
        len(set(glued["labels"])) == len(glued["labels"]) and set(glued["labels"]) <= set(question.labels)
        for glued in _GLUED.finditer(text)
    )
