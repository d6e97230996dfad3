"""Laws of the verb `bench`: scorers side by side on stored replies; nothing is sent, and no file of the run changes."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import record

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import load
from tui_eval.core.calls import Call, Reply
from tui_eval.reporting.bench_reading import read_bench
from tui_eval.runs.scorer_ratings import scorer_ratings
from tui_eval.workspace.places import Workspace

N = 24
MODELS = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("scholar", "sprinter")]
Capture = pytest.CaptureFixture[str]


def in_words(call: Call) -> Reply:
    """A sentence of one model, which holds every number; the bare answer of the other, wrong in one of four."""
    number = int("".join(sign for sign in call.messages[-1].content.partition("ship ")[2] if sign.isdigit()))
    every = " ".join(map(str, range(3, 3 + N)))
    text = f"Of {every} I would say {number}." if call.model == "scholar" else str(number + (number % 4 == 0))
    return Reply(call, "ok", text=text)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a stored run of a panel, graded letter by letter."""
    panel = {
        "questions": [f"How many masts has ship {n}?" for n in range(3, 3 + N)],
        "truths": [str(n) for n in range(3, 3 + N)],
        "doers": [{"model": "scholar"}, {"model": "sprinter"}],
        "benchmark": {"mode": "exact"},
    }
    config = {"kind": "panel", "name": "ships", "scorers": ["number", "f1"], "models": MODELS, "panel": panel}
    (tmp_path / "ships.toml").write_text(tomli_w.dumps(config))
    record(tmp_path / "ships", load(tmp_path / "ships.toml", Workspace(tmp_path)), in_words)
    return tmp_path


def bench(folder: Path, capsys: Capture, *words: str) -> str:
    """What `bench` prints of the run."""
    capsys.readouterr()
    assert main(["--workspace", str(folder), "bench", str(folder / "ships"), *words]) == 0
    return capsys.readouterr().out


def own_files(path: Path) -> dict[str, bytes]:
    """What stands in a run folder."""
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_scorers_stand_side_by_side(workspace: Path, capsys: Capture) -> None:
    """Those of the run first; `contains` accepts whatever holds all numbers, also for another question."""
    before = own_files(workspace / "ships")
    entry: dict[str, Any] = json.loads(bench(workspace, capsys, "--json"))
    scorers = {each["scorer"]: each for each in entry["scorers"]}

    assert own_files(workspace / "ships") == before
    assert [each["scorer"] for each in entry["scorers"]][:3] == ["correct", "number", "f1"]
    assert (entry["reference"], entry["n_replies"], entry["n_ratings"], entry["errors"]) == ("correct", 2 * N, 0, [])
    assert scorers["contains"]["shuffled"] == 0.5 and scorers["number"]["shuffled"] == 0
    assert scorers["number"]["accepts"] == pytest.approx((N + 18) / (2 * N)) and scorers["number"]["unparsed"] == 0
    assert scorers["correct"]["differs"] is not None and scorers["f1"]["accepts"] is None and scorers["f1"]["mean"] > 0
    assert scorers["correct"]["asks_model"] is None and scorers["number"]["asks_model"] is False
    assert entry["n_differ"] == N and "llm" in entry["left_out"]


def test_the_table_says_what_is_lenient_and_what_is_simulated(workspace: Path, capsys: Capture) -> None:
    """And that nobody has rated yet."""
    text = bench(workspace, capsys)
    assert f"{2 * N} replies of 2 models; scorers differ on {N} (50.0 %); differs: from `correct`" in text
    line = next(line for line in text.splitlines() if line.startswith("contains "))
    assert "50.0 % lenient" in line
    assert "No ratings yet" in text and "Left out: " in text


def rate(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, keys: str, *words: str) -> tuple[str, str]:
    """What `bench --rate` prints of the run to a person who presses these keys: its result, and what the person sees."""
    monkeypatch.setattr("sys.stdin", StringIO("\n".join(keys) + "\n"))
    capsys.readouterr()
    assert main(["--workspace", str(folder), "bench", str(folder / "ships"), *words]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def test_a_person_rates_blind(workspace: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Question, target and reply, no model, verdict or stratum; b takes back, and the file holds each with its stratum."""
    words = ("--rate", "4", "--person", "kim")
    out, seen = rate(workspace, capsys, monkeypatch, "ybxyn0y", *words)
    stored = [*scorer_ratings(workspace / "ships").values()]

    assert [rating.right for rating in stored] == [1, 0, None, 1] and {rating.person for rating in stored} == {"kim"}
    assert {(rating.stratum, rating.weight, rating.of) for rating in stored} == {("agree", 0.5, N), ("differ", 0.5, N)}
    assert "Question: " in seen and "Target: " in seen and "Reply: " in seen
    assert not [word for word in ("scholar", "sprinter", "contains", "agree", "differ") if word in seen]
    assert "Without 1 reply of which nobody could tell." in out and "number errs on" in out
    assert rate(workspace, capsys, monkeypatch, "q", *words)[1].count("Question: ") == 1


def test_ratings_say_which_scorer_is_wrong(workspace: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first person says what is true; a second one sees the same replies, and where both differ nothing counts."""
    read = read_bench(workspace / "ships", Workspace(workspace))
    keys = "".join(
        "yn"[read.answers[reply.place].targets[0] not in read.answers[reply.place].text.split()[-1]] for reply in read.order()
    )
    rate(workspace, capsys, monkeypatch, keys[:20], "--rate", "20", "--person", "kim")
    entry: dict[str, Any] = json.loads(bench(workspace, capsys, "--json"))
    errors = {each["scorer"]: each for each in entry["errors"]}
    assert entry["n_ratings"] == 20 and errors["number"]["error"]["value"] == 0 and not errors["number"]["found_wrong"]
    assert errors["correct"]["error"]["value"] > 0.2 and errors["correct"]["found_wrong"]
    assert [each["model"] for each in errors["number"]["by_model"]] == ["scholar", "sprinter"]
    assert entry["chosen"].startswith("number has the least error, chosen among ")
    rate(workspace, capsys, monkeypatch, "yn"[keys[0] == "y"], "--rate", "1", "--person", "ada")
    entry = json.loads(bench(workspace, capsys, "--json"))
    assert entry["n_ratings"] == 19 and entry["notes"] == ["Without 1 reply of which as many persons say right as wrong."]
    assert json.loads(bench(workspace, capsys, "--json", "--after", "15"))["n_ratings"] == 5


def test_a_run_without_targets_has_no_bench(tmp_path: Path, capsys: Capture) -> None:
    """The message says why."""
    config = {
        "kind": "call",
        "name": "hello",
        "models": MODELS,
        "call": {"model": "scholar", "messages": [{"role": "user", "content": "Hello."}]},
    }
    (tmp_path / "hello.toml").write_text(tomli_w.dumps(config))
    record(tmp_path / "hello", load(tmp_path / "hello.toml", Workspace(tmp_path)), lambda call: Reply(call, "ok", text="Hi."))

    assert main(["--workspace", str(tmp_path), "bench", str(tmp_path / "hello")]) == 2
    assert "call has no targets, so no scorer applies" in capsys.readouterr().err
