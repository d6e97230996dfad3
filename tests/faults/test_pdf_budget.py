"""A cap on cost holds where PDFs are sent: somebody says how long they may be, or is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_bench import (
    INTENTS,
    Served,
    Table,
    asked,
    panel,
    resume_here,
    run_here,
    spoken_by,
    strict_lines,
    write_config,
)
from invariants import check

from tui_eval.cli.plan_text import plan_text
from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

PRICE = {"input": 100.0, "output": 100.0}
TOKENS = 10_000
PDF_USD = TOKENS * PRICE["input"] / 1e6


def config(folder: Path, url: str, documents: int, **run: object) -> Table:
    """A doer that is asked about each of some PDFs."""
    for n in range(documents):
        (folder / f"paper{n}.pdf").write_bytes(b"%PDF-1.4\n%" + bytes([0xE2, 0xE3, n]))
    models = [spoken_by(url, "reader", "bench-20ms", price=PRICE)]
    return panel(models, [asked("reader")], documents=["*.pdf"], run={"max_output_tokens": 10, **run})


async def test_the_key_that_is_missing_is_named(served: Served, tmp_path: Path) -> None:
    """A cap on cost without a bound on PDFs is refused, and the advice is not to drop the cap."""
    with pytest.raises(ConfigError) as told:
        await run_here(config(tmp_path, served.url, 1, max_cost_usd=5.0), tmp_path)

    assert "--set run.pdf_tokens=" in str(told.value) and "drop the cap" not in str(told.value)
    assert (await served.stats())["requests"] == 0


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({}, "PDFs of unknown length: run.pdf_tokens = N bounds the cost"),
        ({"pdf_tokens": TOKENS, "max_output_tokens": 0}, "no token limit: run.max_output_tokens = N bounds the cost"),
        (
            {"max_output_tokens": 0},
            "no token limit and PDFs of unknown length: run.max_output_tokens = N and run.pdf_tokens = N bound the cost",
        ),
        ({"pdf_tokens": TOKENS}, ""),
    ],
)
def test_a_dry_run_says_what_bounds_the_cost(run: Table, said: str, tmp_path: Path) -> None:
    """The keys that are missing, and no other."""
    path = write_config(tmp_path, config(tmp_path, "http://127.0.0.1:9", 1, **run))

    text = plan_text(load(path, Workspace(tmp_path)))

    assert [line.strip() for line in text.splitlines() if " the cost" in line] == [said][: bool(said)]


async def test_the_cap_holds_with_pdfs(served: Served, tmp_path: Path) -> None:
    """Each attempt holds what its PDF may come to; as many are under way as the cap has room for, no more; a resume, too."""
    made = config(tmp_path, served.url, 6, max_cost_usd=2.5 * PDF_USD, pdf_tokens=TOKENS)

    life = await run_here(made, tmp_path)
    again = await resume_here(life.path)

    stats = await served.stats()
    check(again.path, stats)
    worst = [intent["worst_usd"] for intent in strict_lines(life.path / INTENTS)]
    assert min(worst) >= PDF_USD
    assert 1 <= stats["peak_in_flight"] <= 2
    assert life.report["charged_usd"] <= 2.5 * PDF_USD
    assert life.loaded.plan["max_cost_usd"] >= 6 * PDF_USD
