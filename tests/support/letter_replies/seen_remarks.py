"""Sentences of the seen half that declare nothing."""

from __future__ import annotations

from letter_replies.model import phrases

REMARKS = (
    *phrases(
        "en",
        "denial",
        (
            "Option ‹X› is wrong because it contradicts the question.",
            "‹X› can be ruled out.",
            "That rules out ‹X›.",
            "It is not ‹X›.",
            "‹X› and ‹Y› are both wrong.",
            "The answer cannot be ‹X›.",
            "I would eliminate ‹X› and ‹Y› right away.",
            "(‹X›) goes too far.",
            "‹X›) ‹XT› does not fit.",
            'The text "‹XT›" does not fit here.',
            '"‹XT›" sounds plausible but is wrong.',
            'I see no support for "‹XT›".',
        ),
    ),
    *phrases(
        "en",
        "neutral",
        (
            "Option ‹X› is about something else.",
            "‹X› is a common mistake.",
            'Option ‹X› says "‹XT›".',
            'Many students would pick "‹XT›".',
            "At first sight ‹X› looks attractive.",
        ),
    ),
    *phrases("en", "first", ("Let us look at option ‹X› first.",)),
    *phrases("en", "question", ("What about ‹X›?", "Is it ‹X›?")),
    *phrases("en", "before", ("It comes down to ‹L› or ‹X›.", "I hesitated between ‹X› and ‹L›.")),
    *phrases(
        "en",
        "doubt",
        (
            "‹XT› is tempting.",
            "One might think of ‹Xt›, but that is a trap.",
            "‹XT› looks right only at first.",
            "Perhaps ‹Xt› was meant as a distractor.",
        ),
        True,
    ),
    *phrases(
        "en",
        "denial",
        (
            "‹XT› is wrong.",
            "‹XT› is out of the question.",
            "The question is not about ‹Xt›.",
            "Neither ‹Xt› nor ‹Yt› fits.",
            "It is definitely not ‹Xt›.",
        ),
        True,
    ),
    *phrases(
        "en",
        "comparison",
        ("‹XT› is worse than ‹Yt› here.", "This is unlike ‹Xt›.", "In contrast to ‹Xt›, this one holds."),
        True,
    ),
    *phrases(
        "de",
        "denial",
        (
            "Option ‹X› ist falsch, weil sie der Frage widerspricht.",
            "‹X› scheidet aus.",
            "‹X› und ‹Y› sind beide falsch.",
            "Die Antwort kann nicht ‹X› sein.",
            "„‹XT›“ passt hier nicht.",
            "„‹XT›“ klingt gut, ist aber falsch.",
        ),
    ),
    *phrases(
        "de",
        "neutral",
        (
            "Option ‹X› spricht von etwas anderem.",
            "Auf den ersten Blick wirkt ‹X› verlockend.",
            "Viele würden „‹XT›“ wählen.",
        ),
    ),
    *phrases("de", "first", ("Betrachten wir zuerst Option ‹X›.",)),
    *phrases(
        "es",
        "denial",
        (
            "La opción ‹X› es incorrecta porque contradice el enunciado.",
            "‹X› queda descartada.",
            "Ni ‹X› ni ‹Y› encajan.",
            "«‹XT›» no encaja aquí.",
            "La respuesta no puede ser ‹X›.",
        ),
    ),
    *phrases("es", "neutral", ("A primera vista ‹X› resulta atractiva.",)),
    *phrases("es", "first", ("Veamos primero la opción ‹X›.",)),
    *phrases(
        "zh",
        "denial",
        (
            "选项‹X›是错误的。",
            "‹X›可以排除。",
            "答案不是‹X›。",
            "‹X›和‹Y›都不对。",
            "“‹XT›”不符合题意。",
            "‹X›项说法过于绝对。",
        ),
    ),
    *phrases("zh", "neutral", ("很多人会误选‹X›。", "‹X›项说的是“‹XT›”。")),
    *phrases("zh", "first", ("我们先看选项‹X›。",)),
    *phrases(
        "pt",
        "denial",
        (
            "A alternativa ‹X› está errada porque contradiz o enunciado.",
            "‹X› pode ser descartada.",
            "Nem ‹X› nem ‹Y› servem.",
            "A afirmação “‹XT›” não se aplica.",
            "E ‹X› também não serve.",
        ),
    ),
    *phrases("pt", "neutral", ("À primeira vista ‹X› parece atraente.",)),
    *phrases("pt", "first", ("Vejamos primeiro a alternativa ‹X›.",)),
    *phrases(
        "ru",
        "denial",
        (
            "Вариант ‹X› неверен, так как противоречит условию.",
            "‹X› исключаем.",
            "Ни ‹X›, ни ‹Y› не подходят.",
            "«‹XT›» здесь не подходит.",
        ),
    ),
    *phrases("ru", "neutral", ("На первый взгляд ‹X› выглядит заманчиво.",)),
    *phrases("ru", "first", ("Рассмотрим сначала вариант ‹X›.",)),
)

OPENERS = (
    *phrases(
        "en",
        "opener",
        (
            "Let us think about this step by step.",
            "The question asks for the best description.",
            "A good way to start is to look at the definitions.",
            "I recall this from a textbook.",
            "First, consider what is given.",
            "As a rule, such questions have a single answer.",
            "Both the wording and the units matter.",
            "During this process, energy is conserved.",
            "Based on the description, only a single option remains.",
        ),
    ),
    *phrases(
        "de",
        "opener",
        ("Gehen wir Schritt für Schritt vor.", "Die Frage zielt auf die Definition.", "Dazu muss man den Ablauf kennen."),
    ),
    *phrases("es", "opener", ("Vamos paso a paso.", "A mi juicio la pregunta es clara.", "Conviene recordar la definición.")),
    *phrases("zh", "opener", ("我们一步一步来分析。", "这道题考查的是基本概念。", "题目要求选出最合适的一项。")),
    *phrases(
        "pt", "opener", ("Vamos por partes.", "A pergunta trata da definição.", "O enunciado é claro.", "E isso é importante.")
    ),
    *phrases("ru", "opener", ("Разберём по шагам.", "Вопрос касается определения.", "А теперь вспомним условие.")),
)
