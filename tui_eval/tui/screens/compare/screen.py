"""Runs, or the models of one, compared on the questions they have in common; it stands on top of the results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from textual.widget import Widget

from tui_eval.core.kinds import Metric
from tui_eval.results.comparison import files as compare_report
from tui_eval.results.comparison.comparing import Comparison, compare_runs
from tui_eval.runs.folder import RESULTS
from tui_eval.tui import measures
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above, ReturningPage, beside
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.compare.compare_part import ComparePart, go_on
from tui_eval.tui.screens.compare.flip_list import FlipsPart
from tui_eval.tui.screens.compare.pair_list import PairsPart
from tui_eval.tui.screens.compare.pictures import ComparisonCharts
from tui_eval.tui.screens.compare.side_list import SidesPart
from tui_eval.tui.screens.dialogs.saving import in_pager
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.sections import Sections
from tui_eval.tui.widgets.table import RowTable
from tui_eval.workspace.plain_files import file_stamp


class CompareScreen(ReturningPage, Above, measures.InParts[ComparePart]):
    """A comparison, read once when it is opened, in the background."""

    MODE = "results"
    BINDINGS = [
        bind("pane.next", "part(1)", "Next part"),
        bind("pane.previous", "part(-1)", "Previous part", show=False),
        bind("compare.pairs", "pairs", "Pairs", tooltip="Back to the pairs, to choose another one"),
        bind("record.write", "write", "Write", tooltip="Write the files of tui-eval compare into comparisons/"),
        bind("record.pager", "pager", "Pager", tooltip="Read the whole comparison as text in $PAGER"),
        bind("record.copy", "copy", "Copy", show=False, tooltip="Copy the whole comparison as text"),
        bind("back", "back", "Back"),
        bind("app.leave", "leave", "Back", show=False),
    ]

    def __init__(self, paths: Sequence[Path]) -> None:
        """`paths`: run folders; of a single one its models are compared."""
        super().__init__()
        self._paths, self._stamps = list(paths), _stamps(paths)
        self.comparison: Comparison | None = None
        self._measure: int | None = None
        """Which of its metrics is on show; None = all of them."""
        self.parts_by_name: Mapping[str, ComparePart] = {
            "Pairs": PairsPart(),
            "Sides": SidesPart(id="sides-part"),
            "Flips": FlipsPart(),
            "Charts": ComparisonCharts(id="charts-part"),
        }

    def again(self) -> bool:
        """It compares what it has read: it is made anew where that is not what the runs have now."""
        return self.comparison is not None and self._stamps == _stamps(self._paths)

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the comparison, the names of the parts, and the parts."""
        yield Lines(id="about")
        yield Sections(list(self.parts_by_name), id="parts")
        yield from self.parts_by_name.values()

    def on_mount(self) -> None:
        """Begin to read."""
        runs = f"{len(self._paths)} runs" if len(self._paths) > 1 else "the run"
        self.query_one("#about", Lines).say((f"reading {runs} …", "dim"))
        self.turn()
        read = partial(compare_runs, self._paths, (), go_on)
        beside(self, read, self._show, group="compare", otherwise=self._refuse, keys_wait=False)

    def offers(self, action: str) -> bool | str:
        """Return whether a key applies to the part on show; nothing is written before it was read, and measures need room."""
        if action == "pairs":
            return self.part is not self.parts_by_name["Pairs"]
        if action == "open" and self.part is self.parts_by_name["Pairs"]:
            return "Its flips" if self.comparison is not None else False
        if action == "open" and self.part is self.parts_by_name["Sides"]:
            return False
        several = len(self._measures) > 1
        if action == "screen.measure":
            return several
        room = self.comparison is not None and (not several or self.part is self.parts_by_name["Pairs"])
        return room or action not in ("write", "pager")

    def _refuse(self, words: str) -> None:
        if self.is_attached:
            self.query_one("#about", Lines).say(("Nothing to compare", "warn"))
            self.query_one(PairsPart).say(safe(words))

    def _show(self, comparison: Comparison) -> None:
        self.comparison = comparison
        names = ", ".join(f"@{number} {safe_line(run.run_id, 60)}" for number, run in enumerate(comparison.runs, 1))
        wholly = all(run.simulated and not run.asked for run in comparison.runs)
        made_up = ("simulated  " if wholly else "partly simulated  ") if comparison.simulated else ""
        counts = f"{comparison.counts}  "
        self.query_one("#about", Lines).say(("Compare  ", "strong"), counts, (made_up, "warn"), (names, "dim"))
        self._show_measure()
        self.turn()

    @property
    def _measures(self) -> Sequence[Metric]:
        """The metrics of which two sides could be paired."""
        pairs = () if self.comparison is None else self.comparison.pairs
        return list(dict.fromkeys(pair.metric for pair in pairs))

    def _show_measure(self) -> None:
        if self.comparison is not None:
            metrics, choice = self._measures, self._measure
            self.query_one(Sections).say(measures.measure_label(choice, [metric.name for metric in metrics]))
            for part in self.parts_by_name.values():
                part.show(self.comparison if choice is None else self.comparison.by(metrics[choice]))

    def action_measure(self) -> None:
        """The next metric alone, or all again."""
        if len(self._measures) < 2:
            self.say_here(measures.ONE)
        self._measure = measures.turned(self._measure, len(self._measures))
        self._show_measure()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """The questions on which the pair under the cursor differs."""
        pair = self.query_one(PairsPart).current
        if pair is not None:
            self.query_one(FlipsPart).choose(pair)
            self.query_one(Sections).choose("Flips")

    def action_pairs(self) -> None:
        """To the pairs."""
        if self.part is self.parts_by_name["Pairs"]:
            self.say_here("the pairs are on show")
        self.query_one(Sections).choose("Pairs")

    def action_back(self) -> None:
        """A step back within the part; from the flips of a pair to the pairs, else out."""
        if self.part is not None and self.part.leave():
            return
        if self.part is self.parts_by_name["Flips"]:
            self.action_pairs()
        else:
            self.action_leave()

    @property
    def text(self) -> str:
        """The whole comparison as text."""
        return "" if self.comparison is None else safe(compare_report.text(self.comparison))

    def action_pager(self) -> None:
        """Read it in the pager."""
        if self.comparison is not None:
            in_pager(self, self.text)

    def action_copy(self) -> None:
        """Copy it."""
        if self.comparison is not None:
            self.eval_app.copy_text(self.text)

    def action_write(self) -> None:
        """The files that tui-eval compare writes."""
        if self.comparison is not None:
            self.eval_app.say("writing the comparison …")
            write = partial(self._write, self.comparison, self.part.pairs_on_show if self.part else ())
            beside(self, write, self.eval_app.say, group="write", outlives=True, keys_wait=False)

    def _write(self, comparison: Comparison, pairs: Sequence[str]) -> str:
        """In the background: flips are read once more, in any case those of the pair whose flips are on show."""
        folder = compare_report.write(comparison, compare_report.new_folder(self.eval_app.workspace), pairs)
        return f"written to {folder.resolve()}: {', '.join(compare_report.NAMES)}"


def _stamps(paths: Iterable[Path]) -> Sequence[object]:
    """Return what changes where the results of runs are others."""
    return [file_stamp(path / RESULTS) for path in paths]
