"""The words of an option in place of its letter, and clauses that state an option rather than mention it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tui_eval.reading.letters.closing import is_symbol, labels_in_play
from tui_eval.reading.letters.cues import CLOSE, CUE, NAMED, OPEN
from tui_eval.reading.letters.denials import denied
from tui_eval.reading.letters.judged import SIGN, WRONG_WORDS, words_are_options
from tui_eval.reading.letters.languages import ANSWERS, IS, OPTIONS, RIGHT, SMALL, word_set
from tui_eval.reading.letters.leading import goes_on_listing
from tui_eval.reading.letters.outcome import CONTRADICTED, LetteredOptions, LetterReading, no_letter
from tui_eval.reading.letters.plain import first_word, words_of
from tui_eval.reading.letters.set_aside import sets_aside
from tui_eval.reading.letters.small import small

_EQUALS = word_set("= is are was be equals means") | IS
"""Words behind which a clause may end in what it states, whatever stands in front of them."""
_LEADS = (
    RIGHT
    | ANSWERS
    | OPTIONS
    | SMALL
    | word_set(
        "so thus therefore hence then yes well and but rather clearly obviously probably likely definitely certainly "
        "most about approximately around roughly aside it s this that must should has would can only i d ll m we my our "
        "think believe guess say choose pick take use select go with for going the a an correct right best final answer "
        "option choice one statement to which left leaves somit sondern sage mais est-ce c dirais que eso diría sino "
        "pero direi ma więc wäre sería serait sarebbe"
    )
)
"""Words that lead to an option and say nothing else."""
_SURE = (
    RIGHT
    | ANSWERS
    | OPTIONS
    | SMALL
    | word_set(
        "ist est es è é is was would must be seems the my most correct right best likely plausible accurate answer "
        "option choice one of course clearly obviously definitely certainly probably i think believe guess say for sure "
        "without any doubt it here then instead fits natürlich bien sûr claro certo"
    )
)
"""Words that confirm what stands before them and say nothing else."""
_REASONS = word_set("because since as due given weil denn parce car porque ya perché poiché pois omdat ponieważ потому")


def states(words: str, alone: bool = False) -> bool:
    """Return whether a clause, as words with a mark `…` for its option, says no more than that this is it, and why.

    `alone`: whether nothing else may stand in front of `is`.
    """
    before, mark, after = words.partition(" … ")
    return bool(mark) and _leads(before.split(), alone) and _confirms(after.split())


def _leads(words: list[str], alone: bool) -> bool:
    for word in reversed(words):
        if word in _EQUALS:
            if not alone and (word == "=" or words[0] in _LEADS):
                return True
            continue
        if word not in _LEADS and not word[:1].isdigit():
            return False
    return True


def _confirms(words: list[str]) -> bool:
    for word in words:
        if word in _REASONS:
            return True
        if word not in _SURE:
            return False
    return True


_SHORT = 300
_CLAUSE = re.compile(
    r"[.!?;:\n。！？；，]+(?=\s|\Z)|[。！？；，]|"
    rf"[—–](?!\s?(?:{WRONG_WORDS})(?!\w))"
    r"|,? (?=(?:but|sondern|sino|mais|rather(?! than)|ma|lecz|но|а)\b)"
    r"|, ?(?=(?:it is|it's|it’s|it must be|this is|that is|so|therefore|hence|also|daher|donc|pero|quindi|mas|portanto|maar|"
    r"dus|więc|поэтому)\b)"
    r"|, ?(?=(?:not|nicht|non|pas|no|não|niet|nie|не)\b[^,.;!?]{2,80}(?:[.;!\n]|\Z))",
    re.IGNORECASE,
)
"""Where a text turns from what is not so to what is: what sets an option aside reaches no further."""
_BLUNT = re.compile("[,.!;:—–]")
_ARTICLE = re.compile(r"(?:the|an?|der|die|das|eine?|les?|la|une?|el|los|las) (?=\w\w\w)")


def by_declared_text(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the option whose words stand behind words such as `The answer is`, the last time that any does."""
    labels_by_text = _labels_by_text(question)
    if labels_by_text is None:
        return None
    longest_first = sorted(labels_by_text, key=len, reverse=True)
    declared: LetterReading | None = None
    for cue in CUE.finditer(small(text)):
        heads = "\n" in cue[0] and (not cue.start() or text[cue.start() - 1] == "\n")
        if (cue["verb"] or cue["mark"] or heads) and not denied(text, cue.start()):
            following = text[cue.end() : cue.end() + 600]
            if following.startswith((". ", ".\n", "! ", "? ")):
                continue
            rest = f"{words_of(following)} "
            option = next((option for option in longest_first if rest.startswith(f"{option} ")), None)
            if option is not None and not any(
                len(each) > len(rest) > len(option) and each.startswith(rest[:-1]) for each in labels_by_text
            ):
                declared = _label_behind(following, option, labels_by_text[option], question) or LetterReading(
                    labels_by_text[option], "option_text", ""
                )
    return declared


_BEHIND_TEXT = re.compile(r"(?P<text>[^\n]{1,400}?) ?[(\[](?P<label>[A-Z])[)\]]")


_SIGNS = {
    "hydrogen": "H", "boron": "B", "carbon": "C", "fluorine": "F", "iodine": "I", "adenine": "A", "cytosine": "C",
    "guanine": "G", "alanine": "A", "cysteine": "C", "glycine": "G", "histidine": "H", "isoleucine": "I", "energy": "E",
    "force": "F",
    "current": "I", "charge": "C", "capacitance": "C", "area": "A", "ampere": "A", "coulomb": "C", "farad": "F", "joule": "J",
}  # fmt: skip
"""Signs of elements, bases, amino acids, quantities and units that begin as their names do: no labels behind these."""


def _label_behind(following: str, option: str, letter: str, question: LetteredOptions) -> LetterReading | None:
    """Read the label in brackets behind a declared text, where it is another option's; not the sign of what is named."""
    behind = _BEHIND_TEXT.match(following)
    if not behind or words_of(behind["text"]) != option or behind["label"] not in question.labels:
        return None
    if behind["label"] == letter:
        return None
    if is_symbol(behind["text"], behind["label"], question):
        return None if _SIGNS.get(words_of(behind["text"]).rpartition(" ")[2]) == behind["label"] else no_letter("ambiguous")
    return LetterReading(behind["label"], "answer_is", "", CONTRADICTED)


def by_mention(text: str, question: LetteredOptions) -> LetterReading | None:
    """Read the only option whose words a short reply, or the last line of a long one, mentions without setting it aside.

    A long reply that leaves labels of other options in play says too little by a text.
    """
    labels_by_text = _labels_by_text(question)
    if labels_by_text is None:
        return None
    last = text if len(text) <= _SHORT else text.rpartition("\n")[2]
    reading = _guessed(last, labels_by_text) or _mentioned(last, labels_by_text, question)
    elsewhere = reading and reading.letter and last != text and labels_in_play(text, question) - {reading.letter}
    return None if elsewhere else reading


_WOULD_BE = re.compile(
    r"(?i)(?:(?:so|then|well|I (?:think|guess|believe|suppose)(?: that)?),? )*(?:(?:that|this|it|the answer|which) (?:would|"
    r"should|"
    r"must|will|ought to|has to|can only)(?: then| probably| therefore| most likely| have to)? be|(?:das|es) (?:wäre|müsste|"
    r"dürfte)|"
    r"(?:ce|cela|la réponse) serait|(?:(?:eso|la respuesta) )?sería|(?:la risposta )?sarebbe|(?:a resposta )?seria|dat zou|"
    r"это (?:должно быть|было бы)) (?P<said>[^\n]+)|(?:那|这|這|我认为|我認為|我觉得|我覺得|大概|可能|就)*"
    r"(?:应该|應該|应当|應當)?(?:会|會)?(?:是|为|為|选|選) ?(?P<han>[^\n]+)"
    r"|(?:(?:正解|答え|정답|답)[はは은는] ?)?(?P<cjk>[^\n]+?)"
    r"(?:です|だと思います|でしょう|である|입니다|일 것입니다|인 것 같습니다)[.。]?"
)
"""A reply that is only a guess at a text."""


def _guessed(text: str, labels_by_text: dict[str, str]) -> LetterReading | None:
    guess = _WOULD_BE.fullmatch(text)
    words = words_of(guess["said"] or guess["han"] or guess["cjk"]) if guess else ""
    letter = labels_by_text.get(words) or labels_by_text.get(without_article(words))
    return LetterReading(letter, "option_text", "") if letter else None


@lru_cache(maxsize=1024)
def _labels_by_text(question: LetteredOptions) -> dict[str, str] | None:
    """The label of each option's words, without an article in front where they stay different; None unless all differ."""
    labels_by_text = {option: label for label, option in zip(question.labels, question.texts, strict=False) if option}
    if len(labels_by_text) < 2 or len(labels_by_text) < len(question.texts):
        return None
    bare = {without_article(option): label for option, label in labels_by_text.items()}
    return labels_by_text | bare if len(bare) == len(labels_by_text) else labels_by_text


def without_article(words: str) -> str:
    """Return words without an article in front."""
    article = _ARTICLE.match(words)
    return words[article.end() :] if article else words


def _mentioned(text: str, labels_by_text: dict[str, str], question: LetteredOptions) -> LetterReading | None:
    """The only option that a text states and does not set aside, where it mentions no other and names no other's label."""
    if (option := words_of(text)) in labels_by_text:
        return LetterReading(labels_by_text[option], "option_text", "")
    longest_first = sorted(labels_by_text, key=len, reverse=True)
    if words_are_options(question) and (first := words_of(_BLUNT.split(text)[0])) in labels_by_text:
        other_texts = set(labels_by_text) - {first}
        return None if other_texts & set(option.split()) else LetterReading(labels_by_text[first], "option_text", "")
    stated: set[str] = set()
    spoken_of: set[str] = set()
    set_aside: set[str] = set()
    for clause in _CLAUSE.split(text):
        mentioned, words = _mentioned_in(clause, longest_first, labels_by_text)
        if (sets_aside(words) and not states(words, True)) or SIGN.search(clause):
            set_aside |= mentioned
        else:
            (stated if states(words) or words_of(clause.rpartition(",")[2]) in labels_by_text else spoken_of).update(mentioned)
    if len(stated | spoken_of) > 1 or (set_aside and (len(set_aside) > 1 or stated & set_aside or "\n" in text.strip())):
        return no_letter("ambiguous")
    if not stated or labels_in_play(text, question) - stated:
        return None
    return LetterReading(stated.pop(), "option_text", "")


def _mentioned_in(clause: str, options: Sequence[str], labels_by_text: dict[str, str]) -> tuple[set[str], str]:
    """The options whose texts a clause has, the longest first, and its words without them."""
    words = f" {words_of(clause)} "
    mentioned: set[str] = set()
    for option in options:
        rest = words.replace(f" {option} ", " … ")
        if not _is_letter(option) and rest != words and (len(option) > 3 or states(rest)):
            mentioned.add(labels_by_text[option])
            words = rest
    return mentioned, words


_LABEL_THEN_TEXT = re.compile(
    rf"{NAMED}{OPEN}(?P<label>[A-Z]){CLOSE}(?: [-–—=] | ?(?:[-=]>|→) ?|[.:)] ?| ?(?=\()|,? (?P<bare>)(?![-–—=] ))"
    r"(?P<text>\S.{0,600})"
)
_TEXT_THEN_LABEL = re.compile(rf"(?P<text>.{{2,600}}?)(?:,| [-–—]|(?= ?[(\[])) ?{NAMED}{OPEN}(?P<label>[A-Z]){CLOSE}[.!]?")


def _is_letter(option: str) -> bool:
    return len(option) == 1 and option.isascii() and option.isalpha()


def by_label_at_text(text: str, question: LetteredOptions) -> LetterReading | None:
    """The label that the last line gives with nothing but the text of another option: the letter counts, and this is noted."""
    if len(set(question.texts)) < len(question.labels):
        return None
    above, _, line = text.rpartition("\n")
    if (start := _STARTS.match(line)) and goes_on_listing(above, start[1]):
        return None
    return _label_at_text(line, question) or _label_at_text(_SENTENCE_BEGINS.split(line)[-1], question)


_STARTS = re.compile(rf"{NAMED}{OPEN}([A-Z])(?!\w)")
_SENTENCE_BEGINS = re.compile(r"(?<=[.!?] )(?=[A-Z(\[])|(?<=[。！？])")


def _label_at_text(line: str, question: LetteredOptions) -> LetterReading | None:
    cues = [cue for cue in CUE.finditer(small(line)) if (cue["verb"] or cue["mark"]) and not denied(line, cue.start())]
    statement = line[cues[-1].end() :] if cues else line
    if words_of(statement) in question.texts:
        return None
    front = _LABEL_THEN_TEXT.fullmatch(statement)
    if front and words_of(front["text"]) in question.texts and not _of_another(front, question):
        return None
    if front and _of_another(front, question):
        between = statement[front.end("label") : front.start("text") + 1].strip()
        article = front["label"] in "AI" and between.isalpha()
        return None if article else LetterReading(front["label"], "first_char", "", CONTRADICTED)
    if (behind := _TEXT_THEN_LABEL.fullmatch(statement)) and _of_another(behind, question):
        symbol = any(word.startswith(behind["label"].casefold()) for word in words_of(behind["text"]).split())
        return None if symbol else LetterReading(behind["label"], "end_of_string", "", CONTRADICTED)
    return None


def _of_another(match: re.Match[str], question: LetteredOptions) -> bool:
    """Return whether a label stands beside a text that is another option's."""
    label, words = match["label"], words_of(match["text"])
    return label in question.labels and words in question.texts and words != question.texts[question.labels.index(label)]


def contradicted(text: str, letter: str, question: LetteredOptions) -> bool:
    """Return whether the letter, where a text stands behind it for the last time, has that of another option beside it."""
    if len(set(question.texts)) < len(question.labels) or len(text) < 4:
        return False
    texts = [option for option in question.texts if option]
    own = question.texts[question.labels.index(letter)]
    begin = {option.partition(" ")[0] for option in texts}
    beside = ""
    for place in _label_with_text(letter).finditer(text):
        # Most labels of a long reply stand before other words: the first one tells.
        if first_word(text, place.end()) not in begin:
            continue
        rest = text[place.end() : place.end() + 600].partition("\n")[0]
        if place["apart"] is None:
            words = words_of(rest) + " "
            first = max((option for option in texts if words.startswith(f"{option} ")), key=len, default="")
        else:
            first = _alone(text, rest, own, question)
        beside = first or beside
    return bool(beside) and beside != own


_STOP = re.compile(r"[.!](?= |\Z)")


def _alone(text: str, rest: str, own: str, question: LetteredOptions) -> str:
    """The option whose text is all that a line or its first sentence says; nothing in a reply that lists the own text, too."""
    option_text = next((words for words in (words_of(rest), words_of(_STOP.split(rest)[0])) if words in question.texts), "")
    return option_text if option_text and own not in map(words_of, text.split("\n")) else ""


@lru_cache(maxsize=26)
def _label_with_text(letter: str) -> re.Pattern[str]:
    marks = r"[.):] ?| ?[-–—] | ?\(|(?<=\))\s?"
    return re.compile(rf"(?<![\w'’]){letter}[)\]]?(?:{marks}|(?P<apart>[.!]?\n|, ?| (?![a-z])))[\"“'‘]?(?=\S)")
