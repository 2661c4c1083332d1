from __future__ import annotations

import importlib
import logging
from importlib.metadata import entry_points
from typing import Any

import pytest

import hookcore_openai
from hookcore import HookManager, hookimpl
from hookcore.hosting import HOSTS_GROUP, PolicyDenied, RuntimeVersionError
from hookcore.hosting.checks import SECRET, checked
from hookcore.testing.provider import FakeProvider

from .clients import FORMS


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_the_hosts_are_offered_by_their_entry_points(name: str) -> None:
    (entry,) = entry_points(group=HOSTS_GROUP, name=name)
    assert entry.load() is getattr(hookcore_openai, name.upper())


def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no library be installed."""
    metadata: Any = importlib.import_module("importlib_metadata")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)


def test_without_a_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch)
    with pytest.raises(RuntimeVersionError, match=r"'pip install openai>=2\.0"):
        hookcore_openai.install_openai(HookManager())
    with pytest.raises(RuntimeVersionError, match=r"'pip install anthropic>=0\.60"):
        hookcore_openai.install_anthropic(HookManager())
    with pytest.raises(RuntimeVersionError, match=r"hookcore-openai\[openai\]"):
        hookcore_openai.install(HookManager())


def test_a_version_that_was_not_tested_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata: Any = importlib.import_module("importlib_metadata")
    monkeypatch.setattr(metadata, "version", lambda _: "99.0")
    with pytest.raises(RuntimeVersionError, match="accept_untested=True"):
        hookcore_openai.install(HookManager())


def test_what_no_policy_sees_is_told_once_of_each_kind(
    install: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("openai", reason="openai is not installed: see .ci/hosts/openai.txt")
    install(checked()[0])
    caplog.set_level(logging.WARNING)
    with FakeProvider() as provider, FORMS["chat"].client(provider.url) as client:
        client.moderations.create(input="a")
        client.moderations.create(input="b")
    told = [record.getMessage() for record in caplog.records if "sees" in record.getMessage()]
    assert told == ["no policy of hookcore sees what moderations requests of openai send"]


@pytest.mark.parametrize(
    ("name", "more", "why"),
    [
        ("chat", {"prediction": {"type": "content", "content": "x"}}, "a prediction"),
        ("responses", {"prompt": {"id": "p"}}, "kept by the provider"),
        ("responses", {"background": True}, "in the background"),
    ],
)
def test_what_cannot_be_judged_is_refused(name: str, more: Any, why: str, install: Any) -> None:
    pytest.importorskip("openai", reason="openai is not installed: see .ci/hosts/openai.txt")
    form = FORMS[name]
    install(checked()[0])
    with FakeProvider() as provider, form.client(provider.url) as client:
        with pytest.raises(PolicyDenied) as caught:
            form.resource(client).create(**form.request("hi"), **more)
        assert why in str(caught.value.__cause__)
        assert provider.sent == []


UNJUDGED = {
    "the older completions": lambda client: client.completions.create(model="m", prompt="a"),
    "batches": lambda client: client.batches.create(
        completion_window="24h", endpoint="/v1/responses", input_file_id="f"
    ),
    "runs of assistants": lambda client: client.beta.threads.runs.create("t", assistant_id="a"),
    "realtime": lambda client: client.realtime.connect(model="m"),
}


@pytest.mark.filterwarnings("ignore:The Assistants API is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", UNJUDGED)
def test_a_model_that_is_asked_unseen_is_not_asked(name: str, install: Any) -> None:
    pytest.importorskip("openai", reason="openai is not installed: see .ci/hosts/openai.txt")
    manager = HookManager()
    install(manager)

    class Told:
        @hookimpl
        def model_finished(self, ctx: Any) -> None: ...

    with FakeProvider() as provider, FORMS["chat"].client(provider.url) as client:
        manager.register(Told())
        if name != "realtime":
            UNJUDGED[name](client)  # who is only told of calls misses them, and stops none
        manager.register(Judge())
        provider.sent.clear()
        with pytest.raises(PolicyDenied, match="cannot be judged"):
            UNJUDGED[name](client)
        assert provider.sent == []


def test_a_batch_of_messages_is_refused_and_may_be_cancelled(install: Any) -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed: see .ci/hosts/openai.txt")
    install(checked()[0])
    form = FORMS["messages"]
    with FakeProvider() as provider, form.client(provider.url) as client:
        asked = {"custom_id": "1", "params": form.request("hi")}
        with pytest.raises(PolicyDenied, match="cannot be judged"):
            client.messages.batches.create(requests=[asked])
        client.messages.batches.cancel("b1")
        assert provider.paths == ["/v1/messages/batches/b1/cancel"]


class Judge:
    @hookimpl
    def post_model_call(self, ctx: Any) -> None: ...


def azure(url: str) -> Any:
    return importlib.import_module("openai").AzureOpenAI(
        api_key="none", azure_endpoint=url, api_version="2024-10-21", max_retries=0
    )


def vertex(url: str) -> Any:
    return importlib.import_module("anthropic").AnthropicVertex(
        base_url=url, region="us", project_id="p", access_token="none", max_retries=0
    )


@pytest.mark.parametrize(("made", "name"), [(azure, "chat"), (vertex, "messages")])
def test_clients_of_clouds_send_what_policies_left(made: Any, name: str, install: Any) -> None:
    form = FORMS[name]
    module = pytest.importorskip(form.library, reason=f"{form.library} is not installed")
    install(checked()[0])
    with FakeProvider() as provider:
        provider.answers = [404]
        with made(provider.url) as client, pytest.raises(module.NotFoundError):
            form.resource(client).create(**form.request(f"it is {SECRET}"))
        assert "[gone]" in provider.text
        assert SECRET not in provider.text


def test_the_counting_of_tokens_sends_what_policies_left(install: Any) -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed")
    install(checked()[0])
    form = FORMS["messages"]
    with FakeProvider() as provider, form.client(provider.url) as client:
        request = form.request("it is hunter2")
        del request["max_tokens"]
        assert client.messages.count_tokens(**request).input_tokens == 7
        assert provider.paths == ["/v1/messages/count_tokens"]
        assert "hunter2" not in provider.text
