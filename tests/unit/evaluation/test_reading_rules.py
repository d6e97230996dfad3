"""What a kind says of the rules by which its replies are read is what its table takes."""

from __future__ import annotations

from typing import get_args

import pytest

from tui_eval.configuring.drafting.new_configs import rules_by_kind
from tui_eval.core.kinds import ReadingRules
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS

WITH_RULES = [(kind, kind.rules) for kind in KINDS.values() if kind.rules is not None]
IDS = [kind.name for kind, _ in WITH_RULES]


@pytest.mark.parametrize(("kind", "rules"), WITH_RULES, ids=IDS)
def test_every_rule_can_be_chosen(kind: Kind, rules: ReadingRules) -> None:
    """The key takes each shipped rule and the own one, and nothing else; what is left unread may go to each shipped one."""
    fields = kind.Config.model_fields

    assert get_args(fields[rules.key].annotation) == (*rules.shipped, rules.own)
    assert get_args(fields[rules.fallback].annotation) == ("none", *rules.shipped)
    assert rules.patterns in fields


@pytest.mark.parametrize(("kind", "rules"), WITH_RULES, ids=IDS)
def test_the_first_rule_is_the_usual_one(kind: Kind, rules: ReadingRules) -> None:
    """What a config means that says nothing of it."""
    fields = kind.Config.model_fields

    assert fields[rules.key].default == next(iter(rules.shipped))
    assert (fields[rules.fallback].default, fields[rules.patterns].default) == ("none", [])


def test_the_app_learns_of_them_from_the_kinds() -> None:
    """Whatever kinds there are, by their names."""
    assert rules_by_kind() == {kind.name: rules for kind, rules in WITH_RULES} != {}
