from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hookcore_loop_guard import LoopGuardSettings


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"same": 1}, "once is no repetition: write 2 or more, or 0 to switch it off"),
        ({"same": 0, "cycle": 0, "grow": 0}, "nothing would be noticed"),
        ({"steps": []}, "nothing would be done"),
        ({"steps": ["deny", "warn"]}, "steps get milder"),
        ({"steps": ["scold"]}, "steps.0: "),
        ({"poll": ["[a"]}, "poll.0: the pattern '[a' matches nothing"),
        ({"ignore": [""]}, "matches nothing"),
        ({"poll_limit": 3}, "poll_limit (3) is less than same (4)"),
        ({"sam": 1}, "sam: "),
    ],
)
def test_what_cannot_act_is_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        LoopGuardSettings.model_validate(settings)
    (error,) = caught.value.errors()
    assert told in ".".join(map(str, error["loc"])) + ": " + error["msg"]


def test_each_kind_can_be_switched_off_alone() -> None:
    assert LoopGuardSettings(same=0, cycle=0).grow == 8
