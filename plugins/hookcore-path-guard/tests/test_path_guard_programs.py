from __future__ import annotations

from importlib.resources import files

import pytest

from hookcore_path_guard._arguments import arguments_of, split_arguments
from hookcore_path_guard._programs import UNKNOWN, program_named
from hookcore_path_guard._refusals import Refusal
from hookcore_shell_guard import Word

KINDS = frozenset("rwdkhstuSACUFGN@Vv-")


def found(program: str, *words: str) -> list[tuple[str, str | None]]:
    known = program_named(program)
    split = split_arguments(known, [Word(word, (word,)) for word in words])
    return [(kind, word.text) for kind, word in arguments_of(known, split)]


def test_every_line_of_the_table_is_well_formed() -> None:
    text = files("hookcore_path_guard").joinpath("_programs.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            programs, _, options = (part.strip() for part in line.split("|"))
            for name in programs.split():
                program = program_named(name)
                kinds = {kind for kind, _ in program.first} | set(program.options.values())
                assert kinds <= KINDS, name
                assert {program.rest, program.last} <= KINDS | {""}, name
                assert len(program.options) == len(options.split()), name


def test_no_program_is_in_the_table_twice() -> None:
    text = files("hookcore_path_guard").joinpath("_programs.txt").read_text("utf-8")
    rows = [line.split("|")[0].split() for line in text.splitlines() if line[0] != "#"]
    named = [name for row in rows for name in row]
    assert sorted(set(named)) == sorted(named)


@pytest.mark.parametrize("name", ["python3.12", "python3", "gcc-13", "nothing-known"])
def test_a_version_is_no_part_of_a_program_s_name(name: str) -> None:
    assert (program_named(name) is UNKNOWN) is not name.startswith("python")


def test_operands_have_the_kinds_of_the_table() -> None:
    assert found("cat", "a", "b") == [("r", "a"), ("r", "b")]
    assert found("cp", "a", "b", "c") == [("r", "a"), ("r", "b"), ("w", "c")]
    assert found("uniq", "a", "b") == [("r", "a"), ("w", "b")]
    assert found("chmod", "755", "a") == [("t", "755"), ("w", "a")]


def test_an_option_can_stand_for_the_first_operand() -> None:
    assert found("grep", "x", "a") == [("t", "x"), ("r", "a")]
    assert found("grep", "-e", "x", "a") == [("-", "x"), ("r", "a")]


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "f", "a"),
        ("-of", "a"),
        ("-uof", "a"),
        ("--output=f", "a"),
        ("--output", "f", "a"),
        ("--outp=f", "a"),
    ],
)
def test_an_option_s_value_is_found_in_every_spelling(words: tuple[str, ...]) -> None:
    assert found("sort", *words) == [("w", "f"), ("r", "a")]


def test_two_dashes_end_the_options() -> None:
    assert found("rm", "--", "-rf") == [("d", "-rf")]


def test_with_a_target_folder_no_operand_is_the_target() -> None:
    assert found("cp", "-t", "d", "a", "b") == [("w", "d"), ("r", "a"), ("r", "b")]
    assert found("rsync", "-t", "a", "b") == [("r", "a"), ("w", "b")]


def test_in_place_makes_what_is_read_written() -> None:
    assert found("sed", "-i", "s/a/b/", "f") == [("S", "s/a/b/"), ("w", "f")]
    assert found("sed", "-n", "p", "f") == [("S", "p"), ("r", "f")]


def test_a_word_that_may_be_an_option_is_refused() -> None:
    with pytest.raises(Refusal):
        split_arguments(program_named("sort"), [Word("$x", ("a", "-o../x"))])
