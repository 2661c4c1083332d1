from __future__ import annotations

import logging
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, get_manager, hookimpl
from hookcore.hosting import MODEL_POINTS, Host, ProcessWide, Replacements, heeds

HOST = Host(name="acme", runtime="hookcore", points=heeds(MODEL_POINTS), is_part=True)


class Runtime:
    def ask(self) -> str:
        return "as it was"


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
def acme() -> ProcessWide:
    def put(replaced: Replacements) -> None:
        replaced.put(Runtime, "ask", lambda old: lambda self: f"governed, not {old(self)}")

    return ProcessWide(HOST, put)


def test_functions_are_replaced_once_and_put_back(acme: ProcessWide) -> None:
    first, second = HookManager(), HookManager()
    assert acme.install(first, accept_untested=False) is first
    assert acme.install(second, accept_untested=False) is second
    assert acme.manager is second
    assert Runtime().ask() == "governed, not as it was"
    acme.uninstall()
    assert acme.manager is None
    assert Runtime().ask() == "as it was"


def test_without_a_manager_the_processs_is_taken(acme: ProcessWide) -> None:
    assert acme.install(None, accept_untested=False) is get_manager()
    acme.uninstall()


def test_a_manager_is_there_while_a_hook_waits(
    acme: ProcessWide, caplog: pytest.LogCaptureFixture
) -> None:
    manager = HookManager()
    assert acme.hooked() is None
    acme.install(manager, accept_untested=False)
    assert acme.hooked() is None
    manager.register(Starts())
    manager.register(Told())
    for _ in range(2):
        assert acme.hooked() is manager
    assert acme.hooked(["pre_model_call"]) is None
    assert caplog.text.count("it hooks pre_run, which this host never dispatches") == 1


def test_what_no_policy_sees_is_told_once_of_each_kind(
    acme: ProcessWide, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    acme.passes_unseen("images")
    manager = acme.install(HookManager(), accept_untested=False)
    manager.register(Judge())
    for kind in ("images", "images", "files"):
        acme.passes_unseen(kind)
    assert [record.getMessage() for record in caplog.records] == [
        "no policy of hookcore sees what images requests of acme send",
        "no policy of hookcore sees what files requests of acme send",
    ]


def test_a_model_is_not_asked_unseen_while_a_policy_judges(acme: ProcessWide) -> None:
    manager = acme.install(HookManager(), accept_untested=False)
    manager.register(Told())
    acme.passes_unseen("batches", is_asking=True)
    manager.register(Judge())
    with pytest.raises(HookAborted, match="batches requests of acme cannot be judged"):
        acme.passes_unseen("batches", is_asking=True)
