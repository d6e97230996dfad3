"""Words by which a simulated reply says that no answer is known to the simulator."""

CANNOT_KNOW = (
    "[simulated] This is the simulator that comes with tui-eval, not a language model. It knows only the questions of "
    "the shipped examples, so it cannot know the answer to this one. Choose a real model to get an answer."
)
