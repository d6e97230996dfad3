"""Laws of slips that were let pass in silence: in new configs each is an error with the nearest name, in runs on file none."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from samples import tables_of, written

from tui_eval.configuring.loading import Loaded, complete
from tui_eval.configuring.preparing import prepare
from tui_eval.configuring.prompt_files import known_slots, prompt_folders
from tui_eval.core.errors import ConfigError
from tui_eval.kinds import KINDS
from tui_eval.reading.prompts import unknown_slot
from tui_eval.workspace.places import Workspace, read_prompt, shipped
from tui_eval.workspace.toml_files import TomlFile, read_toml

PROMPTED = [(name, prompt) for name, kind in KINDS.every().items() for prompt in kind.prompts]
KNOWN = ("question", "Context", "col_1", "Best Answer")


def started(kind: str, folder: Path) -> TomlFile:
    """A config of the kind, with all that it names."""
    return read_toml(written(kind, next(iter(tables_of(kind))), folder))


def with_prompt(file: TomlFile, kind: str, prompt: str, text: str) -> TomlFile:
    table = {**file.content[kind], "prompts": {**file.content[kind].get("prompts", {}), prompt: text}}
    return TomlFile(file.path, {**file.content, kind: table}, {})


def completed(file: TomlFile) -> Loaded:
    return complete(file, Workspace(file.path.parent), sends=False)


@pytest.mark.parametrize(("kind", "prompt"), [(kind, prompt) for kind, every in prompt_folders().items() for prompt in every])
def test_the_shipped_prompts_pass(kind: str, prompt: str) -> None:
    """No prompt of ours has a word in braces that is no slot."""
    text = read_prompt(shipped("prompts") / kind / f"{prompt}.md")
    assert unknown_slot(text, known_slots(kind)) == ""


@pytest.mark.parametrize(("kind", "prompt"), PROMPTED)
def test_a_prompt_with_an_unknown_slot_is_refused(kind: str, prompt: str, tmp_path: Path) -> None:
    """Whatever kind and prompt: a misspelt slot and one in double braces name their line and the slot that is meant."""
    file = started(kind, tmp_path)
    text = read_prompt(shipped("prompts") / kind / f"{prompt}.md")
    slot = next(iter(sorted(known_slots(kind), key=len, reverse=True)))
    for wrong, told in ((f"{{{slot}s}}", f"did you mean {{{slot}}}"), (f"{{{{{slot}}}}}", f"single braces here: {{{slot}}}")):
        with pytest.raises(ConfigError) as refused:
            completed(with_prompt(file, kind, prompt, f"{text}\n{wrong}"))
        assert f"{kind}.prompts.{prompt}" in str(refused.value) and told in str(refused.value)
    braces_that_are_text = '\\boxed{slots} \\frac{a}{b} x^{n} \\{slots\\} {} { x } {a b} {"a": 1}'
    assert completed(with_prompt(file, kind, prompt, f"{text}\n{braces_that_are_text}"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{question}{Context}{col_1}", ""),
        ("{context}", "line 1 has {context}, which is not a slot; did you mean {Context}?"),
        ("\n{Question}", "line 2 has {Question}, which is not a slot; did you mean {question}?"),
        ("{col_11}", "did you mean {col_1}?"),
        ("{{question}}", "{{question}}: a slot has single braces here: {question}"),
        ("{{ question }}", "single braces here: {question}"),
        ("{xyz}", "slots are {Best Answer}, {Context}, {col_1}, {question}"),
        ('{"answer": {qestion}}', "did you mean {question}?"),
        ("{ question }", "line 1 has { question }, which is not a slot; did you mean {question}?"),
        ("{Best answr}", "did you mean {Best Answer}?"),
        ("{best  answer}", "did you mean {Best Answer}?"),
        ("{ x } {a b} {the best of all} {Best Answer: 3}", ""),
        ("\\text{qestion} \\boxed{x} \\sqrt[3]{x} a_{i} \\{qestion\\}", ""),
        ("\\boxed{x} {qestion}", "did you mean {question}?"),
    ],
)
def test_names_match_whole(text: str, problem: str) -> None:
    """Capitals and digits count; behind a command of LaTeX, and with a backslash before them, braces are text."""
    found = unknown_slot(text, KNOWN)
    assert problem in found and bool(problem) == bool(found)


def test_runs_on_file_are_asked_with_what_they_have(tmp_path: Path) -> None:
    """A run that began when these were let pass resumes and re-scores: unknown slots, equal options, an unknown provider."""
    questions = [{"id": "q1", "question": "Which?", "options": ["x", "y"], "answer": "B"}]
    (tmp_path / "bench.json").write_text(json.dumps(questions))
    models = [{"name": name, "wire": "simulator", "model": "sim-scholar"} for name in ("one", "spare")]
    content: dict[str, Any] = {"kind": "choice", "name": "n", "models": models}
    content["choice"] = {"dataset": "bench.json", "models": ["one"]}
    loaded = completed(TomlFile(tmp_path / "config.toml", content, {}))
    prepare(loaded, tmp_path / "run", lambda text: text, [])

    config, bench = tmp_path / "run" / "config.toml", tmp_path / "run" / "inputs" / "benchmark" / "bench.json"
    text = bench.read_text().replace('"y"', '"x"')
    prompt = tmp_path / "run" / "inputs" / "prompts" / "system.md"
    for path, new in ((bench, text), (prompt, prompt.read_text() + "\n{foo} {{question}}")):
        path.write_text(new)
    old = tomllib.loads(config.read_text())
    del old["inputs"][:]  # so that what stands there is taken for what was prepared
    old["models"] += [{"name": "third", "wire": "opena", "model": "x"}]
    found = complete(TomlFile(config, old, {}), Workspace(tmp_path), sends=False)

    assert found.plan["total_calls"] == 1


def test_equal_options_are_refused(tmp_path: Path) -> None:
    """Of two options that say the same nobody knows which is the right one: the question and their letters are named."""
    questions = [{"id": "q1", "question": "Which?", "options": ["x", "y", "x"], "answer": "B"}]
    (tmp_path / "bench.json").write_text(json.dumps(questions))
    model = {"name": "one", "wire": "simulator", "model": "sim-scholar"}
    content = {"kind": "choice", "models": [model], "choice": {"dataset": "bench.json", "models": ["one"]}}

    with pytest.raises(ConfigError, match=r"options A and C of question 'q1' are the same \('x'\)"):
        completed(TomlFile(tmp_path / "config.toml", content, {}))


def test_an_unknown_provider_of_an_unused_model_is_refused(tmp_path: Path) -> None:
    """A model that nothing asks yet is checked as well, with the nearest name."""
    models = [{"name": "one", "wire": "simulator", "model": "sim-scholar"}, {"name": "b", "wire": "opena", "model": "x"}]
    content = {"kind": "panel", "models": models, "panel": {"questions": ["Why?"], "doers": [{"model": "one"}]}}

    with pytest.raises(ConfigError, match=r"models\[1\]\.wire: no wire 'opena'; did you mean 'openai'"):
        completed(TomlFile(tmp_path / "config.toml", content, {}))


def test_a_slot_of_another_prompt_is_told(tmp_path: Path) -> None:
    """It is sent as it stands where a prompt has none of that name: the dry run and the run say which."""
    file, text = started("panel", tmp_path), read_prompt(shipped("prompts") / "panel" / "doer_user.md")
    told = completed(with_prompt(file, "panel", "doer_user", f"{text}\n{{judge_responses}}")).warnings

    assert [each for each in told if "panel.prompts.doer_user" in each and "{judge_responses}" in each]
    assert not [each for each in completed(with_prompt(file, "panel", "doer_user", text)).warnings if "slot" in each]
