"""What models are told in each stage, and the prompts that stages bring as files of a person's own."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.inputs import Inputs, text_of
from tui_eval.reading.prompts import missing_slots

PROMPTS: Mapping[str, tuple[str, ...]] = {
    "transcribe_page": (),
    "summarize_text": ("text",),
    "questions_text": ("text", "categories_json"),
    "questions_image": ("categories_json",),
    "answer_from_text": ("text", "questions"),
    "answers_reminder": ("ids",),
    "judge_system": (),
    "judge_answer": ("question", "reference", "flag", "answer"),
    "reminder": (),
}
OWN_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "process_prompt": ("transcribe_page", "summarize_text"),
    "questions_prompt": ("questions_text", "questions_image"),
    "answers_prompt": ("answer_from_text",),
    "judge_prompt": ("judge_answer",),
}
"""Which prompts a prompt_file stands for, by its role."""


def own_prompts(inputs: Inputs) -> dict[str, str]:
    """The prompts that stages bring as files; a place that they do not have for what they must show is put behind them."""
    found = {}
    for role, names in OWN_PROMPTS.items():
        for file in inputs.of(role):
            text = text_of(file, inputs.keys[role]).strip()
            if not text:
                raise ConfigError(f"{inputs.keys[role]}: {file.name}: empty")
            for name in names:
                lacking = missing_slots(text, PROMPTS[name])
                if "categories_json" in lacking:
                    why = "has no {categories_json}; put it where the categories should stand"
                    raise ConfigError(f"{inputs.keys[role]}: {file.name}: {why}")
                found[name] = "\n\n".join([text, *(_block(slot) for slot in lacking)])
    return found


def _block(slot: str) -> str:
    """A place for what a prompt has to show, and, behind the last, the form of the reply."""
    form = {
        "questions": 'Reply with JSON of this form: {"answers": [{"id": 1, "answer": "..."}]}',
        "answer": 'On a scale from 0 to 5. Reply with JSON of this form: {"reason": "...", "score": n}',
    }
    shown = "{flag}" if slot == "flag" else f"[{slot.upper()}]\n{{{slot}}}\n[/{slot.upper()}]"
    return f"{shown}\n\n{form[slot]}" if slot in form else shown
