"""Scorers of overlap: f1 and em of SQuAD in whatever script, ROUGE-L over words, and similarity over characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.scoring.text_folding import Ignorable, folded, squad_words, unicode_words

WORDLESS = "no words in the target"
_ENGLISH_WORDS = re.compile(r"[a-z0-9]+")
_MOST_COMPARED = 2e10
"""Characters of the one times characters of the other text that are compared: a second's work."""
_MOST_WORDS_COMPARED = 2e9
"""Words of the one times words of the other text that are compared: a second's work."""


class WordsRow(ScorerRow):
    """Options of scorers that compare words: none of their own."""


class SimilarityRow(ScorerRow):
    """Options of `similarity`."""

    ignore: list[Ignorable] = ["case", "whitespace"]
    """What makes no difference: "case", "whitespace", "punctuation", "articles" (English), "accents"."""


def overlap_f1(reply_words: Sequence[str], target_words: Sequence[str]) -> float:
    """2·P·R / (P + R) of the words that both have, as often as both have them; 0 where they have none."""
    common = sum((Counter(reply_words) & Counter(target_words)).values())
    return 2 * common / (len(reply_words) + len(target_words)) if common else 0.0


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence, by bits: Hyyrö 2004, about len / 64 machine words for each step."""
    if len(first) > len(second):
        first, second = second, first
    places: dict[str, int] = {}
    for n, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << n
    every = (1 << len(first)) - 1
    row = every
    for word in second:
        same = row & places.get(word, 0)
        row = ((row + same) | (row - same)) & every
    return len(first) - row.bit_count()


def rouge_l(reply_words: Sequence[str], target_words: Sequence[str]) -> float:
    """F measure of the longest common subsequence of words: 2·P·R / (P + R), P = LCS / reply, R = LCS / target. Lin 2004."""
    if not reply_words or not target_words:
        return 0.0
    common = common_subsequence(reply_words, target_words)
    precision, recall = common / len(reply_words), common / len(target_words)
    return 2 * precision * recall / (precision + recall) if common else 0.0


def english_words(text: str) -> list[str]:
    """The words that rouge-score 0.1.2 sees: runs of a-z and 0-9 in small letters, and nothing else."""
    return _ENGLISH_WORDS.findall(text.lower())


def _f1(row: WordsRow, case: Case) -> Outcome:
    target_words = squad_words(case.target)
    return Outcome(overlap_f1(squad_words(case.text), target_words)) if target_words else Outcome(None, WORDLESS)


def _em(row: WordsRow, case: Case) -> Outcome:
    target_words = squad_words(case.target)
    return Outcome(float(squad_words(case.text) == target_words)) if target_words else Outcome(None, WORDLESS)


def _rouge_l_of(reply_words: Sequence[str], target_words: Sequence[str]) -> Outcome:
    if not target_words:
        return Outcome(None, WORDLESS)
    if len(reply_words) * len(target_words) > _MOST_WORDS_COMPARED:
        return Outcome(None, f"too long to compare: {len(reply_words):,} words with {len(target_words):,}", is_fault=True)
    return Outcome(rouge_l(reply_words, target_words))


def _rouge_l(row: WordsRow, case: Case) -> Outcome:
    return _rouge_l_of(unicode_words(case.text), unicode_words(case.target))


def _rouge_l_en(row: WordsRow, case: Case) -> Outcome:
    return _rouge_l_of(english_words(case.text), english_words(case.target))


def _similarity(row: SimilarityRow, case: Case) -> Outcome:
    from rapidfuzz.distance import Indel  # only here: it takes 50 ms to load, and few runs use it

    text, target = folded(case.text, row.ignore), folded(case.target, row.ignore)
    if not target:
        return Outcome(None, "nothing is left of the target")
    if len(text) * len(target) > _MOST_COMPARED:
        return Outcome(None, f"too long to compare: {len(text):,} characters with {len(target):,}", is_fault=True)
    return Outcome(Indel.normalized_similarity(text, target))


def _has_no_english(text: str) -> bool:
    return not english_words(text)


F1 = Rule("f1", 1, "share of words that reply and target have in common", WordsRow, _f1, is_rate=False)
EM = Rule("em", 1, "reply and target have the same words in the same order", WordsRow, _em)
ROUGE_L = Rule("rouge_l", 1, "longest common run of words, with gaps", WordsRow, _rouge_l, is_rate=False)
ROUGE_L_EN = Rule(
    "rouge_l_en", 1, "RougeL as rouge-score 0.1.2 has it, without stemmer: English alone", WordsRow, _rouge_l_en,
    is_rate=False, is_empty=_has_no_english,
)  # fmt: skip
SIMILARITY = Rule(
    "similarity", 1, "1 - insertions and deletions / characters of both", SimilarityRow, _similarity, is_rate=False
)
