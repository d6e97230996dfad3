"""Labels that English words declare to be the answer, call it, or choose: each with its place and the pattern that found it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_eval.reading.letters.cues import AROUND, CLOSE, CUE, ENDS, IT_IS, LEANS, PARTNER, SMALL_VERDICT, VERB, VERDICT
from tui_eval.reading.letters.denials import denied, dismissed_after, of_anybody, supposed
from tui_eval.reading.letters.found import Found, after, is_word, letter_of, names_another
from tui_eval.reading.letters.only_letter import TERSE, names_option
from tui_eval.reading.letters.outcome import Question

_ENDS = re.compile(rf"{CLOSE}(?:[).:,;]|\n|\Z)")


def by_cue(text: str, question: Question) -> Iterator[Found]:
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
        yield Found(label.end(), _only_of(text, label, question), _cue_name(cue, noun))


def _is_a_line(text: str, cue: re.Match[str], label: re.Match[str]) -> bool:
    """Whether a cue with a mark, and the label behind it, are a line: `Solution: B`."""
    before, behind = text[: cue.start()].rpartition("\n")[2], text[label.end() :].partition("\n")[0]
    return bool(cue["mark"]) and not before.strip() and not behind.strip(AROUND)


def _declares_bare(text: str, cue: re.Match[str], noun: str) -> bool:
    """Whether a cue without a verb or a mark declares: one that praises, or `answer` on a line of its own or before one."""
    gap = text[cue.end("noun") : cue.end()]
    line = text[: cue.start()].rpartition("\n")[2]
    heads = "\n" in gap and not _SAYS.search(line)
    return bool(cue["praise"]) or (noun == "answer" and (heads or not line))


_SAYS = re.compile(r"(?i)\b(?:is|was|this|that|not)\b")
"""Words of a line that goes on from it, so that `answer` at its end heads nothing."""


def _only_of(text: str, label: re.Match[str], question: Question) -> str | None:
    """The letter of a declared label; None where another is joined to it, behind its text or at once."""
    letter = letter_of(text, label)
    return None if letter and names_another(text, label.end(), letter, question) else letter


_WOULD = 8
"""Characters in front of a verb of choosing in which `would` may stand."""


def by_choice(text: str, question: Question) -> Iterator[Found]:
    """Each label behind words such as `I would go with`."""
    for cue, label in after(VERB, text):
        named = cue[0].lower().rstrip().endswith(("option", "choice"))
        cut_off = label[2] and label.end() == len(text) and not named and (len(text) > TERSE or not text.islower())
        if cut_off or is_word(text, label, question) or denied(text, cue.start()) or of_anybody(text, cue, label.end()):
            continue
        if supposed(text, max(0, cue.start() - _WOULD), label.end()):
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


def by_verdict(text: str, question: Question) -> Iterator[Found]:
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
        yield Found(verdict.end(), None if partner or verdict["also"] else letter.upper(), name)


def by_small_verdict(text: str) -> Iterator[Found]:
    """The same of small letters."""
    for small in SMALL_VERDICT.finditer(text):
        if not denied(text, small.start(1)):
            yield Found(small.end(), small[1].upper(), "standalone")
