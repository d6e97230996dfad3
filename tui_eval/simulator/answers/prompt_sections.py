"""Cuts a prompt into its own words and the material that it brings: a question, a context, an answer, a reference."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tui_eval.simulator.answers.knowledge import fold

Part = Literal["question", "context", "answer", "reference", "instructions"]
_WORDS: dict[Part, str] = {
    "reference": "truth reference expected gold golden correct ideal solution key",
    "instructions": "instructions instruction task rubric criteria criterion scale rules format guidelines",
    "context": "context document documents passage passages source sources text excerpt excerpts material background page "
    "pages evidence article chunks report handbook",
    "answer": "answer candidate response reply replied answered submission output completion said",
    "question": "question query asked asks",
}
"""What a heading speaks of, the more telling word first: a reference answer is a reference. Plurals such as ANSWERS: name
several things to compare, and so no single one."""
_ORDERS = re.compile(
    r"(?:answer|reply|respond|return|end) (?!to\b)|"
    r"(?:mark|grade|judge|score|rate|read|write|give|use|compare|check|assess|evaluate) "
    r"(?:the|each|every|only|a|my|with|in|from|whether|how)\b|"
    r"(?:please )?(?:summari[sz]e|shorten|condense|abridge|rewrite|rephrase|reword|paraphrase|transcribe|translate|simplify|"
    r"proofread|extract (?:the|all|every|each|any))\b"
)
"""What reads like a heading and is an order: "Reply with JSON:", "Summarise this text:"."""
_WORK = (
    "summary synopsis précis precis abridgement abstract translation transcript transcription paraphrase rewrite rewriting "
    "rewritten shortened translated extract extraction tldr"
)
"""Of what the heading over somebody's work on a text speaks, where that work is to be marked."""
_TAG = r"[A-Za-z][A-Za-z _-]{1,30}"
_BLOCK = re.compile(rf"^[ \t]*(?:\[({_TAG})\]|<({_TAG})(?: [^>\n]*)?>)(.*?)(?:\[/\1\]|</\2>)", re.M | re.S)
_HEADING = re.compile(
    r"^[ \t]*(?:"
    r"(?P<dress>#{1,6}[ \t]+|\*\*|__|=+[ \t]*|-{2,}[ \t]*)?(?P<name>[A-Za-z][A-Za-z'’ -]{1,40}?)(?:\*\*|__)?"
    r"(?: ?\([^)\n]{0,60}\))?:(?:\*\*|__)?"
    r"|(?P<hash>#{1,6}|={2,}|-{2,})[ \t]+(?P<title>[A-Za-z][A-Za-z'’ -]{1,40}?)(?:[ \t]*[=-]{2,})?(?=[ \t]*$)"
    r")[ \t]*",
    re.M,
)
_ABOUT_A_DOCUMENT = re.compile(r"^(?:doc_id|filename|mime|encoding|content):.*$", re.M)
_ADDRESSED = re.compile(
    r"(?:please |now )?(?:answer|reply|respond|use|give|do not|don't|say|keep|be|think|reason|never|always|only|write|quote|"
    r"summari[sz]e|shorten|condense|abridge|rewrite|rephrase|reword|paraphrase|transcribe|translate|simplify|extract|"
    r"if (?:the|it|you|there)|where (?:the|it|you)|when (?:the|you)|your? )\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A message, cut up."""

    parts: Mapping[Part, str]
    """The material, by what it is; what is not there, or empty, is missing."""
    before: str
    """The prompt's own words, up to an answer that it shows."""
    after: str = ""
    """Its own words behind that answer. Whoever wrote the answer may have written these, too."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """From one heading, or block, up to the next."""

    part: Part | None
    body: str
    dress: str = ""
    """How its heading is written; a heading within an answer is seldom written as the prompt's are."""
    closed: bool = False


def paragraphs(text: str) -> list[str]:
    """Pieces between empty lines."""
    return [piece.strip() for piece in re.split(r"\n\s*\n", text) if piece.strip()]


def without_documents(text: str) -> str:
    """The text without what stands in tags that hold a document."""
    for block in reversed(_blocks(text)):
        if _part(block[1] or block[2]) == "context":
            text = text[: block.start()] + text[block.end() :]
    return text


def _blocks(text: str) -> list[re.Match[str]]:
    # Without an end of any there is none, and to look for it from each beginning would take its time.
    return list(_BLOCK.finditer(text)) if "[/" in text or "</" in text else []


@lru_cache(maxsize=256)
def cut(text: str, *, work: bool = False) -> Cut:
    """Cut a message up by its headings (QUESTION: ..., ## Context, **Answer:**) and tags ([DOCUMENT], <answer>).

    work: a heading such as SUMMARY: stands over an answer. A document has such headings, too, so this must be known before.
    """
    pieces = _pieces(text, work)
    shown = _shown_answer(pieces)
    earlier = pieces if shown is None else pieces[:shown]
    parts: dict[Part, str] = {}
    own: list[str] = []
    for piece in earlier:
        if piece.part is None or piece.part == "instructions":
            own.append(piece.body)
        elif piece.part == "question":
            # Words behind a question are the prompt's own only at its end: what comes before another heading is of one piece.
            asked, rest = _question(piece.body) if piece is pieces[-1] else (piece.body, "")
            parts["question"] = asked or parts.get("question", "")
            own.append(rest)
        elif piece.part == "context":
            body, rest = (piece.body, "") if piece.closed else _without_orders(piece.body)
            parts["context"] = f"{parts.get('context', '')}\n\n{_ABOUT_A_DOCUMENT.sub('', body)}".strip()
            own.append(rest)
        elif piece.part == "reference":
            parts.setdefault(piece.part, piece.body)
    after = "" if shown is None else _cut_answer(pieces[shown:], parts, "\n\n".join(own))
    return Cut({part: body for part, body in parts.items() if body}, "\n\n".join(filter(None, own)), after)


@lru_cache(maxsize=1024)
def _part(heading: str, work: bool = False) -> Part | None:
    words = fold(heading.replace("_", " ")).split()
    if not words or len(words) > 5 or _ORDERS.match(" ".join(words)):
        return None
    if work and not set(_WORK.split()).isdisjoint(words):
        return "answer"
    return next((part for part, known in _WORDS.items() if not set(known.split()).isdisjoint(words)), None)


def _dress(found: re.Match[str]) -> str:
    name = found["name"] or found["title"]
    return f"{(found['dress'] or found['hash'] or '').strip()}{'caps' if name.isupper() else 'mixed'}"


def _pieces(text: str, work: bool) -> list[_Piece]:
    pieces: list[_Piece] = []
    at = 0
    for block in _blocks(text):
        if part := _part(block[1] or block[2], work):
            pieces += _headed(text[at : block.start()], work)
            pieces.append(_Piece(part, block[3].strip(), "[" if block[1] else "<", closed=True))
            at = block.end()
    return pieces + _headed(text[at:], work)


def _headed(text: str, work: bool) -> list[_Piece]:
    headings = ((heading, _part(heading["name"] or heading["title"], work)) for heading in _HEADING.finditer(text))
    found = [(heading, part) for heading, part in headings if part]
    starts = [heading.start() for heading, _ in found] + [len(text)]
    pieces = [
        _Piece(part, text[heading.end() : end].strip(), _dress(heading))
        for (heading, part), end in zip(found, starts[1:], strict=True)
    ]
    lead = text[: starts[0]].strip()
    return [_Piece(None, lead), *pieces] if lead else pieces


def _shown_answer(pieces: Sequence[_Piece]) -> int | None:
    """Return the place of the answer that the prompt shows: the first one behind a question, else the first; never empty."""
    places = [n for n, piece in enumerate(pieces) if piece.part == "answer" and piece.body]
    questions = [n for n, piece in enumerate(pieces) if piece.part == "question"]
    behind = [n for n in places if questions and n > questions[0]]
    return next(iter(behind or places), None)


def _cut_answer(pieces: Sequence[_Piece], parts: dict[Part, str], own: str) -> str:
    """Put the answer among the parts, with what stands behind it; the prompt's own words there.

    An answer may hold headings of its own, to be taken for something else. So behind it a heading counts only when it is
    written like the answer's, when nothing of its sort stood before, and when the prompt's own words before the answer
    (or its last words) speak of it; of several the last, for the prompt has the last word.
    """
    answer = pieces[0]
    last_words = pieces[-1].body
    counts: dict[int, Part] = {}
    for part in ("question", "context", "reference", "instructions"):
        alike = [
            n
            for n, piece in enumerate(pieces)
            if n > 0 and piece.part == part and piece.dress == answer.dress and (part == "instructions" or part not in parts)
        ]
        if alike and (part != "reference" or not set(_WORDS[part].split()).isdisjoint(fold(f"{own} {last_words}").split())):
            counts[alike[-1]] = part
    ends = min(counts, default=len(pieces))
    if answer.closed:
        ends = 1
    inside = pieces[1:ends]
    parts["answer"] = "\n\n".join([answer.body, *(piece.body for piece in inside)])
    behind = []
    for n, piece in list(enumerate(pieces))[ends:]:
        part = counts.get(n, "instructions")
        if part == "instructions":
            behind.append(piece.body)
        else:
            parts[part] = _ABOUT_A_DOCUMENT.sub("", piece.body).strip()
    return "\n\n".join(behind)


def _question(body: str) -> tuple[str, str]:
    """The question, and what the prompt says behind it."""
    pieces = paragraphs(body)
    asks = [n for n, piece in enumerate(pieces) if piece.endswith("?")]
    end = (asks[-1] if asks else 0) + 1
    return "\n\n".join(pieces[:end]), "\n\n".join(pieces[end:])


def _without_orders(body: str) -> tuple[str, str]:
    """A text, and the last paragraph behind it where that speaks to whoever answers."""
    text, gap, last = body.rpartition("\n\n")
    return (text.strip(), last.strip()) if gap and _ADDRESSED.match(last.strip()) else (body, "")
