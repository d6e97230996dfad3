"""The words by which files of questions name their questions and answers, as parts of regular expressions."""

from __future__ import annotations

QUESTION_NAMES = (
    "question|frage|pregunta|domanda|pergunta|questão|vraag|fråga|spørgsmål|spørsmål|pytanie|otázka|kysymys|soru|вопрос|питання|"
    "ερώτηση|質問|问题|問題|问|問|질문|문제|السؤال|سؤال|प्रश्न"
)
_SORTS = r"(?:the\s+)?(?:expected|correct|right|reference|model|sample|true|gold|ground[- ]truth)\s+"
_OTHER_TONGUES = (
    "antwort|lösung|réponse|reponse|respuesta|solución|risposta|soluzione|resposta|solução|antwoord|svar|odpowiedź|odpověď|"
    "vastaus|cevap|ответ|відповідь|απάντηση|答え|答案|回答|答|正解|解答|정답|답|الجواب|الإجابة|उत्तर"
)
ANSWER_NAMES = (
    rf"(?:{_SORTS})?(?:answer|ans)|{_SORTS}(?:response|reply|output|solution)|ground[- ]truth|truth|"
    rf"(?:\w+\s)?(?:{_OTHER_TONGUES})"
)
ONLY_BEHIND = "solution|correct"
"""Names of an answer that are words of questions, too ("which of these is correct: ..."): such only behind a question."""
ONLY_BELOW = "a|expected|gold|ideal"
"""Names of an answer that begin a line below its question, and would mean little within one."""
ANSWER_LISTS = (
    "(?:the )?(?:(?:correct|expected|model) )?(?:answers|solutions)|answer keys?|antworten|lösungen|réponses|reponses|corrigé|"
    "respuestas|soluciones|risposte|soluzioni|respostas|soluções|antwoorden|odpowiedzi|ответы|відповіді|απαντήσεις|cevaplar"
)
"""What stands over answers that are listed apart from their questions."""
COLON = "[:：]"
ARROW = "->|=>|→|⇒|➜"
