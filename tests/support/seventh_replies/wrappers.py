"""What may stand around a label, a declaring line, or any reply."""

from __future__ import annotations

from letter_replies.model import Wrapper

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("parens", "(", ")"),
    Wrapper("code", "`", "`"),
    Wrapper("quotes", '"', '"'),
    Wrapper("curly_quotes", "“", "”"),
    Wrapper("italic", "*", "*"),
    Wrapper("square", "[", "]"),
    Wrapper("bold_parens", "**(", ")**"),
    Wrapper("dollars", "$", "$"),
    Wrapper("dollar_text", r"$\text{", "}$"),
    Wrapper("paren_mathbf", r"\(\mathbf{", r"}\)"),
    Wrapper("bold_italic", "***", "***"),
    Wrapper("html_strong", "<strong>", "</strong>"),
)

REPLY_WRAPPERS = (
    Wrapper("quote", "> ", ""),
    Wrapper("bullet", "* ", ""),
    Wrapper("response_tag", "<response>", "</response>"),
    Wrapper("output_tag", "<output>\n", "\n</output>"),
    Wrapper("target", "🎯 ", ""),
    Wrapper("finger", "👉 ", ""),
    Wrapper("rule", "---\n", "\n---"),
    Wrapper("paragraph", "<p>", "</p>"),
)

TOKENS = (
    Wrapper("im_end", "", "<|im_end|>"),
    Wrapper("eot", "", "<|eot_id|>"),
    Wrapper("end_of_turn", "", "<end_of_turn>\n"),
    Wrapper("endoftext", "", "<|endoftext|>"),
    Wrapper("deepseek", "", "<｜end▁of▁sentence｜>"),
    Wrapper("sentence", "<s> ", " </s>"),
    Wrapper("inst", " [/INST] ", "</s>"),
    Wrapper("empty_think", "<think>\n\n</think>\n\n", ""),
    Wrapper("role", "assistant\n\n", ""),
    Wrapper("space", "\n\n  ", "\n\n\n"),
    Wrapper("final_channel", "<|channel|>final<|message|>", "<|return|>"),
)
