"""Units for systemd and launchd, which keep a daemon running for those who want that."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Final
from xml.sax.saxutils import escape

__all__ = ["unit_text"]

_SYSTEMD: Final = """\
# ~/.config/systemd/user/hookcore-bridge.service, then:
# systemctl --user enable --now hookcore-bridge
[Unit]
Description=hookcore's policies for coding agents

[Service]
ExecStart={command}
WorkingDirectory=/
Restart=always
UMask=0077
NoNewPrivileges=true

[Install]
WantedBy=default.target
"""
_LAUNCHD: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/hookcore.bridge.plist, then:
     launchctl load ~/Library/LaunchAgents/hookcore.bridge.plist -->
<plist version="1.0">
<dict>
  <key>Label</key><string>hookcore.bridge</string>
  <key>ProgramArguments</key>
  <array>
{arguments}
  </array>
  <key>WorkingDirectory</key><string>/</string>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict>
</plist>
"""


def unit_text(kind: str) -> str:
    """Return the text of a unit that runs ``hookctl serve`` with this Python.

    Args:
        kind: ``"systemd"`` or ``"launchd"``.
    """
    words = [os.path.abspath(sys.executable), "-m", "hookctl", "serve"]  # noqa: PTH100 - a venv's
    if kind == "launchd":
        arguments = "\n".join(f"    <string>{escape(word)}</string>" for word in words)
        return _LAUNCHD.format(arguments=arguments)
    return _SYSTEMD.format(command=shlex.join(words).replace("%", "%%"))
