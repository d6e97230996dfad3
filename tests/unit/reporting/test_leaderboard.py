"""Laws of the merged leaderboard: it grows, counts nothing twice, loses no run, and refuses what it cannot read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from choices import ENTRIES, answered, csv_rows, ended, entry, imported, load_choice, question_of, record, usage
from makers import load_panel, strict_json
from soaking import quick_first

from tui_eval.cli import command_line
from tui_eval.configuring import preparing
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError, FolderError, TuiEvalError
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.reporting.leaderboard import merge
from tui_eval.workspace.places import Workspace

FILES = ("leaderboard.md", "analysis.md", "questions.csv", "breakdown.csv", "all_results.json")


def merged(folder: Path, out: str, *runs: Path) -> dict[str, bytes]:
    """The files of a leaderboard after a merge."""
    merge(runs, folder / out, Workspace(folder))
    return {name: (folder / out / name).read_bytes() for name in FILES}


def sheets(folder: Path, out: str = "board") -> dict[tuple[str, str], dict[str, Any]]:
    """The entries of a leaderboard by run and model."""
    whole = strict_json((folder / out / "all_results.json").read_bytes())
    found = {(entry_["run_id"], entry_["model"]): entry_ for entry_ in whole["runs"]}
    assert len(found) == len(whole["runs"])
    return found


def tried(folder: Path, out: Path, *runs: Path) -> str:
    """What is said against a merge; nothing where it is done."""
    try:
        merge(runs, out, Workspace(folder))
    except TuiEvalError as error:
        return str(error)
    return ""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """Answers of two models, one of them with one missing."""
    return imported(tmp_path, "first", answered("one", "ABCD") + answered("two", "AB_A"))


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """Answers of another model and, by the same name, of one that is in the first run."""
    return imported(tmp_path, "second", answered("three", "BBCD") + answered("one", ".BCA"))


def test_two_runs_at_once_are_one_after_the_other(tmp_path: Path, first: Path, second: Path) -> None:
    """Every file the same, to the byte."""
    at_once = merged(tmp_path, "at_once", first, second)
    merged(tmp_path, "by_turns", first)

    assert merged(tmp_path, "by_turns", second) == at_once
    assert set(sheets(tmp_path, "by_turns")) == {("first", "one"), ("first", "two"), ("second", "three"), ("second", "one")}


def test_a_real_runs_whole_entry_survives(tmp_path: Path) -> None:
    """Permutations, repeats, costs, failures and long replies: merged by turns, everything is as it is at once."""
    sayings = ["A", "!timeout", "C" + " x" * 400, "!refused", "I cannot say", "The answer is D", "!not_sent", "x|y <b>"]

    def run(name: str, models: tuple[str, ...]) -> Path:
        loaded = load_choice(tmp_path, names=models, choice="shuffle = true\npermutations = 2", run="repeat = 2")
        count = iter(range(10**6))

        def answer(call: Call) -> Reply:
            n = next(count)
            found = ended(call, sayings[n % len(sayings)])
            return Reply(call, found.status, found.text, found.error_kind, usage=usage([None, 0.1, 1e-7][n % 3]))

        record(tmp_path / name, loaded, answer)
        return tmp_path / name

    runs = [run("a", ("one", "two")), run("b", ("three",))]
    at_once = merged(tmp_path, "at_once", *runs)
    merged(tmp_path, "by_turns", runs[0])

    assert merged(tmp_path, "by_turns", runs[1]) == at_once
    assert merged(tmp_path, "alone", runs[0])["all_results.json"] == (runs[0] / "all_results.json").read_bytes()


def test_the_order_of_runs_changes_no_entry(tmp_path: Path, first: Path, second: Path) -> None:
    """Only where they stand."""
    merged(tmp_path, "one_way", first, second)
    merged(tmp_path, "other_way", second, first)

    assert sheets(tmp_path, "one_way") == sheets(tmp_path, "other_way")


def test_merging_again_adds_nothing(tmp_path: Path, first: Path, second: Path) -> None:
    """Once more, twice in one command: the same files."""
    once = merged(tmp_path, "board", first, second)

    assert merged(tmp_path, "board", first, second) == once
    assert merged(tmp_path, "board", second) == once
    assert merged(tmp_path, "board", first, first, second) == once


def test_a_run_survives_the_deletion_of_its_folder(tmp_path: Path, first: Path, second: Path) -> None:
    """What is in the leaderboard stays in it."""
    merged(tmp_path, "board", first)
    before = sheets(tmp_path)
    shutil.rmtree(first)

    merged(tmp_path, "board", second)

    assert {key: value for key, value in sheets(tmp_path).items() if key in before} == before
    assert len(sheets(tmp_path)) == 4


def test_a_run_that_is_in_it_is_brought_up_to_date(tmp_path: Path) -> None:
    """The entry of a run that was finished since is replaced, not added."""
    load = load_choice(tmp_path, names=("one",))
    record(tmp_path / "run", load, lambda call: ended(call, "A" if question_of(call) == "q1" else "!not_sent"), final=False)
    merged(tmp_path, "board", tmp_path / "run")
    assert sheets(tmp_path)["run", "one"]["total"] == 1
    shutil.rmtree(tmp_path / "run")
    record(tmp_path / "run", load, lambda call: ended(call, "A"))
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    before = sheets(tmp_path)["run", "one"]["run_uid"]
    (tmp_path / "run" / "manifest.json").write_text(json.dumps({**manifest, "uid": before}))
    merged(tmp_path, "board", tmp_path / "run")

    assert [found["total"] for found in sheets(tmp_path).values()] == [4]


def test_runs_of_one_folder_name_are_two_runs(tmp_path: Path) -> None:
    """a/run and b/run, made at other times of other answers: a leaderboard never loses a run."""
    runs = [imported(tmp_path / name, "run", answered("one", letters)) for name, letters in (("a", "ABCD"), ("b", "AAAA"))]
    manifest = json.loads((runs[1] / "manifest.json").read_text())
    (runs[1] / "manifest.json").write_text(json.dumps({**manifest, "started_at": "2031-01-01T00:00:00Z"}))

    if said := tried(tmp_path, tmp_path / "board", *runs):
        assert "run" in said
        return
    whole = strict_json((tmp_path / "board" / "all_results.json").read_bytes())
    assert sorted(found["correct"] for found in whole["runs"]) == [1, 4]


def test_a_leaderboard_is_not_written_over_a_runs_own_reports(tmp_path: Path, first: Path, second: Path) -> None:
    """--out at a run folder would mix the two, and the next rescore of that run would lose the other runs."""
    if said := tried(tmp_path, first, first, second):
        assert str(first) in said
        return
    rescoring.rescore(first, Workspace(tmp_path))

    assert len(strict_json((first / "all_results.json").read_bytes())["runs"]) == 4


# ---------------------------------------------------------------------------------------------------- told apart


def test_one_model_of_two_runs_is_told_apart_in_every_file(tmp_path: Path, first: Path, second: Path) -> None:
    """By its run, wherever it is named."""
    files = {name: content.decode() for name, content in merged(tmp_path, "board", first, second).items()}

    for name in ("leaderboard.md", "analysis.md", "breakdown.csv"):
        assert "one (first)" in files[name] and "one (second)" in files[name], name
    rows = csv_rows(files["questions.csv"])
    assert rows[0]["one (first)_answer"] == "A" and rows[0]["one (second)_answer"] == ""
    assert rows[3]["one (first)_answer"] == "D" and rows[3]["one (second)_answer"] == "A"
    assert {model for _, model in sheets(tmp_path)} == {"one", "two", "three"}


def test_the_screen_tells_them_apart_too(tmp_path: Path) -> None:
    """Two rows, two names, even where the name and the run are long."""
    name = "maker/model-with-a-long-name"
    runs = [imported(tmp_path, run, answered(name, "ABCD")) for run in ("20260101_000000_aaaa", "20260102_000000_bbbb")]

    table = merge(runs, tmp_path / "board", Workspace(tmp_path))[0]

    assert len({row[1].value for row in table.rows}) == 2


# ---------------------------------------------------------------------------------------------------- subsets


def test_pairs_rest_on_common_questions_only(tmp_path: Path) -> None:
    """A run of two questions and one of four: their pair has n = 2, and the page says that they differ."""
    whole = imported(tmp_path, "whole", answered("one", "ABAA"))
    part = imported(tmp_path, "part", answered("two", "_BC_"), settings=['choice.filter.domain=["Parity"]'])
    files = merged(tmp_path, "board", whole, part)
    row = next(line for line in files["analysis.md"].decode().split("\n") if line.startswith("| two | one |"))

    assert [cell.strip() for cell in row.split("|")[3:7]] == ["2", "1", "0", "+50.0"]
    assert "Not every model was asked the same questions" in files["leaderboard.md"].decode()
    assert [sheets(tmp_path)[key]["asked"] for key in (("whole", "one"), ("part", "two"))] == [4, 2]
    assert "not asked" in files["questions.csv"].decode()


def test_other_questions_of_the_same_number_are_other_questions(tmp_path: Path) -> None:
    """Three each, of which two are common: the page warns all the same."""
    runs = [
        imported(tmp_path, name, answered(name, letters), settings=[f"choice.filter.ids={json.dumps(ids)}"])
        for name, letters, ids in (("one", "ABC_", ["q1", "q2", "q3"]), ("two", "_BCD", ["q2", "q3", "q4"]))
    ]

    page = merged(tmp_path, "board", *runs)["leaderboard.md"].decode()

    assert "Not every model was asked the same questions" in page


def test_a_part_first_and_the_whole_later_know_every_question(tmp_path: Path) -> None:
    """Questions are added as runs bring them, each once."""
    part = imported(tmp_path, "part", answered("two", "_BC_"), settings=['choice.filter.domain=["Parity"]'])
    whole = imported(tmp_path, "whole", answered("one", "ABAA"))
    merged(tmp_path, "board", part)
    files = merged(tmp_path, "board", whole)

    assert sorted(row["question_id"] for row in csv_rows(files["questions.csv"].decode())) == ["q1", "q2", "q3", "q4"]
    assert strict_json(files["all_results.json"])["total_questions"] == 4


def test_letters_read_by_two_rules_are_said_to_be(tmp_path: Path, first: Path) -> None:
    """A difference may be the rule's."""
    other = imported(tmp_path, "other", answered("four", "ABCD"), settings=["choice.extraction=formationeval-v0.1"])
    page = merged(tmp_path, "board", first, other)["leaderboard.md"].decode()

    assert "Letters were read by different rules (formationeval-v0.1/1, robust/3)" in page


def test_a_leaderboard_can_read_every_letter_by_one_rule(tmp_path: Path) -> None:
    """--set choice.extraction=... holds for every run that is added, and leaves the runs as they are."""
    run = imported(tmp_path, "run", [{"question_id": "q1", "model": "one", "raw_response": "Answer: C"}])
    before = (run / "all_results.json").read_bytes()

    merge([run], tmp_path / "board", Workspace(tmp_path), ["choice.extraction=formationeval-v0.1"])
    found = sheets(tmp_path)["run", "one"]

    assert (found["extraction"], found["answers"]["q1"]["predicted"]) == ("formationeval-v0.1/1", "A")
    assert (run / "all_results.json").read_bytes() == before


def test_simulated_models_are_named_beside_real_ones(tmp_path: Path, first: Path) -> None:
    """The first line of the page says which."""
    record(tmp_path / "sim", load_choice(tmp_path, names=("pretender",)), lambda call: ended(call, "A"))
    head = merged(tmp_path, "board", first, tmp_path / "sim")["leaderboard.md"].decode().split("## Overall")[0]

    assert "**Simulated, not real models: pretender.**" in head


# ---------------------------------------------------------------------------------------------------- refused

OTHER = {
    "no question in common": [entry("x1"), entry("x2", 1)],
    "another key": [entry("q1", 1), *ENTRIES[1:]],
    "another wording": [entry("q1", question="What was q1?"), *ENTRIES[1:]],
    "other options": [entry("q1", choices=["north", "east", "south", "up"]), *ENTRIES[1:]],
}


@pytest.mark.parametrize("entries", OTHER.values(), ids=list(OTHER))
def test_runs_of_two_benchmarks_are_refused(tmp_path: Path, first: Path, entries: list[dict[str, Any]]) -> None:
    """Named by the run that does not fit; what is there stays as it was."""
    before = merged(tmp_path, "board", first)
    names = [found["id"] for found in entries]
    other = imported(tmp_path, "other", answered("five", "A" * len(names), names), entries)

    for runs in ((other,), (first, other)):
        with pytest.raises(ConfigError) as caught:
            merge(runs, tmp_path / "board", Workspace(tmp_path))
        assert str(other) in str(caught.value) and "benchmark" in str(caught.value)
    assert {name: (tmp_path / "board" / name).read_bytes() for name in FILES} == before


def test_a_panel_has_no_leaderboard(tmp_path: Path, first: Path) -> None:
    """A run of another kind is refused by its path, and no leaderboard is made."""
    loaded = load_panel(tmp_path)
    preparing.prepare(loaded, tmp_path / "panel", lambda text: text, ())

    with pytest.raises(FolderError) as caught:
        merge([first, tmp_path / "panel"], tmp_path / "board", Workspace(tmp_path))

    assert str(tmp_path / "panel") in str(caught.value) and "panel run" in str(caught.value)
    assert "is made of choice runs" in str(caught.value)
    assert not (tmp_path / "board" / "all_results.json").exists()


def test_a_leaderboard_is_of_one_kind(tmp_path: Path, first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of another kind that has a leaderboard, too, have one of their own."""
    panel = replace(KINDS["panel"], leaderboard=KINDS["choice"].leaderboard)
    monkeypatch.setitem(KINDS, "panel", panel)
    preparing.prepare(load_panel(tmp_path), tmp_path / "panel", lambda text: text, ())

    said = tried(tmp_path, tmp_path / "board", first, tmp_path / "panel")

    assert str(tmp_path / "panel") in said and "panel or choice runs, all of one kind" in said


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    """A damage to the parsed content."""

    def damage(content: bytes) -> bytes:
        whole = json.loads(content)
        change(whole)
        return json.dumps(whole).encode()

    return damage


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "no JSON": lambda content: b"hello",
    "no UTF-8": lambda content: b"\xff" + content,
    "a list": lambda content: b"[]",
    "null": lambda content: b"null",
    "nested": lambda content: b"[" * 100_000,
    "without questions": changed(lambda whole: whole.pop("questions")),
    "without runs": changed(lambda whole: whole.pop("runs")),
    "runs of text": changed(lambda whole: whole.update(runs="x")),
    "questions of numbers": changed(lambda whole: whole.update(questions=[1])),
    "a total of text": changed(lambda whole: whole.update(total_questions="many")),
    "an entry without answers": changed(lambda whole: whole["runs"][0].pop("answers")),
    "answers of text": changed(lambda whole: whole["runs"][0].update(answers="x")),
    "an answer without a letter": changed(lambda whole: whole["runs"][0]["answers"]["q1"].pop("predicted")),
    "an answer that is no letter": changed(lambda whole: whole["runs"][0]["answers"]["q1"].update(predicted="AB")),
    "a letter that is no option": changed(lambda whole: whole["runs"][0]["answers"]["q1"].update(predicted="Z")),
    "an answer to no question": changed(
        lambda whole: whole["runs"][0]["answers"].update(q99=whole["runs"][0]["answers"]["q1"])
    ),
    "a key out of range": changed(lambda whole: whole["questions"][0].update(answer=9)),
    "a place out of range": changed(lambda whole: whole["runs"][0]["answers"]["q1"].update(place=9)),
    "a key place out of range": changed(lambda whole: whole["runs"][0]["answers"]["q1"].update(key_place=9)),
    "no number of costs": changed(lambda whole: whole["runs"][0].update(n_cost_known=None)),
    "a model info of text": changed(lambda whole: whole["runs"][0].update(model_info="x")),
}


@pytest.mark.parametrize("damage", quick_first(DAMAGES.values(), 6), ids=list(DAMAGES))
def test_a_damaged_leaderboard_is_refused_and_left_as_it_is(
    tmp_path: Path, first: Path, second: Path, damage: Callable[[bytes], bytes]
) -> None:
    """With its path, and what to do; a ConfigError, no traceback."""
    merged(tmp_path, "board", first)
    path = tmp_path / "board" / "all_results.json"
    path.write_bytes(damage(path.read_bytes()))
    before = {file.name: file.read_bytes() for file in (tmp_path / "board").iterdir()}

    with pytest.raises(ConfigError) as caught:
        merge([second], tmp_path / "board", Workspace(tmp_path))

    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert {file.name: file.read_bytes() for file in (tmp_path / "board").iterdir()} == before


def test_the_specifications_own_file_is_refused_not_overwritten(tmp_path: Path, first: Path) -> None:
    """An all_results.json of another program lacks the questions; it may be all that is left of its runs."""
    (tmp_path / "board").mkdir()
    path = tmp_path / "board" / "all_results.json"
    path.write_text('{"benchmark": "b", "total_questions": 505, "runs": [{"run_id": "r", "model": "m", "answers": {}}]}')
    before = path.read_bytes()

    with pytest.raises(ConfigError, match=r"all_results\.json: tui-eval did not write this file"):
        merge([first], tmp_path / "board", Workspace(tmp_path))

    assert path.read_bytes() == before


def test_the_command_needs_a_place_and_runs(tmp_path: Path, first: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --out, and with a run that is not there: exit code 2 and the next step; else the leaderboard is printed."""
    base = ["--workspace", str(tmp_path), "leaderboard"]

    assert command_line.main([*base, str(first)]) == 2
    assert "--out" in capsys.readouterr().err
    assert command_line.main([*base, str(tmp_path / "gone"), "--out", str(tmp_path / "board")]) == 2
    assert "gone" in capsys.readouterr().err
    assert command_line.main([*base, "first", "--out", str(tmp_path / "board")]) == 0
    assert "one" in capsys.readouterr().out


def test_a_hostile_name_in_a_merged_board_stays_a_name(tmp_path: Path) -> None:
    """Names from a file that strangers made are as harmless as those of a run."""
    run = imported(tmp_path, "run", answered("a|b", "ABCD") + answered("=1+1", "AAAA"))
    merged(tmp_path, "board", run)
    path = tmp_path / "board" / "all_results.json"
    whole = json.loads(path.read_bytes())
    whole["benchmark"] = "# <b>x</b> | [l](u)"
    whole["runs"][0]["extraction"] = "robust | <img src=x> [l](u)"
    whole["runs"][0]["run_id"] = "r | <b>"
    path.write_text(json.dumps(whole))

    files = merged(tmp_path, "board", imported(tmp_path, "more", answered("six", "ABCD")))

    for name in ("leaderboard.md", "analysis.md"):
        text = files[name].decode()
        assert "<b>" not in text.replace("\\<b\\>", "") and "<img" not in text.replace("\\<img", "")
