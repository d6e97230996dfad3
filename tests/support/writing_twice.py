"""A server whose writer asks the same at many places of a document, and a document to be written about."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from fault_bench import Table, Watched, simulated_by

from tui_eval.simulator.apis import replies
from tui_eval.simulator.apis.chat import Asked, Chat
from tui_eval.simulator.apis.replies import Reply

CHAPTERS = 12
OPEN = "The harbour of Ardle is open all year."
TEXT = "\n\n".join(
    f"Chapter {n}\n\n{OPEN} Shed {n} holds {n * 7} barrels of tar. "
    + " ".join(f"In shed {n} the boards of row {row} were tarred by hand in the spring of that year." for row in range(1, 44))
    for n in range(1, CHAPTERS + 1)
)
"""A passage for each chapter; one sentence is in all of them."""


def generating(url: str, conversations: int = 4, **run: Any) -> Table:
    """A run that asks two questions at each of so many places; `doc.txt` lies beside its config."""
    models = [simulated_by(url, "maker", "sim-sprinter"), simulated_by(url, "checker", "sim-arbiter")]
    table = {"model": "maker", "documents": ["doc.txt"], "conversations": conversations, "turns": 2, "dataset": "tar"}
    limits = {"max_calls": 300, "max_concurrency": 4, "max_output_tokens": 2000, **run}
    return {
        "kind": "generate", "name": "tar", "models": models, "run": limits,
        "generate": {**table, "check": {"model": "checker"}},
    }  # fmt: skip


def written(prompt: str, doubled: Collection[int]) -> str:
    """The reply to a prompt of the kind generate. `doubled`: the chapters whose question all of these chapters share."""
    chapter = re.search(r"Chapter (\d+)", prompt)
    if '"turns"' in prompt and chapter:
        n = int(chapter[1])
        barrels = str(n * 7)
        own = {"question": f"How many barrels does shed {n} hold?", "answer": barrels, "quote": f"Shed {n} holds {barrels}"}
        shared = {"question": "When is the harbour of Ardle open?", "answer": "all year", "quote": OPEN}
        boards = f"In shed {n} the boards of row 1 were tarred by hand"
        first = shared if n in doubled else own
        later = {"question": f"And how were the boards of shed {n} tarred?", "answer": "by hand", "quote": boards}
        later |= {"type": "follow-up", "depends_on": 1}
        return json.dumps({"turns": [{**first, "type": "fact", "depends_on": None}, later]})
    numbers = range(1, len(re.findall(r"^\d+\. ", prompt, re.M)) + 1)
    if '"answers"' in prompt:
        return json.dumps({"answers": [{"number": n, "answer": "unknown"} for n in numbers]})
    return json.dumps({"checks": [{"number": n, "own_answer": "x", "agrees": True, "reason": ""} for n in numbers]})


class _Writer(Chat):
    doubled: Collection[int] = ()

    def _voice(self, asked: Asked) -> Reply:
        text = written(asked.chat["messages"][-1]["content"], self.doubled)
        return replies.as_json(replies.completion(asked.model, text, f"w-{asked.client_id}", replies.usage(200, text)))


class WritingTwice(Watched):
    """The simulator, with a writer who asks one thing about all `doubled` chapters."""

    def __init__(self, doubled: Collection[int], latency_scale: float = 0.0) -> None:
        self._doubled, self.url = doubled, ""
        super().__init__(0, latency_scale)

    def _new_chat(self) -> Chat:
        made = _Writer(0, 0.0)
        made.doubled = self._doubled
        return made
