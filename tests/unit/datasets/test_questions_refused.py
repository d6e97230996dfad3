"""Laws of what is refused in a Questions.md: by its line, with the line as it should read."""

from __future__ import annotations

import pytest
from questions import open_question

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.question_drafts import words_behind_all
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
        ("1. Who?\nAnswer: Oda\n2. When?\n## Answers\n2. 1999\n", 4),
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
    assert refused("## Who?\nOda\n## When?\nAnswer: 1999\n").startswith(
        "Questions.md:1: the heading '## Who?' has a question mark"
    )
    assert refused("# What do you know?\n## When?\nAnswer: 1999\n").startswith("Questions.md:1: ")
    assert refused("## Who?\n1. When?\nAnswer: 1999\n").startswith("Questions.md:1: ")


ROWS = [("Who?", "Oda Finch"), ("How deep?", "310 m"), ("When?", "1999")]


@pytest.mark.parametrize(
    "form",
    [
        "1. {q} <!-- {a} -->\n",
        "1. {q}\n<!--\n{a}\n-->\n",
        "1. {q}\n<details><summary>Answer</summary>{a}</details>\n",
        "1. {q}\n<details>\n<summary>Show</summary>\n\n{a}\n</details>\n",
    ],
)
def test_what_a_page_hides_is_refused_in_any_file(form: str) -> None:
    """Whoever wrote it did not mean the models to see it: the message names a line, and how it should read."""
    said = refused("".join(form.format(q=q, a=a) for q, a in ROWS))

    assert said.startswith("Questions.md:") and "write 'Who?' and below it 'Answer: " in said


@pytest.mark.parametrize(
    "behind",
    [
        "\n   {}",
        "\n   > {}",
        "\n   *{}*",
        "\n\n{}\n",
        " {}",
        " ({})",
        " **{}**",
        "\t{}",
        " | {}",
        " / {}",
        " [{}]",
        "\n```\n{}\n```",
        "\n\u2705 {}",
        "\nA) {}",
        "\nA. {}",
        "\nKey: {}",
        "\nReference: {}",
        "\nR : {}",
        "\n||{}||",
    ],
)
def test_words_behind_every_question_of_a_file_without_answers_are_told(behind: str) -> None:
    """They are part of the questions there, and may be their answers: the sentence shows the first as it should read."""
    found = read("".join(f"1. {q}{behind.format(a)}\n" for q, a in ROWS))
    said = words_behind_all([one.question for one in found])

    assert "write 'Who?' and below it 'Answer: " in said and said.endswith("Oda Finch'")


@pytest.mark.parametrize(
    "behind",
    [
        "Answer in one word.",
        "In metres.",
        "(in words)",
        "\n   Look at page {n}.",
        "\n   a) chalk\n   b) coal\n   c) clay {n}",
        "a) chalk {n} b) coal",
        "",
    ],
)
def test_what_belongs_to_the_questions_of_a_file_without_answers_is_not_told(behind: str) -> None:
    """Whole sentences, the same words each time, and options are no answers."""
    asked = [f"Which of these is it? {' '.join(behind.format(n=n).split())}".strip() for n in range(1, 4)]
    found = read("".join(f"{n}. Which of these is it? {behind.format(n=n)}\n" for n in range(1, 4)))

    assert [one.question for one in found] == asked and not words_behind_all(asked)


@pytest.mark.parametrize("title", ["## Answers", "Answers:", "**Answer key**", "# Solutions", "## Lösungen", "### Réponses"])
def test_a_list_of_answers_apart_from_the_questions_is_refused_by_its_title(title: str) -> None:
    """Its lines are numbered as questions are, and would be asked, or would be part of the last question."""
    for listed in ("1. Oda Finch\n2. 310 m\n", "Oda Finch\n310 m\n"):
        said = refused(f"1. Who?\n2. How deep?\n\n{title}\n\n{listed}")

        assert said.startswith("Questions.md:4: ") and "write each below its question as 'Answer: ...'" in said


@pytest.mark.parametrize(
    "form",
    [
        "Q1. {q}\nA1. {a}\n",
        "Q1) {q}\nA1) {a}\n",
        "## Question 1\n{q}\n### Answer\n{a}\n\n",
        "1. {q}\n**Answer**\n{a}\n",
        "1. {q}\nAnswer:\n\n{a}\n",
        "1. {q}\n### Answer: {a}\n",
        "**1. {q}**\nAnswer: {a}\n\n",
        "**1.** {q}\nAnswer: {a}\n",
        "1\\. {q}\nAnswer: {a}\n",
        "1. {q}\nAnswer: {a}\n\n---\n\n",
        "1. {q}\nExpected: {a}\n",
        "1. {q}\n   - Gold: {a}\n",
        "## {q}\n### Answer\n{a}\n",
        "Frage: {q}\nAntwort: {a}\n",
        "Pregunta 1: {q}\nRespuesta: {a}\n",
        "\u95ee\uff1a{q}\n\u7b54\uff1a{a}\n",
        "\u0412\u043e\u043f\u0440\u043e\u0441: {q}\n\u041e\u0442\u0432\u0435\u0442: {a}\n",
    ],
)
def test_an_answer_below_its_name_or_in_its_own_form_is_read(form: str) -> None:
    """Marks around numbers, rules between questions and words of other languages change nothing."""
    text = "".join(form.format(q=q, a=a) for q, a in [("Who?", "Oda Finch"), ("How deep?", "310 m")])

    assert read(text) == numbered([open_question("Who?", "Oda Finch"), open_question("How deep?", "310 m")])


@pytest.mark.parametrize("below", ["", "2. When?\n", "- Oda\n- Finch\n", "```\nOda\n```\n", "Documents: a\n"])
def test_a_name_of_an_answer_with_none_below_it_is_refused_by_its_line(below: str) -> None:
    """Neither a list nor a block is guessed at."""
    assert refused(f"1. Who?\nAnswer:\n{below}") == "Questions.md:2: 'answer' is empty; write it on the same line"


@pytest.mark.parametrize("form", ["Answer (doc1): Oda", "Answer [doc1]: Oda", "Answer for doc1: Oda"])
def test_an_answer_for_one_document_is_read(form: str) -> None:
    """In brackets of either sort, or behind `for`."""
    assert [one.document_truths for one in read(f"1. Who?\n{form}\n")] == [{"doc1": "Oda"}]
