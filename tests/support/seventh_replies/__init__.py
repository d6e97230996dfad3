"""The seventh half of the generated replies: written by a reader who had seen neither the rule nor earlier material."""

from __future__ import annotations

from letter_replies.model import Half

from seventh_replies.endings import ENDINGS
from seventh_replies.openers import OPENERS
from seventh_replies.options import OPTION_SETS
from seventh_replies.remarks import REMARKS
from seventh_replies.whole import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS
from seventh_replies.wrappers import LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS

HALF = Half(
    name="seventh",
    option_sets=OPTION_SETS,
    endings=ENDINGS,
    remarks=REMARKS,
    openers=OPENERS,
    retractions=RETRACTIONS,
    turns=TURNS,
    joins=JOINS,
    text_answers=TEXT_ANSWERS,
    silences=SILENCES,
    middles=MIDDLES,
    verdicts=VERDICTS,
    label_wrappers=LABEL_WRAPPERS,
    reply_wrappers=REPLY_WRAPPERS,
    tokens=TOKENS,
)

__all__ = ["HALF"]
