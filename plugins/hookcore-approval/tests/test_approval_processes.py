"""Attacks by many processes, on both stores: nothing is taken twice, whoever is killed."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hookcore_approval import ApprovalSettings
from hookcore_approval.requests import Draft, Requests

pytestmark = pytest.mark.usefixtures("store")

PROGRAM = """
import os
from hookcore_approval import ApprovalSettings
from hookcore_approval._stores import requests_of
from hookcore_approval.requests import Draft
from hookcore_stores import StoreAwayError

def patient(ask):
    # On a busy machine the others may come first for longer than a store is waited for.
    while True:
        try:
            return ask()
        except StoreAwayError:
            pass

os.environ.update(environ)
requests = requests_of(ApprovalSettings(**settings))
requests.find("nothing")
pipe.send("ready")
pipe.recv()
for name in names:
    if verdict:
        done = patient(lambda: requests.decide(*name, verdict, person))
        pipe.send("counted" if done.counted else done.why)
    else:
        draft = Draft(name, name, "s", "pay", "{}", "")
        pipe.send(patient(lambda: requests.claim(draft, make=make)).state)
pipe.close()
"""
# Each is a process of its own, forked by one that has imported the plugin already.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["hookcore_approval._redis", "hookcore_approval._stores"])


class Worker:
    """A process that works at the requests, and what it tells."""

    def __init__(self, **given: Any) -> None:
        self.pipe, end = PROCESSES.Pipe()
        # The test's module has no name that another process could import it by.
        self._process = PROCESSES.Process(target=exec, args=(PROGRAM, {**given, "pipe": end}))
        self._process.start()
        end.close()

    def kill(self) -> None:
        self._process.kill()

    def told(self) -> list[str]:
        """Return all that it tells until its end."""
        found = []
        while True:
            try:
                found.append(self.pipe.recv())
            except EOFError:
                return found

    def close(self) -> None:
        self._process.join()
        self.pipe.close()


@contextmanager
def together(
    settings: ApprovalSettings,
    count: int,
    names: list[Any],
    *,
    make: bool = False,
    verdict: str = "",
) -> Iterator[list[Worker]]:
    """Run processes that begin their work at one moment."""
    given = {
        # The process that they are forked by began before the test did.
        "environ": dict(os.environ),
        "settings": json.loads(settings.model_dump_json(exclude_unset=True)),
        "names": names,
        "make": make,
        "verdict": verdict,
    }
    workers = [Worker(**given, person=f"person {number}") for number in range(count)]
    assert [worker.pipe.recv() for worker in workers] == ["ready"] * count
    for worker in workers:
        worker.pipe.send("go")
    yield workers
    for worker in workers:
        worker.close()


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
    with together(settings(), 8, ["one"] * 20) as workers:
        found = [state for worker in workers for state in worker.told()]
    assert found.count("taken") == 1


def test_a_hundred_approvals_are_taken_once_each(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    names = [f"call {number}" for number in range(100)]
    approved(requests, names)
    with together(settings(), 8, names) as workers:
        found = [worker.told() for worker in workers]
    for number in range(len(names)):
        assert [each[number] for each in found].count("taken") == 1
    assert {each.state for each in requests.listed(pending=False)} == {"taken"}


def test_eight_that_want_the_same_make_one_request(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    with together(settings(), 8, ["one"], make=True) as workers:
        assert [worker.told() for worker in workers] == [["pending"]] * 8
    assert len(requests.listed(pending=False)) == 1


def test_one_decision_of_eight_counts(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    made = requests.claim(draft("one"), make=True)
    with together(settings(), 8, [[made.id, "one"]], verdict="denied") as workers:
        found = [state for worker in workers for state in worker.told()]
    assert sorted(found) == ["counted", *["it is denied"] * 7]
    request = requests.find(made.id)
    assert request is not None
    assert len(request.by) == 1


def test_who_is_killed_while_taking_leaves_nothing_to_be_taken_twice(
    settings: Callable[..., ApprovalSettings], requests: Requests
) -> None:
    names = [f"call {number}" for number in range(100)]
    approved(requests, names)
    with together(settings(), 2, names) as workers:
        told = 0
        for worker in workers:
            told += worker.pipe.recv() == "taken"
            worker.kill()
        told += sum(worker.told().count("taken") for worker in workers)
    states = [each.state for each in requests.listed(pending=False)]
    assert states.count("taken") + states.count("approved") == 100
    assert states.count("taken") >= told
    left = [requests.claim(draft(name), make=False).state for name in names]
    assert left.count("taken") == states.count("approved")
