"""Laws of a question as a text to be edited, and of the filter: nothing is lost by looking, what is wrong is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few
from questions import asked, benchmarks

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.questions import AskedQuestion
from tui_eval.datasets.sets import QuestionSet, SetKind, SetQuestion, numbered
from tui_eval.tui.question_filter import QuestionFilter, texts_of
from tui_eval.tui.question_form import form_problem, form_question, form_text

LETTERED = SetQuestion("q1", "Which is a gas?\nOne only.", ("iron", "helium"), 1, None, "easy", ("Matter", "Air"), (), False)
OPEN = numbered([AskedQuestion("Who keeps it?", "Ines", ["log", "map"], {"log": "Maud"})])[0]


@few
@given(benchmarks(), st.lists(asked, min_size=1, max_size=3))
def test_a_text_that_is_left_as_it_is_changes_nothing(lettered: QuestionSet, entries: list[AskedQuestion]) -> None:
    """Whatever question has a text at all, that text means the same question."""
    pairs: list[tuple[SetKind, SetQuestion]] = [("choice", q) for q in lettered.questions]
    pairs += [("panel", q) for q in numbered(entries)]
    for kind, question in pairs:
        try:
            text = form_text(question, kind)
        except ConfigError:
            continue
        assert form_question(text, question, kind) == question and form_problem(text, question, kind) == ""


def test_ordinary_questions_can_be_edited() -> None:
    """Each part of the text is a part of the question; other parts stay."""
    text = form_text(LETTERED, "choice")
    assert "[B]\nhelium" in text and "[answer]\nB" in text and "[domains]\nMatter\nAir" in text
    more = form_question(
        text.replace("helium\n", "helium\n\n[C]\nneon\n").replace("[answer]\nB", "[answer]\nc"), LETTERED, "choice"
    )
    assert (more.options, more.letter, more.id, more.calc_required) == (("iron", "helium", "neon"), "C", "q1", False)
    open_text = form_text(OPEN, "panel")
    changed = form_question(open_text.replace("Maud", "Tobias").replace("log\nmap", "log"), OPEN, "panel")
    assert (changed.document_truths, changed.documents, changed.truth) == ({"log": "Tobias"}, ("log",), "Ines")
    assert form_question(open_text.replace("Ines", ""), OPEN, "panel").truth is None


@pytest.mark.parametrize("text", ["one\u2028two", "a\rb", "\x1b[2J", "Which?\n[answer]\nB"])
def test_what_a_text_area_would_change_is_not_edited(text: str) -> None:
    """Signs that are lost or moved by editing, and lines that look like headings: refused before anything is lost."""
    with pytest.raises(ConfigError, match="cannot be edited here"):
        form_text(replace(LETTERED, question=text), "choice")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("[answer]\nB", "[answer]\nC", "letter of one of the options"),
        ("[B]", "[C]", "without a gap"),
        ("Which is a gas?\nOne only.", "", "the question is empty"),
        ("[B]\nhelium\n\n[answer]\nB", "[answer]\nA", "1 option;"),
        ("helium", "", "an option is empty"),
        ("[A]", "[B]", "a second time"),
        ("[calculation]\nno", "[calculation]\nmaybe", "yes, no or empty"),
        ("[question]\n", "", "above the first heading"),
        ("[difficulty]", "[documents]", "[documents] is for open questions"),
    ],
)
def test_mistakes_are_told(before: str, after: str, words: str) -> None:
    """Each kind of mistake is said in words of its own."""
    text = form_text(LETTERED, "choice")
    assert before in text
    assert words in form_problem(text.replace(before, after), LETTERED, "choice")


@few
@given(
    st.one_of(
        any_text, st.lists(st.sampled_from(["[question]", "[A]", "[answer]", "[answer for x]", "text", ""])).map("\n".join)
    )
)
def test_no_text_is_too_odd(text: str) -> None:
    """Any text is a question or has something wrong with it that is said."""
    assert form_problem(text, LETTERED, "choice") or form_question(text, LETTERED, "choice")
    assert form_problem(text, OPEN, "panel") or form_question(text, OPEN, "panel")


def test_a_filter_looks_where_it_is_told() -> None:
    """Words look everywhere, field:word in one field, "!" turns it round; nothing typed matches everything."""
    texts = texts_of(LETTERED)
    for words in ("gas IRON", "domain:air", "difficulty:easy !topic:x", "answer:helium", "id:q1", "", "!", "domain:"):
        assert QuestionFilter(words).matches(texts), words
    for words in ("!gas", "domain:gas", "answer:iron", "!difficulty:easy", "lead"):
        assert not QuestionFilter(words).matches(texts), words
