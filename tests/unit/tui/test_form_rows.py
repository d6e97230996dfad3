"""A form shows every field there is, what each holds, and what is wrong at the row where it can be mended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.fields import Field
from tui_eval.configuring.drafting.schema import schema
from tui_eval.tui.widgets.form_rows import FormRow, Place, default_words, field_at, form_rows, kind_words, problem_of, summary
from tui_eval.workspace.places import shipped

EXAMPLES = sorted(shipped("examples").glob("*.toml"))


def unfolded(table: Field, draft: Draft) -> list[FormRow]:
    """All rows, with everything unfolded that can be."""
    opened: frozenset[Place] = frozenset()
    while True:
        rows = form_rows(table, draft, [()], opened)
        more = opened | {row.place for row in rows if row.sort in ("table", "entry")}
        if more == opened:
            return rows
        opened = more


def leaves(content: object, place: Place = ()) -> Iterator[Place]:
    """Where values stand in a config; a list of texts is one value."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from leaves(value, (*place, key))
    elif isinstance(content, list) and content and all(isinstance(entry, dict) for entry in content):
        for index, entry in enumerate(content):
            yield from leaves(entry, (*place, index))
    else:
        yield place


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_value_of_a_config_stands_in_a_row(path: Path) -> None:
    """Whatever a config holds is reached by unfolding, and its row says that it is given."""
    draft = Draft.opened(path)
    given = {row.place for row in unfolded(schema(draft.kind), draft) if row.given and row.sort == "value"}
    assert set(leaves(draft.content)) == given


@pytest.mark.parametrize("kind", ["panel", "choice"])
def test_every_field_of_a_kind_is_a_row(kind: str) -> None:
    """An empty config reaches every field that no list of entries holds; each says what may be typed, and helps."""
    draft = Draft.new(kind, Path())
    table = schema(kind)
    rows = {row.place: row for row in unfolded(table, draft)}

    def fields(of: Field, place: Place = ()) -> Iterator[tuple[Place, Field]]:
        for field in of.fields:
            yield (*place, field.key), field
            if field.sort == "table":
                yield from fields(field, (*place, field.key))

    for place, field in fields(table):
        assert rows[place].field == field == field_at(table, place)
        assert field.help
        assert kind_words(field)
        assert default_words(field)


def test_a_mistake_is_told_at_its_row_or_at_what_is_folded_over_it() -> None:
    """The row of the place, else the folded entry around it, and no other row."""
    draft = Draft.new("panel", Path())
    draft.add(("panel", "doers"), {"model": "a"})
    problems: dict[Place, str] = {("panel", "doers", 0, "calls"): "too many"}
    places: list[Place] = [("panel", "doers")]
    folded = form_rows(schema("panel"), draft, places, frozenset())
    assert [(row.place, problem_of(row, problems)) for row in folded if problem_of(row, problems)] == [
        (("panel", "doers", 0), "too many")
    ]
    opened = form_rows(schema("panel"), draft, places, frozenset({("panel", "doers", 0)}))
    assert [row.place for row in opened if problem_of(row, problems)] == [("panel", "doers", 0, "calls")]


def test_an_entry_is_told_in_one_line() -> None:
    """Its first value, then the others with their names."""
    doers = schema("panel").field("panel").field("doers")
    assert summary(doers, {"model": "scholar", "calls": 2, "temperature": 0.5}) == "scholar  calls 2  temperature 0.5"
