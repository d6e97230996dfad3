"""A fifth half of the generators' material, written by someone who has read neither the rule nor the other halves."""

from letter_replies.model import Half

from fifth_replies.endings import ENDINGS
from fifth_replies.options import OPTION_SETS
from fifth_replies.remarks import OPENERS, REMARKS
from fifth_replies.replies import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS
from fifth_replies.wrappers import LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS

HALF = Half(
    name="fifth",
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
