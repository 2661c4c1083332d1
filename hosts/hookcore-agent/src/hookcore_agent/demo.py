"""``hookctl demo``."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from hookctl.examples import examples
from hookctl.failure import UsageError
from hookctl.output import note, one_line, printable

if TYPE_CHECKING:
    from hookcore import HookDispatchedEvent, HookManager
    from hookcore_agent import Agent, AgentEvent, ModelRequest

_COMMAND = re.compile(r"\b(read|delete|list|mail)\b\s*(\S+)?", re.IGNORECASE)
_INTRODUCTION = """\
An agent with a few made-up files; nothing that it does leaves this process.
Try: list, read notes.txt, delete notes.txt, mail ana@example.com. An empty line ends it."""
_INSTRUCTIONS = "You look after a few files. Use your tools, and answer in one or two sentences."


@click.command(
    "demo",
    epilog=examples(
        "hookctl demo",
        'hookctl demo --message "delete notes.txt"',
        "hookctl demo --model openai:llama3.2 --base-url http://localhost:11434/v1",
    ),
)
@click.option(
    "--model",
    default="scripted",
    show_default=True,
    metavar="MODEL",
    help="'scripted' needs nothing; 'openai:NAME' asks a server that speaks OpenAI's API.",
)
@click.option("--base-url", metavar="URL", help="The server's address; OpenAI's own by default.")
@click.option(
    "--message",
    "messages",
    multiple=True,
    metavar="TEXT",
    help="Say this instead of asking; may be given more than once.",
)
@click.option("--all", "show_all", is_flag=True, help="Show also where plugins changed nothing.")
def command(model: str, base_url: str | None, messages: tuple[str, ...], show_all: bool) -> None:
    """Talk to an agent under the enabled plugins, and see each decision as it is made.

    A decision is what plugins deny or change, where they fail, and every tool call that they judge.
    """
    from hookcore import HookManager

    chosen = _model(model, base_url)
    manager = HookManager.load()
    if not manager.plugins():
        note("No plugin is enabled, so everything is allowed: 'hookctl list' shows what there is.")
    screen = _Screen()
    manager.subscribe(_Decisions(manager, screen, show_all=show_all).show)
    try:
        _talk(_agent(chosen, manager), chosen, messages, screen)
    finally:
        manager.close()


# The agent


def _model(name: str, base_url: str | None) -> Any:
    from hookcore_agent import OpenAIModel, ScriptedModel

    kind, _, rest = name.partition(":")
    if name == "scripted":
        if base_url is not None:
            raise UsageError("--base-url goes with --model openai:NAME; the script asks no server")
        return ScriptedModel(_script)
    if base_url is not None and not base_url.strip():
        raise UsageError("--base-url is empty: give it an address, or leave it out")
    if kind == "openai" and rest:
        # Servers on one's own machine ask for no key, but the SDK does.
        key = None if base_url is None or "OPENAI_API_KEY" in os.environ else "none"
        return OpenAIModel(rest, base_url=base_url, api_key=key)
    raise UsageError(f"--model takes 'scripted' or 'openai:NAME', not {name!r}")


def _agent(model: Any, manager: HookManager) -> Agent:
    from hookcore_agent import Agent

    files = _Files()
    tools = [files.list_files, files.read_file, files.delete_file, files.send_mail]
    return Agent("demo", model, tools, hooks=manager, instructions=_INSTRUCTIONS)


class _Files:
    """The tools: files that are made up."""

    def __init__(self) -> None:
        self._files = {
            "notes.txt": "Call Ana: +49 30 1234567, ana@example.com.",
            "keys.txt": "An invented key: AKIAIOSFODNN7EXAMPLE.",
        }

    def list_files(self) -> list[str]:
        """List the files."""
        return sorted(self._files)

    def read_file(self, path: str) -> str:
        """Return what is in a file."""
        return self._files.get(path, f"there is no file {path}")

    def delete_file(self, path: str) -> str:
        """Delete a file."""
        return f"{path} is gone" if self._files.pop(path, None) else f"there is no file {path}"

    def send_mail(self, recipient: str, text: str) -> str:
        """Send a mail."""
        return f"a mail of {len(text)} characters to {recipient} would leave now"


def _script(request: ModelRequest) -> Any:
    """Answer as a model might: with a tool call for each command, then with what came of it."""
    from hookcore_agent import ToolCall

    last = request.messages[-1]
    if last.role == "tool":
        behind = itertools.takewhile(lambda message: message.role == "tool", request.messages[::-1])
        answers = [str(answer.content) for answer in behind][::-1]
        return f"That came of it: {'; '.join(answers)}"
    calls: dict[str, Callable[[str], ToolCall]] = {
        "list": lambda _: ToolCall("list_files"),
        "read": lambda path: ToolCall("read_file", {"path": path}),
        "delete": lambda path: ToolCall("delete_file", {"path": path}),
        "mail": lambda to: ToolCall("send_mail", {"recipient": to, "text": "Hello!"}),
    }
    found = [
        calls[match[1].lower()](match[2] or "notes.txt")
        for match in _COMMAND.finditer(str(last.content))
    ]
    if found:
        return found
    return "I am a script and know four words: list, read, delete and mail."


# The talk


def _talk(agent: Agent, model: Any, messages: tuple[str, ...], screen: _Screen) -> None:
    # Lines are read outside the loop, so that an interrupt ends the reading at once.
    loop = asyncio.new_event_loop()
    try:
        for text in messages:
            click.echo(f"> {printable(text)}")
            if not loop.run_until_complete(_answered(agent, text, screen)):
                raise UsageError("the model could not be asked; its error stands above")
        if not messages:
            click.echo(_INTRODUCTION)
            while text := _asked():
                loop.run_until_complete(_answered(agent, text, screen))
    finally:
        loop.run_until_complete(_ended(model))
        loop.close()


async def _ended(model: Any) -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    close: Callable[[], Awaitable[None]] | None = getattr(model, "aclose", None)
    if close is not None:
        await close()
    await asyncio.get_running_loop().shutdown_asyncgens()
    await asyncio.get_running_loop().shutdown_default_executor()


def _asked() -> str:
    try:
        line = input("> " if sys.stdin.isatty() else "")
    except EOFError:
        return ""
    if line and not sys.stdin.isatty():
        click.echo(f"> {printable(line)}")
    return line.strip()


async def _answered(agent: Agent, text: str, screen: _Screen) -> bool:
    """Serve one request and print it as it comes; return whether the model could be asked."""
    from hookcore import HookAborted

    try:
        async for event in agent.stream(text, "demo"):
            screen.show(event)
    except HookAborted as refusal:
        screen.line(f"refused: {refusal.message}")
    except Exception as error:  # noqa: BLE001 - whatever a service or its SDK raises
        screen.line("")
        note(f"error: {type(error).__name__}: {error}")
        return False
    screen.line("")
    return True


class _Screen:
    """Prints text as it flows, and lines of their own between it."""

    def __init__(self) -> None:
        self._open = False

    def flow(self, text: str) -> None:
        """Print a piece of text."""
        click.echo(printable(text), nl=False)
        self._open = True

    def line(self, text: str, **style: Any) -> None:
        """Print a line, beginning a new one; an empty text only ends the line before."""
        if self._open:
            click.echo()
        self._open = False
        if text:
            click.secho(printable(text), **style)

    def show(self, event: AgentEvent) -> None:
        """Print an event of the agent's stream."""
        from hookcore_agent import EventType

        if event.type == EventType.TEXT:
            self.flow(str(event.payload))
        elif event.type == EventType.TOOL_STARTED:
            for call in event.payload:
                self.line(one_line(f"  tool {call.name} {call.arguments}"))
        elif event.type in {EventType.TOOL_COMPLETED, EventType.TOOL_FAILED}:
            self.line(f"  {event.payload.name}: {event.payload.content}")
        elif event.type == EventType.UNGOVERNED_TOOLS:
            self.line(f"  no policy sees: {', '.join(event.payload)}")


class _Decisions:
    """Prints what the plugins decide, one line for each dispatch."""

    def __init__(self, manager: HookManager, screen: _Screen, *, show_all: bool) -> None:
        self._screen = screen
        self._show_all = show_all
        self._kinds = {name: str(spec.kind) for name, spec in manager.points.items()}

    def show(self, event: HookDispatchedEvent) -> None:
        """Print one event."""
        for text in self._lines(event):
            self._screen.line(f"  {one_line(text)}", fg="yellow")

    def _lines(self, event: HookDispatchedEvent) -> Iterator[str]:
        if not self._is_worth_a_line(event):
            return
        where = event.interception_point + (f" {event.tool}" if event.tool else "")
        said = ", ".join(f"{record.plugin} {_said(record)}" for record in event.records)
        line = f"[{where}] {event.outcome}: {said}"
        yield line + (f" ({event.abort_reason})" if event.abort_reason else "")

    def _is_worth_a_line(self, event: HookDispatchedEvent) -> bool:
        if event.error_count or event.outcome != "proceeded":
            return True
        if any(record.verdict != "allow" for record in event.records):
            return True  # a monitored plugin would have decided otherwise
        observed = self._kinds.get(event.interception_point) == "observe"
        return event.interception_point == "pre_tool_call" or (self._show_all and not observed)


def _said(record: Any) -> str:
    text = (
        str(record.verdict) if record.effect == "applied" else f"{record.verdict}/{record.effect}"
    )
    return text if record.error is None else f"{text}: {record.error}"
