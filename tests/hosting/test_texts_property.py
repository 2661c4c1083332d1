from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore import Texts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=15,
)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


@given(JSON)
def test_in_data_every_text_is_found(value: Any) -> None:
    found = [text.text for text in Texts(value, kind="arguments")]
    assert found == [text for text in strings(value) if not text.startswith("data:")]


@given(JSON)
def test_a_replacement_changes_the_texts_and_nothing_else(value: Any) -> None:
    before = copy.deepcopy(value)
    texts = Texts(value, kind="arguments")
    texts.replace(lambda text: text + "!")
    assert value == before
    assert strings(texts.value) == [text + "!" for text in strings(before)]
    texts.replace(lambda text: text[:-1])
    assert texts.value == before


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_arguments_mean_the_same_as_a_dict_and_as_json(arguments: dict[str, Any]) -> None:
    as_text = {"name": "t", "arguments": json.dumps(arguments)}
    as_dict = {"name": "t", "arguments": arguments}
    assert [t.text for t in Texts(as_text)] == [t.text for t in Texts(as_dict)] or not arguments
    both = [Texts(as_text), Texts(as_dict)]
    for texts in both:
        texts.replace(str.upper)
    assert json.loads(both[0].value["arguments"]) == both[1].value["arguments"]


@given(JSON)
def test_one_by_one_is_the_same_as_all_at_once(value: Any) -> None:
    together, single = Texts(value), Texts(value)
    together.replace(lambda text: f"<{text}>")
    for text in single:
        text.text = f"<{text.text}>"
    assert single.value == together.value
