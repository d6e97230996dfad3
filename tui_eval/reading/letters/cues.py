"""The looks of a label in a reply, what only looks like one, and the words by which a reply declares one to be its answer."""

from __future__ import annotations

import re

from tui_eval.reading.letters.languages import JOINS
from tui_eval.reading.letters.small import for_small

_W = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
_FREE = rf"(?<![{_W}'’°/&+.\-])"
_AFTER_A = (
    "because|is|since|as|for|due|which|and|or|but|not|if|in|by|on|would|was|will|must|seems|given|based|although|though|"
    "are|should|could|can|has|appears|remains|fits|comes|describes|states|says|matches|does|doesn|isn|cannot|contradicts|fails|looks|"
    "rather|over|instead|here|it is|then|so|holds|stands|survives|works"
)
_AFTER_I = "because|is|since|due|which|or|given|seems|appears|fits|describes|matches"
_NOT_PART = rf"(?![{_W}#^°%\\@]|['’.–-][{_W}]|[/&+](?![A-Z](?![{_W}]))| ?[=≈<>×])"
_CAPITAL = rf"(?:([B-HJ-Z]|A(?! (?!(?:{_AFTER_A})\b)[a-z0-9à-ÿ])|I(?! (?!(?:{_AFTER_I})\b)[a-z0-9à-ÿ])){_NOT_PART})"
_SMALL = r"""(?:([a-z])(?=[)\]]|[.!]?["'’”]{0,2}\Z|\.["'’”]?\n|(?<![ai])\n|,? (?:because|since)\b))"""
OPEN = r"""[(\[{"'“‘«<]{0,2}"""
CLOSE = r"""[)\]}"'”’»>]{0,2}"""
NAMED = r"(?:(?i:option|choice|answer|letter|statement) )?"
"""What may stand in front of a label, behind it, and before both, as parts of patterns."""

LABEL = re.compile(rf"{OPEN} ?(?:{_CAPITAL}|{_SMALL})")
"""A label where one is expected: a capital, or a small letter with a bracket or an end behind it."""
SECOND = re.compile(
    rf"{CLOSE}(?: ?[/&+] ?|,? (?i:or|and|and/or|as well as|oder|und|ou|et|y|nor) "
    rf"(?:(?i:also|maybe|possibly|perhaps|even|both) )?)"
    rf"{NAMED}{OPEN}{_CAPITAL}"
    rf"|{CLOSE}[,;] ?{NAMED}{OPEN}{_CAPITAL}(?={CLOSE}(?:[,;.]|\n|\Z| (?:and|or)\b))"
    rf"|{CLOSE} (?:{JOINS}) {NAMED}{OPEN}{_CAPITAL}(?={CLOSE}(?:[,;.!?]|\n|\Z))"
    rf"|{CLOSE}\s?(?:或者?|和|与|與|及|、|と|か|または|또는|와|과)\s?{OPEN}{_CAPITAL}"
)
"""A second label beside the first; matched from the end of the first letter."""
STANDALONE = re.compile(rf"{_FREE}{_CAPITAL}")
"""A capital anywhere, unless it is an article, a pronoun or part of a word, a name or a formula."""
SINGLE = re.compile(rf"(?<![{_W}'’/&+\-.])([A-Z])(?![{_W}#^°%\\@]|['’.–-][{_W}])")
"""A capital that stands alone, articles and pronouns included."""
_BESIDE = rf"(?:,? ?[/&] ?|, ?(?:and |or |nor )?| (?:and|or|nor|und|et|y|oder|ou|o|ni|e) ){NAMED}{OPEN}"
GROUP = re.compile(rf"{_FREE}{_CAPITAL}(?:{CLOSE}{_BESIDE}[A-Z](?![{_W}'’])){{0,25}}")
"""One label, or several that are named together."""
INVISIBLE = " \t\r\n\u200b\u200c\u200d\u2060\ufeff"
"""White space, and signs of no width, at the ends of a reply."""
AROUND = " \n\"'“”‘’«»()[]{}<>.,:;!✅☑✔👉➡→•-–—"
"""Signs that may surround a label that stands alone."""

# Where an answer is declared.

_ADVERBS = (
    r"therefore|thus|hence|then|so|clearly|definitely|certainly|most likely|most probably|probably|likely|simply|actually|"
    r"indeed|still|just|only|obviously|in fact|now|either|between|both|of course|in my opinion|I think|I believe"
)
_NOUNS = r"(?:the |correct |right |best )*(?:option|choice|letter|answer|statement|opción|lettre|letra|lettera|Buchstabe)"
CUE = for_small(
    r"(?i)(?<![a-z])(?P<praise>(?:(?:correct|right|best|final|true) ){0,2})"
    r"(?:(?P<noun>answers?|choice|option|selection|solution|letter|response|verdict|conclusion|ans|one(?= is| was| would| must|"
    r" should))(?: (?:key|letter|choice|option))?(?: to (?:mark|choose|pick|select))?"
    r"|(?P<foreign>antwort|lösung|respuesta|réponse|reponse|risposta|resposta|antwoord|odpowiedź|svaret|svar|ответ|jawaban|"
    r"cevab(?:ım|ı)|cevap|"
    r"đáp án|答案|答え|回答|正解|정답|답)(?: (?:correct[ae]|corretta|correta|final|finale))?(?P<closed>[】\]])?)"
    r"(?: here)?(?: (?:to|for) (?:the|this|your|that) (?:question|problem|query))?(?: \((?![A-Z]\))[^()\n]{0,60}\))?"
    r"(?P<verb>,? ?(?<![a-z])(?:is|was|would be|will be|must be|should be|has to be|can only be|would have to be|seems to be|"
    r"(?:must|should|would|could only) have been|"
    r"appears to be|remains|ist|lautet|es|sería|est|serait|è|sarebbe|é|seria|är|adalah|là)"
    r"(?![a-z])|(?:应该是|應該是|应为|是|为|為|は|은|는)|(?<=answer)['’]s)?"
    r"(?P<mark>\s?(?:(?<=ans)\.:?|[:=→⇒➡]|-{1,2}>?|=>|[–—]))?"
    rf"(?:,?\s(?:{_ADVERBS}|{_NOUNS}|la|le|el)(?![\w-]),?:?){{0,4}}\s?(?:->|→|[-–—] )?\s?"
)
"""Words after which the answer is named, as in `The correct answer is therefore`; for texts in small letters (`small`)."""
_DENIES = (
    r"[^.!?\n]{0,120}\b(?:not|never|no|wrong|incorrect|false|fails?|ruled|eliminat\w+|exclud\w+|contradict\w*|cannot|"
    r"without|lack\w*|"
    r"left|remain\w*|but)\b|[^.!?\n]{0,120}n['’]t\b"
)
VERDICT = re.compile(
    rf"(?=[A-Zaco(])"
    rf"(?:{_FREE}{_CAPITAL}|(?i:(?<![a-z])(?:option|choice|answer) )[(\[]?([a-z])(?![{_W}])|(?<!\w)\(([a-z])(?=\)))"
    rf"{CLOSE}[.:]? "
    r"(?i:is|was|would be|must be|should be|has to be|seems|remains|seems to be|appears to be|comes|fits|matches(?= best))"
    rf"(?: (?:{_ADVERBS}|the|my|our|one))* (?P<also>also )?(?:the )?(?:single |only )?"
    r"(?:correct(?P<correct> answer)?|right(?: answer| choice| option| one|(?=[.,!\n]|\Z| (?:because|since|as)\b))|best"
    r"|better(?= answer| choice| option| one)(?! \w+ than)|(?P<answer>answer)"
    r"|closest|(?<=comes )nearest"
    r"|most (?:likely|probable|accurate|appropriate|suitable|plausible|consistent|reasonable)"
    r"|what (?:the question|it|is) (?:asks|is asking|is looking|wants|needs|being asked|asked)"
    rf"|(?<=\bonly )(?:option|choice|statement|alternative|one)\b(?!{_DENIES}))"
    r"(?! distractor| guess|[a-z]| to\b(?! (?:the|this|your) (?:question|problem|task))(?! what)|"
    r" (?:only )?(?:if|when|for|about|but)\b)"
)
"""A label of which it is said that it is the answer, as in `B is the best choice`."""
PARTNER = re.compile(rf"{_FREE}{OPEN}[A-Z]{CLOSE},? ?(?:[/&,]|(?:and|or)|(?P<neither>nor)) ?{NAMED}{OPEN}\Z")
"""The end of a text before a label, where it has another label beside it."""
VERB = for_small(
    r"(?i)(?<![a-z])(?:(?P<go_with>(?:go|going|went) (?:with|for)|vote for|settle on|leaning (?:to|towards?))"
    r"|(?P<select>select(?:ed|ing)?)|(?P<choose>cho(?:ose|osing|se)|pick(?:ed|ing)?|opt(?:ing)? for|"
    r"lock(?:ing|ed)? in|say|guess)"
    r"|(?P<is_x>which is(?= (?:option|choice|answer|letter) )|"
    r"(?:it|that)(?:['’]s| is| really is| must be| has to be| would be| should be)"
    r"|corresponds? to|corresponding to|matches))"
    rf"(?: (?:{_ADVERBS}|{_NOUNS})(?![\w-])){{0,3}}:? (?=[^\s])"
)
"""Words by which a reply chooses, as in `I would go with`; the group that matched names the pattern. For small letters."""
LEANS = for_small(
    r"(?i)(?<![a-z])(?:lean(?:s|ing|ed)? (?:to|towards?)|mark(?:ing)?|tick(?:ing)?|circle|put(?:ting)? (?:me|it|"
    r"us) down (?:for|as)|"
    r"(?:my |the |all )?(?:money|bet)(?: is| goes)? on|bet(?:ting)? on|my (?:vote|pick|bet|guess)(?: is| goes)?(?: for| to|"
    r" with)?|"
    r"vot(?:e|ing)(?: for)?|(?:would|will|must|I|I['’]d|I['’]ll) (?:take|answer|prefer|favou?r|submit|enter|write|put)|taking|"
    r"stick(?:ing)? (?:with|to)|stay(?:ing)? with|settl(?:e|ing) (?:on|for)|conclude|narrow(?:s|ed)? (?:it |this )?down to|its|"
    r"points? (?:to|towards)|in favou?r of|let['’]s say|let me say|plump for|hazard|(?:what|all that) (?:is left|remains) is|"
    r"that (?:only )?leaves(?: us with)?|the only (?:one|option|choice|answer|statement)(?: that| which)? (?:fits|works|"
    r"matches|holds|applies|remains|is left|makes sense)[^.!?\n]{0,40} is|the best (?:match|fit) is)"
    r"(?: (?:the|my|option|choice|answer|letter|that it is|it is|that))*:? (?=[^\s])"
)
"""Words by which a reply chooses, where the label stands at the end of what is said; for small letters."""
ENDS = re.compile(
    rf"{CLOSE}(?:[.,;:!](?![\w])|\n|\Z| (?:here|because|since|as|for|then|instead|over|though|now|rather|"
    r"on (?:your|the|my|this))(?!\w))"
)
"""What stands behind such a label."""
IT_IS = re.compile(
    rf"{_FREE}(?<!(?i:for) )(?<!(?i:for) \()"
    rf"(?:([A-Z])|(?<=\n)([a-z])|(?<![^\n])([a-z])){CLOSE},? (?:it is|it['’]s|is it|it must be|it has to be|"
    rf"it shall be)[.!]*(?=\n|\Z| [(\[\"“„«]?[A-Z])"
)
"""A label before the words that choose it, as in `B it is.`"""
SMALL_VERDICT = re.compile(
    r"(?:(?<![^\n])|(?<=[.,;:!] )|(?<=[.,;:!]\n)|\b(?:that|think|believe|so|thus|therefore|hence|say|guess|option|choice|"
    r"answer|letter) )"
    rf"[(\"'“]?([a-z])[)\"'”]?,? (?:is|must be|would be|should be|has to be|seems)"
    rf"(?: (?:{_ADVERBS}|the|my|our))* (?:(?:correct|right|best)(?: answer| choice| option| one)?|answer)(?=[.,;!]|\n|\Z|"
    rf" (?:because|since|as|here)\b)"
)
"""A small letter of which it is said, at the beginning of a clause, that it is the answer."""
CLAUSE_END = re.compile(r"[.!?;,:\n]|\b(?i:but|so|then|therefore|thus|hence|however)\b")
DENIAL = re.compile(
    r"(?i)\b(?:not|never|cannot|no|nor|neither|if|whether|unless|suppose|assuming|incorrect|wrong|false|worst|least|except|"
    r"exclud(?:e|es|ing)|eliminat(?:e|es|ed|ing)|rules? out|ruled out|ruling out|unlike|rather than|instead of|"
    r"was (?:about|tempted|inclined|leaning)|wanted|almost|nearly|previous|earlier|initial|initially|originally|at first|"
    r"first (?:thought|guess(?:ed)?|took|said|wanted|believed|impression)|tempting|nicht|keine)\b|n['’]t\b"
)
"""Words that take back, or only suppose, what follows them in a clause."""
DISMISSED = re.compile(
    rf"{CLOSE}[.:,]?(?: (?:also|therefore|clearly|thus|both|all))* (?i:is|are|was|can|could|does|seems|would|must|should)?"
    r"(?: (?:also|therefore|clearly|thus|be))* ?"
    r"(?i:not\b|n't|isn't|wrong|incorrect|false|ruled out|eliminated|out\b|can't|doesn't|cannot)"
)
"""What follows a label that is ruled out."""
TITLE = re.compile(
    r"\b(?i:Drs?|Mr|Mrs|Ms|Prof|St|Sir|Lady|Figs?|Figures?|Tables?|Panels?|Points?|Teams?|Class|Type|Vitamin|Hepatitis|"
    r"Plan|Grade|"
    r"Sections?|Appendix|Box|Step|Group|Sample|Part|Schedule|Exhibit|Item|Line|Curve|Phase|Zone|Well|Block)\.? \Z"
)
"""What stands before a letter that is a name."""
LIST_OPENS = re.compile(r"(?i)\b(?:options|choices|alternatives|one by one|in turn|step by step)[.:…]\s(?:\w{2,12} )?[(\[]?\Z")
"""What stands before the first label of a list that is gone through."""
