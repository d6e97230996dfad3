"""Questions by the picture or text they are about, the form that spec 000 calls EvalQuestions; ours are its further keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.conversations import ConversationSet, Turn

MARKS = ("quote_repaired", "known_without_document")
"""Keys that a question has only where they are true."""


def eval_questions_json(conversation_set: ConversationSet, generated: str) -> dict[str, Json]:
    """All turns, by document and numbered within it, each as if it stood alone. `generated`: when, ISO 8601; may be empty.

    A document goes by its file name without suffix; where several would be called so, by the whole of it.
    """
    names = dict.fromkeys(conversation.document for conversation in conversation_set.conversations)
    keys = _keys(tuple(names))
    entries: dict[str, dict[str, Any]] = {keys[name]: {"filename": name, "questions": []} for name in names}
    for conversation in conversation_set.conversations:
        questions = entries[keys[conversation.document]]["questions"]
        questions += [_question(len(questions) + n, turn) for n, turn in enumerate(conversation.turns, start=1)]
    return {"generated": generated, "model": str((conversation_set.generator or {}).get("model") or ""), "images": entries}


def _keys(names: tuple[str, ...]) -> Mapping[str, str]:
    stems = [name.rsplit(".", 1)[0] or name for name in names]
    return {
        name: stem if stems.count(stem) == 1 and stem not in names else name for name, stem in zip(names, stems, strict=True)
    }


def _question(number: int, turn: Turn) -> dict[str, Json]:
    more: dict[str, Json] = {"quote": turn.quote, "page": turn.page, **{name: getattr(turn, name) for name in MARKS}}
    return {
        "id": number,
        "category": turn.type,
        "question": turn.question,
        "reference_answer": turn.ground_truth,
        "answerable": turn.answerable,
        **{name: value for name, value in more.items() if value not in ("", None, False)},
    }
