from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import Tokens, tokens_of

OPENAI = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 60},
}
RESPONSES = SimpleNamespace(
    input_tokens=100, output_tokens=20, input_tokens_details=SimpleNamespace(cached_tokens=60)
)
ANTHROPIC = {
    "input_tokens": 30,
    "cache_read_input_tokens": 60,
    "cache_creation_input_tokens": 10,
    "output_tokens": 20,
}
GEMINI = SimpleNamespace(
    prompt_token_count=100,
    candidates_token_count=15,
    thoughts_token_count=5,
    cached_content_token_count=60,
    total_token_count=120,
)
LANGCHAIN = {
    "input_tokens": 100,
    "output_tokens": 20,
    "total_tokens": 120,
    "input_token_details": {"cache_read": 60},
}
PYDANTIC_AI = SimpleNamespace(input_tokens=100, cache_read_tokens=60, output_tokens=20)


@pytest.mark.parametrize("usage", [OPENAI, RESPONSES, ANTHROPIC, GEMINI, LANGCHAIN, PYDANTIC_AI])
def test_each_providers_words_say_the_same(usage: Any) -> None:
    assert tokens_of(usage) == Tokens(100, 60, 20, 120, is_whole=True)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"total_tokens": 0},
        {"input_tokens": 0, "output_tokens": 0},
        {"input_tokens": True, "output_tokens": "20"},
        {"input_tokens": -5},
        {"input_tokens": float("nan")},
        "120",
        object(),
    ],
)
def test_what_tells_nothing_is_unknown(usage: Any) -> None:
    assert tokens_of(usage) is None


def test_a_total_alone_is_known() -> None:
    assert tokens_of({"total_tokens": 7}) == Tokens(7, 0, 0, 7, is_whole=True)


def test_one_side_alone_is_no_whole() -> None:
    assert tokens_of({"output_tokens": 7}) == Tokens(0, 0, 7, 7, is_whole=False)
    assert tokens_of({"input_tokens": 7}) == Tokens(7, 0, 0, 7, is_whole=False)


def test_what_the_total_has_more_is_output() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}
    assert tokens_of(usage) == Tokens(10, 0, 30, 40, is_whole=True)


NAMES = st.sampled_from([*OPENAI, *ANTHROPIC, *vars(GEMINI), *vars(PYDANTIC_AI)])
VALUES = (
    st.none() | st.integers() | st.floats() | st.text() | st.dictionaries(st.text(), st.integers())
)


@given(st.dictionaries(NAMES, VALUES))
def test_whatever_a_provider_says_the_counts_add_up(usage: dict[str, Any]) -> None:
    tokens = tokens_of(usage)
    if tokens is not None:
        assert tokens.total > 0
        assert 0 <= tokens.cached <= tokens.input
        assert min(tokens) >= 0
        assert tokens.input + tokens.output >= tokens.total
