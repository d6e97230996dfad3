"""Laws of importing answers made elsewhere: every one is scored as it stands, what lacks is missing, and nothing is sent."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from choices import ENTRIES, answered, csv_rows, derived_files, entry, imported, shared_file
from makers import strict_json

from tui_eval.cli import command_line
from tui_eval.configuring import reopening
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.config_references import RECORDED
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.reporting.derive import reported
from tui_eval.reporting.importing import import_answers, kind_of_answers
from tui_eval.runs import steering
from tui_eval.workspace.places import Workspace

# ---------------------------------------------------------------------------------------------------- the real answers


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A workspace and the run folder of the real answers under the benchmark's own rule."""
    answers, benchmark = shared_file("answers.csv"), shared_file("benchmark.json")
    folder = tmp_path_factory.mktemp("published")
    import_answers(answers, benchmark, folder / "run", Workspace(folder), ["choice.extraction=formationeval-v0.1"])
    return folder, folder / "run"


@pytest.fixture(scope="module")
def reread(published: tuple[Path, Path]) -> Path:
    """The same answers read by the robust rule."""
    folder, run = published
    return rescoring.rescore(run, Workspace(folder), ["choice.extraction=robust"])[2]


def table() -> list[dict[str, str]]:
    """The published answers."""
    with open(shared_file("answers.csv"), newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def read_answers_of(run: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """(question, model) -> what the run read."""
    whole = strict_json((run / "all_results.json").read_bytes())
    return {(name, sheet["model"]): found for sheet in whole["runs"] for name, found in sheet["answers"].items()}


def letter(text: str) -> str | None:
    """A published letter; None where none was read."""
    return None if text in ("", "None") else text


def test_the_published_letters_and_patterns_come_out(published: tuple[Path, Path]) -> None:
    """Of every answer, cut ones included: these keep what the table names."""
    found = read_answers_of(published[1])
    different = [
        (row["question_id"], row["model"])
        for row in table()
        if (found[row["question_id"], row["model"]]["predicted"], found[row["question_id"], row["model"]]["extraction_pattern"])
        != (letter(row["published_letter"]), row["published_pattern"])
    ]

    assert len(found) == len(table()) == 6060
    assert different == []


def test_the_published_counts_come_out(published: tuple[Path, Path]) -> None:
    """Right answers of all twelve models; every answer is there, none missing."""
    counts = json.loads(shared_file("published.json").read_bytes())["published_correct"]
    whole = strict_json((published[1] / "all_results.json").read_bytes())

    assert {sheet["model"]: sheet["correct"] for sheet in whole["runs"]} == counts
    assert {(sheet["total"], sheet["asked"]) for sheet in whole["runs"]} == {(505, 505)}
    assert not (published[1] / "import_differences.csv").exists()


@pytest.mark.soak
def test_the_robust_rule_lists_just_the_answers_that_it_reads_differently(reread: Path) -> None:
    """import_differences.csv: every answer whose letter is not the table's, and why; cut ones keep their letter."""
    found = read_answers_of(reread)
    expected = {
        (row["question_id"], row["model"]): letter(row["published_letter"])
        for row in table()
        if found[row["question_id"], row["model"]]["predicted"] != letter(row["published_letter"])
    }
    rows = csv_rows((reread / "import_differences.csv").read_text())
    cut = {(row["question_id"], row["model"]) for row in table() if row["truncated_at_500"] == "True"}

    assert {(row["question_id"], row["model"]): row["letter_before"] or None for row in rows} == expected
    assert len(rows) == len(expected) > 0
    assert all(row["why"] for row in rows)
    assert not cut & set(expected)
    assert all((row["letter"] or None) == found[row["question_id"], row["model"]]["predicted"] for row in rows)


@pytest.mark.soak
def test_re_reading_lists_the_same_changes(published: tuple[Path, Path], reread: Path) -> None:
    """changes.csv of a re-scoring holds just the answers whose letter or value differs between the two rules."""
    before, after = read_answers_of(published[1]), read_answers_of(reread)
    keys = ("predicted", "correct")
    expected = {place for place in before if [before[place][k] for k in keys] != [after[place][k] for k in keys]}
    rows = csv_rows((reread / "changes.csv").read_text())

    assert {(row["item_id"].removeprefix(f"{row['model']}/"), row["model"]) for row in rows} == expected
    assert len(rows) == len(expected)


# ---------------------------------------------------------------------------------------------------- small tables


def sheets_of(run: Path) -> dict[str, dict[str, Any]]:
    """The entries of all_results.json by model."""
    return {sheet["model"]: sheet for sheet in strict_json((run / "all_results.json").read_bytes())["runs"]}


def test_what_a_table_lacks_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, shown as missing, with bounds; the others' numbers stay theirs."""
    code = command(tmp_path, answered("one", "ABCD") + answered("two", "AB_A"))
    two = sheets_of(tmp_path / "run")["two"]
    page = (tmp_path / "run" / "leaderboard.md").read_text()

    assert code == 0
    assert (two["correct"], two["total"], two["asked"], two["missing"]) == (2, 3, 4, {"not_sent": 1})
    assert (two["accuracy"], two["accuracy_strict"], two["accuracy_best_case"]) == (round(2 / 3, 6), 0.5, 0.75)
    assert "| two | 1 |" in page and "50.0 %" in page and "75.0 %" in page
    assert [row["two_why"] for row in csv_rows((tmp_path / "run" / "questions.csv").read_text())][2].startswith("no reply")
    assert "MISSING" in capsys.readouterr().out


def command(folder: Path, answers: Sequence[dict[str, Any]], *more: str) -> int:
    """The exit code of tui-eval import."""
    (folder / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    (folder / "bench.json").write_text(json.dumps(ENTRIES))
    return command_line.main(
        ["--workspace", str(folder), "import", str(folder / "answers.jsonl"), "--dataset", str(folder / "bench.json"),
         "--out", str(folder / "run"), *more]
    )  # fmt: skip


def test_an_empty_answer_is_a_reply_and_wrong(tmp_path: Path) -> None:
    """It is no missing one: the model replied with nothing."""
    run = imported(tmp_path, "x", answered("one", "AB.D"))
    one = sheets_of(run)["one"]

    assert (one["correct"], one["total"], one["missing"], one["failed_by_reason"]) == (3, 4, {}, {"empty": 1})
    assert one["answers"]["q3"]["why"] == "empty" and one["answers"]["q3"]["correct"] is False


def test_a_cut_answer_keeps_its_letter_and_a_whole_one_is_read_again(tmp_path: Path) -> None:
    """Of what was cut only the table knows the end; everything else is read from its text."""
    answers = [
        {"question_id": "q1", "model": "one", "raw_response": "Answer: C", "letter": "A", "pattern": "first_char"},
        {"question_id": "q2", "model": "one", "raw_response": "Let me think", "letter": "B", "pattern": "x", "truncated": True},
        {"question_id": "q3", "model": "one", "raw_response": "Let me", "letter": "", "pattern": "failed", "truncated": True},
        {"question_id": "q4", "model": "one", "raw_response": "", "letter": "D", "truncated": True},
    ]
    run = imported(tmp_path, "x", answers)
    one = sheets_of(run)["one"]["answers"]
    rows = csv_rows((run / "import_differences.csv").read_text())

    assert {name: (found["predicted"], found["correct"]) for name, found in one.items()} == {
        "q1": ("C", False), "q2": ("B", True), "q3": (None, False), "q4": ("D", True),
    }  # fmt: skip
    assert [
        (row["question_id"], row["letter_before"], row["letter"], row["correct_before"], row["correct"]) for row in rows
    ] == [("q1", "A", "C", "true", "false")]
    assert "first letter of 'Answer:'" in rows[0]["why"]


def test_without_letters_in_the_table_there_is_nothing_to_differ_from(tmp_path: Path) -> None:
    """No file of differences, and no section of them."""
    run = imported(tmp_path, "x", answered("one", "ABCD"))

    assert not (run / "import_differences.csv").exists()
    assert "read differently" not in (run / "analysis.md").read_text()


BAD_TABLES = {
    "unknown question": ({"question_id": "q9", "model": "one", "raw_response": "A"}, ["x.jsonl:2", "no question 'q9'"]),
    "twice": ({"question_id": "q1", "model": "one", "raw_response": "B"}, ["x.jsonl:2", "question_id and model"]),
    "letter out of range": (
        {"question_id": "q2", "model": "one", "raw_response": "E", "letter": "E"},
        ["x.jsonl:2", "letter", "'E' is not an option of 'q2'"],
    ),
    "no letter": ({"question_id": "q2", "model": "one", "raw_response": "A", "letter": "AB"}, ["x.jsonl:2", "letter", "'AB'"]),
    "no model": ({"question_id": "q2", "model": "", "raw_response": "A"}, ["x.jsonl:2", "model"]),
    "no reply": ({"question_id": "q2", "model": "one"}, ["x.jsonl:2", "raw_response"]),
    "a name of controls": ({"question_id": "q2", "model": "a\nb", "raw_response": "A"}, ["x.jsonl:2", "model"]),
    "a name too long": ({"question_id": "q2", "model": "x" * 500, "raw_response": "A"}, ["name", "200"]),
}


@pytest.mark.parametrize(("row", "said"), BAD_TABLES.values(), ids=list(BAD_TABLES))
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: dict[str, Any], said: list[str]) -> None:
    """File and line, what is wrong with it, and no folder is left behind."""
    with pytest.raises(ConfigError) as caught:
        imported(tmp_path, "x", [{"question_id": "q1", "model": "one", "raw_response": "A"}, row])

    assert [part for part in said if part not in str(caught.value)] == []
    assert not (tmp_path / "runs" / "x").exists()


def test_many_bad_rows_are_counted(tmp_path: Path) -> None:
    """The first five by line, then how many more."""
    rows = [{"question_id": f"z{n}", "model": "one", "raw_response": "A"} for n in range(9)]

    with pytest.raises(ConfigError) as caught:
        imported(tmp_path, "x", rows)

    assert str(caught.value).count("x.jsonl:") >= 5 and "and 4 more" in str(caught.value)


NAMES = [
    "../../x",
    "=1+1",
    "a|b",
    "x" * 200,
    "/etc/passwd",
    "a b, c;d",
    "'",
    '"',
    "\\",
    "<b>x</b>",
    "[a](b)",
    "-",
    "NUL",
    "é\u0301",
    "模型",
    "#1",
]


def test_any_name_of_a_model_is_kept_and_harms_nothing(tmp_path: Path) -> None:
    """Names are names: in all_results.json as they were, in no path, running in no spreadsheet."""
    run = imported(tmp_path, "x", [row for name in NAMES for row in answered(name, "ABCD")])
    rows = csv_rows((run / "questions.csv").read_text())

    assert list(sheets_of(run)) == NAMES
    assert len(rows[0]) == len(
        csv_rows((imported(tmp_path, "y", answered("one", "ABCD")) / "questions.csv").read_text())[0]
    ) + 5 * (len(NAMES) - 1)
    assert not any(column.startswith(("=", "-", "+", "@")) for column in rows[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs", "x.jsonl", "x_bench.json", "y.jsonl", "y_bench.json"]
    assert sorted(path.name for path in run.parent.iterdir()) == ["x", "y"]


def test_a_benchmark_and_a_table_of_one_name_do_not_mix(tmp_path: Path) -> None:
    """Each is kept under its own folder of the run."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "data.json").write_text(json.dumps(ENTRIES))
    (tmp_path / "data.json").write_text(json.dumps(answered("one", "ABCD")))

    import_answers(tmp_path / "data.json", tmp_path / "a" / "data.json", tmp_path / "run", Workspace(tmp_path))

    assert sheets_of(tmp_path / "run")["one"]["correct"] == 4


def test_paths_that_look_like_patterns_are_paths(tmp_path: Path) -> None:
    """[v1]*.json is a file of that name."""
    (tmp_path / "[v1]*.json").write_text(json.dumps(ENTRIES))
    (tmp_path / "a[1]?.json").write_text(json.dumps(answered("one", "ABCD")))

    import_answers(tmp_path / "a[1]?.json", tmp_path / "[v1]*.json", tmp_path / "run", Workspace(tmp_path))

    assert sheets_of(tmp_path / "run")["one"]["correct"] == 4


def test_a_csv_and_a_jsonl_of_the_same_answers_come_to_the_same(tmp_path: Path) -> None:
    """The format of the table is no part of the result."""
    rows = answered("one", "ABDD") + answered("two", "A.CD")
    (tmp_path / "t.csv").write_text(
        "question_id,model,raw_response\n" + "".join(f"{r['question_id']},{r['model']},{r['raw_response']}\n" for r in rows)
    )
    (tmp_path / "bench.json").write_text(json.dumps(ENTRIES))
    import_answers(tmp_path / "t.csv", tmp_path / "bench.json", tmp_path / "run", Workspace(tmp_path))
    other = imported(tmp_path, "x", rows)

    assert (tmp_path / "run" / "questions.csv").read_bytes() == (other / "questions.csv").read_bytes()


def spreadsheet(folder: Path, rows: Sequence[str], *more: str, header: str = "question_id,model,raw_response") -> int:
    """The exit code of tui-eval import of a CSV."""
    (folder / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    (folder / "bench.json").write_text(json.dumps(ENTRIES))
    return command_line.main(
        ["--workspace", str(folder), "import", str(folder / "t.csv"), "--dataset", str(folder / "bench.json"),
         "--out", str(folder / "run"), *more]
    )  # fmt: skip


def test_empty_cells_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many of each model, where, what they are read as, and what to do where no answer was collected."""
    rows = ["q1,one,A", "q2,one,", 'q3,one,""', "q4,one,D", "q1,two,A", "q2,two,B", "q3,two, ", "q4,two,D"]

    assert spreadsheet(tmp_path, rows) == 0
    said = capsys.readouterr().err

    assert "t.csv: 3 empty cells for a reply (one: 2; two: 1), lines 3, 4, 8: read as empty replies, which are wrong." in said
    assert "A table cannot distinguish" in said and "delete the row" in said
    assert {name: one["failed_by_reason"] for name, one in sheets_of(tmp_path / "run").items()} == {
        "one": {"empty": 2},
        "two": {"empty": 1},
    }


def test_only_empty_cells_of_answers_that_count_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not those beside a letter, nor those of questions that are left aside; of many the first, and how many more."""
    lettered = ["q1,one,,A", "q2,one,,", "q3,one,C,", "q4,one,D,"]
    header = "question_id,model,raw_response,letter"
    assert spreadsheet(tmp_path, lettered, header=header) == 0
    assert "1 empty cell for a reply (one: 1), line 3:" in capsys.readouterr().err
    assert spreadsheet(tmp_path, lettered, "--force", "--set", 'choice.filter.difficulty=["hard"]', header=header) == 0
    assert "empty cell" not in capsys.readouterr().err

    (tmp_path / "many").mkdir()
    assert spreadsheet(tmp_path / "many", [f"q{n},m{m:02d}," for m in range(12) for n in range(1, 5)]) == 0
    said = capsys.readouterr().err
    assert "48 empty cells" in said and "; 2 more models), lines 2, 3, 4, 5, 6 and 43 more:" in said


def test_what_json_says_is_empty_is_no_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ "" is a reply of nothing there, for a call that failed has no row."""
    assert command(tmp_path, answered("one", "AB.D")) == 0
    assert "note:" not in capsys.readouterr().err


def test_empty_cells_of_the_published_answers_are_told(published: tuple[Path, Path]) -> None:
    """Its counts take them for wrong, and so does an import."""
    folder, run = published
    notes = reopening.reopen(run, Workspace(folder), sends=False).warnings

    assert "answers.csv: 15 empty cells for a reply (qwen3-8b: 10; minimax-m2: 3; nemotron-nano-9b-v2: 2), " in notes[0]


def test_a_kind_that_takes_answers_says_where_they_stand() -> None:
    """Its table has a key for the file of answers where it can be made of such a file, and only there."""
    for kind in KINDS.values():
        said = [field.json_schema_extra for field in kind.Config.model_fields.values()]
        assert any(each.get("role") == RECORDED for each in said if isinstance(each, dict)) == bool(kind.starts.from_answers)


def test_without_such_a_kind_nothing_is_imported() -> None:
    """One that is not offered does not count."""
    kind, _ = kind_of_answers()

    for kinds in (
        {},
        {kind.name: replace(kind, offered=False)},
        {kind.name: replace(kind, starts=replace(kind.starts, from_answers=None))},
    ):
        with pytest.raises(ConfigError, match="no kind of evaluation takes answers"):
            kind_of_answers(kinds)


def test_answers_need_their_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --dataset the command says what it needs; with a folder there already, that it is there."""
    (tmp_path / "answers.jsonl").write_text("")

    assert command_line.main(["--workspace", str(tmp_path), "import", str(tmp_path / "answers.jsonl")]) == 2
    assert "--dataset" in capsys.readouterr().err
    assert command(tmp_path, answered("one", "ABCD")) == 0
    assert command(tmp_path, answered("one", "ABCD")) == 2
    assert "already exists" in capsys.readouterr().err
    assert command(tmp_path, answered("one", "ABC_"), "--force") == 0


def resumed(folder: Path, *more: str) -> int:
    """The exit code of resume of an import with an empty answer and a missing one; its records and files are as they were."""
    command(folder, answered("one", "AB.D") + answered("two", "AB_A"))
    before = derived_files(folder / "run")
    code = command_line.main(["--workspace", str(folder), "resume", str(folder / "run"), *more])
    attempts = [json.loads(line) for line in (folder / "run" / "call_logs.jsonl").read_text().splitlines()]
    assert [a["item_id"] for a in attempts if a["started_at"] is not None] == []
    for name in ("leaderboard.md", "analysis.md", "questions.csv", "all_results.json"):
        assert derived_files(folder / "run")[name] == before[name]
    return code


def test_resuming_an_imported_run_sends_nothing_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every answer is on file, missing ones too; the files stay as they were."""
    assert resumed(tmp_path) in (0, 3)
    assert "nothing was sent" in capsys.readouterr().err


def test_failed_answers_of_an_import_cannot_be_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--failed sends nothing, either, and says so; nobody is sent round in circles."""
    resumed(tmp_path, "--failed")
    said = capsys.readouterr().err

    assert "nothing was sent" in said
    assert "Try the rest with" not in said


def test_an_imported_run_is_done_and_cost_nothing_known(tmp_path: Path) -> None:
    """status says done; nothing is called simulated, and no cost is made up."""
    command(tmp_path, answered("one", "ABCD"))
    entry_ = steering.status(tmp_path / "run")
    one = sheets_of(tmp_path / "run")["one"]

    assert (entry_["state"], entry_["simulated"], entry_["planned_calls"]) == ("done", False, 4)
    assert (one["cost_usd"], one["simulated"], one["model_info"]["provider"]) == (None, False, "recorded")
    assert "$0" not in (tmp_path / "run" / "leaderboard.md").read_text()


def test_a_filtered_import_scores_what_is_asked(tmp_path: Path) -> None:
    """--set choice.filter... leaves answers to other questions aside; how a letter is read can be set, too."""
    run = imported(tmp_path, "x", answered("one", "ABCD"), settings=['choice.filter.difficulty=["hard"]'])

    assert (sheets_of(run)["one"]["asked"], sheets_of(run)["one"]["correct"]) == (2, 2)
    assert list(sheets_of(run)["one"]["answers"]) == ["q3", "q4"]


def test_a_benchmark_of_other_sizes_and_a_hostile_one(tmp_path: Path) -> None:
    """Two options and twenty-six: letters up to Z are read and kept."""
    entries = [entry("q1", 1, ["no", "yes"]), entry("q2", 25, [f"thing {n:02d}" for n in range(26)])]
    run = imported(tmp_path, "x", answered("one", "BZ", ["q1", "q2"]), entries)

    assert {name: found["correct"] for name, found in sheets_of(run)["one"]["answers"].items()} == {"q1": True, "q2": True}
    assert reported(run, reopening.reopen(run, Workspace(tmp_path), sends=False).evaluation)[1].run_id == "x"


def test_a_letter_without_a_reply_is_taken_as_it_is(tmp_path: Path) -> None:
    """A table of letters alone is scored by them."""
    rows = [{"question_id": f"q{n}", "model": "one", "raw_response": "", "letter": "ABCD"[n - 1]} for n in range(1, 5)]
    folder = imported(tmp_path, "letters", rows)

    assert [row["n_correct"] for row in csv_rows((folder / "accuracy.csv").read_text())] == ["4"]
