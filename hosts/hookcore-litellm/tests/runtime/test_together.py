"""The adapter over that of the openai client: each request is dispatched once."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore.hosting.checks import SECRET, checked
from hookcore.testing.provider import FakeProvider

from .conftest import WARNINGS

pytestmark = [pytest.mark.asyncio, *WARNINGS]


@pytest.mark.parametrize("name", ["plain", "streamed"])
@pytest.mark.parametrize("above", [True, False], ids=["both", "client alone"])
async def test_a_request_over_the_openai_client_is_dispatched_once(
    *, name: str, above: bool, ask: Any, install: Any, provider: FakeProvider
) -> None:
    client = pytest.importorskip(
        "hookcore_openai", reason="hookcore-openai is not installed: see .ci/hosts/litellm.sh"
    )
    manager, recorder = checked()
    if above:
        install(manager)
    client.install_openai(manager)
    try:
        text = f"my password is {SECRET}"
        if name == "plain":
            assert (await ask(text)).choices[0].message.content == "all is well"
        else:
            assert await ask.read(text) == "all is well"
    finally:
        client.uninstall()
    assert recorder.statuses("model_finished") == ["ok"]
    assert SECRET not in provider.text
