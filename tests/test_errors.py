"""Messages name parameters, in Python's form or as the command line's options."""

from __future__ import annotations

import copy
import re
import warnings

import numpy as np
import pytest

from permutopic.checks import check_choice, check_integer, check_real, is_plain
from permutopic.errors import InputError, InputWarning, Message, Parameter, render

NAMES = {"n_chains": "--chains", "encoding": "--encoding"}


def test_a_message_is_text_that_can_be_written_with_other_names():
    advice = Message("try more (", Parameter("n_chains", 4), ") or ", Parameter("n_sweeps"))
    assert advice == "try more (n_chains=4) or n_sweeps"
    assert advice.render(NAMES) == "try more (--chains 4) or n_sweeps"
    assert render(advice, NAMES) == "try more (--chains 4) or n_sweeps"
    assert render("n_chains stays in plain text", NAMES) == "n_chains stays in plain text"


def test_a_value_is_written_even_if_it_is_nothing():
    for value, shown in ((0, "0"), (False, "False"), ("", "''")):
        message = Message("give ", Parameter("n_chains", value))
        assert message == f"give n_chains={shown}"
        assert message.render(NAMES) == f"give --chains {value}"


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


@pytest.mark.parametrize("value", [1, 4, np.int64(4)])
def test_a_whole_number_may_lie_on_either_bound(value):
    found = check_integer(value, "n_chains", 1, 4)
    assert (found, type(found)) == (int(value), int)


@pytest.mark.parametrize("value", [0, 5, True, 2.0, "2", None])
def test_a_number_beyond_a_bound_or_of_another_type_is_no_whole_number(value):
    message = f"n_chains must be a whole number of at least 1 and at most 4, not {value!r}"
    with pytest.raises(InputError, match=re.escape(message)):
        check_integer(value, "n_chains", 1, 4)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_a_number_may_lie_on_either_bound(value):
    found = check_real(value, "share", 0, 1)
    assert (found, type(found)) == (float(value), float)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "share must be a finite number, not nan"),
        (True, "share must be a finite number, not True"),
        (None, "share must be a finite number, not None"),
        (float("inf"), "share must lie between 0 and 1, not inf"),
        (-1e-9, "share must lie between 0 and 1, not -1e-09"),
        (1 + 1e-9, "share must lie between 0 and 1, not 1.000000001"),
    ],
)
def test_a_number_that_is_none_or_beyond_a_bound_is_refused(value, message):
    with pytest.raises(InputError) as caught:
        check_real(value, "share", 0, 1)
    assert str(caught.value) == message


def test_text_is_plain_if_a_terminal_shows_all_of_it():
    assert is_plain("Café, می\u200cخواهم, \U0001f468\u200d\U0001f469, שלום\u200f")
    for sign in ("\x1b", "\n", "\x7f", "\u202e", "\ud800"):
        assert not is_plain(f"a{sign}b")
