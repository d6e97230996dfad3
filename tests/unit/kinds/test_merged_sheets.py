"""Laws of sheets side by side: every setting in which they differ is named, and what is not known is said."""

from __future__ import annotations

from typing import Any

from choices import choice_question, sheet_of

from tui_eval.kinds.choice.merged_runs import warnings
from tui_eval.kinds.choice.sheets import AnswerSheets, Sheet

QUESTIONS = [choice_question(f"q{number}", 0) for number in range(3)]
OWN: dict[str, Any] = {"provider": "openai", "prompt": "p1", "permutations": 1, "shuffle": False}


def sheet(model: str, marks: str = "AAA", **info: Any) -> Sheet:
    """A sheet of an own run; `info`: what is another with it."""
    return sheet_of(model, marks, QUESTIONS, info={"parameters": {"temperature": 0, "seed": 1}, **OWN, **info})


def said(*sheets: Sheet) -> str:
    """What is said of them, beside the questions that they were asked."""
    return "\n".join(warnings(AnswerSheets("little", len(QUESTIONS), QUESTIONS, list(sheets)).sheets, []))


def test_nothing_is_said_of_what_is_the_same() -> None:
    """Equal settings, and seeds, which differ in each call, are no difference."""
    assert said(sheet("a"), sheet("b", parameters={"temperature": 0, "seed": 2})) == ""


def test_every_setting_that_differs_is_named_with_whose_it_is() -> None:
    """Prompt, temperature, orders, number of answers, and the limit of tokens, however providers call it."""
    limits = {"temperature": 0.7, "max_completion_tokens": 200}
    other = sheet("b", "AA AA AA", prompt="p2", permutations=4, shuffle=True, parameters=limits)
    text = said(sheet("a", parameters={"temperature": 0, "max_tokens": 100}), other)

    assert "Settings differ: prompt p1 (a); prompt p2 (b)." in text
    assert "Settings differ: temperature 0 (a); temperature 0.7 (b)." in text
    assert "Settings differ: token limit 100 (a); token limit 200 (b)." in text
    assert "Settings differ: answers to a question 1 (a); answers to a question 2 (b)." in text
    assert "options as in the benchmark (a); options shuffled, 4 orders (b)." in text


def test_imported_answers_have_no_prompt_that_is_known() -> None:
    """Beside an own run that is said; their settings are no others' settings."""
    text = said(sheet("a"), sheet("b", provider="recorded", prompt="unknown", parameters={}))

    assert text == "The prompt of b is unknown, since these answers were imported."
