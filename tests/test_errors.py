"""Messages name parameters, in Python's form or as the command line's options."""

from __future__ import annotations

import copy
import warnings

import pytest

from permutopic.checks import check_choice, check_integer, check_real
from permutopic.errors import InputError, InputWarning, Message, Parameter, render

NAMES = {"n_chains": "--chains", "encoding": "--encoding"}


def test_a_message_is_text_that_can_be_written_with_other_names():
    advice = Message("try more (", Parameter("n_chains", 4), ") or ", Parameter("n_sweeps"))
    assert advice == "try more (n_chains=4) or n_sweeps"
    assert advice.render(NAMES) == "try more (--chains 4) or n_sweeps"
    assert render(advice, NAMES) == "try more (--chains 4) or n_sweeps"
    assert render("n_chains stays in plain text", NAMES) == "n_chains stays in plain text"


def test_messages_within_messages_and_copies_keep_their_parts():
    inner = Message("name it (", Parameter("encoding", "latin-1"), ")")
    outer = Message("a.txt: ", inner, "!")
    assert outer == "a.txt: name it (encoding='latin-1')!"
    for same in (outer, copy.copy(outer), copy.deepcopy(outer)):
        assert same == outer
        assert same.render(NAMES) == "a.txt: name it (--encoding latin-1)!"


def test_text_of_users_is_never_taken_for_a_parameter():
    message = Message("a file called n_chains {n_chains} %s: ", Parameter("n_chains"))
    assert message.render(NAMES) == "a file called n_chains {n_chains} %s: --chains"


def test_errors_and_warnings_carry_their_message():
    error = InputError("give ", Parameter("n_chains"))
    assert str(error) == error.message == "give n_chains"
    assert isinstance(error, ValueError)
    assert error.message.render(NAMES) == "give --chains"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(InputWarning("see ", Parameter("encoding")), stacklevel=1)
        warnings.warn("plain", InputWarning, stacklevel=1)
    assert [each.message.message.render(NAMES) for each in caught] == ["see --encoding", "plain"]


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_integer(1.5, "n_chains", 1), "--chains must be a whole number of at least"),
        (
            lambda: check_integer(9, "n_chains", 1, 4, note="runs"),
            "--chains (runs) must be a",
        ),
        (lambda: check_real("x", "n_chains", 0, 1), "--chains must be a finite number, not 'x'"),
        (lambda: check_real(2, "n_chains", 0, 1), "--chains must lie between 0 and 1, not 2"),
        (lambda: check_choice("c", "n_chains", "ab"), "--chains is one of a, b, not 'c'"),
    ],
)
def test_checks_name_the_parameter(check, message):
    with pytest.raises(InputError) as caught:
        check()
    assert caught.value.message.render(NAMES).startswith(message)
