"""Laws of folded names: no two are alike, each can be recognized, and nothing is folded where there is room or one name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.plaintext import FOLDED, folded

PARTS = ("deepseek", "openai", "gpt-5", "r1", "claude-sonnet", "4.5", "mini", "preview-2026-11-26", "v3", "a", "é")
made_names = st.lists(
    st.tuples(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5), st.sampled_from("/-: .")).map(
        lambda drawn: drawn[1].join(drawn[0])
    ),
    min_size=1,
    max_size=12,
    unique=True,
)
any_names = st.lists(st.text(st.sampled_from("ab/- …"), min_size=1, max_size=30), min_size=1, max_size=12, unique=True)


def fits(shown: str, name: str) -> bool:
    """Whether the parts of a folded name stand in the whole one, in order, the last of them at its end."""
    place = 0
    for part in filter(None, shown.split(FOLDED)):
        found = name.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return shown.endswith(FOLDED) or name.endswith(shown.rsplit(FOLDED, 1)[-1])


@settings(few, max_examples=200)
@given(st.one_of(made_names, any_names), st.integers(0, 40))
def test_folded_names_are_distinct_and_recognizable(names: list[str], width: int) -> None:
    """Whatever they are, and however little room there is; where all fit, and of one alone, nothing is folded."""
    shown = folded(names, width)

    assert [*shown] == names and len({*shown.values()}) == len(names)
    assert all(len(text) <= len(name) + 1 for name, text in shown.items())
    if not any(FOLDED in name for name in names):
        assert all(fits(text, name) for name, text in shown.items())
    if all(len(name) <= width for name in names):
        assert all(text == name for name, text in shown.items())


@pytest.mark.parametrize(
    ("names", "width", "words"),
    [
        (["deepseek/deepseek-r1", "deepseek/deepseek-v3"], 16, ["…-r1", "…-v3"]),
        (["deepseek/deepseek-r1", "openai/gpt-5-mini"], 16, ["…/deepseek-r1", "…/gpt-5-mini"]),
        (["doer openai/gpt-5-mini", "judge openai/gpt-5-mini"], 19, ["doer …/gpt-5-mini", "judge …/gpt-5-mini"]),
        (["a/same-long-name", "b/same-long-name"], 12, ["a/sa…ng-name", "b/sa…ng-name"]),
        (["deepseek/deepseek-r1"], 40, ["deepseek/deepseek-r1"]),
        (["openrouter/some-provider/a-long-name-preview"], 99, ["openrouter/some-provider/a-long-name-preview"]),
        (["claude-sonnet-4.5-think", "claude-sonnet-4.5"], 12, ["….5-think", "….5"]),
        (["answer sim-scholar", "answer sim-rambler"], 12, ["…-scholar", "…-rambler"]),
        (["a-name-that-is-long", "another-one-as-long", "z"], 10, ["a-n…s-long", "ano…s-long", "z"]),
        ([], 5, []),
    ],
)
def test_what_names_are_folded_to(names: list[str], width: int, words: list[str]) -> None:
    """What all share, then owners, each with the sign that stood there; what would be alike stays whole."""
    shown = [*folded(names, width).values()]
    assert shown == words


def test_72_models_of_many_providers_fit_twenty_columns() -> None:
    """Each is another, and none is wider than the room there is."""
    names = [f"{owner}/{model}-{size}b-instruct-2026-11-{day:02}" for owner in ("meta-llama", "qwen", "mistralai")
             for model in ("llama-4", "qwen3-coder") for size in (8, 32, 70) for day in range(1, 5)]  # fmt: skip
    shown = folded(names, 20)
    assert len(names) == 72 and len({*shown.values()}) == 72 and max(map(len, shown.values())) <= 20, shown
