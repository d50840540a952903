from __future__ import annotations

import re
from dataclasses import replace

import pytest

from permutopic.corpus import Encoder
from permutopic.documents import Document, Unit
from permutopic.errors import InputError, InputWarning
from permutopic.ingest.diagnostics import Diagnostics, duplicates
from permutopic.ingest.pipeline import read_corpus
from permutopic.readers import ReadOptions
from permutopic.text.tokens import Tokens
from permutopic.text.units import Units

ENGLISH = (
    "The mill stands by the river, and it was built for the people of the town in the year {}."
)
FRENCH = "Le moulin est au bord de la rivière et il est dans la ville pour les gens du pays, {}."
CHINESE = "这座磨坊位于河边，是为镇上的人们建造的，编号{}。"


def page(title, *texts, heading=None):
    return Document(title, tuple(Unit(text, heading) for text in texts), f"{title}.txt")


def pages(n, text=ENGLISH, units=3, first=0):
    return [
        page(f"p{d}", *(text.format(1000 * d + u) for u in range(units)))
        for d in range(first, first + n)
    ]


def warnings_of(documents, tokens="words", units="paragraph", diagnostics=None):
    diagnostics = Diagnostics() if diagnostics is None else diagnostics
    encoder = Encoder(tokens, units, skip_empty=True)
    corpus = encoder.encode(diagnostics.observe(documents))
    found = diagnostics.warnings(corpus, encoder)
    assert all("\n" not in message for message in found)
    return found


def test_there_is_nothing_to_say_about_ordinary_documents():
    assert warnings_of(pages(12)) == []


def test_documents_pass_unchanged_and_are_counted():
    documents = [page("a", "One.", heading="H"), page("b", "Two.", "Three\ufffd.", heading="H")]
    diagnostics = Diagnostics()
    assert list(diagnostics.observe(documents)) == documents
    assert diagnostics.headings == {"H": 2}
    assert diagnostics.languages == {None: 2}
    assert diagnostics.replaced == 1
    list(diagnostics.observe([page("c", "\ufffdne.", "Two."), page("d", "\ufffd", "\ufffd")]))
    assert diagnostics.replaced == 3


def test_what_was_left_out_for_a_fault_is_said_and_what_was_not_asked_for_is_not():
    diagnostics = Diagnostics()
    diagnostics.log.skip("a.bin", "binary", "NUL")
    diagnostics.log.skip("b.bin", "binary", "NUL")
    for kind in ("unknown extension '.jpg'", "no extension", "title not asked for",
                 "category not asked for", "another name of a file", "redirect"):  # fmt: skip
        diagnostics.log.skip("x", kind)
    assert warnings_of(pages(2), diagnostics=diagnostics) == [
        "2 left out (binary), a.bin for one: `inspect` lists them"
    ]


def test_an_example_is_there_however_many_came_before():
    diagnostics = Diagnostics()
    for n in range(2000):
        diagnostics.log.skip(f"{n}.7", "alias")
    diagnostics.log.skip("a.bin", "binary")
    [message] = warnings_of(pages(2), diagnostics=diagnostics)
    assert message.startswith("1 left out (binary), a.bin for one")


def test_a_folder_of_files_that_no_reader_is_for_is_said():
    diagnostics = Diagnostics()
    diagnostics.log.files = 3
    for n in range(40):
        diagnostics.log.skip(f"{n}.pdf", "unknown extension '.pdf'")
    diagnostics.log.skip("a.doc", "unknown extension '.doc'")
    [message] = warnings_of(pages(3), diagnostics=diagnostics)
    assert message.startswith("41 files left out for their extension, most of them as unknown ext")
    assert "'.pdf'" in message
    fewer = Diagnostics(diagnostics.log)
    fewer.log.files = 42
    assert warnings_of(pages(3), diagnostics=fewer) == []


@pytest.mark.parametrize(
    ("n_read", "n_unknown", "is_said"), [(1, 5, True), (1, 4, False), (7, 7, True), (7, 6, False)]
)
def test_files_without_a_reader_are_said_if_they_are_five_and_as_many_as_were_read(
    n_read, n_unknown, is_said
):
    diagnostics = Diagnostics()
    diagnostics.log.files = n_read
    for n in range(n_unknown):
        diagnostics.log.skip(f"{n}.pdf", "unknown extension '.pdf'")
    assert bool(warnings_of(pages(3), diagnostics=diagnostics)) is is_said


def test_documents_whose_units_are_all_too_short_are_told_apart():
    encoder = Encoder(units=Units(min_words=30, short="drop"), skip_empty=True)
    diagnostics = Diagnostics()
    long = page("long", " ".join(map(str, range(30))))
    corpus = encoder.encode(diagnostics.observe([*pages(2), long]))
    assert diagnostics.warnings(corpus, encoder) == [
        "2 documents left out whose units are all shorter than 30 words, p0.txt for one"
    ]
    with pytest.raises(InputError, match="has a unit of 99 words: lower min_words"):
        Encoder(units=Units(min_words=99, short="drop"), skip_empty=True).encode(pages(2))
    with pytest.raises(InputError, match=r"'p0' has no unit of 99 words \(min_words\)"):
        Encoder(units=Units(min_words=99, short="drop")).encode(pages(2))


def test_documents_without_a_word_are_said():
    [message] = warnings_of([*pages(8), page("e", "…"), page("f", "– –", "!")])
    assert message == "2 documents left out without a word, e.txt for one"


def test_characters_that_could_not_be_read_are_said():
    strange = page("x", *(f"{ENGLISH.format(n)} caf\ufffd" for n in range(3)))
    assert warnings_of([*pages(3), strange]) == [
        "1 document with characters that could not be read (U+FFFD): is the encoding right?"
    ]


def test_the_same_text_again_is_said_once():
    documents = [*pages(3), page("p0", *(unit.text for unit in pages(1)[0].units))]
    assert warnings_of(documents) == [
        "1 document with exactly the text of an earlier one (p0.txt is p0.txt): they count as "
        "often as they come"
    ]


def test_all_documents_may_be_the_same():
    [message] = warnings_of(pages(1) * 9)
    assert message.startswith("8 documents with exactly the text of an earlier one")


def test_units_make_a_difference_between_texts():
    joined = page("x", " ".join(unit.text for unit in pages(1)[0].units), "Another one, of the")
    assert warnings_of([*pages(3), joined]) == []
    divided = [page("x", "A mill", "stone", ENGLISH), page("y", "A mills", "tone", ENGLISH)]
    assert warnings_of([*pages(3), *divided]) == []


def test_the_same_title_again_is_said_in_one_line():
    documents = [*pages(3), page("p1", *(ENGLISH.format(n) for n in range(50, 53)))]
    assert warnings_of(documents) == [
        "1 document with the title of an earlier one (p1.txt and p1.txt: 'p1')"
    ]


def test_the_same_title_and_the_same_text_are_said_of_the_right_documents():
    first, second, *others = pages(4)
    copy = replace(first, title="copy", location="copy.txt")
    namesake = replace(pages(1, first=50)[0], title=second.title, location="namesake.txt")
    texts, titles = warnings_of([first, copy, second, *others, namesake])
    assert "(copy.txt is p0.txt)" in texts
    assert "(namesake.txt and p1.txt: 'p1')" in titles


def test_several_languages_are_said_from_a_fiftieth_on():
    [message] = warnings_of(pages(8) + pages(3, FRENCH, first=50))
    assert message == (
        "3 of 11 documents do not look English (3 French): topics would follow language, not "
        "content"
    )
    assert warnings_of(pages(8) + pages(1, FRENCH, first=50)) == []
    assert warnings_of(pages(150) + pages(2, FRENCH, first=500)) == []
    assert len(warnings_of(pages(150) + pages(3, FRENCH, first=500))) == 1


def test_languages_without_spaces_are_said_unless_they_are_named():
    [message] = warnings_of(pages(4, CHINESE))
    assert message == (
        "the text looks Chinese, which writes no spaces: language='zh' finds its words"
    )
    assert warnings_of(pages(4, CHINESE), Tokens(language="zh")) == []
    assert warnings_of(pages(4, CHINESE), str.split) != [message]


def test_documents_of_one_unit_are_said_from_a_quarter_on():
    single = pages(1, units=1, first=90)
    [message] = warnings_of(pages(3) + single)
    assert message == "1 of 4 documents have one paragraph: is the unit right?"
    assert warnings_of(pages(4) + single) == []
    assert warnings_of(single) == []  # a model's fit says what one document lacks
    [message] = warnings_of(pages(3) + single, units="section")
    assert message == "4 of 4 documents have one section: is the unit right?"


def test_short_units_are_said_if_there_are_many():
    short = [page(str(d), *(f"word{d} number{u}" for u in range(10))) for d in range(3)]
    [message] = warnings_of(short)
    assert message == (
        "half of the units have at most 2 words, little to tell a topic by: min_words merges "
        "short ones"
    )
    assert warnings_of(short[:2]) == []
    for n_words, n_warnings in ((4, 1), (5, 0)):
        text = " ".join("abcde"[:n_words])
        units = [page(str(d), *(f"{text}{d}{u}" for u in range(10))) for d in range(3)]
        assert len(warnings_of(units)) == n_warnings


def test_half_a_word_is_not_counted():
    texts = [f"a b c {'d ' * (n % 2)}w{n}" for n in range(40)]  # four words, or five
    documents = [page(str(d), *texts[4 * d : 4 * d + 4]) for d in range(10)]
    [message] = warnings_of(documents)
    assert message.startswith("half of the units have at most 4 words")


def test_long_units_are_said():
    long = [
        page(str(d), *(" ".join(map(str, range(1200 + d + u))) for u in range(2))) for d in (0, 5)
    ]
    assert "half of the units have 1203 words or more: is the unit right?" in warnings_of(long)


def test_doubles_are_found_with_the_first_of_them():
    assert duplicates(["a", "b", "a", "b"]) == ([2, 3], 0)
    assert duplicates(["a", "b", "b"]) == ([2], 1)
    assert duplicates(["a"]) == duplicates([]) == ([], -1)


def test_a_corpus_is_read_with_warnings(tmp_path):
    (tmp_path / "a.txt").write_text("One two.\n\nThree.")
    (tmp_path / "b.txt").write_text("One two.\n\nThree.")
    (tmp_path / "c.txt").write_text("…")
    (tmp_path / "d.txt").write_bytes(b"\xff")
    with pytest.warns(InputWarning) as caught:
        corpus = read_corpus(tmp_path)
    assert corpus.titles == ("a", "b")
    assert corpus.source_spans.tolist() == [[0, 8], [10, 16]] * 2
    said = [str(each.message) for each in caught]
    assert len(said) == 3
    for message, pattern in zip(
        said,
        (r"1 left out \(not UTF-8\)", "1 document left out without a word", "exactly the text"),
        strict=True,
    ):
        assert re.search(pattern, message)
        assert "\n" not in message
    assert {each.filename for each in caught} == {__file__}


def test_a_corpus_may_be_read_with_a_models_words(tmp_path):
    (tmp_path / "a.txt").write_text("One two.\n\nThree. Four.")
    corpus = read_corpus(
        tmp_path, units="sentence", vocabulary=("three", "one"), options=ReadOptions(format="text")
    )
    assert corpus.vocabulary == ("three", "one")
    assert corpus.words.tolist() == [1, 0]
    assert corpus.unit_offsets.tolist() == [0, 1, 2, 2]


def test_headings_are_counted_once_a_document_in_the_order_they_are_met():
    units = tuple(
        Unit(f"text {n}", heading) for n, heading in enumerate(["Z", "A", "Z", None, "M"])
    )
    diagnostics = Diagnostics()
    list(diagnostics.observe([Document("a", units, "a"), Document("b", units[3:], "b")]))
    assert diagnostics.headings.most_common() == [("M", 2), ("Z", 1), ("A", 1)]
