"""Works out what a prompt asks for: an answer, a judgement, a final answer or a score."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Stage = Literal["doer", "judge", "final", "scorer"]
Message = Mapping[str, Any]

# A candidate's text goes on over several lines, until the next one or until a heading such as INSTRUCTIONS: begins.
_CANDIDATE = re.compile(r"^- \[(?P<label>(?:doer|judge):[^\]\n]*)\] ?(?P<text>.*?)(?=^- \[|^[A-Z][A-Z ]+:|\Z)", re.M | re.S)
_SCORER = re.compile(r"GROUND TRUTH:(?P<truth>.*?)CANDIDATE:(?P<candidate>.*)", re.S)
_TEXT_PARTS = ("text", "input_text", "output_text")
_FILE_PARTS = ("image_url", "file", "input_image", "input_file", "image", "document")
_DOCUMENT = re.compile(r"^\s*(?:doc_id|filename):[ \t]*(\S.*?)[ \t]*$", re.M)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer that a judge or a final judge is shown."""

    label: str
    """Who gave it, as the prompt says it: doer:MODEL#INDEX."""
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What the simulator understood of a list of messages."""

    stage: Stage
    text: str
    """The user message that was understood."""
    candidates: tuple[Candidate, ...] = ()
    truth: str = ""
    """Scorer only: the known true answer."""
    candidate: str = ""
    """Scorer only: the answer to be compared with it."""
    again: bool = False
    """Whether an earlier reply of ours stands in the messages: we are being asked again."""
    documents: tuple[str, ...] = ()
    """Names of the documents that came along; their text is never read."""


def understand(messages: Sequence[Message]) -> Asked:
    """Find out what the messages ask for. An earlier user message counts where the last one only repeats a request."""
    texts = [plain_text(message) for message in messages if message.get("role") == "user"] or [""]
    again = any(message.get("role") == "assistant" for message in messages)
    for text in reversed(texts):
        if scored := _SCORER.search(text):
            candidate = _without_closing_request(scored["candidate"])
            return Asked("scorer", text, truth=scored["truth"].strip(), candidate=candidate, again=again)
    last = texts[-1]
    candidates = tuple(Candidate(found["label"], found["text"].strip()) for found in _CANDIDATE.finditer(last))
    return Asked(_stage(last, candidates), last, candidates, again=again, documents=document_names(last))


def plain_text(message: Message) -> str:
    """The words of a message; of a list of parts, those of its text parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    words = [part.get("text") for part in _parts(content) if part.get("type", "text") in _TEXT_PARTS]
    return "\n".join(word for word in words if isinstance(word, str))


def attachments(message: Message) -> int:
    """How many images and files a message holds."""
    return sum(part.get("type") in _FILE_PARTS for part in _parts(message.get("content")))


def _parts(content: Any) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def document_names(text: str) -> tuple[str, ...]:
    """Ids and file names of the documents in a prompt, each also without its ending (doc2.md gives doc2)."""
    names = _DOCUMENT.findall(text)
    return tuple(dict.fromkeys([*names, *(name.rpartition(".")[0] for name in names if "." in name)]))


def _stage(text: str, candidates: tuple[Candidate, ...]) -> Stage:
    _, heading, instructions = text.rpartition("INSTRUCTIONS:")
    if heading and "final answer" in instructions.casefold():
        return "final"
    return "judge" if candidates else "doer"


def _without_closing_request(text: str) -> str:
    """The candidate alone: the scorer prompt ends with a paragraph that asks for 0 or 1."""
    body, gap, closing = text.strip().rpartition("\n\n")
    return body.strip() if gap and "0" in closing and "1" in closing else text.strip()
