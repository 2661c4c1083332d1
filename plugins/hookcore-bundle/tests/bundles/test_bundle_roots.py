"""Rotation: new keys are taken on the word of the old ones, and of nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore_bundle import RefusedError
from hookcore_bundle._documents import Role, Root
from hookcore_bundle._envelope import Envelope
from hookcore_bundle._keys import SecretKey
from hookcore_bundle._publishing import Publisher
from hookcore_bundle._pull import Pulled
from hookcore_bundle._roots import Roots, read_roots

from .fleet import DAY, HARMLESS, NOW, Clock, Fleet, Here, Server


def root(version: int, *keys: SecretKey, threshold: int = 1, name: str = "prod") -> Root:
    role = Role(keys=[key.public.id for key in keys], threshold=threshold)
    return Root(
        name=name,
        created=NOW,
        version=version,
        expires=NOW + DAY,
        keys={key.public.id: key.public.text for key in keys},
        roles={"root": role, "bundle": role, "timestamp": role},
    )


def signed(document: Root, *keys: SecretKey) -> Envelope:
    return document.envelope().signed_by(keys)


A, B, C, EVIL = (SecretKey() for _ in range(4))


@pytest.fixture
def one() -> Roots:
    return Roots.trusted(signed(root(1, A, B), A))


def test_a_root_signed_by_the_keys_before_it_and_its_own_is_taken(one: Roots) -> None:
    two = one.extended([signed(root(2, B, C), A, C)])
    assert two.latest.version == 2
    assert two.extended([signed(root(3, C), B, C)]).latest.version == 3


@pytest.mark.parametrize(
    ("document", "keys"),
    [
        (root(2, EVIL), [EVIL]),
        (root(2, C), [A]),
        (root(2, C), [C]),
        (root(2, EVIL, A), [EVIL]),
        (root(2, C), []),
        (root(2, C, threshold=1), [EVIL, C]),
    ],
)
def test_a_root_without_the_old_keys_or_its_own_is_refused(
    one: Roots, document: Root, keys: list[SecretKey]
) -> None:
    with pytest.raises(RefusedError, match="root: version 2: 0 of 1 trusted keys signed"):
        one.extended([signed(document, *keys)])


def test_a_stolen_key_that_was_rotated_away_makes_no_root(one: Roots) -> None:
    two = one.extended([signed(root(2, B, C), A, C)])
    with pytest.raises(RefusedError, match=r"version 3: 0 of 1 .* of the keys of version 2"):
        two.extended([signed(root(3, EVIL), A, EVIL)])


def test_a_stolen_key_makes_no_other_version_of_what_is_known(one: Roots) -> None:
    two = one.extended([signed(root(2, B, C), A, C)])
    with pytest.raises(RefusedError, match="version 2 is not the one that is known here"):
        two.extended([signed(root(2, EVIL), A, EVIL)])


def test_one_stolen_key_of_two_that_must_sign_is_not_enough() -> None:
    one = Roots.trusted(signed(root(1, A, B, threshold=2), A, B))
    with pytest.raises(RefusedError, match="version 2: 1 of 2"):
        one.extended([signed(root(2, EVIL), A, EVIL)])


def test_one_key_under_two_names_counts_once() -> None:
    document = root(1, A).envelope()
    text = document.payload.decode().replace(
        f'"keys":{{"{A.public.id}":"{A.public.text}"}}',
        f'"keys":{{"{A.public.id}":"{A.public.text}","aaaaaaaaaaaaaaaa":"{A.public.text}"}}',
    )
    assert "aaaaaaaaaaaaaaaa" in text
    with pytest.raises(RefusedError, match="a key has an id that is not its own"):
        Root.of(Envelope(document.kind, text.encode()))


@pytest.mark.parametrize("threshold", [0, 3])
def test_a_threshold_that_is_none_or_cannot_be_met_is_refused(threshold: int) -> None:
    document = root(1, A, B).envelope()
    text = document.payload.decode().replace('"threshold":1', f'"threshold":{threshold}')
    with pytest.raises(RefusedError, match="root: "):
        Root.of(Envelope(document.kind, text.encode()))


def test_a_version_that_was_skipped_is_refused(one: Roots) -> None:
    with pytest.raises(RefusedError, match="version 2 was skipped"):
        one.extended([signed(root(3, C), A, C)])


def test_a_root_of_another_fleet_is_refused(one: Roots) -> None:
    with pytest.raises(RefusedError, match="version 2 is for staging"):
        one.extended([signed(root(2, C, name="staging"), A, C)])


def test_a_root_that_its_own_keys_have_not_signed_is_no_beginning() -> None:
    with pytest.raises(RefusedError, match="signature: 0 of 1"):
        Roots.trusted(signed(root(1, A), EVIL))


@pytest.mark.parametrize("data", [b"", b"{}", b"[7]", b"[[]]", b"[" * 100_000])
def test_what_is_no_list_of_roots_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError, match="root: "):
        read_roots(data)


# On a machine


def test_a_rotation_of_all_keys_is_taken(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    fleet.rotate("root", "bundle", "timestamp")
    fleet.publish(HARMLESS.format("y"))
    assert here.pull() == Pulled(2, is_new=True)
    assert here.state == "fresh"


def test_old_keys_sign_nothing_after_a_rotation(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    before = fleet.rotate("root", "bundle", "timestamp")
    fleet.publish()
    here.pull()
    new, fleet.keys = fleet.keys, before
    fleet.publish(HARMLESS.format("evil"))
    fleet.server.files.pop("/prod.tar.timestamp")
    fleet.publisher.sign([new["timestamp"]])
    fleet.serve()
    assert here.pull() == Pulled(2, is_new=False)
    assert here.in_force == HARMLESS.format("x")


def test_a_thief_with_old_keys_cannot_go_on_from_the_old_root(
    fleet: Fleet, here: Here, tmp_path: Path
) -> None:
    fleet.publish()
    thief = Publisher(tmp_path / "thief")
    (tmp_path / "thief").mkdir()
    (tmp_path / "thief" / "roots.json").write_bytes((fleet.folder / "roots.json").read_bytes())
    stolen = dict(fleet.keys)
    here.pull()
    fleet.rotate("root", "bundle", "timestamp")
    fleet.publish(HARMLESS.format("y"))
    here.pull()
    (tmp_path / "thief" / "hookcore.toml").write_text("[hooks]\n")
    thief.build(30, revision=7)
    thief.sign(list(stolen.values()))
    fleet.server.publish(tmp_path / "thief" / "dist")
    with pytest.raises(RefusedError, match="signature: 0 of 1 trusted keys signed the timestamp"):
        here.pull()
    thief.rotate({"root": [EVIL.public]}, {}, 30)
    thief.sign([stolen["root"], EVIL, stolen["timestamp"]])
    fleet.server.publish(tmp_path / "thief" / "dist")
    with pytest.raises(RefusedError, match="version 2 is not the one that is known here"):
        here.pull()
    assert here.in_force == HARMLESS.format("y")


def test_a_machine_that_slept_over_several_rotations_follows(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    for _ in range(4):
        fleet.rotate("root", "bundle", "timestamp")
    fleet.publish(HARMLESS.format("y"))
    assert here.pull() == Pulled(2, is_new=True)


def test_a_new_machine_begins_with_the_first_root(fleet: Fleet, here: Here) -> None:
    for _ in range(3):
        fleet.rotate("root")
    fleet.publish()
    assert here.pull() == Pulled(1, is_new=True)


def test_another_key_for_timestamps_alone_leaves_the_bundle(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    fleet.rotate("timestamp")
    fleet.sign("timestamp")
    assert here.pull() == Pulled(1, is_new=False)
    assert here.state == "fresh"


def test_a_rotation_holds_although_the_bundle_with_it_is_refused(fleet: Fleet, here: Here) -> None:
    fleet.publish()
    here.pull()
    old = fleet.rotate("bundle", "timestamp")
    fleet.publish("not toml [")
    with pytest.raises(RefusedError, match="activation"):
        here.pull()
    assert here.state == "fresh"
    fleet.keys |= {"timestamp": old["timestamp"]}
    fleet.server.files.clear()
    assert not fleet.publisher.sign([old["timestamp"]]).done
    fleet.serve()
    assert here.machine.roots().latest.version == 2


def test_a_root_that_has_expired_lets_nothing_new_in(
    fleet: Fleet, here: Here, clock: Clock
) -> None:
    fleet.publish(days=1000)
    here.pull()
    clock.now += 366 * DAY
    fleet.sign("timestamp")
    with pytest.raises(RefusedError, match="root: version 1 expired 2028-01-15"):
        here.pull()
    fleet.rotate()
    fleet.sign("timestamp")
    assert here.pull() == Pulled(1, is_new=False)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "cannot be read .*: bring it here by hand"),
        (b"nonsense", "it is not readable"),
        (b"{}", "it is no signed document"),
    ],
)
def test_a_machine_without_a_root_takes_nothing(
    fleet: Fleet, here: Here, data: bytes | None, why: str
) -> None:
    fleet.publish()
    file = here.system.parent / "root.json"
    file.unlink() if data is None else file.write_bytes(data)
    with pytest.raises(RefusedError, match=f"root: .*{why}"):
        here.pull()


def test_a_root_of_another_fleet_is_no_root_here(fleet: Fleet, here: Here) -> None:
    here.configure(name="staging")
    with pytest.raises(RefusedError, match="is for the fleet prod, not staging"):
        here.pull()


def test_what_a_thief_of_the_online_key_said_is_forgotten_with_the_key(
    fleet: Fleet, here: Here, clock: Clock
) -> None:
    fleet.publish()
    here.pull()
    clock.now += 400 * DAY
    fleet.sign("timestamp")
    clock.now -= 400 * DAY
    here.pull()
    assert here.state == "expired"
    fleet.sign("timestamp")
    with pytest.raises(RefusedError, match="rollback: a timestamp of"):
        here.pull()
    fleet.rotate("timestamp")
    fleet.sign("timestamp")
    here.pull()
    assert here.state == "fresh"


def test_what_a_thief_of_the_bundles_key_numbered_is_forgotten_with_the_key(
    fleet: Fleet, here: Here
) -> None:
    fleet.write("[hooks]\n")
    _, high = fleet.publisher.build(30, revision=2**52)
    fleet.sign("bundle", "timestamp")
    here.pull()
    high.unlink()
    fleet.rotate("bundle")
    fleet.publish(HARMLESS.format("y"))
    assert here.pull() == Pulled(1, is_new=True)


def test_the_server_is_asked_for_nothing_that_a_root_could_name(
    fleet: Fleet, here: Here, server: Server
) -> None:
    fleet.rotate("root")
    fleet.publish()
    here.pull()
    assert [path for path, _ in server.asked] == ["/prod.tar.timestamp", "/prod.tar"]
