"""Attacks on a machine by way of its server: each is refused for its own reason, nothing changes."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookcore_bundle import RefusedError
from hookcore_bundle._archive import Archive, entries_of
from hookcore_bundle._documents import Manifest, Timestamp
from hookcore_bundle._keys import SecretKey
from hookcore_bundle._news import News

from .fleet import DAY, HARMLESS, NOW, Fleet, Here, Server


def packed(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return file.getvalue()


def members(archive: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
    found = []
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for info in tar:
            opened = tar.extractfile(info)
            found.append((info, b"" if opened is None else opened.read()))
    return found


def vouch(fleet: Fleet, data: bytes, *, revision: int = 2, created: int = NOW) -> None:
    """Serve bytes with a timestamp of the real key: as if the server that signs hourly were lost."""
    import hashlib

    timestamp = Timestamp(
        name="prod",
        created=created,
        revision=revision,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
    )
    envelope = timestamp.envelope().signed_by([fleet.keys["timestamp"]])
    news = News(fleet.publisher.roots().envelopes, envelope)
    fleet.server.files |= {"/prod.tar": data, "/prod.tar.timestamp": news.pack()}


def made(
    fleet: Fleet,
    files: dict[str, bytes],
    *keys: SecretKey,
    name: str = "prod",
    revision: int = 2,
    expires: int = NOW + DAY,
) -> bytes:
    """Make a bundle of whatever, signed by whoever."""
    manifest = Manifest(
        name=name, created=NOW, revision=revision, expires=expires, files=entries_of(files)
    )
    envelope = manifest.envelope().signed_by(keys)
    return Archive(envelope, fleet.publisher.roots().envelopes, files).pack()


@pytest.fixture
def refused(fleet: Fleet, here: Here) -> Callable[[str], None]:
    """Pull revision 1; then check that a pull is refused and changes nothing."""
    fleet.publish()
    here.pull()

    def check(why: str) -> None:
        before = here.entries
        with pytest.raises(RefusedError, match=why):
            here.pull()
        assert (here.in_force, here.entries) == (HARMLESS.format("x"), before)
        assert here.machine.status().revision == 1
        assert here.machine.status().seen.highest == 1

    return check


Refused = Callable[[str], None]
TOML = {"hookcore.toml": b"[hooks]\n"}


def test_a_bundle_signed_by_a_key_of_the_attackers(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, TOML, SecretKey()))
    refused("signature: 0 of 1 trusted keys signed the bundle")


def test_a_bundle_that_nobody_signed(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, TOML))
    refused("signature: 0 of 1")


def test_a_bundle_signed_by_the_key_of_another_role(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, TOML, fleet.keys["timestamp"], fleet.keys["root"]))
    refused("signature: 0 of 1 trusted keys signed the bundle")


def test_a_timestamp_signed_by_the_key_of_another_role(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    fleet.keys["timestamp"] = fleet.keys["bundle"]
    vouch(fleet, data)
    refused("signature: 0 of 1 trusted keys signed the timestamp")


def test_a_signature_taken_from_another_document(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    archive = Archive.unpack(data)
    other = Archive.unpack(made(fleet, {"hookcore.toml": b"[hooks]\n\n"}))
    forged = type(archive.envelope)(
        other.envelope.kind, other.envelope.payload, archive.envelope.signatures
    )
    vouch(fleet, Archive(forged, archive.roots, other.files).pack())
    refused("signature: 0 of 1")


def test_a_timestamp_given_for_a_manifest(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    archive = Archive.unpack(data)
    text = archive.envelope.payload
    kind = "application/vnd.hookcore.bundle-timestamp.v1+json"
    forged = type(archive.envelope)(kind, text).signed_by([fleet.keys["bundle"]])
    vouch(fleet, Archive(forged, archive.roots, archive.files).pack())
    refused("manifest: it is a document of another kind")


def test_one_byte_of_a_file_changed(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    vouch(fleet, data.replace(b"[hooks]", b"[hookz]"))
    refused("files: not what was signed")


def test_a_file_left_out(fleet: Fleet, refused: Refused) -> None:
    files = {**TOML, "hookcore.lock": b"version = 1\n"}
    data = made(fleet, files, fleet.keys["bundle"])
    vouch(fleet, packed(*[m for m in members(data) if m[0].name != "hookcore.lock"]))
    refused("files: not what was signed")


def test_a_file_added(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    more = (tarfile.TarInfo("constraints.txt"), b"pluggy==9\n")
    vouch(fleet, packed(*members(data), more))
    refused("files: not what was signed")


def test_a_bundle_without_a_configuration(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, {"constraints.txt": b""}, fleet.keys["bundle"]))
    refused(r"files: there is no hookcore\.toml")


def test_a_bundle_of_another_fleet(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, TOML, fleet.keys["bundle"], name="staging"))
    refused("manifest: it is for the fleet staging, not prod")


def test_a_bundle_that_has_expired(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, TOML, fleet.keys["bundle"], expires=NOW))
    refused("expired: since 2027-01-15")


def test_a_bundle_of_another_revision_than_the_timestamp_says(
    fleet: Fleet, refused: Refused
) -> None:
    vouch(fleet, made(fleet, TOML, fleet.keys["bundle"], revision=2), revision=7)
    refused("manifest: it is not of revision 7")


def test_a_replay_of_an_older_revision(fleet: Fleet, here: Here) -> None:
    first = fleet.publish()
    news = fleet.server.files["/prod.tar.timestamp"]
    here.pull()
    fleet.publish(HARMLESS.format("y"))
    here.pull()
    fleet.server.files |= {"/prod.tar": first, "/prod.tar.timestamp": news}
    with pytest.raises(RefusedError, match="rollback: revision 1 after 2"):
        here.pull()
    assert here.in_force == HARMLESS.format("y")


def test_an_older_bundle_under_the_newest_timestamp(
    fleet: Fleet, refused: Refused, server: Server
) -> None:
    first = server.files["/prod.tar"]
    fleet.publish(HARMLESS.format("y"))
    server.files["/prod.tar"] = first
    refused("download: it is not the bundle that the timestamp names")


def test_the_same_revision_with_other_files(fleet: Fleet, refused: Refused) -> None:
    vouch(fleet, made(fleet, TOML, fleet.keys["bundle"], revision=1), revision=1)
    refused("equivocation: revision 1 again, with other content")


def test_half_a_download(fleet: Fleet, refused: Refused, server: Server) -> None:
    data = fleet.publish(HARMLESS.format("y"))
    server.cut["/prod.tar"] = len(data) // 2
    refused(f"download: {len(data) // 2} of {len(data)} bytes")


def test_half_a_timestamp(fleet: Fleet, refused: Refused, server: Server) -> None:
    fleet.publish(HARMLESS.format("y"))
    server.files["/prod.tar.timestamp"] = server.files["/prod.tar.timestamp"][:300]
    refused("timestamp: it is not readable")


@pytest.mark.parametrize("part", [0.0, 0.1, 0.3])
def test_half_a_file_on_the_server(fleet: Fleet, refused: Refused, part: float) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    vouch(fleet, data[: int(len(data) * part)])
    refused("archive: ")


def test_a_body_without_an_end(fleet: Fleet, refused: Refused, server: Server) -> None:
    fleet.publish(HARMLESS.format("y"))
    server.endless.add("/prod.tar")
    refused("size: more than 4194304 bytes")


def test_a_bundle_larger_than_allowed(fleet: Fleet, refused: Refused) -> None:
    huge = {"hookcore.toml": b"#" * (4 << 20)}
    vouch(fleet, made(fleet, huge, fleet.keys["bundle"]))
    refused("size: more than 4194304 bytes")


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/hookcore/hookcore.toml",
        "/etc/hookcore/hookcore.toml",
        "./hookcore.toml",
        "hookcore.toml/",
        "..",
        "plugin.py",
        "hookcore_evil/__init__.py",
        "sitecustomize.py",
        "evil.pth",
        "hookcore-evil-1.0-py3-none-any.whl",
        "pyproject.toml",
        "HOOKCORE.TOML",
        "state.json",
    ],
)
def test_a_file_that_does_not_belong_there_though_it_is_signed(
    fleet: Fleet, refused: Refused, name: str
) -> None:
    files = {**TOML, name: b"import os\n"}
    manifest = Manifest(
        name="prod", created=NOW, revision=2, expires=NOW + DAY, files=entries_of(files)
    )
    archive = Archive(
        manifest.envelope().signed_by([fleet.keys["bundle"]]),
        fleet.publisher.roots().envelopes,
        TOML,
    )
    extra = (tarfile.TarInfo(name), b"import os\n")
    vouch(fleet, packed(*members(archive.pack()), extra))
    refused("archive: ")


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.DIRTYPE,
        tarfile.FIFOTYPE,
        tarfile.CONTTYPE,
        tarfile.GNUTYPE_SPARSE,
    ],
)
def test_an_entry_that_is_no_regular_file(fleet: Fleet, refused: Refused, kind: bytes) -> None:
    info = tarfile.TarInfo("hookcore.lock")
    info.type, info.linkname = kind, "/etc/passwd"
    data = made(fleet, TOML, fleet.keys["bundle"])
    vouch(fleet, packed(*members(data), (info, b"")))
    refused("archive: ")


def test_a_sparse_file_that_claims_to_be_huge(fleet: Fleet, refused: Refused) -> None:
    info = tarfile.TarInfo("hookcore.lock")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    info.pax_headers |= {"GNU.sparse.realsize": str(1 << 60), "GNU.sparse.name": "hookcore.lock"}
    data = made(fleet, TOML, fleet.keys["bundle"])
    vouch(fleet, packed(*members(data), (info, b"1\n0\n0\n".ljust(512, b"\0"))))
    refused("archive: ")


def test_an_entry_that_claims_more_than_there_is(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    info = tarfile.TarInfo("hookcore.lock")
    info.size = 1 << 40
    vouch(fleet, data[:-10240] + info.tobuf() + bytes(10240))
    refused("archive: ")


def test_a_file_that_is_in_it_twice(fleet: Fleet, refused: Refused) -> None:
    data = made(fleet, TOML, fleet.keys["bundle"])
    vouch(fleet, packed(*members(data), (tarfile.TarInfo("hookcore.toml"), b"[hooks]\n")))
    refused(r"archive: hookcore\.toml is in it twice")


@pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w:bz2"])
def test_an_archive_that_unfolds_is_none(fleet: Fleet, refused: Refused, mode: str) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as tar:  # type: ignore[call-overload]
        info = tarfile.TarInfo("hookcore.toml")
        info.size = 1 << 20
        tar.addfile(info, io.BytesIO(bytes(1 << 20)))
    vouch(fleet, file.getvalue())
    refused("archive: it is no tar")


LOOSER = [
    ("[hooks]\nenabled = false\n", r"hooks\.enabled cannot be changed"),
    ("[hooks]\nverify = 'off'\n", r"hooks\.verify cannot be changed"),
    ("[trust]\nproject = 'always'\n", r"trust\.project cannot be changed"),
    ("[plugins.tool-policy]\nrequired = false\n", "requires plugins.tool-policy and locks it"),
    ("[plugins.tool-policy]\nmode = 'monitor'\n", "requires plugins.tool-policy and locks it"),
    ("[plugins.redact]\nenabled = false\n", "cannot be changed by a bundle"),
    ("[plugins.redact]\nmode = 'monitor'\n", "cannot be changed by a bundle"),
    ("[plugins.bundle]\non_error = 'allow'\n", "requires plugins.bundle and locks it"),
    ("[bundle]\nurl = 'https://evil.example/p.tar'\n", "counts only in the system's file"),
    ("[record]\nenabled = true\n", "counts only in the system's"),
]
SYSTEM = """
[hooks]
enabled = true
verify = "warn"
[trust]
project = "trusted"
[plugins.tool-policy]
required = true
[plugins.tool-policy.settings]
deny = ["x"]
[plugins.redact]
enabled = true
"""


@pytest.mark.parametrize(("text", "why"), LOOSER)
def test_a_signed_bundle_that_loosens_what_the_systems_file_says(
    fleet: Fleet, here: Here, refused: Refused, text: str, why: str
) -> None:
    here.configure(SYSTEM)
    fleet.publish(text)
    refused(f"activation: .*{why}")


@given(data=st.binary(max_size=2000))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings().max_examples // 2,
)
def test_no_bytes_are_more_than_refused(data: bytes) -> None:
    for read in (Archive.unpack, News.unpack):
        with pytest.raises(RefusedError):
            read(data)


@given(at=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=7))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=2 * settings().max_examples,
)
def test_no_bit_of_a_bundle_can_be_changed_but_by_being_refused_or_meaning_nothing(
    fleet: Fleet, at: int, bit: int
) -> None:
    if "/prod.tar" not in fleet.server.files:
        fleet.publish()
    data = bytearray(fleet.server.files["/prod.tar"])
    data[at % len(data)] ^= 1 << bit
    roots = fleet.publisher.roots()
    try:
        archive = Archive.unpack(bytes(data))
        manifest = archive.manifest(roots.extended(archive.roots))
    except RefusedError:
        return
    assert archive.files == {"hookcore.toml": HARMLESS.format("x").encode()}
    assert manifest.revision == 1
