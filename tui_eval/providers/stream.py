"""Server-sent events of a chat completion, fed one by one and added up to the completion they spell."""

from __future__ import annotations

from typing import Any

from tui_eval.providers.body import parse_json, table
from tui_eval.types import Fault


class ChatStream:
    """Adds up the chunks of one streamed chat completion."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.refusal: list[str] = []
        self.finish_reason: str | None = None
        self.done = False
        self.fields: dict[str, Any] = {}
        self.error: Any = None

    def feed(self, event: str) -> None:
        """Take the data of one event; ValueError when it is no JSON object."""
        if event == "[DONE]":
            self.done = True
            return
        chunk = parse_json(event.encode("utf-8", "surrogatepass"))
        if not isinstance(chunk, dict):
            raise ValueError("an event that is no object")
        self.error = chunk.get("error") or self.error
        self.fields.update({name: chunk[name] for name in ("id", "model", "provider", "usage") if chunk.get(name)})
        choices = chunk.get("choices")
        if isinstance(choices, list) and choices:
            self._take(table(choices[0]))

    def _take(self, choice: dict[str, Any]) -> None:
        delta = table(choice.get("delta"))
        if isinstance(delta.get("content"), str):
            self.text.append(delta["content"])
        if isinstance(delta.get("refusal"), str):
            self.refusal.append(delta["refusal"])
        if isinstance(choice.get("finish_reason"), str):
            self.finish_reason = choice["finish_reason"]
        self.error = choice.get("error") or self.error

    def completion(self) -> dict[str, Any]:
        """What the chunks add up to, in the shape of an unstreamed completion."""
        text = "".join(self.text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        message = {"role": "assistant", "content": text or None, "refusal": "".join(self.refusal) or None}
        whole = dict(self.fields, choices=[{"index": 0, "message": message, "finish_reason": self.finish_reason}])
        return dict(whole, error=self.error) if self.error else whole


def assemble(body: bytes) -> dict[str, Any] | Fault:
    """A whole stream to its completion; a Fault when it is broken off or cannot be read."""
    stream = ChatStream()
    try:
        for event in events(body.decode("utf-8-sig")):
            stream.feed(event)
    except ValueError as error:
        return Fault("protocol", f"a stream that cannot be read: {str(error)[:120]}", retry=True)
    if stream.error is None and stream.finish_reason is None and not stream.done:
        return Fault("protocol", "a stream that ended without finish reason or [DONE]", retry=True)
    return stream.completion()


def events(text: str) -> list[str]:
    """The data of each event; comments (`: ...`) and other fields are left out."""
    found: list[str] = []
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if lines:
            found.append("\n".join(lines))
    return found
