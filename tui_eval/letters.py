"""Which option a reply to a multiple-choice question picked: a letter and how it was found, or none and why."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase

EXTRACTIONS = ("robust", "formationeval-v0.1")
"""The rules by which a letter can be read: what the reply says, or what the code of FormationEval v0.1 makes of it."""

_LONGEST = 12_000
_TAIL = 8_000


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of one reply."""

    letter: str | None
    """A capital among the question's labels; None where the reply picks no option."""
    pattern: str
    """Name of the pattern that found the letter; `failed` where none did."""
    reason: str
    """Nothing with a letter, else `empty`, `ambiguous`, `refusal`, `truncated_reasoning` or `no_letter`."""


def read_letter(text: str | None, n_options: int, options: Sequence[str] = (), rule: str = "robust") -> Reading:
    """The option that a reply picked among the first `n_options` of A-Z (2 to 26).

    `options` are the option texts in the order in which they were shown, where they are known: a reply may repeat a text
    instead of its letter. `robust` prefers no letter over a wrong one and keeps the case of letters; `formationeval-v0.1`
    gives what that benchmark published, its misreadings included. Raises ValueError for another rule.
    """
    if rule == "robust":
        return _robust(text or "", n_options, options)
    if rule == "formationeval-v0.1":
        return _literal(text or "", n_options)
    raise ValueError(f"unknown rule {rule!r}; known: {', '.join(EXTRACTIONS)}")


def _none(reason: str) -> Reading:
    return Reading(None, "failed", reason)


# The rule of FormationEval v0.1: the first of these patterns that occurs in the upper-cased reply.


@lru_cache(maxsize=26)
def _literal_patterns(n_options: int) -> tuple[tuple[str, re.Pattern[str]], ...]:
    label = f"([{ascii_uppercase[:n_options]}])"
    # White space has been collapsed before, so ` ` is every run of it; the benchmark's pattern for a letter at the start
    # never fires, as its test of the first character comes earlier.
    patterns = {
        "correct_answer": rf"CORRECT ANSWER[: ]+{label}",
        "answer_is": rf"ANSWER IS[: ]+{label}",
        "answer_colon": rf"ANSWER[: ]+{label}",
        "choose": rf"CHOOSE {label}",
        "choice_is": rf"CHOICE IS[: ]+{label}",
        "option": rf"OPTION {label}",
        "select": rf"SELECT {label}",
        "go_with": rf"GO WITH {label}",
        "parentheses": rf"\({label}\)",
        "letter_paren": rf"\b{label}\)",
        "letter_period": rf"\b{label}\.",
        "letter_comma": rf"\b{label},",
        "end_of_string": rf"\b{label}\Z",
        "is_x": rf"\bIS {label}\b",
    }
    return tuple((name, re.compile(pattern)) for name, pattern in patterns.items())


@lru_cache(maxsize=26)
def _literal_bold(n_options: int) -> re.Pattern[str]:
    # Only the first asterisk of a run may start a match: a later one fails where the first did, and costs time.
    return re.compile(rf"(?<!\*)\*++([{ascii_uppercase[:n_options]}])\*++")


@lru_cache(maxsize=26)
def _literal_standalone(n_options: int) -> re.Pattern[str]:
    return re.compile(rf"\b([{ascii_uppercase[:n_options]}])\b")


def _literal(text: str, n_options: int) -> Reading:
    for name in ("thinking", "think"):
        text = _without_pairs(text, f"<{name}>", f"</{name}>")
    text = " ".join(_literal_bold(n_options).sub(r"\1", text.upper()).split())
    if not text:
        return _none("empty")
    if text[0] in ascii_uppercase[:n_options]:
        return Reading(text[0], "first_char", "")
    for name, pattern in _literal_patterns(n_options):
        if match := pattern.search(text):
            return Reading(match[1], name, "")
    standalone = _literal_standalone(n_options).findall(text)
    return Reading(standalone[-1], "standalone", "") if standalone else _none("no_letter")


def _without_pairs(text: str, opening: str, closing: str) -> str:
    """The text without what stands between each opening and the first closing after it; an open end stays."""
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
    kept.append(text[at:])
    return "".join(kept)


# The robust rule, first what a reply is made of.

_INVISIBLE = dict.fromkeys(
    [0, 0xAD, 0x180E, 0xFEFF, 0xFE0E, 0xFE0F, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)]
)
_THINKING = re.compile(
    r"(?i)<(/?)(?:\w{1,8}:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)>|\[(/?)think\]|◁(/?)think▷"
)
_DRESS = re.compile(r"[*`$]|(?<!_)_++(?![A-Za-z0-9])|(?<![A-Za-z0-9_])_++|</?(?i:b|i|u|p|em|br|strong|code|span) ?/?>")
_LINE_START = re.compile(r"(?m)^(?:[>•▪●‣◦·✅☑✔👉➡] ?|#++ |[-+] )++(?=\S)")
_TEXT_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|bf|rm) ?\{([^{}\n]{0,200})\}|\\[()\[\]!,;]"
)
_ANSWER_TAG = re.compile(r"<(/?)(?i:(?:final|correct|my)?[ _-]?(?:answer|choice))>")


def _without_thinking(text: str) -> str | None:
    """The reply proper: thoughts between tags, or before a closing one, dropped; None if the thinking never ends."""
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THINKING.finditer(text):
        closing = any(tag.groups())
        if closing and not thinking:
            kept.clear()
        elif not thinking:
            kept.append(text[start : tag.start()])
        start, thinking = tag.end(), not closing
    return None if thinking else "\n".join([*kept, text[start:]])


def _collapsed(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _clipped(text: str) -> str:
    """Head and tail of a very long reply: answers stand at either end of it, and mostly at the last."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - _TAIL]}\n…\n{text[-_TAIL:]}"


def _plain(text: str) -> str:
    """A bounded text of one space or line end between words, in compatible characters and without mark-up."""
    if not text.isascii():
        text = _clipped(_collapsed(text.translate(_INVISIBLE)))
        text = unicodedata.normalize("NFKC", text)
    text = _clipped(_collapsed(text))
    if "\\" in text:
        text = _TEXT_COMMAND.sub(lambda match: match[1] or " ", text)
    if "<" in text:
        text = _ANSWER_TAG.sub(lambda match: "\n" if match[1] else "\nAnswer: ", text)
    if any(mark in text for mark in "*_`$<"):
        text = _DRESS.sub("", text)
    return _collapsed(_LINE_START.sub("", text))


# What a label looks like, and what only looks like one.

_W = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
_FREE = rf"(?<![{_W}'’°/&+.\-])"
_AFTER_A = (
    "because|is|since|as|for|due|which|and|or|but|not|if|in|by|on|would|was|will|must|seems|given|based|although|though|"
    "are|should|could|can|has|appears|remains|fits|describes|states|says|matches"
)
_AFTER_I = "because|is|since|due|which|or|given|seems|appears|fits|describes|matches"
_NOT_PART = rf"(?![{_W}#^°%\\@]|['’.–-][{_W}]|[/&+](?![A-Z](?![{_W}]))| ?[=≈<>×])"
_CAPITAL = rf"(?:([B-HJ-Z]|A(?! (?!(?:{_AFTER_A})\b)[a-z0-9à-ÿ])|I(?! (?!(?:{_AFTER_I})\b)[a-z0-9à-ÿ])){_NOT_PART})"
_SMALL = r"""(?:([a-z])(?=[)\]]|[.!]?["'’”]{0,2}\Z|\.["'’”]?\n|(?<![ai])\n))"""
_OPEN = r"""[(\[{"'“‘«<]{0,2}"""
_CLOSE = r"""[)\]}"'”’»>]{0,2}"""
_NAMED = r"(?:(?i:option|choice|answer|letter|statement) )?"

_LABEL = re.compile(rf"{_OPEN} ?(?:{_CAPITAL}|{_SMALL})")
_SECOND = re.compile(
    rf"{_CLOSE}(?: ?[/&+] ?|,? (?i:or|and|and/or|oder|und|ou|et|y|nor) (?:(?i:also|maybe|possibly|perhaps|even|both) )?)"
    rf"{_NAMED}{_OPEN}{_CAPITAL}"
    rf"|{_CLOSE}[,;] ?{_NAMED}{_OPEN}{_CAPITAL}(?={_CLOSE}(?:[,;.]|\n|\Z| (?:and|or)\b))"
)
_STANDALONE = re.compile(rf"{_FREE}{_CAPITAL}")
_AROUND = " \n\"'“”‘’«»()[]{}<>.,:;!✅☑✔👉➡→•-–—"

# Where an answer is declared.

_ADVERBS = (
    r"therefore|thus|hence|then|so|clearly|definitely|certainly|most likely|most probably|probably|likely|simply|actually|"
    r"indeed|still|just|only|obviously|in fact|now|either|between|both|of course|in my opinion|I think|I believe"
)
_NOUNS = r"(?:the |correct |right |best )*(?:option|choice|letter|answer|statement|opción|lettre|letra|lettera|Buchstabe)"
_CUE = re.compile(
    r"(?i)(?<![a-z])(?P<praise>(?:(?:correct|right|best|final|true) ){0,2})"
    r"(?:(?P<noun>answers?|choice|option|selection|solution|letter|response)(?: (?:key|letter|choice|option))?"
    r"|(?P<foreign>antwort|lösung|respuesta|réponse|reponse|risposta|resposta|antwoord|odpowiedź|svaret|svar|ответ|jawaban|cevap|"
    r"đáp án|答案|答え|回答|正解|정답|답)(?: (?:correct[ae]|corretta|correta|final|finale))?[】\]]?)"
    r"(?: (?:to|for) (?:the|this|your|that) (?:question|problem|query))?(?: \([^()\n]{0,60}\))?"
    r"(?P<verb>,? ?(?<![a-z])(?:is|was|would be|will be|must be|should be|has to be|can only be|would have to be|seems to be|"
    r"appears to be|remains|ist|lautet|es|sería|est|serait|è|sarebbe|é|seria|är|adalah|là)"
    r"(?![a-z])|(?:应该是|應該是|应为|是|为|為|は|은|는)|(?<=answer)['’]s)?"
    r"(?P<mark>\s?(?:[:=→⇒➡]|-{1,2}>?|=>|[–—]))?"
    rf"(?:,?\s(?:{_ADVERBS}|{_NOUNS}|la|le|el)(?![\w-]),?:?){{0,4}}\s?(?:->|→|[-–—] )?\s?"
)
_VERDICT = re.compile(
    rf"(?=[A-Zaco(])"
    rf"(?:{_FREE}{_CAPITAL}|(?i:(?<![a-z])(?:option|choice|answer) )[(\[]?([a-z])(?![{_W}])|(?<!\w)\(([a-z])(?=\)))"
    rf"{_CLOSE}[.:]? "
    r"(?i:is|was|would be|must be|should be|has to be|seems|remains|seems to be|appears to be)"
    rf"(?: (?:{_ADVERBS}|the|my|our|one))* (?P<also>also )?(?:the )?(?:single |only )?"
    r"(?:correct(?P<correct> answer)?|right(?: answer| choice| option| one|(?=[.,!\n]|\Z))|best|(?P<answer>answer)"
    r"|most (?:likely|probable|accurate|appropriate|suitable|plausible|consistent|reasonable))"
    r"(?! distractor| guess|[a-z]| (?:only )?(?:if|when|for|about|but)\b)"
)
_PARTNER = re.compile(rf"{_FREE}{_OPEN}[A-Z]{_CLOSE},? ?(?:[/&,]|(?:and|or)|(?P<neither>nor)) ?{_NAMED}{_OPEN}\Z")
_VERB = re.compile(
    r"(?i)(?<![a-z])(?:(?P<go_with>(?:go|going|went) (?:with|for)|vote for|settle on|leaning (?:to|towards?))"
    r"|(?P<select>select(?:ed|ing)?)|(?P<choose>cho(?:ose|osing|se)|pick(?:ed|ing)?|opt(?:ing)? for|say|guess)"
    r"|(?P<is_x>(?:it|that)(?:['’]s| is| must be| has to be| would be| should be)|corresponds? to|corresponding to|matches))"
    rf"(?: (?:{_ADVERBS}|{_NOUNS})(?![\w-])){{0,3}}:? (?=[^\s])"
)
_CLAUSE_END = re.compile(r"[.!?;,:\n]|\b(?i:but|so|then|therefore|thus|hence|however)\b")
_DENIAL = re.compile(
    r"(?i)\b(?:not|never|cannot|no|nor|neither|if|whether|unless|suppose|assuming|incorrect|wrong|false|worst|least|except|"
    r"exclud(?:e|es|ing)|eliminat(?:e|es|ed|ing)|rules? out|ruled out|ruling out|unlike|rather than|"
    r"instead of|previous|initial|initially|tempting|nicht|keine)\b|n['’]t\b"
)
_DISMISSED = re.compile(
    rf"{_CLOSE}[.:,]?(?: (?:also|therefore|clearly|thus|both|all))* (?i:is|are|was|can|could|does|seems|would|must|should)?"
    r"(?: (?:also|therefore|clearly|thus|be))* ?"
    r"(?i:not\b|n't|isn't|wrong|incorrect|false|ruled out|eliminated|out\b|can't|doesn't|cannot)"
)


@dataclass(frozen=True, slots=True)
class _Question:
    """What a reader of a reply knows of the question."""

    labels: str
    texts: tuple[str, ...]

    def reading(self, letter: str, pattern: str) -> Reading:
        return Reading(letter, pattern, "") if letter in self.labels else _none("no_letter")


@lru_cache(maxsize=1024)
def _question(n_options: int, options: tuple[str, ...]) -> _Question:
    return _Question(ascii_uppercase[:n_options], tuple(_words(_plain(option)) for option in options[:n_options]))


@dataclass(frozen=True, slots=True)
class _Found:
    """A label that some words declare to be the answer; no letter where they declare two."""

    at: int
    letter: str | None
    pattern: str


def _robust(text: str, n_options: int, options: Sequence[str]) -> Reading:
    proper = _without_thinking(text) if "<" in text or "[" in text or "◁" in text else text
    if proper is None:
        return _none("truncated_reasoning")
    plain = _plain(proper)
    if not plain:
        return _none("empty")
    question = _question(n_options, tuple(options))
    whole = plain.strip(_AROUND)
    if len(whole) == 1 and whole.isascii() and whole.isalpha():
        return question.reading(whole.upper(), "parentheses" if plain.startswith("(") else "first_char")
    return _marked_up(plain, question) or _worded(_without_lists(plain, question), question)


def _worded(text: str, question: _Question) -> Reading:
    steps = (_declared, _leading, _last_line, _by_verb, _by_text, _only_letter)
    for step in steps:
        if reading := step(text, question):
            return reading
    return _none("refusal" if _REFUSAL.search(text) else "no_letter")


_BOXED = re.compile(r"(?:\\(?:boxed|fbox) ?\{|<\|begin_of_box\|>)([^{}<\n]{0,200})(?:\}|<\|end_of_box\|>)")
_JSON = re.compile(
    r"""(?i)["'](?:(?:final|correct|best|my|selected|chosen)?[_ ]?(?:answer|choice|option|letter)"""
    r"""(?:[_ ](?:letter|choice|option|label))?)["'] ?: ?(?P<array>\[ ?)?"""
    r"""(?:"(?P<text>[^"\n]{0,300})"|'(?P<single>[^'\n]{0,300})'|(?P<bare>[a-z])(?=[\s,}\]]))(?P<more> ?,)?"""
)
_STARTS = re.compile(rf"{_OPEN}([A-Z])(?:[)\]\"'”’]|[.:](?!\w)|, |\Z| ?[-–—] )")


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=lambda match: match.start(), default=None)


def _marked_up(text: str, question: _Question) -> Reading | None:
    """The last LaTeX box, or else the last JSON field, that holds a label."""
    box = _last_match(_BOXED, text)
    if box and (reading := _inside(box[1], question, "boxed")):
        return reading
    field = _last_match(_JSON, text) if ":" in text else None
    if not field:
        return None
    if field["array"] and field["more"]:
        return _none("ambiguous")
    return _inside(field["text"] or field["single"] or field["bare"] or "", question, "json")


def _inside(content: str, question: _Question, pattern: str) -> Reading | None:
    core = content.strip(_AROUND)
    if len(core) == 1 and core.isascii() and core.isalpha():
        return question.reading(core.upper(), pattern)
    named = re.sub(rf"^{_NAMED}", "", content.strip())
    start = _STARTS.match(named)
    if not start:
        return None
    if _SECOND.match(named, start.end(1)):
        return _none("ambiguous")
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
    span = rf"{_OPEN}A{_CLOSE}(?: ?[-–—] ?| to | through ){_OPEN}{labels[-1]}{_CLOSE}"
    return re.compile(rf"(?<!\w)(?:{between.join(_OPEN + label + _CLOSE for label in labels)}|{span})(?!\w)")


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
        if start and 0 <= at < len(question.texts) and _words(line[start.end() :]) == question.texts[at]:
            echoed.setdefault(question.labels[at], number)
    if len(echoed) < len(question.texts):
        return text
    return "\n".join(line for number, line in enumerate(lines) if number not in echoed.values())


# The steps, in the order in which they are trusted.


def _denied(text: str, at: int) -> bool:
    """Whether the clause in front of a place takes back, or only supposes, what is said there."""
    clause = _CLAUSE_END.split(text[max(0, at - 80) : at])[-1]
    return bool(_DENIAL.search(clause))


def _after(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each cue that a label follows, with the label; a cue may begin inside one that none followed."""
    cue = pattern.search(text)
    while cue:
        label = _LABEL.match(text, cue.end())
        if label:
            yield cue, label
        cue = pattern.search(text, label.end() if label else cue.start() + 2)


def _letter_of(text: str, label: re.Match[str]) -> str | None:
    """The letter of a label, or None where a second one stands beside it."""
    second = _SECOND.match(text, label.end())
    letter = (label[1] or label[2]).upper()
    return None if second and letter not in second.groups() else letter


def _is_word(text: str, label: re.Match[str], question: _Question) -> bool:
    """Whether the letter is asked about, or is the first word of an option's text."""
    if text.startswith("?", label.end()):
        return True
    letter = (label[1] or label[2]).casefold()
    texts = [option for option in question.texts if option.startswith(f"{letter} ")]
    rest = _words(text[label.end() - 1 : label.end() + 400]) + " " if texts else ""
    return any(rest.startswith(f"{option} ") for option in texts)


_ENDS = re.compile(rf"{_CLOSE}(?:[).:,;]|\n|\Z)")


def _by_cue(text: str, question: _Question) -> Iterator[_Found]:
    for cue, label in _after(_CUE, text):
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
    for cue, label in _after(_VERB, text):
        cut_off = label[2] and label.end() == len(text) and not cue[0].lower().rstrip().endswith(("option", "choice"))
        if cut_off or _is_word(text, label, question) or _denied(text, cue.start()):
            continue
        name = cue.lastgroup or ""
        if name == "is_x":
            ends = not text[label.end() :].strip(_AROUND)
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
    for verdict in _VERDICT.finditer(text):
        before = text[max(0, verdict.start() - 40) : verdict.start()]
        partner = _PARTNER.search(before)
        if text.startswith("?", verdict.end()) or (partner and partner["neither"]) or _denied(text, verdict.start()):
            continue
        named = before.lower().rstrip("([\"'“ ").endswith("option")
        pattern = "correct_answer" if verdict["correct"] else "answer_is" if verdict["answer"] else "standalone"
        letter = verdict[1] or verdict[2] or verdict[3]
        named = named or bool(verdict[2])
        yield _Found(verdict.end(), None if partner or verdict["also"] else letter.upper(), "option" if named else pattern)


def _last(found: list[_Found], question: _Question) -> Reading | None:
    within = [each for each in found if each.letter is None or each.letter in question.labels]
    if not within:
        return _none("no_letter") if found else None
    last = max(within, key=lambda each: each.at)
    return Reading(last.letter, last.pattern, "") if last.letter else _none("ambiguous")


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
    rf"{_OPEN}(?P<letter>[a-z]){_CLOSE}[.!]?{_CLOSE}"
)
_LIST_BEGINS = re.compile(r"(?i)\b(?:options|choices)(?: (?:are|again))?:\Z")
_NAMES = {"option": "option", "choice": "choice_is", "answer": "answer_colon", "letter": "answer_colon"}
_MARKS = {")": "letter_paren", "]": "letter_paren", ".": "letter_period", ",": "letter_comma"}


def _leading(text: str, question: _Question) -> Reading | None:
    """A label that begins the reply as one begins a line of a list, unless it is the first of such a list."""
    start = _LEADING.match(text)
    if not start or start["letter"] not in question.labels or _SECOND.match(text, start.end("letter")):
        return None
    rest = text[start.end() :].strip(_AROUND)
    if _is_walk(text, start["letter"]) or (len(rest) == 1 and rest in ascii_uppercase):
        return None
    first, _, others = text.partition("\n")
    last = _LAST_LINE.fullmatch(others.rpartition("\n")[2])
    if last and last["letter"].upper() != start["letter"] and len(first.strip(_AROUND)) == 1:
        return _none("ambiguous")
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
    if above and len(other := above[-1].strip(_AROUND)) == 1 and other != last["letter"]:
        return _none("ambiguous")
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


_TOKEN = re.compile(r"\w+(?:[.,]\d+)*|[%°+\-−/^=<>≤≥~€£]")


def _words(text: str) -> str:
    return " ".join(_TOKEN.findall(text.casefold()))


def _by_text(text: str, question: _Question) -> Reading | None:
    """The one option whose words the reply repeats: after a cue, or else in a short reply or the last line of a long one."""
    known = {option: label for label, option in zip(question.labels, question.texts, strict=False) if option}
    if len(known) < 2 or len(known) < len(question.texts):
        return None
    longest_first = sorted(known, key=len, reverse=True)
    declared = None
    for cue in _CUE.finditer(text):
        if (cue["verb"] or cue["mark"]) and not _denied(text, cue.start()):
            rest = f"{_words(text[cue.end() : cue.end() + 600])} "
            declared = next((option for option in longest_first if rest.startswith(f"{option} ")), declared)
    if declared:
        return Reading(known[declared], "option_text", "")
    return _mentioned(text if len(text) <= _SHORT else text.rpartition("\n")[2], known, longest_first)


_SHORT = 300
_TERSE = 60
_UNSAID = re.compile(r"\b(?:not|never|no|neither|nor|incorrect|wrong|false|except|unlike|than|t|if)(?: \w+){0,4} \Z")
_TAKEN_BACK = re.compile(r" (?:is|are|was|would be) (?:not|incorrect|wrong|false)\b| isn t\b")


def _mentioned(text: str, known: dict[str, str], longest_first: list[str]) -> Reading | None:
    words = f" {_words(text)} "
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
        return _none("ambiguous")
    return Reading(found[0], "option_text", "") if found and found[0] else None


_INTRODUCED = re.compile(
    rf"(?i:(?:^|[^\w])(?:only|is|be|so|thus|therefore|hence|say|think|believe|probably|likely|maybe|"
    rf"definitely|clearly|with|it['’]s)[:,]? ){_OPEN}\Z"
)
_OPENS = re.compile(rf"(?:^|[\n:;,—–…]|[.!?] | - ) ?{_NAMED}{_OPEN}\Z")
_GOES_ON = re.compile(rf"{_CLOSE}(?:[.,;!](?!\w)|\n|\Z| (?:because|since|as|due|given|based|fits|matches|[-–—])(?!\w))")
_REFUSAL = re.compile(
    r"(?i)\b(?:can(?:not|['’]t| not)|unable to|not able to|won['’]t|will not)(?: \w+){0,2} "
    r"(?:answer|assist|help|provide|determine|choose|comply)\b"
    r"|\bas an ai\b|\bI(?:['’]m| am) sorry\b|\bI (?:do not|don['’]t) know\b|\b(?:lo siento|es tut mir leid|je suis désolé)"
)


def _only_letter(text: str, question: _Question) -> Reading | None:
    """The only label that a reply of some sentences names, if it stands where a label would and is not dismissed."""
    if len(text) > 2 * _SHORT:
        return None
    named = [each for each in _STANDALONE.finditer(text) if each[1] in question.labels]
    if len({each[1] for each in named}) > 1 or any(_SECOND.match(text, each.end()) for each in named):
        return _none("ambiguous")
    if _REFUSAL.search(text) or any(_dismissed(text, each) for each in named):
        return None
    for each in reversed(named):
        before = text[max(0, each.start() - 30) : each.start()]
        ends = not text[each.end() :].strip(_AROUND)
        if _in_place(text, each, before, ends):
            return Reading(each[1], _place_name(before, ends), "")
    return None


def _dismissed(text: str, label: re.Match[str]) -> bool:
    asked = text.startswith("?", label.end())
    return asked or _denied(text, label.start()) or _DISMISSED.match(text, label.end()) is not None


def _in_place(text: str, label: re.Match[str], before: str, ends: bool) -> bool:
    """Whether a letter stands where labels do: after a word that leads to one, on its own, or in brackets at the end."""
    if _INTRODUCED.search(before) or (ends and "(" in before[-2:] and label.end() < len(text)):
        return True
    # The last character of a longer text may be the first of a sentence that was cut off.
    cut_off = not text[label.end() :].strip(")]:") and len(text) > _TERSE
    return bool(not cut_off and _OPENS.search(before) and _GOES_ON.match(text, label.end()))


def _place_name(before: str, ends: bool) -> str:
    if before.lower().rstrip("([\"'“ ").endswith("option"):
        return "option"
    return "end_of_string" if ends else "standalone"
