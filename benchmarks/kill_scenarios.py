"""What is killed: a small evaluation of every kind that the registry has, asked over every wire that it has."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES
from tui_eval.simulator.personas import load_personas
from tui_eval.workspace.places import shipped

Table = dict[str, Any]

KEY_VARIABLE = "KILLS_TEST_KEY"
"""Wires that want a key show the value of this variable."""
CONCURRENCY = 5


@dataclass(frozen=True, slots=True)
class Scenario:
    """An evaluation without its caps; equal ones end in equal reports."""

    kind: str
    wire: str
    other: str
    """The wire of the models that judge, or of the last one that is compared."""
    mode: str = "live"
    stream: bool = False
    repeat: int = 1
    cache: bool = False
    preflight: bool = False
    faults: float = 0.0
    seed: int = 0

    @property
    def exact(self) -> bool:
        """Whether costs and tokens are the same however often it is killed: nothing fails, nothing is cheaper in a batch."""
        return self.mode == "live" and not self.faults and not self.preflight


def wires() -> list[str]:
    """Every wire that asks a server."""
    return [name for name, wire in WIRES.items() if not wire.recorded]


def scenario(number: int, seed: int) -> Scenario:
    """The number-th scenario: kinds by turns, then wires, so that so many in a row as there are pairs have each pair once."""
    kinds, asked = list(KINDS), wires()
    turn, dice = number // len(kinds), random.Random(f"{seed} {number}")
    wire, kind = asked[turn % len(asked)], kinds[number % len(kinds)]
    if kind not in TABLES:
        raise LookupError(f"kind {kind!r} is not killed in this campaign: add a table for it to TABLES in kill_scenarios.py")
    batches = WIRES[wire].batches is not None and (turn // len(asked) + turn + number) % 4 > 0
    return Scenario(
        kind,
        wire,
        other=asked[(turn + 1) % len(asked)],
        mode="batch" if batches else "live",
        stream=WIRES[wire].shows is not None and dice.random() < 0.25,
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
    personas = {"one": "sim-sprinter", "two": "sim-scholar", "three": "sim-arbiter"}
    models = [
        _model(name, persona, scenario.other if name == "three" else scenario.wire, url) for name, persona in personas.items()
    ]
    table = TABLES[scenario.kind](folder)
    used = json.dumps(table)
    models = [model for model in models if f'"{model["name"]}"' in used]
    config = {"kind": scenario.kind, "name": "killed", "run": run, "models": models, scenario.kind: table}
    path = folder / "config.toml"
    path.write_text(tomli_w.dumps(config), encoding="utf-8")
    return path


def _model(name: str, persona: str, wire: str, url: str) -> Table:
    known = load_personas()[persona]
    price = {"input": known.input_price, "output": known.output_price, "source": "made up"}
    model = {"name": name, "wire": wire, "model": persona, "base_url": url, "price": price, "send_seed": wire != "simulator"}
    return model if WIRES[wire].simulated else {**model, "api_key_env": KEY_VARIABLE}


def _lines(name: str, most: int) -> list[str]:
    return (shipped("examples") / "quickstart" / name).read_text(encoding="utf-8").splitlines()[:most]


def _panel(folder: Path) -> Table:
    """Answers, a judge, a final one, and a scorer: four stages, each built on the one before."""
    return {
        "questions": _lines("questions.txt", 6),
        "truths": _lines("truths.txt", 6),
        "doers": [{"model": "one", "calls": 2}, {"model": "two"}],
        "judges": [{"model": "three"}],
        "finals": [{"model": "two"}],
        "benchmark": {"mode": "llm", "scorer": {"model": "one"}},
    }


def _choice(folder: Path) -> Table:
    """A dozen questions in two orders of their options, for three models."""
    entries = json.loads((shipped("examples") / "choice" / "benchmark.json").read_text(encoding="utf-8"))
    (folder / "exam.json").write_text(json.dumps(entries[:9]), encoding="utf-8")
    return {"benchmark": "exam.json", "models": ["one", "two", "three"], "shuffle": True, "permutations": 2}


def _call(folder: Path) -> Table:
    """One conversation, asked many times."""
    asked = _lines("questions.txt", 2)
    said: Sequence[tuple[str, str]] = (("system", "Be brief."), ("user", asked[0]), ("assistant", "Ada."), ("user", asked[1]))
    return {"model": "one", "calls": 40, "messages": [{"role": role, "content": text} for role, text in said]}


def _chat(folder: Path) -> Table:
    """Two models' dialogues about a handbook, each answer marked twice and its claims checked."""
    found = json.loads((shipped("examples") / "chat" / "handbook.json").read_text(encoding="utf-8"))
    (folder / "talks.json").write_text(json.dumps({**found, "conversations": found["conversations"][:2]}), encoding="utf-8")
    judge = {"model": "three", "metrics": ["groundedness", "fluency"], "duplicates": 0.2}
    return {"dataset": "talks.json", "models": ["one", "two"], "judge": judge}


def _generate(folder: Path) -> Table:
    """Questions about the pages of a handbook, one a page since replies are short; another model gives its opinion of each."""
    text = (shipped("examples") / "generate" / "handbook.txt").read_text(encoding="utf-8")
    pages = text.split("\n---\n")[1:]
    for number, page in enumerate(pages):
        (folder / f"page{number}.txt").write_text(page, encoding="utf-8")
    names = [f"page{number}.txt" for number in range(len(pages))]
    return {"model": "two", "documents": names, "conversations": 2 * len(names), "turns": 1, "check": {"model": "three"}}


def _pipeline(folder: Path) -> Table:
    """A dozen short notes, processed twice by two models, asked about, answered and marked."""
    text = (shipped("examples") / "generate" / "handbook.txt").read_text(encoding="utf-8")
    pages = text.split("\n---\n")[1:]
    for number in range(12):
        (folder / f"note{number}.md").write_text(f"Note {number}.\n\n{pages[number % len(pages)][:600]}", encoding="utf-8")
    schema = {"categories": [{"name": "easy", "count": 2, "description": "Simple facts"}]}
    (folder / "easy.json").write_text(json.dumps(schema), encoding="utf-8")
    return {
        "inputs": ["note*.md"], "process": {"models": ["one", "two"], "runs": 2},
        "questions": {"model": "three", "schema_file": "easy.json"}, "answers": {"models": ["two"]},
        "judge": {"models": ["three"]}, "costs": {},
    }  # fmt: skip


def _graph(folder: Path) -> Table:
    """Graphs of three models for four briefs by two versions of a prompt; replies are short, so that some are cut."""
    for path in (shipped("examples") / "graph").glob("*/*"):
        shutil.copy(path, folder)
    return {"prompts": ["draft_v1.txt", "draft_v2.txt"], "briefs": ["0*.md"], "models": ["one", "two", "three"]}


TABLES: dict[str, Callable[[Path], Table]] = {
    "panel": _panel, "choice": _choice, "generate": _generate, "chat": _chat, "pipeline": _pipeline, "graph": _graph,
    "call": _call,
}  # fmt: skip
"""By kind: writes the files it needs into a folder and returns its table. A kind of the registry that is missing here fails
`tests/faults/test_kill_scenarios.py`."""
