"""Laws of `dataset`: one key in every kind that asks sets, by name or path, and what is deselected is asked by none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_origin

import pytest

from tui_eval.configuring.drafting.new_configs import filled
from tui_eval.configuring.loading import Loaded, complete, load
from tui_eval.configuring.preparing import prepare
from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.set_list import change_selection, read_set
from tui_eval.datasets.set_store import keep_typed
from tui_eval.evaluation.config_references import tables_in
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile

ASKING = {name: kind for name, kind in KINDS.every().items() if kind.offered and kind.starts.from_set}
MODEL = {"name": "m", "wire": "simulator", "model": "sim-scholar"}
EXAM = "".join(f"{n}. Which is metal {n}?\nA) iron {n}\nB) helium {n}\nAnswer: {'AB'[n % 2]}\n\n" for n in range(1, 6))
OPEN = "".join(f"{n}. What is {n} and {n}?\n   Answer: {2 * n}\n" for n in range(1, 6))
TURNS = [{"id": f"t{n}", "question": f"How deep is basin {n}?", "ground_truth": f"{n} m"} for n in range(1, 6)]
SETS = {"exam": "exam.json", "folder": "folder", "lines": "lines.txt", "talks": "talks.json"}


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """A workspace with a set of every sort, of five questions each."""
    folder = tmp_path / "datasets" / "folder"
    folder.mkdir(parents=True)
    (folder / "Questions.md").write_text(OPEN)
    (folder / "log.txt").write_text("The log.")
    (tmp_path / "datasets" / "lines.txt").write_text("".join(f"What is line {n}?\n" for n in range(1, 6)))
    talks = [{"id": f"c{n}", "turns": [turn]} for n, turn in enumerate(TURNS)]
    (tmp_path / "datasets" / "talks.json").write_text(json.dumps({"name": "talks", "conversations": talks}))
    keep_typed(Workspace(tmp_path), "exam", EXAM)
    return Workspace(tmp_path)


def able() -> Iterator[Any]:
    """Every kind with every set that it can ask."""
    has = {"exam": {"options", "truth"}, "folder": {"truth", "documents"}, "lines": set(), "talks": {"turns", "truth"}}
    for name, kind in ASKING.items():
        for each, what in has.items():
            if (kind.starts.needs or frozenset()) <= what:
                yield pytest.param(kind, each, id=f"{name}-{each}")


def table_of(kind: Kind, key: str, word: str) -> dict[str, Any]:
    """A kind's table that names a set, and a model wherever it needs one."""
    rows = [name for name, field in kind.Config.model_fields.items() if field.is_required() and [*tables_in(field.annotation)]]
    lists = {name: [{"model": "m"}] for name in rows if get_origin(kind.Config.model_fields[name].annotation) is list}
    if kind.starts.columns is not None:
        lists[kind.starts.columns.prompts] = [{"name": "plain", "text": "{question}"}]
    return filled(kind, {key: word, **lists}, ["m"], ["m"])


def loaded_with(space: Workspace, kind: Kind, key: str, word: str, **more: Any) -> Loaded:
    table = {**table_of(kind, key, word), **more}
    content = {"kind": kind.name, "name": "n", "models": [MODEL], kind.name: table}
    return complete(TomlFile(space.root / "config.toml", content, {}), space)


def questions_of(loaded: Loaded) -> list[str]:
    """What is asked, as the first call of each sample has it."""
    evaluation = loaded.evaluation
    return [text_of(evaluation.kind, loaded, sample) for sample in evaluation.samples()]


def text_of(kind: Kind, loaded: Loaded, sample: Sample) -> str:
    flow = kind.flow(loaded.evaluation.task, sample)
    return next(flow)[0].messages[-1].content


@pytest.mark.parametrize("kind", ASKING.values(), ids=ASKING)
def test_every_kind_that_asks_sets_has_the_key(kind: Kind) -> None:
    """One noun: the first key that names a set is `dataset`, and each is a field of the table."""
    assert kind.starts.set_keys[0] == "dataset" and {*kind.starts.set_keys} <= {*kind.Config.model_fields}


@pytest.mark.parametrize(("kind", "name"), [*able()])
def test_a_name_and_a_path_mean_the_same(space: Workspace, kind: Kind, name: str) -> None:
    """A set is named or its path is given, by any spelling: the same is asked, in full."""
    ways = [name, f"datasets/{SETS[name]}", str(space.root / "datasets" / SETS[name])]
    asked = [questions_of(loaded_with(space, kind, "dataset", word)) for word in ways]

    assert len(asked[0]) == 5 and asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize(("kind", "name"), [*able()])
def test_what_is_deselected_is_not_asked(space: Workspace, kind: Kind, name: str) -> None:
    """By whatever key and word a config names the set, two of five deselected leave three, in order, and it says so."""
    path = space.root / "datasets" / SETS[name]
    found = read_set(path)
    whole = questions_of(loaded_with(space, kind, "dataset", name))
    change_selection(space, path, found, {found.questions[n].id: False for n in (1, 3)})

    for key in kind.starts.set_keys:
        if key == "dataset" or (key, name) in {("benchmark", "exam"), ("questions_file", "lines")}:
            loaded = loaded_with(space, kind, key, f"datasets/{SETS[name]}")
            assert [*map(plain, questions_of(loaded))] == [plain(whole[n]) for n in (0, 2, 4)]
            assert f"{name}: 3 of 5 samples (2 deselected)" in loaded.notes


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("kind", "name"), [*able()])
def test_a_run_goes_on_with_what_it_began_with(space: Workspace, kind: Kind, name: str) -> None:
    """A selection that changes afterwards changes no run that is on file: it resumes and re-scores with its own samples."""
    path = space.root / "datasets" / SETS[name]
    found = read_set(path)
    change_selection(space, path, found, {found.questions[1].id: False})
    before = loaded_with(space, kind, "dataset", name)
    folder = space.root / "runs" / "r"
    folder.parent.mkdir()
    prepare(before, folder, lambda text: text, [])
    change_selection(space, path, found, {one.id: one == found.questions[1] for one in found.questions})
    after = load(folder / "config.toml", space, sends=False)

    assert questions_of(after) == questions_of(before) and len(questions_of(after)) == 4


def test_ids_of_a_config_and_of_a_selection_hold_together(space: Workspace) -> None:
    """What a person names by id is asked unless it is deselected; where all of it is, the config is refused."""
    path = space.root / "datasets" / "exam.json"
    change_selection(space, path, read_set(path), {"q0002": False})
    choice = KINDS["choice"]
    assert len(questions_of(loaded_with(space, choice, "dataset", "exam", filter={"ids": ["q0001", "q0002"]}))) == 1
    assert len(questions_of(loaded_with(space, choice, "dataset", "exam", filter={"first": 2}))) == 2

    notes = loaded_with(space, choice, "dataset", "exam", filter={"ids": ["q0001", "q0002"]}).notes
    assert "exam: 1 of 5 samples (1 deselected; ids names 2, and not asked of these, as deselected: q0002)" in notes
    notes = loaded_with(space, choice, "dataset", "exam", filter={"ids": ["q0003", "q0001"]}).notes
    assert "exam: 2 of 5 samples (1 deselected; ids names 2)" in notes

    with pytest.raises(ConfigError, match=r"choice\.dataset: all 1 ids that ids names are deselected"):
        loaded_with(space, choice, "dataset", "exam", filter={"ids": ["q0002"]})
    with pytest.raises(ConfigError, match=r"no question has 'q0009'"):
        loaded_with(space, choice, "dataset", "exam", filter={"ids": ["q0009"]})


@pytest.mark.parametrize("kind", ASKING.values(), ids=ASKING)
def test_a_name_that_no_set_has_is_an_error_with_the_nearest(space: Workspace, kind: Kind) -> None:
    """A misspelt name says which was meant."""
    with pytest.raises(ConfigError, match=rf"{kind.name}\.dataset: 'exan': neither a dataset nor a file.*did you mean 'exam'"):
        loaded_with(space, kind, "dataset", "exan")


def test_questions_from_elsewhere_are_told_of_before_they_leave(space: Workspace, tmp_path: Path) -> None:
    """A set outside the config's folder whose questions stand in the table is in the list of what leaves, as any file is."""
    folder = tmp_path / "sub"
    folder.mkdir()
    path = space.root / "datasets" / "lines.txt"
    found = read_set(path)
    change_selection(space, path, found, {found.questions[0].id: False})
    content = {"kind": "panel", "name": "n", "models": [MODEL], "panel": table_of(KINDS["panel"], "dataset", "lines")}

    loaded = complete(TomlFile(folder / "config.toml", content, {}), space)

    assert [each.real for each in loaded.egress.outside] == [str(path.resolve())]
