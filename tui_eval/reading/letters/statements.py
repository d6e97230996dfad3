"""Clauses that state an option, `it is this`, told from those that only speak of it: word by word, from the option outwards."""

from __future__ import annotations

from tui_eval.reading.letters.languages import ANSWERS, IS, OPTIONS, RIGHT, SMALL, word_set

_EQUALS = word_set("= is are was be equals means") | IS
"""Words behind which a clause may end in what it states, whatever stands in front of them."""
_LEADS = (
    RIGHT
    | ANSWERS
    | OPTIONS
    | SMALL
    | word_set(
        "so thus therefore hence then yes well and but rather clearly obviously probably likely definitely certainly "
        "most about approximately around roughly aside it s this that must should has would can only i d ll m we my our "
        "think believe guess say choose pick take use select go with for going the a an correct right best final answer "
        "option choice one statement to which left leaves somit sondern sage mais est-ce c dirais que eso diría sino "
        "pero direi ma więc wäre sería serait sarebbe"
    )
)
"""Words that lead to an option and say nothing else."""
_SURE = (
    RIGHT
    | ANSWERS
    | OPTIONS
    | SMALL
    | word_set(
        "ist est es è é is was would must be seems the my most correct right best likely plausible accurate answer "
        "option choice one of course clearly obviously definitely certainly probably i think believe guess say for sure "
        "without any doubt it here then instead fits natürlich bien sûr claro certo"
    )
)
"""Words that confirm what stands before them and say nothing else."""
_REASONS = word_set("because since as due given weil denn parce car porque ya perché poiché pois omdat ponieważ потому")


def states(words: str, alone: bool = False) -> bool:
    """Whether a clause, as words with a mark `…` for its option, says no more than that this is it, and why.

    `alone`: whether nothing else may stand in front of `is`.
    """
    before, mark, after = words.partition(" … ")
    return bool(mark) and _leads(before.split(), alone) and _confirms(after.split())


def _leads(words: list[str], alone: bool) -> bool:
    for word in reversed(words):
        if word in _EQUALS:
            if not alone and (word == "=" or words[0] in _LEADS):
                return True
            continue
        if word not in _LEADS and not word[:1].isdigit():
            return False
    return True


def _confirms(words: list[str]) -> bool:
    for word in words:
        if word in _REASONS:
            return True
        if word not in _SURE:
            return False
    return True
