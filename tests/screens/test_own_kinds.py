"""Kinds that only the registry knows, in the app: set up, watched, read, charted, compared."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_bench import run_here, serving
from samples import ALL_TABLES, OWN, registered, written
from screen import press, quick_app, screen_text, sees
from setting_up import READY, form_of, setting_up
from soaking import quick_first, quick_first_rows

NAMES = [(kind, next(iter(ALL_TABLES[kind]))) for kind in OWN]
RUNS = ("20260103_100000_cccc_first", "20260104_100000_dddd_second")
SIZES = [(80, 24), (120, 40)]


@pytest.fixture(autouse=True)
def own_kinds() -> Iterator[None]:
    """The tests' kinds stand in the registry."""
    with registered():
        yield


async def runs_of(kind: str, name: str, folder: Path, *ids: str) -> None:
    """Runs of a sample, in a workspace."""
    async with serving(latency_scale=0) as served:
        table = tomllib.loads(written(kind, name, folder, 1).read_text())
        for model in table["models"]:
            model["base_url"] = served.url
        for run_id in ids:
            await run_here(table, folder, out=folder / "runs" / run_id)


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "name"), quick_first_rows(NAMES))
async def test_it_is_set_up_in_the_form(kind: str, name: str, tmp_path: Path) -> None:
    """It stands among what to start from; a config of it opens with every field, counts its calls, and is ready."""
    written(kind, name, tmp_path, 1)
    async with setting_up(tmp_path, "config.toml") as pilot:
        await sees(pilot, READY)
        keys = [(kind, key) for key in OWN[kind].Config.model_fields if key != "prompts"]
        keys += [(kind, "prompts", name) for name in OWN[kind].prompts]
        assert [key for key in keys if not form_of(pilot).go_to(key)] == []
    async with setting_up(tmp_path, f"new {kind}") as pilot:
        await sees(pilot, "cannot start")


@pytest.mark.parametrize("size", quick_first(SIZES))
@pytest.mark.parametrize(("kind", "name"), quick_first_rows(NAMES))
async def test_it_is_read_and_charted(kind: str, name: str, size: tuple[int, int], tmp_path: Path) -> None:
    """Its results open with its figures, a chart of its measure, its answers and its files, on any terminal."""
    await runs_of(kind, name, tmp_path, RUNS[0])
    app = quick_app(tmp_path)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "1 run", "✓ done")
        await press(pilot, "enter")
        await sees(pilot, "[Summary]", "one")
        seen = []
        for part in ("Answers", "Tables", "Charts", "Files"):
            while f"[{part}]" not in screen_text(app):
                await press(pilot, "tab")
            await sees(pilot, f"[{part}]", *(["1 of"] if part == "Charts" else []))
            seen.append(screen_text(app))
        print("\n".join(seen))
        assert "No chart" not in seen[2]


@pytest.mark.soak
@pytest.mark.parametrize("size", quick_first(SIZES))
async def test_each_metric_of_marks_has_its_chart(size: tuple[int, int], tmp_path: Path) -> None:
    """Means with intervals from 1 to 5, and cost against them, a metric at a time; no per cent anywhere."""
    await runs_of(*NAMES[1], tmp_path, RUNS[0])
    app = quick_app(tmp_path)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "1 run", "✓ done")
        await press(pilot, "enter")
        await sees(pilot, "[Summary]", "one")
        while "[Charts]" not in screen_text(app):
            await press(pilot, "tab")
        for name in [metric.name for metric in OWN["grounded"].metrics]:
            await sees(pilot, f"Mean {name} (1 to 5, higher is better)", "●", "answer one┤", "answer two┤")
            assert " % " not in screen_text(app).replace("95 % ", "")
            await press(pilot, "j")
        await press(pilot, "l", "l")
        await sees(pilot, "Cost against scores", "a answer one")


@pytest.mark.parametrize(("kind", "name"), quick_first_rows(NAMES))
async def test_two_runs_are_compared(kind: str, name: str, tmp_path: Path) -> None:
    """Both marked and compared: a pair for each model, and what differs."""
    await runs_of(kind, name, tmp_path, *RUNS)
    app = quick_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "down", "space", "c")
        await sees(pilot, "one", "@1", "@2")
        print(screen_text(app))


@pytest.mark.soak
@pytest.mark.parametrize("size", quick_first(SIZES))
async def test_marks_are_compared_metric_by_metric(size: tuple[int, int], tmp_path: Path) -> None:
    """Every part names its metric and its scale whole, on any terminal; no mark is per cent, none is right or wrong."""
    await runs_of(*NAMES[1], tmp_path, *RUNS)
    app = quick_app(tmp_path)
    async with app.run_test(size=size) as pilot:
        await sees(pilot, "2 runs")
        await press(pilot, "space", "down", "space", "c")
        await sees(pilot, "metric", "A-B [95 %]", "groundedness", "one @1", "one @2", "groundedness (1 to 5, higher is better)")
        seen = [screen_text(app)]
        await press(pilot, "tab")
        await sees(pilot, "[Sides]", "metric", "groundedness", "score of groundedness (1 to 5, higher is better)")
        seen.append(screen_text(app))
        await press(pilot, "tab")
        await sees(pilot, "[Flips]", "groundedness (1 to 5")
        seen.append(screen_text(app))
        await press(pilot, "tab")
        for metric in OWN["grounded"].metrics:
            await sees(pilot, "[Charts]", f"Mean {metric.name} (1 to 5, higher is better)", "one @1┤", "two @2┤")
            seen.append(screen_text(app))
            await press(pilot, "j")
        assert not [text for text in seen if " % " in text.replace("95 % ", "") or "✓ right" in text or "✗ wrong" in text]


async def test_marks_of_a_run_under_way_are_added_up_by_metric(tmp_path: Path) -> None:
    """Without a report each metric has its own line: how many pass, and the mean so far."""
    await runs_of(*NAMES[1], tmp_path, RUNS[0])
    (tmp_path / "runs" / RUNS[0] / "report.json").unlink()
    app = quick_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sees(pilot, "1 run", "✓ done")
        await press(pilot, "enter")
        await sees(pilot, "This run has no report yet", "metric", "pass", "so far")
        lines = [line.split() for line in screen_text(app).split("\n") if "answer" in line and "one" in line]
        assert [line[2] for line in lines] == sorted(metric.name for metric in OWN["grounded"].metrics)
        assert all(1 <= float(line[5]) <= 5 and int(line[3]) <= int(line[4]) == 6 for line in lines)
