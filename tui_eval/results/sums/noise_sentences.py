"""Every sentence that says what repeats of a run show: one table, each tried by simulation.

tests/laws/test_true_noise_sentences.py draws planted truths for each of them; a sentence without a trial fails there.
"""

from __future__ import annotations

from typing import Final, Literal

NoiseSentence = Literal[
    "no_drift",
    "floor",
    "floor_below",
    "oftener",
    "red",
    "red_at",
    "catches",
    "catches_none",
    "strict",
    "builds_once",
    "some",
    "judges_alone",
    "no_gate",
    "of_both",
    "upper_bound",
]

NOISE_SENTENCES: Final[dict[NoiseSentence, str]] = {
    "no_drift": "a repeat today does not see a provider's drift: what changes from week to week is not in these figures",
    "floor": "Noise floor: two builds of one model over {n} differ by less than this in 19 of 20",
    "floor_below": "below {high}: too little changed to say more",
    "oftener": "of builds that ask each {item} k times it is 1/√k of that",
    "red": "an unchanged build is red in about {builds} of 100 {interval}",
    "red_at": "a build of models that score on average what these two builds did is red in about {builds} of 100 {interval}",
    "catches": "it catches, 4 times in 5: {drops}",
    "catches_none": "of {models} it can catch no {drop} 4 times in 5 ({n})",
    "strict": "what is not shown to be no worse fails: no drop is named",
    "builds_once": "the gate is tried on builds that ask each {item} once",
    "some": "{items} of {all} were asked again, and stand for all of them",
    "judges_alone": "its answers were asked of nobody in it: this is the noise of its judges alone",
    "no_gate": "gate: it demands nothing of scores, so that repeats say nothing of it",
    "of_both": "of what is judged it is the noise of model and judge together",
    "upper_bound": "repeats have their options in other orders, two builds in the same: it is an upper bound",
}


def say_noise(name: NoiseSentence, **fields: object) -> str:
    """A sentence of the table with its fields filled in."""
    return NOISE_SENTENCES[name].format(**fields)
