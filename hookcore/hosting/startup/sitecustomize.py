"""Imported by Python at its start, before the program: lets hookcore govern the process.

Any Python may find this, of whatever version and without hookcore: it is written for all of them.
"""

import importlib
import os
import sys


def _govern() -> None:
    if os.environ.get("HOOKCORE_AUTO", "") in ("", "0"):
        return
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
    _govern()
    _make_way()
