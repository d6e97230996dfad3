"""Conversations in forms that other programs take: a row or a line a turn, and the EvalQuestions of spec 000."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from tui_eval.core.conversations import Conversation, ConversationSet
from tui_eval.core.errors import ConfigError
from tui_eval.core.eval_questions_file import eval_questions_json
from tui_eval.core.plaintext import csv_cell, one_line, visible_json
from tui_eval.datasets.shapes.recognised import recognised
from tui_eval.datasets.shapes.turn_rows import FIELDS, turn_row_fields

EVAL_QUESTIONS = "eval-questions"
READ_BACK = "what was exported"


def exported_turns(conversation_set: ConversationSet, form: str) -> str:
    """The conversations in one of TURN_FORMS. ConfigError, in words, for what it could not give back exactly.

    Rows and lines hold no documents and no generator; EvalQuestions, where each question stands alone, no conversations.
    """
    if form == EVAL_QUESTIONS:
        _refuse_later_turns(conversation_set)
    text = TURN_FORMS[form](conversation_set)
    lost = _first_lost(conversation_set, form, text)
    if lost:
        raise ConfigError(
            f"{lost}: {form} cannot hold it exactly. It may begin with a sign that a spreadsheet would run, or have an "
            "invisible character. json can: --format json"
        )
    return text


def left_behind(conversation_set: ConversationSet, form: str) -> str:
    """Return what a form does not hold of a set, in words; empty where there is nothing of the kind."""
    if form == "json":
        return ""
    lacking = ["the text of its documents"] if any(document.text for document in conversation_set.documents) else []
    lacking += ["who wrote it"] if conversation_set.generator else []
    lacking += ["the ids of its questions"] if form == EVAL_QUESTIONS else []
    return f"{form} does not hold {', '.join(lacking)}; json does" if lacking else ""


def _refuse_later_turns(conversation_set: ConversationSet) -> None:
    later = next((conversation for conversation in conversation_set.conversations if len(conversation.turns) > 1), None)
    if later is not None:
        raise ConfigError(
            f"conversation {one_line(later.id, 60)} has {len(later.turns)} turns; a question of {EVAL_QUESTIONS} stands alone. "
            "Select the first turns (select NAME --only --where turn=1) and export with --selected, or use csv, jsonl or json"
        )


def _first_lost(conversation_set: ConversationSet, form: str, text: str) -> str:
    """The first conversation that a text would not give back as it is, named; empty where all is kept."""
    try:
        read = recognised(text, READ_BACK)
        theirs = list(read.conversations.conversations) if read is not None and read.conversations is not None else []
    except ConfigError:
        theirs = []
    ours = list(conversation_set.conversations)
    if form == EVAL_QUESTIONS:
        ours, theirs = _by_document(ours), _by_document(theirs)
    for mine, their in zip_longest(ours, theirs):
        if mine is None:
            return "the set"
        if their is None or not (_without_ids(mine) == _without_ids(their) if form == EVAL_QUESTIONS else mine == their):
            return f"conversation {one_line(mine.id, 60)}"
    return ""


def _by_document(conversations: Sequence[Conversation]) -> list[Conversation]:
    """In the order in which their documents appear first."""
    order = {name: n for n, name in enumerate(dict.fromkeys(conversation.document for conversation in conversations))}
    return sorted(conversations, key=lambda conversation: order[conversation.document])


def _without_ids(conversation: Conversation) -> Conversation:
    turns = tuple(replace(turn, id="", depends_on=None) for turn in conversation.turns)
    return replace(conversation, id="", turns=turns)


def _table(conversation_set: ConversationSet) -> str:
    rows = turn_row_fields(conversation_set)
    columns = [name for name in FIELDS if name in NEEDED or any(_says_something(name, row[name]) for row in rows)]
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(_cell(row[name])) for name in columns] for row in rows)
    return out.getvalue()


def _says_something(name: str, value: object) -> bool:
    return value not in ("", None) and not (name == "answerable" and value is True)


def _cell(value: object) -> object:
    return json.dumps(value) if isinstance(value, bool) else value


def _lines(conversation_set: ConversationSet) -> str:
    filled = (
        {name: value for name, value in row.items() if value not in ("", None)} for row in turn_row_fields(conversation_set)
    )
    return visible_json("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in filled))


def _eval_questions(conversation_set: ConversationSet) -> str:
    return visible_json(json.dumps(eval_questions_json(conversation_set, ""), ensure_ascii=False, indent=1) + "\n")


NEEDED = ("id", "conversation", "turn", "question", "ground_truth")
"""Columns of a table that stand there though nothing is in them."""
TURN_FORMS: Mapping[str, Callable[[ConversationSet], str]] = {"jsonl": _lines, "csv": _table, EVAL_QUESTIONS: _eval_questions}
"""Forms of conversations besides our own, by name."""
