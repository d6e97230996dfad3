"""In which script, and where its small words tell, in which language a text is written: enough to see that two differ."""

from __future__ import annotations

import re
from collections import Counter

_SCRIPTS = {
    "Latin": "A-Za-zªºÀ-ÖØ-öø-ʯḀ-ỿ",
    "Greek": "Ͱ-Ͽἀ-῿",
    "Cyrillic": "Ѐ-ԯ",
    "Armenian": "Ա-֏",
    "Hebrew": "א-ת",
    "Arabic": "ؠ-يٱ-ۓݐ-ݿ",
    "Devanagari": "ऀ-ॣॱ-ॿ",
    "Bengali": "ঀ-৥",
    "Tamil": "ஂ-௥",
    "Thai": "ก-๎",
    "Georgian": "Ⴀ-ჿ",
    "Hangul": "가-힣ᄀ-ᇿ㄰-㆏",
    "Han": "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
    "Kana": "ぁ-ゟァ-ヺー-ヿㇰ-ㇿｦ-ﾟ",
}
_LETTERS = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
_LONGEST = 20_000
"""Characters of a text that are looked at."""
_SHARE = 0.2
"""Letters that a text must at least have in the script of what it is about: names and terms keep theirs."""
_WORDS = {
    "English": "the of and is are what which how does do was were with for that this from when why who must can should by it",
    "German": "der die das und ist sind was welche welcher wie nicht mit für dass dem den ein eine einen wird werden von zu "
    "bei wann warum wer muss kann soll sich auf im",
    "French": "le la les des et est sont que quelle quel quels comment ne pas avec pour dans une un du au aux sur par quand "
    "pourquoi qui doit peut",
    "Spanish": "el la los las y es son qué cuál cuáles cómo no con para en una un del al por cuándo quién debe puede se su",
    "Italian": "il lo la gli le e è sono che quale quali come non con per nel nella una un del della di quando perché chi "
    "deve può",
    "Portuguese": "o a os as e é são que qual quais como não com para em uma um do da dos das no na quando quem deve pode",
    "Dutch": "de het een en is zijn wat welke hoe niet met voor dat van op in bij wanneer waarom wie moet kan wordt worden",
    "Polish": "i jest są co jaki jaka jakie jak nie z dla że w na do od przez kiedy dlaczego kto musi może się oraz",
    "Turkish": "ve bir bu ne hangi nasıl için ile mi mı değil olan olarak kadar ne zaman neden kim",
    "Russian": "и что как какой какая какие каким это от когда почему кто должен обязан может из они есть или",
    "Ukrainian": "і що як який яка які яким це від коли чому хто повинен може та із є вони або",
}
_KNOWN = {name: frozenset(words.split()) for name, words in _WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 3
"""Small words that tell a language."""


def script_of(text: str) -> str:
    """The script of most letters, such as "Latin" or "Cyrillic"; "Japanese" where kana stand among Han; "" without letters."""
    counted = _counts(text)
    if counted["Kana"] * 10 >= counted["Kana"] + counted["Han"] > 0:
        counted["Japanese"] = counted.pop("Kana") + counted.pop("Han", 0)
    return max(counted, key=lambda name: counted[name]) if any(counted.values()) else ""


def language_of(text: str) -> str:
    """The language that a text's small words tell, of those known here; "" where they are few or tell of two alike."""
    words = Counter(_WORD.findall(text[:_LONGEST].casefold()))
    told = {name: sum(words[word] for word in known) for name, known in _KNOWN.items()}
    best, second = sorted(told, key=lambda name: -told[name])[:2]
    return best if told[best] >= _ENOUGH and told[best] >= 1.3 * told[second] else ""


def foreign_reason(text: str, passage: str) -> str:
    """Why a text is not in the language of the passage it is about; "" where script and small words do not tell that."""
    script, counted = script_of(passage), _counts(text)
    letters = sum(counted.values())
    if not script or not letters:
        return ""
    theirs = counted["Kana"] + counted["Han"] if script == "Japanese" else counted[script]
    if theirs < _SHARE * letters:
        return f"it is written in {script_of(text)} letters, the text in {script}"
    if {script, script_of(text)} == {"Japanese", "Han"} and counted["Kana"] + counted["Han"] >= 10:
        said, expected = ("Chinese", "Japanese") if script == "Japanese" else ("Japanese", "Chinese")
        return f"it is {said}, the text {expected}"
    language, expected = language_of(text), language_of(passage)
    return f"it is {language}, the text {expected}" if language and expected and language != expected else ""


def _counts(text: str) -> Counter[str]:
    """The letters of a text by script."""
    head = text[:_LONGEST]
    if head.isascii():
        return Counter(Latin=sum(map(str.isalpha, head)))
    return Counter({name: len(letters.findall(head)) for name, letters in _LETTERS.items()})
