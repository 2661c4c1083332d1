"""``hookctl fire``."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..completing import plugins as plugin_names
from ..completing import points, settings_of_plugins
from ..examples import examples
from ..failure import BROKEN, GATE, UsageError
from ..firing import jsonable, made_context, point_named
from ..output import note, plugins_print_to_stderr, print_json, print_table, printable
from ..overriding import HELP_SET, overrides
from ..slowness import slow_imports_told
from ..tracebacks import HELP as HELP_TRACEBACK
from ..tracebacks import Failures

if TYPE_CHECKING:
    from hookcore import HookContext, HookDispatchedEvent, HookManager

_GATES = ("abort", "modified", "error")
_KINDS = {"intercept", "observe"}
_RECORD = ("plugin", "hook", "verdict", "effect", "duration_ms", "error")


@click.command(
    "fire",
    epilog=examples(
        'hookctl fire pre_tool_call --tool delete_file --payload \'{"path": "x"}\'',
        "hookctl fire pre_tool_call --tool rm --payload '{}' --plugin tool-policy "
        "--set tool-policy.deny+=rm",
        "hookctl fire pre_model_call --payload @messages.json --json",
        "echo '{}' | hookctl fire pre_tool_call --tool ls --payload - --fail-on abort",
    ),
)
@click.argument("point", shell_complete=points)
@click.option(
    "--payload", metavar="JSON", help="The payload; @FILE reads a file, - standard input."
)
@click.option("--tool", metavar="NAME", help="The tool's name, at a point of a tool call.")
@click.option("--agent", metavar="NAME", help="The agent's role or name.")
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="NAME",
    help="Switch this plugin on for this run, in addition to the enabled ones; repeatable.",
    shell_complete=plugin_names,
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME.KEY=VALUE",
    help=HELP_SET,
    shell_complete=settings_of_plugins,
)
@click.option("--traceback", is_flag=True, help=HELP_TRACEBACK)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(_GATES),
    help="Exit with 1 when that happened; may be given more than once.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(  # noqa: PLR0917 - click passes the options by name
    point: str,
    payload: str | None,
    tool: str | None,
    agent: str | None,
    plugins: tuple[str, ...],
    assignments: tuple[str, ...],
    traceback: bool,
    fail_on: tuple[str, ...],
    as_json: bool,
) -> None:
    """Send one payload through the enabled plugins, as a dry run.

    Shows the payload afterwards, the outcome, and what each hook said.
    """
    from hookcore import HookManager

    spec = point_named(point)
    if str(spec.kind) not in _KINDS:
        raise UsageError(
            f"{spec.name} is a {spec.kind} point: only intercept and observe points can be fired"
        )
    context = made_context(spec, _read(payload), tool, agent, words=("--payload", "--tool"))
    if tool is None and spec.has_tool:
        note(f"{spec.name} is about a tool, and none is named: --tool NAME says which.")
    tables = overrides(plugins, assignments)
    failures = Failures()
    with plugins_print_to_stderr():
        with slow_imports_told():
            manager = HookManager.load(
                config={"plugins": tables} if tables else None, track_mutations=True
            )
        result, error = _dispatch(manager, point, context, failures)
    if as_json:
        print_json(result)
    else:
        _print(result, hooked=manager.has_hooks(point))
    failures.tell(shown=traceback)
    if error is not None:
        note(f"a plugin raised {type(error).__name__}: {error}")
        raise click.exceptions.Exit(BROKEN)
    if _failed(result, fail_on):
        raise click.exceptions.Exit(GATE)


def _read(payload: str | None) -> Any:
    if payload is None:
        return None
    try:
        if payload == "-":
            payload = sys.stdin.read()
        elif payload.startswith("@"):
            payload = Path(payload[1:]).read_text(encoding="utf-8")
        return json.loads(payload.removeprefix("\ufeff"))
    except OSError as error:
        raise UsageError(f"--payload: {payload} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--payload is not JSON ({error}): write it as JSON, a string in quotes, or give "
            "@FILE or -"
        ) from error


def _dispatch(
    manager: HookManager, point: str, context: HookContext, failures: Failures
) -> tuple[dict[str, Any], Exception | None]:
    from hookcore import HookAborted
    from hookcore.tracing import trace_changes

    events: list[HookDispatchedEvent] = []
    manager.subscribe(events.append)
    raised: Exception | None = None
    try:
        with trace_changes(manager, failures.add):
            context = manager.dispatch(point, context)
    except HookAborted:
        pass  # the event tells it
    except Exception as error:  # noqa: BLE001 - a plugin with on_error = "raise" may raise anything
        raised = error
    event = events[-1] if events else None
    return {
        "point": point,
        "outcome": event.outcome if event else "proceeded",
        "payload": jsonable(context.payload),
        "abort_reason": event.abort_reason if event else None,
        "abort_source": event.abort_source if event else None,
        "records": [dataclasses.asdict(record) for record in event.records] if event else [],
    }, raised


def _failed(result: dict[str, Any], fail_on: tuple[str, ...]) -> bool:
    happened = {
        "abort": result["outcome"] == "aborted",
        "modified": result["outcome"] == "modified",
        "error": any(record["verdict"] in {"error", "timeout"} for record in result["records"]),
    }
    return any(happened[gate] for gate in fail_on)


def _print(result: dict[str, Any], *, hooked: bool) -> None:
    line = f"{result['point']}: {result['outcome']}"
    if result["outcome"] == "aborted":
        line += f" by {result['abort_source']}: {result['abort_reason']}"
    click.echo(printable(line))
    if not result["records"]:
        others = "What hooks it is for other tools or agents."
        click.echo(others if hooked else "No enabled plugin hooks it.")
    else:
        columns = [c for c in _RECORD if any(r[c] is not None for r in result["records"])]
        print_table(columns, [[_cell(r[column]) for column in columns] for r in result["records"]])
    shown = json.dumps(result["payload"], indent=2, default=repr, ensure_ascii=False)
    click.echo(printable(f"payload: {shown}"))


def _cell(value: object) -> object:
    return f"{value:.3f}" if isinstance(value, float) else value
