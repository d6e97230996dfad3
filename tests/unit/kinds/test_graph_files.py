"""Laws of the files of a run of graphs: the model's graph as it came, what it lacks, and why a graph is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driven_graphs import about, example, reported, rows_of, run_of
from graphs import GRAPHS, changed, drawn, influences, sound_graphs
from hypothesis import given, settings

from tui_eval.core.calls import Call, Reply
from tui_eval.kinds.graph.graph_files import entry_of, row_files
from tui_eval.kinds.graph.graph_scores import BriefExpectations, graph_scores
from tui_eval.kinds.graph.structure_rules import broken_rules
from tui_eval.reading.decision_graphs import GraphReading, read_graph

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "graph"
STORED = sorted(GOLDEN.rglob("response.json"))
OWN = drawn(
    nodes=[{**node, "note": "mine"} for node in changed(drawn(), "quo", data={"interventions": {
        "seats": {"value": 0.4, "unit": "EUR"}, "crew": "0.9"}, "why": "cheap"})["nodes"]],
    coaching={"strengthen_items": [{"title": "Say it", "detail": "in full"}, "Twice"], "summary": " "},
    version=3,
)  # fmt: skip
"""With units, numbers as texts, advice as objects, and fields that nobody asked for."""


def judged(reading: GraphReading) -> tuple[object, ...]:
    """All that is said of a graph: the rules it breaks, and its scores by either rubric, valid or not."""
    graph = reading.graph
    assert graph is not None, reading.reason
    expected = BriefExpectations(status_quo=True, numeric_target=True)
    return (
        broken_rules(graph),
        graph_scores(graph, expected),
        graph_scores(graph, expected, "first-coded"),
        [(node.interventions, node.goal_threshold) for node in graph.nodes],
    )


def check_both_forms(text: str) -> None:
    """Each form, written and read again, is judged as the reply is."""
    first = read_graph(text)
    assert first.graph is not None, first.reason
    for form in (first.source, first.graph.normalized()):
        again = read_graph(json.dumps(form, allow_nan=False))
        assert judged(again) == judged(first) and again.graph == first.graph


@settings(max_examples=60)
@given(sound_graphs())
def test_either_form_of_a_sound_graph_scores_as_the_reply_does(graph: dict[str, Any]) -> None:
    check_both_forms(json.dumps(graph))


@settings(max_examples=60)
@given(GRAPHS)
def test_either_form_of_any_graph_is_judged_as_the_reply_is(graph: dict[str, Any]) -> None:
    check_both_forms(f"```json\n{json.dumps(graph, indent=1)}\n```")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(OWN),
        json.dumps({"draft": {**OWN, "coaching": None}, "coaching": {"summary": "Beside it."}}),
        f"[{json.dumps(drawn())}]",
        json.dumps(drawn(), indent=1).replace("\n}", ",  // all of it\n}"),
        json.dumps(influences([(10**300, 0.1, 1), (0.1, 0.2, 0.3)])),
        *(json.loads(path.read_text())["raw_response"] for path in STORED if json.loads(path.read_text())["nodes"]),
    ],
)
def test_either_form_of_graphs_as_models_write_them_scores_as_the_reply_does(text: str) -> None:
    check_both_forms(text)


def test_response_json_keeps_the_models_graph_as_it_came(tmp_path: Path) -> None:
    """Units, advice and unknown fields are in `graph`; `normalized` has the names and values that are scored."""
    run = run_of(tmp_path)
    row = rows_of(run, lambda call: f"Here:\n```json\n{json.dumps(OWN)[:-1]},}}\n```")[0]
    response: Any = row_files(run.evaluation.task, row)["sim-scholar/ferry/response.json"]

    assert response["graph"] == OWN and response["extraction"] == "repaired"
    quo = next(node for node in response["normalized"]["nodes"] if node["id"] == "quo")
    assert quo["interventions"] == {"crew": "0.9000", "seats": "0.4000"}
    assert response["normalized"]["coaching"]["strengthen_items"] == ['{"title": "Say it", "detail": "in full"}', "Twice"]


def test_edges_without_parameters_are_counted_and_named(tmp_path: Path) -> None:
    """In scores.csv, response.json and summary.md; a score that rests on none of them has no value, and says why."""
    bare = drawn(edges=[{"from": edge["from"], "to": edge["to"]} for edge in drawn()["edges"]])
    run = run_of(tmp_path)
    rows = rows_of(run, lambda call: json.dumps(bare) if call.model == "two" else call.example_text)
    files = reported(run, rows).files(about(run))
    response: Any = next(row_files(run.evaluation.task, row) for row in rows if row.sample.queue == "two")[
        "sim-sprinter/ferry/response.json"
    ]

    assert [entry["edges_without_parameters"] for entry in files["scores.csv"]] == [
        6 if entry["model"] == "two" else 0 for entry in files["scores.csv"]
    ]
    assert response["edges_without_parameters"][0] == {
        "edge": "seats->fares", "missing": ["strength.mean", "strength.std", "exists_probability"]
    }  # fmt: skip
    assert (response["default_takeover"], response["range_discipline"], response["structural_valid"]) == (None, None, True)
    assert "2 graphs of 4: influences without a strength" in files["summary.md"]
    assert "seats" in files["summary.md"].partition("## Edges without parameters")[2].partition("##")[0]
    why = {score.name: score.why for row in rows if row.sample.queue == "two" for score in row.scores if score.value is None}
    assert why == dict.fromkeys(("default_takeover", "range_discipline"), "no influence has a strength")
    assert "Edges without parameters" not in reported(run, rows_of(run, example)).files(about(run))["summary.md"]


@pytest.mark.parametrize("finish_reason", ["length", "stop", None])
def test_a_cut_graph_has_no_score_whatever_the_server_says_of_its_end(tmp_path: Path, finish_reason: str | None) -> None:
    """Neither a score nor "broken": the reason names the limit that was sent last, and what raises it; so does the status."""
    text = json.dumps(drawn(), indent=1)
    run = run_of(tmp_path)
    for place in range(1, len(text) - 1, 97):

        def cut(call: Call, place: int = place) -> Reply:
            return Reply(call, "ok", text=text[:place], finish_reason=finish_reason)

        row = rows_of(run, cut)[0]
        assert [score.name for score in row.scores if score.value] == []
        assert {score.why for score in row.scores} == {"truncated: cut at 32,000 tokens; raise run.max_output_tokens"}
        assert entry_of(run.evaluation.task, row)["status"] == "truncated"


def test_failures_say_what_can_be_done(tmp_path: Path) -> None:
    """The sentence with the remedy stands in summary.md, as in response.json, and not the status twice."""
    said = "HTTP 401: the key is refused; set OPENAI_API_KEY and resume with --failed"

    def refused(call: Call) -> Reply:
        return Reply(call, "error", error_kind="permanent", error_message=said, http_status=401)

    run = run_of(tmp_path)
    rows = rows_of(run, refused)
    page = reported(run, rows).files(about(run))["summary.md"]
    response: Any = row_files(run.evaluation.task, rows[0])["sim-scholar/ferry/response.json"]

    assert response["reason"] == said
    assert page.count("auth_failed: HTTP 401: the key is refused; set OPENAI") == 4 and "auth_failed: permanent" not in page


def test_tables_of_graphs_speak_of_graphs(tmp_path: Path) -> None:
    """No answers, documents, questions or stages in titles and notes."""
    run = run_of(tmp_path, prompts=("v1.txt", "v2.txt"))
    report = reported(run, rows_of(run, example))
    texts = [f"{table.title} {table.note}" for table in (*report.tables().values(), *report.headline())]

    assert [text for text in texts if any(word in text for word in ("nswers", "ocument", "uestion", "stage"))] == []
