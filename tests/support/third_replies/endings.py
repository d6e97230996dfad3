"""Endings of the third half: the forms by which models of many families declare a letter."""

from __future__ import annotations

from letter_replies.model import Ending

_FIXED = '{"answer": ', "```json", "\\boxed", '"choice"', "'‹L›'", '"‹L›"'


def _endings(language: str, traits: str, *phrases: str) -> list[Ending]:
    built = []
    for phrase in phrases:
        own = set(traits.split())
        if any(mark in phrase for mark in _FIXED):
            own.add("fixed")
        built.append(Ending(f"{language}: {phrase}", language, phrase, frozenset(own)))
    return built


ENDINGS: tuple[Ending, ...] = (
    *_endings(
        "en", "line",
        "‹L›", "‹L›.", "(‹L›)", "‹L›)", "**‹L›**", "**(‹L›)**", "[‹L›]", "[[‹L›]]", "`‹L›`", "#### ‹L›", "✅ ‹L›", "→ ‹L›",
        "‹L›) ‹LT›", "‹L›. ‹LT›", "**‹L›. ‹LT›**", "**‹L›**: ‹LT›", "‹L› - ‹LT›", "(‹L›) ‹LT›", "✅ **‹L›) ‹LT›**",
        "Option ‹L›", "Choice ‹L›.", "Option ‹L›: ‹LT›", "**Option (‹L›)**", "- ‹L›) ‹LT›",
        "‹L›, because none of the others fit.",
    ),
    *_endings(
        "en", "line strong",
        "Answer: ‹L›", "**Answer: ‹L›**", "**Answer:** ‹L›", "Answer: **‹L›. ‹LT›**", "ANSWER: ‹L›", "answer: ‹L›",
        "Answer: (‹L›) ‹LT›", "Answer - ‹L›", "Ans: ‹L›", "Ans. (‹L›)", "Final answer: ‹L›", "**Final Answer:** (‹L›)",
        "Correct answer: ‹L›) ‹LT›", "Correct option: **‹L›**", "Selected option: ‹L›", "My answer: ‹L›", "Solution: ‹L›",
        "Conclusion: ‹L›", "Response: ‹L›", "Verdict: ‹L›", "Final choice → ‹L›", "👉 **Answer: ‹L›**",
        "✅ Correct answer: ‹L›",
        "Best answer: ‹L›.", "The answer: ‹L›", "Choice: ‹L›",
    ),
    *_endings(
        "en", "line strong whole",
        "### Answer\n‹L›", "## Final Answer\n\n**‹L›**", "### Final Answer:\n**‹L›) ‹LT›**", "**Answer**\n\n‹L›",
        "Correct Answer:\n(‹L›) ‹LT›",
        '{"answer": "‹L›"}', '```json\n{\n  "answer": "‹L›"\n}\n```', '{"choice":"‹L›","confidence":0.92}',
        '{"reasoning": "The definition fits only one of the options.", "answer": "‹L›"}',
        '{"answer": "‹L›", "explanation": "It follows from the definition."}',
        "<answer>‹L›</answer>", "<answer>\n‹L›\n</answer>", "<final_answer>‹L›</final_answer>", "<answer>(‹L›)</answer>",
        "<answer>‹L›. ‹LT›</answer>", "<choice>‹L›</choice>",
        "| Answer |\n|---|\n| ‹L› |", "| Question | Answer |\n| --- | --- |\n| 1 | **‹L›** |",
        "answer: ‹L›\nconfidence: 85%", "Answer: ‹L›\nExplanation: This follows from the definition.",
        "Reasoning: It follows from the definition.\nAnswer: ‹L›", "Answer: ‹L›\n\nConfidence: high",
        "```\n‹L›\n```", "```python\nanswer = '‹L›'\n```", "$$\\boxed{‹L›}$$", "\\[\n\\boxed{‹L›}\n\\]",
        "Final Answer: The final answer is ‹L›. I hope it is correct.",
    ),
    *_endings(
        "en", "strong",
        "\\boxed{‹L›}", "$\\boxed{\\text{‹L›}}$", "\\boxed{\\textbf{(‹L›)}\\ ‹LT›}", "The final answer is: $\\boxed{‹L›}$",
        "The answer is $\\boxed{\\mathrm{(‹L›)}}$.", "So the answer is (‹L›).", "So the answer is ‹L›.", "The answer is ‹L›",
        "Therefore, the correct answer is ‹L›.", "Therefore, the answer is **‹L›**.", "Thus, option ‹L› is correct.",
        "Hence, ‹L› is the correct choice.", "The correct option is ‹L›) ‹LT›.", "The correct answer is: **‹L›) ‹LT›**",
        "The best answer is ‹L›.", "The right answer here is therefore ‹L›.", "Thus, the answer is option (‹L›).",
        "I would go with ‹L›.", "I'd go with option ‹L›.", "My answer is ‹L›.", "I choose ‹L›.", "I pick option ‹L›: ‹LT›.",
        "I'll answer ‹L›.", "I select ‹L›.", "I'd say the answer is ‹L›.", "I think it's ‹L›.",
        "I believe the answer is ‹L›.",
        "I'm fairly confident the answer is ‹L›.", "If I had to choose, I'd pick ‹L›.", "My final answer is option ‹L›.",
        "By elimination, the answer must be ‹L›.", "The only option that fits is ‹L›.", "The answer has to be ‹L›, not ‹X›.",
        "That leaves ‹L› as the correct answer.", "The letter of the correct answer is ‹L›.", 'The answer is "‹L›".',
        "The answer is ‹L› because it matches the definition.", "‹L› is correct.", "‹L› is the right answer.",
        "Option ‹L› is the best choice.", "Option ‹L› is the correct answer, as it follows from the definition.",
        "Choice (‹L›) is correct.", "This corresponds to option ‹L›.", "This matches choice ‹L›.", "It must be ‹L›.",
        "The most accurate option would be ‹L›.", "Of the options given, ‹L› comes closest to what is asked.",
        "Sure! The correct answer is **‹L›**.", "The answer is option **(‹L›)**, ‹Lt›.", "Answer is ‹L›.",
        "The correct answer would be ‹L›.", "The correct choice is letter ‹L›.", "It is most likely ‹L›.",
        "The correct answer is not ‹X› but ‹L›.", "The statement in ‹L› is the correct one.", "I'm going with ‹L›.",
        "So it's ‹L›.", "We can conclude that the answer is ‹L›.", "In conclusion, the correct option is **‹L›**.",
        "The answer to this question is ‹L›.", "Based on this, the most appropriate answer is ‹L›.", "Final answer is (‹L›)",
    ),
    *_endings(
        "en", "strong nouns text_first",
        "‹LT› (‹L›) is the correct answer.", "The correct answer is ‹Lt›, which is option ‹L›.", "It is ‹Lt› (option ‹L›).",
        "The answer is ‹Lt› (‹L›).",
    ),
    *_endings("de", "line strong", "Antwort: ‹L›", "**Antwort:** ‹L›) ‹LT›", "Lösung: ‹L›", "Richtige Antwort: **‹L›**"),
    *_endings(
        "de", "strong",
        "Die richtige Antwort ist ‹L›.", "Die richtige Antwort lautet **‹L›) ‹LT›**.", "Somit ist Option ‹L› korrekt.",
        "Richtig ist ‹L›.", "Ich entscheide mich für ‹L›.", "Die Antwort ist also (‹L›).",
        "Daher ist ‹L› die richtige Antwort.",
        "Ich würde ‹L› wählen.",
    ),
    *_endings("fr", "line strong", "Réponse : ‹L›", "**Réponse : ‹L›) ‹LT›**", "Réponse finale : ‹L›"),
    *_endings(
        "fr", "strong",
        "La bonne réponse est ‹L›.", "La réponse correcte est donc la ‹L›.", "Je choisis la réponse ‹L›.",
        "La bonne réponse est l'option ‹L› : ‹LT›.", "C'est donc la proposition ‹L› qui est exacte.",
        "La bonne réponse est la lettre **‹L›**.", "L'option ‹L› est la bonne.",
    ),
    *_endings("es", "line strong", "Respuesta: ‹L›", "**Respuesta correcta: ‹L›) ‹LT›**", "Respuesta final: (‹L›)"),
    *_endings(
        "es", "strong",
        "La respuesta correcta es la ‹L›.", "La opción correcta es ‹L›) ‹LT›.", "Por lo tanto, la respuesta es **‹L›**.",
        "Elijo la opción ‹L›.", "La alternativa correcta es la letra ‹L›.", "Así que la respuesta es ‹L›.",
    ),
    *_endings("it", "line strong", "Risposta: ‹L›", "**Risposta corretta: ‹L›**"),
    *_endings(
        "it", "strong",
        "La risposta corretta è la ‹L›.", "La risposta giusta è ‹L›) ‹LT›.", "Quindi la risposta esatta è **‹L›**.",
        "Scelgo l'opzione ‹L›.", "L'opzione corretta è la lettera ‹L›.", "La risposta è dunque la ‹L›.",
    ),
    *_endings("pt", "line strong", "Resposta: ‹L›", "Gabarito: ‹L›", "**Resposta correta: ‹L›) ‹LT›**"),
    *_endings(
        "pt", "strong",
        "A resposta correta é a letra ‹L›.", "Portanto, a alternativa correta é ‹L›) ‹LT›.", "A opção certa é a ‹L›.",
        "Escolho a alternativa ‹L›.", "Logo, a resposta é **‹L›**.",
    ),
    *_endings("nl", "line strong", "Antwoord: ‹L›", "**Juiste antwoord: ‹L›**"),
    *_endings(
        "nl", "strong",
        "Het juiste antwoord is ‹L›.", "Het goede antwoord is dus **‹L›) ‹LT›**.", "Ik kies voor ‹L›.",
        "Optie ‹L› is juist.", "Daarom is ‹L› het correcte antwoord.",
    ),
    *_endings("pl", "line strong", "Odpowiedź: ‹L›", "**Poprawna odpowiedź: ‹L›**"),
    *_endings(
        "pl", "strong",
        "Prawidłowa odpowiedź to ‹L›.", "Poprawną odpowiedzią jest ‹L›) ‹LT›.", "Wybieram odpowiedź ‹L›.",
        "Zatem poprawna odpowiedź to **‹L›**.", "Właściwa jest opcja ‹L›.",
    ),
    *_endings("ru", "line strong", "Ответ: ‹L›", "**Правильный ответ: ‹L›) ‹LT›**"),
    *_endings(
        "ru", "strong",
        "Правильный ответ — ‹L›.", "Верный вариант — ‹L›.", "Я выбираю вариант ‹L›.",
        "Таким образом, правильный ответ: **‹L›**.",
        "Следовательно, верен вариант ‹L›.",
    ),
    *_endings("zh", "line strong", "答案：‹L›", "【答案】‹L›", "**答案：‹L›. ‹LT›**", "故选：‹L›"),
    *_endings(
        "zh", "strong",
        "正确答案是‹L›。", "因此，答案为 **‹L›**。", "答案是‹L›。", "所以选‹L›。", "我选择‹L›。", "综上所述，正确选项是‹L›。",
        "正确答案是选项 ‹L›：‹LT›。", "因此本题选‹L›。",
    ),
    *_endings("ja", "line strong", "答え：‹L›", "【正解】‹L›", "**答え：‹L›. ‹LT›**"),
    *_endings(
        "ja", "strong",
        "正解は‹L›です。", "正解は **‹L›. ‹LT›** です。", "したがって、答えは‹L›です。", "‹L›が正解です。",
        "選択肢‹L›が正しいです。", "よって、正しい答えは「‹L›」です。",
    ),
    *_endings("ko", "line strong", "정답: ‹L›", "**정답: ‹L›. ‹LT›**"),
    *_endings(
        "ko", "strong",
        "정답은 ‹L›입니다.", "따라서 정답은 **‹L›**입니다.", "올바른 답은 (‹L›)입니다.", "그러므로 답은 ‹L›번입니다.",
        "저는 ‹L›를 선택하겠습니다.",
    ),
    *_endings("tr", "line strong", "Cevap: ‹L›", "**Doğru cevap: ‹L›) ‹LT›**"),
    *_endings("tr", "strong", "Doğru cevap ‹L› şıkkıdır.", "Doğru yanıt ‹L› seçeneğidir.", "Bu nedenle cevap **‹L›**.",
        "Cevabım ‹L›."),
    *_endings("ar", "line strong", "الإجابة: ‹L›", "**الإجابة الصحيحة: ‹L›**"),
    *_endings(
        "ar", "strong",
        "الإجابة الصحيحة هي ‹L›.", "الخيار الصحيح هو ‹L›: ‹LT›.", "إذن الجواب الصحيح هو (‹L›).", "أختار الإجابة ‹L›.",
    ),
)  # fmt: skip
"""Forms that declare; of each language, even places are for work and odd ones are kept."""
