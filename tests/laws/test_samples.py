"""Laws of samples: a kind says how many there are of each shape, and makes a part of them, without making them all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from samples import ALL_SAMPLES, sample

from tui_eval.configuring.evaluation import Contributions, row_files
from tui_eval.configuring.loading import Loaded, complete
from tui_eval.core.calls import Call, Reply
from tui_eval.core.results import SampleResult
from tui_eval.evaluation.drivers import as_example
from tui_eval.evaluation.sample_queues import side_by_side
from tui_eval.workspace.overrides import override
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import read_toml


def held(loaded: Loaded) -> None:
    """Shapes and parts agree with the samples themselves."""
    queues = loaded.evaluation.queues
    ids = []

    for name, queue in queues.items():
        every = list(queue)
        assert len(every) == len(queue) and {found.queue for found in every} <= {name}
        assert list(queue) == every == queue[:]  # as often as they are asked for
        for step in (1, 2, 3, 5, len(every) + 1):
            assert queue[::step] == every[::step]
        assert [queue[i] for i in range(len(queue))] == every
        first = {found.shape: i for i, found in reversed([*enumerate(every)])}
        n = Counter(found.shape for found in every)
        assert queue.shapes() == {shape: (n[shape], first[shape]) for shape in n}
        ids += [found.id for found in every]
        places = [found.q_index for found in every]
        assert len(queues) == 1 or places == sorted(places)

    assert len(set(ids)) == len(ids)
    assert sorted(ids) == sorted(found.id for found in side_by_side(queues))


def test_samples_are_counted_and_sampled_without_making_them_all(loaded: Loaded) -> None:
    """A queue's shapes are those of its samples, as many of each; in steps of n, it has its first and every n-th after it."""
    held(loaded)


@pytest.mark.parametrize(("kind", "name"), ALL_SAMPLES)
def test_the_same_holds_of_a_run_of_some_samples(kind: str, name: str, tmp_path: Path) -> None:
    """--only leaves queues that still keep the law."""
    loaded = sample(kind, name, tmp_path)
    first, *_, last = [found.id for found in side_by_side(loaded.evaluation.queues)] * 2
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


def test_paths_that_a_kind_tells_are_those_of_its_files(loaded: Loaded) -> None:
    """By good replies a sample has a file of each path that its kind tells beforehand, by no replies none besides; no file
    that adds up has one of these."""
    evaluation = loaded.evaluation
    form, added, paths = evaluation.kind.sample_files, Contributions(evaluation), set[str]()
    if form.paths is None:
        return

    def made(row: SampleResult) -> set[str]:
        return {name.split("/", 2)[2] if row.sample.repeat else name for name in row_files(evaluation, row)}

    def missing(call: Call) -> Reply:
        return Reply(call, "error", error_kind="permanent")

    for each in evaluation.samples():
        if not each.checks_judge:
            row = evaluation.driven(each, as_example)
            own = set(form.paths(evaluation.task, each))
            assert made(row) == own >= made(evaluation.driven(each, missing))
            added.add(row)
            paths |= own
    assert paths and (form.totals is None or (form.totals.apart and not paths & dict(added.files()).keys()))
