"""Laws of what is refused in a Questions.md: by its line, with the line as it should read."""

from __future__ import annotations

import pytest
from questions import open_question

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.questions_markdown import questions_markdown


def read(text: str) -> tuple[Sample, ...]:
    """The questions of a text."""
    return questions_markdown(text, "Questions.md")


def refused(text: str) -> str:
    """What is said of a text that is refused."""
    with pytest.raises(ConfigError) as caught:
        read(text)
    return str(caught.value)


@pytest.mark.parametrize(
    "form",
    ["\nOda", "\n*Oda*", "\n**Oda**", "\n> Oda", "\n[Oda]", "\n; Oda", "\n/ Oda", "\nR: Oda", "\nAns. Oda", "\nAnswer Oda",
     "\n- Oda"],
)  # fmt: skip
def test_a_line_below_a_question_is_refused_with_the_line_it_should_be(form: str) -> None:
    """Where another question has an answer: the message names the line and shows the answer without its dress."""
    said = refused(f"1. When?\nAnswer: 1999\n2. Who?{form}\n")
    assert said.startswith("Questions.md:4: ") and "'Answer: Oda'" in said


@pytest.mark.parametrize("form", [" (Oda)", "\tOda", " Oda", " - Oda", " = Oda", " [Oda]", "Oda", " **Oda**", " “Oda”"])
def test_what_stands_behind_a_question_is_refused_with_both_lines(form: str) -> None:
    """The message shows the question up to its mark, and the answer on a line of its own."""
    said = refused(f"1. When?\nAnswer: 1999\n2. Who?{form}\n")
    assert said.startswith("Questions.md:3: ") and "write 'Who?' and below it 'Answer: Oda'" in said


@pytest.mark.parametrize("form", ["\nAnswer: Oda", "\nA: Oda", "\n-> Oda", "\nAns: Oda", " Answer: Oda", " -> Oda"])
def test_known_forms_are_answers(form: str) -> None:
    """They are read beside a question without any."""
    assert read(f"1. When?\n2. Who?{form}\n") == numbered([open_question("When?"), open_question("Who?", "Oda")])


def test_a_question_may_say_that_it_has_no_answer() -> None:
    """`Answer: (none)` lets it keep further lines, and words behind its mark."""
    text = "1. Who?\nAnswer: Oda\n2. Who (of two)? Say why.\nIn one line.\nAnswer: (none)\n"
    assert read(text) == numbered([open_question("Who?", "Oda"), open_question("Who (of two)? Say why. In one line.")])


@pytest.mark.parametrize("asked", ["Name the keeper.", "Who is 'he'?", "Which? a) chalk b) coal", "Who? Answer:", "Τι είναι;"])
def test_a_question_alone_needs_no_answer(asked: str) -> None:
    """A single line that ends in its mark, in options or in `Answer:`, or is one clause."""
    assert read(f"1. {asked}\n2. When?\nAnswer: 1999\n")[0].question == asked


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1. Who?\nAnswer: Oda\n2. When?\n## Answers\n2. 1999\n", 5),
        ("# Answers\n1. Oda\n2. Finch\n# Questions\n1. Who?\n2. When?\nAnswer: 1999\n", 2),
        ("1. Who?\nAnswer: Oda\n2. When?\n   1. 1999\n", 4),
        ("1. Who?\nAnswer: Oda\n2. Name the keeper, Finch\n", 3),
        ("1. Who?\nAnswer: Oda\n2. Who? Oda;\n", 3),
        ("1. Who?\nAnswer: Oda\n2. Which?\na) Oda\nb) Finch (correct)\n", 4),
        ("1. Who?\nAnswer: Oda\n2. Which? a) Oda b) **Finch**\n", 3),
    ],
)
def test_a_list_of_answers_and_marked_options_are_refused(text: str, line: int) -> None:
    """Answers under numbers that were there before are no questions, and options with the right one marked are none."""
    assert refused(text).startswith(f"Questions.md:{line}: ")


def test_a_heading_that_asks_is_a_question_or_refused() -> None:
    """With nothing below it, it is asked without an answer; with text below it, its line is told."""
    assert read("## Who?\n## When?\nAnswer: 1999\n") == numbered([open_question("Who?"), open_question("When?", "1999")])
    assert refused("## Who?\nOda\n## When?\nAnswer: 1999\n").startswith("Questions.md:1: the heading '## Who?' asks")
    assert refused("# What do you know?\n## When?\nAnswer: 1999\n").startswith("Questions.md:1: ")
    assert refused("## Who?\n1. When?\nAnswer: 1999\n").startswith("Questions.md:1: ")
