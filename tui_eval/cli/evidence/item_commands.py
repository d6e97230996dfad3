"""Verb `items`: which questions of a run tell its models apart, and which to look at."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui_eval.cli import options as add
from tui_eval.cli.verb import Options, Verb
from tui_eval.workspace.places import Workspace

if TYPE_CHECKING:
    from tui_eval.results.run_items import RunItems

WIDEST = 60
"""Characters of a question in a row."""
HELP = """\
share right: the share of the models' answers that are right; small = hard item.
item-rest: the correlation of right answers here with right answers elsewhere.
? = the key may be wrong. More than half of the models (8 at least) chose one
other option, and better models chose it more often; or all models chose it.
· = the item separates no two models. Of several runs: their common items.
tui-eval datasets deselect NAME --flagged RUN leaves them out, with the reason."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    add.runs(parser)
    parser.add_argument("--look", action="store_true", help="show only the items whose key may be wrong")
    add.json(parser)


def _execute(options: Options, workspace: Workspace) -> int:
    from tui_eval.cli.standard_error import narrate  # only here: --help reads no runs
    from tui_eval.core.plaintext import one_line, visible, visible_json
    from tui_eval.results.run_items import read_items
    from tui_eval.results.tables import json_text

    run_items = read_items([workspace.run(run) for run in options.runs])
    if options.json:
        print(visible_json(json_text(_as_json(run_items, options.look))), end="")
        return 0
    print(visible("\n".join(_sentences(run_items))))
    table = _table(run_items, options.look)
    print(f"\n{table}" if table else "")
    if run_items.analysis.doubted:
        narrate(f"tui-eval datasets deselect NAME --flagged {one_line(options.runs[0])} leaves these out of its dataset")
    return 0


def _sentences(run_items: RunItems) -> list[str]:
    """Return the notes on all items, simulated models first."""
    notices = [f"Simulated, not real models: {', '.join(run_items.simulated)}."] if run_items.simulated else []
    return [*notices, *run_items.analysis.sentences(run_items.what)]


def _table(run_items: RunItems, look_only: bool) -> str:
    from tui_eval.core.plaintext import one_line
    from tui_eval.results.tables import aligned

    rows = []
    for item, row in zip(run_items.analysis.ordered, run_items.rows(), strict=True):
        if item.doubt is None and look_only:
            continue
        low, high = item.interval or (None, None)
        rest = "-" if item.item_rest is None else f"{item.item_rest:.2f}"
        ends = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
        mark = "?" if item.doubt is not None else "" if item.separates else "·"
        question = one_line(run_items.questions.get(item.place, ""), WIDEST)
        share = f"{100 * item.share_right:.1f} %"
        rows.append((mark, one_line(str(row["item"]), 60), share, rest + ends, str(item.n_models), question, str(row["why"])))
    if not rows:
        return ""
    columns = ("", "item", "share right", "item-rest [95 %]", "models", "question", "why")
    end = len(columns) if run_items.analysis.doubted else -1
    numeric = (False, False, True, True, True, False, False)
    return aligned(columns[:end], [row[:end] for row in rows], numeric[:end], widest=200)


def _as_json(run_items: RunItems, look_only: bool) -> dict[str, Any]:
    analysis = run_items.analysis
    items = [item for item in analysis.ordered if item.doubt is not None or not look_only]
    rows = [
        {**row, "question": run_items.questions.get(item.place, "")}
        for item, row in zip(items, run_items.rows(look_only), strict=True)
    ]
    return {
        "metric": run_items.metric,
        "models": list(analysis.models),
        "simulated_models": list(run_items.simulated),
        "few_answers": list(analysis.few_answers),
        "of_one_id": list(analysis.of_one_id),
        "n_items": len(analysis.items),
        "n_separate_nobody": sum(not item.separates for item in analysis.items),
        "effective_items": round(analysis.effective, 6),
        "n_look": len(analysis.doubted),
        "notes": analysis.sentences(run_items.what),
        "items": rows,
    }


VERBS: tuple[Verb, ...] = (
    Verb("items", "RUN...", "show how hard items are, and which keys may be wrong", _arguments, _execute, HELP, listed=False),
)
