from __future__ import annotations

import pytest

from hookcore import ModelResponse
from hookcore.hosting import neutral_response


def test_a_text_is_a_response_and_a_response_is_itself() -> None:
    response = ModelResponse("hi")
    assert neutral_response("hi", "acme.Response") == response
    assert neutral_response(response, "acme.Response") is response


def test_what_is_neither_is_refused_with_what_to_give() -> None:
    with pytest.raises(TypeError, match=r"gave int .* hookcore\.ModelResponse or acme\.Response"):
        neutral_response(3, "acme.Response")
