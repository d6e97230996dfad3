"""Small panels, and driving them without a network: what the tests of the panel share."""

from __future__ import annotations

from collections.abc import Callable

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample

MODELS = "".join(
    f'[[models]]\nname = "{name}"\nwire = "simulator"\nmodel = "maker/{name}-1"\n' for name in ("one", "two", "three", "scorer")
)
STAGES = {
    "models": MODELS,
    "doers": '[[panel.doers]]\nmodel = "one"\ncalls = 2\n[[panel.doers]]\nmodel = "two"\n[[panel.doers]]\nmodel = "one"\n',
    "rest": '[[panel.judges]]\nmodel = "three"\ncalls = 2\n[[panel.finals]]\nmodel = "two"\n',
}
DOERS = [("one", 0), ("one", 1), ("two", 0), ("one", 2)]
"""Who is asked first, in the order of the rows: name and index of the call."""

Answer = Callable[[Call], Reply]


def said(call: Call) -> Reply:
    """A reply that names the call it answers."""
    return Reply(call, "ok", text=f"{call.stage} {call.model} {call.call_index} says {{judge_responses}} {{truth}}")


def items(loaded: Loaded) -> list[Sample]:
    """Every item."""
    evaluation = loaded.evaluation
    return list(evaluation.samples())


def run(loaded: Loaded, answer: Answer = said, item: int = 0) -> tuple[SampleResult, list[Call]]:
    """One item driven to its end, and the calls that were asked for it."""
    asked: list[Call] = []

    def note(call: Call) -> Reply:
        asked.append(call)
        return answer(call)

    evaluation = loaded.evaluation
    return evaluation.driven(items(loaded)[item], note), asked


def failing(*stages: str) -> Answer:
    """Replies of which those of some stages fail for good."""

    def answer(call: Call) -> Reply:
        failed = Reply(call, "timeout", error_message="too slow")
        return failed if call.stage in stages or f"{call.stage}:{call.model}" in stages else said(call)

    return answer


def user(call: Call) -> str:
    """What a call asks."""
    return call.messages[-1].content


def of(stage: str, calls: list[Call]) -> list[Call]:
    """The calls of a stage."""
    return [call for call in calls if call.stage == stage]
