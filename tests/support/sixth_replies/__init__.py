"""The sixth half of the reply material, written with fresh eyes: other questions, words and forms."""

from __future__ import annotations

from letter_replies.model import Half

from sixth_replies.endings import ENDINGS
from sixth_replies.options import OPTION_SETS
from sixth_replies.remarks import OPENERS, REMARKS
from sixth_replies.wholes import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS
from sixth_replies.wrappers import LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS

HALF = Half(
    name="sixth",
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
