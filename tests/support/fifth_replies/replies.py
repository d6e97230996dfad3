"""Whole replies, turns between declarations, and verdicts on options."""

from letter_replies.model import phrases

RETRACTIONS = (
    *phrases(
        "en",
        "",
        (
            "The answer is ‹X›. Wait, no, I misread the question. It asks for the exception, so it's ‹L›.",
            "**Answer: ‹X›**\n\nHold on, let me double-check. I dropped a condition along the way, "
            "so the correct option is ‹L›.",
            "I initially said ‹X›, but after checking again, the right answer is ‹L›.",
            "Answer: ‹X›\n\nCorrection: ‹L›",
            "‹X› is correct.\n\nI apologize for the confusion, that was a mistake. The correct answer is ‹L›.",
            "\\boxed{‹X›}\n\nActually, I made a mistake in the second step. The final answer is \\boxed{‹L›}",
            "So it's ‹X›... no, that can't be right. Then it must be ‹L›.",
            "‹X›. Sorry, I meant ‹L›.",
            "I'd pick ‹X›. Hmm, on second thought, ‹L› fits better. Final answer: ‹L›",
            'I think it\'s ‹X›. But wait, the question says "except". Okay, so ‹L› is the answer.',
            "My answer: ‹X›\n\nEdit: I overlooked a word in the question. My answer is ‹L› instead.",
            "At first glance I would answer ‹X›. Looking more closely, however, I have to revise that: the answer is ‹L›.",
            "Choose ‹X›. Oh, I see the problem now, I swapped two of the options. Choose ‹L›.",
            "The correct answer is (‹X›). Let me verify this. The check fails. Trying again, the correct answer is (‹L›).",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "Die Antwort ist ‹X›. Moment, ich habe die Frage falsch gelesen. Richtig ist ‹L›.",
            "**Antwort: ‹X›**\n\nKorrektur: Nach nochmaliger Prüfung ist ‹L› die richtige Antwort.",
        ),
    ),
    *phrases(
        "fr",
        "",
        (
            "La réponse est la ‹X›. Non, attendez, je me suis trompé : c'est la ‹L›.",
            "Réponse : ‹X›\n\nAprès vérification, je corrige : la bonne réponse est ‹L›.",
        ),
    ),
    *phrases(
        "es",
        "",
        (
            "La respuesta es la ‹X›. Espera, leí mal el enunciado. La correcta es la ‹L›.",
            "Respuesta: ‹X›. Perdón, me equivoqué; la respuesta correcta es ‹L›.",
        ),
    ),
    *phrases("it", "", ("La risposta è la ‹X›. Anzi no, ho letto male: la risposta corretta è la ‹L›.",)),
    *phrases("pt", "", ("A resposta é a letra ‹X›. Opa, li errado o enunciado. A resposta certa é a letra ‹L›.",)),
    *phrases("zh", "", ("答案是‹X›。等等，我看错题目了，正确答案应该是‹L›。", "我选‹X›。不对，重新检查后，应选‹L›。")),
    *phrases("ja", "", ("答えは‹X›です。いや、問題文を読み違えていました。正しくは‹L›です。",)),
)

TURNS = (
    *phrases(
        "en",
        "",
        (
            "Wait, that's not right.",
            "Hmm, hold on, I misread the question.",
            "Actually, let me correct that.",
            "Oops, I made a mistake there.",
            "On reflection, I need to change my answer.",
            "No, scratch that.",
            "Checking once more, I see that I mixed up two options.",
            "I'm sorry, that was wrong.",
        ),
    ),
    *phrases("de", "", ("Moment, das stimmt so nicht.", "Halt, ich habe mich vertan.")),
    *phrases("fr", "", ("Attendez, je me suis trompé.", "En relisant l'énoncé, je dois corriger ma réponse.")),
    *phrases("es", "", ("Espera, eso no es correcto.", "Perdón, me he equivocado.")),
    *phrases("it", "", ("Un momento, ho sbagliato.", "Anzi, devo correggermi.")),
    *phrases("pt", "", ("Espere, cometi um erro.", "Na verdade, preciso corrigir isso.")),
    *phrases("zh", "", ("等等，我算错了。", "不对，重新来看。")),
    *phrases("ja", "", ("待ってください、間違えました。", "すみません、訂正します。")),
)

JOINS = (
    *phrases(
        "en",
        "",
        (
            "Both ‹L› and ‹X› are correct.",
            "The correct answers are ‹L› and ‹X›.",
            "Answer: ‹L›, ‹X›",
            "**‹L› and ‹X›**",
            "The answer is either ‹L› or ‹X›.",
            "‹L› & ‹X›",
            "I'd select both ‹X› and ‹L›, since each of them satisfies the condition.",
            "$\\boxed{‹L›, ‹X›}$",
            '{"answer": ["‹L›", "‹X›"]}',
            "Final answer: ‹X›/‹L›",
            "Options ‹L›, ‹X› and ‹Y› are all right.",
            "The correct options are:\n- ‹L›\n- ‹X›",
        ),
    ),
    *phrases("de", "", ("Sowohl ‹L› als auch ‹X› sind richtig.", "Richtige Antworten: ‹L› und ‹X›")),
    *phrases("fr", "", ("Les bonnes réponses sont ‹L› et ‹X›.",)),
    *phrases("es", "", ("Las opciones ‹L› y ‹X› son correctas.",)),
    *phrases("it", "", ("Le risposte corrette sono ‹L› e ‹X›.",)),
    *phrases("pt", "", ("As alternativas ‹L› e ‹X› estão corretas.",)),
    *phrases("zh", "", ("正确答案是‹L›和‹X›。", "故选‹L›、‹X›。")),
    *phrases("ja", "", ("正解は‹L›と‹X›です。",)),
)

TEXT_ANSWERS = (
    *phrases(
        "en",
        "",
        (
            "‹LT›",
            "The correct answer is: ‹LT›",
            '**Answer:** "‹LT›"',
            "**‹LT›**",
            "Final answer: ‹LT›.",
            "My answer is “‹LT›”.",
            "The option that fits best is: **‹LT›**",
            "Let's think step by step. Only one of these agrees with the question. Therefore the answer is: ‹LT›",
        ),
    ),
    *phrases(
        "en",
        "",
        (
            "It's ‹Lt›.",
            "I'd say the answer is ‹Lt›.",
            "The answer is ‹Lt›, because nothing else on the list fits.",
            "‹LT› is the correct answer.",
            "That would be ‹Lt›!",
        ),
        nouns=True,
    ),
    *phrases("de", "", ("Die richtige Antwort lautet: ‹LT›", "Richtig ist: **‹LT›**")),
    *phrases("de", "", ("Die Antwort ist ‹Lt›.",), nouns=True),
    *phrases("fr", "", ("La bonne réponse est : ‹LT›", "Réponse : **‹LT›**")),
    *phrases("es", "", ("La respuesta correcta es: ‹LT›",)),
    *phrases("it", "", ("La risposta corretta è: ‹LT›",)),
    *phrases("pt", "", ("A resposta correta é: ‹LT›",)),
    *phrases("zh", "", ("正确答案是：‹LT›", "答案是“‹LT›”。")),
    *phrases("ja", "", ("正解は「‹LT›」です。",)),
)

SILENCES = (
    *phrases(
        "en",
        "",
        (
            "I can't see the image you are referring to. Could you describe it?",
            "I'm sorry, but I can't help with that.",
            "The question seems to be cut off. Could you send the full text?",
            "Let me know which of the options you would like me to explain.",
            "We can rule out ‹X› and ‹Y›, but I'm unable to decide between the remaining options.",
            "I don't know.",
            "To answer this question, we need to look at each option carefully and compare it with the definition.",
            "As an AI language model, I don't have personal opinions, so I can't choose an option for you.",
            "Which answer do you think is best? Give it a try and I'll check it for you.",
            "‹X› is incorrect.",
            "I calculated a value that doesn't match any of the options, so I can't select one.",
            "Here is some background. The topic comes up in many introductory courses and is often misunderstood.",
            "A question like this calls for expert advice. I recommend that you consult a professional.",
            "I ruled out ‹X› first. I have not yet looked at the others.",
        ),
    ),
    *phrases(
        "de",
        "",
        ("Dazu kann ich leider keine Angabe machen.", "‹X› ist auszuschließen, bei den übrigen bin ich mir nicht sicher."),
    ),
    *phrases(
        "fr",
        "",
        (
            "Je ne peux pas répondre à cette question sans voir l'image.",
            "L'option ‹X› est fausse, mais je ne sais pas laquelle choisir parmi les autres.",
        ),
    ),
    *phrases("es", "", ("Lo siento, no puedo ayudarte con eso.", "A mi juicio falta información para elegir.")),
    *phrases("it", "", ("Mi dispiace, non posso rispondere a questa domanda.",)),
    *phrases("pt", "", ("A pergunta está incompleta. Pode enviar o enunciado inteiro?",)),
    *phrases("zh", "", ("抱歉，我无法看到图片，请提供更多信息。", "‹X›可以排除，但其余选项我无法确定。")),
    *phrases("ja", "", ("申し訳ありませんが、この質問にはお答えできません。",)),
)

MIDDLES = (
    *phrases(
        "en",
        "",
        (
            'Let\'s go through the options. Option ‹X› states "‹XT›". This would imply that the',
            "First consider ‹X›. If that were the case, we would expect",
            "‹X› and ‹Y› can be excluded because they do not",
            "The question asks for the best option. Let me compare ‹X› with ‹Y›: the main difference is that",
            "**Step 1: Understand the question**\n\nWe have to find the option that matches the "
            "description.\n\n**Step 2: Evaluate the options**\n\n- Option ‹X›:",
            "Okay, so I need to figure this out. Let me look at option ‹X›. It says that",
            "The correct answer cannot be ‹X› because in that case the",
            "A student might choose ‹X› here, since at first sight it seems to",
            "I'll check each choice in turn. ‹X› looks unlikely. ‹Y› is about",
            "If we compare choice ‹X› with what the question says, we",
            "To decide between ‹X› and ‹Y›, we have to",
            "Let me think. ‹X› would require that the",
        ),
    ),
    *phrases(
        "de", "", ("Schauen wir uns zuerst ‹X› an. Hier wird behauptet, dass", "‹X› und ‹Y› kommen nicht in Frage, weil sie")
    ),
    *phrases("fr", "", ("Examinons d'abord la proposition ‹X›. Elle suppose que",)),
    *phrases("es", "", ("A continuación analizo la opción ‹X›, que afirma que",)),
    *phrases("it", "", ("Consideriamo l'opzione ‹X›: in questo caso si",)),
    *phrases("pt", "", ("A alternativa ‹X› diz que",)),
    *phrases("zh", "", ("先看选项‹X›，它的意思是", "比较‹X›和‹Y›，主要区别在于")),
    *phrases("ja", "", ("まず選択肢‹X›について考えると、これは",)),
)

VERDICTS = (
    ("en", "‹X›) ‹XT›", " → incorrect", " → correct"),
    (
        "en",
        "- **‹X›. ‹XT›**: ",
        "Incorrect. This does not answer the question.",
        "Correct. This is exactly what the question asks for.",
    ),
    ("en", "‹X›: ‹XT›", " ❌", " ✅"),
    ("en", "Option ‹X› (‹XT›): ", "does not fit.", "fits perfectly."),
    ("en", "* ‹X›) ‹XT› – ", "wrong", "right"),
    ("en", "**(‹X›)** ‹XT›: ", "This option can be eliminated.", "This option is the best match."),
    ("en", "‹X›. ‹XT›\n   ", "Not what is being asked.", "Yes, this is the answer."),
    ("en", "| ‹X› | ‹XT› |", " ✗ |", " ✓ |"),
    ("de", "‹X›) ‹XT›", " – falsch", " – richtig"),
    ("de", "- **‹X›**: ‹XT› → ", "trifft nicht zu", "trifft zu"),
    ("fr", "‹X›. ‹XT›", " : incorrect.", " : correct."),
    ("es", "‹X›) ‹XT›", ": incorrecta.", ": correcta."),
    ("it", "‹X›) ‹XT›", " – sbagliata", " – corretta"),
    ("pt", "‹X›) ‹XT›", " – errada.", " – certa."),
    ("zh", "‹X›. ‹XT›：", "错误。", "正确。"),
    ("ja", "‹X›. ‹XT›：", "誤り", "正しい"),
)
