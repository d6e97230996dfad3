"""What may stand around labels and replies."""

from __future__ import annotations

from letter_replies.model import Wrapper

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italic", "*", "*"),
    Wrapper("underscores", "__", "__"),
    Wrapper("bold italic", "***", "***"),
    Wrapper("code", "`", "`"),
    Wrapper("parens", "(", ")"),
    Wrapper("bold parens", "**(", ")**"),
    Wrapper("brackets", "[", "]"),
    Wrapper("double quotes", '"', '"'),
    Wrapper("single quotes", "'", "'"),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("dollars", "$", "$"),
    Wrapper("latex text", r"$\text{", "}$"),
    Wrapper("latex bold", r"$\mathbf{", "}$"),
    Wrapper("latex parens", r"\(", r"\)"),
    Wrapper("html bold", "<b>", "</b>"),
    Wrapper("html strong", "<strong>", "</strong>"),
)

REPLY_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italic", "*", "*"),
    Wrapper("heading", "## ", ""),
    Wrapper("small heading", "#### ", ""),
    Wrapper("quote", "> ", ""),
    Wrapper("bullet", "- ", ""),
    Wrapper("star bullet", "* ", ""),
    Wrapper("code block", "```\n", "\n```"),
    Wrapper("text block", "```text\n", "\n```"),
    Wrapper("answer tags", "<answer>", "</answer>"),
    Wrapper("answer tags on lines", "<answer>\n", "\n</answer>"),
    Wrapper("paragraph tags", "<p>", "</p>"),
    Wrapper("quotes", '"', '"'),
    Wrapper("check mark", "✅ ", ""),
    Wrapper("pointing hand", "👉 ", ""),
    Wrapper("rule above", "---\n\n", ""),
    Wrapper("space before", " ", ""),
    Wrapper("blank lines", "\n\n", "\n"),
)

TOKENS = (
    Wrapper("s", "", "</s>"),
    Wrapper("s both", "<s> ", " </s>"),
    Wrapper("im_end", "", "<|im_end|>"),
    Wrapper("im both", "<|im_start|>assistant\n", "<|im_end|>"),
    Wrapper("eot_id", "", "<|eot_id|>"),
    Wrapper("llama header", "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    Wrapper("endoftext", "", "<|endoftext|>"),
    Wrapper("end_of_text", "", "<|end_of_text|>"),
    Wrapper("end_of_turn", "", "<end_of_turn>\n"),
    Wrapper("end", "", "<|end|>"),
    Wrapper("assistant", "<|assistant|>\n", ""),
    Wrapper("deepseek", "", "<｜end▁of▁sentence｜>"),
    Wrapper("empty thought", "<think>\n\n</think>\n\n", ""),
    Wrapper("short thought", "<think>\nOkay, the user wants me to answer a multiple-choice question.\n</think>\n\n", ""),
)
