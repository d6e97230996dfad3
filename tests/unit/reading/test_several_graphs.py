"""Laws of replies with several graphs: the one that is meant is read, by its place and never by its score."""

from __future__ import annotations

import json
import time

import pytest
from graphs import changed, drawn, read
from soaking import quick_first

from tui_eval.reading.decision_graphs import read_graph

MEANT = drawn(coaching={"summary": "The graph that is meant."})
EARLIER = drawn(coaching={"summary": "An earlier version."})
MEANT_TEXT, EARLIER_TEXT = json.dumps(MEANT), json.dumps(EARLIER, indent=2)
TEMPLATES = {
    "with ellipses": '{"nodes": [...], "edges": [...], "coaching": {...}}',
    "with ellipses in texts": json.dumps({"nodes": [{"id": "...", "kind": "...", "label": "..."}], "edges": []}),
    "with real kinds": json.dumps({"nodes": [{"id": "<id>", "kind": "goal", "label": "<label>"}], "edges": []}),
    "with types": json.dumps({"nodes": [{"id": "string", "kind": "string"}], "edges": [{"from": "string", "to": "string"}]}),
    "with a choice of kinds": json.dumps({"nodes": [{"id": "a", "kind": "goal|decision|option"}], "edges": []}),
    "without edges": json.dumps({"nodes": [{"id": "node_1", "kind": "goal", "label": "An example"}], "edges": []}),
    "without nodes": '{"nodes": [], "edges": []}',
    "of JSON Schema": json.dumps({"type": "object", "properties": {"nodes": {"type": "array"}, "edges": {"type": "array"}}}),
    "with braces": json.dumps({"nodes": [{"id": "{id}", "kind": "{kind}"}], "edges": []}),
    "that is cut off in its block": '```json\n{"nodes": [{"id": \n```',
}
SMALL = {
    "an object": '{"options": 3, "note": "see below"}',
    "a node": '{"id": "fuel", "kind": "factor"}',
    "sizes": '{"nodes": 9, "edges": 10}',
    "a list": '[{"risk": "storm"}, {"risk": "strike"}]',
    "an object in a block": '```json\n{"steps": ["nodes", "edges"]}\n```',
    "code": "```python\ndef f(x):\n    return {'a': [x, {1: 2}]}\n```",
    "a stray bracket": "I had [3 of them, and {twice} that ]]} or so.",
    "a stray quote": 'It is 5" wide, "or so.',
    "prose": "Words, words [1] and {words}. " * 20_000,
    "a bracket that is never closed": 'It begins with {"a" and goes on.',
}


@pytest.mark.parametrize("block", [False, True])
@pytest.mark.parametrize("aside", [*TEMPLATES, *SMALL])
def test_a_template_or_a_small_object_is_no_graph(aside: str, block: bool) -> None:
    """Before the graph or after it, in a block or in prose, it changes nothing of what is read."""
    graph = f"```json\n{MEANT_TEXT}\n```" if block else f"Here it is:\n{MEANT_TEXT}"
    text = {**TEMPLATES, **SMALL}[aside]

    assert read_graph(f"The form is:\n{text}\n\nThe graph: {graph}\n").graph == read(MEANT)
    if aside != "a bracket that is never closed":
        assert read_graph(f"{graph}\nFor reference, the form was {text}\nDone.").graph == read(MEANT)


@pytest.mark.parametrize(
    ("reply", "extraction"),
    [
        (MEANT_TEXT, "whole text"),
        (f"```json\n{EARLIER_TEXT}\n```\nBetter:\n```json\n{MEANT_TEXT}\n```", "fenced block, 2 of 2"),
        (f"{EARLIER_TEXT}\n\nI forgot the storms:\n\n{MEANT_TEXT}", "in prose, 2 of 2"),
        (f"```\n{EARLIER_TEXT}\n```\nor rather {MEANT_TEXT} as I said.", "in prose, 2 of 2"),
        (f"{EARLIER_TEXT}\nor rather\n```\n{MEANT_TEXT}\n```\nas I said.", "fenced block, 2 of 2"),
        (f"[{EARLIER_TEXT}, {MEANT_TEXT}]", "whole text, 2 of 2"),
        (f'{{"v1": {EARLIER_TEXT}, "v2": {MEANT_TEXT}}}', "whole text, 2 of 2"),
        (f'```json\n{{"v1": {EARLIER_TEXT}, "v2": {MEANT_TEXT}}}\n```', "fenced block, 2 of 2"),
        (f"[{MEANT_TEXT}]", "whole text"),
        (f'Sure: [{{"graph": {MEANT_TEXT}}}] Done.', "in prose"),
        (f'{{"graphs": [{MEANT_TEXT}]}}', "whole text"),
        (f'```json\n{{"result": {{"graph": {MEANT_TEXT}}}}}\n```', "fenced block"),
        (f"{MEANT_TEXT}\nThe form was {TEMPLATES['with real kinds']}", "in prose, 1 of 2"),
        (f"```json\n{EARLIER_TEXT}\n```\n```json\n{MEANT_TEXT[:-1]},}}\n```", "repaired, 2 of 2"),
        (f'```json\n{{"nodes": [{{"id": "a", Sorry, let me start again.\n```\n{MEANT_TEXT}', "in prose"),
        (f'{{"nodes": [{{"id": "a", Sorry, let me start again.\n{MEANT_TEXT}', "in prose"),
        (f"<think>{EARLIER_TEXT}</think>{MEANT_TEXT}", "whole text"),
        (json.dumps(MEANT_TEXT), "whole text"),
        (f"{MEANT_TEXT}<|im_end|>", "in prose"),
    ],
)
def test_the_last_graph_is_read_and_the_choice_is_named(reply: str, extraction: str) -> None:
    """Models correct themselves forward; how many graphs there were, and which it is, stands in `extraction`."""
    reading = read_graph(reply)

    assert reading.graph == read(MEANT) and reading.source == MEANT
    assert reading.extraction == extraction


def test_no_score_decides() -> None:
    """The last graph is read though it breaks rules, and the one before it breaks none."""
    poor = {"nodes": [{"id": "a", "kind": "factor"}], "edges": [{"from": "a", "to": "a"}]}

    assert read_graph(f"{EARLIER_TEXT}\nNo: {json.dumps(poor)}").graph == read(poor)


def test_a_last_version_that_cannot_be_read_leaves_the_one_before_it() -> None:
    """The choice says that there was another; where no version can be read the last one says why."""
    wish = json.dumps(changed(MEANT, "goal", kind="wish"))
    reading = read_graph(f"{EARLIER_TEXT}\nBetter:\n{wish}")

    assert reading.graph == read(EARLIER) and reading.extraction == "in prose, 1 of 2"
    assert "nodes[0]: the kind 'wish'" in read_graph(f"```\n{wish}\n```\nThe form: {TEMPLATES['with real kinds']}").reason


@pytest.mark.parametrize(
    "behind",
    [
        "Better:\n```json\n",
        "Better:\n```json\n{",
        "Better:\n{",
        'Better: {"nod',
        f"Better: {EARLIER_TEXT[:200]}",
        '[{"nodes": [',
    ],
)
def test_a_last_version_that_is_cut_leaves_none(behind: str) -> None:
    """What it was to replace is not read in its place."""
    reading = read_graph(f"```json\n{MEANT_TEXT}\n```\n{behind}")

    assert reading.graph is None and reading.cut and "ends inside its JSON" in reading.reason


@pytest.mark.parametrize("behind", ["As [1", "see [", "of {a", "```", "\n```", "```\nThe set {", "`[`"])
def test_words_that_are_cut_behind_a_graph_change_nothing(behind: str) -> None:
    """The graph is whole."""
    assert read_graph(f"Here:\n{MEANT_TEXT}\n{behind}").graph == read(MEANT)


HOSTILE = (
    "[", '"', '{"a":[}', '{"nodes" 1} ', "```json\n[{",
    '{"a":', "[] ", "[1] ", '{"a":1} ', "[{}] ", '{"nodes":[]} ', '{"nodes":[1,], "x" }', '{"', '{"\\', "```{", "{/*", "{//",
    '```json\n{"nodes":[\n```\n', "{,   ", "{ ", "[}{]", "]}", "<think>{</think>", '["a","b"', '{"nodes": "a // b"} ',
    '[{"a":1},', '{"nodes": [{"id": "a", "kind": "goal"},', "Well [1], that is prose. ",
)  # fmt: skip
"""The first two in the quick suite, too."""
SLACK = 3
"""A machine that is busy with other things takes that many times as long."""


@pytest.mark.parametrize("around", [f"{{}}\n\n{MEANT_TEXT}", '{{"nodes": [ {}'], ids=["before a graph", "within one"])
@pytest.mark.parametrize("unit", quick_first(HOSTILE, 2))
def test_two_megabytes_take_no_more_than_a_second(unit: str, around: str) -> None:
    """Whatever the text."""
    text = (unit * (2_000_000 // len(unit) + 1))[:2_000_000]
    reply = around.replace("{{", "{").replace("{}", text, 1)
    began = time.process_time()
    reading = read_graph(reply)

    assert time.process_time() - began < SLACK
    assert (reading.graph is None) == bool(reading.reason)


@pytest.mark.soak
@pytest.mark.parametrize("around", ["{}", "Here: {} Done.", "```json\n{}\n```"])
def test_a_graph_of_two_megabytes_is_read(around: str) -> None:
    """Within the same time, and so is a graph behind as much prose."""
    nodes = [{"id": f"n{n}", "kind": "factor", "label": "Number of crossings " * 8} for n in range(9_000)]
    text = around.replace("{}", json.dumps({"nodes": nodes, "edges": []}))
    began = time.process_time()

    assert read_graph(text).graph is not None
    assert read_graph("Words [1] and words. " * 100_000 + MEANT_TEXT).graph == read(MEANT)
    assert time.process_time() - began < 2 * SLACK
