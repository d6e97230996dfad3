"""Tokens that the largest graph takes which the rules allow, and models whose limit is below that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.kinds.graph.example_graph import EXAMPLE
from tui_eval.kinds.graph.structure_rules import MOST_EDGES, MOST_NODES

CHARACTERS_PER_TOKEN = 3
"""Of JSON, which has more signs than prose: four characters a token would be too hopeful."""


def largest_graph_tokens() -> int:
    """Return about how many tokens a graph of the most nodes and edges takes, each as long as the example's on average."""
    graph = json.loads(EXAMPLE)
    lengths = [len(json.dumps(graph[name])) / len(graph[name]) for name in ("nodes", "edges")]
    return round((MOST_NODES * lengths[0] + MOST_EDGES * lengths[1]) / CHARACTERS_PER_TOKEN)


def short_limits(models: Sequence[AskedModel]) -> Iterator[str]:
    """Yield a sentence for each model that may be cut before it has drawn all that the rules allow."""
    needed = largest_graph_tokens()
    for model in models:
        limit = model.max_output_tokens
        if limit is not None and limit < needed:
            yield (
                f"{model.name}: a reply may have {limit:,} tokens; the largest graph that the rules allow ({MOST_NODES} nodes, "
                f"{MOST_EDGES} edges) takes about {needed:,}: raise run.max_output_tokens where graphs are large"
            )
