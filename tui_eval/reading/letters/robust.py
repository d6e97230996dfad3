"""The letter that a careful reader finds in a reply: steps in the order in which they are trusted, none where in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.cues import (
    AROUND,
    CLAUSE_END,
    CLOSE,
    CUE,
    DENIAL,
    DISMISSED,
    LABEL,
    NAMED,
    OPEN,
    PARTNER,
    SECOND,
    STANDALONE,
    VERB,
    VERDICT,
)
from tui_eval.reading.letters.outcome import Reading, no_letter
from tui_eval.reading.letters.plain import plain_text, without_thinking, words_of


@dataclass(frozen=True, slots=True)
class _Question:
    """What a reader of a reply knows of the question."""

    labels: str
    texts: tuple[str, ...]

    def reading(self, letter: str, pattern: str) -> Reading:
        return Reading(letter, pattern, "") if letter in self.labels else no_letter("no_letter")


@lru_cache(maxsize=1024)
def _question(n_options: int, options: tuple[str, ...]) -> _Question:
    return _Question(ascii_uppercase[:n_options], tuple(words_of(plain_text(option)) for option in options[:n_options]))


@dataclass(frozen=True, slots=True)
class _Found:
    """A label that some words declare to be the answer; no letter where they declare two."""

    at: int
    letter: str | None
    pattern: str


def read_robustly(text: str, n_options: int, options: Sequence[str]) -> Reading:
    """What a careful reader would say that the reply picks; none where two options, or no option, could be meant."""
    proper = without_thinking(text) if "<" in text or "[" in text or "◁" in text else text
    if proper is None:
        return no_letter("truncated_reasoning")
    plain = plain_text(proper)
    if not plain:
        return no_letter("empty")
    question = _question(n_options, tuple(options))
    whole = plain.strip(AROUND)
    if len(whole) == 1 and whole.isascii() and whole.isalpha():
        return question.reading(whole.upper(), "parentheses" if plain.startswith("(") else "first_char")
    return _marked_up(plain, question) or _worded(_without_lists(plain, question), question)


def _worded(text: str, question: _Question) -> Reading:
    for step in (_declared, _leading, _last_line, _by_verb, _by_text, _only_letter):
        if reading := step(text, question):
            return reading
    return no_letter("refusal" if _REFUSAL.search(text) else "no_letter")


# Answers in mark-up.

_BOXED = re.compile(r"(?:\\(?:boxed|fbox) ?\{|<\|begin_of_box\|>)([^{}<\n]{0,200})(?:\}|<\|end_of_box\|>)")
_JSON = re.compile(
    r"""(?i)["'](?:(?:final|correct|best|my|selected|chosen)?[_ ]?(?:answer|choice|option|letter)"""
    r"""(?:[_ ](?:letter|choice|option|label))?)["'] ?: ?(?P<array>\[ ?)?"""
    r"""(?:"(?P<text>[^"\n]{0,300})"|'(?P<single>[^'\n]{0,300})'|(?P<bare>[a-z])(?=[\s,}\]]))(?P<more> ?,)?"""
)
_STARTS = re.compile(rf"{OPEN}([A-Z])(?:[)\]\"'”’]|[.:](?!\w)|, |\Z| ?[-–—] )")


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    last = None
    for match in pattern.finditer(text):
        last = match
    return last


def _marked_up(text: str, question: _Question) -> Reading | None:
    """The last LaTeX box, or else the last JSON field, that holds a label."""
    box = _last_match(_BOXED, text)
    if box and (reading := _inside(box[1], question, "boxed")):
        return reading
    field = _last_match(_JSON, text) if ":" in text else None
    if not field:
        return None
    if field["array"] and field["more"]:
        return no_letter("ambiguous")
    return _inside(field["text"] or field["single"] or field["bare"] or "", question, "json")


def _inside(content: str, question: _Question, pattern: str) -> Reading | None:
    core = content.strip(AROUND)
    if len(core) == 1 and core.isascii() and core.isalpha():
        return question.reading(core.upper(), pattern)
    named = re.sub(rf"^{NAMED}", "", content.strip())
    start = _STARTS.match(named)
    if not start:
        return None
    if SECOND.match(named, start.end(1)):
        return no_letter("ambiguous")
    return question.reading(start[1], pattern)


# Lists of options that a reply only repeats.

_MARKED = re.compile(
    r"(?:^|\n|[;,.] )(?:(?i:option|choice) )?[(\[]?([A-Z])(?:[)\]]|[.:](?= |[A-Z][a-z])| ?[-–—] |[.:]?(?=\n|\Z))"
)
_LINE_LABEL = re.compile(r"(?:(?i:option|choice) )?[(\[]?([A-Z])(?:[)\].:]{1,2}|(?= )) ?")


@lru_cache(maxsize=26)
def _every_label(n_options: int) -> re.Pattern[str]:
    labels = ascii_uppercase[:n_options]
    between = r"(?: ?[,;/|] ?| )(?:(?:or|and|and/or) )?(?:option )?"
    span = rf"{OPEN}A{CLOSE}(?: ?[-–—] ?| to | through ){OPEN}{labels[-1]}{CLOSE}"
    return re.compile(rf"(?<!\w)(?:{between.join(OPEN + label + CLOSE for label in labels)}|{span})(?!\w)")


def _without_lists(text: str, question: _Question) -> str:
    """The text without the labels all in a row (of two options no list), and without the options repeated in full."""
    if len(question.labels) > 2:
        text = _every_label(len(question.labels)).sub("…", text)
    if not question.texts or text.count("\n") + 1 < len(question.texts):
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


# The steps, in the order in which they are trusted.


def _denied(text: str, at: int) -> bool:
    """Whether the clause in front of a place takes back, or only supposes, what is said there."""
    clause = CLAUSE_END.split(text[max(0, at - 80) : at])[-1]
    return bool(DENIAL.search(clause))


def _after(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each cue that a label follows, with the label; a cue may begin inside one that none followed."""
    cue = pattern.search(text)
    while cue:
        label = LABEL.match(text, cue.end())
        if label:
            yield cue, label
        cue = pattern.search(text, label.end() if label else cue.start() + 2)


def _letter_of(text: str, label: re.Match[str]) -> str | None:
    """The letter of a label, or None where a second one stands beside it."""
    second = SECOND.match(text, label.end())
    letter = (label[1] or label[2]).upper()
    return None if second and letter not in second.groups() else letter


def _is_word(text: str, label: re.Match[str], question: _Question) -> bool:
    """Whether the letter is asked about, or is the first word of an option's text."""
    if text.startswith("?", label.end()):
        return True
    letter = (label[1] or label[2]).casefold()
    texts = [option for option in question.texts if option.startswith(f"{letter} ")]
    rest = words_of(text[label.end() - 1 : label.end() + 400]) + " " if texts else ""
    return any(rest.startswith(f"{option} ") for option in texts)


_ENDS = re.compile(rf"{CLOSE}(?:[).:,;]|\n|\Z)")


def _by_cue(text: str, question: _Question) -> Iterator[_Found]:
    for cue, label in _after(CUE, text):
        noun = (cue["noun"] or "").lower().rstrip("s")
        if noun in ("solution", "response") and not cue["praise"]:
            continue
        if not (cue["verb"] or cue["mark"] or cue["foreign"]):
            gap = text[cue.end("noun") : cue.end()]
            starts_line = cue.start() == 0 or text[cue.start() - 1] == "\n"
            declares = cue["praise"] or (noun == "answer" and ("\n" in gap or starts_line))
            if not declares or not _ENDS.match(text, label.end()):
                continue
        if _is_word(text, label, question) or _denied(text, cue.start()):
            continue
        yield _Found(label.end(), _letter_of(text, label), _cue_name(cue, noun))


def _by_choice(text: str, question: _Question) -> Iterator[_Found]:
    for cue, label in _after(VERB, text):
        cut_off = label[2] and label.end() == len(text) and not cue[0].lower().rstrip().endswith(("option", "choice"))
        if cut_off or _is_word(text, label, question) or _denied(text, cue.start()):
            continue
        name = cue.lastgroup or ""
        if name == "is_x":
            ends = not text[label.end() :].strip(AROUND)
            name = "option" if "option" in cue[0].lower() else "end_of_string" if ends else "standalone"
        yield _Found(label.end(), _letter_of(text, label), name)


def _cue_name(cue: re.Match[str], noun: str) -> str:
    if noun == "option":
        return "option"
    if noun in ("choice", "selection"):
        return "choice_is"
    if "correct" in cue["praise"].lower():
        return "correct_answer"
    return "answer_is" if cue["verb"] else "answer_colon"


def _by_verdict(text: str, question: _Question) -> Iterator[_Found]:
    for verdict in VERDICT.finditer(text):
        before = text[max(0, verdict.start() - 40) : verdict.start()]
        partner = PARTNER.search(before)
        if text.startswith("?", verdict.end()) or (partner and partner["neither"]) or _denied(text, verdict.start()):
            continue
        letter = verdict[1] or verdict[2] or verdict[3]
        name = "correct_answer" if verdict["correct"] else "answer_is" if verdict["answer"] else "standalone"
        if verdict[2] or _names_option(before):
            name = "option"
        yield _Found(verdict.end(), None if partner or verdict["also"] else letter.upper(), name)


def _names_option(before: str) -> bool:
    return before.lower().rstrip("([\"'“ ").endswith("option")


def _last(found: list[_Found], question: _Question) -> Reading | None:
    within = [each for each in found if each.letter is None or each.letter in question.labels]
    if not within:
        return no_letter("no_letter") if found else None
    last = max(within, key=lambda each: each.at)
    return Reading(last.letter, last.pattern, "") if last.letter else no_letter("ambiguous")


def _declared(text: str, question: _Question) -> Reading | None:
    """What the reply calls the answer, the last time that it does so; where that is two, a choice made later decides."""
    found = [*_by_cue(text, question), *_by_verdict(text, question)]
    reading = _last(found, question)
    if reading and reading.reason == "ambiguous":
        return _last([*found, *_by_choice(text, question)], question)
    return reading


_LEADING = re.compile(
    r"(?:(?i:the )?(?P<name>(?i:option|choice|answer)):? )?(?P<open>[(\[]?)[\"'“‘]?(?P<letter>[A-Z])[\"'”’]?"
    r"(?P<mark>[)\]]|[.:,](?![\w])|\.(?=[A-Z][a-z]{2})|:(?=[A-Z])| ?[-–—:] |(?=\n)|\Z)"
)
_LAST_LINE = re.compile(
    r"(?i)(?:(?:so|thus|therefore|hence|the|my|final|correct|answer),? )*(?:(?P<name>option|choice|answer|letter):? )?"
    rf"{OPEN}(?P<letter>[a-z]){CLOSE}[.!]?{CLOSE}"
)
_LIST_BEGINS = re.compile(r"(?i)\b(?:options|choices)(?: (?:are|again))?:\Z")
_NAMES = {"option": "option", "choice": "choice_is", "answer": "answer_colon", "letter": "answer_colon"}
_MARKS = {")": "letter_paren", "]": "letter_paren", ".": "letter_period", ",": "letter_comma"}


def _leading(text: str, question: _Question) -> Reading | None:
    """A label that begins the reply as one begins a line of a list, unless it is the first of such a list."""
    start = _LEADING.match(text)
    if not start or start["letter"] not in question.labels or SECOND.match(text, start.end("letter")):
        return None
    rest = text[start.end() :].strip(AROUND)
    if _is_walk(text, start["letter"]) or (len(rest) == 1 and rest in ascii_uppercase):
        return None
    first, _, others = text.partition("\n")
    last = _LAST_LINE.fullmatch(others.rpartition("\n")[2])
    if last and last["letter"].upper() != start["letter"] and len(first.strip(AROUND)) == 1:
        return no_letter("ambiguous")
    if start["name"]:
        return Reading(start["letter"], _NAMES[start["name"].lower()], "")
    return Reading(start["letter"], "parentheses" if start["open"] else _MARKS.get(start["mark"], "first_char"), "")


def _is_walk(text: str, letter: str) -> bool:
    """Whether the second label that begins an item is the one after the first; a bare letter may precede a walk."""
    items = _MARKED.finditer(text)
    first, second = next(items, None), next(items, None)
    if not first or not second or first[1] != letter or ord(second[1]) != ord(letter) + 1:
        return False
    bare = text.partition("\n")[0] == letter
    return not bare or second[0].strip() == second[1]


def _last_line(text: str, question: _Question) -> Reading | None:
    """A label alone in the last line, unless the line above is another label alone."""
    *above, line = text.split("\n")
    last = _LAST_LINE.fullmatch(line)
    if not last:
        return None
    if above and len(other := above[-1].strip(AROUND)) == 1 and other != last["letter"]:
        return no_letter("ambiguous")
    if above and _goes_on_listing("\n".join(above), last["letter"]):
        return None
    return question.reading(last["letter"].upper(), _NAMES[last["name"].lower()] if last["name"] else "end_of_string")


def _goes_on_listing(above: str, letter: str) -> bool:
    """Whether a label alone continues a list of options that was cut off: the next after the last item, or the first of all."""
    item = _last_match(_MARKED, above)
    return (item is not None and ord(letter) == ord(item[1]) + 1) or bool(_LIST_BEGINS.search(above))


def _by_verb(text: str, question: _Question) -> Reading | None:
    """What the reply says that it chooses, the last time that it does so."""
    return _last(list(_by_choice(text, question)), question)


def _by_text(text: str, question: _Question) -> Reading | None:
    """The one option whose words the reply repeats: after a cue, or else in a short reply or the last line of a long one."""
    known = {option: label for label, option in zip(question.labels, question.texts, strict=False) if option}
    if len(known) < 2 or len(known) < len(question.texts):
        return None
    longest_first = sorted(known, key=len, reverse=True)
    declared = None
    for cue in CUE.finditer(text):
        if (cue["verb"] or cue["mark"]) and not _denied(text, cue.start()):
            rest = f"{words_of(text[cue.end() : cue.end() + 600])} "
            declared = next((option for option in longest_first if rest.startswith(f"{option} ")), declared)
    if declared:
        return Reading(known[declared], "option_text", "")
    return _mentioned(text if len(text) <= _SHORT else text.rpartition("\n")[2], known, longest_first)


_SHORT = 300
_TERSE = 60
_UNSAID = re.compile(r"\b(?:not|never|no|neither|nor|incorrect|wrong|false|except|unlike|than|t|if)(?: \w+){0,4} \Z")
_TAKEN_BACK = re.compile(r" (?:is|are|was|would be) (?:not|incorrect|wrong|false)\b| isn t\b")


def _mentioned(text: str, known: dict[str, str], longest_first: list[str]) -> Reading | None:
    words = f" {words_of(text)} "
    if (option := words.strip()) in known:
        return Reading(known[option], "option_text", "")
    found = []
    for option in longest_first:
        at = words.find(f" {option} ") if len(option) > 3 else -1
        if at >= 0:
            taken_back = _UNSAID.search(words, max(0, at - 60), at + 1) or _TAKEN_BACK.match(words, at + len(option) + 1)
            found.append("" if taken_back else known[option])
            words = words.replace(f" {option} ", " … ")
    if len(found) > 1:
        return no_letter("ambiguous")
    return Reading(found[0], "option_text", "") if found and found[0] else None


_INTRODUCED = re.compile(
    rf"(?i:(?:^|[^\w])(?:only|is|be|so|thus|therefore|hence|say|think|believe|probably|likely|maybe|"
    rf"definitely|clearly|with|it['’]s)[:,]? ){OPEN}\Z"
)
_OPENS = re.compile(rf"(?:^|[\n:;,—–…]|[.!?] | - ) ?{NAMED}{OPEN}\Z")
_GOES_ON = re.compile(rf"{CLOSE}(?:[.,;!](?!\w)|\n|\Z| (?:because|since|as|due|given|based|fits|matches|[-–—])(?!\w))")
_REFUSAL = re.compile(
    r"(?i)\b(?:can(?:not|['’]t| not)|unable to|not able to|won['’]t|will not)(?: \w+){0,2} "
    r"(?:answer|assist|help|provide|determine|choose|comply)\b"
    r"|\bas an ai\b|\bI(?:['’]m| am) sorry\b|\bI (?:do not|don['’]t) know\b|\b(?:lo siento|es tut mir leid|je suis désolé)"
)


def _only_letter(text: str, question: _Question) -> Reading | None:
    """The only label that a reply of some sentences names, if it stands where a label would and is not dismissed."""
    if len(text) > 2 * _SHORT:
        return None
    named = [each for each in STANDALONE.finditer(text) if each[1] in question.labels]
    if len({each[1] for each in named}) > 1 or any(SECOND.match(text, each.end()) for each in named):
        return no_letter("ambiguous")
    if _REFUSAL.search(text) or any(_dismissed(text, each) for each in named):
        return None
    for each in reversed(named):
        before = text[max(0, each.start() - 30) : each.start()]
        ends = not text[each.end() :].strip(AROUND)
        if _in_place(text, each, before, ends):
            return Reading(each[1], _place_name(before, ends), "")
    return None


def _dismissed(text: str, label: re.Match[str]) -> bool:
    asked = text.startswith("?", label.end())
    return asked or _denied(text, label.start()) or DISMISSED.match(text, label.end()) is not None


def _in_place(text: str, label: re.Match[str], before: str, ends: bool) -> bool:
    """Whether a letter stands where labels do: after a word that leads to one, on its own, or in brackets at the end."""
    if _INTRODUCED.search(before) or (ends and "(" in before[-2:] and label.end() < len(text)):
        return True
    # The last character of a longer text may be the first of a sentence that was cut off.
    cut_off = not text[label.end() :].strip(")]:") and len(text) > _TERSE
    return bool(not cut_off and _OPENS.search(before) and _GOES_ON.match(text, label.end()))


def _place_name(before: str, ends: bool) -> str:
    if _names_option(before):
        return "option"
    return "end_of_string" if ends else "standalone"
