"""Requests whose time is over, by the store's own clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore_approval.requests import Draft, Requests

DRAFT = Draft("binding", "digest", "session s1", "pay", "{}", "")
Passes = Callable[[str], None]


@pytest.fixture
def passes(store: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Passes:
    """Let the time of a request be over, with the clock of a file or in the data of a server."""
    if store == "sqlite":
        seconds = [1_000_000.0]
        monkeypatch.setattr("hookcore_stores.sqlite.time.time", lambda: seconds[0])
        return lambda _: seconds.__setitem__(0, seconds[0] + 601)

    def over(ident: str) -> None:
        requests: Any = request.getfixturevalue("requests")
        requests._store._client.hset(f"{requests._prefix}{ident}", "expires", "1")

    return over


def test_a_request_that_nobody_decides_expires(passes: Passes, requests: Requests) -> None:
    made = requests.claim(DRAFT, make=True)
    passes(made.id)
    assert requests.listed(pending=True) == []
    assert [each.state for each in requests.listed(pending=False)] == ["expired"]
    done = requests.decide(made.id, "digest", "approved", "ann")
    assert (done.counted, done.state, done.why) == (False, "expired", "it is expired")
    assert requests.claim(DRAFT, make=False).state == "expired"
    again = requests.claim(DRAFT, make=True)
    assert (again.state, again.new) == ("pending", True)
    assert again.id != made.id


def test_an_approval_that_nobody_takes_expires(passes: Passes, requests: Requests) -> None:
    made = requests.claim(DRAFT, make=True)
    requests.decide(made.id, "digest", "approved", "ann")
    passes(made.id)
    found = requests.find(made.id)
    assert found is not None
    assert found.state == "expired"
    assert requests.claim(DRAFT, make=True).state == "pending"


def test_an_approval_lives_from_the_decision_on(passes: Passes, requests: Requests) -> None:
    made = requests.claim(DRAFT, make=True)
    before = requests.find(made.id)
    requests.decide(made.id, "digest", "approved", "ann")
    after = requests.find(made.id)
    assert before is not None
    assert after is not None
    assert after.expires == pytest.approx(after.created + 300, abs=60)
    assert before.expires == pytest.approx(after.created + 600)


def test_after_a_denial_has_expired_somebody_is_asked_again(
    passes: Passes, requests: Requests
) -> None:
    made = requests.claim(DRAFT, make=True)
    requests.decide(made.id, "digest", "denied", "ann")
    passes(made.id)
    assert requests.claim(DRAFT, make=True).state == "pending"
    found = requests.find(made.id)
    assert found is not None
    assert found.state == "denied"
