"""Sentences of the third half: about options other than the declared one, and such as name no option."""

from __future__ import annotations

from letter_replies.model import Phrase, phrases

REMARKS: tuple[Phrase, ...] = (
    *phrases(
        "en", "denial",
        (
            "Option ‹X› is incorrect.", "‹X› is wrong.", "‹X› can be ruled out.", "Option ‹X› does not fit the description.",
            "We can eliminate ‹X› and ‹Y›.", "Neither ‹X› nor ‹Y› answers the question.", "The answer cannot be ‹X›.",
            "It is not ‹X›.", "(‹X›) is too broad.", "(‹X›) contradicts the premise.",
            "**‹X›** is not supported by the text.",
            "‹X› and ‹Y› are both false.", "This rules out option ‹X›.", "I would not choose ‹X›.", "So it isn't ‹X›.",
            "Options ‹X› and ‹Y› are irrelevant here.", "‹X› has nothing to do with the question.",
            "‹X› is off by a factor of two.", "Option ‹X› is a distractor.", "‹X› confuses cause and effect.",
            "That excludes (‹X›).", "‹X› isn't right either.", "There is no evidence for ‹X›.",
            "‹X›) ‹XT›: this is not what the question asks about.", "‹X›) ‹XT› is incorrect.",
            "Option ‹X› (‹XT›) does not apply here.",
        ),
    ),
    *phrases("en", "denial", ("‹XT› is not the answer.", "It cannot be ‹Xt›.", "‹XT› can be ruled out."), nouns=True),
    *phrases(
        "en", "contrast",
        (
            "‹X› comes close but misses the key point.", "Option ‹X› is tempting, but it is not correct.",
            "While ‹X› sounds plausible, it ignores the second condition.", "Although ‹X› is partly true, it is incomplete.",
            "If the question asked for the opposite, ‹X› would be right.",
            "Option ‹X› would only hold under other conditions.",
            "Unlike ‹X›, the right option covers both cases.", "Compared with ‹X›, the right option is more precise.",
            "Many people would pick ‹X›, but that is a common mistake.", "A common error is to choose ‹X›.",
            "‹X› is less precise.", "‹X› is a close second, but weaker.", "‹X› describes a related but different concept.",
            "It is easy to confuse this with ‹X›.", "‹X› might look good at first sight, but it fails on closer inspection.",
            "If the question had asked about the past, ‹X› would have been better.", "Both ‹X› and ‹Y› miss the point.",
            "The difference from ‹X› is subtle.", "‹X› is often mistaken for the right answer.",
        ),
    ),
    *phrases(
        "en", "doubt",
        (
            "I am not sure about ‹X›.", "I have my doubts about option ‹X›.", "‹X› seems unlikely.",
            "Option ‹X› looks doubtful to me.", "‹X› is hard to defend.",
        ),
    ),
    *phrases(
        "en", "before",
        (
            "I first thought of ‹X›, but that does not hold up.", "I was torn between ‹X› and another option.",
            "My first guess was ‹X›, but that is wrong.", "Initially ‹X› seems attractive, but it fails.",
        ),
    ),
    *phrases(
        "en", "first",
        (
            "Let me consider ‹X› first.", "Let's look at option ‹X›.", "Start with ‹X›.", "Now for option ‹X›.",
            "Consider ‹X›: ‹XT›.", "Option ‹X› says: ‹XT›.",
        ),
    ),
    *phrases("en", "question", ("Could it be ‹X›?", "What about ‹X›?", "Is ‹X› right?", "But why not ‹X›?")),
    *phrases(
        "de", "denial",
        (
            "Option ‹X› ist falsch.", "‹X› scheidet aus.", "Zur Frage passt ‹X› nicht.",
            "Weder ‹X› noch ‹Y› trifft zu.",
            "‹X› klingt plausibel, ist aber nicht richtig.", "‹X› kommt nicht infrage.",
        ),
    ),
    *phrases("de", "first", ("Betrachten wir zuerst ‹X›.", "Schauen wir uns Option ‹X› an.")),
    *phrases("de", "question", ("Könnte es ‹X› sein?", "Was ist mit ‹X›?")),
    *phrases(
        "fr", "denial",
        (
            "L'option ‹X› est fausse.", "On peut éliminer ‹X›.", "La réponse ‹X› ne convient pas.",
            "Ni ‹X› ni ‹Y› ne répondent à la question.", "‹X› semble plausible, mais elle est incorrecte.",
            "La proposition ‹X› est inexacte.",
        ),
    ),
    *phrases("fr", "first", ("Commençons par ‹X›.", "Examinons l'option ‹X›.")),
    *phrases(
        "es", "denial",
        (
            "La opción ‹X› es incorrecta.", "Se puede descartar ‹X›.", "La ‹X› no corresponde a lo que se pregunta.",
            "Ni ‹X› ni ‹Y› son correctas.", "‹X› parece plausible, pero no lo es.", "La alternativa ‹X› es falsa.",
        ),
    ),
    *phrases("es", "question", ("¿Podría ser ‹X›?", "¿Y la opción ‹X›?")),
    *phrases(
        "it", "denial",
        (
            "L'opzione ‹X› è sbagliata.", "Possiamo escludere ‹X›.", "La ‹X› non è pertinente.",
            "Né ‹X› né ‹Y› sono corrette.", "‹X› sembra plausibile, ma è errata.",
        ),
    ),
    *phrases("it", "first", ("Esaminiamo l'opzione ‹X›.", "Cominciamo da ‹X›.")),
    *phrases(
        "pt", "denial",
        (
            "A alternativa ‹X› está incorreta.", "Podemos descartar a ‹X›.", "A letra ‹X› não corresponde ao enunciado.",
            "Nem ‹X› nem ‹Y› estão certas.", "A opção ‹X› é falsa.", "A ‹X› parece plausível, mas está errada.",
        ),
    ),
    *phrases("pt", "question", ("Poderia ser a ‹X›?", "E a alternativa ‹X›?")),
    *phrases(
        "nl", "denial",
        (
            "Optie ‹X› is onjuist.", "‹X› valt af.", "Bij de vraag past ‹X› niet.", "Noch ‹X› noch ‹Y› klopt.",
            "‹X› lijkt aannemelijk, maar is fout.",
        ),
    ),
    *phrases("nl", "first", ("Laten we eerst naar ‹X› kijken.", "We bekijken nu optie ‹X›.")),
    *phrases(
        "pl", "denial",
        (
            "Opcja ‹X› jest błędna.", "Można wykluczyć ‹X›.", "Do pytania ‹X› nie pasuje.",
            "Ani ‹X›, ani ‹Y› nie są poprawne.", "‹X› brzmi przekonująco, ale jest nieprawdziwa.",
        ),
    ),
    *phrases("pl", "question", ("Czy może to być ‹X›?", "A co z ‹X›?")),
    *phrases(
        "ru", "denial",
        (
            "Вариант ‹X› неверен.", "‹X› можно исключить.", "К вопросу ‹X› не подходит.", "Ни ‹X›, ни ‹Y› не подходят.",
            "‹X› кажется правдоподобным, но это ошибка.", "Вариант ‹X› не соответствует условию.",
        ),
    ),
    *phrases("ru", "first", ("Рассмотрим вариант ‹X›.", "Начнём с ‹X›.")),
    *phrases(
        "zh", "denial",
        (
            "选项‹X›是错误的。", "‹X›可以排除。", "‹X›不符合题意。", "‹X›和‹Y›都不正确。", "‹X›看似合理，但其实不对。",
            "因此‹X›项错误。",
        ),
    ),
    *phrases("zh", "first", ("我们先看选项‹X›。", "再看‹X›项。")),
    *phrases(
        "ja", "denial",
        (
            "選択肢‹X›は誤りです。", "‹X›は除外できます。", "‹X›は問題文と合いません。", "‹X›も‹Y›も正しくありません。",
            "‹X›は一見もっともらしいですが、間違いです。", "‹X›ではありません。",
        ),
    ),
    *phrases("ja", "first", ("まず‹X›を見てみましょう。", "次に選択肢‹X›を検討します。")),
    *phrases(
        "ko", "denial",
        (
            "선택지 ‹X›는 틀렸습니다.", "‹X›는 제외할 수 있습니다.", "‹X›는 질문과 맞지 않습니다.",
            "‹X›와 ‹Y›는 모두 옳지 않습니다.", "‹X›는 그럴듯해 보이지만 오답입니다.",
        ),
    ),
    *phrases("ko", "first", ("먼저 ‹X›를 살펴보겠습니다.", "다음으로 선택지 ‹X›를 검토해 보겠습니다.")),
    *phrases(
        "tr", "denial",
        (
            "‹X› seçeneği yanlıştır.", "‹X› elenebilir.", "‹X› şıkkı soruya uymuyor.", "Ne ‹X› ne de ‹Y› doğrudur.",
            "‹X› mantıklı görünse de yanlıştır.",
        ),
    ),
    *phrases("tr", "first", ("Önce ‹X› şıkkına bakalım.", "Şimdi ‹X› seçeneğini inceleyelim.")),
    *phrases(
        "ar", "denial",
        (
            "الخيار ‹X› غير صحيح.", "يمكن استبعاد ‹X›.", "لا تناسب الإجابة ‹X› السؤال.", "الخياران ‹X› و‹Y› خاطئان.",
            "يبدو ‹X› معقولاً لكنه خطأ.",
        ),
    ),
    *phrases("ar", "first", ("لننظر أولاً إلى الخيار ‹X›.", "لنبدأ بالخيار ‹X›.")),
)  # fmt: skip
"""Sentences that declare nothing, about options other than the declared one."""

OPENERS: tuple[Phrase, ...] = (
    *phrases(
        "en", "opener",
        (
            "Let's think step by step.", "To answer this, we need to recall the definition.",
            "Okay, so I need to figure this out.",
            "Let me work through this carefully.", "This is a question about basic facts.", "Great question!",
            "Sure, here you go.",
            "We are given a short description and have to choose.", "The key is to read the question closely.",
            "First, I recall what the textbook says.", "Let me check that once more.", "Here is my reasoning.",
            "A quick look at the units helps.", "I'll go through the options one by one.", "Now let us put this together.",
            "As an AI language model, I can help with that.", "According to the passage, only one statement holds.",
            "I remember that I read about this.", "In general, such questions test a definition.",
            "Given the above, I am confident.",
            "Plugging in the numbers gives the same result.", "A careful reading of the question is needed.",
        ),
    ),
    *phrases(
        "de", "opener",
        (
            "Gehen wir Schritt für Schritt vor.", "Die Frage zielt auf eine Definition.", "Das lässt sich leicht nachprüfen.",
            "Hier ist meine Überlegung.",
        ),
    ),
    *phrases(
        "fr", "opener",
        (
            "Procédons étape par étape.", "Il faut d'abord rappeler la définition.", "Voici mon raisonnement.",
            "À première vue, la question est simple.",
        ),
    ),
    *phrases(
        "es", "opener",
        (
            "Vamos paso a paso.", "Primero hay que recordar la definición.", "Analicemos la pregunta.",
            "A continuación explico el razonamiento.",
        ),
    ),
    *phrases("it", "opener", ("Procediamo per gradi.", "Ricordiamo la definizione.", "Ecco il mio ragionamento.",
        "È una domanda facile.")),
    *phrases(
        "pt", "opener",
        ("Vamos por partes.", "É preciso lembrar a definição.", "Segue o raciocínio.",
        "A questão trata de um conceito básico."),
    ),
    *phrases("nl", "opener", ("Laten we stap voor stap denken.", "De vraag gaat over een definitie.",
        "Hier is mijn redenering.", "Dat is te controleren.")),
    *phrases("pl", "opener", ("Pomyślmy krok po kroku.", "Pytanie dotyczy definicji.", "Oto moje rozumowanie.",
        "To łatwo sprawdzić.")),
    *phrases("ru", "opener", ("Давайте рассуждать по шагам.", "Вспомним определение.", "Вот ход рассуждений.",
        "Вопрос несложный.")),
    *phrases("zh", "opener", ("让我们一步一步地分析。", "这道题考查基本概念。", "首先回顾一下定义。",
        "好的，下面是我的分析。")),
    *phrases("ja", "opener", ("順を追って考えましょう。", "まず定義を確認します。", "これは基本的な問題です。",
        "以下に理由を示します。")),
    *phrases("ko", "opener", ("단계별로 생각해 보겠습니다.", "먼저 정의를 떠올려 봅시다.", "기본 개념을 묻는 문제입니다.",
        "풀이는 다음과 같습니다.")),
    *phrases("tr", "opener", ("Adım adım düşünelim.", "Önce tanımı hatırlayalım.", "Soru temel bir kavramı ölçüyor.",
        "Açıklaması şöyle.")),
    *phrases("ar", "opener", ("لنفكر خطوة بخطوة.", "علينا أولاً تذكر التعريف.", "هذا سؤال عن مفهوم أساسي.",
        "إليك طريقة التفكير.")),
)  # fmt: skip
"""Sentences that name no option."""
