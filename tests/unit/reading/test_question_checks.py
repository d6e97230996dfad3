"""Laws of the checks of written questions: a sound one passes each, and each fault has a sentence of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.reading.question_checks import (
    alike,
    jaccard,
    numbers_reason,
    quote_reason,
    told_reason,
)
from tui_eval.reading.standing_alone import pointing_reason

PASSAGE = "The main pump delivers 1,000 litres an hour at 12.5 m; in winter, below −5 °C, it delivers 0.75 of that."


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("delivers 1,000 litres", ""),
        ("“DELIVERS 1,000  litres”", ""),
        ("delivers 1000 litres", "its quote is not in the text"),
        ("delivers 1,500 litres", "its quote is not in the text"),
        (" … ", "it has no quote"),
        ("x" * 301, "its quote has 301 characters, 300 are the most"),
    ],
)
def test_a_quote_is_in_its_passage(quote: str, reason: str) -> None:
    """As it is, however it is set, and not too long; a number is written as it is there."""
    assert quote_reason(quote, PASSAGE) == reason


@pytest.mark.parametrize(
    "answer", ["1000 litres", "1.000 l", "1 000", "12,5 m", "5 degrees below zero", "0.750", "two litres", ""]
)
def test_numbers_of_the_passage_may_be_written_otherwise(answer: str) -> None:
    """1,000 = 1000 = 1.000; words for numbers are not looked at."""
    assert numbers_reason(answer, "", PASSAGE) == ""


@pytest.mark.parametrize(("answer", "number"), [("100 litres", "100"), ("125 m", "125"), ("1,000 or 13", "13"), ("75 %", "75")])
def test_numbers_that_the_passage_does_not_have_are_named(answer: str, number: str) -> None:
    """The first of them."""
    assert numbers_reason(answer, PASSAGE, PASSAGE) == f"the number {number} of its answer is not in the text"


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("Why is the rubber impeller lubricated by water?", "Water", True),
        ("What is the rubber impeller?", "The rubber impeller.", True),
        ("In which year, 1998, was it dredged?", "1998", True),
        ("Welche Farbe hat die rote Boje?", "rot", False),
        ("Is the basin deep?", "Yes", False),
        ("Is there no way to berth?", "No", False),
        ("Is the float switch tested before or after a voyage?", "before a voyage", False),
        ("Which is heavier, water or oil?", "Water", False),
        ("Ist Wasser oder Öl schwerer?", "Öl", False),
        ("Wie heißt der Hafenmeister Karl Meier?", "Karl Meier", True),
        ("How deep is the basin at its northern end today?", "the basin is shallow at its northern end", False),
        ("At its northern end, how deep is the basin, the deep one?", "the deep basin is deep at its northern end", True),
        ("東京駅はどこの都市にありますか。", "東京", True),
        ("船長は港務局と税関のどちらに連絡しますか、港務局または税関?", "港務局", False),
        ("港の速度は何ノット以下ですか。", "3ノット", False),
    ],
)
def test_a_question_does_not_tell_its_answer(question: str, answer: str, told: bool) -> None:
    """Unless it offers it beside others, or the answer is yes or no."""
    assert bool(told_reason(question, answer)) == told


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does the main pump deliver?", "What does the main pump deliver"),
        ("What does the main pump deliver per hour?", "what DOES the main pump deliver per hour, then?"),
        ("Wie hoch ist die Liegegebühr je Meter?", "Wie hoch ist die Liegegebühr je Meter und Tag?"),
        ("船長は港務局に何時間前までに連絡しますか。", "船長は港務局に何時間前までに連絡しますか?"),
        ("船长必须提前几小时通知港务局?", "船长必须提前几小时通知港务局呢?"),
        ("Wann muß der Kapitän sich melden?", "Wann muss der Kapitän sich melden?"),
    ],
)
def test_texts_that_are_alike(one: str, other: str) -> None:
    """Set otherwise, with a word more, in languages without blanks."""
    assert alike(one, other) and alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does the main pump deliver?", "Who tests the float switch?"),
        ("船長は港務局に何時間前までに連絡しますか。", "港内の速度は何ノット以下ですか。"),
        ("Why?", "How?"),
        ("", ""),
    ],
)
def test_other_texts_are_not(one: str, other: str) -> None:
    """Nor is nothing like nothing."""
    assert not alike(one, other)


@few
@given(st.frozensets(st.text(max_size=2)), st.frozensets(st.text(max_size=2)))
def test_jaccard_is_a_likeness(one: frozenset[str], other: frozenset[str]) -> None:
    """From 0 to 1, the same both ways, 1 only of what is the same."""
    assert jaccard(one, other) == jaccard(other, one) and 0 <= jaccard(one, other) <= 1
    assert (jaccard(one, other) == 1) == (one == other and bool(one))


ALONE = [
    "What does the main bilge pump deliver per hour?",
    "A ship of 24 metres arrives at night. Where does it berth?",
    "Of the three pumps, which is the oldest?",
    "What does it cost to berth for a night in Sund?",
    "Is it allowed to pump out oil in the harbour of Sund?",
    "Which section of the mole is reserved for yachts?",
    "What does the harbour of Sund ask of ships above 24 metres?",
    "What does section 4 of the harbour rules forbid?",
    "Wie hoch ist die Liegegebühr im Hafen Sund?",
    "An welchem Abschnitt der Mole liegen Yachten?",
    "En quelle année le bassin a-t-il été dragué ?",
    "Quel est le montant de la taxe de port ?",
    "¿Cuánto cuesta el amarre por día en el puerto de Sund?",
    "O que deve o capitão fazer antes de chegar ao porto?",
    "Quanto costa l'ormeggio nel porto di Sund?",
    "Hoe lang mag een schip in de haven blijven?",
    "Ile kosztuje postój w porcie Sund?",
    "За сколько часов капитан сообщает о прибытии в порт?",
    "全長24メートルを超える船舶はどこに係留しますか。",
    "船长必须提前几小时通知港务局?",
    "선장은 몇 시간 전까지 항만국에 알려야 합니까?",
]
POINTING = [
    "According to the passage, what does the pump deliver?",
    "What does this section say about pumps?",
    "Which pump is mentioned above?",
    "What is the main topic of the text?",
    "And in winter?",
    "Is it tested?",
    "Why was this?",
    "What about oil?",
    "Why?",
    "Welche Pumpe wird im Text genannt?",
    "Was steht in diesem Abschnitt?",
    "Welche der oben genannten Pumpen ist alt?",
    "Und im Winter?",
    "Que dit ce passage ?",
    "Et en hiver ?",
    "¿Qué dice el texto?",
    "¿Y en invierno?",
    "Che cosa dice il brano?",
    "E d'inverno?",
    "O que diz este texto?",
    "Wat staat er in de tekst?",
    "O czym mówi ten fragment?",
    "О чём говорится в этом разделе?",
    "Что сказано в тексте о насосах?",
    "А зимой?",
    "Про що йдеться в цьому розділі?",
    "Bu metinde ne anlatılıyor?",
    "この文章によれば、ポンプの能力は?",
    "上記のポンプはどれですか。",
    "では冬は?",
    "根据上文,水泵的流量是多少?",
    "这篇文章讲了什么?",
    "那么冬天呢?",
    "이 글의 주제는 무엇입니까?",
    "그럼 겨울에는?",
    "ماذا يقول هذا النص؟",
]


@pytest.mark.parametrize("question", ALONE)
def test_what_stands_alone_passes(question: str) -> None:
    """Articles and prepositions of one language that begin a question of another are no fault."""
    assert pointing_reason(question) == ""


@pytest.mark.parametrize("question", POINTING)
def test_what_points_to_its_page_is_told(question: str) -> None:
    """In any case and with any white space."""
    assert pointing_reason(question).startswith("it does not stand alone: ")
    assert pointing_reason(f"  {question.upper()}".replace(" ", "\n"))


@few
@given(any_text, any_text)
def test_no_text_crashes_a_check(one: str, other: str) -> None:
    """A sentence or nothing."""
    for reason in (quote_reason(one, other), numbers_reason(one, other, other), told_reason(one, other), pointing_reason(one)):
        assert isinstance(reason, str)
