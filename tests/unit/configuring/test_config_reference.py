"""The reference of configs: the page is what the settings say today, and programs are told what people are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tui_eval.configuring.config_reference import as_json, commented, reference
from tui_eval.configuring.drafting.schema import schema
from tui_eval.core.errors import ConfigError
from tui_eval.kinds import KINDS
from tui_eval.workspace.validation import Strict

PAGE = Path(__file__).resolve().parents[3] / "docs" / "config.md"


def test_the_page_is_what_the_settings_say() -> None:
    """docs/config.md is never edited by hand: scripts/docs writes it."""
    assert PAGE.read_text(encoding="utf-8") == reference(), "run scripts/docs"


def test_the_page_has_every_setting() -> None:
    """A settings class that no schema leads to would be known to nobody. The table of a cluster has a page of its own."""
    page = reference() + (Path(__file__).resolve().parents[3] / "docs" / "scale.md").read_text(encoding="utf-8")
    classes = [table for table in Strict.__subclasses__() if table.__module__.startswith("tui_eval.")]

    named = [(table, field.alias or name) for table in classes for name, field in table.model_fields.items()]
    missing = [(table, name) for table, name in named if not re.search(rf"\b{name}(`|\])", page)]

    assert classes
    assert missing == []


@pytest.mark.parametrize("kind", KINDS)
def test_programs_are_told_the_same(kind: str) -> None:
    """As JSON: each key once, by its path, with the kind's own default, and an example where there is none."""
    told = json.loads(json.dumps(as_json(kind)))
    keys = {entry["key"]: entry for entry in told["keys"]}

    assert told["kind"] == kind and len(keys) == len(told["keys"])
    assert keys["run.retries"]["default"] == KINDS[kind].defaults.retries
    assert keys["models[].price.input"] | {"help": ""} == {
        "key": "models[].price.input", "type": "number", "help": "", "default": None, "example": 0.25, "required": True,
        "choices": [], "choice_words": [], "least": 0, "most": None, "above": False, "names": "",
    }  # fmt: skip
    tables = {key for key in keys for other in keys if other.startswith((f"{key}.", f"{key}[]."))}
    assert all(keys[key]["default"] is not None or keys[key]["example"] is not None for key in keys.keys() - tables)
    assert {f"{kind}.{field.key}" for field in schema(kind).field(kind).fields} <= {key.removesuffix("[]") for key in keys}


def test_an_unknown_kind_names_the_nearest() -> None:
    """A typo is answered by what was meant."""
    with pytest.raises(ConfigError, match="did you mean 'choice'"):
        commented("choise")
