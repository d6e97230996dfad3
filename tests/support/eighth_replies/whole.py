"""Whole replies of the families that need them."""

from __future__ import annotations

from letter_replies.model import phrases

RETRACTIONS = (
    *phrases("en", "", (
        "The answer is ‹X›. Wait, I misread the question. The answer is ‹L›.",
        "‹X›... no, actually ‹L›.",
        "Answer: ‹X›\n\nCorrection: the answer should be ‹L›.",
        "I first thought it was ‹X›, but on a second look it has to be ‹L›.",
        "I said ‹X› above, but I meant ‹L›.",
        "Answer: ‹X›\n\nHmm, let me double-check. The second condition fails for ‹X›, so the answer is ‹L›.",
        "My initial answer was ‹X›. After going over it again, I'm changing it to ‹L›.",
        "The correct answer is **‹X›**.\n\nApologies, that was a mistake. The correct answer is **‹L›**.",
        "\\boxed{‹X›}\n\nActually, that is wrong, since I overlooked a condition. The correct result is \\boxed{‹L›}",
        "So the answer is ‹X›. Hmm, wait. That can't be right, because ‹X› contradicts the premise. It must be ‹L›.",
        "**Answer: ‹X›**\n\n**Corrected answer: ‹L›**",
        "I would go with ‹X›. Actually, no, I'd rather go with ‹L›.",
        "It's ‹X›.\n\nSorry, I meant to write ‹L›.",
        "The answer seems to be ‹X›. However, a second look at the wording shows that this is wrong. The right answer is ‹L›.",
    )),
    *phrases("de", "", (
        "Die Antwort ist ‹X›. Moment, ich habe die Frage falsch gelesen. Richtig ist ‹L›.",
        "Antwort: ‹X›\n\nKorrektur: Antwort ‹L›",
        "Zuerst dachte ich an ‹X›, aber richtig ist ‹L›.",
    )),
    *phrases("fr", "", (
        "La réponse est ‹X›. Non, je me suis trompé : la bonne réponse est ‹L›.",
        "J'avais d'abord pensé à ‹X›, mais la bonne réponse est ‹L›.",
        "Réponse : ‹X›\n\nCorrection : la réponse est ‹L›.",
    )),
    *phrases("es", "", (
        "La respuesta es ‹X›. Perdón, me equivoqué: la respuesta correcta es ‹L›.",
        "Al principio pensé en la ‹X›, pero la respuesta correcta es la ‹L›.",
    )),
    *phrases("it", "", (
        "La risposta è ‹X›. Anzi no, ho sbagliato: la risposta corretta è ‹L›.",
        "Risposta: ‹X›\n\nCorrezione: la risposta giusta è la ‹L›.",
    )),
    *phrases("pt", "", (
        "A resposta é ‹X›. Desculpe, errei: a resposta correta é ‹L›.",
        "Resposta: ‹X›\n\nCorreção: a alternativa correta é a ‹L›.",
    )),
    *phrases("zh", "", (
        "答案是‹X›。不对，我看错了，正确答案应该是‹L›。",
        "答案：‹X›\n\n更正：答案：‹L›",
    )),
    *phrases("ja", "", (
        "答えは‹X›です。すみません、間違えました。正しい答えは‹L›です。",
        "最初は‹X›だと思いましたが、見直した結果、正解は‹L›です。",
    )),
)  # fmt: skip

JOINS = (
    *phrases("en", "", (
        "‹L› and ‹X›",
        "‹L›, ‹X›",
        "‹L› & ‹X›",
        "Answer: ‹L› and ‹X›",
        "Answer: ‹L›, ‹X›, ‹Y›",
        "**Answer: ‹L› and ‹X›**",
        "Both ‹L› and ‹X› are correct.",
        "The correct answers are ‹L› and ‹X›.",
        "The correct options are **‹L›** and **‹X›**.",
        "The answer is either ‹L› or ‹X›.",
        "I would choose ‹L› and ‹X›.",
        "Options ‹L› and ‹X› are both correct.",
        "The correct answers are:\n\n‹L›) ‹LT›\n‹X›) ‹XT›",
        "\\boxed{‹L›, ‹X›}",
        "The final answer is $\\boxed{\\text{‹L› and ‹X›}}$.",
        '{"answer": ["‹L›", "‹X›"]}',
        "Final answer: ‹L›/‹X›",
    )),
    *phrases("de", "", (
        "‹L› und ‹X›",
        "Antwort: ‹L› und ‹X›",
        "Die richtigen Antworten sind ‹L› und ‹X›.",
        "Sowohl ‹L› als auch ‹X› sind richtig.",
    )),
    *phrases("fr", "", ("Réponses : ‹L› et ‹X›", "Les bonnes réponses sont ‹L› et ‹X›.")),
    *phrases("es", "", ("Respuesta: ‹L› y ‹X›", "Las respuestas correctas son la ‹L› y la ‹X›.")),
    *phrases("it", "", ("Le risposte corrette sono ‹L› e ‹X›.", "Risposta: ‹L› e ‹X›")),
    *phrases("pt", "", ("As alternativas corretas são ‹L› e ‹X›.", "Resposta: ‹L› e ‹X›")),
    *phrases("zh", "", ("答案：‹L›、‹X›", "正确答案是‹L›和‹X›。")),
    *phrases("ja", "", ("正解は‹L›と‹X›です。", "答え：‹L›、‹X›")),
)  # fmt: skip

TEXT_ANSWERS = (
    *phrases("en", "", (
        "‹LT›",
        "**‹LT›**",
        "Answer: ‹LT›",
        "The correct answer is: ‹LT›",
        "**Final Answer:** ‹LT›",
        "\\boxed{\\text{‹LT›}}",
        '{"answer": "‹LT›"}',
        "The correct answer is **\"‹LT›\"**.",
        "Based on the question, the best answer is:\n\n**‹LT›**",
        "<answer>‹LT›</answer>",
    )),
    *phrases("en", "", (
        "The answer is ‹Lt›.",
        "It's ‹Lt›.",
        "I would say ‹Lt›.",
        "Therefore, the correct answer is ‹Lt›.",
        "My answer is ‹Lt›.",
        "Let's think step by step. The description matches only one of the options. So the answer is **‹Lt›**.",
    ), nouns=True),
    *phrases("de", "", ("Antwort: ‹LT›", "Die richtige Antwort lautet: ‹LT›")),
    *phrases("de", "", ("Die richtige Antwort ist ‹Lt›.", "Es ist ‹Lt›."), nouns=True),
    *phrases("fr", "", ("Réponse : ‹LT›", "La bonne réponse est : **‹LT›**")),
    *phrases("fr", "", ("La bonne réponse est ‹Lt›.",), nouns=True),
    *phrases("es", "", ("Respuesta: ‹LT›", "La respuesta correcta es: **‹LT›**")),
    *phrases("es", "", ("La respuesta correcta es ‹Lt›.",), nouns=True),
    *phrases("it", "", ("Risposta: ‹LT›",)),
    *phrases("it", "", ("La risposta corretta è ‹Lt›.",), nouns=True),
    *phrases("pt", "", ("Resposta: ‹LT›",)),
    *phrases("pt", "", ("A resposta correta é ‹Lt›.",), nouns=True),
    *phrases("zh", "", ("答案：‹LT›", "正确答案是‹LT›。")),
    *phrases("ja", "", ("答え：‹LT›", "正解は‹LT›です。")),
)  # fmt: skip

SILENCES = (
    *phrases("en", "", (
        "I'm sorry, but I can't answer this without seeing the figure.",
        "I don't know the answer to this question.",
        "There is not enough information to decide.",
        "I'm not sure which of these is meant. Could you share the full passage?",
        "Hello! How can I help you today?",
        "As an AI language model, I cannot give legal or medical advice. Please consult a professional.",
        "The result I get does not match any of the options, so I cannot pick one.",
        "Please provide the answer choices so that I can help you.",
        "Let me think about this carefully.",
        "To answer the question, we first have to look at how the term is defined. Different textbooks define it differently.",
        "‹X› is clearly wrong, but I can't decide among the rest.",
        "I can rule out ‹X›, but I don't know which of the other options is right.",
        "I don't think it's ‹X›. Beyond that I can't say.",
        "The question seems to be incomplete.",
        "I apologize, but I'm unable to determine the correct option from what is given.",
        "I cannot open images, so I can't tell what the diagram shows.",
    )),
    *phrases("de", "", (
        "Das kann ich leider nicht beantworten.",
        "Ohne weitere Angaben lässt sich die Frage nicht entscheiden.",
        "‹X› ist falsch, aber zwischen den übrigen Antworten kann ich mich nicht entscheiden.",
    )),
    *phrases("fr", "", (
        "Je ne peux pas répondre à cette question sans le document.",
        "Désolé, l'énoncé semble incomplet.",
    )),
    *phrases("es", "", (
        "Lo siento, no tengo suficiente información para responder.",
        "No sé cuál es la respuesta.",
    )),
    *phrases("it", "", (
        "Mi dispiace, non ho abbastanza informazioni per rispondere.",
        "Potresti riportare il testo completo della domanda?",
    )),
    *phrases("pt", "", (
        "Desculpe, não consigo responder sem ver a figura.",
        "Não há informações suficientes para decidir.",
    )),
    *phrases("zh", "", ("抱歉，题目信息不足，我无法作答。", "请提供完整的题目，以便我帮助您。")),
    *phrases("ja", "", ("申し訳ありませんが、図がないため回答できません。", "情報が不足しているため、判断できません。")),
)  # fmt: skip

MIDDLES = (
    *phrases("en", "", (
        "Let's go through the options. ‹X› says that the",
        "To solve this, we first have to compare ‹X› with",
        "Let's break this down.\n\n**Option ‹X›:** This option refers to the",
        "We need to determine whether ‹X› or",
        "Looking at ‹X› and ‹Y›, the main difference is that",
        "Okay, so the question gives several options. Let me look at ‹X›. It would mean that the",
        "1. **‹X›. ‹XT›**: This would require that the",
        "Step 1: Read the question.\nStep 2: Compare the options. Option ‹X› mentions",
        "‹X› can be ruled out because",
        "Let me evaluate each choice:\n\n- ‹X›: ‹XT›. Here we have to ask whether",
        "‹X› and ‹Y› are both about the same topic, while the",
        "<think>\nHmm, let me see. Option ‹X› talks about",
        "If we assume ‹X›, then it would follow that the",
        "The first thing to note is that ‹X› is not consistent with",
    )),
    *phrases("de", "", (
        "Gehen wir die Antworten durch. ‹X› besagt, dass",
        "Zunächst zu Option ‹X›: Hier geht es um die",
        "‹X› scheidet aus, weil",
    )),
    *phrases("fr", "", (
        "Examinons les propositions. L'option ‹X› évoque le",
        "On peut écarter ‹X›, parce que",
    )),
    *phrases("es", "", (
        "Analicemos las opciones. La opción ‹X› se refiere a",
        "La ‹X› se puede descartar porque",
    )),
    *phrases("it", "", ("Esaminiamo le opzioni. L'opzione ‹X› riguarda il", "La ‹X› si può escludere perché")),
    *phrases("pt", "", (
        "Vamos analisar as alternativas. A alternativa ‹X› trata de",
        "A alternativa ‹X› pode ser descartada porque",
    )),
    *phrases("zh", "", ("我们逐项分析。选项‹X›说的是", "首先，‹X›可以排除，因为")),
    *phrases("ja", "", ("選択肢を順に確認します。‹X›については、", "まず‹X›は除外できます。なぜなら")),
)  # fmt: skip

VERDICTS = (
    ("en", "‹X›. ‹XT› - ", "Incorrect", "Correct"),
    ("en", "‹X›) ‹XT› ", "❌", "✅"),
    ("en", "- **‹X›**: ", "Incorrect. This does not fit the question.", "Correct. This is exactly what is asked for."),
    ("en", "- **‹X›. ‹XT›**: ", "This is not correct.", "This is the correct answer."),
    ("en", "(‹X›) ", "does not match the description.", "matches the description."),
    ("en", "Option ‹X›: ", "wrong", "right"),
    ("en", "* ‹X›) ‹XT› – ", "No, this contradicts the passage.", "Yes, this agrees with the passage."),
    ("en", "**‹X›)** ", "✗ Not supported by the facts", "✓ Supported by the facts"),
    ("de", "‹X›) ‹XT› – ", "falsch", "richtig"),
    ("de", "- **‹X›**: ", "Trifft nicht zu.", "Trifft zu."),
    ("fr", "‹X›. ‹XT› : ", "faux", "correct"),
    ("fr", "- **‹X›** : ", "Cette proposition est incorrecte.", "C'est la bonne réponse."),
    ("es", "‹X›) ‹XT›: ", "incorrecta", "correcta"),
    ("it", "‹X›) ‹XT›: ", "sbagliata", "corretta"),
    ("pt", "‹X›) ‹XT› – ", "incorreta", "correta"),
    ("zh", "‹X›. ‹XT›：", "错误。", "正确。"),
    ("zh", "选项‹X›：", "不符合题意", "符合题意"),
    ("ja", "‹X›：‹XT› → ", "誤り", "正しい"),
)
