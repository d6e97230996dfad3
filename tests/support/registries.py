"""Registries, price tables and model files as other tools write them."""

from __future__ import annotations

REGISTRY = {
    "models": [
        {"provider": "openai", "model_id": "gpt-4o", "name": "GPT-4o", "enabled": True, "status": "available"},
        {"provider": "anthropic", "model_id": "claude-x", "name": "X", "enabled": False, "status": "retired"},
        {"provider": "google", "model_id": "gemini-y", "name": "Y", "max_tokens_override": 500},
    ],
    "metadata": {"updated": "2026-01-22"},
}
PRICING = {
    "pricing": {
        "openai": {
            "gpt-4o": {"input_per_1m": 2.5, "output_per_1m": 10, "currency": "USD"},
            "gpt-none": {"input_per_1m": 1, "output_per_1m": 4, "currency": "USD"},
        },
        "anthropic": {"claude-x": {"input_per_1m": 15.0, "output_per_1m": 75.0}},
    },
    "metadata": {"updated": "2026-02-03"},
}
MODEL = {
    "id": "thinker",
    "display_name": "The thinker",
    "provider": "openai",
    "model": "gpt-5",
    "api_key_env": "MY_KEY",
    "params": {"temperature": 0, "reasoning_effort": "high"},
    "target_mode": "normal",
    "pricing": {"input_per_1m": 2.5, "output_per_1m": 10, "source": "docs_2026-03"},
}
