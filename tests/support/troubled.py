"""A server that is out of order for a while, in one of many ways, and what it was asked again though it had answered."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aiohttp import web
from fault_bench import Watched

from tui_eval.simulator.answers import multiple_choice, open_replies
from tui_eval.simulator.answers.prompt import plain_text
from tui_eval.simulator.apis import replies, schemas
from tui_eval.simulator.apis.chat import Asked, response
from tui_eval.simulator.apis.streams import Streaming
from tui_eval.simulator.personas import load_personas
from tui_eval.simulator.seed import Seed

WORDS = "no idea what to say"
LIMITS = ("max_tokens", "max_completion_tokens")
TINY = "Reply with the word OK."

Spoilt = Callable[[dict[str, Any]], None]


def _cut(body: dict[str, Any]) -> None:
    """The first half of the text, cut by the token limit."""
    choice = body["choices"][0]
    text = choice["message"]["content"] or ""
    choice["message"]["content"], choice["finish_reason"] = text[: len(text) // 2] or text, "length"


def _cut_at_once(body: dict[str, Any]) -> None:
    """Nothing: the tokens went into thinking."""
    body["choices"][0]["message"]["content"], body["choices"][0]["finish_reason"] = "", "length"


def _words(body: dict[str, Any]) -> None:
    """Words that answer nothing."""
    body["choices"][0]["message"]["content"] = WORDS


FAILURES = {"500": (500, "out of order", None), "429": (429, "too many requests", "rate_limit_exceeded"),
            "401": (401, "this key is not known", "invalid_api_key")}  # fmt: skip
SPOILT: dict[str, Spoilt] = {"cut": _cut, "cut at once": _cut_at_once, "words": _words}
HANGS = "hangs"


class Troubled(Watched):
    """The simulator, whose every answer after the first few may be spoilt. It knows which requests it has answered soundly.

    Requests that differ in nothing but their token limit are the same: so much may be raised for what is asked again.
    """

    def __init__(self) -> None:
        super().__init__(latency_scale=0.0)
        self.trouble = ""
        """A key of FAILURES or SPOILT, or HANGS; empty = it is in order."""
        self.spared = 0
        """So many requests are answered soundly all the same."""
        self.room = 0
        """Whatever is allowed so many tokens is not cut; 0 = any limit cuts."""
        self.asked = 0
        """Requests, those before a run aside."""
        self.tiny = 0
        """Tiny questions before a run."""
        self.answered_again = 0
        """Requests that came though the same one had been answered soundly before."""
        self.at: Callable[[int], None] = lambda number: None
        """Told each request's number before it is answered, in a thread of its own."""
        self._sound: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._chat.answer = self._spoilt_or_sound  # type: ignore[method-assign]

    def heal(self) -> None:
        """Be in order from now on."""
        self.trouble, self.at = "", lambda number: None

    async def _spoilt_or_sound(self, request: web.BaseRequest, asked: Asked) -> web.StreamResponse | Streaming | None:
        same = _without_limit(asked.chat)
        tiny = TINY in asked.chat["messages"][-1]["content"]
        if tiny:
            self.tiny += 1
        else:
            self.asked += 1
            self.answered_again += self._sound[same] > 0
        number = self.asked
        await asyncio.to_thread(self.at, number)
        if self.trouble == HANGS and number > self.spared:
            await asyncio.sleep(600)
        if self.trouble in FAILURES and number > self.spared:
            status, message, code = FAILURES[self.trouble]
            return response(replies.failure(status, f"{message} (simulated)", code))
        whole = self._voice(asked)
        body = json.loads(whole.body)
        if not tiny and self.trouble in SPOILT and number > self.spared and not self._has_room(asked.chat):
            SPOILT[self.trouble](body)
        elif not tiny and whole.status == 200:
            self._sound[same] += 1
        return response(replies.as_json(body, whole.status))

    def _voice(self, asked: Asked) -> replies.Reply:
        """What a model says that always does as it is told."""
        persona = replace(load_personas()[asked.model], obeys=1.0, skill=1.0, refuses=0.0, drops=0.0)
        messages = asked.chat["messages"]
        seed = Seed(0, json.dumps(asked.chat.get("seed")), asked.model)
        sheet = multiple_choice.read_sheet(messages)
        said = (
            open_replies.reply(persona, messages, seed) if sheet is None else multiple_choice.answer(persona, sheet, seed).text
        )
        if (schema := schemas.wanted(asked.chat)) is not None:
            said = schemas.follow(schema, said or "", seed)
        read = sum(replies.tokens(plain_text(message)) for message in messages)
        used = replies.usage(read, said or "", (persona.input_price, persona.output_price))
        return replies.as_json(replies.completion(persona.name, said, "troubled", used))

    def _has_room(self, chat: dict[str, Any]) -> bool:
        limits = [chat[name] for name in LIMITS if chat.get(name)]
        return bool(self.room) and self.trouble != "words" and (not limits or max(limits) >= self.room)


def _without_limit(chat: dict[str, Any]) -> str:
    kept = {name: value for name, value in chat.items() if name not in LIMITS}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
