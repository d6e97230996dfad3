"""What the shipped example of the pipeline comes to: the figures that its comment and the docs tell."""

from __future__ import annotations

import re

from simulated import simulated

from tui_eval.configuring.loading import load
from tui_eval.simulator.answers.worded_pictures import UNREAD, is_unread, text_of_png
from tui_eval.simulator.apis.chat import Chat
from tui_eval.workspace.places import Workspace, shipped


def test_the_examples_figures_are_those_that_it_tells() -> None:
    """The cheap model loses more; 159 of 160 marks; questions without an answer are left unanswered."""
    path = shipped("examples") / "pipeline.toml"
    run = load(path, Workspace(path.parent.parent))
    chat, models, reporter = Chat(run.run.seed, 0.0), run.evaluation.models, run.evaluation.reporter()
    for sample in run.evaluation.samples():
        reporter.add(run.evaluation.driven(sample, lambda call: simulated(call, models[call.model], chat)))
    table = reporter.tables()["preserved"]
    rows = {str(row[0].value): dict(zip(table.columns, (cell.value for cell in row), strict=True)) for row in table.rows}
    opus, cheap = rows["opus"], rows["cheap"]

    assert table.note.startswith(
        "159 of 160 answers have a mark. To questions that have no answer, 8 of 8 answers rightly said so."
    )
    assert (round(opus["character_error_rate"], 2), round(cheap["character_error_rate"], 2)) == (0.02, 0.09)  # type: ignore[arg-type]
    assert (round(opus["mark"], 2), round(cheap["mark"], 2)) == (4.65, 3.49)  # type: ignore[arg-type]
    said = path.read_text()
    assert (run.plan["total_calls"], run.plan["up_to_more"]) == tuple(map(int, re.findall(r"(\d+) (?:calls,|more)", said)))


def test_pictures_say_what_they_carry_and_others_are_said_to_be_unread() -> None:
    """The shipped ones carry their reference text; a damaged one, or one without, is no error."""
    folder = shipped("examples") / "pipeline"
    for name in ("tides", "cargo"):
        data = (folder / f"{name}.png").read_bytes()
        assert text_of_png(data) == (folder / f"{name}.ref.txt").read_text()
        assert text_of_png(data[:40]) is None is text_of_png(b"no picture")
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}

    assert is_unread([{"role": "user", "content": [part]}]) and "[simulated]" in UNREAD
