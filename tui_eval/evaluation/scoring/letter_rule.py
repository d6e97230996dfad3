"""Scorer `choice`: the letter that a reply picks, by the rules of multiple choice."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Annotated, Literal

from pydantic import Field

from tui_eval.evaluation.scoring.rule import Case, Outcome, Rule, ScorerRow
from tui_eval.evaluation.scoring.text_folding import folded
from tui_eval.reading.letters import VERSIONS, read_letter

_FINISHED = {"length": False, "stop": True}
"""Whether a reply came to its end, by why the server says that it ended."""


class ChoiceRow(ScorerRow):
    """Options of `choice`."""

    extraction: Literal["robust", "formationeval-v0.1"] = "robust"
    """How the letter is read: as by the key of that name in `[choice]`."""
    n_options: Annotated[int, Field(ge=2, le=26)] | None = None
    """How many options there are, where samples have none of their own and their questions list them."""


def _judge(row: ChoiceRow, case: Case) -> Outcome:
    options = case.expected.options
    n = len(options) or row.n_options
    if not n:
        return Outcome(None, "no options: set n_options, or use samples with options")
    target = _target_letter(case, n)
    if target is None:
        return Outcome(None, f"the target is no option: {case.target[:60]!r}")
    finished = _FINISHED.get(case.reply.finish_reason or "")
    reading = read_letter(case.text, n, options, row.extraction, finished=finished)
    if reading.letter is None:
        return Outcome(0.0, reading.reason, pattern=reading.pattern, is_found=False)
    return Outcome(float(reading.letter == target), reading.note, reading.letter, reading.pattern)


def _target_letter(case: Case, n: int) -> str | None:
    """The right letter: the sample's own answer, else the target as a letter or as the text of one option."""
    if case.expected.answer is not None:
        return ascii_uppercase[case.expected.answer]
    target = case.target.strip().strip("().").upper()
    if len(target) == 1 and target in ascii_uppercase[:n]:
        return target
    texts = [folded(option, ("case", "whitespace")) for option in case.expected.options]
    target_text = folded(case.target, ("case", "whitespace"))
    return ascii_uppercase[texts.index(target_text)] if texts.count(target_text) == 1 else None


CHOICE = Rule(
    "choice", int(VERSIONS["robust"]), "the letter that the reply picks is the right one", ChoiceRow, _judge, reads_whole=True
)
