"""Whole replies, turns between declarations, and verdict rows."""

from __future__ import annotations

from letter_replies.model import phrases

RETRACTIONS = (
    *phrases(
        "en",
        "",
        (
            "The answer is ‹X›. Wait, no, I misread the question. The answer is ‹L›.",
            "I first thought it was ‹X›, but on reflection the correct answer is ‹L›.",
            "**Answer: ‹X›**\n\nHold on, the question asks for the exception.\n\n**Answer: ‹L›**",
            "I'd say ‹X›... actually, scratch that, it's ‹L›.",
            "Answer: ~~‹X›~~ ‹L›",
            "<think>\nProbably ‹X›. Hmm, no, ‹L› fits better.\n</think>\n\nThe answer is ‹L›.",
            "My apologies, I made a mistake earlier: the right answer is not ‹X› but ‹L›.",
            "$\\boxed{‹X›}$\n\nOn second thought, I dropped a condition. Redoing it carefully gives\n\n$\\boxed{‹L›}$",
            "Let me change my answer from ‹X› to ‹L›.",
            "So it's ‹X›. Hmm, let me double-check that. No, ‹X› violates one of the conditions, so it must be ‹L›.",
            "Option ‹X› is correct. Correction: option ‹L› is correct.",
            "Initially I leaned towards ‹X›. Having looked at it again, I'm switching to ‹L›.",
            "A first reading suggests that the answer is ‹X›. A second reading shows that this is "
            "wrong and that the answer is ‹L›.",
            "You're right, I was wrong to say ‹X›. It should be ‹L›.",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "Die Antwort ist ‹X›. Moment, das stimmt nicht. Die richtige Antwort ist ‹L›.",
            "Zuerst dachte ich an ‹X›, aber nach nochmaligem Lesen entscheide ich mich für ‹L›.",
        ),
    ),
    *phrases(
        "fr",
        "",
        (
            "La bonne réponse est ‹X›. Non, je me suis trompé : c'est ‹L›.",
            "J'ai d'abord pensé à ‹X›, mais je retiens finalement la réponse ‹L›.",
        ),
    ),
    *phrases(
        "es",
        "",
        (
            "La respuesta es ‹X›. Perdón, me equivoqué: la respuesta correcta es ‹L›.",
            "Respuesta: ‹X›\n\nEspera, he leído mal el enunciado.\n\nRespuesta: ‹L›",
        ),
    ),
    *phrases("it", "", ("La risposta è ‹X›. Anzi, no: ricontrollando, la risposta corretta è ‹L›.",)),
    *phrases("pt", "", ("A resposta é a letra ‹X›. Espere, li errado o enunciado. A resposta correta é a letra ‹L›.",)),
    *phrases("zh", "", ("答案是‹X›。等等，我看错题了，正确答案应该是‹L›。", "一开始我选了‹X›，重新检查后改选‹L›。")),
    *phrases(
        "ja",
        "",
        (
            "答えは‹X›です。すみません、訂正します。正しい答えは‹L›です。",
            "最初は‹X›だと思いましたが、見直した結果、正解は‹L›です。",
        ),
    ),
)

TURNS = (
    *phrases(
        "en",
        "",
        (
            "Wait, that's not right.",
            "Hold on, I misread the question.",
            "Hmm, let me double-check that. Right, I made a mistake.",
            "Correction:",
            "Actually, no.",
            "Oops, I overlooked a condition. Let me fix that.",
            "On second thought, I have to revise this.",
            "Scratch that.",
            "Sorry, I need to correct myself.",
            "After checking again, I see that this was wrong.",
            "No wait, I mixed up the options.",
            "I take that back.",
        ),
    ),
    *phrases("de", "", ("Moment, das war falsch.", "Halt, ich habe mich verlesen.", "Ich muss mich korrigieren.")),
    *phrases("fr", "", ("Attendez, je me suis trompé.", "Non, je corrige.")),
    *phrases("es", "", ("Espera, eso no es correcto.", "Perdón, me he equivocado.")),
    *phrases("it", "", ("Un momento, ho sbagliato.", "Anzi, mi correggo.")),
    *phrases("pt", "", ("Espere, cometi um erro.", "Não, preciso me corrigir.")),
    *phrases("zh", "", ("等等，我算错了。", "不对，重新检查一遍。")),
    *phrases("ja", "", ("いや、間違えました。", "すみません、訂正します。")),
)

JOINS = (
    *phrases(
        "en",
        "",
        (
            "Both ‹L› and ‹X› are correct.",
            "The answer is ‹L› or ‹X›.",
            "‹L› and ‹X›",
            "Answer: ‹L›, ‹X›",
            "Answer: ‹L›/‹X›",
            "The correct answers are ‹L›, ‹X› and ‹Y›.",
            "\\boxed{‹L›, ‹X›}",
            '{"answer": ["‹L›", "‹X›"]}',
            "I'd mark both ‹L› and ‹X›.",
            "It's either ‹L› or ‹X›.",
            "**Final answer: ‹L› & ‹X›**",
            "The correct options are (‹L›) and (‹X›).",
        ),
    ),
    *phrases("de", "", ("Richtig sind ‹L› und ‹X›.", "Die Antwort ist entweder ‹L› oder ‹X›.")),
    *phrases("fr", "", ("Les bonnes réponses sont ‹L› et ‹X›.", "La réponse est ‹L› ou ‹X›.")),
    *phrases("es", "", ("Las respuestas correctas son ‹L› y ‹X›.", "La respuesta es ‹L› o ‹X›.")),
    *phrases("it", "", ("Le risposte corrette sono ‹L› e ‹X›.",)),
    *phrases("pt", "", ("As alternativas corretas são ‹L› e ‹X›.",)),
    *phrases("zh", "", ("正确答案是‹L›和‹X›。", "答案：‹L›、‹X›")),
    *phrases("ja", "", ("正解は‹L›と‹X›です。", "答えは‹L›または‹X›です。")),
)

TEXT_ANSWERS = (
    *phrases(
        "en",
        "",
        (
            "‹LT›",
            "**‹LT›**",
            "Answer: ‹LT›",
            'The correct answer is "‹LT›".',
            'The correct option is the one that says "‹LT›".',
            "Final answer: **‹LT›**",
            '{"answer": "‹LT›"}',
            "### Answer\n\n‹LT›",
            "Out of the choices given, the right one is: ‹LT›",
        ),
    ),
    *phrases(
        "en",
        "",
        (
            "It must be ‹Lt›.",
            "I would say ‹Lt›.",
            "The correct answer is ‹Lt›.",
            "It isn't ‹Xt›; the right answer is ‹Lt›.",
            "‹LT› is the right answer.",
        ),
        nouns=True,
    ),
    *phrases("de", "", ("Antwort: ‹LT›", "Die richtige Option lautet: „‹LT›“")),
    *phrases("de", "", ("Die richtige Antwort ist ‹Lt›.",), nouns=True),
    *phrases("fr", "", ("Réponse : ‹LT›",)),
    *phrases("fr", "", ("La bonne réponse est ‹Lt›.",), nouns=True),
    *phrases("es", "", ("Respuesta: ‹LT›",)),
    *phrases("es", "", ("La respuesta correcta es ‹Lt›.",), nouns=True),
    *phrases("it", "", ("La risposta corretta è ‹Lt›.",), nouns=True),
    *phrases("pt", "", ("A resposta correta é ‹Lt›.",), nouns=True),
    *phrases("zh", "", ("正确答案是：‹LT›",)),
    *phrases("zh", "", ("应该是‹LT›。",), nouns=True),
    *phrases("ja", "", ("答え：‹LT›",)),
    *phrases("ja", "", ("正解は‹LT›です。",), nouns=True),
)

SILENCES = (
    *phrases(
        "en",
        "",
        (
            "I'm sorry, but I can't see the figure the question refers to, so I can't choose an option.",
            "‹X› can be ruled out, but I don't have enough information to decide among the others.",
            "Neither ‹X› nor ‹Y› fits, and I am not sure about the remaining options.",
            "I don't know the answer to this one.",
            "Could you please share the complete question?",
            "Let me know if you'd like me to go through the options one by one!",
            "A good way to approach this is to compare each option with the text.",
            "I can't help with exams that are still running.",
            "The question seems to be cut off, so no option can be chosen.",
            "I won't give you the answer right away. Look at ‹X› again: what in it contradicts the question?",
            "As an AI language model, I cannot give advice on this matter. Please consult a professional.",
            "Let's narrow it down. The answer is not ‹X›, and it is not ‹Y› either.",
            "Why do you think ‹X› is a popular wrong answer? Try to explain it in your own words first.",
            "Here is a hint: eliminate ‹X› first, then compare what is left.",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "‹X› ist falsch, aber zwischen den übrigen kann ich mich nicht entscheiden.",
            "Dazu fehlen mir leider die nötigen Angaben.",
        ),
    ),
    *phrases(
        "fr",
        "",
        ("Je ne connais pas la réponse à cette question.", "Ce n'est ni ‹X› ni ‹Y›, mais je ne peux pas en dire plus."),
    ),
    *phrases(
        "es", "", ("No tengo suficiente información para responder.", "La ‹X› no es, pero no sabría decir cuál de las demás.")
    ),
    *phrases("it", "", ("Mi dispiace, non riesco a rispondere a questa domanda.",)),
    *phrases("pt", "", ("A pergunta está incompleta, por isso não consigo responder.",)),
    *phrases("zh", "", ("抱歉，我无法回答这个问题。", "可以排除‹X›，但其余选项我无法判断。")),
    *phrases(
        "ja", "", ("申し訳ありませんが、情報が足りないため答えられません。", "‹X›は違いますが、残りのどれかは分かりません。")
    ),
)

MIDDLES = (
    *phrases(
        "en",
        "",
        (
            "Let's examine each option in turn. ‹X› says that",
            "Option ‹X› is incorrect because",
            "Comparing ‹X› with ‹Y›, the main difference is that the",
            "If ‹X› were true, then we would expect the",
            "We can exclude ‹X› and ‹Y›, so the correct answer must be",
            "Okay, so I need to choose between several options. Looking at ‹X›, it talks about something that",
            "Let me test ‹X› first. Substituting it into the condition, we",
            "A student might be tempted to choose ‹X›, but this would",
            "Step 1: Rule out ‹X›, since it does not fit.\nStep 2: Look at ‹Y›. Here we have to",
            "‹X›) ‹XT›: incorrect, because the question asks for something else.\n‹Y›) ‹YT›: here we have to check whether",
            "The question asks which option fits. ‹X› and ‹Y› both refer to the same",
            "Is it ‹X›? Let's check whether the",
        ),
    ),
    *phrases(
        "de", "", ("Schauen wir uns ‹X› an: Hier wird behauptet, dass", "‹X› scheidet aus, und bei ‹Y› müsste man prüfen, ob")
    ),
    *phrases("fr", "", ("L'option ‹X› est fausse, car", "Comparons ‹X› et ‹Y› : la première parle de")),
    *phrases("es", "", ("La opción ‹X› no es correcta porque", "Si tomamos la ‹X›, vemos que el")),
    *phrases("it", "", ("L'opzione ‹X› non va bene perché",)),
    *phrases("pt", "", ("A alternativa ‹X› está errada porque",)),
    *phrases("zh", "", ("先看选项‹X›，它说的是", "‹X›项错误，因为")),
    *phrases("ja", "", ("まず‹X›を見ると、これは", "‹X›は誤りで、‹Y›については")),
)

VERDICTS = (
    ("en", "‹X›. ‹XT› — ", "incorrect", "correct"),
    ("en", "- **‹X›)** ‹XT›: ", "❌ Does not fit the question.", "✅ This one fits the question."),
    ("en", "(‹X›) ‹XT› ", "✗", "✓"),
    ("en", "Option ‹X›: ", "No. This is not what the question asks for.", "Yes. This is exactly what the question asks for."),
    ("en", "‹X› – ", "wrong, this can be ruled out.", "right, this is the answer."),
    ("en", "**‹X›: ‹XT›** – ", "Not correct; it fails on at least one point.", "Correct; it meets every condition."),
    ("en", "| ‹X› | ‹XT› | ", "incorrect |", "correct |"),
    ("en", "Choice ‹X› ", "is not right.", "is right."),
    ("de", "‹X›) ‹XT› – ", "falsch", "richtig"),
    ("de", "- **Option ‹X›:** ", "Trifft nicht zu.", "Trifft zu, das ist die gesuchte Antwort."),
    ("fr", "‹X›. ‹XT› : ", "incorrect", "correct"),
    (
        "es",
        "Opción ‹X›: ",
        "Incorrecta, no cumple lo que pide el enunciado.",
        "Correcta, cumple todo lo que pide el enunciado.",
    ),
    ("it", "‹X›) ‹XT›: ", "sbagliato", "giusto"),
    ("pt", "Alternativa ‹X›: ", "incorreta.", "correta."),
    ("zh", "‹X›. ‹XT›：", "错误，不符合题意。", "正确，符合题意。"),
    ("zh", "选项‹X›：", "不正确", "正确"),
    ("ja", "‹X›：‹XT› → ", "不適切", "適切"),
    ("ja", "選択肢‹X›は", "誤りです。", "正しいです。"),
)
