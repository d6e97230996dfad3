"""Rules of the whole run on a worker: what it finds out is told, and what others found out holds here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tui_eval.core.calls import ApiError, ModelSpec, Reply
from tui_eval.engine.circuit_breaker import FAILING, CircuitBreaker
from tui_eval.engine.first_calls import FirstAttempts, either


class HomeBreaker(CircuitBreaker):
    """A circuit breaker that leaves the run's rules to the coordinator, who sees the calls of all workers."""

    def __init__(self, tell: Callable[[str], Callable[..., None]]) -> None:
        """`tell`: returns a function that tells the coordinator, by a word."""
        super().__init__(0, False, tell("say"), tell("warn"))
        self._tell_end, self._tell_fault = tell("call_end"), tell("fault")
        self._has_failed: dict[str, bool] = {}

    def ended(self, model: ModelSpec, reply: Reply) -> None:
        """Tell of a call that failed, and of the first after it that did not."""
        failed = reply.status == "timeout" or reply.error_kind in FAILING
        if failed or self._has_failed.get(model.name, True):
            self._tell_end(model.name, failed, reply.error_message)
        self._has_failed[model.name] = failed

    def learn(self, model: ModelSpec, fault: ApiError) -> None:
        """Stop the model or the endpoint here at once, and tell."""
        name = {"endpoint": model.endpoint, "model": model.name}.get(fault.scope)
        if name is not None and name not in self.closed:
            self.closed[name] = f"{fault.scope} stopped: {fault.message}"
            self._tell_fault(model.name, fault.kind, fault.scope, fault.message)


class _TellingEvent(asyncio.Event):
    """An event that tells when it is first set."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell

    def set(self) -> None:
        """Set it, and tell."""
        if not self.is_set():
            super().set()
            self._tell()


class FirstOfAll(FirstAttempts):
    """Models whose first call is through on any worker: the coordinator says who makes it."""

    def __init__(self, ask: Callable[..., None], tell: Callable[..., None]) -> None:
        """`ask`: asks, by a model's name, whether to make its first call; `tell`: tells that it is through."""
        super().__init__()
        self._ask, self._tell = ask, tell
        self._answers: dict[str, asyncio.Event] = {}
        self._goes: set[str] = set()

    def answer(self, name: str, go: bool) -> None:
        """Take the coordinator's answer: make the first call, or others have."""
        if go:
            self._goes.add(name)
        else:
            self.meet(name)
        self._answers.setdefault(name, asyncio.Event()).set()

    async def turn(self, name: str, stopping: asyncio.Event) -> asyncio.Event:
        """Wait until a model's first call is through, or the run is being stopped; not where it is to be made here, now."""
        through = self._through.get(name)
        if through is None:
            through = self._through[name] = _TellingEvent(lambda: self._tell(name))
            self._ask(name)
            await either(self._answers.setdefault(name, asyncio.Event()), stopping)
            if name in self._goes:
                self._goes.discard(name)
                return through
        if not through.is_set():
            await either(through, stopping)
        return through
