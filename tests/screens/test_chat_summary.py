"""The dashboard of a run of conversations: its five metrics, latency among them, on a small screen, and what is told before."""

from __future__ import annotations

from pathlib import Path

from chat_run import MODELS, RUN
from screen import held, press, quick_app, sees, wait_for

from tui_eval.tui.widgets.table import RowTable

SIZE = (80, 24)


async def test_latency_stands_among_the_metrics_and_marking_in_the_line_of_keys(chat_workspace: Path) -> None:
    """A line for each model with p50, p90 and n; Enter opens its figures. By one metric alone there is none."""
    app = quick_app(chat_workspace, chat_workspace / "runs" / RUN)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "all 5 measures", "groundedness", "P Rate", "? Help")
        await wait_for(pilot, lambda: app.focused is app.screen.query_one("#standings", RowTable))
        await press(pilot, "G")
        await sees(pilot, *(f"answer {name}" for name in MODELS), "latency p50", "1.00 s", "p90")
        await press(pilot, "enter")
        await sees(pilot, "Latency by model", "nearest rank", "rests on")
        await press(pilot, "escape", "M", "G")
        await sees(pilot, "groundedness, 1 of 5")
        assert app.screen.query_one("#standings", RowTable).rows.count() == len(MODELS)


async def test_before_any_conversation_is_finished_the_calls_are_told(chat_workspace: Path) -> None:
    """A sample is a whole conversation with its judges' marks: until one is finished, how far each model got is on show."""
    run = chat_workspace / "runs" / RUN
    (run / "report.json").unlink()
    (run / "results.jsonl").write_text("")
    app = quick_app(chat_workspace, run)
    with held(run):
        async with app.run_test(size=SIZE) as pilot:
            await press(pilot, "v")
            await sees(pilot, "calls", "has no report yet", "Calls that have ended: alder 12 of 12", "judge")
            await sees(pilot, "No sample is finished so far: one is when all its calls are")
