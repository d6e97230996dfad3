"""Laws of the matrix of models by prompts: every figure is that of its side, who leads is whom the verdict names, all fits."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from boards import ERRORS, RIGHT, Value, add
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.kinds import Metric
from tui_eval.core.units import Units
from tui_eval.evaluation.variant_matrix import LEADS, WIDTH, VariantMatrix
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.verdict import verdict_of
from tui_eval.results.tables import aligned

ORDER = ("plain", "steps", "terse")


def board_of(sides: Mapping[str, Mapping[str, Sequence[Value]]], metric: Metric = RIGHT, order: Sequence[str] = ORDER) -> Board:
    """By prompt what each model came to."""
    board = Board.empty(Units("sample", variant="prompt", variants=tuple(order)), [metric])
    for prompt, columns in sides.items():
        for model, values in columns.items():
            add(board, model, values, metric, variant=prompt)
    return board


cells = st.sampled_from([[1.0] * 20, [0.0] * 20, [1.0, 0.0] * 10, [None] * 20, [1.0] * 3 + [None] * 17])
sides = st.dictionaries(
    st.sampled_from(ORDER), st.dictionaries(st.sampled_from(["m0", "m1", "m2"]), cells, min_size=1), min_size=1
)


@settings(few, max_examples=100)
@given(sides, st.sampled_from(["right", "errors"]))
def test_every_cell_is_that_of_its_side(planted: dict[str, dict[str, list[Value]]], name: str) -> None:
    """Estimate, interval and n; a side without a score has none of them, and one that was not asked is empty; as text, too."""
    metric = {"right": RIGHT, "errors": ERRORS}[name]
    board = board_of(planted, metric)
    found = VariantMatrix.of(board)
    scored = any(value is not None for columns in planted.values() for values in columns.values() for value in values)
    assert (found is None) == (len(planted) < 2 or not scored)
    if found is None:
        return
    table, short = found.table({"m0": "api-m0"}), found.short()
    estimate = "accuracy" if metric is RIGHT else "mean"
    prompts = [prompt for prompt in ORDER if prompt in planted]
    assert table.columns == ("stage", "model", "model_id", *(f"{what}_{p}" for p in prompts for what in (estimate, "leads")))
    assert [column for part in short for column in part.columns[1:]] == prompts
    lines = [[short[0].rows[n][0], *(cell for part in short for cell in part.rows[n][1:])] for n in range(len(table.rows))]
    for row, rests_on, texts in zip(table.rows, table.rests_on, lines, strict=True):
        figures = dict(zip(table.columns, row, strict=True))
        model = str(figures["model"].value)
        assert rests_on == {"stage": "answer", "model": model} and texts[0].value == model
        for prompt, text in zip(prompts, texts[1:], strict=True):
            side, figure = Side("answer", model, metric.name, prompt), figures[f"{estimate}_{prompt}"]
            known = board.estimate(side) if side in board.series else None
            expected = (known.value, known.n, known.low, known.high) if known else (None, None, None, None)
            assert figure[:4] == expected and text[1:4] == figure[1:4]
            leads = figures[f"leads_{prompt}"].value
            assert leads == ({True: "yes", False: "no"}[found.leads(model, prompt)] if known and known.n else None)
            assert str(text.value).endswith(f" {LEADS}") == (leads == "yes")
            assert (text.value == "-") == (not (known and known.n))


@settings(few, max_examples=100)
@given(sides)
def test_who_leads_is_whom_the_verdict_names(planted: dict[str, dict[str, list[Value]]]) -> None:
    """Under the prompt that it speaks of; its note does not speak of a leader where none is shown under any prompt."""
    board = board_of(planted)
    found = VariantMatrix.of(board)
    if found is None:
        return
    said, note = verdict_of(board), found.short()[-1].note
    first = next(p for p in ORDER if any(s.variant == p and board.estimate(s).n for s in board.series))
    if f"Under prompt `{first}`, " in said:
        own = said.split(f"Under prompt `{first}`, ")[1]
        assert own.startswith(tuple(f"{found.leaders[p]} (" for p in [first] if p in found.leaders) or ("no leader", "m"))
        assert (" leads over " in own.split(". ")[0]) == (first in found.leaders)
    assert ("No leader is shown under any prompt." in note) == (len(found.models) > 1 and not found.leaders)
    assert note.startswith(f"{LEADS}: significantly better") == bool(found.leaders)


def test_as_text_no_table_is_wider_than_a_terminal() -> None:
    """Twelve models of long names by twelve prompts of long names: in several tables, every prompt in one of them."""
    chance, prompts = random.Random(1), [f"a_prompt_of_a_rather_long_name_{number:02}" for number in range(12)]
    models = [f"openrouter/some-provider/a-long-model-name-{number:02}" for number in range(12)]
    columns = {p: {m: [float(chance.random() < 0.5) for _ in range(7 + chance.randrange(3))] for m in models} for p in prompts}
    found = VariantMatrix.of(board_of(columns, order=prompts))
    assert found is not None
    short = found.short()

    assert len({part.title for part in short}) == len(short) > 2
    assert sum(len(part.columns) - 1 for part in short) == 12 and not any(part.note for part in short[:-1])
    for part in short:
        rows = [[str(cell.value) for cell in row] for row in part.rows]
        lines = aligned(part.columns, rows, [False] + [True] * (len(part.columns) - 1)).splitlines()
        assert len(rows) == 12 and max(map(len, lines)) <= WIDTH
        assert all(" n " in cell for row in rows for cell in row[1:]), "where they differ, each says its n"
