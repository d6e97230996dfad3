"""Scorers that follow another tool, its quirks included: GSM8K of lm-evaluation-harness 0.4.13, and SQuAD 2.0's script.

Their vectors are made by `scripts/scorer_vectors.py` from these tools themselves.
"""

from __future__ import annotations

import re
import string
from collections import Counter, deque

from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow, nothing_found

_STRICT = re.compile(r"#### (-?[0-9.,]+)")
_FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
_LAST_POINT = re.compile(r"\.$")
_SQUAD_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class FollowedRow(ScorerRow):
    """Options of scorers that follow a tool: none of their own."""


def gsm8k_text(text: str) -> str:
    """A number as the task compares it: without commas and dollars, what stands before `#### `, and a full stop at its end."""
    text = text.replace(",", "").replace("$", "").rpartition("#### ")[2]
    return _LAST_POINT.sub("", text).lower()


def _gsm8k(answer: str | None, target: str) -> Outcome:
    if answer is None:
        return nothing_found("no match for its pattern")
    return Outcome(float(gsm8k_text(answer) == gsm8k_text(target)), read=answer[:200])


def _strict(row: FollowedRow, case: Case) -> Outcome:
    """The first number behind `#### `."""
    match = _STRICT.search(case.text)
    return _gsm8k(match[1].strip() if match else None, case.target)


def _flexible(row: FollowedRow, case: Case) -> Outcome:
    """The last run of digits, dollars, points and commas; a lone full stop counts as none, two as one."""
    last = deque(_FLEXIBLE.finditer(case.text), maxlen=1)
    return _gsm8k(last[0][0].strip() if last else None, case.target)


def squad_text(text: str) -> str:
    """A text by the script's normalization: ASCII punctuation and English articles alone."""
    return " ".join(_SQUAD_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _targets(case: Case) -> list[list[str]]:
    """The words of the targets that have any; where none has, the right answer is to say nothing."""
    return [words for target in case.expected.targets or () if (words := squad_text(target).split())] or [[]]


def _squad_em(row: FollowedRow, case: Case) -> Outcome:
    reply_words = squad_text(case.text).split()
    return Outcome(float(any(reply_words == words for words in _targets(case))))


def _squad_f1(row: FollowedRow, case: Case) -> Outcome:
    reply_words = squad_text(case.text).split()
    return Outcome(max(_one_f1(reply_words, words) for words in _targets(case)))


def _one_f1(reply_words: list[str], words: list[str]) -> float:
    if not reply_words or not words:
        return float(reply_words == words)
    common = sum((Counter(reply_words) & Counter(words)).values())
    if not common:
        return 0.0
    precision, recall = common / len(reply_words), common / len(words)
    return 2 * precision * recall / (precision + recall)


def _is_nothing(text: str) -> bool:
    return not squad_text(text)


STRICT = Rule("lmeval_gsm8k_strict", 1, "GSM8K strict-match of lm-evaluation-harness: behind ####", FollowedRow, _strict)
FLEXIBLE = Rule(
    "lmeval_gsm8k_flexible", 1, "GSM8K flexible-extract of lm-evaluation-harness: the last number", FollowedRow, _flexible
)
SQUAD_EM = Rule(
    "squad_em", 1, "exact match of SQuAD 2.0's script", FollowedRow, _squad_em,
    takes_all_targets=True, is_empty=_is_nothing,
)  # fmt: skip
SQUAD_F1 = Rule(
    "squad_f1", 1, "F1 of SQuAD 2.0's script", FollowedRow, _squad_f1,
    is_rate=False, takes_all_targets=True, is_empty=_is_nothing,
)  # fmt: skip
