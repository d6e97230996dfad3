"""The scorer bench: scorers side by side on a run's stored replies, a person's blind ratings, and where scorers differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from textwrap import wrap

from textual.widget import Widget

from tui_eval.core.kinds import ReadingRules
from tui_eval.core.plaintext import count_of
from tui_eval.reporting.bench_ratings import BlindRating, place_of
from tui_eval.reporting.bench_report import heading, taking_command
from tui_eval.reporting.scorer_bench import ScorerBench, ScorerLine
from tui_eval.results.sums.scorers.scorer_bench import FRESH, BenchReply
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above, beside
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.bench.bench_reading import BenchReading
from tui_eval.tui.screens.bench.blind import BlindRatingScreen
from tui_eval.tui.screens.bench.letters import LettersScreen
from tui_eval.tui.screens.bench.reply import DisputedReplyScreen
from tui_eval.tui.screens.bench.scorer_rows import (
    DISPUTED,
    SCORERS,
    DisputedRow,
    ScorerBenchRow,
    scorer_text,
    whole_text,
)
from tui_eval.tui.screens.bench.taking import ScorerTaking
from tui_eval.tui.screens.dialogs.ask_person import ask_person
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.dialogs.saving import simulated
from tui_eval.tui.screens.result.text_reader import ReaderScreen
from tui_eval.tui.widgets.cells import Cell, Rows, row_cells
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.sections import InSections, Sections
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Reading
from tui_eval.tui.words import count

ROOMY = 120
"""Columns from which on all is said in full."""
RATINGS = 20
"""Ratings that a key asks for."""
SCORERS_PART, DISPUTED_PART = "Scorers", "Disputed replies"
TO_DISPUTED = "Disputed"
OPENS_AFTER = (
    "Opens with your ratings: r shows you replies, blind. Then the replies that you rated stand here, each with what every "
    "scorer says of it. u shows all of them, also without a rating."
)
NONE_RATED = "Scorers agree on all replies that you have rated. u shows the others, on which they differ."
NO_DISPUTE = "Scorers agree on every reply."


class ScorerBenchScreen(Above, InSections):
    """Scorers, and the replies on which they differ; on top of a run's results."""

    MODE = "results"
    CSS = """
    ScorerBenchScreen #scorers { height: 3fr; }
    ScorerBenchScreen #sentences { height: 2fr; border-top: solid $primary 40%; }
    ScorerBenchScreen #disputed { display: none; }
    ScorerBenchScreen.-disputed #scorers, ScorerBenchScreen.-disputed #sentences { display: none; }
    ScorerBenchScreen.-disputed #disputed { display: block; }
    """
    BINDINGS = [
        bind("bench.rate", "rate", "Rate", tooltip="Rate 20 replies blind: question, target and reply, in an order by chance"),
        bind("bench.fresh", "fresh", "Fresh", tooltip="Rate 20 fresh replies, which alone speak of the scorer chosen before"),
        bind("bench.counted", "counted", "Count all", tooltip="Count all ratings, or only those after the first 20, 40, …"),
        bind("bench.list", "turn", "Show all", tooltip="List replies that you rated, or all on which scorers differ"),
        bind("bench.letters", "letters", "Letters", tooltip="Try another rule for reading letters, or your own patterns"),
        bind("pane.next", "part(1)", "Disputed", tooltip="The scorers, or the replies on which they differ"),
        bind("pane.previous", "part(1)", "Other part", show=False),
        bind("record.whole", "whole", "All text", tooltip="All sentences about all scorers, to read, copy or write"),
        bind("bench.copy", "copy", "Copy", show=False, tooltip="Copy the command that re-scores the run by this scorer"),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
    ]

    def __init__(self, path: Path, kind: str, rules: ReadingRules | None) -> None:
        """`path`: the run folder; `rules`: those by which letters of its replies are read, if they are."""
        super().__init__()
        self._path, self._kind, self._rules = path, kind, rules
        self.reading = BenchReading(self, path, self._show)
        self._taking = ScorerTaking(self, path)
        self._shows_all = False
        self._listed: Sequence[BenchReply] = ()

    def parts(self) -> Iterable[Widget]:
        """Yield what is counted, the scorers with the sentences about one, the replies on which they differ."""
        yield Lines(id="about")
        yield Lines(id="heading")
        yield Lines(id="counted")
        yield Sections([SCORERS_PART, DISPUTED_PART], id="lists")
        yield RowTable(SCORERS, id="scorers")
        yield Reading(id="sentences", can_focus=False)
        yield RowTable(DISPUTED, id="disputed")

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#scorers", RowTable).show(Rows(lambda: len(self._lines), self._scorer_cells))
        self.query_one("#disputed", RowTable).show(Rows(lambda: len(self._listed), self._disputed_cells))
        self.query_one("#scorers", RowTable).focus()
        self.reading.begin()

    def on_unmount(self) -> None:
        """End what nobody sees any more."""
        self.reading.end()

    @property
    def _bench(self) -> ScorerBench | None:
        return None if self.reading.rated_bench is None else self.reading.rated_bench.bench

    @property
    def _lines(self) -> Sequence[ScorerLine]:
        return () if self._bench is None else self._bench.lines

    @property
    def _line(self) -> ScorerLine | None:
        """The scorer under the cursor."""
        row = self.query_one("#scorers", RowTable).cursor
        return self._lines[row] if row < len(self._lines) else None

    @property
    def _is_disputed(self) -> bool:
        return self.query_one(Sections).chosen.startswith(DISPUTED_PART)

    def offers(self, action: str) -> bool | str:
        """Name what can be done now: rating, once replies are there; what goes with a choice, once there is one."""
        rated_bench, disputed = self.reading.rated_bench, self._is_disputed
        if action == "letters":
            return self._rules is not None
        if action == "part(1)":
            return SCORERS_PART if disputed else TO_DISPUTED
        if rated_bench is None:
            return action in ("leave", "help")
        if action == "open":
            return bool(self._listed) if disputed else "Take"
        if action == "turn":
            return disputed and ("Rated" if self._shows_all else "Show all")
        if action == "fresh":
            return not disputed and bool(rated_bench.best) and "20 fresh"
        if action == "counted":
            return (
                not disputed
                and bool(self._steps or self.reading.after)
                and ("Count others" if self.reading.after else "Count fresh")
            )
        return action != "whole" or not disputed

    def look(self) -> None:
        """Show how far the reading is, and what the ratings on file count."""
        made_up: Piece = ("  simulated" if simulated(self) else "", "warn")
        name: Piece = (safe_line(self._path.name, 60), "dim")
        self.query_one("#about", Lines).say(("Scorer bench  ", "strong"), name, made_up)
        rated_bench, reading = self.reading.rated_bench, self.reading
        heads, counted = self.query_one("#heading", Lines), self.query_one("#counted", Lines)
        if rated_bench is None:
            heads.say(("✗ the bench cannot be shown", "bad") if reading.trouble else _waiting(reading.waits))
            counted.say("")
            return
        heads.say(safe(heading(rated_bench.bench, self.size.width < ROOMY)))
        counted.say(*self._counted())

    def _counted(self) -> list[Piece]:
        """Return the number of ratings that count, and how the best scorer was chosen."""
        rated_bench = self.reading.rated_bench
        assert rated_bench is not None
        rated = rated_bench.rated
        if not rated.n:
            return [("No ratings yet. Only a person can tell which is right: r rates 20, blind.", "warn")]
        after = f" after the first {count(rated.after)}" if rated.after else ""
        own = f", {count(len(rated_bench.own))} by you" if len(rated_bench.own) != rated.n else ""
        lost = rated.unsure + rated.split
        own += f", {count(lost)} without a verdict" if lost else ""
        best: list[Piece] = []
        if rated_bench.best:
            among = f"chosen by the first {count(rated.after)}" if rated.after else f"chosen among {len(rated_bench.errors)}"
            best = [("  ★ ", "accent"), f"{safe_line(rated_bench.best, 40)} has the least error, {among}"]
        return [(f"{count_of(len(rated.by_place), 'rating')} counted{after}{own}", "strong"), *best]

    # what is done

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another scorer under the cursor."""
        if event.table.id == "scorers":
            self._say_sentences()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Take a scorer, or open a reply."""
        rated_bench = self.reading.rated_bench
        if rated_bench is None:
            return
        if event.table.id == "scorers":
            if self._line is not None:
                self._taking.ask(self._line)
        else:
            self.app.push_screen(DisputedReplyScreen(rated_bench, len(self._listed), self._disputed_row, event.row))

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """The other part."""
        self.set_class(self._is_disputed, "-disputed")
        self.query_one("#disputed" if self._is_disputed else "#scorers", RowTable).focus()
        self.tick()

    def action_rate(self) -> None:
        """Rate some replies more."""
        self._rate(self.reading.after)

    def action_fresh(self) -> None:
        """Rate fresh replies, which alone count from now on: the choice is made by those before."""
        rated_bench = self.reading.rated_bench
        if rated_bench is None or not rated_bench.best:
            self.eval_app.say("first rate replies with r: they choose a scorer, and fresh ones then say how often it errs")
        else:
            self._rate(self.reading.after or rated_bench.rated.n)

    def _rate(self, after: int) -> None:
        entry = self.eval_app.entry
        if self._bench is None:
            self.eval_app.say(
                "the replies are still being read" if not self.reading.trouble else "there are no replies to rate"
            )
        elif entry is not None and entry.live:
            self.eval_app.say("this run goes on: its replies are rated when it has ended")
        else:
            ask_person(self, partial(self._begin_rating, self._bench, after))

    def _begin_rating(self, bench: ScorerBench, after: int) -> None:
        work = partial(BlindRating, self._path, bench, self.eval_app.settings.person)
        beside(self, work, partial(self._open_rating, after), group="rating")

    def _open_rating(self, after: int, rating: BlindRating) -> None:
        if not rating.left:
            self.eval_app.say("you have rated every reply of this run: there are no more")
        else:
            n = rating.n

            def count() -> None:
                self.reading.count_again(after if rating.n > n else self.reading.after)

            self.app.push_screen(BlindRatingScreen(rating, RATINGS, count))

    @property
    def _steps(self) -> Sequence[int]:
        """Numbers of first replies without whose ratings the others can be counted."""
        rated_bench = self.reading.rated_bench
        return () if rated_bench is None else range(FRESH, rated_bench.rated.n, FRESH)

    def action_counted(self) -> None:
        """Count all ratings, or those after the first 20, and so on."""
        following = next((step for step in self._steps if step > self.reading.after), 0)
        if following or self.reading.after:
            self.reading.count_again(following)
        else:
            self.eval_app.say(f"that is for more than {FRESH} ratings: f rates {FRESH} fresh ones, which then count alone")

    def action_turn(self) -> None:
        """All replies on which scorers differ, or those of them that the person has rated."""
        rated_bench = self.reading.rated_bench
        if rated_bench is None or not self._is_disputed:
            return
        n = sum(place_of(reply) not in rated_bench.own for reply in rated_bench.in_dispute)
        if self._shows_all or not n:
            self._list_all(not self._shows_all)
            return
        words = (
            f"{count_of(n, 'reply', 'replies')} of these you have not rated. Once you know what scorers say of a reply, "
            "your rating of it is no longer blind. Rate first what you want to rate."
        )
        confirm(self.app, "Show all replies on which scorers differ?", words, partial(self._list_all, True))

    def _list_all(self, shows_all: bool) -> None:
        self._shows_all = shows_all
        self._show()

    def action_letters(self) -> None:
        """Rules for reading letters, tried on this run."""
        if self._rules is None:
            self.eval_app.say("letters are read from the replies of multiple choice and the like; this run has none")
        else:
            self.app.push_screen(LettersScreen(self._path, self._kind, self._rules))

    def action_whole(self) -> None:
        """All sentences about all scorers."""
        if self.reading.rated_bench is not None:
            self.app.push_screen(ReaderScreen("Scorer bench", whole_text(self.reading.rated_bench), "scorer-bench.txt"))

    def action_copy(self) -> None:
        """The command that re-scores the run by the scorer under the cursor."""
        line = self._line
        if line is not None and line.settings:
            self.eval_app.copy_text(taking_command(line, self._path.resolve()))
        elif line is not None:
            self.eval_app.say(f"{line.name}: {line.why_not}")

    # what is shown

    def _show(self) -> None:
        """Draw a bench that was read, or counted anew."""
        rated_bench = self.reading.rated_bench
        scorers, disputed, sections = (
            self.query_one("#scorers", RowTable),
            self.query_one("#disputed", RowTable),
            self.query_one(Sections),
        )
        if rated_bench is None:
            scorers.empty = self._wrapped(safe(self.reading.trouble))
        else:
            own = rated_bench.own
            self._listed = [each for each in rated_bench.in_dispute if self._shows_all or place_of(each) in own]
            disputed.empty = self._wrapped(NO_DISPUTE if not rated_bench.in_dispute else NONE_RATED if own else OPENS_AFTER)
            names = [SCORERS_PART, f"{DISPUTED_PART} {count(len(rated_bench.in_dispute))}"]
            sections.offer(names, names[self._is_disputed])
        for table in (scorers, disputed):
            table.show(table.rows)
            table.redraw()
        self._say_sentences()
        self.tick()

    def _wrapped(self, words: str) -> str:
        """Words in place of rows, on lines that fit."""
        return "\n".join(f" {line}" for line in wrap(words, max(self.size.width - 4, 20)))

    def _say_sentences(self) -> None:
        rated_bench, line = self.reading.rated_bench, self._line
        if rated_bench is not None and line is not None:
            self.query_one("#sentences", Reading).show(scorer_text(rated_bench, line.name))

    def _scorer_cells(self, row: int) -> Sequence[Cell]:
        rated_bench = self.reading.rated_bench
        assert rated_bench is not None
        return row_cells(SCORERS, ScorerBenchRow(rated_bench, self._lines[row]))

    def _disputed_row(self, row: int) -> DisputedRow:
        rated_bench = self.reading.rated_bench
        assert rated_bench is not None
        reply = self._listed[row]
        place = place_of(reply)
        return DisputedRow(reply, rated_bench.bench.answers[place], rated_bench.own.get(place))

    def _disputed_cells(self, row: int) -> Sequence[Cell]:
        return row_cells(DISPUTED, self._disputed_row(row))


def _waiting(long: bool) -> Piece:
    return ("the stored replies are being read and scored …" if long else "", "accent")
