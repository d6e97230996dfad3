"""`datasets generate`: from documents to a set by one command, by way of a config that anybody can read and run again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from makers import SHARED

from tui_eval.cli.command_line import main
from tui_eval.core.document_text import pages_of
from tui_eval.datasets.conversation_files import read_conversations
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import read_toml

MILL = (
    "The mill of Ardle grinds rye on Mondays. Its wheel was built in 1874 and turns nine times a minute. The miller keeps 40"
    " weights in an iron chest, which the town has tested every second year since the flood came over the meadows.\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder and workspace, with a text and a list of categories."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mill.txt").write_text(MILL)
    (tmp_path / "mine.json").write_text(json.dumps({"categories": [{"name": "when", "count": 1}]}))
    return tmp_path


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["datasets", "generate", *words])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_a_document_becomes_a_set_by_one_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A config beside it, whose cap has room for all that may be asked; and the set. The paths are those of the workspace."""
    words = ["mill.txt", "--model", "sim-sprinter", "--conversations", "1", "--turns", "2", "--no-check"]

    code, out, err = said([*words, "--set", "run.seed=3"], capsys)
    config = read_toml(here / "generate-mill.toml").content

    assert code == 0, err
    assert "wanted 2" in out and "kept as datasets/mill.json" in err
    assert config["generate"] == {
        "model": "sim-sprinter", "form": "conversations", "conversations": 1, "turns": 2, "check": False,
        "documents": ["mill.txt"], "dataset": "mill",
    }  # fmt: skip
    assert config["run"]["max_calls"] == 2
    assert json.loads((here / "datasets" / "mill.json").read_bytes())["conversations"]


def test_a_dry_run_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says what it would cost; categories are single questions, the shipped ones go by their name."""
    before = sorted(here.iterdir())

    plain = said(["mill.txt", "--model", "sim-scholar", "--checker", "sim-arbiter", "--dry-run"], capsys)
    single = said(["mill.txt", "--model", "sim-scholar", "--schema", "mine.json", "--dry-run"], capsys)
    usual = said(["mill.txt", "--model", "sim-scholar", "--schema", "questions-texts.json", "--dry-run"], capsys)

    assert plain[0] == single[0] == usual[0] == 0, (plain, single, usual)
    assert "questions = 1\n" in single[1] and "questions = 10\n" in usual[1] and "sim-arbiter" in plain[1]
    assert sorted(here.iterdir()) == before


def test_nothing_is_written_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a config nor a set of that name; nothing is begun then, and another name is the way out."""
    (here / "generate-mill.toml").write_text("mine")
    config = said(["mill.txt", "--model", "sim-scholar"], capsys)
    (here / "datasets").mkdir()
    (here / "datasets" / "other.json").write_text('[{"id": "1", "question": "one?", "truth": "1"}]')
    taken = said(["mill.txt", "--model", "sim-scholar", "--name", "other"], capsys)

    assert config[0] == taken[0] == 2
    assert "--name mill-2 makes another" in config[2] and "a set called other already exists" in taken[2]
    assert (here / "generate-mill.toml").read_text() == "mine" and not (here / "generate-other.toml").exists()
    assert not (here / "runs").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nope.pdf", "--model", "sim-scholar"], "generate.documents"),
        (["mill.txt", "--model", "nobody-knows"], "nobody-knows"),
        (["mill.txt", "--model", "sim-scholar", "--form", "conversations", "--schema", "mine.json"], "--schema"),
        (["mill.txt", "--model", "sim-scholar", "--form", "questions", "--turns", "3"], "--turns"),
        (["mill.txt", "--model", "sim-scholar", "--name", "a/b"], "a/b"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_written(
    words: list[str], why: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the file, the model or the option."""
    code, _, err = said(words, capsys)

    assert code == 2 and why in err
    assert not [*here.glob("generate-*")] and not (here / "runs").exists()


def test_documents_elsewhere_are_named_in_full(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The config may lie anywhere; what lies in the workspace is named from there."""
    other = tmp_path_factory.mktemp("other") / "far.txt"
    other.write_text(MILL)

    assert main(["-q", "datasets", "generate", str(other), "mill.txt", "--model", "sim-sprinter", "--no-check", "--set",
                 "generate.conversations=2"]) in (0, 3)  # fmt: skip
    found = read_toml(Workspace(here).root / "generate-far.toml").content

    assert found["generate"]["documents"] == [str(other), "mill.txt"]


PAPER = SHARED / "data" / "pdfs" / "formationeval_paper_arxiv_2601.02158v1.pdf"


@pytest.mark.soak
@pytest.mark.parametrize("document", [shipped("examples") / "generate" / "handbook.pdf", PAPER], ids=["handbook", "paper"])
def test_a_pdf_becomes_a_reviewed_set_by_two_commands(document: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One makes it, one leaves out what a person does not like. Each quote is on its page; false ones are dropped, and why."""
    if not document.is_file():
        pytest.skip("the shared PDFs are not on this machine")
    words = [str(document), "--model", "sim-rambler", "--checker", "sim-arbiter", "--conversations", "8", "--name", "made"]
    code, _, err = said(words, capsys)
    file = here / "datasets" / "made.json"
    found = read_conversations(json.loads(file.read_bytes()), "made.json")
    turns = [turn for talk in found.conversations for turn in talk.turns]

    assert code == 0, err
    assert main(["datasets", "deselect", "made", turns[0].id]) == 0
    left = tomllib.loads((here / ".conf" / "datasets.toml").read_text())["sets"]["made.json"]["left_out"]
    pages = pages_of(found.documents[0].text)
    assert left == [turns[0].id] and found.documents[0].pages == len(pages)
    for turn in turns:
        assert turn.page is not None or not turn.answerable
        around = " ".join("\n".join(pages[turn.page - 1 : turn.page + 1]).split()) if turn.page else ""
        assert " ".join(turn.quote.split()) in around
        assert not turn.page or " ".join(turn.quote.split())[:20] in " ".join(pages[turn.page - 1].split())
    (run,) = (here / "runs").iterdir()
    assert "its quote is not in the text" in (run / "dropped.csv").read_text(encoding="utf-8")
