"""Stored runs scored again by other scorers: nothing is sent, the run's own files stay, and what is new is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import record

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import load
from tui_eval.core.calls import Call, Reply
from tui_eval.tui.report_rows import Report
from tui_eval.workspace.places import Workspace

Table = dict[str, Any]
FACTS = [(f"How many masts has ship {n}?", str(n)) for n in range(3, 15)]
MODELS = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("scholar", "sprinter")]
RULES = '[[scorers]]\nuse = "number"\nheadline = true\n\n[[scorers]]\nuse = "contains"\n\n[scoring]\nthreshold = 0.5\n'


def panel(**more: Any) -> Table:
    """Twelve questions to two models, graded letter by letter."""
    table = {
        "questions": [question for question, _ in FACTS], "truths": [truth for _, truth in FACTS],
        "doers": [{"model": "scholar"}, {"model": "sprinter"}], "benchmark": {"mode": "exact"},
    }  # fmt: skip
    return {"kind": "panel", "name": "ships", "models": MODELS, "panel": {**table, **more}}


def choice() -> Table:
    """Two lettered questions to two models."""
    return {
        "kind": "choice",
        "name": "ships",
        "models": MODELS,
        "choice": {"dataset": "exam.json", "models": ["scholar", "sprinter"]},
    }


def in_words(call: Call) -> Reply:
    """A sentence of one model, the bare answer of the other."""
    number = "".join(sign for sign in call.messages[-1].content.partition("ship ")[2] if sign.isdigit())
    return Reply(call, "ok", text=f"I would say that it is {number}." if call.model == "scholar" else number)


def by_letter(call: Call) -> Reply:
    """The letter B in two ways."""
    return Reply(call, "ok", text="The answer is B." if call.model == "scholar" else "B")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a stored run of a panel and one of multiple choice, and a file of scorers."""
    exam = [{"id": f"q{n}", "question": f"Which {n}?", "choices": ["iron", "zinc", "lead"], "answer": n} for n in range(2)]
    (tmp_path / "exam.json").write_text(json.dumps(exam))
    (tmp_path / "rules.toml").write_text(RULES)
    for name, content, answer in (("ships", panel(), in_words), ("letters", choice(), by_letter)):
        (tmp_path / f"{name}.toml").write_text(tomli_w.dumps(content))
        record(tmp_path / name, load(tmp_path / f"{name}.toml", Workspace(tmp_path)), answer)
    return tmp_path


def own_files(path: Path) -> dict[str, bytes]:
    """What stands in a run folder, but for what is re-scored."""
    found = {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return {name: text for name, text in found.items() if not name.startswith("rescored/")}


def rescored(folder: Path, run: str, *words: str) -> Path:
    """Where a re-score of a run by these words lies."""
    before = {*(folder / run / "rescored").glob("*")}
    assert main(["--workspace", str(folder), "rescore", str(folder / run), *words]) == 0
    (found,) = {*(folder / run / "rescored").glob("*")} - before
    return found


@pytest.mark.parametrize("run", ["ships", "letters"])
def test_a_file_of_scorers_takes_the_place_of_those_of_the_config(
    run: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the same settings do; scores, metrics and verdict are theirs, and nothing of the run itself changes."""
    before = own_files(workspace / run)
    rows = '[{ use = "number", headline = true }, "contains"]'
    by_file = rescored(workspace, run, "--scorers", str(workspace / "rules.toml"))
    said = capsys.readouterr()
    by_words = rescored(workspace, run, "--set", f"scorers={rows}", "--set", "scoring.threshold=0.5")

    assert own_files(workspace / run) == before and "nothing was sent" in said.err
    n = 4 if run == "letters" else 24
    assert f"New scores: number {n}, contains {n}, passed {n}." in " ".join(said.out.split())
    assert (by_file / "results.jsonl").read_bytes() == (by_words / "results.jsonl").read_bytes()
    report = json.loads((by_file / "report.json").read_text())
    assert report["units"]["headline"] == ["number"]
    assert Report(report).measures[0].metric.name == "number"
    assert "accuracy" in report["tables"] and "scorer_accuracy" in report["tables"]


def test_a_preview_shows_what_new_scorers_come_to(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside what the run has; nothing is written, and the numbers are those of the re-score."""
    before = own_files(workspace / "ships")
    words = ["rescore", str(workspace / "ships"), "--scorers", str(workspace / "rules.toml")]
    assert main(["--workspace", str(workspace), *words, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert own_files(workspace / "ships") == before and not (workspace / "ships" / "rescored").exists()

    assert found["added"] == {"number": 24, "contains": 24, "passed": 24} and found["compared"] == 24
    shares = {(one["model"], one["score"]): (one["before"]["value"], one["after"]["value"]) for one in found["models"]}
    assert shares["scholar", "correct"] == (0, 0) and shares["sprinter", "correct"] == (1, 1)
    assert shares["scholar", "number"] == (None, 1) and shares["scholar", "contains"] == (None, 1)

    assert main(["--workspace", str(workspace), *words, "--dry-run"]) == 0
    text = capsys.readouterr().out
    assert "new scores: number 24, contains 24, passed 24" in text and "0 of 24 scores would change" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "rules.toml: scorers: the list is empty"),
        ('scorers = ["numbr"]', "rules.toml:1: scorers[0]: no scorer 'numbr'; did you mean 'number'?"),
        ('\n[[scorers]]\nuse = "exact"\ntolerance = 1', "rules.toml:2: scorers[0]: exact: tolerance: unknown key"),
        ('scorer = ["number"]', "rules.toml:1: scorer: is not a key of a scorers file; did you mean 'scorers'?"),
        (
            'scorers = ["number"]\n[scoring]\nthresold = 1',
            "rules.toml:3: scoring.thresold: unknown key; did you mean 'threshold'?",
        ),
        ('scorers = [{ use = "llm", model = "mini" }]', "llm asks 'mini', but a re-score asks nobody. Score these answers in"),
        ('scorers = ["llm"]', 'scorers[0]: llm: model: is missing, as in { use = "llm", model = "judge" }'),
        ('scorers = [{ use = "contains", name = "correct" }]', "is called 'correct', as a metric of panel is"),
    ],
)
def test_a_wrong_file_of_scorers_is_told_by_its_line(
    text: str, said: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is written."""
    (workspace / "rules.toml").write_text(text)
    before = own_files(workspace / "ships")

    code = main(
        ["--workspace", str(workspace), "rescore", str(workspace / "ships"), "--scorers", str(workspace / "rules.toml")]
    )

    assert code == 2 and said in capsys.readouterr().err
    assert own_files(workspace / "ships") == before and not (workspace / "ships" / "rescored").exists()


def said_of(folder: Path, answer: Any, **more: Any) -> str:
    """The note below the accuracies of a panel whose models answer so."""
    (folder / "c.toml").write_text(tomli_w.dumps(panel(**more)))
    loaded = load(folder / "c.toml", Workspace(folder))
    report = loaded.evaluation.reporter()
    for sample in loaded.evaluation.samples():
        report.add(loaded.evaluation.driven(sample, answer))
    return report.tables()["accuracy"].note


def test_a_panel_graded_exact_says_what_else_would_pass(tmp_path: Path) -> None:
    """Of all models, or of those alone that almost never give an exact match; not a word where each does, or nothing passes."""

    def sentences(call: Call) -> Reply:
        return Reply(call, "ok", text=str(in_words(Call("doer", "", "scholar", call.messages)).text))

    told = "almost nothing where another scorer would: "
    assert f"`exact` 0 % (shuffled 0 %) gives {told}`contains` 100 % (shuffled 0 %), `number` 100 %" in said_of(
        tmp_path, sentences
    )
    assert "24 answers. rescore --set 'scorers=[\"contains\"]' tries it at no cost." in said_of(tmp_path, sentences)
    assert f"`exact` 0 % (shuffled 0 %) gives to scholar {told}" in said_of(tmp_path, in_words)
    for answer in (
        lambda call: Reply(call, "ok", text=str(in_words(Call("doer", "", "sprinter", call.messages)).text)),
        lambda call: Reply(call, "ok", text="I cannot say."),
        lambda call: Reply(call, "timeout"),
    ):
        assert told not in said_of(tmp_path, answer)
    few = {"questions": [question for question, _ in FACTS[:2]], "truths": [truth for _, truth in FACTS[:2]]}
    assert told not in said_of(tmp_path, in_words, **few)


def test_the_scorer_of_letters_is_the_letter_that_the_kind_reads(workspace: Path) -> None:
    """Of each reply, whatever its form and the order of its options."""
    texts = ["B", "The answer is A.", "zinc", "**C**", "I think (b) or (c)", "Not A. Option B", "", "none of them", "D"]
    content = choice()
    content["choice"] |= {"shuffle": True, "permutations": 3}
    (workspace / "c.toml").write_text(tomli_w.dumps({"scorers": ["choice", "exact"], **content}))
    evaluation = load(workspace / "c.toml", Workspace(workspace)).evaluation
    for text in texts:
        for sample in evaluation.samples():
            row = evaluation.driven(sample, lambda call, text=text: Reply(call, "ok", text=text))  # type: ignore[misc]
            values = {(score.name, score.call_index): score.value for score in row.scores}
            assert [values["choice", n] for n in range(3)] == [values["correct", n] for n in range(3)], text
            if text == "zinc":  # a text is compared with texts, a letter by `choice` alone
                assert [values["exact", n] for n in range(3)] == [values["correct", n] for n in range(3)], text
            elif text == "B":
                assert {values["exact", n] for n in range(3)} == {0.0}


def test_names_of_scorers_are_taken_as_those_of_a_config(workspace: Path) -> None:
    """`--scorers number,contains` does what the same setting does."""
    by_name = rescored(workspace, "ships", "--scorers", "number,contains")
    by_words = rescored(workspace, "ships", "--set", 'scorers = ["number", "contains"]')

    assert (by_name / "results.jsonl").read_bytes() == (by_words / "results.jsonl").read_bytes()


def test_thresholds_of_scorers_that_are_gone_are_left_out_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The gate of what is still scored stays; without any it is said that none is left."""
    (tmp_path / "q.csv").write_text("question,answer\nWho?,Oda\nWhere?,Rome\n")
    words = ["--models", "sim-scholar", "--scorers", "contains,f1", "--no-preflight", "--out", str(tmp_path / "g")]
    gate = ["--set", 'gate.contains=">= 0"', "--set", 'gate.f1=">= 0"', "--set", 'gate.models.sim-scholar.contains=">= 0"']
    main(["--workspace", str(tmp_path), "qa", str(tmp_path / "q.csv"), *words, *gate])
    capsys.readouterr()
    some = rescored(tmp_path, "g", "--scorers", "f1,exact")
    told = capsys.readouterr().err
    none = rescored(tmp_path, "g", "--scorers", "exact")

    assert "the thresholds of contains are left out: not scored now\n" in told
    assert "thresholds of contains, f1 are left out: not scored now; no gate is left" in capsys.readouterr().err
    gates = [json.loads((out / "report.json").read_text()).get("gates") or [] for out in (some, none)]
    assert {gate["metric"] for gate in gates[0]} == {"f1"} and gates[1] == []
