"""What is killed: a small evaluation of every kind that the registry has, asked over every wire that it has."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

import tomli_w
from kill_tables import Table, shapes_of
from own_folder import own

from tui_eval.evaluation.kind_validation import SCORER_KEYS
from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES
from tui_eval.simulator.personas import load_personas

KEY_VARIABLE = "KILLS_TEST_KEY"
"""Wires that want a key show the value of this variable."""
CONCURRENCY = 5
WAYS = ("whole replies", "streamed", "in batches")
"""How replies come."""
PERSONAS = {"one": "sim-sprinter", "two": "sim-scholar", "three": "sim-arbiter", "four": "sim-inventive"}
"""The models that tables name, each with the pretended one that answers for it."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """An evaluation without its caps; equal ones end in equal reports."""

    kind: str
    wire: str
    other: str
    """The wire of the third model, which judges wherever one does."""
    shape: str = ""
    """Which of the kind's tables is asked; empty = the first."""
    mode: str = "live"
    stream: bool = False
    repeat: int = 1
    cache: bool = False
    preflight: bool = False
    faults: float = 0.0
    seed: int = 0

    @property
    def way(self) -> str:
        """How its replies come."""
        batches = self.mode == "batch"
        return "in batches" if batches else "streamed" if self.stream else "whole replies"

    @property
    def exact(self) -> bool:
        """Whether costs and tokens are the same however often it is killed: nothing fails, nothing is cheaper in a batch."""
        return self.mode == "live" and not self.faults and not self.preflight


def wires() -> list[str]:
    """Every wire that asks a server."""
    return [name for name, wire in WIRES.items() if not wire.recorded]


def scenario(number: int, seed: int) -> Scenario:
    """The number-th scenario: kinds by turns, then wires, so that so many in a row as there are pairs have each pair once.

    A kind's shapes change with every turn, so that each meets each wire in time. Where a wire has batches, three of four kinds
    are asked in them, other ones on its next turn; of what is asked live, every second one has its replies streamed.
    """
    kinds, asked = list(KINDS), wires()
    turn, place, dice = number // len(kinds), number % len(kinds), random.Random(f"{seed} {number}")
    wire, kind = asked[turn % len(asked)], kinds[place]
    shapes = list(shapes_of(kind))
    step = turn // len(asked) + turn + place
    batches = WIRES[wire].batches is not None and step % 4 > 0
    streams = dice.random() < 0.25 if batches else step % 2 == 0
    return Scenario(
        kind,
        wire,
        other=asked[(turn + 1) % len(asked)],
        shape=shapes[(turn % len(asked) + turn // len(asked)) % len(shapes)],
        mode="batch" if batches else "live",
        stream=WIRES[wire].shows is not None and streams,
        repeat=dice.choice((1, 1, 2)),
        cache=dice.random() < 0.25,
        preflight=dice.random() < 0.25,
        faults=dice.choice((0.0, 0.0, 0.06)),
        seed=dice.randrange(3),
    )


def written(scenario: Scenario, url: str, folder: Path, **caps: float) -> Path:
    """The scenario's config file, with all it needs beside it; `caps` go into [run]."""
    run: Table = {
        "max_calls": 100_000,
        "max_concurrency": CONCURRENCY,
        "max_output_tokens": 200,
        "retries": 8,
        "timeout_s": 120.0,
        "stop_model_after": 0,
        "mode": scenario.mode,
        "poll_s": 0.05,
        "stream": scenario.stream,
        "repeat": scenario.repeat,
        "cache": scenario.cache,
        "seed": scenario.seed,
        **caps,
    }
    tables = shapes_of(scenario.kind)
    table = tables[scenario.shape or next(iter(tables))](folder)
    used = json.dumps(table)
    models = [
        _model(name, persona, scenario.other if name == "three" else scenario.wire, url)
        for name, persona in PERSONAS.items()
        if f'"{name}"' in used
    ]
    scored = {key: table.pop(key) for key in SCORER_KEYS if key in table}
    config = {"kind": scenario.kind, "name": "killed", **scored, "run": run, "models": models, scenario.kind: table}
    path = own(folder) / "config.toml"
    path.write_text(tomli_w.dumps(config), encoding="utf-8")
    return path


def _model(name: str, persona: str, wire: str, url: str) -> Table:
    known = load_personas()[persona]
    price = {"input": known.input_price, "output": known.output_price, "source": "made up"}
    model = {"name": name, "wire": wire, "model": persona, "base_url": url, "price": price, "send_seed": wire != "simulator"}
    return model if WIRES[wire].simulated else {**model, "api_key_env": KEY_VARIABLE}
