"""Foreign text in prompts for judges that have headings: without the prompt's marks, in a frame where one is wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tui_eval.core.calls import Reply
from tui_eval.kinds.shared.judge_frames import JudgeFrames, marks_held
from tui_eval.reading.frames import without_headings, without_marks

_OPENING, _CLOSING = "[DOCUMENT]\n", "\n[/DOCUMENT]\n\n"


@dataclass(slots=True)
class HeadedTexts:
    """The texts of one call, as whoever judges them is shown them, and which of them held marks."""

    frames: JudgeFrames
    _held: dict[str, tuple[str, tuple[str, str] | None]] = field(default_factory=dict)
    """By a name of its own each text that held marks: the slot that says what it is, and whose answer."""
    _texts: dict[str, str] = field(default_factory=dict)

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

    @property
    def held(self) -> Any:
        """What the call notes (`Call.holds_marks`)."""
        found = [entry for name, (slot, whose) in self._held.items() for entry in self._noted(name, slot, whose)]
        return tuple(dict.fromkeys(found))

    def _noted(self, name: str, slot: str, whose: tuple[str, str] | None) -> Any:
        return marks_held([slot], {slot: self._texts[name]}, {slot: whose} if whose else {})

    def _copy(self, slot: str, text: str, answer: Reply | None = None) -> str:
        if self.frames.frames is None:
            return text
        shown = without_headings(without_marks(text, self.frames.mark))
        if shown != text:
            name = f"{len(self._held)} {slot}"
            call = answer.call if answer else None
            self._held[name] = (slot, (call.model, f"{call.stage} {call.call_index}") if call else None)
            self._texts[name] = text
        return shown

    def _in_frame(self, name: str, text: str) -> str:
        mark = self.frames.mark
        return f"[{name} {mark}]\n{text}\n[/{name} {mark}]" if self.frames.frames and name else text
