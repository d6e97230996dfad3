"""Declarations that a reply takes back, and those that it makes instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tui_eval.reading.letters.cues import CLOSE
from tui_eval.reading.letters.declared_labels import DeclaredLabel, after, is_word, letter_of
from tui_eval.reading.letters.outcome import LetteredOptions
from tui_eval.reading.letters.small import for_small, small

_INSTEAD = for_small(
    r"(?i)(?<![a-z])(?:(?:correction|corrected(?: answer)?|edit(?:ed)?|update[d]?|revised|korrektur|korrigiert|corrección|"
    r"correção|"
    r"correzione|исправление|更正|修正|訂正|final(?:ly)?(?=:))(?: ?[:,=→-]| to\b| is\b)(?![a-z])|"
    r"(?:no|nein|non|нет|wait|actually|rather|sorry|oops|hmm)[,:…]|(?:wait|actually|sorry|oops|hmm)[.!…]+|"
    r"(?:scratch that|on second thoughts?|on reflection|upon reflection|after reconsidering|reconsidering|thinking again|"
    r"I mean|I meant(?: to say)?|make (?:that|it)|(?:chang|switch|amend|revis|correct)(?:e|es|ing|ed)?"
    r"(?: (?:it|that|this|my answer|the answer))?(?: from [A-Z])? to)[,:.…]*)"
    r"(?: (?:no|wait|actually|sorry|rather|then|doch|lieber|eher|mejor|plutôt|meglio|melhor|toch|I meant?|I mean|I choose|"
    r"I pick|I go with|I say|make that|"
    r"(?:it|that)(?:['’]s| is| should be| must be| has to be)|option|choice|letter|answer|"
    r"(?:my|the)(?: final| correct| right)? answer (?:is|"
    r"should be))(?![a-z]))*[,:]? ?(?=\S)"
)
_ENDS = re.compile(rf"{CLOSE}(?:[.!;]*(?:\n|\Z| (?=[\"'“(]?[A-Z]))|,? (?:is|because|since|instead|not|rather)\b)")
_AGAIN = for_small(
    r"(?i)\b(?:reconsider(?:ing|ed)?|re-?check|double-?check|re-?think|re-?evaluate|re-?read|"
    r"on second thoughts?|(?:up)?on reflection|scratch that|"
    r"wait|hold on|my mistake|I was (?:wrong|mistaken|too quick)|I (?:misread|misspoke|slipped)|I made (?:a mistake|an error)|"
    r"chang(?:e|ed|ing) my (?:mind|answer)|(?:check|read) (?:that|it|this|the question) again|read(?:ing)? the question again|"
    r"thinking again|trying again|mixed up|actually,? no|I take (?:it|that) back|I stand corrected|correction|"
    r"oops|second thoughts|strike that|no, sorry|my bad|"
    r"edit(?=:)|I (?:overlooked|missed)|(?:check|look)(?:ing|ed)? (?:at it )?again|I retract|"
    r"(?:(?<=[.!?…] )|(?<=\n)|(?<=no, )|(?<=wait, )|(?<=actually, ))(?:that|this) "
    r"(?:(?:does|ca|could|must|is|was)n['’]t|(?:does|can|could|must|is|was) ?not) "
    r"(?:be )?(?:it|right|correct|hold|work|fit|match|make sense|add up)|"
    r"(?:that|this)(?:['’]s| is| was) (?:wrong|not (?:it|right|correct)|incorrect|hasty|an? (?:error|mistake|slip))|"
    r"(?:let me|I(?:['’]ll| will| must| have to| need to| should| want to)) "
    r"(?:revise|correct|change|amend|adjust|update|fix|redo)"
    r"(?! (?:the )?(?:option|statement|choice|sentence)s?)|I meant|"
    r"I (?:had |have |got it |was )?(?:made|done|did) an? (?:\w+ )?(?:mistake|error|slip)|I got (?:it|that|this) wrong|"
    r"wacht|chwil\w+|moment(?=[,.])|wart(?:e|en Sie)|vent|vänta|подожд\w+|attends|un (?:attimo|momento)|um momento|czekaj|"
    r"das stimmt nicht|das ist (?:falsch|nicht richtig)|ich habe mich|non, c['’]est faux|no es así|bir dakika|pardon|"
    r"korrektur|berichtig\w*|korrigiere|doch nicht|voreilig|geirrt|verrechnet|verlesen|vertan|"
    r"corrección|me he equivocado|me equivoqué|rectifico|corrijo|espera|perdón|mejor dicho|hay un error|corregid[ao]|"
    r"pensándolo (?:mejor|bien)|"
    r"correção|me enganei|errei|espere|retifico|"
    r"réflexion faite|relisant|je dois corriger|après vérification|en fait|"
    r"je me suis trompée?|je corrige|rectification|attendez|"
    r"correzione|mi sono sbagliat[oa]|mi correggo|ripensandoci|aspetta|"
    r"correctie|ik vergiste me|bij nader inzien|korekta|pomyliłem|pomyliłam|po namyśle|"
    r"исправление|поправка|я ошибся|я ошиблась|стоп|düzeltme|yanılmışım)\b"
    r"|更正|修正|訂正|(?:算|看|想|说|答|弄|搞)错了|我错了|等等|等一下|間違え(?:ました|た)|待って|정정|잠깐|다시 생각"
)
_TAKEN_BACK = for_small(
    r"(?i)(?:that(?:['’]s| is| was)|this is|which is) (?:wrong|not right|incorrect|not correct)(?! if)\b|\bI take (?:that|"
    r"it) back\b|"
    r"\bscratch that\b"
)


def corrections(text: str, question: LetteredOptions) -> Iterator[DeclaredLabel]:
    """Each label that stands behind words such as `Correction:` or `no,`."""
    for _, label in after(_INSTEAD, text):
        if _ENDS.match(text, label.end()) and not is_word(text, label, question):
            yield DeclaredLabel(
                label.end(), letter_of(text, label), "answer_colon" if label.end() < len(text) else "end_of_string"
            )


_ITSELF = for_small(
    r"(?i)(?:\b(?:no|wait|actually|hmm|oops|sorry|moment|nein|non|pardon|espera|hold on)[,.!…—–-]+ ?(?:but )?"
    r"(?:that|this|it|das|c|eso)"
    r"(?:['’]s|n['’]t| is| was| does| can| could| must|(?:['’]est)|cannot| ?not| stimmt)*"
    r" (?:be |quite |nicht )*(?:it|wrong|false|incorrect|right|correct|hold|nicht|faux|mal)\b|"
    r"\bI (?:made|have made|did) an? (?:\w+ )?(?:mistake|error|slip)|\bI mis(?:read|spoke|calculated|took|understood)|"
    r"\bI (?:was|got (?:it|that|this)) (?:wrong|mistaken)|\b(?:revise|correct|change|amend) my (?:answer|choice|mind)|"
    r"\bI (?:take|have to take|must take) (?:it|that|this) back|\b(?:scratch|strike) that|\bmy (?:mistake|bad)\b|\boops\b)"
)


def taken_back(text: str) -> int | None:
    """Return the place behind the last words by which a reply takes back what it itself said; None where there are none."""
    last = None
    for place in _ITSELF.finditer(small(text)):
        last = place.end()
    return last


_MOST = 5
"""Second thoughts of which one is looked at."""


@lru_cache(maxsize=8)
def _second_thoughts(text: str) -> tuple[int, ...]:
    return tuple(again.end() for again in _AGAIN.finditer(small(text)))


def reconsidered(text: str) -> int | None:
    """Return where the reply says for the first time that it thinks again; None where it never does."""
    return next(iter(_second_thoughts(text)), None)


def reconsiderations(text: str) -> tuple[int, ...]:
    """Return the places behind words by which a reply thinks again, the last one first."""
    return _second_thoughts(text)[: -_MOST - 1 : -1]


def thinks_again(text: str, at: int) -> bool:
    """Return whether behind a place the reply says that it thinks again, or names something instead."""
    return any(again >= at for again in _second_thoughts(text)) or _INSTEAD.search(small(text), max(0, at - 1)) is not None


def open_retraction(text: str, at: int) -> bool:
    """Return whether what was declared before a place is taken back behind it, and nothing declared instead."""
    return _TAKEN_BACK.search(small(text), at, at + 60) is not None
