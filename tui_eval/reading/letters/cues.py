"""How a label looks in a reply, what only looks like one, and the words by which a reply declares one to be its answer."""

from __future__ import annotations

import re

_W = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
_FREE = rf"(?<![{_W}'’°/&+.\-])"
_AFTER_A = (
    "because|is|since|as|for|due|which|and|or|but|not|if|in|by|on|would|was|will|must|seems|given|based|although|though|"
    "are|should|could|can|has|appears|remains|fits|describes|states|says|matches"
)
_AFTER_I = "because|is|since|due|which|or|given|seems|appears|fits|describes|matches"
_NOT_PART = rf"(?![{_W}#^°%\\@]|['’.–-][{_W}]|[/&+](?![A-Z](?![{_W}]))| ?[=≈<>×])"
_CAPITAL = rf"(?:([B-HJ-Z]|A(?! (?!(?:{_AFTER_A})\b)[a-z0-9à-ÿ])|I(?! (?!(?:{_AFTER_I})\b)[a-z0-9à-ÿ])){_NOT_PART})"
_SMALL = r"""(?:([a-z])(?=[)\]]|[.!]?["'’”]{0,2}\Z|\.["'’”]?\n|(?<![ai])\n))"""
OPEN = r"""[(\[{"'“‘«<]{0,2}"""
CLOSE = r"""[)\]}"'”’»>]{0,2}"""
NAMED = r"(?:(?i:option|choice|answer|letter|statement) )?"
"""What may stand in front of a label, behind it, and before both, as parts of patterns."""

LABEL = re.compile(rf"{OPEN} ?(?:{_CAPITAL}|{_SMALL})")
"""A label where one is expected: a capital, or a small letter with a bracket or an end behind it."""
SECOND = re.compile(
    rf"{CLOSE}(?: ?[/&+] ?|,? (?i:or|and|and/or|oder|und|ou|et|y|nor) (?:(?i:also|maybe|possibly|perhaps|even|both) )?)"
    rf"{NAMED}{OPEN}{_CAPITAL}"
    rf"|{CLOSE}[,;] ?{NAMED}{OPEN}{_CAPITAL}(?={CLOSE}(?:[,;.]|\n|\Z| (?:and|or)\b))"
)
"""A second label beside the first; matched from the end of the first letter."""
STANDALONE = re.compile(rf"{_FREE}{_CAPITAL}")
"""A capital anywhere, unless it is an article, a pronoun or part of a word, a name or a formula."""
AROUND = " \n\"'“”‘’«»()[]{}<>.,:;!✅☑✔👉➡→•-–—"
"""Signs that may surround a label that stands alone."""

# Where an answer is declared.

_ADVERBS = (
    r"therefore|thus|hence|then|so|clearly|definitely|certainly|most likely|most probably|probably|likely|simply|actually|"
    r"indeed|still|just|only|obviously|in fact|now|either|between|both|of course|in my opinion|I think|I believe"
)
_NOUNS = r"(?:the |correct |right |best )*(?:option|choice|letter|answer|statement|opción|lettre|letra|lettera|Buchstabe)"
CUE = re.compile(
    r"(?i)(?<![a-z])(?P<praise>(?:(?:correct|right|best|final|true) ){0,2})"
    r"(?:(?P<noun>answers?|choice|option|selection|solution|letter|response)(?: (?:key|letter|choice|option))?"
    r"|(?P<foreign>antwort|lösung|respuesta|réponse|reponse|risposta|resposta|antwoord|odpowiedź|svaret|svar|ответ|jawaban|cevap|"
    r"đáp án|答案|答え|回答|正解|정답|답)(?: (?:correct[ae]|corretta|correta|final|finale))?[】\]]?)"
    r"(?: (?:to|for) (?:the|this|your|that) (?:question|problem|query))?(?: \([^()\n]{0,60}\))?"
    r"(?P<verb>,? ?(?<![a-z])(?:is|was|would be|will be|must be|should be|has to be|can only be|would have to be|seems to be|"
    r"appears to be|remains|ist|lautet|es|sería|est|serait|è|sarebbe|é|seria|är|adalah|là)"
    r"(?![a-z])|(?:应该是|應該是|应为|是|为|為|は|은|는)|(?<=answer)['’]s)?"
    r"(?P<mark>\s?(?:[:=→⇒➡]|-{1,2}>?|=>|[–—]))?"
    rf"(?:,?\s(?:{_ADVERBS}|{_NOUNS}|la|le|el)(?![\w-]),?:?){{0,4}}\s?(?:->|→|[-–—] )?\s?"
)
"""Words after which the answer is named, as in `The correct answer is therefore`."""
VERDICT = re.compile(
    rf"(?=[A-Zaco(])"
    rf"(?:{_FREE}{_CAPITAL}|(?i:(?<![a-z])(?:option|choice|answer) )[(\[]?([a-z])(?![{_W}])|(?<!\w)\(([a-z])(?=\)))"
    rf"{CLOSE}[.:]? "
    r"(?i:is|was|would be|must be|should be|has to be|seems|remains|seems to be|appears to be)"
    rf"(?: (?:{_ADVERBS}|the|my|our|one))* (?P<also>also )?(?:the )?(?:single |only )?"
    r"(?:correct(?P<correct> answer)?|right(?: answer| choice| option| one|(?=[.,!\n]|\Z))|best|(?P<answer>answer)"
    r"|most (?:likely|probable|accurate|appropriate|suitable|plausible|consistent|reasonable))"
    r"(?! distractor| guess|[a-z]| (?:only )?(?:if|when|for|about|but)\b)"
)
"""A label of which it is said that it is the answer, as in `B is the best choice`."""
PARTNER = re.compile(rf"{_FREE}{OPEN}[A-Z]{CLOSE},? ?(?:[/&,]|(?:and|or)|(?P<neither>nor)) ?{NAMED}{OPEN}\Z")
"""The end of a text before a label, where it has another label beside it."""
VERB = re.compile(
    r"(?i)(?<![a-z])(?:(?P<go_with>(?:go|going|went) (?:with|for)|vote for|settle on|leaning (?:to|towards?))"
    r"|(?P<select>select(?:ed|ing)?)|(?P<choose>cho(?:ose|osing|se)|pick(?:ed|ing)?|opt(?:ing)? for|say|guess)"
    r"|(?P<is_x>(?:it|that)(?:['’]s| is| must be| has to be| would be| should be)|corresponds? to|corresponding to|matches))"
    rf"(?: (?:{_ADVERBS}|{_NOUNS})(?![\w-])){{0,3}}:? (?=[^\s])"
)
"""Words by which a reply chooses, as in `I would go with`; the group that matched names the pattern."""
CLAUSE_END = re.compile(r"[.!?;,:\n]|\b(?i:but|so|then|therefore|thus|hence|however)\b")
DENIAL = re.compile(
    r"(?i)\b(?:not|never|cannot|no|nor|neither|if|whether|unless|suppose|assuming|incorrect|wrong|false|worst|least|except|"
    r"exclud(?:e|es|ing)|eliminat(?:e|es|ed|ing)|rules? out|ruled out|ruling out|unlike|rather than|"
    r"instead of|previous|initial|initially|tempting|nicht|keine)\b|n['’]t\b"
)
"""Words that take back, or only suppose, what follows them in a clause."""
DISMISSED = re.compile(
    rf"{CLOSE}[.:,]?(?: (?:also|therefore|clearly|thus|both|all))* (?i:is|are|was|can|could|does|seems|would|must|should)?"
    r"(?: (?:also|therefore|clearly|thus|be))* ?"
    r"(?i:not\b|n't|isn't|wrong|incorrect|false|ruled out|eliminated|out\b|can't|doesn't|cannot)"
)
"""What follows a label that is ruled out."""
