"""Asking a daemon that ends meanwhile."""

from __future__ import annotations

import socket
import tempfile
import threading
from pathlib import Path

import pytest

from hookcore_bridge.serve.asking import get


def test_an_answer_that_is_cut_off_is_no_answer() -> None:
    # The path of a socket is short, and pytest's folders are not.
    with tempfile.TemporaryDirectory(prefix="hookcore-") as folder:
        path = str(Path(folder, "s"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(path)
            server.listen()

            def end_while_it_answers() -> None:
                client, _ = server.accept()
                with client:
                    client.recv(4096)
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 75\r\n\r\n")

            daemon = threading.Thread(target=end_while_it_answers)
            daemon.start()
            with pytest.raises(OSError, match="cut off"):
                get(path, "/v1/status")
            daemon.join()
