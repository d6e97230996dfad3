"""The verbs call and costs: one prompt with or without a file, side by side, kept or not; sums over folders."""

from __future__ import annotations

import io
import json
import sys
import tomllib
from pathlib import Path
from shutil import copytree

import pytest
from pdf_files import pdf_of

from tui_eval.cli.command_line import main
from tui_eval.reporting.single_call import reply_entry
from tui_eval.workspace.places import shipped

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
QUESTION = "Who keeps the harbour log of Skerrow?"
KEYS = ["file", "model", "input_tokens", "output_tokens", "latency_ms", "cost_usd", "timestamp"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace with a question, and a stream to ask on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.md").write_text(QUESTION)
    return tmp_path


@pytest.mark.soak
def test_the_command_of_its_help_works(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with what spec 000 wants and the reply; nothing is left behind."""
    assert main(["call", "sim-scholar", "--prompt", "examples/call/question.md", "--json"]) == 0
    said = capsys.readouterr()
    entry = json.loads(said.out)

    assert [*entry] == [*KEYS, "simulated", "output"] and entry["output"] == "The answer is Oda Finch."
    assert "simulated" in said.err and sorted(path.name for path in here.iterdir()) == ["q.md"]


@pytest.mark.soak
def test_a_run_folder_is_kept_where_it_is_wanted(here: Path) -> None:
    """It is a run like others; a second one does not go over it."""
    words = ["call", "sim-scholar", "--prompt", "q.md", "--out", "kept", "--output", "a.md", "--metadata", "m.json"]
    assert main(words) == 0
    assert main(words) == 2
    assert main(["-q", "rescore", "kept"]) == 0

    assert (here / "a.md").read_text() == "The answer is Oda Finch.\n"
    assert [*json.loads((here / "m.json").read_text())] == [*KEYS, "simulated"]
    assert len((here / "kept" / "call_logs.jsonl").read_text().splitlines()) == 1


@pytest.mark.soak
def test_several_models_answer_side_by_side_what_stands_on_standard_input(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(QUESTION))
    assert main(["call", "sim-scholar", "sim-sprinter", "--prompt", "-"]) == 0
    told = capsys.readouterr().out

    assert told.index("## sim-scholar") < told.index("## sim-sprinter")


@pytest.mark.soak
def test_text_is_asked_as_it_stands(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind -m the words are the prompt, and - is standard input: the same as by a file, to one model and to several."""
    (here / "q.md").write_text("What does porosity measure?")
    said = []
    for words in (
        ["-m", "sim-scholar", "What does porosity measure?"],
        ["-m", "sim-scholar", "What", "does", "porosity", "measure?"],
        ["What does porosity measure?", "-m", "sim-scholar"],
        ["-m", "sim-scholar", "-"],
        ["-m", "sim-scholar", "--prompt", "q.md"],
        ["sim-scholar", "--prompt", "q.md"],
    ):
        monkeypatch.setattr(sys, "stdin", io.StringIO("What does porosity measure?\n"))
        kept = here / f"kept{len(said)}"
        assert main(["call", *words, "--out", str(kept)]) == 0
        said.append((capsys.readouterr().out, tomllib.loads((kept / "config.toml").read_text())["call"]["messages"]))
    assert all(one == said[0] for one in said)

    assert main(["call", "-m", "sim-scholar", "-m", "sim-sprinter", "Why?"]) == 0
    both = capsys.readouterr().out
    assert "## sim-scholar" in both and "## sim-sprinter" in both


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["sim-scholar"], 'tui-eval call -m MODEL "TEXT"'),
        (["-m", "sim-scholar"], "give the prompt once"),
        (["-m", "sim-scholar", "Why?", "--prompt", "q.md"], "give the prompt once"),
        (["-m", "sim-scholar", " "], "the text is empty"),
        (["sim-scholar", "--prompt", "Did Napoleon?"], "tui-eval call -m MODEL 'Did Napoleon?'"),
    ],
)
def test_what_is_missing_is_said_with_the_command(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """Whoever leaves out the text, or gives it where a file is named, sees the command that takes it."""
    assert main(["call", *words]) == 2
    assert told in " ".join(capsys.readouterr().err.split())


def test_a_call_without_a_text_writes_none(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is not an empty reply: no file, nothing on standard output; side by side it says why in its place."""
    assert main(["models", "add", "broken", "--set", "wire=simulator", "--set", "model=fault:400"]) == 0
    capsys.readouterr()
    assert main(["call", "broken", "--prompt", "q.md", "--output", "a.md"]) == 3
    alone = capsys.readouterr()
    assert main(["call", "broken", "sim-scholar", "--prompt", "q.md"]) == 3
    beside = capsys.readouterr().out

    assert alone.out == "" and "broken: no text: " in alone.err and not (here / "a.md").exists()
    assert "## broken\n\n(no text: " in beside and "## sim-scholar\n\nThe answer is" in beside


def test_what_a_call_cost_is_all_that_was_charged(here: Path) -> None:
    """What a provider behind a router takes from one's own account there, too."""
    assert main(["call", "sim-scholar", "--prompt", "q.md", "--out", "kept"]) == 0
    log = here / "kept" / "call_logs.jsonl"
    record = json.loads(log.read_text())
    log.write_text(json.dumps({**record, "usage": {**record["usage"], "cost_usd": 0.25, "upstream_cost_usd": 0.5}}) + "\n")

    assert reply_entry(here / "kept", "q.md", "sim-scholar", simulated=True)["cost_usd"] == 0.75


@pytest.mark.soak
def test_a_file_goes_as_what_it_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An image beside the prompt, a text and what a PDF says in it, a PDF itself with --attach where its model takes any."""
    (here / "told.md").write_text("Transcribe it: write it down.")
    (here / "log.pdf").write_bytes(pdf_of([["The log of Skerrow is kept in an iron box by the keeper of the light."]]))
    picture = shipped("examples") / "pipeline" / "cargo.png"
    asked = {}
    for name, file in {"text": "log.pdf", "image": str(picture)}.items():
        assert main(["call", "sim-scholar", "--prompt", "told.md", "--out", name, "--input", file]) == 0
        asked[name] = json.loads((here / name / "call_logs.jsonl").read_text())["request"]["messages"][-1]["content"]
    assert main(["call", "sim-scholar", "--prompt", "told.md", "--input", "log.pdf", "--attach"]) == 2
    said = capsys.readouterr()

    assert "iron box" in str(asked["text"]) and "takes no application/pdf" in said.err
    assert "Cargo sheet of the Marten" in said.out and "inputs/documents/cargo.png" in str(asked["image"])


def test_a_registry_says_which_models_there_are(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Spec 000 IG-04: with one on file an id that it lacks is asked of nobody; without, its wire is guessed."""
    asked = ["call", "gpt-6", "--prompt", "q.md"]
    without = main(asked), capsys.readouterr().err
    registry = {"models": [{"provider": "openai", "model_id": "gpt-5-mini", "name": "GPT-5 Mini", "status": "available"}]}
    (here / "registry.json").write_text(json.dumps(registry))
    assert main(["models", "import", "registry.json"]) == 0
    capsys.readouterr()
    within = main(asked), capsys.readouterr().err

    assert within[0] == 2 and "call: no model named 'gpt-6' is known" in within[1] and "tui-eval models add gpt-6" in within[1]
    assert "is known" not in without[1] and "OPENAI_API_KEY" in without[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nope", "--prompt", "q.md"], "call: no model named 'nope' is known; known are gemini-3-flash, gpt-5-mini, sim-"),
        (["nope", "--prompt", "q.md"], "tui-eval models add nope --set model=ID --set wire=WIRE"),
        (["sim-scolar", "--prompt", "q.md"], "no model named 'sim-scolar' is known; did you mean 'sim-scholar'?; to add one"),
        (["sim-scholar", "--prompt", "gone.md"], "--prompt gone.md: cannot be read"),
        (["sim-scholar", "--prompt", "q.md", "--input", "q.docx"], "suffix"),
        (["sim-scholar", "--prompt", "q.md", "--input", "q.md", "--attach"], "is a text"),
        (["sim-scholar", "sim-scholar", "--prompt", "q.md"], "named twice"),
    ],
)
def test_what_cannot_be_asked_is_refused(here: Path, words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "q.docx").write_text("x")
    assert main(["call", *words]) == 2
    assert why in capsys.readouterr().err


def test_costs_are_a_table_or_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run by its id; prices that win; another currency is refused."""
    assert main(["call", "sim-scholar", "--prompt", "q.md", "--out", "runs/one"]) == 0
    prices = {"pricing": {"openai": {"sim-scholar": {"input_per_1m": 1e6, "output_per_1m": 0.0}}}}
    (here / "p.json").write_text(json.dumps(prices))
    (here / "e.json").write_text(
        json.dumps({"pricing": {"openai": {"m": {"input_per_1m": 1, "output_per_1m": 1, "currency": "EUR"}}}})
    )
    capsys.readouterr()
    assert main(["costs", "one"]) == 0
    table = capsys.readouterr().out
    assert main(["costs", "one", "--pricing", "p.json", "--json", "--out", "c.json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main(["costs", "one", "--pricing", "e.json"]) == 2

    assert "sim-scholar" in table and "simulated" in table
    assert (
        found["total"]["cost_usd"]
        == found["total"]["input_tokens"]
        == json.loads((here / "c.json").read_text())["total"]["input_tokens"]
    )
    assert "currency 'EUR'" in capsys.readouterr().err


def test_costs_say_what_no_price_can_tell(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is known stands beside how many calls it lacks; a price is asked for only where one would help."""
    copytree(GOLDEN / "stopped", here / "runs" / "stopped")
    rows = json.loads((here / "runs" / "stopped" / "stats.json").read_text())["buckets"]
    ids = {row["model_id"] for row in rows if row["scope"] == "stage_model"}
    prices = {"pricing": {"openai": {name: {"input_per_1m": 1000.0, "output_per_1m": 0.0} for name in ids}}}
    (here / "p.json").write_text(json.dumps(prices))

    assert main(["costs", "stopped"]) == 0
    bare = capsys.readouterr().out
    assert main(["costs", "stopped", "--pricing", "p.json"]) == 0
    priced = capsys.readouterr().out

    assert "The cost of 37 calls is not known: --pricing FILE supplies prices, but not for 21 of them, whose tokens" in bare
    assert "The cost of 21 calls is not known, since their tokens are not known either." in priced
    assert "$0.0800 + 4 unknown" in priced and "$1.0220 + 21 unknown" in priced
