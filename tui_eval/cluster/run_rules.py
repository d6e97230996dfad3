"""Rules of the whole run, at the coordinator: what one worker finds out holds for all."""

from __future__ import annotations

import time
from typing import Any

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import ApiError, Repair
from tui_eval.engine.ask import remember
from tui_eval.engine.calling import RunContext

Answers = list[tuple[str, dict[str, Any]]]
"""Messages to workers, by their lives."""


def longest_call_s(loaded: Loaded) -> float:
    """Return the seconds within which every call of a run ends that was begun."""
    stated = [spec.timeout_s for spec in loaded.evaluation.models.values() if spec.timeout_s is not None]
    return max([loaded.run.timeout_s, *stated])


class RunRules:
    """Models that are stopped, paused, met or adapted to, over all workers."""

    def __init__(self, context: RunContext, loaded: Loaded) -> None:
        self._context, self._loaded = context, loaded
        models = loaded.evaluation.models
        self._met = {name for name in models if context.first_attempts.has_begun(name)}
        self._first: dict[str, str] = {}
        """Which worker makes a model's first call."""
        self._asked: dict[str, list[str]] = {}
        """Those that wait to know that, by model."""
        self._closed_until: dict[str, float] = {}
        """Monotonic clock up to which no worker is to ask a model, as far as one knows."""

    @property
    def met(self) -> list[str]:
        """The models whose first call is through."""
        return sorted(self._met)

    @property
    def repairs(self) -> dict[str, list[list[Any]]]:
        """The changes of parameters that models were found to need."""
        return {
            name: [[each.parameter, each.rename_to, each.lower_to] for each in repairs.values()]
            for name, repairs in self._context.repairs.items()
        }

    def take(self, life: str, worker: str, word: str, values: list[Any]) -> Answers:
        """Take what a worker tells; return what is answered at once, and to whom."""
        breaker, models = self._context.breaker, self._loaded.evaluation.models
        if word == "say":
            self._context.folder.narrate(f"{worker}: {values[0]}")
        elif word == "warn":
            breaker.warn(f"{worker}: {values[0]}")
        elif word == "call_end":
            breaker.count_end(models[values[0]], bool(values[1]), values[2])
        elif word == "fault":
            name, kind, scope, message = values
            breaker.learn(models[name], ApiError(kind, message, scope=scope))
        elif word == "repair":
            remember(self._context, models[values[0]], Repair(*values[1]))
        elif word == "closed":
            self._close(*values)
        elif word == "keep":
            self._keep(*values)
        elif word == "first":
            return self._asked_first(life, values[0])
        elif word == "met":
            return self._meet(values[0])
        return []

    def _close(self, model: str, seconds: float) -> None:
        """A worker found an endpoint closed: others are to wait as well."""
        until = time.monotonic() + seconds
        self._closed_until[model] = max(self._closed_until.get(model, until), until)

    def _keep(self, key: str, model: str, line: str) -> None:
        """Keep a good reply for other runs."""
        context = self._context
        if context.cache is not None and model in self._loaded.evaluation.models:
            context.cache.put(key, line.encode("ascii"), context.sender.place(self._loaded.evaluation.models[model]))

    def _asked_first(self, life: str, model: str) -> Answers:
        if model in self._met:
            return [(life, {"do": "first", "model": model, "go": False})]
        if model in self._first:
            self._asked.setdefault(model, []).append(life)
            return []
        self._first[model] = life
        return [(life, {"do": "first", "model": model, "go": True})]

    def _meet(self, model: str) -> Answers:
        self._met.add(model)
        self._context.first_attempts.meet(model)
        return [(life, {"do": "first", "model": model, "go": False}) for life in self._asked.pop(model, ())]

    def first_of(self, life: str) -> list[dict[str, Any]]:
        """Return what a worker was told of first calls that it is to make."""
        first = [model for model, maker in self._first.items() if maker == life and model not in self._met]
        return [{"do": "first", "model": model, "go": True} for model in first]

    def forget(self, life: str) -> Answers:
        """A worker is lost: others make the first calls that it was to make."""
        answers: Answers = []
        for model in [model for model, first in self._first.items() if first == life and model not in self._met]:
            del self._first[model]
            if waiting := [each for each in self._asked.pop(model, ()) if each != life]:
                answers += self._asked_first(waiting[0], model)
                self._asked[model] = waiting[1:]
        return answers

    def news(self, told: dict[str, Any]) -> dict[str, Any]:
        """Return what a worker does not know yet, and note in `told` that it does."""
        breaker, at = self._context.breaker, time.monotonic()
        now = {
            "closed": dict(breaker.closed),
            "paused": breaker.paused,
            "stopped": breaker.stopped,
            "aborted": breaker.aborted,
            "broken_off": breaker.broken_off,
            "repairs": [[name, *each] for name, repairs in self.repairs.items() for each in repairs],
            "met": self.met,
        }
        news = {name: value for name, value in now.items() if told.get(name, _NOTHING.get(name)) != value}
        told.update(now)
        if told.get("closed_until", {}) != self._closed_until:
            told["closed_until"] = dict(self._closed_until)
            news["closed_for"] = {model: until - at for model, until in self._closed_until.items() if until > at}
        return news


_NOTHING: dict[str, Any] = {
    "closed": {}, "paused": False, "stopped": "", "aborted": False, "broken_off": False, "repairs": [], "met": [],
}  # fmt: skip
