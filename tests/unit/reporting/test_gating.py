"""Laws of gates over runs: who is held against what, what is missing, what another run says, and what a config must say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from choices import ENTRIES, HOSTILE, answered, config_text, ended, entry, imported, load_choice, question_of, record, refused

from tui_eval.cli.plan_text import plan_text
from tui_eval.cli.summary import gates_line, gates_text
from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.core.plaintext import visible
from tui_eval.reporting import rescoring
from tui_eval.results.sums.gates import drop_words
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.results.verdicts import gate_code, summed_up, verdicts_of
from tui_eval.tui.screens.result.summary import gate_lines
from tui_eval.workspace.places import Workspace

Table = dict[str, Any]
RIGHT = "ABCD"
"""The right letters of the questions, in order."""


def config(gate: str, names: tuple[str, ...] = ("one", "two"), **parts: str) -> str:
    """A small exam with these lines in [gate]."""
    return config_text(names, **parts) + (f"\n[gate]\n{gate}\n" if gate else "")


def answers(said: Mapping[str, str]) -> Any:
    """Each model's letters, one a question: `!` fails, `?` is no letter, `.` is refused."""
    ends = {"!": "!timeout", "?": "I cannot say.", ".": "!refused"}

    def answer(call: Call) -> Reply:
        letter = said[call.model][int(question_of(call)[1:]) - 1]
        return ended(call, ends.get(letter, f"Answer: {letter}"))

    return answer


def run(folder: Path, gate: str, name: str = "this", **said: str) -> Path:
    """A run folder of these answers."""
    loaded: Loaded = load_choice(folder, names=tuple(said), text=config(gate, tuple(said)))
    record(folder / "runs" / name, loaded, answers(said))
    return folder / "runs" / name


def gates(path: Path) -> list[Table]:
    """The gates of its report."""
    found: list[Table] = json.loads((path / "report.json").read_bytes()).get("gates", [])
    return found


def verdicts(path: Path) -> dict[tuple[str, str], str]:
    """By gate and model."""
    return {(gate["name"], gate["model"]): gate["verdict"] for gate in gates(path)}


def test_a_config_without_gates_has_none(tmp_path: Path) -> None:
    """Its report says nothing of gates, and neither does its config."""
    path = run(tmp_path, "", one="ABCD", two="AAAA")

    assert "gates" not in json.loads((path / "report.json").read_bytes())
    assert "gate" not in (path / "config.toml").read_text()


def test_every_model_is_held_and_one_may_have_its_own(tmp_path: Path) -> None:
    """A threshold is for each model that answers; one for a model takes its place for that model alone."""
    path = run(
        tmp_path, 'correct = ">= 75 %"\nmodels = { three = { correct = ">= 0.25" } }', one="ABCA", two="ABAA", three="AAAA"
    )

    assert verdicts(path) == {("correct", "one"): "PASS", ("correct", "two"): "FAIL", ("correct", "three"): "PASS"}
    assert [(gate["value"], gate["n"], gate["wanted"]) for gate in gates(path)] == [
        (0.75, 4, ">= 75 %"),
        (0.5, 4, ">= 75 %"),
        (0.25, 4, ">= 25 %"),
    ]


def test_missing_answers_are_no_wrong_ones(tmp_path: Path) -> None:
    """A mean rests on what has a score, and says what has none; without any score nothing passes. A refusal is a reply."""
    path = run(tmp_path, 'correct = ">= 0.5"\nmax_missing = 0.3', one="AB!!", two="!!!!", three="AB..")

    assert verdicts(path) == {
        ("correct", "one"): "PASS", ("correct", "two"): "INCONCLUSIVE", ("correct", "three"): "PASS",
        ("max_missing", "one"): "FAIL", ("max_missing", "two"): "FAIL", ("max_missing", "three"): "PASS",
    }  # fmt: skip
    assert [(gate["n"], gate["missing"]) for gate in gates(path)[:3]] == [(2, 2), (0, 4), (4, 0)]


def test_an_interval_across_the_threshold_says_what_is_missing(tmp_path: Path) -> None:
    """bound = "low": four right of four may be chance; it says how many more would tell, and counts as config says."""
    strict = run(tmp_path, 'correct = ">= 0.6"\nbound = "low"', "strict", one=RIGHT)
    lenient = run(tmp_path, 'correct = ">= 0.6"\nbound = "low"\ninconclusive = "pass"', "lenient", one=RIGHT)

    (gate,), (same,) = gates(strict), gates(lenient)
    few, many = gate["needed"]
    assert gate["verdict"] == same["verdict"] == "INCONCLUSIVE" and f"about {few} to {many} more questions" in gate["text"]
    assert (gate["passed"], same["passed"]) == (False, True)
    reports = [json.loads((path / "report.json").read_bytes()) for path in (strict, lenient)]
    assert [gate_code(report) for report in reports] == [1, 0]
    assert [summed_up(verdicts_of(report)).split(", ")[1] for report in reports] == ["counted as failed", "counted as passed"]


def test_no_critical_question_may_be_wrong_or_missing(tmp_path: Path) -> None:
    """Of each model; an item that is one model's concerns no other."""
    path = run(tmp_path, 'critical = ["q1", "q2"]', one="ABAA", two="AA!D", three="!BCD")
    alone = run(tmp_path, 'critical = ["one/q3"]', "alone", one="ABCA", two="ABAD")

    assert verdicts(path) == {("critical", "one"): "PASS", ("critical", "two"): "FAIL", ("critical", "three"): "INCONCLUSIVE"}
    assert [gate["text"] for gate in gates(path)] == ["", "q2", "no score of q1"]
    assert [(gate["verdict"], gate["n"]) for gate in gates(alone)] == [("PASS", 1)]


def test_what_was_left_out_is_not_told(tmp_path: Path) -> None:
    """A critical question that --only leaves out is missing; a model that --models leaves out need hold nothing."""
    text = config('critical = ["q1", "q2"]\nmodels = { two = { correct = ">= 0.5" } }')
    loaded = load_choice(tmp_path, text=text, only=["q1"], models=["one"])
    record(tmp_path / "runs" / "part", loaded, answers({"one": RIGHT}))

    assert verdicts(tmp_path / "runs" / "part") == {("critical", "one"): "INCONCLUSIVE"}
    again, _, _ = rescoring.rescore(tmp_path / "runs" / "part", Workspace(tmp_path))
    assert again.report["gates"] == gates(tmp_path / "runs" / "part")


def test_gates_of_models_that_were_left_out_leave_none_behind(tmp_path: Path) -> None:
    """Where nothing else is demanded, the run has no gates, and its own config opens again."""
    loaded = load_choice(tmp_path, text=config('bound = "low"\nmodels = { two = { correct = ">= 0.5" } }'), models=["one"])
    record(tmp_path / "runs" / "part", loaded, answers({"one": RIGHT}))

    assert "gates" not in rescoring.rescore(tmp_path / "runs" / "part", Workspace(tmp_path))[0].report


def test_repeats_are_one_mean(tmp_path: Path) -> None:
    """n counts questions; a critical question is wrong where any of its answers is."""
    text = config('correct = ">= 0.5"\ncritical = ["q1"]', ("one",), run="repeat = 3")
    loaded = load_choice(tmp_path, names=("one",), text=text)
    wrong_once = answers({"one": RIGHT})

    def answer(call: Call) -> Reply:
        return ended(call, "Answer: D") if call.item_id.endswith("q1#2") else wrong_once(call)

    record(tmp_path / "runs" / "thrice", loaded, answer)

    mean, critical = gates(tmp_path / "runs" / "thrice")
    assert (mean["n"], mean["value"]) == (4, pytest.approx(11 / 12)) and critical["verdict"] == "FAIL"


# ------------------------------------------------------------------------------------------------------------ another run

MANY = [entry(f"q{n}", n % 4) for n in range(1, 41)]
KEY = "".join("ABCD"[n % 4] for n in range(1, 41))


def worse(by: int) -> str:
    """Answers to the forty questions, so many of them wrong."""
    return "".join("ABCD"[("ABCD".index(letter) + 1) % 4] for letter in KEY[:by]) + KEY[by:]


@pytest.fixture
def forty(tmp_path: Path) -> Path:
    """A workspace whose exam has forty questions, and an earlier run: one has 38 right, two has 20."""
    (tmp_path / "bench.json").write_text(json.dumps(MANY))
    run(tmp_path, "", "earlier", one=worse(2), two=worse(20))
    return tmp_path


def test_not_worse_than_another_run(forty: Path) -> None:
    """Each model is held against itself there, on common questions: what is shown to be worse by more than the margin fails."""
    path = run(forty, 'against = "earlier"\nat_most_worse = 0.06\n', one=worse(4), two=worse(37))

    assert verdicts(path) == {("against", "one"): "PASS", ("against", "two"): "FAIL"}
    one, two = gates(path)
    assert (one["n"], one["value"], one["threshold"]) == (40, pytest.approx(-0.05), -0.06)
    assert one["wanted"] == "not shown worse by > 6 points" and one["low"] < -0.06 < one["high"]
    assert f"would have caught a drop of {drop_words(one['caught'], RIGHT_OR_WRONG)} or more, 4 times in 5" in one["text"]
    assert two["p"] < 0.05 and two["caught"] is None and "shown to be worse by more than 6 points" in two["text"]


def test_the_strict_form_wants_proof(forty: Path) -> None:
    """One more question lost of forty does not show that a model is no worse; it says how many more would, and fails."""
    strict = 'against = "earlier"\nagainst_rule = "shown_not_worse"\nat_most_worse = 0.05'
    path = run(forty, strict, one=worse(3), two=worse(20))

    one, two = gates(path)
    assert (one["verdict"], one["passed"]) == ("INCONCLUSIVE", False) and "more questions" in one["text"]
    assert two["verdict"] == "PASS" and "the same scores on all of 40 questions" in two["text"]


@pytest.mark.parametrize("rule", ["not_shown_worse", "shown_not_worse"])
def test_the_same_run_again_is_no_worse(forty: Path, rule: str) -> None:
    """Without a margin, by both rules and whatever bound thresholds have; it says what it would have caught."""
    path = run(forty, f'against = "earlier"\nbound = "low"\nagainst_rule = "{rule}"', one=worse(2), two=worse(20))

    assert verdicts(path) == {("against", "one"): "PASS", ("against", "two"): "PASS"}
    assert "would have caught a drop of 17 points or more, 4 times in 5" in gates(path)[0]["text"]
    assert gate_code(json.loads((path / "report.json").read_bytes())) == 0


def test_answers_that_are_lost_are_a_gate_of_their_own(forty: Path) -> None:
    """A model that answers less is worse, though what it answers is right; what was missing before is no loss."""
    path = run(forty, 'against = "earlier"', one=worse(2)[:30] + "!" * 10, two="!" + worse(20)[1:])

    assert verdicts(path) == {
        ("against", "one"): "INCONCLUSIVE", ("against_missing", "one"): "FAIL",
        ("against", "two"): "PASS", ("against_missing", "two"): "PASS",
    }  # fmt: skip
    assert [gate["found"] for gate in gates(path) if gate["name"] == "against_missing"] == [
        "10 of 40 without a score now", "1 of 40 without a score now",
    ]  # fmt: skip
    again = run(forty, f'against = "{path}"', "again", one=worse(2), two=worse(20))
    assert {name for name, _ in verdicts(again)} == {"against"}


def test_too_few_common_questions_fail_no_build_by_themselves(forty: Path) -> None:
    """Less than 80 % of the baseline's: inconclusive, and passed unless the config says otherwise; a threshold's is failed."""
    (forty / "bench.json").write_text(json.dumps(MANY[:30]))
    text = 'against = "earlier"\ncorrect = ">= 0.9"\nbound = "low"'
    paths = [run(forty, text + more, name, one=worse(1)[:30]) for name, more in (("said", ""), ("pass", ""), ("fail", ""))]
    for path, setting in zip(paths[1:], ("pass", "fail"), strict=True):
        rescoring.rescore(path, Workspace(forty), [f"gate.inconclusive={setting}"])
    found = [gates(paths[0]), *(gates(next((path / "rescored").iterdir())) for path in paths[1:])]

    assert {(gate["name"], gate["verdict"]) for table in found for gate in table} == {
        ("correct", "INCONCLUSIVE"), ("against", "INCONCLUSIVE"),
    }  # fmt: skip
    assert [{gate["name"]: gate["passed"] for gate in table} for table in found] == [
        {"correct": False, "against": True}, {"correct": True, "against": True}, {"correct": False, "against": False},
    ]  # fmt: skip
    assert summed_up(verdicts_of({"gates": found[0]})).endswith("2 inconclusive, 1 of them counted as failed")
    assert "only 30 of 40 questions with a score there have one here, too" in found[0][1]["text"]


def test_a_model_of_another_name_is_found_and_said(forty: Path) -> None:
    """By its id, where one has it; else the only one there is; else there is none to be held against."""
    alone = run(forty, "", "alone", old=worse(1))
    ids = run(forty, f'against = "{alone}"', "ids", new=worse(1))
    nobody = run(forty, 'against = "earlier"', "nobody", new=worse(1))
    log = alone / "call_logs.jsonl"
    log.write_text(log.read_text().replace("sim-scholar", "sim-other"))
    only = run(forty, f'against = "{alone}"', "only", new=worse(1))
    there = run(forty, f'against = "{alone}"', "there", old=worse(1))

    assert "there it is called old" in gates(ids)[0]["text"] and gates(ids)[0]["verdict"] == "PASS"
    assert "held against old, the only one there" in gates(only)[0]["text"]
    assert "there it is sim-other" in gates(there)[0]["text"]
    assert verdicts(nobody) == {("against", "new"): "INCONCLUSIVE"}


def test_other_questions_are_no_evidence(forty: Path) -> None:
    """Without a common question nothing is told, however good both are."""
    (forty / "bench.json").write_text(json.dumps([{**each, "question": f"Another {each['id']}?"} for each in MANY]))

    path = run(forty, 'against = "earlier"', one=KEY)

    assert verdicts(path) == {("against", "one"): "INCONCLUSIVE"} and "only 0 of 40 questions" in gates(path)[0]["text"]


def test_a_run_that_is_not_simulated_is_told_apart(forty: Path) -> None:
    """Where one of the two was made up, that is said beside the verdict."""
    log = forty / "runs" / "earlier" / "call_logs.jsonl"
    log.write_text(log.read_text().replace('"simulated": true', '"simulated": false'))

    path = run(forty, 'against = "earlier"', one=worse(2))

    assert "this one is simulated, the other is not" in gates(path)[0]["text"]


def test_a_frozen_baseline_lies_beside_the_config_and_is_found_again(forty: Path) -> None:
    """A folder as seen from the config: from inside the run it is found as well; once it is gone, a re-score says so."""
    shutil.copytree(forty / "runs" / "earlier", forty / "baselines" / "june")
    path = run(forty, 'against = "baselines/june"', one=worse(2))
    first = gates(path)
    again = rescoring.rescore(path, Workspace(forty))[0].report["gates"]
    shutil.rmtree(forty / "baselines")
    gone = rescoring.rescore(path, Workspace(forty))[0].report["gates"]

    assert first == again and first[0]["verdict"] == "PASS"
    assert gone[0]["verdict"] == "INCONCLUSIVE" and "gone" in gone[0]["text"]


# ------------------------------------------------------------------------------------------------- re-scored, written, shown


def test_other_gates_are_tried_on_what_was_answered(tmp_path: Path) -> None:
    """Changed by --set at a re-score, beside the run's own reports: nothing asked is another, and the run stays as it is."""
    path = run(tmp_path, 'correct = ">= 0.5"', one="ABCA")
    before = (path / "report.json").read_bytes()

    outcome, loaded, out = rescoring.rescore(path, Workspace(tmp_path), ["gate.correct=>= 0.9"])

    assert out != path and outcome.report["gates"][0]["verdict"] == "FAIL" and (path / "report.json").read_bytes() == before
    assert gates(out) == outcome.report["gates"] and loaded.evaluation.gates is not None


def test_a_rule_that_reads_otherwise_is_what_is_held(tmp_path: Path) -> None:
    """Re-scored by another rule, the gates judge the scores of that rule."""
    text = config('correct = ">= 0.5"', ("one",))
    loaded = load_choice(tmp_path, names=("one",), text=text)
    record(tmp_path / "runs" / "one", loaded, answers({"one": RIGHT}))

    own = gates(tmp_path / "runs" / "one")
    other = rescoring.rescore(tmp_path / "runs" / "one", Workspace(tmp_path), ["choice.extraction=formationeval-v0.1"])[0]

    assert (own[0]["value"], own[0]["verdict"]) == (1, "PASS")
    assert (other.report["gates"][0]["value"], other.report["gates"][0]["verdict"]) == (0.25, "FAIL")


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.strip()])
def test_a_hostile_name_stays_a_name(tmp_path: Path, name: str) -> None:
    """In the table, in the sentence and on the screen: one line a gate, no control, whatever a model is called."""
    said = {"name": "correct", "metric": "correct", "stage": "answer", "model": name, "verdict": "FAIL", "passed": False}
    report: Any = {
        "items": {"unfinished": 0},
        "gates": [{**said, "found": "1 %", "wanted": ">= 2 %", "n": 3, "text": f"there it is {name}"}],
    }

    text, line = visible(gates_text(report)), visible(gates_line(report))
    shown = [words for words, _ in gate_lines(verdicts_of(report))]

    assert "\n" not in line and not any(ord(sign) < 32 and sign != "\n" for sign in text + line)
    assert text.split("\n")[3] == "" and text.endswith("gates of answer: 1 failed")
    assert all("\n" not in words and "\x1b" not in words for words in shown) and shown[1].startswith("FAIL correct of")


@pytest.mark.parametrize("found", [None, 3, {}, [3, None], [{"verdict": "SURE"}], [{"verdict": ["PASS"]}], [{}]])
def test_what_is_no_verdict_in_a_report_is_left_out(found: Any) -> None:
    """A report of another hand brings no gates, no error and no exit code."""
    assert (verdicts_of({"gates": found}), gate_code({"gates": found})) == ([], 0)


def test_imported_answers_are_held_and_nobody_knows_what_they_cost(tmp_path: Path) -> None:
    """Answers made elsewhere have gates like any others; what is not known to have cost little does not pass."""
    path = imported(tmp_path, "there", answered("one", "ABC_"), settings=["gate.correct=>= 0.9", "gate.max_cost_usd=1"])

    assert verdicts(path) == {("correct", "one"): "PASS", ("max_cost_usd", ""): "INCONCLUSIVE"}
    assert (gates(path)[0]["n"], gates(path)[0]["missing"], gates(path)[1]["missing"]) == (3, 1, 3)


# ----------------------------------------------------------------------------------------------------------- what is refused

WRONG: list[tuple[str, list[str]]] = [
    ('corect = ">= 0.8"', ["choice.toml:", "gate.corect: unknown key", "did you mean 'correct'"]),
    ("correct = 0.8", ["gate.correct: must be a sign and a number", "'0.8'"]),
    ('correct = "0.8"', ["gate.correct: must be a sign and a number"]),
    ('correct = ">= 80"', ["gate.correct: 80 is off its scale, 0 to 1"]),
    ("max_missin = 0.1", ["gate.max_missin: unknown key; did you mean 'max_missing'"]),
    ("max_missing = 5", ["gate.max_missing: must be less than or equal to 1"]),
    ('bound = "lower"\ncorrect = "> 0"', ["gate.bound: must be 'value', 'low' or 'high'"]),
    ('bound = "low"', ["gate: demands nothing yet"]),
    ('correct = "> 0"\nat_most_worse = 0.1', ["gate.at_most_worse: needs gate.against, the run to compare with"]),
    ('against = "there"\nat_most_worse = 1', ["gate.at_most_worse: 1 is the whole scale of correct, 0 to 1"]),
    ('against = "there"\nagainst_rule = "strict"', ["gate.against_rule: must be 'not_shown_worse' or 'shown_not_worse'"]),
    ('critical = ["q1", "q9"]', ["gate.critical: no question, item or document 'q9'; known are q1, q2"]),
    ('correct = "> 0"\nstage = "finals"', ["gate.stage: no model is asked in a stage 'finals'"]),
    ('models = { ones = { correct = "> 0" } }', ["gate.models.ones: no model of that name", "did you mean 'one'"]),
    ('models = { one = { corect = "> 0" } }', ["gate.models.one.corect: unknown key"]),
    ('models = { one = { correct = ">" } }', ["gate.models.one.correct: must be a sign"]),
    ('against = "nowhere"', ["gate.against: 'nowhere' is neither a run folder nor the id of a run"]),
    ('against = "\\u0000"', ["gate.against", "neither a run folder"]),
]


@pytest.mark.parametrize(("gate", "said"), WRONG, ids=[gate for gate, _ in WRONG])
def test_a_gate_that_cannot_be_judged_is_refused_before_anything_is_sent(tmp_path: Path, gate: str, said: list[str]) -> None:
    """File, line, key and the next step."""
    told = refused(tmp_path, text=config(gate))

    assert all(words in told for words in said), told


def dry_run(folder: Path, gate: str, n: int = 200) -> tuple[list[str], list[str]]:
    """What the dry run says of these gates, and of which there are warnings."""
    (folder / "bench.json").write_text(json.dumps([entry(f"q{n}", n % 4) for n in range(1, n + 1)]))
    loaded = load_choice(folder, text=config(gate))
    lines = [line for line in plan_text(loaded).split("\n") if line.startswith(("gate", "warning"))]
    return lines, [warning for warning in loaded.warnings if "gate" in warning]


def test_the_dry_run_says_what_a_gate_lets_through(forty: Path) -> None:
    """One line for the baseline and one for thresholds by value; warnings where an unchanged model would often fail."""
    against, value = 'against = "earlier"', 'correct = ">= 50 %"'
    usual, strict, near = (dry_run(forty, text) for text in (against, f'{against}\nagainst_rule = "shown_not_worse"', value))
    near_baseline = dry_run(forty, f"{against}\n{value}")
    both = dry_run(forty, f'{against}\n{value}\nbound = "low"')

    said = "gate.against, by correct: at 200 questions this gate passes a model 5 points worse in about 63 of 100 builds"
    assert usual == ([f"{said} (p < 0.05 / 2), if 10 % of the questions change between two builds of one model"], [])
    assert strict[0] == [] and "an unchanged model would fail gate.against in about 100 of 100 builds" in strict[1][0]
    assert near[1] == [] and "a model that sits on its threshold fails it in half of builds" in near[0][0]
    assert near_baseline[0][-1].startswith("warning: an unchanged model would fail gate.correct of two (>= 50 %; 50.0 % there)")
    assert both[1] == ['gate.bound governs thresholds only; gate.against goes by against_rule = "not_shown_worse"']


def test_ids_that_there_are_are_listed_once(tmp_path: Path) -> None:
    """However many models are asked a question; what each of them is asked of it is told to who means such an item."""
    assert refused(tmp_path, text=config('critical = ["nix"]')).endswith("document 'nix'; known are q1, q2, q3, q4")
    assert refused(tmp_path, text=config('critical = ["ones/q3"]')).endswith("did you mean 'one/q3'?")


def test_a_run_of_another_kind_or_the_run_itself_is_refused(tmp_path: Path) -> None:
    """Neither can be compared with; the run itself is never worse."""
    path = run(tmp_path, 'correct = "> 0"', one=RIGHT)
    manifest = json.loads((path / "manifest.json").read_bytes())
    with pytest.raises(Exception, match="is this run itself"):
        rescoring.rescore(path, Workspace(tmp_path), ["gate.against=this"])
    (path / "manifest.json").write_text(json.dumps({**manifest, "kind": "panel"}))

    assert "a run of another kind, panel" in refused(tmp_path, text=config('against = "this"'))


def test_a_table_with_nothing_in_it_is_no_gate(tmp_path: Path) -> None:
    """A form from which the last key was taken leaves such a table behind."""
    assert load_choice(tmp_path, ENTRIES, text=config_text() + "\n[gate]\n").evaluation.gates is None
