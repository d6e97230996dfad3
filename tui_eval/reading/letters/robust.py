"""The letter that a careful reader finds in a reply: steps in the order in which they are trusted, none where in doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.chat_tokens import without_chat_tokens
from tui_eval.reading.letters.closing import alone, closing, is_symbol, opening
from tui_eval.reading.letters.cues import (
    AROUND,
    CLOSE,
    CUE,
    DISMISSED,
    ENDS,
    IT_IS,
    LEANS,
    LIST_OPENS,
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
from tui_eval.reading.letters.found import Found, after, is_word, joined_labels, letter_of, names_another
from tui_eval.reading.letters.judged import eliminated, judged
from tui_eval.reading.letters.leading import last_line, leading, leading_small, without_lists
from tui_eval.reading.letters.marked_up import marked_up
from tui_eval.reading.letters.outcome import CONTRADICTED, SHARED, Question, Reading, no_letter
from tui_eval.reading.letters.plain import (
    plain_text,
    said_once,
    with_brackets_for_emphasis,
    without_enclosure,
    without_thinking,
    words_of,
)
from tui_eval.reading.letters.positions import by_letter
from tui_eval.reading.letters.rated import without_ratings
from tui_eval.reading.letters.retractions import contrasts, corrections, last_reconsideration, open_retraction, reconsidered
from tui_eval.reading.letters.set_aside import sets_aside
from tui_eval.reading.letters.single_letters import is_shared, without_own_letters
from tui_eval.reading.letters.texts import by_declared_text, by_label_at_text, by_mention, contradicted
from tui_eval.reading.letters.unfinished import MENTIONED, TRUNCATED, breaks_off, of_cut


@lru_cache(maxsize=1024)
def _question(n_options: int, options: tuple[str, ...]) -> Question:
    return Question(ascii_uppercase[:n_options], tuple(words_of(plain_text(option)) for option in options[:n_options]))


def read_robustly(text: str, n_options: int, options: Sequence[str], finished: bool | None = None) -> Reading:
    """Return what a careful reader would say that the reply picks; none where two options, or no option, could be meant.

    A letter beside which the text of another option stands counts, with a note. `finished`: whether the reply came to its
    end; None where nobody knows, so that its last sentence tells. Of an unfinished reply only a declared letter counts.
    """
    proper = without_thinking(text)
    if proper is None:
        return no_letter("truncated_reasoning")
    plain = plain_text(with_brackets_for_emphasis(without_chat_tokens(proper)))
    if not plain:
        return no_letter("empty")
    question = _question(n_options, tuple(options))
    reading = _whole(plain, question) or _with_texts(
        by_letter(said_once(without_enclosure(plain)), question), question, finished
    )
    if finished is False:
        reading = of_cut(reading, plain, question)
    if not reading.letter or not question.texts:
        return reading
    if len(plain) > 3 and contradicted(plain, reading.letter, question):
        return replace(reading, note=CONTRADICTED)
    return replace(reading, note=SHARED) if is_shared(plain, reading.letter, question) else reading


def _with_texts(text: str, question: Question, finished: bool | None) -> Reading:
    """Read a reply by labels and option texts; where the labels alone say another letter, neither counts."""
    reading = _read(without_own_letters(text, question), question, finished)
    if not reading.letter or not question.texts:
        return reading
    by_labels = _read(text, Question(question.labels, ()), finished)
    return no_letter("ambiguous") if by_labels.letter and by_labels.letter != reading.letter else reading


def _whole(plain: str, question: Question) -> Reading | None:
    """Read a reply of one letter and marks: a label, or else an option's text."""
    whole = plain.strip(AROUND)
    if len(whole) != 1 or not whole.isascii() or not whole.isalpha():
        return None
    if whole.upper() not in question.labels and question.texts.count(whole.casefold()) == 1:
        return Reading(question.labels[question.texts.index(whole.casefold())], "option_text", "")
    return question.reading(whole.upper(), "parentheses" if plain.startswith("(") else "first_char")


def _read(text: str, question: Question, finished: bool | None) -> Reading:
    reading = _whole(text, question)
    if reading is not None:
        return reading
    marked = marked_up(text, question)
    if marked is not None:
        return marked[0] if marked[0].letter is None else _stated(text[marked[1] :], question) or marked[0]
    again = last_reconsideration(text)
    if again is not None and (stated := _stated(text[again:].lstrip(_POINTS), question)):
        return stated
    return _said(without_lists(text, question), question, finished)


_POINTS = " .,:;!…—–-\n"


def _stated(text: str, question: Question) -> Reading | None:
    """Read the letter that a part of a reply states, in whichever form; None where it only speaks of options."""
    if not text.strip(AROUND):
        return None
    found = (step(text, question) for step in _STATING)
    return _whole(text, question) or next((reading for reading in found if reading is not None and reading.letter), None)


def _said(text: str, question: Question, finished: bool | None) -> Reading:
    """What the words say; a row of rated options says less than what is declared beside it, and more than the rest does."""
    rest, rated = without_ratings(text, question)
    if rated is None:
        return _worded(text, question, finished)
    if rated.letter:
        return _declared(rest, question) or rated
    reading = _worded(rest, question, finished)
    return rated if reading.reason == "no_letter" else reading


def _worded(text: str, question: Question, finished: bool | None) -> Reading:
    for step in _STEPS:
        if reading := step(text, question):
            doubtful = finished is None and step in _MENTIONING and reading.pattern in MENTIONED
            return TRUNCATED if doubtful and breaks_off(text, reading, question) else reading
    if joined_labels(text, question):
        return no_letter("ambiguous")
    return no_letter("refusal" if _REFUSAL.search(text) else "no_letter")


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
        yield Found(label.end(), _only_of(text, label, question), _cue_name(cue, noun))


def _only_of(text: str, label: re.Match[str], question: Question) -> str | None:
    """The letter of a declared label; None where another is joined to it, behind its text or at once."""
    letter = letter_of(text, label)
    return None if letter and names_another(text, label.end(), letter, question) else letter


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
    found += [*_by_small_verdict(text), *corrections(text, question), *contrasts(text)]
    if found and (again := reconsidered(text)) is not None:
        found += [each for each in _by_choice(text, question) if each.at > again]
    reading = _last(found, question)
    if reading and reading.letter and open_retraction(text, max(each.at for each in found)):
        return no_letter("ambiguous")
    if reading and reading.reason == "ambiguous":
        return _last([*found, *_by_choice(text, question)], question)
    return reading


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
        if _in_place(text, each, before, ends) and not (
            "(" in before[-1:] and is_symbol(text[: each.start() - 1], each[1], question)
        ):
            return Reading(each[1], _place_name(before, ends), "")
    return None


_INITIALS = re.compile(r"\. ?[A-Z]\. ?[A-Z]")


def _dismissed(text: str, label: re.Match[str]) -> bool:
    asked = text.startswith("?", label.end())
    titled = TITLE.search(text, max(0, label.start() - 12), label.start())
    return (
        asked
        or titled is not None
        or LIST_OPENS.search(text, max(0, label.start() - 60), label.start()) is not None
        or _INITIALS.match(text, label.end()) is not None
        or denied(text, label.start())
        or supposed(text, max(0, label.start() - 40), label.end())
        or DISMISSED.match(text, label.end()) is not None
    )


def _in_place(text: str, label: re.Match[str], before: str, ends: bool) -> bool:
    """Whether a letter stands where labels do: after a word that leads to one, on its own, or in brackets at the end."""
    if _INTRODUCED.search(before) or _is_subject(text, label) or (ends and "(" in before[-2:] and label.end() < len(text)):
        return True
    # The last character of a longer text may be the first of a sentence that was cut off.
    cut_off = not text[label.end() :].strip(")]:") and len(text) > _TERSE
    return bool(not cut_off and _OPENS.search(before) and _GOES_ON.match(text, label.end()))


_SUBJECT = re.compile(
    rf"{OPEN}[A-Z]{CLOSE} (?:is what|(?!(?:says|states|indicates|suggests|claims|mentions|implies|refers|describes|means|talks|"
    r"concerns|involves|includes|looks|sounds|seems|appears|reads|was|is|has|does|as|this|its|class|plus|versus)\b)"
    r"[a-z]{2,}(?:[^s\W]s|[sxz]es)(?! (?:are|were|is|was|have|has|do|can|will|in|of)\b))\b[^.!?\n]{0,200}[.!]?\Z"
)


def _is_subject(text: str, label: re.Match[str]) -> bool:
    """Whether a reply is one sentence that begins with a label and says only what it does, as in `C protects the steel.`"""
    if text[: label.start()].strip("([{\"'“‘«<") or not _SUBJECT.fullmatch(text):
        return False
    return not sets_aside(f" {words_of(text[label.end() :])} ")


def _place_name(before: str, ends: bool) -> str:
    if _names_option(before):
        return "option"
    return "end_of_string" if ends else "standalone"


_STEPS = (
    _declared,
    judged,
    leading,
    leading_small,
    opening,
    last_line,
    _concluded,
    _by_verb,
    by_label_at_text,
    closing,
    alone,
    by_declared_text,
    by_mention,
    eliminated,
    _only_letter,
)
"""In the order in which they are trusted."""
_STATING = (_declared, opening, last_line, _concluded, _by_verb, closing, alone)
"""Those that only take a letter which stands where an answer does."""
_MENTIONING = frozenset({leading, by_mention, eliminated, _only_letter})
"""Steps that take a letter from what is only spoken of: they say nothing of a text that breaks off."""
