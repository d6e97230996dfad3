"""Questions of every shape, for tests of what keeps, edits and filters them."""

from __future__ import annotations

from hypothesis import strategies as st

from tui_eval.datasets.questions import AskedQuestion
from tui_eval.datasets.sets import QuestionSet, SetQuestion

word = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20).map(str.strip).filter(bool)
several = st.lists(word, min_size=1, max_size=3).map("\n".join)
options = st.lists(st.one_of(several, st.sampled_from(["A", "(b)", "1", "0", "C."])), min_size=2, max_size=5)
tags = st.lists(word, max_size=2, unique=True).map(tuple)


@st.composite
def benchmarks(draw: st.DrawFn) -> QuestionSet:
    """Lettered questions of every shape."""
    found = []
    for question_id in draw(st.lists(word, min_size=1, max_size=4, unique=True)):
        choices = tuple(draw(options))
        answer = draw(st.integers(0, len(choices) - 1))
        more = draw(st.tuples(st.one_of(st.just(""), word), tags, tags, st.one_of(st.none(), st.booleans())))
        found.append(SetQuestion(question_id, draw(several), choices, answer, None, *more))
    return QuestionSet("choice", " ".join(draw(word).split()), tuple(found))


truths = st.one_of(st.none(), word)
asked = st.builds(AskedQuestion, word, truths, st.lists(word, max_size=2), st.dictionaries(word, word, max_size=2))
