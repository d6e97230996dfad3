"""Pages of a run of graphs (specification 002): run.json, summary.md, and analysis-pack.md to paste into a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import count_of, markdown_lines, markdown_table, markdown_text
from tui_eval.core.reports import page_head
from tui_eval.core.results import About, Cell, Table
from tui_eval.kinds.graph.graph_files import AS_WRITTEN
from tui_eval.kinds.graph.graph_scores import OVERALL, SUB_SCORES, VALID, VERSION, WEIGHTS
from tui_eval.kinds.graph.graph_task import Brief, GraphTask
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.in_words import decimal, percent, rank, span
from tui_eval.results.sums.means import Estimate
from tui_eval.statistics.estimates import mean

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


def analysis_pack(page: GraphPage) -> str:
    """Everything that a conversation about the graphs needs, in at most MOST_PACK_BYTES; what had to be left out is named.

    Graphs are taken brief by brief in turns, so that none of the briefs is left out for another's sake.
    """
    questions = "\n".join(f"{n}. {question}" for n, question in enumerate(QUESTIONS, 1))
    closing = f"## Questions\n\n{questions}\n"
    parts = ["# Decision graphs: analysis pack", *head_of(page), _LEGEND, "## Ranking", ranking(page, None)]
    head = _bounded("\n\n".join(parts))
    texts = {brief.id: _brief_text(brief) for brief in page.task.briefs}
    remaining = MOST_PACK_BYTES - _size(head) - _size(closing) - RESERVED
    included: dict[str, list[str]] = {}
    out: list[str] = []
    for graph in _in_turns(page):
        brief = str(graph.entry["brief"])
        text = _drawn_text(graph)
        size = _size(text) + 2 + (0 if brief in included else _size(texts[brief]) + 2)
        if size <= remaining:
            remaining -= size
            included.setdefault(brief, []).append(text)
        else:
            out.append(graph.folder)
    inner = [part for brief in page.task.briefs if brief.id in included for part in (texts[brief.id], *included[brief.id])]
    return "\n\n".join(filter(None, [head, *inner, _left_out(out, page), closing]))


def _bounded(head: str) -> str:
    """Return the part before the graphs; of a run with very many models or prompts its beginning."""
    cut = head.encode("utf-8", "replace")[: MOST_PACK_BYTES // 2].decode("utf-8", "ignore")
    return head if len(cut) == len(head) else f"{cut}\n\n(cut; summary.md has all of it)"


def _in_turns(page: GraphPage) -> Iterator[PageRecord]:
    """One graph of each brief, then the next of each."""
    by_brief: dict[Json, list[PageRecord]] = {brief.id: [] for brief in page.task.briefs}
    for graph in page.drawn:
        by_brief[graph.entry["brief"]].append(graph)
    queues = [*by_brief.values()]
    for n in range(max(map(len, queues), default=0)):
        yield from (queue[n] for queue in queues if n < len(queue))


def _brief_text(brief: Brief) -> str:
    cut = f"\n\n(cut: {len(brief.text):,} characters in all)" if len(brief.text) > MOST_BRIEF else ""
    expects = f"status quo {'expected' if brief.expected.status_quo else 'not expected'}; " \
              f"{'a' if brief.expected.numeric_target else 'no'} numeric target; {brief.complexity}"  # fmt: skip
    return f"## Brief: {markdown_text(brief.id)}\n\n{expects}\n\n{_fenced(brief.text[:MOST_BRIEF])}{cut}"


def _drawn_text(graph: PageRecord) -> str:
    """A graph with its scores."""
    entry = graph.entry
    title = f"### {markdown_text(str(entry['model']))}, prompt {markdown_text(str(entry['prompt']))}"
    title += f", repeat {entry['repeat'] + 1}" if entry["repeat"] else ""
    scores = "; ".join(f"{name} {entry[name]:.3f}" for name in AS_WRITTEN if entry[name] is not None)
    lost = ", ".join(f"{name} {entry[name]:.2f}" for name in SUB_SCORES if entry[name] is not None and entry[name] < 1)
    parts = [title, f"Status {entry['status']}{': ' * bool(graph.why)}{markdown_text(graph.why, 300) if graph.why else ''}"]
    parts += [f"Scores: {scores}. Below 1: {lost or 'nothing'}"] if scores else []
    parts += [f"Broken: {markdown_text('; '.join(graph.broken), 1000)}"] if graph.broken else []
    return "\n\n".join([*parts, *([_fenced(graph.short)] if graph.short else [])])


def _fenced(text: str) -> str:
    """Foreign text as a block that it cannot end: more back quotes than it holds."""
    fence = "`" * 3
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _left_out(folders: Sequence[str], page: GraphPage) -> str:
    if not folders:
        return ""
    names = ", ".join(markdown_text(folder, 60) for folder in folders[:10])
    rest = f" and {len(folders) - 10:,} more" if len(folders) > 10 else ""
    n = f"{len(folders):,} of {count_of(len(page.drawn), 'graph')}"
    return f"## Left out\n\n{n}, for the limit of {MOST_PACK_BYTES:,} bytes: {names}{rest}; each is in its response.json."


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


MOST_FAILURES = 50
"""Graphs that a list names."""
MOST_REASON = 900
"""Characters of what is told of one of them: what can be done stands at its end."""
MOST_NAMED = 5
"""Edges of one graph that a list names."""
_NOTE = (
    "Overall and its parts are means over valid graphs alone, so read them beside the share of valid ones. A rank such as 1-3 "
    "says which ranks the comparison of pairs by overall leaves open, among the models of one version of the prompt; a pair "
    "rests on the briefs of which both have a valid graph. Intervals: 95 %, of valid Wilson's, else Gaffke's. The parts have "
    "the n of overall; latency, tokens and cost are means over all graphs asked for, or over the n beside them."
)
_LACKING = (
    "influences without a strength, its spread or a probability. Diversity counts the values that are there. Default takeover "
    "and range discipline rest on the strengths that are there; where there are none they have no score, and parameter quality "
    "is the weighted mean of the other sub-scores. response.json names each edge."
)
_ON_FILE = "{0} of {1} replies were on file: this run did not ask for them, so that they are in no latency and no cost."


@dataclass(frozen=True, slots=True)
class PageRecord:
    """The record that is kept of a graph for the pages."""

    entry: Mapping[str, Json]
    """Its row of scores.csv."""
    short: str
    broken: Sequence[str]
    why: str
    """Why there is no graph, with the remedy where there is one; empty where there is a graph."""
    folder: str
    without_parameters: Sequence[str] = ()
    """The first edges of a graph that lack a strength, its spread or a probability."""


@dataclass(frozen=True, slots=True)
class GraphPage:
    """The data that the pages are made of."""

    task: GraphTask
    about: About
    drawn: Sequence[PageRecord]
    tables: Mapping[str, Table]
    board: Board

    @property
    def sides(self) -> list[Side]:
        """Every model of every version of the prompt, by its overall score."""
        pairs = dict.fromkeys((side.model, side.variant) for side in self.board.series)
        stage = self.task.models[0].stage
        return [side for pair in pairs if (side := Side(stage, pair[0], "overall", pair[1])) in self.board.series]

    def estimate(self, side: Side, metric: str) -> Estimate:
        """The mean of a side by another metric."""
        return self.board.estimate(side._replace(metric=metric))

    def of_side(self, side: Side) -> list[PageRecord]:
        """The graphs of a model by a version of the prompt."""
        return [graph for graph in self.of("model", side.model) if graph.entry["prompt"] == side.variant]

    def of(self, name: str, value: Json) -> list[PageRecord]:
        """Those whose entry has this value."""
        return [graph for graph in self.drawn if graph.entry[name] == value]


def run_json(page: GraphPage) -> dict[str, Json]:
    """The manifest of 002: what was asked with, by hashes, and how every call ended."""
    task, about = page.task, page.about
    models = {model.name: model.model_id for model in task.models}
    return {
        "run_id": about.run_id,
        "name": about.name,
        "timestamp": about.started_at,
        "simulated": about.simulated,
        "tool_version": about.tool_version,
        "git_commit": about.git_commit,
        "workspace_commit": about.workspace_commit,
        "rubric_version": VERSION[task.config.rubric],
        "structured": task.config.structured,
        "prompts": [{"id": version.id, "sha256": version.sha256} for version in task.versions],
        "briefs": [
            {
                "id": brief.id, "sha256": brief.sha256, "expect_status_quo": brief.expected.status_quo,
                "has_numeric_target": brief.expected.numeric_target, "complexity": brief.complexity,
            }
            for brief in task.briefs
        ],
        "models": [
            {
                "name": name, "display_name": drafter.display_name, "model": models[name],
                "provider": about.models[name].wire if name in about.models else None,
                "target_mode": drafter.target_mode or None,
                "pricing_source": drafter.price_source or None, "sha256": drafter.sha256,
                "folder": drafter.folder,
            }
            for name, drafter in task.drafters.items()
        ],
        "statuses": _statuses(page.drawn),
        "unfinished": about.unfinished,
        "results": [
            {name: graph.entry[name] for name in ("model", "brief", "prompt", "repeat", "status")} for graph in page.drawn
        ],
    }  # fmt: skip


def summary_md(page: GraphPage) -> str:
    """Ranking with intervals, versions of the prompt, each mode, sub-scores, broken rules, failures."""
    parts = ["# Decision graphs: summary", *head_of(page), "## Ranking", ranking(page, None), _note(page)]
    modes = sorted({drafter.target_mode for drafter in page.task.drafters.values() if drafter.target_mode})
    for mode in modes:
        parts += [f"## Mode: {markdown_text(mode)}", ranking(page, mode)]
    parts += [
        "## Sub-scores",
        _sub_scores(page),
        *_without_parameters(page),
        "## Broken rules",
        _of_table(page, "rules") or "None.",
    ]
    parts += ["## Failures", _failures(page), "## Agreement of graphs", _of_table(page, "agreement") or "No two to compare."]
    return "\n\n".join(filter(None, parts)) + "\n"


def _note(page: GraphPage) -> str:
    """Say what the ranking's figures are, and how many replies are in no latency and no cost."""
    n = sum(bool(graph.entry["cached"]) for graph in page.drawn)
    return f"{_NOTE} {_ON_FILE.format(n, len(page.drawn))}" if n else _NOTE


def head_of(page: GraphPage) -> Iterator[str]:
    """Yield the facts of the run that a reader must know before its numbers."""
    about, task = page.about, page.task
    yield from page_head(about, "graphs")
    prompts = ", ".join(f"{markdown_text(version.id)} ({version.sha256[:12]})" for version in task.versions)
    numbers = (len(task.briefs), "brief"), (len(task.drafters), "model"), (len(task.versions), "prompt")
    sizes = " x ".join(count_of(n, noun) for n, noun in numbers)
    how = f"Rubric: {VERSION[task.config.rubric]}. Structured: {'yes' if task.config.structured else 'no'}."
    yield f"Run: {markdown_text(about.run_id)}, {markdown_text(about.started_at)}. {sizes}: {prompts}. {how}"


def ranking(page: GraphPage, mode: str | None) -> str:
    """Models, of each version of the prompt, by overall score, the best first; `mode`: those of one target_mode."""
    sides = [side for side in page.sides if mode is None or page.task.drafters[side.model].target_mode == mode]
    values = {side: page.board.estimate(side).value for side in sides}
    ordered = sorted(sides, key=lambda side: (values[side] is None, -(values[side] or 0.0)))
    prompt = ["Prompt"] if page.board.variants else []
    columns = ["Rank", "Model", *prompt, "Mode", "Valid", "95 % CI", "of", "Overall", "95 % CI", "of valid", "Parameters",
               "Options", "Completeness", "Latency ms", "Tokens in", "Tokens out", "Reasoning", "USD a graph"]  # fmt: skip
    rows = [_ranked_row(page, side) for side in ordered]
    return markdown_table(columns, rows, [name not in ("Rank", "Model", "Prompt", "Mode") for name in columns])


def _ranked_row(page: GraphPage, side: Side) -> list[str]:
    """A side by overall, with the share of its valid graphs and what they took."""
    board, drafter = page.board, page.task.drafters[side.model]
    share, overall = board.estimate(side._replace(metric=VALID.name)), board.estimate(side)
    entries = [graph.entry for graph in page.of_side(side)]
    paid = [entry if not entry["cached"] else {**entry, "cost_usd": None} for entry in entries]
    name = side.model if drafter.display_name == side.model else f"{drafter.display_name} ({side.model})"
    return [
        rank(board.ranks.get(side)), markdown_text(name), *([markdown_text(side.variant)] if board.variants else []),
        markdown_text(drafter.target_mode or "-"),
        percent(share.value), span(share.low, share.high), str(share.scored),
        decimal(overall.value, 3), _interval(overall), str(overall.scored),
        *(decimal(page.estimate(side, part).value, 3) for part in OVERALL),
        *(_mean_of(entries, column, 0) for column in ("latency_ms", "input_tokens", "output_tokens", "reasoning_tokens")),
        _mean_of(paid, "cost_usd", 6),
    ]  # fmt: skip


def _interval(estimate: Estimate) -> str:
    return "-" if estimate.low is None or estimate.high is None else f"[{estimate.low:.3f}, {estimate.high:.3f}]"


def _mean_of(entries: Sequence[Mapping[str, Json]], column: str, digits: int) -> str:
    """The mean of what is known, with its n where that is not all."""
    values = [entry[column] for entry in entries if entry[column] is not None]
    text = decimal(mean(values), digits)
    return text if len(values) in (0, len(entries)) else f"{text} (n {len(values)})"


def _sub_scores(page: GraphPage) -> str:
    """Means of what the parts are made of, by model and version of the prompt, each with its n."""
    columns = ["Sub-score", "Part", "Weight", *(markdown_text(page.board.named(side)) for side in page.sides)]
    rows = []
    for part, weights in WEIGHTS.items():
        for name, weight in weights.items():
            estimates = (page.estimate(side, name) for side in page.sides)
            rows.append(
                [
                    name,
                    part,
                    f"{weight:.2f}",
                    *(f"{decimal(estimate.value, 2)} (n {estimate.scored})" for estimate in estimates),
                ]
            )
    return markdown_table(columns, rows, [column not in ("Sub-score", "Part") for column in columns])


def _without_parameters(page: GraphPage) -> Iterator[str]:
    """The graphs with influences that lack a parameter, each with the first of these; nothing where there are none."""
    lacking = [graph for graph in page.drawn if graph.entry["edges_without_parameters"]]
    if not lacking:
        return
    yield "## Edges without parameters"
    yield f"{count_of(len(lacking), 'graph')} of {len(page.drawn)}: {_LACKING}"
    columns = ["Graph", "Edges without", "Edges", "The first of them"]
    rows = [
        [
            markdown_text(graph.folder), str(graph.entry["edges_without_parameters"]), str(graph.entry["edges"]),
            markdown_text(", ".join(graph.without_parameters), 200),
        ]
        for graph in lacking[:MOST_FAILURES]
    ]  # fmt: skip
    yield markdown_table(columns, rows, [False, True, True, False])
    if len(lacking) > MOST_FAILURES:
        yield f"{len(lacking) - MOST_FAILURES} more; scores.csv has them all."


def _of_table(page: GraphPage, name: str) -> str:
    """A table of the report; empty where there is none."""
    table = page.tables.get(name)
    if table is None:
        return ""
    rows = [[_cell_text(cell) for cell in row] for row in table.rows]
    numeric = [not isinstance(cell.value, str) for cell in table.rows[0]]
    return f"{markdown_table([*table.columns], rows, numeric)}\n\n{markdown_lines(table.note)}"


def _cell_text(cell: Cell) -> str:
    value = cell.value
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else markdown_text(str(value), 200)


def _statuses(graphs: Sequence[PageRecord]) -> dict[str, int]:
    counts = Counter(str(graph.entry["status"]) for graph in graphs)
    return dict(sorted(counts.items(), key=lambda pair: (pair[0] != "ok", pair[0])))


def _failures(page: GraphPage) -> str:
    """Statuses by model, and each graph that did not come, with the reason."""
    failed = [graph for graph in page.drawn if graph.entry["status"] != "ok"]
    if not page.drawn:
        return "None so far: no graph was asked for."
    if not failed:
        return "None: every call brought a graph that could be read."
    names = list(_statuses(page.drawn))
    rows = [
        [markdown_text(model), *(str(_statuses(page.of("model", model)).get(name, 0)) for name in names)]
        for model in page.task.drafters
    ]
    first = failed[:MOST_FAILURES]
    lines = [
        f"- {markdown_text(graph.folder)}: {graph.entry['status']}: {markdown_text(graph.why or '-', MOST_REASON)}"
        for graph in first
    ]
    more = f"\n\n{len(failed) - len(first)} more; scores.csv has them all." if len(failed) > len(first) else ""
    return markdown_table(["Model", *names], rows, [False, *(True for _ in names)]) + "\n\n" + "\n".join(lines) + more
