"""Aborts cross process borders."""

from __future__ import annotations

import copy
import pickle

import pytest

from hookcore import NEUTRAL_MESSAGE, Abort, HookAborted, Replace


def test_the_text_of_an_abort_is_its_reason() -> None:
    assert str(HookAborted("not today", source="clock", message="Later.")) == "not today"


def test_an_abort_without_a_message_shows_a_neutral_one() -> None:
    assert HookAborted("secret reason").message == NEUTRAL_MESSAGE


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_abort_survives_pickling(protocol: int) -> None:
    error = HookAborted("why", source="who", message="what you may know")

    back = pickle.loads(pickle.dumps(error, protocol))

    assert (type(back), str(back)) == (HookAborted, "why")
    assert (back.reason, back.source, back.message) == ("why", "who", "what you may know")


def test_a_subclass_of_an_abort_survives_pickling() -> None:
    back = pickle.loads(pickle.dumps(_Refused("why", source="who")))

    assert (type(back), back.source) == (_Refused, "who")


def test_an_abort_can_be_copied() -> None:
    back = copy.deepcopy(HookAborted("why", source="who"))

    assert (back.reason, back.source) == ("why", "who")


@pytest.mark.parametrize("answer", [Replace({"a": 1}), Abort("why", "who", "message")])
def test_the_answers_of_a_hook_survive_pickling(answer: object) -> None:
    assert pickle.loads(pickle.dumps(answer)) == answer


class _Refused(HookAborted):
    """A host's own kind of abort."""
