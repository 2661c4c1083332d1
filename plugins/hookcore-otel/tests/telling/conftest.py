"""A collector, and managers whose telemetry it gets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from hookcore_otel.testing import Collector

from .told import Told

MakeCollector = Callable[..., Collector]


@pytest.fixture
def make_collector(request: pytest.FixtureRequest) -> MakeCollector:
    def make(**options: Any) -> Collector:
        collector = Collector(**options)
        request.addfinalizer(collector.close)
        return collector

    return make


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what the machine that runs the tests has to say."""
    for variable in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(variable)


@pytest.fixture
def collector(make_collector: MakeCollector, monkeypatch: pytest.MonkeyPatch) -> Collector:
    collector = make_collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    return collector


@pytest.fixture
def make_told(request: pytest.FixtureRequest) -> Callable[..., Told]:
    def make(**settings: Any) -> Told:
        told = Told(**settings)
        request.addfinalizer(told.plugin.close)
        return told

    return make


@pytest.fixture
def told(collector: Collector, make_told: Callable[..., Told]) -> Told:
    return make_told()
