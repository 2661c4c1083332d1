"""Requests in both stores: made once, decided once, taken once, gone in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore_approval._rules import TooManyError
from hookcore_approval._stores import requests_of
from hookcore_approval.requests import Draft, Requests

pytestmark = pytest.mark.usefixtures("store")

DRAFT = Draft("binding", "digest", "session s1", "pay", '{"to": "bob"}', "shell-guard")


def draft(name: str, **fields: Any) -> Draft:
    values = {"binding": name, "digest": name, "scope": "s", "tool": "pay", "shown": "{}"}
    return Draft(**{**values, "asker": "", **fields})


def test_the_same_call_has_one_request(requests: Requests) -> None:
    first = requests.claim(DRAFT, make=True)
    again = requests.claim(DRAFT, make=True)
    assert (first.state, first.new) == ("pending", True)
    assert (again.state, again.new, again.id) == ("pending", False, first.id)
    (request,) = requests.listed(pending=True)
    assert (request.id, request.digest, request.scope, request.tool) == (
        first.id,
        "digest",
        "session s1",
        "pay",
    )
    assert (request.shown, request.asker, request.needed) == (DRAFT.shown, "shell-guard", 1)
    assert (request.state, request.by) == ("pending", ())
    assert request.expires == pytest.approx(request.created + 600)


def test_an_approval_is_taken_once(requests: Requests) -> None:
    made = requests.claim(DRAFT, make=True)
    assert requests.decide(made.id, "digest", "approved", "ann").state == "approved"
    taken = requests.claim(DRAFT, make=True)
    assert (taken.state, taken.id, taken.by) == ("taken", made.id, ("ann",))
    another = requests.claim(DRAFT, make=True)
    assert (another.state, another.new) == ("pending", True)
    assert another.id != made.id
    found = requests.find(made.id)
    assert found is not None
    assert found.state == "taken"


def test_a_denial_holds_until_the_request_expires(requests: Requests) -> None:
    made = requests.claim(DRAFT, make=True)
    requests.decide(made.id, "digest", "denied", "bob")
    again = requests.claim(DRAFT, make=True)
    assert (again.state, again.by) == ("denied", ("bob",))


@pytest.mark.parametrize(
    ("change", "state", "why"),
    [
        ({"ident": "none"}, None, "there is no such request"),
        ({"digest": "other"}, "pending", "it is of another call"),
    ],
)
def test_a_decision_about_something_else_does_not_count(
    requests: Requests, change: dict[str, str], state: str | None, why: str
) -> None:
    made = requests.claim(DRAFT, make=True)
    given = {"ident": made.id, "digest": "digest", **change}
    done = requests.decide(given["ident"], given["digest"], "approved", "ann")
    assert (done.counted, done.state, done.why) == (False, state, why)
    assert requests.claim(DRAFT, make=True).state == "pending"


@pytest.mark.parametrize("first", ["approved", "denied"])
def test_a_second_decision_does_not_count(requests: Requests, first: Any) -> None:
    made = requests.claim(DRAFT, make=True)
    requests.decide(made.id, "digest", first, "ann")
    for verdict in ("approved", "denied"):
        done = requests.decide(made.id, "digest", verdict, "bob")
        assert (done.counted, done.state, done.why) == (False, first, f"it is {first}")


def test_a_decision_about_what_was_taken_does_not_count(requests: Requests) -> None:
    made = requests.claim(DRAFT, make=True)
    requests.decide(made.id, "digest", "approved", "ann")
    requests.claim(DRAFT, make=True)
    done = requests.decide(made.id, "digest", "approved", "bob")
    assert (done.counted, done.why) == (False, "it is taken")


def test_two_different_people_are_needed_where_two_are(requests: Requests) -> None:
    two = draft("two", needed=2)
    made = requests.claim(two, make=True)
    assert requests.decide(made.id, "two", "approved", "ann").state == "pending"
    again = requests.decide(made.id, "two", "approved", "ann")
    assert (again.counted, again.why) == (False, "another person has to approve it, too")
    assert requests.claim(two, make=True).state == "pending"
    assert requests.decide(made.id, "two", "approved", "bob").state == "approved"
    assert requests.claim(two, make=True).by == ("ann", "bob")


def test_one_person_can_deny_what_two_have_to_approve(requests: Requests) -> None:
    made = requests.claim(draft("two", needed=2), make=True)
    requests.decide(made.id, "two", "approved", "ann")
    assert requests.decide(made.id, "two", "denied", "bob").state == "denied"


def test_nothing_is_made_for_who_only_looks(requests: Requests) -> None:
    assert requests.claim(DRAFT, make=False).state == "expired"
    assert requests.listed(pending=False) == []
    assert requests.find("none") is None


def test_too_many_requests_are_refused(settings: Callable[..., Any]) -> None:
    requests = requests_of(settings(max_pending=2))
    for name in ("a", "b"):
        requests.claim(draft(name), make=True)
    with pytest.raises(TooManyError, match="2 requests wait already"):
        requests.claim(draft("c"), make=True)
    requests.decide(requests.listed(pending=True)[0].id, "a", "denied", "ann")
    assert requests.claim(draft("c"), make=True).new
    requests.close()


def test_decided_requests_are_listed_with_the_pending_ones(requests: Requests) -> None:
    for name in ("a", "b"):
        requests.claim(draft(name), make=True)
    requests.decide(requests.listed(pending=True)[0].id, "a", "approved", "ann")
    assert [each.state for each in requests.listed(pending=False)] == ["approved", "pending"]
    assert [each.digest for each in requests.listed(pending=True)] == ["b"]


def test_names_of_any_kind_are_kept_as_they_are(requests: Requests) -> None:
    odd = draft("odd", scope="Zoë \u2028 \0 {}", tool="x]]--'\"", asker="é")
    made = requests.claim(odd, make=True)
    requests.decide(made.id, "odd", "denied", 'Jürgen "Ä" O\'Neil')
    found = requests.find(made.id)
    assert found is not None
    assert (found.scope, found.tool, found.asker) == (odd.scope, odd.tool, odd.asker)
    assert found.by == ('Jürgen "Ä" O\'Neil',)
