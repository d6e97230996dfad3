"""Runs of decision graphs: what is asked, statuses, files, two versions of a prompt, and what their configs refuse."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from driven_graphs import BRIEFS, HEAD, MODELS, about, example, reported, rows_of, run_of
from graphs import changed, drawn, with_edges, with_node
from simulated import simulated

from tui_eval.configuring.evaluation import check_row_files
from tui_eval.configuring.loading import Loaded, load
from tui_eval.configuring.preparing import slug_of
from tui_eval.core.calls import Call, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.results import SampleResult
from tui_eval.kinds.graph import GRAPH
from tui_eval.kinds.graph.graph_files import row_files, status_of
from tui_eval.kinds.graph.graph_pages import MOST_PACK_BYTES, QUESTIONS
from tui_eval.kinds.graph.graph_report import GraphReport
from tui_eval.kinds.graph.graph_scores import NAMES
from tui_eval.reading.decision_graphs import Graph, GraphReading
from tui_eval.simulator.apis.chat import Chat
from tui_eval.workspace.places import Workspace, shipped

CYCLE = json.dumps(with_edges(drawn(), ("fares", "seats")))


def values(row: SampleResult) -> dict[str, float | None]:
    return {score.name: score.value for score in row.scores}


# --------------------------------------------------------------------------------------------------------------------- asking


def test_the_prompt_is_the_system_message_and_the_brief_without_its_head_the_user_message(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    row = rows_of(run, example)[0]

    (reply,) = row.replies
    assert [(m.role, m.content) for m in reply.call.messages] == [
        ("system", "Draw a decision graph (v1.txt)."), ("user", "Shall a ferry run at night?")
    ]  # fmt: skip
    assert reply.call.json_schema is None
    assert len(rows_of(run, example)) == 2 * 2 == run.plan["total_calls"]


def test_structured_sends_the_schema(tmp_path: Path) -> None:
    """It has no key that a strict server refuses: all are wanted, none besides."""
    schema = rows_of(run_of(tmp_path, structured=True), example)[0].replies[0].call.json_schema

    def check(part: Any) -> None:
        if isinstance(part, dict):
            if "properties" in part:
                assert part["additionalProperties"] is False and part["required"] == [*part["properties"]]
            for inner in part.values():
                check(inner)

    assert schema is not None and "$schema" not in schema and [*schema["properties"]] == ["nodes", "edges", "coaching"]
    check(schema)


def test_the_runs_id_ends_with_its_name_and_the_first_prompt(tmp_path: Path) -> None:
    run = run_of(tmp_path, prompts=("draft_v20.txt", "draft_v21.txt"))

    assert Workspace(tmp_path).new_run_id(slug_of(run)).endswith("_drafts-draft-v20")
    assert len(slug_of(load(tmp_path / "graph.toml", Workspace(tmp_path), [f"name={'x' * 80}"]))) <= 40


def test_only_names_briefs(tmp_path: Path) -> None:
    run_of(tmp_path)

    run = load(tmp_path / "graph.toml", Workspace(tmp_path), only=["wheel"])

    assert [sample.id for sample in run.evaluation.samples()] == ["one/wheel", "two/wheel"]


@pytest.mark.parametrize(
    ("briefs", "table", "said"),
    [
        ({"a.md": "No head."}, {}, "graph.briefs: a.md:1: must begin with a line ---"),
        ({"a.md": HEAD.replace("true", "yes")}, {}, "a.md:2: expect_status_quo: must be true or false, not 'yes'"),
        ({"a.md": HEAD.replace("has_numeric_target: false\n", "")}, {}, "a.md:1: has_numeric_target: is missing"),
        (
            {"a.md": HEAD.replace("simple", "easy")},
            {},
            "a.md:4: complexity: 'easy' is not a complexity; one of simple, moderate",
        ),
        ({"a.md": HEAD}, {}, "a.md: has no text below its head"),
        ({"a.md": f"{HEAD}x", "a.txt": f"{HEAD}y"}, {}, "a.md and a.txt have the same name but for the suffix"),
        ({"a.md": f"{HEAD}x"}, {"prompts": []}, "graph.prompts"),
        ({"a.md": f"{HEAD}x"}, {"max_samples": 1}, "2 graphs; at most 1 (graph.max_samples raises it)"),
        ({}, {}, "graph.briefs"),
        ({"a.md": f"{HEAD}x"}, {"rubric": "second"}, "graph.rubric"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_place(
    briefs: dict[str, str], table: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        run_of(tmp_path, **{"briefs": briefs, **table})


def test_prompts_must_be_named(tmp_path: Path) -> None:
    run_of(tmp_path)
    text = (tmp_path / "graph.toml").read_text()
    (tmp_path / "graph.toml").write_text(re.sub(r"prompts = \[.*?\]\n", "", text, flags=re.S))

    with pytest.raises(ConfigError, match=r"graph\.prompts"):
        load(tmp_path / "graph.toml", Workspace(tmp_path))


def test_a_key_that_a_brief_does_not_have_is_pointed_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, {"a.md": f"{HEAD}x".replace("---\n", "---\ncomplexety: x\n", 1)})

    assert any("a.md:2: complexety is not used; did you mean 'complexity'" in note for note in run.warnings), run.warnings


# -------------------------------------------------------------------------------------------------------------------- scoring


def test_an_invalid_graph_has_no_score_and_never_0(tmp_path: Path) -> None:
    row = rows_of(run_of(tmp_path), lambda call: CYCLE)[0]

    assert values(row) == {"valid": 0.0, **dict.fromkeys(NAMES)}
    assert row.scores[0].why == "CYCLE_DETECTED: seats, fares"
    assert {score.why for score in row.scores[1:]} == {"structure invalid"}
    assert {score.version for score in row.scores} == {"graph/spec-002/2"}


def test_a_reply_without_a_graph_is_not_valid_and_a_call_without_a_reply_is_missing(tmp_path: Path) -> None:
    def say(call: Call) -> str | Reply:
        if call.item_id == "one/ferry":
            return "I cannot say."
        if call.item_id == "one/wheel":
            return Reply(call, "error", error_kind="refused")
        return Reply(call, "timeout") if call.item_id == "two/ferry" else Reply(call, "skipped_budget", final=False)

    rows = rows_of(run_of(tmp_path), say)

    assert [row.sample.id for row in rows] == ["one/ferry", "two/ferry", "one/wheel", "two/wheel"]
    assert [values(row)["valid"] for row in rows] == [0.0, None, 0.0, None]
    assert all(value is None for row in rows for name, value in values(row).items() if name != "valid")
    assert [row.scores[1].why.partition(":")[0] for row in rows] == ["unreadable", "no reply", "refused", "no reply"]


def test_a_reply_that_the_limit_cut_says_which_key_raises_it(tmp_path: Path) -> None:
    row = rows_of(run_of(tmp_path), lambda call: Reply(call, "ok", text=call.example_text[:500], finish_reason="length"))[0]

    assert values(row)["valid"] == 0.0 and "run.max_output_tokens" in row.scores[0].why


def test_the_step_of_reading_stands_in_the_score(tmp_path: Path) -> None:
    row = rows_of(run_of(tmp_path), lambda call: f"Here:\n```json\n{call.example_text}\n```\nDone.")[0]

    assert (row.scores[0].pattern, row.scores[0].read) == ("fenced block", "9 nodes, 10 edges")
    assert values(row)["overall"] == 1.0


STATUSES = {
    "ok": {"status": "ok", "text": "{}"},
    "timeout_failed": {"status": "timeout"},
    "skipped_budget": {"status": "skipped_budget"},
    "rate_limited": {"error_kind": "rate_limit", "http_status": 429},
    "auth_failed": {"error_kind": "permanent", "http_status": 401},
    "server_error": {"error_kind": "transient", "http_status": 503},
    "refused": {"error_kind": "refused"},
    "truncated": {"error_kind": "truncated"},
    "empty": {"error_kind": "empty"},
    "permanent": {"error_kind": "permanent", "http_status": 404},
    "not_sent": {"error_kind": "not_sent"},
}


@pytest.mark.parametrize("status", STATUSES)
def test_statuses_have_the_specifications_names(status: str, tmp_path: Path) -> None:
    call = rows_of(run_of(tmp_path), example)[0].replies[0].call
    reply = Reply(call, **{"status": "error", **STATUSES[status]})  # type: ignore[arg-type]

    assert status_of(reply, GraphReading(Graph((), ())) if status == "ok" else GraphReading()) == status
    assert status_of(reply, GraphReading()) == ("parse_failed" if status == "ok" else status)
    assert status_of(reply, GraphReading(cut=True)) == ("truncated" if status == "ok" else status)
    assert status_of(replace(reply, finish_reason="length"), GraphReading()) == ("truncated" if status == "ok" else status)


# -------------------------------------------------------------------------------------------------------------------- reports


def scores_csv(report: GraphReport, run: Loaded) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report.files(about(run))["scores.csv"]
    return found


def test_scores_csv_has_a_row_for_every_graph_with_what_it_took(tmp_path: Path) -> None:
    run = run_of(tmp_path, prompts=("v1.txt", "v2.txt"))
    rows = rows_of(run, lambda call: CYCLE if call.item_id.endswith("v1") else call.example_text)

    found = scores_csv(reported(run, rows), run)

    assert [(row["brief"], row["prompt"], row["model"]) for row in found] == [
        (brief, prompt, model) for brief in ("ferry", "wheel") for prompt in ("v1", "v2") for model in ("one", "two")
    ]
    invalid, valid = found[0], found[2]
    assert (invalid["structural_valid"], invalid["overall_score"], invalid["broken_rules"]) == (False, None, "CYCLE_DETECTED")
    assert (valid["structural_valid"], valid["overall_score"], valid["param_quality"], valid["option_diff"]) == (True, 1, 1, 1)
    assert (valid["latency_ms"], valid["input_tokens"], valid["output_tokens"]) == (100, 10, 20)
    assert (valid["reasoning_tokens"], valid["nodes"], valid["edges"], valid["target_mode"]) == (None, 9, 10, "deep")


def test_two_versions_of_a_prompt_are_sides_of_their_own(tmp_path: Path) -> None:
    """v1 draws one valid graph of four, v2 all; no mean pools the two, and a pair differs in the model or in the prompt."""
    run = run_of(tmp_path, prompts=("v1.txt", "v2.txt"))
    rows = rows_of(run, lambda call: call.example_text if call.item_id.endswith("v2") or call.item_id == "one/ferry/v1" else CYCLE)
    tables = reported(run, rows).tables()

    def of(name: str) -> list[dict[str, Any]]:
        table = tables[name]
        return [{c: cell.value for c, cell in zip(table.columns, row, strict=True)} for row in table.rows]

    sides = [("one", "v1"), ("one", "v2"), ("two", "v1"), ("two", "v2")]
    assert sorted((row["model"], row["prompt"]) for row in of("accuracy")) == sides
    valid = {(row["model"], row["prompt"]): (row["accuracy"], row["n_items"]) for row in of("accuracy")}
    assert valid == {("one", "v1"): (0.5, 2), ("one", "v2"): (1.0, 2), ("two", "v1"): (0.0, 2), ("two", "v2"): (1.0, 2)}
    pairs = [row for row in of("pairs") if row["metric"] == "valid"]
    told = {(row["model_a"], row["prompt_a"], row["model_b"], row["prompt_b"]): row["difference"] for row in pairs}
    assert told == {
        ("one", "v1", "two", "v1"): 0.5, ("one", "v1", "one", "v2"): -0.5, ("two", "v1", "two", "v2"): -1.0,
        ("one", "v2", "two", "v2"): 0.0,
    }  # fmt: skip
    overall = [row for row in of("scores") if row["metric"] == "overall" and row["model"] == "one"]
    assert [(row["prompt"], row["mean"], row["n_items"], row["n_total"]) for row in overall] == [
        ("v1", 1, 1, 2),
        ("v2", 1, 2, 2),
    ]
    assert [(r["rule"], r["prompt"], r["model"], r["n_broken"], r["n_replies"]) for r in of("rules")] == [
        ("CYCLE_DETECTED", "v1", "one", 1, 2), ("CYCLE_DETECTED", "v1", "two", 2, 2)
    ]  # fmt: skip


def test_agreement_is_what_labels_and_edges_have_in_common(tmp_path: Path) -> None:
    other = json.dumps(changed(drawn(), "crew", label="  FARES taken "))  # 8 of 9 labels are left, crew's edges are another's
    run = run_of(tmp_path, {"ferry.md": BRIEFS["ferry.md"]})
    table = reported(run, rows_of(run, lambda call: call.example_text if call.model == "one" else other)).tables()["agreement"]

    (row,) = table.rows
    assert [cell.value for cell in row][:3] == ["one", "two", 1]
    assert [cell.value for cell in row][3] == pytest.approx(8 / 9, abs=1e-6)
    assert 0 < float(row[4].value or 0) < 1


def test_models_of_one_id_have_folders_of_their_own(tmp_path: Path) -> None:
    run = run_of(
        tmp_path, models=[{**MODELS[0], "model": "a/b", "wire": "ollama"}, {**MODELS[1], "model": "a/b", "wire": "ollama"}]
    )
    names = sorted(name for row in rows_of(run, example) for name in row_files(run.evaluation.task, row))

    assert names[:4] == [f"a%2Fb~one/ferry/{name}" for name in ("graph.dot", "graph.mmd", "graph.txt", "response.json")]
    check_row_files(run.evaluation)


def test_response_json_holds_reply_graph_and_what_breaks_the_rules(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    row = rows_of(run, lambda call: CYCLE)[0]
    found = row_files(run.evaluation.task, row)
    response: Any = found["sim-scholar/ferry/response.json"]

    assert response["raw_response"] == CYCLE
    assert response["broken_rules"] == [{"rule": "CYCLE_DETECTED", "where": ["seats", "fares"]}]
    assert (response["status"], response["extraction"], response["overall_score"]) == ("ok", "whole text", None)
    assert [node["id"] for node in response["graph"]["nodes"]] == [node["id"] for node in drawn()["nodes"]]
    json.dumps(response, allow_nan=False)
    text = str(found["sim-scholar/ferry/graph.txt"])
    assert text.startswith("! CYCLE_DETECTED: seats, fares") and "! Seats a day" in text and "  Crew on board" in text


def test_what_failed_has_a_response_json_and_no_drawing(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    row = rows_of(run, lambda call: Reply(call, "error", error_kind="transient", error_message="gone", http_status=500))[0]
    found = row_files(run.evaluation.task, row)

    assert [*found] == ["sim-scholar/ferry/response.json"]
    response: Any = found["sim-scholar/ferry/response.json"]
    assert (response["status"], response["reason"], response["structural_valid"], response["graph"]) == (
        "server_error", "gone", None, None
    )  # fmt: skip


def test_labels_cannot_act_in_drawings_or_pages(tmp_path: Path) -> None:
    """What a model writes is neither syntax of Graphviz, Mermaid or Markdown, nor a formula, nor steers a terminal."""
    nasty = '"]; end | <b>`x`\x1b[31m\n```\n# hi =1+1'
    text = json.dumps(with_node(changed(drawn(), "quo", label=nasty), "=cmd", "factor", label="=2+2"))
    run = run_of(tmp_path)
    rows = rows_of(run, lambda call: text)
    files = {name.rpartition("/")[2]: str(content) for name, content in row_files(run.evaluation.task, rows[0]).items()}
    pages = reported(run, rows).files(about(run))

    for name in ("graph.txt", "graph.mmd", "graph.dot"):
        assert "\x1b" not in files[name]
    assert all(line.count('"') in (0, 2, 4) for line in files["graph.dot"].splitlines())
    assert "] end" not in files["graph.dot"] and "<b>" not in files["graph.mmd"]
    for page in ("summary.md", "analysis-pack.md"):
        assert "\x1b" not in pages[page]
    assert "\n# hi" not in pages["analysis-pack.md"]


def test_run_json_is_the_manifest_of_the_specification(tmp_path: Path) -> None:
    run = run_of(tmp_path, prompts=("v1.txt", "v2.txt"))
    rows = rows_of(run, lambda call: "no graph" if call.model == "two" else call.example_text)
    found = reported(run, rows).files(about(run, git_commit="abc", workspace_commit="def"))["run.json"]

    assert (found["run_id"], found["git_commit"], found["workspace_commit"]) == ("run-1", "abc", "def")
    assert found["rubric_version"] == "graph/spec-002/2"
    assert found["statuses"] == {"ok": 4, "parse_failed": 4}
    assert [one["id"] for one in found["prompts"]] == ["v1", "v2"]
    assert all(len(one["sha256"]) == 64 for name in ("prompts", "briefs", "models") for one in found[name])
    assert [one["target_mode"] for one in found["models"]] == ["deep", "fast"]
    assert [one["display_name"] for one in found["models"]] == ["One *deep*", "two"]


def test_a_display_name_stands_beside_the_name_and_changes_no_hash(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    found = reported(run, rows_of(run, example)).files(about(run))
    plain = run_of(tmp_path, models=[{**MODELS[0], "display_name": "Other"}, MODELS[1]]).evaluation.task.drafters

    for name in ("summary.md", "analysis-pack.md"):
        assert r"| One \*deep\* (one) | deep |" in found[name] and "| two | fast |" in found[name]
    assert plain["one"].sha256 == run.evaluation.task.drafters["one"].sha256


def test_a_models_hash_follows_its_settings(tmp_path: Path) -> None:
    first = run_of(tmp_path).evaluation.task.drafters
    warmer = run_of(tmp_path, models=[{**MODELS[0], "temperature": 0.5}, MODELS[1]]).evaluation.task.drafters

    assert first["one"].sha256 != warmer["one"].sha256 and first["two"].sha256 == warmer["two"].sha256


def test_summary_has_ranking_modes_failures(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    rows = rows_of(run, lambda call: call.example_text if call.model == "one" else "no graph")
    page = reported(run, rows).files(about(run))["summary.md"]

    assert "**Everything here is simulated.**" in page
    for title in ("## Ranking", "## Mode: deep", "## Mode: fast", "## Sub-scores", "## Broken rules", "## Failures"):
        assert title in page
    assert "| two | 0 | 2 |" in page and "sim-sprinter/ferry: parse\\_failed" not in page
    ranked = [line for line in page.split("## Mode")[0].splitlines() if line.startswith(("| 1 ", "| - "))]
    assert [line.split(" | ")[1] for line in ranked] == [r"One \*deep\* (one)", "two"]
    assert " 0.000 " not in ranked[1], "a model without a valid graph has no overall score"
    parts = [line for line in page.split("## Sub-scores")[1].split("## ")[0].splitlines() if "parameter_quality" in line]
    assert parts and all("(n 2) | - (n 0) |" in line for line in parts), "each mean says its n"


@pytest.mark.parametrize(("n", "left_out"), [(4, False), (150, True)])
def test_the_analysis_pack_stays_within_its_limit_and_says_what_it_left_out(n: int, left_out: bool, tmp_path: Path) -> None:
    run = run_of(tmp_path, {f"b{k:03d}.md": f"{HEAD}Brief {k}: Fährt die Fähre?\n" for k in range(n)})
    pack = reported(run, rows_of(run, example)).files(about(run))["analysis-pack.md"]

    assert len(pack.encode()) <= MOST_PACK_BYTES
    assert all(question in pack for question in QUESTIONS) and len(QUESTIONS) == 5
    shown, found = pack.count("### "), re.search(r"([\d,]+) of ([\d,]+) graphs, for the limit", pack)
    assert bool(found) == left_out
    assert shown + (int(found[1]) if found else 0) == 2 * n
    assert "seats" not in pack.split("## Brief")[1] or "Seats a day" in pack


def test_nothing_missing_counts_as_zero_in_any_table(tmp_path: Path) -> None:
    """Of two models one fails throughout: no mean of it is a number, and n says so."""
    run = run_of(tmp_path)
    report = reported(run, rows_of(run, lambda call: call.example_text if call.model == "one" else Reply(call, "timeout")))

    scores = report.tables()["scores"]
    at = {name: n for n, name in enumerate(scores.columns)}
    for row in scores.rows:
        mean, n = row[at["mean"]].value, row[at["n_scored"]].value
        assert (mean is None) == (n == 0) == (row[at["model"]].value == "two")
    gone = [row for row in scores_csv(report, run) if row["model"] == "two"]
    assert all(row["overall_score"] is None and row["structural_valid"] is None for row in gone)


# ----------------------------------------------------------------------------------------------------------------- the example


def test_the_examples_figures_are_those_that_it_tells() -> None:
    """As the simulator answers in a run: v2 lifts valid graphs from 6 to 11 of 12, and each flaw that is told comes out."""
    path = shipped("examples") / "graph.toml"
    run = load(path, Workspace(path.parent.parent))
    chat, models = Chat(run.run.seed, 0.0), run.evaluation.models
    rows = [run.evaluation.driven(s, lambda call: simulated(call, models[call.model], chat)) for s in run.evaluation.samples()]
    entries = scores_csv(reported(run, rows), run)
    valid = {
        prompt: sum(bool(e["structural_valid"]) for e in entries if e["prompt"] == prompt)
        for prompt in ("draft_v1", "draft_v2")
    }
    broken = [e["broken_rules"] for e in entries]
    said = " ".join(line.removeprefix("# ") for line in path.read_text().split("\n") if line.startswith("#"))

    assert valid == {"draft_v1": 6, "draft_v2": 11} and len(entries) == 24 == run.plan["total_calls"]
    assert [broken.count(rule) for rule in ("CYCLE_DETECTED", "ORPHAN_NODE", "FORBIDDEN_EDGE")] == [1, 1, 1]
    assert [e["status"] for e in entries].count("parse_failed") == 1
    unique = [e["unique_factor_per_option"] for e in entries if e["structural_valid"]]
    assert unique.count(0) == 14 and len(unique) == 17
    for figure in ("from 6 to 11 of 12", "14 of 17", "24 calls"):
        assert figure in said


def test_the_kind_has_the_specifications_defaults() -> None:
    assert (GRAPH.defaults.max_concurrency, GRAPH.defaults.retries, GRAPH.defaults.cache) == (10, 3, True)
    assert [metric.name for metric in GRAPH.metrics][:2] == ["valid", "overall"]


def test_csv_files_are_rows_of_text(tmp_path: Path) -> None:
    """scores.csv as it is written, read as anybody reads it."""
    from tui_eval.results.tables import content_text

    run = run_of(tmp_path)
    text = content_text("scores.csv", scores_csv(reported(run, rows_of(run, example)), run))
    rows = list(csv.DictReader(io.StringIO(text)))

    assert len(rows) == 4 and rows[0]["structural_valid"] == "true" and rows[0]["reasoning_tokens"] == ""
