"""The requests to models, and what comes of them."""

from __future__ import annotations

from typing import Any

from hookcore_specs import Abort, ModelResponse, ToolCall, hookimpl

from ....hosting.checks import MESSAGE, REASON, SECRET
from ..case import Case, break_down, call, expect, hook_at, is_broken, same
from ..driver import ProviderFailedError
from ..registry import MODEL, check


@check(*MODEL)
async def a_message_reaches_the_provider_redacted(case: Case) -> None:
    result = await case.run("done", text=f"user {SECRET}")
    result.answered("done")
    expect(SECRET not in result.sent, "the secret reached the provider")
    expect("user [gone]" in result.sent, f"the provider was sent {result.sent}")


@check(*MODEL, features=["system"])
async def a_system_prompt_reaches_the_provider_redacted(case: Case) -> None:
    result = await case.run("done", system=f"system {SECRET}")
    expect(SECRET not in result.sent, "the secret reached the provider")
    expect("system [gone]" in result.sent, f"the provider was sent {result.sent}")


@check(*MODEL, "pre_tool_call")
async def the_arguments_of_earlier_calls_reach_the_provider_redacted(case: Case) -> None:
    result = await case.run([call("lookup", key=f"key {SECRET}")], "done")
    same(len(result.requests), 2, "the number of requests")
    expect(SECRET not in result.sent, "the secret reached the provider")


@check(*MODEL)
async def a_denied_request_never_reaches_the_provider(case: Case) -> None:
    result = await case.run("done", text="STOP")
    same(result.requests, [], "the requests that reached the provider")


@check(*MODEL)
async def a_denied_request_reaches_the_program_with_its_message(case: Case) -> None:
    (await case.run("done", text="STOP")).denied()


@check("post_model_call")
async def a_denied_response_reaches_nobody(case: Case) -> None:
    result = await case.run("the LEAK is")
    result.denied()
    expect("LEAK" not in result.outside, f"the program reads {result.outside}")


@check("post_model_call", "pre_tool_call")
async def tools_of_a_denied_response_never_start(case: Case) -> None:
    result = await case.run([call("add", a=1, b=2), call("lookup", "c1", key="LEAK")], "done")
    result.denied()
    same(case.office.calls, [], "the tools that ran")


@check("post_model_call")
async def a_response_may_be_replaced_by_a_text(case: Case) -> None:
    case.at("post_model_call", lambda _: "changed")
    result = await case.run("original")
    result.answered("changed")
    expect("original" not in result.outside, f"the program reads {result.outside}")


@check("post_model_call")
async def a_response_may_be_replaced_by_a_neutral_one(case: Case) -> None:
    case.at("post_model_call", lambda _: ModelResponse("changed"))
    result = await case.run("original")
    result.answered("changed")
    expect("original" not in result.outside, f"the program reads {result.outside}")


@check("post_model_call")
async def the_texts_of_a_response_may_be_rewritten(case: Case) -> None:
    def rewrite(ctx: Any) -> None:
        ctx.texts().replace(lambda text: text.replace("original", "changed"))

    case.at("post_model_call", rewrite)
    result = await case.run("the original text")
    result.answered("the changed text")
    expect("original" not in result.outside, f"the program reads {result.outside}")


@check("post_model_call", "pre_tool_call")
async def a_replaced_response_may_call_tools(case: Case) -> None:
    def calling(ctx: Any) -> Any:
        if "first" in str(ctx.texts()):
            return ModelResponse("", [ToolCall("add", {"a": 1, "b": 2}, "own")])
        return None

    case.at("post_model_call", calling)
    result = await case.run("first", "second")
    result.answered("second")
    same(case.office.calls, [("add", 11, 2)], "the calls")


@check("model_finished")
async def a_providers_own_failure_ends_the_request_as_an_error(case: Case) -> None:
    await case.run()
    statuses = set(case.statuses("model_finished"))
    same(statuses, {"error"}, "the ends of requests")


@check(*MODEL)
async def a_providers_own_failure_goes_on_as_without_hooks(case: Case) -> None:
    bare = await case.lead(case.driver(None), case.job())
    result = await case.run()
    same(type(result.error), type(bare.error), "the error")
    expect(_comes_of(result.error, ProviderFailedError), f"what is raised is {result.error!r}")


@check(*MODEL)
async def a_policy_that_fails_before_a_request_is_told_to_the_host(case: Case) -> None:
    case.at("pre_model_call", break_down, on_error="raise")
    result = await case.run("done")
    expect(is_broken(result.error), f"what is raised is {result.error!r}")
    same(result.requests, [], "the requests that reached the provider")


@check("post_model_call")
async def a_policy_that_fails_after_a_response_is_told_to_the_host(case: Case) -> None:
    case.at("post_model_call", break_down, on_error="raise")
    result = await case.run("original")
    expect(is_broken(result.error), f"what is raised is {result.error!r}")
    expect("original" not in result.outside, f"the program reads {result.outside}")


@check(*MODEL, features=["offers"])
async def hooks_may_take_tools_away(case: Case) -> None:
    def fewer(ctx: Any) -> None:
        ctx.tools = [tool for tool in ctx.tools if "add" in _name(tool)]

    case.at("pre_model_call", fewer)
    result = await case.run("done")
    same(result.requests[0].offered, ("add",), "the tools that the model is offered")


@check("model_finished")
async def each_request_ends_once(case: Case) -> None:
    result = await case.run(*case.steps())
    ends = case.statuses("model_finished")
    same(ends, ["ok"] * len(result.requests), "the ends of requests")


@check("model_finished")
async def a_denied_request_ends_once(case: Case) -> None:
    await case.run("done", text="STOP")
    same(case.statuses("model_finished"), ["denied"], "the ends of requests")


@check("model_finished")
async def a_denied_response_ends_once(case: Case) -> None:
    await case.run("the LEAK is")
    same(case.statuses("model_finished"), ["denied"], "the ends of requests")


@check("model_input")
async def observers_are_told_what_is_sent(case: Case) -> None:
    told: list[str] = []
    case.add(hook_at("model_input", lambda ctx: told.append(str(ctx.texts()))))
    await case.run("done", text=f"user {SECRET}")
    expect(told and "user [gone]" in told[0], f"the observer was told {told}")
    expect(SECRET not in "".join(told), f"the observer was told {told}")


@check("model_output")
async def observers_are_told_what_goes_on(case: Case) -> None:
    told: list[str] = []
    case.at("post_model_call", lambda _: "changed")
    case.add(hook_at("model_output", lambda ctx: told.append(str(ctx.texts()))))
    await case.run("original")
    same(told, ["changed"], "what the observer was told")


@check("wrap_model_call", features=["whole-answers"], modes=["async"])
async def a_wrap_may_answer_in_the_models_place(case: Case) -> None:
    class Answering:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:  # noqa: ARG002
            return "from the wrap"

    case.add(Answering())
    result = await case.run("done")
    result.answered("from the wrap")
    same(result.requests, [], "the requests that reached the provider")


@check("post_model_call")
async def a_gate_judges_the_response_as_it_goes_on(case: Case) -> None:
    case.at("post_model_call", lambda _: "the BAD text")
    case.at(
        "post_model_call",
        lambda ctx: Abort(REASON, message=MESSAGE) if "BAD" in str(ctx.texts()) else None,
        gate=True,
    )
    result = await case.run("fine")
    result.denied()
    expect("BAD" not in result.outside, f"the program reads {result.outside}")


def _name(tool: Any) -> str:
    if isinstance(tool, str):
        return tool
    if isinstance(tool, dict):
        return str(tool.get("name") or tool.get("function", {}).get("name"))
    return str(getattr(tool, "name", tool))


def _comes_of(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
