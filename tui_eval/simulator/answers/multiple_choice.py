"""Decides what a persona replies to a multiple-choice question; it goes by the words of the options, not by their letters.

The wording of the prompt does what `wording` says, and two things more. Where a step-by-step answer is asked for, the
letter stands at its end. Where an answer is asked for and letters are not spoken of, the option's words are given without
its letter, in three of ten replies.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from string import ascii_uppercase

from tui_eval.simulator.answers import knowledge
from tui_eval.simulator.answers.open_replies import CANNOT_KNOW
from tui_eval.simulator.answers.prompt import Message, understand
from tui_eval.simulator.answers.wording import Wording, worded
from tui_eval.simulator.apis.replies import SimulatedCompletion
from tui_eval.simulator.personas import ChoiceStyle, Persona
from tui_eval.simulator.seed import Seed

_OPTION = re.compile(r"^(?P<letter>[A-Z])\)(?P<text>.*)$", re.M)
_PHRASES: dict[ChoiceStyle, str] = {
    "letter": "{letter}",
    "letter_period": "{letter}.",
    "letter_text": "{letter}) {text}",
    "answer_colon": "Answer: {letter}",
    "sentence": "The correct answer is {letter}.",
    "bold": "**{letter}**",
    "ramble": (
        "This is one of those questions that look simpler than they are. One could make a case for {first}, and I would "
        "not laugh at anybody who preferred {second}; but the longer I turn it over in my mind, the less either of them "
        "seems to fit, so I would go with {letter}."
    ),
    "thinking": (
        "<think>\nLet me take the options one after the other. At first sight {first} is tempting, for it sounds like "
        "what people say. {second} deserves a look as well. But neither goes to the heart of the question, and {letter} "
        "does.\n</think>\n\nThe answer is {letter}"
    ),
}
_LAPSES: dict[ChoiceStyle, tuple[float, str]] = {
    "ramble": (
        1 / 10,
        "This is one of those questions that look simpler than they are. The more I turn it over in my mind, the less I "
        "can settle it: it must be one of two, {either} or {other}",
    ),
    "thinking": (
        1 / 30,
        "<think>\nLet me take the options one after the other. At first sight {first} is tempting. Then again {letter} "
        "deserves a look, and {second} cannot be ruled out. I had better begin once more",
    ),
}
"""How often a style fails to come to an answer, and what it says then."""
_STEPS = (
    "Let me take the options one after the other. At first sight {first} is tempting, for it sounds like what people say. "
    "{second} deserves a look as well. But neither goes to the heart of the question as {letter} does.\n\n"
)
_FREE = "I would say it is this: {text}"
_IN_WORDS_ALONE = 0.3
_REFUSAL = "I'm sorry, but I can't help with that question."
_REFUSALS = {
    "words": SimulatedCompletion(_REFUSAL),
    "field": SimulatedCompletion(None, _REFUSAL),
    "filter": SimulatedCompletion(None, finish="content_filter"),
}
_REFUSAL_WAYS = ("words", "words", "field", "filter")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A multiple-choice question as it was shown."""

    question: str
    """What stands before the options."""
    options: tuple[str, ...]
    """The words of the options, A first."""
    system: str = ""
    """What the system message says."""
    behind: str = ""
    """What stands behind the options."""

    def letter(self, option: str) -> str:
        """The letter before an option."""
        return ascii_uppercase[self.options.index(option)]


def read_sheet(messages: Sequence[Message]) -> Sheet | None:
    """The question in the last user message: at least two lines A) ..., B) ... in order. None when it asks otherwise."""
    asked = understand(messages)
    # Candidates, an answer to be marked or a document may hold lettered lines too, and yet be no exam.
    if asked.role != "answer" or asked.documents:
        return None
    lines = list(_OPTION.finditer(asked.text))
    start = max((place for place, line in enumerate(lines) if line["letter"] == "A"), default=len(lines))
    in_order = takewhile(lambda pair: pair[0] == pair[1]["letter"], zip(ascii_uppercase, lines[start:], strict=False))
    options = tuple(line["text"].strip() for _, line in in_order)
    if len(options) < 2:
        return None
    before, behind = asked.text[: lines[start].start()], asked.text[lines[start + len(options) - 1].end() :]
    return Sheet(before, options, asked.own[0], behind.strip())


def answer(persona: Persona, sheet: Sheet, seed: Seed) -> SimulatedCompletion:
    """Answer the question as the persona does. It chooses among the words, so the order of the options changes nothing."""
    matter = knowledge.find_choice(sheet.question)
    right = None if matter is None else _find_option(sheet, matter.right)
    if matter is None or right is None:
        return SimulatedCompletion(_blind_guess(persona, sheet, seed))
    about = (matter.question, matter.right)
    if seed.chance("refuses", *about) < persona.refuses:
        return _REFUSALS[seed.choose(_REFUSAL_WAYS, "refuses how", *about)]
    wording = worded(sheet.system, knowledge.without(sheet.question, matter.question), sheet.behind)
    # The same chance as for a question without options: knowing a thing does not depend on how it is asked.
    knows = wording.chance(seed, "knows", *about) < wording.skill(persona)
    option = right if knows else _error(persona, sheet, right, seed, about)
    return SimulatedCompletion(_word(persona, sheet, option, wording, seed, about))


def _find_option(sheet: Sheet, text: str) -> str | None:
    """The option with these words. Signs count here, as +5 is not -5; capitals and blanks do not."""
    return next((option for option in sheet.options if _plain(option) == _plain(text)), None)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _error(persona: Persona, sheet: Sheet, right: str, seed: Seed, about: tuple[str, str]) -> str:
    """Choose without knowledge. The longest option may happen to be the right one, as with any such habit."""
    if persona.guesses == "longest":
        return _longest(sheet)
    wrong = [option for option in sorted(sheet.options) if option != right]
    return seed.choose(wrong or [right], "error", *about)


def _longest(sheet: Sheet) -> str:
    return max(sorted(sheet.options), key=len)


def _blind_guess(persona: Persona, sheet: Sheet, seed: Seed) -> str:
    """The truth, that nothing is known, and after it a guess that says what it is."""
    if persona.guesses == "longest":
        return f"{CANNOT_KNOW} A guess, by length alone. Answer: {sheet.letter(_longest(sheet))}"
    options = sorted(sheet.options)
    option = seed.choose(options, "guess", knowledge.fold(sheet.question), *options)
    return f"{CANNOT_KNOW} A guess, made by chance. Answer: {sheet.letter(option)}"


def _word(persona: Persona, sheet: Sheet, option: str, wording: Wording, seed: Seed, about: tuple[str, str]) -> str:
    """The chosen option in the persona's style, or as the prompt wants it, or that style's failure to come to an answer."""
    style = persona.choice_style
    chance, lapse = _LAPSES.get(style, (0.0, ""))
    if seed.chance("lapse", *about) < chance:
        phrase = lapse
    elif wording.names_no_letters and seed.chance("in words", wording.words, *about) < _IN_WORDS_ALONE:
        phrase = _FREE
    else:
        phrase = _asked_form(style, wording) if wording.heeded(persona, seed, *about) else _PHRASES[style]
    letter = sheet.letter(option)
    others = [sheet.letter(other) for other in sorted(sheet.options) if other != option] or [letter]
    either, other = sorted([letter, others[0]])
    return phrase.format(letter=letter, text=option, first=others[0], second=others[-1], either=either, other=other)


def _asked_form(style: ChoiceStyle, wording: Wording) -> str:
    """Return the form of an answer that heeds the instructions: in the form, alone, after thinking aloud, or as always."""
    phrase = _PHRASES["letter"] if wording.brief else _PHRASES[style]
    if wording.form:
        # A label is the prompt's own words, and may hold braces.
        phrase = f"{wording.form.replace('{', '{{').replace('}', '}}')}: {{letter}}"
    if not wording.steps or wording.brief or (style == "thinking" and not wording.form):
        return phrase
    return _STEPS + (phrase if wording.form else _PHRASES["answer_colon"])
