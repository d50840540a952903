from __future__ import annotations

import pytest

from permutopic.errors import InputError
from permutopic.text.languages import (
    function_words,
    guess_language,
    language_code,
    language_name,
)

SENTENCES = {
    "en": "The old mill stands by the river, and it was built for the people of the town.",
    "fr": "Le vieux moulin est au bord de la rivière et il a été construit pour les habitants.",
    "de": "Die alte Mühle steht an dem Fluss und wird von den Leuten der Stadt nicht mehr benutzt.",
    "es": "El viejo molino está en la orilla del río y fue construido para los vecinos.",
    "it": "Il vecchio mulino è sulla riva del fiume e non è più usato dalla gente della città.",
    "pt": "O velho moinho fica na margem do rio e não foi feito para os moradores da cidade.",
    "nl": "De oude molen staat aan het water en wordt door de mensen van het dorp niet gebruikt.",
    "sv": "Den gamla kvarnen ligger på stranden och är inte byggd för att det som var.",
    "pl": "Stary młyn nie jest nad rzeką i był przez lata dla ludzi, którzy się po nim wspinali.",
    "cs": "Starý mlýn stojí na řece a byl po léta pro lidi, který se také opravoval do roku.",
    "hu": "A régi malom nem volt a folyó mellett, és hogy egy ember is csak ott lakott.",
    "tr": "Bu eski değirmen bir nehir için ve daha sonra köy ile kasaba için çok önemli.",
    "fi": "Vanha mylly on joen rannalla ja se ei ole enää käytössä, mutta hän sanoi että oli.",
    "ru": "Старая мельница стоит на берегу реки, и он не знал, что это было для людей.",
    "uk": "Старий млин стоїть на березі річки, і він не знав, що це було для людей та як.",
    "el": "Ο παλιός μύλος βρίσκεται στην όχθη του ποταμού.",
    "ar": "الطاحونة القديمة على ضفة النهر في المدينة التي كانت من قبل.",
    "fa": "آسیاب قدیمی در کنار رودخانه است و برای مردم این شهر با سنگ ساخته شد.",
    "hi": "पुरानी चक्की नदी के किनारे पर है और यह लोगों के लिए थी।",
    "zh": "古老的磨坊坐落在河边，供镇上的居民使用。",
    "ja": "古い水車小屋は川のほとりに立っています。",
    "ko": "오래된 방앗간은 강가에 있습니다.",
    "th": "โรงสีเก่าตั้งอยู่ริมแม่น้ำ",
    "he": "הטחנה הישנה עומדת על גדת הנהר",
}


@pytest.mark.parametrize(("code", "text"), SENTENCES.items())
def test_languages_are_guessed_by_their_little_words_and_scripts(code, text):
    assert guess_language(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "xyzzy plugh quux foobar grault",
        "O_RDONLY EINVAL",
        "Iron is a metal.",
        "Camera is so so",
    ],
)
def test_what_shows_no_language_is_not_guessed(text):
    assert guess_language(text) is None


def test_a_language_that_is_hardly_ahead_of_another_is_not_guessed():
    both = "og at det er en til på som med den for ikke et har fra eller også "  # Danish, Norwegian
    assert guess_language(both + "af blev ") is None
    assert guess_language(both + "af blev der " * 3) == "da"


def test_han_is_japanese_with_a_fifth_of_kana_and_chinese_with_less():
    assert guess_language("漢" * 8 + "か" * 2) == "ja"
    assert guess_language("漢" * 9 + "か" * 2) == "zh"


def test_a_text_needs_eight_letters_and_is_judged_by_its_beginning():
    assert guess_language("Μύλος αυ") is None
    assert guess_language("Μύλος αυτ") == "el"
    assert (
        guess_language("The mill of the town and the river. " * 60 + SENTENCES["fr"] * 99) == "en"
    )


@pytest.mark.parametrize(("n_others", "code"), [(47, "en"), (48, None)])
def test_eight_of_a_hundred_words_are_function_words_at_least(n_others, code):
    assert guess_language("the of was which " + "xyzzy " * (n_others - 1)) == code


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({"the": 2, "of": 1, "and": 1, "crust": 46}, True),  # 8 of 100
        ({"the": 2, "of": 1, "and": 1, "crust": 47}, False),
        ({"the": 50, "of": 50, "crust": 1}, False),  # two words are no evidence
    ],
)
def test_function_words_are_those_of_a_language_that_is_shown(counts, found):
    assert bool(function_words(counts)) == found


def test_short_reviews_look_english_or_like_nothing():
    for text in (
        "It is a nice phone.",
        "I love it, a great buy.",
        "Very good, works as it should.",
    ):
        assert guess_language(text) in {"en", None}


def test_codes_and_names():
    assert language_code("fr_CA") == "fr"
    assert language_code("Turkish") == "tr"
    assert language_code("nb") == "no"
    assert language_name("tr") == "Turkish"
    assert language_name(None) == "unknown"
    for wrong in ("", "e", "english!", 5):
        with pytest.raises(InputError, match="a language is a code"):
            language_code(wrong)
