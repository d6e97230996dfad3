"""The letter that a careful reader finds in a reply: steps in the order in which they are trusted, none where in doubt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from string import ascii_uppercase

from tui_eval.reading.letters.closing import alone, closing, opening
from tui_eval.reading.letters.cues import (
    AROUND,
    CLOSE,
    INVISIBLE,
    OPEN,
    SINGLE,
)
from tui_eval.reading.letters.declarations import (
    by_choice,
    by_cue,
    by_relation,
    by_small_verdict,
    by_verdict,
    by_words_of_languages,
    declared_alone,
    glued_labels,
    listed_as_right,
)
from tui_eval.reading.letters.declared_labels import DeclaredLabel, joined_labels
from tui_eval.reading.letters.denials import denied, ruled_out
from tui_eval.reading.letters.judged import eliminated, is_judgement, judged
from tui_eval.reading.letters.leading import last_line, leading, leading_small, without_lists
from tui_eval.reading.letters.marked_up import marked_up, without_boxes
from tui_eval.reading.letters.next_question import breaks_off_in_marks, without_chat_tokens, without_next_question
from tui_eval.reading.letters.only_letter import REFUSAL, is_shared, only_letter, without_own_letters
from tui_eval.reading.letters.outcome import CONTRADICTED, SHARED, LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import (
    plain_text,
    said_once,
    with_simple_marks,
    without_enclosure,
    words_of,
)
from tui_eval.reading.letters.rated import without_ratings
from tui_eval.reading.letters.retractions import (
    corrections,
    open_retraction,
    reconsiderations,
    reconsidered,
    taken_back,
    thinks_again,
)
from tui_eval.reading.letters.texts import by_declared_text, by_label_at_text, by_mention, contradicted
from tui_eval.reading.letters.unfinished import (
    DECLARED,
    LEADS,
    MENTIONED,
    TRUNCATED,
    begins_a_walk,
    begins_as_item,
    begins_as_row,
    breaks_off,
    of_cut,
    stops_in_an_item,
    stops_in_the_middle,
    without_fragment,
    without_last_sentence,
)
from tui_eval.reading.letters.unsaid import view_around
from tui_eval.reading.thinking import without_thinking

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(
    rf"\b(?:(?:the )?(?P<place>{'|'.join(_ORDINALS)}|last) (?:(?:answer|listed|given) )?(?:option|alternative)(?![\w-])"
    r"|option (?:no\. ?|number |#)?(?P<number>[1-9][0-9]?)(?![\w.,-]?[0-9a-z%]))",
    re.IGNORECASE,
)


def by_letter(text: str, question: LetteredOptions) -> str:
    """The text with the label in place of an option's position; as it is where an option's own text speaks of positions."""
    if "option" not in (lower := text.lower()) and "alternative" not in lower:
        return text
    if any(word in option.split() for option in question.texts for word in (*_ORDINALS, "last", "option", "options")):
        return text

    def labelled(match: re.Match[str]) -> str:
        place = (match["place"] or "").lower()
        at = int(match["number"]) - 1 if not place else len(question.labels) - 1 if place == "last" else _ORDINALS.index(place)
        return f"option {question.labels[at]}" if at < len(question.labels) else match[0]

    return _PLACE.sub(labelled, text)


@lru_cache(maxsize=1024)
def _question(n_options: int, options: tuple[str, ...]) -> LetteredOptions:
    texts = options[:n_options] if len(options) >= n_options else ()
    return LetteredOptions(ascii_uppercase[:n_options], tuple(words_of(plain_text(option)) for option in texts))


def read_robustly(text: str, n_options: int, options: Sequence[str], finished: bool | None = None) -> LetterReading:
    """Return what a careful reader would say that the reply picks; none where two options, or no option, could be meant.

    A letter beside which the text of another option stands counts, with a note. `finished`: whether the reply came to its
    end; None where nobody knows, so that its last sentence tells. Of an unfinished reply only a declared letter counts.
    """
    proper = without_thinking(text)
    if proper is None:
        return no_letter("truncated_reasoning")
    if finished is None and breaks_off_in_marks(proper):
        finished = False
    plain = plain_text(with_simple_marks(without_chat_tokens(proper).strip(INVISIBLE)))
    if not plain:
        return no_letter("empty")
    question = _question(n_options, tuple(options))
    proper = without_next_question(plain, question)
    if proper != plain:
        plain, finished = proper, finished or None
    reading = _whole(plain, question) or _of_words(by_letter(said_once(without_enclosure(plain)), question), question, finished)
    if not reading.letter or not question.texts:
        return reading
    if len(plain) > 3 and contradicted(plain, reading.letter, question):
        return replace(reading, note=CONTRADICTED)
    return replace(reading, note=SHARED) if is_shared(plain, reading.letter, question) else reading


def _of_words(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading:
    """Read a reply of more than a letter, whole or cut, by both readers."""
    cut = finished is False or (finished is None and (stops_in_the_middle(text) or begins_a_walk(text, question)))
    reading = TRUNCATED if cut else _with_texts(text, question, finished)
    cut = reading == TRUNCATED
    reading = _of_cut(text, question) if cut else reading
    dots = finished is not True and reading.pattern not in DECLARED and stops_in_an_item(text, reading.letter or "")
    if dots or (finished is None and _is_a_first_item(text, reading, question)):
        return TRUNCATED
    return _agreed(reading, text, question, cut)


def _is_a_first_item(text: str, reading: LetterReading, question: LetteredOptions) -> bool:
    """Return whether a text breaks off in what is said of the first of options that are gone through."""
    first = reading.pattern == "option" and begins_as_item(text)
    first |= reading.pattern in LEADS and begins_as_row(text)
    return first and breaks_off(text, reading, question)


def _agreed(reading: LetterReading, text: str, question: LetteredOptions, cut: bool) -> LetterReading:
    """The reading, unless the narrow reader finds another letter and the reply does not think again behind that; or the same
    one, which is ruled out behind it.
    """
    rest = without_ratings(text, question)[0]
    alone = declared_alone(rest, question, cut) if reading.letter else None
    if alone is None:
        return reading
    letter, at = alone
    doubtful = letter in ruled_out(rest[at:])[0] if letter == reading.letter else not thinks_again(rest, at)
    return no_letter("ambiguous") if doubtful else reading


def _of_cut(text: str, question: LetteredOptions) -> LetterReading:
    """Read a reply that is known to be cut: its last sentence counts only where it declares a letter by itself."""
    text = without_fragment(text)
    if begins_as_row(text) or begins_a_walk(text, question):
        return TRUNCATED
    whole, last = without_last_sentence(text)
    if not whole:
        return of_cut(_with_texts(text, question, False), text, question)
    declared = next((each for step in (_declared, _by_verb) if (each := step(last, question))), None)
    if declared and declared.letter and declared.pattern != "option":
        reading = of_cut(_with_texts(text, question, False), text, question)
        if reading.letter:
            return reading
    reading = _with_texts(whole, question, True)
    if reading.letter is None or (reading.pattern == "option" and begins_as_item(whole)):
        reading = of_cut(reading, whole, question)
    if reading.letter is None:
        return reading
    above = whole.rpartition("\n")[2]
    listed = (
        reading.pattern not in DECLARED
        and _is_item(last, reading.letter)
        and _ITEM.match(above) is not None
        and not _stands_alone(above, last)
    )
    listed |= reading.pattern not in DECLARED and _is_next_item(whole, reading.letter)
    return TRUNCATED if listed or not _stands(whole, reading, question) else reading


_ITEM = re.compile(r"(?:[-•*] )?(?i:option )?[(\[]?([A-Z])(?:[)\].:]|\Z| (?=\())")


def _is_next_item(whole: str, letter: str) -> bool:
    """Return whether a text ends in a line that begins with this label and more, below one that begins with another."""
    lines = whole.split("\n")
    item = _ITEM.match(lines[-1])
    if len(lines) < 2 or item is None or item[1] != letter or not lines[-1][item.end() :].strip(AROUND):
        return False
    return _is_item(lines[-2], letter)


def _stands_alone(line: str, item: str) -> bool:
    """Return whether a line is a label alone, and not the one before that of the item below it."""
    label, next_label = line.strip(AROUND), _ITEM.match(item)
    return len(label) == 1 and next_label is not None and ord(next_label[1]) != ord(label) + 1


def _is_item(last: str, letter: str) -> bool:
    """Return whether a last sentence begins as a line of a list does, with another label."""
    item = _ITEM.match(last)
    return item is not None and item[1] != letter


def _stands(whole: str, reading: LetterReading, question: LetteredOptions) -> bool:
    """Return whether a letter is stated in the sentences before the cut, and not only what is left of them."""
    if reading.pattern in LEADS or marked_up(whole, question) is not None:
        return True
    stated = _stated(whole, question, True)
    return stated is not None and stated.letter == reading.letter


def _with_texts(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading:
    """Read a reply by labels and option texts; where the labels alone say another letter, neither counts."""
    reading = _read(without_own_letters(without_lists(text, question), question), question, finished)
    if not reading.letter or not question.texts:
        return reading
    by_labels = _read(text, LetteredOptions(question.labels, ()), finished)
    return no_letter("ambiguous") if by_labels.letter and by_labels.letter != reading.letter else reading


def _whole(plain: str, question: LetteredOptions) -> LetterReading | None:
    """Read a reply of one letter and marks: a label, or else an option's text."""
    whole = plain.strip(AROUND)
    if len(whole) != 1 or not whole.isascii() or not whole.isalpha():
        return None
    if whole.upper() not in question.labels and question.texts.count(whole.casefold()) == 1:
        return LetterReading(question.labels[question.texts.index(whole.casefold())], "option_text", "")
    return question.reading(whole.upper(), "parentheses" if plain.startswith("(") else "first_char")


def _read(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading:
    """Read a text; a letter that it takes back, and does not name behind that, is none."""
    reading = _last_said(text, question, finished)
    if not reading.letter or reading.pattern == "option_text":
        return reading
    back, again = taken_back(text), next(iter(reconsiderations(text)), None)
    behind = {label[1] for label in SINGLE.finditer(text, max(back or 0, again or 0))} & set(question.labels)
    gone = reading.letter not in behind and (back is not None or (again is not None and behind))
    return no_letter("ambiguous") if gone else reading


def _last_said(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading:
    reading = _whole(text, question)
    if reading is not None:
        return reading
    marked = marked_up(text, question)
    for again in reconsiderations(text):
        if marked and again <= marked[1]:
            break
        if stated := _stated(text[again:].lstrip(_POINTS), question, finished):
            return stated
    if marked is not None:
        return marked[0] if marked[0].letter is None else _stated(text[marked[1] :], question, finished) or marked[0]
    text = without_boxes(text)
    return _read_words(without_lists(text, question), question, finished)


_Step = Callable[[str, LetteredOptions], LetterReading | None]
_POINTS = " .,:;!…—–-\n"


def _stated(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading | None:
    """Read the letter that a part of a reply states, in whichever form; None where it only speaks of options."""
    if not text.strip(AROUND):
        return None
    readings = ((step, step(text, question)) for step in _STATING)
    stated = [each for step, each in readings if each and not (finished is False and _is_mention(step, each))]
    letter = next((each for each in stated if each.letter), None)
    return letter or next((each for each in stated if each.reason == "ambiguous"), None)


def _is_mention(step: _Step, reading: LetterReading) -> bool:
    """Return whether a step took a letter that may be only spoken of, so that it says nothing where a reply is cut."""
    return step not in _DECLARING and reading.pattern in MENTIONED


def _read_words(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading:
    """Read the words; a row of rated options says less than what is declared beside it, and more than the rest does."""
    rest, rated = without_ratings(text, question)
    if rated is None:
        return _worded(text, question, finished)
    if rated.letter:
        behind = _declared(rest, question) or _stated(rest.rpartition("…")[2], question, finished)
        return behind or (TRUNCATED if finished is False else rated)
    reading = _worded(rest, question, finished)
    return rated if reading.reason == "no_letter" else reading


def _worded(text: str, question: LetteredOptions, finished: bool | None) -> LetterReading:
    for step in _STEPS:
        if reading := step(text, question):
            if finished is False and reading.letter and _is_mention(step, reading):
                return TRUNCATED
            doubtful = finished is None and step in _MENTIONING and reading.pattern in MENTIONED
            return TRUNCATED if doubtful and breaks_off(text, reading, question) else reading
    if joined_labels(text, question) or glued_labels(text, question):
        return no_letter("ambiguous")
    return no_letter("refusal" if REFUSAL.search(text) else "no_letter")


# The steps, in the order in which they are trusted.


def _last(declarations: list[DeclaredLabel], question: LetteredOptions) -> LetterReading | None:
    within = [each for each in declarations if each.letter is None or each.letter in question.labels]
    if not within:
        return no_letter("no_letter") if declarations else None
    last = max(within, key=lambda each: each.at)
    return LetterReading(last.letter, last.pattern, "") if last.letter else no_letter("ambiguous")


def _declared(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the answer that a reply declares, the last time that it does so; of two, a choice made later decides.

    Who takes it back, or thinks again, means what he says then.
    """
    declarations = [*by_cue(text, question), *by_verdict(text, question), *by_words_of_languages(text, question)]
    declarations += [*by_small_verdict(text), *corrections(text, question), *by_relation(text)]
    if declarations and (again := reconsidered(text)) is not None:
        declarations += [each for each in by_choice(text, question) if each.at > again]
    reading = _last(declarations, question)
    if reading and reading.letter and open_retraction(text, max(each.at for each in declarations)):
        return no_letter("ambiguous")
    if reading and reading.letter and _only_from_a_view(text, max(each.at for each in declarations), reading.letter, question):
        return no_letter("ambiguous")
    if (
        reading
        and reading.letter
        and any(each.letter not in (None, reading.letter) for each in _chosen_behind(text, declarations, question))
    ):
        return no_letter("ambiguous")
    if reading and reading.reason == "ambiguous":
        return _last([*declarations, *by_choice(text, question)], question)
    return reading


def _only_from_a_view(text: str, at: int, letter: str, question: LetteredOptions) -> bool:
    """Return whether the sentence that declares a letter may give only a view, and the rest states another one."""
    view = view_around(text, at)
    stated = _stated(f"{text[: view[0]]}{text[view[1] :]}".strip(), question, True) if view else None
    return stated is not None and stated.letter not in (None, letter)


def _chosen_behind(text: str, declarations: list[DeclaredLabel], question: LetteredOptions) -> list[DeclaredLabel]:
    """Return the choices that a reply states behind the last of what it declares."""
    last = max(each.at for each in declarations)
    return [each for each in by_choice(text, question) if each.at > last and each.letter and each.letter in question.labels]


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


def _concluded(text: str, question: LetteredOptions) -> LetterReading | None:
    """A label that the last words of a reply come to."""
    match = _CONCLUDED.search(text, max(0, len(text) - 160))
    if not match or denied(text, match.start(match.lastindex or 1)) or not text[: match.start()].strip():
        return None
    return question.reading(match[1] or match[2] or match[3], "end_of_string")


def _by_verb(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the choice that a reply states, the last time that it does so."""
    return _last(list(by_choice(text, question)), question)


def _judged(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the outcome of options judged one by one, or what the line below them states."""
    reading = judged(text, question)
    above, line, last = text.rpartition("\n")
    if not reading or not line or is_judgement(last, question) or judged(above, question) != reading:
        return reading
    return _stated(last, question, True) or reading


_STEPS = (
    listed_as_right,
    _declared,
    _judged,
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
    only_letter,
)
"""In the order in which they are trusted."""
_STATING = (_declared, opening, last_line, _concluded, _by_verb, closing, alone, by_declared_text)
"""Those that only take a letter which stands where an answer does."""
_DECLARING = frozenset({_declared, by_declared_text})
"""Those whose letter stands in a reply that is cut, by whichever words it was declared."""
_MENTIONING = frozenset({leading, by_mention, eliminated, only_letter})
"""Steps that take a letter from what is only spoken of: they say nothing of a text that breaks off."""
