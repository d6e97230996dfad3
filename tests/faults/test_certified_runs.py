"""Certificates through the command line: marked by the product's draw, certified, listed, used by later runs, void."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from rated_runs import rate, rows_of
from soaking import quick_first_rows

from tui_eval.cli.command_line import main
from tui_eval.core.kinds import Metric
from tui_eval.reporting.certifying import certify
from tui_eval.results.annotation_sample import AnnotationSample, JudgedAnswer, JudgedAnswers
from tui_eval.results.certificate_files import COPIES, MOST_BYTES, MOST_COPIES
from tui_eval.results.rating_progress import interval_of
from tui_eval.results.stored_run import StoredRun
from tui_eval.runs.person_marks import person_marks
from tui_eval.workspace.places import Workspace

CORRECT = Metric("correct", threshold=1.0)
QUESTIONS = 60
KNOWN = "sim-scholar"
OTHER = "Compare. Question: {question} Truth: {truth} Answer: {answer}"


def written(folder: Path, **changed: Any) -> Path:
    """A panel: two models that answer, one of which is often wrong, and a scorer that errs. `changed`: parts of the config."""
    questions = [f"What is number {n} of the ledger?" for n in range(QUESTIONS)]
    truths = [f"ledger number {n}{changed.get('truths', '')}" for n in range(QUESTIONS)]
    (folder / "datasets").mkdir(exist_ok=True)
    (folder / "datasets" / "ledger.txt").write_text("\n".join(questions) + "\n")
    (folder / "datasets" / "truths.txt").write_text("\n".join(truths) + "\n")
    judge = {"model": "sim-sprinter", **changed.get("judge", {})}
    keys = "".join(f"{key} = {json.dumps(value)}\n" for key, value in judge.items())
    doers = changed.get("doers", (KNOWN, "sim-contrarian"))
    models = "".join(f'[[models]]\nname = "{name[4:]}"\nwire = "simulator"\nmodel = "{name}"\n' for name in doers)
    named, panel = changed.get("named", "clerk"), changed.get("panel", "")
    rows = "".join(f'[[panel.doers]]\nmodel = "{name[4:]}"\n' for name in doers)
    (folder / "panel.toml").write_text(
        f'kind = "panel"\nname = "ledger"\n[run]\nmax_calls = 500\nmax_concurrency = 150\n{changed.get("run", "")}'
        f'{models}[[models]]\nname = "{named}"\nwire = "simulator"\n{keys}'
        f'[panel]\nquestions_file = "datasets/ledger.txt"\ntruths_file = "datasets/truths.txt"\n{panel}{rows}'
        f'[panel.benchmark]\nmode = "llm"\nscorer = {{ model = "{named}"{changed.get("scorer", "")} }}\n'
    )
    return folder / "panel.toml"


def ran(folder: Path, name: str, **changed: Any) -> Path:
    """Such a config, run by the command line."""
    assert main(["run", str(written(folder, **changed)), "--workspace", str(folder), "--out", str(folder / name), "-q"]) == 0
    return folder / name


def person(one: JudgedAnswer, _: str) -> int:
    """A person whom the judge agrees with of nine answers in ten."""
    assert one.judge is not None
    errs = sha256(str(one.place).encode()).digest()[0] < 26
    return int(one.judge != errs)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a run that a person rated, re-scored, and the certificate made of it."""
    folder = tmp_path_factory.mktemp("certified")
    run = ran(folder, "run")
    rate(run, CORRECT, person, 110)
    assert main(["rescore", str(run), "--workspace", str(folder), "-q"]) == 0
    assert main(["judge", "certify", str(run), "--workspace", str(folder)]) == 0
    return folder


def copied(certified: Path, tmp_path: Path) -> Path:
    """A workspace of its own with that certificate."""
    shutil.copytree(certified / "certificates", tmp_path / "certificates")
    return tmp_path


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """What a command ends with, and its output on one line."""
    capsys.readouterr()
    code = main(words)
    return code, " ".join(capsys.readouterr().out.split())


def test_a_marked_run_is_certified_and_listed(certified: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines say what the certificate rests on; the file holds it; made again it replaces itself; the list says that the
    judge is in no models.toml, so that runs compare it."""
    where = ["--workspace", str(certified)]
    code, out = said(["judge", "certify", str(certified / "run"), *where], capsys)
    (file,) = (certified / "certificates").iterdir()
    held = json.loads(file.read_text())

    date = held["made"]["at"][:10]
    assert code == 0 and f"correct by clerk: certificate of {date}, no label changed since, " in out
    assert f"certificates/{file.name} (simulated)" in out
    assert "by 1 person (kim 110)" in out and "made on answers of scholar, contrarian; void when" in out
    assert held["made"]["persons"] == ["kim"] and held["made"]["simulated"] is True
    assert held["figures"]["n_yes"] >= 20 <= held["figures"]["n_no"] and 0.6 < held["figures"]["sensitivity"] <= 1
    code, out = said(["judge", "list", *where], capsys)
    assert code == 0 and "correct clerk scholar, contrarian (simulated)" in out and "uses it: the judge is in no" in out
    entries = json.loads(said(["judge", "list", "--json", *where], capsys)[1])["certificates"]
    assert [entry["certificate"]["figures"] for entry in entries] == [held["figures"]]
    for words, what in ((["--metric", "claims"], "judged: correct"), (["--judge", "x"], "its judges: clerk")):
        assert main(["judge", "certify", str(certified / "run"), *words, *where]) == 2
        assert what in capsys.readouterr().err


def test_the_width_beside_the_marks_is_that_of_the_certificate(certified: Path) -> None:
    """The person sees the interval that certifying prints."""
    run = certified / "run"
    (outcome,) = certify(run, Workspace(certified))
    judged = JudgedAnswers(stored := StoredRun(run / "results.jsonl"), CORRECT.name)
    while not judged.complete:
        if not stored.advance(1.0):
            judged.advance(1.0)
    ends = interval_of(AnnotationSample(judged.answers, CORRECT, 0), person_marks(run), CORRECT)

    assert outcome.corrected is not None and ends == pytest.approx((outcome.corrected.low, outcome.corrected.high))


def test_the_list_compares_with_what_the_workspace_has(
    certified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Valid where judge, prompts and set are as they were; void, with the part, where one differs; not compared without it."""
    folder = copied(certified, tmp_path)
    shutil.copytree(certified / "datasets", folder / "datasets")
    (folder / ".conf").mkdir()
    models = folder / ".conf" / "models.toml"

    def state() -> tuple[str, str]:
        (entry,) = json.loads(said(["judge", "list", "--json", "--workspace", str(folder)], capsys)[1])["certificates"]
        return entry["state"], entry["why"]

    models.write_text('[[models]]\nname = "clerk"\nwire = "simulator"\nmodel = "sim-sprinter"\n')
    assert state() == ("valid", "")
    models.write_text('[[models]]\nname = "clerk"\nwire = "simulator"\nmodel = "sim-scholar"\n')
    assert state() == ("void", "the judge changed (model)")
    models.write_text('[[models]]\nname = "clerk"\nwire = "simulator"\nmodel = "sim-sprinter"\n')
    (folder / "prompts" / "panel").mkdir(parents=True)
    (folder / "prompts" / "panel" / "scorer_user.md").write_text(OTHER)
    assert state() == ("void", "the prompt changed (scorer_user.md)")
    shutil.rmtree(folder / "prompts")
    (folder / "datasets" / "ledger.txt").write_text("Another question?\n")
    assert state() == ("void", "the data set changed")
    (folder / "datasets" / "ledger.txt").unlink()
    assert state()[0] == "not compared" and "the data set is not in datasets/" in state()[1]


def test_what_stands_in_the_way_is_named(certified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in place of the folder, a link out of the workspace: nothing is written. A pipe or a huge file in place of the
    run's copies costs it the certificates and nothing else."""
    run = tmp_path / "run"
    shutil.copytree(certified / "run", run)
    where = ["--workspace", str(tmp_path)]
    (tmp_path / "certificates").write_text("")
    assert main(["judge", "certify", str(run), *where]) == 2
    assert "move away what stands there" in capsys.readouterr().err
    (tmp_path / "certificates").unlink()
    outside = tmp_path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (tmp_path / "certificates").symlink_to(outside)
    main(["judge", "certify", str(run), *where])
    assert list(outside.iterdir()) == []
    (tmp_path / "certificates").unlink()
    for is_pipe in (True, False):
        (run / COPIES).unlink(missing_ok=True)
        if is_pipe:
            os.mkfifo(run / COPIES)
        else:
            (run / COPIES).write_bytes(b" " * (MOST_BYTES * (MOST_COPIES + 1)))
        assert main(["rescore", str(run), *where, "-q"]) == 0
        assert "certificates of judges are left out" in (run / "run.log").read_text()
        assert rows_of(run, "person_checks")
        (run / "run.log").unlink()


def test_the_run_itself_has_tables_of_persons(certified: Path) -> None:
    """A panel has them as a chat has: agreement, the corrected mean by its own marks."""
    every, *models = rows_of(certified / "run", "person_checks")

    assert (every["metric"], every["model"], every["n_persons"], every["n_used"]) == ("correct", "", 1, 110)
    assert [row["model"] for row in models] == ["scholar", "contrarian"]
    assert every["corrected_low"] <= every["corrected"] <= every["corrected_high"]
    assert every["judge_mean"] == pytest.approx(sum(row["judge_mean"] for row in models) / 2, abs=1e-6)
    rates = {row["model"]: row["accuracy"] for row in rows_of(certified / "run", "accuracy")}
    assert {row["model"]: row["judge_mean"] for row in models} == pytest.approx(rates, abs=1e-6)


def test_a_later_run_prints_rate_and_corrected_rate(
    certified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same judge, by the certificate's date; of a model that it was not made on it says so; price, limits of time and
    the judge's name in the config void nothing."""
    folder = copied(certified, tmp_path)
    run = ran(folder, "later", doers=(KNOWN, "sim-rambler"), named="other", run="timeout_s = 99.0\nseed = 5\n")
    capsys.readouterr()
    assert main(["rescore", str(run), "--workspace", str(folder)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    rows = rows_of(run, "judge_certificates")

    assert json.loads((run / COPIES).read_text())["certificates"][0]["state"] == "valid"
    assert [(row["model"], row["state"]) for row in rows] == [("scholar", "valid"), ("rambler", "valid")]
    assert all(row["low"] <= row["corrected_rate"] <= row["high"] for row in rows)
    day = rows[0]["made_at"][:10]
    assert f"correct by clerk, scholar: rate {100 * rows[0]['rate']:.0f} %" in out
    assert f"by the certificate of {day} (simulated) (sensitivity" in out
    assert "correct by clerk: rambler is none of the models that it was made on" in out


@pytest.mark.parametrize(
    ("changed", "why"),
    quick_first_rows(
        [
            ({"judge": {"model": "sim-scholar"}}, "the judge changed (model)"),
            ({"scorer": ", temperature = 0.5"}, "the judge changed (temperature)"),
            (
                {"panel": "prompts = { scorer_user = 'Q {question}\\nT {truth}\\nA {answer}' }\n"},
                "the prompt changed (scorer_user.md)",
            ),
            ({"truths": " of old"}, "the data set changed"),
        ]
    ),
)
def test_what_changed_voids_it_and_is_named(
    certified: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], why: str
) -> None:
    """No corrected rate stands then, and the sentence says which part differs; another certificate may be made."""
    folder = copied(certified, tmp_path)
    run = ran(folder, "later", doers=(KNOWN,), **changed)

    (row,) = rows_of(run, "judge_certificates")
    assert (row["state"], row["why"], row["corrected_rate"], row["low"]) == ("void", why, None, None)
    out = " ".join(capsys.readouterr().out.split())
    assert f"correct by clerk: the certificate of {row['made_at'][:10]} is void: {why}." in out
