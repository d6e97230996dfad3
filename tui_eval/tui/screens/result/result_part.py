"""A part of the results, and what all parts look at: the run's answers and its report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from tui_eval.core.units import units_of
from tui_eval.results.asked_turns import asked_turns
from tui_eval.results.read_report import list_of, table_of
from tui_eval.results.score_grid import ScoreGrid
from tui_eval.results.source_files import SourceFiles
from tui_eval.results.stored_run import StoredRun
from tui_eval.runs.entry import RunEntry
from tui_eval.runs.folder import MANIFEST, RESULTS
from tui_eval.tui.background.slices import Job
from tui_eval.tui.measures import PartInTurn, turned
from tui_eval.tui.open_run import OpenedRun
from tui_eval.tui.report_rows import ACCURACY, Report
from tui_eval.tui.screens.result.sample_dossier import Letters, SampleDossiers
from tui_eval.tui.screens.result.stored_marks import REPORT, MarksOnFile
from tui_eval.workspace.plain_files import file_stamp

BEING_READ = "The report is being read …"
BROKEN = "report.json cannot be read. C derives it again from the log, and sends nothing."
SAMPLES_BEING_READ = "The samples are being read …"
Absence = Literal["", "being read", "broken", "not written"]
"""Why there is no report to show; empty where there is one."""


class Result:
    """Results of a run folder, as far as they were read."""

    def __init__(self, opened: OpenedRun, letters: Letters) -> None:
        """`letters`: gives each of some models its letter."""
        self.opened = opened
        self.answers = StoredRun(opened.path / RESULTS)
        self.dossiers = SampleDossiers(self.answers, letters)
        self.turns = asked_turns(opened.path)
        self.sources = SourceFiles(opened.path)
        self.marks = MarksOnFile(opened.path)
        self.report = Report({})
        self.on_demand: list[str] = []
        """Paths of the files that `export --file` makes."""
        self.version = 0
        """Grows when there is another report, or another measure is chosen."""
        self.measure: int | None = None
        """Which of the report's measures is looked at; None = all of them."""
        self._stamp_now = partial(file_stamp, opened.path / REPORT)
        self._stamp: object = None
        self._grids: dict[str | None, ScoreGrid] = {}
        self._read: RunEntry | None = None
        """The run as of the answers that are read."""
        self._next: RunEntry | None = None
        """The same as of those that are being read."""

    @property
    def view(self) -> Report:
        """The report by the measure that is looked at."""
        return self.report if self.measure is None else self.report.by(self.report.measures[self.measure])

    @property
    def grid(self) -> ScoreGrid:
        """The scores by the metric that is looked at, of several the first."""
        measures = self.view.measures
        name = measures[0].metric.name if measures else ACCURACY
        metric = None if name == ACCURACY else name  # there is one, which has another name in the scores
        if metric not in self._grids:
            self._grids = {metric: ScoreGrid(self.answers, metric)}
        return self._grids[metric]

    @property
    def absence(self) -> Absence:
        """Why there is no report to show: what is still being read is neither broken nor missing."""
        if self.report.there:
            return ""
        if self._stamp_now() != self._stamp:
            return "being read"
        return "not written" if self._stamp is None else "broken"

    def absence_words(self, not_written: str) -> str:
        """The same for people; `not_written`: where the run has no report yet."""
        return {"": "", "being read": BEING_READ, "broken": BROKEN, "not written": not_written}[self.absence]

    @property
    def names(self) -> list[str]:
        """Names of its measures."""
        return [measure.name for measure in self.report.measures]

    @property
    def has_matrix(self) -> bool:
        """Return whether the report has the same metric under several versions of what is asked.

        Known before the report is read, so that no key lands on another part than the one that stands there then.
        """
        return "matrix" in self.report.tables if self.report.there else (self.opened.path / "matrix.json").is_file()

    @property
    def variant(self) -> str:
        """Noun for the difference between two sides of one model, such as prompt."""
        return units_of(self.opened.table(MANIFEST).get("units")).variant or "version"

    def joined(self, latest: RunEntry | None, is_reading: bool) -> RunEntry | None:
        """Have the answers of a run that goes on read just as far as its counts go; return those that stand for what is read.

        `latest`: the counts as they are now; they are read up to when all that was asked for before is read and shown.
        """
        if latest is None or not latest.follows_log:
            self._read, self._next, self.answers.upto = None, None, None
            return latest
        if not is_reading:
            self._read, self._next, self.answers.upto = self._next, latest, latest.results_bytes
        return self._read or latest

    def turn(self) -> None:
        """Look at the next measure; after the last at all of them."""
        self.measure = turned(self.measure, len(self.names))
        self.version += 1

    def behind(self) -> bool:
        """Return whether the report, or a person's marks, were written since they were read."""
        return self._stamp_now() != self._stamp or self.marks.behind()

    def advance(self, seconds: float) -> bool:
        """Read the report and a person's marks, if they are others."""
        self.version += self.marks.look()
        stamp = self._stamp_now()
        if stamp != self._stamp:
            before = self.names
            content = self.opened.table(REPORT)
            self.report = Report(content)
            self.on_demand = [name for name in list_of(content.get("on_demand")) if isinstance(name, str)]
            self.measure = self.measure if self.names == before else None
            self.dossiers.letters(name for name in table_of(content.get("models")) if isinstance(name, str))
            self.version += 1
            self._stamp = stamp  # last: until then it is being read
        return False


class Part(PartInTurn):
    """One of the parts that are shown in turn."""

    def __init__(self, result: Result, *, id: str) -> None:
        super().__init__(id=id)
        self.result = result

    def look(self) -> None:
        """See what changed, and draw it."""

    def jobs(self) -> Sequence[Job]:
        """Return the jobs of this part in the background."""
        return ()
