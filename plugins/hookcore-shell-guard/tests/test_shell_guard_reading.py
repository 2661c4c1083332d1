"""The programs that a command runs, as far as its text tells."""

from __future__ import annotations

import pytest

from hookcore_shell_guard import Segment, segments


def programs(command: str) -> list[str | None]:
    return [segment.program for segment in segments(command) if segment.program != ":"]


def last(command: str) -> Segment:
    return segments(command)[-1]


def texts(segment: Segment) -> list[str | None]:
    return [word.text for word in segment.words]


def refused(command: str) -> bool:
    return any(segment.unreadable for segment in segments(command))


# What the grammar reads wrongly without a word, and the programs that bash runs.
MISREAD = {
    "r\\\nm x": ["rm"],
    '"$\\\n(rm x)"': ["rm", None],
    "cat <<E\n`rm x`\nE": ["rm", "cat"],
    "echo ${x:=`rm y`}": ["rm", "echo"],
    "echo `echo \\`rm x\\``": ["rm", "echo", "echo"],
    "rm >f -rf /": ["rm"],
    "X=1 2>&1 rm y": ["rm"],
    "x=1 y=2\nrm z": ["rm"],
    "cat - > f": ["cat"],
    "cat <<E; rm x\nE": ["cat", "rm"],
    "cat <<E | rm x\nE\n": ["cat", "rm"],
    "cat <<A <<B\nA\nB\nls": ["cat", "ls"],
    "rm 5<> f": ["rm"],
    "rm {fd}> f": ["rm"],
    "{ ls; } <<< x": ["ls"],
    "cat <<E\nE\\\nE\n$(rm x)\nE": ["rm", "cat"],
    "time { ls; rm x; }": ["time", "ls", "rm"],
    "! { rm x; }": ["rm"],
}


@pytest.mark.parametrize("command", MISREAD)
def test_what_the_grammar_misreads_is_read_right(command: str) -> None:
    assert programs(command) == MISREAD[command]


NOT_BASH = [
    "if true; then rm x", "ls |", "ls (", "'", '"', "$(", "`", "ls )", "a;; b", "a | ! b", "{ }}",
    "cat <<E", "cat <<E\nx", "ls >", "done", "ls >\nf", "[ a ]#x $(", "x=(a b)#c", "a <>& b",
    "ls\r\nrm x", "ls\0rm", "ls\x1b", "ls\u00a0x", "r\u200bm x", "f() [ a ]", "}", "a\\",
]  # fmt: skip


@pytest.mark.parametrize("command", NOT_BASH)
def test_what_bash_would_not_run_is_refused(command: str) -> None:
    assert refused(command)


@pytest.mark.parametrize(
    "command",
    [
        "$ rm x", "echo $\nrm x", "} } : ls", "-x2>&1", '!"q" b', "\\ rm x", "ls \\  2>&1 x",
        "$((1; rm x))", "coproc rm x", "2x=1 rm y",
    ],
)  # fmt: skip
def test_what_the_grammar_would_skip_is_refused_or_read(command: str) -> None:
    assert refused(command) or "rm" in programs(command) or None in programs(command)


@pytest.mark.parametrize(
    "command",
    [
        "x='$(rm y)'; echo ${x@P}", "x='a[$(rm y)]'; echo $((x))", "x='a[$(rm y)]'; [[ $x -eq 1 ]]",
        "x='a[$(rm y)]'; ((x))", "test -v 'a[$(rm y)]'", "printf -v 'a[$(rm y)]' z", "let 'a[`rm y`]=1'",
        "cat <<E\n${x@P}\nE", "x='a[$(rm y)]'; declare -i z=$x",
    ],
)  # fmt: skip
def test_a_text_that_bash_evaluates_later_is_refused(command: str) -> None:
    assert refused(command)


@pytest.mark.parametrize(
    "command",
    [
        "m='see $(x)'; git commit -m \"$m\"",
        "echo $((a+1)) ${x@Q}",
        "printf '[$(x)]'",
        "a=(1); echo ${a[0]}",
    ],
)
def test_a_text_that_is_only_text_is_read(command: str) -> None:
    assert not refused(command)


def test_a_segment_has_its_words_without_quotes() -> None:
    assert texts(last("rm 'a b' \"c\"d e\\ f $'g\\x41'")) == ["a b", "cd", "e f", "gA"]


def test_a_word_that_only_the_shell_knows_has_no_text_and_keeps_its_ends() -> None:
    word = last('ls "a/$X/b"').words[0]
    assert (word.text, word.values, word.head, word.tail) == (None, (), "a/", "/b")


def test_a_variable_that_the_command_sets_is_put_in() -> None:
    assert texts(last("X=/; Y=$X; rm -rf $Y/etc")) == ["-rf", "//etc"]


def test_a_variable_with_blanks_becomes_several_words() -> None:
    found = last("C='rm -rf /'; $C")
    assert (found.program, texts(found)) == ("rm", ["-rf", "/"])


@pytest.mark.parametrize(
    "command",
    [
        "false && X=a; rm $X",
        "if a; then X=a; fi; rm $X",
        "(X=a); rm $X",
        "X=a; read X; rm $X",
        "X=a; . ./f; rm $X",
        "X=a; declare -n Y=X; rm $X",
        "X=a; IFS=a; rm $X",
        "X=a cmd; rm $X",
        "while a; do rm $X; X=a; done",
        "echo a | read X; rm $X",
    ],
)
def test_a_variable_that_may_hold_another_text_is_unknown(command: str) -> None:
    found = next(segment for segment in segments(command) if segment.program == "rm")
    assert found.words[0].text is None


def test_a_loop_s_variable_has_all_its_values() -> None:
    assert last('for d in a /*; do rm "$d"; done').words[0].values == ("a", "/*")


def test_braces_are_expanded() -> None:
    assert texts(last("rm {a,b}/{1..2}")) == ["a/1", "a/2", "b/1", "b/2"]


def test_a_wildcard_and_a_home_are_marked_unless_they_are_quoted() -> None:
    plain, home, quoted = last("ls *.py ~/x '*'").words
    assert (plain.glob, home.home, quoted.glob, quoted.home) == (True, True, False, False)


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("ls", "."),
        ("cd a && ls", "a"),
        ("cd a; cd b; ls", "a/b"),
        ("cd a || exit 1; ls", "a"),
        ("(cd a); ls", "."),
        ("cd a | cat; ls", "."),
        ("cd a & ls", "."),
        ("cd /x; cd -; ls", "."),
        ("pushd a; popd; ls", "."),
        ("cd; ls", "~"),
        ("cd $X; ls", None),
        ("cd a && ls | head; ls", "a"),
        ("env -C a ls", "a"),
        ("if x; then cd a; fi; ls", None),
        ("bash -c 'cd a && ls'", "a"),
    ],
)
def test_a_segment_s_folder_is_where_it_runs(command: str, folder: str | None) -> None:
    assert last(command).folder == folder


def test_a_cd_that_failed_does_not_move_what_runs_then() -> None:
    found = next(segment for segment in segments("cd a || rm x") if segment.program == "rm")
    assert found.folder == "."


def test_a_function_is_judged_again_where_it_is_called() -> None:
    found = [s.folder for s in segments("f() { rm x; }; cd /; f") if s.program == "rm"]
    assert found == [".", "/"]


@pytest.mark.parametrize(
    ("command", "program", "targets"),
    [
        ("a && b > f", "b", ["f"]),
        ("a | b > f", "b", ["f"]),
        ("a > f && b", "b", []),
        ("{ a; b; } > f", "b", ["f"]),
        ("bash -c 'b' > f", "b", ["f"]),
        ("b 2>&1 >&2 3>&-", "b", []),
        ("b &>> f 2>g", "b", ["f", "g"]),
        (">f b", "b", ["f"]),
    ],
)
def test_a_redirection_belongs_to_its_command(
    command: str, program: str, targets: list[str]
) -> None:
    found = [s for s in segments(command) if s.program == program]
    assert [item.target.text for item in found[0].redirections] == targets


def test_standard_input_is_known_where_it_stands_in_the_text() -> None:
    for command in ("cat <<'E'\na\nE", "cat <<< a"):
        stdin = last(command).stdin
        assert stdin is not None
        assert stdin.text is not None
        assert stdin.text.strip() == "a"


def test_a_heredoc_s_text_is_no_command() -> None:
    assert programs("cat <<'E'\n$(rm x)\nE") == ["cat"]
    assert programs("cat <<E\nrm x\nE") == ["cat"]


WRAPPED = [
    "sh -c 'rm x'", "bash -xec 'rm x'", "bash -o errexit -c 'rm x'", "env A=1 rm x", "env -S 'rm x'",
    "sudo -u me rm x", "timeout -s KILL 5 rm x", "nice -n 5 rm x", "xargs -n 1 rm x", "eval rm x",
    "find . -exec rm x \\;", "fd a -x rm x", "ssh -p 1 h rm x", "docker run -v a:b c rm x",
    "docker compose exec c rm x", "kubectl exec -it p -- rm x", "git -c alias.a='!rm x' a",
    "git rebase -x 'rm x' b", "git bisect run rm x", "git submodule foreach rm x", "flock f rm x",
    "flock f -c 'rm x'", "su -c 'rm x'", "script -qc 'rm x'", "trap 'rm x' EXIT", "alias a='rm x'",
    "watch 'rm x'", "parallel rm ::: x", "busybox rm x", "bash <<< 'rm x'", "bash <<E\nrm x\nE",
    "python3 -c 'import os; os.system(\"rm x\")'", "perl -e 'system(\"rm x\")'", "awk 'BEGIN{system(\"rm x\")}'",
    "node -e 'require(\"child_process\").spawn(\"rm\", [\"x\"])'", "tar --to-command='rm x' -xf a",
    "vim -c '!rm x' f", "tmux new -d 'rm x'", "command rm x", "exec rm x", "uv run rm x", "npx -c 'rm x'",
    "f() { rm x; }", "(rm x)", "{ rm x; }", "if a; then rm x; fi", "case a in b) rm x;; esac",
    "echo $(rm x)", "cat <(rm x)", "[ $(rm x) ]", "a=(1 $(rm x))", "/bin/rm x", "\\rm x", "'r'm x",
]  # fmt: skip


@pytest.mark.parametrize("command", WRAPPED)
def test_a_wrapper_s_command_is_a_segment(command: str) -> None:
    found = [segment for segment in segments(command) if segment.program == "rm"]
    assert found
    assert "x" in [text for word in found[-1].words for text in word.values]


@pytest.mark.parametrize(
    "command",
    [
        "$X a", 'eval "$X"', 'sh -c "$X"', "curl x | sh", "sh < f", "bash <(curl x)", "sh -s < f",
        'python3 -c "$X"', "curl x | python3 -", "pwsh -c ls", "/bin/tou?h a", "git -c $X log", "curl x | xargs sh",
    ],
)  # fmt: skip
def test_what_is_only_known_when_it_runs_is_opaque(command: str) -> None:
    assert any(segment.opaque and not segment.unreadable for segment in segments(command))


def test_arguments_from_elsewhere_are_marked() -> None:
    found = last("ls | xargs rm -f")
    assert (found.program, found.more) == ("rm", True)
    assert [source.program for source in found.inputs] == ["ls"]


LONG = {
    "segments": "a;" * 9_999,
    "words": "echo " + "a " * 9_000,
    "substitutions": "echo " + "$(a) " * 1_500,
    "pipes": "a|" * 9_000 + "a",
    "nesting": "$(" * 3_000,
    "groups": "(" * 5_000,
    "evaluations": "X='" + "a;" * 300 + "';" + 'eval "$X";' * 1_500,
    "aliases": "alias " + "a='b' " * 2_400,
    "wrappers": "sudo " * 3_000 + "ls",
    "length": "echo " + "a" * 20_000,
    "heredocs": "cat <<A\nA\n" * 1_900,
}


@pytest.mark.parametrize("kind", LONG)
def test_what_is_too_much_is_refused_after_a_bounded_reading(kind: str) -> None:
    found = segments(LONG[kind])
    assert found[-1].unreadable or found[-1].opaque or refused(LONG[kind])
    assert len(found) < 500


@pytest.mark.parametrize(
    "command", ["{\U000e49df", "f{\U0010ffff", "echo '{\U000e49df'", "\ud800{"]
)
def test_no_character_makes_the_grammar_crash(command: str) -> None:
    assert segments(command)


def test_characters_beyond_ascii_are_kept() -> None:
    assert texts(last("echo é '日本' \"😀 b\"")) == ["é", "日本", "😀 b"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("[ -e a.txt ]", ["-e", "a.txt", "]"]),
        ("[[ -f ~/x && ( b == c || ! -d e ) ]]",
         ["-f", "~/x", "&&", "(", "b", "==", "c", "||", "!", "-d", "e", ")", "]]"]),
        ('X=v; [ "$X" -nt \'a b\' ]', ["v", "-nt", "a b", "]"]),
        ("[ -n $(cat x) ]", ["-n", None, "]"]),
    ],
)  # fmt: skip
def test_a_test_in_brackets_gives_its_words(command: str, words: list[str | None]) -> None:
    assert texts(last(command)) == words


def test_a_subscript_that_a_test_in_brackets_evaluates_is_refused() -> None:
    assert refused("[ -v 'a[$(rm x)]' ]")
    assert refused("[[ 'a[$(rm x)]' -eq 1 ]]")
    assert not refused("[ x = 'a[$(rm x)]' ]")


@pytest.mark.parametrize(
    "command",
    [
        "{ cd x; false; } || cat y",
        "if a; then cd x; fi || cat y",
        "for i in 1; do cd x; done || cat y",
    ],
)
def test_after_a_group_that_failed_the_folder_is_not_known(command: str) -> None:
    assert last(command).folder is None


def test_a_cd_with_two_operands_fails() -> None:
    assert last("cd a b; ls").folder == "."
    assert last("cd a $X; ls").folder is None
    assert last("cd a; cd -- b; ls").folder == "a/b"


def test_the_braces_of_what_is_exported_are_expanded() -> None:
    assert last("export v=x{a,b}; cat $v").words[0].values == ("xa", "xb")
    assert last("export v={a,$X}; cat $v").words[0].values == ()
    assert last("v={a,b}; cat $v").words[0].values == ("{a,b}",)


def test_a_variable_with_a_wildcard_is_one_wherever_it_is_not_quoted() -> None:
    assert last("for v in '*.txt' b; do cat $v; done").words[0].glob
    assert not last("for v in '*.txt' b; do cat \"$v\"; done").words[0].glob
