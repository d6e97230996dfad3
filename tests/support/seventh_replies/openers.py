"""Sentences that name no option."""

from __future__ import annotations

from letter_replies.model import phrases

OPENERS = (
    *phrases(
        "en",
        "",
        (
            "Let's work through this carefully.",
            "Okay, so I need to figure out what this question is really asking.",
            "Great question!",
            "Alright, here's how I'd reason about it.",
            "A careful reading of the question stem settles most of it.",
            "I will compare each choice with the facts given.",
            "Sure, happy to help with this one.",
            "The question tests a single concept, so we can keep this short.",
            "To solve this problem, we recall the relevant definition first.",
            "**Step 1:** Write down what is known.",
            "As an AI language model I have no personal opinions, but I can reason from the material.",
            "Hmm, this one is tricky.",
            "Based on the information given, only one of the choices satisfies every condition.",
            "A useful first move is to rule out what contradicts the premise.",
            "We are given four pieces of information and have to combine them.",
            "I am confident about this one.",
            "There is a clear way to narrow this down.",
        ),
    ),
    *phrases(
        "de",
        "",
        (
            "Gehen wir die Aufgabe Schritt für Schritt durch.",
            "Gute Frage!",
            "Zunächst klären wir, wonach eigentlich gefragt ist.",
            "Um das zu beantworten, muss man die Definition kennen.",
            "Ich habe alle Möglichkeiten miteinander verglichen.",
            "Das lässt sich mit etwas Überlegung gut eingrenzen.",
        ),
    ),
    *phrases(
        "fr",
        "",
        (
            "Analysons la question étape par étape.",
            "Reprenons calmement l'énoncé.",
            "À première vue, la question semble difficile.",
            "Il y a plusieurs pistes à examiner.",
            "Pour répondre, il faut se rappeler la définition.",
            "Bien sûr, voici mon raisonnement.",
        ),
    ),
    *phrases(
        "es",
        "",
        (
            "Vamos a analizar la pregunta paso a paso.",
            "A continuación explico mi razonamiento.",
            "Primero conviene recordar la definición.",
            "Claro, con gusto te ayudo.",
            "He revisado todas las opciones con cuidado.",
            "A decir verdad, el enunciado da bastantes pistas.",
        ),
    ),
    *phrases(
        "it",
        "",
        (
            "Ragioniamo con ordine.",
            "A ben vedere, il testo contiene già un indizio.",
            "Per rispondere bisogna partire dalla definizione.",
            "Certo, vediamo insieme.",
            "Ho confrontato tutte le alternative.",
        ),
    ),
    *phrases(
        "pt",
        "",
        (
            "Vamos analisar a questão passo a passo.",
            "A questão cobra um conceito bastante conhecido.",
            "Para responder, é preciso lembrar a definição.",
            "Claro, vou explicar o raciocínio.",
            "Comparei todas as alternativas com o enunciado.",
        ),
    ),
    *phrases(
        "zh",
        "",
        (
            "我们来逐步分析这道题。",
            "首先明确题目问的是什么。",
            "好的，下面给出我的分析。",
            "这道题考查的是基本概念。",
            "根据题意，需要逐一比较各个选项。",
            "让我仔细想一想。",
        ),
    ),
    *phrases(
        "ja",
        "",
        (
            "順番に考えてみましょう。",
            "まず、問題文の条件を整理します。",
            "これは基本的な知識を問う問題です。",
            "各選択肢を一つずつ確認しました。",
            "はい、解説します。",
        ),
    ),
)
