"""Server-sent events: split as they arrive, told apart by what they bring, added up to the completion they spell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from tui_eval.core.calls import Json
from tui_eval.providers.body import parse_json, reasoning_text, table, text_or_none, visible_text
from tui_eval.providers.refusal import error_object

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NOT_KEPT = ("choices", "object", "error")
"""Fields of a chunk that say nothing of the whole."""


def events(text: str) -> list[str]:
    """The data of each event; comments (`: ...`) and other fields are left out."""
    payloads: list[str] = []
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if lines:
            payloads.append("\n".join(lines))
    return payloads


class EventReader:
    """Splits a stream into its events while it arrives, in time that grows with its length alone."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        """The pieces of a line that has not ended."""
        self._data: list[bytes] = []
        """The data lines of an event that has not ended."""
        self._at_start = True
        self._after_return = False

    def feed(self, chunk: bytes) -> list[str]:
        """The data of each event that this chunk completes; bytes that are no UTF-8 are replaced."""
        payloads: list[str] = []
        if not chunk:
            return payloads
        if self._after_return:  # a line end that was split between two chunks
            chunk = chunk.removeprefix(b"\n")
        self._after_return = chunk.endswith(b"\r")
        *ended, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for piece in ended:
            self._line.append(piece)
            self._end_line(payloads)
        if rest:
            self._line.append(rest)
        return payloads

    def _end_line(self, payloads: list[str]) -> None:
        line = b"".join(self._line)
        self._line.clear()
        if self._at_start:
            line, self._at_start = line.removeprefix(BYTE_ORDER_MARK), False
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            payloads.append(b"\n".join(self._data).decode("utf-8", "replace"))
            self._data.clear()


def shows(event: Json) -> Literal["", "reasoning", "text"]:
    """Return whether a chunk of a chat completion brings words of the answer, thoughts, or neither."""
    choices = table(event).get("choices")
    deltas = [table(table(choice).get("delta")) for choice in choices] if isinstance(choices, list) else []
    if any(visible_text(delta.get("content")) for delta in deltas):
        return "text"
    return "reasoning" if any(reasoning_text(delta) for delta in deltas) else ""


def words(event: Json) -> str:
    """The words of the answer that a chunk of a chat completion brings."""
    choices = table(event).get("choices")
    first = table(choices[0]) if isinstance(choices, list) and choices else {}
    return visible_text(table(first.get("delta")).get("content")) or ""


class ChatStream:
    """Adds up the chunks of one streamed chat completion."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.refusal: list[str] = []
        self.finish_reason: str | None = None
        self.done = False
        self.fields: dict[str, Any] = {}
        self.error: Any = None

    def feed(self, event: str) -> None:
        """Take the data of one event; ValueError when it is neither a JSON object nor an error."""
        if event.strip() == "[DONE]":
            self.done = True
            return
        chunk = parse_json(event.encode("utf-8", "surrogatepass"))
        choices = table(chunk).get("choices")
        error = chunk.get("error") if choices else error_object(chunk)
        self.error = error or self.error
        if not isinstance(chunk, dict):
            if not error:
                raise ValueError("an event that is not an object")
            return
        self.fields.update({name: value for name, value in chunk.items() if value and name not in NOT_KEPT})
        if isinstance(choices, list) and choices:
            self._take(table(choices[0]))

    def _take(self, choice: dict[str, Any]) -> None:
        delta = table(choice.get("delta"))
        text = visible_text(delta.get("content"))
        if text:
            self.text.append(text)
        thoughts = reasoning_text(delta)
        if thoughts:
            self.reasoning.append(thoughts)
        if isinstance(delta.get("refusal"), str):
            self.refusal.append(delta["refusal"])
        self.finish_reason = text_or_none(choice.get("finish_reason")) or self.finish_reason
        self.error = choice.get("error") or self.error

    def completion(self) -> dict[str, Any]:
        """Return the completion the chunks add up to, in the shape of an unstreamed one."""
        message = {"role": "assistant", "content": joined(self.text) or None, "refusal": joined(self.refusal) or None}
        if self.reasoning:
            message["reasoning"] = joined(self.reasoning)
        whole = dict(self.fields, choices=[{"index": 0, "message": message, "finish_reason": self.finish_reason}])
        return dict(whole, error=self.error) if self.error else whole


def joined(parts: Iterable[str]) -> str:
    """Deltas as one text: characters that were split between two are whole again, and halves left over replaced."""
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
