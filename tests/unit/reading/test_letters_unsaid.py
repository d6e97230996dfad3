"""Labels that a reply names and does not declare: denied, supposed, said by others, or of the next question."""

from __future__ import annotations

import pytest

from tui_eval.reading.letters import read_letter

PLANETS = ("Mercury", "Venus", "Mars", "Jupiter")
NEXT = "\n\nQuestion: What is the capital of Peru?\nA. Lima\nB. Quito\nC. Bogotá\nD. La Paz\nAnswer:"


@pytest.mark.parametrize(
    "reply",
    [
        "答えはCではありません。",
        "Cは正解ではありません。",
        "정답은 C가 아닙니다.",
        "C不是正确答案。",
        "B — неверный вариант.",
        "Неверный ответ: B",
        "Incorrect answer: B",
        "Falsche Antwort: B",
        "不正确的答案是B",
        "Antwort B wäre richtig, wenn nach dem Gegenteil gefragt würde.",
        "La respuesta sería B si x fuera 2.",
        "La risposta sarebbe B se x fosse 2.",
        "若题目问的是最小值，则答案是B。",
        "もし逆を聞かれたら、Bが正解です。",
        "Some might say that the answer is B.",
        "The correct answers are:\n\n- D) Jupiter\n- A) Mercury",
        "Let's analyze each option:\n\nB) Venus: This",
        "Is B correct",
        "Option A would be correct ",
    ],
)
def test_what_is_not_meant_is_not_read(reply: str) -> None:
    """A label is no answer where the sentence denies it, supposes it, asks about it, or leaves it to others."""
    assert read_letter(reply, 4, PLANETS).letter is None


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("答えはAではなくDです。", "D"),
        ("답은 C가 아니라 D입니다.", "D"),
        ("答案不是A，而是C。", "C"),
        ("La respuesta no es C, sino B.", "B"),
        ("A resposta não é B, e sim D.", "D"),
        ("Somit ist Antwort C korrekt. B wäre richtig, wenn es anders wäre.", "C"),
        ("Meine Antwort wäre C.", "C"),
        ("La respuesta sería B, que se encuentra en la lista.", "B"),
        ("You might think the answer is B, but it is C.", "C"),
        ("As you can conclude, the answer is B.", "B"),
        ("This makes D the correct answer.", "D"),
        ("Both C and D seem plausible, but D is the better answer.", "D"),
    ],
)
def test_what_is_set_against_it_is_read(reply: str, letter: str) -> None:
    """The label that a sentence declares in place of another counts."""
    assert read_letter(reply, 4, PLANETS).letter == letter


@pytest.mark.parametrize("reply", ["C", "C. Mars", "Mars", "The answer is C."])
@pytest.mark.parametrize("more", [f"{NEXT} A", NEXT, "\n\nQ: What is 2 + 2?\nA: 4", "\nHuman: Thanks"])
def test_what_a_model_goes_on_with_is_not_its_answer(reply: str, more: str) -> None:
    """A base model writes the next question, too: its own answer stands before it."""
    assert read_letter(reply + more, 4, PLANETS).letter == "C"


def test_a_question_with_the_same_options_is_the_one_that_is_answered() -> None:
    """A reply may repeat its question before it answers."""
    reply = "Sure.\nQuestion: Which is red?\nA. Mercury\nB. Venus\nC. Mars\nD. Jupiter\nAnswer: C"
    assert read_letter(reply, 4, PLANETS).letter == "C"
