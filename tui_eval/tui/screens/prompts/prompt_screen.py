"""One prompt in full: the shipped text and a person's own, beside each other, or what is another between them."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import Container
from textual.widget import Widget

from tui_eval.configuring.prompt_files import PromptFile, prompt_file
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import Above
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.prompts.prompt_actions import WHOSE, PromptPage, label_of, slots_of
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.widgets.titled_text import WIDE, Titled, differing_lines


class PromptScreen(PromptPage, Above):
    """A prompt opened from the list."""

    CSS = """
    PromptScreen #trouble { display: none; height: 2; text-wrap: wrap; }
    PromptScreen.-trouble #trouble { display: block; }
    PromptScreen #both { height: 1fr; layout: vertical; }
    PromptScreen.-wide #both { layout: horizontal; }
    PromptScreen #difference { display: none; }
    PromptScreen.-difference #both { display: none; }
    PromptScreen.-difference #difference { display: block; }
    PromptScreen.-one #own { display: none; }
    PromptScreen.-unused #shipped { display: none; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    BINDINGS = [
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
        bind("pane.next", "app.focus_next", "Other text", show=False, tooltip="The keys that scroll go to the other text"),
    ]

    def __init__(self, prompt: PromptFile, shows_difference: bool = False) -> None:
        super().__init__()
        self._prompt = prompt
        self._shows_difference = shows_difference

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the prompt, both texts, and the difference between them."""
        yield Lines(id="about")
        yield Lines(id="trouble")
        with Container(id="both"):
            yield Titled(id="shipped")
            yield Titled(id="own")
        yield Titled(id="difference")

    def on_mount(self) -> None:
        """Show the texts."""
        self._show()

    def chosen(self) -> PromptFile:
        """The prompt on show."""
        return self._prompt

    def reread(self) -> None:
        """Show it as it is now."""
        if self._prompt.shipped is not None:
            with self.eval_app.telling():
                self._prompt = prompt_file(self.eval_app.workspace, self._prompt.kind, self._prompt.name)
        self._show()

    def _show(self) -> None:
        prompt = self._prompt
        slots = f"  must have {slots_of(prompt)}" if prompt.slots else "  no slots"
        self.query_one("#about", Lines).say((label_of(prompt), "strong"), "  ", WHOSE[prompt.whose], (slots, "dim"))
        self.query_one("#trouble", Lines).say(*_trouble(prompt))
        in_use = " (runs use it)"
        shipped = "shipped" + (in_use if prompt.whose == "shipped" else "")
        self.query_one("#shipped", Titled).show([(shipped, "accent")], _paragraphs(prompt.shipped or ""))
        own = "your own" + ("" if prompt.problem else in_use)
        self.query_one("#own", Titled).show([(own, "accent")], _paragraphs(prompt.own or ""))
        lines = differing_lines(prompt.shipped or "", prompt.own or "", "nothing: your own text is the shipped one")
        self.query_one("#difference", Titled).show([("- only in the shipped one, + only in yours", "accent")], lines)
        self.set_class(bool(prompt.problem or prompt.notes), "-trouble")
        self.set_class(prompt.own is None, "-one")
        self.set_class(prompt.shipped is None, "-unused")
        self.set_class(self._shows_difference and prompt.own is not None and prompt.shipped is not None, "-difference")
        self.refresh_bindings()
        part = "#difference" if self.has_class("-difference") else "#shipped" if self._prompt.own is None else "#own"
        self.query_one(part, Titled).take_keys()

    def action_difference(self) -> None:
        """Show the difference, or both texts again."""
        if self._prompt.own is None or self._prompt.shipped is None:
            self.eval_app.say("there is no text of your own to compare with; i writes one")
            return
        self._shows_difference = not self._shows_difference
        self._show()

    def offers(self, action: str) -> bool | str:
        """The key that shows what is another brings both texts back as well."""
        offer = super().offers(action)
        return "Both texts" if action == "difference" and offer and self.has_class("-difference") else offer


def _trouble(prompt: PromptFile) -> list[Piece]:
    """One line: what is wrong, or odd, about the own text."""
    if prompt.problem:
        return [(f"✗ {safe_line(prompt.problem, 300)}", "bad")]
    more = f" (and {len(prompt.notes) - 1} more)" if len(prompt.notes) > 1 else ""
    return [(f"! {safe_line(prompt.notes[0], 300)}{more}", "warn")] if prompt.notes else [""]


def _paragraphs(text: str) -> list[Paragraph]:
    return [(safe(text.strip()[:LONGEST_TEXT]), "")]
