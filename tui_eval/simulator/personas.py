"""The cast of the simulator: how able, quick, talkative and costly each pretend model is."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Verbosity = Literal["terse", "plain", "wordy"]
ChoiceStyle = Literal["letter", "letter_period", "letter_text", "answer_colon", "sentence", "bold", "ramble", "thinking"]
Guess = Literal["chance", "longest"]


@dataclass(frozen=True, slots=True)
class Persona:
    """One simulated model."""

    name: str
    skill: float
    """Chance, from 0 to 1, of being right."""
    latency_ms: float
    """Median time of a reply."""
    spread: float
    """Factor by which a typical reply is quicker or slower than the median; 1 = always the median."""
    verbosity: Verbosity
    obeys: float
    """Chance that a scorer's reply has exactly the form that was asked for."""
    input_price: float
    """Pretended USD per million tokens read."""
    output_price: float
    """Pretended USD per million tokens written."""
    choice_style: ChoiceStyle
    """How it words its answer to a multiple-choice question."""
    refuses: float
    """Chance, from 0 to 1, that it refuses a multiple-choice question."""
    guesses: Guess
    """Which option it takes where it does not know the answer: any wrong one, or the longest on offer."""
    invents: float
    """Chance, from 0 to 1, that it adds a sentence of its own making to what a document says."""
    likes_length: float
    """By how much of the scale a judge of this sort marks the shortest answers lower than long ones; from 0 to 1."""
    likes_own: float
    """By how much of the scale it marks answers lower that are not worded as its own; from 0 to 1."""
    credulous: float
    """Chance, from 0 to 1, that a judge does what an answer that it marks asks of it, such as to give the highest mark."""
    drops: float
    """Chance, from 0 to 1, that it says nothing to the second question of a conversation: its tokens went into thinking."""


ECHO, ORACLE = "sim-echo", "sim-oracle"
"""Models for tests of the tool itself, which are in no list: see `perfect`."""
_PERFECT = {"skill": 1, "latency_ms": 1, "spread": 1, "verbosity": "terse", "obeys": 1, "choice_style": "letter",
            "price": {"input": 0.0, "output": 0.0}}  # fmt: skip


@cache
def load_personas() -> dict[str, Persona]:
    """All simulated models by name, in the order of personas.toml. Treat the result as read-only."""
    table = tomllib.loads(Path(__file__).with_name("personas.toml").read_text(encoding="utf-8"))
    return {name: _persona(name, row) for name, row in table.items()}


def persona_of(name: str) -> Persona | None:
    """The simulated model of this name, listed or not."""
    return _persona(name, _PERFECT) if name in (ECHO, ORACLE) else load_personas().get(name)


def price(name: str) -> tuple[float, float] | None:
    """Pretended USD per million tokens (read, written), or None for a name that is not a persona."""
    persona = persona_of(name)
    return None if persona is None else (persona.input_price, persona.output_price)


def _persona(name: str, row: dict[str, Any]) -> Persona:
    return Persona(
        name=name,
        skill=float(row["skill"]),
        latency_ms=float(row["latency_ms"]),
        spread=float(row["spread"]),
        verbosity=row["verbosity"],
        obeys=float(row["obeys"]),
        input_price=float(row["price"]["input"]),
        output_price=float(row["price"]["output"]),
        choice_style=row["choice_style"],
        refuses=float(row.get("refuses", 0)),
        guesses=row.get("guesses", "chance"),
        invents=float(row.get("invents", 0)),
        likes_length=float(row.get("likes_length", 0)),
        likes_own=float(row.get("likes_own", 0)),
        credulous=float(row.get("credulous", 0)),
        drops=float(row.get("drops", 0)),
    )
