"""Tables of a config for stages whose output can be brought: the key `from` names an earlier run, or files made elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, create_model, field_validator, model_validator

from tui_eval.evaluation.config_references import names
from tui_eval.workspace.validation import Strict

FROM = "from"
"""The key of a stage's table that names what an earlier run made of it; no Python name, so that getattr reads it."""


def from_files(role: str, asked: str, *inside: str) -> type[Strict]:
    """A table with the key `from`, for files of this role. `asked`: the key that names the models where the stage is asked.

    `inside`: which files of a folder or a run are meant. ValueError for a table with both keys or none.
    """
    said = (
        "What stands in this stage's place: a run by its id, a folder, or files that were made elsewhere. Empty = it is asked."
    )
    held: Any = Annotated[list[str], names("files", role=role, place=role, inside=inside), Field(description=said)]
    fields: dict[str, Any] = {FROM: (held, [])}

    def one_of_both(table: Any) -> Any:
        if isinstance(table, dict) and bool(table.get(asked)) == bool(table.get(FROM)):
            raise ValueError(f"give {asked} or from, and not both; leave out the whole table to leave out the stage")
        return table

    checks: dict[str, Any] = {
        "one_or_many": field_validator(FROM, mode="before")(_one_or_many),
        "one_of_both": model_validator(mode="before")(one_of_both),
    }
    return create_model("FromFiles", __base__=Strict, __module__=__name__, __validators__=checks, **fields)


def made_before(table: Strict | None) -> list[str]:
    """The files that stand in a stage's place."""
    found: list[str] = getattr(table, FROM, [])
    return found


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value
