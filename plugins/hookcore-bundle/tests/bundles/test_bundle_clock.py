"""Freshness is a matter of signed times: of no clock that is set back, and no server that repeats."""

from __future__ import annotations

import pytest

from hookcore_bundle import RefusedError
from hookcore_bundle._pull import Pulled

from .fleet import DAY, HARMLESS, NOW, Clock, Fleet, Here, Server


@pytest.fixture
def first(fleet: Fleet, here: Here) -> Here:
    """A machine with revision 1, which holds for ten days."""
    fleet.publish(days=10)
    here.pull()
    return here


def test_a_server_that_is_away_makes_a_bundle_stale_and_then_expired(
    first: Here, server: Server, clock: Clock
) -> None:
    server.files.clear()
    for days, state in ((0, "fresh"), (2, "stale"), (9, "expired")):
        clock.now += days * DAY
        with pytest.raises(RefusedError, match="server: HTTP 404"):
            first.pull()
        assert first.state == state


def test_a_server_that_repeats_an_old_timestamp_for_ever_keeps_nothing_fresh(
    first: Here, clock: Clock
) -> None:
    for _ in range(3):
        clock.now += 40_000
        assert first.pull() == Pulled(1, is_new=False)
    assert first.state == "stale"


def test_a_timestamp_signed_anew_keeps_a_bundle_fresh(
    fleet: Fleet, first: Here, clock: Clock
) -> None:
    for _ in range(3):
        clock.now += 40_000
        fleet.sign("timestamp")
        first.pull()
    assert first.state == "fresh"


def test_a_timestamp_older_than_the_last_one_is_refused(
    fleet: Fleet, first: Here, server: Server, clock: Clock
) -> None:
    old = server.files["/prod.tar.timestamp"]
    clock.now += 3600
    fleet.sign("timestamp")
    first.pull()
    server.files["/prod.tar.timestamp"] = old
    with pytest.raises(RefusedError, match=r"rollback: a timestamp of .* after one of"):
        first.pull()


def test_a_clock_that_is_set_back_makes_nothing_fresh_again(
    first: Here, server: Server, clock: Clock
) -> None:
    server.files.clear()
    clock.now += 11 * DAY
    with pytest.raises(RefusedError):
        first.pull()
    assert first.state == "expired"
    clock.now -= 20 * DAY
    assert first.state == "expired"
    with pytest.raises(RefusedError):
        first.pull()
    assert first.state == "expired"


def test_a_clock_that_was_set_back_before_is_told_the_time_by_signatures(
    fleet: Fleet, first: Here, clock: Clock
) -> None:
    clock.now += 11 * DAY
    fleet.sign("timestamp")
    clock.now -= 11 * DAY
    first.pull()
    assert first.state == "expired"


def test_a_bundle_that_expired_by_the_latest_time_seen_is_not_taken(
    fleet: Fleet, first: Here, server: Server, clock: Clock
) -> None:
    clock.now += 11 * DAY
    server.files.clear()
    with pytest.raises(RefusedError):
        first.pull()
    clock.now = NOW
    fleet.sign("timestamp")
    first.bundles.joinpath("current").unlink()
    with pytest.raises(RefusedError, match="expired"):
        first.pull()


def test_a_clock_that_once_jumped_ahead_is_set_right_by_a_newer_revision(
    fleet: Fleet, first: Here, server: Server, clock: Clock
) -> None:
    clock.now += 1000 * DAY
    server.files.clear()
    with pytest.raises(RefusedError):
        first.pull()
    clock.now -= 1000 * DAY
    assert first.state == "expired"
    fleet.serve()
    with pytest.raises(RefusedError, match="root: version 1 expired"):
        first.pull()
    assert first.state == "expired"
    fleet.publish(HARMLESS.format("y"))
    assert first.pull() == Pulled(2, is_new=True)
    assert first.state == "fresh"
