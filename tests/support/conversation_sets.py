"""Sets of conversations made by chance, with odd texts in every place."""

from __future__ import annotations

import random

from tui_eval.core.conversations import Conversation, ConversationSet, GroundingDocument, Turn

ODD = (
    "=1+1", "-5", "@x", " a ", "a\r\nb", "a\rb", "'x", "1", "007", "true", "null", '"', '""', "a,b;c\td", "[", "{}", "深さは?",
    "Öl\n\nGas", "\u2028", "\x1b[2J", "\u202egnp.exe", "\x00", "\ufeffx", "#", "c1/t1", "question", "__expected", "####",
    "version https://git-lfs.github.com/spec/v1", '"turns": [', "😀", "e\u0301", "a.b", "a/b", "conversation",
)  # fmt: skip


def odd_text(chance: random.Random) -> str:
    """A text that is not blank, mostly ordinary."""
    if chance.random() < 0.6:
        return " ".join(chance.choice(("harbour", "depth", "Öl", "why?", "4,5 m")) for _ in range(chance.randint(1, 6)))
    text = "".join(chance.choice(ODD) for _ in range(chance.randint(1, 2)))
    return text if text.strip() else f"{text}x"


def conversation_set(seed: int, most_turns: int = 3) -> ConversationSet:
    """Conversations of every shape, about documents of the set or none, with ids that differ."""
    chance = random.Random(seed)
    names = list(dict.fromkeys(odd_text(chance) for _ in range(chance.randint(0, 3))))
    if chance.random() < 0.5:
        names = [name for name in ("a.pdf", "a.txt", "a", "b.pdf") if chance.random() < 0.6]
    documents = tuple(_document(chance, name) for name in names)
    ids = iter(list(dict.fromkeys(f"{odd_text(chance)}{n if chance.random() < 0.9 else ''}" for n in range(30))))
    found = []
    for _ in range(chance.randint(1, 4)):
        name, turns = next(ids), list[Turn]()
        for _ in range(chance.randint(1, most_turns)):
            turns.append(_turn(chance, next(ids), turns))
        found.append(Conversation(id=name, turns=tuple(turns), document=chance.choice(["", *names])))
    generator = chance.choice([None, {"model": "m", "run": "r", "prompts": {"p": "0" * 64}}])
    name = chance.choice(["", odd_text(chance)])
    incomplete = chance.random() < 0.2
    return ConversationSet(
        name=name, documents=documents, conversations=tuple(found), generator=generator, incomplete=incomplete
    )


def _document(chance: random.Random, name: str) -> GroundingDocument:
    return GroundingDocument(
        filename=name,
        sha256="0" * 64,
        pages=chance.choice([None, 3]),
        uploaded_at="2026-01-01T00:00:00Z",
        text=odd_text(chance),
    )


def _turn(chance: random.Random, name: str, before: list[Turn]) -> Turn:
    def text() -> str:
        return odd_text(chance) if chance.random() < 0.7 else ""

    return Turn(
        id=name,
        question=odd_text(chance),
        ground_truth=text(),
        quote=text(),
        page=chance.choice([None, 1, 400]),
        type=text(),
        answerable=chance.random() < 0.8,
        depends_on=chance.choice(before).id if before and chance.random() < 0.5 else None,
        quote_repaired=chance.random() < 0.2,
        known_without_document=chance.random() < 0.2,
    )
