"""Laws of counting: a kind says how many items there are, and makes a sample of them, without making them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import SAMPLES, sample

from tui_eval.kinds.shared.drive import walked_shapes
from tui_eval.session.loading import Loaded, complete
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml


def held(loaded: Loaded) -> None:
    """Shapes and samples agree with the items themselves."""
    kind, config, files = loaded.evaluation.kind, loaded.evaluation.config, loaded.evaluation.files
    every = list(kind.items(config, files))

    assert kind.shapes(config, files) == walked_shapes(kind, config, every)
    for lane in kind.shapes(config, files):
        of_lane = [item for item in every if item.lane == lane]
        for step in (1, 2, 3, 5, len(of_lane) + 1):
            assert list(kind.items(config, files, lane, step)) == of_lane[::step]


def test_items_are_counted_and_sampled_without_making_them_all(loaded: Loaded) -> None:
    """A lane's shapes are those of its items, as many of each; in steps of n, it has its first item and every n-th after it."""
    held(loaded)


@pytest.mark.parametrize(("kind", "name"), SAMPLES)
def test_the_same_holds_of_a_run_of_some_items(kind: str, name: str, tmp_path: Path) -> None:
    """--only leaves a kind that still keeps the law."""
    loaded = sample(kind, name, tmp_path)
    first, *_, last = [item.id for item in loaded.evaluation.kind.items(loaded.evaluation.config, loaded.evaluation.files)] * 2
    file = override(read_toml(tmp_path / "config.toml"), ())

    held(complete(file, Workspace(tmp_path), only=[first, last]))


def test_questions_with_a_scope_are_counted_where_they_are_asked(tmp_path: Path) -> None:
    """Questions asked of some documents only count for these, in every step, over the borders of documents."""
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(name)
    (tmp_path / "config.toml").write_text(
        'kind = "panel"\n[[models]]\nname = "one"\nwire = "simulator"\nmodel = "sim-scholar"\n[panel]\ndocuments = ["*.txt"]\n'
        'questions = ["w?", { question = "x?", documents = ["b"] }, "y?", { question = "z?", documents = ["a", "c"] }]\n'
        '[[panel.doers]]\nmodel = "one"\n'
    )

    loaded = complete(read_toml(tmp_path / "config.toml"), Workspace(tmp_path))

    assert loaded.plan["items"] == 9
    held(loaded)
