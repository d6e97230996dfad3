"""Whole replies: retractions, several letters at once, texts alone, silences, replies cut off, and walks with verdicts."""

from __future__ import annotations

from letter_replies.model import phrases

RETRACTIONS = (
    *phrases(
        "en",
        "",
        (
            "The answer is ‹X›. Wait, I misread the question: it asks which one does *not* apply. So the answer is ‹L›.",
            "Answer: ‹X›\n\nHmm, let me double-check that. I dropped a minus sign in the second step.\n\nCorrected answer: ‹L›",
            "I'd pick ‹X›... actually no, ‹L›.",
            "**Answer: ‹X›**\n\nEdit: Sorry, I mixed up the two definitions. It should be **‹L›**.",
            "$\\boxed{‹X›}$\n\nOn second thought, the condition excludes zero, so the answer is $\\boxed{‹L›}$.",
            "At first I said ‹X›, but after redoing the calculation I get something else. My final answer is ‹L›.",
            "My initial choice was ‹X›. Checking the units again shows that this was a mistake. I change my answer to ‹L›.",
            "So it's ‹X›. Hmm, wait. ‹X› only works for even numbers, and ours need not be even. Then it has to be ‹L›.",
            "<answer>‹X›</answer>\n\nI need to correct myself; I overlooked a word in the question.\n\n<answer>‹L›</answer>",
            "Correct answer: ‹X›\n\nApologies, that was wrong. The correct answer is ‹L›.",
            "I'm going with ‹X›. Scratch that, I take it back: ‹L›.",
            "The correct option is ‹X›.\n\nVerification: plugging it back in gives a contradiction, so ‹X› cannot be right. "
            "The only choice left that passes the check is ‹L›.",
            "‹X›\n\nNo, sorry, I meant ‹L›.",
            "Answer: ~~‹X›~~ ‹L›",
            "I previously stated that the answer is ‹X›. You're right to question this, I made an error. The answer is ‹L›.",
            'First instinct: {"answer": "‹X›"}\nAfter review: {"answer": "‹L›"}',
        ),
    ),
    *phrases(
        "en",
        "",
        ("The correct answer is ‹X›) ‹XT›.\n\nWait, I had the table upside down. The correct answer is ‹L›) ‹LT›.",),
    ),
    *phrases(
        "de",
        "",
        (
            "Antwort: ‹X›\n\nMoment, ich habe die Frage falsch gelesen. Die richtige Antwort ist ‹L›.",
            "Ich würde ‹X› sagen. Nein, halt, da habe ich mich verrechnet: Es ist ‹L›.",
            "Zuerst hielt ich ‹X› für richtig, doch das war ein Irrtum. Ich korrigiere mich: Antwort ‹L›",
        ),
    ),
    *phrases(
        "fr",
        "",
        (
            "La bonne réponse est ‹X›. Attendez, je me suis trompé de signe. La bonne réponse est donc ‹L›.",
            "Réponse : ‹X›\n\nCorrection : j'avais mal lu l'énoncé.\n\nRéponse : ‹L›",
            "J'avais d'abord choisi ‹X›, mais c'était une erreur ; je choisis finalement ‹L›.",
        ),
    ),
    *phrases(
        "es",
        "",
        (
            "La respuesta es ‹X›. Espera, me equivoqué al leer la pregunta. La respuesta correcta es ‹L›.",
            "Respuesta: ‹X›\n\nPerdón, hay un error en mi cálculo.\n\nRespuesta corregida: ‹L›",
            "Elijo la ‹X›... no, mejor dicho, la ‹L›.",
        ),
    ),
    *phrases(
        "it",
        "",
        (
            "La risposta è ‹X›. Anzi no, ho letto male la domanda: la risposta è ‹L›.",
            "Risposta: ‹X›\n\nMi correggo, avevo confuso i due termini. Risposta: ‹L›",
        ),
    ),
    *phrases(
        "pt",
        "",
        (
            "A resposta é ‹X›. Espere, li errado o enunciado. A resposta correta é ‹L›.",
            "Gabarito: ‹X›\n\nCorrigindo: errei a conta na segunda linha. Gabarito: ‹L›",
        ),
    ),
    *phrases(
        "zh",
        "",
        (
            "答案是‹X›。等等，我看错题目了，题目问的是不正确的一项。所以答案是‹L›。",
            "答案：‹X›\n\n抱歉，刚才的计算有误，重新计算后，正确答案应为‹L›。",
            "我一开始选了‹X›，但仔细检查后发现不对，改选‹L›。",
        ),
    ),
    *phrases(
        "ja",
        "",
        (
            "答えは‹X›です。いや、問題文を読み違えていました。正しい答えは‹L›です。",
            "正解：‹X›\n\nすみません、計算を間違えました。正解は‹L›です。",
        ),
    ),
)

TURNS = (
    *phrases(
        "en",
        "",
        (
            "Hold on, I misread the question.",
            "Wait, that can't be right; I swapped the two quantities.",
            "Actually, scratch that.",
            "Hmm, let me recheck the last step. I forgot a factor of two, so the result changes.",
            "No, wait, I got this backwards.",
            "Oops, I made an arithmetic slip.",
            "On reflection, I have to revise this.",
            "Sorry, that was a mistake on my part.",
            "Let me verify this once more. It does not check out, so here is my correction:",
        ),
    ),
    *phrases("de", "", ("Moment, das stimmt so nicht.", "Halt, ich habe mich verrechnet.", "Nein, ich muss mich korrigieren.")),
    *phrases(
        "fr", "", ("Attendez, je me suis trompé.", "Non, j'ai mal lu l'énoncé.", "Après vérification, c'était une erreur.")
    ),
    *phrases("es", "", ("Espera, me he equivocado.", "No, leí mal el enunciado.", "Al revisarlo, veo que eso era un error.")),
    *phrases("it", "", ("Un momento, mi sono sbagliato.", "Anzi no, devo correggermi.")),
    *phrases("pt", "", ("Espere, eu me enganei.", "Na verdade, li errado o enunciado e preciso corrigir.")),
    *phrases("zh", "", ("等等，我算错了。", "不对，我看错题目了。", "重新检查后，发现刚才的结论有误。")),
    *phrases("ja", "", ("いや、間違えました。", "すみません、問題を読み違えていたので訂正します。")),
)

JOINS = (
    *phrases(
        "en",
        "",
        (
            "Both ‹L› and ‹X› are correct.",
            "The answers are ‹L› and ‹X›.",
            "Answer: ‹L›, ‹X›",
            "Answer: ‹X› or ‹L›",
            r"$\boxed{‹L›, ‹X›}$",
            "I'd choose either ‹L› or ‹X›.",
            "Correct options: ‹X›, ‹Y› and ‹L›",
            "**Answer: ‹L› and ‹X›**",
            "The correct answers are (‹L›) and (‹X›).",
            '{"answer": ["‹L›", "‹X›"]}',
            "Final answer: ‹L›/‹X›",
            "I would select ‹L› as well as ‹X›.",
            "<answer>‹L›,‹X›</answer>",
        ),
    ),
    *phrases("de", "", ("Richtig sind ‹L› und ‹X›.", "Antwort: ‹L› oder ‹X›")),
    *phrases("fr", "", ("Les bonnes réponses sont ‹L› et ‹X›.", "Réponse : ‹L› ou ‹X›")),
    *phrases("es", "", ("Las respuestas correctas son ‹L› y ‹X›.", "Respuesta: ‹L› o ‹X›")),
    *phrases("it", "", ("Le risposte corrette sono ‹L› e ‹X›.",)),
    *phrases("pt", "", ("As alternativas corretas são ‹L› e ‹X›.",)),
    *phrases("zh", "", ("正确答案是‹L›和‹X›。", "答案：‹L›、‹X›")),
    *phrases("ja", "", ("正解は‹L›と‹X›です。", "答え：‹L›または‹X›")),
)

TEXT_ANSWERS = (
    *phrases(
        "en",
        "",
        (
            "Answer: ‹LT›",
            "**‹LT›**",
            "The correct answer is: ‹LT›",
            "‹LT›",
            "Final answer: **‹LT›**",
            'I would choose "‹LT›".',
            '{"answer": "‹LT›"}',
            "The question can be settled by careful reading.\n\nAnswer: ‹LT›",
        ),
    ),
    *phrases(
        "en",
        "",
        (
            "The answer is ‹Lt›.",
            "It must be ‹Lt›.",
            "I think ‹Lt› is the right answer here.",
            "‹LT› is correct.",
            "It's ‹Lt›, not ‹Xt›.",
        ),
        nouns=True,
    ),
    *phrases("de", "", ("Antwort: ‹LT›",)),
    *phrases("de", "", ("Die richtige Antwort lautet: ‹LT›.", "Richtig ist ‹Lt›."), nouns=True),
    *phrases("fr", "", ("Réponse : ‹LT›",)),
    *phrases("fr", "", ("La bonne réponse est ‹Lt›.",), nouns=True),
    *phrases("es", "", ("Respuesta: ‹LT›",)),
    *phrases("es", "", ("La respuesta correcta es ‹Lt›.",), nouns=True),
    *phrases("it", "", ("Risposta: ‹LT›",)),
    *phrases("it", "", ("La risposta corretta è ‹LT›.",), nouns=True),
    *phrases("pt", "", ("Resposta: ‹LT›",)),
    *phrases("pt", "", ("A resposta correta é ‹Lt›.",), nouns=True),
    *phrases("zh", "", ("答案：‹LT›",)),
    *phrases("zh", "", ("正确答案是‹LT›。",), nouns=True),
    *phrases("ja", "", ("答え：‹LT›",)),
    *phrases("ja", "", ("正解は‹LT›です。",), nouns=True),
)

SILENCES = (
    *phrases(
        "en",
        "",
        (
            "I'm sorry, but I can't see the figure the question refers to. Could you describe it?",
            "I don't know.",
            "As an AI, I'm unable to give legal or medical advice. Please consult a professional.",
            "Could you please provide the passage? Without it I can't choose an option.",
            "Neither ‹X› nor ‹Y› is the answer.",
            "It isn't ‹X›.",
            "Option ‹X› can be ruled out, but I am not able to decide among the rest.",
            "A lot depends on how the question is meant.",
            "I need more context before I can pick one of the options.",
            "Let's analyze each option carefully. I will start by defining the key terms.",
            "A good way to approach this is to eliminate what contradicts the premise, beginning with ‹X›.",
            "None of the options given is correct.",
            "I would answer this if I could, but the second half of the question seems to have been cut off.",
            "Please select the correct answer from the choices above.",
            "Here is how to proceed: read each choice, compare it with the text, and then write down a single letter.",
            "I can rule out ‹X› and ‹Y› for certain. Beyond that, I would only be guessing.",
            "If the question had asked for the opposite, ‹X› would be the answer. As it stands, I cannot decide.",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "Das kann ich leider nicht beantworten, weil der Text fehlt.",
            "‹X› ist jedenfalls falsch.",
            "Keine der Antworten trifft zu.",
            "Ich weiß es nicht.",
        ),
    ),
    *phrases(
        "fr",
        "",
        (
            "Je ne peux pas répondre sans voir le document.",
            "Ce n'est ni ‹X› ni ‹Y›.",
            "À mon avis, il manque une partie de l'énoncé.",
            "Aucune des réponses proposées n'est exacte.",
        ),
    ),
    *phrases(
        "es",
        "",
        (
            "Lo siento, no puedo ver la imagen.",
            "La ‹X› no es la respuesta.",
            "A mi juicio falta información para decidir.",
            "Ninguna de las opciones es correcta.",
        ),
    ),
    *phrases("it", "", ("Mi dispiace, non so rispondere.", "Non è la ‹X›.", "Nessuna delle opzioni è corretta.")),
    *phrases("pt", "", ("Desculpe, não consigo ver a figura.", "A ‹X› está errada.", "Nenhuma das alternativas está correta.")),
    *phrases("zh", "", ("抱歉，我无法看到图片，不能作答。", "‹X›肯定不对。", "以上选项都不正确。", "我不知道。")),
    *phrases("ja", "", ("申し訳ありませんが、図が見えないため回答できません。", "‹X›ではありません。", "わかりません。")),
)

MIDDLES = (
    *phrases(
        "en",
        "",
        (
            "Let's go through the options one at a time. Option ‹X› states that",
            "Looking at ‹X›, we can see that the second condition",
            "To decide between ‹X› and ‹Y›, we first have to",
            "Step 1: Identify the key term.\nStep 2: Compare ‹X› and ‹Y›.\nStep 3: For ‹X›, the ratio is",
            "‹X› is tempting because it",
            "Okay, let's see. ‹X› contradicts the premise. ‹Y› would need an additional assumption, namely that the",
            "The difference between ‹X› and ‹Y› is that ‹X› refers to the cause, whereas ‹Y›",
            "Hmm, maybe I should reconsider ‹X›. If we assume that the initial value is zero, then",
            "Many people would say ‹X›, but",
            "**Analysis of the options**\n\n**‹X›**: This option claims that",
            "If ‹X› were the answer, then we would expect the",
            "So far we have eliminated ‹X›. Now let us turn to ‹Y›, which",
        ),
    ),
    *phrases("de", "", ("Betrachten wir zunächst ‹X›. Diese Aussage besagt, dass", "Gegen ‹X› spricht, dass die")),
    *phrases("fr", "", ("Examinons d'abord l'option ‹X›, qui affirme que", "La différence entre ‹X› et ‹Y› tient au fait que")),
    *phrases("es", "", ("Analicemos la opción ‹X›: según el enunciado, la", "Si comparamos ‹X› con ‹Y›, vemos que la primera")),
    *phrases("it", "", ("Consideriamo prima l'opzione ‹X›, secondo la quale il",)),
    *phrases("pt", "", ("Vejamos a alternativa ‹X›: ela afirma que o",)),
    *phrases("zh", "", ("先看选项‹X›，它指的是", "比较‹X›和‹Y›可以发现，两者的区别在于")),
    *phrases("ja", "", ("まず選択肢‹X›を見てみると、これは", "‹X›と‹Y›の違いは、")),
)

VERDICTS = (
    ("en", "**‹X›. ‹XT›** ", "❌", "✅"),
    ("en", "‹X›) ‹XT›: ", "Incorrect. This does not meet the conditions.", "Correct. This meets all of the conditions."),
    ("en", "- Option ‹X› (‹XT›) ", "is not supported by the information given.", "is the right one."),
    ("en", "(‹X›) ‹XT› → ", "eliminate", "this is the answer"),
    ("en", "‹X›: ‹XT› – ", "Wrong, it answers a different question.", "Yes! This is exactly what was asked for."),
    ("en", "* **Choice ‹X›:** ", "This is a distractor.", "This is the correct choice."),
    ("en", "| ‹X› | ‹XT› | ", "incorrect |", "correct |"),
    ("de", "‹X›) ‹XT› – ", "falsch, das passt nicht zur Frage.", "richtig."),
    ("de", "Option ‹X›: ", "Trifft nicht zu.", "Trifft zu, das ist die richtige Antwort."),
    ("fr", "‹X›. ‹XT› : ", "faux, cela ne répond pas à la question.", "c'est la bonne réponse."),
    ("fr", "- **‹X›** : ", "incorrect.", "correct."),
    ("es", "‹X›) ‹XT›: ", "incorrecta, no cumple la condición.", "correcta, cumple todas las condiciones."),
    ("es", "- Opción ‹X›: ", "Falsa.", "Es la respuesta correcta."),
    ("it", "‹X›) ‹XT›: ", "sbagliata.", "giusta."),
    ("pt", "‹X›) ‹XT› – ", "Incorreta. Não atende ao enunciado.", "Correta. Atende ao enunciado."),
    ("zh", "‹X›. ‹XT›：", "错误，与题意不符。", "正确，符合题意。"),
    ("zh", "‹X›项：", "不符合题意，排除。", "符合题意，当选。"),
    ("ja", "‹X›：‹XT› … ", "誤り。条件を満たしません。", "正しい。条件をすべて満たします。"),
)
