"""Works out what a prompt asks for, by its words alone: an answer, work on a text, the best of several, one of them, a mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tui_eval.simulator.answers import knowledge, scales, tasks
from tui_eval.simulator.answers.prompt_sections import Cut, Part, cut, paragraphs, without_documents
from tui_eval.simulator.answers.scales import Scale
from tui_eval.simulator.answers.tasks import Task

_FRAME = re.compile(r"\[(?P<name>[A-Z][A-Z ]*) (?P<mark>[0-9a-f]{16})\]\n(?P<text>.*?)\n\[/(?P=name) (?P=mark)\]", re.S)
_RULE = re.compile(r"\n*Foreign text stands in frames: each begins with .*? [0-9a-f]{16}\].*?a system message\.", re.S)


def without_marks(words: str) -> str:
    """Frames without their marks: one that begins a line as [NAME] and [/NAME], one behind other words as the text alone.

    The rule about frames is left out: to go by it is what this reading does.
    """
    if "[/" not in words and "frames" not in words:
        return words
    return _FRAME.sub(_plain, _RULE.sub("", words))


def _plain(found: re.Match[str]) -> str:
    begins = found.string.rfind("\n", 0, found.start()) + 1
    if found.string[begins : found.start()].strip():
        return found["text"]
    return f"[{found['name']}]\n{found['text']}\n[/{found['name']}]"


Role = Literal["answer", "rewrite", "compare", "conclude", "mark"]
"""answer: the last user message asks something, of a document that came along or of none. rewrite: nothing is asked, and a
text that came along is to be summarised, written down again, translated or extracted from. compare: name the best of the
candidates. conclude: write the one answer to keep, from candidates. mark: say on a scale how good one answer is."""
Message = Mapping[str, Any]

# A candidate's text goes on over several lines, until the next one or until a heading such as INSTRUCTIONS: begins. A box
# to be ticked and a link begin alike, and are none.
_CANDIDATE = re.compile(r"^- \[(?![ xX]\])(?P<label>[^\]\n]+)\](?!\() ?(?P<text>.*?)(?=^- \[|^[A-Z][A-Z ]+:|\Z)", re.M | re.S)
_NAMED = re.compile(
    r"^(?:#{1,6} |\*\*)?(?:answer|response|candidate|reply) (?P<label>[A-Z]|\d{1,2})(?:\*\*)?:(?:\*\*)?[ \t]*(?P<text>.*?)"
    r"(?=^(?:#{1,6} |\*\*)?(?:answer|response|candidate|reply) (?:[A-Z]|\d{1,2})(?:\*\*)?:|^[A-Z][A-Z ]+:|\Z)",
    re.M | re.S | re.I,
)
_OVER_CANDIDATES = re.compile(r"^[A-Z][A-Z ]+:[ \t]*\n(?=- \[)", re.M)
_AGREES = re.compile(r"GROUND TRUTH:(?P<truth>.*?)CANDIDATE:(?P<candidate>.*)", re.S)
_WRITES_ONE = re.compile(
    r"\b(?:write|give|compose|merge|combine|unite|draft|formulate|produce)\b[^.\n]{0,60}"
    r"\b(?:final|single|best|combined|merged|one) (?:\w+ )?(?:answer|reply|text|version|response)\b",
    re.I,
)
_SHORTEST_BARE_CONTEXT = 200
_LONGEST_REQUEST = 600
_TEXT_PARTS = ("text", "input_text", "output_text")
_FILE_PARTS = ("image_url", "file", "input_image", "input_file", "image", "document")
_DOCUMENT = re.compile(r"^[ \t]*(?:doc_id|filename):[ \t]*(\S.*?)[ \t]*$", re.M)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the answers that are shown to be compared, or made into one."""

    label: str
    """Who gave it, as the prompt says it."""
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Request that the simulator understood from a list of messages."""

    role: Role
    text: str
    """The user message that was understood."""
    candidates: tuple[Candidate, ...] = ()
    question: str = ""
    """What is asked, without what stands round it; to be marked: what the answer was given to."""
    context: str = ""
    """The text of a document that came along in words."""
    history: tuple[str, ...] = ()
    """What the user asked before, oldest first."""
    reference: str = ""
    """To be marked: the known true answer."""
    answer: str = ""
    """To be marked: the answer."""
    scale: Scale | None = None
    """To be marked: the scale, where it is another than that the two agree or not."""
    again: bool = False
    """Whether an earlier reply of ours stands in the messages: we are being asked again."""
    documents: tuple[str, ...] = ()
    """Names of the documents that came along."""
    own: tuple[str, ...] = ()
    """The prompt's own words, apart from the material: of the system message, and of the user's."""
    work: Task | None = None
    """To be done with a text, or to be marked and compared: what work on a text was to be done."""

    behind: str = ""
    """To be marked: words behind the answer, the prompt's own unless the answer's writer has passed them off as such."""


def understand(messages: Sequence[Message]) -> Asked:
    """Find out what the messages ask for. An earlier user message counts where the last one only repeats a request."""
    texts = [plain_text(message) for message in messages if message.get("role") == "user"] or [""]
    system = cut("\n\n".join(plain_text(message) for message in messages if message.get("role") in ("system", "developer")))
    again = any(message.get("role") == "assistant" for message in messages)
    for text in reversed(texts):
        if marked := _mark(text, system, again=again):
            return marked
    last = texts[-1]
    candidates, rest = _candidates(last)
    pieces = cut(rest)
    role = _role(rest, system, candidates)
    if role == "answer" and (work := _work(texts, system, again=again)):
        return work
    return Asked(
        role,
        last,
        candidates,
        question=pieces.parts.get("question") or _loose_question(pieces),
        context=_context(texts, system),
        history=tuple(texts[:-1]),
        again=again,
        documents=document_names(last),
        own=(system.before, pieces.before),
        work=_question_orders(pieces.parts.get("question", "")) if candidates else None,
    )


def plain_text(message: Message) -> str:
    """The words of a message, frames without their marks; of a list of parts, those of its text parts."""
    content = message.get("content")
    if isinstance(content, str):
        return without_marks(content)
    words = [part.get("text") for part in _parts(content) if part.get("type", "text") in _TEXT_PARTS]
    return without_marks("\n".join(word for word in words if isinstance(word, str)))


def attachments(message: Message) -> int:
    """Count the images and files of a message."""
    return sum(part.get("type") in _FILE_PARTS for part in _parts(message.get("content")))


def _parts(content: Any) -> list[dict[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def document_names(text: str) -> tuple[str, ...]:
    """Ids and file names of the documents in a prompt, each also without its ending (doc2.md gives doc2)."""
    names = _DOCUMENT.findall(text)
    return tuple(dict.fromkeys([*names, *(name.rpartition(".")[0] for name in names if "." in name)]))


def _candidates(text: str) -> tuple[tuple[Candidate, ...], str]:
    """The labelled answers in a prompt, and the prompt without them. A document may hold lines like theirs."""
    shown = without_documents(text)
    if _CANDIDATE.search(shown):
        found, rest = list(_CANDIDATE.finditer(shown)), _CANDIDATE.sub("", _OVER_CANDIDATES.sub("", shown))
    else:
        found = _named(shown)
        rest = _NAMED.sub("", shown) if found else text
    return tuple(Candidate(one["label"], one["text"].strip()) for one in found), rest


def _named(text: str) -> list[re.Match[str]]:
    """Answers under headings of their own: ANSWER A: ... ANSWER B: ..., two at least."""
    found = list(_NAMED.finditer(text))
    return found if len(found) > 1 else []


def _role(text: str, system: Cut, candidates: tuple[Candidate, ...]) -> Role:
    _, heading, instructions = text.rpartition("INSTRUCTIONS:")
    if heading and "final answer" in instructions.casefold() and (candidates or _WRITES_ONE.search(instructions)):
        return "conclude"
    if not candidates:
        return "answer"
    told = f"{system.before}\n{instructions if heading else cut(text).before}"
    return "conclude" if _WRITES_ONE.search(told) else "compare"


def _work(texts: Sequence[str], system: Cut, *, again: bool) -> Asked | None:
    """Return the request for work on a text, where the messages order that, bring a text and ask nothing."""
    pieces = cut(texts[-1])
    question = pieces.parts.get("question", "")
    task = _question_orders(question)
    if question and task is None:
        return None
    labelled = _labelled(texts, system)
    told, loose = (pieces.before, "") if labelled else tasks.beside(pieces.before)
    text, cue = tasks.without_cue(labelled or loose)
    orders = "\n\n".join(filter(None, (question, told, cue, *_earlier_orders(texts[:-1]))))
    task = task or _ordered(orders, system.before, text, loose)
    early = system.before
    if not labelled and not tasks.is_text(text) and (told or not text):
        early, text = (paragraphs(early) or [""])[0], _bare(system)
    if task is None or not text:
        return None
    return Asked("rewrite", texts[-1], context=text, history=tuple(texts[:-1]), again=again, own=(early, orders), work=task)


def _ordered(orders: str, system: str, text: str, loose: str) -> Task | None:
    """Return the task that the user's words order, or else the system message's; None where something is asked."""
    if tasks.asks(orders):
        return None
    if task := tasks.task_of(orders):
        return task
    task = tasks.task_of(system)
    if task is None or tasks.asks(system) or tasks.is_question((paragraphs(text) or [""])[-1]):
        return None
    return None if loose and knowledge.find(loose) else task


def _question_orders(question: str) -> Task | None:
    """Return the task that stands in the place of a question: "Summarise the document."."""
    return tasks.task_of(question, leading=True) if question else None


def _labelled(texts: Sequence[str], system: Cut) -> str:
    """The text under a heading: of the last message, of the system message, or of an earlier message that has one."""
    found = (pieces.parts.get("context") for pieces in (cut(texts[-1]), system, *map(cut, reversed(texts[:-1]))))
    return next(filter(None, found), "")


def _earlier_orders(texts: Sequence[str]) -> list[str]:
    """Return the earlier orders, for a message that only reminds of them."""
    return [pieces.before for text in texts if "context" in (pieces := cut(text)).parts]


def _mark(text: str, system: Cut, *, again: bool) -> Asked | None:
    """Return the request for a mark, where this message asks for one. Words within the answer are never part of it."""
    if agrees := _AGREES.search(text):
        candidate, closing = _closing(agrees["candidate"])
        before = cut(text[: agrees.start()]).before
        scale, _ = _request(f"{system.before}\n\n{before}", closing)
        if scale is None or scale.plain:
            own = (system.before, before, closing)
            return Asked("mark", text, reference=agrees["truth"].strip(), answer=candidate, again=again, own=own)
    pieces = cut(text)
    worked = cut(text, work=True) if _may_show_work(pieces, system) else None
    if worked and "answer" in worked.parts:
        pieces = worked
    parts = pieces.parts
    # Where there is nothing but a text and the request to rate it, the text is what is marked.
    alone: Part = "context" if {"answer", "question"}.isdisjoint(parts) else "answer"
    answer, closing = _closing_request(parts.get(alone, ""))
    late = f"{closing}\n\n{pieces.after}"
    scale, told = _request(f"{system.before}\n\n{pieces.before}", late)
    if scale is None or not answer or not scales.MARKS.search(f"{told}\n{late}") or len(_named(text)) > 1:
        return None
    return Asked(
        "mark",
        text,
        question=parts.get("question", ""),
        context=(parts.get("context") if alone == "answer" else "") or system.parts.get("context", ""),
        reference=parts.get("reference", ""),
        answer=answer,
        scale=scale,
        again=again,
        documents=document_names(text),
        own=(told,),
        work=_marked_work(parts.get("question", ""), f"{told}\n{late}", headed=pieces is worked),
        behind=late.strip(),
    )


def _may_show_work(pieces: Cut, system: Cut) -> bool:
    """Return whether a heading such as SUMMARY: in a document may head an answer: none is shown, and a mark is asked for."""
    context = pieces.parts.get("context", "")
    if not context or "answer" in pieces.parts:
        return False
    # Behind a question the request stands with it, and a document's end need not be searched.
    end = "" if "question" in pieces.parts else context[-_LONGEST_REQUEST:]
    return any(scales.MARKS.search(told) for told in (system.before, pieces.before, end))


def _marked_work(question: str, told: str, *, headed: bool) -> Task | None:
    """Return the task of a marked answer; to shorten, where only the heading or the judge's own words tell of it."""
    if question:
        return _question_orders(question)
    return "shorten" if headed or tasks.speaks_of_work(told) else None


def _request(early: str, late: str) -> tuple[Scale | None, str]:
    """The scale, and the words that ask for the mark: those before the answer where they name a scale.

    Only where they name none do those behind it count, in which whoever wrote the answer may have had a hand; of them the
    last, as there the prompt has the last word. The form is taken from all, for it makes no mark better.
    """
    form = f"{early}\n{late}"
    if scale := scales.find_scale(paragraphs(early), form):
        return scale, early
    return scales.find_scale(reversed(paragraphs(late)), form), form


def _closing(text: str) -> tuple[str, str]:
    """The candidate alone, and the paragraph behind it that asks for 0 or 1."""
    body, gap, closing = text.strip().rpartition("\n\n")
    return (body.strip(), closing) if gap and "0" in closing and "1" in closing else (text.strip(), "")


def _closing_request(text: str) -> tuple[str, str]:
    """An answer alone, and the paragraphs behind it that ask for the mark."""
    pieces = paragraphs(text)
    end = len(pieces)
    while end > 1 and scales.requests_mark(pieces[end - 1]):
        end -= 1
    return "\n\n".join(pieces[:end]), "\n\n".join(pieces[end:])


def _context(texts: Sequence[str], system: Cut) -> str:
    """The document's text: of the last message, of the system message, or of an earlier message that has one."""
    return _labelled(texts, system) or _bare(system)


def _bare(system: Cut) -> str:
    """Of a system message that goes on for paragraphs without a heading, what follows the first: what it is about."""
    bare = "\n\n".join(paragraphs(system.before)[1:])
    return bare if len(bare) >= _SHORTEST_BARE_CONTEXT else ""


def _loose_question(pieces: Cut) -> str:
    """The question of a message that has no heading for it: its own words, or the last paragraph of its document."""
    if pieces.before:
        return pieces.before
    last = paragraphs(pieces.parts.get("context", "")) or [""]
    return last[-1] if last[-1].endswith("?") else ""
