"""A run's decision graphs in the app: drawn in layers, with what breaks a rule marked, and two models' side by side."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from graph_run import RUN
from screen import press, quick_app, screen_text, sees, told, wait_for
from snapshots import WALKED, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.kinds.graph.drawings import LAYERS
from tui_eval.kinds.graph.graph_files import AS_WRITTEN
from tui_eval.kinds.graph.graph_scores import NAMES, SUB_SCORES
from tui_eval.results.graphs_on_file import DrawnGraphs
from tui_eval.results.stored_run import StoredRun
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.result.answer_list import AnswersPart
from tui_eval.tui.widgets.inspector import SectionsView

WIDE = (200, 50)


def graphs_app(workspace: Path) -> EvalApp:
    """The app, opened on the run of graphs."""
    return quick_app(workspace, workspace / "runs" / RUN)


async def open_graph(pilot: Pilot[Any]) -> None:
    """The first sample's graph."""
    await sees(pilot, "[Summary]")
    await press(pilot, "tab", "tab", "tab")
    await sees(pilot, "[Answers]", "8 samples")
    await press(pilot, "enter")
    await sees(pilot, "GRAPH" if pilot.app.size.height > 30 else "ASKED")
    await press(pilot, "d")
    await sees(pilot, "graph of 01-night-ferry")


def lines(app: EvalApp, side: str) -> list[tuple[str, str]]:
    """All that one can scroll to on a side, with its tones."""
    view = app.screen.query_one(AnswersPart).query_one(f"#{side}", SectionsView)
    return [(each.text, each.tone) for each in view._sections]


async def test_a_graph_is_drawn_in_layers_with_the_rules_that_it_breaks(graph_workspace: Path) -> None:
    app = graphs_app(graph_workspace)
    async with app.run_test(size=WIDE) as pilot:
        await open_graph(pilot)
        await sees(
            pilot, "CYCLE_DETECTED", "ORPHAN_NODE", "GOAL", "OUTCOMES", "FACTORS", "OPTIONS", "a graph that is not valid"
        )
        at_fault = [text for text, tone in lines(app, "inspected") if tone == "bad" and text.startswith("! ")]
        assert any("Lonely" in text for text in at_fault) and any("Fares taken" in text for text in at_fault)
        headings = [text for text, tone in lines(app, "inspected") if tone == "strong"]
        assert headings == [title for _, title in LAYERS]
        assert not lines(app, "beside")
        await press(pilot, "q")
        await sees(pilot, "ASKED", "8 samples")


@pytest.mark.soak
async def test_another_models_graph_stands_beside_it_with_every_sub_score(graph_workspace: Path) -> None:
    app = graphs_app(graph_workspace)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_graph(pilot)
        await press(pilot, "c")
        await sees(pilot, "alder", "birch", "✗ not valid", "✓ valid, overall")
        told_of = [
            text.split()[-1] for text, _ in lines(app, "beside") if text.startswith("  ") and text.split()[0][:1] in "01-"
        ]
        assert set(told_of) >= {*AS_WRITTEN, *SUB_SCORES} and len({*AS_WRITTEN, *SUB_SCORES}) == len(NAMES)
        await press(pilot, "enter", "G")
        await sees(pilot, "readability_band")
        own, other = (app.screen.query_one(AnswersPart).query_one(name, SectionsView) for name in ("#inspected", "#beside"))
        assert own.top == 0 < other.top and own.region.y == other.region.y - 1
        await press(pilot, "c")
        assert not lines(app, "beside")


async def test_what_a_model_wrote_is_text(graph_workspace: Path) -> None:
    """On the screen, in what is copied, and where there is no graph; the keys step through the list to its ends."""
    app, seen = graphs_app(graph_workspace), list[str]()
    async with app.run_test(size=WIDE) as pilot:
        await open_graph(pilot)
        part = app.screen.query_one(AnswersPart)
        for _ in range(7):
            await press(pilot, "J")
            await wait_for(pilot, lambda: part.dossier_text not in seen)
            seen.append(part.dossier_text)
            seen.append(screen_text(app))
        assert sum("no graph: parse_failed" in text for text in seen[::2]) == 1
        assert all(text.startswith("graph of ") for text in seen[::2])
        await press(pilot, "d")
        await sees(pilot, "ASKED")
    whole = "".join(seen)
    assert "[@click=app.quit]x" in whole and "\x1b" not in whole and "\x07" not in whole


async def test_files_tell_what_they_are(graph_workspace: Path) -> None:
    """scores.csv has a row for each graph, and scores_table.csv the means; what a graph has is told in words."""
    app = graphs_app(graph_workspace)
    async with app.run_test(size=WIDE) as pilot:
        await sees(pilot, "[Summary]")
        await press(pilot, "shift+tab", "shift+tab")
        await sees(pilot, "[Files]", "scores_table.csv")
        rows = {line.split()[0]: line for line in screen_text(app).splitlines() if line.strip()}
    assert "a row for each sample" in rows["scores.csv"] and "(csv)" not in rows["scores.csv"]
    assert (
        "Scores of valid graphs by model and metric (csv)" in rows["scores_table.csv"]
        and "questions, for a conversation" in rows["analysis-pack.md"]
    )


async def test_a_sample_without_a_graph_offers_none(chat_workspace: Path) -> None:
    run = next((chat_workspace / "runs").iterdir())
    app = quick_app(chat_workspace, run)
    async with app.run_test(size=(100, 40)) as pilot:
        await sees(pilot, "[Summary]")
        await press(pilot, "tab", "tab")
        await sees(pilot, "[Answers]")
        await press(pilot, "enter")
        await sees(pilot, "ASKED")
        assert "GRAPH" not in screen_text(app)
        await press(pilot, "d")
        await told(pilot, "no decision graph")
        await press(pilot, "d")
        await told(pilot, "no decision graph on file")


def test_damaged_and_foreign_files_are_no_graphs(graph_workspace: Path) -> None:
    """Whatever stands in their place: JSON that is something else, a link that leads out, a folder, nothing."""
    run = graph_workspace / "runs" / RUN
    answers = StoredRun(run / "results.jsonl")
    while answers.behind():
        answers.advance(1.0)
    sample = answers.sample(0)
    assert sample is not None
    graphs = DrawnGraphs(run)
    good = graphs.of(sample)
    assert good is not None and good.drawing and good.valid is False and [*good.scores][:1] == ["overall_score"]
    (response,) = run.glob("sim-scholar/01-night-ferry/draft_v1/response.json")
    for text in ("[]", "{", '{"broken_rules": 3, "structural_valid": 1}', json.dumps({"overall_score": [], "latency_ms": {}})):
        response.write_text(text)
        found = graphs.of(sample)
        assert found is not None and found.valid is None and not any(found.scores.values())
    secret = graph_workspace / "secret.json"
    secret.write_text('{"reason": "secret"}')
    response.unlink()
    response.symlink_to(secret)
    assert graphs.of(sample) is None and not graphs.has(sample)
    shutil.rmtree(run / "sim-scholar")
    assert graphs.of(sample) is None
    for text in ("[]", '{"models": [{"name": "alder", "folder": "../.."}, 3], "prompts": 4}', "{"):
        (run / "run.json").write_text(text)
        assert DrawnGraphs(run).of(sample) is None


async def graphs_of_a_run(at: Screens) -> None:
    """A sample, its graph, and another beside it."""
    await at.go("tab", "tab", "tab")
    await sees(at.pilot, "8 samples", "n=19")  # the rows, without which there is nothing to open
    await at.go("enter")
    await at.see("graph_sample", "ASKED")
    await at.go("d")
    await at.see("graph", "CYCLE_DETECTED")
    await at.go("c")
    await at.see("graph_beside", "birch")


@pytest.mark.soak
@pytest.mark.parametrize("size", [*WALKED, pytest.param(WIDE, marks=pytest.mark.soak)], ids=["80x24", "120x40", "200x50"])
async def test_graphs_look_as_on_file(size: tuple[int, int], made_graphs: Path, place: Path) -> None:
    """The screens as text."""
    shutil.copytree(made_graphs, place / "runs" / RUN)
    await walk_through(graphs_of_a_run, size, place, "drafts-draft-v1")
