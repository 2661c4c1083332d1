"""Other people's runtimes, each raced against hookcore in a venv of its own.

    python bench/peering.py [NAME...]    make the venvs of peers.txt, or of those that are named

They are made in `.venv-peers`; remove that folder to be rid of them. `run.py` races those that
are there and names those that are missing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in {None, ""}:
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.race import Claim, Round, ratio

__all__ = ["claims", "install", "measure", "pins"]

HERE = Path(__file__).resolve().parent
VENVS = HERE.parent / ".venv-peers"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
CLAIMS = {
    "cpex": [ratio("hookcore, 1 async hook", "cpex, 1 plugin")],
    "google-adk": [ratio("hookcore, 1 async hook", "google-adk, 1 plugin", 1.0)],
    "langchain": [ratio("hookcore, 5 wraps", "langchain, 5 wraps")],
    "openai-agents": [ratio("hookcore, 1 async hook", "openai-agents, 1 hook")],
    "pydantic-ai-slim": [
        ratio("hookcore, 1 wrap", "pydantic-ai, 1 wrap", 1.0),
        ratio("hookcore, 5 wraps", "pydantic-ai, 5 wraps", 1.0),
    ],
    "strands-agents": [ratio("hookcore, 1 hook", "strands, 1 callback")],
}


def pins() -> dict[str, str]:
    """Return the pinned requirements by name."""
    lines = (HERE / "peers.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return {line.partition("==")[0]: line for line in wanted}


def claims(name: str) -> list[Claim]:
    """Return what is claimed beside one peer."""
    return CLAIMS[name]


def install(names: Sequence[str]) -> None:
    """Make the venvs of some peers, with what hookcore needs to run there."""
    for name in names:
        venv = VENVS / name
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        command = [
            str(_python(name)),
            "-m",
            "pip",
            "install",
            "--quiet",
            pins()[name],
            "pluggy>=1.7,<2",
        ]
        subprocess.run(command, check=True)
        print(f"{pins()[name]} is in {venv}")


def measure(name: str, notes: list[str], *, rounds: int, burst_s: float) -> list[Round]:
    """Race one peer; none when it is not installed.

    Args:
        name: the peer.
        notes: takes a line when it cannot be raced.
        rounds: how many rounds.
        burst_s: about how long one burst shall take, in seconds.
    """
    if not _python(name).exists():
        notes.append(
            f"{name} is not installed (python bench/peering.py {name}): its rows are left out"
        )
        return []
    root = HERE.parent
    path = os.pathsep.join(map(str, (root, root / "hookspecs")))
    done = subprocess.run(
        [str(_python(name)), str(HERE / "rivals.py"), name, str(rounds), str(burst_s)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        notes.append(f"{name} could not be raced: {reason}")
        return []
    found: list[Round] = json.loads(done.stdout.splitlines()[-1])
    return found


def _python(name: str) -> Path:
    return VENVS / name / SCRIPTS / "python"


if __name__ == "__main__":
    install(sys.argv[1:] or list(pins()))
