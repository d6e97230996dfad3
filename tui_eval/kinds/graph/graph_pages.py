"""Pages of a run of graphs (specification 002): run.json, summary.md, and analysis-pack.md to paste into a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Json
from tui_eval.core.plaintext import counted, markdown_lines, markdown_table, markdown_text
from tui_eval.core.results import About, Cell, Table
from tui_eval.kinds.graph.graph_files import AS_WRITTEN
from tui_eval.kinds.graph.graph_look import VALID
from tui_eval.kinds.graph.graph_scores import OVERALL, SUB_SCORES, VERSION, WEIGHTS
from tui_eval.kinds.graph.graph_task import Brief, Drafter, GraphTask
from tui_eval.results.sums.in_words import decimal, percent, rank, span
from tui_eval.results.sums.ranks import by_pairs
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


MOST_FAILURES = 50
"""Graphs that a list names."""
MOST_REASON = 900
"""Characters of what is told of one of them: what can be done stands at its end."""
MOST_NAMED = 5
"""Edges of one graph that a list names."""
_NOTE = (
    "Overall and its parts are means over valid graphs alone, so read them beside the share of valid ones. A rank such as 1-3 "
    "says which ranks the comparison of pairs by overall leaves open. Intervals: 95 %, of valid Wilson's. "
    "The parts have the n of overall; latency, tokens and cost are means over all graphs asked for, or over the n beside them."
)
_LACKING = (
    "influences without a strength, its spread or a probability. Diversity counts the values that are there. Default takeover "
    "and range discipline rest on the strengths that are there; where there are none they have no score, and parameter quality "
    "is the weighted mean of the other sub-scores. response.json names each edge."
)
_ON_FILE = "{0} of {1} replies were on file: this run did not ask for them, so that they are in no latency and no cost."


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is kept of a graph for the pages."""

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
class Page:
    """What the pages are made of."""

    task: GraphTask
    about: About
    drawn: Sequence[Drawn]
    tables: Mapping[str, Table]

    def of(self, name: str, value: Json) -> list[Drawn]:
        """Those whose entry has this value."""
        return [drawn for drawn in self.drawn if drawn.entry[name] == value]


def run_json(page: Page) -> dict[str, Json]:
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
        "rubric_version": VERSION[task.rubric],
        "structured": task.structured,
        "prompts": [{"id": one.id, "sha256": one.sha256} for one in task.versions],
        "briefs": [
            {
                "id": one.id, "sha256": one.sha256, "expect_status_quo": one.expected.status_quo,
                "has_numeric_target": one.expected.numeric_target, "complexity": one.complexity,
            }
            for one in task.briefs
        ],
        "models": [
            {
                "name": name, "display_name": one.display_name, "model": models[name],
                "provider": about.models[name].wire if name in about.models else None, "target_mode": one.target_mode or None,
                "pricing_source": one.price_source or None, "sha256": one.sha256,
                "folder": one.folder,
            }
            for name, one in task.drafters.items()
        ],
        "statuses": _statuses(page.drawn),
        "unfinished": about.unfinished,
        "results": [
            {name: drawn.entry[name] for name in ("model", "brief", "prompt", "repeat", "status")} for drawn in page.drawn
        ],
    }  # fmt: skip


def summary_md(page: Page) -> str:
    """Ranking with intervals, versions of the prompt, each mode, sub-scores, broken rules, failures."""
    parts = ["# Decision graphs: summary", *head_of(page), "## Ranking", ranking(page, None), _note(page)]
    if len(page.task.versions) > 1:
        parts += ["## By version of the prompt", _of_table(page, "prompts"), _of_table(page, "prompt_pairs")]
    modes = sorted({one.target_mode for one in page.task.drafters.values() if one.target_mode})
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


def _note(page: Page) -> str:
    """What the ranking's figures are, and how many replies are in no latency and no cost."""
    n = sum(bool(drawn.entry["cached"]) for drawn in page.drawn)
    return f"{_NOTE} {_ON_FILE.format(n, len(page.drawn))}" if n else _NOTE


def head_of(page: Page) -> Iterator[str]:
    """What a reader must know of the run before its numbers."""
    about, task = page.about, page.task
    simulated = [name for name in task.drafters if name in about.simulated_models]
    if simulated and len(simulated) == len(task.drafters):
        yield "**Everything here is simulated.**"
    elif simulated:
        yield f"**Simulated, not real models: {', '.join(map(markdown_text, simulated))}.**"
    if about.unfinished:
        yield f"**PRELIMINARY: {about.unfinished} of {about.items} graphs are still to be asked.**"
    prompts = ", ".join(f"{markdown_text(one.id)} ({one.sha256[:12]})" for one in task.versions)
    numbers = (len(task.briefs), "brief"), (len(task.drafters), "model"), (len(task.versions), "prompt")
    sizes = " x ".join(counted(n, noun) for n, noun in numbers)
    how = f"Rubric: {VERSION[task.rubric]}. Structured: {'yes' if task.structured else 'no'}."
    yield f"Run: {markdown_text(about.run_id)}, {markdown_text(about.started_at)}. {sizes}: {prompts}. {how}"


def ranking(page: Page, mode: str | None) -> str:
    """Models by overall score, the best first; `mode`: those of one target_mode."""
    names = [name for name, one in page.task.drafters.items() if mode is None or one.target_mode == mode]
    found = {name: _standing(page, name) for name in names}
    ranks = _ranks(page, names)
    ordered = sorted(names, key=lambda name: (-_or_last(found[name].overall), names.index(name)))
    columns = ["Rank", "Model", "Mode", "Valid", "95 % CI", "n", "Overall", "95 % CI", "n", "Parameters", "Options",
               "Completeness", "Latency ms", "Tokens in", "Tokens out", "Reasoning", "USD a graph"]  # fmt: skip
    rows = [[rank(ranks.get(name)), *found[name].cells(page.task.drafters[name])] for name in ordered]
    return markdown_table(columns, rows, [name not in ("Rank", "Model", "Mode") for name in columns])


def _or_last(score: float | None) -> float:
    """A score to sort by; behind 0 what has none."""
    return -1.0 if score is None else score


@dataclass(frozen=True, slots=True)
class _Standing:
    """A model's figures."""

    name: str
    cells_of: Sequence[str]
    overall: float | None

    def cells(self, drafter: Drafter) -> list[str]:
        shown = self.name if drafter.display_name == self.name else f"{drafter.display_name} ({self.name})"
        return [markdown_text(shown), markdown_text(drafter.target_mode or "-"), *self.cells_of]


def _standing(page: Page, name: str) -> _Standing:
    share, overall = _row(page, "accuracy", name, VALID.name), _row(page, "scores", name, "overall")
    value, n = _float(overall.get("mean")), overall.get("n_scored", Cell(0)).value
    entries = [drawn.entry for drawn in page.of("model", name)]
    cells = [
        percent(_float(share.get("accuracy"))), span(_float(share.get("ci_low")), _float(share.get("ci_high"))),
        str(share.get("n_scored", Cell(0)).value), decimal(value, 3), _interval(overall), str(n or 0),
        *(decimal(_float(_row(page, "scores", name, part).get("mean")), 3) for part in OVERALL),
        *(_mean_of(entries, column, 0) for column in ("latency_ms", "input_tokens", "output_tokens", "reasoning_tokens")),
        _mean_of([entry if not entry["cached"] else {**entry, "cost_usd": None} for entry in entries], "cost_usd", 6),
    ]  # fmt: skip
    return _Standing(name, cells, value)


def _interval(row: Mapping[str, Cell]) -> str:
    low, high = _float(row.get("ci_low")), _float(row.get("ci_high"))
    return "-" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def _mean_of(entries: Sequence[Mapping[str, Json]], column: str, digits: int) -> str:
    """The mean of what is known, with its n where that is not all."""
    known = [entry[column] for entry in entries if entry[column] is not None]
    told = decimal(mean(known), digits)
    return told if len(known) in (0, len(entries)) else f"{told} (n {len(known)})"


def _float(cell: Cell | None) -> float | None:
    return float(cell.value) if cell is not None and isinstance(cell.value, int | float) else None


def _row(page: Page, table: str, model: str, metric: str) -> Mapping[str, Cell]:
    """A model's row of a table by metric; nothing where there is none."""
    found = page.tables.get(table)
    for row in found.rows if found is not None else ():
        named = dict(zip(found.columns, row, strict=True)) if found is not None else {}
        if named["model"].value == model and ("metric" not in named or named["metric"].value == metric):
            return named
    return {}


def _ranks(page: Page, names: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    """Which ranks are open by the pairs that are told apart by overall."""
    table, won = page.tables.get("pairs"), []
    owners = {name: [name] for name in names}
    for row in table.rows if table is not None else ():
        named = {name: cell.value for name, cell in zip(table.columns, row, strict=True)} if table is not None else {}
        a, b = str(named["model_a"]), str(named["model_b"])
        if named["metric"] == "overall" and named["told_apart"] == "yes" and {a, b} <= owners.keys():
            pair = owners[a], owners[b]
            won.append(pair if float(named["difference"] or 0) > 0 else (pair[1], pair[0]))
    scored = [name for name in names if _row(page, "scores", name, "overall").get("n_scored", Cell(0)).value]
    return dict(zip(scored, by_pairs([owners[name] for name in scored], won), strict=True))


def _sub_scores(page: Page) -> str:
    """Means of what the parts are made of, by model, each with its n."""
    columns = ["Sub-score", "Part", "Weight", *map(markdown_text, page.task.drafters)]
    rows = []
    for part, weights in WEIGHTS.items():
        for name, weight in weights.items():
            found = (_row(page, "scores", model, name) for model in page.task.drafters)
            rows.append([name, part, f"{weight:.2f}", *map(_mean_and_n, found)])
    return markdown_table(columns, rows, [column not in ("Sub-score", "Part") for column in columns])


def _mean_and_n(row: Mapping[str, Cell]) -> str:
    """0.87 (n 5)."""
    return f"{decimal(_float(row.get('mean')), 2)} (n {row.get('n_scored', Cell(0)).value or 0})"


def _without_parameters(page: Page) -> Iterator[str]:
    """The graphs with influences that lack a parameter, each with the first of these; nothing where there are none."""
    lacking = [drawn for drawn in page.drawn if drawn.entry["edges_without_parameters"]]
    if not lacking:
        return
    yield "## Edges without parameters"
    yield f"{counted(len(lacking), 'graph')} of {len(page.drawn)}: {_LACKING}"
    columns = ["Graph", "Edges without", "Edges", "The first of them"]
    rows = [
        [
            markdown_text(drawn.folder), str(drawn.entry["edges_without_parameters"]), str(drawn.entry["edges"]),
            markdown_text(", ".join(drawn.without_parameters), 200),
        ]
        for drawn in lacking[:MOST_FAILURES]
    ]  # fmt: skip
    yield markdown_table(columns, rows, [False, True, True, False])
    if len(lacking) > MOST_FAILURES:
        yield f"{len(lacking) - MOST_FAILURES} more; scores.csv has them all."


def _of_table(page: Page, name: str) -> str:
    """A table of the report; empty where there is none."""
    table = page.tables.get(name)
    if table is None:
        return ""
    rows = [[_told(cell) for cell in row] for row in table.rows]
    numeric = [not isinstance(cell.value, str) for cell in table.rows[0]]
    return f"{markdown_table([*table.columns], rows, numeric)}\n\n{markdown_lines(table.note)}"


def _told(cell: Cell) -> str:
    value = cell.value
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else markdown_text(str(value), 200)


def _statuses(drawn: Sequence[Drawn]) -> dict[str, int]:
    found = Counter(str(one.entry["status"]) for one in drawn)
    return dict(sorted(found.items(), key=lambda pair: (pair[0] != "ok", pair[0])))


def _failures(page: Page) -> str:
    """Statuses by model, and each graph that did not come, with the reason."""
    failed = [drawn for drawn in page.drawn if drawn.entry["status"] != "ok"]
    if not page.drawn:
        return "None so far: no graph was asked for."
    if not failed:
        return "None: every call brought a graph that could be read."
    names = list(_statuses(page.drawn))
    rows = [
        [markdown_text(model), *(str(_statuses(page.of("model", model)).get(name, 0)) for name in names)]
        for model in page.task.drafters
    ]
    shown = failed[:MOST_FAILURES]
    lines = [
        f"- {markdown_text(one.folder)}: {one.entry['status']}: {markdown_text(one.why or '-', MOST_REASON)}" for one in shown
    ]
    more = f"\n\n{len(failed) - len(shown)} more; scores.csv has them all." if len(failed) > len(shown) else ""
    return markdown_table(["Model", *names], rows, [False, *(True for _ in names)]) + "\n\n" + "\n".join(lines) + more
