"""Special tokens of chat templates that a server left in a reply: ends of turns, heads of turns, channels, padding.

Sources: the chat templates that models publish with their tokenizers (ChatML of Qwen, Yi, InternLM and others; Llama 2, 3
and 4; Gemma; Phi; Mistral; Command R; DeepSeek; gpt-oss; GLM; Granite; Falcon; EXAONE; Kimi; MiniMax; Nemotron; Hunyuan).
"""

from __future__ import annotations

import re

_ROLES = r"(?:system|developer|user|human|assistant|model|bot|chatbot|tool|observation|environment|ipython)"
_BARRED = r"<[|｜](?![^|｜<>\n]{0,40}box[|｜]>)[^|｜<>\n]{1,40}[|｜]>|\[[|｜][^|｜\[\]\n]{1,40}[|｜]\]"
"""`<|im_end|>`, `<｜end▁of▁sentence｜>`, `[|endofturn|]`; not the tokens around a boxed answer, which declare it."""
_NAMED = (
    r"</?(?:s|bos|eos|eop|sop|seed:bos|seed:eos|pad|unk|eoa|eoh|eot|eom|eod|mask|end_of_turn|start_of_turn|end_of_utterance|extra_id_\d{1,3}|turn|"
    r"end_of_text|endoftext|BOS_TOKEN|EOS_TOKEN)>|</?turn\|>|<\|turn>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\]"
    r"|<</?SYS>>|\[e~\[|\]~!?b\[(?=\w|\])|\[(?:SEP|CLS)\]|\[EOS\]|\[BOS\]|\[PAD\]"
)
_TOKEN = re.compile(rf"(?:{_BARRED}|{_NAMED})")
_ROLE_AT = re.compile(rf"\s{{0,2}}({_ROLES})\b(?=[ \t]*(?:\n|\Z|:|<|\[))[ \t]*:?", re.IGNORECASE)
_OPENS = re.compile(r"(?i)start|header|im_middle|role|user|assistant|system|tool|human|model|turn_token|\]~|bos|message|turn>")
_OF_OTHERS = re.compile(r"(?i)user|human|system|developer|tool|observation|environment|ipython|\[INST\]")
_MAY_BE = re.compile(r"<[|｜/<a-zA-Z]|\[[|｜/A-Ze]|\]~")


def without_chat_tokens(text: str) -> str:
    """Return the reply without special tokens; a line end stands where one was.

    What follows a token that opens a turn of somebody else is dropped where a reply stands before it: the model went on
    with a conversation of its own making.
    """
    if not _MAY_BE.search(text):
        return text
    parts: list[str] = []
    place = 0
    has_text = False
    for token in _TOKEN.finditer(text):
        parts.append(text[place : token.start()])
        has_text = has_text or bool(parts[-1].strip())
        place = token.end()
        role = _ROLE_AT.match(text, place) if _OPENS.search(token[0]) else None
        if has_text and _OF_OTHERS.search(role[1] if role else token[0]):
            return "\n".join(parts)
        place = role.end() if role else place
    return "\n".join([*parts, text[place:]]) if parts else text
