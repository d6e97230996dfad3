"""Options that a reply takes back, supposes or rules out: one place for every step that must not be fooled by them."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import CLAUSE_END, CLOSE, DENIAL, GROUP, SINGLE
from tui_eval.reading.letters.unsaid import called_wrong_before, denied_in_han, of_others, on_condition

_FORCED = re.compile(
    r"(?i)\bif (?:(?:I(?:['’]m| am|['’]d| were| was)? )?(?:forced|pressed|pushed|to|obliged|compelled|asked|made|had|have|"
    r"must|need)|"
    r"(?:absolutely )?(?:necessary|needed|required|forced|pressed))\b(?: to)?"
)
"""A condition that takes nothing back: `if I had to choose`."""
_OTHERS = re.compile(
    r"(?i)\b(?:one (?:might|may|could)|people|students|others|some|many|most|they|everyone|experts)(?: (?:would|might|may|"
    r"could|will|often|people|of them))*"
    r"(?: (?:say|choose|pick|guess|go (?:with|for)|select|answer|vote(?: for)?))? \Z"
)
"""Who chooses in place of the reply."""
_BEFORE = re.compile(
    r"(?i)(?:\b(?:not|never|nor|neither|none of|(?:rul(?:e|es|ed|ing)|cross(?:es|ed|ing)?|leav(?:e|es|ing)) (?:out|off)|"
    r"eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|discard(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|reject(?:s|ed|ing)?|"
    r"disqualif\w{1,6}|"
    r"cannot|rather than|instead of|unlike|nicht|weder|noch|kein\w{0,2}|pas|ni|niet|inte|ikke|nie|не|ni)|n['’]t)"
    r"(?: (?:be|have|the|options?|choices?|answers?|statements?|it|is|of|all|either|both|letters?|to|la|le|el|die))* ?\Z"
)
_AFTER = re.compile(
    rf"{CLOSE}[.:,]?(?: (?:also|therefore|clearly|thus|both|all|each|be|been|definitely|just|simply|obviously|plainly|is|"
    rf"are|was|goes|go|"
    r"were|can|could|do|does|did|has|have|would|should|must|seems?|looks?|this|that|the|an?|as well|est|es|ist|é|è|är|jest|"
    r"je|la|le|une|una|eine))*"
    r"(?: (?:(?:is|are|was|were|do|does|did|ca|could|would|wo|should)n['’]t|not|cannot|wrong|incorrect|false|impossible|"
    r"implausible|"
    r"unlikely|invalid|nonsense|nonsensical|absurd|irrelevant|inaccurate|untrue|unrelated|too|out|ruled|eliminated|excluded|"
    r"rejected|discarded|contradicts?|contradicted|fails?|off|falsch|faux|fausses?|incorrect[aoe]s?|fals[ao]s?|sbagliat[aoei]|"
    r"errad[ao]s?|неверн\w{1,2}|неправильн\w{1,3})\b|n['’]t\b| ?(?:不正确|不对|错误|错|錯|誤り|間違い))"
)


def denied(text: str, at: int) -> bool:
    """Return whether the clause in front of a place takes back, or only supposes, what is said there."""
    clause = CLAUSE_END.split(_FORCED.sub("", text[max(0, at - 80) : at]))[-1]
    return bool(DENIAL.search(clause) or _OTHERS.search(clause) or of_others(clause)) or called_wrong_before(text, at)


_INFINITIVE = re.compile(r"(?i)\bto \Z")
_OWN = re.compile(r"(?i)\b(?:I|we|me|my|us|best|safest|better|right|reasonable)\b")
_ENDS = re.compile(rf"{CLOSE}(?:[.,;:!)]|\n| (?:because|since|as)\b)")
_ABOUT_IT = re.compile(rf"{CLOSE}(?: here| instead)? (?:would|is|was|will|may|might|could|leads?|means?|seems?)\b")


_MODAL = re.compile(r"(?i)\b(?:might|may|could|often|usually|sometimes|who|whoever|anyone|anybody)(?: \w+ly)? \Z")


def of_anybody(text: str, verb: re.Match[str], end: int) -> bool:
    """Return whether a verb of choosing, whose label ends at a place, says what anybody may do: `it is wrong to choose C`."""
    before = text[max(0, verb.start() - 80) : verb.start()]
    if _MODAL.search(before):
        return not _OWN.search(CLAUSE_END.split(before)[-1])
    if _INFINITIVE.search(before):
        return not _OWN.search(CLAUSE_END.split(before)[-1])
    if not verb[0].lower().rstrip(": ").endswith("ing"):
        return False
    own = _OWN.search(CLAUSE_END.split(before)[-1])
    return _ABOUT_IT.match(text, end) is not None or (own is None and _ENDS.match(text, end) is None)


_SUPPOSES = re.compile(
    r"(?i)^(?:had|were|should) \w|(?:^|[,;:] |\b(?:but|and|so|only|even|that) )"
    r"(?:if|suppose|supposing|assuming|unless|wenn|falls|si|se|если)\b"
    r"[^.!?\n]{0,80}\b(?:were|was|had|did|could|would|weren['’]t|wasn['’]t|didn['’]t|meant|said|went|took|came|wäre|hätte|fuera|"
    r"était|fosse|[a-z]{2,}ed)\b"
)
_WOULD = re.compile(r"(?i)\b(?:(?:should|must) have|would|could|might|wäre|sería|serait|seria|sarebbe)\b")
_CONDITION = re.compile(rf"{CLOSE},? (?:only )?(?P<if>(?:if|had|were|unless|provided|wenn|falls|si|se|если)\b)")
_SENTENCE = re.compile(r"[.!?。\n]")


def supposed(text: str, start: int, end: int) -> bool:
    """Return whether what is said between two places depends on a condition that does not hold.

    For example `if it were ..., it would be`, or `it would be ... if it were`.
    """
    if denied_in_han(text, end) or on_condition(text, start, end):
        return True
    if not _WOULD.search(text, start, end):
        return False
    if (behind := _CONDITION.match(text, end)) and not _FORCED.match(text, behind.start("if")):
        return True
    sentence = _SENTENCE.split(_FORCED.sub("", text[max(0, start - 160) : start]))[-1]
    return bool(_SUPPOSES.search(sentence.lstrip()))


def dismissed_after(text: str, at: int) -> bool:
    """Return whether what stands behind a label rules it out."""
    return bool(_AFTER.match(text, at)) or denied_in_han(text, at)


_LIKEWISE = re.compile(r"(?i)\bso (?:is|are|was|were|does|do|did|must|can)(?: both| be)? ?[(\[\"'“]?\Z")
"""Words by which what was said of other options in the same sentence holds of these, too."""


def ruled_out(text: str) -> tuple[set[str], list[re.Match[str]]]:
    """The labels that a text rules out, one or several at a time, and the other places at which it names labels."""
    out: set[str] = set()
    other_groups = []
    until: int | None = None
    """Where the group before ends, if it was ruled out."""
    for group in GROUP.finditer(text):
        before = text[max(0, group.start() - 60) : group.start()]
        likewise = until is not None and _LIKEWISE.search(before) and not _SENTENCE.search(text, until, group.start())
        gone = _BEFORE.search(before) or _AFTER.match(text, group.end()) or likewise
        until = group.end() if gone else None
        if gone:
            out.update(each[1] for each in SINGLE.finditer(group[0]))
        else:
            other_groups.append(group)
    return out, other_groups
