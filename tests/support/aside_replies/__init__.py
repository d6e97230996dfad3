"""The half of the generators that was set aside: other questions, endings, sentences and languages than the seen half."""

from __future__ import annotations

from letter_replies.model import Half, Wrapper

from aside_replies.endings import ENDINGS
from aside_replies.options import OPTION_SETS
from aside_replies.remarks import OPENERS, REMARKS
from aside_replies.wholes import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS

LABEL_WRAPPERS = (
    Wrapper("bold italics", "***", "***"),
    Wrapper("underlined italics", "_", "_"),
    Wrapper("bold brackets", "**(", ")**"),
    Wrapper("bracketed bold", "(**", "**)"),
    Wrapper("braces", "{", "}"),
    Wrapper("double square brackets", "[[", "]]"),
    Wrapper("low quotes", "„", "“"),
    Wrapper("spaced guillemets", "« ", " »"),
    Wrapper("corner quotes", "「", "」"),
    Wrapper("lenticular brackets", "【", "】"),
    Wrapper("full-width brackets", "（", "）"),
    Wrapper("curly single quotes", "‘", "’"),
    Wrapper("bold math", "$\\mathbf{", "}$"),
    Wrapper("roman math", "\\(\\mathrm{", "}\\)"),
    Wrapper("bold text", "\\textbf{", "}"),
    Wrapper("html em", "<em>", "</em>"),
    Wrapper("html mark", "<mark>", "</mark>"),
    Wrapper("html code", "<code>", "</code>"),
)
REPLY_WRAPPERS = (
    Wrapper("italics", "*", "*"),
    Wrapper("underlined bold", "__", "__"),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("guillemets", "« ", " »"),
    Wrapper("corner quotes", "「", "」"),
    Wrapper("tilde fence", "~~~\n", "\n~~~"),
    Wrapper("markdown fence", "```markdown\n", "\n```"),
    Wrapper("final tag", "<final>", "</final>"),
    Wrapper("response tag", "<response>\n", "\n</response>"),
    Wrapper("list item", "- ", ""),
    Wrapper("math text", "$\\text{", "}$"),
    Wrapper("html bold", "<b>", "</b>"),
    Wrapper("html break", "", "<br>"),
)
TOKENS = (
    Wrapper("llama 4 end", "", "<|eot|>"),
    Wrapper("llama 4 turn", "<|header_start|>assistant<|header_end|>\n\n", "<|eot|>"),
    Wrapper("tool end", "", "<|eom_id|>"),
    Wrapper("tool end, jamba", "", "<|eom|>"),
    Wrapper("openchat", "GPT4 Correct Assistant: ", "<|end_of_turn|>"),
    Wrapper("deepseek coder", "### Response:\n", "\n<|EOT|>"),
    Wrapper("kimi", "<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"),
    Wrapper("minimax", "", "[e~["),
    Wrapper("nemotron", "<extra_id_1>Assistant\n", "\n<extra_id_1>"),
    Wrapper("hunyuan", "", "<|eos|>"),
    Wrapper("hunyuan dense", "<｜hy_Assistant｜>", "<｜hy_place▁holder▁no▁2｜>"),
    Wrapper("smolvlm", "Assistant: ", "<end_of_utterance>"),
    Wrapper("dots", "<|response|>", "<|endofresponse|>"),
    Wrapper("megrez", "<|role_start|>assistant<|role_end|>", "<|turn_end|>"),
    Wrapper("gigachat", "assistant<|role_sep|>", "<|message_sep|>"),
    Wrapper("bailing", "<role>ASSISTANT</role>", "<|role_end|>"),
    Wrapper("apertus", "<|assistant_start|>", "<|assistant_end|>"),
    Wrapper("seed", "<seed:bos>assistant\n", "<seed:eos>"),
    Wrapper("phi 4", "<|im_start|>assistant<|im_sep|>", "<|im_end|>"),
    Wrapper(
        "harmony with thoughts",
        "<|channel|>analysis<|message|>The units matter.<|end|><|start|>assistant<|channel|>final<|message|>",
        "<|return|>",
    ),
    Wrapper("vicuna", "ASSISTANT: ", "</s>"),
    Wrapper("bert", "", "[SEP]"),
    Wrapper("padding", "<pad> ", "</s>"),
    Wrapper("padded", "", "</s><pad><pad><pad>"),
    Wrapper("glm observation", "", "<|observation|>"),
    Wrapper("chatglm", "[gMASK]<sop><|assistant|>\n", "<|user|>"),
    Wrapper("baichuan", "<reserved_107>", "</s>"),
    Wrapper("moss", "", "<eom>"),
    Wrapper("chatglm end", "", "<eop>"),
    Wrapper("file separator", "", "<|file_separator|>"),
    Wrapper("grok", "Assistant: ", "<|separator|>"),
    Wrapper("tool instruction", "[/INST]", "</s>"),
    Wrapper("thoughts", "<thinking>\nThe wording matters.\n</thinking>\n", ""),
    Wrapper("reasoning", "<reasoning>Look at the definition.</reasoning>\n", ""),
    Wrapper("next question", "", "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nThanks!"),
    Wrapper("gemma next turn", "", "<end_of_turn>\n<start_of_turn>user\nThank you!"),
    Wrapper("byte order mark", "\ufeff", ""),
    Wrapper("zero width", "\u200b", "\u200b"),
)  # fmt: skip

HALF = Half(
    "aside", OPTION_SETS, ENDINGS, REMARKS, OPENERS, RETRACTIONS, TURNS, JOINS, TEXT_ANSWERS, SILENCES, MIDDLES, VERDICTS,
    LABEL_WRAPPERS, REPLY_WRAPPERS, TOKENS,
)  # fmt: skip
