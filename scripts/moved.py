"""Writes docs/moved.md: where each module, class and function of an older checkout is today.

usage: python scripts/moved.py OLD_CHECKOUT > docs/moved.md

A module that is gone is looked up in core/former/old_modules; what is found in neither is looked for by its name.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import measure  # noqa: E402

from tui_eval.core.former.old_attributes import OLD_ATTRIBUTES  # noqa: E402
from tui_eval.core.former.old_modules import OLD_MODULES  # noqa: E402

HEAD = """# Moved: where modules of version 0.5.0 are now

What version 0.5.0 had at another place, for whoever cites or imports an old path. `scripts/moved.py` writes this page. Old
import paths work for one release, with a DeprecationWarning; packages of others import from `tui_eval.plugin`.

| module then | module now | its classes and functions |
|---|---|---|
"""

RENAMES = {
    "core.plugins.Later": "core.plugins.Lazy",
    "results.answer_search.Job": "tui.background.slices.Job",
    "results.answer_search.go_on": "tui.background.slices.go_on",
    "results.comparison.read_lines.Score": "results.stored_scores.StoredScore",
    "results.comparison.read_lines.entry_of": "results.stored_scores.parse_line",
    "results.comparison.read_lines.is_regular": "runs.log.growing_lines.LogFile",
    "results.comparison.read_lines.number_of": "results.sums.metrics.amount",
    "results.comparison.read_lines.regular_lines": "runs.reader.lines",
    "results.comparison.read_lines.scores_of": "results.stored_scores.scores_of",
    "results.comparison.read_lines.text_of": "results.stored_scores.text_of",
    "simulator.claim_checking.wanted": "simulator.answers.answer_marks.claims_wanted",
    "simulator.pair_choosing.wanted": "simulator.answers.answer_marks.pair_wanted",
    "simulator.pair_choosing.chosen": "simulator.answers.answer_marks.preferred",
    "tui.pager.page": "tui.screens.dialogs.saving.show_in_pager",
    "core.made.Made": "core.lazy_sequence.LazySequence",
    "core.results.Shown": "core.results.SampleView",
    "datasets.field_mapping.Columns": "datasets.field_mapping.FileColumns",
    "datasets.parsing.Columns": "datasets.parsing.FieldNames",
    "datasets.set_store.Brought": "datasets.set_store.ImportedQuestions",
    "datasets.set_store.Kept": "datasets.set_store.SavedSet",
    "engine.adaptive_window.Group": "engine.adaptive_window.CallGroup",
    "engine.calling.Ended": "engine.calling.AttemptEnd",
    "engine.discover.Found": "engine.discover.LocalServer",
    "engine.rates.Pace": "engine.rates.RateWindow",
    "engine.run.Ended": "engine.run.RunEnd",
    "engine.turns.Turn": "engine.turns.CallSlot",
    "kinds.call.Config": "kinds.call.CallConfig",
    "kinds.call.Turn": "kinds.call.CallMessage",
    "kinds.choice.choice_table.Config": "kinds.choice.choice_table.ChoiceConfig",
    "models.found.Added": "models.discovered.AddedModels",
    "models.registries.Found": "models.registries.RegistryContents",
    "reading.document_body.Piece": "reading.document_body.TextPiece",
    "reading.letters.found.Found": "reading.letters.declared_labels.DeclaredLabel",
    "reading.letters.outcome.Question": "reading.letters.outcome.LetteredOptions",
    "reading.letters.outcome.Reading": "reading.letters.outcome.LetterReading",
    "reading.quotes.Found": "reading.quotes.QuotePlace",
    "results.answer_search.Chosen": "results.answer_search.MatchingRows",
    "results.answer_search.Tally": "results.answer_search.ScoreSums",
    "results.comparison.flips.Answer": "results.comparison.flips.SideReply",
    "results.comparison.sides.Side": "results.comparison.sides.RunSide",
    "results.exporting.exported_run.Scored": "results.exporting.exported_run.ScoredReply",
    "results.exporting.junit_report.Case": "results.exporting.junit_report.JUnitCase",
    "results.source_files.Scored": "results.source_files.ScoreSum",
    "runs.files.Listing": "runs.files.FileListing",
    "runs.log.columns.Columns": "runs.log.columns.LogColumns",
    "runs.log.query.Line": "runs.log.query.LogLine",
    "runs.log.sums.Pace": "runs.log.sums.AttemptPace",
    "tui.page.Told": "tui.page.Notification",
    "tui.report_rows.Standing": "tui.report_rows.MetricStanding",
    "tui.screens.bench.rule.Rule": "tui.screens.bench.rule.ReadingRule",
    "tui.screens.compare.compare_part.Part": "tui.screens.compare.compare_part.ComparePart",
    "tui.screens.datasets.question_list.PreviewScreen": "tui.screens.datasets.question_list.SetPreviewScreen",
    "tui.screens.models.model_rows.Checked": "tui.screens.models.model_rows.CheckState",
    "tui.screens.datasets.set_import.BringingPage": "tui.screens.datasets.bringing.DocumentsPage",
    "tui.widgets.cells.Counted": "tui.widgets.cells.Rows",
    "tui.widgets.cells.Listed": "tui.widgets.cells.listed_rows",
    "tui.widgets.table.Table": "tui.widgets.table.RowTable",
    **{f"{module}.{old}": new for module, names in OLD_ATTRIBUTES.items() for old, new in names.items()},
}
"""What has another name today. Functions that made the cells of one table are in its list of columns."""
PACKAGES = {name: f"{name}.screen" for name in ("tui.screens.live", "tui.screens.log", "tui.screens.runs")}
"""Modules then that are packages now, and the module that took each's place."""


def main() -> int:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    print(HEAD + "\n".join(rows(parser.parse_args().checkout)))
    return 0


def rows(checkout: Path) -> list[str]:
    """Return a row for each module of a checkout and each place that its classes and functions have today."""
    former, today = definitions(checkout), definitions(ROOT)
    places = defaultdict[str, list[str]](list)
    for module, names in today.items():
        for name in names:
            places[name].append(module)
    found = []
    for module, names in former.items():
        target = PACKAGES.get(module, module if module in today else OLD_MODULES.get(module, ""))
        by_place = defaultdict[str, list[str]](list)
        for name in names:
            if f"{module}.{name}" in RENAMES:
                place, _, new = RENAMES[f"{module}.{name}"].rpartition(".")
                by_place[place].append(name if new == name else f"{name} (now {new})")
                continue
            place = target if name in today.get(target, ()) else places[name][0] if len(places[name]) == 1 else ""
            if place != module:
                by_place[place].append(name)
        if not names and target and target != module:
            by_place[target] = []
        found += [row(module, place, moved) for place, moved in sorted(by_place.items())]
    return found


def row(module: str, place: str, names: list[str]) -> str:
    """Format one row of the table."""
    return f"| `{module}` | {f'`{place}`' if place else 'gone; the cells of a table are in its columns'} | {', '.join(names)} |"


def definitions(checkout: Path) -> dict[str, list[str]]:
    """By module, within the package: its public classes and functions."""
    result = {}
    for name, module in measure.read_modules(checkout).items():
        body = ast.parse(module.path.read_text(encoding="utf-8")).body
        named = [node.name for node in body if isinstance(node, (*measure.FUNCTIONS, ast.ClassDef))]
        result[name.partition(".")[2]] = [name for name in named if not name.startswith("_")]
    return result


if __name__ == "__main__":
    sys.exit(main())
