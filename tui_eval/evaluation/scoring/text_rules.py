"""Scorers that compare texts whole or in part: exact, contains, contains_any, contains_all, starts_with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.scoring.text_folding import Ignorable, folded, is_inside_word


class ExactRow(ScorerRow):
    """Options of `exact`."""

    ignore: list[Ignorable] = ["whitespace"]
    """What makes no difference: "case", "whitespace", "punctuation", "articles" (English), "accents"."""


class ContainsRow(ScorerRow):
    """Options of `contains` and `starts_with`."""

    ignore: list[Ignorable] = ["case", "whitespace"]
    """What makes no difference: "case", "whitespace", "punctuation", "articles" (English), "accents"."""
    whole_words: bool = True
    """Whether what is looked for must not begin or end inside a word or a number: 5 is not in 15, nor no in north."""


class SeveralRow(ContainsRow):
    """Options of `contains_any` and `contains_all`."""

    values: Annotated[list[Annotated[str, Field(min_length=1)]] | None, Field(min_length=1)] = None
    """The texts that are looked for, the same for every sample. Empty = the sample's targets."""

    @property
    def wants_target(self) -> bool:
        """Only where it names no texts of its own."""
        return self.values is None


def _exact(row: ExactRow, case: Case) -> Outcome:
    return Outcome(float(folded(case.text, row.ignore) == folded(case.target, row.ignore)))


def _contains(row: ContainsRow, case: Case) -> Outcome:
    target = folded(case.target, row.ignore)
    if not target:
        return _emptied()
    return Outcome(float(is_within(target, folded(case.text, row.ignore), row.whole_words)))


def _starts_with(row: ContainsRow, case: Case) -> Outcome:
    target, text = folded(case.target, row.ignore), folded(case.text, row.ignore)
    if not target:
        return _emptied()
    return Outcome(float(text.startswith(target) and not (row.whole_words and is_inside_word(text, len(target)))))


def _contains_any(row: SeveralRow, case: Case) -> Outcome:
    text = folded(case.text, row.ignore)
    targets = _targets(row, case)
    if not any(targets):
        return _emptied()
    first = next((target for target in targets if target and is_within(target, text, row.whole_words)), None)
    return Outcome(float(first is not None), read=first)


def _contains_all(row: SeveralRow, case: Case) -> Outcome:
    text = folded(case.text, row.ignore)
    targets = [target for target in _targets(row, case) if target]
    if not targets:
        return _emptied()
    missing = [target for target in targets if not is_within(target, text, row.whole_words)]
    return Outcome(float(not missing), f"missing: {missing[0][:60]!r}" if missing else "")


def _targets(row: SeveralRow, case: Case) -> Sequence[str]:
    return [folded(target, row.ignore) for target in (row.values or case.expected.targets or ())]


def _emptied() -> Outcome:
    return Outcome(None, "nothing is left of the target")


def is_within(part: str, text: str, whole_words: bool) -> bool:
    """Return whether a text that is not empty stands in another; `whole_words`: not from or up to the middle of a word."""
    at = text.find(part)
    while at >= 0 and whole_words and (is_inside_word(text, at) or is_inside_word(text, at + len(part))):
        at = text.find(part, at + 1)
    return at >= 0


EXACT = Rule("exact", 1, "the reply is the target, letter by letter but for white space", ExactRow, _exact)
CONTAINS = Rule("contains", 1, "the target stands in the reply, as whole words", ContainsRow, _contains)
STARTS_WITH = Rule("starts_with", 1, "the reply begins with the target", ContainsRow, _starts_with)
CONTAINS_ANY = Rule(
    "contains_any", 1, "one of several texts stands in the reply", SeveralRow, _contains_any, takes_all_targets=True
)
CONTAINS_ALL = Rule(
    "contains_all", 1, "all of several texts stand in the reply", SeveralRow, _contains_all, takes_all_targets=True
)
