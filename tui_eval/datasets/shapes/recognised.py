"""Which of other programs' forms a text has, told by the names of its fields, and what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.answered_questions import AnsweredQuestions
from tui_eval.datasets.conversation_files import is_conversations, read_conversations
from tui_eval.datasets.parsing import Record, json_value, read_records
from tui_eval.datasets.shapes.eval_questions import KEY, eval_questions, is_eval_questions
from tui_eval.datasets.shapes.message_lists import has_message_lists, message_lists
from tui_eval.datasets.shapes.promptfoo_tests import has_promptfoo_tests, promptfoo_tests
from tui_eval.datasets.shapes.shaped_records import ANY
from tui_eval.datasets.shapes.turn_lists import has_turn_lists, turn_lists
from tui_eval.datasets.shapes.turn_rows import CONVERSATION, has_turn_rows, turn_rows

_WHOLE = re.compile(rf'"(?:conversations|{KEY})"\s*:')
_RECORDS = re.compile(rf'"(?:turns|vars|{"|".join(CONVERSATION)})"\s*:|"(?:messages|input|prompt)"\s*:\s*\[', re.IGNORECASE)
_HEADER = re.compile(rf'__expected|(?:^|[,;\t"])\s*(?:{"|".join(CONVERSATION)})\s*(?:[,;\t"]|$)', re.IGNORECASE)
FORMS: Sequence[tuple[Callable[[Sequence[Record]], bool], Callable[[list[Record], str], AnsweredQuestions]]] = (
    (has_turn_lists, turn_lists),
    (has_message_lists, message_lists),
    (has_promptfoo_tests, promptfoo_tests),
    (has_turn_rows, turn_rows),
)


def recognised(text: str, name: str) -> AnsweredQuestions | None:
    """What a text holds; None where it has none of these forms. ConfigError with file, place and reason where it is amiss.

    Most files are told to be none of them by a look for their names, without being taken apart.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] == "{" and _WHOLE.search(text):
        try:
            value = json_value(text, name)
        except ConfigError:  # several objects, one a line
            value = None
        if isinstance(value, dict) and is_conversations(value):
            return AnsweredQuestions((), "", (), read_conversations(value, name))
        if isinstance(value, dict) and is_eval_questions(value):
            return eval_questions(value, name)
    json = text.lstrip()[:1] in ("{", "[")
    if not (_RECORDS.search(text) if json else _HEADER.search(text.lstrip().partition("\n")[0].strip())):
        return None
    records = read_records(text, name, ANY)
    return next((read(records, name) for has, read in FORMS if has(records)), None)
