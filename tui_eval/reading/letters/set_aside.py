"""Words of many languages by which a clause sets an option aside: by denial, contrast, doubt or comparison."""

from __future__ import annotations

import re

_ENGLISH = (
    r"not|never|no|neither|nor|cannot|t|without|lacks?|lacking|incorrect|wrong|false|except|unlike|than|if|whether|instead|"
    r"rather|"
    r"too|tempting|misleading|unlikely|implausible|impossible|invalid|absurd|inaccurate|contradict\w*|irrelevant|unrelated|"
    r"fails?|failed|distractor|misconception|mistake|mistaken|"
    r"mistakenly|confus\w+|ruled|rules?|ruling|eliminat\w+|exclud\w+|discard\w*|reject\w*|dismiss\w*|cross\w* out|out|"
    r"although|though|while|whereas|despite|however|might|may|could|would|seems?|seemed|looks?|looked|appears?|sounds?|thought|"
    r"suppose|consider\w*|compared?|comparison|contrast|opposed|similar|less|least|worse|worst|weak\w*|only partly|partly|"
    r"only in|only for|only when|off by|far off|way off|rarely|hardly|barely|scarcely|seldom|often|some|people|students|"
    r"many|common|popular|initially|"
    r"at first|first glance|previous\w*|old|former\w*|nothing to do|far from|anything but|doubt\w*|suspect"
)
_GERMAN = (
    r"nicht|kein\w*|nie|niemals|weder|noch|zu|statt|anstatt|anders|gegensatz|unterschied|obwohl|zwar|während|falsch\w*|"
    r"scheidet|ausgeschlossen|ausschließen|verlockend|könnte|würde|scheint|eher|weniger|schlechter|kaum|selten|wäre"
)
_ROMANCE = (
    r"pas|ni|jamais|aucun\w*|contrairement|plutôt|lieu|faux|fausse|trop|tentant\w*|bien que|alors que|tandis|moins|pourrait|"
    r"semble|exclu\w*|élimin\w*|nunca|jamás|lugar|diferencia|demasiado|fals[ao]|aunque|mientras|menos|podría|parece|"
    r"tentador\w*|"
    r"descart\w*|elimin\w*|exclui\w*|não|nem|vez|contrário|embora|enquanto|poderia|non|né|mai|invece|differenza|troppo|"
    r"sbagliat\w*|errat\w*|errad\w*|sebbene|mentre|meno|potrebbe|sembra|esclus\w*|escluder\w*|exclure|descartar\w*|scart\w*|incorrect\w*|incorrecte\w*"
)
_OTHERS = (
    r"niet|geen|nooit|plaats van|anders dan|hoewel|terwijl|minder|fout|onjuist|lijkt|nie|ani|nigdy|zamiast|choć|chociaż|"
    r"zbyt|błędn\w*|mniej|inte|ikke|aldrig|istället|för|mindre|ei|eikä|nije|není|ne|ani|místo|değil|yerine|ama|yanlış|"
    r"bukan|tidak|không|sai|не|ни|нет|никогда|вместо|отличие|слишком|хотя|неверн\w*|неправильн\w*|менее|кажется|"
    r"غير|ليس\w*|لا|لم|לא|אינו|אינה|नहीं"
)
_WORDS = re.compile(rf" (?:{_ENGLISH}|{_GERMAN}|{_ROMANCE}|{_OTHERS})(?= )")
_SIGNS = re.compile("不|没|沒|非|错|錯|误|誤|而不是|除|ない|ません|なく|違|ではな|않|아니|아닌|틀")
"""Signs of Chinese, Japanese and Korean, whose words have no spaces between them."""


def sets_aside(words: str) -> bool:
    """Return whether a clause, as words with a space around each and a mark for each option, says anything but `it is this`."""
    return bool(_WORDS.search(words) or (not words.isascii() and _SIGNS.search(words)))
