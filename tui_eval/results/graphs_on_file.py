"""The decision graphs of a run as its folder has them: where each lies, its drawing, the rules it breaks, its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tui_eval.core.row_paths import path_of
from tui_eval.results.read_report import objects_of
from tui_eval.results.stored_samples import StoredSample
from tui_eval.runs.files import within
from tui_eval.runs.opening import content_of, table

MANIFEST, RESPONSE, DRAWING = "run.json", "response.json", "graph.txt"
"""What a run of graphs has, and what each of its graphs has."""
MOST_BYTES = 64 << 20
FIRST_SCORE, AFTER_SCORES = "overall_score", "latency_ms"
"""Between these two names of a response.json stand its scores."""


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """A graph, or why there is none. Texts are foreign and as they are in the files."""

    model: str
    status: str
    reason: str
    """Why no graph was read; empty where one was."""
    valid: bool | None
    """Whether it keeps every rule; None where no reply came."""
    broken: Sequence[str]
    """Rules by name."""
    drawing: str
    """In layers, a line that breaks a rule with `! ` before it; empty where there is no graph."""
    scores: Mapping[str, float | None]
    """The score, its parts and what these are made of, by the names of the file."""


class DrawnGraphs:
    """Those of one run. Nothing is kept of them but where they lie."""

    def __init__(self, run: Path) -> None:
        self._run = run
        graphs = table(run / MANIFEST, MOST_BYTES)
        models, prompts = objects_of(graphs.get("models")), graphs.get("prompts")
        self._folders = {
            str(model["name"]): str(model["folder"]) for model in models if "name" in model and model.get("folder")
        }
        self._several = isinstance(prompts, list) and len(prompts) > 1

    def others(self, sample: StoredSample) -> list[str]:
        """The models beside the sample's own that drew the same brief by the same prompt."""
        return [name for name in self._folders if name != sample.queue and self._file(sample, name, RESPONSE) is not None]

    def has(self, sample: StoredSample) -> bool:
        """Return whether there is a graph of a sample, or a reply that should have been one."""
        return self._file(sample, sample.queue, RESPONSE) is not None

    def of(self, sample: StoredSample, model: str = "") -> DrawnGraph | None:
        """A sample's graph, or that of another model for the same brief and prompt; None where there is nothing on file."""
        model = model or sample.queue
        response = self._file(sample, model, RESPONSE)
        if response is None:
            return None
        graph = table(self._run / response, MOST_BYTES)
        drawing = self._file(sample, model, DRAWING) if graph.get("nodes") is not None else None
        valid = graph.get("structural_valid")
        return DrawnGraph(
            model=model,
            status=str(graph.get("status") or "-"),
            reason=str(graph.get("reason") or ""),
            valid=valid if isinstance(valid, bool) else None,
            broken=[str(rule.get("rule")) for rule in objects_of(graph.get("broken_rules"))],
            drawing=content_of(self._run / drawing, MOST_BYTES).decode("utf-8", "replace") if drawing is not None else "",
            scores=_scores(graph),
        )

    def _file(self, sample: StoredSample, model: str, name: str) -> str | None:
        """Return the path of a file of a graph in the run folder; None where it is not there."""
        if model not in self._folders or not sample.doc_id:
            return None
        prompt = sample.groups.get("prompt", ())[:1] if self._several else ()
        path = path_of(self._folders[model], sample.doc_id, *prompt, name)
        path = f"repeats/{sample.repeat + 1:02d}/{path}" if sample.repeat else path
        return path if within(self._run / path, self._run) and (self._run / path).is_file() else None


@lru_cache(maxsize=4)
def _graphs_at(run: Path, stamp: tuple[int, int]) -> DrawnGraphs:
    return DrawnGraphs(run)


def drawn_graphs(run: Path) -> DrawnGraphs:
    """Those of a run, by its manifest as it is now."""
    try:
        about = (run / MANIFEST).stat()
    except OSError:
        return DrawnGraphs(run)
    return _graphs_at(run, (about.st_mtime_ns, about.st_size))


def _scores(table: Mapping[str, Any]) -> dict[str, float | None]:
    names = [*table]
    if FIRST_SCORE not in names or AFTER_SCORES not in names:
        return {}
    score_names = names[names.index(FIRST_SCORE) : names.index(AFTER_SCORES)]
    return {name: float(value) if type(value := table[name]) in (int, float) else None for name in score_names}
