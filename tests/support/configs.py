"""Configs to put drafts and forms to the test: what a schema allows, and what a person may leave half done."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import strategies as st

from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.schema import schema
from tui_eval.workspace.places import shipped

EXAMPLES = sorted(shipped("examples").glob("*.toml"))
"""The shipped configs."""
words = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from('"\\\n\r\t{}[]#=,\x7f\x85 \u2028')), max_size=12)
"""Text that TOML can hold, with what is special in it."""
anything = st.recursive(
    words | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
"""Any value of a TOML file."""


def values(field: Field) -> st.SearchStrategy[Any]:
    """Values that a field may hold."""
    match field.sort:
        case "integer":
            return st.integers(_least(field, 1), _most(field))
        case "number":
            low, high = _least(field, 0), _most(field)
            return st.integers(_least(field, 1), high) | st.floats(low, high, exclude_min=field.above)
        case "boolean":
            return st.booleans()
        case "choice":
            return st.sampled_from(field.choices)
        case "text":
            return words | st.fixed_dictionaries({"file": words}) if field.names == "prompt" else words
        case "texts":
            return st.lists(words | tables(field) if field.fields else words, max_size=4)
        case "table":
            return tables(field)
        case "tables":
            return st.lists(tables(field), max_size=3)
        case "free":
            return st.dictionaries(words, anything, max_size=3)


def _least(field: Field, step: int) -> int:
    return -1000 if field.least is None else int(field.least) + (step if field.above else 0)


def _most(field: Field) -> int:
    return 10**15 if field.most is None else math.floor(field.most)


def tables(field: Field) -> st.SearchStrategy[dict[str, Any]]:
    """Tables with some of a field's keys."""
    return st.fixed_dictionaries({}, optional={inner.key: values(inner) for inner in field.fields})


def configs(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Configs of a kind in which every value is of its sort; whether they agree with each other is another matter."""
    return tables(schema(kind)).map(lambda content: {**content, "kind": kind})


def half_done(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Configs of a kind, some of whose values are anything."""
    return st.builds(
        lambda content, changes: {**content, **changes}, configs(kind),
        st.dictionaries(st.sampled_from(["name", "run", "models", kind, "inputs", "other"]), anything, max_size=2),
    )  # fmt: skip


def exact(value: Any) -> str:
    """A value so that true, 1 and 1.0 are three, and the order of keys is nothing."""
    return json.dumps(value, sort_keys=True)


EVERYTHING = {
    "run": 'max_calls = 500\nmax_cost_usd = 2\nretries = 2\nseed = 7\non_failure = "abort"\nmax_output_tokens = 0',
    "models": """
[[models]]
name = "one"
wire = "simulator"
model = "sim-scholar"
temperature = 1
max_output_tokens = 90
price = { input = 1, output = 2, cached_input = 0.5 }
limits = { max_in_flight = 3 }
[[models]]
name = "two"
wire = "openrouter"
model = "openai/gpt-5-mini"
base_url = "http://127.0.0.1:9/v1"
reasoning_effort = "low"
max_output_tokens = 80
send_seed = true
price = { input = 1, output = 2 }
routing = { order = ["x"], allow_fallbacks = false }
extra_body = { top_p = 0.9, stop = [["a", "b"]], flag = true, none = "" }
""",
    "questions": 'questions_file = "questions.txt"\ntruths_file = "truths.txt"',
    "panel": """documents = ["docs/*.txt", "docs/blob.bin"]
send_doc_to_judges = true
send_doer_outputs_to_final_judges = false
""",
    "doers": """
[[panel.doers]]
model = "one"
calls = 2
[[panel.doers]]
model = "two"
temperature = 0
max_output_tokens = 50
""",
    "rest": """
[[panel.judges]]
model = "two"
timeout_s = 5
[[panel.finals]]
model = "one"
[panel.benchmark]
mode = "llm"
include_question = true
scorer = { model = "two", use_temperature = false }
[panel.prompts]
doer_system = "  Be brief. { x } "
judge_user = "{question}{document}{doer_responses} of our own"
""",
}
"""A panel in which every key is set, as the parts of `panels.panel_text`."""
