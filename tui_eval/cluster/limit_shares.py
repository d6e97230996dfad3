"""Parts of a run's limits: the number of workers among which they can be divided. Pure."""

from __future__ import annotations

import math

from tui_eval.configuring.loading import Loaded
from tui_eval.core.money import USUAL_REPLY

SAFETY = 2
"""A prompt may be so many times as long as those of its stage are on average."""


def limit_shares(loaded: Loaded, workers: int) -> int:
    """Return among how many of so many workers the run's limits can be divided, so that each has room for one call."""
    stated = [loaded.run.max_concurrency]
    for name, spec in loaded.asked_models.items():
        stated += [most for most in (spec.max_in_flight, spec.requests_per_minute) if most is not None]
        if spec.tokens_per_minute is not None:
            stated.append(spec.tokens_per_minute // max(_largest_call(loaded, name), 1))
    return max(min(workers, *stated), 1)


def _largest_call(loaded: Loaded, model: str) -> int:
    """Return about how many tokens a call of a model may use, prompt and reply together."""
    stages = [stage for stage in loaded.plan["stages"] if stage["model"] == model and stage["calls"]]
    prompt = max((math.ceil(SAFETY * stage["prompt_tokens"] / stage["calls"]) for stage in stages), default=0)
    spec = loaded.evaluation.models[model]
    return prompt + (spec.max_output_tokens or loaded.run.max_output_tokens or USUAL_REPLY)
