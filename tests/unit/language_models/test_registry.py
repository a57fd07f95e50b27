"""From a name to a language model."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import Any

import pytest

import perdure
from perdure.errors import Misconfigured
from perdure.language_models import registry
from perdure.language_models.registry import Account, available, resolve_language_model
from perdure.testing import ScriptedLanguageModel

ACCOUNTS = {
    "openai": Account(api_key="sk-openai-key"),
    "anthropic": Account(api_key="sk-anthropic-key", base_url="http://127.0.0.1:9"),
}


def resolve(specification: Any) -> Any:
    return resolve_language_model(specification, accounts=ACCOUNTS)


def a_plugin(argument: str = "") -> ScriptedLanguageModel:
    return ScriptedLanguageModel([], identity=f"plugin:{argument}")


def no_model() -> object:
    return object()


@pytest.mark.parametrize("specification", [None, "off", " off "])
def test_no_name_is_no_model(specification: str | None) -> None:
    assert resolve(specification) is None


def test_a_model_is_handed_through() -> None:
    model = ScriptedLanguageModel()
    assert resolve(model) is model


@pytest.mark.parametrize(
    "name",
    [
        "openai:small",
        pytest.param(
            "anthropic:small",
            marks=pytest.mark.skipif(find_spec("anthropic") is None, reason="no Anthropic SDK"),
        ),
    ],
)
def test_a_service_is_named_with_its_model(name: str) -> None:
    model = resolve(name)
    assert model.identity == name
    assert "key" not in repr(model)


@pytest.mark.parametrize(
    "specification", ["openai", "anthropic", "openai:", "off:x", "gpt", "", object(), 7]
)
def test_what_names_no_model_is_refused(specification: Any) -> None:
    with pytest.raises(Misconfigured):
        resolve(specification)


def test_an_installed_package_may_offer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        name: EntryPoint(name, f"{__name__}:{function}", registry.GROUP)
        for name, function in (("plug", "a_plugin"), ("broken", "no_model"), ("openai", "no_model"))
    }
    monkeypatch.setattr(registry, "_entry_points", lambda: points)
    monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.attr])
    assert resolve("plug:large").identity == "plugin:large"
    assert resolve("plug").identity == "plugin:"
    assert resolve("openai:small").identity == "openai:small"
    assert available() == ["off", "openai", "anthropic", "broken", "plug"]
    with pytest.raises(Misconfigured, match="no language model"):
        resolve("broken")


def test_the_environment_may_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_LANGUAGE_MODEL", "openai:small")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-key")
    with perdure.open("memory://", embedder="off") as memory:
        assert memory.stats().language_model == "openai:small"
    with perdure.open("memory://", embedder="off", language_model="off") as memory:
        assert memory.stats().language_model is None
