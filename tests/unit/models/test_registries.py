"""Laws of reading other tools' model files: what they hold becomes models and prices, and what cannot is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import SHARED, any_text, few
from registries import MODEL, PRICING, REGISTRY

from tui_eval.core.errors import ConfigError
from tui_eval.models.registries import PROVIDER_WIRES, TEMPLATE, RegistryContents, read_model_files
from tui_eval.providers import WIRES


def read(folder: Path, *documents: Any) -> RegistryContents:
    """Files of this content, read together."""
    paths = []
    for i, document in enumerate(documents):
        paths.append(folder / f"file{i}.json")
        paths[-1].write_text(document if isinstance(document, str) else json.dumps(document))
    return read_model_files(paths)


def without(document: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in keys}


def test_every_provider_leads_to_a_wire() -> None:
    """One that is spoken."""
    assert set(PROVIDER_WIRES.values()) <= set(WIRES)


def test_a_registry_becomes_models_under_their_ids(tmp_path: Path) -> None:
    """Provider, id, what people call it, whether it is enabled, its status and its limit; what is not given is left out."""
    found = read(tmp_path, REGISTRY)

    assert [model.settings for model in found.models] == [
        {
            "name": "gpt-4o",
            "display_name": "GPT-4o",
            "wire": "openai",
            "model": "gpt-4o",
            "enabled": True,
            "status": "available",
        },
        {
            "name": "claude-x",
            "display_name": "X",
            "wire": "anthropic",
            "model": "claude-x",
            "enabled": False,
            "status": "retired",
        },
        {"name": "gemini-y", "display_name": "Y", "wire": "gemini", "model": "gemini-y", "max_output_tokens": 500},
    ]
    assert not found.prices


@pytest.mark.parametrize("order", [(REGISTRY, PRICING), (PRICING, REGISTRY), ({**REGISTRY, **PRICING},)])
def test_prices_go_into_the_models_they_are_for(tmp_path: Path, order: tuple[Any, ...]) -> None:
    """Whatever the order, or in one file; what is for no model is left as a price. The date is the table's own."""
    found = read(tmp_path, *order)

    prices = {model.settings["name"]: model.settings.get("price") for model in found.models}
    assert prices["gpt-4o"] is not None and (prices["gpt-4o"]["input"], prices["gpt-4o"]["output"]) == (2.5, 10)
    assert prices["gpt-4o"]["date"] == "2026-02-03" and prices["gpt-4o"]["source"].startswith("imported from file")
    assert prices["claude-x"] is not None and prices["gemini-y"] is None
    assert [(price.wire, price.model, price.price.input) for price in found.prices] == [("openai", "gpt-none", 1)]


def test_a_model_file_becomes_a_model(tmp_path: Path) -> None:
    """Reasoning effort at OpenAI means the Responses interface; the price keeps its source."""
    (model,) = read(tmp_path, MODEL).models

    assert model.settings == {
        "name": "thinker",
        "wire": "openai-responses",
        "model": "gpt-5",
        "api_key_env": "MY_KEY",
        "display_name": "The thinker",
        "target_mode": "normal",
        "temperature": 0,
        "reasoning_effort": "high",
        "price": {"input": 2.5, "output": 10, "source": "docs_2026-03"},
    }


@pytest.mark.parametrize(
    ("changes", "wire"),
    [
        ({"params": {"temperature": 0}}, "openai"),
        ({"params": {"reasoning_effort": None}}, "openai"),
        ({"params": None}, "openai"),
        ({"provider": "openrouter"}, "openrouter"),
        ({"provider": " Azure_OpenAI "}, "azure"),
    ],
)
def test_the_provider_decides_the_wire(tmp_path: Path, changes: dict[str, Any], wire: str) -> None:
    """Reasoning effort changes it at OpenAI alone."""
    assert read(tmp_path, MODEL | changes).models[0].settings["wire"] == wire


def test_other_parameters_are_sent_as_they_are_and_said(tmp_path: Path) -> None:
    """A limit under one of its names is ours; the rest goes into extra_body."""
    found = read(tmp_path, MODEL | {"params": {"max_tokens": 9, "top_p": 0.5, "stop": None}, "note": "x"})

    settings = found.models[0].settings
    assert (settings["max_output_tokens"], settings["extra_body"]) == (9, {"top_p": 0.5})
    assert any("top_p" in note for note in found.notes) and any("note" in note for note in found.notes)


def test_a_folder_is_read_whole_but_for_templates(tmp_path: Path) -> None:
    """Files whose names begin with _ are left out, and said."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "_template.json").write_text("{ not JSON")
    (tmp_path / "models" / "b.json").write_text(json.dumps(MODEL | {"id": "b"}))
    (tmp_path / "models" / "a.json").write_text("\ufeff" + json.dumps(MODEL | {"id": "a"}))
    (tmp_path / "models" / "notes.txt").write_text("no JSON")

    found = read_model_files([tmp_path / "models"])

    assert [model.settings["name"] for model in found.models] == ["a", "b"]
    assert len(found.notes) == 1 and "_template.json" in found.notes[0]


def test_one_id_at_two_providers_is_two_models(tmp_path: Path) -> None:
    """Each named after where it is."""
    rows = [{"provider": provider, "model_id": "gpt-4o"} for provider in ("openai", "azure")]

    names = [model.settings["name"] for model in read(tmp_path, {"models": rows}).models]

    assert names == ["gpt-4o (openai)", "gpt-4o (azure)"]


def registry_with(**changes: Any) -> dict[str, Any]:
    return {"models": [REGISTRY["models"][0], {**REGISTRY["models"][1], **changes}]}  # type: ignore[index]


def price_with(**changes: Any) -> dict[str, Any]:
    return {"pricing": {"openai": {"m": {"input_per_1m": 1, "output_per_1m": 2} | changes}}}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            registry_with(provider="anthropc"),
            "file0.json: models[1] (claude-x): provider 'anthropc': not known here; did you mean",
        ),
        (registry_with(provider="mistral"), "wire=openai --set base_url="),
        (registry_with(provider=None), "models[1] (claude-x): provider None"),
        (registry_with(model_id=""), "models[1].model_id"),
        (registry_with(model_id=5), "models[1].model_id"),
        (registry_with(status="gone"), "models[1] (claude-x): status: must be"),
        (registry_with(enabled="yes"), "models[1] (claude-x): enabled: must be"),
        (registry_with(max_tokens_override=0), "models[1] (claude-x): max_output_tokens: must be"),
        ({"models": ["gpt-4o"]}, "models[0]: must be an object"),
        (price_with(currency="EUR"), "file0.json: pricing.openai.m: currency 'EUR': prices must be in USD"),
        (price_with(currency=None), "currency None"),
        (price_with(input_per_1m=-1), "pricing.openai.m: input: must be"),
        (price_with(input_per_1m="1"), "pricing.openai.m: input: must be"),
        (price_with(input_per_1m=None), "pricing.openai.m: input: is missing"),
        ({"pricing": {"openai": {"m": {"input_per_1m": 1}}}}, "output_per_1m: is missing"),
        ({"pricing": {"openai": {"m": 5}}}, "must be an object with input_per_1m"),
        ({"pricing": {"openai": 5}}, "pricing.openai: must be an object"),
        ({"pricing": {"nobody": {"m": {"input_per_1m": 1, "output_per_1m": 2}}}}, "provider 'nobody'"),
        (MODEL | {"provider": "opnai"}, "file0.json: thinker: provider 'opnai': not known here; did you mean 'openai'"),
        (MODEL | {"id": 5}, "name: must be"),
        (MODEL | {"params": [1]}, "thinker: params: must be an object"),
        (MODEL | {"params": {"temperature": "cold"}}, "thinker: temperature: must be"),
        (MODEL | {"params": {"messages": []}}, "thinker: extra_body: 'messages' is set by tui-eval itself"),
        (MODEL | {"pricing": {"input_per_1m": 1, "output_per_1m": 2, "currency": "CHF"}}, "thinker: pricing: currency 'CHF'"),
        (MODEL | {"pricing": 5}, "thinker: pricing: must be an object"),
        (without(MODEL, "model"), "neither a registry"),
        ({}, "neither a registry"),
        ([], "neither a registry"),
        ('{"models": [\n{"provider": }]}', "file0.json:2: not valid JSON"),
        ('{"pricing": {"openai": {"m": {"input_per_1m": NaN, "output_per_1m": 1}}}}', "NaN is not a number"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_what_cannot_be_imported_names_file_and_entry(tmp_path: Path, document: Any, said: str) -> None:
    """And the next step, where there is one."""
    with pytest.raises(ConfigError, match=re.escape(said)):
        read(tmp_path, document)


def test_keys_are_refused_and_not_repeated(tmp_path: Path) -> None:
    """Where a file names a key in the place of its variable, or among the parameters."""
    key = "sk-proj-" + "a1B2" * 8
    for document in (
        MODEL | {"api_key_env": key},
        MODEL | {"params": {"api_key": key}},
        MODEL | {"base_url": f"https://u:{key}@h/"},
    ):
        with pytest.raises(ConfigError, match="tui-eval keys set") as refused:
            read(tmp_path, document)
        assert key not in str(refused.value)


def test_missing_files_and_empty_folders_are_named(tmp_path: Path) -> None:
    """Nothing is silently nothing."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin.json").write_bytes(b'{"id": "\xe9"}')

    for path in ("gone.json", "empty", "latin.json"):
        with pytest.raises(ConfigError, match=path):
            read_model_files([tmp_path / path])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)


@few
@given(
    st.sampled_from(
        [REGISTRY["models"][0], MODEL, MODEL["params"], PRICING["pricing"]["openai"]["gpt-4o"], PRICING["pricing"]]
    ),  # type: ignore[index]
    st.data(),
)
def test_any_values_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, part: dict[str, Any], data: Any) -> None:
    """Never a crash: what is there is a model, a price or a ConfigError."""
    broken = part | {data.draw(st.sampled_from([*part])): data.draw(json_values)}
    shapes: list[dict[str, Any]] = [
        {"models": [broken]},
        broken,
        MODEL | {"params": broken},
        MODEL | {"pricing": broken},
        {"pricing": {"openai": {"m": broken}}},
        {"pricing": broken},
    ]
    for shape in shapes:
        folder = tmp_path_factory.mktemp("files")
        try:
            found = read(folder, shape)
        except ConfigError as error:
            said = str(error)
        else:
            said = "file0.json" if found.models or found.prices else "nothing"
        assert "file0.json" in said


@pytest.mark.skipif(not SHARED.is_dir(), reason="the specifications are not at hand")
def test_the_specifications_own_files_are_read(tmp_path: Path) -> None:
    """As they are printed there."""
    text = next(SHARED.glob("specs/000_*.txt")).read_text() + next(SHARED.glob("specs/002_*.txt")).read_text()
    blocks = [
        block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"models": [' in block or '"pricing"' in block
    ]

    found = read(tmp_path, *blocks)

    assert len(found.models) == 5 and not found.prices
    assert all("price" in model.settings for model in found.models)
    assert {model.settings["wire"] for model in found.models} == {"openai", "anthropic"}


def test_the_template_can_be_imported_once_it_has_another_name(tmp_path: Path) -> None:
    """`models template` writes a file that an import leaves out as long as its name begins with _, and takes after that."""
    (tmp_path / "_template.json").write_text(json.dumps(TEMPLATE))
    (tmp_path / "mine.json").write_text(json.dumps(TEMPLATE))

    found = read_model_files([tmp_path])

    assert [model.settings["name"] for model in found.models] == ["my-model"]
    assert found.models[0].settings["display_name"] == "My model" and found.models[0].settings["price"]["output"] == 10.0
    assert [note for note in found.notes if "_template.json" in note]
