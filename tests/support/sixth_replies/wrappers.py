"""What stands around labels and replies."""

from __future__ import annotations

from letter_replies.model import Wrapper

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italic", "*", "*"),
    Wrapper("underscores", "__", "__"),
    Wrapper("backticks", "`", "`"),
    Wrapper("parens", "(", ")"),
    Wrapper("brackets", "[", "]"),
    Wrapper("quotes", '"', '"'),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("single quotes", "'", "'"),
    Wrapper("dollars", "$", "$"),
    Wrapper("text in dollars", "$\\text{", "}$"),
    Wrapper("bold parens", "**(", ")**"),
    Wrapper("html bold", "<b>", "</b>"),
    Wrapper("latex inline", "\\(\\mathbf{", "}\\)"),
)

REPLY_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italic", "*", "*"),
    Wrapper("quotes", '"', '"'),
    Wrapper("quote", "> ", ""),
    Wrapper("bullet", "- ", ""),
    Wrapper("heading", "## ", ""),
    Wrapper("fence", "```\n", "\n```"),
    Wrapper("text fence", "```text\n", "\n```"),
    Wrapper("answer tags", "<answer>", "</answer>"),
    Wrapper("output tags", "<output>\n", "\n</output>"),
    Wrapper("check", "✅ ", ""),
    Wrapper("rules", "---\n", "\n---"),
    Wrapper("conclusion", "### Conclusion\n\n", ""),
    Wrapper("spaces", "  ", "\n\n"),
)

TOKENS = (
    Wrapper("eos", "", "</s>"),
    Wrapper("chatml end", "", "<|im_end|>"),
    Wrapper("chatml", "<|im_start|>assistant\n", "<|im_end|>\n"),
    Wrapper("llama", "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    Wrapper("endoftext", "", "<|endoftext|>"),
    Wrapper("gemma", "<start_of_turn>model\n", "<end_of_turn>"),
    Wrapper("deepseek", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    Wrapper("empty think", "<think>\n\n</think>\n\n", ""),
    Wrapper("short think", "<think>\nOkay, let me read the question carefully before I reply.\n</think>\n\n", ""),
    Wrapper("assistant", "Assistant: ", ""),
    Wrapper("response", "### Response:\n", ""),
    Wrapper("newlines", "\n\n", "\n\n\n"),
)
