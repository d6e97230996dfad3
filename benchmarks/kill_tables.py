"""Small evaluations of every kind that the registry has, to be killed: they ask in every stage, and say every prompt."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.workspace.places import shipped

Table = dict[str, Any]
EVERY = ["one", "two", "three", "four"]
SCORED: list[str | Table] = ["contains", {"use": "f1", "threshold": 0.5}, "length"]
"""Scorers of kinds that have metrics of their own."""


def _lines(name: str, most: int) -> list[str]:
    return (shipped("examples") / "quickstart" / name).read_text(encoding="utf-8").splitlines()[:most]


def _pages() -> list[str]:
    text = (shipped("examples") / "generate" / "handbook.txt").read_text(encoding="utf-8")
    return text.split("\n---\n")[1:]


def _notes(folder: Path, how_many: int) -> None:
    """Short texts, each of its own."""
    pages = _pages()
    for number in range(how_many):
        (folder / f"note{number}.md").write_text(f"Note {number}.\n\n{pages[number % len(pages)][:600]}", encoding="utf-8")


def _schema(folder: Path, most: int) -> str:
    """A schema of so many questions about a document."""
    schema = {"categories": [{"name": "easy", "count": most, "description": "Simple facts"}]}
    (folder / "easy.json").write_text(json.dumps(schema), encoding="utf-8")
    return "easy.json"


def _picture(folder: Path) -> str:
    shutil.copy(shipped("examples") / "pipeline" / "tides.png", folder)
    return "tides.png"


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


def _wide_panel(folder: Path) -> Table:
    """Four models about a document, several judges and final ones, nobody to grade them but the truths."""
    (folder / "page.txt").write_text(_pages()[0], encoding="utf-8")
    return {
        "questions": _lines("questions.txt", 4),
        "truths": _lines("truths.txt", 4),
        "documents": ["page.txt"],
        "send_doc_to_judges": True,
        "doers": [{"model": name} for name in EVERY],
        "judges": [{"model": "three", "calls": 2}, {"model": "four"}],
        "finals": [{"model": "two", "calls": 2}, {"model": "one"}],
        "benchmark": {"mode": "exact"},
        "scorers": SCORED,
    }


def _choice(folder: Path) -> Table:
    """Eight questions in two orders of their options, for four models."""
    entries = json.loads((shipped("examples") / "choice" / "benchmark.json").read_text(encoding="utf-8"))
    (folder / "exam.json").write_text(json.dumps(entries[:8]), encoding="utf-8")
    return {"benchmark": "exam.json", "models": EVERY, "shuffle": True, "permutations": 2, "scorers": SCORED}


def _qa(folder: Path) -> Table:
    """Eight word problems by two prompts, solved ones before them, for four models."""
    for name in ("problems", "solved"):
        lines = (shipped("examples") / "qa" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / f"{name}.jsonl").write_text("".join(lines[:8]), encoding="utf-8")
    return {
        "dataset": "problems.jsonl",
        "target": "answer",
        "fewshot_from": "solved.jsonl",
        "fewshot": 2,
        "models": EVERY,
        "scorers": ["number", {"use": "regex", "pattern": "[0-9]"}],
        "prompts": [{"name": "plain", "text": "{question}"}, {"name": "steps", "text": "Think step by step.\n\n{question}"}],
    }


def _by_rubric(folder: Path, kind: str) -> Table:
    """Two judges by a rubric that the folder brings, who mark some answers twice."""
    path = folder / "prompts" / kind / "clarity.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nmetric: true\n---\nQUESTION: {question}\n\nANSWER: {answer}\n\nIs it clear?", encoding="utf-8")
    return {"models": ["three", "two"], "metrics": ["clarity"], "duplicates": 0.3}


def _panel_by_rubric(folder: Path) -> Table:
    """Two models whose answers, and the final one, are marked by a rubric."""
    models = {"doers": [{"model": "one"}, {"model": "four"}], "judges": [{"model": "two"}], "finals": [{"model": "one"}]}
    return {"questions": _lines("questions.txt", 4), **models, "rubrics": _by_rubric(folder, "panel")}


def _qa_judged(folder: Path) -> Table:
    """The same by one prompt, each answer marked by two judges by a rubric that the folder brings."""
    return {**_qa(folder), "prompts": [{"name": "plain", "text": "{question}"}], "judge": _by_rubric(folder, "qa")}


def _call(folder: Path) -> Table:
    """One conversation, asked many times."""
    asked = _lines("questions.txt", 2)
    said: Sequence[tuple[str, str]] = (("system", "Be brief."), ("user", asked[0]), ("assistant", "Ada."), ("user", asked[1]))
    return {"model": "one", "calls": 40, "messages": [{"role": role, "content": text} for role, text in said]}


def _talks(folder: Path, *conversations: int) -> str:
    found = json.loads((shipped("examples") / "chat" / "handbook.json").read_text(encoding="utf-8"))
    chosen = [found["conversations"][number] for number in conversations]
    (folder / "talks.json").write_text(json.dumps({**found, "conversations": chosen}), encoding="utf-8")
    return "talks.json"


def _chat(folder: Path) -> Table:
    """Two models' dialogues about a handbook, each answer marked twice and its claims checked."""
    judge = {"model": "three", "metrics": ["groundedness", "fluency"], "duplicates": 0.2}
    return {"dataset": _talks(folder, 0, 1), "models": ["one", "two"], "judge": judge}


def _chat_of_four(folder: Path) -> Table:
    """Four models side by side on a conversation, two judges that also choose between every two answers, in both orders."""
    judges = {"models": ["three", "two"], "metrics": ["relevance", "coherence"], "claims": False, "pairs": True}
    return {"dataset": _talks(folder, 0), "models": EVERY, "history_pairs": 1, "judge": {**judges, "duplicates": 0.5}}


def _chat_after_truths(folder: Path) -> Table:
    """All questions at once, after the ground truths, from passages; each judged for all there is, by two, and by one twice."""
    metrics = ["groundedness", "relevance", "coherence", "fluency", "correctness"]
    judge = {"models": ["three", "four"], "metrics": metrics, "duplicates": 0.1}
    shown = {"history": "truth", "context": "passages"}
    return {"dataset": _talks(folder, 0), "models": ["one", "four"], **shown, "judge": judge}


def _chat_unseen(folder: Path) -> Table:
    """Models that are shown nothing of the document, so that prompts and judges do without it, too."""
    judge = {"models": ["three", "one"], "metrics": ["coherence", "correctness"], "claims": False, "duplicates": 0.3}
    return {"dataset": _talks(folder, 0, 1), "models": ["one", "two"], "context": "none", "judge": judge}


def _chat_of_truths(folder: Path) -> Table:
    """The ground truths are judged as if a model had given them: what stands in the log before anybody is asked."""
    judge = {"models": ["three", "one"], "metrics": ["groundedness", "relevance"], "duplicates": 0.3}
    return {"dataset": _talks(folder, 0, 1), "models": ["two"], "answers_from": "truth", "history": "truth", "judge": judge}


def _generate(folder: Path) -> Table:
    """Questions about the pages of a handbook, one a page since replies are short; another model gives its opinion of each."""
    pages = _pages()
    for number, page in enumerate(pages):
        (folder / f"page{number}.txt").write_text(page, encoding="utf-8")
    names = [f"page{number}.txt" for number in range(len(pages))]
    return {"model": "two", "documents": names, "conversations": 2 * len(names), "turns": 1, "check": {"model": "three"}}


def _generate_singly(folder: Path) -> Table:
    """Single questions by a schema about notes and a picture; what is known without them is dropped."""
    _notes(folder, 8)
    documents = [*(f"note{number}.md" for number in range(8)), _picture(folder)]
    check = {"model": "four", "closed_book": "drop"}
    return {"model": "two", "documents": documents, "form": "questions", "schema_file": _schema(folder, 1), "check": check}


def _pipeline(folder: Path) -> Table:
    """A dozen short notes, processed twice by two models, asked about, answered and marked."""
    _notes(folder, 12)
    return {
        "inputs": ["note*.md"], "process": {"models": ["one", "two"], "runs": 2},
        "questions": {"model": "three", "schema_file": _schema(folder, 2)}, "answers": {"models": ["two"]},
        "judge": {"models": ["three"]}, "costs": {}, "scorers": SCORED,
    }  # fmt: skip


def _wide_pipeline(folder: Path) -> Table:
    """A note and a picture: four models in every stage that takes several, with a text to measure against."""
    _notes(folder, 1)
    shutil.copy(folder / "note0.md", folder / "note0.ref.txt")
    return {
        "inputs": ["note0.md", _picture(folder)], "process": {"models": EVERY},
        "questions": {"model": "two", "schema_file": _schema(folder, 1)}, "answers": {"models": EVERY},
        "judge": {"models": ["three", "one"]},
    }  # fmt: skip


def _pipeline_brought(folder: Path) -> Table:
    """Texts and questions that were made before, answered by three models and marked by two."""
    asked: dict[str, Table] = {}
    for number, page in enumerate(_pages()[:4]):
        (folder / f"page{number}__processed__made-before__run01.md").write_text(page[:600], encoding="utf-8")
        (folder / f"page{number}_run02.md").write_text(page[:300], encoding="utf-8")
        said = {"category": "easy", "reference_answer": page[:40], "answerable": True}
        questions = [{"id": n, "question": f"What does sentence {n} of page {number} say?", **said} for n in (1, 2)]
        asked[f"page{number}"] = {"filename": f"page{number}.txt", "questions": questions}
    (folder / "asked.json").write_text(json.dumps({"generated": "2026-01-22T17:14:37", "model": "m", "images": asked}))
    return {
        "inputs": [], "process": {"from": ["page*.md"]}, "questions": {"from": ["asked.json"]},
        "answers": {"models": ["one", "two", "four"]}, "judge": {"models": ["three", "one"]},
    }  # fmt: skip


def _graph(folder: Path) -> Table:
    """Graphs of three models for four briefs by two versions of a prompt; replies are short, so that some are cut."""
    for path in (shipped("examples") / "graph").glob("*/*"):
        shutil.copy(path, folder)
    return {"prompts": ["draft_v1.txt", "draft_v2.txt"], "briefs": ["0*.md"], "models": EVERY[:3]}


def _graph_by_schema(folder: Path) -> Table:
    """Four models held to a schema, scored as older scores were."""
    return {**_graph(folder), "models": EVERY, "structured": True, "rubric": "first-coded"}


TABLES: Mapping[str, Mapping[str, Callable[[Path], Table]]] = {
    "panel": {"graded": _panel, "wide": _wide_panel, "by a rubric": _panel_by_rubric},
    "choice": {"in two orders": _choice},
    "qa": {"two prompts": _qa, "judged by a rubric": _qa_judged},
    "generate": {"conversations": _generate, "single questions": _generate_singly},
    "chat": {
        "dialogues": _chat, "four models, pairs": _chat_of_four, "after truths": _chat_after_truths,
        "nothing shown": _chat_unseen, "truths judged": _chat_of_truths,
    },
    "pipeline": {"all stages": _pipeline, "four models, a picture": _wide_pipeline, "brought": _pipeline_brought},
    "graph": {"two prompts": _graph, "by a schema": _graph_by_schema},
    "call": {"asked often": _call},
}  # fmt: skip
"""By kind, its shapes by name: each writes the files it needs into a folder and returns the kind's table, with the config's
scorers where it has any. A kind of the
registry that is missing here fails `tests/faults/test_kill_scenarios.py`, as does a stage or a prompt that no shape asks."""


def shapes_of(kind: str) -> Mapping[str, Callable[[Path], Table]]:
    """Return the shapes of a kind by name. LookupError for a kind without: what to add."""
    if kind not in TABLES:
        raise LookupError(
            f"the kind {kind!r} is not killed in this campaign: add its shapes to TABLES in benchmarks/kill_tables.py, "
            "by name a function that writes the files it needs into a folder and returns the kind's table"
        )
    return TABLES[kind]
