"""Foreign text in prompts for judges that have headings: without the prompt's marks, in a frame where one is wanted."""

from __future__ import annotations

from dataclasses import dataclass

from tui_eval.core.calls import Reply
from tui_eval.evaluation.judging.judge_frames import JudgeFrames, marks_held
from tui_eval.reading.frames import without_headings, without_marks

_OPENING, _CLOSING = "[DOCUMENT]\n", "\n[/DOCUMENT]\n\n"


@dataclass(slots=True)
class HeadedTexts:
    """The texts of one call, as whoever judges them is shown them, and which of them held marks."""

    frames: JudgeFrames
    held: tuple[tuple[str, str, str], ...] = ()
    """What the call notes of them (`Call.holds_marks`)."""

    def text(self, slot: str, text: str, name: str = "", answer: Reply | None = None) -> str:
        """A text in its frame (`name`), where there are frames; as it came in runs from before marks were neutralized.

        `slot`: what it is, as the prompts of all kinds call it; `answer`: the reply that it is of.
        """
        return self._in_frame(name, self._copy(slot, text, answer))

    def document(self, block: str) -> str:
        """A document's block, which has a frame of its own."""
        if not block.startswith(_OPENING) or not block.endswith(_CLOSING):
            return self.text("document", block)
        inside = self._copy("document", block[len(_OPENING) : -len(_CLOSING)])
        return f"{self._in_frame('DOCUMENT', inside)}\n\n" if self.frames.frames else f"{_OPENING}{inside}{_CLOSING}"

    def system(self, text: str) -> str:
        """The system message, with what there is to say of frames."""
        return self.frames.system(text)

    def _copy(self, slot: str, text: str, answer: Reply | None = None) -> str:
        if self.frames.frames is None:
            return text
        shown = without_headings(without_marks(text, self.frames.mark))
        if shown != text:
            whose = {slot: (answer.call.model, f"{answer.call.stage} {answer.call.call_index}")} if answer else {}
            self.held += marks_held([slot], {slot: text}, whose)
        return shown

    def _in_frame(self, name: str, text: str) -> str:
        mark = self.frames.mark
        return f"[{name} {mark}]\n{text}\n[/{name} {mark}]" if self.frames.frames and name else text
