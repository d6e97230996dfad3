"""The letter that a careful reader finds in a reply: steps in the order in which they are trusted, none where in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.cues import (
    AROUND,
    CLOSE,
    CUE,
    DISMISSED,
    ENDS,
    IT_IS,
    LEANS,
    NAMED,
    OPEN,
    PARTNER,
    SECOND,
    SMALL_VERDICT,
    STANDALONE,
    TITLE,
    VERB,
    VERDICT,
)
from tui_eval.reading.letters.declared_abroad import by_words_of_languages
from tui_eval.reading.letters.denials import denied, dismissed_after, supposed
from tui_eval.reading.letters.found import Found, after, is_word, letter_of
from tui_eval.reading.letters.judged import SIGN, eliminated, judged
from tui_eval.reading.letters.marked_up import last_match, marked_up
from tui_eval.reading.letters.outcome import CONTRADICTED, Question, Reading, no_letter
from tui_eval.reading.letters.plain import plain_text, said_once, without_thinking, words_of
from tui_eval.reading.letters.positions import by_letter
from tui_eval.reading.letters.rated import without_ratings
from tui_eval.reading.letters.retractions import corrections, open_retraction, reconsidered
from tui_eval.reading.letters.texts import by_label_at_text, by_text, contradicted


@lru_cache(maxsize=1024)
def _question(n_options: int, options: tuple[str, ...]) -> Question:
    return Question(ascii_uppercase[:n_options], tuple(words_of(plain_text(option)) for option in options[:n_options]))


def read_robustly(text: str, n_options: int, options: Sequence[str]) -> Reading:
    """What a careful reader would say that the reply picks; none where two options, or no option, could be meant.

    A letter beside which the text of another option stands counts, with a note.
    """
    proper = without_thinking(text)
    if proper is None:
        return no_letter("truncated_reasoning")
    plain = plain_text(proper)
    if not plain:
        return no_letter("empty")
    question = _question(n_options, tuple(options))
    reading = _whole(plain, question) or _read(by_letter(said_once(plain), question), question)
    if reading.letter and question.texts and len(plain) > 3 and contradicted(plain, reading.letter, question):
        return replace(reading, note=CONTRADICTED)
    return reading


def _whole(plain: str, question: Question) -> Reading | None:
    """A reply of one letter and marks."""
    whole = plain.strip(AROUND)
    if len(whole) != 1 or not whole.isascii() or not whole.isalpha():
        return None
    return question.reading(whole.upper(), "parentheses" if plain.startswith("(") else "first_char")


def _read(text: str, question: Question) -> Reading:
    return _whole(text, question) or marked_up(text, question) or _said(_without_lists(text, question), question)


def _said(text: str, question: Question) -> Reading:
    """What the words say; a row of rated options says less than what is declared beside it, and more than the rest does."""
    rest, rated = without_ratings(text, question)
    if rated is None:
        return _worded(text, question)
    if rated.letter:
        return _declared(rest, question) or rated
    reading = _worded(rest, question)
    return rated if reading.reason == "no_letter" else reading


def _worded(text: str, question: Question) -> Reading:
    for step in _STEPS:
        if reading := step(text, question):
            return reading
    return no_letter("refusal" if _REFUSAL.search(text) else "no_letter")


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


def _without_lists(text: str, question: Question) -> str:
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


# The steps, in the order in which they are trusted.


_ENDS = re.compile(rf"{CLOSE}(?:[).:,;]|\n|\Z)")


def _by_cue(text: str, question: Question) -> Iterator[Found]:
    for cue, label in after(CUE, text):
        noun = (cue["noun"] or "").lower().rstrip("s")
        if noun in ("solution", "response", "one") and not cue["praise"]:
            continue
        if not (cue["verb"] or cue["mark"] or cue["foreign"]):
            gap = text[cue.end("noun") : cue.end()]
            starts_line = cue.start() == 0 or text[cue.start() - 1] == "\n"
            declares = cue["praise"] or (noun == "answer" and ("\n" in gap or starts_line))
            if not declares or not _ENDS.match(text, label.end()):
                continue
        if is_word(text, label, question) or denied(text, cue.start()) or supposed(text, cue.start(), label.end()):
            continue
        if not (cue["verb"] or cue["mark"]) and dismissed_after(text, label.end()):
            continue
        yield Found(label.end(), letter_of(text, label), _cue_name(cue, noun))


def _by_choice(text: str, question: Question) -> Iterator[Found]:
    for cue, label in after(VERB, text):
        named = cue[0].lower().rstrip().endswith(("option", "choice"))
        cut_off = label[2] and label.end() == len(text) and not named and (len(text) > _TERSE or not text.islower())
        if cut_off or is_word(text, label, question) or denied(text, cue.start()):
            continue
        name = cue.lastgroup or ""
        if name == "is_x":
            ends = not text[label.end() :].strip(AROUND)
            name = "option" if "option" in cue[0].lower() else "end_of_string" if ends else "standalone"
        yield Found(label.end(), letter_of(text, label), name)
    yield from _by_leaning(text, question)


def _by_leaning(text: str, question: Question) -> Iterator[Found]:
    """Choices in words that only count where the label ends what is said."""
    for cue, label in after(LEANS, text):
        if ENDS.match(text, label.end()) and not is_word(text, label, question) and not denied(text, cue.start()):
            ends = not text[label.end() :].strip(AROUND)
            yield Found(label.end(), letter_of(text, label), "end_of_string" if ends else "choose")
    for it in IT_IS.finditer(text):
        if not denied(text, it.start()):
            yield Found(it.end(), (it[1] or it[2] or it[3]).upper(), "choose")


def _cue_name(cue: re.Match[str], noun: str) -> str:
    if noun == "option":
        return "option"
    if noun in ("choice", "selection"):
        return "choice_is"
    if "correct" in cue["praise"].lower():
        return "correct_answer"
    return "answer_is" if cue["verb"] else "answer_colon"


def _by_verdict(text: str, question: Question) -> Iterator[Found]:
    for verdict in VERDICT.finditer(text):
        before = text[max(0, verdict.start() - 40) : verdict.start()]
        partner = PARTNER.search(before)
        if text.startswith("?", verdict.end()) or (partner and partner["neither"]) or denied(text, verdict.start()):
            continue
        if supposed(text, verdict.start(), verdict.end()):
            continue
        letter = verdict[1] or verdict[2] or verdict[3]
        name = "correct_answer" if verdict["correct"] else "answer_is" if verdict["answer"] else "standalone"
        if verdict[2] or _names_option(before):
            name = "option"
        yield Found(verdict.end(), None if partner or verdict["also"] else letter.upper(), name)


def _by_small_verdict(text: str) -> Iterator[Found]:
    for small in SMALL_VERDICT.finditer(text):
        if not denied(text, small.start(1)):
            yield Found(small.end(), small[1].upper(), "standalone")


def _names_option(before: str) -> bool:
    return before.lower().rstrip("([\"'“ ").endswith("option")


def _last(found: list[Found], question: Question) -> Reading | None:
    within = [each for each in found if each.letter is None or each.letter in question.labels]
    if not within:
        return no_letter("no_letter") if found else None
    last = max(within, key=lambda each: each.at)
    return Reading(last.letter, last.pattern, "") if last.letter else no_letter("ambiguous")


def _declared(text: str, question: Question) -> Reading | None:
    """What the reply calls the answer, the last time that it does so; where that is two, a choice made later decides.

    Who takes it back, or thinks again, means what he says then.
    """
    found = [*_by_cue(text, question), *_by_verdict(text, question), *by_words_of_languages(text, question)]
    found += [*_by_small_verdict(text), *corrections(text, question)]
    if found and (again := reconsidered(text)) is not None:
        found += [each for each in _by_choice(text, question) if each.at > again]
    reading = _last(found, question)
    if reading and reading.letter and open_retraction(text, max(each.at for each in found)):
        return no_letter("ambiguous")
    if reading and reading.reason == "ambiguous":
        return _last([*found, *_by_choice(text, question)], question)
    return reading


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
_LIST_BEGINS = re.compile(r"(?i)\b(?:options|choices)(?: (?:are|again))?:\Z")
_NAMES = {"option": "option", "choice": "choice_is", "answer": "answer_colon", "letter": "answer_colon"}
_MARKS = {")": "letter_paren", "]": "letter_paren", ".": "letter_period", ",": "letter_comma"}


def _leading(text: str, question: Question) -> Reading | None:
    """A label that begins the reply as one begins a line of a list, unless it is the first of such a list."""
    start = _LEADING.match(text)
    if not start or start["letter"] not in question.labels or SECOND.match(text, start.end("letter")):
        return None
    if _TALKS.match(text, start.end()) or dismissed_after(text, start.end("letter")):
        return None
    rest = text[start.end() :].strip(AROUND)
    if _is_walk(text, start["letter"]) or _names_all_in_a_line(text, question) or (len(rest) == 1 and rest in ascii_uppercase):
        return None
    first, _, others = text.partition("\n")
    last = _LAST_LINE.fullmatch(others.rpartition("\n")[2])
    if last and last["letter"].upper() != start["letter"] and len(first.strip(AROUND)) == 1:
        return no_letter("ambiguous")
    if start["name"]:
        return Reading(start["letter"], _NAMES[start["name"].lower()], "")
    return Reading(start["letter"], "parentheses" if start["open"] else _MARKS.get(start["mark"], "first_char"), "")


_LEADING_SMALL = re.compile(
    r"(?i)[(\[]?([a-z])(?P<mark>[)\].:,]|)(?: -)? ?(?=(?P<because>because|since|as it|obviously|clearly|definitely|"
    r"certainly|of course|"
    r"for sure|final answer|without a doubt|i think|i believe|i guess|is my|it is|probably|most likely)\b|(?P<text>\S))"
)


def _leading_small(text: str, question: Question) -> Reading | None:
    """A small letter that begins a reply, with a reason or the option's own text behind it."""
    start = _LEADING_SMALL.match(text)
    if not start or not text[start.start(1)].islower() or start[1].upper() not in question.labels or "\n" in text:
        return None
    own = question.texts[question.labels.index(start[1].upper())] if question.texts else ""
    said = own and start["mark"] and words_of(text[start.end() :]).startswith(own)
    spaced = start["mark"] or text[start.end(1) : start.end(1) + 1] == " "
    if not spaced or not (said or start["because"] or start["mark"] in tuple(")]")):
        return None
    return question.reading(start[1].upper(), _MARKS.get(start["mark"], "first_char"))


def _is_walk(text: str, letter: str) -> bool:
    """Whether the second label that begins an item is the one after the first; a bare letter may precede a walk."""
    items = _MARKED.finditer(text)
    first, second = next(items, None), next(items, None)
    if not first or not second or first[1] != letter or ord(second[1]) != ord(letter) + 1:
        return False
    bare = text.partition("\n")[0] == letter
    return not bare or second[0].strip() == second[1]


_IN_A_LINE = re.compile(r"(?<![\w'’&+/-])([A-Z])(?=[)\].:]| ?[-–—=|/→:])")


def _names_all_in_a_line(text: str, question: Question) -> bool:
    """Whether the first line goes through all options of the question, of three or more, each label with a mark behind it."""
    labels = _IN_A_LINE.findall(text.partition("\n")[0]) if len(question.labels) > 2 else []
    return "".join(each for each in labels if each in question.labels) == question.labels


def _last_line(text: str, question: Question) -> Reading | None:
    """A label alone in the last line, unless the line above is another label alone."""
    *above, line = text.split("\n")
    last = _LAST_LINE.fullmatch(line)
    if not last:
        return None
    if above and len(other := above[-1].strip(AROUND)) == 1 and other.isalnum() and other != last["letter"]:
        return no_letter("ambiguous")
    if above and _goes_on_listing("\n".join(above), last["letter"]):
        return None
    return question.reading(last["letter"].upper(), _NAMES[last["name"].lower()] if last["name"] else "end_of_string")


def _goes_on_listing(above: str, letter: str) -> bool:
    """Whether a label alone continues a list of options that was cut off: the next after the last item, or the first of all."""
    item = last_match(_MARKED, above)
    return (item is not None and ord(letter) == ord(item[1]) + 1) or bool(_LIST_BEGINS.search(above))


_CONCLUDED = re.compile(
    r"(?i:(?:^|[.!?;,\n] ?|\b)(?:so|thus|therefore|hence|consequently|ultimately|finally|overall|in the end|in conclusion|"
    r"by elimination|(?:which |that |this )?leav(?:es|ing)|"
    r"then)[,:]?"
    r"(?: (?:only|just|us with|it['’]s|it is|it must be|it has to be|option|choice|answer|the answer|must be|I say))*[,:]? )"
    rf"{OPEN}([A-Z]){CLOSE}[.!]?{CLOSE}\Z"
    r"|(?i:(?:^|[.!?\n] ?)the (?:only )?(?:one|option|statement|choice|alternative)\b[^.!?\n]{0,100} (?:is|must be|would be)"
    rf"(?: therefore| thus| then)? ){OPEN}([A-Z]){CLOSE}[.!]?{CLOSE}\Z"
    rf"|(?<=[a-z0-9%)]) ?(?:[→⇒➡]|=>|-{{1,2}}>) ?{OPEN}([A-Z]){CLOSE}[.!]?{CLOSE}\Z"
)


def _concluded(text: str, question: Question) -> Reading | None:
    """A label that the last words of a reply come to."""
    found = _CONCLUDED.search(text, max(0, len(text) - 160))
    if not found or denied(text, found.start(found.lastindex or 1)) or not text[: found.start()].strip():
        return None
    return question.reading(found[1] or found[2] or found[3], "end_of_string")


def _by_verb(text: str, question: Question) -> Reading | None:
    """What the reply says that it chooses, the last time that it does so."""
    return _last(list(_by_choice(text, question)), question)


_SHORT = 300
_TERSE = 60
_INTRODUCED = re.compile(
    rf"(?i:(?:^|[^\w])(?:only|is|be|so|thus|therefore|hence|say|think|believe|probably|likely|maybe|"
    rf"definitely|clearly|with|it['’]s)[:,]? ){OPEN}\Z"
)
_OPENS = re.compile(rf"(?:^|[\n:;,—–…]|[.!?] | - ) ?{NAMED}{OPEN}\Z")
_GOES_ON = re.compile(
    rf"{CLOSE}(?:[.,;!](?!\w)|\n|\Z| (?:because|since|as|due|given|based|fits|matches|for (?:sure|certain)|definitely|"
    rf"obviously|[-–—])(?!\w))"
)
_REFUSAL = re.compile(
    r"(?i)\b(?:can(?:not|['’]t| not)|unable to|not able to|won['’]t|will not)(?: \w+){0,2} "
    r"(?:answer|assist|help|provide|determine|choose|comply)\b"
    r"|\bas an ai\b|\bI(?:['’]m| am) sorry\b|\bI (?:do not|don['’]t) know\b|\b(?:lo siento|es tut mir leid|je suis désolé)"
)


def _only_letter(text: str, question: Question) -> Reading | None:
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


_INITIALS = re.compile(r"\. ?[A-Z]\. ?[A-Z]")


def _dismissed(text: str, label: re.Match[str]) -> bool:
    asked = text.startswith("?", label.end())
    titled = TITLE.search(text, max(0, label.start() - 12), label.start())
    return (
        asked
        or titled is not None
        or _INITIALS.match(text, label.end()) is not None
        or denied(text, label.start())
        or supposed(text, max(0, label.start() - 40), label.end())
        or DISMISSED.match(text, label.end()) is not None
    )


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


_STEPS = (
    _declared,
    judged,
    _leading,
    _leading_small,
    _last_line,
    _concluded,
    _by_verb,
    by_label_at_text,
    by_text,
    eliminated,
    _only_letter,
)
"""In the order in which they are trusted."""
