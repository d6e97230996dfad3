"""The third half of the generators, by someone who had not seen the rule: `HALF` for work, and `KEPT`, to count on only.

Every list is split by place within each language: even places to `HALF`, odd ones to `KEPT`; what a language has once, both
have. Nobody mends the rule by examples of `KEPT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from letter_replies.model import Half, Wrapper

from third_replies.endings import ENDINGS
from third_replies.options import OPTION_SETS
from third_replies.remarks import OPENERS, REMARKS
from third_replies.wholes import JOINS, MIDDLES, RETRACTIONS, SILENCES, TEXT_ANSWERS, TURNS, VERDICTS

Item = TypeVar("Item")

LABEL_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("italics", "*", "*"),
    Wrapper("code", "`", "`"),
    Wrapper("double quotes", '"', '"'),
    Wrapper("single quotes", "'", "'"),
    Wrapper("curly quotes", "“", "”"),
    Wrapper("square brackets", "[", "]"),
    Wrapper("bold code", "**`", "`**"),
    Wrapper("html bold", "<b>", "</b>"),
    Wrapper("html strong", "<strong>", "</strong>"),
    Wrapper("math", "$", "$"),
    Wrapper("math text", "$\\text{", "}$"),
    Wrapper("inline math", "\\(", "\\)"),
    Wrapper("underline", "<u>", "</u>"),
    Wrapper("highlight", "==", "=="),
    Wrapper("underlined bold", "__", "__"),
    Wrapper("small caps", "\\textsc{", "}"),
    Wrapper("boxed", "$\\boxed{", "}$"),
    Wrapper("black brackets", "【", "】"),
    Wrapper("double angle", "《", "》"),
    Wrapper("angle brackets", "<", ">"),
    Wrapper("quoted bold", '"**', '**"'),
    Wrapper("single guillemets", "‹", "›"),
    Wrapper("bracketed bold", "[**", "**]"),
    Wrapper("box of glm", "<|begin_of_box|>", "<|end_of_box|>"),
)
REPLY_WRAPPERS = (
    Wrapper("bold", "**", "**"),
    Wrapper("double quotes", '"', '"'),
    Wrapper("fence", "```\n", "\n```"),
    Wrapper("text fence", "```text\n", "\n```"),
    Wrapper("quoted line", "> ", ""),
    Wrapper("heading", "### ", ""),
    Wrapper("answer tag", "<answer>", "</answer>"),
    Wrapper("output tag", "<output>\n", "\n</output>"),
    Wrapper("bullet", "* ", ""),
    Wrapper("dot bullet", "• ", ""),
    Wrapper("numbered", "1. ", ""),
    Wrapper("empty lines", "\n\n\n", "\n\n\n"),
    Wrapper("spaces", "    ", "   "),
    Wrapper("parentheses", "(", ")"),
    Wrapper("code", "`", "`"),
    Wrapper("rule", "---\n", "\n---"),
)
TOKENS = (
    Wrapper("chatml", "<|im_start|>assistant\n", "<|im_end|>"),
    Wrapper("chatml end", "", "<|im_end|>"),
    Wrapper("chatml ends twice", "", "<|im_end|>\n<|im_end|>"),
    Wrapper("chatml next turn", "", "<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>"),
    Wrapper("llama 3", "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    Wrapper("llama 3 end", "", "<|eot_id|>"),
    Wrapper("llama 3 begin", "<|begin_of_text|>", "<|end_of_text|>"),
    Wrapper("llama 2", "[/INST] ", " </s>"),
    Wrapper("llama 2 begin", "<s> ", "</s>"),
    Wrapper("llama 2 next turn", "", " </s><s>[INST] Thank you [/INST]"),
    Wrapper("gemma", "<start_of_turn>model\n", "<end_of_turn>"),
    Wrapper("gemma end", "", "<end_of_turn>\n"),
    Wrapper("gemma eos", "", "<eos>"),
    Wrapper("phi 3", "<|assistant|>\n", "<|end|>"),
    Wrapper("phi 3 end", " ", "<|end|>"),
    Wrapper("zephyr", "<|assistant|>\n", "</s>"),
    Wrapper("tulu", "<|assistant|>\n", "<|endoftext|>"),
    Wrapper("gpt 2", "", "<|endoftext|>"),
    Wrapper("command r", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
    Wrapper("command a", "<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    Wrapper("command a thoughts", "<|START_THINKING|>Let me think.<|END_THINKING|><|START_RESPONSE|>", "<|END_RESPONSE|>"),
    Wrapper("deepseek", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    Wrapper("deepseek end", "", "<｜end▁of▁sentence｜>"),
    Wrapper("deepseek no thoughts", "<｜Assistant｜></think>", "<｜end▁of▁sentence｜>"),
    Wrapper("deepseek coder", "", "\n<|EOT|>"),
    Wrapper("empty thoughts", "<think>\n\n</think>\n\n", ""),
    Wrapper("thoughts", "<think>\nOkay, the user wants a single letter. Easy enough.\n</think>\n\n", ""),
    Wrapper("thoughts, no begin", "Okay, the user wants a single letter. Easy enough.\n</think>\n\n", ""),
    Wrapper("magistral", "[THINK]I should recall the definition.[/THINK]", "</s>"),
    Wrapper("kimi thoughts", "◁think▷I should recall the definition.◁/think▷", "<|im_end|>"),
    Wrapper("harmony", "<|start|>assistant<|channel|>final<|message|>", "<|return|>"),
    Wrapper("harmony short", "<|channel|>final<|message|>", "<|end|>"),
    Wrapper("harmony without marks", "analysisWe need to answer with one option.assistantfinal", ""),
    Wrapper("granite", "<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>"),
    Wrapper("granite thoughts", "<think>The definition decides.</think><response>", "</response>"),
    Wrapper("exaone", "[|assistant|]", "[|endofturn|]"),
    Wrapper("exaone end", "", "[|endofturn|]"),
    Wrapper("internlm", "", "<eoa>"),
    Wrapper("internlm bot", "<|Bot|>:", "<eoa>"),
    Wrapper("glm 4", "[gMASK]<sop>", ""),
    Wrapper("glm", "<|assistant|>\n", "<|user|>"),
    Wrapper("alpaca", "### Response:\n", ""),
    Wrapper("alpaca next turn", "", "\n\n### Instruction:\nExplain."),
    Wrapper("dolly", "### Response:\n", "\n\n### End"),
    Wrapper("solar", "### Assistant:\n", "</s>"),
    Wrapper("vicuna next turn", "", "</s>USER: Thanks."),
    Wrapper("human next turn", "", "\n\nHuman: Thank you."),
    Wrapper("stablelm", "<|ASSISTANT|>", "<|endoftext|>"),
    Wrapper("reka", "assistant: ", " <sep>"),
    Wrapper("ernie", "<response>\n", "\n</response>\n"),
    Wrapper("ernie end", "", "<|end_of_sentence|>"),
    Wrapper("seed thoughts", "<seed:think>The definition decides.</seed:think>", "<seed:eos>"),
    Wrapper("minimax", "<beginning_of_sentence>ai name=assistant\n", "<end_of_sentence>\n"),
    Wrapper("afm", "", "<turn_end>"),
    Wrapper("padding", "<pad><pad>", ""),
    Wrapper("padding behind", "", "<|pad|><|pad|>"),
    Wrapper("padding of llama", "", "<|finetune_right_pad_id|>"),
    Wrapper("unknown", "<unk>", "</s>"),
    Wrapper("bos", "<bos>", "<eos>"),
    Wrapper("mistral", "[/INST]", "</s></s>"),
    Wrapper("byte order mark", "\ufeff", "\n"),
    Wrapper("carriage returns", "\r\n", "\r\n"),
    Wrapper("word joiner", "\u2060", ""),
    Wrapper("starling", "GPT4 Correct Assistant: ", "<|end_of_turn|>"),
    Wrapper("open assistant", "<|assistant|>", "<|prompter|>"),
    Wrapper("llama tools", "<|python_tag|>", "<|eom_id|>"),
)  # fmt: skip


def _split(items: Iterable[Item], place: int, group: Callable[[Item], str]) -> tuple[Item, ...]:
    """Of each group every other item, from this place; of a group of one that one."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(group(item), []).append(item)
    return tuple(item for members in groups.values() for item in (members[place::2] if len(members) > 1 else members))


def _half(name: str, place: int) -> Half:
    """The items of even places, or of odd ones."""
    return Half(
        name,
        _split(OPTION_SETS, place, lambda options: options.language),
        _split(ENDINGS, place, lambda ending: ending.language),
        _split(REMARKS, place, lambda phrase: phrase.language),
        _split(OPENERS, place, lambda phrase: phrase.language),
        _split(RETRACTIONS, place, lambda phrase: phrase.language),
        _split(TURNS, place, lambda phrase: phrase.language),
        _split(JOINS, place, lambda phrase: phrase.language),
        _split(TEXT_ANSWERS, place, lambda phrase: phrase.language),
        _split(SILENCES, place, lambda phrase: phrase.language),
        _split(MIDDLES, place, lambda phrase: phrase.language),
        _split(VERDICTS, place, lambda verdict: verdict[0]),
        _split(LABEL_WRAPPERS, place, lambda _: ""),
        _split(REPLY_WRAPPERS, place, lambda _: ""),
        _split(TOKENS, place, lambda _: ""),
    )


HALF = _half("third", 0)
"""For work: whoever mends the rule may look at what it gets wrong here."""
KEPT = _half("kept", 1)
"""Kept: only counts are published; nobody is to see an example of it."""
