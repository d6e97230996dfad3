"""What --models leaves of a config's tables: lists, rows, single models, tables within tables; and what it cannot cut."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Role
from tui_eval.evaluation.config_references import asked_in, check_models, models, names, with_models
from tui_eval.evaluation.stage_models import ModelRow
from tui_eval.workspace.validation import Strict


class Inner(Strict):
    """A table of its own."""

    model: Annotated[str, names("model", stage="write")]
    reader: Annotated[str | None, names("model", stage="read")] = None


class Outer(Strict):
    """Every form in which a table can name models."""

    models: Annotated[list[str], Field(min_length=1), names("model", stage="answer")]
    rows: Annotated[list[ModelRow], asked_in("row")] = []
    inner: Inner | None = None
    judge: Annotated[str | None, names("model", stage="judge")] = None
    asker: Annotated[str | None, names("model", stage="ask", stays=True)] = None


class Needy(Outer):
    """One more, that cannot do without its model."""

    one: Annotated[str, names("model", stage="answer")]


def role_of(stage: str) -> Role:
    """Only one stage judges."""
    return "judge" if stage == "judge" else "answer"


TABLE = Outer(
    models=["a", "b"], rows=[ModelRow(model="b"), ModelRow(model="a", calls=2)], inner=Inner(model="a", reader="b"), judge="c"
)


def test_rows_go_with_their_models_and_judges_stay() -> None:
    """Of every place only what is named; a value that may be left out is left out, a judge is asked in any case."""
    cut = with_models(TABLE, "k", ["a"], role_of)

    assert (cut.models, [row.calls for row in cut.rows], cut.judge) == (["a"], [2], "c")
    assert cut.inner == Inner(model="a", reader=None)
    assert with_models(TABLE, "k", ["b"], role_of).inner is None


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (["b"], r"k\.one would be left without a model; name a as well"),
        (["c"], "this judge is always asked"),
        (["d"], r"the model of k\.asker is always asked"),
        (["z"], "k asks no model of that name; known are a, b"),
    ],
)
def test_what_cannot_be_cut_is_told(wanted: list[str], said: str) -> None:
    """A place that needs a model, a model that only judges, a name that nobody has."""
    with pytest.raises(ConfigError, match=said):
        with_models(Needy(models=["a", "b"], one="a", judge="c", asker="d"), "k", wanted, role_of)


def test_models_are_told_with_their_keys() -> None:
    """Each once, where it is named first; twice in one list is a mistake, in two places it is none."""
    assert models(TABLE, "k") == {"a": "k.models[0]", "b": "k.models[1]", "c": "k.judge"}
    check_models(TABLE, "k")
    with pytest.raises(ConfigError, match=r"k\.models: 'a' is named twice"):
        check_models(TABLE.model_copy(update={"models": ["a", "a"]}), "k")
