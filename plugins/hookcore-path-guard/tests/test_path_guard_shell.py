from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore_path_guard import Denial

Judged = Callable[[str], Denial | None]
Place = Any


def test_a_known_variable_is_put_in(run: Judged) -> None:
    assert run("f=README.md; cat $f") is None
    assert run("f=../secret/key.txt; cat $f") is not None


@pytest.mark.parametrize(
    "command", ["cat $F", "cat $(ls)", "echo x > $F", "cd $D && ls", "mytool $F", "ls | xargs cat"]
)
def test_what_is_only_known_when_it_runs_is_a_setting(place: Place, command: str) -> None:
    assert place.run(command) is not None
    assert place.run(command, unknown="allow") is None


def test_unknown_paths_that_are_let_through_do_not_let_known_ones_through(place: Place) -> None:
    assert place.run("cat $F ../secret/key.txt", unknown="allow") is not None


def test_a_command_that_cannot_be_read_is_refused(run: Judged) -> None:
    denial = run("cat <<EOF")
    assert denial is not None
    assert denial.message.startswith("the command could not be read")


def test_without_shell_a_command_is_not_looked_at(place: Place) -> None:
    assert place.run("cat ../secret/key.txt", shell=False) is None
    assert place.judge("Read", {"file_path": "../secret/key.txt"}, shell=False) is not None


def test_the_working_folder_s_variable_is_known_unless_it_is_set(run: Judged) -> None:
    assert run('cat "$PWD/README.md"') is None
    assert run("cat ${PWD}/../secret/key.txt") is not None
    assert run("read PWD < README.md; cat $PWD/x") is not None


@pytest.mark.parametrize(
    "command",
    [
        "cd src && cat ../README.md",
        "(cd ..); cat README.md",
        "pushd src; popd; cat README.md",
        "mkdir -p b; cd b; cat ../README.md",
        "mkdir -p a/b; cd a; cat ../README.md",
        "mkdir a; mkdir a/b; cd a/b; cat ../../README.md",
        "cd .. && echo hi",
    ],
)
def test_a_folder_is_followed_through_a_command(run: Judged, command: str) -> None:
    assert run(command) is None


def test_a_script_on_the_standard_input_is_project_code(run: Judged) -> None:
    assert run("python3 < src/app.py") is None
    assert run("python3 - < ../secret/x.py") is not None
    assert run("cat src/app.py | python3") is not None
    assert run('sh -c "$X" < src/app.py') is not None


def test_the_output_of_pwd_is_known(run: Judged) -> None:
    assert run('cat "$(pwd)/README.md"') is None
    assert run("cat $(pwd)/../secret/key.txt") is not None


def test_git_may_change_its_own_store(place: Place) -> None:
    assert place.run("git --git-dir=.git commit -m x") is None
    assert place.run("git --git-dir ../lib/.git commit -m x") is not None


@pytest.mark.parametrize(
    "command",
    [
        "cd .. && ls",
        "cd nothere; cat ../secret/key.txt",
        "cd nothere || cat ../secret/key.txt",
        "cd nothere && ls; cat ../secret/key.txt",
        "if cd nothere; then ls; else cat ../secret/key.txt; fi",
        "mkdir -m 0 b; cd b; cat ../secret/key.txt",
        "mkdir a/b; cd a; cat ../secret/key.txt",
        "mkdir README.md; cd README.md; cat ../secret/key.txt",
        "cd - && ls",
        "cd docs/nothere/..; cat ../secret/key.txt; cat ../README.md",
        "{ cd ../secret; false; } || cat key.txt",
        "{ cd src; false; } || cat README.md",
        "[ -e ../secret/key.txt ]",
        "[[ -s ~/x ]]",
        "export v={a,../secret/key.txt}; cat $v",
        "{ cd ../secret; ((0)); } || cat key.txt",
        "if cd ../secret; then false; fi || cat key.txt",
        "for i in 1; do cd ../lib; false; done || mv ro.txt x",
        "cd ~- && ls",
        "cd ~root && ls",
    ],
)
def test_a_folder_outside_or_a_cd_that_fails_is_seen(run: Judged, command: str) -> None:
    assert run(command) is not None


def test_the_shell_goes_back_by_name_and_the_kernel_by_place(place: Place) -> None:
    place.link("proj/out", "../secret/sub")
    assert place.run("cd out/.. && cat README.md") is None
    assert place.run("cd -P out/.. && cat key.txt") is not None
    assert place.run("cat out/../key.txt") is not None


@pytest.mark.parametrize(
    "command", ["ln -s ../README.md docs/l", "ln -s src s", "cp -s $PWD/README.md l"]
)
def test_a_link_that_stays_inside_is_let_through(run: Judged, command: str) -> None:
    assert run(command) is None


@pytest.mark.parametrize(
    "command",
    [
        "ln -s ../secret s",
        "ln -s ../../secret docs/s",
        "ln -s ../../secret docs",
        "ln -sr ../secret docs/s",
        "ln ../secret/key.txt k",
        "ln -s ../lib l",
    ],
)
def test_a_link_that_leads_out_is_refused(run: Judged, command: str) -> None:
    assert run(command) is not None


def test_a_move_changes_both_ends(run: Judged) -> None:
    assert run("mv ../lib/ro.txt .") is not None
    assert run("cp ../lib/ro.txt .") is None


def test_the_link_itself_may_go(place: Place) -> None:
    place.link("proj/out", "../secret")
    assert place.run("rm out") is None
    assert place.run("rm out/") is not None
    assert place.run("rm out/key.txt") is not None


@pytest.mark.parametrize("target", ["/dev/null", "/dev/stderr", "/dev/tty", "/dev/fd/2"])
def test_streams_may_be_written(run: Judged, target: str) -> None:
    assert run(f"echo x > {target}") is None


@pytest.mark.parametrize("target", ["/dev/sda", "/dev/tcp/host/80", "/proc/self/mem", "/dev/shm/x"])
def test_other_devices_may_not(run: Judged, target: str) -> None:
    assert run(f"echo x > {target}") is not None


def test_mounts_of_containers_are_judged(run: Judged) -> None:
    assert run("docker run -v $PWD:/app -w /app img") is None
    assert run("docker run -v ../secret:/s img") is not None
    assert run("docker run -v ../lib:/s img") is not None
    assert run("docker run -v ../lib:/s:ro img") is None


def test_a_host_on_the_network_is_no_path(run: Judged) -> None:
    assert run("rsync -a src/ host:/srv/x/") is None
    assert run("curl https://example.com/../x") is None
    assert run("curl file:///etc/passwd") is not None


def test_another_shell_s_command_cannot_be_read(place: Place) -> None:
    assert place.judge("powershell", {"command": "ls"}) is not None
    assert place.judge("powershell", {"command": "ls"}, unknown="allow") is None


def test_arguments_without_a_command_cannot_be_read(place: Place) -> None:
    assert place.judge("Bash", {"script": "ls"}) is not None
    assert place.judge("Bash", {"command": 7}) is not None


def test_the_tool_s_own_folder_is_where_the_command_begins(place: Place) -> None:
    assert place.judge("exec_command", {"cmd": "cat app.py", "workdir": "src"}) is None
    assert place.judge("exec_command", {"cmd": "cat ../x", "workdir": "src"}) is None
    assert place.judge("exec_command", {"cmd": "true", "workdir": ".."}) is not None
