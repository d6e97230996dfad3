"""Laws of telling scripts and languages apart: what is clearly foreign is said to be, what may be right is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from makers import any_text, few

from tui_eval.kinds.question_writing.filtering import foreign_reason, language_of, script_of

PASSAGES = {
    "English": "The main pump is tested before every voyage, and the result is noted in the log book. It must not run dry.",
    "German": "Die Liegegebühr ist bei der Ankunft zu bezahlen. Wer den Hafen vor zwölf Uhr verlässt, zahlt nichts.",
    "French": "La taxe est payée à l'arrivée. Le capitaine ne doit pas quitter le port sans les papiers qui y sont.",
    "Russian": "Капитан обязан сообщить о прибытии не позднее чем за шесть часов по каналу. Это не относится к яхтам и лодкам.",
    "Japanese": "全長24メートルを超える船舶は、外側の防波堤にのみ係留することができる。速度は3ノット以下とする。",
    "Chinese": "船长必须在到港前六小时通知港务局。港内航速不得超过三节。",
    "Korean": "선장은 도착 여섯 시간 전까지 항만국에 알려야 한다.",
}
QUESTIONS = {
    "English": ["When is the main pump tested?", "And what is noted?", "How often?", "Which pump is the HMX-3?"],
    "German": ["Wann ist die Liegegebühr zu bezahlen?", "Und wer zahlt nichts?", "Warum?", "Was ist das AIS?"],
    "French": ["Quand la taxe est-elle payée ?", "Et les papiers ?", "Que doit faire le capitaine ?"],
    "Russian": ["Когда капитан обязан сообщить о прибытии?", "По какому каналу?", "Что такое AIS?"],
    "Japanese": ["全長24メートルを超える船舶はどこに係留できますか。", "速度は?", "AISとは何ですか。"],
    "Chinese": ["船长必须在什么时候通知港务局?", "航速呢?"],
    "Korean": ["선장은 언제 알려야 합니까?", "그리고 AIS는?"],
}
CLEAR = {
    "English": "When must the captain report to the harbour office?",
    "German": "Wann muss der Kapitän sich bei der Hafenbehörde melden?",
    "French": "Quand le capitaine doit-il se présenter dans les bureaux du port ?",
    "Russian": "Когда капитан должен сообщить о прибытии в порт?",
    "Japanese": "船長はいつ港務局に連絡しなければなりませんか。",
    "Chinese": "船长什么时候必须通知港务局管理人员?",
    "Korean": "선장은 언제 항만국에 알려야 합니까?",
}
ALL = [(passage, question) for passage in PASSAGES for question in CLEAR if passage != question]


@pytest.mark.parametrize("language", PASSAGES)
def test_questions_in_the_language_of_their_text_pass(language: str) -> None:
    """Short ones and such with foreign terms, too."""
    for question in [*QUESTIONS[language], CLEAR[language]]:
        assert foreign_reason(question, PASSAGES[language]) == "", question


@pytest.mark.parametrize(("passage", "question"), ALL, ids=["-".join(pair) for pair in ALL])
def test_a_clear_question_in_another_language_is_told(passage: str, question: str) -> None:
    """A model that answers in its own favourite language is caught."""
    assert foreign_reason(CLEAR[question], PASSAGES[passage])


def test_scripts_and_languages_have_names() -> None:
    """As a reason says them."""
    named = [script_of(PASSAGES[name]) for name in ("English", "Russian", "Japanese", "Chinese", "Korean")]

    assert named == ["Latin", "Cyrillic", "Japanese", "Han", "Hangul"]
    assert all(language_of(PASSAGES[name]) == name for name in ("English", "German", "French"))
    assert (
        foreign_reason("Wann kommt der Kapitän in das Büro und was muss er tun?", PASSAGES["English"])
        == "it is German, the text English"
    )


@few
@given(any_text)
def test_no_text_crashes_it(text: str) -> None:
    """Any text has a script or none, is at home with itself, and nothing is foreign where nothing is told."""
    assert foreign_reason(text, text) == ""
    assert foreign_reason("", text) == foreign_reason(text, "") == foreign_reason("17 %", text) == ""
    assert isinstance(script_of(text) + language_of(text), str)
