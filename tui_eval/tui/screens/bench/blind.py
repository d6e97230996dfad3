"""Replies rated right or wrong by a person, blind: no model, no verdict, no stratum; each rating is on disk at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.widget import Widget

from tui_eval.reporting.bench_ratings import BlindRating
from tui_eval.results.sums.scorers.scorer_bench import BenchReply
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.bench.scorer_rows import answer_paragraphs
from tui_eval.tui.screens.result.blind_page import BlindPage
from tui_eval.tui.widgets.chrome import KeysLine
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Reading
from tui_eval.tui.words import count

HIDDEN = "y and n rate here, digits switch no screens; models and scorers are hidden"


class BlindRatingScreen(BlindPage[BenchReply, bool], Above):
    """One reply after the other, in seeded order, until there are so many more ratings."""

    rating: BlindRating
    hint = HIDDEN
    MODE = "results"
    CSS = """
    BlindRatingScreen #about, BlindRatingScreen #asks { background: $panel; }
    """
    BINDINGS = [
        bind("person.yes", "rate(1)", "Right", tooltip="The reply is right"),
        bind("person.no", "rate(0)", "Wrong", tooltip="The reply is wrong"),
        bind("person.cannot_tell", "cannot_tell", "Cannot tell", tooltip="Cannot tell: it counts as no rating"),
        bind("bench.take_back", "take_back", "Back", tooltip="Take the last rating back, and show its reply again"),
        bind("bench.no_digit", "no_digit", "No rating", show=False, tooltip="Digits switch no screens while replies are rated"),
        bind("person.leave", "leave", "Leave", tooltip="To the table of scorers; rating goes on here later"),
    ]

    def __init__(self, rating: BlindRating, n: int, done: Callable[[], None]) -> None:
        """`n`: ratings before it ends; `done`: called when the screen is left, whatever was rated."""
        super().__init__()
        self.rating, self._done = rating, done
        self._first = rating.n
        self._wanted = min(n, rating.left)

    def parts(self) -> Iterable[Widget]:
        """Yield the progress, the question to the person, the reply."""
        yield Lines(id="about")
        yield Lines(id="asks")
        yield Reading()

    def on_mount(self) -> None:
        """Show the first reply."""
        self.query_one(Reading).focus()
        self.show_next()

    def offers(self, action: str) -> bool | str:
        """No run is begun from here, and there is nothing to take back before the first rating."""
        return self.rating.n > 0 if action == "take_back" else action != "new_run"

    def action_rate(self, right: int) -> None:
        """Write it down, and go on."""
        self.put(bool(right))

    def action_no_digit(self) -> None:
        """Digits are no ratings."""
        self.eval_app.say("y is right, n is wrong, 0 is cannot tell; digits switch no screens here, q leaves")

    def action_leave(self) -> None:
        """Back to the scorers."""
        self.app.pop_screen()
        self._done()

    def show_next(self) -> None:
        """Show the next reply; where there are so many more ratings, leave."""
        rating = self.rating
        self._first = min(self._first, rating.n)
        if rating.n >= self._first + self._wanted:
            self.action_leave()
            return
        current = rating.current()
        self.subject = None if current is None else current[0]
        person = safe_line(rating.person, 40) if rating.person else ""
        number = f"{count(rating.n - self._first + 1)} of {count(self._wanted)}"
        self.query_one("#about", Lines).say(("tui-eval  blind rating  ", "dim"), (number, "strong"), (f"  {person}", "dim"))
        self.query_one("#asks", Lines).say(("Is the reply right?", "strong"))
        self.query_one(Reading).show([] if current is None else answer_paragraphs(current[1]))
        self.query_one(KeysLine).look(self)
        self.say_status()
