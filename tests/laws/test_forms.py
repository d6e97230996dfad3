"""Laws of forms: a config of any kind, taken through the form and saved, asks what it asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import ALL_SAMPLES, sample
from soaking import WIDEST_SAMPLES

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.fields import Field, read_text, typed_text
from tui_eval.configuring.drafting.planner import Planner
from tui_eval.configuring.drafting.schema import schema
from tui_eval.configuring.loading import load
from tui_eval.core.errors import Place
from tui_eval.workspace.places import Workspace


def confirm(draft: Draft, field: Field, place: Place = ()) -> int:
    """Type each value that stands in the draft once more, as the form shows it; how many there were."""
    value = draft.get(place) if place else draft.content
    if field.sort == "table" and isinstance(value, dict):
        assert set(value) <= {inner.key for inner in field.fields}, "a key that no form shows"
        return sum(confirm(draft, inner, (*place, inner.key)) for inner in field.fields if inner.key in value)
    if field.sort == "tables":
        each = Field(field.key, "table", fields=field.fields)
        return sum(confirm(draft, each, (*place, i)) for i in range(len(value)))
    draft.set(place, read_text(field, typed_text(field, value)))
    return 1


@pytest.mark.parametrize(("kind", "name"), WIDEST_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
def test_a_config_taken_through_the_form_asks_the_same(kind: str, name: str, tmp_path: Path) -> None:
    """Opened, every field confirmed, saved under another name: the same evaluation, and the counter says its plan."""
    loaded = sample(kind, name, tmp_path)
    draft = Draft.opened(tmp_path / "config.toml")
    assert confirm(draft, schema(draft.kind)) > 5 and not draft.changed
    draft.set(("name",), "again")
    draft.save(tmp_path / "again.toml")

    again = load(tmp_path / "again.toml", Workspace(tmp_path))

    a, b = again.evaluation, loaded.evaluation
    assert (a.config, a.files, a.models, a.repeat) == (b.config, b.files, b.models, b.repeat)
    assert (again.run, again.plan, again.tables) == (loaded.run, loaded.plan, loaded.tables)
    assert Planner(Workspace(tmp_path)).look(draft).plan == loaded.plan
