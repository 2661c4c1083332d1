"""The policy where it works: calls of agents, and people who decide."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, RegistrationError, ToolCallContext, hookimpl
from hookcore_approval import Approval
from hookcore_approval.policy import _POLL_SECONDS

MakeHost = Callable[..., Any]
SECRET = "hunter2-hunter2"


@pytest.mark.usefixtures("store")
def test_a_call_waits_runs_once_when_it_is_approved_and_waits_again(host: Any) -> None:
    told = host.call()
    (ident,) = host.pending()
    assert told == f"approval: request {ident} waits for a person"
    assert host.call() == told
    host.decide()
    assert host.call() == "ran"
    assert host.ran == [{"to": "bob", "amount": 10}]
    again = host.call()
    assert again.endswith("waits for a person")
    assert again != told


@pytest.mark.usefixtures("store")
def test_a_denied_call_says_who_denied_it(host: Any) -> None:
    host.call()
    ident = host.decide("denied", "bob")
    assert host.call() == f"approval: request {ident} was denied by bob"
    assert host.ran == []


def test_what_a_model_is_told_has_the_id_and_no_name_of_a_person(host: Any) -> None:
    host.call()
    ident = host.decide("denied", "bob")
    denied = host.manager.call_tool(
        "pay", {"to": "bob", "amount": 10}, print, session_id="s1", on_denied="return"
    )
    assert (
        denied.message == f"A person has denied this call (request {ident}). Do not make it again."
    )


@pytest.mark.parametrize(
    "change",
    [
        {"arguments": {"to": "bob", "amount": 10_000}},
        {"arguments": {"to": "bob", "amount": 10, "more": None}},
        {"tool": "pay_more"},
        {"session_id": "s2"},
        {"session_id": None},
        {"attributes": {"cwd": "/elsewhere"}},
    ],
)
def test_any_other_call_is_a_new_request(host: Any, change: dict[str, Any]) -> None:
    host.call()
    host.decide()
    assert host.call(**change).endswith("waits for a person")
    assert host.ran == []
    assert host.call() == "ran"


def test_the_order_of_arguments_does_not_matter(host: Any) -> None:
    host.call()
    host.decide()
    assert host.call({"amount": 10, "to": "bob"}) == "ran"


def test_a_hook_that_edits_the_call_after_it_was_asked_for_makes_another_one(host: Any) -> None:
    class Doubles:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> Any:
            return {**ctx.tool_input, "amount": ctx.tool_input["amount"] * 1000}

    host.call()
    host.decide()
    host.manager.register(Doubles())
    assert host.call().endswith("waits for a person")
    assert host.ran == []


def test_a_wrap_that_passes_on_something_else_makes_another_call(host: Any) -> None:
    class Doubles:
        @hookimpl
        async def wrap_tool_call(self, ctx: ToolCallContext, call_next: Any) -> Any:
            return await call_next({**ctx.tool_input, "amount": 10_000})

    async def tool(given: Any) -> str:
        return f"ran {given}"

    host.call()
    host.decide()
    host.manager.register(Doubles())
    arguments = {"to": "bob", "amount": 10}
    with pytest.raises(HookAborted, match="waits for a person"):
        asyncio.run(host.manager.acall_tool("pay", arguments, tool, session_id="s1"))


@pytest.mark.parametrize(
    ("scope", "fields", "others"),
    [
        ("agent", {"agent": "ann"}, {"agent": "eve"}),
        ("tenant", {"attributes": {"tenant": "a"}}, {"attributes": {"tenant": "b"}}),
    ],
)
def test_an_approval_is_for_whom_the_settings_say(
    make_host: MakeHost, scope: str, fields: dict[str, Any], others: dict[str, Any]
) -> None:
    host = make_host(scope=scope)
    host.call(**fields)
    host.decide()
    assert host.call(**others).endswith("waits for a person")
    assert host.call(session_id="another", **fields) == "ran"


def test_tools_that_are_not_named_need_no_approval(host: Any) -> None:
    assert host.call(tool="look") == "ran"
    assert host.pending() == []


def test_another_spelling_or_alias_of_a_tool_is_the_tool(host: Any) -> None:
    assert host.call(tool="PAY-now").endswith("waits for a person")
    aliases = {"tool_aliases": ["pay"]}
    assert host.call(tool="transfer", attributes=aliases).endswith("waits for a person")


def test_what_another_gate_denies_spends_no_approval(host: Any) -> None:
    class Closed:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            raise HookAborted("closed")

    host.call()
    host.decide()
    closed = host.manager.register(Closed())
    assert host.call() == "closed"
    host.manager.unregister(closed)
    assert host.call() == "ran"


def test_two_people_approve_what_two_have_to(make_host: MakeHost) -> None:
    host = make_host(two_people=["pay"])
    host.call()
    host.decide(by="ann")
    assert host.call().endswith("waits for a person")
    host.decide(by="bob")
    assert host.call() == "ran"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"x": float("nan")}, "approval: arguments that have no canonical form"),
        ({"x": "y" * 300_000}, "too long to be shown"),
    ],
)
def test_a_call_that_cannot_be_told_from_others_is_denied(
    host: Any, arguments: dict[str, Any], why: str
) -> None:
    assert why in host.call(arguments)
    assert host.pending() == []


def test_too_many_requests_deny_without_a_further_one(make_host: MakeHost) -> None:
    host = make_host(max_pending=1)
    host.call()
    assert host.call({"another": 1}) == "approval: 1 requests wait already"


def test_a_dry_run_makes_no_request(host: Any) -> None:
    ctx = ToolCallContext(tool_name="pay", payload={}, dry_run=True)
    with pytest.raises(HookAborted, match="nobody is in a dry run"):
        host.manager.dispatch("pre_tool_call", ctx)
    assert host.pending() == []


@pytest.mark.parametrize(
    ("show", "shown"),
    [
        ("redacted", '{"password": "********", "max_tokens": 5, "note": "hello"}'),
        ("names", '{"password": "(str)", "max_tokens": "(int)", "note": "(str)"}'),
        ("full", f'{{"password": "{SECRET}", "max_tokens": 5, "note": "hello"}}'),
    ],
)
def test_arguments_are_stored_as_far_as_the_settings_say(
    make_host: MakeHost, show: str, shown: str, tmp_path: Any
) -> None:
    host = make_host(show=show)
    host.call({"password": SECRET, "max_tokens": 5, "note": "hello"})
    (request,) = host.requests.listed(pending=True)
    assert request.shown == shown
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("own/*"))
    assert (SECRET.encode() in stored) == (show == "full")


def test_secrets_below_a_telling_name_are_hidden_at_any_depth(host: Any) -> None:
    host.call({"credentials": {"user": "ann", "list": [SECRET, {"x": SECRET}]}})
    (request,) = host.requests.listed(pending=True)
    assert SECRET not in request.shown


@pytest.fixture
def decided_while_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], object]], None]:
    """Let something happen at the first pause of a call that waits."""

    def install(happens: Callable[[], object]) -> None:
        paused = iter([happens])

        def sleep(seconds: float) -> None:
            assert seconds <= _POLL_SECONDS
            next(paused, lambda: None)()

        monkeypatch.setattr("hookcore_approval.policy.time.sleep", sleep)

    return install


def test_a_call_that_waits_goes_on_when_it_is_approved(
    make_host: MakeHost, decided_while_waiting: Any
) -> None:
    host = make_host(wait_s=30)
    decided_while_waiting(host.decide)
    assert host.call() == "ran"


def test_a_call_that_waits_is_denied_when_it_is_denied(
    make_host: MakeHost, decided_while_waiting: Any
) -> None:
    host = make_host(wait_s=30)
    decided_while_waiting(lambda: host.decide("denied", "bob"))
    assert host.call().endswith("was denied by bob")


def test_a_call_that_waits_and_whose_approval_another_takes_says_so(
    make_host: MakeHost, decided_while_waiting: Any
) -> None:
    host, other = make_host(wait_s=30), make_host()

    def taken() -> None:
        host.decide()
        assert other.call() == "ran"

    decided_while_waiting(taken)
    assert host.call().endswith("was used by another call; the call was not made, make it again")
    assert host.ran == []


def test_a_call_waits_no_longer_than_it_may_and_goes_on_later(make_host: MakeHost) -> None:
    host = make_host(wait_s=0.01)
    assert host.call().endswith("waits for a person")
    host.decide()
    assert host.call() == "ran"


def test_a_file_that_cannot_be_used_denies(make_host: MakeHost, tmp_path: Any) -> None:
    host = make_host()
    host.call()
    host.close()
    (tmp_path / "own").chmod(0o777)
    try:
        assert host.call().startswith("approval: the store is away (sqlite: others can write")
    finally:
        (tmp_path / "own").chmod(0o700)
    assert host.ran == []


def test_settings_that_cannot_act_are_refused() -> None:
    for given, why in [
        ({"tools": [], "questions": False}, "it would do nothing"),
        ({"url_env": "X"}, "url_env can have no effect"),
        ({"store": "redis", "path": "x"}, "path can have no effect"),
        ({"tools": [""]}, "the pattern cannot match"),
        ({"two_people": ["pay"], "approvers": ["ann"]}, "two_people needs two approvers"),
        ({"notify_url": "http://example.com/"}, "an https URL"),
        ({"notify_url": "https://example.com:99999/"}, "an https URL"),
        ({"notify_url": "https://[::1/"}, "an https URL"),
        ({"wait_s": 56}, "less than or equal to 55"),
        ({"when_away": "allow"}, "no setting when_away"),
    ]:
        with pytest.raises(RegistrationError, match=why):
            HookManager().register(Approval, settings=given)


def test_the_distribution_offers_the_plugin_as_an_entry_point() -> None:
    (entry,) = entry_points(group="hookcore.plugins", name="approval")
    assert entry.load() is Approval
