"""``python -m hookcore_crewai`` runs a program as ``python`` runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hookcore.hosting.checks import run_governed

TELL = """
import sys
main = sys.modules["__main__"]
print(sorted(name for name in vars(main) if name.startswith("__")))
print(__name__, __file__, __package__, __cached__, type(__loader__), type(__builtins__))
print(__spec__ and (__spec__.name, __spec__.origin), vars(main) is globals())
print(sys.argv, sys.path, sys._getframe().f_code.co_filename)
"""
LASTING = """
import atexit, pickle, threading
ended = threading.Event()
class Kept: ...
def check(where):
    print(where, type(pickle.loads(pickle.dumps(Kept()))) is Kept)
def outlive():
    threading.main_thread().join()
    check("thread")
atexit.register(check, "exit")
threading.Thread(target=outlive).start()
"""
THEIR_HOOK = """
import sys
def show(kind, error, traceback):
    print(kind, traceback.tb_frame.f_code.co_name, error.__traceback__ is traceback)
sys.excepthook = show
raise LookupError
"""
# CrewAI takes seconds to import, and what is tested here is not about it.
WITHOUT_CREWAI = """
from hookcore_crewai import _install
_install.install = lambda manager=None: manager
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with programs in all forms; the working folder of both runs is beside them."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(WITHOUT_CREWAI)
    (tmp_path / "cwd" / "package").mkdir(parents=True)
    (tmp_path / "cwd" / "package" / "__init__.py").touch()
    for name in ("script.py", "cwd/module.py", "cwd/package/__main__.py", "folder/__main__.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(TELL)
    (tmp_path / "cwd" / "link.py").symlink_to(tmp_path / "script.py")
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        archive.writestr("__main__.py", TELL)
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder / "cwd",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def both(folder: Path, *arguments: str, flags: tuple[str, ...] = ()) -> list[tuple[int, str, str]]:
    """Run a program by itself and governed, and return what each run came to."""
    runner = ("-m", "hookcore_crewai")
    return [run(folder, *flags, *arguments), run(folder, *flags, *runner, *arguments)]


FORMS = [
    ("../script.py", "--flag"),
    ("./link.py",),
    ("../folder", "argument"),
    ("../program.zip",),
    ("-m", "module", "--flag"),
    ("-m", "package"),
]


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_a_program_finds_what_it_finds_without(folder: Path, form: tuple[str, ...]) -> None:
    plain, governed = both(folder, *form)
    assert governed == plain
    assert "__main__" in plain[1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python has no -P before 3.11")
@pytest.mark.parametrize("form", ["../script.py", "../folder"])
def test_a_safe_path_stays_safe(folder: Path, form: str) -> None:
    plain, governed = both(folder, form, flags=("-P",))
    assert governed == plain


def test_its_classes_are_found_to_the_end_of_the_process(folder: Path) -> None:
    (folder / "lasting.py").write_text(LASTING)
    plain, governed = both(folder, "../lasting.py")
    assert governed == plain == (0, "thread True\nexit True\n", "")


@pytest.mark.parametrize(
    "program",
    [
        "def f():\n    1 / 0\nf()\n",
        "x = = 1\n",
        "raise KeyboardInterrupt\n",
        "import sys\nsys.exit('bye')\n",
        "def f(x: Undefined): ...\n",
        THEIR_HOOK,
    ],
    ids=["error", "syntax", "interrupt", "exit", "annotation", "hook of its own"],
)
def test_its_failures_show_as_without(folder: Path, program: str) -> None:
    (folder / "failing.py").write_text(program)
    plain, governed = both(folder, "../failing.py")
    assert governed == plain
    assert plain[0] != 0


@pytest.mark.parametrize(
    "form", [("-m", "nowhere"), ("-m", "no.where"), ("-m", "empty"), ("../empty",)], ids=" ".join
)
def test_where_there_is_no_program_it_says_so(folder: Path, form: tuple[str, ...]) -> None:
    (folder / "empty").mkdir()
    (folder / "cwd" / "empty").mkdir()
    (folder / "cwd" / "empty" / "__init__.py").touch()
    plain, governed = both(folder, *form)
    assert governed == plain
    assert plain[0] == 1


def test_compiled_code_runs_too(folder: Path) -> None:
    source = folder / "compiled.py"
    source.write_text("print(__file__, type(__loader__).__name__)\n")
    code = "import py_compile; py_compile.compile('../compiled.py', '../compiled.pyc')"
    assert run(folder, "-c", code)[0] == 0
    plain, governed = both(folder, "../compiled.pyc")
    assert governed == plain
    assert "SourcelessFileLoader" in plain[1]


def test_what_a_package_fails_at_shows_where(folder: Path) -> None:
    (folder / "cwd" / "package" / "__init__.py").write_text("import no_such_module\n")
    code, _, said = run(folder, "-m", "hookcore_crewai", "-m", "package")
    assert code == 1
    assert "package/__init__.py" in said
    assert "No module named 'no_such_module'" in said


UNCHANGED = """
from crewai import LLM, Agent, BaseLLM, Crew, Task
from crewai.tools import tool


@tool("danger")
def danger(x: str) -> str:
    "Do something dangerous."
    raise SystemExit("the tool ran")


seen = []


class Model(BaseLLM):
    def call(self, messages, *args, **options):
        seen.append(str(messages))
        if len(seen) > 1:
            print("read:", seen[-1])
            return "Thought: I now know.\\nFinal Answer: done"
        return 'Thought: go.\\nAction: danger\\nAction Input: {"x": "1"}'

    def supports_function_calling(self):
        return False


agent = Agent(role="r", goal="g", backstory="b", llm=Model(model="fake"), tools=[danger])
Crew(agents=[agent], tasks=[Task(description="d", expected_output="e", agent=agent)]).kickoff()
"""


def test_hookctl_governs_an_unchanged_program(tmp_path: Path) -> None:
    assert "not allowed by policy" in run_governed(tmp_path, UNCHANGED, "crewai")
