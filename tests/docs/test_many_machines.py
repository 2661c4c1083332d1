"""The fleet of docs/many-machines.md, without containers: real Redis and collector, real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hookcore_limits")
pytest.importorskip("hookcore_otel")
pytest.importorskip("opentelemetry.proto")
yaml = pytest.importorskip("yaml")

from hookcore_otel.testing import Collector, attributes, unused_port  # noqa: E402 - as below
from hookcore_stores.testing import StartServer, redis_servers  # noqa: E402 - it may be missing

__all__ = ["redis_servers"]

ROOT = Path(__file__).resolve().parents[2]
FLEET = ROOT / "examples" / "many-machines"
PAGE = (ROOT / "docs" / "many-machines.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((FLEET / "compose.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    collector = Collector()
    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    yield collector
    collector.close()


def agents(compose: Any) -> dict[str, Any]:
    return {name: service for name, service in compose["services"].items() if "build" in service}


def run_fleet(compose: Any, home: Path, **environment: str) -> list[dict[str, Any]]:
    """Run the agents of the compose file at once; return what they printed."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("HOOKCORE_")}
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "APPDATA"), str(home))
    processes = [
        subprocess.Popen(
            [sys.executable, str(FLEET / "agent.py"), *service["command"]],
            env={**own, **homes, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for service in agents(compose).values()
    ]
    ended = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), ended
    return [json.loads(printed) for printed, _ in ended]


def test_two_agents_send_ten_mails_and_no_more(
    compose: Any, redis_servers: StartServer, collector: Collector, tmp_path: Path
) -> None:
    server = redis_servers()
    configured = agents(compose)["ann"]["environment"]["HOOKCORE_REDIS_URL"]
    assert configured == "redis://redis:6379/0"
    told = run_fleet(compose, tmp_path, HOOKCORE_REDIS_URL=server.url)
    assert sum(one["sent"] for one in told) == 10
    assert sum(one["written"] for one in told) == 16
    assert sum(one["denied"] for one in told) == 6
    assert {one["agent"] for one in told} == {"ann", "bob"}
    runs = [span for span in collector.all_spans() if not span.parent_span_id]
    assert {span.name for span in runs} == {"invoke_agent ann", "invoke_agent bob"}
    assert len(collector.all_spans()) == 2 + 16 + 16
    denials = [attributes(record)["gen_ai.guardrail.component.name"] for record in collector.logs()]
    assert denials == ["limits"] * 6
    assert b"Dear customer" not in collector.bytes()


def test_two_agents_do_the_same_without_a_collector(
    compose: Any, redis_servers: StartServer, tmp_path: Path
) -> None:
    away = f"http://127.0.0.1:{unused_port()}"
    url = redis_servers().url
    told = run_fleet(compose, tmp_path, HOOKCORE_REDIS_URL=url, OTEL_EXPORTER_OTLP_ENDPOINT=away)
    assert sum(one["sent"] for one in told) == 10


@pytest.mark.usefixtures("collector")
def test_a_fleet_without_its_redis_sends_nothing(
    compose: Any, redis_servers: StartServer, tmp_path: Path
) -> None:
    server = redis_servers()
    server.kill()
    told = run_fleet(compose, tmp_path, HOOKCORE_REDIS_URL=server.url)
    assert [(one["written"], one["sent"]) for one in told] == [(0, 0), (0, 0)]


@pytest.mark.usefixtures("collector")
def test_the_configuration_of_redis_is_taken_and_keeps_counts(
    compose: Any, redis_servers: StartServer, tmp_path: Path
) -> None:
    lines = (FLEET / "redis.conf").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    options = [word for name, value in words for word in (f"--{name}", value)]
    server = redis_servers(*options)
    assert server.command("CONFIG", "GET", "maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    run_fleet(compose, tmp_path, HOOKCORE_REDIS_URL=server.url)
    server.kill()
    server.start()
    told = run_fleet(compose, tmp_path, HOOKCORE_REDIS_URL=server.url)
    assert sum(one["sent"] for one in told) == 0


def test_what_the_compose_file_mounts_and_builds_exists(compose: Any) -> None:
    services = compose["services"]
    mounts = [mount for service in services.values() for mount in service.get("volumes", ())]
    files = [mount.split(":")[0] for mount in mounts if mount.startswith(".")]
    assert files
    assert [file for file in files if not (FLEET / file).is_file()] == []
    for service in agents(compose).values():
        context = FLEET / service["build"]["context"]
        assert (context / service["build"]["dockerfile"]).is_file()
    collector = yaml.safe_load((FLEET / "collector.yaml").read_text(encoding="utf-8"))
    assert set(collector["service"]["pipelines"]) == {"traces", "metrics", "logs"}


def test_what_the_image_is_made_of_exists() -> None:
    text = (FLEET / "Dockerfile").read_text(encoding="utf-8")
    projects = re.findall(r"/src(/[\w/-]+)?(?:\[\w+\])?(?=[\s\\])", text)
    assert len(projects) > 3
    assert [each for each in projects if not (ROOT / f".{each}" / "pyproject.toml").is_file()] == []
    copied = [word for word in re.findall(r"examples/\S+", text) if not (ROOT / word).is_file()]
    assert copied == []


def test_what_the_page_shows_of_the_agents_is_what_they_print() -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    lines = [json.loads(line) for line in shown.splitlines()]
    assert [set(line) for line in lines] == [{"agent", "written", "sent", "denied"}] * 2
    assert sum(line["sent"] for line in lines) == 10


@pytest.mark.parametrize("plugin", ["limits", "loop-guard", "approval", "audit", "otel"])
def test_every_policy_of_the_page_has_a_column(plugin: str) -> None:
    tables = re.findall(r"^\| what happens \|.*?(?=\n\n)", PAGE, re.DOTALL | re.MULTILINE)
    (table,) = (each for each in tables if f" hookcore-{plugin} |" in each.partition("\n")[0])
    rows = [line.split("|")[1:-1] for line in table.splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
