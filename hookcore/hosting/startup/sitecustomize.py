"""Imported by Python at its start, before the program: lets hookcore govern the process.

Any Python may find this, of whatever version and without hookcore: it is written for all of them.
Those that import nothing but the standard library are left alone, since that has no runtime.
"""

import importlib
import os
import sys
import threading

_OURS = {"sitecustomize", "usercustomize"}
_STANDARD = _OURS.union(getattr(sys, "stdlib_module_names", ()))
_LONGEST = 10.0
"""The seconds that an import in another thread waits for hookcore's own."""


class _First:
    """Starts hookcore before the first import of anything that is not Python's own."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._is_begun = self._is_done = False

    def find_spec(self, name: str, *more: object) -> object:
        if name.partition(".")[0] in _STANDARD or not self._lock.acquire(timeout=_LONGEST):
            return None
        try:
            if self._is_begun and not self._is_done:
                return None  # what hookcore itself imports
            if not self._is_begun:
                self._is_begun = True
                _govern()
                sys.meta_path.remove(self)  # type: ignore[arg-type]
                self._is_done = True
        finally:
            self._lock.release()
        # The one who asks has the finders of before, in which hookcore's is not.
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, *more)
            if spec is not None:
                return spec
        return None


def _govern() -> None:
    try:
        from hookcore.hosting.auto import start
    except BaseException as error:  # noqa: BLE001 - any of them would leave the program ungoverned
        if getattr(error, "name", None) == "hookcore" and "_HOOKCORE_RUN" not in os.environ:
            _say("this Python is not governed, since it has no hookcore: " + str(sys.executable))
            return
        _say("nothing is started: hookcore cannot be imported: " + str(error))
        os._exit(3)
    start()


def _say(sentence: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write("hookcore: " + sentence + "\n")
        sys.stderr.flush()


def _make_way() -> None:
    """Let the program find what it finds without this folder, another ``sitecustomize`` too."""
    here = __file__.rpartition(os.sep)[0]
    sys.path[:] = [folder for folder in sys.path if folder != here]
    this = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


if __name__ == "sitecustomize":
    if os.environ.get("HOOKCORE_AUTO", "") not in ("", "0"):
        if "_HOOKCORE_RUN" in os.environ:
            _govern()
        else:
            sys.meta_path.insert(0, _First())  # type: ignore[arg-type]
    _make_way()
