"""Sentences of the fourth half that declare nothing: what models say of the options that they do not pick."""

from __future__ import annotations

from letter_replies.model import phrases

REMARKS = (
    *phrases("en", "denial", (
        "Option ‹X› is incorrect because it does not match the definition.",
        "‹X› is wrong.",
        "‹X› is incorrect.",
        "Option ‹X› can be eliminated.",
        "‹X› and ‹Y› can be ruled out right away.",
        "Options ‹X› and ‹Y› are both incorrect.",
        "Option ‹X› (‹XT›) is not supported by the information given.",
        "We can rule out ‹X›.",
        "It can't be ‹X›.",
        "The answer is not ‹X›.",
        "So the answer cannot be ‹X›.",
        "Option ‹X› is not the answer.",
        "I don't think it's ‹X›.",
        "Choice ‹X› goes too far.",
        "Choices ‹X› and ‹Y› are irrelevant to the question.",
        "‹X› is close, but not quite right.",
        "‹X› is a tempting choice, but it misses a key detail.",
        "‹X› is a common misconception.",
        "Option ‹X› is partially true, but it does not answer the question.",
        "While ‹X› may be true in general, it is not what the question asks.",
        "Many students pick ‹X›, but that is a mistake.",
        "Option ‹X› would be correct if the question asked for the opposite.",
        "If we had made a sign error, we would have gotten ‹X›.",
        "‹X› does not make sense in this context.",
        "Is ‹X› correct? No, it contradicts the passage.",
        "Both ‹X› and ‹Y› sound plausible, but neither one is right.",
        "Option ‹X› describes something else entirely.",
        "(‹X›) is not correct.",
    )),
    *phrases("en", "denial", ("‹XT› does not fit here.", "‹XT› is not the right answer.", "It isn't ‹Xt›."), nouns=True),
    *phrases("en", "before", (
        "Let's check option ‹X› first.", "Let's compare ‹X› and ‹Y›.", "Let's consider ‹X›: it does not hold up.",
        "Option ‹X› says “‹XT›”, which needs a closer look.",
    )),
    *phrases("en", "question", ("Could it be ‹X›?", "What about option ‹X›?", "Is ‹X› the answer?")),
    *phrases("en", "first", (
        "At first glance, ‹X› looks right.", "‹X› seems plausible at first.", "Some might say that the answer is ‹X›.",
    )),
    *phrases("de", "denial", (
        "Option ‹X› ist falsch.", "‹X› ist nicht richtig, da es der Definition widerspricht.", "‹X› und ‹Y› scheiden aus.",
        "Antwort ‹X› kann man ausschließen.", "‹X› trifft nicht zu.", "Die Antwort ist nicht ‹X›.",
        "‹X› klingt plausibel, ist aber falsch.", "‹X› wäre richtig, wenn nach dem Gegenteil gefragt würde.",
    )),
    *phrases("de", "question", ("Könnte es ‹X› sein?", "Was ist mit ‹X›?")),
    *phrases("de", "first", ("Auf den ersten Blick sieht ‹X› richtig aus.",)),
    *phrases("fr", "denial", (
        "L'option ‹X› est incorrecte.", "La réponse ‹X› est fausse.", "On peut éliminer ‹X›.",
        "Les options ‹X› et ‹Y› ne conviennent pas.", "Ce n'est pas ‹X›.", "‹X› est proche, mais ne répond pas à la question.",
        "La réponse n'est pas ‹X›.",
    )),
    *phrases("fr", "question", ("Est-ce que c'est ‹X› ?",)),
    *phrases("es", "denial", (
        "La opción ‹X› es incorrecta.", "La ‹X› no es correcta.", "Se puede descartar ‹X›.",
        "Las opciones ‹X› y ‹Y› son falsas.", "No es la ‹X›.", "La opción ‹X› no tiene relación con la pregunta.",
        "La respuesta no es ‹X›.",
    )),
    *phrases("es", "question", ("¿Podría ser la ‹X›?",)),
    *phrases("it", "denial", (
        "L'opzione ‹X› è sbagliata.", "La risposta ‹X› non è corretta.", "Possiamo escludere ‹X›.",
        "Le opzioni ‹X› e ‹Y› sono errate.", "Non è la ‹X›.",
    )),
    *phrases("pt", "denial", (
        "A alternativa ‹X› está incorreta.", "A opção ‹X› está errada.", "Podemos descartar a letra ‹X›.",
        "As alternativas ‹X› e ‹Y› são falsas.", "A resposta não é ‹X›.",
    )),
    *phrases("zh", "denial", (
        "选项‹X›错误。", "‹X›项不符合题意。", "‹X›不正确。", "可以排除‹X›。", "排除‹X›和‹Y›。", "‹X›、‹Y›都是错误的。",
        "选项‹X›虽然看起来合理，但不是最佳答案。", "答案不是‹X›。", "‹X›项错误，与题干不符。",
    )),
    *phrases("zh", "question", ("会不会是‹X›呢？",)),
    *phrases("ja", "denial", (
        "‹X›は誤りです。", "選択肢‹X›は正しくありません。", "‹X›と‹Y›は除外できます。", "‹X›は当てはまりません。",
        "答えは‹X›ではありません。", "‹X›は不適切です。",
    )),
    *phrases("ru", "denial", (
        "Вариант ‹X› неверен.", "‹X› не подходит.", "Варианты ‹X› и ‹Y› можно исключить.", "Ответ ‹X› неправильный.",
        "Это не ‹X›.", "‹X› — неверно.",
    )),
    *phrases("ru", "question", ("Может быть, это ‹X›?",)),
)  # fmt: skip

OPENERS = (
    *phrases("en", "opener", (
        "Let's think step by step.", "To answer this question, we need to look at the definition.", "Great question!",
        "Sure, let me explain.", "First, let's understand what is being asked.", "Let's go through the options one by one.",
        "A closer look at the wording helps.", "I'll explain my reasoning briefly.", "We are given the following information.",
        "Based on the information provided, we can work this out.", "I need to be careful here.",
        "**Step 1:** Identify what the question asks.", "Okay, let's see.",
    )),
    *phrases("de", "opener", (
        "Schauen wir uns die Frage genau an.", "Gehen wir Schritt für Schritt vor.", "Das ist eine gute Frage.",
    )),
    *phrases("fr", "opener", (
        "Analysons la question.", "Réfléchissons étape par étape.", "À première vue, c'est une question simple.",
    )),
    *phrases("es", "opener", ("Analicemos la pregunta.", "Vamos paso a paso.", "A continuación explico mi razonamiento.")),
    *phrases("it", "opener", ("Analizziamo la domanda.", "Procediamo passo dopo passo.")),
    *phrases("pt", "opener", (
        "Vamos analisar a questão.", "A questão trata de um tema conhecido.", "Vamos pensar passo a passo.",
    )),
    *phrases("zh", "opener", ("让我们逐步分析。", "首先，我们来看题目。", "根据题意，我们可以得出结论。")),
    *phrases("ja", "opener", ("順番に考えてみましょう。", "まず問題を確認します。")),
    *phrases("ru", "opener", ("Давайте разберём вопрос.", "Рассуждаем по шагам.")),
)  # fmt: skip
