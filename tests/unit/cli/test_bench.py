"""Laws of the verb `bench`: scorers side by side on stored replies; nothing is sent, and no file of the run changes."""

from __future__ import annotations

import json
import shlex
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from choices import record
from ships_run import MODELS, N, stored_ships

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import load
from tui_eval.configuring.reopening import reopen
from tui_eval.core.calls import Reply
from tui_eval.core.errors import FolderError
from tui_eval.reporting.bench_reading import read_bench
from tui_eval.reporting.printed_bench import printed_bench
from tui_eval.runs.scorer_ratings import scorer_ratings
from tui_eval.workspace.places import Workspace

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a stored run of a panel, graded letter by letter."""
    stored_ships(tmp_path, tmp_path / "ships")
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
    counts = f"{2 * N} replies of 2 models; scorers differ on {N} (50.0 %), but for those that accept none or all"
    assert f"{counts}; differs: from `correct`" in text
    line = next(line for line in text.splitlines() if line.startswith("contains "))
    assert "50.0 % lenient" in line and " $0 " in line
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
    entry = json.loads(bench(workspace, capsys, "--json", "--after", "15"))
    assert (entry["n_ratings"], entry["n_rated_before"], entry["best"]) == (5, 15, "number")
    assert entry["chosen"].startswith("number, chosen by the first 15 ratings, errs on 0.0 %")
    assert "No rating after the first 20 counts yet." in bench(workspace, capsys, "--after", "20")


def test_the_last_line_takes_the_best_scorer(workspace: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copied as it stands, it re-scores the run by it, and makes it the metric that the verdict speaks of."""
    out, _ = rate(workspace, capsys, monkeypatch, "".join("yn"[n % 4 == 0] for n in range(20)), "--rate", "20")
    line = out.splitlines()[-1]
    program, *words = shlex.split(line)
    assert program == "tui-eval" and words[:2] == ["rescore", str(workspace / "ships")]
    capsys.readouterr()
    assert main(["--workspace", str(workspace), *words, "--json"]) == 0
    path = Path(json.loads(capsys.readouterr().out)["path"])
    entry: dict[str, Any] = json.loads(bench(workspace, capsys, "--json"))
    assert line == entry["best_command"] and path.parent == workspace / "ships" / "rescored"
    assert entry["best"] in json.loads((path / "report.json").read_text())["verdict"]


@pytest.mark.parametrize("name", ["number", "f1", "exact", "contains", "squad_em"])
def test_the_setting_of_each_scorer_holds(workspace: Path, name: str) -> None:
    """A re-score by it has that scorer alone, and its verdict speaks of it, before the metric of the panel itself."""
    line = read_bench(workspace / "ships", Workspace(workspace)).line(name)
    evaluation = reopen(workspace / "ships", Workspace(workspace), [line.settings], sends=False).evaluation
    assert [row.metric_name for row in evaluation.task.scorers.rows] == [name]
    assert evaluation.kind.units.headline == (name,)


def test_what_decides_already_is_not_taken(workspace: Path) -> None:
    """The metric of the panel itself; once a scorer decides, taking it back leaves the scorers as they are."""
    line = read_bench(workspace / "ships", Workspace(workspace)).line("correct")
    assert (line.settings, line.why_not) == ("", "the verdict of the run speaks of it already")
    leading = [{"use": "number", "tolerance": 0.5, "headline": True}, "f1"]
    stored_ships(workspace / "led", workspace / "led" / "run", scorers=leading)
    led = read_bench(workspace / "led" / "run", Workspace(workspace / "led"))
    assert led.line("number").why_not == line.why_not
    assert led.line("correct").settings == 'scorers=[{ use = "number", tolerance = 0.5 }, "f1"]'


def test_each_reply_is_printed_with_all_verdicts(workspace: Path, capsys: Capture, tmp_path: Path) -> None:
    """And read back it is the same bench, in the same order."""
    text = bench(workspace, capsys, "--replies")
    (tmp_path / "lines").write_text(text)
    read = read_bench(workspace / "ships", Workspace(workspace))
    with (tmp_path / "lines").open("rb") as stream:
        printed = printed_bench(stream)
        assert dict(printed.answers) == dict(read.answers) and printed.order() == read.order()
    assert (printed.lines, printed.draw, printed.alike) == (read.lines, read.draw, read.alike)
    assert json.loads(text.splitlines()[1])["accepts"]["number"] is True
    for other in (b"", b"{}\n", b"[1]\n", text.splitlines()[0].encode() + b"\nnot JSON\n"):
        with pytest.raises(FolderError, match="cannot be read"):
            printed_bench(BytesIO(other))


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
