"""`[[scorers]]` as people write it: names and tables, and an error with the next step for whatever is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.rule import digest_of
from tui_eval.evaluation.scoring.scorer_table import ScorerSettings, headline_of, row_of, rule_of
from tui_eval.workspace.toml_files import parse_toml
from tui_eval.workspace.validation import validate, written_out

EVERY = [name for name in RULES if name not in ("bleu", "chrf", "math")]
"""Rules that need no extra."""
NEEDED: dict[str, dict[str, str]] = {"llm": {"model": "mini"}, "python": {"python": "scorers.py:python"}}
"""Keys that a rule cannot do without."""


def parsed(text: str) -> ScorerSettings:
    """A config's table, or a ConfigError."""
    config = parse_toml(Path("config.toml"), text)
    return validate(ScorerSettings, config.content, config, ())


def test_names_and_tables_may_be_mixed() -> None:
    """A name alone is the rule with its defaults; a table has `use` and the options beside it."""
    short = parsed('scorers = ["number", "contains"]')
    long = parsed('[[scorers]]\nuse = "number"\n[[scorers]]\nuse = "contains"\n')
    mixed = parsed('scorers = ["number", { use = "f1", threshold = 0.5, not = true, weight = 2 }]')

    assert short == long
    assert [(row.metric_name, row.weight, row.negated) for row in mixed.scorers] == [("number", 1, False), ("not_f1", 2, True)]


@pytest.mark.parametrize("name", EVERY)
def test_what_is_written_out_is_read_again(name: str) -> None:
    """A resolved config holds the same rows, whatever the rule."""
    table = ScorerSettings.model_validate({"scorers": [{"use": name, "name": "mine", "weight": 2.0, **NEEDED.get(name, {})}]})
    wide = {"scorers": [{"use": "json", "schema": {"type": "object"}, "not": True, "extract": {"after": "JSON:"}}, "exact"]}

    assert ScorerSettings.model_validate(written_out(table)) == table
    assert ScorerSettings.model_validate(written_out(ScorerSettings.model_validate(wide))) == ScorerSettings.model_validate(
        wide
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('"numbr"', "did you mean 'number'?"),
        ('{ use = "number", tolerence = 1 }', "tolerence: unknown key; did you mean 'tolerance'?"),
        ('{ use = "exact", nott = true }', "did you mean 'not'?"),
        ('{ use = "number", tolerance = -1.0 }', "greater than or equal to 0"),
        ('{ use = "number", locale = "ger" }', "there is no locale 'ger'"),
        ('{ use = "f1", not = true }', "set one"),
        ('{ use = "f1", threshold = 2.0 }', "must be from 0 to 1, not 2"),
        ('{ use = "exact", threshold = 1.0 }', "leave the threshold out"),
        ('{ use = "exact", weight = 0 }', "greater than 0"),
        ('{ use = "exact", name = "my metric" }', "name"),
        ('{ use = "exact", ignore = ["Case"] }', "ignore[0]: must be 'case'"),
        ('{ use = "regex", pattern = "(a" }', "no regular expression at character 1"),
        ('{ use = "exact", extract = "bocks" }', "'bocks' is not a way to extract"),
        ('{ use = "exact", extract = "after" }', 'write { after = "..." }'),
        ('{ use = "exact", extract = { regx = "a" } }', "did you mean 'regex'?"),
        ('{ use = "exact", extract = { regex = "(a" } }', "no regular expression"),
        ('{ use = "exact", extract = { json = "a[" } }', "items[0].name"),
        ('{ use = "json", schema = { "$ref" = "https://example.org/s.json" } }', "nothing is retrieved"),
        ('{ use = "json", schema = { "$ref" = "#/$defs/nowhere" } }', "but there is nothing"),
        ('{ use = "json", schema = { type = "objekt" } }', "is not a JSON Schema at type"),
        ('{ use = "json", schema = { "$schema" = "https://example.org/draft" } }', "an unsupported draft"),
        ('{ use = "json", values = ["a..b"] }', "is not a path"),
        ('{ use = "length", headline = true }', "cannot be the headline"),
        ('{ use = "latency_s", extract = "boxed" }', "leave it out"),
        ('{ use = "is_refusal", languages = ["tlh"] }', "no list for 'tlh'"),
        ('{ tolerance = 1 }', 'a table with use = "number"'),
        ("3", 'such as "number"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line_and_the_next_step(row: str, said: str) -> None:
    """Unknown names and keys with the nearest one, values with what they may be, faults of patterns and schemas."""
    with pytest.raises(ConfigError) as error:
        parsed(f"scorers = [{row}]")

    assert said in str(error.value) and str(error.value).startswith("config.toml:1: scorers[0]: ")


def test_names_are_unique_and_one_leads() -> None:
    """Two rows of a rule need a name; the headline is the row that says so, else the first that may be one."""
    with pytest.raises(ConfigError, match=r"two scorers are called 'exact'.*name = \"exact_2\""):
        parsed('scorers = ["exact", "exact"]')
    with pytest.raises(ConfigError, match="headline"):
        parsed('scorers = [{ use = "exact", headline = true }, { use = "f1", headline = true }]')

    rows = parsed('scorers = ["length", "f1", { use = "exact", headline = true }]').scorers

    assert [headline_of(each).use if headline_of(each) else None for each in (rows, rows[:2], rows[:1])] == [
        "exact",
        "f1",
        None,
    ]


def test_every_rule_is_declared_whole() -> None:
    """A name, a line for people, a scale, and a metric that follows from it; what measures never leads."""
    for name, rule in RULES.items():
        assert rule.name == name and 10 < len(rule.says) < 100 and rule.scale[0] < rule.scale[1]
        assert rule.is_rate <= (rule.scale == (0, 1) and rule.better == "higher")
        row = rule.row.model_validate({"use": name, **NEEDED.get(name, {})})
        options = f" {digest_of(row.options)}" if name in NEEDED else ""
        assert rule.metric(row).name == name and rule.version_of(row) == f"{name}/{rule.version}{options}"
        assert rule.metric(row).threshold == (1.0 if rule.is_rate else None)
    assert {name for name, rule in RULES.items() if not rule.may_lead} == {"length", "latency_s", "cost_usd"}
    assert {name for name, rule in RULES.items() if rule.is_fenced} == {"math"}


def test_the_version_tells_ways_of_scoring_apart() -> None:
    """`extract`, options and `not` make another version; name, weight, threshold and headline do not."""

    def version(**keys: Any) -> str:
        row = row_of({"use": "number", **keys})
        return rule_of(row).version_of(row)

    same = {version(), version(name="a"), version(weight=3.0), version(headline=True), version(tolerance=0.0)}
    other = [version(extract="boxed"), version(tolerance=1.0), version(**{"not": True}), version(extract={"after": "####"})]

    assert same == {"number/1"} and len({*other}) == 4 and other[0] == "number/1 boxed" and other[3] == "number/1 after '####'"


def test_the_sample_of_the_docs_is_taken() -> None:
    """The tables of docs/scoring.md are configs as they stand."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "scoring.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```toml\n")[1:]]

    assert len(blocks) >= 2
    for block in blocks:
        assert ScorerSettings.model_validate(tomllib.loads(block)).scorers
