"""analysis-pack.md: what a conversation with a model about the graphs of a run needs, small enough to be pasted into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import counted, markdown_text
from tui_eval.kinds.graph.graph_files import AS_WRITTEN
from tui_eval.kinds.graph.graph_pages import Drawn, Page, head_of, ranking
from tui_eval.kinds.graph.graph_scores import SUB_SCORES
from tui_eval.kinds.graph.graph_task import Brief

MOST_PACK_BYTES = 100_000
"""What a conversation can be given at once."""
MOST_BRIEF = 4000
"""Characters of a brief in the pack."""
QUESTIONS = (
    "Which graphs miss a factor, outcome or risk that the brief names, and which add one that it does not bear out?",
    "Where do strengths and probabilities follow the brief's words, and where do they look like figures that suit any graph?",
    "Do the options differ in what they change, or only in how much; is the status quo drawn fairly?",
    "Which broken rules come from the prompt's wording, and which sentence would prevent them?",
    "Where do the scores and your own reading part: which low score is a good graph, which high score a poor one?",
)
RESERVED = 2000
"""Bytes for the list of what is left out, and for the gaps between sections."""
_LEGEND = (
    "Models were given a brief and drew a decision graph; rules scored it. A graph that breaks a rule of structure has no "
    "score. An edge is written -> target [strength ± its standard deviation, p probability that there is any influence]."
)


def analysis_pack(page: Page) -> str:
    """Everything that a conversation about the graphs needs, in at most MOST_PACK_BYTES; what had to be left out is named.

    Graphs are taken brief by brief in turns, so that none of the briefs is left out for another's sake.
    """
    questions = "\n".join(f"{n}. {question}" for n, question in enumerate(QUESTIONS, 1))
    asked = f"## Questions\n\n{questions}\n"
    parts = ["# Decision graphs: analysis pack", *head_of(page), _LEGEND, "## Ranking", ranking(page, None)]
    head = _bounded("\n\n".join(parts))
    texts = {brief.id: _brief_text(brief) for brief in page.task.briefs}
    left = MOST_PACK_BYTES - _size(head) - _size(asked) - RESERVED
    taken: dict[str, list[str]] = {}
    out: list[str] = []
    for drawn in _in_turns(page):
        brief = str(drawn.entry["brief"])
        text = _drawn_text(drawn)
        size = _size(text) + 2 + (0 if brief in taken else _size(texts[brief]) + 2)
        if size <= left:
            left -= size
            taken.setdefault(brief, []).append(text)
        else:
            out.append(drawn.folder)
    inner = [part for brief in page.task.briefs if brief.id in taken for part in (texts[brief.id], *taken[brief.id])]
    return "\n\n".join(filter(None, [head, *inner, _left_out(out, page), asked]))


def _bounded(head: str) -> str:
    """What stands before the graphs; of a run with very many models or prompts its first part."""
    cut = head.encode("utf-8", "replace")[: MOST_PACK_BYTES // 2].decode("utf-8", "ignore")
    return head if len(cut) == len(head) else f"{cut}\n\n(cut; summary.md has all of it)"


def _in_turns(page: Page) -> Iterator[Drawn]:
    """One graph of each brief, then the next of each."""
    found: dict[Json, list[Drawn]] = {brief.id: [] for brief in page.task.briefs}
    for drawn in page.drawn:
        found[drawn.entry["brief"]].append(drawn)
    queues = [*found.values()]
    for n in range(max(map(len, queues), default=0)):
        yield from (queue[n] for queue in queues if n < len(queue))


def _brief_text(brief: Brief) -> str:
    cut = f"\n\n(cut: {len(brief.text):,} characters in all)" if len(brief.text) > MOST_BRIEF else ""
    expects = f"status quo {'expected' if brief.expected.status_quo else 'not expected'}; " \
              f"{'a' if brief.expected.numeric_target else 'no'} numeric target; {brief.complexity}"  # fmt: skip
    return f"## Brief: {markdown_text(brief.id)}\n\n{expects}\n\n{_fenced(brief.text[:MOST_BRIEF])}{cut}"


def _drawn_text(drawn: Drawn) -> str:
    """A graph with its scores."""
    entry = drawn.entry
    title = f"### {markdown_text(str(entry['model']))}, prompt {markdown_text(str(entry['prompt']))}"
    title += f", repeat {entry['repeat'] + 1}" if entry["repeat"] else ""
    scores = "; ".join(f"{name} {entry[name]:.3f}" for name in AS_WRITTEN if entry[name] is not None)
    lost = ", ".join(f"{name} {entry[name]:.2f}" for name in SUB_SCORES if entry[name] is not None and entry[name] < 1)
    parts = [title, f"Status {entry['status']}{': ' * bool(drawn.why)}{markdown_text(drawn.why, 300) if drawn.why else ''}"]
    parts += [f"Scores: {scores}. Below 1: {lost or 'nothing'}"] if scores else []
    parts += [f"Broken: {markdown_text('; '.join(drawn.broken), 1000)}"] if drawn.broken else []
    return "\n\n".join([*parts, *([_fenced(drawn.short)] if drawn.short else [])])


def _fenced(text: str) -> str:
    """Foreign text as a block that it cannot end: more back quotes than it holds."""
    fence = "`" * 3
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _left_out(folders: Sequence[str], page: Page) -> str:
    if not folders:
        return ""
    named = ", ".join(markdown_text(folder, 60) for folder in folders[:10])
    rest = f" and {len(folders) - 10:,} more" if len(folders) > 10 else ""
    n = f"{len(folders):,} of {counted(len(page.drawn), 'graph')}"
    return f"## Left out\n\n{n}, for the limit of {MOST_PACK_BYTES:,} bytes: {named}{rest}; each is in its response.json."


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
