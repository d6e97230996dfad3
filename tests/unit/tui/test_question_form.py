"""Laws of a question as a text to be edited, and of the filter: nothing is lost by looking, what is wrong is said."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from conversation_sets import conversation_set
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few
from questions import asked, benchmarks, open_question

from tui_eval.core.conversations import Conversation, ConversationSet, Turn
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.conversation_samples import turn_of
from tui_eval.datasets.groups import calculation_of, groups_named
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.sets import QuestionSet, of_conversations
from tui_eval.tui.screens.datasets.question_form import form_problem, form_question, form_text
from tui_eval.tui.screens.datasets.question_list import QuestionRow, SetPreviewScreen, words_of
from tui_eval.tui.screens.datasets.review import ReviewScreen

BELONGS = groups_named("easy", ("Matter", "Air"), (), False)
LETTERED = Sample("q1", "Which is a gas?\nOne only.", ("iron", "helium"), 1, groups=BELONGS)
OPEN = numbered([open_question("Who keeps it?", "Ines", ["log", "map"], {"log": "Maud"})])[0]


@few
@given(benchmarks(), st.lists(asked, min_size=1, max_size=3))
def test_a_text_that_is_left_as_it_is_changes_nothing(lettered: QuestionSet, entries: list[Sample]) -> None:
    """Whatever question has a text at all, that text means the same question."""
    for question in (*lettered.questions, *numbered(entries)):
        try:
            text = form_text(question)
        except ConfigError:
            continue
        assert form_question(text, question) == question and form_problem(text, question) == ""


def test_ordinary_questions_can_be_edited() -> None:
    """Each part of the text is a part of the question; other parts stay."""
    text = form_text(LETTERED)
    assert "[B]\nhelium" in text and "[answer]\nB" in text and "[domains]\nMatter\nAir" in text
    more = form_question(text.replace("helium\n", "helium\n\n[C]\nneon\n").replace("[answer]\nB", "[answer]\nc"), LETTERED)
    assert (more.options, more.letter, more.id, calculation_of(more)) == (("iron", "helium", "neon"), "C", "q1", "no")
    open_text = form_text(OPEN)
    changed = form_question(open_text.replace("Maud", "Tobias").replace("log\nmap", "log"), OPEN)
    assert (changed.document_truths, changed.documents, changed.truth) == ({"log": "Tobias"}, ("log",), "Ines")
    assert form_question(open_text.replace("Ines", ""), OPEN).truth is None


@pytest.mark.parametrize("text", ["one\u2028two", "a\rb", "\x1b[2J", "Which?\n[answer]\nB"])
def test_what_a_text_area_would_change_is_not_edited(text: str) -> None:
    """Signs that are lost or moved by editing, and lines that look like headings: refused before anything is lost."""
    with pytest.raises(ConfigError, match="cannot be edited here"):
        form_text(replace(LETTERED, question=text))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("[answer]\nB", "[answer]\nC", "letter of one of the options"),
        ("[B]", "[C]", "without a gap"),
        ("Which is a gas?\nOne only.", "", "the question is empty"),
        ("[B]\nhelium\n\n[answer]\nB", "[answer]\nA", "1 option;"),
        ("helium", "", "an option is empty"),
        ("[A]", "[B]", "appears again"),
        ("[calculation]\nno", "[calculation]\nmaybe", "must be yes, no or empty"),
        ("[question]\n", "", "above the first heading"),
        ("[difficulty]", "[documents]", "[documents] is for open questions"),
    ],
)
def test_mistakes_are_told(before: str, after: str, words: str) -> None:
    """Each kind of mistake is said in words of its own."""
    text = form_text(LETTERED)
    assert before in text
    assert words in form_problem(text.replace(before, after), LETTERED)


@few
@given(
    st.one_of(
        any_text, st.lists(st.sampled_from(["[question]", "[A]", "[answer]", "[answer for x]", "text", ""])).map("\n".join)
    )
)
def test_no_text_is_too_odd(text: str) -> None:
    """Any text is a question or has something wrong with it that is said."""
    assert form_problem(text, LETTERED) or form_question(text, LETTERED)
    assert form_problem(text, OPEN) or form_question(text, OPEN)


def found(screen: SetPreviewScreen, questions: QuestionSet, text: str) -> list[str]:
    """Which questions a screen shows by a filter."""
    rows = [QuestionRow(one, number, None, words_of(one)) for number, one in enumerate(questions.questions, start=1)]
    view = replace(screen.view, columns=screen.columns(questions, rows)).with_query(text)
    return [row.question.id for row in view.chosen(rows)]


def test_a_filter_looks_where_it_is_told() -> None:
    """Words look everywhere, field:word in one field, "!" turns it round; nothing typed matches everything."""
    screen, questions = SetPreviewScreen(Path("exam.json")), QuestionSet("exam", (LETTERED,))
    for words in ("gas IRON", "domain:air", "difficulty:easy !topic:x", "answer:helium", "id:q1", "", "!", "domain:", "id=Q1"):
        assert found(screen, questions, words) == ["q1"], words
    for words in ("!gas", "domain:gas", "answer:iron", "!difficulty:easy", "lead", "no"):
        assert not found(screen, questions, words), words


def test_a_turn_of_a_conversation_is_edited() -> None:
    """With its quote and page; what was found out of the old ones holds no longer; what is wrong is said."""
    edited = 0
    for seed in range(40):
        for question in of_conversations(conversation_set(seed)).questions:
            try:
                text = form_text(question)
            except ConfigError:
                continue
            edited += 1
            assert form_question(text, question) == question
    assert edited > 40
    turn = Turn(id="t2", question="Deep?", ground_truth="4 m", quote="4 m.", page=1, depends_on="t1", quote_repaired=True)
    found = ConversationSet(
        name="", conversations=(Conversation(id="c", turns=(Turn(id="t1", question="a", ground_truth=""), turn)),)
    )
    question = of_conversations(found).questions[1]
    text = form_text(question)
    assert text.startswith("[question]\nDeep?\n\n[answer]\n4 m\n\n[quote]\n4 m.\n\n[page]\n1\n")
    changed = turn_of(form_question(text.replace("4 m.", "4,0 m.").replace("[page]\n1", "[page]\n2"), question))
    assert changed == replace(turn, quote="4,0 m.", page=2, quote_repaired=False)
    for wrong, words in (("[page]\n1", "[page]\nlast"), ("[answerable]\nyes", "[answerable]\nperhaps"), ("Deep?", "")):
        assert wrong in text and form_problem(text.replace(wrong, words), question)


def test_turns_are_filtered_by_their_number_and_conversation() -> None:
    """turn=1 is no turn 11; a number alone is looked for in words, not in turns."""
    turns = tuple(Turn(id=f"t{n}", question="Why?", ground_truth="", type="fact" if n == 1 else "") for n in range(1, 12))
    talk = of_conversations(ConversationSet(name="", conversations=(Conversation(id="talk", turns=turns),)))
    screen = ReviewScreen(Path("talk.json"))

    def shown(words: str) -> list[str]:
        return found(screen, talk, words)

    assert (shown("turn=1"), len(shown("!turn=1")), shown("turn>9")) == (["t1"], 10, ["t10", "t11"])
    assert len(shown("conversation:talk")) == 11 and shown("7") == ["t7"]
    assert shown("type:dropped") == [f"t{n}" for n in range(1, 12)], "none of these rows is of the set"


@pytest.mark.soak
def test_ten_thousand_questions_answer_a_key_at_once() -> None:
    """Whatever a key asks for, by words, by fields or by another order, it is found within 50 ms of CPU."""
    groups = groups_named("easy", ("Matter", "Air"), ("ice",), False)
    questions = [
        replace(LETTERED, id=f"q{n}", question=f"Which rock is number {n}? " * 6, groups=groups) for n in range(10_000)
    ]
    rows = [QuestionRow(one, number, None, words_of(one)) for number, one in enumerate(questions, start=1)]
    screen, took = SetPreviewScreen(Path("exam.json")), list[float]()
    view = replace(screen.view, columns=screen.columns(QuestionSet("exam", tuple(questions)), rows))
    for text in ("r", "rock 77", "answer:helium", "id>q5000", "!question:77 topic:ice", "nothing at all", "domain=Air"):
        begun = time.thread_time()
        view.with_query(text).chosen(rows)
        took.append(time.thread_time() - begun)
    for _ in range(4):
        begun = time.thread_time()
        view = view.with_next_order(rows)
        view.chosen(rows)
        took.append(time.thread_time() - begun)
    assert sorted(took)[len(took) // 2] < 0.05, took


@few
@given(st.text(alphabet='abn1:=<>!" ', max_size=12))
def test_a_filter_that_is_turned_round_leaves_the_others(text: str) -> None:
    """Whatever one word asks for, and its opposite, are all questions of a set, each once."""
    questions = of_conversations(conversation_set(3))
    word = "".join(text.split()).strip('!"')
    screen, every = ReviewScreen(Path("talk.json")), [one.id for one in questions.questions]
    if word and not any(sign in word for sign in ':=<>"'):
        assert sorted([*found(screen, questions, word), *found(screen, questions, f"!{word}")]) == sorted(every)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[quote]\n", "[quote] in 1912\n", "line 7: [quote] must be alone on its line"),
        ("[quote]\n", "", "[quote] is gone"),
        ("[answerable]\n", "[answerable\n", "[answerable] is gone"),
    ],
)
def test_no_part_of_a_turn_becomes_the_end_of_another(old: str, new: str, said: str) -> None:
    """A heading that is damaged or gone is said: its part would be taken for more of the answer."""
    turn = Turn(id="t1", question="When?", ground_truth="in 1912", quote="The mole was built in 1912", page=2)
    found = ConversationSet(name="", conversations=(Conversation(id="c1", turns=(turn,)),))
    (question,) = of_conversations(found).questions
    assert said in form_problem(form_text(question).replace(old, new), question)
