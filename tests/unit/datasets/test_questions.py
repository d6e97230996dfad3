"""Laws of Questions.md: every line is used or refused by its number, none is lost without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from questions import open_question

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.questions_markdown import questions_markdown
from tui_eval.workspace.places import shipped


def read(text: str) -> tuple[Sample, ...]:
    """The questions of a text."""
    return questions_markdown(text, "Questions.md")


WRITTEN = {
    "Q and A": "Q: What is one?\nA: 1\n\nQ: What is two?\nA: 2\n",
    "bold, numbered": "**Q1:** What is one?\n**A1:** 1\n**Q2:** What is two?\n**A2:** 2\n",
    "question and answer": "Question 1: What is one?\nAnswer 1: 1\nQuestion 2: What is two?\nAnswer 2: 2\n",
    "heading, text below": "## Question 1\nWhat is one?\n\n**Answer:** 1\n\n## Question 2\nWhat is two?\n\n**Answer:** 2\n",
    "headings": "# The exam\n\n## What is one?\n\nAnswer: 1\n\n## What is two?\n\nAnswer: 2\n",
    "table": "Words.\n\n| # | Question | Answer |\n|---|:---|---|\n| 1 | What is one? | 1 |\n| 2 | **What is two?** | 2 |\n",
    "table without edges": "Question | Correct answer\n--- | ---\nWhat is one? | 1\nWhat is two? | 2\n",
    "on one line": "1. What is one? Answer: 1\n2. What is two? (Answer: 2)\n",
    "other names": "1. What is one?\n   Expected answer: 1\n2. What is two?\n   - **Correct answer:** 2\n",
}
"""Two questions and their answers, as people write them."""


@pytest.mark.parametrize(
    "text",
    [
        "1. What is one?\nAnswer: 1\n2. What is two?\nAnswer: 2\n",
        "1) What is one?\n\n  Answer: 1\n\n\n2) What is two?\n- Answer: 2",
        "# Questions\n\n## 1. What is one?\n**Answer:** 1\n\n## 2. What is two?\n**Answer**: 2\n",
        "Some words before.\r\n1. What is one?\r\nanswer : 1\r\n2. What is two?\r\nANSWER: 2\r\n",
        "1. What is one?\rAnswer: 1\r2. What is two?\rAnswer: 2",
        "001. What\nis one?\n* Answer: 1\n# The second\n002. What is\n  two?\nAnswer: 2",
        *WRITTEN.values(),
    ],
    ids=["plain", "brackets", "headings", "Windows", "old Mac", "over lines", *WRITTEN],
)
def test_questions_and_answers_are_read_in_the_forms_people_write(text: str) -> None:
    """Numbers with a point or a bracket, headings, bold or bulleted answers, any line ends, questions over two lines."""
    assert read(text) == numbered([open_question("What is one?", "1"), open_question("What is two?", "2")])


def test_a_question_may_have_documents_and_answers_of_their_own() -> None:
    """Scope and per-document truths are read beside the general one, or without it."""
    text = (
        "1. Who?\nAnswer: A\nDocuments: doc1, doc 2 ,doc3\nAnswer (doc1): B\n**Answer (doc 2):** C\n2. What?\nAnswer(doc1): D\n"
    )

    assert read(text) == numbered(
        [
            open_question("Who?", "A", ["doc1", "doc 2", "doc3"], {"doc1": "B", "doc 2": "C"}),
            open_question("What?", None, [], {"doc1": "D"}),
        ]
    )


def test_a_question_may_lack_an_answer() -> None:
    """It is asked, and not graded."""
    assert read("1. Who?\n2. What?\nAnswer: D") == numbered([open_question("Who?"), open_question("What?", "D")])


def test_rare_separators_do_not_end_a_line() -> None:
    """U+2028 and a form feed are part of the text."""
    assert read("1. Who\u2028is it?\nAnswer: A\x0cB") == numbered([open_question("Who\u2028is it?", "A\x0cB")])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Questions.md: no questions found"),
        ("What is one?\n", "Questions.md: no questions found"),
        ("\n\nAnswer: 1\n1. What?\n", "Questions.md:3: 'Answer' appears before the first"),
        ("1. What?\n\nAnswer:\n", "Questions.md:3: 'answer' is empty"),
        ("1. What?\nAnswer: 1\nDocuments:  \n", "Questions.md:3: 'documents' is empty"),
        ("1. What?\nAnswer (a):\n", "Questions.md:2: 'answer' is empty"),
        ("1. What?\nAnswer: 1\n\nAnswer: 2\n", "Questions.md:4: a second answer"),
    ],
)
def test_a_mistake_is_told_by_its_line(text: str, said: str) -> None:
    """File and line number, and what is wrong there."""
    with pytest.raises(ConfigError) as caught:
        read(text)

    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "1. What?\nAnswer: the first line\nof an answer over two\n2. Who?\nAnswer: B\n",
        "1. What?\nAnswer: A\n\nWho is it, without a number?\nAnswer (x): B\n",
        "1. What?\nAnswer: A\n**Who is it?**\n",
        "1. What?\nAnswer: A\nAnwser (x): B\n",
    ],
    ids=["answer over two lines", "question without a number", "question in bold", "mistyped field"],
)
def test_no_line_below_an_answer_is_lost_without_a_word(text: str) -> None:
    """A line that is neither blank nor a heading belongs to what stands above it, or is refused by its number."""
    stray = text.split("\n")[2].strip() or text.split("\n")[3].strip()
    try:
        found = str(read(text))
    except ConfigError as error:
        found = str(error) if "Questions.md:" in str(error) else ""
        stray = "Questions.md:"

    assert stray in found


@pytest.mark.parametrize(
    "text",
    [
        "1. What?\nAnswer (a): 1\nAnswer (a): 2\n",
        "1. What?\nAnswer: 1\nDocuments: a\nDocuments: b\n",
        "1. What?\nAnswer: 1\nDocuments: , ,\n",
    ],
    ids=["two answers for one document", "two scopes", "scope of nothing"],
)
def test_what_is_said_twice_or_says_nothing_is_refused(text: str) -> None:
    """The later of two does not win in silence, and a scope that names no document does not mean all."""
    with pytest.raises(ConfigError, match=r"Questions\.md:[234]"):
        read(text)


words = st.text("abc?é,;-", min_size=1, max_size=12).map(lambda word: f"w{word}w")


@few
@given(st.lists(st.tuples(words, st.none() | words, st.lists(words.map(lambda w: w.replace(",", "")), max_size=2)), min_size=1))
def test_what_is_written_is_what_is_read(rows: list[tuple[str, str | None, list[str]]]) -> None:
    """Questions, answers and scopes written in the plain form come back, each with its own.

    A question without an answer ends in its mark: `Who?oda` is not in the plain form.
    """
    rows = [(question if truth else f"{question}?", truth, documents) for question, truth, documents in rows]
    lines = []
    for number, (question, truth, documents) in enumerate(rows, start=1):
        lines.append(f"{number}. {question}")
        lines += [] if truth is None else [f"Answer: {truth}"]
        lines += [f"Documents: {', '.join(documents)}"] if documents else []

    found = read("\n".join(lines))

    assert [(asked.question, asked.truth, list(asked.documents)) for asked in found] == rows


def test_the_shipped_example_can_be_read() -> None:
    """The dataset that comes with the program is in the form that is asked of others."""
    path: Path = shipped("examples") / "dataset" / "Questions.md"

    found = questions_markdown(path.read_text(encoding="utf-8"), path.name)

    assert len(found) == 7
    assert all(asked.truth for asked in found)


ANSWER = "ANSWERTEXT"


NAMES = ("Answer", "Expected answer", "The answer is", "Correct Answer", "Truth", "**Answer**", "A", "Ans", "Antwort",
         "Richtige Antwort", "Réponse", "Правильный ответ", "Expected output")  # fmt: skip
PLACES = (
    "1. What?\n   {}: {}\n",
    "1. What? {}: {}\n",
    "1. Say what {}: {} now\n",
    "Q: What?\n{}: {}\n",
    "## What?\n\n{}: {}\n",
    "1. What?\n\n{}: {}\n2. Who?\n",
    "1. What?\n- {}: {}",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", PLACES)
def test_no_answer_becomes_part_of_a_question(form: str, name: str) -> None:
    """However it is written: it is an answer, or refused by its line, so that no model is sent it."""
    if name == "A" and "now" in form:
        return  # a letter within a sentence is none
    try:
        found = read(form.format(name, ANSWER))
    except ConfigError as error:
        told = str(error)
    else:
        told = "" if any(ANSWER in question.question for question in found) else "Questions.md"
    assert "Questions.md" in told


@pytest.mark.parametrize(
    "form",
    [
        "1. Where? Solution: {}\n", "1. Where?\n   Solution: {}\n", "1. Where? Correct: {}\n", "1. Where?\nCorrect: {}\n",
        "1. Where? -> {}\n", "1. Where?\n-> {}\n", "1. Where? → {}\n", "1. Where? => **{}**\n", "1. Where? - {}\n",
        "1. Where? — {}\n", "1. Where? = {}\n", "1. Where? Correct answer is {}\n", "1. Where? The answer is {}.\n",
        "1. Where? Correct answer - {}\n", "1. Where? Antwort ist {}\n", "1. どこ？答え：{}\n", "1. どこ？\n正解: {}\n",
    ],
)  # fmt: skip
def test_an_answer_behind_its_question_is_sent_to_nobody(form: str) -> None:
    """By whatever sign or name: read, or refused by its line."""
    try:
        told = [(ANSWER in (one.truth or ""), ANSWER in one.question) for one in read(form.format(ANSWER))]
    except ConfigError as error:
        told = [(str(error).startswith("Questions.md:1: "), False)]
    assert told == [(True, False)]


@pytest.mark.parametrize(
    "question",
    [
        "Which of these is correct: the gate or the lock?", "What is the best solution: more locks, or fewer?",
        "Who keeps the gate? Answer in one word.", "Is it open? Answer Yes or No.", "Which port? Hint: below 1024.",
        "Does A -> B hold where B -> A does?", "What is 3 - 2?", "Which year? The answer has four digits.",
        "What did he say - and when?", "Is it so? Say yes or no - nothing else?", "How much is 2 = 2?",
        "Which is it? Options: a well, a gate.", "What does 'Lösung' mean?", "Is the reply right? Explain.",
    ],
)  # fmt: skip
def test_a_question_stays_whole(question: str) -> None:
    """Words that an answer may begin with, signs and what is said of how to reply are the question's own."""
    assert read(f"1. {question}\nAnswer: X\n") == numbered([open_question(question, "X")])


def test_words_of_a_question_are_no_answer() -> None:
    """A question may speak of answers, quote what a reply should look like, end with the word, or have options."""
    texts = ["Which answer is right?", "Reply with 'Answer: X' alone?", "2 + 2? Answer:", "Which? A: chalk B: coal"]
    more = "5. Which?\nA: chalk\nB: coal\nAnswer: A\n"
    found = read("".join(f"{n}. {text}\n" for n, text in enumerate(texts, start=1)) + more)
    assert [question.question for question in found] == [*texts, "Which? A: chalk B: coal"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. Who?\nQ2: When?\n", "Questions.md:2: 'Q2: When?' begins a question differently"),
        ("1. Name it, answer: Oda\n", "Questions.md:1: 'Name it, answer: Oda' seems to hold its answer"),
        ("| Question | Answer |\n|---|---|\n| Who? |\n", "Questions.md:3: '| Who? |' is not a row of 2 cells"),
        ("| Question | Points |\n|---|---|\n| Who? | 3 |\n", "Questions.md:1: unknown column 'Points'"),
        ("## Question 1\n\n## Question 2\nWho?\n", "Questions.md:1: a question without a text"),
    ],
)
def test_what_is_unclear_is_told_by_its_line(text: str, said: str) -> None:
    """File, line, and what is wrong with it."""
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert said in str(caught.value)


def test_an_answer_goes_on_in_an_indented_line() -> None:
    """The next line, set in as the answer is, belongs to it."""
    assert read("1. Who?\n   Answer: Oda\n   Finch\n") == numbered([open_question("Who?", "Oda Finch")])
