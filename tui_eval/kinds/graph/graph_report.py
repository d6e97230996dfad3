"""The report on a run of graphs: models and prompt versions by every score, broken rules, and how far graphs agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tui_eval.core.calls import Json
from tui_eval.core.results import About, Cell, SampleResult, Table
from tui_eval.evaluation.calls import TRUNCATED
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.kinds.graph.drawings import MOST_NODES
from tui_eval.kinds.graph.graph_files import entry_of, folder_of, look_at_row, why_no_graph, without_parameters
from tui_eval.kinds.graph.graph_pages import MOST_NAMED, GraphPage, PageRecord, analysis_pack, run_json, summary_md
from tui_eval.kinds.graph.graph_scores import METRICS, OVERALL, UNREADABLE, VALID
from tui_eval.kinds.graph.graph_task import DraftRequest, GraphTask
from tui_eval.kinds.graph.structure_rules import RULES
from tui_eval.reading.decision_graphs import Graph
from tui_eval.statistics.estimates import mean

HEADLINE = (VALID.name, "overall", *OVERALL)
"""Scores that are read first, and that models are compared by; the others are what these are made of."""
NOTE = "valid is of all replies, every other score of valid graphs alone; a graph that is not valid has none. "
LONGEST_SHORT = 6000
"""Characters of a graph in short that are kept for the analysis pack."""
TITLES = ("Valid graphs by model", "Scores of valid graphs by model and metric")
_UNREAD = {"parse_failed": UNREADABLE, TRUNCATED: TRUNCATED}
"""By the status of a graph that was not read, what it is counted as among the broken rules."""
Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _GraphShape:
    """The parts of a graph by which two are compared: labels, and pairs of labels that an edge joins."""

    labels: frozenset[str]
    edges: Pairs


class GraphReport(ScoreReport):
    """Scores by model; beside them the same by version of the prompt, which broken rules there are, and how graphs agree."""

    def __init__(self, task: GraphTask) -> None:
        expected = [(model.stage, model.name, version.id) for model in task.models for version in task.versions]
        super().__init__(task, METRICS, expected=expected, note=NOTE, titles=TITLES)
        self._task, self._stage = task, task.models[0].stage
        self._models = {model.name: n for n, model in enumerate(task.models)}
        self._drawn: list[PageRecord] = []
        self._shapes: dict[tuple[str, str, int], dict[str, _GraphShape]] = {}
        self._broken: Counter[tuple[str, str, str]] = Counter()
        self._replies: Counter[tuple[str, str]] = Counter()

    def add(self, row: SampleResult) -> None:
        """Take in one graph."""
        super().add(row)
        if not row.replies:
            return
        draft: DraftRequest = row.sample.data
        model, prompt = row.sample.queue, draft.version.id
        look, entry = look_at_row(row), entry_of(self._task, row)
        reading, broken = look.found, look.broken
        unread = _UNREAD.get(entry["status"])
        names = [unread] if unread else [violation.rule for violation in broken]
        self._broken.update((name, prompt, model) for name in names)
        self._replies[prompt, model] += entry["structural_valid"] is not None
        lines = look.drawing.short() if look.drawing is not None else []
        self._drawn.append(
            PageRecord(
                entry,
                "\n".join(lines)[:LONGEST_SHORT],
                tuple(violation.sentence for violation in broken),
                why_no_graph(row, look),
                "/".join(folder_of(self._task, row.sample)),
                tuple(name for name, _ in without_parameters(look)[:MOST_NAMED]),
            )
        )
        if reading.graph is not None and len(reading.graph.nodes) <= MOST_NODES:
            self._shapes.setdefault((draft.brief.id, prompt, row.sample.repeat), {})[model] = _shape(reading.graph)

    def own_tables(self) -> Mapping[str, Table]:
        """rules, agreement."""
        return {"rules": self._rules(), "agreement": self._agreement()}

    def headline(self) -> Sequence[Table]:
        """Models, of each version of the prompt, by the scores that are read first; and which rules were broken."""
        tables = [_first_scores(table) for table in super().headline()]
        return [table for table in (*tables, _as_text(self._rules())) if table.rows]

    def files(self, about: About) -> Mapping[str, Json]:
        """run.json, scores.csv, summary.md and analysis-pack.md (spec 002)."""
        page = GraphPage(self._task, about, self._drawn, self.tables(), self.board)
        return {
            "run.json": run_json(page),
            "scores.csv": [graph.entry for graph in self._drawn],
            "summary.md": summary_md(page),
            "analysis-pack.md": analysis_pack(page),
        }

    def _rules(self) -> Table:
        """Tabulate which rules were broken how often, by prompt and model; a graph may break several."""
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
        """Tabulate how much the graphs of two models for one brief and prompt have in common."""
        rows: list[Cells] = []
        for a, b in combinations(self._models, 2):
            both = [(shapes[a], shapes[b]) for shapes in self._shapes.values() if a in shapes and b in shapes]
            shared = {
                "nodes_shared": [_shared(first.labels, second.labels) for first, second in both],
                "edges_shared": [_shared(first.edges, second.edges) for first, second in both],
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


def _shape(graph: Graph) -> _GraphShape:
    def label(name: str) -> str:
        return " ".join((graph.by_id[name].label or name).casefold().split())

    edges = frozenset((label(start.id), label(end.id)) for _, start, end in graph.directed)
    return _GraphShape(frozenset(map(label, graph.by_id)), edges)


def _shared(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Jaccard's index: what is in both / what is in either; 1 where both are empty."""
    either = {*first, *second}
    return len({*first} & {*second}) / len(either) if either else 1.0


def _first_scores(table: Table) -> Table:
    """A table in short without the rows of sub-scores."""
    if "metric" not in table.columns:
        return table
    at = table.columns.index("metric")
    places = [n for n, row in enumerate(table.rows) if row[at].value in HEADLINE]
    rests_on = tuple(table.rests_on[n] for n in places) if table.rests_on else ()
    return replace(table, rows=tuple(table.rows[n] for n in places), rests_on=rests_on)


def _as_text(table: Table) -> Table:
    def told(cell: Cell) -> Cell:
        value = cell.value
        return cell._replace(value="-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value))

    return replace(table, rows=tuple(tuple(map(told, row)) for row in table.rows))
