"""Laws of the verb `datasets`: data on stdout, narration on stderr, and the same files as the app's."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tui_eval.cli.command_line import main
from tui_eval.configuring.drafting.new_configs import as_config
from tui_eval.configuring.loading import complete
from tui_eval.core.plaintext import visible
from tui_eval.datasets.set_store import free_name, import_set
from tui_eval.datasets.sets import LIST
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

TABLE = "id,question,A,B,C,answer,difficulty,domain,source_url\n" + "".join(
    f"r{n},Which rock is number {n}?,chalk,shale,salt,{'ABC'[n % 3]},{'hard' if n % 2 else 'easy'},Rocks,x\n" for n in range(6)
)
OPEN = "1. Who keeps it?\n   Answer: Ines\n   Documents: log\n\n2. What colour?\n   Answer (log): red\n"


class Said:
    """What a command said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a verb of `datasets` in a workspace."""

    def command(*words: object, quiet: bool = False) -> Said:
        code = main(["--workspace", str(tmp_path), *(["-q"] if quiet else []), "datasets", *map(str, words)])
        return Said(code, *capsys.readouterr())

    return command


@pytest.fixture
def exam(tmp_path: Path, run: Any) -> Path:
    """A workspace with a dataset of six lettered questions, brought in from a table."""
    (tmp_path / "exam.csv").write_text(TABLE)
    assert run("import", tmp_path / "exam.csv").code == 0
    return tmp_path / "datasets" / "exam.json"


def left_out(folder: Path, name: str = "exam.json") -> list[str]:
    """Ids on file as not selected."""
    content = tomllib.loads((folder / ".conf" / "datasets.toml").read_text())
    return list(content["sets"][name]["left_out"])


# ------------------------------------------------------------------------------------------------------------------------ list


def test_everything_is_listed(run: Any, exam: Path) -> None:
    """Kinds, numbers, documents; what cannot be used with its reason; two sets of one name by their files."""
    (exam.parent / "bad.json").write_text('[{"a\x1b[2J": 1}]')
    (exam.parent / "exam.txt").write_text("Why?\n")
    station = exam.parent / "station"
    station.mkdir()
    (station / LIST).write_text(OPEN)
    (station / "log.txt").write_text("the log")
    run("deselect", "exam.json", "r1", "r2")
    said = run("list")

    rows = {line.split()[0]: line.split()[1:5] for line in said.out.splitlines() if line[:1].islower()}
    assert rows["exam.json"] == ["lettered", "6", "4", "0"] and rows["exam.txt"] == ["open", "1", "1", "0"]
    assert rows["station"] == ["open", "2", "2", "1"] and rows["bad"] == ["unusable", "-", "-", "0"]
    assert "bad.json: not JSON" in said.out and "\x1b" not in said.out and (said.code, said.err) == (0, "")
    found = {entry["file"]: entry for entry in json.loads(run("list", "--json").out)}
    assert found["datasets/exam.json"]["selected"] == 4 and found["datasets/exam.json"]["source"].startswith("exam.csv, 20")
    assert found["datasets/bad.json"]["questions"] is None and "not JSON" in found["datasets/bad.json"]["problem"]
    assert found["datasets/station"]["documents"] == 1


def test_where_there_are_none_it_is_said_how_to_get_some(run: Any) -> None:
    """Nothing on stdout, an empty list for programs; with `quiet` nothing at all."""
    said = run("list")
    assert (said.code, said.out) == (0, "") and "tui-eval datasets import FILE" in said.err
    assert json.loads(run("list", "--json").out) == []
    assert run("list", quiet=True).err == ""


def test_where_the_selection_cannot_be_read_it_is_said(run: Any, exam: Path, tmp_path: Path) -> None:
    """It is not known then, and never taken for all."""
    (tmp_path / ".conf" / "datasets.toml").write_text("sets = 3")
    said = run("list", "--json")
    assert json.loads(said.out)[0]["selected"] is None and "datasets.toml: cannot be read" in said.err
    assert json.loads(run("list", "--json", quiet=True).out)[0]["selected"] is None
    assert run("show", "exam").code == run("select", "exam", "--all").code == 2


# ------------------------------------------------------------------------------------------------------------------------ show


def test_questions_are_shown(run: Any, exam: Path) -> None:
    """One a line, or one in full with the right option marked; the same for programs; as many as wanted."""
    run("deselect", "exam", "r1")
    said = run("show", "exam", "--limit", "2")
    assert "✓  r0  Which rock is number 0?        3  A chalk  easy; Rocks" in said.out
    assert "-  r1" in said.out and "r2" not in said.out
    assert said.err == "exam.json: 6 lettered questions, 5 selected, 2 shown\n"
    assert "✓ B)  shale   (the right answer)" in run("show", "exam", "--question", "r1").out
    whole = json.loads(run("show", "exam", "--json").out)
    assert (whole["questions"], whole["selected"], len(whole["shown"])) == (6, 5, 6)
    assert whole["shown"][1] == json.loads(run("show", "exam", "--question", "r1", "--json").out)
    assert whole["shown"][1] == {
        "id": "r1",
        "selected": False,
        "question": "Which rock is number 1?",
        "options": ["chalk", "shale", "salt"],
        "answer": "B",
        "truth": "shale",
        "documents": [],
        "document_truths": {},
        "groups": {"difficulty": ["hard"], "domain": ["Rocks"]},
    }


def test_a_typo_names_the_nearest(run: Any, exam: Path, tmp_path: Path) -> None:
    """Of datasets, questions, groups and their values; nothing is changed."""
    before = (tmp_path / ".conf" / "datasets.toml").read_bytes()
    for words, near in (
        (("show", "exma"), "exma: there is no such dataset; did you mean 'exam'?"),
        (("show", "zzz"), "known: exam"),
        (("show", "exam", "--question", "rr3"), "rr3: exam has no question with that id; did you mean 'r3'?"),
        (("deselect", "exam", "r1", "r22"), "did you mean 'r2'?"),
        (("select", "exam", "--where", "dificulty=hard"), "did you mean 'difficulty'?"),
        (("select", "exam", "--where", "difficulty=hart"), "did you mean 'hard'?"),
        (("select", "exam", "--where", "hard"), "write GROUP=VALUE"),
        (("select", "exam"), "say which questions"),
        (("select", "exam", "r1", "--all"), "say which questions"),
        (("export", "exam", "--format", "cvs"), "exported as json, jsonl, csv"),
    ):
        said = run(*words)
        assert (said.code, said.out) == (2, "") and near in said.err
    assert (tmp_path / ".conf" / "datasets.toml").read_bytes() == before


def test_a_name_of_several_is_asked_about(run: Any, exam: Path) -> None:
    """The file's name says which; the path that the app shows is taken, too."""
    (exam.parent / "exam.txt").write_text("Why?\n")
    assert "exam.json and exam.txt have this name" in run("show", "exam").err
    assert run("show", "exam.txt").code == run("show", "datasets/exam.json").code == 0


# ------------------------------------------------------------------------------------------------------------- import, export


def test_import_writes_what_the_app_writes(tmp_path: Path, run: Any) -> None:
    """Byte for byte, of a table and of a folder; what was read and what was not is said; the file stays."""
    (tmp_path / "my exam.csv").write_text(TABLE)
    (tmp_path / "station").mkdir()
    (tmp_path / "station" / LIST).write_text(OPEN)
    (tmp_path / "station" / "log.txt").write_bytes(b"\xff\x00log")
    by_app = Workspace(tmp_path / "app")
    by_app.root.mkdir()
    for source in (tmp_path / "my exam.csv", tmp_path / "station"):
        import_set(by_app, source, free_name(by_app, source.name))
    said = run("import", tmp_path / "my exam.csv", tmp_path / "station" / LIST, "--json")

    assert (
        said.code == 0 and "my exam.csv: 6 lettered questions, kept as datasets/my-exam.json; all of it is selected" in said.err
    )
    assert "1 field is not kept, because no run uses it: source_url" in said.err
    assert [entry["file"] for entry in json.loads(said.out)] == ["datasets/my-exam.json", "datasets/station"]
    for file in ("datasets/my-exam.json", f"datasets/station/{LIST}", "datasets/station/log.txt"):
        assert (tmp_path / file).read_bytes() == (by_app.root / file).read_bytes()
    assert (tmp_path / "my exam.csv").read_text() == TABLE


def test_import_is_all_or_nothing(tmp_path: Path, run: Any) -> None:
    """What is wrong with any of the files is said with its line, and none is brought in."""
    (tmp_path / "good.csv").write_text(TABLE)
    (tmp_path / "bad.csv").write_text(TABLE.replace("salt,A,", "salt,E\x1b,", 1))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "good.csv").write_text(TABLE)
    said = run("import", tmp_path / "good.csv", tmp_path / "bad.csv", tmp_path / "no.csv", tmp_path / "more" / "good.csv")

    assert said.code == 2 and "bad.csv:2: answer: " in said.err and "\x1b" not in said.err
    assert "no.csv: there is no such file" in said.err and "another of these files would have the name good" in said.err
    assert not (tmp_path / "datasets").exists()
    assert "--name: works with one file only" in run("import", "a.csv", "b.csv", "--name", "c").err


def test_import_replaces_only_with_force(tmp_path: Path, run: Any, exam: Path) -> None:
    """And keeps what it replaces; all is selected then, and a set in another form gives way, too."""
    run("deselect", "exam", "r1")
    before = exam.read_bytes()
    (tmp_path / "exam.csv").write_text("question,A,B,answer\nWhich is a gas?,iron,helium,B\n")
    said = run("import", tmp_path / "exam.csv")
    assert said.code == 2 and "a set called exam already" in said.err and "--force" in said.err and exam.read_bytes() == before
    assert run("import", tmp_path / "exam.csv", "--name", "other").code == 0
    assert "kept in datasets/.originals" in run("import", tmp_path / "exam.csv", "--force").err
    assert exam.read_bytes() != before == (exam.parent / ".originals" / "exam.json").read_bytes()
    assert left_out(tmp_path) == []
    (tmp_path / "exam.txt").write_text("Why?\n")
    assert run("import", tmp_path / "exam.txt", "--force").code == 0 and not exam.exists()
    assert (exam.parent / "exam" / LIST).is_file() and (exam.parent / ".originals" / "2-exam.json").is_file()
    assert set(tomllib.loads((tmp_path / ".conf" / "datasets.toml").read_text())["sets"]) == {"exam", "other.json"}


def test_a_set_stays_where_it_cannot_be_replaced(tmp_path: Path, run: Any, exam: Path) -> None:
    """What was put away comes back where the new one cannot be put in its place."""
    before = exam.read_bytes()
    exam.rename(exam.with_suffix(".jsonl"))
    (exam.parent / "exam.json").mkdir()
    (exam.parent / "exam.json" / "in the way").touch()
    said = run("import", tmp_path / "exam.csv", "--force")
    assert said.code == 2 and exam.with_suffix(".jsonl").read_bytes() == before
    assert not list(exam.parent.glob(".*tmp"))


def test_export_is_data_on_stdout(tmp_path: Path, run: Any, exam: Path) -> None:
    """As the file in the workspace, or only what is selected; in a file never over another one unasked."""
    said = run("export", "exam")
    assert (said.out, said.err) == (exam.read_text(), "")
    run("select", "exam", "--where", "difficulty=hard", "--only")
    assert [json.loads(line)["id"] for line in run("export", "exam", "--selected", "--format", "jsonl").out.splitlines()] == [
        "r1",
        "r3",
        "r5",
    ]
    said = run("export", "exam", "--out", tmp_path / "part.csv")
    assert said.out == "" and "6 lettered questions exported" in said.err
    assert (tmp_path / "part.csv").read_text().startswith("id,version,question,A,B,C,answer,difficulty,domains\n")
    assert run("export", "exam", "--out", tmp_path / "part.csv").code == 2
    assert run("export", "exam", "--selected", "--out", tmp_path / "part.csv", "--force").code == 0
    assert len((tmp_path / "part.csv").read_text().splitlines()) == 4
    run("deselect", "exam", "--all")
    assert "none of its questions is selected" in run("export", "exam", "--selected").err


def test_documents_are_exported_with_their_folder(tmp_path: Path, run: Any) -> None:
    """On stdout the list of questions alone, which is said; a folder brings the documents, and can be imported."""
    station = tmp_path / "datasets" / "station"
    station.mkdir(parents=True)
    (station / LIST).write_text(OPEN)
    (station / "log.txt").write_text("the log")
    said = run("export", "station")
    assert said.out == OPEN and "the 1 documents are not in it; --out FOLDER" in said.err
    assert run("export", "station", "--out", tmp_path / "copy").code == 0
    assert (tmp_path / "copy" / "log.txt").read_text() == "the log" and run("import", tmp_path / "copy").code == 0
    (station / LIST).write_text("1. Who\x1b[2J?\n")
    said = run("export", "station")
    assert (said.code, said.out) == (2, "") and "--out FILE" in said.err


def test_hostile_text_in_a_table_steers_nothing(tmp_path: Path, run: Any) -> None:
    """Neither a terminal, whichever verb shows it, nor a spreadsheet; as JSON all of it is kept."""
    odd = "=cmd|' /C calc'!A0 \x1b[2J\x9b31m \u202egnp.exe"
    (tmp_path / "odd\x1b.csv").write_text(f'id,question,A,B,answer,"x\x1b]0;"\nq1,"{odd}",@sum,"-1{odd}",B,\n')
    said = [run("import", tmp_path / "odd\x1b.csv", "--name", "odd", "--json"), run("list"), run("list", "--json")]
    said += [run("show", "odd", *more) for more in ((), ("--json",), ("--question", "q1"), ("--question", "q1", "--json"))]
    said += [run("export", "odd"), run("export", "odd", "--format", "jsonl"), run("deselect", "odd", "q1\x1b")]

    assert [one.code for one in said] == [0] * 9 + [2]
    assert all(visible(one.out + one.err) == one.out + one.err for one in said)
    assert [json.loads(one.out)["question"] for one in (said[6], said[8])] == [odd, odd]
    refused = run("export", "odd", "--format", "csv", "--out", tmp_path / "out.csv")
    assert refused.code == 2 and "--format json" in refused.err and not (tmp_path / "out.csv").exists()


# ---------------------------------------------------------------------------------------------------------------- selection


def test_what_is_selected_is_what_a_run_asks(tmp_path: Path, run: Any, exam: Path) -> None:
    """By id, by group or all; how many are selected is said; a run that is set up with the set asks these."""
    before = exam.read_bytes()
    for words, n in (
        (("deselect", "exam", "r1", "r2"), 4),
        (("select", "exam", "r1"), 5),
        (("deselect", "exam", "--all"), 0),
        (("select", "exam", "--where", "difficulty=hard", "--where", "domain=Rocks"), 3),
        (("select", "exam", "r0", "--only"), 1),
        (("select", "exam", "--only", "r2", "r4"), 2),
    ):
        said = run(*words)
        assert (said.code, said.out) == (0, "") and f"exam.json: {n} of 6 questions selected" in said.err
    assert "as before" in run("select", "exam", "r2").err
    assert exam.read_bytes() == before and left_out(tmp_path) == ["r0", "r1", "r3", "r5"]
    config = as_config(Workspace(tmp_path), exam)
    content = {
        **config,
        "models": [{"name": "m", "wire": "simulator", "model": "sim-scholar"}],
        "choice": {**config["choice"], "models": ["m"]},
    }
    evaluation = complete(TomlFile(tmp_path / "run.toml", content, {}), Workspace(tmp_path), sends=False).evaluation
    assert [sample.doc_id for sample in evaluation.samples()] == ["r2", "r4"]


@pytest.mark.soak
def test_processes_that_select_at_once_lose_nothing(tmp_path: Path, run: Any, exam: Path) -> None:
    """Each leaves out one question of its own; afterwards all of these are left out."""
    script = (
        "import sys; from tui_eval.cli import dataset_commands; from tui_eval.cli.command_line import main; "
        "sys.stdin.read(); sys.exit(main(sys.argv[1:]))"
    )
    words = ["--workspace", str(tmp_path), "datasets", "deselect", "exam"]
    commands = [[sys.executable, "-c", script, *words, f"r{n}"] for n in range(4)]
    begun = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for command in commands]
    for process in begun:
        assert process.stdin is not None
        process.stdin.close()
    for process in begun:
        assert process.wait(60) == 0
        assert process.stderr is not None
        process.stderr.close()
    assert left_out(tmp_path) == ["r0", "r1", "r2", "r3"]


def test_no_workspace_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is not there is not made."""
    assert main(["--workspace", str(tmp_path / "no"), "datasets", "list"]) == 2
    assert "there is no such folder" in capsys.readouterr().err and not (tmp_path / "no").exists()


def test_columns_are_mapped(tmp_path: Path, run: Any) -> None:
    """Where names do not tell, the columns are listed with what to write; then they are read as they were said to be."""
    (tmp_path / "odd.csv").write_text("Aufgabe,Loesung\nWhat is salt?,halite\n")
    refused = run("import", tmp_path / "odd.csv")
    assert refused.code == 2 and "Aufgabe, Loesung" in refused.err and "--map question=COLUMN" in refused.err
    assert "--map" not in run("import", tmp_path / "odd.csv", "--map", "question=Nix").err.split("nothing was")[0]
    found = run("import", tmp_path / "odd.csv", "--map", "question=Aufgabe", "--map", "answer=Loesung")
    assert found.code == 0 and "read from question: Aufgabe, answer: Loesung" in found.err
    assert "Answer: halite" in (tmp_path / "datasets" / "odd" / LIST).read_text()


@pytest.mark.parametrize("option", [["--seed", "0"], ["--skip-unscored"]])
def test_no_option_is_passed_over_beside_a_map(option: list[str], tmp_path: Path, run: Any) -> None:
    """Columns that a person maps are read as they stand: what would change nothing is refused by name, and nothing is kept."""
    (tmp_path / "odd.csv").write_text("Aufgabe,Loesung\nWhat is salt?,halite\n")
    refused = run("import", tmp_path / "odd.csv", "--map", "question=Aufgabe", "--map", "answer=Loesung", *option)
    assert refused.code == 2 and f"--map with {option[0]}:" in refused.err
    assert not (tmp_path / "datasets" / "odd").exists()
    assert run("import", tmp_path / "odd.csv", "--cut-after", "x", *option).err.startswith("error: --cut-after with")


def test_conversations_headless(tmp_path: Path, run: Any) -> None:
    """Imported by a map and a mark, listed, shown in full, selected as a whole or by turn, exported as rows and by document."""
    (tmp_path / "talk.csv").write_text("dlg,no,asks,gold\nx,1,How deep?,so: 4 m\nx,2,And wide?,so: 9 m\ny,1,Whose?,\n")
    mapped = [f"--map={word}" for word in ("conversation=dlg", "turn=no", "question=asks", "truth=gold")]
    said = run("import", tmp_path / "talk.csv", *mapped, "--cut-after", "so:")
    assert said.code == 0 and "3 questions in 2 conversations, kept as datasets/talk.json" in said.err
    (entry,) = json.loads(run("list", "--json").out)
    assert (entry["kind"], entry["questions"], entry["problem"]) == ("conversations", 3, None)
    shown = json.loads(run("show", "talk", "--question", "x/t2", "--json").out)
    assert (shown["truth"], shown["turn"]["page"], shown["groups"]["conversation"]) == ("9 m", None, ["x"])
    assert "x, turn 2" in run("show", "talk", "--question", "x/t2").out
    assert "2 of 3 questions selected" in run("select", "talk", "--only", "--where", "conversation=x").err
    said = run("export", "talk", "--selected", "--format", "csv")
    assert said.out.splitlines()[1:] == ["x/t1,x,1,How deep?,4 m", "x/t2,x,2,And wide?,9 m"]
    run("select", "talk", "--only", "--where", "turn=1")
    said = run("export", "talk", "--selected", "--format", "eval-questions")
    assert [one["question"] for one in json.loads(said.out)["images"][""]["questions"]] == ["How deep?", "Whose?"]
    assert "eval-questions does not hold the ids of its questions; json does" in said.err
    assert run("export", "talk", "--format", "eval-questions").code == 2


def reasons(folder: Path) -> dict[str, str]:
    """Why questions of the exam are left out, as it is on file."""
    content = tomllib.loads((folder / ".conf" / "datasets.toml").read_text())
    return dict(content["sets"]["exam.json"].get("reasons", {}))


def test_a_reason_is_kept_until_the_question_is_selected_again(exam: Path, tmp_path: Path, run: Any) -> None:
    """On file, in the list, in the question and as JSON; without a reason an older one stays; select forgets it."""
    assert run("deselect", "exam", "r1", "r2", "--reason", "two keys\nare right\x1b[2J").code == 0
    assert [*reasons(tmp_path)] == ["r1", "r2"] and "\n" not in reasons(tmp_path)["r1"]
    assert run("deselect", "exam", "r2", "r3").code == 0

    told = run("show", "exam").out
    assert "left out because" in told and told.count("two keys") == 2 and "\x1b" not in told
    assert "- left out: two keys are right" in run("show", "exam", "--question", "r1").out
    assert run("show", "exam", "--question", "r3").out.startswith("r3  - left out\n")
    shown = json.loads(run("show", "exam", "--json").out)["shown"]
    assert [one["id"] for one in shown if "reason" in one] == ["r1", "r2"]
    assert run("select", "exam", "r1").code == 0
    assert [*reasons(tmp_path)] == ["r2"] and left_out(tmp_path) == ["r2", "r3"]
    assert run("select", "exam", "--all").code == 0
    assert "left out because" not in run("show", "exam").out


@pytest.mark.parametrize("more", [("r1",), ("--all",), ("--where", "difficulty=hard")])
def test_flagged_names_the_questions_by_itself(more: tuple[str, ...], exam: Path, run: Any) -> None:
    """Ids beside it would be left open; a run that is not there is told the nearest."""
    said = run("deselect", "exam", *more, "--flagged", "some")

    assert said.code == 2 and "leave out ids, --all and --where" in said.err
    assert "some: neither a run folder nor the id of a run" in run("deselect", "exam", "--flagged", "some").err


@pytest.mark.parametrize("reasons", ['"text"', "[1]", "{ r1 = 3 }"])
def test_reasons_of_another_form_are_told(reasons: str, exam: Path, tmp_path: Path, run: Any) -> None:
    """As of the rest of the file: what is no reason is an error that names the file, not a crash."""
    run("deselect", "exam", "r1")
    file = tmp_path / ".conf" / "datasets.toml"
    file.write_text(file.read_text() + f"reasons = {reasons}\n")

    said = run("show", "exam")
    assert said.code == 2 and "datasets.toml" in said.err and "reasons must be texts" in said.err
