"""A run of three stages that is killed, and killed again, and what must be true of it in the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fault_bench import (
    INTENTS,
    LOG,
    Peer,
    Table,
    asked,
    panel,
    results_of,
    simulated_by,
    strict_json,
    strict_lines,
    write_config,
)
from nursery import Child, Nursery
from waiting import until

from tui_eval.runs.reader import lines

CONCURRENCY = 6
LATENCY_SCALE = 0.02
QUESTIONS = 13
"""Each takes six answers and six gradings: 156 calls, and a few more where the scorer must be asked again."""

Scores = tuple[bytes, bytes]


def three_stages(url: str, questions: int = QUESTIONS, **run: object) -> Table:
    """Three doers, two judges and a final judge, all graded by a scorer."""
    names = {"scholar": "sim-scholar", "sprinter": "sim-sprinter", "rambler": "sim-rambler", "judge": "sim-arbiter"}
    models = [simulated_by(url, name, persona) for name, persona in {**names, "scorer": "sim-scorer"}.items()]
    return panel(
        models,
        [asked("scholar"), asked("sprinter"), asked("rambler")],
        questions,
        run={"max_concurrency": CONCURRENCY, "max_output_tokens": 200, **run},
        truths=["The share of the rock that is pore space."] * questions,
        judges=[asked("judge"), asked("scholar")],
        finals=[asked("judge")],
        benchmark={"mode": "llm", "scorer": {"model": "scorer"}},
    )


def scores_of(path: Path) -> Scores:
    """What a run came to, byte for byte: accuracy, and every answer with its score. Neither holds a time or an address."""
    return (path / "accuracy.json").read_bytes(), results_of(path)


def settled_in(path: Path) -> set[str]:
    """Keys of the calls whose final record is on file; a torn last line does not count."""
    records = (strict_json(line) for _, line in lines(path / LOG))
    return {record["call_key"] for record in records if record["final"]}


def tear(path: Path, torn: bytes) -> None:
    """Append half a line to both logs, as a write that was broken off leaves it."""
    for name in (LOG, INTENTS):
        with (path / name).open("ab") as stream:
            stream.write(torn)


@dataclass
class Victim:
    """A run in processes of its own, against a server that outlives them."""

    nursery: Nursery
    peer: Peer
    folder: Path
    run: Table = field(default_factory=dict)
    questions: int = QUESTIONS
    config: Callable[[str], Table] | None = None
    """Another run than three stages, of the server's address."""
    kills: int = 0
    settled: list[tuple[int, set[str]]] = field(default_factory=list)
    """At each kill: how many intents were on file, and which calls were settled."""

    @property
    def out(self) -> Path:
        """The run folder."""
        return self.folder / "run"

    def start(self, *more: object) -> Child:
        """The next life: the run itself, or its resume."""
        if (self.out / "config.toml").exists():
            return self.nursery.start("resume", self.out, *more)
        made = self.config or (lambda url: three_stages(url, self.questions, **self.run))
        config = write_config(self.folder, made(self.peer.url))
        return self.nursery.start("--run", config, "--out", self.out, *more)

    def live_and_die(self, delay_s: float, torn: bytes = b"") -> None:
        """One life that is killed `delay_s` after it has opened its logs; half a line may be torn off."""
        child = self.start()
        until((self.out / LOG).exists)
        time.sleep(delay_s)
        self._die(child, torn)

    def live_and_die_in_flight(self, answered: int = 8) -> None:
        """One life that is killed while the server holds calls back, after so many that were answered."""
        simulator, go_on = self.peer.simulator, threading.Event()
        before = simulator.stats()["requests"]
        simulator.hold(go_on.is_set, after=answered)
        child = self.start()
        until(lambda: simulator.stats()["requests"] - before > answered)
        self._die(child, b"")
        go_on.set()

    def _die(self, child: Child, torn: bytes) -> None:
        child.kill()
        self.peer.wait_for_silence()
        self.kills += 1
        self.settled.append((sum(1 for _ in lines(self.out / INTENTS)), settled_in(self.out)))
        tear(self.out, torn)

    def live_on(self, *more: object) -> Child:
        """One life that nobody disturbs, to its end."""
        child = self.start(*more)
        child.wait()
        return child

    def assert_nothing_settled_was_asked_again(self) -> None:
        """After each kill, no attempt is for a call whose final record stood in the log at that moment."""
        intents = strict_lines(self.out / INTENTS)
        for before, settled in self.settled:
            again = {intent["call_key"] for intent in intents[before:]} & settled
            assert not again, f"settled calls were asked again: {again}"
