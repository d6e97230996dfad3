"""Forms by which a reply declares a letter at its end."""

from __future__ import annotations

from letter_replies.model import Ending


def _ending(name: str, language: str, phrase: str, traits: str = "") -> Ending:
    return Ending(name, language, phrase, frozenset(traits.split()))


ENDINGS = (
    # English, plain
    _ending("answer_colon", "en", "Answer: ‹L›", "strong"),
    _ending("correct_answer_is", "en", "The correct answer is ‹L›", "strong"),
    _ending("hence_option", "en", "Hence, option ‹L› is correct", "strong"),
    _ending("my_final_answer", "en", "My final answer is option ‹L›", "strong"),
    _ending("answer_is_parens", "en", "The answer is (‹L›).", "strong fixed"),
    _ending("correct_option_dash", "en", "Correct option: ‹L› – ‹LT›", "strong"),
    _ending("best_choice_text", "en", "The best choice is ‹L›: ‹LT›", "strong"),
    _ending("answer_text_label", "en", "Answer: ‹LT› (‹L›)", "strong text_first fixed"),
    _ending("text_is_correct", "en", "‹LT› is the correct answer, so the letter to mark is ‹L›", "strong nouns text_first"),
    _ending("of_the_choices", "en", "Of the choices given, ‹L› fits best", "strong"),
    _ending("would_be", "en", "Thus the correct response would be ‹L›", "strong"),
    _ending("makes_right_choice", "en", "That makes ‹L› the right choice", "strong"),
    _ending("only_one_that_works", "en", "The only choice that holds up is ‹L›", "strong"),
    _ending("we_select", "en", "We therefore select ‹L›.", "strong"),
    _ending("shout", "en", "ANSWER: ‹L›", "strong"),
    _ending("ans", "en", "Ans. (‹L›)", "strong fixed"),
    _ending("response", "en", "Response: ‹L›", "strong"),
    _ending("answer_option_text", "en", "Answer: Option ‹L›, i.e. ‹Lt›", "strong"),
    # English, markdown
    _ending("bold_label", "en", "**Answer:** ‹L›", "strong"),
    _ending("bold_whole", "en", "**Final Answer: ‹L›**", "strong fixed"),
    _ending("bold_inside", "en", "The answer is **‹L›) ‹LT›**.", "strong fixed"),
    _ending("bold_line", "en", "**‹L›. ‹LT›**", "line fixed"),
    _ending("heading", "en", "### Final Answer\n\n‹L›", "strong line whole"),
    _ending("check_mark", "en", "✅ Correct answer: **‹L›**", "strong fixed"),
    _ending("hashes", "en", "#### ‹L›", "line whole"),
    _ending("arrow", "en", "Final choice -> ‹L›", "strong"),
    # English, LaTeX
    _ending("boxed_dollars", "en", r"$\boxed{‹L›}$", "strong fixed"),
    _ending("boxed_display", "en", "\\[\n\\boxed{\\text{‹L›}}\n\\]", "strong line fixed whole"),
    _ending("boxed_contest", "en", r"Therefore the answer is \(\boxed{\textbf{(‹L›)}}\)", "strong fixed"),
    _ending("boxed_text", "en", r"The final answer is $\boxed{\text{‹L›}}$.", "strong fixed"),
    # English, for machines
    _ending("json", "en", '{"answer": "‹L›"}', "strong line fixed whole"),
    _ending("json_block", "en", '```json\n{\n  "choice": "‹L›",\n  "confidence": 0.93\n}\n```', "strong line fixed whole"),
    _ending("tag", "en", "<answer>‹L›</answer>", "strong line fixed"),
    _ending("call", "en", 'final_answer("‹L›")', "strong line fixed whole"),
    _ending("key_value", "en", "answer = ‹L›", "strong line whole"),
    _ending("with_confidence", "en", "Answer: ‹L›\nConfidence: 85%", "strong line whole"),
    _ending("double_square", "en", "My verdict is: [[‹L›]]", "strong fixed"),
    # English, bare
    _ending("letter", "en", "‹L›", "line whole"),
    _ending("letter_stop", "en", "‹L›.", "line whole"),
    _ending("parens", "en", "(‹L›)", "line fixed whole"),
    _ending("label_text", "en", "‹L›) ‹LT›", "line fixed whole"),
    # English, chat
    _ending("go_with", "en", "I'd go with ‹L›", "strong"),
    _ending("picking", "en", "So I'm picking ‹L› here", "strong"),
    _ending("it_is", "en", "It's ‹L›"),
    _ending("choice_it_is", "en", "Answer choice ‹L› it is!", "strong"),
    _ending("lock_in", "en", "I'm locking in ‹L› as my answer", "strong"),
    _ending("hope_this_helps", "en", "The right answer here is ‹L›. Hope that helps! 😊", "strong whole"),
    # German
    _ending("de_richtig", "de", "Die richtige Antwort ist ‹L›", "strong"),
    _ending("de_fett", "de", "**Antwort: ‹L›**", "strong fixed"),
    _ending("de_also", "de", "Richtig ist also Option ‹L›", "strong"),
    _ending("de_entscheide", "de", "Ich entscheide mich daher für ‹L›", "strong"),
    _ending("de_loesung", "de", "Lösung: ‹L›) ‹LT›", "strong fixed"),
    # French
    _ending("fr_bonne", "fr", "La bonne réponse est la ‹L›", "strong"),
    _ending("fr_reponse", "fr", "Réponse : ‹L›", "strong"),
    _ending("fr_choisis", "fr", "Je choisis donc l'option ‹L›", "strong"),
    _ending("fr_finale", "fr", "**Réponse finale : ‹L›. ‹LT›**", "strong fixed"),
    # Spanish
    _ending("es_correcta", "es", "La respuesta correcta es la ‹L›", "strong"),
    _ending("es_final", "es", "**Respuesta final:** ‹L›", "strong"),
    _ending("es_quedo", "es", "Me quedo con la opción ‹L›", "strong"),
    _ending("es_caja", "es", r"Por lo tanto, la respuesta es $\boxed{‹L›}$", "strong fixed"),
    # Italian
    _ending("it_esatta", "it", "La risposta esatta è la ‹L›", "strong"),
    _ending("it_risposta", "it", "Risposta: ‹L›) ‹LT›", "strong fixed"),
    _ending("it_scelgo", "it", "Scelgo quindi l'opzione ‹L›", "strong"),
    # Portuguese
    _ending("pt_letra", "pt", "A alternativa correta é a letra ‹L›", "strong"),
    _ending("pt_gabarito", "pt", "Gabarito: ‹L›", "strong"),
    _ending("pt_resposta", "pt", "**Resposta: (‹L›) ‹LT›**", "strong fixed"),
    # Chinese
    _ending("zh_shi", "zh", "所以正确答案是‹L›", "strong"),
    _ending("zh_guxuan", "zh", "故选‹L›。", "strong"),
    _ending("zh_jiacu", "zh", "**答案：‹L›**", "strong fixed"),
    _ending("zh_wei", "zh", "因此，正确选项为（‹L›）", "strong fixed"),
    _ending("zh_xuan", "zh", "综上所述，本题应选‹L›", "strong"),
    # Japanese
    _ending("ja_seikai", "ja", "正解は‹L›です。", "strong"),
    _ending("ja_kotae", "ja", "答え：‹L›", "strong"),
    _ending("ja_shitagatte", "ja", "したがって、‹L›が正しい選択肢です。", "strong"),
    _ending("ja_erabu", "ja", "よって、選択肢‹L›を選びます", "strong"),
)
