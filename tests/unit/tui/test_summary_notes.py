"""Laws of the notes under a summary: nothing is lost, and what several tables begin with is said once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from makers import few

from tui_eval.tui.screens.result.summary import said_once

sentences = st.lists(
    st.sampled_from(["A point is a point", "n = answers scored; interval: Wilson", "Scales: 1 to 5"]), max_size=4
)
lines = st.lists(sentences.map(lambda said: ". ".join(said) + "." * bool(said)), max_size=5)


def test_what_notes_begin_with_is_said_once() -> None:
    """The rest stands on a line of its own; a line that says nothing new is left out."""
    told = ["Here a question is a file. n = answers; Wilson.", "Here a question is a file. Scale: 0 to 1.", "Milliseconds."]
    assert said_once([*told, told[0]]) == ["Here a question is a file. n = answers; Wilson.", "Scale: 0 to 1.", "Milliseconds."]
    assert said_once(["a line without an end", "a line without an end. And more."]) == ["a line without an end", "And more."]


@few
@given(lines)
def test_every_sentence_is_still_said(notes: list[str]) -> None:
    """However notes repeat one another."""
    said = " ".join(said_once(notes))
    assert all(sentence.rstrip(".") in said for note in notes for sentence in note.split(". "))
