"""Sentences that declare nothing, and openers that name no option."""

from __future__ import annotations

from letter_replies.model import phrases

_ENGLISH = (
    *phrases(
        "en",
        "",
        (
            "‹X› is tempting, but it doesn't fit the question.",
            "Many students pick ‹X› because it looks familiar, which is a mistake.",
            "If the question had asked for the exception, ‹X› would be the answer.",
            "At first glance ‹X› seems right, but it isn't.",
            "You might think the answer is ‹X›, but that overlooks a detail in the question.",
            "‹X› and ‹Y› can be eliminated right away.",
            "Choosing ‹X› is the classic mistake here.",
            "Someone who chose ‹X› has probably mixed up two ideas.",
            "‹X› describes something else entirely.",
            "Compared with ‹X›, ‹Y› is even further off.",
            "‹X› gets part of it right but misses the main point, so it is not the answer.",
            "Nothing we are told supports ‹X›.",
            "‹X› would only be correct under different assumptions.",
            "‹X› fails, and the same goes for ‹Y›.",
            "Be careful not to fall for ‹X›.",
            "A common mistake is to answer ‹X›.",
            "A quick check rules out ‹X›.",
            "A closer look at ‹X› shows that it fails.",
            "‹X› is not correct.",
            "**‹X›** is incorrect.",
            "Option (‹X›) looks attractive but does not answer what was asked.",
            "‹X›: no, this is off the mark.",
            "The answer cannot be ‹X›.",
            "The answer isn't ‹X›, because that ignores half of the question.",
            "Don't choose ‹X› just because it sounds impressive.",
            "It would be a mistake to answer ‹X›.",
            "Suppose the answer were ‹X›; then we would run into a contradiction.",
            "If ‹X› were correct, the question would make no sense.",
            "Option ‹X› goes too far.",
            "So ‹X› is out.",
            "As for ‹X› and ‹Y›, neither meets all the conditions.",
            "The wording of the question is meant to lure you to ‹X›.",
            "I considered ‹X› for a moment, but it does not survive a closer look.",
            "I ruled out ‹X› early on.",
            "I don't think ‹X› works.",
            "We can cross out ‹X›.",
            "‹X› can't be it.",
            "Whoever chooses ‹X› has overlooked a detail.",
            "The trap here is ‹X›.",
            "The most common wrong answer is ‹X›.",
            "Another wrong choice would be ‹X›.",
            "You'd get ‹X› if you forgot one of the conditions.",
            "Answering ‹X› usually comes from misreading the question.",
            "‹X› was put there to catch people who only skim the question.",
            "‹X› would be the right answer to a different question.",
            "If you picked ‹X›, don't worry, that mix-up happens a lot.",
            "Of all the wrong answers, ‹X› is the one chosen most often.",
            "In an earlier exercise the answer was ‹X›, but that was a different question.",
            "‹X› and ‹Y› say practically the same thing, so neither can be the single best answer.",
            "Both ‹X› and ‹Y› fall short.",
            "Neither ‹X› nor ‹Y› is right.",
            "It would be easy to mistake ‹X› for the answer.",
            "It's neither ‹X› nor ‹Y›.",
            'Had the question contained the word "not", we would pick ‹X›.',
            "The case for ‹X› rests on a misunderstanding.",
            "‹X› (‹XT›) does not match the question.",
            'Option ‹X›, "‹XT›", can be dismissed.',
            "The other options don't hold up.",
            "Each of the other choices has at least one flaw.",
            "The distractors are all wrong for the same reason.",
            "A careful reading of the question is all it takes.",
            "Remember that in this exam only one option can be correct.",
        ),
    ),
    *phrases(
        "en",
        "",
        (
            "‹XT› is easily confused with the right answer.",
            "‹XT› may look familiar, but it isn't what is asked for here.",
            "‹XT› is a distractor.",
        ),
        nouns=True,
    ),
    *phrases(
        "en",
        "first",
        (
            "Let's look at ‹X› first.",
            "Let's see whether ‹X› holds up.",
            "Let me start with ‹X› and ‹Y›.",
            "Now for ‹X›.",
            "Next, I'll check ‹X›.",
            "Let me reread ‹X›.",
        ),
    ),
    *phrases(
        "en",
        "question",
        (
            "What about ‹X›?",
            "Why not ‹X›?",
            "Is it ‹X›?",
            "Could ‹X› be the answer?",
            "So is the answer ‹X› or ‹Y›, or neither of them?",
        ),
    ),
    *phrases(
        "en",
        "before",
        (
            "My first hunch was ‹X›, which turned out to be wrong.",
            "Could ‹X› work? Not really.",
            "I was about to say ‹X›, but that would have been wrong.",
            "With ‹X› gone, the rest is easy.",
            "Hmm, ‹X›? No, that can't be.",
        ),
    ),
)

_GERMAN = (
    *phrases(
        "de",
        "",
        (
            "‹X› klingt verlockend, passt aber nicht zur Frage.",
            "‹X› ist falsch.",
            "‹X› und ‹Y› kann man sofort ausschließen.",
            "Viele kreuzen hier fälschlicherweise ‹X› an.",
            "Wäre nach der Ausnahme gefragt, dann wäre ‹X› die Antwort.",
            "Weder ‹X› noch ‹Y› trifft zu.",
            "Die Antwort kann nicht ‹X› sein.",
            "Antwort ‹X› geht am Kern der Frage vorbei.",
            "Auf ‹X› kommt nur, wer die Frage zu schnell liest.",
            "Die häufigste falsche Antwort ist ‹X›.",
            "Man könnte meinen, ‹X› sei richtig, doch das täuscht.",
            "Die übrigen Möglichkeiten halten einer Prüfung nicht stand.",
        ),
    ),
    *phrases("de", "first", ("Sehen wir uns zuerst ‹X› an.", "Prüfen wir nun ‹X›.")),
    *phrases("de", "question", ("Wie steht es mit ‹X›?",)),
)

_FRENCH = (
    *phrases(
        "fr",
        "",
        (
            "La ‹X› est tentante, mais ne répond pas à la question.",
            "La réponse ‹X› est fausse.",
            "On peut éliminer ‹X› et ‹Y› d'emblée.",
            "Beaucoup d'étudiants cochent ‹X› par erreur.",
            "Ce n'est pas la ‹X›.",
            "Si l'on demandait l'exception, la réponse serait ‹X›.",
            "Ni ‹X› ni ‹Y› ne conviennent.",
            "À première vue, la ‹X› semble juste, mais elle ne l'est pas.",
            "L'option ‹X› va trop loin.",
            "Répondre ‹X› serait une erreur.",
            "Le piège, ici, c'est ‹X›.",
            "Les autres propositions ne tiennent pas.",
        ),
    ),
    *phrases("fr", "first", ("Regardons d'abord la ‹X›.", "Passons à la ‹X›.")),
    *phrases("fr", "question", ("Et la ‹X› ?",)),
)

_SPANISH = (
    *phrases(
        "es",
        "",
        (
            "La ‹X› parece atractiva, pero no responde a la pregunta.",
            "La opción ‹X› es incorrecta.",
            "Podemos descartar ‹X› y ‹Y› desde el principio.",
            "Muchos alumnos eligen la ‹X› por error.",
            "No puede ser la ‹X›.",
            "Si preguntaran por la excepción, la respuesta sería la ‹X›.",
            "Ni la ‹X› ni la ‹Y› cumplen las condiciones.",
            "El error más frecuente es responder ‹X›.",
            "Uno podría pensar que la respuesta es la ‹X›, pero se equivocaría.",
            "La ‹X› queda descartada.",
            "Las demás opciones tienen algún fallo.",
        ),
    ),
    *phrases("es", "first", ("Veamos primero la ‹X›.", "Ahora revisemos la ‹X›.")),
    *phrases("es", "question", ("¿Y la ‹X›?",)),
)

_ITALIAN = (
    *phrases(
        "it",
        "",
        (
            "La ‹X› è allettante, ma non risponde alla domanda.",
            "L'opzione ‹X› è sbagliata.",
            "Si possono escludere subito ‹X› e ‹Y›.",
            "Molti studenti scelgono per errore la ‹X›.",
            "Non può essere la ‹X›.",
            "Se si chiedesse l'eccezione, la risposta sarebbe ‹X›.",
            "Né la ‹X› né la ‹Y› soddisfano le condizioni.",
            "Rispondere ‹X› sarebbe un errore.",
            "La ‹X› va scartata.",
            "Le altre opzioni non reggono.",
        ),
    ),
    *phrases("it", "first", ("Vediamo prima la ‹X›.",)),
    *phrases("it", "question", ("E la ‹X›?",)),
)

_PORTUGUESE = (
    *phrases(
        "pt",
        "",
        (
            "A ‹X› parece boa, mas não responde à pergunta.",
            "A alternativa ‹X› está errada.",
            "Podemos eliminar ‹X› e ‹Y› de cara.",
            "Muitos alunos marcam a ‹X› por engano.",
            "Não pode ser a ‹X›.",
            "Se pedissem a exceção, a resposta seria a letra ‹X›.",
            "Nem a ‹X› nem a ‹Y› atendem ao enunciado.",
            "O erro mais comum é marcar a letra ‹X›.",
            "A letra ‹X› é uma pegadinha.",
            "As demais alternativas têm algum problema.",
            "A ‹X› fica descartada.",
        ),
    ),
    *phrases("pt", "first", ("Vejamos primeiro a ‹X›.",)),
    *phrases("pt", "question", ("E a letra ‹X›?",)),
)

_CHINESE = (
    *phrases(
        "zh",
        "",
        (
            "‹X›项看似合理，但不符合题意。",
            "‹X›错误。",
            "首先可以排除‹X›和‹Y›。",
            "很多同学会误选‹X›。",
            "答案不可能是‹X›。",
            "如果题目问的是例外，才应该选‹X›。",
            "‹X›和‹Y›都不对。",
            "选项‹X›与题干无关，排除。",
            "不要被‹X›迷惑。",
            "‹X›偷换了概念，不能选。",
            "有人可能会认为答案是‹X›，但这忽略了一个细节。",
            "其余选项都站不住脚。",
        ),
    ),
    *phrases("zh", "first", ("先看‹X›项。", "再来看选项‹X›。")),
    *phrases("zh", "question", ("那么‹X›呢？",)),
)

_JAPANESE = (
    *phrases(
        "ja",
        "",
        (
            "‹X›はもっともらしく見えますが、問題の条件に合いません。",
            "‹X›は誤りです。",
            "まず‹X›と‹Y›は除外できます。",
            "‹X›を選んでしまう人が多いですが、これは間違いです。",
            "答えが‹X›であることはありえません。",
            "例外を問う問題であれば、‹X›が正解になるところです。",
            "‹X›も‹Y›も当てはまりません。",
            "選択肢‹X›は言い過ぎです。",
            "‹X›はひっかけです。",
            "‹X›だと思いがちですが、そうではありません。",
            "他の選択肢はいずれも不適切です。",
        ),
    ),
    *phrases("ja", "first", ("まず‹X›から見ていきましょう。", "次に‹X›を確認します。")),
    *phrases("ja", "question", ("では、‹X›はどうでしょうか？",)),
)

REMARKS = _ENGLISH + _GERMAN + _FRENCH + _SPANISH + _ITALIAN + _PORTUGUESE + _CHINESE + _JAPANESE

OPENERS = (
    *phrases(
        "en",
        "",
        (
            "Let's work through this step by step.",
            "Okay, so I need to figure out which option fits the question.",
            "Great question!",
            "To answer this, we have to read the question closely.",
            "A good way to approach this is to go through the options one at a time.",
            "I'll think about what the question is really asking.",
            "Sure, I can help with that.",
            "This is a question about the basics of the subject.",
            "Let me break it down.",
            "First, recall the definition.",
            "**Step 1: Understand the question.**",
            "The key word here is easy to overlook.",
            "Based on the information given, we can work it out by elimination.",
            "Hmm, let me think about it once more.",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "Gehen wir die Frage Schritt für Schritt durch.",
            "Schauen wir uns die Möglichkeiten der Reihe nach an.",
            "Gern helfe ich bei dieser Aufgabe.",
            "Entscheidend ist hier die genaue Formulierung.",
        ),
    ),
    *phrases(
        "fr",
        "",
        (
            "Procédons par élimination.",
            "Analysons la question étape par étape.",
            "À mon avis, il faut d'abord bien lire l'énoncé.",
            "Bien sûr, voici mon raisonnement.",
        ),
    ),
    *phrases(
        "es",
        "",
        (
            "Analicemos la pregunta paso a paso.",
            "Claro, vamos a resolverlo juntos.",
            "Conviene leer el enunciado con calma.",
            "A continuación explico el razonamiento.",
        ),
    ),
    *phrases(
        "it",
        "",
        (
            "Analizziamo la domanda passo dopo passo.",
            "Certo, ragioniamo insieme.",
            "Bisogna leggere bene il testo.",
            "È una domanda classica d'esame.",
        ),
    ),
    *phrases(
        "pt",
        "",
        (
            "Vamos analisar a questão passo a passo.",
            "A questão exige uma leitura atenta do enunciado.",
            "Claro, vamos resolver juntos.",
            "É preciso lembrar o conceito básico.",
        ),
    ),
    *phrases(
        "zh",
        "",
        (
            "我们来逐步分析这道题。",
            "这道题考查的是基础知识。",
            "好的，首先要读懂题干。",
            "下面用排除法来做。",
        ),
    ),
    *phrases(
        "ja",
        "",
        (
            "順番に考えてみましょう。",
            "この問題は基本的な知識を問うものです。",
            "まず問題文をよく読みます。",
            "消去法で考えます。",
        ),
    ),
)
