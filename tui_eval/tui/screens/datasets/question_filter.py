"""Filter for the questions of a set by the words that are typed."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import CONVERSATION, TURN, TYPE
from tui_eval.datasets.groups import DOMAIN, TOPIC, difficulty_of

FIELDS = ("id", "difficulty", "domain", "topic", "answer", "document", "conversation", "turn", "type")
"""What `field:word` may name; a turn is found by its whole number."""
_TURN = FIELDS.index("turn") + 1
HELP = "words, domain:… difficulty:… topic:… id:… answer:… and ! before one for the opposite"
HELP_TURNS = "words, turn:1 conversation:… type:… document:… answer:… and ! before one for the opposite"


class QuestionFilter:
    """Words that must stand in a question; field:word in one field of it; !word must not."""

    def __init__(self, text: str) -> None:
        self._wanted = [(field, word, not without) for field, word, without in map(_term, text.casefold().split()) if word]

    def matches(self, texts: Sequence[str]) -> bool:
        """Return whether a question matches, by its texts as `texts_of` made them."""
        return all(
            (word == texts[field] if field == _TURN else word in texts[field]) is has for field, word, has in self._wanted
        )


def texts_of(question: Sample) -> tuple[str, ...]:
    """Return the texts that are searched: everything first, then each field."""
    fields = (
        question.id,
        difficulty_of(question),
        "\n".join(question.group(DOMAIN)),
        "\n".join(question.group(TOPIC)),
        f"{question.letter} {question.answer_text}",
        "\n".join(question.documents),
        "\n".join(question.group(CONVERSATION)),
        "\n".join(question.group(TURN)),
        "\n".join(question.group(TYPE)),
    )
    field_texts = (text for number, text in enumerate(fields, start=1) if number != _TURN)
    return tuple(text.casefold() for text in ("\n".join((question.question, *question.options, *field_texts)), *fields))


def _term(word: str) -> tuple[int, str, bool]:
    without = word.startswith("!")
    name, colon, rest = word.removeprefix("!").partition(":")
    if colon and name in FIELDS:
        return FIELDS.index(name) + 1, rest, without
    return 0, word.removeprefix("!"), without
