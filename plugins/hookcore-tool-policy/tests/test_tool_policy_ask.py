"""Calls that a person is asked about."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, RegistrationError
from hookcore_tool_policy import ToolPolicy, ToolPolicySettings

EUROS = {"effect": "allow", "tools": ["transfer"], "arguments": {"currency": "^EUR$"}}
LARGE = {"effect": "ask", "tools": ["transfer"], "arguments": {"amount": "^[0-9]{3,}$"}}


def effect(settings: dict[str, Any], name: str, arguments: Any = None, **options: Any) -> str:
    policy = ToolPolicy(ToolPolicySettings.model_validate(settings))
    denial = policy.judge(name, {} if arguments is None else arguments, **options)
    return "allow" if denial is None else denial.effect


@pytest.mark.parametrize(
    ("settings", "name", "arguments", "decided"),
    [
        ({"ask": ["pay_*"]}, "pay_bill", {}, "ask"),
        ({"ask": ["pay_*"]}, "Pay Bill", {}, "ask"),
        ({"ask": ["pay_*"]}, "look", {}, "allow"),
        ({"ask": ["p*"], "deny": ["pay"]}, "pay", {}, "deny"),
        ({"ask": ["pay"], "allow": ["p*"]}, "pay", {}, "ask"),
        ({"ask": ["pay"], "default": "deny"}, "pay", {}, "ask"),
        ({"ask": ["pay"], "default": "deny"}, "look", {}, "deny"),
        ({"rules": [LARGE]}, "transfer", {"amount": 500}, "ask"),
        ({"rules": [LARGE]}, "transfer", {"amount": [1, "500"]}, "ask"),
        ({"rules": [LARGE]}, "transfer", {"amount": object()}, "ask"),
        ({"rules": [LARGE]}, "transfer", {"amount": 20}, "allow"),
        ({"rules": [LARGE]}, "transfer", {}, "allow"),
        ({"rules": [LARGE, EUROS]}, "transfer", {"amount": 500, "currency": "EUR"}, "ask"),
        ({"rules": [LARGE, EUROS]}, "transfer", {"amount": 500, "currency": "USD"}, "deny"),
        ({"rules": [LARGE, EUROS]}, "Transfer", {"amount": 500, "currency": "EUR"}, "deny"),
        ({"rules": [EUROS], "ask": ["transfer"]}, "transfer", {"currency": "USD"}, "deny"),
        ({"rules": [LARGE], "default": "deny"}, "transfer", {"amount": 20}, "deny"),
        ({"rules": [LARGE], "default": "deny"}, "transfer", {"amount": 200}, "ask"),
    ],
)
def test_deny_beats_ask_and_ask_beats_allow(
    settings: dict[str, Any], name: str, arguments: Any, decided: str
) -> None:
    assert effect(settings, name, arguments) == decided


def test_another_name_of_a_tool_is_asked_about_as_well() -> None:
    assert effect({"ask": ["pay"]}, "transfer", aliases=["pay"]) == "ask"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"ask": ["pay"], "deny": ["pay*"]}, r"ask\[0\] .* can never act: deny\[0\]"),
        ({"ask": ["pay*", "pay_1"]}, r"ask\[1\] .* ask\[0\] .* asks about all that it could"),
        ({"ask": ["pay", "pay"]}, r"it repeats ask\[0\]"),
        ({"ask": [""]}, "matches no tool"),
    ],
)
def test_questions_that_can_never_be_asked_are_refused(settings: Any, why: str) -> None:
    with pytest.raises(RegistrationError, match=why):
        HookManager().register(ToolPolicy, settings=settings)


class Person:
    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, prompt: str, default_message: str) -> str:
        self.asked.append(prompt)
        return self.answer


def managed(answer: str) -> tuple[HookManager, Person]:
    person = Person(answer)
    manager = HookManager(prompter=person)
    manager.register(ToolPolicy, name="tool-policy", settings={"ask": ["pay"]})
    return manager, person


@pytest.mark.parametrize("answer", ["yes", " Y "])
def test_a_yes_lets_the_call_through(answer: str) -> None:
    manager, person = managed(answer)
    assert manager.call_tool("pay", {"to": "bob"}, lambda _: "paid") == "paid"
    (prompt,) = person.asked
    assert prompt == (
        "tool-policy: the tool pay is not called unless a person agrees "
        '(asked by ask[0] ("pay")). Call it with {"to": "bob"}? [y/N]'
    )


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"x": "a\x1b[2K\r\n\x7f\u202eb"}, r'{"x": "a\u001b[2K\r\n\u007f\u202eb"}?'),
        ({"x": "y" * 5000}, f'{{"x": "{"y" * 3993} and 1009 characters more?'),
    ],
)
def test_what_is_asked_about_is_shown_and_moves_no_cursor(
    arguments: dict[str, Any], shown: str
) -> None:
    manager, person = managed("yes")
    manager.call_tool("pay", arguments, lambda _: "paid")
    assert shown in person.asked[0]
    assert person.asked[0].isprintable()


@pytest.mark.parametrize("answer", ["", "n", "no", "perhaps"])
def test_any_other_answer_denies(answer: str) -> None:
    manager, _ = managed(answer)
    with pytest.raises(HookAborted) as denied:
        manager.call_tool("pay", {}, print)
    assert denied.value.reason == 'asked by ask[0] ("pay")'
    assert denied.value.message == "the tool pay is not called unless a person agrees"


def test_an_event_loop_goes_on_while_a_person_is_asked() -> None:
    manager, person = managed("yes")
    answered: list[str] = []

    async def call() -> Any:
        loop = asyncio.get_running_loop()

        def ask(prompt: str, default_message: str) -> str:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(60)
            answered.append(prompt)
            return "yes"

        person.ask = ask  # type: ignore[method-assign]

        async def tool(_: Any) -> str:
            return "paid"

        return await manager.acall_tool("pay", {}, tool)

    assert asyncio.run(call()) == "paid"
    assert len(answered) == 1


def test_a_tool_that_may_be_asked_about_is_offered() -> None:
    policy = ToolPolicy(ToolPolicySettings(ask=["pay"], default="deny"))
    assert policy._always(("pay",)) is None
    assert policy._always(("look",)) is not None


def test_the_patterns_are_told() -> None:
    assert ToolPolicy(ToolPolicySettings(ask=["pay"])).tool_patterns == ["pay"]
