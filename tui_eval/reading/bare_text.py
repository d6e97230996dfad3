"""A text without its mark-up, and what only looks different in one form: what two texts say, however they are set."""

from __future__ import annotations

import html
import re
import unicodedata

from tui_eval.reading.folding import DASHES, INVISIBLE, QUOTES, SOFT_HYPHEN

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t]*+\|?+(?:[ \t]*+:?-+:?[ \t]*+\|)+(?:[ \t]*+:?-+:?[ \t]*+)?$", re.MULTILINE)
_BEGINNING = re.compile(
    r"^[ \t]*(?:>[ \t]?)*(?:#{1,6}(?=[ \t])|[-*+•◦▪‣·](?=[ \t]))?[ \t]*(?:\[[ xX]\](?=[ \t]))?", re.MULTILINE
)
_HEADING_END = re.compile(r"(?<![ \t])[ \t]++#++[ \t]*+$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
_TAG = re.compile(
    r"</?(?:a|abbr|article|b|big|blockquote|body|br|caption|center|code|col|colgroup|dd|del|div|dl|dt|em|figcaption|figure|font"
    r"|footer|h[1-6]|head|header|hr|html|i|img|ins|kbd|li|main|mark|nav|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub"
    r"|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var)\b[^<>\n]{0,500}>|<!--.{0,2000}?-->",
    re.IGNORECASE | re.DOTALL,
)
_WITHIN_A_LINE = re.compile(
    r"</?(?:a|abbr|b|big|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var)\b", re.IGNORECASE
)
_EMPHASIS = re.compile(r"(?<![\w\\])(?:[*_`]|~~)+(?=\S)|(?<=[^\s\\])(?:[*_`]|~~)+(?!\w)|(?<=\w)\*\*(?=\w)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~>$])")
_HYPHENATED = re.compile(rf"{SOFT_HYPHEN}\s*")


def bare(text: str) -> str:
    """The text's own words: Markdown and HTML off, NFKC, one kind of quotation mark and of dash, no soft hyphens and nothing
    invisible, white space collapsed. Small and capital letters stay what they are.

    Takes off marks alone, never what stands between them: link texts, code and cells of tables stay.
    """
    text = _HYPHENATED.sub("", text)
    if any(sign in text for sign in "<&"):
        text = html.unescape(_TAG.sub(lambda tag: "" if _WITHIN_A_LINE.match(tag[0]) else " ", text))
    text = without_marks(text)
    return " ".join("".join(map(_one_form, unicodedata.normalize("NFKC", text))).split())


def without_marks(text: str) -> str:
    """A text without the marks of Markdown; its lines stay."""
    for each in (_FENCE, _RULE, _TABLE_RULE):
        text = each.sub("", text)
    text = _BEGINNING.sub("", text)
    text = _HEADING_END.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub("", text)
    return _ESCAPED.sub(r"\1", text.replace("|", " "))


def _one_form(sign: str) -> str:
    if sign in INVISIBLE:
        return ""
    return "-" if sign in DASHES else "'" if sign in QUOTES else sign
