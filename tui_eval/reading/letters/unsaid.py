"""Words that declare a label and do not mean it: denied behind it, said on a condition, or by somebody else."""

from __future__ import annotations

import re

from tui_eval.reading.letters.cues import NAMED, OPEN

_STOP = re.compile(r"[.!?…]\s|\n")
_CONCLUDES = (
    "so|therefore|thus|hence|then|now|no|wait|yes|well|actually|overall|finally|ultimately|consequently|altogether|in short|"
    "in fact|in conclusion|in the end|in sum|on reflection|on balance|all in all|because|since|as|given|clearly|correction|"
    "sorry|rather|still|however|but|of (?:the|these|those|all)"
)
"""Words that begin what the reply itself concludes."""
_VIEW = re.compile(
    rf"(?!(?i:{_CONCLUDES})\b)[^\W\d_][^,.!?\n]{{2,120}}, (?:then )?(?:it )?"
    rf"(?:the (?:best |right |correct )?answer (?:is|would be) )?{NAMED}{OPEN}[A-Za-z](?![\w'’])"
)


def view_around(text: str, at: int) -> tuple[int, int] | None:
    """Return where the sentence around a place begins and ends, if what stands before its label may be such a view."""
    start = max((stop.end() for stop in _STOP.finditer(text, 0, at)), default=0)
    if not _VIEW.match(text, start):
        return None
    behind = _STOP.search(text, at)
    return start, behind.end() if behind else len(text)


_SENTENCE = re.compile(r"[.!?。！？\n]")
_NEAR = 160
_WOULD = re.compile(
    r"(?i)\b(?:wäre|hätte|würde|sería|serait|seria|sarebbe|fora|zou|vore|skulle|byłaby|byłoby|byłby|была? бы|было бы)\b"
)
_IF = re.compile(
    r"(?i)(?<!\w)(?:wenn|falls|sofern|si|s['’]il|gdyby|jeśli|kdyby|если)(?!\w)"
    r"|(?:\A\W{0,4}|, |(?:corrett?[ao]|cert[ao]|giust[ao]|esatt[ao]|juist|goed|rätt) )(?:se|als|indien|om|hvis)(?!\w)"
)
_FORCED = re.compile(r"(?i)\b(?:wenn|falls|si|se|если) (?:ich|j['’]?e? ?|tuviera|dovessi|eu|бы я|я|je|ik|tengo|devo|müsste)\b")
"""A condition that takes nothing back: `wenn ich wählen müsste`."""
_HAN_IF = re.compile(
    r"(?:有人|很多人|不少人|误以为|可能会认为|如果|假如|假设|假設|倘若|要是|若(?:是|题|題)|もし|仮に|만약|만일|(?:であれば|なら|だったら|れば)(?=[、,]|\s))(?![^。]*(?:所以|因此|因而|故|よって|したがって|従って|따라서|그러므로))[^。]*\Z"
)
_HAN_DENIED = re.compile(
    r"\s?[)\]」』”\"'’]{0,2}\s?(?:选项|項|项|番)?\s?"
    r"(?:(?:は|が)\s?(?:正解|正しい答え|答え|正答|正しい選択肢)\s?)?"
    r"(?:で(?:は|も)?(?:な(?:い|く|か)|ありません|ござい)|じゃ(?:な(?:い|く|か)|ありません)|は(?:間違|誤|不正解|違)"
    r"|(?:이|가|은|는)?\s?(?:정답이\s?|답이\s?)?아니|(?:이|가|은|는)?\s?아닌|(?:이|가|은|는)?\s?아닙|不是|并非|並非|不对|不對|不正确|不正確)"
)
_ASKS = re.compile(r"[^。\n]{0,20}(?:でしょう|だろう)か")


def denied_in_han(text: str, at: int) -> bool:
    """Return whether a label, which ends at a place, is denied behind it, where Japanese and Korean do."""
    return _HAN_DENIED.match(text, at) is not None


def on_condition(text: str, start: int, end: int) -> bool:
    """Return whether a label between two places is right only in another language's `would be, if`: behind or in front.

    Where nothing stands behind `would be right`, not even a stop, the condition may follow.
    """
    before = _SENTENCE.split(text[max(0, start - _NEAR) : start])[-1]
    if not before.isascii() and _HAN_IF.search(before):
        return True
    behind = _SENTENCE.split(text[end : end + _NEAR], maxsplit=1)[0]
    sentence = before + text[start:end] + behind
    if not _WOULD.search(sentence) or _FORCED.search(sentence):
        return False
    if _IF.search(before) or _IF.search(behind):
        return True
    return _WOULD.search(behind) is not None and end + len(behind) >= len(text)


_WRONG = (
    r"incorrect\w*|wrong|false|falsch\w*|fauss?e?s?|mauvaise|неверн\w*|неправильн\w*|ошибочн\w*|errad[ao]|errat[ao]|sbagliat[ao]|"
    r"equivocad[ao]|fals[ao]|onjuiste?|foute?|błędn\w*|nieprawidłow\w*|niepoprawn\w*|nesprávn\w*|yanlış|salah|gale|felaktig\w*"
)
_NOUN = (
    r"answer|option|choice|statement|antwort|lösung|option|opción|respuesta|réponse|risposta|opzione|resposta|alternativa|ответ|"
    r"вариант|antwoord|odpowiedź|odpověď|cevap|jawaban|svar"
)
_HAN_WRONG = (
    r"(?:不正确|不正確|错误|錯誤|誤った|間違った|틀린)(?:的|した)?\s?(?:答案|选项|選項|答え|選択肢|답)?(?:是|为|為|は|은)?"
)
_WRONG_ONE = re.compile(
    rf"(?i)(?:(?<!not )(?<!n[’']t )\b(?:{_WRONG})(?: (?:{_NOUN}))?|\b(?:{_NOUN}) (?:{_WRONG})|{_HAN_WRONG})"
    r"(?: (?:is|are|ist|lautet|es|est|è|é|это|jest))? ?[:=—–-]* ?[(\[\"'“]?\Z"
)


def called_wrong_before(text: str, at: int) -> bool:
    """Return whether what stands in front of a place calls it the wrong answer: `Неверный ответ: B`."""
    return _WRONG_ONE.search(text, max(0, at - 60), at) is not None


_SAY = "say|think|argue|assume|believe|claim|suppose|conclude|guess|expect|suggest|consider|answer"
_OTHERS_SAY = re.compile(
    r"(?i)\b(?:(?:(?:one|you) (?:would|might|may|could)|people|students|readers|others|someone|somebody|some|many|most|they|"
    r"everyone|experts|a (?:student|reader|beginner|critic|layman))"
    r"(?: (?:of (?:them|us|you)|students|people|readers|would|might|may|could|will|can|often|commonly|sometimes|also|even|"
    r"initially|first|mistakenly|wrongly|erroneously|be (?:tempted|inclined) to)){0,4}"
    rf" (?:{_SAY})|it (?:may|might|could) (?:at first )?(?:seem|appear|look)(?: like| as if| as though)?)"
    r"(?: that| it is)?(?: (?:the|option|choice|statement|correct|right|best|answer|is)){0,5} ?[(\[\"'“]?\Z"
)


def of_others(clause: str) -> bool:
    """Return whether a clause in front of what is declared says that others say so, or that it seems so."""
    return _OTHERS_SAY.search(clause) is not None
