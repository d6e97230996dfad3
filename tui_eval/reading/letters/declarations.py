"""Sentences that declare a letter and say nothing else: the narrow reader, against which the wide one is held.

Every word of such a sentence is of a list, so that what another speaks of, supposes or tells is none. A letter that the wide
reader finds counts only where this one finds the same, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tui_eval.reading.letters.cues import (
    AROUND,
    CLOSE,
    CUE,
    ENDS,
    IT_IS,
    LEANS,
    LIST_OPENS,
    NAMED,
    OPEN,
    PARTNER,
    SINGLE,
    SMALL_VERDICT,
    VERB,
    VERDICT,
)
from tui_eval.reading.letters.declared_labels import DeclaredLabel, after, is_word, letter_of, names_another
from tui_eval.reading.letters.denials import denied, dismissed_after, of_anybody, supposed
from tui_eval.reading.letters.languages import (
    ANSWERS,
    CHOOSES,
    IS,
    JOINS,
    OPTIONS,
    RIGHT,
    SMALL,
    declares_after,
    declares_before,
    denied_behind,
    ends_at,
    says_is,
    word_set,
)
from tui_eval.reading.letters.marked_up import marked_up
from tui_eval.reading.letters.only_letter import TERSE, names_option
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import words_of
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


def by_relation(text: str) -> Iterator[DeclaredLabel]:
    """Each label that stands behind `not A but`, or of which something makes the right one."""
    for contrast in _NOT_BUT.finditer(text):
        yield DeclaredLabel(contrast.end("letter"), contrast["letter"], "answer_is")
    if not text.isascii():
        for contrast in _HAN_NOT_BUT.finditer(text):
            letter = contrast["letter"] or contrast["ja"] or contrast["ko"]
            yield DeclaredLabel(contrast.end(), letter, "answer_is")
    makes = any(verb in small(text) for verb in _MAKES)
    for relation in _MADE.finditer(text) if makes else ():
        partner = PARTNER.search(text[max(0, relation.start("letter") - 12) : relation.start("letter")])
        if not denied(text, relation.start()) and not partner:
            yield DeclaredLabel(relation.end(), relation["letter"], "correct_answer")


def listed_as_right(text: str, question: LetteredOptions) -> LetterReading | None:
    """None of several options that stand in a list below words such as `The correct answers are:`."""
    for several in _SEVERAL.finditer(text) if ":\n" in text else ():
        labels = set(_ITEM.findall(several["items"])) & set(question.labels)
        if len(labels) > 1 and (not several["han"] or several.end() == len(text)):
            return no_letter("ambiguous")
    return None


def glued_labels(text: str, question: LetteredOptions) -> bool:
    """Return whether a text declares several labels written as one word: `故选BC`."""
    return any(
        len(set(glued["labels"])) == len(glued["labels"]) and set(glued["labels"]) <= set(question.labels)
        for glued in _GLUED.finditer(text)
    )


_ENDS = re.compile(rf"{CLOSE}(?:[).:,;]|\n|\Z)")


def by_cue(text: str, question: LetteredOptions) -> Iterator[DeclaredLabel]:
    """Each label behind words such as `the correct answer is`."""
    for cue, label in after(CUE, text):
        noun = (cue["noun"] or "").lower().rstrip("s")
        if noun in ("solution", "response", "one") and not cue["praise"] and not _is_a_line(text, cue, label):
            continue
        if not (cue["verb"] or cue["mark"] or cue["closed"]) and not _declares_bare(text, cue, noun):
            continue
        if is_word(text, label, question) or denied(text, cue.start()) or supposed(text, cue.start(), label.end()):
            continue
        if not (cue["verb"] or cue["mark"]) and (dismissed_after(text, label.end()) or not _ENDS.match(text, label.end())):
            continue
        yield DeclaredLabel(label.end(), _only_of(text, label, question), _cue_name(cue, noun))


def _is_a_line(text: str, cue: re.Match[str], label: re.Match[str]) -> bool:
    """Return whether a cue with a mark and the label behind it form a line: `Solution: B`."""
    before, behind = text[: cue.start()].rpartition("\n")[2], text[label.end() :].partition("\n")[0]
    return bool(cue["mark"]) and not before.strip() and not behind.strip(AROUND)


def _declares_bare(text: str, cue: re.Match[str], noun: str) -> bool:
    """Return whether a cue without verb or mark declares: it praises, or is `answer` on a line of its own or before one."""
    gap = text[cue.end("noun") : cue.end()]
    line = text[: cue.start()].rpartition("\n")[2]
    heads = "\n" in gap and not _SAYS.search(line)
    return bool(cue["praise"]) or (noun == "answer" and (heads or not line))


_SAYS = re.compile(r"(?i)\b(?:is|was|this|that|not)\b")
"""Words of a line that goes on from it, so that `answer` at its end heads nothing."""


def _only_of(text: str, label: re.Match[str], question: LetteredOptions) -> str | None:
    """The letter of a declared label; None where another is joined to it, behind its text or at once."""
    letter = letter_of(text, label)
    return None if letter and names_another(text, label.end(), letter, question) else letter


_WOULD = 8
"""Characters in front of a verb of choosing in which `would` may stand."""


def by_choice(text: str, question: LetteredOptions) -> Iterator[DeclaredLabel]:
    """Each label behind words such as `I would go with`."""
    for cue, label in after(VERB, text):
        has_noun = cue[0].lower().rstrip().endswith(("option", "choice"))
        cut_off = label[2] and label.end() == len(text) and not has_noun and (len(text) > TERSE or not text.islower())
        if cut_off or is_word(text, label, question) or denied(text, cue.start()) or of_anybody(text, cue, label.end()):
            continue
        if supposed(text, max(0, cue.start() - _WOULD), label.end()):
            continue
        name = cue.lastgroup or ""
        if name == "is_x":
            ends = not text[label.end() :].strip(AROUND)
            name = "option" if "option" in cue[0].lower() else "end_of_string" if ends else "standalone"
        yield DeclaredLabel(label.end(), letter_of(text, label), name)
    yield from _by_leaning(text, question)


def _by_leaning(text: str, question: LetteredOptions) -> Iterator[DeclaredLabel]:
    """Choices in words that only count where the label ends what is said."""
    for cue, label in after(LEANS, text):
        if ENDS.match(text, label.end()) and not is_word(text, label, question) and not denied(text, cue.start()):
            ends = not text[label.end() :].strip(AROUND)
            yield DeclaredLabel(label.end(), letter_of(text, label), "end_of_string" if ends else "choose")
    for it in IT_IS.finditer(text):
        if not denied(text, it.start()):
            yield DeclaredLabel(it.end(), (it[1] or it[2] or it[3]).upper(), "choose")


def _cue_name(cue: re.Match[str], noun: str) -> str:
    if noun == "option":
        return "option"
    if noun in ("choice", "selection"):
        return "choice_is"
    if "correct" in cue["praise"].lower():
        return "correct_answer"
    return "answer_is" if cue["verb"] else "answer_colon"


def by_verdict(text: str, question: LetteredOptions) -> Iterator[DeclaredLabel]:
    """Each label in front of words such as `is the best choice`."""
    for verdict in VERDICT.finditer(text):
        before = text[max(0, verdict.start() - 40) : verdict.start()]
        partner = PARTNER.search(before)
        if text.startswith("?", verdict.end()) or (partner and partner["neither"]) or denied(text, verdict.start()):
            continue
        open_end = "would be" in verdict[0] and not text[verdict.end() :].strip()
        if open_end or supposed(text, verdict.start(), verdict.end()):
            continue
        letter = verdict[1] or verdict[2] or verdict[3]
        name = "correct_answer" if verdict["correct"] else "answer_is" if verdict["answer"] else "standalone"
        if verdict[2] or names_option(before):
            name = "option"
        yield DeclaredLabel(verdict.end(), None if partner or verdict["also"] else letter.upper(), name)


def by_small_verdict(text: str) -> Iterator[DeclaredLabel]:
    """The same of verdict letters."""
    for verdict in SMALL_VERDICT.finditer(text):
        if not denied(text, verdict.start(1)):
            yield DeclaredLabel(verdict.end(), verdict[1].upper(), "standalone")


_LABEL = re.compile(
    r"(?<!\d °)(?<![0-9A-Za-z_\u00c0-\u024f\u0370-\u052f'’°&+/.-])([A-Z])"
    r"(?![0-9A-Za-z_\u00c0-\u024f\u0370-\u052f#^°%@])(?!['’][aeiouhéèêàâîôœ])()"
)
_PARTNER = re.compile(rf"(?<![\w'’])[A-Z][)\]\"'”’]?(?: ?[/&,] ?|,? (?:{JOINS}) |\s?[或和与與及、とか]\s?)[(\[\"'“‘]?\Z")
_OTHER_ITEM = re.compile(r"\A[(\[]?[A-Z][)\].:] ?\S(?!.*[.!?。] )")
"""The beginning of a line that speaks of another option, and has not ended its sentence."""
_MOST = 400
"""Labels looked at in one reply: what is declared stands among the last, but a list of so many is none."""


def by_words_of_languages(text: str, question: LetteredOptions) -> list[DeclaredLabel]:
    """Each label that words of other languages declare to be the answer; several that are only called options are a list."""
    matches = []
    for label in islice(_LABEL.finditer(text), _MOST):
        if (pattern := _pattern_at(text, label)) and not is_word(text, label, question):
            if pattern == "option" and LIST_OPENS.search(text, max(0, label.start() - 60), label.start()):
                continue
            partner = _PARTNER.search(text, max(0, label.start() - 12), label.start())
            matches.append(DeclaredLabel(label.end(), None if partner else letter_of(text, label), pattern))
    option_letters = {each.letter for each in matches if each.pattern == "option"}
    return [each for each in matches if len(option_letters) < 2 or each.pattern != "option"]


def _pattern_at(text: str, label: re.Match[str]) -> str:
    if denied_behind(text, label.end()) or supposed(text, label.start(), label.end()):
        return ""
    if _OTHER_ITEM.search(text[: label.start()].rpartition("\n")[2]):
        return ""
    suffixed, ends = says_is(text, label.end()), ends_at(text, label.end())
    pattern = declares_before(text, label.start(), ends or suffixed, suffixed)
    return pattern or ("correct_answer" if declares_after(text, label.start(), label.end()) else "")


_DECLARES = ANSWERS | RIGHT | CHOOSES | word_set(
    "answer answers ans choice choose pick select selected go going with say correct right best solution response conclusion"
)  # fmt: skip
"""Words of which one stands in front of the label."""
_CONCLUDES = word_set("so therefore thus hence it s is be leaves")
"""Words that may stand at once in front of it instead."""
_LEADS = _DECLARES | _CONCLUDES | OPTIONS | SMALL | IS | word_set(
    "the a my our us only locking in picking mark final option letter statement label number selection result one which "
    "that this these here above then and well ok okay sure yes overall finally ultimately clearly obviously probably likely "
    "definitely certainly most fairly quite very i d ll m we think believe confident would must be should has have matches "
    "based given to of for as on in summary consequently question options choices listed available provided trying again "
    "apologies updated revised corrected correction new edit instead"
)  # fmt: skip
"""All other words that may."""
_CALLS = RIGHT | ANSWERS | word_set("correct right best answer asks asked looking")
"""Words of which one stands behind a label that begins the sentence."""
_CONFIRMS = _CALLS | IS | word_set(
    "is must be would fits the my our i choose option choice one it what to this question for on most likely appropriate "
    "accurate suitable final overall therefore thus clearly here then"
)  # fmt: skip
"""All other words that may."""
_VERBS = IS | word_set("is must would fits")
_STANDS = _CONFIRMS | word_set("works fits holds remains left matches can stands survives")
"""Words that may stand behind `only` and a label."""
_UNITS = re.compile(r"(?<=[.!?])(?<!^[A-Z]\.)(?<!\n[A-Z]\.)(?<![,;/|] [A-Z]\.) +|(?<=[。！？])|\n")
_GOES_ON = re.compile(r"[)\]}\"'”’»]{0,2}(?:[.:)]|,? ?[-–—(=]|,? (?:because|since|as|due to|given)\b)")
_CONDITION = re.compile(r"(?i)\W{0,3}(?:if|when|unless|only|but|or|and|though|although|not|oder|und|ou|et|o|y|e|mais|pero)\b")
_BOX = re.compile(r"\\(?:boxed|fbox) ?\{")


def declared_alone(text: str, question: LetteredOptions, cut: bool) -> tuple[str, int] | None:
    """The letter of the last sentence, box or field that declares one and says nothing else, and the place behind it.

    `cut`: whether the text is cut, so that its last sentence may have gone on.
    """
    letter, at = None, -1
    units = list(_units(text))
    bare = _bare(units[:-1] if cut else units, question)
    for start, unit in units:
        if label := _declared(unit, question) or bare.get(start):
            letter, at = label, start + len(unit)
    marked = marked_up(text, question)
    if marked and marked[1] > at:
        letter, at = marked[0].letter, marked[1]
    return (letter, at) if letter else None


def _units(text: str) -> Iterator[tuple[int, str]]:
    """Each sentence or line with the place where it begins."""
    start = 0
    for stop in [*_UNITS.finditer(text), None]:
        end = stop.start() if stop else len(text)
        if unit := text[start:end].strip():
            yield start, unit
        start = stop.end() if stop else end


_ALONE = re.compile(rf"{NAMED}{OPEN}(?P<letter>[A-Z]){CLOSE}(?:(?:[.:)]| ?[-–—]) ?(?P<text>.*)|[.!]?)")


def _bare(units: list[tuple[int, str]], question: LetteredOptions) -> dict[int, str]:
    """The labels that are all of a unit, with their option's text or without, by its place: one that is the only one to begin
    a unit, or a label alone that is the first unit or the last.
    """
    matches: dict[int, re.Match[str]] = {}
    for start, unit in units:
        item = _ALONE.fullmatch(unit)
        if item and item["letter"] in question.labels:
            own = question.texts[question.labels.index(item["letter"])] if question.texts else ""
            if not item["text"] or words_of(item["text"]) == own:
                matches[start] = item
    single = len({item["letter"] for item in matches.values()}) == 1
    ends = (units[0][0], units[-1][0]) if units else ()
    return {start: item["letter"] for start, item in matches.items() if single or (not item["text"] and start in ends)}


def _declared(unit: str, question: LetteredOptions) -> str | None:
    """The one label of a unit whose other words declare it."""
    labels = [each for each in SINGLE.finditer(unit) if each[1] in question.labels]
    if not labels or len({each[1] for each in labels}) > 1 or _BOX.search(unit) or "?" in unit:
        return None
    label = labels[0]
    own = question.texts[question.labels.index(label[1])] if question.texts else ""
    before, behind = _words(_without(unit[: label.start()], own)), unit[label.end() :]
    if not set(before) <= _LEADS:
        return None
    led = _led_to(before, behind, own, question)
    return label[1] if led or (led is None and _is_called_answer(before[-1:] == ["only"], _words(behind))) else None


def _led_to(before: list[str], behind: str, own: str, question: LetteredOptions) -> bool | None:
    """Return whether words lead to the label behind them, and nothing behind it takes it back; None where they do not lead."""
    declares, words = not _DECLARES.isdisjoint(before), words_of(behind)
    if not declares and (not before or before[-1] not in _CONCLUDES):
        return None
    if words in ("", own) or (declares and set(words.split()) <= _CONFIRMS):
        return True
    goes_on = _GOES_ON.match(behind) if declares and words not in question.texts else None
    return None if goes_on is None else _CONDITION.match(behind, goes_on.end()) is None


def _is_called_answer(only: bool, after: list[str]) -> bool:
    """Return whether the words behind a label call it the answer, as in `B is correct`, `only B works`, `B it is`."""
    words = set(after)
    if only and after and words <= _STANDS:
        return True
    return after == ["it", "is"] or (bool(words & _CALLS) and bool(words & _VERBS) and words <= _CONFIRMS)


def _without(before: str, own: str) -> str:
    """Return the words before a label, without the option's text at their end: `it is the nucleus (A)`."""
    words = words_of(before)
    core = words.removesuffix(" option").removesuffix(" choice")
    return core.removesuffix(own) if own and f" {core}".endswith(f" {own}") else words


def _words(text: str) -> list[str]:
    return [word for word in words_of(text).split() if word[0].isalnum()]
