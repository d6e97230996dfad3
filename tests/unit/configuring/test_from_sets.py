"""Laws of a run with a set on file: the kind is found by what the set has, and its table asks what is selected."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from questions import select_only

from tui_eval.configuring.drafting.new_configs import as_config, kind_for, with_only_model
from tui_eval.configuring.loading import complete
from tui_eval.core.errors import ConfigError
from tui_eval.datasets.set_list import read_set
from tui_eval.datasets.set_store import keep_typed
from tui_eval.datasets.sets import LIST
from tui_eval.evaluation.kind import Kind, Starts
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

TWO = "1. Which is a gas?\nA) iron\nB) helium\nAnswer: B\n\n2. Which is a metal?\nA) iron\nB) helium\nAnswer: iron\n"
OPEN = (
    "1. Who keeps the station?\n   Answer: Ines\n   Answer (log): Maud\n\n2. What colour is the hut?\n   Documents: log, map\n"
)


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """A workspace with lettered questions, a list of open ones, and a folder of documents with questions about them."""
    station = tmp_path / "datasets" / "station"
    station.mkdir(parents=True)
    for name, text in ((LIST, OPEN), ("log.txt", "log"), ("map.txt", "map")):
        (station / name).write_text(text)
    (tmp_path / "datasets" / "lines.txt").write_text("What is one?\nWhat is two?\n")
    keep_typed(Workspace(tmp_path), "exam", TWO)
    return Workspace(tmp_path)


WHOLE: dict[str, dict[str, Any]] = {
    "exam.json": {"kind": "choice", "choice": {"dataset": "datasets/exam.json"}},
    "lines.txt": {"kind": "panel", "panel": {"questions_file": "datasets/lines.txt"}},
    "station": {"kind": "panel", "panel": {"dataset": "datasets/station"}},
}
PART: dict[str, dict[str, Any]] = {
    "exam.json": {"kind": "choice", "choice": {"dataset": "datasets/exam.json", "filter": {"ids": ["q0001"]}}},
    "lines.txt": {"kind": "panel", "panel": {"questions": ["What is one?"]}},
    "station": {
        "kind": "panel",
        "panel": {
            "questions": [{"question": "Who keeps the station?", "truth": "Ines", "document_truths": {"log": "Maud"}}],
            "documents": ["datasets/station/log.txt", "datasets/station/map.txt"],
        },
    },
}


@pytest.mark.parametrize(("name", "calls", "fewer"), [("exam.json", 2, 1), ("lines.txt", 2, 1), ("station", 4, 2)])
def test_a_run_takes_what_a_set_says(space: Workspace, name: str, calls: int, fewer: int) -> None:
    """Whatever part of a set is selected, the config made of it is sound, and asks these questions with their truths."""
    path = space.root / "datasets" / name
    assert as_config(space, path) == WHOLE[name] and _asked(space, path) == calls
    found = read_set(path)
    select_only(space, path, found, {found.questions[0].id})
    assert as_config(space, path) == PART[name] and _asked(space, path) == fewer


def _asked(space: Workspace, path: Path) -> int:
    config = as_config(space, path)
    kind = config["kind"]
    model = {"name": "m", "wire": "simulator", "model": "sim-scholar"}
    rows = {"models": ["m"]} if "models" in KINDS[kind].Config.model_fields else {"doers": [{"model": "m"}]}
    content = {**config, "models": [model], kind: {**config[kind], **rows}}
    return int(complete(TomlFile(space.root / "config.toml", content, {}), space).plan["total_calls"])


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_that_asks_sets_says_what_it_needs(kind: Kind) -> None:
    """Needs and table come together, and what is needed is something that a set can have."""
    assert (kind.starts.needs is None) == (kind.starts.from_set is None)
    assert (kind.starts.needs or frozenset()) <= {"options", "truth", "documents", "turns"}


def test_lettered_questions_in_a_text_are_imported_first(space: Workspace) -> None:
    """A run could not read them: it is said what to do."""
    path = space.root / "datasets" / "typed.txt"
    path.write_text(TWO)
    with pytest.raises(ConfigError, match=r"typed\.txt: multiple-choice questions in a text file: import it"):
        as_config(space, path)


def _needing(name: str, *needs: str, **more: Any) -> Kind:
    starts = Starts(lambda selected: {"of": selected.path}, frozenset(needs))
    return replace(KINDS["panel"], name=name, starts=starts, **more)


def test_the_kind_that_makes_the_most_of_a_set_asks_it(space: Workspace) -> None:
    """What it needs has to be there; of several the one that needs most, then the first; those that are not offered never."""
    offered = (_needing("any"), _needing("two", "truth", "options"), _needing("one", "truth"), _needing("other", "options"))
    hidden = _needing("hidden", "truth", "options", "documents", offered=False)
    without = replace(KINDS["panel"], name="without", starts=Starts())
    kinds = {kind.name: kind for kind in (hidden, without, *offered)}
    found = {" ".join(sorted(has)): kind_for(frozenset(has), kinds) for has in SETS}
    assert {has: kind.name if kind else None for has, kind in found.items()} == {
        "": "any",
        "truth": "one",
        "documents": "any",
        "options": "other",
        "options truth": "two",
        "documents options truth": "two",
    }
    assert kind_for(frozenset({"documents"}), {"one": kinds["one"]}) is None
    with pytest.raises(ConfigError, match="no kind of evaluation asks such questions"):
        as_config(space, space.root / "datasets" / "lines.txt", {})


SETS: list[set[str]] = [set(), {"truth"}, {"documents"}, {"options"}, {"options", "truth"}, {"options", "truth", "documents"}]


def test_a_panel_asks_of_conversations_what_stands_alone(space: Workspace) -> None:
    """First turns with their truths; with a later turn selected it is said how to select the first ones. Choice takes none."""
    path = space.root / "datasets" / "talk.json"
    turns = [{"id": f"c1/t{n}", "question": f"Q{n}?", "ground_truth": f"A{n}"} for n in (1, 2)]
    text = [{"filename": "h.pdf", "sha256": "", "pages": 1, "uploaded_at": "", "text": "Q"}]
    path.write_text(json.dumps({"documents": text, "conversations": [{"id": "c1", "document": "h.pdf", "turns": turns}]}))
    panel = {name: kind for name, kind in KINDS.items() if name in ("panel", "choice")}
    with pytest.raises(ConfigError, match=r"1 question of 2 are later turns .* select talk --only --where turn=1"):
        as_config(space, path, panel)
    select_only(space, path, read_set(path), {"c1/t1"})
    assert as_config(space, path, panel) == {"kind": "panel", "panel": {"questions": [{"question": "Q1?", "truth": "A1"}]}}
    with pytest.raises(ConfigError, match="no kind of evaluation asks such"):
        as_config(space, path, {"choice": KINDS["choice"]})


def test_rules_of_a_samples_own_begin_a_run_that_scores_by_them(space: Workspace) -> None:
    """Tests of promptfoo have no right answers, and are scored all the same: the kind that takes rules asks them."""
    tests = [{"vars": {"question": word}, "assert": [{"type": "contains", "value": "x"}]} for word in ("a?", "b?")]
    (space.root / "promptfoo.json").write_text(json.dumps(tests))
    found = as_config(space, space.root / "promptfoo.json")

    assert KINDS[found["kind"]].starts.columns is not None
    assert _asked(space, space.root / "promptfoo.json") == 2


SIMULATED = '[[models]]\nname = "a"\nwire = "simulator"\nmodel = "sim-scholar"\n'
KEYLESS = '[[models]]\nname = "b"\nwire = "openai"\nmodel = "m"\napi_key_env = "NO_SUCH_KEY"\n'


@pytest.mark.parametrize(
    ("on_file", "chosen"),
    [
        (SIMULATED, ["a"]),
        (SIMULATED + KEYLESS, ["a"]),
        (KEYLESS, None),
        (SIMULATED + SIMULATED.replace('"a"', '"c"'), None),
        (f"{SIMULATED}enabled = false\n", None),
    ],
)
def test_one_model_that_can_be_asked_is_chosen_and_of_several_none(
    on_file: str, chosen: list[str] | None, space: Workspace
) -> None:
    """Where models that answer are all that is lacking: a panel says more of those that it asks."""
    (space.root / ".conf").mkdir(exist_ok=True)
    (space.root / ".conf" / "models.toml").write_text(on_file)
    exam, lines = (as_config(space, space.root / "datasets" / name) for name in ("exam.json", "lines.txt"))

    assert with_only_model(space, exam)["choice"].get("models") == chosen
    assert with_only_model(space, lines) == lines
