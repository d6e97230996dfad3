"""Sentences about single items of a run: one table, each tried by simulation in tests/laws/test_true_item_sentences.py."""

from __future__ import annotations

from typing import Final, Literal

ItemSentence = Literal["nobody", "effective", "look", "look_all", "few_models", "no_options", "by_chance", "flags", "left_out"]

ITEM_SENTENCES: Final[dict[ItemSentence, str]] = {
    "nobody": "{n} of {items} separate no two models ({right} all right, {wrong} all wrong)",
    "effective": "effective number of {items}: {n}",
    "look": "{n} of {models} chose {option}, the better ones more often (r {r}); key {key}",
    "look_all": "all {models} chose {option}; key {key}",
    "few_models": "no key is flagged: flags need 8 models, here are {models}",
    "no_options": "no key is flagged: flags rest on the options that models chose, and here are none",
    "left_out": "{models} left out: {reason} ({names})",
    "flags": "to look at, since the key may be wrong: {items}",
    "by_chance": "where all keys are right, chance flags about 1 {what} in {items} at {models} models (simulated exams)",
}


def say_of_items(name: ItemSentence, **fields: object) -> str:
    """Return a sentence of the table with its fields filled in."""
    return ITEM_SENTENCES[name].format(**fields)
