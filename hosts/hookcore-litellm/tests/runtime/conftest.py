"""LiteLLM against a provider on loopback."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import hookcore_litellm
from hookcore.testing.provider import FakeProvider

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the net for prices
if find_spec("litellm"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm: Any = importlib.import_module("litellm")
        importlib.import_module("litellm.router")
    litellm.suppress_debug_info = True
    litellm.telemetry = False


WARNINGS = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
"""The warnings of LiteLLM's own."""


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as made:
        yield made


@pytest.fixture
def install() -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    pytest.importorskip("litellm", reason="litellm is not installed: see .ci/hosts/litellm.txt")
    yield hookcore_litellm.install
    hookcore_litellm.uninstall()


class Ask:
    """LiteLLM in one of its ways, asked alike."""

    def __init__(self, way: str, provider: FakeProvider) -> None:
        self.is_async, self.is_routed = "async" in way, "router" in way
        self.told: Any = {"api_base": f"{provider.url}/v1", "api_key": "none", "max_retries": 0}
        self.router: Any = None
        if self.is_routed:
            params = {"model": "openai/m", **self.told}
            models = [{"model_name": name, "litellm_params": params} for name in ("a", "b")]
            self.router = importlib.import_module("litellm").Router(
                model_list=models, fallbacks=[{"a": ["b"]}], num_retries=1, retry_after=0
            )

    async def __call__(self, text: Any = "hi", system: str | None = None, **more: Any) -> Any:
        front = [] if system is None else [{"role": "system", "content": system}]
        request = {"messages": [*front, {"role": "user", "content": text}], **more}
        if self.is_routed:
            target, request = self.router, {"model": "a", **request}
        else:
            target = importlib.import_module("litellm")
            request = {"model": "openai/m", **self.told, **request}
        if self.is_async:
            return await target.acompletion(**request)
        return target.completion(**request)

    async def read(self, text: str = "hi", shown: list[Any] | None = None, **more: Any) -> str:
        """Return the text of a stream, and note its events."""
        shown = [] if shown is None else shown
        stream = await self(text, stream=True, **more)
        if self.is_async:
            async for event in stream:
                shown.append(event)
        else:
            shown.extend(stream)
        return "".join(event.choices[0].delta.content or "" for event in shown)


@pytest.fixture(params=["sync", "async", "sync router", "async router"])
def ask(request: pytest.FixtureRequest, provider: FakeProvider) -> Ask:
    pytest.importorskip("litellm", reason="litellm is not installed: see .ci/hosts/litellm.txt")
    return Ask(request.param, provider)
