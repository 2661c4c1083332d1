"""Requests that no policy sees are told of once, or refused."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.hosting import MODEL_POINTS, Adapter, Host, heeds, put_all

HOST = Host(name="acme", runtime="hookcore", points=heeds(MODEL_POINTS), is_part=True)


class Told:
    @hookimpl
    def model_finished(self, ctx: Any) -> None: ...


class Judge:
    @hookimpl
    def post_model_call(self, ctx: Any) -> None: ...


class Starts:
    @hookimpl
    def pre_run(self, ctx: Any) -> None: ...


@pytest.fixture
def acme() -> Iterator[Adapter]:
    made = Adapter(HOST, put_all([]))
    yield made
    made.uninstall()


def test_a_manager_is_there_while_a_hook_waits(
    acme: Adapter, caplog: pytest.LogCaptureFixture
) -> None:
    manager = HookManager()
    assert acme.hooked() is None
    acme.install(manager)
    assert acme.hooked() is None
    manager.register(Starts())
    manager.register(Told())
    for _ in range(2):
        assert acme.hooked() is manager
    assert acme.hooked(["pre_model_call"]) is None
    assert caplog.text.count("it hooks pre_run, which this host never dispatches") == 1


def test_what_no_policy_sees_is_told_once_of_each_kind(
    acme: Adapter, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    acme.passes_unseen("images")
    manager = acme.install(HookManager())
    manager.register(Judge())
    for kind in ("images", "images", "files"):
        acme.passes_unseen(kind)
    assert [record.getMessage() for record in caplog.records] == [
        "no policy of hookcore sees what images requests of acme send",
        "no policy of hookcore sees what files requests of acme send",
    ]


def test_a_model_is_not_asked_unseen_while_a_policy_judges(acme: Adapter) -> None:
    manager = acme.install(HookManager())
    manager.register(Told())
    acme.passes_unseen("batches", is_asking=True)
    manager.register(Judge())
    with pytest.raises(HookAborted, match="batches requests of acme cannot be judged"):
        acme.passes_unseen("batches", is_asking=True)
