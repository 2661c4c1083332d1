"""Programs that run the command that they are given, and where it stands among their words."""

from __future__ import annotations

from typing import Final, NamedTuple

SHELLS: Final = frozenset("sh bash dash zsh ksh mksh ash rbash fish".split())
SUBSHELL_OPTIONS: Final = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
FOREIGN_SHELLS: Final = frozenset(
    "powershell powershell.exe pwsh pwsh.exe cmd cmd.exe fish nu xonsh elvish csh tcsh".split()
)


class Prefix(NamedTuple):
    """A program whose first operand begins another command.

    Args:
        short: its one-letter options that take a value.
        long: its long options that take a value as a word of its own.
        skip: how many operands stand before the command.
        subcommands: the subcommands after which this holds; empty when it has none.
        assigns: tells that ``NAME=value`` may stand before the command.
    """

    short: str = ""
    long: frozenset[str] = frozenset()
    skip: int = 0
    subcommands: frozenset[str] = frozenset()
    assigns: bool = False


def _runner(*subcommands: str, short: str = "", long: str = "") -> Prefix:
    return Prefix(short, frozenset(long.split()), 0, frozenset(subcommands))


PREFIXES: Final[dict[str, Prefix]] = {
    "sudo": Prefix(
        "ugCphTRDrtU",
        frozenset(
            "--user --group --chdir --host --prompt --chroot --role --type --close-from "
            "--command-timeout --other-user".split()
        ),
        assigns=True,
    ),
    "doas": Prefix("uC", assigns=True),
    "pkexec": Prefix("", frozenset({"--user"})),
    "run0": Prefix("uD", frozenset("--user --group --chdir --setenv --unit".split())),
    "nice": Prefix("n", frozenset({"--adjustment"})),
    "ionice": Prefix("cnpPu", frozenset("--class --classdata".split())),
    "nohup": Prefix(),
    "setsid": Prefix(),
    "timeout": Prefix("ks", frozenset("--signal --kill-after".split()), 1),
    "gtimeout": Prefix("ks", frozenset("--signal --kill-after".split()), 1),
    "stdbuf": Prefix("ioe", frozenset("--input --output --error".split())),
    "unbuffer": Prefix(),
    "command": Prefix(),
    "builtin": Prefix(),
    "exec": Prefix("a"),
    "chroot": Prefix("", frozenset("--userspec --groups".split()), 1),
    "strace": Prefix("eopsPEuaOSXbI"),
    "ltrace": Prefix("eopsulnaADF"),
    "perf": _runner("stat", "record", short="eo"),
    "valgrind": Prefix(),
    "gdb": Prefix("xp"),
    "unshare": Prefix("SGR", frozenset("--root --wd --setuid --setgid --propagation".split())),
    "nsenter": Prefix("tSGr", frozenset("--target --setuid --setgid".split())),
    "bwrap": Prefix(),
    "firejail": Prefix(),
    "xvfb-run": Prefix("nesfpw", frozenset("--server-num --server-args --error-file".split())),
    "chrt": Prefix("TPD", frozenset(), 1),
    "taskset": Prefix("", frozenset(), 1),
    "numactl": Prefix("miNCp"),
    "cpulimit": Prefix("lpe"),
    "prlimit": Prefix("p"),
    "systemd-run": Prefix("pEuMHt", frozenset("--unit --property --setenv --slice".split())),
    "systemd-inhibit": Prefix(),
    "flock": Prefix("wE", frozenset("--timeout --wait --conflict-exit-code".split()), 1),
    "caffeinate": Prefix("tw"),
    "proxychains": Prefix("f"),
    "proxychains4": Prefix("f"),
    "torsocks": Prefix("utP"),
    "torify": Prefix(),
    "time": Prefix("fo", frozenset("--format --output".split())),
    "gtime": Prefix("fo", frozenset("--format --output".split())),
    "noglob": Prefix(),
    "nocorrect": Prefix(),
    "coproc": Prefix(),
    "then": Prefix(),
    "busybox": Prefix(),
    "toybox": Prefix(),
    "fakeroot": Prefix("lsi"),
    "eatmydata": Prefix(),
    "setarch": Prefix("", frozenset(), 1),
    "setpriv": Prefix("", frozenset("--reuid --regid --groups --bounding-set".split())),
    "capsh": Prefix(),
    "gosu": Prefix("", frozenset(), 1),
    "su-exec": Prefix("", frozenset(), 1),
    "dotenv": Prefix("f", frozenset({"--file"})),
    "dbus-run-session": Prefix(),
    "ssh-agent": Prefix("aEPt"),
    "catchsegv": Prefix(),
    "rlwrap": Prefix("bCfHsSgI"),
    "winpty": Prefix(),
    "hyperfine": Prefix(
        "wmMrpcsSnuNL",
        frozenset("--warmup --runs --min-runs --max-runs --export-json --export-markdown".split()),
    ),
    "direnv": Prefix("", frozenset(), 1, frozenset({"exec"})),
    "poetry": _runner("run", short="CP", long="--directory --project"),
    "pipenv": _runner("run"),
    "pdm": _runner("run", short="p", long="--project --site-packages"),
    "uv": _runner(
        "run",
        short="pwCn",
        long="--with --with-editable --with-requirements --python --extra --group --package "
        "--project --directory --env-file --index --index-url --no-group --only-group "
        "--config-file --cache-dir",
    ),
    "hatch": _runner("run", short="e", long="--env"),
    "rye": _runner("run"),
    "pixi": _runner("run", short="e", long="--environment --manifest-path"),
    "bundle": _runner("exec"),
    "mise": _runner("exec", "x"),
    "asdf": _runner("exec"),
    "nix": _runner("run", "shell", "develop"),
    "rustup": Prefix("", frozenset(), 1, frozenset({"run"})),
    "conda": _runner("run", short="np", long="--name --prefix --cwd"),
    "mamba": _runner("run", short="np", long="--name --prefix --cwd"),
    "micromamba": _runner("run", short="np", long="--name --prefix --cwd"),
    "npm": _runner("exec", "x", short="pw", long="--package --workspace"),
    "pnpm": _runner("exec", "dlx", short="CF", long="--dir --filter --package"),
    "yarn": _runner("exec", "dlx", short="p", long="--package --cwd"),
    "bun": _runner("x"),
    "npx": Prefix("pw", frozenset("--package --workspace".split())),
    "bunx": Prefix("p", frozenset({"--package"})),
    "doppler": _runner("run", short="pc", long="--project --config"),
    "op": _runner("run", long="--env-file --account"),
    "aws-vault": Prefix("", frozenset(), 1, frozenset({"exec"})),
    "chamber": Prefix("", frozenset(), 1, frozenset({"exec"})),
}
"""Only what stands first counts where a program has subcommands."""

CONTAINERS: Final = frozenset("docker podman nerdctl kubectl oc docker-compose".split())
CONTAINER_SHORT: Final = "evpwuhlmcan"
CONTAINER_LONG: Final = frozenset(
    "--env --volume --publish --workdir --user --name --network --net --entrypoint --mount "
    "--env-file --label --memory --cpus --platform --add-host --hostname --pull --gpus --restart "
    "--device --shm-size --cap-add --cap-drop --security-opt --ulimit --attach --ip --dns --pid "
    "--ipc --userns --link --log-driver --log-opt --expose --tmpfs --runtime --stop-signal "
    "--container --namespace --context --image --file --project-name --profile --index "
    "--project-directory --host --log-level --kubeconfig --overrides --port".split()
)

STRING_OPTIONS: Final[dict[str, tuple[str, str]]] = {
    "su": ("c", "--command"),
    "runuser": ("c", "--command"),
    "script": ("c", "--command"),
    "sg": ("c", "--command"),
    "flock": ("c", "--command"),
    "npx": ("c", "--call"),
    "npm": ("c", "--call"),
    "man": ("P", "--pager"),
    "rsync": ("e", "--rsh"),
    "gdb": ("", "--eval-command"),
    "tar": ("I", "--use-compress-program"),
    "sort": ("", "--compress-program"),
    "rg": ("", "--pre"),
    "hyperfine": ("p", "--prepare"),
    "socat": ("", "--exec"),
    "ncat": ("c", "--sh-exec"),
    "nc": ("e", "--exec"),
    "capsh": ("c", ""),
    "ssh-keygen": ("", ""),
    "scp": ("S", ""),
    "sftp": ("S", ""),
    "tmux": ("", ""),
}
"""The options, one-letter and long, whose value is a command."""
