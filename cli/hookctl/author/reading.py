"""Reading the code of hooks for what only shows when it runs: blocking calls, gates that edit."""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["blocking_calls", "edits"]

_BLOCKING = {
    "builtins.input": "ask with ctx.arequest_human_input",
    "io.open": "use asyncio.to_thread",
    "os.system": "use asyncio.create_subprocess_shell",
    "_io.open": "use asyncio.to_thread",
    "_socket.getaddrinfo": "use the loop's getaddrinfo",
    "_sqlite3.connect": "use asyncio.to_thread",
    "posix.system": "use asyncio.create_subprocess_shell",
    "socket.create_connection": "use asyncio.open_connection",
    "socket.getaddrinfo": "use the loop's getaddrinfo",
    "sqlite3.connect": "use asyncio.to_thread",
    "subprocess.Popen": "use asyncio.create_subprocess_exec",
    "subprocess.call": "use asyncio.create_subprocess_exec",
    "subprocess.check_call": "use asyncio.create_subprocess_exec",
    "subprocess.check_output": "use asyncio.create_subprocess_exec",
    "subprocess.run": "use asyncio.create_subprocess_exec",
    "time.sleep": "await asyncio.sleep",
    "urllib.request.urlopen": "use asyncio.to_thread, or an async client",
}
_CLIENTS = frozenset(("httpx", "requests", "urllib3"))
_METHODS = frozenset(("read_bytes", "read_text", "write_bytes", "write_text"))
_EDITING = frozenset(
    (
        "append",
        "clear",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "setdefault",
        "sort",
        "update",
    )
)
_OWN = frozenset(("state", "shared"))
"""Parts of a context that a gate may write to."""
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def blocking_calls(function: Callable[..., Any]) -> Iterator[tuple[int, str, str]]:
    """Find calls in an async function that keep its event loop waiting.

    Args:
        function: the function.

    Yields:
        The line in its file, the call as it is written, and what to do instead.
    """
    found = _tree(function)
    if found is None or not isinstance(found[0], ast.AsyncFunctionDef):
        return
    tree, offset = found
    waited = {id(node.value) for node in _nodes(tree) if isinstance(node, ast.Await)}
    for node in _nodes(tree):
        if isinstance(node, ast.Call) and id(node) not in waited:
            instead = _instead(node, function)
            if instead is not None:
                yield node.lineno + offset, ast.unparse(node.func), instead


def edits(function: Callable[..., Any]) -> Iterator[tuple[int, str]]:
    """Find what a gate does to its context, where it has no effect, and what it returns.

    Args:
        function: the gate.

    Yields:
        The line in its file, and the code.
    """
    found = _tree(function)
    if found is None:
        return
    tree, offset = found
    names = {argument.arg for argument in tree.args.args} - {"self"}
    for node in _nodes(tree):
        if _edits(node, names) or _returns_a_value(node):
            yield node.lineno + offset, ast.unparse(node).partition("\n")[0]


def _tree(
    function: Callable[..., Any],
) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, int] | None:
    with contextlib.suppress(OSError, TypeError, SyntaxError, ValueError):
        lines, start = inspect.getsourcelines(inspect.unwrap(function))
        (tree,) = ast.parse(textwrap.dedent("".join(lines))).body
        if isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
            return tree, start - 1
    return None


def _nodes(tree: ast.AST) -> Iterator[Any]:
    """Yield what a function itself does, without what the functions inside it do."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, _INNER):
            yield child
            yield from _nodes(child)


def _instead(node: ast.Call, function: Callable[..., Any]) -> str | None:
    name = ast.unparse(node.func)
    if name.endswith(".request_human_input"):
        return "await ctx.arequest_human_input"
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return "use asyncio.to_thread"
    called = _named(node.func, getattr(inspect.unwrap(function), "__globals__", {}))
    whole = name
    if called is not None:
        module = getattr(called, "__module__", None) or ""
        whole = f"{module}.{getattr(called, '__qualname__', '')}"
        if inspect.isfunction(called) and module.partition(".")[0] in _CLIENTS:
            return "use an async client"
    return _BLOCKING.get(whole) or _BLOCKING.get(name)


def _named(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return what a dotted name stands for; None where nobody can tell without running it."""
    if isinstance(node, ast.Name):
        import builtins

        return names.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        holder = _named(node.value, names)
        # Only a module's attributes are looked at: anything else may run code.
        return getattr(holder, node.attr, None) if inspect.ismodule(holder) else None
    return None


def _edits(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Assign | ast.Delete):
        return any(_belongs(target, names) for target in node.targets)
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return _belongs(node.target, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_edit = node.func.attr in _EDITING
        is_replace = node.func.attr == "replace" and "texts()" in ast.unparse(node.func.value)
        return (is_edit or is_replace) and _belongs(node.func, names)
    return False


def _belongs(node: ast.AST, names: set[str]) -> bool:
    """Tell whether something is a part of the context, besides what the plugin keeps there."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        node = node.func if isinstance(node, ast.Call) else node.value
    is_part = isinstance(node, ast.Name) and node.id in names and bool(parts)
    return is_part and parts[-1] not in _OWN


def _returns_a_value(node: ast.AST) -> bool:
    if not isinstance(node, ast.Return) or node.value is None:
        return False
    value = node.value
    if isinstance(value, ast.Constant):
        return value.value not in {None, False}
    return not (isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Abort"))
