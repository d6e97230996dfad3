"""The results of the open run, in parts: the summary, the tables, the answers, charts, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from rich.cells import cell_len
from textual.widget import Widget

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.kinds import Metric, ReadingRules
from tui_eval.results.sums.human_agreement import is_yes_or_no
from tui_eval.results.sums.judge_certificates import LEAST_LABELS
from tui_eval.results.sums.person_checks import LEAST_MARKS
from tui_eval.runs.folder import CONFIG, MANIFEST
from tui_eval.runs.person_marks import person_marks
from tui_eval.runs.steering import RunEntry
from tui_eval.tui import measures
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import ReadingOn, ReturningPage, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.ask_person import ask_person
from tui_eval.tui.screens.dialogs.choose import Choose
from tui_eval.tui.screens.live.live_lines import calls_done
from tui_eval.tui.screens.live.question_progress import makes_set
from tui_eval.tui.screens.result.answer_list import AnswersPart
from tui_eval.tui.screens.result.file_list import FilesPart
from tui_eval.tui.screens.result.grid import GridPart
from tui_eval.tui.screens.result.marking import MarkingScreen
from tui_eval.tui.screens.result.matrix import MatrixPart
from tui_eval.tui.screens.result.rating import ratable_metrics, rating_task
from tui_eval.tui.screens.result.report_tables import TablesPart
from tui_eval.tui.screens.result.result_charts import ChartsPart
from tui_eval.tui.screens.result.result_part import Part, Result
from tui_eval.tui.screens.result.source_list import SourcesPart
from tui_eval.tui.screens.result.summary import SummaryPart
from tui_eval.tui.screens.result.text_reader import ReaderScreen
from tui_eval.tui.screens.runs.run_keys import RunKeys
from tui_eval.tui.simulated_badge import pretended, spent
from tui_eval.tui.states import FAILED_AGAIN, run_state
from tui_eval.tui.widgets.lines import Lines, Piece, plain
from tui_eval.tui.widgets.sections import Sections
from tui_eval.tui.words import count
from tui_eval.workspace.plain_files import file_stamp

ROOMY = 100
"""Columns of the terminal from which on the line of keys names everything."""
HIDDEN_BELOW = {"whole": ROOMY + 10, "copy": ROOMY + 10, "write": ROOMY}
"""Columns below which these are not named where a person's marks wait to be counted, or suffice for a certificate."""
LONGEST_NAME, SHORT_NAME = 32, 16
"""Columns of the run's name above its results; the other where what is told of the run would not fit."""
CERTIFIES = "Write the certificates of judges that human ratings of this run allow, and say why there are no others"
COUNTS = "Derive the tables again from the log, with human ratings; nothing is sent"
SUMMARY, SOURCES, TABLES = "Summary", "Sources", "Tables"
"""The second of runs alone that made texts of files, or answered from them."""
MATRIX = "Matrix"
"""Of runs alone that asked the same under several prompts."""
PARTS: dict[str, Callable[[Result], Part]] = {
    SUMMARY: SummaryPart,
    MATRIX: MatrixPart,
    TABLES: TablesPart,
    "Answers": AnswersPart,
    SOURCES: SourcesPart,
    "Charts": ChartsPart,
    "Files": FilesPart,
    "Grid": GridPart,
}


class ResultScreen(RunKeys, ReadingOn, ReturningPage, measures.InParts[Part]):
    """A run's results, on top of the list of runs."""

    MODE = "results"
    BINDINGS = [
        bind("pane.next", "part(1)", "Next part"),
        bind("pane.previous", "part(-1)", "Previous part", show=False),
        bind("back", "back", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("person.begin", "mark_blind", "Rate", tooltip="Rate answers yourself, blind: how far the judge agrees with you"),
        bind("person.count", "count_marks", "Count ratings", tooltip=COUNTS),
        bind("person.certify", "certify", "Certify", tooltip=CERTIFIES),
        bind("run.log", "app.visit('log')", "Log", tooltip="Every call of the run (screen 6)"),
        bind("run.compare", "compare", "Compare", tooltip="Compare the run's models on their common questions"),
        bind("run.bench", "bench", "Bench", tooltip="Compare scorers on the stored replies, and rate replies blind"),
        bind("run.review", "review", "Review", tooltip="Look through the set of questions that the run made"),
        bind("run.watch", "app.visit('run')", "Monitor", show=False, tooltip="Watch the run live (screen 3)"),
        bind("run.resume", "resume", "Resume", show=False, tooltip="Finish a run that was interrupted"),
        bind("run.resume_failed", "resume(True)", "Retry failed", show=False, tooltip=FAILED_AGAIN),
        bind("run.path", "path", "Path", show=False, tooltip="Show where the run folder is, and copy it"),
    ]

    def __init__(self, path: Path | None) -> None:
        """`path`: the run folder; None where none is open."""
        super().__init__()
        self._config = path and file_stamp(path / CONFIG)
        self._result: Result | None = None

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the run, the names of the parts, and the parts."""
        opened = self.eval_app.opened
        yield Lines(id="about")
        if opened is None:
            return
        self._result = Result(opened, self.eval_app.settings.letters)
        self.parts_by_name = {name: make(self._result) for name, make in PARTS.items()}
        yield Sections(self._offered(), id="parts")
        yield from self.parts_by_name.values()

    def again(self) -> bool:
        """Begin with the summary; another run that has the folder by now has results of its own."""
        opened, result = self.eval_app.opened, self._result
        if opened is None or result is None or self._config != file_stamp(opened.path / CONFIG):
            return False
        result.opened = opened
        self.query_one(Sections).offer(self._offered(), SUMMARY)
        self.turn()
        return True

    def _offered(self) -> list[str]:
        """The parts that the run has anything in."""
        result = self._result
        there = {SOURCES: result is not None and result.sources.there, MATRIX: result is not None and result.has_matrix}
        return [name for name in PARTS if there.get(name, True)]

    def on_mount(self) -> None:
        """Begin with the summary."""
        self.turn()

    @property
    def chosen(self) -> RunEntry | None:
        """The run whose results are on show, whichever was opened since."""
        opened = None if self._result is None else self._result.opened
        return None if opened is None else opened.entry or self.eval_app.board.entry(opened.path)

    def jobs(self) -> Sequence[Job]:
        """The report, the samples, and what the part on show wants to know of them. The scores so far are added up whatever is
        on show: the summary has to agree with the counts above it from its first moment."""
        if self._result is None or self.part is None:
            return ()
        return (self._result, self._result.answers, *self.parts_by_name[SUMMARY].jobs(), *self.part.jobs())

    def joined(self, latest: RunEntry | None) -> RunEntry | None:
        """Return the run as of the answers that were read so far."""
        return latest if self._result is None else self._result.joined(latest, self.is_reading)

    def look(self) -> None:
        """Show what changed on the part that is shown."""
        if self._result is None or self.part is None:
            self.query_one("#about", Lines).say(("No run is open. 4 lists the runs; Enter opens one.", "warn"))
            return
        self.query_one("#about", Lines).say(*about(self._result, self.eval_app.entry, self.size.width))
        if self.query_one(Sections).names != (offered := self._offered()):
            self.query_one(Sections).offer(offered)
        self.query_one(Sections).say(measures.measure_label(self._result.measure, self._result.names))
        self.part.look()
        self.read_on()
        if self.focused is None:  # a part cannot take the keys before it is laid out
            self.part.begin()

    def offers(self, action: str) -> bool | str:
        """The bench is for runs whose replies are read by rules; where measures can be chosen, others make room for that."""
        several = self._result is not None and len(self._result.names) > 1
        if action == "screen.measure":
            return several
        if action == "review":
            return makes_set(self.eval_app.entry)
        if action == "turns" and isinstance(self.part, GridPart):
            return self.part.other_rows
        if action in ("mark_blind", "count_marks", "certify"):
            return {"mark_blind": bool(self._by_person), "count_marks": self._uncounted, "certify": self._may_certify}[action]
        if action in HIDDEN_BELOW and (self._uncounted or self._may_certify) and self.size.width < HIDDEN_BELOW[action]:
            return False  # counting and certifying are done nowhere else, and are named
        if several and action in ("whole", "copy"):
            return "Notes" if action == "whole" else False
        if action == "write" and self._by_person and (several or isinstance(self.part, SummaryPart)):
            return self.size.width >= ROOMY  # else marking, which is done nowhere else, is not named
        return (
            action != "bench"
            or self.eval_app.rules.has_targets(self._kind)
            or self.eval_app.rules.known(self._kind) is not None
        )

    @property
    def _may_certify(self) -> bool:
        """Return whether there are marks enough for a certificate."""
        return self._result is not None and self._result.marks.may_certify

    @property
    def _uncounted(self) -> bool:
        """Return whether there are marks of a person that are not in the tables, and nobody is counting them."""
        result = self._result
        return result is not None and result.marks.waiting and not self.eval_app.run_actions.rescores(result.opened.path)

    async def action_back(self) -> None:
        """A step back: within the part, else out of the results."""
        if self.part is None or not self.part.leave():
            await self.action_leave()

    async def action_leave(self) -> None:
        """Back to where one came from: the list of runs, the monitor or the log."""
        await self.app.pop_screen()
        await self.eval_app.step_back()

    def action_measure(self) -> None:
        """The next measure."""
        if self._result is not None:
            if len(self._result.names) < 2:
                self.say_here(measures.ONE)
            self._result.turn()
            self.tick()

    def action_bench(self) -> None:
        """Scorers side by side on the replies of this run."""
        if self._result is not None:
            then = partial(self._to_the_bench, self._result.opened.path, self._kind)
            beside(self, partial(self.eval_app.rules.of, self._kind), then, group="bench")

    def _to_the_bench(self, path: Path, kind: str | None, rules: ReadingRules | None) -> None:
        has_targets = self.eval_app.rules.has_targets(kind)
        if not has_targets and rules is None:
            self.eval_app.say(f"{safe_line(kind)} has no targets, so there is nothing to compare scorers by")
        elif self.is_current:
            self.eval_app.show("bench" if has_targets else "letters", path, kind, rules)

    @property
    def _kind(self) -> str | None:
        """By the manifest: the list of runs, which has it too, may be read later than the results."""
        kind = None if self._result is None else self._result.opened.table(MANIFEST).get("kind")
        return kind if isinstance(kind, str) else None

    def action_compare(self) -> None:
        """The run's models, on the questions that each two have in common."""
        if self._result is not None:
            self.eval_app.show("compare", [self._result.opened.path])

    @property
    def _by_person(self) -> list[Metric]:
        """The metrics by which a person can mark."""
        return [] if self._result is None else ratable_metrics(self._result)

    def action_mark_blind(self) -> None:
        """Mark a sample of the answers, once it is known by whom."""
        entry = self.eval_app.entry
        if self._result is not None and self._result.absence == "being read":
            self.eval_app.say("the report is being read")
        elif self._result is None or not self._by_person:
            self.eval_app.say("no answer of this run was judged by a model on a scale that persons can rate on")
        elif entry is not None and entry.live:
            self.eval_app.say("this run goes on: its answers are rated when it has ended")
        elif self.eval_app.run_actions.rescores(self._result.opened.path):
            self.eval_app.say("the ratings are being counted: rate on once the tables are there")
        else:
            ask_person(self, self._choose_metric)

    def _choose_metric(self) -> None:
        """Mark by the metric that is chosen where there are several."""
        metrics = self._by_person
        if len(metrics) == 1:
            self._mark_by(metrics[0])
        elif metrics:
            names = [(metric.name, self._marked(metric)) for metric in metrics]
            Choose("Rate by which metric?", names).ask(self.app, lambda choice: self._mark_by(metrics[choice[0]]))

    def _marked(self, metric: Metric) -> str:
        """Describe how many marks of this person by a metric are on file, of how many."""
        try:
            marks = person_marks(self._result.opened.path) if self._result is not None else {}
        except TuiEvalError:
            marks = {}
        person = self.eval_app.settings.person
        own = [mark.mark for mark in marks.values() if (mark.metric, mark.person) == (metric.name, person)]
        if is_yes_or_no(metric):
            return f"{count(own.count(1))} yes, {count(own.count(0))} no; a certificate takes {LEAST_LABELS} of each"
        return f"{count(len(own))} answers rated; a correction takes {LEAST_MARKS}"

    def _mark_by(self, metric: Metric) -> None:
        if self._result is not None:
            task = rating_task(self._result, metric, self.eval_app.settings.person)
            self.app.push_screen(MarkingScreen(self._result, task, self.action_count_marks, self.action_certify))

    def action_certify(self) -> None:
        """Write certificates, beside the screen, and show what came of it."""
        if self._result is not None:
            beside(
                self,
                partial(self.eval_app.certify, self._result.opened.path),
                self._show_certificates,
                group="certify",
                otherwise=lambda why: self.eval_app.say(f"no certificate is written: {why}", bad=True),
            )

    def _show_certificates(self, lines: Sequence[str]) -> None:
        self.app.push_screen(ReaderScreen("Certificates", [(safe_line(line, 400), "") for line in lines], "certificates.txt"))

    def action_count_marks(self) -> None:
        """Make the tables anew, a person's marks counted in, and show the one that they make."""
        entry, tables, result = self.eval_app.entry, self.parts_by_name.get(TABLES), self._result
        if entry is None or result is None or not isinstance(tables, TablesPart):
            return
        if result.absence == "being read":
            self.eval_app.say("the report is being read: nothing is derived again")
            return
        result.version += result.marks.look()  # a key may come before what is read in the background
        if result.report.there and not result.marks.n and not result.marks.waiting:
            self.eval_app.say("no person has rated an answer of this run; P rates a sample of the answers that a judge scored")
        elif self.eval_app.run_actions.rescore(entry) and result.marks.n:
            self.query_one(Sections).choose(TABLES)
            tables.show_by_person()


def about(result: Result, entry: RunEntry | None, width: int) -> list[Piece]:
    """Describe the run and how it stands, in one line; with the folder's name where there is room for it."""
    if entry is None:
        return [(safe_line(result.opened.run_id, 60), "strong")]
    state = run_state(entry.state)
    made_up = entry.made_up if entry.simulated else result.report.made_up
    has_calls = result.absence not in ("", "being read") and entry.answered is not None
    calls = f", {calls_done(entry)}" if has_calls else ""
    pieces: list[Piece] = []
    for more, room in ((calls, LONGEST_NAME), ("", LONGEST_NAME), ("", SHORT_NAME)):
        words = f"  {safe_line(entry.kind)}  {count(entry.items_done)} of {count(entry.items)} samples{more}  "
        label: Piece = (f"  {pretended(made_up)}" if made_up != "nothing" else "", "warn")
        pieces = [(safe_line(entry.name or entry.run_id, room), "strong"), "  ", state, words, spent(entry), label]
        if cell_len(plain(pieces)) <= width - 2:
            break
    where: Piece = (f"  {safe_line(entry.run_id, 80)}", "dim")
    return [*pieces, where] if cell_len(plain([*pieces, where])) < width - 2 else pieces
