"""The seen half of the generators: what a rule may be mended with."""

from __future__ import annotations

from letter_replies.model import Half, Wrapper
from letter_replies.seen_endings import ENDINGS
from letter_replies.seen_options import OPTION_SETS
from letter_replies.seen_remarks import OPENERS, REMARKS
from letter_replies.seen_replies import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italics", "*", "*"),
    Wrapper("underlined bold", "__", "__"),
    Wrapper("brackets", "(", ")"),
    Wrapper("square brackets", "[", "]"),
    Wrapper("double quotes", '"', '"'),
    Wrapper("single quotes", "'", "'"),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("guillemets", "«", "»"),
    Wrapper("code", "`", "`"),
    Wrapper("math", "$", "$"),
    Wrapper("math text", "$\\text{", "}$"),
    Wrapper("html bold", "<b>", "</b>"),
    Wrapper("html strong", "<strong>", "</strong>"),
)
REPLY_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("quotes", '"', '"'),
    Wrapper("German quotes", "„", "“"),
    Wrapper("fence", "```\n", "\n```"),
    Wrapper("named fence", "```text\n", "\n```"),
    Wrapper("answer tag", "<answer>", "</answer>"),
    Wrapper("paragraph", "<p>", "</p>"),
    Wrapper("block quote", "> ", ""),
    Wrapper("boxed text", "\\boxed{\\text{", "}}"),
    Wrapper("heading", "### ", ""),
)
TOKENS = (
    Wrapper("chatml end", "", "<|im_end|>"),
    Wrapper("chatml turn", "<|im_start|>assistant\n", "<|im_end|>\n"),
    Wrapper("end of text", "", "<|endoftext|>"),
    Wrapper("end of text twice", "", "<|endoftext|><|endoftext|>"),
    Wrapper("llama 3 end", "", "<|eot_id|>"),
    Wrapper("llama 3 turn", "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    Wrapper("llama 3 text end", "<|begin_of_text|>", "<|end_of_text|>"),
    Wrapper("llama 2 end", "", "</s>"),
    Wrapper("llama 2 turn", "[/INST] ", " </s>"),
    Wrapper("sentence", "<s> ", "</s>"),
    Wrapper("gemma end", "", "<end_of_turn>"),
    Wrapper("gemma turn", "<start_of_turn>model\n", "<end_of_turn>\n"),
    Wrapper("gemma eos", "", "<eos>"),
    Wrapper("phi end", "", "<|end|>"),
    Wrapper("phi turn", "<|assistant|>\n", "<|end|>\n<|endoftext|>"),
    Wrapper("command-r end", "", "<|END_OF_TURN_TOKEN|>"),
    Wrapper("command-r turn", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
    Wrapper("deepseek end", "", "<｜end▁of▁sentence｜>"),
    Wrapper("deepseek turn", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    Wrapper("harmony", "<|channel|>final<|message|>", "<|return|>"),
    Wrapper("harmony turn", "<|start|>assistant<|channel|>final<|message|>", "<|end|>"),
    Wrapper("glm turn", "<|assistant|>\n", "<|user|>"),
    Wrapper("granite", "<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>"),
    Wrapper("exaone", "[|assistant|]", "[|endofturn|]"),
    Wrapper("internlm", "", "<eoa>"),
    Wrapper("thinking", "<think>\nThe units matter here. It is one of them.\n</think>\n\n", ""),
    Wrapper("thinking, empty", "<think>\n\n</think>\n\n", ""),
    Wrapper("thinking, no beginning", "The units matter here.\n</think>\n\n", ""),
    Wrapper("spaces", "  \n", " \n\n"),
    Wrapper("next turn", "", "<|im_end|>\n<|im_start|>user\nThank you."),
)

HALF = Half(
    "seen", OPTION_SETS, ENDINGS, REMARKS, OPENERS, RETRACTIONS, TURNS, JOINS, TEXT_ANSWERS, SILENCES, MIDDLES, VERDICTS,
    LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS,
)  # fmt: skip
