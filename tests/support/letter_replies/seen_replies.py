"""Whole replies of the seen half: corrections, joined letters, texts alone, silences, and replies that stop in the middle."""

from __future__ import annotations

from letter_replies.model import phrases

RETRACTIONS = (
    *phrases(
        "en",
        "",
        (
            "Answer: ‹X›. Wait, no: it is ‹L›.",
            "I said ‹X›, but ‹L› is right.",
            "The answer is ‹X›. Scratch that, it's ‹L›.",
            "I first thought of ‹X›, but the answer is ‹L›.",
            "My first choice was ‹X›. On reflection, I choose ‹L›.",
            "Option ‹X›. No, wait. Option ‹L›.",
            "‹X›. Actually, ‹L›.",
            "The answer is ‹X›. Hmm, that ignores the units. So the answer is ‹L›.",
            "Answer: ‹X›\n\nLet me double-check. I made a mistake above.\n\nAnswer: ‹L›",
            "‹X› is correct. Wait, I misread the question. ‹L› is correct.",
            "Not ‹X› after all. The correct answer is ‹L›.",
            "I'd go with ‹X›. Sorry, I meant ‹L›.",
            "The answer is ‹X›. Wait, no, ‹Y›. Hmm, on closer look the answer is ‹L›.",
            "Answer: ‹X›. Correction: ‹Y›. Second correction: ‹L›.",
            "The answer is ‹L›. Wait, maybe ‹X›? No, the answer is ‹L›.",
            "Answer: ‹L›. Hold on, could it be ‹X›? No. I stay with ‹L›.",
            "I was going to say ‹X›, but now I'm sure it's ‹L›.",
            "Instead of ‹X›, the correct answer is ‹L›.",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "Antwort: ‹X›. Moment, das stimmt nicht. Antwort: ‹L›.",
            "Ich dachte zuerst an ‹X›, aber die richtige Antwort ist ‹L›.",
            "Die Antwort ist ‹X›. Nein, doch ‹L›.",
        ),
    ),
    *phrases(
        "es", "", ("La respuesta es ‹X›. No, espera: la respuesta correcta es ‹L›.", "Dije ‹X›, pero la correcta es ‹L›.")
    ),
    *phrases("zh", "", ("答案是‹X›。不对，答案应该是‹L›。", "我原以为是‹X›，但正确答案是‹L›。")),
)
TURNS = (
    *phrases(
        "en",
        "",
        (
            "On reflection, that was hasty.",
            "Wait, let me check that again.",
            "I made a mistake above.",
            "Let me reconsider.",
            "Correction:",
            "Having read the question again, I change my mind.",
        ),
    ),
    *phrases("de", "", ("Moment, das war voreilig.", "Korrektur:", "Ich muss mich berichtigen.")),
    *phrases("es", "", ("Un momento, me he equivocado.", "Corrección:")),
    *phrases("zh", "", ("等等，我算错了。", "更正：")),
    *phrases("pt", "", ("Espere, eu me enganei.", "Correção:")),
    *phrases("ru", "", ("Стоп, я ошибся.", "Исправление:")),
)
JOINS = (
    *phrases(
        "en",
        "",
        (
            "‹X› and ‹Y›",
            "‹X› or ‹Y›",
            "‹X›, ‹Y›",
            "‹X›/‹Y›",
            "‹X› & ‹Y›",
            "‹X› and ‹Y›.",
            "(‹X›) and (‹Y›)",
            "**‹X›** and **‹Y›**",
            "both ‹X› and ‹Y›",
            "Both ‹X› and ‹Y› are correct.",
            "Either ‹X› or ‹Y›.",
            "Option ‹X› and Option ‹Y›",
            "Options ‹X› and ‹Y›",
            "Option ‹X› or option ‹Y›.",
            "Answer: ‹X› and ‹Y›",
            "Answer: ‹X›, ‹Y›",
            "Answer: ‹X›/‹Y›",
            "The answer is ‹X› or ‹Y›.",
            "The answer is both ‹X› and ‹Y›.",
            "The correct options are ‹X›, ‹Y›.",
            "I would choose ‹X› and ‹Y›.",
            "‹X›) ‹XT› and ‹Y›) ‹YT›",
            "‹X›) ‹XT›, ‹Y›) ‹YT›",
            "‹X›) ‹XT›\n‹Y›) ‹YT›",
            "Option ‹X› (‹XT›) and Option ‹Y› (‹YT›)",
            "\\boxed{‹X›, ‹Y›}",
            "Answer: ‹X›) ‹XT› or ‹Y›) ‹YT›",
            "I'm torn between ‹X› and ‹Y›.",
            "It could be ‹X› or ‹Y›.",
        ),
    ),
    *phrases(
        "de", "", ("‹X› und ‹Y›", "Antwort: ‹X› oder ‹Y›", "Sowohl ‹X› als auch ‹Y› sind richtig.", "Entweder ‹X› oder ‹Y›.")
    ),
    *phrases("es", "", ("‹X› y ‹Y›", "La respuesta es ‹X› o ‹Y›.", "Tanto ‹X› como ‹Y› son correctas.")),
    *phrases("zh", "", ("‹X›和‹Y›", "答案是‹X›或‹Y›。", "‹X›、‹Y›")),
    *phrases("pt", "", ("‹X› e ‹Y›", "A resposta é ‹X› ou ‹Y›.")),
    *phrases("ru", "", ("‹X› и ‹Y›", "Ответ: ‹X› или ‹Y›")),
)
TEXT_ANSWERS = (
    *phrases("en", "", ("‹LT›", "‹LT›.", "**‹LT›**", "Answer: ‹LT›", "The answer is: ‹LT›.", "The correct answer is “‹LT›”.")),
    *phrases(
        "en",
        "",
        (
            "It's ‹Lt›.",
            "I'd say ‹Lt›.",
            "That would be ‹Lt›.",
            "The answer is ‹Lt›.",
            "‹XT› is wrong. It's ‹Lt›.",
            "‹LT›, of course.",
            "I think the answer is ‹Lt›.",
        ),
        True,
    ),
    *phrases("de", "", ("‹LT›", "Antwort: ‹LT›", "Die richtige Antwort lautet: ‹LT›.")),
    *phrases("es", "", ("‹LT›.", "Respuesta: ‹LT›")),
    *phrases("zh", "", ("‹LT›", "答案是‹LT›。")),
    *phrases("zh", "", ("应该是‹LT›。",), True),
)
SILENCES = (
    *phrases(
        "en",
        "",
        (
            "",
            "I don't know.",
            "I cannot answer this question.",
            "I'm sorry, but I can't help with that.",
            "A good question, but there is not enough information.",
            "I am not able to see the figure.",
            "All of the options seem wrong to me.",
            "As an AI, I have no opinion on this.",
            "Could you please repeat the question?",
            "Because the text is incomplete, no option can be chosen.",
            "See the explanation above.",
            "Option ‹X› is wrong.",
            "The answer is not ‹X›.",
            "Is it ‹X›?",
            "I am not sure whether it is ‹X› or ‹Y›.",
            "‹X›, ‹Y› and ‹Z› are the candidates.",
        ),
    ),
    *phrases("de", "", ("Das weiß ich nicht.", "Die Antwort ist nicht ‹X›.", "Dazu kann ich nichts sagen.")),
    *phrases("es", "", ("No lo sé.", "A mi juicio faltan datos.", "La respuesta no es ‹X›.")),
    *phrases("zh", "", ("我不知道。", "答案不是‹X›。")),
    *phrases("pt", "", ("Não sei.", "A pergunta não é clara.")),
    *phrases("ru", "", ("Я не знаю.", "А что было в условии?")),
)
MIDDLES = (
    *phrases(
        "en",
        "",
        (
            "Let us look at the options. Option ‹X› is about",
            "Option ‹X›: ‹XT› is",
            "Let us go through the options one by one. First, option ‹X› (‹XT›) would mean that the",
            "To answer this, we compare ‹X› with ‹Y›. In ‹X›, the",
            "The question mentions three things, of which ‹X› covers only the first, while the",
            "Option ‹X› is wrong because it contradicts the",
            "Option ‹X› says that the value",
            "First, ‹X› can be ruled out, since the",
        ),
    ),
    *phrases(
        "en",
        "",
        ("‹XT› is a metal or not, depending on what the", "Consider ‹Xt› first. Its use in", "If we take ‹Xt›, then the"),
        True,
    ),
    *phrases("de", "", ("Betrachten wir die Optionen. Option ‹X› besagt, dass", "Option ‹X› ist falsch, weil")),
    *phrases("es", "", ("Veamos las opciones. La opción ‹X› dice que",)),
    *phrases("zh", "", ("我们来看各个选项。选项‹X›说的是",)),
)
VERDICTS = (
    ("en", "‹X›) ‹XT›", " - no", " - yes"),
    ("en", "‹X›. ‹XT›", ": incorrect", ": correct"),
    ("en", "Option ‹X› (‹XT›)", " is wrong.", " is right."),
    ("en", "- ‹X›: ‹XT›", " ❌", " ✅"),
    ("en", "‹X›) ‹XT›", " - This is false.", " - This is true."),
    ("de", "‹X›) ‹XT›", " - falsch", " - richtig"),
    ("es", "‹X›) ‹XT›", ": incorrecta", ": correcta"),
    ("zh", "‹X›. ‹XT›", "：错误", "：正确"),
)
