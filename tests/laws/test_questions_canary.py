"""Laws of the answers in a Questions.md: no question holds one, and no doer, judge or final judge is sent one."""

from __future__ import annotations

import random
import re
from itertools import islice
from pathlib import Path

import pytest
from canary_questions import CANARY, KNOWN, QUESTIONS, STYLES, UNKNOWN, begun, canary_files, written
from makers import load_panel
from panels import run

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.questions_markdown import questions_markdown

BY_LINE = re.compile(r"Questions\.md:\d+: ")
MODELS = '[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\n'
PANEL = (
    f'kind = "panel"\n{MODELS}[panel]\ndataset = "set"\n[[panel.doers]]\nmodel = "one"\n[[panel.judges]]\nmodel = "one"\n'
    '[[panel.finals]]\nmodel = "one"\n[panel.benchmark]\nmode = "exact"\n'
)
NAMED = re.compile(r"an\w?[sw]|expected|gold|\d[.)]|[→>=–—-]|#", re.IGNORECASE)
"""What names an answer or points to one, or begins a question: such is looked at in any file."""
READ = ("", "\nAnswer: {}", "\nAnswer: (none)")


def read(text: str) -> tuple[Sample, ...]:
    """The questions of a text, decoded as a file is."""
    return questions_markdown(text.encode().decode("utf-8-sig"), "Questions.md")


def tried(text: str) -> tuple[tuple[Sample, ...], str]:
    """The questions of a text, or what is said against it."""
    try:
        return read(text), ""
    except ConfigError as error:
        return (), str(error)


def test_no_question_holds_an_answer_whatever_its_form() -> None:
    """A file with one answer in a known form is refused by its line, or none of its questions holds the canary."""
    for file in canary_files(3000, UNKNOWN):
        found, said = tried(file.text)
        assert BY_LINE.match(said) if said else found, (said, file.text)
        assert not [one.question for one in found if CANARY in one.question], file.text


@pytest.mark.parametrize("style", STYLES)
def test_known_forms_are_read_in_every_style(style: str) -> None:
    """Each question and answer comes back, with a question beside them that has none."""
    for form in KNOWN:
        for asked in QUESTIONS:
            found = read(written(style, [asked, "Is it?", asked], [form, "", form]))
            assert [(one.question, one.truth) for one in found] == [(asked, CANARY), ("Is it?", None), (asked, CANARY)]


def test_a_file_without_answers_is_never_refused_and_loses_nothing() -> None:
    """Its further lines are part of the question, whatever they look like; only names and arrows of answers are none."""
    further = [form for form in UNKNOWN if form.startswith("\n") and not NAMED.search(form)]
    assert len(further) > 40
    chance = random.Random(3)
    for _ in range(600):
        style = chance.choice(("numbered", "bracketed"))
        rows = [(chance.choice(QUESTIONS), chance.choice(further).format("more")) for _ in range(3)]
        found = read("\n".join(begun(style, n, question) + below for n, (question, below) in enumerate(rows, start=1)))
        assert [one.question.split() for one in found] == [f"{asked}{below}".split() for asked, below in rows]


def test_a_panel_sends_no_answer_to_who_is_to_find_it(tmp_path: Path) -> None:
    """Of files that are read, no request of a doer, judge or final judge holds the canary; of the others nothing is asked."""
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "doc1.txt").write_text("The log is kept by somebody.")
    chance, n_read, n_calls = random.Random(8), 0, 0
    texts = [written(style, QUESTIONS[:3], ["\nAnswer: {}", *chance.sample(READ, 2)]) for style in STYLES]
    for text in [*texts, *(file.text for file in islice(canary_files(12, UNKNOWN, seed=9), 12))]:
        (folder / "Questions.md").write_text(text, encoding="utf-8")
        if tried(text)[1]:
            with pytest.raises(ConfigError, match=BY_LINE):
                load_panel(tmp_path, text=PANEL)
            continue
        loaded, n_read = load_panel(tmp_path, text=PANEL), n_read + 1
        for item in range(len(list(loaded.evaluation.samples()))):
            calls = run(loaded, item=item)[1]
            n_calls += len(calls)
            assert {call.stage for call in calls} >= {"doer", "judge", "final"}
            assert not [call for call in calls if call.stage != "scorer" and CANARY in str(call.messages)]
    assert n_read >= len(STYLES) and n_calls >= 9 * len(STYLES)


def test_a_panel_tells_of_words_that_may_all_be_answers(tmp_path: Path) -> None:
    """A file without answers is asked as it stands; where words stand behind each question, the plan says so."""
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "doc1.txt").write_text("The log is kept by somebody.")
    without = PANEL.partition("[panel.benchmark]")[0]
    for behind, is_told in ((["Oda", "Finch"], True), (["", "Finch"], False), (["In one word.", "In short."], False)):
        (tmp_path / "set" / "Questions.md").write_text("".join(f"1. Who? {words}\n" for words in behind))
        warnings = load_panel(tmp_path, text=without).evaluation.task.warnings

        assert any("if they are answers, write 'Who?' and below it" in one for one in warnings) is is_told
