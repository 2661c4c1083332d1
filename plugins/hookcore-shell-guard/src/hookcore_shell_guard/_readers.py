"""The read-only preset: programs that only read, and the options that make them write or run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ._names import names
from ._options import Arguments, texts
from ._scripts import awk_only_prints, sed_only_prints
from .commands import Segment

Check = Callable[[Segment], bool]
"""Returns True when the segment only reads."""

PLAIN: Final = names("""
    : true false test [ [[ times echo printf cd pushd popd dirs exit return break continue shift
    local declare typeset readonly export unset let read mapfile readarray getopts wait fg bg type
    which whereis whatis apropos ulimit umask set shopt logout help sleep seq yes expr
    bc factor numfmt tsort
    ls dir vdir cat tac nl head tail more zcat bzcat xzcat zstdcat lz4cat zless zmore wc cut paste
    join comm tr fold fmt expand unexpand rev od hd hexdump hexyl strings md5sum sha1sum sha224sum
    sha256sum sha384sum sha512sum shasum b2sum b3sum cksum sum diff colordiff cmp difft grep
    egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep pcregrep pcre2grep locate mlocate
    plocate stat
    readlink realpath basename dirname pwd pathchk du df free uptime w who whoami id groups users
    last uname arch nproc lscpu lsblk lsmod lspci lsusb lsof cal ncal printenv locale
    getconf vmstat iostat mpstat tty ps pgrep pidof pstree tput clear reset column look ptx pr
    jq gron tokei eza exa lsd dust duf procs readelf size otool zipinfo
    getfacl lsattr namei mountpoint findmnt lsns ipcs
    """)
"""Programs that write nothing and run nothing, whatever they are given."""

WRAPPERS: Final = names("""
    env nice ionice nohup setsid timeout gtimeout stdbuf unbuffer command builtin exec time gtime
    chrt taskset noglob nocorrect xargs parallel watch coproc eval trap alias sh bash dash zsh ksh
    mksh ash rbash busybox toybox caffeinate
    """)
"""Programs that are judged by what they run."""


def _without(letters: str, *longs: str, short: str = "") -> Check:
    def check(segment: Segment) -> bool:
        return not Arguments(segment.words, short).has(letters, *longs)

    return check


def _operands(most: int, short: str = "", letters: str = "", *longs: str) -> Check:
    """Return a check that there are at most so many operands, and none of these options."""

    def check(segment: Segment) -> bool:
        found = Arguments(segment.words, short)
        return len(found.operands) <= most and not found.has(letters, *longs)

    return check


def _first(*allowed: str, bare: bool = False) -> Check:
    """Return a check that the first operand is one of these."""

    def check(segment: Segment) -> bool:
        found = Arguments(segment.words)
        if not found.operands:
            return bare and not segment.more
        return found.operands[0].text in allowed

    return check


def _find(segment: Segment) -> bool:
    writing = {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}
    return not writing.intersection(texts(segment.words))


def _sed(segment: Segment) -> bool:
    found = Arguments(segment.words, "elf", ("--expression", "--file", "--line-length"))
    if found.has("if", "--in-place", "--file"):
        return False
    scripts = found.values("e", "--expression")
    if not scripts:
        if not found.operands:
            return not segment.more and found.has("", "--version", "--help")
        scripts = found.operands[:1]
    return all(word.text is not None and sed_only_prints(word.text) for word in scripts)


def _awk(segment: Segment) -> bool:
    values = ("--assign", "--field-separator", "--file", "--source", "--include", "--load")
    found = Arguments(segment.words, "FfveilEW", values, permute=False)
    if found.has("fieElDW", "--file", "--source", "--include", "--load", "--exec", "--debug"):
        return False
    if found.has("odp", "--dump-variables", "--profile", "--pretty-print"):
        return False
    program = found.operands[0].text if found.operands else None
    return program is not None and awk_only_prints(program)


def _sort(segment: Segment) -> bool:
    found = Arguments(segment.words, "kStTo", ("--key", "--buffer-size", "--field-separator"))
    return not found.has("o", "--output", "--compress-program")


def _date(segment: Segment) -> bool:
    found = Arguments(segment.words, "dfrs", ("--date", "--file", "--reference", "--set"))
    formats = all(text[:1] == "+" for text in texts(found.operands))
    return formats and not found.has("s", "--set")


def _less(segment: Segment) -> bool:
    found = Arguments(segment.words, "bhjkopPtTxyzO")
    commands = any(re.match(r"\+(?![FG/?\d]|$)", text) for text in texts(found.operands))
    return not commands and not found.has("oOk", "--log-file", "--LOG-FILE", "--lesskey-file")


def _archive(segment: Segment) -> bool:
    """Tell that tar only lists."""
    words = segment.words
    first = (words[0].text or "") if words else ""
    if first and first[:1] != "-":
        words = [words[0]._replace(values=("-" + first,)), *words[1:]]
    found = Arguments(words, "fCbTXIFKNVg", ("--file", "--directory", "--exclude-from"))
    runs = found.has(
        "xcruAdIF",
        "--extract",
        "--get",
        "--create",
        "--append",
        "--update",
        "--catenate",
        "--concatenate",
        "--delete",
        "--to-command",
        "--checkpoint-action",
        "--remove-files",
        "--use-compress-program",
        "--info-script",
        "--new-volume-script",
        "--rsh-command",
        "--index-file",
    )
    return found.has("t", "--list") and not runs


def _decompress(segment: Segment) -> bool:
    found = Arguments(segment.words, "S")
    unpacks = segment.program in ("gunzip", "bunzip2", "unxz", "unzstd", "unlz4")
    to_output = found.has("clt", "--stdout", "--to-stdout", "--list", "--test")
    return to_output and (found.has("dlt", "--decompress", "--list", "--test") or unpacks)


def _docker(segment: Segment) -> bool:
    found = Arguments(segment.words, "cHlf", ("--context", "--file", "--project-name"))
    names = [word.text or "" for word in found.operands[:2]]
    if found.has("Hc", "--host", "--context", "--config"):
        return False
    name, second = (*names, "", "")[:2]
    if name in (
        "ps",
        "logs",
        "images",
        "inspect",
        "version",
        "info",
        "stats",
        "top",
        "port",
        "diff",
        "history",
    ):
        return True
    if name == "compose":
        return second in ("ps", "logs", "config", "ls", "images", "top", "port", "version")
    groups = ("container", "image", "volume", "network", "context", "node", "service", "stack")
    if name in groups:
        return second in ("ls", "list", "inspect", "logs", "history", "top", "stats", "ps", "show")
    return (name, second) in (("system", "df"), ("system", "info"), ("buildx", "ls"))


def _tee(segment: Segment) -> bool:
    found = Arguments(segment.words)
    return not segment.more and all(is_null(text) for text in texts(found.operands))


def _history(segment: Segment) -> bool:
    return all((text or "x").isdigit() for text in texts(segment.words))


def _ip(segment: Segment) -> bool:
    found = Arguments(segment.words, "fnb")
    names = [word.text for word in found.operands]
    return not found.has("b", "-batch", "--batch") and (
        not names[1:] or names[1] in ("show", "list", "ls", "s", "get")
    )


def is_null(text: str) -> bool:
    """Return True for the null device and the standard streams, which keep nothing."""
    return text in ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty") or bool(
        re.fullmatch(r"/dev/fd/\d+", text)
    )


_DECOMPRESSORS: Final = names("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 unlz4")

CHECKED: Final[dict[str, Check]] = {
    "find": _find,
    "jobs": _without("x"),
    "hash": _without("p"),
    "ag": _without("", "--pager"),
    "ugrep": _without("", "--pager", "--filter", "--save-config", "--view", "--config"),
    "scc": _without("o", "--output"),
    "diff3": _without("", "--diff-program"),
    **dict.fromkeys(("bat", "batcat"), _without("", "--pager")),
    **dict.fromkeys(("nm", "objdump"), _without("", "--plugin")),
    "apt-cache": _without("oc", "--option", "--config-file"),
    "fd": _without("", "--exec", "--exec-batch"),
    "fdfind": _without("", "--exec", "--exec-batch"),
    "rg": _without("", "--pre", "--hostname-bin"),
    "ack": _without("", "--pager"),
    "sed": _sed,
    "gsed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    "sort": _sort,
    "gsort": _sort,
    "uniq": _operands(1, "fsw"),
    "xxd": _operands(1, "closgRn"),
    "tree": _without("oR", "--output", short="LPIoH"),
    "less": _less,
    "date": _date,
    "gdate": _date,
    "hostname": _operands(0, "F", "Fb", "--file", "--boot"),
    "file": _without("C", "--compile", short="mfFPe"),
    "base64": _without("o", "--output", short="wbio"),
    "base32": _without("o", "--output", short="wbio"),
    "shuf": _without("o", "--output", short="ino"),
    "yq": _without("is", "--inplace", "--in-place", "--split-exp", short="opP"),
    "xmllint": _without("o", "--output", "--shell", "--noout-output", short="o"),
    "iconv": _without("o", "--output", short="ftob"),
    "sdiff": _without("o", "--output", short="ow"),
    "man": _without("PHT", "--pager", "--html", "--troff-device", short="PLmMSesErRpX"),
    "ss": _without("K", "--kill", short="fADFN"),
    "netstat": _without(""),
    "tar": _archive,
    "bsdtar": _archive,
    "gtar": _archive,
    "unzip": lambda segment: Arguments(segment.words, "dxP").has("lZtpvcz"),
    "ar": _first("t", "tv", "p"),
    **dict.fromkeys(_DECOMPRESSORS, _decompress),
    "docker": _docker,
    "podman": _docker,
    "tee": _tee,
    "history": _history,
    "ip": _ip,
    "ifconfig": _operands(1),
    "crontab": lambda segment: (
        Arguments(segment.words, "u").has("l") and not Arguments(segment.words, "u").has("re")
    ),
    "systemctl": _first(
        "status",
        "is-active",
        "is-enabled",
        "is-failed",
        "list-units",
        "list-unit-files",
        "show",
        "cat",
        "list-timers",
        bare=True,
    ),
    "journalctl": _without(
        "",
        "--vacuum-size",
        "--vacuum-time",
        "--vacuum-files",
        "--rotate",
        "--flush",
        "--sync",
        "--setup-keys",
        "--update-catalog",
        "--relinquish-var",
    ),
    "dpkg": _without(
        "irPBu",
        "--install",
        "--remove",
        "--purge",
        "--unpack",
        "--configure",
        "--set-selections",
        "--update-avail",
        "--pre-invoke",
        "--post-invoke",
    ),
    "rpm": lambda segment: (
        Arguments(segment.words).has("q", "--query")
        and not Arguments(segment.words).has("ieUFED", "--pipe", "--eval", "--define")
    ),
    "apt": lambda segment: (
        _first("list", "show", "policy", "depends", "rdepends")(segment)
        and not Arguments(segment.words).has("oc", "--option", "--config-file")
    ),
    "kill": lambda segment: [word.text for word in segment.words[:1]] == ["-l"],
    "dmesg": _without("cCDEnw", "--clear", "--read-clear", "--console-off", "--console-level"),
    "top": _without(""),
    "nix-store": lambda _: False,
}
"""Programs that only read unless they are given certain options or operands."""
