"""Chance that is always the same for the same request: what every persona's luck is drawn from."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seed:
    """Sources of chance besides the question: the seeds of the server and of the request, and the model."""

    server: int
    request: str
    model: str

    def chance(self, *purpose: str) -> float:
        """A number from 0 up to 1 that looks random and is always the same for the same seed and purpose."""
        words = json.dumps([self.server, self.request, self.model, *purpose])
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=7).digest()) / 2**56

    def choose(self, choices: Sequence[str], *purpose: str) -> str:
        """One of the choices, always the same for the same seed and purpose."""
        return choices[int(self.chance(*purpose) * len(choices))]
