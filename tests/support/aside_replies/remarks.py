"""Sentences of the half that was set aside that declare nothing."""

from __future__ import annotations

from letter_replies.model import phrases

REMARKS = (
    *phrases(
        "en",
        "denial",
        (
            "We can cross out ‹X›.",
            "‹X› fails for the same reason.",
            "Choice ‹X› misreads the question.",
            "As for ‹X›, it says nothing about the cause.",
            "‹X› is only a distractor.",
            "Nor is it ‹X›.",
            "So ‹X› drops out, and so does ‹Y›.",
            "‹X› overstates things.",
            'The claim "‹XT›" is false.',
            'Calling it "‹XT›" would be a mistake.',
            "[‹X›] does not follow.",
            "‹X›. ‹XT› can't be right.",
        ),
    ),
    *phrases(
        "en",
        "neutral",
        (
            "‹X› and ‹Y› are close to each other in meaning.",
            'Choice ‹X› reads "‹XT›".',
            'The phrase "‹XT›" appears in many textbooks.',
            "Had they asked about something else, ‹X› would do.",
            "A hasty reader would fall for ‹X›.",
        ),
    ),
    *phrases("en", "question", ("Could it be ‹X›?", "Why not ‹X›?")),
    *phrases("en", "first", ("Starting with ‹X›, the wording is vague.",)),
    *phrases("en", "before", ("Between ‹L› and ‹X› the choice is hard.", "That narrows it down to ‹L› and ‹X›.")),
    *phrases(
        "en",
        "doubt",
        (
            "You could be forgiven for saying ‹Xt›.",
            "‹XT› comes to mind first, yet it fails.",
            "Although ‹Xt› is popular, it is beside the point.",
            "‹XT›, on the other hand, does not qualify.",
            "Nobody would call this ‹Xt›.",
            "It resembles ‹Xt› but is something else.",
            "Compared with ‹Xt›, the case is clearer here.",
            "Were it not for the wording, ‹Xt› would do.",
        ),
        True,
    ),
    *phrases(
        "fr",
        "denial",
        (
            "La réponse ‹X› est fausse, car elle contredit l'énoncé.",
            "On peut écarter ‹X›.",
            "Ni ‹X› ni ‹Y› ne conviennent.",
            "« ‹XT› » ne convient pas ici.",
            "Ce n'est pas ‹X›.",
        ),
    ),
    *phrases("fr", "neutral", ("À première vue, ‹X› paraît séduisante.",)),
    *phrases("fr", "first", ("Examinons d'abord la réponse ‹X›.",)),
    *phrases(
        "it",
        "denial",
        (
            "L'opzione ‹X› è sbagliata perché contraddice la domanda.",
            "‹X› si può escludere.",
            "Né ‹X› né ‹Y› vanno bene.",
            "«‹XT›» qui non va bene.",
        ),
    ),
    *phrases("it", "neutral", ("A prima vista ‹X› sembra plausibile.",)),
    *phrases(
        "nl",
        "denial",
        (
            "Optie ‹X› is onjuist, want die spreekt de vraag tegen.",
            "‹X› valt af.",
            "‹X› en ‹Y› zijn allebei fout.",
            "“‹XT›” past hier niet.",
        ),
    ),
    *phrases("nl", "neutral", ("Op het eerste gezicht lijkt ‹X› aantrekkelijk.",)),
    *phrases(
        "pl",
        "denial",
        (
            "Opcja ‹X› jest błędna, bo przeczy treści pytania.",
            "‹X› odpada.",
            "Ani ‹X›, ani ‹Y› nie pasuje.",
            "„‹XT›” tu nie pasuje.",
        ),
    ),
    *phrases("pl", "neutral", ("Na pierwszy rzut oka ‹X› wygląda kusząco.",)),
    *phrases(
        "ja",
        "denial",
        (
            "選択肢‹X›は誤りです。",
            "‹X›は除外できます。",
            "‹X›と‹Y›はどちらも正しくありません。",
            "「‹XT›」は当てはまりません。",
        ),
    ),
    *phrases("ja", "neutral", ("一見すると‹X›が正しそうに見えます。",)),
    *phrases("ja", "first", ("まず選択肢‹X›を見てみましょう。",)),
    *phrases(
        "ko",
        "denial",
        (
            "선택지 ‹X›는 틀렸습니다.",
            "‹X›는 제외할 수 있습니다.",
            "‹X›와 ‹Y›는 모두 옳지 않습니다.",
            "'‹XT›'은(는) 맞지 않습니다.",
        ),
    ),
    *phrases("ko", "neutral", ("얼핏 보면 ‹X›가 그럴듯해 보입니다.",)),
    *phrases(
        "ar",
        "denial",
        ("الخيار ‹X› خاطئ لأنه يناقض السؤال.", "يمكن استبعاد ‹X›.", "العبارة «‹XT›» لا تناسب هنا."),
    ),
    *phrases(
        "tr",
        "denial",
        (
            "‹X› seçeneği yanlıştır, çünkü soruyla çelişir.",
            "‹X› elenebilir.",
            "Ne ‹X› ne de ‹Y› uygundur.",
            "“‹XT›” burada uymuyor.",
        ),
    ),
    *phrases(
        "sv",
        "denial",
        (
            "Alternativ ‹X› är fel eftersom det motsäger frågan.",
            "‹X› kan uteslutas.",
            "Varken ‹X› eller ‹Y› stämmer.",
            "”‹XT›” passar inte här.",
        ),
    ),
    *phrases("vi", "denial", ("Phương án ‹X› sai vì trái với đề bài.", "Có thể loại ‹X›.", "Cả ‹X› và ‹Y› đều sai.")),
    *phrases("hi", "denial", ("विकल्प ‹X› गलत है।", "‹X› को हटाया जा सकता है।")),
    *phrases("id", "denial", ("Pilihan ‹X› salah karena bertentangan dengan soal.", "‹X› bisa disingkirkan.")),
)

OPENERS = (
    *phrases(
        "en",
        "opener",
        (
            "A glance at the definitions helps.",
            "I think the wording is the key.",
            "As always, the units give a hint.",
            "Diffusion and convection are often confused.",
            "Every word of the question matters.",
            "Given the data, the rest follows.",
            "According to the text, one condition is missing.",
            "Each of the options deserves a look.",
        ),
    ),
    *phrases(
        "fr",
        "opener",
        ("Procédons par étapes.", "A priori, une seule réponse convient.", "La question porte sur la définition."),
    ),
    *phrases(
        "it",
        "opener",
        ("Procediamo per gradi.", "I dati sono sufficienti.", "E questo è importante.", "A prima vista sembra difficile."),
    ),
    *phrases("nl", "opener", ("Laten we stap voor stap nadenken.", "De vraag gaat over de definitie.")),
    *phrases("pl", "opener", ("Przeanalizujmy to krok po kroku.", "A teraz przypomnijmy sobie definicję.", "I to jest ważne.")),
    *phrases("ja", "opener", ("順番に考えてみましょう。", "この問題は定義を問うています。")),
    *phrases("ko", "opener", ("차근차근 생각해 봅시다.", "이 문제는 정의를 묻고 있습니다.")),
    *phrases("ar", "opener", ("لنفكر خطوة بخطوة.", "السؤال عن التعريف.")),
    *phrases("tr", "opener", ("Adım adım düşünelim.", "Soru tanımla ilgili.")),
    *phrases("sv", "opener", ("Vi tar det steg för steg.", "I frågan nämns bara en egenskap.")),
    *phrases("vi", "opener", ("Hãy suy nghĩ từng bước.", "Câu hỏi nói về định nghĩa.")),
    *phrases("hi", "opener", ("आइए चरण दर चरण सोचें।", "प्रश्न परिभाषा के बारे में है।")),
    *phrases("id", "opener", ("Mari kita pikirkan langkah demi langkah.", "Soal ini tentang definisi.")),
)
