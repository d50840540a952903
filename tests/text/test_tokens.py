from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.text import segmenters
from permutopic.text import tokens as tokens_module
from permutopic.text.lowercase import lower
from permutopic.text.tokens import Tokens


def tokens_of(text, **settings):
    return Tokens(**settings).splitter()(text)


def test_words_are_lower_cased_and_other_splits_do_as_they_say():
    assert tokens_of("Don't STOP") == ["don't", "stop"]
    assert tokens_of("Don't STOP!", split="whitespace") == ["Don't", "STOP!"]
    assert tokens_of("Don't STOP!", split="ascii") == ["don", "t", "stop"]


@pytest.mark.parametrize(
    ("language", "text", "lowered"),
    [
        (None, "ISPARTA İzmir", "isparta izmir"),
        ("tr", "ISPARTA İzmir", "ısparta izmir"),
        ("az", "I\u0307lk QIZIL", "ilk qızıl"),
        ("el", "ΟΔΟΣ ΣΟΦΙΑΣ", "οδος σοφιας"),
        ("de", "STRAẞE", "straße"),
    ],
)
def test_lower_case_follows_the_language(language, text, lowered):
    assert lower(text, language) == lowered


def test_numbers_and_addresses_are_folded_on_request():
    text = "In 1999, 3.5 million (٣) saw http://example.org/a?b=1; write to a.b+c@mail.example.org!"
    assert tokens_of(text, fold_numbers=True, fold_urls=True) == [
        "in", "<number>", "<number>", "million", "<number>", "saw", "<url>", "write", "to", "<url>",
    ]  # fmt: skip
    assert "1999" in tokens_of(text)
    assert tokens_of("h2o 2nd", fold_numbers=True) == ["h2o", "2nd"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("网址：https://example.com，没有空格。", ["网", "址", "<url>", "没", "有", "空", "格"]),
        ("请联系support@example.com谢谢", ["请", "联", "系", "<url>", "谢", "谢"]),
        ("看https://example.com/a 好", ["看", "<url>", "好"]),
        ("Mail a.b@c.org. See www.x.org/é.", ["mail", "<url>", "see", "<url>"]),
        ("not@home a@b", ["not", "home", "a", "b"]),
    ],
)
def test_an_address_ends_where_other_text_begins(text, tokens):
    assert tokens_of(text, fold_urls=True) == tokens


def test_a_function_that_fails_is_named_with_the_text():
    with pytest.raises(InputError, match=r"builtins:int failed on 'four' \(ValueError: invalid"):
        tokens_of("four", split=int)


def test_stop_words_are_met_in_the_form_of_the_tokens():
    assert tokens_of("The don’t Go", stop=("Don't", "THE")) == ["go"]
    assert tokens_of("le chat est sur la table", language="fr", stop="language") == [
        "chat",
        "table",
    ]


def test_stems_are_those_of_the_language():
    assert tokens_of("running houses", language="en", stem=True) == ["run", "hous"]
    assert tokens_of("maisons nationales", language="fr", stem=True) == ["maison", "national"]
    folded = Tokens(language="en", stem=True, fold_numbers=True).splitter()
    assert folded("12 cats") == ["<number>", "cat"]


def test_no_more_stems_are_remembered_than_memory_has_room_for(monkeypatch):
    monkeypatch.setattr(tokens_module, "_MAX_CACHED_STEMS", 2)
    remembered = {}
    for text in ("cats dogs", "cats cows", "cats hens", "cats rats"):
        found = tokens_module._stem_tokens(lambda word: word[:-1], remembered, text.split())
        assert found == [word[:-1] for word in text.split()]
        assert len(remembered) <= 2 + 2


def test_folded_tokens_are_not_stemmed():
    given = ["<number>", "<url>", "cats"]
    found = tokens_module._stem_tokens(lambda word: word[:-1], {}, given)
    assert found == ["<number>", "<url>", "cat"]


def test_signs_that_a_segmenter_gives_are_no_words(monkeypatch):
    monkeypatch.setattr(segmenters, "_chinese", lambda: lambda run: ["·", run, "…"])
    assert segmenters.segmenting_splitter("zh")("Old 中文") == ["Old", "中文"]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        (
            "zh",
            "我来到北京清华大学, Hello 2020。",
            ["我", "来到", "北京", "清华大学", "hello", "2020"],
        ),
        ("ja", "東京に住む。iPhone", ["東京", "に", "住む", "iphone"]),
        ("th", "ประเทศไทยสวยงาม OK", ["ประเทศ", "ไทย", "สวยงาม", "ok"]),
    ],
)
def test_languages_without_spaces_are_segmented(language, text, words):
    assert tokens_of(text, language=language) == words


def test_a_function_may_split():
    assert tokens_of("a-b", split=lambda text: text.split("-")) == ["a", "b"]
    for wrong in (str, lambda _: [1], lambda _: None):
        with pytest.raises(InputError, match="must give a list of strings"):
            tokens_of("a", split=wrong)


def test_settings_come_back_from_plain_values():
    settings = Tokens(language="pt-BR", stop=("b", "a"), min_df=2, max_df=0.5, fold_urls=True)
    assert Tokens.from_dict(settings.as_dict()) == settings
    assert settings.language == "pt"
    assert str(settings) == (
        "words, language='pt', fold_urls=True, stop=('a', 'b'), min_df=2, max_df=0.5"
    )


def test_one_document_is_not_all_of_them():
    one, all_ = Tokens(max_df=1), Tokens(min_df=1.0)
    assert (one.filters, all_.filters, Tokens().filters) == (True, True, False)
    assert (str(one), str(all_)) == ("words, max_df=1", "words, min_df=1.0")
    assert one.shortest() is one
    assert Tokens("ascii").shortest() == "ascii"


def shout(text):
    return text.upper().split()


def test_a_function_is_saved_by_name_and_asked_for_again():
    saved = Tokens(shout).as_dict()
    assert saved["split"] == {"function": f"{__name__}:shout"}
    assert Tokens.from_dict(saved, shout).splitter()("a") == ["A"]
    with pytest.raises(InputError, match=rf"split by {__name__}:shout: give that function again"):
        Tokens.from_dict(saved).splitter()("a")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "letters"}, "words, whitespace, ascii, not 'letters'"),
        ({"language": "?"}, "a code such as en, fr or zh, not '\\?'"),
        ({"stop": "language"}, "need a language"),
        ({"stem": True}, "need a language"),
        ({"stop": [1]}, "'language' or a list of words"),
        ({"stop": 5}, "'language' or a list of words"),
        ({"fold_urls": "yes"}, "fold_urls is True or False, not 'yes'"),
        ({"min_df": 0}, "min_df must be a whole number of at least 1, or a share, not 0"),
        ({"max_df": 1.5}, "max_df must be a share between 0 and 1"),
        ({"max_df": float("nan")}, "max_df must be a share between 0 and 1"),
        ({"min_df": True}, "min_df must be a number"),
        ({"split": "ascii", "language": "zh"}, "needs tokens 'words'"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Tokens(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"language": "xx", "stem": True}, "no Snowball stems for 'xx': there are for ar, "),
        ({"language": "xx", "stop": "language"}, "no stop list for 'xx'"),
    ],
)
def test_what_a_language_lacks_is_said(settings, message):
    with pytest.raises(InputError, match=message):
        Tokens(**settings).splitter()


@pytest.mark.parametrize(
    ("module", "settings", "extra"),
    [
        ("snowballstemmer", {"language": "en", "stem": True}, "languages"),
        ("stopwordsiso", {"language": "en", "stop": "language"}, "languages"),
    ],
)
def test_a_missing_extra_is_named(module, settings, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"pip install 'permutopic\[{extra}\]'"):
        Tokens(**settings).splitter()


def test_what_is_no_choice_of_tokens_is_refused():
    assert Tokens.of("ascii") == Tokens("ascii")
    with pytest.raises(InputError, match="tokens are one of"):
        Tokens.of(["words"])


@given(st.text(), st.text())
def test_folding_leaves_the_words_between_addresses_alone(left, right):
    split = Tokens(fold_urls=True).splitter()
    plain = Tokens().splitter()
    if not any(sign in left + right for sign in "@:.") and not left[-1:].isalnum():
        assert split(f"{left} http://x.y {right}") == [*plain(left), "<url>", *plain(right)]
