"""Questions of every shape, for tests of what keeps, edits and filters them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from hypothesis import strategies as st

from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import groups_named
from tui_eval.datasets.set_list import change_selection
from tui_eval.datasets.sets import QuestionSet
from tui_eval.workspace.places import Workspace

word = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20).map(str.strip).filter(bool)
several = st.lists(word, min_size=1, max_size=3).map("\n".join)
options = st.lists(st.one_of(several, st.sampled_from(["A", "(b)", "1", "0", "C."])), min_size=2, max_size=5)
tags = st.lists(word, max_size=2, unique=True).map(tuple)


def open_question(
    question: str, truth: str | None = None, documents: Sequence[str] = (), document_truths: Mapping[str, str] | None = None
) -> Sample:
    """An open question, not numbered yet."""
    return Sample("", question, truth=truth, documents=tuple(documents), document_truths=document_truths or {})


def select_only(workspace: Workspace, path: Path, found: QuestionSet, ids: Collection[str]) -> None:
    """Select these questions of a set, and no other."""
    change_selection(workspace, path, found, {question.id: question.id in ids for question in found.questions})


@st.composite
def benchmarks(draw: st.DrawFn) -> QuestionSet:
    """Lettered questions of every shape."""
    found = []
    for question_id in draw(st.lists(word, min_size=1, max_size=4, unique=True)):
        choices = tuple(draw(options))
        answer = draw(st.integers(0, len(choices) - 1))
        more = draw(st.tuples(st.one_of(st.just(""), word), tags, tags, st.one_of(st.none(), st.booleans())))
        found.append(Sample(question_id, draw(several), choices, answer, groups=groups_named(*more)))
    return QuestionSet(" ".join(draw(word).split()), tuple(found))


truths = st.one_of(st.none(), word)
asked = st.builds(open_question, word, truths, st.lists(word, max_size=2), st.dictionaries(word, word, max_size=2))
