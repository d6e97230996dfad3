"""The `[graph]` table of a config: which prompts and briefs, which models, by which rubric their graphs are scored."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tui_eval.evaluation.config_references import names
from tui_eval.kinds.graph.graph_scores import Rubric
from tui_eval.workspace.validation import Strict

STAGE = "draft"
MOST_BYTES = 1024 * 1024


class Config(Strict):
    """The `[graph]` table."""

    prompts: Annotated[
        list[str], Field(min_length=1, examples=[["prompts/draft_graph_v1.txt"]]),
        names("files", role="draft_prompt", place="prompts", most=MOST_BYTES),
    ]  # fmt: skip
    """The versions of the prompt, each a text file that is sent as the system message: paths, or patterns such as
    prompts/*.txt. Several are asked side by side; the run's id ends with the name of the first."""
    briefs: Annotated[
        list[str], Field(min_length=1, examples=[["briefs/*.md"]]),
        names("files", role="brief", place="briefs", most=MOST_BYTES),
    ]  # fmt: skip
    """The decisions to be drawn, each a Markdown file that is sent as the user message: paths, or patterns. At its head,
    between two lines of three dashes, stand expect_status_quo and has_numeric_target (true or false) and complexity (simple,
    moderate or complex)."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage=STAGE)]
    """The models that draft graphs, by the names they have in this config or on file."""
    structured: bool = False
    """Whether a JSON schema goes with each call, to which servers hold a model that can do so; the others may refuse it."""
    schema_file: Annotated[str, names("file", role="schema", place="schemas", shipped="schemas")] = "decision-graph.json"
    """The JSON schema that goes with structured = true: a path, or a file of schemas/."""
    rubric: Rubric = "spec-002"
    """By which rules graphs are scored. spec-002: as the specification says. first-coded: as older published scores were made,
    which tell probabilities of existence apart by one decimal and give full marks for strengths that are missing."""
    max_samples: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """How many graphs may be asked for at most, so that patterns do not match more than was meant."""

    @property
    def unused(self) -> tuple[str, ...]:
        """Without structured no schema is sent."""
        return () if self.structured else ("schema_file",)
