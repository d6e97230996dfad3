"""The models of a run by the stages they are asked in, with their limits: what a row of a config leaves open comes from its
model, then from the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from tui_eval.core.calls import Attachment, Call, Message, ModelSpec
from tui_eval.core.samples import Sample
from tui_eval.evaluation.config_references import Table, names, references_in, rewritten
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.validation import Strict

SCORING = "scoring"
"""The stage in which models score answers, beside a kind's own stages; the folder of their prompts; and the table of a config
that holds these."""
LONGER = 4
"""So many times the token limit is allowed, once, where a reply was cut and cannot be read."""


class ModelRow(Strict):
    """A model in a stage, asked `calls` times about each sample."""

    model: Annotated[str, names("model")]
    """The model to ask, by the name it has in this config or on file."""
    calls: Annotated[int, Field(ge=1, le=10_000)] = 1
    """The number of times the model is asked about each sample."""
    timeout_s: Annotated[float, Field(gt=0, le=86_400, examples=[60.0])] | None = None
    """The time limit of one attempt, seconds. Empty = the model's own limit, else that of the run."""
    temperature: Annotated[float, Field(ge=0, le=2, examples=[0.0])] | None = None
    """How freely the model chooses its words: 0 is the steadiest. Empty = the model's own; without one, none is sent."""
    max_output_tokens: Annotated[int, Field(ge=0, examples=[1000])] | None = None
    """The most tokens of a reply, thinking included; 0 = no limit. Empty = the model's own limit, else that of the run."""
    model_id: Annotated[str, Field(examples=["gpt-5-mini"])] | None = None
    """The provider's id of the model. Leave it empty: the run fills it in from [[models]]."""
    use_temperature: bool | None = None
    """Send a temperature. false = this row sends none, not even the model's own. Empty = send it if there is one."""


class ScorerModel(ModelRow):
    """A model that compares an answer with the truth; its temperature is 0 unless switched off."""

    calls: Literal[1] = 1
    """Always 1: every answer is graded once."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """How freely the scorer chooses its words. At 0, the default, it grades most steadily."""
    use_temperature: bool = True
    """Send the scorer a temperature; switch it off for models that take none."""


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model in a stage, with everything that a call to it needs besides its messages."""

    stage: str
    name: str
    """Our name for it."""
    model_id: str
    """The API's own."""
    calls: int
    """How many times it is asked about each sample."""
    temperature: float | None
    """None = none is sent."""
    max_output_tokens: int | None
    """None = no limit is sent."""
    timeout_s: float
    longer_when_cut: bool = False
    """Whether a reply that was cut and cannot be read is asked for once more, with `LONGER` times as many tokens."""

    def call(self, sample: Sample, messages: Iterable[Message], index: int = 0, **more: Any) -> Call:
        """A call to it about a sample; `more` as the fields of Call."""
        return Call(
            self.stage,
            sample.id,
            self.name,
            tuple(messages),
            call_index=index,
            temperature=self.temperature,
            max_output_tokens=self.max_output_tokens,
            timeout_s=self.timeout_s,
            longest=self.max_output_tokens * LONGER if self.longer_when_cut and self.max_output_tokens else None,
            **more,
        )

    def ask(
        self,
        sample: Sample,
        system: str,
        user: str,
        index: int = 0,
        attachments: tuple[Attachment, ...] = (),
        begins: str = "",
        **more: Any,
    ) -> Call:
        """A call of one system and one user message. `attachments`: what goes with the latter; `begins`: how it begins, where
        other calls do so as well."""
        text, beginning = user.strip(), begins.lstrip()
        shared = len(beginning) if beginning and text.startswith(beginning) else 0
        return self.call(sample, (Message("system", system), Message("user", text, attachments, shared)), index, **more)


Asked = Mapping[str, tuple[AskedModel, ...]]
"""The models of each stage, in the order of the config; stages without any are left out."""


def asked_models(table: BaseModel, key: str, specs: Mapping[str, ModelSpec], run: RunSettings) -> Asked:
    """The models that a config names, by the stages their fields tell."""
    by_stage: dict[str, list[AskedModel]] = {}
    for entry in references_in(table, key):
        if entry.what == "model":
            row = entry.table if entry.alone else None
            filled = filled_in(row, specs[entry.value], run)
            filled["max_output_tokens"] = filled["max_output_tokens"] or None
            longer = bool(run.longer_when_cut)
            model = AskedModel(entry.stage, entry.value, calls=getattr(row, "calls", 1), longer_when_cut=longer, **filled)
            by_stage.setdefault(entry.stage, []).append(model)
    return {stage: tuple(rows) for stage, rows in by_stage.items()}


def id_label(name: str, model_id: str, ids: Iterable[tuple[str, str]]) -> str:
    """A model as files know it: the API's own id, with our name behind it where several of a run share that.

    `ids`: (name, API's id) of the run's models.
    """
    several = len({alias for alias, shared in ids if shared == model_id}) > 1
    return f"{model_id}~{name}" if several else model_id or name


def numbered(models: Sequence[AskedModel]) -> Iterator[tuple[AskedModel, int]]:
    """Each model once per call, with the index of the call among those of the same API model in this stage."""
    next_index: Counter[str] = Counter()
    for model in models:
        for _ in range(model.calls):
            yield model, next_index[model.model_id]
            next_index[model.model_id] += 1


def with_limits(table: Table, specs: Mapping[str, ModelSpec], run: RunSettings) -> Table:
    """The table with the rows in it filled in, as a resolved config writes them down."""

    def change(row: BaseModel) -> BaseModel:
        fields, model = type(row).model_fields, getattr(row, "model", None)
        if not isinstance(model, str) or "model_id" not in fields:
            return row
        filled = filled_in(row, specs[model], run)
        return row.model_copy(update={name: value for name, value in filled.items() if name in fields})

    return rewritten(table, change)


def filled_in(row: BaseModel | None, spec: ModelSpec, run: RunSettings) -> dict[str, Any]:
    """Return the settings that a row leaves open, with the model's id at its API. `row`: None where there is none.

    A row whose `use_temperature` says no is sent without one.
    """
    own = {name: getattr(row, name, None) for name in ("timeout_s", "temperature", "max_output_tokens")}
    limit = own["max_output_tokens"]
    if limit is None:
        of_run = 0 if run.reasoning_without_limit and spec.reasoning_effort else run.max_output_tokens
        limit = of_run if spec.max_output_tokens is None else spec.max_output_tokens
    temperature = spec.temperature if own["temperature"] is None else own["temperature"]
    return {
        "model_id": spec.model,
        "timeout_s": own["timeout_s"] or spec.timeout_s or run.timeout_s,
        "temperature": None if getattr(row, "use_temperature", None) is False else temperature,
        "max_output_tokens": limit,
    }
