"""Laws of a tried re-score: it says what a re-score would come to, answer by answer, and leaves no trace."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from choices import ended, load_choice, question_of, record
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from makers import few, load_panel, strict_json
from panels import STAGES

from tui_eval.cli import command_line
from tui_eval.cli.preview_text import preview_json, preview_text
from tui_eval.cli.summary import result_text
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.engine.turns import unsent
from tui_eval.reporting import rescoring
from tui_eval.reporting.derive import derive
from tui_eval.reporting.rescoring import RescorePreview
from tui_eval.results.tables import table_rows
from tui_eval.runs.folder import LOG
from tui_eval.runs.writing import Inside
from tui_eval.workspace.places import Workspace

TRUE, FALSE = '"simulated": true', '"simulated": false'
GOLDEN_PANEL = Path(__file__).parents[2] / "golden" / "panel"
LITERAL = "choice.extraction=formationeval-v0.1"
REPLIES = {"q1": "Answer: C", "q2": "C", "q3": "Both A and C could be right", "q4": "!timeout"}
SAYINGS = [*REPLIES.values(), "B", "I believe B is correct", "!refused", "nothing", "", "Option D"]


def said(call: Call) -> Reply:
    """What two models say: one of them the same to each question."""
    return ended(call, "D" if call.model == "two" else REPLIES[question_of(call)])


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two models with four questions."""
    record(tmp_path / "run", load_choice(tmp_path), said)
    return tmp_path / "run"


def test_what_changes_is_told_answer_by_answer(run: Path) -> None:
    """Each answer that is read otherwise, under both rules, with the right one; what neither reads is listed apart."""
    trial = rescoring.try_rescore(run, Workspace(run.parent), [LITERAL])

    assert [(c.question_id, c.model, c.before.read, c.after.read, c.before.value, c.after.value) for c in trial.changes] == [
        ("q1", "one", "C", "A", 0, 1),
        ("q3", "one", None, "B", 0, 0),
    ]
    assert [(c.before.pattern, c.after.pattern, c.before.why, c.truth) for c in trial.changes] == [
        ("answer_colon", "first_char", "", "A) north"),
        ("failed", "first_char", "ambiguous", "C) south"),
    ]
    assert (trial.compared, trial.unread, trial.rules_before, trial.rules_after, trial.simulated) == (
        8, (), ("robust/3",), ("formationeval-v0.1/1",), True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("panel.strict=true", "--set panel.strict: panel: unknown key (a table of another kind; this is a choice config)"),
        ("prices.x=5", "--set prices.x: prices: unknown key; known are "),
        ("choice.extracton=robust", "--set choice.extracton: choice.extracton: unknown key; did you mean 'extraction'?"),
    ],
)
def test_a_setting_that_fits_no_run_of_the_kind_is_named(run: Path, setting: str, told: str) -> None:
    """It is the setting's mistake; the config of the run, where nothing of it stands, is not blamed."""
    for rescore in (rescoring.rescore, rescoring.try_rescore):
        with pytest.raises(ConfigError) as caught:
            rescore(run, Workspace(run.parent), [setting])
        assert str(caught.value).startswith(told)


def test_shares_say_what_they_rest_on(run: Path) -> None:
    """Of all replies (unread is wrong) and of those read, with n; a call without a reply is in neither."""
    one = rescoring.try_rescore(run, Workspace(run.parent), [LITERAL]).models[0]

    shares = (one.before, one.after, one.read_before, one.read_after)
    assert [(share.total, share.n) for share in shares] == [(0, 3), (1, 3), (0, 2), (1, 3)]
    assert all(
        share.low is not None and share.high is not None and share.low <= (share.value or 0) <= share.high for share in shares
    )
    assert (one.model, one.missing, one.changed) == ("one", 1, 2)


def test_the_unread_are_listed_with_what_other_rules_read(tmp_path: Path) -> None:
    """A reply in which neither rule reads anything is listed, and further rules say what they make of it."""
    record(tmp_path / "run", load_choice(tmp_path, names=("one",)), lambda call: ended(call, "Both A and C could be right"))

    trial = rescoring.try_rescore(
        tmp_path / "run", Workspace(tmp_path), ["choice.extraction=patterns", "choice.patterns=['x(A)']"]
    )

    assert (trial.changes, len(trial.unread)) == ((), 4)
    assert {(c.before.why, c.after.why) for c in trial.unread} == {("ambiguous", "no_letter")}
    assert {c.others["formationeval-v0.1"].read for c in trial.unread} == {"B"}
    assert "4 replies are parsed by neither rule" in preview_text(trial)


@hypothesis_settings(few, max_examples=10)
@given(st.lists(st.sampled_from(SAYINGS), min_size=4, max_size=4), st.integers(1, 2))
def test_it_comes_to_what_a_rescore_comes_to(tmp_path_factory: pytest.TempPathFactory, says: list[str], orders: int) -> None:
    """The changes are those of a re-score, and the accuracies after, intervals included, those of its report."""
    folder = tmp_path_factory.mktemp("w")
    loaded = load_choice(folder, names=("one",), choice=f"permutations = {orders}")
    before = record(folder / "run", loaded, lambda call: ended(call, says[int(question_of(call)[1]) - 1]))

    trial = rescoring.try_rescore(folder / "run", Workspace(folder), [LITERAL])
    outcome, _, _ = rescoring.rescore(folder / "run", Workspace(folder), [LITERAL])

    assert outcome.changes is not None
    assert [(c.item_id, c.after.read) for c in trial.changes] == [(r["item_id"], r["read_after"]) for r in outcome.changes.rows]
    for share, tables in ((trial.models[0].before, before.tables), (trial.models[0].after, outcome.tables)):
        row = table_rows(tables["accuracy"])[0]
        assert (share.value, share.n) == (pytest.approx(row["accuracy"]) if share.n else None, row["n_replies"])
        assert share.low == (pytest.approx(row["ci_low"]) if share.n else None)
        assert share.high == (pytest.approx(row["ci_high"]) if share.n else None)


def test_nothing_is_written(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No byte of the workspace is another after the command, with JSON or without, and the JSON is all of it."""
    before = bytes_of(run.parent)
    command = ["--workspace", str(run.parent), "rescore", str(run), "--set", LITERAL, "--dry-run"]

    assert command_line.main(command) == 0
    shown = capsys.readouterr()
    assert command_line.main([*command, "--json"]) == 0
    found = strict_json(capsys.readouterr().out)

    assert bytes_of(run.parent) == before
    assert "C -> A" in shown.out and "answer_colon -> first_char" in shown.out and "simulated" in shown.out
    assert "nothing was written" in shown.err
    assert found == json.loads(json.dumps(preview_json(rescoring.try_rescore(run, Workspace(run.parent), [LITERAL]))))
    assert found["models"][0]["after"]["value"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("most", ["0.9", "0"])
def test_gates_are_judged_as_a_rescore_judges_them(run: Path, capsys: pytest.CaptureFixture[str], most: str) -> None:
    """With the verdicts and the exit code of the re-score; nothing is written."""
    before = bytes_of(run.parent)
    command = ["--workspace", str(run.parent), "rescore", str(run), "--set", f"gate.correct=>= {most}", "--set", LITERAL]

    code = command_line.main([*command, "--dry-run"])
    shown = capsys.readouterr()
    assert command_line.main([*command, "--dry-run", "--json"]) == code
    found = strict_json(capsys.readouterr().out)["gates"]
    assert bytes_of(run.parent) == before

    assert command_line.main(command) == code
    told = capsys.readouterr()
    report = strict_json(next(run.glob("rescored/*/report.json")).read_bytes())
    assert found == report["gates"] and len(found) == 2
    for line in ("gate     model", "gates of answer: "):
        assert [row for row in shown.out.splitlines() if row.startswith(line)] == [
            row for row in told.out.splitlines() if row.startswith(line)
        ] != []  # fmt: skip
    assert ("gates" in shown.err) == ("gates" in told.err) == bool(code)


def test_a_dry_run_ends_with_1_where_a_gate_fails(tmp_path: Path) -> None:
    """Of a run in which every call came through; with a gate that holds it ends with 0."""
    record(tmp_path / "run", load_choice(tmp_path, names=("one",)), lambda call: ended(call, "Answer: A"))
    command = ["--workspace", str(tmp_path), "rescore", str(tmp_path / "run"), "--dry-run", "--set"]

    assert [command_line.main([*command, f"gate.correct=>= {least}"]) for least in (0, 1)] == [0, 1]


def test_keeping_it_says_where(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --dry-run it is kept beside the run, and the JSON says where and how many answers changed."""
    assert command_line.main(["--workspace", str(run.parent), "rescore", str(run), "--set", LITERAL, "--json"]) == 0

    found = strict_json(capsys.readouterr().out)
    assert found["changed"] == 2
    assert Path(found["path"]).is_relative_to(run / "rescored") and (Path(found["path"]) / "changes.csv").is_file()


def test_what_cannot_be_tried_is_told(run: Path) -> None:
    """No setting at all, one that asks anything else, and one that is none are refused with what to do."""
    for settings, words in (
        ([], "say what to try"),
        (["choice.permutations=2"], "ask anew"),
        (["choice.extraction=odd"], "robust"),
    ):
        with pytest.raises(ConfigError, match=words):
            rescoring.try_rescore(run, Workspace(run.parent), settings)


def test_a_panels_grades_are_tried_as_well(tmp_path: Path) -> None:
    """Another way of comparing whole texts changes scores, not readings: none of them was read from a reply."""
    rest = f'{STAGES["rest"]}\n[panel.benchmark]\nmode = "exact"\n'
    loaded = load_panel(tmp_path, panel='truths = ["1", "2"]', **{**STAGES, "rest": rest})
    record(tmp_path / "run", loaded, lambda call: Reply(call, "ok", text=" 1\n"))

    trial = rescoring.try_rescore(tmp_path / "run", Workspace(tmp_path), ["panel.benchmark.strip_whitespace=false"])

    assert {(c.stage, c.before.value, c.after.value) for c in trial.changes} == {(s, 1, 0) for s in ("doer", "judge", "final")}
    assert trial.unread == () and {model.read_after.n for model in trial.models} == {0}
    assert _points(trial) == {-50.0}
    assert "Of the parsed replies" not in preview_text(trial)


def _points(trial: RescorePreview) -> set[float]:
    return {100 * ((model.after.value or 0) - (model.before.value or 0)) for model in trial.models}


def test_simulated_is_said_of_those_that_are(run: Path) -> None:
    """Where some models were real, the simulated ones are named, and nobody says that no model was asked."""
    assert "simulated: no model was asked" in preview_text(rescoring.try_rescore(run, Workspace(run.parent), [LITERAL]))
    lines = (run / LOG).read_text().splitlines(keepends=True)
    (run / LOG).write_text("".join(line.replace(TRUE, FALSE) if '"model": "two"' in line else line for line in lines))

    trial = rescoring.try_rescore(run, Workspace(run.parent), [LITERAL])

    assert (trial.simulated, trial.all_simulated, trial.simulated_models) == (True, False, ("one",))
    assert "simulated: replies of one; the others are those of real models" in preview_text(trial)
    assert "no model was asked" not in preview_text(trial)


def test_the_place_of_a_letter_is_told(run: Path) -> None:
    """Where a person's pattern found its letter stands beside it, so that nobody has to search again; else nothing does."""
    settings = ["choice.extraction=patterns", "choice.patterns=['Both ([A-D])']", "choice.patterns_fallback='robust'"]
    changes = rescoring.try_rescore(run, Workspace(run.parent), settings).changes

    assert [(c.after.read, c.place) for c in changes] == [("A", (5, 6))]
    assert {c.place for c in rescoring.try_rescore(run, Workspace(run.parent), [LITERAL]).changes} == {None}


@pytest.mark.parametrize("choice", ["", "permutations = 4", "shuffle = true\npermutations = 4"])
def test_the_place_is_that_of_the_letter_as_it_was_shown(choice: str, tmp_path: Path) -> None:
    """In whatever order the options stood: what is marked is what the model wrote."""
    record(tmp_path / "run", load_choice(tmp_path, names=("one",), choice=choice), lambda call: ended(call, "Both C and A fit"))
    own = ["choice.extraction=patterns", "choice.patterns=['Both ([A-D])']"]

    trial = rescoring.try_rescore(tmp_path / "run", Workspace(tmp_path), own)

    assert trial.changes and {c.place for c in trial.changes} == {(5, 6)}


def test_a_rule_that_asks_other_calls_is_compared_with_the_scores_on_file(tmp_path: Path) -> None:
    """Exact in place of a scorer: each answer's former score is the one in results.jsonl, and what it comes to is told."""
    path = shutil.copytree(GOLDEN_PANEL, tmp_path / "run")
    lines = [json.loads(line) for line in (path / "results.jsonl").read_text().splitlines()]
    on_file = {
        (line["item_id"], score["stage"], score["model"], score["call_index"]): score["value"]
        for line in lines
        for score in line["scores"]
    }

    tried = rescoring.try_rescore(path, Workspace(tmp_path), ["panel.benchmark.mode=exact"])
    _, _, out = rescoring.rescore(path, Workspace(tmp_path), ["panel.benchmark.mode=exact"])
    kept = list(csv.DictReader((out / "changes.csv").read_text().splitlines()))

    assert kept and len(kept) == len(tried.changes) and tried.compared == len(on_file)
    for row in kept:
        value = on_file[row["item_id"], row["stage"], row["model"], int(row["call_index"])]
        assert row["value_before"] == ("" if value is None else f"{value:g}"), row


def test_scores_that_are_new_or_gone_are_counted(tmp_path: Path) -> None:
    """Where a scorer was never asked and exact matching scores in its place, and the other way round, no sum compares: how
    many scores there are more or fewer is told."""
    benchmarks = ('mode = "exact"', 'mode = "llm"\nscorer = { model = "scorer" }')
    exact, judged = (
        load_panel(tmp_path, panel='truths = ["1", "2"]', **{**STAGES, "rest": f"[panel.benchmark]\n{how}\n"})
        for how in benchmarks
    )
    record(tmp_path / "run", judged, lambda call: unsent(call, "stopped") if call.stage == "scorer" else ended(call, "1"))

    told = []
    for name, before, after in (("new", judged, exact), ("gone", exact, judged)):
        (tmp_path / name).mkdir()
        outcome = derive(tmp_path / "run", after.evaluation, Inside(tmp_path / name), before.evaluation)
        told.append(result_text(tmp_path / name, after, outcome))

    assert "8 scores are new: none had a value before (one 6, two 2)" in told[0]
    assert "8 scores are gone: none has a value now (one 6, two 2)" in told[1]
    assert not any("sum of scores" in text for text in told)


def test_a_question_without_a_document_is_named_by_its_text(tmp_path: Path) -> None:
    """Where questions are about no document, the list says which question it is, and no id of ours."""
    rest = f'{STAGES["rest"]}\n[panel.benchmark]\nmode = "exact"\n'
    loaded = load_panel(tmp_path, panel='truths = ["1", "2"]', **{**STAGES, "rest": rest})
    record(tmp_path / "run", loaded, lambda call: Reply(call, "ok", text=" 1\n"))

    trial = rescoring.try_rescore(tmp_path / "run", Workspace(tmp_path), ["panel.benchmark.strip_whitespace=false"])

    questions = {sample.question for sample in loaded.evaluation.samples()}
    assert trial.changes and {one.question_id for one in trial.changes} <= questions
    assert NO_DOCUMENT not in json.dumps(preview_json(trial)) + preview_text(trial)
    assert any(question in preview_text(trial) for question in questions)
