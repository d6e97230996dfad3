"""Laws of sets of questions: what is kept comes back exactly, nothing is lost or overwritten, and what is wrong is said."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHARED, any_text, few
from questions import asked, benchmarks, open_question, select_only

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.groups import groups_named
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.set_list import (
    MAX_BENCHMARK_BYTES,
    MAX_LIST_BYTES,
    SetList,
    read_set,
    selected_of,
    selection,
)
from tui_eval.datasets.set_store import (
    MAX_DOCUMENT_BYTES,
    MAX_DOCUMENTS,
    change,
    delete,
    free_name,
    import_set,
    keep_typed,
    name_problem,
    rewritten_as,
)
from tui_eval.datasets.sets import LIST, QuestionSet, lettered, open_questions, set_text
from tui_eval.datasets.typed import understood
from tui_eval.evaluation import config_references
from tui_eval.kinds.panel import open_questions as shared_questions
from tui_eval.kinds.panel import resolving
from tui_eval.workspace.places import Workspace

TWO = "1. Which is a gas?\nA) iron\nB) helium\nAnswer: B\n\n2. Which is a metal?\nA) iron\nB) helium\nAnswer: iron\n"
OPEN = (
    "1. Who keeps the station?\n   Answer: Ines\n   Answer (log): Maud\n\n2. What colour is the hut?\n   Documents: log, map\n"
)


def workspace_in(folder: Path) -> Workspace:
    """A workspace with an empty datasets folder."""
    (folder / "datasets").mkdir(parents=True, exist_ok=True)
    return Workspace(folder)


@few
@given(benchmarks())
def test_lettered_questions_come_back_exactly(questions: QuestionSet) -> None:
    """What is written of a benchmark is read back as the same, or refused before anything is lost."""
    try:
        text = set_text(questions)
    except ConfigError:
        return
    assert lettered(text, LIST) == questions


@few
@given(st.lists(asked, min_size=1, max_size=4))
def test_open_questions_come_back_exactly(entries: list[Sample]) -> None:
    """The same for a Questions.md."""
    questions = QuestionSet("", numbered(entries))
    try:
        text = set_text(questions)
    except ConfigError:
        return
    assert open_questions(text, LIST) == questions


def test_plain_sets_are_written_without_ado() -> None:
    """Refusing is for what cannot be kept: ordinary questions are kept, unusual letters and mark-up in them, too."""
    plain = Sample(
        "a-1", "Wie heißt *das*?\nZweite Zeile", ("A", "b)", "# c"), 2, groups=groups_named("easy", ("Öl",), (), True)
    )
    kept = QuestionSet("v1", (plain,))
    assert lettered(set_text(kept), LIST) == kept
    panel_set = QuestionSet("", numbered([open_question("What is *this*?", "a *star*: 1", ["a"], {"a": "b"})]))
    assert open_questions(set_text(panel_set), LIST) == panel_set


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Sample("1", "Two\nlines?"), "several lines"),
        (Sample("1", "Q?", truth="two\nlines"), "the answer has several lines"),
        (Sample("1", "Q?", truth=""), "an answer is empty"),
        (Sample("1", "Q?", documents=("a,b",)), "a document cannot be called"),
        (Sample("1", "Q?", document_truths={"a) b": "x"}), "could not be read back"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_words(question: Sample, words: str) -> None:
    """A Questions.md cannot hold everything: it is said which question, and what is wrong with it."""
    made = numbered([open_question(question.question)])[0].id
    with pytest.raises(ConfigError, match="question 1") as refused:
        set_text(QuestionSet("", (dataclasses.replace(question, id=made),)))
    assert words in str(refused.value)


def test_what_is_typed_is_recognised() -> None:
    """Lettered, numbered with answers, or one a line; what is missing is said with its line, before anything is kept."""
    two = understood(TWO)
    assert two.words == "2 lettered questions" and [q.letter for q in two.questions.questions] == ["B", "A"]
    missing = understood(TWO.replace("Answer: B\n", ""))
    assert missing.words == "2 lettered questions; 1 without an answer: line 1"
    assert "line 1" in understood(TWO.replace("Answer: B", "Answer: E")).words
    assert understood(OPEN).words == "2 open questions, 1 with an answer"
    assert [q.question for q in understood("What is one?\n\n  What is two?\n").questions.questions] == [
        "What is one?",
        "What is two?",
    ]
    for text in ("", "  \n\n", "# only a heading\n"):
        with pytest.raises(ConfigError):
            understood(text)


def test_lettered_text_has_many_shapes() -> None:
    """Blank lines, other brackets, small letters, several lines, no numbers: the same two questions."""
    shapes = (
        "Which is a gas?\n\n(a) iron\n(b) helium\nCorrect answer: (b)\nWhich is a metal?\na. iron\nb. helium\n**Answer:** A",
        "Q1: What is\na gas?\n A) iron\n B) helium\nkey = b) helium\n\nQ2: Which is a metal?\n A) iron\n B) x\ny\nANSWER: a",
    )
    for text in shapes:
        found = understood(text)
        assert not found.problems, found.words
        assert [len(q.options) for q in found.questions.questions] == [2, 2]
        assert [q.letter for q in found.questions.questions] == ["B", "A"]


@few
@given(
    st.one_of(
        any_text, st.lists(st.sampled_from(["1. Q?", "A) x", "B) y", "Answer: B", "", "text", "Answer:", "# h"])).map("\n".join)
    )
)
def test_no_text_is_too_odd(text: str) -> None:
    """Any text becomes questions or a sentence, and never anything else."""
    try:
        found = understood(text)
    except ConfigError:
        return
    assert found.questions.questions and found.words


def test_limits_are_those_of_a_run() -> None:
    """A set that is listed as usable is one that a run reads: the limits are the kinds' own."""
    fields = resolving.PanelConfig.model_fields
    assert MAX_BENCHMARK_BYTES == config_references.MAX_BYTES and MAX_LIST_BYTES == shared_questions.MAX_LIST_BYTES
    assert fields["max_document_bytes"].default == MAX_DOCUMENT_BYTES
    assert fields["max_documents"].default == MAX_DOCUMENTS


def test_import_keeps_the_original_and_never_overwrites(tmp_path: Path) -> None:
    """An imported set is ours alone to read, in our form; the file it came from stays; a name that is taken is refused."""
    space, source = workspace_in(tmp_path), tmp_path / "my exam.csv"
    source.write_text("question,A,B,answer\nWhich is a gas?,iron,helium,B\n")
    before = source.read_bytes()
    assert free_name(space, source.name) == "my-exam"
    kept = import_set(space, source, "my-exam").path
    assert source.read_bytes() == before and stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert read_set(kept).questions == read_set(source).questions and rewritten_as(kept) is None
    assert free_name(space, source.name) == "my-exam-2" and "already" in name_problem(space, "MY-exam")
    for name in ("my-exam", "../out", "", ".hidden", "a/b", "x" * 61):
        with pytest.raises(ConfigError):
            import_set(space, source, name)
    (entry,) = SetList(space).listed()
    assert (entry.name, entry.sort, entry.questions, entry.selected) == ("my-exam", "lettered", 1, 1)
    assert entry.source.startswith("my exam.csv, 20")


def test_a_file_may_be_called_anything(tmp_path: Path) -> None:
    """A set is called after its file where it has no name; blanks and controls there keep nothing from being imported."""
    for number, name in enumerate(("two  blanks.csv", "odd\x1b[2J.csv", " .csv")):
        (tmp_path / name).write_text("question,A,B,answer\nWhich is a gas?,iron,helium,B\n")
        kept = import_set(workspace_in(tmp_path), tmp_path / name, f"set{number}")
        assert read_set(kept.path).questions == kept.questions.questions


def test_a_folder_comes_with_its_documents(tmp_path: Path) -> None:
    """Documents are copied as they are; links are left out and counted, large ones told; odd names refused."""
    space, source = workspace_in(tmp_path), tmp_path / "station"
    source.mkdir()
    (source / LIST).write_text(OPEN)
    (source / "log.txt").write_bytes(b"\xff\x00log")
    (source / "map.md").write_text("m" * (MAX_DOCUMENT_BYTES + 1))
    (source / "link.txt").symlink_to("/etc/hostname")
    kept = import_set(space, source, "station")
    assert (kept.path / "log.txt").read_bytes() == b"\xff\x00log" and not (kept.path / "link.txt").exists()
    assert "1 links were left out" in " ".join(kept.notes) and "max_document_bytes" in " ".join(kept.notes)
    assert read_set(kept.path).documents == ("log.txt", "map.md")
    selected = selected_of(space, kept.path)
    assert (selected.path, selected.folder, selected.whole) == ("datasets/station", True, True)
    assert selected.documents == ("datasets/station/log.txt", "datasets/station/map.md")
    (source / "bad\x1bname").write_text("")
    with pytest.raises(ConfigError, match="rename"):
        import_set(space, source, "again")
    assert [entry.name for entry in SetList(space).listed()] == ["station"]


def test_everything_in_the_folder_is_listed(tmp_path: Path) -> None:
    """What cannot be used is listed with the reason; a set that did not change is not read again."""
    space = workspace_in(tmp_path)
    datasets = tmp_path / "datasets"
    (datasets / "bad.json").write_text("[{]")
    (datasets / "empty").mkdir()
    (datasets / "many").mkdir()
    for name in (LIST, *(f"{number}.txt" for number in range(11))):
        (datasets / "many" / name).write_text("1. Why?\n")
    (datasets / "lines.txt").write_text("What is one?\nWhat is two?\n")
    (datasets / "lettered.txt").write_text(TWO)
    (datasets / "link.json").symlink_to("bad.json")
    (datasets / "photo.png").write_bytes(b"\x89PNG")
    os.mkfifo(datasets / "pipe.csv")
    set_list = SetList(space)
    found = {entry.path.name: entry for entry in set_list.listed()}
    problems = {name: entry.problem for name, entry in found.items()}
    assert {name: entry.sort for name, entry in found.items() if entry.sort != "unusable"} == {
        "many": "open",
        "lettered.txt": "lettered",
        "lines.txt": "open",
    }
    assert {name: set(entry.has) for name, entry in found.items() if entry.has} == {
        "many": {"documents"},
        "lettered.txt": {"options", "truth"},
    }
    assert "not JSON" in problems["bad.json"] and LIST in problems["empty"] and "link" in problems["link.json"]
    assert "11 documents" in problems["many"]
    assert "import" in problems["lettered.txt"] and "is a named pipe" in problems["pipe.csv"] and problems["lines.txt"] == ""
    first = set_list._known["lines.txt"][1]
    assert set_list.listed() and set_list._known["lines.txt"][1] is first
    (datasets / "lines.txt").write_text("What is one?\n")
    assert next(e.questions for e in set_list.listed() if e.name == "lines") == 1
    (tmp_path / ".conf" / "datasets.toml").parent.mkdir(exist_ok=True)
    (tmp_path / ".conf" / "datasets.toml").write_text("sets = 3")
    assert set_list.listed()[0].selected is None and "datasets.toml" in set_list.trouble


def test_selection_keeps_what_is_left_out(tmp_path: Path) -> None:
    """A question that comes later is selected; a run is given these; with none selected it is said what to do."""
    space = workspace_in(tmp_path)
    path = keep_typed(space, "two", TWO).path
    found = read_set(path)
    everything = selected_of(space, path)
    assert (everything.path, everything.questions, everything.whole) == ("datasets/two.json", found.questions, True)
    select_only(space, path, found, {"q0002"})
    assert selection(space, path, found) == {"q0002"} and SetList(space).listed()[0].selected == 1
    part = selected_of(space, path)
    assert (part.questions, part.whole, part.has) == (found.questions[1:], False, {"options", "truth"})
    more = QuestionSet(found.name, (*found.questions, Sample("q3", "New?", ("x", "y"), 0)))
    path.write_text(set_text(more))
    assert selection(space, path, more) == {"q0002", "q3"}
    select_only(space, path, more, set())
    with pytest.raises(ConfigError, match="none of the 3 questions"):
        selected_of(space, path)


def test_a_change_keeps_the_rest_and_the_original(tmp_path: Path) -> None:
    """An edited set holds the change and nothing else; a foreign file is kept, a selection stays with its question."""
    space = workspace_in(tmp_path)
    table = tmp_path / "datasets" / "exam.csv"
    table.write_text("question,A,B,answer\nWhich is a gas?,iron,helium,B\nWhich is a metal?,iron,helium,A\n")
    found = read_set(table)
    select_only(space, table, found, {"q0001"})
    assert rewritten_as(table) == table.with_suffix(".json")
    place = change(space, table, found.questions[1], dataclasses.replace(found.questions[1], question="Which is heavy?"))
    after = read_set(place)
    assert place.name == "exam.json" and not table.exists()
    assert (tmp_path / "datasets" / ".originals" / "exam.csv").read_text().startswith("question,A,B")
    assert [q.question for q in after.questions] == ["Which is a gas?", "Which is heavy?"]
    assert selection(space, place, after) == {"q0001"}
    assert (
        change(space, place, after.questions[1], found.questions[1]) == place and read_set(place).questions == found.questions
    )


def test_open_questions_can_be_changed(tmp_path: Path) -> None:
    """A list by hand becomes a Questions.md of ours; a question that is reworded stays left out."""
    space = workspace_in(tmp_path)
    lines = tmp_path / "datasets" / "lines.txt"
    lines.write_text("What is one?\nWhat is two?\n")
    found = read_set(lines)
    select_only(space, lines, found, {found.questions[0].id})
    place = change(space, lines, found.questions[1], dataclasses.replace(found.questions[1], question="Two?", truth="2"))
    after = read_set(place)
    assert place.name == "lines" and [q.question for q in after.questions] == ["What is one?", "Two?"]
    assert selection(space, place, after) == {after.questions[0].id}
    again = change(space, place, after.questions[0], dataclasses.replace(after.questions[0], truth="1"))
    assert [q.truth for q in read_set(again).questions] == ["1", "2"]
    for was in (found.questions[1], after.questions[0]):  # one that went, and one that has another truth since
        with pytest.raises(ConfigError, match="by another program meanwhile; nothing was written"):
            change(space, place, was, dataclasses.replace(was, question="Three?"))
    with pytest.raises(ConfigError, match="several lines"):
        change(space, place, after.questions[1], dataclasses.replace(after.questions[1], truth="a\nb"))
    delete(space, place)
    assert SetList(space).listed() == [] and not (tmp_path / ".conf" / "datasets.toml").read_text().count("left_out")


def test_real_benchmarks_come_back_exactly(tmp_path: Path) -> None:
    """Benchmarks people have are brought in with every question, option and answer as they were."""
    files = [SHARED / "data" / "formationeval" / "benchmark.json", SHARED / "data" / "datasets" / "openbookqa.jsonl"]
    files.append(SHARED / "data" / "datasets" / "mmlu_anatomy_test.csv")
    if not all(file.is_file() for file in files):
        pytest.skip("the benchmarks are not at hand")
    space = workspace_in(tmp_path)
    for file in files:
        kept = import_set(space, file, free_name(space, file.parent.name))
        assert read_set(kept.path) == read_set(file) and json.loads(kept.path.read_text())
