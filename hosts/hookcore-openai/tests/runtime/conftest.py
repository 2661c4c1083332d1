"""The client libraries against a provider on loopback."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import hookcore_openai
from hookcore.testing.provider import FakeProvider

from .clients import FORMS, Form

for library in ("openai", "anthropic"):
    if find_spec(library):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(library)


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as made:
        yield made


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    made: Form = FORMS[request.param]
    pytest.importorskip(
        made.library, reason=f"{made.library} is not installed: see .ci/hosts/openai.txt"
    )
    return made


@pytest.fixture
def client(form: Form, provider: FakeProvider) -> Iterator[Any]:
    with form.client(provider.url) as made:
        yield made


@pytest.fixture
def install() -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    yield hookcore_openai.install
    hookcore_openai.uninstall()
