"""What may stand around a label, a short reply, or any reply."""

from letter_replies.model import Wrapper

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italic", "*", "*"),
    Wrapper("bold italic", "***", "***"),
    Wrapper("code", "`", "`"),
    Wrapper("parens", "(", ")"),
    Wrapper("bold parens", "**(", ")**"),
    Wrapper("quotes", '"', '"'),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("math text", "$\\text{", "}$"),
    Wrapper("math bold", "$\\mathbf{", "}$"),
    Wrapper("inline math", "\\(", "\\)"),
    Wrapper("boxed", "$\\boxed{", "}$"),
    Wrapper("html bold", "<b>", "</b>"),
)

REPLY_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("quote", "> ", ""),
    Wrapper("heading", "### ", ""),
    Wrapper("bullet", "- ", ""),
    Wrapper("double quotes", '"', '"'),
    Wrapper("fence", "```\n", "\n```"),
    Wrapper("paragraph", "<p>", "</p>"),
    Wrapper("rule", "---\n", "\n---"),
    Wrapper("blank", "\n\n  ", "\n"),
)

TOKENS = (
    Wrapper("im_end", "", "<|im_end|>"),
    Wrapper("eos", "", "</s>"),
    Wrapper("eot", "", "<|eot_id|>"),
    Wrapper("turn", "", "<end_of_turn>"),
    Wrapper("endoftext", "", "<|endoftext|>"),
    Wrapper("deepseek", "", "<｜end▁of▁sentence｜>"),
    Wrapper("empty think", "<think>\n\n</think>\n\n", ""),
    Wrapper("assistant", "Assistant: ", ""),
    Wrapper("chatml", "<|im_start|>assistant\n", "<|im_end|>"),
    Wrapper("llama header", "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    Wrapper("channel", "<|channel|>final<|message|>", "<|return|>"),
    Wrapper("bos", "<s> ", " </s>"),
)
