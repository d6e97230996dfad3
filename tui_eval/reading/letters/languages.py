"""Words of many languages that stand beside a label where it is declared: read word by word, from the label outwards."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase


def word_set(text: str) -> frozenset[str]:
    """The words of a table in the form in which replies are read."""
    return frozenset(unicodedata.normalize("NFKC", text).casefold().split())


ANSWERS = word_set(
    "gabarito "
    "antwort lösung respuesta solución réponse reponse risposta soluzione resposta resposta antwoord oplossing odpověď "
    "odpoved odpoveď řešení odpowiedź odpowiedzią svar svaret vastaus răspunsul raspunsul răspuns válasz megoldás odgovor "
    "отговор отговорът ответ ответом відповідь відповіддю одговор jawaban jawabannya jawapan cevap cevabı cevabım yanıt "
    "yanıtım kunci "
    "απάντηση התשובה תשובה الإجابة الاجابة إجابة الجواب جواب پاسخ جواب उत्तर जवाब উত্তর ஜவாப் jibu sagot "
    "정답 정답은 답 답은 답변 답변은 คําตอบ"
)
OPTIONS = word_set(
    "buchstabe opción opcion letra alternativa lettre opzione lettera opção opcao optie možnost varianta opcja "
    "litera alternativ alternativet bokstav vaihtoehto varianta litera lehetőség вариант буква варіант опция opsi pilihan "
    "huruf "
    "seçenek şık harf επιλογή אפשרות האות الخيار خيار الحرف گزینه विकल्प অপশন "
    "opzione l'opzione 보기 선택지"
)
CHOOSES = word_set(
    "retiens quedo "
    "wähle waehle nehme tippe entscheide choisis prends dirais choisirais choisissons elijo escojo elegiría elegimos escogería "
    "seleccionaría selecciono marcaría escolho escolheria marcaria scelgo sceglierei kies väljer velger vælger "
    "wybieram wybrałbym volím vybírám zvolím vyberu valitsen aleg választom biram выбираю выберу выбираем выбрал обираю "
    "вибираю "
    "répondrais réponds répondrai responderé respondo respondería responderia rispondo risponderei antworte svarar отвечу "
    "أختار اختار نختار اخترت memilih pilih επιλέγω בוחר בוחרת चुनता चुनती चुनूंगा"
)
RIGHT = word_set(
    "richtig richtige richtigen richtiger korrekt korrekte zutreffend beste correcte correct bonne exacte juste correcta "
    "correcto "
    "acertada corretta corretto giusta esatta correta correto certa certo juiste juist goede goed správná správně správná "
    "správny správna poprawna prawidłowa poprawną prawidłową prawidłowo rätt riktig riktigt rigtig rigtige rette riktige "
    "korrekta oikea oikein corect corectă helyes točan točna tačan верный верно верная верна верен правильный правильная "
    "правильным правильно правильной верным правильна правильною вірна вірний правилен правилният benar betul tepat doğru "
    "doğrudur σωστή σωστό הנכונה נכונה נכון הנכון الصحيحة الصحيح صحيحة صحيح صحیح درست सही সঠিক mejor meilleure melhor "
    "migliore лучший đúng właściwa właściwą właściwy trafna rätta passende"
)
"""Words for `right` and `best`."""
IS = word_set(
    "ist lautet wäre es sería est serait è sarebbe é seria är er on je jest to є есть является este adalah ialah yaitu "
    "হলো হল হচ্ছে คือ olacaktır είναι היא הוא הינה هي هو هى है هست là být byla bude est: sei está"
)
SMALL = word_set(
    "con die der das den mich für auf mit la le el lo los a o il l' de du una un de het ta ten že na za pro als für "
    "mein meine mi mon ma mio mia meu minha mijn мой моя mój moja min mit benim "
    "voor bu nedenle yüzden dolayısıyla dlatego więc zatem daarom dus "
    "und daher also folglich donc ainsi portanto por tanto entonces quindi dunque logo así поэтому значит это câu nhất av "
    "den option letter lettre proposition l'option l’option l'alternative l’alternative ich je que jag tror ik denk dat "
    "att glaube denke dass pense pienso creo "
    "me parece penso credo che acho я думаю считаю что myślę że myslím že saya pikir bence"
)
_WEAK = word_set("c'est c’est ce das es é è это det dat")
"""Words for `it is`: they declare a label only where the sentence says nothing else."""
_CHOOSES_AFTER = word_set("wählen nehmen tippen ankreuzen kiezen चुनता चुनती चुनूंगा चुनूँगा चुनते übrig seçiyorum seçerim seçerdim")
"""Verbs that stand behind what is chosen."""
_HOLDS = word_set("stimmt passt zutrifft")
_DENIES = word_set(
    "nicht kein keine weder pas ni jamais non no nunca não nao né niet geen inte ikke ikkje nie není nejsou ei nu nem не ни "
    "нет bukan tidak değil không δεν όχι לא אינה ליס ليس ليست لا नहीं ne n'est n’est falls wenn si se если ob aucune aucun "
    "ninguna "
    "nessuna nenhuma keiner žádná żadna нито falsche falschen falscher falsches falsch неверный неверная неверно неверным "
    "неправильный неправильная неправильно неправильным ошибочный incorrecte fausse mauvaise incorrecta incorreta "
    "errada errata sbagliata onjuiste foute błędna błędną nieprawidłowa niepoprawna nesprávná yanlış salah felaktiga"
)
_OTHERS = word_set(
    "man könnte pourrait podría potrebbe poderia "
    "viele manche einige andere leute studenten schüler muchos algunos otros beaucoup certains d'autres muitos alguns outros "
    "molti alcuni altri velen sommigen anderen mensen wielu niektórzy inni mnoho někteří många vissa mange nogle noen "
    "многие некоторые студенты другие çoğu bazıları banyak beberapa"
)
"""Who chooses in place of the reply."""
_ASKS = word_set("is ist are könnte kann")
"""Words that begin a question, whether or not its mark is there."""
_MARKS = frozenset(":=—–-→")
_WORDS = re.compile(r"[^\W\d_][^\s\d.,:;!?=—–→()\[\]\"“”।-]*|[:=—–→-]")
_CLAUSE = re.compile(r"[.!?;,।。，；\n]")
_SENTENCE = re.compile(r"[.!?;।。；\n]")
_NEAR = 70
_FAR = 3
"""How far from what declares a label a word may stand that denies it."""

_BUT = re.compile(r"(?i)(?:, | )(?:mas|pero|aber|doch|mais|ma|però|но|maar|ale|men) ")
"""What goes on to say that it is not so."""

_HAN_BEFORE = re.compile(
    r"(?<!不)(?<!错误)(?<!错误的)(?<!不正确的)(?<!誤った)(?:(?P<answer>答案|正しくは|正解|答え|回答|解答|正确选项|正確選項|正确的选项|정답|(?<!오)답)(?:应该|應該|应|應)?(?:是|为|為|选|選|は|은|는)?"
    r"|(?:คําตอบ|คำตอบ|ตอบ)(?:ที่ถูกต้อง|ที่ถูก)?(?:คือ)?(?:\s?ข้อ)?"
    r"|(?P<choose>(?:我|改|后|後|应|應|故|题|題|所以|因此|答|该|該|可|，|。|,|^|\n)\s?(?:会|會)?(?:选择|選擇|选|選)"
    r"(?:择|擇)?(?:的是|了)?|我认为是|我認為是))"
    r"(?:选项|選項)?[^\S\n]?(?:[:=]\s?)?[(\[「『“\"]?\Z"
)
_HAN_AFTER = re.compile(
    r"\s?[)\]」』”\"]?\s?(?:选项|選項|项|項)?(?:が|は|이|가|是|为|を)?\s?"
    r"(?:최종 )?(?:正しい|正解|正确|正確|对的|對的|答案|정답|맞)"
    r"|\s?[)\]」』”\"]?\s?(?:を\s?(?:選|えら)(?!んでしまう|ぶ人|んだ人|びがち)|[를을]\s?(?:선택|고르|고릅|골라))"
)
_SUFFIX_IS = re.compile(r"[)\]}\"'”’»]{0,3}(?:['’]?(?:[dt][ıiuü]r)\b| ?(?:है|हैं|olur|seçeneğidir|şıkkıdır|است|می‌باشد)(?!\w))")
_ENDS = re.compile(r"""[)\]}"'”’»]{0,2}(?:[).:,;!।。，]|\n|\Z)""")

JOINS = (
    "o|e|u|ou|y|et|und|oder|och|eller|og|of|en|ve|veya|ya da|atau|dan|lub|albo|i|nebo|či|a|tai|ja|sau|vagy|és|"
    "и|или|або|чи|та|أو|و|या|और|או|hoặc|và"
)
"""Words for `or` and `and` between two labels."""


def declares_before(text: str, at: int, ends: bool, suffixed: bool) -> str:
    """By which pattern the words in front of a label declare it to be the answer; nothing where they do not.

    `ends`: whether a mark or an end stands behind the label. `suffixed`: whether what is behind it says `is`.
    """
    before = text[max(0, at - _NEAR) : at]
    if not before.isascii() and (han := _HAN_BEFORE.search(before)):
        return "choose" if han["choose"] else "answer_is"
    if "est-ce" in (clause := _CLAUSE.split(before)[-1]).casefold():
        return ""
    words = [word if len(word) == 1 and word in ascii_uppercase else word.casefold() for word in _WORDS.findall(clause)]
    classes, number = _classes(words)
    if any(word in _DENIES for word in words[-number - _FAR :]) or not _OTHERS.isdisjoint(words):
        return ""
    pattern = _pattern_of(classes, ends, suffixed, whole=number == len(words))
    return "" if pattern == "standalone" and not _begins(before, clause) else pattern


def _begins(before: str, clause: str) -> bool:
    """Return whether a clause begins its sentence, but for words that lead to it: what is called a trap, say, is none."""
    rest = _SENTENCE.split(before)[-1].removesuffix(clause)
    return all(word in SMALL or word in _NO for word in _WORDS.findall(rest.casefold()))


_NO = word_set("non no nein nee não nie нет ja sì oui sí sim")


def _classes(words: list[str]) -> tuple[set[str], int]:
    """Of the words from the last one backwards, what they are, up to the first that is nothing of that; and how many."""
    classes: set[str] = set()
    number = 0
    for word in reversed(words):
        names = [name for name, words_of_it in _CLASSES.items() if word in words_of_it]
        if word in ("án", "lời"):
            names.append("answer")
        if not names:
            break
        classes.update(names)
        number += 1
    return classes, number


_CLASSES = {
    "answer": ANSWERS, "option": OPTIONS, "choose": CHOOSES, "right": RIGHT, "is": IS | {"is"}, "mark": _MARKS, "small": SMALL,
    "weak": _WEAK, "part": frozenset(("đáp", "trả")),
}  # fmt: skip


def _pattern_of(classes: set[str], ends: bool, suffixed: bool, whole: bool) -> str:
    if "choose" in classes:
        return "choose"
    says = bool(classes & {"is", "mark"}) or suffixed
    if "answer" in classes and says:
        return "answer_colon" if "mark" in classes else "answer_is"
    if "right" in classes and (says or ("answer" in classes and ends)):
        return "correct_answer"
    if whole and ends and "answer" in classes:
        return "answer_colon"
    if whole and ends and "option" in classes:
        return "option"
    return "standalone" if whole and ends and "weak" in classes else ""


def declares_after(text: str, start: int, end: int) -> bool:
    """Return whether the words behind a label, from `start` to `end`, call it right in another language than English."""
    after = text[end : end + _NEAR]
    if not after.isascii() and _HAN_AFTER.match(after):
        return True
    before = _WORDS.findall(_SENTENCE.split(text[max(0, start - _NEAR) : start])[-1].casefold())
    if before and len(before) <= _FAR and before[0] in _ASKS:
        return False
    if any(word in _DENIES for word in before[-2 * _FAR :]) or not _OTHERS.isdisjoint(before):
        return False
    if _BUT.search(_SENTENCE.split(after)[0]):
        return False
    words = _WORDS.findall(_CLAUSE.split(after)[0].casefold().lstrip(")]}\"'”’» "))
    if any(word in _DENIES for word in words[: 2 * _FAR]):
        return False
    return _calls_right(words, before)


_ONLY = word_set(
    "solo soltanto seulement uniquement nur solamente sólo só somente apenas alleen tylko bara endast kun только "
    "se si wenn falls"
)
"""Words behind `right` by which it holds on a condition only."""


def _calls_right(words: Sequence[str], before: Sequence[str]) -> bool:
    """Return whether the words behind a label call it right, hold it, or choose it; `before`: those in front of it."""
    for number, word in enumerate(words):
        if word in RIGHT and words[number + 1 : number + 2] and words[number + 1] in _ONLY:
            return False
        if word in RIGHT:
            return number > 0 or not word.isascii() or any(each in IS for each in (*words[1:2], *before[-_FAR:]))
        if word in _HOLDS or word in _CHOOSES_AFTER:
            return True
        if number > 3 or not (word in IS or word in SMALL or word in _MARKS):
            return False
    return False


def denied_behind(text: str, at: int) -> bool:
    """Return whether the word behind a label denies it, as Turkish and Korean do."""
    word = _WORDS.match(text[at : at + _NEAR].lstrip(")]}\"'”’» ").casefold())
    return word is not None and word[0] in ("değil", "아니다", "아닙니다", "नहीं")


def says_is(text: str, at: int) -> bool:
    """Return whether what is written onto a label, or stands behind it, is the word `is` of a language that puts it there."""
    return bool(_SUFFIX_IS.match(text, at))


def ends_at(text: str, at: int) -> bool:
    """Return whether a mark, a line end or the end stands at a place, brackets and quotation marks aside."""
    return bool(_ENDS.match(text, at))
