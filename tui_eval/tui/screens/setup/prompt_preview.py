"""The prompts of a run exactly as they will be sent, sample by sample, before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from textual.widget import Widget

from tui_eval.configuring.drafting.planner import DraftPlan, Planner, Preview, PreviewedCall
from tui_eval.tui.background.latest_only import Latest
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.dialogs.saving import TextPage
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.sections import InSections, Sections
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count

MESSAGES, REQUEST = "Messages", "Request body"


class PreviewScreen(TextPage, InSections):
    """One sample's calls after the other; nothing of it is sent."""

    MODE = "run"
    BINDINGS = [
        bind("record.next", "item(1)", "Next item"),
        bind("record.previous", "item(-1)", "Previous item"),
        bind("pane.next", "part(1)", "Messages or body"),
        bind("pane.previous", "part(-1)", "Messages or body", show=False),
        bind("record.copy", "copy", "Copy"),
        bind("record.pager", "pager", "Pager", show=False, tooltip="Read it in $PAGER"),
        bind("back", "leave", "Back"),
        bind("app.leave", "leave", "Back", show=False),
    ]

    def __init__(self, planner: Planner, look: DraftPlan) -> None:
        super().__init__()
        self._number = 0
        self._preview: Preview | None = None
        self._latest = Latest(partial(planner.preview, look), self._take_preview, self._failed)

    def parts(self) -> Iterable[Widget]:
        """Yield the line on the sample, the views, and the text."""
        yield Lines(id="about")
        yield Sections([MESSAGES, REQUEST])
        yield Reading()

    def on_mount(self) -> None:
        """Read the first sample."""
        self._latest.ask(0)
        self.call_after_refresh(self.query_one(Reading).focus)

    def on_unmount(self) -> None:
        """Read no more."""
        self._latest.close()

    def on_sections_switched(self, event: Sections.Switched) -> None:
        """The other view."""
        self._draw()

    def action_item(self, by: int) -> None:
        """The next sample, or the one before."""
        if self._preview is not None:
            self._number = max(0, min(self._number + by, self._preview.items - 1))
            self._latest.ask(self._number)

    def _take_preview(self, preview: Preview) -> None:
        self._preview = preview
        self._draw()

    def _failed(self, error: BaseException) -> None:
        with self.eval_app.guarded():
            raise error

    def _draw(self) -> None:
        preview = self._preview
        if preview is None:
            return
        assumed = any(call.assumed for call in preview.calls)
        words = f"sample {count(self._number + 1)} of {count(preview.items)}  {safe_line(preview.item_id, 60)}"
        note = "  later stages hold example replies" if assumed else ""
        self.query_one("#about", Lines).say((words, "strong"), f"  {len(preview.calls)} calls, nothing is sent", (note, "warn"))
        body = self.query_one(Sections).chosen == REQUEST
        self.show_text([paragraph for call in preview.calls for paragraph in call_paragraphs(call, body)])


def call_paragraphs(call: PreviewedCall, body: bool) -> list[Paragraph]:
    """A call as text: its messages with their roles, or the body of its request."""
    parameters = "  ".join(f"{name} {value}" for name, value in call.parameters.items() if value is not None)
    head: list[Paragraph] = [(f"── {safe_line(call.stage)} · {safe_line(call.model)}  {safe_line(parameters, 200)}", "accent")]
    if call.assumed:
        head.append(("(the replies of earlier stages are examples here)", "warn"))
    if body:
        return [*head, (safe(_indented(call.body)[:LONGEST_TEXT]), ""), ("", "")]
    for message in call.messages:
        attached = "".join(f"\n[attached: {attachment.mime}]" for attachment in message.attachments)
        head += [(f"{message.role}:", "strong"), (safe(message.content[:LONGEST_TEXT]) + safe(attached), ""), ("", "")]
    return head


def _indented(body: str) -> str:
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body
