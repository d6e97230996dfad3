"""Laws of showing a report: damaged ones are shown as far as they go, missing is "-", shares and amounts read as such."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.cli.command_line import main
from tui_eval.core.errors import FolderError
from tui_eval.results.read_report import Figure, ReportTable
from tui_eval.runs.files import FileListing, beginning, describe_file
from tui_eval.tui import charts, exports
from tui_eval.tui.report_rows import CALLS, Report, arranged, full_cell_text, interval, short_cell_text
from tui_eval.tui.screens.live.log_figures import query_of
from tui_eval.tui.screens.result.standing_columns import StandingLine, fitted_standings
from tui_eval.tui.widgets.cells import cell_text, widths
from tui_eval.workspace.places import Workspace

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=8,
)
columns = st.lists(
    st.sampled_from(["model", "stage", "accuracy", "n_x", "by", "value", "cost_usd", "rank_best", "rank_worst"]), max_size=5
)
cells = st.dictionaries(st.sampled_from(["value", "n", "interval", "formula"]), values)
tables = st.fixed_dictionaries(
    {"columns": columns | values, "rows": st.lists(st.lists(cells | values, max_size=5), max_size=3) | values},
    optional={"title": values, "note": values, "rests_on": values},
)


@few
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "tables": st.dictionaries(st.sampled_from(["accuracy", "groups", "other"]), tables | values) | values,
            "headline": st.lists(tables | values, max_size=2) | values,
            CALLS: st.lists(st.dictionaries(st.sampled_from(["stage", "model", "scope", "n"]), values), max_size=3) | values,
            "items": values,
            "outcomes": values,
            "calls": values,
        },
    )
)
def test_a_damaged_report_is_shown_as_far_as_it_goes(content: dict[str, Any]) -> None:
    """Values of any type in any place: what has the form of a table is shown, and nothing raises."""
    report = Report(content)
    assert report.sentences() is not None and report.measures is not None
    for table in (*report.tables.values(), *report.headline):
        for row in arranged(table).rows:
            for name, figure in zip(table.columns, row, strict=True):
                assert "\n" not in short_cell_text(name, figure) + full_cell_text(name, figure)
        assert all(isinstance(table.rest(row), dict | None) for row in range(len(table.rows) + 1))
    for picture in (charts.scores(report), charts.cost(report), charts.categories(report, 1)):
        assert picture.about


@pytest.mark.parametrize(
    ("column", "figure", "text"),
    [
        ("accuracy", Figure(None, 0), "-"),
        ("accuracy", Figure(0.5, 8), "███     50.0 %"),
        ("accuracy", Figure(0.5), "50.0 %"),
        ("ci_low", Figure(0.25), "25.0 %"),
        ("difference", Figure(-0.0618, 40), "-0.0618"),
        ("n_replies", Figure(12000), "12,000"),
        ("cost_usd", Figure(0.000407), "$0.000407"),
        ("usd_per_correct", Figure(None), "-"),
        ("level", Figure("lo\x1b[2Jw"), "lo␛[2Jw"),
        ("simulated", Figure(True), "yes"),
        ("p", Figure(float("nan")), "nan"),
    ],
)
def test_a_cell_reads_as_what_its_column_holds(column: str, figure: Figure, text: str) -> None:
    """Shares are per cent, with a bar where their n is known; amounts have a sign; missing is no zero; text steers nothing."""
    assert short_cell_text(column, figure) == text


def marked(metrics: dict[str, Any], *rows: tuple[str, str, float | None, float | None, float | None]) -> Report:
    """A report of marks: model, metric, mean and its interval."""
    cells = [
        [{"value": "answer"}, {"value": model}, {"value": name}, {"value": mean, "n": 4, "interval": [low, high]},
         {"value": low}, {"value": high}] for model, name, mean, low, high in rows
    ]  # fmt: skip
    columns = ["stage", "model", "metric", "mean", "ci_low", "ci_high"]
    calls = [{"stage": "answer", "model": model, "sum_cost_usd": 0.5} for model in {row[0] for row in rows}]
    return Report({"metrics": metrics, "tables": {"scores": {"columns": columns, "rows": cells}}, CALLS: calls})


@pytest.mark.parametrize(
    ("n", "usd", "unknown", "words"),
    [
        (0, None, None, ""),
        (
            1,
            0.0123,
            None,
            "1 call was in flight when the run was interrupted. Nobody knows whether it was answered: it counts as",
        ),
        (1, 0.0123, None, "it counts as sent and, at up to $0.0123, against the budget. No other figure"),
        (2, 0.5, 1, "they count as sent and, at up to $0.5000, against the budget; what 1 of them cost at most is not known."),
        (2, None, 2, "they count as sent; what 2 of them cost at most is not known."),
    ],
)
def test_what_was_charged_beside_the_attempts_is_explained(n: int, usd: float | None, unknown: int | None, words: str) -> None:
    """Calls in flight at a kill, in a sentence with their number and the most they cost."""
    doubts = {"in_doubt": [f"life-{i}" for i in range(n)], "in_doubt_usd": usd, "n_in_doubt_unknown": unknown}
    said = " ".join(text for text, _ in Report({"calls": {}, **doubts}).sentences())
    assert words in said and ("in flight" in said) == bool(words)


@pytest.mark.parametrize(
    ("cached", "words"), [(0, "40 ok."), (1, "40 ok; 1 reply came"), (40, "40 ok; 40 replies came from the cache")]
)
def test_replies_that_were_stored_are_counted(cached: int, words: str) -> None:
    """Beside how calls ended; none is no word."""
    report = Report({"outcomes": {"ok": 40}, "calls": {"calls_cached": cached}})
    (said,) = [text for text, _ in report.sentences() if "how they ended" in text]

    assert words in said and ("cache" in said) == bool(cached)


def test_a_reply_without_a_text_is_no_failed_attempt() -> None:
    """Refused, empty and cut replies are the model's own, as in the terminal and in exports."""
    kinds = {"refused": 2, "empty": 1, "truncated": 1, "transient": 3}
    calls = {"attempts_total": 20, "calls_error": 7, "calls_timeout": 1, "error_kinds": kinds}
    said = [text for text, _ in Report({"calls": calls}).sentences()]
    assert "Of 20 attempts sent: 3 failed, 1 timed out, 4 replied without a text; L shows them." in said


@pytest.mark.parametrize("kind", sorted(path.name for path in GOLDEN.iterdir()))
def test_what_has_no_value_is_counted_by_its_reasons(kind: str) -> None:
    """Whatever the reason is: no reply, unreadable, or not to be scored; of these are told that count as wrong (choice)."""
    report = Report(json.loads((GOLDEN / kind / "report.json").read_text()))
    standings = [standing for measure in report.measures for standing in measure.standings]
    assert standings or kind == "stopped"
    for standing in standings:
        table = report.tables[standing.table]
        found = {name: figure.value for name, figure in table.values(standing.row).items()}
        losses = [(int(words.split()[0].replace(",", "")), words) for words in standing.missing.split(", ") if words != "-"]
        wrong = sum(n for n, words in losses if words.endswith(" of these are wrong"))
        assert sum(n for n, _ in losses) - 2 * wrong == standing.n_missing == found["n_total"] - found["n_scored"], (
            standing.name
        )
        assert not wrong or kind == "choice"


def test_a_mean_of_one_is_no_hundred_per_cent() -> None:
    """In a table of marks a mean and its interval are in the marks' unit, whatever their values."""
    table = marked({"m": {"low": 0, "high": 5}}, ("one", "m", 1.0, 0.25, 1.0)).tables["scores"]
    row = table.values(0)

    assert [short_cell_text(name, row[name], table.marked) for name in ("mean", "ci_low", "ci_high")] == [
        "1.00",
        "0.25",
        "1.00",
    ]
    assert full_cell_text("mean", row["mean"], table.marked) == "1.00   n = 4   95 % interval [0.25, 1.00]"
    assert not ReportTable("t", "T", "", ("model", "accuracy", "ci_low"), ()).marked


def test_marks_have_charts_on_their_own_scale() -> None:
    """A metric at a time: its models with their means, nothing of another metric, nothing that its scale does not hold."""
    scales = {"m": {"low": 1, "high": 5}, "delay": {"low": 0, "high": 60, "better": "lower"}}
    rows = [
        ("one", "m", 1.0, 1.0, 1.5),
        ("two", "m", 4.5, 4.0, 5.0),
        ("one", "delay", 30.0, 20.0, 40.0),
        ("two", "m", 9.0, 8, 9),
    ]
    report = marked(scales, *rows)
    for make in (charts.scores, charts.cost):
        first, second = make(report, 0), make(report, 1)

        assert first.choices == second.choices == ("m", "delay")
        assert isinstance(first.drawn, charts.Intervals | charts.Scatter) and (
            first.drawn.scale.low,
            first.drawn.scale.high,
        ) == (1, 5)
        assert "1 to 5, higher is better" in first.about and "0 to 60, lower is better" in second.about
    drawn = charts.scores(report).drawn
    assert isinstance(drawn, charts.Intervals)
    assert [(spread.label, spread.value, spread.high) for spread in drawn.spreads] == [
        ("answer one", 1, 1.5),
        ("answer two", 4.5, 5),
    ]


def test_metrics_stand_side_by_side_on_their_common_scale() -> None:
    """In the order in which the report names them; metrics of another scale are a choice of their own."""
    scales = {"m": {"low": 1, "high": 5}, "k": {"low": 1, "high": 5, "better": "lower"}, "delay": {"low": 0, "high": 60}}
    rows = [("one", "delay", 30.0, 20, 40), ("one", "k", 2.0, 1, 3), ("one", "m", 4.0, 3, 5), ("two", "m", 9.0, 8, 9)]
    report = marked(scales, *rows)
    assert [measure.name for measure in report.measures] == ["m", "k", "delay"]
    first, second = charts.side_by_side(report), charts.side_by_side(report, 1)
    assert first.choices == second.choices == ("m, k", "delay") and first.legend == ("a answer one", "b answer two")
    assert isinstance(first.drawn, charts.Swarm) and isinstance(second.drawn, charts.Swarm)
    assert [line for _, line in first.drawn.categories] == [(("a", 4.0),), (("a", 2.0),)]
    assert first.drawn.categories[1][0].startswith("k ↓ (") and "↓: lower is better" in first.about
    assert first.drawn.scale != second.drawn.scale
    assert charts.side_by_side(report.by(report.measures[2])).choices == ()
    assert charts.side_by_side(Report({})).drawn is None


def test_latencies_stand_side_by_side() -> None:
    """The median and, where it is known, the 90th percentile, in seconds on one scale that ends at the greatest."""
    common = {"stage": "answer", "n_latency_ok": 9}
    rows = [{**common, "model": "one", "p50_latency_ms_ok": 500, "p90_latency_ms_ok": 2000}, {**common, "model": "two"},
            {**common, "model": "three", "p50_latency_ms_ok": 700, "p90_latency_ms_ok": None}]  # fmt: skip
    drawn = charts.times(Report({CALLS: rows})).drawn
    assert isinstance(drawn, charts.Intervals) and drawn.scale == charts.Scale(0, 2, False)
    assert drawn.spreads == (charts.Spread("answer one", 0.5, 0.5, 2), charts.Spread("answer three", 0.7, None, None))
    assert charts.times(Report({})).drawn is None


def test_an_opened_cell_tells_all_it_knows() -> None:
    """Value, n, interval and formula stand in one line; an interval has the unit of its value."""
    figure = Figure(0.9, 40, 0.769, 0.96, "right / replies; Wilson")
    assert full_cell_text("accuracy", figure) == "90.0 %   n = 40   95 % interval [76.9, 96.0]   right / replies; Wilson"
    assert interval("difference", Figure(-0.1, 40, -0.2, 0.1)) == "[-0.2, 0.1]"
    assert interval("accuracy", Figure("90.0 %", 40, 0.769, 0.96)) == "[76.9, 96.0]"


def test_a_screen_has_names_first_then_what_can_be_opened() -> None:
    """Columns are arranged, none is lost, and each keeps its cells."""
    table = ReportTable("t", "T", "", ("rank", "n", "model", "share"), ((Figure(1), Figure(5), Figure("one"), Figure(0.4, 5)),))
    found = arranged(table)
    assert found.columns == ("model", "share", "rank", "n")
    assert found.values(0) == table.values(0)


def test_a_log_is_filtered_by_names_with_quotes() -> None:
    """A quotation mark in a name does not end the name in the filter: it stands there twice."""
    assert query_of("doer", 'a" !model:"b') == 'stage="doer" model="a"" !model:""b"'


@few
@given(run_id=any_text, name=any_text, text=any_text)
def test_an_export_is_private_and_replaces_nothing(tmp_path: Path, run_id: str, name: str, text: str) -> None:
    """Whatever names it is given, a file lands in the workspace's exports, for its owner alone, beside those before it."""
    paths = [exports.write(Workspace(tmp_path), run_id, f"{name}.txt", text) for _ in range(2)]
    assert paths[0] != paths[1]
    for path in paths:
        assert path.parent.parent == tmp_path.resolve() / "exports" and path.parent.name.isascii()
        assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
        assert path.read_bytes() == text.encode("utf-8", "backslashreplace")


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file where the folder should be, or a link in place of a source, is an error with a path."""
    (tmp_path / "exports").write_text("")
    with pytest.raises(FolderError, match="nothing was written"):
        exports.write(Workspace(tmp_path), "run", "a.txt", "text")
    (tmp_path / "link").symlink_to("/etc/hostname")
    with pytest.raises(FolderError, match="cannot be read"):
        exports.copy(Workspace(tmp_path), "run", "a.txt", tmp_path / "link")


def test_files_are_listed_without_following_links(tmp_path: Path) -> None:
    """Regular files of the folder and its folders, its own first; links and pipes are not opened."""
    (tmp_path / "repeats" / "0").mkdir(parents=True)
    for name in ("report.json", "repeats/0/stats.csv"):
        (tmp_path / name).write_text(json.dumps([]))
    (tmp_path / "away").symlink_to("/etc")
    listing = FileListing(tmp_path)
    listing.advance(math.inf)
    found = listing.files or ()
    assert [(file.name, file.size) for file in found] == [("report.json", 2), ("repeats/0/stats.csv", 2)]
    assert found[1].what.startswith("of repeat 0: calls") and describe_file("report.json").startswith("every table")
    assert beginning(found[0].path, 1) == ("[", 2)


def test_models_under_several_prompts_are_told_apart(tmp_path: Path) -> None:
    """A stage that all have is left out, and at 80 columns what nobody knows makes room for the names."""
    (tmp_path / "q.csv").write_text("question,answer\nWho?,Oda\nWhere?,Rome\n")
    words = ["--models", "sim-scholar,sim-sprinter", "--scorers", "exact", "--no-preflight", "--out", str(tmp_path / "r")]
    prompts = ["--prompt", "{question}", "--prompt", "Say: {question}"]
    main(["--workspace", str(tmp_path), "qa", str(tmp_path / "q.csv"), *words, *prompts])
    (measure,) = Report(json.loads((tmp_path / "r" / "report.json").read_text())).measures
    names = [standing.name for standing in measure.standings]
    lines = [StandingLine(measure, standing) for standing in measure.standings]
    columns = fitted_standings([measure], lines, 78, 80)

    assert sorted(names) == sorted(f"sim-{who} {prompt}" for who in ("scholar", "sprinter") for prompt in ("plain", "prompt2"))
    assert [cell_text(columns[1].cell(line)) for line in lines] == names
    assert widths(columns, 78, 80, fixed=2)[1] >= max(map(len, names))
