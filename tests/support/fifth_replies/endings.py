"""Ways in which models declare their answer."""

from letter_replies.model import Ending


def _ending(name: str, language: str, phrase: str, traits: str = "") -> Ending:
    return Ending(name, language, phrase, frozenset(traits.split()))


ENDINGS = (
    # plain words
    _ending("go with", "en", "So I'd go with ‹L›", "strong"),
    _ending("my answer option", "en", "My answer is therefore option ‹L›", "strong"),
    _ending("best choice noun", "en", "The best choice here is ‹L›, ‹Lt›", "strong nouns"),
    _ending("is correct", "en", "Therefore, ‹L› is correct", "strong"),
    _ending("right answer", "en", "‹L› is the right answer", "strong"),
    _ending("going with", "en", "I'm going with ‹L› on this one", "strong"),
    _ending("choose because", "en", "I choose ‹L› because it fits the description best", "strong"),
    _ending("option colon text", "en", "Thus the correct option is ‹L›: ‹LT›", "strong"),
    _ending("should be", "en", "So the answer should be ‹L›", "strong"),
    _ending("believe", "en", "I believe the answer is ‹L›", "strong"),
    _ending("sure", "en", "The correct answer to this question is ‹L›. ‹LT›", "strong"),
    _ending("would select", "en", "Based on this, I would select option ‹L›", "strong"),
    _ending("not other", "en", "So the answer is ‹L›, not ‹X›", "strong"),
    _ending("since others", "en", "The correct choice is ‹L›, since the other options don't meet the requirement", "strong"),
    _ending("fits best", "en", "Of the choices listed, ‹L› fits best", "strong"),
    _ending("leaves", "en", "That leaves us with ‹L›"),
    _ending("must be", "en", "It has to be ‹L›"),
    _ending("it is", "en", "So, ‹L› it is!"),
    _ending("matches choice", "en", "Our result matches answer choice ‹L›"),
    _ending("text which is", "en", "The answer is ‹Lt›, which is option ‹L›", "strong text_first nouns"),
    _ending("text parens", "en", "So the correct answer is ‹Lt› (‹L›)", "strong text_first nouns fixed"),
    _ending("text quoted", "en", 'The statement "‹LT›" (option ‹L›) is the best answer', "strong text_first"),
    _ending("hence parens", "en", "Hence, option (‹L›) is the correct one", "strong fixed"),
    _ending("confident", "en", "I'm fairly confident the answer is ‹L›", "strong"),
    _ending("letter", "en", "The letter of the correct answer is ‹L›", "strong"),
    # labels
    _ending("capitals", "en", "ANSWER: ‹L›", "strong"),
    _ending("ans", "en", "Ans: ‹L›", "strong"),
    _ending("final dash", "en", "Final answer - ‹L›", "strong"),
    _ending("selected", "en", "Selected option: ‹L›", "strong"),
    _ending("my pick", "en", "My pick: ‹L›", "strong"),
    _ending("correct option", "en", "Correct option: ‹L›", "strong"),
    _ending("option alone", "en", "Option ‹L›", "line"),
    _ending("bare", "en", "‹L›", "line"),
    _ending("bare stop", "en", "‹L›.", "line"),
    _ending("parens", "en", "(‹L›)", "line fixed"),
    _ending("paren text", "en", "‹L›) ‹LT›", "line fixed whole"),
    _ending("stop text", "en", "‹L›. ‹LT›", "line whole"),
    _ending("hashes", "en", "#### ‹L›", "line whole"),
    # markdown
    _ending("bold final", "en", "**Final Answer:** ‹L›) ‹LT›", "strong fixed whole"),
    _ending("bold correct", "en", "**Correct answer: ‹L›. ‹LT›**", "strong fixed whole"),
    _ending("heading", "en", "### Answer\n‹L›", "strong line whole"),
    _ending("heading bold", "en", "## Final Answer\n\n**‹L›. ‹LT›**", "strong line fixed whole"),
    _ending("conclusion", "en", "**Conclusion:** Option ‹L› is the best answer", "strong"),
    _ending("check mark", "en", "✅ **‹L›) ‹LT›**", "line fixed whole"),
    _ending("hand", "en", "👉 Answer: **‹L›**", "strong fixed"),
    _ending("right pick", "en", "So the right pick is **‹L› – ‹LT›**", "strong fixed nouns"),
    _ending("bold sentence", "en", "Therefore, **option ‹L›** is what the question is looking for", "strong fixed"),
    _ending(
        "closing",
        "en",
        "The answer is **‹L›**.\n\nLet me know if you'd like me to explain any of the other options!",
        "fixed whole",
    ),
    _ending("closing text", "en", "**Answer:** ‹L›) ‹LT›\n\nHope this helps! 😊", "fixed whole line"),
    # LaTeX
    _ending("boxed text", "en", "$\\boxed{\\text{‹L›}}$", "strong fixed"),
    _ending("boxed display", "en", "\\[\n\\boxed{\\textbf{(‹L›)}}\n\\]", "strong fixed line whole"),
    _ending("boxed sentence", "en", "The final answer is $\\boxed{‹L›}$", "strong fixed"),
    _ending("boxed with text", "en", "\\boxed{\\text{‹L›: ‹LT›}}", "strong fixed nouns"),
    # data
    _ending("json", "en", '{"answer": "‹L›"}', "strong fixed line whole"),
    _ending("json fence", "en", '```json\n{\n  "answer": "‹L›",\n  "confidence": 0.9\n}\n```', "strong fixed line whole"),
    _ending(
        "json long",
        "en",
        '{"explanation": "Only this option agrees with the definition.", "choice": "‹L›"}',
        "strong fixed line whole",
    ),
    _ending("tag", "en", "<answer>‹L›</answer>", "strong fixed line whole"),
    _ending("yaml", "en", "answer: ‹L›", "strong line whole"),
    # German
    _ending("de damit", "de", "Damit ist Antwort ‹L› richtig", "strong"),
    _ending("de lautet", "de", "Die richtige Lösung lautet: **‹L›) ‹LT›**", "strong fixed whole"),
    _ending("de entscheide", "de", "Ich entscheide mich für ‹L›", "strong"),
    _ending("de bold", "de", "**Richtige Antwort:** ‹L›", "strong"),
    _ending("de bleibt", "de", "Somit bleibt nur Option ‹L› übrig"),
    # French
    _ending("fr donc", "fr", "La bonne réponse est donc la ‹L›", "strong"),
    _ending("fr bold", "fr", "**Réponse : ‹L›**", "strong fixed"),
    _ending("fr choisir", "fr", "Il faut donc choisir l'option ‹L›", "strong"),
    _ending("fr proposition", "fr", "La proposition correcte est la ‹L› : ‹LT›", "strong"),
    # Spanish
    _ending("es por lo tanto", "es", "Por lo tanto, la opción correcta es la ‹L›", "strong"),
    _ending("es bold", "es", "**Respuesta correcta:** ‹L›) ‹LT›", "strong fixed whole"),
    _ending("es me quedo", "es", "Me quedo con la opción ‹L›", "strong"),
    # Italian
    _ending("it quindi", "it", "Quindi la risposta esatta è la ‹L›", "strong"),
    _ending("it risposta", "it", "Risposta: **‹L›**", "strong fixed"),
    _ending("it scelta", "it", "La scelta giusta è l'opzione ‹L›", "strong"),
    # Portuguese
    _ending("pt portanto", "pt", "Portanto, a alternativa correta é a letra ‹L›", "strong"),
    _ending("pt gabarito", "pt", "Gabarito: ‹L›", "strong"),
    _ending("pt resposta", "pt", "A resposta é a alternativa ‹L›) ‹LT›", "strong fixed"),
    # Chinese
    _ending("zh yinci", "zh", "因此，正确答案是 ‹L›", "strong"),
    _ending("zh guxuan", "zh", "故选‹L›", "strong"),
    _ending("zh zongshang", "zh", "综上所述，应选择选项‹L›：‹LT›", "strong"),
    _ending("zh daan", "zh", "答案：‹L›", "strong"),
    _ending("zh benti", "zh", "所以本题选 **‹L›**。", "strong fixed"),
    # Japanese
    _ending("ja shitagatte", "ja", "したがって、正解は‹L›です", "strong"),
    _ending("ja kotae", "ja", "答えは「‹L›」になります", "strong fixed"),
    _ending("ja seikai", "ja", "【正解】‹L›", "strong line"),
    _ending("ja yotte", "ja", "よって、選択肢‹L›が最も適切です", "strong"),
)
