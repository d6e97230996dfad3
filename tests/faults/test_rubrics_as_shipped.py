"""Judges with a planted fault each, in every kind that takes rubrics: of a person's own rubric a run says what it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from canal_gates import GATES, TEXT, talks
from fault_bench import Life, Table, run_here, serving, simulated_by, strict_json, write_config
from next_steps import check_none_missing
from scripted import answering, as_bytes, completion, reply

from tui_eval.configuring.loading import load
from tui_eval.core.calls import Call, Reply
from tui_eval.core.units import digest
from tui_eval.evaluation.calls import AGAIN
from tui_eval.evaluation.kind_reports import report_of
from tui_eval.kinds import KINDS
from tui_eval.results.tables import table_rows
from tui_eval.workspace.places import Workspace, read_prompt, shipped

KINDS_WITH_RUBRICS = [name for name in KINDS if KINDS[name].rubrics is not None]
MODELS = {"own": "sim-vain", "plain": "sim-grounded", "terse": "sim-sprinter"}
"""Who answers, in a different length and style each; the first is the vain judge's own model."""
JUDGES = {
    "wavers": "sim-wavering", "counts": "sim-wordcount", "vain": "sim-vain", "credulous": "sim-credulous",
    "sound": "sim-unmoved",
}  # fmt: skip
ASKED = [
    (f"{name} {n}", f"{words} the {name} gate?", said)
    for name, said in GATES
    for n, words in enumerate(("What is known of", "What does the document say about"))
]
"""Names, questions and their answers."""
CLEAR, BORNE_OUT, AGREEING = "clear", "borne_out", "agreeing"
"""Rubrics of a person's own: how an answer is written, how far the document bears it out, how far it agrees with the target."""
COPIED = {
    CLEAR: ("chat", "fluency", ""),
    BORNE_OUT: ("chat", "groundedness", "sees: document\n"),
    AGREEING: ("pipeline", "judge_answer", "sees: target\nlow: 0\nhigh: 5\nthreshold: 4\n"),
}
"""By rubric the shipped prompt that it is a copy of, and its front matter."""
JUDGE = {"models": [*JUDGES], "metrics": [CLEAR, BORNE_OUT], "duplicates": 1.0, "attacks": True}
Tables = Callable[[Path], Table]
"""Writes what a config of a kind names beside it; returns the kind's table."""


def asked_in_chat(folder: Path) -> Table:
    (folder / "talks.json").write_text(json.dumps(talks()), encoding="utf-8")
    judge = {**JUDGE, "metrics": ["fluency", "groundedness", CLEAR, BORNE_OUT], "claims": False}
    return {"dataset": "talks.json", "models": [*MODELS], "judge": judge, "history": "truth"}


def asked_in_qa(folder: Path) -> Table:
    (folder / "canal.md").write_text(TEXT, encoding="utf-8")
    rows = [{"id": name, "documents": "canal.md", "question": question, "answer": said} for name, question, said in ASKED]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    prompt = "{documents}\n\n{question}"
    return {
        "dataset": "rows.jsonl", "target": "answer", "documents": "documents", "files": ["canal.md"],
        "prompts": [{"name": "p", "text": prompt}], "models": [*MODELS],
        "judge": JUDGE,
    }  # fmt: skip


def asked_in_panel(folder: Path) -> Table:
    (folder / "canal.md").write_text(TEXT, encoding="utf-8")
    return {
        "documents": ["canal.md"], "questions": [{"question": question, "truth": said} for _, question, said in ASKED],
        "doers": [{"model": name} for name in MODELS], "rubrics": JUDGE,
        "benchmark": {"mode": "llm", "scorer": {"model": "credulous"}, "attacks": True},
    }  # fmt: skip


def asked_in_pipeline(folder: Path) -> Table:
    entries = {}
    for gate, _ in GATES:
        (folder / f"{gate}.md").write_text(TEXT, encoding="utf-8")
        (folder / f"{gate}__processed__clerk__run01.md").write_text(TEXT, encoding="utf-8")
        own = [(question, said) for name, question, said in ASKED if name.startswith(f"{gate} ")]
        questions = [
            {"id": n, "question": question, "category": "gates", "reference_answer": said, "answerable": True}
            for n, (question, said) in enumerate(own, 1)
        ]
        entries[f"{gate}.md"] = {"questions": questions}
    name = "questions__from__pages__asker__20260101_000000.json"
    (folder / name).write_text(json.dumps({"images": entries}), encoding="utf-8")
    return {
        "inputs": [f"{gate}.md" for gate, _ in GATES], "process": {"from": ["*__run01.md"]}, "questions": {"from": [name]},
        "answers": {"models": [*MODELS]}, "judge": {**JUDGE, "metrics": [*JUDGE["metrics"], AGREEING]},
    }  # fmt: skip


TABLES: Mapping[str, Tables] = {
    "chat": asked_in_chat, "qa": asked_in_qa, "panel": asked_in_panel, "pipeline": asked_in_pipeline,
}  # fmt: skip
TWINS: Mapping[str, Mapping[str, str]] = {
    "chat": {CLEAR: "fluency", BORNE_OUT: "groundedness"},
    "pipeline": {AGREEING: "mark"},
}
"""By kind the shipped metrics that the same judges score by, each with the rubric that is a copy of its prompt."""


def with_rubrics(folder: Path, kind: str) -> None:
    """Write both rubrics into a workspace, as copies of what is shipped."""
    place = folder / "prompts" / kind
    place.mkdir(parents=True)
    for name, (of_kind, prompt, head) in COPIED.items():
        text = read_prompt(shipped("prompts") / of_kind / f"{prompt}.md").replace("{flag}\n\n", "")
        text = text.replace("{reference}", "{target}").replace("{context}", "{document}")
        (place / f"{name}.md").write_text(f"---\nmetric: true\n{head}---\n{text}\n", encoding="utf-8")


STYLES = {
    "sim-vain": "That is a question worth taking slowly, and I have gone through the text more than once for it. As far as I"
    " can see it comes down to this. {} There may be more to add, but that seems to be the heart of the matter.",
    "sim-grounded": "The document says: {}",
    "sim-sprinter": "{}",
}
"""By persona how it answers one question: several questions of one call the simulator has all answer alike."""


def sheet_of(prompt: str, style: str) -> str:
    """Answers to all questions of a pipeline's call in one style, each from its own sentence."""
    asked = re.findall(r'"id": (\d+),\s+"question": "[^"]*the (\w+) gate', prompt)
    return json.dumps({"answers": [{"id": int(n), "answer": style.format(dict(GATES)[gate])} for n, gate in asked]})


def styled(style: str) -> Callable[[Table], bytes]:
    """The same as a server's reply."""
    return lambda request: reply(as_bytes(completion(sheet_of(request["messages"][-1]["content"], style))))


async def judged_run(folder: Path, kind: str) -> Life:
    """A run of a kind whose answers all these judges score by its rubrics."""
    with_rubrics(folder, kind)
    table = TABLES[kind](folder)
    scripts = {persona: styled(style) for persona, style in STYLES.items()}
    async with serving(latency_scale=0) as served, answering(scripts) as (_, url):
        answers_at = url if kind == "pipeline" else served.url
        models = [simulated_by(answers_at, name, persona) for name, persona in MODELS.items()]
        models += [simulated_by(served.url, name, persona) for name, persona in JUDGES.items()]
        run = {"max_calls": 30_000, "max_concurrency": 50, "stop_model_after": 0}
        return await run_here({"kind": kind, "name": "judged", "run": run, "models": models, kind: table}, folder)


def told(checks: Iterable[Table], attacks: Iterable[Table], metric: str) -> dict[tuple[str, str], tuple[str, str]]:
    """By (check, judge), attacks among them: whether it is found, and the sentence."""
    rows = [*((row["check"], row) for row in checks), *(("attacks", row) for row in attacks)]
    return {(check, row["judge"]): (row["found"], row["in_words"]) for check, row in rows if row["metric"] == metric}


def test_every_kind_that_takes_rubrics_is_tried() -> None:
    check_none_missing(set(KINDS_WITH_RUBRICS) - TABLES.keys(), "give TABLES in this file a config of kind '{name}'")


@pytest.mark.parametrize("kind", KINDS_WITH_RUBRICS)
async def test_a_rubrics_judges_are_told_what_they_are(tmp_path: Path, kind: str) -> None:
    """Noisy, biased, moved by attacks: each judge of its own fault, the sound one of none; and so by shipped metrics beside."""
    life = await judged_run(tmp_path, kind)
    tables = (life.path / f"{name}.json" for name in ("judge_checks", "judge_attacks"))
    checks, attacks = (strict_json(path.read_bytes())["rows"] for path in tables)
    said = "\n".join(table["note"] for table in life.report["headline"])
    clear, borne_out = told(checks, attacks, CLEAR), told(checks, attacks, BORNE_OUT)
    twins = {own: told(checks, attacks, twin) for own, twin in TWINS.get(kind, {}).items()}

    for each in (borne_out, *(twins[own] for own in twins if own == BORNE_OUT)):
        assert each["noise", "wavers"][0] == "yes"
        assert each["own answers", "vain"][0] == "yes" and "likes answers of its own family" in each["own answers", "vain"][1]
        assert each["attacks", "credulous"][0] == "yes" and "moved by" in each["attacks", "credulous"][1]
        assert {each[check, "sound"][0] for check in ("noise", "attacks")} == {"no"}
    for each in (clear, *(twins[own] for own in twins if own == CLEAR)):
        assert each["length", "counts"][0] == "yes" and "longer answers get better scores" in each["length", "counts"][1]
        assert {each[check, "sound"][0] for check in ("noise", "length")} == {"no"}
    assert clear["attacks", "sound"][0] == "no"
    assert f"credulous, {BORNE_OUT}: moved by" in said and f"{BORNE_OUT}: wavers: noise" in said
    assert "neutralized" not in said
    assert life.loaded.plan["total_calls"] == sum(not record["about"].endswith(AGAIN) for record in life.records)


def planted(judge: str, answer: str, about: str) -> int:
    """The mark of a judge with a fault, by what it is shown alone."""
    dice = int(digest(answer, about.endswith("twice") if judge == "wavers" else ""), 16) % 5 + 1
    by_judge = {"counts": 1 + len(answer) // 90, "vain": 5 if "worth taking slowly" in answer else 2}
    return min(by_judge.get(judge, 5 if judge == "credulous" and "score" in answer else dice), 5)


@pytest.mark.parametrize("kind", TWINS)
def test_the_same_marks_are_told_in_the_same_words(tmp_path: Path, kind: str) -> None:
    """Of a rubric and a shipped metric that the same judges mark alike, sentences and figures are the same but for the name."""
    with_rubrics(tmp_path, kind)
    specs = [{"name": name, "wire": "simulator", "model": persona} for name, persona in {**MODELS, **JUDGES}.items()]
    table = {"kind": kind, "name": "twins", "run": {"max_calls": 30_000}, "models": specs, kind: TABLES[kind](tmp_path)}
    found = load(write_config(tmp_path, table), Workspace(tmp_path)).evaluation

    def say(call: Call) -> Reply:
        prompt = call.messages[-1].content
        if shown := re.search(r"\[ANSWER \w+\]\n(.*?)\n\[/ANSWER", prompt, re.S):
            mark = planted(call.model, shown[1], call.about)
            return Reply(call, "ok", text=json.dumps({"reason": "It is so.", "score": mark}))
        style = STYLES[MODELS[call.model]]
        is_sheet = call.example_text.startswith("{")
        return Reply(call, "ok", text=sheet_of(prompt, style) if is_sheet else style.format(call.example_text))

    report = report_of(found.kind, found.task)
    for sample in found.samples():
        report.add(found.driven(sample, say))
    tables = {name: table_rows(table) for name, table in report.tables().items()}
    said = "\n".join(each.note for each in report.headline())

    for own, twin in TWINS[kind].items():
        of_own, of_twin = (told(tables["judge_checks"], tables["judge_attacks"], name) for name in (own, twin))
        more = {check for check, _ in of_own.keys() - of_twin.keys()}
        assert {key: of_own[key] for key in of_twin} == of_twin
        assert {is_found for is_found, _ in of_twin.values()} == {"yes", "no"}
        assert more <= {"attacks"}  # chat attacks by one of its metrics alone, and by each rubric
        assert re.search(rf"^(?=.*\b{twin}\b)(?=.*\b{own}\b)[\w, ]+: wavers: noise", said, re.M)
