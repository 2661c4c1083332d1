"""Names that a command makes before it uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore_path_guard import Denial

Place = Any
Judged = Callable[[str], Denial | None]

LEADING_OUT = [
    "mv out k; cat k/key.txt",
    "mv l.txt k; cat k",
    "mv *.txt k; cat k",
    "mv l.txt docs/; cat docs/l.txt",
    "mkdir d; mv l.txt d/; cat d/l.txt",
    "cp -a out k; cat k/key.txt",
    "mv src k && cat k/up/secret/key.txt",
    "ln -s . k; cat k/out/key.txt",
    "ln -s . k && cd k && cat ../secret/key.txt",
    "ln -s out k",
    "ln -s *.txt k",
    "ln -s ../secret src/s && mv src/s s && cat s/key.txt",
    "mkdir -p a/b; ln -s ../../secret a/b/s; mv a/b c; cat c/s/key.txt",
    "mv src docs2; mv out src; cat src/key.txt",
    "ln l.txt k; cat k",
]
STAYING = [
    "mv README.md R; cat R",
    "cp -r src src2 && cat src2/app.py",
    "mkdir d; cp README.md d/; cat d/README.md",
    "ln -s src s; cat s/app.py",
    "ln -s ../README.md docs/r && cat docs/r",
    "mv docs d2; mv src docs; cat docs/app.py",
    "mkdir d && mv README.md d && cd d && cat README.md && cd .. && ls",
    "mv out k",
    "cp src/app.py src/b.py; cat src/*.py",
]


@pytest.fixture
def linked(place: Place) -> Judged:
    """Judge a command in a project that holds links which lead out."""
    place.link("proj/out", "../secret")
    place.link("proj/l.txt", "../secret/key.txt")
    place.link("proj/src/up", "../..")
    judged: Judged = place.run
    return judged


@pytest.mark.parametrize("command", LEADING_OUT)
def test_a_new_name_leads_where_the_old_one_led(linked: Judged, command: str) -> None:
    assert linked(command) is not None


@pytest.mark.parametrize("command", STAYING)
def test_a_new_name_that_stays_inside_is_let_through(linked: Judged, command: str) -> None:
    assert linked(command) is None


def test_more_names_than_can_be_remembered_are_refused(place: Place) -> None:
    assert place.run("; ".join(f"cp README.md r{number}" for number in range(600))) is not None


@pytest.mark.parametrize(
    "command",
    [
        "for v in '*.txt'; do cat $v; done",
        "export v={src,out}/key.txt; cat $v",
        "cat $PWD/{src,out}/key.txt",
        "cd src docs; cat ../secret/key.txt",
        "dd if=README.md of=~/x",
        "python3 -c 'open(\"l.txt\")'",
    ],
)
def test_what_a_random_search_beside_a_real_shell_found(linked: Judged, command: str) -> None:
    assert linked(command) is not None
