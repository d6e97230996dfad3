"""Ends of a reply proper: special tokens of chat templates, the next question as base models write it, or words of a user."""

from __future__ import annotations

import re

from tui_eval.reading.letters.outcome import LetteredOptions
from tui_eval.reading.letters.plain import words_of

# Special tokens of chat templates that a server left in a reply. Sources: the chat templates that models publish with their
# tokenizers (ChatML of Qwen, Yi, InternLM and others; Llama 2, 3 and 4; Gemma; Phi; Mistral; Command R; DeepSeek; gpt-oss;
# GLM; Granite; Falcon; EXAONE; Kimi; MiniMax; Nemotron; Hunyuan).
_ROLES = r"(?:system|developer|user|human|assistant|model|bot|chatbot|tool|observation|environment|ipython)"
_BARRED = r"<[|｜](?![^|｜<>\n]{0,40}box[|｜]>)[^|｜<>\n]{1,40}[|｜]>|\[[|｜][^|｜\[\]\n]{1,40}[|｜]\]"
"""`<|im_end|>`, `<｜end▁of▁sentence｜>`, `[|endofturn|]`; not the tokens around a boxed answer, which declare it."""
_NAMED = (
    r"</?(?![^<>\n]*(?:answer|choice))(?:[A-Za-z]+[_:]\w+|[se]|sep|role|turn|bos|eos|pad|unk|mask|sop|eo[a-z]|endoftext)>|</?turn\|>|<\|turn>|<</?SYS>>"
    r"|\[/[A-Za-z_]+\]|\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|g?MASK|SEP|CLS|EOS|BOS|PAD|UNK)\]"
    r"|\[e~\[|\]~!?b\[(?=\w|\])"
)
"""Tokens in angle brackets, whose names are of two parts or a few letters, and those that stand in square brackets."""
_TOKEN = re.compile(rf"(?:{_BARRED}|{_NAMED})")
_HALF = re.compile(r"<(?:[|｜][^|｜<>\n]{0,40}[|｜]?|/[A-Za-z_]{0,20}|[a-z_]{1,20})\Z")
"""A token or a closing tag that a reply breaks off in."""
_ROLE_AT = re.compile(rf"\s{{0,2}}({_ROLES}|ai)\b(?: name=\w+)?(?=[ \t]*(?:\n|\Z|:|<|\[))[ \t]*:?", re.IGNORECASE)
_HEAD = re.compile(r"\W{0,6}(?:\w{1,12} ){0,2}(?:assistant|chatbot|response|bot|ai)[ \t]*(?::|\n|\Z)", re.IGNORECASE)
"""Whose turn it is, in words that a template puts before a reply: `GPT4 Correct Assistant:`, `### Response:`."""
_OPENS = re.compile(
    r"(?i)start|header|im_middle|role|user|assistant|system|tool|human|model|turn_token|\]~|bos|message|turn>|extra|begin|bot"
)
_OF_OTHERS = re.compile(r"(?i)user|human|system|developer|tool|observation|environment|ipython|\[INST\]")
_NEXT_TURN = re.compile(r"(?<=\S)\n\s{0,4}(?:#{1,4} ?)?(?:Human|User|USER|Instruction|HUMAN)[ \t]*:")
"""Where a reply goes on with what somebody else says."""
_MAY_BE = re.compile(r"<[|｜/<a-zA-Z]|\[[|｜/A-Zeg]|\]~")


_OPENED = re.compile(r"(?:\A|\s)(?:[*_$(\[{<|\\#\"“„«]{1,4}|`{1,2}|-|\d{1,2}\.)\s*\Z")


def breaks_off_in_marks(text: str) -> bool:
    """Return whether a reply ends in half a token or tag, or in a mark that opens something and stands alone."""
    end = text[-60:].rstrip()
    return _HALF.search(end) is not None or (_OPENED.search(end) is not None and not _closes(text))


def _closes(text: str) -> bool:
    """Return whether the mark that a text ends in closes what one like it opened."""
    mark = text.split()[-1] if text.split() else ""
    return mark in ("$$", "**", "__", "|", '"') and text.count(mark) % 2 == 0


def without_chat_tokens(text: str) -> str:
    """Return the reply without special tokens; a line end stands where one was.

    What follows a token that opens a turn of somebody else is dropped where a reply stands before it: the model went on
    with a conversation of its own making.
    """
    if not _MAY_BE.search(text):
        return _without_head(text)
    parts: list[str] = []
    place = 0
    has_text = False
    text = _HALF.sub("", text.rstrip())
    for token in _TOKEN.finditer(text):
        parts.append(text[place : token.start()])
        has_text = has_text or bool(parts[-1].strip())
        place = token.end()
        role = _ROLE_AT.match(text, place) if _OPENS.search(token[0]) else None
        if has_text and _OF_OTHERS.search(role[1] if role else token[0]):
            return _without_head("\n".join(parts))
        place = role.end() if role else place
        place += text.startswith(":", place)
    return _without_head("\n".join([*parts, text[place:]]) if parts else text)


def _without_head(text: str) -> str:
    """Return the reply without the name of the role that speaks, unless it says nothing else."""
    if turn := _NEXT_TURN.search(text):
        text = text[: turn.start()]
    head = _HEAD.match(text)
    return text[head.end() :] if head and text[head.end() :].strip() else text


_ANSWER = r"(?:the )?(?:correct |final )?(?:answer|antwort|respuesta|réponse|risposta|resposta|ответ|答案|答え|정답|a) ?:"
_ITEM = r"(?:[(\[]?[a-z][.):\]] ?[^\n]{1,400}\n)"
_BLOCK = re.compile(
    rf"(?i)\n(?P<head>(?![(\[]?[a-z][.):\]] )[^\n]{{1,600}})\n(?P<options>(?=[(\[]?a[.):\]]){_ITEM}{{2,26}}){_ANSWER}"
)
"""A question, its options, and the words before its answer."""
_ASKED = re.compile(
    rf"(?i)\n(?:q|question|frage|pregunta|问题|問題|问)(?: ?#?\d{{1,4}})? ?[:.] ?[^\n]{{1,600}}\n{_ANSWER}(?P<said>[^\n]*)"
)
"""A question without options, and the words before its answer."""
_TURN = re.compile(r"\n(?P<who>User|Human|Student|USER|HUMAN) ?:(?=\s|\Z)")
_TITLE = re.compile(r"(?i)\n(?:next )?(?:question|problem|exercise|example|frage|pregunta)\b[^\n]{0,12}\Z")
_OPTION = re.compile(r"(?im)^[(\[]?[a-z][.):\]] ?(.+)$")


def without_next_question(text: str, question: LetteredOptions) -> str:
    """The text up to the first new question with its own options or answer, or to the first turn of a user.

    A question whose options are those asked about is the one that the reply answers. Options that are not known could be
    the same.
    """
    if not question.texts:
        return text
    ends = [turn.start() for turn in _TURN.finditer(text) if not _is_option(turn["who"], question)][:1]
    ends += [match.start() for match in _ASKED.finditer(text) if not _is_option(match["said"], question)][:1]
    ends += [block.start() for block in _BLOCK.finditer(text) if not _is_same(block["options"], question)][:1]
    if not ends:
        return text
    reply = text[: min(ends)]
    title = _TITLE.search(reply)
    reply = (reply[: title.start()] if title else reply).rstrip()
    return reply or text


def _is_option(words: str, question: LetteredOptions) -> bool:
    plain_words = words_of(words)
    return any(plain_words and f"{option} ".startswith(f"{plain_words} ") for option in question.texts)


def _is_same(lines: str, question: LetteredOptions) -> bool:
    """Return whether the options listed are those of the question, or some of them."""
    listed_options = [f"{words_of(option)} " for option in _OPTION.findall(lines)]
    return any(words.startswith(f"{option} ") for words in listed_options for option in question.texts if option)
