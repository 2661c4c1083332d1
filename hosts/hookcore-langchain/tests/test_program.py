"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hookcore.hosting.checks import SECRET, Office, checked, run_governed

PROGRAM = """
import warnings

warnings.simplefilter("ignore")
FIRST
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.prebuilt import create_react_agent


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **options):
        return self


def danger(x: str) -> str:
    "Do something dangerous."
    raise SystemExit("the tool ran")


def ask(make):
    call = {"name": "danger", "args": {"x": "1"}, "id": "c0"}
    model = Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("done")]))
    print(make(model, [danger]).invoke({"messages": ["hi"]})["messages"][-2].content)


ask(create_agent)
ask(create_react_agent)
"""


FIRST = [
    "",
    "import langchain_core.prompts",
    "import langgraph.graph",
    "import langgraph.prebuilt",
    "from langchain.agents.factory import create_agent",
]


@pytest.mark.parametrize("first", FIRST)
def test_an_unchanged_program_is_governed_whatever_it_imports_first(
    tmp_path: Path, first: str
) -> None:
    pytest.importorskip(
        "langchain", reason="langchain is not installed: see .ci/hosts/langchain.txt"
    )
    program = PROGRAM.replace("FIRST", first)
    assert run_governed(tmp_path, program, "langchain").count("denied by tool-policy") == 2


def test_bare_models_are_governed_until_they_are_no_more(script: Any) -> None:
    from hookcore_langchain import install, uninstall

    manager, recorder = checked()
    install(manager)
    model = script("one", "two", "three")
    assert model.invoke(f"it is {SECRET}").content == "one"
    assert "".join(piece.content for piece in model.stream("hi")) == "two"
    uninstall()
    assert model.invoke("hi").content == "three"
    assert "it is [gone]" in model.sent()
    assert recorder.statuses("model_finished") == ["ok", "ok"]


def test_names_that_were_imported_before_are_governed_too(
    script: Any, tools: list[Any], office: Office
) -> None:
    from langchain.agents import create_agent

    from hookcore_langchain import install, uninstall

    before = create_agent
    here = ModuleType("program")
    here.__dict__["create_agent"] = before
    sys.modules["program"] = here
    manager, recorder = checked()
    install(manager)
    try:
        made = here.create_agent(script([("danger", {"x": "1"})], "done"), tools)
        made.invoke({"messages": ["hi"]})
    finally:
        uninstall()
        del sys.modules["program"]
    assert here.create_agent is before
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied")]
    assert recorder.statuses("run_finished") == ["ok"]


def test_an_agent_of_the_package_has_its_own_manager_in_a_governed_process(
    script: Any, agent: Any
) -> None:
    from hookcore_langchain import install, uninstall

    (process, all_else), (own, recorder) = checked(), checked()
    install(process)
    try:
        made = agent(own, script([("add", {"a": 1, "b": 2})], "done"))
        made.invoke({"messages": ["hi"]})
    finally:
        uninstall()
    assert recorder.tools() == [("add", "ok")]
    assert recorder.statuses("model_finished") == ["ok", "ok"]
    assert all_else.statuses("run_finished") == []
