"""``hookctl bundle``, as those who publish and those who run machines use it."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hookcore.bundles import check_bundle
from hookcore.discovery import discover
from hookcore_bundle import _pull
from hookcore_bundle._documents import Root
from hookcore_bundle._roots import read_roots
from hookcore_bundle.command import command
from hookctl.settings.composing import composed

from .fleet import DAY, HARMLESS, Clock, Fleet, Here


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(command, [str(each) for each in arguments], prog_name="bundle")
    if not isinstance(done.exception, SystemExit | None):
        raise done.exception
    return done


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read bundles in this process, where what happens after their trial is tested."""
    monkeypatch.setattr(_pull, "try_bundle", check_bundle)


@pytest.fixture
def policies(tmp_path: Path, here: Here) -> Path:
    """A publisher's folder that the command has made, with its keys beside it."""
    folder, keys = tmp_path / "own", tmp_path / "keys"
    done = run("init-root", folder, "--name", "prod", "--keys", keys)
    assert done.exit_code == 0, done.output
    (folder / "hookcore.toml").write_text(HARMLESS.format("x"))
    shutil.copy(folder / "root.json", here.system.parent / "root.json")
    here.configure(url=f"file://{folder}/dist/prod.tar")
    return folder


def keys(folder: Path, *roles: str) -> list[object]:
    found: list[object] = []
    for role in roles:
        found += ["--key", folder.parent / "keys" / f"{role}.key"]
    return found


def publish(folder: Path) -> None:
    assert run("build", folder, *keys(folder, "bundle", "timestamp")).exit_code == 0


def test_a_fleet_from_its_first_key_to_a_bundle_in_force(policies: Path, here: Here) -> None:
    secrets = policies.parent / "keys"
    assert stat.S_IMODE((secrets / "root.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    built = run("build", policies)
    assert built.stdout == f"{policies}/dist/prod-1.tar is revision 1: hookcore.toml\n"
    assert "not signed yet: revision 1: 0 of 1 trusted keys signed" in built.stderr
    assert not (policies / "dist" / "prod.tar").exists()
    signed = run("sign", policies, *keys(policies, "bundle"))
    assert signed.stdout == f"revision 1 is signed: {policies}/dist/prod.tar\n"
    signed = run("sign", policies, *keys(policies, "timestamp"))
    assert "timestamp of revision 1 is signed" in signed.stdout
    pulled = run("pull", "--once")
    assert (pulled.exit_code, pulled.stdout) == (0, "revision 1 is in force now\n")
    assert run("pull", "--once").stdout == "revision 1 is in force, and the newest\n"
    status = run("status")
    assert status.exit_code == 0
    assert status.stdout.startswith("revision 1, fresh: signed 2027-01-15 08:00:00Z\n")


@pytest.mark.usefixtures("quick")
def test_status_as_json(policies: Path, here: Here, clock: Clock) -> None:
    missing = run("status", "--json")
    assert (missing.exit_code, json.loads(missing.stdout)["state"]) == (1, "missing")
    publish(policies)
    run("pull", "--once")
    told = json.loads(run("status", "--json").stdout)
    assert len(told.pop("digest")) == 64
    assert told == {
        "state": "fresh",
        "why": "signed 2027-01-15 08:00:00Z",
        "revision": 1,
        "signed": "2027-01-15 08:00:00Z",
        "expires": "2027-02-14 08:00:00Z",
        "checked": "2027-01-15 08:00:00Z",
        "error": None,
        "break_glass": None,
    }
    clock.now += 2 * DAY
    stale = run("status", "--json")
    assert (stale.exit_code, json.loads(stale.stdout)["state"]) == (1, "stale")


def test_a_pull_that_is_refused_says_what_stays_and_exits_with_1(policies: Path) -> None:
    publish(policies)
    run("pull", "--once")
    (policies / "hookcore.toml").write_text("[plugins.absent]\nenabled = true\n")
    publish(policies)
    done = run("pull", "--once")
    assert done.exit_code == 1
    assert done.stderr.startswith("bundle: activation: plugin absent cannot be loaded")
    assert done.stderr.endswith("; revision 1 stays\n")
    assert "error: activation: plugin absent" in run("status").stdout


def test_a_machine_whose_system_asks_for_no_bundle(policies: Path, here: Here) -> None:
    here.system.write_text("")
    for words in (["pull", "--once"], ["status"], ["verify"]):
        done = run(*words)
        assert done.exit_code == 3
        assert "asks for none: write a table [bundle] into it" in done.stderr


def test_a_table_that_is_wrong_is_told_with_its_file_and_keys(policies: Path, here: Here) -> None:
    here.system.write_text("[bundle]\nurl = 'http://ann:secret@x/p.tar'\nevery = 3\n")
    done = run("status")
    assert done.exit_code == 3
    assert str(here.system) in done.stderr
    for part in ("bundle.url: ", "bundle.name: ", "bundle.every: "):
        assert part in done.stderr
    assert "secret" not in done.stderr


def test_a_configuration_that_is_wrong_is_not_built(policies: Path) -> None:
    (policies / "hookcore.toml").write_text("[plugins.x]\nenabled = 'yes'\n")
    done = run("build", policies)
    assert done.exit_code == 3
    assert "plugins.x.enabled must be true or false" in done.stderr
    (policies / "hookcore.toml").unlink()
    assert "there is no hookcore.toml" in run("build", policies).stderr
    assert not (policies / "dist").exists()


def test_a_configuration_is_tried_where_it_is_built(policies: Path) -> None:
    (policies / "hookcore.toml").write_text("[plugins.absent]\nenabled = true\n")
    done = run("build", policies, "--try")
    assert done.exit_code == 3
    assert "plugin absent cannot be loaded" in done.stderr
    assert run("build", policies).exit_code == 0


def test_all_that_is_built_is_what_belongs_into_a_bundle(policies: Path) -> None:
    for name in ("hookcore.lock", "constraints.txt", "plugin.py", "secret.key"):
        (policies / name).write_text("")
    done = run("build", policies)
    assert done.stdout.endswith("revision 1: constraints.txt, hookcore.lock, hookcore.toml\n")


def test_revisions_are_counted_and_never_go_down(policies: Path) -> None:
    publish(policies)
    assert "revision 5" in run("build", policies, "--revision", 5).stdout
    assert "rollback: revision 4 after 5" in run("build", policies, "--revision", 4).stderr
    assert "revision 6" in run("build", policies).stdout


@pytest.mark.usefixtures("quick")
def test_the_way_back_is_a_new_revision(policies: Path, here: Here) -> None:
    publish(policies)
    (policies / "hookcore.toml").write_text("# two")
    publish(policies)
    run("pull", "--once")
    done = run("rollback", policies, "--revision", 1)
    assert done.stdout.endswith("prod-3.tar is revision 3, with what revision 1 holds\n")
    assert "not signed yet" in done.stderr
    run("sign", policies, *keys(policies, "bundle", "timestamp"))
    assert run("pull", "--once").stdout == "revision 3 is in force now\n"
    assert here.in_force == HARMLESS.format("x")
    assert "there is no " in run("rollback", policies, "--revision", 9).stderr


@pytest.mark.usefixtures("quick")
def test_one_machine_goes_back_by_hand(policies: Path, here: Here) -> None:
    publish(policies)
    run("pull", "--once")
    (policies / "hookcore.toml").write_text("# two")
    publish(policies)
    run("pull", "--once")
    assert run("rollback", "--revision", 1).exit_code == 2
    assert run("rollback", policies, "--revision", 1, "--break-glass").exit_code == 2
    done = run("rollback", "--revision", 1, "--break-glass")
    assert done.stdout == "revision 1 is in force on this machine, and fresh\n"
    assert here.in_force == HARMLESS.format("x")
    assert "put in force by hand by " in run("status").stdout


def test_a_bundle_is_verified_before_anybody_takes_it(policies: Path, tmp_path: Path) -> None:
    publish(policies)
    file, root = policies / "dist" / "prod.tar", policies / "root.json"
    done = run("verify", file, "--root", root)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{file}: revision 1 of prod\nsigned by ")
    told = json.loads(run("verify", file, "--json").stdout)
    assert (told["revision"], told["root"], list(told["files"])) == (1, 1, ["hookcore.toml"])
    changed = tmp_path / "changed.tar"
    changed.write_bytes(file.read_bytes().replace(b"deny", b"xxxx"))
    done = run("verify", changed, "--root", root)
    assert (done.exit_code, done.stderr) == (1, "Error: bundle: files: not what was signed\n")


@pytest.mark.usefixtures("quick")
def test_what_is_in_force_is_verified(policies: Path, here: Here) -> None:
    publish(policies)
    run("pull", "--once")
    assert run("verify").exit_code == 0
    (here.bundles / "current" / "hookcore.toml").write_text("# changed")
    done = run("verify")
    assert done.exit_code == 1
    assert "broken: files: not what was signed" in done.stdout


def test_an_expired_bundle_does_not_verify(policies: Path, clock: Clock) -> None:
    publish(policies)
    clock.now += 31 * DAY
    done = run("verify", policies / "dist" / "prod.tar")
    assert (done.exit_code, "expired: since" in done.stderr) == (1, True)


@pytest.mark.usefixtures("quick")
def test_keys_are_rotated(policies: Path, here: Here, tmp_path: Path) -> None:
    publish(policies)
    run("pull", "--once")
    for name in ("root2", "bundle2"):
        assert run("keygen", tmp_path / "keys" / f"{name}.key").exit_code == 0
    done = run(
        *("init-root", policies, "--rotate"),
        *("--role", f"root={tmp_path}/keys/root2.key.pub"),
        *("--role", f"bundle={tmp_path}/keys/bundle2.key.pub"),
        *keys(policies, "root"),
    )
    assert "roots.json has version 2 of the root of prod" in done.stdout
    assert "not signed yet: root 2: 0 of 1 trusted keys signed" in done.stderr
    assert "of the keys of version 2" in done.stderr
    assert "root 2 is signed" in run("sign", policies, *keys(policies, "root2")).stdout
    done = run("sign", policies, *keys(policies, "bundle"))
    assert (done.exit_code, "may sign nothing here" in done.stderr) == (1, True)
    (policies / "hookcore.toml").write_text("# two")
    run("build", policies, *keys(policies, "bundle2", "timestamp"))
    assert run("pull", "--once").stdout == "revision 2 is in force now\n"


@pytest.mark.usefixtures("quick")
def test_several_people_sign(policies: Path, here: Here, tmp_path: Path) -> None:
    run("keygen", tmp_path / "keys" / "bob.key")
    done = run(
        *("init-root", policies, "--rotate", "--threshold", "bundle=2"),
        *("--role", f"bundle={tmp_path}/keys/bundle.key.pub"),
        *("--role", f"bundle={tmp_path}/keys/bob.key.pub"),
        *keys(policies, "root"),
    )
    assert "root 2 is signed" in done.stdout
    run("build", policies)
    assert "revision 1: 1 of 2" in run("sign", policies, *keys(policies, "bundle")).stderr
    assert "revision 1 is signed" in run("sign", policies, *keys(policies, "bob")).stdout
    run("sign", policies, *keys(policies, "timestamp"))
    assert run("pull", "--once").exit_code == 0


def test_a_root_is_begun_once(policies: Path, tmp_path: Path) -> None:
    done = run("init-root", policies, "--name", "prod", "--keys", tmp_path / "more")
    assert done.exit_code == 1
    assert "--rotate makes its next version" in done.stderr


def test_no_key_is_written_over(policies: Path, tmp_path: Path) -> None:
    file = tmp_path / "keys" / "root.key"
    before = file.read_text()
    done = run("keygen", file)
    assert (done.exit_code, "File exists" in done.stderr) == (2, True)
    assert file.read_text() == before


def test_keys_that_are_there_are_used(policies: Path, tmp_path: Path) -> None:
    done = run("init-root", tmp_path / "second", "--name", "other", "--keys", tmp_path / "keys")
    assert done.exit_code == 0
    first, second = (
        Root.of(read_roots((folder / "roots.json").read_bytes())[0])
        for folder in (policies, tmp_path / "second")
    )
    assert first.keys == second.keys


def test_the_schema_of_the_configuration_knows_the_table(here: Here) -> None:
    whole = composed(discover())
    reference = whole["properties"]["bundle"]["$ref"]
    assert set(whole["$defs"][reference.removeprefix("#/$defs/")]["required"]) == {"url", "name"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--role", "nobody=x.pub"], "--role takes ROLE=FILE.pub"),
        (["--role", "root=none.pub"], "none.pub cannot be read"),
        (["--threshold", "bundle=0"], "--threshold takes ROLE=N"),
        (["--threshold", "bundle=2"], "bundle wants 2 of 1 keys"),
        ([], "--keys FOLDER has one made there"),
        (["--name", "Not A Name"], "root: "),
    ],
)
def test_a_root_that_cannot_be_is_refused(
    here: Here, tmp_path: Path, words: list[str], why: str
) -> None:
    place = [] if not words else ["--keys", str(tmp_path / "k")]
    done = run("init-root", tmp_path / "new", "--name", "prod", *place, *words)
    assert done.exit_code in {1, 2}
    assert why in done.stderr
    assert not (tmp_path / "new" / "roots.json").exists()


@pytest.mark.parametrize("text", ["", "short", "x" * 44, "\xff"])
def test_a_file_that_holds_no_key_signs_nothing(policies: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.key"
    file.write_text(text)
    done = run("sign", policies, "--key", file)
    assert done.exit_code == 2
    assert "bundle keygen" in done.stderr


def test_nothing_is_signed_in_a_folder_without_a_root(tmp_path: Path, policies: Path) -> None:
    done = run("sign", tmp_path, *keys(policies, "root"))
    assert (done.exit_code, "begin with hookctl bundle init-root" in done.stderr) == (1, True)
    assert run("sign", policies).exit_code == 2


def test_doctor_tells_of_a_bundle_that_is_not_in_order(
    fleet: Fleet, here: Here, clock: Clock
) -> None:
    from hookcore_bundle.checks import check

    def told() -> list[tuple[str, str]]:
        return [(found.severity, found.message) for found in check() if found.code == "bundle"]

    assert told() == [("error", "missing: no bundle has been pulled")]
    fleet.publish(days=10)
    here.pull()
    assert told() == []
    fleet.server.files.clear()
    assert run("pull", "--once").exit_code == 1
    ((severity, message),) = told()
    assert severity == "warning"
    assert message.startswith("revision 1 stays: server: HTTP 404")
    clock.now += 2 * DAY
    assert told()[0][0] == "warning"
    clock.now += 9 * DAY
    assert told()[0][0] == "error"
    here.system.write_text("[bundle]\nurl = 'x'\n")
    assert "it must be a URL" in told()[0][1]
    here.system.write_text("")
    assert list(check()) == []
    here.system.write_text("not toml [")
    assert list(check()) == []
