"""Which questions of a set have the words that are typed."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import DOMAIN, TOPIC, difficulty_of

FIELDS = ("id", "difficulty", "domain", "topic", "answer", "document")
HELP = "words, domain:… difficulty:… topic:… id:… answer:… and ! before one for the opposite"


class QuestionFilter:
    """Words that must stand in a question; field:word in one field of it; !word must not."""

    def __init__(self, text: str) -> None:
        self._wanted = [(field, word, not without) for field, word, without in map(_term, text.casefold().split()) if word]

    def matches(self, texts: Sequence[str]) -> bool:
        """Whether a question is meant, by its texts as `texts_of` made them."""
        return all((word in texts[field]) is has for field, word, has in self._wanted)


def texts_of(question: Sample) -> tuple[str, ...]:
    """What is looked through: everything first, then each field."""
    fields = (
        question.id,
        difficulty_of(question),
        "\n".join(question.group(DOMAIN)),
        "\n".join(question.group(TOPIC)),
        f"{question.letter} {question.answer_text}",
        "\n".join(question.documents),
    )
    return tuple(text.casefold() for text in ("\n".join((question.question, *question.options, *fields)), *fields))


def _term(word: str) -> tuple[int, str, bool]:
    without = word.startswith("!")
    name, colon, rest = word.removeprefix("!").partition(":")
    if colon and name in FIELDS:
        return FIELDS.index(name) + 1, rest, without
    return 0, word.removeprefix("!"), without
