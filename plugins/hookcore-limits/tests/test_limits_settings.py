from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hookcore_limits import LimitsSettings
from hookcore_limits._periods import parse_rate

RATE = {"per": ["tool"], "limit": "1/minute"}
BUDGET = {"per": ["session"], "tokens": 10_000}
COST = {"per": ["session"], "cost": 5.0}
PRICES = {"m": {"input": 1, "output": 2}}


def problem(settings: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        LimitsSettings.model_validate(settings)
    (error,) = caught.value.errors()
    return ".".join(map(str, error["loc"])) + ": " + error["msg"]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("100/minute", (100, 60)),
        ("5 per second", (5, 1)),
        ("1000/15 minutes", (1000, 900)),
        (" 1 / 2 hours ", (1, 7200)),
        ("10/day", (10, 86_400)),
        ("1/4weeks", (1, 4 * 604_800)),
    ],
)
def test_a_rate_is_read(text: str, rate: tuple[int, int]) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("100/minit", '"100/minit" is no rate; write e.g. "100/minute"'),
        ("100", '"100" is no rate'),
        ("", "is no rate"),
        ("1.5/minute", "is no rate"),
        ("-1/minute", "is no rate"),
        ("\u0661/minute", "is no rate"),
        ("0/minute", "allows 0 calls"),
        ("9999999999/minute", "allows 9999999999 calls"),
        ("1/0 minutes", "counts for 0 seconds"),
        ("1/32 days", "counts for 2764800 seconds"),
    ],
)
def test_what_is_no_rate_is_told_with_its_place(text: str, told: str) -> None:
    assert told in problem({"rates": [{**RATE, "limit": text}]})
    assert problem({"rates": [{**RATE, "limit": text}]}).startswith("rates.0.limit: ")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"rates": [{**RATE, "per": []}]}, "rates.0.per: name each scope once"),
        ({"rates": [{**RATE, "per": ["tool", "tool"]}]}, "name each scope once"),
        ({"rates": [{**RATE, "per": ["global", "tool"]}]}, "leave it out"),
        ({"rates": [{**RATE, "per": ["model"]}]}, "calls of a tool have no model"),
        ({"rates": [{**RATE, "calls": "model"}]}, "calls of a model have no tool"),
        (
            {"rates": [{**RATE, "per": ["agent"], "calls": "model", "tools": ["a"]}]},
            '"tools" is for calls of tools',
        ),
        ({"rates": [{**RATE, "tools": []}]}, "counts nothing"),
        (
            {"rates": [{**RATE, "tools": ["[a"]}]},
            "rates.0.tools.0: the pattern '[a' matches nothing",
        ),
        ({"rates": [RATE, RATE]}, "rates[1] says what rates[0] says"),
        ({"budgets": [{"per": ["session"]}]}, 'say either "tokens" or "cost"'),
        ({"budgets": [{**BUDGET, "cost": 1.0}], "prices": PRICES}, 'say either "tokens" or "cost"'),
        ({"budgets": [{**BUDGET, "reserve": 10_001}]}, "is more than the whole budget"),
        ({"budgets": [BUDGET, BUDGET]}, "budgets[1] says what budgets[0] says"),
        ({"budgets": [COST]}, "budgets[0].cost needs prices"),
        (
            {"budgets": [BUDGET], "prices": PRICES},
            "prices have a meaning only with a budget of cost",
        ),
        ({"budgets": [COST], "prices": {"": PRICES["m"]}}, "matches nothing"),
        ({"path": "x"}, 'path has a meaning only with store = "sqlite"'),
        ({"store": "sqlite", "url_env": "X"}, 'url_env has a meaning only with store = "redis"'),
        ({"store": "sqlite", "replicas": 1}, 'replicas has a meaning only with store = "redis"'),
        ({"local_share": 2}, 'local_share has a meaning only with when_away = "local"'),
        ({"when_away": "allow"}, "when_away has no meaning"),
        ({"prefix": "a:b"}, "prefix: "),
        ({"store": "file"}, "store: "),
        ({"unknown": 1}, "unknown: "),
    ],
)
def test_what_cannot_act_is_refused(settings: dict[str, Any], told: str) -> None:
    assert told in problem(settings)


def test_a_budget_of_nothing_may_be_said() -> None:
    assert (
        LimitsSettings.model_validate({"budgets": [{**BUDGET, "tokens": 0}]}).budgets[0].tokens == 0
    )
