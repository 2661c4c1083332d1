"""One-line code, skimmed and not read: commands, removals, network modules."""

from __future__ import annotations

import re
import shlex
from typing import Final

from ._code import arguments, inline_code
from ._options import texts
from .commands import Segment

_STRING: Final = (
    r"""(?:[rbfu]{0,2}\"\"\"(?P<d3>.*?)\"\"\"|[rbfu]{0,2}"(?P<d>(?:[^"\\\n]|\\.)*)\""""
    r"""|[rbfu]{0,2}'(?P<s>(?:[^'\\\n]|\\.)*)'|`(?P<b>(?:[^`\\]|\\.)*)`|%x[\[({](?P<x>[^\])}]*))"""
)
_CALLS: Final = re.compile(
    r"(?:\b(?:os\.)?(?:system|popen|popen2|exec|execSync|spawnSync|spawn|execFile|execFileSync|shell_exec"
    r"|passthru|proc_open|getoutput|getstatusoutput|run|call|check_call|check_output|Popen|capture2e?"
    r"|capture3|qx|execl[ep]*|execv[pe]*|create_subprocess_shell|execute|execaCommand|command))\s*\(?\s*(?P<list>\[?)\s*"
    + _STRING,
    re.DOTALL,
)
_BACKQUOTES: Final = re.compile(
    r"`((?:[^`\\]|\\.)*)`|\b(?:qx|%x)(?:\{([^}]*)\}|\(([^)]*)\)|\[([^\]]*)\]|/([^/]*)/|'([^']*)')"
    r"|%x\{([^}]*)\}|%x\(([^)]*)\)|%x\[([^\]]*)\]"
)
_LIST_ITEMS: Final = re.compile(r"""\s*,\s*\[?\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')""")
_REMOVES: Final = re.compile(
    r"(?:rmtree|rm_rf|rm_r|remove_tree|removedirs|rimraf(?:\.sync|Sync)?|rmSync|rmdirSync|fs\.rm|promises\.rm|remove_entry\w*|remove_dir)\s*\(?\s*(?P<arg>"
    + _STRING
    + r"|[^\s)]*)",
    re.DOTALL,
)
_MODULES: Final = (
    r"(?:socket|urllib[23]?|http\.client|httplib2?|requests|httpx|aiohttp|ftplib|smtplib|telnetlib"
    r"|poplib|imaplib|nntplib|paramiko|fabric|xmlrpc|websockets?|pycurl|boto3|botocore|dns|grpc"
    r"|twisted|tornado\.httpclient|asyncssh|socks"
    r"|(?:node:)?(?:https?|http2|net|dgram|dns|tls|inspector)(?:/promises)?|axios|undici|node-fetch"
    r"|superagent|got|ws|ssh2|net/(?:http|ftp|smtp|ssh|telnet)|open-uri|httparty|faraday|resolv"
    r"|socket\.http|ssl\.https|HTTP::[\w:]+|Net::[\w:]+|LWP[\w:]*|WWW::[\w:]+|IO::Socket[\w:]*|Socket)"
)
_LOADS: Final = re.compile(
    r"""(?:\b(?:import|from|require|require_relative|use|load|autoload|import_module)\b|__import__)"""
    r"""(?:[^\n;'"]{0,80},)?\s*\(?\s*['"]?""" + _MODULES + r"""(?![\w-])"""
)
_NETWORK: Final = re.compile(
    r"\b(?:socket|urllib[23]?|requests|httpx|aiohttp|paramiko)\.[A-Za-z]|\b(?:open_connection|create_connection"
    r"|XMLHttpRequest|WebSocket|EventSource|TCPSocket|UDPSocket|URI\.open|curl_init|curl_exec|fsockopen|pfsockopen"
    r"|stream_socket_client|download\.file|IO::Socket|HTTP::Tiny|LWP::\w+|Net::\w+)\b"
    r"|\bfrom\s*['\"]" + _MODULES + r"['\"]|\bfetch\s*\(|/dev/tcp/|\b(?:Deno\.(?:connect|listen))"
    r"|\bfile_get_contents\s*\(\s*['\"](?:https?|ftp):"
)
_STORE: Final = re.compile(r"""['"/]\.git(?:['"/]|$)""")
_WRITES: Final = re.compile(
    r"""['"](?:[wax]b?\+?|r\+b?)['"]|write|unlink|remove|rmtree|rename|rmdir|truncate|appendFile|rm\b|rmSync|move|replace\("""
)
_URL: Final = re.compile(r"(?i)\b(?:https?|ftp|wss?|tcp|ssh|sftp)://([^\s'\"\\)>\]}]*)")
_LOCAL: Final = re.compile(
    r"(?i)(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\])(?::\d+)?(?:[/?#]|$)"
)


def commands_in(code: str, program: str) -> list[str]:
    """Return the commands that code runs, as far as they stand in it.

    Args:
        code: a program's text.
        program: the interpreter's name.
    """
    found: list[str] = []
    if program[:2] in ("pe", "ru", "ph"):
        quoted = (match.groups() for match in _BACKQUOTES.finditer(code))
        found += [next(group for group in groups if group is not None) for groups in quoted]
    for call in _CALLS.finditer(code):
        text = _text_of(call)
        if call["list"] or not re.search(r"\s", text):
            # The words of one command, as a list or as several arguments.
            items = [text]
            at = call.end()
            while (item := _LIST_ITEMS.match(code, at)) is not None:
                items.append(item[1] if item[1] is not None else item[2])
                at = item.end()
            text = shlex.join(items) if len(items) > 1 else text
        found.append(text)
    return found


def removed_in(code: str) -> list[str | None]:
    """Return the folders that code removes with all below; None for one that is computed.

    Args:
        code: a program's text.
    """
    return [
        _text_of(call) if call["arg"][-1:] in "\"'`" and call["arg"] else None
        for call in _REMOVES.finditer(code)
    ]


def writes_store(code: str) -> bool:
    """Return True when code names a folder ``.git`` and something that writes or removes.

    Args:
        code: a program's text.
    """
    return bool(_STORE.search(code)) and bool(_WRITES.search(code))


def connects(segment: Segment) -> bool:
    """Return True when an interpreter's words or code name a network module or a far URL.

    Args:
        segment: an interpreter's segment.
    """
    codes = inline_code(segment) or []
    family = (segment.program or "")[:2]
    if family in ("ru", "pe", "no"):
        found = arguments(segment)
        modules = texts(found.values("rM" if family != "no" else "r", "--require", "--import"))
        if any(re.fullmatch(_MODULES, text.lstrip("-").split("=")[0]) for text in modules):
            return True
    return any(names_network(text) for text in texts(codes))


def names_network(code: str) -> bool:
    """Return True when code names a network module or a URL of another machine."""
    if _NETWORK.search(code) or _LOADS.search(code):
        return True
    return any(not _LOCAL.match(host) for host in _URL.findall(code))


def _text_of(found: re.Match[str]) -> str:
    groups = found.groupdict()
    for name in ("d3", "d", "s", "b", "x"):
        text = groups.get(name)
        if text is not None:
            return re.sub(r"\\(['\"\\`$])", r"\1", text)
    return ""
