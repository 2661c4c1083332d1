"""Running a program the way ``python`` does: it is ``__main__``, to the end of the process."""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

__all__ = ["CannotRunError", "run_module", "run_path"]

_HERE = Path(__file__).parent


class CannotRunError(Exception):
    """There is no such program; the text is what ``python`` says of it."""


@dataclass(frozen=True, slots=True)
class _Program:
    """A program: its code, and what its namespace begins with."""

    code: CodeType
    names: dict[str, Any]


def run_path(path: str, arguments: list[str]) -> None:
    """Run a script, or the ``__main__.py`` in a folder or a zip file.

    Args:
        path: where it is.
        arguments: what the program gets in ``sys.argv``.

    Raises:
        CannotRunError: there is no ``__main__.py``.
    """
    sys.argv = [path, *arguments]
    whole = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - as Python joins them, with all dots
    importer = pkgutil.get_importer(whole)
    if importer is None:
        if not _has_safe_path():
            sys.path[0] = str(Path(whole).resolve().parent)
        _run(lambda: _script(whole))
        return
    sys.path[: 0 if _has_safe_path() else 1] = [whole]
    spec = importer.find_spec("__main__")
    if spec is None:
        raise CannotRunError(f"can't find '__main__' module in {whole!r}")
    _run(lambda: _of_spec(spec))


def run_module(name: str, arguments: list[str]) -> None:
    """Run a module, or the ``__main__`` of a package; Python has set ``sys.path`` for it.

    Args:
        name: its name.
        arguments: what the program gets in ``sys.argv``.

    Raises:
        CannotRunError: there is no such module.
    """
    sys.argv = ["-m", *arguments]

    def load() -> _Program:
        program = _of_spec(_find(name))
        sys.argv[0] = program.names["__file__"]
        return program

    _run(load)


def _has_safe_path() -> bool:
    """Tell whether Python was told to put no folder of the program's before the others."""
    return bool(getattr(sys.flags, "safe_path", sys.flags.isolated))


def _script(path: str) -> _Program:
    loader: Any = SourcelessFileLoader("__main__", path)
    with io.open_code(path) as stream:
        code = pkgutil.read_code(stream)
    if code is None:
        loader = SourceFileLoader("__main__", path)
        with io.open_code(path) as stream:
            # Not what this module imports from __future__.
            code = compile(stream.read(), path, "exec", dont_inherit=True)
    return _Program(code, {"__file__": path, "__cached__": None, "__loader__": loader})


def _find(name: str) -> ModuleSpec:
    spec = _spec(name)
    if spec is None:
        raise CannotRunError(f"No module named {name}")
    if spec.submodule_search_locations is None:
        return spec
    inner = _spec(f"{name}.__main__")
    if inner is None:
        raise CannotRunError(
            f"No module named {name}.__main__; {name!r} is a package and cannot be directly "
            "executed"
        )
    return inner


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        # What a package imports in vain is its own failure, and shows as that.
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise CannotRunError(
            f"Error while finding module specification for {name!r} (ModuleNotFoundError: {error})"
        ) from error


def _of_spec(spec: ModuleSpec) -> _Program:
    loader: Any = spec.loader
    code = loader.get_code(spec.name)
    if code is None:
        raise CannotRunError(f"No code object available for {spec.name}")
    names = {
        "__file__": spec.origin,
        "__cached__": spec.cached,
        "__loader__": loader,
        "__package__": spec.parent,
        "__spec__": spec,
    }
    return _Program(code, names)


def _run(load: Callable[[], _Program]) -> None:
    try:
        program = load()
        main = ModuleType("__main__")
        if sys.version_info < (3, 14):
            main.__dict__.update(__annotations__={})
        main.__dict__.update(program.names, __builtins__=builtins)
        # It stays: threads and what runs at exit look for the program's classes there.
        sys.modules["__main__"] = main
        exec(program.code, main.__dict__)  # noqa: S102 - the program that the user asked for
    except CannotRunError:
        raise
    except BaseException:
        _hide_our_frames()
        raise


def _hide_our_frames() -> None:
    """Let whatever shows the traceback begin at the program's own frames."""
    show = sys.excepthook

    def show_the_rest(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        while traceback is not None and _is_ours(traceback):
            traceback = traceback.tb_next
        show(kind, error.with_traceback(traceback), traceback)

    sys.excepthook = show_the_rest


def _is_ours(traceback: TracebackType) -> bool:
    frame = traceback.tb_frame
    return frame.f_globals.get("__name__") == "runpy" or (
        Path(frame.f_code.co_filename).parent == _HERE
    )
