"""Attacks by many processes, on both stores: nothing is taken twice, whoever is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hookcore_approval import ApprovalSettings
from hookcore_approval.requests import Draft, Requests

pytestmark = pytest.mark.usefixtures("store")

PROGRAM = """
import json, sys
from hookcore_approval import ApprovalSettings
from hookcore_approval._stores import requests_of
from hookcore_approval.requests import Draft

settings, names, make, verdict = json.loads(sys.argv[1])
requests = requests_of(ApprovalSettings(**settings))
requests.find("nothing")
print("ready", flush=True)
sys.stdin.readline()
found = []
for name in names:
    if verdict:
        done = requests.decide(*name, verdict, sys.argv[2])
        found.append("counted" if done.counted else done.why)
    else:
        claim = requests.claim(Draft(name, name, "s", "pay", "{}", ""), make=make)
        found.append(claim.state)
        print(claim.state, flush=True)
print(json.dumps(found))
"""


@contextmanager
def together(settings: ApprovalSettings, count: int, *work: Any) -> Iterator[list[Any]]:
    """Run processes that begin their work at one moment."""
    given = json.dumps([json.loads(settings.model_dump_json(exclude_unset=True)), *work])
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, given, f"person {number}"],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(count)
    ]
    for each in started:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in started:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    yield started
    for each in started:
        each.communicate()


def answers(processes: list[Any]) -> list[list[str]]:
    found = []
    for each in processes:
        out, _ = each.communicate()
        assert each.returncode == 0
        found.append(json.loads(out.splitlines()[-1]))
    return found


def draft(name: str) -> Draft:
    return Draft(name, name, "s", "pay", "{}", "")


def approved(requests: Requests, names: list[str]) -> None:
    for name in names:
        made = requests.claim(draft(name), make=True)
        requests.decide(made.id, name, "approved", "ann")


def test_one_approval_is_taken_by_one_of_eight(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    approved(requests, ["one"])
    with together(settings(), 8, ["one"] * 20, False, "") as processes:
        found = [state for each in answers(processes) for state in each]
    assert found.count("taken") == 1


def test_a_hundred_approvals_are_taken_once_each(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    names = [f"call {number}" for number in range(100)]
    approved(requests, names)
    with together(settings(), 8, names, False, "") as processes:
        found = answers(processes)
    for number in range(len(names)):
        assert [each[number] for each in found].count("taken") == 1
    assert {each.state for each in requests.listed(pending=False)} == {"taken"}


def test_eight_that_want_the_same_make_one_request(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    with together(settings(), 8, ["one"], True, "") as processes:
        assert answers(processes) == [["pending"]] * 8
    assert len(requests.listed(pending=False)) == 1


def test_one_decision_of_eight_counts(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    made = requests.claim(draft("one"), make=True)
    with together(settings(), 8, [[made.id, "one"]], True, "denied") as processes:
        found = [each[0] for each in answers(processes)]
    assert sorted(found) == ["counted", *["it is denied"] * 7]
    request = requests.find(made.id)
    assert request is not None
    assert len(request.by) == 1


def test_who_is_killed_while_taking_leaves_nothing_to_be_taken_twice(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    names = [f"call {number}" for number in range(100)]
    approved(requests, names)
    with together(settings(), 2, names, False, "") as processes:
        for each in processes:
            assert each.stdout.readline()
            each.kill()
        outs = [each.communicate()[0].split("\n") for each in processes]
    told = sum(line == "taken" for out in outs for line in out)
    states = [each.state for each in requests.listed(pending=False)]
    assert states.count("taken") + states.count("approved") == 100
    assert states.count("taken") >= told
    left = [requests.claim(draft(name), make=False).state for name in names]
    assert left.count("taken") == states.count("approved")
