"""Stages of the pipeline as runs of their own come to the tables of one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import Table, run_here, serving, simulated_by, strict_json
from pipeline_runs import pipeline
from pipelines import NAMES

TABLES = ("accuracy", "scores", "category_scores", "category_passed", "groups", "group_scores", "pairs", "consistency")
OFF = {"process": None, "questions": None, "answers": None, "judge": None, "costs": None}
USUAL = {
    "answers": {"models": ["sim-inventive"]},
    "questions": {"model": "sim-grounded", "schema_file": "easy.json"},
    "judge": {"models": ["sim-arbiter"]},
}
OF_A_FAMILY = ("p_holm", "smallest_difference_seen")
"""What of a comparison depends on how many others there are."""


def rows(path: Path, table: str) -> list[Table]:
    """The rows of a table, but for which of its models are simulated: of those that were brought nobody knows it."""
    file = path / f"{table}.json"
    found = strict_json(file.read_bytes())["rows"] if file.exists() else []
    return [{column: value for column, value in row.items() if column != "simulated"} for row in found]


def of_marks(path: Path, table: str) -> list[str]:
    """Those that rest on marks, in any order."""
    kept = [row for row in rows(path, table) if row.get("metric", "passed") in ("mark", "passed")]
    return sorted(str({column: value for column, value in row.items() if column not in OF_A_FAMILY}) for row in kept)


@pytest.mark.parametrize("makers", [["sim-longest", "sim-scholar"], ["sim-scholar"]], ids=["two", "one"])
async def test_judged_on_its_own_a_run_has_the_tables_of_one_run(tmp_path: Path, makers: list[str]) -> None:
    """Whoever processed has the marks of the answers from its texts, whether the same run asked for these or another did, and
    where one model processed, too: every row of every table that rests on what was brought is the same."""
    runs, process = tmp_path / "runs", {"process": {"models": makers, "runs": 2}}
    brought = {"process": {"from": "texts"}, "questions": {"from": "written"}}
    answered = {"answers": {"from": "answered"}, "judge": USUAL["judge"]}
    stages: dict[str, Table] = {
        "whole": {**process, **USUAL}, "texts": process, "written": {"questions": USUAL["questions"]},
        "answered": {**brought, "answers": USUAL["answers"]}, "judged": {**brought, **answered}, "alone": answered,
    }  # fmt: skip
    async with serving(latency_scale=0) as served:
        for name, tables in stages.items():
            config = pipeline(tmp_path, served.url, 3, **{**OFF, **tables})
            config["models"] = [simulated_by(served.url, model, model) for model in NAMES.values()]
            await run_here(config, tmp_path, out=runs / name)

    for table in TABLES:
        assert rows(runs / "judged", table) == rows(runs / "whole", table), table
        assert of_marks(runs / "alone", table) == of_marks(runs / "whole", table), table
    assert {row["model"] for row in rows(runs / "alone", "scores") if row["stage"] == "process"} == {*makers}
    kept = [[(row["mark"], row["n_marks"], row["n_wanted"]) for row in rows(runs / name, "preserved")] for name in stages]
    assert kept[-1] == kept[0] and all(n for _, n, _ in kept[0])
