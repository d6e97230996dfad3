"""`chat SET` and `pipeline FOLDER`: from a set or a folder to a judged run by one command, by way of a config that stays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from soaking import SOAK

from tui_eval.cli.command_line import main
from tui_eval.configuring.drafting.new_configs import filled
from tui_eval.evaluation.config_references import references_in
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import shipped
from tui_eval.workspace.toml_files import read_toml

TEXT = [{"filename": "mill.txt", "sha256": "", "pages": 1, "uploaded_at": "", "text": "Oda keeps the mill of Ardle."}]
TURNS = [{"id": f"t{n}", "question": question, "ground_truth": "Oda"} for n, question in enumerate(("Who?", "Who again?"))]
TALK = {"documents": TEXT, "conversations": [{"id": "c1", "document": "mill.txt", "turns": TURNS}]}
WHO = ["--models", "scholar,sim-sprinter", "--judge", "sim-arbiter"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder and workspace: a set of conversations, one of letters, and a folder of files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "talk.json").write_text(json.dumps(TALK))
    (tmp_path / "datasets" / "exam.csv").write_text("id,question,A,B,answer\nq1,Which is a rock?,chalk,water,A\n")
    (tmp_path / "pages").mkdir()
    for name in ("one.md", "two.md"):
        (tmp_path / "pages" / name).write_text("The mill of Ardle grinds rye on Mondays, and barley on Fridays.")
    (tmp_path / "pages" / "sound.mp3").write_bytes(b"ID3")
    return tmp_path


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """What a command ends with, and says."""
    code = main(words)
    told = capsys.readouterr()
    return code, told.out, told.err


def test_a_set_becomes_a_judged_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The config is named, holds what --set says, and run by itself does the same; the run folder lies where --out says."""
    code, out, err = said(["chat", "talk", *WHO, "--set", "run.seed=3", "--no-preflight", "--out", "new"], capsys)
    config = read_toml(here / "chat-talk.toml").content

    assert code in (0, 3), err
    assert "groundedness" in out and "config: chat-talk.toml\n" in err
    assert config == {
        "kind": "chat", "name": "talk", "run": {"seed": 3},
        "models": [
            {"name": "scholar", "model": "sim-scholar", "wire": "simulator"},
            {"name": "sim-sprinter", "model": "sim-sprinter", "wire": "simulator"},
            {"name": "sim-arbiter", "model": "sim-arbiter", "wire": "simulator"},
        ],
        "chat": {"dataset": "datasets/talk.json", "models": ["scholar", "sim-sprinter"], "judge": {"model": "sim-arbiter"}},
    }  # fmt: skip
    kept = read_toml(here / "new" / "config.toml").content
    assert (kept["run"]["seed"], kept["chat"]["models"]) == (3, ["scholar", "sim-sprinter"])
    assert main(["run", "chat-talk.toml", "--dry-run"]) == 0


@pytest.mark.parametrize("mark", [pytest.param("", marks=SOAK)])
def test_a_folder_becomes_a_judged_run(mark: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every stage is asked, and what could not be sent is said."""
    code, out, err = said(["pipeline", "pages", *WHO, "--no-preflight"], capsys)

    assert code in (0, 1, 3), err
    assert "left out: sound.mp3: not of a sort that models are shown" in err
    assert "What was preserved" in out


def test_each_stage_has_its_models(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are compared process and answer; the judges mark, and the first of them writes the questions."""
    words = ["pipeline", "pages", "--models", "scholar,sprinter", "--judge", "arbiter,contrarian", "--name", "kept"]
    code, out, _ = said([*words, "--dry-run", "--json"], capsys)
    stages = {(row["stage"], row["model"]): row["calls"] for row in json.loads(out)["plan"]["stages"]}

    assert code == 0
    assert {(stage, model): n for (stage, model), n in stages.items() if stage != "judge"} == {
        ("process", "scholar"): 2, ("process", "sprinter"): 2, ("questions", "arbiter"): 2, ("answers", "scholar"): 4,
        ("answers", "sprinter"): 4,
    }  # fmt: skip
    assert {model for stage, model in stages if stage == "judge"} == {"arbiter", "contrarian"}
    assert [path.name for path in here.iterdir() if path.suffix == ".toml"] == []


def test_nothing_is_written_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another config of that name stays, and it is said which; one that says the same is run as it is."""
    (here / "chat-talk.toml").write_text("mine")
    refused = said(["chat", "talk", *WHO], capsys)
    with_name = said(["chat", "talk", *WHO, "--name", "other", "--no-preflight"], capsys)
    again = said(["chat", "talk", *WHO, "--name", "other", "--no-preflight"], capsys)

    assert refused[0] == 2 and "chat-talk.toml: already exists; tui-eval run chat-talk.toml runs it, --name" in refused[2]
    assert (here / "chat-talk.toml").read_text() == "mine"
    assert with_name[0] == again[0] and "config: chat-other.toml, as it was written before" in again[2]
    assert len(list((here / "runs").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["chat", "tolk", *WHO], "did you mean 'talk'?; tui-eval datasets list"),
        (
            ["chat", "exam", *WHO],
            "has no turns, which chat asks; choice asks such questions: tui-eval choice exam --models A,B",
        ),
        (["chat", "talk", "--models", "nobody", "--judge", "sim-arbiter"], "tui-eval models add nobody --set model=ID"),
        (["chat", "talk", "--models", "scholr", "--judge", "sim-arbiter"], "did you mean 'sim-scholar'?"),
        (["chat", "talk", *WHO, "--name", "a/b"], "--name a-b"),
        (["chat", "talk", "--models", "scholar,scholar", "--judge", "arbiter"], "is named twice"),
        (["chat", "talk", *WHO, "--set", "chat.histroy=own"], "--set chat.histroy"),
        (["pipeline", "nowhere", *WHO], "nowhere: there is no such file or folder"),
        (["pipeline", "datasets/none", "pages", *WHO], "datasets/none: there is no such"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_written(
    words: list[str], why: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the set, the model or the option, and the next step."""
    code, _, err = said(words, capsys)

    assert code == 2 and why in err, err
    assert not [*here.glob("*.toml")] and not (here / "runs").exists()


def test_a_set_may_lie_anywhere(
    here: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its path, from the current folder; the config names it from the workspace, or in full. What was left out of a set of
    the same name in the workspace says nothing of it."""
    assert main(["datasets", "deselect", "talk", "t1"]) == 0
    far = tmp_path_factory.mktemp("far") / "talk.json"
    shutil.copy(here / "datasets" / "talk.json", far)
    calls = {}
    for path in ("talk", str(far)):
        capsys.readouterr()
        assert main(["chat", path, *WHO, "--dry-run", "--json"]) == 0
        calls[path] = json.loads(capsys.readouterr().out)["plan"]["stages"][0]["calls"]

    assert calls == {"talk": 1, str(far): 2}


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.starts.short_form])
def test_models_are_put_wherever_a_kind_needs_some(name: str) -> None:
    """Its tables are whole then, every model and every judge has its place, and nobody who answers judges."""
    kind = KINDS[name]
    begun: dict[str, Any] = {"dataset": "x"} if kind.starts.short_form == "SET" else dict(kind.starts.from_files(["x"]))  # type: ignore[misc]
    if kind.starts.columns is not None:
        begun[kind.starts.columns.prompts] = [{"name": "plain"}]
    config = kind.Config.model_validate(filled(kind, begun, ["a", "b"], ["j", "k"]))
    by_stage: dict[str, set[str]] = {}
    for entry in references_in(config, name):
        if entry.what == "model":
            by_stage.setdefault(entry.stage, set()).add(entry.value)

    field = kind.Config.model_fields.get("judge")  # a table that may be left out is not begun
    judged = field is not None and (field.is_required() or "judge" in begun)
    assert {stage: found for stage, found in by_stage.items() if kind.role(stage) == "judge"} == (
        {"judge": {"j", "k"}} if judged else {}
    )
    assert by_stage.keys() == {stage.name for stage in kind.stages if judged or stage.role != "judge"}
    assert any(found == {"a", "b"} for found in by_stage.values())


def test_the_examples_of_the_page_are_taken(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The shipped handbook, and the files of the shipped pipeline."""
    handbook, pages = shipped("examples") / "chat" / "handbook.json", shipped("examples") / "pipeline"

    assert main(["chat", str(handbook), *WHO, "--dry-run"]) == 0
    assert main(["pipeline", str(pages), *WHO, "--dry-run"]) == 0


QA = ["--models", "sim-scholar,sim-sprinter"]


def test_a_config_that_is_there_is_told_by_what_differs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run goes through, for it writes nothing; a run is refused, with the keys that differ and a name that is free."""
    (here / "good.csv").write_text("question,answer\nWho?,Oda\nWhere?,Rome\n")
    (here / "qa-good-2.toml").write_text("")
    assert said(["qa", "good.csv", *QA, "--no-preflight"], capsys)[0] == 0
    dry, run = (said(["qa", "good.csv", "--models", "sim-scholar", *more], capsys) for more in (["--dry-run"], []))
    told = "already exists and differs in models, qa.models; tui-eval run qa-good.toml runs it, --name good-3 makes"

    assert (dry[0], run[0]) == (0, 2)
    assert told in dry[2] and told in run[2] and "calls:" in dry[1]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("broken.jsonl", '{"question": "1+1?", "answer": "2"}\n{"question": "2+\n{"question": "3?", "answer": "3"}\n',
         "broken.jsonl:2: not JSON"),
        ("blank.csv", "question,answer\nWho?,\nWhere?,\n", "answer is empty throughout"),
        ("golds.jsonl", '{"question": "Who?", "golds": ["a"], "none": null}\n', "golds may be; the columns are question"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_told_as_that(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, told: str
) -> None:
    """A broken line is no turn of a conversation, an empty column is no uncertain one."""
    (here / name).write_text(text)
    code, _, err = said(["qa", name, *QA, "--dry-run"], capsys)

    assert code == 2 and told in err and "turns" not in err


def test_a_table_is_asked_about_before_it_is_brought_in(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who runs a table of questions is told of `qa` first; a column of lists that is to be the answer, too."""
    (here / "good.csv").write_text("question,answer\nWho?,Oda\n")
    (here / "golds.jsonl").write_text('{"question": "Who?", "golds": ["a", "b"]}\n')
    run = said(["run", "good.csv"], capsys)[2]
    lists = said(["datasets", "import", "golds.jsonl", "--map", "question=question", "--map", "answer=golds"], capsys)

    assert "tui-eval qa good.csv --models A,B" in run.partition("tui-eval datasets import good.csv")[0]
    assert lists[0] == 2 and "tui-eval qa golds.jsonl --target golds" in lists[2]
    assert said(["qa", "golds.jsonl", "--target", "golds", *QA, "--dry-run"], capsys)[0] == 0


@pytest.mark.soak
@pytest.mark.parametrize(("own", "told"), [(0, ""), (1, "1 of 3 replies say that it cannot know"), (3, "3 of 3 replies say")])
def test_what_the_simulator_cannot_know_is_told(own: int, told: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It knows the examples' answers alone: nothing else it says of a set of one's own is a model's mistake."""
    known = [json.loads(line) for line in (shipped("examples") / "qa" / "problems.jsonl").read_text().splitlines()]
    rows = [
        *known[own:3],
        *({"id": f"n{n}", "question": f"What is {n} and {n}?", "answer": f"#### {2 * n}"} for n in range(own)),
    ]
    (here / "sums.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    code, out, _ = said(["qa", "sums.jsonl", "--models", "sim-sprinter"], capsys)
    words = " ".join(out.split())

    assert code == 0 and "Simulated: no model was asked." in words
    assert (told in words) if told else ("cannot know" not in words)
