"""Writer of a run's rows: results.jsonl, results.json and the files of rows as they come, and what is counted of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tui_eval.configuring.evaluation import Contributions, Evaluation, may_have_files, row_files
from tui_eval.core.calls import WITHOUT_TEXT, Call, Json, Reply
from tui_eval.core.plaintext import count_of
from tui_eval.core.results import SampleResult, Table
from tui_eval.evaluation import sample_results
from tui_eval.evaluation.calls import was_cut
from tui_eval.reporting.figure_files import FileSelection, Repeat, write_content
from tui_eval.reporting.own_code.unscored_replies import UnscoredReplies
from tui_eval.reporting.result_lines import result_line
from tui_eval.reporting.score_changes import CHANGE_COLUMNS, CHANGES, Changes, OtherRule
from tui_eval.results.tables import rows_csv
from tui_eval.results.verdicts import failed_calls
from tui_eval.runs.folder import RESULTS
from tui_eval.runs.row_files import write_row_files
from tui_eval.runs.writing import AtomicFile, Inside, write_file
from tui_eval.simulator.unanswerable import CANNOT_KNOW


@dataclass(slots=True)
class RetryableCalls:
    """Calls that are over, and may end otherwise where a person has them asked again."""

    failed: int = 0
    """Those that failed or timed out."""
    unread: int = 0
    """Replies that were empty, cut before any text, or cannot be read. What was refused is none of them."""
    cut_at: int = 0
    """The highest token limit that cut one of these; 0 = none did."""

    def add(self, reply: Reply) -> None:
        """Take a reply into account."""
        if not reply.final or not reply.can_end_otherwise or reply.error_kind in ("not_sent", "refused"):
            return
        unread = reply.unread or reply.error_kind in WITHOUT_TEXT
        self.unread += unread
        self.failed += not unread
        if unread and was_cut(reply):
            self.cut_at = max(self.cut_at, reply.call.max_output_tokens or 0)


@dataclass(slots=True)
class RunOutcome:
    """Outcome of a run: the report, and how many items still have something to ask."""

    report: dict[str, Json] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    unfinished: int = 0
    failed: int = 0
    """Calls that ended without a reply for good, and items whose flow raised. A reply without a text is one."""
    broken: Counter[str] = field(default_factory=Counter)
    """What flows raised, and in how many items: bugs of a kind, or of ours."""
    headline: Sequence[Table] = ()
    """What a person reads first."""
    changes: OtherRule | None = None
    """What another rule made of the same replies, where a run was re-scored under one."""
    not_asked: int = 0
    """Items of which nothing was asked yet: they are unfinished, and in no table and no file."""
    newer: Changes | None = None
    """What a newer version of a rule made of the scores that were on file."""
    other_sums: bool = False
    """Whether means, intervals and tests on file were made by older sums, so that they differ though no score does."""
    unscored: UnscoredReplies = field(default_factory=lambda: UnscoredReplies({}))
    """Replies to which own scorers gave no score."""
    again: RetryableCalls = field(default_factory=RetryableCalls)
    """What asking failed calls again is for."""


class ResultWriter:
    """results.jsonl, results.json and the files of rows, as the rows come; and what is counted of them."""

    def __init__(self, out: Inside, evaluation: Evaluation, selection: FileSelection, changes: OtherRule | None = None) -> None:
        self.out, self.evaluation, self.selection = out, evaluation, selection
        self.simulated = False
        """Whether any reply of the run is; known before the first repeat ends."""
        self.whole = Repeat(evaluation, out, "", selection)
        self.lines = AtomicFile(out / RESULTS)
        self.repeats: list[Repeat] = []
        self.outcomes: Counter[str] = Counter()
        self.outcome = RunOutcome(changes=changes)
        self.asked: dict[str, Call] = {}
        """By model: the first call to it."""
        self.replied, self.unknown = Counter[str](), Counter[str]()
        """By model: replies with a text, and those of them by which the simulator says that it cannot know an answer."""
        self.unfinished = self.open_checks = 0
        """Samples that have not ended: those of answers, and those that find out about judges."""
        self._added = Contributions(evaluation)
        self.outcome.unscored = UnscoredReplies.of(evaluation.task.scorers)

    def add(self, row: SampleResult, line: str = "") -> None:
        """Write one row, and count it. `line`: that of results.jsonl, where it was made already."""
        self.unfinished += not row.finished and not row.sample.checks_judge
        self.open_checks += not row.finished and row.sample.checks_judge
        row = _with_files(self.out, self.evaluation, self._added, row)
        self.outcomes["internal"] += bool(row.error)
        self.outcome.broken.update([row.error] if row.error else ())
        self.outcomes.update(map(_outcome, row.replies))
        for reply in row.replies:
            self.asked.setdefault(reply.call.model, reply.call)
            self.replied[reply.call.model] += reply.ok
            self.unknown[reply.call.model] += reply.ok and CANNOT_KNOW in (reply.text or "")
            if reply.call.stage not in self.evaluation.task.recorded:
                self.outcome.again.add(reply)
        self.outcome.unscored.add(row)
        item = partial(sample_results.result, self.evaluation.kind, self.evaluation.task, row)
        if not row.sample.checks_judge:
            self.lines.write(line or result_line(self.evaluation, row))
        self.whole.add(row, item)
        if self.outcome.changes is not None:
            self.outcome.changes.add(row)
        if self.evaluation.repeat > 1:
            self._begin_repeats(row.sample.repeat + 1)
            self.repeats[-1].add(row, item)

    def unknown_words(self, simulated: Collection[str]) -> str:
        """Say how many replies of simulated models say that these know no answer; empty where none does."""
        unknown, replied = (sum(counts[name] for name in simulated) for counts in (self.unknown, self.replied))
        sentence = f"The simulator knows the shipped examples alone: {unknown:,} of {count_of(replied, 'reply', 'replies')}"
        return f"{sentence} {'says' if replied == 1 else 'say'} that it cannot know the answer." if unknown else ""

    def _begin_repeats(self, n: int) -> None:
        """Have as many repeats, those before the last one complete: each holds a file open until then."""
        while len(self.repeats) < n:
            for before in self.repeats[-1:]:
                before.end(self.simulated)
            folder = f"repeats/{len(self.repeats) + 1:02d}/"
            self.repeats.append(Repeat(self.evaluation, self.out, folder, self.selection))

    def end(self) -> None:
        """Put everything in its place, and write what adds up."""
        self._begin_repeats(self.evaluation.repeat if self.evaluation.repeat > 1 else 0)
        self.lines.keep()
        for repeat in (*self.repeats[-1:], self.whole):
            repeat.end(self.simulated)
        for path, content in self._added.contents():
            write_content(self.out, path, content)
        self.outcome.tables = dict(self.whole.reporter.tables())
        self.outcome.headline = tuple(self.whole.reporter.headline())
        self.outcome.failed = failed_calls(self.outcomes)
        if self.outcome.changes is not None:
            write_file(self.out / CHANGES, rows_csv(self.outcome.changes.rows, CHANGE_COLUMNS))

    def drop(self) -> None:
        """Leave nothing half written behind."""
        self.lines.drop()
        for repeat in (self.whole, *self.repeats):
            repeat.drop()


def _with_files(out: Inside, evaluation: Evaluation, added: Contributions, row: SampleResult) -> SampleResult:
    """Write the item's own files and add it up; where the kind cannot make them, that costs this item and no other."""
    if not may_have_files(evaluation, row):
        return row
    try:
        added.add(row)
        files = row_files(evaluation, row)
    except MemoryError:
        raise
    except Exception as error:
        return replace(row, error=f"its files: {type(error).__name__}: {error}")
    write_row_files(out, files.items())
    return row


def _outcome(reply: Reply) -> str:
    """Say how a call ended, in a word; a text that the token limit cut is told apart from one that ended by itself."""
    if reply.ok:
        return "ok_truncated" if reply.finish_reason == "length" else "ok"
    return reply.why
