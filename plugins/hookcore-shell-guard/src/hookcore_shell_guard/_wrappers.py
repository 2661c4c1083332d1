"""Programs that run the command that they are given, and where it stands among their words."""

from __future__ import annotations

from typing import Final, NamedTuple

from ._names import names

SHELLS: Final = names("sh bash dash zsh ksh mksh ash rbash fish")
SUBSHELL_OPTIONS: Final = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
FOREIGN_SHELLS: Final = names(
    "powershell powershell.exe pwsh pwsh.exe cmd cmd.exe fish nu xonsh elvish csh tcsh"
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
        names(
            "--user --group --chdir --host --prompt --chroot --role --type --close-from "
            "--command-timeout --other-user"
        ),
        assigns=True,
    ),
    "doas": Prefix("uC", assigns=True),
    "pkexec": Prefix("", frozenset({"--user"})),
    "run0": Prefix("uD", names("--user --group --chdir --setenv --unit")),
    "nice": Prefix("n", frozenset({"--adjustment"})),
    "ionice": Prefix("cnpPu", names("--class --classdata")),
    "nohup": Prefix(),
    "setsid": Prefix(),
    "timeout": Prefix("ks", names("--signal --kill-after"), 1),
    "gtimeout": Prefix("ks", names("--signal --kill-after"), 1),
    "stdbuf": Prefix("ioe", names("--input --output --error")),
    "unbuffer": Prefix(),
    "command": Prefix(),
    "builtin": Prefix(),
    "exec": Prefix("a"),
    "chroot": Prefix("", names("--userspec --groups"), 1),
    "strace": Prefix("eopsPEuaOSXbI"),
    "ltrace": Prefix("eopsulnaADF"),
    "perf": _runner("stat", "record", short="eo"),
    "valgrind": Prefix(),
    "gdb": Prefix("xp"),
    "unshare": Prefix("SGR", names("--root --wd --setuid --setgid --propagation")),
    "nsenter": Prefix("tSGr", names("--target --setuid --setgid")),
    "bwrap": Prefix(),
    "firejail": Prefix(),
    "xvfb-run": Prefix("nesfpw", names("--server-num --server-args --error-file")),
    "chrt": Prefix("TPD", frozenset(), 1),
    "taskset": Prefix("", frozenset(), 1),
    "numactl": Prefix("miNCp"),
    "cpulimit": Prefix("lpe"),
    "prlimit": Prefix("p"),
    "systemd-run": Prefix("pEuMHt", names("--unit --property --setenv --slice")),
    "systemd-inhibit": Prefix(),
    "flock": Prefix("wE", names("--timeout --wait --conflict-exit-code"), 1),
    "caffeinate": Prefix("tw"),
    "proxychains": Prefix("f"),
    "proxychains4": Prefix("f"),
    "torsocks": Prefix("utP"),
    "torify": Prefix(),
    "time": Prefix("fo", names("--format --output")),
    "gtime": Prefix("fo", names("--format --output")),
    "noglob": Prefix(),
    "nocorrect": Prefix(),
    "coproc": Prefix(),
    "then": Prefix(),
    "busybox": Prefix(),
    "toybox": Prefix(),
    "fakeroot": Prefix("lsi"),
    "eatmydata": Prefix(),
    "setarch": Prefix("", frozenset(), 1),
    "setpriv": Prefix("", names("--reuid --regid --groups --bounding-set")),
    "capsh": Prefix(),
    "gosu": Prefix("", frozenset(), 1),
    "su-exec": Prefix("", frozenset(), 1),
    "dotenv": Prefix("f", frozenset({"--file"})),
    "dbus-run-session": Prefix(),
    **dict.fromkeys(
        names(
            "chronic dumb-init tini catatonit fakechroot proot optirun primusrun vglrun "
            "gamemoderun mangohud padsp aoss retry sem reflex watchexec env-cmd runcon setuidgid "
            "cross-env cross-env-shell sshpass with-contenv exec_env trickle softlimit chpst"
        ),
        Prefix("cefpwdntuUmP", assigns=True),
    ),
    "envdir": Prefix("", frozenset(), 1),
    "faketime": Prefix("f", frozenset(), 1),
    "cgexec": Prefix("g"),
    **dict.fromkeys(("pyenv", "rbenv", "jenv", "fnm", "volta"), _runner("exec", "run")),
    "infisical": _runner("run", long="--env --path --projectId"),
    "dotenvx": _runner("run", short="f"),
    "lerna": _runner("exec"),
    "nx": _runner("exec"),
    "ssh-agent": Prefix("aEPt"),
    "catchsegv": Prefix(),
    "rlwrap": Prefix("bCfHsSgI"),
    "winpty": Prefix(),
    "hyperfine": Prefix(
        "wmMrpcsSnuNL",
        names("--warmup --runs --min-runs --max-runs --export-json --export-markdown"),
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
    "npx": Prefix("pw", names("--package --workspace")),
    "bunx": Prefix("p", frozenset({"--package"})),
    "doppler": _runner("run", short="pc", long="--project --config"),
    "op": _runner("run", long="--env-file --account"),
    "aws-vault": Prefix("", frozenset(), 1, frozenset({"exec"})),
    "chamber": Prefix("", frozenset(), 1, frozenset({"exec"})),
}
"""Only what stands first counts where a program has subcommands."""

CONTAINERS: Final = names("docker podman nerdctl kubectl oc docker-compose")
CONTAINER_SHORT: Final = "evpwuhlmcan"
CONTAINER_LONG: Final = names(
    "--env --volume --publish --workdir --user --name --network --net --entrypoint --mount "
    "--env-file --label --memory --cpus --platform --add-host --hostname --pull --gpus --restart "
    "--device --shm-size --cap-add --cap-drop --security-opt --ulimit --attach --ip --dns --pid "
    "--ipc --userns --link --log-driver --log-opt --expose --tmpfs --runtime --stop-signal "
    "--container --namespace --context --image --file --project-name --profile --index "
    "--project-directory --host --log-level --kubeconfig --overrides --port"
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
    "mapfile": ("C", ""),
    "readarray": ("C", ""),
    "compgen": ("C", ""),
    "complete": ("C", ""),
    "nodemon": ("x", "--exec"),
    "vagrant": ("c", "--command"),
    "ansible": ("a", "--args"),
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
    "scp": ("S", ""),
    "sftp": ("S", ""),
}
"""The options, one-letter and long, whose value is a command."""
