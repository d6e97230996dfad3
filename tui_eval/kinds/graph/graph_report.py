"""The report on a run of graphs: models and prompt versions by every score, broken rules, and how far graphs agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tui_eval.core.calls import Json
from tui_eval.core.results import About, Cell, SampleResult, Table
from tui_eval.evaluation.calls import TRUNCATED
from tui_eval.evaluation.score_report import Nouns, ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.kinds.graph.drawings import MOST_NODES
from tui_eval.kinds.graph.graph_files import entry_of, folder_of, look_at_row, why_no_graph, without_parameters
from tui_eval.kinds.graph.graph_look import METRICS, UNREADABLE, VALID
from tui_eval.kinds.graph.graph_pages import MOST_NAMED, Drawn, Page, analysis_pack, run_json, summary_md
from tui_eval.kinds.graph.graph_scores import OVERALL
from tui_eval.kinds.graph.graph_task import Draft, GraphTask
from tui_eval.kinds.graph.structure_rules import RULES
from tui_eval.reading.decision_graphs import Graph
from tui_eval.statistics.estimates import mean

HEADLINE = (VALID.name, "overall", *OVERALL)
"""Scores that are read first, and that models are compared by; the others are what these are made of."""
NOTE = (
    "valid is of all replies, every other score of valid graphs alone; a graph that is not valid has none. A task is a brief "
    "with a version of the prompt. "
)
LONGEST_SHORT = 6000
"""Characters of a graph in short that are kept for the analysis pack."""
NOUNS = Nouns(
    accuracy="Valid graphs by model",
    scores="Scores of valid graphs by model and metric",
    answers="graphs",
    to_question="for one task",
    questions="tasks",
    about_document="of one brief",
    documents="briefs",
)
_UNREAD = {"parse_failed": UNREADABLE, TRUNCATED: TRUNCATED}
"""By the status of a graph that was not read, what it is counted as among the broken rules."""
Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What two graphs are laid side by side by: labels, and pairs of labels that an edge joins."""

    labels: frozenset[str]
    edges: Pairs


class GraphReport(ScoreReport):
    """Scores by model; beside them the same by version of the prompt, which broken rules there are, and how graphs agree."""

    def __init__(self, task: GraphTask) -> None:
        expected = [(model.stage, model.name) for model in task.models]
        super().__init__(task, METRICS, expected=expected, note=NOTE, paired=HEADLINE, nouns=NOUNS)
        self._by_prompt = ScoreReport(task, METRICS, note=NOTE, paired=HEADLINE, nouns=NOUNS)
        self._task, self._stage = task, task.models[0].stage
        self._models = {model.name: n for n, model in enumerate(task.models)}
        self._drawn: list[Drawn] = []
        self._shapes: dict[tuple[str, str, int], dict[str, _Shape]] = {}
        self._broken: Counter[tuple[str, str, str]] = Counter()
        self._replies: Counter[tuple[str, str]] = Counter()

    def add(self, row: SampleResult) -> None:
        """Take in one graph."""
        super().add(row)
        if not row.replies:
            return
        draft: Draft = row.sample.data
        model, prompt = row.sample.queue, draft.version.id
        place = row.sample.q_index // len(self._task.versions) * len(self._models) + self._models[model]
        self._by_prompt.count((row.sample.doc_id, place), {}, row.scores, of=prompt)
        look, entry = look_at_row(row), entry_of(self._task, row)
        found, broken = look.found, look.broken
        unread = _UNREAD.get(entry["status"])
        names = [unread] if unread else [one.rule for one in broken]
        self._broken.update((name, prompt, model) for name in names)
        self._replies[prompt, model] += entry["structural_valid"] is not None
        lines = look.drawing.short() if look.drawing is not None else []
        self._drawn.append(
            Drawn(
                entry,
                "\n".join(lines)[:LONGEST_SHORT],
                tuple(one.sentence for one in broken),
                why_no_graph(row, look),
                "/".join(folder_of(self._task, row)),
                tuple(name for name, _ in without_parameters(look)[:MOST_NAMED]),
            )
        )
        if found.graph is not None and len(found.graph.nodes) <= MOST_NODES:
            self._shapes.setdefault((draft.brief.id, prompt, row.sample.repeat), {})[model] = _shape(found.graph)

    def tables(self) -> Mapping[str, Table]:
        """prompts, prompt_pairs, rules, agreement, beside what every kind has."""
        made = dict(super().tables())
        by_prompt = self._by_prompt.tables()
        made["prompts"] = self._prompts(by_prompt)
        if "pairs" in by_prompt:
            made["prompt_pairs"] = _about_prompts(by_prompt["pairs"])
        made["rules"] = self._rules()
        made["agreement"] = self._agreement()
        return {name: table for name, table in made.items() if table.rows}

    def headline(self) -> Sequence[Table]:
        """Models, then versions of the prompt, by the scores that are read first; and which rules were broken."""
        found = [_first_scores(table) for table in super().headline()]
        if len(self._task.versions) > 1:
            found.append(_as_text(self._prompts(self._by_prompt.tables())))
        return [table for table in (*found, _as_text(self._rules())) if table.rows]

    def files(self, about: About) -> Mapping[str, Json]:
        """run.json, scores.csv, summary.md and analysis-pack.md (spec 002)."""
        page = Page(self._task, about, self._drawn, self.tables())
        return {
            "run.json": run_json(page),
            "scores.csv": [drawn.entry for drawn in self._drawn],
            "summary.md": summary_md(page),
            "analysis-pack.md": analysis_pack(page),
        }

    def _prompts(self, made: Mapping[str, Table]) -> Table:
        """A row for each version of the prompt and each score that is read first."""
        rows: list[Cells] = []
        for table, estimate in ((made.get("accuracy"), "accuracy"), (made.get("scores"), "mean")):
            for row in table.rows if table is not None else ():
                named = dict(zip(table.columns if table is not None else (), row, strict=True))
                metric = str(named["metric"].value) if "metric" in named else VALID.name
                if metric not in HEADLINE:
                    continue
                prompt = str(named["model"].value)
                rests_on = {"stage": self._stage, "name": metric, "by": "prompt", "value": prompt}
                rows.append({
                    RESTS_ON: rests_on, "prompt": prompt, "metric": metric, "mean": named[estimate],
                    **{name: named[name] for name in ("ci_low", "ci_high", "n_scored", "n_total")},
                })  # fmt: skip
        rows.sort(key=lambda row: [version.id for version in self._task.versions].index(str(row["prompt"])))
        columns = ("prompt", "metric", "mean", "ci_low", "ci_high", "n_scored", "n_total")
        note = f"{NOTE}Over all models; intervals by briefs where there are three or more."
        return table_of("Scores by version of the prompt", rows, columns, note, columns[:2])

    def _rules(self) -> Table:
        """Which rules were broken how often, by prompt and model; a graph may break several."""
        order = [*_UNREAD.values(), *RULES]
        keys = sorted(self._broken, key=lambda key: (order.index(key[0]), key[1], self._models[key[2]]))
        rows: list[Cells] = [
            {
                RESTS_ON: {"stage": self._stage, "model": model, "name": VALID.name, "by": "prompt", "value": prompt},
                "rule": rule, "prompt": prompt, "model": model, "n_broken": self._broken[rule, prompt, model],
                "n_replies": self._replies[prompt, model],
            }
            for rule, prompt, model in keys
        ]  # fmt: skip
        columns = ("rule", "prompt", "model", "n_broken", "n_replies")
        return table_of("Broken rules", rows, columns, "A graph may break several; response.json names the nodes.", columns[:3])

    def _agreement(self) -> Table:
        """How much the graphs of two models for one brief and prompt have in common."""
        rows: list[Cells] = []
        for a, b in combinations(self._models, 2):
            both = [(found[a], found[b]) for found in self._shapes.values() if a in found and b in found]
            shared = {
                "nodes_shared": [_shared(one.labels, other.labels) for one, other in both],
                "edges_shared": [_shared(one.edges, other.edges) for one, other in both],
            }
            if both:
                means = {
                    name: Cell(rounded(mean(values)), len(values), formula="in both / in either, mean over pairs of graphs")
                    for name, values in shared.items()
                }
                rows.append({RESTS_ON: None, "model_a": a, "model_b": b, "n": len(both), **means})
        note = "Of two graphs for one brief and prompt: labels (small letters) in both / in either, likewise edges; means."
        columns = ("model_a", "model_b", "n", "nodes_shared", "edges_shared")
        return table_of("Agreement of graphs", rows, columns, note, columns[:2])


def _shape(graph: Graph) -> _Shape:
    def label(name: str) -> str:
        return " ".join((graph.by_id[name].label or name).casefold().split())

    edges = frozenset((label(start.id), label(end.id)) for _, start, end in graph.directed)
    return _Shape(frozenset(map(label, graph.by_id)), edges)


def _shared(one: Collection[Hashable], other: Collection[Hashable]) -> float:
    """Jaccard's index: what is in both / what is in either; 1 where both are empty."""
    either = {*one, *other}
    return len({*one} & {*other}) / len(either) if either else 1.0


def _first_scores(table: Table) -> Table:
    """A table in short without the rows of sub-scores."""
    if "metric" not in table.columns:
        return table
    at = table.columns.index("metric")
    kept = [n for n, row in enumerate(table.rows) if row[at].value in HEADLINE]
    rests_on = tuple(table.rests_on[n] for n in kept) if table.rests_on else ()
    return replace(table, rows=tuple(table.rows[n] for n in kept), rests_on=rests_on)


def _as_text(table: Table) -> Table:
    def told(cell: Cell) -> Cell:
        value = cell.value
        return cell._replace(value="-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value))

    return replace(table, rows=tuple(tuple(map(told, row)) for row in table.rows))


def _about_prompts(table: Table) -> Table:
    """A table about prompts that was made as one about models."""
    names = {"model_a": "prompt_a", "model_b": "prompt_b"}
    columns, keys = (tuple(names.get(name, name) for name in found) for found in (table.columns, table.keys))
    return Table("Pairs of prompt versions", columns, table.rows, table.note, keys, (None,) * len(table.rows))
