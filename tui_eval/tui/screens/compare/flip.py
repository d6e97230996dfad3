"""One question on which two sides differ, in full: what was asked, what is right, both answers, and what was said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from textual import events
from textual.containers import Horizontal
from textual.widget import Widget

from tui_eval.core.kinds import Metric
from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair
from tui_eval.results.comparison.flips import Flip, SideReply, flip_of
from tui_eval.results.comparison.notes import simulated
from tui_eval.results.comparison.sides import Standing
from tui_eval.results.sums.metrics import is_binary
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.dialogs.saving import TextPage
from tui_eval.tui.screens.live.log_figures import query_of_item
from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count

WIDE = 120
"""From this many columns on the answers stand side by side."""
CHANGED = "The run's results were written anew since they were compared: go back and compare again."


class FlipScreen(TextPage):
    """A flip, opened from the list of a pair's."""

    MODE = "results"
    CSS = """
    FlipScreen #beside { display: none; height: 1fr; }
    FlipScreen #beside Reading { width: 1fr; }
    FlipScreen #asked { display: none; height: 10; }
    FlipScreen.-wide #beside, FlipScreen.-wide #asked { display: block; }
    FlipScreen.-wide #beside { layout: horizontal; }
    FlipScreen.-wide #whole { display: none; }
    """
    BINDINGS = [
        bind("flip.next", "step(1)", "Next", tooltip="The next question on which the two differ"),
        bind("flip.previous", "step(-1)", "Previous", show=False, tooltip="The one before it"),
        bind("run.log", "log('A')", "A's calls", tooltip="Every call of A's item, in the log of A's run"),
        bind("flip.log_b", "log('B')", "B's calls", tooltip="Every call of B's item, in the log of B's run"),
        bind("list.open", "log", "Calls", show=False, tooltip="The calls of the answers that have the keys, else of A's"),
        bind("pane.next", "app.focus_next", "Other side", show=False),
        bind("pane.previous", "app.focus_previous", "Other side", show=False),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("record.copy", "copy", "Copy", tooltip="Copy the question and both answers as text"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read it in $PAGER"),
    ]

    def __init__(
        self, pair: ComparedPair, keys: Sequence[tuple[int, int]], place: int, on_leave: Callable[[int], None]
    ) -> None:
        """`on_leave` is told at which of the keys one went back."""
        super().__init__()
        self._left = on_leave
        self._pair, self._keys, self._place = pair, keys, place
        self._flip: Flip | None = None

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the flip; the question and the answers, one under the other or side by side."""
        yield Lines(id="about")
        yield Reading(id="whole")
        yield Reading(id="asked")
        yield Horizontal(Reading(id="left"), Reading(id="right"), id="beside")

    def on_mount(self) -> None:
        """Show it."""
        super().on_mount()
        self._fit()
        self._take(self._place)

    def on_resize(self, event: events.Resize) -> None:
        """Room for both beside one another, or not."""
        self._fit()

    def _fit(self) -> None:
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "-wide")
        self.call_after_refresh(lambda: self.query_one("#left" if wide else "#whole", Reading).focus())

    def _take(self, place: int) -> None:
        self._place = place
        flip = self._flip = flip_of(self._pair.a.side, self._pair.b.side, self._keys[place], LONGEST_TEXT)
        better, by = self._pair.a if flip.a_better else self._pair.b, said.gap(flip)
        at = f"{count(place + 1)} of {count(len(self._keys))}  "
        self.query_one("#about", Lines).say(
            (at, "dim"),
            (self._simulated("  "), "warn"),
            (f"{safe_line(better.label)} does better" + (f" by {by}" if by else ""), "strong"),
        )
        question, side_a, side_b = self._sections(flip)
        self.query_one("#whole", Reading).show([*question, *side_a, *side_b])
        self.query_one("#asked", Reading).show(question)
        self.query_one("#left", Reading).show(side_a)
        self.query_one("#right", Reading).show(side_b)

    def _sections(self, flip: Flip) -> tuple[list[Paragraph], list[Paragraph], list[Paragraph]]:
        """Return the question, and both sides."""
        question: list[Paragraph] = [("Question", "accent"), (safe(flip.question) or "-", ""), ("", "")]
        pair = self._pair
        if flip.truth or pair.share:
            question += [("Truth", "accent"), (safe(flip.truth) or "-", ""), ("", "")]
        return (
            question,
            side_text("A", pair.a, flip.score_a, flip.answers_a),
            side_text("B", pair.b, flip.score_b, flip.answers_b),
        )

    @property
    def text(self) -> str:
        """The question and both answers as text."""
        if self._flip is None:
            return ""
        return self._simulated("\n\n") + "\n".join(text for section in self._sections(self._flip) for text, _ in section)

    def _simulated(self, end: str) -> str:
        words = safe_line(simulated((self._pair.a, self._pair.b)), 300)
        return words + end if words else ""

    async def action_log(self, letter: str = "") -> None:
        """The calls of one side in the log of its run; without a letter, of the answers that have the keys."""
        if self._flip is None:
            return
        letter = letter or ("B" if self.focused is self.query_one("#right") else "A")
        flip, pair = self._flip, self._pair
        standing, answers = (pair.b, flip.answers_b) if letter == "B" else (pair.a, flip.answers_a)
        if not answers:
            self.eval_app.say(CHANGED)
            return
        app, path = self.eval_app, standing.side.run.path
        app.open_run(path)
        if app.opened is not None and app.opened.path == path:  # else it said why not
            app.log_query = query_of_item(answers[0].item_id)
            await app.action_visit("log")

    def action_step(self, by: int) -> None:
        """The next one, or the one before."""
        if 0 <= self._place + by < len(self._keys):
            self._take(self._place + by)
        else:
            self.say_here("that was the last one" if by > 0 else "that was the first one")

    def action_leave(self) -> None:
        """Back to the list."""
        self._left(self._place)
        super().action_leave()


def score_cell(value: float, metric: Metric) -> tuple[str, Tone]:
    """A score as a sign and a word where it is right or wrong, else the mark."""
    if is_binary(metric) and value in (0, 1):
        return ("✓ right", "good") if value else ("✗ wrong", "bad")
    return f"{value:.3g}", ""


def side_text(letter: str, standing: Standing, score: float, answers: Sequence[SideReply]) -> list[Paragraph]:
    """A side's answers to a question."""
    sign, tone = score_cell(score, standing.metric)
    sign += "" if is_binary(standing.metric) else f": {safe_line(said.metric_words(standing.metric), 80)}"
    run = safe_line(standing.side.run.run_id, 80)
    paragraphs: list[Paragraph] = [(f"{letter} · {safe_line(standing.label, 80)} · {run}", "accent"), (sign, tone)]
    if not answers:
        paragraphs.append((CHANGED, "warn"))
    for answer in answers:
        paragraphs += _answer_text(answer)
    return [*paragraphs, ("", "")]


def _answer_text(answer: SideReply) -> list[Paragraph]:
    facts = [safe_line(answer.item_id, 80)]
    facts += [f"repeat {answer.repeat + 1}"] if answer.repeat else []
    facts += [f"call {answer.call_index + 1}"] if answer.call_index else []
    facts += ["no score" if answer.value is None else f"score {answer.value:g}"]
    facts += [f"read: {safe_line(answer.read, 60)}"] if answer.read else []
    facts += [safe_line(answer.why, 300)] if answer.why else []
    text = safe(answer.text) if answer.text else f"no text: {safe_line(answer.why or answer.status)}"
    judged: list[Paragraph] = []
    for who, words in answer.judged:
        judged += [(f"{safe_line(who, 80)} said", "dim"), (safe(words), "")]
    return [(" · ".join(facts), "dim"), (text, "" if answer.text else "warn"), *judged, ("", "")]
