"""One call sent again, with other messages or parameters: a run of its own; both replies stand beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from textual.containers import Container
from textual.widget import Widget

from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.reporting import resend
from tui_eval.runs.folder import LOG
from tui_eval.runs.steering import Started
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above, beside
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.dialogs.asking_first import ask_to_send
from tui_eval.tui.screens.resend.call_part import CallPart
from tui_eval.tui.screens.resend.call_rows import cost, differences, most, reply_text, reply_title
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.sections import InSections, Sections
from tui_eval.tui.widgets.titled_text import WIDE, Titled
from tui_eval.workspace.plain_files import file_stamp

CALL, REPLIES, DIFFERENCE = "Call", "Replies", "Difference"
NOT_SENT = "not sent yet; s sends it"


class ResendScreen(Above, InSections):
    """A recorded call, changed and sent as often as one likes."""

    MODE = "log"
    CSS = """
    ResendScreen #replies { height: 1fr; layout: vertical; }
    ResendScreen.-wide #replies { layout: horizontal; }
    ResendScreen #replies, ResendScreen #difference { display: none; }
    ResendScreen.-Replies #replies, ResendScreen.-Difference #difference { display: block; }
    ResendScreen.-Replies #call, ResendScreen.-Difference #call { display: none; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    BINDINGS = [
        bind("setup.start", "send", "Send", tooltip="Send it: one call, a run of its own among the results"),
        bind("pane.next", "part(1)", "Next part"),
        bind("pane.previous", "part(-1)", "Previous part", show=False),
        bind("prompt.difference", "difference", "Difference", tooltip="What is another in the messages and in the reply"),
        bind("list.right", "other", "Other reply", show=False, tooltip="The keys that scroll go to the other reply"),
        bind("list.left", "other", "Other reply", show=False),
        bind("run.results", "results", "Results", tooltip="The run that was made of it, among the results"),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
    ]

    def __init__(self, original: resend.Original) -> None:
        super().__init__()
        self._original = original
        self._found: resend.ResendPreview | None = None
        """What sending it would mean; None while that is being found out."""
        self._looks = 0
        self._sending = False
        self._path: Path | None = None
        """The run that was made last."""
        self._started: Started | None = None
        """Its process, until that has ended."""
        self._reply: resend.Record | None = None
        self._sent = 0
        """Which of the looks was sent."""
        self._log_stamp: object = None

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the call, the parts, and what it would mean to send it."""
        yield Lines(id="about")
        yield Sections([CALL, REPLIES, DIFFERENCE], id="parts")
        yield CallPart(self._original)
        with Container(id="replies"):
            yield Titled(id="before")
            yield Titled(id="now")
        yield Titled(id="difference")
        yield Lines(id="cost")

    def on_mount(self) -> None:
        """Show it as it was sent."""
        call, original = self._original.call, self._original
        item = call.item_id.removeprefix(f"{call.model}/").removeprefix(f"{NO_DOCUMENT}/")
        where = f"  {safe_line(call.stage, 16)} · {safe_line(call.model, 24)} · {safe_line(item, 40)}"
        run = f"  of {safe_line(original.name or original.run_id, 30)}"
        simulated: list[Piece] = [("  simulated", "warn")] if original.record["simulated"] else []
        self.query_one("#about", Lines).say(("send again", "strong"), where, *simulated, (run, "dim"))
        self._check()

    def offers(self, action: str) -> bool | str:
        """There are results only of what was sent; Enter does what e does."""
        return action != "open" and (action != "results" or self._path is not None)

    # what it would mean to send it

    def on_call_part_changed(self, event: CallPart.Changed) -> None:
        """Find out what sending it would mean now."""
        self._check()

    def _check(self) -> None:
        self._found, self._looks = None, self._looks + 1
        part = self.query_one(CallPart)
        draft = resend.draft_of(self._original, part.messages, part.parameters)
        work = partial(resend.look, draft, self.eval_app.workspace)
        beside(self, work, self._take_look, group="check", keys_wait=False)
        self._show()

    def _take_look(self, look: resend.ResendPreview) -> None:
        self._found = look
        self._show()

    # what is shown

    def _show(self) -> None:
        original, messages = self._original, self.query_one(CallPart).messages
        waiting = NOT_SENT if self._path is None else "waiting for the reply …" if self._under_way else "no reply came"
        self.query_one("#before", Titled).show(reply_title("before", original.record), reply_text(original.record, ""))
        self.query_one("#now", Titled).show(reply_title("now", self._reply), reply_text(self._reply, waiting))
        later = self._reply is not None and self._sent != self._looks
        lines = differences(original, messages, self._reply, later)
        self.query_one("#difference", Titled).show([("- before, + now", "accent")], lines)
        self.query_one("#cost", Lines).say(*self._cost())

    def _cost(self) -> Iterable[Piece]:
        if self._sending or self._under_way:
            return [("▶ under way: ", "accent"), safe_line(self._path.name if self._path else "being made", 60)]
        return cost(self._found, again=self._path is not None)

    # sending it

    @property
    def _under_way(self) -> bool:
        return self._started is not None

    def action_send(self) -> None:
        """Send it, once what that means is known and nothing is wrong with it."""
        look = self._found
        if self._sending or self._under_way:
            self.eval_app.say("it is under way already")
        elif look is None:
            self.eval_app.say("it is still being checked; press s again in a moment")
        elif look.loaded is None:
            self.eval_app.say(f"it cannot be sent: {look.problem}", bad=True)
        elif look.simulated:
            self._begin(look)
        else:
            summary = f"1 call to a real model, {most(look)}. It makes a run of its own among the results."
            ask_to_send(self, "Send it?", summary, look.loaded, partial(self._begin, look), self._not_sent)

    def _begin(self, look: resend.ResendPreview) -> None:
        if look is not self._found or self._sending or self._under_way:  # it is another call by now
            self.eval_app.say("it was changed meanwhile; press s again", bad=True)
            return
        self._sending, self._reply, self._path, self._sent = True, None, None, self._looks
        assert look.loaded is not None
        work = partial(resend.send, look.loaded, self.eval_app.workspace)
        beside(self, work, self._is_sent, otherwise=self._not_sent, outlives=True)
        self._show()

    def _not_sent(self, why: str) -> None:
        self._sending = False
        self.eval_app.say(f"it was not sent: {why}", bad=True)
        self._show()

    def _is_sent(self, run: tuple[Path, Started]) -> None:
        path, started = run
        self._sending, self._path, self._started, self._log_stamp = False, path, started, None
        self.eval_app.run_actions.started[path] = started
        self.query_one(Sections).choose(REPLIES)
        self._show()

    def look(self) -> None:
        """Read what came of it since."""
        if self._path is None or self._started is None:
            return
        ended, stamp = self._started.poll() is not None, file_stamp(self._path / LOG)
        if ended or stamp != self._log_stamp:
            self._log_stamp, self._started = stamp, None if ended else self._started
            work = partial(resend.reply_in, self._path)
            beside(self, work, partial(self._came, self._path), group="read", keys_wait=False)

    def _came(self, path: Path, reply: resend.Record | None) -> None:
        if path == self._path:
            self._reply = reply
            self._show()

    # going about

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """Show the part."""
        for name in (REPLIES, DIFFERENCE):
            self.set_class(event.name == name, f"-{name}")
        if event.name == CALL:
            self.query_one(CallPart).take_keys()
        else:
            self.query_one("#now" if event.name == REPLIES else "#difference", Titled).take_keys()

    def action_difference(self) -> None:
        """Show the difference, or the replies again."""
        sections = self.query_one(Sections)
        sections.choose(REPLIES if sections.chosen == DIFFERENCE else DIFFERENCE)

    def action_other(self) -> None:
        """Scroll the other reply."""
        if self.query_one(Sections).chosen == REPLIES:
            before, now = self.query_one("#before", Titled), self.query_one("#now", Titled)
            (now if before.has_focus_within else before).take_keys()

    async def action_results(self) -> None:
        """The run that was made, among the results."""
        if self._path is None:
            self.eval_app.say(NOT_SENT)
            return
        self.eval_app.open_run(self._path)
        await self.eval_app.action_number("result")
