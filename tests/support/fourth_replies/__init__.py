"""The fourth half of the generators, by someone who had seen neither the rule nor the other halves' material.

It prefers what models of common families send often, English first.
"""

from __future__ import annotations

from letter_replies.model import Half, Wrapper

from fourth_replies.endings import ENDINGS
from fourth_replies.options import OPTION_SETS
from fourth_replies.remarks import OPENERS, REMARKS
from fourth_replies.wholes import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italics", "*", "*"),
    Wrapper("code", "`", "`"),
    Wrapper("double quotes", '"', '"'),
    Wrapper("single quotes", "'", "'"),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("square brackets", "[", "]"),
    Wrapper("html bold", "<b>", "</b>"),
    Wrapper("boxed math", "$\\boxed{", "}$"),
    Wrapper("boxed", "\\boxed{", "}"),
    Wrapper("math", "$", "$"),
    Wrapper("math text", "\\(\\text{", "}\\)"),
)
REPLY_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("fence", "```\n", "\n```"),
    Wrapper("quoted line", "> ", ""),
    Wrapper("heading", "## ", ""),
    Wrapper("double quotes", '"', '"'),
    Wrapper("answer tag", "<answer>", "</answer>"),
    Wrapper("final answer tag", "<final_answer>\n", "\n</final_answer>"),
    Wrapper("bullet", "- ", ""),
    Wrapper("arrow", "→ ", ""),
    Wrapper("pointer", "👉 ", ""),
    Wrapper("tick", "✅ ", ""),
    Wrapper("spaces", " ", " \n"),
)
_NEXT = "\n\nQuestion: What is the capital of Peru?\nA. Lima\nB. Quito\nC. Bogotá\nD. La Paz\nAnswer:"
TOKENS = (
    Wrapper("chatml end", "", "<|im_end|>"),
    Wrapper("chatml", "<|im_start|>assistant\n", "<|im_end|>\n"),
    Wrapper("llama 3 end", "", "<|eot_id|>"),
    Wrapper("llama 3 turn", "", "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"),
    Wrapper("sentence end", " ", "</s>"),
    Wrapper("gemma end", "", "<end_of_turn>"),
    Wrapper("text end", "", "<|endoftext|>"),
    Wrapper("deepseek end", "", "<｜end▁of▁sentence｜>"),
    Wrapper("phi end", "", "<|end|>"),
    Wrapper("thoughts", "<think>\nOkay, let's see. The question asks which one is right.\n</think>\n\n", ""),
    Wrapper("empty thoughts", "<think>\n\n</think>\n\n", ""),
    Wrapper("harmony", "<|channel|>final<|message|>", "<|return|>"),
    Wrapper("instruction end", "[/INST] ", "</s>"),
    Wrapper("base model goes on", "", _NEXT),
    Wrapper("base model goes on and answers", "", _NEXT + " A"),
    Wrapper("base model asks on", "", "\n\nQ: What is 2 + 2?\nA: 4"),
    Wrapper("next user", "", "\n\nUser: Thank you!"),
)

HALF = Half(
    "fourth", OPTION_SETS, ENDINGS, REMARKS, OPENERS, RETRACTIONS, TURNS, JOINS, TEXT_ANSWERS, SILENCES, MIDDLES, VERDICTS,
    LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS,
)  # fmt: skip
