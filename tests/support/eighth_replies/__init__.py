"""The eighth half: material written by fresh eyes."""

from __future__ import annotations

from letter_replies.model import Half

from eighth_replies.endings import ENDINGS
from eighth_replies.options import OPTION_SETS
from eighth_replies.remarks import OPENERS, REMARKS, TURNS
from eighth_replies.whole import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, VERDICTS
from eighth_replies.wrappers import LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS

HALF = Half(
    name="eighth",
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
