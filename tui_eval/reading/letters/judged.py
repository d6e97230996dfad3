"""Options judged one by one, ticked, or ruled out until one is left: what a careful reader concludes from it."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import CLOSE, NAMED, OPEN, SINGLE
from tui_eval.reading.letters.denials import dismissed_after, ruled_out
from tui_eval.reading.letters.outcome import LetteredOptions, LetterReading
from tui_eval.reading.letters.plain import words_of

RIGHT_WORDS = (
    "correct|true|right|yes|valid|richtig|wahr|ja|stimmt|vrai|correcte|oui|exact|correct[ao]|verdader[ao]|cierto|cierta|sí|"
    "poprawn[aey]|prawidłow[aey]|správn[ěáýé]|rätt|riktigt?|rigtigt?|goed|đúng|σωστ[όή]|صحيحة?|सही|정답|맞음|ถูก|"
    "verdadeir[ao]|corret[ao]|juist|oikein|doğru|benar|sim|vero|vera|corrett[ao]|верно|правильно|да"
)
WRONG_WORDS = (
    "incorrect|false|wrong|no|not (?:correct|true|right|it|what|supported)|invalid|an? distractor|eliminated?|"
    "falsch|nein|faux|non|incorrecte|incorrect[ao]|fals[ao]|"
    "błędn[aey]|nieprawidłow[aey]|niepoprawn[aey]|špatn[ěáýé]|nesprávn[ěáýé]|fel|feil|galt|forkert|fout|sai|λάθος|خطأ|"
    r"गलत|오답|틀림|ผิด|incorret[ao]|errad[ao]|onjuist|väärin|yanlış|salah|sbagliat[ao]|неверн\w{1,2}|неверен|неправильн\w{1,2}|falsche[rns]?|нет"
)
"""Words of many languages by which an option is called right, or wrong, as alternatives of a pattern."""
SIGN = re.compile("[✓✔✅☑✗✘❌✖☒]")
"""What ticks an option or crosses it out: options that are repeated with it are not merely repeated."""
_SIGNS = r"(?P<tick>[✓✔✅☑])|(?P<cross>[✗✘❌×✕☒])"
HAN = (
    r"(?P<han_wrong>不符合题意|不適切|不适合|不正确|不对|错误|错|錯誤|錯|誤り|間違い)|"
    r"(?P<han_right>符合题意|適切|正确|正確|对|對|正しい)"
)
"""The same in Chinese and Japanese."""
_WORD = rf"(?P<right>{RIGHT_WORDS})(?!\w)|(?P<wrong>{WRONG_WORDS})(?!\w)"
_FITS_AT_FRONT = (
    r"(?:[-–—=→|] ?|(?<=: ))(?:(?P<fits>fits|matches|applies|trifft zu|passt)|"
    r"(?P<unfit>(?:does not|doesn['’]t) (?:fit|match|apply)|"
    r"trifft nicht zu|passt nicht))"
)
"""Verbs for the same, behind a dash or colon: elsewhere they may go on, or stand behind `neither`."""
_AT_FRONT = re.compile(
    rf"(?i){CLOSE}(?:选?项|選?項)?(?:[.:,?]?{CLOSE} ?(?:[-–—:=→(|] ?)?"
    r"(?:(?:it |this |that )?(?:is|are|was|ist|est|es|é|è) (?:the )?)?"
    rf"(?:{_SIGNS}|{HAN}|(?:{_WORD})"
    r"(?=[.,;:!)\n]| [-–—(|]|\Z| (?:because|since|as|for|due|answer|option|choice|and|[A-Z]\b)))"
    rf"|:? ?{_FITS_AT_FRONT}(?=[.,;:!\n]|\Z| (?:because|since|as|best)\b))"
)
_THIS_IS = (
    r"(?:(?:(?:this|that|it)(?: (?:one|option|statement|answer|choice))?(?: is| was|['’]s)|es|das ist|(?:c['’])est|eso es|"
    r"è|é|это) )?"
)
_AT_END = re.compile(
    rf"(?i)(?:{_SIGNS})[.!) ]*\Z|(?:[-–—:(→=\[,] ?|\. |\)[:,]? (?=(?:is|ist|est|es|è|é) )){_THIS_IS}(?:(?:is|ist|est|es|è|é) )?"
    rf"(?:{_WORD})[.!)\] ]*\Z|[-–—:→=,(] ?(?:{HAN})[.。!) ]*\Z|{_FITS_AT_FRONT}[.! ]*\Z"
)
_AFTER_TEXT = re.compile(
    rf"(?i)(?:[-–—:=→(,|] ?|\. ){_THIS_IS}(?:the )?(?:{_WORD})"
    rf"(?=[.,;:!)]|\Z| (?:because|since|answer|option|choice|one|the question)\b)|"
    rf"[-–—:→] ?(?:{_SIGNS})(?= )|[-–—:→…] ?(?:{HAN})(?=[,.。、]|\Z)"
)
_BOX = re.compile(rf"(?m)^\[(?P<tick>[xX✓✔])?\s?\] ?{NAMED}{OPEN}(?P<letter>[A-Z])(?![\w'’])")
_CROSSED = re.compile(rf"[❌✗✘✖☒] ?{NAMED}{OPEN}([A-Z])(?![\w'’])")
_SMALL_LINE = re.compile(r"[(\[]?([a-z])[)\].:]{1,2}(?= )")
_LINE = re.compile(rf"{NAMED}[(\[\"“]?([A-Z])[\"”]?(?P<mark>[)\].:]{{1,2}}| ?[-–—:|]|(?= ))")
_SHORT = 600
_CONCLUDES = re.compile(
    r"(?i)(?:\b(?:so|therefore|thus|hence|then|only|sondern|bleibt|reste|queda|leav(?:es?|ing)|left with|remain(?:s|ing)|"
    r"must be|it['’]s|"
    r"it is|would be|is|because|by elimination|conclude|take|mais|sino|but|rather|also|daher|donc)[,:]?"
    r"(?: (?:only|just|us|with|me|the|answer|option|choice|is|must|be|it|one|correct|remaining|left|as|letter|right|most|"
    r"likely))*[,:]?"
    r"|[→⇒:]) ?[(\[\"'“]?\Z"
)
_HOLDS = re.compile(
    rf"{CLOSE}[,:]? (?:it is|must be|is (?:the one|left|right|correct|true|it|accurate|best)\b(?! (?:in|for|of|if|only|"
    rf"when))(?!,? but)|remains?|fits|works|does\b(?! not)|"
    r"holds|stands|matches|survives|alone|bleibt|reste|queda|is therefore|because|rather|instead)"
)
_BUT = re.compile(
    rf"(?i)\b(?:all|every|everything|each|none|no)(?: of)?(?: the)?(?: (?:others?|options?|choices?|answers?|statements?|"
    rf"one))? "
    rf"(?:but|except(?: for)?|other than|apart from|besides) {NAMED}{OPEN}([A-Z]){CLOSE} (?P<is>are|is|can be|could be|has|"
    rf"have) "
    r"(?:been )?(?P<what>(?:all )?(?:wrong|incorrect|false|ruled out|eliminated|excluded)|right|correct|true)"
)
_UNDECIDED = re.compile(
    r"(?i)\b(?:can(?:['’]t|not) (?:decide|choose|tell)|not sure|unsure|undecided|either way|hard to say|between the two|"
    r"toss[- ]up|unclear)\b"
)


def judged(text: str, question: LetteredOptions) -> LetterReading | None:
    """The one option that is called right, or ticked, where the others are called wrong; or the one that is left."""
    if words_are_options(question) or _repeats_a_line(text):
        return None
    right, wrong = _verdicts(text, question)
    if (right & wrong) or len(right) > 1:
        return None
    if right and wrong and (len(text) <= _SHORT or len(wrong) == len(question.labels) - 1):
        return question.reading(right.pop(), "option_by_option")
    remaining = set(question.labels) - wrong
    prose = "\n".join(line for line in text.split("\n") if not ((start := _LINE.match(line)) and start["mark"].strip()))
    if right or len(remaining) != 1 or remaining & ruled_out(prose)[0]:
        return None
    return question.reading(remaining.pop(), "elimination")


def is_judgement(line: str, question: LetteredOptions) -> bool:
    """Return whether a line calls its option right or wrong."""
    return _BOX.match(line) is not None or any(_verdicts(line, question))


def _repeats_a_line(text: str) -> bool:
    """Return whether the last line repeats one above, a label and a few words: these are an option, and no verdict."""
    *above, last = text.split("\n")
    same = [line for line in above if words_of(line) == words_of(last)]
    return bool(same) and _LINE.match(last) is not None


_VERDICT_WORD = re.compile("true|false|yes|no|correct|incorrect|right|wrong|richtig|falsch|wahr|ja|nein|vrai|faux|oui|non")


def words_are_options(question: LetteredOptions) -> bool:
    """Return whether words such as `true` and `no` are options, or may be where two are unknown: then they judge nothing."""
    return any(map(_VERDICT_WORD.fullmatch, question.texts)) or (len(question.labels) == 2 and not question.texts)


def _verdicts(text: str, question: LetteredOptions) -> tuple[set[str], set[str]]:
    """Labels that are called right, and labels that are called wrong, by a word or sign beside them or at their line's end."""
    right: set[str] = set()
    wrong: set[str] = set()
    if boxes := _boxes(text, question):
        return boxes
    for line in (each.strip("| ") for each in text.split("\n")):
        if small := _SMALL_LINE.match(line):
            line = line[: small.start(1)] + small[1].upper() + line[small.end(1) :]
        if crossed := _CROSSED.match(line):
            wrong.add(crossed[1])
            continue
        start = _LINE.match(line)
        verdicts = _beside_labels(line, start, question)
        if start and not verdicts and start[1] in question.labels:
            if (behind := _behind_text(line, start.end(), start[1], question)) is not None:
                (right if behind else wrong).add(start[1])
            elif verdict := _said_of(line, start.end()):
                verdicts = [(start[1], verdict)]
        for letter, verdict in verdicts:
            (right if verdict.lastgroup in ("tick", "right", "han_right", "fits") else wrong).add(letter)
    return right & set(question.labels), wrong & set(question.labels)


def _beside_labels(line: str, start: re.Match[str] | None, question: LetteredOptions) -> list[tuple[str, re.Match[str]]]:
    """The labels of a line with a verdict behind each; none where the line is an option in which labels stand."""
    labels = [each for each in SINGLE.finditer(line) if each[1] in question.labels and not _is_inside(line, each.start())]
    own = question.texts[question.labels.index(start[1])] if start and question.texts and start[1] in question.labels else ""
    if start and own and f"{words_of(line[start.end() :])} ".startswith(f"{own} "):
        return []
    if start and start["mark"].strip() and labels and not _AT_FRONT.match(line, labels[0].end()):
        return []
    return [(each[1], verdict) for each in labels if (verdict := _AT_FRONT.match(line, each.end()))]


def _is_inside(line: str, at: int) -> bool:
    """Return whether a place is in brackets that began with other words."""
    opened = line.rfind("(", 0, at)
    return opened > line.rfind(")", 0, at) and bool(line[opened + 1 : at].strip())


_ARROW = re.compile(r" ?(?:-{1,2}>|=>|[→⇒➡]|[-–—]|:)(?= )")
_FITS = re.compile(
    r" (?:(?:this|that|it|which|exactly|clearly) )*(?:matches|fits|agrees|works|holds)\b(?! (?:only|if|when|for)\b)"
)


def _behind_text(line: str, at: int, label: str, question: LetteredOptions) -> bool | None:
    """Return whether an option holds whose line gives the label, its own text, a dash or arrow, and a verdict in words.

    None where it gives no text, another one, or no verdict.
    """
    if not question.texts:
        return None
    for arrow in _ARROW.finditer(line, at):
        if words_of(line[at : arrow.start()]) == question.texts[question.labels.index(label)]:
            return False if dismissed_after(line, arrow.end()) else True if _FITS.match(line, arrow.end()) else None
    return None


def _boxes(text: str, question: LetteredOptions) -> tuple[set[str], set[str]] | None:
    """The labels beside boxes that are ticked, and beside others; None of fewer than two boxes."""
    boxes = [box for box in _BOX.finditer(text) if box["letter"] in question.labels]
    if len(boxes) < 2:
        return None
    return {box["letter"] for box in boxes if box["tick"]}, {box["letter"] for box in boxes if not box["tick"]}


def _said_of(line: str, at: int) -> re.Match[str] | None:
    """Return the verdict of a line that begins with a label: behind the option's text, or at the end."""
    return _AFTER_TEXT.search(line, at, at + 400) or _AT_END.search(line, max(0, len(line) - 40))


def eliminated(text: str, question: LetteredOptions) -> LetterReading | None:
    """In a reply of some sentences, the one option that is not ruled out where others are, if the reply ends up with it."""
    if len(text) > _SHORT or _UNDECIDED.search(text):
        return None
    if but := _BUT.search(text):
        right, no = but["what"].startswith(("right", "correct", "true")), but[0].lower().startswith("no")
        return question.reading(but[1], "elimination") if right == no else None
    out, other_groups = ruled_out(text)
    out &= set(question.labels)
    named_labels = {each[1] for group in other_groups for each in SINGLE.finditer(group[0]) if each[1] in question.labels}
    remaining = named_labels - out
    rest = _rest_is_out(text)
    if not (out or rest) or any(text.startswith("?", group.end()) for group in other_groups):
        return None
    return _left_over(text, other_groups, remaining, named_labels, out, rest, question)


def _left_over(
    text: str,
    other_groups: list[re.Match[str]],
    remaining: set[str],
    named_labels: set[str],
    out: set[str],
    rest: bool,
    question: LetteredOptions,
) -> LetterReading | None:
    """The option that is left of those named; `out`: those ruled out; `rest`: whether all that are not named are."""
    if rest and len(remaining) == 1:
        return question.reading(remaining.pop(), "elimination")
    if not named_labels and len(out) == len(question.labels) - 1:
        return question.reading(next(iter(set(question.labels) - out)), "elimination")
    if len(remaining) != 1:
        return _standing(text, other_groups, remaining, question)
    letter = remaining.pop()
    places = [group for group in other_groups if group[0].strip(" ()[]\"'“”.:") == letter]
    return question.reading(letter, "elimination") if any(_stands(text, group) for group in places) else None


_REST = re.compile(
    r"(?i)\b(?:the|all) (?:(?:the )?others?(?: (?:options?|choices?|answers?|statements?|ones?|three|two|four))?|rest)(?!\w)"
)
_TOGETHER = re.compile(rf"{SINGLE.pattern}{CLOSE},? (?:and|or|nor|as well as|like)(?: all)? \Z")


def _rest_is_out(text: str) -> bool:
    """Return whether all options but those that are named are ruled out: `the others fail`; not `C and the others fail`."""
    return any(
        dismissed_after(text, rest.end()) and not _TOGETHER.search(text, max(0, rest.start() - 30), rest.start())
        for rest in _REST.finditer(text)
    )


def _stands(text: str, label: re.Match[str]) -> bool:
    before = text[max(0, label.start() - 50) : label.start()]
    opens = not before.strip(" \n\"'“(") or before.rstrip().endswith((".", ";", ":", "\n", "—", ","))
    ends = not text[label.end() :].strip(" .!)\"'”")
    return bool(_CONCLUDES.search(before) or _HOLDS.match(text, label.end()) or (opens and ends))


def _standing(
    text: str, other_groups: list[re.Match[str]], remaining: set[str], question: LetteredOptions
) -> LetterReading | None:
    """Of several that are not ruled out, the only one of which it is said that it holds."""
    holds = {group[0] for group in other_groups if group[0] in remaining and _HOLDS.match(text, group.end())}
    return question.reading(holds.pop(), "elimination") if len(holds) == 1 else None
