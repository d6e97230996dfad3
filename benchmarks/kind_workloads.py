"""One workload for every kind of the registry: a config of so many samples, with the files that it names.

Panel, choice and qa ask a model that answers in 50 ms (`workload.write_distinct`), and so does a call. The other kinds read
their replies, so they ask the simulator's personas, whose latencies are scaled down: a chat has one judge and one metric, rules
score graphs, and a pipeline has all its stages. Every model has a key.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import workload
from own_folder import own
from pdf_files import pdf_of

from tui_eval.kinds import KINDS

IN_FLIGHT = 100
LATENCY_SCALE = 0.02
"""Of the simulator's personas: medians of 8 to 52 ms."""
SCHEMA = Path(__file__).resolve().parents[1] / "schemas" / "questions-texts.json"
TURNS_A_DOCUMENT, NOTES_A_DOCUMENT = 50, 8
LINES_A_PAGE = 40
MOST_TIMES = 10_000
"""How often one call may be sent, by the config of its kind."""
_NOUNS = ("harbour", "sluice", "gauge", "keeper", "lamp", "station", "river", "council", "tide", "mole", "crane", "berth")
_NOTE = (
    "Station {n} was read at dawn and at dusk for {m} days. The level fell while the sluice stood open and rose again within a "
    "day of its closing. The gauge of station {n} was wiped {m} times before each reading. Two readings were lost in week {m}, "
    "when the lamp failed; the keeper wrote down the hour and the weather instead. "
)
Files = Callable[[Path, int], str]
"""Writes the files of so many samples into a folder; returns the config's own table."""


@dataclass(frozen=True, slots=True)
class Workload:
    """The samples of a kind, and how many of them are measured."""

    kind: str
    sample: str
    """What one sample is."""
    shrink: int
    """How many times fewer samples than calls are measured; for a kind whose samples cost many calls, or dear ones."""
    slope: tuple[int, int]
    """Samples of the small and the large run between which memory is compared."""
    models: tuple[tuple[str, str], ...] = ()
    """Names and personas; none where `workload.write_distinct` writes the config."""
    files: Files | None = None
    has_cache: bool = False
    """Whether it is measured with the reply cache, too."""
    most: int = 10**9

    def samples(self, calls: int) -> int:
        """How many samples are measured where others ask so many calls."""
        return min(max(calls // self.shrink, 1), self.most)

    def write(self, folder: Path, url: str, samples: int, cache: bool) -> Path:
        """Write the config of so many samples, and its files, into a new folder; the config's path."""
        if self.files is None:
            return workload.write_distinct(folder, url, self.kind, samples, IN_FLIGHT, cache)
        folder.mkdir(parents=True)
        table = self.files(folder, samples)
        config = own(folder) / "config.toml"
        models = "".join(_model(name, persona, url) for name, persona in self.models)
        config.write_text(_head(self.kind, samples, cache) + models + table, encoding="utf-8")
        return config


def _head(kind: str, samples: int, cache: bool) -> str:
    return f"""\
kind = "{kind}"
name = "benchmark"

[run]
max_calls = {40 * samples + 100}
max_concurrency = {IN_FLIGHT}
cache = {str(cache).lower()}

"""


def _model(name: str, persona: str, url: str) -> str:
    return f"""\
[[models]]
name = "{name}"
wire = "openai"
model = "{persona}"
base_url = "{url}"
api_key_env = "{workload.KEY_NAME}"
price = {{ input = 0.1, output = 0.4 }}

"""


def _chat(folder: Path, samples: int) -> str:
    """Conversations of one turn, fifty about each document; one judge, one metric."""
    texts = [_notes(d * 100) for d in range(-(-samples // TURNS_A_DOCUMENT))]
    documents = [
        {"filename": f"d{d}.txt", "sha256": f"{d:064x}", "pages": 1, "uploaded_at": "2026-11-22T19:59:58Z", "text": text}
        for d, text in enumerate(texts)
    ]
    made = {"format": 1, "name": "notes", "documents": documents, "generator": {"model": "none", "checked_by": "hand"}}
    whole = {**made, "conversations": [_conversation(i) for i in range(samples)]}
    (folder / "notes.json").write_text(json.dumps(whole), encoding="utf-8")
    return """\
[chat]
dataset = "notes.json"
models = ["answering"]

[chat.judge]
model = "judging"
metrics = ["groundedness"]
claims = false
duplicates = 0
"""


def _notes(first: int) -> str:
    return "".join(_NOTE.format(n=first + i, m=i + 2) for i in range(NOTES_A_DOCUMENT))


def _conversation(i: int) -> dict[str, object]:
    document, note = i // TURNS_A_DOCUMENT, i % NOTES_A_DOCUMENT
    station = f"station {document * 100 + note}"
    turn = {
        "id": f"notes/c{i}/t1",
        "question": f"Question {i}: for how many days was {station} read at dawn and at dusk?",
        "ground_truth": f"For {note + 2} days.",
        "quote": f"{station.capitalize()} was read at dawn and at dusk",
        "page": 1,
        "type": "fact",
        "answerable": True,
        "depends_on": None,
    }
    return {"id": f"notes/c{i}", "document": f"d{document}.txt", "turns": [turn]}


def _graph(folder: Path, samples: int) -> str:
    """A brief for each sample, one prompt."""
    (folder / "briefs").mkdir()
    for i in range(samples):
        said = f"Shall ferry {i} run at night on route {i % 97}? The town council has to decide."
        front = "---\nexpect_status_quo: true\nhas_numeric_target: false\ncomplexity: simple\n---\n"
        (folder / "briefs" / f"b{i:06d}.md").write_text(f"{front}\n{said}\n", encoding="utf-8")
    (folder / "prompt.txt").write_text("Draw a decision graph as JSON.", encoding="utf-8")
    return '[graph]\nprompts = ["prompt.txt"]\nbriefs = ["briefs/*.md"]\nmodels = ["drawing"]\n'


def _pipeline(folder: Path, samples: int) -> str:
    """A page for each sample: written down, asked about, answered, judged."""
    (folder / "pages").mkdir()
    for i in range(samples):
        notes = "\n\n".join(_NOTE.format(n=i * 10 + k, m=k + 3) for k in range(5))
        (folder / "pages" / f"p{i:05d}.md").write_text(f"# Page {i}\n\n{notes}", encoding="utf-8")
    (folder / "questions.json").write_bytes(SCHEMA.read_bytes())
    return """\
[pipeline]
inputs = ["pages/*.md"]

[pipeline.process]
models = ["writing"]
runs = 1

[pipeline.questions]
model = "asking"
schema_file = "questions.json"

[pipeline.answers]
models = ["reading"]

[pipeline.judge]
models = ["judging"]
pass_threshold = 4

[pipeline.costs]
"""


def _generate(folder: Path, samples: int) -> str:
    """One PDF of so many pages, three conversations for every ten of them."""
    (folder / "book.pdf").write_bytes(_book(samples))
    return f"""\
[generate]
model = "making"
documents = ["book.pdf"]
conversations = {max(3 * samples // 10, 3)}
turns = 3
dataset = "book"

[generate.check]
model = "checking"
closed_book = "mark"
"""


@lru_cache(maxsize=2)
def _book(pages: int) -> bytes:
    return pdf_of([list(_page(random.Random(page), page)) for page in range(pages)])


def _page(dice: random.Random, page: int) -> Iterator[str]:
    for line in range(LINES_A_PAGE):
        noun, name, other, place = (dice.choice(_NOUNS) for _ in range(4))
        number = page * LINES_A_PAGE + line
        metres = dice.randint(2, 990)
        yield f"In {1500 + page} the {noun} number {number} of {name.title()} {other} measured {metres} metres at the {place}."


def _call(folder: Path, samples: int) -> str:
    """One list of messages, sent so many times."""
    said = json.dumps(_notes(0) + "For how many days was station 3 read?")
    return f'[call]\nmodel = "answering"\ncalls = {samples}\n\n[[call.messages]]\nrole = "user"\ncontent = {said}\n'


WORKLOADS: dict[str, Workload] = {
    each.kind: each
    for each in (
        Workload("panel", "question", 1, (2_000, 20_000), has_cache=True),
        Workload("choice", "question", 1, (2_000, 20_000), has_cache=True),
        Workload("qa", "question", 1, (2_000, 20_000), has_cache=True),
        Workload("chat", "turn", 2, (1_000, 5_000), (("answering", "sim-grounded"), ("judging", "sim-arbiter")), _chat),
        Workload("graph", "brief", 2, (1_000, 5_000), (("drawing", "sim-scholar"),), _graph),
        Workload(
            "pipeline",
            "page",
            20,
            (50, 500),
            (("writing", "sim-scholar"), ("asking", "sim-grounded"), ("reading", "sim-inventive"), ("judging", "sim-arbiter")),
            _pipeline,
        ),
        Workload("generate", "page", 10, (100, 1_000), (("making", "sim-scholar"), ("checking", "sim-arbiter")), _generate),
        Workload("call", "time sent", 1, (1_000, 5_000), (("answering", workload.MODEL),), _call, most=MOST_TIMES),
    )
}


def check_coverage(kinds: Sequence[str] = tuple(KINDS)) -> None:
    """Raise LookupError unless the workloads are of exactly these kinds: those of the registry."""
    lacking, unknown = sorted({*kinds} - {*WORKLOADS}), sorted({*WORKLOADS} - {*kinds})
    if lacking or unknown:
        raise LookupError(f"kinds without a workload: {lacking or 'none'}; workloads without a kind: {unknown or 'none'}")
