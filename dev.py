"""Set hookcore up in `.venv` beside this file, and run its demo, its tests or its checks there.

    python3 dev.py demo [ARG...]    replay recorded agent runs under a sample policy
    python3 dev.py test [ARG...]    run the tests, on as many processes as there are cores
    python3 dev.py lint [FILE...]   run the linters, the type checker and the import contracts
    python3 dev.py docs [ARG...]    build the documentation as a site in site/, warnings as errors

Arguments go to `hookctl replay`, which then reports in its own words, to pytest, and to MkDocs;
files limit what is checked. Python 3.10 or newer is all that it needs; an older one can parse this
file, to say so.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(SCRIPTS / ("python.exe" if os.name == "nt" else "python"))
STAMP = VENV / "hookcore-dev-stamp"
NEITHER = 'this Python has neither ensurepip nor pip: install one, e.g. "apt install python3-venv"'


RUNS = "../transcripts/tau_airline_gpt4o_40.jsonl"
NEXT = f"""
Next:
  python3 dev.py demo                      again, after a change of examples/demo/hookcore.toml
  python3 dev.py demo --plugin redact      the same runs under one plugin alone
  cd examples/demo && {{hookctl}} replay {RUNS}
                                           every finding
  cd examples/demo && {{hookctl}} replay {RUNS} --html report.html
                                           the same as a page for the browser
  python3 dev.py test                      the tests"""


def demo(arguments: list[str]) -> int:
    """Replay the airline runs under examples/demo/hookcore.toml, and sum up what was found."""
    set_up([".", "plugins/hookcore-redact", "plugins/hookcore-tool-policy"])
    command = ["hookctl", "replay", RUNS, *(arguments or ["--json"])]
    print("In examples/demo, under its hookcore.toml:", *command, file=sys.stderr)
    command[0], folder = str(SCRIPTS / command[0]), ROOT / "examples" / "demo"
    if arguments:
        return run(command, folder=folder)
    done = subprocess.run(command, cwd=folder, check=False, stdout=subprocess.PIPE)
    if done.returncode == 0:
        summarize(json.loads(done.stdout.decode("utf-8")))
    return done.returncode


def summarize(report: dict[str, Any]) -> None:
    """Print a replay's totals, an example of three frequent findings, denials first, and more."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # it is a file
    total = report["summary"]
    kinds: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for found in report["findings"]:
        kind = (found["plugin"], found["verdict"], found["tool"] or found["point"])
        kinds.setdefault(kind, []).append(found)
    print("\n{runs} runs, {events} events: {aborted} calls stopped,".format(**total), end=" ")
    print("{modified} texts changed, {errors} failures of a policy".format(**total))
    print("\nThree findings worth a look:")
    for kind in sorted(kinds, key=lambda kind: (kind[1] != "deny", -len(kinds[kind])))[:3]:
        first = kinds[kind][0]
        print(
            "  {} says {} at {},".format(*kind), len(kinds[kind]), "times; first in", first["run"]
        )
        print("     ", (first["reason"] or first["diff"]).replace("\n", "\n      "))
    print(NEXT.format(hookctl=os.path.relpath(SCRIPTS, ROOT / "examples/demo") + "/hookctl"))


def test(arguments: list[str]) -> int:
    """Run pytest over the tests of the core, the hosts and the plugins."""
    set_up(projects(), "test")
    # Tests start many processes, and each would compile the same sources again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return run([PYTHON, "-m", "pytest", "-n", "auto", *arguments])


def lint(files: list[str]) -> int:
    """Run every check, also after a failed one, so that one call shows all that is wrong."""
    set_up(projects(), "test", "lint")
    files = [Path(os.path.relpath(file, ROOT)).as_posix() for file in files]
    checks = [["ruff", "check", *files], ["ruff", "format", "--check", *files]]
    parts = projects()[1:]
    # A part is checked whole, since a change in one file shows in another.
    touched = {next((x for x in parts if file.startswith(f"{x}/")), ".") for file in files}
    checks += [["mypy"]] if "." in touched or not files else []
    checks += [["mypy", f"{x}/src", f"{x}/tests"] for x in parts if x in touched or not files]
    failed = 0
    for check in [*checks, ["lint-imports"]]:
        print("$", *check, flush=True)
        # Folders below a part's tests are packages of their own, each with its conftest.
        os.environ["MYPYPATH"] = os.pathsep.join(check[1:]) if check[0] == "mypy" else ""
        failed += run([str(SCRIPTS / check[0]), *check[1:]]) != 0
    return min(failed, 1)


def docs(arguments: list[str]) -> int:
    """Build the site of the documentation; a link that leads nowhere is an error."""
    set_up(projects(), "test", "lint")
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    return run([PYTHON, "-m", "mkdocs", "build", "--strict", "--quiet", *arguments])


COMMANDS = {"demo": demo, "test": test, "lint": lint, "docs": docs}


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    if sys.version_info < (3, 10):
        found = ".".join(map(str, sys.version_info[:2]))
        raise SystemExit(f"hookcore needs 3.10+, and this is Python {found}: use a newer one")
    if not arguments or arguments[0] not in COMMANDS:
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    return COMMANDS[arguments[0]](arguments[1:])


def projects() -> list[str]:
    """List the folders to install, relative to the root: the root, then each host and plugin."""
    parts = [
        path
        for kind in ("hosts", "plugins")
        for path in sorted(ROOT.glob(f"{kind}/*/pyproject.toml"))
    ]
    return [".", *(path.parent.relative_to(ROOT).as_posix() for path in parts)]


def set_up(folders: list[str], *extras: str) -> None:
    """Make `.venv` hold these projects, the root with these extras, unless it does already."""
    place = digest(str(ROOT), sys.version)
    texts = ((ROOT / path / "pyproject.toml").read_text("utf-8") for path in projects())
    content = digest(*projects(), *texts)
    stamp = STAMP.read_text("utf-8").split("\n") if STAMP.is_file() else []
    if not Path(PYTHON).exists():
        stamp = []
    if stamp[:2] == [place, content] and {*folders, *extras} <= set(stamp[2:]):
        return
    # Half-made, or another Python's, or moved here from another folder: begin again.
    if stamp[:1] not in ([], [place]) or not has_pip(PYTHON):
        make_venv()
        stamp = []
    # What was installed before stays, or goes with its folder.
    wanted = {*folders, *extras, *stamp[2:]}
    folders = [path for path in projects() if path in wanted]
    extras = tuple(sorted(word for word in wanted - set(folders) if word.isidentifier()))
    names = [f".[{','.join(extras)}]" if extras else ".", *(f"./{path}" for path in folders[1:])]
    print(f"Installing {', '.join(names)} into .venv ...", file=sys.stderr)
    STAMP.unlink() if STAMP.is_file() else None
    if pip(PYTHON, *(part for name in names for part in ("--editable", name))) != 0:
        raise SystemExit("dev.py: the installation failed; what pip said is above")
    STAMP.write_text("\n".join([place, content, *folders, *extras]), "utf-8")


def make_venv() -> None:
    """Make `.venv` anew with a pip in it, also where venv itself has none to give."""
    # When `.venv` is active it is what runs this file, and about to be deleted.
    inside = Path(sys.prefix) == VENV
    python = getattr(sys, "_base_executable", sys.executable) if inside else sys.executable
    shutil.rmtree(VENV, ignore_errors=True)
    venv = [python, "-m", "venv", str(VENV)]
    print("Making .venv ...", file=sys.stderr)
    if run(venv, quiet=True) == 0 and has_pip(PYTHON):
        return
    shutil.rmtree(VENV, ignore_errors=True)
    if not has_pip(python) or run([*venv, "--without-pip"], quiet=True) != 0:
        shutil.rmtree(VENV, ignore_errors=True)
        raise SystemExit(f"dev.py: {NEITHER}")
    where = [PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    library = subprocess.run(where, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    if pip(python, "--target", library, "pip") != 0:
        raise SystemExit("dev.py: pip could not be put into .venv; what pip said is above")


def digest(*texts: str) -> str:
    """Return one fingerprint of several texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def has_pip(python: str) -> bool:
    """Tell whether this interpreter exists, is of this Python's version, and can import pip."""
    probe = f"import pip, sys; sys.exit(sys.version != {sys.version!r})"
    return Path(python).exists() and run([python, "-c", probe], quiet=True) == 0


def pip(python: str, *arguments: str) -> int:
    """Run `pip install`; settings that are meant for the Python outside do not apply."""
    os.environ.update(PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0", PIP_ROOT_USER_ACTION="ignore")
    options = ["--quiet", "--disable-pip-version-check"]
    return run([python, "-m", "pip", "install", *options, *arguments])


def run(command: list[str], *, folder: Path = ROOT, quiet: bool = False) -> int:
    """Run a program in a folder and return its exit code."""
    output = subprocess.DEVNULL if quiet else None
    return subprocess.call(command, cwd=folder, stdout=output, stderr=output)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
