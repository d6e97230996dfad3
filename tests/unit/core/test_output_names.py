"""File names of spec 000: every example of it, and back from a name to its parts, whatever they are called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.output_names import NamedFile, joined, name_part, read_name

EXAMPLES = {
    "image001__processed__claude-opus-4-20250514__run01.md": NamedFile(
        "processed", source="image001", process_model="claude-opus-4-20250514", run=1
    ),
    "questions__from__image__gpt-4o__2026-01-22T20-15.json": NamedFile(
        "questions", input_type="image", model="gpt-4o", timestamp="2026-01-22T20-15"
    ),
    "doc005__answers__claude-opus-4__gpt-5-mini.json": NamedFile(
        "answers", source="doc005", process_model="claude-opus-4", answer_model="gpt-5-mini"
    ),
    "scores__claude-opus-4__gpt-5-mini__judged__gpt-5__2026-01-22T20-30.json": NamedFile(
        "scores", process_model="claude-opus-4", answer_model="gpt-5-mini", model="gpt-5", timestamp="2026-01-22T20-30"
    ),
    "_config__my-eval.json": NamedFile("config", about="my-eval"),
    "_token_usage__gpt-4o.json": NamedFile("token_usage", model="gpt-4o"),
    "_token_usage.json": NamedFile("token_usage"),
    "_summary.json": NamedFile("summary", about="processed"),
    "_summary__answers__gpt-4o__gpt-5.json": NamedFile(
        "summary", about="answers", process_model="gpt-4o", answer_model="gpt-5"
    ),
    "_summary__scores__gpt-5__2026-01-22T20-30.json": NamedFile(
        "summary", about="scores", model="gpt-5", timestamp="2026-01-22T20-30"
    ),
    "cost_analysis__2026-01-22T20-30.json": NamedFile("cost_analysis", timestamp="2026-01-22T20-30"),
    "image_name_run01.md": NamedFile("processed", source="image_name", run=1),
    "image_name_answers.json": NamedFile("answers", source="image_name"),
    "readme.md": NamedFile(""),
}


def test_the_specifications_examples_are_read() -> None:
    """Metadata is never taken for an output."""
    assert {name: read_name(name) for name in EXAMPLES} == EXAMPLES


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=60))
def test_any_part_goes_into_a_name_and_comes_back(source: str, model: str) -> None:
    """No part holds the divider, leaves a folder, hides, or is long; what was shortened comes back by the map."""
    try:
        (source + model).encode()
    except UnicodeEncodeError:
        return
    parts = name_part(source), name_part(model)
    name = joined(parts[0], "processed", parts[1], "run07", suffix="md")
    found = read_name(name, dict(zip(parts, (source, model), strict=True)))

    assert (found.what, found.source, found.process_model, found.run) == ("processed", source, model, 7)
    assert "/" not in name and not name.startswith((".", "_")) and len(name.encode()) <= 240
    assert all(len(part) <= 48 and "__" not in part and not part.endswith("_") for part in parts)


def test_two_models_of_one_id_are_told_apart() -> None:
    """By a tilde, which no part has otherwise."""
    assert {name_part("gpt", "one"), name_part("gpt", "two"), name_part("gpt~one")} == {"gpt~one", "gpt~two", "gpt%7Eone"}
