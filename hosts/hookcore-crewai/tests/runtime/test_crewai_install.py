"""The drop-in takes the place of CrewAI's hooks and gives it back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import crewai.hooks
import crewai.llm
import pytest
from crewai.agent import core
from crewai.hooks import dispatch as original_dispatch  # noqa: F401 - to be exchanged
from crewai.utilities import agent_utils

import hookcore
from hookcore import HookManager
from hookcore_crewai import hooks as drop_in
from hookcore_crewai import install, installed, uninstall

HERE = sys.modules[__name__]
TITLE = "original_dispatch"


def test_the_package_is_the_drop_in_while_it_is_installed() -> None:
    assert installed()
    assert sys.modules["crewai.hooks"] is drop_in
    assert sys.modules["crewai.hooks.llm_hooks"] is drop_in.llm_hooks
    assert crewai.hooks is drop_in
    uninstall()
    assert not installed()
    assert sys.modules["crewai.hooks"].__name__ == "crewai.hooks"
    assert sys.modules["crewai.hooks.llm_hooks"].__name__ == "crewai.hooks.llm_hooks"


def test_what_was_imported_earlier_is_exchanged_and_put_back() -> None:
    assert vars(HERE)[TITLE] is drop_in.dispatch
    assert vars(crewai.llm)["HookAborted"] is hookcore.HookAborted
    assert hookcore.HookAborted in vars(core)["_passthrough_exceptions"]
    uninstall()
    assert vars(HERE)[TITLE].__module__ == "crewai.hooks.dispatch"
    assert vars(crewai.llm)["HookAborted"].__module__ == "crewai.hooks.dispatch"
    assert hookcore.HookAborted not in vars(core)["_passthrough_exceptions"]


def test_everything_that_was_patched_is_as_before() -> None:
    uninstall()
    before = (
        crewai.Crew.kickoff,
        crewai.Flow.kickoff_async,
        vars(agent_utils)["_setup_before_llm_call_hooks"],
        crewai.llm.LLM.acall,
    )
    install(HookManager())
    uninstall()
    assert before == (
        crewai.Crew.kickoff,
        crewai.Flow.kickoff_async,
        vars(agent_utils)["_setup_before_llm_call_hooks"],
        crewai.llm.LLM.acall,
    )


def test_hooks_that_crewai_has_move_in_and_out_again() -> None:
    uninstall()

    def early(ctx: Any) -> None: ...

    def late(ctx: Any) -> None: ...

    crewai.hooks.register_hook(crewai.hooks.InterceptionPoint.PRE_STEP, early)
    install(HookManager())
    from crewai.hooks import get_hooks, register_hook

    register_hook("pre_step", late)
    assert get_hooks("pre_step") == [early, late]
    uninstall()
    assert crewai.hooks.get_hooks(crewai.hooks.InterceptionPoint.PRE_STEP) == [early, late]
    assert drop_in.get_hooks("pre_step") == []
    crewai.hooks.clear_all_hooks()


def test_hooks_of_the_drop_in_itself_stay_with_it() -> None:
    uninstall()

    def own(ctx: Any) -> None: ...

    drop_in.register_hook("pre_step", own)
    install(HookManager())
    uninstall()
    assert drop_in.get_hooks("pre_step") == [own]
    drop_in.clear_all_hooks()


def test_installing_again_only_changes_the_manager(manager: HookManager, office: Any) -> None:
    ran: list[str] = []

    class Policy:
        def __init__(self, name: str) -> None:
            self.name = name

        @hookcore.hookimpl
        def execution_start(self, ctx: Any) -> None:
            ran.append(self.name)

    other = HookManager()
    manager.register(Policy("first"))
    other.register(Policy("second"))
    assert install(other) is other
    office.crew().kickoff()
    assert ran == ["second"]


def test_without_a_manager_the_process_wide_one_governs() -> None:
    uninstall()
    assert install() is hookcore.get_manager()


@pytest.mark.parametrize("form", ["script", "module"])
def test_a_program_is_governed_without_a_line_changed(tmp_path: Path, form: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "import crewai.hooks\n"
        "print(__name__, sys.argv[1:], crewai.hooks.dispatch.__module__)\n"
    )
    target = ["program.py"] if form == "script" else ["-m", "program"]
    done = subprocess.run(
        [sys.executable, "-m", "hookcore_crewai", *target, "--flag"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "__main__ ['--flag'] hookcore_crewai.hooks.dispatch" in done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [[], ["missing.py"], ["--help"]])
def test_a_wrong_command_line_says_how(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from hookcore_crewai.__main__ import main

    assert main(arguments) == 2
    assert "usage: python -m hookcore_crewai" in capsys.readouterr().err


def test_a_policy_that_cannot_load_keeps_the_program_from_starting(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('started')\n")
    (tmp_path / "hookcore.toml").write_text("[plugins.no-such-policy]\nenabled = true\n")
    done = subprocess.run(
        [sys.executable, "-m", "hookcore_crewai", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 3
    assert "program.py is not started" in done.stderr
    assert "no-such-policy" in done.stderr
    assert "started" not in done.stdout
    assert "Traceback" not in done.stderr


def test_a_crewai_that_lacks_what_has_to_be_replaced_is_refused() -> None:
    from hookcore_crewai._patches import Patches

    with pytest.raises(ImportError, match=r"Crew\.no_such_method"):
        Patches().set(crewai.Crew, "no_such_method", None)


def test_a_crewai_with_names_that_the_drop_in_lacks_is_refused_and_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uninstall()

    def register_everything() -> None: ...

    register_everything.__module__ = "crewai.hooks.dispatch"
    module = sys.modules["crewai.hooks.dispatch"]
    monkeypatch.setattr(module, "register_everything", register_everything, raising=False)
    with pytest.raises(ImportError, match="register_everything"):
        install(HookManager())
    assert not installed()
    assert sys.modules["crewai.hooks.dispatch"] is module


def test_a_hook_of_crewais_that_is_refused_leaves_all_where_they_were() -> None:
    uninstall()

    def fine(ctx: Any) -> None: ...

    def refused() -> None: ...

    point = crewai.hooks.InterceptionPoint
    crewai.hooks.register_hook(point.EXECUTION_START, fine)
    crewai.hooks.register_hook(point.POST_STEP, refused)
    with pytest.raises(hookcore.HookcoreError):
        install(HookManager())
    assert not installed()
    assert crewai.hooks.get_hooks(point.EXECUTION_START) == [fine]
    assert crewai.hooks.get_hooks(point.POST_STEP) == [refused]
    assert drop_in.get_hooks("execution_start") == []
    crewai.hooks.clear_all_hooks()


@pytest.mark.parametrize("listening", [False, True])
def test_an_abort_of_a_class_that_was_made_before_is_an_abort(
    manager: HookManager, *, listening: bool
) -> None:
    uninstall()

    class Denied(crewai.hooks.HookAborted):
        """Made of CrewAI's own class, which nothing can exchange any more."""

    def guard(ctx: Any) -> None:
        raise Denied("no", source="guard 7")

    install(manager)
    if listening:
        manager.subscribe(lambda event: None)
    crewai.hooks.register_hook("pre_step", guard)
    with pytest.raises(hookcore.HookAborted) as caught:
        crewai.hooks.dispatch("pre_step", crewai.hooks.contexts.StepContext())
    assert (caught.value.reason, caught.value.source) == ("no", "guard 7")


# A scope of CrewAI's own that is older than the drop-in


def test_its_hooks_run_until_it_ends(office: Any) -> None:
    uninstall()
    ran: list[str] = []
    point = crewai.hooks.InterceptionPoint.PRE_STEP
    scoped_hooks = sys.modules["crewai.hooks.dispatch"].scoped_hooks
    with scoped_hooks({point: [lambda ctx: ran.append("first")]}) as hooks:
        install(HookManager())
        hooks[point].append(lambda ctx: ran.append("second"))
        office.crew().kickoff()
        assert ran == ["first", "second"]
        install(HookManager())
        office.crew().kickoff()
        assert ran == ["first", "second"] * 2
    office.crew().kickoff()
    assert ran == ["first", "second"] * 2


def test_when_the_drop_in_goes_first_it_is_crewais_again(office: Any) -> None:
    uninstall()
    ran: list[str] = []
    manager = HookManager()
    point = crewai.hooks.InterceptionPoint.PRE_STEP
    scoped_hooks = sys.modules["crewai.hooks.dispatch"].scoped_hooks
    with scoped_hooks({point: [lambda ctx: ran.append("scoped")]}):
        install(manager)
        uninstall()
        office.crew().kickoff()
        manager.dispatch("pre_step", hookcore.StepContext())
    assert ran == ["scoped"]
